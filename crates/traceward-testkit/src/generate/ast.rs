//! Random trees as the parser makes them, of every kind, whether they mean anything or not.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use traceward_logic::ast::{
    Aggregate, Ast, AstKind, BinaryOperator, Bound, Combiner, Connective, Constant, Fold, Function, Junction, Map,
    UnaryOperator,
};
use traceward_logic::diagnostic::Span;
use traceward_logic::formula::{Interval, Unit};
use traceward_logic::query::FoldOrder;
use traceward_logic::value::{ArithmeticOp, CompareOp, Value};

/// Trees that some text is read as.
pub fn ast() -> impl Strategy<Value = Ast> {
    let leaf = prop_oneof![
        4 => name().prop_map(AstKind::Name),
        3 => value().prop_map(AstKind::Literal),
        1 => Just(AstKind::Position),
        1 => Just(AstKind::Time),
    ];
    leaf.prop_map(placed).prop_recursive(5, 32, 3, |inner| {
        let one = inner.clone().prop_map(Box::new).boxed();
        let two = (one.clone(), one.clone()).boxed();
        let parts = vec(inner, 2..4).boxed();
        prop_oneof![values(&one, &two), connectives(&one, &two, &parts), temporal(&one, &two), queries(&one, &two)]
            .prop_map(placed)
    })
}

type One = BoxedStrategy<Box<Ast>>;
type Two = BoxedStrategy<(Box<Ast>, Box<Ast>)>;

/// Trees compare without their places.
fn placed(kind: AstKind) -> Ast {
    Ast { kind, span: Span::default() }
}

fn values(one: &One, two: &Two) -> impl Strategy<Value = AstKind> + use<> {
    let compare = select(vec![
        CompareOp::Equal,
        CompareOp::NotEqual,
        CompareOp::Less,
        CompareOp::LessOrEqual,
        CompareOp::Greater,
        CompareOp::GreaterOrEqual,
    ]);
    let functions = (select(Function::ALL.to_vec()), two.clone()).prop_map(|(function, (a, b))| {
        let arguments = if function.arity() == 1 { vec![*a] } else { vec![*a, *b] };
        AstKind::Call(function, arguments)
    });
    prop_oneof![
        one.clone().prop_map(AstKind::Negate),
        (arithmetic(), two.clone()).prop_map(|(op, (a, b))| AstKind::Arithmetic(op, a, b)),
        (compare, two.clone()).prop_map(|(op, (a, b))| AstKind::Compare(op, a, b)),
        (one.clone(), vec(value(), 1..4)).prop_map(|(a, values)| AstKind::In(a, values)),
        functions,
        (one.clone(), prop_oneof![1_u32..4, 1_u32..=1_000_000]).prop_map(|(a, steps)| AstKind::Past(a, steps)),
        two.clone().prop_map(|(a, b)| AstKind::Pair(a, b)),
    ]
}

fn connectives(one: &One, two: &Two, parts: &BoxedStrategy<Vec<Ast>>) -> impl Strategy<Value = AstKind> + use<> {
    let connective = select(vec![Connective::Xor, Connective::Implies, Connective::Iff]);
    let junction = select(vec![Junction::And, Junction::Or]);
    prop_oneof![
        (option::weighted(0.3, value()), one.clone()).prop_map(|(constant, a)| AstKind::Not(constant, a)),
        parts.clone().prop_map(AstKind::And),
        parts.clone().prop_map(AstKind::Or),
        (connective, two.clone()).prop_map(|(op, (a, b))| AstKind::Connect(op, a, b)),
        (junction, combiner(one), two.clone()).prop_map(|(junction, g, (a, b))| AstKind::Combine(junction, g, a, b)),
    ]
}

fn combiner(one: &One) -> impl Strategy<Value = Combiner> + use<> {
    let divides = |op: &ArithmeticOp| *op != ArithmeticOp::Remainder;
    prop_oneof![
        arithmetic().prop_filter("a combiner has no remainder", divides).prop_map(Combiner::Arithmetic),
        select(vec![Combiner::Min, Combiner::Max, Combiner::First, Combiner::Second, Combiner::Pair]),
        (name(), name(), one.clone()).prop_map(|(a, b, body)| Combiner::Function([a, b], body)),
    ]
}

fn temporal(one: &One, two: &Two) -> impl Strategy<Value = AstKind> + use<> {
    use BinaryOperator::{Release, Since, StrongRelease, Trigger, Until, WeakSince, WeakUntil};
    use UnaryOperator::{Always, Eventually, Historically, Next, Once, Previous, WeakNext, WeakPrevious};
    let unary = select(vec![Next, WeakNext, Eventually, Always, Previous, WeakPrevious, Once, Historically]);
    let binary = select(vec![Until, WeakUntil, Release, StrongRelease, Since, WeakSince, Trigger]);
    let map = (name(), one.clone()).prop_map(|(parameter, body)| Map { parameter, body }).boxed();
    prop_oneof![
        (unary, option::of(bound()), one.clone()).prop_map(|(op, bound, a)| AstKind::Unary(
            op,
            bound.filter(|_| op.takes_bound()),
            None,
            a
        )),
        (binary, option::of(bound()), two.clone()).prop_map(|(op, bound, (a, b))| AstKind::Binary(
            op,
            bound.filter(|_| op.takes_bound()),
            None,
            a,
            b
        )),
        (select(vec![Next, Eventually]), map.clone(), one.clone()).prop_map(|(op, map, a)| AstKind::Unary(
            op,
            None,
            Some(map),
            a
        )),
        (map, two.clone()).prop_map(|(map, (a, b))| AstKind::Binary(Until, None, Some(map), a, b)),
        // What looks most like a bound and is none.
        (option::of(bound()), option::of(one.clone()), any::<bool>(), 0_i64..9, 0_i64..9).prop_map(
            |(bound, a, minus, from, to)| {
                let number = |number| Box::new(placed(AstKind::Literal(Value::Int(number))));
                let pair = Box::new(placed(AstKind::Pair(number(from), number(to))));
                let operand = match (a, minus) {
                    (Some(a), true) => Box::new(placed(AstKind::Arithmetic(ArithmeticOp::Subtract, pair, a))),
                    (Some(a), false) => Box::new(placed(AstKind::Compare(CompareOp::Equal, pair, a))),
                    (None, _) => pair,
                };
                AstKind::Unary(Eventually, bound, None, operand)
            }
        ),
    ]
}

fn queries(one: &One, two: &Two) -> impl Strategy<Value = AstKind> + use<> {
    let of_one = prop_oneof![
        select(vec![
            Aggregate::Count,
            Aggregate::Sum,
            Aggregate::Min,
            Aggregate::Max,
            Aggregate::Avg,
            Aggregate::First,
            Aggregate::Last,
            Aggregate::Stddev,
            Aggregate::Mode,
            Aggregate::Distinct,
            Aggregate::Median,
        ]),
        (0.0..=1.0_f64).prop_map(Aggregate::Quantile),
        option::of(1_u32..=10_000).prop_map(Aggregate::Histogram),
    ];
    let condition = || option::of(one.clone());
    prop_oneof![
        two.clone().prop_map(|(a, b)| AstKind::Guard(a, b)),
        (one.clone(), value()).prop_map(|(a, constant)| AstKind::Default(a, constant)),
        (of_one, one.clone(), condition()).prop_map(|(aggregate, a, condition)| AstKind::Aggregate(
            aggregate,
            vec![*a],
            condition
        )),
        (two.clone(), condition()).prop_map(|((a, b), condition)| AstKind::Aggregate(
            Aggregate::Corr,
            vec![*a, *b],
            condition
        )),
        (folding(), two.clone(), condition()).prop_map(|(fold, (body, query), condition)| {
            let condition = condition.map(|condition| *condition);
            AstKind::Fold(Box::new(Fold { body: *body, query: *query, condition, ..fold }))
        }),
        two.clone().prop_map(|(request, grant)| AstKind::Latency(request, grant)),
    ]
}

/// A fold that lacks its parts.
fn folding() -> impl Strategy<Value = Fold> {
    let order = select(vec![FoldOrder::Backward, FoldOrder::Forward]);
    (value(), name(), name(), order).prop_map(|(start, accumulator, value, order)| Fold {
        start: Constant { value: start, span: Span::default() },
        parameters: [accumulator, value],
        body: placed(AstKind::Position),
        query: placed(AstKind::Position),
        order,
        condition: None,
    })
}

fn arithmetic() -> impl Strategy<Value = ArithmeticOp> {
    use ArithmeticOp::{Add, Divide, Multiply, Remainder, Subtract};
    select(vec![Add, Subtract, Multiply, Divide, Remainder])
}

/// Constants a spec can write: no missing value, no infinity.
pub fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![-9_i64..10, any::<i64>(), select(vec![i64::MIN, i64::MAX, 0])].prop_map(Value::Int),
        float().prop_map(Value::Float),
        text().prop_map(|text| Value::Str(text.into())),
    ]
}

fn float() -> impl Strategy<Value = f64> {
    let special = select(vec![0.0, -0.0, 1.0, -2.5, 1e300, 1e-300, f64::MAX, f64::MIN_POSITIVE, 1e16]);
    prop_oneof![special, proptest::num::f64::NORMAL, proptest::num::f64::SUBNORMAL]
}

fn text() -> impl Strategy<Value = String> {
    let special =
        ["", "\"", "\\", "\\n", "\n", "\r\n", "\t", "'", "\0", "é", "e\u{301}", "\u{feff}", "`", "// x", "\\d+"];
    prop_oneof![select(special.map(str::to_owned).to_vec()), any::<String>(), "[a-z ]{0,6}"]
}

/// Names plain and dotted, words of the language, and names that need backquotes.
pub fn name() -> impl Strategy<Value = Arc<str>> {
    let plain = [
        "a",
        "b",
        "x_1",
        "größe",
        "event.state.term",
        "q.0",
        "count",
        "min",
        "latency",
        "fold",
        "forward",
        "first",
        "past",
        "delta",
        "e1",
    ];
    let words = ["U", "pos", "time", "let", "property", "trace", "true", "inf", "while", "in", "xor", "X", "until"];
    let strange =
        ["Activity name", "q[0]", "a#b", "a//b", "5x", " ", "a\\b", "\"", "a-b", ".", "a.", "(", "⊙", "a\u{a0}"];
    prop_oneof![
        4 => select(plain.to_vec()).prop_map(Arc::from),
        1 => select(words.to_vec()).prop_map(Arc::from),
        1 => select(strange.to_vec()).prop_map(Arc::from),
        1 => "[^`\n]{1,6}".prop_map(Arc::from),
    ]
}

/// Bounds in steps and in time.
fn bound() -> impl Strategy<Value = Bound> {
    const UNITS: [u64; 8] =
        [1, 1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000, 3_600_000_000_000, 86_400_000_000_000];
    let end = || prop_oneof![0_u64..10, 0_u64..5_000, Just(i64::MAX as u64)];
    let ends = (end(), option::weighted(0.8, end()), select(UNITS.to_vec()));
    (select(vec![Unit::Steps, Unit::Time]), ends).prop_map(|(unit, (one, other, scale))| {
        let scale = if unit == Unit::Time { scale } else { 1 };
        let scaled = |amount: u64| amount.saturating_mul(scale).min(i64::MAX as u64);
        let (from, to) = match other {
            Some(other) => (one.min(other), Some(one.max(other))),
            None => (one, None),
        };
        Bound {
            interval: Interval { unit, from: scaled(from), to: to.map(scaled) },
            span: Span::default(),
            dialect: None,
        }
    })
}
