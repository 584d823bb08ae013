//! The predicates of a spec, numbered, as C over the image of the watched values.
//!
//! As OPrA has it, 0 and 1 are the constants and predicates begin at 2. A predicate becomes C only
//! where C means what the language means: integers that cannot overflow, comparisons by exact
//! value, missing values that make a comparison false. Of every other predicate the values are
//! sent whenever they change, and the monitor evaluates it.

use crate::watch::{Kind, Watch};
use traceward::Spec;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Node};
use traceward_logic::lower::Claim;
use traceward_logic::query::Query;
use traceward_logic::value::{ArithmeticOp, CompareOp, Value};

/// The number of the first predicate.
pub(crate) const FIRST: usize = 2;

/// A predicate of the spec.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    /// The text, in the language of specs.
    pub(crate) text: String,
    /// The predicate in C; none if C cannot say it.
    pub(crate) c: Option<String>,
    /// The slots of the variables in it.
    pub(crate) slots: Vec<usize>,
}

/// The predicates of a spec, and the slots whose every value counts.
pub(crate) struct Predicates {
    pub(crate) list: Vec<Predicate>,
    pub(crate) by_value: Vec<bool>,
}

impl Predicates {
    /// `slots` has for each variable of the spec its slot, and `watches` what is in them.
    pub(crate) fn of(spec: &Spec, slots: &[Option<usize>], watches: &[Watch]) -> Self {
        let lowered = spec.lowered();
        let names = lowered.variables.names();
        let mut all = Self { list: Vec::new(), by_value: vec![false; watches.len()] };
        let translation = Translation { slots, watches };
        for atom in atoms(spec) {
            let predicate = Predicate {
                text: atom.display(&names).to_string(),
                c: translation.condition(&atom),
                slots: translation.slots_of(&atom),
            };
            if predicate.c.is_none() {
                predicate.slots.iter().for_each(|slot| all.by_value[*slot] = true);
            }
            all.list.push(predicate);
        }
        for_each_query(spec, &mut |query| {
            query.for_each_expr(&mut |expr| {
                translation.slots_of(expr).into_iter().for_each(|slot| all.by_value[slot] = true);
            });
        });
        all
    }
}

/// The maximal boolean expressions of a spec, each once.
fn atoms(spec: &Spec) -> Vec<Expr> {
    let lowered = spec.lowered();
    let parts = lowered.formulas.parts(&roots(spec));
    let atom = |id| match lowered.formulas.node(id) {
        Node::Atom(atom) => Some(lowered.formulas.atom(atom).clone()),
        _ => None,
    };
    parts.into_iter().filter_map(atom).collect()
}

/// The formulas of all properties and queries.
pub(crate) fn roots(spec: &Spec) -> Vec<FormulaId> {
    let mut roots = Vec::new();
    for property in &spec.lowered().properties {
        if let Claim::Formula(formula) = &property.claim {
            roots.push(*formula);
        }
    }
    for_each_query(spec, &mut |query| query.for_each_formula(&mut |formula| roots.push(formula)));
    roots
}

/// Calls `visit` for every query of a spec, those of asserts among them.
pub(crate) fn for_each_query(spec: &Spec, visit: &mut impl FnMut(&Query)) {
    for property in &spec.lowered().properties {
        if let Claim::Assert(comparison) = &property.claim {
            visit(&comparison.left);
            visit(&comparison.right);
        }
    }
    spec.lowered().queries.iter().for_each(|query| visit(&query.query));
}

struct Translation<'a> {
    slots: &'a [Option<usize>],
    watches: &'a [Watch],
}

/// The kind of a number in C.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Int,
    Unsigned,
    Double,
}

/// A number in C.
struct Number {
    code: String,
    width: Width,
    /// The least and the greatest value, of integers.
    range: (i128, i128),
    /// The conditions under which it has a value.
    has: Vec<String>,
}

const INT: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);

impl Translation<'_> {
    fn slots_of(&self, expr: &Expr) -> Vec<usize> {
        let mut slots = Vec::new();
        expr.for_each_variable(&mut |variable| slots.extend(self.slots[variable.index()]));
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// A boolean expression in C; none if C means something else.
    fn condition(&self, expr: &Expr) -> Option<String> {
        let joined = |parts: &[Expr], between: &str| {
            let parts: Option<Vec<String>> = parts.iter().map(|part| self.condition(part)).collect();
            Some(format!("({})", parts?.join(between)))
        };
        Some(match expr {
            Expr::Literal(Value::Bool(bit)) => i32::from(*bit).to_string(),
            Expr::Variable(variable) => {
                let slot = self.slots[variable.index()]?;
                // Of other numbers than 0 and 1 the monitor says that they are no booleans.
                (self.watches[slot].kind == Kind::Bool).then(|| format!("(HAS({slot}) && VALUE({slot}).i)"))?
            }
            Expr::Defined(inner) => match &**inner {
                Expr::Variable(variable) => format!("HAS({})", self.slots[variable.index()]?),
                _ => return None,
            },
            Expr::Compare(op, left, right) => self.comparison(*op, left, right)?,
            Expr::In(inner, values) => {
                let equal = |value: &Value| self.comparison(CompareOp::Equal, inner, &Expr::Literal(value.clone()));
                let equal: Option<Vec<String>> = values.iter().map(equal).collect();
                format!("({})", equal.filter(|all| !all.is_empty())?.join(" || "))
            }
            Expr::Not(inner) => format!("!{}", self.condition(inner)?),
            Expr::And(parts) => joined(parts, " && ")?,
            Expr::Or(parts) => joined(parts, " || ")?,
            Expr::Xor(a, b) => format!("(!{} != !{})", self.condition(a)?, self.condition(b)?),
            Expr::Iff(a, b) => format!("(!{} == !{})", self.condition(a)?, self.condition(b)?),
            Expr::Implies(a, b) => format!("(!{} || {})", self.condition(a)?, self.condition(b)?),
            _ => return None,
        })
    }

    fn comparison(&self, op: CompareOp, left: &Expr, right: &Expr) -> Option<String> {
        let (left, right) = (self.number(left)?, self.number(right)?);
        let symbol = match op {
            CompareOp::Equal => "==",
            CompareOp::NotEqual => "!=",
            CompareOp::Less => "<",
            CompareOp::LessOrEqual => "<=",
            CompareOp::Greater => ">",
            CompareOp::GreaterOrEqual => ">=",
        };
        let ordering = |letters: &str, a: &str, b: &str| format!("traceward_compare_{letters}({a}, {b})");
        let (a, b) = (&left.code, &right.code);
        let compared = match (left.width, right.width) {
            (Width::Int, Width::Int) | (Width::Double, Width::Double) => format!("{a} {symbol} {b}"),
            (Width::Unsigned, Width::Unsigned) => format!("{} {symbol} 0", ordering("uu", a, b)),
            (Width::Int, Width::Unsigned) => format!("{} {symbol} 0", ordering("iu", a, b)),
            (Width::Unsigned, Width::Int) => format!("0 {symbol} {}", ordering("iu", b, a)),
            (Width::Int, Width::Double) => format!("{} {symbol} 0", ordering("id", a, b)),
            (Width::Double, Width::Int) => format!("0 {symbol} {}", ordering("id", b, a)),
            (Width::Unsigned, Width::Double) => format!("{} {symbol} 0", ordering("ud", a, b)),
            (Width::Double, Width::Unsigned) => format!("0 {symbol} {}", ordering("ud", b, a)),
        };
        let mut has = [left.has, right.has].concat();
        has.sort();
        has.dedup();
        has.push(compared);
        Some(format!("({})", has.join(" && ")))
    }

    fn number(&self, expr: &Expr) -> Option<Number> {
        match expr {
            Expr::Literal(Value::Int(value)) => {
                // The least integer has no literal of its own in C.
                let code =
                    if *value == i64::MIN { "(-9223372036854775807ll - 1)".to_owned() } else { format!("{value}ll") };
                let range = (i128::from(*value), i128::from(*value));
                Some(Number { code, width: Width::Int, range, has: Vec::new() })
            }
            // Seventeen digits are enough for any float.
            Expr::Literal(Value::Float(value)) if value.is_finite() => {
                Some(Number { code: format!("{value:.17e}"), width: Width::Double, range: INT, has: Vec::new() })
            }
            Expr::Variable(variable) => self.variable(self.slots[variable.index()]?),
            Expr::Negate(inner) => {
                let inner = self.integer(inner)?;
                let range = fitting((-inner.range.1, -inner.range.0))?;
                Some(Number { code: format!("(-{})", inner.code), range, ..inner })
            }
            Expr::Arithmetic(op, left, right) => self.arithmetic(*op, left, right),
            _ => None,
        }
    }

    fn variable(&self, slot: usize) -> Option<Number> {
        let (member, width, range) = match self.watches[slot].kind {
            Kind::Int(least, greatest) => ("i", Width::Int, (least, greatest)),
            Kind::Unsigned | Kind::Pointer => ("u", Width::Unsigned, (0, i128::from(u64::MAX))),
            Kind::Double => ("d", Width::Double, INT),
            Kind::Bool | Kind::TextArray | Kind::TextPointer | Kind::Any => return None,
        };
        let code = format!("VALUE({slot}).{member}");
        Some(Number { code, width, range, has: vec![format!("HAS({slot})")] })
    }

    fn integer(&self, expr: &Expr) -> Option<Number> {
        self.number(expr).filter(|number| number.width == Width::Int)
    }

    /// Arithmetic on integers that cannot overflow. Divisions make floats, and are left alone.
    fn arithmetic(&self, op: ArithmeticOp, left: &Expr, right: &Expr) -> Option<Number> {
        let (a, b) = (self.integer(left)?, self.integer(right)?);
        let ((a0, a1), (b0, b1)) = (a.range, b.range);
        let (symbol, range) = match op {
            ArithmeticOp::Add => ("+", (a0 + b0, a1 + b1)),
            ArithmeticOp::Subtract => ("-", (a0 - b1, a1 - b0)),
            ArithmeticOp::Multiply => {
                let products = [a0 * b0, a0 * b1, a1 * b0, a1 * b1];
                ("*", (products.into_iter().min()?, products.into_iter().max()?))
            }
            ArithmeticOp::Remainder if b0 == b1 && b0 != 0 && b0 != -1 => ("%", (a0.min(0), a1.max(0))),
            _ => return None,
        };
        let code = format!("({} {symbol} {})", a.code, b.code);
        Some(Number { code, width: Width::Int, range: fitting(range)?, has: [a.has, b.has].concat() })
    }
}

/// A range, if a `long long` holds all of it.
fn fitting(range: (i128, i128)) -> Option<(i128, i128)> {
    (range.0 >= INT.0 && range.1 <= INT.1).then_some(range)
}
