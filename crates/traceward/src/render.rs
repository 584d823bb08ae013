//! Diagnostics as text, in the manner of rustc.

use crate::spec::{Goal, Source};
use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet};
use std::fmt;
use traceward_logic::diagnostic::{Diagnostic, Help, Remedy, Severity, Span};
use traceward_logic::shown::Shown;

/// The choice whether text is coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Paint {
    /// Text has no colours.
    #[default]
    Plain,
    /// Text has the escape codes of terminals.
    Coloured,
}

/// The style in which messages are written for people.
#[derive(Clone, Copy)]
pub struct Style<'a> {
    /// The choice whether messages are coloured.
    pub paint: Paint,
    /// The words for a setting that would help: a program that has options for it names those.
    pub remedy: &'a dyn Fn(&Remedy) -> String,
}

impl Style<'_> {
    /// A way out in words.
    pub(crate) fn help(&self, help: &Help) -> String {
        let words = match help {
            Help::Text(text) => text.clone(),
            Help::Remedy(remedy) => (self.remedy)(remedy),
        };
        Shown(&words).to_string()
    }
}

/// Without colours, and with lines of a spec for settings.
impl Default for Style<'_> {
    fn default() -> Self {
        Self { paint: Paint::Plain, remedy: &|remedy| remedy.to_string() }
    }
}

impl fmt::Debug for Style<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Style").field("paint", &self.paint).finish_non_exhaustive()
    }
}

/// The number of diagnostics that are shown. Whoever has more mends these first.
const MOST_SHOWN: usize = 50;

/// Diagnostics about a text that is no spec, such as a program, written as those about specs are.
/// Of very many the first ones, and how many more there are. `name` is what to call the text.
pub fn render(name: &str, text: &str, all: &[Diagnostic], style: Style<'_>) -> String {
    diagnostics(&[Source::new(name, text, Goal::Check)], all, style).join("\n\n")
}

/// The texts of diagnostics, and of very many how many more there are.
pub(crate) fn diagnostics(sources: &[Source], all: &[Diagnostic], style: Style<'_>) -> Vec<String> {
    let shown = all.iter().take(MOST_SHOWN).map(|one| diagnostic(sources, one, style));
    let more = all.get(MOST_SHOWN).map(|next| {
        let noun = match next.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        format!("{noun}: and {} more", all.len() - MOST_SHOWN)
    });
    shown.chain(more).collect()
}

/// The text of a diagnostic: message, line, underline and ways out.
pub(crate) fn diagnostic(sources: &[Source], diagnostic: &Diagnostic, style: Style<'_>) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let primary = AnnotationKind::Primary.span(diagnostic.span.range());
    let primary = if diagnostic.label.is_empty() { primary } else { primary.label(Shown(&diagnostic.label).text()) };
    let mut snippet = snippet(sources, diagnostic.span).annotation(primary);
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        diagnostic.also.iter().partition(|(span, _)| span.source == diagnostic.span.source);
    for (span, label) in here {
        snippet = snippet.annotation(AnnotationKind::Context.span(span.range()).label(Shown(label).text()));
    }
    let mut group = level.primary_title(Shown(&diagnostic.message).text()).element(snippet);
    for (span, label) in elsewhere {
        let annotation = AnnotationKind::Context.span(span.range()).label(Shown(label).text());
        group = group.element(self::snippet(sources, *span).annotation(annotation));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(style.help(help)));
    }
    let renderer = match style.paint {
        Paint::Plain => Renderer::plain(),
        Paint::Coloured => Renderer::styled(),
    };
    renderer.render(&[group])
}

/// The text that a place lies in.
fn snippet(sources: &[Source], span: Span) -> Snippet<'_, Annotation<'_>> {
    let source = &sources[span.source.0 as usize];
    Snippet::source(source.text.as_str()).path(Shown(&source.name).text())
}
