//! Opening what the command line names.

use crate::arguments::{AskedArguments, SpecArguments, TraceArguments, remedy};
use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use traceward::input::{Format, Records};
use traceward::message::{Paint, Style};
use traceward::{Goal, ReadOptions, Settings, Source, Spec};

/// Files smaller than this are read before a progress bar could be seen.
const WORTH_A_PROGRESS_BAR: u64 = 64 << 20;

/// The style of messages: with the options that help, and coloured where that suits standard error.
pub fn style() -> Style<'static> {
    Style { paint: paint(), remedy: &remedy }
}

/// Whether colours suit standard error.
pub fn paint() -> Paint {
    match anstream::AutoStream::choice(&std::io::stderr()) {
        anstream::ColorChoice::Never => Paint::Plain,
        _ => Paint::Coloured,
    }
}

/// The spec of a command line, and the traces: without `-e` the first path is a spec, and whatever
/// ends in `.tw` is one.
pub fn spec_and_traces(
    spec: &SpecArguments,
    paths: &[PathBuf],
    settings: Settings,
    goal: Goal,
) -> Result<(Spec, Vec<PathBuf>), Failure> {
    let is_spec = |index: usize, path: &Path| {
        path.extension().is_some_and(|ending| ending == "tw") || (index == 0 && spec.expressions.is_empty())
    };
    let mut sources = Vec::new();
    let mut traces = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        if is_spec(index, path) {
            sources.push(spec_source(path, goal)?);
        } else {
            traces.push(path.clone());
        }
    }
    sources.extend(spec.expressions.iter().map(|text| Source::new("-e", text, goal)));
    let spec = Spec::parse_with(sources, settings).map_err(|error| Failure::Message(error.render(style())))?;
    Ok((spec, traces))
}

/// The spec of a command that needs no trace; `missing` is what to say where there is no spec
/// either.
pub fn spec_alone(asked: &AskedArguments, missing: &str) -> Result<Spec, Failure> {
    if asked.spec.expressions.is_empty() && asked.paths.is_empty() {
        return Err(Failure::new(format!("{missing}\n  help: give a formula with -e, or a spec file")));
    }
    let settings = Settings { event: asked.event.clone(), ..Settings::default() };
    let (spec, traces) = spec_and_traces(&asked.spec, &asked.paths, settings, Goal::Check)?;
    match traces.first() {
        Some(path) => Err(Failure::new(format!("{}: this is answered without a trace", path.display()))),
        None => Ok(spec),
    }
}

fn spec_source(path: &Path, goal: Goal) -> Result<Source, Failure> {
    let bytes = std::fs::read(path).map_err(|error| {
        let name = path.display();
        let hint = match Format::from_path(path) {
            Some(_) => "\n  help: the first argument is a spec file unless a formula is given with -e",
            None if looks_like_a_formula(&name.to_string()) => {
                "\n  help: a formula is given with -e: traceward check -e 'FORMULA' TRACE"
            }
            None => "",
        };
        Failure::new(format!("{name}: {}{hint}", reason(&error)))
    })?;
    let looks_like_a_trace = Format::from_path(path).is_some();
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{}: not UTF-8 text", path.display())))?;
    if looks_like_a_trace {
        let message =
            "this looks like a trace, and the first argument is a spec file unless a formula is given with -e";
        return Err(Failure::new(format!("{}: {message}", path.display())));
    }
    Ok(Source::new(path.display().to_string(), text, goal))
}

fn looks_like_a_formula(text: &str) -> bool {
    text.contains([' ', '(', '&', '|', '>'])
}

/// An operating system's reason, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Opens a trace. Long files show their progress on a terminal.
pub fn open(path: &Path, quiet: bool) -> Result<Box<dyn Read>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(std::io::stdin()));
    }
    let named = |error: std::io::Error| Failure::new(format!("{}: {}", path.display(), reason(&error)));
    let file = File::open(path).map_err(named)?;
    let metadata = file.metadata().map_err(named)?;
    if metadata.is_dir() {
        return Err(Failure::new(format!("{}: is a folder, not a trace", path.display())));
    }
    if quiet || metadata.len() < WORTH_A_PROGRESS_BAR || !std::io::stderr().is_terminal() {
        return Ok(Box::new(file));
    }
    let bar = ProgressBar::new(metadata.len()).with_finish(ProgressFinish::AndClear);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {eta}") {
        bar.set_style(style);
    }
    Ok(Box::new(bar.wrap_read(file)))
}

/// The options for reading a trace, as far as the command line gives them.
pub fn read_options(path: &Path, arguments: &TraceArguments) -> ReadOptions {
    let is_tsv = path.to_string_lossy().split('.').any(|part| part == "tsv");
    ReadOptions {
        format: arguments.input.or_else(|| Format::from_path(path)),
        separator: arguments.separator.or(is_tsv.then_some(b'\t')),
        null: arguments.null.clone(),
        ..ReadOptions::default()
    }
}

/// The settings for traces that the command line gives.
pub fn settings(arguments: &TraceArguments) -> Settings {
    Settings {
        event: arguments.event.clone(),
        time: arguments.time.clone(),
        by: arguments.by.clone(),
        records: arguments.changes.then_some(Records::Changes),
        missing: arguments.missing,
        types: arguments.types.clone(),
    }
}
