//! What can be said of properties without a trace: that one can never hold, never fail, or follows
//! from another, and that some cannot hold together.
//!
//! All of it comes down to whether some formula can hold on a trace with a state, and the answer
//! comes with a shortest such trace.

mod conflict;
mod replay;

use crate::error::{Error, Request};
use crate::question::variables_of;
use crate::spec::Spec;
use std::fmt;
use std::sync::Arc;
use traceward_engine::automaton::deterministic::Room;
use traceward_engine::automaton::timed::{self, Answer, TimedTrace};
use traceward_engine::automaton::witness::{SEARCH_LIMITS, shortest_trace};
use traceward_engine::limit::{BuildError, Interrupt, Limit};
use traceward_engine::possible::{Admit, Possible};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{Alphabet, Letter};
use traceward_logic::lower::{Claim, Expected, Schema};
use traceward_logic::trace::VariableId;
use traceward_logic::value::Value;

/// An oddity of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Oddity {
    /// No trace satisfies the property.
    Unsatisfiable,
    /// Every trace satisfies the property.
    Valid,
    /// The property holds wherever another one holds, and so adds nothing to it.
    ImpliedBy,
    /// The property holds exactly where another one holds.
    EquivalentTo,
    /// No trace satisfies the property and some others together, and without any one of them there
    /// is such a trace.
    ConflictsWith,
}

impl Oddity {
    /// The name of the oddity in one word, as documents write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unsatisfiable => "unsatisfiable",
            Self::Valid => "valid",
            Self::ImpliedBy => "implied",
            Self::EquivalentTo => "equivalent",
            Self::ConflictsWith => "conflict",
        }
    }
}

/// A finding: something odd about a property.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The oddity.
    pub oddity: Oddity,
    /// The name of the property.
    pub property: String,
    /// The names of the properties that it is compared with.
    pub others: Vec<String>,
    /// A shortest trace that shows the oddity.
    pub example: Option<Example>,
}

/// A shortest trace that tells something.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// Properties that it satisfies.
    pub satisfies: Vec<String>,
    /// Properties that it violates.
    pub violates: Vec<String>,
    /// The states of the trace: the variables that matter, and their values.
    pub states: Vec<Vec<(Arc<str>, Value)>>,
    /// The timestamps of the states in nanoseconds, the first one 0, if a property has bounds in
    /// time.
    pub time: Option<Vec<i64>>,
}

impl Example {
    fn of(found: Found, satisfies: Vec<String>, violates: Vec<String>) -> Self {
        Self { satisfies, violates, states: found.states, time: found.time }
    }
}

/// The findings about the properties of a spec.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lint {
    /// The names of the properties that were looked at.
    pub properties: Vec<String>,
    /// The oddities that were found.
    pub findings: Vec<Finding>,
    /// The questions that could not be decided, each with the reason.
    pub undecided: Vec<String>,
    /// The number of queries and asserts of the spec, which were not looked at.
    pub passed_over: usize,
}

/// The relation between two properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// The same traces satisfy both.
    Equal,
    /// The first is satisfied by some of the traces that satisfy the second.
    Stronger,
    /// The first is satisfied by all of the traces that satisfy the second, and by more.
    Weaker,
    /// Each is satisfied by a trace that violates the other.
    Neither,
}

impl Relation {
    /// The name of the relation, in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Stronger => "stronger",
            Self::Weaker => "weaker",
            Self::Neither => "neither",
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Two properties compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The relation of the first property to the second.
    pub relation: Relation,
    /// The names of the two.
    pub names: [String; 2],
    /// Their texts.
    pub formulas: [String; 2],
    /// Shortest traces that tell them apart; of equal ones, one that satisfies both, if there is
    /// any.
    pub examples: Vec<Example>,
}

/// Looks for properties of a spec that say nothing, or nothing new, and for those that cannot hold
/// together. Queries and asserts are passed over.
///
/// ```
/// use traceward::hygiene::lint;
/// use traceward::{Goal, Source, Spec};
///
/// let source = Source::new("spec", "property a = G p property b = F p", Goal::Check);
/// let spec = Spec::parse(vec![source])?;
/// let findings = lint(&spec)?.findings;
/// assert_eq!((findings[0].property.as_str(), findings[0].oddity.name()), ("b", "implied"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lint(spec: &Spec) -> Result<Lint, Error> {
    lint_until(spec, None)
}

/// Looks for the same as [`lint`], until somebody else ends it: what was not found out by then is
/// undecided.
pub fn lint_until(spec: &Spec, interrupt: Option<Interrupt>) -> Result<Lint, Error> {
    let mut judge = Hygiene::new(spec, interrupt)?;
    let passed_over = judge.passed_over.len();
    let mut lint = Lint { properties: judge.names.clone(), passed_over, ..Lint::default() };
    let mut ordinary = Vec::new();
    for one in 0..judge.names.len() {
        match judge.alone(one) {
            Ok(None) => ordinary.push(one),
            Ok(Some(finding)) => lint.findings.push(finding),
            Err(reason) => lint.undecided.push(format!("`{}`: {reason}", judge.names[one])),
        }
    }
    judge.compare_all(&ordinary, &mut lint);
    conflict::look(&mut judge, ordinary, &mut lint);
    Ok(lint)
}

/// Compares the two properties of a spec.
pub fn compare(spec: &Spec) -> Result<Comparison, Error> {
    compare_until(spec, None)
}

/// Compares the two properties of a spec, until somebody else ends it: then it is undecided how
/// they are related.
pub fn compare_until(spec: &Spec, interrupt: Option<Interrupt>) -> Result<Comparison, Error> {
    let mut judge = Hygiene::new(spec, interrupt)?;
    // Asserts of a spec file are passed over; what was asked about alone is not.
    if let Some(query) = judge.passed_over.iter().find_map(|one| one.asked_alone.clone()) {
        return Err(Request::Measures { query }.into());
    }
    if judge.names.len() != 2 {
        return Err(Request::NotTwoProperties { properties: judge.names.len() }.into());
    }
    judge.related(0, 1).map_err(|reason| Request::Undecided(reason).into())
}

/// The properties of a spec, to be held against each other.
struct Hygiene {
    names: Vec<String>,
    texts: Vec<String>,
    variables: Vec<Arc<str>>,
    formulas: Formulas,
    roots: Vec<FormulaId>,
    possible: Possible,
    passed_over: Vec<PassedOver>,
    /// The values that are expected of each variable.
    expected: Vec<Expected>,
    /// The room that each search has.
    room: Room,
}

/// A query or an assert, of which nothing can be said without a trace.
struct PassedOver {
    /// The text, unless it is an assert with a name.
    asked_alone: Option<String>,
}

/// A trace that satisfies something.
struct Found {
    /// The states: variables and their values.
    states: Vec<Vec<(Arc<str>, Value)>>,
    time: Option<Vec<i64>>,
}

/// A trace that satisfies something, if there is one, or why nobody knows.
type Search = Result<Option<Found>, String>;

impl Hygiene {
    fn new(spec: &Spec, interrupt: Option<Interrupt>) -> Result<Self, Error> {
        // What is said here is said of all traces, those with timestamps too.
        let lowered = spec.bind(&Schema { has_time: true, ..spec.expected_schema() })?;
        let named = lowered.properties.iter().zip(spec.property_names());
        let (mut names, mut texts, mut claimed) = (Vec::new(), Vec::new(), Vec::new());
        let queries = lowered.queries.iter().map(|query| PassedOver { asked_alone: Some(spec.text(query.span)) });
        let mut passed_over: Vec<PassedOver> = queries.collect();
        for (property, name) in named {
            let text = spec.text(property.body.span);
            match property.claim {
                Claim::Formula(formula) => {
                    names.push(name);
                    texts.push(text);
                    claimed.push(formula);
                }
                Claim::Assert(_) => {
                    passed_over.push(PassedOver { asked_alone: property.name.is_none().then_some(text) });
                }
            }
        }
        if names.is_empty() {
            let measured = passed_over.into_iter().find_map(|one| one.asked_alone);
            return Err(measured.map_or(Request::NoProperty, |query| Request::Measures { query }).into());
        }
        let prepared = Prepared::new(&lowered.formulas, &claimed, Simplification::Off);
        let expected = spec.lowered().variables.expected();
        Ok(Self {
            names,
            texts,
            variables: lowered.variables.names(),
            possible: Possible::expecting(&prepared.formulas, &prepared.alphabet, &expected),
            expected,
            formulas: prepared.formulas,
            roots: prepared.split,
            passed_over,
            room: Room { interrupt, ..SEARCH_LIMITS },
        })
    }

    /// Whether a property can never hold or never fail.
    fn alone(&mut self, one: usize) -> Result<Option<Finding>, String> {
        let root = self.roots[one];
        let not = self.formulas.not(root);
        let (satisfying, violating) = (self.trace(root)?, self.trace(not)?);
        let property = self.names[one].clone();
        let finding = |oddity, example| Some(Finding { oddity, property: property.clone(), others: vec![], example });
        Ok(match (satisfying, violating) {
            (None, violating) => {
                let example = violating.map(|found| Example::of(found, vec![], vec![property.clone()]));
                finding(Oddity::Unsatisfiable, example)
            }
            (Some(found), None) => finding(Oddity::Valid, Some(Example::of(found, vec![property.clone()], vec![]))),
            (Some(_), Some(_)) => None,
        })
    }

    fn related(&mut self, one: usize, other: usize) -> Result<Comparison, String> {
        let only_one = self.apart(one, other)?;
        let only_other = self.apart(other, one)?;
        let relation = match (&only_one, &only_other) {
            (None, None) => Relation::Equal,
            (None, Some(_)) => Relation::Stronger,
            (Some(_), None) => Relation::Weaker,
            (Some(_), Some(_)) => Relation::Neither,
        };
        let mut examples: Vec<Example> = [only_one, only_other].into_iter().flatten().collect();
        if relation == Relation::Equal {
            let satisfies = vec![self.names[one].clone(), self.names[other].clone()];
            let both = self.formulas.and(self.roots[one], self.roots[other]);
            let both = self.trace(both)?;
            examples.extend(both.map(|found| Example::of(found, satisfies, vec![])));
        }
        let of = |list: &[String]| [list[one].clone(), list[other].clone()];
        Ok(Comparison { relation, names: of(&self.names), formulas: of(&self.texts), examples })
    }

    /// Looks for properties that add nothing to another one. Such a property is held against no
    /// further ones: whatever follows from it follows from the other one, too. So each is found
    /// once, and very many that are alike take no longer than they are.
    fn compare_all(&mut self, properties: &[usize], lint: &mut Lint) {
        let mut left = properties.to_vec();
        while !left.is_empty() {
            let one = left.remove(0);
            let mut place = 0;
            while let Some(&other) = left.get(place) {
                match self.related(one, other) {
                    Ok(Comparison { relation, examples, .. }) => {
                        lint.findings.extend(self.redundant(one, other, relation, examples));
                        match relation {
                            Relation::Equal | Relation::Stronger => _ = left.remove(place),
                            Relation::Weaker => break,
                            Relation::Neither => place += 1,
                        }
                    }
                    Err(reason) => {
                        lint.undecided.push(format!("`{}` and `{}`: {reason}", self.names[one], self.names[other]));
                        place += 1;
                    }
                }
            }
        }
    }

    /// A shortest trace that satisfies one property and violates another.
    fn apart(&mut self, one: usize, other: usize) -> Result<Option<Example>, String> {
        let not_other = self.formulas.not(self.roots[other]);
        let both = self.formulas.and(self.roots[one], not_other);
        let found = self.trace(both)?;
        let (satisfies, violates) = (vec![self.names[one].clone()], vec![self.names[other].clone()]);
        Ok(found.map(|found| Example::of(found, satisfies, violates)))
    }

    fn redundant(&self, one: usize, other: usize, relation: Relation, examples: Vec<Example>) -> Option<Finding> {
        let (oddity, property, than) = match relation {
            Relation::Equal => (Oddity::EquivalentTo, other, one),
            Relation::Stronger => (Oddity::ImpliedBy, other, one),
            Relation::Weaker => (Oddity::ImpliedBy, one, other),
            Relation::Neither => return None,
        };
        let others = vec![self.names[than].clone()];
        Some(Finding { oddity, property: self.names[property].clone(), others, example: examples.into_iter().next() })
    }

    /// A shortest trace with a state that satisfies a formula, in the variables that the formula
    /// speaks of.
    fn trace(&mut self, formula: FormulaId) -> Search {
        // A search looks at the flag only after a while, and there may be very many of them.
        if self.room.interrupt.is_some_and(Interrupt::is_raised) {
            return Err(Limit::Interrupted.to_string());
        }
        if let Some(found) = self.trace_of(formula, Admit::Certain)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.replayed(formula) {
            return Ok(Some(found));
        }
        let alphabet = Alphabet::of(&self.formulas, &[formula]);
        let is_certain = self.possible.uncertain(&alphabet).next().is_none();
        if !is_certain && self.trace_of(formula, Admit::Conceivable)?.is_some() {
            let atoms: Vec<String> = self
                .possible
                .uncertain(&alphabet)
                .map(|atom| format!("`{}`", self.formulas.atom(atom).display(&self.variables)))
                .collect();
            let atoms = atoms.join(", ");
            return Err(format!(
                "it could not be found out which values are possible for {atoms}, and it depends on that"
            ));
        }
        Ok(None)
    }

    /// A short trace of values that satisfies a formula which compares values of several states. No
    /// letter says what such values can be, so traces are tried out by the definition.
    fn replayed(&self, formula: FormulaId) -> Option<Found> {
        let replay::Tried { states, time } = replay::satisfying(&self.formulas, formula, &self.expected)?;
        let named = |(variable, value): (VariableId, Value)| (self.variables[variable.index()].clone(), value);
        let states = states.into_iter().map(|state| state.into_iter().map(named).collect()).collect();
        Some(Found { states, time })
    }

    fn trace_of(&mut self, formula: FormulaId, admit: Admit) -> Search {
        let atoms = Alphabet::of(&self.formulas, &[formula]);
        let possible = self.possible.always(&mut self.formulas, &atoms, admit);
        let root = self.formulas.and(formula, possible);
        let alphabet = Alphabet::of(&self.formulas, &[root]);
        let Some((letters, time)) = self.letters(&alphabet, root)? else { return Ok(None) };
        let spoken_of = variables_of(&self.formulas, formula);
        let state = |letter: &Letter| {
            let values = self.possible.state(&alphabet, letter).into_iter();
            let values = values.filter(|(variable, _)| spoken_of.contains(variable));
            values.map(|(variable, value)| (self.variables[variable.index()].clone(), value)).collect()
        };
        Ok(Some(Found { states: letters.iter().map(state).collect(), time }))
    }

    /// The letters of a shortest trace that satisfies a formula, and timestamps if it has bounds in
    /// time.
    fn letters(&self, alphabet: &Alphabet, root: FormulaId) -> Result<Option<LettersInTime>, String> {
        if !timed::has_time(&self.formulas, root) {
            let found = shortest_trace(&self.formulas, alphabet, root, self.room).map_err(reason)?;
            return Ok(found.map(|letters| (letters, None)));
        }
        match timed::shortest_trace(&self.formulas, alphabet, root, self.room).map_err(reason)? {
            Answer::Found(TimedTrace { letters, time }) => Ok(Some((letters, Some(time)))),
            Answer::Nowhere => Ok(None),
            Answer::Unknown(unknown) => Err(unknown.to_string()),
        }
    }
}

/// Letters, with their timestamps if there are any.
type LettersInTime = (Vec<Letter>, Option<Vec<i64>>);

/// The reason why automata do not tell whether a formula can hold.
fn reason(error: BuildError) -> String {
    match error {
        BuildError::Unsupported(unsupported) => {
            format!("this takes automata, and they cannot do {}", unsupported.what)
        }
        BuildError::GaveUp(gave_up) => format!(
            "the automaton is too large to be searched: {}; shorter bounds and fewer propositions make it smaller",
            gave_up.limit
        ),
    }
}
