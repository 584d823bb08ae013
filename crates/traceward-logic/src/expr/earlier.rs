//! Expressions that speak of earlier states: how far back they look, and those that speak of one
//! earlier state only.

use super::{Arguments, Expr};

/// An expression that speaks of one earlier state and of no other: `past(x) > 5` is `x > 5`, one
/// state earlier.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// The expression as that state has it.
    pub expr: Expr,
    /// The number of states that it lies back.
    pub steps: u32,
}

impl Expr {
    /// Whether the expression speaks of the position of a state.
    pub fn counts_states(&self) -> bool {
        matches!(self, Self::Position) || self.parts().into_iter().any(Self::counts_states)
    }

    /// The number of states that the expression looks back at most; 0 if it speaks of its own state
    /// alone.
    pub fn reach(&self) -> u64 {
        let below = self.parts().into_iter().map(Self::reach).max().unwrap_or(0);
        match self {
            Self::Past(_, steps) => below + u64::from(*steps),
            _ => below,
        }
    }

    /// Whether the expression speaks of earlier states.
    pub fn looks_back(&self) -> bool {
        matches!(self, Self::Past(..)) || self.parts().into_iter().any(Self::looks_back)
    }

    /// The boolean expression as one of an earlier state, if it speaks of no other and fails where
    /// there is no such state, as comparisons do.
    pub fn as_earlier(&self) -> Option<Earlier> {
        let mut steps = None;
        if !self.looks_back_by(&mut steps) || self.holds(&Arguments(&[])) != Ok(false) {
            return None;
        }
        let mut expr = self.clone();
        expr.drop_past();
        steps.map(|steps| Earlier { expr, steps })
    }

    /// Whether all that the expression speaks of lies the same number of states back.
    fn looks_back_by(&self, steps: &mut Option<u32>) -> bool {
        match self {
            Self::Past(_, own) => *steps.get_or_insert(*own) == *own,
            Self::Variable(_) | Self::Position | Self::Time | Self::Parameter(_) => false,
            _ => self.parts().into_iter().all(|part| part.looks_back_by(steps)),
        }
    }

    /// Takes each outermost `past` away.
    fn drop_past(&mut self) {
        match self {
            Self::Past(a, _) => *self = std::mem::replace(a, Self::Position),
            _ => self.parts_mut().into_iter().for_each(Self::drop_past),
        }
    }

    /// Calls `visit` for every `past` in it, also for those inside others.
    pub fn for_each_past<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        if let Self::Past(..) = self {
            visit(self);
        }
        for part in self.parts() {
            part.for_each_past(visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::VariableId;
    use crate::value::CompareOp;

    fn x() -> Box<Expr> {
        Box::new(Expr::Variable(VariableId(0)))
    }

    fn past(expr: Box<Expr>, steps: u32) -> Box<Expr> {
        Box::new(Expr::Past(expr, steps))
    }

    fn less(a: Box<Expr>, b: Box<Expr>) -> Expr {
        Expr::Compare(CompareOp::Less, a, b)
    }

    #[test]
    fn an_expression_of_one_earlier_state_is_told_from_one_of_several() {
        let five = || Box::new(Expr::literal(5));
        let earlier = less(past(x(), 3), five()).as_earlier();
        assert_eq!(earlier, Some(Earlier { expr: less(x(), five()), steps: 3 }));
        assert_eq!(less(past(x(), 3), past(x(), 3)).as_earlier().map(|one| one.steps), Some(3));
        assert_eq!(less(past(x(), 3), past(x(), 2)).as_earlier(), None);
        assert_eq!(less(past(x(), 3), x()).as_earlier(), None);
        assert_eq!(less(past(x(), 3), Box::new(Expr::Position)).as_earlier(), None);
        assert_eq!(less(x(), five()).as_earlier(), None);
        assert_eq!(less(five(), five()).as_earlier(), None);
    }

    #[test]
    fn what_holds_without_an_earlier_state_is_not_one_of_an_earlier_state() {
        let either = Box::new(Expr::Or(vec![*past(x(), 1), Expr::literal(true)]));
        let expr = Expr::Compare(CompareOp::Equal, either, Box::new(Expr::literal(true)));
        assert_eq!(expr.as_earlier(), None);
    }

    #[test]
    fn reach_adds_up_inwards() {
        let inner = past(Box::new(less(past(x(), 3), x())), 4);
        assert_eq!(less(inner, past(x(), 5)).reach(), 7);
        assert_eq!(less(x(), x()).reach(), 0);
    }
}
