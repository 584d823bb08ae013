//! What a monitor does, apart from where it is.

use super::measure::{ALGEBRAIC, CompiledAssert, CompiledQuery, on_nothing};
use super::record::Recorded;
use super::save;
use super::spelling::Spelling;
use crate::error::Error;
use crate::question::{compared_strings, steps, variables_of};
use crate::report::{Subject, Warning};
use crate::runs::RunQuestions;
use crate::spec::Spec;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use traceward_engine::limit::{GaveUp, Limits};
use traceward_engine::query::Precision;
use traceward_engine::select::{Config, EngineName, Numbered, Online, Prepared, RunNumber, Running, Step};
use traceward_logic::expr::{Expr, Memory};
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Node};
use traceward_logic::letter::{self, Atom, Proposition};
use traceward_logic::lower::{self, Claim, Lowered, Schema, Trigger};
use traceward_logic::query::{Comparison, Query};
use traceward_logic::semantics;
use traceward_logic::trace::VariableId;
use traceward_logic::verdict::Verdict;
use traceward_trace::{Implied, Intake, ReadOptions, event_time};

/// The properties of a spec, ready to be followed.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) spec: Spec,
    pub(super) names: Vec<Arc<str>>,
    pub(super) variables: Vec<ProgramVariable>,
    pub(super) slots: FxHashMap<Arc<str>, usize>,
    pub(super) properties: Vec<CompiledProperty>,
    pub(super) queries: Vec<CompiledQuery>,
    pub(super) limits: Limits,
    /// A number for the settings that runs depend on.
    pub(super) settings: u64,
    /// Where the timestamps come from.
    pub(super) timestamps: Timestamps,
    config: Config,
    questions: RunQuestions,
    /// The same for an input that brings timestamps, once there was one.
    timed: OnceLock<Arc<Program>>,
    /// The triggers of all properties, those of a property the outermost first.
    pub(super) triggers: Vec<CompiledTrigger>,
    pub(super) atoms: Vec<Atom>,
    /// The expression of each atom.
    pub(super) exprs: Vec<Expr>,
    /// The strings that variables are compared with.
    pub(super) spelling: Spelling,
    /// Probable mistakes that are known before any state.
    pub(super) warnings: Vec<Warning>,
    /// Expressions of properties that may fail, as a whole.
    pub(super) fallible: Vec<Expr>,
    /// A memory of the values of earlier states that expressions ask for, before any state.
    pub(super) memory: Memory,
    /// Whether there is a query or an assert.
    pub(super) measures: bool,
    /// Whether the clock makes a difference to some property.
    pub(super) is_timed: bool,
    /// The expression that holds in the last state of a key's trace.
    pub(super) end_marker: Option<Expr>,
    /// What is kept of all states, if something is to be told of them.
    pub(super) recorded: Option<Recorded>,
}

/// Where the timestamps of states come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timestamps {
    /// From the columns that the settings name, if they name any.
    AsNamed,
    /// From the input, which says itself that it has some.
    Brought,
    /// They are the time at which each record arrives.
    Arrival,
}

impl Timestamps {
    /// Where they come from in an input that may bring timestamps which nobody has named.
    pub(super) fn of_input(spec: &Spec) -> Self {
        let are_missing = spec.settings().time.is_none() && spec.lowered().needs_time.is_some();
        if are_missing { Self::Brought } else { Self::AsNamed }
    }

    /// Where they come from if records are stamped as they arrive.
    pub(super) fn by_arrival(spec: &Spec) -> Self {
        if spec.settings().time.is_none() { Self::Arrival } else { Self::AsNamed }
    }
}

#[derive(Debug)]
pub(super) struct ProgramVariable {
    /// Whether the trace has to have the variable.
    pub(super) needed: bool,
    /// Whether a value is asked of it, and not only whether it has one.
    pub(super) is_asked: bool,
    /// Whether the value of the variable can make a difference to a verdict.
    pub(super) matters: bool,
    /// Whether formulas were made of it although its type is open.
    pub(super) is_supposed_formula: bool,
}

#[derive(Debug)]
pub(super) struct CompiledProperty {
    pub(super) name: String,
    pub(super) formula: String,
    pub(super) description: Option<Arc<str>>,
    pub(super) claim: CompiledClaim,
    pub(super) holds_on_empty: bool,
    /// The variables that it speaks of.
    pub(super) variables: Vec<VariableId>,
}

/// What a property claims, ready to be followed.
#[derive(Debug)]
pub(super) enum CompiledClaim {
    Formula(CompiledFormula),
    Assert(Box<CompiledAssert>),
}

impl CompiledClaim {
    /// The formula, if it is one.
    pub(super) fn formula(&self) -> Option<&CompiledFormula> {
        match self {
            Self::Formula(compiled) => Some(compiled),
            Self::Assert(_) => None,
        }
    }

    /// The name of the engine that follows it.
    pub(super) fn engine_name(&self) -> &'static str {
        match self {
            Self::Formula(compiled) => compiled.engine.engine().name(),
            Self::Assert(_) => ALGEBRAIC,
        }
    }
}

/// A trigger of a property: that it comes about is followed like a property.
#[derive(Debug)]
pub(super) struct CompiledTrigger {
    /// The index of the property.
    pub(super) property: usize,
    /// The trigger in the words of the spec.
    pub(super) text: String,
    pub(super) compiled: CompiledFormula,
}

/// A formula with the engine that follows it.
#[derive(Debug)]
pub(super) struct CompiledFormula {
    pub(super) engine: Online,
    /// For each proposition of the engine, the atom among those of the program; none if it makes no
    /// difference.
    pub(super) atoms: Vec<Option<usize>>,
    /// A bit for each atom of the program: whether it is among them.
    mask: Vec<u64>,
    /// Whether a state like the one before makes no difference.
    ignores_repetition: bool,
}

impl Program {
    pub(super) fn new(
        spec: &Spec,
        config: Config,
        questions: RunQuestions,
        timestamps: Timestamps,
    ) -> Result<Self, Error> {
        let expected = spec.expected_schema();
        let has_time = expected.has_time || timestamps != Timestamps::AsNamed;
        let lowered = spec.bind(&Schema { has_time, ..expected })?;
        let names = lowered.variables.names();
        let variable = |variable: &lower::Variable| ProgramVariable {
            needed: variable.needed_at.is_some() && variable.declared.is_none(),
            is_asked: variable.needed_at.is_some(),
            matters: false,
            is_supposed_formula: variable.is_supposed_formula,
        };
        let mut program = Self {
            spec: spec.clone(),
            slots: names.iter().enumerate().map(|(slot, name)| (name.clone(), slot)).collect(),
            names,
            variables: lowered.variables.list().iter().map(variable).collect(),
            properties: Vec::new(),
            queries: Vec::new(),
            limits: config.limits,
            settings: save::settings(&config),
            timestamps,
            config,
            questions,
            timed: OnceLock::new(),
            triggers: Vec::new(),
            atoms: Vec::new(),
            exprs: Vec::new(),
            spelling: Spelling::default(),
            warnings: steps::look(spec, &lowered).into_iter().chain(spec.notes()).collect(),
            fallible: Vec::new(),
            memory: Memory::default(),
            measures: false,
            is_timed: lowered.needs_time.is_some(),
            end_marker: lowered.end_marker(),
            recorded: questions.are_asked().then(|| Recorded::new(&lowered, questions)),
        };
        program.take_properties(spec, &lowered, config)?;
        program.take_queries(spec, &lowered, &config)?;
        program.take_end_marker(&lowered);
        program.remember();
        let is_assert = |property: &CompiledProperty| property.claim.formula().is_none();
        program.measures = !program.queries.is_empty() || program.properties.iter().any(is_assert);
        Ok(program)
    }

    /// The number of runs of engines that a trace needs: one for each property and each trigger.
    pub(super) fn strands(&self) -> usize {
        self.properties.len() + self.triggers.len()
    }

    /// The same for an input that brings timestamps.
    pub(super) fn with_timestamps(&self) -> Result<Arc<Self>, Error> {
        if let Some(timed) = self.timed.get() {
            return Ok(timed.clone());
        }
        let timed = Self::new(&self.spec, self.config, self.questions, Timestamps::Brought)?;
        Ok(self.timed.get_or_init(|| timed.into()).clone())
    }

    /// The variables of which a value was asked where they had none, and in how many states.
    pub(super) fn missing<'a>(&'a self, intake: &'a Intake) -> impl Iterator<Item = (&'a str, u64)> {
        let variables = self.variables.iter().zip(intake.missing()).zip(&self.names);
        let missed = variables.filter(|((variable, missing), _)| variable.is_asked && **missing > 0);
        missed.map(|((_, missing), name)| (&**name, *missing))
    }

    /// How records are read, as long as no input says otherwise.
    pub(super) fn read_options(&self) -> ReadOptions {
        let options = self.read_options_beside(&ReadOptions::default());
        match self.timestamps {
            Timestamps::AsNamed | Timestamps::Arrival => options,
            Timestamps::Brought => options.with(&Implied { records: options.records, time: Some(event_time()) }),
        }
    }

    /// How records are read, with options that are none of the spec's.
    pub(super) fn read_options_beside(&self, other: &ReadOptions) -> ReadOptions {
        let mut options = self.spec.read_options(other);
        for (variable, known) in options.variables.iter_mut().zip(&self.variables) {
            variable.is_supposed_formula = known.is_supposed_formula;
        }
        options
    }

    /// What is wrong with the spec if the input has no timestamps.
    pub(super) fn without_timestamps(&self) -> Result<(), Error> {
        self.spec.bind(&self.spec.expected_schema()).map(drop).map_err(Error::Mismatch)
    }

    fn take_properties(&mut self, spec: &Spec, lowered: &Lowered, config: Config) -> Result<(), Error> {
        let (formulas, precision) = (&lowered.formulas, precision(&config));
        for (index, (property, name)) in lowered.properties.iter().zip(spec.property_names()).enumerate() {
            let roots = roots_of(&property.claim);
            self.take_fallible(formulas, &roots);
            self.take_strings(formulas, &roots, Some(&Subject::Property(name.clone())));
            let claim = match &property.claim {
                Claim::Formula(root) => {
                    let prepared = Prepared::shared(formulas, &[*root], config.simplification);
                    let engine = Online::new(&prepared, 0, &config)
                        .map_err(|error| Error::CannotFollow { property: name.clone(), error })?;
                    CompiledClaim::Formula(self.compiled(engine))
                }
                Claim::Assert(comparison) => {
                    let compiled = CompiledAssert::new(lowered, &name, comparison, precision)?;
                    compiled.exprs().for_each(|expr| self.note_that_it_matters(expr));
                    CompiledClaim::Assert(Box::new(compiled))
                }
            };
            let mut variables: Vec<VariableId> = roots.iter().flat_map(|&root| variables_of(formulas, root)).collect();
            if let CompiledClaim::Assert(compiled) = &claim {
                compiled.exprs().for_each(|expr| expr.for_each_variable(&mut |variable| variables.push(variable)));
                variables.sort_unstable();
                variables.dedup();
            }
            let holds_on_empty = match &property.claim {
                Claim::Formula(root) => semantics::holds_on_empty(formulas, *root),
                Claim::Assert(comparison) => holds_of_nothing(lowered, comparison),
            };
            self.properties.push(CompiledProperty {
                name,
                formula: spec.text(property.body.span),
                description: property.description.clone(),
                claim,
                holds_on_empty,
                variables,
            });
            for trigger in &property.triggers {
                self.take_trigger(index, formulas, trigger, spec.text(trigger.span), config);
            }
        }
        Ok(())
    }

    fn take_queries(&mut self, spec: &Spec, lowered: &Lowered, config: &Config) -> Result<(), Error> {
        for (query, name) in lowered.queries.iter().zip(spec.query_names()) {
            let mut roots = Vec::new();
            query.query.for_each_formula(&mut |formula| roots.push(formula));
            self.take_fallible(&lowered.formulas, &roots);
            self.take_strings(&lowered.formulas, &roots, Some(&Subject::Query(name.clone())));
            let compiled = CompiledQuery::new(spec, lowered, query, name, precision(config))?;
            compiled.exprs().for_each(|expr| self.note_that_it_matters(expr));
            self.queries.push(compiled);
        }
        Ok(())
    }

    /// Takes the expression by which traces of keys end, which is evaluated in every state.
    fn take_end_marker(&mut self, lowered: &Lowered) {
        self.take_fallible(&lowered.formulas, lowered.end_when.as_slice());
        self.take_strings(&lowered.formulas, lowered.end_when.as_slice(), None);
        if let Some(marker) = self.end_marker.clone() {
            self.note_that_it_matters(&marker);
        }
    }

    /// Takes the strings with which formulas compare variables.
    fn take_strings(&mut self, formulas: &Formulas, roots: &[FormulaId], about: Option<&Subject>) {
        for part in formulas.parts(roots) {
            if let Node::Atom(atom) = formulas.node(part) {
                self.spelling.add(formulas.atom(atom), about);
            }
        }
    }

    /// Whether an expression that is evaluated in every state compares a variable with a string.
    pub(super) fn compares(&self, atom: usize, variable: VariableId, text: &str) -> bool {
        compared_strings(&self.exprs[atom]).iter().any(|(one, other)| (*one, &**other) == (variable, text))
    }

    /// Takes the expressions of formulas that may fail: they are evaluated in every state.
    fn take_fallible(&mut self, formulas: &Formulas, roots: &[FormulaId]) {
        for expr in letter::fallible(formulas, roots) {
            self.note_that_it_matters(expr);
            if !self.fallible.contains(expr) {
                self.fallible.push(expr.clone());
            }
        }
    }

    /// Finds out which values of earlier states have to be remembered.
    fn remember(&mut self) {
        let kept = self.recorded.iter().flat_map(Recorded::exprs);
        let asserted = self.properties.iter().filter_map(|property| match &property.claim {
            CompiledClaim::Assert(compiled) => Some(compiled.exprs()),
            CompiledClaim::Formula(_) => None,
        });
        let measured = self.queries.iter().flat_map(CompiledQuery::exprs);
        let exprs = self.exprs.iter().chain(&self.fallible).chain(kept).chain(&self.end_marker);
        self.memory = Memory::of(exprs.chain(asserted.flatten()).chain(measured));
    }

    /// Follows that a trigger comes about. Where no engine can, nothing is said of it.
    fn take_trigger(&mut self, property: usize, formulas: &Formulas, trigger: &Trigger, text: String, config: Config) {
        let (mut formulas, trigger) = formulas.extract(&[trigger.formula]);
        let ever = formulas.intern(Node::Eventually(Direction::Future, Interval::ALL, trigger[0]));
        let config = Config { engine: EngineName::Auto, ..config };
        let prepared = Prepared::shared(&formulas, &[ever], config.simplification);
        if let Ok(engine) = Online::new(&prepared, 0, &config) {
            let compiled = self.compiled(engine);
            self.triggers.push(CompiledTrigger { property, text, compiled });
        }
    }

    fn compiled(&mut self, engine: Online) -> CompiledFormula {
        let atoms = self.atoms_of(&engine);
        CompiledFormula { ignores_repetition: engine.is_stutter_invariant(), mask: mask(&atoms), engine, atoms }
    }

    /// For each proposition of an engine, the atom; those that make no difference to it need not be
    /// evaluated for it.
    fn atoms_of(&mut self, engine: &Online) -> Vec<Option<usize>> {
        let (prepared, relevant) = (engine.prepared(), engine.propositions());
        let mut atoms = Vec::new();
        for (index, (_, atom)) in prepared.alphabet.atoms().iter().enumerate() {
            let expr = prepared.formulas.atom(*atom);
            atoms.push(relevant.contains(&Proposition(index as u32)).then(|| {
                self.note_that_it_matters(expr);
                self.exprs.iter().position(|one| one == expr).unwrap_or_else(|| {
                    self.exprs.push(expr.clone());
                    self.atoms.push(Atom::of(expr));
                    self.atoms.len() - 1
                })
            }));
        }
        atoms
    }

    fn note_that_it_matters(&mut self, expr: &Expr) {
        expr.for_each_variable(&mut |variable| self.variables[variable.index()].matters = true);
    }
}

impl CompiledFormula {
    /// Takes the next state, whose letter has a bit for each atom of the program.
    pub(super) fn step(
        &self,
        run: &mut dyn Running,
        letter: &[u64],
        position: u64,
        time: Option<i64>,
    ) -> Result<Verdict, GaveUp> {
        let holds = |proposition: Proposition| {
            self.atoms[proposition.index()].is_some_and(|atom| letter[atom / 64] >> (atom % 64) & 1 == 1)
        };
        run.step(Step { letter: &holds, position, time })
    }

    /// Takes the next state, for a run that is a number.
    #[inline]
    pub(super) fn step_numbered(
        &self,
        numbered: &dyn Numbered,
        run: RunNumber,
        letter: &[u64],
        position: u64,
        time: Option<i64>,
    ) -> RunNumber {
        let holds = |proposition: Proposition| {
            self.atoms[proposition.index()].is_some_and(|atom| letter[atom / 64] >> (atom % 64) & 1 == 1)
        };
        numbered.step(run, Step { letter: &holds, position, time })
    }

    /// Whether a state in which only these atoms are other than before makes no difference.
    #[inline]
    pub(super) fn ignores(&self, news: &[u64]) -> bool {
        let is_alike = match (&*self.mask, news) {
            ([mask], [news, ..]) => mask & news == 0,
            (mask, news) => mask.iter().zip(news).all(|(mask, news)| mask & news == 0),
        };
        self.ignores_repetition && is_alike
    }
}

/// A bit for each of some atoms.
fn mask(atoms: &[Option<usize>]) -> Vec<u64> {
    let mut mask = vec![0; atoms.iter().flatten().max().map_or(0, |atom| atom / 64 + 1)];
    atoms.iter().flatten().for_each(|atom| mask[atom / 64] |= 1 << (atom % 64));
    mask
}

/// How exact summaries are on a trace that goes on.
fn precision(config: &Config) -> Precision {
    config.precision.unwrap_or(Precision::STREAM)
}

/// The formulas of a claim.
fn roots_of(claim: &Claim) -> Vec<FormulaId> {
    match claim {
        Claim::Formula(formula) => vec![*formula],
        Claim::Assert(comparison) => {
            let mut roots = Vec::new();
            comparison.for_each_formula(&mut |formula| roots.push(formula));
            roots
        }
    }
}

/// Whether a comparison holds of the trace without a state.
fn holds_of_nothing(lowered: &Lowered, comparison: &Comparison) -> bool {
    let value = |query: &Query| on_nothing(lowered, query).ok().flatten();
    comparison.holds(value(&comparison.left).as_ref(), value(&comparison.right).as_ref())
}
