//! The laws that simplification applies, and the passes, keep the meaning of formulas.

use proptest::prelude::*;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Node};
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::pass::{LAWS, Simplifier, negation_normal_form, split_atoms};
use traceward_logic::semantics;
use traceward_logic::trace::{Column, Trace};
use traceward_testkit::enumerate;
use traceward_testkit::generate::{self, Windows};
use traceward_testkit::lowered;

const METAVARIABLES: [&str; 3] = ["f", "g", "h"];

/// One side of a law.
struct Pattern {
    formulas: Formulas,
    root: FormulaId,
    /// The metavariable that each variable is.
    places: Vec<usize>,
}

impl Pattern {
    fn read(text: &str) -> Self {
        let lowered = lowered(text, Goal::Check, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
        let mut formulas = lowered.formulas;
        let root = split_atoms(&mut formulas, &[root])[0];
        let place = |name: &str| METAVARIABLES.iter().position(|one| *one == name).expect("f, g or h");
        let places = lowered.variables.list().iter().map(|variable| place(&variable.name)).collect();
        Self { formulas, root, places }
    }

    fn metavariable(&self, node: Node) -> Option<usize> {
        let Node::Atom(atom) = node else { return None };
        let Expr::Variable(id) = self.formulas.atom(atom) else { panic!("laws speak of formulas") };
        Some(self.places[id.index()])
    }

    /// The pattern over these formulas, seen from this side.
    fn instance(&self, arena: &mut Formulas, over: &[FormulaId; 3], view: View) -> FormulaId {
        self.instance_of(self.root, arena, over, view)
    }

    fn instance_of(&self, part: FormulaId, arena: &mut Formulas, over: &[FormulaId; 3], view: View) -> FormulaId {
        let node = self.formulas.node(part);
        match self.metavariable(node) {
            Some(place) => over[place],
            None => {
                let node = node.map(|below| self.instance_of(below, arena, over, view));
                arena.intern(view.of(node))
            }
        }
    }

    /// Operators and metavariables of the pattern as a tree.
    fn nodes(&self) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut open = vec![self.root];
        while let Some(part) = open.pop() {
            nodes.push(self.formulas.node(part));
            open.extend(self.formulas.node(part).children());
        }
        nodes
    }

    fn count(&self, metavariable: usize) -> usize {
        self.nodes().into_iter().filter(|node| self.metavariable(*node) == Some(metavariable)).count()
    }

    /// What every use of a law lessens: the size, and where that stays, the number of temporal
    /// operators.
    fn weight(&self) -> (usize, usize) {
        let nodes = self.nodes();
        (nodes.len(), nodes.iter().filter(|node| node.direction().is_some()).count())
    }
}

/// How a law is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum View {
    AsWritten,
    /// Past and future exchanged.
    Mirrored,
    /// The sides of `&` and `|` exchanged.
    Swapped,
}

impl View {
    const ALL: [Self; 3] = [Self::AsWritten, Self::Mirrored, Self::Swapped];

    fn of(self, node: Node) -> Node {
        match (self, node) {
            (Self::Mirrored, node) => mirrored(node),
            (Self::Swapped, Node::And(f, g)) => Node::And(g, f),
            (Self::Swapped, Node::Or(f, g)) => Node::Or(g, f),
            (_, node) => node,
        }
    }
}

fn mirrored(node: Node) -> Node {
    let turn = |direction| if direction == Direction::Future { Direction::Past } else { Direction::Future };
    match node {
        Node::Next(direction, strength, f) => Node::Next(turn(direction), strength, f),
        Node::Eventually(direction, interval, f) => Node::Eventually(turn(direction), interval, f),
        Node::Always(direction, interval, f) => Node::Always(turn(direction), interval, f),
        Node::Binary(op, direction, interval, f, g) => Node::Binary(op, turn(direction), interval, f, g),
        other => other,
    }
}

fn patterns() -> Vec<(Pattern, Pattern)> {
    LAWS.iter().map(|law| (Pattern::read(law.left), Pattern::read(law.right))).collect()
}

/// Both sides of every law in every view, over these formulas.
fn instances(
    patterns: &[(Pattern, Pattern)],
    arena: &mut Formulas,
    over: &[FormulaId; 3],
) -> Vec<(String, FormulaId, FormulaId)> {
    let mut instances = Vec::new();
    for ((left, right), law) in patterns.iter().zip(LAWS) {
        for view in View::ALL {
            let name = format!("{} = {}, {view:?}", law.left, law.right);
            instances.push((name, left.instance(arena, over, view), right.instance(arena, over, view)));
        }
    }
    instances
}

fn first_broken(arena: &Formulas, instances: &[(String, FormulaId, FormulaId)], trace: &Trace) -> Option<String> {
    let roots: Vec<FormulaId> = instances.iter().flat_map(|(_, left, right)| [*left, *right]).collect();
    let rows = semantics::truths(arena, &roots, trace).expect("booleans do not fail");
    instances.iter().find(|(_, left, right)| rows[left] != rows[right]).map(|(name, ..)| name.clone())
}

#[test]
fn laws_hold_of_variables_on_all_short_traces() {
    let mut arena = Formulas::new();
    let over = [0, 1, 2].map(|id| arena.intern_atom(Expr::Variable(traceward_logic::trace::VariableId(id))));
    let instances = instances(&patterns(), &mut arena, &over);
    for trace in enumerate::traces(3, 3) {
        assert_eq!(first_broken(&arena, &instances, &trace), None, "{:?}", trace.columns);
    }
}

#[test]
fn laws_make_formulas_smaller() {
    for ((left, right), law) in patterns().iter().zip(LAWS) {
        assert!(right.weight() < left.weight(), "{} = {}", law.left, law.right);
        for (metavariable, name) in METAVARIABLES.iter().enumerate() {
            assert!(right.count(metavariable) <= left.count(metavariable), "{} = {}: {name}", law.left, law.right);
        }
    }
}

#[test]
fn laws_are_applied_in_both_directions_of_time_and_both_orders() {
    for (pattern, law) in patterns().iter().zip(LAWS) {
        for view in View::ALL {
            let mut arena = Formulas::new();
            let over = [0, 1, 2].map(|id| arena.intern_atom(Expr::Variable(traceward_logic::trace::VariableId(id))));
            let left = pattern.0.instance(&mut arena, &over, view);
            let simplified = Simplifier::new().simplify(&mut arena, &[left])[0];
            assert!(arena.size(simplified) <= arena.size(left), "{}, {view:?}", law.left);
            assert_ne!(simplified, left, "{} is simplified, {view:?}", law.left);
        }
    }
}

/// Whether only atoms are negated.
fn is_normal(formulas: &Formulas, root: FormulaId) -> bool {
    formulas.parts(&[root]).into_iter().all(|part| match formulas.node(part) {
        Node::Not(f) => matches!(formulas.node(f), Node::Atom(_)),
        _ => true,
    })
}

fn is_split(formulas: &Formulas, root: FormulaId) -> bool {
    formulas.parts(&[root]).into_iter().all(|part| match formulas.node(part) {
        Node::Atom(atom) => !matches!(
            formulas.atom(atom),
            Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::Xor(..) | Expr::Implies(..) | Expr::Iff(..)
        ),
        _ => true,
    })
}

fn empty_trace(columns: usize) -> Trace {
    Trace { len: 0, columns: vec![Column::of_bools(Bitmap::new()); columns], time: Some(Vec::new().into()) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn laws_hold_of_all_formulas(
        recipes in proptest::array::uniform3(generate::formula(3, Windows::StepsAndTime)),
        trace in generate::short_trace(3),
    ) {
        thread_local!(static PATTERNS: Vec<(Pattern, Pattern)> = patterns());
        let mut arena = Formulas::new();
        let over = [0, 1, 2].map(|place: usize| recipes[place].build(&mut arena));
        let instances = PATTERNS.with(|patterns| instances(patterns, &mut arena, &over));
        prop_assert_eq!(first_broken(&arena, &instances, &trace), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn simplification_keeps_the_meaning(
        recipe in generate::formula(2, Windows::StepsAndTime),
        trace in generate::short_trace(2),
    ) {
        thread_local!(static SIMPLIFIER: Simplifier = Simplifier::new());
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        let simplified = SIMPLIFIER.with(|simplifier| simplifier.simplify(&mut formulas, &[root]))[0];
        let rows = semantics::truths(&formulas, &[root, simplified], &trace).unwrap();
        prop_assert_eq!(&rows[&root], &rows[&simplified]);
        prop_assert!(formulas.size(simplified) <= formulas.size(root));
    }

    #[test]
    fn negation_normal_form_keeps_the_meaning(
        recipe in generate::formula(3, Windows::StepsAndTime),
        trace in generate::short_trace(3),
    ) {
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        let negated = formulas.intern(Node::Not(root));
        let normal = negation_normal_form(&mut formulas, &[root, negated]);
        let rows = semantics::truths(&formulas, &[root, negated, normal[0], normal[1]], &trace).unwrap();
        for (form, written) in normal.into_iter().zip([root, negated]) {
            prop_assert!(is_normal(&formulas, form));
            prop_assert_eq!(&rows[&form], &rows[&written]);
            prop_assert_eq!(
                semantics::holds_on_empty(&formulas, form),
                semantics::holds_on_empty(&formulas, written)
            );
            prop_assert_eq!(
                semantics::satisfied(&formulas, form, &empty_trace(3)),
                Ok(semantics::holds_on_empty(&formulas, written))
            );
        }
    }

    #[test]
    fn splitting_atoms_keeps_the_meaning(
        recipe in generate::formula(3, Windows::Steps),
        atoms in proptest::array::uniform3(generate::expr::boolean()),
        trace in generate::expr::trace(),
    ) {
        let mut formulas = Formulas::new();
        let root = recipe.build_over(&mut formulas, &|atom| atoms[atom as usize].clone());
        let split = split_atoms(&mut formulas, &[root])[0];
        prop_assert!(is_split(&formulas, split));
        prop_assert_eq!(semantics::holds_on_empty(&formulas, root), semantics::holds_on_empty(&formulas, split));
        // Split atoms may fail where the whole does not; where neither does, they agree.
        if let Ok(rows) = semantics::truths(&formulas, &[root, split], &trace) {
            prop_assert_eq!(&rows[&root], &rows[&split]);
        }
    }
}
