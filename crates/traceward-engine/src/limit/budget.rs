//! Budgets: the work and the bytes that are left, counted where engines loop and allocate.

use super::{Limit, Limits};
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag by which somebody else ends a piece of work, such as the handler of a signal. It lives as
/// long as the process.
#[derive(Clone, Copy, Debug)]
pub struct Interrupt(&'static AtomicBool);

impl Interrupt {
    /// The interrupt that is raised as soon as a flag is set.
    pub fn new(flag: &'static AtomicBool) -> Self {
        Self(flag)
    }

    /// Whether the work is to end.
    pub fn is_raised(self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Two interrupts are the same if they have the same flag.
impl PartialEq for Interrupt {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Interrupt {}

/// The steps of work after which the flag of an interrupt is looked at.
const STEPS_PER_LOOK: u64 = 1 << 14;

/// The part of the whole work that each further state allows anew, as a divisor.
const SHARES: u64 = 256;

/// The work and the bytes that an engine may still take. An engine spends work wherever it loops
/// and takes bytes wherever it allocates, inside a step too, so that no single step takes all there
/// is.
///
/// A step of work is a few nanoseconds, up to a hundred where memory has to be waited for. Whoever
/// follows a trace is allowed a share of the whole anew with every state ([`Self::renew`]): a state
/// may take as much as a whole trace, but not every state.
#[derive(Clone, Debug)]
pub struct Budget {
    spent: u64,
    /// The amount of work at which there is something to look at: the limit, or the flag.
    next_look: u64,
    held: usize,
    work: u64,
    memory: usize,
    interrupt: Option<Interrupt>,
}

impl Budget {
    /// The whole budget that some limits allow.
    pub fn new(limits: &Limits) -> Self {
        let Limits { work, memory, interrupt, .. } = *limits;
        Self { spent: 0, next_look: STEPS_PER_LOOK.min(work), held: 0, work, memory, interrupt }
    }

    /// A budget without a limit, for work whose size is known to be small.
    pub(crate) fn unlimited() -> Self {
        let (work, memory) = (u64::MAX, usize::MAX);
        Self { spent: 0, next_look: STEPS_PER_LOOK, held: 0, work, memory, interrupt: None }
    }

    /// Begins with the next state, with so many bytes held.
    pub fn renew(&mut self, held: usize) {
        self.spent = self.spent.saturating_sub(self.work / SHARES);
        self.next_look = self.spent.saturating_add(STEPS_PER_LOOK).min(self.work);
        self.held = held;
    }

    /// Does some work, if it is left.
    #[inline]
    pub fn spend(&mut self, work: u64) -> Result<(), Limit> {
        self.spent = self.spent.saturating_add(work);
        if self.spent < self.next_look && self.held <= self.memory { Ok(()) } else { self.look() }
    }

    /// Takes some bytes, if they are left.
    #[inline]
    pub fn take(&mut self, bytes: usize) -> Result<(), Limit> {
        self.charge(bytes);
        if self.held <= self.memory { Ok(()) } else { Err(Limit::Memory(self.memory)) }
    }

    /// Counts bytes that have been taken already. Whoever spends work next is told if they were too
    /// many.
    #[inline]
    pub fn charge(&mut self, bytes: usize) {
        self.held = self.held.saturating_add(bytes);
    }

    /// The bytes that are held.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Gives all bytes back but these.
    pub fn release_to(&mut self, held: usize) {
        self.held = held;
    }

    #[cold]
    fn look(&mut self) -> Result<(), Limit> {
        if self.held > self.memory {
            return Err(Limit::Memory(self.memory));
        }
        if self.spent > self.work {
            return Err(Limit::Work(self.work));
        }
        if self.interrupt.is_some_and(Interrupt::is_raised) {
            return Err(Limit::Interrupted);
        }
        self.next_look = self.spent.saturating_add(STEPS_PER_LOOK).min(self.work.saturating_add(1));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(work: u64, memory: usize) -> Budget {
        Budget::new(&Limits { work, memory, ..Limits::default() })
    }

    #[test]
    fn work_is_allowed_up_to_its_limit_and_no_further() {
        let mut budget = budget(100_000, 0);
        assert!((0..100_000).all(|_| budget.spend(1) == Ok(())));
        assert_eq!(budget.spend(1), Err(Limit::Work(100_000)));
        assert_eq!(budget.spend(1), Err(Limit::Work(100_000)), "it stays spent");
    }

    #[test]
    fn bytes_are_allowed_up_to_their_limit_and_can_be_given_back() {
        let mut budget = budget(10, 1000);
        assert_eq!(budget.take(1000), Ok(()));
        let held = budget.held();
        assert_eq!(budget.take(1), Err(Limit::Memory(1000)));
        budget.release_to(held);
        assert_eq!(budget.spend(1), Ok(()));
        budget.charge(1);
        assert_eq!(budget.spend(1), Err(Limit::Memory(1000)), "whoever spends is told");
    }

    #[test]
    fn a_state_allows_a_share_of_the_work_anew() {
        let mut budget = budget(2560, 0);
        assert_eq!(budget.spend(2560), Ok(()));
        budget.renew(0);
        assert_eq!(budget.spend(10), Ok(()));
        assert_eq!(budget.spend(1), Err(Limit::Work(2560)));
    }

    #[test]
    fn an_interrupt_ends_the_work_soon() {
        static FLAG: AtomicBool = AtomicBool::new(false);
        let limits = Limits { interrupt: Some(Interrupt::new(&FLAG)), ..Limits::default() };
        let mut budget = Budget::new(&limits);
        assert_eq!(budget.spend(STEPS_PER_LOOK), Ok(()));
        FLAG.store(true, Ordering::Relaxed);
        let done = (0..2 * STEPS_PER_LOOK).take_while(|_| budget.spend(1) == Ok(())).count();
        assert!(done as u64 <= STEPS_PER_LOOK, "{done}");
        assert_eq!(budget.spend(STEPS_PER_LOOK), Err(Limit::Interrupted));
    }
}
