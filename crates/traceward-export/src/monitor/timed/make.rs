//! The parts of a monitor, made of a formula.

use super::{Goal, Kind, Part, Refused, Sense, Unbounded, Value, ValueId};
use std::collections::BTreeMap;
use traceward_logic::formula::{BinaryOp, Direction, Expansion, FormulaId, Formulas, Interval, Node, Strength, Unit};
use traceward_logic::letter::Alphabet;
use traceward_logic::pass::negation_normal_form;

pub(super) struct Making<'a> {
    formulas: &'a mut Formulas,
    alphabet: &'a Alphabet,
    pub(super) values: Vec<Value>,
    pub(super) kept: Vec<ValueId>,
    pub(super) marks: usize,
    pub(super) parts: Vec<Part>,
    known: BTreeMap<FormulaId, ValueId>,
}

/// The window of an operator that opens at once.
#[derive(Clone, Copy)]
struct Within(Option<u64>);

/// What a part that looks ahead asks: `hold U goal`, or `hold R goal`.
#[derive(Clone, Copy)]
struct Ahead {
    strength: Strength,
    within: Within,
    hold: FormulaId,
    goal: FormulaId,
}

impl<'a> Making<'a> {
    pub(super) fn new(formulas: &'a mut Formulas, alphabet: &'a Alphabet) -> Self {
        Self {
            formulas,
            alphabet,
            values: Vec::new(),
            kept: Vec::new(),
            marks: 0,
            parts: Vec::new(),
            known: BTreeMap::default(),
        }
    }

    /// What has to be met for a formula to hold.
    pub(super) fn goal(&mut self, root: FormulaId) -> Result<Goal, Refused> {
        let normal = negation_normal_form(self.formulas, &[root])[0];
        self.asked(normal)
    }

    /// What a formula in normal form asks of the first state.
    fn asked(&mut self, formula: FormulaId) -> Result<Goal, Refused> {
        if !self.looks_ahead(formula) {
            let never = self.formulas.constant(false);
            let now = Ahead { strength: Strength::Strong, within: Within(None), hold: never, goal: formula };
            return self.once(now);
        }
        match self.formulas.node(formula) {
            Node::And(f, g) => Ok(Goal::All(vec![self.asked(f)?, self.asked(g)?])),
            Node::Or(f, g) => Ok(Goal::Any(vec![self.asked(f)?, self.asked(g)?])),
            Node::Always(Direction::Future, interval, f) if is_all(interval) => self.always(f, Sense::Asked),
            Node::Eventually(Direction::Future, interval, f) if is_all(interval) => {
                let not = self.negated(f);
                self.always(not, Sense::Negated)
            }
            _ => {
                let ahead = self.ahead(formula)?;
                self.once(ahead)
            }
        }
    }

    /// `hold U goal` in the first state, or `hold R goal`, which is `!(!hold U !goal)`.
    fn once(&mut self, ahead: Ahead) -> Result<Goal, Refused> {
        let Ahead { strength, within, mut hold, mut goal } = ahead;
        let sense = match strength {
            Strength::Strong => Sense::Asked,
            Strength::Weak => {
                (hold, goal) = (self.negated(hold), self.negated(goal));
                Sense::Negated
            }
        };
        let (hold, goal) = (self.value(hold)?, self.value(goal)?);
        Ok(self.part(Part { kind: Kind::Once, hold, goal, within: within.0, sense }))
    }

    /// `G f`, or its negation.
    fn always(&mut self, formula: FormulaId, sense: Sense) -> Result<Goal, Refused> {
        let (mut unless, mut ahead) = (self.formulas.constant(false), Vec::new());
        for one in self.disjuncts(formula) {
            if self.looks_ahead(one) {
                ahead.push(one);
            } else {
                unless = self.formulas.or(unless, one);
            }
        }
        match (&ahead[..], ahead.first().map(|one| self.formulas.node(*one))) {
            ([], _) => self.response(unless, None, sense),
            ([_], Some(Node::And(f, g))) => {
                let [f, g] = [f, g].map(|one| self.formulas.or(unless, one));
                let both = vec![self.always(f, sense)?, self.always(g, sense)?];
                Ok(if sense == Sense::Asked { Goal::All(both) } else { Goal::Any(both) })
            }
            // `G(G f)` is `G f`.
            ([_], Some(Node::Always(Direction::Future, interval, f)))
                if is_all(interval) && self.formulas.node(unless) == Node::Constant(false) =>
            {
                self.always(f, sense)
            }
            (&[one], _) => {
                let ahead = self.ahead(one)?;
                self.response(unless, Some(ahead), sense)
            }
            _ => Err(Refused { part: formula, reason: Unbounded::LooksAhead }),
        }
    }

    fn response(&mut self, unless: FormulaId, ahead: Option<Ahead>, sense: Sense) -> Result<Goal, Refused> {
        let never = self.formulas.constant(false);
        let nothing = Ahead { strength: Strength::Strong, within: Within(None), hold: never, goal: never };
        let Ahead { strength, within, hold, goal } = ahead.unwrap_or(nothing);
        let unless = self.value(unless)?;
        let kind = match strength {
            Strength::Strong => Kind::Response { unless },
            Strength::Weak => Kind::Binding { unless },
        };
        let (hold, goal) = (self.value(hold)?, self.value(goal)?);
        Ok(self.part(Part { kind, hold, goal, within: within.0, sense }))
    }

    fn part(&mut self, part: Part) -> Goal {
        self.parts.push(part);
        Goal::Part(self.parts.len() - 1)
    }

    /// An operator that looks ahead over operands that do not.
    fn ahead(&mut self, formula: FormulaId) -> Result<Ahead, Refused> {
        let refused = |reason| Err(Refused { part: formula, reason });
        let node = self.formulas.node(formula);
        if node.children().any(|child| self.looks_ahead(child)) {
            return refused(Unbounded::LooksAhead);
        }
        let Some(interval) = node.interval() else { return refused(Unbounded::LooksAhead) };
        let within = match within(interval) {
            Ok(within) => within,
            Err(reason) => return refused(reason),
        };
        let (strength, hold, goal) = match node {
            Node::Eventually(_, _, g) => (Strength::Strong, self.formulas.constant(true), g),
            Node::Always(_, _, g) => (Strength::Weak, self.formulas.constant(false), g),
            Node::Binary(BinaryOp::Until, _, _, f, g) => (Strength::Strong, f, g),
            Node::Binary(BinaryOp::Release, _, _, f, g) => (Strength::Weak, f, g),
            Node::Binary(BinaryOp::StrongRelease, _, _, f, g) => (Strength::Strong, g, self.formulas.and(f, g)),
            Node::Binary(BinaryOp::WeakUntil, _, _, f, g) => (Strength::Weak, g, self.formulas.or(f, g)),
            _ => return refused(Unbounded::LooksAhead),
        };
        Ok(Ahead { strength, within, hold, goal })
    }

    fn disjuncts(&self, formula: FormulaId) -> Vec<FormulaId> {
        match self.formulas.node(formula) {
            Node::Or(f, g) => [self.disjuncts(f), self.disjuncts(g)].concat(),
            _ => vec![formula],
        }
    }

    fn looks_ahead(&self, formula: FormulaId) -> bool {
        let is_ahead = |part: FormulaId| self.formulas.node(part).direction() == Some(Direction::Future);
        self.formulas.parts(&[formula]).into_iter().any(is_ahead)
    }

    fn negated(&mut self, formula: FormulaId) -> FormulaId {
        let not = self.formulas.not(formula);
        negation_normal_form(self.formulas, &[not])[0]
    }

    /// The value of a formula that does not look ahead.
    fn value(&mut self, root: FormulaId) -> Result<ValueId, Refused> {
        for part in self.formulas.parts(&[root]) {
            if !self.known.contains_key(&part) {
                let value = self.computed(part)?;
                self.known.insert(part, value);
            }
        }
        Ok(self.known[&root])
    }

    /// The value of a formula whose parts have theirs.
    fn computed(&mut self, formula: FormulaId) -> Result<ValueId, Refused> {
        let refused = |reason| Refused { part: formula, reason };
        let node = self.formulas.node(formula);
        Ok(match node {
            Node::Constant(bit) => self.push(Value::Constant(bit)),
            Node::Atom(atom) => {
                let proposition = self.alphabet.proposition(atom).expect("an atom of the formula");
                self.push(Value::Input(proposition.index()))
            }
            Node::Not(f) => self.not(self.known[&f]),
            Node::And(f, g) => self.and(self.known[&f], self.known[&g]),
            Node::Or(f, g) => self.or(self.known[&f], self.known[&g]),
            Node::Next(_, strength, f) => {
                let value = self.known[&f];
                let (kept, before) = self.before(strength);
                self.kept[kept] = value;
                before
            }
            Node::Eventually(_, Interval { unit: Unit::Time, from, to: None }, f) if from > 0 => {
                self.long_ago(self.known[&f], from)
            }
            Node::Always(_, Interval { unit: Unit::Time, from, to: None }, f) if from > 0 => {
                let not = self.not(self.known[&f]);
                let long_ago = self.long_ago(not, from);
                self.not(long_ago)
            }
            _ => {
                let interval = node.interval().expect("all others have one");
                let Within(within) = within(interval).map_err(refused)?;
                self.looking_back(node, within)
            }
        })
    }

    /// A past operator whose window begins at once. What it asks beside the end of its window is
    /// what it asks without one.
    fn looking_back(&mut self, node: Node, within: Option<u64>) -> ValueId {
        let known = |f: FormulaId| self.known[&f];
        let (op, f, g) = match node {
            Node::Eventually(_, _, f) => (BinaryOp::Until, None, known(f)),
            Node::Always(_, _, f) => (BinaryOp::Release, None, known(f)),
            Node::Binary(op, _, _, f, g) => (op, Some(known(f)), known(g)),
            _ => unreachable!("operators with a window"),
        };
        match (f, within, op) {
            (None, Some(within), BinaryOp::Until) => return self.lately(g, within),
            (None, Some(within), _) => return self.throughout(g, within),
            _ => {}
        }
        let f = f.unwrap_or_else(|| self.push(Value::Constant(op == BinaryOp::Until)));
        let unbounded = self.recurring(op, f, g);
        let Some(within) = within else { return unbounded };
        match op {
            BinaryOp::Until => {
                let lately = self.lately(g, within);
                self.and(unbounded, lately)
            }
            BinaryOp::StrongRelease => {
                let both = self.and(f, g);
                let lately = self.lately(both, within);
                self.and(unbounded, lately)
            }
            BinaryOp::Release => {
                let throughout = self.throughout(g, within);
                self.or(unbounded, throughout)
            }
            BinaryOp::WeakUntil => {
                let since = self.recurring(BinaryOp::Until, f, g);
                let lately = self.lately(g, within);
                let since = self.and(since, lately);
                let throughout = self.throughout(f, within);
                self.or(since, throughout)
            }
        }
    }

    /// A past operator without a bound, by its value in the state before.
    fn recurring(&mut self, op: BinaryOp, f: ValueId, g: ValueId) -> ValueId {
        let (kept, before) = self.before(op.strength());
        let value = match op.expansion() {
            Expansion::Until => {
                let goes_on = self.and(f, before);
                self.or(g, goes_on)
            }
            Expansion::Release => {
                let goes_on = self.or(f, before);
                self.and(g, goes_on)
            }
        };
        self.kept[kept] = value;
        value
    }

    /// A value of the state before; what it is of is put in afterwards.
    fn before(&mut self, strength: Strength) -> (usize, ValueId) {
        let kept = self.kept.len();
        self.kept.push(ValueId(0));
        (kept, self.push(Value::Before { kept, at_first: strength.holds() }))
    }

    fn lately(&mut self, of: ValueId, within: u64) -> ValueId {
        self.marks += 1;
        self.push(Value::Lately { of, mark: self.marks - 1, within })
    }

    fn throughout(&mut self, of: ValueId, within: u64) -> ValueId {
        let not = self.not(of);
        let lately = self.lately(not, within);
        self.not(lately)
    }

    fn long_ago(&mut self, of: ValueId, from: u64) -> ValueId {
        self.marks += 1;
        self.push(Value::LongAgo { of, mark: self.marks - 1, from })
    }

    fn not(&mut self, of: ValueId) -> ValueId {
        match self.values[of.0] {
            Value::Constant(bit) => self.push(Value::Constant(!bit)),
            Value::Not(inner) => inner,
            _ => self.push(Value::Not(of)),
        }
    }

    fn and(&mut self, one: ValueId, other: ValueId) -> ValueId {
        match (self.values[one.0], self.values[other.0]) {
            (Value::Constant(true), _) | (_, Value::Constant(false)) => other,
            (_, Value::Constant(true)) | (Value::Constant(false), _) => one,
            _ => self.push(Value::And(one, other)),
        }
    }

    fn or(&mut self, one: ValueId, other: ValueId) -> ValueId {
        match (self.values[one.0], self.values[other.0]) {
            (Value::Constant(false), _) | (_, Value::Constant(true)) => other,
            (_, Value::Constant(false)) | (Value::Constant(true), _) => one,
            _ => self.push(Value::Or(one, other)),
        }
    }

    fn push(&mut self, value: Value) -> ValueId {
        self.values.push(value);
        ValueId(self.values.len() - 1)
    }
}

/// Whether a window has no end, and begins at once.
fn is_all(interval: Interval) -> bool {
    interval.from == 0 && interval.to.is_none()
}

/// The nanoseconds of a window that opens at once, if it is one.
fn within(interval: Interval) -> Result<Within, Unbounded> {
    match interval {
        interval if is_all(interval) => Ok(Within(None)),
        Interval { unit: Unit::Steps, .. } => Err(Unbounded::CountsSteps),
        Interval { from: 0, to, .. } => Ok(Within(to)),
        _ => Err(Unbounded::OpensLater),
    }
}
