//! States that are sent to somebody else who judges them: the event protocol, version 1.

use crate::options::{OnViolation, Target};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use traceward::Value;

/// The way to whoever judges.
pub(crate) struct Channel {
    out: Box<dyn Write + Send>,
    /// The answers, if every state is answered.
    answers: Option<BufReader<Box<dyn Read + Send>>>,
    line: String,
    is_file: bool,
}

/// What the other side says to a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    GoOn,
    /// This property is violated for good.
    Stop(String),
}

/// Where a state was made, and when.
pub(crate) struct Sent<'a> {
    pub(crate) nanoseconds: i64,
    /// `File.java:17`
    pub(crate) at: Option<&'a str>,
    /// `pkg.Class.method`
    pub(crate) inside: Option<&'a str>,
    /// The object whose trace it is, if it is one's.
    pub(crate) object: Option<&'a str>,
}

impl Channel {
    pub(crate) fn open(target: &Target, on_violation: OnViolation) -> Result<Self, String> {
        let reading = on_violation == OnViolation::Stop;
        let (out, answers, is_file) = match target {
            Target::File(path) => {
                let file = File::create(path).map_err(|error| format!("to=file:{}: {error}", path.display()))?;
                (Box::new(file) as Box<dyn Write + Send>, None, true)
            }
            Target::Unix(path) => {
                let error = |error| format!("to=unix:{}: {error}; is `traceward monitor` listening?", path.display());
                let socket = UnixStream::connect(path).map_err(error)?;
                let answers = socket.try_clone().map_err(error)?;
                (Box::new(socket) as Box<dyn Write + Send>, Some(Box::new(answers) as Box<dyn Read + Send>), false)
            }
            Target::Tcp(address) => {
                let error = |error| format!("to=tcp:{address}: {error}; is `traceward monitor` listening?");
                let socket = TcpStream::connect(address.as_str()).map_err(error)?;
                socket.set_nodelay(true).map_err(error)?;
                let answers = socket.try_clone().map_err(error)?;
                (Box::new(socket) as Box<dyn Write + Send>, Some(Box::new(answers) as Box<dyn Read + Send>), false)
            }
        };
        let answers = answers.filter(|_| reading).map(BufReader::new);
        let mut channel = Self { out, answers, line: String::new(), is_file };
        channel.greet(reading).map_err(|error| format!("the observer went away: {error}"))?;
        Ok(channel)
    }

    pub(crate) fn is_file(&self) -> bool {
        self.is_file
    }

    fn greet(&mut self, reading: bool) -> io::Result<()> {
        let answer = if reading { ",\"answer\":\"each\"" } else { "" };
        self.out.write_all(format!("traceward 1 {{\"name\":\"java\",\"time\":\"ns\"{answer}}}\n").as_bytes())?;
        if reading {
            let needs = self.answer()?;
            if let Some(reason) = needs.strip_prefix("error ") {
                return Err(io::Error::other(reason.to_owned()));
            }
        }
        Ok(())
    }

    /// Sends a state: what has changed, and where.
    pub(crate) fn send<'a>(
        &mut self,
        word: &str,
        sent: &Sent<'_>,
        changed: impl Iterator<Item = (&'a str, &'a Value)>,
    ) -> io::Result<Answer> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        line += &format!("{word} {{\"@time\":{}", sent.nanoseconds);
        let places = [("@at", sent.at), ("@in", sent.inside), ("@object", sent.object)];
        for (name, text) in places.into_iter().filter_map(|(name, text)| Some((name, text?))) {
            line += &format!(",\"{name}\":{}", quoted(text));
        }
        for (name, value) in changed {
            line += &format!(",{}:{}", quoted(name), json(value));
        }
        line += "}\n";
        let written = self.out.write_all(line.as_bytes());
        self.line = line;
        written?;
        if self.answers.is_none() {
            return Ok(Answer::GoOn);
        }
        let answer = self.answer()?;
        match answer.split_once(' ').unwrap_or((&answer, "")) {
            ("stop", name) => Ok(Answer::Stop(name.to_owned())),
            ("error", reason) => Err(io::Error::other(reason.to_owned())),
            _ => Ok(Answer::GoOn),
        }
    }

    /// The trace has ended.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"end\n")?;
        self.out.flush()
    }

    fn answer(&mut self) -> io::Result<String> {
        let mut line = String::new();
        let answers = self.answers.as_mut().ok_or_else(|| io::Error::other("nobody answers"))?;
        match answers.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A value as JSON. What JSON has no number for is missing, as NaN is.
fn json(value: &Value) -> String {
    match value {
        Value::Bool(bit) => bit.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Float(float) => serde_json::Value::from(*float).to_string(),
        Value::Str(text) => quoted(text),
        Value::Missing | Value::Pair(_) | Value::List(_) => "null".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json() {
        assert_eq!(json(&Value::Int(i64::MAX)), "9223372036854775807");
        assert_eq!(json(&Value::Float(0.1)), "0.1");
        assert_eq!(json(&Value::Float(f64::INFINITY)), "null");
        assert_eq!(json(&Value::str("a\"\n")), r#""a\"\n""#);
        assert_eq!(json(&Value::Missing), "null");
    }
}
