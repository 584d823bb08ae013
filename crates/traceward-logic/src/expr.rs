//! State expressions: what can be said of one state, and by `past` of the states before it.

mod earlier;
mod memory;

pub use earlier::Earlier;
pub use memory::{CannotRecall, Memory};

use crate::print::Name;
use crate::trace::{Trace, VariableId};
use crate::value::{ArithmeticError, ArithmeticOp, CompareOp, Value};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An expression over one state, or over the arguments of a query's function. Its types have been
/// checked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Literal(Value),
    /// A variable's value.
    Variable(VariableId),
    /// `pos`
    Position,
    /// `time`
    Time,
    /// An argument of a query's function.
    Parameter(u8),
    /// `past(e, n)`: the value of e this many states earlier, missing where there is no such state.
    Past(Box<Expr>, u32),
    /// `-e`
    Negate(Box<Expr>),
    /// `a + b`
    Arithmetic(ArithmeticOp, Box<Expr>, Box<Expr>),
    /// `abs(a)`
    Abs(Box<Expr>),
    /// `min(a, b)`
    Min(Box<Expr>, Box<Expr>),
    /// `max(a, b)`
    Max(Box<Expr>, Box<Expr>),
    /// `len(s)`
    Len(Box<Expr>),
    /// `(a, b)`
    Pair(Box<Expr>, Box<Expr>),
    /// `defined(a)`
    Defined(Box<Expr>),
    /// `a < b`
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `a in {…}`
    In(Box<Expr>, Vec<Value>),
    /// `matches(s, "regex")`
    Matches(Box<Expr>, Pattern),
    /// `!a`
    Not(Box<Expr>),
    /// `a & b`
    And(Vec<Expr>),
    /// `a | b`
    Or(Vec<Expr>),
    /// `a xor b`
    Xor(Box<Expr>, Box<Expr>),
    /// `a -> b`
    Implies(Box<Expr>, Box<Expr>),
    /// `a <-> b`
    Iff(Box<Expr>, Box<Expr>),
}

/// A compiled regular expression; equal if written alike.
#[derive(Clone, Debug)]
pub struct Pattern(pub regex::Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

/// A state as an expression sees it: the values that it speaks of.
pub trait Environment {
    /// A variable's value.
    fn variable(&self, variable: VariableId) -> Value;
    /// Whether a variable's value is true.
    fn is_true(&self, variable: VariableId) -> bool {
        matches!(self.variable(variable), Value::Bool(true))
    }
    /// `pos`
    fn position(&self) -> i64;
    /// `time`
    fn time(&self) -> Value;
    /// An argument of a query's function.
    fn argument(&self, index: u8) -> Value;
    /// The value of an expression this many states earlier; missing where there is no such state.
    fn earlier(&self, expr: &Expr, steps: u32) -> Result<Value, ArithmeticError>;
}

/// A state of a trace.
#[derive(Clone, Copy)]
pub struct StateAt<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// The position in the trace.
    pub position: usize,
}

impl Environment for StateAt<'_> {
    fn variable(&self, variable: VariableId) -> Value {
        self.trace.value(variable, self.position)
    }
    fn position(&self) -> i64 {
        self.position as i64
    }
    fn time(&self) -> Value {
        self.trace.time.as_ref().map_or(Value::Missing, |time| Value::Int(time[self.position]))
    }
    fn argument(&self, _: u8) -> Value {
        Value::Missing
    }
    fn earlier(&self, expr: &Expr, steps: u32) -> Result<Value, ArithmeticError> {
        match self.position.checked_sub(steps as usize) {
            Some(position) => expr.value(&Self { position, ..*self }),
            None => Ok(Value::Missing),
        }
    }
}

/// A state by its values, as it arrives.
#[derive(Clone, Copy)]
pub struct RowState<'a> {
    /// The value of each variable, by its id.
    pub values: &'a [Value],
    /// The position of the state.
    pub position: u64,
    /// The timestamp of the state, if it has one.
    pub time: Option<i64>,
    /// The values of the states before it that expressions ask for.
    pub memory: &'a Memory,
}

impl Environment for RowState<'_> {
    fn variable(&self, variable: VariableId) -> Value {
        self.values[variable.index()].clone()
    }
    fn is_true(&self, variable: VariableId) -> bool {
        matches!(self.values[variable.index()], Value::Bool(true))
    }
    fn position(&self) -> i64 {
        self.position as i64
    }
    fn time(&self) -> Value {
        self.time.map_or(Value::Missing, Value::Int)
    }
    fn argument(&self, _: u8) -> Value {
        Value::Missing
    }
    fn earlier(&self, expr: &Expr, steps: u32) -> Result<Value, ArithmeticError> {
        self.memory.value(expr, steps)
    }
}

/// The arguments of a query's function, which sees nothing else.
pub struct Arguments<'a>(pub &'a [Value]);

impl Environment for Arguments<'_> {
    fn variable(&self, _: VariableId) -> Value {
        Value::Missing
    }
    fn position(&self) -> i64 {
        0
    }
    fn time(&self) -> Value {
        Value::Missing
    }
    fn argument(&self, index: u8) -> Value {
        self.0[usize::from(index)].clone()
    }
    fn earlier(&self, _: &Expr, _: u32) -> Result<Value, ArithmeticError> {
        Ok(Value::Missing)
    }
}

impl Expr {
    /// A constant.
    pub fn literal(value: impl Into<Value>) -> Self {
        Self::Literal(value.into())
    }

    /// The value of the expression. Connectives short-circuit from the left; a boolean is never
    /// missing.
    pub fn value(&self, env: &impl Environment) -> Result<Value, ArithmeticError> {
        Ok(match self {
            Self::Literal(value) => value.clone(),
            Self::Variable(variable) => env.variable(*variable),
            Self::Position => Value::Int(env.position()),
            Self::Time => env.time(),
            Self::Parameter(index) => env.argument(*index),
            Self::Past(a, steps) => env.earlier(a, *steps)?,
            Self::Negate(a) => ArithmeticOp::Subtract.apply(&Value::Int(0), &a.value(env)?)?,
            Self::Arithmetic(op, a, b) => op.apply(&a.value(env)?, &b.value(env)?)?,
            Self::Abs(a) => absolute(a.value(env)?)?,
            Self::Min(a, b) => choose(CompareOp::LessOrEqual, a.value(env)?, b.value(env)?),
            Self::Max(a, b) => choose(CompareOp::GreaterOrEqual, a.value(env)?, b.value(env)?),
            Self::Len(a) => length(&a.value(env)?),
            Self::Pair(a, b) => pair(a.value(env)?, b.value(env)?),
            boolean => Value::Bool(boolean.holds(env)?),
        })
    }

    /// Whether the boolean expression holds; a missing value makes it false.
    pub fn holds(&self, env: &impl Environment) -> Result<bool, ArithmeticError> {
        Ok(match self {
            Self::Defined(a) => !a.value(env)?.is_missing(),
            Self::Compare(op, a, b) => op.holds(&a.value(env)?, &b.value(env)?),
            Self::In(a, values) => is_among(&a.value(env)?, values),
            Self::Matches(a, pattern) => matches!(a.value(env)?, Value::Str(text) if pattern.0.is_match(&text)),
            Self::Not(a) => !a.holds(env)?,
            Self::And(parts) => {
                for part in parts {
                    if !part.holds(env)? {
                        return Ok(false);
                    }
                }
                true
            }
            Self::Or(parts) => {
                for part in parts {
                    if part.holds(env)? {
                        return Ok(true);
                    }
                }
                false
            }
            Self::Xor(a, b) => a.holds(env)? ^ b.holds(env)?,
            Self::Implies(a, b) => !a.holds(env)? || b.holds(env)?,
            Self::Iff(a, b) => a.holds(env)? == b.holds(env)?,
            value => value.value(env)?.is_true(),
        })
    }

    /// Whether evaluating the expression can fail, because it computes with integers or divides.
    pub fn can_fail(&self) -> bool {
        match self {
            Self::Arithmetic(..) | Self::Negate(_) | Self::Abs(_) => true,
            _ => self.parts().into_iter().any(Self::can_fail),
        }
    }

    /// The expressions directly below.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Literal(_) | Self::Variable(_) | Self::Position | Self::Time | Self::Parameter(_) => Vec::new(),
            Self::Negate(a) | Self::Abs(a) | Self::Len(a) | Self::Defined(a) | Self::Not(a) => vec![a],
            Self::In(a, _) | Self::Matches(a, _) | Self::Past(a, _) => vec![a],
            Self::Arithmetic(_, a, b) | Self::Compare(_, a, b) => vec![a, b],
            Self::Min(a, b) | Self::Max(a, b) | Self::Pair(a, b) => vec![a, b],
            Self::Xor(a, b) | Self::Implies(a, b) | Self::Iff(a, b) => vec![a, b],
            Self::And(parts) | Self::Or(parts) => parts.iter().collect(),
        }
    }

    /// The expressions directly below, to be changed.
    fn parts_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Literal(_) | Self::Variable(_) | Self::Position | Self::Time | Self::Parameter(_) => Vec::new(),
            Self::Negate(a) | Self::Abs(a) | Self::Len(a) | Self::Defined(a) | Self::Not(a) => vec![a],
            Self::In(a, _) | Self::Matches(a, _) | Self::Past(a, _) => vec![a],
            Self::Arithmetic(_, a, b) | Self::Compare(_, a, b) => vec![a, b],
            Self::Min(a, b) | Self::Max(a, b) | Self::Pair(a, b) => vec![a, b],
            Self::Xor(a, b) | Self::Implies(a, b) | Self::Iff(a, b) => vec![a, b],
            Self::And(parts) | Self::Or(parts) => parts.iter_mut().collect(),
        }
    }

    /// Calls `visit` for every variable in it.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(VariableId)) {
        if let Self::Variable(variable) = self {
            visit(*variable);
        }
        for part in self.parts() {
            part.for_each_variable(visit);
        }
    }

    /// Whether the expression prints without an operator on the outside.
    pub(crate) fn is_operand(&self) -> bool {
        matches!(
            self,
            Self::Literal(_)
                | Self::Variable(_)
                | Self::Position
                | Self::Time
                | Self::Parameter(_)
                | Self::Past(..)
                | Self::Pair(..)
                | Self::Abs(_)
                | Self::Min(..)
                | Self::Max(..)
                | Self::Len(_)
                | Self::Defined(_)
                | Self::Matches(..)
        )
    }

    /// The variable, if the expression is one, be it in an earlier state.
    pub fn as_variable(&self) -> Option<VariableId> {
        match self {
            Self::Variable(variable) => Some(*variable),
            Self::Past(a, _) => a.as_variable(),
            _ => None,
        }
    }

    /// The expression as text; `names` are those of the variables.
    pub fn display<'a>(&'a self, names: &'a [Arc<str>]) -> impl fmt::Display + 'a {
        Display { expr: self, names }
    }
}

fn absolute(value: Value) -> Result<Value, ArithmeticError> {
    Ok(match value {
        Value::Int(number) => Value::Int(number.checked_abs().ok_or(ArithmeticError::Overflow)?),
        Value::Float(number) => Value::Float(number.abs()),
        other => other,
    })
}

/// The left value where the comparison admits it, else the right; missing where either is.
fn choose(op: CompareOp, left: Value, right: Value) -> Value {
    match left.compare(&right) {
        Some(ordering) if op.admits(ordering) => left,
        Some(_) => right,
        None => Value::Missing,
    }
}

fn length(value: &Value) -> Value {
    match value {
        Value::Str(text) => Value::Int(text.chars().count() as i64),
        _ => Value::Missing,
    }
}

fn pair(left: Value, right: Value) -> Value {
    if left.is_missing() || right.is_missing() { Value::Missing } else { Value::Pair(Box::new((left, right))) }
}

fn is_among(value: &Value, values: &[Value]) -> bool {
    values.iter().any(|one| CompareOp::Equal.holds(value, one))
}

struct Display<'a> {
    expr: &'a Expr,
    names: &'a [Arc<str>],
}

impl Display<'_> {
    /// A part, in brackets unless it is an operand.
    fn part(&self, expr: &Expr) -> String {
        let text = Display { expr, ..*self }.to_string();
        if expr.is_operand() { text } else { format!("({text})") }
    }

    fn infix(&self, f: &mut fmt::Formatter<'_>, a: &Expr, symbol: &str, b: &Expr) -> fmt::Result {
        write!(f, "{} {symbol} {}", self.part(a), self.part(b))
    }

    fn chain(&self, f: &mut fmt::Formatter<'_>, symbol: &str, parts: &[Expr]) -> fmt::Result {
        let texts: Vec<String> = parts.iter().map(|part| self.part(part)).collect();
        f.write_str(&texts.join(symbol))
    }

    fn call(&self, f: &mut fmt::Formatter<'_>, name: &str, arguments: &[&Expr]) -> fmt::Result {
        let texts: Vec<String> = arguments.iter().map(|expr| Display { expr, ..*self }.to_string()).collect();
        write!(f, "{name}({})", texts.join(", "))
    }
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expr {
            Expr::Literal(value) => write!(f, "{value}"),
            Expr::Variable(variable) => match self.names.get(variable.index()) {
                Some(name) => write!(f, "{}", Name(name)),
                None => write!(f, "v{}", variable.0),
            },
            Expr::Position => f.write_str("pos"),
            Expr::Time => f.write_str("time"),
            Expr::Parameter(index) => f.write_str(["a", "b"][usize::from(*index)]),
            Expr::Past(a, 1) => self.call(f, "past", &[a]),
            Expr::Past(a, steps) => write!(f, "past({}, {steps})", Display { expr: a, ..*self }),
            // `-5` would be read as a number.
            Expr::Negate(a) if matches!(**a, Expr::Literal(_)) => write!(f, "-({})", Display { expr: a, ..*self }),
            Expr::Negate(a) => write!(f, "-{}", self.part(a)),
            Expr::Arithmetic(op, a, b) => self.infix(f, a, op.symbol(), b),
            Expr::Compare(op, a, b) => self.infix(f, a, op.symbol(), b),
            Expr::Abs(a) => self.call(f, "abs", &[a]),
            Expr::Min(a, b) => self.call(f, "min", &[a, b]),
            Expr::Max(a, b) => self.call(f, "max", &[a, b]),
            Expr::Len(a) => self.call(f, "len", &[a]),
            Expr::Defined(a) => self.call(f, "defined", &[a]),
            Expr::Matches(a, pattern) => write!(f, "matches({}, {:?})", self.part(a), pattern.0.as_str()),
            Expr::Pair(a, b) => self.call(f, "", &[a, b]),
            Expr::In(a, values) => {
                let texts: Vec<String> = values.iter().map(Value::to_string).collect();
                write!(f, "{} in {{{}}}", self.part(a), texts.join(", "))
            }
            Expr::Not(a) => write!(f, "!{}", self.part(a)),
            Expr::And(parts) => self.chain(f, " & ", parts),
            Expr::Or(parts) => self.chain(f, " | ", parts),
            Expr::Xor(a, b) => self.infix(f, a, "xor", b),
            Expr::Implies(a, b) => self.infix(f, a, "->", b),
            Expr::Iff(a, b) => self.infix(f, a, "<->", b),
        }
    }
}

impl From<bool> for Value {
    fn from(bit: bool) -> Self {
        Self::Bool(bit)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::float(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::str(text)
    }
}
