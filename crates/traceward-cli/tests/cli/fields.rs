//! Text and JSON tell the same: whatever one of them says of an answer, the other says, too.

use crate::common::Folder;
use serde_json::Value as Json;

/// A trace with timestamps, missing values, and something for every part of a report.
const TRACE: &str = "t,k,p,q,x\n1000,a,1,0,3\n1007,b,1,0,\n1020,a,0,1,5\n1031,b,1,0,7\n";

/// A member of the document, and what the text says in its place.
type Told = (&'static str, &'static str);

/// Runs a command in both forms. Each member has to be there and not null, and each text as well.
fn told(arguments: &[&str], told: &[Told]) {
    let folder = Folder::new(&format!("fields-{}", arguments.join("-").replace(['/', ' '], "_")));
    let spec = "property answered \"in time\" = G(p -> F q)
        property never = F(x > 100)
        assert few \"at the most\" = count(p) <= 1
        query longest \"the longest wait\" = max(latency(p -> q))";
    folder.write("spec.tw", spec).write("t.csv", TRACE);
    let run = |form: &str| {
        let arguments = [&["check", "spec.tw", "t.csv", "--time", "t:ms"], arguments, &["--format", form]].concat();
        folder.run(&arguments, b"")
    };
    let (text, document) = (run("text"), run("json").json());
    for (pointer, words) in told {
        let member = document.pointer(pointer).unwrap_or(&Json::Null);
        assert_ne!(member, &Json::Null, "{pointer} of {document:#}");
        assert!(text.stdout.contains(words), "{words:?} for {pointer}:\n{}", text.stdout);
    }
}

#[test]
fn a_whole_trace() {
    told(
        &["--positions", "--coverage", "--waiting"],
        &[
            ("/trace/path", "t.csv"),
            ("/trace/states", "4 states"),
            ("/trace/time_span_ns/1", "31 ms"),
            ("/trace/missing/x", "`x` is missing in 1 of 4 states"),
            ("/properties/0/name", "answered"),
            ("/properties/0/formula", "G(p -> F q)"),
            ("/properties/0/description", "in time"),
            ("/properties/0/verdict", "violated"),
            ("/properties/0/truth", "0000"),
            ("/properties/0/violations/count", "fails at 1 of 4 positions"),
            ("/properties/0/violations/first/0", "position 3"),
            ("/properties/0/violations/states/0/line", "line 5"),
            ("/properties/0/violations/states/0/time_ns", "1031ms"),
            ("/properties/0/violations/states/0/values/p", "p = true"),
            ("/properties/1/judged_at/position", "judged at position 0"),
            ("/properties/1/judged_at/line", "line 2"),
            ("/properties/1/judged_at/time_ns", "1s"),
            ("/properties/1/judged_at/values/x", "x = 3"),
            ("/properties/2/value", "its value is 3"),
            ("/queries/0/name", "longest"),
            ("/queries/0/description", "the longest wait"),
            ("/queries/0/value", "20000000"),
            ("/queries/0/unanswered", "1 request never answered"),
        ],
    );
}

#[test]
fn a_trace_that_goes_on() {
    told(
        &["--prefix", "--engine", "generic", "--engine-statistics"],
        &[
            ("/properties/0/verdict", "pending"),
            ("/properties/0/owed/0/obligation", "F q"),
            ("/properties/0/owed/0/since", "since position 3"),
            ("/properties/0/owed/0/line", "line 5"),
            ("/properties/0/engine_statistics/peak_bytes", "bytes"),
        ],
    );
}

#[test]
fn a_trace_by_key() {
    told(
        &["--by", "k"],
        &[
            ("/trace/keys", "in 2 keys"),
            ("/properties/0/keys/checked", "of 2 keys"),
            ("/properties/0/keys/violated", "violated for 1 (50%) of 2 keys"),
            ("/properties/0/keys/first_violations/0/key", "b"),
            ("/properties/0/keys/first_violations/0/violations/states/0/time_ns", "1007ms"),
            ("/queries/0/values/0/key", "a"),
            ("/queries/0/summary/max", "max 20 ms"),
            ("/queries/0/summary/p99", "p99 20 ms"),
            ("/queries/0/summary/failed_share", "1 (50%) has no value"),
            ("/queries/0/summary/worst/0/key", "a"),
            ("/properties/2/keys/summary/mean", "mean 1.5"),
        ],
    );
}

/// Every document that is printed is one that the schema describes: its members are among those.
#[test]
fn the_schema_describes_what_is_printed() {
    let folder = Folder::new("fields-schema");
    folder.write("t.csv", TRACE);
    let schema = folder.run(&["help", "json-schema"], b"").json();
    let report = folder.run(&["check", "-e", "G(p -> F q)", "t.csv", "--format", "json"], b"").json();
    let described = |pointer: &str, document: &Json| {
        let members = schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer} of {schema:#}"));
        for name in document.as_object().expect("an object").keys() {
            assert!(members.get(name).is_some(), "{name} is not among {members:#}");
        }
        let required = schema.pointer(&pointer.replace("/properties", "/required")).and_then(Json::as_array);
        for name in required.into_iter().flatten().filter_map(Json::as_str) {
            assert!(document.get(name).is_some(), "{name} is required, and {document:#} lacks it");
        }
    };
    described("/$defs/ReportDocument/properties", &report);
    described("/$defs/Trace/properties", &report["trace"]);
    described("/$defs/Property/properties", &report["properties"][0]);
    described("/$defs/Violations/properties", &report["properties"][0]["violations"]);
    let monitor = folder.run(&["monitor", "-e", "G(p -> F q)"], TRACE.as_bytes()).stdout;
    let lines: Vec<Json> = monitor.lines().map(|line| serde_json::from_str(line).expect("a document")).collect();
    described("/$defs/VerdictEvent/properties", &lines[0]);
    described("/$defs/EndOfTrace/properties", lines.last().expect("an end"));
}
