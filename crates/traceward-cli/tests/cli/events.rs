//! What programs tell of themselves, in files and on standard input.

use crate::common::Folder;
use crate::monitor::session;

const MUX: &[u8] = br#"traceward 1 {"name":"mux","time":"ns"}
init {"x":1,"y":0,"@time":100}
next {"x":2,"@time":250,"@at":"mux.c:17","@in":"enter"}
next {"event":"call f","@time":300}
next {"y":1,"@time":5000000000,"@at":"mux.c:19","@in":"enter"}
end
"#;

#[test]
fn every_command_takes_them_without_options() {
    let spec: &[&str] = &["-e", "G(x < 2)", "-e", "F y == 1", "-e", "G(\"call f\" -> y == 1)", "--event", "event"];
    insta::assert_snapshot!(session(
        "events-commands",
        &[("mux.events", MUX)],
        &[
            (&["inspect", "mux.events"], b""),
            (&[&["check"], spec, &["mux.events"]].concat(), b""),
            (&[&["check"], spec, &["-"]].concat(), MUX),
            (&["check", "-e", "G(x == 1 -> F[0,1s] y == 1)", "mux.events"], b""),
            (&["query", "-e", "latency(x == 1 -> y == 1)", "-e", "max(x)", "mux.events"], b""),
            (&[&["monitor"], spec].concat(), MUX),
            (&[&["monitor", "--input", "events", "--format", "text"], spec].concat(), MUX),
            (&["monitor", "-e", "max(latency(x == 1 -> y == 1))", "-e", "G(time < 1000)"], MUX),
        ]
    ));
}

#[test]
fn their_time_is_not_read_in_another_unit() {
    let soon: &[&str] = &["-e", "G(x == 1 -> F[0,1s] x == 2)", "--time"];
    insta::assert_snapshot!(session(
        "events-time",
        &[("mux.events", MUX)],
        &[
            (&[&["check"], soon, &["@time:ms", "mux.events"]].concat(), b""),
            (&[&["monitor"], soon, &["@time:ms"]].concat(), MUX),
            (&[&["check"], soon, &["@time:ns", "mux.events"]].concat(), b""),
            (&["inspect", "--time", "@time:ms", "mux.events"], b""),
        ]
    ));
}

#[test]
fn what_is_wrong_with_them_is_told_with_its_line() {
    let check: &[&str] = &["check", "-e", "G(x < 2)", "-"];
    let monitor: &[&str] = &["monitor", "-e", "G(x < 2)"];
    insta::assert_snapshot!(session(
        "events-mistakes",
        &[],
        &[
            (check, b"traceward 2\ninit {\"x\":1}\nend\n"),
            (check, b"traceward 1\nnext {\"x\":1}\nend\n"),
            (check, b"traceward 1\ninit {\"x\":1}\ninit {\"x\":1}\nend\n"),
            (check, b"traceward 1\ninit {\"x\":1}\nend\ntraceward 1\ninit {\"x\":1}\nend\n"),
            (check, b"traceward 1\ninit {\"x\":1}\nnext {\"x\":1"),
            (check, b"traceward 1\ninit {\"x\":1}\nnext {\"x\":1}\0\0\0"),
            (monitor, b"traceward 2\ninit {\"x\":1}\nend\n"),
            (monitor, b"traceward 1\ninit {\"x\":1}\ninit {\"x\":1}\nnext {\"x\":3}\nend\n"),
            (monitor, b"traceward 1\ninit {\"x\":1}\nend\nnext {\"x\":3}\n"),
            (monitor, b"traceward 1\ninit {\"x\":1}\nnext {\"x\":3"),
            (&["monitor", "-e", "G(time < 5)"], b"traceward 1\ninit {\"x\":1}\nend\n"),
            (&["monitor", "-e", "G(time < 5)"], b"{\"x\":1}\n"),
            (&["monitor", "-e", "G(time < 5)"], b""),
            (&["monitor", "-e", "G(event != \"crash\")"], b"traceward 1\ninit {\"x\":1}\nnext\nend\n"),
        ]
    ));
}

/// A trace twice: as events, and as JSON lines of changes. Each has a blank line, so that states
/// are on the same lines.
fn both_forms(seed: u32) -> (String, String) {
    let mut random = seed;
    let mut below = |limit: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % limit
    };
    let (mut events, mut lines) = (String::from("traceward 1 {\"time\":\"ns\"}\n"), String::from("\n"));
    let mut time = 0;
    for position in 0..5 + below(20) {
        time += below(50);
        let mut members = vec![format!("\"@time\":{time}")];
        for name in ["x", "y"] {
            match below(4) {
                0 => {}
                1 => members.push(format!("\"{name}\":null")),
                value => members.push(format!("\"{name}\":{value}")),
            }
        }
        let object = format!("{{{}}}\n", members.join(","));
        events += &format!("{} {object}", if position == 0 { "init" } else { "next" });
        lines += &object;
    }
    (events + "end\n\n", lines)
}

#[test]
fn they_are_json_lines_of_changes() {
    let folder = Folder::new("events-alike");
    let formulas = ["-e", "G(x > 2 -> F y == 3)", "-e", "G(time < 300)", "-e", "F(x == y)", "-e", "max(x)"];
    let changes = ["--changes", "--time", "@time:ns"];
    for seed in 0..40 {
        let (events, lines) = both_forms(seed);
        for (command, rest) in [(["check", "--format=json"], &["-", "--quiet"][..]), (["monitor", "--quiet"], &[][..])]
        {
            let ask = |input: &str, options: &[&str]| {
                let output = folder.run(&[&command[..], &formulas, options, rest].concat(), input.as_bytes());
                (output.status, output.stdout, output.stderr)
            };
            assert_eq!(ask(&events, &[]), ask(&lines, &changes), "{events}");
        }
    }
}
