//! What a monitor does, apart from where it is.

use super::{Now, typing};
use crate::error::Error;
use crate::spec::Spec;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_engine::select::{Config, Online, Prepared};
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Proposition;
use traceward_logic::lower::{Claim, Lowered};
use traceward_logic::semantics;
use traceward_logic::value::{CompareOp, Value};
use traceward_trace::{MissingPolicy, Reading, Records, TimeColumn};

/// The properties of a spec, ready to be followed.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) names: Vec<Arc<str>>,
    pub(super) variables: Vec<Variable>,
    pub(super) slots: FxHashMap<Arc<str>, usize>,
    pub(super) properties: Vec<Property>,
    pub(super) atoms: Vec<Test>,
    /// Expressions whose types only a state can tell.
    pub(super) undecided: Vec<Expr>,
    /// Whether any property has an expression that may fail.
    pub(super) can_fail: bool,
    pub(super) missing: MissingPolicy,
    pub(super) records: Records,
    pub(super) time: Option<TimeColumn>,
}

#[derive(Debug)]
pub(super) struct Variable {
    pub(super) reading: Reading,
    /// Whether more is asked than whether it is defined.
    pub(super) needed: bool,
    /// Whether its value can make a difference to a verdict.
    pub(super) matters: bool,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) formula: String,
    pub(super) description: Option<Arc<str>>,
    pub(super) engine: Online,
    /// For each proposition of the engine, the atom among those of the program; none if it makes no difference.
    pub(super) atoms: Vec<Option<usize>>,
    /// A bit for each atom of the program: whether it is among them.
    mask: Vec<u64>,
    /// Expressions that may fail, as a whole.
    pub(super) fallible: Vec<Expr>,
    /// Whether a state like the one before makes no difference.
    ignores_repetition: bool,
    pub(super) holds_on_empty: bool,
}

/// An atom; the common forms without the detour of a general expression.
#[derive(Debug)]
pub(super) enum Test {
    Flag(usize),
    Compare(CompareOp, usize, Value),
    /// Whether a text is this one, or whether it is another.
    Text {
        slot: usize,
        text: Arc<str>,
        equal: bool,
    },
    Any(Expr),
}

impl Program {
    pub(super) fn new(spec: &Spec, config: Config) -> Result<Self, Error> {
        let settings = spec.settings();
        if settings.by.is_some() {
            return Err(Error::Request("a monitor follows one trace: it cannot split it by key yet".into()));
        }
        let readings = typing::readings(spec.lowered(), &formulas_of(spec.lowered())?);
        let schema = typing::schema(spec.variables(), &readings, settings.time.is_some());
        let lowered = spec.bind(&schema)?;
        let roots = formulas_of(&lowered)?;
        let undecided = typing::undecided(&lowered.formulas, &roots, &readings);
        let (formulas, roots) = typing::with_plain_booleans(&lowered.formulas, &roots, &readings);
        let names = lowered.variables.names();
        let variables = spec.variables().iter().zip(&readings);
        let mut program = Self {
            slots: names.iter().enumerate().map(|(slot, name)| (name.clone(), slot)).collect(),
            names,
            variables: variables
                .map(|(variable, &reading)| Variable { reading, needed: variable.needed_at.is_some(), matters: false })
                .collect(),
            properties: Vec::new(),
            atoms: Vec::new(),
            undecided,
            can_fail: false,
            missing: settings.missing.unwrap_or_default(),
            records: settings.records.unwrap_or_default(),
            time: settings.time.clone(),
        };
        program.take_properties(spec, &lowered, &formulas, &roots, config)?;
        Ok(program)
    }

    fn take_properties(
        &mut self,
        spec: &Spec,
        lowered: &Lowered,
        formulas: &Formulas,
        roots: &[FormulaId],
        config: Config,
    ) -> Result<(), Error> {
        let mut known: Vec<Expr> = Vec::new();
        for ((property, name), &root) in lowered.properties.iter().zip(spec.property_names()).zip(roots) {
            let engine = Online::new(&Prepared::shared(formulas, &[root], config.simplification), 0, &config)
                .map_err(|error| Error::CannotFollow { property: name.clone(), error })?;
            let fallible = fallible(formulas, root);
            fallible.iter().for_each(|expr| self.note_that_it_matters(expr));
            self.can_fail |= !fallible.is_empty();
            let atoms = self.atoms_of(&engine, &mut known);
            self.properties.push(Property {
                name,
                formula: spec.text(property.body.span),
                description: property.description.clone(),
                ignores_repetition: engine.is_stutter_invariant(),
                engine,
                mask: mask(&atoms),
                atoms,
                fallible,
                holds_on_empty: semantics::holds_on_empty(formulas, root),
            });
        }
        Ok(())
    }

    /// For each proposition of an engine, the atom; those that make no difference to it need not be evaluated for it.
    fn atoms_of(&mut self, engine: &Online, known: &mut Vec<Expr>) -> Vec<Option<usize>> {
        let (prepared, relevant) = (engine.prepared(), engine.propositions());
        let mut atoms = Vec::new();
        for (index, atom) in prepared.alphabet.atoms().iter().enumerate() {
            let expr = prepared.formulas.atom(*atom);
            atoms.push(relevant.contains(&Proposition(index as u32)).then(|| {
                self.note_that_it_matters(expr);
                known.iter().position(|one| one == expr).unwrap_or_else(|| {
                    known.push(expr.clone());
                    self.atoms.push(Test::new(expr, &self.variables));
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

impl Property {
    /// Whether a state makes no difference in which only these atoms are other than before.
    #[inline]
    pub(super) fn ignores(&self, news: &[u64]) -> bool {
        self.ignores_repetition && self.mask.iter().zip(news).all(|(mask, news)| mask & news == 0)
    }
}

/// A bit for each of some atoms.
fn mask(atoms: &[Option<usize>]) -> Vec<u64> {
    let mut mask = vec![0; atoms.iter().flatten().max().map_or(0, |atom| atom / 64 + 1)];
    atoms.iter().flatten().for_each(|atom| mask[atom / 64] |= 1 << (atom % 64));
    mask
}

impl Test {
    fn new(expr: &Expr, variables: &[Variable]) -> Self {
        match expr {
            Expr::Variable(variable) if variables[variable.index()].reading == Reading::Bool => {
                Self::Flag(variable.index())
            }
            Expr::Compare(op, left, right) => match (&**left, &**right) {
                (Expr::Variable(variable), Expr::Literal(Value::Str(text))) if !op.is_order() => {
                    Self::Text { slot: variable.index(), text: text.clone(), equal: *op == CompareOp::Equal }
                }
                (Expr::Variable(variable), Expr::Literal(value)) => Self::Compare(*op, variable.index(), value.clone()),
                _ => Self::Any(expr.clone()),
            },
            _ => Self::Any(expr.clone()),
        }
    }

    /// Whether it holds. What cannot be evaluated does not: that was seen to before, in the whole expression.
    #[inline]
    pub(super) fn holds(&self, now: &Now<'_>) -> bool {
        match self {
            Self::Flag(slot) => now.values[*slot].is_true(),
            Self::Compare(op, slot, value) => match (&now.values[*slot], value) {
                (Value::Int(left), Value::Int(right)) => op.admits(left.cmp(right)),
                (left, right) => op.holds(left, right),
            },
            Self::Text { slot, text, equal } => match &now.values[*slot] {
                Value::Str(found) => (found == text) == *equal,
                _ => false,
            },
            Self::Any(expr) => expr.holds(now).unwrap_or(false),
        }
    }
}

/// The formula of each property.
fn formulas_of(lowered: &Lowered) -> Result<Vec<FormulaId>, Error> {
    if !lowered.queries.is_empty() {
        let message =
            "a monitor judges properties, and this is a query; `traceward query` measures a trace that has ended";
        return Err(Error::Request(message.into()));
    }
    let formula = |claim: &Claim| match claim {
        Claim::Formula(formula) => Ok(*formula),
        Claim::Assert(..) => {
            let message = "a monitor judges formulas, and an assert measures; `traceward check` answers it of a trace that has ended";
            Err(Error::Request(message.into()))
        }
    };
    lowered.properties.iter().map(|property| formula(&property.claim)).collect()
}

fn fallible(formulas: &Formulas, root: FormulaId) -> Vec<Expr> {
    typing::expressions(formulas, &[root]).filter(|expr| expr.can_fail()).cloned().collect()
}
