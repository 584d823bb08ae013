//! Which engine answers: the only place that knows all of them.

mod evaluator;
mod follow;
mod judge;
mod online;

use crate::engine::breadth_first::BreadthFirst;
use crate::engine::forward_backward::ForwardBackward;
use crate::engine::forward_backward_dag::ForwardBackwardDag;
use crate::engine::generic::Generic;
use crate::engine::observer::Observer;
use crate::engine::tableau::Tableau;
use crate::engine::{self, Exactness, Memory, Subsumption};
use crate::limit::{BuildError, Limits, Unsupported};
use crate::possible::Possible;
pub use evaluator::{Cache, Evaluator};
use follow::Follower;
pub use judge::{Judge, Judged};
pub use online::{Online, OnlineRun, Prefix};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Alphabet;
use traceward_logic::pass::{Simplifier, negation_normal_form, split_atoms};
use traceward_logic::semantics;

/// The engines, by the names the command line knows them by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineName {
    /// Whichever suits best.
    #[default]
    Auto,
    /// The definition itself.
    Naive,
    /// Depth-first traversal of the alternating automaton.
    DepthFirst,
    /// Breadth-first traversal of the alternating automaton.
    BreadthFirst,
    /// Reverse traversal of the alternating automaton.
    Reverse,
    /// The set of states of a non-deterministic automaton.
    Tableau,
    /// A minimal deterministic automaton.
    Observer,
    /// The configuration tree of a metric automaton.
    ForwardBackward,
    /// The configuration graph of a metric automaton.
    ForwardBackwardDag,
    /// Configurations and graphs of a metric automaton.
    Generic,
}

impl EngineName {
    /// All engines.
    pub const ALL: [Self; 10] = [
        Self::Auto,
        Self::Naive,
        Self::DepthFirst,
        Self::BreadthFirst,
        Self::Reverse,
        Self::Tableau,
        Self::Observer,
        Self::ForwardBackward,
        Self::ForwardBackwardDag,
        Self::Generic,
    ];

    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Naive => "naive",
            Self::DepthFirst => "depth-first",
            Self::BreadthFirst => "breadth-first",
            Self::Reverse => "reverse",
            Self::Tableau => "tableau",
            Self::Observer => "observer",
            Self::ForwardBackward => "forward-backward",
            Self::ForwardBackwardDag => "forward-backward-dag",
            Self::Generic => "generic",
        }
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
        Self::ALL.into_iter().find(|engine| engine.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.map(Self::name).to_vec();
            format!("there is no engine `{text}`; there are {}", names.join(", "))
        })
    }
}

/// Whether formulas are simplified before they are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Simplification {
    /// By the laws of [`traceward_logic::pass::LAWS`].
    #[default]
    On,
    /// Not at all: what is evaluated is what was written.
    Off,
}

/// How questions are answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// By which engine.
    pub engine: EngineName,
    /// After simplification or not.
    pub simplification: Simplification,
    /// What engines drop because something else asks for it as well.
    pub subsumption: Subsumption,
    /// What breadth-first traversal remembers from one step to the next.
    pub memory: Memory,
    /// What an observer does where it takes too long to find out what is certain.
    pub exactness: Exactness,
    /// How much may be taken.
    pub limits: Limits,
}

impl Config {
    /// What engines need to know of it.
    fn of_engines(&self) -> engine::Config {
        let Self { subsumption, memory, exactness, limits, .. } = *self;
        engine::Config { subsumption, memory, exactness, limits }
    }
}

/// Formulas as engines take them, stage by stage.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The arena of all stages.
    pub formulas: Formulas,
    /// The formulas as lowered: atoms are maximal boolean expressions.
    pub lowered: Vec<FormulaId>,
    /// With atoms split at their connectives.
    pub split: Vec<FormulaId>,
    /// Simplified, if that was asked for.
    pub simplified: Vec<FormulaId>,
    /// In negation normal form.
    pub normal: Vec<FormulaId>,
    /// The atoms that are left.
    pub alphabet: Alphabet,
}

impl Prepared {
    /// Takes formulas through all stages.
    pub fn new(formulas: &Formulas, roots: &[FormulaId], simplification: Simplification) -> Self {
        let (mut formulas, lowered) = formulas.extract(roots);
        let split = split_atoms(&mut formulas, &lowered);
        let simplified = match simplification {
            Simplification::On => Simplifier::new().simplify(&mut formulas, &split),
            Simplification::Off => split.clone(),
        };
        let normal = negation_normal_form(&mut formulas, &simplified);
        let alphabet = Alphabet::of(&formulas, &normal);
        Self { formulas, lowered, split, simplified, normal, alphabet }
    }

    /// The engine of that name for one of the formulas, if it is one that follows a trace as it grows. The observer is not
    /// among them: it can do more.
    fn follower(&self, index: usize, config: &Config) -> Result<Option<Arc<dyn Follower>>, BuildError> {
        let Self { formulas, alphabet, normal, .. } = self;
        let root = normal[index];
        Ok(Some(match config.engine {
            EngineName::BreadthFirst => Arc::new(BreadthFirst::new(formulas, alphabet, root, config.of_engines())?),
            EngineName::Tableau => Arc::new(self.tableau(index, config.of_engines())?),
            EngineName::ForwardBackward => {
                Arc::new(ForwardBackward::new(formulas, alphabet, root, config.of_engines())?)
            }
            EngineName::ForwardBackwardDag => {
                Arc::new(ForwardBackwardDag::new(formulas, alphabet, root, config.of_engines())?)
            }
            EngineName::Generic => Arc::new(Generic::new(formulas, alphabet, root, config.of_engines())?),
            EngineName::Auto
            | EngineName::Naive
            | EngineName::DepthFirst
            | EngineName::Reverse
            | EngineName::Observer => return Ok(None),
        }))
    }

    /// An observer of one of the formulas by its tableau automaton.
    fn tableau(&self, index: usize, config: engine::Config) -> Result<Tableau, BuildError> {
        let on_empty = semantics::holds_on_empty(&self.formulas, self.lowered[index]);
        Tableau::new(&self.formulas, &self.alphabet, self.normal[index], on_empty, config)
    }

    /// An observer of one of the formulas.
    fn observer(&self, index: usize, config: engine::Config) -> Result<Observer, Unsupported> {
        let on_empty = semantics::holds_on_empty(&self.formulas, self.lowered[index]);
        let root = self.simplified[index];
        let mut formulas = self.formulas.clone();
        let knowledge = Possible::new(&formulas, &Alphabet::of(&formulas, &[root])).knowledge(&mut formulas);
        Observer::new(&formulas, &self.alphabet, root, on_empty, knowledge, config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use traceward_logic::bitmap::Bitmap;
    use traceward_logic::lower::{Claim, Goal};
    use traceward_logic::semantics::EvaluationError;
    use traceward_logic::trace::{Column, Trace};
    use traceward_logic::value::ArithmeticError;
    use traceward_testkit::lowered;

    /// Where a formula over `x` holds in each part, by each engine.
    fn in_parts(text: &str, x: &[i64], parts: &[&[u32]]) -> Result<Vec<String>, EvaluationError> {
        let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
        let columns = lowered.variables.list().iter().map(|_| Column::of_ints(x.to_vec())).collect();
        let trace = Trace { len: x.len(), columns, time: None };
        let mut of_engines = [EngineName::Naive, EngineName::Reverse].map(|engine| {
            let evaluator = Evaluator::new(&lowered.formulas, &[root], Config { engine, ..Config::default() });
            let mut answers = vec![String::new(); parts.len()];
            let each = |number: usize, truth: &[&Bitmap]| answers[number] = truth[0].to_string();
            evaluator.truth_of_parts(&mut Cache::default(), &trace, parts.iter().copied(), each).map(|()| answers)
        });
        assert_eq!(of_engines[0], of_engines[1], "{text}");
        std::mem::replace(&mut of_engines[0], Ok(Vec::new()))
    }

    #[test]
    fn positions_count_within_a_part() {
        let parts: [&[u32]; 2] = [&[0, 2, 4], &[1, 3]];
        let strings = |texts: [&str; 2]| Ok(texts.map(str::to_owned).to_vec());
        assert_eq!(in_parts("pos == 1", &[0; 5], &parts), strings(["010", "01"]));
        assert_eq!(in_parts("F (x + abs(pos - 1) == 7)", &[7, 0, 7, 0, 6], &parts), strings(["111", "00"]));
        assert_eq!(in_parts("x > 2 & X x > 2", &[3, 3, 3, 0, 3], &parts), strings(["110", "00"]));
    }

    #[test]
    fn errors_in_parts_name_positions_of_the_whole() {
        let parts: [&[u32]; 2] = [&[0, 2, 4], &[1, 3]];
        let fails_at = |text: &str, x: &[i64], position: usize| {
            let error = in_parts(text, x, &parts).expect_err("a division by zero");
            assert_eq!((error.position, error.reason), (position, ArithmeticError::DivisionByZero), "{text}");
        };
        fails_at("1 / x > 0", &[1, 1, 1, 1, 0], 4);
        fails_at("pos / x > 0", &[1, 1, 1, 0, 1], 3);
    }

    #[test]
    fn engines_have_names() {
        for engine in EngineName::ALL {
            assert_eq!(engine.to_string().parse(), Ok(engine));
        }
        assert!("revers".parse::<EngineName>().unwrap_err().contains("reverse"));
    }
}
