//! State expressions: types of operands, and what they ask of columns.

use super::types::{Contradiction, Use};
use super::{Checked, Goal, Lowering, Type, Typed, Whole};
use crate::ast::{Ast, AstKind, Function};
use crate::diagnostic::{Diagnostic, Remedy, Span};
use crate::expr::{Expr, Pattern};
use crate::trace::VariableId;
use crate::value::{ArithmeticOp, CompareOp, Value};

/// The ways an operand can be something else than a value of one state.
const NO_FORMULA: &str = "a formula has no value to compute with";

/// The surroundings of a part that may be a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// Only a formula can stand here.
    Formula,
    /// Beside a connective that also takes queries with a value.
    Operand,
    /// A query can stand here as well as a formula.
    Query,
}

impl Lowering<'_> {
    /// An expression over one state.
    pub(super) fn state(&mut self, ast: &Ast) -> Checked<(Expr, Type)> {
        match self.lower(ast)? {
            Typed::State(expr, ty) => Ok((expr, ty)),
            Typed::Plain(_) => self.error(
                Diagnostic::error(ast.span, NO_FORMULA)
                    .label("a temporal formula")
                    .help("formulas are joined with `&`, `|`, `->` and `<->`"),
            ),
            Typed::Query(..) => self.error(
                Diagnostic::error(ast.span, "a query cannot stand here")
                    .label("a query")
                    .help("only values of one state can; queries are combined with `&[…]` and arithmetic"),
            ),
        }
    }

    /// A boolean expression over one state, made of one that is typed.
    pub(super) fn boolean(&mut self, expr: Expr, ty: &Type, standing: Standing, span: Span) -> Checked<Expr> {
        match (&expr, ty) {
            (_, Type::Bool) => Ok(expr),
            (_, Type::Open(id)) => {
                self.ask_standing(*id, &expr, standing, span)?;
                Ok(expr)
            }
            (_, Type::Bit) if expr.as_variable().is_some() => {
                Ok(Expr::Compare(CompareOp::Equal, Box::new(expr), Box::new(Expr::literal(1))))
            }
            (Expr::Literal(Value::Str(text)), _) => self.event(text.clone(), span),
            _ => self.not_a_formula(&expr, ty, span),
        }
    }

    /// Something of open type stands where a formula can.
    fn ask_standing(&mut self, id: VariableId, expr: &Expr, standing: Standing, span: Span) -> Checked<()> {
        let asked = match (self.context, standing) {
            (Goal::Check, _) | (Goal::Query, Standing::Formula) => Use::Formula,
            (Goal::Query, Standing::Operand) => Use::Operand,
            (Goal::Query, Standing::Query) => {
                self.variables.suppose_formula(id);
                return Ok(());
            }
        };
        if let (Some(variable), Use::Formula) = (expr.as_variable(), asked) {
            self.variables.stands_as_formula(variable);
        }
        self.ask(id, asked, span)
    }

    /// Notes a use that bears on a variable's type; an error if it contradicts another.
    pub(super) fn ask(&mut self, id: VariableId, asked: Use, span: Span) -> Checked<()> {
        let result = self.variables.ask(id, asked, span);
        let what = match asked {
            Use::Formula | Use::Operand => "used as a formula",
            Use::Number => "used as a number",
            Use::Text => "used as a string",
            Use::Order => "compared by order",
        };
        result.or_else(|contradiction| self.contradiction(&contradiction, what, span))
    }

    fn contradiction<T>(&mut self, contradiction: &Contradiction, what: &str, span: Span) -> Checked<T> {
        let Contradiction { name, before: (before, place) } = contradiction;
        let error = if what == "compared by order" && *before == "declared a boolean" {
            Diagnostic::error(span, "booleans have no order").label("asks for one")
        } else {
            Diagnostic::error(span, format!("`{name}` is {what} here, and {before} elsewhere")).label(what)
        };
        self.error(error.also(*place, *before))
    }

    /// A string where a formula is needed: the event column equals it.
    pub(super) fn event(&mut self, text: std::sync::Arc<str>, span: Span) -> Checked<Expr> {
        let Some(event) = self.event else {
            return self.error(
                Diagnostic::error(span, "a string is not a formula")
                    .label("a string")
                    .help("compare it with a column: `activity == \"…\"`")
                    .help(Remedy::NameEventColumn),
            );
        };
        let id = self.mention(&event.name);
        self.variables.need(id, event.span);
        self.ask(id, Use::Text, event.span)?;
        let literal = Expr::Literal(Value::Str(text));
        Ok(Expr::Compare(CompareOp::Equal, Box::new(Expr::Variable(id)), Box::new(literal)))
    }

    fn not_a_formula<T>(&mut self, expr: &Expr, ty: &Type, span: Span) -> Checked<T> {
        let error = Diagnostic::error(span, format!("{ty} is not a formula")).label(format!("{ty}"));
        let error = match (expr, ty) {
            (Expr::Variable(id), Type::Number) => {
                let name = self.variables.list()[id.index()].name.clone();
                error.help(format!("compare it: `{name} > 0`"))
            }
            (_, Type::Number) => error.help("compare it with something: `… > 0`"),
            (Expr::Variable(id), Type::Text) => {
                let name = self.variables.list()[id.index()].name.clone();
                error.help(format!("compare it: `{name} == \"…\"`"))
            }
            _ => error,
        };
        self.error(error)
    }

    // ---- operators ----

    #[inline(never)]
    pub(super) fn arithmetic(&mut self, op: ArithmeticOp, left: &Ast, right: &Ast) -> Checked<Typed> {
        let (lowered_left, lowered_right) = (self.lower(left), self.lower(right));
        match (lowered_left?, lowered_right?) {
            (Typed::State(a, a_type), Typed::State(b, b_type)) => {
                let (a_checked, b_checked) = (self.number(&a_type, left.span), self.number(&b_type, right.span));
                a_checked?;
                b_checked?;
                Ok(Typed::State(Expr::Arithmetic(op, Box::new(a), Box::new(b)), Type::Number))
            }
            (a, b) => self.lifted(op, (a, left.span), (b, right.span)),
        }
    }

    /// Asks for a number.
    pub(super) fn number(&mut self, ty: &Type, span: Span) -> Checked<()> {
        if let Type::Open(id) = ty {
            return self.ask(*id, Use::Number, span);
        }
        if ty.may_be_number() {
            return Ok(());
        }
        self.error(Diagnostic::error(span, format!("expected a number, found {ty}")).label(format!("{ty}")))
    }

    #[inline(never)]
    pub(super) fn negate(&mut self, operand: &Ast) -> Checked<Typed> {
        match self.lower(operand)? {
            Typed::State(expr, ty) => {
                self.number(&ty, operand.span)?;
                Ok(Typed::State(Expr::Negate(Box::new(expr)), Type::Number))
            }
            query => {
                let zero = Typed::State(Expr::literal(0), Type::Number);
                self.lifted(ArithmeticOp::Subtract, (zero, operand.span), (query, operand.span))
            }
        }
    }

    #[inline(never)]
    pub(super) fn pair(&mut self, left: &Ast, right: &Ast) -> Checked<Typed> {
        let (left, right) = (self.state(left), self.state(right));
        let ((a, a_type), (b, b_type)) = (left?, right?);
        let ty = Type::Pair(Box::new(a_type), Box::new(b_type));
        Ok(Typed::State(Expr::Pair(Box::new(a), Box::new(b)), ty))
    }

    #[inline(never)]
    pub(super) fn compare(&mut self, op: CompareOp, left: &Ast, right: &Ast, span: Span) -> Checked<Whole> {
        let (lowered_left, lowered_right) = self.sides(left, right)?;
        match (lowered_left, lowered_right) {
            (Typed::State(a, a_type), Typed::State(b, b_type)) => {
                let (a, b) = self.comparable(op, (a, a_type, left.span), (b, b_type, right.span), span)?;
                Ok(Whole::Part(Typed::State(Expr::Compare(op, Box::new(a), Box::new(b)), Type::Bool)))
            }
            (a, b) if self.has_value(&a) || self.has_value(&b) => self
                .compare_queries(op, (a, left.span), (b, right.span))
                .map(|comparison| Whole::Comparison(Box::new(comparison))),
            _ => self.error(
                Diagnostic::error(span, "a temporal formula cannot be compared")
                    .label("compares a formula")
                    .help("`f <-> g` says that two formulas are equally true"),
            ),
        }
    }

    /// Whether a part is a query with a value, or may turn out to be one.
    fn has_value(&self, typed: &Typed) -> bool {
        matches!(typed, Typed::Query(..)) || (self.context == Goal::Query && self.may_turn_out_valued(typed))
    }

    /// Both sides of a comparison. Beside a query, values are asked for.
    pub(super) fn sides(&mut self, left: &Ast, right: &Ast) -> Checked<(Typed, Typed)> {
        let of_queries = self.is_plainly_a_query(left) || self.is_plainly_a_query(right);
        let context = if of_queries { Goal::Query } else { self.context };
        let outer = std::mem::replace(&mut self.context, context);
        let (lowered_left, lowered_right) = (self.lower(left), self.lower(right));
        self.context = outer;
        Ok((lowered_left?, lowered_right?))
    }

    /// Both sides, of one kind.
    pub(super) fn comparable(
        &mut self,
        op: CompareOp,
        (a, a_type, a_span): (Expr, Type, Span),
        (b, b_type, b_span): (Expr, Type, Span),
        span: Span,
    ) -> Checked<(Expr, Expr)> {
        self.unify(&a_type, &b_type, (a_span, b_span))?;
        match (&a, &a_type, &b, &b_type) {
            (Expr::Variable(_), Type::Text, Expr::Variable(open), Type::Open(_))
            | (Expr::Variable(open), Type::Open(_), Expr::Variable(_), Type::Text) => self.beside_texts.push(*open),
            _ => {}
        }
        let ordered = op.is_order();
        if ordered {
            self.ask_order(&a_type, span)?;
            self.ask_order(&b_type, span)?;
        }
        match (&a_type, &b_type) {
            (Type::Bool, _) | (_, Type::Bool) if ordered => self.refuse_order(op, span),
            (Type::Bool, Type::Bit) => Ok((a, self.boolean(b, &b_type, Standing::Formula, b_span)?)),
            (Type::Bit, Type::Bool) => Ok((self.boolean(a, &a_type, Standing::Formula, a_span)?, b)),
            _ if alike(&a_type, &b_type) => Ok((a, b)),
            _ => self.error(
                Diagnostic::error(span, format!("{a_type} is compared with {b_type}"))
                    .label("these two have different types")
                    .maybe_help(unlike_help(&a, &a_type, &b, &b_type)),
            ),
        }
    }

    pub(super) fn refuse_order<T>(&mut self, op: CompareOp, span: Span) -> Checked<T> {
        self.error(
            Diagnostic::error(span, "booleans have no order")
                .label(format!("`{}` asks for one", op.symbol()))
                .help("compare them with `==`, `!=` or `<->`"),
        )
    }

    /// What is compared with each other has one type: what is known of one side is asked of the
    /// other, and where nothing is known of either, they share what will be known.
    pub(super) fn unify(&mut self, a: &Type, b: &Type, (a_span, b_span): (Span, Span)) -> Checked<()> {
        match (a, b) {
            (Type::Open(left), Type::Open(right)) => {
                let joined = self.variables.join(*left, *right, a_span.to(b_span));
                joined.or_else(|contradiction| self.contradiction(&contradiction, "compared with another type", b_span))
            }
            (Type::Open(id), known) => self.ask_like(*id, known, a_span),
            (known, Type::Open(id)) => self.ask_like(*id, known, b_span),
            (Type::Pair(a, b), Type::Pair(c, d)) => {
                self.unify(a, c, (a_span, b_span))?;
                self.unify(b, d, (a_span, b_span))
            }
            _ => Ok(()),
        }
    }

    /// A variable's class is asked to be like something known.
    fn ask_like(&mut self, id: VariableId, known: &Type, span: Span) -> Checked<()> {
        match known {
            Type::Bool => {
                self.variables.stands_as_formula(id);
                self.ask(id, Use::Formula, span)
            }
            Type::Bit | Type::Number => self.ask(id, Use::Number, span),
            Type::Text => self.ask(id, Use::Text, span),
            Type::Open(_) | Type::Pair(..) | Type::List => Ok(()),
        }
    }

    pub(super) fn ask_order(&mut self, ty: &Type, span: Span) -> Checked<()> {
        match ty {
            Type::Open(id) => self.ask(*id, Use::Order, span),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    pub(super) fn membership(&mut self, operand: &Ast, values: &[Value]) -> Checked<Typed> {
        let (expr, ty) = self.state(operand)?;
        let mut expr = expr;
        for value in values {
            let Typed::State(literal, literal_type) = super::literal(value) else { continue };
            let side = (literal, literal_type, operand.span);
            (expr, _) = self.comparable(CompareOp::Equal, (expr, ty.clone(), operand.span), side, operand.span)?;
        }
        Ok(Typed::State(Expr::In(Box::new(expr), values.to_vec()), Type::Bool))
    }

    // ---- functions ----

    #[inline(never)]
    pub(super) fn call(&mut self, function: Function, arguments: &[Ast], span: Span) -> Checked<Typed> {
        match (function, arguments) {
            (Function::Defined, [argument]) => self.defined(argument),
            (Function::Abs, [argument]) => {
                let (expr, ty) = self.state(argument)?;
                self.number(&ty, argument.span)?;
                Ok(Typed::State(Expr::Abs(Box::new(expr)), Type::Number))
            }
            (Function::Len, [argument]) => {
                let expr = self.text(argument)?;
                Ok(Typed::State(Expr::Len(Box::new(expr)), Type::Number))
            }
            (Function::Matches, [argument, pattern]) => self.matches(argument, pattern),
            (Function::Min, [left, right]) => self.extreme(Function::Min, left, right),
            (Function::Max, [left, right]) => self.extreme(Function::Max, left, right),
            (_, [argument]) => self.change(function, argument, span),
            _ => self.error(Diagnostic::error(span, format!("`{}` does not take this", function.name()))),
        }
    }

    /// `defined(x)` is the one use that a trace without x allows, be it of an earlier x.
    fn defined(&mut self, argument: &Ast) -> Checked<Typed> {
        let expr = match (&argument.kind, self.parameters.is_none()) {
            (AstKind::Name(name), true) if !self.definitions.contains_key(name) => Expr::Variable(self.mention(name)),
            (AstKind::Past(operand, steps), true) => {
                let Typed::State(Expr::Defined(expr), _) = self.defined(operand)? else {
                    unreachable!("as made below")
                };
                self.back(*expr, *steps, argument.span)?
            }
            _ => self.state(argument)?.0,
        };
        Ok(Typed::State(Expr::Defined(Box::new(expr)), Type::Bool))
    }

    fn text(&mut self, argument: &Ast) -> Checked<Expr> {
        let (expr, ty) = self.state(argument)?;
        match ty {
            Type::Text => Ok(expr),
            Type::Open(id) => self.ask(id, Use::Text, argument.span).map(|()| expr),
            ty => self.error(
                Diagnostic::error(argument.span, format!("expected a string, found {ty}")).label(format!("{ty}")),
            ),
        }
    }

    fn matches(&mut self, argument: &Ast, pattern: &Ast) -> Checked<Typed> {
        let expr = self.text(argument)?;
        let AstKind::Literal(Value::Str(text)) = &pattern.kind else {
            return self.error(
                Diagnostic::error(pattern.span, "the second argument of `matches` is a regular expression in quotes")
                    .label("not a string"),
            );
        };
        match regex::Regex::new(text) {
            Ok(regex) => Ok(Typed::State(Expr::Matches(Box::new(expr), Pattern(regex)), Type::Bool)),
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                self.error(Diagnostic::error(pattern.span, "this is no regular expression").label(reason))
            }
        }
    }

    #[inline(never)]
    fn extreme(&mut self, function: Function, left: &Ast, right: &Ast) -> Checked<Typed> {
        let (lowered_left, lowered_right) = (self.lower(left), self.lower(right));
        match (lowered_left?, lowered_right?) {
            (Typed::State(a, a_type), Typed::State(b, b_type)) => {
                self.unify(&a_type, &b_type, (left.span, right.span))?;
                let span = left.span.to(right.span);
                self.ask_order(&a_type, span)?;
                self.ask_order(&b_type, span)?;
                if !alike(&a_type, &b_type) || a_type == Type::Bool || b_type == Type::Bool {
                    let message = format!("`{}` of {a_type} and {b_type}", function.name());
                    return self.error(Diagnostic::error(span, message).label("two numbers or two strings, please"));
                }
                let ty = if a_type.is_open() { b_type } else { a_type };
                let ty = if ty == Type::Bit { Type::Number } else { ty };
                let (a, b) = (Box::new(a), Box::new(b));
                let expr = if function == Function::Min { Expr::Min(a, b) } else { Expr::Max(a, b) };
                Ok(Typed::State(expr, ty))
            }
            (a, b) => self.lifted_extreme(function, (a, left.span), (b, right.span)),
        }
    }
}

/// Whether two types are of one kind, as far as is known.
pub(super) fn alike(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::Open(_), _) | (_, Type::Open(_)) => true,
        (Type::Pair(a, b), Type::Pair(c, d)) => alike(a, c) && alike(b, d),
        (left, right) => {
            (left.is_number() && right.is_number()) || (left.is_text() && right.is_text()) || left == right
        }
    }
}

fn unlike_help(a: &Expr, a_type: &Type, b: &Expr, b_type: &Type) -> Option<String> {
    let literal = match (a, b) {
        (Expr::Literal(Value::Str(text)), _) if b_type.is_number() => text,
        (_, Expr::Literal(Value::Str(text))) if a_type.is_number() => text,
        _ => return None,
    };
    let number = literal.trim().parse::<f64>().is_ok();
    Some(if number {
        format!("without quotes, {literal} is a number")
    } else {
        "all of its values are numbers; compare it with a number".into()
    })
}
