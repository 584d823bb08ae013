//! Engines that follow a trace as it grows, behind one face.

use super::EngineName;
use crate::engine::breadth_first::{self, BreadthFirst};
use crate::engine::forward_backward::{self, ForwardBackward};
use crate::engine::forward_backward_dag::{self, ForwardBackwardDag};
use crate::engine::generic::{self, Generic};
use crate::engine::tableau::{self, Tableau};
use crate::engine::{Decision, EngineStatistics};
use crate::limit::GaveUp;
use std::any::Any;
use std::fmt::Debug;
use traceward_logic::letter::{Letters, Proposition};
use traceward_logic::verdict::Verdict;

/// An engine with a place in the trace that it moves on from state to state.
pub(super) trait Follow: Debug + Send + Sync + 'static {
    /// How far it has got.
    type Place: Clone + Debug + Send + Sync + 'static;

    /// Its name.
    const NAME: EngineName;

    /// Before the first state.
    fn start(&self) -> Self::Place;

    /// Takes the next state.
    fn step(&self, place: &mut Self::Place, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp>;

    /// What is certain after what was seen.
    fn verdict(&self, place: &Self::Place) -> Verdict;

    /// What it has cost at its most, if the engine knows.
    fn statistics(&self, place: &Self::Place) -> Option<EngineStatistics>;

    /// What the engine has made of its formula, in words.
    fn summary(&self) -> Option<String>;
}

impl Follow for BreadthFirst {
    type Place = (breadth_first::Run, breadth_first::Cache);
    const NAME: EngineName = EngineName::BreadthFirst;

    fn start(&self) -> Self::Place {
        let mut cache = breadth_first::Cache::default();
        (self.start(&mut cache), cache)
    }

    fn step(&self, (run, cache): &mut Self::Place, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        self.step(cache, run, holds)
    }

    fn verdict(&self, (run, _): &Self::Place) -> Verdict {
        self.verdict(run)
    }

    fn statistics(&self, (run, cache): &Self::Place) -> Option<EngineStatistics> {
        Some(EngineStatistics {
            peak_configurations: Some(run.peak_configurations()),
            peak_nodes: None,
            peak_leaves: None,
            peak_bytes: cache.bytes(),
        })
    }

    fn summary(&self) -> Option<String> {
        Some(format!("a metric automaton of {} nodes", self.automaton().nodes().len()))
    }
}

impl Follow for Tableau {
    type Place = (tableau::Run, tableau::Cache);
    const NAME: EngineName = EngineName::Tableau;

    fn start(&self) -> Self::Place {
        (self.start(), tableau::Cache::default())
    }

    fn step(&self, (run, cache): &mut Self::Place, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        Ok(self.step(cache, run, holds))
    }

    fn verdict(&self, (run, _): &Self::Place) -> Verdict {
        self.verdict(run)
    }

    fn statistics(&self, _: &Self::Place) -> Option<EngineStatistics> {
        None
    }

    fn summary(&self) -> Option<String> {
        Some(format!("a non-deterministic automaton of {} states", self.automaton().states().len()))
    }
}

/// The engines whose runs hold all that they need.
macro_rules! follow {
    ($engine:ty, $run:ty, $name:expr) => {
        impl Follow for $engine {
            type Place = $run;
            const NAME: EngineName = $name;

            fn start(&self) -> Self::Place {
                self.start()
            }

            fn step(&self, run: &mut Self::Place, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
                self.step(run, holds)
            }

            fn verdict(&self, run: &Self::Place) -> Verdict {
                self.verdict(run)
            }

            fn statistics(&self, run: &Self::Place) -> Option<EngineStatistics> {
                Some(run.statistics())
            }

            fn summary(&self) -> Option<String> {
                Some(format!("a metric automaton of {} nodes", self.automaton().nodes().len()))
            }
        }
    };
}

follow!(ForwardBackward, forward_backward::Run, EngineName::ForwardBackward);
follow!(ForwardBackwardDag, forward_backward_dag::Run, EngineName::ForwardBackwardDag);
follow!(Generic, generic::Run, EngineName::Generic);

/// A [`Follow`] of a type that is not known.
pub(super) trait Follower: Debug + Send + Sync {
    fn name(&self) -> EngineName;
    fn start(&self) -> Box<dyn Place>;
    fn step(&self, place: &mut dyn Place, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp>;
    fn verdict(&self, place: &dyn Place) -> Verdict;
    fn check(&self, letters: &Letters) -> Result<(Decision, Option<EngineStatistics>), GaveUp>;
    fn statistics(&self, place: &dyn Place) -> Option<EngineStatistics>;
    fn summary(&self) -> Option<String>;
}

impl<E: Follow> Follower for E {
    fn name(&self) -> EngineName {
        E::NAME
    }

    fn start(&self) -> Box<dyn Place> {
        Box::new(Follow::start(self))
    }

    fn step(&self, place: &mut dyn Place, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        Follow::step(self, place.as_any_mut().downcast_mut().expect("a place of this engine"), holds)
    }

    fn verdict(&self, place: &dyn Place) -> Verdict {
        Follow::verdict(self, place.as_any().downcast_ref().expect("a place of this engine"))
    }

    fn check(&self, letters: &Letters) -> Result<(Decision, Option<EngineStatistics>), GaveUp> {
        let step = |place: &mut E::Place, holds: &dyn Fn(Proposition) -> bool| Follow::step(self, place, holds);
        let (decision, place) = crate::engine::check_online(Follow::start(self), letters, step)?;
        Ok((decision, Follow::statistics(self, &place)))
    }

    fn statistics(&self, place: &dyn Place) -> Option<EngineStatistics> {
        Follow::statistics(self, place.as_any().downcast_ref().expect("a place of this engine"))
    }

    fn summary(&self) -> Option<String> {
        Follow::summary(self)
    }
}

/// A place of an engine that is not known.
pub(super) trait Place: Debug + Send + Sync {
    fn copy(&self) -> Box<dyn Place>;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<T: Clone + Debug + Send + Sync + 'static> Place for T {
    fn copy(&self) -> Box<dyn Place> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl Clone for Box<dyn Place> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}
