//! What engines see of a trace: which propositions hold where.
//!
//! The same letters have two shapes: a bitmap per proposition over positions, for what lies in a
//! file, and a row of bits per state, for what arrives one by one.

use crate::bitmap::Bitmap;
use crate::expr::{Expr, StateAt};
use crate::formula::{AtomId, FormulaId, Formulas, Node};
use crate::semantics::EvaluationError;
use crate::trace::{Times, Trace};
use rustc_hash::FxHashMap;
use stretch::{Stretch, Test};

mod atom;
mod columnar;
mod stretch;

pub use atom::Atom;

/// An atom as engines know it: a place in a letter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Proposition(pub u32);

impl Proposition {
    /// The proposition as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The propositions of some formulas: their atoms, by their places in a letter.
#[derive(Clone, Debug, Default)]
pub struct Alphabet {
    atoms: Vec<(Proposition, AtomId)>,
    propositions: FxHashMap<AtomId, Proposition>,
    letter_len: usize,
}

impl Alphabet {
    /// The atoms that these formulas are made of, in order of their ids and numbered without gaps.
    pub fn of(formulas: &Formulas, roots: &[FormulaId]) -> Self {
        let atoms = formulas.parts(roots).into_iter().filter_map(|part| match formulas.node(part) {
            Node::Atom(atom) => Some(atom),
            _ => None,
        });
        let atoms: Vec<_> = atoms.enumerate().map(|(index, atom)| (Proposition(index as u32), atom)).collect();
        let letter_len = atoms.len();
        Self::with_places(atoms, letter_len)
    }

    /// Atoms at given places of letters of a length, in order of their places.
    fn with_places(atoms: Vec<(Proposition, AtomId)>, letter_len: usize) -> Self {
        let propositions = atoms.iter().map(|&(proposition, atom)| (atom, proposition)).collect();
        Self { atoms, propositions, letter_len }
    }

    /// The alphabet of formulas that were taken out of the arena of this one. `place` tells the
    /// place of an atom here. Places stay, so that letters can be shared.
    pub fn narrowed(
        &self,
        formulas: &Formulas,
        roots: &[FormulaId],
        place: impl Fn(&Expr) -> Option<Proposition>,
    ) -> Self {
        let own = Self::of(formulas, roots);
        let placed = |&(_, atom): &(Proposition, AtomId)| Some((place(formulas.atom(atom))?, atom));
        let mut atoms: Vec<_> = own.atoms.iter().filter_map(placed).collect();
        atoms.sort_unstable();
        Self::with_places(atoms, self.letter_len)
    }

    /// The atoms with their places, in order of these.
    pub fn atoms(&self) -> &[(Proposition, AtomId)] {
        &self.atoms
    }

    /// The atom of a proposition, if it is of this alphabet.
    pub fn atom(&self, proposition: Proposition) -> Option<AtomId> {
        let index = self.atoms.binary_search_by_key(&proposition, |(proposition, _)| *proposition).ok()?;
        Some(self.atoms[index].1)
    }

    /// The number of places of a letter. Some may be of atoms that are not of this alphabet.
    pub fn letter_len(&self) -> usize {
        self.letter_len
    }

    /// The proposition of an atom, if it is of this alphabet.
    pub fn proposition(&self, atom: AtomId) -> Option<Proposition> {
        self.propositions.get(&atom).copied()
    }
}

/// The letters of a trace as one bitmap per proposition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Letters {
    /// The number of positions.
    pub len: usize,
    /// The positions at which each proposition holds.
    pub bitmaps: Vec<Bitmap>,
    /// The timestamp of each state, if the trace has timestamps. They are the trace's own.
    pub time: Option<Times>,
}

impl Letters {
    /// The positions at which a proposition holds.
    pub fn bitmap(&self, proposition: Proposition) -> &Bitmap {
        &self.bitmaps[proposition.index()]
    }

    /// The letter at a position as a row of bits.
    pub fn row(&self, position: usize) -> Letter {
        Letter(self.bitmaps.iter().map(|bitmap| bitmap.get(position)).collect())
    }

    /// The letters at these positions, in this order.
    pub fn gather(&self, positions: &[u32]) -> Self {
        Self {
            len: positions.len(),
            bitmaps: self.bitmaps.iter().map(|bitmap| bitmap.gather(positions)).collect(),
            time: self.time.as_ref().map(|time| positions.iter().map(|&position| time[position as usize]).collect()),
        }
    }
}

/// The letters of several traces, one behind the other, for engines that take them in one go.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// The letters of all states. Timestamps never decrease, from trace to trace either: each
    /// trace is moved in time, so that it begins farther behind the one before it than any of them
    /// is long.
    pub letters: Letters,
    /// The first position of each trace.
    pub first: Bitmap,
    /// The last position of each trace.
    pub last: Bitmap,
    /// The largest distance in nanoseconds between two states of a trace.
    pub longest: u64,
}

impl Batch {
    /// Traces by the letters of all their states and by the number of states of each, which is not
    /// 0. None if there is no room in time to put them one behind the other.
    pub fn new(letters: Letters, lengths: &[usize]) -> Option<Self> {
        let mut first = Bitmap::filled(letters.len, false);
        let mut last = first.clone();
        let mut start = 0;
        for length in lengths {
            first.set(start, true);
            start += length;
            last.set(start - 1, true);
        }
        debug_assert_eq!(start, letters.len, "the lengths of all traces");
        let Some(time) = &letters.time else { return Some(Self { letters, first, last, longest: 0 }) };
        let (time, longest) = moved_apart(time, lengths)?;
        Some(Self { letters: Letters { time: Some(time.into()), ..letters }, first, last, longest })
    }
}

/// The timestamps of traces moved apart by more than the longest of them is long, and its length.
fn moved_apart(time: &[i64], lengths: &[usize]) -> Option<(Vec<i64>, u64)> {
    let mut rest = time;
    let traces = lengths.iter().map(|&length| {
        let (trace, others) = rest.split_at(length);
        rest = others;
        trace
    });
    let traces: Vec<&[i64]> = traces.collect();
    let longest = traces.iter().map(|trace| trace[0].abs_diff(trace[trace.len() - 1])).max().unwrap_or(0);
    let apart = i64::try_from(longest).ok()?.checked_add(1)?;
    let mut moved = Vec::with_capacity(time.len());
    let mut begin = 0_i64;
    for trace in traces {
        // No distance is larger than the longest trace, which has fit.
        moved.extend(trace.iter().map(|time| begin + time.abs_diff(trace[0]) as i64));
        begin = moved[moved.len() - 1].checked_add(apart)?;
        begin.checked_add(apart)?;
    }
    Some((moved, longest))
}

/// The propositions that hold in one state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Letter(pub Bitmap);

impl Letter {
    /// Whether a proposition holds.
    pub fn holds(&self, proposition: Proposition) -> bool {
        self.0.get(proposition.index())
    }
}

/// The letters of a trace for an alphabet of split atoms.
///
/// Where an atom cannot be evaluated its bit is 0: whether that is an error depends on the
/// expression around it, which [`check_expressions`] evaluates as a whole.
pub fn letters(formulas: &Formulas, alphabet: &Alphabet, trace: &Trace) -> Letters {
    let bitmaps = alphabet.atoms().iter().map(|&(_, atom)| row(formulas.atom(atom), trace)).collect();
    Letters { len: trace.len, bitmaps, time: trace.time.clone() }
}

/// The positions at which an atom holds; where it cannot be evaluated its bit is 0.
pub fn row(atom: &Expr, trace: &Trace) -> Bitmap {
    columnar::holds(atom, trace)
}

/// The maximal boolean expressions of some formulas that may fail.
pub fn fallible<'a>(formulas: &'a Formulas, roots: &[FormulaId]) -> Vec<&'a Expr> {
    let expressions = formulas.parts(roots).into_iter().filter_map(|part| match formulas.node(part) {
        Node::Atom(atom) => Some(formulas.atom(atom)),
        _ => None,
    });
    expressions.filter(|expr| expr.can_fail()).collect()
}

/// Evaluates every maximal boolean expression of some formulas at every position, as the definition
/// asks, and reports the first that fails. Expressions that cannot fail cost nothing.
pub fn check_expressions(formulas: &Formulas, roots: &[FormulaId], trace: &Trace) -> Result<(), EvaluationError> {
    let fallible = fallible(formulas, roots);
    let tests: Option<Vec<Test>> = fallible.iter().map(|expr| Test::of(expr, trace)).collect();
    let stretches = Stretch::all(if fallible.is_empty() { 0 } else { trace.len });
    for stretch in stretches {
        let none_fails = |tests: &Vec<Test>| tests.iter().all(|test| test.words(trace, stretch).is_ok());
        if tests.as_ref().is_some_and(none_fails) {
            continue;
        }
        for position in stretch.positions() {
            for expr in &fallible {
                let state = StateAt { trace, position };
                expr.holds(&state).map_err(|reason| EvaluationError::of(expr, position, reason))?;
            }
        }
    }
    Ok(())
}
