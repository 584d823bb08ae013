//! What goes wrong, as exceptions that carry it as data.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyType};
use std::path::Path;
use traceward::engine::BuildError;
use traceward::input::{LineUnit, TraceError};
use traceward::message::{Paint, Remedy, Style, TextPlace};
use traceward::{Error, Request, SpecError, StepError};
use traceward_cli::binding::{self, Problem};

/// The classes of exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The spec is wrong, or does not fit the trace.
    Spec,
    /// The trace cannot be read, or is empty.
    Trace,
    /// A limit was reached.
    Limit,
    /// What was asked cannot be answered so, whatever the trace.
    Usage,
}

impl Kind {
    fn class(self, py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
        static CLASSES: [PyOnceLock<Py<PyType>>; 4] = [const { PyOnceLock::new() }; 4];
        let (index, name) = match self {
            Self::Spec => (0, "SpecError"),
            Self::Trace => (1, "TraceError"),
            Self::Limit => (2, "LimitError"),
            Self::Usage => (3, "UsageError"),
        };
        CLASSES[index].import(py, "traceward._errors", name)
    }
}

/// What an exception says of one mistake.
#[derive(Default)]
struct Mistake {
    message: String,
    label: Option<String>,
    place: Option<TextPlace>,
    /// The line or row of the trace.
    line: Option<u64>,
    /// The column of the trace, by its name.
    variable: Option<String>,
    help: Vec<String>,
}

impl Mistake {
    fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("message", &self.message)?;
        dict.set_item("label", self.label.as_deref())?;
        dict.set_item("help", self.help.clone())?;
        dict.set_item("variable", self.variable.as_deref())?;
        dict.set_item("row", self.line)?;
        if let Some(TextPlace { source, line, column, end_line, end_column, characters }) = &self.place {
            dict.set_item("source", source)?;
            dict.set_item("line", line)?;
            dict.set_item("column", column)?;
            dict.set_item("end_line", end_line)?;
            dict.set_item("end_column", end_column)?;
            dict.set_item("span", (characters.start, characters.end))?;
        }
        Ok(dict)
    }
}

/// An exception with a text for people, and the same as data.
pub fn exception(py: Python<'_>, kind: Kind, text: &str) -> PyErr {
    let first = text.lines().next().unwrap_or_default().to_owned();
    let help = text.lines().filter_map(|line| line.trim_start().strip_prefix("help: ")).map(str::to_owned).collect();
    raised(py, kind, text, &[Mistake { message: first, help, ..Mistake::default() }])
}

fn raised(py: Python<'_>, kind: Kind, text: &str, mistakes: &[Mistake]) -> PyErr {
    let made = || {
        let dicts = mistakes.iter().map(|mistake| mistake.dict(py)).collect::<PyResult<Vec<_>>>()?;
        kind.class(py)?.call1((text, PyList::new(py, dicts)?))
    };
    made().map_or_else(|error| error, PyErr::from_value)
}

/// The style of messages: settings that would help are keyword arguments.
pub fn style() -> Style<'static> {
    Style { paint: Paint::Plain, remedy: &remedy }
}

fn remedy(remedy: &Remedy) -> String {
    match remedy {
        Remedy::NullText(text) => format!("if `{text}` stands for a missing value, say null={text:?}"),
        Remedy::DeclareType { variable, ty } => format!("declare its type: type={{{variable:?}: \"{ty}\"}}"),
        Remedy::Inspect => "`traceward.inspect` lists the names there are".to_owned(),
        Remedy::TolerateMissing => "say missing=\"false\" or missing=\"hold\"".to_owned(),
        Remedy::NameTimeColumn => {
            "say which column holds them: time=\"COLUMN\" for dates, time=\"COLUMN:ms\" for plain numbers".to_owned()
        }
        Remedy::TimeInUnit(column) => format!("say the unit of plain numbers, e.g. time=\"{column}:ms\""),
        Remedy::TimeInDates(column) => format!("for dates, leave the unit out: time=\"{column}\""),
        Remedy::MoreMemory => "allow more memory: trace_memory=MIB, or another place: TMPDIR=FOLDER".to_owned(),
        Remedy::SplitByKey => "if they belong to different runs, split them with by=\"COLUMN\"".to_owned(),
        Remedy::SortByTime => "sort the records by time: sort=True".to_owned(),
        Remedy::GiveYear => "say the year of the first one, e.g. year=2026".to_owned(),
        Remedy::NoHeader => "if the first line is a record, say no_header=True".to_owned(),
        Remedy::TakeForCsv => "if it is CSV all the same: input=\"csv\"".to_owned(),
        Remedy::NameEventColumn => {
            "or name the column that strings stand for: event=\"COLUMN\", or `trace { event COLUMN }` in the spec"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// The program's words, which name its options, as words about keyword arguments: `--work-limit`
/// becomes `work_limit`.
pub fn in_python(text: &str) -> String {
    let text = &text.replace(
        "the first argument is a spec file unless a formula is given with -e",
        "the spec comes first, and then the trace",
    );
    let mut words = String::with_capacity(text.len());
    let mut rest: &str = text;
    while let Some(at) = rest.find("--") {
        let (before, option) = rest.split_at(at);
        let name = &option[2..];
        let end = name.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-').unwrap_or(name.len());
        let is_option = end > 0 && name.starts_with(|letter: char| letter.is_ascii_lowercase());
        let is_begun = before.is_empty() || before.ends_with([' ', '`', '\'', '(']);
        words.push_str(before);
        if is_option && is_begun {
            words.push_str(&name[..end].replace('-', "_"));
        } else {
            words.push_str(&option[..2 + end]);
        }
        rest = &name[end..];
    }
    words + rest
}

/// The exception for what the program could not do; `path` is the name of the trace.
pub fn of_problem(py: Python<'_>, problem: Problem, path: &Path) -> PyErr {
    match problem {
        Problem::Usage(text) => exception(py, Kind::Usage, &in_python(&text)),
        Problem::Library(error) => of_error(py, &error, &binding::name(path)),
        Problem::Said(text) => match std::fs::File::open(path) {
            Err(error) if error.raw_os_error().is_some() => os_error(error, path),
            _ => exception(py, Kind::Trace, &in_python(&text)),
        },
    }
}

/// The exception for a file that cannot be opened, as `open` raises it.
fn os_error(error: std::io::Error, path: &Path) -> PyErr {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or(&text).to_owned();
    PyOSError::new_err((error.raw_os_error(), reason, path.as_os_str().to_owned()))
}

/// The exception for what the library could not answer; `trace` is the name of the trace.
pub fn of_error(py: Python<'_>, error: &Error, trace: &str) -> PyErr {
    let text = in_python(&binding::reason(error, trace, style()));
    let kind = match error {
        Error::Spec(spec) | Error::Mismatch(spec) => return raised(py, Kind::Spec, &text, &of_spec(spec)),
        Error::Trace(trace) => return raised(py, Kind::Trace, &text, &[of_trace(trace)]),
        Error::Unfit { error, used } => {
            let mistake = Mistake { place: Some(used.place()), ..of_trace(error) };
            return raised(py, Kind::Trace, &text, &[mistake]);
        }
        Error::Evaluation { message, line } => {
            let mistake = Mistake { message: message.clone(), line: Some(*line), ..Mistake::default() };
            return raised(py, Kind::Trace, &text, &[mistake]);
        }
        Error::GaveUp { .. } | Error::CannotFollow { error: BuildError::GaveUp(_), .. } => Kind::Limit,
        Error::Request(Request::TooManyKeys { .. } | Request::TooClose { .. } | Request::Undecided(_)) => Kind::Limit,
        _ => Kind::Usage,
    };
    exception(py, kind, &text)
}

/// The exception for a spec.
pub fn of_spec_error(py: Python<'_>, error: &SpecError) -> PyErr {
    let text = error.render(style());
    let text = in_python(text.strip_prefix("error: ").unwrap_or(&text));
    raised(py, Kind::Spec, &text, &of_spec(error))
}

/// The exception for a state that a monitor does not take.
pub fn of_step(py: Python<'_>, error: &StepError) -> PyErr {
    match error {
        StepError::Refused(refused) => {
            let help: String = refused.help().iter().map(|help| format!("\n  help: {}", worded(help))).collect();
            let line = refused.line().map(|line| format!("state {line}: ")).unwrap_or_default();
            let text = format!("{line}{}{help}", refused.message());
            raised(py, Kind::Trace, &text, &[of_trace(refused)])
        }
        StepError::TooManyKeys { .. } => exception(py, Kind::Limit, &error.to_string()),
        other => exception(py, Kind::Trace, &other.to_string()),
    }
}

fn worded(help: &traceward::message::Help) -> String {
    match help {
        traceward::message::Help::Text(text) => text.clone(),
        traceward::message::Help::Remedy(one) => remedy(one),
    }
}

fn of_spec(error: &SpecError) -> Vec<Mistake> {
    let mistake = |one: &traceward::message::Diagnostic| Mistake {
        message: one.message.clone(),
        label: Some(one.label.clone()).filter(|label| !label.is_empty()),
        place: Some(error.place(one)),
        help: one.help.iter().map(worded).collect(),
        ..Mistake::default()
    };
    error.diagnostics().iter().map(mistake).collect()
}

fn of_trace(error: &TraceError) -> Mistake {
    // Lines of a text and rows of a table are both counted from 1.
    let (LineUnit::Line | LineUnit::Row) = error.unit();
    Mistake {
        message: error.message(),
        line: error.line(),
        variable: error.column().map(str::to_owned),
        help: error.help().iter().map(worded).collect(),
        ..Mistake::default()
    }
}
