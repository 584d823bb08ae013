//! The metric automaton of a property.

use super::{Wanted, refuse_long_text};
use crate::sketch::{Diagram, TooManyDisjuncts};
use std::sync::Arc;
use traceward::{Error, Spec};
use traceward_engine::automaton::metric::Metric;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{FormulaId, Formulas};

/// The metric alternating automaton of a property: bounds in steps are clocks.
#[derive(Clone, Debug)]
pub struct MetricAutomaton {
    automaton: Metric,
    formulas: Formulas,
    root: FormulaId,
    names: Vec<Arc<str>>,
}

impl MetricAutomaton {
    /// As text, a node a line.
    pub fn text(&self) -> Result<String, Error> {
        refuse_long_text(self.automaton.written_out())?;
        Ok(self.automaton.display(&self.formulas, &self.names).to_string())
    }

    /// As pictures show it; no condition may have more disjuncts than this.
    pub fn diagram(&self, most_disjuncts: usize) -> Result<Diagram, TooManyDisjuncts> {
        Diagram::of_metric(&self.automaton, self.root, &self.formulas, &self.names, most_disjuncts)
    }
}

/// The metric automaton of the only property of a spec, or of the one of that name.
pub fn metric_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
) -> Result<MetricAutomaton, Error> {
    let wanted = Wanted::new(spec, name, simplification)?;
    wanted.refuse_time()?;
    let Wanted { prepared: Prepared { formulas, normal, .. }, names, .. } = wanted;
    let automaton = Metric::new(&formulas, normal[0]).expect("bounds in time are refused");
    Ok(MetricAutomaton { automaton, root: normal[0], formulas, names })
}
