//! Algebraic alternating automata: Finkbeiner, Sankaranarayanan and Sipma, *Collecting Statistics
//! over Runtime Executions*, sections 4 and 5.
//!
//! An automaton has a value on a trace in place of a verdict, or none (⊥). It is made of *terminal*
//! nodes ⟨p, δ⟩, which have the value of δ where p holds, and of *transient* nodes ⟨A, f⟩, which
//! have the value of A one position later, mapped by f. Conjunction, disjunction and function
//! application join automata, and are no nodes. All of these are *parts* here: a part is what the
//! paper calls an automaton, and a loop is a part that is reached again through a transient node.
//!
//! The paper's functions of a disjunction see ⊥. Here that is said by the kind of function
//! ([`Binary`]), so that the functions that a user writes only ever see values.
//!
//! The automaton is linear in the query, and equal queries are one part.

mod display;
mod translate;

use std::fmt;
use traceward_logic::ast::Aggregate;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas, Interval};
use traceward_logic::query::{FoldOrder, Query};
use traceward_logic::value::{CompareOp, Value};

/// A part of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PartId(u32);

impl PartId {
    fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a spec is too short for so many parts"))
    }

    /// The id as an index into tables with one entry per part.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Writes the part as `A0`, `A1`, …
impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "A{}", self.0)
    }
}

/// A part: an automaton in the sense of the paper's definition 2.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// ⟨p, δ⟩: the value of an expression where an assertion holds.
    Terminal {
        /// The assertion p; none for `true`.
        assertion: Option<FormulaId>,
        /// The expression δ.
        expr: Expr,
    },
    /// ⟨A, f⟩: the mapped value of an automaton one position later.
    Transient {
        /// The automaton A.
        next: PartId,
        /// The function f.
        function: Unary,
    },
    /// The values of two automata, joined where both have one.
    And {
        /// The function that joins them.
        function: Binary,
        /// The automaton on the left.
        left: PartId,
        /// The automaton on the right.
        right: PartId,
    },
    /// The values of two automata, joined where one of them has one.
    Or {
        /// The function that joins them.
        function: Binary,
        /// The automaton on the left.
        left: PartId,
        /// The automaton on the right.
        right: PartId,
    },
    /// `true` where an automaton has a value somewhere in a window. The paper has no bounds; this is
    /// for who follows a trace ([`Plain::Followed`]).
    Window {
        /// The distances of the window.
        interval: Interval,
        /// The automaton.
        of: PartId,
    },
    /// A function of the value of an automaton, which may give ⊥ a value.
    Apply {
        /// The function.
        function: Unary,
        /// The automaton.
        part: PartId,
    },
}

/// A function of one value, or of ⊥.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// The value as it is.
    Identity,
    /// The value of an expression over it; ⊥ stays.
    Map(Expr),
    /// A constant for ⊥, and ⊥ for any value: the paper's *negate*.
    Negate(Value),
    /// A constant for ⊥; a value stays.
    Default(Value),
    /// An empty collection for ⊥; a collection stays.
    Begin(Collector),
    /// The summary of a collection.
    Finish(Collector),
}

/// A function of two values, one of which may be ⊥ where it says so.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// The value of an expression over both. Of a disjunction, the one that is not ⊥ is left.
    Combine(Expr),
    /// Whether both compare so.
    Compare(CompareOp),
    /// The left value, or the right one if the left is ⊥. The right one is looked at only then.
    Otherwise,
    /// Both values as a pair, for a correlation. The right one is looked at only if the left is not
    /// ⊥.
    Pair,
    /// The right value, if the left is none of ⊥. The right one is looked at only then.
    Then,
    /// The left value, if the right is none of ⊥. The left one is looked at only then.
    While,
    /// The collection on the left with the value on the right taken into it; either may be ⊥.
    Collect(Collector),
}

/// An aggregate, as what is taken into it and what it is in the end.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Collector {
    /// One of those that the language has.
    Aggregate(Aggregate),
    /// One that a user wrote.
    Fold {
        /// The accumulator before the first value.
        start: Value,
        /// The function of accumulator and value.
        combine: Expr,
        /// The order in which values are taken.
        order: FoldOrder,
    },
}

impl Collector {
    /// Whether it has a value although nothing was collected.
    pub fn has_value_of_nothing(&self) -> bool {
        match self {
            Self::Aggregate(aggregate) => matches!(aggregate, Aggregate::Count | Aggregate::Distinct),
            Self::Fold { .. } => true,
        }
    }
}

/// A loop of an automaton, as the translation makes it. Its parts are those from `first` to `head`;
/// a transient node leads from the first back to the head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The first part of the loop, its transient node.
    pub first: PartId,
    /// The last part of the loop: the value of the whole.
    pub head: PartId,
    /// What the loop computes.
    pub kind: LoopKind,
}

/// What a loop computes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LoopKind {
    /// `left U right`: the paper's figure 5.
    Until {
        /// What has to succeed until then.
        left: PartId,
        /// What is waited for.
        right: PartId,
    },
    /// A collection, of an interval if there is a condition: the paper's figure 6.
    Collection {
        /// What becomes of the values.
        collector: Collector,
        /// What is collected.
        of: PartId,
        /// What has to go on succeeding.
        condition: Option<PartId>,
    },
}

/// What becomes of plain formulas inside queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Plain {
    /// They are translated too, as the paper has it: future operators without a bound become loops
    /// and transient nodes. Past and bounded formulas, which it does not have, are assertions.
    #[default]
    Unfolded,
    /// Each is an assertion of one terminal node. Where it holds is known from elsewhere.
    Asserted,
    /// Like unfolded, and `F` and `G` with a bound are windows. What is left as an assertion looks
    /// back, or cannot be followed.
    Followed,
}

/// The automata of some queries, which share their parts.
#[derive(Clone, Debug)]
pub struct Algebraic {
    parts: Vec<Part>,
    loops: Vec<Loop>,
    roots: Vec<PartId>,
}

impl Algebraic {
    /// The automata of queries over formulas of an arena.
    pub fn new<'q>(formulas: &Formulas, queries: impl IntoIterator<Item = &'q Query>, plain: Plain) -> Self {
        translate::translate(formulas, queries, plain)
    }

    /// The parts; operands stand before what is made of them, but for transient nodes.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// A part.
    pub fn part(&self, id: PartId) -> &Part {
        &self.parts[id.index()]
    }

    /// The ids of the parts, in order.
    pub fn part_ids(&self) -> impl Iterator<Item = PartId> + use<> {
        (0..self.parts.len()).map(PartId::new)
    }

    /// The loops, in order of their parts.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// The automaton of each query, in order.
    pub fn roots(&self) -> &[PartId] {
        &self.roots
    }

    /// The terminal and transient nodes, in order. The others join automata and are no nodes.
    pub fn nodes(&self) -> impl Iterator<Item = PartId> + '_ {
        self.part_ids().filter(|&id| matches!(self.part(id), Part::Terminal { .. } | Part::Transient { .. }))
    }

    /// What a part is apart from constants that stand for ⊥.
    pub fn behind_defaults(&self, id: PartId) -> PartId {
        let mut id = id;
        while let Part::Apply { function: Unary::Default(_), part } = self.part(id) {
            id = *part;
        }
        id
    }

    /// All parts that a part is made of, itself among them.
    pub fn operands(&self, id: PartId) -> Vec<PartId> {
        let mut seen = vec![false; self.parts.len()];
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match self.part(id) {
                Part::Terminal { .. } => {}
                Part::Transient { next: part, .. } | Part::Apply { part, .. } | Part::Window { of: part, .. } => {
                    open.push(*part);
                }
                Part::And { left, right, .. } | Part::Or { left, right, .. } => open.extend([*left, *right]),
            }
        }
        self.part_ids().filter(|id| seen[id.index()]).collect()
    }

    /// The first query that a part belongs to, by its place among them. Operands have lower ids than
    /// what is made of them, and no query has parts behind its root.
    pub fn query_of(&self, id: PartId) -> usize {
        self.roots.iter().position(|&root| root >= id).unwrap_or_default()
    }

    /// The formulas that terminal nodes assert, each once.
    pub fn assertions(&self) -> Vec<FormulaId> {
        let asserted = |part: &Part| match part {
            Part::Terminal { assertion, .. } => *assertion,
            _ => None,
        };
        let mut formulas: Vec<FormulaId> = self.parts.iter().filter_map(asserted).collect();
        formulas.sort_unstable();
        formulas.dedup();
        formulas
    }
}
