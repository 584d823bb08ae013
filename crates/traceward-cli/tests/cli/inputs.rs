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
