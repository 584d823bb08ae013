//! Fields of events and spans as values.

use std::fmt::Debug;
use traceward::Value;
use tracing_core::field::{Field, Visit};

/// The name of the field that holds what an event says.
const MESSAGE: &str = "message";

/// Fields by their names; of several with one name the last counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    pub(crate) values: Vec<(&'static str, Value)>,
    pub(crate) message: Option<String>,
}

impl Fields {
    fn take(&mut self, field: &Field, value: Value) {
        match value {
            Value::Str(text) if field.name() == MESSAGE => self.message = Some(text.to_string()),
            value => self.values.push((field.name(), value)),
        }
    }
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.take(field, Value::Bool(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.take(field, Value::Int(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i128(field, i128::from(value));
    }

    fn record_i128(&mut self, field: &Field, value: i128) {
        // A number that is no 64-bit integer would be another as a float. As a text it is refused
        // where a number is needed.
        let value = i64::try_from(value).map_or_else(|_| Value::str(&value.to_string()), Value::Int);
        self.take(field, value);
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        let value = i64::try_from(value).map_or_else(|_| Value::str(&value.to_string()), Value::Int);
        self.take(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.take(field, Value::float(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.take(field, Value::str(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.take(field, Value::str(&format!("{value:?}")));
    }
}
