//! Counts, values and times, as people say them.

use traceward::Value;
use traceward::message::{Shown, TIME_UNITS, duration};
use traceward::report::Measure;

/// A value of a query, with a time beside it in the unit that a person would use.
pub(super) fn measured(value: Option<&Value>, measure: Measure) -> String {
    let text = value_text(value);
    match value.and_then(|value| in_units(value, measure)) {
        Some(units) => format!("{text} ({units})"),
        None => text,
    }
}

/// A value of a query in few words: a time by its units alone, and a number without the digits that
/// nobody reads.
pub(super) fn measured_briefly(value: &Value, measure: Measure) -> String {
    in_units(value, measure).unwrap_or_else(|| match value {
        // Beyond this size a float has no digits behind its point.
        Value::Float(number) if number.abs() < 1e9 => ((number * 1e6).round() / 1e6).to_string(),
        value => value_text(Some(value)),
    })
}

/// A time in the unit that a person would use; none for what is no time.
fn in_units(value: &Value, measure: Measure) -> Option<String> {
    let nanoseconds = value.as_f64().filter(|number| number.abs() < i64::MAX as f64)?;
    match (measure, value) {
        (Measure::Plain, _) => None,
        (Measure::Moment, Value::Int(exact)) => Some(moment(*exact)),
        (Measure::Moment, _) => Some(moment(nanoseconds as i64)),
        (Measure::Duration, _) => {
            let sign = if nanoseconds < 0.0 { "-" } else { "" };
            Some(format!("{sign}{}", elapsed(nanoseconds.abs().round() as u64)))
        }
    }
}

/// A part of a whole in percent. What is little is not said to be nothing, and what is nearly all
/// not to be all.
pub(super) fn percent(part: usize, whole: usize) -> String {
    let share = part as f64 / whole.max(1) as f64 * 100.0;
    match (share * 10.0).round() / 10.0 {
        rounded if rounded == 0.0 && part > 0 => "<0.1%".to_owned(),
        rounded if rounded == 100.0 && part < whole => ">99.9%".to_owned(),
        rounded => format!("{rounded}%"),
    }
}

pub(super) fn value_text(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".into(), |value| Shown(&value.to_string()).to_string())
}

pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A stretch of time, in the unit a person would use.
pub(super) fn elapsed(nanoseconds: u64) -> String {
    match TIME_UNITS.into_iter().find(|(size, _)| nanoseconds >= 2 * size) {
        Some((size, unit)) => {
            let rounded = (nanoseconds as f64 / size as f64 * 1e3).round() / 1e3;
            format!("{rounded} {unit}")
        }
        None => duration(nanoseconds),
    }
}

/// A timestamp: a date if it could be one, else the time since its clock began.
pub(super) fn moment(nanoseconds: i64) -> String {
    const YEAR_2000: i64 = 946_684_800_000_000_000;
    match jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)) {
        Ok(timestamp) if nanoseconds >= YEAR_2000 => timestamp.to_string(),
        _ => format!("{}{}", if nanoseconds < 0 { "-" } else { "" }, duration(nanoseconds.unsigned_abs())),
    }
}

pub(super) fn shortened(text: &str) -> String {
    shortened_to(text, 40)
}

pub(super) fn shortened_to(text: &str, longest: usize) -> String {
    let text = Shown(text).text();
    if text.chars().count() <= longest {
        return text.into_owned();
    }
    text.chars().take(longest - 1).chain(['…']).collect()
}

pub(super) fn shown(value: &Value) -> String {
    if value.is_missing() { "missing".to_owned() } else { value_text(Some(value)) }
}

/// A name as a formula writes it.
pub(super) fn column_name(name: &str) -> String {
    traceward::message::Name(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_not_nothing_and_much_is_not_all() {
        assert_eq!(percent(0, 7), "0%");
        assert_eq!(percent(1, 8), "12.5%");
        assert_eq!(percent(1, 100_000), "<0.1%");
        assert_eq!(percent(99_999, 100_000), ">99.9%");
        assert_eq!(percent(7, 7), "100%");
        assert_eq!(percent(0, 0), "0%");
    }

    #[test]
    fn times_are_told_in_units() {
        let duration = |value: Value| measured_briefly(&value, Measure::Duration);
        assert_eq!(duration(Value::Int(90_000_000_000)), "90 s");
        assert_eq!(duration(Value::Float(-2.5e9)), "-2.5 s");
        assert_eq!(duration(Value::Float(f64::INFINITY)), "inf");
        assert_eq!(measured(Some(&Value::Int(5)), Measure::Plain), "5");
        assert_eq!(measured(None, Measure::Duration), "none");
        assert_eq!(measured_briefly(&Value::Float(0.1 + 0.2), Measure::Plain), "0.3");
    }
}
