//! Whether a spec asks anything: an answer to nothing would be taken for good news.

use super::{Goal, Source};
use traceward_logic::ast::{Named, SpecAst, StatementKind};
use traceward_logic::diagnostic::{Diagnostic, SourceId, Span};
use traceward_logic::lower::Lowered;

/// What is wrong with texts that ask nothing; none if they ask something. No text at all is not
/// looked at: there is no place to show.
pub(super) fn nothing_asked(sources: &[Source], specs: &[(SpecAst, Goal)], lowered: &Lowered) -> Option<Diagnostic> {
    if !lowered.properties.is_empty() || !lowered.queries.is_empty() {
        return None;
    }
    match first_definition(specs) {
        Some(name) => Some(only_named(name, text_at(sources, name.span))),
        None => sources.first().map(|first| only_declared(&first.text)),
    }
}

fn first_definition(specs: &[(SpecAst, Goal)]) -> Option<&Named> {
    let mut statements = specs.iter().flat_map(|(spec, _)| &spec.statements);
    statements.find(|statement| statement.kind == StatementKind::Let)?.name.as_ref()
}

fn text_at(sources: &[Source], span: Span) -> &str {
    &sources[span.source.0 as usize].text[span.range()]
}

fn only_named(name: &Named, written: &str) -> Diagnostic {
    Diagnostic::error(name.span, "nothing is asked: `let` only gives a name")
        .label("nobody asks for it")
        .help(format!("write `property {written} = …` for what must hold, or `query {written} = …` for a value"))
}

/// A text whose first line stands for all of it.
fn only_declared(text: &str) -> Diagnostic {
    let begin = text.len() - text.trim_start().len();
    let line = text[begin..].lines().next().unwrap_or_default().trim_end();
    let span = Span::new(SourceId(0), begin..begin + line.len());
    Diagnostic::error(span, "nothing is asked: there is no property and no query")
        .label("this says only how to read")
        .help("add what must hold, for example `property answered = G(request -> F grant)`")
}
