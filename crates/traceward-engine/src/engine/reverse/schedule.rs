//! The schedule of reverse traversal: which rows are computed, and in which order.

use crate::automaton::alternating::{Alternating, Condition, ConditionId, Label, Look, NodeId};
use rustc_hash::FxHashMap;
use traceward_logic::formula::{
    BinaryOp, Direction, Expansion, FormulaId, Formulas, Interval, Node as Operator, Strength, Unit,
};
use traceward_logic::letter::{Alphabet, Proposition};

/// A finished row: one bit per position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct RowId(pub(super) u32);

/// A value that lives for one block of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Register(pub(super) u32);

/// The stages in order, and the rows in which the answers are found.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    pub(super) stages: Vec<Stage>,
    pub(super) row_count: u32,
    pub(super) roots: Vec<RowId>,
}

#[derive(Clone, Debug)]
pub(super) enum Stage {
    Pass(Pass),
    Window(WindowStage),
}

/// One walk over all positions in one direction, all operations fused block by block.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub(super) direction: Direction,
    pub(super) operations: Vec<Operation>,
    pub(super) outputs: Vec<(Register, RowId)>,
}

/// An operation of a pass. Each one writes the register of its own index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Constant(bool),
    Proposition(Proposition),
    NotProposition(Proposition),
    /// Where a trace ends, in the direction of the pass.
    Border,
    NotBorder,
    Row(RowId),
    And(Register, Register),
    Or(Register, Register),
    /// The value one position on, and `end` where there is none.
    Shift {
        of: Register,
        end: bool,
    },
    /// `v[j] = low[j] | (high[j] & v[j±1])`, with `end` beyond the last position.
    Chain {
        low: Register,
        high: Register,
        end: bool,
    },
    /// The value this many positions on, and `end` where there is none.
    Delay {
        of: Register,
        steps: u64,
        end: bool,
    },
    /// Whether the operand holds at some or every position up to this far away.
    Within {
        of: Register,
        unit: Unit,
        limit: u64,
        extent: Extent,
    },
}

impl Pass {
    /// The same without operations whose register nobody reads.
    fn without_unused(mut self) -> Self {
        let mut is_used = vec![false; self.operations.len()];
        self.outputs.iter().for_each(|(register, _)| is_used[register.0 as usize] = true);
        for index in (0..self.operations.len()).rev() {
            if is_used[index] {
                self.operations[index].operands(|register| is_used[register.0 as usize] = true);
            }
        }
        let places: Vec<u32> =
            is_used.iter().scan(0, |next, used| Some(std::mem::replace(next, *next + u32::from(*used)))).collect();
        let mut used = is_used.into_iter();
        self.operations.retain(|_| used.next() == Some(true));
        let place = |register: &mut Register| register.0 = places[register.0 as usize];
        self.operations.iter_mut().for_each(|operation| operation.operands(place));
        self.outputs.iter_mut().for_each(|(register, _)| place(register));
        self
    }
}

impl Operation {
    /// Lets somebody look at the registers that are read.
    fn operands(&mut self, mut look: impl FnMut(&mut Register)) {
        match self {
            Self::Constant(_) | Self::Proposition(_) | Self::NotProposition(_) => {}
            Self::Border | Self::NotBorder | Self::Row(_) => {}
            Self::And(left, right) | Self::Or(left, right) | Self::Chain { low: left, high: right, .. } => {
                look(left);
                look(right);
            }
            Self::Shift { of, .. } | Self::Delay { of, .. } | Self::Within { of, .. } => look(of),
        }
    }
}

/// The positions of a window at which something has to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    Some,
    Every,
}

/// An operator whose window opens later in time, over finished rows: where it opens is not the same
/// number of steps for all positions, so no part of a row is known to be near.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowStage {
    pub(super) direction: Direction,
    pub(super) opens: u64,
    pub(super) closes: Option<u64>,
    pub(super) kind: WindowKind,
    pub(super) output: RowId,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum WindowKind {
    Eventually(RowId),
    Always(RowId),
    Binary(BinaryOp, RowId, RowId),
}

/// The number of the stage in which a condition is computed. Stage 0 is for conditions on one state
/// only, and is part of every pass. The others repeat with a period: past, future, windows.
type StageNumber = u32;
const STATE: StageNumber = 0;
const PAST: StageNumber = 1;
const FUTURE: StageNumber = 2;
const WINDOW: StageNumber = 3;
const PERIOD: StageNumber = 3;

/// The kind of a stage: state, past, future or window.
fn kind(stage: StageNumber) -> StageNumber {
    if stage == STATE { STATE } else { (stage - 1) % PERIOD + 1 }
}

/// The least stage of a kind that does not come before another.
fn at_least(stage: StageNumber, wanted: StageNumber) -> StageNumber {
    (stage.max(1)..).find(|&stage| kind(stage) == wanted).unwrap_or(stage)
}

/// The traces that rows are filled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Traces {
    One,
    /// Several, one behind the other. What an operator sees ends at a border. So chains are cut
    /// there, and what looks some way ahead is asked whether a border lies between.
    EndToEnd,
}

impl Schedule {
    /// The schedule that fills the rows of these conditions.
    pub(super) fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        automaton: &Alternating,
        wanted: &[ConditionId],
        traces: Traces,
    ) -> Self {
        let (conditions, rows) = (Vec::new(), FxHashMap::default());
        let mut scheduler = Scheduler { formulas, alphabet, automaton, traces, conditions, rows };
        scheduler.look_at_conditions();
        scheduler.give_rows(wanted);
        scheduler.schedule(wanted)
    }
}

/// The facts about a condition that the schedule is made of.
#[derive(Clone, Debug)]
struct Facts {
    form: Method,
    /// The conditions it is computed from.
    parts: Vec<ConditionId>,
    stage: StageNumber,
}

/// The method by which a condition is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Method {
    /// The condition contains this node, and is computed only as part of the node's δ.
    Inside(NodeId),
    /// The condition contains this node, and is computed as the node's δ.
    Loop(NodeId),
    /// The condition is computed as it is: a leaf, a connective, or a node that does not occur in
    /// its own δ.
    Plain,
    /// The condition is computed as a bounded operator over its operands.
    Bounded(FormulaId),
    /// The condition is computed as a bounded operator over finished rows.
    Window(FormulaId),
}

struct Scheduler<'a> {
    formulas: &'a Formulas,
    alphabet: &'a Alphabet,
    automaton: &'a Alternating,
    traces: Traces,
    conditions: Vec<Facts>,
    /// The conditions that some later stage, window or caller needs as a finished row.
    rows: FxHashMap<ConditionId, RowId>,
}

impl Scheduler<'_> {
    fn facts(&self, id: ConditionId) -> &Facts {
        &self.conditions[id.index()]
    }

    /// Conditions are made after their parts, except that a looping node is made before its δ.
    fn look_at_conditions(&mut self) {
        for id in self.automaton.condition_ids() {
            let facts = match self.automaton.condition(id) {
                Condition::Empty => self.plain(Vec::new(), STATE),
                Condition::Node(node) => self.look_at_node(node, id),
                Condition::And(left, right) | Condition::Or(left, right) => self.look_at_connective(id, [left, right]),
            };
            self.conditions.push(facts);
        }
    }

    fn plain(&self, parts: Vec<ConditionId>, stage: StageNumber) -> Facts {
        Facts { form: Method::Plain, parts, stage }
    }

    fn latest(&self, parts: &[ConditionId]) -> StageNumber {
        parts.iter().map(|part| self.facts(*part).stage).max().unwrap_or(STATE)
    }

    fn look_at_node(&self, id: NodeId, own: ConditionId) -> Facts {
        let node = self.automaton.node(id);
        match (node.look, node.label) {
            (Look::Here, Label::Bounded(formula)) => {
                let operands = self.formulas.node(formula).children();
                let parts = operands.filter_map(|child| self.automaton.of_formula(child)).collect();
                self.look_at_bounded(formula, parts)
            }
            (Look::Here, _) => self.plain(Vec::new(), STATE),
            _ if node.next > own => Facts { form: Method::Inside(id), parts: Vec::new(), stage: STATE },
            _ => self.plain(vec![node.next], at_least(self.latest(&[node.next]), looks_at(node.look))),
        }
    }

    fn look_at_bounded(&self, formula: FormulaId, parts: Vec<ConditionId>) -> Facts {
        let node = self.formulas.node(formula);
        let latest = self.latest(&parts);
        if !node.interval().is_some_and(opens_later_in_time) {
            let direction = if node.direction() == Some(Direction::Past) { PAST } else { FUTURE };
            return Facts { form: Method::Bounded(formula), parts, stage: at_least(latest, direction) };
        }
        let stage = at_least(latest, WINDOW);
        // Another window may be an operand: it has to be finished before.
        let stage = if latest == stage { at_least(stage + 1, WINDOW) } else { stage };
        Facts { form: Method::Window(formula), parts, stage }
    }

    fn look_at_connective(&self, id: ConditionId, sides: [ConditionId; 2]) -> Facts {
        let mut inside = None;
        let mut parts = Vec::new();
        for side in sides {
            match self.facts(side).form {
                Method::Inside(node) => {
                    inside = Some(node);
                    parts.extend(self.facts(side).parts.iter().copied());
                }
                _ => parts.push(side),
            }
        }
        let latest = self.latest(&parts);
        match inside {
            None if kind(latest) == WINDOW => self.plain(parts, latest + 1),
            None => self.plain(parts, latest),
            Some(node) if self.automaton.node(node).next == id => {
                let stage = at_least(latest, looks_at(self.automaton.node(node).look));
                Facts { form: Method::Loop(node), parts, stage }
            }
            Some(node) => Facts { form: Method::Inside(node), parts, stage: latest },
        }
    }

    /// Whether a pass takes the condition from a finished row that another stage has filled.
    fn is_taken_from_row(&self, id: ConditionId, stage: StageNumber) -> bool {
        let own = self.facts(id).stage;
        own != STATE && own != stage
    }

    fn give_rows(&mut self, roots: &[ConditionId]) {
        let mut seen = vec![false; self.conditions.len()];
        let mut open = roots.to_vec();
        let mut wanted = roots.to_vec();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let facts = self.facts(id);
            let is_window = matches!(facts.form, Method::Window(_));
            let other = |part: &&ConditionId| is_window || self.is_taken_from_row(**part, facts.stage);
            wanted.extend(facts.parts.iter().filter(other));
            open.extend(&facts.parts);
        }
        wanted.sort_unstable();
        wanted.dedup();
        self.rows = wanted.into_iter().zip((0..).map(RowId)).collect();
    }

    fn schedule(&self, roots: &[ConditionId]) -> Schedule {
        let mut wanted: Vec<ConditionId> = self.rows.keys().copied().collect();
        wanted.sort_unstable_by_key(|id| (self.facts(*id).stage, *id));
        let mut stages = Vec::new();
        for of_stage in wanted.chunk_by(|a, b| self.facts(*a).stage == self.facts(*b).stage) {
            let stage = self.facts(of_stage[0]).stage;
            match kind(stage) {
                WINDOW => stages.extend(of_stage.iter().filter_map(|id| self.window(*id)).map(Stage::Window)),
                PAST => stages.push(Stage::Pass(PassBuilder::new(self, stage, Direction::Past).build(of_stage))),
                _ => stages.push(Stage::Pass(PassBuilder::new(self, stage, Direction::Future).build(of_stage))),
            }
        }
        let roots = roots.iter().map(|root| self.rows[root]).collect();
        Schedule { stages, row_count: self.rows.len() as u32, roots }
    }

    fn window(&self, id: ConditionId) -> Option<WindowStage> {
        let Method::Window(formula) = self.facts(id).form else { return None };
        let row = |f: FormulaId| self.automaton.of_formula(f).map(|operand| self.rows[&operand]);
        let (direction, interval, kind) = match self.formulas.node(formula) {
            Operator::Eventually(direction, interval, f) => (direction, interval, WindowKind::Eventually(row(f)?)),
            Operator::Always(direction, interval, f) => (direction, interval, WindowKind::Always(row(f)?)),
            Operator::Binary(op, direction, interval, f, g) => {
                (direction, interval, WindowKind::Binary(op, row(f)?, row(g)?))
            }
            _ => return None,
        };
        let Interval { from: opens, to: closes, .. } = interval;
        Some(WindowStage { direction, opens, closes, kind, output: self.rows[&id] })
    }
}

fn opens_later_in_time(interval: Interval) -> bool {
    interval.unit == Unit::Time && interval.from > 0
}

fn looks_at(look: Look) -> StageNumber {
    if look == Look::Back { PAST } else { FUTURE }
}

/// Makes the operations of one pass, each condition once.
struct PassBuilder<'a, 'b> {
    scheduler: &'a Scheduler<'b>,
    stage: StageNumber,
    pass: Pass,
    registers: FxHashMap<ConditionId, Register>,
    constants: [Option<Register>; 2],
    /// Where no trace ends, and where one does.
    borders: [Option<Register>; 2],
}

impl<'a, 'b> PassBuilder<'a, 'b> {
    fn new(scheduler: &'a Scheduler<'b>, stage: StageNumber, direction: Direction) -> Self {
        let pass = Pass { direction, operations: Vec::new(), outputs: Vec::new() };
        Self { scheduler, stage, pass, registers: FxHashMap::default(), constants: [None; 2], borders: [None; 2] }
    }

    fn build(mut self, wanted: &[ConditionId]) -> Pass {
        for id in self.needed(wanted) {
            let register = self.compute(id);
            self.registers.insert(id, register);
        }
        for id in wanted {
            self.pass.outputs.push((self.registers[id], self.scheduler.rows[id]));
        }
        self.pass.without_unused()
    }

    /// The conditions that the wanted ones are computed from in this pass, parts first.
    fn needed(&self, wanted: &[ConditionId]) -> Vec<ConditionId> {
        let mut seen = vec![false; self.scheduler.conditions.len()];
        let mut open = wanted.to_vec();
        let mut needed = Vec::new();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            needed.push(id);
            if !self.scheduler.is_taken_from_row(id, self.stage) {
                open.extend(&self.scheduler.facts(id).parts);
            }
        }
        needed.sort_unstable();
        needed
    }

    fn compute(&mut self, id: ConditionId) -> Register {
        if self.scheduler.is_taken_from_row(id, self.stage) {
            return self.push(Operation::Row(self.scheduler.rows[&id]));
        }
        match (self.scheduler.facts(id).form, self.scheduler.automaton.condition(id)) {
            (Method::Loop(node), _) => self.chain(node, id),
            (Method::Bounded(formula), _) => self.bounded(formula),
            (_, Condition::Empty) => self.constant(true),
            (_, Condition::And(left, right)) => self.and(self.registers[&left], self.registers[&right]),
            (_, Condition::Or(left, right)) => self.or(self.registers[&left], self.registers[&right]),
            (_, Condition::Node(node)) => self.node(node),
        }
    }

    fn node(&mut self, id: NodeId) -> Register {
        let node = self.scheduler.automaton.node(id);
        let proposition = |atom| self.scheduler.alphabet.proposition(atom).expect("an atom of the alphabet");
        match (node.look, node.label) {
            (Look::Here, Label::Constant(bit)) => self.constant(bit),
            (Look::Here, Label::Atom(atom)) => self.push(Operation::Proposition(proposition(atom))),
            (Look::Here, Label::NotAtom(atom)) => self.push(Operation::NotProposition(proposition(atom))),
            _ => self.shift(self.registers[&node.next], node.accepting),
        }
    }

    /// The values of a looping node's δ, from δ with the node replaced by false and by true.
    fn chain(&mut self, node: NodeId, whole: ConditionId) -> Register {
        let low = self.with_node(whole, false);
        let high = self.with_node(whole, true);
        self.cut_chain(low, high, self.scheduler.automaton.node(node).accepting)
    }

    /// A condition with the node it contains replaced by a constant.
    fn with_node(&mut self, id: ConditionId, bit: bool) -> Register {
        let condition = self.scheduler.automaton.condition(id);
        match (self.scheduler.facts(id).form, condition) {
            (Method::Inside(_), Condition::Node(_)) => self.constant(bit),
            (Method::Inside(_) | Method::Loop(_), Condition::And(left, right)) => {
                let (left, right) = (self.side(left, bit), self.side(right, bit));
                self.and(left, right)
            }
            (Method::Inside(_) | Method::Loop(_), Condition::Or(left, right)) => {
                let (left, right) = (self.side(left, bit), self.side(right, bit));
                self.or(left, right)
            }
            _ => self.registers[&id],
        }
    }

    /// A side of a connective inside a loop; another loop within it is finished, and no concern of
    /// this one.
    fn side(&mut self, id: ConditionId, bit: bool) -> Register {
        match self.scheduler.facts(id).form {
            Method::Inside(_) => self.with_node(id, bit),
            _ => self.registers[&id],
        }
    }

    /// A bounded operator is the unbounded one, cut off at the far end of its window, and seen from
    /// as many steps before as its near end says.
    fn bounded(&mut self, formula: FormulaId) -> Register {
        let node = self.scheduler.formulas.node(formula);
        let interval = node.interval().unwrap_or(Interval::ALL);
        let end = node.strength().is_some_and(Strength::holds);
        let opened = match interval.to {
            Some(to) if to < interval.from => return self.constant(end),
            Some(to) => self.cut_off(node, interval.unit, to - interval.from),
            None => {
                let (low, high) = self.low_and_high(node);
                self.cut_chain(low, high, end)
            }
        };
        match interval.from {
            0 => opened,
            1 => self.shift(opened, end),
            steps => self.delay(opened, steps, end),
        }
    }

    /// An operator whose window opens at once and closes at a limit. A strong one has to be settled
    /// within it; a weak one may go on to its end.
    fn cut_off(&mut self, node: Operator, unit: Unit, limit: u64) -> Register {
        let (low, high) = self.low_and_high(node);
        let (end, of, extent) = match node.strength() {
            Some(Strength::Weak) => (true, high, Extent::Every),
            _ => (false, low, Extent::Some),
        };
        if unit == Unit::Steps && limit == 0 {
            return of;
        }
        let within = self.push(Operation::Within { of, unit, limit, extent });
        // What decides lies in the same trace if it does without a bound.
        let whole = match (node, self.scheduler.traces) {
            (Operator::Binary(..), _) | (_, Traces::EndToEnd) => self.cut_chain(low, high, end),
            (_, Traces::One) => return within,
        };
        if end { self.or(whole, within) } else { self.and(whole, within) }
    }

    /// A chain within each trace.
    fn cut_chain(&mut self, low: Register, high: Register, end: bool) -> Register {
        let (low, high) = match (self.scheduler.traces, end) {
            (Traces::One, _) => (low, high),
            (Traces::EndToEnd, true) => {
                let last = self.border(true);
                let last = self.and(high, last);
                (self.or(low, last), high)
            }
            (Traces::EndToEnd, false) => {
                let inside = self.border(false);
                let inside = self.and(high, inside);
                (low, self.or(low, inside))
            }
        };
        // A chain takes `low` for a part of `high` in any case.
        let high = match self.pass.operations[high.0 as usize] {
            Operation::Or(left, right) if left == low => right,
            Operation::Or(left, right) if right == low => left,
            _ => high,
        };
        self.push(Operation::Chain { low, high, end })
    }

    /// The value one position on in the same trace.
    fn shift(&mut self, of: Register, end: bool) -> Register {
        let shifted = self.push(Operation::Shift { of, end });
        self.unless_border(shifted, end, |builder, is_border| builder.border(is_border))
    }

    /// The value some positions on in the same trace.
    fn delay(&mut self, of: Register, steps: u64, end: bool) -> Register {
        let delayed = self.push(Operation::Delay { of, steps, end });
        self.unless_border(delayed, end, |builder, is_border| {
            let of = builder.border(is_border);
            let extent = if is_border { Extent::Some } else { Extent::Every };
            builder.push(Operation::Within { of, unit: Unit::Steps, limit: steps - 1, extent })
        })
    }

    /// A value that was taken from farther on, or `end` if a border lies between: `between` tells
    /// where one does, or where none does.
    fn unless_border(
        &mut self,
        value: Register,
        end: bool,
        between: impl FnOnce(&mut Self, bool) -> Register,
    ) -> Register {
        match self.scheduler.traces {
            Traces::One => value,
            Traces::EndToEnd => {
                let between = between(self, end);
                if end { self.or(value, between) } else { self.and(value, between) }
            }
        }
    }

    /// Where a trace ends, or where none does.
    fn border(&mut self, is_border: bool) -> Register {
        if let Some(register) = self.borders[usize::from(is_border)] {
            return register;
        }
        let register = self.push(if is_border { Operation::Border } else { Operation::NotBorder });
        self.borders[usize::from(is_border)] = Some(register);
        register
    }

    /// The operands l and h of `v[j] = l[j] | (h[j] & v[j±1])`, which an unbounded operator is.
    fn low_and_high(&mut self, node: Operator) -> (Register, Register) {
        let automaton = self.scheduler.automaton;
        let mut operands =
            node.children().filter_map(|child| automaton.of_formula(child)).map(|id| self.registers[&id]);
        let (first, second) = (operands.next(), operands.next());
        drop(operands);
        let f = first.expect("a bounded operator has an operand");
        let g = second.unwrap_or(f);
        match node {
            Operator::Eventually(..) => (f, self.constant(true)),
            Operator::Binary(op, ..) if op.expansion() == Expansion::Release => (self.and(f, g), g),
            Operator::Binary(..) => (g, self.or(f, g)),
            _ => (self.constant(false), f),
        }
    }

    fn constant(&mut self, bit: bool) -> Register {
        if let Some(register) = self.constants[usize::from(bit)] {
            return register;
        }
        let register = self.push(Operation::Constant(bit));
        self.constants[usize::from(bit)] = Some(register);
        register
    }

    fn and(&mut self, left: Register, right: Register) -> Register {
        match (self.constant_value(left), self.constant_value(right)) {
            (Some(true), _) | (_, Some(false)) => right,
            (_, Some(true)) | (Some(false), _) => left,
            _ => self.push(Operation::And(left, right)),
        }
    }

    fn or(&mut self, left: Register, right: Register) -> Register {
        match (self.constant_value(left), self.constant_value(right)) {
            (Some(false), _) | (_, Some(true)) => right,
            (_, Some(false)) | (Some(true), _) => left,
            _ => self.push(Operation::Or(left, right)),
        }
    }

    fn constant_value(&self, register: Register) -> Option<bool> {
        [false, true].into_iter().find(|bit| self.constants[usize::from(*bit)] == Some(register))
    }

    fn push(&mut self, operation: Operation) -> Register {
        self.pass.operations.push(operation);
        Register(self.pass.operations.len() as u32 - 1)
    }
}
