//! Merging states that no continuation tells apart.
//!
//! States are sorted into classes, by acceptance to begin with; then by the class they are in
//! together with their diagram of successors, in which states are replaced by their classes, until
//! that makes no more classes. Equal diagrams have equal ids, so comparing two states is comparing
//! two numbers, whatever the number of letters.

use super::{Deterministic, PropositionTest, PropositionTests, State, StateId, Target};
use crate::limit::{Budget, Limit};
use rustc_hash::FxHashMap;

/// The number of rounds after which states seem to be told apart one by one, as those of a long
/// bound are.
const PATIENCE: usize = 16;

/// The work of looking at a test or a state once: it is looked up by its content.
const WORK_PER_TEST: u64 = 4;

/// The same automaton with as few states as possible.
pub(super) fn minimal(automaton: Deterministic, budget: &mut Budget) -> Result<Deterministic, Limit> {
    let mut classes: Vec<StateId> = automaton.states.iter().map(|state| StateId(u32::from(state.accepting))).collect();
    let mut count = distinct(&classes);
    for round in 1.. {
        budget.spend(WORK_PER_TEST * (automaton.tests.len() + automaton.states.len()) as u64)?;
        let (_, successors) = in_classes(&automaton, &classes);
        let (finer, new_count) = refined(classes.iter().zip(&successors));
        classes = finer;
        if new_count == count {
            break;
        }
        count = new_count;
        if round == PATIENCE {
            let distances = distances(&automaton);
            (classes, count) = refined(classes.iter().zip(&distances));
        }
    }
    Ok(merged(&automaton, &classes))
}

/// A class for each different key.
fn refined<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> (Vec<StateId>, usize) {
    let mut ids = FxHashMap::default();
    let class = |key: K| {
        let next = StateId(ids.len() as u32);
        *ids.entry(key).or_insert(next)
    };
    let classes = keys.map(class).collect();
    (classes, ids.len())
}

/// For each state, its distances to two kinds of states: those that cannot reach an accepting
/// state, and those that cannot reach a rejecting one. States that no continuation tells apart are
/// equally far from both.
fn distances(automaton: &Deterministic) -> Vec<[u32; 2]> {
    let before = predecessors(automaton);
    let to_final = [true, false].map(|accepting| {
        let start = (0..automaton.states.len()).filter(|state| automaton.states[*state].accepting == accepting);
        let reaches = steps_to(start.collect(), &before);
        let never = (0..automaton.states.len()).filter(|state| reaches[*state] == u32::MAX);
        steps_to(never.collect(), &before)
    });
    (0..automaton.states.len()).map(|state| [to_final[0][state], to_final[1][state]]).collect()
}

/// For each state, the states from which a letter leads to it.
fn predecessors(automaton: &Deterministic) -> Vec<Vec<u32>> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); automaton.states.len()];
    let mut seen: Vec<u32> = vec![u32::MAX; automaton.tests.len()];
    for (index, state) in automaton.states.iter().enumerate() {
        let from = index as u32;
        let mut open = vec![state.successors];
        while let Some(target) = open.pop() {
            match target {
                Target::State(to) => before[to.index()].push(from),
                Target::Test(test) if std::mem::replace(&mut seen[test as usize], from) == from => {}
                Target::Test(test) => {
                    let PropositionTest { low, high, .. } = automaton.tests[test as usize];
                    open.extend([low, high]);
                }
            }
        }
    }
    before
}

/// For each state, how many steps it is from one of these; the greatest number there is if it
/// cannot be reached.
fn steps_to(goals: Vec<usize>, before: &[Vec<u32>]) -> Vec<u32> {
    let mut steps = vec![u32::MAX; before.len()];
    goals.iter().for_each(|goal| steps[*goal] = 0);
    let mut open = std::collections::VecDeque::from(goals);
    while let Some(state) = open.pop_front() {
        for &previous in &before[state] {
            if steps[previous as usize] == u32::MAX {
                steps[previous as usize] = steps[state] + 1;
                open.push_back(previous as usize);
            }
        }
    }
    steps
}

fn distinct(classes: &[StateId]) -> usize {
    let mut sorted = classes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// The successors of all states with classes for states.
fn in_classes(automaton: &Deterministic, classes: &[StateId]) -> (PropositionTests, Vec<Target>) {
    let mut tests = PropositionTests::default();
    let mut replaced: Vec<Target> = Vec::with_capacity(automaton.tests.len());
    let replace = |target: Target, replaced: &[Target]| match target {
        Target::State(state) => Target::State(classes[state.index()]),
        Target::Test(index) => replaced[index as usize],
    };
    for test in &automaton.tests {
        let (low, high) = (replace(test.low, &replaced), replace(test.high, &replaced));
        replaced.push(tests.make(PropositionTest { low, high, ..*test }));
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
    let mut new_tests = PropositionTests::default();
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
    old: &'a PropositionTests,
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

    /// The recursion is no deeper than there are propositions in a row.
    fn rewrite(
        &mut self,
        target: Target,
        tests: &mut PropositionTests,
        done: &mut FxHashMap<Target, Target>,
    ) -> Target {
        if let Some(&known) = done.get(&target) {
            return known;
        }
        let made = match target {
            Target::State(class) => Target::State(self.number(class)),
            Target::Test(index) => {
                let test = self.old.list[index as usize];
                let low = self.rewrite(test.low, tests, done);
                let high = self.rewrite(test.high, tests, done);
                tests.make(PropositionTest { low, high, ..test })
            }
        };
        done.insert(target, made);
        made
    }
}
