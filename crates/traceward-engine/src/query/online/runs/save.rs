//! Runs as bytes.

use super::{Paired, Queue, Run};
use crate::query::save::Scope;
use crate::saved::{Reader, RestoreError, Writer};

/// Writes runs, the first one first.
pub(in super::super) fn save_runs<'r>(
    scope: &Scope<'_>,
    runs: impl ExactSizeIterator<Item = &'r Run>,
    to: &mut Writer,
) {
    to.size(runs.len());
    for run in runs {
        to.number(run.count);
        scope.save_held(&run.held, to);
    }
}

/// Reads runs, none of which is empty. All together are no more positions than there are.
pub(in super::super) fn read_runs<C: FromIterator<Run>>(
    scope: &Scope<'_>,
    from: &mut Reader<'_>,
) -> Result<C, RestoreError> {
    let mut left = scope.position();
    from.many(|from| {
        let count = from.at_most(left)?;
        left -= count;
        if count == 0 { Err(RestoreError::Damaged) } else { Ok(Run { count, held: scope.held(from)? }) }
    })
}

impl Paired {
    pub fn save(&self, scope: &Scope<'_>, to: &mut Writer) {
        save_runs(scope, self.left.0.iter(), to);
        save_runs(scope, self.right.0.iter(), to);
    }

    pub fn restore(scope: &Scope<'_>, from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        Ok(Self { left: Queue(read_runs(scope, from)?), right: Queue(read_runs(scope, from)?) })
    }
}
