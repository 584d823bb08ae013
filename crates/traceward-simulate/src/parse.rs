//! Tokens to tree, by recursive descent. The first mistake ends it: what a program says behind one
//! is anybody's guess.

use crate::lexer::{self, Token};
use crate::syntax::{
    ActionTree, BinaryOperator, COMPARISON, Condition, Declaration, ExpressionKind, ExpressionTree, Named, PlaceTree,
    ProcessTree, ProgramTree, Scalar, Statement, StatementKind, TypeTree, UnaryOperator,
};
use traceward_logic::diagnostic::{Diagnostic, SourceId, Span, did_you_mean};

/// How deep brackets, statements and operators may nest. What follows recurses over the tree.
const NESTING_LIMIT: usize = 200;

/// The longest time that `after` may wait for.
const MOST_STEPS: u64 = 1_000_000_000_000;

/// Words that are no names.
const WORDS: [&str; 30] = [
    "local",
    "where",
    "integer",
    "boolean",
    "array",
    "channel",
    "of",
    "loop",
    "forever",
    "do",
    "while",
    "if",
    "then",
    "else",
    "or",
    "and",
    "not",
    "div",
    "mod",
    "request",
    "release",
    "await",
    "skip",
    "noncritical",
    "critical",
    "after",
    "true",
    "TRUE",
    "false",
    "FALSE",
];

/// The words that statements begin with.
const STATEMENTS: [&str; 10] =
    ["loop", "while", "if", "request", "release", "await", "skip", "noncritical", "critical", "after"];

type Parsed<T> = Result<T, Diagnostic>;

/// Reads a program.
pub fn program(text: &str) -> Parsed<ProgramTree> {
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser { text, tokens: &tokens, at: 0, depth: 0 };
    parser.program()
}

fn is_keyword(word: &str) -> bool {
    WORDS.contains(&word)
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [(Token, Span)],
    at: usize,
    depth: usize,
}

// ---- tokens and errors ----

impl<'a> Parser<'a> {
    fn peek(&self) -> Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens.get(self.at + ahead).map_or(Token::End, |(token, _)| *token)
    }

    fn span(&self) -> Span {
        let end = self.text.trim_end().len();
        self.tokens.get(self.at).map_or(Span::new(SourceId::default(), end..end), |(_, span)| *span)
    }

    /// The place of the token before this one.
    fn previous(&self) -> Span {
        self.at.checked_sub(1).map_or(self.span(), |before| self.tokens[before].1)
    }

    fn slice(&self) -> &'a str {
        &self.text[self.span().range()]
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        self.at += 1;
        span
    }

    fn eat(&mut self, token: Token) -> Option<Span> {
        (self.peek() == token).then(|| self.advance())
    }

    fn is_word(&self, word: &str) -> bool {
        self.peek() == Token::Word && self.slice() == word
    }

    fn eat_word(&mut self, word: &str) -> Option<Span> {
        self.is_word(word).then(|| self.advance())
    }

    /// "expected …, found …" at the current token.
    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            _ => format!("`{}`", self.slice()),
        };
        Diagnostic::error(self.span(), format!("expected {what}, found {found}")).label(format!("expected {what}"))
    }

    fn expect(&mut self, token: Token, what: &str) -> Parsed<Span> {
        self.eat(token).ok_or_else(|| self.expected(what))
    }

    /// A word of the language; another one that is near it was meant for it.
    fn expect_word(&mut self, word: &str) -> Parsed<Span> {
        self.eat_word(word).ok_or_else(|| {
            let near = (self.peek() == Token::Word).then(|| did_you_mean(self.slice(), [word])).flatten();
            self.expected(&format!("`{word}`")).maybe_help(near)
        })
    }

    fn name(&mut self, what: &str) -> Parsed<Named> {
        match self.peek() {
            Token::Word if is_keyword(self.slice()) => {
                let message = format!("`{}` is a word of the language and cannot be {what}", self.slice());
                Err(Diagnostic::error(self.span(), message).label("choose another name"))
            }
            Token::Word => {
                let name = self.slice().to_owned();
                Ok(Named { name, span: self.advance() })
            }
            _ => Err(self.expected(what)),
        }
    }

    fn integer(&mut self, what: &str) -> Parsed<i64> {
        if self.peek() != Token::Integer {
            return Err(self.expected(what));
        }
        let value = self.slice().parse().map_err(|_| {
            let error = Diagnostic::error(self.span(), "this number is too large").label("does not fit 64 bits");
            error.help("integers go up to 9223372036854775807")
        })?;
        self.advance();
        Ok(value)
    }

    /// Goes one level deeper, as long as that is allowed.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == NESTING_LIMIT {
            return Err(too_deep(self.span()));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("this is nested more than {NESTING_LIMIT} deep")).label("too deep")
}

// ---- declarations ----

impl Parser<'_> {
    fn program(&mut self) -> Parsed<ProgramTree> {
        let declarations = self.declarations()?;
        let mut processes = vec![self.process()?];
        while self.eat(Token::Parallel).is_some() {
            processes.push(self.process()?);
        }
        if self.peek() != Token::End {
            let error = self.expected("`||` and another process, or the end");
            let names_one = self.peek() == Token::Word && self.peek_at(1) == Token::Begins;
            return Err(error.maybe_help(names_one.then_some("`||` stands between processes")));
        }
        Ok(ProgramTree { declarations, processes })
    }

    fn process(&mut self) -> Parsed<ProcessTree> {
        if self.peek() == Token::End || self.peek() == Token::LeftBracket {
            return Err(self.expected("a process, such as `P1 :: [ l0: skip ]`"));
        }
        let name = self.name("the name of a process")?;
        if self.peek() != Token::Begins {
            if let Some(near) = did_you_mean(&name.name, ["local"]) {
                let error = Diagnostic::error(name.span, format!("`{}` begins no declaration", name.name));
                return Err(error.label("unknown word").help(near));
            }
            let help = "a program is declarations, `local x : integer`, and processes, `P1 :: [ l0: skip ]`";
            return Err(self.expected("`::` behind the name of a process").help(help));
        }
        self.advance();
        self.expect(Token::LeftBracket, "`[` and the statements of the process")?;
        let declarations = self.declarations()?;
        let body = self.statements()?;
        self.close_list()?;
        Ok(ProcessTree { name, declarations, body })
    }

    fn declarations(&mut self) -> Parsed<Vec<Declaration>> {
        let mut declarations = Vec::new();
        while self.eat_word("local").is_some() {
            declarations.push(self.declaration()?);
            self.eat(Token::Semicolon);
        }
        Ok(declarations)
    }

    fn declaration(&mut self) -> Parsed<Declaration> {
        let mut names = vec![self.name("the name of a variable")?];
        while self.eat(Token::Comma).is_some() {
            names.push(self.name("the name of a variable")?);
        }
        self.expect(Token::Colon, "`:` and a type, as in `x : integer`")?;
        let ty = self.variable_type()?;
        let mut conditions = Vec::new();
        if self.eat_word("where").is_some() {
            conditions.push(self.condition()?);
            while self.eat(Token::Comma).or_else(|| self.eat(Token::And)).or_else(|| self.eat_word("and")).is_some() {
                conditions.push(self.condition()?);
            }
        }
        Ok(Declaration { names, ty, conditions })
    }

    fn variable_type(&mut self) -> Parsed<TypeTree> {
        match self.slice() {
            "array" => self.array(),
            "channel" => self.channel(),
            _ => self.scalar().map(TypeTree::Scalar),
        }
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        let scalar = match self.slice() {
            "integer" => Scalar::Integer,
            "boolean" => Scalar::Boolean,
            other => {
                let known = ["integer", "boolean", "array", "channel"];
                let near = match other {
                    "int" => Some("did you mean `integer`?".to_owned()),
                    "bool" => Some("did you mean `boolean`?".to_owned()),
                    other => did_you_mean(other, known),
                };
                let help = near.unwrap_or("types are `integer`, `boolean`, `array` and `channel`".to_owned());
                return Err(self.expected("a type").help(help));
            }
        };
        self.advance();
        Ok(scalar)
    }

    /// `array [1..8] of integer`, or without an end
    fn array(&mut self) -> Parsed<TypeTree> {
        let start = self.advance();
        let (first, last) = self.range("array", "[1..8]")?;
        let span = start.to(self.previous());
        if last.is_some_and(|last| last < first) {
            return Err(Diagnostic::error(span, "this array has no element").label("the end is before the beginning"));
        }
        self.expect_word("of")?;
        Ok(TypeTree::Array { first, last, of: self.scalar()? })
    }

    /// `channel [1..] of (integer, boolean) loses 0.2`
    fn channel(&mut self) -> Parsed<TypeTree> {
        let start = self.advance();
        if self.is_word("of") {
            let error = Diagnostic::error(start, "a channel without a buffer is not run").label("no buffer");
            return Err(error.help("an asynchronous channel has one: `channel [1..] of integer`"));
        }
        let (first, last) = self.range("channel", "[1..]")?;
        if first != 1 || last == Some(0) {
            let error = Diagnostic::error(start.to(self.previous()), "the buffer of a channel begins at 1");
            return Err(error.label("as in `channel [1..] of integer` or `channel [1..8] of integer`"));
        }
        self.expect_word("of")?;
        let of = self.item_type()?;
        let loss = if self.eat_word("loses").is_some() { self.probability()? } else { 0.0 };
        Ok(TypeTree::Channel { capacity: last.map(i64::unsigned_abs), of, loss })
    }

    fn item_type(&mut self) -> Parsed<Vec<Scalar>> {
        if self.eat(Token::LeftParen).is_none() {
            return Ok(vec![self.scalar()?]);
        }
        let mut of = vec![self.scalar()?];
        while self.eat(Token::Comma).is_some() {
            of.push(self.scalar()?);
        }
        self.expect(Token::RightParen, "`,` or `)`")?;
        Ok(of)
    }

    fn probability(&mut self) -> Parsed<f64> {
        let what = "a probability between 0 and 1";
        if !matches!(self.peek(), Token::Integer | Token::Decimal) {
            return Err(self.expected(what));
        }
        match self.slice().parse() {
            Ok(value) if (0.0..=1.0).contains(&value) => {
                self.advance();
                Ok(value)
            }
            _ => Err(self.expected(what).help("`loses 0.2` is one item of five")),
        }
    }

    /// `[1..8]`, or `[1..]` without an end
    fn range(&mut self, of: &str, example: &str) -> Parsed<(i64, Option<i64>)> {
        self.expect(Token::LeftBracket, &format!("`{example}` behind `{of}`"))?;
        let first = self.integer("the first index, such as 1")?;
        self.expect(Token::Range, "`..`")?;
        let last = match self.peek() {
            Token::RightBracket => None,
            _ => Some(self.integer("the last index, or `]` for no end")?),
        };
        self.expect(Token::RightBracket, "`]`")?;
        Ok((first, last))
    }

    /// `i = 1`, `!timeout`, `timeout` or `data[k] = 10 * k`
    fn condition(&mut self) -> Parsed<Condition> {
        let start = self.span();
        let negated = self.eat(Token::Not).or_else(|| self.eat_word("not")).is_some();
        let subject = self.name("a variable in this `where`, as in `where x = 1`")?;
        let index = match self.peek() {
            Token::LeftBracket if !negated => Some(self.index_name()?),
            _ => None,
        };
        if !negated && self.eat(Token::Equal).is_some() {
            return Ok(Condition { subject, index, value: self.expression(COMPARISON + 1)? });
        }
        if index.is_some() || (!negated && matches!(self.peek(), Token::Less | Token::Greater | Token::GreaterOrEqual))
        {
            let help = "a program runs from one beginning: `where x = 1`, `where !b`, `where a[k] = 10 * k`";
            return Err(self.expected("`=` and the first value").help(help));
        }
        let span = start.to(subject.span);
        Ok(Condition { subject, index, value: leaf(ExpressionKind::Boolean(!negated), span) })
    }

    fn index_name(&mut self) -> Parsed<Named> {
        self.advance();
        let name = self.name("a name for the index, as in `where a[k] = 10 * k`")?;
        self.expect(Token::RightBracket, "`]`")?;
        Ok(name)
    }
}

// ---- statements ----

impl Parser<'_> {
    /// Statements up to `]` or `or`; at least one.
    fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = vec![self.statement()?];
        self.eat(Token::Semicolon);
        while self.peek() == Token::Word && !self.is_word("or") && !self.is_word("else") {
            statements.push(self.statement()?);
            self.eat(Token::Semicolon);
        }
        Ok(statements)
    }

    fn close_list(&mut self) -> Parsed<Span> {
        let error = match self.peek() {
            Token::RightBracket => return Ok(self.advance()),
            Token::Word if self.is_word("or") => Diagnostic::error(self.span(), "a selection has a label")
                .label("an alternative to what is before it")
                .help("`l2: [ l3: … or l4: … ]`; in expressions, or is written `|`"),
            Token::Parallel => {
                self.expected("`]`").help("processes are side by side at the top only: `P1 :: [ … ] || P2 :: [ … ]`")
            }
            Token::LeftBracket => Diagnostic::error(self.span(), "expected a statement with its label, found `[`")
                .label("no label before it")
                .help("a selection has a label: `l2: [ l3: … or l4: … ]`"),
            _ => self.expected("another statement or `]`"),
        };
        Err(error)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let label = self.label()?;
        let start = self.span();
        let kind = self.nested(|parser| parser.statement_kind())?;
        let end = match &kind {
            StatementKind::Action(_) | StatementKind::After { .. } => self.previous(),
            StatementKind::If { condition, .. } | StatementKind::While { condition, .. } => condition.span,
            StatementKind::Loop { .. } | StatementKind::Selection(_) => start,
        };
        Ok(Statement { label, kind, span: start.to(end) })
    }

    fn label(&mut self) -> Parsed<Named> {
        let word = self.slice();
        let is_label = self.peek() == Token::Word && self.peek_at(1) == Token::Colon;
        if !is_label {
            let error = self.expected("a statement with its label");
            return Err(match self.peek() {
                Token::Word if word == "local" => error.help("declarations stand before the first statement"),
                Token::Word if STATEMENTS.contains(&word) => error.help(format!("write `l1: {word}`, with any name")),
                _ => error.help("as in `l1: x := 1`; the label names the place in the trace"),
            });
        }
        let label = self.name("a label")?;
        self.advance();
        if label.name == "end" {
            let error = Diagnostic::error(label.span, "`end` is where a process stands behind its last statement");
            return Err(error.label("choose another label"));
        }
        Ok(label)
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        match (self.peek(), self.slice()) {
            (Token::LeftBracket, _) => self.selection(),
            (Token::Word, "loop") => {
                self.advance();
                self.expect_word("forever")?;
                self.expect_word("do")?;
                Ok(StatementKind::Loop { body: self.body()? })
            }
            (Token::Word, "while") => {
                self.advance();
                let condition = self.expression(0)?;
                self.expect_word("do")?;
                Ok(StatementKind::While { condition, body: self.body()? })
            }
            (Token::Word, "if") => self.conditional(),
            (Token::Word, "after") => self.after(),
            _ => self.action().map(StatementKind::Action),
        }
    }

    fn selection(&mut self) -> Parsed<StatementKind> {
        let opened = self.advance();
        let mut alternatives = vec![self.statements()?];
        while self.eat_word("or").is_some() {
            alternatives.push(self.statements()?);
        }
        self.close_list()?;
        if alternatives.len() == 1 {
            let error = Diagnostic::error(opened, "a label before brackets is that of a selection");
            return Err(error.label("and there is no `or` between these").help("leave out the label or the brackets"));
        }
        Ok(StatementKind::Selection(alternatives))
    }

    fn conditional(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.expression(0)?;
        self.expect_word("then")?;
        let then = self.body()?;
        let is_else = self.is_word("else") || (self.peek() == Token::Semicolon && self.else_follows());
        if !is_else {
            return Ok(StatementKind::If { condition, then, otherwise: Vec::new() });
        }
        self.eat(Token::Semicolon);
        self.advance();
        Ok(StatementKind::If { condition, then, otherwise: self.body()? })
    }

    fn else_follows(&self) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|(_, span)| &self.text[span.range()] == "else")
    }

    /// `after 20 steps do timeout := TRUE`
    fn after(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let what = "the number of steps to wait";
        let steps = self.integer(what)?.unsigned_abs();
        if !(1..=MOST_STEPS).contains(&steps) {
            let error = Diagnostic::error(self.previous(), format!("{what} is between 1 and {MOST_STEPS}"));
            return Err(error.label("this number"));
        }
        self.eat_word("step").map_or_else(|| self.expect_word("steps"), Ok)?;
        self.expect_word("do")?;
        let start = self.span();
        let action = self.action()?;
        if matches!(action, ActionTree::Request(_) | ActionTree::Await(_) | ActionTree::Receive(..)) {
            let error = Diagnostic::error(start.to(self.previous()), "what comes after a time must not wait");
            return Err(error.label("this may have to wait for somebody").help("let it stand behind the `after`"));
        }
        Ok(StatementKind::After { steps, action })
    }

    /// A labelled statement, or several in brackets.
    fn body(&mut self) -> Parsed<Vec<Statement>> {
        self.nested(|parser| {
            if parser.eat(Token::LeftBracket).is_none() {
                return Ok(vec![parser.statement()?]);
            }
            let statements = parser.statements()?;
            parser.close_list()?;
            Ok(statements)
        })
    }

    fn action(&mut self) -> Parsed<ActionTree> {
        match (self.peek(), self.slice()) {
            (Token::Word, "skip" | "noncritical" | "critical") => {
                self.advance();
                Ok(ActionTree::Skip)
            }
            (Token::Word, "request") => {
                self.advance();
                Ok(ActionTree::Request(self.semaphore()?))
            }
            (Token::Word, "release") => {
                self.advance();
                Ok(ActionTree::Release(self.semaphore()?))
            }
            (Token::Word, "await") => {
                self.advance();
                Ok(ActionTree::Await(self.expression(0)?))
            }
            (Token::LeftParen, _) => {
                let places = self.places()?;
                self.expect(Token::Assign, "`:=` and as many values")?;
                Ok(ActionTree::Assign(places, self.values()?))
            }
            (Token::Word, word) if !is_keyword(word) => self.assignment_or_message(),
            _ => Err(self.expected("a statement").help("as in `x := 1`, `request r`, `c <= x`, `if x > 0 then …`")),
        }
    }

    fn semaphore(&mut self) -> Parsed<PlaceTree> {
        let in_brackets = self.eat(Token::LeftParen).is_some();
        let place = self.place("a semaphore, that is an integer variable")?;
        if in_brackets {
            self.expect(Token::RightParen, "`)`")?;
        }
        Ok(place)
    }

    fn assignment_or_message(&mut self) -> Parsed<ActionTree> {
        let place = self.place("a variable")?;
        match self.peek() {
            Token::Assign => {
                self.advance();
                Ok(ActionTree::Assign(vec![place], vec![self.expression(0)?]))
            }
            Token::LessOrEqual | Token::Send if place.index.is_none() => {
                self.advance();
                Ok(ActionTree::Send(place.name, self.values()?))
            }
            Token::Receive if place.index.is_none() => {
                self.advance();
                Ok(ActionTree::Receive(place.name, self.places()?))
            }
            Token::Equal => Err(self.expected("`:=`").help("`=` compares, `:=` assigns")),
            _ => {
                let Named { name, span } = &place.name;
                if let Some(near) = did_you_mean(name, STATEMENTS) {
                    let error = Diagnostic::error(*span, format!("`{name}` begins no statement"));
                    return Err(error.label("unknown word").help(near));
                }
                let help = "`x := 1` assigns, `c <= 1` sends to a channel, `c => x` receives from it";
                Err(self.expected("`:=`, `<=` or `=>`").help(help))
            }
        }
    }

    /// `x`, or `(x, a[i])`
    fn places(&mut self) -> Parsed<Vec<PlaceTree>> {
        if self.eat(Token::LeftParen).is_none() {
            return Ok(vec![self.place("a variable")?]);
        }
        let mut places = vec![self.place("a variable")?];
        while self.eat(Token::Comma).is_some() {
            places.push(self.place("a variable")?);
        }
        self.expect(Token::RightParen, "`,` or `)`")?;
        Ok(places)
    }

    fn place(&mut self, what: &str) -> Parsed<PlaceTree> {
        let name = self.name(what)?;
        let index = match self.eat(Token::LeftBracket) {
            None => None,
            Some(_) => {
                let index = self.expression(0)?;
                self.expect(Token::RightBracket, "`]`")?;
                Some(index)
            }
        };
        Ok(PlaceTree { name, index })
    }

    /// `e`, or `(e, f)`. A list alone in brackets may go on as an expression: `(x + 1) * 2`.
    fn values(&mut self) -> Parsed<Vec<ExpressionTree>> {
        if self.peek() != Token::LeftParen {
            return Ok(vec![self.expression(0)?]);
        }
        let before = self.at;
        self.advance();
        let mut values = vec![self.expression(0)?];
        if self.peek() == Token::RightParen {
            self.at = before;
            return Ok(vec![self.expression(0)?]);
        }
        while self.eat(Token::Comma).is_some() {
            values.push(self.expression(0)?);
        }
        self.expect(Token::RightParen, "`,` or `)`")?;
        Ok(values)
    }
}

// ---- expressions ----

impl Parser<'_> {
    /// An expression of operators that bind at least as tightly as given.
    fn expression(&mut self, power: u8) -> Parsed<ExpressionTree> {
        let mut left = self.nested(Self::operand)?;
        while let Some(operator) = self.binary_operator() {
            if operator.power() < power {
                break;
            }
            let at = self.advance();
            // All operators are left-associative.
            let right = self.nested(|parser| parser.expression(operator.power() + 1))?;
            left = joined(operator, left, right)?;
            let next = self.binary_operator();
            if operator.power() == COMPARISON && next.is_some_and(|next| next.power() == COMPARISON) {
                let error = Diagnostic::error(self.span(), "comparisons are not chained").also(at, "the first one");
                return Err(error.label("the second one").help("write `0 < x & x < 5`"));
            }
        }
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<ExpressionTree> {
        let start = self.span();
        match (self.peek(), self.slice()) {
            (Token::Integer, _) => Ok(leaf(ExpressionKind::Integer(self.integer("a number")?), start)),
            (Token::Decimal, _) => Err(Diagnostic::error(start, "values are whole numbers").label("not whole")),
            (Token::Word, "true" | "TRUE" | "false" | "FALSE") => {
                let value = self.slice().eq_ignore_ascii_case("true");
                self.advance();
                Ok(leaf(ExpressionKind::Boolean(value), start))
            }
            (Token::Minus, _) => self.unary(UnaryOperator::Negate),
            (Token::Not, _) | (Token::Word, "not") => self.unary(UnaryOperator::Not),
            (Token::LeftParen, _) => {
                self.advance();
                let inner = self.expression(0)?;
                self.expect(Token::RightParen, "`)`")?;
                Ok(ExpressionTree { span: start.to(self.previous()), ..inner })
            }
            (Token::Word, word) if !is_keyword(word) => self.variable(),
            _ => Err(self.expected("a value")),
        }
    }

    fn variable(&mut self) -> Parsed<ExpressionTree> {
        let PlaceTree { name, index } = self.place("a variable")?;
        let span = name.span.to(self.previous());
        match index {
            None => Ok(leaf(ExpressionKind::Name(name.name), span)),
            Some(index) => {
                let height = index.height + 1;
                Ok(ExpressionTree { kind: ExpressionKind::Element(name, Box::new(index)), span, height })
            }
        }
    }

    /// A sign or a not binds tighter than whatever stands between two values.
    fn unary(&mut self, operator: UnaryOperator) -> Parsed<ExpressionTree> {
        let start = self.advance();
        let of = self.nested(Self::operand)?;
        let (span, height) = (start.to(of.span), of.height + 1);
        if let (UnaryOperator::Negate, ExpressionKind::Integer(value)) = (operator, &of.kind) {
            return Ok(leaf(ExpressionKind::Integer(-value), span));
        }
        Ok(ExpressionTree { kind: ExpressionKind::Unary(operator, Box::new(of)), span, height })
    }

    fn binary_operator(&self) -> Option<BinaryOperator> {
        Some(match (self.peek(), self.slice()) {
            (Token::Or | Token::Parallel, _) => BinaryOperator::Or,
            (Token::And, _) | (Token::Word, "and") => BinaryOperator::And,
            (Token::Equal, _) => BinaryOperator::Equal,
            (Token::NotEqual, _) => BinaryOperator::NotEqual,
            (Token::Less, _) => BinaryOperator::Less,
            (Token::LessOrEqual | Token::LessOrEqualSign, _) => BinaryOperator::LessOrEqual,
            (Token::Greater, _) => BinaryOperator::Greater,
            (Token::GreaterOrEqual, _) => BinaryOperator::GreaterOrEqual,
            (Token::Plus, _) => BinaryOperator::Add,
            (Token::Minus, _) => BinaryOperator::Subtract,
            (Token::Times, _) => BinaryOperator::Multiply,
            (Token::Divide, _) | (Token::Word, "div") => BinaryOperator::Divide,
            (Token::Percent, _) | (Token::Word, "mod") => BinaryOperator::Remainder,
            _ => return None,
        })
    }
}

fn leaf(kind: ExpressionKind, span: Span) -> ExpressionTree {
    ExpressionTree { kind, span, height: 1 }
}

/// `a + b + c` nests without a call of the parser within a call, so its height is looked at, too.
fn joined(operator: BinaryOperator, left: ExpressionTree, right: ExpressionTree) -> Parsed<ExpressionTree> {
    let (span, height) = (left.span.to(right.span), left.height.max(right.height) + 1);
    if height > NESTING_LIMIT {
        return Err(too_deep(right.span));
    }
    Ok(ExpressionTree { kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)), span, height })
}
