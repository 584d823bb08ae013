//! What keyed monitors keep for themselves.

use super::{KeyOptions, KeyedMonitor};
use crate::{Config, Goal, Settings, Source, Spec, State};

/// Many traces begin and end while one goes on, whose moment never comes: of those that have ended
/// nothing stays in the orders of time.
#[test]
fn traces_that_have_ended_are_not_waited_for() {
    let text = "trace { by k time t:s } property p = G(a -> F[0,100d] b)";
    let settings = Settings { end_when: Some("last".into()), ..Settings::default() };
    let spec = Spec::parse_with(vec![Source::new("spec", text, Goal::Check)], settings).expect("a spec");
    let options = KeyOptions { idle: Some(u64::MAX / 2), ..KeyOptions::default() };
    let mut monitor = KeyedMonitor::with_options(&spec, Config::default(), options).expect("a monitor");
    let state = |time: i64, last: bool| State::new().with("a", true).with("b", false).with("last", last).at(time);
    for time in 0..1000 {
        monitor.step("long", &state(time, false)).expect("a state");
        monitor.step(&format!("short {time}"), &state(time, true)).expect("a state");
        monitor.step("another", &state(time, time % 2 == 1)).expect("a state");
    }
    assert_eq!((monitor.live(), monitor.traces()), (1, 1501));
    assert!(monitor.due.len() < 100, "{} deadlines", monitor.due.len());
    assert!(monitor.silent.len() < 100, "{} silences", monitor.silent.len());
    // Those that go on are still waited for.
    let day = 86_400_000_000_000;
    assert_eq!(monitor.deadline(), Some(100 * day));
    assert_eq!(monitor.advance_to(100 * day + 1).len(), 1);
}
