//! Tables that do not fit into memory are answered for as if they did.

mod common;

use arrow_array::*;
use common::{all_arrow, all_parquet};
use proptest::prelude::*;
use std::io::{self, Cursor};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use traceward::input::{
    MissingPolicy, Pieces, RecordOrder, Records, Scratch, ScratchFile, Spill, TimeColumn, TimeUnit,
};
use traceward::{CheckOptions, Goal, ReadOptions, Report, Settings, Source, Spec};
use traceward_arrow::{Table, check, check_table};

/// Files in memory, of which it is counted how many there are.
#[derive(Debug, Default)]
struct InMemory(AtomicUsize);

impl Scratch for InMemory {
    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Cursor::new(Vec::new())))
    }
}

/// A place that has no room.
#[derive(Debug)]
struct Nowhere;

impl Scratch for Nowhere {
    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        Err(io::Error::other("no space left on device"))
    }
}

/// Properties of all kinds: bounds in steps and time, past states, strings, triggers.
const SPEC: &str = "
    property answered = G(request -> F grant)
    property soon = G(request -> F[0,3] grant)
    property in_time = G(request -> F[0,4ms] grant)
    property grows = G !(past(x) > x)
    property far = G(past(x, 4) == x -> O[0,6] grant)
    property named = G(s == \"warm\" -> X s != \"cold\")
    property slip = F s == \"hto\"
    property same = G(other == s | !defined(other))
";

/// What only keys can be asked: the states of each are in memory when its turn comes.
const OF_KEYS: &str = "
    assert few = count(request) <= 4
    query waits = latency(request -> grant)
    query largest = max(x)
";

#[derive(Clone, Debug)]
struct Row {
    key: u8,
    request: Option<bool>,
    grant: Option<bool>,
    x: Option<i64>,
    s: Option<&'static str>,
    other: Option<&'static str>,
    step: i64,
}

fn row() -> impl Strategy<Value = Row> {
    let bit = || prop_oneof![4 => any::<bool>().prop_map(Some), 1 => Just(None)];
    let text = || prop::sample::select(&[Some("warm"), Some("cold"), Some("a text that is rather long"), None][..]);
    let x = prop_oneof![6 => (0_i64..9).prop_map(Some), 1 => Just(None), 1 => Just(Some(i64::MAX))];
    (0_u8..7, bit(), bit(), x, text(), text(), 0_i64..4).prop_map(|(key, request, grant, x, s, other, step)| Row {
        key,
        request,
        grant,
        x,
        s,
        other,
        step,
    })
}

/// The rows as a batch; `back` is one that goes back in time, `bad` one with a number that does not
/// fit.
fn batch(rows: &[Row], bad: Option<usize>, back: Option<usize>) -> RecordBatch {
    let mut now = 100;
    let times = rows.iter().enumerate().map(|(nth, row)| {
        now += row.step;
        if back == Some(nth) { 0 } else { now }
    });
    let x = rows
        .iter()
        .enumerate()
        .map(|(nth, row)| if bad == Some(nth) { Some(1 << 63) } else { row.x.map(|x| x as u64) });
    let key = |row: &Row| (row.key < 6).then(|| format!("key{}", row.key));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("t", Arc::new(Int64Array::from_iter_values(times))),
        ("k", Arc::new(rows.iter().map(key).collect::<StringArray>())),
        ("request", Arc::new(rows.iter().map(|row| row.request).collect::<BooleanArray>())),
        ("grant", Arc::new(rows.iter().map(|row| row.grant.map(i32::from)).collect::<Int32Array>())),
        ("x", Arc::new(x.collect::<UInt64Array>())),
        ("s", Arc::new(rows.iter().map(|row| row.s).collect::<StringArray>())),
        ("other", Arc::new(rows.iter().map(|row| row.other).collect::<StringArray>())),
    ];
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).expect("a batch")
}

fn spec(keyed: bool, missing: MissingPolicy, records: Records) -> Spec {
    let settings = Settings {
        by: keyed.then(|| "k".to_owned()),
        time: Some(TimeColumn::new("t", Some(TimeUnit::Ms))),
        missing: Some(missing),
        records: Some(records),
        ..Settings::default()
    };
    let source = Source::new("spec", format!("{SPEC}{}", if keyed { OF_KEYS } else { "" }), Goal::Check);
    Spec::parse_with(vec![source], settings).unwrap_or_else(|error| panic!("{error:?}"))
}

fn options(spill: Option<Spill>, threads: usize) -> CheckOptions {
    let pieces = Pieces { threads: NonZero::new(threads).expect("threads"), ..Pieces::default() };
    CheckOptions::default().read(ReadOptions { pieces, spill, ..ReadOptions::default() }).timelines(3)
}

fn shown(answer: Result<Report, traceward::Error>) -> String {
    match answer {
        Ok(report) => format!("{report:#?}"),
        Err(error) => format!("{error:#?}"),
    }
}

fn ask(spec: &Spec, form: &common::Form, options: &CheckOptions) -> String {
    shown(match form.clone() {
        common::Form::Bytes { format, bytes, .. } => check_table(spec, Table::from_bytes(bytes), format, options),
        common::Form::Batches(batches) => {
            let schema = batches[0].schema();
            check(spec, RecordBatchIterator::new(batches.into_iter().map(Ok), schema), options)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn tables_beyond_memory_are_answered_for_alike(
        rows in prop::collection::vec(row(), 2..70),
        (bad, back) in (prop::option::weighted(0.15, 0_usize..70), prop::option::weighted(0.15, 0_usize..70)),
        (missing, records) in prop_oneof![
            3 => Just((MissingPolicy::False, Records::States)),
            1 => Just((MissingPolicy::Hold, Records::States)),
            1 => Just((MissingPolicy::False, Records::Changes)),
            1 => Just((MissingPolicy::Error, Records::Changes)),
        ],
        keyed in any::<bool>(),
        (memory, group) in (prop_oneof![Just(0_usize), 1_usize..400, 400_usize..3000], 1_usize..40),
        threads in 1_usize..3,
    ) {
        let spec = spec(keyed, missing, records);
        let batch = batch(&rows, bad, back);
        let cut = group.min(rows.len());
        let batches = [batch.slice(0, cut), batch.slice(cut, rows.len() - cut)];
        for form in all_parquet(&batches, group).into_iter().chain(all_arrow(&batches)) {
            let scratch = Arc::new(InMemory::default());
            let spill = Spill { memory, scratch: scratch.clone() };
            let answered = ask(&spec, &form, &options(Some(spill), threads));
            prop_assert_eq!(&answered, &ask(&spec, &form, &options(None, threads)));
            // What is tried has to happen.
            if memory == 0 && answered.starts_with("Report") {
                prop_assert_eq!(scratch.0.load(Ordering::Relaxed), 1);
            }
        }
    }
}

const ROW: Row = Row { key: 1, request: Some(true), grant: None, x: Some(1), s: Some("warm"), other: None, step: 1 };

#[test]
fn a_place_that_fails_is_told() {
    let batches = [batch(&vec![ROW; 50], None, None)];
    for keyed in [false, true] {
        let spec = spec(keyed, MissingPolicy::False, Records::States);
        for form in all_parquet(&batches, 20).into_iter().chain(all_arrow(&batches)) {
            let spill = Spill { memory: 10, scratch: Arc::new(Nowhere) };
            let told = ask(&spec, &form, &options(Some(spill), 2));
            assert!(told.contains("no space left on device"), "{told}");
        }
    }
}

/// A table whose columns are plain is read in another way, as long as it fits.
#[test]
fn plain_tables_go_to_a_file_only_if_they_do_not_fit() {
    let rows = 3000_i64;
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("p", Arc::new(Int64Array::from_iter_values((0..rows).map(|row| row % 2)))),
        ("x", Arc::new(Int64Array::from_iter_values((0..rows).map(|row| row * 7 % 1000)))),
    ];
    let batches = [RecordBatch::try_from_iter(columns).expect("a batch")];
    let spec: Spec = "property up = G(p -> X x > 6)\nproperty low = G x < 990".parse().expect("a spec");
    for form in all_parquet(&batches, 1000) {
        let expected = ask(&spec, &form, &options(None, 2));
        for (memory, files) in [(100_000, 0), (8000, 1)] {
            let scratch = Arc::new(InMemory::default());
            let spill = Spill { memory, scratch: scratch.clone() };
            assert_eq!(ask(&spec, &form, &options(Some(spill), 2)), expected);
            assert_eq!(scratch.0.load(Ordering::Relaxed), files, "{memory} bytes");
        }
    }
}

/// A row group that is cut into parts, of which some are read ahead and the rest behind each other.
#[test]
fn parts_of_a_row_group_are_taken_in_order() {
    let rows = 150_000_i64;
    let times = |start: i64| Arc::new(Int64Array::from_iter_values((0..rows).map(move |row| start + row / 2)));
    let numbers = |number: fn(i64) -> i64| Arc::new(Int64Array::from_iter_values((0..rows).map(number)));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("t", times(100)),
        ("k", numbers(|row| row * 7919 % 300)),
        ("x", numbers(|row| row * 31 % 1000)),
        ("s", Arc::new((0..rows).map(|row| (row % 5 > 0).then_some("text")).collect::<StringArray>())),
    ];
    let batches =
        [RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true))).expect("a batch")];
    let form = all_parquet(&batches, rows as usize).swap_remove(1);
    for (words, order) in
        [("by k", RecordOrder::AsTheyCome), ("", RecordOrder::AsTheyCome), ("by k", RecordOrder::ByTime)]
    {
        let options = |spill, threads| {
            let mut options = options(spill, threads);
            options.read.order = order;
            options
        };
        let spec = format!(
            "trace {{ time t:ms {words} }} property p = G(x > 500 -> F[0,9ms] s == \"text\") property q = G !(past(x) > 990)"
        );
        let spec: Spec = match spec.parse() {
            Ok(spec) => spec,
            Err(error) => panic!("{error:?}"),
        };
        let expected = ask(&spec, &form, &options(None, 1));
        for (memory, threads) in [(1 << 30, 2), (1 << 21, 2), (1 << 21, 1), (0, 2)] {
            let spill = Spill { memory, scratch: Arc::new(InMemory::default()) };
            assert_eq!(ask(&spec, &form, &options(Some(spill), threads)), expected, "{words} in {memory}");
        }
    }
}
