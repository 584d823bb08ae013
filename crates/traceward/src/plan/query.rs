//! What is done with a query.

use super::{ChosenFor, EngineBounds, MOST_WRITTEN, Stages, TRACE_STATES};
use std::sync::Arc;
use traceward_engine::query::{POSITIONS_OF_BLOCK, Queries, StepCounts};
use traceward_engine::select::{Config, EngineName};
use traceward_logic::formula::Formulas;
use traceward_logic::query::Query;

/// The stages of some queries that are evaluated together, each with whether its values at all
/// positions are wanted, and what every way of evaluation costs.
pub(super) fn query_plan(
    formulas: &Formulas,
    queries: &[(&Query, bool)],
    config: Config,
    names: &[Arc<str>],
) -> (Stages, Vec<EngineBounds>) {
    let queries = Queries::sampling(formulas, queries.iter().copied());
    let automaton = queries.automaton();
    let parts = automaton.parts().len();
    let text = match parts as u64 > MOST_WRITTEN {
        true => format!("{parts} parts; too large to be written out"),
        false => automaton.display(formulas, names).to_string(),
    };
    let is_naive = config.engine == EngineName::Naive;
    let engine = match is_naive {
        true => "naive: asked for; the definition is followed to the letter",
        false => "algebraic: the automaton is evaluated from the last state to the first",
    };
    let mut stages = vec![("automaton", text)];
    if !is_naive {
        stages.push(("evaluation", evaluation(queries.step_counts())));
    }
    stages.push(("engine", engine.to_owned()));
    let bounds = |engine, is_chosen: bool, most| EngineBounds {
        engine,
        chosen: is_chosen.then_some(ChosenFor::Files),
        most: Ok(most),
    };
    let algebraic = bounds("algebraic", !is_naive, queries.most_needed(TRACE_STATES));
    let naive = bounds("naive", is_naive, queries.most_needed_by_definition(TRACE_STATES));
    (stages, vec![algebraic, naive])
}

/// How an automaton is evaluated, in words.
fn evaluation(counts: StepCounts) -> String {
    let StepCounts { registers, running, folded, formulas, sampled } = counts;
    let mut lines = Vec::new();
    if formulas > 0 {
        let hold = if formulas == 1 { "holds" } else { "hold" };
        lines.push(format!("first, by reverse: where {} {hold}", counted(formulas, "formula")));
    }
    let running = match running {
        0 => String::new(),
        count => format!(", {count} of them with what is collected from there on"),
    };
    let everywhere = format!("{} a position{running}", counted(registers, "value"));
    lines.push(format!("backwards in blocks of {POSITIONS_OF_BLOCK} positions: {everywhere}"));
    if folded > 0 {
        lines.push(format!("{} folded block by block, and summarised in the end", counted(folded, "collection")));
    }
    if sampled > 0 {
        lines.push("an experiment: its values at all positions are kept for a summary".to_owned());
    }
    lines.join("\n")
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
