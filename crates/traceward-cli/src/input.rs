//! Opening what the command line names.

use crate::arguments::{AskedArguments, SpecArguments, TraceArguments, live_remedy, remedy};
use crate::failure::Failure;
use crate::progress::Progress;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use traceward::input::{Format, HeaderLine, Note, RecordOrder, Records};
use traceward::message::{Paint, Shown, Style};
use traceward::{Goal, ReadOptions, Settings, Source, Spec};
use traceward_arrow::Table;

/// The style of messages: with the options that help, and coloured where that suits standard error.
pub fn style() -> Style<'static> {
    Style { paint: paint(), remedy: &remedy }
}

/// The style of messages about a trace that is still going on.
pub fn live_style() -> Style<'static> {
    Style { paint: paint(), remedy: &live_remedy }
}

/// A note of a reader. One that has a way out is a warning.
pub fn note(about: &str, note: &Note) -> String {
    match note.remedy() {
        Some(way_out) => format!("warning: {about}{note}\n  help: {}", remedy(&way_out)),
        None if note.is_warning() => format!("warning: {about}{note}"),
        None => format!("note: {about}{note}"),
    }
}

/// The longest spec that is read. A file that is longer is not one that somebody wrote.
const LONGEST_SPEC: u64 = 64 << 20;

/// The name of a file in messages.
pub fn name(path: &Path) -> String {
    Shown(&path.to_string_lossy()).to_string()
}

/// The error of a trace without a state; the notes of its reader tell why it has none.
pub fn empty(name: &str, notes: &[Note]) -> Failure {
    let reason = notes.iter().find_map(|note| match note {
        Note::HeaderOnly => Some(": there is a header and no row".to_owned()),
        Note::NoRows => Some(": the table has no row".to_owned()),
        Note::WithoutKey { .. } => Some(format!(": {note}")),
        _ => None,
    });
    let reason = reason.unwrap_or_default();
    Failure::new(format!("{name}: the trace is empty{reason}")).help("--allow-empty judges a trace without a state")
}

/// Whether colours suit standard error.
pub fn paint() -> Paint {
    match anstream::AutoStream::choice(&std::io::stderr()) {
        anstream::ColorChoice::Never => Paint::Plain,
        _ => Paint::Coloured,
    }
}

/// The spec of a command line, and the traces: without `-e` the first path is a spec, and whatever
/// ends in `.tw` is one, as is a C file that carries one.
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
    let settings = Settings { dialect: spec.dialect, ..settings };
    let spec = Spec::parse_with(sources, settings).map_err(|error| Failure::Message(error.render(style())))?;
    Ok((spec, traces))
}

/// The spec of a command that needs no trace; `missing` is what to say where there is no spec
/// either.
pub fn spec_alone(asked: &AskedArguments, goal: Goal, missing: &str) -> Result<Spec, Failure> {
    if asked.spec.expressions.is_empty() && asked.paths.is_empty() {
        return Err(Failure::new(missing).help("give a formula with -e, or a spec file"));
    }
    let settings = Settings { event: asked.event.clone(), ..Settings::default() };
    let (spec, traces) = spec_and_traces(&asked.spec, &asked.paths, settings, goal)?;
    match traces.first() {
        Some(path) => Err(Failure::new(format!("{}: this is answered without a trace", name(path)))),
        None => Ok(spec),
    }
}

pub fn spec_source(path: &Path, goal: Goal) -> Result<Source, Failure> {
    let name = name(path);
    let bytes = read_spec(path).map_err(|error| {
        let failure = Failure::new(format!("{name}: {}", reason(&error)));
        match Format::from_path(path) {
            Some(_) => failure.help("the first argument is a spec file unless a formula is given with -e"),
            None if looks_like_a_formula(&name) => {
                failure.help("a formula is given with -e: traceward check -e 'FORMULA' TRACE")
            }
            None => failure,
        }
    })?;
    if bytes.len() as u64 > LONGEST_SPEC {
        return Err(Failure::new(format!("{name}: a spec of more than {} MiB is not read", LONGEST_SPEC >> 20)));
    }
    let looks_like_a_trace = Format::from_path(path).is_some();
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{name}: not UTF-8 text")))?;
    if looks_like_a_trace {
        let message =
            "this looks like a trace, and the first argument is a spec file unless a formula is given with -e";
        return Err(Failure::new(format!("{name}: {message}")));
    }
    let text = if path.extension().is_some_and(|ending| ending == "c") { embedded_spec(&name, &text)? } else { text };
    Ok(Source::new(path.display().to_string(), text, goal))
}

/// The spec that an instrumented C file carries.
fn embedded_spec(name: &str, text: &str) -> Result<String, Failure> {
    traceward_instrument::embedded(text).ok_or_else(|| {
        let failure = Failure::new(format!("{name}: this C file carries no spec, and the first argument is a spec"));
        failure.help("traceward instrument SPEC FILE.c -o DIR makes a file that carries one")
    })
}

/// The bytes of a spec, and one more than are allowed if there are too many.
fn read_spec(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST_SPEC + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn looks_like_a_formula(text: &str) -> bool {
    text.contains([' ', '(', '&', '|', '>'])
}

/// An operating system's reason, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// A trace that is open.
pub enum Opened {
    /// Bytes to be read from the first to the last.
    Bytes(Box<dyn Read>),
    /// A table, which is read in any order.
    Table(Table, Format),
}

/// The number of first bytes by which a table is known.
const OPENING: u64 = 8;

/// Opens a trace, whose reading is shown where that takes long.
pub fn open(path: &Path, options: &ReadOptions, progress: &Progress) -> Result<Opened, Failure> {
    let named = |error: std::io::Error| Failure::new(format!("{}: {}", name(path), reason(&error)));
    let is_file = path.as_os_str() != "-" && path.is_file();
    let mut first = Vec::new();
    if is_file {
        let mut file = File::open(path).map_err(named)?;
        file.by_ref().take(OPENING).read_to_end(&mut first).map_err(named)?;
        return match Format::of_table(options, &first) {
            Some(format) => {
                let len = file.metadata().map_err(named)?.len();
                let table = Table::shared(progress.interruptible(file), len);
                Ok(Opened::Table(progress.watch_table(&name(path), table), format))
            }
            None => open_bytes(path, progress).map(Opened::Bytes),
        };
    }
    // What has come cannot be asked for again.
    let mut input = open_bytes(path, progress)?;
    input.by_ref().take(OPENING).read_to_end(&mut first).map_err(named)?;
    let format = Format::of_table(options, &first);
    let mut input = Cursor::new(first).chain(input);
    let Some(format) = format else { return Ok(Opened::Bytes(Box::new(input))) };
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(named)?;
    Ok(Opened::Table(Table::from_bytes(bytes), format))
}

fn open_bytes(path: &Path, progress: &Progress) -> Result<Box<dyn Read>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(progress.watch("standard input", std::io::stdin(), None));
    }
    let named = |error: std::io::Error| Failure::new(format!("{}: {}", name(path), reason(&error)));
    let file = File::open(path).map_err(named)?;
    let metadata = file.metadata().map_err(named)?;
    if metadata.is_dir() {
        return Err(Failure::new(format!("{}: is a folder, not a trace", name(path))));
    }
    if metadata.is_file() && metadata.len() == 0 && is_compressed(path) {
        let failure = Failure::new(format!("{}: has no byte, not even compressed ones", name(path)));
        return Err(failure.help("fetch or compress the file again"));
    }
    let least = if metadata.is_file() { metadata.len() } else { 0 };
    let file = NotShrinking { input: file, read: 0, least };
    Ok(progress.watch(&name(path), file, metadata.is_file().then_some(metadata.len())))
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "gz" || ending == "zst")
}

/// A file that has at least as many bytes as it had when it was opened. Whoever cuts it off while
/// it is read would otherwise leave a shorter trace that looks whole.
struct NotShrinking<R> {
    input: R,
    read: u64,
    least: u64,
}

impl<R: Read> Read for NotShrinking<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.read += count as u64;
        if count == 0 && !buffer.is_empty() && self.read < self.least {
            return Err(std::io::Error::other("the file has become shorter while it was read"));
        }
        Ok(count)
    }
}

/// The options for reading a trace, as far as the command line gives them.
pub fn read_options(path: &Path, arguments: &TraceArguments) -> ReadOptions {
    let options = ReadOptions {
        format: arguments.input,
        separator: arguments.separator,
        null: arguments.null.clone(),
        header: if arguments.no_header { HeaderLine::Missing } else { HeaderLine::Names },
        year: arguments.year,
        order: match (arguments.sort, arguments.lateness) {
            (true, _) => RecordOrder::ByTime,
            (false, Some(lateness)) => RecordOrder::Within { lateness },
            (false, None) => RecordOrder::AsTheyCome,
        },
        ..ReadOptions::default()
    };
    named(options, path)
}

/// The options with what the name of a trace tells about it.
pub fn named(options: ReadOptions, path: &Path) -> ReadOptions {
    let is_tsv = path.to_string_lossy().split('.').any(|part| part == "tsv");
    ReadOptions {
        likely_format: Format::from_path(path),
        separator: options.separator.or(is_tsv.then_some(b'\t')),
        ..options
    }
}

/// The settings for traces that the command line gives.
pub fn settings(arguments: &TraceArguments) -> Settings {
    Settings {
        event: arguments.event.clone(),
        time: arguments.time.clone(),
        by: arguments.by.clone(),
        end_when: None,
        records: arguments.changes.then_some(Records::Changes),
        missing: arguments.missing,
        types: arguments.types.clone(),
        dialect: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_grow_and_not_shrink() {
        let all = |least| {
            let mut bytes = Vec::new();
            NotShrinking { input: &b"abc"[..], read: 0, least }.read_to_end(&mut bytes).map(|_| bytes)
        };
        assert_eq!(all(2).unwrap(), b"abc");
        assert_eq!(all(3).unwrap(), b"abc");
        assert_eq!(all(4).unwrap_err().to_string(), "the file has become shorter while it was read");
    }
}
