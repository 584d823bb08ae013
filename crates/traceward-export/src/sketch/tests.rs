use super::layout::layout;
use super::*;
use crate::layers::RoundedBox;
use proptest::prelude::*;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::lower::{Claim, Goal};
use traceward_testkit::generate::{Recipe, Windows, formula};
use traceward_testkit::lowered;

fn sketch_of(formulas: &Formulas, root: FormulaId, names: &[Arc<str>]) -> Result<Sketch, TooManyDisjuncts> {
    let Prepared { formulas, normal, .. } = Prepared::new(formulas, &[root], Simplification::Off);
    Sketch::of_alternating(&Alternating::new(&formulas, &normal), normal[0], &formulas, names, 64)
}

fn metric_sketch_of(formulas: &Formulas, root: FormulaId, names: &[Arc<str>]) -> Result<Sketch, TooManyDisjuncts> {
    let Prepared { formulas, normal, .. } = Prepared::new(formulas, &[root], Simplification::Off);
    let automaton = Metric::new(&formulas, normal[0]).expect("bounds in steps");
    Sketch::of_metric(&automaton, normal[0], &formulas, names, 64)
}

type Draw = fn(&Formulas, FormulaId, &[Arc<str>]) -> Result<Sketch, TooManyDisjuncts>;

fn drawn(draw: Draw, text: &str) -> Result<Sketch, TooManyDisjuncts> {
    let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
    let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
    draw(&lowered.formulas, root, &lowered.variables.names())
}

fn sketch(text: &str) -> Result<Sketch, TooManyDisjuncts> {
    drawn(sketch_of, text)
}

fn metric_sketch(text: &str) -> Sketch {
    drawn(metric_sketch_of, text).expect("few disjuncts")
}

fn sets(disjuncts: &Disjuncts) -> Vec<Vec<usize>> {
    disjuncts.iter().map(|nodes| nodes.iter().map(|edge| edge.to.index()).collect()).collect()
}

/// Figure 2; its start is what the example of section 3.2 calls initial.
#[test]
fn the_second_figure_counted_by_hand() {
    let sketch = sketch("G(!a -> !b U c)").expect("few disjuncts");
    let initial = vec![vec![0, 1], vec![0, 2], vec![0, 3, 4]];
    assert_eq!(sets(&sketch.start), initial);
    assert_eq!(sets(&sketch.nodes[0].next), initial);
    assert_eq!(sets(&sketch.nodes[1].next), [Vec::<usize>::new()]);
    assert_eq!(sets(&sketch.nodes[4].next), [vec![2], vec![3, 4]]);
    assert_eq!((sketch.nodes.len(), sketch.edges(), sketch.accepting()), (5, 7 + 7 + 3, 4));
}

/// Each disjunct in words.
fn words(disjuncts: &Disjuncts) -> Vec<String> {
    let word = |edge: &Edge| match edge.caption() {
        Some(caption) => format!("{} {caption}", edge.to),
        None => edge.to.to_string(),
    };
    disjuncts.iter().map(|edges| edges.iter().map(word).collect::<Vec<_>>().join(", ")).collect()
}

/// Figure 2.1 of the thesis, whose clock of the always is ∞ and not drawn there.
#[test]
fn clocks_are_set_where_they_are_entered_and_count_down_inside() {
    let sketch = metric_sketch("G(a -> F[0,4] b)");
    assert_eq!(words(&sketch.start), ["n0 t1 := ∞, n1", "n0 t1 := ∞, n2 t2 := 4", "n0 t1 := ∞, n3"]);
    assert_eq!(words(&sketch.nodes[0].next), ["n0 t1--, n1", "n0 t1--, n2 t2 := 4", "n0 t1--, n3"]);
    assert_eq!(words(&sketch.nodes[1].next), [""]);
    assert_eq!(words(&sketch.nodes[2].next), ["n2 t2--", "n3"]);
    assert_eq!((sketch.nodes.len(), sketch.edges(), sketch.accepting()), (4, 6 + 6 + 2, 3));
    let clocks: Vec<String> =
        sketch.clocks.iter().map(|(id, start, unit)| format!("{id} {}", start.text(*unit))).collect();
    assert_eq!(clocks, ["t1 ∞", "t2 4"]);
}

#[test]
fn each_arrow_of_a_disjunct_has_its_own_clock() {
    // A delay that is over enters the window: its own clock has counted, the window's is set.
    let sketch = metric_sketch("G[2,5] p");
    let inside = ["n1 t1--, n2 t2 := 3, n4", "n1 t1--, n3 t2 := 3, n4"];
    assert_eq!(words(&sketch.nodes[0].next), ["n0 t1--", inside[0], inside[1]]);
    assert_eq!(words(&sketch.nodes[2].next), ["n2 t2--, n4", "n3 t2--, n4"]);
    let both = metric_sketch("F[0,1] a & F[0,2] b");
    assert_eq!(words(&both.start)[0], "n0 t1 := 1, n2 t2 := 2");
    assert_eq!(words(&metric_sketch("X G[0,3] p").nodes[0].next)[0], "n1 t2 := 3, n3");
}

#[test]
fn pictures_say_what_becomes_of_clocks() {
    let sketch = metric_sketch("G(a -> F[0,4] b)");
    let (graph, picture) = (dot(&sketch), svg(&sketch));
    assert!(graph.contains("start_and1 -> n2 [label=\"t2 := 4\"];"), "{graph}");
    assert!(graph.contains("n2 -> n2 [label=\"t2--\"];"), "{graph}");
    assert!(graph.contains("n0 [label=\"n0*\\nt1 > 0\", peripheries=2, shape=box, style=rounded,"), "{graph}");
    assert!(graph.contains("n2 [label=\"n2\\nt2 > 0\", peripheries=1, shape=circle,"), "{graph}");
    assert!(picture.contains("<title>n0 → n0 (t1--) ∧ n2 (t2 := 4)</title>"), "{picture}");
    assert_eq!(picture.matches(">t1 := ∞</text>").count(), 3);
    assert_eq!(picture.matches(">t2--</text>").count(), 1);
    // Without a clock there is nothing to say, and nothing says so.
    let plain = metric_sketch("a & b");
    assert!(!svg(&plain).contains("clock") && !svg(&plain).contains("caption") && !dot(&plain).contains("edge ["));
}

#[test]
fn what_would_explode_is_refused() {
    let clauses = |count: usize| (0..count).map(|i| format!("(a{i} | b{i})")).collect::<Vec<_>>().join(" & ");
    assert_eq!(sketch(&clauses(6)).expect("2⁶ disjuncts").start.len(), 64);
    assert!(sketch(&clauses(7)).is_err());
    assert!(sketch(&clauses(60)).is_err());
}

#[test]
fn strings_are_escaped() {
    let sketch = sketch(r#"F name == "<a & \"b\">""#).expect("one disjunct");
    let picture = svg(&sketch);
    check_xml(&picture);
    assert!(picture.contains("&lt;a &amp;") && !picture.contains("<a &"), "{picture}");
    let graph = dot(&sketch);
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
        assert!(!tag.contains("NaN") && !tag.contains("inf"), "a place is not a number: {tag}");
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
}

fn check_picture(sketch: &Sketch) {
    let (picture, graph) = (svg(sketch), dot(sketch));
    check_xml(&picture);
    for node in &sketch.nodes {
        let star = if node.accepting { "*" } else { "" };
        let name = format!(">{}{star}</text>", node.id);
        assert!(picture.contains(&name), "{name} in {picture}");
        let line = format!("  {} [label=", node.id);
        assert!(graph.contains(&line));
    }
    assert_eq!(picture.matches("marker-end").count(), sketch.edges());
    let captions = sketch.disjuncts().flatten().filter(|edge| edge.clock.is_some()).count();
    assert_eq!(picture.matches("class=\"caption\"").count(), captions);
}

fn check_places(sketch: &Sketch) {
    let layout = layout(sketch);
    let nodes: Vec<RoundedBox> = layout.nodes.iter().map(|(shape, _)| *shape).collect();
    let arrows = layout.bundles.iter().flat_map(|bundle| &bundle.arrows);
    let captions: Vec<RoundedBox> =
        arrows.filter_map(|arrow| arrow.caption.as_ref()).map(|caption| caption.shape).collect();
    let shapes = [nodes, captions].concat();
    for (index, one) in shapes.iter().enumerate() {
        assert!(one.centre.x - one.width / 2.0 >= 0.0 && one.centre.x + one.width / 2.0 <= layout.width);
        assert!(one.centre.y - one.height / 2.0 >= 0.0 && one.centre.y + one.height / 2.0 <= layout.height);
        for other in &shapes[..index] {
            let apart = (one.centre.x - other.centre.x).abs() >= (one.width + other.width) / 2.0
                || (one.centre.y - other.centre.y).abs() >= (one.height + other.height) / 2.0;
            assert!(apart, "{one:?} {other:?}\n{}", sketch.formula);
        }
    }
}

fn random_sketch(draw: Draw, recipe: &Recipe) -> Option<Sketch> {
    let names: Vec<Arc<str>> = ["a", "b", "c"].map(Arc::from).to_vec();
    let mut formulas = Formulas::new();
    let root = recipe.build(&mut formulas);
    draw(&formulas, root, &names).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn pictures_are_well_formed(recipe in formula(3, Windows::Unbounded)) {
        random_sketch(sketch_of, &recipe).iter().for_each(check_picture);
    }

    #[test]
    fn nodes_lie_apart_and_within_the_picture(recipe in formula(3, Windows::Unbounded)) {
        random_sketch(sketch_of, &recipe).iter().for_each(check_places);
    }

    #[test]
    fn pictures_with_clocks_are_well_formed(recipe in formula(3, Windows::Steps)) {
        random_sketch(metric_sketch_of, &recipe).iter().for_each(check_picture);
    }

    #[test]
    fn nodes_and_texts_lie_apart_and_within_the_picture(recipe in formula(3, Windows::Steps)) {
        random_sketch(metric_sketch_of, &recipe).iter().for_each(check_places);
    }
}
