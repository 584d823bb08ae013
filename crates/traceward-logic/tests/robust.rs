//! No text, however strange or deep, makes reading it panic, overflow the stack or take long.
#![allow(clippy::disallowed_methods, reason = "the test tells how long reading takes")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::time::{Duration, Instant};
use traceward_logic::diagnostic::{Diagnostic, SourceId};
use traceward_logic::formula::Formulas;
use traceward_logic::lower::{Claim, Goal, Lowered};
use traceward_logic::parse;
use traceward_logic::pass::{Simplifier, negation_normal_form, split_atoms};
use traceward_testkit::{generate, lowered};

const SPECS: [&str; 9] = [
    "G(request -> F[0,3] grant)",
    "trace { event activity  time timestamp  by case_id }\nlet busy = at_l3 | at_m3\nproperty mutex \"no two\" = G !(busy & `x y`)",
    "query q = max(count(!a & X a) while b) ?? 0; assert s = max(r) <= 1",
    "dialect opra\nproperty p = [] {x > 0 && y == \"é\\n\"} -> <> !b U c",
    "(r : time) &[(a, b) => b - a] F (g : time)",
    "a U[v => v * 2.5e3] b |[min] ![-1] c // comment\n",
    "x in {1, -2, \"three\"} <-> matches(s, \"^a\\d\") xor len(s) % 2 = 1",
    "let t = fold(0, (acc, v) => acc + v, x > 1 : x) forward while p\nassert few = t <= fold(-1, (a, b) => b, t)",
    "F(2,5] a & O[1.5h,∞) b ∧ ¬c → latency(r -> g) # comment",
];

const TOKENS: &[&str] = &[
    "a",
    "b.c",
    "`q r`",
    "U",
    "W",
    "R",
    "M",
    "S",
    "B",
    "T",
    "X",
    "WX",
    "F",
    "G",
    "Y",
    "Z",
    "O",
    "H",
    "until",
    "in",
    "while",
    "xor",
    "iff",
    "true",
    "false",
    "pos",
    "time",
    "inf",
    "let",
    "property",
    "query",
    "assert",
    "trace",
    "dialect",
    "opra",
    "count",
    "max",
    "quantile",
    "histogram",
    "corr",
    "latency",
    "fold",
    "forward",
    "(acc, v) =>",
    "defined",
    "matches",
    "past",
    "$past",
    "delta",
    "changed",
    "$rose",
    "fell",
    "1",
    "0",
    "-1",
    "2.5",
    "1e400",
    "9223372036854775808",
    "5ms",
    "1.5h",
    "99999999999999d",
    "\"s\"",
    "\"\\u{e9}\"",
    "\"\\u\"",
    "!",
    "~",
    "&",
    "&&",
    "|",
    "^",
    "->",
    "=>",
    "<->",
    "[]",
    "<>",
    "○",
    "⊖",
    "⊙",
    "∞",
    "==",
    "=",
    "!=",
    "≠",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "−",
    "*",
    "/",
    "%",
    "??",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ";",
    "\n",
    "//x\n",
    "é",
    "'",
    "\"",
    "`",
    "@",
    "?",
    "\\",
    "\u{feff}",
    "(0,",
    "[0,3]",
    "[v =>",
    "(a, b) =>",
    "event",
    "by",
    "missing",
    "hold",
];

/// Reads a text as a spec, as an expression, and to the end; every place that is reported lies in
/// it.
fn read(text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    let _ = parse::expression(text).map_err(|errors| check_places(text, &errors));
    let results = [Goal::Check, Goal::Query].map(|goal| lowered(text, goal, None, None));
    for result in &results {
        match result {
            Ok(lowered) => check_places(text, &lowered.warnings),
            Err(errors) => {
                assert!(!errors.is_empty(), "{text:?} is refused without a reason");
                check_places(text, errors);
            }
        }
    }
    let [result, _] = results;
    result
}

fn check_places(text: &str, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let range = diagnostic.span.range();
        assert!(text.get(range.clone()).is_some(), "{range:?} of {text:?}: {}", diagnostic.message);
        assert!(!diagnostic.message.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = read(&text);
    }

    #[test]
    fn any_tokens_are_read_or_refused(
        tokens in vec(select(TOKENS), 0..24),
        separator in select(vec![" ", ""]),
    ) {
        let _ = read(&tokens.join(separator));
    }

    #[test]
    fn any_tree_is_read_and_lowered_or_refused(ast in generate::ast::ast()) {
        let _ = read(&ast.to_string());
    }

    #[test]
    fn a_damaged_spec_is_read_or_refused(
        spec in select(SPECS.to_vec()),
        damage in vec((any::<prop::sample::Index>(), 0..4_usize, select(TOKENS)), 1..4),
    ) {
        let mut chars: Vec<char> = spec.chars().collect();
        for (place, removed, inserted) in damage {
            let start = place.index(chars.len() + 1);
            let end = (start + removed).min(chars.len());
            chars.splice(start..end, inserted.chars());
        }
        let _ = read(&chars.into_iter().collect::<String>());
    }
}

#[test]
fn specs_to_be_damaged_are_whole() {
    for spec in SPECS {
        let result = parse::spec(SourceId::default(), spec);
        assert!(result.is_ok(), "{spec}: {result:?}");
    }
}

/// Less than a second is enough where the machine has nothing else to do. What grows with the
/// square of these texts takes minutes.
const LIMIT: Duration = Duration::from_secs(5);

fn in_no_time<T>(what: &str, action: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = action();
    assert!(start.elapsed() < LIMIT, "{what} takes {:?}", start.elapsed());
    result
}

/// A text that nests without end is refused because of it.
fn refused_as_too_deep(what: &str, text: &str) {
    let errors = in_no_time(what, || read(text)).expect_err(what);
    assert!(
        errors.iter().any(|error| error.message.contains("deep") || error.message.contains("levels")),
        "{what}: {errors:?}"
    );
}

#[test]
fn depth_is_refused() {
    const MANY: usize = 100_000;
    refused_as_too_deep("brackets", &format!("{}a{}", "(".repeat(MANY), ")".repeat(MANY)));
    refused_as_too_deep("open brackets", &"(".repeat(MANY));
    refused_as_too_deep("braces", &format!("{}a{}", "{".repeat(MANY), "}".repeat(MANY)));
    refused_as_too_deep("earlier values", &format!("{}a{}", "past(".repeat(MANY), ")".repeat(MANY)));
    refused_as_too_deep("calls", &format!("{}a{}", "abs(".repeat(MANY), ")".repeat(MANY)));
    for prefix in
        ["!", "G ", "X[v => v] ", "- ", "a U ", "a -> ", "F[0,3] ", "![0] ", "count(a) while ", "a &[min] (", "X[v => "]
    {
        refused_as_too_deep(prefix, &format!("{}a", prefix.repeat(MANY)));
    }
    for suffix in [" + a", " - 1", " * a", " xor a", " <-> a", " : a", " ?? 1", " in {1}", " &[min] a", " |[+] a"] {
        refused_as_too_deep(suffix, &format!("a{}", suffix.repeat(MANY)));
    }
    for prefix in ["fold(0, (a, v) => ", "fold(0, (a, v) => a, ", "fold("] {
        refused_as_too_deep(prefix, &format!("{}a", prefix.repeat(MANY)));
    }
    // Either kind of nesting alone would stay within its limit at every step.
    let mut both = "a".to_owned();
    for _ in 0..300 {
        both = format!("({both}{})", " + a".repeat(300));
    }
    refused_as_too_deep("sums in brackets", &both);
    let mut both = "a".to_owned();
    for _ in 0..300 {
        both = format!("max({both}, 0){}", " + a".repeat(300));
    }
    refused_as_too_deep("sums in the first of two arguments", &both);
}

#[test]
fn what_nests_as_deep_as_allowed_is_read_and_evaluated() {
    let depth = parse::NESTING_LIMIT - 2;
    for (prefix, suffix) in
        [("(", ")"), ("!", ""), ("G ", ""), ("a U ", ""), ("a -> ", ""), ("", " xor a"), ("", " <-> a")]
    {
        let text = format!("{}a{}", prefix.repeat(depth), suffix.repeat(depth));
        assert!(read(&text).is_ok(), "{prefix}a{suffix}");
    }
    let earlier = format!("{}a{}", "past(a + ".repeat(depth / 2), ")".repeat(depth / 2));
    let lowered = read(&format!("{earlier} > 0")).expect("deep, but not too deep");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let len = depth / 2 + 1;
    let column = traceward_logic::trace::Column::of_ints(vec![1; len]);
    let trace = traceward_logic::trace::Trace { len, columns: vec![column], time: None };
    let truth = traceward_logic::semantics::truth(&lowered.formulas, root, &trace).expect("no overflow");
    assert_eq!(truth.iter().position(|bit| *bit), Some(len - 1), "where there are so many earlier states");
    let sum = format!("a{} > 0", " + a".repeat(depth));
    let inside = format!("{}{sum}{}", "(".repeat(depth), ")".repeat(depth));
    let lowered = read(&inside).expect("deep, but not too deep");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let column = traceward_logic::trace::Column::of_ints(vec![1]);
    let trace = traceward_logic::trace::Trace { len: 1, columns: vec![column], time: None };
    assert_eq!(traceward_logic::semantics::truth(&lowered.formulas, root, &trace), Ok(vec![true]));
}

#[test]
fn an_error_in_one_statement_does_not_spoil_the_next() {
    let deep = format!("{}a{}", "(".repeat(500), ")".repeat(500));
    let just_right = format!("{}a{}", "(".repeat(390), ")".repeat(390));
    let many: String = (0..20).map(|nth| format!("property p{nth} = {deep};")).collect();
    let errors = read(&format!("{many} property q = {just_right}; query r = max(a ?? 1) while (b; query s = a ?? 1"))
        .unwrap_err();
    assert_eq!(errors.len(), 21, "{errors:?}");
}

/// Definitions that each use the one before, and the last of them.
fn definitions(count: usize, body: impl Fn(String) -> String, last: &str) -> String {
    let lines: String = (1..=count).map(|nth| format!("let d{nth} = {}\n", body(format!("d{}", nth - 1)))).collect();
    format!("let d0 = {last}\n{lines};d{count}")
}

#[test]
fn definitions_do_not_explode() {
    for operator in ["&", "|", "+", "U", "<->", "&[+]"] {
        let text = definitions(60, |before| format!("{before} {operator} {before}"), "x");
        let errors = in_no_time(operator, || read(&text)).expect_err(operator);
        assert!(errors.iter().any(|error| error.message.contains("unfold")), "{operator}: {errors:?}");
    }
    for word in ["delta", "changed", "stable", "rose", "fell"] {
        let nested = format!("{}x{} == 1", format!("{word}(").repeat(60), ")".repeat(60));
        let errors = in_no_time(word, || read(&nested)).expect_err(word);
        assert!(errors.iter().any(|error| error.message.contains("unfold")), "{word}: {errors:?}");
    }
    refused_as_too_deep("a chain of sums", &definitions(3_000, |before| format!("{before} + 1"), "x"));
    refused_as_too_deep("a chain of negations", &definitions(3_000, |before| format!("!{before}"), "x"));
    refused_as_too_deep("a chain of names", &definitions(3_000, |before| before, "x"));
    // Each definition alone is shallow when it is reached, but not what it unfolds to.
    let in_order: String = (0..20).map(|nth| format!("property p{nth} = d{} > 0\n", nth * 150)).collect();
    let text = definitions(3_000, |before| format!("{before} + 1"), "x").replace(";d3000", "") + &in_order;
    refused_as_too_deep("a chain of sums, used from below", &text);
}

#[test]
fn circular_definitions_are_refused() {
    for text in [
        "let a = b let b = a; a",
        "let a = a; a",
        "let a = X b let b = !a property p = a",
        "let a = b & b let b = a | a query q = a",
    ] {
        let errors = in_no_time(text, || read(text)).expect_err(text);
        assert!(errors.iter().any(|error| error.message.contains("uses itself")), "{text}: {errors:?}");
    }
}

#[test]
fn a_definition_is_looked_into_for_queries() {
    let is_query = |text: &str| {
        let lowered = lowered(text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        (lowered.queries.len(), lowered.properties.len()) == (1, 0)
    };
    assert!(is_query("let n = count(a) let m = n + 1; m"));
    assert!(is_query("let n = a ?? 1; X n"));
    assert!(!is_query("let n = a & b let m = n | n; F m"));
}

#[test]
fn wide_formulas_go_through_all_passes() {
    const WIDE: usize = 20_000;
    for (separator, part) in [(" & ", "a"), (" | ", "F a"), (" & ", "X !a"), (" | ", "(a & G b"), (" & ", "F[0,3] a")] {
        let close = if part.starts_with('(') { ")" } else { "" };
        let parts: Vec<String> = (0..WIDE).map(|nth| format!("{part}{nth}{close}")).collect();
        let text = parts.join(separator);
        let lowered = lowered(&text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{part}: {errors:?}"));
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{part} is a formula") };
        let names = lowered.variables.names();
        let mut formulas: Formulas = lowered.formulas.clone();
        let split = split_atoms(&mut formulas, &[root]);
        let simplified = Simplifier::new().simplify(&mut formulas, &split);
        let normal = negation_normal_form(&mut formulas, &simplified)[0];
        for root in [root, split[0], simplified[0], normal] {
            // The text of a formula is cut where nobody would read on.
            assert!(formulas.display(root, &names).to_string().len() > WIDE / 2);
        }
        assert!(parse::expression(&text).expect("a formula").to_string().len() > WIDE);
    }
}
