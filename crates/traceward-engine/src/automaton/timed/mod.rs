//! Shortest traces with timestamps that satisfy a formula with bounds in time.
//!
//! The operators with a bound in time are taken out of the formula (`literal`). What is left
//! leads to a deterministic automaton, and beside its state there is what has to be kept in mind of
//! the claims that were made (`memory`), with what is known of the timestamps (`zone`). Such
//! configurations are met breadth-first, and those that owe more than one before them are not
//! followed (`burden`).
//!
//! That decides formulas whose bounds in time are all in the future, and those whose bounds are all
//! in the past, since a trace can be read backwards. With bounds in both directions together nobody
//! can in general, not even with one of each: `b <-> F[1s,1s] c` and `y <-> O[1s,1s] x` make each
//! second a copy of the one before it. Let x alternate, let x be y from the second second on, and
//! let positions with x have b and c. Then those are neither lost nor invented nor doubled, and
//! between two of them is one position, whose b may only turn from 0 to 1 on its way; so a bit in
//! two such positions, as 01 or 10, arrives as it was. What is between c and b is said without
//! bounds, and can be the step of a Turing machine, whose tape has as many places as a second has
//! moments.
//!
//! So of positions in the past a few are kept in mind, and most formulas are decided.
//!
//! Two things may be lost on the way: positions that past operators ask about where there are too
//! many at once, and that timestamps are whole numbers. Either only adds traces. So where no
//! configuration accepts, there is no trace; and where one does, timestamps are chosen, and the
//! definition judges. If it denies all that is found, nobody knows.

mod burden;
mod literal;
mod memory;
mod moments;
mod search;
mod zone;

#[cfg(test)]
mod tests;

use super::deterministic::Room;
use crate::limit::{BuildError, GaveUp, Limit};
use literal::Untimed;
use search::Search;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Node, Strength, Unit};
use traceward_logic::letter::{Alphabet, Letter, Proposition};
use traceward_logic::pass;
use traceward_logic::semantics;
use traceward_logic::trace::{Trace, VariableId};

/// The answer to whether a formula can hold on a trace with timestamps.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// It can, on this trace.
    Found(TimedTrace),
    /// It cannot.
    Nowhere,
    /// Nobody knows, for this reason.
    Unknown(Unknown),
}

/// A trace that satisfies a formula.
#[derive(Clone, PartialEq, Debug)]
pub struct TimedTrace {
    /// The letters. Propositions that do not matter hold or not, as it comes.
    pub letters: Vec<Letter>,
    /// The timestamps in nanoseconds, the first one 0.
    pub time: Vec<i64>,
}

impl Answer {
    /// The answer with its trace read backwards.
    fn turned(self) -> Self {
        match self {
            Self::Found(found) => Self::Found(found.turned()),
            other => other,
        }
    }
}

impl TimedTrace {
    /// The trace read backwards.
    fn turned(mut self) -> Self {
        self.letters.reverse();
        let last = self.time.last().copied().unwrap_or(0);
        self.time = self.time.into_iter().rev().map(|moment| last - moment).collect();
        self
    }
}

/// The reason why it is not known whether a formula can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// More positions have to be kept in mind at once than were tried, because past operators ask
    /// about windows that end before them.
    ManyWindows,
    /// A bound is longer than two years.
    LongBound,
    /// There are too many operators with a bound in time.
    ManyBounds,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ManyWindows => {
                "operators of the past and of the future with bounds in time may together lead to any number of windows at \
                 once, and so many were not tried; bounds in one direction, and windows that begin at 0, do not have that"
            }
            Self::LongBound => "a bound of more than two years is too long to be reckoned with; shorter ones can be decided",
            Self::ManyBounds => "there are too many operators with a bound in time; fewer properties at once have fewer",
        })
    }
}

/// The numbers of positions that are kept in mind of a past operator, one after the other as they
/// prove too small.
const MOST_ENTRIES: [usize; 3] = [1, 3, 7];

/// Whether a formula has an operator with a bound in time.
pub fn has_time(formulas: &Formulas, root: FormulaId) -> bool {
    [Direction::Future, Direction::Past].into_iter().any(|direction| has_time_in(formulas, root, direction))
}

fn has_time_in(formulas: &Formulas, root: FormulaId, direction: Direction) -> bool {
    let is_timed = |part: FormulaId| {
        let node = formulas.node(part);
        node.direction() == Some(direction) && node.interval().is_some_and(|interval| interval.unit == Unit::Time)
    };
    formulas.parts(&[root]).into_iter().any(is_timed)
}

/// A shortest trace with timestamps, of one state at least, that satisfies a formula with split
/// atoms.
pub fn shortest_trace(
    formulas: &Formulas,
    alphabet: &Alphabet,
    root: FormulaId,
    limits: Room,
) -> Result<Answer, BuildError> {
    let forwards = || search(formulas, alphabet, root, limits);
    let backwards = || {
        let mut turned = formulas.clone();
        let root = read_from_the_end(&mut turned, root);
        search(&turned, alphabet, root, limits).map(Answer::turned)
    };
    // Any number of claims about the future are kept in mind, and few about the past; a trace that
    // is read backwards has its past there.
    match [Direction::Future, Direction::Past].map(|direction| has_time_in(formulas, root, direction)) {
        [false, true] => backwards(),
        [true, true] => match forwards() {
            Ok(Answer::Unknown(_)) | Err(BuildError::GaveUp(_)) => backwards().or_else(without_end),
            answer => answer,
        },
        _ => forwards(),
    }
}

/// The answer of a search that did not end, where bounds in both directions may have none.
fn without_end(error: BuildError) -> Result<Answer, BuildError> {
    match error {
        BuildError::GaveUp(GaveUp { limit: Limit::Interrupted, .. }) | BuildError::Unsupported(_) => Err(error),
        BuildError::GaveUp(_) => Ok(Answer::Unknown(Unknown::ManyWindows)),
    }
}

/// The formula that holds on a trace read backwards where this one holds on the trace: at what is
/// the last position then.
fn read_from_the_end(formulas: &mut Formulas, root: FormulaId) -> FormulaId {
    let mirrored = pass::mirrored(formulas, &[root])[0];
    asked_at_the_end(formulas, mirrored)
}

/// The formula that holds at the first position where this one holds at the last. What is said of
/// all positions is said as it stands: wrapped up it could fail long before anybody noticed.
fn asked_at_the_end(formulas: &mut Formulas, root: FormulaId) -> FormulaId {
    match formulas.node(root) {
        Node::And(f, g) => {
            let [f, g] = [f, g].map(|part| asked_at_the_end(formulas, part));
            formulas.and(f, g)
        }
        Node::Or(f, g) => {
            let [f, g] = [f, g].map(|part| asked_at_the_end(formulas, part));
            formulas.or(f, g)
        }
        Node::Not(f) => {
            let f = asked_at_the_end(formulas, f);
            formulas.not(f)
        }
        Node::Always(Direction::Past, Interval::ALL, f) => {
            formulas.intern(Node::Always(Direction::Future, Interval::ALL, f))
        }
        Node::Eventually(Direction::Past, Interval::ALL, f) => {
            formulas.intern(Node::Eventually(Direction::Future, Interval::ALL, f))
        }
        _ => {
            let nothing = formulas.constant(false);
            let last = formulas.intern(Node::Next(Direction::Future, Strength::Weak, nothing));
            let at_last = formulas.and(last, root);
            formulas.intern(Node::Eventually(Direction::Future, Interval::ALL, at_last))
        }
    }
}

fn search(formulas: &Formulas, alphabet: &Alphabet, root: FormulaId, limits: Room) -> Result<Answer, BuildError> {
    let mut arena = formulas.clone();
    let normal = pass::negation_normal_form(&mut arena, &[root])[0];
    let Some(untimed) = Untimed::of(&mut arena, normal) else { return Ok(Answer::Unknown(Unknown::LongBound)) };
    let judge = Judge::new(formulas, alphabet, root);
    let mut answer = Answer::Unknown(Unknown::ManyWindows);
    for most_entries in MOST_ENTRIES {
        let outcome = match Search::run(&arena, &untimed, &judge, limits, most_entries) {
            // What is kept in mind beside it made the search too long, and there is an answer
            // already.
            Err(BuildError::GaveUp(_)) if matches!(answer, Answer::Found(_)) => break,
            outcome => outcome?,
        };
        if !matches!(outcome.answer, Answer::Unknown(_)) || !matches!(answer, Answer::Found(_)) {
            answer = outcome.answer;
        }
        if outcome.denied == 0 {
            break;
        }
    }
    Ok(answer)
}

/// The definition, asked about the letters of a trace.
struct Judge<'a> {
    alphabet: &'a Alphabet,
    /// The formula with propositions as variables.
    formulas: Formulas,
    root: FormulaId,
}

impl<'a> Judge<'a> {
    fn new(formulas: &Formulas, alphabet: &'a Alphabet, root: FormulaId) -> Self {
        let variable = |atom| {
            let proposition = alphabet.proposition(atom).expect("an atom of the formula");
            Expr::Variable(VariableId(proposition.0))
        };
        let (formulas, roots) = formulas.with_atoms(&[root], variable);
        Self { alphabet, formulas, root: roots[0] }
    }

    fn admits(&self, trace: &TimedTrace) -> bool {
        let column = |proposition| trace.letters.iter().map(|letter| letter.holds(Proposition(proposition))).collect();
        let columns = (0..self.alphabet.letter_len() as u32).map(column).collect();
        let states = Trace { time: Some(trace.time.clone().into()), ..Trace::of_bools(trace.letters.len(), columns) };
        semantics::satisfied(&self.formulas, self.root, &states) == Ok(true)
    }
}
