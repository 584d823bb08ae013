//! Variables, and their values at the beginning.

use super::{Checker, Meaning};
use crate::expression::{Array, Expression};
use crate::program::{Channel, ColumnType, MOST_ELEMENTS_SHOWN, Source};
use crate::random::Chance;
use crate::syntax::{Condition, Declaration, Named, Scalar, TypeTree};
use traceward_logic::diagnostic::{Diagnostic, Span, did_you_mean};

impl Checker<'_> {
    /// Declares variables: those of a process, or global ones.
    pub(super) fn declare_all(&mut self, declarations: &[Declaration], process: Option<&str>) {
        for declaration in declarations {
            for name in &declaration.names {
                self.declare(name, declaration, process);
            }
            for condition in &declaration.conditions {
                self.refuse_stranger(condition, declaration);
            }
        }
    }

    fn declare(&mut self, name: &Named, declaration: &Declaration, process: Option<&str>) {
        let scope = if process.is_some() { &self.locals } else { &self.globals };
        if let Some((_, other)) = scope.get(&name.name) {
            let error = Diagnostic::error(name.span, format!("`{}` is declared twice", name.name));
            let error = error.label("the second time").also(*other, "the first time");
            return self.fail(error).unwrap_or_default();
        }
        let shown = process.map_or(name.name.clone(), |process| format!("{process}.{}", name.name));
        let conditions: Vec<&Condition> =
            declaration.conditions.iter().filter(|condition| condition.subject.name == name.name).collect();
        if let [first, second, ..] = conditions[..] {
            let error = Diagnostic::error(second.subject.span, format!("`{}` begins with one value", name.name));
            self.fail::<()>(error.label("another one").also(first.subject.span, "one"));
        }
        let condition = conditions.first().copied();
        let meaning = match &declaration.ty {
            TypeTree::Scalar(ty) => self.scalar(name, *ty, shown, condition),
            TypeTree::Array { first, last, of } => self.array(name, (*first, *last), *of, shown, condition),
            TypeTree::Channel { capacity, of, loss } => {
                let channel = Channel { name: shown, width: of.len(), capacity: *capacity, loss: Chance::new(*loss) };
                self.channel(name.span, channel, of.clone(), condition)
            }
        };
        let scope = if process.is_some() { &mut self.locals } else { &mut self.globals };
        scope.insert(name.name.clone(), (meaning, name.span));
    }

    /// A `where` speaks of the variables that it stands behind.
    fn refuse_stranger(&mut self, condition: &Condition, declaration: &Declaration) {
        let names = || declaration.names.iter().map(|name| name.name.as_str());
        let Condition { subject, .. } = condition;
        if names().any(|name| name == subject.name) {
            return;
        }
        let error = Diagnostic::error(subject.span, format!("`{}` is not declared here", subject.name));
        let error = error.label("`where` speaks of the variables before it");
        self.fail::<()>(error.maybe_help(did_you_mean(&subject.name, names())));
    }

    fn scalar(&mut self, name: &Named, ty: Scalar, shown: String, condition: Option<&Condition>) -> Meaning {
        let slot = self.values.scalars.len();
        let value = condition.and_then(|condition| self.first_value(condition, ty, false));
        let value = value.and_then(|(value, span)| self.constant(&value, 0, span));
        self.values.scalars.push(value.unwrap_or(0));
        self.column(shown, column_type(ty), Source::Scalar(slot), name.span);
        Meaning::Scalar { slot, ty }
    }

    fn array(
        &mut self,
        name: &Named,
        (first, last): (i64, Option<i64>),
        ty: Scalar,
        shown: String,
        condition: Option<&Condition>,
    ) -> Meaning {
        let array = self.arrays.len();
        let initial = condition.and_then(|condition| self.first_value(condition, ty, true));
        let (initial, span) = initial.unwrap_or((Expression::Constant(0), name.span));
        let count = last.map(|last| last.abs_diff(first).saturating_add(1));
        let columns = count.filter(|count| *count <= MOST_ELEMENTS_SHOWN as u64).unwrap_or(0) as usize;
        let mut elements = Vec::with_capacity(columns);
        for offset in 0..columns {
            let index = first + offset as i64;
            elements.push(self.constant(&initial, index, span).unwrap_or(0));
            self.column(format!("{shown}.{index}"), column_type(ty), Source::Element { array, offset }, name.span);
        }
        self.values.elements.push(elements);
        self.arrays.push(Array { name: shown, first, last, initial, is_read: columns > 0 });
        Meaning::Array { array, ty }
    }

    fn channel(&mut self, span: Span, channel: Channel, of: Vec<Scalar>, condition: Option<&Condition>) -> Meaning {
        let number = self.channels.len();
        if let Some(condition) = condition {
            let error = Diagnostic::error(condition.subject.span, "a channel is empty at the beginning");
            self.fail::<()>(error.label("this is a channel"));
        }
        self.column(format!("{}.length", channel.name), ColumnType::Integer, Source::Length { channel: number }, span);
        self.channels.push(channel);
        self.items.push(of);
        Meaning::Channel { channel: number }
    }

    /// The expression behind a `where` with its place.
    fn first_value(&mut self, condition: &Condition, ty: Scalar, is_array: bool) -> Option<(Expression, Span)> {
        let Condition { subject, index, value } = condition;
        if is_array != index.is_some() {
            let name = &subject.name;
            let error = Diagnostic::error(
                subject.span,
                match is_array {
                    true => format!("`{name}` is an array"),
                    false => format!("`{name}` is no array"),
                },
            );
            return self.fail(match is_array {
                true => error.label("its elements begin with values").help(format!("write `where {name}[k] = 10 * k`")),
                false => error.label("it has no elements").help(format!("write `where {name} = …`")),
            });
        }
        self.initial_of = Some(index.as_ref().map(|index| index.name.clone()));
        let value_of = self.expression_of(value, ty);
        self.initial_of = None;
        Some((value_of?, value.span))
    }

    /// The value of an expression without variables.
    fn constant(&mut self, value: &Expression, index: i64, span: Span) -> Option<i64> {
        match value.value_at(&self.arrays, &self.values, index) {
            Ok(value) => Some(value),
            Err(trouble) => {
                let message = trouble.words(&self.arrays, &self.channels);
                self.fail(Diagnostic::error(span, message).label("this has no value"))
            }
        }
    }
}

fn column_type(ty: Scalar) -> ColumnType {
    match ty {
        Scalar::Integer => ColumnType::Integer,
        Scalar::Boolean => ColumnType::Boolean,
    }
}
