//! Monitors in Rust, without `std`. The file is a module, or a crate of its own.

use super::{Input, MonitorParts, Transitions, bits, plain, wrapped};
use crate::labelled::Labelled;
use std::fmt::{self, Write};
use traceward_logic::verdict::Verdict;

/// The automaton as a Rust file.
pub fn monitor(automaton: &Labelled) -> String {
    let mut text = String::new();
    write_file(&MonitorParts::new(automaton), &mut text).expect("writing to a string cannot fail");
    text
}

pub(super) const VERDICT: &str = "
/// What is known of the formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// However the trace goes on, it holds.
    Satisfied,
    /// However the trace goes on, it does not hold.
    Violated,
    /// If the trace ends here, it holds.
    Holding,
    /// If the trace ends here, it does not hold.
    Pending,
}
";

const ENDING: &str = "
    /// What is certain after what was seen so far.
    pub fn now(&self) -> Verdict {
        VERDICTS[self.state as usize]
    }

    /// The verdict if the trace ends here: satisfied or violated.
    pub fn end(&self) -> Verdict {
        match self.now() {
            Verdict::Satisfied | Verdict::Holding => Verdict::Satisfied,
            Verdict::Violated | Verdict::Pending => Verdict::Violated,
        }
    }
}

impl Default for Monitor {
    fn default() -> Self {
        Self::new()
    }
}
";

fn write_file(parts: &MonitorParts, out: &mut String) -> fmt::Result {
    write_head(parts, out)?;
    out.push_str(VERDICT);
    if !parts.inputs.is_empty() {
        write_letter(parts, out)?;
    }
    writeln!(out, "\n/// Follows a trace.\n#[derive(Clone, Copy, PartialEq, Eq, Debug)]")?;
    writeln!(out, "pub struct Monitor {{\n    state: u{},\n}}\n", bits(parts.states()))?;
    writeln!(out, "impl Monitor {{")?;
    writeln!(out, "    /// Begins a trace: there is no state yet.")?;
    writeln!(out, "    pub const fn new() -> Self {{\n        Self {{ state: 0 }}\n    }}\n")?;
    write_step(parts, out)?;
    out.push_str(ENDING);
    write_tables(parts, out)
}

fn write_head(parts: &MonitorParts, out: &mut String) -> fmt::Result {
    let mut lines = vec![
        "A monitor of".to_owned(),
        String::new(),
        "```text".to_owned(),
        plain(parts.labelled.formula()),
        "```".to_owned(),
        String::new(),
        format!(
            "made by traceward {}. It needs no crate, not even `std`, and allocates nothing.",
            env!("CARGO_PKG_VERSION")
        ),
        String::new(),
    ];
    lines.extend(fenced(&parts.description()));
    let fields: Vec<String> = parts.inputs.iter().map(|input| format!("{}: …", input.name)).collect();
    let letter = if fields.is_empty() { String::new() } else { format!("Letter {{ {} }}", fields.join(", ")) };
    lines.extend([
        String::new(),
        "For example:".to_owned(),
        String::new(),
        "```text".to_owned(),
        "let mut monitor = Monitor::new();".to_owned(),
        "for … {".to_owned(),
        format!("    let verdict = monitor.step({letter});"),
        "    if verdict == Verdict::Violated { … }".to_owned(),
        "}".to_owned(),
        "if monitor.end() == Verdict::Satisfied { … }".to_owned(),
        "```".to_owned(),
    ]);
    lines.iter().try_for_each(|line| writeln!(out, "{}", format!("//! {line}").trim_end()))
}

/// A description with its indented lines in fences: they would be taken for examples to test.
pub(super) fn fenced(description: &[String]) -> Vec<String> {
    let fence = |line: &String| line.starts_with("    ");
    let mut lines = Vec::new();
    for (index, line) in description.iter().enumerate() {
        if fence(line) && !fence(&description[index - 1]) {
            lines.push("```text".to_owned());
        }
        lines.push(line.strip_prefix("    ").unwrap_or(line).to_owned());
        if fence(line) && !description.get(index + 1).is_some_and(fence) {
            lines.push("```".to_owned());
        }
    }
    lines
}

fn write_letter(parts: &MonitorParts, out: &mut String) -> fmt::Result {
    writeln!(out, "\n/// The propositions that hold in a state.")?;
    writeln!(out, "#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]\npub struct Letter {{")?;
    for Input { name, text, .. } in &parts.inputs {
        writeln!(out, "    /// `{}`\n    pub {name}: bool,", plain(text))?;
    }
    writeln!(out, "}}")
}

fn write_step(parts: &MonitorParts, out: &mut String) -> fmt::Result {
    let letter = if parts.inputs.is_empty() { "" } else { ", letter: Letter" };
    writeln!(out, "    /// Takes the next state of the trace, and says what is certain after it.")?;
    writeln!(out, "    pub fn step(&mut self{letter}) -> Verdict {{")?;
    let fields = parts.inputs.iter().map(|input| format!("letter.{}", input.name));
    match &parts.transitions {
        Transitions::Table(_) => {
            let bits: Vec<String> = fields.enumerate().map(|(bit, field)| shifted(&field, bit)).collect();
            let sum = match &bits[..] {
                [] => "0".to_owned(),
                [one] => one.clone(),
                several => several.join("\n            | "),
            };
            writeln!(out, "        let letter_index: usize = {sum};")?;
            writeln!(out, "        self.state = TABLE[self.state as usize][letter_index];")?;
        }
        Transitions::Nodes { .. } => {
            let inputs = wrapped(fields, "            ");
            writeln!(out, "        let inputs = [\n{inputs}\n        ];")?;
            writeln!(out, "        let mut target = FIRST[self.state as usize] as usize;")?;
            writeln!(out, "        while target >= {} {{", parts.states())?;
            writeln!(out, "            let (input, low, high) = NODES[target - {}];", parts.states())?;
            writeln!(
                out,
                "            target = if inputs[input as usize] {{ high as usize }} else {{ low as usize }};"
            )?;
            writeln!(out, "        }}")?;
            writeln!(out, "        self.state = target as u{};", bits(parts.states()))?;
        }
    }
    writeln!(out, "        self.now()\n    }}")
}

/// An input as a number with its bit set at the right position.
fn shifted(field: &str, bit: usize) -> String {
    if bit == 0 { format!("{field} as usize") } else { format!("(({field} as usize) << {bit})") }
}

fn write_tables(parts: &MonitorParts, out: &mut String) -> fmt::Result {
    let states = parts.states();
    let verdicts = wrapped(parts.verdicts.iter().map(|verdict| verdict_name(*verdict).to_owned()), "    ");
    writeln!(out, "\nstatic VERDICTS: [Verdict; {states}] = [\n{verdicts}\n];\n")?;
    match &parts.transitions {
        Transitions::Table(rows) => {
            let (bits, letters) = (bits(states), rows[0].len());
            writeln!(out, "/// For each state and each letter the next state.")?;
            writeln!(out, "static TABLE: [[u{bits}; {letters}]; {states}] = [")?;
            for row in rows {
                let numbers = wrapped(row.iter().map(ToString::to_string), "     ");
                writeln!(out, "    [{}],", numbers.trim_start().trim_end_matches(','))?;
            }
            writeln!(out, "];")
        }
        Transitions::Nodes { first, nodes } => {
            let (bits, count) = (bits(states + nodes.len()), nodes.len());
            let first = wrapped(first.iter().map(ToString::to_string), "    ");
            writeln!(out, "/// Targets below {states} are states, the others nodes, counted from there.")?;
            writeln!(out, "static FIRST: [u{bits}; {states}] = [\n{first}\n];\n")?;
            let each = nodes.iter().map(|node| format!("({}, {}, {})", node.input, node.low, node.high));
            let (input_bits, each) = (super::bits(parts.inputs.len()), wrapped(each, "    "));
            writeln!(out, "/// An input, and the targets if it does not hold and if it does.")?;
            writeln!(out, "static NODES: [(u{input_bits}, u{bits}, u{bits}); {count}] = [\n{each}\n];")
        }
    }
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied => "Verdict::Satisfied",
        Verdict::Violated => "Verdict::Violated",
        Verdict::Holding => "Verdict::Holding",
        Verdict::Pending => "Verdict::Pending",
    }
}
