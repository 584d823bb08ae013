//! Counts, values and times, as people say them.

use traceward::message::{Shown, TIME_UNITS, duration};
use traceward::report::QueryReport;
use traceward::{Report, Value};

/// What the numbers of a query are.
#[derive(Clone, Copy)]
pub enum Measure {
    Plain,
    /// Nanoseconds between two states.
    Latency,
}

impl Measure {
    /// What the numbers of a query are.
    pub fn of(query: &QueryReport, report: &Report) -> Self {
        let timed = query.unanswered.is_some() && report.trace.span.is_some();
        if timed { Self::Latency } else { Self::Plain }
    }

    /// A value.
    pub fn text(self, value: Option<&Value>) -> String {
        match (self, value) {
            (Self::Latency, Some(Value::Int(nanoseconds))) => {
                format!("{nanoseconds} ({})", elapsed(nanoseconds.unsigned_abs()))
            }
            _ => value_text(value),
        }
    }

    /// A number.
    pub fn number(self, number: f64) -> String {
        match self {
            Self::Latency => elapsed(number as u64),
            // Whole numbers without a fraction, others with as many digits as tell them apart.
            Self::Plain => ((number * 1e6).round() / 1e6).to_string(),
        }
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

/// A value of a variable.
pub fn shown(value: &Value) -> String {
    if value.is_missing() { "missing".to_owned() } else { value_text(Some(value)) }
}

/// A name as a formula writes it.
pub(super) fn column_name(name: &str) -> String {
    traceward::message::Name(name).to_string()
}
