//! The alternating automaton of a property.

use super::{Wanted, refuse_long_text};
use crate::sketch::{Diagram, TooManyDisjuncts};
use std::sync::Arc;
use traceward::{Error, Spec};
use traceward_engine::automaton::alternating::{Alternating, is_bounded};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{FormulaId, Formulas};

/// The alternating automaton of a property.
#[derive(Clone, Debug)]
pub struct AlternatingAutomaton {
    automaton: Alternating,
    formulas: Formulas,
    root: FormulaId,
    names: Vec<Arc<str>>,
}

impl AlternatingAutomaton {
    /// As text, a node a line.
    pub fn text(&self) -> Result<String, Error> {
        refuse_long_text(self.automaton.written_out())?;
        Ok(self.automaton.display(&self.formulas, &self.names).to_string())
    }

    /// As pictures show it; no condition may have more disjuncts than this.
    pub fn diagram(&self, most_disjuncts: usize) -> Result<Diagram, TooManyDisjuncts> {
        Diagram::of_alternating(&self.automaton, self.root, &self.formulas, &self.names, most_disjuncts)
    }
}

/// The alternating automaton of the only property of a spec, or of the one of that name.
pub fn alternating_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
) -> Result<AlternatingAutomaton, Error> {
    let Wanted { prepared: Prepared { formulas, normal, .. }, names, .. } = Wanted::new(spec, name, simplification)?;
    let bounded = formulas.parts(&normal).into_iter().find(|&part| is_bounded(formulas.node(part)));
    if let Some(part) = bounded {
        return Err(Error::Request(format!(
            "`{}` has a bound, and an alternating automaton cannot count\n  help: --kind metric has clocks for bounds in steps; --kind tableau and --kind deterministic take them too",
            formulas.display(part, &names)
        )));
    }
    let automaton = Alternating::new(&formulas, &normal);
    Ok(AlternatingAutomaton { automaton, root: normal[0], formulas, names })
}
