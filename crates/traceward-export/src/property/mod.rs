//! The automaton of a property of a spec, with a method for every form that it comes in.

mod algebraic;
mod alternating;
mod deterministic;
mod metric;
mod tableau;
mod timed;

use crate::error::ExportError;
use crate::literals::LiteralTexts;
use crate::sketch::SketchKind;
use std::sync::Arc;
use traceward::Spec;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{FormulaId, Interval, Unit};
use traceward_logic::lower::{Claim, Property};
use traceward_logic::semantics;

pub use algebraic::{AlgebraicAutomaton, algebraic_automaton};
pub use alternating::{AlternatingAutomaton, alternating_automaton};
pub use deterministic::{DeterministicAutomaton, Route, RouteComparison, compare_routes, deterministic_automaton};
pub use metric::{MetricAutomaton, metric_automaton};
pub use tableau::{InitialState, TableauAutomaton, tableau_automaton};
pub use timed::{PropertyMonitor, timed_monitor};

/// The number of nodes that the conditions of an automaton may name. Nobody reads a longer text.
const MOST_WRITTEN: u64 = 1_000_000;
/// The size up to which a formula is shown with the names of `let` replaced: replacing them may
/// make it exponentially longer.
const MOST_REPLACED: u64 = 1000;

/// A property whose automaton is wanted.
struct ChosenProperty {
    /// The name of the property, if it has one.
    name: Option<Arc<str>>,
    /// The formula as it is written, on one line: the title of pictures.
    title: String,
    /// The same, with the names of `let` replaced if the spec has any.
    text: String,
    prepared: Prepared,
    /// Whether the trace without a state satisfies the formula.
    on_empty: bool,
    /// The names of the variables.
    names: Vec<Arc<str>>,
    /// The column that strings alone are compared with.
    event: Option<String>,
}

impl ChosenProperty {
    /// The texts of literals in pictures.
    fn literals(&self) -> LiteralTexts {
        let Prepared { formulas, alphabet, .. } = &self.prepared;
        LiteralTexts::new(formulas, alphabet, &self.names, self.event.as_deref())
    }

    /// The only property of a spec, or the one of that name.
    fn new(spec: &Spec, name: Option<&str>, simplification: Simplification) -> Result<Self, ExportError> {
        let lowered = spec.lowered();
        let property = chosen(spec, name)?;
        let text = spec.text(property.body.span);
        let Claim::Formula(formula) = property.claim else { return Err(ExportError::Query { text }) };
        let names = lowered.variables.names();
        let replaced = spec.has_definitions() && lowered.formulas.size(formula) <= MOST_REPLACED;
        Ok(Self {
            name: property.name.clone(),
            title: text.split_whitespace().collect::<Vec<_>>().join(" "),
            event: spec.settings().event.clone(),
            text: if replaced { lowered.formulas.display(formula, &names).to_string() } else { text },
            prepared: Prepared::new(&lowered.formulas, &[formula], simplification),
            on_empty: semantics::holds_on_empty(&lowered.formulas, formula),
            names,
        })
    }

    /// Refuses bounds in time: automata on words know steps only.
    fn refuse_time(&self) -> Result<(), ExportError> {
        self.timed_part().map_or(Ok(()), |part| {
            let part = self.prepared.formulas.display(part, &self.names).to_string();
            Err(ExportError::BoundInTime { part })
        })
    }

    /// A part with a bound in time, if there is one.
    fn timed_part(&self) -> Option<FormulaId> {
        let Prepared { formulas, simplified, .. } = &self.prepared;
        let is_timed = |interval: Interval| interval.unit == Unit::Time;
        formulas.parts(simplified).into_iter().find(|&part| formulas.node(part).interval().is_some_and(is_timed))
    }
}

/// The size of an alternating or metric automaton: what there is to tell of one whose conditions
/// are too large to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonSize {
    /// The kind of automaton.
    pub kind: SketchKind,
    /// The formula.
    pub formula: String,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of accepting nodes.
    pub accepting: usize,
}

/// The text of an automaton whose conditions name nodes so many times; only its size if nobody
/// would read them.
fn readable(written_out: u64, size: &AutomatonSize, text: impl FnOnce() -> String) -> String {
    if written_out <= MOST_WRITTEN {
        return text();
    }
    let AutomatonSize { nodes, accepting, .. } = size;
    let left_out = "left out: its conditions name nodes more than a million times";
    format!("{nodes} nodes, {accepting} of them accepting; {left_out}\n")
}

/// The only property of a spec, or the one of that name.
fn chosen<'a>(spec: &'a Spec, name: Option<&str>) -> Result<&'a Property, ExportError> {
    let lowered = spec.lowered();
    if let ([], Some(query)) = (&lowered.properties[..], lowered.queries.first()) {
        return Err(ExportError::Query { text: spec.text(query.span) });
    }
    Ok(&lowered.properties[chosen_among(&spec.property_names(), name)?])
}

/// The index of the only name, or of the one that is wanted.
fn chosen_among(names: &[String], wanted: Option<&str>) -> Result<usize, ExportError> {
    match (wanted, names) {
        (_, []) => Err(ExportError::NoProperty),
        (None, [_]) => Ok(0),
        (None, _) => Err(ExportError::SeveralProperties { names: names.to_vec() }),
        (Some(wanted), _) => names
            .iter()
            .position(|name| name == wanted)
            .ok_or_else(|| ExportError::UnknownProperty { wanted: wanted.to_owned(), names: names.to_vec() }),
    }
}
