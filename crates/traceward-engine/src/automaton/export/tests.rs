use super::*;
use crate::automaton::export::{dot::dot, layout::layout, svg::svg};
use crate::select::{Prepared, Simplification};
use proptest::prelude::*;
use traceward_logic::lower::{Claim, Goal};
use traceward_testkit::generate::{Windows, formula};
use traceward_testkit::lowered;

fn diagram_of(formulas: &Formulas, root: FormulaId, names: &[Arc<str>]) -> Result<Diagram, TooManyDisjuncts> {
    let Prepared { formulas, normal, .. } = Prepared::new(formulas, &[root], Simplification::Off);
    Diagram::new(&Alternating::new(&formulas, &normal), normal[0], &formulas, names, 64)
}

fn diagram(text: &str) -> Result<Diagram, TooManyDisjuncts> {
    let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
    diagram_of(&lowered.formulas, root, &lowered.variables.names())
}

fn sets(disjuncts: &Disjuncts) -> Vec<Vec<usize>> {
    disjuncts.iter().map(|nodes| nodes.iter().map(|node| node.index()).collect()).collect()
}

/// Figure 2; its start is what the example of section 3.2 calls initial.
#[test]
fn the_second_figure_counted_by_hand() {
    let diagram = diagram("G(!a -> !b U c)").expect("few disjuncts");
    let initial = vec![vec![0, 1], vec![0, 2], vec![0, 3, 4]];
    assert_eq!(sets(&diagram.start), initial);
    assert_eq!(sets(&diagram.nodes[0].next), initial);
    assert_eq!(sets(&diagram.nodes[1].next), [Vec::<usize>::new()]);
    assert_eq!(sets(&diagram.nodes[4].next), [vec![2], vec![3, 4]]);
    assert_eq!((diagram.nodes.len(), diagram.edges(), diagram.accepting()), (5, 7 + 7 + 3, 4));
}

#[test]
fn what_would_explode_is_refused() {
    let clauses = |count: usize| (0..count).map(|i| format!("(a{i} | b{i})")).collect::<Vec<_>>().join(" & ");
    assert_eq!(diagram(&clauses(6)).expect("2⁶ disjuncts").start.len(), 64);
    assert!(diagram(&clauses(7)).is_err());
    assert!(diagram(&clauses(60)).is_err());
}

#[test]
fn strings_are_escaped() {
    let diagram = diagram(r#"F name == "<a & \"b\">""#).expect("one disjunct");
    let picture = svg(&diagram);
    check_xml(&picture);
    assert!(picture.contains("&lt;a &amp;") && !picture.contains("<a &"), "{picture}");
    let graph = dot(&diagram);
    assert!(graph.contains(r#"\"<a &amp; \\\"b\\\">\""#), "{graph}");
}

/// That elements nest, and that text has no bare `<` or `&`: enough for what we write.
fn check_xml(text: &str) {
    let mut open = Vec::new();
    for (number, piece) in text.split('<').enumerate() {
        let (tag, content) = match number {
            0 => ("", piece),
            _ => piece.split_once('>').unwrap_or_else(|| panic!("a tag does not end: {piece}")),
        };
        assert!(number == 0 || !tag.is_empty());
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap_or_default();
        match tag {
            "" => {}
            tag if tag.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            tag if tag.ends_with('/') => {}
            _ => open.push(name),
        }
        for entity in content.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|known| entity.starts_with(known)), "&{entity}");
        }
        assert!(!open.is_empty() || content.trim().is_empty(), "text outside: {content}");
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "a place is not a number");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn pictures_are_well_formed(recipe in formula(3, Windows::Unbounded)) {
        let names: Vec<Arc<str>> = ["a", "b", "c"].map(Arc::from).to_vec();
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        let Ok(diagram) = diagram_of(&formulas, root, &names) else { return Ok(()) };
        let (picture, graph) = (svg(&diagram), dot(&diagram));
        check_xml(&picture);
        for node in &diagram.nodes {
            let star = if node.accepting { "*" } else { "" };
            let name = format!(">{}{star}</text>", node.id);
            prop_assert!(picture.contains(&name), "{} in {}", name, picture);
            let line = format!("  {} [label=", node.id);
            prop_assert!(graph.contains(&line));
        }
        prop_assert_eq!(picture.matches("marker-end").count(), diagram.edges());
    }

    #[test]
    fn nodes_lie_apart_and_within_the_picture(recipe in formula(3, Windows::Unbounded)) {
        let mut formulas = Formulas::new();
        let root = recipe.build(&mut formulas);
        let names: Vec<Arc<str>> = ["a", "b", "c"].map(Arc::from).to_vec();
        let Ok(diagram) = diagram_of(&formulas, root, &names) else { return Ok(()) };
        let layout = layout(&diagram);
        for (index, (one, _)) in layout.nodes.iter().enumerate() {
            prop_assert!(one.centre.x - one.width / 2.0 >= 0.0 && one.centre.x + one.width / 2.0 <= layout.width);
            prop_assert!(one.centre.y - one.height / 2.0 >= 0.0 && one.centre.y + one.height / 2.0 <= layout.height);
            for (other, _) in &layout.nodes[..index] {
                let apart = (one.centre.x - other.centre.x).abs() >= (one.width + other.width) / 2.0
                    || (one.centre.y - other.centre.y).abs() >= (one.height + other.height) / 2.0;
                prop_assert!(apart);
            }
        }
    }
}
