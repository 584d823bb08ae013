//! What stands behind the path of the agent: the spec, and options.

use std::path::PathBuf;

/// What the agent is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    pub(crate) spec: PathBuf,
    /// Where violations and verdicts are told, if not on standard error.
    pub(crate) report: Option<PathBuf>,
    /// Who judges, if not the agent.
    pub(crate) to: Option<Target>,
    pub(crate) on_violation: OnViolation,
    pub(crate) at_end: AtEnd,
    pub(crate) construction: Construction,
    /// The most objects that are followed at a time.
    pub(crate) objects: usize,
    /// The most violations that are told one by one, of each property.
    pub(crate) violations: u64,
    pub(crate) work: Work,
}

/// Where states are sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    Unix(PathBuf),
    Tcp(String),
    File(PathBuf),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OnViolation {
    GoOn,
    Stop,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtEnd {
    /// The program's own exit status stays.
    KeepStatus,
    /// 1 if a property was violated, 2 if there is no answer.
    ExitByVerdict,
}

/// What writes of constructors and static initialisers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Construction {
    /// They make the first state.
    Initial,
    /// Each is a state.
    States,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Work {
    Follow,
    /// Writes are counted and nothing else: what field watches cost by themselves.
    CountOnly,
}

pub(crate) const HELP: &str = "\
Watches fields of a running Java program, and judges what it does.

    java -agentpath:PATH/libtraceward_jvmti.so=SPEC_FILE[,OPTION=VALUE]… Main

The spec speaks of fields by their names, `pkg.Class.field`, and of methods by events,
\"call pkg.Class.method\", \"return pkg.Class.method\" and \"throw pkg.Class.method\".

    report=FILE            violations and verdicts go to this file, not to standard error
    stop=violation         the first violation ends the program, with status 1
    exit=verdict           at its end the program exits with 1 if a property is violated,
                           with 2 if there is no answer, and else with its own status
    violations=N           so many violations of a property are told one by one (10)
    objects=N              so many objects are followed at a time (100000)
    construction=states    writes of constructors and static initialisers are states, too
    to=unix:PATH           states are sent to `traceward monitor --listen unix:PATH`
    to=tcp:HOST:PORT       the same over TCP
    to=file:PATH           states are written to a file, for `traceward check`
    bare                   writes are only counted: what field watches cost by themselves
";

impl Options {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let spec = parts.next().filter(|spec| !spec.is_empty());
        let spec = spec.ok_or("no spec was given: write -agentpath:…/libtraceward_jvmti.so=SPEC_FILE")?;
        let mut options = Self {
            spec: spec.into(),
            report: None,
            to: None,
            on_violation: OnViolation::GoOn,
            at_end: AtEnd::KeepStatus,
            construction: Construction::Initial,
            objects: 100_000,
            violations: 10,
            work: Work::Follow,
        };
        for part in parts {
            options.take(part)?;
        }
        options.check()?;
        Ok(options)
    }

    fn take(&mut self, part: &str) -> Result<(), String> {
        match part.split_once('=').unwrap_or((part, "")) {
            ("report", path) if !path.is_empty() => self.report = Some(path.into()),
            ("to", target) => self.to = Some(Target::parse(target)?),
            ("stop", "violation") => self.on_violation = OnViolation::Stop,
            ("exit", "verdict") => self.at_end = AtEnd::ExitByVerdict,
            ("construction", "states") => self.construction = Construction::States,
            ("construction", "initial") => self.construction = Construction::Initial,
            ("objects", count) => self.objects = number("objects", count)?.max(1),
            ("violations", count) => self.violations = number("violations", count)? as u64,
            ("bare", "") => self.work = Work::CountOnly,
            _ => {
                return Err(format!(
                    "there is no option `{part}`: options are report=FILE, stop=violation, exit=verdict, \
                     violations=N, objects=N, construction=states, to=unix:PATH, to=tcp:HOST:PORT, to=file:PATH \
                     and bare; a path cannot have a comma"
                ));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        match (&self.to, self.on_violation, self.at_end) {
            (Some(Target::File(_)), OnViolation::Stop, _) => {
                Err("stop=violation needs somebody who judges: a file does not".to_owned())
            }
            (Some(_), _, AtEnd::ExitByVerdict) => {
                Err("exit=verdict needs the verdict, and with `to` somebody else judges".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl Target {
    fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("unix", path)) if !path.is_empty() => Ok(Self::Unix(path.into())),
            Some(("file", path)) if !path.is_empty() => Ok(Self::File(path.into())),
            Some(("tcp", address)) if address.contains(':') => {
                Ok(Self::Tcp(address.strip_prefix("//").unwrap_or(address).to_owned()))
            }
            _ => Err(format!("`{text}` is no target: write unix:PATH, tcp:HOST:PORT or file:PATH")),
        }
    }
}

fn number(option: &str, text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("{option}={text}: a number is needed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_the_spec() {
        let options = Options::parse("a.tw,stop=violation,to=tcp:127.0.0.1:7,objects=3").unwrap();
        assert_eq!(options.spec, PathBuf::from("a.tw"));
        assert_eq!(options.on_violation, OnViolation::Stop);
        assert_eq!(options.to, Some(Target::Tcp("127.0.0.1:7".to_owned())));
        assert_eq!((options.objects, options.violations), (3, 10));
        assert_eq!(Options::parse("a.tw,to=tcp://h:7").unwrap().to, Some(Target::Tcp("h:7".to_owned())));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_a_way_out() {
        let refused = |text: &str| Options::parse(text).unwrap_err();
        assert!(refused("").contains("SPEC_FILE"));
        assert!(refused("a.tw,stop=now").contains("stop=violation"));
        assert!(refused("a.tw,objects=many").contains("a number is needed"));
        assert!(refused("a.tw,to=pipe").contains("unix:PATH"));
        assert!(refused("a.tw,to=file:x,stop=violation").contains("a file does not"));
        assert!(refused("a.tw,to=unix:x,exit=verdict").contains("somebody else judges"));
    }
}
