//! Numbers, strings, names and bounds.

use super::grammar::{Parsed, Parser};
use super::lexer::Token;
use super::words::{self, Meaning};
use crate::ast::{Bound, Named};
use crate::diagnostic::{Diagnostic, Span};
use crate::formula::{Interval, Unit};
use crate::print::TIME_UNITS;
use crate::value::Value;
use std::sync::Arc;

/// Whether an operator takes a bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bounds {
    Taken,
    Refused,
}

impl From<bool> for Bounds {
    fn from(taken: bool) -> Self {
        if taken { Self::Taken } else { Self::Refused }
    }
}

/// One end of a bound as written.
enum BoundEnd {
    Steps(u64),
    Nanoseconds(u64),
    Infinite,
}

impl Parser<'_> {
    pub(super) fn number(&mut self) -> Parsed<Value> {
        self.number_with_sign("")
    }

    pub(super) fn signed_number(&mut self) -> Parsed<Value> {
        match self.eat(Token::Minus) {
            Some(_) => self.number_with_sign("-"),
            None => self.number_with_sign(""),
        }
    }

    fn number_with_sign(&mut self, sign: &str) -> Parsed<Value> {
        let text = format!("{sign}{}", self.slice());
        let value = match self.peek() {
            Token::Int => text.parse().ok().map(Value::Int),
            _ => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Float),
        };
        match value {
            Some(value) => {
                self.advance();
                Ok(value)
            }
            None => {
                let error = Diagnostic::error(self.span(), "this number is too large")
                    .label("does not fit 64 bits")
                    .help("integers go up to 9223372036854775807");
                self.fail(error)
            }
        }
    }

    /// A constant: a number, a string, `true` or `false`.
    pub(super) fn literal(&mut self, what: &str) -> Parsed<Value> {
        match (self.peek(), self.slice()) {
            (Token::Int | Token::Float, _) => self.number(),
            (Token::Minus, _) if matches!(self.peek_at(1), Token::Int | Token::Float) => self.signed_number(),
            (Token::String, _) => self.string().map(Value::Str),
            (Token::Word, "true") => self.constant(true),
            (Token::Word, "false") => self.constant(false),
            _ => {
                let error = self.expected(what);
                self.fail(error.help("a constant is a number, a string, `true` or `false`"))
            }
        }
    }

    fn constant(&mut self, bit: bool) -> Parsed<Value> {
        self.advance();
        Ok(Value::Bool(bit))
    }

    /// `{1, 2, 3}` behind `in`.
    pub(super) fn value_set(&mut self) -> Parsed<Vec<Value>> {
        self.expect(Token::LeftBrace, "`{`, as in `x in {1, 2}`")?;
        let mut values = vec![self.literal("a constant")?];
        while self.eat(Token::Comma).is_some() {
            values.push(self.literal("a constant")?);
        }
        self.expect(Token::RightBrace, "`,` or `}`")?;
        Ok(values)
    }

    pub(super) fn string(&mut self) -> Parsed<Arc<str>> {
        let slice = self.slice();
        let span = self.advance();
        let mut text = String::new();
        let mut chars = slice[1..slice.len() - 1].chars();
        while let Some(c) = chars.next() {
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('0') => text.push('\0'),
                Some('u') => match unicode_escape(&mut chars) {
                    Some(c) => text.push(c),
                    None => {
                        let error = Diagnostic::error(span, "`\\u` is followed by braces: `\\u{e9}`").label("here");
                        return self.fail(error);
                    }
                },
                Some(c @ ('"' | '\\' | '\'')) => text.push(c),
                // A regular expression is full of backslashes: `\d` stays as it is.
                Some(other) => text.extend(['\\', other]),
                None => text.push('\\'),
            }
        }
        Ok(text.into())
    }

    pub(super) fn quoted_name(&mut self) -> Parsed<Arc<str>> {
        let slice = self.slice();
        let span = self.advance();
        let name = &slice[1..slice.len() - 1];
        if name.is_empty() {
            return self.fail(Diagnostic::error(span, "an empty name").label("nothing between the backquotes"));
        }
        Ok(name.into())
    }

    /// A name, plain or in backquotes.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Named> {
        let span = self.span();
        match self.peek() {
            Token::QuotedName => Ok(Named { name: self.quoted_name()?, span }),
            Token::Word if words::meaning(Token::Word, self.slice()).is_none() => {
                let name = self.slice().into();
                self.advance();
                Ok(Named { name, span })
            }
            Token::Word => {
                let word = self.slice();
                let error = Diagnostic::error(span, format!("`{word}` is an operator and cannot be {what}"))
                    .label("a word of the language")
                    .help(format!("in backquotes it is a name: `{word}`"));
                self.fail(error)
            }
            _ => {
                let error = self.expected(what);
                self.fail(error)
            }
        }
    }

    // ---- bounds ----

    /// The bound behind a temporal operator, if one follows.
    pub(super) fn bound_after(&mut self, operator: &str, bounds: Bounds) -> Parsed<Option<Bound>> {
        let opened = match self.peek() {
            Token::LeftBracket => self.advance(),
            Token::LeftParen if self.open_bound_follows() => self.advance(),
            _ => return Ok(None),
        };
        let open_left = self.source_text(opened) == "(";
        if bounds == Bounds::Refused {
            let error = Diagnostic::error(opened, format!("`{operator}` takes no bound"))
                .label("a bound begins here")
                .help(no_bound_help(operator));
            return self.fail(error);
        }
        let bound = self.bound(operator, opened, open_left)?;
        Ok(Some(bound))
    }

    /// Whether `(` opens a bound such as `(2,5]`: two numbers in it, and an operand behind it.
    fn open_bound_follows(&self) -> bool {
        let number = |token| matches!(token, Token::Int | Token::Duration);
        let end = |ahead: usize| {
            number(self.peek_at(ahead))
                || matches!(self.peek_at(ahead), Token::Infinity | Token::Minus)
                || (self.peek_at(ahead) == Token::Word && self.slice_at(ahead) == "inf")
        };
        if !number(self.peek_at(1)) || self.peek_at(2) != Token::Comma {
            return false;
        }
        let close = if end(3) { 4 } else { 3 };
        let closes = matches!(self.peek_at(close), Token::RightParen | Token::RightBracket);
        closes && self.may_be_operand(close + 1)
    }

    /// Whether a token may begin an operand. A minus is taken for a sign: nothing is subtracted
    /// from a pair.
    fn may_be_operand(&self, ahead: usize) -> bool {
        match words::meaning(self.peek_at(ahead), self.slice_at(ahead)) {
            Some(meaning) => {
                matches!(meaning, Meaning::Not | Meaning::Unary(_) | Meaning::Operand)
                    || self.peek_at(ahead) == Token::Minus
            }
            None => !matches!(
                self.peek_at(ahead),
                Token::End
                    | Token::RightParen
                    | Token::RightBracket
                    | Token::RightBrace
                    | Token::LeftBracket
                    | Token::Comma
                    | Token::Semicolon
            ),
        }
    }

    fn bound(&mut self, operator: &str, opened: Span, open_left: bool) -> Parsed<Bound> {
        let first = self.bound_end(operator)?;
        let second = match self.eat(Token::Comma) {
            None => None,
            Some(_) if matches!(self.peek(), Token::RightParen | Token::RightBracket) => Some(BoundEnd::Infinite),
            Some(_) => Some(self.bound_end(operator)?),
        };
        let open_right = self.peek() == Token::RightParen;
        if !open_right && self.peek() != Token::RightBracket {
            let error = self.unknown_unit().or_else(|| self.second_unit());
            let error = error.unwrap_or_else(|| self.expected("`]` at the end of the bound"));
            return self.fail(error);
        }
        let span = opened.to(self.advance());
        let (from, to) = match second {
            Some(second) => (first, second),
            None => (BoundEnd::Steps(0), first),
        };
        match interval(from, to, open_left, open_right) {
            Ok(interval) => Ok(Bound { interval, span, dialect: self.dialect }),
            Err((message, help)) => self.fail(Diagnostic::error(span, message).label("this bound").help(help)),
        }
    }

    /// A word that follows a number was meant for a unit.
    fn unknown_unit(&self) -> Option<Diagnostic> {
        let (number, word) = (self.previous_span(), self.span());
        if self.peek() != Token::Word {
            return None;
        }
        if number.end != word.start {
            let is_unit = TIME_UNITS.iter().any(|(_, unit)| *unit == self.source_text(word));
            if !is_unit || !self.source_text(number).ends_with(|last: char| last.is_ascii_digit()) {
                return None;
            }
            let error = Diagnostic::error(number.to(word), "a number and its unit stand together");
            return Some(error.label("a space between them").help("write `5ms`, not `5 ms`"));
        }
        let whole = number.to(word);
        let text = self.source_text(whole);
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let error = Diagnostic::error(whole, format!("there is no unit `{unit}`"));
        Some(error.label("unknown unit").help("units are ns us ms s min h d"))
    }

    /// A time that was meant to be added to the one before it.
    fn second_unit(&self) -> Option<Diagnostic> {
        let (first, second) = (self.previous_span(), self.span());
        if self.peek() != Token::Duration || first.end != second.start {
            return None;
        }
        let error = Diagnostic::error(first.to(second), "a time has one unit");
        Some(error.label("several units").help("write `90min` for `1h30min`"))
    }

    fn bound_end(&mut self, operator: &str) -> Parsed<BoundEnd> {
        match (self.peek(), self.slice()) {
            (Token::Int, digits) => match digits.parse::<i64>() {
                Ok(steps) => {
                    self.advance();
                    Ok(BoundEnd::Steps(steps as u64))
                }
                Err(_) => self.bound_too_large(),
            },
            (Token::Duration, text) => match nanoseconds(text) {
                Ok(nanoseconds) => {
                    self.advance();
                    Ok(BoundEnd::Nanoseconds(nanoseconds))
                }
                Err(Unfit::TooFine) => self.bound_too_fine(),
                Err(Unfit::TooLarge) => self.bound_too_large(),
            },
            (Token::Word, "inf") | (Token::Infinity, _) => {
                self.advance();
                Ok(BoundEnd::Infinite)
            }
            (Token::Minus, _) if matches!(self.peek_at(1), Token::Int | Token::Duration | Token::Float) => {
                let error = Diagnostic::error(self.span(), "a bound is not negative")
                    .label("a minus")
                    .help("past operators count backwards by themselves: `O[0,5] a` looks up to 5 steps back");
                self.fail(error)
            }
            (Token::Minus, _) => {
                self.advance();
                Ok(BoundEnd::Infinite)
            }
            (Token::Float, text) if text.contains(['e', 'E']) => {
                let error = Diagnostic::error(self.span(), "a bound is written without an exponent")
                    .label("an exponent")
                    .help(format!("for example `{operator}[0,1000]` in steps or `{operator}[0,1000ms]` in time"));
                self.fail(error)
            }
            (Token::Float, text) => {
                let error = Diagnostic::error(self.span(), "a bound in steps is a whole number")
                    .label("not whole")
                    .help(format!("a bound in time has a unit: `{operator}[0,{text}s]`"));
                self.fail(error)
            }
            _ => {
                let error = self.expected("a number in this bound");
                let error = error.help(format!(
                    "a bound is written `{operator}[0,5]` in steps or `{operator}[0,5ms]` in time (ns us ms s min h d)"
                ));
                self.fail(error)
            }
        }
    }

    fn bound_too_large<T>(&mut self) -> Parsed<T> {
        let error = Diagnostic::error(self.span(), "this bound is too large")
            .label("does not fit 64 bits")
            .help("write `inf` for no limit");
        self.fail(error)
    }

    fn bound_too_fine<T>(&mut self) -> Parsed<T> {
        let error = Diagnostic::error(self.span(), "this bound is no whole number of nanoseconds")
            .label("finer than timestamps are")
            .help("time is counted in nanoseconds: `1ns` is the least that passes");
        self.fail(error)
    }
}

fn no_bound_help(operator: &str) -> String {
    match operator {
        "X" | "WX" => "`F[2,2] a` is a exactly 2 steps ahead; `X[v => …]` applies a function to a query's value".into(),
        "Y" | "Z" => "`O[2,2] a` is a exactly 2 steps back".into(),
        _ => "`f M g` is `g U (f & g)`, and `U` takes a bound".into(),
    }
}

fn interval(
    from: BoundEnd,
    to: BoundEnd,
    open_left: bool,
    open_right: bool,
) -> Result<Interval, (&'static str, &'static str)> {
    let mixed = (
        "this bound mixes steps with time",
        "give both ends a unit, or neither (only a plain 0 may stand beside a time)",
    );
    let (unit, from, to) = match (from, to) {
        (BoundEnd::Infinite, _) => {
            return Err(("no position is infinitely far away", "the lower end of a bound is a number, such as 0"));
        }
        (BoundEnd::Steps(from), BoundEnd::Infinite) => (Unit::Steps, from, None),
        (BoundEnd::Nanoseconds(from), BoundEnd::Infinite) => (Unit::Time, from, None),
        (BoundEnd::Steps(from), BoundEnd::Steps(to)) => (Unit::Steps, from, Some(to)),
        (BoundEnd::Nanoseconds(from), BoundEnd::Nanoseconds(to)) => (Unit::Time, from, Some(to)),
        (BoundEnd::Steps(0), BoundEnd::Nanoseconds(to)) => (Unit::Time, 0, Some(to)),
        (BoundEnd::Nanoseconds(from), BoundEnd::Steps(0)) => (Unit::Time, from, Some(0)),
        (BoundEnd::Steps(_), BoundEnd::Nanoseconds(_)) | (BoundEnd::Nanoseconds(_), BoundEnd::Steps(_)) => {
            return Err(mixed);
        }
    };
    let help = match open_left || open_right {
        true => "an end in round brackets is not part of it",
        false => "the lower end must not be above the upper one",
    };
    let empty = ("this bound is empty: no position lies in it", help);
    let from = match (from, open_left) {
        // Ends are below 2^63, as written and as printed again.
        (from, true) if from == i64::MAX as u64 => return Err(empty),
        (from, open_left) => from + u64::from(open_left),
    };
    let to = match to {
        Some(0) if open_right => return Err(empty),
        Some(to) if open_right => Some(to - 1),
        other => other,
    };
    if to.is_some_and(|to| to < from) {
        return Err(empty);
    }
    Ok(Interval { unit, from, to })
}

/// Why a time is no number of nanoseconds.
enum Unfit {
    TooLarge,
    TooFine,
}

/// `1.5h` as nanoseconds, exactly.
fn nanoseconds(text: &str) -> Result<u64, Unfit> {
    let digits = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale: u128 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => unreachable!("the lexer knows the units"),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole = whole.parse::<i64>().map_err(|_| Unfit::TooLarge)?.unsigned_abs();
    // No unit has more than fourteen digits behind its point.
    let numerator = if fraction.is_empty() { Ok(0) } else { fraction.parse::<u64>() };
    let numerator = numerator.map_err(|_| Unfit::TooFine)?;
    let divisor = 10_u128.checked_pow(fraction.len() as u32).ok_or(Unfit::TooFine)?;
    let part = u128::from(numerator) * scale;
    if !part.is_multiple_of(divisor) {
        return Err(Unfit::TooFine);
    }
    let exact = u128::from(whole) * scale + part / divisor;
    i64::try_from(exact).map(i64::unsigned_abs).map_err(|_| Unfit::TooLarge)
}

fn unicode_escape(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let rest = chars.as_str().strip_prefix('{')?;
    let (digits, _) = rest.split_once('}')?;
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    *chars = rest[digits.len() + 1..].chars();
    Some(c)
}
