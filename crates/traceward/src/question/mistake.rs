//! What never happens in a trace though a spec speaks of it: strings that do not occur, patterns
//! that match nothing, comparisons that are never true.

use super::Question;
use crate::report::PropertyReport;
use crate::warning::{Subject, Warning, WarningKind, near};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{FormulaId, Node};
use traceward_logic::letter::Letters;
use traceward_logic::lower::{Claim, Trigger};
use traceward_logic::trace::{ColumnData, Trace, VariableId};
use traceward_logic::value::{CompareOp, Value};

/// The largest number of different strings of a column among which a slip is looked for.
pub(crate) const MOST_COMPARED: usize = 10_000;

/// The largest number of warnings: beyond it nobody reads on.
const MOST_WARNINGS: usize = 1000;

/// What a trace has of all that a spec speaks of. It is collected part by part where only some keys
/// are in memory at a time.
#[derive(Default)]
pub(super) struct Occurring {
    /// For each variable that is compared with strings, those that it has.
    strings: FxHashMap<VariableId, Strings>,
    /// For each variable that may have been meant for a boolean, whether it has other numbers than
    /// 0 and 1.
    numbers: FxHashMap<VariableId, HasOthers>,
    /// For each proposition whether it holds somewhere; none if that is not known.
    held: Option<Vec<bool>>,
    states: usize,
}

/// Whether a column has numbers that are neither 0 nor 1.
type HasOthers = bool;

/// Strings in order of appearance.
#[derive(Default)]
struct Strings {
    ordered: Vec<Arc<str>>,
    known: FxHashSet<Arc<str>>,
}

impl Occurring {
    /// Takes the values of some states, as far as they tell of mistakes.
    pub(super) fn add_values(&mut self, question: &Question<'_>, trace: &Trace) {
        for variable in supposed_formulas(question) {
            if let ColumnData::Int(numbers) = &trace.columns[variable.index()].data {
                let has_others = self.numbers.entry(variable).or_default();
                *has_others = *has_others || numbers.iter().any(|number| !matches!(number, 0 | 1));
            }
        }
        for variable in compared_variables(question) {
            if let ColumnData::Text(column) = &trace.columns[variable.index()].data {
                let strings = self.strings.entry(variable).or_default();
                let new = column.dictionary.iter().filter(|text| strings.known.insert((*text).clone()));
                strings.ordered.extend(new.cloned());
            }
        }
    }

    /// Takes the letters of some states, where there are any.
    pub(super) fn add_held(&mut self, letters: Option<&Letters>, states: usize) {
        let held = letters.map(|letters| letters.bitmaps.iter().map(|row| row.first_one_from(0).is_some()));
        self.held = match (self.held.take(), held) {
            (Some(before), Some(held)) => Some(before.into_iter().zip(held).map(|(one, other)| one | other).collect()),
            (None, Some(held)) if self.states == 0 => Some(held.collect()),
            _ => None,
        };
        self.states += states;
    }
}

/// The variables that are formulas if they are booleans, and values otherwise, and of which nothing
/// but the trace says what they are.
fn supposed_formulas(question: &Question<'_>) -> impl Iterator<Item = VariableId> {
    let variables = question.spec.variables().iter().filter(|variable| variable.is_supposed_formula);
    variables
        .filter_map(|variable| question.bound.names.iter().position(|name| *name == variable.name))
        .map(|index| VariableId(index as u32))
}

/// The variables that a spec compares with strings.
fn compared_variables(question: &Question<'_>) -> BTreeSet<VariableId> {
    fn below(expr: &Expr, variables: &mut BTreeSet<VariableId>) {
        variables.extend(compared_strings(expr).into_iter().map(|(variable, _)| variable));
        expr.parts().into_iter().for_each(|part| below(part, variables));
    }
    let formulas = &question.bound.lowered.formulas;
    let mut variables = BTreeSet::new();
    for part in formulas.parts(&question.bound.asked) {
        if let Node::Atom(atom) = formulas.node(part) {
            below(formulas.atom(atom), &mut variables);
        }
    }
    variables
}

/// Looks for what a spec speaks of and a trace never has.
pub(super) fn look(question: &Question<'_>, occurring: &Occurring, properties: &[PropertyReport]) -> Vec<Warning> {
    if occurring.states == 0 {
        return Vec::new();
    }
    let mut search = Search { question, occurring, warnings: Vec::new() };
    search.numbers();
    for (property, report) in question.bound.lowered.properties.iter().zip(properties) {
        let about = Subject::Property(report.name.clone());
        // What an unmet trigger speaks of is why the property says nothing.
        let unmet = |trigger: &&Trigger| report.vacuous.as_ref() == Some(&question.spec.text(trigger.span));
        let unmet = property.triggers.iter().find(unmet).map(|trigger| trigger.formula);
        match &property.claim {
            Claim::Formula(formula) => search.formulas(&[*formula], Some(&about), unmet),
            Claim::Assert(query, ..) => {
                let mut formulas = Vec::new();
                query.for_each_formula(&mut |formula| formulas.push(formula));
                search.formulas(&formulas, Some(&about), unmet);
            }
        }
    }
    for (index, query) in question.bound.lowered.queries.iter().enumerate() {
        let mut formulas = Vec::new();
        query.query.for_each_formula(&mut |formula| formulas.push(formula));
        search.formulas(&formulas, Some(&Subject::Query(question.bound.query_names[index].clone())), None);
    }
    if let Some(marker) = question.bound.lowered.end_when {
        // A marker that ends no trace is as good as none.
        let unmet = Some(marker).filter(|marker| search.is_never(*marker));
        search.formulas(&[marker], None, unmet);
    }
    search.warnings
}

struct Search<'a> {
    question: &'a Question<'a>,
    occurring: &'a Occurring,
    warnings: Vec<Warning>,
}

impl Search<'_> {
    /// Columns of 0 and 1 that are numbers, where a boolean would be a formula.
    fn numbers(&mut self) {
        for (variable, _) in self.occurring.numbers.iter().filter(|(_, has_others)| !**has_others) {
            let variable = self.question.bound.names[variable.index()].clone();
            let kind = WarningKind::NumberForFormula { variable };
            self.warnings.push(Warning { kind, about: None, is_urgent: true });
        }
        self.warnings.sort_by_key(|warning| warning.kind.to_string());
    }

    fn formulas(&mut self, roots: &[FormulaId], about: Option<&Subject>, unmet: Option<FormulaId>) {
        let found = self.never_in(roots);
        let decisive = self.never_in(unmet.as_slice());
        for kind in found {
            let is_near = matches!(kind, WarningKind::StringNeverOccurs { near: Some(_), .. });
            if self.warnings.len() < MOST_WARNINGS {
                let is_urgent = is_near || decisive.contains(&kind);
                self.warnings.push(Warning { kind, about: about.cloned(), is_urgent });
            }
        }
    }

    /// What formulas speak of and never happens.
    fn never_in(&mut self, roots: &[FormulaId]) -> Vec<WarningKind> {
        let formulas = &self.question.bound.lowered.formulas;
        let mut found = Vec::new();
        for part in formulas.parts(roots) {
            if let Node::Atom(atom) = formulas.node(part) {
                self.expression(formulas.atom(atom), &mut found);
            }
        }
        found
    }

    fn expression(&mut self, expr: &Expr, found: &mut Vec<WarningKind>) {
        let absent: Vec<WarningKind> =
            compared_strings(expr).into_iter().filter_map(|(variable, text)| self.absent(variable, &text)).collect();
        let never = if absent.is_empty() { self.never(expr) } else { None };
        for kind in absent.into_iter().chain(never) {
            if !found.contains(&kind) {
                found.push(kind);
            }
        }
        expr.parts().into_iter().for_each(|part| self.expression(part, found));
    }

    /// A string that its column does not have.
    fn absent(&mut self, variable: VariableId, text: &Arc<str>) -> Option<WarningKind> {
        let strings = self.occurring.strings.get(&variable).filter(|strings| !strings.known.contains(text))?;
        let near = near(text, strings.ordered.iter().take(MOST_COMPARED));
        let variable = self.question.bound.names[variable.index()].clone();
        Some(WarningKind::StringNeverOccurs { variable, value: text.clone(), near })
    }

    /// A test that is true in no state.
    fn never(&self, expr: &Expr) -> Option<WarningKind> {
        if self.is_never_true(expr)? { never_true(expr, &self.question.bound.names) } else { None }
    }

    /// Whether an expression over one state is known to be true in none.
    fn is_never(&self, formula: FormulaId) -> bool {
        match self.question.bound.lowered.formulas.node(formula) {
            Node::Atom(atom) => self.is_never_true(self.question.bound.lowered.formulas.atom(atom)).unwrap_or_default(),
            node => node == Node::Constant(false),
        }
    }

    fn is_never_true(&self, expr: &Expr) -> Option<bool> {
        let prepared = &self.question.bound.prepared;
        let proposition = prepared.alphabet.proposition(prepared.formulas.find_atom(expr)?)?;
        Some(!self.occurring.held.as_ref()?[proposition.index()])
    }
}

/// The warning about an expression that is true in no state, if it is worth one: a boolean that is
/// always false is no news.
pub(crate) fn never_true(expr: &Expr, names: &[Arc<str>]) -> Option<WarningKind> {
    let text = || expr.display(names).to_string();
    match (expr, &compared_strings(expr)[..]) {
        (Expr::Compare(CompareOp::Equal, ..), [(variable, value)]) => {
            let variable = names[variable.index()].clone();
            Some(WarningKind::StringNeverOccurs { variable, value: value.clone(), near: None })
        }
        (Expr::Matches(..), _) => Some(WarningKind::PatternNeverMatches { test: text() }),
        (Expr::Compare(..) | Expr::In(..), _) => Some(WarningKind::ComparisonNeverTrue { comparison: text() }),
        _ => None,
    }
}

/// The strings that variables are asked to be in an expression, not looking below it.
pub(crate) fn compared_strings(expr: &Expr) -> Vec<(VariableId, Arc<str>)> {
    match expr {
        Expr::Compare(CompareOp::Equal | CompareOp::NotEqual, left, right) => match (&**left, &**right) {
            (side, Expr::Literal(Value::Str(text))) | (Expr::Literal(Value::Str(text)), side) => {
                side.as_variable().map(|variable| (variable, text.clone())).into_iter().collect()
            }
            _ => Vec::new(),
        },
        Expr::In(operand, values) => {
            let text = |value: &Value| if let Value::Str(text) = value { Some(text.clone()) } else { None };
            let texts = values.iter().filter_map(text);
            operand.as_variable().map_or_else(Vec::new, |variable| texts.map(|text| (variable, text)).collect())
        }
        _ => Vec::new(),
    }
}
