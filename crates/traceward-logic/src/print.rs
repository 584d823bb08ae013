//! Writing a tree back as text, so that reading it again gives the same tree.

use crate::ast::{Aggregate, Ast, AstKind, BinaryOperator, Bound, Combiner, Connective, Dialect, Fold, Junction, Map};
use crate::formula::{Interval, Unit};
use crate::parse::is_plain_name;
use crate::query::FoldOrder;
use crate::value::{ArithmeticOp, Value};
use std::fmt;

/// The strength with which the outermost operator of a printed tree binds. Only the order matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BindingLevel {
    /// Takes everything behind it.
    While,
    Iff,
    Implies,
    Xor,
    Default,
    Or,
    And,
    Temporal,
    Guard,
    Prefix,
    Compare,
    Sum,
    Product,
    Sign,
    Operand,
}

impl BindingLevel {
    /// The next tighter level.
    fn tighter(self) -> Self {
        match self {
            Self::While => Self::Iff,
            Self::Iff => Self::Implies,
            Self::Implies => Self::Xor,
            Self::Xor => Self::Default,
            Self::Default => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Temporal,
            Self::Temporal => Self::Guard,
            Self::Guard => Self::Prefix,
            Self::Prefix => Self::Compare,
            Self::Compare => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Sign,
            Self::Sign | Self::Operand => Self::Operand,
        }
    }
}

fn level(kind: &AstKind) -> BindingLevel {
    match kind {
        AstKind::Connect(Connective::Iff, ..) => BindingLevel::Iff,
        AstKind::Connect(Connective::Implies, ..) => BindingLevel::Implies,
        AstKind::Connect(Connective::Xor, ..) => BindingLevel::Xor,
        // Its condition takes everything up to a bracket.
        AstKind::Aggregate(_, _, Some(_)) => BindingLevel::While,
        AstKind::Fold(fold) if fold.condition.is_some() => BindingLevel::While,
        AstKind::Default(..) => BindingLevel::Default,
        AstKind::Or(_) | AstKind::Combine(Junction::Or, ..) => BindingLevel::Or,
        AstKind::And(_) | AstKind::Combine(Junction::And, ..) => BindingLevel::And,
        AstKind::Binary(..) => BindingLevel::Temporal,
        AstKind::Guard(..) => BindingLevel::Guard,
        AstKind::Not(..) | AstKind::Unary(..) => BindingLevel::Prefix,
        AstKind::Compare(..) | AstKind::In(..) => BindingLevel::Compare,
        AstKind::Arithmetic(ArithmeticOp::Add | ArithmeticOp::Subtract, ..) => BindingLevel::Sum,
        AstKind::Arithmetic(..) => BindingLevel::Product,
        AstKind::Negate(_) => BindingLevel::Sign,
        AstKind::Literal(value) if is_negative(value) => BindingLevel::Sign,
        _ => BindingLevel::Operand,
    }
}

fn is_number(ast: &Ast) -> bool {
    matches!(ast.kind, AstKind::Literal(Value::Int(_) | Value::Float(_)))
}

fn is_negative(value: &Value) -> bool {
    match value {
        Value::Int(number) => *number < 0,
        Value::Float(number) => number.is_sign_negative(),
        _ => false,
    }
}

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_kind(f, &self.kind)
    }
}

/// Writes a part, in brackets where its operator binds less tightly than asked.
struct AtLeast<'a>(&'a Ast, BindingLevel);

impl fmt::Display for AtLeast<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if level(&self.0.kind) < self.1 { write!(f, "({})", self.0) } else { write!(f, "{}", self.0) }
    }
}

fn write_kind(f: &mut fmt::Formatter<'_>, kind: &AstKind) -> fmt::Result {
    let own = level(kind);
    match kind {
        AstKind::Literal(value) => write!(f, "{value}"),
        AstKind::Name(name) => write!(f, "{}", Name(name)),
        AstKind::Position => f.write_str("pos"),
        AstKind::Time => f.write_str("time"),
        // `-5` would be read as a number.
        AstKind::Negate(operand) if is_number(operand) => write!(f, "-({operand})"),
        AstKind::Negate(operand) => write!(f, "-{}", AtLeast(operand, own)),
        AstKind::Arithmetic(op, left, right) => write_infix(f, op.symbol(), (left, own), (right, own.tighter())),
        AstKind::Compare(op, left, right) => write_infix(f, op.symbol(), (left, own.tighter()), (right, own.tighter())),
        AstKind::In(operand, values) => {
            write!(f, "{} in {{", AtLeast(operand, own.tighter()))?;
            write_list(f, values)?;
            f.write_str("}")
        }
        AstKind::Call(function, arguments) => {
            write!(f, "{}(", function.name())?;
            write_list(f, arguments)?;
            f.write_str(")")
        }
        AstKind::Past(operand, 1) => write!(f, "past({operand})"),
        AstKind::Past(operand, steps) => write!(f, "past({operand}, {steps})"),
        AstKind::Pair(left, right) => write!(f, "({left}, {right})"),
        AstKind::Not(None, operand) => write!(f, "!{}", AtLeast(operand, own)),
        AstKind::Not(Some(constant), operand) => write!(f, "![{constant}] {}", AtLeast(operand, own)),
        AstKind::And(parts) => write_chain(f, " & ", parts, own.tighter()),
        AstKind::Or(parts) => write_chain(f, " | ", parts, own.tighter()),
        AstKind::Combine(junction, combiner, left, right) => {
            let symbol = if *junction == Junction::And { "&" } else { "|" };
            // A chain to its left would otherwise take the combined operand in.
            write!(f, "{} {symbol}[{combiner}] ", AtLeast(left, own.tighter()))?;
            write!(f, "{}", AtLeast(right, own.tighter()))
        }
        AstKind::Connect(op @ Connective::Implies, left, right) => {
            write_infix(f, op.symbol(), (left, own.tighter()), (right, own))
        }
        AstKind::Connect(op, left, right) => write_infix(f, op.symbol(), (left, own), (right, own.tighter())),
        AstKind::Unary(op, bound, map, operand) => {
            f.write_str(op.symbol())?;
            write_bracket(f, bound.as_ref(), map.as_ref())?;
            write_temporal_operand(f, operand, own)
        }
        AstKind::Binary(op, bound, map, left, right) => write_binary(f, *op, bound.as_ref(), map.as_ref(), left, right),
        AstKind::Guard(guard, value) => write_infix(f, ":", (guard, own), (value, own.tighter())),
        AstKind::Default(query, constant) => write!(f, "{} ?? {constant}", AtLeast(query, own)),
        AstKind::Aggregate(aggregate, arguments, condition) => {
            write_aggregate(f, *aggregate, arguments)?;
            write_condition(f, condition.as_deref())
        }
        AstKind::Fold(fold) => write_fold(f, fold),
        AstKind::Latency(request, grant) => {
            write!(f, "latency({} -> {})", AtLeast(request, BindingLevel::Xor), AtLeast(grant, BindingLevel::Implies))
        }
    }
}

fn write_infix(
    f: &mut fmt::Formatter<'_>,
    symbol: &str,
    (left, left_level): (&Ast, BindingLevel),
    (right, right_level): (&Ast, BindingLevel),
) -> fmt::Result {
    write!(f, "{} {symbol} {}", AtLeast(left, left_level), AtLeast(right, right_level))
}

fn write_chain(f: &mut fmt::Formatter<'_>, symbol: &str, parts: &[Ast], level: BindingLevel) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { symbol })?;
        write!(f, "{}", AtLeast(part, level))?;
    }
    Ok(())
}

fn write_list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
    }
    Ok(())
}

fn write_bracket(f: &mut fmt::Formatter<'_>, bound: Option<&Bound>, map: Option<&Map>) -> fmt::Result {
    match (bound, map) {
        (Some(bound), _) => write!(f, "{}", bound.interval),
        (None, Some(map)) => write!(f, "[{} => {}]", Name(&map.parameter), map.body),
        (None, None) => Ok(()),
    }
}

fn write_binary(
    f: &mut fmt::Formatter<'_>,
    op: BinaryOperator,
    bound: Option<&Bound>,
    map: Option<&Map>,
    left: &Ast,
    right: &Ast,
) -> fmt::Result {
    write!(f, "{} {}", AtLeast(left, BindingLevel::Guard), op.symbol())?;
    write_bracket(f, bound, map)?;
    write_temporal_operand(f, right, BindingLevel::Temporal)
}

/// The operand behind a temporal operator, in brackets where it begins like a bound:
/// `F (1, 2) - x`.
fn write_temporal_operand(f: &mut fmt::Formatter<'_>, operand: &Ast, level: BindingLevel) -> fmt::Result {
    if begins_with_numbers(operand) { write!(f, " ({operand})") } else { write!(f, " {}", AtLeast(operand, level)) }
}

/// Whether what is written first is a pair of numbers.
fn begins_with_numbers(ast: &Ast) -> bool {
    match &ast.kind {
        AstKind::Pair(left, right) => is_number(left) && is_number(right),
        AstKind::Arithmetic(_, left, _) | AstKind::Compare(_, left, _) | AstKind::In(left, _) => {
            begins_with_numbers(left)
        }
        AstKind::Guard(left, _) | AstKind::Binary(_, _, _, left, _) => begins_with_numbers(left),
        _ => false,
    }
}

fn write_aggregate(f: &mut fmt::Formatter<'_>, aggregate: Aggregate, arguments: &[Ast]) -> fmt::Result {
    write!(f, "{}(", aggregate.name())?;
    match aggregate {
        Aggregate::Quantile(part) => write!(f, "{part:?}, ")?,
        Aggregate::Histogram(Some(buckets)) => write!(f, "{buckets}, ")?,
        _ => {}
    }
    write_list(f, arguments)?;
    f.write_str(")")
}

fn write_condition(f: &mut fmt::Formatter<'_>, condition: Option<&Ast>) -> fmt::Result {
    match condition {
        // `??` would end the condition.
        Some(condition) => write!(f, " while {}", AtLeast(condition, BindingLevel::Or)),
        None => Ok(()),
    }
}

fn write_fold(f: &mut fmt::Formatter<'_>, fold: &Fold) -> fmt::Result {
    let [accumulator, value] = &fold.parameters;
    write!(f, "fold({}, ({}, {}) => {}, {})", fold.start.value, Name(accumulator), Name(value), fold.body, fold.query)?;
    if fold.order == FoldOrder::Forward {
        f.write_str(" forward")?;
    }
    write_condition(f, fold.condition.as_ref())
}

impl fmt::Display for Combiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arithmetic(op) => f.write_str(op.symbol()),
            Self::Min => f.write_str("min"),
            Self::Max => f.write_str("max"),
            Self::First => f.write_str("first"),
            Self::Second => f.write_str("second"),
            Self::Pair => f.write_str("pair"),
            Self::Function([first, second], body) => write!(f, "({}, {}) => {body}", Name(first), Name(second)),
        }
    }
}

/// A name as a spec has to write it: in backquotes where it is no plain identifier.
pub struct Name<'a>(pub &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain_name(self.0) { f.write_str(self.0) } else { write!(f, "`{}`", self.0) }
    }
}

/// `[0,5]`, `[10ms,inf]`
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |amount: u64| match self.unit {
            Unit::Steps => amount.to_string(),
            Unit::Time => duration(amount),
        };
        match self.to {
            // Beside a time a plain 0 is one, too.
            Some(to) if self.from == 0 && to > 0 => write!(f, "[0,{}]", end(to)),
            Some(to) => write!(f, "[{},{}]", end(self.from), end(to)),
            None => write!(f, "[{},inf]", end(self.from)),
        }
    }
}

/// The units of time above a nanosecond, largest first, with their size in nanoseconds.
pub const TIME_UNITS: [(u64, &str); 6] = [
    (86_400_000_000_000, "d"),
    (3_600_000_000_000, "h"),
    (60_000_000_000, "min"),
    (1_000_000_000, "s"),
    (1_000_000, "ms"),
    (1_000, "us"),
];

/// The widest text that others are lined up with.
const WIDEST: usize = 1000;

/// The width of a column of texts of such widths. What is wider than any line is not counted, and
/// stands out: texts of a trace may be as long as they like, and padding may not.
pub fn lined_up(widths: impl IntoIterator<Item = usize>) -> usize {
    widths.into_iter().filter(|&width| width <= WIDEST).max().unwrap_or(0)
}

/// Nanoseconds in the largest unit that divides them.
pub fn duration(nanoseconds: u64) -> String {
    for (size, unit) in TIME_UNITS {
        if nanoseconds != 0 && nanoseconds.is_multiple_of(size) {
            return format!("{}{unit}", nanoseconds / size);
        }
    }
    format!("{nanoseconds}ns")
}

/// The tree that was read, one operator a line.
pub fn tree(ast: &Ast) -> String {
    let mut text = String::new();
    write_tree(&mut text, ast, "", "");
    text
}

fn write_tree(text: &mut String, ast: &Ast, head: &str, indent: &str) {
    let (operator, parts) = operator_and_parts(&ast.kind);
    text.push_str(&format!("{head}{}\n", operator.unwrap_or_else(|| ast.to_string())));
    for (index, part) in parts.iter().enumerate() {
        let (branch, below) = if index + 1 == parts.len() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        write_tree(text, part, &format!("{indent}{branch}"), &format!("{indent}{below}"));
    }
}

/// The outermost operator and what it applies to; none for what is best read as text.
fn operator_and_parts(kind: &AstKind) -> (Option<String>, Vec<&Ast>) {
    let bound = |bound: &Option<Bound>| bound.map(|bound| bound.interval.to_string()).unwrap_or_default();
    match kind {
        AstKind::Not(None, a) => (Some("!".into()), vec![a]),
        AstKind::And(parts) => (Some("&".into()), parts.iter().collect()),
        AstKind::Or(parts) => (Some("|".into()), parts.iter().collect()),
        AstKind::Connect(op, a, b) => (Some(op.symbol().into()), vec![a, b]),
        AstKind::Unary(op, interval, None, a) => (Some(format!("{}{}", op.symbol(), bound(interval))), vec![a]),
        AstKind::Binary(op, interval, None, a, b) => {
            let reading = interval.as_ref().map_or("", |bound| reading(*op, bound));
            (Some(format!("{}{}{reading}", op.symbol(), bound(interval))), vec![a, b])
        }
        AstKind::Combine(junction, combiner, a, b) => {
            let symbol = if *junction == Junction::And { "&" } else { "|" };
            (Some(format!("{symbol}[{combiner}]")), vec![a, b])
        }
        AstKind::Compare(op, a, b) if measures(a) || measures(b) => (Some(op.symbol().into()), vec![a, b]),
        AstKind::Arithmetic(op, a, b) if measures(a) || measures(b) => (Some(op.symbol().into()), vec![a, b]),
        AstKind::Guard(guard, value) => (Some(":".into()), vec![guard, value]),
        AstKind::Default(a, constant) => (Some(format!("?? {constant}")), vec![a]),
        AstKind::Latency(request, grant) => (Some("latency".into()), vec![request, grant]),
        AstKind::Aggregate(aggregate, arguments, condition) => {
            let name = aggregate_name(*aggregate);
            let name = if condition.is_some() { format!("{name}, while") } else { name };
            (Some(name), arguments.iter().chain(condition.as_deref()).collect())
        }
        _ => (None, Vec::new()),
    }
}

/// The reading of a bound in its dialect, where that is not our way.
fn reading(op: BinaryOperator, bound: &Bound) -> &'static str {
    match bound.dialect {
        Some(Dialect::Mtl) if bound.interval.from > 0 && op.is_past() => ", up to now (mtl)",
        Some(Dialect::Mtl) if bound.interval.from > 0 => ", from now on (mtl)",
        _ => "",
    }
}

/// Whether something is more than an expression over a state: then it has parts to be shown.
fn measures(ast: &Ast) -> bool {
    match &ast.kind {
        AstKind::Aggregate(..)
        | AstKind::Fold(_)
        | AstKind::Latency(..)
        | AstKind::Guard(..)
        | AstKind::Default(..) => true,
        AstKind::Arithmetic(_, a, b) | AstKind::Compare(_, a, b) => measures(a) || measures(b),
        AstKind::Negate(a) => measures(a),
        _ => false,
    }
}

/// An aggregate with the number that it is written with.
fn aggregate_name(aggregate: Aggregate) -> String {
    match aggregate {
        Aggregate::Quantile(part) => format!("quantile {part}"),
        Aggregate::Histogram(Some(buckets)) => format!("histogram {buckets}"),
        other => other.name().to_owned(),
    }
}
