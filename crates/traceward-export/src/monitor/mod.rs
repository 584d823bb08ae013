//! Standalone monitors: a deterministic automaton as a source file of another program, or with
//! bounds in time a few deadlines ([`timed`]).
//!
//! [`c::monitor`] and [`rust::monitor`] write one file each that depends on nothing and allocates
//! nothing. A state of the trace is given by one named boolean for each proposition that makes a
//! difference, rather than by bits, whose order somebody would get wrong.
//!
//! Transitions are a table of all letters where that is small, and otherwise the automaton's
//! decision diagrams, as an array of nodes that is walked in a loop.

pub mod c;
pub mod rust;
pub mod timed;

use crate::identifier::{free, snake_case};
use crate::labelled::{Labelled, PropositionText};
use std::collections::BTreeSet;
use traceward_engine::automaton::deterministic::{Deterministic, Target};
use traceward_logic::letter::Proposition;
use traceward_logic::verdict::Verdict;

/// The number of entries up to which transitions are always a table.
const SMALL_TABLE: usize = 4096;
/// The number of propositions from which on letters are too many for any table.
const MOST_IN_TABLE: usize = 20;
/// The width of a line of numbers.
const LINE: usize = 100;

/// A proposition that the caller tells the monitor about.
struct Input<'a> {
    /// The name of the input, an identifier.
    name: String,
    text: &'a str,
    is_variable: bool,
    looks_back: bool,
}

/// The transitions: how the monitor finds its next state.
enum Transitions {
    /// The next state for each state and each letter; the lowest bit of a letter is the first
    /// input.
    Table(Vec<Vec<u32>>),
    /// Targets below the number of states are states, the others are nodes, counted from there.
    Nodes { first: Vec<u32>, nodes: Vec<Node> },
}

struct Node {
    input: usize,
    low: u32,
    high: u32,
}

/// The parts of a monitor, in any language.
struct MonitorParts<'a> {
    labelled: &'a Labelled,
    inputs: Vec<Input<'a>>,
    verdicts: Vec<Verdict>,
    transitions: Transitions,
}

impl<'a> MonitorParts<'a> {
    fn new(labelled: &'a Labelled) -> Self {
        let automaton = labelled.automaton();
        let relevant = automaton.relevant();
        Self {
            labelled,
            inputs: inputs(relevant.iter().map(|&proposition| labelled.proposition(proposition))),
            verdicts: automaton.state_ids().map(|id| automaton.verdict(id)).collect(),
            transitions: transitions(automaton, &relevant),
        }
    }

    fn states(&self) -> usize {
        self.verdicts.len()
    }

    /// Propositions of the formula that make no difference.
    fn irrelevant(&self) -> Vec<&str> {
        let relevant = self.labelled.automaton().relevant();
        let all = self.labelled.propositions().iter().enumerate();
        let others = all.filter(|(index, _)| relevant.binary_search(&Proposition(*index as u32)).is_err());
        others.map(|(_, proposition)| proposition.text.as_str()).collect()
    }

    /// The lines about the formula and its propositions at the head of a file.
    fn description(&self) -> Vec<String> {
        described(&self.inputs, &self.irrelevant())
    }
}

/// The lines about inputs at the head of a file, and about propositions that are none.
fn described(inputs: &[Input], irrelevant: &[&str]) -> Vec<String> {
    let mut lines =
        vec!["Each state of the trace is given by the propositions that hold in it:".to_owned(), String::new()];
    let width = inputs.iter().map(|input| input.name.len()).max().unwrap_or(0);
    let input = |input: &Input| format!("    {:<width$}  {}", input.name, plain(input.text));
    lines.extend(inputs.iter().map(input));
    if inputs.is_empty() {
        lines[0] = "No proposition makes a difference: only the number of states does.".into();
        lines.pop();
    }
    let irrelevant: Vec<String> = irrelevant.iter().map(|text| plain(text)).collect();
    if !irrelevant.is_empty() {
        lines.extend([String::new(), format!("These make no difference: {}", irrelevant.join(", "))]);
    }
    if inputs.iter().any(|input| !input.is_variable) {
        lines.push(String::new());
        lines.push("Comparisons are the caller's to evaluate; one that meets a missing value is false.".into());
    }
    if inputs.iter().any(|input| input.looks_back) {
        lines.push("So are the values of earlier states, past(...): they are missing where there is no".into());
        lines.push("such state.".into());
    }
    lines
}

fn inputs<'a>(propositions: impl Iterator<Item = &'a PropositionText>) -> Vec<Input<'a>> {
    let mut taken = BTreeSet::new();
    let input = |proposition: &'a PropositionText| {
        let name = free(&snake_case(&proposition.text), &mut taken, |name, _| !is_reserved(name));
        let (is_variable, looks_back) = (proposition.is_variable, proposition.looks_back);
        Input { name, text: &proposition.text, is_variable, looks_back }
    };
    propositions.map(input).collect()
}

fn transitions(automaton: &Deterministic, relevant: &[Proposition]) -> Transitions {
    let states = automaton.states().len();
    let in_nodes = 3 * automaton.tests().len() + states;
    if relevant.len() <= MOST_IN_TABLE && (states << relevant.len()) <= in_nodes.max(SMALL_TABLE) {
        return table(automaton, relevant);
    }
    let target = |target: Target| match target {
        Target::State(state) => state.index() as u32,
        Target::Test(index) => states as u32 + index,
    };
    let node = |test: &traceward_engine::automaton::deterministic::PropositionTest| Node {
        input: relevant.binary_search(&test.proposition).expect("what is tested is relevant"),
        low: target(test.low),
        high: target(test.high),
    };
    Transitions::Nodes {
        first: automaton.states().iter().map(|state| target(state.successors)).collect(),
        nodes: automaton.tests().iter().map(node).collect(),
    }
}

fn table(automaton: &Deterministic, relevant: &[Proposition]) -> Transitions {
    let next = |from, letter: usize| {
        let holds = |proposition| {
            let bit = relevant.binary_search(&proposition).expect("what is tested is relevant");
            letter >> bit & 1 == 1
        };
        automaton.next(from, holds).index() as u32
    };
    let row = |from| (0..1 << relevant.len()).map(|letter| next(from, letter)).collect();
    Transitions::Table(automaton.state_ids().map(row).collect())
}

/// The number of bits for numbers below `end`: 8, 16 or 32.
fn bits(end: usize) -> u32 {
    match end {
        0..=0x100 => 8,
        0x101..=0x1_0000 => 16,
        _ => 32,
    }
}

/// Values with commas between them, in lines that begin with this indentation.
fn wrapped(values: impl IntoIterator<Item = String>, indentation: &str) -> String {
    let mut lines = vec![indentation.to_owned()];
    for value in values {
        let line = lines.last_mut().expect("there is always a line");
        if line.len() + value.len() + 2 > LINE && line.len() > indentation.len() {
            lines.push(format!("{indentation}{value},"));
        } else {
            let space = if line.len() > indentation.len() { " " } else { "" };
            line.push_str(&format!("{space}{value},"));
        }
    }
    lines.join("\n")
}

/// A text that may stand in a comment of any language: on one line that does not continue on the
/// next, and with nothing in it that a compiler would warn of.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.chars() {
        let turns_direction =
            matches!(letter, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        match letter {
            letter if letter.is_control() || turns_direction || matches!(letter, '\u{2028}' | '\u{2029}') => {
                plain.push_str(&format!("\\u{{{:x}}}", u32::from(letter)));
            }
            letter => plain.push(letter),
        }
    }
    // A backslash at the end of a line, also if written as a trigraph, continues it in C.
    if plain.ends_with('\\') || plain.ends_with("??/") {
        plain.push(' ');
        plain.push('.');
    }
    plain
}

/// Words of C, C++ and Rust that are no names, and what headers define.
const RESERVED: [&str; 126] = [
    "abstract",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "arm",
    "as",
    "asm",
    "async",
    "auto",
    "await",
    "become",
    "bitand",
    "bitor",
    "bool",
    "box",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "concept",
    "const",
    "constexpr",
    "continue",
    "crate",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dyn",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "final",
    "float",
    "fn",
    "for",
    "friend",
    "gen",
    "goto",
    "i386",
    "if",
    "impl",
    "import",
    "in",
    "inline",
    "int",
    "let",
    "linux",
    "long",
    "loop",
    "macro",
    "match",
    "mod",
    "module",
    "move",
    "mut",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "null",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "override",
    "priv",
    "private",
    "protected",
    "pub",
    "public",
    "ref",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "self",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "super",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unix",
    "unsafe",
    "unsigned",
    "unsized",
    "use",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "where",
    "while",
    "xor",
    "xor_eq",
    "yield",
];

fn is_reserved(name: &str) -> bool {
    RESERVED.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_in_order() {
        assert!(RESERVED.is_sorted());
        assert!(is_reserved("while") && !is_reserved("whiles"));
    }

    #[test]
    fn no_text_ends_a_comment_or_turns_it() {
        assert_eq!(plain("a\nb\u{202E}c\\"), "a\\u{a}b\\u{202e}c\\ .");
        assert_eq!(plain("what??/"), "what??/ .");
    }

    #[test]
    fn numbers_fill_lines() {
        let text = wrapped((0..60).map(|number| number.to_string()), "    ");
        assert!(text.lines().all(|line| line.len() <= LINE && line.starts_with("    ") && line.ends_with(',')));
        assert_eq!(text.matches(',').count(), 60);
    }
}
