//! What speaks for the verdict on a property, in lines of text: for documents that have room for
//! text only.

use crate::{Answer, FailureDocument, KeyVerdict, Property, Value, ViolatingState};

/// The lines that tell why a property is violated, or for which keys.
pub(crate) fn lines(property: &Property) -> Vec<String> {
    let mut lines = vec![property.formula.clone()];
    lines.extend(property.description.clone());
    lines.extend(property.violations.iter().map(|found| match found.count {
        1 => "fails at 1 position".to_owned(),
        count => format!("fails at {count} positions"),
    }));
    lines.extend(states(property).into_iter().map(state));
    lines.extend(property.value.as_ref().map(|value| format!("its value is {}", shown(value.as_ref()))));
    if let Some(keys) = &property.keys {
        lines.push(format!("violated for {} of {} keys", keys.violated, keys.checked));
        lines.extend(keys.first_violations.iter().map(key));
    }
    lines
}

/// The states that speak for the verdict on the whole trace.
pub(crate) fn states(property: &Property) -> Vec<&ViolatingState> {
    let failing = property.violations.iter().flat_map(|found| &found.states);
    failing.chain(&property.judged_at).collect()
}

/// The first state that speaks for the verdict for a key.
pub(crate) fn state_of_key(key: &KeyVerdict) -> Option<&ViolatingState> {
    key.violations.iter().flat_map(|found| &found.states).chain(&key.judged_at).next()
}

/// A state with its values.
pub(crate) fn state(state: &ViolatingState) -> String {
    let values = state.values.0.iter().map(|(name, value)| format!("{name} = {}", shown(Some(value))));
    let values: Vec<String> = values.collect();
    let separator = if values.is_empty() { "" } else { ": " };
    let source = state.source.as_ref().map(|source| format!(", {source}")).unwrap_or_default();
    format!("position {} (line {}{source}){separator}{}", state.position, state.line, values.join(", "))
}

/// A key with why the property is violated for it.
pub(crate) fn key(key: &KeyVerdict) -> String {
    let why = state_of_key(key).map(state);
    let why = why.or_else(|| key.value.as_ref().map(|value| format!("its value is {}", shown(value.as_ref()))));
    let name = key.trace.map_or_else(|| key.key.clone(), |trace| format!("{} (trace {trace})", key.key));
    why.map_or(name.clone(), |why| format!("{name}: {why}"))
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| serde_json::to_string(value).unwrap_or_default())
}

/// The name of the trace that an answer is about.
pub(crate) fn trace(answer: &Answer) -> &str {
    match answer {
        Answer::Report(report) => &report.trace.path,
        Answer::Failure(FailureDocument { trace, .. }) => trace.as_ref().map_or("traceward", |trace| &trace.path),
    }
}
