//! Sums of many numbers: exact for integers, compensated for floats.

use crate::value::{ArithmeticError, Value};

/// The sum and the mean of numbers, added one by one.
///
/// Integers are added in 128 bits, so only a sum that does not fit 64 bits is an overflow, and
/// their order does not matter. Floats are added with Neumaier's compensation. Where both occur,
/// the integers are added up exactly before they meet the floats.
///
/// A sum of floats too large for any float is infinite, as elsewhere. Infinity and minus infinity
/// have no sum: it is missing, so that a query which asks for it fails.
///
/// ```
/// use traceward_logic::{total::Total, value::Value};
/// let mut total = Total::default();
/// for number in [Value::Int(i64::MAX), Value::Int(1), Value::Int(-3)] {
///     total.add(&number);
/// }
/// assert_eq!(total.sum(), Ok(Value::Int(i64::MAX - 2)));
/// total.add_float(0.5);
/// assert_eq!(total.count(), 4);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Total {
    /// The sum of the integers. It takes 2^64 of them to leave 128 bits.
    integers: i128,
    integer_count: u64,
    floats: Compensated,
    float_count: u64,
}

/// What a [`Total`] has come to, for whoever keeps it somewhere else for a while.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TotalParts {
    /// The sum of the integers.
    pub integers: i128,
    /// The number of integers.
    pub integer_count: u64,
    /// The sum of the floats, as it was rounded.
    pub floats: f64,
    /// What rounding has cut off that sum.
    pub lost: f64,
    /// The number of floats.
    pub float_count: u64,
}

/// A sum of floats, and what rounding has cut off it (Neumaier 1974).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    fn add(&mut self, number: f64) {
        let sum = self.sum + number;
        self.lost += if self.sum.abs() >= number.abs() { (self.sum - sum) + number } else { (number - sum) + self.sum };
        self.sum = sum;
    }

    fn value(self) -> f64 {
        // Beside an infinite sum, what was lost is infinite too, or NaN.
        if self.lost.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

impl Total {
    /// Adds a number; any other value is left out.
    pub fn add(&mut self, value: &Value) {
        match *value {
            Value::Int(number) => self.add_int(number),
            Value::Float(number) => self.add_float(number),
            _ => {}
        }
    }

    /// Adds an integer.
    pub fn add_int(&mut self, number: i64) {
        self.integers += i128::from(number);
        self.integer_count += 1;
    }

    /// Adds so many integers, of which the sum is known.
    pub fn add_integers(&mut self, sum: i128, count: u64) {
        self.integers += sum;
        self.integer_count += count;
    }

    /// Adds a float.
    pub fn add_float(&mut self, number: f64) {
        self.floats.add(number);
        self.float_count += 1;
    }

    /// Adds all that was added to another total.
    pub fn merge(&mut self, other: &Self) {
        self.integers += other.integers;
        self.integer_count += other.integer_count;
        self.floats.add(other.floats.sum);
        if other.floats.lost.is_finite() {
            self.floats.add(other.floats.lost);
        }
        self.float_count += other.float_count;
    }

    /// The number of numbers that were added.
    pub fn count(&self) -> u64 {
        self.integer_count + self.float_count
    }

    /// The sum: an integer if all numbers were, and 0 if there were none.
    pub fn sum(&self) -> Result<Value, ArithmeticError> {
        match self.float_count {
            0 => i64::try_from(self.integers).map(Value::Int).map_err(|_| ArithmeticError::Overflow),
            _ => Ok(Value::float(self.approximate())),
        }
    }

    /// The mean as a float; none if there were no numbers. It is there also where the sum of the
    /// integers does not fit 64 bits.
    pub fn mean(&self) -> Option<Value> {
        match (self.float_count, self.integer_count) {
            (0, 0) => None,
            (0, count) => Some(Value::Float(quotient(self.integers, count))),
            _ => Some(Value::float(self.approximate() / self.count() as f64)),
        }
    }

    /// All that the total has come to.
    pub fn to_parts(&self) -> TotalParts {
        TotalParts {
            integers: self.integers,
            integer_count: self.integer_count,
            floats: self.floats.sum,
            lost: self.floats.lost,
            float_count: self.float_count,
        }
    }

    /// The total that has come to this; none if no numbers come to it, because there are too few
    /// for such a sum, or more than can be counted.
    pub fn from_parts(parts: TotalParts) -> Option<Self> {
        let TotalParts { integers, integer_count, floats, lost, float_count } = parts;
        let most = u128::from(integer_count) << 63;
        integer_count.checked_add(float_count)?;
        let floats = Compensated { sum: floats, lost };
        (integers.unsigned_abs() <= most).then_some(Self { integers, integer_count, floats, float_count })
    }

    /// The sum as a float. The integers come in two parts, since one float may not hold them.
    fn approximate(&self) -> f64 {
        let high = self.integers as f64;
        let low = (self.integers - high as i128) as f64;
        let mut sum = self.floats;
        sum.add(high);
        sum.add(low);
        sum.value()
    }
}

/// An integer divided by a count.
fn quotient(sum: i128, count: u64) -> f64 {
    const EXACT: u128 = 1 << 53;
    if sum.unsigned_abs() <= EXACT {
        return sum as f64 / count as f64;
    }
    let count = i128::from(count);
    (sum / count) as f64 + (sum % count) as f64 / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(values: &[Value]) -> Total {
        let mut total = Total::default();
        values.iter().for_each(|value| total.add(value));
        total
    }

    fn floats(numbers: &[f64]) -> Total {
        total(&numbers.iter().map(|&number| Value::Float(number)).collect::<Vec<_>>())
    }

    #[test]
    fn only_the_result_overflows() {
        let (most, least) = (Value::Int(i64::MAX), Value::Int(i64::MIN));
        assert_eq!(total(&[most.clone(), most.clone(), least.clone(), least.clone()]).sum(), Ok(Value::Int(-2)));
        assert_eq!(total(&[least.clone(), least.clone(), most.clone(), most.clone()]).sum(), Ok(Value::Int(-2)));
        assert_eq!(total(&[most.clone(), Value::Int(1)]).sum(), Err(ArithmeticError::Overflow));
        assert_eq!(total(&[least, Value::Int(-1)]).sum(), Err(ArithmeticError::Overflow));
        assert_eq!(total(&[most.clone(), most]).mean(), Some(Value::Float(i64::MAX as f64)));
    }

    #[test]
    fn of_nothing_there_is_a_sum_but_no_mean() {
        assert_eq!(Total::default().sum(), Ok(Value::Int(0)));
        assert_eq!(Total::default().mean(), None);
    }

    #[test]
    fn what_rounding_cuts_off_is_not_lost() {
        assert_eq!(floats(&[0.1; 10]).sum(), Ok(Value::Float(1.0)));
        assert_eq!(floats(&[1e100, 1.0, -1e100]).sum(), Ok(Value::Float(1.0)));
        assert_eq!(floats(&[1.0, 1e100, 1.0, -1e100]).mean(), Some(Value::Float(0.5)));
    }

    #[test]
    fn integers_beside_floats_stay_exact() {
        let big = (1_i64 << 53) + 1;
        let values = [Value::Int(big), Value::Float(0.5), Value::Int(-big), Value::Int(big), Value::Int(-(1 << 53))];
        assert_eq!(total(&values).sum(), Ok(Value::Float(1.5)));
    }

    #[test]
    fn infinity_stays_and_never_becomes_zero() {
        let infinity = f64::INFINITY;
        assert_eq!(floats(&[infinity, 1.0]).sum(), Ok(Value::Float(infinity)));
        assert_eq!(floats(&[1.0, -infinity]).mean(), Some(Value::Float(-infinity)));
        assert_eq!(floats(&[infinity, -infinity]).sum(), Ok(Value::Missing));
        assert_eq!(floats(&[f64::MAX, f64::MAX]).sum(), Ok(Value::Float(infinity)));
    }

    #[test]
    fn a_total_comes_back_from_its_parts() {
        let values = [Value::Int(i64::MIN), Value::Float(1e17), Value::Float(0.1), Value::Float(-1e17)];
        let total = total(&values);
        assert_eq!(Total::from_parts(total.to_parts()), Some(total));
        let parts = Total::default().to_parts();
        assert_eq!(Total::from_parts(TotalParts { integers: 1, ..parts }), None);
        assert_eq!(Total::from_parts(TotalParts { integer_count: u64::MAX, float_count: 1, ..parts }), None);
    }

    #[test]
    fn totals_of_parts_are_the_total_of_the_whole() {
        let values = [Value::Int(3), Value::Float(0.1), Value::Int(i64::MAX), Value::Float(1e17), Value::Float(-1e17)];
        let (one, other) = values.split_at(2);
        let mut merged = total(one);
        merged.merge(&total(other));
        assert_eq!(merged.sum(), total(&values).sum());
        assert_eq!(merged.count(), 5);
        let mut infinite = floats(&[1.0]);
        infinite.merge(&floats(&[f64::INFINITY]));
        assert_eq!(infinite.sum(), Ok(Value::Float(f64::INFINITY)));
    }
}
