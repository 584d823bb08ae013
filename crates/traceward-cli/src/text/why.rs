//! Why a property is violated, in a line for each operator on the way.

use super::source_text;
use super::units::{counted, lasting, state_value};
use std::io::{self, Write};
use traceward::message::Shown;
use traceward::report::{Direction, Literal, Outcome, Place, Reason, Why};

/// The largest number of lines about one violation.
const MOST_LINES: usize = 6;

/// Writes what was owed and what happened. `shown` is the line of the state that is shown above.
pub(super) fn write_why(out: &mut impl Write, why: &Why, shown: u64, indent: &str) -> io::Result<()> {
    why_lines(why, shown).iter().try_for_each(|line| writeln!(out, "{indent}{line}"))
}

/// What was owed and what happened, line by line.
pub fn why_lines(why: &Why, shown: u64) -> Vec<String> {
    let told: Vec<&Reason> =
        (0..why.reasons.len()).filter(|&nth| is_told(&why.reasons, nth)).map(|nth| &why.reasons[nth]).collect();
    let mut lines: Vec<String> = told.iter().take(MOST_LINES).map(|reason| reason_text(reason, shown)).collect();
    let more = told.len().saturating_sub(MOST_LINES);
    lines.extend((more > 0).then(|| format!("… and {more} more (--format json)")));
    lines.extend(literals_text(why, shown).map(|literals| format!("because {literals}")));
    lines
}

/// Whether a reason says more than the one that follows it: that the next state decides is clear
/// where something is said of that state.
fn is_told(reasons: &[Reason], nth: usize) -> bool {
    let (Outcome::Settled { operand, at }, Some(next)) = (&reasons[nth].outcome, reasons.get(nth + 1)) else {
        return true;
    };
    let is_next = at.position.abs_diff(reasons[nth].since.position) == 1;
    !(is_next && next.formula == *operand && next.since.position == at.position)
}

/// The propositions that decide, if reasons and the state that is shown do not name them all.
fn literals_text(why: &Why, shown: u64) -> Option<String> {
    let literals = why.literals.as_ref()?;
    let is_named = |literal: &Literal| {
        let is_one = literal.first.position == literal.last.position;
        let is_shown = |line: u64| is_one && literal.first.line == line;
        is_shown(shown) || why.reasons.iter().any(|reason| is_shown(place(reason)) || speaks_of(reason, literal))
    };
    if literals.iter().all(is_named) {
        return None;
    }
    let mut runs: Vec<(String, Vec<String>)> = Vec::new();
    for Literal { proposition, holds, first, last } in literals {
        let what = format!("`{}` is {holds} at ", Shown(proposition));
        let lines = match last.line == first.line {
            true => format!("line {}", first.line),
            false => format!("lines {} to {}", first.line, last.line),
        };
        match runs.iter_mut().find(|(known, _)| *known == what) {
            Some((_, known)) => known.push(lines),
            None => runs.push((what, vec![lines])),
        }
    }
    Some(runs.into_iter().map(|(what, lines)| what + &listed(&lines)).collect::<Vec<_>>().join(" and "))
}

/// The line of the state whose values the line about an operator tells.
fn place(reason: &Reason) -> u64 {
    match &reason.outcome {
        Outcome::Settled { at, .. } | Outcome::Broken { at, .. } => at.line,
        Outcome::NoState | Outcome::Throughout { .. } => reason.since.line,
    }
}

/// Whether the line about an operator names a proposition, or its negation, as an operand.
fn speaks_of(reason: &Reason, literal: &Literal) -> bool {
    let is_it = |operand: &String| operand.trim_start_matches(['!', ' ']) == literal.proposition;
    match &reason.outcome {
        Outcome::NoState => false,
        Outcome::Settled { operand, .. } | Outcome::Throughout { operand, .. } => is_it(operand),
        Outcome::Broken { kept, goal, .. } => is_it(kept) || is_it(goal),
    }
}

/// The first of some texts, and how many more there are.
fn listed(texts: &[String]) -> String {
    const SHOWN: usize = 3;
    let more = match texts.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", texts[..texts.len().min(SHOWN)].join(", "))
}

/// A line about an operator.
fn reason_text(reason: &Reason, shown: u64) -> String {
    let Reason { formula, direction, is_bounded: _, since, holds: _, outcome: _ } = reason;
    let place = match direction {
        _ if since.line == shown => String::new(),
        Direction::Future => format!(" from line {}", since.line),
        Direction::Past => format!(" at line {}", since.line),
    };
    format!("`{}`{place}: {}", Shown(formula), happened(reason))
}

/// What became of an operator.
fn happened(reason: &Reason) -> String {
    let Reason { direction, since, holds, outcome, .. } = reason;
    let is_past = *direction == Direction::Past;
    match outcome {
        Outcome::NoState if is_past => "there is no state before it".to_owned(),
        Outcome::NoState => "there is no next state".to_owned(),
        Outcome::Settled { operand, at } if at.position.abs_diff(since.position) == 1 && !is_past => {
            format!("`{}` is {holds} in the next state, {}", Shown(operand), with_values(at, at))
        }
        Outcome::Settled { operand, at } => {
            let what = match (is_past, holds) {
                (false, true) => "came",
                (false, false) => "broke",
                (true, true) => "held",
                (true, false) => "did not hold",
            };
            format!("`{}` {what} at {}", Shown(operand), with_values(at, since))
        }
        Outcome::Throughout { .. } => throughout(reason),
        Outcome::Broken { kept, at, goal, came } => {
            let goal_came = match (came, holds, is_past) {
                (_, true, _) => String::new(),
                (_, false, true) => format!(", and no `{}` since then", Shown(goal)),
                (Some(came), false, false) => format!(", before `{}` came at line {}", Shown(goal), came.line),
                (None, false, false) => format!(", and `{}` never came", Shown(goal)),
            };
            let what = match (holds, is_past) {
                (true, _) => "settled it",
                (false, false) => "broke",
                (false, true) => "did not hold",
            };
            format!("`{}` {what} at {}{goal_came}", Shown(kept), with_values(at, since))
        }
    }
}

/// What became of an operator whose operand did not change throughout its window.
fn throughout(reason: &Reason) -> String {
    let Reason { direction, is_bounded, since, holds, outcome, .. } = reason;
    let Outcome::Throughout { operand, window, is_cut, outside } = outcome else { return String::new() };
    let (operand, is_past) = (Shown(operand), *direction == Direction::Past);
    match (window, outside) {
        _ if *holds => format!("`{operand}` held throughout"),
        (None, _) if is_past => "the trace has no state that far back".to_owned(),
        (None, _) if *is_cut => "the trace ended before".to_owned(),
        (None, _) => "no state lies in that window".to_owned(),
        (Some((first, _)), Some(place)) if is_past && place.position < first.position => {
            format!("the last `{operand}` was {} before (line {})", between(place, since), place.line)
        }
        (Some(_), Some(place)) if is_past => format!("`{operand}` came too late for it (line {})", place.line),
        (Some((first, _)), Some(place)) if place.position < first.position => {
            format!("it came too early, after {} (line {})", between(since, place), place.line)
        }
        (Some(_), Some(place)) => format!("it came after {} (line {})", between(since, place), place.line),
        (Some(_), None) if is_past => format!("no `{operand}` before it"),
        (Some(_), None) if *is_cut => format!("`{operand}` stayed false until the end"),
        (Some(_), None) if *is_bounded => "it never came".to_owned(),
        (Some(_), None) => format!("`{operand}` stayed false"),
    }
}

/// A state with its values, and how far it is from where it was asked.
fn with_values(place: &Place, since: &Place) -> String {
    let far = match place.position == since.position {
        true => String::new(),
        false => {
            format!(" ({} {})", between(since, place), if place.position > since.position { "later" } else { "before" })
        }
    };
    let values: Vec<String> =
        place.values.iter().map(|(name, value)| format!("{} = {}", Shown(name), state_value(value))).collect();
    let separator = if values.is_empty() { "" } else { ": " };
    format!("line {}{}{far}{separator}{}", place.line, source_text(place.source.as_ref()), values.join(", "))
}

/// The distance between two states: in time where they have timestamps.
fn between(one: &Place, other: &Place) -> String {
    match (one.time, other.time) {
        (Some(one), Some(other)) => lasting(one.abs_diff(other)),
        _ => counted(one.position.abs_diff(other.position), "step"),
    }
}
