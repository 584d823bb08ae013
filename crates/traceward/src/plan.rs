//! What is done with a formula or a query, stage by stage.

mod delay;
mod query;

use crate::spec::Spec;
use delay::delay_text;
use query::query_plan;
use std::fmt;
use std::sync::Arc;
use traceward_engine::automaton::alternating::Alternating;
pub use traceward_engine::automaton::metric::{Magnitude, Statement};
use traceward_engine::automaton::metric::{Measures, Metric, Sublogic, sublogic};
use traceward_engine::select::{Config, EngineName, Evaluator, Judge, Online, Prepared, Refused, engine_costs};
pub use traceward_engine::select::{MostNeeded, SpaceUnit};
use traceward_logic::ast::Ast;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Unit};
use traceward_logic::lower::Claim;
use traceward_logic::print::tree;

/// The number of nodes that the conditions of an automaton may name together and still be worth
/// reading.
const MOST_WRITTEN: u64 = 10_000;

/// The stages of one property or query.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name of the property or query.
    pub name: String,
    /// Each stage's name and its text.
    pub stages: Vec<(&'static str, String)>,
    /// The costs of every engine, on a trace of [`TRACE_STATES`] states.
    pub bounds: Vec<EngineBounds>,
}

/// The length of the trace for which the costs of engines are told.
pub const TRACE_STATES: usize = 1000;

/// The costs of an engine for a property or query.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineBounds {
    /// The name of the engine.
    pub engine: &'static str,
    /// The question for which the engine is chosen, if it is.
    pub chosen: Option<ChosenFor>,
    /// The most that it can need, or why it does not take the formula.
    pub most: Result<MostNeeded, String>,
}

/// The question for which an engine is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChosenFor {
    /// A trace in a file.
    Files,
    /// A trace that goes on.
    GrowingTraces,
}

impl ChosenFor {
    /// In words, behind the name of an engine.
    pub fn text(self) -> &'static str {
        match self {
            Self::Files => "chosen",
            Self::GrowingTraces => "chosen while a trace goes on",
        }
    }
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
        if !self.bounds.is_empty() {
            let trace = format!("on {TRACE_STATES} states");
            writeln!(f, "  {:<11} {trace:<45} {:<43} steps at most", "bounds", "space at most")?;
        }
        self.bounds.iter().try_for_each(|bounds| writeln!(f, "  {:<11} {bounds}", ""))
    }
}

/// Writes one line: the engine, its space and its time.
impl fmt::Display for EngineBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chosen = self.chosen.map_or(String::new(), |chosen| format!(", {}", chosen.text()));
        write!(f, "{:<45} ", format!("{}{chosen}", self.engine))?;
        match &self.most {
            Ok(MostNeeded { unit, space, time }) => {
                let space = format!("{} {}{}", space.allows, unit.name(), source(space));
                write!(f, "{space:<43} {}{}", time.allows, source(time))
            }
            Err(refused) => f.write_str(refused),
        }
    }
}

/// The place where a bound comes from, if it is not simply counted.
fn source(statement: &Statement) -> String {
    if statement.name == "counted" { String::new() } else { format!(" ({})", statement.name) }
}

/// Shows what becomes of each property and each query of a spec: what was read, the core, the
/// normal form, its sublogic, the automaton, the engine that is chosen, and what every engine would
/// cost.
pub fn explain_plan(spec: &Spec, config: Config) -> Vec<Plan> {
    let lowered = spec.lowered();
    let names = lowered.variables.names();
    let formulas = &lowered.formulas;
    let plan = |name: String, body: &Ast, (stages, bounds): (Stages, Vec<EngineBounds>)| {
        let read = [("text", spec.text(body.span)), ("tree", tree(body))];
        Plan { name, stages: read.into_iter().chain(stages).collect(), bounds }
    };
    let properties = lowered.properties.iter().zip(spec.property_names()).map(|(property, name)| {
        let stages = match &property.claim {
            Claim::Formula(formula) => formula_plan(formulas, *formula, config, &names),
            Claim::Assert(compared) => {
                query_plan(formulas, &[(&compared.left, false), (&compared.right, false)], config, &names)
            }
        };
        plan(name, &property.body, stages)
    });
    let queries = lowered.queries.iter().zip(spec.query_names()).map(|(query, name)| {
        let asked = [(&query.query, query.query.is_experiment())];
        plan(name, &query.body, query_plan(formulas, &asked, config, &names))
    });
    properties.chain(queries).collect()
}

/// Stages, by name, with their texts.
type Stages = Vec<(&'static str, String)>;

fn formula_plan(
    formulas: &Formulas,
    formula: FormulaId,
    config: Config,
    names: &[Arc<str>],
) -> (Stages, Vec<EngineBounds>) {
    let prepared = Prepared::shared(formulas, &[formula], config.simplification);
    (formula_stages(&prepared, config, names), engine_bounds(&prepared, &config, names))
}

/// The costs of all engines for the formula, and which of them are chosen.
fn engine_bounds(prepared: &Arc<Prepared>, config: &Config, names: &[Arc<str>]) -> Vec<EngineBounds> {
    let for_files = match config.engine {
        EngineName::Auto => Evaluator::new(prepared, config).engine(),
        asked => asked,
    };
    let growing = (config.engine == EngineName::Auto).then(|| Online::new(prepared, 0, config).ok()).flatten();
    let growing = growing.map(|online| online.engine());
    let chosen = |engine| match engine {
        _ if engine == for_files => Some(ChosenFor::Files),
        _ if Some(engine) == growing => Some(ChosenFor::GrowingTraces),
        _ => None,
    };
    let costs = engine_costs(prepared, 0, config, TRACE_STATES).into_iter();
    let bounds = costs.map(|cost| EngineBounds {
        engine: cost.engine.name(),
        chosen: chosen(cost.engine),
        most: cost.most.map_err(|refused| refusal(&refused, &prepared.formulas, names)),
    });
    bounds.collect()
}

/// The reason why an engine does not take a formula, with the part that it is about.
fn refusal(refused: &Refused, formulas: &Formulas, names: &[Arc<str>]) -> String {
    match refused {
        Refused::Feature(what, Some(part)) => format!("cannot take {what}: {}", formulas.display(*part, names)),
        Refused::Feature(what, None) => format!("cannot take {what}"),
        Refused::GaveUp(reason) => format!("gives up: {reason}"),
    }
}

fn formula_stages(prepared: &Arc<Prepared>, config: Config, names: &[Arc<str>]) -> Stages {
    let evaluator = Evaluator::new(prepared, &config);
    let Prepared { formulas, lowered, split, simplified, normal, .. } = &**prepared;
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
        match Judge::new(prepared, &[0], &config) {
            Ok(Some(judge)) => {
                let made = judge.summary().map(|summary| format!(" {summary};")).unwrap_or_default();
                format!("{}: asked for;{made} the positions of violations come from reverse", judge.engine())
            }
            Ok(None) => {
                let chosen = format!("{}: {}", evaluator.engine(), evaluator.reason());
                while_it_grows(prepared, &config).into_iter().fold(chosen, |all, line| all + "\n" + &line)
            }
            Err(refused) => refused.error.to_string(),
        },
    ));
    stages.push(("delay", delay_text(formulas, normal[0], names)));
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
    /// A bound counts time, as in this part; the automaton, unless the bound is too long for a
    /// clock.
    Timed(FormulaId, Option<Box<Metric>>),
    /// All bounds count steps.
    Steps { sublogic: Sublogic, automaton: Box<Metric>, has_past: bool },
}

impl MetricClass {
    /// The class of a formula in normal form.
    fn new(formulas: &Formulas, normal: FormulaId) -> Self {
        let parts = formulas.parts(&[normal]);
        let is_timed = |interval: Interval| interval.unit == Unit::Time;
        if let Some(&part) = parts.iter().find(|part| formulas.node(**part).interval().is_some_and(is_timed)) {
            return Self::Timed(part, Metric::new(formulas, normal).ok().map(Box::new));
        }
        let sublogic = sublogic(formulas, normal).expect("no bound counts time");
        let automaton = Box::new(Metric::new(formulas, normal).expect("no bound counts time"));
        let has_past = parts.iter().any(|part| formulas.node(*part).direction() == Some(Direction::Past));
        Self::Steps { sublogic, automaton, has_past }
    }

    fn text(&self, formulas: &Formulas, names: &[Arc<str>]) -> String {
        match self {
            Self::Timed(part, _) => {
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
            Self::Timed(_, None) | Self::Steps { sublogic: Sublogic::Ltl, .. } => None,
            Self::Timed(_, Some(automaton)) | Self::Steps { automaton, .. } => {
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
