//! Frequencies as bytes.

use super::{Cardinality, Counted, Frequencies, Wanted};
use crate::query::accumulator::Places;
use crate::query::sketch::Precision;
use crate::saved::{Reader, RestoreError, Writer};
use traceward_logic::semantics;

impl Frequencies {
    /// Values in the order in which they first occur, so that the same frequencies are the same
    /// bytes. Their common form is found out again, and so is the mode, unless it was forgotten
    /// with all others.
    pub fn save(&self, to: &mut Writer) {
        self.places.save(to);
        to.bit(self.cardinality.is_some());
        if let Some(cardinality) = &self.cardinality {
            cardinality.save(to);
            return;
        }
        to.size(self.taken);
        let mut entries: Vec<_> = self.counts.values().collect();
        entries.sort_unstable_by_key(|counted| counted.first);
        to.size(entries.len());
        entries.into_iter().for_each(|counted| counted.save(to));
        if let (true, Some(mode)) = (self.counts.is_empty(), &self.mode) {
            mode.save(to);
        }
    }

    /// Reads the frequencies of so many values.
    pub fn restore(&mut self, count: u64, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        self.places = Places::restore(count, from)?;
        if from.bit()? {
            self.cardinality = Some(Cardinality::restore(self.accuracy(Wanted::Distinct)?, from)?);
            return Ok(());
        }
        self.taken = from.at_most(count)? as usize;
        if self.taken > 0 {
            self.accuracy(Wanted::Mode)?;
        }
        let (mut left, mut before) = (count, None);
        for _ in 0..from.count()? {
            let counted = Counted::restore(left, self.places, from)?;
            if counted.times == 0 || before >= Some(counted.first) {
                return Err(RestoreError::Damaged);
            }
            left -= counted.times as u64;
            before = Some(counted.first);
            if self.counts.insert(semantics::in_one_form(&counted.value), counted).is_some() {
                return Err(RestoreError::Damaged);
            }
        }
        if self.taken == 0 && left > 0 {
            return Err(RestoreError::Damaged);
        }
        if self.counts.is_empty() && count > 0 {
            self.mode = Some(Counted::restore(0, self.places, from)?);
        }
        self.find_mode();
        Ok(())
    }

    /// The accuracy, if this is what is wanted and not all values are kept.
    fn accuracy(&self, wanted: Wanted) -> Result<f64, RestoreError> {
        match self.precision {
            Precision::Sketched { accuracy, .. } if self.wanted == wanted => Ok(accuracy),
            _ => Err(RestoreError::Damaged),
        }
    }
}

impl Counted {
    fn save(&self, to: &mut Writer) {
        to.size(self.times);
        to.int(self.first);
        to.value(&self.value);
    }

    /// Reads a value that occurs no more often than that.
    fn restore(most: u64, places: Places, from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        let (times, first, value) = (from.at_most(most)? as usize, from.int()?, from.value()?);
        if places.contains(first) { Ok(Self { times, first, value }) } else { Err(RestoreError::Damaged) }
    }
}
