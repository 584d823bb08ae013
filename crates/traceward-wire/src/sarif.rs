//! Answers as SARIF 2.1.0, which tools that show findings in code read: a rule for each property, a
//! result for each violation that is told.

use crate::{Answer, FailureDocument, LintDocument, Property, ReportDocument, Shortcoming, Told, Verdict, account};
use serde_json::{Value as Json, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The document about some traces.
pub fn sarif(answers: &[Told]) -> Json {
    let mut run = Run::default();
    for Told { answer, shortcomings } in answers {
        match answer {
            Answer::Report(report) => run.report(report, shortcomings),
            Answer::Failure(failure) => run.failure(failure),
        }
    }
    run.document()
}

/// The document about what `lint` found in a spec, whose file is named if it is one.
pub fn sarif_of_lint(spec: Option<&str>, lint: &LintDocument) -> Json {
    let mut run = Run::default();
    for finding in &lint.findings {
        let rule = run.rule(&finding.finding, &finding.finding, None);
        let others = if finding.others.is_empty() { String::new() } else { format!(": {}", finding.others.join(", ")) };
        let message = format!("{}: {}{others}", finding.property, finding.finding);
        run.result(rule, "warning", &message, spec.map(|path| location(path, None)));
    }
    lint.undecided.iter().for_each(|reason| run.notifications.push(notification(reason, None)));
    run.document()
}

/// One run of the program.
#[derive(Default)]
struct Run {
    rules: Vec<(String, Json)>,
    results: Vec<Json>,
    notifications: Vec<Json>,
}

impl Run {
    /// The number of a rule, which is made if it is a new one.
    fn rule(&mut self, id: &str, short: &str, full: Option<&str>) -> usize {
        if let Some(known) = self.rules.iter().position(|(known, _)| known == id) {
            return known;
        }
        let mut rule = json!({ "id": id, "shortDescription": { "text": short } });
        if let Some(full) = full {
            rule["fullDescription"] = json!({ "text": full });
        }
        self.rules.push((id.to_owned(), rule));
        self.rules.len() - 1
    }

    fn report(&mut self, report: &ReportDocument, shortcomings: &[Shortcoming]) {
        let path = &report.trace.path;
        report.properties.iter().for_each(|property| self.property(path, property));
        self.notifications.extend(shortcomings.iter().map(|one| notification(&one.text(), Some(path))));
    }

    fn property(&mut self, path: &str, property: &Property) {
        let rule = self.rule(&property.name, &property.formula, property.description.as_deref());
        if property.verdict != Verdict::Violated {
            return;
        }
        let mut places: Vec<(String, Option<u64>)> = Vec::new();
        let states = account::states(property).into_iter();
        places.extend(states.map(|state| (account::state(state), Some(state.line))));
        let keys = property.keys.iter().flat_map(|keys| &keys.first_violations);
        places.extend(keys.map(|key| (account::key(key), account::state_of_key(key).map(|state| state.line))));
        if places.is_empty() {
            places.push((account::lines(property)[1..].join("; "), None));
        }
        for (why, line) in places {
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            let message = format!("{} is violated{why}", property.name);
            self.result(rule, "error", &message, Some(location(path, line)));
        }
    }

    fn failure(&mut self, failure: &FailureDocument) {
        let path = failure.trace.as_ref().map(|trace| trace.path.as_str());
        self.notifications.push(notification(&failure.error, path));
    }

    fn result(&mut self, rule: usize, level: &str, message: &str, location: Option<Json>) {
        self.results.push(json!({
            "ruleId": self.rules[rule].0,
            "ruleIndex": rule,
            "level": level,
            "message": { "text": message },
            "locations": location.into_iter().collect::<Vec<Json>>(),
        }));
    }

    fn document(self) -> Json {
        let rules: Vec<Json> = self.rules.into_iter().map(|(_, rule)| rule).collect();
        let driver = json!({ "name": "traceward", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
        let invocation = json!({
            "executionSuccessful": self.notifications.is_empty(),
            "toolExecutionNotifications": self.notifications,
        });
        let run = json!({ "tool": { "driver": driver }, "results": self.results, "invocations": [invocation] });
        json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] })
    }
}

/// A reason why something has no answer.
fn notification(message: &str, path: Option<&str>) -> Json {
    let locations: Vec<Json> = path.map(|path| location(path, None)).into_iter().collect();
    json!({ "level": "error", "message": { "text": message }, "locations": locations })
}

/// A place in a file. Lines count from 1.
fn location(path: &str, line: Option<u64>) -> Json {
    let mut place = json!({ "artifactLocation": { "uri": uri(path) } });
    if let Some(line) = line.filter(|line| *line > 0) {
        place["region"] = json!({ "startLine": line });
    }
    json!({ "physicalLocation": place })
}

/// A path as a reference to a resource: relative as it is, absolute with its scheme.
fn uri(path: &str) -> String {
    let mut uri = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_reference() {
        assert_eq!(uri("logs/run 1.csv"), "logs/run%201.csv");
        assert_eq!(uri("/a:b/é.csv"), "file:///a%3Ab/%C3%A9.csv");
        assert_eq!(uri("-"), "-");
    }
}
