//! Text to [`SpecAst`]: a lexer, operator precedence, and errors that name the place and the way
//! out.

mod fold;
mod foreign;
mod grammar;
mod lexer;
mod literal;
mod statement;
mod words;

pub use grammar::{MOST_STEPS_BACK, NESTING_LIMIT};
pub use words::is_plain_name;

use crate::ast::{Ast, Dialect, SpecAst};
use crate::diagnostic::{Diagnostic, Help, SourceId};
use grammar::Parser;

/// Reads a spec: statements, or one formula alone.
///
/// ```
/// use traceward_logic::{diagnostic::SourceId, parse};
/// let spec = parse::spec(SourceId(0), "property answered = G(request -> F[0,3] grant)").unwrap();
/// assert_eq!(spec.statements[0].body.to_string(), "G (request -> F[0,3] grant)");
/// ```
pub fn spec(source: SourceId, text: &str) -> Result<SpecAst, Vec<Diagnostic>> {
    spec_in(None, source, text)
}

/// Reads a spec in a dialect that is asked for; a text that declares another one is refused.
pub fn spec_in(asked: Option<Dialect>, source: SourceId, text: &str) -> Result<SpecAst, Vec<Diagnostic>> {
    let read = |text: &str| read(asked, source, text);
    read(text).map_err(|errors| match foreign::translated(text) {
        Some(meant) if !is_slip(&errors) && read(&meant).is_ok() => suggesting(errors, text, &meant),
        _ => errors,
    })
}

/// Whether the first error is known to be a slip.
fn is_slip(errors: &[Diagnostic]) -> bool {
    let is_near = |help: &Help| matches!(help, Help::Text(text) if text.starts_with("did you mean"));
    errors.first().is_some_and(|error| error.help.iter().any(is_near))
}

/// The first error, with what was probably meant: the line of it that differs.
fn suggesting(errors: Vec<Diagnostic>, text: &str, meant: &str) -> Vec<Diagnostic> {
    let mut lines = meant.lines().filter(|line| !text.lines().any(|known| known == *line));
    let line = lines.next().unwrap_or(meant).trim();
    let with = |error: Diagnostic| Diagnostic { help: Vec::new(), ..error }.help(format!("did you mean `{line}`?"));
    errors.into_iter().take(1).map(with).collect()
}

fn read(asked: Option<Dialect>, source: SourceId, text: &str) -> Result<SpecAst, Vec<Diagnostic>> {
    let (tokens, errors) = lexer::tokens(source, text);
    let mut parser = Parser::new(source, text, &tokens);
    (parser.asked_dialect, parser.dialect) = (asked, asked);
    parser.diagnostics = errors;
    // A token that could not be read leaves a gap; what the grammar says of the gap would only
    // confuse.
    if !parser.diagnostics.is_empty() {
        return Err(parser.diagnostics);
    }
    let spec = parser.spec();
    if parser.diagnostics.is_empty() { Ok(spec) } else { Err(parser.diagnostics) }
}

/// Reads one formula, query or expression.
pub fn expression(text: &str) -> Result<Ast, Vec<Diagnostic>> {
    let source = SourceId::default();
    let (tokens, errors) = lexer::tokens(source, text);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut parser = Parser::new(source, text, &tokens);
    let result = parser.expression().and_then(|ast| parser.expect_end().map(|()| ast));
    result.map_err(|_| parser.diagnostics)
}
