//! Which engine answers: the only place that knows all of them.

use crate::engine::reverse::{self, Reverse};
use std::fmt;
use std::str::FromStr;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{self, Alphabet, Letters};
use traceward_logic::pass::{Simplifier, negation_normal_form, split_atoms};
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::trace::Trace;

/// The engines, by the names the command line knows them by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineName {
    /// Whichever suits best.
    #[default]
    Auto,
    /// The definition itself.
    Naive,
    /// Reverse traversal of the alternating automaton.
    Reverse,
}

impl EngineName {
    /// All engines.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Naive, Self::Reverse];

    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Naive => "naive",
            Self::Reverse => "reverse",
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
}

/// Formulas with the engine that evaluates them.
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
            // It takes every operator, and nothing reads a file faster.
            EngineName::Auto | EngineName::Reverse => Compiled::Reverse(Reverse::new(
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
            Compiled::Reverse(reverse) => Ok(reverse.truth(&mut cache.reverse, &self.letters(trace)?)),
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
        mut each: impl FnMut(usize, Vec<Bitmap>),
    ) -> Result<(), EvaluationError> {
        // What an expression says of a state is the same in the part and in the whole, unless it speaks of `pos`.
        let letters = match &self.engine {
            Compiled::Reverse(_) if !self.speaks_of_position() => Some(self.letters(trace)?),
            _ => None,
        };
        for (number, positions) in parts.enumerate() {
            let answers = match (&letters, &self.engine) {
                (Some(letters), Compiled::Reverse(reverse)) => {
                    reverse.truth(&mut cache.reverse, &letters.gather(positions))
                }
                _ => self
                    .truth(cache, &trace.gather(positions))
                    .map_err(|error| EvaluationError { position: positions[error.position] as usize, ..error })?,
            };
            each(number, answers);
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
