//! How often values occur: which does most often, and how many different ones there are.
//!
//! Beyond the number of different values that are to be kept, a mode goes on with those that occur
//! often, as Misra and Gries have it and with the step of Anderson et al. ("A High-Performance
//! Algorithm for Identifying Frequent Items in Data Streams", 2017): the median of the counts is
//! taken from all of them, and what has nothing left is forgotten. So every count is too low by
//! what was taken in all, at the most. Often that still proves which value is the mode. The number
//! of different values comes from a [`Cardinality`] then.
//!
//! The sketch of that paper in the crate `datasketches` does not remember where a value stood
//! first, which decides between equally frequent ones, nor as what it was written.

mod save;

use super::accumulator::{End, Places};
use super::cardinality::Cardinality;
use super::sketch::Precision;
use super::tolerance::{Tolerance, ToleranceKind};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use traceward_logic::semantics;
use traceward_logic::value::Value;

/// What is wanted of frequencies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    Mode,
    Distinct,
}

/// A value with how often it occurs, where first, and as it stood there.
#[derive(Clone, PartialEq, Debug)]
struct Counted {
    times: usize,
    first: i64,
    value: Value,
}

/// How often each value occurs, and which does most often.
#[derive(Clone, Debug)]
pub(super) struct Frequencies {
    wanted: Wanted,
    precision: Precision,
    /// By the value in one form.
    counts: FxHashMap<Value, Counted>,
    mode: Option<Counted>,
    /// How often the most frequent of the others occurs.
    runner_up: usize,
    /// What was taken from every count, at the most.
    taken: usize,
    cardinality: Option<Cardinality>,
    places: Places,
}

impl Frequencies {
    pub fn new(wanted: Wanted, precision: Precision) -> Self {
        Self {
            wanted,
            precision,
            counts: FxHashMap::default(),
            mode: None,
            runner_up: 0,
            taken: 0,
            cardinality: None,
            places: Places::default(),
        }
    }

    pub fn add(&mut self, value: &Value, end: End) {
        let place = self.places.next(end);
        if let Some(cardinality) = &mut self.cardinality {
            cardinality.add(value);
            return;
        }
        let new = || Counted { times: 0, first: place, value: value.clone() };
        let entry = self.counts.entry(semantics::in_one_form(value)).or_insert_with(new);
        let is_mode = self.mode.as_ref().is_some_and(|mode| mode.first == entry.first && mode.times == entry.times);
        entry.times += 1;
        if place < entry.first {
            entry.first = place;
            entry.value = value.clone();
        }
        match &mut self.mode {
            Some(mode) if is_mode => mode.clone_from(entry),
            Some(mode) if (entry.times, Reverse(entry.first)) < (mode.times, Reverse(mode.first)) => {
                self.runner_up = self.runner_up.max(entry.times);
            }
            mode => {
                self.runner_up = mode.as_ref().map_or(0, |mode| mode.times);
                *mode = Some(entry.clone());
            }
        }
        if let Precision::Sketched { beyond, accuracy } = self.precision {
            self.keep_to(beyond, accuracy);
        }
    }

    /// Sees to it that no more is kept than there is room for.
    fn keep_to(&mut self, beyond: usize, accuracy: f64) {
        match self.wanted {
            Wanted::Distinct if self.counts.len() > beyond => {
                let mut cardinality = Cardinality::new(accuracy);
                self.counts.keys().for_each(|value| cardinality.add(value));
                self.counts = FxHashMap::default();
                (self.mode, self.runner_up) = (None, 0);
                self.cardinality = Some(cardinality);
            }
            Wanted::Mode if self.counts.len() > room(beyond, accuracy) => self.forget_the_rare(),
            _ => {}
        }
    }

    /// Takes the median of the counts from all of them, and forgets what has nothing left.
    fn forget_the_rare(&mut self) {
        let mut counts: Vec<usize> = self.counts.values().map(|counted| counted.times).collect();
        let middle = counts.len() / 2;
        let median = *counts.select_nth_unstable(middle).1;
        self.taken += median;
        self.counts.retain(|_, counted| {
            counted.times = counted.times.saturating_sub(median);
            counted.times > 0
        });
        // If none is left, the mode is the one that it was.
        if let Some(mode) = &mut self.mode {
            mode.times = mode.times.saturating_sub(median);
        }
        self.find_mode();
    }

    /// Finds the mode among the counts, and how often the next one occurs.
    fn find_mode(&mut self) {
        let rank = |counted: &Counted| (counted.times, Reverse(counted.first));
        self.runner_up = 0;
        let mut mode: Option<&Counted> = None;
        for counted in self.counts.values() {
            let is_more = mode.is_none_or(|mode| rank(counted) > rank(mode));
            let less = if is_more { mode.replace(counted) } else { Some(counted) };
            self.runner_up = self.runner_up.max(less.map_or(0, |less| less.times));
        }
        if let Some(mode) = mode {
            self.mode = Some(mode.clone());
        }
    }

    pub fn value(&self) -> Option<Value> {
        match (self.wanted, &self.cardinality) {
            (Wanted::Mode, _) => self.mode.as_ref().map(|mode| mode.value.clone()),
            (Wanted::Distinct, None) => Some(Value::Int(self.counts.len() as i64)),
            (Wanted::Distinct, Some(cardinality)) => Some(Value::Int(cardinality.estimate() as i64)),
        }
    }

    /// The value of no values.
    pub fn of_nothing(&self) -> Option<Value> {
        (self.wanted == Wanted::Distinct).then_some(Value::Int(0))
    }

    /// How far the value may be off; none if it is exact.
    pub fn tolerance(&self) -> Option<Tolerance> {
        if let Some(cardinality) = &self.cardinality {
            return Some(Tolerance { relative: cardinality.error(), kind: ToleranceKind::Likely });
        }
        // Whatever was forgotten occurs as often as was taken, at the most.
        let others = self.runner_up + self.taken;
        let is_proven = self.taken == 0 || self.mode.as_ref().is_some_and(|mode| mode.times > others);
        let relative = self.taken as f64 / self.places.count() as f64;
        (!is_proven).then_some(Tolerance { relative, kind: ToleranceKind::Frequency })
    }

    /// The number of bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        let counts = self.counts.capacity() * (size_of::<Value>() + size_of::<Counted>());
        counts + self.cardinality.as_ref().map_or(0, Cardinality::bytes)
    }
}

/// The number of different values that are kept for a mode. With every median at least half of them
/// lose as much, so that no count is too low by more than the accuracy, as a part of all values.
fn room(beyond: usize, accuracy: f64) -> usize {
    beyond.max((2.0 / accuracy).ceil() as usize)
}
