//! The measurements drawn: a chart for everything that grows.

use super::{Bounded, Contender, ContenderCost, Growth, Series, SizePoint};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// The axis of sizes. Bounds are cut off where they leave it.
const LEAST: f64 = 0.7;
const MOST: f64 = 3e6;

/// Draws the measurements as SVG: the charts, two in a row, and below them what the colours mean.
pub fn draw(measured: &Bounded) -> Result<String, Box<dyn Error>> {
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (1240, 1010)).into_drawing_area();
        root.fill(&WHITE)?;
        let (charts, legend) = root.split_vertically(920);
        for (area, series) in charts.split_evenly((2, 2)).iter().zip(&measured.series) {
            draw_series(area, series)?;
        }
        draw_legend(&legend)?;
        root.present()?;
    }
    Ok(picture)
}

fn colour(contender: Contender) -> RGBColor {
    match contender {
        Contender::Tree => RGBColor(204, 51, 17),
        Contender::GraphAsPrinted => RGBColor(238, 153, 51),
        Contender::Graph => RGBColor(170, 68, 153),
        Contender::BreadthFirstAsPrinted => RGBColor(102, 187, 238),
        Contender::BreadthFirst => RGBColor(0, 119, 187),
        Contender::GenericAsPrinted => RGBColor(102, 170, 85),
        Contender::Generic => RGBColor(0, 100, 60),
        Contender::ExpandedGraph => RGBColor(90, 90, 90),
        Contender::ExpandedAsPrinted => RGBColor(150, 150, 150),
        Contender::Expanded => RGBColor(0, 0, 0),
    }
}

/// The graph often needs as much as generic: its line is wide enough to be seen behind the other.
fn width(contender: Contender) -> u32 {
    match contender {
        Contender::GraphAsPrinted | Contender::Graph => 6,
        _ => 2,
    }
}

/// Where a size is on its axis: traces and constants are doubled, operators are counted.
fn place(growth: Growth, size: usize) -> f64 {
    match growth {
        Growth::Trace | Growth::Constant => (size as f64).log2(),
        Growth::Nesting | Growth::Width => size as f64,
    }
}

/// The size at a place.
fn size_at(growth: Growth, place: f64) -> String {
    match growth {
        Growth::Trace | Growth::Constant => format!("{:.0}", place.exp2()),
        Growth::Nesting | Growth::Width => format!("{place:.0}"),
    }
}

fn draw_series(area: &Area<'_>, series: &Series) -> Drawn {
    let growth = series.growth;
    let places: Vec<f64> = series.points.iter().map(|point| place(growth, point.at)).collect();
    let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return Ok(()) };
    let mut chart = ChartBuilder::on(area)
        .caption(growth.formula(), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(first - 0.2..last + 0.2, (LEAST..MOST).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE.mix(0.0))
        .x_labels(places.len())
        .x_desc(growth.variable())
        .y_desc("nodes or configurations at the most")
        .x_label_formatter(&|place| size_at(growth, *place))
        .y_label_formatter(&|size| format!("{size:e}"))
        .draw()?;
    for (index, contender) in series.contenders.iter().enumerate() {
        let colour = colour(*contender);
        let next = series.contenders.get(index + 1).and_then(|next| next.theorem());
        let bounds: Vec<(f64, f64)> = points(series, index, |cost| cost.bound.map(|bound| bound.allows.log10()));
        if next != contender.theorem() {
            let line = below_the_top(&bounds);
            chart.draw_series(DashedLineSeries::new(line, 6, 4, colour.stroke_width(1)))?;
        }
        let sizes = points(series, index, |cost| cost.size().map(|size| (size.max(1) as f64).log10()));
        let sizes: Vec<(f64, f64)> = sizes.into_iter().map(|(place, log)| (place, 10_f64.powf(log))).collect();
        let width = width(*contender);
        chart.draw_series(LineSeries::new(sizes.iter().copied(), colour.stroke_width(width)))?;
        chart.draw_series(sizes.into_iter().map(|point| Circle::new(point, width + 1, colour.filled())))?;
    }
    Ok(())
}

/// Some logarithm of one contender's costs, by place, as far as it is known.
fn points(series: &Series, contender: usize, log10: impl Fn(&ContenderCost) -> Option<f64>) -> Vec<(f64, f64)> {
    let point = |point: &SizePoint| Some((place(series.growth, point.at), log10(&point.costs[contender])?));
    series.points.iter().filter_map(point).collect()
}

/// A line of logarithms up to where it leaves the chart, as numbers.
fn below_the_top(line: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let top = MOST.log10();
    let mut seen: Vec<(f64, f64)> = line.iter().copied().take_while(|(_, log)| *log <= top).collect();
    if let (Some(&(from, low)), Some(&(to, high))) = (seen.last(), line.get(seen.len())) {
        seen.push((from + (to - from) * (top - low) / (high - low), top));
    }
    seen.into_iter().map(|(place, log)| (place, 10_f64.powf(log))).collect()
}

/// Where the legend has its line of an index.
fn legend_place(index: usize) -> (i32, i32) {
    (90 + 270 * (index as i32 / 3), 14 + 24 * (index as i32 % 3))
}

/// What the colours mean, in columns of three.
fn draw_legend(area: &Area<'_>) -> Drawn {
    let text = ("sans-serif", 15).into_font();
    for (index, contender) in Contender::ALL.into_iter().enumerate() {
        let (x, y) = legend_place(index);
        let colour = colour(contender);
        area.draw(&PathElement::new([(x, y), (x + 28, y)], colour.stroke_width(width(contender) + 1)))?;
        area.draw(&Text::new(contender.name(), (x + 36, y - 7), text.clone()))?;
    }
    let (x, y) = legend_place(Contender::ALL.len());
    for dash in 0..3 {
        area.draw(&PathElement::new([(x + 10 * dash, y), (x + 10 * dash + 6, y)], BLACK.stroke_width(1)))?;
    }
    area.draw(&Text::new("what the theorem allows", (x + 36, y - 7), text))?;
    Ok(())
}
