//! Keys that are followed in one stream: what is said of each is what is said of a file that holds
//! its records alone.

use proptest::prelude::*;
use std::collections::BTreeMap;
use traceward::{
    Change, CheckOptions, Config, EndedTrace, EngineName, Error, Goal, KeyEnd, KeyOptions, KeyedEvent, KeyedFeed,
    KeyedMonitor, Request, Settings, Source, Spec, State, StepError, Verdict, check, check_with,
};

/// Properties that look ahead, back, at earlier values, and count.
const PROPERTIES: [&str; 8] = [
    "G(a -> F b)",
    "G(a -> F[0,3] b)",
    "G(b -> O a)",
    "G !(past(x) > x)",
    "F (pos == 2 & a)",
    "G(x < 3 -> X (b | x > 0))",
    "count(a) <= 2",
    "max(x) - min(x) < 3",
];

fn spec_with(text: &str, settings: Settings) -> Spec {
    Spec::parse_with(vec![Source::new("spec", text, Goal::Check)], settings).unwrap_or_else(|error| panic!("{error}"))
}

fn by_key(properties: &str, end_when: Option<&str>) -> Spec {
    let end_when = end_when.map(str::to_owned);
    spec_with(properties, Settings { by: Some("k".to_owned()), end_when, ..Settings::default() })
}

/// What a stream has come to: for each trace of a key the verdicts, by key and number.
#[derive(Default, PartialEq, Debug)]
struct Followed {
    verdicts: BTreeMap<(String, u32), Vec<Verdict>>,
    states: BTreeMap<(String, u32), u64>,
}

impl Followed {
    fn change(&mut self, key: &str, number: u32, changes: &[Change]) {
        let verdicts = self.verdicts.entry((key.to_owned(), number)).or_default();
        for change in changes {
            let place = change.property.index();
            verdicts.resize(verdicts.len().max(place + 1), Verdict::Pending);
            verdicts[place] = change.verdict;
        }
    }

    fn end(&mut self, ended: &[EndedTrace]) {
        for one in ended {
            self.change(&one.key, one.number, &one.changed);
            self.states.insert((one.key.to_string(), one.number), one.states);
        }
    }
}

/// Feeds a text, cut into pieces of a length, to a monitor; ends all traces.
fn follow(monitor: KeyedMonitor, text: &str, piece: usize) -> Result<(Followed, KeyedMonitor), Error> {
    let mut feed = KeyedFeed::new(monitor)?;
    let mut followed = Followed::default();
    let mut watch = |_: &KeyedMonitor, event: KeyedEvent<'_>| {
        match event {
            KeyedEvent::State(step) => {
                followed.change(step.key, step.number, step.changed);
                followed.end(step.ended);
            }
            KeyedEvent::BadLine(error) => return Err(Error::Trace(error.clone())),
            _ => {}
        }
        Ok(())
    };
    for piece in text.as_bytes().chunks(piece) {
        feed.push(piece, &mut watch)?;
    }
    feed.finish(&mut watch)?;
    let mut monitor = feed.monitor().clone();
    // What is still open is told key by key, as if each had ended by itself.
    for (key, number, verdicts) in monitor.live_verdicts() {
        let holds = |verdict: Option<Verdict>| matches!(verdict, Some(Verdict::Satisfied | Verdict::Holding));
        let ended = verdicts.into_iter().map(|verdict| Verdict::at_end(holds(verdict))).collect();
        followed.verdicts.insert((key.to_owned(), number), ended);
    }
    monitor.end_all();
    Ok((followed, monitor))
}

/// A row: a key, two booleans, and a number that may be missing.
type Row = (u8, bool, bool, Option<i8>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0_u8..4, any::<bool>(), any::<bool>(), prop::option::of(-2_i8..6)), 1..40)
}

fn line((key, a, b, x): &Row) -> String {
    let x = x.map(|x| x.to_string()).unwrap_or_default();
    format!("key{key},{},{},{x}\n", u8::from(*a), u8::from(*b))
}

fn text(rows: &[Row]) -> String {
    std::iter::once("k,a,b,x\n".to_owned()).chain(rows.iter().map(line)).collect()
}

/// The traces that rows fall into, by key and number, a row for which `is_last` holds being the
/// last of its trace.
fn split(rows: &[Row], is_last: impl Fn(&Row) -> bool) -> BTreeMap<(String, u32), Vec<Row>> {
    let mut traces: BTreeMap<(String, u32), Vec<Row>> = BTreeMap::new();
    let mut open: BTreeMap<u8, (u32, bool)> = BTreeMap::new();
    for row in rows {
        let (number, has_ended) = open.entry(row.0).or_insert((1, false));
        if std::mem::replace(has_ended, is_last(row)) {
            *number += 1;
        }
        traces.entry((format!("key{}", row.0), *number)).or_default().push(*row);
    }
    traces
}

/// The verdicts on each trace, as a file of its own.
fn alone(spec: &Spec, traces: &BTreeMap<(String, u32), Vec<Row>>) -> BTreeMap<(String, u32), Vec<Verdict>> {
    let verdicts = |rows: &Vec<Row>| {
        let report = check(spec, text(rows).as_bytes()).unwrap_or_else(|error| panic!("{error}\n{}", text(rows)));
        report.properties.iter().map(|property| property.verdict).collect()
    };
    traces.iter().map(|(key, rows)| (key.clone(), verdicts(rows))).collect()
}

fn properties(chosen: &[usize]) -> String {
    let one = |(place, index): (usize, &usize)| format!("property p{place} = {}\n", PROPERTIES[*index]);
    chosen.iter().enumerate().map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_key_is_judged_like_a_file_of_its_own(
        rows in rows(),
        chosen in prop::collection::vec(0..PROPERTIES.len(), 1..4),
        marker in prop::option::of(Just("a & b")),
        records in prop::sample::select(vec!["states", "changes", "missing hold"]),
        engine in prop::sample::select(vec![
            EngineName::Auto, EngineName::Observer, EngineName::Generic, EngineName::BreadthFirst,
        ]),
        piece in 1_usize..200,
    ) {
        // A file of one key that lacks a variable would be an error.
        let mut rows = rows;
        for key in 0..4 {
            if let Some(first) = rows.iter_mut().find(|row| row.0 == key) {
                first.3 = Some(1);
            }
        }
        let settings = format!("trace {{ {records} x: number }}\n");
        let asked = settings + &properties(&chosen);
        let traces = split(&rows, |row| marker.is_some() && row.1 && row.2);
        let expected = alone(&spec_with(&asked, Settings::default()), &traces);

        let keyed = by_key(&asked, marker);
        let config = Config { engine, ..Config::default() };
        let Ok(monitor) = KeyedMonitor::with_options(&keyed, config, KeyOptions::default()) else {
            prop_assume!(engine == EngineName::Auto || engine == EngineName::Observer);
            return Err(TestCaseError::fail("it can be followed"));
        };
        let (followed, monitor) = follow(monitor, &text(&rows), piece).expect("rows that can be read");
        prop_assert_eq!(&followed.verdicts, &expected, "the stream and files of their own\n{}", text(&rows));

        // The same split of a file by key.
        let report = check(&keyed, text(&rows).as_bytes()).expect("rows that can be read");
        for (index, (property, summed)) in report.properties.iter().zip(monitor.properties()).enumerate() {
            let keys = property.keys.as_ref().expect("it is split");
            let violated = expected.values().filter(|verdicts| verdicts[index] == Verdict::Violated).count();
            prop_assert_eq!((keys.checked, keys.violated), (traces.len(), violated));
            prop_assert_eq!((summed.checked, summed.violated), (traces.len() as u64, violated as u64));
            prop_assert_eq!(summed.vacuous, keys.vacuous as u64);
            prop_assert_eq!(summed.verdict, property.verdict);
            prop_assert_eq!(summed.vacuous_trigger, property.vacuous.as_deref());
            if !property.formula.contains("count") && !property.formula.contains("max") {
                let first: Vec<_> = keys.first_violations.iter().map(|one| (one.key.clone(), one.number)).collect();
                let told: Vec<_> = summed.first_violations.iter().map(|one| (one.key.clone(), one.number)).collect();
                prop_assert_eq!(told, first);
            }
        }
    }

    #[test]
    fn what_is_wrong_is_wrong_on_the_same_line(
        rows in rows(),
        wrong in 0_usize..40,
        how in 0_usize..4,
        marker in prop::option::of(Just("a & b")),
    ) {
        let mut lines: Vec<String> = rows.iter().map(line).collect();
        let place = wrong % lines.len();
        lines[place] = [
            "key1,1,1,many\n".to_owned(), "key2,1\n".to_owned(), ",1,1,0\n".to_owned(), "key0,0,0,0\n".to_owned(),
        ][how].clone();
        let text = format!("k,a,b,x\n{}", lines.concat());
        let spec = by_key("property p = G(a -> 10 / x > 0 | x == x)\nproperty q = F b", marker);
        let stream = follow(KeyedMonitor::new(&spec).unwrap(), &text, 1000).map(|(followed, _)| followed.verdicts.len());
        let file = check(&spec, text.as_bytes());
        match (stream, file) {
            (Ok(traces), Ok(report)) => {
                prop_assert_eq!(traces, report.properties[0].keys.as_ref().unwrap().checked);
            }
            (Err(stream), Err(file)) => {
                // A file shows the place in the spec, too.
                let first = |error: Error| error.to_string().lines().next().map(str::to_owned);
                prop_assert_eq!(first(stream), first(file), "{}", text);
            }
            (stream, file) => prop_assert!(false, "stream {stream:?}, file {file:?} of\n{text}"),
        }
    }
}

fn state(a: bool, b: bool) -> State {
    State::new().with("a", a).with("b", b)
}

#[test]
fn time_goes_on_within_a_key_only() {
    let text = "trace { by k time t:s } property p = G(a -> F b)";
    let spec: Spec = text.parse().unwrap();
    let mut monitor = KeyedMonitor::new(&spec).unwrap();
    monitor.step("one", &state(true, false).at(50)).unwrap();
    monitor.step("two", &state(true, false).at(10)).unwrap();
    let late = monitor.step("one", &state(true, false).at(40)).unwrap_err();
    assert!(late.to_string().contains("time goes backwards"), "{late}");
    monitor.step("one", &state(false, true).at(50)).unwrap();
    assert_eq!((monitor.states(), monitor.live()), (3, 2));
    // The same of a file, in the same words.
    let file = "k,t,a,b\none,50,1,0\ntwo,10,1,0\none,40,1,0\n";
    let of_stream = follow(KeyedMonitor::new(&spec).unwrap(), file, 7).unwrap_err().to_string();
    assert_eq!(of_stream, check(&spec, file.as_bytes()).unwrap_err().to_string());
    assert!(of_stream.contains("one"), "{of_stream}");
    // Also where one trace of the key has ended and another begins.
    let end_when = Some("a & b".to_owned());
    let spec = spec_with(text, Settings { end_when, ..Settings::default() });
    let file = "k,t,a,b\none,50,1,1\none,40,1,0\n";
    let of_stream = follow(KeyedMonitor::new(&spec).unwrap(), file, 7).unwrap_err().to_string();
    assert_eq!(of_stream, check(&spec, file.as_bytes()).unwrap_err().to_string());
}

#[test]
fn silence_ends_a_trace() {
    let spec: Spec = "trace { by k time t:s } property p = G(a -> F b)".parse().unwrap();
    let mut options = KeyOptions::default();
    options.idle = Some(10);
    let mut monitor = KeyedMonitor::with_options(&spec, Config::default(), options).unwrap();
    monitor.step("one", &state(true, false).at(0)).unwrap();
    monitor.step("two", &state(true, false).at(5)).unwrap();
    // Ten later is not too long, and one more is.
    assert!(monitor.step("two", &state(false, true).at(10)).unwrap().ended.is_empty());
    let step = monitor.step("two", &state(false, false).at(11)).unwrap();
    assert_eq!((&*step.ended[0].key, step.ended[0].reason), ("one", KeyEnd::Silence));
    assert_eq!(step.ended[0].changed[0].verdict, Verdict::Violated);
    assert_eq!((monitor.live(), monitor.traces()), (1, 2));
    // A key that was silent itself begins anew.
    let step = monitor.step("two", &state(true, false).at(30)).unwrap();
    assert_eq!((step.number, step.position, step.ended.len()), (2, 0, 1));
    let step = monitor.step("one", &state(false, false).at(31)).unwrap();
    assert_eq!((step.number, step.position), (2, 0));
    monitor.end_all();
    let told = monitor.properties().next().unwrap();
    assert_eq!((told.checked, told.violated, told.vacuous), (4, 2, 1));
}

/// The keys of a log that is put together of several are each in order, and not among each other.
#[test]
fn keys_whose_times_lie_behind_those_of_others_are_not_silent() {
    let spec: Spec = "trace { by k time t:s } property p = G(a -> F b)".parse().unwrap();
    let mut options = KeyOptions::default();
    options.idle = Some(10);
    let mut monitor = KeyedMonitor::with_options(&spec, Config::default(), options).unwrap();
    monitor.step("one", &state(true, false).at(100)).unwrap();
    for time in [0, 1, 11] {
        let step = monitor.step("two", &state(time == 0, time > 0).at(time)).unwrap();
        assert_eq!((step.number, step.ended.len()), (1, 0), "at {time}");
    }
    let step = monitor.step("two", &state(true, false).at(22)).unwrap();
    assert_eq!((step.number, &*step.ended[0].key, step.ended[0].reason), (2, "two", KeyEnd::Silence));
    // What any key has reached counts for those that do not come.
    assert!(monitor.step("one", &state(false, true).at(110)).unwrap().ended.is_empty());
    let step = monitor.step("one", &state(false, false).at(111)).unwrap();
    assert_eq!((step.ended.len(), &*step.ended[0].key), (1, "two"));
}

/// A record that is refused has come at some time all the same.
#[test]
fn traces_that_end_by_the_time_of_a_refused_state_are_told() {
    let text = "trace { by k time t:s changes missing error } property p = G(a -> F b)";
    let mut options = KeyOptions::default();
    options.idle = Some(10_000_000_000);
    let monitor = KeyedMonitor::with_options(&text.parse().unwrap(), Config::default(), options).unwrap();
    let mut told = Vec::new();
    let mut feed = KeyedFeed::new(monitor).unwrap();
    let mut watch = |_: &KeyedMonitor, event: KeyedEvent<'_>| {
        match event {
            KeyedEvent::Clock { ended, .. } => told.extend(ended.iter().map(|one| one.key.to_string())),
            KeyedEvent::BadLine(error) => told.push(error.to_string()),
            _ => {}
        }
        Ok::<(), Error>(())
    };
    let records = "{\"k\":\"x\",\"t\":0,\"a\":true,\"b\":false}\n{\"k\":\"y\",\"t\":1,\"a\":true,\"b\":false}\n\
        {\"k\":\"x\",\"t\":100,\"a\":true}\n";
    feed.push(records.as_bytes(), &mut watch).unwrap();
    assert_eq!(told[..2], ["x", "y"]);
    assert!(told[2].contains("`b` has no value"), "{told:?}");
}

#[test]
fn silence_is_told_where_there_are_no_timestamps() {
    let spec: Spec = "trace { by k } property p = G(a -> F b)".parse().unwrap();
    let mut options = KeyOptions::default();
    options.idle = Some(10);
    let mut monitor = KeyedMonitor::with_options(&spec, Config::default(), options).unwrap();
    monitor.pass_time(100);
    monitor.step("one", &state(true, false)).unwrap();
    assert!(monitor.pass_time(105).is_empty());
    monitor.step("two", &state(true, false)).unwrap();
    let ended: Vec<_> = monitor.pass_time(112).iter().map(|one| one.key.to_string()).collect();
    assert_eq!(ended, ["one"]);
    assert_eq!(monitor.live(), 1);
}

#[test]
fn more_keys_than_are_allowed_are_an_error() {
    let spec = by_key("property p = G(a -> F b)", Some("a & b"));
    let mut options = KeyOptions::default();
    options.max_keys = 2;
    let mut monitor = KeyedMonitor::with_options(&spec, Config::default(), options).unwrap();
    monitor.step("one", &state(true, false)).unwrap();
    monitor.step("two", &state(true, false)).unwrap();
    let refused = monitor.step("three", &state(true, false)).unwrap_err();
    assert_eq!(refused, StepError::TooManyKeys { limit: 2 });
    // Who ends makes room.
    let step = monitor.step("two", &state(true, true)).unwrap();
    assert_eq!((&*step.ended[0].key, step.ended[0].reason), ("two", KeyEnd::Marker));
    monitor.step("three", &state(true, false)).unwrap();
    assert_eq!((monitor.states(), monitor.traces()), (4, 3));
    let stream = follow(monitor, "k,a,b\nfour,0,0\n", 100).map(drop).unwrap_err();
    assert!(matches!(stream, Error::Request(Request::TooManyKeys { limit: 2 })), "{stream}");
}

#[test]
fn a_variable_is_looked_for_in_the_whole_stream() {
    let spec = by_key("property p = G(a -> F b)", None);
    let monitor = KeyedMonitor::new(&spec).unwrap();
    let (_, monitor) = follow(monitor, "{\"k\":1,\"a\":true}\n{\"k\":2,\"b\":true}\n", 9).unwrap();
    assert_eq!(monitor.unseen().count(), 0);
    let (_, monitor) = follow(KeyedMonitor::new(&spec).unwrap(), "{\"k\":1,\"a\":true}\n", 9).unwrap();
    assert_eq!(monitor.unseen().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn keys_are_what_they_are_in_a_file() {
    let spec = by_key("property p = G a", None);
    let json = "{\"k\":1,\"a\":true}\n{\"k\":\"1\",\"a\":true}\n{\"k\":true,\"a\":false}\n{\"a\":false}\n{\"k\":null,\"a\":false}\n";
    let (followed, monitor) = follow(KeyedMonitor::new(&spec).unwrap(), json, 5).unwrap();
    let keys: Vec<&str> = followed.verdicts.keys().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["1", "true"]);
    assert_eq!(monitor.states(), 3);
    let report = check(&spec, json.as_bytes()).unwrap();
    assert_eq!(report.trace.keys.unwrap().len(), 2);
    // A column that nobody has is a mistake, and so is a container.
    for wrong in ["{\"kk\":1,\"a\":true}\n", "kk,a\n1,1\n", "{\"k\":[1],\"a\":true}\n"] {
        let stream = follow(KeyedMonitor::new(&spec).unwrap(), wrong, 100).map(drop).unwrap_err();
        assert_eq!(stream.to_string(), check(&spec, wrong.as_bytes()).unwrap_err().to_string());
    }
}

#[test]
fn queries_are_summed_over_keys() {
    let spec = by_key("query longest = max(x)\nquery many = count(a)", Some("a & b"));
    let rows = "k,a,b,x\none,1,0,5\ntwo,1,0,7\none,1,1,2\none,0,0,9\n";
    let (_, monitor) = follow(KeyedMonitor::new(&spec).unwrap(), rows, 100).unwrap();
    let report = check(&spec, rows.as_bytes()).unwrap();
    for (stream, file) in monitor.queries().zip(&report.queries) {
        let traceward::report::QueryValue::ByKey { summary, .. } = &file.value else { panic!("by key") };
        assert_eq!(&stream.summary, &**summary);
    }
    assert_eq!(monitor.queries().next().unwrap().summary.keys, 3);
}

#[test]
fn an_end_marker_needs_a_key_and_a_state() {
    let no_key = Settings { end_when: Some("a".to_owned()), ..Settings::default() };
    let spec = spec_with("G a", no_key);
    assert!(matches!(check(&spec, "a\n1\n".as_bytes()), Err(Error::Request(Request::EndWithoutKey))));
    assert!(matches!(traceward::Monitor::new(&spec), Err(Error::Request(Request::EndWithoutKey))));
    assert!(matches!(KeyedMonitor::new(&spec), Err(Error::Request(Request::NoKey))));
    for text in ["F a", "count(a) > 1", "let x = a", "a &", ""] {
        let settings = Settings { by: Some("k".to_owned()), end_when: Some(text.to_owned()), ..Settings::default() };
        let spec = Spec::parse_with(vec![Source::new("spec", "G a", Goal::Check)], settings);
        assert!(spec.is_err(), "{text}");
    }
    let options = CheckOptions::default();
    let unknown = check_with(&by_key("G a", Some("c")), "k,a\n1,1\n".as_bytes(), &options).unwrap_err();
    assert!(unknown.to_string().contains("the trace has no `c`"), "{unknown}");
    let failing = check_with(&by_key("G a", Some("1 / x > 3")), "k,a,x\n1,1,1\n1,1,0\n".as_bytes(), &options);
    assert!(matches!(failing, Err(Error::Evaluation { line: 3, .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// A clock that all keys share brings verdicts earlier, and never others than the file has.
    #[test]
    fn a_clock_for_all_keys_brings_no_other_verdict(
        rows in proptest::collection::vec((0_usize..3, any::<bool>(), proptest::bool::weighted(0.3), 0_i64..4), 1..40),
    ) {
        let text = "trace { by k  time t:s } property p = G(a -> F[0,3s] b) property q = G(a -> F[1s,5s] b) \
                    property r = G(b -> G[0,2s] !a) property s = F[0,3s] X b \
                    property u = G[0,3s] a -> b";
        let spec = spec_with(text, Settings::default());
        let mut monitor = KeyedMonitor::new(&spec).unwrap();
        let (mut now, mut csv) = (0, "k,t,a,b\n".to_owned());
        let mut early = 0;
        for (key, a, b, gap) in rows {
            now += gap;
            csv += &format!("{key},{now},{},{}\n", u8::from(a), u8::from(b));
            let passed = monitor.advance_to(now * 1_000_000_000);
            early += passed.iter().flat_map(|one| &one.changed).filter(|change| change.verdict.is_final()).count();
            monitor.step(&key.to_string(), &state(a, b).at(now * 1_000_000_000)).unwrap();
            prop_assert!(monitor.step("late", &state(a, b).at(now * 1_000_000_000 - 1)).is_err());
        }
        let before = monitor.deadline();
        prop_assert!(before.is_none_or(|deadline| deadline >= now * 1_000_000_000));
        monitor.end_all();
        let report = check(&spec, csv.as_bytes()).unwrap();
        for (stream, file) in monitor.properties().zip(&report.properties) {
            let keys = file.keys.as_ref().expect("by key");
            prop_assert_eq!((stream.checked, stream.violated), (keys.checked as u64, keys.violated as u64), "{}", early);
        }
    }
}
