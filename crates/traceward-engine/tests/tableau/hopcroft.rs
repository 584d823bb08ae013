//! Minimisation against the plain definition: states are different if a word tells them apart.

use proptest::prelude::*;
use std::collections::BTreeMap;
use traceward_engine::automaton::subset::Table;

/// The number of states that some word tells apart from each other, by rounds as long as anything
/// changes (Moore).
fn classes(table: &Table) -> usize {
    let mut class: Vec<usize> = table.accepting.iter().map(|&accepting| usize::from(accepting)).collect();
    loop {
        let mut numbers: BTreeMap<(usize, Vec<usize>), usize> = BTreeMap::new();
        let signature = |state: usize| {
            let next = (0..table.letters).map(|letter| class[table.next(state as u32, letter) as usize]);
            (class[state], next.collect())
        };
        let refined: Vec<usize> = (0..table.states())
            .map(|state| {
                let fresh = numbers.len();
                *numbers.entry(signature(state)).or_insert(fresh)
            })
            .collect();
        let before = class.iter().collect::<std::collections::BTreeSet<_>>().len();
        class = refined;
        if numbers.len() == before {
            return before;
        }
    }
}

/// Whether two tables accept the same words: no pair reached by one word differs.
fn equivalent(one: &Table, other: &Table) -> bool {
    let mut seen = std::collections::BTreeSet::from([(one.initial, other.initial)]);
    let mut open = vec![(one.initial, other.initial)];
    while let Some((left, right)) = open.pop() {
        if one.accepting[left as usize] != other.accepting[right as usize] {
            return false;
        }
        for letter in 0..one.letters {
            let pair = (one.next(left, letter), other.next(right, letter));
            if seen.insert(pair) {
                open.push(pair);
            }
        }
    }
    true
}

fn table() -> impl Strategy<Value = Table> {
    (1_usize..40, 0_u32..3, 1_u32..10).prop_flat_map(|(states, propositions, rare)| {
        let letters = 1_usize << propositions;
        let accepting = proptest::collection::vec((0..rare).prop_map(|draw| draw == 0), states);
        // Few different targets, so that states are often equivalent.
        let next = proptest::collection::vec((0..states as u32, any::<bool>()), states * letters);
        (accepting, next).prop_map(move |(accepting, next)| {
            let next: Vec<u32> = next.into_iter().map(|(to, near)| if near { to / 4 } else { to }).collect();
            Table::new(letters, 0, &accepting, &next)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn minimal_tables_are_minimal_and_accept_the_same(table in table()) {
        let minimal = table.minimal();
        prop_assert_eq!(minimal.states(), classes(&table));
        prop_assert_eq!(classes(&minimal), minimal.states());
        prop_assert!(equivalent(&table, &minimal));
        prop_assert_eq!(minimal.minimal(), minimal);
    }

    #[test]
    fn numbering_does_not_matter(table in table(), seed in any::<u32>()) {
        let count = table.states() as u32;
        // A permutation: rotate, then reverse every other time.
        let renamed = |state: u32| {
            let rotated = (state + seed % count) % count;
            if seed % 2 == 0 { rotated } else { count - 1 - rotated }
        };
        let mut accepting = vec![false; table.states()];
        let mut next = vec![0; table.next.len()];
        for state in 0..count {
            accepting[renamed(state) as usize] = table.accepting[state as usize];
            for letter in 0..table.letters {
                next[renamed(state) as usize * table.letters + letter] = renamed(table.next(state, letter));
            }
        }
        prop_assert_eq!(Table::new(table.letters, renamed(table.initial), &accepting, &next), table);
    }
}

#[test]
fn a_chain_is_told_apart_from_its_end() {
    // The worst case for rounds: each tells only one more state apart.
    let states = 3000_u32;
    let accepting: Vec<bool> = (0..states).map(|state| state == states - 1).collect();
    let next: Vec<u32> = (0..states).map(|state| (state + 1).min(states - 1)).collect();
    let chain = Table::new(1, 0, &accepting, &next);
    assert_eq!(chain.minimal(), chain);
}
