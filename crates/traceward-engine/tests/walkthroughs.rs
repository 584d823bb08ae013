//! The papers' examples, as engines tell them step by step.

use std::collections::BTreeMap;
use traceward_engine::engine::Subsumption;
use traceward_engine::engine::walkthrough::{Conclusion, Stage, Visits, Walkthrough, WalkthroughError};
use traceward_engine::select::{Config, EngineName, Prepared, Simplification, Walk};
use traceward_logic::lower::Claim;
use traceward_logic::verdict::Verdict;
use traceward_testkit::corpus;

/// A formula on a trace that is given as columns of bits.
struct Example<'a> {
    formula: &'a str,
    columns: &'a [(&'a str, &'a str)],
    visits: Visits,
}

impl<'a> Example<'a> {
    const fn new(formula: &'a str, columns: &'a [(&'a str, &'a str)]) -> Self {
        Self { formula, columns, visits: Visits::NotCounted }
    }
}

impl Example<'_> {
    fn walkthrough(&self, engine: EngineName, most_nodes: usize) -> Result<Walkthrough, WalkthroughError> {
        let bits: BTreeMap<String, String> =
            self.columns.iter().map(|(name, bits)| ((*name).to_owned(), (*bits).to_owned())).collect();
        let (lowered, claim, trace) = corpus::prepare(self.formula, &bits, None, self.columns[0].1.len());
        let Claim::Formula(root) = claim else { panic!("{} is a formula", self.formula) };
        let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
        let (letters, names) = (prepared.letters(&trace), lowered.variables.names());
        let config = Config { engine, subsumption: Subsumption::Within, ..Config::default() };
        let visits = self.visits;
        Walk { letters: &letters, names: &names, most_nodes, visits }.walkthrough(&prepared, 0, &config)
    }

    /// All steps as text: the state, the stages, and what follows from them.
    fn text(&self, engine: EngineName) -> String {
        let walkthrough = self.walkthrough(engine, 1000).expect("a walkthrough");
        let mut text = String::new();
        for step in walkthrough.steps {
            let state = step.state.map(|state| state.to_string()).unwrap_or_default();
            let conclusion = match step.conclusion {
                Conclusion::SoFar(verdict) => verdict.to_string(),
                Conclusion::Here(holds) => holds.to_string(),
            };
            text += &format!("{state} {conclusion}\n");
            text += &step.stages.iter().map(stage).collect::<String>();
        }
        text
    }
}

fn stage(stage: &Stage) -> String {
    let content = stage.content.to_string();
    content.lines().map(|line| format!("{:<10} {line}\n", stage.name)).collect()
}

/// Section 2.3 of the first paper: ⟨a,b,¬c⟩, ⟨¬a,¬b,¬c⟩, ⟨a,¬b,¬c⟩, ⟨¬a,b,c⟩, ⟨a,¬b,¬c⟩.
const UNTIL: Example<'_> = Example::new("G(!a -> !b U c)", &[("a", "10101"), ("b", "10010"), ("c", "00010")]);

/// Section 5.2 of the first paper.
const CAUSALITY: Example<'_> = Example::new("G(p -> O r)", &[("p", "00111"), ("r", "01001")]);

/// Sections 3.2.4, 3.3.4 and 3.4.1 of the thesis.
const NESTED: Example<'_> = Example::new("F(a & ((F[0,1] p) U[0,3] q))", &[("a", "100"), ("p", "010"), ("q", "001")]);

/// The lines of a stage in all steps, without its name.
fn only(text: &str, stage: &str) -> String {
    let lines = text.lines().filter_map(|line| line.strip_prefix(&format!("{stage:<10} ")));
    lines.map(|line| format!("{line}\n")).collect()
}

fn lines<const N: usize>(lines: [&str; N]) -> String {
    lines.map(|line| format!("{line}\n")).concat()
}

/// Section 3.2: "only the slice {n0,n1} is state-satisfied", and so on. In the last step {n0,n3,n4}
/// is satisfied as well, but it does not accept.
#[test]
fn breadth_first_tells_section_3_2() {
    let initial = "candidates {n0, n1}*  {n0, n2}*  {n0, n3, n4}";
    let product = "candidates {n0, n1, n2}*  {n0, n1, n3, n4}  {n0, n2}*  {n0, n2, n3, n4}  {n0, n3, n4}";
    let expected = lines([
        "0: ⟨a, b, ¬c⟩ holding",
        initial,
        "kept       {n0, n1}*",
        "1: ⟨¬a, ¬b, ¬c⟩ pending",
        initial,
        "kept       {n0, n3, n4}",
        "2: ⟨a, ¬b, ¬c⟩ pending",
        product,
        "kept       {n0, n1, n3, n4}  {n0, n3, n4}",
        "3: ⟨¬a, b, c⟩ holding",
        product,
        "kept       {n0, n2}*",
        "4: ⟨a, ¬b, ¬c⟩ holding",
        initial,
        "kept       {n0, n1}*  {n0, n3, n4}",
    ]);
    assert_eq!(UNTIL.text(EngineName::BreadthFirst), expected);
}

/// Section 4.3: ({n1}, 0) and ({n3,n4}, 1) are state-satisfied, and lead to (∅, 0), ({n3,n4}, 2)
/// and ({n2}, 1). Without the always node n0 to n3 are the paper's n1 to n4. {n1} owes nothing, so
/// the verdict is final before the visits are.
#[test]
fn breadth_first_tells_section_4_3() {
    let example = Example::new("!a -> !b U c", &[("a", "11"), ("b", "00"), ("c", "01")]);
    let example = Example { visits: Visits::Counted, ..example };
    let expected = lines([
        "0: ⟨a, ¬b, ¬c⟩ satisfied",
        "candidates {n0}*  {n1}*  {n2, n3}",
        "kept       {n0}*  {n2, n3}",
        "visits     ({n0}*, 0)  ({n2, n3}, 1)",
        "1: ⟨a, ¬b, c⟩ satisfied",
        "visits     (∅*, 0)  ({n1}*, 1)  ({n2, n3}, 2)",
    ]);
    assert_eq!(example.text(EngineName::BreadthFirst), expected);
}

/// Section 3.4.1 of the thesis: S1, S2 and S3 are the candidates. A leaf that is satisfied has no
/// clock any more. The thesis prints {n1} for {n0} among those that are satisfied at first.
#[test]
fn breadth_first_tells_section_3_4_1() {
    let again = "{n0^∞}  {n1^∞, n2^3}*  {n1^∞, n3^1, n5^3}  {n1^∞, n4^1, n5^3}";
    let second = "{n2^2, n3^0}  {n2^2, n4^0}*  {n3^0, n4^1, n5^2}  {n3^0, n5^2}  {n3^1, n4^0, n5^2}  {n4^0, n5^2}";
    let third = "{n2^1}*  {n2^1, n3^0}  {n2^1, n4^0}*  {n3^0, n4^1, n5^1}  {n3^0, n5^1}  {n3^1, n4^0, n5^1}  \
                 {n3^1, n5^1}  {n4^0, n5^1}  {n4^1, n5^1}";
    let text = NESTED.text(EngineName::BreadthFirst);
    let candidates: Vec<String> = only(&text, "candidates").lines().map(str::to_owned).collect();
    // Lines are broken where they are long.
    assert_eq!(candidates.join("  "), [again, again, second, again, third].join("  "));
    assert_eq!(
        only(&text, "kept"),
        lines([
            "{n0^∞}  {n1, n3^1, n5^3}",
            "{n0^∞}  {n3^1, n4, n5^2}  {n4, n5^2}",
            // {n2} is the one that accepts.
            "{n0^∞}  {n2}*  {n3^1, n5^1}",
        ])
    );
}

/// Figure 3 is lost, but section 3.2 says that its slices are those of the first of its two runs:
/// {n0,n1}, {n0,n3,n4}, {n0,n1,n3,n4}, {n0,n2}, {n0,n1}.
#[test]
fn depth_first_finds_the_run_of_figure_3() {
    let expected = lines([
        "n1 at 0",
        "n0 at 0",
        "├─ n3 at 1",
        "├─ n4 at 1",
        "│  ├─ n3 at 2",
        "│  └─ n4 at 2",
        "│     └─ n2 at 3",
        "└─ n0 at 1",
        "   ├─ n1 at 2",
        "   └─ n0 at 2",
        "      ├─ n2 at 3",
        "      └─ n0 at 3",
        "         ├─ n1 at 4",
        "         └─ n0 at 4",
    ]);
    assert_eq!(only(&UNTIL.text(EngineName::DepthFirst), "run"), expected);
}

/// Figure 8 is lost. By hand: n0 at every position, ¬p at the first two, and from each p one n2 for
/// every step back to the r at position 1. The last p has its r at once.
#[test]
fn depth_first_finds_the_run_of_figure_8() {
    let expected = lines([
        "n1 at 0",
        "n0 at 0",
        "├─ n1 at 1",
        "└─ n0 at 1",
        "   ├─ n2 at 2",
        "   │  └─ n3 at 1",
        "   └─ n0 at 2",
        "      ├─ n2 at 3",
        "      │  └─ n2 at 2",
        "      │     └─ n3 at 1",
        "      └─ n0 at 3",
        "         ├─ n3 at 4",
        "         └─ n0 at 4",
    ]);
    assert_eq!(only(&CAUSALITY.text(EngineName::DepthFirst), "run"), expected);
}

/// A run has no part in what was looked at in vain: c alone does, although a was found to hold.
#[test]
fn depth_first_leaves_attempts_out_of_the_run() {
    let example = Example::new("(a & b) | c", &[("a", "1"), ("b", "0"), ("c", "1")]);
    let text = example.text(EngineName::DepthFirst);
    assert_eq!(
        only(&text, "attempts"),
        lines(["∨: true", "├─ ∧: false", "│  ├─ n0 at 0: true", "│  └─ n1 at 0: false", "└─ n2 at 0: true"])
    );
    assert_eq!(only(&text, "run"), lines(["n2 at 0"]));
}

#[test]
fn depth_first_tells_how_it_failed() {
    let example = Example::new("G a", &[("a", "10")]);
    let expected = lines([
        " false",
        "attempts   ∧: false",
        "attempts   ├─ n1 at 0: true",
        "attempts   └─ n0 at 0: false",
        "attempts      └─ ∧: false",
        "attempts         └─ n1 at 1: false",
    ]);
    assert_eq!(example.text(EngineName::DepthFirst), expected);
}

/// A bounded operator is a node that looks through its window: p is looked for at 0 and found at 1,
/// again found at 1, and q is there at 2.
#[test]
fn depth_first_walks_through_windows() {
    let expected =
        lines(["n1 at 0", "n2 at 0", "├─ n3 at 0", "│  └─ n5 at 1", "├─ n3 at 1", "│  └─ n5 at 1", "└─ n4 at 2"]);
    assert_eq!(only(&NESTED.text(EngineName::DepthFirst), "run"), expected);
}

/// Section 3.3, from the last state to the first; the paper prints n4 false at position 0.
#[test]
fn reverse_tells_section_3_3() {
    let expected = lines([
        "4: ⟨a, ¬b, ¬c⟩ true",
        "values     n0: true  n1: true  n2: false  n3: true  n4: false",
        "3: ⟨¬a, b, c⟩ true",
        "values     n0: true  n1: false  n2: true  n3: false  n4: false",
        "2: ⟨a, ¬b, ¬c⟩ true",
        "values     n0: true  n1: true  n2: false  n3: true  n4: true",
        "1: ⟨¬a, ¬b, ¬c⟩ true",
        "values     n0: true  n1: false  n2: false  n3: true  n4: true",
        "0: ⟨a, b, ¬c⟩ true",
        "values     n0: true  n1: true  n2: false  n3: false  n4: true",
    ]);
    assert_eq!(UNTIL.text(EngineName::Reverse), expected);
}

/// Giannakopoulou and Havelund, section 6: the paper's S2 and S7 are S1 and S2 here. After a
/// without b only the state that owes b is left.
#[test]
fn tableau_and_observer_tell_what_response_owes() {
    let example = Example::new("[](a -> <>b)", &[("a", "0100"), ("b", "0010")]);
    let owes_b = "states     S1: owes X (F b), WX (G (!a | F b))";
    let owes_no_b = "states     S2*: owes WX (G (!a | F b))";
    let expected = lines([
        "0: ⟨¬a, ¬b⟩ holding",
        owes_b,
        owes_no_b,
        "1: ⟨a, ¬b⟩ pending",
        owes_b,
        "2: ⟨¬a, b⟩ holding",
        owes_b,
        owes_no_b,
        "3: ⟨¬a, ¬b⟩ holding",
        owes_b,
        owes_no_b,
    ]);
    assert_eq!(example.text(EngineName::Tableau), expected);
    // Figure 5: all is well, or a b is missing.
    let expected = ["S0*: owes nothing yet", "S1: owes F b", "S0*: owes nothing yet", "S0*: owes nothing yet"];
    assert_eq!(only(&example.text(EngineName::Observer), "state"), lines(expected));
}

/// By hand: b has to come between positions 2 and 4, and the deadline stays where it is.
#[test]
fn an_observer_tells_deadlines() {
    let example = Example::new("G(a -> F[1,3] b)", &[("a", "01000"), ("b", "00000")]);
    let expected = [
        "S0*: owes nothing yet",
        "S1: owes F b by position 4",
        "S2: owes F b by position 4",
        "S3: owes F b at position 4",
        "S4: owes nothing",
    ];
    assert_eq!(only(&example.text(EngineName::Observer), "state"), lines(expected));
}

/// Section 3.2.4, figure 3.2; the figure itself is lost. In step 1 n1 evaluates to 1, n2 and n4 to
/// -1, the timers n0, n3 and n5 to 0. The thesis' t2 and t3 are t3 and t2 here.
#[test]
fn forward_backward_tells_step_1_of_section_3_2_4() {
    let text = NESTED.text(EngineName::ForwardBackward);
    let step = text.split("1: ⟨").next().expect("a first step");
    let expected = lines([
        "0: ⟨a, ¬p, ¬q⟩ pending",
        "forward    t1 := ∞",
        "forward    └─ ∨",
        "forward       ├─ n0^∞",
        "forward       └─ ∧",
        "forward          ├─ n1^∞: true",
        "forward          └─ t3 := 3",
        "forward             └─ ∨",
        "forward                ├─ ∧",
        "forward                │  ├─ n5^3",
        "forward                │  └─ t2 := 1",
        "forward                │     └─ ∨",
        "forward                │        ├─ n3^1",
        "forward                │        └─ n4^1: false",
        "forward                └─ n2^3: false",
        "backward   t1 := ∞",
        "backward   └─ ∨",
        "backward      ├─ n0^∞",
        "backward      └─ ∧",
        "backward         └─ t3 := 3",
        "backward            └─ ∨",
        "backward               └─ ∧",
        "backward                  ├─ n5^3",
        "backward                  └─ t2 := 1",
        "backward                     └─ ∨",
        "backward                        └─ n3^1",
    ]);
    assert_eq!(step, expected);
}

/// Step 2: n3 under the clock 0 is evaluated to -1, n4 there to 1; n1 fails under the new n0. Step
/// 3: n2 under the clock 1 (the thesis says 2) is satisfied, and that goes up to the root.
#[test]
fn forward_backward_tells_steps_2_and_3_of_section_3_2_4() {
    let text = NESTED.text(EngineName::ForwardBackward);
    let steps: Vec<&str> = text.split_inclusive("1: ⟨").nth(1).expect("more steps").split("2: ⟨").collect();
    let forward = only(steps[0], "forward");
    for evaluated in ["n1^∞: false", "n2^2: false", "n3^0: false", "n4^0: true"] {
        assert_eq!(forward.matches(evaluated).count(), 1, "{evaluated}");
    }
    let expected = lines([
        "t1 := ∞",
        "└─ ∨",
        "   ├─ n0",
        "   │  └─ ∨",
        "   │     └─ n0^∞",
        "   └─ ∧",
        "      └─ t3 := 3",
        "         └─ ∨",
        "            └─ ∧",
        "               └─ n5",
        "                  └─ ∨",
        "                     └─ ∧",
        "                        └─ n5^2",
    ]);
    assert_eq!(only(steps[0], "backward"), expected);
    assert!(steps[1].starts_with("¬a, ¬p, q⟩ satisfied\n"));
    assert_eq!(only(steps[1], "forward").matches("n2^1: true").count(), 1);
    assert_eq!(only(steps[1], "backward"), "nothing\n");
}

/// Section 3.3.4: branching points with one child are gone, so figure 3.3(1c) is n0 ∨ (n5 ∧ n3) and
/// (2c) is n0 ∨ n5. In between n3 is evaluated to 1, since p is there under the clock 0.
#[test]
fn forward_backward_dag_tells_section_3_3_4() {
    let text = NESTED.text(EngineName::ForwardBackwardDag);
    let expected = lines(["∨", "├─ n0^∞", "└─ ∧", "   ├─ n5^3", "   └─ n3^1", "∨", "├─ n0^∞", "└─ n5^2", "nothing"]);
    assert_eq!(only(&text, "backward"), expected);
    let second = text.split("1: ⟨").nth(1).and_then(|rest| rest.split("2: ⟨").next()).expect("a second step");
    assert_eq!(only(second, "forward"), lines(["n0^∞", "└─ n0^∞", "n3^1: true", "n5^3", "└─ n5^2"]));
    assert!(text.ends_with("satisfied\nforward    n5^2: true\nbackward   nothing\n"), "{text}");
}

/// Section 4.2.5; the thesis prints t3 := 2, and n3 as n1. Of the configuration {n1,n5} the leaf n1
/// is satisfied, and not kept.
#[test]
fn generic_tells_section_4_2_5() {
    let example = Example::new("F(a & ((F[0,1] p) U q))", &[("a", "101"), ("p", "010"), ("q", "001")]);
    let text = example.text(EngineName::Generic);
    let expected =
        lines(["∨", "├─ {n0^∞}", "└─ ∧", "   ├─ n3^1", "   └─ {n5^∞}", "∨", "├─ {n0^∞}", "└─ {n5^∞}", "nothing"]);
    assert_eq!(only(&text, "backward"), expected);
    assert!(text.ends_with("satisfied\nforward    {n5^∞}: true\nbackward   nothing\n"), "{text}");
}

/// Nobody could read more than there is room for, and naive holds nothing.
#[test]
fn what_cannot_be_told_is_an_error() {
    let walk = |engine, most_nodes| UNTIL.walkthrough(engine, most_nodes).expect_err("nothing to be told");
    assert_eq!(walk(EngineName::Naive, 1000), WalkthroughError::NothingHeld);
    let limit = 8;
    // Candidates: {n0,n1}, {n0,n2}, {n0,n3,n4} at first, and 14 nodes at position 2.
    let too_much = |position| WalkthroughError::TooMuch { position, limit };
    assert_eq!(walk(EngineName::BreadthFirst, limit), too_much(Some(2)));
    assert_eq!(walk(EngineName::DepthFirst, limit), too_much(None));
    assert_eq!(walk(EngineName::ForwardBackward, limit), too_much(Some(0)));
    let bounded = Example { visits: Visits::Counted, ..NESTED };
    assert!(matches!(bounded.walkthrough(EngineName::BreadthFirst, 1000), Err(WalkthroughError::Engine(_))));
    let limit = 4;
    assert_eq!(walk(EngineName::Reverse, limit), WalkthroughError::TooMuch { position: None, limit });
}

/// The verdict after the last step is the engine's own, whatever the engine.
#[test]
fn all_engines_come_to_the_same_conclusion() {
    for (example, holds) in [(UNTIL, true), (CAUSALITY, true), (Example::new("F X a", &[("a", "100")]), false)] {
        for engine in EngineName::ALL.iter().copied().filter(|engine| engine.holds_something()) {
            let steps = example.walkthrough(engine, 1000).expect("a walkthrough").steps;
            let last = match steps.last().expect("a step").conclusion {
                Conclusion::SoFar(verdict) => matches!(verdict, Verdict::Satisfied | Verdict::Holding),
                Conclusion::Here(holds) => holds,
            };
            assert_eq!(last, holds, "{} by {engine}", example.formula);
        }
    }
}
