//! What holds of the past, position by position: every past operator costs a step and a few words,
//! whatever its bound.
//!
//! With a bound `[a,b]` an operator looks at the window that ended a positions ago, so it is the
//! same operator with `[0,b-a]`, a steps late. That one only has to remember when something was
//! last the case:
//!
//! | operator | true if |
//! | --- | --- |
//! | `O f` | the last f is in the window |
//! | `H f` | the last `!f` is not |
//! | `f S g` | the last g is, and f has held since |
//! | `f B g` | `f S g`, or the last `!f` is not in the window |
//! | `f T g` | not `!f S !g`; if it is strong, `g S (f & g)` |
//!
//! A lower bound a costs a byte for each of the last a positions.

use crate::limit::{Feature, Unsupported};
use crate::saved::{Reader, RestoreError, Writer};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt;
use traceward_logic::formula::{Direction, Expansion, FormulaId, Formulas, Interval, Node, Strength, Unit};
use traceward_logic::letter::{Alphabet, Proposition};

/// Formulas about the past and the present, ready to be followed.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// All parts of the formulas, parts before wholes.
    parts: Vec<PastPart>,
    places: FxHashMap<FormulaId, PastId>,
}

/// A formula in a [`Past`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PastId(u32);

impl PastId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The truth of formulas about the past at a position, and what is remembered to go on.
#[derive(Clone, Debug, Default)]
pub struct PastRun {
    /// Whether each part holds at the position.
    holds: Vec<bool>,
    memories: Vec<PastMemory>,
    position: u64,
}

impl PastRun {
    /// Whether a formula holds at the last position.
    pub fn holds(&self, id: PastId) -> bool {
        self.holds[id.index()]
    }

    /// The number of states that were seen.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }
}

#[derive(Clone, Copy, Debug)]
enum PastPart {
    Constant(bool),
    Proposition(Proposition),
    Not(PastId),
    And(PastId, PastId),
    Or(PastId, PastId),
    /// `Y` and `Z`
    Previous(Strength, PastId),
    Window {
        look: PastWindow,
        from: u64,
        width: Option<u64>,
        /// The value of the operator if the window has no position.
        of_nothing: bool,
    },
}

/// The search of an operator through its window.
#[derive(Clone, Copy, Debug)]
enum PastWindow {
    Once(PastId),
    Historically(PastId),
    /// `f S g` if it is strong, `f B g` if it is weak.
    Since(Strength, PastId, PastId),
    /// `f T g` if it is weak; if it is strong, its counterpart without a text of its own.
    Trigger(Strength, PastId, PastId),
}

#[derive(Clone, Debug, Default)]
struct PastMemory {
    /// The last position at which the operand was as looked for, unless it does not count any more.
    witness: Option<u64>,
    /// For weak since, the last position at which f was false.
    failure: Option<u64>,
    /// The values of the operator without its lower bound at the last positions; for `Y` and `Z`,
    /// the value of the operand at the last one.
    late: VecDeque<bool>,
}

impl Past {
    /// Prepares formulas with split atoms, none of which looks ahead.
    pub fn new(
        engine: &'static str,
        formulas: &Formulas,
        alphabet: &Alphabet,
        roots: &[FormulaId],
    ) -> Result<Self, Unsupported> {
        let mut past = Self::default();
        for part in formulas.parts(roots) {
            let compiled = past.part(engine, formulas, alphabet, part)?;
            past.places.insert(part, PastId(past.parts.len() as u32));
            past.parts.push(compiled);
        }
        Ok(past)
    }

    /// The id of a formula.
    ///
    /// # Panics
    /// If it is none of those that this was made of.
    pub fn id(&self, formula: FormulaId) -> PastId {
        self.places[&formula]
    }

    /// Whether there is nothing to follow.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// What is followed, for whoever tells one from another.
    pub(crate) fn parts(&self) -> &[impl fmt::Debug] {
        &self.parts
    }

    fn part(
        &self,
        engine: &'static str,
        formulas: &Formulas,
        alphabet: &Alphabet,
        formula: FormulaId,
    ) -> Result<PastPart, Unsupported> {
        let id = |formula: FormulaId| self.id(formula);
        let refuse = |what| Err(Unsupported { engine, what, instead: "reverse" });
        let node = formulas.node(formula);
        if node.direction() == Some(Direction::Future) {
            return refuse(Feature::FutureInsidePast);
        }
        let look = match node {
            Node::Constant(bit) => return Ok(PastPart::Constant(bit)),
            Node::Atom(atom) => {
                return Ok(PastPart::Proposition(alphabet.proposition(atom).expect("an atom of the alphabet")));
            }
            Node::Not(f) => return Ok(PastPart::Not(id(f))),
            Node::And(f, g) => return Ok(PastPart::And(id(f), id(g))),
            Node::Or(f, g) => return Ok(PastPart::Or(id(f), id(g))),
            Node::Next(_, strength, f) => return Ok(PastPart::Previous(strength, id(f))),
            Node::Eventually(_, _, f) => PastWindow::Once(id(f)),
            Node::Always(_, _, f) => PastWindow::Historically(id(f)),
            Node::Binary(op, _, _, f, g) => match op.expansion() {
                Expansion::Until => PastWindow::Since(op.strength(), id(f), id(g)),
                Expansion::Release => PastWindow::Trigger(op.strength(), id(f), id(g)),
            },
        };
        let Interval { unit, from, to } = node.interval().expect("what is left has a window");
        if unit == Unit::Time {
            return refuse(Feature::BoundsInTime);
        }
        let of_nothing = node.strength().is_some_and(Strength::holds);
        Ok(PastPart::Window { look, from, width: to.map(|to| to - from), of_nothing })
    }

    /// A run that has seen no state.
    pub fn start(&self) -> PastRun {
        PastRun {
            holds: vec![false; self.parts.len()],
            memories: vec![PastMemory::default(); self.parts.len()],
            position: 0,
        }
    }

    /// Takes the next state. `holds` tells which propositions hold in it.
    pub fn step(&self, run: &mut PastRun, holds: &dyn Fn(Proposition) -> bool) {
        for (index, part) in self.parts.iter().enumerate() {
            let now = |id: PastId| run.holds[id.index()];
            let memory = &mut run.memories[index];
            run.holds[index] = match *part {
                PastPart::Constant(bit) => bit,
                PastPart::Proposition(proposition) => holds(proposition),
                PastPart::Not(f) => !now(f),
                PastPart::And(f, g) => now(f) && now(g),
                PastPart::Or(f, g) => now(f) || now(g),
                PastPart::Previous(strength, f) => memory.delayed(1, now(f), strength.holds()),
                PastPart::Window { look, from, width, of_nothing } => {
                    let undelayed = memory.look(look, width, run.position, now);
                    memory.delayed(from, undelayed, of_nothing)
                }
            };
        }
        run.position += 1;
    }
}

impl PastRun {
    /// Writes what is remembered of the past.
    pub(crate) fn save(&self, to: &mut Writer) {
        to.number(self.position);
        for memory in &self.memories {
            to.optional(memory.witness);
            to.optional(memory.failure);
            to.size(memory.late.len());
            memory.late.iter().for_each(|bit| to.bit(*bit));
        }
    }
}

impl Past {
    /// Reads what was remembered of the past of the same formulas.
    pub(crate) fn restore(&self, from: &mut Reader<'_>) -> Result<PastRun, RestoreError> {
        let mut run = self.start();
        run.position = from.number()?;
        for memory in &mut run.memories {
            memory.witness = moment(from, run.position)?;
            memory.failure = moment(from, run.position)?;
            let late = from.count()?;
            memory.late = (0..late).map(|_| from.bit()).collect::<Result<_, _>>()?;
        }
        Ok(run)
    }
}

/// A position before another one, if there is one.
fn moment(from: &mut Reader<'_>, before: u64) -> Result<Option<u64>, RestoreError> {
    match from.optional()? {
        Some(moment) if moment >= before => Err(RestoreError::Damaged),
        moment => Ok(moment),
    }
}

impl PastMemory {
    /// The value of an operator on the window that ends at this position.
    fn look(&mut self, look: PastWindow, width: Option<u64>, position: u64, now: impl Fn(PastId) -> bool) -> bool {
        let in_window = |last: Option<u64>| last.is_some_and(|last| width.is_none_or(|width| position - last <= width));
        let mut since = |keeps: bool, comes: bool| {
            if comes {
                self.witness = Some(position);
            } else if !keeps {
                self.witness = None;
            }
            in_window(self.witness)
        };
        match look {
            PastWindow::Once(f) => since(true, now(f)),
            PastWindow::Historically(f) => !since(true, !now(f)),
            PastWindow::Since(Strength::Strong, f, g) => since(now(f), now(g)),
            PastWindow::Trigger(Strength::Weak, f, g) => !since(!now(f), !now(g)),
            PastWindow::Trigger(Strength::Strong, f, g) => since(now(g), now(f) && now(g)),
            PastWindow::Since(Strength::Weak, f, g) => {
                let strong = since(now(f), now(g));
                if !now(f) {
                    self.failure = Some(position);
                }
                strong || !in_window(self.failure)
            }
        }
    }

    /// The value of so many steps ago, or `otherwise` if the trace had not begun.
    fn delayed(&mut self, steps: u64, value: bool, otherwise: bool) -> bool {
        if steps == 0 {
            return value;
        }
        self.late.push_back(value);
        match self.late.len() as u64 > steps {
            true => self.late.pop_front().expect("more than none"),
            false => otherwise,
        }
    }
}
