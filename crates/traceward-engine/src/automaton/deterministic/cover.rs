//! Short labels: which letters lead from one state to another, as an irredundant sum of products
//! (Minato and Morreale).

use super::{Deterministic, StateId, Target};
use crate::automaton::diagram::{DiagramLimits, Diagrams, Level, Overflow, Ref};
use rustc_hash::FxHashMap;
use traceward_logic::letter::Proposition;

/// Literals that hold together: propositions, and whether they hold. The empty product is true.
pub type Product = Vec<(Proposition, bool)>;

/// The number of diagrams that short labels may take: enough for any that somebody would read.
/// Beyond it a label is written as one product for each path.
const MOST_NODES: usize = 1 << 20;

/// The work that may still be done for labels: looks at diagrams, and literals written.
///
/// A label may be exponential in the formula: that an odd number of n propositions holds is 2^(n-1)
/// products.
pub(super) struct Work(pub(super) u64);

impl Work {
    fn spend(&mut self, steps: usize) -> Result<(), NoLabel> {
        self.0 = self.0.checked_sub(steps as u64).ok_or(NoLabel::Work)?;
        Ok(())
    }
}

/// The reason why there is no label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoLabel {
    Diagrams,
    Work,
}

impl From<Overflow> for NoLabel {
    fn from(_: Overflow) -> Self {
        Self::Diagrams
    }
}

pub(super) fn edges(
    automaton: &Deterministic,
    from: StateId,
    work: &mut Work,
) -> Result<Vec<(StateId, Vec<Product>)>, NoLabel> {
    let successors = automaton.state(from).successors;
    let targets = targets(automaton, successors, work)?;
    targets.into_iter().map(|to| Ok((to, label(automaton, successors, to, work)?))).collect()
}

/// The states that letters lead to, in order.
pub(super) fn targets(automaton: &Deterministic, successors: Target, work: &mut Work) -> Result<Vec<StateId>, NoLabel> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open = vec![successors];
    let mut states = Vec::new();
    while let Some(target) = open.pop() {
        if seen.insert(target) {
            work.spend(1)?;
            match target {
                Target::State(state) => states.push(state),
                Target::Test(index) => {
                    let test = automaton.tests[index as usize];
                    open.extend([test.low, test.high]);
                }
            }
        }
    }
    states.sort_unstable();
    Ok(states)
}

fn label(automaton: &Deterministic, successors: Target, to: StateId, work: &mut Work) -> Result<Vec<Product>, NoLabel> {
    let mut diagrams = Diagrams::new(DiagramLimits::of_nodes(MOST_NODES));
    let short = leads_to(automaton, &mut diagrams, successors, to, &mut FxHashMap::default(), work)
        .and_then(|letters| Cover { diagrams: &mut diagrams, work }.of(letters, letters))
        .map(|(products, _)| products);
    let mut products = match short {
        Err(NoLabel::Diagrams) => paths(automaton, successors, to, work)?,
        other => other?,
    };
    for product in &mut products {
        product.sort_unstable();
    }
    products.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| other.cmp(one)));
    Ok(products)
}

/// The letters that lead to a state.
fn leads_to(
    automaton: &Deterministic,
    diagrams: &mut Diagrams,
    target: Target,
    to: StateId,
    done: &mut FxHashMap<Target, Ref>,
    work: &mut Work,
) -> Result<Ref, NoLabel> {
    if let Some(&known) = done.get(&target) {
        return Ok(known);
    }
    work.spend(1)?;
    let made = match target {
        Target::State(state) => Ref::constant(state == to),
        Target::Test(index) => {
            let test = automaton.tests[index as usize];
            let low = leads_to(automaton, diagrams, test.low, to, done, work)?;
            let high = leads_to(automaton, diagrams, test.high, to, done, work)?;
            diagrams.test(Level::alone(test.proposition.0), low, high)?
        }
    };
    done.insert(target, made);
    Ok(made)
}

fn paths(automaton: &Deterministic, target: Target, to: StateId, work: &mut Work) -> Result<Vec<Product>, NoLabel> {
    work.spend(1)?;
    match target {
        Target::State(state) if state == to => Ok(vec![Product::new()]),
        Target::State(_) => Ok(Vec::new()),
        Target::Test(index) => {
            let test = automaton.tests[index as usize];
            let mut below = |target, holds| {
                let mut products = paths(automaton, target, to, work)?;
                work.spend(products.len())?;
                products.iter_mut().for_each(|product| product.push((test.proposition, holds)));
                Ok::<_, NoLabel>(products)
            };
            let mut products = below(test.low, false)?;
            products.extend(below(test.high, true)?);
            Ok(products)
        }
    }
}

struct Cover<'a> {
    diagrams: &'a mut Diagrams,
    work: &'a mut Work,
}

impl Cover<'_> {
    /// Products that cover at least `least` and at most `most`, and what exactly they cover.
    fn of(&mut self, least: Ref, most: Ref) -> Result<(Vec<Product>, Ref), NoLabel> {
        self.work.spend(1)?;
        if least == Ref::FALSE {
            return Ok((Vec::new(), Ref::FALSE));
        }
        if most == Ref::TRUE {
            return Ok((vec![Product::new()], Ref::TRUE));
        }
        let level = self.diagrams.level(least).min(self.diagrams.level(most));
        let (least_low, least_high) = (self.diagrams.low(least, level), self.diagrams.high(least, level));
        let (most_low, most_high) = (self.diagrams.low(most, level), self.diagrams.high(most, level));
        // The letters that only a product with the negated literal can cover, and those that only
        // one with the literal can.
        let only_low = self.without(least_low, most_high)?;
        let only_high = self.without(least_high, most_low)?;
        let (low_products, low) = self.of(only_low, most_low)?;
        let (high_products, high) = self.of(only_high, most_high)?;
        let rest_low = self.without(least_low, low)?;
        let rest_high = self.without(least_high, high)?;
        let rest = self.diagrams.or(rest_low, rest_high)?;
        let most_both = self.diagrams.and(most_low, most_high)?;
        let (mut products, both) = self.of(rest, most_both)?;
        self.work.spend(low_products.len() + high_products.len())?;
        let proposition = Proposition(level.chain);
        let with = |products: Vec<Product>, holds: bool| {
            products.into_iter().map(move |mut product| {
                product.push((proposition, holds));
                product
            })
        };
        products.extend(with(low_products, false).chain(with(high_products, true)));
        let (low, high) = (self.diagrams.or(low, both)?, self.diagrams.or(high, both)?);
        let covered = self.diagrams.variable(level)?;
        Ok((products, self.diagrams.ite(covered, high, low)?))
    }

    /// The diagram of `one & !other`.
    fn without(&mut self, one: Ref, other: Ref) -> Result<Ref, Overflow> {
        self.diagrams.ite(other, Ref::FALSE, one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether some product holds under the bits of a letter.
    fn holds(products: &[Product], letter: u32) -> bool {
        let literal = |&(proposition, holds): &(Proposition, bool)| (letter >> proposition.0 & 1 == 1) == holds;
        products.iter().any(|product| product.iter().all(literal))
    }

    #[test]
    fn covers_are_exact_and_none_of_their_products_is_redundant() {
        for function in 0_u32..1 << 16 {
            // All functions of four propositions, as truth tables; one in seven is plenty.
            if function % 7 != 3 {
                continue;
            }
            let mut diagrams = Diagrams::new(DiagramLimits::of_nodes(10_000));
            let mut of = Ref::FALSE;
            for letter in (0..16).filter(|letter| function >> letter & 1 == 1) {
                let mut minterm = Ref::TRUE;
                for proposition in 0..4 {
                    let variable = diagrams.variable(Level::alone(proposition)).unwrap();
                    let (high, low) =
                        if letter >> proposition & 1 == 1 { (minterm, Ref::FALSE) } else { (Ref::FALSE, minterm) };
                    minterm = diagrams.ite(variable, high, low).unwrap();
                }
                of = diagrams.or(of, minterm).unwrap();
            }
            let (products, covered) = Cover { diagrams: &mut diagrams, work: &mut Work(u64::MAX) }.of(of, of).unwrap();
            assert_eq!(covered, of);
            for letter in 0..16 {
                assert_eq!(holds(&products, letter), function >> letter & 1 == 1, "{function:b} {letter}");
            }
            for left_out in 0..products.len() {
                let mut fewer = products.clone();
                fewer.remove(left_out);
                let same = (0..16).all(|letter| holds(&fewer, letter) == (function >> letter & 1 == 1));
                assert!(!same, "{function:b} has a redundant product");
            }
        }
    }
}
