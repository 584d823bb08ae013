//! The automaton as text.

use super::{Automaton, Edge, Literal, State, StateId};
use std::fmt;
use std::sync::Arc;
use traceward_logic::formula::{Formulas, Strength};

impl Automaton {
    /// The automaton as text, a state with its edges at a time; `names` are those of the variables.
    pub fn display<'a>(&'a self, names: &'a [Arc<str>]) -> impl fmt::Display + 'a {
        Display { automaton: self, names }
    }

    /// A literal as text: `!a`.
    pub fn literal_text(&self, literal: Literal, names: &[Arc<str>]) -> String {
        let mut one = Formulas::new();
        let atom = self.formulas.atom(self.alphabet.atom(literal.proposition).expect("an atom of the alphabet"));
        let holds = one.intern_atom(atom.clone());
        let formula = if literal.negated { one.not(holds) } else { holds };
        one.display(formula, names).to_string()
    }

    /// The label of an edge as text: `b & !a`, or `true`.
    pub fn label_text(&self, edge: &Edge, names: &[Arc<str>]) -> String {
        let literals: Vec<String> = edge.literals.iter().map(|&literal| self.literal_text(literal, names)).collect();
        if literals.is_empty() { "true".into() } else { literals.join(" & ") }
    }

    /// What a state owes and claims, in words.
    pub fn state_text(&self, id: StateId, names: &[Arc<str>]) -> String {
        let State { next, claims, .. } = self.state(id);
        if id == StateId::INIT {
            return format!("owes {}", self.formulas.display(self.root, names));
        }
        let owed = next.iter().map(|owed| {
            let next = if owed.strength == Strength::Strong { "X" } else { "WX" };
            format!("{next} ({})", self.formulas.display(owed.formula, names))
        });
        let claimed = claims.iter().map(|claim| {
            let not = if claim.holds { "" } else { "not " };
            format!("{not}{}", self.formulas.display(claim.formula, names))
        });
        let owed: Vec<String> = owed.collect();
        let owes = if owed.is_empty() { "owes nothing".into() } else { format!("owes {}", owed.join(", ")) };
        let claimed: Vec<String> = claimed.collect();
        if claimed.is_empty() { owes } else { format!("{owes}; claims {}", claimed.join(", ")) }
    }
}

struct Display<'a> {
    automaton: &'a Automaton,
    names: &'a [Arc<str>],
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { automaton, names } = self;
        writeln!(f, "start {}", StateId::INIT)?;
        for id in automaton.state_ids() {
            let state = automaton.state(id);
            let end = if state.accepting { "acc" } else { "rej" };
            let for_good = if state.satisfied { ", satisfied for good" } else { "" };
            writeln!(f, "{id:<4} {end}, {}{for_good}", automaton.state_text(id, names))?;
            for edge in automaton.edges_from(id) {
                writeln!(f, "     {} → {}", automaton.label_text(edge, names), edge.to)?;
            }
        }
        Ok(())
    }
}
