//! Records that are late are put in order, and those that are too late are counted: by files and
//! streams alike, and by a monitor that is saved on its way.

use proptest::prelude::*;
use traceward::input::{Note, RecordOrder};
use traceward::{
    CheckOptions, Error, Event, Feed, Goal, Monitor, ReadOptions, Settings, Source, Spec, Truth, check_with,
};

const SPEC: &str = "trace { time t:ns } property p = G(a -> Y b | F[0,2] b) property q = G !(past(x) > x + 2)";

fn spec() -> Spec {
    Spec::parse_with(vec![Source::new("spec", SPEC, Goal::Check)], Settings::default()).expect("a spec")
}

fn within(lateness: u64) -> ReadOptions {
    ReadOptions { order: RecordOrder::Within { lateness }, ..ReadOptions::default() }
}

/// A record: its time, and two bits.
type Record = (i64, bool, bool);

fn line((index, (time, a, b)): (usize, &Record)) -> String {
    format!("{{\"t\": {time}, \"a\": {a}, \"b\": {b}, \"x\": {}}}\n", index % 5)
}

fn lines(records: &[Record]) -> Vec<String> {
    records.iter().enumerate().map(line).collect()
}

/// The lines that are left, in order of time, and the number of those that are late.
fn sorted(records: &[Record], lateness: u64) -> (String, u64) {
    let is_late = |index: usize| records[..index].iter().any(|before| before.0 - records[index].0 > lateness as i64);
    let mut left: Vec<(usize, &Record)> = records.iter().enumerate().filter(|(index, _)| !is_late(*index)).collect();
    let late = (records.len() - left.len()) as u64;
    left.sort_by_key(|(_, record)| record.0);
    (left.into_iter().map(line).collect(), late)
}

/// What a monitor tells of each state, and at the end.
#[derive(Default)]
struct Told(Vec<String>);

impl Told {
    fn watch(&mut self) -> impl FnMut(&Monitor, Event<'_>) -> Result<(), Error> + '_ {
        |monitor, event| {
            assert!(matches!(event, Event::State { .. }), "{event:?}");
            self.0.push(format!("{} {:?}", monitor.position(), monitor.verdicts()));
            Ok(())
        }
    }
}

fn fed(input: &str, options: &ReadOptions) -> (Vec<String>, u64) {
    let mut feed = Feed::with_options(Monitor::new(&spec()).expect("it can be followed"), options).expect("options");
    let mut told = Told::default();
    feed.push(input.as_bytes(), &mut told.watch()).expect("lines");
    feed.finish(&mut told.watch()).expect("lines");
    told.0.push(format!("{:?}", feed.monitor().end()));
    (told.0, feed.late())
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    let record = (-5_i64..6, any::<bool>(), any::<bool>());
    proptest::collection::vec(record, 1..14).prop_map(|mut records| {
        (0..).zip(&mut records).for_each(|(position, record): (i64, &mut Record)| record.0 += 2 * position);
        records
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_sorted_file_says_the_same(records in records(), lateness in 0_u64..10) {
        let input = lines(&records).concat();
        let (left, late) = sorted(&records, lateness);
        let options = |read| CheckOptions::default().truth(Truth::AtEveryPosition).read(read);
        let found = check_with(&spec(), input.as_bytes(), &options(within(lateness))).expect("a trace");
        let expected = check_with(&spec(), left.as_bytes(), &options(ReadOptions::default())).expect("a trace");
        for (one, other) in found.properties.iter().zip(&expected.properties) {
            prop_assert_eq!((one.verdict, &one.truth), (other.verdict, &other.truth));
        }
        let counted = found.trace.notes.iter().map(|note| match note {
            Note::Late { records, .. } => *records,
            other => panic!("{other:?}"),
        });
        prop_assert_eq!(counted.sum::<u64>(), late);
        prop_assert_eq!(fed(&input, &within(lateness)), (fed(&left, &ReadOptions::default()).0, late));
    }

    #[test]
    fn a_monitor_goes_on_with_what_was_held_back(records in records(), lateness in 0_u64..10) {
        let (spec, options, lines) = (spec(), within(lateness), lines(&records));
        let whole = fed(&lines.concat(), &options);
        for cut in 0..=lines.len() {
            let mut told = Told::default();
            let mut feed = Feed::with_options(Monitor::new(&spec).expect("a monitor"), &options).expect("options");
            feed.push(lines[..cut].concat().as_bytes(), &mut told.watch()).expect("lines");
            let (bytes, held) = (feed.monitor().save().expect("a monitor"), feed.save_held().expect("a lateness"));
            let monitor = Monitor::restore(&spec, traceward::Config::default(), &bytes).expect("its own bytes");
            let mut feed = Feed::with_options(monitor, &options).expect("options");
            feed.restore_held(&held).expect("its own bytes");
            feed.push(lines[cut..].concat().as_bytes(), &mut told.watch()).expect("lines");
            feed.finish(&mut told.watch()).expect("lines");
            told.0.push(format!("{:?}", feed.monitor().end()));
            prop_assert_eq!((&told.0, feed.late()), (&whole.0, whole.1), "cut at {}", cut);
        }
    }
}

#[test]
fn a_record_that_is_held_back_is_no_state_yet() {
    let mut feed = Feed::with_options(Monitor::new(&spec()).expect("a monitor"), &within(5)).expect("options");
    let mut told = Told::default();
    feed.push(lines(&[(1, true, false), (3, true, false)]).concat().as_bytes(), &mut told.watch()).expect("lines");
    assert_eq!((feed.monitor().position(), told.0.len()), (0, 0));
    assert_eq!(feed.notes(), [Note::HeldBack { records: 2 }]);
    feed.finish(&mut told.watch()).expect("lines");
    assert_eq!((feed.monitor().position(), feed.notes().len()), (2, 0));
}
