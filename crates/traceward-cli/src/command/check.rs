//! `traceward check`

use crate::arguments::{CheckArguments, OutputFormat};
use crate::failure::{Failure, Outcome, tell};
use crate::{input, json, text};
use std::io::Write;
use std::path::Path;
use traceward::{CheckOptions, Goal, Report, RunQuestions, Spec, Truth};

pub fn run(arguments: &CheckArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    answer(arguments, Goal::Check, out)
}

/// Asks a spec of all traces; `check` and `query` differ only in what a formula alone is taken for.
pub fn answer(arguments: &CheckArguments, goal: Goal, out: &mut impl Write) -> Result<Outcome, Failure> {
    let result = answer_all(arguments, goal, out);
    if let (Err(failure @ Failure::Message(_)), OutputFormat::Json) = (&result, arguments.output.format) {
        json::write(out, &json::unasked(failure))?;
    }
    result
}

fn answer_all(arguments: &CheckArguments, goal: Goal, out: &mut impl Write) -> Result<Outcome, Failure> {
    let settings = input::settings(&arguments.trace);
    let (spec, traces) = input::spec_and_traces(&arguments.spec, &arguments.paths, settings, goal)?;
    if traces.is_empty() {
        return Err(Failure::new("no trace is given\n  help: name one behind the spec, or - for standard input"));
    }
    if traces.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::new("standard input can be read once: - is given twice"));
    }
    if !arguments.output.quiet {
        spec.warnings(input::style()).iter().for_each(|warning| tell(warning));
    }
    let mut outcome = Outcome::Holds;
    let mut answers = Vec::new();
    for (index, path) in traces.iter().enumerate() {
        match check_one(&spec, path, arguments) {
            Ok(report) => {
                if report.is_violated() {
                    outcome = outcome.max(Outcome::Violated);
                }
                if report.is_unanswered() {
                    outcome = Outcome::Unanswered;
                }
                if !arguments.output.quiet {
                    tell_asides(path, &report);
                }
                match arguments.output.format {
                    OutputFormat::Json => answers.push(json::answer(path, Ok(&report))),
                    OutputFormat::Text => {
                        let separator = if index == 0 { "" } else { "\n" };
                        write!(out, "{separator}")?;
                        text::report(out, path, &report, goal)?;
                    }
                }
            }
            Err(failure) => {
                // The other traces can still be answered for.
                out.flush()?;
                failure.report();
                outcome = Outcome::Unanswered;
                answers.push(json::answer(path, Err(&failure)));
            }
        }
    }
    if arguments.output.format == OutputFormat::Json {
        json::write_answers(out, answers)?;
    }
    Ok(outcome)
}

/// Tells the notes of the reader that are no part of the answer.
fn tell_asides(path: &Path, report: &Report) {
    for note in report.trace.notes.iter().filter(|note| !text::is_about_the_answer(note)) {
        tell(&format!("note: {}: {note}", text::trace_name(path)));
    }
    for warning in report.warnings.iter().filter(|warning| warning.is_urgent) {
        tell(&text::warning(path, warning));
    }
}

fn options(path: &Path, arguments: &CheckArguments) -> CheckOptions {
    let truth = match (arguments.trace_table, arguments.positions) {
        (true, _) => Truth::Table,
        (false, true) => Truth::AtEveryPosition,
        (false, false) => Truth::AtZero,
    };
    let mut options = CheckOptions::default()
        .config(arguments.engine.config())
        .truth(truth)
        .runs(RunQuestions { coverage: arguments.coverage, waiting: arguments.waiting })
        .max_violations(arguments.max_violations)
        .read(input::read_options(path, &arguments.trace));
    if arguments.prefix {
        options = options.prefix();
    }
    if arguments.engine_statistics {
        options = options.engine_statistics();
    }
    options
}

fn check_one(spec: &Spec, path: &Path, arguments: &CheckArguments) -> Result<Report, Failure> {
    let options = options(path, arguments);
    let trace = input::open(path, arguments.output.quiet)?;
    let report = traceward::check_with(spec, trace, &options)
        .map_err(|error| Failure::of(&error, &text::trace_name(path), input::style()))?;
    if let Some(file) = &arguments.keys_to {
        write_keys(file, &report)?;
    }
    Ok(report)
}

/// One row a key: its verdict on each property.
fn write_keys(file: &Path, report: &Report) -> Result<(), Failure> {
    let Some(keys) = &report.trace.keys else {
        return Err(Failure::new("--keys-to needs a trace that is split by key: --by COLUMN"));
    };
    let named = |error: std::io::Error| Failure::new(format!("{}: {}", file.display(), input::reason(&error)));
    let mut table = String::from("key,states");
    for property in &report.properties {
        table.push(',');
        table.push_str(&csv_field(&property.name));
    }
    table.push('\n');
    for (index, (key, states)) in keys.iter().enumerate() {
        table.push_str(&format!("{},{states}", csv_field(key)));
        for property in &report.properties {
            let verdict = property.keys.as_ref().map_or(property.verdict, |keys| keys.verdicts[index]);
            table.push_str(&format!(",{verdict}"));
        }
        table.push('\n');
    }
    std::fs::write(file, table).map_err(named)
}

fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
