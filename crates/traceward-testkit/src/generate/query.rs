//! Random queries over the columns of random traces, as text.

use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

/// State expressions with a number. Some of them fail where a divisor is 0, or overflow.
const NUMBERS: [&str; 13] =
    ["i", "`U`", "x", "`a b`", "pos", "time", "i + 1", "i - `U`", "x * 2", "i / 4", "past(i)", "abs(x)", "10 / i"];

/// State expressions with a number that never fail.
const TAME: [&str; 6] = ["pos", "time", "x", "i", "x + `a b`", "past(x, 2)"];

/// State expressions with a text.
const TEXTS: [&str; 3] = ["s", "t", "past(s)"];

/// Propositions.
const ATOMS: [&str; 7] = ["b", "event.c", "i > 1", "x <= 2.5", "s == \"a\"", "defined(x)", "time % 3 == 0"];

/// Aggregates of numbers.
const AGGREGATES: [&str; 15] = [
    "count(#)",
    "sum(#)",
    "min(#)",
    "max(#)",
    "avg(#)",
    "first(#)",
    "last(#)",
    "mode(#)",
    "distinct(#)",
    "quantile(0.3, #)",
    "quantile(1, #)",
    "median(#)",
    "stddev(#)",
    "histogram(3, #)",
    "histogram(#)",
];

/// Aggregates that may be nested: their summary is a number, and the same in whichever order it is
/// computed.
const NESTED: usize = 12;

/// Whether expressions may fail with an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Errors {
    /// Some overflow or divide by 0.
    Some,
    /// None do.
    None,
}

/// Queries with a value of any type.
pub fn query(errors: Errors) -> impl Strategy<Value = String> {
    let numbers = || number(errors);
    let summary = (select(AGGREGATES.to_vec()), numbers(), condition());
    let of_text = select(vec!["mode(#)", "distinct(#)", "first(#)", "last(#)", "histogram(#)"]);
    let texts = (of_text, text(), condition());
    let fill = |(aggregate, of, condition): (&str, String, String)| filled(aggregate, &of) + &condition;
    prop_oneof![
        6 => numbers(),
        4 => summary.prop_map(fill),
        2 => texts.prop_map(fill),
        1 => (numbers(), numbers()).prop_map(|(a, b)| format!("corr({a}, {b})")),
        1 => (numbers(), numbers()).prop_map(|(a, b)| format!("({a}) &[pair] ({b})")),
        1 => plain(),
        1 => (numbers(), numbers()).prop_map(|(a, b)| format!("max({a}) <= min({b})")),
    ]
}

/// An aggregate of something. A variable alone would be a formula to `count`.
fn filled(aggregate: &str, of: &str) -> String {
    let is_variable = ["i", "x", "`U`", "`a b`", "past(i)", "past(x, 2)"].contains(&of);
    let of = if aggregate == "count(#)" && is_variable { format!("true : {of}") } else { of.to_owned() };
    aggregate.replace('#', &of)
}

/// Queries whose value is a text.
fn text() -> impl Strategy<Value = String> {
    let leaf = select(TEXTS.to_vec()).prop_map(str::to_owned);
    let guarded = (plain(), select(TEXTS.to_vec())).prop_map(|(p, e)| format!("(({p}) : {e})"));
    let awaited = (plain(), select(TEXTS.to_vec())).prop_map(|(p, e)| format!("F (({p}) : {e})"));
    prop_oneof![leaf, guarded, awaited]
}

fn condition() -> impl Strategy<Value = String> {
    weighted(0.4, plain()).prop_map(|condition| condition.map_or_else(String::new, |f| format!(" while {f}")))
}

/// Queries whose value is a number.
fn number(errors: Errors) -> impl Strategy<Value = String> {
    let names: &[&str] = if errors == Errors::Some { &NUMBERS } else { &TAME };
    let leaf = prop_oneof![
        3 => select(names.to_vec()).prop_map(str::to_owned),
        3 => (plain(), select(names.to_vec())).prop_map(|(p, e)| format!("({p}) : {e}")),
        1 => (plain(), plain()).prop_map(|(p, q)| format!("latency(({p}) -> ({q}))")),
        1 => (plain(), condition()).prop_map(|(p, condition)| format!("(count({p}){condition})")),
    ];
    leaf.prop_recursive(4, 12, 2, move |inner| {
        let joined = select(vec!["&[+]", "|[+]", "&[max]", "|[min]", "&[first]", "&[(a, b) => 2 * b - a]", "|[-]"]);
        let mapped = select(vec!["", "[v => v + 1]", "[v => v * 0.5]"]);
        let mapped_again = mapped.clone();
        let summary = (select(AGGREGATES[..NESTED].to_vec()), inner.clone(), condition());
        let fold = select(vec!["(a, v) => a + v", "(a, v) => v - a", "(a, v) => max(a, v)"]);
        let forward = select(vec!["", " forward"]);
        prop_oneof![
            3 => (joined, inner.clone(), inner.clone()).prop_map(|(op, a, b)| format!("(({a}) {op} ({b}))")),
            2 => (mapped, inner.clone()).prop_map(|(map, a)| format!("(X{map} ({a}))")),
            2 => (mapped_again, plain(), inner.clone()).prop_map(|(map, p, a)| format!("(({p}) U{map} ({a}))")),
            1 => inner.clone().prop_map(|a| format!("(F ({a}))")),
            1 => inner.clone().prop_map(|a| format!("(![7] ({a}))")),
            1 => inner.clone().prop_map(|a| format!("(({a}) ?? 3)")),
            1 => inner.clone().prop_map(|a| format!("(({a}) ?? 0.5)")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(({a}) - ({b}))")),
            4 => summary
                .prop_map(|(aggregate, of, condition)| format!("({}{condition})", filled(aggregate, &of))),
            1 => (fold, inner, forward, condition())
                .prop_map(|(f, a, forward, condition)| format!("(fold(0, {f}, {a}){forward}{condition})")),
        ]
    })
}

/// Plain formulas, with past operators and bounds.
fn plain() -> impl Strategy<Value = String> {
    let leaf = select(ATOMS.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(2, 4, 2, |inner| {
        let unary = select(vec!["!", "X ", "WX ", "F ", "G ", "Y ", "O ", "F[0,2] ", "G[1,3] ", "O[0,3ns] "]);
        let binary = select(vec!["&", "|", "U", "W", "R", "M", "S", "U[1,4]"]);
        prop_oneof![
            (unary, inner.clone()).prop_map(|(op, f)| format!("{op}({f})")),
            (binary, inner.clone(), inner).prop_map(|(op, f, g)| format!("(({f}) {op} ({g}))")),
        ]
    })
}
