//! Short traces, tried out one after the other by the definition.

use traceward_engine::possible::values_to_try;
use traceward_logic::formula::{FormulaId, Formulas, Unit};
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

/// A trace that was tried.
pub(super) struct Tried {
    pub(super) states: Vec<State>,
    /// The timestamps, if the formula has bounds in time.
    pub(super) time: Option<Vec<i64>>,
}

/// A trace that satisfies a formula which speaks of earlier states; none if the formula does not,
/// or no such trace was met. Shorter traces are tried first.
pub(super) fn satisfying(formulas: &Formulas, formula: FormulaId, expected: &[Expected]) -> Option<Tried> {
    let alphabet = Alphabet::of(formulas, &[formula]);
    if !alphabet.atoms().iter().any(|(_, atom)| formulas.atom(*atom).looks_back()) {
        return None;
    }
    let choices = Choices { values: values_to_try(formulas, &alphabet, expected), gaps: gaps(formulas, formula) };
    (1..=LONGEST).find_map(|len| {
        let satisfies =
            |tried: &Tried| semantics::satisfied(formulas, formula, &tried.as_trace(expected.len())) == Ok(true);
        choices.traces(len).find(satisfies)
    })
}

/// The distances of states that are tried: none, the ends of windows, and just behind these.
/// Without bounds in time there are none to try.
fn gaps(formulas: &Formulas, formula: FormulaId) -> Vec<i64> {
    let parts = formulas.parts(&[formula]).into_iter();
    let windows = parts.filter_map(|part| formulas.node(part).interval()).filter(|window| window.unit == Unit::Time);
    let ends = windows.flat_map(|window| [Some(window.from), window.to]).flatten();
    let ends = ends.filter_map(|end| i64::try_from(end).ok()).filter(|end| *end < i64::MAX / i64::from(LONGEST));
    let mut gaps: Vec<i64> = ends.flat_map(|end| [0, end, end + 1]).collect();
    gaps.sort_unstable();
    gaps.dedup();
    gaps
}

/// The values that each variable is tried with.
struct Choices {
    values: Vec<(VariableId, Vec<Value>)>,
    /// The distances of a state from the one before it.
    gaps: Vec<i64>,
}

impl Choices {
    /// Traces of a length: all of them, or where they are too many, some that lie evenly among
    /// them.
    fn traces(&self, len: u32) -> impl Iterator<Item = Tried> {
        let gaps = self.gaps.len().max(1) as u64;
        let states = self.values.iter().try_fold(gaps, |states, (_, tried)| states.checked_mul(tried.len() as u64));
        let all = states.and_then(|states| states.checked_pow(len)).unwrap_or(u64::MAX);
        // An odd number of steps apart, so that the first states vary too.
        let apart = if all <= MOST_TRACES { 1 } else { (all / MOST_TRACES) | 1 };
        (0..all.min(MOST_TRACES)).map(move |nth| self.trace(nth.saturating_mul(apart), len))
    }

    fn trace(&self, number: u64, len: u32) -> Tried {
        let mut rest = number;
        let mut choose = |choices: usize| {
            let chosen = (rest % choices as u64) as usize;
            rest /= choices as u64;
            chosen
        };
        let (mut states, mut time) = (Vec::new(), Vec::new());
        for position in 0..len as usize {
            let state = self.values.iter().map(|(variable, tried)| (*variable, tried[choose(tried.len())].clone()));
            states.push(state.collect());
            if !self.gaps.is_empty() {
                let gap = self.gaps[choose(self.gaps.len())];
                time.push(position.checked_sub(1).map_or(0, |before| time[before] + gap));
            }
        }
        Tried { states, time: (!self.gaps.is_empty()).then_some(time) }
    }
}

impl Tried {
    /// The trace, with a column for each of so many variables.
    pub(super) fn as_trace(&self, variables: usize) -> Trace {
        let column = |index: usize| {
            let value = |state: &State| {
                let found = state.iter().find(|(variable, _)| variable.index() == index);
                found.map_or(Value::Missing, |(_, value)| value.clone())
            };
            Column::of_values(&self.states.iter().map(value).collect::<Vec<_>>())
        };
        let columns = (0..variables).map(column).collect();
        Trace { len: self.states.len(), columns, time: self.time.clone().map(Into::into) }
    }
}
