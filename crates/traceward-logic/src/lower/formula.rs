//! Connectives and temporal operators.

use super::state::Standing;
use super::{Checked, Goal, Lowering, Type, Typed};
use crate::ast::{Ast, BinaryOperator, Bound, Connective, Junction, Map, UnaryOperator};
use crate::diagnostic::{Diagnostic, Span};
use crate::expr::Expr;
use crate::formula::{BinaryOp, Direction, FormulaId, Interval, Node, Strength, Unit};
use crate::query::Query;
use crate::value::Value;

impl Lowering<'_> {
    /// A formula.
    pub(super) fn plain(&mut self, ast: &Ast) -> Checked<FormulaId> {
        let outer = std::mem::replace(&mut self.context, Goal::Check);
        let formula = self.lower(ast).and_then(|typed| self.plain_of(typed, Standing::Formula, ast.span));
        self.context = outer;
        formula
    }

    /// The formula that a part of the text is.
    pub(super) fn plain_of(&mut self, typed: Typed, standing: Standing, span: Span) -> Checked<FormulaId> {
        let formula = self.formula_of(typed, standing, span)?;
        self.words.entry(formula).or_insert(span);
        Ok(formula)
    }

    /// A formula that need not be all of the text at a place.
    fn formula_of(&mut self, typed: Typed, standing: Standing, span: Span) -> Checked<FormulaId> {
        match typed {
            Typed::Plain(formula) => Ok(formula),
            Typed::State(expr, ty) => {
                let expr = self.boolean(expr, &ty, standing, span)?;
                Ok(self.atom(expr))
            }
            Typed::Query(..) => self.error(
                Diagnostic::error(span, "a formula is needed here, and this is a query with a value")
                    .label("a query")
                    .help("compared with something, a query is a property: `count(p) == 0`"),
            ),
        }
    }

    /// A maximal boolean expression over one state. Constants are formulas of their own.
    fn atom(&mut self, expr: Expr) -> FormulaId {
        match expr {
            Expr::Literal(Value::Bool(bit)) => self.formulas.constant(bit),
            expr => self.formulas.intern_atom(expr),
        }
    }

    // ---- connectives ----

    #[inline(never)]
    pub(super) fn not(&mut self, constant: Option<&Value>, operand: &Ast) -> Checked<Typed> {
        if let Some(constant) = constant {
            let (query, _) = self.query(operand)?;
            return Ok(negated_query(constant.clone(), query));
        }
        let typed = self.lower(operand)?;
        match self.lifted_value(typed) {
            Typed::State(expr, ty) => {
                let expr = self.boolean(expr, &ty, Standing::Operand, operand.span)?;
                Ok(Typed::State(Expr::Not(Box::new(expr)), Type::Bool))
            }
            Typed::Plain(f) => Ok(Typed::Plain(self.formulas.intern(Node::Not(f)))),
            Typed::Query(query, _) => Ok(negated_query(Value::Bool(true), query)),
        }
    }

    #[inline(never)]
    pub(super) fn and(&mut self, parts: &[Ast], span: Span) -> Checked<Typed> {
        self.chain(Junction::And, parts, span)
    }

    #[inline(never)]
    pub(super) fn or(&mut self, parts: &[Ast], span: Span) -> Checked<Typed> {
        self.chain(Junction::Or, parts, span)
    }

    #[inline(never)]
    fn chain(&mut self, junction: Junction, parts: &[Ast], span: Span) -> Checked<Typed> {
        // Every part is looked at before any is given up on, so that all errors are reported.
        let lowered: Vec<Checked<Typed>> = parts.iter().map(|part| self.lower(part)).collect();
        let lowered = lowered.into_iter().collect::<Checked<Vec<Typed>>>()?;
        let lowered: Vec<Typed> = lowered.into_iter().map(|typed| self.lifted_value(typed)).collect();
        if lowered.iter().any(|typed| matches!(typed, Typed::Query(..))) {
            return self.chain_of_queries(junction, lowered, parts, span);
        }
        let runs = self.runs_of_states(junction, lowered, parts)?;
        let mut runs = runs.into_iter();
        let Some(first) = runs.next() else { unreachable!("a chain has parts") };
        if runs.len() == 0 {
            return Ok(first);
        }
        let mut whole = self.formula_of(first, Standing::Operand, span)?;
        for run in runs {
            let part = self.formula_of(run, Standing::Operand, span)?;
            whole = self.formulas.intern(match junction {
                Junction::And => Node::And(whole, part),
                Junction::Or => Node::Or(whole, part),
            });
        }
        Ok(Typed::Plain(whole))
    }

    /// Neighbouring expressions over states become one: it is evaluated as a whole, guards before
    /// what they guard.
    fn runs_of_states(&mut self, junction: Junction, lowered: Vec<Typed>, parts: &[Ast]) -> Checked<Vec<Typed>> {
        let mut runs: Vec<Typed> = Vec::new();
        let mut run: Vec<Expr> = Vec::new();
        let mut result = Ok(());
        for (typed, part) in lowered.into_iter().zip(parts) {
            match typed {
                Typed::State(expr, ty) => match self.boolean(expr, &ty, Standing::Operand, part.span) {
                    Ok(expr) => run.push(expr),
                    Err(refused) => result = Err(refused),
                },
                other => {
                    runs.extend(joined(junction, std::mem::take(&mut run)));
                    runs.push(other);
                }
            }
        }
        runs.extend(joined(junction, run));
        result.map(|()| runs)
    }

    #[inline(never)]
    pub(super) fn connect(&mut self, op: Connective, left: &Ast, right: &Ast) -> Checked<Typed> {
        let (lowered_left, lowered_right) = (self.lower(left), self.lower(right));
        let (lowered_left, lowered_right) = (lowered_left?, lowered_right?);
        for (typed, part) in [(&lowered_left, left), (&lowered_right, right)] {
            if matches!(typed, Typed::Query(..)) {
                return self.refuse_valued(op.symbol(), part.span);
            }
        }
        if let (Typed::State(a, a_type), Typed::State(b, b_type)) = (&lowered_left, &lowered_right) {
            let a = self.boolean(a.clone(), a_type, Standing::Formula, left.span);
            let b = self.boolean(b.clone(), b_type, Standing::Formula, right.span);
            let (a, b) = (Box::new(a?), Box::new(b?));
            let expr = match op {
                Connective::Xor => Expr::Xor(a, b),
                Connective::Implies => Expr::Implies(a, b),
                Connective::Iff => Expr::Iff(a, b),
            };
            return Ok(Typed::State(expr, Type::Bool));
        }
        let f = self.plain_of(lowered_left, Standing::Formula, left.span);
        let g = self.plain_of(lowered_right, Standing::Formula, right.span);
        let (f, g) = (f?, g?);
        Ok(Typed::Plain(match op {
            Connective::Xor => self.formulas.xor(f, g),
            Connective::Implies => self.formulas.implies(f, g),
            Connective::Iff => self.formulas.iff(f, g),
        }))
    }

    pub(super) fn refuse_valued<T>(&mut self, operator: &str, span: Span) -> Checked<T> {
        self.error(
            Diagnostic::error(span, format!("`{operator}` takes formulas, not queries with a value"))
                .label("a query with a value")
                .help("queries are combined with `&[…]`, `|[…]`, `![…]`, `X`, `F`, `U` and aggregates"),
        )
    }

    // ---- temporal operators ----

    #[inline(never)]
    pub(super) fn unary(
        &mut self,
        op: UnaryOperator,
        bound: Option<&Bound>,
        map: Option<&Map>,
        operand: &Ast,
    ) -> Checked<Typed> {
        self.warn_of_comparison_behind(op, operand);
        let typed = self.lower(operand)?;
        let typed = self.lifted_value(typed);
        if map.is_some() || matches!(typed, Typed::Query(..)) {
            return self.unary_query(op, bound, map, typed, operand.span);
        }
        let takes_queries = matches!(op, UnaryOperator::Next | UnaryOperator::Eventually) && bound.is_none();
        let f = self.plain_of(typed, standing(takes_queries), operand.span)?;
        let interval = self.interval(bound);
        let (future, past) = (Direction::Future, Direction::Past);
        let node = match op {
            UnaryOperator::Next => Node::Next(future, Strength::Strong, f),
            UnaryOperator::WeakNext => Node::Next(future, Strength::Weak, f),
            UnaryOperator::Previous => Node::Next(past, Strength::Strong, f),
            UnaryOperator::WeakPrevious => Node::Next(past, Strength::Weak, f),
            UnaryOperator::Eventually => Node::Eventually(future, interval, f),
            UnaryOperator::Once => Node::Eventually(past, interval, f),
            UnaryOperator::Always => Node::Always(future, interval, f),
            UnaryOperator::Historically => Node::Always(past, interval, f),
        };
        Ok(Typed::Plain(self.formulas.intern(node)))
    }

    #[inline(never)]
    pub(super) fn binary(
        &mut self,
        op: BinaryOperator,
        bound: Option<&Bound>,
        map: Option<&Map>,
        left: &Ast,
        right: &Ast,
    ) -> Checked<Typed> {
        let (lowered_left, lowered_right) = (self.lower(left), self.lower(right));
        let (lowered_left, lowered_right) = (lowered_left?, lowered_right?);
        let (lowered_left, lowered_right) = (self.lifted_value(lowered_left), self.lifted_value(lowered_right));
        let valued = |typed: &Typed| matches!(typed, Typed::Query(..));
        if map.is_some() || valued(&lowered_left) || valued(&lowered_right) {
            return self.binary_query(op, bound, map, (lowered_left, left.span), (lowered_right, right.span));
        }
        let standing = standing(op == BinaryOperator::Until && bound.is_none());
        let f = self.plain_of(lowered_left, standing, left.span);
        let g = self.plain_of(lowered_right, standing, right.span);
        let (f, g) = (f?, g?);
        let interval = self.interval(bound);
        let direction = if op.is_past() { Direction::Past } else { Direction::Future };
        let core = match op {
            BinaryOperator::Until | BinaryOperator::Since => BinaryOp::Until,
            BinaryOperator::WeakUntil | BinaryOperator::WeakSince => BinaryOp::WeakUntil,
            BinaryOperator::Release | BinaryOperator::Trigger => BinaryOp::Release,
            BinaryOperator::StrongRelease => BinaryOp::StrongRelease,
        };
        let node = Node::Binary(core, direction, interval, f, g);
        Ok(Typed::Plain(self.in_dialect(node, (op, bound), left.span.to(right.span))))
    }

    pub(super) fn interval(&mut self, bound: Option<&Bound>) -> Interval {
        let Some(bound) = bound else { return Interval::ALL };
        if bound.interval.unit == Unit::Time {
            self.needs_time.get_or_insert((bound.span, "a bound in time"));
        }
        bound.interval
    }
}

/// Where an operand stands, by whether its operator also takes queries with a value.
fn standing(takes_queries: bool) -> Standing {
    if takes_queries { Standing::Query } else { Standing::Formula }
}

fn negated_query(constant: Value, query: Query) -> Typed {
    let Typed::State(_, ty) = super::literal(&constant) else { unreachable!("a constant is an expression") };
    Typed::Query(Query::Not { constant, query: Box::new(query) }, ty)
}

fn joined(junction: Junction, mut run: Vec<Expr>) -> Option<Typed> {
    let expr = match (run.len(), junction) {
        (0, _) => return None,
        (1, _) => run.remove(0),
        (_, Junction::And) => Expr::And(run),
        (_, Junction::Or) => Expr::Or(run),
    };
    Some(Typed::State(expr, Type::Bool))
}
