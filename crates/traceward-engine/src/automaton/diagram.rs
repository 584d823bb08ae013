//! Decision diagrams, reduced and shared: a function has one diagram, so equal functions have equal
//! ids.
//!
//! The diagrams are our own because of one rule that no crate has. Variables come in *chains*: each
//! variable of a chain implies all that stand behind it. (`F[0,3] q` implies `F[0,4] q`, and so on
//! to `F q`.) A diagram never tests what the chain tells already, so that `F[0,3] q & F[0,4] q`
//! *is* `F[0,3] q`. Without this, a formula with a bound of n has up to 2^n sets of deadlines. A
//! variable on its own is a chain of one, for which everything is as usual.
//!
//! Besides, the number of nodes is bounded, and the variables need not be known beforehand.

use crate::limit::{Budget, Limit};

/// The id of a diagram.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Ref(u32);

impl Ref {
    /// The function that is false everywhere.
    pub(crate) const FALSE: Self = Self(0);
    /// The function that is true everywhere.
    pub(crate) const TRUE: Self = Self(1);

    /// The function that is the same everywhere.
    pub(crate) fn constant(bit: bool) -> Self {
        if bit { Self::TRUE } else { Self::FALSE }
    }

    /// Whether the diagram is one of the two constants.
    pub(crate) fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The id as an index into tables with one entry per diagram.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable: its chain, and its place in it. Diagrams test variables in this order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Level {
    /// The chain.
    pub(crate) chain: u32,
    /// The place in the chain: if this variable is true, so are all behind it.
    pub(crate) place: u32,
}

impl Level {
    /// The level of the two constants: behind every variable.
    pub(crate) const END: Self = Self { chain: u32::MAX, place: u32::MAX };

    /// A variable that implies no other.
    pub(crate) fn alone(chain: u32) -> Self {
        Self { chain, place: 0 }
    }
}

/// A test of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    /// The variable.
    pub(crate) level: Level,
    /// The diagram where the variable is false.
    pub(crate) low: Ref,
    /// The diagram where the variable is true, and with it all behind it in its chain.
    pub(crate) high: Ref,
}

/// The reason why a diagram could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overflow {
    /// There are as many nodes as there may be.
    Nodes,
    /// The diagram would test more variables in a row than the call stack should hold.
    Depth,
    /// The budget has reached this limit.
    Spent(Limit),
}

impl Overflow {
    /// The limit that was reached, where so many bytes were allowed.
    pub(crate) fn limit(self, memory: usize) -> Limit {
        match self {
            Self::Nodes => Limit::Memory(memory),
            Self::Depth => Limit::Obligations,
            Self::Spent(limit) => limit,
        }
    }
}

impl From<Limit> for Overflow {
    fn from(limit: Limit) -> Self {
        Self::Spent(limit)
    }
}

/// The limits of diagrams.
#[derive(Clone, Debug)]
pub(crate) struct DiagramLimits {
    /// The number of nodes that there may be.
    pub(crate) nodes: usize,
    /// The work that making them may take.
    pub(crate) budget: Budget,
}

impl DiagramLimits {
    /// A limit on nodes alone, for diagrams whose making takes little work.
    pub(crate) fn of_nodes(nodes: usize) -> Self {
        Self { nodes, budget: Budget::unlimited() }
    }
}

/// The largest number of variables that may be tested in a row.
const DEPTH_LIMIT: u32 = 3000;

/// The work of answering a question that was not answered before: memory is waited for a few times.
const WORK_PER_QUESTION: u64 = 4;

/// A place of the unique table that is free.
const FREE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Computed {
    question: [Ref; 3],
    answer: Ref,
}

/// The entry of a free place: no question has a constant first, so it answers none.
const NOTHING: Computed = Computed { question: [Ref::FALSE; 3], answer: Ref::FALSE };

/// All diagrams.
#[derive(Clone, Debug)]
pub(crate) struct Diagrams {
    nodes: Vec<Node>,
    /// The places of the nodes, by the hash of their content: open addressing, at most half full.
    unique: Vec<u32>,
    /// Answers of [`Self::ite`]; a newer one takes the place of an older one.
    computed: Vec<Computed>,
    limit: usize,
    budget: Budget,
}

impl Diagrams {
    /// Bytes that a node takes at the most, with its share of all tables while they are growing:
    /// two copies of the node, of four places in the unique table and of two remembered answers.
    pub(crate) const BYTES_PER_NODE: usize = 2 * (size_of::<Node>() + 4 * size_of::<u32>() + 2 * size_of::<Computed>());

    /// No diagrams but the two constants, and never more than allowed.
    pub(crate) fn new(DiagramLimits { nodes, budget }: DiagramLimits) -> Self {
        let mut diagrams = Self {
            nodes: Vec::new(),
            unique: vec![FREE; 64],
            computed: vec![NOTHING; 64],
            limit: nodes.max(2),
            budget,
        };
        for _ in 0..2 {
            diagrams.nodes.push(Node { level: Level::END, low: Ref::FALSE, high: Ref::FALSE });
        }
        diagrams
    }

    /// Pays for work on diagrams.
    pub(crate) fn spend(&mut self, work: usize) -> Result<(), Overflow> {
        Ok(self.budget.spend(work as u64)?)
    }

    /// Begins with the next state of a trace: a share of the work is allowed anew.
    pub(crate) fn renew(&mut self) {
        self.budget.renew(0);
    }

    /// The number of diagrams; indices are below it.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The test at the top of a diagram.
    #[inline]
    pub(crate) fn node(&self, diagram: Ref) -> Node {
        self.nodes[diagram.index()]
    }

    /// The variable that a diagram tests first.
    #[inline]
    pub(crate) fn level(&self, diagram: Ref) -> Level {
        self.node(diagram).level
    }

    /// The rest of a diagram where a variable is false; the diagram tests that variable first, or
    /// not at all.
    pub(crate) fn low(&self, diagram: Ref, level: Level) -> Ref {
        let node = self.node(diagram);
        if node.level == level { node.low } else { diagram }
    }

    /// The rest of a diagram where a variable is true; the diagram tests that variable first, or
    /// not at all.
    pub(crate) fn high(&self, diagram: Ref, level: Level) -> Ref {
        let node = self.node(diagram);
        // A variable behind it in its chain is true as well.
        if node.level.chain == level.chain && diagram.0 >= 2 { node.high } else { diagram }
    }

    /// The diagram that is true where a variable is.
    pub(crate) fn variable(&mut self, level: Level) -> Result<Ref, Overflow> {
        self.test(level, Ref::FALSE, Ref::TRUE)
    }

    /// The diagram that is `low` where a variable is false and `high` where it is true. Both test
    /// only variables behind it, and `high` none of its chain.
    pub(crate) fn test(&mut self, level: Level, low: Ref, high: Ref) -> Result<Ref, Overflow> {
        debug_assert!(self.level(low) > level && self.level(high) > level);
        debug_assert!(self.level(high).chain != level.chain || high.is_constant());
        if self.high(low, level) == high {
            return Ok(low);
        }
        let node = Node { level, low, high };
        let mut place = self.place(&node);
        while self.unique[place] != FREE {
            let found = Ref(self.unique[place]);
            if self.node(found) == node {
                return Ok(found);
            }
            place = (place + 1) & (self.unique.len() - 1);
        }
        if self.nodes.len() >= self.limit {
            return Err(Overflow::Nodes);
        }
        let made = Ref(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique[place] = made.0;
        if self.nodes.len() * 2 > self.unique.len() {
            self.grow();
        }
        Ok(made)
    }

    /// The same, of parts of which it is not known whether they test only variables behind it; none
    /// if they do not.
    pub(crate) fn checked_test(&mut self, level: Level, low: Ref, high: Ref) -> Option<Result<Ref, Overflow>> {
        let (below_low, below_high) = (self.level(low), self.level(high));
        let is_in_order = below_low > level && below_high > level && below_high.chain != level.chain;
        is_in_order.then(|| self.test(level, low, high))
    }

    fn place(&self, node: &Node) -> usize {
        let level = (u64::from(node.level.chain) << 32) | u64::from(node.level.place);
        let below = (u64::from(node.low.0) << 32) | u64::from(node.high.0);
        mix(level.rotate_left(29) ^ mix(below)) as usize & (self.unique.len() - 1)
    }

    fn grow(&mut self) {
        let size = self.unique.len() * 2;
        self.unique = vec![FREE; size];
        for index in 2..self.nodes.len() {
            let mut place = self.place(&self.nodes[index]);
            while self.unique[place] != FREE {
                place = (place + 1) & (size - 1);
            }
            self.unique[place] = index as u32;
        }
        // Old answers are dropped, not copied: they are soon computed again.
        self.computed = vec![NOTHING; size / 2];
    }

    /// The diagram of `!f`.
    pub(crate) fn not(&mut self, f: Ref) -> Result<Ref, Overflow> {
        self.ite(f, Ref::FALSE, Ref::TRUE)
    }

    /// The diagram of `f & g`.
    pub(crate) fn and(&mut self, f: Ref, g: Ref) -> Result<Ref, Overflow> {
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        self.ite(f, g, Ref::FALSE)
    }

    /// The diagram of `f | g`.
    pub(crate) fn or(&mut self, f: Ref, g: Ref) -> Result<Ref, Overflow> {
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        self.ite(f, Ref::TRUE, g)
    }

    /// The diagram of `(f & g) | (!f & h)`.
    pub(crate) fn ite(&mut self, f: Ref, g: Ref, h: Ref) -> Result<Ref, Overflow> {
        self.ite_below(f, g, h, DEPTH_LIMIT)
    }

    fn ite_below(&mut self, f: Ref, g: Ref, h: Ref, depth: u32) -> Result<Ref, Overflow> {
        if f == Ref::TRUE || g == h {
            return Ok(g);
        }
        if f == Ref::FALSE {
            return Ok(h);
        }
        let g = if g == f { Ref::TRUE } else { g };
        let h = if h == f { Ref::FALSE } else { h };
        if (g, h) == (Ref::TRUE, Ref::FALSE) {
            return Ok(f);
        }
        let question = [f, g, h];
        let slot = self.slot(question);
        if self.computed[slot].question == question {
            return Ok(self.computed[slot].answer);
        }
        let depth = depth.checked_sub(1).ok_or(Overflow::Depth)?;
        self.budget.spend(WORK_PER_QUESTION)?;
        let level = self.level(f).min(self.level(g)).min(self.level(h));
        let [low_f, low_g, low_h] = question.map(|one| self.low(one, level));
        let [high_f, high_g, high_h] = question.map(|one| self.high(one, level));
        let low = self.ite_below(low_f, low_g, low_h, depth)?;
        let high = self.ite_below(high_f, high_g, high_h, depth)?;
        let answer = self.test(level, low, high)?;
        let slot = self.slot(question);
        self.computed[slot] = Computed { question, answer };
        Ok(answer)
    }

    fn slot(&self, [f, g, h]: [Ref; 3]) -> usize {
        let pair = (u64::from(f.0) << 32) | u64::from(g.0);
        mix(pair ^ mix(u64::from(h.0))) as usize & (self.computed.len() - 1)
    }

    /// Forgets all answers, so that the next question pays its full price. For measurements.
    #[cfg(test)]
    fn forget(&mut self) {
        self.computed.fill(NOTHING);
    }
}

/// Mixes bits well enough for tables of a power of two.
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word ^ (word >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two single variables and a chain of three.
    const LEVELS: [Level; 5] = [
        Level { chain: 0, place: 0 },
        Level { chain: 1, place: 2 },
        Level { chain: 1, place: 5 },
        Level { chain: 1, place: 7 },
        Level { chain: 2, place: 0 },
    ];

    /// The assignments that the chain allows, as bits in the order of the levels.
    fn allowed() -> Vec<u32> {
        (0..32).filter(|bits| [0b000, 0b100, 0b110, 0b111].contains(&(bits >> 1 & 0b111))).collect()
    }

    fn value(diagrams: &Diagrams, mut diagram: Ref, bits: u32) -> bool {
        while !diagram.is_constant() {
            let node = diagrams.node(diagram);
            let index = LEVELS.iter().position(|level| *level == node.level).unwrap();
            diagram = if bits >> index & 1 == 1 { node.high } else { node.low };
        }
        diagram == Ref::TRUE
    }

    /// What a function says of all allowed assignments.
    fn table(diagrams: &Diagrams, diagram: Ref) -> Vec<bool> {
        allowed().into_iter().map(|bits| value(diagrams, diagram, bits)).collect()
    }

    #[test]
    fn every_function_has_one_diagram() {
        let mut diagrams = Diagrams::new(DiagramLimits::of_nodes(10_000));
        let mut known: Vec<Ref> = vec![Ref::FALSE, Ref::TRUE];
        known.extend(LEVELS.map(|level| diagrams.variable(level).unwrap()));
        let mut seed = 7_u64;
        let mut pick = |len: usize| {
            seed = mix(seed.wrapping_add(0x1234_5678_9ABC));
            seed as usize % len
        };
        for round in 0..3000 {
            let [f, g, h] = std::array::from_fn(|_| known[pick(known.len())]);
            let expected: Vec<bool> = (0..allowed().len())
                .map(|at| if table(&diagrams, f)[at] { table(&diagrams, g)[at] } else { table(&diagrams, h)[at] })
                .collect();
            if round % 100 == 0 {
                diagrams.forget();
            }
            let made = diagrams.ite(f, g, h).unwrap();
            assert_eq!(table(&diagrams, made), expected);
            if known.len() < 400 && !known.contains(&made) {
                assert!(known.iter().all(|one| table(&diagrams, *one) != expected), "a second diagram of a function");
                known.push(made);
            }
        }
        assert!(known.len() > 300);
    }

    #[test]
    fn what_a_chain_tells_is_not_tested() {
        let mut diagrams = Diagrams::new(DiagramLimits::of_nodes(100));
        let near = diagrams.variable(LEVELS[1]).unwrap();
        let far = diagrams.variable(LEVELS[3]).unwrap();
        assert_eq!(diagrams.and(near, far), Ok(near));
        assert_eq!(diagrams.or(near, far), Ok(far));
        assert_eq!(diagrams.ite(near, far, Ref::TRUE), Ok(Ref::TRUE));
    }

    #[test]
    fn there_are_never_more_nodes_than_allowed() {
        let mut diagrams = Diagrams::new(DiagramLimits::of_nodes(10));
        let mut all = Ref::TRUE;
        let error = (0..100).find_map(|chain| {
            let one = diagrams.variable(Level::alone(chain)).and_then(|one| diagrams.and(all, one));
            one.map(|one| all = one).err()
        });
        assert_eq!(error, Some(Overflow::Nodes));
        assert_eq!(diagrams.len(), 10);
    }
}
