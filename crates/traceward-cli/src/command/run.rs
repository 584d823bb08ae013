//! `traceward run`

mod channel;
mod observer;
mod program;

use super::check::written_file::NamedFile;
use super::instrument::{GivenSpec, compiled, include_options, make, spec_and_files, tell_warnings, write};
use super::monitor::Ending;
use crate::arguments::RunArguments;
use crate::failure::{Failure, Outcome, tell};
use crate::input;
use channel::{Channel, Follow, Rendezvous};
use observer::{Observer, Reply};
use program::{Running, Scratch};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, SystemTime};
use traceward::message::Shown;
use traceward::{Monitor, RunQuestions};
use traceward_instrument::States;

/// The time between two looks at what the program has told.
const PAUSE: Duration = Duration::from_millis(2);

/// The time by which the times of files may be behind.
const GRAIN: Duration = Duration::from_millis(20);

pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let (given, rest) = spec_and_files(&arguments.spec, &arguments.paths)?;
    let monitor = Monitor::for_input(&given.spec, arguments.engine.config(), RunQuestions::default())
        .map_err(|error| Failure::of(&error, "the program", input::live_style()))?;
    let scratch = Scratch::new()?;
    let command = command(arguments, &given, &rest, &scratch)?;
    let session = Session { arguments, given: &given, monitor, scratch: &scratch };
    let (status, outcome) = if arguments.stop_on_violation || arguments.debugger {
        session.in_step(&command)?
    } else {
        session.alongside(&command)?
    };
    drop(scratch);
    Ok(conclude(status, outcome))
}

/// The exit status: that of the program, unless there is worse to tell.
fn conclude(status: ExitStatus, outcome: Outcome) -> u8 {
    match (outcome, status.code(), status.signal()) {
        (Outcome::Holds, Some(code), _) => code as u8,
        (Outcome::Holds, None, Some(signal)) => {
            // Whoever waits for this program sees what became of the other.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            128_u8.wrapping_add(signal as u8)
        }
        (outcome, _, _) => outcome.exit_status(),
    }
}

/// The command to run: as it was given, or a program that is made of C files first.
fn command(
    arguments: &RunArguments,
    given: &GivenSpec,
    rest: &[PathBuf],
    scratch: &Scratch,
) -> Result<Vec<OsString>, Failure> {
    let is_c = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "c");
    let files: Vec<PathBuf> = rest.iter().take_while(is_c).cloned().collect();
    let words = rest.iter().skip(files.len()).map(|path| path.clone().into_os_string());
    let words: Vec<OsString> = words.chain(arguments.command.iter().cloned()).collect();
    let command: Vec<OsString> = match files.as_slice() {
        [] => words,
        files => {
            let program = build(arguments, given, files, scratch)?;
            [program.into_os_string()].into_iter().chain(words).collect()
        }
    };
    if command.is_empty() {
        let failure = Failure::new("there is no program to run");
        return Err(failure.help("traceward run SPEC FILE.c, or traceward run SPEC -- COMMAND"));
    }
    if !arguments.debugger {
        return Ok(command);
    }
    let debugger = ["gdb", "-q", "-ex", "run", "--args"].map(OsString::from);
    Ok(debugger.into_iter().chain(command).collect())
}

/// Instruments and compiles C files.
fn build(
    arguments: &RunArguments,
    given: &GivenSpec,
    files: &[PathBuf],
    scratch: &Scratch,
) -> Result<PathBuf, Failure> {
    let made = make(given, files, &arguments.instrumenting)?;
    if !arguments.quiet {
        tell_warnings(&made);
    }
    let folder = scratch.path().join("told");
    write(&made, &folder)?;
    let stem = files[0].file_stem().unwrap_or_default();
    let program = scratch.path().join(stem);
    let compiler = std::env::var("CC").ok().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "cc".to_owned());
    let mut words = compiler.split_whitespace();
    let name = words.next().unwrap_or("cc").to_owned();
    let flags = std::env::var("CFLAGS").unwrap_or_else(|_| "-g".to_owned());
    let status = Command::new(&name)
        .args(words)
        .args(flags.split_whitespace())
        .args(include_options(files))
        .args(compiled(&made, &folder))
        .arg("-o")
        .arg(&program)
        .args(["-lpthread", "-lm"])
        .status()
        .map_err(|error| {
            let failure = Failure::new(format!("the compiler {name} cannot be run: {}", input::reason(&error)));
            failure.help("the variable CC names another")
        })?;
    if !status.success() {
        return Err(Failure::new(format!("{name} does not compile the program")));
    }
    Ok(program)
}

/// A program under its monitor.
struct Session<'a> {
    arguments: &'a RunArguments,
    given: &'a GivenSpec,
    monitor: Monitor,
    scratch: &'a Scratch,
}

impl Session<'_> {
    fn observer(&self, who: Option<String>) -> Result<Observer, Failure> {
        Observer::new(self.monitor.clone(), self.arguments.format, self.arguments.quiet, who)
    }

    /// The program writes to a file, which is followed as it grows.
    fn alongside(self, command: &[OsString]) -> Result<(ExitStatus, Outcome), Failure> {
        let path = match &self.arguments.trace {
            Some(path) => {
                refuse_others(path)?;
                std::path::absolute(path)?
            }
            None => self.scratch.path().join("trace.events"),
        };
        let start = SystemTime::now();
        let mut running = Running::start(command, &[("TRACEWARD_OUT", with_prefix("file:", &path))])?;
        let mut observer = self.observer(None)?;
        let mut follow = Follow::new(&path);
        let mut failed = None;
        let status = loop {
            // What the program has told before it ended is read after it is known that it has.
            let status = running.ended()?;
            let mut is_news = false;
            while failed.is_none()
                && let Some(bytes) = follow.more()?
            {
                is_news = true;
                failed = observer.take(bytes).err();
            }
            match status {
                Some(status) => break status,
                None if !is_news || failed.is_some() => std::thread::sleep(PAUSE),
                None => {}
            }
        };
        if let Some(failure) = failed {
            failure.report();
            return Ok((status, Outcome::Unanswered));
        }
        let mut outcome = self.end(observer, follow.first_line(), Ending::Complete)?;
        for (process, path) in forked(&path, start)? {
            let who = format!("process {process}");
            let mut observer = self.observer(Some(who))?;
            let mut follow = Follow::new(&path);
            while let Some(bytes) = follow.more()? {
                observer.take(bytes)?;
            }
            outcome = outcome.max(self.end(observer, follow.first_line(), Ending::Complete)?);
        }
        Ok((status, outcome))
    }

    /// The program waits after each state for what the monitor says.
    fn in_step(self, command: &[OsString]) -> Result<(ExitStatus, Outcome), Failure> {
        let path = self.scratch.path().join("monitor");
        let rendezvous = Rendezvous::at(&path)?;
        let mut environment =
            vec![("TRACEWARD_OUT", with_prefix("unix:", &path)), ("TRACEWARD_ANSWER", OsString::from("each"))];
        if self.arguments.debugger {
            environment.push(("TRACEWARD_STOP", OsString::from("trap")));
        }
        let mut running = Running::start(command, &environment)?;
        let mut outcome = None;
        let mut channels: Vec<(Channel, Option<Observer>)> = Vec::new();
        let status = loop {
            let status = running.ended()?;
            while let Some(channel) = rendezvous.next()? {
                let who = (!channels.is_empty()).then(|| format!("process {}", channels.len() + 1));
                channels.push((channel, Some(self.observer(who)?)));
            }
            let mut is_news = false;
            for (channel, observer) in &mut channels {
                is_news |= self.exchange(channel, observer, &mut outcome)?;
            }
            match status {
                Some(status) if !is_news => break status,
                None if !is_news => std::thread::sleep(Duration::from_micros(20)),
                _ => {}
            }
        };
        if channels.is_empty() {
            return self.told_nothing().map(|outcome| (status, outcome));
        }
        for (channel, observer) in channels {
            if let Some(observer) = observer {
                let one = self.end(observer, channel.first_line(), Ending::Complete)?;
                outcome = outcome.max(Some(one));
            }
        }
        Ok((status, outcome.unwrap_or(Outcome::Holds)))
    }

    /// Takes what has come on a channel, and answers. Whether something came is told.
    fn exchange(
        &self,
        channel: &mut Channel,
        observer: &mut Option<Observer>,
        outcome: &mut Option<Outcome>,
    ) -> Result<bool, Failure> {
        let Some(line) = channel.line()? else { return Ok(false) };
        let Some(one) = observer.as_mut() else { return Ok(true) };
        match one.answer(&line)? {
            Reply::Silence => {}
            Reply::Ok => channel.send("ok"),
            Reply::Done => channel.send("done"),
            Reply::Stop(name) => {
                channel.send(&format!("stop {name}"));
                if let Some(one) = observer.take() {
                    *outcome = (*outcome).max(Some(self.end(one, channel.first_line(), Ending::Violated)?));
                }
            }
        }
        Ok(true)
    }

    /// Judges a trace that has ended.
    fn end(&self, observer: Observer, hello: Option<&str>, ending: Ending) -> Result<Outcome, Failure> {
        let Some(hello) = hello else { return self.told_nothing() };
        match self.compare(hello) {
            Outcome::Unanswered => Ok(Outcome::Unanswered),
            _ => observer.end(ending),
        }
    }

    fn told_nothing(&self) -> Result<Outcome, Failure> {
        let failure = Failure::new("the program told nothing: there is no trace to judge");
        failure.help("traceward instrument makes a program tell; or it never got as far as to start").report();
        Ok(Outcome::Unanswered)
    }

    /// Whether what a program tells is enough to answer. One that was made for another spec may
    /// leave out what this one asks for.
    fn compare(&self, hello: &str) -> Outcome {
        let hello = hello.split_once('{').map(|(_, members)| format!("{{{members}")).unwrap_or_default();
        let hello: serde_json::Value = serde_json::from_str(&hello).unwrap_or_default();
        let told = |name: &str| hello.get(name).and_then(serde_json::Value::as_str);
        let is_other = told("spec").is_some_and(|spec| spec != self.given.spec.fingerprint());
        let leaves_out = told("states") == Some("changes");
        if is_other && leaves_out {
            let message =
                "the program was instrumented for another spec, and leaves out states that this one may ask for";
            Failure::new(message).help("instrument it for this spec, or with --every-write").report();
            return Outcome::Unanswered;
        }
        if leaves_out && States::needed_by(&self.given.spec) == States::EveryWrite && !self.arguments.quiet {
            tell(
                "warning: the spec tells apart states that are alike, and the program leaves them out\n  \
                 help: instrument it with --every-write",
            );
        }
        Outcome::Holds
    }
}

fn with_prefix(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

/// Refuses to write a trace over a file that is none.
fn refuse_others(path: &Path) -> Result<(), Failure> {
    NamedFile { option: "--trace", path, example: "run.events" }.refuse_standard_output()?;
    match std::fs::read(path) {
        Ok(bytes) if !bytes.is_empty() && !bytes.starts_with(b"traceward 1") => {
            let name = input::name(path);
            Err(Failure::new(format!("--trace {name}: this file is no trace, and would be overwritten")))
        }
        _ => Ok(()),
    }
}

/// The traces of the processes that a program has forked since it was started, by their numbers.
fn forked(path: &Path, start: SystemTime) -> Result<Vec<(String, PathBuf)>, Failure> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(Vec::new()) };
    let named = |error: std::io::Error| Failure::new(format!("{}: {}", input::name(folder), input::reason(&error)));
    let prefix = format!("{}.", name.to_string_lossy());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(named)? {
        let entry = entry.map_err(named)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // Those of an earlier run may lie there, too. File systems do not keep time to the end.
        let is_new = || entry.metadata().and_then(|file| file.modified()).is_ok_and(|time| time + GRAIN >= start);
        if let Some(process) = name.strip_prefix(&prefix)
            && process.starts_with(|letter: char| letter.is_ascii_digit())
            && is_new()
        {
            found.push((Shown(process).to_string(), entry.path()));
        }
    }
    found.sort();
    Ok(found)
}
