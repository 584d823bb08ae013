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
    /// A string of a column that holds only numbers.
    NumberText,
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
            ColumnData::Text(text) if text.numbers_only => Self::NumberText,
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
        matches!(self, Self::Text | Self::NumberText)
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
            Self::Text | Self::NumberText => "a string",
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
    /// What its uses ask of its column.
    pub ask: Ask,
    /// Where it was first used other than in `defined`; none if nowhere, and then the trace need not have it.
    pub needed_at: Option<Span>,
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

    pub(super) fn mention(&mut self, name: &Arc<str>) -> VariableId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = VariableId(self.list.len() as u32);
        self.list.push(Variable { name: name.clone(), ask: Ask::Anything, needed_at: None });
        self.ids.insert(name.clone(), id);
        id
    }

    pub(super) fn ask(&mut self, id: VariableId, ask: Ask) {
        let variable = &mut self.list[id.index()];
        variable.ask = variable.ask.and(ask);
    }

    pub(super) fn need(&mut self, id: VariableId, span: Span) {
        self.list[id.index()].needed_at.get_or_insert(span);
    }
}
