//! Inputs as people have them: what is not read, and timestamps as logs write them.

use crate::monitor::session;

#[test]
fn inputs_that_are_not_read_are_named() {
    let syslog = b"Nov 16 18:38:26 host sshd[12]: hello\n";
    insta::assert_snapshot!(session(
        "inputs-unread",
        &[
            ("wave.csv", b"$date today $end\n$timescale 1ns $end\n"),
            ("table.parquet", b"PAR1\x15\x04\x15\x10PAR1"),
            ("doc.jsonl", b"{\n  \"a\": 1\n}\n"),
            ("all.json", b"[{\"a\": 1}, {\"a\": 0}]\n"),
            ("messages", syslog),
            ("program", b"\x7fELF\x02\x01\x01\0"),
            ("one.csv", b"temperature\n1\n2\n"),
        ],
        &[
            (&["check", "-e", "G a", "wave.csv"], b""),
            (&["inspect", "table.parquet"], b""),
            (&["query", "-e", "count(a)", "doc.jsonl"], b""),
            (&["check", "-e", "G a", "all.json", "--format", "json"], b""),
            (&["inspect", "messages"], b""),
            (&["inspect", "messages", "--input", "csv"], b""),
            (&["inspect", "program"], b""),
            (&["check", "-e", "G a", "-"], syslog),
            (&["monitor", "-e", "G a"], syslog),
            (&["monitor", "-e", "G a"], b"\x1f\x8b\x08\0"),
            (&["check", "-e", "G temperature > 0", "one.csv"], b""),
        ]
    ));
}

#[test]
fn time_as_logs_have_it() {
    let two = b"Date,Time of day,x\n2026-11-16,18:38:26,1\n2026-11-16,18:38:28.5,0\n";
    let clock = b"t,x\n23:59:59,1\n00:00:01,0\n";
    let syslog = b"t,x\nDec 31 23:59:59,1\nJan  1 00:00:04,0\n";
    let mixed = b"t,x\n3,1\n1,1\n2,0\n";
    let bare = b"2026-11-16 18:38:26,up\n2026-11-16 18:38:27,down\n";
    let spec = b"trace { time Date + \"Time of day\" }\nproperty soon = F[0,2s] x == 0\n";
    insta::assert_snapshot!(session(
        "inputs-time",
        &[
            ("two.csv", two),
            ("two.tw", spec),
            ("unit.tw", b"trace { time Date + Time:ms }\nproperty soon = F[0,2s] x == 0\n"),
            ("step.tw", b"trace { time Date + \"Time of day\" }\nproperty step = F time - past(time) == 2500000000\n"),
            ("clock.csv", clock),
            ("syslog.csv", syslog),
            ("mixed.csv", mixed),
            ("bare.csv", bare),
        ],
        &[
            (&["check", "-e", "F[0,2s] x == 0", "--time", "Date+Time of day", "two.csv"], b""),
            (&["check", "two.tw", "two.csv"], b""),
            (&["monitor", "step.tw", "--format", "text"], two),
            (&["check", "unit.tw", "two.csv"], b""),
            (&["check", "-e", "F x == 0", "--time", "Date+Time:ms", "two.csv"], b""),
            (&["check", "-e", "F x == 0", "--time", "Date+Hour", "two.csv"], b""),
            (&["check", "-e", "F[0,2s] x == 0", "--time", "t", "clock.csv"], b""),
            (&["monitor", "-e", "F time - past(time) == 2000000000", "--time", "t", "--format", "text"], clock),
            (&["check", "-e", "F[0,5s] x == 0", "--time", "t", "syslog.csv"], b""),
            (&["check", "-e", "F[0,5s] x == 0", "--time", "t", "--year", "2026", "syslog.csv"], b""),
            (
                &[
                    "monitor",
                    "-e",
                    "F time - past(time) == 5000000000",
                    "--time",
                    "t",
                    "--year",
                    "2026",
                    "--format",
                    "text"
                ],
                syslog
            ),
            (&["check", "-e", "x U[0,1s] x == 0", "--time", "t:s", "mixed.csv"], b""),
            (&["check", "-e", "x == 1 U[0,1s] x == 0", "-e", "G x == 1", "--time", "t:s", "--sort", "mixed.csv"], b""),
            (&["check", "-e", "F x == 0", "--sort", "mixed.csv"], b""),
            (&["monitor", "-e", "F x == 0", "--time", "t:s", "--sort"], mixed),
            (&["monitor", "-e", "F x == 0", "--time", "t:s", "--format", "text"], mixed),
            (&["inspect", "bare.csv"], b""),
            (&["check", "-e", "F column2 == \"down\"", "--no-header", "--time", "column1", "bare.csv"], b""),
            (&["check", "-e", "F `up` == \"down\"", "bare.csv"], b""),
            (&["monitor", "-e", "F `up` == \"down\"", "--format", "text"], bare),
            (&["monitor", "-e", "F column2 == \"down\"", "--no-header", "--format", "text"], bare),
        ]
    ));
}
