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

/// Draws the measurements as SVG: one chart a formula, both axes logarithmic.
pub fn draw(lengths: &[usize], measurements: &[Measurement]) -> Result<String, Box<dyn Error>> {
    let times = axis(measurements);
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (1320, 480)).into_drawing_area();
        root.fill(&WHITE)?;
        let (charts, legend) = root.split_vertically(420);
        for (area, formula) in charts.split_evenly((1, 3)).iter().zip(FORMULAS) {
            draw_formula(area, formula, lengths, measurements, times.clone())?;
        }
        draw_legend(&legend)?;
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
    let states = (first as f64).log10() - 0.05..(last as f64).log10() + 0.05;
    let mut chart = ChartBuilder::on(area)
        .caption(formula, ("sans-serif", 18))
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
        .x_label_formatter(&|power| format!("{:.0e}", power_of_ten(*power)))
        .y_label_formatter(&|time| format!("{time:e}"))
        .draw()?;
    for traversal in Traversal::ALL {
        let colour = colour(traversal);
        let points = points(measurements, formula, traversal);
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
        chart.draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled())))?;
    }
    Ok(())
}

/// What the colours mean, in columns of two.
fn draw_legend(area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn Error>> {
    let text = ("sans-serif", 15).into_font();
    for (index, traversal) in Traversal::ALL.into_iter().enumerate() {
        let (x, y) = (70 + 310 * (index as i32 / 2), 14 + 24 * (index as i32 % 2));
        area.draw(&PathElement::new([(x, y), (x + 28, y)], colour(traversal).stroke_width(3)))?;
        area.draw(&Text::new(legend_text(traversal), (x + 36, y - 7), text.clone()))?;
    }
    Ok(())
}

/// The name of a traversal where it does not stand below the one that it is a kind of.
fn legend_text(traversal: Traversal) -> &'static str {
    match traversal {
        Traversal::WithoutCache => "as in the paper, without its cache",
        Traversal::StateFirst => "breadth-first, state first",
        Traversal::Subsumption => "breadth-first, state first, subsumption",
        other => other.name(),
    }
}

/// The points of one traversal on one formula: the logarithm of the trace's length, and the time.
fn points(measurements: &[Measurement], formula: &str, traversal: Traversal) -> Vec<(f64, f64)> {
    let point = |one: &Measurement| Some(((one.states as f64).log10(), milliseconds(one)?));
    of(measurements, formula, traversal).filter_map(point).collect()
}

fn milliseconds(one: &Measurement) -> Option<f64> {
    Some((one.time?.as_secs_f64() * 1e3).max(SHORTEST))
}

/// The axis of times, in milliseconds, the same for all formulas: from the power of ten below the
/// shortest to the one above the longest.
fn axis(measurements: &[Measurement]) -> Range<f64> {
    let times = || measurements.iter().filter_map(milliseconds);
    let shortest = times().reduce(f64::min).unwrap_or(SHORTEST);
    let longest = times().reduce(f64::max).unwrap_or(1.0);
    power_of_ten(shortest.log10().floor())..power_of_ten(longest.log10().ceil())
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
        assert!(close(range.start, 1e-4) && close(range.end, 100.0), "{range:?}");
    }
}
