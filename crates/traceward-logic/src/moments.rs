//! Moments of integers, without rounding.
//!
//! Deviations that are updated with every number depend on the order in which numbers come by their
//! last digits, and whoever follows a trace meets them in another order than whoever has all of it.
//! Sums of integers do not. They are those of distances from the first number, which change no
//! deviation and keep products small; where 128 bits are not enough there are none.

/// How many pairs of integers there are, with the sums of both sides, of their squares and of their
/// products.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Moments {
    origin: [i64; 2],
    count: i128,
    sums: [i128; 2],
    squares: [i128; 2],
    products: i128,
}

impl Moments {
    /// With one more pair; none if a sum does not fit.
    #[must_use]
    pub fn with(mut self, pair: [i64; 2]) -> Option<Self> {
        if self.count == 0 {
            self.origin = pair;
        }
        let distance = |side: usize| i128::from(pair[side]) - i128::from(self.origin[side]);
        let distances = [distance(0), distance(1)];
        self.count += 1;
        for (side, distance) in distances.into_iter().enumerate() {
            self.sums[side] = self.sums[side].checked_add(distance)?;
            self.squares[side] = self.squares[side].checked_add(distance.checked_mul(distance)?)?;
        }
        self.products = self.products.checked_add(distances[0].checked_mul(distances[1])?)?;
        Some(self)
    }

    /// The square of the count times the variance of a side; none if it does not fit.
    fn scatter(&self, side: usize) -> Option<i128> {
        let square = self.sums[side].checked_mul(self.sums[side])?;
        self.squares[side].checked_mul(self.count)?.checked_sub(square)
    }

    /// The standard deviation of the left side; none if a product does not fit.
    pub fn deviation(&self) -> Option<f64> {
        Some((self.scatter(0)? as f64).sqrt() / self.count as f64)
    }

    /// Pearson's correlation, which is NaN where a side does not vary; none if a product does not
    /// fit.
    pub fn correlation(&self) -> Option<f64> {
        let common =
            self.products.checked_mul(self.count)?.checked_sub(self.sums[0].checked_mul(self.sums[1])?)? as f64;
        // One root of both: so that of what is in proportion is exact.
        let scale = (self.scatter(0)? as f64 * self.scatter(1)? as f64).sqrt();
        Some((common / scale).clamp(-1.0, 1.0))
    }

    /// All numbers that it is made of.
    pub fn parts(&self) -> [i128; 8] {
        let Self { origin: [a, b], count, sums: [c, d], squares: [e, f], products } = *self;
        [a.into(), b.into(), count, c, d, e, f, products]
    }

    /// What is made of such numbers; none if it cannot be.
    pub fn of_parts(parts: [i128; 8]) -> Option<Self> {
        let [a, b, count, c, d, e, f, products] = parts;
        let origin = [i64::try_from(a).ok()?, i64::try_from(b).ok()?];
        Some(Self { origin, count, sums: [c, d], squares: [e, f], products })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[[i64; 2]]) -> Option<Moments> {
        pairs.iter().try_fold(Moments::default(), |moments, pair| moments.with(*pair))
    }

    #[test]
    fn what_is_in_proportion_correlates_exactly() {
        for factor in [2, 3, 7, -1, -5, 1_000_003] {
            let mut pairs: Vec<[i64; 2]> = (0..50).map(|x| x * x * 31 % 97 - 40).map(|x| [x, factor * x + 9]).collect();
            for _ in 0..2 {
                let expected = if factor < 0 { -1.0 } else { 1.0 };
                assert_eq!(of(&pairs).unwrap().correlation(), Some(expected), "{factor}");
                pairs.reverse();
            }
        }
    }

    #[test]
    fn the_order_makes_no_difference() {
        let mut pairs: Vec<[i64; 2]> = (0..200).map(|x| [x * 7919 % 1013 - 500, x * 104_729 % 997]).collect();
        let forwards = of(&pairs).unwrap();
        pairs.reverse();
        let backwards = of(&pairs).unwrap();
        assert_eq!(forwards.deviation(), backwards.deviation());
        assert_eq!(forwards.correlation(), backwards.correlation());
        assert!(forwards.correlation().unwrap().abs() < 0.2);
    }

    #[test]
    fn sums_that_do_not_fit_are_none() {
        assert_eq!(of(&[[i64::MAX, 0], [i64::MIN, 0]]), None);
        let now = 1_700_000_000_000_000_000;
        assert_eq!(of(&[[now, 0], [now + 2, 0]]).unwrap().deviation(), Some(1.0));
        assert!(of(&[[5, 1], [5, 2]]).unwrap().correlation().unwrap().is_nan());
        let moments = of(&[[1, 2], [4, 8], [3, 6]]).unwrap();
        assert_eq!(Moments::of_parts(moments.parts()), Some(moments));
    }
}
