//! What engines need is never more than what is said of it, on all small formulas and random ones.

use proptest::prelude::*;
use traceward_engine::automaton::metric::Magnitude;
use traceward_engine::automaton::subset::{SubsetLimits, determinise};
use traceward_engine::automaton::tableau::{Automaton, Initial};
use traceward_engine::engine::{EngineStatistics, Subsumption};
use traceward_engine::limit::{Feature, Limits};
use traceward_engine::select::{
    Config, EngineCost, EngineName, Online, Prepared, Refused, Simplification, SpaceUnit, engine_costs,
};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::trace::Trace;
use traceward_testkit::generate::{self, Windows};

/// What sums of logarithms may be off by, as a factor.
const ROUNDING: f64 = 1.0 + 1e-9;

fn limits() -> Limits {
    Limits {
        work: 3_000_000,
        slices: 2000,
        nodes: 100_000,
        automaton_states: 500,
        automaton_steps: 200_000,
        claims: 100,
        memory: 8 << 20,
        search: 2000,
        table_states: 200,
        ..Limits::default()
    }
}

fn config(engine: EngineName, subsumption: Subsumption) -> Config {
    Config { engine, subsumption, simplification: Simplification::Off, limits: limits(), ..Config::default() }
}

/// What is kept at the most, of the things that the cost counts.
fn kept(statistics: EngineStatistics, unit: SpaceUnit) -> Option<usize> {
    match unit {
        SpaceUnit::Configurations => statistics.peak_configurations,
        SpaceUnit::Nodes => statistics.peak_nodes,
        SpaceUnit::Spans => statistics.peak_waiting,
        SpaceUnit::TruthValues | SpaceUnit::Conditions | SpaceUnit::States | SpaceUnit::Values => None,
    }
}

/// Compares what an engine needs for a trace with what was said of it, and tells whether there was
/// something to compare.
fn is_within(formulas: &Formulas, formula: FormulaId, trace: &Trace, cost: &EngineCost, config: &Config) -> bool {
    let Ok(most) = &cost.most else { return false };
    let prepared = Prepared::shared(formulas, &[formula], config.simplification);
    let Ok(online) = Online::new(&prepared, 0, config) else { return false };
    let Ok(end) = online.verdict_at_end(&prepared.letters(trace)) else { return false };
    let Some(kept) = end.statistics.and_then(|statistics| kept(statistics, most.unit)) else { return false };
    let names = ["a", "b", "c"].map(std::sync::Arc::from);
    assert!(
        Magnitude::new(kept.max(1) as f64) <= most.space.allows * Magnitude::new(ROUNDING),
        "{} keeps {kept} {} for {} on {} states, more than the {} of {} by {}",
        cost.engine,
        most.unit.name(),
        formulas.display(formula, &names),
        trace.len,
        most.space.allows,
        most.space.formula,
        most.space.name,
    );
    true
}

/// The sizes of the automata that tableau and observer are made of.
fn automata_are_within(formulas: &Formulas, formula: FormulaId, costs: &[EngineCost]) {
    let Prepared { formulas, alphabet, normal, .. } = &Prepared::new(formulas, &[formula], Simplification::Off);
    let Ok(tableau) = Automaton::new(formulas, alphabet, normal[0], Initial::Rejecting, limits()) else { return };
    let allows = |engine| {
        let cost = costs.iter().find(|cost| cost.engine == engine).expect("every engine");
        cost.most.as_ref().map(|most| most.space.allows * Magnitude::new(ROUNDING))
    };
    let states = |count: usize| Magnitude::new(count as f64);
    assert!(allows(EngineName::Tableau).is_ok_and(|most| states(tableau.states().len()) <= most));
    let table = determinise(&tableau, SubsetLimits { state_limit: 2000, ..SubsetLimits::default() });
    if let (Ok(table), Ok(most)) = (table, allows(EngineName::Observer)) {
        // INIT never accepts here, which may take a state more.
        let most = most + Magnitude::new(ROUNDING);
        assert!(states(table.minimal().states()) <= most, "{} states, {most}", table.minimal().states());
    }
}

fn all_within(formulas: &Formulas, formula: FormulaId, traces: &[Trace]) -> usize {
    let mut compared = 0;
    for trace in traces.iter().filter(|trace| trace.len > 0) {
        let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
        let costs = engine_costs(&prepared, 0, &config(EngineName::Auto, Subsumption::On), trace.len);
        assert_eq!(costs.len(), EngineName::ALL.len() - 1);
        automata_are_within(formulas, formula, &costs);
        for cost in costs.iter().filter(|cost| cost.engine.follows()) {
            let config = config(cost.engine, Subsumption::On);
            compared += usize::from(is_within(formulas, formula, trace, cost, &config));
        }
    }
    compared
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_is_needed_is_never_more_than_what_is_said(
        recipe in prop_oneof![
            2 => generate::formula(3, Windows::Steps),
            1 => generate::formula(3, Windows::Unbounded),
            1 => generate::formula(3, Windows::StepsAndTime),
        ],
        traces in proptest::collection::vec(generate::short_trace(3), 3),
        long in generate::trace(3),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        all_within(&formulas, formula, &traces);
        all_within(&formulas, formula, &[long]);
    }
}

fn costs_of(text: &str) -> Vec<(EngineName, EngineCost, String)> {
    let lowered = traceward_testkit::lowered(text, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
    let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    let names = lowered.variables.names();
    let part = |cost: &EngineCost| match &cost.most {
        Err(Refused::Feature(_, Some(part))) => prepared.formulas.display(*part, &names).to_string(),
        _ => String::new(),
    };
    let costs = engine_costs(&prepared, 0, &Config::default(), 1000);
    costs.into_iter().map(|cost| (cost.engine, cost.clone(), part(&cost))).collect()
}

fn of(costs: &[(EngineName, EngineCost, String)], engine: EngineName) -> &(EngineName, EngineCost, String) {
    costs.iter().find(|(name, ..)| *name == engine).expect("every engine")
}

/// `G(p -> F[0,100] q)` has four nodes and three connectives: X = 7, and Y = 3 of them are the
/// bounded operator's, so 4 are outside.
#[test]
fn bounds_are_evaluated() {
    let costs = costs_of("G(p -> F[0,100] q)");
    let space = |engine| of(&costs, engine).1.most.as_ref().expect("it takes bounds in steps").space;
    let close = |engine, expected: f64| {
        let found = space(engine).allows.number();
        assert!((found / expected - 1.0).abs() < 1e-9, "{engine}: {found} instead of {expected}");
    };
    close(EngineName::ForwardBackwardDag, 2.0 * 49.0 * 102.0 * 1000.0);
    close(EngineName::BreadthFirst, 7.0 * 102_f64.powi(7));
    close(EngineName::Generic, 2.0 * 7.0 * 102.0 * (2_f64.powi(8) + 101.0 * 9.0));
    assert_eq!(space(EngineName::Generic).name, "theorem 4.7");
    // Holding, violated, and a state for each number of steps since the request.
    close(EngineName::Observer, 102.0);
    assert_eq!(space(EngineName::Observer).name, "made");
}

#[test]
fn refusals_name_the_operator() {
    let costs = costs_of("G(a -> F[0,3ms] b) & G(a -> O F c)");
    for engine in [EngineName::Tableau, EngineName::Observer, EngineName::ForwardBackward] {
        let (_, cost, part) = of(&costs, engine);
        assert!(matches!(cost.most, Err(Refused::Feature(Feature::BoundsInTime, _))), "{cost:?}");
        assert_eq!(part, "F[0,3ms] b");
    }
    assert!(of(&costs, EngineName::Reverse).1.most.is_ok());
    let costs = costs_of("G(a -> O F c)");
    let (_, cost, part) = of(&costs, EngineName::PrintedBreadthFirst);
    assert!(matches!(cost.most, Err(Refused::Feature(Feature::FutureInsidePast, _))));
    assert_eq!(part, "O F c");
    let costs = costs_of("G(a -> O[0,20000] c)");
    assert_eq!(of(&costs, EngineName::Observer).2, "O[0,20000] c");
}
