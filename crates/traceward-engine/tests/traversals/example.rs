//! A formula as it is written, its automaton, and a trace.

use std::collections::BTreeMap;
use traceward_engine::automaton::alternating::{Alternating, ConditionId, Label, NodeId};
use traceward_engine::engine::breadth_first::{BreadthFirst, OverSlices};
use traceward_engine::engine::depth_first::DepthFirst;
use traceward_engine::engine::{EngineConfig, Subsumption};
use traceward_engine::run_statistics::{Lattice, over_trees};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{self, Letters};
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_testkit::corpus;

/// A formula with its engines.
pub struct Subject {
    pub prepared: Prepared,
    pub automaton: Alternating,
    pub depth_first: DepthFirst,
    /// None for a future operator inside a past one.
    pub breadth_first: Option<BreadthFirst>,
    /// With subsumption and without.
    over_slices: Option<[OverSlices; 2]>,
}

pub fn breadth_first(prepared: &Prepared, subsumption: Subsumption) -> Option<BreadthFirst> {
    let config = EngineConfig { subsumption, ..EngineConfig::default() };
    BreadthFirst::new(&prepared.formulas, &prepared.alphabet, prepared.normal[0], config).ok()
}

fn over_slices(prepared: &Prepared, subsumption: Subsumption) -> Option<OverSlices> {
    let config = EngineConfig { subsumption, ..EngineConfig::default() };
    OverSlices::new(&prepared.formulas, &prepared.alphabet, prepared.normal[0], config).ok()
}

impl Subject {
    pub fn new(formulas: &Formulas, formula: FormulaId) -> Self {
        let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
        let Prepared { formulas, alphabet, normal, .. } = &prepared;
        let depth_first = DepthFirst::new(formulas, alphabet, normal, EngineConfig::default());
        let [on, off] = [Subsumption::On, Subsumption::Off].map(|subsumption| over_slices(&prepared, subsumption));
        let automaton = Alternating::new(formulas, normal);
        Self {
            automaton,
            depth_first,
            breadth_first: breadth_first(&prepared, Subsumption::On),
            over_slices: on.zip(off).map(|(on, off)| [on, off]),
            prepared,
        }
    }

    pub fn letters(&self, trace: &Trace) -> Letters {
        letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace)
    }

    pub fn view<'a>(&'a self, letters: &'a Letters) -> View<'a> {
        View { subject: self, automaton: &self.automaton, letters }
    }
}

/// A formula on a trace.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub subject: &'a Subject,
    pub automaton: &'a Alternating,
    pub letters: &'a Letters,
}

impl View<'_> {
    pub fn root(&self) -> ConditionId {
        self.automaton.roots()[0]
    }

    /// σ[j] ⊨ ν
    pub fn satisfies(&self, node: NodeId, position: usize) -> bool {
        let holds = |atom| {
            let proposition = self.subject.prepared.alphabet.proposition(atom).expect("an atom of the alphabet");
            self.letters.bitmap(proposition).get(position)
        };
        match self.automaton.node(node).label {
            Label::Constant(bit) => bit,
            Label::Atom(atom) => holds(atom),
            Label::NotAtom(atom) => !holds(atom),
            Label::Bounded(_) => panic!("no bounds here"),
        }
    }

    /// By depth-first and by reverse traversal, which must be equal.
    pub fn over_trees<L: Lattice>(&self, lattice: &L) -> Option<L::Value> {
        let Prepared { formulas, alphabet, .. } = &self.subject.prepared;
        let reverse = over_trees(lattice, formulas, self.automaton, alphabet, self.letters);
        let depth_first = self.subject.depth_first.statistics(lattice, self.letters).expect("little work");
        assert_eq!(depth_first, reverse, "depth-first and reverse");
        reverse
    }

    /// By breadth-first traversal with subsumption and without, which must be equal. None if it
    /// refuses the formula.
    pub fn over_slices<L: Lattice>(&self, lattice: &L) -> Option<Option<L::Value>> {
        let [on, off] = self
            .subject
            .over_slices
            .as_ref()?
            .each_ref()
            .map(|slices| slices.statistics(lattice, self.letters).expect("few slices"));
        assert_eq!(on, off, "subsumption on and off");
        Some(on)
    }
}

/// A formula as text on a trace given as columns of bits.
pub struct Example {
    pub subject: Subject,
    pub letters: Letters,
    pub satisfied: bool,
    names: Vec<std::sync::Arc<str>>,
}

impl Example {
    pub fn new(formula: &str, columns: &[(&str, &str)]) -> Self {
        let bits: BTreeMap<String, String> =
            columns.iter().map(|(name, bits)| ((*name).to_owned(), (*bits).to_owned())).collect();
        let (lowered, claim, trace) = corpus::prepare(formula, &bits, None, columns[0].1.len());
        let Claim::Formula(root) = claim else { panic!("{formula} is a formula") };
        let subject = Subject::new(&lowered.formulas, root);
        let letters = subject.letters(&trace);
        let satisfied = semantics::satisfied(&lowered.formulas, root, &trace).expect("booleans do not fail");
        Self { subject, letters, satisfied, names: lowered.variables.names() }
    }

    pub fn view(&self) -> View<'_> {
        self.subject.view(&self.letters)
    }

    pub fn label(&self, node: NodeId) -> String {
        self.subject.automaton.label_text(node, &self.subject.prepared.formulas, &self.names)
    }
}
