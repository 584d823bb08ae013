//! For LTSA: finite state processes in the syntax that section 6.1 of Giannakopoulou and Havelund prints.
//!
//! Labels are actions: `na` is "not a", `b_AND_na` is both. `@` marks accepting states. A state that is satisfied for good
//! has no edges in the automaton, but FSP knows no other way to say so than the loop it had.

use crate::automaton::tableau::{Automaton, Edge, StateId};
use std::collections::BTreeSet;
use std::sync::Arc;

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

/// The automaton as a process; `names` are those of the variables.
pub fn fsp(automaton: &Automaton, names: &[Arc<str>]) -> String {
    let actions = actions(automaton, names);
    let states: Vec<String> = automaton.state_ids().map(|id| state(automaton, id, &actions)).collect();
    format!("RES = {},\n{}.\n", StateId::INIT, states.join(",\n"))
}

fn state(automaton: &Automaton, id: StateId, actions: &[String]) -> String {
    let sign = if automaton.state(id).accepting { " @ " } else { "" };
    let edges = automaton.edges_from(id).iter().map(|edge| format!("{}->{}", label(edge, actions), edge.to));
    let mut ways: Vec<String> = edges.collect();
    if automaton.state(id).satisfied {
        ways.push(format!("{ALWAYS}->{id}"));
    }
    match ways.is_empty() {
        true => format!("{id}{sign}=STOP"),
        false => format!("{id}{sign}=({})", ways.join(" |")),
    }
}

fn label(edge: &Edge, actions: &[String]) -> String {
    if edge.literals.is_empty() {
        return ALWAYS.into();
    }
    let literals = edge.literals.iter().map(|literal| {
        let not = if literal.negated { "n" } else { "" };
        format!("{not}{}", actions[literal.proposition.index()])
    });
    literals.collect::<Vec<_>>().join("_AND_")
}

/// For each proposition an action that is no other's, nor the negation of another.
fn actions(automaton: &Automaton, names: &[Arc<str>]) -> Vec<String> {
    let mut taken = BTreeSet::from([ALWAYS.to_owned()]);
    let atoms = automaton.alphabet().atoms().iter();
    let texts = atoms.map(|&atom| automaton.formulas().atom(atom).display(names).to_string());
    texts.map(|text| free_action(&identifier(&text), &mut taken)).collect()
}

fn free_action(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number: u32| format!("{wanted}_{number}"));
    let is_free = |name: &String| {
        let is_keyword = |name: &str| KEYWORDS.contains(&name);
        let negated = format!("n{name}");
        !is_keyword(name) && !is_keyword(&negated) && !taken.contains(name) && !taken.contains(&negated)
    };
    let action = std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).expect("numbers do not end");
    taken.extend([format!("n{action}"), action.clone()]);
    action
}

/// A text as an identifier of small letters, digits and single underscores; `_AND_` is kept for conjunctions.
fn identifier(text: &str) -> String {
    let mut words: Vec<String> = vec![String::new()];
    for letter in text.chars() {
        match (letter, symbol(letter)) {
            (letter, _) if letter.is_ascii_alphanumeric() => {
                words.last_mut().expect("there is always a word").push(letter.to_ascii_lowercase());
            }
            (_, Some(word)) => words.extend([word.to_owned(), String::new()]),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    let name = words.join("_");
    if name.starts_with(|first: char| first.is_ascii_lowercase()) { name } else { format!("p_{name}") }
}

/// The word for a sign, so that `x < 3` and `x > 3` do not look alike.
fn symbol(letter: char) -> Option<&'static str> {
    Some(match letter {
        '<' => "lt",
        '>' => "gt",
        '=' => "eq",
        '!' => "not",
        '+' => "plus",
        '-' => "minus",
        '*' => "times",
        '/' => "over",
        '%' => "mod",
        _ => return None,
    })
}
