//! States as a user of the library supplies them.

use traceward_logic::value::Value;
use traceward_trace::Reading;

/// One state, or what has changed since the one before: the values of some variables.
///
/// ```
/// use traceward::State;
///
/// let state = State::new().with("request", true).with("load", 0.5).with("mode", "idle").at(1_000_000);
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

    /// With the value of a variable; of several values of one variable the last counts. [`Value::Missing`] says that it has none.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.values.push((name.into(), value.into()));
        self
    }

    /// At a time, in nanoseconds since 1970 or since whatever the clock counts from.
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

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for State {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(values: I) -> Self {
        Self { values: values.into_iter().map(|(name, value)| (name.into(), value.into())).collect(), time: None }
    }
}

/// A value as its variable is read; none if it does not fit.
pub(super) fn fitted(value: &Value, reading: Reading) -> Option<Value> {
    let value = match value {
        Value::Float(number) => Value::float(*number),
        other => other.clone(),
    };
    match (reading, value) {
        (_, Value::Missing) => Some(Value::Missing),
        (Reading::Bool, Value::Bool(bit)) => Some(Value::Bool(bit)),
        (Reading::Bool, Value::Int(bit @ (0 | 1))) => Some(Value::Bool(bit == 1)),
        (Reading::Number, number @ (Value::Int(_) | Value::Float(_))) => Some(number),
        (Reading::Bit, bit @ Value::Int(0 | 1)) => Some(bit),
        (Reading::Text | Reading::Quoted, text @ Value::Str(_)) => Some(text),
        (Reading::Text, scalar @ (Value::Bool(_) | Value::Int(_) | Value::Float(_))) => {
            Some(Value::str(&scalar.to_string()))
        }
        (Reading::Anything, scalar @ (Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_))) => {
            Some(scalar)
        }
        _ => None,
    }
}

/// What a reading takes, in words.
pub(super) fn expected(reading: Reading) -> &'static str {
    match reading {
        Reading::Bool => "a boolean",
        Reading::Number => "a number",
        Reading::Bit => "0 or 1",
        Reading::Text | Reading::Quoted => "a string",
        Reading::Anything => "a single value",
    }
}
