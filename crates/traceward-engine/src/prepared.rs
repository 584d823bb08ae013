//! Formulas as engines take them, stage by stage.

use std::sync::Arc;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::{self, Alphabet, Letters};
use traceward_logic::pass::{Simplifier, negation_normal_form, split_atoms};
use traceward_logic::semantics;
use traceward_logic::trace::Trace;

/// The choice whether formulas are simplified before they are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Simplification {
    /// Formulas are simplified by the laws of [`traceward_logic::pass::LAWS`].
    #[default]
    On,
    /// Formulas are evaluated as they were written.
    Off,
}

/// Formulas as engines take them, stage by stage. They are prepared once for all engines that
/// answer for them, and so are the letters of a trace.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The arena of all stages.
    pub formulas: Formulas,
    /// The formulas as lowered: atoms are maximal boolean expressions.
    pub lowered: Vec<FormulaId>,
    /// The formulas with atoms split at their connectives.
    pub split: Vec<FormulaId>,
    /// The split formulas simplified, if that was asked for.
    pub simplified: Vec<FormulaId>,
    /// The simplified formulas in negation normal form.
    pub normal: Vec<FormulaId>,
    /// The atoms of the formulas in their last stage.
    pub alphabet: Alphabet,
}

impl Prepared {
    /// Takes formulas through all stages.
    pub fn new(formulas: &Formulas, roots: &[FormulaId], simplification: Simplification) -> Self {
        let (mut formulas, lowered) = formulas.extract(roots);
        let split = split_atoms(&mut formulas, &lowered);
        let simplified = match simplification {
            Simplification::On => Simplifier::new().simplify(&mut formulas, &split),
            Simplification::Off => split.clone(),
        };
        let normal = negation_normal_form(&mut formulas, &simplified);
        let alphabet = Alphabet::of(&formulas, &normal);
        Self { formulas, lowered, split, simplified, normal, alphabet }
    }

    /// The same as [`Self::new`], to be shared by all engines that answer for these formulas.
    pub fn shared(formulas: &Formulas, roots: &[FormulaId], simplification: Simplification) -> Arc<Self> {
        Arc::new(Self::new(formulas, roots, simplification))
    }

    /// Some of the formulas by themselves, in an arena that has no others: what an engine makes of
    /// them shall not depend on how many there are beside them. Letters stay the same.
    pub fn only(&self, indices: &[usize]) -> Self {
        let stages = [&self.lowered, &self.split, &self.simplified, &self.normal];
        let roots: Vec<FormulaId> = stages.iter().flat_map(|stage| indices.iter().map(|&index| stage[index])).collect();
        let (formulas, roots) = self.formulas.extract(&roots);
        let mut stages = roots.chunks(indices.len().max(1)).map(<[FormulaId]>::to_vec);
        let [lowered, split, simplified, normal] = std::array::from_fn(|_| stages.next().unwrap_or_default());
        let place = |expr: &Expr| self.alphabet.proposition(self.formulas.find_atom(expr)?);
        let alphabet = self.alphabet.narrowed(&formulas, &normal, place);
        Self { formulas, lowered, split, simplified, normal, alphabet }
    }

    /// The letters of a trace whose expressions can be evaluated.
    pub fn letters(&self, trace: &Trace) -> Letters {
        letter::letters(&self.formulas, &self.alphabet, trace)
    }

    /// Whether the trace without a state satisfies a formula, judged as it was lowered: laws such
    /// as `F true = true` hold only where there is a state.
    pub fn holds_on_empty(&self, index: usize) -> bool {
        semantics::holds_on_empty(&self.formulas, self.lowered[index])
    }

    /// Whether what holds in a state depends on the states before it, by `pos` or `past`, so that
    /// letters are of one trace and of no part of it.
    pub fn speaks_of_states_before(&self) -> bool {
        fn speaks(expr: &Expr) -> bool {
            matches!(expr, Expr::Position | Expr::Past(..)) || expr.parts().into_iter().any(speaks)
        }
        self.alphabet.atoms().iter().any(|(_, atom)| speaks(self.formulas.atom(*atom)))
            || letter::fallible(&self.formulas, &self.lowered).into_iter().any(speaks)
    }
}
