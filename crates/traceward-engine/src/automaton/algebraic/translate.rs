//! From queries to automata: section 5 of the paper.

use super::{Algebraic, Binary, Collector, Loop, LoopKind, Part, PartId, Plain, Unary};
use rustc_hash::{FxHashMap, FxHashSet};
use traceward_logic::expr::Expr;
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Node, Strength};
use traceward_logic::query::Query;
use traceward_logic::value::Value;

pub(super) fn translate<'q>(
    formulas: &Formulas,
    queries: impl IntoIterator<Item = &'q Query>,
    plain: Plain,
) -> Algebraic {
    let mut translation = Translation {
        formulas,
        plain,
        automaton: Algebraic { parts: Vec::new(), loops: Vec::new(), roots: Vec::new() },
        parts: FxHashMap::default(),
        loops: FxHashMap::default(),
        of_formula: FxHashMap::default(),
    };
    let roots = queries.into_iter().map(|query| translation.query(query)).collect();
    Algebraic { roots, ..translation.automaton }
}

struct Translation<'a> {
    formulas: &'a Formulas,
    plain: Plain,
    automaton: Algebraic,
    /// The parts that there are, so that equal ones are made once.
    parts: FxHashMap<Part, PartId>,
    /// The heads of the loops that there are.
    loops: FxHashMap<LoopKind, PartId>,
    of_formula: FxHashMap<FormulaId, PartId>,
}

impl Translation<'_> {
    fn query(&mut self, query: &Query) -> PartId {
        match query {
            Query::Constant(constant) => self.terminal(None, Expr::Literal(constant.clone())),
            Query::Value { guard, expr } => {
                let assertion = (self.formulas.node(*guard) != Node::Constant(true)).then_some(*guard);
                self.guarded(assertion, expr)
            }
            Query::Holds(formula) => self.formula(*formula),
            Query::And { combine, left, right } => {
                let (left, right) = (self.query(left), self.query(right));
                self.and(Binary::Combine(combine.clone()), left, right)
            }
            Query::Or { combine, left, right } => {
                let (left, right) = (self.query(left), self.query(right));
                self.or(Binary::Combine(combine.clone()), left, right)
            }
            Query::Not { constant, query } => {
                let part = self.query(query);
                self.apply(Unary::Negate(constant.clone()), part)
            }
            Query::Next { map, query } => {
                let next = self.query(query);
                self.part(Part::Transient { next, function: mapping(map) })
            }
            Query::Until { map, left, right } => {
                let (left, right) = (self.query(left), self.query(right));
                let part = self.until(left, right);
                self.apply(mapping(map), part)
            }
            Query::Default { query, constant } => {
                let part = self.query(query);
                self.apply(Unary::Default(constant.clone()), part)
            }
            Query::Aggregate { aggregate, queries, condition } => {
                let of = self.collected(queries);
                self.collection(Collector::Aggregate(*aggregate), of, *condition)
            }
            Query::Fold { start, combine, order, query, condition } => {
                let of = self.query(query);
                let collector = Collector::Fold { start: start.clone(), combine: combine.clone(), order: *order };
                self.collection(collector, of, *condition)
            }
            Query::Compare(comparison) => {
                let (left, right) = (self.query(&comparison.left), self.query(&comparison.right));
                self.and(Binary::Compare(comparison.op), left, right)
            }
        }
    }

    /// A guarded expression. A guard that is no assertion over one state is an automaton of its
    /// own, if formulas are unfolded.
    fn guarded(&mut self, assertion: Option<FormulaId>, expr: &Expr) -> PartId {
        match assertion {
            Some(formula) if self.is_unfolded(formula) => {
                let guard = self.formula(formula);
                let value = self.terminal(None, expr.clone());
                // The value is looked at only where the guard holds.
                self.and(Binary::Then, guard, value)
            }
            assertion => self.terminal(assertion, expr.clone()),
        }
    }

    /// The queries that are collected together, as one: two make pairs.
    fn collected(&mut self, queries: &[Query]) -> PartId {
        let parts: Vec<PartId> = queries.iter().map(|query| self.query(query)).collect();
        match parts[..] {
            [one, other] => self.and(Binary::Pair, one, other),
            _ => parts[0],
        }
    }

    // ---- loops ----

    /// Figure 5: `A = right ∨ (left ∧ ⟨A, id⟩)`.
    fn until(&mut self, left: PartId, right: PartId) -> PartId {
        self.looped(LoopKind::Until { left, right }, |this, again| {
            let goes_on = this.append(Part::And { function: Binary::Then, left, right: again });
            this.append(Part::Or { function: Binary::Otherwise, left: right, right: goes_on })
        })
    }

    /// Figure 6: `A = ⟨A, id⟩ ∨ of`, in an interval `A = (⟨A, id⟩ ∨ of) ∧ condition`.
    fn collection(&mut self, collector: Collector, of: PartId, condition: Option<FormulaId>) -> PartId {
        let condition = condition.map(|formula| self.formula(formula));
        let kind = LoopKind::Collection { collector: collector.clone(), of, condition };
        let head = self.looped(kind, |this, again| {
            let function = Binary::Collect(collector.clone());
            let mut head = this.append(Part::Or { function, left: again, right: of });
            if collector.has_value_of_nothing() {
                head = this.append(Part::Apply { function: Unary::Begin(collector.clone()), part: head });
            }
            match condition {
                Some(condition) => this.append(Part::And { function: Binary::While, left: head, right: condition }),
                None => head,
            }
        });
        self.apply(Unary::Finish(collector), head)
    }

    /// A loop: `body` gets the transient node that leads back to what it gives.
    fn looped(&mut self, kind: LoopKind, body: impl FnOnce(&mut Self, PartId) -> PartId) -> PartId {
        if let Some(&head) = self.loops.get(&kind) {
            return head;
        }
        let first = PartId::new(self.automaton.parts.len());
        self.append(Part::Transient { next: first, function: Unary::Identity });
        let head = body(self, first);
        self.automaton.parts[first.index()] = Part::Transient { next: head, function: Unary::Identity };
        self.automaton.loops.push(Loop { first, head, kind: kind.clone() });
        self.loops.insert(kind, head);
        head
    }

    // ---- formulas ----

    /// Whether a formula is more than an assertion over one state, and not one as a whole either.
    fn is_unfolded(&self, formula: FormulaId) -> bool {
        self.plain != Plain::Asserted && !matches!(self.formulas.node(formula), Node::Atom(_))
    }

    /// The automaton of a plain formula, with the value `true` where it holds. Formulas are shared
    /// and may be deep, so this is a loop over their parts.
    fn formula(&mut self, formula: FormulaId) -> PartId {
        if self.plain == Plain::Asserted {
            return self.asserted(formula);
        }
        for part in self.new_parts(formula) {
            let automaton = self.operator(part);
            self.of_formula.insert(part, automaton);
        }
        self.of_formula[&formula]
    }

    /// The parts of a formula that need an automaton and have none, parts before wholes. What
    /// stands inside an assertion needs none.
    fn new_parts(&self, formula: FormulaId) -> Vec<FormulaId> {
        let mut needed: FxHashSet<FormulaId> = FxHashSet::default();
        let mut open = vec![formula];
        while let Some(part) = open.pop() {
            if !self.of_formula.contains_key(&part) && needed.insert(part) {
                let node = self.formulas.node(part);
                open.extend(node.children().filter(|_| is_translated(node, self.plain)));
            }
        }
        let mut parts: Vec<FormulaId> = needed.into_iter().collect();
        parts.sort_unstable();
        parts
    }

    fn asserted(&mut self, formula: FormulaId) -> PartId {
        match self.formulas.node(formula) {
            Node::Constant(true) => self.truth(),
            _ => self.terminal(Some(formula), Expr::literal(true)),
        }
    }

    /// The automaton of an operator whose operands have theirs.
    fn operator(&mut self, formula: FormulaId) -> PartId {
        let of = |this: &Self, f: FormulaId| this.of_formula[&f];
        match self.formulas.node(formula) {
            Node::Not(f) => {
                let f = of(self, f);
                self.negated(f)
            }
            Node::And(f, g) => {
                let (f, g) = (of(self, f), of(self, g));
                self.both(f, g)
            }
            Node::Or(f, g) => {
                let (f, g) = (of(self, f), of(self, g));
                self.or(Binary::Combine(Expr::literal(true)), f, g)
            }
            Node::Next(Direction::Future, strength, f) => {
                let f = of(self, f);
                self.next(strength, f)
            }
            Node::Eventually(Direction::Future, interval, f) if interval.is_all() => {
                let (truth, f) = (self.truth(), of(self, f));
                self.until(truth, f)
            }
            Node::Always(Direction::Future, interval, f) if interval.is_all() => {
                let (truth, f) = (self.truth(), of(self, f));
                let fails = self.negated(f);
                let eventually = self.until(truth, fails);
                self.negated(eventually)
            }
            Node::Binary(op, Direction::Future, interval, f, g) if interval.is_all() => {
                let (f, g) = (of(self, f), of(self, g));
                self.binary(op, f, g)
            }
            Node::Eventually(Direction::Future, interval, f) if self.plain == Plain::Followed => {
                let of = of(self, f);
                self.part(Part::Window { interval, of })
            }
            Node::Always(Direction::Future, interval, f) if self.plain == Plain::Followed => {
                let f = of(self, f);
                let of = self.negated(f);
                let fails = self.part(Part::Window { interval, of });
                self.negated(fails)
            }
            _ => self.asserted(formula),
        }
    }

    fn next(&mut self, strength: Strength, f: PartId) -> PartId {
        let function = Unary::Identity;
        match strength {
            Strength::Strong => self.part(Part::Transient { next: f, function }),
            Strength::Weak => {
                let fails = self.negated(f);
                let next = self.part(Part::Transient { next: fails, function });
                self.negated(next)
            }
        }
    }

    /// Operators that the paper does not have are written by `U` and negation.
    fn binary(&mut self, op: BinaryOp, f: PartId, g: PartId) -> PartId {
        match op {
            BinaryOp::Until => self.until(f, g),
            BinaryOp::StrongRelease => {
                let released = self.both(f, g);
                self.until(g, released)
            }
            BinaryOp::Release => {
                let (f, g) = (self.negated(f), self.negated(g));
                let fails = self.until(f, g);
                self.negated(fails)
            }
            BinaryOp::WeakUntil => {
                let (f, g) = (self.negated(f), self.negated(g));
                let neither = self.both(f, g);
                let fails = self.until(g, neither);
                self.negated(fails)
            }
        }
    }

    // ---- parts ----

    fn truth(&mut self) -> PartId {
        self.terminal(None, Expr::literal(true))
    }

    fn negated(&mut self, part: PartId) -> PartId {
        self.apply(Unary::Negate(Value::Bool(true)), part)
    }

    fn both(&mut self, left: PartId, right: PartId) -> PartId {
        self.and(Binary::Combine(Expr::literal(true)), left, right)
    }

    fn terminal(&mut self, assertion: Option<FormulaId>, expr: Expr) -> PartId {
        self.part(Part::Terminal { assertion, expr })
    }

    fn and(&mut self, function: Binary, left: PartId, right: PartId) -> PartId {
        self.part(Part::And { function, left, right })
    }

    fn or(&mut self, function: Binary, left: PartId, right: PartId) -> PartId {
        self.part(Part::Or { function, left, right })
    }

    fn apply(&mut self, function: Unary, part: PartId) -> PartId {
        if function == Unary::Identity { part } else { self.part(Part::Apply { function, part }) }
    }

    /// A part, made unless there is one like it.
    fn part(&mut self, part: Part) -> PartId {
        if let Some(&id) = self.parts.get(&part) {
            return id;
        }
        let id = self.append(part.clone());
        self.parts.insert(part, id);
        id
    }

    fn append(&mut self, part: Part) -> PartId {
        self.automaton.parts.push(part);
        PartId::new(self.automaton.parts.len() - 1)
    }
}

/// Whether an operator has an automaton of its own. The paper has none for the past and for bounds.
fn is_translated(node: Node, plain: Plain) -> bool {
    match node {
        Node::Constant(_) | Node::Atom(_) => false,
        Node::Not(_) | Node::And(..) | Node::Or(..) => true,
        Node::Next(direction, ..) => direction == Direction::Future,
        Node::Eventually(direction, interval, _) | Node::Always(direction, interval, _) => {
            direction == Direction::Future && (interval.is_all() || plain == Plain::Followed)
        }
        Node::Binary(_, direction, interval, ..) => direction == Direction::Future && interval.is_all(),
    }
}

/// The function of a `X[f]` or `U[f]`; left out it is the identity.
fn mapping(map: &Expr) -> Unary {
    match map {
        Expr::Parameter(0) => Unary::Identity,
        map => Unary::Map(map.clone()),
    }
}
