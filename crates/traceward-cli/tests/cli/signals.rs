//! `traceward monitor` and signals: it ends by its verdicts, whatever it is at.

use crate::common::{Live, long_line};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// The time in which a monitor has to end, on a machine that is busy.
const A_MOMENT: Duration = Duration::from_secs(5);

/// How the program ends, which it must do soon.
fn soon(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        assert!(begun.elapsed() < A_MOMENT, "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn a_little_later() {
    std::thread::sleep(Duration::from_millis(300));
}

#[test]
fn a_long_step_does_not_keep_it() {
    for (format, end) in [
        (
            "json",
            "{\"end\": true, \"complete\": false, \"states\": 1, \"skipped\": 0, \"properties\": \
             [{\"name\": \"p1\", \"verdict\": \"violated\"}, {\"name\": \"p2\", \"verdict\": \"pending\"}], \
             \"version\": 1}\n",
        ),
        ("text", "stopped: 1 state\n✗ violated  p1\n… pending  p2\n"),
    ] {
        let slow = "F matches(s, \"a[ab]{300}c\")";
        let told = ["--every-change", "--format", format];
        let mut live = Live::start(&[&["-e", "G s == \"y\"", "-e", slow], &told[..]].concat());
        live.write("{\"s\": \"x\"}\n");
        // Searching it takes longer than the test waits.
        live.write(&format!("{{\"s\": \"{}\"}}\n", long_line(8 << 20)));
        let (first, second) = (live.line(), live.line());
        assert!(first.contains("violated") && second.contains("pending"), "{first}{second}");
        a_little_later();
        live.signal("TERM");
        assert_eq!(soon(&mut live.child).code(), Some(1), "{format}");
        assert_eq!(live.rest().0, end, "{format}");
    }
}

/// A monitor that waits for somebody to read what it prints.
fn with_full_pipe(formula: &str) -> Live {
    let mut live = Live::start(&["-e", formula, "--every-step", "--quiet"]);
    let mut input = live.input.take().expect("an open pipe");
    let lines = "{\"a\": true, \"b\": false}\n".repeat(100_000);
    std::thread::spawn(move || {
        // It stops reading when it cannot write, and ends before everything is written.
        let _ = input.write_all(lines.as_bytes());
        std::thread::sleep(A_MOMENT);
    });
    live.line();
    a_little_later();
    live
}

#[test]
fn a_reader_that_does_not_read_does_not_keep_it() {
    for (formula, status) in [("G(a -> F b)", 1), ("G a", 0), ("G b", 1)] {
        let mut live = with_full_pipe(formula);
        live.signal("TERM");
        assert_eq!(soon(&mut live.child).code(), Some(status), "{formula}");
    }
}

#[test]
fn the_second_signal_kills() {
    let mut live = with_full_pipe("G a");
    live.signal("TERM");
    std::thread::sleep(Duration::from_millis(50));
    live.signal("INT");
    let status = soon(&mut live.child);
    assert!(status.signal().is_some(), "{status}");
}

#[test]
fn a_reader_that_is_gone_does_not_keep_it() {
    for (signal, formula, status) in [("TERM", "G a", 0), ("INT", "G b", 1), ("HUP", "F b", 1)] {
        let mut live = Live::start(&["-e", formula, "--every-step"]);
        live.write("{\"a\": true, \"b\": false}\n");
        live.line();
        let Live { mut child, mut input, output } = live;
        drop(output);
        let more = "{\"a\": true, \"b\": false}\n".repeat(10);
        input.as_mut().expect("an open pipe").write_all(more.as_bytes()).expect("it goes on reading");
        a_little_later();
        crate::common::signal(&child, signal);
        assert_eq!(soon(&mut child).code(), Some(status), "{signal}");
        let mut errors = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().expect("a pipe"), &mut errors).expect("UTF-8");
        assert_eq!(errors, "", "{signal}");
    }
}

#[test]
fn a_hang_up_that_is_ignored_stays_ignored() {
    let mut live = Live::start_by("trap '' HUP; exec \"$0\" \"$@\"", &["-e", "G a"]);
    live.write("{\"a\": true}\n");
    live.line();
    live.signal("HUP");
    a_little_later();
    live.write("{\"a\": false}\n");
    assert!(live.line().contains("violated"));
    live.input = None;
    assert_eq!(live.rest().1, Some(1));
}
