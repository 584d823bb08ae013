//! The choice of the engine that answers: the only place that knows all engines.

mod evaluator;
mod judge;
mod online;
mod table;

pub use crate::engine::follow::{Prefix, Running, Step};
pub use crate::engine::offline::Cache;
use crate::engine::{self, Exactness, Memory, Subsumption};
use crate::limit::Limits;
pub use crate::prepared::{Prepared, Simplification};
pub use evaluator::{Evaluator, Unevaluated};
pub use judge::{Judge, Ruling};
pub use online::Online;
pub use table::EngineName;

/// The settings by which questions are answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// The engine that answers.
    pub engine: EngineName,
    /// The choice whether formulas are simplified first.
    pub simplification: Simplification,
    /// The parts of an engine's state that are dropped because another part asks for the same.
    pub subsumption: Subsumption,
    /// The successors that breadth-first traversal remembers from one step to the next.
    pub memory: Memory,
    /// The behaviour of an observer that would take too long to find out what is certain.
    pub exactness: Exactness,
    /// The work and the memory that engines may take.
    pub limits: Limits,
}

impl Config {
    /// The part of the settings that engines need to know.
    fn of_engines(&self) -> engine::Config {
        let Self { subsumption, memory, exactness, limits, .. } = *self;
        engine::Config { subsumption, memory, exactness, limits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use traceward_logic::bitmap::Bitmap;
    use traceward_logic::lower::{Claim, Goal};
    use traceward_logic::trace::{Column, Trace};
    use traceward_logic::value::ArithmeticError;
    use traceward_testkit::lowered;

    /// Where a formula over `x` holds in each part, by each engine.
    fn in_parts(text: &str, x: &[i64], parts: &[&[u32]]) -> Result<Vec<String>, Unevaluated> {
        let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
        let columns = lowered.variables.list().iter().map(|_| Column::of_ints(x.to_vec())).collect();
        let trace = Trace { len: x.len(), columns, time: None };
        let mut of_engines = [EngineName::Naive, EngineName::Reverse].map(|engine| {
            let config = Config { engine, ..Config::default() };
            let prepared = Arc::new(Prepared::new(&lowered.formulas, &[root], config.simplification));
            let evaluator = Evaluator::new(&prepared, &config);
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
            let error = match in_parts(text, x, &parts) {
                Err(Unevaluated::Expression(error)) => error,
                other => panic!("{text} divides by zero, and not {other:?}"),
            };
            assert_eq!((error.position, error.reason), (position, ArithmeticError::DivisionByZero), "{text}");
        };
        fails_at("1 / x > 0", &[1, 1, 1, 1, 0], 4);
        fails_at("pos / x > 0", &[1, 1, 1, 0, 1], 3);
    }

    #[test]
    fn engines_have_names() {
        for engine in EngineName::ALL {
            assert_eq!(engine.to_string().parse(), Ok(*engine));
        }
        assert!("revers".parse::<EngineName>().unwrap_err().contains("reverse"));
    }
}
