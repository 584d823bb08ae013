//! What each part keeps, as bytes. What a part does is known from its automaton.

use super::super::runs::{Paired, read_runs, save_runs};
use super::{Fold, Gathered, Held, Node, Source, Waiting, Window, Work};
use crate::query::save::Scope;
use crate::saved::{Reader, RestoreError, Writer};
use std::collections::VecDeque;

impl Node {
    pub fn save(&self, scope: &Scope<'_>, to: &mut Writer) {
        to.number(self.passed);
        match &self.work {
            Work::Idle | Work::Apply { .. } => {}
            Work::Transient { has_begun, .. } => to.bit(*has_begun),
            Work::Join { paired, .. } => paired.save(scope, to),
            Work::Until { paired, waiting, .. } => {
                paired.save(scope, to);
                to.number(*waiting);
            }
            Work::Window(window) => window.save(to),
            Work::Interval { paired, open, .. } => {
                paired.save(scope, to);
                save_runs(scope, open.iter(), to);
            }
            Work::Fold(fold) => fold.save(scope, to),
        }
    }

    /// Reads what a node of the same part kept into one that keeps nothing.
    pub fn restore(&mut self, scope: &Scope<'_>, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        self.passed = scope.positions(from)?;
        match &mut self.work {
            Work::Idle | Work::Apply { .. } => {}
            Work::Transient { has_begun, .. } => *has_begun = from.bit()?,
            Work::Join { paired, .. } => **paired = Paired::restore(scope, from)?,
            Work::Until { paired, waiting, .. } => {
                **paired = Paired::restore(scope, from)?;
                *waiting = scope.positions(from)?;
            }
            Work::Window(window) => window.restore(scope, from)?,
            Work::Interval { paired, open, .. } => {
                **paired = Paired::restore(scope, from)?;
                *open = read_runs(scope, from)?;
            }
            Work::Fold(fold) => fold.restore(scope, from)?,
        }
        Ok(())
    }
}

impl Window {
    fn save(&self, to: &mut Writer) {
        for moments in [&self.pending, &self.unknown] {
            to.size(moments.len());
            moments.iter().for_each(|moment| to.int(*moment));
        }
    }

    fn restore(&mut self, scope: &Scope<'_>, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        for moments in [&mut self.pending, &mut self.unknown] {
            let read: VecDeque<i64> = from.many(Reader::int)?;
            *moments = if read.len() as u64 <= scope.position() { read } else { return Err(RestoreError::Damaged) };
        }
        Ok(())
    }
}

impl Fold {
    fn save(&self, scope: &Scope<'_>, to: &mut Writer) {
        if let Source::Spans(spans) = &self.of {
            to.size(spans.waiting.len());
            for Waiting { position, count, held } in &spans.waiting {
                to.number(*position);
                to.number(*count);
                scope.save_held(held, to);
            }
        }
        for paired in [&self.sides, &self.paired] {
            match paired {
                Some(paired) => paired.save(scope, to),
                None => Paired::default().save(scope, to),
            }
        }
        let Gathered { accumulator, failed, taken, is_closed, has_begun } = &self.gathered;
        accumulator.save(scope, to);
        scope.save_held(failed, to);
        to.number(*taken);
        to.bit(*is_closed);
        to.bit(*has_begun);
    }

    fn restore(&mut self, scope: &Scope<'_>, from: &mut Reader<'_>) -> Result<(), RestoreError> {
        if let Source::Spans(spans) = &mut self.of {
            spans.waiting = from.many(|from| waiting(scope, from))?;
        }
        self.sides = Some(Box::new(Paired::restore(scope, from)?));
        self.paired = Some(Box::new(Paired::restore(scope, from)?));
        let gathered = &mut self.gathered;
        gathered.accumulator.restore(scope, from)?;
        gathered.failed = match scope.held(from)? {
            held @ (Held::Nothing | Held::Failed(_)) => held,
            Held::Value(_) | Held::Collection(_) => return Err(RestoreError::Damaged),
        };
        gathered.taken = scope.positions(from)?;
        gathered.is_closed = from.bit()?;
        gathered.has_begun = from.bit()?;
        Ok(())
    }
}

/// Positions that wait, all of which have been seen.
fn waiting(scope: &Scope<'_>, from: &mut Reader<'_>) -> Result<Waiting, RestoreError> {
    let (position, count) = (scope.positions(from)?, scope.positions(from)?);
    if count == 0 || position + count > scope.position() {
        return Err(RestoreError::Damaged);
    }
    match scope.held(from)? {
        held @ (Held::Value(_) | Held::Failed(_)) => Ok(Waiting { position, count, held }),
        Held::Nothing | Held::Collection(_) => Err(RestoreError::Damaged),
    }
}
