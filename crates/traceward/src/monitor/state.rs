//! States as a user of the library supplies them.

use std::fmt;
use traceward_logic::print::Name;
use traceward_logic::trace::{Column, ColumnData, Number};
use traceward_logic::value::Value;
use traceward_trace::Cell;

/// One state, or what has changed since the one before: the values of some variables.
///
/// ```
/// use traceward::State;
///
/// let state = State::new().with("request", true).with("load", 0.5).with("mode", "idle");
/// let state = state.at(1_000_000);
/// let same: State = [("request", true)].into_iter().collect();
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    values: Vec<(String, Value)>,
    time: Option<i64>,
}

impl State {
    /// A state that says nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The state with the value of a variable. Of several values of one variable the last counts.
    /// [`Value::Missing`] says that it has none.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.values.push((name.into(), value.into()));
        self
    }

    /// The state with a timestamp, in nanoseconds since 1970 or since whatever the clock counts
    /// from.
    #[must_use]
    pub fn at(mut self, nanoseconds: i64) -> Self {
        self.time = Some(nanoseconds);
        self
    }

    pub(super) fn values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub(super) fn time(&self) -> Option<i64> {
        self.time
    }
}

/// `request = true, load = 0.5`, with names as specs write them.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.values().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{} = {value}", Name(name))?;
        }
        Ok(())
    }
}

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for State {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(values: I) -> Self {
        Self { values: values.into_iter().map(|(name, value)| (name.into(), value.into())).collect(), time: None }
    }
}

/// A value as a cell. Pairs and lists are no values of variables: as what they are, they are
/// refused.
pub(super) fn cell(value: &Value) -> Cell<'_> {
    match value {
        Value::Missing => Cell::Null,
        Value::Bool(bit) => Cell::Bool(*bit),
        Value::Int(int) => Cell::Int(*int),
        Value::Float(float) => Cell::Float(*float),
        Value::Str(text) => Cell::Str(text),
        Value::Pair(_) | Value::List(_) => Cell::Container(b"[]"),
    }
}

/// The value in a row of a column as a cell. In tables a missing value is an empty field.
pub(super) fn cell_of(column: &Column, row: usize) -> Cell<'_> {
    if !column.is_present(row) {
        return Cell::Absent;
    }
    match &column.data {
        ColumnData::Bool(bits) => Cell::Bool(bits.get(row)),
        ColumnData::Int(numbers) => Cell::Int(numbers[row]),
        ColumnData::Float(numbers) => Cell::Float(numbers[row]),
        ColumnData::Mixed(numbers) => match numbers[row] {
            Number::Int(int) => Cell::Int(int),
            Number::Float(float) => Cell::Float(float),
        },
        ColumnData::Text(text) => Cell::Str(&text.dictionary[text.codes[row] as usize]),
    }
}
