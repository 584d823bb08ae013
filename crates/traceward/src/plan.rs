//! What is done with a formula, stage by stage.

use crate::spec::Spec;
use std::fmt;
use std::sync::Arc;
use traceward_engine::automaton::alternating::Alternating;
use traceward_engine::automaton::metric::{Measures, Metric, Sublogic, sublogic};
use traceward_engine::select::{Config, EngineName, Evaluator, Judge, Online, Prepared};
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Unit};
use traceward_logic::lower::Claim;
use traceward_logic::print::tree;

/// The number of nodes that the conditions of an automaton may name together and still be worth
/// reading.
const MOST_WRITTEN: u64 = 10_000;

/// The stages of one property.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name of the property.
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

/// Shows what becomes of each property of a spec: what was read, the core, the normal form, its
/// sublogic, the automaton, and the engine that is chosen.
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
    let prepared = Prepared::shared(formulas, &[formula], config.simplification);
    let evaluator = Evaluator::new(&prepared, &config);
    let Prepared { formulas, lowered, split, simplified, normal, .. } = &*prepared;
    let print = |stage: &[FormulaId]| formulas.display(stage[0], names).to_string();
    let mut stages = vec![
        ("core", print(lowered)),
        ("split", print(split)),
        ("simplified", print(simplified)),
        ("normal form", print(normal)),
    ];
    let class = MetricClass::new(formulas, normal[0]);
    stages.push(("sublogic", class.text(formulas, names)));
    if evaluator.engine() == EngineName::Reverse {
        let text = class.metric_text(formulas, names).unwrap_or_else(|| {
            let automaton = Alternating::new(formulas, normal);
            let text = || automaton.display(formulas, names).to_string();
            readable(automaton.written_out(), automaton.nodes().len(), text)
        });
        stages.push(("automaton", text));
    }
    stages.push((
        "engine",
        match Judge::new(&prepared, &[0], &config) {
            Ok(Some(judge)) => {
                let made = judge.summary().map(|summary| format!(" {summary};")).unwrap_or_default();
                format!("{}: asked for;{made} the positions of violations come from reverse", judge.engine())
            }
            Ok(None) => {
                let chosen = format!("{}: {}", evaluator.engine(), evaluator.reason());
                while_it_grows(&prepared, &config).into_iter().fold(chosen, |all, line| all + "\n" + &line)
            }
            Err(refused) => refused.error.to_string(),
        },
    ));
    stages
}

/// The engine that follows a trace that goes on, where the choice is left to us.
fn while_it_grows(prepared: &Arc<Prepared>, config: &Config) -> Option<String> {
    if config.engine != EngineName::Auto {
        return None;
    }
    let online = Online::new(prepared, 0, config).ok()?;
    Some(format!("{} while a trace goes on: {}", online.engine(), online.reason()))
}

/// An automaton as text, unless nobody would read it.
fn readable(written_out: u64, nodes: usize, text: impl FnOnce() -> String) -> String {
    if written_out > MOST_WRITTEN { format!("{nodes} nodes; too large to be written out") } else { text() }
}

/// The class of a formula for the algorithms on metric automata.
enum MetricClass {
    /// A bound counts time, as in this part.
    Timed(FormulaId),
    /// All bounds count steps.
    Steps { sublogic: Sublogic, automaton: Box<Metric>, has_past: bool },
}

impl MetricClass {
    /// The class of a formula in normal form.
    fn new(formulas: &Formulas, normal: FormulaId) -> Self {
        let parts = formulas.parts(&[normal]);
        let is_timed = |interval: Interval| interval.unit == Unit::Time;
        if let Some(&part) = parts.iter().find(|part| formulas.node(**part).interval().is_some_and(is_timed)) {
            return Self::Timed(part);
        }
        let sublogic = sublogic(formulas, normal).expect("no bound counts time");
        let automaton = Box::new(Metric::new(formulas, normal).expect("no bound counts time"));
        let has_past = parts.iter().any(|part| formulas.node(*part).direction() == Some(Direction::Past));
        Self::Steps { sublogic, automaton, has_past }
    }

    fn text(&self, formulas: &Formulas, names: &[Arc<str>]) -> String {
        match self {
            Self::Timed(part) => {
                let part = formulas.display(*part, names);
                format!("none: sublogics are about bounds in steps, and `{part}` has one in time")
            }
            Self::Steps { sublogic, automaton, has_past } => {
                let past = if *has_past { "; past operators count as propositions" } else { "" };
                let (meaning, space) = (sublogic.meaning(), sublogic.space());
                format!(
                    "{sublogic}: {meaning}{past}\ngeneric needs space {space} for {}",
                    measures(*sublogic, automaton.measures())
                )
            }
        }
    }

    /// The metric automaton, if there is something for its clocks to count.
    fn metric_text(&self, formulas: &Formulas, names: &[Arc<str>]) -> Option<String> {
        match self {
            Self::Timed(_) | Self::Steps { sublogic: Sublogic::Ltl, .. } => None,
            Self::Steps { automaton, .. } => {
                let text = || automaton.display(formulas, names).to_string();
                Some(readable(automaton.written_out(), automaton.nodes().len(), text))
            }
        }
    }
}

/// The measures that the space of a sublogic depends on, as text.
fn measures(sublogic: Sublogic, Measures { x, y, c }: Measures) -> String {
    match sublogic {
        Sublogic::Ltl => format!("X = {x}"),
        Sublogic::Fbtl => format!("X = {x}, C = {c}"),
        Sublogic::Sbtl | Sublogic::Btl => format!("X = {x}, Y = {y}, C = {c}"),
    }
}
