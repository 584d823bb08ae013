//! What is said of specs that are wrong. All of it in one snapshot, to be read as a stranger would.

use traceward::{Goal, Source, Spec, check};

const TRACE: &str = "request,grant,a,b,c,x,y,s,Activity name\ntrue,false,true,false,true,2,3.5,foo,Triage\n";

/// Specs that cannot be asked of the trace above, or are probably not what was meant.
const BAD: &[(&str, &str)] = &[
    ("nothing", ""),
    ("a misspelt name", "G(request -> F grnat)"),
    ("two misspelt names", "G(requst -> F grnat)"),
    ("a name like nothing else", "G voltage"),
    ("another case", "G(Request -> grant)"),
    ("no left side", "U a"),
    ("no right side", "a U"),
    ("no right side of a connective", "a &"),
    ("no operand", "G"),
    ("no operand in brackets", "F()"),
    ("an unclosed bracket", "G(request -> F grant"),
    ("a bracket that closes nothing", "request)"),
    ("two formulas", "request grant"),
    ("two operators", "request & | grant"),
    ("an unknown character", "a @ b"),
    ("single quotes", "s == 'foo'"),
    ("an unclosed string", "s == \"foo"),
    ("an unclosed name", "`Activity name == \"Triage\""),
    ("an empty interval", "F[3,2] a"),
    ("an interval that is empty without its ends", "F(2,3) a"),
    ("an infinite lower end", "F[inf,inf] a"),
    ("a negative bound", "F[-1,2] a"),
    ("a bound on next", "X[1,2] a"),
    ("a bound on strong release", "a M[0,2] b"),
    ("steps and time mixed", "F[5,1h] a"),
    ("a fraction of a step", "F[0,1.5] a"),
    ("an exponent in a bound", "F[0,1e3s] a"),
    ("several units in a bound", "F[0,1h30min] a"),
    ("a fraction of a nanosecond", "F[0,0.5ns] a"),
    ("a bound that is too large", "F[0,99999999999999999999] a"),
    ("a bound that is no number", "a U[b] c"),
    ("an unknown unit", "F[0,5sec] a"),
    ("a bound in time without timestamps", "G(request -> F[0,250ms] grant)"),
    ("time without timestamps", "G(time > 0)"),
    ("a number for a formula", "x + 1"),
    ("a number column for a formula", "G x"),
    ("a negated number", "!x"),
    ("a string for a formula", "\"Triage\""),
    ("a string column for a formula", "G s"),
    ("a number against a string", "x + 1 < \"a\""),
    ("a string against a number", "s == 5"),
    ("arithmetic with a boolean", "a + 1 > 0"),
    ("booleans in order", "a < b"),
    ("chained comparisons", "1 < x < 3"),
    ("a formula compared", "(X a) == b"),
    ("an unknown function", "cuont(a) > 2"),
    ("too many arguments", "abs(x, y) > 1"),
    ("no arguments", "abs() > 1"),
    ("a broken regular expression", "matches(s, \"(\")"),
    ("len of a number", "len(x + 1) == 2"),
    ("empty braces", "{} U {a}"),
    ("an unclosed set", "x in {1, 2"),
    ("a name in a set", "x in {y}"),
    ("an operator word as a name", "property U = G a"),
    ("a property without a name", "property = G a"),
    ("a property without a formula", "property p ="),
    ("no equals sign", "property p G a"),
    ("a misspelt statement", "proprety p = G a"),
    ("a name taken twice", "property p = G a\nproperty p = F a"),
    ("a circular definition", "let p = q & a\nlet q = p | b\nproperty r = G p"),
    ("a formula beside named ones", "property p = G a;\nF b"),
    ("several errors in one file", "property p = G(a &)\nproperty q = F[2,1] b\nproperty r = G grnat"),
    ("an unknown setting", "trace { evnt `Activity name` }\nG a"),
    ("an unknown unit of a time column", "trace { time x:sec }\nG a"),
    ("an unknown dialect", "dialect oprah\nG a"),
    ("a query compared inside", "G(max(x) < 3)"),
    ("a query under always", "G (a : x)"),
    ("two values without a function", "(a : x) & (b : x)"),
    ("a value or a formula", "(a : x) | b"),
    ("a function of a formula and a number", "(a : x) &[+] b"),
    ("an unknown combining function", "(a : x) &[plus] (b : x)"),
    ("a function that looks outside", "F[v => v + y] (a : x)"),
    ("a quantile above one", "quantile(99, x)"),
    ("a sum of formulas", "sum(a)"),
    ("an assert without a comparison", "assert p = max(x)"),
    ("an assert of a number and a string", "assert p = count(a) < \"three\""),
    ("latency of something else", "max(latency(a))"),
    ("a query where a formula is needed", "property p = max(x)"),
    ("the past outside", "O a"),
    ("a duration in an expression", "x > 5ms"),
    ("a number that is too large", "x > 99999999999999999999"),
    ("a column in square brackets", "q[0] > 1"),
    ("a member behind square brackets", "a.b[2].c"),
    ("a number that begins with its point", "x > .5"),
    ("uses as a number and as a string", "G(x > 3) & F(x == \"a\")"),
    ("uses as a formula and as a string", "name & name == \"a\""),
    ("variables that share a type", "x == name & x > 3 & name == \"a\""),
    ("a declaration against a use", "trace { x: string } property p = G(x > 3)"),
    ("an order of declared booleans", "trace { a: boolean } property p = G(a < b)"),
    ("two declarations of one variable", "trace { a: boolean  a: string } property p = G a"),
    ("the past of a formula", "G past(F a)"),
    ("the past of a query", "G(past(max(x)) > 1)"),
    ("a step back that is no number", "G(past(x, y) > 1)"),
    ("no step back", "G(past(x, 0) > 1)"),
    ("too many steps back", "G(past(x, 1000001) > 1)"),
    ("too many steps back in all", "G(past(past(x, 1000000)) > 1)"),
    ("too many arguments of past", "G(past(x, 1, 2) > 1)"),
    ("a number that rises", "G rose(x)"),
    ("a difference of booleans", "G(delta(a) > 1)"),
    ("an earlier value in a function", "F[v => past(v)] (a : x)"),
    ("a word of earlier states without an argument", "G $past"),
    ("an earlier value outside", "past(x) > 1"),
    ("a comparison behind next", "G(X x >= x)"),
    ("a comparison behind previous", "G(prev x + 1 == x)"),
    ("an earlier value of another type", "G(past(x) == s)"),
    ("a fold without an arrow", "fold(0, (acc, v) acc + v, x)"),
    ("a fold with another arrow", "fold(0, (acc, v) -> acc + v, x)"),
    ("a fold of one parameter", "fold(0, v => v + 1, x)"),
    ("a fold of three parameters", "fold(0, (a, b, c) => a, x)"),
    ("a fold with a number for a parameter", "fold(0, (acc, 1) => acc, x)"),
    ("a fold by an operator", "fold(0, +, x)"),
    ("a fold from a variable", "fold(x, (acc, v) => acc + v, x)"),
    ("a fold without a start", "fold((acc, v) => acc + v, x)"),
    ("a fold without a query", "fold(0, (acc, v) => acc + v)"),
    ("a fold of two queries", "fold(0, (acc, v) => acc + v, x, y)"),
    ("a fold that looks outside", "fold(0, (acc, v) => acc + y, x)"),
    ("a fold that changes its type", "fold(0, (acc, v) => acc > v, x)"),
    ("a fold that starts from a string", "fold(\"\", (acc, v) => len(acc) + v, x)"),
    ("a fold of strings as numbers", "fold(0, (acc, v) => v, s == \"foo\" : s)"),
    ("a misspelt order", "fold(0, (acc, v) => acc + v, x) foward"),
    ("a misspelt condition of a fold", "fold(0, (acc, v) => acc + v, x) wihle a"),
    ("an order of something else", "max(x) forward"),
    ("an order behind the condition", "fold(0, (acc, v) => acc + v, x) while a forward"),
    ("an order in front", "forward fold(0, (acc, v) => acc + v, x)"),
    ("a fold inside a property", "G (fold(0, (acc, v) => acc + v, x) > 3)"),
    ("a misspelt fold", "flod(0, (acc, v) => acc + v, x)"),
    ("buckets of strings", "histogram(5, s != \"\" : s)"),
    ("buckets of a column of strings", "histogram(5, s)"),
    ("buckets of formulas", "histogram(5, a)"),
    ("a type that does not exist", "trace { a: strin } property p = G a"),
];

fn said_of(text: &str) -> String {
    match Spec::parse(vec![Source::new("bad.tw", text, Goal::Check)]) {
        Err(error) => error.to_string(),
        Ok(spec) => match check(&spec, TRACE.as_bytes()) {
            Err(error) => error.render("trace.csv", traceward::message::Style::default()),
            Ok(_) => spec.warnings(traceward::message::Style::default()).join("\n"),
        },
    }
}

#[test]
fn every_bad_spec_is_told_what_is_wrong_and_where() {
    let mut all = String::new();
    for (what, text) in BAD {
        let said = said_of(text);
        assert!(!said.is_empty(), "{what}: nothing is said of {text:?}");
        all.push_str(&format!("=== {what}\n{}\n\n", said.trim_end()));
    }
    assert!(BAD.len() >= 40);
    insta::assert_snapshot!(all);
}

#[test]
fn deep_nesting_is_a_clean_error() {
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    let said = Spec::parse(vec![Source::new("deep.tw", deep, Goal::Check)]).expect_err("too deep");
    assert_eq!(said.diagnostics().len(), 1);
    assert!(said.diagnostics()[0].message.contains("nested more than"), "{said}");
}
