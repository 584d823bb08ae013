//! Alternating automata on finite words, with past nodes: Finkbeiner and Sipma, *Checking Finite
//! Traces using Alternating Automata*, sections 2.2, 2.3, 5.1 and 5.2.
//!
//! A node ⟨ν, δ, f, g⟩ has a label ν that the current state must satisfy, a condition δ on the
//! nodes at the next (or previous) position, a flag f that tells whether a path may end in it, and
//! a direction g. The paper has no construction for `R`, `T`, `WX` and `M`: they are the duals of
//! those it has.
//!
//! Operators with a bound have no finite automaton of this kind that is linear in the formula. They
//! become leaves that are labelled with the bounded formula itself; who runs the automaton has to
//! know where it holds.

use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;
use traceward_logic::formula::{
    AtomId, BinaryOp, Direction, Expansion, FormulaId, Formulas, Node as Operator, Strength,
};

/// A node of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The node of an index.
    pub(crate) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Writes the node as `n0`, `n1`, …
impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// A condition on nodes; the condition of a formula is the automaton of that formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ConditionId(u32);

impl ConditionId {
    /// The condition of an index.
    pub(crate) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// The id as an index into tables with one entry per condition.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A positive boolean combination of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// ε, which every run satisfies.
    Empty,
    /// A node.
    Node(NodeId),
    /// Both automata have a run.
    And(ConditionId, ConditionId),
    /// One of the two automata has a run.
    Or(ConditionId, ConditionId),
}

/// The label of a node: what it asks of the current state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// `true` or `false`
    Constant(bool),
    /// An atom.
    Atom(AtomId),
    /// A negated atom.
    NotAtom(AtomId),
    /// A formula with a bounded operator on the outside.
    Bounded(FormulaId),
}

/// The position at which a node looks for its successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Nowhere (↓): the node has no successors.
    Here,
    /// At the next position (→).
    Forward,
    /// At the previous position (←).
    Back,
}

/// A node ⟨ν, δ, f, g⟩.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The label ν.
    pub label: Label,
    /// The condition δ on the successors.
    pub next: ConditionId,
    /// The flag f: whether a path may end here.
    pub accepting: bool,
    /// The direction g.
    pub look: Look,
    /// The formula that the node was made for.
    pub formula: FormulaId,
}

/// The automata of some formulas, which share their nodes.
#[derive(Clone, Debug)]
pub struct Alternating {
    nodes: Vec<Node>,
    conditions: Vec<Condition>,
    roots: Vec<ConditionId>,
    /// The condition of each part of the formulas.
    of_formula: FxHashMap<FormulaId, ConditionId>,
}

impl Alternating {
    /// The automata of formulas in negation normal form with split atoms.
    ///
    /// # Panics
    /// If a formula is not in negation normal form.
    pub fn new(formulas: &Formulas, roots: &[FormulaId]) -> Self {
        Builder::new(formulas, roots).build(roots)
    }

    /// The nodes, in the order in which the paper's figures number them.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The ids of the nodes, in order.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The ids of the conditions, in order.
    pub fn condition_ids(&self) -> impl Iterator<Item = ConditionId> + use<> {
        (0..self.conditions.len() as u32).map(ConditionId)
    }

    /// A condition.
    pub fn condition(&self, id: ConditionId) -> Condition {
        self.conditions[id.index()]
    }

    /// The conditions that the wanted ones are made of, each once, parts before wholes.
    pub fn parts(&self, wanted: &[ConditionId]) -> Vec<ConditionId> {
        let mut seen = vec![false; self.conditions.len()];
        let mut open = wanted.to_vec();
        let mut parts = Vec::new();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            parts.push(id);
            if let Condition::And(left, right) | Condition::Or(left, right) = self.condition(id) {
                open.extend([left, right]);
            }
        }
        parts.sort_unstable();
        parts
    }

    /// The automaton of each formula asked for, in order.
    pub fn roots(&self) -> &[ConditionId] {
        &self.roots
    }

    /// The automaton of a part of the formulas.
    pub fn of_formula(&self, formula: FormulaId) -> Option<ConditionId> {
        self.of_formula.get(&formula).copied()
    }

    /// The number of nodes that the conditions name when they are written out, which
    /// [`Self::display`] does. Conditions share their parts, and `f M g` has g twice, so that it
    /// may be exponential in the formula.
    pub fn written_out(&self) -> u64 {
        let mut sizes: Vec<u64> = Vec::new();
        for id in self.condition_ids() {
            sizes.push(match self.condition(id) {
                Condition::Empty | Condition::Node(_) => 1,
                Condition::And(left, right) | Condition::Or(left, right) => {
                    sizes[left.index()].saturating_add(sizes[right.index()])
                }
            });
        }
        let written = self.nodes().iter().map(|node| node.next).chain(self.roots().iter().copied());
        written.fold(0, |sum, id| sum.saturating_add(sizes[id.index()]))
    }

    /// The automaton as text, a node a line; `names` are those of the variables.
    pub fn display<'a>(&'a self, formulas: &'a Formulas, names: &'a [Arc<str>]) -> impl fmt::Display + 'a {
        Display { automaton: self, formulas, names }
    }

    /// A label as text.
    pub fn label_text(&self, node: NodeId, formulas: &Formulas, names: &[Arc<str>]) -> String {
        match self.node(node).label {
            Label::Constant(bit) => bit.to_string(),
            Label::Atom(atom) => formulas.atom(atom).display(names).to_string(),
            Label::NotAtom(_) => formulas.display(self.node(node).formula, names).to_string(),
            Label::Bounded(formula) => formulas.display(formula, names).to_string(),
        }
    }
}

struct Builder<'a> {
    formulas: &'a Formulas,
    parts: Vec<FormulaId>,
    numbers: FxHashMap<FormulaId, NodeId>,
    nodes: Vec<Option<Node>>,
    conditions: Vec<Condition>,
    ids: FxHashMap<Condition, ConditionId>,
    of_formula: FxHashMap<FormulaId, ConditionId>,
}

impl<'a> Builder<'a> {
    fn new(formulas: &'a Formulas, roots: &[FormulaId]) -> Self {
        let mut builder = Self {
            formulas,
            parts: formulas.parts(roots),
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
            conditions: Vec::new(),
            ids: FxHashMap::default(),
            of_formula: FxHashMap::default(),
        };
        builder.number_nodes(roots);
        builder
    }

    /// Numbers nodes from the outside in, as the paper's figures do. Operands of bounded operators
    /// have automata of their own, which are numbered last.
    fn number_nodes(&mut self, roots: &[FormulaId]) {
        let mut visited = vec![false; self.formulas.len()];
        let mut roots = roots.to_vec();
        while !roots.is_empty() {
            roots = self.number_below(&roots, &mut visited);
        }
    }

    /// Numbers what is reachable without passing a bounded operator, and returns the operands of
    /// those met. An explicit stack, for formulas of any depth.
    fn number_below(&mut self, roots: &[FormulaId], visited: &mut [bool]) -> Vec<FormulaId> {
        enum Task {
            Visit(FormulaId),
            Number(FormulaId),
        }
        let mut beyond = Vec::new();
        let mut tasks: Vec<Task> = roots.iter().rev().map(|&root| Task::Visit(root)).collect();
        while let Some(task) = tasks.pop() {
            let formula = match task {
                Task::Number(formula) => {
                    self.number(formula);
                    continue;
                }
                Task::Visit(formula) if std::mem::replace(&mut visited[formula.index()], true) => continue,
                Task::Visit(formula) => formula,
            };
            // Operands are pushed in reverse, because what is pushed last comes first.
            match self.formulas.node(formula) {
                node if is_bounded(node) => {
                    self.number(formula);
                    beyond.extend(node.children());
                }
                Operator::Constant(_) | Operator::Atom(_) | Operator::Not(_) => self.number(formula),
                Operator::And(f, g) | Operator::Or(f, g) => tasks.extend([Task::Visit(g), Task::Visit(f)]),
                Operator::Binary(_, _, _, f, g) => {
                    tasks.extend([Task::Number(formula), Task::Visit(f), Task::Visit(g)]);
                }
                node => {
                    tasks.extend(node.children().map(Task::Visit));
                    tasks.push(Task::Number(formula));
                }
            }
        }
        beyond
    }

    fn number(&mut self, formula: FormulaId) {
        if !self.numbers.contains_key(&formula) {
            self.numbers.insert(formula, NodeId(self.nodes.len() as u32));
            self.nodes.push(None);
        }
    }

    fn build(mut self, roots: &[FormulaId]) -> Alternating {
        for part in std::mem::take(&mut self.parts) {
            let condition = self.automaton(part);
            if let Some(condition) = condition {
                self.of_formula.insert(part, condition);
            }
        }
        let nodes = self.nodes.into_iter().map(|node| node.expect("every numbered node is built")).collect();
        let roots = roots.iter().map(|root| self.of_formula[root]).collect();
        Alternating { nodes, conditions: self.conditions, roots, of_formula: self.of_formula }
    }

    /// The automaton 𝒜(φ) of a formula; none for an atom that occurs only negated.
    fn automaton(&mut self, formula: FormulaId) -> Option<ConditionId> {
        let node = self.formulas.node(formula);
        if matches!(node, Operator::Atom(_)) && !self.numbers.contains_key(&formula) {
            return None;
        }
        Some(match node {
            Operator::Constant(bit) => self.leaf(formula, Label::Constant(bit)),
            Operator::Atom(atom) => self.leaf(formula, Label::Atom(atom)),
            Operator::Not(f) => match self.formulas.node(f) {
                Operator::Atom(atom) => self.leaf(formula, Label::NotAtom(atom)),
                _ => panic!("not in negation normal form"),
            },
            node if is_bounded(node) => self.leaf(formula, Label::Bounded(formula)),
            Operator::And(f, g) => self.and(self.of_formula[&f], self.of_formula[&g]),
            Operator::Or(f, g) => self.or(self.of_formula[&f], self.of_formula[&g]),
            Operator::Next(direction, strength, f) => {
                let (next, accepting) = (self.of_formula[&f], strength.holds());
                self.node(formula, next, accepting, look(direction))
            }
            Operator::Eventually(direction, _, f) => {
                self.looping(formula, direction, |this, own| this.or(own, this.of_formula[&f]))
            }
            Operator::Always(direction, _, f) => {
                self.looping(formula, direction, |this, own| this.and(own, this.of_formula[&f]))
            }
            Operator::Binary(op, direction, _, f, g) => self.binary(formula, op, direction, f, g),
        })
    }

    fn binary(
        &mut self,
        formula: FormulaId,
        op: BinaryOp,
        direction: Direction,
        f: FormulaId,
        g: FormulaId,
    ) -> ConditionId {
        let (f, g) = (self.of_formula[&f], self.of_formula[&g]);
        self.looping(formula, direction, |this, own| match (op.expansion(), op.strength()) {
            (Expansion::Until, _) => this.until(own, f, g),
            // `f M g` is written as `g U (f & g)`.
            (Expansion::Release, Strength::Strong) => {
                let both = this.and(f, g);
                this.until(own, g, both)
            }
            (Expansion::Release, Strength::Weak) => {
                let later = this.or(f, own);
                this.and(g, later)
            }
        })
    }

    fn until(&mut self, own: ConditionId, f: ConditionId, g: ConditionId) -> ConditionId {
        let later = self.and(own, f);
        self.or(g, later)
    }

    fn leaf(&mut self, formula: FormulaId, label: Label) -> ConditionId {
        let id = self.numbers[&formula];
        let next = self.intern(Condition::Empty);
        self.nodes[id.index()] = Some(Node { label, next, accepting: true, look: Look::Here, formula });
        self.intern(Condition::Node(id))
    }

    fn node(&mut self, formula: FormulaId, next: ConditionId, accepting: bool, look: Look) -> ConditionId {
        let id = self.numbers[&formula];
        self.nodes[id.index()] = Some(Node { label: Label::Constant(true), next, accepting, look, formula });
        self.intern(Condition::Node(id))
    }

    /// A node whose δ is the condition that it is part of.
    fn looping(
        &mut self,
        formula: FormulaId,
        direction: Direction,
        condition: impl FnOnce(&mut Self, ConditionId) -> ConditionId,
    ) -> ConditionId {
        let own = self.intern(Condition::Node(self.numbers[&formula]));
        let whole = condition(self, own);
        let accepting = self.formulas.node(formula).strength().is_some_and(Strength::holds);
        self.node(formula, whole, accepting, look(direction));
        whole
    }

    fn and(&mut self, left: ConditionId, right: ConditionId) -> ConditionId {
        self.intern(Condition::And(left, right))
    }

    fn or(&mut self, left: ConditionId, right: ConditionId) -> ConditionId {
        self.intern(Condition::Or(left, right))
    }

    fn intern(&mut self, condition: Condition) -> ConditionId {
        let conditions = &mut self.conditions;
        *self.ids.entry(condition).or_insert_with(|| {
            conditions.push(condition);
            ConditionId(conditions.len() as u32 - 1)
        })
    }
}

fn look(direction: Direction) -> Look {
    match direction {
        Direction::Future => Look::Forward,
        Direction::Past => Look::Back,
    }
}

/// Whether an operator has a bound that the automaton does not know how to count.
pub fn is_bounded(node: Operator) -> bool {
    node.interval().is_some_and(|interval| !interval.is_all())
}

struct Display<'a> {
    automaton: &'a Alternating,
    formulas: &'a Formulas,
    names: &'a [Arc<str>],
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let automaton = self.automaton;
        for (index, root) in automaton.roots.iter().enumerate() {
            let separator = if index == 0 { "start " } else { "  and " };
            writeln!(f, "{separator}{}", condition_text(automaton, *root))?;
        }
        for id in automaton.node_ids() {
            let node = automaton.node(id);
            let label = automaton.label_text(id, self.formulas, self.names);
            let end = if node.accepting { "acc" } else { "rej" };
            let (arrow, next) = match node.look {
                Look::Here => ("↓", String::from("ε")),
                Look::Forward => ("→", condition_text(automaton, node.next)),
                Look::Back => ("←", condition_text(automaton, node.next)),
            };
            writeln!(f, "{id:<4} ⟨{label}, {next}, {end}, {arrow}⟩")?;
        }
        Ok(())
    }
}

/// A condition as text, such as `n0 ∧ (n1 ∨ n2)`. With a stack of its own, for conditions of any
/// depth.
pub fn condition_text(automaton: &Alternating, condition: ConditionId) -> String {
    enum Piece {
        Text(&'static str),
        Condition(ConditionId),
    }
    let mut text = String::new();
    let mut open = vec![Piece::Condition(condition)];
    while let Some(piece) = open.pop() {
        let whole = match piece {
            Piece::Text(symbol) => {
                text.push_str(symbol);
                continue;
            }
            Piece::Condition(id) => automaton.condition(id),
        };
        let (left, symbol, right) = match whole {
            Condition::Empty => {
                text.push('ε');
                continue;
            }
            Condition::Node(id) => {
                text.push_str(&id.to_string());
                continue;
            }
            Condition::And(left, right) => (left, " ∧ ", right),
            Condition::Or(left, right) => (left, " ∨ ", right),
        };
        let bracketed = |id: ConditionId| match (automaton.condition(id), whole) {
            (Condition::Or(..), Condition::And(..)) | (Condition::And(..), Condition::Or(..)) => {
                [Piece::Text("("), Piece::Condition(id), Piece::Text(")")]
            }
            _ => [Piece::Text(""), Piece::Condition(id), Piece::Text("")],
        };
        open.extend(bracketed(left).into_iter().chain([Piece::Text(symbol)]).chain(bracketed(right)).rev());
    }
    text
}
