//! Counts, values and times, as people say them.

use traceward::Value;
use traceward::message::{Shown, TIME_UNITS, duration};
use traceward::report::Measure;

/// A value, with nanoseconds also in the unit a person would use: `9000000000 (9 s)`.
pub(super) fn measured(measure: &Measure, value: &Value) -> String {
    match (measure, value) {
        (Measure::Moment, Value::Int(nanoseconds)) => format!("{value} ({})", moment(*nanoseconds)),
        (Measure::Duration | Measure::Moment, value) if is_time(value) => {
            format!("{value} ({})", number_text(measure, value.as_f64().unwrap_or(0.0)))
        }
        (Measure::Pair(left, right), Value::Pair(pair)) => {
            format!("({}, {})", measured(left, &pair.0), measured(right, &pair.1))
        }
        (Measure::Buckets(edges), Value::List(buckets)) => in_brackets(buckets.iter().map(|one| bucket(edges, one))),
        (measure, Value::List(values)) => in_brackets(values.iter().map(|one| measured(measure, one))),
        (_, value) => value_text(Some(value)),
    }
}

/// Whether a value can be a number of nanoseconds.
fn is_time(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.abs() < i64::MAX as f64)
}

/// A value that there may not be.
pub fn measured_or_none(measure: &Measure, value: Option<&Value>) -> String {
    value.map_or_else(|| value_text(None), |value| measured(measure, value))
}

/// `[from, to, count]`, of which only the edges are measured.
fn bucket(edges: &Measure, bucket: &Value) -> String {
    match bucket {
        Value::List(parts) => in_brackets(
            parts.iter().enumerate().map(
                |(index, part)| {
                    if index < 2 { measured(edges, part) } else { value_text(Some(part)) }
                },
            ),
        ),
        other => value_text(Some(other)),
    }
}

fn in_brackets(texts: impl Iterator<Item = String>) -> String {
    format!("[{}]", texts.collect::<Vec<_>>().join(", "))
}

/// A number in the unit a person would use.
pub fn number_text(measure: &Measure, number: f64) -> String {
    match measure {
        Measure::Duration => format!("{}{}", if number < 0.0 { "-" } else { "" }, elapsed(number.abs() as u64)),
        Measure::Moment => moment(number as i64),
        // Whole numbers without a fraction, others with as many digits as tell them apart.
        _ => ((number * 1e6).round() / 1e6).to_string(),
    }
}

/// A value of a query in few words: a time by its units alone, and a number without the digits that
/// nobody reads.
pub fn measured_briefly(measure: &Measure, value: &Value) -> String {
    match (measure, value) {
        (Measure::Moment, Value::Int(nanoseconds)) => moment(*nanoseconds),
        (Measure::Duration | Measure::Moment, value) if is_time(value) => {
            number_text(measure, value.as_f64().unwrap_or(0.0))
        }
        // Beyond this size a float has no digits behind its point.
        (_, Value::Float(number)) if number.abs() < 1e9 => number_text(measure, *number),
        _ => value_text(Some(value)),
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

/// The longest text of a state that is told as a whole: about three lines of a terminal.
const LONGEST_VALUE: usize = 200;

/// A value as it stands beside others of its state. Of a text without end, such as what a request
/// has sent, it is what it begins with.
pub(super) fn state_value(value: &Value) -> String {
    match value {
        Value::Str(text) if text.chars().nth(LONGEST_VALUE).is_some() => {
            let begin: String = text.chars().take(LONGEST_VALUE).collect();
            format!("{}…", value_text(Some(&Value::Str(begin.into()))))
        }
        value => value_text(Some(value)),
    }
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
        None if nanoseconds == 0 => "0 s".to_owned(),
        None => duration(nanoseconds),
    }
}

/// A stretch of time in its two largest units, as people say how late something is.
pub(super) fn lasting(nanoseconds: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let seconds = nanoseconds / SECOND;
    let Some(largest) = UNITS.iter().position(|(size, _)| seconds >= *size).filter(|largest| *largest < 3) else {
        return elapsed(nanoseconds);
    };
    let ((large, large_unit), (small, small_unit)) = (UNITS[largest], UNITS[largest + 1]);
    match seconds % large / small {
        0 => format!("{} {large_unit}", seconds / large),
        rest => format!("{} {large_unit} {rest} {small_unit}", seconds / large),
    }
}

/// A timestamp: a date if it could be one, else the time since its clock began.
pub fn moment(nanoseconds: i64) -> String {
    exact_moment(nanoseconds).unwrap_or_else(|| {
        let sign = if nanoseconds < 0 { "-" } else { "" };
        format!("{sign}{}", elapsed(nanoseconds.unsigned_abs()))
    })
}

/// A timestamp of a trace: one that nobody could read by how long it is after the first.
pub(super) fn moment_after(first: Option<i64>, nanoseconds: i64) -> String {
    match (exact_moment(nanoseconds), first) {
        (Some(exact), _) => exact,
        (None, Some(first)) => format!("{} after the first state", elapsed(nanoseconds.abs_diff(first))),
        (None, None) => moment(nanoseconds),
    }
}

/// A timestamp to the nanosecond, if people could read that. The clocks of programs count
/// nanoseconds since the machine was started, which nobody can; what is ten years away from 1970 is
/// no such clock.
pub(super) fn exact_moment(nanoseconds: i64) -> Option<String> {
    const TEN_YEARS: u64 = 315_360_000_000_000_000;
    const MOST_DIGITS: usize = 6;
    match jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)) {
        Ok(timestamp) if nanoseconds.unsigned_abs() >= TEN_YEARS => Some(timestamp.to_string()),
        _ => {
            let text = duration(nanoseconds.unsigned_abs());
            let is_readable = text.bytes().filter(u8::is_ascii_digit).count() <= MOST_DIGITS;
            is_readable.then(|| format!("{}{text}", if nanoseconds < 0 { "-" } else { "" }))
        }
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

/// A value of a variable.
pub fn shown(value: &Value) -> String {
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
    fn timestamps_that_nobody_could_read_are_counted_from_the_first() {
        let first = Some(18_989_666_330_626);
        assert_eq!(moment_after(first, 18_989_667_330_000), "999.374 us after the first state");
        assert_eq!(moment_after(first, 18_989_666_330_626), "0 s after the first state");
        assert_eq!(moment_after(None, 18_989_667_330_000), "5.275 h");
        assert_eq!(moment_after(Some(0), 12_500_000_000), "12500ms");
        assert_eq!(moment_after(first, 1_600_000_000_000_000_001), "2020-09-13T12:26:40.000000001Z");
        assert_eq!([moment(-3_000_000_000), moment(-3_000_000_001)], ["-3s", "-3 s"]);
        // Logs may be older than most that are read.
        assert_eq!(moment(804_571_201_000_000_000), "1995-07-01T04:00:01Z");
        assert_eq!(moment(-368_287_200_000_000_000), "1958-05-01T10:00:00Z");
    }

    #[test]
    fn times_are_told_in_units() {
        let duration = |value: Value| measured_briefly(&Measure::Duration, &value);
        assert_eq!(duration(Value::Int(90_000_000_000)), "90 s");
        assert_eq!(duration(Value::Float(-2.5e9)), "-2.5 s");
        assert_eq!(duration(Value::Float(f64::INFINITY)), "inf");
        assert_eq!(measured_or_none(&Measure::Plain, Some(&Value::Int(5))), "5");
        assert_eq!(measured_or_none(&Measure::Duration, None), "none");
        assert_eq!(measured_briefly(&Measure::Plain, &Value::Float(0.1 + 0.2)), "0.3");
    }
}
