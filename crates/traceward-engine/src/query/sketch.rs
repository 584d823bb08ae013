//! Quantiles of more values than are kept, and their histogram: a sketch with a stated error.
//!
//! The sketch is DDSketch (Masson, Rim and Lee 2019) from the crate `sketches-ddsketch`: buckets
//! whose borders grow by a constant factor, so that a quantile is known up to a relative error,
//! whatever the values. It can be merged. Sketches that bound the error in rank (KLL, t-digest) say
//! little of the value where values lie far apart, as latencies do.

mod save;

use sketches_ddsketch::{Config, DDSketch};
use traceward_logic::semantics;
use traceward_logic::value::Value;

/// How exact summaries are that cannot be made without keeping all values.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Precision {
    /// All values are kept.
    #[default]
    Exact,
    /// Beyond so many values, summaries come from a sketch: quantiles and histograms of numbers,
    /// modes, and the number of different values.
    Sketched {
        /// The number of values up to which a summary is exact; of modes and of the number of
        /// different values, that of different ones.
        beyond: usize,
        /// The relative error beyond them.
        accuracy: f64,
    },
}

/// An accuracy is a number between 0 and 1, and never NaN.
impl Eq for Precision {}

impl Precision {
    /// The number of values up to which summaries of a stream are exact, unless told otherwise.
    pub const BEYOND: usize = 100_000;

    /// The relative error of a sketch, unless told otherwise.
    pub const ACCURACY: f64 = 0.01;

    /// What streams are measured with, unless told otherwise.
    pub const STREAM: Self = Self::Sketched { beyond: Self::BEYOND, accuracy: Self::ACCURACY };

    /// The error, if so many values are too many to be kept.
    pub fn error_beyond(self, values: usize) -> Option<f64> {
        match self {
            Self::Sketched { beyond, accuracy } if values > beyond => Some(accuracy),
            _ => None,
        }
    }
}

/// The number of buckets: those of all floats, with an error of a thousandth. Buckets that are far
/// from all values take no memory.
const MOST_BUCKETS: u32 = 1 << 20;

/// The least number that is told from 0.
const LEAST: f64 = 1e-300;

/// The buckets of an accuracy.
fn config(accuracy: f64) -> Config {
    Config::new(accuracy, MOST_BUCKETS, LEAST)
}

/// The quantiles of numbers, up to a relative error.
#[derive(Clone)]
pub struct Sketch {
    sketch: DDSketch,
    accuracy: f64,
    /// The number of infinite values below and above all others, which have no bucket.
    infinite: [u64; 2],
}

impl std::fmt::Debug for Sketch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sketch").field("count", &self.count()).field("accuracy", &self.accuracy).finish()
    }
}

impl Sketch {
    /// A sketch without values.
    pub fn new(accuracy: f64) -> Self {
        Self { sketch: DDSketch::new(config(accuracy)), accuracy, infinite: [0; 2] }
    }

    /// Takes a number.
    pub fn add(&mut self, number: f64) {
        match number {
            f64::NEG_INFINITY => self.infinite[0] += 1,
            f64::INFINITY => self.infinite[1] += 1,
            number => self.sketch.add(number),
        }
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        self.sketch.count() + (self.infinite[0] + self.infinite[1]) as usize
    }

    /// The relative error.
    pub fn accuracy(&self) -> f64 {
        self.accuracy
    }

    /// The least value with at least `part` of the values at or below it, up to the error.
    pub fn quantile(&self, part: f64) -> Option<Value> {
        if self.count() == 0 {
            return None;
        }
        let rank = semantics::rank(part, self.count()) as u64;
        if rank <= self.infinite[0] {
            return Some(Value::Float(f64::NEG_INFINITY));
        }
        let (place, count) = (rank - self.infinite[0], self.sketch.count() as u64);
        if place > count {
            return Some(Value::Float(f64::INFINITY));
        }
        // The sketch takes the place that a part of one less than all comes to, rounded down. The
        // first and the last place are exact.
        let part = match place {
            1 => 0.0,
            place if place == count => 1.0,
            place => (place as f64 - 0.5) / (count - 1) as f64,
        };
        self.sketch.quantile(part).ok().flatten().map(Value::float)
    }

    /// The histogram of so many buckets, each value being counted where the middle of its bucket in
    /// the sketch is; none if a value is infinite.
    pub fn histogram(&self, buckets: Option<u32>) -> Option<Value> {
        if self.infinite != [0; 2] {
            return None;
        }
        let ends = self.sketch.min().zip(self.sketch.max())?;
        semantics::counted_buckets(buckets, ends, self.counted()?)
    }

    /// The number of bytes, about.
    pub fn bytes(&self) -> usize {
        self.sketch.length() * size_of::<u64>()
    }
}
