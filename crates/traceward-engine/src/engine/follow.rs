//! The face of engines that follow a trace as it grows.
//!
//! An engine is compiled once for a formula, and never changes: it can be shared between threads.
//! All that changes is in its runs. A new engine implements [`Follow`]; [`Follower`] and
//! [`Running`] are the same for whoever does not know which engine it is, and a [`Running`] owns
//! its engine, so that a run cannot meet another one.

use super::walkthrough::{Conclusion, Guide, Stage, Walkthrough, WalkthroughError, WalkthroughStep};
use super::{Decision, EngineConfig, EngineStatistics};
use crate::limit::{BuildError, GaveUp};
use crate::prepared::Prepared;
use crate::saved::{Origin, Reader, RestoreError, Writer, checksum, framed, unframed};
use std::fmt::Debug;
use std::sync::Arc;
use traceward_logic::formula::Node;
use traceward_logic::letter::{Letters, Proposition};
use traceward_logic::verdict::Verdict;

/// A state of a trace as engines see it.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// The letter of the state: whether a proposition holds.
    pub letter: &'a dyn Fn(Proposition) -> bool,
    /// The position of the state in the trace.
    pub position: u64,
    /// The timestamp of the state in nanoseconds, if the trace has timestamps.
    pub time: Option<i64>,
}

impl<'a> Step<'a> {
    /// A state without a timestamp.
    pub fn new(letter: &'a dyn Fn(Proposition) -> bool, position: usize) -> Self {
        Self { letter, position: position as u64, time: None }
    }
}

/// An engine that follows a trace.
pub trait Follow: Debug + Send + Sync + Sized + 'static {
    /// A run: how far a trace has been followed, with all scratch memory.
    type Run: Clone + Debug + Send + Sync + 'static;

    /// The engine's name, as people write it.
    const NAME: &'static str;

    /// Compiles the formula of an index.
    fn compile(prepared: &Prepared, index: usize, config: EngineConfig) -> Result<Self, BuildError>;

    /// A run that has seen no state.
    fn start(&self) -> Result<Self::Run, GaveUp>;

    /// Takes the next state, and returns the verdict after it.
    fn step(&self, run: &mut Self::Run, step: Step<'_>) -> Result<Verdict, GaveUp>;

    /// Takes the next state, and returns the verdict after it only if it is final: where others are
    /// not asked for, an engine may have less to do.
    fn take(&self, run: &mut Self::Run, step: Step<'_>) -> Result<Option<Verdict>, GaveUp> {
        let verdict = self.step(run, step)?;
        Ok(verdict.is_final().then_some(verdict))
    }

    /// Learns that no later state has a timestamp below a time in nanoseconds, and returns the
    /// verdict after that. Without bounds in time it makes no difference.
    fn advance(&self, run: &mut Self::Run, _time: i64) -> Result<Verdict, GaveUp> {
        Ok(self.verdict(run))
    }

    /// The verdict after the states that a run has seen.
    fn verdict(&self, run: &Self::Run) -> Verdict;

    /// Takes the next state as [`Self::step`] does, and tells what is held on the way.
    fn show_step(&self, guide: &Guide<'_>, run: &mut Self::Run, step: Step<'_>)
    -> Result<Vec<Stage>, WalkthroughError>;

    /// The automaton as text, for the reader of a walkthrough; none if it cannot be read.
    fn automaton_text(&self, guide: &Guide<'_>) -> Option<String>;

    /// Writes all that a run needs to go on.
    fn save(&self, run: &Self::Run, to: &mut Writer);

    /// Reads a run that was written by an engine of the same formula.
    fn restore(&self, from: &mut Reader<'_>) -> Result<Self::Run, RestoreError>;

    /// The highest cost of a run so far, if the engine knows it.
    fn statistics(&self, _run: &Self::Run) -> Option<EngineStatistics> {
        None
    }

    /// The obligations that the formula, asked at a position, still has at the end of some letters;
    /// none from an engine that cannot tell. `names` are the names of the variables.
    fn owed(&self, _letters: &Letters, _position: usize, _names: &[Arc<str>]) -> Result<Vec<Owed>, GaveUp> {
        Ok(Vec::new())
    }

    /// The obligations that a run has; none from an engine that cannot tell.
    fn owed_by(&self, _run: &Self::Run, _names: &[Arc<str>]) -> Vec<Owed> {
        Vec::new()
    }

    /// The last time at which what is owed first may still be met: as long as the clock has not
    /// passed it, the clock settles nothing. None if the clock makes no difference, and none that
    /// it has passed already.
    fn deadline(&self, _run: &Self::Run) -> Option<i64> {
        None
    }

    /// Whether the positions at which verdicts are final are the least possible.
    fn is_exact(&self) -> bool {
        false
    }

    /// Whether all that a run can come to is known beforehand, so that no run ever grows.
    fn is_whole(&self) -> bool {
        false
    }

    /// Whether a letter that repeats makes no difference.
    fn is_stutter_invariant(&self) -> bool {
        false
    }

    /// The propositions that matter, if the engine knows that others do not.
    fn propositions(&self) -> Option<Vec<Proposition>> {
        None
    }

    /// A description in words of what the engine has made of its formula.
    fn summary(&self) -> Option<String> {
        None
    }

    /// The engine with runs that are numbers, if each of its runs can be one.
    fn numbered(&self) -> Option<&dyn Numbered> {
        None
    }

    /// The verdict at the end of some letters, if the trace goes on.
    fn verdict_at_end(&self, letters: &Letters) -> Result<Prefix, GaveUp> {
        let mut run = self.start()?;
        let decided_at = read(letters, |step| self.step(&mut run, step))?;
        Ok(Prefix { verdict: self.verdict(&run), decided_at, statistics: self.statistics(&run) })
    }

    /// The steps over the letters of a guide, up to the state that makes the verdict final.
    fn walkthrough(&self, guide: &Guide<'_>) -> Result<Walkthrough, WalkthroughError> {
        walk(self, guide)
    }
}

/// An engine whose runs are numbers, such as states of a table. Who follows very many traces keeps
/// four bytes for each of them, and the engine once.
pub trait Numbered: Debug + Send + Sync {
    /// The run that has seen no state.
    fn start(&self) -> RunNumber;

    /// The run after the next state.
    fn step(&self, run: RunNumber, step: Step<'_>) -> RunNumber;

    /// The verdict after the states that a run has seen.
    fn verdict(&self, run: RunNumber) -> Verdict;

    /// The run of a number that was saved; none if it is none of the engine's.
    fn restored(&self, number: u32) -> Option<RunNumber>;
}

/// A run of an engine that is [`Numbered`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunNumber(u32);

impl RunNumber {
    /// The run of a number.
    pub(super) fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The steps of an engine that follows letters, up to the state that makes the verdict final.
pub(super) fn walk<E: Follow>(engine: &E, guide: &Guide<'_>) -> Result<Walkthrough, WalkthroughError> {
    let mut run = engine.start()?;
    let mut steps = Vec::new();
    read(guide.letters, |step| {
        let position = step.position as usize;
        let stages = engine.show_step(guide, &mut run, step).map_err(|error| error.after(position))?;
        guide.allow_stages(&stages).map_err(|error| error.after(position))?;
        let verdict = engine.verdict(&run);
        let (state, conclusion) = (Some(guide.state(position)), Conclusion::SoFar(verdict));
        steps.push(WalkthroughStep { state, stages, conclusion });
        Ok::<_, WalkthroughError>(verdict)
    })?;
    Ok(Walkthrough { automaton: engine.automaton_text(guide), steps })
}

/// Feeds letters to an engine until its verdict is final, and returns the position at which it
/// became final.
fn read<E>(letters: &Letters, mut take: impl FnMut(Step<'_>) -> Result<Verdict, E>) -> Result<Option<usize>, E> {
    for position in 0..letters.len {
        let time = letters.time.as_ref().map(|time| time[position]);
        let letter = |proposition| letters.bitmap(proposition).get(position);
        if take(Step { letter: &letter, position: position as u64, time })?.is_final() {
            return Ok(Some(position));
        }
    }
    Ok(None)
}

/// The verdict at the end of a trace that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// The verdict.
    pub verdict: Verdict,
    /// The position at which the verdict became final.
    pub decided_at: Option<usize>,
    /// The highest cost of finding out, if the engine knows it.
    pub statistics: Option<EngineStatistics>,
}

impl Prefix {
    /// The verdict on a trace with a state that ends here.
    pub fn decision(&self) -> Decision {
        let holds = matches!(self.verdict, Verdict::Satisfied | Verdict::Holding);
        Decision { holds, decided_at: self.decided_at }
    }
}

/// An obligation that is still open at the end of the letters that were read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owed {
    /// The formula that has to hold, as text.
    pub formula: String,
    /// The position at which it was asked for.
    pub since: u64,
    /// When it has to be met.
    pub due: Due,
    /// Whether there is no other way to satisfy the formula.
    pub is_necessary: bool,
}

/// When an obligation has to be met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    /// In steps.
    Steps {
        /// The number of positions behind the next one at which the obligation begins to be due.
        delay: u64,
        /// The number of steps in which it has to be met from then on; none if it may take any
        /// number.
        reach: Option<u64>,
    },
    /// In time, in nanoseconds as timestamps are.
    Time {
        /// The time from which on it may be met.
        from: i64,
        /// The last time at which it may be met; none if there is none.
        until: Option<i64>,
    },
}

/// An engine of a type that is not known, compiled for a formula.
pub trait Follower: Debug + Send + Sync {
    /// A run that has seen no state.
    fn start(&self) -> Result<Box<dyn Running>, GaveUp>;

    /// A run that was saved.
    fn restore(&self, bytes: &[u8]) -> Result<Box<dyn Running>, RestoreError>;

    /// See [`Follow::verdict_at_end`].
    fn verdict_at_end(&self, letters: &Letters) -> Result<Prefix, GaveUp>;

    /// See [`Follow::walkthrough`].
    fn walkthrough(&self, guide: &Guide<'_>) -> Result<Walkthrough, WalkthroughError>;

    /// See [`Follow::owed`].
    fn owed(&self, letters: &Letters, position: usize, names: &[Arc<str>]) -> Result<Vec<Owed>, GaveUp>;

    /// See [`Follow::is_exact`].
    fn is_exact(&self) -> bool;

    /// See [`Follow::is_whole`].
    fn is_whole(&self) -> bool;

    /// See [`Follow::is_stutter_invariant`].
    fn is_stutter_invariant(&self) -> bool;

    /// See [`Follow::propositions`].
    fn propositions(&self) -> Option<Vec<Proposition>>;

    /// See [`Follow::summary`].
    fn summary(&self) -> Option<String>;

    /// See [`Follow::numbered`].
    fn numbered(&self) -> Option<&dyn Numbered>;
}

/// A run of an engine of a type that is not known.
pub trait Running: Debug + Send + Sync {
    /// Takes the next state, and returns the verdict after it.
    fn step(&mut self, step: Step<'_>) -> Result<Verdict, GaveUp>;

    /// See [`Follow::take`].
    fn take(&mut self, step: Step<'_>) -> Result<Option<Verdict>, GaveUp>;

    /// See [`Follow::advance`].
    fn advance(&mut self, time: i64) -> Result<Verdict, GaveUp>;

    /// See [`Follow::deadline`].
    fn deadline(&self) -> Option<i64>;

    /// See [`Follow::owed_by`].
    fn owed(&self, names: &[Arc<str>]) -> Vec<Owed>;

    /// The verdict after the states that were seen.
    fn verdict(&self) -> Verdict;

    /// The highest cost of the run so far, if the engine knows it.
    fn statistics(&self) -> Option<EngineStatistics>;

    /// The run as bytes, for [`Follower::restore`].
    fn save(&self) -> Vec<u8>;

    /// A copy of the run, which goes on by itself.
    fn copy(&self) -> Box<dyn Running>;
}

impl Clone for Box<dyn Running> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

/// Compiles an engine for the formula of an index.
pub(crate) fn follower<E: Follow>(
    prepared: &Prepared,
    index: usize,
    config: EngineConfig,
) -> Result<Arc<dyn Follower>, BuildError> {
    let alone = prepared.only(&[index]);
    let engine = Arc::new(E::compile(&alone, 0, config)?);
    Ok(Arc::new(Compiled { engine, formula: fingerprint(&alone) }))
}

/// A number that two different formulas hardly share, nor two alphabets.
fn fingerprint(prepared: &Prepared) -> u64 {
    let Prepared { formulas, alphabet, normal, simplified, .. } = prepared;
    let roots = [normal[0], simplified[0]];
    let atom = |node: Node| match node {
        Node::Atom(atom) => Some((alphabet.proposition(atom), formulas.atom(atom))),
        _ => None,
    };
    let parts = formulas.parts(&roots).into_iter().map(|part| (part, formulas.node(part)));
    let parts: Vec<_> = parts.map(|(part, node)| (part, node, atom(node))).collect();
    checksum(format!("{roots:?} {parts:?}").as_bytes())
}

#[derive(Debug)]
struct Compiled<E: Follow> {
    engine: Arc<E>,
    formula: u64,
}

impl<E: Follow> Compiled<E> {
    fn running(&self, run: E::Run) -> Box<dyn Running> {
        Box::new(Following { engine: self.engine.clone(), formula: self.formula, run })
    }
}

impl<E: Follow> Follower for Compiled<E> {
    fn start(&self) -> Result<Box<dyn Running>, GaveUp> {
        Ok(self.running(self.engine.start()?))
    }

    fn restore(&self, bytes: &[u8]) -> Result<Box<dyn Running>, RestoreError> {
        let origin = Origin { engine: E::NAME, formula: self.formula };
        Ok(self.running(unframed(origin, bytes, |from| self.engine.restore(from))?))
    }

    fn verdict_at_end(&self, letters: &Letters) -> Result<Prefix, GaveUp> {
        self.engine.verdict_at_end(letters)
    }

    fn walkthrough(&self, guide: &Guide<'_>) -> Result<Walkthrough, WalkthroughError> {
        self.engine.walkthrough(guide)
    }

    fn owed(&self, letters: &Letters, position: usize, names: &[Arc<str>]) -> Result<Vec<Owed>, GaveUp> {
        self.engine.owed(letters, position, names)
    }

    fn is_exact(&self) -> bool {
        self.engine.is_exact()
    }

    fn is_whole(&self) -> bool {
        self.engine.is_whole()
    }

    fn is_stutter_invariant(&self) -> bool {
        self.engine.is_stutter_invariant()
    }

    fn propositions(&self) -> Option<Vec<Proposition>> {
        self.engine.propositions()
    }

    fn summary(&self) -> Option<String> {
        self.engine.summary()
    }

    fn numbered(&self) -> Option<&dyn Numbered> {
        self.engine.numbered()
    }
}

/// A run with its engine.
#[derive(Debug)]
struct Following<E: Follow> {
    engine: Arc<E>,
    formula: u64,
    run: E::Run,
}

impl<E: Follow> Running for Following<E> {
    fn step(&mut self, step: Step<'_>) -> Result<Verdict, GaveUp> {
        self.engine.step(&mut self.run, step)
    }

    fn take(&mut self, step: Step<'_>) -> Result<Option<Verdict>, GaveUp> {
        self.engine.take(&mut self.run, step)
    }

    fn advance(&mut self, time: i64) -> Result<Verdict, GaveUp> {
        self.engine.advance(&mut self.run, time)
    }

    fn deadline(&self) -> Option<i64> {
        self.engine.deadline(&self.run)
    }

    fn owed(&self, names: &[Arc<str>]) -> Vec<Owed> {
        self.engine.owed_by(&self.run, names)
    }

    fn verdict(&self) -> Verdict {
        self.engine.verdict(&self.run)
    }

    fn statistics(&self) -> Option<EngineStatistics> {
        self.engine.statistics(&self.run)
    }

    fn save(&self) -> Vec<u8> {
        let origin = Origin { engine: E::NAME, formula: self.formula };
        framed(origin, |to| self.engine.save(&self.run, to))
    }

    fn copy(&self) -> Box<dyn Running> {
        Box::new(Self { engine: self.engine.clone(), formula: self.formula, run: self.run.clone() })
    }
}
