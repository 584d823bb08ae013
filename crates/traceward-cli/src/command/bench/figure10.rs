//! `traceward bench figure10`

use crate::arguments::{BenchArguments, OutputFormat};
use crate::failure::{Failure, Outcome};
use plotters::prelude::*;
use serde_json::json;
use std::io::Write;
use std::time::Duration;
use traceward::experiment::{FIGURE_10_ENGINES, FIGURE_10_FORMULAS, Measurement, figure_10};

/// An engine that would need longer than this for a trace is not asked.
const PATIENCE: Duration = Duration::from_secs(3);

/// As long as a trace gets unless something else is asked for.
const LONGEST: usize = 100_000;

pub fn run(arguments: &BenchArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let powers = std::iter::successors(Some(100_usize), |length| length.checked_mul(10));
    let lengths: Vec<usize> =
        powers.take_while(|length| *length <= arguments.longest.unwrap_or(LONGEST).max(100)).collect();
    let measurements = figure_10(&lengths, PATIENCE);
    match arguments.output.format {
        OutputFormat::Text => write_table(out, &lengths, &measurements)?,
        OutputFormat::Json => writeln!(out, "{:#}", document(&measurements))?,
    }
    if let Some(file) = &arguments.svg {
        let picture = draw(&lengths, &measurements).map_err(Failure::new)?;
        super::write_file(file, &picture)?;
    }
    Ok(Outcome::Holds)
}

fn of<'a>(measurements: &'a [Measurement], formula: &str, engine: &str) -> impl Iterator<Item = &'a Measurement> {
    measurements.iter().filter(move |one| one.formula == formula && one.engine == engine)
}

fn write_table(out: &mut impl Write, lengths: &[usize], measurements: &[Measurement]) -> Result<(), Failure> {
    writeln!(
        out,
        "milliseconds for a trace of so many states; - would be more than {} s, or too many slices",
        PATIENCE.as_secs()
    )?;
    for formula in FIGURE_10_FORMULAS {
        write!(out, "\n{formula:<32}")?;
        for states in lengths {
            write!(out, " {states:>12}")?;
        }
        writeln!(out)?;
        for engine in FIGURE_10_ENGINES {
            write!(out, "  {engine:<30}")?;
            for one in of(measurements, formula, engine) {
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
        json!({ "formula": one.formula, "engine": one.engine, "states": one.states, "milliseconds": milliseconds })
    };
    json!({ "experiment": "figure10", "measurements": measurements.iter().map(one).collect::<Vec<_>>() })
}

/// One diagram a formula, both axes logarithmic.
fn draw(lengths: &[usize], measurements: &[Measurement]) -> Result<String, Box<dyn std::error::Error>> {
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (1320, 440)).into_drawing_area();
        root.fill(&WHITE)?;
        for (area, formula) in root.split_evenly((1, 3)).iter().zip(FIGURE_10_FORMULAS) {
            draw_formula(area, formula, lengths, measurements)?;
        }
        root.present()?;
    }
    Ok(picture)
}

fn draw_formula(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    formula: &str,
    lengths: &[usize],
    measurements: &[Measurement],
) -> Result<(), Box<dyn std::error::Error>> {
    const COLOURS: [RGBColor; 5] = [
        RGBColor(204, 51, 17),
        RGBColor(238, 153, 51),
        RGBColor(170, 68, 153),
        RGBColor(0, 119, 187),
        RGBColor(0, 153, 136),
    ];
    let (first, last) = (lengths[0] as f64, lengths[lengths.len() - 1] as f64);
    let mut chart = ChartBuilder::on(area)
        .caption(formula, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((first..last * 1.2).log_scale(), (1e-5_f64..1e8).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE.mix(0.0))
        .x_desc("states")
        .y_desc("milliseconds")
        .x_label_formatter(&|states| format!("{states:e}"))
        .y_label_formatter(&|time| format!("{time:e}"))
        .draw()?;
    for (engine, colour) in FIGURE_10_ENGINES.into_iter().zip(COLOURS) {
        let points: Vec<(f64, f64)> = of(measurements, formula, engine)
            .filter_map(|one| one.time.map(|time| (one.states as f64, (time.as_secs_f64() * 1e3).max(1e-5))))
            .collect();
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
            .label(engine)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        chart.draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}
