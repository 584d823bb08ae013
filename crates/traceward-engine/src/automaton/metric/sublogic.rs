//! The sublogics of bounded temporal logic: definitions 3.11 and 4.8 of the thesis.

use std::fmt;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Node, Unit};

/// A part of bounded temporal logic, from which follows what the algorithms on metric automata
/// cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sublogic {
    /// Linear temporal logic: no operator has a bound.
    Ltl,
    /// Finitely bounded: every operator has a finite bound.
    Fbtl,
    /// Slightly restricted: no operator without an end inside one with a bound.
    Sbtl,
    /// All of bounded temporal logic.
    Btl,
}

impl Sublogic {
    /// The name that the thesis gives the sublogic.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ltl => "LTL",
            Self::Fbtl => "FBTL",
            Self::Sbtl => "SBTL",
            Self::Btl => "BTL",
        }
    }

    /// The words for what makes a formula one of the sublogic.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Ltl => "no operator has a bound",
            Self::Fbtl => "every operator has a finite bound",
            Self::Sbtl => "operators without an end stand only outside of bounded ones",
            Self::Btl => "operators without an end stand inside of bounded ones, or begin late",
        }
    }

    /// The space that the generic algorithm needs, by theorem 4.7. X is the size of the automaton,
    /// Y how much of it is finitely bounded, and C the largest constant in it.
    pub fn space(self) -> &'static str {
        match self {
            Self::Ltl => "O(2^X)",
            Self::Fbtl => "O(X³·(C+1)²)",
            Self::Sbtl => "O(X·(C+2)·(2^(2(X-Y)) + (C+1)·Y²))",
            Self::Btl => "O(X·(C+1)·((C+2)^(2(X-Y)) + (C+1)·Y²))",
        }
    }

    /// The time that the generic algorithm needs for the trace ρ, by theorem 4.8.
    pub fn time(self) -> &'static str {
        match self {
            Self::Ltl => "O(|ρ|·2^X)",
            Self::Fbtl => "O(X³·(C+1)²)",
            Self::Sbtl => "O(|ρ|·(2^(2(X-Y)) + (C+1)·Y²))",
            Self::Btl => "O(|ρ|·((C+2)^(2(X-Y)) + (C+1)·Y²))",
        }
    }
}

impl fmt::Display for Sublogic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The least sublogic that a formula is of; none if it has bounds in time. `X` is a step in each of
/// them, and past operators are propositions.
pub fn sublogic(formulas: &Formulas, root: FormulaId) -> Option<Sublogic> {
    let parts = super::future_parts(formulas, root);
    // By the index of the formula, what it has inside: operators with a bound, and such without an
    // end.
    let mut inside = vec![Inside::default(); formulas.len()];
    for part in parts {
        let node = formulas.node(part);
        if node.direction() == Some(Direction::Past) {
            continue;
        }
        let below = node.children().fold(Inside::default(), |all, child| all.and(inside[child.index()]));
        inside[part.index()] = below.and(own(node, below)?);
    }
    let Inside { bounded, endless, unrestricted } = inside[root.index()];
    Some(match (bounded, endless, unrestricted) {
        (false, ..) => Sublogic::Ltl,
        (true, false, _) => Sublogic::Fbtl,
        (true, true, false) => Sublogic::Sbtl,
        (true, true, true) => Sublogic::Btl,
    })
}

#[derive(Clone, Copy, Default)]
struct Inside {
    /// An operator with a bound.
    bounded: bool,
    /// An operator without an end.
    endless: bool,
    /// Something that SBTL does not allow.
    unrestricted: bool,
}

impl Inside {
    fn and(self, other: Self) -> Self {
        Self {
            bounded: self.bounded || other.bounded,
            endless: self.endless || other.endless,
            unrestricted: self.unrestricted || other.unrestricted,
        }
    }
}

/// What an operator adds to what is below it; none for a bound in time.
fn own(node: Node, below: Inside) -> Option<Inside> {
    let Some(interval) = node.interval() else { return Some(Inside::default()) };
    if interval.unit == Unit::Time {
        return None;
    }
    Some(Inside {
        bounded: !interval.is_all(),
        endless: interval.to.is_none(),
        // `[a,∞]` is a delay before an operator without an end.
        unrestricted: !interval.is_all() && (interval.to.is_none() || below.endless),
    })
}
