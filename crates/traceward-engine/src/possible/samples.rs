//! Values to try for a variable.
//!
//! Among the constants that a variable is compared with there are gaps. Of each gap as many values
//! are tried as variables may lie in it at once, or all that it has. So whatever is not met this
//! way cannot be, and that has to be exact: all is done in the numbers that a trace can have, the
//! 64-bit integers and the floats together, and nothing is rounded.

use std::cmp::Ordering;
use traceward_logic::expr::Expr;
use traceward_logic::lower::Expected;
use traceward_logic::trace::VariableId;
use traceward_logic::value::{Value, ValueType};

/// The values that a variable may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Domain {
    Booleans,
    /// Numbers that are 0 or 1.
    Bits,
    Numbers,
    Strings,
}

impl Domain {
    /// The domain that a spec expects.
    fn expected(expected: Expected) -> Option<Self> {
        match expected {
            Expected::Bit => Some(Self::Bits),
            Expected::Type(ValueType::Boolean) => Some(Self::Booleans),
            Expected::Type(ValueType::Number) => Some(Self::Numbers),
            Expected::Type(ValueType::String) => Some(Self::Strings),
            Expected::Open(_) | Expected::OpenOrdered(_) | Expected::Presence => None,
        }
    }

    /// The domain of a class of variables, by how atoms use them.
    fn used(class: &[VariableId], exprs: &[&Expr]) -> Self {
        let uses: Vec<ValueType> = exprs.iter().flat_map(|expr| uses(expr, class)).collect();
        let is_used_as = |ty| uses.contains(&ty);
        match (is_used_as(ValueType::Boolean), is_used_as(ValueType::Number), is_used_as(ValueType::String)) {
            (_, _, true) => Self::Strings,
            (true, true, _) => Self::Bits,
            (true, false, _) => Self::Booleans,
            // Where nothing tells the type, numbers will do as well as others.
            (false, _, _) => Self::Numbers,
        }
    }
}

/// Values to try for a variable of a group, the ones that are nicest to look at first.
pub(super) fn samples(
    variable: VariableId,
    expected: Option<Expected>,
    exprs: &[&Expr],
    variables: usize,
) -> Vec<Value> {
    let mut constants = Vec::new();
    exprs.iter().for_each(|expr| collect_constants(expr, &mut constants));
    let domain = expected.and_then(Domain::expected);
    let domain = domain.unwrap_or_else(|| Domain::used(&compared_with(variable, exprs), exprs));
    let mut values = match domain {
        Domain::Booleans => vec![Value::Bool(false), Value::Bool(true)],
        Domain::Bits => vec![Value::Int(0), Value::Int(1)],
        Domain::Strings => strings(&constants, variables),
        Domain::Numbers => numbers(&constants, variables),
    };
    // A missing boolean behaves like false, unless an atom asks whether it is missing or compares
    // it.
    let stands_alone = exprs.iter().all(|expr| matches!(expr, Expr::Variable(_)) || !mentions(expr, &[variable]));
    if domain != Domain::Booleans || !stands_alone {
        values.push(Value::Missing);
    }
    values
}

/// The variables that a variable is compared with, itself among them, and those that these are
/// compared with: they share one type.
fn compared_with(variable: VariableId, exprs: &[&Expr]) -> Vec<VariableId> {
    let mut class = vec![variable];
    let mut known = 0;
    while known < class.len() {
        known = class.len();
        exprs.iter().for_each(|expr| join_compared(expr, &mut class));
    }
    class
}

fn join_compared(expr: &Expr, class: &mut Vec<VariableId>) {
    if let Expr::Compare(_, left, right) = expr
        && let (Expr::Variable(left), Expr::Variable(right)) = (&**left, &**right)
        && class.contains(left) != class.contains(right)
    {
        class.push(if class.contains(left) { *right } else { *left });
    }
    expr.parts().into_iter().for_each(|part| join_compared(part, class));
}

/// The types that the uses of a class in a boolean expression tell.
fn uses(expr: &Expr, class: &[VariableId]) -> Vec<ValueType> {
    let is_of_class = |expr: &Expr| matches!(expr, Expr::Variable(one) if class.contains(one));
    let of_values = |values: &[Value]| values.iter().filter_map(type_of).collect::<Vec<ValueType>>();
    match expr {
        Expr::Variable(one) if class.contains(one) => vec![ValueType::Boolean],
        Expr::Compare(_, left, right) => match (&**left, &**right) {
            (Expr::Literal(value), side) | (side, Expr::Literal(value)) if is_of_class(side) => {
                type_of(value).into_iter().collect()
            }
            (Expr::Variable(_), Expr::Variable(_)) => Vec::new(),
            (left, right) => [computed(left, class), computed(right, class)].concat(),
        },
        Expr::In(operand, values) if is_of_class(operand) => of_values(values),
        Expr::Matches(operand, _) if mentions(operand, class) => vec![ValueType::String],
        Expr::Defined(operand) if is_of_class(operand) => Vec::new(),
        other => other.parts().into_iter().flat_map(|part| computed(part, class)).collect(),
    }
}

/// The types that the uses of a class tell in an expression that computes something.
fn computed(expr: &Expr, class: &[VariableId]) -> Vec<ValueType> {
    match expr {
        Expr::Len(operand) if mentions(operand, class) => vec![ValueType::String],
        // What stands in arithmetic is a number; in a pair nothing is known of it.
        Expr::Pair(..) | Expr::Len(_) | Expr::Variable(_) => Vec::new(),
        other if mentions(other, class) => vec![ValueType::Number],
        _ => Vec::new(),
    }
}

fn mentions(expr: &Expr, class: &[VariableId]) -> bool {
    let mut found = false;
    expr.for_each_variable(&mut |variable| found |= class.contains(&variable));
    found
}

fn type_of(value: &Value) -> Option<ValueType> {
    match value {
        Value::Bool(_) => Some(ValueType::Boolean),
        Value::Int(_) | Value::Float(_) => Some(ValueType::Number),
        Value::Str(_) => Some(ValueType::String),
        _ => None,
    }
}

fn collect_constants(expr: &Expr, constants: &mut Vec<Value>) {
    match expr {
        Expr::Literal(value) => constants.push(value.clone()),
        Expr::In(_, values) => constants.extend(values.iter().cloned()),
        _ => {}
    }
    expr.parts().into_iter().for_each(|part| collect_constants(part, constants));
}

/// Strings to try: the constants, some others, and in the order of bytes one before the first
/// constant and one behind each.
fn strings(constants: &[Value], variables: usize) -> Vec<Value> {
    let mut known: Vec<&str> =
        constants.iter().filter_map(|value| if let Value::Str(text) = value { Some(&**text) } else { None }).collect();
    known.sort_unstable();
    known.dedup();
    let others = ["other", "another", "different", "more"].into_iter().filter(|one| !known.contains(one));
    let mut all: Vec<String> = known.iter().copied().chain(others.take(variables)).map(str::to_owned).collect();
    for (place, text) in known.iter().enumerate() {
        let next = known.get(place + 1);
        // The second of them is the very next string there is.
        let behind = [format!("{text}a"), format!("{text}\0")].into_iter();
        all.extend(behind.filter(|one| next.is_none_or(|next| one.as_str() < *next)).take(1));
    }
    all.push(String::new());
    all.iter().map(|text| Value::str(text)).collect()
}

/// Numbers to try: the constants, and of what lies between, below and above them as many different
/// numbers as there are variables, or all there are.
fn numbers(constants: &[Value], variables: usize) -> Vec<Value> {
    let mut known: Vec<Value> =
        constants.iter().filter(|value| type_of(value) == Some(ValueType::Number)).cloned().collect();
    known.sort_by(order);
    known.dedup_by(|one, other| order(one, other).is_eq());
    if known.is_empty() {
        known.push(Value::Int(0));
    }
    let ends = std::iter::once(None).chain(known.iter().map(Some)).chain(std::iter::once(None));
    let ends: Vec<Option<&Value>> = ends.collect();
    // The numbers above all constants look nicest.
    let gaps = ends.windows(2).rev().flat_map(|ends| Gap { low: ends[0], high: ends[1] }.some(variables));
    known.iter().cloned().chain(gaps).collect()
}

/// The numbers between two others, which do not belong to it.
struct Gap<'a> {
    low: Option<&'a Value>,
    high: Option<&'a Value>,
}

impl Gap<'_> {
    fn contains(&self, number: &Value) -> bool {
        self.low.is_none_or(|low| order(low, number).is_lt())
            && self.high.is_none_or(|high| order(number, high).is_lt())
    }

    /// As many different numbers of the gap as are asked for, or all it has: whole ones, or evenly
    /// spread ones, or the very next ones.
    fn some(&self, count: usize) -> Vec<Value> {
        let kinds = [self.whole(count), self.spread(count)];
        let suits = |numbers: &Vec<Value>| {
            numbers.len() == count
                && numbers.iter().all(|number| self.contains(number))
                && numbers.windows(2).all(|pair| order(&pair[0], &pair[1]).is_lt())
        };
        kinds.into_iter().find(suits).unwrap_or_else(|| self.nearest(count))
    }

    fn whole(&self, count: usize) -> Vec<Value> {
        let from_low =
            |low: &Value| (0..count as i64).map_while(move |step| int_above(low)?.checked_add(step)).collect();
        let to_high = |high: &Value| -> Vec<i64> {
            let down = (0..count as i64).map_while(|step| int_below(high)?.checked_sub(step));
            let mut down: Vec<i64> = down.collect();
            down.reverse();
            down
        };
        let integers: Vec<i64> = match (self.low, self.high) {
            (Some(low), _) => from_low(low),
            (None, Some(high)) => to_high(high),
            (None, None) => Vec::new(),
        };
        integers.into_iter().map(Value::Int).collect()
    }

    fn spread(&self, count: usize) -> Vec<Value> {
        let ends = self.low.and_then(Value::as_f64).zip(self.high.and_then(Value::as_f64));
        let Some((low, high)) = ends else { return Vec::new() };
        let share = |step: usize| step as f64 / (count + 1) as f64;
        (1..=count).map(|step| Value::float(low + (high - low) * share(step))).collect()
    }

    /// The numbers that follow the lower end one by one, or come before the upper one.
    fn nearest(&self, count: usize) -> Vec<Value> {
        let (start, next): (_, fn(&Value) -> Option<Value>) = match (self.low, self.high) {
            (Some(low), _) => (low, above),
            (None, Some(high)) => (high, below),
            (None, None) => return Vec::new(),
        };
        let numbers = std::iter::successors(next(start), next);
        numbers.take(count).take_while(|number| self.contains(number)).collect()
    }
}

/// The exact order of two numbers.
fn order(left: &Value, right: &Value) -> Ordering {
    left.compare(right).unwrap_or(Ordering::Equal)
}

/// The least number of a trace that is above another.
fn above(number: &Value) -> Option<Value> {
    let int = int_above(number).map(Value::Int);
    let float = float_next_to(number, Ordering::Greater, f64::next_up).map(Value::float);
    int.into_iter().chain(float).min_by(order)
}

/// The greatest number of a trace that is below another.
fn below(number: &Value) -> Option<Value> {
    let int = int_below(number).map(Value::Int);
    let float = float_next_to(number, Ordering::Less, f64::next_down).map(Value::float);
    int.into_iter().chain(float).max_by(order)
}

/// The least integer above a number.
fn int_above(number: &Value) -> Option<i64> {
    match *number {
        Value::Int(int) => int.checked_add(1),
        Value::Float(float) if order(number, &Value::Int(i64::MIN)).is_lt() => (!float.is_nan()).then_some(i64::MIN),
        // In this range the conversion of a whole float is exact.
        Value::Float(float) if order(number, &Value::Int(i64::MAX)).is_lt() => (float.floor() as i64).checked_add(1),
        _ => None,
    }
}

/// The greatest integer below a number.
fn int_below(number: &Value) -> Option<i64> {
    match *number {
        Value::Int(int) => int.checked_sub(1),
        Value::Float(float) if order(number, &Value::Int(i64::MAX)).is_gt() => (!float.is_nan()).then_some(i64::MAX),
        Value::Float(float) if order(number, &Value::Int(i64::MIN)).is_gt() => (float.ceil() as i64).checked_sub(1),
        _ => None,
    }
}

/// The float next to a number on one side of it.
fn float_next_to(number: &Value, side: Ordering, next: fn(f64) -> f64) -> Option<f64> {
    let nearest = number.as_f64()?;
    let lies_beyond = |float: &f64| order(&Value::float(*float), number) == side;
    // An integer may have been rounded to that side already. Infinity has nothing beyond it.
    [nearest, next(nearest)].into_iter().find(lies_beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at which types, signs and precision change.
    fn corners() -> Vec<Value> {
        let two_to_53 = 1_i64 << 53;
        let ints =
            [0, 1, -1, two_to_53 - 1, two_to_53, two_to_53 + 1, -two_to_53 - 1, i64::MAX - 1, i64::MAX, i64::MIN];
        let floats = [
            0.5,
            -0.0,
            f64::from_bits(1),
            f64::MIN_POSITIVE,
            1e15,
            9_007_199_254_740_992.0,
            9_223_372_036_854_775_808.0,
            -9_223_372_036_854_775_808.0,
            1e308,
            f64::MAX,
            f64::MIN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ];
        ints.into_iter().map(Value::Int).chain(floats.map(Value::float)).collect()
    }

    #[test]
    fn neighbours_have_nothing_between_them() {
        for number in corners() {
            for (next, side) in [(above(&number), Ordering::Greater), (below(&number), Ordering::Less)] {
                let Some(next) = next else {
                    assert!(number.as_f64().is_some_and(f64::is_infinite), "{number} has neighbours");
                    continue;
                };
                assert_eq!(order(&next, &number), side, "{next} beside {number}");
                let back = if side == Ordering::Greater { below(&next) } else { above(&next) };
                assert!(order(&back.expect("it came from there"), &number).is_eq(), "{next} beside {number}");
            }
        }
    }

    #[test]
    fn gaps_are_sampled_as_far_as_they_go() {
        for low in corners() {
            for high in corners().iter().filter(|high| order(&low, high).is_lt()) {
                let gap = Gap { low: Some(&low), high: Some(high) };
                let some = gap.some(3);
                assert!(some.iter().all(|number| gap.contains(number)), "{low} to {high}: {some:?}");
                assert!(some.windows(2).all(|pair| order(&pair[0], &pair[1]).is_lt()), "{low} to {high}: {some:?}");
                // Fewer than three only where there are no more.
                let all: Vec<Value> = std::iter::successors(above(&low), above).take(3).collect();
                let there = all.iter().filter(|number| gap.contains(number)).count();
                assert_eq!(some.len(), there, "{low} to {high}: {some:?}");
            }
        }
    }
}
