//! `fold(c, (acc, v) => e, a)`: the one aggregate that takes a function.

use super::grammar::{Parsed, Parser};
use super::lexer::Token;
use super::words;
use crate::ast::{Ast, AstKind, Constant, Fold};
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::query::FoldOrder;
use std::sync::Arc;

/// A fold to take after, in every error about one.
const EXAMPLE: &str = "for example `fold(0, (acc, v) => acc + v, x)`: a start, a function, and a query";

/// The word behind a fold that takes values from the first position on.
const FORWARD: &str = "forward";

impl Parser<'_> {
    /// A fold, behind its opening bracket; `default_ends` is what it is outside. Not inlined:
    /// every level of the recursion would need what it keeps on the stack.
    #[inline(never)]
    pub(super) fn fold(&mut self, name: Span, opened: Span, default_ends: bool) -> Parsed<Ast> {
        let mut fold = self.fold_arguments(opened)?;
        self.default_ends = default_ends;
        fold.order = self.fold_order()?;
        fold.condition = self.while_condition()?.map(|condition| *condition);
        if fold.condition.is_some() && self.is_word(FORWARD) {
            let error = Diagnostic::error(self.span(), "`forward` stands before `while`").label("too late");
            return self.fail(error.help("write `fold(…) forward while …`"));
        }
        Ok(Ast { kind: AstKind::Fold(fold), span: name.to(self.previous_span()) })
    }

    /// What stands in the brackets of a fold, up to the one that closes them.
    fn fold_arguments(&mut self, opened: Span) -> Parsed<Box<Fold>> {
        let start = self.fold_start()?;
        self.fold_comma("`,` and a function such as `(acc, v) => acc + v`")?;
        let parameters = self.fold_parameters()?;
        self.fold_arrow()?;
        let body = self.expression()?;
        self.fold_comma("`,` and the query whose values are taken")?;
        let query = self.expression()?;
        if self.peek() == Token::Comma {
            return self
                .fail(Diagnostic::error(self.span(), "`fold` takes 3 arguments").label("a fourth").help(EXAMPLE));
        }
        self.close(Token::RightParen, ")", opened)?;
        Ok(Box::new(Fold { start, parameters, body, query, order: FoldOrder::Backward, condition: None }))
    }

    fn fold_start(&mut self) -> Parsed<Constant> {
        let start = self.expression()?;
        match start.kind {
            AstKind::Literal(value) => Ok(Constant { value, span: start.span }),
            _ => self.fail(
                Diagnostic::error(start.span, "a fold starts from a literal")
                    .label("not a number, a string, `true` or `false`")
                    .help(EXAMPLE),
            ),
        }
    }

    fn fold_comma(&mut self, what: &str) -> Parsed<()> {
        if self.eat(Token::Comma).is_some() {
            return Ok(());
        }
        let error = self.expected(what).help(EXAMPLE);
        self.fail(error)
    }

    /// `(acc, v)`
    fn fold_parameters(&mut self) -> Parsed<[Arc<str>; 2]> {
        let begin = self.span();
        let mut names = Vec::new();
        match self.peek() {
            Token::LeftParen => {
                self.advance();
                names.push(self.fold_parameter()?);
                while self.eat(Token::Comma).is_some() {
                    names.push(self.fold_parameter()?);
                }
                self.fold_parameters_end()?;
            }
            // `v => …`, the form of functions with one parameter
            Token::Word | Token::QuotedName if self.peek_at(1) == Token::FatArrow => {
                names.push(self.fold_parameter()?);
            }
            _ => {
                let error = self.expected("a function such as `(acc, v) => acc + v`").help(EXAMPLE);
                return self.fail(error);
            }
        }
        let count = names.len();
        <[Arc<str>; 2]>::try_from(names).or_else(|_| {
            self.fail(
                Diagnostic::error(
                    begin.to(self.previous_span()),
                    format!("the function of a fold has 2 parameters, not {count}"),
                )
                .label("what has been taken so far, and the next value, please")
                .help(EXAMPLE),
            )
        })
    }

    fn fold_parameter(&mut self) -> Parsed<Arc<str>> {
        if matches!(self.peek(), Token::Word | Token::QuotedName) {
            return Ok(self.name("a parameter")?.name);
        }
        let error = self.expected("a parameter").help(EXAMPLE);
        self.fail(error)
    }

    fn fold_parameters_end(&mut self) -> Parsed<()> {
        if self.eat(Token::RightParen).is_some() {
            return Ok(());
        }
        let error = self.expected("`,` or `)` behind a parameter").help(EXAMPLE);
        self.fail(error)
    }

    fn fold_arrow(&mut self) -> Parsed<()> {
        if self.eat(Token::FatArrow).is_some() {
            return Ok(());
        }
        let error = self.expected("`=>` behind the parameters").help(EXAMPLE);
        self.fail(error)
    }

    /// `forward`, if it follows. A word that is nearly that would be taken for a second formula.
    fn fold_order(&mut self) -> Parsed<FoldOrder> {
        if self.is_word(FORWARD) {
            self.advance();
            return Ok(FoldOrder::Forward);
        }
        let is_name = self.peek() == Token::Word && !words::STATEMENTS.contains(&self.slice());
        match nearest(self.slice(), [FORWARD, "while"]).first() {
            Some(meant) if is_name && words::meaning(Token::Word, self.slice()).is_none() => {
                let error = Diagnostic::error(self.span(), format!("`{}` does not go with a fold", self.slice()));
                let error = error.label("unknown").help(format!("did you mean `{meant}`?"));
                self.fail(error)
            }
            _ => Ok(FoldOrder::Backward),
        }
    }

    /// `forward` behind an aggregate that does not ask for an order.
    pub(super) fn no_order(&mut self, name: &str) -> Parsed<()> {
        if !self.is_word(FORWARD) {
            return Ok(());
        }
        let error = Diagnostic::error(self.span(), format!("`{FORWARD}` goes with `fold`, not with `{name}`"))
            .label("there is only one order")
            .help("`fold(c, (acc, v) => …, a) forward` takes the values of a from the first to the last");
        self.fail(error)
    }
}
