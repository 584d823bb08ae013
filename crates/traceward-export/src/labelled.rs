//! Deterministic automata with their texts: what all exports of them are made of.

use std::fmt::{self, Write};
use std::sync::Arc;
use traceward_engine::automaton::deterministic::{Deterministic, Edge, LabelsTooLong, Product, StateId};
use traceward_logic::expr::Expr;
use traceward_logic::formula::Formulas;
use traceward_logic::letter::{Alphabet, Proposition};
use traceward_logic::verdict::Verdict;

/// The number of steps that writing the labels may take. Longer labels are too long for anybody,
/// program or not.
const WORK_LIMIT: u64 = 4_000_000;

/// A deterministic automaton with the texts of its formula and its propositions.
#[derive(Clone, Debug)]
pub struct Labelled {
    automaton: Deterministic,
    formula: String,
    propositions: Vec<PropositionText>,
}

/// A proposition, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropositionText {
    /// The proposition as it is written.
    pub text: String,
    /// The negation of the proposition: `!a`, `!(x > 5)`.
    pub negated: String,
    /// Whether the proposition is a variable, not a comparison that somebody has to compute.
    pub is_variable: bool,
    /// Whether the proposition speaks of earlier states, whose values somebody has to keep.
    pub looks_back: bool,
}

impl PropositionText {
    /// The texts of a proposition; `names` are those of the variables.
    pub fn of(expr: &Expr, names: &[Arc<str>]) -> Self {
        let mut one = Formulas::new();
        let holds = one.intern_atom(expr.clone());
        let negated = one.not(holds);
        Self {
            text: expr.display(names).to_string(),
            negated: one.display(negated, names).to_string(),
            is_variable: matches!(expr, Expr::Variable(_)),
            looks_back: expr.looks_back(),
        }
    }
}

impl Labelled {
    /// Gives an automaton its texts. `alphabet` is the one that the automaton was made with, and
    /// `names` are those of the variables. The formula is taken as its author wrote it: printed
    /// from its core it could be exponentially longer.
    pub fn new(
        automaton: Deterministic,
        formula: &str,
        formulas: &Formulas,
        alphabet: &Alphabet,
        names: &[Arc<str>],
    ) -> Self {
        Self {
            automaton,
            formula: formula.split_whitespace().collect::<Vec<_>>().join(" "),
            propositions: alphabet
                .atoms()
                .iter()
                .map(|&(_, atom)| PropositionText::of(formulas.atom(atom), names))
                .collect(),
        }
    }

    /// The automaton.
    pub fn automaton(&self) -> &Deterministic {
        &self.automaton
    }

    /// The formula.
    pub fn formula(&self) -> &str {
        &self.formula
    }

    /// The propositions that letters are made of, in order; not all of them need make a difference.
    pub fn propositions(&self) -> &[PropositionText] {
        &self.propositions
    }

    /// A proposition.
    pub fn proposition(&self, proposition: Proposition) -> &PropositionText {
        &self.propositions[proposition.index()]
    }

    /// The edges, with labels as short as possible.
    pub fn edges(&self) -> Result<Vec<Edge>, LabelsTooLong> {
        self.automaton.edges(WORK_LIMIT)
    }

    /// The edges without their letters, unless even those are too many.
    pub fn arrows(&self) -> Option<Vec<(StateId, StateId)>> {
        self.automaton.arrows(WORK_LIMIT)
    }

    /// A product as text: `a & !b`, or `true`.
    pub fn product_text(&self, product: &Product) -> String {
        let literals = product.iter().map(|&(proposition, holds)| {
            let proposition = self.proposition(proposition);
            if holds { proposition.text.as_str() } else { proposition.negated.as_str() }
        });
        let literals: Vec<&str> = literals.collect();
        if literals.is_empty() { "true".into() } else { literals.join(" & ") }
    }

    /// The label of an edge as text: `!a | b`.
    pub fn label_text(&self, edge: &Edge) -> String {
        let products: Vec<String> = edge.products.iter().map(|product| self.product_text(product)).collect();
        products.join(" | ")
    }

    /// The automaton as text, a state with its edges at a time. Labels that are too long to be
    /// written are left out, and it says so.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let written = match self.edges() {
            Ok(edges) => {
                let line = |edge: &Edge| (edge.from, format!("{} → {}", self.label_text(edge), state_name(edge.to)));
                self.write_text(&edges.iter().map(line).collect::<Vec<_>>(), &mut text)
            }
            Err(too_long) => self.write_without_labels(too_long, &mut text),
        };
        written.expect("writing to a string cannot fail");
        text
    }

    fn write_without_labels(&self, too_long: LabelsTooLong, out: &mut String) -> fmt::Result {
        writeln!(out, "{} states; left out: {too_long}", self.automaton.states().len())?;
        let arrows = self.arrows().unwrap_or_default();
        let lines: Vec<_> = arrows.into_iter().map(|(from, to)| (from, format!("→ {}", state_name(to)))).collect();
        self.write_text(&lines, out)
    }

    /// Writes the states, each with its edges: a line for each, with the state it leaves.
    fn write_text(&self, edges: &[(StateId, String)], out: &mut String) -> fmt::Result {
        writeln!(out, "start {}", state_name(self.automaton.initial()))?;
        let mut rest = edges;
        for id in self.automaton.state_ids() {
            let end = if self.automaton.state(id).accepting { "acc" } else { "rej" };
            let certain = state_text(self.automaton.verdict(id));
            writeln!(out, "{:<4} {end}, {certain}", state_name(id))?;
            let (own, others) = rest.split_at(rest.partition_point(|(from, _)| *from == id));
            own.iter().try_for_each(|(_, line)| writeln!(out, "     {line}"))?;
            rest = others;
        }
        Ok(())
    }
}

/// The name of a state: `S0`, `S1`, …
pub fn state_name(id: StateId) -> String {
    format!("S{id}")
}

/// The words for what is certain in a state.
pub fn state_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied => "satisfied for good",
        Verdict::Violated => "violated for good",
        Verdict::Holding => "holding: satisfied if the trace ends here",
        Verdict::Pending => "pending: violated if the trace ends here",
    }
}
