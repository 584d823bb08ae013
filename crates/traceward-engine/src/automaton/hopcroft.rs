//! Minimisation by partition refinement: Hopcroft, *An n log n algorithm for minimizing states in a
//! finite automaton*, 1971.
//!
//! States are in one block until something tells them apart: first whether they accept, then
//! whether a letter leads into a block that splits others (a *splitter*). When a block falls in
//! two, the smaller half is enough of a splitter, unless the whole one still waits to be used:
//! hence every state is in log n splitters at the most.

use super::subset::Table;

/// The smallest table that accepts the same words.
pub fn minimal(table: &Table) -> Table {
    let blocks = equivalent(table);
    let count = blocks.iter().max().map_or(0, |&most| most as usize + 1);
    let mut accepting = vec![false; count];
    let mut next = vec![0; count * table.letters];
    for (state, &block) in blocks.iter().enumerate() {
        accepting[block as usize] = table.accepting[state];
        for letter in 0..table.letters {
            next[block as usize * table.letters + letter] = blocks[table.next(state as u32, letter) as usize];
        }
    }
    Table::new(table.letters, blocks[table.initial as usize], &accepting, &next)
}

/// For each state the block of states that accept the same words.
fn equivalent(table: &Table) -> Vec<u32> {
    let inverse = Inverse::new(table);
    let mut partition = Partition::new(table.states());
    let mut splitters = Splitters::default();
    splitters.add(0);
    let accepting = (0..table.states() as u32).filter(|&state| table.accepting[state as usize]);
    partition.split(accepting, &mut splitters);
    while let Some(block) = splitters.pop() {
        // A copy of the block as it stands now: if the block is split by itself, the rest is still
        // done with all of it.
        let splitter = partition.members(block).to_vec();
        for letter in 0..table.letters {
            let leading_in = splitter.iter().flat_map(|&state| inverse.sources(state, letter)).copied();
            partition.split(leading_in, &mut splitters);
        }
    }
    partition.block_of
}

/// The sources of each letter: the states for each target, one after another.
struct Inverse {
    letters: usize,
    /// For each target and letter, the index at which its sources begin; one more for the end.
    first: Vec<u32>,
    sources: Vec<u32>,
}

impl Inverse {
    fn new(table: &Table) -> Self {
        let letters = table.letters;
        let place = |entry: usize, target: u32| target as usize * letters + entry % letters;
        let mut first = vec![0; table.next.len() + 1];
        for (entry, &target) in table.next.iter().enumerate() {
            first[place(entry, target) + 1] += 1;
        }
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let mut free = first.clone();
        let mut sources = vec![0; table.next.len()];
        for (entry, &target) in table.next.iter().enumerate() {
            let slot = &mut free[place(entry, target)];
            sources[*slot as usize] = (entry / letters) as u32;
            *slot += 1;
        }
        Self { letters, first, sources }
    }

    fn sources(&self, target: u32, letter: usize) -> &[u32] {
        let place = target as usize * self.letters + letter;
        &self.sources[self.first[place] as usize..self.first[place + 1] as usize]
    }
}

/// The blocks still to be used.
#[derive(Default)]
struct Splitters {
    waiting: Vec<u32>,
    is_waiting: Vec<bool>,
}

impl Splitters {
    fn add(&mut self, block: u32) {
        self.is_waiting.resize(self.is_waiting.len().max(block as usize + 1), false);
        if !std::mem::replace(&mut self.is_waiting[block as usize], true) {
            self.waiting.push(block);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let block = self.waiting.pop()?;
        self.is_waiting[block as usize] = false;
        Some(block)
    }

    fn has(&self, block: u32) -> bool {
        self.is_waiting.get(block as usize).copied().unwrap_or(false)
    }
}

/// Blocks of states; the members of a block are neighbours, marked ones first.
struct Partition {
    members: Vec<u32>,
    /// The index of each state among the members.
    place: Vec<usize>,
    block_of: Vec<u32>,
    blocks: Vec<Block>,
    /// The blocks with marks.
    touched: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Block {
    from: usize,
    to: usize,
    marked: usize,
}

impl Partition {
    fn new(states: usize) -> Self {
        Self {
            members: (0..states as u32).collect(),
            place: (0..states).collect(),
            block_of: vec![0; states],
            blocks: vec![Block { from: 0, to: states, marked: 0 }],
            touched: Vec::new(),
        }
    }

    fn members(&self, block: u32) -> &[u32] {
        let Block { from, to, .. } = self.blocks[block as usize];
        &self.members[from..to]
    }

    /// Parts each block into those in a set of states and those not.
    fn split(&mut self, states: impl Iterator<Item = u32>, splitters: &mut Splitters) {
        states.for_each(|state| self.mark(state));
        for block in std::mem::take(&mut self.touched) {
            if let Some(new) = self.part(block) {
                let smaller = if self.members(new).len() <= self.members(block).len() { new } else { block };
                splitters.add(if splitters.has(block) { new } else { smaller });
            }
        }
    }

    fn mark(&mut self, state: u32) {
        let id = self.block_of[state as usize];
        let Block { from, marked, .. } = self.blocks[id as usize];
        let (place, free) = (self.place[state as usize], from + marked);
        if place < free {
            return;
        }
        if marked == 0 {
            self.touched.push(id);
        }
        let other = self.members[free];
        self.members.swap(place, free);
        self.place[other as usize] = place;
        self.place[state as usize] = free;
        self.blocks[id as usize].marked += 1;
    }

    /// Makes the marked members a block of their own, unless all are.
    fn part(&mut self, id: u32) -> Option<u32> {
        let Block { from, to, marked } = self.blocks[id as usize];
        self.blocks[id as usize].marked = 0;
        let middle = from + marked;
        if middle == to {
            return None;
        }
        let new = self.blocks.len() as u32;
        self.blocks[id as usize].from = middle;
        self.blocks.push(Block { from, to: middle, marked: 0 });
        for &state in &self.members[from..middle] {
            self.block_of[state as usize] = new;
        }
        Some(new)
    }
}
