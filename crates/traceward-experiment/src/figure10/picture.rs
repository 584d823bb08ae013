//! The pictures of figure 10.

use super::{FORMULAS, Measurement, Traversal, of};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;

fn colour(traversal: Traversal) -> RGBColor {
    match traversal {
        Traversal::DepthFirst => RGBColor(204, 51, 17),
        Traversal::AsInPaper => RGBColor(238, 153, 51),
        Traversal::WithoutCache => RGBColor(136, 102, 34),
        Traversal::StateFirst => RGBColor(238, 102, 170),
        Traversal::Subsumption => RGBColor(170, 68, 153),
        Traversal::BreadthFirst => RGBColor(0, 119, 187),
        Traversal::Reverse => RGBColor(0, 153, 136),
    }
}

/// The shortest time that is drawn, in milliseconds: no clock tells less.
const SHORTEST: f64 = 1e-5;

/// The room above the lines that the legend takes, as a factor on the axis.
const LEGEND: f64 = 1e4;

/// Draws the measurements as SVG: one chart a formula, both axes logarithmic.
pub fn draw(lengths: &[usize], measurements: &[Measurement]) -> Result<String, Box<dyn Error>> {
    let times = axis(measurements);
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (1320, 440)).into_drawing_area();
        root.fill(&WHITE)?;
        for (area, formula) in root.split_evenly((1, 3)).iter().zip(FORMULAS) {
            draw_formula(area, formula, lengths, measurements, times.clone())?;
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
    times: Range<f64>,
) -> Result<(), Box<dyn Error>> {
    let (Some(&first), Some(&last)) = (lengths.first(), lengths.last()) else { return Ok(()) };
    let states = first as f64..last as f64 * 1.2;
    let mut chart = ChartBuilder::on(area)
        .caption(formula, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(states.log_scale(), times.log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE.mix(0.0))
        .x_desc("states")
        .y_desc("milliseconds")
        .x_label_formatter(&|states| format!("{states:e}"))
        .y_label_formatter(&|time| format!("{time:e}"))
        .draw()?;
    for traversal in Traversal::ALL {
        let colour = colour(traversal);
        let points = points(measurements, formula, traversal);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
            .label(traversal.name())
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

/// The points of one traversal on one formula: the length of the trace, and the time.
fn points(measurements: &[Measurement], formula: &str, traversal: Traversal) -> Vec<(f64, f64)> {
    let point = |one: &Measurement| Some((one.states as f64, milliseconds(one)?));
    of(measurements, formula, traversal).filter_map(point).collect()
}

fn milliseconds(one: &Measurement) -> Option<f64> {
    Some((one.time?.as_secs_f64() * 1e3).max(SHORTEST))
}

/// The axis of times, in milliseconds, the same for all formulas: from the power of ten below the
/// shortest to the one above the longest, and above that the legend.
fn axis(measurements: &[Measurement]) -> Range<f64> {
    let times = || measurements.iter().filter_map(milliseconds);
    let shortest = times().reduce(f64::min).unwrap_or(SHORTEST);
    let longest = times().reduce(f64::max).unwrap_or(1.0);
    power_of_ten(shortest.log10().floor())..power_of_ten(longest.log10().ceil()) * LEGEND
}

fn power_of_ten(exponent: f64) -> f64 {
    10_f64.powf(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_axis_fits_what_was_measured() {
        let measurement = |nanoseconds: Option<u64>| Measurement {
            formula: FORMULAS[0],
            traversal: Traversal::Reverse,
            states: 100,
            time: nanoseconds.map(Duration::from_nanos),
        };
        // 200 ns and 30 ms.
        let range = axis(&[measurement(Some(200)), measurement(None), measurement(Some(30_000_000))]);
        let close = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-9;
        assert!(close(range.start, 1e-4) && close(range.end, 100.0 * LEGEND), "{range:?}");
    }
}
