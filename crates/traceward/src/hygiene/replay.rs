//! Short traces, tried out one after the other by the definition.

use traceward_engine::possible::values_to_try;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Alphabet;
use traceward_logic::lower::Expected;
use traceward_logic::semantics;
use traceward_logic::trace::{Column, Trace, VariableId};
use traceward_logic::value::Value;

/// The length of the longest traces that are tried.
const LONGEST: u32 = 5;

/// The number of traces of one length that are tried.
const MOST_TRACES: u64 = 10_000;

/// A state: the variables and their values.
type State = Vec<(VariableId, Value)>;

/// A trace that satisfies a formula which speaks of earlier states; none if the formula does not,
/// or no such trace was met. Shorter traces are tried first.
pub(super) fn satisfying(formulas: &Formulas, formula: FormulaId, expected: &[Expected]) -> Option<Vec<State>> {
    let alphabet = Alphabet::of(formulas, &[formula]);
    if !alphabet.atoms().iter().any(|(_, atom)| formulas.atom(*atom).looks_back()) {
        return None;
    }
    let choices = Choices { values: values_to_try(formulas, &alphabet, expected) };
    (1..=LONGEST).find_map(|len| {
        let satisfies = |states: &Vec<State>| {
            let trace = trace_of(states, expected.len());
            semantics::satisfied(formulas, formula, &trace) == Ok(true)
        };
        choices.traces(len).find(satisfies)
    })
}

/// The values that each variable is tried with.
struct Choices {
    values: Vec<(VariableId, Vec<Value>)>,
}

impl Choices {
    /// Traces of a length: all of them, or where they are too many, some that lie evenly among
    /// them.
    fn traces(&self, len: u32) -> impl Iterator<Item = Vec<State>> {
        let states = self.values.iter().try_fold(1_u64, |states, (_, tried)| states.checked_mul(tried.len() as u64));
        let all = states.and_then(|states| states.checked_pow(len)).unwrap_or(u64::MAX);
        // An odd number of steps apart, so that the first states vary too.
        let apart = if all <= MOST_TRACES { 1 } else { (all / MOST_TRACES) | 1 };
        (0..all.min(MOST_TRACES)).map(move |nth| self.trace(nth.saturating_mul(apart), len))
    }

    fn trace(&self, number: u64, len: u32) -> Vec<State> {
        let mut rest = number;
        let mut choose = |(variable, tried): &(VariableId, Vec<Value>)| {
            let value = tried[(rest % tried.len() as u64) as usize].clone();
            rest /= tried.len() as u64;
            (*variable, value)
        };
        (0..len).map(|_| self.values.iter().map(&mut choose).collect()).collect()
    }
}

/// A trace of these states, with a column for each of so many variables.
pub(super) fn trace_of(states: &[State], variables: usize) -> Trace {
    let column = |index: usize| {
        let value = |state: &State| {
            let found = state.iter().find(|(variable, _)| variable.index() == index);
            found.map_or(Value::Missing, |(_, value)| value.clone())
        };
        Column::of_values(&states.iter().map(value).collect::<Vec<_>>())
    };
    Trace { len: states.len(), columns: (0..variables).map(column).collect(), time: None }
}
