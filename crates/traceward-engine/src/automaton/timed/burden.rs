//! What a configuration owes, held against what another one owes.
//!
//! Whoever owes less has more ways on: every trace that settles some claims settles any part of
//! them. So a configuration is not followed if one of the same state was met whose claims are found
//! among its own, at moments that it allows. Formulas may make any number of claims, and yet no
//! search goes on for ever: claims in order of time are words over a finite alphabet, and of
//! infinitely many words one is contained in a later one (Higman, 1952). That is how the logic is
//! decided over finite traces (Ouaknine and Worrell, LMCS 3(1), 2007); there with regions in place
//! of zones.
//!
//! What is kept in mind for past operators is no claim but an answer to later ones, so it has to
//! be the same.

use super::literal::Literal;
use super::memory::{Mark, Memory};
use super::zone::Zone;
use traceward_logic::formula::Direction;

/// What a configuration keeps in mind.
pub(super) struct Burden {
    zone: Zone,
    /// For each position of the zone the claims since then, one bit each.
    claims: Vec<u64>,
    /// What past operators keep in mind, without the positions.
    answers: Vec<Memory>,
    /// The positions of the answers.
    answering: Vec<Mark>,
}

impl Burden {
    /// The number of literals whose claims can be told apart.
    pub(super) const MOST_LITERALS: usize = 32;

    pub(super) fn of(literals: &[Literal], memories: &[Memory], zone: &Zone) -> Self {
        let mut claims = vec![0; zone.now() + 1];
        let (mut answers, mut answering) = (Vec::new(), Vec::new());
        for (index, (literal, memory)) in literals.iter().zip(memories).enumerate() {
            if literal.direction == Direction::Past {
                let mut answer = memory.clone();
                answering.extend(answer.marks().map(std::mem::take));
                answers.push(answer);
                continue;
            }
            let waiting = memory.entries.iter().map(|entry| (entry, 0));
            let open = memory.open.iter().map(|entry| (entry, Self::MOST_LITERALS));
            for (entry, offset) in waiting.chain(open) {
                claims[usize::from(entry.at)] |= 1 << (index + offset);
            }
        }
        Self { zone: zone.clone(), claims, answers, answering }
    }

    /// Whether every trace that goes on from the other configuration goes on from this one: there
    /// is a position of the other one for each of this one, in the same order, with at least its
    /// claims, and with no moments but its own. `work` counts what is looked at.
    pub(super) fn is_lighter(&self, other: &Self, work: &mut usize) -> bool {
        *work += 1;
        let is_possible = self.answers == other.answers && self.all_claims() & !other.all_claims() == 0;
        is_possible && self.find(other, work)
    }

    fn all_claims(&self) -> u64 {
        self.claims.iter().fold(0, |all, claims| all | claims)
    }

    /// Looks for positions of the other configuration, newest first.
    fn find(&self, other: &Self, work: &mut usize) -> bool {
        let count = self.claims.len();
        // Where the positions before `count - found.len()` are still to be found.
        let mut found: Vec<usize> = Vec::with_capacity(count);
        let mut next = other.zone.now();
        loop {
            let place = count - 1 - found.len();
            let suits = |&at: &usize| self.suits(place, at, other, &found);
            *work += next + 1;
            match (0..=next).rev().find(suits) {
                Some(_) if place == 0 => return true,
                Some(at) => {
                    found.push(at);
                    next = at;
                }
                None => loop {
                    match found.pop() {
                        // Both end with the position that was read last.
                        None => return false,
                        Some(_) if found.is_empty() => return false,
                        Some(0) => {}
                        Some(at) => {
                            next = at - 1;
                            break;
                        }
                    }
                },
            }
        }
    }

    /// Whether a position of the other configuration can stand for one of this one, beside those
    /// that were found for the later ones.
    fn suits(&self, place: usize, at: usize, other: &Self, found: &[usize]) -> bool {
        let last = self.claims.len() - 1;
        let is_last = at == other.zone.now();
        let answers = || self.answering.iter().zip(&other.answering);
        self.claims[place] & !other.claims[at] == 0
            && (place != last || is_last)
            && answers().all(|(own, others)| usize::from(*own) != place || usize::from(*others) == at)
            && found.iter().enumerate().all(|(index, &later)| {
                let later_place = last - index;
                self.zone.allows(place, later_place, other.zone.bound(at, later))
                    && self.zone.allows(later_place, place, other.zone.bound(later, at))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::super::literal::{Help, Window};
    use super::super::memory::Entry;
    use super::super::zone::Bound;
    use super::*;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    use traceward_logic::formula::Strength;

    /// Moments that are tried.
    const MOMENTS: std::ops::RangeInclusive<i64> = 0..=3;

    /// Two literals of the future and one of the past.
    fn literals() -> Vec<Literal> {
        let literal = |direction| Literal {
            direction,
            strength: Strength::Strong,
            window: Window::Between(1, Some(2)),
            claim: Help::Constant(true),
            help: Help::Constant(true),
            other: Help::Constant(true),
        };
        vec![literal(Direction::Future), literal(Direction::Future), literal(Direction::Past)]
    }

    /// For each position which literals keep it in mind, and bounds on differences.
    type Drawn = (Vec<[bool; 3]>, Vec<(usize, usize, i64)>);

    fn drawn() -> impl Strategy<Value = Drawn> {
        let bound = (0_usize..4, 0_usize..4, -2_i64..3);
        (prop::collection::vec(any::<[bool; 3]>(), 1..4), prop::collection::vec(bound, 0..4))
    }

    fn burden((kept, bounds): &Drawn) -> Option<Burden> {
        let mut zone = (1..kept.len()).fold(Zone::first(), |zone, _| zone.advanced());
        for &(x, y, most) in bounds {
            if x < kept.len() && y < kept.len() && !zone.require(x, y, Bound::at_most(most)) {
                return None;
            }
        }
        let memory = |literal: usize| {
            let marks = (0..kept.len()).filter(|&at| kept[at][literal]);
            let mut memory = Memory::default();
            memory.entries.extend(marks.map(|at| Entry::new(at as Mark)));
            memory
        };
        Some(Burden::of(&literals(), &[0, 1, 2].map(memory), &zone))
    }

    /// All moments that the positions of a burden may have.
    fn all_moments(burden: &Burden) -> Vec<Vec<i64>> {
        let count = burden.claims.len();
        let later = |moments: Vec<i64>| MOMENTS.map(move |moment| [&moments[..], &[moment]].concat());
        let all = (0..count).fold(vec![Vec::new()], |all, _| all.into_iter().flat_map(later).collect());
        let is_within = |moments: &Vec<i64>| {
            let mut pairs = (0..count).flat_map(|x| (0..count).map(move |y| (x, y)));
            pairs.all(|(x, y)| burden.zone.allows(x, y, Bound::at_most(moments[x] - moments[y])))
        };
        all.into_iter().filter(is_within).collect()
    }

    /// Whether one owes no more than another at these moments of both, and answers the same.
    fn owes_less(one: &Burden, moments: &[i64], other: &Burden, others: &[i64]) -> bool {
        let at = |burden: &Burden, moments: &[i64], now: i64| {
            let claims = burden.claims.iter().zip(moments).filter(|(_, moment)| **moment == now);
            claims.fold(0, |all, (claims, _)| all | claims)
        };
        let answering = |burden: &Burden, moments: &[i64]| -> Vec<i64> {
            burden.answering.iter().map(|mark| moments[usize::from(*mark)]).collect()
        };
        moments.last() == others.last()
            && answering(one, moments) == answering(other, others)
            && MOMENTS.into_iter().all(|now| at(one, moments, now) & !at(other, others, now) == 0)
    }

    /// Whoever is lighter has, for all moments of the other one, some of its own at which it owes
    /// no more.
    #[test]
    fn whoever_is_lighter_owes_less_at_all_moments() {
        let mut runner = TestRunner::deterministic();
        let mut lighter = 0;
        for _ in 0..30_000 {
            let [one, other] = [(), ()].map(|()| drawn().new_tree(&mut runner).unwrap().current());
            let (Some(one), Some(other)) = (burden(&one), burden(&other)) else { continue };
            if one.is_lighter(&other, &mut 0) {
                let own = all_moments(&one);
                for others in all_moments(&other) {
                    let is_possible = own.iter().any(|own| owes_less(&one, own, &other, &others));
                    assert!(is_possible, "{:?} {:?}, {:?} {:?}", one.zone, one.claims, other.zone, other.claims);
                }
                lighter += 1;
            }
        }
        assert!(lighter > 1_000, "{lighter}");
    }

    /// Whoever makes one claim less is lighter.
    #[test]
    fn whoever_owes_a_part_is_lighter() {
        let mut runner = TestRunner::deterministic();
        for _ in 0..5_000 {
            let (kept, bounds) = drawn().new_tree(&mut runner).unwrap().current();
            let Some(all) = burden(&(kept.clone(), bounds.clone())) else { continue };
            for left_out in 0..kept.len() {
                let mut fewer = kept.clone();
                fewer[left_out][0] = false;
                let fewer = burden(&(fewer, bounds.clone())).unwrap();
                assert!(fewer.is_lighter(&all, &mut 0), "{kept:?} {bounds:?}");
            }
        }
    }
}
