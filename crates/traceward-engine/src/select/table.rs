//! The one table of all engines. A new engine is its module and a line here.

use crate::engine::EngineConfig;
use crate::engine::breadth_first::{BreadthFirst, PrintedBreadthFirst};
use crate::engine::depth_first::DepthFirst;
use crate::engine::follow::{self, Follower};
use crate::engine::forward_backward::ForwardBackward;
use crate::engine::forward_backward_dag::ForwardBackwardDag;
use crate::engine::generic::Generic;
use crate::engine::naive::Naive;
use crate::engine::observer::Observer;
use crate::engine::offline::Offline;
use crate::engine::reverse::Reverse;
use crate::engine::streaming::Streaming;
use crate::engine::tableau::Tableau;
use crate::limit::{BuildError, Feature};
use crate::prepared::Prepared;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Makes an engine for the formulas of some indices.
type BuildOffline = fn(&Prepared, &[usize], EngineConfig) -> Arc<dyn Offline>;

/// Makes an engine for the formula of an index.
type BuildFollower = fn(&Prepared, usize, EngineConfig) -> Result<Arc<dyn Follower>, BuildError>;

/// The function that makes an engine, by what the engine can do.
#[derive(Clone, Copy)]
pub(super) enum Build {
    /// The engine tells where formulas hold, so that a whole report can be made of its rows.
    Rows(BuildOffline),
    /// The engine could tell where formulas hold, but is asked for verdicts alone: all else comes
    /// from an engine that is quicker.
    Verdicts(BuildOffline),
    /// The engine follows a trace as it grows.
    Follows(BuildFollower),
}

fn offline<E: Offline + 'static>(prepared: &Prepared, indices: &[usize], config: EngineConfig) -> Arc<dyn Offline> {
    Arc::new(E::compile(prepared, indices, config))
}

/// Makes the names of engines, and all that is known by name, of one line for each engine: its name
/// in the program and on the command line, what it is, how it is made, and what it refuses.
macro_rules! engines {
    ($($name:ident $text:literal $about:literal $build:ident($engine:ty) refuses [$($refused:ident)*];)*) => {
        /// The engines, by the names the command line knows them by.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub enum EngineName {
            /// The engine that suits best is chosen.
            #[default]
            Auto,
            $(#[doc = $about] $name,)*
        }

        impl EngineName {
            /// All engines, and first the choice between them.
            pub const ALL: &'static [Self] = &[Self::Auto, $(Self::$name),*];

            /// The name, as the command line writes it.
            pub fn name(self) -> &'static str {
                match self {
                    Self::Auto => "auto",
                    $(Self::$name => $text,)*
                }
            }

            /// A description of the engine in one line.
            pub fn about(self) -> &'static str {
                match self {
                    Self::Auto => "Whichever suits best.",
                    $(Self::$name => $about,)*
                }
            }

            /// The features that the engine cannot take, and another engine can.
            pub fn refuses(self) -> &'static [Feature] {
                match self {
                    Self::Auto => &[],
                    $(Self::$name => &[$(Feature::$refused),*],)*
                }
            }

            /// The function that makes the engine; none for the choice between engines.
            pub(super) fn build(self) -> Option<Build> {
                match self {
                    Self::Auto => None,
                    $(Self::$name => Some(engines!(@$build $engine)),)*
                }
            }
        }
    };
    (@rows $engine:ty) => { Build::Rows(offline::<$engine>) };
    (@verdicts $engine:ty) => { Build::Verdicts(offline::<$engine>) };
    (@follows $engine:ty) => { Build::Follows(follow::follower::<$engine>) };
}

engines! {
    Naive "naive" "The definition itself." rows(Naive) refuses [GrowingTrace];
    DepthFirst "depth-first" "Depth-first traversal of the alternating automaton." verdicts(DepthFirst) refuses [GrowingTrace];
    BreadthFirst "breadth-first" "Breadth-first traversal of the alternating automaton." follows(BreadthFirst) refuses [VastTimes FutureInsidePast];
    PrintedBreadthFirst "breadth-first-printed" "Breadth-first traversal as the papers print it." follows(PrintedBreadthFirst) refuses [BoundsInTime FutureInsidePast];
    Reverse "reverse" "Reverse traversal of the alternating automaton." rows(Reverse) refuses [GrowingTrace];
    Tableau "tableau" "The set of states of a non-deterministic automaton." follows(Tableau) refuses [BoundsInTime];
    Observer "observer" "A minimal deterministic automaton." follows(Observer) refuses [BoundsInTime VastBounds LongPastBounds MuchPast];
    ForwardBackward "forward-backward" "The configuration tree of a metric automaton." follows(ForwardBackward) refuses [BoundsInTime FutureInsidePast];
    ForwardBackwardDag "forward-backward-dag" "The configuration graph of a metric automaton." follows(ForwardBackwardDag) refuses [VastTimes FutureInsidePast];
    Streaming "streaming" "Every part answers as soon as it is certain." follows(Streaming) refuses [];
    Generic "generic" "Configurations and graphs of a metric automaton." follows(Generic) refuses [VastTimes FutureInsidePast];
}

impl EngineName {
    /// Whether the engine follows a trace as it grows.
    pub fn follows(self) -> bool {
        !self.refuses().contains(&Feature::GrowingTrace)
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EngineName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|engine| engine.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|engine| engine.name()).collect();
            format!("there is no engine `{text}`; there are {}", names.join(", "))
        })
    }
}
