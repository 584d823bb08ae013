//! Text to tokens.

use crate::diagnostic::{Diagnostic, SourceId, Span};
use logos::Logos;

/// The smallest parts of a spec. Words (`U`, `until`, `let`, names) are one kind: the grammar tells
/// them apart.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\f\u{A0}\u{FEFF}]+")]
#[logos(skip(r"//[^\n]*|#([^#\n][^\n]*)?|##([^0-9\n][^\n]*)?", allow_greedy = true))]
pub enum Token {
    #[regex(r"[\p{XID_Start}_][\p{XID_Continue}]*(\.[\p{XID_Continue}]+)*")]
    Word,
    #[regex(r"`[^`\n]*`")]
    QuotedName,
    /// A function of earlier states as hardware languages write it.
    #[regex(r"\$(past|delta|changed|stable|rose|fell)")]
    DollarWord,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    String,
    #[regex(r"[0-9]+")]
    Int,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    Float,
    #[regex(r"[0-9]+(\.[0-9]+)?(ns|us|µs|μs|ms|s|min|h|d)")]
    Duration,
    #[token("!")]
    #[token("~")]
    #[token("¬")]
    Not,
    #[token("&")]
    #[token("&&")]
    #[token("/\\")]
    #[token("∧")]
    And,
    #[token("|")]
    #[token("||")]
    #[token("\\/")]
    #[token("∨")]
    Or,
    #[token("^")]
    #[token("⊕")]
    Xor,
    #[token("->")]
    #[token("→")]
    Implies,
    /// An implication, or the arrow of a function.
    #[token("=>")]
    FatArrow,
    #[token("<->")]
    #[token("<=>")]
    #[token("↔")]
    Iff,
    #[token("[]")]
    #[token("□")]
    Always,
    #[token("<>")]
    #[token("◇")]
    Eventually,
    #[token("○")]
    Next,
    #[token("⊖")]
    Previous,
    #[token("⊙")]
    WeakPrevious,
    #[token("∞")]
    Infinity,
    #[token("==")]
    Equal,
    /// Names a statement the first time, compares afterwards.
    #[token("=")]
    Assign,
    #[token("!=")]
    #[token("≠")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    #[token("≤")]
    LessOrEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    #[token("≥")]
    GreaterOrEqual,
    #[token("+")]
    Plus,
    #[token("-")]
    #[token("−")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Divide,
    #[token("%")]
    Percent,
    #[token("??")]
    Default,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    /// An operator of another language. A delay would otherwise begin a comment, and hide what
    /// stands behind it.
    #[regex(r"##[0-9]+")]
    #[regex("=~[ \t]*\"([^\"\\\\\n]|\\\\[^\n])*\"")]
    #[token("|->")]
    #[token("|=>")]
    #[token("===")]
    #[token("!==")]
    #[token(":=")]
    Foreign,
    /// Behind the last token; never made by the lexer itself.
    End,
}

/// The tokens of a text with their places, and what could not be read.
pub fn tokens(source: SourceId, text: &str) -> (Vec<(Token, Span)>, Vec<Diagnostic>) {
    let mut tokens = Vec::new();
    let mut errors = Vec::new();
    let mut lexer = Token::lexer(text);
    while let Some(token) = lexer.next() {
        let span = Span::new(source, lexer.span());
        match token {
            Ok(Token::Foreign) => {
                let name = lexer.slice().split([' ', '"']).next().unwrap_or_default();
                let error = Diagnostic::error(span, format!("`{name}` is no operator here"));
                errors.push(error.label("an operator of another language"));
            }
            Ok(token) => tokens.push((token, span)),
            Err(()) => {
                errors.push(unreadable(span, lexer.slice()));
                // What follows an open quote would only raise errors of its own.
                let rest = &text[span.end as usize..];
                if lexer.slice().starts_with(['"', '`', '\'']) {
                    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
                }
            }
        }
    }
    (tokens, errors)
}

fn unreadable(span: Span, slice: &str) -> Diagnostic {
    match slice.chars().next() {
        Some('"') => Diagnostic::error(span, "this string is not closed")
            .label("opened here")
            .help("a string ends with `\"` on the same line"),
        Some('`') => Diagnostic::error(span, "this quoted name is not closed")
            .label("opened here")
            .help("a name in backquotes ends with a backquote on the same line"),
        Some('\'') => Diagnostic::error(span, "strings stand in double quotes")
            .label("a single quote")
            .help("write \"text\" for a string, or `name` for a column's name"),
        Some('@' | '$') => Diagnostic::error(span, format!("`{slice}` means nothing here"))
            .label("unknown character")
            .help("a column whose name is no plain identifier stands in backquotes: `a@b`"),
        Some('?') => Diagnostic::error(span, "`?` means nothing here")
            .label("unknown character")
            .help("a default for a failed query is written `??`"),
        Some('.') => Diagnostic::error(span, "`.` means nothing here").label("unknown character").help(
            "a member is named `a.b` and an element of a list `a.0`, without blanks and brackets; a half is `0.5`",
        ),
        _ => Diagnostic::error(span, format!("`{slice}` means nothing here")).label("unknown character"),
    }
}
