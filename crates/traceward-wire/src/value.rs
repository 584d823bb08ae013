//! Values and verdicts as documents write them.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use traceward::engine::{Tolerance, ToleranceKind};

/// A value: missing is null, pairs and lists are arrays. JSON has no infinity, which is the string
/// `inf` or `-inf`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// Nothing was recorded.
    Missing,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    Text(String),
    /// A pair or a list.
    List(Vec<Value>),
}

impl From<&traceward::Value> for Value {
    fn from(value: &traceward::Value) -> Self {
        use traceward::Value as Of;
        match value {
            Of::Missing => Self::Missing,
            Of::Bool(bit) => Self::Bool(*bit),
            Of::Int(number) => Self::Int(*number),
            Of::Float(number) if number.is_infinite() => {
                Self::Text(if *number > 0.0 { "inf" } else { "-inf" }.to_owned())
            }
            Of::Float(number) => Self::Float(*number),
            Of::Str(text) => Self::Text(text.to_string()),
            Of::Pair(pair) => Self::List(vec![Self::from(&pair.0), Self::from(&pair.1)]),
            Of::List(items) => Self::List(items.iter().map(Self::from).collect()),
        }
    }
}

impl From<Option<&traceward::Value>> for Value {
    fn from(value: Option<&traceward::Value>) -> Self {
        value.map_or(Self::Missing, Self::from)
    }
}

/// What an error is one of, if it is not a certain one of the number itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ErrorKind {
    /// The number is off by no more than this part of itself in 99 of 100 cases.
    Likely,
    /// Numbers that are off a border by no more than this part of themselves may be counted on its
    /// other side.
    Borders,
    /// Another value may occur more often, by no more than this part of the number of all values.
    Frequency,
}

/// An error and its kind, as documents have them.
pub(crate) fn of_tolerance(tolerance: Option<Tolerance>) -> (Option<f64>, Option<ErrorKind>) {
    let kind = tolerance.and_then(|tolerance| match tolerance.kind {
        ToleranceKind::Certain => None,
        ToleranceKind::Likely => Some(ErrorKind::Likely),
        ToleranceKind::Borders => Some(ErrorKind::Borders),
        ToleranceKind::Frequency => Some(ErrorKind::Frequency),
    });
    (tolerance.map(|tolerance| tolerance.relative), kind)
}

/// What is known of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds, whatever comes.
    Satisfied,
    /// It does not hold, whatever comes.
    Violated,
    /// It would hold if the trace ended here.
    Holding,
    /// It would not hold if the trace ended here.
    Pending,
    /// It could not be found out.
    Unknown,
}

impl From<traceward::Verdict> for Verdict {
    fn from(verdict: traceward::Verdict) -> Self {
        match verdict {
            traceward::Verdict::Satisfied => Self::Satisfied,
            traceward::Verdict::Violated => Self::Violated,
            traceward::Verdict::Holding => Self::Holding,
            traceward::Verdict::Pending => Self::Pending,
        }
    }
}

/// Named members of an object, in an order that means something.
#[derive(Clone, PartialEq, Debug)]
pub struct Members<T>(pub Vec<(String, T)>);

impl<T> Default for Members<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Members<T> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Members<Value> {
    /// The values of variables.
    pub(crate) fn of_values(values: &[(Arc<str>, traceward::Value)]) -> Self {
        Self(values.iter().map(|(name, value)| (name.to_string(), value.into())).collect())
    }
}

impl<T: Serialize> Serialize for Members<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Members<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<T>, A::Error> {
                let mut members = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    members.push(entry);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Entries(std::marker::PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Members<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("MembersOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": value })
    }
}
