//! Timelines as the script draws them: a column for each state, a lane for what was asked and what
//! became of it, a row for each part of the property, and a row for each variable.

use super::markup::shown;
use crate::text;
use serde::Serialize;
use traceward::Value;
use traceward::message::TIME_UNITS;
use traceward::report::{Direction, Literal, Outcome, OwedReport, Place, Reason, RowKind, Timeline, TimelineRow, Why};

/// The largest number of lanes.
const MOST_LANES: usize = 8;

/// The largest number of variables.
const MOST_VARIABLES: usize = 12;

/// The largest number of characters of a part of a formula, and of a value.
const LONGEST_PART: usize = 300;
const LONGEST_VALUE: usize = 100;

/// A timeline.
#[derive(Serialize)]
pub struct TimelineData {
    about: usize,
    len: usize,
    /// Whether it is about what is owed, and not about a violation.
    is_owed: bool,
    states: Vec<StateData>,
    lanes: Vec<Lane>,
    rows: Vec<RowData>,
    values: Vec<Values>,
}

#[derive(Serialize)]
struct StateData {
    position: usize,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    /// The time since the state that the timeline is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

/// An operator from where it was asked to where it was settled.
#[derive(Debug, PartialEq, Serialize)]
struct Lane {
    text: String,
    kind: LaneKind,
    from: usize,
    to: usize,
    /// Whether it goes on behind its last state.
    is_open: bool,
    /// The position of a state outside at which it came, too late or too early.
    came: Option<usize>,
    marks: Vec<Mark>,
}

/// The kind of a lane, by which it is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum LaneKind {
    Failed,
    Held,
    Due,
}

/// A sign at a state.
#[derive(Debug, PartialEq, Serialize)]
struct Mark {
    position: usize,
    kind: &'static str,
    sign: &'static str,
    text: String,
}

#[derive(Serialize)]
struct RowData {
    text: String,
    is_proposition: bool,
    /// A letter for each state: 1, 0, or ? where it depends on states to come.
    truth: String,
    /// The runs of positions at which the row decides.
    decides: Vec<(usize, usize)>,
}

#[derive(Serialize)]
struct Values {
    name: String,
    values: Vec<String>,
}

impl TimelineData {
    /// The timeline of a violation, with the reasons for it.
    pub fn of_violation(timeline: &Timeline, why: Option<&Why>) -> Self {
        let lanes = why.iter().flat_map(|why| &why.reasons).take(MOST_LANES).map(lane).collect();
        let literals = why.and_then(|why| why.literals.as_deref()).unwrap_or_default();
        Self { lanes, ..Self::new(timeline, literals) }
    }

    /// The timeline of what is owed since a position.
    pub fn of_owed(timeline: &Timeline, owed: &[&OwedReport]) -> Self {
        let lanes = owed.iter().take(MOST_LANES).map(|one| owed_lane(one, timeline.len)).collect();
        Self { lanes, is_owed: true, ..Self::new(timeline, &[]) }
    }

    fn new(timeline: &Timeline, literals: &[Literal]) -> Self {
        let Timeline { about, len, states, rows } = timeline;
        let origin = states.iter().find(|state| state.position == *about).and_then(|state| state.time);
        let row = |row: &TimelineRow| RowData {
            text: shown(&row.text, LONGEST_PART),
            is_proposition: row.kind == RowKind::Proposition,
            truth: row.truth.iter().map(|bit| bit.map_or('?', |bit| if bit { '1' } else { '0' })).collect(),
            decides: decides(row, literals, states),
        };
        Self {
            about: *about,
            len: *len,
            is_owed: false,
            states: states.iter().map(|state| StateData::new(state, origin)).collect(),
            lanes: Vec::new(),
            rows: rows.iter().map(row).collect(),
            values: values(states, rows),
        }
    }
}

impl StateData {
    fn new(state: &Place, origin: Option<i64>) -> Self {
        let after = state.time.zip(origin).map(|(time, origin)| since(time, origin));
        Self { position: state.position, line: state.line, time: state.time.map(text::moment), after }
    }
}

/// The time between two states, with its direction.
fn since(time: i64, origin: i64) -> String {
    let sign = match time.cmp(&origin) {
        std::cmp::Ordering::Less => "−",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "+",
    };
    format!("{sign}{}", briefly(time.abs_diff(origin)))
}

/// A stretch of time in two digits.
fn briefly(nanoseconds: u64) -> String {
    let Some((size, unit)) = TIME_UNITS.into_iter().find(|(size, _)| nanoseconds >= *size) else {
        return "0".to_owned();
    };
    let count = nanoseconds as f64 / size as f64;
    let rounded = if count < 9.95 { (count * 10.0).round() / 10.0 } else { count.round() };
    format!("{rounded} {unit}")
}

/// The runs of shown states at which a row decides.
fn decides(row: &TimelineRow, literals: &[Literal], states: &[Place]) -> Vec<(usize, usize)> {
    let run = |literal: &Literal| (literal.first.position, literal.last.position);
    let is_shown = |&(from, to): &(usize, usize)| states.iter().any(|one| (from..=to).contains(&one.position));
    literals.iter().filter(|literal| literal.proposition == row.text).map(run).filter(is_shown).collect()
}

/// A row for each variable, without those that are propositions themselves.
fn values(states: &[Place], rows: &[TimelineRow]) -> Vec<Values> {
    let names = states.first().map(|state| &state.values[..]).unwrap_or_default();
    let of_variable = |(index, (name, _)): (usize, &(std::sync::Arc<str>, Value))| {
        let values = || states.iter().map(move |state| &state.values[index].1);
        let is_bit = values().all(|value| matches!(value, Value::Bool(_) | Value::Missing));
        let is_row = rows.iter().any(|row| row.text == **name);
        let texts = values().map(|value| shown(&text::shown_value(value), LONGEST_VALUE)).collect();
        (!(is_bit && is_row)).then(|| Values { name: shown(name, LONGEST_VALUE), values: texts })
    };
    names.iter().enumerate().filter_map(of_variable).take(MOST_VARIABLES).collect()
}

// ---- lanes ----

fn mark(place: &Place, kind: &'static str, sign: &'static str, said: impl Into<String>) -> Mark {
    Mark { position: place.position, kind, sign, text: shown(&said.into(), LONGEST_PART) }
}

/// An operator, and what became of it.
fn lane(reason: &Reason) -> Lane {
    let Reason { formula, direction: _, is_bounded: _, since, holds, outcome: _ } = reason;
    let marks = marks(reason);
    let ends = marks.iter().filter(|mark| mark.kind != "aside").map(|mark| mark.position);
    let (from, to) = ends.fold((since.position, since.position), |(from, to), one| (from.min(one), to.max(one)));
    let asked = marks.iter().all(|mark| mark.position != since.position);
    let asked = asked.then(|| mark(since, "", "?", "asked here"));
    let kind = if *holds { LaneKind::Held } else { LaneKind::Failed };
    let came = marks.iter().find(|mark| mark.kind == "aside").map(|mark| mark.position);
    let marks = asked.into_iter().chain(marks).collect();
    let text = shown(&format!("asked: {formula}"), LONGEST_PART);
    Lane { text, kind, from, to, is_open: false, came, marks }
}

/// The signs of what became of an operator; what is an aside lies outside its window.
fn marks(reason: &Reason) -> Vec<Mark> {
    let Reason { formula: _, direction, is_bounded: _, since, holds, outcome } = reason;
    let (kind, sign) = if *holds { ("good", "✓") } else { ("bad", "✗") };
    match outcome {
        Outcome::NoState => vec![mark(since, kind, sign, "there is no such state")],
        Outcome::Settled { operand, at } => vec![mark(at, kind, sign, format!("`{operand}` is {holds} here"))],
        Outcome::Throughout { operand, window, is_cut, outside } => {
            let far = window.as_ref().map(|(first, last)| if *direction == Direction::Past { first } else { last });
            let end = match (is_cut, direction) {
                (false, _) => "the window ends here",
                (true, Direction::Future) => "the trace ends here",
                (true, Direction::Past) => "the trace begins here",
            };
            let said = format!("`{operand}` is {holds} throughout; {end}");
            let end = mark(far.unwrap_or(since), kind, sign, said);
            let aside =
                outside.iter().map(|place| mark(place, "aside", "◇", format!("`{operand}` is {} here", !holds)));
            [end].into_iter().chain(aside).collect()
        }
        Outcome::Broken { kept, at, goal, came } => {
            let end = mark(at, kind, sign, format!("`{kept}` is {holds} here, before `{goal}`"));
            let aside = came.iter().map(|place| mark(place, "aside", "◇", format!("`{goal}` came here")));
            [end].into_iter().chain(aside).collect()
        }
    }
}

/// An obligation that is open at the end.
fn owed_lane(owed: &OwedReport, len: usize) -> Lane {
    let asked = Mark { position: owed.since, kind: "", sign: "?", text: "owed since here".to_owned() };
    let last = len.saturating_sub(1);
    let end = Mark { position: last, kind: "due", sign: "…", text: shown(&text::owed_text(owed), LONGEST_PART) };
    let marks = if owed.since == last { vec![end] } else { vec![asked, end] };
    let text = shown(&format!("owed: {}", owed.obligation), LONGEST_PART);
    Lane { text, kind: LaneKind::Due, from: owed.since, to: last, is_open: true, came: None, marks }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(position: usize) -> Place {
        Place { position, line: position as u64 + 2, source: None, time: None, values: Vec::new() }
    }

    fn reason(outcome: Outcome) -> Reason {
        let formula = "F[0,2] b".to_owned();
        Reason { formula, direction: Direction::Future, is_bounded: true, since: place(1), holds: false, outcome }
    }

    #[test]
    fn a_lane_goes_from_where_it_was_asked_to_where_it_was_settled() {
        let window = Some((place(1), place(3)));
        let outcome = Outcome::Throughout { operand: "b".into(), window, is_cut: false, outside: Some(place(7)) };
        let lane = lane(&reason(outcome));
        assert_eq!((lane.from, lane.to, lane.came, lane.kind), (1, 3, Some(7), LaneKind::Failed));
        let marks: Vec<(usize, &str)> = lane.marks.iter().map(|mark| (mark.position, mark.sign)).collect();
        assert_eq!(marks, [(1, "?"), (3, "✗"), (7, "◇")]);
        assert_eq!(lane.marks[2].text, "`b` is true here");
    }

    #[test]
    fn a_lane_of_one_state_has_one_sign() {
        let lane = lane(&reason(Outcome::NoState));
        assert_eq!((lane.from, lane.to, lane.marks.len()), (1, 1, 1));
    }

    #[test]
    fn times_are_brief() {
        let hour = 3_600_000_000_000;
        assert_eq!(since(hour / 2, hour * 2), "−1.5 h");
        assert_eq!(since(hour * 50, hour * 2), "+2 d");
        assert_eq!(since(5, 5), "0");
        assert_eq!(since(1_500_000, 0), "+1.5 ms");
    }
}
