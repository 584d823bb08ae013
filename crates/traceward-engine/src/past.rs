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
//!
//! In time a lower bound is no delay: the window moves with the timestamps. There, what happened is
//! kept until the window has reached it, and of that only what makes a difference.

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
    /// The parts that are looked up in a letter.
    propositions: Vec<(PastId, Proposition)>,
    /// The parts that are worked out from others.
    operators: Vec<PastId>,
    /// The truth of constants, all else being false.
    constants: Truth,
    places: FxHashMap<FormulaId, PastId>,
    memories: u32,
    timed: u32,
}

/// A formula in a [`Past`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PastId(u32);

impl PastId {
    /// The bit of the formula in a word of the truth of all, see [`PastRun::word`].
    pub(crate) fn bit(self) -> u64 {
        1_u64.checked_shl(self.0).unwrap_or(0)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The truth of each part at a position: a bit each. Most formulas have so few of them that one
/// word has room for all, and nothing has to be looked up.
#[derive(Clone, Debug, Default)]
struct Truth {
    word: u64,
    /// The bits of the parts that the word has no room for.
    more: Vec<u64>,
}

impl Truth {
    /// That of so many parts, none of which holds.
    fn new(parts: usize) -> Self {
        Self { word: 0, more: vec![0; parts.div_ceil(u64::BITS as usize).saturating_sub(1)] }
    }

    #[inline]
    fn holds(&self, id: PastId) -> bool {
        let word = match id.0 < u64::BITS {
            true => self.word,
            false => self.more[(id.0 / u64::BITS) as usize - 1],
        };
        (word >> (id.0 % u64::BITS)) & 1 == 1
    }

    /// Adds a part that holds, if it does.
    #[inline]
    fn add(&mut self, id: PastId, holds: bool) {
        let bit = u64::from(holds) << (id.0 % u64::BITS);
        match id.0 < u64::BITS {
            true => self.word |= bit,
            false => self.more[(id.0 / u64::BITS) as usize - 1] |= bit,
        }
    }
}

/// The truth of formulas about the past at a position, and what is remembered to go on.
#[derive(Clone, Debug, Default)]
pub struct PastRun {
    truth: Truth,
    /// What operators remember that count positions.
    memories: Vec<PastMemory>,
    /// What operators remember that go by timestamps.
    timed: Vec<TimedMemory>,
    position: u64,
}

impl PastRun {
    /// Whether a formula holds at the last position.
    #[inline]
    pub fn holds(&self, id: PastId) -> bool {
        self.truth.holds(id)
    }

    /// The truth of all formulas at the last position in one word, a bit for each by its number, if
    /// there are so few.
    #[inline]
    pub(crate) fn word(&self) -> Option<u64> {
        self.truth.more.is_empty().then_some(self.truth.word)
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
    Previous(Strength, PastId, MemoryId),
    Window {
        look: PastWindow,
        from: u64,
        width: Option<u64>,
        /// The value of the operator if the window has no position.
        of_nothing: bool,
        memory: MemoryId,
    },
    /// A window in time, in nanoseconds.
    Timed {
        look: PastWindow,
        from: u64,
        to: Option<u64>,
        memory: TimedId,
    },
}

/// What an operator remembers that counts positions, by its place.
#[derive(Clone, Copy, Debug)]
struct MemoryId(u32);

/// What an operator remembers that goes by timestamps, by its place.
#[derive(Clone, Copy, Debug)]
struct TimedId(u32);

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

/// What an operator remembers whose window is in time.
#[derive(Clone, Debug, Default)]
struct TimedMemory {
    /// The time of the last witness that the window has reached, unless it does not count any more.
    witness: Option<i64>,
    /// For weak since, the last time that the window has reached and at which f was false.
    failure: Option<i64>,
    /// What happened after the near end of the window.
    soon: VecDeque<Happening>,
}

/// What an operator finds in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Happening {
    time: i64,
    /// What is looked for is there.
    comes: bool,
    /// What was found before still counts.
    keeps: bool,
}

impl Past {
    /// Prepares formulas with split atoms, none of which looks ahead.
    pub fn new(
        engine: &'static str,
        formulas: &Formulas,
        alphabet: &Alphabet,
        roots: &[FormulaId],
    ) -> Result<Self, Unsupported> {
        Self::with_given(engine, formulas, alphabet, roots, None)
    }

    /// The same, with a formula that is not looked at but given as a proposition.
    pub(crate) fn with_given(
        engine: &'static str,
        formulas: &Formulas,
        alphabet: &Alphabet,
        roots: &[FormulaId],
        given: Option<(FormulaId, Proposition)>,
    ) -> Result<Self, Unsupported> {
        let mut past = Self::default();
        for part in formulas.parts(roots) {
            let compiled = match given {
                Some((formula, proposition)) if formula == part => PastPart::Proposition(proposition),
                _ => past.part(engine, formulas, alphabet, part)?,
            };
            past.places.insert(part, PastId(past.parts.len() as u32));
            past.push(compiled);
        }
        past.note_constants();
        Ok(past)
    }

    /// Prepares an operator by itself, whose operands are the propositions of these numbers.
    pub(crate) fn operator(node: Node, operands: &[Proposition]) -> (Self, PastId) {
        let mut past = Self::default();
        for (operand, proposition) in node.children().zip(operands) {
            past.places.insert(operand, PastId(past.parts.len() as u32));
            past.push(PastPart::Proposition(*proposition));
        }
        let part = past.temporal(node);
        past.push(part);
        past.note_constants();
        let last = past.parts.len() as u32 - 1;
        (past, PastId(last))
    }

    fn push(&mut self, part: PastPart) {
        let id = PastId(self.parts.len() as u32);
        self.parts.push(part);
        match part {
            PastPart::Constant(_) => {}
            PastPart::Proposition(proposition) => self.propositions.push((id, proposition)),
            _ => self.operators.push(id),
        }
    }

    fn note_constants(&mut self) {
        self.constants = Truth::new(self.parts.len());
        for (id, part) in (0..).map(PastId).zip(&self.parts) {
            self.constants.add(id, matches!(part, PastPart::Constant(true)));
        }
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

    /// Whether one word has room for the truth of all, see [`PastRun::word`].
    pub(crate) fn fits_in_word(&self) -> bool {
        self.constants.more.is_empty()
    }

    /// What is followed, for whoever tells one from another.
    pub(crate) fn parts(&self) -> &[impl fmt::Debug] {
        &self.parts
    }

    fn part(
        &mut self,
        engine: &'static str,
        formulas: &Formulas,
        alphabet: &Alphabet,
        formula: FormulaId,
    ) -> Result<PastPart, Unsupported> {
        let id = |formula: FormulaId| self.id(formula);
        let node = formulas.node(formula);
        if node.direction() == Some(Direction::Future) {
            return Err(Unsupported { engine, what: Feature::FutureInsidePast, instead: "reverse" });
        }
        Ok(match node {
            Node::Constant(bit) => PastPart::Constant(bit),
            Node::Atom(atom) => PastPart::Proposition(alphabet.proposition(atom).expect("an atom of the alphabet")),
            Node::Not(f) => PastPart::Not(id(f)),
            Node::And(f, g) => PastPart::And(id(f), id(g)),
            Node::Or(f, g) => PastPart::Or(id(f), id(g)),
            node => self.temporal(node),
        })
    }

    /// A temporal operator whose operands have their places.
    fn temporal(&mut self, node: Node) -> PastPart {
        let id = |formula: FormulaId| self.id(formula);
        let look = match node {
            Node::Next(_, strength, f) => return PastPart::Previous(strength, id(f), self.memory()),
            Node::Eventually(_, _, f) => PastWindow::Once(id(f)),
            Node::Always(_, _, f) => PastWindow::Historically(id(f)),
            Node::Binary(op, _, _, f, g) => match op.expansion() {
                Expansion::Until => PastWindow::Since(op.strength(), id(f), id(g)),
                Expansion::Release => PastWindow::Trigger(op.strength(), id(f), id(g)),
            },
            _ => unreachable!("it is temporal"),
        };
        let Interval { unit, from, to } = node.interval().expect("what is left has a window");
        if unit == Unit::Time {
            self.timed += 1;
            return PastPart::Timed { look, from, to, memory: TimedId(self.timed - 1) };
        }
        let of_nothing = node.strength().is_some_and(Strength::holds);
        let (width, memory) = (to.map(|to| to - from), self.memory());
        PastPart::Window { look, from, width, of_nothing, memory }
    }

    fn memory(&mut self) -> MemoryId {
        self.memories += 1;
        MemoryId(self.memories - 1)
    }

    /// A run that has seen no state.
    pub fn start(&self) -> PastRun {
        PastRun {
            truth: self.constants.clone(),
            memories: vec![PastMemory::default(); self.memories as usize],
            timed: vec![TimedMemory::default(); self.timed as usize],
            position: 0,
        }
    }

    /// Takes the next state. `holds` tells which propositions hold in it, and `time` is its
    /// timestamp, without which windows in time stay as they are.
    #[inline]
    pub fn step(&self, run: &mut PastRun, holds: &(impl Fn(Proposition) -> bool + ?Sized), time: Option<i64>) {
        match self.constants.more.is_empty() {
            true => {
                let all = self.propositions.iter();
                let bit = |&(id, proposition): &(PastId, _)| u64::from(holds(proposition)) << (id.0 % u64::BITS);
                run.truth.word = all.fold(self.constants.word, |word, one| word | bit(one));
            }
            false => self.read_many(&mut run.truth, holds),
        }
        if !self.operators.is_empty() {
            self.step_operators(run, time);
        }
        run.position += 1;
    }

    /// Looks up the propositions where one word has no room for all parts.
    #[inline(never)]
    fn read_many(&self, truth: &mut Truth, holds: &(impl Fn(Proposition) -> bool + ?Sized)) {
        truth.clone_from(&self.constants);
        self.propositions.iter().for_each(|&(id, proposition)| truth.add(id, holds(proposition)));
    }

    /// Works out what follows from the propositions.
    #[inline(never)]
    fn step_operators(&self, run: &mut PastRun, time: Option<i64>) {
        for &id in &self.operators {
            let now = |id: PastId| run.truth.holds(id);
            let holds = match self.parts[id.index()] {
                PastPart::Constant(bit) => bit,
                PastPart::Proposition(_) => now(id),
                PastPart::Not(f) => !now(f),
                PastPart::And(f, g) => now(f) & now(g),
                PastPart::Or(f, g) => now(f) | now(g),
                PastPart::Previous(strength, f, memory) => {
                    run.memories[memory.0 as usize].delayed(1, now(f), strength.holds())
                }
                PastPart::Window { look, from, width, of_nothing, memory } => {
                    let memory = &mut run.memories[memory.0 as usize];
                    let undelayed = memory.look(look, width, run.position, now);
                    memory.delayed(from, undelayed, of_nothing)
                }
                PastPart::Timed { look, from, to, memory } => {
                    run.timed[memory.0 as usize].look(look, from, to, time.unwrap_or_default(), now)
                }
            };
            run.truth.add(id, holds);
        }
    }
}

impl Past {
    /// Whether a formula can become one that holds at no later position, as far as its form tells.
    pub(crate) fn can_be_over(&self, id: PastId) -> bool {
        let mut can = Vec::with_capacity(id.index() + 1);
        for part in &self.parts[..=id.index()] {
            let of = |id: PastId| can[id.index()];
            can.push(match *part {
                PastPart::Constant(bit) => !bit,
                PastPart::Proposition(_) => false,
                PastPart::Not(f) => self.is_constant(f),
                PastPart::And(f, g) => of(f) || of(g),
                PastPart::Or(f, g) => of(f) && of(g),
                PastPart::Previous(_, f, _) => of(f),
                PastPart::Window { look: PastWindow::Once(f), .. } => of(f),
                PastPart::Timed { look: PastWindow::Once(f), .. } => of(f),
                PastPart::Window { .. } | PastPart::Timed { .. } => false,
            });
        }
        can[id.index()]
    }

    /// Whether a formula is the constant true.
    fn is_constant(&self, id: PastId) -> bool {
        matches!(self.parts[id.index()], PastPart::Constant(true))
    }

    /// Whether it is certain that a formula holds at no later position, `clock` being a time before
    /// which no later state is.
    pub(crate) fn is_over(&self, run: &PastRun, id: PastId, clock: i64) -> bool {
        self.over_after(run, id).is_some_and(|over| over.is_passed(clock))
    }

    /// When it is certain that a formula holds at no later position; none if no clock can tell.
    pub(crate) fn over_after(&self, run: &PastRun, id: PastId) -> Option<Over> {
        if run.position == 0 {
            return None;
        }
        let mut over: Vec<Option<Over>> = Vec::with_capacity(id.index() + 1);
        for part in &self.parts[..=id.index()] {
            let of = |id: PastId| over[id.index()];
            over.push(match *part {
                PastPart::Constant(bit) => (!bit).then_some(Over::Already),
                PastPart::Proposition(_) => None,
                PastPart::Not(f) => self.is_constant(f).then_some(Over::Already),
                PastPart::And(f, g) => of(f).into_iter().chain(of(g)).min(),
                PastPart::Or(f, g) => of(f).zip(of(g)).map(|(f, g)| f.max(g)),
                PastPart::Previous(_, f, _) => of(f).filter(|_| !run.holds(f)),
                PastPart::Window { look: PastWindow::Once(f), width, memory, .. } => {
                    let memory = &run.memories[memory.0 as usize];
                    let left = |last| width.is_some_and(|width| run.position - last > width);
                    of(f).filter(|_| memory.witness.is_none_or(left) && !memory.late.contains(&true))
                }
                PastPart::Timed { look: PastWindow::Once(f), to, memory, .. } => {
                    let memory = &run.timed[memory.0 as usize];
                    // The window reaches all that is to come of it before it leaves the last.
                    let last = memory.soon.back().map(|last| last.time).or(memory.witness);
                    let left = |last: i64| last.checked_add_unsigned(to?).map(Over::After);
                    let left = last.map_or(Some(Over::Already), left);
                    of(f).zip(left).map(|(f, left)| f.max(left))
                }
                PastPart::Window { .. } | PastPart::Timed { .. } => None,
            });
        }
        over[id.index()]
    }
}

/// When it is certain that something does not hold any more; what is earlier is less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Over {
    Already,
    /// Once the clock has passed this time.
    After(i64),
}

impl Over {
    fn is_passed(self, clock: i64) -> bool {
        match self {
            Self::Already => true,
            Self::After(time) => time < clock,
        }
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
        self.timed.iter().for_each(|memory| memory.save(to));
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
        for memory in &mut run.timed {
            *memory = TimedMemory::restore(from)?;
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

impl TimedMemory {
    /// The value of an operator on its window, seen from a state with a timestamp.
    fn look(&mut self, look: PastWindow, from: u64, to: Option<u64>, time: i64, now: impl Fn(PastId) -> bool) -> bool {
        let found = |comes, keeps| Happening { time, comes, keeps };
        let happening = match look {
            PastWindow::Once(f) => found(now(f), true),
            PastWindow::Historically(f) => found(!now(f), true),
            PastWindow::Since(_, f, g) => found(now(g), now(f)),
            PastWindow::Trigger(Strength::Weak, f, g) => found(!now(g), !now(f)),
            PastWindow::Trigger(Strength::Strong, f, g) => found(now(f) && now(g), now(g)),
        };
        self.take(happening, time.checked_sub_unsigned(from));
        let far_end = to.map_or(i64::MIN, |to| time.saturating_sub_unsigned(to));
        let in_window = |last: Option<i64>| last.is_some_and(|last| last >= far_end);
        match look {
            PastWindow::Once(_) | PastWindow::Since(Strength::Strong, ..) => in_window(self.witness),
            PastWindow::Trigger(Strength::Strong, ..) => in_window(self.witness),
            PastWindow::Historically(_) | PastWindow::Trigger(Strength::Weak, ..) => !in_window(self.witness),
            PastWindow::Since(Strength::Weak, ..) => in_window(self.witness) || !in_window(self.failure),
        }
    }

    /// Takes what was found in the last state, and whatever the window has reached by now: nothing
    /// where its near end lies before the earliest moment that there is.
    fn take(&mut self, happening: Happening, near_end: Option<i64>) {
        let is_reached = |happening: &Happening| near_end.is_some_and(|near_end| happening.time <= near_end);
        if self.soon.is_empty() && is_reached(&happening) {
            self.reach(happening);
            return;
        }
        if happening.comes || !happening.keeps {
            self.soon.push_back(happening);
        }
        while let Some(&first) = self.soon.front().filter(|first| is_reached(first)) {
            self.soon.pop_front();
            self.reach(first);
        }
    }

    fn reach(&mut self, Happening { time, comes, keeps }: Happening) {
        if comes {
            self.witness = Some(time);
        } else if !keeps {
            self.witness = None;
        }
        if !keeps {
            self.failure = Some(time);
        }
    }

    fn save(&self, to: &mut Writer) {
        to.optional(self.witness.map(i64::cast_unsigned));
        to.optional(self.failure.map(i64::cast_unsigned));
        to.size(self.soon.len());
        for happening in &self.soon {
            to.number(happening.time.cast_unsigned());
            to.bit(happening.comes);
            to.bit(happening.keeps);
        }
    }

    fn restore(from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        let witness = from.optional()?.map(u64::cast_signed);
        let failure = from.optional()?.map(u64::cast_signed);
        let happening = |from: &mut Reader<'_>| {
            let time = from.number()?.cast_signed();
            Ok(Happening { time, comes: from.bit()?, keeps: from.bit()? })
        };
        let soon = (0..from.count()?).map(|_| happening(from)).collect::<Result<_, RestoreError>>()?;
        Ok(Self { witness, failure, soon })
    }
}
