//! What became of what a property asks for within a window.

use super::units::{counted, lasting};
use traceward::message::{Shown, duration};
use traceward::report::{NeededBound, ResponseReport, Unit};

/// A line for each response that was asked for: how often it came in time, late or never, and the
/// largest bound that one needed.
pub fn response_lines(responses: &[ResponseReport]) -> Vec<String> {
    let is_one_of_several = responses.len() > 1;
    let line = |one: &ResponseReport| {
        let of = if is_one_of_several { format!("`{}`: ", Shown(&one.response)) } else { String::new() };
        format!("{of}{}", response_text(one))
    };
    responses.iter().filter(|one| one.asked() > 0).map(line).collect()
}

fn response_text(response: &ResponseReport) -> String {
    let ResponseReport { response: _, in_time, late, never, largest } = response;
    let counts = [("in time", *in_time), ("late", *late), ("never", *never)];
    let counts = counts.into_iter().filter(|(what, count)| *count > 0 || *what == "in time");
    let counts: Vec<String> = counts.map(|(what, count)| format!("{what} {count}")).collect();
    let needed = largest.as_ref().map(|needed| {
        let what = if *never == 0 { "the largest needed" } else { "the largest needed of those that came" };
        format!("; {what}: {}", needed_text(needed))
    });
    format!("{}{}", counts.join(", "), needed.unwrap_or_default())
}

fn needed_text(NeededBound { bound, unit, key, at }: &NeededBound) -> String {
    let bound = match unit {
        Unit::Steps => counted(usize::try_from(*bound).unwrap_or(usize::MAX), "step"),
        Unit::Time => time_text(*bound),
    };
    let key = key.as_ref().map(|key| format!(", {}", Shown(key))).unwrap_or_default();
    format!("{bound}{key}, line {}", at.line)
}

/// A stretch of time as people say it, and as a bound has to say it where that is more exact.
fn time_text(nanoseconds: u64) -> String {
    let (said, exact) = (lasting(nanoseconds), duration(nanoseconds));
    let is_exact = nanoseconds == 0 || said.replace(' ', "") == exact;
    if is_exact { said } else { format!("{said} ({exact})") }
}
