//! The whole automaton as a table: one entry for each state and each class of letters.

use super::letters::{Blocks, LetterBits};
use crate::automaton::deterministic::{Deterministic, StateId, Target};
use rustc_hash::FxHashMap;
use traceward_logic::letter::Proposition;
use traceward_logic::verdict::Verdict;

/// A state, as small as can be: what a step costs is the memory that the table takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SmallState(u16);

impl SmallState {
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Dense {
    automaton: Deterministic,
    classes: Classes,
    /// For each state, for each class of letters, the next state.
    table: NextStates,
    /// The same for several letters at once, where that is small.
    strides: Option<Strides>,
    verdicts: Vec<Verdict>,
}

/// The states that rows and classes lead to, in as few bytes as they take.
#[derive(Clone, Debug)]
enum NextStates {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl NextStates {
    fn new(entries: Vec<SmallState>, states: usize) -> Self {
        match u8::try_from(states - 1) {
            Ok(_) => Self::Narrow(entries.into_iter().map(|SmallState(state)| state as u8).collect()),
            Err(_) => Self::Wide(entries.into_iter().map(|SmallState(state)| state).collect()),
        }
    }

    #[inline]
    fn get(&self, index: usize) -> SmallState {
        SmallState(match self {
            Self::Narrow(entries) => u16::from(entries[index]),
            Self::Wide(entries) => entries[index],
        })
    }

    /// Reads letters whose classes are known, out of `count`.
    fn run(&self, at: SmallState, classes: &[u32], count: usize) -> SmallState {
        fn walk<T: Copy + Into<u16>>(entries: &[T], at: SmallState, classes: &[u32], count: usize) -> SmallState {
            classes.iter().fold(at, |at, class| SmallState(entries[at.index() * count + *class as usize].into()))
        }
        match self {
            Self::Narrow(entries) => walk(entries, at, classes, count),
            Self::Wide(entries) => walk(entries, at, classes, count),
        }
    }
}

/// A step waits for the one before it, and what it waits for is memory: where a table for several
/// letters at once fits the first-level cache, that is waited for less often.
#[derive(Clone, Debug)]
struct Strides {
    /// The number of letters that a step takes.
    letters: usize,
    /// Classes of that many letters in a row.
    classes: usize,
    /// For each state, for each class of letters in a row, the next state.
    table: Vec<SmallState>,
}

/// The number of entries that a table of several letters at once may have: 16 KiB.
const MOST_STRIDE_ENTRIES: usize = 4096;

/// The limits of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableLimits {
    /// The number of entries that the table may have.
    pub(super) entries: usize,
    /// The number of bytes that making the table may take.
    pub(super) memory: usize,
}

/// Letters that lead everywhere to the same states are of one class. A letter is read a byte at a
/// time, and what was read so far is of a class too.
#[derive(Clone, Debug)]
struct Classes {
    count: usize,
    /// For each byte of a letter: for the class of what was read before, and the byte, the class of
    /// both together.
    by_byte: Vec<Vec<u32>>,
}

/// The number of targets that may be compared to find the classes.
const MOST_COMPARED: usize = 1 << 23;

/// For each class before a proposition is looked at, the classes where it does not hold and where
/// it does.
type LevelClasses = Vec<[u32; 2]>;

/// Looks at one more proposition. A class is told by where each state is led so far.
fn split(
    automaton: &Deterministic,
    proposition: Proposition,
    classes: &[Vec<Target>],
) -> (LevelClasses, Vec<Vec<Target>>) {
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
fn byte_table(starts: usize, levels: &[LevelClasses]) -> Vec<u32> {
    let walk = |start: u32, byte: usize| {
        levels.iter().enumerate().fold(start, |class, (bit, level)| level[class as usize][byte >> bit & 1])
    };
    (0..starts as u32).flat_map(|start| (0..256).map(move |byte| walk(start, byte))).collect()
}

impl Dense {
    /// The table of an automaton, unless it would be too large.
    pub(super) fn new(automaton: Deterministic, limits: TableLimits) -> Option<Self> {
        u16::try_from(automaton.states().len()).ok()?;
        let (classes, columns) = Classes::of(&automaton, limits)?;
        let (states, count) = (automaton.states().len(), classes.count);
        let mut table = Vec::with_capacity(states * count);
        for state in 0..states {
            table.extend(columns.iter().map(|column| SmallState(column[state].index() as u16)));
        }
        let strides = Strides::new(states, count, &table);
        let table = NextStates::new(table, states);
        let verdicts = automaton.state_ids().map(|state| automaton.verdict(state)).collect();
        Some(Self { automaton, classes, table, strides, verdicts })
    }

    pub(super) fn automaton(&self) -> &Deterministic {
        &self.automaton
    }

    pub(super) fn start(&self) -> SmallState {
        SmallState(0)
    }

    /// The state of an index.
    pub(super) fn state(&self, index: usize) -> SmallState {
        SmallState(index as u16)
    }

    pub(super) fn verdict(&self, state: SmallState) -> Verdict {
        self.verdicts[state.index()]
    }

    #[inline]
    pub(super) fn step(&self, at: SmallState, row: &LetterBits) -> SmallState {
        let class = self.classes.of_letter(|index| row.byte(index));
        self.next(at, class)
    }

    #[inline]
    fn next(&self, at: SmallState, class: u32) -> SmallState {
        self.table.get(at.index() * self.classes.count + class as usize)
    }

    /// Reads all letters; what is certain then, and since which position if that is final.
    pub(super) fn run(&self, mut at: SmallState, mut blocks: Blocks) -> (Verdict, Option<usize>) {
        let mut classes = [0_u32; 64];
        while let Some(block) = blocks.next() {
            self.classes.of_block(block.bytes, &mut classes);
            let before = at;
            at = match (&self.strides, block.len) {
                (Some(strides), 64) => strides.run(at, &classes, self.classes.count),
                (_, len) => self.table.run(at, &classes[..len], self.classes.count),
            };
            // A final state is never left, so it is enough to look for one now and then.
            if self.verdict(at).is_final() {
                let mut at = before;
                for (offset, class) in classes[..block.len].iter().enumerate() {
                    at = self.next(at, *class);
                    if self.verdict(at).is_final() {
                        return (self.verdict(at), Some(block.start + offset));
                    }
                }
            }
        }
        (self.verdict(at), None)
    }
}

impl Strides {
    fn new(states: usize, count: usize, table: &[SmallState]) -> Option<Self> {
        let fits = |letters: &u32| {
            count
                .checked_pow(*letters)
                .and_then(|classes| classes.checked_mul(states))
                .is_some_and(|entries| entries <= MOST_STRIDE_ENTRIES)
        };
        let letters = [8, 4, 2].into_iter().find(fits)?;
        let classes = count.pow(letters);
        let mut entries = Vec::with_capacity(states * classes);
        for state in 0..states {
            for class in 0..classes {
                let mut at = state;
                // The first letter is the most significant digit.
                for place in (0..letters).rev() {
                    let digit = class / count.pow(place) % count;
                    at = table[at * count + digit].index();
                }
                entries.push(SmallState(at as u16));
            }
        }
        Some(Self { letters: letters as usize, classes, table: entries })
    }

    /// Reads a full block.
    #[inline]
    fn run(&self, at: SmallState, classes: &[u32; 64], count: usize) -> SmallState {
        match self.letters {
            8 => self.run_by::<8>(at, classes, count),
            4 => self.run_by::<4>(at, classes, count),
            _ => self.run_by::<2>(at, classes, count),
        }
    }

    #[inline]
    fn run_by<const LETTERS: usize>(&self, at: SmallState, classes: &[u32; 64], count: usize) -> SmallState {
        classes.chunks_exact(LETTERS).fold(at, |at, letters| {
            let class = letters.iter().fold(0, |class, letter| class * count + *letter as usize);
            self.table[at.index() * self.classes + class]
        })
    }
}

impl Classes {
    /// The classes of letters, and for each the state that each state goes to.
    fn of(automaton: &Deterministic, limits: TableLimits) -> Option<(Self, Vec<Vec<StateId>>)> {
        let propositions = automaton.relevant();
        let mut roots: Vec<Target> = automaton.states().iter().map(|state| state.successors).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut prefixes = vec![roots.clone()];
        let mut compared = 0;
        let mut by_byte = Vec::new();
        for eight in propositions.chunks(8) {
            let starts = prefixes.len();
            let mut levels: Vec<LevelClasses> = Vec::new();
            for &proposition in eight {
                compared += prefixes.len() * roots.len();
                // Each class becomes two at the most, which are kept twice until they are known to
                // differ.
                let live = 5 * prefixes.len() * roots.len() * size_of::<Target>();
                if compared > MOST_COMPARED || live > limits.memory {
                    return None;
                }
                let (level, below) = split(automaton, proposition, &prefixes);
                levels.push(level);
                prefixes = below;
            }
            by_byte.push(byte_table(starts, &levels));
        }
        if prefixes.len() * automaton.states().len() > limits.entries {
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

    /// The classes of the letters of a block. They do not depend on each other, so the processor
    /// may look up many at once.
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
