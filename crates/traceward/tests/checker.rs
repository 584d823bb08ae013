//! A spec that is asked again answers as if it were asked for the first time, whatever trace it was
//! asked of before.

use traceward::{CheckOptions, Checker, EngineName, RunQuestions, Settings, Source, Spec, Truth, check_with};
use traceward_testkit::mutate::Numbers;

/// Specs whose meaning depends on what columns hold, with evidence, values and mistakes.
const SPECS: [&str; 6] = [
    "G(request -> F grant)",
    "property rises = G(x > past(x) -> F[0,2] y) property same = G x == y",
    "trace { time t:s } property soon = G(request -> F[0,2s] grant) query longest = max(latency(request -> grant))",
    "G(e == \"open\" -> F e == \"shut\")",
    "assert few = count(x == 1) <= 2  query largest = max(x)  query mean = avg(y)",
    "G(8 / x > y)",
];

/// Traces of which columns are missing, in another order, of other types, or empty.
const TRACES: [&str; 14] = [
    "request,grant\n1,0\n0,1\n1,0\n",
    "grant,request\n1,0\n0,1\n1,0\n",
    "request,grnt\n1,0\n0,1\n",
    "request,grant,x,y,t\n1,0,3,1,0\n0,1,4,0,1\n1,0,5,1,9\n",
    "request,grant,x,y,t\n1,0,3.5,1.5,0\n0,0,4.5,0,1\n1,0,5,1,9\n",
    "x,y\n1,2\n2,2\n1,0\n",
    "x,y\n1.5,2\n2,2\n1,0\n",
    "x,y\na,b\nb,b\n",
    "x,y\n1,2\n0,1\n",
    "x,y\n1,\n,1\n",
    "e\nopen\nshut\nopen\n",
    "e\nopen\nshut\nclosed\n",
    "request,grant\n",
    "request,grant\n1,0\n0,maybe\n",
];

fn spec(text: &str) -> Spec {
    Spec::parse_with(vec![Source::new("spec", text, traceward::Goal::Check)], Settings::default()).unwrap()
}

fn ways() -> Vec<CheckOptions> {
    let runs = RunQuestions { coverage: true, waiting: true };
    vec![
        CheckOptions::default(),
        CheckOptions::default().prefix(),
        CheckOptions::default().engine(EngineName::Observer),
        CheckOptions::default().truth(Truth::AtEveryPosition).runs(runs).timelines(3),
    ]
}

#[test]
fn asked_again_it_answers_as_if_asked_first() {
    let mut numbers = Numbers::of_seed(1);
    let mut answered = 0;
    for text in SPECS {
        for options in ways() {
            let checker = Checker::new(spec(text), options.clone()).unwrap();
            for _ in 0..60 {
                let trace = *numbers.one_of(&TRACES);
                let again = checker.check(trace.as_bytes());
                let first = check_with(&spec(text), trace.as_bytes(), &options);
                answered += usize::from(first.is_ok());
                assert_eq!(format!("{again:?}"), format!("{first:?}"), "{text} on {trace}");
            }
        }
    }
    assert!(answered > 200, "only {answered} answers were compared");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test is about threads")]
fn threads_may_ask_at_the_same_time() {
    let checker = Checker::new(spec(SPECS[1]), CheckOptions::default()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let checker = &checker;
            scope.spawn(move || {
                for turn in 0..200 {
                    let trace = TRACES[(turn * (thread + 1)) % TRACES.len()];
                    let again = checker.check(trace.as_bytes());
                    let first = check_with(&spec(SPECS[1]), trace.as_bytes(), &CheckOptions::default());
                    assert_eq!(format!("{again:?}"), format!("{first:?}"), "{trace}");
                }
            });
        }
    });
}

/// Each trace counts for itself what it may explain.
#[test]
fn what_was_explained_before_is_explained_again() {
    let text: Vec<String> = (0..1100).map(|number| format!("property p{number} = G !(x == 1)\n")).collect();
    let checker = Checker::new(spec(&text.concat()), CheckOptions::default()).unwrap();
    let explained = || {
        let report = checker.check("x\n1\n".as_bytes()).unwrap();
        let violations = report.properties.iter().filter_map(|one| one.evidence.violations.as_ref());
        violations.filter(|found| found.first[0].why.is_some()).count()
    };
    assert_eq!((explained(), explained()), (1000, 1000));
}
