//! What `lint` and `compare` found.

use super::units::{counted, shown};
use super::{BAD, BOLD, DIM, GOOD};
use std::io::{self, Write};
use std::sync::Arc;
use traceward::Value;
use traceward::hygiene::{Comparison, Example, Lint, Oddity, Relation};
use traceward::message::{Shown, duration};

/// Writes what is odd in a spec.
pub fn lint(out: &mut impl Write, lint: &Lint) -> io::Result<()> {
    for finding in &lint.findings {
        let other = Shown(&listed(&finding.others)).to_string();
        let what = match finding.oddity {
            Oddity::Unsatisfiable => "can never hold".to_owned(),
            Oddity::Valid => "can never fail".to_owned(),
            Oddity::ImpliedBy => format!("holds wherever {other} does, and adds nothing to it"),
            Oddity::EquivalentTo => format!("means the same as {other}"),
            Oddity::ConflictsWith if finding.others.len() == 1 => format!("can never hold together with {other}"),
            Oddity::ConflictsWith => {
                format!("can never hold together with {other}, and without any one of them the others can")
            }
        };
        writeln!(out, "{BAD}✗ {}{BAD:#}  {what}", Shown(&finding.property))?;
        if let Some(example) = &finding.example {
            write_example(out, example)?;
        }
    }
    let looked_at = match lint.properties.len() {
        1 => "1 property".to_owned(),
        count => format!("{count} properties"),
    };
    let odd = lint.findings.len();
    match odd {
        0 if !lint.undecided.is_empty() => {}
        0 => writeln!(out, "{GOOD}✓{GOOD:#} nothing odd about {looked_at}")?,
        _ => writeln!(out, "{} about {looked_at}", counted(odd, "finding"))?,
    }
    match lint.passed_over {
        0 => Ok(()),
        1 => writeln!(out, "{DIM}1 query or assert was not looked at{DIM:#}"),
        count => writeln!(out, "{DIM}{count} queries and asserts were not looked at{DIM:#}"),
    }
}

/// Names as people list them.
fn listed(names: &[String]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        names => names.concat(),
    }
}

/// Writes how two properties relate.
pub fn comparison(out: &mut impl Write, comparison: &Comparison) -> io::Result<()> {
    let [first, second] = comparison.formulas.each_ref().map(|formula| Shown(formula));
    let says = match comparison.relation {
        Relation::Equal => "equal: the same traces satisfy both",
        Relation::Stronger => "stronger: the first implies the second, and not the other way round",
        Relation::Weaker => "weaker: the second implies the first, and not the other way round",
        Relation::Neither => "neither implies the other",
    };
    let [first_name, second_name] = comparison.names.each_ref().map(|name| Shown(name));
    writeln!(out, "{first_name}  {DIM}{first}{DIM:#}\n{second_name}  {DIM}{second}{DIM:#}")?;
    writeln!(out, "{BOLD}{says}{BOLD:#}")?;
    comparison.examples.iter().try_for_each(|example| write_example(out, example))
}

pub(super) fn write_example(out: &mut impl Write, example: &Example) -> io::Result<()> {
    let names = |names: &[String]| Shown(&names.join(" and ")).to_string();
    let what = match (&example.satisfies[..], &example.violates[..]) {
        (satisfied, []) => format!("satisfies {}", names(satisfied)),
        ([], violated) => format!("violates {}", names(violated)),
        (satisfied, violated) => format!("satisfies {} and violates {}", names(satisfied), names(violated)),
    };
    writeln!(out, "    a shortest trace that {what}:")?;
    match &example.time {
        Some(time) => write_timed(out, example, time),
        None => write_states(out, example),
    }
}

/// Writes the states of a trace, equal ones at once.
fn write_states(out: &mut impl Write, example: &Example) -> io::Result<()> {
    let mut position = 0;
    for run in example.states.chunk_by(|one, next| one == next) {
        let values = values(&run[0]);
        match run.len() {
            1 => writeln!(out, "      {position}: {values}")?,
            len => writeln!(out, "      {position} to {}: {values}", position + len - 1)?,
        }
        position += run.len();
    }
    Ok(())
}

/// Writes the states of a trace with their timestamps.
fn write_timed(out: &mut impl Write, example: &Example, time: &[i64]) -> io::Result<()> {
    for (position, (state, &time)) in example.states.iter().zip(time).enumerate() {
        // The unit of nothing is that of most bounds. A rounded time would not tell the two apart.
        let at = if time == 0 { "0s".to_owned() } else { duration(time.unsigned_abs()) };
        writeln!(out, "      {position}: at {at}: {}", values(state))?;
    }
    Ok(())
}

fn values(state: &[(Arc<str>, Value)]) -> String {
    let values: Vec<String> = state.iter().map(|(name, value)| format!("{} = {}", Shown(name), shown(value))).collect();
    if values.is_empty() { "any state".to_owned() } else { values.join(", ") }
}
