//! What is too large is refused, and soon.

use super::Example;
use traceward_engine::automaton::subset::{self, determinise};
use traceward_engine::automaton::tableau::Initial;
use traceward_engine::limit::BuildError;
use traceward_engine::limit::Limits;

fn refusal(text: &str) -> BuildError {
    match Example::build(text, Initial::BySemantics, Limits::default()) {
        Ok(example) => panic!("{text} has {} states", example.automaton.states().len()),
        Err(error) => error,
    }
}

#[test]
fn bounds_in_time_are_refused() {
    let error = refusal("G(a -> F[0,5ms] b)");
    assert_eq!(error.to_string(), "the engine tableau cannot take bounds in time; reverse can");
}

#[test]
fn too_many_states_are_refused() {
    let error = refusal("F[0,30000] a");
    assert_eq!(
        error.to_string(),
        "the engine tableau gave up: the automaton has more than 20000 states; \
         reverse answers the same in linear time; shorter bounds and fewer propositions make it smaller; \
         the limit can be raised"
    );
}

#[test]
fn too_much_work_is_refused() {
    let clauses: Vec<String> = (0..60).map(|i| format!("(a{i} | F b{i})")).collect();
    let error = refusal(&clauses.join(" & "));
    assert!(error.to_string().contains("more than 10000000 steps"), "{error}");
}

#[test]
fn bounds_far_into_the_past_are_refused() {
    let error = refusal("G(a -> O[0,5000] b)");
    assert!(error.to_string().contains("formulas at the position before"), "{error}");
}

#[test]
fn long_formulas_are_no_deeper_than_others() {
    let long: Vec<String> = (0..20_000).map(|i| format!("a{}", i % 50)).collect();
    assert_eq!(Example::new(&format!("G({})", long.join(" & "))).automaton.states().len(), 2);
    let nested = format!("{}a", "X ".repeat(200));
    assert_eq!(Example::new(&nested).automaton.states().len(), 202);
}

#[test]
fn too_many_letters_are_refused() {
    let many: Vec<String> = (0..20).map(|i| format!("a{i}")).collect();
    let example = Example::new(&format!("G({})", many.join(" & ")));
    let error = determinise(&example.automaton, subset::SubsetLimits::default()).expect_err("2^20 letters");
    assert!(error.to_string().contains("more than 16 propositions"), "{error}");
    let config = subset::SubsetLimits { state_limit: 2, ..subset::SubsetLimits::default() };
    let error = determinise(&Example::new("X X X a").automaton, config).expect_err("5 states");
    assert!(error.to_string().contains("more than 2 states"), "{error}");
    let config = subset::SubsetLimits { work_limit: 10, ..subset::SubsetLimits::default() };
    let error = determinise(&Example::new("G(a -> F b)").automaton, config).expect_err("3 edges and 4 letters");
    assert!(error.to_string().contains("more than 10 steps"), "{error}");
}

/// Of bounds that open together only the hardest is owed, and bounds into the past that are
/// answered alike do not split nodes.
#[test]
fn bounds_take_as_many_states_as_they_are_long() {
    for text in ["G(a -> F[0,100] b)", "G(a -> !b R[0,100] c)", "G(a -> O[0,100] b)", "G(a -> c S[0,100] b)"] {
        let states = Example::new(text).automaton.states().len();
        assert!(states <= 103, "{text} has {states} states");
    }
}
