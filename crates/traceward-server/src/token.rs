//! The secret by which an observer knows its clients.

use std::fmt;
use std::hint::black_box;

/// The fewest characters of a token: shorter ones can be guessed.
const SHORTEST: usize = 16;

/// The most characters of a token.
const LONGEST: usize = 4096;

/// A secret that a client has to say first.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The token in the text of a file: its one line.
    pub fn from_file(text: &str) -> Result<Self, BadToken> {
        let token = text.trim();
        match token.chars().count() {
            0..SHORTEST => Err(BadToken::Short),
            LONGEST.. => Err(BadToken::Long),
            _ if token.chars().any(char::is_whitespace) => Err(BadToken::Blanks),
            _ => Ok(Self(token.to_owned())),
        }
    }

    /// Whether a text is the token. How long that takes tells nothing but the length of the text.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        let secret = self.0.as_bytes();
        let mut difference = secret.len() ^ text.len();
        for (index, byte) in text.iter().enumerate() {
            difference |= usize::from(byte ^ secret[index % secret.len()]);
        }
        black_box(difference) == 0
    }
}

/// A secret is not shown.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The reason why a text is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadToken {
    /// It is short.
    Short,
    /// It is long.
    Long,
    /// There are blanks in it.
    Blanks,
}

impl fmt::Display for BadToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => write!(f, "a token has at least {SHORTEST} characters"),
            Self::Long => write!(f, "a token has fewer than {LONGEST} characters"),
            Self::Blanks => f.write_str("a token is one word"),
        }
    }
}

impl std::error::Error for BadToken {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_itself_matches() {
        let token = Token::from_file("0123456789abcdef\n").unwrap();
        assert!(token.matches(b"0123456789abcdef"));
        for other in
            ["", "0123456789abcde", "0123456789abcdeg", "0123456789abcdef0", "0123456789abcdef0123456789abcdef"]
        {
            assert!(!token.matches(other.as_bytes()), "{other}");
        }
        assert_eq!(format!("{token:?}"), "Token(…)");
    }

    #[test]
    fn what_can_be_guessed_is_no_token() {
        assert_eq!(Token::from_file("secret"), Err(BadToken::Short));
        assert_eq!(Token::from_file("a few words with blanks"), Err(BadToken::Blanks));
        assert_eq!(Token::from_file(&"x".repeat(5000)), Err(BadToken::Long));
    }
}
