//! What an observer owes, for a reader.

use super::Observer;
use crate::engine::follow::{Due, Follow, Owed};
use crate::engine::walkthrough::Guide;
use crate::limit::GaveUp;
use traceward_logic::verdict::Verdict;

/// The obligations after the state at a position, in words.
pub(super) fn owed_text(
    observer: &Observer,
    guide: &Guide<'_>,
    verdict: Verdict,
    position: usize,
) -> Result<String, GaveUp> {
    if verdict.is_final() {
        return Ok("owes nothing".to_owned());
    }
    let positions: Vec<u32> = (0..=position as u32).collect();
    let owed = observer.owed(&guide.letters.gather(&positions), 0, guide.names)?;
    let (necessary, possible): (Vec<Owed>, Vec<Owed>) = owed.into_iter().partition(|one| one.is_necessary);
    let [necessary, possible] = [necessary, possible]
        .map(|some| some.iter().map(|one| one_text(one, position as u64)).collect::<Vec<String>>());
    let clauses = [("owes ", necessary, " and "), ("could be satisfied by ", possible, ", ")];
    let clauses = clauses.into_iter().filter(|(_, texts, _)| !texts.is_empty());
    let clauses: Vec<String> = clauses.map(|(verb, texts, between)| format!("{verb}{}", texts.join(between))).collect();
    Ok(if clauses.is_empty() { "owes nothing yet".to_owned() } else { clauses.join("; ") })
}

/// An obligation with the positions at which it can be met: `b by position 3`.
fn one_text(Owed { formula, due, .. }: &Owed, position: u64) -> String {
    // Observers take no bounds in time.
    let Due::Steps { delay, reach } = due else { return formula.clone() };
    let first = position.saturating_add(1).saturating_add(*delay);
    match reach.map(|reach| first.saturating_add(reach)) {
        Some(last) if last == first => format!("{formula} at position {first}"),
        Some(last) if *delay == 0 => format!("{formula} by position {last}"),
        Some(last) => format!("{formula} between positions {first} and {last}"),
        None if *delay == 0 => formula.clone(),
        None => format!("{formula} at position {first} or later"),
    }
}
