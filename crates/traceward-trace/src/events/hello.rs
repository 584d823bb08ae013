//! The first line of a trace that a program tells.

use super::mistake::EventsMistake;
use crate::options::{Implied, Records, TimeColumn, TimeUnit};
use serde::Deserialize;

/// The version of the protocol that is spoken here.
const VERSION: &[u8] = b"1";

/// The word that a hello begins with.
const WORD: &[u8] = b"traceward";

/// The field that holds timestamps, where the hello says that there are any.
pub(super) const TIME_FIELD: &str = "@time";

/// The longest hello. What it says has to be known before anything else can be read.
const LONGEST: usize = 64 << 10;

/// The first line: who tells, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default, expecting = "options are members of an object")]
pub struct Hello {
    /// The name that the program gives itself.
    pub name: Option<String>,
    /// The unit of the timestamps in `@time`, if there are any.
    time: Option<EventTime>,
    /// What the program wants to be told. Files and pipes tell nothing.
    pub answer: Option<Answer>,
    /// The fingerprint of the spec that the program was instrumented for.
    spec: Option<String>,
    /// The states that the program tells, if it leaves some out.
    states: Option<String>,
}

/// The unit of timestamps. There is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
enum EventTime {
    #[serde(rename = "ns")]
    Nanoseconds,
}

/// What a program wants to be told by its observer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Verdicts as they change, and the end.
    Verdicts,
    /// A word after each state, and the end.
    Each,
}

impl Hello {
    /// Whether a line looks like a hello, of whatever version.
    pub(crate) fn begins(line: &[u8]) -> bool {
        let version = line.strip_prefix(WORD).and_then(|rest| rest.strip_prefix(b" "));
        version.and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
    }

    /// Reads the first line, without its line end.
    pub fn parse(line: &[u8]) -> Result<Self, EventsMistake> {
        let rest = line.strip_prefix(WORD).filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace));
        let text = rest.map(<[u8]>::trim_ascii).ok_or_else(|| EventsMistake::no_hello(line))?;
        let (version, options) = text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count());
        if version.is_empty() || !(options.is_empty() || options[0].is_ascii_whitespace()) {
            return Err(EventsMistake::no_hello(line));
        }
        if version != VERSION {
            return Err(EventsMistake::other_version(version));
        }
        if line.len() > LONGEST {
            return Err(EventsMistake::BadHello { detail: format!("it is longer than {} KiB", LONGEST >> 10) });
        }
        if options.is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_slice(options).map_err(|error| {
            let whole = error.to_string();
            let detail = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(detail, _)| detail);
            EventsMistake::BadHello { detail: detail.to_owned() }
        })
    }

    /// Whether the program may have left out states that a spec needs: it tells those in which
    /// predicates of another spec differ.
    pub(crate) fn leaves_out_states(&self, asked: Option<&str>) -> bool {
        let is_other = self.spec.is_some() && asked.is_some() && self.spec.as_deref() != asked;
        is_other && self.states.as_deref() == Some("changes")
    }

    /// Whether states have timestamps.
    pub fn has_time(&self) -> bool {
        self.time.is_some()
    }

    /// Whether timestamps are not as somebody asks for them who has named their column.
    pub(super) fn contradicts(&self, asked: &TimeColumn) -> bool {
        self.has_time() && asked.name == TIME_FIELD && *asked != event_time()
    }

    /// How the records behind it are read.
    pub fn implied(&self) -> Implied {
        let time = self.time.map(|EventTime::Nanoseconds| event_time());
        Implied { records: Records::Events, time }
    }
}

/// The column of timestamps that programs tell.
pub fn event_time() -> TimeColumn {
    TimeColumn::new(TIME_FIELD, Some(TimeUnit::Ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_is_a_version_and_options() {
        assert_eq!(Hello::parse(b"traceward 1"), Ok(Hello::default()));
        let full = Hello::parse(br#"traceward  1  {"name":"mux","time":"ns","answer":"each","later":[1]} "#).unwrap();
        assert_eq!((full.name.as_deref(), full.answer, full.has_time()), (Some("mux"), Some(Answer::Each), true));
        assert_eq!(full.implied().time.unwrap().label(), "@time");
    }

    #[test]
    fn a_program_made_for_another_spec_may_leave_out_states() {
        let hello =
            |states: &str| Hello::parse(format!(r#"traceward 1 {{"spec":"a","states":"{states}"}}"#).as_bytes());
        for (states, asked, leaves_out) in [
            ("changes", Some("b"), true),
            ("changes", Some("a"), false),
            ("changes", None, false),
            ("writes", Some("b"), false),
        ] {
            assert_eq!(hello(states).unwrap().leaves_out_states(asked), leaves_out, "{states} {asked:?}");
        }
        assert!(!Hello::default().leaves_out_states(Some("b")));
    }

    #[test]
    fn what_is_no_hello_says_why() {
        let says = |line: &str| Hello::parse(line.as_bytes()).unwrap_err().message();
        for line in ["", "hello", "traceward", "traceward one", "tracewards 1", "traceward 1{}", " traceward 1"] {
            assert!(says(line).starts_with("the first line has to be `traceward 1`"), "{line}: {}", says(line));
        }
        assert_eq!(
            says("traceward 2 whatever"),
            "this is version 2 of the events protocol, and version 1 is read here"
        );
        for (options, detail) in [
            (r#"{"time":"ms"}"#, "unknown variant `ms`, expected `ns`"),
            (r#"{"answer":"all"}"#, "unknown variant `all`, expected `verdicts` or `each`"),
            (r#"{"name":5}"#, "invalid type: integer `5`, expected a string"),
            (r#"{"name":"#, "EOF while parsing a value"),
        ] {
            assert_eq!(says(&format!("traceward 1 {options}")), format!("the first line is wrong: {detail}"));
        }
        let long = format!("traceward 1 {{\"name\":\"{}\"}}", "x".repeat(LONGEST));
        assert_eq!(says(&long), "the first line is wrong: it is longer than 64 KiB");
    }
}
