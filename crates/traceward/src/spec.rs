//! What must hold and what is measured.

mod asked;
mod declared;
mod names;

use crate::render::{self, Style};
use crate::report::{Warning, WarningKind};
use asked::nothing_asked;
use declared::{contradictions, declared};
use names::{taken_definitions, taken_names};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use traceward_engine::saved::checksum;
pub use traceward_logic::ast::Dialect;
use traceward_logic::ast::{Ast, Named, SpecAst, Statement, StatementKind};
use traceward_logic::diagnostic::{Diagnostic, Help, SourceId, Span};
use traceward_logic::expr::Expr;
pub use traceward_logic::lower::Goal;
use traceward_logic::lower::{self, Claim, Declarations, Expected, Lowered, Schema, Type, Variable};
use traceward_logic::parse;
use traceward_logic::query::Comparison;
use traceward_logic::trace::VariableId;
use traceward_logic::value::{Value, ValueType};
use traceward_trace::{MissingPolicy, ReadOptions, ReadVariable, Records, TimeColumn};

/// A text that a spec is read from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name for messages: a path, or the option that gave the text.
    pub name: String,
    /// The text.
    pub text: String,
    /// The meaning of a text that is a formula or query alone.
    pub goal: Goal,
}

impl Source {
    /// A text with a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>, goal: Goal) -> Self {
        Self { name: name.into(), text: text.into(), goal }
    }
}

/// The settings for traces, as a spec's `trace { … }` or options in its place give them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The column that a string alone is compared with.
    pub event: Option<String>,
    /// The column that holds timestamps.
    pub time: Option<TimeColumn>,
    /// The column that splits the trace by its value.
    pub by: Option<String>,
    /// The expression, as text, that holds in the last state of a key's trace: a later record of
    /// the key begins another trace.
    pub end_when: Option<String>,
    /// The kind of records: whole states, or changes.
    pub records: Option<Records>,
    /// The treatment of missing values.
    pub missing: Option<MissingPolicy>,
    /// Variables whose type is declared; of several declarations of one variable the last counts.
    pub types: Vec<(String, ValueType)>,
    /// The dialect that the texts are in; none if they declare their own.
    pub dialect: Option<Dialect>,
}

impl Settings {
    /// These settings and, where they say nothing, the other ones.
    pub fn or(self, other: &Self) -> Self {
        let other = other.clone();
        Self {
            types: [other.types, self.types].concat(),
            event: self.event.or(other.event),
            time: self.time.or(other.time),
            by: self.by.or(other.by),
            end_when: self.end_when.or(other.end_when),
            records: self.records.or(other.records),
            missing: self.missing.or(other.missing),
            dialect: self.dialect.or(other.dialect),
        }
    }
}

/// A spec that has been read, and has met no trace yet.
#[derive(Clone, Debug)]
pub struct Spec {
    sources: Vec<Source>,
    specs: Vec<(SpecAst, Goal)>,
    settings: Settings,
    declarations: Declarations,
    first: Lowered,
}

impl Spec {
    /// Reads texts as one spec: a later one may use what an earlier one names by `let`.
    pub fn parse(sources: Vec<Source>) -> Result<Self, SpecError> {
        Self::parse_with(sources, Settings::default())
    }

    /// Reads texts as one spec, with settings that stand over its own.
    pub fn parse_with(mut sources: Vec<Source>, over: Settings) -> Result<Self, SpecError> {
        let mut specs = Vec::new();
        let mut diagnostics = Vec::new();
        for (index, source) in sources.iter().enumerate() {
            match parse::spec_in(over.dialect, SourceId(index as u32), &source.text) {
                Ok(spec) => specs.push((spec, source.goal)),
                Err(errors) => diagnostics.extend(errors),
            }
        }
        let (own, mut declarations, errors) = declared(&specs);
        diagnostics.extend(errors);
        diagnostics.extend(contradictions(&specs, &over));
        diagnostics.extend(taken_definitions(&specs));
        if let Some(name) = &over.event {
            declarations.event = Some(as_source(&mut sources, "event", name));
        }
        for (name, ty) in &over.types {
            declarations.types.push((as_source(&mut sources, "type", name), *ty));
        }
        if let Some(text) = &over.end_when {
            match end_marker(&mut sources, text) {
                Ok(marker) => declarations.end_when = Some(marker),
                Err(errors) => diagnostics.extend(errors),
            }
        }
        if !diagnostics.is_empty() {
            return Err(SpecError { sources, diagnostics });
        }
        match lower::lower(&specs, &declarations, None).and_then(|first| asking(&sources, &specs, first)) {
            Ok(first) => Ok(Self { sources, specs, settings: over.or(&own), declarations, first }),
            Err(diagnostics) => Err(SpecError { sources, diagnostics }),
        }
    }

    /// What is said, without comments and names of files: two specs that have it in common are one.
    pub(crate) fn essence(&self) -> String {
        let said = |source: &Source| (on_one_line(&source.text), source.goal);
        let said: Vec<_> = self.sources.iter().map(said).collect();
        format!("{said:?} {:?}", self.settings)
    }

    /// A number for what is said, as 16 digits. A program that was instrumented for a spec carries
    /// it, since it may leave out states that another spec would need.
    pub fn fingerprint(&self) -> String {
        // Behind the texts of the spec there may be those of settings.
        let texts = self.sources[..self.specs.len()].iter().map(|source| source.text.trim_end());
        let said = on_one_line(&texts.collect::<Vec<_>>().join("\n;\n"));
        format!("{:016x}", checksum(said.trim().as_bytes()))
    }

    /// The settings for traces.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The variables of the spec, and what it asks of them.
    pub fn variables(&self) -> &[Variable] {
        self.first.variables.list()
    }

    /// The spec lowered without knowing any trace: types of variables are as their uses ask.
    pub fn lowered(&self) -> &Lowered {
        &self.first
    }

    /// The name of each property; those without one are `p1`, `p2`, …
    pub fn property_names(&self) -> Vec<String> {
        numbered('p', self.lowered().properties.iter().map(|property| property.name.as_deref()))
    }

    /// The options by which a trace is read for the spec: its settings and variables, and the rest
    /// from elsewhere.
    pub(crate) fn read_options(&self, other: &ReadOptions) -> ReadOptions {
        let expected = self.first.variables.expected();
        let variable = |(variable, expected): (&Variable, Expected)| ReadVariable {
            name: variable.name.clone(),
            expected,
            is_declared: variable.declared.is_some(),
            may_be_missing: variable.needed_at.is_none(),
            is_supposed_formula: false,
        };
        ReadOptions {
            time: self.settings.time.clone(),
            key: self.settings.by.clone(),
            end_when: self.first.end_marker().map(Arc::new),
            records: self.settings.records.unwrap_or_default(),
            missing: self.settings.missing.unwrap_or_default(),
            variables: self.variables().iter().zip(expected).map(variable).collect(),
            spec: Some(self.fingerprint()),
            ..other.clone()
        }
    }

    /// The schema of a trace whose variables have these types.
    pub(crate) fn schema(&self, types: &[Option<ValueType>]) -> Schema {
        let expected = self.first.variables.expected();
        let typed = self.variables().iter().zip(expected).zip(types).map(|((variable, expected), ty)| {
            let ty = match expected {
                Expected::Bit => Some(Type::Bit),
                _ => ty.map(Type::from),
            };
            (variable.name.clone(), ty)
        });
        Schema { types: typed.collect(), names: Vec::new(), has_time: self.settings.time.is_some(), names_known: false }
    }

    /// The names of all queries, in the order of their statements; those without one are `q1`, …
    pub fn query_names(&self) -> Vec<String> {
        numbered('q', self.lowered().queries.iter().map(|query| query.name.as_deref()))
    }

    /// The texts that a variable is compared with, each once; none if it is looked at in another
    /// way, so that any text may make a difference.
    ///
    /// ```
    /// let text = r#"trace { event e } property p = G("open" -> F e in {"shut", "lost"})"#;
    /// let spec: traceward::Spec = text.parse()?;
    /// assert_eq!(spec.texts_of("e").unwrap().len(), 3);
    /// let spec: traceward::Spec = r#"G(e == "open" | matches(e, "ed$"))"#.parse()?;
    /// assert_eq!(spec.texts_of("e"), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn texts_of(&self, name: &str) -> Option<Vec<Arc<str>>> {
        let index = self.variables().iter().position(|variable| *variable.name == *name);
        let Some(variable) = index.map(|index| VariableId(index as u32)) else { return Some(Vec::new()) };
        let mut texts = Texts { variable, found: Vec::new(), is_all: true };
        let lowered = self.lowered();
        lowered.formulas.atoms().iter().for_each(|atom| texts.look_at(atom));
        lowered.queries.iter().for_each(|query| query.query.for_each_expr(&mut |expr| texts.look_at(expr)));
        for property in &lowered.properties {
            if let Claim::Assert(Comparison { left, right, .. }) = &property.claim {
                [left, right].into_iter().for_each(|query| query.for_each_expr(&mut |expr| texts.look_at(expr)));
            }
        }
        texts.is_all.then_some(texts.found)
    }

    /// Probable mistakes in the spec alone. Whoever reads [`Self::warnings`] has been told.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Warning> {
        let kind = |message: &String| WarningKind::Spec { message: message.clone() };
        self.first.warnings.iter().map(move |one| Warning { kind: kind(&one.message), about: None, is_urgent: false })
    }

    /// Probable mistakes, as text. Of very many the first ones, and how many more there are.
    pub fn warnings(&self, style: Style<'_>) -> Vec<String> {
        render::diagnostics(&self.sources, &self.first.warnings, style)
    }

    /// The spec lowered for a trace.
    pub(crate) fn bind(&self, schema: &Schema) -> Result<Lowered, SpecError> {
        lower::lower(&self.specs, &self.declarations, Some(schema))
            .map_err(|diagnostics| SpecError { sources: self.sources.clone(), diagnostics })
    }

    /// The schema of whatever trace the spec expects, of which no value is known.
    pub(crate) fn expected_schema(&self) -> Schema {
        let types: Vec<_> = self.first.variables.expected().into_iter().map(Expected::known_type).collect();
        self.schema(&types)
    }

    /// The place where a variable is first used.
    pub(crate) fn place_of(&self, variable: &str) -> Option<SpecPlace> {
        let variable = self.variables().iter().find(|one| *one.name == *variable)?;
        variable.typed_at.or(variable.needed_at).map(|span| SpecPlace { sources: self.sources.clone(), span })
    }

    /// Whether the spec names parts by `let`, so that the text of a property may not be all there
    /// is to it.
    pub fn has_definitions(&self) -> bool {
        let mut statements = self.specs.iter().flat_map(|(spec, _)| &spec.statements);
        statements.any(|statement| statement.kind == StatementKind::Let)
    }

    /// The text at a place of this spec, on one line and without comments.
    ///
    /// # Panics
    /// If the place is not in this spec: places come with [`Self::lowered`].
    pub fn text(&self, span: Span) -> String {
        on_one_line(&self.sources[span.source.0 as usize].text[span.range()])
    }
}

/// A spec that asks something, each part of it by a name of its own.
fn asking(sources: &[Source], specs: &[(SpecAst, Goal)], lowered: Lowered) -> Result<Lowered, Vec<Diagnostic>> {
    let mut errors = taken_names(specs, &lowered);
    errors.extend(nothing_asked(sources, specs, &lowered));
    if errors.is_empty() { Ok(lowered) } else { Err(errors) }
}

/// The texts that a variable is compared with.
struct Texts {
    variable: VariableId,
    found: Vec<Arc<str>>,
    /// Whether it is compared with texts and with nothing else.
    is_all: bool,
}

impl Texts {
    fn look_at(&mut self, expr: &Expr) {
        match expr {
            Expr::Compare(_, one, other) if self.is_meant(one) || self.is_meant(other) => {
                let other = if self.is_meant(one) { other } else { one };
                match &**other {
                    Expr::Literal(value) => self.add(value),
                    _ => self.is_all = false,
                }
            }
            Expr::In(one, values) if self.is_meant(one) => values.iter().for_each(|value| self.add(value)),
            Expr::Defined(one) if self.is_meant(one) => {}
            expr if self.is_meant(expr) => self.is_all = false,
            expr => expr.parts().into_iter().for_each(|part| self.look_at(part)),
        }
    }

    /// Whether an expression is the variable, now or some states earlier.
    fn is_meant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Variable(variable) => *variable == self.variable,
            Expr::Past(earlier, _) => self.is_meant(earlier),
            _ => false,
        }
    }

    fn add(&mut self, value: &Value) {
        if let Value::Str(text) = value
            && !self.found.contains(text)
        {
            self.found.push(text.clone());
        }
    }
}

/// Names, and numbers for what has none.
fn numbered<'a>(letter: char, names: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let mut unnamed = 0;
    let name = |name: Option<&str>| match name {
        Some(name) => name.to_owned(),
        None => {
            unnamed += 1;
            format!("{letter}{unnamed}")
        }
    };
    names.map(name).collect()
}

/// A formula or a spec as text: `"G(request -> F grant)".parse::<Spec>()`.
impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Self::parse(vec![Source::new("spec", text, Goal::Check)])
    }
}

/// A text without comments, and with one blank for any white space; strings and quoted names stay
/// as they are.
fn on_one_line(text: &str) -> String {
    let mut line = String::new();
    let mut letters = text.chars().peekable();
    let mut quote: Option<char> = None;
    while let Some(letter) = letters.next() {
        match quote {
            Some(mark) => {
                line.push(letter);
                if letter == '\\' && mark == '"' {
                    line.extend(letters.next());
                } else if letter == mark {
                    quote = None;
                }
            }
            None if letter == '#' || (letter == '/' && letters.peek() == Some(&'/')) => {
                while letters.next_if(|next| *next != '\n').is_some() {}
            }
            None if letter.is_whitespace() => {
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            None => {
                quote = Some(letter).filter(|letter| matches!(letter, '"' | '`'));
                line.push(letter);
            }
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// A place in one of the texts of a spec, as people count: lines and columns begin with 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextPlace {
    /// The name of the text.
    pub source: String,
    /// The line on which the place begins.
    pub line: usize,
    /// The character of that line at which it begins.
    pub column: usize,
    /// The line on which it ends.
    pub end_line: usize,
    /// The character of that line behind its last one.
    pub end_column: usize,
    /// The characters of the text that it takes up, counted from 0.
    pub characters: Range<usize>,
}

impl TextPlace {
    fn new(sources: &[Source], span: Span) -> Self {
        let Source { name, text, .. } = &sources[span.source.0 as usize];
        let before = |end: usize| text.get(..end).unwrap_or(text);
        let (start, end) = (before(span.range().start), before(span.range().end));
        let line = |text: &str| text.matches('\n').count() + 1;
        let column = |text: &str| text.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
        Self {
            source: name.clone(),
            line: line(start),
            column: column(start),
            end_line: line(end),
            end_column: column(end),
            characters: start.chars().count()..end.chars().count(),
        }
    }
}

/// A place in a spec.
#[derive(Clone, Debug)]
pub struct SpecPlace {
    sources: Vec<Source>,
    span: Span,
}

impl SpecPlace {
    /// The place, as people count.
    pub fn place(&self) -> TextPlace {
        TextPlace::new(&self.sources, self.span)
    }

    /// A message with the place underlined.
    pub(crate) fn render(&self, message: &str, help: Vec<Help>, style: Style<'_>) -> String {
        let diagnostic = Diagnostic { help, ..Diagnostic::error(self.span, message).label("used here") };
        render::diagnostic(&self.sources, &diagnostic, style)
    }
}

/// An option's value as a source of its own, so that messages can point at it.
fn as_source(sources: &mut Vec<Source>, option: &str, value: &str) -> Named {
    let id = SourceId(sources.len() as u32);
    sources.push(Source::new(option, value, Goal::Check));
    Named { name: value.into(), span: Span::new(id, 0..value.len()) }
}

/// The expression that marks the ends of traces, as a source of its own.
fn end_marker(sources: &mut Vec<Source>, text: &str) -> Result<Ast, Vec<Diagnostic>> {
    let id = SourceId(sources.len() as u32);
    sources.push(Source::new("end marker", text, Goal::Check));
    let mut spec = parse::spec(id, text)?;
    match (spec.statements.pop(), spec.statements.is_empty()) {
        (Some(Statement { kind: StatementKind::Bare, body, .. }), true) => Ok(body),
        _ => {
            let error = Diagnostic::error(Span::new(id, 0..text.len()), "the last state of a trace is known by itself");
            Err(vec![error.label("no expression over one state")])
        }
    }
}

/// The errors of a spec.
#[derive(Clone, Debug)]
pub struct SpecError {
    sources: Vec<Source>,
    diagnostics: Vec<Diagnostic>,
}

impl SpecError {
    /// Each error with its place.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The place of one of the errors, as people count.
    ///
    /// ```
    /// use traceward::{Goal, Source, Spec};
    ///
    /// let error = Spec::parse(vec![Source::new("p", "G(a ->\n  F)", Goal::Check)]).unwrap_err();
    /// let place = error.place(&error.diagnostics()[0]);
    /// assert_eq!((place.source.as_str(), place.line, place.column), ("p", 2, 3));
    /// ```
    ///
    /// # Panics
    /// If the error is not one of these.
    pub fn place(&self, diagnostic: &Diagnostic) -> TextPlace {
        TextPlace::new(&self.sources, diagnostic.span)
    }

    /// The errors as text, each with its line and the place underlined. Of very many the first
    /// ones, and how many more there are.
    pub fn render(&self, style: Style<'_>) -> String {
        render::diagnostics(&self.sources, &self.diagnostics, style).join("\n\n")
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Style::default()))
    }
}

impl std::error::Error for SpecError {}

#[cfg(test)]
mod tests {
    use super::on_one_line;

    #[test]
    fn comments_go_and_strings_stay() {
        assert_eq!(on_one_line("G(a // why\n   ->   F b) # so"), "G(a -> F b)");
        assert_eq!(on_one_line(r#"url == "http://x  #1" &  `a # b`"#), r#"url == "http://x  #1" & `a # b`"#);
        assert_eq!(on_one_line(r#"s == "\" // no"  // yes"#), r#"s == "\" // no""#);
    }
}
