//! Expressions with their names resolved, and the values they are evaluated on.

use crate::syntax::BinaryOperator;

/// An expression. A boolean is 0 or 1.
#[derive(Clone, Debug)]
pub enum Expression {
    Constant(i64),
    Scalar(usize),
    Element(usize, Box<Expression>),
    /// The index, in the first values of an array.
    Index,
    Negate(Box<Expression>),
    Not(Box<Expression>),
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
}

/// An array of a program.
#[derive(Clone, Debug)]
pub struct Array {
    /// The name in the trace.
    pub name: String,
    pub first: i64,
    pub last: Option<i64>,
    /// The first value of each element.
    pub initial: Expression,
    /// Whether anybody looks at its elements. If not they are not kept, so that an array without an
    /// end that is only written to, as `recvd` of the alternating bit protocol, costs no memory.
    pub is_read: bool,
}

/// The values of all variables of a program.
#[derive(Clone, Debug)]
pub struct Values {
    pub scalars: Vec<i64>,
    /// The elements of each array, from its first on; behind them are first values.
    pub elements: Vec<Vec<i64>>,
}

/// The reason why an expression has no value, or a value no place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    Overflow,
    DivisionByZero,
    OutOfRange {
        array: usize,
        index: i64,
    },
    /// An array without an end has been written to too far out.
    TooFar {
        array: usize,
        index: i64,
    },
    /// A channel without an end has too many items.
    Flooded {
        channel: usize,
    },
}

/// The number of elements that are kept of an array without an end.
pub const MOST_ELEMENTS: usize = 1 << 24;

type Valued = Result<i64, Trouble>;

impl Expression {
    /// The value, where `index` is the index of an element whose first value it is.
    pub fn value_at(&self, arrays: &[Array], values: &Values, index: i64) -> Valued {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Scalar(slot) => Ok(values.scalars[*slot]),
            Self::Index => Ok(index),
            Self::Element(array, at) => element(arrays, values, *array, at.value_at(arrays, values, index)?),
            Self::Negate(of) => of.value_at(arrays, values, index)?.checked_neg().ok_or(Trouble::Overflow),
            Self::Not(of) => Ok(1 - of.value_at(arrays, values, index)?),
            Self::Binary(operator, left, right) => {
                let left = left.value_at(arrays, values, index)?;
                match operator {
                    BinaryOperator::And if left == 0 => Ok(0),
                    BinaryOperator::Or if left == 1 => Ok(1),
                    _ => binary(*operator, left, right.value_at(arrays, values, index)?),
                }
            }
        }
    }

    /// The value outside of first values.
    pub fn value(&self, arrays: &[Array], values: &Values) -> Valued {
        self.value_at(arrays, values, 0)
    }
}

fn binary(operator: BinaryOperator, left: i64, right: i64) -> Valued {
    let checked = |value: Option<i64>| value.ok_or(Trouble::Overflow);
    let truth = |bit: bool| Ok(i64::from(bit));
    match operator {
        BinaryOperator::Or | BinaryOperator::And => Ok(right),
        BinaryOperator::Equal => truth(left == right),
        BinaryOperator::NotEqual => truth(left != right),
        BinaryOperator::Less => truth(left < right),
        BinaryOperator::LessOrEqual => truth(left <= right),
        BinaryOperator::Greater => truth(left > right),
        BinaryOperator::GreaterOrEqual => truth(left >= right),
        BinaryOperator::Add => checked(left.checked_add(right)),
        BinaryOperator::Subtract => checked(left.checked_sub(right)),
        BinaryOperator::Multiply => checked(left.checked_mul(right)),
        BinaryOperator::Divide | BinaryOperator::Remainder if right == 0 => Err(Trouble::DivisionByZero),
        BinaryOperator::Divide => checked(left.checked_div(right)),
        // The smallest integer by -1 leaves nothing, although the division itself overflows.
        BinaryOperator::Remainder => Ok(left.wrapping_rem(right)),
    }
}

/// The place of an element among those that are kept.
pub fn offset(arrays: &[Array], array: usize, index: i64) -> Result<u64, Trouble> {
    let Array { first, last, .. } = &arrays[array];
    match index < *first || last.is_some_and(|last| index > last) {
        true => Err(Trouble::OutOfRange { array, index }),
        false => Ok(index.abs_diff(*first)),
    }
}

fn element(arrays: &[Array], values: &Values, array: usize, index: i64) -> Valued {
    let offset = offset(arrays, array, index)?;
    let kept = usize::try_from(offset).ok().and_then(|offset| values.elements[array].get(offset));
    match kept {
        Some(value) => Ok(*value),
        None => arrays[array].initial.value_at(arrays, values, index),
    }
}

impl Values {
    /// Assigns to an element of an array.
    pub fn set_element(&mut self, arrays: &[Array], array: usize, index: i64, value: i64) -> Result<(), Trouble> {
        let offset = offset(arrays, array, index)?;
        if !arrays[array].is_read {
            return Ok(());
        }
        if offset >= MOST_ELEMENTS as u64 {
            return Err(Trouble::TooFar { array, index });
        }
        let offset = offset as usize;
        while self.elements[array].len() <= offset {
            let next = arrays[array].first + self.elements[array].len() as i64;
            let initial = arrays[array].initial.value_at(arrays, self, next)?;
            self.elements[array].push(initial);
        }
        self.elements[array][offset] = value;
        Ok(())
    }
}
