//! Monitors against `check`, and what only they have.

use proptest::prelude::*;
use std::sync::Arc;
use traceward::{
    Event, Feed, Goal, KeyedMonitor, Monitor, Settings, Source, Spec, State, StepError, Value, Verdict, check,
};
use traceward_logic::formula::Formulas;
use traceward_logic::trace::{Trace, VariableId};
use traceward_testkit::generate::{self, Windows};

fn spec(text: &str) -> Spec {
    Spec::parse(vec![Source::new("spec", text, Goal::Check)]).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn monitor(text: &str) -> Monitor {
    Monitor::new(&spec(text)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refusal(text: &str) -> String {
    match Monitor::new(&spec(text)) {
        Ok(_) => panic!("{text} is refused"),
        Err(error) => error.to_string(),
    }
}

/// What a feed tells of an input: `position:name=verdict` for each change, bad lines, and the final
/// verdicts.
fn fed(spec: &Spec, input: &[u8], piece: usize) -> String {
    let monitor = Monitor::new(spec).expect("formulas that can be followed");
    let mut feed = Feed::new(monitor).expect("options that make sense");
    let (mut told, mut unseen) = (Vec::new(), Vec::new());
    let mut watch = |monitor: &Monitor, event: Event<'_>| {
        match event {
            Event::State { changed } => told.extend(changed.iter().map(|&id| {
                let property = monitor.property(id);
                let mark = if property.is_final() { "!" } else { "" };
                format!("{}:{}={}{mark}", monitor.position() - 1, property.name, property.verdict)
            })),
            // It is told once the bytes at hand have been read.
            Event::Unseen(names) => unseen.extend(names.iter().map(|one| format!("unseen:{}", one.name))),
            Event::BadLine(bad) => told.push(format!("line {}: {}", bad.line().unwrap_or(0), bad.message())),
            other => panic!("{other:?}"),
        }
        Ok::<(), traceward::Error>(())
    };
    let pushed = input.chunks(piece.max(1)).try_for_each(|bytes| feed.push(bytes, &mut watch));
    let result = pushed.and_then(|()| feed.finish(&mut watch));
    if let Err(error) = result {
        told.push(error.to_string());
    }
    let told = [unseen, told].concat();
    let end: Vec<&str> = feed.monitor().end().into_iter().map(Verdict::name).collect();
    format!("{}\nend {}: {}", told.join("\n"), feed.monitor().position(), end.join(" "))
}

fn fed_alike(spec: &Spec, input: &str) -> String {
    let at_once = fed(spec, input.as_bytes(), input.len());
    for piece in [1, 7] {
        assert_eq!(fed(spec, input.as_bytes(), piece), at_once);
    }
    at_once
}

fn csv(trace: &Trace, names: &[Arc<str>]) -> String {
    let mut text = names.join(",") + "\n";
    for position in 0..trace.len {
        let values = (0..names.len()).map(|slot| trace.value(VariableId(slot as u32), position).to_string());
        text += &(values.collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The verdict at the end is that of `check`, a final one stays, and every one on the way is
    /// that of `check` for the trace so far.
    #[test]
    fn monitors_agree_with_check(recipe in generate::formula(3, Windows::Steps), trace in generate::short_trace(3)) {
        let names: Vec<Arc<str>> = ["a", "b", "c"].map(Arc::from).to_vec();
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        let text = formulas.display(root, &names).to_string();
        // The past of `M` has no text, and neither has `M` with a bound.
        prop_assume!(!text.contains(" MP") && !text.contains(" M["));
        let spec = spec(&text);
        let mut monitor = Monitor::new(&spec).expect("no bounds in time");
        let expect = |len: usize| {
            let part = trace.gather(&(0..len as u32).collect::<Vec<_>>());
            let report = check(&spec, csv(&part, &names).as_bytes()).expect("booleans");
            report.properties[0].verdict
        };
        prop_assert_eq!(monitor.end(), [expect(0)], "{} on nothing", text);
        for position in 0..trace.len {
            let before = monitor.verdicts()[0];
            let state: State =
                names.iter().enumerate().map(|(slot, name)| (&**name, trace.value(VariableId(slot as u32), position))).collect();
            monitor.step(&state).expect("a state");
            prop_assert_eq!(monitor.end(), [expect(position + 1)], "{} at {}", text, position);
            if position > 0 && matches!(before, Verdict::Satisfied | Verdict::Violated) {
                prop_assert_eq!(monitor.verdicts(), [before]);
            }
        }
        let fed = fed(&spec, csv(&trace, &names).as_bytes(), 5);
        prop_assert!(fed.ends_with(&format!("end {}: {}", trace.len, monitor.end()[0])), "{}", fed);
    }
}

/// The same bytes, as a file and as they arrive.
#[test]
fn a_stream_and_a_file_read_alike() {
    let csv = "a,n,mode,x,y\ntrue,1,idle,1,1.0\n,2.5,\"go, \"\"now\"\"\",2,2\n0,-3,idle,9,9\n\nF,,,,\nT,1e3,007,3,4\n";
    let json = r#"{"a":true,"n":1,"mode":"idle","x":1,"y":1.0}
{"n":2.5,"mode":"go, \"now\"","x":2,"y":2}
{"a":0,"n":-3,"mode":"idle","x":4,"y":5}

{"a":false,"n":null}
{"a":true,"n":1e3,"mode":"007","x":3,"y":4}"#;
    let properties = "property p1 = G(a -> n >= 1)
        property p2 = F(mode == \"go, \\\"now\\\"\")
        property p3 = G(mode in {\"idle\", \"007\"} | !a)
        property p4 = F(mode == \"idle\" & !a)
        property p5 = (a & n < 2) U (n > 2 | mode == \"007\")
        property p6 = G(n > 0 | !defined(n) | !a)
        property p7 = F(len(mode) == 3)
        property p8 = G(defined(mode) -> matches(mode, \"[a-z0-9]\"))
        property p9 = F(x == y & n > 2)";
    for settings in ["", "trace { changes }", "trace { missing hold }"] {
        for (name, input) in [("csv", csv), ("json", json)] {
            let text = format!("{settings} {properties}");
            let spec = spec(&text);
            let report = check(&spec, input.as_bytes());
            let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
            let verdicts: Vec<&str> = report.properties.iter().map(|property| property.verdict.name()).collect();
            let fed = fed_alike(&spec, input);
            let expected = format!("end {}: {}", report.trace.states, verdicts.join(" "));
            assert_eq!(fed.lines().last(), Some(&*expected), "{name} {settings}\n{fed}");
        }
    }
}

#[test]
fn verdicts_come_with_their_states() {
    let spec = spec("property answered = G(request -> F grant) property never = G !error");
    let input = "request,grant,error\n0,0,0\n1,0,0\n1,0,0\n0,1,0\n0,0,1\n1,0,1\n";
    insta::assert_snapshot!(fed_alike(&spec, input), @r"
    0:answered=holding
    0:never=holding
    1:answered=pending
    3:answered=holding
    4:never=violated!
    5:answered=pending
    end 6: violated violated
    ");
}

#[test]
fn a_fork_goes_its_own_way() {
    let mut one = monitor("a U b");
    one.step(&State::new().with("a", true).with("b", false)).unwrap();
    let mut other = one.clone();
    one.step(&State::new().with("b", true)).unwrap();
    other.step(&State::new()).unwrap();
    assert_eq!((one.verdicts(), other.verdicts()), (vec![Verdict::Satisfied], vec![Verdict::Violated]));
    assert!(one.step(&State::new()).unwrap().is_empty());
    assert_eq!(one.properties().next().unwrap().decided_at, Some(1));
    assert_eq!((one.position(), other.position()), (3, 2));
}

#[test]
fn the_image_state_carries_on_what_does_not_change() {
    let changes = spec("trace { changes } property p = G(x > 0 & mode == \"on\")");
    let json = "{\"x\":1,\"mode\":\"on\"}\n{\"x\":2}\n{}\n{\"mode\":\"on\"}\n{\"x\":null}\n";
    insta::assert_snapshot!(fed_alike(&changes, json), @r"
    0:p=holding
    4:p=violated!
    end 5: violated
    ");
    let hold = spec("trace { missing hold } property p = G(x > 0)");
    insta::assert_snapshot!(fed_alike(&hold, "{\"x\":1}\n{\"x\":null}\n{}\n"), @r"
    0:p=holding
    end 3: satisfied
    ");
    let error = spec("trace { missing error } property p = G(x > 0) property q = F defined(y)");
    insta::assert_snapshot!(fed_alike(&error, "{\"x\":1}\n{}\n{\"x\":2,\"y\":0}\n"), @r"
    0:p=holding
    0:q=pending
    line 2: `x` has no value
    1:q=satisfied!
    end 2: satisfied satisfied
    ");
}

#[test]
fn a_state_that_is_refused_has_not_happened() {
    let changes = spec("trace { changes } property p = G(x == y) property q = G(pos < 2 | z)");
    let json = "{\"x\":1,\"y\":1}\n{\"x\":\"one\"}\n{\"x\":2,\"z\":7}\n{\"z\":true}\n{\"y\":2}\n";
    insta::assert_snapshot!(fed_alike(&changes, json), @r#"
    unseen:z
    0:p=holding
    0:q=holding
    line 2: the first value made `x` a number, but here it is `one`
    line 3: `z` is used as a boolean, but here it is `7`
    2:p=violated!
    end 3: violated satisfied
    "#);
    let timed = spec("trace { time t:s } property p = G(time < 3000000000)");
    insta::assert_snapshot!(fed_alike(&timed, "t,a\n1,\n2,\n1.5,\n,\n2.5,\n3,\n"), @r"
    0:p=holding
    line 4: time goes backwards: `t` is 1.5 s, but 2 s on line 3 before it
    line 5: the state has no timestamp: `t` is missing
    3:p=violated!
    end 4: violated
    ");
}

#[test]
fn the_first_value_tells_a_type_that_uses_leave_open() {
    let spec = spec("property p = G(p1 -> p1 == p2) property q = G(x < y)");
    let json = "{\"p1\":true,\"p2\":true,\"x\":1,\"y\":1.5}\n{\"p1\":0,\"p2\":5,\"x\":\"a\",\"y\":\"b\"}\n\
                {\"p1\":2,\"p2\":2,\"x\":1,\"y\":2}\n{\"x\":true,\"y\":false}\n{\"p1\":1,\"p2\":1,\"x\":2,\"y\":1}\n";
    insta::assert_snapshot!(fed_alike(&spec, json), @r"
    0:p=holding
    0:q=holding
    line 2: `p2` is used as a boolean, but here it is `5`
    line 3: `p1` is used as a boolean, but here it is `2`
    line 4: the first value made `x` a number, but here it is `true`
    1:q=violated!
    end 2: satisfied violated
    ");
}

#[test]
fn expressions_that_fail_end_it() {
    let spec = spec("property p = G(10 / x > 2) property guarded = G(x != 0 & 10 / x > 2)");
    insta::assert_snapshot!(fed_alike(&spec, "x\n1\n2\n0\n1\n"), @r"
    0:p=holding
    0:guarded=holding
    error: the trace:4: division by zero in `(10 / x) > 2` at position 2
    end 2: satisfied satisfied
    ");
    let mut monitor = monitor("F(10 / x > 2)");
    assert!(matches!(monitor.step(&State::new().with("x", 0_i64)), Err(StepError::Evaluation(_))));
    assert_eq!(monitor.position(), 0);
    monitor.step(&State::new().with("x", 1_i64)).unwrap();
    // Expressions are evaluated at every position, whether or not a verdict needs them.
    assert!(monitor.step(&State::new().with("x", 0_i64)).is_err());
    assert_eq!((monitor.position(), monitor.end()), (1, vec![Verdict::Satisfied]));
}

#[test]
fn values_of_a_user_have_to_fit() {
    let mut monitor = monitor("G(a & n > 1 & s == \"x\")");
    assert_eq!(monitor.variables().collect::<Vec<_>>(), ["a", "n", "s"]);
    assert_eq!(monitor.unseen().count(), 3);
    let mut refused = |name: &str, value: Value| monitor.step(&State::new().with(name, value)).unwrap_err().to_string();
    assert_eq!(refused("a", Value::Int(2)), "`a` is used as a boolean, but here it is `2`");
    assert_eq!(refused("n", Value::str("2")), "`n` is used as a number, but here it is the string `2`");
    assert_eq!(refused("s", Value::Int(2)), "`s` is used as a string, but here it is `2`");
    assert_eq!(refused("s", Value::List(Vec::new())), "`s` is an array, not a single value");
    monitor.step(&State::new().with("a", 1_i64).with("n", 1.5).with("s", "x").with("other", "ignored")).unwrap();
    assert_eq!(monitor.verdicts(), [Verdict::Holding]);
    assert_eq!(monitor.unseen().count(), 0);
    monitor.step(&State::new().with("a", true).with("n", f64::NAN).with("s", "x")).unwrap();
    assert_eq!(monitor.end(), [Verdict::Violated]);
}

#[test]
fn what_cannot_be_followed_is_refused() {
    insta::assert_snapshot!(
        [
            refusal("query q = max(count(x > 1))"),
            refusal("assert small = max(sum(x)) < 3"),
            refusal("trace { by k } property p = G a"),
            refusal("property p = G(time > 3)"),
        ]
        .join("\n")
    );
    let over = Settings { by: Some("k".into()), ..Settings::default() };
    let spec = Spec::parse_with(vec![Source::new("-e", "G a", Goal::Check)], over).unwrap();
    assert!(Monitor::new(&spec).is_err());
}

/// Whoever waits for the next deadline, and looks at nothing before it has passed, misses no
/// verdict; nor does a keyed monitor, which does so.
#[test]
fn verdicts_that_the_clock_brings_are_awaited() {
    let formulas = [
        "F[0,9s] b",
        "G[0,9s] a",
        "G[4s,9s] a",
        "!F[0,9s] b",
        "G[0,9s] a | G[4s,6s] !b",
        "G[0,3s] a & G[2s,7s] a",
        "G[0,9s](b -> F[0,3s] a)",
        "G[0,9s](a -> F[0,3s] b)",
        "G[2s,5s] G[0,4s] a",
        "a W[0,5s] b",
        "(a U[1s,5s] b) | G[0,2s] a",
    ];
    for formula in formulas {
        for times in [&[0][..], &[0, 2], &[0, 3, 3, 5]] {
            let state = |second: i64| State::new().with("a", true).with("b", false).at(second * 1_000_000_000);
            let property = format!("trace {{ time t:s }} property p = {formula}");
            let mut monitor = Monitor::new(&spec(&property)).unwrap();
            let mut keyed = KeyedMonitor::new(&spec(&property.replace("time", "by k  time"))).unwrap();
            for &time in times {
                monitor.step(&state(time)).unwrap();
                keyed.step("key", &state(time)).unwrap();
            }
            let last = times.iter().copied().max().unwrap_or_default();
            for second in last..40 {
                let (awaited, before) = (monitor.deadline(), monitor.verdicts());
                let now = second * 1_000_000_000 + 1;
                monitor.advance_to(now);
                let is_news = monitor.verdicts() != before;
                assert!(!is_news || awaited.is_some_and(|awaited| awaited < now), "{formula} after {times:?} at {now}");
                keyed.advance_to(now);
                assert_eq!(
                    keyed.verdicts_of("key"),
                    [Some(monitor.verdicts()[0])],
                    "{formula} after {times:?} at {now}"
                );
            }
            assert!(monitor.verdicts()[0].is_final(), "{formula} after {times:?}");
        }
    }
}

/// A deadline is missed when the clock has passed it, and no state may come before the clock.
#[test]
fn time_passes_without_a_state() {
    let text = "trace { time t:s } property p = G(a -> F[0,5s] b) property q = G[0,7s] !c property r = G a";
    let spec = spec(text);
    let state =
        |second: i64, a: bool| State::new().with("a", a).with("b", false).with("c", false).at(second * 1_000_000_000);
    let mut monitor = Monitor::new(&spec).unwrap();
    assert!(monitor.advance_to(-3).is_empty(), "nothing was asked yet");
    monitor.step(&state(10, true)).unwrap();
    assert_eq!(monitor.deadline(), Some(15_000_000_000));
    assert!(monitor.advance_to(15_000_000_000).is_empty());
    let mut saved = Monitor::restore(&spec, Default::default(), &monitor.save().unwrap()).unwrap();
    for monitor in [&mut monitor, &mut saved] {
        assert_eq!(monitor.advance_to(16_000_000_000).len(), 1);
        assert_eq!(monitor.verdicts(), [Verdict::Violated, Verdict::Holding, Verdict::Holding]);
        let property = monitor.properties().next().unwrap();
        assert_eq!((property.decided_at, property.decided_time), (Some(0), Some(16_000_000_000)));
        let missed = &property.missed[0];
        assert_eq!((&*missed.obligation, missed.since, missed.deadline), ("F[0,5s] b", 0, 15_000_000_000));
        assert_eq!(monitor.advance_to(17_000_000_001).len(), 1, "what had to hold for 7 s has held");
        assert_eq!(monitor.verdicts(), [Verdict::Violated, Verdict::Satisfied, Verdict::Holding]);
        let error = monitor.step(&state(16, true)).unwrap_err().to_string();
        assert!(error.contains("the clock has reached"), "{error}");
        monitor.step(&state(18, false)).unwrap();
        assert_eq!(monitor.verdicts(), [Verdict::Violated, Verdict::Satisfied, Verdict::Violated]);
    }
    let again = Monitor::restore(&spec, Default::default(), &monitor.save().unwrap()).unwrap();
    let missed = |monitor: &Monitor| monitor.properties().next().unwrap().missed.to_vec();
    assert_eq!(missed(&again), missed(&monitor));
}

/// What waits for a state beyond its window waits for no time any more: who sleeps until the
/// deadline would never sleep again.
#[test]
fn a_deadline_that_the_clock_has_passed_is_none_any_more() {
    let mut monitor = Monitor::new(&spec("trace { time t:s } property p = F[0,1s] X b")).unwrap();
    let state = |second: i64, b: bool| State::new().with("b", b).at(second * 1_000_000_000);
    monitor.step(&state(10, false)).unwrap();
    assert_eq!(monitor.deadline(), Some(11_000_000_000));
    assert!(monitor.advance_to(12_000_000_000).is_empty());
    assert_eq!(monitor.deadline(), None);
    monitor.step(&state(13, true)).unwrap();
    assert_eq!(monitor.verdicts(), [Verdict::Satisfied]);
}

#[test]
fn no_state_at_all() {
    let monitor = monitor("property p = F true property q = G false property r = X a | WX a");
    assert_eq!(monitor.end(), [Verdict::Violated, Verdict::Satisfied, Verdict::Satisfied]);
    assert_eq!(monitor.verdicts(), [Verdict::Pending, Verdict::Holding, Verdict::Holding]);
}

#[test]
fn an_unused_definition_does_no_harm() {
    let mut monitor = monitor("let unused = z == q\nproperty p = G(x == y)");
    monitor.step(&State::new().with("x", 1_i64).with("y", 1_i64)).unwrap();
    assert_eq!(monitor.variables().collect::<Vec<_>>(), ["x", "y"]);
}

/// A state of one variable.
fn x(value: i64) -> State {
    State::new().with("x", value)
}

#[test]
fn a_monitor_remembers_values_of_earlier_states() {
    let spec: Spec = "G !(past(x) > x)".parse().unwrap();
    let mut monitor = Monitor::new(&spec).unwrap();
    for value in [1, 1, 3] {
        monitor.step(&x(value)).unwrap();
        assert_eq!(monitor.verdicts(), [Verdict::Holding]);
    }
    // A copy remembers by itself.
    let mut other = monitor.clone();
    other.step(&x(5)).unwrap();
    monitor.step(&x(4)).unwrap();
    monitor.step(&x(4)).unwrap();
    assert_eq!((monitor.verdicts(), monitor.position()), (vec![Verdict::Holding], 5));
    other.step(&x(4)).unwrap();
    assert_eq!(other.verdicts(), [Verdict::Violated]);
}

#[test]
fn a_state_that_is_refused_is_no_earlier_state() {
    let spec: Spec = "G (1 / (x - past(x, 2)) < 5)".parse().unwrap();
    let mut monitor = Monitor::new(&spec).unwrap();
    for value in [1, 2, 3] {
        monitor.step(&x(value)).unwrap();
    }
    let refused = monitor.step(&x(2)).unwrap_err();
    assert_eq!(refused.to_string(), "division by zero in `(1 / (x - past(x, 2))) < 5` at position 3");
    monitor.step(&x(4)).unwrap();
    assert_eq!(monitor.step(&x(3)).unwrap_err().to_string().split(" in ").next(), Some("division by zero"));
    assert_eq!(monitor.position(), 4);
}

#[test]
fn records_that_repeat_are_not_taken_for_states_that_repeat() {
    let spec: Spec = "property p = F stable(x) property q = G (pos > 0 -> changed(x))".parse().unwrap();
    let mut monitor = Monitor::new(&spec).unwrap();
    monitor.step(&x(1)).unwrap();
    assert_eq!(monitor.end(), [Verdict::Violated, Verdict::Satisfied]);
    monitor.step(&x(1)).unwrap();
    assert_eq!(monitor.end(), [Verdict::Satisfied, Verdict::Violated]);
}

/// Whatever is final stays so: a comparison with an earlier value is not taken for one with a value
/// of this state.
#[test]
fn nothing_is_final_because_of_an_earlier_value() {
    let spec: Spec = "F (past(x) > 5 & x < 3 & past(x) > x)".parse().unwrap();
    let mut monitor = Monitor::new(&spec).unwrap();
    for value in [1, 7] {
        monitor.step(&x(value)).unwrap();
        assert_eq!(monitor.verdicts(), [Verdict::Pending]);
    }
    monitor.step(&x(2)).unwrap();
    assert_eq!(monitor.verdicts(), [Verdict::Satisfied]);
}

/// Letters of one word take a shorter way than those of several.
#[test]
fn few_propositions_are_read_like_many() {
    let few = "property p = G(x > 3 -> F y == 0)\nproperty q = F x == 7\nproperty r = G(y == 9 -> X x < 2)\n";
    let more: String = (0..80).map(|number| format!("property z{number} = G(z != {number})\n")).collect();
    let mut monitors = [few.to_owned(), format!("{few}{more}")].map(|text| monitor(&text));
    let about_few = |monitor: &Monitor| -> Vec<String> {
        let warnings = monitor.warnings().into_iter().map(|warning| format!("{warning:?}"));
        warnings.filter(|warning| !warning.contains("\"z")).collect()
    };
    for number in 0..40_i64 {
        let (x, y) = (number * 5 % 7, number * 3 % 4);
        let state = State::new().with("x", x).with("y", y).with("z", 100);
        let told = monitors.each_mut().map(|monitor| {
            let changed = monitor.step(&state).expect("a state").iter().map(|id| id.index());
            let changed: Vec<usize> = changed.filter(|index| *index < 3).collect();
            (changed, monitor.verdicts()[..3].to_vec(), about_few(monitor))
        });
        assert_eq!(told[0], told[1], "at {number}");
    }
    let warnings = about_few(&monitors[0]);
    assert_eq!(warnings.len(), 2, "`x == 7` and `y == 9` are never true, `x > 3` and `y == 0` are: {warnings:?}");
}
