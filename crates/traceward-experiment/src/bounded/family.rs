//! Formulas and traces on which it shows how costs grow.

use super::Growth;
use std::sync::Arc;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::diagnostic::SourceId;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Node, Strength};
use traceward_logic::letter::{self, Letters};
use traceward_logic::lower::{self, Claim, Declarations, Goal};
use traceward_logic::parse;
use traceward_logic::trace::{Trace, VariableId};

/// A formula of each sublogic, about `p`, `q` and `r`.
pub const SUBLOGICS: [&str; 4] =
    ["G(p -> F(q & F r))", "G[0,40](p -> F[0,100] q)", "G(p -> F[0,100] q | F r)", "G(p -> F[0,100](q & F r))"];

/// A formula in an arena of its own.
#[derive(Clone, Debug)]
pub struct FamilyFormula {
    pub text: String,
    pub formulas: Formulas,
    pub root: FormulaId,
    pub names: Vec<Arc<str>>,
}

/// Whether a variable holds at a position.
type Holds = Box<dyn Fn(&str, usize) -> bool>;

/// What engines are asked.
pub struct Workload {
    /// The formula.
    pub bounded: FamilyFormula,
    /// The same without bounds.
    pub expanded: Option<FamilyFormula>,
    /// The length of the trace.
    pub states: usize,
    holds: Holds,
}

impl FamilyFormula {
    fn parse(text: String) -> Self {
        let spec = parse::spec(SourceId::default(), &text).expect("a formula");
        let lowered = lower::lower(&[(spec, Goal::Check)], &Declarations::default(), None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { unreachable!("a formula") };
        Self { text, root, names: lowered.variables.names(), formulas: lowered.formulas }
    }

    /// As it stands: simplified, some of the formulas would lose what makes them hard.
    pub fn prepared(&self) -> Prepared {
        Prepared::new(&self.formulas, &[self.root], Simplification::Off)
    }
}

impl Workload {
    fn new(text: String, states: usize, holds: Holds) -> Self {
        Self { bounded: FamilyFormula::parse(text), expanded: None, states, holds }
    }

    /// The trace, as a formula sees it.
    pub fn letters(&self, case: &FamilyFormula, prepared: &Prepared) -> Letters {
        let column = |name: &Arc<str>| {
            let mut bits = Bitmap::new();
            (0..self.states).for_each(|position| bits.push((self.holds)(name, position)));
            bits
        };
        let columns = case.names.iter().map(column).collect();
        letter::letters(&prepared.formulas, &prepared.alphabet, &Trace::of_bools(self.states, columns))
    }
}

/// The question of one size. Traces have at most this many states, as far as the size allows.
pub fn subject(growth: Growth, size: usize, longest: usize) -> Workload {
    match growth {
        Growth::Trace => Workload::new(growth.formula().to_owned(), size, Box::new(|name, _| name != "r")),
        Growth::Constant => {
            let holds = move |name: &str, position: usize| name == "p" || position % size == size - 1;
            let bounded = growth.formula().replace('c', &size.to_string());
            Workload {
                expanded: Some(expanded_response(size)),
                ..Workload::new(bounded, longest.max(8), Box::new(holds))
            }
        }
        Growth::Nesting => {
            let states = 6 * size;
            let inner = (1..size).fold("F[0,5] q".to_owned(), |inner, _| format!("F[0,5](p & {inner})"));
            Workload::new(inner, states, Box::new(|name, _| name == "p"))
        }
        Growth::Width => {
            let response = |number| format!("G(F[0,8] q{number} | F r{number})");
            let all: Vec<String> = (1..=size).map(response).collect();
            Workload::new(all.join(" & "), longest.clamp(8, 60), Box::new(answered_in_turn))
        }
    }
}

/// What is waited for comes at different times, so that there always is something to wait for.
fn answered_in_turn(name: &str, position: usize) -> bool {
    let (kind, number) = name.split_at(1);
    let number: usize = number.parse().expect("a number behind a letter");
    kind == "q" && (position + number).is_multiple_of(8)
}

/// `G(p -> F[0,c] q)` with the bound written out: `G(p -> q | X(q | X(…)))`. Built here, as no text
/// may be nested so deep.
fn expanded_response(bound: usize) -> FamilyFormula {
    let mut formulas = Formulas::new();
    let [p, q] = [0, 1].map(|variable| formulas.intern_atom(Expr::Variable(VariableId(variable))));
    let mut answered = q;
    for _ in 0..bound {
        let later = formulas.intern(Node::Next(Direction::Future, Strength::Strong, answered));
        answered = formulas.intern(Node::Or(q, later));
    }
    let no_request = formulas.intern(Node::Not(p));
    let response = formulas.intern(Node::Or(no_request, answered));
    let root = formulas.intern(Node::Always(Direction::Future, Interval::ALL, response));
    FamilyFormula {
        text: format!("G(p -> q | X(q | X(…))), {bound} deep"),
        formulas,
        root,
        names: vec!["p".into(), "q".into()],
    }
}

/// Requests at every other state, answers now and then, all of them in time.
pub fn sublogic_subject(formula: &str, states: usize) -> Workload {
    let holds = |name: &str, position: usize| match name {
        "p" => position.is_multiple_of(2),
        "q" => position % 37 == 36,
        _ => position % 101 == 100,
    };
    Workload::new(formula.to_owned(), states, Box::new(holds))
}
