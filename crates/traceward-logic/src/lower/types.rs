//! Types of expressions and columns, and what a spec asks of its variables.

use crate::diagnostic::Span;
use crate::trace::{Ask, Column, ColumnData, VariableId};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// The type of an expression or of a query's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// Not known yet: a variable of a spec that has met no trace, or of a column without values.
    Unknown,
    /// A boolean.
    Bool,
    /// An integer of a column that holds only 0 and 1, and may stand as a boolean.
    Bit,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A string.
    Text,
    /// A pair.
    Pair(Box<Type>, Box<Type>),
    /// A list.
    List,
}

impl Type {
    /// The type of a column's values.
    pub fn of_column(column: &Column) -> Self {
        if column.missing() == column.len() {
            return Self::Unknown;
        }
        match &column.data {
            ColumnData::Bool(_) => Self::Bool,
            ColumnData::Int(numbers) => {
                let is_bit = |position: usize| matches!(numbers[position], 0 | 1) || !column.is_present(position);
                if (0..numbers.len()).all(is_bit) { Self::Bit } else { Self::Int }
            }
            ColumnData::Float(_) => Self::Float,
            ColumnData::Text(_) => Self::Text,
        }
    }

    /// Whether it is a number, or not known.
    pub(super) fn may_be_number(&self) -> bool {
        matches!(self, Self::Unknown | Self::Bit | Self::Int | Self::Float)
    }

    /// Whether it is a number.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Bit | Self::Int | Self::Float)
    }

    /// Whether it is a string.
    pub(super) fn is_text(&self) -> bool {
        *self == Self::Text
    }

    /// The type of a number computed from two.
    pub(super) fn arithmetic(&self, other: &Self) -> Self {
        let int = |ty: &Self| matches!(ty, Self::Bit | Self::Int);
        if int(self) && int(other) { Self::Int } else { Self::Float }
    }
}

/// In words, with an article.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "a value of unknown type",
            Self::Bool => "a boolean",
            Self::Bit | Self::Int | Self::Float => "a number",
            Self::Text => "a string",
            Self::Pair(..) => "a pair",
            Self::List => "a list",
        })
    }
}

/// What is known of the trace when a spec meets it.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The type of each variable the spec names; those that the trace does not have are absent.
    pub types: FxHashMap<Arc<str>, Type>,
    /// All names the trace has, for suggestions.
    pub names: Vec<String>,
    /// Whether it has timestamps.
    pub has_time: bool,
    /// Whether a name that is absent is an error. It is not where nothing at all is known of the names, as in an
    /// empty JSON file.
    pub names_known: bool,
}

/// A variable of a spec.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Arc<str>,
    /// Where it was first used other than in `defined`; none if nowhere, and then the trace need not have it.
    pub needed_at: Option<Span>,
    /// Where something was first asked of it.
    pub asked_at: Option<Span>,
    uses: Uses,
}

/// How a variable is used.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
struct Uses {
    all: u32,
    as_boolean: u32,
    as_number: u32,
    as_event: u32,
}

/// A use that asks something of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// As a formula.
    Boolean,
    /// In arithmetic, or beside a number.
    Number,
    /// As the column that strings stand for.
    Event,
}

impl Variable {
    /// What its uses ask of its column. A column is read as booleans only if nothing else is done with it: then what one
    /// property says of it cannot change what it is to another.
    pub fn ask(&self) -> Ask {
        match self.uses {
            Uses { as_event: 1.., .. } => Ask::Text,
            Uses { as_number: 1.., .. } => Ask::Number,
            Uses { as_boolean, all, .. } if as_boolean > 0 && as_boolean >= all => Ask::Bool,
            _ => Ask::Anything,
        }
    }
}

/// The variables of a spec, in order of first mention.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    list: Vec<Variable>,
    ids: FxHashMap<Arc<str>, VariableId>,
}

impl Variables {
    /// All, in order of their ids.
    pub fn list(&self) -> &[Variable] {
        &self.list
    }

    /// Their names, in order of their ids.
    pub fn names(&self) -> Vec<Arc<str>> {
        self.list.iter().map(|variable| variable.name.clone()).collect()
    }

    /// The variable of a name, without a use of its value.
    pub(super) fn mention(&mut self, name: &Arc<str>) -> VariableId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = VariableId(self.list.len() as u32);
        let variable = Variable { name: name.clone(), needed_at: None, asked_at: None, uses: Uses::default() };
        self.list.push(variable);
        self.ids.insert(name.clone(), id);
        id
    }

    /// Its value is used.
    pub(super) fn need(&mut self, id: VariableId, span: Span) {
        let variable = &mut self.list[id.index()];
        variable.needed_at.get_or_insert(span);
        variable.uses.all += 1;
    }

    /// Its value is used in a way that asks something of its column.
    pub(super) fn ask(&mut self, id: VariableId, asked: Use, span: Span) {
        let variable = &mut self.list[id.index()];
        variable.asked_at.get_or_insert(span);
        let uses = match asked {
            Use::Boolean => &mut variable.uses.as_boolean,
            Use::Number => &mut variable.uses.as_number,
            Use::Event => &mut variable.uses.as_event,
        };
        *uses += 1;
    }
}
