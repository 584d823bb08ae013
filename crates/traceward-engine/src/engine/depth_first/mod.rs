//! Depth-first traversal: Finkbeiner and Sipma, sections 3.1 and 5.3.
//!
//! The automaton's definition of a run, followed to the letter: to see whether a node has a run at
//! a position, its label is looked at and its condition followed to the next (or previous)
//! position. What a conjunction or disjunction still has to look at waits on a stack of our own, so
//! that long traces do not overflow that of the program.
//!
//! It may walk the rest of the trace again from every position: on `G F a` with a only at the end
//! that is quadratic, on nested untils worse. A limit on the steps ends that with [`GaveUp`].
//! [`super::reverse`] answers the same in linear time; this engine is there for what the paper says
//! of it, and because each step of it can be followed by hand.
//!
//! An operator with a bound, in steps or in time, is looked for as its definition says: position by
//! position through its window.
//!
//! Of the two sides of a connective, one that is a single node with successors is looked at last:
//! it can wait for what the other side says of this very position. The paper writes that node
//! first, `⟨true, 𝒜(◇φ), rej⟩ ∨ 𝒜(φ)`; taken literally every `◇φ` would walk to the end of the
//! trace before it looked at φ, and `G F a` would be as slow as `G F z`, which its figure 10 does
//! not show.

mod record;
mod window;

use super::offline::{Cache, Offline};
use super::walkthrough::{Guide, Walkthrough, WalkthroughError};
use super::{Decision, EngineConfig};
use crate::automaton::alternating::{Alternating, Condition, ConditionId, Label, Look, NodeId};
use crate::limit::{Budget, BuildError, Feature, GaveUp, Instead, Limit, Limits, Unsupported};
use crate::prepared::Prepared;
use crate::run_statistics::Lattice;
use record::{Patience, Record, Unwatched, Watch};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{AtomId, FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letters};
use window::{Window, WindowWalk};

const NAME: &str = "depth-first";

/// Formulas ready to be evaluated by depth-first traversal.
#[derive(Clone, Debug)]
pub struct DepthFirst {
    automaton: Alternating,
    /// By the index of the node, what a bounded operator looks for.
    windows: Vec<Option<Window>>,
    alphabet: Alphabet,
    limits: Limits,
}

/// Scratch of a traversal, and what it may still take.
#[derive(Clone, Debug)]
struct Scratch {
    waiting: Vec<Suspended>,
    budget: Budget,
}

impl Scratch {
    fn new(limits: &Limits) -> Self {
        Self { waiting: Vec::new(), budget: Budget::new(limits) }
    }

    /// Pays for a look at a condition, and for what waits meanwhile.
    fn pay(&mut self) -> Result<(), Limit> {
        // The list is copied when it grows.
        self.budget.release_to(3 * self.waiting.len() * size_of::<Suspended>());
        self.budget.spend(1)
    }

    /// The patience of what was looked at when there was so much that waited.
    fn patience_since(&self, waited: usize) -> Patience {
        if self.waiting.len() > waited { Patience::Waits } else { Patience::Passes }
    }
}

/// A piece of work that waits while something else is being looked at.
#[derive(Clone, Copy, Debug)]
enum Suspended {
    /// The second side of a connective.
    Side { connective: Connective, second: ConditionId, position: u32 },
    /// The rest of the window of a bounded operator.
    Window(WindowWalk),
}

/// The next step of the traversal: where to look, or the value that was found.
enum Next {
    Look(ConditionId, u32),
    Known(bool),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Connective {
    And,
    Or,
}

impl DepthFirst {
    /// Prepares formulas in negation normal form with split atoms.
    pub fn new(formulas: &Formulas, alphabet: &Alphabet, roots: &[FormulaId], config: EngineConfig) -> Self {
        let automaton = Alternating::new(formulas, roots);
        let windows = window::windows(formulas, &automaton);
        Self { automaton, windows, alphabet: alphabet.clone(), limits: config.limits }
    }

    /// The automaton that is traversed.
    pub fn automaton(&self) -> &Alternating {
        &self.automaton
    }

    /// Whether each formula holds at each of the first positions, a traversal from every one.
    fn first(&self, letters: &Letters, positions: usize) -> Result<Vec<Bitmap>, GaveUp> {
        let mut scratch = Scratch::new(&self.limits);
        let mut everywhere = |root: &ConditionId| {
            let at = |position: usize| self.holds(&mut scratch, letters, *root, position, &mut Unwatched);
            (0..positions).map(at).collect::<Result<Bitmap, GaveUp>>()
        };
        self.automaton.roots().iter().map(&mut everywhere).collect()
    }

    /// CT(𝒜, σ, n) of the paper, with somebody who may watch.
    fn holds<W: Watch>(
        &self,
        cache: &mut Scratch,
        letters: &Letters,
        root: ConditionId,
        position: usize,
        watch: &mut W,
    ) -> Result<bool, W::Error> {
        cache.waiting.clear();
        let mut condition = root;
        let mut position = position as u32;
        loop {
            cache.pay().map_err(gave_up)?;
            let whole = self.automaton.condition(condition);
            let waited = cache.waiting.len();
            let mut next = match whole {
                Condition::Empty => Next::Known(true),
                Condition::And(left, right) => self.sides(cache, Connective::And, left, right, position),
                Condition::Or(left, right) => self.sides(cache, Connective::Or, left, right, position),
                Condition::Node(node) => self.look(cache, letters, node, position),
            };
            watch.looked(whole, position, cache.patience_since(waited))?;
            // Once a value is known: go back to the nearest that it does not decide.
            while let Next::Known(value) = next {
                watch.found(value);
                let Some(waiting) = cache.waiting.pop() else { return Ok(value) };
                let waited = cache.waiting.len();
                next = go_back(cache, waiting, value);
                match next {
                    Next::Known(value) => watch.decided(value),
                    Next::Look(..) => watch.goes_on(cache.patience_since(waited)),
                }
            }
            if let Next::Look(where_to, at) = next {
                (condition, position) = (where_to, at);
            }
        }
    }

    fn sides(
        &self,
        cache: &mut Scratch,
        connective: Connective,
        left: ConditionId,
        right: ConditionId,
        position: u32,
    ) -> Next {
        let (first, second) = self.in_order(left, right);
        cache.waiting.push(Suspended::Side { connective, second, position });
        Next::Look(first, position)
    }

    fn look(&self, cache: &mut Scratch, letters: &Letters, node: NodeId, position: u32) -> Next {
        if let Some(window) = self.windows[node.index()] {
            return match window.walk(letters, position as usize) {
                None => Next::Known(window.of_nothing()),
                Some(walk) => {
                    cache.waiting.push(Suspended::Window(walk));
                    walk.look()
                }
            };
        }
        match self.step(letters, node, position as usize) {
            RunStep::Ends(value) => Next::Known(value),
            RunStep::Goes(next, to) => Next::Look(next, to as u32),
        }
    }

    /// The sides of a connective in the order in which they are looked at.
    fn in_order(&self, left: ConditionId, right: ConditionId) -> (ConditionId, ConditionId) {
        let can_wait = |side: ConditionId| match self.automaton.condition(side) {
            Condition::Node(node) => self.automaton.node(node).look != Look::Here,
            _ => false,
        };
        if can_wait(left) && !can_wait(right) { (right, left) } else { (left, right) }
    }

    /// The step from a node at a position: its value, or the condition that it goes on with.
    fn step(&self, letters: &Letters, id: NodeId, position: usize) -> RunStep {
        let node = self.automaton.node(id);
        if !self.label_holds(letters, node.label, position) {
            return RunStep::Ends(false);
        }
        match node.look {
            Look::Here => RunStep::Ends(true),
            Look::Forward if position + 1 == letters.len => RunStep::Ends(node.accepting),
            Look::Back if position == 0 => RunStep::Ends(node.accepting),
            Look::Forward => RunStep::Goes(node.next, position + 1),
            Look::Back => RunStep::Goes(node.next, position - 1),
        }
    }

    fn label_holds(&self, letters: &Letters, label: Label, position: usize) -> bool {
        let holds = |atom: AtomId| {
            let proposition = self.alphabet.proposition(atom).expect("an atom of the alphabet");
            letters.bitmap(proposition).get(position)
        };
        match label {
            Label::Constant(bit) => bit,
            Label::Atom(atom) => holds(atom),
            Label::NotAtom(atom) => !holds(atom),
            Label::Bounded(_) => unreachable!("windows are walked through"),
        }
    }

    /// STAT(𝒜, σ, 0) of section 4.2 for the first formula: the value over all accepting runs, a run
    /// being a tree.
    pub fn statistics<L: Lattice>(&self, lattice: &L, letters: &Letters) -> Result<Option<L::Value>, BuildError> {
        if self.windows.iter().any(Option::is_some) {
            return Err(Unsupported { engine: NAME, what: Feature::Bounds, instead: "reverse" }.into());
        }
        let mut budget = Budget::new(&self.limits);
        let mut tasks = vec![Task::Evaluate(self.automaton.roots()[0], 0)];
        let mut values: Vec<Option<L::Value>> = Vec::new();
        while let Some(task) = tasks.pop() {
            budget.spend(1).map_err(gave_up)?;
            match task {
                Task::Evaluate(condition, position) => {
                    self.expand(lattice, letters, condition, position, &mut tasks, &mut values);
                }
                Task::Update(node) => {
                    if let Some(value) = values.last_mut() {
                        *value = value.take().map(|value| lattice.update(value, &self.automaton, node));
                    }
                }
                Task::Meet | Task::Join => {
                    let (right, left) = (values.pop().flatten(), values.pop().flatten());
                    values.push(match task {
                        Task::Meet => crate::run_statistics::meet(lattice, left.as_ref(), right.as_ref()),
                        _ => crate::run_statistics::join(lattice, left, right),
                    });
                }
            }
        }
        Ok(values.pop().flatten())
    }

    fn expand<L: Lattice>(
        &self,
        lattice: &L,
        letters: &Letters,
        condition: ConditionId,
        position: usize,
        tasks: &mut Vec<Task>,
        values: &mut Vec<Option<L::Value>>,
    ) {
        match self.automaton.condition(condition) {
            Condition::Empty => values.push(Some(lattice.top())),
            Condition::And(left, right) => {
                tasks.extend([Task::Meet, Task::Evaluate(right, position), Task::Evaluate(left, position)]);
            }
            Condition::Or(left, right) => {
                tasks.extend([Task::Join, Task::Evaluate(right, position), Task::Evaluate(left, position)]);
            }
            Condition::Node(node) => match self.step(letters, node, position) {
                RunStep::Ends(false) => values.push(None),
                RunStep::Ends(true) => values.push(Some(lattice.update(lattice.top(), &self.automaton, node))),
                RunStep::Goes(next, to) => tasks.extend([Task::Update(node), Task::Evaluate(next, to)]),
            },
        }
    }
}

fn gave_up(limit: Limit) -> GaveUp {
    GaveUp { engine: NAME, limit, instead: &[Instead::REVERSE] }
}

impl Offline for DepthFirst {
    fn compile(prepared: &Prepared, indices: &[usize], config: EngineConfig) -> Self {
        let roots: Vec<FormulaId> = indices.iter().map(|&index| prepared.normal[index]).collect();
        Self::new(&prepared.formulas, &prepared.alphabet, &roots, config)
    }

    fn truth<'c>(&self, cache: &'c mut Cache, letters: &Letters) -> Result<Vec<&'c Bitmap>, GaveUp> {
        Ok(cache.keep(self.first(letters, letters.len)?))
    }

    fn decide(&self, letters: &Letters) -> Result<Vec<Decision>, GaveUp> {
        let first = self.first(letters, 1)?;
        Ok(first.into_iter().map(|row| Decision { holds: row.get(0), decided_at: None }).collect())
    }

    fn walkthrough(&self, guide: &Guide<'_>) -> Result<Walkthrough, WalkthroughError> {
        let mut record = Record::new(guide);
        let root = self.automaton.roots()[0];
        let holds = self.holds(&mut Scratch::new(&self.limits), guide.letters, root, 0, &mut record)?;
        let text = || self.automaton.display(&guide.prepared.formulas, guide.names).to_string();
        let automaton = guide.readable(self.automaton.written_out(), text);
        Ok(Walkthrough { automaton, steps: vec![record.step(holds)] })
    }
}

/// Hands a value to the work that waited for it, and returns what is to be done next.
fn go_back(cache: &mut Scratch, waiting: Suspended, value: bool) -> Next {
    match waiting {
        Suspended::Side { connective, second, position } => {
            let decided = value == (connective == Connective::Or);
            if decided { Next::Known(value) } else { Next::Look(second, position) }
        }
        Suspended::Window(walk) => match walk.after(value) {
            Ok(decided) => Next::Known(decided),
            Err(walk) => {
                cache.waiting.push(Suspended::Window(walk));
                walk.look()
            }
        },
    }
}

/// A piece of work that is still to be done for a value.
enum Task {
    Evaluate(ConditionId, usize),
    Update(NodeId),
    Meet,
    Join,
}

enum RunStep {
    Ends(bool),
    Goes(ConditionId, usize),
}
