//! The values of a query at all positions where it succeeds.

use super::Outcome;
use super::block::Data;
use super::block::{Lanes, Stretch, for_each_backward};
use std::sync::Arc;
use traceward_logic::semantics::EvaluationError;
use traceward_logic::trace::{ColumnData, Trace, VariableId};
use traceward_logic::value::Value;

/// The values of a query at all positions where it succeeds; or the first error on the way.
pub type Sampled = Result<Samples, EvaluationError>;

/// The values of a query at all positions where it succeeds, in the order of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    positions: Vec<usize>,
    values: SampleValues,
}

/// The values of samples, by type.
#[derive(Clone, Debug, PartialEq)]
pub enum SampleValues {
    /// Each is `true`.
    True,
    /// Integers.
    Int(Vec<i64>),
    /// Floats.
    Float(Vec<f64>),
    /// Strings of a column, by their places in its dictionary.
    Text(VariableId, Vec<u32>),
    /// Values of several types, or of another one.
    Any(Vec<Value>),
}

impl Samples {
    /// No value yet.
    pub(super) fn new() -> Self {
        Self { positions: Vec::new(), values: SampleValues::True }
    }

    /// The samples in what a query is at every position.
    pub fn of_outcomes(outcomes: impl IntoIterator<Item = Outcome>) -> Sampled {
        let (mut positions, mut values) = (Vec::new(), Vec::new());
        for (position, outcome) in outcomes.into_iter().enumerate() {
            if let Some(value) = outcome? {
                positions.push(position);
                values.push(value);
            }
        }
        Ok(Self { positions, values: typed(values) })
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether the query succeeds nowhere.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The positions, in order.
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// The value at each of the positions.
    pub fn values(&self) -> &SampleValues {
        &self.values
    }

    /// The value of a sample, by its place among all.
    pub fn value(&self, place: usize, trace: &Trace) -> Value {
        match &self.values {
            SampleValues::True => Value::Bool(true),
            SampleValues::Int(numbers) => Value::Int(numbers[place]),
            SampleValues::Float(numbers) => Value::Float(numbers[place]),
            SampleValues::Text(variable, codes) => Value::Str(text(trace, *variable, codes[place])),
            SampleValues::Any(values) => values[place].clone(),
        }
    }

    /// Takes the values of a block that lies before all that were taken.
    pub(super) fn take(&mut self, lanes: &Lanes, stretch: Stretch, trace: &Trace) {
        if lanes.ok.iter().all(|word| *word == 0) {
            return;
        }
        if self.is_empty() {
            self.values = SampleValues::like(&lanes.data);
        }
        let before = self.len();
        for_each_backward(&lanes.ok, |lane| self.positions.push(stretch.base + lane));
        match (&mut self.values, &lanes.data) {
            (SampleValues::True, Data::True) => {}
            (SampleValues::Int(kept), Data::Int(numbers)) => keep(kept, numbers, lanes),
            (SampleValues::Float(kept), Data::Float(numbers)) => keep(kept, numbers, lanes),
            (SampleValues::Text(variable, kept), Data::Code(same, codes)) if variable == same => {
                keep(kept, codes, lanes);
            }
            _ => {
                let mut any: Vec<Value> = (0..before).map(|place| self.value(place, trace)).collect();
                for_each_backward(&lanes.ok, |lane| any.push(lanes.value(lane, trace)));
                self.values = SampleValues::Any(any);
            }
        }
    }

    /// The samples once the first block was taken, in the order of positions.
    pub(super) fn finished(mut self) -> Self {
        self.positions.reverse();
        match &mut self.values {
            SampleValues::True => {}
            SampleValues::Int(numbers) => numbers.reverse(),
            SampleValues::Float(numbers) => numbers.reverse(),
            SampleValues::Text(_, codes) => codes.reverse(),
            SampleValues::Any(values) => values.reverse(),
        }
        self
    }
}

impl SampleValues {
    /// No values, of the type of others.
    fn like(data: &Data) -> Self {
        match data {
            Data::True => Self::True,
            Data::Int(_) => Self::Int(Vec::new()),
            Data::Float(_) => Self::Float(Vec::new()),
            Data::Code(variable, _) => Self::Text(*variable, Vec::new()),
            Data::Any(_) => Self::Any(Vec::new()),
        }
    }
}

fn keep<T: Copy>(kept: &mut Vec<T>, values: &[T], lanes: &Lanes) {
    for_each_backward(&lanes.ok, |lane| kept.push(values[lane]));
}

/// Values by their type, if they have one type and it is one of numbers.
fn typed(values: Vec<Value>) -> SampleValues {
    let int = |value: &Value| if let Value::Int(number) = value { Some(*number) } else { None };
    let float = |value: &Value| if let Value::Float(number) = value { Some(*number) } else { None };
    if let Some(numbers) = values.iter().map(int).collect() {
        return SampleValues::Int(numbers);
    }
    match values.iter().map(float).collect() {
        Some(numbers) => SampleValues::Float(numbers),
        None => SampleValues::Any(values),
    }
}

/// A string of a column.
pub(super) fn text(trace: &Trace, variable: VariableId, code: u32) -> Arc<str> {
    match &trace.columns[variable.index()].data {
        ColumnData::Text(text) => text.dictionary[code as usize].clone(),
        _ => unreachable!("codes are those of columns of strings"),
    }
}
