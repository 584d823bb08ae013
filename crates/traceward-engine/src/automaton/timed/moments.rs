//! Timestamps for the positions of a trace that is to be shown.

use super::memory::Required;
use super::zone::{Bound, rounded};

/// Nanoseconds that timestamps may be multiples of, the ones that are nicest to look at first, for
/// windows of these numbers: what divides all of them, and parts of that.
fn steps(numbers: impl Iterator<Item = i64>) -> Vec<i64> {
    let whole = numbers.filter(|number| *number != 0).map(rounded).fold(0, gcd).max(1);
    let parts = [1, 2, 10, 20, 100, 1_000, 10_000, 1_000_000];
    let mut steps: Vec<i64> = parts.into_iter().filter(|part| whole % part == 0).map(|part| whole / part).collect();
    steps.push(1);
    steps.dedup();
    steps
}

fn gcd(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// Timestamps of so many positions within bounds, if there are any: as small as can be, and several
/// choices of them, the ones that are nicest to look at first.
pub(super) fn choices(
    positions: usize,
    required: &[Required],
    numbers: impl Iterator<Item = i64>,
) -> impl Iterator<Item = Vec<i64>> {
    let steps = steps(numbers);
    // Moments that are all different are easier to read; only then some may be the same.
    let tries = [1, 0].into_iter().flat_map(move |apart| steps.clone().into_iter().map(move |step| (step, apart)));
    tries.filter_map(move |(step, apart)| multiples(positions, required, step, apart))
}

/// The least multiples of a step that are so many steps apart, and within bounds.
fn multiples(positions: usize, required: &[Required], step: i64, apart: i64) -> Option<Vec<i64>> {
    let within = |bound: Bound| bound.largest().div_euclid(step);
    let mut moments: Vec<i64> = (0..positions as i64).map(|position| position * apart).collect();
    for _ in 0..=positions {
        let before = moments.clone();
        for at in 1..positions {
            moments[at] = moments[at].max(moments[at - 1] + apart);
        }
        for &Required { later, earlier, bound } in required {
            moments[earlier] = moments[earlier].max(moments[later] - within(bound));
        }
        if moments == before {
            let start = moments.first().copied().unwrap_or(0);
            return Some(moments.into_iter().map(|moment| (moment - start) * step).collect());
        }
    }
    None
}
