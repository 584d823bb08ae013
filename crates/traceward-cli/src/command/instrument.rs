//! `traceward instrument`

use crate::arguments::{InstrumentArguments, InstrumentingArguments, SpecArguments};
use crate::failure::{Failure, Outcome, tell};
use crate::input;
use std::collections::{BTreeSet, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use traceward::message::Shown;
use traceward::{Goal, Settings, Source, Spec};
use traceward_instrument::{
    CALLS_ARE_EVENTS, Instrumented, Order, Problem, SourceFile, States, instrument, quoted_includes,
};

pub fn run(arguments: &InstrumentArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let (spec, files) = spec_and_files(&arguments.spec, &arguments.paths)?;
    if files.is_empty() {
        return Err(Failure::new("there is no C file to instrument").help("traceward instrument SPEC FILE.c… -o DIR"));
    }
    if arguments.output.as_os_str() == "-" {
        return Err(
            Failure::new("--output needs a folder: several files are made").help("name a folder, such as -o told")
        );
    }
    let made = make(&spec, &files, &arguments.instrumenting)?;
    if !arguments.quiet {
        tell_warnings(&made);
    }
    write(&made, &arguments.output)?;
    describe(&made, &files, &arguments.output, out)?;
    Ok(Outcome::Holds)
}

/// A spec, and the text that programs carry of it.
pub struct GivenSpec {
    pub spec: Spec,
    pub text: String,
}

/// The spec of a command line, and the other paths: without `-e` the first path is the spec.
pub fn spec_and_files(spec: &SpecArguments, paths: &[PathBuf]) -> Result<(GivenSpec, Vec<PathBuf>), Failure> {
    let (mut sources, files) = match (spec.expressions.as_slice(), paths) {
        ([], []) => return Err(Failure::new("there is no spec").help("give a spec file first, or a formula with -e")),
        ([], [first, rest @ ..]) => (vec![input::spec_source(first, Goal::Check)?], rest.to_vec()),
        (given, files) => (given.iter().map(|text| Source::new("-e", text, Goal::Check)).collect(), files.to_vec()),
    };
    // Programs carry the spec as a text, which then says itself what it is written in.
    let declared = spec.dialect.map(|dialect| format!("dialect {}", dialect.name()));
    sources.splice(0..0, declared.map(|text| Source::new("--dialect", text, Goal::Check)));
    let text = sources.iter().map(|source| source.text.trim_end()).collect::<Vec<_>>().join("\n;\n");
    let wrong = |error: traceward::SpecError| Failure::Message(error.render(input::style()));
    let settings = Settings { dialect: spec.dialect, ..Settings::default() };
    Ok((GivenSpec { spec: Spec::parse_with(sources, settings).map_err(wrong)?, text }, files))
}

/// Instruments files for a spec.
pub fn make(given: &GivenSpec, files: &[PathBuf], arguments: &InstrumentingArguments) -> Result<Instrumented, Failure> {
    let sources: Vec<SourceFile> = files.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let headers = headers(&sources);
    let states = match (arguments.every_write, arguments.only_changes) {
        (true, _) => Some(States::EveryWrite),
        (_, true) => Some(States::Changes),
        _ => None,
    };
    let order = Order {
        spec: &given.spec,
        spec_text: &given.text,
        files: &sources,
        headers: &headers,
        states,
        events: arguments.events,
        threads: arguments.threads,
    };
    instrument(&order).map_err(|problems| failure(&problems))
}

fn failure(problems: &[Problem]) -> Failure {
    let shown = |problem: &Problem| {
        let option = |help: &str| if help == CALLS_ARE_EVENTS { ": --events" } else { "" };
        let help = problem.help.iter().map(|help| format!("\n  help: {}{}", Shown(help), option(help)));
        let help: String = help.collect();
        format!("error: {}{help}", Shown(&problem.message))
    };
    Failure::Message(problems.iter().map(shown).collect::<Vec<_>>().join("\n"))
}

/// Tells what the program will not tell.
pub fn tell_warnings(made: &Instrumented) {
    for warning in &made.warnings {
        tell(&format!("warning: {}", Shown(&warning.to_string())));
    }
}

fn read(path: &Path) -> Result<SourceFile, Failure> {
    let name = input::name(path);
    let named = |error: std::io::Error| Failure::new(format!("{name}: {}", input::reason(&error)));
    let bytes = std::fs::read(path).map_err(named)?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{name}: not UTF-8 text")))?;
    if traceward_instrument::embedded(&text).is_some() {
        let failure = Failure::new(format!("{name}: this file is instrumented already"));
        return Err(failure.help("give the file that it was made of"));
    }
    Ok(SourceFile { name: path.to_string_lossy().into_owned(), text })
}

/// The program's own headers, those that are included before those that include them. What is not
/// found is the compiler's to find, and holds nothing that is looked at.
fn headers(files: &[SourceFile]) -> Vec<SourceFile> {
    let mut found: VecDeque<SourceFile> = VecDeque::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<SourceFile> = files.to_vec();
    while let Some(file) = open.pop() {
        let folder = Path::new(&file.name).parent().unwrap_or(Path::new("")).to_owned();
        for include in quoted_includes(&file.text) {
            let path = folder.join(include);
            if let Ok(header) = read(&path)
                && seen.insert(header.name.clone())
            {
                found.push_front(header.clone());
                open.push(header);
            }
        }
    }
    found.into()
}

/// Writes the files into a folder.
pub fn write(made: &Instrumented, folder: &Path) -> Result<(), Failure> {
    let failed =
        |path: &Path, error: std::io::Error| Failure::new(format!("{}: {}", input::name(path), input::reason(&error)));
    let create = |folder: &Path| std::fs::create_dir_all(folder).map_err(|error| failed(folder, error));
    create(folder)?;
    // A copy of a header that was made for another spec would be found before the header.
    let old = made.no_headers.iter().map(|name| folder.join(name)).filter(|path| path.is_file() && !is_foreign(path));
    for path in old {
        std::fs::remove_file(&path).map_err(|error| failed(&path, error))?;
    }
    for file in made.files.iter().chain(&made.headers) {
        let path = folder.join(&file.name);
        create(path.parent().unwrap_or(folder))?;
        if is_foreign(&path) {
            let failure = Failure::new(format!("{}: this file was not made by traceward", input::name(&path)));
            return Err(failure.help("give -o a folder of its own"));
        }
        std::fs::write(&path, &file.text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// Whether a file is there that was written by somebody else.
fn is_foreign(path: &Path) -> bool {
    let Ok(text) = std::fs::read(path) else { return false };
    let text = String::from_utf8_lossy(&text);
    let is_ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("traceward_"));
    !is_ours && traceward_instrument::embedded(&text).is_none()
}

/// The options by which the compiler finds the headers of the original files.
pub fn include_options(files: &[PathBuf]) -> Vec<String> {
    let folder = |path: &PathBuf| path.parent().map(|folder| folder.to_string_lossy().into_owned());
    let folders: BTreeSet<String> =
        files.iter().filter_map(folder).map(|folder| if folder.is_empty() { ".".to_owned() } else { folder }).collect();
    folders.into_iter().flat_map(|folder| ["-iquote".to_owned(), folder]).collect()
}

/// The files to compile.
pub fn compiled(made: &Instrumented, folder: &Path) -> Vec<PathBuf> {
    made.files.iter().filter(|file| file.name.ends_with(".c")).map(|file| folder.join(&file.name)).collect()
}

fn describe(made: &Instrumented, files: &[PathBuf], folder: &Path, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "predicates (0 is false, 1 is true):")?;
    for (number, predicate) in (2..).zip(&made.predicates) {
        writeln!(out, "  {number} {{{}}}", Shown(predicate))?;
    }
    let states = match made.states {
        States::EveryWrite => "every write to a watched variable",
        States::Changes => "a write after which a predicate differs",
    };
    writeln!(out, "a state: {states}")?;
    let mut command = vec!["cc".to_owned()];
    command.extend(include_options(files));
    command.extend(compiled(made, folder).iter().map(|path| path.to_string_lossy().into_owned()));
    writeln!(out, "compile: {}", Shown(&command.join(" ")))
}
