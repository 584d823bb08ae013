//! Bounded operators of reverse traversal against the definition, and on traces too long for it
//! against a walk over single positions, which is itself compared with the definition.

use traceward_engine::select::{Cache, Config, EngineName, Evaluator, Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{BinaryOp, Direction, Expansion, FormulaId, Formulas, Interval, Node, Strength, Unit};
use traceward_logic::semantics;
use traceward_logic::trace::{Times, Trace, VariableId};
use traceward_testkit::agreement;
use traceward_testkit::enumerate::{self, Shape};

/// A block of the engine, in positions.
const BLOCK: usize = 128 * 64;

/// Small random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// A row of one density, or of stretches of different ones.
    fn row(&mut self, len: usize) -> Bitmap {
        let mut rarity = self.rarity();
        let stretch = self.one_of(&[1 << 40, 20, 300]);
        let bit = |_| {
            if self.below(stretch) == 0 {
                rarity = self.rarity();
            }
            match rarity {
                0 => true,
                u64::MAX => false,
                rarity => self.below(rarity) == 0,
            }
        };
        (0..len).map(bit).collect()
    }

    fn rarity(&mut self) -> u64 {
        self.one_of(&[0, 1, 2, 2, 3, 10, 60, 200, 1000, 5000, u64::MAX])
    }

    /// Timestamps with ties and gaps of all sizes.
    fn time(&mut self, len: usize) -> Times {
        let step = self.one_of(&[1, 2, 3, 20]);
        let ties = self.one_of(&[1, 2, 10, 100]);
        let gaps = self.one_of(&[7, 100, 1000]);
        let gap = self.one_of(&[100, 10_000]);
        let mut now = self.below(1000) as i64 - 500;
        let mut tick = || {
            now += match self.below(gaps) {
                0 => self.below(gap) as i64,
                _ if self.below(ties) > 0 => 0,
                _ => self.below(step + 1) as i64,
            };
            now
        };
        (0..len).map(|_| tick()).collect()
    }
}

/// Every operator in both directions, with one interval.
fn operators(formulas: &mut Formulas, interval: Interval) -> Vec<FormulaId> {
    let [f, g] = [0, 1].map(|variable| formulas.intern_atom(Expr::Variable(VariableId(variable))));
    let mut made = Vec::new();
    for direction in [Direction::Future, Direction::Past] {
        made.push(Node::Eventually(direction, interval, g));
        made.push(Node::Always(direction, interval, f));
        made.extend(BinaryOp::ALL.map(|op| Node::Binary(op, direction, interval, f, g)));
    }
    made.into_iter().map(|node| formulas.intern(node)).collect()
}

fn reverse(formulas: &Formulas, roots: &[FormulaId]) -> Evaluator {
    let config = Config { engine: EngineName::Reverse, simplification: Simplification::Off, ..Config::default() };
    Evaluator::new(&Prepared::shared(formulas, roots, config.simplification), &config)
}

/// The rows of an engine for some traces of different lengths one after another, as for keys: what
/// is left in the cache from one must not be seen by the next.
fn rows(evaluator: &Evaluator, cache: &mut Cache, trace: &Trace) -> Vec<Bitmap> {
    let letters = evaluator.prepared().letters(trace);
    evaluator.truth(cache, &letters).expect("reverse never gives up").into_iter().cloned().collect()
}

fn by_definition(formulas: &Formulas, roots: &[FormulaId], trace: &Trace) -> Vec<Bitmap> {
    let truths = semantics::truths(formulas, roots, trace).expect("booleans do not fail");
    roots.iter().map(|root| truths[root].iter().copied().collect()).collect()
}

/// The value of one operator over two variables, position by position: the walk keeps the nearest
/// position behind the opening of the window at which something holds.
struct PlainWalk<'a> {
    trace: &'a Trace,
    columns: [&'a Bitmap; 2],
}

impl PlainWalk<'_> {
    fn row(&self, node: Node) -> Bitmap {
        let [f, g] = self.columns;
        let (not_f, not_g) = (f.clone().complement(), g.clone().complement());
        let all = Bitmap::filled(f.len(), true);
        match node {
            Node::Eventually(direction, interval, _) => self.until(direction, interval, Strength::Strong, &all, g),
            Node::Always(direction, interval, _) => {
                self.until(direction, interval, Strength::Strong, &all, &not_f).complement()
            }
            Node::Binary(op, direction, interval, ..) => match (op.expansion(), op.strength()) {
                (Expansion::Until, strength) => self.until(direction, interval, strength, f, g),
                (Expansion::Release, Strength::Strong) => {
                    self.until(direction, interval, Strength::Strong, g, &f.clone().and(g))
                }
                (Expansion::Release, Strength::Weak) => {
                    self.until(direction, interval, Strength::Strong, &not_f, &not_g).complement()
                }
            },
            _ => panic!("an operator with a bound"),
        }
    }

    fn until(&self, direction: Direction, interval: Interval, strength: Strength, f: &Bitmap, g: &Bitmap) -> Bitmap {
        let len = self.trace.len;
        let position = |place: usize| if direction == Direction::Future { place } else { len - 1 - place };
        let time = self.trace.time.as_deref();
        let distance = |from: usize, to: usize| match (interval.unit, time) {
            (Unit::Steps, _) => (to - from) as u64,
            (Unit::Time, Some(time)) => time[position(from)].abs_diff(time[position(to)]),
            (Unit::Time, None) => 0,
        };
        let mut result = Bitmap::filled(len, false);
        let (mut near, mut end) = (len, len);
        let (mut found, mut broken) = (usize::MAX, usize::MAX);
        for place in (0..len).rev() {
            while near > place && distance(place, near - 1) >= interval.from {
                near -= 1;
                found = if g.get(position(near)) { near } else { found };
                broken = if f.get(position(near)) { broken } else { near };
            }
            while interval.to.is_some_and(|to| end > place && distance(place, end - 1) > to) {
                end -= 1;
            }
            let comes = found < end && broken >= found;
            let throughout = strength == Strength::Weak && broken >= end;
            result.set(position(place), comes || throughout);
        }
        result
    }
}

fn trace_of(random: &mut Random, len: usize) -> Trace {
    let mut trace = Trace::of_bools(len, vec![random.row(len), random.row(len)]);
    trace.time = Some(random.time(len));
    trace
}

fn columns(trace: &Trace) -> [Bitmap; 2] {
    [0, 1].map(|variable| (0..trace.len).map(|at| trace.value(VariableId(variable), at).is_true()).collect())
}

fn in_time(from: u64, to: Option<u64>) -> Interval {
    Interval { unit: Unit::Time, from, to }
}

/// Ties, steps of one, gaps that reach over several bounds, and the whole range of timestamps.
fn timelines(len: usize) -> Vec<Vec<i64>> {
    let clock = |steps: &[i64]| -> Vec<i64> {
        let steps = steps.iter().cycle().take(len);
        steps.scan(-3, |now, step| Some(std::mem::replace(now, *now + step))).collect()
    };
    let ends: Vec<i64> = (0..len).map(|at| if at * 2 < len { i64::MIN } else { i64::MAX }).collect();
    vec![clock(&[1]), clock(&[0]), clock(&[0, 2]), clock(&[1, 0, 0, 3]), clock(&[4, 1]), ends]
}

#[test]
fn all_operators_agree_on_all_short_traces_in_time() {
    let intervals = [
        in_time(0, Some(0)),
        in_time(0, Some(2)),
        in_time(0, None),
        in_time(1, Some(1)),
        in_time(1, Some(3)),
        in_time(2, Some(4)),
        in_time(3, None),
        in_time(5, Some(u64::MAX)),
        in_time(u64::MAX, Some(u64::MAX)),
    ];
    let mut formulas = Formulas::new();
    let roots: Vec<FormulaId> = intervals.iter().flat_map(|&interval| operators(&mut formulas, interval)).collect();
    let evaluator = reverse(&formulas, &roots);
    let traces: Vec<Trace> = enumerate::traces(2, 5).collect();
    agreement::in_parallel(traces.len(), |index| {
        for time in timelines(traces[index].len).into_iter().map(Some).chain([None]) {
            let trace = Trace { time: time.map(Into::into), ..traces[index].clone() };
            let right = by_definition(&formulas, &roots, &trace);
            assert_eq!(rows(&evaluator, &mut Cache::default(), &trace), right, "{trace:?}");
        }
    });
}

#[test]
fn nested_windows_agree_on_all_short_traces_in_time() {
    let shape = Shape { atoms: 1, intervals: vec![in_time(0, Some(1)), in_time(1, Some(3))], ..Shape::unbounded(2) };
    let mut formulas = Formulas::new();
    let roots = enumerate::formulas(&mut formulas, &shape);
    let evaluator = reverse(&formulas, &roots);
    for trace in enumerate::traces(1, 5) {
        for time in timelines(trace.len) {
            let trace = Trace { time: Some(time.into()), ..trace.clone() };
            let right = by_definition(&formulas, &roots, &trace);
            assert_eq!(rows(&evaluator, &mut Cache::default(), &trace), right, "{trace:?}");
        }
    }
}

/// Lengths around multiples of a word.
fn short_len(random: &mut Random) -> usize {
    let words = random.below(5) as usize * 64;
    (words + random.below(7) as usize).saturating_sub(3).max(1)
}

/// Bounds of which many are those of words, or distances that occur in the trace.
fn interval(random: &mut Random, trace: &Trace) -> Interval {
    let unit = random.one_of(&[Unit::Steps, Unit::Time]);
    let mut bound = || match random.below(5) {
        0 => random.one_of(&[0, 1, 2, 62, 63, 64, 65, 127, 128, 129, u64::MAX]),
        1 => random.below(12),
        2 => random.below(200),
        3 => random.below(trace.len as u64 * 2 + 2),
        _ => {
            let [one, other] = [0, 1].map(|_| random.below(trace.len as u64) as usize);
            let time = trace.time.as_ref().expect("a trace with timestamps");
            if unit == Unit::Time { time[one].abs_diff(time[other]) } else { one.abs_diff(other) as u64 }
        }
    };
    let (from, width) = (bound(), bound());
    let from = if random.below(3) == 0 { 0 } else { from };
    let to = Some(from.saturating_add(width)).filter(|_| random.below(8) > 0);
    Interval { unit, from, to }
}

#[test]
fn random_bounds_agree_with_the_definition() {
    agreement::in_parallel(64, |seed| {
        let mut random = Random(seed as u64);
        let mut cache = Cache::default();
        for _ in 0..40 {
            let len = short_len(&mut random);
            let trace = trace_of(&mut random, len);
            let mut formulas = Formulas::new();
            let interval = interval(&mut random, &trace);
            let roots = operators(&mut formulas, interval);
            let right = by_definition(&formulas, &roots, &trace);
            let found = rows(&reverse(&formulas, &roots), &mut cache, &trace);
            let [f, g] = columns(&trace);
            let walk = PlainWalk { trace: &trace, columns: [&f, &g] };
            for (index, &root) in roots.iter().enumerate() {
                let place = || format!("{:?} on {trace:?}", formulas.node(root));
                assert_eq!(found[index], right[index], "{}", place());
                assert_eq!(walk.row(formulas.node(root)), right[index], "{}", place());
            }
        }
    });
}

#[test]
fn random_bounds_agree_with_a_plain_walk_on_long_traces() {
    agreement::in_parallel(64, |seed| {
        let mut random = Random(1000 + seed as u64);
        let mut cache = Cache::default();
        for _ in 0..6 {
            let len = random.below(4) as usize * BLOCK + random.one_of(&[1, 63, 64, 65, 128, 1000, BLOCK - 1]);
            let trace = trace_of(&mut random, len);
            let mut formulas = Formulas::new();
            let interval = interval(&mut random, &trace);
            let roots = operators(&mut formulas, interval);
            let found = rows(&reverse(&formulas, &roots), &mut cache, &trace);
            let [f, g] = columns(&trace);
            let walk = PlainWalk { trace: &trace, columns: [&f, &g] };
            for (found, &root) in found.iter().zip(&roots) {
                let right = walk.row(formulas.node(root));
                let differ = (0..len).find(|&at| found.get(at) != right.get(at));
                assert_eq!(differ, None, "{:?} on {len} states of seed {seed}", formulas.node(root));
            }
        }
    });
}

/// Every number of steps around words and blocks, on rows in which single positions decide.
#[test]
fn every_number_of_steps_is_exact() {
    let len = 3 * BLOCK + 100;
    let mut formulas = Formulas::new();
    let evaluators: Vec<(u64, Evaluator)> = (0..=130)
        .chain([8191, 8192, 8193, 16_383, 16_384, 16_385, len as u64 - 1, len as u64, u64::MAX])
        .map(|bound| {
            let some = operators(&mut formulas, Interval::steps(0, Some(bound)));
            let later = operators(&mut formulas, Interval::steps(bound, Some(bound)));
            (bound, reverse(&formulas, &[some[0], some[6], later[0], later[6]]))
        })
        .collect();
    for at in [0, 1, 63, 64, BLOCK - 1, BLOCK, 2 * BLOCK + 17, len - 1] {
        let mut single = Bitmap::filled(len, false);
        single.set(at, true);
        let trace = Trace::of_bools(len, vec![Bitmap::filled(len, true), single]);
        for (bound, evaluator) in &evaluators {
            let reach = usize::try_from(*bound).unwrap_or(usize::MAX);
            let found = rows(evaluator, &mut Cache::default(), &trace);
            let ones = found.iter().map(|row| (row.first_one_from(0), row.count_ones()));
            let first = at.saturating_sub(reach);
            let last = at.saturating_add(reach).min(len - 1);
            let one = |position: Option<usize>| (position, usize::from(position.is_some()));
            let expected = [
                (Some(first), at - first + 1),
                (Some(at), last - at + 1),
                one(at.checked_sub(reach)),
                one(at.checked_add(reach).filter(|&other| other < len)),
            ];
            assert_eq!(ones.collect::<Vec<_>>(), expected, "{bound} steps from {at}");
        }
    }
}
