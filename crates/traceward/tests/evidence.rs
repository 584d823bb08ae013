//! The states that evidence names decide alone: whatever other states say, the property is
//! violated.

use proptest::prelude::*;
use std::collections::BTreeSet;
use traceward::report::{Violation, Why};
use traceward::{CheckOptions, Extent, PropertyReport, Spec, Verdict, check_with};
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Node};
use traceward_testkit::generate::{self, Windows};

/// The names of the variables.
const NAMES: [&str; 2] = ["a", "b"];

/// A state: a value for each variable.
type Row = [bool; 2];

fn csv(rows: &[Row]) -> String {
    let line = |[a, b]: &Row| format!("{a},{b}\n");
    format!("a,b\n{}", rows.iter().map(line).collect::<String>())
}

fn asked(formula: &str, rows: &[Row], extent: Extent) -> PropertyReport {
    let spec: Spec = formula.parse().unwrap_or_else(|error| panic!("{formula}: {error:?}"));
    let options = CheckOptions::default().max_violations(3);
    let options = if extent == Extent::Prefix { options.prefix() } else { options };
    let report = check_with(&spec, csv(rows).as_bytes(), &options).expect("booleans cannot fail");
    report.properties.into_iter().next().expect("one property")
}

/// The reasons that a report gives.
fn reasons(report: &PropertyReport) -> Vec<&Why> {
    let first = report.evidence.violations.iter().flat_map(|found| &found.first);
    first.chain(&report.evidence.judged_at).filter_map(|one: &Violation| one.why.as_ref()).collect()
}

fn states(why: &Why) -> BTreeSet<usize> {
    why.states.iter().cloned().flatten().collect()
}

/// The rows with other values in states that are not named, and with more states behind.
fn other(rows: &[Row], named: &BTreeSet<usize>, seed: u64, more: usize) -> Vec<Row> {
    let mut state = seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 33
    };
    let mut changed = Vec::new();
    for (position, row) in rows.iter().enumerate() {
        let bits = random();
        changed.push(if named.contains(&position) { *row } else { [bits & 1 == 1, bits & 2 == 2] });
    }
    changed.extend((0..more).map(|_| [random() & 1 == 1, random() & 1 == 1]));
    changed
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(any::<Row>(), 1..8)
}

/// Whether the language has the formula: `M` takes no bound there, and has no mirror in the past.
fn can_be_written(formulas: &Formulas, formula: FormulaId) -> bool {
    let has_a_text = |part: &FormulaId| match formulas.node(*part) {
        Node::Binary(BinaryOp::StrongRelease, direction, interval, ..) => {
            direction == Direction::Future && interval.is_all()
        }
        _ => true,
    };
    formulas.parts(&[formula]).iter().all(has_a_text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn named_states_decide(recipe in generate::formula(2, Windows::Steps), rows in rows(), seed in any::<u64>()) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        prop_assume!(can_be_written(&formulas, formula));
        let text = formulas.display(formula, &NAMES.map(Into::into)).to_string();
        for (extent, more) in [(Extent::Whole, 0), (Extent::Prefix, 4)] {
            let report = asked(&text, &rows, extent);
            if report.verdict != Verdict::Violated {
                continue;
            }
            if extent == Extent::Whole {
                prop_assert!(!reasons(&report).is_empty(), "{text} has a reason on {rows:?}");
            }
            for why in reasons(&report) {
                for nth in 0..6 {
                    let other = other(&rows, &states(why), seed.wrapping_add(nth * 7919), more * (nth as usize % 2));
                    let verdict = asked(&text, &other, Extent::Whole).verdict;
                    prop_assert_eq!(verdict, Verdict::Violated, "{} on {:?}, not on {:?}: {:?}", text, rows, other, why);
                }
            }
        }
    }
}

#[test]
fn values_of_earlier_states_belong_to_what_decides() {
    let text = "trace { a: number } property p = G !(past(a, 2) > a + 1)";
    let spec: Spec = text.parse().expect("a spec");
    let report = check_with(&spec, b"a\n1\n9\n2\n3\n".as_slice(), &CheckOptions::default()).expect("numbers");
    let states: Vec<BTreeSet<usize>> = reasons(&report.properties[0]).into_iter().map(states).collect();
    assert_eq!(states, [BTreeSet::from([1, 2, 3])]);
}
