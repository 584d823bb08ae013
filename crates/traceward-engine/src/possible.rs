//! The letters that a trace can have. `x > 5` and `x < 3` never hold together, though to an
//! automaton they are two propositions like any other.
//!
//! Atoms that speak of the same variables form a group. Values for the variables of a group are
//! tried out: a few for each way in which they can lie among the constants that they are compared
//! with. For comparisons with constants and with each other this tries everything. For arithmetic,
//! patterns and the like it does not: a combination of atoms that was not met may still be
//! possible.

mod samples;

use samples::samples;
use std::collections::{BTreeMap, BTreeSet};
use traceward_logic::expr::{Environment, Expr};
use traceward_logic::formula::{AtomId, Direction, FormulaId, Formulas, Interval, Node};
use traceward_logic::letter::{Alphabet, Letter};
use traceward_logic::lower::Expected;
use traceward_logic::trace::VariableId;
use traceward_logic::value::{ArithmeticError, CompareOp, Value};

/// The largest number of assignments that are tried for a group.
const MOST_ASSIGNMENTS: usize = 50_000;
/// The largest number of combinations of true and false atoms that are kept for a group.
const MOST_VALUATIONS: usize = 4096;

/// The knowledge of which letters over some atoms are possible.
#[derive(Clone, Debug)]
pub struct Possible {
    groups: Vec<Group>,
}

/// Atoms that have to be looked at together, because they share variables.
#[derive(Clone, Debug)]
struct Group {
    atoms: Vec<AtomId>,
    variables: Vec<VariableId>,
    /// The combinations of true and false atoms that were met, each with values of the variables
    /// that lead to it.
    met: BTreeMap<Vec<bool>, Vec<Value>>,
    /// Whether every combination that is not in `met` is impossible.
    exhaustive: bool,
    /// Whether `exhaustive` holds for all values that a trace may have, so that an engine may count
    /// on it.
    reliable: bool,
}

/// The knowledge about letters that an engine may count on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knowledge {
    /// A formula without temporal operators that every letter of a trace satisfies.
    pub possible: Option<FormulaId>,
    /// Whether every letter that satisfies `possible` can occur in a trace.
    pub is_complete: bool,
}

impl Knowledge {
    /// The knowledge that every letter can occur: the atoms have nothing to do with each other.
    pub const INDEPENDENT: Self = Self { possible: None, is_complete: true };
}

/// The letters that are admitted, where not everything is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admit {
    /// Letters that are known to be possible.
    Certain,
    /// Letters that are not known to be impossible.
    Conceivable,
}

impl Possible {
    /// The knowledge that trying values gives about the atoms of an alphabet.
    pub fn new(formulas: &Formulas, alphabet: &Alphabet) -> Self {
        Self::expecting(formulas, alphabet, &[])
    }

    /// The same, where the values are known that are expected of variables.
    pub fn expecting(formulas: &Formulas, alphabet: &Alphabet, expected: &[Expected]) -> Self {
        let groups = grouped(formulas, alphabet.atoms().iter().map(|(_, atom)| *atom));
        Self { groups: groups.into_iter().map(|atoms| Group::new(formulas, atoms, expected)).collect() }
    }

    /// The formula that says that every letter of a trace is an admitted one, as far as these atoms
    /// have to do with it.
    pub fn always(&self, formulas: &mut Formulas, atoms: &Alphabet, admit: Admit) -> FormulaId {
        let mut all = formulas.constant(true);
        for group in self.groups_of(atoms).filter(|group| admit == Admit::Certain || group.exhaustive) {
            let one = group.formula(formulas, |atom| atoms.proposition(atom).is_some());
            all = formulas.and(all, one);
        }
        formulas.intern(Node::Always(Direction::Future, Interval::ALL, all))
    }

    /// The knowledge that holds for all values that a trace may have.
    pub fn knowledge(&self, formulas: &mut Formulas) -> Knowledge {
        let mut possible = formulas.constant(true);
        for group in self.groups.iter().filter(|group| group.reliable && group.exhaustive) {
            let one = group.formula(formulas, |_| true);
            possible = formulas.and(possible, one);
        }
        let unrestricted = matches!(formulas.node(possible), Node::Constant(_));
        let is_complete = self.groups.iter().all(|group| group.reliable && group.exhaustive || group.is_free(formulas));
        Knowledge { possible: (!unrestricted).then_some(possible), is_complete }
    }

    /// The atoms whose combinations are not all known, among those that have to do with these.
    pub fn uncertain(&self, atoms: &Alphabet) -> impl Iterator<Item = AtomId> {
        self.groups_of(atoms).filter(|group| !group.exhaustive).flat_map(|group| group.atoms.iter().copied())
    }

    fn groups_of(&self, atoms: &Alphabet) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.atoms.iter().any(|atom| atoms.proposition(*atom).is_some()))
    }

    /// A state with an admitted letter: values for the variables that the letter's propositions
    /// speak of.
    pub fn state(&self, alphabet: &Alphabet, letter: &Letter) -> Vec<(VariableId, Value)> {
        let mut state = Vec::new();
        for group in &self.groups {
            // Of atoms that the letter does not speak of it makes no difference whether they hold.
            let suits = |(atom, holds): (&AtomId, &bool)| {
                alphabet.proposition(*atom).is_none_or(|proposition| letter.holds(proposition) == *holds)
            };
            let met = group.met.iter().find(|(valuation, _)| group.atoms.iter().zip(*valuation).all(suits));
            let values = met.into_iter().flat_map(|(_, values)| values.iter().cloned());
            state.extend(group.variables.iter().copied().zip(values));
        }
        state.sort_by_key(|(variable, _)| *variable);
        state
    }
}

/// Values worth trying for each variable of some atoms: those that the atoms which speak of it
/// compare it with, and some around them.
pub fn values_to_try(formulas: &Formulas, alphabet: &Alphabet, expected: &[Expected]) -> Vec<(VariableId, Vec<Value>)> {
    let exprs: Vec<&Expr> = alphabet.atoms().iter().map(|(_, atom)| formulas.atom(*atom)).collect();
    let tried = |variable: VariableId| {
        let speaks_of_it = |expr: &&Expr| variables_of(&[*expr]).contains(&variable);
        let exprs: Vec<&Expr> = exprs.iter().copied().filter(speaks_of_it).collect();
        let expected = expected.get(variable.index()).copied();
        (variable, samples(variable, expected, &exprs, variables_of(&exprs).len()))
    };
    variables_of(&exprs).into_iter().map(tried).collect()
}

/// Atoms by the variables that they share. An earlier value is an unknown of its own, so an atom
/// that speaks of earlier states stands alone.
fn grouped(formulas: &Formulas, atoms: impl Iterator<Item = AtomId>) -> Vec<Vec<AtomId>> {
    let mut groups: Vec<(Vec<VariableId>, Vec<AtomId>)> = Vec::new();
    for atom in atoms {
        let mut variables = Vec::new();
        if !formulas.atom(atom).looks_back() {
            formulas.atom(atom).for_each_variable(&mut |variable| variables.push(variable));
        }
        let mut joined = vec![atom];
        groups.retain(|(others, members)| {
            let meets = others.iter().any(|other| variables.contains(other));
            if meets {
                variables.extend(others);
                joined.extend(members);
            }
            !meets
        });
        joined.sort_unstable();
        groups.push((variables, joined));
    }
    groups.into_iter().map(|(_, atoms)| atoms).collect()
}

fn variables_of(exprs: &[&Expr]) -> Vec<VariableId> {
    let mut variables = Vec::new();
    exprs.iter().for_each(|expr| expr.for_each_variable(&mut |variable| variables.push(variable)));
    variables.sort_unstable();
    variables.dedup();
    variables
}

impl Group {
    fn new(formulas: &Formulas, atoms: Vec<AtomId>, expected: &[Expected]) -> Self {
        let exprs: Vec<&Expr> = atoms.iter().map(|atom| formulas.atom(*atom)).collect();
        let variables = variables_of(&exprs);
        let samples_of = |variable: &VariableId| {
            samples(*variable, expected.get(variable.index()).copied(), &exprs, variables.len())
        };
        let samples: Vec<Vec<Value>> = variables.iter().map(samples_of).collect();
        let reliable = variables.len() == 1 && is_reliable(&exprs);
        let mut group = Self {
            reliable,
            exhaustive: exprs.iter().all(|expr| is_plain(expr, variables.len())),
            atoms,
            variables,
            met: BTreeMap::new(),
        };
        // Nobody can choose values for `pos` and `time`, nor for earlier states by choosing those
        // of this one, so nothing is certain of atoms that speak of them.
        if !exprs.iter().any(|expr| speaks_of_position(expr) || expr.looks_back()) {
            group.try_all(&exprs, &samples);
        }
        group
    }

    fn try_all(&mut self, exprs: &[&Expr], samples: &[Vec<Value>]) {
        let count = samples.iter().try_fold(1_usize, |count, one| count.checked_mul(one.len()));
        let count = count.filter(|count| *count <= MOST_ASSIGNMENTS).unwrap_or_else(|| {
            self.exhaustive = false;
            MOST_ASSIGNMENTS
        });
        for number in 0..count {
            let mut rest = number;
            let values: Vec<Value> = samples
                .iter()
                .map(|one| {
                    let value = one[rest % one.len()].clone();
                    rest /= one.len();
                    value
                })
                .collect();
            let state = Assignment { variables: &self.variables, values: &values };
            // An assignment on which an atom fails is no state of a trace: such a trace is refused.
            let valuation: Result<Vec<bool>, _> = exprs.iter().map(|expr| expr.holds(&state)).collect();
            if let Ok(valuation) = valuation {
                if self.met.len() >= MOST_VALUATIONS {
                    self.exhaustive = false;
                    return;
                }
                self.met.entry(valuation).or_insert(values);
            }
        }
    }

    /// Whether the group is a single atom that plainly can hold and can fail.
    fn is_free(&self, formulas: &Formulas) -> bool {
        match &self.atoms[..] {
            [only] => match formulas.atom(*only) {
                Expr::Variable(_) => true,
                Expr::Defined(inner) => matches!(**inner, Expr::Variable(_)),
                Expr::Compare(_, left, right) => match (&**left, &**right) {
                    (Expr::Variable(one), Expr::Variable(other)) => one != other,
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    /// The formula that says that the atoms that are asked for form one of the combinations that
    /// were met. Other atoms of the group are left out: with all those of a large spec the formula
    /// of each property would be as large as the spec.
    fn formula(&self, formulas: &mut Formulas, is_asked_for: impl Fn(AtomId) -> bool) -> FormulaId {
        let asked: Vec<usize> = (0..self.atoms.len()).filter(|&index| is_asked_for(self.atoms[index])).collect();
        let of_asked = |valuation: &Vec<bool>| asked.iter().map(|&index| valuation[index]).collect::<Vec<bool>>();
        let met: BTreeSet<Vec<bool>> = self.met.keys().map(of_asked).collect();
        if met.len() == 1_usize.checked_shl(asked.len() as u32).unwrap_or(usize::MAX) {
            return formulas.constant(true);
        }
        let mut any = formulas.constant(false);
        for valuation in met {
            let mut all = formulas.constant(true);
            for (&index, holds) in asked.iter().zip(valuation) {
                let atom = formulas.intern(Node::Atom(self.atoms[index]));
                let literal = if holds { atom } else { formulas.not(atom) };
                all = formulas.and(all, literal);
            }
            any = formulas.or(any, all);
        }
        any
    }
}

struct Assignment<'a> {
    variables: &'a [VariableId],
    values: &'a [Value],
}

impl Environment for Assignment<'_> {
    fn variable(&self, variable: VariableId) -> Value {
        let place = self.variables.binary_search(&variable);
        place.map_or(Value::Missing, |place| self.values[place].clone())
    }
    fn position(&self) -> i64 {
        0
    }
    fn time(&self) -> Value {
        Value::Missing
    }
    fn argument(&self, _: u8) -> Value {
        Value::Missing
    }
    fn earlier(&self, _: &Expr, _: u32) -> Result<Value, ArithmeticError> {
        Ok(Value::Missing)
    }
}

/// Whether trying a few values for each order among variables and constants tries everything. It
/// does for atoms that compare variables with constants, ask whether a variable is one of some
/// constants, or compare variables with each other. It does not for the order of several strings:
/// some strings have none between them.
fn is_plain(expr: &Expr, variables: usize) -> bool {
    let is_text = |side: &Expr| matches!(side, Expr::Literal(Value::Str(_)));
    let is_side = |side: &Expr| {
        matches!(side, Expr::Variable(_) | Expr::Literal(Value::Int(_) | Value::Float(_) | Value::Bool(_)))
            || is_text(side)
    };
    match expr {
        Expr::Variable(_) => true,
        Expr::Defined(inner) => matches!(**inner, Expr::Variable(_)),
        Expr::In(operand, _) => matches!(**operand, Expr::Variable(_)),
        Expr::Compare(op, left, right) => {
            let orders_texts = op.is_order() && (is_text(left) || is_text(right));
            is_side(left) && is_side(right) && (variables == 1 || !orders_texts)
        }
        _ => false,
    }
}

/// Whether the combinations of these atoms of one variable are known for all values that it may
/// have. They are if it is compared with numbers only, or asked to be one of some strings, or is a
/// boolean.
fn is_reliable(exprs: &[&Expr]) -> bool {
    let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
    let is_text = |value: &Value| matches!(value, Value::Str(_));
    let compares = |expr: &Expr, suits: &dyn Fn(&Value) -> bool, admits: &dyn Fn(CompareOp) -> bool| match expr {
        Expr::In(_, values) => values.iter().all(suits),
        Expr::Compare(op, left, right) => match (&**left, &**right) {
            (Expr::Variable(_), Expr::Literal(value)) | (Expr::Literal(value), Expr::Variable(_)) => {
                suits(value) && admits(*op)
            }
            _ => false,
        },
        _ => false,
    };
    let asks = |expr: &Expr| matches!(expr, Expr::Defined(inner) if matches!(**inner, Expr::Variable(_)));
    exprs.iter().all(|expr| asks(expr) || matches!(expr, Expr::Variable(_)))
        || exprs.iter().all(|expr| asks(expr) || is_plain(expr, 1) && compares(expr, &is_number, &|_| true))
        || exprs.iter().all(|expr| asks(expr) || is_plain(expr, 1) && compares(expr, &is_text, &|_| true))
}

fn speaks_of_position(expr: &Expr) -> bool {
    matches!(expr, Expr::Position | Expr::Time) || expr.parts().into_iter().any(speaks_of_position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use traceward_logic::formula::FormulaId;

    /// Numbers at which types, signs and precision change, and others beside them.
    fn corner() -> impl Strategy<Value = Value> {
        let two_to_53 = 1_i64 << 53;
        let ints = [0, 1, two_to_53 - 1, two_to_53, two_to_53 + 1, 1_700_000_000_000_000_000, i64::MAX, i64::MIN];
        let floats = [0.5, -0.0, f64::from_bits(1), 9e15, 9_007_199_254_740_992.0, 9_223_372_036_854_775_808.0, 1e308];
        let int = (prop::sample::select(ints.to_vec()), -3_i64..=3)
            .prop_map(|(int, step)| Value::Int(int.saturating_add(step)));
        let float =
            (prop::sample::select(floats.to_vec()), any::<bool>(), 0_u8..3).prop_map(|(float, negative, steps)| {
                let float = if negative { -float } else { float };
                Value::float((0..steps).fold(float, |float, _| float.next_up()))
            });
        let end = prop::sample::select(vec![f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY]);
        prop_oneof![4 => int, 3 => float, 1 => end.prop_map(Value::float)]
    }

    fn op() -> impl Strategy<Value = CompareOp> {
        use CompareOp::*;
        prop::sample::select(vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual])
    }

    /// A comparison of a variable with a constant, or of two variables.
    fn atom() -> impl Strategy<Value = Expr> {
        let variable = |id: u32| Box::new(Expr::Variable(VariableId(id)));
        let constant = (op(), 0_u32..2, corner(), any::<bool>()).prop_map(move |(op, id, value, flipped)| {
            let literal = Box::new(Expr::Literal(value));
            if flipped { Expr::Compare(op, literal, variable(id)) } else { Expr::Compare(op, variable(id), literal) }
        });
        let both = op().prop_map(move |op| Expr::Compare(op, variable(0), variable(1)));
        let defined = (0_u32..2).prop_map(move |id| Expr::Defined(variable(id)));
        prop_oneof![6 => constant, 1 => both, 1 => defined]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

        /// No letter that some values lead to is taken for impossible, and every letter that is
        /// taken for possible comes with values that lead to it.
        #[test]
        fn what_is_taken_for_impossible_is(
            exprs in proptest::collection::vec(atom(), 1..5),
            states in proptest::collection::vec([prop_oneof![4 => corner(), 1 => Just(Value::Missing)], prop_oneof![corner(), Just(Value::Missing)]], 40),
        ) {
            let mut formulas = Formulas::new();
            let roots: Vec<FormulaId> = exprs.iter().map(|expr| formulas.intern_atom(expr.clone())).collect();
            let alphabet = Alphabet::of(&formulas, &roots);
            let possible = Possible::new(&formulas, &alphabet);
            // Constants decide most, so values near them are tried as well.
            let near = exprs.iter().filter_map(|expr| match expr {
                Expr::Compare(_, left, right) => match (&**left, &**right) {
                    (Expr::Literal(value), _) | (_, Expr::Literal(value)) => Some([value.clone(), value.clone()]),
                    _ => None,
                },
                _ => None,
            });
            let variables = [VariableId(0), VariableId(1)];
            for values in states.iter().cloned().chain(near) {
                let state = Assignment { variables: &variables, values: &values };
                for group in possible.groups.iter().filter(|group| group.exhaustive) {
                    let holds = |atom: &AtomId| formulas.atom(*atom).holds(&state).expect("no arithmetic");
                    let valuation: Vec<bool> = group.atoms.iter().map(holds).collect();
                    prop_assert!(group.met.contains_key(&valuation), "{values:?} leads to {valuation:?}");
                }
            }
            for group in &possible.groups {
                for (valuation, values) in &group.met {
                    let state = Assignment { variables: &group.variables, values };
                    let holds = |atom: &AtomId| formulas.atom(*atom).holds(&state).expect("no arithmetic");
                    let found: Vec<bool> = group.atoms.iter().map(holds).collect();
                    prop_assert_eq!(&found, valuation);
                }
            }
        }
    }
}
