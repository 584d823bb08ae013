//! The automaton of a property, to look at.

use crate::error::Error;
use crate::spec::Spec;
use std::sync::Arc;
use traceward_engine::automaton::alternating::{Alternating, is_bounded};
use traceward_engine::automaton::export::written_out;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::lower::{Claim, Property};

pub use traceward_engine::automaton::alternating::{Look, NodeId};
pub use traceward_engine::automaton::export::dot::dot;
pub use traceward_engine::automaton::export::svg::svg;
pub use traceward_engine::automaton::export::{Diagram, DiagramNode, Disjuncts, TooManyDisjuncts};

/// Longer texts are of no use to anybody.
const MOST_WRITTEN: u64 = 1_000_000;

/// The alternating automaton of a property.
#[derive(Clone, Debug)]
pub struct PropertyAutomaton {
    automaton: Alternating,
    formulas: Formulas,
    root: FormulaId,
    names: Vec<Arc<str>>,
}

impl PropertyAutomaton {
    /// As text, a node a line.
    pub fn text(&self) -> Result<String, Error> {
        if written_out(&self.automaton) > MOST_WRITTEN {
            let message = "the conditions of this automaton name nodes more than a million times";
            return Err(Error::Request(format!("{message}\n  help: take the formula apart")));
        }
        Ok(self.automaton.display(&self.formulas, &self.names).to_string())
    }

    /// As pictures show it; no condition may have more disjuncts than this.
    pub fn diagram(&self, most_disjuncts: usize) -> Result<Diagram, TooManyDisjuncts> {
        Diagram::new(&self.automaton, self.root, &self.formulas, &self.names, most_disjuncts)
    }
}

/// The alternating automaton of the only property of a spec, or of the one of that name.
pub fn alternating_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
) -> Result<PropertyAutomaton, Error> {
    let lowered = spec.lowered();
    let property = chosen(&lowered.properties, name)?;
    let Claim::Formula(formula) = property.claim else {
        let text = spec.text(property.body.span);
        return Err(Error::Request(format!("`{text}` measures a trace, and only formulas have automata")));
    };
    let Prepared { formulas, normal, .. } = Prepared::new(&lowered.formulas, &[formula], simplification);
    let names = lowered.variables.names();
    let bounded = formulas.parts(&normal).into_iter().find(|&part| is_bounded(formulas.node(part)));
    if let Some(part) = bounded {
        return Err(Error::Request(format!(
            "`{}` has a bound, and an alternating automaton cannot count\n  help: leave the bounds out",
            formulas.display(part, &names)
        )));
    }
    let automaton = Alternating::new(&formulas, &normal);
    Ok(PropertyAutomaton { automaton, root: normal[0], formulas, names })
}

fn chosen<'a>(properties: &'a [Property], name: Option<&str>) -> Result<&'a Property, Error> {
    let named: Vec<(String, &Property)> = properties
        .iter()
        .enumerate()
        .map(|(index, property)| {
            (property.name.as_ref().map_or_else(|| format!("p{}", index + 1), ToString::to_string), property)
        })
        .collect();
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
