//! Programs in their flat form: locations with the transitions that leave them.

use crate::check;
use crate::expression::{Array, Expression, Values};
use crate::parse;
use crate::random::Chance;
use traceward_logic::diagnostic::{Diagnostic, SourceId, Span};

/// The longest program that is read, in bytes. A file that is longer is not one that somebody
/// wrote.
pub const LONGEST_PROGRAM: usize = 1 << 20;

/// The number of elements up to which an array has a column for each.
pub const MOST_ELEMENTS_SHOWN: usize = 16;

/// A program that can be run.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) arrays: Vec<Array>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) processes: Vec<Process>,
    /// The values at the beginning.
    pub(crate) initial: Values,
    pub(crate) columns: Vec<Column>,
}

impl Program {
    /// Reads a program, or tells all that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        if text.len() > LONGEST_PROGRAM {
            let error = Diagnostic::error(Span::new(SourceId::default(), 0..0), "the program is too long");
            return Err(vec![error.label(format!("more than {} MiB", LONGEST_PROGRAM >> 20))]);
        }
        let tree = parse::program(text).map_err(|error| vec![error])?;
        check::program(&tree, text)
    }

    /// The columns of its traces.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
}

/// A column of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name, as formulas use it.
    pub name: String,
    /// The type of its values.
    pub ty: ColumnType,
    pub(crate) source: Source,
}

/// The type of the values in a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// True or false.
    Boolean,
    /// Integers of 64 bits.
    Integer,
    /// Labels.
    Text,
}

/// What the values of a column are taken from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Scalar(usize),
    Element {
        array: usize,
        offset: usize,
    },
    Length {
        channel: usize,
    },
    /// The label at which a process stands.
    At {
        process: usize,
    },
    /// Whether a process is in front of a statement.
    InFront {
        process: usize,
        label: usize,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Channel {
    /// The name in the trace.
    pub name: String,
    /// The number of values in an item.
    pub width: usize,
    pub capacity: Option<u64>,
    pub loss: Chance,
}

#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub name: String,
    /// In the order in which statements are written, and the end.
    pub locations: Vec<Location>,
}

/// A place where control can be.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub label: String,
    /// The line of its statement; 0 for the end of a process.
    pub line: usize,
    /// The labels of the statements that control is in front of, by their numbers in the process.
    pub in_front: Vec<usize>,
    pub transitions: Vec<Transition>,
}

/// A step that a process can take.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub guard: Guard,
    /// The steps of the program after which it is taken, if it is not taken by chance.
    pub delay: Option<u64>,
    pub effect: Effect,
    pub target: Target,
    /// The statement, for messages.
    pub span: Span,
    pub label: String,
}

/// What must hold so that a step can be taken.
#[derive(Clone, Debug)]
pub(crate) enum Guard {
    Always,
    Holds(Expression),
    NotEmpty { channel: usize },
    NotFull { channel: usize, capacity: u64 },
}

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    Nothing,
    Assign(Place, Expression),
    AssignAll(Vec<(Place, Expression)>),
    Send { channel: usize, item: Vec<Expression> },
    Receive { channel: usize, places: Vec<Place> },
}

/// What a step assigns to.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Scalar(usize),
    Element(usize, Expression),
}

/// Where a step leads.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Location(usize),
    Either { condition: Expression, then: usize, otherwise: usize },
}
