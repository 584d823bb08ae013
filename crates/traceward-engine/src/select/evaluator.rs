//! Engines that tell where formulas hold.

use super::{Config, EngineName, Prepared};
use crate::engine::reverse::{self, Reverse};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{self, Letters};
use traceward_logic::semantics::{self, EvaluationError};
use traceward_logic::trace::Trace;

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
            _ => Compiled::Reverse(Reverse::new(&prepared.formulas, &prepared.alphabet, &prepared.normal)),
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
