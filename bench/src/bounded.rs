//! Bounds in steps online: `G(p -> F[0,n] q)` on traces on which it holds to the end, with answers
//! 0 to n states after their requests. What is verified is the verdict after every state, by
//! counting those at which an answer is owed.

use crate::{Row, measured};
use traceward_engine::engine::Decision;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::engine::forward_backward_dag::ForwardBackwardDag;
use traceward_engine::engine::generic::Generic;
use traceward_engine::engine::{self, Subsumption};
use traceward_engine::select::{Config, EngineName, Online, Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::{self, Letters};
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;

const STATES: usize = 4_000_000;

/// Requests and answers, and at how many states an answer is owed.
struct Responses {
    requests: Bitmap,
    answers: Bitmap,
    owing: u64,
}

impl Responses {
    /// Every answer comes 0 to `latest` states after the first request that it answers, each delay
    /// as often as any other; between them a quarter of the states is a request.
    fn new(len: usize, latest: usize) -> Self {
        let mut random = 0x2545_F491_4F6C_DD1D_u64;
        let mut below = |limit: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % limit as u64) as usize
        };
        let (mut requests, mut answers) = (Bitmap::filled(len, false), Bitmap::filled(len, false));
        let mut position = 0;
        while position + latest < len {
            let answer = position + below(latest + 1);
            requests.set(position, true);
            (position + 1..answer).filter(|_| below(4) == 0).for_each(|one| requests.set(one, true));
            answers.set(answer, true);
            position = answer + 1 + below(4);
        }
        let mut is_owed = false;
        let owing = (0..len).filter(|&at| {
            is_owed = (is_owed || requests.get(at)) && !answers.get(at);
            is_owed
        });
        let owing = owing.count() as u64;
        Self { requests, answers, owing }
    }

    fn letters(&self, lowered: &[std::sync::Arc<str>], prepared: &Prepared) -> Letters {
        let column =
            |name: &std::sync::Arc<str>| if &**name == "p" { self.requests.clone() } else { self.answers.clone() };
        let trace = Trace::of_bools(self.requests.len(), lowered.iter().map(column).collect());
        letter::letters(&prepared.formulas, &prepared.alphabet, &trace)
    }
}

/// `generic` beside the graph of the thesis as it is printed, which looks at every timer with every
/// state, and beside the observer.
pub fn responses() -> Vec<Row> {
    [100, 10_000].into_iter().flat_map(of_bound).collect()
}

fn of_bound(bound: usize) -> Vec<Row> {
    let formula = format!("G(p -> F[0,{bound}] q)");
    let lowered = traceward_testkit::lowered(&formula, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    let responses = Responses::new(STATES, bound);
    let letters = responses.letters(&lowered.variables.names(), &prepared);
    let Prepared { formulas, alphabet, normal, .. } = &prepared;
    let expected = (responses.owing, Verdict::Holding);
    let engine = Generic::new(formulas, alphabet, normal[0], engine::EngineConfig::default()).expect("bounds in steps");
    let ours = measured(format!("{formula} generic"), STATES as u64, "states", &expected, || {
        let mut run = engine.start().expect("a small graph");
        count(&letters, |step| engine.step(&mut run, step).expect("a small graph"))
    });
    let config = engine::EngineConfig { subsumption: Subsumption::Off, ..engine::EngineConfig::default() };
    let graph = ForwardBackwardDag::new(formulas, alphabet, normal[0], config).expect("bounds in steps");
    // It looks at every open request with every state, so there are fewer.
    let few = Responses::new(bound * 4, bound);
    let few_letters = few.letters(&lowered.variables.names(), &prepared);
    let as_printed = measured(
        format!("{formula} forward-backward-dag without subsumption"),
        few_letters.len as u64,
        "states",
        &(few.owing, Verdict::Holding),
        || {
            let mut run = graph.start().expect("a graph that fits");
            count(&few_letters, |step| graph.step(&mut run, step).expect("a graph that fits"))
        },
    );
    let config = Config { engine: EngineName::Observer, ..Config::default() };
    let online = Online::new(&Prepared::shared(&lowered.formulas, &[root], config.simplification), 0, &config)
        .expect("an observer");
    let observed = measured(format!("{formula} observer"), STATES as u64, "states", &expected, || {
        let mut run = online.start().expect("an observer");
        count(&letters, |step| run.step(step).expect("a small automaton"))
    });
    vec![ours.ours(), as_printed, observed]
}

/// A formula with finite bounds alone is decided after 60 states at the latest, and the graph is
/// gone: the rest of the trace is not looked at.
pub fn finite_bounds() -> Vec<Row> {
    let formula = "F[0,50](p & G[1,10] q)";
    let lowered = traceward_testkit::lowered(formula, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
    let Prepared { formulas, alphabet, normal, .. } = &prepared;
    let engine = ForwardBackwardDag::new(formulas, alphabet, normal[0], engine::EngineConfig::default());
    let engine = engine.expect("bounds in steps");
    let of_length = |states: usize| {
        // p throughout, q at two of three states: no ten in a row.
        let column = |name: &std::sync::Arc<str>| -> Bitmap {
            (0..states).map(|position| &**name == "p" || position % 3 != 0).collect()
        };
        let columns: Vec<Bitmap> = lowered.variables.names().iter().map(column).collect();
        let letters = letter::letters(formulas, alphabet, &Trace::of_bools(states, columns));
        // The last window begins at position 51, without a q.
        let expected = Decision { holds: false, decided_at: Some(51) };
        let check = || engine.verdict_at_end(&letters).expect("a small graph").decision();
        measured(format!("{formula} on {states} states"), 1, "traces", &expected, check)
    };
    [1000, 100_000, 10_000_000].into_iter().map(of_length).collect()
}

/// After how many states an answer is owed, and the last verdict.
fn count(letters: &Letters, mut step: impl FnMut(Step<'_>) -> Verdict) -> (u64, Verdict) {
    let mut owing = 0;
    let mut last = Verdict::Pending;
    for position in 0..letters.len {
        let letter = |proposition| letters.bitmap(proposition).get(position);
        last = step(Step { letter: &letter, position: position as u64, time: None });
        owing += u64::from(last == Verdict::Pending);
    }
    (owing, last)
}
