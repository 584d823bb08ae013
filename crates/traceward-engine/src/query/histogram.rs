//! Histograms of values that come one by one.
//!
//! Beyond the number of values that are to be kept, those of numbers come from the sketch of their
//! quantiles: its buckets are far narrower than those of a histogram, and each is counted where its
//! middle is. Least and greatest number, and so all borders, are exact; so is the sum of the
//! counts. Numbers that are off a border by no more than the error may be counted on its other
//! side.
//!
//! A histogram of other values has an entry for each of them. It stays exact: what it takes is what
//! is printed, and leaving rare ones out would be another histogram.

use super::accumulator::End;
use super::sketch::{Precision, Sketch};
use super::tolerance::{Tolerance, ToleranceKind};
use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::ast::Aggregate;
use traceward_logic::semantics;
use traceward_logic::value::{ArithmeticError, Value};

/// The values of a histogram.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    buckets: Option<u32>,
    precision: Precision,
    sketch: Option<Sketch>,
    /// The values that were taken at the front, the earliest last.
    front: Vec<Value>,
    back: Vec<Value>,
}

impl Histogram {
    pub fn new(buckets: Option<u32>, precision: Precision) -> Self {
        Self { buckets, precision, sketch: None, front: Vec::new(), back: Vec::new() }
    }

    pub fn add(&mut self, value: &Value, end: End) {
        if let Some(sketch) = &mut self.sketch {
            sketch.add(value.as_f64().unwrap_or_default());
            return;
        }
        // There is no sketch of anything but numbers.
        if value.as_f64().is_none() {
            self.precision = Precision::Exact;
        }
        match end {
            End::Front => self.front.push(value.clone()),
            End::Back => self.back.push(value.clone()),
        }
        if let Some(accuracy) = self.precision.error_beyond(self.front.len() + self.back.len()) {
            let mut sketch = Sketch::new(accuracy);
            let kept = std::mem::take(&mut self.front).into_iter().chain(std::mem::take(&mut self.back));
            kept.for_each(|value| sketch.add(value.as_f64().unwrap_or_default()));
            self.sketch = Some(sketch);
        }
    }

    pub fn value(&self) -> Result<Option<Value>, ArithmeticError> {
        if let Some(sketch) = &self.sketch {
            return Ok(sketch.histogram(self.buckets));
        }
        let values: Vec<Vec<Value>> =
            self.front.iter().rev().chain(&self.back).map(|value| vec![value.clone()]).collect();
        semantics::summarise(Aggregate::Histogram(self.buckets), &values)
    }

    /// How far the counts may be off; none if they are exact.
    pub fn tolerance(&self) -> Option<Tolerance> {
        let sketch = self.sketch.as_ref()?;
        Some(Tolerance { relative: sketch.accuracy(), kind: ToleranceKind::Borders })
    }

    /// The number of bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        let kept = (self.front.capacity() + self.back.capacity()) * size_of::<Value>();
        kept + self.sketch.as_ref().map_or(0, Sketch::bytes)
    }

    pub fn save(&self, to: &mut Writer) {
        to.bit(self.sketch.is_some());
        match &self.sketch {
            Some(sketch) => sketch.save(to),
            None => {
                to.values(&self.front);
                to.values(&self.back);
            }
        }
    }

    /// Reads a histogram of so many values.
    pub fn restore(&mut self, count: u64, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        if from.bit()? {
            let Precision::Sketched { accuracy, .. } = self.precision else { return Err(RestoreError::Damaged) };
            self.sketch = Some(Sketch::restore(accuracy, count, from)?);
            return Ok(());
        }
        self.front = from.values()?;
        self.back = from.values()?;
        if self.front.iter().chain(&self.back).any(|value| value.as_f64().is_none()) {
            self.precision = Precision::Exact;
        }
        if (self.front.len() + self.back.len()) as u64 == count { Ok(()) } else { Err(RestoreError::Damaged) }
    }
}
