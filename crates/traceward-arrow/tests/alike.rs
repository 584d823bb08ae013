//! A table and the same data as CSV are answered alike: verdicts, values, and what is wrong where.

mod common;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int16Type;
use arrow_array::*;
use common::{Form, all_arrow, all_parquet};
use proptest::prelude::*;
use std::num::NonZero;
use std::sync::Arc;
use traceward::input::{MissingPolicy, Note, Pieces, RecordOrder, Records, TimeColumn, TimeUnit, TraceErrorKind};
use traceward::{CheckOptions, Error, Goal, ReadOptions, Report, Settings, Source, Spec, ValueType, check_with};
use traceward_arrow::{Table, check, check_table};

/// The values of a row; none where there is no value.
#[derive(Clone, Debug)]
struct Row {
    time: Option<i64>,
    key: Option<&'static str>,
    flag: Option<i8>,
    n: Option<u64>,
    f: Option<f64>,
    s: Option<&'static str>,
}

/// How the columns of a table are stored.
#[derive(Clone, Copy, Debug)]
struct Stored {
    time: usize,
    flag: usize,
    n: usize,
    f: usize,
    s: usize,
}

/// What is asked, and how.
#[derive(Clone, Debug)]
struct Asked {
    spec: &'static str,
    keyed: bool,
    timed: bool,
    end_when: bool,
    changes: bool,
    missing: MissingPolicy,
    order: u8,
    null: bool,
    declared: bool,
}

const SPECS: [&str; 8] = [
    "property p = G(flag -> F n > 2)",
    "property p = G(s == \"a\" -> X f <= 1.5)\nquery q = max(f)",
    "property p = G(n + 9223372036854775806 > 0)",
    "property p = G !(past(n) > n)\nquery q = sum(n)",
    "property p = F(n == f)\nquery q = distinct(s)",
    "property p = G(defined(s) | flag)\nquery q = count(flag)",
    "property p = G(flag -> F[0,3] (s != \"bb\"))\nquery q = last(s)",
    "property p = G(n > f -> defined(nothing))",
];

fn row() -> impl Strategy<Value = Row> {
    let flag = prop_oneof![30 => 0_i8..=1, 1 => Just(2_i8)];
    let n = prop_oneof![20 => 0_u64..6, 1 => Just(9_007_199_254_740_993), 1 => Just(1 << 63)];
    let f = prop_oneof![12 => (0_u8..12).prop_map(|quarters| f64::from(quarters) / 4.0), 1 => Just(f64::NAN)];
    let s = prop_oneof![Just("a"), Just("bb"), Just("a somewhat longer text"), Just("Zoë, \"quoted\""), Just("")];
    (
        proptest::option::weighted(0.99, prop_oneof![20 => 0_i64..3, 1 => -2_i64..0]),
        proptest::option::weighted(0.9, prop_oneof![Just("k1"), Just("k2"), Just("a key that is longer")]),
        proptest::option::weighted(0.9, flag),
        proptest::option::weighted(0.9, n),
        proptest::option::weighted(0.9, f),
        proptest::option::weighted(0.8, s),
    )
        .prop_map(|(time, key, flag, n, f, s)| Row { time, key, flag, n, f, s })
}

/// Rows whose times are sums of their steps.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(row(), 0..40).prop_map(|mut rows| {
        let mut now = 1_700_000_000_000_i64;
        for row in &mut rows {
            row.time = row.time.map(|step| {
                now += step;
                now
            });
        }
        rows
    })
}

fn stored() -> impl Strategy<Value = Stored> {
    (0_usize..4, 0_usize..2, 0_usize..3, 0_usize..2, 0_usize..5).prop_map(|(time, flag, n, f, s)| Stored {
        time,
        flag,
        n,
        f,
        s,
    })
}

fn asked() -> impl Strategy<Value = Asked> {
    let missing =
        prop_oneof![3 => Just(MissingPolicy::False), 1 => Just(MissingPolicy::Hold), 1 => Just(MissingPolicy::Error)];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (0..SPECS.len(), flags, missing, 0_u8..6, 0_u8..4).prop_map(|(spec, flags, missing, order, rare)| {
        let (keyed, timed, end_when, changes, null) = flags;
        Asked {
            spec: SPECS[spec],
            keyed,
            timed,
            end_when: keyed && end_when && SPECS[spec].contains("flag"),
            changes,
            missing,
            order: if timed { order } else { 5 },
            null: null && rare == 0,
            declared: rare == 1,
        }
    })
}

fn quoted(text: &str) -> String {
    if text.is_empty() || text.contains(['"', ',']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn csv(rows: &[Row], stored: Stored) -> String {
    let mut text = "t,k,flag,n,f,s\n".to_owned();
    for row in rows {
        let flag = |flag: i8| match (stored.flag, flag) {
            (0, 0 | 1) => (flag == 1).to_string(),
            _ => flag.to_string(),
        };
        let cells = [
            row.time.map(|time| time.to_string()),
            row.key.map(str::to_owned),
            row.flag.map(flag),
            row.n.map(|n| n.to_string()),
            row.f.map(|f| if f.is_nan() { "nan".to_owned() } else { format!("{f:?}") }),
            row.s.map(quoted),
        ];
        text += &cells.map(Option::unwrap_or_default).join(",");
        text += "\n";
    }
    text
}

fn of<T: FromIterator<Option<V>> + Array + 'static, V>(values: impl Iterator<Item = Option<V>>) -> ArrayRef {
    Arc::new(values.collect::<T>())
}

fn times(rows: &[Row], stored: usize) -> ArrayRef {
    let times = rows.iter().map(|row| row.time);
    match stored {
        0 => of::<Int64Array, _>(times),
        1 => of::<TimestampMillisecondArray, _>(times),
        2 => of::<TimestampMicrosecondArray, _>(times.map(|time| time.map(|time| time * 1000))),
        _ => of::<TimestampNanosecondArray, _>(times.map(|time| time.map(|time| time * 1_000_000))),
    }
}

fn texts(texts: impl Iterator<Item = Option<&'static str>>, stored: usize) -> ArrayRef {
    match stored {
        0 => of::<StringArray, _>(texts),
        1 => of::<LargeStringArray, _>(texts),
        2 => of::<StringViewArray, _>(texts),
        3 => of::<BinaryArray, _>(texts.map(|text| text.map(str::as_bytes))),
        _ => {
            let mut builder = StringDictionaryBuilder::<Int16Type>::new();
            texts.for_each(|text| builder.append_option(text));
            Arc::new(builder.finish())
        }
    }
}

fn batch(rows: &[Row], stored: Stored) -> RecordBatch {
    let flags = rows.iter().map(|row| row.flag);
    // A boolean has no third value: tables of those have integers.
    let is_boolean = stored.flag == 0 && rows.iter().all(|row| row.flag != Some(2));
    let flag = match is_boolean {
        true => of::<BooleanArray, _>(flags.map(|flag| flag.map(|flag| flag == 1))),
        false => of::<Int8Array, _>(flags),
    };
    let n = rows.iter().map(|row| row.n);
    let fits = rows.iter().all(|row| row.n.is_none_or(|n| i64::try_from(n).is_ok()));
    let n = match stored.n {
        0 if fits => of::<Int64Array, _>(n.map(|n| n.map(|n| n as i64))),
        1 => {
            let decimals: Decimal128Array = n.map(|n| n.map(i128::from)).collect();
            Arc::new(decimals.with_precision_and_scale(38, 0).expect("a scale"))
        }
        _ => of::<UInt64Array, _>(n),
    };
    let f = rows.iter().map(|row| row.f);
    let f = match stored.f {
        0 => of::<Float64Array, _>(f),
        _ => of::<Float32Array, _>(f.map(|f| f.map(|f| f as f32))),
    };
    let columns = [
        ("t", times(rows, stored.time)),
        ("k", texts(rows.iter().map(|row| row.key), stored.s)),
        ("flag", flag),
        ("n", n),
        ("f", f),
        ("s", texts(rows.iter().map(|row| row.s), stored.s)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).expect("a batch")
}

/// The batches of some rows, cut at places, with an empty one between; each is a part of a larger
/// one.
fn batches(rows: &[Row], stored: Stored, cuts: &[usize]) -> Vec<RecordBatch> {
    let whole = batch(rows, stored);
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (rows.len() + 1)).collect();
    cuts.extend([0, rows.len()]);
    cuts.sort_unstable();
    let mut batches: Vec<RecordBatch> = cuts.windows(2).map(|ends| whole.slice(ends[0], ends[1] - ends[0])).collect();
    batches.insert(0, whole.slice(rows.len() / 2, 0));
    batches
}

impl Asked {
    /// Where uses leave a type open, a number that does not fit is a text in CSV, and an empty text
    /// no value; in a table they are what they say they are, as in JSON. That is meant, so such
    /// values are left out.
    fn without_surprise(&self, mut rows: Vec<Row>) -> Vec<Row> {
        if self.spec.contains("n == f") || self.spec.contains("n > f") {
            rows.iter_mut().for_each(|row| row.n = row.n.filter(|n| i64::try_from(*n).is_ok()));
        }
        if self.spec.contains("distinct(s)") || self.spec.contains("defined(s)") {
            rows.iter_mut().for_each(|row| row.s = row.s.filter(|s| !s.is_empty()));
        }
        rows
    }

    fn spec(&self) -> Spec {
        let settings = Settings {
            time: self.timed.then(|| TimeColumn::new("t", Some(TimeUnit::Ms))),
            by: self.keyed.then(|| "k".to_owned()),
            end_when: self.end_when.then(|| "flag".to_owned()),
            records: self.changes.then_some(Records::Changes),
            missing: Some(self.missing),
            types: if self.declared { vec![("s".to_owned(), ValueType::String)] } else { Vec::new() },
            ..Settings::default()
        };
        Spec::parse_with(vec![Source::new("spec", self.spec, Goal::Check)], settings).expect("the spec is good")
    }

    fn options(&self, threads: usize) -> CheckOptions {
        let order = match self.order {
            0 => RecordOrder::ByTime,
            1 => RecordOrder::Within { lateness: 1_000_000 },
            _ => RecordOrder::AsTheyCome,
        };
        let null = if self.null { vec!["a".to_owned(), "3".to_owned()] } else { Vec::new() };
        let pieces = Pieces { threads: NonZero::new(threads).expect("a thread"), ..Pieces::default() };
        CheckOptions::default().read(ReadOptions { order, null, pieces, ..ReadOptions::default() })
    }
}

/// All that is answered, with lines as rows: `header` lines come before the first.
fn told(answer: &Result<Report, Error>, header: u64) -> String {
    let row = |line: u64| line.wrapping_sub(header);
    match answer {
        Ok(report) => {
            let property = |one: &traceward::PropertyReport| {
                let violations = one.evidence.violations.iter().flat_map(|violations| &violations.first);
                let rows: Vec<u64> = violations.map(|violation| row(violation.line)).collect();
                format!("{:?} {:?} {rows:?}", one.verdict, one.vacuous)
            };
            let properties: Vec<String> = report.properties.iter().map(property).collect();
            let values: Vec<String> = report.queries.iter().map(|query| format!("{:?}", query.value)).collect();
            let notes: Vec<String> = report.trace.notes.iter().filter_map(|note| told_note(note, &row)).collect();
            format!("{} states, {properties:?}, {values:?}, {notes:?}", report.trace.states)
        }
        Err(Error::Trace(error) | Error::Unfit { error, .. }) => {
            let mut kind = error.kind().clone();
            if let TraceErrorKind::TimeDecreases { before_line, .. } = &mut kind {
                *before_line = row(*before_line);
            }
            format!("{:?} in {:?} of {:?}", kind, error.line().map(row), error.column())
        }
        Err(Error::Evaluation { message, line }) => format!("{message} in {}", row(*line)),
        Err(error) => format!("{error}"),
    }
}

fn told_note(note: &Note, row: &dyn Fn(u64) -> u64) -> Option<String> {
    match note {
        Note::HeaderOnly | Note::NoRows => None,
        Note::Late { records, lines, lateness } => {
            let rows: Vec<u64> = lines.iter().map(|&line| row(line)).collect();
            Some(format!("{records} later than {lateness}: {rows:?}"))
        }
        note => Some(note.to_string()),
    }
}

fn answer(form: &Form, spec: &Spec, options: &CheckOptions) -> Result<Report, Error> {
    match form {
        Form::Bytes { format, bytes, .. } => check_table(spec, Table::from_bytes(bytes.clone()), *format, options),
        Form::Batches(batches) => {
            let schema = batches[0].schema();
            check(spec, RecordBatchIterator::new(batches.clone().into_iter().map(Ok), schema), options)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_table_is_answered_like_its_csv(
        rows in rows(),
        stored in stored(),
        asked in asked(),
        cuts in proptest::collection::vec(0_usize..50, 0..4),
        group in 1_usize..9,
        threads in 1_usize..4,
    ) {
        let (spec, options) = (asked.spec(), asked.options(threads));
        let rows = asked.without_surprise(rows);
        let text = csv(&rows, stored);
        let expected = told(&check_with(&spec, text.as_bytes(), &options), 1);
        let batches = batches(&rows, stored, &cuts);
        let mut forms = all_parquet(&batches, group);
        forms.extend(all_arrow(&batches));
        for form in forms {
            let found = told(&answer(&form, &spec, &options), 0);
            let name = match &form {
                Form::Bytes { name, .. } => name,
                Form::Batches(_) => "batches",
            };
            prop_assert_eq!(&found, &expected, "{}\n{}", name, text);
        }
    }
}
