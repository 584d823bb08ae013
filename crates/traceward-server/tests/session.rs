//! Sessions without sockets: whatever bytes come, cut anywhere.

use proptest::prelude::*;
use std::sync::Arc;
use traceward::{Event, Feed, Monitor, Spec};
use traceward_server::{Ended, Flow, LONGEST_LINE, Refusal, Rules, Session, Stop, Token, Verdicts, Witness, feed};

/// Writes down what it sees.
#[derive(Default)]
struct Log(Vec<String>);

impl Witness for Log {
    fn begin(&mut self, name: &str, _: &Feed) {
        self.0.push(format!("begin {name}"));
    }

    fn see(&mut self, monitor: &Monitor, event: Event<'_>, verdicts: &mut Verdicts) -> Result<(), Stop> {
        self.0.push(match event {
            Event::State { .. } => format!("{}: {:?}", monitor.position() - 1, monitor.verdicts()),
            // Names that are told are those of the lines at hand, which depends on how bytes come.
            Event::Unseen(_) => return Ok(()),
            Event::BadLine(error) => format!("bad {:?}", error.line()),
            other => format!("{other:?}"),
        });
        verdicts.push(&format!("{{\"states\": {}}}", monitor.position()));
        Ok(())
    }

    fn end(&mut self, feed: &Feed, ended: Ended<'_>) -> String {
        let how = match ended {
            Ended::Failed(problem) => format!("failed: {problem}"),
            other => format!("{other:?}").to_lowercase(),
        };
        self.0.push(format!("end {how}"));
        format!("{{\"states\": {}}}", feed.monitor().position())
    }

    fn refuse(&mut self, refusal: &Refusal) {
        self.0.push(format!("refused: {refusal}"));
    }
}

fn monitor(spec: &str) -> Monitor {
    let spec: Spec = spec.parse().expect("a spec");
    Monitor::new(&spec).expect("it can be followed")
}

fn session_with(spec: &str, rules: Rules) -> Session<Log> {
    Session::new(feed(monitor(spec)).expect("a feed"), Arc::new(rules), Log::default())
}

/// What the client is told, and what is seen, if the client says this and goes.
fn talk_with(rules: Rules, pieces: &[&[u8]]) -> (String, Vec<String>) {
    let mut session = session_with("G(x < 2)", rules);
    let mut replies = Vec::new();
    for piece in pieces {
        if session.push(piece, &mut replies) == Flow::Closed {
            break;
        }
    }
    session.gone(&mut replies);
    assert_eq!(session.push(b"next {\"x\":9}\n", &mut replies), Flow::Closed);
    let seen = std::mem::take(&mut session.witness().0);
    (String::from_utf8(replies).expect("UTF-8"), seen)
}

fn talk(pieces: &[&[u8]]) -> (String, Vec<String>) {
    talk_with(Rules::default(), pieces)
}

const EACH: &[u8] = b"traceward 1 {\"name\":\"mux\",\"answer\":\"each\"}\n";

/// What is said behind a hello that wants an answer to each state.
fn each(lines: &str) -> (String, Vec<String>) {
    talk(&[EACH, lines.as_bytes()])
}

#[test]
fn each_state_is_answered() {
    let (replies, seen) = each("init {\"x\":1}\nnext {\"x\":2}\nnext {\"x\":1}\nend\n");
    assert_eq!(replies, "needs [\"x\"]\nok\nstop p1\nok\ndone\nend {\"states\": 3}\n");
    assert_eq!(seen, ["begin mux", "0: [Holding]", "1: [Violated]", "2: [Violated]", "end said"]);
}

#[test]
fn verdicts_are_told_to_whoever_asks() {
    let hello = b"traceward 1 {\"answer\":\"verdicts\"}\n";
    let (replies, seen) = talk(&[hello, b"init {\"x\":1}\nend\n"]);
    assert_eq!(replies, "needs [\"x\"]\nverdict {\"states\": 1}\ndone\nend {\"states\": 1}\n");
    assert_eq!(seen[0], "begin client");
    let (replies, _) = talk(&[b"traceward 1\ninit {\"x\":1}\nnext {\"x\":3}\nend\n"]);
    assert_eq!(replies, "needs [\"x\"]\n");
    let (replies, _) = each("init {\"x\":1}\nend\nnext {\"x\":3}\n");
    assert_eq!(replies, "needs [\"x\"]\nok\ndone\nend {\"states\": 1}\n");
}

#[test]
fn a_client_that_goes_ends_its_trace() {
    for (said, states) in [("init {\"x\":1}\n", 1), ("init {\"x\":1}\nnext {\"x\"", 1), ("init {\"x\":1}\nnext {}", 2)]
    {
        let (replies, seen) = each(said);
        assert!(replies.ends_with(&format!("done\nend {{\"states\": {states}}}\n")), "{replies}");
        assert_eq!(seen.last().map(String::as_str), Some("end gone"), "{said}");
    }
    assert_eq!(talk(&[b"traceward"]).1, ["refused: the client went away before it had said hello"]);
}

#[test]
fn bad_lines_are_answered_and_skipped() {
    let (replies, seen) = each("next {\"x\":1}\ninit {\"x\":1}\nnext {\"x\":\nnext {\"x\":\"a\"}\n\nwhat\nend\n");
    let told: Vec<&str> = replies.lines().collect();
    assert_eq!(told[1], "warning line 2 is skipped: `next` comes before `init`");
    assert_eq!(told[2], "ok");
    assert!(told[3..6].iter().all(|line| line.starts_with("warning line ")), "{replies}");
    assert_eq!(told[6..], ["done", "end {\"states\": 1}"]);
    assert_eq!(seen[1..6], ["bad Some(2)", "0: [Holding]", "bad Some(4)", "bad Some(5)", "bad Some(7)"]);
}

#[test]
fn what_cannot_be_followed_is_told_and_closed() {
    for (said, problem) in [
        ("init {\"x\":1}\ntraceward 1\n", "line 3: a second trace begins, and an input of events holds one"),
        ("init {\"x\":1}\n\0\0a", "line 3: text follows NUL bytes"),
    ] {
        let (replies, seen) = each(said);
        assert!(replies.ends_with(&format!("error {problem}\n")), "{replies}");
        assert_eq!(seen.last(), Some(&format!("end failed: {problem}")));
    }
    let mut replies = Vec::new();
    let mut session = session_with("G(1 / x > 0)", Rules::default());
    session.push(b"traceward 1\ninit {\"x\":0}\nnext {\"x\":1}\n", &mut replies);
    let told = String::from_utf8_lossy(&replies);
    assert!(told.contains("error line 2: division by zero"), "{told}");
    let spec: Spec = "G(time < 5)".parse().expect("a spec");
    let monitor = Monitor::for_input(&spec, Default::default(), Default::default()).expect("a monitor");
    let untimed = |hello: &[u8]| {
        let feed = feed(monitor.clone()).expect("a feed");
        let mut session = Session::new(feed, Rules::default().into(), Log::default());
        let mut replies = Vec::new();
        session.push(hello, &mut replies);
        String::from_utf8(replies).expect("UTF-8")
    };
    assert_eq!(untimed(b"traceward 1\n"), "error `time` needs timestamps, and the trace has none\n");
    assert_eq!(untimed(b"traceward 1 {\"time\":\"ns\"}\n"), "needs []\n");
}

#[test]
fn hellos_that_are_wrong_are_refused() {
    for (hello, reason) in [
        ("GET / HTTP/1.1\r\n", "the first line has to be `traceward 1` and options, but it is `GET / HTTP/1.1`"),
        ("traceward 2\n", "this is version 2 of the events protocol, and version 1 is read here"),
        ("traceward 1 {\"answer\":1}\n", "the first line is wrong: "),
        ("\n", "the first line has to be `traceward 1`"),
    ] {
        let (replies, seen) = talk(&[hello.as_bytes()]);
        assert!(replies.starts_with(&format!("error {reason}")), "{replies}");
        assert_eq!((replies.lines().count(), seen.len()), (1, 1), "{hello}");
    }
    let name = "n".repeat(101);
    let (replies, _) = talk(&[format!("traceward 1 {{\"name\":\"{name}\"}}\n").as_bytes()]);
    assert_eq!(replies, "error the name has more than 100 characters\n");
    let endless = vec![b'x'; 70_000];
    assert_eq!(talk(&[&endless]).0, "error the first line is longer than 64 KiB\n");
    assert_eq!(talk(&[&endless[..40_000], &endless[..40_000]]).0, "error the first line is longer than 64 KiB\n");
}

#[test]
fn a_token_comes_first_where_one_is_needed() {
    let secret = "0123456789abcdef";
    let rules = || Rules { token: Some(Token::from_file(secret).expect("a token")), ..Rules::default() };
    let refused = "error the first line has to be `token` and the observer's token\n";
    let hello = "traceward 1\n";
    for (said, expected) in [
        (format!("token {secret}\n{hello}"), "needs [\"x\"]\n"),
        (format!("token {secret} \r\n{hello}"), "needs [\"x\"]\n"),
        (format!("token 0123456789abcdeF\n{hello}"), refused),
        (format!("token {secret}0\n{hello}"), refused),
        (hello.to_owned(), refused),
        ("token\n".to_owned(), refused),
    ] {
        assert_eq!(talk_with(rules(), &[said.as_bytes()]).0, expected, "{said}");
    }
    // The token is said once.
    let twice = format!("token {secret}\ntoken {secret}\n");
    assert!(talk_with(rules(), &[twice.as_bytes()]).0.starts_with("error the first line has to be `traceward 1`"));
    assert_eq!(talk(&[format!("token whatever\n{hello}").as_bytes()]).0, "needs [\"x\"]\n");
}

#[test]
fn names_are_unique() {
    let rules = Arc::new(Rules::default());
    let named = || {
        let mut session = Session::new(feed(monitor("G x")).expect("a feed"), rules.clone(), Log::default());
        session.push(EACH, &mut Vec::new());
        session.witness().0[0].clone()
    };
    assert_eq!([named(), named(), named()], ["begin mux", "begin mux#2", "begin mux#3"]);
}

#[test]
fn a_line_that_is_too_long_ends_the_trace() {
    let long = [b"next {\"s\":\"".to_vec(), vec![b'y'; LONGEST_LINE], b"\"}\n".to_vec()].concat();
    let before = b"init {\"x\":1}\nnext {\"x\":1}\n";
    let problem = "a line is longer than 4 MiB";
    for piece in [64 << 10, 1 << 20, 16 << 20] {
        let said = [before.as_slice(), &long, b"end\n"].concat();
        let pieces: Vec<&[u8]> = std::iter::once(EACH).chain(said.chunks(piece)).collect();
        let (replies, seen) = talk(&pieces);
        assert_eq!(replies, format!("needs [\"x\"]\nok\nok\nerror {problem}\n"), "{piece} at a time");
        assert_eq!(seen.last(), Some(&format!("end failed: {problem}")));
    }
    let fits = [b"init {\"x\":1,\"s\":\"".to_vec(), vec![b'y'; LONGEST_LINE - 19], b"\"}\nend\n".to_vec()].concat();
    assert!(talk(&[EACH, &fits]).0.contains("\nok\ndone\n"));
}

#[test]
fn many_variables_are_no_trouble() {
    let members: Vec<String> = (0..100_000).map(|number| format!("\"variable{number}\":{number}")).collect();
    let state = format!("init {{\"x\":1,{}}}\n", members.join(","));
    let next = format!("next {{{},\"x\":2}}\n", members[..1000].join(","));
    let said = [EACH, state.as_bytes(), next.as_bytes(), b"end\n"].concat();
    let pieces: Vec<&[u8]> = said.chunks(64 << 10).collect();
    assert_eq!(talk(&pieces).0, "needs [\"x\"]\nok\nstop p1\ndone\nend {\"states\": 2}\n");
}

#[test]
fn names_without_end_take_little_memory() {
    let mut session = session_with("G(x < 2)", Rules::default());
    let mut replies = Vec::new();
    session.push(b"traceward 1\ninit {\"x\":1}\n", &mut replies);
    for number in 0..300 {
        // Kept as they come, these would take more than a gigabyte.
        let name = format!("{}{number}", "n".repeat(4_000_000));
        let flow = session.push(format!("next {{\"{name}\":1}}\n").as_bytes(), &mut replies);
        assert_eq!(flow, Flow::Open);
    }
    let status = std::fs::read_to_string("/proc/self/status").expect("the memory of this process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    let kibibytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kibibytes < 600_000, "{kibibytes} KiB");
}

#[test]
fn all_can_be_ended_at_any_time() {
    let ended = |said: &[u8]| {
        let mut session = session_with("G(x < 2)", Rules::default());
        let mut replies = Vec::new();
        session.push(said, &mut replies);
        replies.clear();
        session.close(&mut replies);
        session.close(&mut replies);
        (String::from_utf8(replies).expect("UTF-8"), session.witness().0.last().cloned())
    };
    assert_eq!(ended(b"").0, "error the observer ends\n");
    let (replies, seen) = ended(&[EACH, b"init {\"x\":1}\nnext {\"x"].concat());
    assert_eq!((replies.as_str(), seen.as_deref()), ("done\nend {\"states\": 1}\n", Some("end closed")));
    assert_eq!(ended(&[EACH, b"init\nend\n"].concat()).0, "");
}

/// Lines that clients may say, sensible and not.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let text = |text: &'static str| Just(text.as_bytes().to_vec());
    prop_oneof![
        4 => text("next {\"x\":1}"),
        2 => text("next {\"x\":2,\"@at\":\"m.c:1\",\"@in\":\"f\"}"),
        1 => text("init {\"x\":0}"),
        1 => text("next {\"x\":null}"),
        1 => text("next {\"x\":{\"y\":[1,2]}}"),
        1 => text("next {\"x\":\"\u{e9}"),
        1 => Just(b"next {\"s\":\"\xff\xfe\"}".to_vec()),
        1 => Just(b"\0\0\0".to_vec()),
        1 => text("end"),
        1 => text(""),
        1 => text("\r"),
        1 => text("traceward 1"),
        1 => Just(format!("next {}", "[".repeat(300)).into_bytes()),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
    ]
}

fn conversation() -> impl Strategy<Value = Vec<u8>> {
    let hello = prop_oneof![
        8 => Just(EACH.to_vec()),
        2 => Just(b"traceward 1 {\"answer\":\"verdicts\",\"time\":\"ns\"}\n".to_vec()),
        1 => Just(b"token secret\ntraceward 1\ninit {}\n".to_vec()),
        1 => Just(Vec::new()),
    ];
    (hello, proptest::collection::vec(line(), 0..12)).prop_map(|(hello, lines)| [hello, lines.join(&b'\n')].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_does_not_matter_how_bytes_come(said in conversation(), cuts in proptest::collection::vec(any::<usize>(), 0..6)) {
        let at_once = talk(&[&said]);
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (said.len() + 1)).collect();
        places.extend([0, said.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|ends| &said[ends[0]..ends[1]]).collect();
        prop_assert_eq!(&talk(&pieces), &at_once);
        prop_assert_eq!(&talk(&said.chunks(1).collect::<Vec<_>>()), &at_once);
        let words = ["needs", "ok", "stop", "verdict", "warning", "error", "done", "end"];
        for line in at_once.0.lines() {
            prop_assert!(words.contains(&line.split(' ').next().unwrap_or_default()), "{}", line);
        }
        let endings = at_once.1.iter().filter(|seen| seen.starts_with("end ") || seen.starts_with("refused")).count();
        prop_assert_eq!(endings, 1, "{:?}", at_once.1);
    }
}
