//! Values of variables and expressions, and the arithmetic on them.
//!
//! Integers and floats compare by exact value, a NaN is a missing value, and whatever meets a
//! missing value is missing.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

/// A value of a variable in one state, or of an expression or query.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing was recorded.
    Missing,
    /// A boolean.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A float; never NaN, which is [`Value::Missing`].
    Float(f64),
    /// A string.
    Str(Arc<str>),
    /// A pair, made by `(x, y)` or `&[pair]`.
    Pair(Box<(Value, Value)>),
    /// A list, made by `histogram`.
    List(Vec<Value>),
}

/// The type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ValueType {
    /// `true` or `false`.
    Boolean,
    /// An integer or a float.
    Number,
    /// A text.
    String,
}

impl ValueType {
    /// All types, by the names that declarations use.
    pub const ALL: [Self; 3] = [Self::Boolean, Self::Number, Self::String];

    /// The name that declarations use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ValueType {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, UnknownType> {
        let found = Self::ALL.into_iter().find(|one| one.name() == text);
        found.or_else(|| (text == "bool").then_some(Self::Boolean)).ok_or_else(|| UnknownType(text.to_owned()))
    }
}

/// A text that names no type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownType(pub String);

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no type `{}`; types are boolean, number and string", self.0)
    }
}

impl std::error::Error for UnknownType {}

/// The reason why a value could not be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArithmeticError {
    /// An integer result does not fit 64 bits.
    Overflow,
    /// The divisor of `/` or `%` is zero.
    DivisionByZero,
}

impl fmt::Display for ArithmeticError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "integer overflow",
            Self::DivisionByZero => "division by zero",
        })
    }
}

/// `+ - * / %`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ArithmeticOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, a float whatever its operands
    Divide,
    /// `%`, with the dividend's sign
    Remainder,
}

impl ArithmeticOp {
    /// The text by which a spec writes the operator.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }

    /// Applies the operator to two numbers; anything missing makes the result missing.
    pub fn apply(self, left: &Value, right: &Value) -> Result<Value, ArithmeticError> {
        match (left, right) {
            (Value::Int(left), Value::Int(right)) => self.apply_ints(*left, *right),
            _ => match (left.as_f64(), right.as_f64()) {
                (Some(left), Some(right)) => self.apply_floats(left, right),
                _ => Ok(Value::Missing),
            },
        }
    }

    fn apply_ints(self, left: i64, right: i64) -> Result<Value, ArithmeticError> {
        let exact = match self {
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Divide => return self.apply_floats(left as f64, right as f64),
            Self::Remainder if right == 0 => return Err(ArithmeticError::DivisionByZero),
            // The one overflow of a remainder, i64::MIN % -1, is 0.
            Self::Remainder => Some(left.wrapping_rem(right)),
        };
        exact.map(Value::Int).ok_or(ArithmeticError::Overflow)
    }

    fn apply_floats(self, left: f64, right: f64) -> Result<Value, ArithmeticError> {
        Ok(Value::float(match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide | Self::Remainder if right == 0.0 => {
                return Err(ArithmeticError::DivisionByZero);
            }
            Self::Divide => left / right,
            Self::Remainder => left % right,
        }))
    }
}

/// `== != < <= > >=`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum CompareOp {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl CompareOp {
    /// The text by which a spec writes the operator.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Whether an ordering satisfies the comparison.
    #[inline]
    pub fn admits(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }

    /// The comparison that says the same with its sides exchanged.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }

    /// Whether the comparison asks for an order, not only for equality.
    pub fn is_order(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual)
    }

    /// Compares two values; a comparison that meets a missing value is false.
    pub fn holds(self, left: &Value, right: &Value) -> bool {
        left.compare(right).is_some_and(|ordering| self.admits(ordering))
    }
}

impl Value {
    /// A float, or missing where it is NaN.
    pub fn float(number: f64) -> Self {
        if number.is_nan() { Self::Missing } else { Self::Float(number) }
    }

    /// Becomes an integer, in place. Where values follow each other as fast as a program writes
    /// them, one that is made elsewhere and moved makes the processor wait: it is written in two
    /// pieces and read as a whole.
    #[inline(always)]
    pub fn set_int(&mut self, int: i64) {
        match self {
            Self::Int(old) => *old = int,
            other => *other = Self::Int(int),
        }
    }

    /// Becomes a boolean, in place as by [`Self::set_int`].
    #[inline(always)]
    pub fn set_bool(&mut self, bit: bool) {
        match self {
            Self::Bool(old) => *old = bit,
            other => *other = Self::Bool(bit),
        }
    }

    /// Becomes a float, in place as by [`Self::set_int`]; missing where it is NaN.
    #[inline(always)]
    pub fn set_float(&mut self, float: f64) {
        match self {
            Self::Float(old) if !float.is_nan() => *old = float,
            other => *other = Self::float(float),
        }
    }

    /// A string.
    pub fn str(text: &str) -> Self {
        Self::Str(text.into())
    }

    /// Whether nothing was recorded.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// The number as a float, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::Int(number) => Some(number as f64),
            Self::Float(number) => Some(number),
            _ => None,
        }
    }

    /// The order of two values of one kind, numbers by exact value, strings by bytes; none where
    /// either is missing.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => Some(left.cmp(right)),
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(right)),
            (Self::Float(left), Self::Float(right)) => left.partial_cmp(right),
            (Self::Int(left), Self::Float(right)) => Some(compare_int_with_float(*left, *right)),
            (Self::Float(left), Self::Int(right)) => Some(compare_int_with_float(*right, *left).reverse()),
            (Self::Str(left), Self::Str(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
            (Self::Pair(left), Self::Pair(right)) => {
                let first = left.0.compare(&right.0)?;
                Some(first.then(left.1.compare(&right.1)?))
            }
            (Self::List(left), Self::List(right)) => {
                for (left, right) in left.iter().zip(right) {
                    match left.compare(right)? {
                        Ordering::Equal => {}
                        decided => return Some(decided),
                    }
                }
                Some(left.len().cmp(&right.len()))
            }
            _ => None,
        }
    }

    /// Whether this is a boolean that is true.
    pub fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }
}

/// The exact order of an integer and a float that is no NaN.
///
/// Converting the integer would round it above 2^53, and make `2^53 + 1 == 2^53` of it.
pub fn compare_int_with_float(int: i64, float: f64) -> Ordering {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    if float >= TWO_TO_63 {
        Ordering::Less
    } else if float < -TWO_TO_63 {
        Ordering::Greater
    } else {
        let whole = float.trunc();
        int.cmp(&(whole as i64)).then_with(|| 0.0_f64.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal))
    }
}

/// Equality of representation: `1` and `1.0` differ here, and are equal under [`Value::compare`].
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Missing, Self::Missing) => true,
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Int(left), Self::Int(right)) => left == right,
            (Self::Float(left), Self::Float(right)) => left.to_bits() == right.to_bits(),
            (Self::Str(left), Self::Str(right)) => left == right,
            (Self::Pair(left), Self::Pair(right)) => left == right,
            (Self::List(left), Self::List(right)) => left == right,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Missing => {}
            Self::Bool(bit) => bit.hash(state),
            Self::Int(number) => number.hash(state),
            Self::Float(number) => number.to_bits().hash(state),
            Self::Str(text) => text.hash(state),
            Self::Pair(pair) => pair.hash(state),
            Self::List(items) => items.hash(state),
        }
    }
}

/// Writes the value as a spec would; a missing value is `none`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("none"),
            Self::Bool(bit) => write!(f, "{bit}"),
            Self::Int(number) => write!(f, "{number}"),
            // Debug keeps the `.0` that tells a float from an integer.
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Str(text) => write!(f, "\"{}\"", text.escape_debug()),
            Self::Pair(pair) => write!(f, "({}, {})", pair.0, pair.1),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{item}")?;
                }
                f.write_str("]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_compare_exactly() {
        let big = (1_i64 << 53) + 1;
        assert_eq!(compare_int_with_float(big, (1_i64 << 53) as f64), Ordering::Greater);
        assert_eq!(compare_int_with_float(i64::MAX, 9.3e18), Ordering::Less);
        assert_eq!(compare_int_with_float(i64::MIN, -9_223_372_036_854_775_808.0), Ordering::Equal);
        assert_eq!(compare_int_with_float(-1, -1.5), Ordering::Greater);
        assert_eq!(compare_int_with_float(1, 1.5), Ordering::Less);
        assert_eq!(compare_int_with_float(0, f64::NEG_INFINITY), Ordering::Greater);
    }

    #[test]
    fn arithmetic_follows_the_definition() {
        let int = Value::Int;
        assert_eq!(ArithmeticOp::Divide.apply(&int(7), &int(2)), Ok(Value::Float(3.5)));
        assert_eq!(ArithmeticOp::Remainder.apply(&int(-7), &int(2)), Ok(int(-1)));
        assert_eq!(ArithmeticOp::Remainder.apply(&int(i64::MIN), &int(-1)), Ok(int(0)));
        assert_eq!(ArithmeticOp::Add.apply(&int(i64::MAX), &int(1)), Err(ArithmeticError::Overflow));
        assert_eq!(ArithmeticOp::Divide.apply(&int(1), &Value::Float(0.0)), Err(ArithmeticError::DivisionByZero));
        assert_eq!(ArithmeticOp::Add.apply(&Value::Missing, &int(1)), Ok(Value::Missing));
    }

    #[test]
    fn a_comparison_with_a_missing_value_is_false() {
        for op in [CompareOp::Equal, CompareOp::NotEqual, CompareOp::Less] {
            assert!(!op.holds(&Value::Missing, &Value::Int(1)));
        }
        assert!(CompareOp::Equal.holds(&Value::Int(1), &Value::Float(1.0)));
    }
}
