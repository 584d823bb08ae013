//! Satisfied properties of which nothing was asked.

use traceward::{CheckOptions, EngineName, Feed, Monitor, Spec, Verdict, check_with};

/// A formula, the rows of p, q and r, and the trigger that makes it vacuous.
type Example = (&'static str, &'static [&'static str], Option<&'static str>);

const EXAMPLES: &[Example] = &[
    ("G(p -> F q)", &["000", "010"], Some("p")),
    ("G(p -> F q)", &["000", "110"], None),
    // Without an always it is asked at the first position alone.
    ("p -> q", &["000", "110"], Some("p")),
    ("G(p -> (q -> r))", &["100", "010"], Some("q")),
    ("G(p -> (q -> r))", &["100", "111"], None),
    // The outermost one is named.
    ("G(p -> (q -> r))", &["000", "010"], Some("p")),
    ("G(q & (p -> r))", &["010", "010"], Some("p")),
    ("G[2,3](p -> q)", &["110", "000", "000"], Some("p")),
    ("G[2,3](p -> q)", &["110", "000", "110"], None),
    ("G G[1,2](p -> q)", &["110", "000"], Some("p")),
    ("p -> G(q -> r)", &["100", "011"], None),
    ("X p -> G(q -> r)", &["000", "111"], None),
    // What is violated is not vacuous, nor is what says something without an implication.
    ("G(p -> q) & G r", &["000", "001"], None),
    ("(p -> q) | r", &["000", "000"], None),
    ("X(p -> q)", &["000", "000"], None),
    ("G((F p) -> q)", &["000", "010"], Some("(F p)")),
    ("G(p -> q) & G(q -> r)", &["000", "011"], Some("p")),
    ("G(q -> r) & G(p -> q)", &["000", "011"], Some("p")),
    // The second conjunct's trigger is further out than the inner one of the first.
    ("G(p -> (q -> r)) & G(r -> p)", &["100", "010"], Some("r")),
    ("let answered = p -> q; property a = G answered", &["000", "000"], Some("p")),
];

fn input(rows: &[&str]) -> String {
    let row = |bits: &&str| format!("k,{}\n", bits.chars().map(String::from).collect::<Vec<_>>().join(","));
    format!("key,p,q,r\n{}", rows.iter().map(row).collect::<String>())
}

#[test]
fn what_was_never_asked_is_named() {
    for (text, rows, expected) in EXAMPLES {
        let spec: Spec = text.parse().unwrap();
        for engine in [EngineName::Auto, EngineName::Naive, EngineName::Observer] {
            let options = CheckOptions::default().engine(engine);
            let report = check_with(&spec, input(rows).as_bytes(), &options).unwrap();
            assert_eq!(report.properties[0].vacuous.as_deref(), *expected, "{text} on {rows:?} by {engine}");
        }
    }
}

#[test]
fn keys_are_counted_one_by_one() {
    let spec: Spec = "trace { by key } property a = G(p -> F q)".parse().unwrap();
    let both = "key,p,q,r\na,0,0,0\nb,1,1,0\na,0,1,0\n";
    let report = check_with(&spec, both.as_bytes(), &CheckOptions::default()).unwrap();
    assert_eq!(report.properties[0].keys.as_ref().map(|keys| (keys.checked, keys.vacuous)), Some((2, 1)));
    assert_eq!(report.properties[0].vacuous, None);
    for (text, rows, expected) in EXAMPLES.iter().filter(|(text, ..)| !text.starts_with("let")) {
        let spec: Spec = format!("trace {{ by key }} property a = {text}").parse().unwrap();
        let report = check_with(&spec, input(rows).as_bytes(), &CheckOptions::default()).unwrap();
        assert_eq!(report.properties[0].vacuous.as_deref(), *expected, "{text} on {rows:?} by key");
    }
}

#[test]
fn a_monitor_tells_it_at_the_end() {
    for (text, rows, expected) in EXAMPLES {
        let spec: Spec = text.parse().unwrap();
        let mut feed = Feed::new(Monitor::new(&spec).unwrap()).unwrap();
        let mut ignored = |_: &Monitor, _: traceward::Event<'_>| Ok::<(), traceward::Error>(());
        feed.push(input(rows).as_bytes(), &mut ignored).unwrap();
        feed.finish(&mut ignored).unwrap();
        let monitor = feed.monitor();
        let id = monitor.property_ids().next().unwrap();
        let vacuous = monitor.vacuous(id).filter(|_| monitor.end()[0] == Verdict::Satisfied);
        assert_eq!(vacuous, *expected, "{text} on {rows:?}");
    }
}

/// An inner left side that would fail where it is not asked makes no error.
#[test]
fn triggers_are_evaluated_only_where_they_are_asked() {
    let spec: Spec = "G(x != 0 -> (10 / x > 100 -> x > 5))".parse().unwrap();
    let report = check_with(&spec, "x\n0\n2\n".as_bytes(), &CheckOptions::default()).unwrap();
    assert_eq!(report.properties[0].vacuous.as_deref(), Some("10 / x > 100"));
    let mut feed = Feed::new(Monitor::new(&spec).unwrap()).unwrap();
    let mut ignored = |_: &Monitor, _: traceward::Event<'_>| Ok::<(), traceward::Error>(());
    feed.push(b"x\n0\n2\n", &mut ignored).unwrap();
    feed.finish(&mut ignored).unwrap();
    assert_eq!(feed.monitor().end(), [Verdict::Satisfied]);
}
