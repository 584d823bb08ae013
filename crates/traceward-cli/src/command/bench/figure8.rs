//! `traceward bench figure8`

use crate::arguments::{BenchArguments, OutputFormat};
use crate::failure::{Failure, Outcome};
use serde_json::json;
use std::io::Write;
use traceward_experiment::figure8::{self, Measurement, Way, Workload};

/// The length of the longest trace, unless another one is asked for.
const LONGEST: usize = 1_000_000;

pub fn run(arguments: &BenchArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let powers = std::iter::successors(Some(100_usize), |length| length.checked_mul(10));
    let lengths: Vec<usize> =
        powers.take_while(|length| *length <= arguments.longest.unwrap_or(LONGEST).max(100)).collect();
    let measurements = figure8::measure(&lengths);
    match arguments.output.format {
        OutputFormat::Text => write_table(out, &measurements)?,
        OutputFormat::Json => writeln!(out, "{:#}", document(&measurements))?,
    }
    if let Some(file) = &arguments.svg {
        let picture = figure8::draw(&lengths, &measurements).map_err(Failure::new)?;
        super::write_file(file, &picture)?;
    }
    Ok(Outcome::Holds)
}

fn write_table(out: &mut impl Write, measurements: &[Measurement]) -> Result<(), Failure> {
    writeln!(
        out,
        "The paper's four queries on each program at once, from columns in memory to values, and three\n\
         collections one inside the other. Time grows as the length to the power of the exponent,\n\
         going by the three longest traces: 1 is linear. Forward evaluation gives up at its limits."
    )?;
    for workload in Workload::ALL {
        writeln!(
            out,
            "\n{:<26} {:>12} {:>14} {:>18} {:>9}",
            workload.name(),
            "states",
            "milliseconds",
            "states a second",
            "exponent"
        )?;
        for way in Way::ALL {
            write_way(out, way, &figure8::of(measurements, workload, way).collect::<Vec<_>>())?;
        }
    }
    Ok(())
}

fn write_way(out: &mut impl Write, way: Way, measurements: &[&Measurement]) -> Result<(), Failure> {
    let exponent = figure8::exponent(measurements.iter().copied());
    for (index, one) in measurements.iter().enumerate() {
        let name = if index == 0 { way.name() } else { "" };
        write!(out, "  {name:<24} {:>12}", one.states)?;
        let (Some(time), Some(rate)) = (one.time, one.rate()) else {
            writeln!(out, " {:>14}", "gave up")?;
            break;
        };
        write!(out, " {:>14.4} {:>18}", time.as_secs_f64() * 1e3, rate_text(rate))?;
        let is_last = measurements.get(index + 1).is_none_or(|next| next.time.is_none());
        match exponent.filter(|_| is_last) {
            Some(exponent) => writeln!(out, " {exponent:>9.2}")?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

fn rate_text(rate: f64) -> String {
    if rate >= 1e5 { format!("{:.1} million", rate * 1e-6) } else { format!("{rate:.0}") }
}

fn document(measurements: &[Measurement]) -> serde_json::Value {
    let one = |one: &Measurement| {
        json!({
            "workload": one.workload.name(),
            "way": one.way.name(),
            "states": one.states,
            "milliseconds": one.time.map(|time| time.as_secs_f64() * 1e3),
            "states_a_second": one.rate(),
        })
    };
    let exponents = Workload::ALL.into_iter().flat_map(|workload| {
        Way::ALL.map(|way| {
            let exponent = figure8::exponent(figure8::of(measurements, workload, way));
            json!({ "workload": workload.name(), "way": way.name(), "exponent": exponent })
        })
    });
    json!({
        "experiment": "figure8",
        "measurements": measurements.iter().map(one).collect::<Vec<_>>(),
        "exponents": exponents.collect::<Vec<_>>(),
    })
}
