//! Traces that stand one behind the other against the definition, which takes them one by one.

use proptest::prelude::*;
use traceward_engine::select::{Cache, Config, EngineName, Evaluator, Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas, Interval, Unit};
use traceward_logic::letter::{Batch, Letters};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Recipe, Windows};

fn reverse(formulas: &Formulas, roots: &[FormulaId]) -> Evaluator {
    let config = Config { engine: EngineName::Reverse, simplification: Simplification::Off, ..Config::default() };
    Evaluator::new(&Prepared::shared(formulas, roots, config.simplification), &config)
}

/// The letters of all traces, one behind the other.
fn joined(evaluator: &Evaluator, traces: &[Trace]) -> Letters {
    let parts: Vec<Letters> = traces.iter().map(|trace| evaluator.prepared().letters(trace)).collect();
    let bitmap = |index: usize| parts.iter().flat_map(|part| part.bitmaps[index].iter()).collect();
    let time = |part: &Letters| part.time.as_ref().map(|time| time.to_vec());
    Letters {
        len: parts.iter().map(|part| part.len).sum(),
        bitmaps: (0..parts[0].bitmaps.len()).map(bitmap).collect(),
        time: parts.iter().map(time).collect::<Option<Vec<_>>>().map(|times| times.concat().into()),
    }
}

/// Compares the rows of all traces with the definition of each.
fn agree(formulas: &Formulas, roots: &[FormulaId], traces: &[Trace], cache: &mut Cache) {
    let evaluator = reverse(formulas, roots);
    let lengths: Vec<usize> = traces.iter().map(|trace| trace.len).collect();
    let batch = Batch::new(joined(&evaluator, traces), &lengths).expect("there is room in time");
    let rows = evaluator.truth_of_batch(cache, &batch).expect("reverse takes batches");
    let mut start = 0;
    for trace in traces {
        let truths = semantics::truths(formulas, roots, trace).expect("booleans do not fail");
        for (row, root) in rows.iter().zip(roots) {
            let found: Bitmap = (start..start + trace.len).map(|position| row.get(position)).collect();
            let right: Bitmap = truths[root].iter().copied().collect();
            assert_eq!(found, right, "{:?} on {trace:?} at {start}", formulas.node(*root));
        }
        start += trace.len;
    }
}

fn in_time(from: u64, to: Option<u64>) -> Interval {
    Interval { unit: Unit::Time, from, to }
}

/// All small formulas on all short traces, in an order in which every trace has many neighbours.
#[test]
fn all_small_formulas_agree_on_all_short_traces() {
    let steps = [Interval::steps(0, Some(1)), Interval::steps(1, None), Interval::steps(2, Some(3))];
    let time =
        [in_time(0, Some(2)), in_time(1, Some(3)), in_time(2, None), in_time(0, None), in_time(9, Some(u64::MAX))];
    let small = Shape::unbounded(1).with_intervals(steps).with_intervals(time).with_gaps([0, 1, 3]);
    let nested = Shape { atoms: 1, ..Shape::unbounded(2) }.with_intervals(steps).with_intervals([time[0], time[1]]);
    for (shape, longest) in [(small, 4), (nested.with_gaps([0, 2]), 5)] {
        let mut formulas = Formulas::new();
        let roots = enumerate::formulas(&mut formulas, &shape);
        let all = enumerate::traces_of(&shape, longest);
        let mut cache = Cache::default();
        for stride in [1, 7] {
            let order = (0..stride).flat_map(|first| all.iter().skip(first).step_by(stride)).cloned();
            let traces: Vec<Trace> = order.collect();
            for some in traces.chunks(500) {
                agree(&formulas, &roots, some, &mut cache);
            }
        }
    }
}

fn built(recipes: &[Recipe]) -> (Formulas, Vec<FormulaId>) {
    let mut formulas = Formulas::new();
    let roots = recipes.iter().map(|recipe| recipe.build(&mut formulas)).collect();
    (formulas, roots)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_formulas_agree(
        recipes in prop::collection::vec(generate::formula(2, Windows::StepsAndTime), 1..3),
        traces in prop::collection::vec(prop_oneof![generate::short_trace(2), generate::trace(2)], 1..12),
    ) {
        let (formulas, roots) = built(&recipes);
        agree(&formulas, &roots, &traces, &mut Cache::default());
    }
}

#[test]
fn many_traces_cross_blocks() {
    let mut formulas = Formulas::new();
    let shape = Shape::unbounded(1).with_intervals([Interval::steps(3, Some(200)), in_time(5, Some(90))]);
    let roots = enumerate::formulas(&mut formulas, &shape);
    let bits = |seed: usize, len: usize| (0..len).map(|at| (at * seed + at / 7) % 11 < 3).collect::<Bitmap>();
    let trace = |nth: usize| {
        let len = 1 + nth * 37 % 301;
        let mut trace = Trace::of_bools(len, vec![bits(nth + 3, len), bits(nth + 8, len)]);
        trace.time = Some((0..len as i64).map(|at| 1_000_000 - nth as i64 + at * 2 / 3).collect());
        trace
    };
    let traces: Vec<Trace> = (0..200).map(trace).collect();
    assert!(traces.iter().map(|trace| trace.len).sum::<usize>() > 3 * 128 * 64, "several blocks");
    agree(&formulas, &roots, &traces, &mut Cache::default());
}

#[test]
fn traces_without_room_in_time_are_told() {
    let letters = |time: &[i64]| Letters { len: time.len(), bitmaps: Vec::new(), time: Some(time.into()) };
    let apart = [i64::MIN, i64::MAX];
    assert_eq!(Batch::new(letters(&apart), &[2]), None);
    let long = i64::MAX / 4;
    assert!(Batch::new(letters(&[0, long, 5]), &[2, 1]).is_some());
    assert_eq!(Batch::new(letters(&[0, long, 0, long, 0]), &[2, 2, 1]), None);
}
