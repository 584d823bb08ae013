//! The program's options and words, for those who ask from within a process: bindings of other
//! languages.
//!
//! Options are those of the command line, by the same definition: whoever has a value for each name
//! makes words of them (`--by=client`), and gets what the program would have made of these words.
//! Texts are those of the program, without colours. What fails is told with the type of the error
//! where the library has one.

use crate::arguments::{
    AskedArguments, AutomatonArguments, AutomatonFormat, CheckArguments, HygieneArguments, InspectArguments,
    MonitorArguments, OutputFormat, PlanArguments,
};
use crate::command::inspect::suggestion;
use crate::command::{automaton, check, explain_plan, inspect};
use crate::failure::Failure;
pub use crate::failure::hush_caught_panics;
use crate::input::{self, Opened};
use crate::output::{Notation, guarded};
use crate::page::{MOST_TIMELINES, Page};
use crate::picture;
use crate::progress::Progress;
pub use crate::progress::RowCount;
use crate::text;
use clap::{Args, FromArgMatches, ValueEnum};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use traceward::engine::{Config, Interrupt, Precision};
use traceward::hygiene::{Comparison, Lint};
use traceward::input::{Inspection, Note};
use traceward::message::Style;
use traceward::report::Warning;
use traceward::{
    Abandoned, CheckOptions, EngineName, Error, Goal, KeyOptions, ReadOptions, Report, RunQuestions, Settings, Source,
    Spec,
};
use traceward_wire::InspectionDocument;

/// The reason why a command could not be carried out.
#[derive(Debug)]
pub enum Problem {
    /// The options cannot be understood.
    Usage(String),
    /// The library's reason.
    Library(Box<Error>),
    /// The program's own reason, without `error:` before it.
    Said(String),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Library(Box::new(error))
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Self::Said(failure.text())
    }
}

/// The options that have a meaning only on a command line: how it is asked, and how it is told.
const OF_THE_COMMAND_LINE: [&str; 6] = ["expression", "format", "quiet", "html", "svg", "keys-to"];

/// The options of `monitor` that are about its input and its output: both are the caller's.
const OF_A_MONITORS_INPUT: [&str; 19] = [
    "listen",
    "token-file",
    "clients",
    "every-step",
    "every-change",
    "only-final",
    "every",
    "stop-when-decided",
    "stop-on-violation",
    "on-bad-input",
    "clock",
    "heartbeat",
    "input",
    "separator",
    "no-header",
    "year",
    "sort",
    "lateness",
    "late",
];

/// What words say, by the definition of the command line. `path` stands for paths, which are given
/// in another way.
fn parsed<A: Args + FromArgMatches>(words: &[OsString], path: Option<&str>) -> Result<A, Problem> {
    let words = words.iter().cloned().chain(path.map(OsString::from));
    let matches = command::<A>().try_get_matches_from(words).map_err(|error| unparsed(&error))?;
    A::from_arg_matches(&matches).map_err(|error| unparsed(&error))
}

fn command<A: Args>() -> clap::Command {
    A::augment_args(clap::Command::new("traceward").no_binary_name(true).disable_help_flag(true))
}

/// What is wrong with some words, without advice on how to call the program.
fn unparsed(error: &clap::Error) -> Problem {
    let text = error.to_string();
    let text = guarded(text.trim_start_matches("error: "), Notation::Plain);
    let end = ["\n\nUsage:", "\n\nFor more information"].iter().filter_map(|advice| text.find(advice)).min();
    Problem::Usage(text[..end.unwrap_or(text.len())].trim_end().to_owned())
}

/// The names of the options of a command, without those that make no sense here.
fn option_names<A: Args>(without: &[&str]) -> Vec<String> {
    let command = command::<A>();
    let longs = command.get_arguments().flat_map(|argument| {
        let aliases = argument.get_visible_aliases().unwrap_or_default();
        argument.get_long().into_iter().chain(aliases).map(str::to_owned).collect::<Vec<_>>()
    });
    longs.filter(|name| !OF_THE_COMMAND_LINE.contains(&&**name) && !without.contains(&&**name)).collect()
}

/// Something for people, without colours.
fn plain(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = write(&mut out);
    let text = String::from_utf8_lossy(&out);
    guarded(&anstream::adapter::strip_str(&text).to_string(), Notation::Plain).into_owned()
}

/// The settings that a spec is read with, of a command that needs no trace.
fn asked_settings(asked: &AskedArguments) -> Settings {
    Settings { event: asked.event.clone(), dialect: asked.spec.dialect, ..Settings::default() }
}

/// The text of a spec in a file.
pub fn spec_file(path: &Path, goal: Goal) -> Result<Source, Problem> {
    Ok(input::spec_source(path, goal)?)
}

/// The reason why a question could not be answered, without `error:` before it; `trace` is the name
/// of the trace.
pub fn reason(error: &Error, trace: &str, style: Style<'_>) -> String {
    Failure::of(error, trace, style).text()
}

/// The reason why a property is not followed any more.
pub fn given_up(abandoned: &Abandoned) -> String {
    crate::failure::given_up(abandoned)
}

/// The name of a trace in messages.
pub fn name(path: &Path) -> String {
    input::name(path)
}

/// A probable mistake in what was asked of a trace, as the program words it.
pub fn warning(path: &Path, warning: &Warning) -> String {
    text::warning(path, warning)
}

/// Whoever is told of the reading of a file, and may end it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// The flag by which somebody else ends the reading.
    pub interrupt: Option<Interrupt>,
    /// Whether it is shown on standard error how far a long reading has come.
    pub shown: bool,
    /// Whether the report gets what a page and a picture draw.
    pub drawn: bool,
}

impl Reading {
    fn progress(self) -> Progress {
        Progress::interrupted_by(self.interrupt, self.shown)
    }

    /// The count of the rows of a table that the caller reads, shown if it is to be.
    pub fn count_rows(self, name: &Path) -> RowCount {
        self.progress().count_rows(&input::name(name))
    }
}

/// The options of `check` and `query`.
#[derive(Debug)]
pub struct CheckRequest {
    arguments: CheckArguments,
    options: CheckOptions,
}

impl CheckRequest {
    /// The options that words give.
    pub fn parse(words: &[OsString]) -> Result<Self, Problem> {
        let arguments: CheckArguments = parsed(words, Some("-"))?;
        let options = check::options(Path::new("-"), &arguments);
        Ok(Self { arguments, options })
    }

    /// The names of all options.
    pub fn names() -> Vec<String> {
        option_names::<CheckArguments>(&[])
    }

    /// The settings that the spec is read with.
    pub fn settings(&self) -> Settings {
        let end_when = self.arguments.keys.end_when.clone();
        Settings { end_when, dialect: self.arguments.spec.dialect, ..input::settings(&self.arguments.trace) }
    }

    /// The engine that is asked for.
    pub fn engine(&self) -> EngineName {
        self.options.config.engine
    }

    /// The options by which a spec is asked of a trace; `path` is its name, which may tell its
    /// form.
    pub fn options(&self, path: Option<&Path>, reading: Reading) -> CheckOptions {
        let mut options = self.options.clone();
        options.config.limits.interrupt = reading.interrupt;
        if reading.drawn {
            options = options.timelines(MOST_TIMELINES).points();
        }
        if let Some(path) = path {
            options.read = input::named(options.read, path);
        }
        options
    }

    /// Asks a spec of a file.
    pub fn check_file(&self, spec: &Spec, path: &Path, reading: Reading) -> Result<Report, Problem> {
        let options = self.options(Some(path), reading);
        Ok(match input::open(path, &options.read, &reading.progress())? {
            Opened::Bytes(bytes) => traceward::check_with(spec, bytes, &options)?,
            Opened::Table(table, format) => traceward_arrow::check_table(spec, table, format, &options)?,
        })
    }

    /// The reason why a report is no answer, though there is one: what the program says with its
    /// exit status.
    pub fn shortcoming(&self, path: &Path, report: &Report) -> Option<String> {
        if report.trace.states == 0 && !self.arguments.allow_empty {
            return Some(input::empty(&input::name(path), &report.trace.notes).text());
        }
        let late = report.trace.notes.iter().find(|note| self.arguments.trace.leaves_unanswered(note));
        let late = late.map(|note| format!("{}: {note}", input::name(path)));
        let unanswered = report.warnings.iter().find(|one| one.kind.leaves_unanswered());
        late.or_else(|| unanswered.map(|one| text::warning(path, one).trim_start_matches("error: ").to_owned()))
    }

    /// What the program would say beside its answer: notes of the reader, and urgent warnings.
    pub fn asides(&self, path: &Path, report: &Report) -> Vec<String> {
        let is_aside = |note: &&Note| note.is_warning() && !text::is_about_the_answer(note);
        let notes = report.trace.notes.iter().filter(is_aside);
        let notes = notes.map(|note| format!("{}: {note}", input::name(path)));
        let urgent = report.warnings.iter().filter(|warning| warning.is_urgent);
        notes.chain(urgent.map(|one| text::warning(path, one))).collect()
    }
}

/// A report for people.
pub fn report_text(path: &Path, report: &Report, goal: Goal) -> String {
    plain(|out| text::report(out, path, report, goal))
}

/// A report as a page to look at.
pub fn report_page(path: &Path, report: &Report) -> String {
    let mut page = Page::default();
    page.add(path, Ok(report));
    page.finish()
}

/// The values of a report's queries as a picture.
pub fn report_picture(path: &Path, report: &Report) -> Result<String, Problem> {
    Ok(picture::svg(&input::name(path), report)?)
}

/// The options of `inspect`.
#[derive(Debug)]
pub struct InspectRequest(InspectArguments);

impl InspectRequest {
    /// The options that words give.
    pub fn parse(words: &[OsString]) -> Result<Self, Problem> {
        Ok(Self(parsed(words, Some("-"))?))
    }

    /// The names of all options.
    pub fn names() -> Vec<String> {
        option_names::<InspectArguments>(&[])
    }

    /// The options by which a trace is looked at.
    pub fn options(&self, path: &Path) -> ReadOptions {
        inspect::options(path, &self.0)
    }

    /// Looks at a file.
    pub fn inspect_file(&self, path: &Path, reading: Reading) -> Result<Inspection, Problem> {
        let options = self.options(path);
        let inspection = match input::open(path, &options, &reading.progress())? {
            Opened::Bytes(bytes) => traceward::input::inspect(bytes, &options),
            Opened::Table(table, format) => traceward_arrow::inspect_table(table, format, &options),
        };
        inspection.map_err(|error| Error::from(error).into())
    }

    /// The document of an inspection, and the same for people.
    pub fn answer(&self, path: &Path, inspection: &Inspection) -> (InspectionDocument, String) {
        let suggestions = suggestion::commands(&inspection.suggestions, path, &self.0.trace);
        let text = plain(|out| text::inspection(out, path, inspection, &suggestions));
        (InspectionDocument::new(&path.display().to_string(), inspection, suggestions), text)
    }
}

/// The options of a monitor that gets its states one by one.
#[derive(Debug)]
pub struct MonitorRequest(MonitorArguments);

impl MonitorRequest {
    /// The options that words give.
    pub fn parse(words: &[OsString]) -> Result<Self, Problem> {
        Ok(Self(parsed(words, None)?))
    }

    /// The names of all options.
    pub fn names() -> Vec<String> {
        option_names::<MonitorArguments>(&OF_A_MONITORS_INPUT)
    }

    /// The settings that the spec is read with.
    pub fn settings(&self) -> Settings {
        let end_when = self.0.keys.end_when.clone();
        Settings { end_when, dialect: self.0.spec.dialect, ..input::settings(&self.0.trace) }
    }

    /// The ends of the traces of keys, and how many there may be.
    pub fn keys(&self) -> KeyOptions {
        self.0.key_options()
    }

    /// Whether it was said how many keys there may be.
    pub fn limits_keys(&self) -> bool {
        self.0.max_keys.is_some()
    }

    /// The engine, and its limits.
    pub fn config(&self) -> Config {
        Config { precision: self.0.precision.precision(Some(Precision::BEYOND)), ..self.0.engine.config() }
    }

    /// The questions about runs.
    pub fn questions(&self) -> RunQuestions {
        RunQuestions { coverage: self.0.coverage, waiting: self.0.waiting }
    }

    /// Whether a trace without a state is judged.
    pub fn allows_empty(&self) -> bool {
        self.0.allow_empty
    }

    /// Whether it is told what following has cost.
    pub fn engine_statistics(&self) -> bool {
        self.0.engine_statistics
    }
}

/// The options of `lint` and `compare`.
#[derive(Debug)]
pub struct HygieneRequest(HygieneArguments);

impl HygieneRequest {
    /// The options that words give.
    pub fn parse(words: &[OsString]) -> Result<Self, Problem> {
        Ok(Self(parsed(words, None)?))
    }

    /// The names of all options.
    pub fn names() -> Vec<String> {
        option_names::<HygieneArguments>(&[])
    }

    /// The settings that the spec is read with.
    pub fn settings(&self) -> Settings {
        asked_settings(&self.0.asked)
    }
}

/// What is odd about properties, for people.
pub fn lint_text(lint: &Lint) -> String {
    plain(|out| text::lint(out, lint))
}

/// How two properties are related, for people.
pub fn comparison_text(comparison: &Comparison) -> String {
    plain(|out| text::comparison(out, comparison))
}

/// The options of `explain-plan`.
#[derive(Debug)]
pub struct PlanRequest(PlanArguments);

impl PlanRequest {
    /// The options that words give.
    pub fn parse(words: &[OsString]) -> Result<Self, Problem> {
        Ok(Self(parsed(words, None)?))
    }

    /// The names of all options.
    pub fn names() -> Vec<String> {
        option_names::<PlanArguments>(&[])
    }

    /// The settings that the spec is read with.
    pub fn settings(&self) -> Settings {
        asked_settings(&self.0.asked)
    }

    /// What becomes of a spec's formulas and queries: as JSON, and for people.
    pub fn answer(mut self, spec: &Spec) -> Result<(String, String), Problem> {
        let mut form = |format| {
            self.0.output.format = format;
            written(|out| explain_plan::write_plans(&self.0, spec, out))
        };
        Ok((form(OutputFormat::Json)?, form(OutputFormat::Text)?))
    }
}

/// The options of `automaton`, without the form.
#[derive(Debug)]
pub struct AutomatonRequest(AutomatonArguments);

impl AutomatonRequest {
    /// The options that words give.
    pub fn parse(words: &[OsString]) -> Result<Self, Problem> {
        Ok(Self(parsed(words, None)?))
    }

    /// The names of all options.
    pub fn names() -> Vec<String> {
        option_names::<AutomatonArguments>(&["to"])
    }

    /// The settings that the spec is read with.
    pub fn settings(&self) -> Settings {
        asked_settings(&self.0.asked)
    }

    /// What a formula alone is taken for.
    pub fn goal(&self) -> Goal {
        automaton::goal(&self.0)
    }

    /// The names of the forms that automata have.
    pub fn forms() -> Vec<String> {
        let values = AutomatonFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        values.map(|value| value.get_name().to_owned()).collect()
    }

    /// The automaton of a spec's property in one of its forms, unless somebody else ends the
    /// making.
    pub fn form(&mut self, spec: &Spec, form: &str, interrupt: Option<Interrupt>) -> Result<String, Problem> {
        self.0.interrupt = interrupt;
        self.0.to = AutomatonFormat::from_str(form, false).map_err(|_| {
            Problem::Usage(format!("there is no form `{form}`: there are {}", Self::forms().join(", ")))
        })?;
        written(|out| automaton::write_automaton(&self.0, spec, out))
    }
}

/// What a command writes.
fn written(write: impl FnOnce(&mut Vec<u8>) -> Result<(), Failure>) -> Result<String, Problem> {
    let mut out = Vec::new();
    write(&mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
