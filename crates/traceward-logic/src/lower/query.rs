//! Queries.

use super::state::{Standing, alike};
use super::{Checked, Goal, Lowering, Type, Typed};
use crate::ast::{Aggregate, Ast, BinaryOperator, Bound, Combiner, Fold, Function, Junction, Map, UnaryOperator};
use crate::diagnostic::{Diagnostic, Span};
use crate::expr::Expr;
use crate::formula::{Direction, FormulaId, Interval, Node};
use crate::query::{Comparison, Query};
use crate::value::{ArithmeticOp, CompareOp, Value};
use std::sync::Arc;

impl Lowering<'_> {
    /// A query: a formula is one that is `true` where it holds, an expression one that never fails
    /// but where missing.
    pub(super) fn query(&mut self, ast: &Ast) -> Checked<(Query, Type)> {
        let typed = self.lower(ast)?;
        self.query_of(typed, ast.span)
    }

    fn query_of(&mut self, typed: Typed, span: Span) -> Checked<(Query, Type)> {
        match typed {
            Typed::Query(query, ty) => Ok((query, ty)),
            Typed::Plain(formula) => Ok((Query::Holds(formula), Type::Bool)),
            Typed::State(expr, ty) if is_condition(&expr, &ty) || self.is_event_string(&expr) => {
                let formula = self.plain_of(Typed::State(expr, ty), Standing::Operand, span)?;
                Ok((Query::Holds(formula), Type::Bool))
            }
            Typed::State(expr, ty) => Ok((self.everywhere(expr), ty)),
        }
    }

    /// An expression as a query that has its value wherever it is defined.
    pub(super) fn everywhere(&mut self, expr: Expr) -> Query {
        match expr {
            Expr::Literal(constant) => Query::Constant(constant),
            expr => Query::Value { guard: self.formulas.constant(true), expr },
        }
    }

    /// A query whose value is asked for: a column of 0 and 1 alone is a number there.
    pub(super) fn value_of(&mut self, ast: &Ast) -> Checked<(Query, Type)> {
        let typed = self.lower(ast)?;
        self.value_of_typed(typed, ast.span)
    }

    pub(super) fn value_of_typed(&mut self, typed: Typed, span: Span) -> Checked<(Query, Type)> {
        match typed {
            Typed::State(expr, Type::Bit) => Ok((self.everywhere(expr), Type::Bit)),
            typed => self.query_of(typed, span),
        }
    }

    /// In a query, an expression with a value stands for itself wherever it is defined: `e` is
    /// `true : e`.
    pub(super) fn lifted_value(&mut self, typed: Typed) -> Typed {
        match typed {
            Typed::State(expr, ty)
                if self.context == Goal::Query
                    && !is_condition(&expr, &ty)
                    && !ty.is_open()
                    && !self.is_event_string(&expr) =>
            {
                Typed::Query(self.everywhere(expr), ty)
            }
            other => other,
        }
    }

    fn is_event_string(&self, expr: &Expr) -> bool {
        self.event.is_some() && matches!(expr, Expr::Literal(Value::Str(_)))
    }

    #[inline(never)]
    pub(super) fn guard(&mut self, guard: &Ast, value: &Ast) -> Checked<Typed> {
        let (guard, value) = (self.plain(guard), self.state(value));
        let (guard, (expr, ty)) = (guard?, value?);
        Ok(Typed::Query(Query::Value { guard, expr }, ty))
    }

    #[inline(never)]
    pub(super) fn default(&mut self, operand: &Ast, constant: &Value) -> Checked<Typed> {
        let (query, ty) = self.value_of(operand)?;
        Ok(Typed::Query(Query::Default { query: Box::new(query), constant: constant.clone() }, ty))
    }

    // ---- comparison ----

    /// A comparison of which a side is a query. Expressions beside it have their value at position
    /// 0, booleans too.
    pub(super) fn compare_queries(
        &mut self,
        op: CompareOp,
        (left, left_span): (Typed, Span),
        (right, right_span): (Typed, Span),
    ) -> Checked<Comparison> {
        let unsettled = self.may_turn_out_valued(&left) || self.may_turn_out_valued(&right);
        let (left, right) = (self.side(left, left_span), self.side(right, right_span));
        let ((left, left_type), (right, right_type)) = (left?, right?);
        if !unsettled {
            self.comparable_types(op, (&left_type, left_span), (&right_type, right_span))?;
        }
        Ok(Comparison::new(left, op, right))
    }

    /// Whether what looks like a formula may have a value once the trace is known: `X x`.
    pub(super) fn may_turn_out_valued(&self, typed: &Typed) -> bool {
        self.schema.is_none() && matches!(typed, Typed::Plain(_) | Typed::Query(_, Type::Bool))
    }

    fn side(&mut self, typed: Typed, span: Span) -> Checked<(Query, Type)> {
        match typed {
            Typed::State(expr, ty) => Ok((self.everywhere(expr), ty)),
            typed => self.query_of(typed, span),
        }
    }

    fn comparable_types(
        &mut self,
        op: CompareOp,
        (left, left_span): (&Type, Span),
        (right, right_span): (&Type, Span),
    ) -> Checked<()> {
        let span = left_span.to(right_span);
        self.unify(left, right, (left_span, right_span))?;
        if op.is_order() {
            self.ask_order(left, span)?;
            self.ask_order(right, span)?;
        }
        match (left, right) {
            (Type::Bool, Type::Bool) if op.is_order() => self.refuse_order(op, span),
            _ if alike(left, right) => Ok(()),
            _ => self.error(
                Diagnostic::error(span, format!("{left} is compared with {right}"))
                    .label("these two have different types"),
            ),
        }
    }

    // ---- combination ----

    #[inline(never)]
    pub(super) fn combine(
        &mut self,
        junction: Junction,
        combiner: &Combiner,
        left: &Ast,
        right: &Ast,
        span: Span,
    ) -> Checked<Typed> {
        let (left, right) = (self.operand(left), self.operand(right));
        let ((left, left_type), (right, right_type)) = (left?, right?);
        let (combine, ty) = self.combining(combiner, left_type, right_type, span)?;
        Ok(junction_of(junction, combine, ty, left, right))
    }

    /// A query beside a connective. A variable alone is a formula there, unless other uses say
    /// otherwise.
    fn operand(&mut self, ast: &Ast) -> Checked<(Query, Type)> {
        let typed = self.lower(ast)?;
        if let Typed::State(expr, ty @ Type::Open(_)) = &typed
            && expr.as_variable().is_some()
        {
            self.boolean(expr.clone(), ty, Standing::Operand, ast.span)?;
        }
        self.query_of(typed, ast.span)
    }

    fn combining(&mut self, combiner: &Combiner, left: Type, right: Type, span: Span) -> Checked<(Expr, Type)> {
        let (a, b) = (Expr::Parameter(0), Expr::Parameter(1));
        match combiner {
            Combiner::First => Ok((a, left)),
            Combiner::Second => Ok((b, right)),
            Combiner::Pair => Ok((Expr::Pair(Box::new(a), Box::new(b)), Type::Pair(Box::new(left), Box::new(right)))),
            Combiner::Function([first, second], body) => {
                self.function(vec![(first.clone(), left), (second.clone(), right)], body)
            }
            Combiner::Arithmetic(_) | Combiner::Min | Combiner::Max => {
                if !self.could_be_number(&left) || !self.could_be_number(&right) {
                    let error = Diagnostic::error(span, format!("`[{combiner}]` of {left} and {right}"))
                        .label("both sides must be numbers")
                        .help("a formula has no number; `p : 1` counts it as 1");
                    return self.error(error);
                }
                let ty = Type::Number;
                Ok(match combiner {
                    Combiner::Min => (Expr::Min(Box::new(a), Box::new(b)), ty),
                    Combiner::Max => (Expr::Max(Box::new(a), Box::new(b)), ty),
                    Combiner::Arithmetic(op) => (Expr::Arithmetic(*op, Box::new(a), Box::new(b)), ty),
                    _ => unreachable!("matched above"),
                })
            }
        }
    }

    /// Whether a query's value may be a number. Before the trace is known, what looks like a
    /// formula may be one: `X x`.
    fn could_be_number(&self, ty: &Type) -> bool {
        ty.may_be_number() || (self.schema.is_none() && *ty == Type::Bool)
    }

    /// The body of a function, which sees its parameters and nothing else.
    fn function(&mut self, parameters: Vec<(Arc<str>, Type)>, body: &Ast) -> Checked<(Expr, Type)> {
        let outer = self.parameters.replace(parameters);
        let result = self.state(body);
        self.parameters = outer;
        result
    }

    /// `a & b & c` where at least one has a value: the values of the others must be `true`.
    pub(super) fn chain_of_queries(
        &mut self,
        junction: Junction,
        lowered: Vec<Typed>,
        parts: &[Ast],
        span: Span,
    ) -> Checked<Typed> {
        let mut whole: Option<(Query, Type, Valued)> = None;
        for (typed, part) in lowered.into_iter().zip(parts) {
            let valued = match &typed {
                Typed::Query(..) => Valued::Yes,
                Typed::State(expr, ty) if !is_condition(expr, ty) && ty.is_number() => Valued::Yes,
                _ => Valued::No,
            };
            let (query, ty) = match valued {
                Valued::Yes => self.query_of(typed, part.span)?,
                Valued::No => (Query::Holds(self.plain_of(typed, Standing::Operand, part.span)?), Type::Bool),
            };
            whole = Some(match whole {
                None => (query, ty, valued),
                Some(so_far) => self.join_queries(junction, so_far, (query, ty, valued), span)?,
            });
        }
        let Some((query, ty, _)) = whole else { unreachable!("a chain has parts") };
        Ok(Typed::Query(query, ty))
    }

    fn join_queries(
        &mut self,
        junction: Junction,
        (left, left_type, left_valued): (Query, Type, Valued),
        (right, right_type, right_valued): (Query, Type, Valued),
        span: Span,
    ) -> Checked<(Query, Type, Valued)> {
        let (combine, ty, valued) = match (left_valued, right_valued, junction) {
            (Valued::No, Valued::No, _) => (Expr::literal(true), Type::Bool, Valued::No),
            (Valued::Yes, Valued::No, Junction::And) => (Expr::Parameter(0), left_type, Valued::Yes),
            (Valued::No, Valued::Yes, Junction::And) => (Expr::Parameter(1), right_type, Valued::Yes),
            _ => {
                let symbol = if junction == Junction::And { "&" } else { "|" };
                let what = if left_valued == right_valued { "two values" } else { "a value and a formula" };
                return self.error(
                    Diagnostic::error(span, format!("`{symbol}` does not know what to make of {what}"))
                        .label("both sides may succeed here")
                        .help(format!("say how to combine them: `a {symbol}[+] b`, `a {symbol}[first] b`, `a {symbol}[(a, b) => …] b`")),
                );
            }
        };
        let Typed::Query(query, ty) = junction_of(junction, combine, ty, left, right) else {
            unreachable!("a junction of queries is a query")
        };
        Ok((query, ty, valued))
    }

    /// Arithmetic between queries: `count(p) / count(q)` is `count(p) &[/] count(q)`.
    pub(super) fn lifted(&mut self, op: ArithmeticOp, left: (Typed, Span), right: (Typed, Span)) -> Checked<Typed> {
        self.lift(&Combiner::Arithmetic(op), left, right)
    }

    pub(super) fn lifted_extreme(
        &mut self,
        function: Function,
        left: (Typed, Span),
        right: (Typed, Span),
    ) -> Checked<Typed> {
        let combiner = if function == Function::Min { Combiner::Min } else { Combiner::Max };
        self.lift(&combiner, left, right)
    }

    #[inline(never)]
    fn lift(
        &mut self,
        combiner: &Combiner,
        (left, left_span): (Typed, Span),
        (right, right_span): (Typed, Span),
    ) -> Checked<Typed> {
        for (typed, span) in [(&left, left_span), (&right, right_span)] {
            if matches!(typed, Typed::Plain(_)) {
                return self.error(
                    Diagnostic::error(span, "a formula has no value to compute with").label("a temporal formula"),
                );
            }
        }
        let (left, right) = (self.query_of(left, left_span), self.query_of(right, right_span));
        let ((left, left_type), (right, right_type)) = (left?, right?);
        let (combine, ty) = self.combining(combiner, left_type, right_type, left_span.to(right_span))?;
        Ok(junction_of(Junction::And, combine, ty, left, right))
    }

    // ---- temporal operators ----

    pub(super) fn unary_query(
        &mut self,
        op: UnaryOperator,
        bound: Option<&Bound>,
        map: Option<&Map>,
        operand: Typed,
        span: Span,
    ) -> Checked<Typed> {
        if !matches!(op, UnaryOperator::Next | UnaryOperator::Eventually) {
            return self.refuse_valued(op.symbol(), span);
        }
        self.refuse_bound(op.symbol(), bound)?;
        let (query, ty) = self.query_of(operand, span)?;
        let (map, ty) = self.mapping(map, ty)?;
        let query = Box::new(query);
        if op == UnaryOperator::Next {
            return Ok(Typed::Query(Query::Next { map, query }, ty));
        }
        let left = Box::new(Query::Holds(self.formulas.constant(true)));
        Ok(Typed::Query(Query::Until { map, left, right: query }, ty))
    }

    pub(super) fn binary_query(
        &mut self,
        op: BinaryOperator,
        bound: Option<&Bound>,
        map: Option<&Map>,
        (left, left_span): (Typed, Span),
        (right, right_span): (Typed, Span),
    ) -> Checked<Typed> {
        if op != BinaryOperator::Until {
            let span = if matches!(left, Typed::Query(..)) { left_span } else { right_span };
            return self.refuse_valued(op.symbol(), span);
        }
        self.refuse_bound(op.symbol(), bound)?;
        let (left, right) = (self.query_of(left, left_span), self.query_of(right, right_span));
        let ((left, _), (right, ty)) = (left?, right?);
        let (map, ty) = self.mapping(map, ty)?;
        Ok(Typed::Query(Query::Until { map, left: Box::new(left), right: Box::new(right) }, ty))
    }

    fn refuse_bound(&mut self, operator: &str, bound: Option<&Bound>) -> Checked<()> {
        match bound {
            None => Ok(()),
            Some(bound) => self.error(
                Diagnostic::error(bound.span, format!("`{operator}` with a bound takes formulas, not queries"))
                    .label("a bound on a query"),
            ),
        }
    }

    fn mapping(&mut self, map: Option<&Map>, ty: Type) -> Checked<(Expr, Type)> {
        match map {
            None => Ok((Expr::Parameter(0), ty)),
            Some(map) => self.function(vec![(map.parameter.clone(), ty)], &map.body),
        }
    }

    // ---- aggregates ----

    #[inline(never)]
    pub(super) fn aggregate(
        &mut self,
        aggregate: Aggregate,
        arguments: &[Ast],
        condition: Option<&Ast>,
    ) -> Checked<Typed> {
        let mut queries = Vec::new();
        let mut ty = Type::Number;
        for argument in arguments {
            let (query, argument_type) = self.collected(aggregate, argument)?;
            queries.push(query);
            ty = argument_type;
        }
        let condition = self.condition(condition)?;
        let ty = summary_type(aggregate, ty);
        Ok(Typed::Query(Query::Aggregate { aggregate, queries, condition }, ty))
    }

    /// A fold. The accumulator has the type of its start, and keeps it. Numbers are one type: an
    /// integer becomes a float where the arithmetic makes it one.
    #[inline(never)]
    pub(super) fn fold(&mut self, fold: &Fold) -> Checked<Typed> {
        let typed = self.lower(&fold.query)?;
        let unsettled = self.may_turn_out_valued(&typed);
        let (query, value_type) = self.value_of_typed(typed, fold.query.span)?;
        let condition = self.condition(fold.condition.as_ref())?;
        let Typed::State(start, ty) = super::literal(&fold.start.value) else { unreachable!("a literal is a state's") };
        // The function sees nothing but its parameters, so it can wait until their types are known.
        let combine = if unsettled { start } else { self.folding(fold, &ty, value_type)? };
        let (start, query) = (fold.start.value.clone(), Box::new(query));
        Ok(Typed::Query(Query::Fold { start, combine, order: fold.order, query, condition }, ty))
    }

    /// The function of a fold. What it gives is the next accumulator, so it has that type.
    fn folding(&mut self, fold: &Fold, start: &Type, value: Type) -> Checked<Expr> {
        let [accumulator_name, value_name] = fold.parameters.clone();
        let parameters = vec![(accumulator_name, start.clone()), (value_name, value)];
        let (combine, given) = self.function(parameters, &fold.body)?;
        self.unify(start, &given, (fold.start.span, fold.body.span))?;
        if alike(start, &given) {
            return Ok(combine);
        }
        self.error(
            Diagnostic::error(fold.body.span, format!("this fold starts from {start} and goes on with {given}"))
                .label(format!("{given}"))
                .also(fold.start.span, format!("{start}"))
                .help(format!("what the function gives is the next `{}`, so both have one type", fold.parameters[0])),
        )
    }

    fn condition(&mut self, condition: Option<&Ast>) -> Checked<Option<FormulaId>> {
        condition.map(|condition| self.plain(condition)).transpose()
    }

    /// What an aggregate collects. Only those that compute ask for numbers. A column of 0 and 1 is
    /// numbers to all of them but `count`, which counts the ones.
    fn collected(&mut self, aggregate: Aggregate, argument: &Ast) -> Checked<(Query, Type)> {
        match aggregate {
            Aggregate::Count => return self.counted(argument),
            Aggregate::Histogram(None) | Aggregate::First | Aggregate::Last | Aggregate::Mode | Aggregate::Distinct => {
                return self.by_value(argument);
            }
            _ => {}
        }
        let typed = self.lower(argument)?;
        if let Typed::State(expr, ty) = &typed
            && expr.as_variable().is_some()
            && ty.may_be_number()
        {
            self.number(ty, argument.span)?;
            return Ok((self.everywhere(expr.clone()), ty.clone()));
        }
        let (query, ty) = self.query_of(typed, argument.span)?;
        if self.could_be_number(&ty) {
            return Ok((query, ty));
        }
        let help = match aggregate {
            Aggregate::Histogram(_) => "without a number of buckets, `histogram(…)` tells how often each value occurs",
            _ => "`count(p)` counts where a formula holds; `p : x` is x where p holds",
        };
        self.error(
            Diagnostic::error(argument.span, format!("`{}` needs numbers, and this is {ty}", aggregate.name()))
                .label(format!("{ty}"))
                .help(help),
        )
    }

    /// What those collect that take values of every type. A boolean variable alone is no formula
    /// there, now or some states ago: it is the false ones, too, that are to be told.
    fn by_value(&mut self, argument: &Ast) -> Checked<(Query, Type)> {
        match self.lower(argument)? {
            Typed::State(expr, ty) if expr.as_variable().is_some() => Ok((self.everywhere(expr), ty)),
            typed => self.value_of_typed(typed, argument.span),
        }
    }

    /// What `count` counts: where something holds. A variable alone stands as a formula.
    fn counted(&mut self, argument: &Ast) -> Checked<(Query, Type)> {
        let typed = self.lower(argument)?;
        match &typed {
            Typed::State(expr, _) if expr.as_variable().is_some() => {
                let formula = self.plain_of(typed, Standing::Formula, argument.span)?;
                Ok((Query::Holds(formula), Type::Bool))
            }
            _ => self.query_of(typed, argument.span),
        }
    }

    #[inline(never)]
    pub(super) fn latency(&mut self, request: &Ast, grant: &Ast) -> Checked<Typed> {
        let (request, grant) = (self.plain(request), self.plain(grant));
        let (request, grant) = (request?, grant?);
        let answered = Node::Eventually(Direction::Future, Interval::ALL, grant);
        let answered = self.formulas.intern(answered);
        self.latencies.push((request, answered));
        let clock = if self.schema.is_some_and(|schema| schema.has_time) { Expr::Time } else { Expr::Position };
        let from = Query::Value { guard: request, expr: clock.clone() };
        let anything = Box::new(Query::Holds(self.formulas.constant(true)));
        let to = Query::Value { guard: grant, expr: clock };
        let to = Query::Until { map: Expr::Parameter(0), left: anything, right: Box::new(to) };
        let passed =
            Expr::Arithmetic(ArithmeticOp::Subtract, Box::new(Expr::Parameter(1)), Box::new(Expr::Parameter(0)));
        Ok(junction_of(Junction::And, passed, Type::Number, from, to))
    }
}

/// Whether a part of a conjunction brings a value along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Valued {
    Yes,
    No,
}

/// Whether an expression alone is a formula: it is boolean, or a column of 0 and 1, which stands
/// for one.
fn is_condition(expr: &Expr, ty: &Type) -> bool {
    *ty == Type::Bool || (*ty == Type::Bit && expr.as_variable().is_some())
}

fn junction_of(junction: Junction, combine: Expr, ty: Type, left: Query, right: Query) -> Typed {
    let (left, right) = (Box::new(left), Box::new(right));
    let query = match junction {
        Junction::And => Query::And { combine, left, right },
        Junction::Or => Query::Or { combine, left, right },
    };
    Typed::Query(query, ty)
}

fn summary_type(aggregate: Aggregate, of: Type) -> Type {
    match aggregate {
        Aggregate::Count | Aggregate::Distinct | Aggregate::Avg | Aggregate::Stddev | Aggregate::Corr => Type::Number,
        Aggregate::Histogram(_) => Type::List,
        Aggregate::Sum => Type::Number,
        Aggregate::Min
        | Aggregate::Max
        | Aggregate::First
        | Aggregate::Last
        | Aggregate::Mode
        | Aggregate::Quantile(_)
        | Aggregate::Median => of,
    }
}
