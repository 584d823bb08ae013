//! What the user wrote: one tree for expressions, formulas and queries, with the place of every
//! part.
//!
//! Which of the three a part is depends on the types of its variables, so the grammar does not tell
//! them apart; [`crate::lower`] does.

use crate::diagnostic::Span;
use crate::formula::Interval;
use crate::query::FoldOrder;
use crate::value::{ArithmeticOp, CompareOp, Value, ValueType};
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

/// A part of a spec and its place.
#[derive(Clone, Debug)]
pub struct Ast {
    /// The kind of the part, with the parts that it is made of.
    pub kind: AstKind,
    /// The place in the text.
    pub span: Span,
}

/// Two parts are equal if the same was written, wherever it stands.
impl PartialEq for Ast {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// A part of a spec.
#[derive(Clone, Debug, PartialEq)]
pub enum AstKind {
    /// `true`, `5`, `2.5`, `"text"`
    Literal(Value),
    /// A variable, something named by `let`, or a function's parameter.
    Name(Arc<str>),
    /// `pos`
    Position,
    /// `time`
    Time,
    /// `-e`
    Negate(Box<Ast>),
    /// `a + b`
    Arithmetic(ArithmeticOp, Box<Ast>, Box<Ast>),
    /// `a < b`
    Compare(CompareOp, Box<Ast>, Box<Ast>),
    /// `a in {1, 2}`
    In(Box<Ast>, Vec<Value>),
    /// `abs(a)`
    Call(Function, Vec<Ast>),
    /// `past(a, n)`
    Past(Box<Ast>, u32),
    /// `(a, b)`
    Pair(Box<Ast>, Box<Ast>),
    /// `!a`, `![c] a`
    Not(Option<Value>, Box<Ast>),
    /// `a & b & c`; at least two, so that long conjunctions are not deep
    And(Vec<Ast>),
    /// `a | b | c`
    Or(Vec<Ast>),
    /// `a &[g] b`, `a |[g] b`
    Combine(Junction, Combiner, Box<Ast>, Box<Ast>),
    /// `a -> b` and its like
    Connect(Connective, Box<Ast>, Box<Ast>),
    /// `F a`
    Unary(UnaryOperator, Option<Bound>, Option<Map>, Box<Ast>),
    /// `a U b`
    Binary(BinaryOperator, Option<Bound>, Option<Map>, Box<Ast>, Box<Ast>),
    /// `p : e`
    Guard(Box<Ast>, Box<Ast>),
    /// `a ?? c`
    Default(Box<Ast>, Value),
    /// `max(a)`, `count(a) while f`
    Aggregate(Aggregate, Vec<Ast>, Option<Box<Ast>>),
    /// `fold(c, (acc, v) => e, a)`
    Fold(Box<Fold>),
    /// `latency(r -> g)`
    Latency(Box<Ast>, Box<Ast>),
}

/// Functions of state expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    /// `abs(x)`
    Abs,
    /// `min(x, y)`
    Min,
    /// `max(x, y)`
    Max,
    /// `len(s)`
    Len,
    /// `defined(x)`
    Defined,
    /// `matches(s, "regex")`
    Matches,
    /// `delta(x)`: how much more it is than in the state before
    Delta,
    /// `changed(x)`: it is another value than in the state before
    Changed,
    /// `stable(x)`: it is the same value as in the state before
    Stable,
    /// `rose(p)`: it holds, and did not in the state before
    Rose,
    /// `fell(p)`: it does not hold, and did in the state before
    Fell,
}

/// The two connectives that combine the values of queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Junction {
    /// `&`
    And,
    /// `|`
    Or,
}

/// Connectives that take plain formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Connective {
    /// `xor`
    Xor,
    /// `->`
    Implies,
    /// `<->`
    Iff,
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOperator {
    /// `X`
    Next,
    /// `WX`
    WeakNext,
    /// `F`
    Eventually,
    /// `G`
    Always,
    /// `Y`
    Previous,
    /// `Z`
    WeakPrevious,
    /// `O`
    Once,
    /// `H`
    Historically,
}

/// Temporal operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOperator {
    /// `U`
    Until,
    /// `W`
    WeakUntil,
    /// `R`
    Release,
    /// `M`
    StrongRelease,
    /// `S`
    Since,
    /// `B`
    WeakSince,
    /// `T`
    Trigger,
}

/// A bound and its place.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The window, as a closed interval.
    pub interval: Interval,
    /// The place in the text.
    pub span: Span,
    /// The dialect that was declared where the bound stands, if one was.
    pub dialect: Option<Dialect>,
}

/// Only the dialect of metric temporal logic reads bounds in another way.
impl PartialEq for Bound {
    fn eq(&self, other: &Self) -> bool {
        let is_mtl = |bound: &Self| bound.dialect == Some(Dialect::Mtl);
        self.interval == other.interval && is_mtl(self) == is_mtl(other)
    }
}

/// A way to read texts that other tools read in another way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// Ours.
    #[default]
    Traceward,
    /// The table of precedences of the OPrA tool, which puts `U W R` below `->` and `<->` above it.
    Opra,
    /// The bounds of metric temporal logic: the left side of `U[a,b]` is owed from now on, and not
    /// from the opening of the window.
    Mtl,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 3] = [Self::Traceward, Self::Opra, Self::Mtl];

    /// The name by which a spec declares it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Traceward => "traceward",
            Self::Opra => "opra",
            Self::Mtl => "mtl",
        }
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|dialect| dialect.name() == name);
        found.ok_or_else(|| "there are `mtl`, `opra` and `traceward`".to_owned())
    }
}

/// A literal and its place.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The value.
    pub value: Value,
    /// The place in the text.
    pub span: Span,
}

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// `v => expression`
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The parameter's name.
    pub parameter: Arc<str>,
    /// The expression.
    pub body: Box<Ast>,
}

/// The function of `&[g]` and `|[g]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Combiner {
    /// `+ - * /`
    Arithmetic(ArithmeticOp),
    /// `min`
    Min,
    /// `max`
    Max,
    /// `first`
    First,
    /// `second`
    Second,
    /// `pair`
    Pair,
    /// `(a, b) => expression`
    Function([Arc<str>; 2], Box<Ast>),
}

/// `fold(c, (acc, v) => e, a)`, `fold(c, (acc, v) => e, a) forward while f`
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// The accumulator before the first value.
    pub start: Constant,
    /// The names of the accumulator and of the value.
    pub parameters: [Arc<str>; 2],
    /// The expression that makes the next accumulator of both.
    pub body: Ast,
    /// The query whose values are taken.
    pub query: Ast,
    /// The order in which values are taken.
    pub order: FoldOrder,
    /// The formula that has to go on holding while values are taken.
    pub condition: Option<Ast>,
}

/// The way in which a collection summarises the values it collects.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Aggregate {
    /// The number of values.
    Count,
    /// The sum of the values.
    Sum,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The average: the sum divided by the number.
    Avg,
    /// The value at the least position.
    First,
    /// The value at the greatest position.
    Last,
    /// The standard deviation of the whole population: the variance is divided by the number of
    /// values.
    Stddev,
    /// The most frequent value; of several, the earliest.
    Mode,
    /// The number of different values.
    Distinct,
    /// The least value with at least this part of the values at or below it.
    Quantile(f64),
    /// The quantile 0.5.
    Median,
    /// The numbers of values in this many buckets of equal width, 10 if it is not said; of other
    /// values than numbers how often each occurs.
    Histogram(Option<u32>),
    /// Pearson's correlation of two queries.
    Corr,
}

/// A part of a quantile is a number between 0 and 1, and never NaN.
impl Eq for Aggregate {}

impl Hash for Aggregate {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Quantile(part) => part.to_bits().hash(state),
            Self::Histogram(buckets) => buckets.hash(state),
            _ => {}
        }
    }
}

impl UnaryOperator {
    /// The text by which a spec writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Next => "X",
            Self::WeakNext => "WX",
            Self::Eventually => "F",
            Self::Always => "G",
            Self::Previous => "Y",
            Self::WeakPrevious => "Z",
            Self::Once => "O",
            Self::Historically => "H",
        }
    }

    /// Whether the operator looks at the past.
    pub fn is_past(self) -> bool {
        matches!(self, Self::Previous | Self::WeakPrevious | Self::Once | Self::Historically)
    }

    /// Whether the operator takes a bound.
    pub fn takes_bound(self) -> bool {
        matches!(self, Self::Eventually | Self::Always | Self::Once | Self::Historically)
    }
}

impl BinaryOperator {
    /// The text by which a spec writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Until => "U",
            Self::WeakUntil => "W",
            Self::Release => "R",
            Self::StrongRelease => "M",
            Self::Since => "S",
            Self::WeakSince => "B",
            Self::Trigger => "T",
        }
    }

    /// Whether the operator looks at the past.
    pub fn is_past(self) -> bool {
        matches!(self, Self::Since | Self::WeakSince | Self::Trigger)
    }

    /// Whether the operator takes a bound.
    pub fn takes_bound(self) -> bool {
        self != Self::StrongRelease
    }
}

impl Connective {
    /// The text by which a spec writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Xor => "xor",
            Self::Implies => "->",
            Self::Iff => "<->",
        }
    }
}

impl Function {
    /// All functions.
    pub const ALL: [Self; 11] = [
        Self::Abs,
        Self::Min,
        Self::Max,
        Self::Len,
        Self::Defined,
        Self::Matches,
        Self::Delta,
        Self::Changed,
        Self::Stable,
        Self::Rose,
        Self::Fell,
    ];

    /// The text by which a spec writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
            Self::Len => "len",
            Self::Defined => "defined",
            Self::Matches => "matches",
            Self::Delta => "delta",
            Self::Changed => "changed",
            Self::Stable => "stable",
            Self::Rose => "rose",
            Self::Fell => "fell",
        }
    }

    /// The number of arguments that the function takes.
    pub fn arity(self) -> usize {
        match self {
            Self::Min | Self::Max | Self::Matches => 2,
            _ => 1,
        }
    }
}

impl Aggregate {
    /// The names of all aggregates but `fold`, which takes a function.
    pub const NAMES: [&str; 14] = [
        "count",
        "sum",
        "min",
        "max",
        "avg",
        "first",
        "last",
        "stddev",
        "mode",
        "distinct",
        "quantile",
        "median",
        "histogram",
        "corr",
    ];

    /// The text by which a spec writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Avg => "avg",
            Self::First => "first",
            Self::Last => "last",
            Self::Stddev => "stddev",
            Self::Mode => "mode",
            Self::Distinct => "distinct",
            Self::Quantile(_) => "quantile",
            Self::Median => "median",
            Self::Histogram(_) => "histogram",
            Self::Corr => "corr",
        }
    }
}

/// A spec as written: what the trace looks like, and statements in order.
#[derive(Clone, Debug, Default)]
pub struct SpecAst {
    /// The declarations of what the traces look like.
    pub trace: TraceDeclaration,
    /// The statements, in order.
    pub statements: Vec<Statement>,
}

/// A name and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: Arc<str>,
    /// The place in the text.
    pub span: Span,
}

/// `trace { event activity  time t:ms  by case_id  changes  code: string }`
#[derive(Clone, Debug, Default)]
pub struct TraceDeclaration {
    /// The column that a string alone is compared with.
    pub event: Option<Named>,
    /// The columns that hold timestamps, usually one, and the unit of plain numbers in it.
    pub time: Option<(Vec<Named>, Option<Named>)>,
    /// The column that splits the trace.
    pub by: Option<Named>,
    /// The kind of records: whole `states`, or `changes` that hold only the variables that changed.
    pub records: Option<Named>,
    /// The treatment of missing values: `false`, `error` or `hold`.
    pub missing: Option<Named>,
    /// Variables whose type is declared.
    pub types: Vec<(Named, ValueType)>,
}

/// A statement of a spec.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The kind of the statement.
    pub kind: StatementKind,
    /// The name of the statement; none for a formula alone.
    pub name: Option<Named>,
    /// The description behind the name.
    pub description: Option<Arc<str>>,
    /// The formula or query behind the name.
    pub body: Ast,
}

/// The kinds of statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `let NAME = …`
    Let,
    /// `property NAME = …`
    Property,
    /// `query NAME = …`
    Query,
    /// `assert NAME = …`
    Assert,
    /// A formula or query alone.
    Bare,
}
