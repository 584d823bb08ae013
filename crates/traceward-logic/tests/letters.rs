//! Letters, computed by whole columns, against expressions evaluated state by state.

use proptest::prelude::*;
use traceward_logic::expr::{Expr, Memory, RowState, StateAt};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letters, check_expressions, letters};
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::trace::{Column, ColumnData, Trace, VariableId};
use traceward_logic::value::ArithmeticError::{self, DivisionByZero, Overflow};
use traceward_logic::value::{ArithmeticOp, CompareOp, Value};
use traceward_testkit::{generate, lowered};

const COMPARISONS: [CompareOp; 6] = [
    CompareOp::Equal,
    CompareOp::NotEqual,
    CompareOp::Less,
    CompareOp::LessOrEqual,
    CompareOp::Greater,
    CompareOp::GreaterOrEqual,
];

fn letters_of(exprs: &[Expr], trace: &Trace) -> Letters {
    let mut formulas = Formulas::new();
    let roots: Vec<FormulaId> = exprs.iter().map(|expr| formulas.intern_atom(expr.clone())).collect();
    let alphabet = Alphabet::of(&formulas, &roots);
    letters(&formulas, &alphabet, trace)
}

/// Bit by bit; an expression that fails counts as false.
fn by_state(expr: &Expr, trace: &Trace) -> String {
    let bit = |position| if expr.holds(&StateAt { trace, position }).unwrap_or(false) { '1' } else { '0' };
    (0..trace.len).map(bit).collect()
}

/// Numbers that are computed from columns, constants, `pos` and `time`, now or some states ago.
fn number() -> impl Strategy<Value = Expr> {
    let column = prop_oneof![Just(2), Just(3), Just(4), Just(5)].prop_map(|index| Expr::Variable(VariableId(index)));
    let constant = prop_oneof![
        (-3_i64..4).prop_map(Value::Int),
        Just(Value::Int(i64::MAX)),
        Just(Value::Float(0.5)),
        Just(Value::Float(0.0)),
        Just(Value::Float(f64::INFINITY)),
    ];
    let leaf = prop_oneof![6 => column, 3 => constant.prop_map(Expr::Literal), 1 => Just(Expr::Position), 1 => Just(Expr::Time)];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let ops = prop::sample::select(vec![
            ArithmeticOp::Add,
            ArithmeticOp::Subtract,
            ArithmeticOp::Multiply,
            ArithmeticOp::Divide,
            ArithmeticOp::Remainder,
        ]);
        prop_oneof![
            6 => (ops, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::Arithmetic(op, Box::new(a), Box::new(b))),
            1 => inner.clone().prop_map(|a| Expr::Abs(Box::new(a))),
            1 => inner.clone().prop_map(|a| Expr::Negate(Box::new(a))),
            1 => (inner, prop_oneof![1_u32..4, Just(64), Just(1030)]).prop_map(|(a, steps)| Expr::Past(Box::new(a), steps)),
        ]
    })
}

/// Boolean expressions that compute: what is asked of one side of a connective guards the other.
fn computing() -> impl Strategy<Value = Expr> {
    let compare = (prop::sample::select(COMPARISONS.to_vec()), number(), number())
        .prop_map(|(op, a, b)| Expr::Compare(op, Box::new(a), Box::new(b)));
    let leaf = prop_oneof![
        6 => compare,
        1 => number().prop_map(|a| Expr::Defined(Box::new(a))),
        1 => number().prop_map(|a| Expr::In(Box::new(a), vec![Value::Int(1), Value::Float(0.5), Value::Int(-2)])),
        1 => (0_u32..2).prop_map(|index| Expr::Variable(VariableId(index))),
        1 => any::<bool>().prop_map(Expr::literal),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let pair = || (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        prop_oneof![
            inner.clone().prop_map(|a| Expr::Not(Box::new(a))),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Expr::And),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Expr::Or),
            pair().prop_map(|(a, b)| Expr::Implies(a, b)),
            pair().prop_map(|(a, b)| Expr::Xor(a, b)),
            pair().prop_map(|(a, b)| Expr::Iff(a, b)),
        ]
    })
}

/// The states of a trace again and again, up to a length; numbers that are small if it is mild, so
/// that less fails.
fn repeated(trace: &Trace, len: usize, mild: bool) -> Trace {
    let len = if trace.len == 0 { 0 } else { len };
    let positions: Vec<u32> = (0..len as u32).map(|position| position % trace.len.max(1) as u32).collect();
    let mut long = trace.gather(&positions);
    long.time = long.time.map(|_| (0..len as i64).collect());
    for column in &mut long.columns {
        match &mut column.data {
            ColumnData::Int(ints) if mild => ints.iter_mut().for_each(|int| *int = 1 + int.rem_euclid(5)),
            ColumnData::Float(floats) if mild => {
                floats
                    .iter_mut()
                    .for_each(|float| *float = if float.is_nan() { f64::NAN } else { 1.0 + float.abs().min(4.0) });
            }
            _ => {}
        }
    }
    long
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, ..ProptestConfig::default() })]

    #[test]
    fn whole_columns_agree_with_single_states(expr in generate::expr::atom(), trace in generate::expr::trace()) {
        let letters = letters_of(std::slice::from_ref(&expr), &trace);
        prop_assert_eq!(letters.len, trace.len);
        prop_assert_eq!(letters.bitmaps[0].to_string(), by_state(&expr, &trace));
    }

    #[test]
    fn rows_that_arrive_one_by_one_agree_with_the_trace(
        exprs in proptest::collection::vec(generate::expr::boolean(), 1..4),
        trace in generate::expr::trace(),
    ) {
        let mut memory = Memory::of(&exprs);
        for position in 0..trace.len {
            let values: Vec<Value> = trace.columns.iter().map(|column| column.value(position)).collect();
            let time = trace.time.as_ref().map(|time| time[position]);
            let row = RowState { values: &values, position: position as u64, time, memory: &memory };
            for expr in &exprs {
                prop_assert_eq!(expr.holds(&row), expr.holds(&StateAt { trace: &trace, position }), "{}", position);
            }
            memory.record(&values, position as u64, time);
            // A memory that was saved goes on as the one that was not.
            if position % 16 == 3 {
                let saved = memory.save();
                memory = Memory::of(&exprs);
                prop_assert_eq!(memory.restore(&saved), Ok(()));
                prop_assert_eq!(memory.save(), saved);
            }
        }
    }

    #[test]
    fn rows_and_parts_of_letters_are_those_of_bitmaps(
        exprs in proptest::collection::vec(generate::expr::boolean(), 1..4),
        trace in generate::expr::trace(),
    ) {
        let letters = letters_of(&exprs, &trace);
        let odd: Vec<u32> = (0..trace.len as u32).filter(|position| position % 2 == 1).collect();
        prop_assert_eq!(letters.gather(&odd), {
            // `pos` counts in the whole trace here, which is what gathering letters keeps.
            let mut rows = letters.clone();
            rows.bitmaps.iter_mut().for_each(|bitmap| *bitmap = odd.iter().map(|&at| bitmap.get(at as usize)).collect());
            rows.time = trace.time.as_ref().map(|time| odd.iter().map(|&at| time[at as usize]).collect());
            rows.len = odd.len();
            rows
        });
        for position in 0..trace.len {
            let row: String = letters.bitmaps.iter().map(|bitmap| if bitmap.get(position) { '1' } else { '0' }).collect();
            prop_assert_eq!(letters.row(position).0.to_string(), row);
        }
    }

    #[test]
    fn the_first_error_is_the_same_for_all(
        exprs in proptest::collection::vec(generate::expr::boolean(), 1..4),
        trace in generate::expr::trace(),
    ) {
        let mut formulas = Formulas::new();
        let roots: Vec<FormulaId> = exprs.iter().map(|expr| formulas.intern_atom(expr.clone())).collect();
        let checked = check_expressions(&formulas, &roots, &trace);
        let first = (0..trace.len).find_map(|position| {
            let fails = |expr: &Expr| {
                let reason = expr.holds(&StateAt { trace: &trace, position }).err()?;
                Some(EvaluationError::of(expr, position, reason))
            };
            exprs.iter().find_map(fails)
        });
        prop_assert_eq!(checked.clone().err(), first);
        prop_assert_eq!(semantics::truths(&formulas, &roots, &trace).err(), checked.err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, ..ProptestConfig::default() })]

    #[test]
    fn arithmetic_over_stretches_agrees_with_single_states(
        exprs in proptest::collection::vec(computing(), 1..3),
        trace in generate::expr::trace(),
        (len, mild) in (prop_oneof![0_usize..200, 1000_usize..1100, 2040_usize..2060], any::<bool>()),
    ) {
        let trace = repeated(&trace, len, mild);
        let mut formulas = Formulas::new();
        let roots: Vec<FormulaId> = exprs.iter().map(|expr| formulas.intern_atom(expr.clone())).collect();
        for (expr, proposition) in exprs.iter().zip(&roots) {
            let alphabet = Alphabet::of(&formulas, &[*proposition]);
            prop_assert_eq!(letters(&formulas, &alphabet, &trace).bitmaps[0].to_string(), by_state(expr, &trace));
        }
        let first = (0..trace.len).find_map(|position| {
            let fails = |expr: &Expr| {
                let reason = expr.holds(&StateAt { trace: &trace, position }).err()?;
                Some(EvaluationError::of(expr, position, reason))
            };
            exprs.iter().find_map(fails)
        });
        prop_assert_eq!(check_expressions(&formulas, &roots, &trace).err(), first);
    }
}

/// Every comparison of every kind of column with every kind of constant, at the places where
/// rounding would show.
#[test]
fn comparisons_are_exact() {
    const BIG: i64 = 1 << 53;
    let ints = vec![0, 1, -1, BIG - 1, BIG, BIG + 1, -BIG - 1, i64::MAX, i64::MIN];
    let floats = vec![0.0, -0.0, 0.5, 1.0, -1.5, BIG as f64, (BIG + 2) as f64, 9.3e18, -9.3e18, f64::INFINITY];
    let constants: Vec<Value> =
        ints.iter().copied().map(Value::Int).chain(floats.iter().copied().map(Value::Float)).collect();
    for data in [ColumnData::Int(ints), ColumnData::Float(floats)] {
        let column = Column { data, present: None };
        let trace = Trace { len: column.len(), columns: vec![column], time: None };
        for constant in &constants {
            for op in COMPARISONS {
                let variable = Box::new(Expr::Variable(VariableId(0)));
                let expr = Expr::Compare(op, variable, Box::new(Expr::Literal(constant.clone())));
                assert_eq!(
                    letters_of(std::slice::from_ref(&expr), &trace).bitmaps[0].to_string(),
                    by_state(&expr, &trace)
                );
            }
        }
    }
    let holds = |text: &str, x: i64| at_zero(text, Column::of_ints(vec![x]));
    assert!(holds("x > 9007199254740992.0", BIG + 1));
    assert!(!holds("x == 9007199254740992.0", BIG + 1));
    assert!(holds("x < 9223372036854775808.0", i64::MAX));
    assert!(holds("x == -9223372036854775808.0", i64::MIN));
}

fn prepared(text: &str, columns: &[(&str, Column)]) -> (Formulas, FormulaId, Trace) {
    let lowered = lowered(text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
    let column = |name: &str| columns.iter().find(|(one, _)| *one == name).expect("a column").1.clone();
    let in_order = lowered.variables.list().iter().map(|variable| column(&variable.name)).collect();
    let trace = Trace { len: columns[0].1.len(), columns: in_order, time: None };
    (lowered.formulas, root, trace)
}

fn at_zero(text: &str, x: Column) -> bool {
    let (formulas, root, trace) = prepared(text, &[("x", x)]);
    letters(&formulas, &Alphabet::of(&formulas, &[root]), &trace).bitmaps[0].get(0)
}

#[test]
fn a_missing_value_makes_a_comparison_false_and_its_negation_true() {
    let missing = |data| Column { data, present: Some([false].into_iter().collect()) };
    for text in ["x == 5", "x != 5", "x < 5", "x >= 5", "x in {5}", "x + 1 > 0", "defined(x)", "min(x, 5) == 5"] {
        assert!(!at_zero(text, missing(ColumnData::Int(vec![5]))), "{text}");
        assert!(at_zero(&format!("!({text})"), missing(ColumnData::Int(vec![5]))), "!({text})");
    }
    for text in ["x != 5", "x < 5", "x >= 0.5"] {
        assert!(!at_zero(text, missing(ColumnData::Float(vec![f64::NAN]))), "{text}");
    }
    assert!(!at_zero("x", missing(ColumnData::Bool([true].into_iter().collect()))));
    for text in ["x == \"a\"", "x != \"b\"", "x in {\"a\"}", "matches(x, \"\")", "len(x) == 1"] {
        let text_data =
            |dictionary| traceward_logic::trace::TextData { codes: vec![0], dictionary: Vec::into(dictionary) };
        assert!(!at_zero(text, missing(ColumnData::Text(text_data(vec!["a".into()])))), "{text}");
        assert!(!at_zero(text, missing(ColumnData::Text(text_data(Vec::new())))), "{text}");
    }
}

/// Where and why a formula cannot be evaluated.
fn error(text: &str, columns: &[(&str, Column)]) -> Option<(usize, ArithmeticError)> {
    let (formulas, root, trace) = prepared(text, columns);
    let checked = check_expressions(&formulas, &[root], &trace).err();
    assert_eq!(semantics::truth(&formulas, root, &trace).err(), checked, "{text}");
    checked.map(|error| (error.position, error.reason))
}

#[test]
fn a_guard_keeps_an_expression_from_failing() {
    let x = || [("x", Column::of_ints(vec![4, 1, 0, 0]))];
    let at = |position, reason| Some((position, reason));
    assert_eq!(error("x != 0 & 10 / x > 2", &x()), None);
    assert_eq!(error("G (x != 0 & 10 / x > 2)", &x()), None);
    assert_eq!(error("10 / x > 2 & x != 0", &x()), at(2, DivisionByZero));
    assert_eq!(error("10 / x > 2 | x == 0", &x()), at(2, DivisionByZero));
    assert_eq!(error("x == 0 | 10 / x > 2", &x()), None);
    assert_eq!(error("x != 0 -> 10 / x > 2", &x()), None);
    assert_eq!(error("x == 0 -> 10 / x > 2", &x()), at(2, DivisionByZero));
    assert_eq!(error("x != 0 xor 10 % x > 2", &x()), at(2, DivisionByZero));
    // A guard on the other side of a temporal operator guards nothing.
    assert_eq!(error("x != 0 & X (10 / x > 2)", &x()), at(2, DivisionByZero));
    // Where no verdict needs it, it is evaluated all the same.
    assert_eq!(error("true | X (10 / x > 2)", &x()), at(2, DivisionByZero));
}

#[test]
fn overflow_is_reported_where_it_happens() {
    let x = || [("x", Column::of_ints(vec![1, i64::MAX, i64::MIN]))];
    let at = |position| Some((position, Overflow));
    assert_eq!(error("x + 1 > 0", &x()), at(1));
    assert_eq!(error("x - 2 > 0", &x()), at(2));
    assert_eq!(error("-x > 0", &x()), at(2));
    assert_eq!(error("abs(x) > 0", &x()), at(2));
    assert_eq!(error("x * 2 > 0", &x()), at(1));
    assert_eq!(error("x < 9 & x + 1 > 0", &x()), None);
    assert_eq!(error("x + 1.0 > 0", &x()), None);
}

#[test]
fn of_two_errors_the_earlier_one_is_reported() {
    let columns = || [("x", Column::of_ints(vec![1, 1, 0])), ("y", Column::of_ints(vec![1, i64::MAX, 1]))];
    let found = error("G (1 / x > 0) & G (y + 1 > 0)", &columns());
    assert_eq!(found, Some((1, Overflow)));
}

#[test]
fn an_earlier_value_is_that_of_the_state_so_many_states_before() {
    let row = |text: &str| {
        let columns = [
            ("x", Column::of_ints(vec![3, 1, 1, 2])),
            ("p", Column::of_bools("0110".chars().map(|bit| bit == '1').collect())),
        ];
        let (formulas, root, trace) = prepared(text, &columns);
        let truth: String = semantics::truth(&formulas, root, &trace)
            .unwrap()
            .into_iter()
            .map(|bit| if bit { '1' } else { '0' })
            .collect();
        let letters = letters(&formulas, &Alphabet::of(&formulas, &[root]), &trace);
        assert_eq!(letters.bitmaps[0].to_string(), truth, "{text}");
        truth
    };
    assert_eq!(row("past(x) > x"), "0100");
    assert_eq!(row("past(x) <= x"), "0011");
    assert_eq!(row("!(past(x) > x)"), "1011");
    assert_eq!(row("past(x, 2) == 1"), "0001");
    assert_eq!(row("past(x, 4) == 3"), "0000");
    assert_eq!(row("past(past(x)) == 3"), "0010");
    assert_eq!(row("past(x + past(x)) == 4"), "0010");
    assert_eq!(row("delta(x) == -2"), "0100");
    assert_eq!(row("changed(x)"), "0101");
    assert_eq!(row("stable(x)"), "0010");
    assert_eq!(row("rose(p)"), "0100");
    assert_eq!(row("rose(!p)"), "1001");
    assert_eq!(row("fell(p)"), "0001");
    assert_eq!(row("past(p)"), "0011");
    assert_eq!(row("past(!p)"), "0100");
    assert_eq!(row("!past(p)"), "1100");
    assert_eq!(row("defined(past(x, 3))"), "0001");
    assert_eq!(row("past(pos) == pos - 1"), "0111");
    assert_eq!(row("past(7) == 7"), "0111");
}

#[test]
fn an_earlier_error_is_reported_where_it_is_asked_for() {
    let x = || [("x", Column::of_ints(vec![1, 0, 2, 0]))];
    let at = |position| Some((position, DivisionByZero));
    assert_eq!(error("1 / past(x) > 0", &x()), at(2));
    assert_eq!(error("past(1 / x) > 0", &x()), at(2));
    assert_eq!(error("past(1 / x, 2) > 0", &x()), at(3));
    assert_eq!(error("past(1 / x, 3) > 0", &x()), None);
    assert_eq!(error("past(x != 0 & 1 / x > 0)", &x()), None);
    assert_eq!(error("x == 0 & past(1 / x) > 0", &x()), None);
    assert_eq!(error("x != 0 & past(1 / x) > 0", &x()), at(2));
    let large = [("x", Column::of_ints(vec![i64::MIN, i64::MAX]))];
    assert_eq!(error("delta(x) > 0", &large), Some((1, Overflow)));
}

#[test]
fn a_memory_refuses_what_was_not_saved_by_its_like() {
    let value = |index| Expr::Past(Box::new(Expr::Variable(VariableId(index))), 2);
    let compared = |a, b| Expr::Compare(CompareOp::Equal, Box::new(a), Box::new(b));
    let exprs = [compared(value(0), value(1))];
    let mut memory = Memory::of(&exprs);
    memory.record(&[Value::str("é"), Value::Float(-0.0)], 0, None);
    memory.record(&[Value::Missing, Value::Int(i64::MIN)], 1, None);
    let saved = memory.save();
    for length in 0..saved.len() {
        assert!(Memory::of(&exprs).restore(&saved[..length]).is_err(), "{length}");
    }
    let longer = [&saved[..], &[2]].concat();
    assert!(Memory::of(&exprs).restore(&longer).is_err());
    let shorter = [compared(Expr::Past(Box::new(Expr::Variable(VariableId(0))), 1), value(1))];
    assert!(Memory::of(&shorter).restore(&saved).is_err());
    assert!(Memory::of(&[value(0)]).restore(&saved).is_err());
    assert!(Memory::of(&exprs).restore(&saved).is_ok());
}
