//! State expressions: types of operands, and what they ask of columns.

use super::types::Use;
use super::{Checked, Goal, Lowering, Type, Typed};
use crate::ast::{Ast, AstKind, Function};
use crate::diagnostic::{Diagnostic, Span};
use crate::expr::{Expr, Pattern};
use crate::value::{ArithmeticOp, CompareOp, Value};

/// The ways an operand can be something else than a value of one state.
const NO_FORMULA: &str = "a formula has no value to compute with";

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
    pub(super) fn boolean(&mut self, expr: Expr, ty: &Type, span: Span) -> Checked<Expr> {
        match (&expr, ty) {
            (_, Type::Bool) => Ok(expr),
            (Expr::Variable(id), Type::Unknown) => {
                // In a query a column may turn out to have values, which is no error there.
                if self.context == Goal::Check {
                    self.variables.ask(*id, Use::Boolean, span);
                }
                Ok(expr)
            }
            (_, Type::Unknown) => Ok(expr),
            (Expr::Variable(_), Type::Bit) => {
                Ok(Expr::Compare(CompareOp::Equal, Box::new(expr), Box::new(Expr::literal(1))))
            }
            (Expr::Literal(Value::Str(text)), _) => self.event(text.clone(), span),
            _ => self.not_a_formula(&expr, ty, span),
        }
    }

    /// A string where a formula is needed: the event column equals it.
    fn event(&mut self, text: std::sync::Arc<str>, span: Span) -> Checked<Expr> {
        let Some(event) = self.event else {
            return self.error(
                Diagnostic::error(span, "a string is not a formula")
                    .label("a string")
                    .help("compare it with a column: `activity == \"…\"`")
                    .help("or name the column that strings stand for: `--event COLUMN`, or `trace { event COLUMN }` in the spec"),
            );
        };
        let id = self.variables.mention(&event.name);
        self.variables.need(id, event.span);
        self.variables.ask(id, Use::Event, event.span);
        let literal = Expr::Literal(Value::Str(text));
        Ok(Expr::Compare(CompareOp::Equal, Box::new(Expr::Variable(id)), Box::new(literal)))
    }

    fn not_a_formula<T>(&mut self, expr: &Expr, ty: &Type, span: Span) -> Checked<T> {
        let error = Diagnostic::error(span, format!("{ty} is not a formula")).label(format!("{ty}"));
        let error = match (expr, ty) {
            (Expr::Variable(id), Type::Int | Type::Float) => {
                let name = self.variables.list()[id.index()].name.clone();
                error.help(format!("`{name}` holds numbers other than 0 and 1; compare it: `{name} > 0`"))
            }
            (_, Type::Int | Type::Float) => error.help("compare it with something: `… > 0`"),
            (Expr::Variable(id), Type::Text) => {
                let name = self.variables.list()[id.index()].name.clone();
                error.help(format!("compare it: `{name} == \"…\"`"))
            }
            _ => error,
        };
        self.error(error)
    }

    // ---- operators ----

    pub(super) fn arithmetic(&mut self, op: ArithmeticOp, left: &Ast, right: &Ast) -> Checked<Typed> {
        let (lowered_left, lowered_right) = (self.lower(left), self.lower(right));
        match (lowered_left?, lowered_right?) {
            (Typed::State(a, a_type), Typed::State(b, b_type)) => {
                let (a_checked, b_checked) =
                    (self.number(&a, &a_type, left.span), self.number(&b, &b_type, right.span));
                a_checked?;
                b_checked?;
                let ty = if op == ArithmeticOp::Divide { Type::Float } else { a_type.arithmetic(&b_type) };
                Ok(Typed::State(Expr::Arithmetic(op, Box::new(a), Box::new(b)), ty))
            }
            (a, b) => self.lifted(op, (a, left.span), (b, right.span)),
        }
    }

    /// Asks for a number.
    pub(super) fn number(&mut self, expr: &Expr, ty: &Type, span: Span) -> Checked<()> {
        if let (Expr::Variable(id), Type::Unknown) = (expr, ty) {
            self.variables.ask(*id, Use::Number, span);
        }
        if ty.may_be_number() {
            return Ok(());
        }
        self.error(Diagnostic::error(span, format!("expected a number, found {ty}")).label(format!("{ty}")))
    }

    pub(super) fn negate(&mut self, operand: &Ast) -> Checked<Typed> {
        match self.lower(operand)? {
            Typed::State(expr, ty) => {
                self.number(&expr, &ty, operand.span)?;
                let ty = ty.arithmetic(&Type::Int);
                Ok(Typed::State(Expr::Negate(Box::new(expr)), ty))
            }
            query => {
                let zero = Typed::State(Expr::literal(0), Type::Int);
                self.lifted(ArithmeticOp::Subtract, (zero, operand.span), (query, operand.span))
            }
        }
    }

    pub(super) fn pair(&mut self, left: &Ast, right: &Ast) -> Checked<Typed> {
        let (left, right) = (self.state(left), self.state(right));
        let ((a, a_type), (b, b_type)) = (left?, right?);
        let ty = Type::Pair(Box::new(a_type), Box::new(b_type));
        Ok(Typed::State(Expr::Pair(Box::new(a), Box::new(b)), ty))
    }

    pub(super) fn compare(&mut self, op: CompareOp, left: &Ast, right: &Ast, span: Span) -> Checked<Typed> {
        let (lowered_left, lowered_right) = (self.lower(left), self.lower(right));
        let (lowered_left, lowered_right) = (lowered_left?, lowered_right?);
        if matches!(lowered_left, Typed::Query(..)) || matches!(lowered_right, Typed::Query(..)) {
            return self.error(
                Diagnostic::error(span, "a query is compared only in an assert")
                    .label("a query is compared here")
                    .help("write `assert NAME = query <= constant`, in a spec or behind -e"),
            );
        }
        let (Typed::State(a, a_type), Typed::State(b, b_type)) = (lowered_left, lowered_right) else {
            return self.error(
                Diagnostic::error(span, "a temporal formula cannot be compared")
                    .label("compares a formula")
                    .help("`f <-> g` says that two formulas are equally true"),
            );
        };
        let (a, b) = self.comparable(op, (a, a_type, left.span), (b, b_type, right.span), span)?;
        Ok(Typed::State(Expr::Compare(op, Box::new(a), Box::new(b)), Type::Bool))
    }

    /// Both sides, of one kind.
    fn comparable(
        &mut self,
        op: CompareOp,
        (a, a_type, a_span): (Expr, Type, Span),
        (b, b_type, b_span): (Expr, Type, Span),
        span: Span,
    ) -> Checked<(Expr, Expr)> {
        self.ask_like(&a, &a_type, &b_type, a_span);
        self.ask_like(&b, &b_type, &a_type, b_span);
        let ordered = op.is_order();
        match (&a_type, &b_type) {
            (Type::Bool, _) | (_, Type::Bool) if ordered => self.error(
                Diagnostic::error(span, "booleans have no order")
                    .label(format!("`{}` asks for one", op.symbol()))
                    .help("compare them with `==`, `!=` or `<->`"),
            ),
            (Type::Bool, Type::Bit) => Ok((a, self.boolean(b, &b_type, b_span)?)),
            (Type::Bit, Type::Bool) => Ok((self.boolean(a, &a_type, a_span)?, b)),
            _ if alike(&a_type, &b_type) => Ok((a, b)),
            _ => self.error(
                Diagnostic::error(span, format!("{a_type} is compared with {b_type}"))
                    .label("these two have different types")
                    .maybe_help(unlike_help(&a, &a_type, &b, &b_type)),
            ),
        }
    }

    /// A variable that is compared with something known is asked to be like it. A string asks nothing: what is compared
    /// with one is text unless all of it is something else, and then the comparison is a slip.
    fn ask_like(&mut self, expr: &Expr, ty: &Type, other: &Type, span: Span) {
        let (Expr::Variable(id), Type::Unknown) = (expr, ty) else { return };
        match other {
            Type::Bool => self.variables.ask(*id, Use::Boolean, span),
            other if other.is_number() => self.variables.ask(*id, Use::Number, span),
            _ => {}
        }
    }

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

    pub(super) fn call(&mut self, function: Function, arguments: &[Ast], span: Span) -> Checked<Typed> {
        match (function, arguments) {
            (Function::Defined, [argument]) => self.defined(argument),
            (Function::Abs, [argument]) => {
                let (expr, ty) = self.state(argument)?;
                self.number(&expr, &ty, argument.span)?;
                Ok(Typed::State(Expr::Abs(Box::new(expr)), ty.arithmetic(&Type::Int)))
            }
            (Function::Len, [argument]) => {
                let expr = self.text(argument)?;
                Ok(Typed::State(Expr::Len(Box::new(expr)), Type::Int))
            }
            (Function::Matches, [argument, pattern]) => self.matches(argument, pattern),
            (Function::Min, [left, right]) => self.extreme(Function::Min, left, right),
            (Function::Max, [left, right]) => self.extreme(Function::Max, left, right),
            _ => self.error(Diagnostic::error(span, format!("`{}` does not take this", function.name()))),
        }
    }

    /// `defined(x)` is the one use that a trace without x allows.
    fn defined(&mut self, argument: &Ast) -> Checked<Typed> {
        let expr = match &argument.kind {
            AstKind::Name(name) if self.parameters.is_none() && !self.definitions.contains_key(name) => {
                Expr::Variable(self.variables.mention(name))
            }
            _ => self.state(argument)?.0,
        };
        Ok(Typed::State(Expr::Defined(Box::new(expr)), Type::Bool))
    }

    fn text(&mut self, argument: &Ast) -> Checked<Expr> {
        let (expr, ty) = self.state(argument)?;
        match ty {
            Type::Unknown | Type::Text => Ok(expr),
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

    fn extreme(&mut self, function: Function, left: &Ast, right: &Ast) -> Checked<Typed> {
        let (lowered_left, lowered_right) = (self.lower(left), self.lower(right));
        match (lowered_left?, lowered_right?) {
            (Typed::State(a, a_type), Typed::State(b, b_type)) => {
                self.ask_like(&a, &a_type, &b_type, left.span);
                self.ask_like(&b, &b_type, &a_type, right.span);
                let span = left.span.to(right.span);
                if !alike(&a_type, &b_type) || a_type == Type::Bool || b_type == Type::Bool {
                    let message = format!("`{}` of {a_type} and {b_type}", function.name());
                    return self.error(Diagnostic::error(span, message).label("two numbers or two strings, please"));
                }
                let ty = if a_type.is_number() { a_type.arithmetic(&b_type) } else { b_type };
                let (a, b) = (Box::new(a), Box::new(b));
                let expr = if function == Function::Min { Expr::Min(a, b) } else { Expr::Max(a, b) };
                Ok(Typed::State(expr, ty))
            }
            (a, b) => self.lifted_extreme(function, (a, left.span), (b, right.span)),
        }
    }
}

/// Whether two types are of one kind, as far as is known.
fn alike(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::Unknown, _) | (_, Type::Unknown) => true,
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
