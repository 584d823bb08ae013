//! Where the values of parts are asked: at position 0 only, or everywhere.

use crate::automaton::algebraic::{Algebraic, Collector, LoopKind, Part, PartId};
use rustc_hash::{FxHashMap, FxHashSet};
use traceward_logic::ast::Aggregate;

/// What is asked of the parts of an automaton.
#[derive(Clone, Debug, Default)]
pub(super) struct Demand {
    everywhere: FxHashSet<PartId>,
    /// The parts of loops.
    inside: FxHashSet<PartId>,
    /// For the head of each loop its index.
    heads: FxHashMap<PartId, usize>,
}

/// What a collection takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    One(PartId),
    /// Two parts side by side, for a correlation.
    Two(PartId, PartId),
}

impl Operand {
    /// What a collection takes that is asked at position 0 only: of a correlation both sides by
    /// themselves, so that nobody has to make pairs.
    pub fn of(automaton: &Algebraic, collector: &Collector, of: PartId) -> Self {
        match (collector, automaton.part(of)) {
            (Collector::Aggregate(Aggregate::Corr), Part::And { left, right, .. }) => Self::Two(*left, *right),
            _ => Self::One(of),
        }
    }
}

impl Demand {
    /// What is asked, if some parts are asked everywhere by somebody else.
    pub fn new(automaton: &Algebraic, everywhere: &FxHashSet<PartId>) -> Self {
        let mut demand = Self { everywhere: everywhere.clone(), ..Self::default() };
        for (index, one) in automaton.loops().iter().enumerate() {
            demand.heads.insert(one.head, index);
            let parts = automaton.part_ids().skip(one.first.index());
            demand.inside.extend(parts.take(one.head.index() - one.first.index() + 1));
        }
        // Operands have lower ids, so going down meets every part after all who ask for it.
        for id in automaton.part_ids().collect::<Vec<_>>().into_iter().rev() {
            demand.ask(automaton, id);
        }
        demand
    }

    /// Whether a part is asked at every position.
    pub fn is_everywhere(&self, id: PartId) -> bool {
        self.everywhere.contains(&id)
    }

    /// Whether a part is one of a loop, its head among them.
    pub fn is_inside(&self, id: PartId) -> bool {
        self.inside.contains(&id)
    }

    /// The loop of which a part is the head.
    pub fn loop_of<'a>(&self, automaton: &'a Algebraic, head: PartId) -> Option<&'a LoopKind> {
        self.heads.get(&head).map(|&index| &automaton.loops()[index].kind)
    }

    /// Asks for what a part needs: everywhere, if it is asked so itself or looks at other positions.
    fn ask(&mut self, automaton: &Algebraic, id: PartId) {
        let is_everywhere = self.is_everywhere(id);
        if let Some(kind) = self.loop_of(automaton, id) {
            match kind {
                LoopKind::Until { left, right } => self.everywhere.extend([id, *left, *right]),
                LoopKind::Collection { collector, of, condition } => {
                    let operand =
                        if is_everywhere { Operand::One(*of) } else { Operand::of(automaton, collector, *of) };
                    match operand {
                        Operand::One(of) => self.everywhere.extend([of]),
                        Operand::Two(left, right) => self.everywhere.extend([left, right]),
                    }
                    self.everywhere.extend(*condition);
                }
            }
            return;
        }
        match automaton.part(id) {
            _ if self.is_inside(id) => {}
            Part::Transient { next, .. } => self.everywhere.extend([id, *next]),
            Part::Window { of, .. } => self.everywhere.extend([id, *of]),
            Part::And { left, right, .. } | Part::Or { left, right, .. } if is_everywhere => {
                self.everywhere.extend([*left, *right]);
            }
            Part::Apply { part, .. } if is_everywhere => self.everywhere.extend([*part]),
            Part::Terminal { .. } | Part::And { .. } | Part::Or { .. } | Part::Apply { .. } => {}
        }
    }
}
