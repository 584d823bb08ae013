//! `traceward bench bounded`

use crate::arguments::{BenchArguments, OutputFormat};
use crate::failure::{Failure, Outcome};
use serde_json::{Value, json};
use std::io::Write;
use traceward_experiment::bounded::{
    self, Bounded, Contender, ContenderCost, Growth, HIDDEN_CONSTANT, Measured, Series, SizePoint, SublogicCost,
};

/// The length of the longest trace, unless another one is asked for.
const LONGEST: usize = 2048;

pub fn run(arguments: &BenchArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let measured = bounded::measure(arguments.longest.unwrap_or(LONGEST));
    match arguments.output.format {
        OutputFormat::Text => write_tables(out, &measured)?,
        OutputFormat::Json => writeln!(out, "{:#}", document(&measured))?,
    }
    if let Some(file) = &arguments.svg {
        let picture = bounded::draw(&measured).map_err(Failure::new)?;
        super::write_file(file, &picture)?;
    }
    Ok(Outcome::Holds)
}

fn write_tables(out: &mut impl Write, measured: &Bounded) -> Result<(), Failure> {
    writeln!(
        out,
        "What the algorithms on metric automata need at their most, and what their theorems allow, with\n\
         {HIDDEN_CONSTANT} for the constant that O leaves open; ! is more than that. A - is an engine that refuses, gives\n\
         up, would take long or cannot tell. As printed, an entry of a configuration is dropped if another\n\
         entry of it asks for more, which is the union of the thesis, and nothing else is."
    )?;
    for (index, series) in measured.series.iter().enumerate() {
        write_series(out, index + 1, series)?;
    }
    write_sublogics(out, &measured.sublogics)
}

fn write_series(out: &mut impl Write, number: usize, series: &Series) -> Result<(), Failure> {
    let growth = series.growth;
    writeln!(out, "\n{number}. Growing {}: {}\n{}", growth.name(), growth.formula(), growth.lesson())?;
    writeln!(out, "The trace: {}.\n", growth.trace())?;
    write_row(out, growth.variable(), series, |point| point.at.to_string())?;
    if growth == Growth::Constant {
        write_row(out, "size of the metric automaton", series, |point| point.measures.x.to_string())?;
        write_row(out, "  of the alternating, expanded", series, |point| shown(point.expanded_nodes))?;
    }
    for (place, contender) in series.contenders.iter().enumerate() {
        write_sizes(out, series, place, *contender)?;
    }
    writeln!(out, "nanoseconds per state")?;
    for (place, contender) in series.contenders.iter().enumerate() {
        let name = format!("  {}", contender.name());
        write_row(out, &name, series, |point| {
            let time = point.costs[place].measured.as_ref().map(|measured| measured.nanoseconds_per_state());
            time.map_or_else(|| "-".to_owned(), short)
        })?;
    }
    Ok(())
}

/// A contender's sizes, below them what the theorem allows if it is the last whom that is about.
fn write_sizes(out: &mut impl Write, series: &Series, place: usize, contender: Contender) -> Result<(), Failure> {
    write_row(out, &sized_name(contender), series, |point| size_text(&point.costs[place]))?;
    let next = series.contenders.get(place + 1).and_then(|next| next.theorem());
    let stated = |point: &SizePoint| point.costs[place].bound;
    if let Some(bound) = series.points.first().and_then(stated).filter(|_| next != contender.theorem()) {
        let allowed = |point: &SizePoint| shown(stated(point).map(|bound| bound.allows));
        write_row(out, &format!("  {}", bound.name), series, allowed)?;
    }
    if contender == Contender::Generic && series.growth == Growth::Width {
        write_row(out, "generic, type B leaves", series, |point| shown(configurations(&point.costs[place])))?;
        write_row(out, "  theorem 4.6", series, |point| point.measures.type_b().to_string())?;
    }
    Ok(())
}

/// A contender with what is counted.
fn sized_name(contender: Contender) -> String {
    let name = contender.name();
    match (contender.counts_configurations(), contender.is_expanded()) {
        (true, true) => name.to_owned(),
        (true, false) => format!("{name}, configs"),
        (false, _) => format!("{name}, nodes"),
    }
}

fn configurations(cost: &ContenderCost) -> Option<usize> {
    cost.measured.as_ref()?.statistics?.peak_configurations
}

fn size_text(cost: &ContenderCost) -> String {
    let mark = if cost.exceeds_bound() { "!" } else { "" };
    format!("{}{mark}", shown(cost.size()))
}

fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn short(number: f64) -> String {
    if number < 1e6 { format!("{number:.0}") } else { format!("{number:.1e}") }
}

fn write_row(
    out: &mut impl Write,
    name: &str,
    series: &Series,
    cell: impl Fn(&SizePoint) -> String,
) -> Result<(), Failure> {
    write!(out, "{name:<34}")?;
    for point in &series.points {
        write!(out, " {:>6}", cell(point))?;
    }
    writeln!(out)?;
    Ok(())
}

fn write_sublogics(out: &mut impl Write, sublogics: &[SublogicCost]) -> Result<(), Failure> {
    let number = Growth::ALL.len() + 1;
    let states = sublogics.first().map_or(0, |one| one.states);
    writeln!(
        out,
        "\n{number}. By sublogic: what generic needs for a trace of {states} states\n\
         Type B are configurations, type A timers. 4.7 bounds the nodes, 4.8 the steps for all that is read.\n"
    )?;
    writeln!(
        out,
        "{:>8} {:>3} {:>4} {:>7} {:>7} {:>7} {:>9} {:>8} {:>7} {:>9} {:>9} {:>9}",
        "X", "Y", "C", "type B", "type A", "nodes", "4.7", "bytes", "read", "ns/state", "µs", "4.8"
    )?;
    for one in sublogics {
        writeln!(out, "{}: {}, space {}", one.sublogic, one.formula, one.sublogic.space())?;
        let statistics = one.measured.statistics.unwrap_or_default();
        writeln!(
            out,
            "{:>8} {:>3} {:>4} {:>7} {:>7} {:>7} {:>9} {:>8} {:>7} {:>9.0} {:>9.0} {:>9}",
            one.measures.x,
            one.measures.y,
            one.measures.c,
            shown(statistics.peak_configurations),
            shown(statistics.peak_leaves),
            shown(statistics.peak_nodes),
            one.space.to_string(),
            statistics.peak_bytes,
            one.measured.read,
            one.measured.nanoseconds_per_state(),
            one.measured.time.as_secs_f64() * 1e6,
            one.time.to_string(),
        )?;
    }
    Ok(())
}

fn document(measured: &Bounded) -> Value {
    json!({
        "experiment": "bounded",
        "hidden_constant": HIDDEN_CONSTANT,
        "series": measured.series.iter().map(series_document).collect::<Vec<_>>(),
        "sublogics": measured.sublogics.iter().map(sublogic_document).collect::<Vec<_>>(),
    })
}

fn series_document(series: &Series) -> Value {
    let point = |point: &SizePoint| {
        json!({
            "at": point.at,
            "states": point.states,
            "sublogic": point.sublogic.name(),
            "x": point.measures.x,
            "y": point.measures.y,
            "c": point.measures.c,
            "expanded_nodes": point.expanded_nodes,
            "costs": point.costs.iter().map(cost_document).collect::<Vec<_>>(),
        })
    };
    json!({
        "growing": series.growth.name(),
        "formula": series.growth.formula(),
        "points": series.points.iter().map(point).collect::<Vec<_>>(),
    })
}

/// Bounds are given by their logarithm: many are too large for a number.
fn cost_document(cost: &ContenderCost) -> Value {
    json!({
        "contender": cost.contender.name(),
        "size": cost.size(),
        "theorem": cost.bound.map(|bound| bound.name),
        "bound_log10": cost.bound.map(|bound| bound.allows.log10()),
        "exceeds_bound": cost.exceeds_bound(),
        "measured": cost.measured.as_ref().map(measured_document),
    })
}

fn measured_document(measured: &Measured) -> Value {
    let statistics = measured.statistics;
    json!({
        "holds": measured.holds,
        "read": measured.read,
        "peak_configurations": statistics.and_then(|one| one.peak_configurations),
        "peak_nodes": statistics.and_then(|one| one.peak_nodes),
        "peak_leaves": statistics.and_then(|one| one.peak_leaves),
        "peak_bytes": statistics.map(|one| one.peak_bytes),
        "nanoseconds_per_state": measured.nanoseconds_per_state(),
    })
}

fn sublogic_document(one: &SublogicCost) -> Value {
    json!({
        "sublogic": one.sublogic.name(),
        "formula": one.formula,
        "states": one.states,
        "x": one.measures.x,
        "y": one.measures.y,
        "c": one.measures.c,
        "space": one.sublogic.space(),
        "space_log10": one.space.log10(),
        "time": one.sublogic.time(),
        "time_log10": one.time.log10(),
        "measured": measured_document(&one.measured),
    })
}
