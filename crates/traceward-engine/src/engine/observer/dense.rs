//! The whole automaton as a table: one entry for each state and each class of letters.

use super::letters::{Blocks, Row};
use crate::automaton::deterministic::{Deterministic, StateId, Target};
use rustc_hash::FxHashMap;
use traceward_logic::letter::Proposition;
use traceward_logic::verdict::Verdict;

/// Where the row of a state begins in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RowStart(u32);

#[derive(Clone, Debug)]
pub(super) struct Dense {
    automaton: Deterministic,
    classes: Classes,
    /// For the row of each state, for each class of letters, the row of the next state.
    table: Vec<RowStart>,
    verdicts: Vec<Verdict>,
}

/// Letters that lead everywhere to the same states are of one class. A letter is read a byte at a time, and what was
/// read so far is of a class too.
#[derive(Clone, Debug)]
struct Classes {
    count: usize,
    /// For each byte of a letter: for the class of what was read before, and the byte, the class of both together.
    by_byte: Vec<Vec<u32>>,
}

/// How many targets may be compared to find the classes.
const MOST_COMPARED: usize = 1 << 23;

/// For each class before a proposition is looked at, the classes where it does not hold and where it does.
type Level = Vec<[u32; 2]>;

/// Looks at one more proposition. A class is told by where each state is led so far.
fn split(automaton: &Deterministic, proposition: Proposition, classes: &[Vec<Target>]) -> (Level, Vec<Vec<Target>>) {
    let mut below: Vec<Vec<Target>> = Vec::new();
    let mut ids: FxHashMap<Vec<Target>, u32> = FxHashMap::default();
    let step = |target: &Target, holds: bool| match *target {
        Target::Test(index) => match automaton.tests()[index as usize] {
            test if test.proposition != proposition => *target,
            test if holds => test.high,
            test => test.low,
        },
        state => state,
    };
    let level = classes.iter().map(|targets| {
        [false, true].map(|holds| {
            let targets: Vec<Target> = targets.iter().map(|target| step(target, holds)).collect();
            let fresh = below.len() as u32;
            *ids.entry(targets).or_insert_with_key(|targets| {
                below.push(targets.clone());
                fresh
            })
        })
    });
    let level = level.collect();
    (level, below)
}

/// For each class before a byte, for each value of the byte, the class behind it.
fn byte_table(starts: usize, levels: &[Level]) -> Vec<u32> {
    let walk = |start: u32, byte: usize| {
        levels.iter().enumerate().fold(start, |class, (bit, level)| level[class as usize][byte >> bit & 1])
    };
    (0..starts as u32).flat_map(|start| (0..256).map(move |byte| walk(start, byte))).collect()
}

impl Dense {
    /// The table of an automaton, unless it would be too large.
    pub(super) fn new(automaton: Deterministic, most_entries: usize) -> Option<Self> {
        let (classes, columns) = Classes::of(&automaton, most_entries)?;
        let (states, count) = (automaton.states().len(), classes.count);
        let mut table = Vec::with_capacity(states * count);
        for state in 0..states {
            table.extend(columns.iter().map(|column| RowStart((column[state].index() * count) as u32)));
        }
        let verdicts = automaton.state_ids().map(|state| automaton.verdict(state)).collect();
        Some(Self { automaton, classes, table, verdicts })
    }

    pub(super) fn automaton(&self) -> &Deterministic {
        &self.automaton
    }

    pub(super) fn start(&self) -> RowStart {
        RowStart(0)
    }

    pub(super) fn verdict(&self, RowStart(start): RowStart) -> Verdict {
        self.verdicts[start as usize / self.classes.count]
    }

    pub(super) fn step(&self, at: RowStart, row: &Row) -> RowStart {
        let class = self.classes.of_letter(|index| row.0[index]);
        self.next(at, class)
    }

    #[inline]
    fn next(&self, RowStart(start): RowStart, class: u32) -> RowStart {
        self.table[start as usize + class as usize]
    }

    /// Reads all letters; what is certain then, and since which position if that is final.
    pub(super) fn run(&self, mut at: RowStart, mut blocks: Blocks) -> (Verdict, Option<usize>) {
        let mut classes = [0_u32; 64];
        while let Some(block) = blocks.next() {
            self.classes.of_block(block.bytes, &mut classes);
            let before = at;
            for class in &classes[..block.len] {
                at = self.next(at, *class);
            }
            // A final state is never left, so it is enough to look for one now and then.
            if super::is_final(self.verdict(at)) {
                let mut at = before;
                for (offset, class) in classes[..block.len].iter().enumerate() {
                    at = self.next(at, *class);
                    if super::is_final(self.verdict(at)) {
                        return (self.verdict(at), Some(block.start + offset));
                    }
                }
            }
        }
        (self.verdict(at), None)
    }
}

impl Classes {
    /// The classes of letters, and for each the state that each state goes to.
    fn of(automaton: &Deterministic, most_entries: usize) -> Option<(Self, Vec<Vec<StateId>>)> {
        let propositions = automaton.relevant();
        let mut roots: Vec<Target> = automaton.states().iter().map(|state| state.successors).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut prefixes = vec![roots.clone()];
        let mut compared = 0;
        let mut by_byte = Vec::new();
        for eight in propositions.chunks(8) {
            let starts = prefixes.len();
            let mut levels: Vec<Level> = Vec::new();
            for &proposition in eight {
                let (level, below) = split(automaton, proposition, &prefixes);
                compared += prefixes.len() * roots.len();
                if compared > MOST_COMPARED {
                    return None;
                }
                levels.push(level);
                prefixes = below;
            }
            by_byte.push(byte_table(starts, &levels));
        }
        if prefixes.len() * automaton.states().len() > most_entries {
            return None;
        }
        let place = |target: Target| roots.binary_search(&target).expect("the roots are of all states");
        let places: Vec<usize> = automaton.states().iter().map(|state| place(state.successors)).collect();
        let state = |target: Target| match target {
            Target::State(state) => state,
            Target::Test(_) => unreachable!("all propositions have been looked at"),
        };
        let columns = prefixes.iter().map(|targets| places.iter().map(|place| state(targets[*place])).collect());
        Some((Self { count: prefixes.len(), by_byte }, columns.collect()))
    }

    #[inline]
    fn of_letter(&self, byte: impl Fn(usize) -> u8) -> u32 {
        let mut class = 0_u32;
        for (index, table) in self.by_byte.iter().enumerate() {
            class = table[class as usize * 256 + usize::from(byte(index))];
        }
        class
    }

    /// The classes of the letters of a block. They do not depend on each other, so the processor may look up many at once.
    #[inline]
    fn of_block(&self, bytes: &[[u8; 64]], classes: &mut [u32; 64]) {
        match (&self.by_byte[..], bytes) {
            ([], _) => classes.fill(0),
            ([only], [bytes]) => {
                for (class, byte) in classes.iter_mut().zip(bytes) {
                    *class = only[usize::from(*byte)];
                }
            }
            _ => {
                for (position, class) in classes.iter_mut().enumerate() {
                    *class = self.of_letter(|index| bytes[index][position]);
                }
            }
        }
    }
}
