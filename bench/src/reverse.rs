//! Reverse traversal with bitmaps in memory, simplification off, truth at every position counted.

use crate::{Random, Row, Whose, measured};
use std::hint::black_box;
use std::num::NonZero;
use std::time::{Duration, Instant};
use traceward_engine::select::{Cache, Config, EngineName, Evaluator, Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::letter::Letters;
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::trace::{Times, Trace};

const STATES: usize = 100_000_000;

/// States in the proportions of Finkbeiner and Sipma's section 6: 10 % a, 40 % b, 25 % c, 25 %
/// nothing; a at the end.
pub struct Paper {
    pub a: Bitmap,
    pub b: Bitmap,
}

pub fn paper(states: usize) -> Paper {
    let mut random = Random(1);
    let (mut a, mut b) = (Bitmap::new(), Bitmap::new());
    for _ in 0..states - 1 {
        let draw = random.below(100);
        a.push(draw < 10);
        b.push((10..50).contains(&draw));
    }
    a.push(true);
    b.push(false);
    Paper { a, b }
}

/// A formula over a and b, ready to be evaluated, and the letters it is evaluated on.
fn prepare(formula: &str, paper: &Paper) -> (Evaluator, Letters) {
    let lowered = traceward_testkit::lowered(formula, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    let config = Config { engine: EngineName::Reverse, simplification: Simplification::Off, ..Config::default() };
    let evaluator = Evaluator::new(&Prepared::shared(&lowered.formulas, &[root], config.simplification), &config);
    let names = lowered.variables.names();
    let columns = names.iter().map(|name| if **name == *"a" { paper.a.clone() } else { paper.b.clone() });
    let trace = Trace::of_bools(paper.a.len(), columns.collect());
    let letters = evaluator.prepared().letters(&trace);
    (evaluator, letters)
}

fn ours(name: &str, evaluator: &Evaluator, letters: &Letters, expected: usize) -> Row {
    let mut cache = Cache::default();
    measured(name, letters.len as u64, "states", &expected, || {
        evaluator.truth(&mut cache, letters).expect("reverse never gives up")[0].count_ones()
    })
}

/// The time it takes to look at every bit of the letters once.
fn scan(letters: &Letters) -> Row {
    let count = || letters.bitmaps.iter().map(|bitmap| black_box(bitmap).count_ones()).sum::<usize>();
    let expected = count();
    measured("reading the bitmaps, for comparison", letters.len as u64, "states", &expected, count)
}

pub fn figure_10_third_formula() -> Vec<Row> {
    let formula = "G(b -> (!a U (a U (!a U a))))";
    let paper = paper(STATES);
    // Equivalent to G(b -> F a); the trace ends with a, so it holds everywhere.
    let expected = STATES;
    let (evaluator, letters) = prepare(formula, &paper);
    vec![ours(formula, &evaluator, &letters, expected), scan(&letters)]
}

pub fn past_and_future() -> Vec<Row> {
    let formula = "b -> (!b S a) | F (a & O b)";
    let paper = paper(STATES);
    let (evaluator, letters) = prepare(formula, &paper);
    let expected = past_and_future_by_hand(&paper);
    vec![ours(formula, &evaluator, &letters, expected), scan(&letters)]
}

/// `b -> (!b S a) | F (a & O b)`, one position at a time.
fn past_and_future_by_hand(paper: &Paper) -> usize {
    let len = paper.a.len();
    let first_b = (0..len).find(|&position| paper.b.get(position)).unwrap_or(len);
    let last_a = (0..len).rev().find(|&position| paper.a.get(position)).unwrap_or(0);
    let mut count = 0;
    let mut since = false;
    for position in 0..len {
        let (a, b) = (paper.a.get(position), paper.b.get(position));
        since = a || (!b && since);
        let later = position <= last_a && last_a >= first_b;
        count += usize::from(!b || since || later);
    }
    count
}

/// The length of traces with bounds in steps, and of those in time.
const STEPS: usize = 20_000_000;
const TIMED: usize = 10_000_000;

/// Nanoseconds between states, on average.
const GAP: u64 = 1000;

const BOUNDS: [u64; 6] = [10, 100, 1000, 10_000, 100_000, 1_000_000];

/// Bounds in steps, with propositions that hold once in a bound and every other time.
pub fn bounds_in_steps() -> Vec<Row> {
    let mut rows = vec![Answered::new(STATES, 1000, None).row(Window { from: 0, to: 1000 }, Form::Eventually)];
    for bound in BOUNDS {
        for rarity in [bound, 2] {
            rows.extend(Answered::new(STEPS, rarity, None).rows(bound));
        }
    }
    rows
}

/// The same in time.
pub fn bounds_in_time() -> Vec<Row> {
    let time = timestamps(TIMED);
    let traces = BOUNDS.into_iter().flat_map(|bound| [bound, 2].map(|rarity| (bound, rarity)));
    traces.flat_map(|(bound, rarity)| Answered::new(TIMED, rarity, Some(time.clone())).rows(bound)).collect()
}

/// Three in ten states share a time with the one before, and there are gaps.
fn timestamps(states: usize) -> Times {
    let mut random = Random(3);
    let mut now = 0;
    let mut tick = || {
        now += match random.below(1000) {
            0 => 20 * GAP,
            1..300 => 0,
            _ => random.below(2 * GAP * 10 / 7),
        };
        now as i64
    };
    (0..states).map(|_| tick()).collect()
}

/// Bounds in steps, or in gaps between states.
#[derive(Clone, Copy)]
struct Window {
    from: u64,
    to: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Eventually,
    Until,
}

/// Requests p, answers q, and what has to hold until then, at random.
struct Answered {
    /// One state in this many has p, and q; as many do not have r.
    rarity: u64,
    p: Bitmap,
    q: Bitmap,
    r: Bitmap,
    time: Option<Times>,
}

impl Answered {
    fn new(states: usize, rarity: u64, time: Option<Times>) -> Self {
        let mut random = Random(rarity);
        let mut row = || -> Bitmap { (0..states).map(|_| random.below(rarity) == 0).collect() };
        Self { rarity, p: row(), q: row(), r: row().complement(), time }
    }

    fn rows(&self, to: u64) -> Vec<Row> {
        let later = [0, 7, to / 2].map(|from| self.row(Window { from, to }, Form::Until));
        [self.row(Window { from: 0, to }, Form::Eventually)].into_iter().chain(later).collect()
    }

    /// A request is left out where it is not answered: the property holds to the end.
    fn row(&self, window: Window, form: Form) -> Row {
        let answered = self.by_hand(window, form);
        let p = self.p.clone().and(&answered);
        let formula = self.formula(window, form);
        let lowered = traceward_testkit::lowered(&formula, Goal::Check, None, None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
        let config = Config { engine: EngineName::Reverse, simplification: Simplification::Off, ..Config::default() };
        let evaluator = Evaluator::new(&Prepared::shared(&lowered.formulas, &[root], config.simplification), &config);
        let column = |name: &str| match name {
            "p" => p.clone(),
            "q" => self.q.clone(),
            _ => self.r.clone(),
        };
        let columns = lowered.variables.names().iter().map(|name| column(name)).collect();
        let trace = Trace { time: self.time.clone(), ..Trace::of_bools(p.len(), columns) };
        let name = format!("{formula}, one in {}", self.rarity);
        ours(&name, &evaluator, &evaluator.prepared().letters(&trace), p.len())
    }

    fn formula(&self, window: Window, form: Form) -> String {
        let unit = if self.time.is_some() { "us" } else { "" };
        let bound = format!("[{}{unit},{}{unit}]", window.from, window.to);
        match form {
            Form::Eventually => format!("G(p -> F{bound} q)"),
            Form::Until => format!("G(p -> (r U{bound} q))"),
        }
    }

    /// The positions from which an answer comes in time, one after another.
    fn by_hand(&self, window: Window, form: Form) -> Bitmap {
        let len = self.p.len();
        let distance = |from: usize, to: usize| match &self.time {
            Some(time) => time[from].abs_diff(time[to]),
            None => (to - from) as u64 * GAP,
        };
        let mut answered = Bitmap::filled(len, false);
        let (mut near, mut found, mut broken) = (len, len, len);
        for position in (0..len).rev() {
            while near > position && distance(position, near - 1) >= window.from * GAP {
                near -= 1;
                found = if self.q.get(near) { near } else { found };
                broken = if self.r.get(near) { broken } else { near };
            }
            let comes = found < len && distance(position, found) <= window.to * GAP;
            answered.set(position, comes && (form == Form::Eventually || broken >= found));
        }
        answered
    }
}

pub fn bounded() -> Vec<Row> {
    let states = STATES / 10;
    let paper = paper(states);
    [10_usize, 100, 10_000]
        .into_iter()
        .map(|bound| {
            let formula = format!("b -> F[0,{bound}] a");
            let expected = bounded_by_hand(&paper, bound);
            let (evaluator, letters) = prepare(&formula, &paper);
            ours(&formula, &evaluator, &letters, expected)
        })
        .collect()
}

fn bounded_by_hand(paper: &Paper, bound: usize) -> usize {
    let mut next_a = usize::MAX;
    let mut count = 0;
    for position in (0..paper.a.len()).rev() {
        if paper.a.get(position) {
            next_a = position;
        }
        let in_time = next_a != usize::MAX && next_a - position <= bound;
        count += usize::from(!paper.b.get(position) || in_time);
    }
    count
}

/// Truth row by row, a bool for each position, by the definitions: what the engine's rows are
/// verified against.
mod by_hand {
    pub fn not(f: &[bool]) -> Vec<bool> {
        f.iter().map(|f| !f).collect()
    }

    pub fn or(f: &[bool], g: &[bool]) -> Vec<bool> {
        f.iter().zip(g).map(|(f, g)| f | g).collect()
    }

    pub fn and(f: &[bool], g: &[bool]) -> Vec<bool> {
        f.iter().zip(g).map(|(f, g)| f & g).collect()
    }

    pub fn since(f: &[bool], g: &[bool]) -> Vec<bool> {
        let mut since = false;
        let next = |(f, g): (&bool, &bool)| {
            since = *g || (*f && since);
            since
        };
        f.iter().zip(g).map(next).collect()
    }

    pub fn until(f: &[bool], g: &[bool]) -> Vec<bool> {
        let turned = |row: &[bool]| row.iter().rev().copied().collect::<Vec<bool>>();
        turned(&since(&turned(f), &turned(g)))
    }

    pub fn previous(f: &[bool]) -> Vec<bool> {
        std::iter::once(false).chain(f[..f.len() - 1].iter().copied()).collect()
    }

    pub fn all(len: usize) -> Vec<bool> {
        vec![true; len]
    }
}

/// The words of a period of the trace, and how often it repeats, so that two bitmaps are larger
/// than the last cache of the machines that we know.
const PERIOD: usize = 10_000;
const PERIODS: usize = 1900;

/// A formula over a and b, and its truth by hand.
type Known = (&'static str, fn(&[bool], &[bool]) -> Vec<bool>);

/// `b -> (!a U (a U … a))` with so many untils, or the same with since.
fn alternating(a: &[bool], b: &[bool], depth: usize, link: fn(&[bool], &[bool]) -> Vec<bool>) -> Vec<bool> {
    use by_hand::{not, or};
    let chain = (0..depth).fold(a.to_vec(), |chain, nth| {
        let left = if nth % 2 == 0 { not(a) } else { a.to_vec() };
        link(&left, &chain)
    });
    or(&not(b), &chain)
}

/// Where something holds from each position on, or up to it.
fn throughout(f: &[bool], link: fn(&[bool], &[bool]) -> Vec<bool>) -> Vec<bool> {
    use by_hand::{all, not};
    not(&link(&all(f.len()), &not(f)))
}

/// `(!a U (b & O a)) | (!b S (a & F b))`
fn both_ways(a: &[bool], b: &[bool]) -> Vec<bool> {
    use by_hand::{all, and, not, or, since, until};
    let once = since(&all(a.len()), a);
    let eventually = until(&all(b.len()), b);
    or(&until(&not(a), &and(b, &once)), &since(&not(b), &and(a, &eventually)))
}

const KNOWN: [Known; 6] = [
    ("G(b -> (!a U (a U (!a U a))))", |a, b| throughout(&alternating(a, b, 3, by_hand::until), by_hand::until)),
    ("H(b -> (!a S (a S (!a S a))))", |a, b| throughout(&alternating(a, b, 3, by_hand::since), by_hand::since)),
    ("(!a U (b & O a)) | (!b S (a & F b))", both_ways),
    ("G(b -> (!a U (a U (!a U (a U (!a U a))))))", |a, b| {
        throughout(&alternating(a, b, 5, by_hand::until), by_hand::until)
    }),
    ("H(b -> (!a S (a S (!a S (a S (!a S a))))))", |a, b| {
        throughout(&alternating(a, b, 5, by_hand::since), by_hand::since)
    }),
    ("G((!a U (b & O a)) | (!b S (a & F b)) | Y a)", |a, b| {
        throughout(&by_hand::or(&both_ways(a, b), &by_hand::previous(a)), by_hand::until)
    }),
];

/// Two threads beside one.
const THREADS: NonZero<usize> = NonZero::new(2).expect("two threads");

/// Truth at all positions beside merely reading the bitmaps, which are larger than caches: four and
/// six operators, in the future, the past and both, on one thread and on two. Rows are filled, and
/// counted once before.
pub fn limit() -> Vec<Row> {
    let mut random = Random(1);
    let mut period = || -> Vec<u64> { (0..PERIOD).map(|_| random.bits()).collect() };
    let (a, b) = (period(), period());
    let repeated = |words: &[u64]| Bitmap::from_words(words.repeat(PERIODS), PERIODS * PERIOD * Bitmap::WORD);
    let paper = Paper { a: repeated(&a), b: repeated(&b) };
    let mut rows = Vec::new();
    for (formula, truth) in KNOWN {
        let (evaluator, letters) = prepare(formula, &paper);
        if rows.is_empty() {
            rows.push(or_fold(&letters));
        }
        let expected = counted_by_hand(&a, &b, truth);
        rows.extend(on_one_and_two(format!("filling the row of {formula}"), &evaluator, &letters, expected));
    }
    rows
}

/// Rows filled on one thread and on two, in turns, the fastest of many, and of more where they take
/// no time: whoever else is at work takes from two threads more than from one.
fn on_one_and_two(name: String, evaluator: &Evaluator, letters: &Letters, expected: usize) -> [Row; 2] {
    let rounds = ((1 << 35) / letters.len).clamp(20, 1000);
    let mut caches = [Cache::default(), Cache::for_threads(THREADS)];
    let mut times = [Duration::MAX; 2];
    for _ in 0..rounds {
        for (time, cache) in times.iter_mut().zip(&mut caches) {
            let start = Instant::now();
            black_box(evaluator.truth(cache, letters).expect("reverse never gives up"));
            *time = start.elapsed().min(*time);
        }
    }
    for cache in &mut caches {
        let count = evaluator.truth(cache, letters).expect("reverse never gives up")[0].count_ones();
        assert_eq!(count, expected, "{name} gives the expected answer");
    }
    let faster = times[0].as_secs_f64() / times[1].as_secs_f64();
    let two = format!("the same on 2 threads, {faster:.2} × as fast");
    let row = |name, time| Row::new(name, letters.len as u64, "states", time, Whose::Compared);
    [row(name, times[0]), row(two, times[1])]
}

/// From traces that are too short for a second thread to those that are not.
pub fn threads() -> Vec<Row> {
    let formulas: [Known; 2] = [KNOWN[0], KNOWN[2]];
    let mut random = Random(2);
    let lengths = (16..27).step_by(2).map(|power| 1_usize << power);
    let of_length = |len: usize| {
        let mut words = || -> Vec<u64> { (0..len / Bitmap::WORD).map(|_| random.bits()).collect() };
        let paper = Paper { a: Bitmap::from_words(words(), len), b: Bitmap::from_words(words(), len) };
        let bits = |bitmap: &Bitmap| (0..len).map(|position| bitmap.get(position)).collect::<Vec<bool>>();
        let (a, b) = (bits(&paper.a), bits(&paper.b));
        let rows = formulas.map(|(formula, truth)| {
            let (evaluator, letters) = prepare(formula, &paper);
            let expected = truth(&a, &b).into_iter().filter(|bit| *bit).count();
            on_one_and_two(format!("{formula}, {len} states"), &evaluator, &letters, expected)
        });
        rows.into_iter().flatten()
    };
    lengths.flat_map(of_length).collect()
}

/// All words of the letters, read once by many independent instructions.
fn or_fold(letters: &Letters) -> Row {
    fn folded(words: &[u64]) -> u64 {
        let (chunks, rest) = words.as_chunks::<32>();
        let mut all = [0; 32];
        for chunk in chunks {
            all.iter_mut().zip(chunk).for_each(|(all, word)| *all |= word);
        }
        all.iter().chain(rest).fold(0, |all, word| all | word)
    }
    let fold = || letters.bitmaps.iter().fold(0, |all, bitmap| all | folded(black_box(bitmap.words())));
    let bytes: usize = letters.bitmaps.iter().map(|bitmap| 8 * bitmap.words().len()).sum();
    let name = format!("reading the bitmaps, {} MB", bytes / 1_000_000);
    measured(name, letters.len as u64, "states", &u64::MAX, fold).ours()
}

/// The number of positions at which a formula holds, on so many periods: all but the first and the
/// last have the same.
fn counted_by_hand(a: &[u64], b: &[u64], truth: fn(&[bool], &[bool]) -> Vec<bool>) -> usize {
    let len = PERIOD * Bitmap::WORD;
    let few = |words: &[u64]| Bitmap::from_words(words.repeat(4), 4 * len);
    let bits = |bitmap: Bitmap| (0..4 * len).map(|position| bitmap.get(position)).collect::<Vec<bool>>();
    let truth = truth(&bits(few(a)), &bits(few(b)));
    let counts: Vec<usize> = truth.chunks(len).map(|period| period.iter().filter(|bit| **bit).count()).collect();
    assert_eq!(counts[1], counts[2], "periods are alike");
    counts[0] + (PERIODS - 2) * counts[1] + counts[3]
}
