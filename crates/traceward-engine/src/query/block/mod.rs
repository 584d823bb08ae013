//! Backward evaluation, a block of positions at a time.
//!
//! A part is a register of values of one type and a bit for each position at which it has one. From
//! the last block to the first, and in each block from operands to what is made of them, registers
//! are filled by whole slices; what crosses the border of a block is a carry. Loops are known by
//! their shape: an until fills gaps from the right, a collection is folded. A collection that is
//! asked only at position 0 has no register at all.
//!
//! An error in a block ends it: state by state ([`super::backward`]) it is found out whether
//! somebody asks for it.
//!
//! Where nothing crosses the borders of blocks but what is collected, blocks are cut into sections
//! for several threads, and what they have collected is joined.

mod expression;
mod fold;
mod lanes;
mod loops;

use super::demand::{Demand, Operand};
use super::samples::Samples;
use super::{Outcome, Precision, Rows, Tolerance};
use crate::automaton::algebraic::{Algebraic, Binary, Collector, LoopKind, Part, PartId, Unary};
use crate::limit::{Budget, Limit};
use expression::Scope;
use fold::{Folded, Taken};
pub(super) use lanes::{BLOCK, Data, Lanes, Stretch, for_each_backward};
use lanes::{Scalar, and, without};
use loops::{Running, Until};
use rustc_hash::{FxHashMap, FxHashSet};
use std::num::NonZero;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::{Arguments, Expr, StateAt};
use traceward_logic::formula::FormulaId;
use traceward_logic::semantics::EvaluationError;
use traceward_logic::trace::Trace;
use traceward_logic::value::Value;

/// The blocks that are worth a thread: to begin one takes as long as some of them.
const WORTH_A_THREAD: usize = 64;

/// There is an error at some position, of which it is not known whether somebody asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bail;

/// Why blocks give no value.
#[derive(Debug)]
pub(super) enum Stopped {
    Bail,
    Limit(Limit),
}

impl From<Bail> for Stopped {
    fn from(_: Bail) -> Self {
        Self::Bail
    }
}

impl From<Limit> for Stopped {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// What is done in a block.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A part by itself.
    Part(PartId),
    /// The head of an until.
    Until { head: PartId, left: PartId, right: PartId },
    /// A collection, with its summary at every position.
    Running { finish: PartId, of: PartId, condition: Option<PartId>, collector: Collector },
    /// A collection that is summarised in the end.
    Folded { finish: PartId, of: Operand, condition: Option<PartId>, collector: Collector },
}

/// The steps for all parts of an automaton.
#[derive(Clone, Debug)]
pub(super) struct Program {
    steps: Vec<Step>,
    demand: Demand,
    /// The roots whose values at all positions are kept.
    sampled: FxHashSet<PartId>,
    precision: Precision,
    /// Whether nothing crosses the borders of blocks but what is collected.
    is_local: bool,
}

/// What is known of each root: its value at position 0, and its samples where they are wanted.
type OfRoots = (Vec<Outcome>, Vec<Option<Samples>>, FxHashMap<PartId, Tolerance>);

impl Program {
    pub fn new(automaton: &Algebraic, sampled: FxHashSet<PartId>, precision: Precision) -> Self {
        let demand = Demand::new(automaton, &sampled);
        let steps: Vec<Step> = automaton.part_ids().filter_map(|id| step(automaton, &demand, id)).collect();
        let is_local = sampled.is_empty() && steps.iter().all(|step| step.is_local(automaton));
        Self { steps, demand, sampled, precision, is_local }
    }

    /// The value of each root at position 0 of a trace with a state, samples where asked for, and
    /// how far summaries may be off. So many threads may work on it; the values do not depend on
    /// that.
    pub fn run<'r>(
        &self,
        automaton: &Algebraic,
        trace: &Trace,
        row: Rows<'_, 'r>,
        (budget, threads): (&Budget, NonZero<usize>),
    ) -> Result<OfRoots, Stopped> {
        let rows: FxHashMap<FormulaId, &Bitmap> = automaton.assertions().into_iter().map(|f| (f, row(f))).collect();
        let mut run = Run::new(self, automaton, trace, &rows);
        let last = trace.len.div_ceil(BLOCK) - 1;
        // How values are collected is known behind the first block that is looked at.
        run.blocks(last..last + 1, budget.clone())?;
        let others = threads.get().min(last / WORTH_A_THREAD).saturating_sub(1);
        if others > 0 && self.is_local && run.can_be_joined() {
            run.sections(0..last, others + 1, budget)?;
        } else {
            run.blocks(0..last, budget.clone())?;
        }
        run.finish();
        let values = automaton.roots().iter().map(|&root| run.at_zero(root)).collect();
        let mut finished: FxHashMap<PartId, Samples> =
            run.samples.into_iter().map(|(root, samples)| (root, samples.finished())).collect();
        let roots = automaton.roots();
        let of_root = |(place, root): (usize, &PartId)| {
            let again = roots[place + 1..].contains(root);
            if again { finished.get(root).cloned() } else { finished.remove(root) }
        };
        Ok((values, roots.iter().enumerate().map(of_root).collect(), run.tolerances))
    }

    /// The steps that are taken in each block.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

impl Step {
    /// Whether what the step makes of a block depends on that block alone.
    fn is_local(&self, automaton: &Algebraic) -> bool {
        match self {
            Self::Part(id) => matches!(automaton.part(*id), Part::Terminal { .. }),
            Self::Folded { condition, .. } => condition.is_none(),
            Self::Until { .. } | Self::Running { .. } => false,
        }
    }
}

/// The step for a part, if it has one.
fn step(automaton: &Algebraic, demand: &Demand, id: PartId) -> Option<Step> {
    if let Part::Apply { function: Unary::Finish(_), part: head } = automaton.part(id) {
        let LoopKind::Collection { collector, of, condition } = demand.loop_of(automaton, *head)? else {
            return None;
        };
        let (finish, condition, collector) = (id, *condition, collector.clone());
        return Some(if demand.is_everywhere(id) {
            Step::Running { finish, of: *of, condition, collector }
        } else {
            Step::Folded { finish, of: Operand::of(automaton, &collector, *of), condition, collector }
        });
    }
    if let Some(kind) = demand.loop_of(automaton, id) {
        return match kind {
            LoopKind::Until { left, right } => Some(Step::Until { head: id, left: *left, right: *right }),
            LoopKind::Collection { .. } => None,
        };
    }
    (!demand.is_inside(id) && demand.is_everywhere(id)).then_some(Step::Part(id))
}

/// The registers of a run, and what crosses the borders of blocks.
struct Run<'a> {
    program: &'a Program,
    automaton: &'a Algebraic,
    trace: &'a Trace,
    rows: &'a FxHashMap<FormulaId, &'a Bitmap>,
    registers: Vec<Lanes>,
    /// For each transient node, what its automaton has at the first position of the block before.
    carries: FxHashMap<PartId, Option<Scalar>>,
    untils: FxHashMap<PartId, Until>,
    running: FxHashMap<PartId, Running>,
    folded: FxHashMap<PartId, Folded>,
    /// What the folded collections were in the end.
    summaries: FxHashMap<PartId, Outcome>,
    /// How far those may be off that are not exact.
    tolerances: FxHashMap<PartId, Tolerance>,
    /// The samples of roots so far.
    samples: Vec<(PartId, Samples)>,
}

impl<'a> Run<'a> {
    fn new(
        program: &'a Program,
        automaton: &'a Algebraic,
        trace: &'a Trace,
        rows: &'a FxHashMap<FormulaId, &'a Bitmap>,
    ) -> Self {
        let registers = vec![Lanes::nothing(); automaton.parts().len()];
        let folded = program.steps.iter().filter_map(|step| match step {
            Step::Folded { finish, collector, .. } => Some((*finish, Folded::new(collector, program.precision))),
            _ => None,
        });
        Self {
            program,
            automaton,
            trace,
            rows,
            registers,
            carries: FxHashMap::default(),
            untils: FxHashMap::default(),
            running: FxHashMap::default(),
            folded: folded.collect(),
            summaries: FxHashMap::default(),
            tolerances: FxHashMap::default(),
            samples: program.sampled.iter().map(|&root| (root, Samples::new())).collect(),
        }
    }

    fn lanes(&self, id: PartId) -> &Lanes {
        &self.registers[id.index()]
    }

    /// Goes through some blocks from the last to the first.
    fn blocks(&mut self, blocks: Range<usize>, mut budget: Budget) -> Result<(), Stopped> {
        for block in blocks.rev() {
            let base = block * BLOCK;
            self.block(Stretch { base, len: (self.trace.len - base).min(BLOCK) })?;
            budget.spend(self.program.steps.len() as u64)?;
        }
        Ok(())
    }

    /// Whether what was collected can be joined with what others collect.
    fn can_be_joined(&self) -> bool {
        self.folded.values().all(Folded::can_be_joined)
    }

    /// Goes through some blocks in so many sections, each on a thread of its own. In the end the
    /// registers are those of the first block, as if there had been one thread.
    fn sections(&mut self, blocks: Range<usize>, count: usize, budget: &Budget) -> Result<(), Stopped> {
        let section = |index: usize| blocks.len() * index / count..blocks.len() * (index + 1) / count;
        let walk = |index: usize| {
            let mut run = Run::new(self.program, self.automaton, self.trace, self.rows);
            run.blocks(section(index), budget.clone()).map(|()| run)
        };
        // The caller has said how many threads there are to be.
        #[expect(clippy::disallowed_methods)]
        let runs: Result<Vec<Run<'a>>, Stopped> = thread::scope(|scope| {
            let walk = &walk;
            let others: Vec<_> = (1..count).map(|index| scope.spawn(move || walk(index))).collect();
            let first = walk(0);
            let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            std::iter::once(first).chain(joined).collect()
        });
        for run in runs?.into_iter().rev() {
            for (finish, before) in run.folded {
                if let Some(folded) = self.folded.get_mut(&finish) {
                    folded.join(before);
                }
            }
            self.registers = run.registers;
        }
        Ok(())
    }

    fn block(&mut self, stretch: Stretch) -> Result<(), Bail> {
        for step in &self.program.steps {
            match step {
                Step::Part(id) => {
                    let lanes = self.part(*id, stretch)?;
                    self.registers[id.index()] = lanes;
                }
                Step::Until { head, left, right } => {
                    let mut until = self.untils.remove(head).unwrap_or_default();
                    let lanes = until.values(&self.lanes(*left).ok, self.lanes(*right), stretch, self.trace);
                    self.untils.insert(*head, until);
                    self.registers[head.index()] = lanes;
                }
                Step::Running { finish, of, condition, collector } => {
                    let mut running = self
                        .running
                        .remove(finish)
                        .unwrap_or_else(|| Running::new(collector, matches!(self.lanes(*of).data, Data::Int(_))));
                    let condition = condition.map(|condition| self.lanes(condition).ok);
                    let lanes = running.values(self.lanes(*of), condition.as_ref(), stretch, self.trace)?;
                    self.running.insert(*finish, running);
                    self.registers[finish.index()] = lanes;
                }
                Step::Folded { finish, of, condition, .. } => {
                    let Some(mut folded) = self.folded.remove(finish) else { continue };
                    let condition = condition.map(|condition| self.lanes(condition).ok);
                    let taken = match *of {
                        Operand::One(of) => Taken::One(self.lanes(of)),
                        Operand::Two(left, right) => Taken::Two(self.lanes(left), self.lanes(right)),
                    };
                    folded.take(&taken, condition.as_ref(), stretch, self.trace);
                    self.folded.insert(*finish, folded);
                }
            }
        }
        for (root, samples) in &mut self.samples {
            samples.take(&self.registers[root.index()], stretch, self.trace);
        }
        Ok(())
    }

    fn part(&mut self, id: PartId, stretch: Stretch) -> Result<Lanes, Bail> {
        let (automaton, trace) = (self.automaton, self.trace);
        match automaton.part(id) {
            Part::Terminal { assertion, expr } => {
                let wanted = assertion.map_or_else(|| stretch.all(), |formula| stretch.of(self.rows[&formula]));
                Scope { trace, stretch, arguments: &[] }.values(expr, &wanted)
            }
            Part::Transient { next, function } => {
                let carry = self.carries.get(&id).cloned().flatten();
                let lanes = self.lanes(*next);
                let (later, first) = (lanes.one_later(carry.as_ref(), stretch.len, trace), lanes.scalar(0));
                self.carries.insert(id, first);
                self.applied(function, later, stretch)
            }
            Part::Apply { function, part } => self.applied(function, self.lanes(*part).clone(), stretch),
            Part::And { function, left, right } => {
                let (left, right) = (self.lanes(*left), self.lanes(*right));
                let both = and(&left.ok, &right.ok);
                self.joined(function, left, right, both, stretch)
            }
            Part::Or { function, left, right } => {
                let (left, right) = (self.lanes(*left), self.lanes(*right));
                let both = and(&left.ok, &right.ok);
                let joined = self.joined(function, left, right, both, stretch)?;
                let alone = |lanes: &Lanes| Lanes { ok: without(&lanes.ok, &both), data: lanes.data.clone() };
                let alone = alone(left).merged(alone(right), stretch.len, trace);
                Ok(joined.merged(alone, stretch.len, trace))
            }
            Part::Window { .. } => unreachable!("windows are for who follows a trace"),
        }
    }

    fn applied(&self, function: &Unary, lanes: Lanes, stretch: Stretch) -> Result<Lanes, Bail> {
        let failed = || without(&stretch.all(), &lanes.ok);
        Ok(match function {
            Unary::Map(map) => {
                let wanted = lanes.ok;
                return Scope { trace: self.trace, stretch, arguments: &[&lanes] }.values(map, &wanted);
            }
            Unary::Negate(constant) => Lanes::constant(constant, failed(), stretch.len),
            Unary::Default(constant) => {
                let constant = Lanes::constant(constant, failed(), stretch.len);
                lanes.merged(constant, stretch.len, self.trace)
            }
            Unary::Identity | Unary::Begin(_) | Unary::Finish(_) => lanes,
        })
    }

    fn joined(
        &self,
        function: &Binary,
        left: &Lanes,
        right: &Lanes,
        both: lanes::Bits,
        stretch: Stretch,
    ) -> Result<Lanes, Bail> {
        match function {
            Binary::Combine(combine) => {
                Scope { trace: self.trace, stretch, arguments: &[left, right] }.values(combine, &both)
            }
            Binary::Pair => {
                let (a, b) = (Box::new(Expr::Parameter(0)), Box::new(Expr::Parameter(1)));
                Scope { trace: self.trace, stretch, arguments: &[left, right] }.values(&Expr::Pair(a, b), &both)
            }
            Binary::Compare(op) => {
                let (a, b) = (Box::new(Expr::Parameter(0)), Box::new(Expr::Parameter(1)));
                let compare = Expr::Compare(*op, a, b);
                Scope { trace: self.trace, stretch, arguments: &[left, right] }.values(&compare, &both)
            }
            Binary::Then => Ok(Lanes { ok: both, data: right.data.clone() }),
            Binary::Otherwise | Binary::While | Binary::Collect(_) => unreachable!("these stand in loops"),
        }
    }

    // ---- position 0 ----

    /// Makes the summaries of all collections that were folded.
    fn finish(&mut self) {
        let folded = std::mem::take(&mut self.folded);
        let tolerances = folded.iter().filter_map(|(id, folded)| Some((*id, folded.tolerance()?)));
        self.tolerances = tolerances.collect();
        self.summaries = folded.into_iter().map(|(id, folded)| (id, folded.into_value(self.trace))).collect();
    }

    /// The value of a part at position 0, once the first block is done.
    fn at_zero(&self, id: PartId) -> Outcome {
        if self.program.demand.is_everywhere(id) {
            return Ok(self.lanes(id).scalar(0).map(|scalar| scalar.value(self.trace)));
        }
        match self.automaton.part(id) {
            Part::Terminal { assertion, expr } => {
                let asserted = assertion.is_none_or(|formula| self.rows[&formula].get(0));
                if !asserted {
                    return Ok(None);
                }
                present(expr, expr.value(&StateAt { trace: self.trace, position: 0 }))
            }
            Part::Apply { function: Unary::Finish(_), .. } => self.summaries[&id].clone(),
            Part::Apply { function, part } => {
                let value = self.at_zero(*part)?;
                applied_at_zero(function, value)
            }
            Part::And { function, left, right } => match (self.at_zero(*left)?, self.at_zero(*right)?) {
                (Some(left), Some(right)) => combined_at_zero(function, left, right),
                _ => Ok(None),
            },
            Part::Or { function, left, right } => match (self.at_zero(*left)?, self.at_zero(*right)?) {
                (Some(left), Some(right)) => combined_at_zero(function, left, right),
                (one, other) => Ok(one.or(other)),
            },
            Part::Transient { .. } | Part::Window { .. } => unreachable!("these are asked for everywhere"),
        }
    }
}

fn applied_at_zero(function: &Unary, value: Option<Value>) -> Outcome {
    match (function, value) {
        (Unary::Map(map), Some(value)) => present(map, map.value(&Arguments(&[value]))),
        (Unary::Negate(_), Some(_)) => Ok(None),
        (Unary::Negate(constant) | Unary::Default(constant), None) => Ok(Some(constant.clone())),
        (_, value) => Ok(value),
    }
}

fn combined_at_zero(function: &Binary, left: Value, right: Value) -> Outcome {
    match function {
        Binary::Combine(combine) => present(combine, combine.value(&Arguments(&[left, right]))),
        Binary::Compare(op) => Ok(Some(Value::Bool(op.holds(&left, &right)))),
        _ => Ok(Some(right)),
    }
}

fn present(expr: &Expr, value: Result<Value, traceward_logic::value::ArithmeticError>) -> Outcome {
    let value = value.map_err(|reason| EvaluationError::of(expr, 0, reason))?;
    Ok(Some(value).filter(|value| !value.is_missing()))
}
