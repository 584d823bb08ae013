//! The questions that past operators ask of the position before.
//!
//! `Y f` asks whether f held there, `f S g` whether `f S g` did. A state of the automaton claims an
//! answer to each such question that what it owes may lead to.

use super::gave_up;
use super::unfold::unfold;
use crate::limit::{BuildError, Limit, Limits};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Node};
use traceward_logic::pass::negation_normal_form;

/// A question to the position before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct ClaimId(u32);

impl ClaimId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula and its negation, both in negation normal form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub positive: FormulaId,
    pub negative: FormulaId,
}

type Needs = BTreeSet<ClaimId>;

/// All questions that the past operators of a formula may ask.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    pairs: Vec<Pair>,
    /// For each formula that is asked for, its question, and whether it is the positive one of the
    /// pair.
    asked: FxHashMap<FormulaId, (ClaimId, bool)>,
    /// The questions that a formula may lead to, now or later; only for formulas that lead to any.
    needs: FxHashMap<FormulaId, Needs>,
}

impl Claims {
    pub(super) fn new(formulas: &mut Formulas, root: FormulaId, limits: Limits) -> Result<Self, BuildError> {
        let mut claims = Self::default();
        let parts = claims.close(formulas, root, limits)?;
        claims.find_needs(formulas, &parts);
        Ok(claims)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn pair(&self, id: ClaimId) -> Pair {
        self.pairs[id.index()]
    }

    /// The question that a formula is, and the answer that means that it held.
    pub(super) fn question(&self, formula: FormulaId) -> Option<(ClaimId, bool)> {
        self.asked.get(&formula).copied()
    }

    /// The questions that these formulas may lead to.
    pub(super) fn needed(&self, formulas: &Formulas, owed: impl Iterator<Item = FormulaId>) -> Needs {
        let mut needed = Needs::new();
        for formula in owed {
            match self.needs.get(&formula) {
                Some(own) => needed.extend(own),
                // The formula has a shorter bound and was made since. It leads where its operands
                // lead.
                None => {
                    let below = formulas.node(formula).children().filter_map(|child| self.needs.get(&child));
                    below.for_each(|below| needed.extend(below));
                }
            }
        }
        needed
    }

    /// Finds all questions; returns the formulas that ask them or are asked for, with their parts,
    /// in order.
    fn close(
        &mut self,
        formulas: &mut Formulas,
        root: FormulaId,
        limits: Limits,
    ) -> Result<BTreeSet<FormulaId>, BuildError> {
        let mut known = BTreeSet::new();
        let mut open = formulas.parts(&[root]);
        open.reverse();
        while let Some(part) = open.pop() {
            if !known.insert(part) || formulas.node(part).direction() != Some(Direction::Past) {
                continue;
            }
            let Some(asked) = unfold(formulas, part).and_then(|unfolding| unfolding.rest) else { continue };
            if self.asked.contains_key(&asked) {
                continue;
            }
            if self.pairs.len() == limits.claims {
                return Err(gave_up(Limit::Claims(limits.claims)));
            }
            let pair = self.add(formulas, asked);
            let mut below = formulas.parts(&[pair.positive, pair.negative]);
            below.reverse();
            open.extend(below);
        }
        Ok(known)
    }

    fn add(&mut self, formulas: &mut Formulas, positive: FormulaId) -> Pair {
        let not = formulas.intern(Node::Not(positive));
        let pair = Pair { positive, negative: negation_normal_form(formulas, &[not])[0] };
        let id = ClaimId(self.pairs.len() as u32);
        self.asked.insert(pair.negative, (id, false));
        self.asked.insert(pair.positive, (id, true));
        self.pairs.push(pair);
        pair
    }

    fn find_needs(&mut self, formulas: &mut Formulas, parts: &BTreeSet<FormulaId>) {
        if self.is_empty() {
            return;
        }
        let direct = self.direct_needs(formulas, parts);
        let none = Needs::new();
        let of_claim: Vec<&Needs> = self.pairs.iter().map(|pair| direct.get(&pair.positive).unwrap_or(&none)).collect();
        for (&formula, own) in &direct {
            let mut all = own.clone();
            let mut open: Vec<ClaimId> = own.iter().copied().collect();
            while let Some(claim) = open.pop() {
                open.extend(of_claim[claim.index()].iter().copied().filter(|&further| all.insert(further)));
            }
            self.needs.insert(formula, all);
        }
    }

    /// The questions that each formula itself asks, with those of its parts.
    fn direct_needs(&self, formulas: &mut Formulas, parts: &BTreeSet<FormulaId>) -> FxHashMap<FormulaId, Needs> {
        let mut direct: FxHashMap<FormulaId, Needs> = FxHashMap::default();
        for &part in parts {
            let node = formulas.node(part);
            let mut own: Needs = node.children().filter_map(|child| direct.get(&child)).flatten().copied().collect();
            if node.direction() == Some(Direction::Past) {
                let asked = unfold(formulas, part).and_then(|unfolding| unfolding.rest);
                own.extend(asked.and_then(|asked| self.question(asked)).map(|(claim, _)| claim));
            }
            if !own.is_empty() {
                direct.insert(part, own);
            }
        }
        direct
    }
}
