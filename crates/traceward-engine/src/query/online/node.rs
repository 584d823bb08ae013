//! What each part keeps while a trace goes on.

mod save;

use super::runs::{Paired, Run, pass};
use super::{Accumulator, Algebraic, Demand, Held, Join, LoopKind, Operand, Part, PartId, Unary, applied, joined};
use super::{Precision, Tolerance};
use crate::automaton::algebraic::{Binary, Collector};
use crate::query::accumulator::End;
use std::collections::VecDeque;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{Interval, Unit};
use traceward_logic::value::Value;

/// What happens: a state arrives, or the trace ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    State { position: u64, time: i64 },
    End,
}

/// A part, with what it keeps.
#[derive(Clone, Debug)]
pub(super) struct Node {
    work: Work,
    /// The number of positions that have been passed on.
    passed: u64,
}

#[derive(Clone, Debug)]
enum Work {
    /// Nothing is to be done: the part has no operands, or belongs to a loop.
    Idle,
    Transient {
        part: PartId,
        has_begun: bool,
    },
    Apply {
        part: PartId,
    },
    Join {
        left: PartId,
        right: PartId,
        join: Join,
        paired: Box<Paired>,
    },
    Until {
        left: PartId,
        right: PartId,
        paired: Box<Paired>,
        waiting: u64,
    },
    Window(Box<Window>),
    /// A collection of intervals that is asked everywhere.
    Interval {
        of: PartId,
        condition: PartId,
        collector: Box<Collector>,
        paired: Box<Paired>,
        open: Vec<Run>,
    },
    /// A collection that is asked at position 0.
    Fold(Box<Fold>),
}

impl Node {
    pub fn new(automaton: &Algebraic, demand: &Demand, id: PartId, precision: Precision) -> Self {
        Self { work: work(automaton, demand, id, precision), passed: 0 }
    }

    /// Whether there is anything to do.
    pub fn is_active(&self) -> bool {
        !matches!(self.work, Work::Idle)
    }

    /// Whether it takes what it needs from states, and looks at no operand.
    pub fn is_direct(&self) -> bool {
        matches!(&self.work, Work::Fold(fold) if !matches!(fold.of, Source::Parts(_)))
    }

    /// Takes what there is to see in a state, if it is direct. `from` and `to`
    /// tell what terminal nodes have.
    pub fn see(&mut self, position: u64, from: impl FnOnce() -> Held, to: impl FnOnce() -> Held) {
        if let Work::Fold(fold) = &mut self.work {
            fold.see(position, from, to);
        }
    }

    /// Takes in that the trace has ended, if it is direct.
    pub fn end(&mut self) {
        if let Work::Fold(fold) = &mut self.work {
            fold.advance(&|_| &[], Clock::End);
        }
    }

    /// Whether it ever passes on what it has.
    pub fn passes_on(&self) -> bool {
        !matches!(self.work, Work::Idle | Work::Fold(_))
    }

    /// Takes what operands have passed on, and passes on what is certain now.
    pub fn advance<'o>(
        &mut self,
        automaton: &Algebraic,
        id: PartId,
        clock: Clock,
        out_of: impl Fn(PartId) -> &'o [Run],
        out: &mut Vec<Run>,
    ) {
        let passed = self.passed;
        let mut count = 0;
        let mut emit = |many: u64, held: Held| {
            count += many;
            pass(out, many, held);
        };
        match &mut self.work {
            Work::Idle => {}
            Work::Transient { part, has_begun } => {
                let Part::Transient { function, .. } = automaton.part(id) else { return };
                for run in out_of(*part) {
                    // What the first position has is of interest to nobody before it.
                    let many = run.count - u64::from(!std::mem::replace(has_begun, true));
                    if many > 0 {
                        emit(many, applied(function, &run.held, passed as usize));
                    }
                }
                if let Clock::End = clock {
                    emit(1, Held::Nothing);
                }
            }
            Work::Apply { part } => {
                let Part::Apply { function, .. } = automaton.part(id) else { return };
                let mut position = passed;
                for run in out_of(*part) {
                    emit(run.count, applied(function, &run.held, position as usize));
                    position += run.count;
                }
            }
            Work::Join { left, right, join, paired } => {
                let (Part::And { function, .. } | Part::Or { function, .. }) = automaton.part(id) else { return };
                let mut position = passed;
                paired.advance(out_of(*left), out_of(*right), |many, left, right| {
                    emit(many, joined(*join, function, left, right, position as usize));
                    position += many;
                });
            }
            Work::Until { left, right, paired, waiting } => {
                paired.advance(out_of(*left), out_of(*right), |many, left, right| match (right, left) {
                    (Held::Nothing, Held::Nothing | Held::Failed(_)) => {
                        // Who has waited so far waits in vain, and those here do not begin to.
                        emit(std::mem::take(waiting) + many, left.clone());
                    }
                    (Held::Nothing, _) => *waiting += many,
                    (right, _) => emit(std::mem::take(waiting) + many, right.clone()),
                });
                if let Clock::End = clock {
                    emit(std::mem::take(waiting), Held::Nothing);
                }
            }
            Work::Window(window) => window.advance(out_of(window.of), clock, &mut emit),
            Work::Interval { of, condition, collector, paired, open } => {
                let mut start = passed;
                paired.advance(out_of(*of), out_of(*condition), |many, of, condition| {
                    if *condition == Held::Nothing {
                        let length = open.iter().map(|run| run.count).sum::<u64>();
                        close(collector, open, start, &mut emit);
                        emit(many, Held::Nothing);
                        start += length + many;
                    } else {
                        match open.last_mut() {
                            Some(last) if last.held == *of => last.count += many,
                            _ => open.push(Run { count: many, held: of.clone() }),
                        }
                    }
                });
                if let Clock::End = clock {
                    close(collector, open, start, &mut emit);
                }
            }
            Work::Fold(fold) => fold.advance(&out_of, clock),
        }
        self.passed += count;
    }

    /// The summary of a collection so far; none if it is not known yet whether there is one.
    pub fn summary(&self) -> Option<Held> {
        match &self.work {
            Work::Fold(fold) => fold.gathered.summary(),
            _ => None,
        }
    }

    /// The number of positions that a collection is settled for; none if it is final.
    pub fn settled(&self) -> Option<u64> {
        match &self.work {
            Work::Fold(fold) if fold.gathered.is_closed => None,
            Work::Fold(fold) => Some(fold.gathered.taken),
            _ => Some(0),
        }
    }

    /// How far the summary of a collection may be off; none if it is exact.
    pub fn tolerance(&self) -> Option<Tolerance> {
        match &self.work {
            Work::Fold(fold) => fold.gathered.accumulator.tolerance(),
            _ => None,
        }
    }

    /// The number of bytes that are kept, about.
    pub fn bytes(&self) -> usize {
        const RUN: usize = size_of::<Run>();
        match &self.work {
            Work::Idle | Work::Transient { .. } | Work::Apply { .. } => 0,
            Work::Join { paired, .. } | Work::Until { paired, .. } => paired.len() * RUN,
            Work::Window(window) => (window.pending.len() + window.unknown.len()) * size_of::<i64>(),
            Work::Interval { paired, open, .. } => (paired.len() + open.len()) * RUN,
            Work::Fold(fold) => {
                fold.paired.as_ref().map_or(0, |paired| paired.len()) * RUN
                    + fold.of.bytes()
                    + fold.gathered.accumulator.bytes()
            }
        }
    }
}

/// What a part does.
fn work(automaton: &Algebraic, demand: &Demand, id: PartId, precision: Precision) -> Work {
    if let Part::Apply { function: Unary::Finish(collector), part: head } = automaton.part(id) {
        return collection(automaton, demand, id, (collector, precision), *head);
    }
    if let Some(LoopKind::Until { left, right }) = demand.loop_of(automaton, id) {
        return Work::Until { left: *left, right: *right, paired: Box::default(), waiting: 0 };
    }
    if demand.is_inside(id) || !demand.is_everywhere(id) {
        return Work::Idle;
    }
    match automaton.part(id) {
        Part::Terminal { .. } => Work::Idle,
        Part::Transient { next, .. } => Work::Transient { part: *next, has_begun: false },
        Part::Apply { part, .. } => Work::Apply { part: *part },
        Part::And { left, right, .. } => {
            Work::Join { left: *left, right: *right, join: Join::And, paired: Box::default() }
        }
        Part::Or { left, right, .. } => {
            Work::Join { left: *left, right: *right, join: Join::Or, paired: Box::default() }
        }
        Part::Window { interval, of } => Work::Window(Box::new(Window::new(*interval, *of))),
    }
}

fn collection(
    automaton: &Algebraic,
    demand: &Demand,
    id: PartId,
    (collector, precision): (&Collector, Precision),
    head: PartId,
) -> Work {
    let Some(LoopKind::Collection { of, condition, .. }) = demand.loop_of(automaton, head) else {
        return Work::Idle;
    };
    match condition {
        Some(condition) if demand.is_everywhere(id) => Work::Interval {
            of: *of,
            condition: *condition,
            collector: Box::new(collector.clone()),
            paired: Box::default(),
            open: Vec::new(),
        },
        condition => Work::Fold(Box::new(Fold {
            of: Source::new(automaton, demand, collector, *of, condition.is_some()),
            condition: *condition,
            sides: None,
            paired: None,
            gathered: Gathered {
                accumulator: Accumulator::with_precision(collector, precision),
                failed: Held::Nothing,
                taken: 0,
                is_closed: false,
                has_begun: condition.is_none(),
            },
        })),
    }
}

/// Passes on the summaries of an interval that has ended: from each of its positions to its end.
fn close(collector: &Collector, open: &mut Vec<Run>, start: u64, emit: &mut impl FnMut(u64, Held)) {
    let mut accumulator = Accumulator::new(collector);
    let mut position = start + open.iter().map(|run| run.count).sum::<u64>();
    let mut failed = None;
    let mut summaries: Vec<Run> = Vec::new();
    while let Some(run) = open.pop() {
        match &run.held {
            Held::Value(value) => {
                for _ in 0..run.count {
                    position -= 1;
                    accumulator.add(value, End::Front, position as usize);
                    let held = failed.clone().unwrap_or_else(|| Held::of(accumulator.value(position as usize)));
                    summaries.push(Run { count: 1, held });
                }
                continue;
            }
            Held::Failed(_) => failed = Some(run.held.clone()),
            Held::Nothing | Held::Collection(_) => {}
        }
        position -= run.count;
        let held = failed.clone().unwrap_or_else(|| Held::of(accumulator.value(position as usize)));
        summaries.push(Run { count: run.count, held });
    }
    summaries.into_iter().rev().for_each(|run| emit(run.count, run.held));
}

/// `F` with a bound: which positions have something in their window.
#[derive(Clone, Debug)]
pub(super) struct Window {
    of: PartId,
    interval: Interval,
    /// The moments of positions that are not passed on yet.
    pending: VecDeque<i64>,
    /// The moments of positions of which it is not known yet what the operand has there.
    unknown: VecDeque<i64>,
}

impl Window {
    fn new(interval: Interval, of: PartId) -> Self {
        Self { of, interval, pending: VecDeque::new(), unknown: VecDeque::new() }
    }

    fn advance(&mut self, operand: &[Run], clock: Clock, emit: &mut impl FnMut(u64, Held)) {
        if let Clock::State { position, time } = clock {
            let moment = if self.interval.unit == Unit::Time { time } else { position as i64 };
            self.pending.push_back(moment);
            self.unknown.push_back(moment);
        }
        for run in operand {
            for _ in 0..run.count {
                let Some(moment) = self.unknown.pop_front() else { break };
                self.settle(moment, run.held != Held::Nothing, emit);
            }
        }
        if let Clock::End = clock {
            self.pending.drain(..).for_each(|_| emit(1, Held::Nothing));
        }
    }

    /// Passes on the positions of which it is certain what is in their window, now that it is known
    /// what the operand has at one more moment.
    ///
    /// Whoever has asked by then is answered by what is there, or his window opens later. So nobody
    /// has to remember it: those who ask behind it do not look back, be it at the same moment.
    fn settle(&mut self, known: i64, has_value: bool, emit: &mut impl FnMut(u64, Held)) {
        let known = i128::from(known);
        while let Some(&moment) = self.pending.front().filter(|_| self.pending.len() > self.unknown.len()) {
            let from = i128::from(moment) + i128::from(self.interval.from);
            let is_over = self.interval.to.is_some_and(|to| known > i128::from(moment) + i128::from(to));
            match has_value && from <= known && !is_over {
                true => emit(1, Held::Value(Value::Bool(true))),
                false if is_over => emit(1, Held::Nothing),
                false => break,
            }
            self.pending.pop_front();
        }
    }
}

/// What a collection takes its values from.
#[derive(Clone, Debug)]
enum Source {
    Parts(Operand),
    /// A terminal node.
    State,
    Spans(Box<Spans>),
}

/// A value of one state joined with that of the next state that has another, as in a latency: the
/// parts between them, which would pass on runs of all positions, are bypassed. Both sides are
/// certain at once, so that only what has begun and not ended is kept.
#[derive(Clone, Debug)]
pub(super) struct Spans {
    function: Binary,
    waiting: VecDeque<Waiting>,
}

/// So many positions, one after the other, with the same value.
#[derive(Clone, Debug)]
struct Waiting {
    position: u64,
    count: u64,
    held: Held,
}

impl Source {
    fn new(automaton: &Algebraic, demand: &Demand, collector: &Collector, of: PartId, has_condition: bool) -> Self {
        let operand = Operand::of(automaton, collector, of);
        match (operand, direct(automaton, demand, of)) {
            (Operand::One(_), Some(Direct::Value(_))) if !has_condition => Self::State,
            (Operand::One(_), Some(Direct::Span { function, .. })) if !has_condition => {
                Self::Spans(Box::new(Spans { function, waiting: VecDeque::new() }))
            }
            _ => Self::Parts(operand),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Spans(spans) => spans.waiting.len() * size_of::<Waiting>(),
            Self::Parts(_) | Self::State => 0,
        }
    }
}

/// What a collection can take from states, without other parts in between.
pub(super) enum Direct {
    /// What a terminal node has.
    Value(PartId),
    /// What a terminal node has, joined with what another has at the next state at which it has
    /// something.
    Span { from: PartId, to: PartId, function: Binary },
}

/// What a part takes from states, if it takes nothing else.
pub(super) fn direct(automaton: &Algebraic, demand: &Demand, of: PartId) -> Option<Direct> {
    let is_terminal = |id: PartId| matches!(automaton.part(id), Part::Terminal { .. }) && !demand.is_inside(id);
    if is_terminal(of) {
        return Some(Direct::Value(of));
    }
    let Part::And { function: function @ Binary::Combine(_), left, right } = automaton.part(of) else { return None };
    let LoopKind::Until { left: until, right: to } = demand.loop_of(automaton, *right)? else { return None };
    let is_always = matches!(
        automaton.part(*until),
        Part::Terminal { assertion: None, expr: Expr::Literal(value) } if !value.is_missing()
    );
    let is_span = is_always && is_terminal(*left) && is_terminal(*to);
    is_span.then(|| Direct::Span { from: *left, to: *to, function: function.clone() })
}

impl Spans {
    /// Lets the value of a state wait.
    fn begin(&mut self, held: Held, position: u64) {
        match self.waiting.back_mut() {
            _ if matches!(held, Held::Nothing) => {}
            Some(last) if last.position + last.count == position && last.held == held => last.count += 1,
            _ => self.waiting.push_back(Waiting { position, count: 1, held }),
        }
    }

    /// Passes on the joined values of all positions that have waited. `first` is the first position
    /// that nothing was known of.
    fn end(&mut self, to: &Held, first: u64, mut visit: impl FnMut(u64, u64, &Held)) {
        if let Held::Failed(_) = to
            && self.waiting.front().is_none_or(|waiting| waiting.position > first)
        {
            // An error is one also to those positions that have no value themselves.
            visit(first, 1, to);
        }
        while let Some(Waiting { position, count, held }) = self.waiting.pop_front() {
            visit(position, count, &joined(Join::And, &self.function, &held, to, position as usize));
        }
    }
}

/// A collection that is asked at position 0: values are taken as they become certain.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    of: Source,
    condition: Option<PartId>,
    /// Of a correlation both sides, once there were some.
    sides: Option<Box<Paired>>,
    /// What is collected, beside the condition, once there was some.
    paired: Option<Box<Paired>>,
    gathered: Gathered,
}

/// What was collected so far.
#[derive(Clone, Debug)]
struct Gathered {
    accumulator: Accumulator,
    /// The first error among what is collected.
    failed: Held,
    taken: u64,
    /// Whether the condition has failed, or the trace has ended.
    is_closed: bool,
    /// Whether the condition holds at position 0.
    has_begun: bool,
}

impl Fold {
    fn advance<'o>(&mut self, out_of: &impl Fn(PartId) -> &'o [Run], clock: Clock) {
        let mut pairs = Vec::new();
        let of = match &self.of {
            Source::Spans(spans) => {
                // What waits in vain has nothing to be joined with, but may have failed by itself.
                let failed = spans.waiting.iter().find(|waiting| matches!(waiting.held, Held::Failed(_)));
                failed.into_iter().for_each(|waiting| self.gathered.take(1, &waiting.held));
                &[]
            }
            Source::State => &[],
            Source::Parts(Operand::One(of)) => out_of(*of),
            &Source::Parts(Operand::Two(left, right)) => {
                self.sides.get_or_insert_default().advance(out_of(left), out_of(right), |many, left, right| {
                    pass(&mut pairs, many, pair(left, right));
                });
                pairs.as_slice()
            }
        };
        match self.condition {
            None => of.iter().for_each(|run| self.gathered.take(run.count, &run.held)),
            Some(condition) => {
                let Self { paired, gathered, .. } = self;
                paired.get_or_insert_default().advance(of, out_of(condition), |many, of, condition| {
                    if *condition == Held::Nothing {
                        gathered.is_closed = true;
                    }
                    gathered.take(many, of);
                });
            }
        }
        if let Clock::End = clock {
            self.gathered.is_closed = true;
        }
    }

    /// Takes a value of a state, or the spans that end with it.
    fn see(&mut self, position: u64, from: impl FnOnce() -> Held, to: impl FnOnce() -> Held) {
        let Self { of, gathered, .. } = self;
        match of {
            Source::Parts(_) => {}
            Source::State => gathered.take(1, &from()),
            Source::Spans(spans) => {
                spans.begin(from(), position);
                let to = to();
                if !matches!(to, Held::Nothing) {
                    spans.end(&to, gathered.taken, |from, many, held| {
                        gathered.taken = from;
                        gathered.take(many, held);
                    });
                    gathered.taken = position + 1;
                }
            }
        }
    }
}

impl Gathered {
    fn take(&mut self, many: u64, held: &Held) {
        if self.is_closed {
            return;
        }
        self.has_begun = true;
        match held {
            Held::Value(value) => {
                for nth in 0..many {
                    self.accumulator.add(value, End::Back, (self.taken + nth) as usize);
                }
            }
            Held::Failed(_) if self.failed == Held::Nothing => self.failed = held.clone(),
            _ => {}
        }
        self.taken += many;
    }

    fn summary(&self) -> Option<Held> {
        match &self.failed {
            Held::Failed(_) => Some(self.failed.clone()),
            _ if self.has_begun => Some(Held::of(self.accumulator.value(0))),
            _ => self.is_closed.then_some(Held::Nothing),
        }
    }
}

/// Two values as a pair, the left one being asked first.
fn pair(left: &Held, right: &Held) -> Held {
    joined(Join::And, &Binary::Pair, left, right, 0)
}
