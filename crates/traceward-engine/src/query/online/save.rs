//! Runs of queries as bytes, so that they can outlive their process.

use super::{Held, Online, OnlineRun};
use crate::query::save::Scope;
use crate::saved::{Origin, Reader, RestoreError, Writer, checksum, framed, unframed};

/// The most states that a run can have seen: a window takes positions for signed numbers.
const MOST_STATES: u64 = i64::MAX as u64;

impl Online {
    /// A run as bytes, for [`Self::restore`]. They hold what is owed and what was collected, and so
    /// are about as long as the run is large.
    pub fn save(&self, run: &OnlineRun) -> Vec<u8> {
        framed(self.origin(), |to| self.save_run(run, to))
    }

    /// A run that was saved by the same queries with the same precision; it goes on as if it had
    /// never been interrupted. Queries are the same if they look at the same variables by their
    /// places, whatever their names.
    pub fn restore(&self, bytes: &[u8]) -> Result<OnlineRun, RestoreError> {
        unframed(self.origin(), bytes, |from| self.restored_run(from))
    }

    fn origin(&self) -> Origin {
        Origin { engine: "algebraic", formula: self.fingerprint() }
    }

    /// A number that two different lists of queries hardly share. Formulas of terminal nodes are
    /// known by their ids only, so what they are made of is summed up too.
    fn fingerprint(&self) -> u64 {
        let Self { automaton, past, atoms, looks, direct, precision, .. } = self;
        let text = format!("{automaton:?} {:?} {atoms:?} {looks:?} {direct:?} {precision:?}", past.parts());
        checksum(text.as_bytes())
    }

    fn save_run(&self, run: &OnlineRun, to: &mut Writer) {
        let OnlineRun { past, nodes, first, position, .. } = run;
        let scope = Scope::new(&self.automaton, *position);
        to.number(*position);
        past.save(to);
        for place in &self.places {
            match place {
                Some(place) => nodes[*place].save(&scope, to),
                None => to.number(0),
            }
        }
        for part in 0..self.places.len() {
            let held = first.get(part).and_then(Option::as_ref);
            to.bit(held.is_some());
            if let Some(held) = held {
                scope.save_held(held, to);
            }
        }
    }

    fn restored_run(&self, from: &mut Reader<'_>) -> Result<OnlineRun, RestoreError> {
        let mut run = self.start();
        run.position = from.at_most(MOST_STATES)?;
        run.past = self.past.restore(from)?;
        if !self.past.is_empty() && run.past.position() != run.position {
            return Err(RestoreError::Damaged);
        }
        let scope = Scope::new(&self.automaton, run.position);
        for place in &self.places {
            match place {
                Some(place) => run.nodes[*place].restore(&scope, from)?,
                // It keeps nothing, and has passed on nothing.
                None => from.at_most(0).map(drop)?,
            }
        }
        for part in 0..self.places.len() {
            match (optional_held(&scope, from)?, run.first.get_mut(part)) {
                (held, Some(first)) => *first = held,
                (None, None) => {}
                (Some(_), None) => return Err(RestoreError::Damaged),
            }
        }
        let OnlineRun { unknown, first, .. } = &mut run;
        unknown.retain(|part| first[part.index()].is_none());
        Ok(run)
    }
}

fn optional_held(scope: &Scope<'_>, from: &mut Reader<'_>) -> Result<Option<Held>, RestoreError> {
    if from.bit()? { scope.held(from).map(Some) } else { Ok(None) }
}
