//! Names and types of expressions and places.

use super::{Checker, Meaning};
use crate::expression::Expression;
use crate::program::Place;
use crate::syntax::{BinaryOperator, ExpressionKind, ExpressionTree, Named, PlaceTree, Scalar, UnaryOperator};
use traceward_logic::diagnostic::{Diagnostic, Span, did_you_mean};

impl Checker<'_> {
    /// An expression that must be of a type.
    pub(super) fn expression_of(&mut self, tree: &ExpressionTree, ty: Scalar) -> Option<Expression> {
        let (expression, found) = self.expression(tree)?;
        if found == ty {
            return Some(expression);
        }
        let message = format!("expected {}, found {}", ty.words(), found.words());
        self.fail(Diagnostic::error(tree.span, message).label(format!("this is {}", found.words())))
    }

    /// An expression and its type.
    fn expression(&mut self, tree: &ExpressionTree) -> Option<(Expression, Scalar)> {
        match &tree.kind {
            ExpressionKind::Integer(value) => Some((Expression::Constant(*value), Scalar::Integer)),
            ExpressionKind::Boolean(value) => Some((Expression::Constant(i64::from(*value)), Scalar::Boolean)),
            ExpressionKind::Name(name) => self.variable(name, tree.span),
            ExpressionKind::Element(name, index) => self.element(name, index),
            ExpressionKind::Unary(UnaryOperator::Not, of) => {
                let of = self.expression_of(of, Scalar::Boolean)?;
                Some((Expression::Not(Box::new(of)), Scalar::Boolean))
            }
            ExpressionKind::Unary(UnaryOperator::Negate, of) => {
                let of = self.expression_of(of, Scalar::Integer)?;
                Some((Expression::Negate(Box::new(of)), Scalar::Integer))
            }
            ExpressionKind::Binary(operator, left, right) => self.binary(*operator, left, right),
        }
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &ExpressionTree,
        right: &ExpressionTree,
    ) -> Option<(Expression, Scalar)> {
        let (left, right) = match operator {
            BinaryOperator::Equal | BinaryOperator::NotEqual => {
                let (left, ty) = self.expression(left)?;
                (left, self.expression_of(right, ty)?)
            }
            operator => {
                let ty = operand_type(operator);
                // Both sides are looked at, so that both are told.
                let (left, right) = (self.expression_of(left, ty), self.expression_of(right, ty));
                (left?, right?)
            }
        };
        Some((Expression::Binary(operator, Box::new(left), Box::new(right)), result_type(operator)))
    }

    fn variable(&mut self, name: &str, span: Span) -> Option<(Expression, Scalar)> {
        if let Some(index) = &self.initial_of {
            return match index {
                Some(index) if index == name => Some((Expression::Index, Scalar::Integer)),
                _ => self.fail(not_constant(name, span)),
            };
        }
        match self.meaning(name, span)? {
            Meaning::Scalar { slot, ty } => Some((Expression::Scalar(slot), ty)),
            Meaning::Array { .. } => {
                let error = Diagnostic::error(span, format!("`{name}` is an array")).label("as a whole it is no value");
                self.fail(error.help(format!("an element is `{name}[1]`")))
            }
            other => {
                let error = Diagnostic::error(span, format!("`{name}` is {}", other.words())).label("it has no value");
                let is_channel = matches!(other, Meaning::Channel { .. });
                let help = is_channel.then(|| format!("`{name} <= 1` sends to it, `{name} => x` receives from it"));
                self.fail(error.maybe_help(help))
            }
        }
    }

    fn element(&mut self, name: &Named, index: &ExpressionTree) -> Option<(Expression, Scalar)> {
        if self.initial_of.is_some() {
            return self.fail(not_constant(&name.name, name.span));
        }
        let (array, ty) = self.array_named(name)?;
        self.arrays[array].is_read = true;
        let index = self.expression_of(index, Scalar::Integer)?;
        Some((Expression::Element(array, Box::new(index)), ty))
    }

    fn array_named(&mut self, name: &Named) -> Option<(usize, Scalar)> {
        match self.meaning(&name.name, name.span)? {
            Meaning::Array { array, ty } => Some((array, ty)),
            other => {
                let error = Diagnostic::error(name.span, format!("`{}` is no array", name.name));
                self.fail(error.label(format!("this is {}", other.words())))
            }
        }
    }

    /// A place and the type of its value.
    pub(super) fn place(&mut self, tree: &PlaceTree) -> Option<(Place, Scalar)> {
        let name = &tree.name;
        if let Some(index) = &tree.index {
            let (array, ty) = self.array_named(name)?;
            let index = self.expression_of(index, Scalar::Integer)?;
            return Some((Place::Element(array, index), ty));
        }
        match self.variable(&name.name, name.span)? {
            (Expression::Scalar(slot), ty) => Some((Place::Scalar(slot), ty)),
            _ => None,
        }
    }

    /// A place whose value must be of a type.
    pub(super) fn place_of(&mut self, tree: &PlaceTree, ty: Scalar) -> Option<Place> {
        let (place, found) = self.place(tree)?;
        if found == ty {
            return Some(place);
        }
        let message = format!("expected {}, and `{}` is {}", ty.words(), tree.name.name, found.words());
        self.fail(Diagnostic::error(tree.name.span, message).label(format!("this is {}", found.words())))
    }

    /// A channel's number.
    pub(super) fn channel_named(&mut self, name: &Named) -> Option<usize> {
        match self.meaning(&name.name, name.span)? {
            Meaning::Channel { channel } => Some(channel),
            other => {
                let error = Diagnostic::error(name.span, format!("`{}` is no channel", name.name));
                let error = error.label(format!("this is {}", other.words()));
                self.fail(error.help("`<=` sends to a channel and `=>` receives from it; `:=` assigns to a variable"))
            }
        }
    }

    /// What a name stands for: first what it is in the process, then outside.
    fn meaning(&mut self, name: &str, span: Span) -> Option<Meaning> {
        if let Some((meaning, _)) = self.locals.get(name).or_else(|| self.globals.get(name)) {
            return Some(*meaning);
        }
        let is_variable = |(name, (meaning, _)): (&'_ String, &(Meaning, Span))| {
            (!matches!(meaning, Meaning::Process)).then(|| name.clone())
        };
        let names: Vec<String> = self.locals.iter().chain(&self.globals).filter_map(is_variable).collect();
        let near = did_you_mean(name, names.iter().map(String::as_str).chain(["true", "false"]));
        let error = Diagnostic::error(span, format!("there is no variable `{name}`")).label("not declared");
        let help = near.unwrap_or_else(|| format!("declare it: `local {name} : integer`"));
        self.fail(error.help(help))
    }
}

fn not_constant(name: &str, span: Span) -> Diagnostic {
    let error = Diagnostic::error(span, format!("the value of `{name}` is not known at the beginning"));
    error.label("not a constant").help("a first value is made of numbers, and of the index of an array")
}

fn operand_type(operator: BinaryOperator) -> Scalar {
    match operator {
        BinaryOperator::And | BinaryOperator::Or => Scalar::Boolean,
        _ => Scalar::Integer,
    }
}

fn result_type(operator: BinaryOperator) -> Scalar {
    match operator {
        BinaryOperator::Add
        | BinaryOperator::Subtract
        | BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Remainder => Scalar::Integer,
        _ => Scalar::Boolean,
    }
}
