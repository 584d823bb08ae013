//! The papers' tables: what every node of an automaton has at every position of a short trace.

use super::Question;
use crate::error::{Error, Request};
use traceward_engine::automaton::algebraic::{Algebraic, Plain};
use traceward_engine::engine::reverse::Reverse;
use traceward_engine::query::Table;
use traceward_engine::select::{EngineName, Prepared};
use traceward_logic::formula::FormulaId;
use traceward_logic::lower::Claim;
use traceward_logic::query::Query;
use traceward_logic::semantics;

/// The longest trace whose table is worth printing.
const LONGEST_TABLE: usize = 1000;

/// The tables of all properties and queries, one after the other.
pub(super) fn tables(question: &Question<'_>) -> Result<String, Error> {
    let states = question.input.len;
    if states > LONGEST_TABLE {
        return Err(Request::TableTooLong { states, limit: LONGEST_TABLE }.into());
    }
    let of_properties = question.bound.lowered.properties.iter().map(|property| match &property.claim {
        Claim::Formula(formula) => of_formula(question, *formula),
        Claim::Assert(compared) => of_query(question, &Query::Compare(Box::new(compared.clone()))),
    });
    let of_queries = question.bound.lowered.queries.iter().map(|query| of_query(question, &query.query));
    Ok(of_properties.chain(of_queries).collect::<Result<Vec<String>, Error>>()?.join("\n"))
}

/// The table of one formula alone: its automaton is that of the paper, without what else is asked
/// of the trace, so it is prepared by itself.
fn of_formula(question: &Question<'_>, formula: FormulaId) -> Result<String, Error> {
    if question.bound.evaluator.engine() != EngineName::Reverse {
        return Err(Request::TableOfOtherEngine.into());
    }
    let prepared = Prepared::new(&question.bound.lowered.formulas, &[formula], question.options.config.simplification);
    let reverse = Reverse::new(&prepared.formulas, &prepared.alphabet, &prepared.normal);
    let letters = prepared.letters(question.input.trace());
    let table = reverse.table(&prepared.formulas, &prepared.alphabet, &letters);
    Ok(reverse.table_text(&table, &prepared.formulas, &question.bound.names))
}

/// The table of one query, with the formulas inside it as the paper translates them. The trace is
/// short, so the definition tells where the others hold.
fn of_query(question: &Question<'_>, query: &Query) -> Result<String, Error> {
    let (formulas, trace) = (&question.bound.lowered.formulas, question.input.trace());
    let automaton = Algebraic::new(formulas, [query], Plain::Unfolded);
    let rows = semantics::truths(formulas, &automaton.assertions(), trace)
        .map_err(|error| question.evaluation_error(&error))?;
    let table = Table::new(&automaton, trace, &|formula, position| rows[&formula][position]);
    Ok(table.text(&automaton, formulas, &question.bound.names))
}
