//! Which engine answers: the only place that knows all of them.

use crate::engine::breadth_first::{self, BreadthFirst};
use crate::engine::depth_first::{self, DepthFirst};
use crate::engine::observer::{self, Exactness, Observer};
use crate::engine::reverse::{self, Reverse};
use crate::engine::{Decision, GaveUp, Unsupported};
use std::fmt;
use std::str::FromStr;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{self, Alphabet, Letters, Proposition};
use traceward_logic::pass::{Simplifier, negation_normal_form, split_atoms};
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;

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
    /// A minimal deterministic automaton.
    Observer,
}

impl EngineName {
    /// All engines.
    pub const ALL: [Self; 6] =
        [Self::Auto, Self::Naive, Self::DepthFirst, Self::BreadthFirst, Self::Reverse, Self::Observer];

    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Naive => "naive",
            Self::DepthFirst => "depth-first",
            Self::BreadthFirst => "breadth-first",
            Self::Reverse => "reverse",
            Self::Observer => "observer",
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
    /// For depth-first traversal.
    pub depth_first: depth_first::Config,
    /// For breadth-first traversal.
    pub breadth_first: breadth_first::Config,
    /// For observers.
    pub observer: observer::Config,
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

    /// An observer of one of the formulas.
    fn observer(&self, index: usize, config: observer::Config) -> Result<Observer, Unsupported> {
        let on_empty = semantics::holds_on_empty(&self.formulas, self.lowered[index]);
        Observer::new(&self.formulas, &self.alphabet, self.simplified[index], on_empty, config)
    }
}

/// Formulas with an engine that tells where they hold.
#[derive(Clone, Debug)]
pub struct Evaluator {
    prepared: Prepared,
    engine: Compiled,
}

#[derive(Clone, Debug)]
enum Compiled {
    Naive,
    Reverse(Reverse),
}

/// An engine that tells whether formulas hold at position 0, and not where else.
#[derive(Clone, Debug)]
pub struct Judge {
    prepared: Prepared,
    engine: Traversal,
}

#[derive(Clone, Debug)]
enum Traversal {
    DepthFirst(DepthFirst),
    BreadthFirst(Vec<BreadthFirst>),
    Observer(Vec<Observer>),
}

impl Judge {
    /// The engine for these formulas, if the configuration asks for one of this kind.
    pub fn new(formulas: &Formulas, roots: &[FormulaId], config: Config) -> Result<Option<Self>, Unsupported> {
        let prepared = Prepared::new(formulas, roots, config.simplification);
        let Prepared { formulas, alphabet, normal, .. } = &prepared;
        let engine = match config.engine {
            EngineName::DepthFirst => {
                Traversal::DepthFirst(DepthFirst::new(formulas, alphabet, normal, config.depth_first)?)
            }
            EngineName::BreadthFirst => {
                let one = |root: &FormulaId| BreadthFirst::new(formulas, alphabet, *root, config.breadth_first);
                Traversal::BreadthFirst(normal.iter().map(one).collect::<Result<_, _>>()?)
            }
            EngineName::Observer => {
                let one = |index| prepared.observer(index, config.observer);
                Traversal::Observer((0..roots.len()).map(one).collect::<Result<_, _>>()?)
            }
            EngineName::Auto | EngineName::Naive | EngineName::Reverse => return Ok(None),
        };
        Ok(Some(Self { prepared, engine }))
    }

    /// The engine.
    pub fn engine(&self) -> EngineName {
        match self.engine {
            Traversal::DepthFirst(_) => EngineName::DepthFirst,
            Traversal::BreadthFirst(_) => EngineName::BreadthFirst,
            Traversal::Observer(_) => EngineName::Observer,
        }
    }

    /// Whether the positions at which verdicts are final are the least possible.
    pub fn is_exact(&self) -> bool {
        matches!(self.engine, Traversal::Observer(_))
    }

    /// Whether each formula holds on a trace with a state whose expressions can be evaluated.
    pub fn decide(&self, trace: &Trace) -> Result<Vec<Decision>, GaveUp> {
        let letters = letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace);
        match &self.engine {
            Traversal::DepthFirst(engine) => {
                let holds = engine.check(&mut depth_first::Cache::default(), &letters)?;
                Ok(holds.into_iter().map(|holds| Decision { holds, decided_at: None }).collect())
            }
            Traversal::BreadthFirst(engines) => {
                engines.iter().map(|engine| engine.check(&mut breadth_first::Cache::default(), &letters)).collect()
            }
            Traversal::Observer(engines) => engines.iter().map(|engine| engine.check(&letters)).collect(),
        }
    }

    /// Where each formula holds, from an engine that can tell.
    pub fn truth(&self, trace: &Trace) -> Result<Option<Vec<Bitmap>>, GaveUp> {
        let letters = letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace);
        match &self.engine {
            Traversal::DepthFirst(engine) => engine.truth(&mut depth_first::Cache::default(), &letters).map(Some),
            Traversal::BreadthFirst(_) | Traversal::Observer(_) => Ok(None),
        }
    }
}

/// A formula with an engine that follows a trace as it grows.
#[derive(Clone, Debug)]
pub struct Online {
    prepared: Prepared,
    engine: OnlineEngine,
}

#[derive(Clone, Debug)]
enum OnlineEngine {
    Observer(Observer),
    BreadthFirst(Box<BreadthFirst>),
}

/// How far an [`Online`] engine has got. A clone goes its own way.
#[derive(Clone, Debug)]
pub struct OnlineRun(OnlinePlace);

#[derive(Clone, Debug)]
enum OnlinePlace {
    Observer(observer::Run),
    BreadthFirst(Box<(breadth_first::Run, breadth_first::Cache)>),
}

impl Online {
    /// The engine for a formula. Asked to choose, it is an observer that is exact wherever that can be found out.
    pub fn new(formulas: &Formulas, root: FormulaId, config: Config) -> Result<Self, Unsupported> {
        let prepared = Prepared::new(formulas, &[root], config.simplification);
        let engine = match config.engine {
            EngineName::Auto => {
                let config = observer::Config { exactness: Exactness::WherePossible, ..config.observer };
                OnlineEngine::Observer(prepared.observer(0, config)?)
            }
            EngineName::Observer => OnlineEngine::Observer(prepared.observer(0, config.observer)?),
            EngineName::BreadthFirst => {
                let Prepared { formulas, alphabet, normal, .. } = &prepared;
                let engine = BreadthFirst::new(formulas, alphabet, normal[0], config.breadth_first)?;
                OnlineEngine::BreadthFirst(Box::new(engine))
            }
            EngineName::Naive | EngineName::DepthFirst | EngineName::Reverse => {
                let what = "a trace that is still growing";
                return Err(Unsupported { engine: config.engine.name(), what, instead: "observer" });
            }
        };
        Ok(Self { prepared, engine })
    }

    /// The engine.
    pub fn engine(&self) -> EngineName {
        match self.engine {
            OnlineEngine::Observer(_) => EngineName::Observer,
            OnlineEngine::BreadthFirst(_) => EngineName::BreadthFirst,
        }
    }

    /// The formula, stage by stage.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// Whether a letter that repeats makes no difference.
    pub fn is_stutter_invariant(&self) -> bool {
        match &self.engine {
            OnlineEngine::Observer(observer) => observer.is_stutter_invariant(),
            OnlineEngine::BreadthFirst(_) => false,
        }
    }

    /// The propositions that matter: whether others hold makes no difference.
    pub fn propositions(&self) -> Vec<Proposition> {
        match &self.engine {
            OnlineEngine::Observer(observer) => observer.propositions().to_vec(),
            OnlineEngine::BreadthFirst(_) => {
                (0..self.prepared.alphabet.atoms().len() as u32).map(Proposition).collect()
            }
        }
    }

    /// A run that has seen no state.
    pub fn start(&self) -> Result<OnlineRun, GaveUp> {
        Ok(OnlineRun(match &self.engine {
            OnlineEngine::Observer(observer) => OnlinePlace::Observer(observer.start()?),
            OnlineEngine::BreadthFirst(engine) => {
                let mut cache = breadth_first::Cache::default();
                OnlinePlace::BreadthFirst(Box::new((engine.start(&mut cache), cache)))
            }
        }))
    }

    /// Takes the next state; `holds` tells which propositions do.
    ///
    /// # Panics
    /// If the run is one of another engine.
    pub fn step(&self, run: &mut OnlineRun, holds: &dyn Fn(Proposition) -> bool) -> Result<Verdict, GaveUp> {
        match (&self.engine, &mut run.0) {
            (OnlineEngine::Observer(observer), OnlinePlace::Observer(run)) => observer.step(run, holds),
            (OnlineEngine::BreadthFirst(engine), OnlinePlace::BreadthFirst(place)) => {
                let (run, cache) = &mut **place;
                engine.step(cache, run, holds)
            }
            _ => panic!("a run of another engine"),
        }
    }

    /// What is certain after what a run has seen.
    ///
    /// # Panics
    /// If the run is one of another engine.
    pub fn verdict(&self, run: &OnlineRun) -> Verdict {
        match (&self.engine, &run.0) {
            (OnlineEngine::Observer(observer), OnlinePlace::Observer(run)) => observer.verdict(run),
            (OnlineEngine::BreadthFirst(engine), OnlinePlace::BreadthFirst(place)) => engine.verdict(&place.0),
            _ => panic!("a run of another engine"),
        }
    }
}

/// Scratch for an [`Evaluator`].
#[derive(Clone, Debug, Default)]
pub struct Cache {
    reverse: reverse::Cache,
}

impl Evaluator {
    /// Chooses an engine for these formulas.
    pub fn new(formulas: &Formulas, roots: &[FormulaId], config: Config) -> Self {
        let prepared = Prepared::new(formulas, roots, config.simplification);
        let engine = match config.engine {
            EngineName::Naive => Compiled::Naive,
            // It takes every operator, and nothing reads a file faster. Where only a verdict comes from elsewhere, the
            // rest of the report is still made of its rows.
            EngineName::Auto
            | EngineName::Reverse
            | EngineName::DepthFirst
            | EngineName::BreadthFirst
            | EngineName::Observer => Compiled::Reverse(Reverse::new(
                &prepared.formulas,
                &prepared.alphabet,
                &prepared.normal,
                reverse::Config::default(),
            )),
        };
        Self { prepared, engine }
    }

    /// The engine that was chosen.
    pub fn engine(&self) -> EngineName {
        match self.engine {
            Compiled::Naive => EngineName::Naive,
            Compiled::Reverse(_) => EngineName::Reverse,
        }
    }

    /// Why that one, in words.
    pub fn reason(&self) -> &'static str {
        match self.engine {
            Compiled::Naive => "the definition itself; quadratic in the trace, for small traces and for comparison",
            Compiled::Reverse(_) => {
                "takes every operator, and is linear in formula and trace when the trace is in a file"
            }
        }
    }

    /// The formulas, stage by stage.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// The reverse traversal, where that is the engine.
    pub fn reverse(&self) -> Option<&Reverse> {
        match &self.engine {
            Compiled::Reverse(reverse) => Some(reverse),
            Compiled::Naive => None,
        }
    }

    /// The letters of a trace as this evaluator's engine sees them, every expression having been evaluated as a whole.
    pub fn letters(&self, trace: &Trace) -> Result<Letters, EvaluationError> {
        let Prepared { formulas, lowered, alphabet, .. } = &self.prepared;
        letter::check_expressions(formulas, lowered, trace)?;
        Ok(letter::letters(formulas, alphabet, trace))
    }

    /// Where each formula holds, on a trace with a state.
    pub fn truth(&self, cache: &mut Cache, trace: &Trace) -> Result<Vec<Bitmap>, EvaluationError> {
        match &self.engine {
            Compiled::Naive => self.naive(trace),
            Compiled::Reverse(reverse) => {
                let letters = self.letters(trace)?;
                Ok(reverse.truth(&mut cache.reverse, &letters).into_iter().cloned().collect())
            }
        }
    }

    fn naive(&self, trace: &Trace) -> Result<Vec<Bitmap>, EvaluationError> {
        let Prepared { formulas, lowered, .. } = &self.prepared;
        let rows = semantics::truths(formulas, lowered, trace)?;
        Ok(lowered.iter().map(|formula| rows[formula].iter().copied().collect()).collect())
    }

    /// Where each formula holds in each part of a trace, taken as a trace of its own: `each` is called with the part's
    /// number and the answers. Positions in errors are those of the whole trace.
    pub fn truth_of_parts<'a>(
        &self,
        cache: &mut Cache,
        trace: &Trace,
        parts: impl Iterator<Item = &'a [u32]>,
        mut each: impl FnMut(usize, &[&Bitmap]),
    ) -> Result<(), EvaluationError> {
        // What an expression says of a state is the same in the part and in the whole, unless it speaks of `pos`.
        let letters = match &self.engine {
            Compiled::Reverse(_) if !self.speaks_of_position() => Some(self.letters(trace)?),
            _ => None,
        };
        for (number, positions) in parts.enumerate() {
            match (&letters, &self.engine) {
                (Some(letters), Compiled::Reverse(reverse)) => {
                    each(number, &reverse.truth(&mut cache.reverse, &letters.gather(positions)));
                }
                _ => {
                    let in_whole = |error: EvaluationError| EvaluationError {
                        position: positions[error.position] as usize,
                        ..error
                    };
                    let answers = self.truth(cache, &trace.gather(positions)).map_err(in_whole)?;
                    each(number, &answers.iter().collect::<Vec<_>>());
                }
            }
        }
        Ok(())
    }

    fn speaks_of_position(&self) -> bool {
        fn speaks(expr: &Expr) -> bool {
            *expr == Expr::Position || expr.parts().into_iter().any(speaks)
        }
        self.prepared.formulas.atoms().iter().any(speaks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use traceward_logic::lower::{Claim, Goal};
    use traceward_logic::semantics::EvaluationError;
    use traceward_logic::trace::Column;
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
