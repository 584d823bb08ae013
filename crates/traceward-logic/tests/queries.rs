//! What queries mean: each form on a trace that one can compute in the head.

use traceward_logic::lower::{Goal, Lowered, Schema, Type};
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
