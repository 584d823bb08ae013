//! The measures X, Y and C, which the theorems on metric automata are about.

use super::{Clock, Condition, Kind, Metric};
use crate::automaton::alternating::ConditionId;

impl Metric {
    /// X, the size |𝒜|: its nodes and the connectives between them.
    pub fn size(&self) -> usize {
        self.nodes.len() + self.condition_ids().filter(|&id| self.is_connective(id)).count()
    }

    /// Y, how much of the size is in sub-automata that have run out some time after they were
    /// entered: those of operators with a finite bound that have only such operators inside. What
    /// several of them share is counted once.
    pub fn finitely_bounded_size(&self) -> usize {
        let endless = self.endless();
        let mut seen = Seen { outside: vec![false; self.conditions.len()], inside: vec![false; self.conditions.len()] };
        let mut open = vec![(self.root, Enclosure::Outside)];
        while let Some((id, enclosure)) = open.pop() {
            let enters = matches!(self.condition(id), Condition::Metric(..)) && !endless[id.index()];
            let enclosure = if enters { Enclosure::Inside } else { enclosure };
            if !std::mem::replace(&mut seen.of(enclosure)[id.index()], true) {
                open.extend(self.parts(id).map(|part| (part, enclosure)));
            }
        }
        let counts = |&id: &ConditionId| self.is_connective(id) || matches!(self.condition(id), Condition::Node(_));
        self.condition_ids().filter(|id| seen.inside[id.index()]).filter(counts).count()
    }

    /// C, the largest constant in the formula, ∞ left out. Clocks may be set to less: that of
    /// `F[7,9]` counts 7 steps and then 2.
    pub fn largest_constant(&self) -> u64 {
        self.largest_constant
    }

    fn is_connective(&self, id: ConditionId) -> bool {
        matches!(self.condition(id), Condition::And(..) | Condition::Or(..))
    }

    /// What a condition is made of; what comes after a timer is part of it.
    fn parts(&self, id: ConditionId) -> impl Iterator<Item = ConditionId> + use<> {
        let (first, second) = match self.condition(id) {
            Condition::Empty => (None, None),
            Condition::Node(node) => match self.node(node).kind {
                Kind::Leaf(_) => (None, None),
                Kind::Timer { next, .. } => (Some(next), None),
            },
            Condition::And(left, right) | Condition::Or(left, right) => (Some(left), Some(right)),
            Condition::Metric(_, inner) => (Some(inner), None),
        };
        first.into_iter().chain(second)
    }

    /// By the index of the condition, whether some clock in it never runs out.
    pub(crate) fn endless(&self) -> Vec<bool> {
        let mut wholes: Vec<Vec<ConditionId>> = vec![Vec::new(); self.conditions.len()];
        for id in self.condition_ids() {
            self.parts(id).for_each(|part| wholes[part.index()].push(id));
        }
        let sets_infinite = |&id: &ConditionId| matches!(self.condition(id), Condition::Metric(clock, _) if self.clock(clock) == Clock::INFINITE);
        let mut endless = vec![false; self.conditions.len()];
        let mut open: Vec<ConditionId> = self.condition_ids().filter(sets_infinite).collect();
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut endless[id.index()], true) {
                open.extend(&wholes[id.index()]);
            }
        }
        endless
    }
}

#[derive(Clone, Copy)]
enum Enclosure {
    /// The condition is in no sub-automaton that runs out.
    Outside,
    /// The condition is in a sub-automaton that runs out.
    Inside,
}

/// The conditions that were met, by their index.
struct Seen {
    outside: Vec<bool>,
    inside: Vec<bool>,
}

impl Seen {
    fn of(&mut self, enclosure: Enclosure) -> &mut [bool] {
        match enclosure {
            Enclosure::Outside => &mut self.outside,
            Enclosure::Inside => &mut self.inside,
        }
    }
}
