//! Words and symbols that are operators.

use super::lexer::Token;
use crate::ast::{BinaryOperator, Connective, Dialect, UnaryOperator};
use crate::value::{ArithmeticOp, CompareOp};

/// The meaning of a token between or before operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Not,
    And,
    Or,
    Connect(Connective),
    Unary(UnaryOperator),
    Binary(BinaryOperator),
    Compare(CompareOp),
    Arithmetic(ArithmeticOp),
    In,
    Guard,
    Default,
    /// `true`, `pos` and other words that are operands, not names.
    Operand,
    /// `while` and other words that stand between things without joining operands.
    Structure,
}

/// Every word that is not free for a name, with its meaning.
const WORDS: &[(&str, Meaning)] = &[
    ("not", Meaning::Not),
    ("and", Meaning::And),
    ("or", Meaning::Or),
    ("xor", Meaning::Connect(Connective::Xor)),
    ("implies", Meaning::Connect(Connective::Implies)),
    ("iff", Meaning::Connect(Connective::Iff)),
    ("X", Meaning::Unary(UnaryOperator::Next)),
    ("next", Meaning::Unary(UnaryOperator::Next)),
    ("WX", Meaning::Unary(UnaryOperator::WeakNext)),
    ("F", Meaning::Unary(UnaryOperator::Eventually)),
    ("eventually", Meaning::Unary(UnaryOperator::Eventually)),
    ("G", Meaning::Unary(UnaryOperator::Always)),
    ("always", Meaning::Unary(UnaryOperator::Always)),
    ("Y", Meaning::Unary(UnaryOperator::Previous)),
    ("prev", Meaning::Unary(UnaryOperator::Previous)),
    ("Z", Meaning::Unary(UnaryOperator::WeakPrevious)),
    ("O", Meaning::Unary(UnaryOperator::Once)),
    ("once", Meaning::Unary(UnaryOperator::Once)),
    ("H", Meaning::Unary(UnaryOperator::Historically)),
    ("historically", Meaning::Unary(UnaryOperator::Historically)),
    ("U", Meaning::Binary(BinaryOperator::Until)),
    ("until", Meaning::Binary(BinaryOperator::Until)),
    ("W", Meaning::Binary(BinaryOperator::WeakUntil)),
    ("unless", Meaning::Binary(BinaryOperator::WeakUntil)),
    ("R", Meaning::Binary(BinaryOperator::Release)),
    ("V", Meaning::Binary(BinaryOperator::Release)),
    ("release", Meaning::Binary(BinaryOperator::Release)),
    ("M", Meaning::Binary(BinaryOperator::StrongRelease)),
    ("S", Meaning::Binary(BinaryOperator::Since)),
    ("since", Meaning::Binary(BinaryOperator::Since)),
    ("B", Meaning::Binary(BinaryOperator::WeakSince)),
    ("T", Meaning::Binary(BinaryOperator::Trigger)),
    ("in", Meaning::In),
    ("while", Meaning::Structure),
    ("inf", Meaning::Structure),
    ("true", Meaning::Operand),
    ("false", Meaning::Operand),
    ("pos", Meaning::Operand),
    ("time", Meaning::Operand),
];

/// Words that begin a statement, wherever a statement may begin.
pub const STATEMENTS: [&str; 6] = ["let", "property", "query", "assert", "trace", "dialect"];

/// The meaning of a token, if it is not free for a name.
pub fn meaning(token: Token, text: &str) -> Option<Meaning> {
    Some(match token {
        Token::Word => return WORDS.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning),
        Token::Not => Meaning::Not,
        Token::And => Meaning::And,
        Token::Or => Meaning::Or,
        Token::Xor => Meaning::Connect(Connective::Xor),
        Token::Implies | Token::FatArrow => Meaning::Connect(Connective::Implies),
        Token::Iff => Meaning::Connect(Connective::Iff),
        Token::Always => Meaning::Unary(UnaryOperator::Always),
        Token::Eventually => Meaning::Unary(UnaryOperator::Eventually),
        Token::Next => Meaning::Unary(UnaryOperator::Next),
        Token::Previous => Meaning::Unary(UnaryOperator::Previous),
        Token::WeakPrevious => Meaning::Unary(UnaryOperator::WeakPrevious),
        Token::Equal | Token::Assign => Meaning::Compare(CompareOp::Equal),
        Token::NotEqual => Meaning::Compare(CompareOp::NotEqual),
        Token::Less => Meaning::Compare(CompareOp::Less),
        Token::LessOrEqual => Meaning::Compare(CompareOp::LessOrEqual),
        Token::Greater => Meaning::Compare(CompareOp::Greater),
        Token::GreaterOrEqual => Meaning::Compare(CompareOp::GreaterOrEqual),
        Token::Plus => Meaning::Arithmetic(ArithmeticOp::Add),
        Token::Minus => Meaning::Arithmetic(ArithmeticOp::Subtract),
        Token::Times => Meaning::Arithmetic(ArithmeticOp::Multiply),
        Token::Divide => Meaning::Arithmetic(ArithmeticOp::Divide),
        Token::Percent => Meaning::Arithmetic(ArithmeticOp::Remainder),
        Token::Colon => Meaning::Guard,
        Token::Default => Meaning::Default,
        _ => return None,
    })
}

/// Whether a word is an operator or stands for an operand, and not free for a name.
pub fn is_operator_word(word: &str) -> bool {
    meaning(Token::Word, word).is_some()
}

/// Whether a name can stand as it is, without backquotes.
pub fn is_plain_name(name: &str) -> bool {
    let mut lexer = logos::Lexer::<Token>::new(name);
    matches!(lexer.next(), Some(Ok(Token::Word)))
        && lexer.slice() == name
        && meaning(Token::Word, name).is_none()
        && !STATEMENTS.contains(&name)
}

/// The power with which an operator binds: higher is tighter.
pub type Power = u8;

/// Loosest of all.
pub const LOOSEST: Power = 0;
/// `!` and the unary temporal operators.
pub const PREFIX: Power = 20;
/// A sign.
pub const SIGN: Power = 28;

impl Dialect {
    /// The powers to the left and right of an infix operator; the right one is lower where it
    /// associates to the right.
    pub(super) fn infix(self, meaning: Meaning) -> Option<(Power, Power)> {
        Some(match (meaning, self) {
            (Meaning::Binary(_), Self::Opra) => (2, 1),
            (Meaning::Connect(Connective::Implies), Self::Opra) => (4, 3),
            (Meaning::Connect(Connective::Iff), Self::Opra) => (5, 6),
            (Meaning::Connect(Connective::Iff), _) => (1, 2),
            (Meaning::Connect(Connective::Implies), _) => (4, 3),
            (Meaning::Connect(Connective::Xor), _) => (7, 8),
            (Meaning::Default, _) => (9, 10),
            (Meaning::Or, _) => (11, 12),
            (Meaning::And, _) => (13, 14),
            (Meaning::Binary(_), _) => (16, 15),
            (Meaning::Guard, _) => (17, 18),
            (Meaning::Compare(_) | Meaning::In, _) => (22, 23),
            (Meaning::Arithmetic(ArithmeticOp::Add | ArithmeticOp::Subtract), _) => (24, 25),
            (Meaning::Arithmetic(_), _) => (26, 27),
            (Meaning::Not | Meaning::Unary(_) | Meaning::Operand | Meaning::Structure, _) => return None,
        })
    }
}
