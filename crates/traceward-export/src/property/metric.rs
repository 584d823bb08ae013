//! The metric automaton of a property.

use super::{ChosenProperty, refuse_long_text};
use crate::error::ExportError;
use crate::sketch::Sketch;
use std::sync::Arc;
use traceward::Spec;
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
    /// The automaton as text, a node a line.
    pub fn text(&self) -> Result<String, ExportError> {
        refuse_long_text(self.automaton.written_out())?;
        Ok(self.automaton.display(&self.formulas, &self.names).to_string())
    }

    /// The automaton as pictures show it; no condition may have more than `most_disjuncts`
    /// disjuncts.
    pub fn sketch(&self, most_disjuncts: usize) -> Result<Sketch, ExportError> {
        Sketch::of_metric(&self.automaton, self.root, &self.formulas, &self.names, most_disjuncts).map_err(Into::into)
    }
}

/// The metric automaton of the only property of a spec, or of the one of that name.
pub fn metric_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
) -> Result<MetricAutomaton, ExportError> {
    let chosen = ChosenProperty::new(spec, name, simplification)?;
    chosen.refuse_time()?;
    let ChosenProperty { prepared: Prepared { formulas, normal, .. }, names, .. } = chosen;
    let automaton = Metric::new(&formulas, normal[0]).expect("bounds in time are refused");
    Ok(MetricAutomaton { automaton, root: normal[0], formulas, names })
}
