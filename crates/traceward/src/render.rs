//! Diagnostics as text, in the manner of rustc.

use crate::spec::Source;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use traceward_logic::diagnostic::{Diagnostic, Severity};

/// Whether text is coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Paint {
    /// Without colours.
    #[default]
    Plain,
    /// With the escape codes of terminals.
    Coloured,
}

/// The text of a diagnostic: message, line, underline and ways out.
pub(crate) fn diagnostic(sources: &[Source], diagnostic: &Diagnostic, paint: Paint) -> String {
    let source = &sources[diagnostic.span.source.0 as usize];
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let annotation = AnnotationKind::Primary.span(diagnostic.span.range());
    let annotation = if diagnostic.label.is_empty() { annotation } else { annotation.label(diagnostic.label.as_str()) };
    let snippet = Snippet::source(source.text.as_str()).path(source.name.as_str()).annotation(annotation);
    let mut group = level.primary_title(diagnostic.message.as_str()).element(snippet);
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = match paint {
        Paint::Plain => Renderer::plain(),
        Paint::Coloured => Renderer::styled(),
    };
    renderer.render(&[group])
}
