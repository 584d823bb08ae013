//! Runs that were saved go on as if nothing had been, for every engine of the table that follows a
//! trace.

use proptest::prelude::*;
use traceward_engine::limit::{BuildError, Limits};
use traceward_engine::saved::RestoreError;
use traceward_engine::select::{Config, EngineName, Online, Prepared, Running, Simplification, Step};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Letters;
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::trace::Trace;
use traceward_testkit::generate::{self, Windows};

/// Every engine that follows a trace, and the observer also without its table.
fn configs() -> Vec<Config> {
    let limits = Limits {
        slices: 2000,
        nodes: 100_000,
        memory: 8 << 20,
        search: 2000,
        table_states: 200,
        automaton_states: 1000,
        automaton_steps: 200_000,
        claims: 100,
        ..Limits::default()
    };
    let following = EngineName::ALL.iter().copied().filter(|engine| engine.follows() && *engine != EngineName::Auto);
    let of = |engine, limits| Config { engine, limits, simplification: Simplification::Off, ..Config::default() };
    let unfolded = of(EngineName::Observer, Limits { table_states: 0, ..limits });
    following.map(|engine| of(engine, limits)).chain([unfolded]).collect()
}

fn online(formulas: &Formulas, formula: FormulaId, config: &Config) -> Result<Online, BuildError> {
    Online::new(&Prepared::shared(formulas, &[formula], config.simplification), 0, config)
}

fn step(run: &mut dyn Running, letters: &Letters, position: usize) -> Option<traceward_logic::verdict::Verdict> {
    let letter = |proposition| letters.bitmap(proposition).get(position);
    let time = letters.time.as_ref().map(|time| time[position]);
    run.step(Step { time, ..Step::new(&letter, position) }).ok()
}

/// Saves a run at every cut of a trace. Those that were restored are followed to the end, beside
/// the one that was never saved.
fn goes_on(online: &Online, trace: &Trace) {
    let letters = online.prepared().letters(trace);
    let Ok(mut run) = online.start() else { return };
    let mut restored: Vec<Box<dyn Running>> = Vec::new();
    for position in 0..letters.len {
        let again = online.restore(&run.save()).expect("its own bytes");
        assert_eq!(again.verdict(), run.verdict(), "{} at {position}", online.engine());
        restored.push(again);
        let Some(verdict) = step(&mut *run, &letters, position) else { return };
        for (cut, other) in restored.iter_mut().enumerate() {
            let found = step(&mut **other, &letters, position);
            // An observer has to search again for what it knew, and may reach a limit where the
            // original has found out in several steps.
            let searches_again = online.engine() == EngineName::Observer;
            assert!(
                found == Some(verdict) || found.is_none() && searches_again,
                "{} saved at {cut}, at {position}: {found:?} instead of {verdict}",
                online.engine()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_restored_run_gives_the_same_verdicts(
        recipe in prop_oneof![
            generate::formula(3, Windows::Steps),
            generate::formula(3, Windows::StepsAndTime),
        ],
        trace in generate::short_trace(3),
    ) {
        let mut formulas = Formulas::new();
        let formula = recipe.build(&mut formulas);
        for config in configs() {
            if let Ok(online) = online(&formulas, formula, &config) {
                goes_on(&online, &trace);
            }
        }
    }
}

fn of_text(text: &str, config: &Config) -> Online {
    let lowered = traceward_testkit::lowered(text, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(formula) = lowered.properties[0].claim else { panic!("{text} is a formula") };
    online(&lowered.formulas, formula, config).expect("every engine takes it")
}

#[test]
fn bytes_of_others_are_refused_and_so_are_damaged_ones() {
    for config in configs() {
        let engine = of_text("G(a -> F[0,3] b) & (a S b | F a)", &config);
        let mut run = engine.start().expect("a run");
        for position in 0..3 {
            run.step(Step::new(&|proposition| proposition.0 == 0, position)).expect("a small run");
        }
        let saved = run.save();
        for cut in 0..saved.len() {
            assert!(engine.restore(&saved[..cut]).is_err(), "{} cut at {cut}", engine.engine());
            let mut changed = saved.clone();
            changed[cut] ^= 1 << (cut % 8);
            assert!(engine.restore(&changed).is_err(), "{} changed at {cut}", engine.engine());
        }
        let other = of_text("G(b -> F[0,3] a)", &config);
        assert_eq!(other.restore(&saved).err(), Some(RestoreError::OtherFormula), "{}", engine.engine());
        for foreign in configs().iter().filter(|foreign| foreign.engine != config.engine) {
            let foreign = of_text("G(a -> F[0,3] b) & (a S b | F a)", foreign);
            let expected = RestoreError::OtherEngine(engine.engine().name().to_owned());
            assert_eq!(foreign.restore(&saved).err(), Some(expected));
        }
    }
}
