//! Statements to locations and transitions.
//!
//! A statement is a location, and the two have the same number within their process: statements are
//! numbered as they are written, and the end of the process comes last. So a statement knows where
//! its successors are before they are looked at, and loops need no second look.

use super::{Checker, Labels};
use crate::expression::Expression;
use crate::program::{Effect, Guard, Location, Place, Target, Transition};
use crate::syntax::{ActionTree, BinaryOperator, ExpressionTree, Named, PlaceTree, Scalar, Statement, StatementKind};
use traceward_logic::diagnostic::{Diagnostic, Span};

/// The label of the location behind a process' last statement.
const END: &str = "end";

impl Checker<'_> {
    /// The locations of a process.
    pub(super) fn locations(&mut self, body: &[Statement], labels: &Labels) -> Vec<Location> {
        let starts: Vec<usize> = self.text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let line = |span: Span| starts.partition_point(|start| *start <= span.start as usize) + 1;
        let labelled = labels.named.iter().enumerate().map(|(number, label)| Location {
            label: label.name.clone(),
            line: line(label.span),
            in_front: vec![number],
            transitions: Vec::new(),
        });
        let end = Location { label: END.to_owned(), line: 0, in_front: Vec::new(), transitions: Vec::new() };
        let mut flow = Flow { locations: labelled.chain([end]).collect(), labels };
        self.list(body, labels.named.len(), &mut flow);
        flow.locations
    }

    /// Statements one after the other; `next` is where the last one leads.
    fn list(&mut self, statements: &[Statement], next: usize, flow: &mut Flow<'_>) {
        for (number, statement) in statements.iter().enumerate() {
            let next = statements.get(number + 1).map_or(next, |statement| flow.number(statement));
            self.statement(statement, next, flow);
        }
    }

    fn statement(&mut self, statement: &Statement, next: usize, flow: &mut Flow<'_>) {
        let here = flow.number(statement);
        let made = match &statement.kind {
            StatementKind::Action(action) => self.action(action, None, statement, next),
            StatementKind::After { steps, action } => self.action(action, Some(*steps), statement, next),
            StatementKind::If { condition, then, otherwise } => {
                self.list(then, next, flow);
                self.list(otherwise, next, flow);
                let otherwise = otherwise.first().map_or(next, |first| flow.number(first));
                self.branch(condition, statement, flow.first(then, next), otherwise)
            }
            StatementKind::While { condition, body } => {
                self.list(body, here, flow);
                self.branch(condition, statement, flow.first(body, here), next)
            }
            StatementKind::Loop { body } => {
                // The end of the body leads to its beginning: the loop itself is visited once.
                let first = flow.first(body, here);
                self.list(body, first, flow);
                Some(transition(statement, Guard::Always, Effect::Nothing, Target::Location(first)))
            }
            StatementKind::Selection(alternatives) => return self.selection(here, alternatives, next, flow),
        };
        flow.locations[here].transitions.extend(made);
    }

    /// Control at a selection is in front of all its alternatives, and goes on by the first step of
    /// one of them.
    fn selection(&mut self, here: usize, alternatives: &[Vec<Statement>], next: usize, flow: &mut Flow<'_>) {
        for alternative in alternatives {
            self.list(alternative, next, flow);
            let first = &flow.locations[flow.first(alternative, next)];
            let (in_front, transitions) = (first.in_front.clone(), first.transitions.clone());
            flow.locations[here].in_front.extend(in_front);
            flow.locations[here].transitions.extend(transitions);
        }
    }

    fn branch(
        &mut self,
        condition: &ExpressionTree,
        statement: &Statement,
        then: usize,
        otherwise: usize,
    ) -> Option<Transition> {
        let condition = self.expression_of(condition, Scalar::Boolean)?;
        let target = Target::Either { condition, then, otherwise };
        Some(transition(statement, Guard::Always, Effect::Nothing, target))
    }

    fn action(
        &mut self,
        action: &ActionTree,
        delay: Option<u64>,
        statement: &Statement,
        next: usize,
    ) -> Option<Transition> {
        let (guard, effect) = match action {
            ActionTree::Skip => (Guard::Always, Effect::Nothing),
            ActionTree::Request(place) => {
                let (place, value) = self.semaphore(place)?;
                let positive = binary(BinaryOperator::Greater, value.clone(), 0);
                (Guard::Holds(positive), Effect::Assign(place, binary(BinaryOperator::Subtract, value, 1)))
            }
            ActionTree::Release(place) => {
                let (place, value) = self.semaphore(place)?;
                (Guard::Always, Effect::Assign(place, binary(BinaryOperator::Add, value, 1)))
            }
            ActionTree::Await(condition) => {
                (Guard::Holds(self.expression_of(condition, Scalar::Boolean)?), Effect::Nothing)
            }
            ActionTree::Assign(places, values) => (Guard::Always, self.assignment(places, values, statement.span)?),
            ActionTree::Send(channel, values) => self.send(channel, values, delay.is_some(), statement.span)?,
            ActionTree::Receive(channel, places) => self.receive(channel, places, statement.span)?,
        };
        Some(Transition { delay, ..transition(statement, guard, effect, Target::Location(next)) })
    }

    /// A semaphore as a place and as a value.
    fn semaphore(&mut self, tree: &PlaceTree) -> Option<(Place, Expression)> {
        let place = self.place_of(tree, Scalar::Integer)?;
        let value = match &place {
            Place::Scalar(slot) => Expression::Scalar(*slot),
            Place::Element(array, index) => {
                self.arrays[*array].is_read = true;
                Expression::Element(*array, Box::new(index.clone()))
            }
        };
        Some((place, value))
    }

    fn assignment(&mut self, places: &[PlaceTree], values: &[ExpressionTree], span: Span) -> Option<Effect> {
        if places.len() != values.len() {
            let message =
                format!("{} assigned to {}", counted(values.len(), "value"), counted(places.len(), "variable"));
            return self.fail(Diagnostic::error(span, message).label("each variable gets one value"));
        }
        self.refuse_twice(places)?;
        let mut pairs = Vec::with_capacity(places.len());
        for (place, value) in places.iter().zip(values) {
            // A mistake in one does not hide those in the others.
            if let Some((place, ty)) = self.place(place)
                && let Some(value) = self.expression_of(value, ty)
            {
                pairs.push((place, value));
            }
        }
        match pairs.len() {
            made if made < places.len() => None,
            1 => pairs.pop().map(|(place, value)| Effect::Assign(place, value)),
            _ => Some(Effect::AssignAll(pairs)),
        }
    }

    /// Of two values at once for one variable it could not be said which one stays.
    fn refuse_twice(&mut self, places: &[PlaceTree]) -> Option<()> {
        for (number, place) in places.iter().enumerate() {
            let is_same = |other: &&PlaceTree| {
                other.name.name == place.name.name && other.index.is_none() && place.index.is_none()
            };
            if let Some(other) = places[..number].iter().find(is_same) {
                let error =
                    Diagnostic::error(place.name.span, format!("`{}` gets two values at once", place.name.name));
                return self.fail(error.label("the second").also(other.name.span, "the first"));
            }
        }
        Some(())
    }

    fn send(&mut self, name: &Named, values: &[ExpressionTree], is_timed: bool, span: Span) -> Option<(Guard, Effect)> {
        let channel = self.channel_named(name)?;
        let of = self.items[channel].clone();
        self.fits(name, of.len(), values.len(), span)?;
        let item: Vec<Expression> =
            values.iter().zip(of).filter_map(|(value, ty)| self.expression_of(value, ty)).collect();
        let guard = match self.channels[channel].capacity {
            None => Guard::Always,
            Some(_) if is_timed => {
                let error = Diagnostic::error(span, "what comes after a time must not wait");
                return self.fail(error.label("this waits while the channel is full"));
            }
            Some(capacity) => Guard::NotFull { channel, capacity },
        };
        (item.len() == values.len()).then_some((guard, Effect::Send { channel, item }))
    }

    fn receive(&mut self, name: &Named, trees: &[PlaceTree], span: Span) -> Option<(Guard, Effect)> {
        let channel = self.channel_named(name)?;
        let of = self.items[channel].clone();
        self.fits(name, of.len(), trees.len(), span)?;
        self.refuse_twice(trees)?;
        let places: Vec<Place> = trees.iter().zip(of).filter_map(|(place, ty)| self.place_of(place, ty)).collect();
        (places.len() == trees.len()).then_some((Guard::NotEmpty { channel }, Effect::Receive { channel, places }))
    }

    fn fits(&mut self, name: &Named, width: usize, found: usize, span: Span) -> Option<()> {
        if width == found {
            return Some(());
        }
        let message = format!("an item of `{}` has {}, not {found}", name.name, counted(width, "value"));
        self.fail(Diagnostic::error(span, message).label(format!("{found} here")))
    }
}

/// The locations of a process, and the numbers of its statements.
struct Flow<'l> {
    locations: Vec<Location>,
    labels: &'l Labels,
}

impl Flow<'_> {
    fn number(&self, statement: &Statement) -> usize {
        self.labels.numbers[&statement.label.name]
    }

    /// The number of the first of some statements.
    fn first(&self, statements: &[Statement], otherwise: usize) -> usize {
        statements.first().map_or(otherwise, |statement| self.number(statement))
    }
}

fn transition(statement: &Statement, guard: Guard, effect: Effect, target: Target) -> Transition {
    Transition { guard, delay: None, effect, target, span: statement.span, label: statement.label.name.clone() }
}

fn binary(operator: BinaryOperator, left: Expression, right: i64) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(Expression::Constant(right)))
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
