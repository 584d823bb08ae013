//! Answers for programs: the documents that scripts rely on.

use crate::command::monitor::{Cost, Ending};
use crate::failure::Failure;
use crate::text::trace_name;
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use std::sync::Arc;
use traceward::{
    ColumnInspection, Comparison, CoverageReport, Distinct, EngineStatistics, Example, Feed, Finding, Inspection,
    KeyVerdict, Lint, OwedReport, PropertyId, PropertyReport, QueryReport, QueryValue, Report, TimeGuess, UnusedPart,
    Value, Verdict, Violation, Violations, WaitingReport,
};

/// The document about one trace.
pub fn report(path: &Path, report: &Report) -> Json {
    let mut trace = json!({
        "path": trace_name(path),
        "states": report.trace.states,
        "empty": report.trace.states == 0,
    });
    if let Some(keys) = &report.trace.keys {
        trace["keys"] = json!(keys.len());
    }
    if !report.trace.missing.is_empty() {
        let missing = report.trace.missing.iter().map(|(name, count)| (name.to_string(), json!(count)));
        trace["missing"] = Json::Object(missing.collect());
    }
    if !report.trace.notes.is_empty() {
        trace["notes"] = json!(report.trace.notes.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    if let Some(table) = &report.trace.table {
        trace["table"] = json!(table.lines().collect::<Vec<_>>());
    }
    json!({
        "trace": trace,
        "properties": report.properties.iter().map(property).collect::<Vec<_>>(),
        "queries": report.queries.iter().map(query).collect::<Vec<_>>(),
    })
}

/// What a monitor says of a property, with the spaces that the contract shows: before the position, and behind it.
pub const MONITOR_HEAD: &[u8] = b"{\"position\": ";

/// See [`MONITOR_HEAD`].
pub fn monitor_tail(name: &str, verdict: Verdict) -> String {
    let is_final = verdict.is_final();
    format!(", \"property\": {}, \"verdict\": \"{verdict}\", \"final\": {is_final}}}\n", json!(name))
}

/// What a monitor says at the end.
pub fn monitor_end(feed: &Feed, ending: Ending, cost: Cost) -> String {
    let monitor = feed.monitor();
    let property = |(id, verdict): (PropertyId, Verdict)| {
        let statistics = match cost {
            Cost::Told => {
                let statistics = monitor.engine_statistics(id).map_or(Json::Null, engine_statistics);
                format!(", \"engine_statistics\": {statistics}")
            }
            Cost::Untold => String::new(),
        };
        format!("{{\"name\": {}, \"verdict\": \"{verdict}\"{statistics}}}", json!(monitor.property(id).name))
    };
    let properties: Vec<String> = monitor.property_ids().zip(ending.verdicts(monitor)).map(property).collect();
    let complete = if ending == Ending::Complete { "" } else { "\"complete\": false, " };
    format!(
        "{{\"end\": true, {complete}\"states\": {}, \"skipped\": {}, \"properties\": [{}]}}",
        monitor.position(),
        feed.skipped(),
        properties.join(", "),
    )
}

/// The document about a trace that could not be answered for.
pub fn failed(path: &Path, failure: &Failure) -> Json {
    json!({ "trace": { "path": trace_name(path) }, "error": failure.text() })
}

/// The document about a question that could not be asked of any trace.
pub fn unasked(failure: &Failure) -> Json {
    json!({ "error": failure.text() })
}

fn property(report: &PropertyReport) -> Json {
    let mut document = json!({
        "name": report.name,
        "formula": report.formula,
        "verdict": report.verdict.name(),
        "engine": report.engine.name(),
        "decided_at": report.decided_at,
        "decided_exact": report.decided_exact,
    });
    if let Some(description) = &report.description {
        document["description"] = json!(&**description);
    }
    if matches!(report.verdict, Verdict::Holding | Verdict::Pending) && report.keys.is_none() {
        document["owed"] = Json::Array(report.owed.iter().map(owed).collect());
    }
    if let Some(truth) = &report.truth {
        document["truth"] = json!(truth.to_string());
    }
    if let Some(found) = &report.violations {
        document["violations"] = violations(found);
    }
    if let Some(compared) = &report.compared {
        document["value"] = optional(compared.as_ref());
    }
    if let Some(found) = &report.coverage {
        document["coverage"] = coverage(found);
    }
    if let Some(found) = &report.waiting {
        document["waiting"] = Json::Array(found.iter().map(waiting).collect());
    }
    if let Some(statistics) = report.engine_statistics {
        document["engine_statistics"] = statistics.map_or(Json::Null, engine_statistics);
    }
    if let Some(keys) = &report.keys {
        document["keys"] = json!({
            "checked": keys.checked,
            "violated": keys.violated,
            "first_violations": keys.first_violations.iter().map(key_verdict).collect::<Vec<_>>(),
        });
    }
    document
}

fn engine_statistics(statistics: EngineStatistics) -> Json {
    json!({
        "peak_configurations": statistics.peak_configurations,
        "peak_nodes": statistics.peak_nodes,
        "peak_leaves": statistics.peak_leaves,
        "peak_bytes": statistics.peak_bytes,
    })
}

fn coverage(report: &CoverageReport) -> Json {
    let part = |one: &UnusedPart| json!({ "part": one.part, "never_happened": one.never_happened });
    json!({
        "nodes": report.nodes,
        "covered": report.covered,
        "unused": report.unused.iter().map(part).collect::<Vec<_>>(),
        "rejecting_visits": { "tree": report.rejecting_visits_tree, "slices": report.rejecting_visits_slices },
    })
}

fn waiting(report: &WaitingReport) -> Json {
    json!({
        "part": report.part,
        "asked": report.asked,
        "least": report.least,
        "most": report.most,
        "average": report.average,
    })
}

fn owed(owed: &OwedReport) -> Json {
    json!({
        "obligation": owed.obligation,
        "since": owed.since,
        "line": owed.line,
        "from": owed.from,
        "until": owed.until,
        "necessary": owed.is_necessary,
    })
}

fn violations(violations: &Violations) -> Json {
    let detail = |violation: &Violation| {
        let values = violation.values.iter().map(|(name, one)| (name.to_string(), value(one)));
        json!({
            "position": violation.position,
            "line": violation.line,
            "values": Json::Object(values.collect::<Map<_, _>>()),
        })
    };
    json!({
        "count": violations.count,
        "first": violations.first.iter().map(|violation| violation.position).collect::<Vec<_>>(),
        "states": violations.first.iter().map(detail).collect::<Vec<_>>(),
    })
}

fn key_verdict(one: &KeyVerdict) -> Json {
    let mut document = json!({ "key": &*one.key, "verdict": one.verdict.name() });
    if let Some(found) = &one.violations {
        document["violations"] = violations(found);
    }
    document
}

fn query(report: &QueryReport) -> Json {
    let mut document = json!({ "name": report.name, "query": report.query });
    if let Some(description) = &report.description {
        document["description"] = json!(&**description);
    }
    match &report.value {
        QueryValue::Whole(one) => document["value"] = optional(one.as_ref()),
        QueryValue::ByKey(values) => {
            let each = values.iter().map(|(key, one)| json!({ "key": &**key, "value": optional(one.as_ref()) }));
            document["values"] = Json::Array(each.collect());
            document["summary"] = summary(values);
        }
    }
    if let Some(unanswered) = report.unanswered {
        document["unanswered"] = json!(unanswered);
    }
    document
}

fn summary(values: &[(Arc<str>, Option<Value>)]) -> Json {
    let numbers: Vec<f64> = values.iter().filter_map(|(_, one)| one.as_ref().and_then(Value::as_f64)).collect();
    let mut document = json!({
        "keys": values.len(),
        "failed": values.iter().filter(|(_, one)| one.is_none()).count(),
    });
    if !numbers.is_empty() {
        document["min"] = json!(numbers.iter().copied().fold(f64::INFINITY, f64::min));
        document["max"] = json!(numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        document["avg"] = json!(numbers.iter().sum::<f64>() / numbers.len() as f64);
    }
    document
}

fn optional(one: Option<&Value>) -> Json {
    one.map_or(Json::Null, value)
}

/// A value; pairs and lists are arrays. JSON has no infinity, which becomes a string.
fn value(one: &Value) -> Json {
    match one {
        Value::Missing => Json::Null,
        Value::Bool(bit) => json!(bit),
        Value::Int(number) => json!(number),
        Value::Float(number) if number.is_infinite() => json!(if *number > 0.0 { "inf" } else { "-inf" }),
        Value::Float(number) => json!(number),
        Value::Str(text) => json!(&**text),
        Value::Pair(pair) => json!([value(&pair.0), value(&pair.1)]),
        Value::List(items) => Json::Array(items.iter().map(value).collect()),
    }
}

/// The document about what is odd in a spec.
pub fn lint(lint: &Lint) -> Json {
    let finding = |one: &Finding| {
        json!({
            "finding": one.oddity.name(),
            "property": one.property,
            "other": one.other,
            "example": one.example.as_ref().map(example),
        })
    };
    json!({
        "properties": lint.properties,
        "findings": lint.findings.iter().map(finding).collect::<Vec<_>>(),
        "undecided": lint.undecided,
    })
}

/// The document about two properties.
pub fn comparison(comparison: &Comparison) -> Json {
    let [first, second] = &comparison.names;
    let [first_formula, second_formula] = &comparison.formulas;
    json!({
        "relation": comparison.relation.name(),
        "properties": [
            { "name": first, "formula": first_formula },
            { "name": second, "formula": second_formula },
        ],
        "examples": comparison.examples.iter().map(example).collect::<Vec<_>>(),
    })
}

fn example(example: &Example) -> Json {
    let state = |state: &Vec<(Arc<str>, Value)>| {
        Json::Object(state.iter().map(|(name, one)| (name.to_string(), value(one))).collect())
    };
    json!({
        "satisfies": example.satisfies,
        "violates": example.violates,
        "trace": example.states.iter().map(state).collect::<Vec<_>>(),
    })
}

/// The document about what a trace holds.
pub fn inspection(path: &Path, inspection: &Inspection) -> Json {
    let mut document = json!({
        "path": trace_name(path),
        "format": inspection.format.to_string(),
        "states": inspection.rows,
        "columns": inspection.columns.iter().map(column).collect::<Vec<_>>(),
    });
    if let Some(separator) = inspection.separator {
        document["separator"] = json!(char::from(separator).to_string());
    }
    if let Some((from, to)) = inspection.time_span {
        document["time_span_ns"] = json!([from, to]);
    }
    if let Some(keys) = inspection.keys {
        document["keys"] = json!(keys);
    }
    if !inspection.notes.is_empty() {
        document["notes"] = json!(inspection.notes.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    document
}

fn column(column: &ColumnInspection) -> Json {
    let (count, at_least) = match column.distinct {
        Distinct::Exactly(count) => (count, false),
        Distinct::MoreThan(count) => (count, true),
    };
    let mut document = json!({
        "name": column.name,
        "type": column.kind.to_string(),
        "present": column.present,
        "missing": column.missing,
        "distinct": count,
        "distinct_is_lower_bound": at_least,
        "examples": column.examples,
        "looks_like_key": column.looks_like_key,
    });
    if let Some((least, greatest)) = &column.range {
        document["min"] = value(least);
        document["max"] = value(greatest);
    }
    if let Some((first, last)) = column.dates {
        document["dates_ns"] = json!([first, last]);
    }
    if let Some(guess) = &column.time {
        document["looks_like_time"] = match guess {
            TimeGuess::Dates(layout) => json!(layout),
            TimeGuess::Numbers(unit) => json!(unit.map(|unit| unit.to_string())),
        };
    }
    document
}
