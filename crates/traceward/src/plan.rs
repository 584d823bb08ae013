//! What is done with a formula, stage by stage.

use crate::spec::Spec;
use std::fmt;
use std::sync::Arc;
use traceward_engine::automaton::export::written_out;
use traceward_engine::select::{Config, Evaluator, Judge, Prepared};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::lower::Claim;
use traceward_logic::print::tree;

/// How many nodes the conditions of an automaton may name together and still be worth reading.
const MOST_WRITTEN: u64 = 10_000;

/// The stages of one property.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// Each stage's name and its text.
    pub stages: Vec<(&'static str, String)>,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        for (stage, text) in &self.stages {
            for (index, line) in text.lines().enumerate() {
                let head = if index == 0 { stage } else { "" };
                writeln!(f, "  {head:<11} {line}")?;
            }
        }
        Ok(())
    }
}

/// Shows what becomes of each property of a spec: what was read, the core, the normal form, the automaton, and the engine
/// that is chosen.
pub fn explain_plan(spec: &Spec, config: Config) -> Vec<Plan> {
    let lowered = spec.lowered();
    let names = lowered.variables.names();
    let properties = lowered.properties.iter().zip(spec.property_names());
    properties
        .map(|(property, name)| {
            let read = [("text", spec.text(property.body.span)), ("tree", tree(&property.body))];
            let stages = match &property.claim {
                Claim::Formula(formula) => formula_stages(&lowered.formulas, *formula, config, &names),
                Claim::Assert(..) => {
                    vec![("engine", "naive: queries are evaluated by their definition".to_owned())]
                }
            };
            Plan { name, stages: read.into_iter().chain(stages).collect() }
        })
        .collect()
}

fn formula_stages(
    formulas: &Formulas,
    formula: FormulaId,
    config: Config,
    names: &[Arc<str>],
) -> Vec<(&'static str, String)> {
    let evaluator = Evaluator::new(formulas, &[formula], config);
    let Prepared { formulas, lowered, split, simplified, normal, .. } = evaluator.prepared();
    let print = |stage: &[FormulaId]| formulas.display(stage[0], names).to_string();
    let mut stages = vec![
        ("core", print(lowered)),
        ("split", print(split)),
        ("simplified", print(simplified)),
        ("normal form", print(normal)),
    ];
    if let Some(reverse) = evaluator.reverse() {
        let automaton = reverse.automaton();
        stages.push((
            "automaton",
            match written_out(automaton) > MOST_WRITTEN {
                true => format!("{} nodes; too large to be written out", automaton.nodes().len()),
                false => automaton.display(formulas, names).to_string(),
            },
        ));
    }
    stages.push((
        "engine",
        match Judge::new(formulas, lowered, config) {
            Ok(Some(judge)) => {
                let made = judge.summary().map(|summary| format!(" {summary};")).unwrap_or_default();
                format!("{}: asked for;{made} the positions of violations come from reverse", judge.engine())
            }
            Ok(None) => format!("{}: {}", evaluator.engine(), evaluator.reason()),
            Err(unsupported) => unsupported.to_string(),
        },
    ));
    stages
}
