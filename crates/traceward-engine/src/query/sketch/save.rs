//! Sketches as bytes: how many values each bucket has, and the least and the greatest value.
//!
//! That is all that quantiles come from, so those of a sketch that was restored are the same, now
//! and after more values. The crate's own way back (`from_java_bytes`) is none: it keeps 2048
//! buckets and takes what is below 1e-9 for 0, whatever the sketch was made with, so that values
//! far apart fall into one bucket. Its way to bytes is the only one by which it tells its buckets.

use super::{LEAST, Sketch, config};
use crate::saved::{Reader, RestoreError, Writer};
use sketches_ddsketch::{Config, DDSketch};
use std::cmp::Reverse;

/// A bucket of a sketch: of values about 0, or by its sign and the key of its absolute values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Bucket {
    Negative(Reverse<i32>),
    Zero,
    Positive(i32),
}

impl Bucket {
    /// The bucket of a number.
    fn of(config: &Config, number: f64) -> Self {
        match number {
            number if number > LEAST => Self::Positive(config.key(number)),
            number if number < -LEAST => Self::Negative(Reverse(config.key(-number))),
            _ => Self::Zero,
        }
    }

    /// A number in the middle of the bucket.
    fn middle(self, config: &Config) -> f64 {
        // The last bucket before 0 may have its middle where numbers count as 0.
        let absolute = |key| config.value(key).max(LEAST.next_up());
        match self {
            Self::Negative(Reverse(key)) => -absolute(key),
            Self::Zero => 0.0,
            Self::Positive(key) => absolute(key),
        }
    }
}

impl Sketch {
    pub(in crate::query) fn save(&self, to: &mut Writer) {
        self.infinite.iter().for_each(|count| to.number(*count));
        let buckets = buckets(&self.sketch).expect("what the crate writes can be read");
        to.size(buckets.len());
        for (bucket, count) in buckets {
            match bucket {
                Bucket::Negative(Reverse(key)) => save_key(0, key, to),
                Bucket::Zero => to.tag(1),
                Bucket::Positive(key) => save_key(2, key, to),
            }
            to.number(count);
        }
        for number in self.sketch.min().into_iter().chain(self.sketch.max()) {
            to.number(number.to_bits());
        }
    }

    /// Reads a sketch of so many values.
    pub(in crate::query) fn restore(accuracy: f64, values: u64, from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        let mut sketch = Self::new(accuracy);
        let mut left = values;
        for infinite in &mut sketch.infinite {
            *infinite = from.at_most(left)?;
            left -= *infinite;
        }
        let mut buckets: Vec<(Bucket, u64)> = Vec::new();
        for _ in 0..from.count()? {
            let (bucket, count) = (read_bucket(from)?, from.at_most(left)?);
            if count == 0 || buckets.last().is_some_and(|(last, _)| *last >= bucket) {
                return Err(RestoreError::Damaged);
            }
            left -= count;
            buckets.push((bucket, count));
        }
        if left != 0 {
            return Err(RestoreError::Damaged);
        }
        if !buckets.is_empty() {
            fill(&mut sketch.sketch, &config(accuracy), buckets, [from.float()?, from.float()?])?;
        }
        Ok(sketch)
    }
}

impl Sketch {
    /// The finite values as the middles of their buckets, each with how many there are.
    pub(super) fn counted(&self) -> Option<Vec<(f64, u64)>> {
        let config = config(self.accuracy);
        let (least, greatest) = (self.sketch.min()?, self.sketch.max()?);
        let middle = |(bucket, count): (Bucket, u64)| (bucket.middle(&config).clamp(least, greatest), count);
        Some(buckets(&self.sketch)?.into_iter().map(middle).collect())
    }
}

fn save_key(tag: u8, key: i32, to: &mut Writer) {
    to.tag(tag);
    to.int(i64::from(key));
}

fn read_bucket(from: &mut Reader<'_>) -> Result<Bucket, RestoreError> {
    let tag = from.tag()?;
    let mut key = || i32::try_from(from.int()?).map_err(|_| RestoreError::Damaged);
    match tag {
        0 => key().map(|key| Bucket::Negative(Reverse(key))),
        1 => Ok(Bucket::Zero),
        2 => key().map(Bucket::Positive),
        _ => Err(RestoreError::Damaged),
    }
}

/// Fills buckets, from the lowest to the highest, the least and the greatest value being known.
fn fill(
    sketch: &mut DDSketch,
    config: &Config,
    mut buckets: Vec<(Bucket, u64)>,
    [least, greatest]: [f64; 2],
) -> Result<(), RestoreError> {
    // Whatever is added behind these two lies between them, so that both stay exact.
    let is_alone = buckets.len() == 1 && buckets[0].1 == 1;
    if !(least.is_finite() && greatest.is_finite() && least <= greatest) || (is_alone && least != greatest) {
        return Err(RestoreError::Damaged);
    }
    let ends = if is_alone { &[least][..] } else { &[least, greatest] };
    ends.iter().for_each(|end| sketch.add(*end));
    buckets.first_mut().expect("there are values").1 -= 1;
    if !is_alone {
        buckets.last_mut().expect("there are values").1 -= 1;
    }
    for (bucket, count) in buckets {
        let number = bucket.middle(config).clamp(least, greatest);
        if count > 0 {
            // A key that no number has would be a bucket that has no place.
            if Bucket::of(config, number) != bucket {
                return Err(RestoreError::Damaged);
            }
            sketch.add_with_count(number, count);
        }
    }
    Ok(())
}

/// The buckets of a sketch that have values, from the lowest to the highest, as its bytes in the
/// format of other implementations tell them; none if that is another format.
fn buckets(sketch: &DDSketch) -> Option<Vec<(Bucket, u64)>> {
    let bytes = sketch.to_java_bytes();
    let mut from = Foreign(&bytes);
    let (mut below, mut above, mut zeros) = (Vec::new(), Vec::new(), 0);
    while let Some(section) = from.byte() {
        match section {
            Foreign::COUNT => drop(from.count()?),
            Foreign::SUM | Foreign::LEAST | Foreign::GREATEST => from.skip(size_of::<f64>())?,
            Foreign::MAPPING => from.skip(2 * size_of::<f64>())?,
            Foreign::ZEROS => zeros = from.count()?,
            Foreign::ABOVE => above = from.store()?,
            Foreign::BELOW => below = from.store()?,
            _ => return None,
        }
    }
    let below = below.into_iter().rev().map(|(key, count)| (Bucket::Negative(Reverse(key)), count));
    let above = above.into_iter().map(|(key, count)| (Bucket::Positive(key), count));
    let zeros = (zeros > 0).then_some((Bucket::Zero, zeros));
    let buckets: Vec<_> = below.chain(zeros).chain(above).collect();
    let count: u64 = buckets.iter().map(|(_, count)| count).sum();
    (count == sketch.count() as u64).then_some(buckets)
}

/// The bytes of a sketch in the format that implementations share: sections that begin with a byte
/// each, and numbers of as many bytes as they need.
struct Foreign<'a>(&'a [u8]);

impl Foreign<'_> {
    const COUNT: u8 = 0xA0;
    const SUM: u8 = 0x84;
    const LEAST: u8 = 0x88;
    const GREATEST: u8 = 0x8C;
    const MAPPING: u8 = 0x02;
    const ZEROS: u8 = 0x04;
    const ABOVE: u8 = 0x05;
    const BELOW: u8 = 0x07;

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.get(count..)?;
        Some(())
    }

    /// Bits in groups of seven, as long as the eighth says that more follow. The ninth byte has
    /// eight of them.
    fn groups(&mut self) -> Option<Vec<u8>> {
        let mut groups = Vec::new();
        loop {
            let byte = self.byte()?;
            if groups.len() == 8 || byte < 0x80 {
                groups.push(byte);
                return Some(groups);
            }
            groups.push(byte & 0x7F);
        }
    }

    /// An unsigned number, its low bits first.
    fn number(&mut self) -> Option<u64> {
        let groups = self.groups()?;
        Some(groups.iter().enumerate().fold(0, |number, (nth, group)| number | u64::from(*group) << (7 * nth)))
    }

    /// A signed number: the lowest bit is the sign.
    fn key(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// A count, as the float that is greater by 1 and its high bits first.
    fn count(&mut self) -> Option<u64> {
        let groups = self.groups()?;
        let shift = |nth: usize| if nth == 8 { 0 } else { 57 - 7 * nth };
        let bits: u64 = groups.iter().enumerate().map(|(nth, group)| u64::from(*group) << shift(nth)).sum();
        let number = f64::from_bits(bits.rotate_right(6).wrapping_add(1_f64.to_bits())) - 1.0;
        (number >= 0.0).then_some(number as u64)
    }

    /// Keys, each as the distance from the one before, with their counts.
    fn store(&mut self) -> Option<Vec<(i32, u64)>> {
        let (count, mut key) = (self.number()?, 0_i64);
        let one = |_| {
            key = key.checked_add(self.key()?)?;
            Some((i32::try_from(key).ok()?, self.count()?))
        };
        (0..count).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::saved::{Origin, framed, unframed};
    use traceward_logic::value::Value;

    const ORIGIN: Origin = Origin { engine: "algebraic", formula: 0 };

    fn saved(sketch: &Sketch) -> Vec<u8> {
        framed(ORIGIN, |to| sketch.save(to))
    }

    fn quantiles(sketch: &Sketch) -> Vec<Option<Value>> {
        (0..=100).map(|part| sketch.quantile(f64::from(part) / 100.0)).collect()
    }

    /// Numbers that fill every kind of bucket, the same on every machine.
    fn numbers() -> Vec<(&'static str, Vec<f64>)> {
        let scattered: Vec<f64> = (0..3000).map(|nth| f64::from(nth * 7919 % 3000) / 3000.0).collect();
        let edges = [0.0, -0.0, LEAST, -LEAST, LEAST.next_up(), -LEAST.next_up(), f64::MAX, f64::MIN, 5e-324, 1.0];
        vec![
            ("none", Vec::new()),
            ("one", vec![-7.5]),
            ("two of one bucket", vec![1.0, 1.0000001]),
            ("infinite only", vec![f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY]),
            ("about zero", vec![1e-310, -1e-310, 0.0]),
            ("edges", edges.to_vec()),
            ("edges and infinity", edges.into_iter().chain([f64::INFINITY, f64::NEG_INFINITY]).collect()),
            ("positive", scattered.iter().map(|number| number + 0.5).collect()),
            ("both signs", scattered.iter().map(|number| (number - 0.5) * 1e6).collect()),
            ("tiny and huge", scattered.iter().map(|number| 10_f64.powf(number * 500.0 - 250.0)).collect()),
            ("negative, tiny and huge", scattered.iter().map(|number| -10_f64.powf(number * 500.0 - 250.0)).collect()),
            ("many of one", vec![3.0; 100_000]),
        ]
    }

    #[test]
    fn a_sketch_comes_back_with_its_buckets_and_its_ends() {
        // With the last one there are more buckets than are kept, and the lowest are one.
        for accuracy in [0.05, 0.01, 0.001, 0.0001] {
            for (name, numbers) in numbers() {
                let mut sketch = Sketch::new(accuracy);
                numbers.iter().for_each(|number| sketch.add(*number));
                let bytes = saved(&sketch);
                let read = |count| unframed(ORIGIN, &bytes, |from| Sketch::restore(accuracy, count, from));
                let mut again =
                    read(numbers.len() as u64).unwrap_or_else(|error| panic!("{name}, {accuracy}: {error}"));
                assert!(read(numbers.len() as u64 + 1).is_err(), "{name}");
                assert_eq!(saved(&again), bytes, "{name}, {accuracy}");
                assert_eq!((again.accuracy(), again.count()), (accuracy, sketch.count()), "{name}");
                let ends =
                    |sketch: &Sketch| [sketch.sketch.min(), sketch.sketch.max()].map(|end| end.map(f64::to_bits));
                assert_eq!(ends(&again), ends(&sketch), "{name}");
                assert_eq!(again.bytes(), sketch.bytes(), "{name}, {accuracy}");
                assert_eq!(quantiles(&again), quantiles(&sketch), "{name}, {accuracy}");
                for number in [-1e30, 2.0, 0.0, 1e-280, 4e200, f64::INFINITY] {
                    sketch.add(number);
                    again.add(number);
                    assert_eq!(quantiles(&again), quantiles(&sketch), "{name}, {accuracy}, {number} later");
                }
            }
        }
    }

    /// Bytes of a sketch that nobody saved: buckets, and the ends.
    fn forged(buckets: &[(u8, i64, u64)], ends: [f64; 2]) -> Vec<u8> {
        framed(ORIGIN, |to| {
            to.number(0);
            to.number(0);
            to.size(buckets.len());
            for (tag, key, count) in buckets {
                to.tag(*tag);
                to.int(*key);
                to.number(*count);
            }
            ends.iter().for_each(|end| to.float(*end));
        })
    }

    #[test]
    fn what_is_no_sketch_is_refused() {
        let is_read =
            |count, bytes: Vec<u8>| unframed(ORIGIN, &bytes, |from| Sketch::restore(0.01, count, from)).is_ok();
        assert!(is_read(2, forged(&[(2, 0, 1), (2, 1, 1)], [1.0, 1.03])));
        let most = i64::from(i32::MAX);
        for (count, buckets, ends) in [
            (2, &[(2, 0, 3)][..], [1.0, 1.0]),
            (2, &[(2, 0, 1)], [1.0, 1.0]),
            (2, &[(2, 0, 2)], [2.0, 1.0]),
            (2, &[(2, 0, 2)], [f64::NAN, 1.0]),
            (2, &[(2, 0, 2)], [1.0, f64::INFINITY]),
            (1, &[(2, 0, 1)], [1.0, 2.0]),
            (2, &[(2, 1, 1), (2, 0, 1)], [1.0, 2.0]),
            (2, &[(2, 0, 2), (2, 1, 0)], [1.0, 2.0]),
            (3, &[(2, most, 3)], [1.0, 2.0]),
            (3, &[(2, most + 1, 3)], [1.0, 2.0]),
            (3, &[(0, -most, 3)], [-2.0, -1.0]),
            (3, &[(3, 0, 3)], [1.0, 2.0]),
        ] {
            assert!(!is_read(count, forged(buckets, ends)), "{count} {buckets:?} {ends:?}");
        }
    }
}
