//! The shape in which a trace reaches the logic: one typed column per variable, and a timestamp per
//! state.

use crate::bitmap::Bitmap;
use crate::value::Value;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A variable of a spec: an index into [`Trace::columns`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableId(pub u32);

impl VariableId {
    /// The variable as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The values of one variable, one per state.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The values; where one is missing, what stands here is arbitrary.
    pub data: ColumnData,
    /// The positions at which there is a value; none if no value is missing.
    pub present: Option<Bitmap>,
}

/// The values of a column by type.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnData {
    /// Booleans.
    Bool(Bitmap),
    /// Integers.
    Int(Vec<i64>),
    /// Floats; a NaN is recorded as missing.
    Float(Vec<f64>),
    /// Integers and floats, each as it was written: one column type would round large integers.
    Mixed(Vec<Number>),
    /// Strings, each kept once.
    Text(TextData),
}

/// A number as it was written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// An integer.
    Int(i64),
    /// A float that is no NaN.
    Float(f64),
}

impl Number {
    /// The number that a value is; 0 for what is none.
    fn of(value: &Value) -> Self {
        match value {
            Value::Float(float) => Self::Float(*float),
            Value::Int(int) => Self::Int(*int),
            _ => Self::Int(0),
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Int(int) => Self::Int(int),
            Number::Float(float) => Self::float(float),
        }
    }
}

/// Strings of a column: an index into a dictionary for each state.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TextData {
    /// For each state, an index into the dictionary (0 where missing).
    pub codes: Vec<u32>,
    /// The different strings, in order of first appearance. Parts of a column share it with the
    /// whole: a part for each of many keys must not cost the whole dictionary each time.
    pub dictionary: Arc<[Arc<str>]>,
}

impl TextData {
    /// The strings among some values.
    fn of_values(values: &[Value]) -> Self {
        let mut dictionary: Vec<Arc<str>> = Vec::new();
        let code = |value: &Value| match value {
            Value::Str(text) => dictionary.iter().position(|known| known == text).unwrap_or_else(|| {
                dictionary.push(text.clone());
                dictionary.len() - 1
            }) as u32,
            _ => 0,
        };
        Self { codes: values.iter().map(code).collect(), dictionary: dictionary.into() }
    }
}

impl Column {
    /// A column of this many missing values.
    pub fn all_missing(len: usize) -> Self {
        Self { data: ColumnData::Bool(Bitmap::filled(len, false)), present: Some(Bitmap::filled(len, false)) }
    }

    /// A column of booleans, none missing.
    pub fn of_bools(bits: Bitmap) -> Self {
        Self { data: ColumnData::Bool(bits), present: None }
    }

    /// A column of integers, none missing.
    pub fn of_ints(numbers: Vec<i64>) -> Self {
        Self { data: ColumnData::Int(numbers), present: None }
    }

    /// A column of values of one type, as a trace of a few states has them. What is neither a
    /// boolean nor a string nor a number is missing.
    pub fn of_values(values: &[Value]) -> Self {
        let present = values.iter().map(|value| !value.is_missing()).collect();
        let data = match values.iter().find(|value| !value.is_missing()) {
            Some(Value::Bool(_)) => ColumnData::Bool(values.iter().map(Value::is_true).collect()),
            Some(Value::Str(_)) => ColumnData::Text(TextData::of_values(values)),
            _ => ColumnData::Mixed(values.iter().map(Number::of).collect()),
        };
        Self { data, present: Some(present) }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        match &self.data {
            ColumnData::Bool(bits) => bits.len(),
            ColumnData::Int(numbers) => numbers.len(),
            ColumnData::Float(numbers) => numbers.len(),
            ColumnData::Mixed(numbers) => numbers.len(),
            ColumnData::Text(text) => text.codes.len(),
        }
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is a value at this position.
    pub fn is_present(&self, position: usize) -> bool {
        self.present.as_ref().is_none_or(|present| present.get(position))
    }

    /// The number of states that have no value.
    pub fn missing(&self) -> usize {
        self.present.as_ref().map_or(0, |present| present.len() - present.count_ones())
    }

    /// The value at a position.
    pub fn value(&self, position: usize) -> Value {
        if !self.is_present(position) {
            return Value::Missing;
        }
        match &self.data {
            ColumnData::Bool(bits) => Value::Bool(bits.get(position)),
            ColumnData::Int(numbers) => Value::Int(numbers[position]),
            ColumnData::Float(numbers) => Value::float(numbers[position]),
            ColumnData::Mixed(numbers) => numbers[position].into(),
            ColumnData::Text(text) => Value::Str(text.dictionary[text.codes[position] as usize].clone()),
        }
    }

    /// The values at positions that follow each other.
    pub fn slice(&self, positions: Range<usize>) -> Self {
        let data = match &self.data {
            ColumnData::Bool(bits) => ColumnData::Bool(bits.slice(positions.clone())),
            ColumnData::Int(numbers) => ColumnData::Int(numbers[positions.clone()].to_vec()),
            ColumnData::Float(numbers) => ColumnData::Float(numbers[positions.clone()].to_vec()),
            ColumnData::Mixed(numbers) => ColumnData::Mixed(numbers[positions.clone()].to_vec()),
            ColumnData::Text(text) => {
                let dictionary = Arc::clone(&text.dictionary);
                ColumnData::Text(TextData { codes: text.codes[positions.clone()].to_vec(), dictionary })
            }
        };
        Self { data, present: self.present.as_ref().map(|present| present.slice(positions)) }
    }

    /// The values at these positions, in this order.
    pub fn gather(&self, positions: &[u32]) -> Self {
        fn pick<T: Copy>(values: &[T], positions: &[u32]) -> Vec<T> {
            positions.iter().map(|&position| values[position as usize]).collect()
        }
        let data = match &self.data {
            ColumnData::Bool(bits) => ColumnData::Bool(bits.gather(positions)),
            ColumnData::Int(numbers) => ColumnData::Int(pick(numbers, positions)),
            ColumnData::Float(numbers) => ColumnData::Float(pick(numbers, positions)),
            ColumnData::Mixed(numbers) => ColumnData::Mixed(pick(numbers, positions)),
            ColumnData::Text(text) => {
                let dictionary = Arc::clone(&text.dictionary);
                ColumnData::Text(TextData { codes: pick(&text.codes, positions), dictionary })
            }
        };
        Self { data, present: self.present.as_ref().map(|present| present.gather(positions)) }
    }
}

/// The timestamps of a trace in nanoseconds, never decreasing. They are shared, and taken over from
/// whoever has read them: those of ten million states are not copied in passing.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Times(Arc<Vec<i64>>);

impl Deref for Times {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        &self.0
    }
}

impl From<Vec<i64>> for Times {
    fn from(times: Vec<i64>) -> Self {
        Self(Arc::new(times))
    }
}

impl From<&[i64]> for Times {
    fn from(times: &[i64]) -> Self {
        times.to_vec().into()
    }
}

impl<const LEN: usize> From<[i64; LEN]> for Times {
    fn from(times: [i64; LEN]) -> Self {
        times.to_vec().into()
    }
}

impl FromIterator<i64> for Times {
    fn from_iter<I: IntoIterator<Item = i64>>(times: I) -> Self {
        Vec::from_iter(times).into()
    }
}

/// A finite sequence of states.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Trace {
    /// The number of states.
    pub len: usize,
    /// One column for each variable of the spec, in the spec's order.
    pub columns: Vec<Column>,
    /// The timestamp of each state, if the trace has timestamps. Letters share them.
    pub time: Option<Times>,
}

impl Trace {
    /// A trace of boolean variables, for tests and examples.
    pub fn of_bools(len: usize, columns: Vec<Bitmap>) -> Self {
        debug_assert!(columns.iter().all(|bits| bits.len() == len));
        Self { len, columns: columns.into_iter().map(Column::of_bools).collect(), time: None }
    }

    /// The value of a variable at a position.
    pub fn value(&self, variable: VariableId, position: usize) -> Value {
        self.columns[variable.index()].value(position)
    }

    /// The states at these positions, in this order: one key's part of a trace.
    pub fn gather(&self, positions: &[u32]) -> Self {
        Self {
            len: positions.len(),
            columns: self.columns.iter().map(|column| column.gather(positions)).collect(),
            time: self.time.as_ref().map(|time| positions.iter().map(|&position| time[position as usize]).collect()),
        }
    }
}
