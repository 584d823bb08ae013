//! Why a formula holds or fails at a position: the propositions that decide it, what was owed, and
//! what it asked of its parts.

mod demand;
mod form;
mod rows;
mod search;

use crate::engine::offline::Cache;
use crate::prepared::{Prepared, Simplification};
use crate::select::{Config, Evaluator};
pub use demand::{Alternatives, Asked, Demand, Fate, Wait, Waits};
pub use rows::Ending;
use rows::{Positions, Rows};
use rustc_hash::FxHashMap;
use search::Search;
use std::cell::Cell;
use std::ops::RangeInclusive;
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Node};
use traceward_logic::letter::{self, Alphabet, Letters};
use traceward_logic::pass::split_atoms;
use traceward_logic::trace::Trace;

/// The largest number of bits that the rows of a formula's parts may take. Beyond it every
/// proposition at every position is named, which decides as well.
const MOST_BITS: usize = 1 << 31;

/// The work that the explanations on one trace may take together.
const MOST_WORK: usize = 1 << 26;

/// The work that leaving out propositions one by one may take for all explanations on one trace.
const MOST_PRUNING: usize = 1 << 22;

/// The reason why a formula has its value at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The propositions that decide, each at a run of positions. Whatever holds elsewhere, the
    /// formula has this value. None if they are too many to be named: then all states decide.
    pub literals: Option<Vec<Literal>>,
    /// The operators on the way to them, the outermost first.
    pub reasons: Vec<Reason>,
}

/// A proposition with its value at each of a run of positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The proposition as a formula.
    pub formula: FormulaId,
    /// Its value there.
    pub holds: bool,
    /// The positions.
    pub positions: RangeInclusive<usize>,
}

/// A temporal operator, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The formula whose outermost operator it is.
    pub formula: FormulaId,
    /// The position at which it was asked.
    pub position: usize,
    /// Whether it holds there.
    pub holds: bool,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a temporal operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is no state where its operand would have to hold.
    NoState(Direction),
    /// Its operand settled it at a position: by its value, which is that of the operator.
    Settled {
        /// The operand.
        operand: FormulaId,
        /// The position.
        at: usize,
    },
    /// Its operand had one value throughout the window, which is that of the operator.
    Throughout {
        /// The operand.
        operand: FormulaId,
        /// The positions of the window; none if there are none.
        window: Option<RangeInclusive<usize>>,
        /// Whether the trace ended, or began, before the window did.
        is_cut: bool,
        /// The position outside the window at which the operand has the other value: the first
        /// one behind it, or else the last one before it.
        outside: Option<usize>,
    },
    /// One operand changed before the other one did, which settled it.
    Broken {
        /// The operand that should have lasted.
        kept: FormulaId,
        /// The position at which it did not.
        at: usize,
        /// The operand that was waited for.
        goal: FormulaId,
        /// The first position behind at which that came, if it ever did.
        came: Option<usize>,
    },
}

/// The parts of a formula, operands before operators.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    prepared: Arc<Prepared>,
    indices: FxHashMap<FormulaId, usize>,
}

impl Parts {
    fn len(&self) -> usize {
        self.prepared.split.len()
    }

    fn id(&self, part: usize) -> FormulaId {
        self.prepared.split[part]
    }

    fn node(&self, part: usize) -> Node {
        self.prepared.formulas.node(self.id(part))
    }

    fn index(&self, formula: FormulaId) -> usize {
        self.indices[&formula]
    }

    fn root(&self) -> usize {
        self.len() - 1
    }
}

/// A formula whose values are to be explained.
#[derive(Debug)]
pub struct Explainer {
    parts: Parts,
    evaluator: Evaluator,
    /// For each part the part of the formula as it was given that it came from.
    origins: FxHashMap<FormulaId, FormulaId>,
}

impl Explainer {
    /// Takes a formula as it was lowered.
    pub fn new(formulas: &Formulas, formula: FormulaId) -> Self {
        let written = formulas.parts(&[formula]);
        let (mut own, copied) = formulas.extract(&written);
        let split = split_atoms(&mut own, &copied);
        let root = *split.last().expect("a formula is a part of itself");
        let parts = own.parts(&[root]);
        let prepared = Prepared::shared(&own, &parts, Simplification::Off);
        let numbered = |(index, &id): (usize, &FormulaId)| (id, index);
        let indices: FxHashMap<FormulaId, usize> = prepared.split.iter().enumerate().map(numbered).collect();
        let place: FxHashMap<FormulaId, usize> = parts.iter().enumerate().map(numbered).collect();
        let mut origins = FxHashMap::default();
        for (origin, part) in written.into_iter().zip(split) {
            if let Some(&index) = place.get(&part) {
                origins.entry(prepared.split[index]).or_insert(origin);
            }
        }
        let evaluator = Evaluator::new(&prepared, &Config::default());
        Self { parts: Parts { prepared, indices }, evaluator, origins }
    }

    /// The arena of the formulas that explanations speak of.
    pub fn formulas(&self) -> &Formulas {
        &self.parts.prepared.formulas
    }

    /// The part of the formula as it was given that a formula of an explanation came from. None if
    /// it is a part of an expression over one state.
    pub fn origin(&self, formula: FormulaId) -> Option<FormulaId> {
        self.origins.get(&formula).copied()
    }

    /// The formula and its parts, operands before operators.
    pub fn parts(&self) -> &[FormulaId] {
        &self.parts.prepared.split
    }

    /// The expression of a proposition.
    pub fn expr(&self, formula: FormulaId) -> Option<&Expr> {
        match self.formulas().node(formula) {
            Node::Atom(atom) => Some(self.formulas().atom(atom)),
            _ => None,
        }
    }

    /// The expressions of its propositions, by their places in a letter.
    pub fn propositions(&self) -> impl Iterator<Item = &Expr> {
        self.alphabet().atoms().iter().map(|&(_, atom)| self.formulas().atom(atom))
    }

    /// Looks at a trace that has states. `known` has the letters of propositions that were made
    /// before; others are made of the states.
    pub fn look(&self, trace: &Trace, known: (&Prepared, &Letters), ending: Ending) -> Look<'_> {
        self.look_by(&|expr| letter::row(expr, trace), known, ending)
    }

    /// The same where `row` tells the positions at which an expression holds.
    pub fn look_by(&self, row: &dyn Fn(&Expr) -> Bitmap, known: (&Prepared, &Letters), ending: Ending) -> Look<'_> {
        self.look_at(&self.letters(row, known), ending)
    }

    /// Looks at letters of its propositions, of which there is one at least.
    pub fn look_at(&self, letters: &Letters, ending: Ending) -> Look<'_> {
        let positions = Positions { len: letters.len, time: letters.time.clone(), ending };
        let rows = (self.parts.len().saturating_mul(letters.len) <= MOST_BITS).then(|| self.rows(positions, letters));
        Look { explainer: self, rows: rows.flatten(), work: Cell::new(MOST_WORK), pruning: Cell::new(MOST_PRUNING) }
    }

    fn rows(&self, positions: Positions, letters: &Letters) -> Option<Rows> {
        match positions.ending {
            Ending::Ended => {
                let mut cache = Cache::default();
                let rows = self.evaluator.truth(&mut cache, letters).ok()?;
                Some(Rows::known(positions, rows.into_iter().cloned().collect()))
            }
            Ending::Open => Some(Rows::certain(&self.parts, positions, |part| {
                let row = self.atom_row(part, letters);
                (row.clone(), row.clone().complement())
            })),
        }
    }

    fn atom_row<'a>(&self, part: usize, letters: &'a Letters) -> &'a Bitmap {
        let Node::Atom(atom) = self.parts.node(part) else { unreachable!("only atoms are propositions") };
        letters.bitmap(self.alphabet().proposition(atom).expect("an atom of the alphabet"))
    }

    fn alphabet(&self) -> &Alphabet {
        &self.parts.prepared.alphabet
    }

    fn letters(&self, row: &dyn Fn(&Expr) -> Bitmap, (prepared, known): (&Prepared, &Letters)) -> Letters {
        let formulas = self.formulas();
        let bitmaps = self.alphabet().atoms().iter().map(|&(_, atom)| {
            let there = prepared.formulas.find_atom(formulas.atom(atom));
            match there.and_then(|atom| prepared.alphabet.proposition(atom)) {
                Some(proposition) => known.bitmap(proposition).clone(),
                // Simplification has left it out.
                None => row(formulas.atom(atom)),
            }
        });
        Letters { len: known.len, bitmaps: bitmaps.collect(), time: known.time.clone() }
    }
}

/// A formula on a trace.
#[derive(Debug)]
pub struct Look<'a> {
    explainer: &'a Explainer,
    /// The rows of all parts; none if they are too large.
    rows: Option<Rows>,
    /// The work that is left.
    work: Cell<usize>,
    /// The work that is left for leaving out propositions one by one.
    pruning: Cell<usize>,
}

impl Look<'_> {
    /// The value of a part at a position. None if that is not certain yet, or if there are too many
    /// states to know all values.
    pub fn value(&self, part: FormulaId, position: usize) -> Option<bool> {
        self.rows.as_ref()?.value(self.explainer.parts.index(part), position)
    }

    /// Whether the values of all parts are known, as far as they are certain.
    pub fn knows_values(&self) -> bool {
        self.rows.is_some()
    }

    /// The reason for the value at a position. None if it has none there yet, or none that follows
    /// from its parts: what is owed may contradict itself.
    pub fn why(&self, position: usize) -> Option<Explanation> {
        let parts = &self.explainer.parts;
        let Some(rows) = &self.rows else { return Some(Explanation { literals: None, reasons: Vec::new() }) };
        rows.value(parts.root(), position)?;
        let mut search = Search::new(parts, rows, self.work.get());
        search.explain(position);
        self.work.set(search.work());
        let (explanation, pruning) = search.finish(position, self.pruning.get());
        self.pruning.set(pruning);
        Some(explanation)
    }
}
