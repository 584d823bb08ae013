//! Notations of other languages, written as this one would.
//!
//! Whoever comes from another tool writes what they know: `F[0:3] p`, `ALWAYS p`, `mean(x)`. Where
//! a text cannot be read, what is known of other notations is put in its place, and if the result
//! can be read it is what was probably meant. So a suggestion is always a text that can be read.

use super::lexer::Token;
use super::words::{Meaning, is_operator_word, meaning};
use crate::ast::{Aggregate, Function};
use logos::Logos;

/// The longest text that is looked at: nobody reads a longer suggestion.
const LONGEST: usize = 2000;

/// A text in which other notations have been replaced; none if there are none in it.
pub(super) fn translated(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let mut parts = Part::all(&with_plain_characters(text));
    for rule in RULES {
        let mut at = 0;
        while at < parts.len() {
            if let Some((count, replacement)) = rule(&parts, at) {
                let blank = parts[at].blank.clone();
                let mut replaced = Part::all(&replacement);
                if let Some(first) = replaced.first_mut() {
                    first.blank = blank;
                }
                let len = replaced.len();
                parts.splice(at..at + count, replaced);
                at += len;
            } else {
                at += 1;
            }
        }
    }
    let translated: String = parts.into_iter().flat_map(|part| [part.blank, part.text]).collect();
    (translated != text).then_some(translated)
}

/// A text with quotes and dashes as keyboards have them.
fn with_plain_characters(text: &str) -> String {
    let plain = |letter| match letter {
        '“' | '”' | '„' | '«' | '»' | '‘' | '’' | '\'' => '"',
        '–' | '—' => '-',
        other => other,
    };
    text.chars().map(plain).collect()
}

/// A token, or what is none, with the blanks before it.
struct Part {
    token: Option<Token>,
    blank: String,
    text: String,
}

impl Part {
    fn all(text: &str) -> Vec<Self> {
        let mut lexer = Token::lexer(text);
        let (mut parts, mut end) = (Vec::new(), 0);
        while let Some(token) = lexer.next() {
            let blank = text[end..lexer.span().start].to_owned();
            end = lexer.span().end;
            parts.push(Self { token: token.ok(), blank, text: lexer.slice().to_owned() });
        }
        parts
    }

    /// Whether it is a word that may be a name.
    fn is_name(&self) -> bool {
        self.token == Some(Token::Word) && meaning(Token::Word, &self.text).is_none()
    }

    fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

/// A rule: for the parts from a place on, the number of them that it replaces, and by what.
type Rule = fn(&[Part], usize) -> Option<(usize, String)>;

/// The rules in the order in which they are applied.
const RULES: [Rule; 10] =
    [symbol, delay, step_bound, bound, bare_bound, function, other_word, word_in_other_case, set, several_words];

/// The text of the part at a place.
fn at(parts: &[Part], place: usize) -> &str {
    parts.get(place).map_or("", |part| &part.text)
}

/// Operators of other languages.
fn symbol(parts: &[Part], place: usize) -> Option<(usize, String)> {
    let here = &parts[place];
    // `==>` and `-->` are two tokens each.
    let next = parts.get(place + 1).filter(|next| next.blank.is_empty()).map_or("", |next| &next.text);
    if matches!((here.text.as_str(), next), ("==", ">") | ("-", "->")) {
        return Some((2, "->".to_owned()));
    }
    let replaced = match here.text.as_str() {
        "|->" => "->",
        "|=>" => "-> X",
        "===" => "==",
        "!==" => "!=",
        ":=" => "==",
        // Between two operands it is no eventually.
        "<>" if place > 0 && ends_operand(&parts[place - 1]) => "!=",
        _ => return None,
    };
    Some((1, replaced.to_owned()))
}

/// Whether an operand may end with a part.
fn ends_operand(part: &Part) -> bool {
    let is_literal = matches!(part.token, Some(Token::Int | Token::Float | Token::String | Token::QuotedName));
    part.is_name() || is_literal || part.is(")")
}

/// `a ##2 b`: b two steps after a; `a |-> ##2 b`: b two steps later; `s =~ "text"`: a search.
fn delay(parts: &[Part], place: usize) -> Option<(usize, String)> {
    let here = &parts[place].text;
    if let Some(steps) = here.strip_prefix("##") {
        let later = if steps == "1" { "X".to_owned() } else { format!("F[{steps},{steps}]") };
        let is_between = place > 0 && ends_operand(&parts[place - 1]);
        return Some((1, if is_between { format!("& {later}") } else { later }));
    }
    let pattern = parts.get(place + 1)?.text.strip_prefix("=~")?.trim_start();
    parts[place].is_name().then(|| (2, format!("matches({here}, {pattern})")))
}

/// `X[!] p` and `X[2] p`.
fn step_bound(parts: &[Part], place: usize) -> Option<(usize, String)> {
    let is_next = matches!(at(parts, place), "X" | "next") && at(parts, place + 1) == "[";
    if !is_next || at(parts, place + 3) != "]" {
        return None;
    }
    match (parts[place + 2].token, at(parts, place + 2)) {
        (_, "!") => Some((4, "X".to_owned())),
        (Some(Token::Int), steps) => Some((4, format!("F[{steps},{steps}]"))),
        _ => None,
    }
}

/// `[0:3]`, `[0..3]` and `[<=3]`.
fn bound(parts: &[Part], place: usize) -> Option<(usize, String)> {
    if at(parts, place) != "[" {
        return None;
    }
    let close = (place..parts.len()).find(|&place| parts[place].is("]"))?;
    let is_number = |part: &Part| matches!(part.token, Some(Token::Int | Token::Duration));
    match &parts[place + 1..close] {
        [from, colon, to] if colon.is(":") && is_number(from) && is_number(to) => {
            Some((5, format!("[{},{}]", from.text, to.text)))
        }
        [from, dots @ .., to] if !dots.is_empty() && dots.iter().all(|one| one.is(".")) => {
            Some((close + 1 - place, format!("[{},{}]", from.text, to.text)))
        }
        [at_most, to] if matches!(at_most.text.as_str(), "<=" | "≤") && is_number(to) => {
            Some((4, format!("[0,{}]", to.text)))
        }
        _ => None,
    }
}

/// `F<=3 p`.
fn bare_bound(parts: &[Part], place: usize) -> Option<(usize, String)> {
    let is_bounded = matches!(at(parts, place), "F" | "G" | "U" | "W" | "R" | "O" | "H" | "S" | "B" | "T");
    let to = parts.get(place + 2).filter(|to| matches!(to.token, Some(Token::Int | Token::Duration)))?;
    let is_bound = is_bounded && matches!(at(parts, place + 1), "<=" | "≤");
    is_bound.then(|| (3, format!("{}[0,{}]", parts[place].text, to.text)))
}

/// Operators by other names. Of one trace `A` says nothing: all there is to say is said of it.
fn other_word(parts: &[Part], place: usize) -> Option<(usize, String)> {
    let here = &parts[place];
    let replaced = match (here.text.to_lowercase().as_str(), at(parts, place + 1)) {
        _ if !here.is_name() => return None,
        ("globally" | "henceforth", _) => "always",
        ("finally", _) => "eventually",
        ("ag", _) if here.is("AG") => "G",
        ("af", _) if here.is("AF") => "F",
        ("a", "[]") if here.is("A") => return Some((2, "G".to_owned())),
        _ => return None,
    };
    Some((1, replaced.to_owned()))
}

/// Functions by the names that other languages have for them.
fn function(parts: &[Part], place: usize) -> Option<(usize, String)> {
    let is_called = parts[place].is_name() && at(parts, place + 1) == "(";
    let name = parts[place].text.to_lowercase();
    if !is_called || is_function(&parts[place].text) {
        return None;
    }
    let percent = parts.get(place + 2).filter(|part| part.token == Some(Token::Int));
    let percent = percent.and_then(|part| part.text.parse::<u32>().ok()).filter(|percent| (1..100).contains(percent));
    if let ("percentile", Some(percent)) = (name.as_str(), percent) {
        return Some((3, format!("quantile(0.{percent:02}")));
    }
    let known = match name.as_str() {
        "mean" | "average" => "avg",
        "percentile" | "percentile_cont" | "percentile_disc" | "quantile_cont" => "quantile",
        "length" | "strlen" => "len",
        "contains" | "regexp_matches" | "regex" => "matches",
        "std" | "stdev" | "stddev_pop" => "stddev",
        "count_distinct" | "nunique" => "distinct",
        other if is_function(other) => other,
        other => {
            let percent = other.strip_prefix('p').filter(|digits| digits.len() == 2)?;
            let percent: u32 = percent.parse().ok()?;
            return Some((2, format!("quantile(0.{percent:02}, ")));
        }
    };
    Some((1, known.to_owned()))
}

fn is_function(name: &str) -> bool {
    let known = Function::ALL.map(Function::name);
    known.contains(&name) || Aggregate::NAMES.contains(&name) || matches!(name, "fold" | "latency" | "past")
}

/// `ALWAYS p`, `Eventually p`, `g(p)`, `p AND q`.
fn word_in_other_case(parts: &[Part], place: usize) -> Option<(usize, String)> {
    let here = &parts[place];
    if !here.is_name() {
        return None;
    }
    if here.text.chars().count() == 1 {
        let upper = here.text.to_uppercase();
        let is_operator = matches!(meaning(Token::Word, &upper), Some(Meaning::Unary(_)));
        return (is_operator && at(parts, place + 1) == "(").then_some((1, upper));
    }
    let lower = here.text.to_lowercase();
    (lower != here.text && is_operator_word(&lower)).then_some((1, lower))
}

/// `x in (1, 2)` and `x in [1, 2]`.
fn set(parts: &[Part], place: usize) -> Option<(usize, String)> {
    let open = at(parts, place + 1);
    let close = match (at(parts, place), open) {
        ("in", "(") => ")",
        ("in", "[") => "]",
        _ => return None,
    };
    let end = (place..parts.len()).find(|&place| parts[place].is(close))?;
    let inside: String = parts[place + 2..end].iter().flat_map(|part| [part.blank.as_str(), &part.text]).collect();
    Some((end + 1 - place, format!("in {{{inside}}}")))
}

/// Several words next to each other: a column's name if they are compared, and otherwise a text.
fn several_words(parts: &[Part], place: usize) -> Option<(usize, String)> {
    let is_statement = |part: &Part| super::words::STATEMENTS.contains(&part.text.as_str());
    let is_word = |part: &&Part| part.is_name() && !is_statement(part);
    let count = parts[place..].iter().take_while(is_word).count();
    let is_named = place > 0 && is_statement(&parts[place - 1]);
    // A text that is nothing but words says nothing.
    if count < 2 || count == parts.len() || is_named || at(parts, place + count) == "(" {
        return None;
    }
    let words: Vec<&str> = parts[place..place + count].iter().map(|part| part.text.as_str()).collect();
    let words = words.join(" ");
    let behind = parts.get(place + count).and_then(|part| meaning(part.token?, &part.text));
    let is_compared = matches!(behind, Some(Meaning::Compare(_) | Meaning::In | Meaning::Arithmetic(_)));
    let quoted = if is_compared { format!("`{words}`") } else { format!("\"{words}\"") };
    Some((count, quoted))
}
