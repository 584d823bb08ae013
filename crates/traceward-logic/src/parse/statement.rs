//! Statements of a spec file.

use super::grammar::{Parsed, Parser};
use super::lexer::Token;
use super::words;
use crate::ast::{Dialect, Named, SpecAst, Statement, StatementKind};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::value::ValueType;

const TRACE_ITEMS: [&str; 6] = ["event", "time", "by", "changes", "states", "missing"];

impl Parser<'_> {
    pub(super) fn spec(&mut self) -> SpecAst {
        let mut spec = SpecAst::default();
        if self.at_end() {
            let error = self.expected("a formula");
            self.diagnostics.push(error.help("for example `G(request -> F grant)`"));
        }
        while !self.at_end() {
            let start = self.at;
            if self.statement(&mut spec).is_err() {
                // A word such as `let` that begins no statement must not be tried again.
                if self.at == start {
                    self.advance();
                }
                self.skip_to_statement();
            }
        }
        self.refuse_bare_beside_named(&spec);
        spec
    }

    fn statement(&mut self, spec: &mut SpecAst) -> Parsed<()> {
        if self.eat(Token::Semicolon).is_some() {
            return Ok(());
        }
        let named = matches!(self.peek_at(1), Token::Word | Token::QuotedName | Token::Assign);
        match self.slice() {
            "trace" if self.peek_at(1) == Token::LeftBrace => self.trace_block(spec),
            "dialect" if named => self.dialect_statement(),
            "let" if named => self.named(spec, StatementKind::Let),
            "property" if named => self.named(spec, StatementKind::Property),
            "query" if named => self.named(spec, StatementKind::Query),
            "assert" if named => self.named(spec, StatementKind::Assert),
            _ => self.bare(spec),
        }
    }

    fn bare(&mut self, spec: &mut SpecAst) -> Parsed<()> {
        self.misspelt_statement()?;
        let body = self.expression()?;
        self.end_of_statement()?;
        spec.statements.push(Statement { kind: StatementKind::Bare, name: None, description: None, body });
        Ok(())
    }

    /// `proprety p = …` would otherwise be reported as two formulas side by side.
    fn misspelt_statement(&mut self) -> Parsed<()> {
        let looks_named = self.peek() == Token::Word
            && self.peek_at(1) == Token::Word
            && self.peek_at(2) == Token::Assign
            && words::meaning(Token::Word, self.slice()).is_none()
            && words::meaning(Token::Word, self.slice_at(1)).is_none();
        if !looks_named {
            return Ok(());
        }
        let word = self.slice();
        let error = Diagnostic::error(self.span(), format!("`{word}` does not begin a statement"))
            .label("unknown statement")
            .help(
                did_you_mean(word, words::STATEMENTS)
                    .unwrap_or_else(|| "statements begin with let, property, query, assert, trace or dialect".into()),
            );
        self.fail(error)
    }

    fn named(&mut self, spec: &mut SpecAst, kind: StatementKind) -> Parsed<()> {
        let word = self.slice();
        self.advance();
        let name = self.name(&format!("the name of a {word}"))?;
        let description = match self.peek() {
            Token::String => Some(self.string()?),
            _ => None,
        };
        self.expect(Token::Assign, &format!("`=` after the name of the {word}"))?;
        let body = self.expression()?;
        self.end_of_statement()?;
        self.refuse_second_name(&name, kind);
        spec.statements.push(Statement { kind, name: Some(name), description, body });
        Ok(())
    }

    fn refuse_second_name(&mut self, name: &Named, kind: StatementKind) {
        let names = if kind == StatementKind::Let { &mut self.definitions } else { &mut self.others };
        if !names.insert(name.name.clone()) {
            let error = Diagnostic::error(name.span, format!("the name `{}` is taken", name.name))
                .label("named a second time here")
                .help("give each statement a name of its own");
            self.diagnostics.push(error);
        }
    }

    pub(super) fn expect_end(&mut self) -> Parsed<()> {
        if self.at_end() { Ok(()) } else { self.end_of_statement_missing() }
    }

    fn end_of_statement(&mut self) -> Parsed<()> {
        let next_begins = self.peek() == Token::Word && words::STATEMENTS.contains(&self.slice());
        if next_begins || self.at_end() || self.eat(Token::Semicolon).is_some() {
            return Ok(());
        }
        self.end_of_statement_missing()
    }

    fn end_of_statement_missing(&mut self) -> Parsed<()> {
        let error = match self.peek() {
            Token::RightParen | Token::RightBracket | Token::RightBrace => {
                Diagnostic::error(self.span(), format!("`{}` closes nothing", self.slice()))
                    .label("no bracket is open here")
            }
            Token::LeftBracket => self.stray_bracket(),
            _ => Diagnostic::error(self.span(), format!("expected an operator before `{}`", self.slice()))
                .label("a second formula begins here")
                .help(self.run_together().or_else(|| self.order_in_front()).unwrap_or_else(|| {
                    "join two formulas with an operator such as `&`, or name each with `property NAME = …`".into()
                })),
        };
        self.fail(error)
    }

    /// `GF p` is a name and a name; `G F p` was meant.
    fn run_together(&self) -> Option<String> {
        let word = self.source_text(self.previous_span());
        let operators = word.len() > 1 && word.chars().all(|c| "XFGYZOH".contains(c));
        let apart: Vec<String> = word.chars().map(String::from).collect();
        operators.then(|| format!("`{word}` is a name; operators stand apart: `{}`", apart.join(" ")))
    }

    fn skip_to_statement(&mut self) {
        while !self.at_end() {
            let begins = self.peek() == Token::Word && words::STATEMENTS.contains(&self.slice());
            if begins || self.eat(Token::Semicolon).is_some() {
                return;
            }
            self.advance();
        }
    }

    fn refuse_bare_beside_named(&mut self, spec: &SpecAst) {
        let bare: Vec<_> = spec.statements.iter().filter(|one| one.kind == StatementKind::Bare).collect();
        let asked = spec.statements.iter().filter(|one| one.kind != StatementKind::Let).count();
        if let (Some(first), true) = (bare.first(), asked > 1) {
            let error = Diagnostic::error(first.body.span, "a formula without a name stands alone in a spec")
                .label("name it")
                .help("write `property NAME = …`");
            self.diagnostics.push(error);
        }
    }

    fn dialect_statement(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.name("the name of a dialect")?;
        let dialect = match name.name.parse::<Dialect>() {
            Ok(dialect) => dialect,
            Err(help) => {
                let error = Diagnostic::error(name.span, format!("there is no dialect `{}`", name.name));
                return self.fail(error.label("unknown dialect").help(help));
            }
        };
        match self.asked_dialect {
            Some(asked) if asked != dialect => self.refuse_dialect(&name, asked),
            _ => {
                self.dialect = Some(dialect);
                Ok(())
            }
        }
    }

    /// Which of two dialects is meant cannot be told: one is how the text was written.
    fn refuse_dialect(&mut self, declared: &Named, asked: Dialect) -> Parsed<()> {
        let (name, asked) = (&declared.name, asked.name());
        let error = Diagnostic::error(declared.span, format!("this is `dialect {name}`, and `{asked}` is asked for"))
            .label("declared here")
            .help("leave one of the two out");
        self.fail(error)
    }

    fn trace_block(&mut self, spec: &mut SpecAst) -> Parsed<()> {
        self.advance();
        let opened = self.advance();
        loop {
            if self.eat(Token::RightBrace).is_some() {
                return Ok(());
            }
            if self.eat(Token::Comma).is_some() || self.eat(Token::Semicolon).is_some() {
                continue;
            }
            if self.at_end() {
                let error = Diagnostic::error(opened, "this `trace {` is never closed").label("opened here");
                return self.fail(error);
            }
            self.trace_item(spec)?;
        }
    }

    fn trace_item(&mut self, spec: &mut SpecAst) -> Parsed<()> {
        if self.peek_at(1) == Token::Colon {
            return self.type_declaration(spec);
        }
        let item = self.slice();
        if !TRACE_ITEMS.contains(&item) {
            let error = self.expected("event, time, by, changes, states, missing, or a type such as `code: string`");
            return self.fail(error.maybe_help(did_you_mean(item, TRACE_ITEMS)));
        }
        let place = self.advance();
        let declared = &spec.trace;
        let twice = match item {
            "event" => declared.event.is_some(),
            "by" => declared.by.is_some(),
            "time" => declared.time.is_some(),
            "missing" => declared.missing.is_some(),
            _ => declared.records.is_some(),
        };
        if twice {
            return self
                .fail(Diagnostic::error(place, format!("`{item}` is declared twice")).label("a second time here"));
        }
        match item {
            "event" => spec.trace.event = Some(self.column()?),
            "by" => spec.trace.by = Some(self.column()?),
            "time" => {
                let mut columns = vec![self.column()?];
                while self.eat(Token::Plus).is_some() {
                    columns.push(self.column()?);
                }
                let unit = match self.eat(Token::Colon) {
                    Some(_) => Some(self.name("a unit")?),
                    None => None,
                };
                spec.trace.time = Some((columns, unit));
            }
            "missing" => {
                let span = self.span();
                let policy = self.slice();
                if !["false", "error", "hold"].contains(&policy) {
                    let error = self.expected("false, error or hold");
                    return self.fail(error);
                }
                self.advance();
                spec.trace.missing = Some(Named { name: policy.into(), span });
            }
            other => spec.trace.records = Some(Named { name: other.into(), span: place }),
        }
        Ok(())
    }

    /// `code: string`
    fn type_declaration(&mut self, spec: &mut SpecAst) -> Parsed<()> {
        let column = self.column()?;
        self.advance();
        let name = self.name("a type: boolean, number or string")?;
        let Ok(ty) = name.name.parse::<ValueType>() else {
            let error =
                Diagnostic::error(name.span, format!("there is no type `{}`", name.name)).label("unknown type").help(
                    did_you_mean(&name.name, ValueType::ALL.map(ValueType::name))
                        .unwrap_or_else(|| "types are boolean, number and string".into()),
                );
            return self.fail(error);
        };
        if spec.trace.types.iter().any(|(other, _)| other.name == column.name) {
            let error = Diagnostic::error(column.span, format!("the type of `{}` is declared twice", column.name))
                .label("a second time here");
            return self.fail(error);
        }
        spec.trace.types.push((column, ty));
        Ok(())
    }

    /// A column's name: here, where nothing else can stand, words of the language and strings are
    /// names too.
    fn column(&mut self) -> Parsed<Named> {
        let span = self.span();
        match self.peek() {
            Token::String => Ok(Named { name: self.string()?, span }),
            Token::Word => {
                let name = self.slice().into();
                self.advance();
                Ok(Named { name, span })
            }
            _ => self.name("a column's name"),
        }
    }
}
