//! `traceward explain-plan`

use crate::arguments::{OutputFormat, PlanArguments};
use crate::failure::{Failure, Outcome};
use crate::input;
use serde_json::{Map, Value, json};
use std::io::Write;
use traceward::plan::{ChosenFor, EngineBounds, MostNeeded, Plan, Statement, TRACE_STATES, explain_plan};
use traceward::{Goal, Spec};

pub fn run(arguments: &PlanArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let spec = input::spec_alone(&arguments.asked, Goal::Check, "nothing to explain")?;
    write_plans(arguments, &spec, out)?;
    Ok(Outcome::Holds)
}

/// Writes what becomes of a spec's formulas and queries.
pub fn write_plans(arguments: &PlanArguments, spec: &Spec, out: &mut impl Write) -> Result<(), Failure> {
    let plans = explain_plan(spec, arguments.engine.config());
    if plans.is_empty() {
        let help = "give a formula or a query: -e 'G(a -> F b)'";
        return Err(Failure::new("there is no property and no query to explain").help(help));
    }
    match arguments.output.format {
        OutputFormat::Text => {
            for (index, plan) in plans.iter().enumerate() {
                write!(out, "{}{plan}", if index == 0 { "" } else { "\n" })?;
            }
        }
        OutputFormat::Json => {
            let plans: Vec<Value> = plans.iter().map(document).collect();
            writeln!(out, "{:#}", json!({ "plans": plans }))?;
        }
    }
    Ok(())
}

fn document(plan: &Plan) -> Value {
    let stages = plan.stages.iter().map(|(stage, text)| ((*stage).to_owned(), json!(text)));
    json!({
        "name": plan.name,
        "stages": Value::Object(stages.collect::<Map<_, _>>()),
        "bounds": {
            "states": TRACE_STATES,
            "engines": plan.bounds.iter().map(bounds_document).collect::<Vec<_>>(),
        },
    })
}

fn bounds_document(bounds: &EngineBounds) -> Value {
    let chosen = bounds.chosen.map(|chosen| match chosen {
        ChosenFor::Files => "files",
        ChosenFor::GrowingTraces => "growing traces",
    });
    match &bounds.most {
        Ok(MostNeeded { unit, space, time }) => json!({
            "engine": bounds.engine,
            "chosen": chosen,
            "unit": unit.name(),
            "space": statement_document(space),
            "time": statement_document(time),
        }),
        Err(refused) => json!({ "engine": bounds.engine, "chosen": chosen, "refused": refused }),
    }
}

/// A bound by its logarithm, and as a number where that is not too large.
fn statement_document(statement: &Statement) -> Value {
    let number = statement.allows.number();
    json!({
        "at_most": (number < 9e15).then(|| number.round() as u64),
        "log10": (statement.allows.log10() * 1e6).round() / 1e6,
        "by": statement.name,
        "formula": statement.formula,
    })
}
