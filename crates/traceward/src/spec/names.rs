//! Names of statements in several texts: each is given once, as within one text.

use super::{Goal, numbered};
use std::collections::HashMap;
use traceward_logic::ast::{SpecAst, Statement, StatementKind};
use traceward_logic::diagnostic::{Diagnostic, Span};
use traceward_logic::lower::Lowered;

/// The definitions by `let` to which a later text gives another meaning. Texts that are made to
/// work alone may well repeat what they share.
pub(super) fn taken_definitions(specs: &[(SpecAst, Goal)]) -> Vec<Diagnostic> {
    let mut first: HashMap<&str, (&Statement, Span)> = HashMap::new();
    let mut errors = Vec::new();
    for statement in statements(specs).filter(|statement| statement.kind == StatementKind::Let) {
        let Some(name) = &statement.name else { continue };
        let (other, place) = *first.entry(&name.name).or_insert((statement, name.span));
        if other.body != statement.body {
            let error = taken(&name.name, name.span).label("defined in another way here");
            errors.push(error.also(place, "defined here"));
        }
    }
    errors
}

/// The names of properties and queries that a later text gives again. A formula alone is called by
/// its number, and so nothing else may be.
pub(super) fn taken_names(specs: &[(SpecAst, Goal)], lowered: &Lowered) -> Vec<Diagnostic> {
    let numbers = numbers(lowered);
    let mut first: HashMap<&str, &Statement> = HashMap::new();
    let mut errors = Vec::new();
    for statement in statements(specs).filter(|statement| statement.kind != StatementKind::Let) {
        let number = numbers.get(&statement.body.span).map(String::as_str);
        let Some(name) = statement.name.as_ref().map(|name| &*name.name).or(number) else { continue };
        match first.get(name) {
            None => drop(first.insert(name, statement)),
            Some(other) => {
                let error = taken(name, place(statement)).label(how(statement, name, "named a second time here"));
                errors.push(error.also(place(other), how(other, name, "named here")));
            }
        }
    }
    errors
}

fn statements(specs: &[(SpecAst, Goal)]) -> impl Iterator<Item = &Statement> {
    specs.iter().flat_map(|(spec, _)| &spec.statements)
}

/// The names of formulas and queries alone, by their places.
fn numbers(lowered: &Lowered) -> HashMap<Span, String> {
    let properties = lowered.properties.iter().map(|property| (property.name.as_deref(), property.body.span));
    let queries = lowered.queries.iter().map(|query| (query.name.as_deref(), query.body.span));
    let properties = numbered('p', properties.clone().map(|(name, _)| name)).into_iter().zip(properties);
    let queries = numbered('q', queries.clone().map(|(name, _)| name)).into_iter().zip(queries);
    let unnamed = properties.chain(queries).filter(|(_, (name, _))| name.is_none());
    unnamed.map(|(number, (_, span))| (span, number)).collect()
}

fn place(statement: &Statement) -> Span {
    statement.name.as_ref().map_or(statement.body.span, |name| name.span)
}

/// What to write under the place where a statement gets its name.
fn how(statement: &Statement, name: &str, written: &str) -> String {
    match statement.name {
        Some(_) => written.to_owned(),
        None => format!("without a name it is called `{name}`"),
    }
}

fn taken(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("the name `{name}` is taken")).help("give each statement a name of its own")
}
