//! Collections as bytes: what they have come to, and not the order in which they keep it.

use super::{Accumulator, Collected, Correlation, End, Exact, Fold, Places, Quantile, Spread};
use crate::query::save::Scope;
use crate::query::sketch::{Precision, Sketch};
use crate::saved::{Reader, RestoreError, Writer};
use std::cmp::Reverse;
use traceward_logic::moments::Moments;
use traceward_logic::total::{Total, TotalParts};

impl Accumulator {
    pub(in crate::query) fn save(&self, scope: &Scope<'_>, to: &mut Writer) {
        to.size(self.count);
        match &self.collected {
            Collected::Count => {}
            Collected::Sum(total) | Collected::Mean(total) => save_total(total, to),
            Collected::Best(_, value) | Collected::AtEnd(_, value) => to.optional_value(value.as_ref()),
            Collected::Spread(spread) => spread.save(to),
            Collected::Frequencies(frequencies) => frequencies.save(to),
            Collected::Quantile(quantile) => quantile.save(to),
            Collected::Histogram(histogram) => histogram.save(to),
            Collected::Correlation(correlation) => correlation.save(to),
            Collected::Fold(fold) => fold.save(scope, to),
        }
    }

    /// Reads what a collection of the same kind had come to into one without a value.
    pub(in crate::query) fn restore(&mut self, scope: &Scope<'_>, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        let count = scope.positions(from)?;
        self.count = count as usize;
        match &mut self.collected {
            Collected::Count => {}
            Collected::Sum(total) | Collected::Mean(total) => *total = read_total(count, from)?,
            Collected::Best(_, value) | Collected::AtEnd(_, value) => *value = from.optional_value()?,
            Collected::Spread(spread) => spread.restore(from)?,
            Collected::Frequencies(frequencies) => frequencies.restore(count, from)?,
            Collected::Quantile(quantile) => quantile.restore(count, from)?,
            Collected::Histogram(histogram) => histogram.restore(count, from)?,
            Collected::Correlation(correlation) => correlation.restore(from)?,
            Collected::Fold(fold) => fold.restore(scope, from)?,
        }
        Ok(())
    }
}

fn save_total(total: &Total, to: &mut Writer) {
    let parts = total.to_parts();
    let integers = parts.integers.cast_unsigned();
    to.number(integers as u64);
    to.number((integers >> 64) as u64);
    to.number(parts.integer_count);
    to.float(parts.floats);
    to.float(parts.lost);
    to.number(parts.float_count);
}

fn read_total(count: u64, from: &mut Reader<'_>) -> Result<Total, RestoreError> {
    let integers = u128::from(from.number()?) | u128::from(from.number()?) << 64;
    let parts = TotalParts {
        integers: integers.cast_signed(),
        integer_count: from.number()?,
        floats: from.float()?,
        lost: from.float()?,
        float_count: from.number()?,
    };
    Total::from_parts(parts).filter(|total| total.count() <= count).ok_or(RestoreError::Damaged)
}

fn save_floats(floats: &[f64], to: &mut Writer) {
    floats.iter().for_each(|number| to.float(*number));
}

fn read_floats(floats: &mut [f64], from: &mut Reader<'_>) -> Result<(), RestoreError> {
    floats.iter_mut().try_for_each(|number| from.float().map(|read| *number = read))
}

impl Spread {
    fn save(&self, to: &mut Writer) {
        to.optional_value(self.origin.as_ref());
        to.float(self.count);
        save_floats(&self.means, to);
        save_floats(&self.squares, to);
        to.float(self.widest);
        to.bit(self.is_infinite);
        self.exact.save(to);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        self.origin = from.optional_value()?;
        self.count = from.float()?;
        read_floats(&mut self.means, from)?;
        read_floats(&mut self.squares, from)?;
        self.widest = from.float()?;
        self.is_infinite = from.bit()?;
        self.exact = Exact::restored(from)?;
        Ok(())
    }
}

impl Exact {
    fn save(&self, to: &mut Writer) {
        to.bit(self.0.is_some());
        for part in self.0.iter().flat_map(Moments::parts) {
            to.number((part >> u64::BITS) as u64);
            to.number(part as u64);
        }
    }

    fn restored(from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        if !from.bit()? {
            return Ok(Self(None));
        }
        let mut parts = [0_i128; 8];
        for part in &mut parts {
            let [high, low] = [from.number()?, from.number()?].map(i128::from);
            *part = high << u64::BITS | low;
        }
        Moments::of_parts(parts).map(|moments| Self(Some(moments))).ok_or(RestoreError::Damaged)
    }
}

impl Correlation {
    fn save(&self, to: &mut Writer) {
        self.left.save(to);
        self.right.save(to);
        save_floats(self.products.as_flattened(), to);
        self.exact.save(to);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        self.left.restore(from)?;
        self.right.restore(from)?;
        read_floats(self.products.as_flattened_mut(), from)?;
        self.exact = Exact::restored(from)?;
        Ok(())
    }
}

impl Places {
    pub(in crate::query) fn save(self, to: &mut Writer) {
        to.int(self.earliest);
        to.int(self.latest);
    }

    /// Reads so many places.
    pub(in crate::query) fn restore(count: u64, from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        let places = Self { earliest: from.int()?, latest: from.int()? };
        let is_span = places.earliest <= 0 && places.latest >= 0 && places.count() == count;
        if is_span { Ok(places) } else { Err(RestoreError::Damaged) }
    }
}

impl Quantile {
    /// Values in the order in which they stand in the trace: on which side of the rank each is, is
    /// found out again.
    fn save(&self, to: &mut Writer) {
        to.bit(self.sketch.is_some());
        if let Some(sketch) = &self.sketch {
            sketch.save(to);
            return;
        }
        let mut ranked: Vec<_> = self.low.iter().chain(self.high.iter().map(|Reverse(ranked)| ranked)).collect();
        ranked.sort_unstable_by_key(|ranked| ranked.1);
        to.size(ranked.len());
        ranked.into_iter().for_each(|ranked| to.value(&ranked.0));
    }

    fn restore(&mut self, count: u64, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        if from.bit()? {
            let Precision::Sketched { accuracy, .. } = self.precision else { return Err(RestoreError::Damaged) };
            self.sketch = Some(Sketch::restore(accuracy, count, from)?);
            return Ok(());
        }
        if from.count()? as u64 != count {
            return Err(RestoreError::Damaged);
        }
        (0..count).try_for_each(|_| from.value().map(|value| self.add(&value, End::Back)))
    }
}

impl Fold {
    fn save(&self, scope: &Scope<'_>, to: &mut Writer) {
        to.bit(self.state.is_ok());
        match &self.state {
            Ok(value) => to.optional_value(value.as_ref()),
            Err(error) => scope.save_error(error, to),
        }
        to.size(self.waiting.len());
        for (value, position) in &self.waiting {
            to.value(value);
            to.size(*position);
        }
    }

    fn restore(&mut self, scope: &Scope<'_>, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        self.state = if from.bit()? { Ok(from.optional_value()?) } else { Err(scope.error(from)?) };
        self.waiting = from.many(|from| Ok((from.value()?, from.size()?)))?;
        Ok(())
    }
}
