//! `traceward bench figure10`

use crate::arguments::{BenchArguments, OutputFormat};
use crate::failure::{Failure, Outcome};
use serde_json::json;
use std::io::Write;
use std::time::Duration;
use traceward_experiment::figure10::{self, FORMULAS, Measurement, Traversal};

/// An engine that would need longer than this for a trace is not asked.
const PATIENCE: Duration = Duration::from_secs(3);

/// The length of the longest trace, unless another one is asked for.
const LONGEST: usize = 100_000;

pub fn run(arguments: &BenchArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let powers = std::iter::successors(Some(100_usize), |length| length.checked_mul(10));
    let lengths: Vec<usize> =
        powers.take_while(|length| *length <= arguments.longest.unwrap_or(LONGEST).max(100)).collect();
    let measurements = figure10::measure(&lengths, PATIENCE);
    match arguments.output.format {
        OutputFormat::Text => write_table(out, &lengths, &measurements)?,
        OutputFormat::Json => writeln!(out, "{:#}", document(&measurements))?,
    }
    if let Some(file) = &arguments.svg {
        let picture = figure10::draw(&lengths, &measurements).map_err(Failure::new)?;
        super::write_file(file, &picture)?;
    }
    Ok(Outcome::Holds)
}

fn write_table(out: &mut impl Write, lengths: &[usize], measurements: &[Measurement]) -> Result<(), Failure> {
    writeln!(
        out,
        "milliseconds for a trace of so many states; - would be more than {} s, or too many slices\n\
         As in the paper: figure 5 to the letter, all successors first and then those that the state\n\
         satisfies, and the successors of a slice remembered. State first: others are never made.",
        PATIENCE.as_secs()
    )?;
    for formula in FORMULAS {
        write!(out, "\n{formula:<32}")?;
        for states in lengths {
            write!(out, " {states:>12}")?;
        }
        writeln!(out)?;
        for traversal in Traversal::ALL {
            write!(out, "  {:<30}", traversal.name())?;
            for one in figure10::of(measurements, formula, traversal) {
                let time = one.time.map_or_else(|| "-".to_owned(), |time| format!("{:.4}", time.as_secs_f64() * 1e3));
                write!(out, " {time:>12}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

fn document(measurements: &[Measurement]) -> serde_json::Value {
    let one = |one: &Measurement| {
        let milliseconds = one.time.map(|time| time.as_secs_f64() * 1e3);
        json!({ "formula": one.formula, "engine": one.traversal.name().trim_start(), "states": one.states, "milliseconds": milliseconds })
    };
    json!({ "experiment": "figure10", "measurements": measurements.iter().map(one).collect::<Vec<_>>() })
}
