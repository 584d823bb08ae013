//! Formulas whose parts are all asked everywhere, as those are that have very many places, and
//! those of the shapes that are asked most.

use super::plan::Demand;
use super::{AskedAt, Goal, Streaming};
use crate::engine::EngineConfig;
use crate::engine::follow::{Follow, Step};
use crate::prepared::{Prepared, Simplification};
use proptest::prelude::*;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Node};
use traceward_logic::lower::{self, Claim, Schema};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;
use traceward_testkit::generate::{self, Windows};

/// How often it is looked at what is kept.
#[derive(Clone, Copy, Debug)]
enum Looks {
    AsUsual,
    /// Never, so that whoever does not wait any more is forgotten on the way alone.
    Never,
}

/// Compares the verdict after every state with the definition, and whether what is final stays so.
fn agrees(formulas: &Formulas, root: FormulaId, trace: &Trace, demand: Demand, looks: Looks) {
    let Prepared { formulas: arena, alphabet, normal, .. } = &Prepared::new(formulas, &[root], Simplification::Off);
    let config = EngineConfig::default();
    let engine = Streaming::asked(arena, alphabet, normal[0], AskedAt::Start, demand, config);
    let engine = engine.expect("it takes every formula");
    let letters = traceward_logic::letter::letters(arena, alphabet, trace);
    let mut run = engine.start().expect("no limit is reached");
    if let Looks::Never = looks {
        run.next_look = u64::MAX;
    }
    let whole = semantics::satisfied(formulas, root, trace).expect("booleans do not fail");
    for position in 0..trace.len {
        let letter = |proposition| letters.bitmap(proposition).get(position);
        let time = trace.time.as_ref().map(|time| time[position]);
        let verdict = engine.step(&mut run, Step { letter: &letter, position: position as u64, time });
        let verdict = verdict.expect("no limit is reached");
        let positions: Vec<u32> = (0..=position as u32).collect();
        let holds = semantics::satisfied(formulas, root, &trace.gather(&positions)).expect("booleans do not fail");
        assert_eq!(matches!(verdict, Verdict::Satisfied | Verdict::Holding), holds, "at {position}, {looks:?}");
        assert!(!verdict.is_final() || holds == whole, "{verdict} at {position}, {looks:?}");
    }
}

/// A formula over p, q and r, and further variables, which always hold.
fn agrees_on(text: &str, states: &[State]) {
    let schema = Schema { has_time: true, ..Schema::default() };
    let lowered = traceward_testkit::lowered(text, lower::Goal::Check, None, Some(&schema)).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let column = |name: &str| -> Bitmap {
        let holds = |state: &State| match name {
            "p" => state.p,
            "q" => state.q,
            "r" => state.r,
            _ => true,
        };
        states.iter().map(holds).collect()
    };
    let columns = lowered.variables.names().iter().map(|name| column(name)).collect();
    let mut trace = Trace::of_bools(states.len(), columns);
    let times = states.iter().scan(0, |now, state| {
        *now += state.gap * 1_000_000;
        Some(*now)
    });
    trace.time = Some(times.collect());
    for looks in [Looks::AsUsual, Looks::Never] {
        agrees(&lowered.formulas, root, &trace, Demand::WhereItMatters, looks);
    }
}

/// A state, so many milliseconds after the one before.
#[derive(Clone, Copy, Debug)]
struct State {
    p: bool,
    q: bool,
    r: bool,
    gap: i64,
}

/// Requests, answers and what holds in between, each often or seldom.
fn states() -> impl Strategy<Value = Vec<State>> {
    let often = || prop_oneof![Just(0.05), Just(0.5), Just(0.95)];
    (often(), often(), often()).prop_flat_map(|(p, q, r)| {
        let holds = |often| proptest::bool::weighted(often);
        let gap = prop_oneof![8 => 0_i64..3, 1 => 0_i64..20];
        let state = (holds(p), holds(q), holds(r), gap).prop_map(|(p, q, r, gap)| State { p, q, r, gap });
        proptest::collection::vec(state, 1..48)
    })
}

/// A bound in steps or in milliseconds, which may open later.
fn bound() -> impl Strategy<Value = String> {
    let unit = prop_oneof![Just(""), Just("ms")];
    let from = prop_oneof![Just(0_u64), 0_u64..8];
    (unit, from, 0_u64..10).prop_map(|(unit, from, width)| format!("[{from}{unit},{}{unit}]", from + width))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn parts_that_are_asked_everywhere_agree_with_the_definition(
        recipe in generate::formula(3, Windows::StepsAndTime),
        trace in generate::short_trace(3),
    ) {
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        agrees(&formulas, root, &trace, Demand::Everywhere, Looks::AsUsual);
    }

    /// Windows at the top that open at once or later, in steps and in time, strong and weak.
    #[test]
    fn windows_at_the_top_agree_with_the_definition(
        states in states(),
        bound in bound(),
        operator in prop_oneof![Just("U"), Just("W"), Just("R")],
    ) {
        agrees_on(&format!("G(p -> (r {operator}{bound} q))"), &states);
    }

    /// Of those who ask while the operand is not asked the first is enough.
    #[test]
    fn bounds_inside_each_other_agree_with_the_definition(
        states in states(),
        outer in bound(),
        inner in bound(),
        form in prop_oneof![Just("F"), Just("r U"), Just("q U")],
    ) {
        agrees_on(&format!("G(p -> ({form}{outer} (q & G{inner} r)))"), &states);
        agrees_on(&format!("G(p -> ({form}{outer} (q & F{inner} !r)))"), &states);
    }

    /// One word has no room for what is asked in each state.
    #[test]
    fn formulas_with_very_many_parts_agree_with_the_definition(states in states(), bound in bound()) {
        let others: String = (0..70).map(|nth| format!(" & v{nth}")).collect();
        agrees_on(&format!("G((p{others}) -> (r U{bound} q))"), &states);
    }
}

/// The places of a formula may double with each operator around it; its parts must not.
#[test]
fn formulas_in_very_many_places_are_one_part_each() {
    use traceward_logic::expr::Expr;
    use traceward_logic::trace::VariableId;
    let mut formulas = Formulas::new();
    let atoms: Vec<_> = (0..40).map(|atom| formulas.intern_atom(Expr::Variable(VariableId(atom)))).collect();
    let mut root = atoms[0];
    for atom in &atoms {
        let ahead = formulas.intern(Node::Eventually(Direction::Future, Interval::steps(1, Some(2)), root));
        root = formulas.xor(*atom, ahead);
    }
    let prepared = Prepared::new(&formulas, &[root], Simplification::Off);
    let engine = Streaming::compile(&prepared, 0, EngineConfig::default()).expect("it takes every formula");
    assert!(matches!(engine.goal, Goal::First(_)));
    assert!(engine.parts() < 400, "{}", engine.parts());
}
