//! `traceward check`

mod keys_file;
mod page_file;
mod steps_picture;
mod values_picture;
pub(super) mod written_file;

use crate::arguments::{CheckArguments, ReportFormat, TraceArguments};
use crate::failure::{Failure, Outcome, tell};
use crate::input::Opened;
use crate::page::{self, Page};
use crate::progress::Progress;
use crate::{input, json, text};
use keys_file::KeysFile;
use page_file::PageFile;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use steps_picture::StepsPicture;
use traceward::engine::Config;
use traceward::input::{Note, Pieces, Scratch, ScratchFile, Spill};
use traceward::report::Warning;
use traceward::{CheckOptions, Goal, ReadOptions, Report, RunQuestions, Settings, Spec, Truth};
use traceward_wire::{Answer, Shortcoming, Told};
use values_picture::ValuesPicture;
use written_file::{NamedFile, refuse_losses};

pub fn run(arguments: &CheckArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    answer(arguments, Goal::Check, out)
}

/// Asks a spec of all traces; `check` and `query` differ only in what a formula alone is taken for.
pub fn answer(arguments: &CheckArguments, goal: Goal, out: &mut impl Write) -> Result<Outcome, Failure> {
    let result = answer_all(arguments, goal, out);
    if let Err(failure @ Failure::Message(_)) = &result {
        match arguments.output.format {
            ReportFormat::Text => {}
            ReportFormat::Json => json::write(out, &json::unasked(failure))?,
            format => write_answers(out, vec![Answer::Failure(json::unasked(failure)).into()], format)?,
        }
    }
    result
}

/// The options for reading a trace, by as many threads as there are processors unless told.
fn read_options(path: &Path, arguments: &CheckArguments) -> ReadOptions {
    let processors = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let asked = arguments.threads.and_then(|threads| NonZero::new(usize::from(threads)));
    let pieces = Pieces { threads: asked.unwrap_or_else(processors), ..Pieces::default() };
    let memory = arguments.trace_memory.saturating_mul(1 << 20);
    let spill = Some(Spill { memory, scratch: Arc::new(TemporaryFiles) });
    ReadOptions { pieces, spill, ..input::read_options(path, &arguments.trace) }
}

/// Files in the system's folder for temporary ones, without a name.
#[derive(Debug)]
struct TemporaryFiles;

impl Scratch for TemporaryFiles {
    fn create(&self) -> std::io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(tempfile::tempfile()?))
    }
}

/// Writes the one document about all traces; text was written trace by trace.
fn write_answers(out: &mut impl Write, answers: Vec<Told>, format: ReportFormat) -> std::io::Result<()> {
    match format {
        ReportFormat::Text => Ok(()),
        ReportFormat::Json => json::write_answers(out, answers.into_iter().map(|told| told.answer).collect()),
        ReportFormat::Junit => write!(out, "{}", traceward_wire::junit(&answers)),
        ReportFormat::Sarif => json::write(out, &traceward_wire::sarif(&answers)),
    }
}

fn answer_all(arguments: &CheckArguments, goal: Goal, out: &mut impl Write) -> Result<Outcome, Failure> {
    if goal == Goal::Query && matches!(arguments.output.format, ReportFormat::Junit | ReportFormat::Sarif) {
        return Err(Failure::new("JUnit and SARIF have no place for values").help("--format json has, or use `check`"));
    }
    let end_when = arguments.keys.end_when.clone();
    let settings = Settings { end_when, ..input::settings(&arguments.trace) };
    let (spec, traces) = input::spec_and_traces(&arguments.spec, &arguments.paths, settings, goal)?;
    if traces.is_empty() {
        return Err(Failure::new("no trace is given").help("name one behind the spec, or - for standard input"));
    }
    if traces.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::new("standard input can be read once: - is given twice"));
    }
    if arguments.svg.is_some() && goal == Goal::Check && !arguments.steps {
        let help = "add --steps to draw those of a property, or draw queries by `traceward query`";
        return Err(Failure::new("--svg: `check` draws nothing but steps").help(help));
    }
    refuse_losses(&written_files(arguments), &arguments.paths)?;
    let beside = FilesBeside::new(arguments, &traces)?;
    let html = arguments.html.as_deref().map(PageFile::new).transpose()?;
    let mut page = Page::default();
    if !arguments.output.quiet {
        spec.warnings(input::style()).iter().for_each(|warning| tell(warning));
    }
    let mut outcome = Outcome::Holds;
    let mut answers = Vec::new();
    let mut separator = "";
    let progress = Progress::new(arguments.output.quiet);
    for path in &traces {
        match check_one(&spec, path, arguments, &progress, &beside) {
            Ok(report) => {
                if html.is_some() {
                    page.add(path, Ok(&report));
                }
                if report.is_violated() {
                    outcome = outcome.max(Outcome::Violated);
                }
                let shortcomings = shortcomings(&report, &arguments.trace);
                if !shortcomings.is_empty() {
                    outcome = Outcome::Unanswered;
                }
                tell_asides(path, &report, arguments);
                match arguments.output.format {
                    ReportFormat::Text => {
                        write!(out, "{}", std::mem::replace(&mut separator, "\n"))?;
                        text::report(out, path, &report, goal)?;
                    }
                    _ => answers.push(Told { answer: json::answer(path, Ok(&report)), shortcomings }),
                }
            }
            Err(failure) => {
                // The other traces can still be answered for.
                out.flush()?;
                failure.report();
                outcome = Outcome::Unanswered;
                page.add(path, Err(&failure));
                answers.push(json::answer(path, Err(&failure)).into());
            }
        }
    }
    // The answer stands, whatever becomes of the page; but formats by which others judge the run
    // have to tell that, too.
    out.flush()?;
    let unwritten = html.and_then(|file| file.write(page).err());
    if let (Some(failure), ReportFormat::Junit | ReportFormat::Sarif) = (&unwritten, arguments.output.format) {
        answers.push(Answer::Failure(json::unasked(failure)).into());
    }
    write_answers(out, answers, arguments.output.format)?;
    out.flush()?;
    if let Some(failure) = unwritten {
        failure.report();
        outcome = Outcome::Unanswered;
    }
    Ok(outcome)
}

/// The reasons why a report is no answer, though there is one.
fn shortcomings(report: &Report, arguments: &TraceArguments) -> Vec<Shortcoming> {
    let late = report.trace.notes.iter().filter(|note| arguments.leaves_unanswered(note));
    let late = late.map(|note| Shortcoming { about: None, reason: note.to_string() });
    let open = report.warnings.iter().filter(|warning| warning.kind.leaves_unanswered());
    let open = open.map(|Warning { kind, about, .. }| Shortcoming {
        about: about.as_ref().map(|about| about.name().to_owned()),
        reason: kind.to_string(),
    });
    late.chain(open).collect()
}

/// Tells the notes of the reader that are no part of the answer.
fn tell_asides(path: &Path, report: &Report, arguments: &CheckArguments) {
    let quiet = arguments.output.quiet;
    // Why there is no answer is told in any case.
    let is_told = |note: &&Note| !quiet && !text::is_about_the_answer(note) || arguments.trace.leaves_unanswered(note);
    for note in report.trace.notes.iter().filter(is_told) {
        tell(&input::note(&format!("{}: ", input::name(path)), note));
    }
    let told = |warning: &&Warning| warning.is_urgent && !quiet || warning.kind.leaves_unanswered();
    for warning in report.warnings.iter().filter(told) {
        tell(&text::warning(path, warning));
    }
}

/// The options by which a spec is asked of a trace.
pub fn options(path: &Path, arguments: &CheckArguments) -> CheckOptions {
    let truth = match (arguments.trace_table, arguments.positions) {
        (true, _) => Truth::Table,
        (false, true) => Truth::AtEveryPosition,
        (false, false) => Truth::AtZero,
    };
    let mut options = CheckOptions::default()
        .config(Config { precision: arguments.precision.precision(None), ..arguments.engine.config() })
        .truth(truth)
        .runs(RunQuestions { coverage: arguments.coverage, waiting: arguments.waiting })
        .max_violations(arguments.max_violations)
        .timelines(if arguments.html.is_some() { page::MOST_TIMELINES } else { 0 })
        .read(read_options(path, arguments));
    if arguments.prefix {
        options = options.prefix();
    }
    if arguments.engine_statistics {
        options = options.engine_statistics();
    }
    if arguments.steps {
        options = options.steps();
    }
    if arguments.svg.is_some() {
        options = options.points();
    }
    options
}

fn check_one(
    spec: &Spec,
    path: &Path,
    arguments: &CheckArguments,
    progress: &Progress,
    beside: &FilesBeside<'_>,
) -> Result<Report, Failure> {
    let options = options(path, arguments);
    let report = match input::open(path, &options.read, progress)? {
        Opened::Bytes(bytes) => traceward::check_with(spec, bytes, &options),
        Opened::Table(table, format) => traceward_arrow::check_table(spec, table, format, &options),
    };
    let report = report.map_err(|error| Failure::of(&error, &input::name(path), input::style()))?;
    if report.trace.states == 0 && !arguments.allow_empty {
        return Err(input::empty(&input::name(path), &report.trace.notes));
    }
    beside.write(&report)?;
    Ok(report)
}

/// The files that the command line names to be written.
fn written_files(arguments: &CheckArguments) -> Vec<NamedFile<'_>> {
    let CheckArguments { html, keys_to, svg, .. } = arguments;
    let files = [("--html", html, "report.html"), ("--keys-to", keys_to, "keys.csv"), ("--svg", svg, "picture.svg")];
    let named = files
        .into_iter()
        .filter_map(|(option, path, example)| Some(NamedFile { option, path: path.as_deref()?, example }));
    named.collect()
}

/// The files that are written beside the answer.
struct FilesBeside<'a> {
    keys: Option<KeysFile<'a>>,
    steps: Option<StepsPicture<'a>>,
    values: Option<ValuesPicture<'a>>,
}

impl<'a> FilesBeside<'a> {
    fn new(arguments: &'a CheckArguments, traces: &[PathBuf]) -> Result<Self, Failure> {
        let keys = arguments.keys_to.as_deref().map(|file| KeysFile::new(file, traces));
        let (of_steps, of_values) = (arguments.svg.as_deref(), arguments.svg.as_deref());
        let steps = of_steps.filter(|_| arguments.steps).map(|file| StepsPicture::new(file, traces));
        let values = of_values.filter(|_| !arguments.steps).map(|file| ValuesPicture::new(file, traces));
        Ok(Self { keys: keys.transpose()?, steps: steps.transpose()?, values: values.transpose()? })
    }

    fn write(&self, report: &Report) -> Result<(), Failure> {
        self.keys.iter().try_for_each(|file| file.write(report))?;
        self.steps.iter().try_for_each(|file| file.write(report))?;
        self.values.iter().try_for_each(|file| file.write(report))
    }
}
