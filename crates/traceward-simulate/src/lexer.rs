//! Text to tokens.

use logos::Logos;
use traceward_logic::diagnostic::{Diagnostic, SourceId, Span};
use traceward_logic::shown::is_hidden;

/// The smallest parts of a program. Words of the language and names are one kind: the grammar tells
/// them apart.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\f\u{A0}\u{FEFF}]+")]
#[logos(skip(r"(//|#)[^\n]*", allow_greedy = true))]
pub enum Token {
    #[regex(r"[\p{XID_Start}_][\p{XID_Continue}]*")]
    Word,
    #[regex(r"[0-9]+")]
    Integer,
    #[regex(r"[0-9]+\.[0-9]+")]
    Decimal,
    #[token("::")]
    Begins,
    #[token(":=")]
    #[token("≔")]
    Assign,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token("..")]
    Range,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    /// Sets processes side by side, and is an or in expressions.
    #[token("||")]
    #[token("‖")]
    Parallel,
    #[token("|")]
    #[token("\\/")]
    #[token("∨")]
    Or,
    #[token("&")]
    #[token("&&")]
    #[token("/\\")]
    #[token("∧")]
    And,
    #[token("!")]
    #[token("~")]
    #[token("¬")]
    Not,
    #[token("=")]
    #[token("==")]
    Equal,
    #[token("!=")]
    #[token("<>")]
    #[token("≠")]
    NotEqual,
    #[token("<")]
    Less,
    /// Sends an item, and compares in expressions.
    #[token("<=")]
    LessOrEqual,
    #[token("≤")]
    LessOrEqualSign,
    #[token("⇐")]
    Send,
    #[token(">")]
    Greater,
    #[token(">=")]
    #[token("≥")]
    GreaterOrEqual,
    #[token("=>")]
    #[token("⇒")]
    Receive,
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
    /// Behind the last token; never made by the lexer itself.
    End,
}

/// The tokens of a text with their places, or the first thing that is none.
pub fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut lexer = Token::lexer(text);
    while let Some(token) = lexer.next() {
        let span = Span::new(SourceId::default(), lexer.span());
        match token {
            Ok(Token::Word) if lexer.slice().contains(is_hidden) => {
                let message = format!("the name `{}` has a character in it that cannot be seen", lexer.slice());
                return Err(Diagnostic::error(span, message).label("it would be read as another name"));
            }
            Ok(token) => tokens.push((token, span)),
            Err(()) => return Err(unreadable(span, lexer.slice())),
        }
    }
    Ok(tokens)
}

fn unreadable(span: Span, slice: &str) -> Diagnostic {
    let error = Diagnostic::error(span, format!("`{slice}` means nothing here")).label("unknown character");
    match slice.chars().next() {
        Some('{' | '}') => error.help("statements stand in square brackets: `[ l1: skip  l2: skip ]`"),
        Some('"' | '\'') => error.help("values are integers and booleans: there are no texts"),
        Some('^') => error.help("`&` is and, `|` is or"),
        _ => error,
    }
}
