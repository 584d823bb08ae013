//! The alternating automaton of a property.

use super::Wanted;
use crate::error::Error;
use crate::spec::Spec;
use std::sync::Arc;
use traceward_engine::automaton::alternating::{Alternating, is_bounded};
use traceward_engine::automaton::export::{Diagram, TooManyDisjuncts, written_out};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{FormulaId, Formulas};

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
    let Wanted { prepared: Prepared { formulas, normal, .. }, names, .. } = Wanted::new(spec, name, simplification)?;
    let bounded = formulas.parts(&normal).into_iter().find(|&part| is_bounded(formulas.node(part)));
    if let Some(part) = bounded {
        return Err(Error::Request(format!(
            "`{}` has a bound, and an alternating automaton cannot count\n  help: --kind tableau and --kind deterministic take bounds in steps",
            formulas.display(part, &names)
        )));
    }
    let automaton = Alternating::new(&formulas, &normal);
    Ok(PropertyAutomaton { automaton, root: normal[0], formulas, names })
}
