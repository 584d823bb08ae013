//! The strings that a spec compares variables with, and whether they have occurred.
//!
//! A string that no state has is mostly a slip, and what is asked of it passes in silence: so its
//! variable's values are looked at until it comes, also where no engine asks for them any more.

use crate::question::{MOST_COMPARED, compared_strings};
use crate::warning::{Subject, Warning, WarningKind, near};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use traceward_engine::saved::{Reader, RestoreError, Writer};
use traceward_logic::expr::Expr;
use traceward_logic::trace::VariableId;
use traceward_logic::value::Value;

/// The strings of a spec, each with the property or query that compares a variable with it.
#[derive(Debug, Default)]
pub(super) struct Spelling {
    compared: Vec<Compared>,
}

#[derive(Clone, PartialEq, Debug)]
struct Compared {
    variable: VariableId,
    text: Arc<str>,
    about: Option<Subject>,
}

impl Spelling {
    /// Takes the strings of an expression.
    pub(super) fn add(&mut self, expr: &Expr, about: Option<&Subject>) {
        for (variable, text) in compared_strings(expr) {
            let compared = Compared { variable, text, about: about.cloned() };
            if !self.compared.contains(&compared) {
                self.compared.push(compared);
            }
        }
        expr.parts().into_iter().for_each(|part| self.add(part, about));
    }

    /// What is known of a trace without a state.
    pub(super) fn start(&self) -> Occurred {
        Occurred { left: (0..self.compared.len()).collect(), others: FxHashMap::default() }
    }

    /// The strings that no state has had. `is_decisive` tells whether one keeps a property from
    /// saying anything.
    pub(super) fn warnings<'a>(
        &'a self,
        occurred: &'a Occurred,
        names: &'a [Arc<str>],
        is_decisive: impl Fn(VariableId, &str, Option<&Subject>) -> bool + 'a,
    ) -> impl Iterator<Item = Warning> + 'a {
        occurred.left.iter().map(move |&index| {
            let Compared { variable, text, about } = &self.compared[index];
            let others = occurred.others.get(variable).into_iter().flat_map(|others| &others.ordered);
            let near = near(text, others);
            let is_urgent = near.is_some() || is_decisive(*variable, text, about.as_ref());
            let kind =
                WarningKind::StringNeverOccurs { variable: names[variable.index()].clone(), value: text.clone(), near };
            Warning { kind, about: about.clone(), is_urgent }
        })
    }
}

/// What has occurred of the strings of a spec.
#[derive(Clone, Debug)]
pub(super) struct Occurred {
    /// The strings that have not, by their places.
    left: Vec<usize>,
    /// What the variables of these have instead.
    others: FxHashMap<VariableId, Others>,
}

/// Strings in the order in which they came, some of the first.
#[derive(Clone, Debug, Default)]
struct Others {
    ordered: Vec<Arc<str>>,
    known: FxHashSet<Arc<str>>,
}

impl Occurred {
    /// Takes the values of a state.
    #[inline]
    pub(super) fn take(&mut self, spelling: &Spelling, values: &[Value]) {
        if !self.left.is_empty() {
            self.look_at(spelling, values);
        }
    }

    fn look_at(&mut self, Spelling { compared }: &Spelling, values: &[Value]) {
        let value = |index: usize| match &values[compared[index].variable.index()] {
            Value::Str(text) => Some(text),
            _ => None,
        };
        self.left.retain(|&index| value(index).is_none_or(|text| *text != compared[index].text));
        for &index in &self.left {
            let Some(text) = value(index) else { continue };
            let others = self.others.entry(compared[index].variable).or_default();
            if others.ordered.len() < MOST_COMPARED && !others.known.contains(text) {
                others.known.insert(text.clone());
                others.ordered.push(text.clone());
            }
        }
    }

    /// Writes which strings have not occurred. What came instead is not kept.
    pub(super) fn save(&self, to: &mut Writer) {
        to.size(self.left.len());
        self.left.iter().for_each(|&index| to.size(index));
    }

    /// Goes on from what was written.
    pub(super) fn restored(spelling: &Spelling, from: &mut Reader<'_>) -> Result<Self, RestoreError> {
        let left = from.many(|from| from.index(spelling.compared.len()))?;
        Ok(Self { left, others: FxHashMap::default() })
    }
}
