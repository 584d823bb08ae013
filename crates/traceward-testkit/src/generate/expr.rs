//! Random state expressions over columns of every type, and traces of such columns.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::{Expr, Pattern};
use traceward_logic::lower::{Schema, Type};
use traceward_logic::trace::{Column, ColumnData, TextData, Trace, VariableId};
use traceward_logic::value::{ArithmeticOp, CompareOp, Value};

/// The names of the columns: two booleans, two of integers, two of floats, two of strings.
pub const COLUMNS: [&str; 8] = ["b", "event.c", "i", "U", "x", "a b", "s", "t"];

const TEXTS: [&str; 7] = ["", "a", "ab", "b", "\"a\\", "é", "10"];
const BIG: i64 = 1 << 53;

/// What a spec is told of the columns.
pub fn schema() -> Schema {
    let types =
        [Type::Bool, Type::Bool, Type::Number, Type::Number, Type::Number, Type::Number, Type::Text, Type::Text];
    Schema {
        types: COLUMNS.iter().map(|name| Arc::from(*name)).zip(types.map(Some)).collect(),
        names: COLUMNS.map(str::to_owned).to_vec(),
        has_time: true,
        names_known: true,
    }
}

/// The names of the columns as formulas are printed with.
pub fn names() -> Vec<Arc<str>> {
    COLUMNS.map(Arc::from).to_vec()
}

/// Traces of the columns, each with or without missing values, with timestamps.
pub fn trace() -> impl Strategy<Value = Trace> {
    prop_oneof![0_usize..10, 60_usize..70, 126_usize..131].prop_flat_map(|len| {
        let booleans = || vec(any::<bool>(), len).prop_map(|bits| ColumnData::Bool(bits.into_iter().collect()));
        let ints = || vec(int(), len).prop_map(ColumnData::Int);
        let floats = || vec(float(), len).prop_map(ColumnData::Float);
        let texts = || vec(select(TEXTS.to_vec()), len);
        let numbers = (column(len, booleans()), column(len, ints()), column(len, floats()));
        let others = (column(len, booleans()), column(len, ints()), column(len, floats()));
        let texts = (text_column(len, texts()), text_column(len, texts()));
        let steps = vec(0_i64..5, len);
        (numbers, others, texts, steps).prop_map(move |((b, i, x), (c, j, y), (s, t), steps)| {
            let clock = steps.iter().scan(0, |now, step| {
                *now += step;
                Some(*now)
            });
            Trace { len, columns: vec![b, c, i, j, x, y, s, t], time: Some(clock.collect()) }
        })
    })
}

fn present(len: usize) -> impl Strategy<Value = Option<Bitmap>> {
    let some =
        |likely: f64| vec(proptest::bool::weighted(likely), len).prop_map(|bits| Some(bits.into_iter().collect()));
    prop_oneof![2 => Just(None), 2 => some(0.7), 1 => some(0.0)]
}

/// What stands where a value is missing is arbitrary: a NaN, for instance.
fn column(len: usize, data: impl Strategy<Value = ColumnData>) -> impl Strategy<Value = Column> {
    (data, present(len)).prop_map(|(mut data, present)| {
        if let (ColumnData::Float(numbers), Some(present)) = (&mut data, &present) {
            let missing = numbers.iter_mut().enumerate().filter(|(position, _)| !present.get(*position));
            missing.for_each(|(_, number)| *number = f64::NAN);
        }
        Column { data, present }
    })
}

fn text_column(len: usize, texts: impl Strategy<Value = Vec<&'static str>>) -> impl Strategy<Value = Column> {
    (texts, present(len)).prop_map(|(texts, present)| {
        let mut dictionary: Vec<Arc<str>> = Vec::new();
        let code = |(position, text): (usize, &&'static str)| {
            if present.as_ref().is_some_and(|present| !present.get(position)) {
                return 0;
            }
            dictionary.iter().position(|known| **known == **text).unwrap_or_else(|| {
                dictionary.push((*text).into());
                dictionary.len() - 1
            }) as u32
        };
        let codes = texts.iter().enumerate().map(code).collect();
        Column { data: ColumnData::Text(TextData { codes, dictionary: dictionary.into() }), present }
    })
}

fn int() -> impl Strategy<Value = i64> {
    prop_oneof![3 => -3_i64..12, 1 => select(vec![BIG, BIG + 1, BIG - 1, -BIG - 1, i64::MAX, i64::MIN])]
}

fn float() -> impl Strategy<Value = f64> {
    let special =
        vec![BIG as f64, -(BIG as f64), 9_223_372_036_854_775_808.0, -9_223_372_036_854_775_808.0, 1e300, -0.0];
    prop_oneof![2 => (-6_i32..24).prop_map(|half| f64::from(half) / 2.0), 1 => select(special)]
}

fn variable(columns: std::ops::Range<u32>) -> impl Strategy<Value = Expr> {
    columns.prop_map(|column| Expr::Variable(VariableId(column)))
}

/// An expression some states earlier, as lowering makes it of `past(e, n)`.
fn past((expr, steps): (Expr, u32)) -> Expr {
    match expr {
        Expr::Past(inner, inner_steps) => Expr::Past(inner, inner_steps + steps),
        expr => Expr::Past(Box::new(expr), steps),
    }
}

/// Numbers of states to look back: most often few, and some around the length of a word.
fn steps() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 1_u32..4, 1 => select(vec![8, 9, 63, 64, 65, 1000])]
}

/// A variable, or its value some states earlier.
fn at_some_state(columns: std::ops::Range<u32>) -> impl Strategy<Value = Expr> {
    prop_oneof![variable(columns.clone()), (variable(columns), steps()).prop_map(past)]
}

fn number_literal() -> impl Strategy<Value = Expr> {
    prop_oneof![int().prop_map(Value::Int), float().prop_map(Value::Float)].prop_map(Expr::Literal)
}

fn text_literal() -> impl Strategy<Value = Expr> {
    select(TEXTS.to_vec()).prop_map(|text| Expr::Literal(Value::str(text)))
}

fn boxed<T: Strategy<Value = Expr> + 'static>(strategy: T) -> BoxedStrategy<Box<Expr>> {
    strategy.prop_map(Box::new).boxed()
}

/// Numbers: variables, constants, arithmetic and functions.
pub fn number() -> impl Strategy<Value = Expr> {
    use ArithmeticOp::{Add, Divide, Multiply, Remainder, Subtract};
    let leaf = prop_oneof![
        4 => variable(2..6),
        1 => (variable(2..6), steps()).prop_map(past),
        3 => number_literal(),
        1 => Just(Expr::Position),
        1 => Just(Expr::Time),
        1 => boxed(text()).prop_map(Expr::Len),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let earlier = (inner.clone(), steps()).prop_map(past);
        let one = boxed(inner);
        let two = (one.clone(), one.clone());
        prop_oneof![
            (select(vec![Add, Subtract, Multiply, Divide, Remainder]), two.clone())
                .prop_map(|(op, (a, b))| Expr::Arithmetic(op, a, b)),
            one.clone().prop_map(Expr::Negate),
            one.prop_map(Expr::Abs),
            earlier,
            two.clone().prop_map(|(a, b)| Expr::Min(a, b)),
            two.prop_map(|(a, b)| Expr::Max(a, b)),
        ]
    })
}

fn text() -> impl Strategy<Value = Expr> {
    let two = || (boxed(variable(6..8)), boxed(text_literal()));
    prop_oneof![
        4 => variable(6..8),
        1 => (variable(6..8), steps()).prop_map(past),
        1 => text_literal(),
        1 => two().prop_map(|(a, b)| Expr::Min(a, b)),
        1 => two().prop_map(|(a, b)| Expr::Max(a, b)),
    ]
}

fn comparison() -> impl Strategy<Value = CompareOp> {
    use CompareOp::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    select(vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual])
}

/// Boolean expressions without connectives: what atoms are split into.
pub fn atom() -> impl Strategy<Value = Expr> {
    let compare = |(op, a, b)| Expr::Compare(op, a, b);
    let numbers = || vec(prop_oneof![int().prop_map(Value::Int), float().prop_map(Value::Float)], 1..4);
    let texts = vec(select(TEXTS.to_vec()).prop_map(Value::str), 1..4);
    let pattern = select(vec!["a", "^a", "b$", "^$", "[0-9]", r"\\", "é"])
        .prop_map(|text| Pattern(regex::Regex::new(text).expect("a regular expression")));
    let equality = select(vec![CompareOp::Equal, CompareOp::NotEqual]);
    let pair = || (boxed(number()), boxed(text())).prop_map(|(a, b)| Expr::Pair(a, b));
    prop_oneof![
        2 => variable(0..2),
        1 => (variable(0..2), steps()).prop_map(past),
        3 => (comparison(), boxed(at_some_state(2..6)), boxed(at_some_state(2..6))).prop_map(compare),
        2 => (comparison(), boxed(at_some_state(2..6)), boxed(number_literal())).prop_map(compare),
        1 => (equality.clone(), boxed(at_some_state(0..2)), boxed(at_some_state(0..2))).prop_map(compare),
        1 => boxed(at_some_state(0..8)).prop_map(Expr::Defined),
        1 => (equality.clone(), boxed(at_some_state(0..2)), any::<bool>()).prop_map(|(op, a, bit)| {
            // It may hold where there is no earlier state.
            Expr::Compare(op, Box::new(Expr::Not(a)), Box::new(Expr::literal(bit)))
        }),
        6 => (comparison(), boxed(variable(2..6)), boxed(number_literal())).prop_map(compare),
        3 => (comparison(), boxed(variable(6..8)), boxed(text_literal())).prop_map(compare),
        2 => (comparison(), boxed(number()), boxed(number())).prop_map(compare),
        1 => (comparison(), boxed(text()), boxed(text())).prop_map(compare),
        1 => (equality, boxed(variable(0..2)), boxed(any::<bool>().prop_map(Expr::literal))).prop_map(compare),
        1 => (comparison(), boxed(pair()), boxed(pair())).prop_map(compare),
        1 => (boxed(number()), numbers()).prop_map(|(a, values)| Expr::In(a, values)),
        2 => (boxed(variable(2..6)), numbers()).prop_map(|(a, values)| Expr::In(a, values)),
        2 => (boxed(text()), texts).prop_map(|(a, values)| Expr::In(a, values)),
        2 => (boxed(text()), pattern).prop_map(|(a, pattern)| Expr::Matches(a, pattern)),
        2 => boxed(variable(0..8)).prop_map(Expr::Defined),
        1 => boxed(number()).prop_map(Expr::Defined),
    ]
}

/// Boolean expressions with connectives.
pub fn boolean() -> impl Strategy<Value = Expr> {
    atom().prop_recursive(3, 8, 3, |inner| {
        let one = boxed(inner.clone());
        let two = (one.clone(), one.clone());
        let parts = || vec(inner.clone(), 2..4);
        let compare = |((a, b), bit)| Expr::Compare(if bit { CompareOp::Equal } else { CompareOp::NotEqual }, a, b);
        prop_oneof![
            (inner.clone(), steps()).prop_map(past),
            (two.clone(), any::<bool>()).prop_map(compare),
            one.prop_map(Expr::Not),
            parts().prop_map(Expr::And),
            parts().prop_map(Expr::Or),
            two.clone().prop_map(|(a, b)| Expr::Xor(a, b)),
            two.clone().prop_map(|(a, b)| Expr::Implies(a, b)),
            two.prop_map(|(a, b)| Expr::Iff(a, b)),
        ]
    })
}
