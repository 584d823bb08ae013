//! Labels of the leaves of metric automata, and which of them a state satisfies. Formulas about the
//! past are such labels too.

use super::follow::Step;
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::{EndlessTime, Kind, Label, Metric};
use crate::limit::{Feature, Unsupported};
use crate::past::{Past, PastId, PastRun};
use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Proposition};

/// The metric automaton of a formula. A bound of centuries is more than a clock can count.
pub(super) fn automaton(engine: &'static str, formulas: &Formulas, root: FormulaId) -> Result<Metric, Unsupported> {
    let refused = Unsupported { engine, what: Feature::VastTimes, instead: "reverse" };
    Metric::new(formulas, root).map_err(|EndlessTime(_)| refused)
}

/// The metric automaton of a formula for an engine whose clocks count steps; `instead` is one whose
/// clocks count time too.
pub(super) fn automaton_of_steps(
    engine: &'static str,
    formulas: &Formulas,
    root: FormulaId,
    instead: &'static str,
) -> Result<Metric, Unsupported> {
    let automaton = automaton(engine, formulas, root)?;
    match automaton.is_timed() {
        true => Err(Unsupported { engine, what: Feature::BoundsInTime, instead }),
        false => Ok(automaton),
    }
}

/// The labels of an automaton's leaves, ready to be evaluated in a state.
#[derive(Clone, Debug)]
pub(super) struct Labels {
    asked: Vec<(NodeId, LabelTest)>,
    nodes: usize,
    past: Past,
}

#[derive(Clone, Copy, Debug)]
enum LabelTest {
    Constant(bool),
    Holds(Proposition),
    Fails(Proposition),
    Past(PastId),
}

/// The truth of all labels in the state that was read last.
#[derive(Clone, Debug)]
pub(super) struct LabelTruth {
    /// For each node by its index, whether it is a leaf that the state satisfies.
    satisfied: Vec<bool>,
    past: PastRun,
}

impl LabelTruth {
    /// Whether the state satisfies a leaf.
    pub(super) fn satisfies(&self, leaf: NodeId) -> bool {
        self.satisfied[leaf.index()]
    }
}

impl Labels {
    pub(super) fn new(
        engine: &'static str,
        automaton: &Metric,
        formulas: &Formulas,
        alphabet: &Alphabet,
    ) -> Result<Self, Unsupported> {
        let labels: Vec<(NodeId, Label)> = automaton
            .node_ids()
            .filter_map(|id| match automaton.node(id).kind {
                Kind::Leaf(label) => Some((id, label)),
                Kind::Timer { .. } => None,
            })
            .collect();
        let of_past = |(_, label): &(NodeId, Label)| match *label {
            Label::Past(formula) => Some(formula),
            _ => None,
        };
        let roots: Vec<FormulaId> = labels.iter().filter_map(of_past).collect();
        let past = Past::new(engine, formulas, alphabet, &roots)?;
        let proposition = |atom| alphabet.proposition(atom).expect("an atom of the alphabet");
        let asked = |label| match label {
            Label::Constant(bit) => LabelTest::Constant(bit),
            Label::Atom(atom) => LabelTest::Holds(proposition(atom)),
            Label::NotAtom(atom) => LabelTest::Fails(proposition(atom)),
            Label::Past(formula) => LabelTest::Past(past.id(formula)),
        };
        let asked = labels.into_iter().map(|(id, label)| (id, asked(label))).collect();
        Ok(Self { asked, nodes: automaton.nodes().len(), past })
    }

    /// The truth before the first state, where no label holds.
    pub(super) fn start(&self) -> LabelTruth {
        LabelTruth { satisfied: vec![false; self.nodes], past: self.past.start() }
    }

    /// Writes what has to be known of the states before. The truth of the other labels is found out
    /// with the next state.
    pub(super) fn save(truth: &LabelTruth, to: &mut Writer) {
        truth.past.save(to);
    }

    pub(super) fn restore(&self, from: &mut Reader<'_>) -> Result<LabelTruth, RestoreError> {
        Ok(LabelTruth { satisfied: vec![false; self.nodes], past: self.past.restore(from)? })
    }

    /// Takes the next state.
    pub(super) fn read(&self, truth: &mut LabelTruth, step: Step<'_>) {
        let holds = step.letter;
        if !self.past.is_empty() {
            self.past.step(&mut truth.past, holds, step.time);
        }
        for &(node, asked) in &self.asked {
            truth.satisfied[node.index()] = match asked {
                LabelTest::Constant(bit) => bit,
                LabelTest::Holds(proposition) => holds(proposition),
                LabelTest::Fails(proposition) => !holds(proposition),
                LabelTest::Past(id) => truth.past.holds(id),
            };
        }
    }
}
