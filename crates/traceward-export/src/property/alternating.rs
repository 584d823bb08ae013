//! The alternating automaton of a property.

use super::{AutomatonSize, ChosenProperty, readable};
use crate::error::ExportError;
use crate::sketch::{Sketch, SketchKind};
use std::sync::Arc;
use traceward::Spec;
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
    /// The formula as it is written.
    title: String,
}

impl AlternatingAutomaton {
    /// The automaton as text, a node a line; only its size if it is too large to be read.
    pub fn text(&self) -> String {
        let text = || self.automaton.display(&self.formulas, &self.names).to_string();
        readable(self.automaton.written_out(), &self.size(), text)
    }

    /// The size of the automaton.
    pub fn size(&self) -> AutomatonSize {
        AutomatonSize {
            kind: SketchKind::Alternating,
            formula: self.title.clone(),
            nodes: self.automaton.nodes().len(),
            accepting: self.automaton.nodes().iter().filter(|node| node.accepting).count(),
        }
    }

    /// The automaton as pictures show it; no condition may have more than `most_disjuncts`
    /// disjuncts.
    pub fn sketch(&self, most_disjuncts: usize) -> Result<Sketch, ExportError> {
        let Self { automaton, root, formulas, names, .. } = self;
        let sketch = Sketch::of_alternating(automaton, *root, formulas, names, most_disjuncts)?;
        Ok(Sketch { formula: self.title.clone(), ..sketch })
    }
}

/// The alternating automaton of the only property of a spec, or of the one of that name.
pub fn alternating_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
) -> Result<AlternatingAutomaton, ExportError> {
    let ChosenProperty { prepared: Prepared { formulas, normal, .. }, names, title, .. } =
        ChosenProperty::new(spec, name, simplification)?;
    let bounded = formulas.parts(&normal).into_iter().find(|&part| is_bounded(formulas.node(part)));
    if let Some(part) = bounded {
        return Err(ExportError::Bound { part: formulas.display(part, &names).to_string() });
    }
    let automaton = Alternating::new(&formulas, &normal);
    Ok(AlternatingAutomaton { automaton, root: normal[0], formulas, names, title })
}
