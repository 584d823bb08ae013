//! `traceward explain-plan`

use crate::arguments::{OutputFormat, PlanArguments};
use crate::failure::{Failure, Outcome};
use crate::input;
use serde_json::{Map, Value, json};
use std::io::Write;
use traceward::plan::explain_plan;

pub fn run(arguments: &PlanArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let spec = input::spec_alone(&arguments.asked, "nothing to explain")?;
    let plans = explain_plan(&spec, arguments.engine.config());
    if plans.is_empty() {
        let help = "queries have no stages: they are evaluated by their definition";
        return Err(Failure::new("there is no property to explain").help(help));
    }
    match arguments.output.format {
        OutputFormat::Text => {
            for (index, plan) in plans.iter().enumerate() {
                write!(out, "{}{plan}", if index == 0 { "" } else { "\n" })?;
            }
        }
        OutputFormat::Json => {
            let document = |plan: &traceward::plan::Plan| {
                let stages = plan.stages.iter().map(|(stage, text)| ((*stage).to_owned(), json!(text)));
                json!({ "name": plan.name, "stages": Value::Object(stages.collect::<Map<_, _>>()) })
            };
            let plans: Vec<Value> = plans.iter().map(document).collect();
            writeln!(out, "{:#}", json!({ "plans": plans }))?;
        }
    }
    Ok(Outcome::Holds)
}
