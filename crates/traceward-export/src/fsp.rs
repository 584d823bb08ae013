//! Finite state processes for LTSA, in the syntax that section 6.1 of Giannakopoulou and Havelund
//! prints.
//!
//! Labels are actions: `na` is "not a", `b_AND_na` is both. `@` marks accepting states. A state
//! that is satisfied for good has no edges in the automaton, but FSP knows no other way to say so
//! than the loop it had.

use crate::identifier::{free, identifier};
use crate::labelled::{Labelled, state_name};
use std::collections::BTreeSet;
use std::sync::Arc;
use traceward_engine::automaton::deterministic::{LabelsTooLong, Product};
use traceward_engine::automaton::tableau::{Automaton, Literal, StateId};

/// Words of the language that are no names of actions.
const KEYWORDS: [&str; 28] = [
    "const",
    "property",
    "range",
    "if",
    "then",
    "else",
    "forall",
    "foreach",
    "when",
    "set",
    "progress",
    "menu",
    "animation",
    "actions",
    "controls",
    "deterministic",
    "minimal",
    "compose",
    "target",
    "import",
    "assert",
    "fluent",
    "in",
    "rigid",
    "exists",
    "constraint",
    "initially",
    "tau",
];
const ALWAYS: &str = "true";

/// A tableau automaton as a process; `names` are those of the variables.
pub fn of_tableau(automaton: &Automaton, names: &[Arc<str>]) -> String {
    let atoms = automaton.alphabet().atoms().iter();
    let actions = actions(atoms.map(|&(_, atom)| automaton.formulas().atom(atom).display(names).to_string()));
    let state = |id: StateId| {
        let edges = automaton.edges_from(id).iter();
        let edges = edges.map(|edge| format!("{}->{}", label(&edge.literals, &actions), edge.to));
        let mut ways: Vec<String> = edges.collect();
        if automaton.state(id).satisfied {
            ways.push(format!("{ALWAYS}->{id}"));
        }
        line(&id.to_string(), automaton.state(id).accepting, &ways)
    };
    process(&StateId::INIT.to_string(), automaton.state_ids().map(state))
}

/// A deterministic automaton as a process. It is complete, so that a state that is violated for
/// good has a loop.
pub fn of_deterministic(automaton: &Labelled) -> Result<String, LabelsTooLong> {
    let actions = actions(automaton.propositions().iter().map(|proposition| proposition.text.clone()));
    let mut ways: Vec<Vec<String>> = vec![Vec::new(); automaton.automaton().states().len()];
    for edge in automaton.edges()? {
        let to = state_name(edge.to);
        let products = edge.products.iter().map(|product| format!("{}->{to}", label(&literals(product), &actions)));
        ways[edge.from.index()].extend(products);
    }
    let states = automaton.automaton().states().iter().zip(automaton.automaton().state_ids()).zip(&ways);
    let states = states.map(|((state, id), ways)| line(&state_name(id), state.accepting, ways));
    Ok(process(&state_name(automaton.automaton().initial()), states))
}

fn process(initial: &str, states: impl Iterator<Item = String>) -> String {
    format!("RES = {initial},\n{}.\n", states.collect::<Vec<_>>().join(",\n"))
}

fn line(name: &str, accepting: bool, ways: &[String]) -> String {
    let sign = if accepting { " @ " } else { "" };
    match ways.is_empty() {
        true => format!("{name}{sign}=STOP"),
        false => format!("{name}{sign}=({})", ways.join(" |")),
    }
}

fn label(literals: &[Literal], actions: &[String]) -> String {
    if literals.is_empty() {
        return ALWAYS.into();
    }
    let literals = literals.iter().map(|literal| {
        let not = if literal.negated { "n" } else { "" };
        format!("{not}{}", actions[literal.proposition.index()])
    });
    literals.collect::<Vec<_>>().join("_AND_")
}

/// The literals of a product, in the order of tableau automata.
fn literals(product: &Product) -> Vec<Literal> {
    let mut literals: Vec<Literal> =
        product.iter().map(|&(proposition, holds)| Literal { negated: !holds, proposition }).collect();
    literals.sort_unstable();
    literals
}

/// The action of each proposition, which is no other's, nor the negation of another. `_AND_` is
/// kept for conjunctions.
fn actions(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken = BTreeSet::from([ALWAYS.to_owned()]);
    texts.map(|text| free_action(&identifier(&text), &mut taken)).collect()
}

fn free_action(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let action = free(wanted, taken, |name, taken| {
        let negated = format!("n{name}");
        let is_keyword = |name: &str| KEYWORDS.contains(&name);
        !is_keyword(name) && !is_keyword(&negated) && !taken.contains(&negated)
    });
    taken.insert(format!("n{action}"));
    action
}
