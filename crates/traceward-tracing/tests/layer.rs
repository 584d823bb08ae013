//! Programs that log, and what their watches say.

#[path = "../examples/server.rs"]
#[allow(dead_code, reason = "the example's `main` is for those who run it")]
mod server;

use std::sync::{Arc, Mutex};
use traceward::{State, Value, Verdict};
use traceward_tracing::{Builder, Noticed, Outcome};
use tracing::subscriber::with_default;
use tracing_subscriber::prelude::*;

/// What comes of a program, and what was noticed while it ran.
fn watched(builder: Builder, program: impl FnOnce()) -> (Outcome, Vec<Noticed>) {
    let noticed = Arc::new(Mutex::new(Vec::new()));
    let to = noticed.clone();
    let (layer, watch) = builder.on_notice(move |one| to.lock().unwrap().push(one.clone())).build().unwrap();
    with_default(tracing_subscriber::registry().with(layer), program);
    let outcome = watch.end();
    let noticed = noticed.lock().unwrap().clone();
    (outcome, noticed)
}

fn builder(spec: &str) -> Builder {
    Builder::new(spec).unwrap()
}

#[test]
fn fields_messages_and_spans_make_states() {
    let spec = r#"
        property message = F "hello"
        property integer = F(n == 9007199254740993)
        property float = F(x == 0.5)
        property boolean = F b
        property text = F(who == "me")
        property debug = F(list == "[1, 2]")
        property level = F(level == "WARN")
        property target = F(target == "there")
        property around = F("inside" & outer == 1 & inner == 3 & span == "in")
        property outside = G("outside" -> !defined(outer) & !defined(span))
        property opens = "open out" & F("open in" & X("inside" & X "close in"))
        property recorded = F("recorded" & late == 7)
    "#;
    let (outcome, noticed) = watched(builder(spec), || {
        let out = tracing::info_span!("out", outer = 1, inner = 2, late = tracing::field::Empty);
        out.in_scope(|| {
            let inside = tracing::info_span!("in", inner = 3);
            inside.in_scope(|| tracing::info!("inside"));
            drop(inside);
            out.record("late", 7);
            tracing::info!("recorded");
        });
        drop(out);
        tracing::info!("outside");
        tracing::info!(n = 9007199254740993_i64, x = 0.5, b = true, who = "me", list = ?[1, 2], "hello");
        tracing::warn!(target: "there", "warned");
    });
    for property in &outcome.properties {
        assert_eq!(property.verdict, Some(Verdict::Satisfied), "{}", property.name);
    }
    assert!(outcome.is_satisfied(), "{outcome:?}");
    assert_eq!((outcome.states, outcome.traces, noticed), (9, 1, Vec::new()));
}

#[test]
fn violations_are_noticed_where_they_happen() {
    let (outcome, noticed) = watched(builder("property low = G(load < 10)"), || {
        for load in [1, 5, 12, 3] {
            tracing::info!(load, "measured");
        }
    });
    assert_eq!(outcome.properties[0].verdict, Some(Verdict::Violated));
    assert_eq!(noticed.len(), 1);
    assert_eq!((noticed[0].position, noticed[0].verdict), (2, Verdict::Violated));
    assert!(noticed[0].to_string().contains("load = 12"), "{}", noticed[0]);
}

#[test]
fn each_span_is_a_trace() {
    let spec = r#"G("received" -> F "answered")"#;
    let (outcome, noticed) = watched(builder(spec).each_span("request"), || {
        let spans: Vec<_> = (0..3).map(|id| tracing::info_span!("request", id)).collect();
        spans.iter().for_each(|span| span.in_scope(|| tracing::info!("received")));
        tracing::info!("answered");
        for id in [0, 2] {
            let inner = spans[id].in_scope(|| tracing::info_span!("inner"));
            inner.in_scope(|| tracing::info!("answered"));
        }
        drop(spans);
    });
    assert_eq!((outcome.traces, outcome.open, outcome.properties[0].violated), (3, 0, 1));
    assert_eq!(noticed.iter().map(|one| one.trace).collect::<Vec<_>>(), [Some(2)]);

    let mut kept = None;
    let (outcome, _) = watched(builder(spec).each_span("request"), || kept = Some(tracing::info_span!("request")));
    assert_eq!((outcome.traces, outcome.open), (1, 1));
    assert!(!outcome.is_satisfied());
}

#[test]
fn what_is_missing_or_wrong_is_told() {
    let (outcome, _) = watched(builder("G(laod < 10)"), || tracing::info!(load = 3, "measured"));
    assert_eq!(outcome.unseen, ["laod"]);
    assert!(!outcome.is_satisfied());
    let (outcome, _) = watched(builder("G(load < 10)"), || {
        tracing::info!(load = u64::MAX, "measured");
        tracing::info!(load = 1, "measured");
    });
    let (count, error) = outcome.refused.clone().unwrap();
    assert_eq!((count, outcome.states), (1, 1));
    assert!(error.to_string().contains("18446744073709551615"), "{error}");
    assert!(!outcome.is_satisfied());
    let (outcome, _) = watched(builder(r#"G("recieved" -> F "answered")"#), || tracing::info!("received"));
    assert_eq!(outcome.properties[0].vacuous.as_deref(), Some("\"recieved\""));
    let (outcome, _) = watched(builder("G true"), || {});
    assert!(!outcome.is_satisfied(), "no state was seen");
    assert!(Builder::new("G(").is_err());
}

#[test]
fn whoever_is_told_may_log_without_a_deadlock() {
    let (layer, watch) =
        builder("G !alarm").on_notice(|noticed| tracing::warn!(alarm = false, "{noticed}")).build().unwrap();
    with_default(tracing_subscriber::registry().with(layer), || tracing::info!(alarm = true, "fire"));
    let outcome = watch.end();
    // What is logged in the middle of logging does not come back here: `tracing` sees to that.
    assert_eq!((outcome.states, outcome.properties[0].violated), (1, 1));
}

#[test]
fn threads_share_a_trace() {
    let (layer, watch) = builder("property count = G(n >= 0) assert all = count(n == 1) == 4000").build().unwrap();
    let dispatch = tracing::Dispatch::new(tracing_subscriber::registry().with(layer));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                tracing::dispatcher::with_default(&dispatch, || (0..1000).for_each(|_| tracing::info!(n = 1, "tick")))
            });
        }
    });
    assert!(watch.end().is_satisfied());
}

#[test]
fn a_program_can_tell_its_states_itself() {
    let (_, watch) = builder("G(request -> F grant)").build().unwrap();
    watch.step(State::new().with("request", true).with("grant", false));
    assert_eq!(watch.verdicts(), [Verdict::Pending]);
    watch.step(State::new().with("request", Value::Bool(false)).with("grant", true));
    assert!(watch.end().is_satisfied());
}

#[test]
fn a_server_that_forgets_a_request() {
    let (outcome, answers) = server::watched(&["hello", "lose this", "good morning"]).unwrap();
    let mut answers: Vec<&str> = answers.iter().map(|answer| answer.trim()).collect();
    answers.sort_unstable();
    assert_eq!(answers, ["", "GOOD MORNING", "HELLO"]);
    let violated: Vec<u64> = outcome.properties.iter().map(|property| property.violated).collect();
    assert_eq!((outcome.traces, violated), (3, vec![1, 0]));
    assert!(server::watched(&["one", "two"]).unwrap().0.is_satisfied());
}
