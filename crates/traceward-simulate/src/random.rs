//! Chance that is the same on every machine.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// A seeded generator. PCG is defined to the bit, so a seed gives the same trace everywhere; what
/// is made of its numbers is done here, so that no other crate's idea of a range matters.
#[derive(Clone, Debug)]
pub struct Random(Pcg32);

/// A probability, as the number of outcomes of 2^32 that are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chance(u64);

impl Chance {
    /// A probability between 0 and 1, exact at both ends.
    pub fn new(probability: f64) -> Self {
        Self((probability.clamp(0.0, 1.0) * 4_294_967_296.0) as u64)
    }
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Pcg32::seed_from_u64(seed))
    }

    /// A number below `count`. One alone costs no chance. Numbers differ in probability by less
    /// than `count` / 2^32, which no trace is long enough to show.
    pub fn below(&mut self, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        ((u64::from(self.0.next_u32()) * count as u64) >> 32) as usize
    }

    /// Whether something of this probability happens.
    pub fn happens(&mut self, chance: Chance) -> bool {
        chance.0 > 0 && u64::from(self.0.next_u32()) < chance.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_come_about_as_often() {
        let mut random = Random::new(1);
        let mut counts = [0_u32; 3];
        (0..30_000).for_each(|_| counts[random.below(3)] += 1);
        assert!(counts.iter().all(|count| (9_700..10_300).contains(count)), "{counts:?}");
    }

    #[test]
    fn probabilities_are_exact_at_both_ends() {
        let mut random = Random::new(2);
        assert!((0..1000).all(|_| random.happens(Chance::new(1.0)) && !random.happens(Chance::new(0.0))));
        let half = (0..10_000).filter(|_| random.happens(Chance::new(0.5))).count();
        assert!((4_800..5_200).contains(&half), "{half}");
    }

    /// The sequence is a promise: a seed in a bug report is worth nothing if it changes.
    #[test]
    fn the_sequence_of_a_seed_stays() {
        let mut random = Random::new(42);
        let drawn: Vec<usize> = (0..8).map(|_| random.below(1000)).collect();
        assert_eq!(drawn, [791, 779, 119, 983, 362, 646, 845, 325]);
    }
}
