//! A trace that is not split and does not fit into memory is answered for as if it did.

use proptest::prelude::*;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use traceward::input::{MissingPolicy, Pieces, Records, Scratch, ScratchFile, Spill, TimeColumn, TimeUnit};
use traceward::{CheckOptions, ReadOptions, Report, Settings, Source, Spec, Truth, check_with};

/// Files in memory, of which it is counted how many there are.
#[derive(Debug, Default)]
struct InMemory(AtomicUsize);

impl Scratch for InMemory {
    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Cursor::new(Vec::new())))
    }
}

/// Files that hold what was written for so many readings.
#[derive(Debug)]
struct Forgetful(usize);

struct ForgetfulFile {
    file: Cursor<Vec<u8>>,
    left: usize,
}

impl Scratch for Forgetful {
    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(ForgetfulFile { file: Cursor::new(Vec::new()), left: self.0 }))
    }
}

impl Read for ForgetfulFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(1).ok_or_else(|| io::Error::other("the disk is on fire"))?;
        self.file.read(bytes)
    }
}

impl Write for ForgetfulFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for ForgetfulFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// Properties of all kinds: bounds in steps and time, past states, strings, triggers, both sides of
/// a slip, and one that simplification leaves an atom out of.
const SPEC: &str = "
    property answered = G(request -> F grant)
    property soon = G(request -> F[0,3] grant)
    property in_time = G(request -> F[0,4ms] grant)
    property later = G(request -> F[2ms,9ms] grant)
    property grows = G !(past(x) > x)
    property far = G(past(x, 4) == x -> O[0,6] grant)
    property clock = G(time - past(time) < 3000000)
    property named = G(s == \"warm\" -> X s != \"cold\")
    property slip = F s == \"hto\"
    property same = G(other == s | !defined(other))
    property left_out = G(grant | (x > 2 & !(x > 2)))
    property pattern = G !matches(s, \"^a text\")
    property number = G(n != 9007199254740993 | n < 2)
";

/// Expressions that fail: by their own state, and only where there are no states before.
const EXTRA: [&str; 6] =
    ["", "", "", "", "property much = G x + 1 > 0", "property guarded = G(defined(past(request, 3)) | 9 / x >= 0)"];

#[derive(Clone, Debug)]
struct Row {
    request: Option<bool>,
    grant: Option<bool>,
    x: Option<i64>,
    n: Option<&'static str>,
    s: Option<&'static str>,
    other: Option<&'static str>,
    step: i64,
}

fn row() -> impl Strategy<Value = Row> {
    let bit = || prop_oneof![4 => any::<bool>().prop_map(Some), 1 => Just(None)];
    let text = || prop::sample::select(&[Some("warm"), Some("cold"), Some("a text that is rather long"), None][..]);
    let x = prop_oneof![6 => (0_i64..9).prop_map(Some), 1 => Just(None), 1 => Just(Some(i64::MAX))];
    let n = prop::sample::select(&[Some("1"), Some("2.5"), Some("9007199254740993"), None][..]);
    (bit(), bit(), x, n, text(), text(), 0_i64..4).prop_map(|(request, grant, x, n, s, other, step)| Row {
        request,
        grant,
        x,
        n,
        s,
        other,
        step,
    })
}

fn text<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// `bad` is a row with a value that does not fit, `back` one that goes back in time.
fn csv(rows: &[Row], bad: Option<usize>, back: Option<usize>) -> String {
    let mut written = "t,request,grant,x,n,s,other\n".to_owned();
    let mut now = 100;
    for (nth, row) in rows.iter().enumerate() {
        now += row.step;
        let time = if back == Some(nth) { 0 } else { now };
        let x = if bad == Some(nth) { "much".to_owned() } else { text(row.x) };
        let (request, grant, n) = (text(row.request), text(row.grant), text(row.n));
        written += &format!("{time},{request},{grant},{x},{n},{},{}\n", text(row.s), text(row.other));
    }
    written
}

/// The same as JSON lines: what is not there is not mentioned.
fn json(rows: &[Row], bad: Option<usize>, back: Option<usize>) -> String {
    let mut written = String::new();
    let mut now = 100;
    for (nth, row) in rows.iter().enumerate() {
        now += row.step;
        let time = if back == Some(nth) { 0 } else { now };
        let x = if bad == Some(nth) { Some("\"much\"".to_owned()) } else { row.x.map(|x| x.to_string()) };
        let quoted = |text: Option<&str>| text.map(|text| format!("\"{text}\""));
        let members = [
            ("request", row.request.map(|bit| bit.to_string())),
            ("grant", row.grant.map(|bit| bit.to_string())),
            ("x", x),
            ("n", row.n.map(str::to_owned)),
            ("s", quoted(row.s)),
            ("other", quoted(row.other)),
        ];
        let members = members.into_iter().filter_map(|(name, value)| Some(format!(",\"{name}\":{}", value?)));
        written += &format!("{{\"t\":{time}{}}}\n", members.collect::<String>());
    }
    written
}

fn spec(extra: &str, missing: MissingPolicy, records: Records) -> Spec {
    let settings = Settings {
        time: Some(TimeColumn::new("t", Some(TimeUnit::Ms))),
        missing: Some(missing),
        records: Some(records),
        ..Settings::default()
    };
    let source = Source::new("spec", format!("{SPEC}{extra}"), traceward::Goal::Check);
    Spec::parse_with(vec![source], settings).unwrap_or_else(|error| panic!("{error:?}"))
}

fn options(spill: Option<Spill>, size: usize) -> CheckOptions {
    let pieces = Pieces { threads: NonZero::new(2).expect("threads"), size };
    CheckOptions::default().timelines(3).read(ReadOptions { pieces, spill, ..ReadOptions::default() })
}

fn shown(answer: Result<Report, traceward::Error>) -> String {
    match answer {
        Ok(report) => format!("{report:#?}"),
        Err(error) => format!("{error:#?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(700))]

    #[test]
    fn segments_are_answered_for_alike(
        rows in prop::collection::vec(row(), 2..70),
        (bad, back) in (prop::option::weighted(0.15, 0_usize..70), prop::option::weighted(0.15, 0_usize..70)),
        (missing, records) in prop_oneof![
            3 => Just((MissingPolicy::False, Records::States)),
            1 => Just((MissingPolicy::Hold, Records::States)),
            1 => Just((MissingPolicy::False, Records::Changes)),
            1 => Just((MissingPolicy::Error, Records::Changes)),
        ],
        extra in prop::sample::select(&EXTRA[..]),
        in_json in any::<bool>(),
        (memory, size) in (prop_oneof![Just(0_usize), 1_usize..400, 400_usize..3000], 16_usize..400),
        (truth, prefix) in (any::<bool>(), prop::bool::weighted(0.3)),
    ) {
        let spec = spec(extra, missing, records);
        let input = if in_json { json(&rows, bad, back) } else { csv(&rows, bad, back) };
        let answer = |spill| {
            let options = options(spill, size);
            let options = if truth { options.truth(Truth::AtEveryPosition) } else { options };
            shown(check_with(&spec, input.as_bytes(), &if prefix { options.prefix() } else { options }))
        };
        let scratch = Arc::new(InMemory::default());
        let spill = Spill { memory, scratch: scratch.clone() };
        let answered = answer(Some(spill));
        prop_assert_eq!(&answered, &answer(None));
        // What is tried has to happen.
        if memory == 0 && input.len() > 4 * size && answered.starts_with("Report") {
            prop_assert_eq!(scratch.0.load(Ordering::Relaxed), 1);
        }
    }
}

const ROW: Row = Row { request: Some(true), grant: None, x: Some(1), n: None, s: Some("warm"), other: None, step: 1 };

#[test]
fn what_needs_all_states_has_them_in_memory() {
    let input = csv(&vec![ROW; 50], None, None);
    for extra in
        ["query waits = latency(request -> grant)", "assert few = count(grant) == 0", "property even = G pos >= 0"]
    {
        let scratch = Arc::new(InMemory::default());
        let spec = spec(extra, MissingPolicy::False, Records::States);
        let spill = Spill { memory: 0, scratch: scratch.clone() };
        let report = check_with(&spec, input.as_bytes(), &options(Some(spill), 100)).unwrap();
        assert_eq!(report.trace.states, 50);
        assert_eq!(scratch.0.load(Ordering::Relaxed), 0, "{extra}");
    }
}

/// Segments are smaller than what is allowed, and yet there are none before that is too much.
#[test]
fn what_fits_into_memory_stays_there() {
    let spec = spec("", MissingPolicy::False, Records::States);
    let input = csv(&vec![ROW; 50], None, None);
    for (memory, files) in [(2500, 0), (600, 1)] {
        let scratch = Arc::new(InMemory::default());
        let spill = Spill { memory, scratch: scratch.clone() };
        check_with(&spec, input.as_bytes(), &options(Some(spill), 100)).unwrap();
        assert_eq!(scratch.0.load(Ordering::Relaxed), files, "{memory}");
    }
}

#[test]
fn a_place_that_fails_later_is_told() {
    let input = csv(&vec![ROW; 50], None, None);
    let spec = spec("", MissingPolicy::False, Records::States);
    let mut told = 0;
    for readings in 0..400 {
        let spill = Spill { memory: 0, scratch: Arc::new(Forgetful(readings)) };
        match check_with(&spec, input.as_bytes(), &options(Some(spill), 100)) {
            Err(error) => {
                assert!(error.to_string().contains("fails: the disk is on fire"), "{readings}: {error}");
                told += 1;
            }
            Ok(report) => {
                let whole = check_with(&spec, input.as_bytes(), &options(None, 100));
                assert_eq!(shown(Ok(report)), shown(whole), "{readings}");
                break;
            }
        }
    }
    // Segments are read for letters, and again for evidence.
    assert!((30..400).contains(&told), "{told}");
}

/// Dates whose day is told only by a later line, behind segments whose dates told nothing.
#[test]
fn days_are_told_from_months_behind_segments() {
    let dated = |dates: &[&str]| {
        let early = (0..40).map(|day| format!("2014-01-01T00:00:{day:02},{}\n", day % 2)).collect::<String>();
        let late = dates.iter().map(|date| format!("{date},1\n")).collect::<String>();
        format!("t,a\n{early}{late}")
    };
    let settings = Settings { time: Some(TimeColumn::new("t", None)), ..Settings::default() };
    let source = Source::new("spec", "G(a -> F[0,2000d] a)".to_owned(), traceward::Goal::Check);
    let spec = Spec::parse_with(vec![source], settings).unwrap();
    let answers = [
        &["01/02/2014", "13/02/2014"][..],
        &["03/02/2014", "02/13/2014"],
        &["05/02/2014", "04/02/2014", "13/02/2014"],
        &["01/02/2014"],
    ];
    for dates in answers {
        let input = dated(dates);
        let answer = |spill| shown(check_with(&spec, input.as_bytes(), &options(spill, 100)));
        let spill = Spill { memory: 0, scratch: Arc::new(InMemory::default()) };
        assert_eq!(answer(Some(spill)), answer(None), "{dates:?}");
    }
}
