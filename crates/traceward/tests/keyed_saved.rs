//! Keyed monitors that were saved go on as if nothing had been, and bytes that are none are
//! refused.

use proptest::prelude::*;
use std::fmt::Write;
use traceward::engine::Precision;
use traceward::input::RecordOrder;
use traceward::{
    Config, Error, Goal, KeyOptions, KeyedEvent, KeyedFeed, KeyedMonitor, Monitor, ReadOptions, RestoreError, Settings,
    Source, Spec, State,
};
use traceward_engine::saved::checksum;

/// Properties with runs of every kind: numbers, runs of engines, asserts, triggers that wait.
const PROPERTIES: &str = "
    property waits = G(a -> F b)
    property soon = G(a -> F[0,3] b)
    property before = G(b -> O a)
    property falls = G !(past(x) > x)
    property divided = G(12 / (x - 1) < 20 | a)
    property never = G(x > 90 -> F a)
    assert few = count(a) <= 2
    assert apart = max(x) - min(x) < 6
    query most = max(x)
    query half = median(x)
    query longest = max(count(a) while !b)
";

const TIMED: &str = "property in_time = G(a -> F[0,5ns] b) property rests = G(b -> G[1ns,3ns] !a)";

fn spec_with(text: &str, end_when: Option<&str>) -> Spec {
    let settings = Settings { end_when: end_when.map(str::to_owned), ..Settings::default() };
    let source = Source::new("spec", text, Goal::Check);
    Spec::parse_with(vec![source], settings).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn config(beyond: Option<usize>) -> Config {
    let precision = beyond.map(|beyond| Precision::Sketched { beyond, accuracy: 0.01 });
    Config { precision, ..Config::default() }
}

fn keys(idle: Option<u64>, max_keys: usize) -> KeyOptions {
    let mut options = KeyOptions::default();
    (options.idle, options.max_keys, options.max_violations) = (idle, max_keys, 2);
    options
}

/// What happens to a monitor.
#[derive(Clone, Debug)]
enum Event {
    State { key: u8, a: bool, b: bool, x: Option<i64>, is_last: bool },
    Clock,
}

fn events() -> impl Strategy<Value = Vec<(i64, Event)>> {
    let x = prop_oneof![8 => (-2_i64..9).prop_map(Some), 2 => Just(None)];
    let state = (0_u8..6, any::<bool>(), any::<bool>(), x, prop::bool::weighted(0.15))
        .prop_map(|(key, a, b, x, is_last)| Event::State { key, a, b, x, is_last });
    let event = prop_oneof![9 => state, 1 => Just(Event::Clock)];
    prop::collection::vec((prop_oneof![6 => 0_i64..3, 1 => Just(20), 1 => Just(-1)], event), 1..50)
}

/// Lets something happen, and tells everything that it has come to.
fn happens(monitor: &mut KeyedMonitor, now: i64, event: &Event) -> String {
    let mut told = match event {
        Event::State { key, a, b, x, is_last } => {
            let mut state = State::new().with("a", *a).with("b", *b).with("last", *is_last);
            if let Some(x) = x {
                state = state.with("x", *x);
            }
            let state = if monitor.has_timestamps() { state.at(now) } else { state };
            format!("{:?}", monitor.step(&format!("key{key}"), &state))
        }
        Event::Clock if monitor.has_timestamps() => {
            format!("{:?} {:?}", monitor.advance_to(now), monitor.ended_by_clock())
        }
        Event::Clock => format!("{:?}", monitor.pass_time(now)),
    };
    write!(told, " {} {:?} {:?}", monitor.states(), monitor.deadline(), monitor.verdicts()).expect("a text");
    told
}

/// Everything that a monitor tells, now and if all traces end.
fn told(monitor: &KeyedMonitor) -> String {
    let mut monitor = monitor.clone();
    let mut told = String::new();
    for _ in 0..2 {
        monitor.live_verdicts().for_each(|one| writeln!(told, "{one:?}").expect("a text"));
        monitor.properties().for_each(|one| writeln!(told, "{one:?}").expect("a text"));
        monitor.queries().for_each(|one| writeln!(told, "{one:?}").expect("a text"));
        let unseen: Vec<&str> = monitor.unseen().collect();
        let counts = (monitor.states(), monitor.traces(), monitor.live(), monitor.deadline());
        writeln!(told, "{counts:?} {:?} {unseen:?}", monitor.warnings()).expect("a text");
        monitor.end_all();
    }
    told
}

fn restored(spec: &Spec, config: Config, options: KeyOptions, bytes: &[u8]) -> KeyedMonitor {
    KeyedMonitor::restore(spec, config, options, bytes).unwrap_or_else(|error| panic!("its own bytes: {error}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn a_restored_monitor_tells_the_same(
        events in events(),
        timed in any::<bool>(),
        records in prop::sample::select(vec!["", "changes", "missing hold"]),
        ends in any::<bool>(),
        idle in prop::option::of(Just(6_u64)),
        max_keys in prop::sample::select(vec![2_usize, 3, 100]),
        beyond in prop::sample::select(vec![None, Some(4)]),
    ) {
        let (time, more) = if timed { ("time now:ns", TIMED) } else { ("", "") };
        let text = format!("trace {{ by k {time} {records} last: boolean }} {PROPERTIES} {more}");
        let (spec, options, config) = (spec_with(&text, ends.then_some("last")), keys(idle, max_keys), config(beyond));
        let mut monitor = KeyedMonitor::with_options(&spec, config, options).expect("a monitor");
        let mut others: Vec<(usize, KeyedMonitor)> = Vec::new();
        let mut now = 100;
        for (position, (step, event)) in events.iter().enumerate() {
            let bytes = monitor.save();
            let other = restored(&spec, config, options, &bytes);
            prop_assert_eq!(&other.save(), &bytes, "nothing is lost by saving again at {}", position);
            if position % 4 == 0 || position + 2 > events.len() {
                others.push((position, other));
            }
            now += step;
            let expected = happens(&mut monitor, now, event);
            for (cut, other) in &mut others {
                prop_assert_eq!(&happens(other, now, event), &expected, "saved at {}, at {}", cut, position);
            }
        }
        let expected = told(&monitor);
        prop_assert_eq!(&told(&restored(&spec, config, options, &monitor.save())), &expected);
        for (cut, other) in &others {
            prop_assert_eq!(&told(other), &expected, "saved at {}", cut);
        }
    }
}

const SPEC_HEAD: &str = "trace { by k time now:ns changes last: boolean }";

fn whole_spec() -> Spec {
    spec_with(&format!("{SPEC_HEAD} {PROPERTIES} {TIMED}"), Some("last"))
}

/// A monitor with traces that go on, traces that have ended in each way, and verdicts of each kind.
fn followed(spec: &Spec, options: KeyOptions) -> KeyedMonitor {
    let mut monitor = KeyedMonitor::with_options(spec, config(Some(3)), options).expect("a monitor");
    for step in 0..60_i64 {
        let key = u8::try_from(step * 7 % 5).expect("small");
        let (a, b) = (step % 3 == 0, step % 8 == 1);
        let event = Event::State { key, a, b, x: (step % 4 > 0).then_some(step % 9), is_last: step % 11 == 10 };
        happens(&mut monitor, step + if step > 40 { 30 } else { 0 }, &event);
    }
    happens(&mut monitor, 95, &Event::Clock);
    monitor
}

const IDLE: Option<u64> = Some(20);

fn refused(spec: &Spec, config: Config, options: KeyOptions, bytes: &[u8]) -> RestoreError {
    match KeyedMonitor::restore(spec, config, options, bytes) {
        Ok(_) => panic!("these bytes are no monitor"),
        Err(Error::Restore(error)) => error,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn bytes_do_not_depend_on_how_keys_are_looked_up() {
    let spec = whole_spec();
    let monitor = followed(&spec, keys(IDLE, 100));
    assert!(monitor.live() > 1 && monitor.traces() > 6, "{}", told(&monitor));
    assert_eq!(monitor.save(), followed(&spec, keys(IDLE, 100)).save());
}

#[test]
fn bytes_that_are_no_monitor_of_the_spec_and_its_keys_are_refused() {
    let spec = whole_spec();
    let (config, options) = (config(Some(3)), keys(IDLE, 100));
    let monitor = followed(&spec, options);
    let bytes = monitor.save();
    let other = spec_with(&format!("{SPEC_HEAD} {PROPERTIES} {TIMED}"), Some("a"));
    assert_eq!(refused(&other, config, options, &bytes), RestoreError::OtherSpec);
    assert_eq!(refused(&spec, Config::default(), options, &bytes), RestoreError::OtherConfig);
    assert_eq!(refused(&spec, config, keys(None, 100), &bytes), RestoreError::OtherKeys);
    let mut wordy = options;
    wordy.max_violations = 5;
    assert_eq!(refused(&spec, config, wordy, &bytes), RestoreError::OtherKeys);
    assert_eq!(refused(&spec, config, options, b"a,b\n1,2\n"), RestoreError::NotAMonitor);
    let mut later = bytes.clone();
    later[4] = 99;
    assert_eq!(refused(&spec, config, options, &later), RestoreError::Version(99));
    // Nobody takes a trace for many, or many for one.
    let of_one = spec_with("G(a -> F b)", None);
    let of_many = spec_with("trace { by k } G(a -> F b)", None);
    let one = Monitor::new(&of_one).expect("a monitor").save().expect("bytes");
    let many = KeyedMonitor::new(&of_many).expect("a monitor").save();
    assert_eq!(refused(&of_many, Config::default(), KeyOptions::default(), &one), RestoreError::OtherKeys);
    let Err(Error::Restore(error)) = Monitor::restore(&of_one, Config::default(), &many) else { panic!("refused") };
    assert_eq!(error, RestoreError::OtherKeys);
    // A limit may be another one.
    assert_eq!(restored(&spec, config, keys(IDLE, 1), &bytes).states(), monitor.states());
}

/// Puts the right checksum behind bytes that were changed, so that reading goes on behind it.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.len() - 8;
    let sum = checksum(&bytes[..body]);
    bytes[body..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// The same with right checksums of the runs inside, too.
fn signed_throughout(mut bytes: Vec<u8>) -> Vec<u8> {
    let runs: Vec<usize> = (1..bytes.len() - 4).filter(|place| bytes[*place..].starts_with(b"TWRN")).collect();
    for from in runs {
        // The length stands before a run.
        let length = u64::from_le_bytes(bytes[from - 8..from].try_into().expect("eight bytes")) as usize;
        if let Some(run) = from.checked_add(length).and_then(|to| bytes.get(from..to)).filter(|run| run.len() > 8) {
            let run = signed(run.to_vec());
            bytes[from..from + length].copy_from_slice(&run);
        }
    }
    signed(bytes)
}

#[test]
fn damaged_bytes_are_refused() {
    let (spec, options) = (whole_spec(), keys(IDLE, 100));
    let bytes = followed(&spec, options).save();
    let is_refused = |bytes: &[u8]| KeyedMonitor::restore(&spec, config(Some(3)), options, bytes).is_err();
    for cut in (0..bytes.len()).step_by(13) {
        assert!(is_refused(&bytes[..cut]), "cut at {cut}");
        if cut > 30 {
            let mut short = bytes[..cut].to_vec();
            short.extend([0; 8]);
            assert!(is_refused(&signed(short)), "cut and signed at {cut}");
        }
        let mut changed = bytes.clone();
        changed[cut] ^= 1 << (cut % 8);
        assert!(is_refused(&changed), "changed at {cut}");
    }
}

/// Whatever was restored goes on: it may be wrong, but nothing breaks.
#[test]
fn forged_bytes_break_nothing() {
    let (spec, options) = (whole_spec(), keys(IDLE, 100));
    let bytes = followed(&spec, options).save();
    assert_eq!(signed_throughout(bytes.clone()), bytes, "the checksums are found");
    let (mut taken, mut refused) = (0, 0);
    for place in (0..bytes.len() - 8).step_by(3) {
        let other = [bytes[place] ^ 0x80, bytes[place].wrapping_add(1), 0, 0xFF][place % 4];
        let mut changed = bytes.clone();
        changed[place] = other;
        let forged = signed_throughout(changed);
        let Ok(mut monitor) = KeyedMonitor::restore(&spec, config(Some(3)), options, &forged) else {
            refused += 1;
            continue;
        };
        taken += 1;
        for step in 0..8 {
            let key = u8::try_from(step % 6).expect("small");
            let event = Event::State { key, a: step % 2 == 0, b: step == 2, x: Some(step), is_last: step == 5 };
            happens(&mut monitor, 1_000_000 + step * 9, &event);
        }
        happens(&mut monitor, 2_000_000, &Event::Clock);
        assert!(!told(&monitor).is_empty());
    }
    assert!(taken > 100 && refused > 100, "{taken} taken, {refused} refused");
}

/// Records that are held back to be put in order are the feed's, and go on with it.
#[test]
fn a_feed_goes_on_with_a_restored_monitor_and_what_was_held_back() {
    let spec = spec_with("trace { by k time t:ns } property p = G !(past(x) > x)", None);
    let options = ReadOptions { order: RecordOrder::Within { lateness: 10 }, ..ReadOptions::default() };
    let feed = |monitor| KeyedFeed::with_options(monitor, &options).expect("a feed");
    let mut watch = |_: &KeyedMonitor, _: KeyedEvent<'_>| Ok::<(), Error>(());
    // Lines are those of the input, so the second part has as many before it.
    let parts: [&[u8]; 2] = [b"k,t,x\na,5,2\nb,6,1\na,3,1\nb,9,2\n", b"k,t,x\n\n\n\n\na,8,3\nb,30,0\n"];
    let mut whole = feed(KeyedMonitor::new(&spec).expect("a monitor"));
    whole.push(parts[0], &mut watch).expect("states");
    let (bytes, held) = (whole.monitor().save(), whole.save_held().expect("records that are held back"));
    let monitor = restored(&spec, Config::default(), KeyOptions::default(), &bytes);
    assert_eq!(monitor.states(), 0);
    let mut other = feed(monitor);
    other.restore_held(&held).expect("its own bytes");
    whole.push(&parts[1][10..], &mut watch).expect("states");
    other.push(parts[1], &mut watch).expect("states");
    for feed in [&mut whole, &mut other] {
        feed.finish(&mut watch).expect("an end");
    }
    assert_eq!(told(other.monitor()), told(whole.monitor()));
    assert_eq!(other.monitor().states(), 6);
}
