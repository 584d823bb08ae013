//! The pictures of figure 8.

use super::{Measurement, Way, Workload, of};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;

fn colour(way: Way) -> RGBColor {
    match way {
        Way::Blocks => RGBColor(0, 119, 187),
        Way::StateByState => RGBColor(0, 153, 136),
        Way::Forward => RGBColor(204, 51, 17),
    }
}

/// The shortest time that is drawn, in milliseconds: no clock tells less.
const SHORTEST: f64 = 1e-5;

/// Draws the measurements as SVG: one chart a workload, both axes logarithmic.
pub fn draw(lengths: &[usize], measurements: &[Measurement]) -> Result<String, Box<dyn Error>> {
    let times = axis(measurements);
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (1320, 460)).into_drawing_area();
        root.fill(&WHITE)?;
        let (charts, legend) = root.split_vertically(420);
        for (area, workload) in charts.split_evenly((1, 3)).iter().zip(Workload::ALL) {
            draw_workload(area, workload, lengths, measurements, times.clone())?;
        }
        draw_legend(&legend)?;
        root.present()?;
    }
    Ok(picture)
}

fn draw_workload(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    workload: Workload,
    lengths: &[usize],
    measurements: &[Measurement],
    times: Range<f64>,
) -> Result<(), Box<dyn Error>> {
    let (Some(&first), Some(&last)) = (lengths.first(), lengths.last()) else { return Ok(()) };
    let states = (first as f64).log10() - 0.05..(last as f64).log10() + 0.05;
    let mut chart = ChartBuilder::on(area)
        .caption(workload.name(), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(states, times.log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE.mix(0.0))
        .x_labels(lengths.len())
        .x_desc("states")
        .y_desc("milliseconds")
        .x_label_formatter(&|power| format!("{:.0e}", 10_f64.powf(*power)))
        .y_label_formatter(&|time| format!("{time:e}"))
        .draw()?;
    for way in Way::ALL {
        let colour = colour(way);
        let point = |one: &Measurement| Some(((one.states as f64).log10(), milliseconds(one)?));
        let points: Vec<(f64, f64)> = of(measurements, workload, way).filter_map(point).collect();
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
        chart.draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled())))?;
    }
    Ok(())
}

/// What the colours mean.
fn draw_legend(area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn Error>> {
    let text = ("sans-serif", 15).into_font();
    for (index, way) in Way::ALL.into_iter().enumerate() {
        let (x, y) = (70 + 310 * index as i32, 14);
        area.draw(&PathElement::new([(x, y), (x + 28, y)], colour(way).stroke_width(3)))?;
        area.draw(&Text::new(way.name(), (x + 36, y - 7), text.clone()))?;
    }
    Ok(())
}

fn milliseconds(one: &Measurement) -> Option<f64> {
    Some((one.time?.as_secs_f64() * 1e3).max(SHORTEST))
}

/// The axis of times, in milliseconds, the same for all workloads: from the power of ten below the
/// shortest to the one above the longest.
fn axis(measurements: &[Measurement]) -> Range<f64> {
    let times = || measurements.iter().filter_map(milliseconds);
    let shortest = times().reduce(f64::min).unwrap_or(SHORTEST);
    let longest = times().reduce(f64::max).unwrap_or(1.0);
    10_f64.powf(shortest.log10().floor())..10_f64.powf(longest.log10().ceil())
}
