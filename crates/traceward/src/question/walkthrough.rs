//! What the engine that judged a property held, step by step.

use super::input::Input;
use super::part::Part;
use crate::check::CheckOptions;
use crate::error::{Error, Request};
use traceward_engine::engine::Exactness;
use traceward_engine::engine::walkthrough::{Visits, Walkthrough, WalkthroughError};
use traceward_engine::limit::BuildError;
use traceward_engine::select::{Config, EngineName, Prepared, Walk};
use traceward_logic::lower::Claim;

/// The longest trace whose steps are worth reading.
const LONGEST: usize = 200;

/// The number of nodes that may be held after a state and still be worth reading.
const MOST_NODES: usize = 1000;

/// Refuses steps that nobody could read, or that no engine has.
pub(super) fn refuse(input: &Input, options: &CheckOptions) -> Result<(), Request> {
    let engine = options.config.engine;
    if !options.steps {
        Ok(())
    } else if input.keys.is_some() {
        Err(Request::StepsByKey)
    } else if engine != EngineName::Auto && !engine.holds_something() {
        Err(Request::NoSteps { engine })
    } else if input.len > LONGEST {
        Err(Request::StepsTooLong { states: input.len, limit: LONGEST })
    } else {
        Ok(())
    }
}

/// The steps of the engine that judged a property, if they were asked for and it is a formula. The
/// formula is prepared by itself, so that names of nodes are those of its own automaton.
pub(super) fn of_property(part: &Part<'_>, index: usize, engine: EngineName) -> Result<Option<Walkthrough>, Error> {
    let question = part.question;
    let Claim::Formula(formula) = question.bound.lowered.properties[index].claim else { return Ok(None) };
    if !question.options.steps {
        return Ok(None);
    }
    if part.len() == 0 {
        return Ok(Some(Walkthrough::default()));
    }
    let config = of_engine(&question.options.config, engine);
    let prepared = Prepared::new(&question.bound.lowered.formulas, &[formula], config.simplification);
    let letters = prepared.letters(question.input.trace());
    // Coverage is refused for formulas that have no visits to count.
    let visits = if question.options.runs.coverage { Visits::Counted } else { Visits::NotCounted };
    let walk = Walk { letters: &letters, names: &question.bound.names, most_nodes: MOST_NODES, visits };
    let name = || question.bound.property_names[index].clone();
    walk.walkthrough(&prepared, 0, &config).map(Some).map_err(|error| failed(error, engine, name()))
}

/// The configuration of an engine that was chosen. One that was not asked for goes on where it
/// cannot be exact.
fn of_engine(config: &Config, engine: EngineName) -> Config {
    let exactness = match config.engine {
        EngineName::Auto => Exactness::WherePossible,
        _ => config.exactness,
    };
    Config { engine, exactness, ..*config }
}

fn failed(error: WalkthroughError, engine: EngineName, property: String) -> Error {
    match error {
        WalkthroughError::NothingHeld => Request::NoSteps { engine }.into(),
        WalkthroughError::TooMuch { position, limit } => Request::StepsTooLarge { property, position, limit }.into(),
        WalkthroughError::Engine(BuildError::GaveUp(gave_up)) => Error::GaveUp { property: Some(property), gave_up },
        WalkthroughError::Engine(error) => error.into(),
    }
}
