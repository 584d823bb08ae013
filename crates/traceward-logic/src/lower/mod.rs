//! From what was written to what is evaluated: names are resolved, types checked, sugar taken away.
//!
//! It happens twice. Before a trace is read, types of variables are unknown, and what comes out is
//! what the spec asks of its columns. With the trace's [`Schema`] everything is known, and what
//! comes out is final.

mod dialect;
mod earlier;
mod formula;
mod query;
mod query_form;
mod state;
mod trigger;
mod types;

pub use trigger::{Response, Trigger};
pub use types::{ClassId, Expected, Schema, Type, Variable, Variables};

use crate::ast::{Ast, AstKind, Connective, Named, SpecAst, Statement, StatementKind};
use crate::diagnostic::{Diagnostic, Remedy, Severity, Span, did_you_mean};
use crate::expr::Expr;
use crate::formula::{FormulaId, Formulas, Node};
use crate::parse;
use crate::query::{Comparison, Query};
use crate::trace::VariableId;
use crate::value::{CompareOp, Value, ValueType};
use query_form::QueriesByForm;
use rustc_hash::FxHashMap;
use state::Standing;
use std::sync::Arc;
use trigger::Reached;

/// The number of operators that the uses of `let` may unfold to. A chain of definitions that each
/// use the one before twice doubles with every line.
const EXPANSION_LIMIT: u64 = 1_000_000;

/// The number of operators by which each statement raises that limit.
const COPIED_BY_STATEMENT: u64 = 8;

/// The depth to which the uses of `let` may unfold, because the result is evaluated recursively. It
/// is above the depth that one text may nest to.
const DEPTH_LIMIT: usize = 2 * parse::NESTING_LIMIT + 200;

/// The meaning of a text that is a formula or query alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// A property, unless it is plainly a query.
    Check,
    /// A query.
    Query,
}

/// A spec ready to be evaluated.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The formulas of properties and queries.
    pub formulas: Formulas,
    /// The variables.
    pub variables: Variables,
    /// The properties, which must hold.
    pub properties: Vec<Property>,
    /// The queries, which are measured.
    pub queries: Vec<NamedQuery>,
    /// The place in the text of each formula that was written; of several places the first.
    pub words: FxHashMap<FormulaId, Span>,
    /// The place where timestamps are first needed, and what needs them.
    pub needs_time: Option<(Span, &'static str)>,
    /// The expression that holds in the last state of a key's trace, as a formula; none if such
    /// traces end with the whole.
    pub end_when: Option<FormulaId>,
    /// Probable mistakes.
    pub warnings: Vec<Diagnostic>,
}

impl Lowered {
    /// The expression that holds in the last state of a key's trace.
    pub fn end_marker(&self) -> Option<Expr> {
        Some(match self.formulas.node(self.end_when?) {
            Node::Atom(atom) => self.formulas.atom(atom).clone(),
            node => Expr::Literal(Value::Bool(matches!(node, Node::Constant(true)))),
        })
    }
}

/// A property: a claim that must hold.
#[derive(Clone, Debug)]
pub struct Property {
    /// The name of the property; none for a formula alone.
    pub name: Option<Arc<str>>,
    /// The description behind the name.
    pub description: Option<Arc<str>>,
    /// The tree that was written.
    pub body: Ast,
    /// The claim that must hold.
    pub claim: Claim,
    /// The left sides of implications on which the property rests, the outermost first; none
    /// before there is a trace.
    pub triggers: Vec<Trigger>,
    /// What the property asks for within a window, again and again; none before there is a trace.
    pub responses: Vec<Response>,
}

/// The claim of a property.
#[derive(Clone, Debug)]
pub enum Claim {
    /// The formula holds at position 0.
    Formula(FormulaId),
    /// Both queries succeed, and their values compare so.
    Assert(Comparison),
}

/// A query with its name: something that is measured.
#[derive(Clone, Debug)]
pub struct NamedQuery {
    /// The name of the query; none for a query alone.
    pub name: Option<Arc<str>>,
    /// The description behind the name.
    pub description: Option<Arc<str>>,
    /// The place in the text.
    pub span: Span,
    /// The tree that was read.
    pub body: Ast,
    /// The query that is measured.
    pub query: Query,
    /// For each latency in the query, the formula that holds where a request is made, and the one
    /// that holds where an answer follows.
    pub latencies: Vec<(FormulaId, FormulaId)>,
}

/// The declarations about columns that a spec speaks of.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// The column that a string alone is compared with.
    pub event: Option<Named>,
    /// Variables whose type is declared; of several declarations of one variable the last counts.
    pub types: Vec<(Named, ValueType)>,
    /// The expression that holds in the last state of a key's trace.
    pub end_when: Option<Ast>,
}

/// Resolves and checks specs, in order; later ones may use what earlier ones name by `let`.
///
/// Without a schema, only what is wrong whatever the trace holds is an error.
pub fn lower(
    specs: &[(SpecAst, Goal)],
    declarations: &Declarations,
    schema: Option<&Schema>,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut lowering = Lowering::new(schema, declarations);
    for (spec, _) in specs {
        lowering.take_definitions(spec);
    }
    for (spec, goal) in specs {
        for statement in &spec.statements {
            lowering.statement(statement, *goal);
        }
    }
    if let Some(marker) = &declarations.end_when {
        let _reported = lowering.end_marker(marker);
    }
    lowering.check_unused_definitions();
    lowering.finish()
}

/// A part of a spec, resolved: what it is depends on what it is made of.
#[derive(Clone, Debug)]
enum Typed {
    /// An expression over one state.
    State(Expr, Type),
    /// A formula with temporal operators.
    Plain(FormulaId),
    /// A query.
    Query(Query, Type),
}

/// A part of a spec that may be all of a statement.
#[derive(Clone, Debug)]
enum Whole {
    /// A part that may also stand inside another.
    Part(Typed),
    /// A comparison of queries, which stands only on the outside.
    Comparison(Box<Comparison>),
}

/// An error has been reported; there is nothing to go on with.
#[derive(Clone, Copy, Debug)]
struct Refused;

type Checked<T> = Result<T, Refused>;

/// The state of a definition by `let`.
enum Definition {
    Written(Ast),
    BeingLowered,
    Done { whole: Checked<Whole>, cost: u64, height: usize },
}

impl Definition {
    fn is_unused(&self) -> bool {
        matches!(self, Self::Written(_))
    }
}

struct Lowering<'a> {
    schema: Option<&'a Schema>,
    event: Option<&'a Named>,
    declared: FxHashMap<&'a str, (ValueType, Span)>,
    formulas: Formulas,
    variables: Variables,
    definitions: FxHashMap<Arc<str>, Definition>,
    /// The tree of each definition by `let`.
    bodies: FxHashMap<Arc<str>, Ast>,
    /// The definitions that can be nothing but queries.
    queries_by_form: QueriesByForm,
    /// The goal of the part that is being lowered: a formula or a value.
    context: Goal,
    /// The parameters in scope, inside a query's function.
    parameters: Option<Vec<(Arc<str>, Type)>>,
    /// The number of operators so far, with those that definitions were copied with.
    expanded: u64,
    /// The number of operators that definitions were copied with.
    copied: u64,
    /// The number of statements so far.
    statements: u64,
    /// Whether it has been said that the definitions unfold too far: once is enough.
    unfolds_too_far: bool,
    /// The depth of the part that is being looked at, and the greatest depth so far.
    depth: usize,
    deepest: usize,
    words: FxHashMap<FormulaId, Span>,
    needs_time: Option<(Span, &'static str)>,
    end_when: Option<FormulaId>,
    properties: Vec<Property>,
    queries: Vec<NamedQuery>,
    /// The latencies of the query that is being lowered.
    latencies: Vec<(FormulaId, FormulaId)>,
    /// The variables of no known type that are compared with a column of texts.
    beside_texts: Vec<VariableId>,
    /// Whether the note on windows has been made: once is enough.
    window_is_noted: bool,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Lowering<'a> {
    fn new(schema: Option<&'a Schema>, declarations: &'a Declarations) -> Self {
        let declared = declarations.types.iter().map(|(named, ty)| (&*named.name, (*ty, named.span)));
        Self {
            schema,
            event: declarations.event.as_ref(),
            declared: declared.collect(),
            formulas: Formulas::new(),
            variables: Variables::default(),
            definitions: FxHashMap::default(),
            bodies: FxHashMap::default(),
            queries_by_form: QueriesByForm::default(),
            context: Goal::Check,
            parameters: None,
            expanded: 0,
            copied: 0,
            statements: 0,
            unfolds_too_far: false,
            depth: 0,
            deepest: 0,
            words: FxHashMap::default(),
            needs_time: None,
            end_when: None,
            properties: Vec::new(),
            queries: Vec::new(),
            latencies: Vec::new(),
            beside_texts: Vec::new(),
            window_is_noted: false,
            diagnostics: Vec::new(),
        }
    }

    fn take_definitions(&mut self, spec: &SpecAst) {
        for statement in spec.statements.iter().filter(|statement| statement.kind == StatementKind::Let) {
            if let Some(name) = &statement.name {
                self.queries_by_form.add(&name.name, &statement.body);
                self.definitions.insert(name.name.clone(), Definition::Written(statement.body.clone()));
                self.bodies.insert(name.name.clone(), statement.body.clone());
            }
        }
    }

    /// Checks definitions that nobody uses: they must make sense all the same, but ask nothing of a
    /// trace.
    fn check_unused_definitions(&mut self) {
        // The spec alone was checked before there was a trace.
        if self.schema.is_some() {
            return;
        }
        let mut unused: Vec<Arc<str>> =
            self.definitions.iter().filter(|(_, one)| one.is_unused()).map(|(name, _)| name.clone()).collect();
        unused.sort_unstable();
        let (variables, needs_time) = (self.variables.clone(), self.needs_time);
        for name in unused {
            if let Some(Definition::Written(body)) = self.definitions.get(&name) {
                let span = body.span;
                let _reported = self.definition(&name, span);
            }
        }
        self.variables = variables;
        self.needs_time = needs_time;
    }

    /// A declared type of a variable that nobody uses is a slip if it is nearly one that somebody
    /// does. Other columns may be declared for other specs.
    fn warn_of_misspelt_declarations(&mut self) {
        let names = self.variables.names();
        let mut unused: Vec<(&str, Span)> = self
            .declared
            .iter()
            .filter(|(name, _)| !names.iter().any(|one| **one == ***name))
            .map(|(name, (_, span))| (*name, *span))
            .collect();
        unused.sort_unstable_by_key(|(name, _)| *name);
        for (name, span) in unused {
            if let Some(help) = did_you_mean(name, names.iter().map(|name| &**name)) {
                let warning = Diagnostic::warning(span, format!("a type is declared for `{name}`, which nobody uses"));
                self.diagnostics.push(warning.label("not used").help(help));
            }
        }
    }

    fn finish(mut self) -> Result<Lowered, Vec<Diagnostic>> {
        self.warn_of_misspelt_declarations();
        self.refuse_absent_variables();
        self.refuse_missing_time();
        let (errors, warnings): (Vec<_>, Vec<_>) =
            self.diagnostics.into_iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Lowered {
            formulas: self.formulas,
            variables: self.variables,
            properties: self.properties,
            queries: self.queries,
            words: self.words,
            needs_time: self.needs_time,
            end_when: self.end_when,
            warnings,
        })
    }

    fn refuse_absent_variables(&mut self) {
        let Some(schema) = self.schema.filter(|schema| schema.names_known) else { return };
        for ((id, variable), expected) in (0..).zip(self.variables.list()).zip(self.variables.expected()) {
            let Some(span) = variable.needed_at.filter(|_| variable.declared.is_none()) else { continue };
            if schema.types.contains_key(&variable.name) {
                continue;
            }
            let names = schema.names.iter().map(String::as_str);
            let near = did_you_mean(&variable.name, names);
            // What is only compared with other variables may be a text that lacks its quotes.
            let may_be_text = match expected {
                Expected::Open(_) | Expected::OpenOrdered(_) => true,
                Expected::Type(ValueType::String) => self.beside_texts.contains(&VariableId(id)),
                _ => false,
            };
            let is_null = ["null", "nil", "none"].iter().any(|null| variable.name.eq_ignore_ascii_case(null));
            let text = match near {
                None if is_null => Some("whether there is a value is asked like this: defined(x), !defined(x)".into()),
                None if may_be_text => Some(format!("a text stands in quotes: \"{}\"", variable.name)),
                _ => None,
            };
            let error = Diagnostic::error(span, format!("the trace has no `{}`", variable.name))
                .label("not in the trace")
                .maybe_help(text)
                .maybe_help(near.or_else(|| names_there_are(&schema.names)));
            self.diagnostics.push(error);
        }
    }

    fn refuse_missing_time(&mut self) {
        let Some((span, what)) = self.needs_time else { return };
        if self.schema.is_some_and(|schema| !schema.has_time) {
            let error = Diagnostic::error(span, format!("{what} needs timestamps, and the trace has none"))
                .label("needs timestamps")
                .help(Remedy::NameTimeColumn);
            self.diagnostics.push(error);
        }
    }

    fn error<T>(&mut self, diagnostic: Diagnostic) -> Checked<T> {
        self.diagnostics.push(diagnostic);
        Err(Refused)
    }

    // ---- statements ----

    fn statement(&mut self, statement: &Statement, goal: Goal) {
        self.statements += 1;
        let _reported = match statement.kind {
            StatementKind::Let => Ok(()),
            StatementKind::Property => self.property(statement),
            StatementKind::Query => self.query_statement(statement),
            StatementKind::Assert => self.assert_statement(statement),
            StatementKind::Bare => self.bare(statement, goal),
        };
    }

    fn bare(&mut self, statement: &Statement, goal: Goal) -> Checked<()> {
        let is_query = goal == Goal::Query || self.is_plainly_a_query(&statement.body);
        if is_query { self.query_statement(statement) } else { self.property(statement) }
    }

    /// Whether the text can be nothing but a query: it has a form that only queries have, or uses
    /// a definition that can be nothing else.
    fn is_plainly_a_query(&self, ast: &Ast) -> bool {
        let is_query = |name: &Arc<str>| match self.definitions.get(name) {
            Some(Definition::Written(_)) => self.queries_by_form.contains(name),
            Some(Definition::Done { whole: Ok(Whole::Part(Typed::Query(..))), .. }) => true,
            _ => false,
        };
        let mut uses_query = false;
        query_form::has_query_form(ast, &mut |name| uses_query |= is_query(name)) || uses_query
    }

    fn property(&mut self, statement: &Statement) -> Checked<()> {
        let claim = match self.whole(&statement.body, Goal::Check)? {
            Whole::Comparison(comparison) => Claim::Assert(*comparison),
            Whole::Part(typed) => Claim::Formula(self.plain_of(typed, Standing::Formula, statement.body.span)?),
        };
        if let Claim::Formula(formula) = claim {
            self.warn_of_past_outside(&statement.body, formula);
            self.warn_of_narrow_operator(&statement.body);
        }
        self.claim(statement, claim);
        Ok(())
    }

    fn claim(&mut self, statement: &Statement, claim: Claim) {
        let Reached { triggers, responses } = match claim {
            Claim::Formula(_) if self.schema.is_some() => self.reached(&statement.body),
            _ => Reached::default(),
        };
        self.properties.push(Property {
            name: statement.name.as_ref().map(|name| name.name.clone()),
            description: statement.description.clone(),
            body: statement.body.clone(),
            claim,
            triggers,
            responses,
        });
    }

    /// `G p -> q` is `(G p) -> q`, and people who write it mean `G(p -> q)`.
    fn warn_of_narrow_operator(&mut self, body: &Ast) {
        let AstKind::Connect(Connective::Implies, left, right) = &body.kind else { return };
        let AstKind::Unary(op, bound, None, operand) = &left.kind else { return };
        let in_brackets = left.span.end > operand.span.end;
        if in_brackets {
            return;
        }
        let bound = bound.as_ref().map(|bound| bound.interval.to_string()).unwrap_or_default();
        let operator = format!("{}{bound}", op.symbol());
        let warning = Diagnostic::warning(
            left.span,
            format!("`{left} -> …` is read as `({left}) -> …`: `{operator}` takes the left side alone"),
        )
        .label(format!("all that `{operator}` takes"))
        .help(format!(
            "did you mean `{operator}({operand} -> {right})`? brackets around the left side say that you do not"
        ));
        self.diagnostics.push(warning);
    }

    /// A property is judged at position 0, where there is no past to speak of.
    fn warn_of_past_outside(&mut self, body: &Ast, formula: FormulaId) {
        let looks_back = match self.formulas.node(formula) {
            Node::Atom(atom) => self.formulas.atom(atom).looks_back(),
            _ => false,
        };
        let (what, label) = match &body.kind {
            AstKind::Unary(op, ..) if op.is_past() => ("outermost operator looks", format!("`{}`", op.symbol())),
            AstKind::Binary(op, ..) if op.is_past() => ("outermost operator looks", format!("`{}`", op.symbol())),
            _ if looks_back => ("formula looks", "all of it".to_owned()),
            _ => return,
        };
        let warning = Diagnostic::warning(
            body.span,
            format!("the {what} at the past: it is judged at position 0, which has none"),
        )
        .label(format!("{label} at position 0"))
        .help("did you mean `G(…)` around it?");
        self.diagnostics.push(warning);
    }

    fn query_statement(&mut self, statement: &Statement) -> Checked<()> {
        self.latencies.clear();
        let query = match self.whole(&statement.body, Goal::Query)? {
            Whole::Comparison(comparison) => Query::Compare(comparison),
            Whole::Part(typed) => self.value_of_typed(typed, statement.body.span)?.0,
        };
        let latencies = std::mem::take(&mut self.latencies);
        self.queries.push(NamedQuery {
            name: statement.name.as_ref().map(|name| name.name.clone()),
            description: statement.description.clone(),
            span: statement.body.span,
            body: statement.body.clone(),
            query,
            latencies,
        });
        Ok(())
    }

    /// `assert NAME = …`: a comparison on the outside, of whatever has a value.
    fn assert_statement(&mut self, statement: &Statement) -> Checked<()> {
        let comparison = match &statement.body.kind {
            AstKind::Compare(op, left, right) => {
                let outer = std::mem::replace(&mut self.context, Goal::Query);
                let asserted = self.asserted(*op, left, right, statement.body.span);
                self.context = outer;
                asserted?
            }
            _ => match self.whole(&statement.body, Goal::Query)? {
                Whole::Comparison(comparison) => *comparison,
                Whole::Part(_) => return self.refuse_assert(statement.body.span),
            },
        };
        self.claim(statement, Claim::Assert(comparison));
        Ok(())
    }

    fn asserted(&mut self, op: CompareOp, left: &Ast, right: &Ast, span: Span) -> Checked<Comparison> {
        match self.sides(left, right)? {
            (Typed::State(a, a_type), Typed::State(b, b_type)) => {
                let (a, b) = self.comparable(op, (a, a_type, left.span), (b, b_type, right.span), span)?;
                Ok(Comparison::new(self.everywhere(a), op, self.everywhere(b)))
            }
            (a, b) => self.compare_queries(op, (a, left.span), (b, right.span)),
        }
    }

    fn refuse_assert<T>(&mut self, span: Span) -> Checked<T> {
        let error = Diagnostic::error(span, "an assert compares queries")
            .label("no comparison on the outside")
            .help("for example `assert semaphore = max(r) <= 1`; a formula that must hold is a `property`");
        self.error(error)
    }

    /// The expression by which traces of keys end.
    fn end_marker(&mut self, marker: &Ast) -> Checked<()> {
        let Whole::Part(typed @ Typed::State(..)) = self.whole(marker, Goal::Check)? else {
            let error = Diagnostic::error(marker.span, "the last state of a trace is known by itself")
                .label("no expression over one state")
                .help("for example `event == \"closed\"`, without temporal operators and queries");
            return self.error(error);
        };
        self.end_when = Some(self.plain_of(typed, Standing::Formula, marker.span)?);
        Ok(())
    }

    /// All of a statement, in its context.
    fn whole(&mut self, ast: &Ast, context: Goal) -> Checked<Whole> {
        let outer = std::mem::replace(&mut self.context, context);
        let result = self.lower_whole(ast);
        self.context = outer;
        result
    }

    // ---- what a part is ----

    /// A part inside another.
    fn lower(&mut self, ast: &Ast) -> Checked<Typed> {
        match self.lower_whole(ast)? {
            Whole::Part(typed) => {
                if let Typed::Plain(formula) = typed {
                    self.words.entry(formula).or_insert(ast.span);
                }
                Ok(typed)
            }
            Whole::Comparison(_) => self.refuse_comparison(ast.span),
        }
    }

    // Errors are made in functions of their own, and the kinds of parts are not inlined into
    // `lower_kind`: what such functions keep on the stack, every level of the recursion would need.

    fn refuse_comparison<T>(&mut self, span: Span) -> Checked<T> {
        self.error(
            Diagnostic::error(span, "a comparison of queries stands only on the outside")
                .label("a query is compared here")
                .help("make it a property of its own: `property NAME = count(p) == 0`"),
        )
    }

    fn too_large<T>(&mut self, span: Span) -> Checked<T> {
        self.unfolds_too_far(
            span,
            format!("{} operators", self.most_copied()),
            "a chain of `let`s that each use the one before twice doubles with every line",
        )
    }

    fn not_a_parameter<T>(&mut self, name: &str, span: Span) -> Checked<T> {
        let known = self.parameters.iter().flatten().map(|(name, _)| format!("`{name}`"));
        let known: Vec<String> = known.collect();
        let error = Diagnostic::error(span, format!("a function sees only its parameters, not `{name}`"))
            .label("not a parameter")
            .help(format!("the parameters are {}", known.join(" and ")));
        self.error(error)
    }

    fn circular<T>(&mut self, name: &str, span: Span) -> Checked<T> {
        self.error(
            Diagnostic::error(span, format!("the definition of `{name}` uses itself"))
                .label("circular")
                .help("a `let` may only use names that do not lead back to it"),
        )
    }

    /// A part that may be all of a statement.
    fn lower_whole(&mut self, ast: &Ast) -> Checked<Whole> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let whole = if self.depth > DEPTH_LIMIT { self.too_deep(ast.span) } else { self.lower_kind(ast) };
        self.depth -= 1;
        whole
    }

    fn too_deep<T>(&mut self, span: Span) -> Checked<T> {
        self.unfolds_too_far(
            span,
            format!("{DEPTH_LIMIT} levels"),
            "a chain of `let`s that each use the one before grows deeper with every line",
        )
    }

    fn unfolds_too_far<T>(&mut self, span: Span, limit: String, help: &str) -> Checked<T> {
        if std::mem::replace(&mut self.unfolds_too_far, true) {
            return Err(Refused);
        }
        self.error(
            Diagnostic::error(span, format!("the definitions unfold to more than {limit}"))
                .label("here at the latest")
                .help(help),
        )
    }

    /// The number of operators that definitions may be copied with. A spec of many statements may
    /// use its definitions often.
    fn most_copied(&self) -> u64 {
        EXPANSION_LIMIT + COPIED_BY_STATEMENT * self.statements
    }

    /// Counts operators that are written once and stand several times.
    fn copy(&mut self, operators: u64, span: Span) -> Checked<()> {
        self.copied = self.copied.saturating_add(operators);
        if self.copied <= self.most_copied() { Ok(()) } else { self.too_large(span) }
    }

    #[inline(never)]
    fn lower_kind(&mut self, ast: &Ast) -> Checked<Whole> {
        self.expanded += 1;
        let part = match &ast.kind {
            AstKind::Name(name) => return self.name(name, ast.span),
            AstKind::Compare(op, left, right) => return self.compare(*op, left, right, ast.span),
            AstKind::Not(constant, operand) => self.not(constant.as_ref(), operand),
            AstKind::And(parts) => self.and(parts, ast.span),
            AstKind::Or(parts) => self.or(parts, ast.span),
            AstKind::Connect(op, left, right) => self.connect(*op, left, right),
            AstKind::Combine(junction, combiner, left, right) => {
                self.combine(*junction, combiner, left, right, ast.span)
            }
            AstKind::Unary(op, bound, map, operand) => self.unary(*op, bound.as_ref(), map.as_ref(), operand),
            AstKind::Binary(op, bound, map, left, right) => self.binary(*op, bound.as_ref(), map.as_ref(), left, right),
            AstKind::Guard(guard, value) => self.guard(guard, value),
            AstKind::Default(operand, constant) => self.default(operand, constant),
            AstKind::Aggregate(aggregate, arguments, condition) => {
                self.aggregate(*aggregate, arguments, condition.as_deref())
            }
            AstKind::Fold(fold) => self.fold(fold),
            AstKind::Latency(request, grant) => self.latency(request, grant),
            AstKind::Arithmetic(op, left, right) => self.arithmetic(*op, left, right),
            AstKind::Negate(operand) => self.negate(operand),
            AstKind::Call(function, arguments) => self.call(*function, arguments, ast.span),
            AstKind::Past(operand, steps) => self.past(operand, *steps, ast.span),
            AstKind::In(operand, values) => self.membership(operand, values),
            AstKind::Pair(left, right) => self.pair(left, right),
            AstKind::Literal(value) => Ok(literal(value)),
            AstKind::Position => Ok(Typed::State(Expr::Position, Type::Number)),
            AstKind::Time => {
                self.needs_time.get_or_insert((ast.span, "`time`"));
                Ok(Typed::State(Expr::Time, Type::Number))
            }
        };
        part.map(Whole::Part)
    }

    #[inline(never)]
    fn name(&mut self, name: &Arc<str>, span: Span) -> Checked<Whole> {
        if let Some(parameters) = &self.parameters {
            let found = parameters.iter().position(|(parameter, _)| parameter == name);
            return match found {
                Some(index) => {
                    let ty = parameters[index].1.clone();
                    Ok(Whole::Part(Typed::State(Expr::Parameter(index as u8), ty)))
                }
                None => self.not_a_parameter(name, span),
            };
        }
        if self.definitions.contains_key(name) {
            return self.definition(name, span);
        }
        let id = self.mention(name);
        self.variables.need(id, span);
        Ok(Whole::Part(Typed::State(Expr::Variable(id), self.variable_type(name, id))))
    }

    /// The variable of a name, with what is declared of it.
    fn mention(&mut self, name: &Arc<str>) -> VariableId {
        let id = self.variables.mention(name);
        if let Some(&(ty, span)) = self.declared.get(&**name) {
            self.variables.declare(id, ty, span);
        }
        id
    }

    /// The type that the trace gives a variable. Before there is a trace it is open, whatever is
    /// declared, so that uses which contradict the declaration are noticed.
    fn variable_type(&self, name: &Arc<str>, id: VariableId) -> Type {
        let known = self.schema.and_then(|schema| schema.types.get(name).cloned()).flatten();
        known.unwrap_or(Type::Open(id))
    }

    #[inline(never)]
    fn definition(&mut self, name: &Arc<str>, span: Span) -> Checked<Whole> {
        match self.definitions.insert(name.clone(), Definition::BeingLowered) {
            Some(Definition::Written(body)) => {
                let before = self.expanded;
                let outside = std::mem::replace(&mut self.deepest, self.depth);
                let context = if self.is_plainly_a_query(&body) { Goal::Query } else { self.context };
                let whole = self.whole(&body, context);
                let (cost, height) = (self.expanded - before, self.deepest - self.depth);
                self.deepest = self.deepest.max(outside);
                if let Ok(Whole::Part(Typed::Query(..))) = &whole {
                    let is_written = |name: &Arc<str>| self.definitions.get(name).is_some_and(Definition::is_unused);
                    self.queries_by_form.found(name, is_written);
                }
                self.definitions.insert(name.clone(), Definition::Done { whole: whole.clone(), cost, height });
                whole
            }
            Some(Definition::Done { whole, cost, height }) => {
                self.expanded = self.expanded.saturating_add(cost);
                self.copied = self.copied.saturating_add(cost);
                self.deepest = self.deepest.max(self.depth + height);
                self.definitions.insert(name.clone(), Definition::Done { whole: whole.clone(), cost, height });
                if let Ok(Whole::Part(Typed::State(expr, _))) = &whole
                    && let Some(id) = expr.as_variable()
                {
                    self.variables.need(id, span);
                }
                if self.depth + height > DEPTH_LIMIT {
                    self.too_deep(span)
                } else if self.copied > self.most_copied() {
                    self.too_large(span)
                } else {
                    whole
                }
            }
            Some(Definition::BeingLowered) | None => self.circular(name, span),
        }
    }
}

fn literal(value: &Value) -> Typed {
    let ty = match value {
        Value::Bool(_) => Type::Bool,
        Value::Int(_) | Value::Float(_) => Type::Number,
        _ => Type::Text,
    };
    Typed::State(Expr::Literal(value.clone()), ty)
}

fn names_there_are(names: &[String]) -> Option<String> {
    const SHOWN: usize = 12;
    if names.is_empty() {
        return None;
    }
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let rest = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    Some(format!("it has {}{rest}", shown.join(", ")))
}
