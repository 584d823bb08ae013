//! JSON Schema of all documents.

use crate::{
    ComparisonDocument, EndOfTrace, FailureDocument, InspectionDocument, LintDocument, ReportDocument, TracesDocument,
    ValueEvent, VerdictEvent,
};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

/// The schemas of all documents, by the command that prints them.
pub fn schemas() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let documents = json!({
        "check, query": of::<ReportDocument>(&mut generator),
        "check, query: several traces": of::<TracesDocument>(&mut generator),
        "check, query: no answer": of::<FailureDocument>(&mut generator),
        "monitor: a verdict": of::<VerdictEvent>(&mut generator),
        "monitor: a value": of::<ValueEvent>(&mut generator),
        "monitor: the end": of::<EndOfTrace>(&mut generator),
        "lint": of::<LintDocument>(&mut generator),
        "compare": of::<ComparisonDocument>(&mut generator),
        "inspect": of::<InspectionDocument>(&mut generator),
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Documents of Traceward's answers",
        "version": crate::VERSION,
        "documents": documents,
        "$defs": generator.take_definitions(true),
    })
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(members) => {
                    found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                    members.values().for_each(|one| references(one, found));
                }
                Value::Array(items) => items.iter().for_each(|one| references(one, found)),
                _ => {}
            }
        }
        let schemas = schemas();
        let mut found = Vec::new();
        references(&schemas, &mut found);
        assert!(found.len() > 10);
        for reference in found {
            let pointer = reference.strip_prefix('#').expect("a reference within the document");
            assert!(schemas.pointer(pointer).is_some(), "{reference}");
        }
    }
}
