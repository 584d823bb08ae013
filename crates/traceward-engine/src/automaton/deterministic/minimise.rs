//! Merging states that no continuation tells apart.
//!
//! States are sorted into classes, by acceptance to begin with; then by the class they are in together with their diagram of successors, in
//! which states are replaced by their classes, until that makes no more classes. Equal diagrams have equal ids, so comparing
//! two states is comparing two numbers, whatever the number of letters.

use super::{Deterministic, State, StateId, Target, Test, Tests};
use rustc_hash::FxHashMap;

/// The same automaton with as few states as possible.
pub(super) fn minimal(automaton: Deterministic) -> Deterministic {
    let mut classes: Vec<StateId> = automaton.states.iter().map(|state| StateId(u32::from(state.accepting))).collect();
    let mut count = distinct(&classes);
    loop {
        let (_, successors) = in_classes(&automaton, &classes);
        let mut ids = FxHashMap::default();
        let refined = classes.iter().zip(&successors).map(|(class, successors)| {
            let next = StateId(ids.len() as u32);
            *ids.entry((*class, *successors)).or_insert(next)
        });
        classes = refined.collect();
        if ids.len() == count {
            return merged(&automaton, &classes);
        }
        count = ids.len();
    }
}

fn distinct(classes: &[StateId]) -> usize {
    let mut sorted = classes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// The successors of all states with classes for states.
fn in_classes(automaton: &Deterministic, classes: &[StateId]) -> (Tests, Vec<Target>) {
    let mut tests = Tests::default();
    let mut replaced: Vec<Target> = Vec::with_capacity(automaton.tests.len());
    let replace = |target: Target, replaced: &[Target]| match target {
        Target::State(state) => Target::State(classes[state.index()]),
        Target::Test(index) => replaced[index as usize],
    };
    for test in &automaton.tests {
        let (low, high) = (replace(test.low, &replaced), replace(test.high, &replaced));
        replaced.push(tests.make(Test { low, high, ..*test }));
    }
    let successors = automaton.states.iter().map(|state| replace(state.successors, &replaced)).collect();
    (tests, successors)
}

/// One state for each class, numbered in the order in which letters lead to them.
fn merged(automaton: &Deterministic, classes: &[StateId]) -> Deterministic {
    let (tests, successors) = in_classes(automaton, classes);
    let mut of_class: FxHashMap<StateId, State> = FxHashMap::default();
    for ((class, state), successors) in classes.iter().zip(&automaton.states).zip(successors) {
        of_class.entry(*class).or_insert(State { accepting: state.accepting, successors });
    }
    let mut numbering = Numbering { old: &tests, of_class, numbers: FxHashMap::default(), order: Vec::new() };
    numbering.number(classes[0]);
    let mut new_tests = Tests::default();
    let mut done: FxHashMap<Target, Target> = FxHashMap::default();
    let mut states = Vec::new();
    while let Some(&class) = numbering.order.get(states.len()) {
        let State { accepting, successors } = numbering.of_class[&class];
        let successors = numbering.rewrite(successors, &mut new_tests, &mut done);
        states.push(State { accepting, successors });
    }
    Deterministic { propositions: automaton.propositions, tests: new_tests.list, states }
}

struct Numbering<'a> {
    old: &'a Tests,
    of_class: FxHashMap<StateId, State>,
    numbers: FxHashMap<StateId, StateId>,
    order: Vec<StateId>,
}

impl Numbering<'_> {
    fn number(&mut self, class: StateId) -> StateId {
        let next = StateId(self.order.len() as u32);
        *self.numbers.entry(class).or_insert_with(|| {
            self.order.push(class);
            next
        })
    }

    /// No deeper than there are propositions in a row.
    fn rewrite(&mut self, target: Target, tests: &mut Tests, done: &mut FxHashMap<Target, Target>) -> Target {
        if let Some(&known) = done.get(&target) {
            return known;
        }
        let made = match target {
            Target::State(class) => Target::State(self.number(class)),
            Target::Test(index) => {
                let test = self.old.list[index as usize];
                let low = self.rewrite(test.low, tests, done);
                let high = self.rewrite(test.high, tests, done);
                tests.make(Test { low, high, ..test })
            }
        };
        done.insert(target, made);
        made
    }
}
