//! Bounds online, in steps and in time, followed part by part: bounded responses that hold to the
//! end, with answers spread over the whole window. What is verified is the verdict after every
//! state, by counting those at which something is owed.

use crate::{Row, measured};
use std::collections::VecDeque;
use std::sync::Arc;
use traceward_engine::engine::EngineConfig;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::engine::streaming::Streaming;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::{self, Proposition};
use traceward_logic::lower::{Claim, Goal, Schema};
use traceward_logic::trace::{Times, Trace};
use traceward_logic::verdict::Verdict;

const STATES: usize = 4_000_000;

/// The unit in which bounds count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Steps,
    /// Milliseconds: states are 0, 1 or 2 of them apart.
    Time,
}

/// How often there is a request: at one of so many states.
#[derive(Clone, Copy)]
struct Rarity(u64);

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Requests `p`, answers `q`, what holds in between, `r`, and after how many states an answer is
/// owed.
struct Responses {
    columns: [Bitmap; 3],
    time: Option<Times>,
    owing: u64,
}

const MILLISECOND: i64 = 1_000_000;

impl Responses {
    /// Each request is answered so many steps or milliseconds later, and each of these delays is as
    /// likely as any other. Towards the end there are no requests, so that all are answered.
    fn new(counted: Counted, from: u64, to: u64, rarity: Rarity) -> Self {
        let mut random = Random(0x2545_F491_4F6C_DD1D);
        let step = |random: &mut Random| if counted == Counted::Steps { 1 } else { random.below(3) as i64 };
        let moments: Vec<i64> = (0..STATES)
            .scan(0, |now, _| {
                *now += step(&mut random);
                Some(*now)
            })
            .collect();
        let [mut requests, mut answers, mut between] = [(); 3].map(|()| Bitmap::filled(STATES, false));
        let (mut waiting, mut due, mut owing) = (VecDeque::new(), None, 0);
        let last_request = moments[STATES - 1] - to as i64 - 8;
        for (at, &now) in moments.iter().enumerate() {
            if now < last_request && random.below(rarity.0) == 0 {
                requests.set(at, true);
                waiting.push_back(now);
            }
            if let (Some(first), None) = (waiting.front(), due) {
                due = Some(first + (from + random.below(to - from + 1)) as i64);
            }
            let next = moments.get(at + 1).copied().unwrap_or(i64::MAX);
            if due.is_some_and(|due| next > due) {
                answers.set(at, true);
                while waiting.front().is_some_and(|first| first + from as i64 <= now) {
                    waiting.pop_front();
                }
                due = None;
            }
            between.set(at, !waiting.is_empty() || random.below(2) == 0);
            owing += u64::from(!waiting.is_empty());
        }
        let time = (counted == Counted::Time).then(|| moments.iter().map(|one| one * MILLISECOND).collect());
        Self { columns: [requests, answers, between], time, owing }
    }
}

/// A formula that is followed, and the letters that it is followed over, as they come in states: a
/// row of bits each.
struct Followed {
    engine: Streaming,
    rows: Vec<u8>,
    time: Option<Times>,
}

impl Followed {
    fn new(formula: &str, responses: &Responses) -> Self {
        let time = responses.time.as_ref().map(|_| Schema { has_time: true, ..Schema::default() });
        let lowered = traceward_testkit::lowered(formula, Goal::Check, None, time.as_ref()).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
        let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
        let column = |name: &Arc<str>| {
            responses.columns[["p", "q", "r"].iter().position(|one| **name == **one).unwrap()].clone()
        };
        let mut trace = Trace::of_bools(STATES, lowered.variables.names().iter().map(column).collect());
        trace.time.clone_from(&responses.time);
        let letters = letter::letters(&prepared.formulas, &prepared.alphabet, &trace);
        let engine = Streaming::compile(&prepared, 0, EngineConfig::default()).expect("it takes every formula");
        let bit = |bitmap: &Bitmap, at: usize, place: usize| u8::from(bitmap.get(at)) << place;
        let row = |at| letters.bitmaps.iter().enumerate().map(|(place, bitmap)| bit(bitmap, at, place)).sum();
        Self { engine, rows: (0..STATES).map(row).collect(), time: letters.time }
    }

    /// The number of states after which something is owed, and the last verdict.
    fn count(&self) -> (u64, Verdict) {
        let mut run = self.engine.start().expect("no limit is reached");
        let (mut owing, mut last) = (0, Verdict::Pending);
        for (position, &row) in self.rows.iter().enumerate() {
            let letter = |proposition: Proposition| (row >> proposition.0) & 1 == 1;
            let time = self.time.as_ref().map(|time| time[position]);
            let step = Step { letter: &letter, position: position as u64, time };
            last = self.engine.step(&mut run, step).expect("no limit is reached");
            owing += u64::from(last == Verdict::Pending);
        }
        (owing, last)
    }
}

fn unit(counted: Counted) -> &'static str {
    if counted == Counted::Steps { "" } else { "ms" }
}

/// `G(p -> F[0,n] q)` and `G(p -> (r U[a,n] q))`.
pub fn responses() -> Vec<Row> {
    let mut rows = Vec::new();
    for counted in [Counted::Steps, Counted::Time] {
        for bound in [10, 1_000_000] {
            for rarity in [2, bound] {
                rows.push(response(counted, 0, bound, Rarity(rarity), Form::Eventually));
                rows.push(response(counted, bound / 2, bound, Rarity(rarity), Form::Until));
            }
        }
    }
    rows
}

/// Delays cost no more than what begins at once.
pub fn delays() -> Vec<Row> {
    let at_once = response(Counted::Steps, 0, 5000, Rarity(2), Form::Eventually).ours();
    vec![at_once, response(Counted::Steps, 5000, 10_000, Rarity(2), Form::Eventually)]
}

#[derive(Clone, Copy)]
enum Form {
    Eventually,
    Until,
}

fn response(counted: Counted, from: u64, to: u64, rarity: Rarity, form: Form) -> Row {
    let unit = unit(counted);
    let formula = match form {
        Form::Eventually => format!("G(p -> F[{from}{unit},{to}{unit}] q)"),
        Form::Until => format!("G(p -> (r U[{from}{unit},{to}{unit}] q))"),
    };
    let responses = Responses::new(counted, from, to, rarity);
    let followed = Followed::new(&formula, &responses);
    let name = format!("{formula}, p in 1 of {} states", rarity.0);
    measured(name, STATES as u64, "states", &(responses.owing, Verdict::Holding), || followed.count())
}

/// `G(p -> F[0,n] (q & G[0,m] r))`: an operator with a bound inside another one.
pub fn nested() -> Vec<Row> {
    let of = |counted| {
        let unit = unit(counted);
        let formula = format!("G(p -> F[0{unit},1000{unit}] (q & G[0{unit},1000{unit}] r))");
        let mut responses = Responses::new(counted, 0, 1000, Rarity(1000));
        responses.columns[2] = Bitmap::filled(STATES, true);
        // What is owed would come if the trace ended, as soon as there is a q.
        let expected = (responses.owing, Verdict::Holding);
        let followed = Followed::new(&formula, &responses);
        measured(formula, STATES as u64, "states", &expected, || followed.count())
    };
    vec![of(Counted::Steps), of(Counted::Time)]
}
