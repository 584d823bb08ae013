//! Passes that are cut into sections, against the definition and against one section: blocks are so
//! small that short traces have many.

use super::run::{Cut, Filled, fill};
use super::schedule::{Schedule, Stage};
use super::walk::{Scratch, Walk};
use super::{Reverse, sections};
use crate::engine::offline::Cache;
use crate::prepared::{Prepared, Simplification};
use proptest::prelude::*;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{FormulaId, Formulas, Interval, Unit};
use traceward_logic::letter::{Batch, Letters};
use traceward_logic::lower::{Claim, Goal, Schema};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_testkit::agreement::{self, in_parallel};
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::generate::{self, Windows};

/// Blocks of some words, in sections even where they are hardly worth one.
fn cut(block: usize, most: usize) -> Cut {
    Cut { block, least_expected: 0, most, least_work: 1, least_rings: 0 }
}

const ALONE: Cut = Cut { block: 256, least_expected: usize::MAX, most: 1, least_work: 1, least_rings: 0 };

/// One, two and four words a block; one section, two, and more than there are blocks.
fn cuts() -> Vec<Cut> {
    let sections = |block| [1, 2, 3, 5].map(|most| cut(block, most));
    [1, 2, 4].into_iter().flat_map(sections).collect()
}

struct Compiled {
    prepared: Prepared,
    reverse: Reverse,
}

impl Compiled {
    fn new(formulas: &Formulas, roots: &[FormulaId]) -> Self {
        let prepared = Prepared::new(formulas, roots, Simplification::Off);
        let reverse = Reverse::new(&prepared.formulas, &prepared.alphabet, &prepared.normal);
        Self { prepared, reverse }
    }

    fn letters(&self, trace: &Trace) -> Letters {
        self.prepared.letters(trace)
    }

    fn rows(&self, letters: &Letters, cut: Cut) -> Vec<Bitmap> {
        let mut cache = Cache::default();
        let rows = fill(&self.reverse.schedule, &mut cache, Filled { letters, batch: None }, cut);
        rows.into_iter().cloned().collect()
    }

    fn rows_of_batch(&self, batch: &Batch, cut: Cut) -> Vec<Bitmap> {
        let mut cache = Cache::default();
        let filled = Filled { letters: &batch.letters, batch: Some(batch) };
        let rows = fill(&self.reverse.end_to_end, &mut cache, filled, cut);
        rows.into_iter().cloned().collect()
    }
}

/// The same numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 32)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Bits at random, rare, hardly ever not, in runs that are longer than blocks, or all alike but
    /// at one end.
    fn bits(&mut self, len: usize) -> Bitmap {
        match self.below(6) {
            0 => (0..len).map(|_| self.below(2) == 0).collect(),
            1 => (0..len).map(|_| self.below(100) == 0).collect(),
            2 => (0..len).map(|_| self.below(100) != 0).collect(),
            3 => {
                let mut bit = false;
                let mut next = || {
                    bit ^= self.below(90) == 0;
                    bit
                };
                (0..len).map(|_| next()).collect()
            }
            4 => {
                let bit = self.below(2) == 0;
                (0..len).map(|position| (position + 1 == len) == bit).collect()
            }
            _ => {
                let bit = self.below(2) == 0;
                (0..len).map(|position| (position == 0) == bit).collect()
            }
        }
    }

    /// Times that stand still, go on, and jump.
    fn times(&mut self, len: usize) -> Vec<i64> {
        let mut now = -50;
        let mut next = || {
            now += match self.below(10) {
                0..3 => 0,
                3..9 => 1,
                _ => self.below(40) as i64,
            };
            now
        };
        (0..len).map(|_| next()).collect()
    }

    /// Around multiples of 64, and of a block of 2 and 4 words.
    fn length(&mut self) -> usize {
        let words = [1, 2, 3, 4, 5, 6, 8][self.below(7) as usize];
        (words * 64 + self.below(5) as usize).saturating_sub(2)
    }

    fn trace(&mut self, variables: usize) -> Trace {
        let len = self.length();
        let columns = (0..variables).map(|_| self.bits(len)).collect();
        Trace { time: Some(self.times(len).into()), ..Trace::of_bools(len, columns) }
    }
}

/// Compares all formulas of a shape, a few at a time, on so many traces, cut in every way. Gives
/// the number of pairs.
fn agree_on_all(shape: &Shape, traces: usize, seed: u64) -> u64 {
    let mut formulas = Formulas::new();
    let roots = enumerate::formulas(&mut formulas, shape);
    let few: Vec<&[FormulaId]> = roots.chunks(5).collect();
    let compiled = in_parallel(few.len(), |index| Compiled::new(&formulas, few[index]));
    let cuts = cuts();
    let of_trace = |index: usize| {
        let trace = Numbers(seed + index as u64).trace(shape.atoms as usize);
        let right = semantics::truths(&formulas, &roots, &trace).expect("booleans do not fail");
        for (nth, (compiled, roots)) in compiled.iter().zip(&few).enumerate() {
            let letters = compiled.letters(&trace);
            // All cuts take their turn, and every formula meets all of them on some trace.
            let cut = cuts[(nth + index) % cuts.len()];
            for (row, root) in compiled.rows(&letters, cut).iter().zip(*roots) {
                let right: Bitmap = right[root].iter().copied().collect();
                assert_eq!(*row, right, "{:?} on {trace:?}, {cut:?}", formulas.node(*root));
            }
        }
        roots.len() as u64
    };
    in_parallel(traces, of_trace).into_iter().sum()
}

fn in_time(from: u64, to: Option<u64>) -> Interval {
    Interval { unit: Unit::Time, from, to }
}

#[test]
fn all_small_formulas_agree_in_sections() {
    let steps = [Interval::steps(0, Some(1)), Interval::steps(0, Some(70)), Interval::steps(3, Some(90))];
    let later = [Interval::steps(1, None), Interval::steps(130, Some(200)), Interval::steps(64, Some(64))];
    let time = [in_time(0, Some(0)), in_time(0, Some(60)), in_time(5, Some(90)), in_time(1, None)];
    let one = |operators| Shape { atoms: 1, ..Shape::unbounded(operators) };
    let in_steps = Shape { operators: 2, ..one(2).with_intervals(steps).with_intervals(later) };
    let pairs = [
        agree_on_all(&Shape::unbounded(2), 130, 1),
        agree_on_all(&in_steps, 40, 1000),
        agree_on_all(&one(2).with_intervals(time), 30, 2000),
        agree_on_all(&Shape::unbounded(1).with_intervals(steps).with_intervals(later).with_intervals(time), 100, 3000),
    ];
    let pairs = pairs.iter().sum();
    agreement::report("reverse in sections", "pairs of formulas and traces", pairs);
    assert!(pairs >= 1_000_000, "{pairs}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// Larger formulas, directions mixed, on longer traces.
    #[test]
    fn random_formulas_agree_in_sections(
        recipes in prop::collection::vec(generate::formula(3, Windows::StepsAndTime), 1..4),
        seed in any::<u64>(),
    ) {
        let mut formulas = Formulas::new();
        let roots: Vec<FormulaId> = recipes.iter().map(|recipe| recipe.build(&mut formulas)).collect();
        let trace = Numbers(seed).trace(3);
        let compiled = Compiled::new(&formulas, &roots);
        let letters = compiled.letters(&trace);
        let truths = semantics::truths(&formulas, &roots, &trace).expect("booleans do not fail");
        let right: Vec<Bitmap> = roots.iter().map(|root| truths[root].iter().copied().collect()).collect();
        for cut in cuts() {
            prop_assert_eq!(&compiled.rows(&letters, cut), &right, "{:?}", cut);
        }
    }

    /// Sections that have a lead, and so many blocks that what is kept of them is seldom.
    #[test]
    fn long_traces_agree_in_sections(
        recipes in prop::collection::vec(generate::formula(3, Windows::StepsAndTime), 1..4),
        seed in any::<u64>(),
        len in 5_000_usize..9_000,
    ) {
        let mut formulas = Formulas::new();
        let roots: Vec<FormulaId> = recipes.iter().map(|recipe| recipe.build(&mut formulas)).collect();
        let compiled = Compiled::new(&formulas, &roots);
        let mut numbers = Numbers(seed);
        let columns = (0..3).map(|_| numbers.bits(len)).collect();
        let trace = Trace { time: Some(numbers.times(len).into()), ..Trace::of_bools(len, columns) };
        let letters = compiled.letters(&trace);
        let alone = compiled.rows(&letters, ALONE);
        for cut in [cut(1, 2), cut(1, 3), cut(1, 7), cut(2, 2), cut(2, 4), cut(8, 3)] {
            prop_assert_eq!(&compiled.rows(&letters, cut), &alone, "{:?}", cut);
        }
    }

    /// Traces that stand one behind the other: sections begin inside of them, and at their ends.
    #[test]
    fn batches_agree_in_sections(
        recipes in prop::collection::vec(generate::formula(2, Windows::StepsAndTime), 1..3),
        seed in any::<u64>(),
        lengths in prop::collection::vec(prop_oneof![1_usize..9, 60_usize..70, 100_usize..300], 2..12),
    ) {
        let mut formulas = Formulas::new();
        let roots: Vec<FormulaId> = recipes.iter().map(|recipe| recipe.build(&mut formulas)).collect();
        let compiled = Compiled::new(&formulas, &roots);
        let mut numbers = Numbers(seed);
        let len = lengths.iter().sum();
        let columns = (0..2).map(|_| numbers.bits(len)).collect();
        let trace = Trace { time: Some(numbers.times(len).into()), ..Trace::of_bools(len, columns) };
        let batch = Batch::new(compiled.letters(&trace), &lengths).expect("there is room in time");
        let all: Vec<u32> = (0..len as u32).collect();
        let mut right: Vec<Vec<bool>> = vec![Vec::new(); roots.len()];
        let mut start = 0;
        for len in &lengths {
            let part = trace.gather(&all[start..start + len]);
            let truths = semantics::truths(&formulas, &roots, &part).expect("booleans do not fail");
            right.iter_mut().zip(&roots).for_each(|(right, root)| right.extend(&truths[root]));
            start += len;
        }
        let right: Vec<Bitmap> = right.into_iter().map(|row| row.into_iter().collect()).collect();
        for cut in cuts() {
            prop_assert_eq!(&compiled.rows_of_batch(&batch, cut), &right, "{:?}", cut);
        }
    }
}

/// A formula over p and q in one pass.
fn one_pass(text: &str) -> (Compiled, Vec<std::sync::Arc<str>>) {
    let schema = Schema { has_time: true, ..Schema::default() };
    let lowered = traceward_testkit::lowered(text, Goal::Check, None, Some(&schema)).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
    (Compiled::new(&lowered.formulas, &[root]), lowered.variables.names())
}

/// The states of the traces below, in blocks of a word.
const BLOCKS: usize = 64;
const STATES: usize = BLOCKS * Bitmap::WORD;

/// How many blocks are repeated where p and q hold at these positions, in so many sections; the row
/// is that of one section.
fn repeated(text: &str, p: impl Fn(usize) -> bool, q: impl Fn(usize) -> bool, most: usize) -> usize {
    let (compiled, names) = one_pass(text);
    let column = |name: &std::sync::Arc<str>| match &**name {
        "p" => (0..STATES).map(&p).collect::<Bitmap>(),
        _ => (0..STATES).map(&q).collect(),
    };
    let mut trace = Trace::of_bools(STATES, names.iter().map(column).collect());
    trace.time = Some((0..STATES as i64).collect());
    let letters = compiled.letters(&trace);
    let Schedule { stages, .. } = &compiled.reverse.schedule;
    let [Stage::Pass(pass)] = &stages[..] else { panic!("one pass") };
    let walk = Walk::new(pass, Filled { letters: &letters, batch: None }, &[], cut(1, most));
    let mut outputs = vec![vec![0; BLOCKS]];
    let repeated = sections::run(&walk, &mut outputs, &mut Vec::<Scratch>::new(), most);
    let filled = Bitmap::from_words(outputs.remove(0), STATES);
    assert_eq!(filled, compiled.rows(&letters, ALONE)[0], "{text}");
    repeated
}

#[test]
fn only_what_was_guessed_wrong_is_repeated() {
    let always = |_| true;
    let never = |_| false;
    let half = STATES / 2;
    // The carry of the last state reaches the first, and is known when it is guessed.
    assert_eq!(repeated("p U q", always, |position| position == STATES - 1, 2), 0);
    assert_eq!(repeated("F q", always, |position| position == STATES - 1, 4), 0);
    assert_eq!(repeated("G q", always, |position| position != STATES - 1, 4), 0);
    assert_eq!(repeated("G q", always, always, 4), 0);
    assert_eq!(repeated("O q", always, |position| position == 0, 4), 0);
    // It comes about behind the lead and never dies: all of the second half is repeated.
    assert_eq!(repeated("p U q", always, |position| position == half + 5, 2), BLOCKS / 2);
    assert_eq!(repeated("p S q", always, |position| position == half - 5, 2), BLOCKS / 2);
    assert_eq!(repeated("F q", always, |position| position == half + 5, 4), BLOCKS / 2);
    // Of four sections only the second was guessed wrong, and only its first six blocks.
    let falls = |position| position / 64 != half / 64 + 10;
    assert_eq!(repeated("p U q", falls, |position| position == STATES - 300, 4), 8);
    // It dies within the first block, or the third, which is as well repeated as the fourth.
    assert_eq!(repeated("p U q", |position| position != half - 9, |position| position == half + 5, 2), 1);
    assert_eq!(repeated("p S q", |position| position != half + 9, |position| position == half - 5, 2), 1);
    assert_eq!(repeated("p U q", |position| position != half - 140, |position| position == half + 5, 2), 4);
    // What was seen is forgotten when nobody sees it any more, though nothing else has come.
    assert_eq!(repeated("F[0,100] q", never, |position| position == half + 5, 2), 2);
    assert_eq!(repeated("O[0,100] q", never, |position| position == half - 5, 2), 2);
    assert_eq!(repeated("F[0,100ns] q", never, |position| position == half + 5, 2), 2);
    assert_eq!(repeated("O[0,100ns] q", never, |position| position == half - 5, 2), 2);
    assert_eq!(repeated("F[0,40] q", never, |position| position == half + 5, 2), 1);
    // A delay line, of 2 words and the one that comes, is filled anew.
    assert_eq!(repeated("F[130,130] q", never, |position| position % 3 == 0, 2), 4);
}

/// As callers ask: so many states that sections are worth their threads.
#[test]
fn threads_of_a_cache_make_no_difference() {
    let untils = (0..12).fold("q".to_owned(), |inner, _| format!("(p U (!q W {inner}))"));
    let (compiled, names) = one_pass(&format!("p -> {untils} & X F[70,72] q"));
    let len = 10_000_017;
    let mut numbers = Numbers(1);
    let mut random = || Bitmap::from_words((0..len_in_words(len)).map(|_| numbers.next()).collect(), len);
    let trace = Trace::of_bools(len, names.iter().map(|_| random()).collect());
    let letters = compiled.letters(&trace);
    let rows = |threads: usize| {
        let mut cache = Cache::for_threads(std::num::NonZero::new(threads).expect("a thread"));
        let of_one = compiled.reverse.rows(&mut cache, &letters)[0].clone();
        let sections = cache.scratches.len();
        let batch = Batch::new(letters.clone(), &[1_000_000, 77, len - 1_000_077]).expect("there is room in time");
        (of_one, compiled.reverse.rows_of_batch(&mut cache, &batch)[0].clone(), sections)
    };
    let (of_one, of_batch, _) = rows(1);
    assert!(of_one != of_batch && (1..len).contains(&of_one.count_ones()));
    for threads in [2, 3] {
        let (one, batch, sections) = rows(threads);
        assert!(one == of_one && batch == of_batch, "{threads} threads");
        assert_eq!(sections, 2, "the trace is long enough for two sections, and not for three");
    }
}

fn len_in_words(len: usize) -> usize {
    len.div_ceil(Bitmap::WORD)
}
