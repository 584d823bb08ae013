//! Types while the trace goes on.
//!
//! Of a file all values of a column are known before the spec is judged. Here a variable has the type that its uses ask;
//! where they ask nothing, as in `x == y`, each state's own values tell, and a state in which a number meets a string is
//! refused.

use std::sync::Arc;
use traceward_logic::expr::{Environment, Expr};
use traceward_logic::formula::{FormulaId, Formulas, Node};
use traceward_logic::lower::{Lowered, Schema, Type, Variable};
use traceward_logic::trace::{Ask, VariableId};
use traceward_logic::value::{CompareOp, Value};
use traceward_trace::Reading;

/// What each variable is read as, told from all its uses in the formulas of a spec that has met no trace.
pub(super) fn readings(first: &Lowered, roots: &[FormulaId]) -> Vec<Reading> {
    let variables = first.variables.list();
    let mut uses = vec![Uses::default(); variables.len()];
    expressions(&first.formulas, roots).for_each(|expr| note_uses(expr, Place::Boolean, &mut uses));
    variables.iter().zip(uses).map(|(variable, uses)| reading(variable, uses)).collect()
}

/// What is known of the trace before any of it has come.
pub(super) fn schema(variables: &[Variable], readings: &[Reading], has_time: bool) -> Schema {
    let typed = variables.iter().zip(readings).filter_map(|(variable, reading)| {
        let ty = match reading {
            Reading::Bool => Type::Bool,
            Reading::Number | Reading::Bit => Type::Bit,
            Reading::Text | Reading::Quoted => Type::Text,
            Reading::Anything => return None,
        };
        Some((variable.name.clone(), ty))
    });
    Schema { types: typed.collect(), names: Vec::new(), has_time, names_known: false }
}

/// The formulas with every variable of unknown type that stands as a boolean compared with what is true: a value `true`,
/// or a number 1.
pub(super) fn with_plain_booleans(
    formulas: &Formulas,
    roots: &[FormulaId],
    readings: &[Reading],
) -> (Formulas, Vec<FormulaId>) {
    let mut plain = Formulas::new();
    let mut copies: Vec<Option<FormulaId>> = vec![None; formulas.len()];
    let copy_of = |copies: &[Option<FormulaId>], id: FormulaId| copies[id.index()].expect("parts come first");
    for part in formulas.parts(roots) {
        let copy = match formulas.node(part) {
            Node::Atom(atom) => {
                let mut expr = formulas.atom(atom).clone();
                make_plain(&mut expr, readings);
                plain.intern_atom(expr)
            }
            node => plain.intern(node.map(|below| copy_of(&copies, below))),
        };
        copies[part.index()] = Some(copy);
    }
    let roots = roots.iter().map(|&root| copy_of(&copies, root)).collect();
    (plain, roots)
}

/// The maximal boolean expressions of formulas.
pub(super) fn expressions<'a>(formulas: &'a Formulas, roots: &[FormulaId]) -> impl Iterator<Item = &'a Expr> {
    formulas.parts(roots).into_iter().filter_map(|part| match formulas.node(part) {
        Node::Atom(atom) => Some(formulas.atom(atom)),
        _ => None,
    })
}

/// The expressions of formulas whose types only a state can tell.
pub(super) fn undecided(formulas: &Formulas, roots: &[FormulaId], readings: &[Reading]) -> Vec<Expr> {
    let speaks_of_unknown = |expr: &&Expr| {
        let mut found = false;
        expr.for_each_variable(&mut |variable| found |= readings[variable.index()] == Reading::Anything);
        found
    };
    expressions(formulas, roots).filter(speaks_of_unknown).cloned().collect()
}

/// What is wrong with the types of an expression in a state, if anything is.
pub(super) fn mismatch(expr: &Expr, env: &impl Environment, names: &[Arc<str>]) -> Option<String> {
    Mismatch { env, names }.in_boolean(expr)
}

/// Where in an expression a part stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Where a boolean is needed.
    Boolean,
    /// Beside a string, or where nothing but a string can stand.
    Text,
    /// Where it is only asked whether there is a value.
    Defined,
    /// Anywhere else.
    Other,
}

#[derive(Clone, Copy, Default)]
struct Uses {
    as_boolean: bool,
    as_text: bool,
    otherwise: bool,
}

fn reading(variable: &Variable, uses: Uses) -> Reading {
    match variable.ask() {
        Ask::Bool => Reading::Bool,
        Ask::Number if uses.as_boolean => Reading::Bit,
        Ask::Number => Reading::Number,
        Ask::Text => Reading::Text,
        Ask::Anything if uses.as_text && !uses.as_boolean && !uses.otherwise => Reading::Quoted,
        Ask::Anything => Reading::Anything,
    }
}

fn note_uses(expr: &Expr, place: Place, uses: &mut [Uses]) {
    if let Expr::Variable(VariableId(id)) = expr {
        let uses = &mut uses[*id as usize];
        match place {
            Place::Boolean => uses.as_boolean = true,
            Place::Text => uses.as_text = true,
            Place::Defined => {}
            Place::Other => uses.otherwise = true,
        }
        return;
    }
    let below = match expr {
        Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::Xor(..) | Expr::Implies(..) | Expr::Iff(..) => Place::Boolean,
        Expr::Compare(_, a, b) if is_string(a) || is_string(b) => Place::Text,
        Expr::In(_, values) if values.iter().all(|value| matches!(value, Value::Str(_))) => Place::Text,
        Expr::Matches(..) | Expr::Len(_) => Place::Text,
        Expr::Defined(_) => Place::Defined,
        _ => Place::Other,
    };
    expr.parts().into_iter().for_each(|part| note_uses(part, below, uses));
}

fn is_string(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(Value::Str(_)))
}

fn make_plain(expr: &mut Expr, readings: &[Reading]) {
    match expr {
        Expr::Variable(variable) if readings[variable.index()] == Reading::Anything => {
            let equals = |value: Value| {
                Expr::Compare(CompareOp::Equal, Box::new(Expr::Variable(*variable)), Box::new(Expr::Literal(value)))
            };
            *expr = Expr::Or(vec![equals(Value::Bool(true)), equals(Value::Int(1))]);
        }
        Expr::Not(a) => make_plain(a, readings),
        Expr::And(parts) | Expr::Or(parts) => parts.iter_mut().for_each(|part| make_plain(part, readings)),
        Expr::Xor(a, b) | Expr::Implies(a, b) | Expr::Iff(a, b) => {
            make_plain(a, readings);
            make_plain(b, readings);
        }
        _ => {}
    }
}

/// Looks for parts whose types do not go together. All parts count, whether or not evaluating would get there, as types do.
struct Mismatch<'a, E> {
    env: &'a E,
    names: &'a [Arc<str>],
}

impl<E: Environment> Mismatch<'_, E> {
    fn in_boolean(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::Xor(..) | Expr::Implies(..) | Expr::Iff(..) => {
                expr.parts().into_iter().find_map(|part| self.in_boolean(part))
            }
            Expr::Variable(_) => match self.value(expr) {
                Value::Missing | Value::Bool(_) | Value::Int(0 | 1) => None,
                value => Some(format!("`{}` is used as a boolean, but here it is {value}", expr.display(self.names))),
            },
            _ => self.in_value(expr),
        }
    }

    fn in_value(&self, expr: &Expr) -> Option<String> {
        let here = match expr {
            Expr::Compare(op, a, b) => self.between(expr, &self.value(a), &self.value(b), op.is_order()),
            Expr::Min(a, b) | Expr::Max(a, b) => self.between(expr, &self.value(a), &self.value(b), true),
            Expr::In(a, values) => {
                let value = self.value(a);
                values.iter().find_map(|one| self.between(expr, &value, one, false))
            }
            Expr::Matches(a, _) | Expr::Len(a) => self.between(expr, &self.value(a), &Value::str(""), false),
            _ => None,
        };
        here.or_else(|| expr.parts().into_iter().find_map(|part| self.in_value(part)))
    }

    fn between(&self, expr: &Expr, a: &Value, b: &Value, ordered: bool) -> Option<String> {
        let (Some(a_kind), Some(b_kind)) = (kind(a), kind(b)) else { return None };
        let whole = expr.display(self.names);
        if a_kind != b_kind {
            return Some(format!("in `{whole}` {a_kind} meets {b_kind}: {a} and {b}"));
        }
        (ordered && a_kind == "a boolean").then(|| format!("`{whole}` asks for an order, and booleans have none"))
    }

    /// What cannot be computed is no matter of types.
    fn value(&self, expr: &Expr) -> Value {
        expr.value(self.env).unwrap_or(Value::Missing)
    }
}

fn kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::Missing => None,
        Value::Bool(_) => Some("a boolean"),
        Value::Int(_) | Value::Float(_) => Some("a number"),
        Value::Str(_) => Some("a string"),
        Value::Pair(_) => Some("a pair"),
        Value::List(_) => Some("a list"),
    }
}
