//! Backward evaluation, state by state: section 4.3 of the paper.
//!
//! From the last position to the first, each part gets its value from those of its operands there,
//! and a transient node from what its automaton had one position later. So two values are kept for
//! each part, and nothing else. This is what [`super::block`] does for many positions at a time; it
//! is asked where that cannot answer, and it fills the paper's tables.
//!
//! An error is a value here, like ⊥ ([`Held`]): it counts only where somebody asks.

use super::accumulator::{Accumulator, End};
use super::held::{Held, Join, applied, joined};
use super::{Holds, Outcome};
use crate::automaton::algebraic::{Algebraic, Binary, Part, PartId, Unary};
use rustc_hash::FxHashMap;
use traceward_logic::expr::StateAt;
use traceward_logic::trace::Trace;

/// The values of all parts, at one position after the other.
pub(super) struct Backward<'a> {
    automaton: &'a Algebraic,
    trace: &'a Trace,
    holds: Holds<'a>,
    here: Vec<Held>,
    later: Vec<Held>,
    collections: FxHashMap<PartId, Accumulator>,
}

impl<'a> Backward<'a> {
    pub(super) fn new(automaton: &'a Algebraic, trace: &'a Trace, holds: Holds<'a>) -> Self {
        let nothing = vec![Held::Nothing; automaton.parts().len()];
        Self { automaton, trace, holds, here: nothing.clone(), later: nothing, collections: FxHashMap::default() }
    }

    /// Goes to the position before the last one visited, or to the last of the trace.
    pub(super) fn visit(&mut self, position: usize) {
        std::mem::swap(&mut self.here, &mut self.later);
        for id in self.automaton.part_ids() {
            self.here[id.index()] = self.value_of(id, position);
        }
    }

    /// The value of a part at the position visited last.
    pub(super) fn held(&self, id: PartId) -> &Held {
        &self.here[id.index()]
    }

    /// What a part has at the position visited last, as people may see it: of a collection its
    /// summary so far.
    pub(super) fn shown(&self, id: PartId, position: usize) -> Outcome {
        match self.held(id) {
            Held::Collection(collection) => self.collections[collection].value(position),
            held => held.outcome(),
        }
    }

    fn value_of(&mut self, id: PartId, position: usize) -> Held {
        match self.automaton.part(id) {
            Part::Terminal { assertion, expr } => {
                let asserted = assertion.is_none_or(|formula| (self.holds)(formula, position));
                let state = StateAt { trace: self.trace, position };
                if asserted { Held::of_expr(expr, expr.value(&state), position) } else { Held::Nothing }
            }
            Part::Transient { next, function } => applied(function, &self.later[next.index()], position),
            Part::And { function, left, right } => self.joined(id, function, (*left, *right), Join::And, position),
            Part::Or { function, left, right } => self.joined(id, function, (*left, *right), Join::Or, position),
            Part::Apply { function: Unary::Begin(collector), part } => match self.held(*part) {
                Held::Nothing => {
                    self.collections.insert(*part, Accumulator::new(collector));
                    Held::Collection(*part)
                }
                held => held.clone(),
            },
            Part::Apply { function: Unary::Finish(_), part } => match self.held(*part) {
                Held::Collection(collection) => Held::of(self.collections[collection].value(position)),
                held => held.clone(),
            },
            Part::Apply { function, part } => applied(function, self.held(*part), position),
            Part::Window { .. } => unreachable!("windows are for who follows a trace"),
        }
    }

    fn joined(
        &mut self,
        id: PartId,
        function: &Binary,
        (left, right): (PartId, PartId),
        join: Join,
        position: usize,
    ) -> Held {
        let Binary::Collect(collector) = function else {
            return joined(join, function, self.held(left), self.held(right), position);
        };
        let (left, right) = (self.held(left).clone(), self.held(right).clone());
        let again = match left {
            Held::Collection(_) => self.collections.remove(&id),
            Held::Failed(_) if !matches!(right, Held::Failed(_)) => return left,
            _ => None,
        };
        self.collected(id, again, right, || Accumulator::new(collector), position)
    }

    /// The collection of a part with a value taken into it.
    fn collected(
        &mut self,
        id: PartId,
        again: Option<Accumulator>,
        value: Held,
        new: impl FnOnce() -> Accumulator,
        position: usize,
    ) -> Held {
        let accumulator = match (value, again) {
            (failed @ Held::Failed(_), _) => return failed,
            (Held::Value(value), again) => {
                let mut accumulator = again.unwrap_or_else(new);
                accumulator.add(&value, End::Front, position);
                accumulator
            }
            (_, Some(again)) => again,
            (_, None) => return Held::Nothing,
        };
        self.collections.insert(id, accumulator);
        Held::Collection(id)
    }
}
