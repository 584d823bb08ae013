//! The tree of a program, as it was written.

use traceward_logic::diagnostic::Span;

/// A name with its place.
#[derive(Clone, Debug)]
pub struct Named {
    pub name: String,
    pub span: Span,
}

/// The types of single values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Integer,
    Boolean,
}

impl Scalar {
    /// The type with its article, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Integer => "an integer",
            Self::Boolean => "a boolean",
        }
    }
}

#[derive(Debug)]
pub struct ProgramTree {
    pub declarations: Vec<Declaration>,
    pub processes: Vec<ProcessTree>,
}

#[derive(Debug)]
pub struct ProcessTree {
    pub name: Named,
    pub declarations: Vec<Declaration>,
    pub body: Vec<Statement>,
}

/// `local seq, ack : boolean where seq = TRUE`
#[derive(Debug)]
pub struct Declaration {
    pub names: Vec<Named>,
    pub ty: TypeTree,
    pub conditions: Vec<Condition>,
}

#[derive(Clone, Debug)]
pub enum TypeTree {
    Scalar(Scalar),
    Array { first: i64, last: Option<i64>, of: Scalar },
    Channel { capacity: Option<u64>, of: Vec<Scalar>, loss: f64 },
}

/// A part of a `where`: the first value of a variable, or of the elements of an array.
#[derive(Debug)]
pub struct Condition {
    pub subject: Named,
    /// The name that stands for the index in the value.
    pub index: Option<Named>,
    pub value: ExpressionTree,
}

#[derive(Debug)]
pub struct Statement {
    pub label: Named,
    pub kind: StatementKind,
    /// The statement without its label and without the statements inside it.
    pub span: Span,
}

#[derive(Debug)]
pub enum StatementKind {
    Action(ActionTree),
    After { steps: u64, action: ActionTree },
    If { condition: ExpressionTree, then: Vec<Statement>, otherwise: Vec<Statement> },
    While { condition: ExpressionTree, body: Vec<Statement> },
    Loop { body: Vec<Statement> },
    Selection(Vec<Vec<Statement>>),
}

/// A statement that is one step.
#[derive(Debug)]
pub enum ActionTree {
    Skip,
    Request(PlaceTree),
    Release(PlaceTree),
    Await(ExpressionTree),
    Assign(Vec<PlaceTree>, Vec<ExpressionTree>),
    Send(Named, Vec<ExpressionTree>),
    Receive(Named, Vec<PlaceTree>),
}

/// What can be assigned to: a variable, or an element of an array.
#[derive(Debug)]
pub struct PlaceTree {
    pub name: Named,
    pub index: Option<ExpressionTree>,
}

#[derive(Debug)]
pub struct ExpressionTree {
    pub kind: ExpressionKind,
    pub span: Span,
    /// The number of operators around each other, at the most.
    pub height: usize,
}

#[derive(Debug)]
pub enum ExpressionKind {
    Integer(i64),
    Boolean(bool),
    Name(String),
    Element(Named, Box<ExpressionTree>),
    Unary(UnaryOperator, Box<ExpressionTree>),
    Binary(BinaryOperator, Box<ExpressionTree>, Box<ExpressionTree>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOperator {
    Negate,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOperator {
    /// How tightly it binds.
    pub fn power(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal | Self::NotEqual | Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual => {
                COMPARISON
            }
            Self::Add | Self::Subtract => COMPARISON + 1,
            Self::Multiply | Self::Divide | Self::Remainder => COMPARISON + 2,
        }
    }
}

/// The power of comparisons, of which two do not stand beside each other.
pub const COMPARISON: u8 = 3;
