//! Whether the triggers of properties were ever met, so that a monitor can tell a property that is
//! satisfied from one that nothing was asked of.

use super::program::CompiledTrigger;
use traceward_engine::select::Running;
use traceward_logic::verdict::Verdict;

/// A trigger that is being waited for.
#[derive(Clone, Debug)]
pub(super) struct AwaitedTrigger {
    /// The run that looks for it; none once there is nothing more to find out.
    pub(super) run: Option<Box<dyn Running>>,
    /// Whether it would have been met if the trace ended here; also where that is not known.
    pub(super) is_met: bool,
}

impl AwaitedTrigger {
    pub(super) fn new(trigger: &CompiledTrigger) -> Self {
        let run = trigger.compiled.engine.start().ok();
        Self { is_met: run.is_none(), run }
    }

    /// Whether the trace so far has no state that meets it.
    pub(super) fn is_unmet(&self) -> bool {
        !self.is_met
    }

    /// Whether there is nothing more to find out.
    pub(super) fn has_ended(&self) -> bool {
        self.run.is_none()
    }

    /// Stops looking: the property was decided in a way that leaves nothing to say.
    pub(super) fn end(&mut self) {
        self.run = None;
    }

    /// Takes the next state by `step`, and returns whether this was the last that mattered.
    pub(super) fn step(&mut self, step: impl FnOnce(&mut dyn Running) -> Option<Verdict>) -> bool {
        let Some(run) = &mut self.run else { return false };
        let verdict = step(&mut **run);
        // Where the engine gives up nothing is known, and nothing is claimed.
        self.is_met = verdict.is_none_or(|verdict| matches!(verdict, Verdict::Satisfied | Verdict::Holding));
        let is_last = verdict.is_none_or(Verdict::is_final);
        if is_last {
            self.run = None;
        }
        is_last
    }
}
