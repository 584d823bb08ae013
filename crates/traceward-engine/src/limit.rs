//! Limits on the work and memory that answering a question may take, and the errors of engines and
//! automata that reach them.
//!
//! Nothing here knows an engine or an automaton: both say by these types why they cannot go on, and
//! whoever asked words it for people.

mod budget;
mod save;

pub use budget::{Budget, Interrupt};
use std::fmt;

/// The limits of engines. Each engine looks at the limits of what it has, and at no others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of steps of work that an engine may do for a trace that has ended, or for the
    /// next state of one that it follows: conditions that it looks at, sets that it joins or
    /// compares, nodes that it makes. See [`Budget`].
    pub work: u64,
    /// The number of slices that there may be at one position, and of ways that may lead on from a
    /// configuration.
    pub slices: usize,
    /// The number of nodes that a tree or a graph of what is not decided yet may have.
    pub nodes: usize,
    /// The number of bytes that an engine may take. A run of an observer that has used them up
    /// forgets what it has seen of its automaton, and goes on; other engines give up.
    pub memory: usize,
    /// The number of states that an observer may look at to find out what is certain in one of
    /// them.
    pub search: usize,
    /// The number of states up to which the whole automaton of an observer is made beforehand.
    pub table_states: usize,
    /// The number of entries that the table of that automaton may have.
    pub table_entries: usize,
    /// The number of states that a tableau automaton may have.
    pub automaton_states: usize,
    /// The number of steps that making a tableau automaton may take: formulas broken down, and
    /// formulas copied where a node is split.
    pub automaton_steps: u64,
    /// The number of formulas that past operators of a tableau automaton may ask for at the
    /// position before. A bound of n steps asks for n.
    pub claims: usize,
    /// The number of different sets, configurations and letters that are remembered; fewer if they
    /// are large. Remembering fewer costs time, and never an answer.
    pub remembered: usize,
    /// The flag by which somebody else ends the work of an engine, in the middle of a step.
    pub interrupt: Option<Interrupt>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            work: 100_000_000,
            slices: 100_000,
            nodes: 10_000_000,
            memory: 256 << 20,
            search: 100_000,
            table_states: 1024,
            table_entries: 1 << 21,
            automaton_states: 20_000,
            automaton_steps: 10_000_000,
            claims: 1_000,
            remembered: 10_000,
            interrupt: None,
        }
    }
}

/// A limit that was reached, with its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The steps of work.
    Work(u64),
    /// The slices at one position.
    Slices(usize),
    /// The ways that lead on from a configuration.
    Configurations(usize),
    /// The nodes of a tree or a graph of what is not decided yet.
    Nodes(usize),
    /// The bytes that an engine takes, or the making of an automaton.
    Memory(usize),
    /// The states that were looked at to know what is certain.
    Search(usize),
    /// The states of an automaton.
    States(usize),
    /// The steps that the making of an automaton takes.
    Steps(u64),
    /// The formulas that past operators ask for at the position before.
    Claims(usize),
    /// The propositions of a letter, each of which doubles the letters.
    Propositions(usize),
    /// The obligations that have to be remembered at once: the call stack holds no more.
    Obligations,
    /// The position from which a formula is asked.
    Position(usize),
    /// Somebody else has ended the work.
    Interrupted,
}

impl Limit {
    /// Whether the caller can raise the limit.
    pub fn can_be_raised(self) -> bool {
        !matches!(self, Self::Obligations | Self::Position(_) | Self::Interrupted)
    }

    /// Whether the limit is on the size of an automaton, which depends on the formula alone.
    fn is_of_automaton(self) -> bool {
        matches!(self, Self::States(_) | Self::Steps(_) | Self::Claims(_) | Self::Propositions(_))
    }
}

/// Writes what was too much, as half a sentence.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work(limit) => write!(f, "it took {limit} steps without an answer"),
            Self::Slices(limit) => write!(f, "there are more than {limit} slices at one position"),
            Self::Configurations(limit) => write!(f, "there are more than {limit} configurations"),
            Self::Nodes(limit) => write!(f, "what is not decided yet has more than {limit} nodes"),
            Self::Memory(bytes) => write!(f, "it takes more than the {} MiB allowed", bytes >> 20),
            Self::Search(limit) => {
                write!(f, "more than {limit} states have to be looked at to know what is certain")
            }
            Self::States(limit) => write!(f, "the automaton has more than {limit} states"),
            Self::Steps(limit) => write!(f, "the automaton takes more than {limit} steps to build"),
            Self::Claims(limit) => {
                write!(f, "past operators ask for more than {limit} formulas at the position before")
            }
            Self::Propositions(limit) => {
                write!(f, "there are more than {limit} propositions, and each doubles the letters")
            }
            Self::Obligations => f.write_str("it has to remember thousands of different obligations at once"),
            Self::Position(position) => {
                write!(f, "position {position} is too far from the start to be kept in mind")
            }
            Self::Interrupted => f.write_str("it was interrupted"),
        }
    }
}

/// An engine that can answer where another cannot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instead {
    /// The engine's name.
    pub engine: &'static str,
    /// The way in which it answers: the rest of a sentence that begins with its name.
    pub how: &'static str,
}

impl Instead {
    /// The graph of what is not decided, in place of the tree.
    pub const GRAPH: Self = Self { engine: "forward-backward-dag", how: "answers the same in less memory" };
    /// Reverse traversal, which gives every answer on a whole trace.
    pub const REVERSE: Self = Self { engine: "reverse", how: "answers the same in linear time" };
    /// Reverse traversal, for whoever wanted an answer before the end of the trace.
    pub const REVERSE_AT_END: Self = Self { engine: "reverse", how: "answers at the end of the trace" };
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.engine, self.how)
    }
}

/// The error of an engine that reached a limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GaveUp {
    /// The engine's name.
    pub engine: &'static str,
    /// The limit.
    pub limit: Limit,
    /// The engines that can answer instead.
    pub instead: &'static [Instead],
}

impl GaveUp {
    /// The message: what happened and what else could be done. It has no word on how to raise the
    /// limit, which depends on where the limit was set.
    pub fn account(&self) -> String {
        let mut account = format!("the engine {} gave up: {}", self.engine, self.limit);
        self.instead.iter().for_each(|instead| account += &format!("; {instead}"));
        if self.limit.is_of_automaton() {
            account += "; shorter bounds and fewer propositions make it smaller";
        }
        account
    }
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let raise = if self.limit.can_be_raised() { "; the limit can be raised" } else { "" };
        write!(f, "{}{raise}", self.account())
    }
}

impl std::error::Error for GaveUp {}

/// A feature of formulas or traces that not every engine can take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Feature {
    /// A bound that counts time.
    BoundsInTime,
    /// A future operator inside a past one.
    FutureInsidePast,
    /// A trace that is still growing.
    GrowingTrace,
    /// A bound of more steps than 32 bits count.
    VastBounds,
    /// A bound in time that is longer than 63 bits count in nanoseconds.
    VastTimes,
    /// A past operator whose bound is too long to be remembered step by step.
    LongPastBounds,
    /// Past operators that have too much to remember together.
    MuchPast,
    /// An interval in which there is no step.
    EmptyInterval,
    /// An operator with a bound, where runs are counted.
    Bounds,
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BoundsInTime => "bounds in time",
            Self::FutureInsidePast => "a future operator inside a past one",
            Self::GrowingTrace => "a trace that is still growing",
            Self::VastBounds => "bounds of four thousand million steps",
            Self::VastTimes => "bounds of more than 292 years",
            Self::LongPastBounds => "past operators with a bound of more than 10,000 steps",
            Self::MuchPast => "past operators that remember more than 10,000 values",
            Self::EmptyInterval => "an interval without steps",
            Self::Bounds => "operators with a bound where runs are counted",
        })
    }
}

/// The error of an engine that cannot take a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The engine's name.
    pub engine: &'static str,
    /// The feature that it cannot take.
    pub what: Feature,
    /// The name of an engine that can.
    pub instead: &'static str,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the engine {} cannot take {}; {} can", self.engine, self.what, self.instead)
    }
}

impl std::error::Error for Unsupported {}

/// The reason why an engine could not be made for a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// The engine cannot take something in the formula.
    Unsupported(Unsupported),
    /// The automaton of the engine would be too large.
    GaveUp(GaveUp),
}

impl From<Unsupported> for BuildError {
    fn from(unsupported: Unsupported) -> Self {
        Self::Unsupported(unsupported)
    }
}

impl From<GaveUp> for BuildError {
    fn from(gave_up: GaveUp) -> Self {
        Self::GaveUp(gave_up)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(unsupported) => unsupported.fmt(f),
            Self::GaveUp(gave_up) => gave_up.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}
