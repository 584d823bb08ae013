//! What is printed reads back as what it was.

use proptest::prelude::*;
use traceward_logic::ast::Ast;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Node};
use traceward_logic::lower::{Claim, Goal};
use traceward_logic::parse;
use traceward_logic::pass::split_atoms;
use traceward_testkit::generate::{self, Recipe, Windows};
use traceward_testkit::lowered;

fn read(text: &str) -> Ast {
    parse::expression(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// Reads a printed core formula over the columns of [`generate::expr`], and returns it with atoms
/// split. A conjunct in front mentions the columns in order, so that they get the numbers they had.
fn lowered_again(text: &str) -> (Formulas, FormulaId) {
    let names = generate::expr::names();
    let mentions: Vec<String> = names.iter().map(|name| format!("defined(`{name}`)")).collect();
    let text = format!("F ({}) & ({text})", mentions.join(" | "));
    let lowered = lowered(&text, Goal::Check, None, Some(&generate::expr::schema()))
        .unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
    let Node::And(_, root) = lowered.formulas.node(root) else { panic!("{text} is a conjunction") };
    let mut formulas = lowered.formulas;
    let root = split_atoms(&mut formulas, &[root])[0];
    (formulas, root)
}

fn same(one: &Formulas, f: FormulaId, other: &Formulas, g: FormulaId) -> bool {
    let (left, right) = (one.node(f), other.node(g));
    if let (Node::Atom(a), Node::Atom(b)) = (left, right) {
        return one.atom(a) == other.atom(b);
    }
    left.map(|_| f) == right.map(|_| f) && left.children().zip(right.children()).all(|(f, g)| same(one, f, other, g))
}

/// The strong release has no text in the past, and none with a bound; this has another operator
/// there.
fn with_text(recipe: Recipe) -> Recipe {
    let below = |f: Box<Recipe>| Box::new(with_text(*f));
    match recipe {
        Recipe::Constant(_) | Recipe::Atom(_) => recipe,
        Recipe::Not(f) => Recipe::Not(below(f)),
        Recipe::And(f, g) => Recipe::And(below(f), below(g)),
        Recipe::Or(f, g) => Recipe::Or(below(f), below(g)),
        Recipe::Next(direction, strength, f) => Recipe::Next(direction, strength, below(f)),
        Recipe::Eventually(direction, interval, f) => Recipe::Eventually(direction, interval, below(f)),
        Recipe::Always(direction, interval, f) => Recipe::Always(direction, interval, below(f)),
        Recipe::Binary(op, direction, interval, f, g) => {
            let silent = op == BinaryOp::StrongRelease && (direction == Direction::Past || !interval.is_all());
            Recipe::Binary(if silent { BinaryOp::Until } else { op }, direction, interval, below(f), below(g))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_reads_back_as_itself(ast in generate::ast::ast()) {
        let text = ast.to_string();
        let again = parse::expression(&text);
        prop_assert!(again.is_ok(), "{text}: {again:?}");
        prop_assert_eq!(again.unwrap(), ast, "{}", text);
    }

    #[test]
    fn a_core_formula_reads_back_as_itself(
        recipe in generate::formula(4, Windows::StepsAndTime).prop_map(with_text),
        atoms in proptest::collection::vec(generate::expr::boolean(), 4),
    ) {
        let mut formulas = Formulas::new();
        let root = recipe.build_over(&mut formulas, &|atom| atoms[atom as usize].clone());
        let text = formulas.display(root, &generate::expr::names()).to_string();
        let split = split_atoms(&mut formulas, &[root])[0];
        let (again, found) = lowered_again(&text);
        prop_assert!(same(&formulas, split, &again, found), "{text}\n{}", again.display(found, &generate::expr::names()));
        // And what is printed of split atoms.
        let text = formulas.display(split, &generate::expr::names()).to_string();
        let (again, found) = lowered_again(&text);
        prop_assert!(same(&formulas, split, &again, found), "{text}\n{}", again.display(found, &generate::expr::names()));
    }
}

/// Trees of which a printer once forgot the brackets, as text with all brackets.
#[test]
fn brackets_stand_where_they_are_needed() {
    let cases = [
        ("-(5)", "-(5)"),
        ("-(-5)", "-(-5)"),
        ("(count(a) while f) <-> b", "(count(a) while f) <-> b"),
        ("latency(r -> (a <-> b))", "latency(r -> (a <-> b))"),
        ("max(F[v => v ?? 1] a) while b", "max(F[v => v ?? 1] a) while b"),
        ("max(a) while (F[v => v ?? 1] b)", "max(a) while F[v => v ?? 1] b"),
        ("F ((1, 2) == (x, y))", "F ((1, 2) == (x, y))"),
        ("X (1, 2) == (x, y)", "X ((1, 2) == (x, y))"),
        ("F(2,5) -x > 3", "F[3,4] -x > 3"),
        ("a & (b & c) &[+] d", "(a & (b & c)) &[+] d"),
        ("a -> (b -> c) -> d", "a -> (b -> c) -> d"),
        ("(a U b) U c U d", "(a U b) U c U d"),
        ("a - (b - c) - d", "a - (b - c) - d"),
    ];
    for (text, printed) in cases {
        let ast = read(text);
        assert_eq!(ast.to_string(), printed, "{text}");
        assert_eq!(read(printed), ast, "{text}");
    }
}

#[test]
fn a_chain_of_core_formulas_prints_flat_where_that_reads_back() {
    let mut formulas = Formulas::new();
    let variable =
        |formulas: &mut Formulas, id| formulas.intern_atom(Expr::Variable(traceward_logic::trace::VariableId(id)));
    let (b, c) = (variable(&mut formulas, 0), variable(&mut formulas, 1));
    let next = formulas.intern(Node::Eventually(Direction::Future, Interval::ALL, b));
    let names: Vec<std::sync::Arc<str>> = vec!["b".into(), "c".into()];
    let left = formulas.intern(Node::And(next, next));
    let flat = formulas.intern(Node::And(left, c));
    assert_eq!(formulas.display(flat, &names).to_string(), "F b & F b & c");
    // `F b & b & c` would be read as `F b & (b & c)`, as neighbouring expressions over states are
    // one.
    let mixed = formulas.intern(Node::And(next, b));
    let nested = formulas.intern(Node::And(mixed, c));
    assert_eq!(formulas.display(nested, &names).to_string(), "(F b & b) & c");
    let right = formulas.intern(Node::And(next, left));
    assert_eq!(formulas.display(right, &names).to_string(), "F b & (F b & F b)");
    let other = formulas.intern(Node::Or(mixed, c));
    assert_eq!(formulas.display(other, &names).to_string(), "F b & b | c");
}
