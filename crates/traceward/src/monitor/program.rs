//! What a monitor does, apart from where it is.

use crate::error::{Error, Request};
use crate::spec::Spec;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_engine::select::{Config, Online, Prepared};
use traceward_logic::expr::{Expr, Memory};
use traceward_logic::formula::FormulaId;
use traceward_logic::letter::{self, Atom, Proposition};
use traceward_logic::lower::{self, Claim, Lowered};
use traceward_logic::semantics;

/// The properties of a spec, ready to be followed.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) spec: Spec,
    pub(super) names: Vec<Arc<str>>,
    pub(super) variables: Vec<ProgramVariable>,
    pub(super) slots: FxHashMap<Arc<str>, usize>,
    pub(super) properties: Vec<CompiledProperty>,
    pub(super) atoms: Vec<Atom>,
    /// Expressions of properties that may fail, as a whole.
    pub(super) fallible: Vec<Expr>,
    /// A memory of the values of earlier states that expressions ask for, before any state.
    pub(super) memory: Memory,
}

#[derive(Debug)]
pub(super) struct ProgramVariable {
    /// Whether the trace has to have the variable.
    pub(super) needed: bool,
    /// Whether the value of the variable can make a difference to a verdict.
    pub(super) matters: bool,
}

#[derive(Debug)]
pub(super) struct CompiledProperty {
    pub(super) name: String,
    pub(super) formula: String,
    pub(super) description: Option<Arc<str>>,
    pub(super) engine: Online,
    /// For each proposition of the engine, the atom among those of the program; none if it makes no
    /// difference.
    pub(super) atoms: Vec<Option<usize>>,
    /// A bit for each atom of the program: whether it is among them.
    mask: Vec<u64>,
    /// Whether a state like the one before makes no difference.
    ignores_repetition: bool,
    pub(super) holds_on_empty: bool,
}

impl Program {
    pub(super) fn new(spec: &Spec, config: Config) -> Result<Self, Error> {
        if spec.settings().by.is_some() {
            return Err(Request::MonitorByKey.into());
        }
        let lowered = spec.bind(&spec.expected_schema())?;
        let roots = formulas_of(&lowered)?;
        let names = lowered.variables.names();
        let variable = |variable: &lower::Variable| ProgramVariable {
            needed: variable.needed_at.is_some() && variable.declared.is_none(),
            matters: false,
        };
        let mut program = Self {
            spec: spec.clone(),
            slots: names.iter().enumerate().map(|(slot, name)| (name.clone(), slot)).collect(),
            names,
            variables: spec.variables().iter().map(variable).collect(),
            properties: Vec::new(),
            atoms: Vec::new(),
            fallible: Vec::new(),
            memory: Memory::default(),
        };
        program.take_properties(spec, &lowered, &roots, config)?;
        Ok(program)
    }

    fn take_properties(
        &mut self,
        spec: &Spec,
        lowered: &Lowered,
        roots: &[FormulaId],
        config: Config,
    ) -> Result<(), Error> {
        let mut known: Vec<Expr> = Vec::new();
        let formulas = &lowered.formulas;
        for ((property, name), &root) in lowered.properties.iter().zip(spec.property_names()).zip(roots) {
            let engine = Online::new(&Prepared::shared(formulas, &[root], config.simplification), 0, &config)
                .map_err(|error| Error::CannotFollow { property: name.clone(), error })?;
            for expr in letter::fallible(formulas, &[root]) {
                self.note_that_it_matters(expr);
                if !self.fallible.contains(expr) {
                    self.fallible.push(expr.clone());
                }
            }
            let atoms = self.atoms_of(&engine, &mut known);
            self.properties.push(CompiledProperty {
                name,
                formula: spec.text(property.body.span),
                description: property.description.clone(),
                ignores_repetition: engine.is_stutter_invariant(),
                engine,
                mask: mask(&atoms),
                atoms,
                holds_on_empty: semantics::holds_on_empty(formulas, root),
            });
        }
        self.memory = Memory::of(known.iter().chain(&self.fallible));
        Ok(())
    }

    /// For each proposition of an engine, the atom; those that make no difference to it need not be
    /// evaluated for it.
    fn atoms_of(&mut self, engine: &Online, known: &mut Vec<Expr>) -> Vec<Option<usize>> {
        let (prepared, relevant) = (engine.prepared(), engine.propositions());
        let mut atoms = Vec::new();
        for (index, (_, atom)) in prepared.alphabet.atoms().iter().enumerate() {
            let expr = prepared.formulas.atom(*atom);
            atoms.push(relevant.contains(&Proposition(index as u32)).then(|| {
                self.note_that_it_matters(expr);
                known.iter().position(|one| one == expr).unwrap_or_else(|| {
                    known.push(expr.clone());
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

impl CompiledProperty {
    /// Whether a state in which only these atoms are other than before makes no difference.
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

/// The formula of each property.
fn formulas_of(lowered: &Lowered) -> Result<Vec<FormulaId>, Error> {
    if !lowered.queries.is_empty() {
        return Err(Request::QueryInMonitor.into());
    }
    let formula = |claim: &Claim| match claim {
        Claim::Formula(formula) => Ok(*formula),
        Claim::Assert(..) => Err(Request::AssertInMonitor.into()),
    };
    lowered.properties.iter().map(|property| formula(&property.claim)).collect()
}
