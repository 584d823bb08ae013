//! The metric automaton of a property.

use super::{AutomatonSize, ChosenProperty, readable};
use crate::error::ExportError;
use crate::sketch::{Sketch, SketchKind};
use std::sync::Arc;
use traceward::Spec;
use traceward_engine::automaton::metric::{EndlessTime, Metric};
use traceward_engine::limit::Feature;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{FormulaId, Formulas};

/// The metric alternating automaton of a property: bounds are clocks.
#[derive(Clone, Debug)]
pub struct MetricAutomaton {
    automaton: Metric,
    formulas: Formulas,
    root: FormulaId,
    names: Vec<Arc<str>>,
    /// The formula as it is written.
    title: String,
}

impl MetricAutomaton {
    /// The automaton as text, a node a line; only its size if it is too large to be read.
    pub fn text(&self) -> String {
        let text = || self.automaton.display(&self.formulas, &self.names).to_string();
        readable(self.automaton.written_out(), &self.size(), text)
    }

    /// The size of the automaton.
    pub fn size(&self) -> AutomatonSize {
        AutomatonSize {
            kind: SketchKind::Metric,
            formula: self.title.clone(),
            nodes: self.automaton.nodes().len(),
            accepting: self.automaton.nodes().iter().filter(|node| node.accepting).count(),
        }
    }

    /// The automaton as pictures show it; no condition may have more than `most_disjuncts`
    /// disjuncts.
    pub fn sketch(&self, most_disjuncts: usize) -> Result<Sketch, ExportError> {
        let Self { automaton, root, formulas, names, .. } = self;
        let sketch = Sketch::of_metric(automaton, *root, formulas, names, most_disjuncts)?;
        Ok(Sketch { formula: self.title.clone(), ..sketch })
    }
}

/// The metric automaton of the only property of a spec, or of the one of that name.
pub fn metric_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
) -> Result<MetricAutomaton, ExportError> {
    let chosen = ChosenProperty::new(spec, name, simplification)?;
    let ChosenProperty { prepared: Prepared { formulas, normal, .. }, names, title, .. } = chosen;
    let too_long = |EndlessTime(_)| ExportError::Unsupported { what: Feature::VastTimes };
    let automaton = Metric::new(&formulas, normal[0]).map_err(too_long)?;
    Ok(MetricAutomaton { automaton, root: normal[0], formulas, names, title })
}
