//! What queries mean: each form on a trace that one can compute in the head.

use traceward_logic::lower::{Goal, Lowered, Schema, Type};
use traceward_logic::parse::NESTING_LIMIT;
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::trace::{Column, Trace};
use traceward_logic::value::{ArithmeticError, Value};
use traceward_testkit::lowered;

/// A trace of columns by their names.
struct Columns(Vec<(&'static str, Type, Vec<Value>)>);

impl Columns {
    fn numbers(mut self, name: &'static str, values: &[i64]) -> Self {
        self.0.push((name, Type::Number, values.iter().copied().map(Value::Int).collect()));
        self
    }

    fn texts(mut self, name: &'static str, values: &[&str]) -> Self {
        self.0.push((name, Type::Text, values.iter().copied().map(Value::str).collect()));
        self
    }

    fn bits(mut self, name: &'static str, values: &[bool]) -> Self {
        self.0.push((name, Type::Bool, values.iter().copied().map(Value::Bool).collect()));
        self
    }

    fn lowered(&self, query: &str) -> Lowered {
        let types = self.0.iter().map(|(name, ty, _)| ((*name).into(), Some(ty.clone())));
        let schema = Schema { types: types.collect(), names_known: true, ..Schema::default() };
        let lower =
            |schema| lowered(query, Goal::Query, None, schema).unwrap_or_else(|errors| panic!("{query}: {errors:?}"));
        lower(None);
        lower(Some(&schema))
    }

    fn ask(&self, query: &str) -> Result<Option<Value>, EvaluationError> {
        let lowered = self.lowered(query);
        let column = |name: &str| {
            let (_, _, values) = self.0.iter().find(|(one, ..)| *one == name).expect("a column of the trace");
            Column::of_values(values)
        };
        let columns = lowered.variables.list().iter().map(|variable| column(&variable.name)).collect();
        let trace = Trace { len: self.0[0].2.len(), columns, time: None };
        semantics::value(&lowered.formulas, &lowered.queries[0].query, &trace)
    }

    fn says(&self, query: &str, value: &str) {
        let answer = self.ask(query).unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(answer.map_or("none".to_owned(), |value| value.to_string()), value, "{query}");
    }
}

fn columns() -> Columns {
    Columns(Vec::new())
}

#[test]
fn a_fold_takes_values_one_by_one_into_an_accumulator() {
    let trace = columns().numbers("x", &[1, 2, 3, 4]).numbers("p", &[1, 1, 0, 1]);
    trace.says("fold(0, (acc, v) => acc + v, x)", "10");
    trace.says("fold(0, (acc, v) => 10 * acc + v, x)", "4321");
    trace.says("fold(0, (acc, v) => 10 * acc + v, x) forward", "1234");
    trace.says("fold(0, (acc, v) => 10 * acc + v, x) while p == 1", "21");
    trace.says("fold(0, (acc, v) => 10 * acc + v, x) forward while p == 1", "12");
    trace.says("fold(0, (acc, v) => 10 * acc + v, x > 1 : x) forward ?? 7", "234");
    trace.says("X fold(0, (acc, v) => 10 * acc + v, x)", "432");
    trace.says("fold(true, (all, v) => all & v > 0, x)", "true");
    trace.says("fold(\"\", (longest, v) => max(longest, v), x > 1 : \"b\")", "\"b\"");
    trace.says("fold(0.5, (acc, v) => acc + v, x)", "10.5");
    trace.says("fold(0, (acc, v) => acc + 1, x > 1)", "3");
}

#[test]
fn a_fold_of_nothing_is_its_start() {
    let trace = columns().numbers("x", &[1, 2]);
    trace.says("fold(-7, (acc, v) => acc + v, x > 5 : x)", "-7");
    trace.says("fold(-7, (acc, v) => acc + v, x > 5 : x) while x < 2", "-7");
    trace.says("fold(-7, (acc, v) => acc + v, x) while x > 5", "none");
}

#[test]
fn a_fold_fails_only_with_its_expression() {
    let trace = columns().numbers("x", &[1, 0, 4]);
    // The accumulator is 0.25 when the value 0 comes.
    let error = trace.ask("fold(1, (acc, v) => acc / v, x)").unwrap_err();
    assert_eq!((error.position, error.reason), (1, ArithmeticError::DivisionByZero));
    let huge = columns().numbers("x", &[1, i64::MAX, 1]);
    let error = huge.ask("fold(0, (acc, v) => acc + v, x) forward").unwrap_err();
    assert_eq!((error.position, error.reason), (1, ArithmeticError::Overflow));
    // Infinity less infinity is no number.
    let infinite = columns().numbers("x", &[1, 2]);
    infinite.says("fold(1e308, (acc, v) => acc * 10 - acc * 10, x) ?? \"failed\"", "\"failed\"");
}

#[test]
fn folds_nest_and_are_named() {
    let trace = columns().numbers("x", &[3, 1, 2]);
    trace.says("max(fold(0, (acc, v) => acc + v, x))", "6");
    trace.says("fold(0, (acc, v) => acc + v, fold(0, (acc, v) => max(acc, v), x))", "7");
    trace.says("let total = fold(0, (acc, v) => acc + v, x)\nquery mean = total / count(x > 0)", "2.0");
    trace.says("fold(0, (acc, v) => acc + v, X x)", "3");
    trace.says("count(x > 1) &[+] fold(0, (acc, v) => v - acc, x) forward", "6");
    trace.says("fold(0, (acc, v) => acc + v, x) == 6", "true");
}

#[test]
fn a_histogram_of_what_is_no_number_tells_how_often_each_value_occurs() {
    let trace = columns().texts("s", &["b", "a", "a"]).bits("b", &[false, true, false]).numbers("x", &[1, 2, 3]);
    trace.says("histogram(s)", r#"[["a", 2], ["b", 1]]"#);
    trace.says("histogram(x > 1 : s)", r#"[["a", 2]]"#);
    trace.says("histogram(b)", "[[false, 2], [true, 1]]");
    // A formula is true where it holds, and nothing elsewhere.
    trace.says("histogram(x > 1)", "[[true, 2]]");
    trace.says("histogram(2, x)", "[[1.0, 2.0, 1], [2.0, 3.0, 2]]");
    trace.says("histogram(X s)", r#"[["a", 2]]"#);
    trace.says("histogram(x > 5 : s)", "none");
}

#[test]
fn nested_queries_are_not_computed_again_and_again() {
    let trace = columns().numbers("x", &[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]);
    let nested = |prefix: &str, suffix: &str| {
        let depth = (NESTING_LIMIT - 2) / prefix.matches('(').count().max(1);
        format!("{}x{}", prefix.repeat(depth), suffix.repeat(depth))
    };
    trace.says(&nested("max(", ")"), "9");
    trace.says(&nested("F ", ""), "3");
    trace.says(&nested("min(fold(0, (acc, v) => v, ", "))"), "1");
    trace.says(&nested("sum(", ") while x > 5"), "none");
}

/// An error at a position that nobody asks for is none.
#[test]
fn nobody_asks_behind_the_end_of_an_until() {
    let trace = columns().numbers("x", &[2, 1, 0]);
    trace.says("(x > 1 : 1 / x) U (x == 1 : x)", "1");
    trace.says("F (x < 2 : 2 / x)", "2.0");
    trace.says("max(F (x < 2 : 2 / x)) while x > 0", "2.0");
    trace.says("sum(1 / x) while x > 0", "1.5");
    trace.says("fold(0, (acc, v) => acc + v, 1 / x) while x > 0", "1.5");
    trace.says("fold(0, (acc, v) => acc + v, x != 0 : 1 / x) forward", "1.5");
    let error = trace.ask("max(X (true : 1 / x))").unwrap_err();
    assert_eq!((error.position, error.reason), (2, ArithmeticError::DivisionByZero));
}

/// The paper's example 1 (003 section 2.2).
#[test]
fn experiments_of_the_paper() {
    let trace = columns().numbers("x", &[1, 1, 1, 2, 5, 4]).numbers("y", &[1, 2, 3, 3, 3, 3]);
    trace.says("x < y : x", "none");
    trace.says("x <= y : (x, y)", "(1, 1)");
    trace.says("(x <= y : x) &[+] ((x <= y : true) U[v => v] (y = x + 2 : y))", "4");
}

/// The paper's example 2 (003 section 2.3).
#[test]
fn aggregates_of_the_paper() {
    let trace =
        columns().numbers("x", &[1, 1, 1, 2, 5, 5]).numbers("y", &[1, 2, 3, 3, 3, 3]).numbers("z", &[2, 2, 1, 1, 1, 2]);
    trace.says("count(x == y)", "1");
    trace.says("min(true : x + y)", "2");
    trace.says("avg(true : x + y)", "5.0");
    trace.says("sum(true : x + y) &[/] count(true : x + y)", "5.0");
    trace.says("max(sum(true : x) while z = 2)", "5");
    // Each of them as a fold, by the paper's incremental functions.
    trace.says("fold(0, (n, v) => n + 1, x == y)", "1");
    trace.says("fold(99, (least, v) => min(least, v), x + y)", "2");
    trace.says("max(fold(0, (acc, v) => acc + v, x) while z == 2)", "5");
}

#[test]
fn folds_are_the_aggregates_that_they_spell_out() {
    for (x, p) in [
        (&[3, -1, 4, 1, -5][..], &[1, 0, 1, 1, 0][..]),
        (&[0, 0, 7], &[1, 1, 1]),
        (&[2, 9, 2, 9], &[0, 0, 0, 0]),
        (&[5], &[1]),
    ] {
        let trace = columns().numbers("x", x).numbers("p", p);
        for (fold, aggregate) in [
            ("fold(0, (acc, v) => acc + v, a)", "sum(a) ?? 0"),
            ("fold(0, (n, v) => n + 1, a)", "count(a)"),
            ("fold(-99, (most, v) => max(most, v), a)", "max(a) ?? -99"),
            ("fold(-99, (acc, v) => v, a)", "first(a) ?? -99"),
            ("fold(-99, (acc, v) => v, a) forward", "last(a) ?? -99"),
        ] {
            for values in ["true : x", "(p == 1 : x)", "(X x)", "(p == 1 : x) |[+] (x > 2 : x)"] {
                let (fold, aggregate) =
                    (fold.replace(" a)", &format!(" {values})")), aggregate.replace("(a)", &format!("({values})")));
                assert_eq!(trace.ask(&fold), trace.ask(&aggregate), "{fold} on {x:?}, {p:?}");
                let within = |query: &str| format!("max({query})");
                assert_eq!(trace.ask(&within(&fold)), trace.ask(&within(&aggregate)), "{fold} on {x:?}, {p:?}");
            }
        }
    }
}
