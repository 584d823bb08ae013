//! The pictures of figure 10.

use super::{ENGINES, FORMULAS, Measurement, of};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

/// The colours of the engines, in their order.
const COLOURS: [RGBColor; ENGINES.len()] = [
    RGBColor(204, 51, 17),
    RGBColor(238, 153, 51),
    RGBColor(170, 68, 153),
    RGBColor(0, 119, 187),
    RGBColor(0, 153, 136),
];
/// The axis of times, in milliseconds.
const SHORTEST: f64 = 1e-5;
const LONGEST: f64 = 1e8;

/// Draws the measurements as SVG: one chart a formula, both axes logarithmic.
pub fn draw(lengths: &[usize], measurements: &[Measurement]) -> Result<String, Box<dyn Error>> {
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (1320, 440)).into_drawing_area();
        root.fill(&WHITE)?;
        for (area, formula) in root.split_evenly((1, 3)).iter().zip(FORMULAS) {
            draw_formula(area, formula, lengths, measurements)?;
        }
        root.present()?;
    }
    Ok(picture)
}

fn draw_formula(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    formula: &str,
    lengths: &[usize],
    measurements: &[Measurement],
) -> Result<(), Box<dyn Error>> {
    let (Some(&first), Some(&last)) = (lengths.first(), lengths.last()) else { return Ok(()) };
    let states = first as f64..last as f64 * 1.2;
    let mut chart = ChartBuilder::on(area)
        .caption(formula, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(states.log_scale(), (SHORTEST..LONGEST).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE.mix(0.0))
        .x_desc("states")
        .y_desc("milliseconds")
        .x_label_formatter(&|states| format!("{states:e}"))
        .y_label_formatter(&|time| format!("{time:e}"))
        .draw()?;
    for (engine, colour) in ENGINES.into_iter().zip(COLOURS) {
        let points = points(measurements, formula, engine);
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

/// The points of one engine on one formula: the length of the trace, and the time.
fn points(measurements: &[Measurement], formula: &str, engine: &str) -> Vec<(f64, f64)> {
    let milliseconds = |one: &Measurement| Some((one.time?.as_secs_f64() * 1e3).max(SHORTEST));
    of(measurements, formula, engine).filter_map(|one| Some((one.states as f64, milliseconds(one)?))).collect()
}
