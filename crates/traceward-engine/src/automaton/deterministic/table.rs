//! Deterministic automata made of tables, and tables made of them: where the two ways to a
//! deterministic automaton meet.

use super::super::subset::Table;
use super::{Deterministic, PropositionTest, PropositionTests, State, StateId, Target};
use traceward_logic::letter::Proposition;

/// The number of propositions up to which there is a table: with n it has 2^n letters.
const MOST_PROPOSITIONS: usize = 16;

impl Deterministic {
    /// The automaton of a table, with the states of the table. If the table is minimal, so is the
    /// automaton.
    pub fn of_table(table: &Table) -> Self {
        let propositions = table.letters.trailing_zeros() as usize;
        let mut tests = PropositionTests::default();
        let rows = table.next.chunks(table.letters);
        let states = rows.zip(&table.accepting).map(|(row, &accepting)| {
            let row = row.iter().map(|&state| Target::State(StateId(state))).collect();
            State { accepting, successors: tests.of_row(row, propositions) }
        });
        Self { propositions, states: states.collect(), tests: tests.list }
    }

    /// The table of the automaton; none if there are too many letters.
    pub fn table(&self) -> Option<Table> {
        if self.propositions > MOST_PROPOSITIONS {
            return None;
        }
        let letters = 1 << self.propositions;
        let row = |state| (0..letters).map(move |letter: usize| self.next(state, |one| letter >> one.index() & 1 == 1));
        let next: Vec<u32> = self.state_ids().flat_map(row).map(|state| state.0).collect();
        let accepting: Vec<bool> = self.states.iter().map(|state| state.accepting).collect();
        Some(Table::new(letters, 0, &accepting, &next))
    }
}

impl PropositionTests {
    /// The tests that tell the letters of a row apart, the last proposition at the bottom.
    fn of_row(&mut self, mut row: Vec<Target>, propositions: usize) -> Target {
        for proposition in (0..propositions).rev() {
            let (low, high) = row.split_at(1 << proposition);
            let test =
                |(&low, &high)| self.make(PropositionTest { proposition: Proposition(proposition as u32), low, high });
            row = low.iter().zip(high).map(test).collect();
        }
        row[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `a` has held in an even number of states; the second proposition makes no
    /// difference.
    #[test]
    fn a_table_becomes_tests_and_a_table_again() {
        let parity = Table { letters: 4, initial: 0, accepting: vec![true, false], next: vec![0, 1, 0, 1, 1, 0, 1, 0] };
        let automaton = Deterministic::of_table(&parity);
        assert_eq!(automaton.states().len(), 2);
        assert_eq!(automaton.relevant(), [Proposition(0)]);
        assert_eq!(automaton.table(), Some(parity));
    }
}
