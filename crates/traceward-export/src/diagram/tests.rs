use super::svg::plan;
use super::*;
use crate::graph::layout::arrange;
use proptest::prelude::*;
use traceward_engine::automaton::algebraic::Plain;
use traceward_logic::lower::Goal;
use traceward_testkit::generate::expr;
use traceward_testkit::generate::query::{self, Errors};
use traceward_testkit::lowered;

fn diagram(text: &str) -> Diagram {
    let lowered = lowered(text, Goal::Query, None, Some(&expr::schema())).expect("a query");
    let automaton = Algebraic::new(&lowered.formulas, [&lowered.queries[0].query], Plain::Unfolded);
    Diagram::new(text.to_owned(), &automaton, &lowered.formulas, &lowered.variables.names())
}

/// Figure 6, right: two terminal nodes and a transient one.
#[test]
fn an_interval_collection_counted_by_hand() {
    let diagram = diagram("sum(b : x) while event.c");
    let kinds: Vec<&DiagramKind> = diagram.parts.iter().map(|part| &part.kind).collect();
    let expected = [
        &DiagramKind::Terminal { node: 0 },
        &DiagramKind::Terminal { node: 1 },
        &DiagramKind::Transient { node: 2, next: 4 },
        &DiagramKind::Or([2, 0]),
        &DiagramKind::And([3, 1]),
        &DiagramKind::Apply(4),
    ];
    assert_eq!(kinds, expected);
    assert_eq!((diagram.nodes(), diagram.edges()), (3, 1 + 1 + 2 + 2 + 1));
    let picture = svg(&diagram).expect("a small one");
    assert_eq!(picture.matches("class=\"arc\"").count(), 1);
    assert_eq!(picture.matches("class=\"later\"").count(), 1);
    assert!(picture.contains(">∧ π1</text>") && picture.contains(">∨ f_sum</text>"), "{picture}");
    let graph = dot(&diagram);
    assert!(graph.contains("A2 -> A4 [color=\"#7a3e9d\", constraint=false];"), "{graph}");
    assert!(graph.contains("A4 [label=\"A4\\n∧ π1\", shape=box, style=rounded,"), "{graph}");
}

#[test]
fn strings_are_escaped() {
    let picture = svg(&diagram(r#"count(s == "<a & \"b\">")"#)).expect("a small one");
    assert!(picture.contains("&lt;a &amp;") && !picture.contains("<a &"), "{picture}");
}

fn check_picture(diagram: &Diagram) {
    let Ok(picture) = svg(diagram) else { return };
    assert_eq!(picture.matches("marker-end").count(), diagram.edges());
    assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
    for part in &diagram.parts {
        let name = part.node().unwrap_or_else(|| part.name.clone());
        assert!(picture.contains(&format!(">{name}</text>")), "{name} in {picture}");
    }
}

fn check_places(diagram: &Diagram) {
    let Ok(layout) = arrange(plan(diagram)) else { return };
    for (index, (one, _)) in layout.nodes.iter().enumerate() {
        assert!(one.centre.x - one.width / 2.0 >= 0.0 && one.centre.x + one.width / 2.0 <= layout.width);
        assert!(one.centre.y - one.height / 2.0 >= 0.0 && one.centre.y + one.height / 2.0 <= layout.height);
        for (other, _) in &layout.nodes[..index] {
            let apart = (one.centre.x - other.centre.x).abs() >= (one.width + other.width) / 2.0
                || (one.centre.y - other.centre.y).abs() >= (one.height + other.height) / 2.0;
            assert!(apart, "{one:?} {other:?}\n{}", diagram.query);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn pictures_have_every_part_and_arrow(text in query::query(Errors::Some)) {
        check_picture(&diagram(&text));
    }

    #[test]
    fn parts_lie_apart_and_within_the_picture(text in query::query(Errors::Some)) {
        check_places(&diagram(&text));
    }
}
