//! The automaton of a property, to look at, for other tools, and as a program.

mod alternating;
mod deterministic;
mod metric;
mod tableau;

use crate::error::Error;
use crate::spec::Spec;
use std::sync::Arc;
use traceward_engine::limit::BuildError;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{Interval, Unit};
use traceward_logic::lower::{Claim, Property};
use traceward_logic::semantics;

pub use alternating::{PropertyAutomaton, alternating_automaton};
pub use deterministic::{DeterministicAutomaton, deterministic_automaton};
pub use metric::{MetricAutomaton, metric_automaton};
pub use tableau::{InitialState, TableauAutomaton, tableau_automaton};
pub use traceward_engine::automaton::alternating::{Look, NodeId};
pub use traceward_engine::automaton::export::dot::dot;
pub use traceward_engine::automaton::export::graph::{self, Graph};
pub use traceward_engine::automaton::export::listing::{ListedEdge, ListedProposition, ListedState, Listing};
pub use traceward_engine::automaton::export::svg::svg;
pub use traceward_engine::automaton::export::{
    ClockChange, Diagram, DiagramKind, DiagramNode, Disjuncts, Edge, TooManyDisjuncts,
};
pub use traceward_engine::automaton::metric::{Clock, ClockId};

/// How many nodes the conditions of an automaton may name. Longer texts are of no use to anybody.
const MOST_WRITTEN: u64 = 1_000_000;
/// How large a formula may be to be shown without the names in it; it may be exponential in what is written.
const MOST_REPLACED: u64 = 1000;

/// A property whose automaton is wanted.
struct Wanted {
    /// Its name, if it has one.
    name: Option<Arc<str>>,
    /// Its formula, as it is written, or with the names of `let` replaced if it may have any.
    text: String,
    prepared: Prepared,
    /// Whether the trace without a state satisfies it.
    on_empty: bool,
    names: Vec<Arc<str>>,
}

impl Wanted {
    /// The only property of a spec, or the one of that name.
    fn new(spec: &Spec, name: Option<&str>, simplification: Simplification) -> Result<Self, Error> {
        let lowered = spec.lowered();
        let property = chosen(spec, name)?;
        let text = spec.text(property.body.span);
        let Claim::Formula(formula) = property.claim else {
            return Err(Error::Request(format!("`{text}` measures a trace, and only formulas have automata")));
        };
        let names = lowered.variables.names();
        let replaced = spec.has_definitions() && lowered.formulas.size(formula) <= MOST_REPLACED;
        Ok(Self {
            name: property.name.clone(),
            text: if replaced { lowered.formulas.display(formula, &names).to_string() } else { text },
            prepared: Prepared::new(&lowered.formulas, &[formula], simplification),
            on_empty: semantics::holds_on_empty(&lowered.formulas, formula),
            names,
        })
    }

    /// Automata on words have no clocks.
    fn refuse_time(&self) -> Result<(), Error> {
        let Prepared { formulas, simplified, .. } = &self.prepared;
        let is_timed = |interval: Interval| interval.unit == Unit::Time;
        let timed =
            formulas.parts(simplified).into_iter().find(|&part| formulas.node(part).interval().is_some_and(is_timed));
        timed.map_or(Ok(()), |part| {
            let part = formulas.display(part, &self.names);
            let message = format!("`{part}` has a bound in time, and this automaton counts steps");
            Err(Error::Request(format!("{message}\n  help: give the bound in steps, or leave it out")))
        })
    }
}

fn refuse_long_text(written_out: u64) -> Result<(), Error> {
    if written_out > MOST_WRITTEN {
        let message = "the conditions of this automaton name nodes more than a million times";
        return Err(Error::Request(format!("{message}\n  help: take the formula apart")));
    }
    Ok(())
}

/// An automaton is asked for, not an answer: what another engine could do is of no help.
fn too_large(error: BuildError) -> Error {
    let help = "shorter bounds and fewer propositions make it smaller";
    match error {
        BuildError::Unsupported(unsupported) => {
            Error::Request(format!("there is no such automaton with {}", unsupported.what))
        }
        BuildError::GaveUp(gave_up) => Error::Request(format!("{}\n  help: {help}", gave_up.limit)),
    }
}

fn chosen<'a>(spec: &'a Spec, name: Option<&str>) -> Result<&'a Property, Error> {
    let named: Vec<(String, &Property)> = spec.property_names().into_iter().zip(&spec.lowered().properties).collect();
    let names = || named.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    match (name, &named[..]) {
        (_, []) => Err(Error::Request("there is no property to make an automaton of".into())),
        (None, [(_, property)]) => Ok(property),
        (None, _) => {
            let (count, names) = (named.len(), names());
            Err(Error::Request(format!(
                "there are {count} properties, and an automaton is made of one\n  help: choose one with --property: {names}"
            )))
        }
        (Some(wanted), _) => {
            let found = named.iter().find(|(name, _)| name == wanted);
            found.map(|(_, property)| *property).ok_or_else(|| {
                Error::Request(format!("there is no property `{wanted}`\n  help: there are {}", names()))
            })
        }
    }
}
