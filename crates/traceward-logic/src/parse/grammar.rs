//! Tokens to tree: operator precedence for expressions, recursive descent for the rest.

use super::lexer::Token;
use super::words::{self, LOOSEST, Meaning, PREFIX, Power, SIGN};
use crate::ast::{Aggregate, Ast, AstKind, BinaryOperator, Combiner, Dialect, Function, Junction, Map, UnaryOperator};
use crate::diagnostic::{Diagnostic, SourceId, Span, did_you_mean};
use crate::value::{ArithmeticOp, Value};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How deep brackets and prefixes may nest, and how deep infix operators. Passes over the tree
/// recurse, so the two together also bound their stack.
pub const NESTING_LIMIT: usize = 400;

/// The furthest state that `past` may look back at. A stream keeps as many values.
pub const MOST_STEPS_BACK: u32 = 1_000_000;

/// An error has been reported; the parser gives up on this statement.
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

/// Reads expressions, formulas and queries from tokens.
pub(super) struct Parser<'a> {
    pub(super) source: SourceId,
    text: &'a str,
    tokens: &'a [(Token, Span)],
    pub(super) at: usize,
    depth: usize,
    /// How many infix operators lie around each other in what was read last: `a + b + c` nests to
    /// the left without a call of the parser within a call.
    chained: usize,
    /// Inside the formula of a `while`, which `??` ends.
    pub(super) default_ends: bool,
    /// The dialect that is declared, if one is.
    pub(super) dialect: Option<Dialect>,
    /// The dialect that stands over what the text declares, if one does.
    pub(super) asked_dialect: Option<Dialect>,
    /// The names of definitions, and those of other statements, which may be the same.
    pub(super) definitions: FxHashSet<Arc<str>>,
    pub(super) others: FxHashSet<Arc<str>>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: SourceId, text: &'a str, tokens: &'a [(Token, Span)]) -> Self {
        Self {
            source,
            text,
            tokens,
            at: 0,
            depth: 0,
            chained: 0,
            default_ends: false,
            dialect: None,
            asked_dialect: None,
            definitions: FxHashSet::default(),
            others: FxHashSet::default(),
            diagnostics: Vec::new(),
        }
    }

    // ---- tokens ----

    pub(super) fn peek(&self) -> Token {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Token {
        self.tokens.get(self.at + ahead).map_or(Token::End, |(token, _)| *token)
    }

    pub(super) fn span(&self) -> Span {
        self.span_at(0)
    }

    fn span_at(&self, ahead: usize) -> Span {
        let end = self.text.trim_end().len();
        self.tokens.get(self.at + ahead).map_or(Span::new(self.source, end..end), |(_, span)| *span)
    }

    pub(super) fn slice(&self) -> &'a str {
        self.slice_at(0)
    }

    pub(super) fn slice_at(&self, ahead: usize) -> &'a str {
        &self.text[self.span_at(ahead).range()]
    }

    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        self.at += 1;
        span
    }

    pub(super) fn at_end(&self) -> bool {
        self.peek() == Token::End
    }

    pub(super) fn eat(&mut self, token: Token) -> Option<Span> {
        (self.peek() == token).then(|| self.advance())
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.peek() == Token::Word && self.slice() == word
    }

    pub(super) fn source_text(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    fn meaning(&self) -> Option<Meaning> {
        words::meaning(self.peek(), self.slice())
    }

    pub(super) fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    // ---- errors ----

    pub(super) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    /// "expected …, found …" at the current token.
    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            _ => format!("`{}`", self.slice()),
        };
        Diagnostic::error(self.span(), format!("expected {what}, found {found}")).label(format!("expected {what}"))
    }

    pub(super) fn expect(&mut self, token: Token, what: &str) -> Parsed<Span> {
        match self.eat(token) {
            Some(span) => Ok(span),
            None => {
                let error = self.expected(what);
                self.fail(error)
            }
        }
    }

    pub(super) fn close(&mut self, token: Token, symbol: &str, opened: Span) -> Parsed<Span> {
        if let Some(span) = self.eat(token) {
            return Ok(span);
        }
        let error = match self.peek() {
            Token::End => Diagnostic::error(opened, format!("this bracket is never closed: `{symbol}` is missing"))
                .label("opened here"),
            Token::LeftBracket => self.stray_bracket(),
            _ => self.expected(&format!("an operator or `{symbol}`")),
        };
        self.fail(error)
    }

    /// `[` behind something that takes no bound: most often a column such as `q[0]`.
    pub(super) fn stray_bracket(&self) -> Diagnostic {
        Diagnostic::error(self.span(), "a bound stands behind its operator")
            .label("no operator that takes a bound stands before this")
            .help("write `F[0,5] a`; an element of a list is `q.0`, and a column named `q[0]` stands in backquotes")
    }

    // ---- expressions ----

    /// A whole formula, query or expression.
    pub(super) fn expression(&mut self) -> Parsed<Ast> {
        self.expression_above(LOOSEST)
    }

    fn expression_above(&mut self, least: Power) -> Parsed<Ast> {
        self.deeper()?;
        let result = self.operators_above(least);
        self.depth -= 1;
        result
    }

    fn deeper(&mut self) -> Parsed<()> {
        if self.depth < NESTING_LIMIT {
            self.depth += 1;
            return Ok(());
        }
        self.too_deep()
    }

    fn too_deep<T>(&mut self) -> Parsed<T> {
        let error = Diagnostic::error(self.span(), format!("this is nested more than {NESTING_LIMIT} deep"))
            .label("too deep from here on")
            .help("name parts of it with `let`, or leave out brackets that are not needed");
        self.fail(error)
    }

    fn operators_above(&mut self, least: Power) -> Parsed<Ast> {
        let beside = std::mem::take(&mut self.chained);
        let mut left = self.operand()?;
        while let Some(meaning) = self.meaning() {
            let Some((left_power, right_power)) = self.dialect.unwrap_or_default().infix(meaning) else { break };
            let ends_while = meaning == Meaning::Default && self.default_ends;
            if left_power < least || ends_while {
                break;
            }
            let below = std::mem::take(&mut self.chained);
            left = self.infix(meaning, left, right_power)?;
            self.chained = self.chained.max(below) + 1;
            if self.chained > NESTING_LIMIT {
                return self.too_deep();
            }
        }
        self.chained = self.chained.max(beside);
        Ok(left)
    }

    fn infix(&mut self, meaning: Meaning, left: Ast, right_power: Power) -> Parsed<Ast> {
        let operator = self.advance();
        match meaning {
            Meaning::And => self.junction(Junction::And, left, right_power),
            Meaning::Or => self.junction(Junction::Or, left, right_power),
            Meaning::Connect(connective) => {
                let right = self.right_side(operator, right_power)?;
                Ok(join(left, right, |left, right| AstKind::Connect(connective, left, right)))
            }
            Meaning::Binary(binary) => self.binary(binary, operator, left, right_power),
            Meaning::Compare(op) => {
                let right = self.right_side(operator, right_power)?;
                self.no_chained_comparison()?;
                Ok(join(left, right, |left, right| AstKind::Compare(op, left, right)))
            }
            Meaning::Arithmetic(op) => {
                let right = self.right_side(operator, right_power)?;
                Ok(join(left, right, |left, right| AstKind::Arithmetic(op, left, right)))
            }
            Meaning::In => {
                let values = self.value_set()?;
                let span = left.span.to(self.previous_span());
                Ok(Ast { kind: AstKind::In(Box::new(left), values), span })
            }
            Meaning::Guard => {
                let right = self.right_side(operator, right_power)?;
                Ok(join(left, right, AstKind::Guard))
            }
            Meaning::Default => {
                let constant = self.literal("a constant")?;
                let span = left.span.to(self.previous_span());
                Ok(Ast { kind: AstKind::Default(Box::new(left), constant), span })
            }
            Meaning::Not | Meaning::Unary(_) | Meaning::Operand | Meaning::Structure => {
                unreachable!("no infix operator")
            }
        }
    }

    /// The operand behind an infix operator, with an error of its own where there is none.
    fn right_side(&mut self, operator: Span, power: Power) -> Parsed<Ast> {
        if !self.starts_operand() {
            let symbol = &self.text[operator.range()];
            let error = Diagnostic::error(operator, format!("`{symbol}` needs a right side"))
                .label(format!("nothing that `{symbol}` could apply to follows"));
            return self.fail(error);
        }
        self.expression_above(power)
    }

    fn starts_operand(&self) -> bool {
        match self.peek() {
            Token::End
            | Token::RightParen
            | Token::RightBracket
            | Token::RightBrace
            | Token::Comma
            | Token::Semicolon => false,
            Token::Word if words::STATEMENTS.contains(&self.slice()) => false,
            _ => !matches!(self.meaning(), Some(Meaning::Structure)),
        }
    }

    fn no_chained_comparison(&mut self) -> Parsed<()> {
        if !matches!(self.meaning(), Some(Meaning::Compare(_))) {
            return Ok(());
        }
        let error = Diagnostic::error(self.span(), "comparisons do not chain")
            .label("a second comparison")
            .help("write `a < b & b < c` for a < b < c");
        self.fail(error)
    }

    fn junction(&mut self, junction: Junction, left: Ast, right_power: Power) -> Parsed<Ast> {
        let operator = self.previous_span();
        if self.peek() == Token::LeftBracket {
            let combiner = self.combiner(junction)?;
            let right = self.right_side(operator, right_power)?;
            return Ok(join(left, right, |left, right| AstKind::Combine(junction, combiner, left, right)));
        }
        let mut parts = vec![left, self.right_side(operator, right_power)?];
        let again = match junction {
            Junction::And => Meaning::And,
            Junction::Or => Meaning::Or,
        };
        while self.meaning() == Some(again) && self.peek_at(1) != Token::LeftBracket {
            let operator = self.advance();
            parts.push(self.right_side(operator, right_power)?);
        }
        let span = parts[0].span.to(self.previous_span());
        let kind = match junction {
            Junction::And => AstKind::And(parts),
            Junction::Or => AstKind::Or(parts),
        };
        Ok(Ast { kind, span })
    }

    fn binary(&mut self, op: BinaryOperator, operator: Span, left: Ast, power: Power) -> Parsed<Ast> {
        let map = if op == BinaryOperator::Until { self.map()? } else { None };
        let bound = match map {
            Some(_) => None,
            None => self.bound_after(op.symbol(), op.takes_bound().into())?,
        };
        let right = self.right_side(operator, power)?;
        Ok(join(left, right, |left, right| AstKind::Binary(op, bound, map, left, right)))
    }

    // ---- operands ----

    fn operand(&mut self) -> Parsed<Ast> {
        let span = self.span();
        match self.peek() {
            Token::Int | Token::Float => {
                let value = self.number()?;
                Ok(Ast { kind: AstKind::Literal(value), span })
            }
            Token::String => {
                let value = Value::Str(self.string()?);
                Ok(Ast { kind: AstKind::Literal(value), span })
            }
            Token::QuotedName => {
                let name = self.quoted_name()?;
                Ok(Ast { kind: AstKind::Name(name), span })
            }
            Token::LeftParen => self.parenthesised(),
            Token::LeftBrace => self.braced(),
            Token::Minus => self.negated(),
            Token::Word if self.meaning().is_none() => self.name_or_call(),
            Token::DollarWord => self.dollar_call(),
            Token::Duration => {
                let error = Diagnostic::error(span, "a duration stands only in a bound")
                    .label("a number with a unit")
                    .help("in expressions `time` counts nanoseconds: 5ms is 5000000");
                self.fail(error)
            }
            _ => match self.meaning() {
                Some(Meaning::Not) => self.not(),
                Some(Meaning::Unary(op)) => self.unary(op),
                Some(Meaning::Operand) => Ok(self.operand_word()),
                Some(meaning) => {
                    let error = self.operator_without_left(meaning);
                    self.fail(error)
                }
                None => {
                    let error = self.expected("a formula");
                    self.fail(error)
                }
            },
        }
    }

    fn operator_without_left(&self, meaning: Meaning) -> Diagnostic {
        let symbol = self.slice();
        match meaning {
            Meaning::Structure => self.expected("a formula"),
            Meaning::Binary(_) if self.peek() == Token::Word => {
                Diagnostic::error(self.span(), format!("`{symbol}` needs a left side"))
                    .label("an operator between two formulas")
                    .help(format!("a column named {symbol} stands in backquotes: `{symbol}`"))
            }
            _ => Diagnostic::error(self.span(), format!("`{symbol}` needs a left side"))
                .label("an operator between two operands"),
        }
    }

    fn operand_word(&mut self) -> Ast {
        let kind = match self.slice() {
            "true" => AstKind::Literal(Value::Bool(true)),
            "false" => AstKind::Literal(Value::Bool(false)),
            "pos" => AstKind::Position,
            _ => AstKind::Time,
        };
        Ast { kind, span: self.advance() }
    }

    fn parenthesised(&mut self) -> Parsed<Ast> {
        let opened = self.advance();
        let outer = std::mem::replace(&mut self.default_ends, false);
        let inside = self.expression()?;
        let kind = match self.eat(Token::Comma) {
            Some(_) => AstKind::Pair(Box::new(inside), Box::new(self.expression()?)),
            None => inside.kind,
        };
        self.default_ends = outer;
        let closed = self.close(Token::RightParen, ")", opened)?;
        Ok(Ast { kind, span: opened.to(closed) })
    }

    fn braced(&mut self) -> Parsed<Ast> {
        let opened = self.advance();
        if self.peek() == Token::RightBrace {
            let error = Diagnostic::error(opened.to(self.span()), "empty braces: a condition is missing")
                .label("nothing inside")
                .help("write a condition, such as `{x > 0}`");
            return self.fail(error);
        }
        // C's precedence inside, whatever the dialect outside.
        let dialect = self.dialect;
        self.dialect = dialect.map(|dialect| if dialect == Dialect::Opra { Dialect::Traceward } else { dialect });
        let outer = std::mem::replace(&mut self.default_ends, false);
        let inside = self.expression();
        self.dialect = dialect;
        self.default_ends = outer;
        let inside = inside?;
        let closed = self.close(Token::RightBrace, "}", opened)?;
        Ok(Ast { kind: inside.kind, span: opened.to(closed) })
    }

    fn negated(&mut self) -> Parsed<Ast> {
        let minus = self.span();
        if matches!(self.peek_at(1), Token::Int | Token::Float) {
            let value = self.signed_number()?;
            return Ok(Ast { kind: AstKind::Literal(value), span: minus.to(self.previous_span()) });
        }
        self.advance();
        let operand = self.right_side(minus, SIGN)?;
        let span = minus.to(operand.span);
        Ok(Ast { kind: AstKind::Negate(Box::new(operand)), span })
    }

    fn not(&mut self) -> Parsed<Ast> {
        let operator = self.advance();
        let constant = match self.eat(Token::LeftBracket) {
            Some(opened) => {
                let constant = self.literal("a constant, as in `![0] a`")?;
                self.close(Token::RightBracket, "]", opened)?;
                Some(constant)
            }
            None => None,
        };
        let operand = self.prefixed_operand(operator)?;
        let span = operator.to(operand.span);
        Ok(Ast { kind: AstKind::Not(constant, Box::new(operand)), span })
    }

    fn unary(&mut self, op: UnaryOperator) -> Parsed<Ast> {
        let operator = self.advance();
        let takes_map = matches!(op, UnaryOperator::Next | UnaryOperator::Eventually);
        let map = if takes_map { self.map()? } else { None };
        let bound = match map {
            Some(_) => None,
            None => self.bound_after(op.symbol(), op.takes_bound().into())?,
        };
        let operand = self.prefixed_operand(operator)?;
        let span = operator.to(operand.span);
        Ok(Ast { kind: AstKind::Unary(op, bound, map, Box::new(operand)), span })
    }

    fn prefixed_operand(&mut self, operator: Span) -> Parsed<Ast> {
        if self.starts_operand() {
            return self.expression_above(PREFIX);
        }
        let symbol = &self.text[operator.range()];
        let mut error = Diagnostic::error(operator, format!("`{symbol}` needs an operand"))
            .label(format!("nothing that `{symbol}` could apply to follows"));
        if symbol.len() == 1 && symbol.chars().all(char::is_alphabetic) {
            error = error.help(format!("a column named {symbol} stands in backquotes: `{symbol}`"));
        }
        self.fail(error)
    }

    fn name_or_call(&mut self) -> Parsed<Ast> {
        if self.peek_at(1) == Token::LeftParen {
            return self.call();
        }
        let name: Arc<str> = self.slice().into();
        if words::STATEMENTS.contains(&&*name) {
            let error = self.expected("a formula");
            return self.fail(error.help(format!("a column named {name} stands in backquotes: `{name}`")));
        }
        Ok(Ast { kind: AstKind::Name(name), span: self.advance() })
    }

    // ---- calls ----

    /// `$past(x)`, which is `past(x)`.
    fn dollar_call(&mut self) -> Parsed<Ast> {
        if self.peek_at(1) == Token::LeftParen {
            return self.call();
        }
        let word = self.slice();
        let error = Diagnostic::error(self.span(), format!("`{word}` needs an argument"))
            .label("a function of earlier states")
            .help(format!("write `{word}(x)`"));
        self.fail(error)
    }

    fn call(&mut self) -> Parsed<Ast> {
        let name = self.slice().trim_start_matches('$');
        let start = self.advance();
        let opened = self.advance();
        let outer = std::mem::replace(&mut self.default_ends, false);
        if name == "fold" {
            return self.fold(start, opened, outer);
        }
        let arguments = self.arguments(name)?;
        self.default_ends = outer;
        let closed = self.close(Token::RightParen, ")", opened)?;
        let span = start.to(closed);
        let function = Function::ALL.into_iter().find(|function| function.name() == name);
        if let Some(function) = function
            && !(arguments.len() == 1 && Aggregate::NAMES.contains(&name))
        {
            return self.function(function, arguments, span);
        }
        match name {
            "latency" => self.latency(arguments, span),
            "past" => self.past(arguments, span),
            _ if Aggregate::NAMES.contains(&name) => self.aggregate(name, arguments, span),
            _ => {
                let known = Function::ALL.map(Function::name);
                let all = known.into_iter().chain(Aggregate::NAMES).chain(["fold", "latency", "past"]);
                let error = Diagnostic::error(start, format!("there is no function `{name}`"))
                    .label("unknown function")
                    .help(did_you_mean(name, all.clone()).unwrap_or_else(|| {
                        let mut names: Vec<_> = all.collect();
                        names.sort_unstable();
                        names.dedup();
                        format!("there are {}", names.join(", "))
                    }));
                self.fail(error)
            }
        }
    }

    fn arguments(&mut self, name: &str) -> Parsed<Vec<Ast>> {
        if self.peek() == Token::RightParen {
            let error = Diagnostic::error(self.span(), format!("`{name}` needs an argument")).label("nothing inside");
            return self.fail(error);
        }
        let mut arguments = vec![self.expression()?];
        while self.eat(Token::Comma).is_some() {
            arguments.push(self.expression()?);
        }
        Ok(arguments)
    }

    fn function(&mut self, function: Function, arguments: Vec<Ast>, span: Span) -> Parsed<Ast> {
        if arguments.len() == function.arity() {
            return Ok(Ast { kind: AstKind::Call(function, arguments), span });
        }
        let wanted = match function.arity() {
            1 => "1 argument".to_owned(),
            arity => format!("{arity} arguments"),
        };
        let error = Diagnostic::error(span, format!("`{}` takes {wanted}, not {}", function.name(), arguments.len()))
            .label("here");
        self.fail(error)
    }

    fn past(&mut self, arguments: Vec<Ast>, span: Span) -> Parsed<Ast> {
        let mut arguments = arguments.into_iter();
        let (operand, steps, more) = (arguments.next(), arguments.next(), arguments.next());
        let steps = match steps {
            None => 1,
            Some(steps) => self.steps_back(&steps)?,
        };
        match (operand, more) {
            (Some(operand), None) => Ok(Ast { kind: AstKind::Past(Box::new(operand), steps), span }),
            _ => {
                let error = Diagnostic::error(span, "`past` takes a value, and how many states back it is")
                    .label("too many arguments")
                    .help("`past(x)` is x one state earlier, `past(x, 3)` is x three states earlier");
                self.fail(error)
            }
        }
    }

    fn steps_back(&mut self, ast: &Ast) -> Parsed<u32> {
        match &ast.kind {
            AstKind::Literal(Value::Int(steps)) if (1..=i64::from(MOST_STEPS_BACK)).contains(steps) => {
                Ok(*steps as u32)
            }
            _ => self.fail(
                Diagnostic::error(ast.span, format!("`past` looks back from 1 to {MOST_STEPS_BACK} states"))
                    .label("not such a number")
                    .help("`past(x)` is x one state earlier, `past(x, 3)` is x three states earlier"),
            ),
        }
    }

    fn latency(&mut self, mut arguments: Vec<Ast>, span: Span) -> Parsed<Ast> {
        let argument = arguments.pop();
        match argument.map(|argument| argument.kind) {
            Some(AstKind::Connect(crate::ast::Connective::Implies, request, grant)) if arguments.is_empty() => {
                Ok(Ast { kind: AstKind::Latency(request, grant), span })
            }
            _ => {
                let error = Diagnostic::error(span, "`latency` takes `request -> grant`")
                    .label("not of that form")
                    .help("for example `max(latency(request -> grant))`");
                self.fail(error)
            }
        }
    }

    fn aggregate(&mut self, name: &str, mut arguments: Vec<Ast>, span: Span) -> Parsed<Ast> {
        let parameter = match (name, arguments.len()) {
            ("quantile", 2) | ("histogram", 2) => Some(arguments.remove(0)),
            _ => None,
        };
        let wanted = if name == "corr" { 2 } else { 1 };
        let complete = arguments.len() == wanted && (name != "quantile" || parameter.is_some());
        if !complete {
            let form = match name {
                "quantile" => "a part and a query, such as `quantile(0.99, x)`",
                "histogram" => "a query, or a number of buckets and a query",
                "corr" => "two queries",
                _ => "one query",
            };
            return self.fail(Diagnostic::error(span, format!("`{name}` takes {form}")).label("here"));
        }
        let aggregate = match (name, parameter) {
            ("count", _) => Aggregate::Count,
            ("sum", _) => Aggregate::Sum,
            ("min", _) => Aggregate::Min,
            ("max", _) => Aggregate::Max,
            ("avg", _) => Aggregate::Avg,
            ("first", _) => Aggregate::First,
            ("last", _) => Aggregate::Last,
            ("stddev", _) => Aggregate::Stddev,
            ("mode", _) => Aggregate::Mode,
            ("distinct", _) => Aggregate::Distinct,
            ("median", _) => Aggregate::Median,
            ("corr", _) => Aggregate::Corr,
            ("quantile", Some(part)) => Aggregate::Quantile(self.part(part)?),
            ("histogram", Some(buckets)) => Aggregate::Histogram(Some(self.buckets(buckets)?)),
            _ => Aggregate::Histogram(None),
        };
        self.no_order(name)?;
        let condition = self.while_condition()?;
        let span = condition.as_ref().map_or(span, |condition| span.to(condition.span));
        Ok(Ast { kind: AstKind::Aggregate(aggregate, arguments, condition), span })
    }

    fn part(&mut self, ast: Ast) -> Parsed<f64> {
        match &ast.kind {
            AstKind::Literal(value) if value.as_f64().is_some_and(|part| (0.0..=1.0).contains(&part)) => {
                Ok(value.as_f64().unwrap_or_default())
            }
            _ => self.fail(
                Diagnostic::error(ast.span, "a quantile is a number from 0 to 1")
                    .label("not such a number")
                    .help("the 99th percentile is `quantile(0.99, x)`"),
            ),
        }
    }

    fn buckets(&mut self, ast: Ast) -> Parsed<u32> {
        match ast.kind {
            AstKind::Literal(Value::Int(buckets @ 1..=10_000)) => Ok(buckets as u32),
            _ => self.fail(
                Diagnostic::error(ast.span, "a histogram has from 1 to 10000 buckets").label("not such a number"),
            ),
        }
    }

    pub(super) fn while_condition(&mut self) -> Parsed<Option<Box<Ast>>> {
        if !self.is_word("while") {
            return Ok(None);
        }
        let operator = self.advance();
        let outer = std::mem::replace(&mut self.default_ends, true);
        let condition = self.right_side(operator, LOOSEST);
        self.default_ends = outer;
        Ok(Some(Box::new(condition?)))
    }

    // ---- functions of queries ----

    /// `[v => expression]`, if that is what follows.
    fn map(&mut self) -> Parsed<Option<Map>> {
        let is_map = self.peek() == Token::LeftBracket
            && matches!(self.peek_at(1), Token::Word | Token::QuotedName)
            && self.peek_at(2) == Token::FatArrow;
        if !is_map {
            return Ok(None);
        }
        let opened = self.advance();
        let parameter = self.name("a parameter")?;
        self.advance();
        let body = self.function_body(opened)?;
        Ok(Some(Map { parameter: parameter.name, body }))
    }

    fn combiner(&mut self, junction: Junction) -> Parsed<Combiner> {
        let opened = self.advance();
        let combiner = match (self.peek(), self.slice()) {
            (Token::LeftParen, _) => return self.combining_function(opened),
            (Token::Plus, _) => Combiner::Arithmetic(ArithmeticOp::Add),
            (Token::Minus, _) => Combiner::Arithmetic(ArithmeticOp::Subtract),
            (Token::Times, _) => Combiner::Arithmetic(ArithmeticOp::Multiply),
            (Token::Divide, _) => Combiner::Arithmetic(ArithmeticOp::Divide),
            (_, "min") => Combiner::Min,
            (_, "max") => Combiner::Max,
            (_, "first") => Combiner::First,
            (_, "second") => Combiner::Second,
            (_, "pair") => Combiner::Pair,
            _ => {
                let symbol = if junction == Junction::And { "&" } else { "|" };
                let error = self.expected("a function").help(format!(
                    "`{symbol}[…]` takes one of + - * / min max first second pair, or `(a, b) => a + b`"
                ));
                return self.fail(error);
            }
        };
        self.advance();
        self.close(Token::RightBracket, "]", opened)?;
        Ok(combiner)
    }

    fn combining_function(&mut self, opened: Span) -> Parsed<Combiner> {
        self.advance();
        let first = self.name("a parameter")?;
        self.expect(Token::Comma, "`,` and a second parameter")?;
        let second = self.name("a parameter")?;
        self.expect(Token::RightParen, "`)`")?;
        self.expect(Token::FatArrow, "`=>`")?;
        let body = self.function_body(opened)?;
        Ok(Combiner::Function([first.name, second.name], body))
    }

    fn function_body(&mut self, opened: Span) -> Parsed<Box<Ast>> {
        let outer = std::mem::replace(&mut self.default_ends, false);
        let body = self.expression();
        self.default_ends = outer;
        let body = body?;
        self.close(Token::RightBracket, "]", opened)?;
        Ok(Box::new(body))
    }
}

fn join(left: Ast, right: Ast, kind: impl FnOnce(Box<Ast>, Box<Ast>) -> AstKind) -> Ast {
    let span = left.span.to(right.span);
    Ast { kind: kind(Box::new(left), Box::new(right)), span }
}
