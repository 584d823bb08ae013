//! The definition against cases with known answers.

use traceward_logic::lower::{Claim, Goal, Schema, Type};
use traceward_logic::semantics;
use traceward_logic::trace::{Column, Trace};
use traceward_logic::value::Value;
use traceward_testkit::vectors::Corner;
use traceward_testkit::{corpus, lowered, vectors};

#[test]
fn formulas_hold_where_the_vectors_say() {
    let vectors = vectors::formulas();
    for vector in &vectors {
        let (lowered, claim, trace) = corpus::prepare(&vector.formula, &vector.trace, None, vector.truth.len());
        let Claim::Formula(formula) = claim else { panic!("{} is a formula", vector.formula) };
        let truth = semantics::truth(&lowered.formulas, formula, &trace).unwrap();
        let truth: String = truth.iter().map(|&bit| if bit { '1' } else { '0' }).collect();
        assert_eq!(truth, vector.truth, "{}", vector.formula);
    }
    assert_eq!(vectors.len(), 1200);
}

#[test]
fn the_corpus_holds_by_definition() {
    let cases = corpus::cases();
    for case in &cases {
        let (lowered, claim, trace) = case.prepare();
        let Claim::Formula(formula) = claim else { panic!("{} is a formula", case.formula) };
        let truth = semantics::truth(&lowered.formulas, formula, &trace).unwrap();
        let truth: String = truth.iter().map(|&bit| if bit { '1' } else { '0' }).collect();
        assert_eq!(truth, case.truth, "{}: {}", case.name, case.formula);
    }
    assert!(cases.len() >= 40, "only {} cases", cases.len());
}

fn states(states: &[serde_json::Map<String, serde_json::Value>]) -> (Schema, impl Fn(&str) -> Column) {
    let mut schema = Schema { names_known: true, ..Schema::default() };
    if let Some(first) = states.first() {
        for (name, value) in first {
            let ty = if value.is_boolean() { Type::Bool } else { Type::Number };
            schema.types.insert(name.as_str().into(), Some(ty));
        }
    }
    let states = states.to_vec();
    let column = move |name: &str| {
        let values: Vec<_> = states.iter().map(|state| &state[name]).collect();
        if values.iter().all(|value| value.is_boolean()) {
            Column::of_bools(values.iter().map(|value| value.as_bool() == Some(true)).collect())
        } else {
            Column::of_ints(values.iter().map(|value| value.as_i64().unwrap()).collect())
        }
    };
    (schema, column)
}

#[test]
fn queries_have_the_values_the_vectors_say() {
    let vectors = vectors::queries();
    for vector in &vectors {
        let (schema, column) = states(&vector.trace);
        let lowered = lowered(&vector.query, Goal::Query, None, Some(&schema))
            .unwrap_or_else(|errors| panic!("{}: {errors:?}", vector.query));
        let columns = lowered.variables.list().iter().map(|variable| column(&variable.name)).collect();
        let trace = Trace { len: vector.trace.len(), columns, time: None };
        let value = semantics::value(&lowered.formulas, &lowered.queries[0].query, &trace).unwrap();
        assert!(is_like(value.as_ref(), &vector.value), "{}: {value:?}, not {}", vector.query, vector.value);
    }
    assert_eq!(vectors.len(), 400);
}

/// Whether a value is the one a vector gives, where `[n, d]` is a fraction.
fn is_like(value: Option<&Value>, expected: &serde_json::Value) -> bool {
    match (value, expected) {
        (None, serde_json::Value::Null) => true,
        (Some(Value::Bool(bit)), serde_json::Value::Bool(other)) => bit == other,
        (Some(value), serde_json::Value::Array(fraction)) => {
            let fraction = fraction[0].as_f64().unwrap() / fraction[1].as_f64().unwrap();
            value.as_f64().is_some_and(|value| (value - fraction).abs() < 1e-9)
        }
        (Some(value), expected) => match (value.as_f64(), expected.as_f64()) {
            (Some(value), Some(expected)) => (value - expected).abs() < 1e-9,
            _ => false,
        },
        _ => false,
    }
}

fn schema_of(variables: &std::collections::BTreeMap<String, String>) -> Schema {
    let types = variables.iter().map(|(name, ty)| {
        let ty = match ty.as_str() {
            "bool" => Type::Bool,
            "int" => Type::Number,
            other => panic!("unknown type {other}"),
        };
        (name.as_str().into(), Some(ty))
    });
    Schema { types: types.collect(), names_known: true, ..Schema::default() }
}

#[test]
fn texts_that_are_one_formula_lower_to_one_formula() {
    let printed = |text: &str| {
        let lowered = lowered(text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let Claim::Formula(formula) = lowered.properties[0].claim else { panic!("{text} is a formula") };
        // Unbounded windows are written in several ways, and print in one.
        lowered.formulas.display(formula, &lowered.variables.names()).to_string()
    };
    let mut count = 0;
    for corner in vectors::corners() {
        let Corner::Same { text, as_ } = corner else { continue };
        assert_eq!(printed(&text), printed(&as_), "{text}");
        count += 1;
    }
    assert_eq!(count, 48);
}

/// OPrA's table puts `U W R` below `->`, and `<->` above it; its infinite bounds are `[2,−]`.
#[test]
fn the_opra_dialect_binds_as_its_table_says() {
    let printed = |text: &str| {
        let lowered = lowered(text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let Claim::Formula(formula) = lowered.properties[0].claim else { panic!("{text} is a formula") };
        lowered.formulas.display(formula, &lowered.variables.names()).to_string()
    };
    for (opra, ours) in [
        ("{a} U {b} -> {c}", "a U (b -> c)"),
        ("{a} -> {b} U {c}", "(a -> b) U c"),
        ("{a} <-> {b} -> {c}", "(a <-> b) -> c"),
        ("{a} and {b} or not {c}", "(a & b) | (!c)"),
        ("G[0,5] {x > 0 && y == 1} -> F[2,−] {c}", "(G[0,5] (x > 0 & y == 1)) -> (F[2,inf] c)"),
        ("{a} W[1,2] {b} xor {c}", "a W[1,2] (b xor c)"),
        ("{a} U {b} R {c}", "a U (b R c)"),
        // Inside braces a condition binds as everywhere.
        ("{a -> b && c} U true", "(a -> (b & c)) U true"),
    ] {
        assert_eq!(printed(&format!("dialect opra\n{opra}")), printed(ours), "{opra}");
    }
    assert_ne!(printed("dialect opra\n{a} U {b} -> {c}"), printed("{a} U {b} -> {c}"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut count = 0;
    for corner in vectors::corners() {
        let Corner::Error { text, variables, why } = corner else { continue };
        let result = lowered(&text, Goal::Check, None, Some(&schema_of(&variables)));
        assert!(result.is_err(), "{text:?} is refused: {why}");
        count += 1;
    }
    assert_eq!(count, 24);
}

#[test]
fn the_empty_trace_is_judged_as_written() {
    let mut count = 0;
    for corner in vectors::corners() {
        let Corner::Empty { formula: text, satisfied } = corner else { continue };
        let lowered = lowered(&text, Goal::Check, None, None).unwrap();
        let Claim::Formula(formula) = lowered.properties[0].claim else { panic!("{text} is a formula") };
        let columns = lowered.variables.list().iter().map(|_| Column::all_missing(0)).collect();
        let trace = Trace { len: 0, columns, time: None };
        assert_eq!(semantics::satisfied(&lowered.formulas, formula, &trace), Ok(satisfied), "{text}");
        count += 1;
    }
    assert_eq!(count, 26);
}
