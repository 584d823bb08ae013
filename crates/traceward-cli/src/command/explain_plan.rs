//! `traceward explain-plan`

use crate::arguments::{OutputFormat, PlanArguments};
use crate::failure::{Failure, Outcome};
use crate::input;
use serde_json::{Map, Value, json};
use std::io::Write;
use traceward::{Goal, Settings, explain_plan};

pub fn run(arguments: &PlanArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    if arguments.spec.expressions.is_empty() && arguments.paths.is_empty() {
        return Err(Failure::new("nothing to explain\n  help: give a formula with -e, or a spec file"));
    }
    let settings = Settings { event: arguments.event.clone(), ..Settings::default() };
    let (spec, _) = input::spec_and_traces(&arguments.spec, &arguments.paths, settings, Goal::Check)?;
    let plans = explain_plan(&spec, arguments.engine.config());
    match arguments.output.format {
        OutputFormat::Text => {
            for (index, plan) in plans.iter().enumerate() {
                write!(out, "{}{plan}", if index == 0 { "" } else { "\n" })?;
            }
        }
        OutputFormat::Json => {
            let document = |plan: &traceward::Plan| {
                let stages = plan.stages.iter().map(|(stage, text)| ((*stage).to_owned(), json!(text)));
                json!({ "name": plan.name, "stages": Value::Object(stages.collect::<Map<_, _>>()) })
            };
            let plans: Vec<Value> = plans.iter().map(document).collect();
            writeln!(out, "{:#}", json!({ "plans": plans }))?;
        }
    }
    Ok(Outcome::Holds)
}
