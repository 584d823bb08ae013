//! `dialect mtl` against metric temporal logic as its definition has it: the left side of a bounded
//! operator is owed from now on. The evaluator below knows nothing of rewriting.

use std::fmt;
use traceward_logic::ast::Dialect;
use traceward_logic::diagnostic::{Diagnostic, Severity, SourceId};
use traceward_logic::lower::{self, Claim, Declarations, Goal, Lowered, Schema};
use traceward_logic::semantics;
use traceward_logic::trace::{Column, Trace};
use traceward_logic::{parse, print};
use traceward_testkit::lowered;

#[derive(Clone)]
enum Mtl {
    Atom(&'static str),
    Not(Box<Mtl>),
    Binary(char, Window, Box<Mtl>, Box<Mtl>),
}

/// The window of an operator: its ends, none if there is no far one, and its unit.
#[derive(Clone, Copy)]
struct Window {
    from: i64,
    to: Option<i64>,
    unit: &'static str,
}

impl fmt::Display for Mtl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(name) => f.write_str(name),
            Self::Not(operand) => write!(f, "!({operand})"),
            Self::Binary(op, Window { from, to, unit }, left, right) => {
                let to = to.map_or("inf".to_owned(), |to| format!("{to}{unit}"));
                write!(f, "(({left}) {op}[{from}{unit},{to}] ({right}))")
            }
        }
    }
}

impl Window {
    /// Whether a position lies in the window of another one, behind it or before it.
    fn has(self, states: &States, j: usize, i: usize) -> bool {
        let distance = states.distance(self, j, i);
        self.from <= distance && self.is_near(distance)
    }

    fn is_near(self, distance: i64) -> bool {
        self.to.is_none_or(|to| distance <= to)
    }
}

/// The states of a trace: for each variable its bits, and timestamps.
struct States {
    bits: [Vec<bool>; 2],
    time: Vec<i64>,
}

impl States {
    fn len(&self) -> usize {
        self.time.len()
    }

    fn distance(&self, window: Window, j: usize, i: usize) -> i64 {
        if window.unit.is_empty() { j.abs_diff(i) as i64 } else { (self.time[j] - self.time[i]).abs() }
    }

    fn trace(&self) -> Trace {
        let columns = self.bits.iter().map(|bits| Column::of_bools(bits.iter().copied().collect())).collect();
        Trace { len: self.len(), columns, time: Some(self.time.clone().into()) }
    }
}

/// Whether a formula of MTL holds at a position.
fn holds(formula: &Mtl, states: &States, j: usize) -> bool {
    let (op, window, left, right) = match formula {
        Mtl::Atom("true") => return true,
        Mtl::Atom("false") => return false,
        Mtl::Atom(name) => return states.bits[usize::from(*name == "b")][j],
        Mtl::Not(operand) => return !holds(operand, states, j),
        Mtl::Binary(op, window, left, right) => (*op, *window, left, right),
    };
    let is_past = matches!(op, 'S' | 'B' | 'T');
    let reach: Vec<usize> = if is_past { (0..=j).rev().collect() } else { (j..states.len()).collect() };
    // Positions in the order in which the operator comes to them, from now on.
    let mut inside = reach.iter().enumerate().filter(|(_, i)| window.has(states, j, **i));
    let before = |nth: usize| &reach[..nth];
    match op {
        'U' | 'S' => {
            inside.any(|(nth, &i)| holds(right, states, i) && before(nth).iter().all(|&k| holds(left, states, k)))
        }
        'W' | 'B' => {
            let until = if is_past { 'S' } else { 'U' };
            let mut near = reach.iter().filter(|i| window.is_near(states.distance(window, j, **i)));
            near.all(|&k| holds(left, states, k))
                || holds(&Mtl::Binary(until, window, left.clone(), right.clone()), states, j)
        }
        'R' | 'T' => {
            inside.all(|(nth, &i)| holds(right, states, i) || before(nth).iter().any(|&k| holds(left, states, k)))
        }
        _ => unreachable!("no operator"),
    }
}

const OPERATORS: [char; 6] = ['U', 'W', 'R', 'S', 'B', 'T'];

fn windows(unit: &'static str, from: std::ops::RangeInclusive<i64>, to: i64) -> Vec<Window> {
    let ends = |from: i64| (from..=to).map(Some).chain([None]).map(move |to| Window { from, to, unit });
    from.flat_map(ends).collect()
}

fn atom(name: &'static str) -> Box<Mtl> {
    Box::new(Mtl::Atom(name))
}

/// All traces of two variables up to a length, each with these timestamps.
fn traces(longest: usize, times: impl Fn(usize) -> Vec<Vec<i64>>) -> Vec<States> {
    let mut traces = Vec::new();
    for len in 1..=longest {
        for time in times(len) {
            for code in 0..1_u32 << (2 * len) {
                let bits = [0, 1].map(|variable| (0..len).map(|i| code >> (2 * i + variable) & 1 == 1).collect());
                traces.push(States { bits, time: time.clone() });
            }
        }
    }
    traces
}

/// All timestamps that begin at 0 and go on by 0, 1 or 3.
fn all_times(len: usize) -> Vec<Vec<i64>> {
    let longer = |times: Vec<Vec<i64>>| {
        let next = |time: &Vec<i64>| [0, 1, 3].map(|gap| [&time[..], &[time[time.len() - 1] + gap]].concat());
        times.iter().flat_map(next).collect()
    };
    (1..len).fold(vec![vec![0]], |times, _| longer(times))
}

fn read(text: &str) -> Lowered {
    let spec = parse::spec(SourceId::default(), text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let schema = Schema { has_time: true, ..Schema::default() };
    lower::lower(&[(spec, Goal::Check)], &Declarations::default(), Some(&schema))
        .unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// Where the one property of a spec holds.
fn truth(spec: &Lowered, trace: &Trace) -> Vec<bool> {
    let Claim::Formula(root) = spec.properties[0].claim else { panic!("a formula") };
    semantics::truth(&spec.formulas, root, trace).expect("no arithmetic")
}

/// Compares a formula, read in the dialect, with its definition at every position. Returns at how
/// many positions the language without the dialect says otherwise.
fn compare(formula: &Mtl, traces: &[States]) -> usize {
    // Both variables are mentioned first, so that their columns are known.
    let text = format!("(a & b | true) & {formula}");
    let spec = |dialect: &str| read(&format!("dialect {dialect}\n{text}"));
    let (mtl, ours) = (spec("mtl"), spec("traceward"));
    let mut differences = 0;
    for states in traces {
        let trace = states.trace();
        let expected: Vec<bool> = (0..states.len()).map(|j| holds(formula, states, j)).collect();
        let found = truth(&mtl, &trace);
        assert_eq!(found, expected, "{formula} on {:?} at {:?}", states.bits, states.time);
        differences += truth(&ours, &trace).iter().zip(&expected).filter(|(one, other)| one != other).count();
    }
    differences
}

fn all(windows: &[Window], traces: &[States]) {
    for op in OPERATORS {
        for &window in windows {
            let differences = compare(&Mtl::Binary(op, window, atom("a"), atom("b")), traces);
            // A weak operator also owes its left side where the window lies behind the end.
            let reaches = window.from <= 3 || matches!(op, 'W' | 'B');
            assert_eq!(differences > 0, window.from > 0 && reaches, "{op} from {}", window.from);
        }
    }
}

#[test]
fn bounds_in_steps_are_those_of_mtl() {
    all(&windows("", 0..=6, 6), &traces(4, |len| vec![(0..).take(len).collect()]));
}

#[test]
fn bounds_in_time_are_those_of_mtl() {
    all(&windows("ns", 0..=3, 5), &traces(4, all_times));
}

#[test]
fn operators_nest() {
    let traces = traces(3, all_times);
    for outer in OPERATORS {
        for inner in OPERATORS {
            let time = Window { from: 2, to: Some(3), unit: "ns" };
            let steps = Window { from: 1, to: Some(2), unit: "" };
            let inside = Mtl::Binary(inner, steps, atom("b"), Box::new(Mtl::Not(atom("a"))));
            let left = Mtl::Binary(outer, time, Box::new(inside.clone()), atom("b"));
            let right = Mtl::Binary(outer, time, Box::new(Mtl::Not(atom("a"))), Box::new(Mtl::Not(Box::new(inside))));
            compare(&left, &traces);
            compare(&right, &traces);
        }
    }
}

#[test]
fn the_empty_trace_is_judged_alike() {
    for op in OPERATORS {
        let text = format!("a {op}[2,3] b");
        let judged = ["mtl", "traceward"].map(|dialect| {
            let spec = read(&format!("dialect {dialect}\n{text}"));
            let Claim::Formula(root) = spec.properties[0].claim else { panic!("{text} is a formula") };
            semantics::holds_on_empty(&spec.formulas, root)
        });
        assert_eq!(judged, [matches!(op, 'W' | 'R' | 'B' | 'T'); 2], "{op}");
    }
}

fn core(text: &str) -> String {
    let spec = lowered(text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let Claim::Formula(root) = spec.properties[0].claim else { panic!("{text} is a formula") };
    spec.formulas.display(root, &spec.variables.names()).to_string()
}

#[test]
fn the_rewriting_is_as_small_as_it_can_be() {
    for (written, meant) in [
        ("a U[2,5] b", "G[0,1] a & a U[2,5] b"),
        ("a U(0,5] b", "G[0,0] a & a U[1,5] b"),
        ("a U[2s,5s) b", "G[0,1999999999ns] a & a U[2s,4999999999ns] b"),
        ("a W[2,inf] b", "G[0,1] a & a W[2,inf] b"),
        ("a R[2,5] b", "F[0,1] a | a R[2,5] b"),
        ("a S[2,5] b", "H[0,1] a & a S[2,5] b"),
        ("a T[2,5] b", "O[0,1] a | a T[2,5] b"),
        ("a U[0,5] b", "a U[0,5] b"),
        ("a U b", "a U b"),
        ("F[2,5] a & G[2,5] b", "F[2,5] a & G[2,5] b"),
        ("{a U[2,5] b}", "G[0,1] a & a U[2,5] b"),
        ("true U[2,5] b", "true U[2,5] b"),
    ] {
        let mut found = core(&format!("dialect mtl\n{written}"));
        // How brackets are written is not what is tested here.
        found.retain(|c| !matches!(c, '(' | ')'));
        assert_eq!(found, meant, "{written}");
    }
}

/// A definition is read in the dialect that is declared where it stands.
#[test]
fn a_dialect_holds_from_its_declaration_on() {
    let text = "let f = a U[2,5] b; dialect mtl let g = a U[2,5] b; dialect traceward property p = f | g";
    assert!(core(text).contains("G[0,1] a"), "{}", core(text));
    assert!(!core("dialect mtl dialect traceward property p = a U[2,5] b").contains("G[0,1]"));
}

#[test]
fn a_text_of_another_dialect_is_refused() {
    let asked = Some(Dialect::Mtl);
    let read = |text: &str| parse::spec_in(asked, SourceId::default(), text);
    assert!(read("dialect mtl\na U[2,5] b").is_ok());
    let errors = read("dialect opra\na U[2,5] b").expect_err("two dialects");
    assert_eq!(errors[0].message, "this is `dialect opra`, and `mtl` is asked for");
    let tree = print::tree(&read("a U[2,5] b").expect("a formula").statements[0].body);
    assert_eq!(tree.lines().next(), Some("U[2,5], from now on (mtl)"));
}

fn notes(text: &str) -> Vec<Diagnostic> {
    lowered(text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).warnings
}

/// Where nothing is declared and both readings differ, there is one note; elsewhere none.
#[test]
fn what_a_window_means_is_said_once() {
    let told = notes("property p = a U[2,5] b & a S[1,2] b\nproperty q = a U[2,5] b");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].severity, Severity::Note);
    assert_eq!(told[0].message, "the left side of `U[2,5]` counts from the opening of the window on, not from now on");
    let told = notes("G(a T[1s,inf] b)");
    assert_eq!(told[0].message, "the left side of `T[1s,inf]` counts up to where the window ends, not up to now");
    for op in OPERATORS {
        assert_eq!(notes(&format!("G(a {op}[2,5] b)")).len(), 1, "{op}");
        for dialect in ["mtl", "traceward"] {
            assert!(notes(&format!("dialect {dialect} G(a {op}[2,5] b)")).is_empty(), "{op} in {dialect}");
        }
        assert!(notes(&format!("G(a {op}[0,5] b) & F[2,5] a & (a {op} b)")).is_empty(), "{op}");
    }
}

/// Constants, on the left or on the right: both readings are right, and there is a note just where
/// some trace tells them apart.
#[test]
fn there_is_a_note_only_where_readings_differ() {
    let traces = traces(3, all_times);
    for op in OPERATORS {
        for (left, right) in [("true", "b"), ("false", "b"), ("a", "true"), ("a", "false"), ("true", "true")] {
            for unit in ["", "ns"] {
                let formula = Mtl::Binary(op, Window { from: 1, to: Some(2), unit }, atom(left), atom(right));
                let differ = compare(&formula, &traces) > 0;
                assert_eq!(!notes(&format!("G({formula})")).is_empty(), differ, "{formula}");
            }
        }
    }
}
