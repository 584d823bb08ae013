//! Algebraic alternating automata as the paper has them: Finkbeiner, Sankaranarayanan and Sipma,
//! *Collecting Statistics over Runtime Executions*. Its figures are what the translation gives, and
//! its examples have their values.

use rustc_hash::FxHashMap;
use traceward_engine::automaton::algebraic::{Algebraic, Part, Plain};
use traceward_engine::limit::Limits;
use traceward_engine::query::{Outcome, Queries, Table, state_by_state};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Node};
use traceward_logic::lower::{Goal, Lowered};
use traceward_logic::query::Query;
use traceward_logic::semantics;
use traceward_logic::trace::{Column, Trace};
use traceward_logic::value::Value;
use traceward_testkit::enumerate::{self, Shape};
use traceward_testkit::lowered;

fn asked(text: &str) -> Lowered {
    lowered(text, Goal::Query, None, None).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn automaton(text: &str) -> (Lowered, Algebraic) {
    let lowered = asked(text);
    let automaton = Algebraic::new(&lowered.formulas, lowered.queries.iter().map(|one| &one.query), Plain::Unfolded);
    (lowered, automaton)
}

/// The automaton of a query, a part a line.
fn shown(text: &str) -> String {
    let (lowered, automaton) = automaton(text);
    automaton.display(&lowered.formulas, &lowered.variables.names()).to_string()
}

// ---- figures ----

/// Figure 5. What is written as `first` is the paper's g.
#[test]
fn figure_5_until() {
    let figure = "\
start: A4
A0 = n0 ⟨p : x⟩
A1 = n1 ⟨q : y⟩
A2 = n2 ⟨A4, id⟩
A3 = A0 ∧[π2] A2
A4 = A1 ∨[first] A3
";
    assert_eq!(shown("(p : x) U (q : y)"), figure);
    let mapped = figure.replace("start: A4", "start: A5") + "A5 = (a => a + 1)(A4)\n";
    assert_eq!(shown("(p : x) U[v => v + 1] (q : y)"), mapped);
}

/// Figure 6, with the operands of the paper's text: what has been collected comes first. A
/// collection is an accumulator here, so that there can be more of them than the paper has; `the
/// sum` makes a value of it.
#[test]
fn figure_6_collections() {
    let unconditional = "\
start: A3
A0 = n0 ⟨p : x⟩
A1 = n1 ⟨A2, id⟩
A2 = A1 ∨[f_sum] A0
A3 = (the sum)(A2)
";
    assert_eq!(shown("sum(p : x)"), unconditional);
    let interval = "\
start: A5
A0 = n0 ⟨p : x⟩
A1 = n1 ⟨q⟩
A2 = n2 ⟨A4, id⟩
A3 = A2 ∨[f_sum] A0
A4 = A3 ∧[π1] A1
A5 = (the sum)(A4)
";
    assert_eq!(shown("sum(p : x) while q"), interval);
}

/// Figure 7. `count` of nothing is 0, and so it begins empty where the paper has ⊥.
#[test]
fn figure_7_maximum_transmissions() {
    let figure = "\
start: A12
A0 = n0 ⟨!at_l1⟩
A1 = n1 ⟨A0, id⟩
A2 = n2 ⟨at_l1⟩
A3 = A2 ∧[true] A1
A4 = n3 ⟨loc in {1, 2, 3, 4, 5, 7}⟩
A5 = n4 ⟨A8, id⟩
A6 = A5 ∨[f_count] A3
A7 = (?? empty count)(A6)
A8 = A7 ∧[π1] A4
A9 = (the count)(A8)
A10 = n5 ⟨A11, id⟩
A11 = A10 ∨[f_max] A9
A12 = (the max)(A11)
";
    let query = "max(count(at_l1 & X !at_l1) while loc in {1, 2, 3, 4, 5, 7})";
    assert_eq!(shown(query), figure);
    // Three terminal and three transient nodes, as the paper draws them.
    let (_, automaton) = automaton(query);
    let terminal = automaton.parts().iter().filter(|part| matches!(part, Part::Terminal { .. })).count();
    assert_eq!((automaton.nodes().count(), terminal), (6, 3));
}

#[test]
fn operators_that_the_paper_leaves_out() {
    let bounded = shown("F[0,3] p & O q");
    assert_eq!(bounded, "start: A2\nA0 = n0 ⟨F[0,3] p⟩\nA1 = n1 ⟨O q⟩\nA2 = A0 ∧[true] A1\n");
    // A guard over several states is an automaton, and its value is looked at only where it holds.
    let guarded = shown("X p : x");
    assert_eq!(guarded, "start: A3\nA0 = n0 ⟨p⟩\nA1 = n1 ⟨A0, id⟩\nA2 = n2 ⟨x⟩\nA3 = A1 ∧[π2] A2\n");
    let negated = shown("![7] (p : x) ?? 3");
    assert_eq!(negated, "start: A2\nA0 = n0 ⟨p : x⟩\nA1 = (negate 7)(A0)\nA2 = (?? 3)(A1)\n");
}

// ---- examples ----

/// A trace of integers, a row a state, for the variables of a query by name.
fn trace_of<const N: usize>(lowered: &Lowered, names: [&str; N], states: &[[i64; N]]) -> Trace {
    let column = |name: &str| {
        let index = names.iter().position(|one| *one == name).expect("a variable of the trace");
        let values = states.iter().map(|state| state[index]);
        match name {
            "p" | "q" => Column::of_bools(values.map(|value| value == 1).collect()),
            _ => Column::of_ints(values.collect()),
        }
    };
    let columns = lowered.variables.names().iter().map(|name| column(name)).collect();
    Trace { len: states.len(), columns, time: None }
}

/// Where formulas hold, by the definition.
fn rows(formulas: &Formulas, asserted: &[FormulaId], trace: &Trace) -> FxHashMap<FormulaId, Bitmap> {
    let truths = semantics::truths(formulas, asserted, trace).expect("formulas without errors");
    truths.into_iter().map(|(formula, row)| (formula, row.into_iter().collect())).collect()
}

/// The value of a query, by all ways of evaluation.
fn value<const N: usize>(text: &str, names: [&str; N], states: &[[i64; N]]) -> Option<Value> {
    let (lowered, automaton) = automaton(text);
    let trace = trace_of(&lowered, names, states);
    let query = &lowered.queries[0].query;
    let defined = semantics::value(&lowered.formulas, query, &trace).expect("no error");
    let asserted = rows(&lowered.formulas, &automaton.assertions(), &trace);
    let holds = |formula: FormulaId, position: usize| asserted[&formula].get(position);
    assert_eq!(state_by_state(&automaton, &trace, &holds), [Ok(defined.clone())], "state by state: {text}");
    let forward = Queries::forward(&automaton, &trace, &holds, &Limits::default()).expect("a short trace");
    assert_eq!(forward, defined, "forward: {text}");
    let queries = Queries::new(&lowered.formulas, [query]);
    let asserted = rows(&lowered.formulas, &queries.automaton().assertions(), &trace);
    let values = queries.values(&trace, &|formula| &asserted[&formula], &Limits::default()).expect("no limit");
    assert_eq!(values, [Ok(defined.clone())], "in blocks: {text}");
    defined
}

#[test]
fn example_1_experiments() {
    let states = [[1, 1], [1, 2], [1, 3], [2, 3], [5, 3], [4, 3]];
    let value = |text: &str| value(text, ["x", "y"], &states);
    assert_eq!(value("x < y : x"), None);
    let pair = Value::Pair(Box::new((Value::Int(1), Value::Int(1))));
    assert_eq!(value("(x <= y : x) &[pair] (x <= y : y)"), Some(pair));
    assert_eq!(value("(x <= y : x) &[+] ((x <= y : true) U (y == x + 2 : y))"), Some(Value::Int(4)));
}

#[test]
fn example_2_aggregates() {
    let states = [[1, 1, 2], [1, 2, 2], [1, 3, 1], [2, 3, 1], [5, 3, 1], [5, 3, 2]];
    let names = ["x", "y", "z"];
    assert_eq!(value("count(x == y)", names, &states), Some(Value::Int(1)));
    assert_eq!(value("min(true : x + y)", names, &states), Some(Value::Int(2)));
    let average = Some(Value::Float(5.0));
    assert_eq!(value("sum(true : x + y) / count(true : x + y)", names, &states), average);
    assert_eq!(value("avg(true : x + y)", names, &states), average);
    assert_eq!(value("max(sum(x) while z == 2)", names, &states), Some(Value::Int(5)));
    // The inner expression at all positions.
    let inner: Vec<Option<Value>> =
        (0..states.len()).map(|position| value("sum(x) while z == 2", names, &states[position..])).collect();
    assert_eq!(inner, [Some(2), Some(1), None, None, None, Some(5)].map(|value| value.map(Value::Int)));
}

/// Examples 3 and 4. Of figures 3 and 4 only what the text says of them is known: A0 is a
/// conjunction of the terminal node n0 and of A2, which is a disjunction by f_min of the transient
/// node n1, back to A0, and the terminal node n2; the value over the whole trace is 1, the minimum
/// of n1 and n2 at position 0. So it is an interval collection, and our translation has the
/// conjuncts exchanged, with π1 for π2. The trace has the seven positions of the figure, and values
/// by hand that give what the text tells.
#[test]
fn examples_3_and_4_an_evaluation_table() {
    let (lowered, automaton) = automaton("min(q : y) while p");
    let names = lowered.variables.names();
    assert_eq!(
        automaton.display(&lowered.formulas, &names).to_string(),
        "start: A5\nA0 = n0 ⟨q : y⟩\nA1 = n1 ⟨p⟩\nA2 = n2 ⟨A4, id⟩\nA3 = A2 ∨[f_min] A0\nA4 = A3 ∧[π1] A1\n\
         A5 = (the min)(A4)\n"
    );
    let states = [[1, 1, 1], [1, 0, 5], [1, 1, 4], [0, 1, 0], [1, 0, 2], [1, 1, 3], [1, 1, 6]];
    let trace = trace_of(&lowered, ["p", "q", "y"], &states);
    let asserted = rows(&lowered.formulas, &automaton.assertions(), &trace);
    let table = Table::new(&automaton, &trace, &|formula, position| asserted[&formula].get(position));
    let (some, truth) = (|value: i64| Some(Value::Int(value)), Some(Value::Bool(true)));
    // ⟨q : y⟩, ⟨p⟩, the transient node, the disjunction, the conjunction, and the value.
    let by_hand = [
        [some(1), truth.clone(), some(4), some(1), some(1), some(1)],
        [None, truth.clone(), some(4), some(4), some(4), some(4)],
        [some(4), truth.clone(), None, some(4), some(4), some(4)],
        [some(0), None, some(3), some(0), None, None],
        [None, truth.clone(), some(3), some(3), some(3), some(3)],
        [some(3), truth.clone(), some(6), some(3), some(3), some(3)],
        [some(6), truth, None, some(6), some(6), some(6)],
    ];
    let rows: Vec<Vec<Outcome>> = by_hand.map(|row| row.map(Ok).to_vec()).to_vec();
    assert_eq!(table.rows, rows);
    assert!(
        table.text(&automaton, &lowered.formulas, &names).ends_with(
            "\n\n    A0    A1  A2  A3  A4  A5\n6:   6  true   ⊥   6   6   6\n5:   3  true   6   3   3   3\n\
             4:   ⊥  true   3   3   3   3\n3:   0     ⊥   3   0   ⊥   ⊥\n2:   4  true   ⊥   4   4   4\n\
             1:   ⊥  true   4   4   4   4\n0:   1  true   4   1   1   1\n"
        ),
        "{}",
        table.text(&automaton, &lowered.formulas, &names)
    );
}

// ---- size ----

fn size(text: &str) -> usize {
    automaton(text).1.parts().len()
}

/// Section 7: the automaton is linear in the query.
#[test]
fn automata_are_linear_in_the_query() {
    type Family = fn(usize) -> String;
    let families: [(&str, Family); 5] = [
        ("next", |n| "X ".repeat(n) + "(p : x)"),
        ("until", |n| "(p : x) U (".repeat(n) + "q : y" + &")".repeat(n)),
        ("nested aggregates", |n| "max(sum(".repeat(n) + "p : x" + &") while q)".repeat(n)),
        ("conjunction", |n| (0..=n).map(|k| format!("(p{k} : x{k})")).collect::<Vec<_>>().join(" &[+] ")),
        ("formulas", |n| "G(p -> F (".repeat(n) + "q" + &"))".repeat(n)),
    ];
    for (name, family) in &families {
        let sizes: Vec<usize> = (1..=20).map(|n| size(&family(n))).collect();
        let growth: Vec<usize> = sizes.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(growth.iter().all(|one| *one == growth[0] && *one <= 10), "{name}: {sizes:?}");
    }
}

/// A query that is written twice at every level has an exponential tree and a linear automaton.
#[test]
fn equal_subqueries_are_one_part() {
    assert_eq!(size("count(p) &[pair] count(p)"), size("count(p)") + 1);
    assert_eq!(size("max(p : x) &[+] max(p : x)"), size("max(p : x)") + 1);
    let doubled =
        |levels: usize| (0..levels).fold("(p : x)".to_owned(), |inner, _| format!("(X {inner} &[+] max({inner}))"));
    let sizes: Vec<usize> = (1..=8).map(|levels| size(&doubled(levels))).collect();
    let growth: Vec<usize> = sizes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(growth.iter().all(|one| *one == growth[0]), "{sizes:?}");
    // Queries of one spec share as well, plain formulas and loops among them.
    let (_, both) = automaton("query a = max(count(p & X q) while r)\nquery b = min(count(p & X q) while r)");
    assert_eq!(both.parts().len(), size("max(count(p & X q) while r)") + 3);
    assert_eq!(both.loops().len(), 3);
}

// ---- formulas ----

/// Section 2.2: a formula is a query that succeeds exactly where it holds.
#[test]
fn a_formula_succeeds_where_it_holds() {
    let mut arena = Formulas::new();
    let shape = Shape::unbounded(2).with_intervals([Interval::steps(0, Some(1))]);
    let formulas = enumerate::formulas(&mut arena, &shape);
    let queries: Vec<Query> = formulas.iter().map(|&formula| Query::Holds(formula)).collect();
    let automaton = Algebraic::new(&arena, &queries, Plain::Unfolded);
    // What the paper has no automaton for is asserted, and nothing else but atoms is.
    let is_leaf = |formula: FormulaId| match arena.node(formula) {
        Node::Atom(_) | Node::Constant(_) | Node::Next(Direction::Past, ..) => true,
        node => node.interval().is_some_and(|interval| !interval.is_all()) || is_past(node),
    };
    assert!(automaton.assertions().into_iter().all(is_leaf));
    for trace in enumerate::traces(2, 4) {
        let truths = rows(&arena, &formulas, &trace);
        let values = state_by_state(&automaton, &trace, &|formula, position| truths[&formula].get(position));
        for (formula, value) in formulas.iter().zip(values) {
            let expected = truths[formula].get(0).then_some(Value::Bool(true));
            assert_eq!(value, Ok(expected), "{formula:?} on {trace:?}");
        }
    }
}

fn is_past(node: Node) -> bool {
    matches!(
        node,
        Node::Eventually(Direction::Past, ..)
            | Node::Always(Direction::Past, ..)
            | Node::Binary(_, Direction::Past, ..)
    )
}
