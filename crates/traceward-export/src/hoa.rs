//! The Hanoi Omega-Automata format, version 1 (<https://adl.github.io/hoaf/>), which many tools
//! read.
//!
//! The format is about infinite words. The automaton is written as a Büchi automaton, with
//! `finite-words` in a header of its own: a tool that knows better may read the accepting set as
//! final states, and one that does not will still read it.

use crate::labelled::Labelled;
use std::fmt::{self, Write};
use traceward_engine::automaton::deterministic::{Edge, LabelsTooLong, Product};

const NOTE: &str = "/* of finite words: a word is accepted if it ends in a state of set 0 */";

/// The automaton in the Hanoi format.
pub fn hoa(automaton: &Labelled) -> Result<String, LabelsTooLong> {
    let edges = automaton.edges()?;
    let mut text = String::new();
    write_automaton(automaton, &edges, &mut text).expect("writing to a string cannot fail");
    Ok(text)
}

fn write_automaton(labelled: &Labelled, edges: &[Edge], out: &mut String) -> fmt::Result {
    let automaton = labelled.automaton();
    let propositions = labelled.propositions();
    writeln!(out, "HOA: v1")?;
    writeln!(out, "name: {}", quoted(labelled.formula()))?;
    writeln!(out, "tool: \"traceward\" \"{}\"", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "States: {}", automaton.states().len())?;
    writeln!(out, "Start: {}", automaton.initial())?;
    write!(out, "AP: {}", propositions.len())?;
    propositions.iter().try_for_each(|proposition| write!(out, " {}", quoted(&proposition.text)))?;
    writeln!(out, "\nacc-name: Buchi")?;
    writeln!(out, "Acceptance: 1 Inf(0)")?;
    writeln!(out, "properties: trans-labels explicit-labels state-acc deterministic complete")?;
    writeln!(out, "finite-words: t")?;
    writeln!(out, "{NOTE}")?;
    writeln!(out, "--BODY--")?;
    let mut rest = edges;
    for id in automaton.state_ids() {
        let set = if automaton.state(id).accepting { " {0}" } else { "" };
        writeln!(out, "State: {id} \"{}\"{set}", automaton.verdict(id))?;
        let (own, others) = rest.split_at(rest.partition_point(|edge| edge.from == id));
        for edge in own {
            writeln!(out, "[{}] {}", label(&edge.products), edge.to)?;
        }
        rest = others;
    }
    writeln!(out, "--END--")
}

fn label(products: &[Product]) -> String {
    let products: Vec<String> = products.iter().map(product).collect();
    products.join(" | ")
}

fn product(product: &Product) -> String {
    if product.is_empty() {
        return "t".into();
    }
    let literal = |&(proposition, holds): &(traceward_logic::letter::Proposition, bool)| {
        format!("{}{}", if holds { "" } else { "!" }, proposition.index())
    };
    product.iter().map(literal).collect::<Vec<_>>().join("&")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
