//! Monitors in C99. The file is its own header.

use super::{Input, MonitorParts, Transitions, bits, is_reserved, plain, wrapped};
use crate::identifier::snake_case;
use crate::labelled::Labelled;
use std::fmt::{self, Write};
use traceward_logic::verdict::Verdict;

/// The automaton as a C file; all that it declares begins with `name`, made an identifier.
pub fn monitor(automaton: &Labelled, name: &str) -> String {
    let name = snake_case(name);
    let name = if is_reserved(&name) { format!("{name}_monitor") } else { name };
    let file = File { parts: MonitorParts::new(automaton), upper: name.to_ascii_uppercase(), name };
    let mut text = String::new();
    file.write(&mut text).expect("writing to a string cannot fail");
    text
}

struct File<'a> {
    parts: MonitorParts<'a>,
    name: String,
    upper: String,
}

impl File<'_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        let Self { upper, .. } = self;
        self.write_head(out)?;
        writeln!(out, "\n#ifndef {upper}_H\n#define {upper}_H\n")?;
        writeln!(out, "#include <stdbool.h>\n#include <stdint.h>\n")?;
        self.write_declarations(out)?;
        writeln!(out, "\n#endif\n\n#ifndef {upper}_DECLARATIONS\n")?;
        self.write_tables(out)?;
        self.write_functions(out)?;
        writeln!(out, "\n#endif")
    }

    fn write_head(&self, out: &mut String) -> fmt::Result {
        let Self { parts, name, upper } = self;
        let version = env!("CARGO_PKG_VERSION");
        let mut lines = vec![
            "A monitor of".to_owned(),
            String::new(),
            format!("    {}", plain(parts.labelled.formula())),
            String::new(),
            format!("made by traceward {version}. It is C99, needs no library and allocates nothing."),
            String::new(),
        ];
        lines.extend(parts.description());
        let fields: Vec<String> = parts.inputs.iter().map(|input| format!(".{} = ...", input.name)).collect();
        lines.extend([
            String::new(),
            "Compile this file once as it is; wherever else it is needed, include it with".to_owned(),
            format!("{upper}_DECLARATIONS defined. For example:"),
            String::new(),
            format!("    struct {name} monitor;"),
            format!("    {name}_init(&monitor);"),
            "    while (...) {".to_owned(),
        ]);
        if fields.is_empty() {
            lines.push(format!("        enum {name}_verdict verdict = {name}_step(&monitor);"));
        } else {
            lines.push(format!("        struct {name}_letter letter = {{ {} }};", fields.join(", ")));
            lines.push(format!("        enum {name}_verdict verdict = {name}_step(&monitor, letter);"));
        }
        lines.extend([
            format!("        if (verdict == {upper}_VIOLATED) {{ ... }}"),
            "    }".to_owned(),
            format!("    if ({name}_end(&monitor) == {upper}_SATISFIED) {{ ... }}"),
        ]);
        lines.iter().try_for_each(|line| writeln!(out, "{}", format!("// {line}").trim_end()))
    }

    fn write_declarations(&self, out: &mut String) -> fmt::Result {
        let Self { parts, name, upper } = self;
        writeln!(out, "enum {name}_verdict {{")?;
        writeln!(out, "    {upper}_SATISFIED, // however the trace goes on")?;
        writeln!(out, "    {upper}_VIOLATED,  // however the trace goes on")?;
        writeln!(out, "    {upper}_HOLDING,   // satisfied if the trace ends here")?;
        writeln!(out, "    {upper}_PENDING    // violated if the trace ends here")?;
        writeln!(out, "}};\n")?;
        if !parts.inputs.is_empty() {
            writeln!(out, "// The propositions that hold in a state.")?;
            writeln!(out, "struct {name}_letter {{")?;
            let field = |input: &Input| format!("    bool {}; // {}", input.name, plain(input.text));
            parts.inputs.iter().try_for_each(|input| writeln!(out, "{}", field(input)))?;
            writeln!(out, "}};\n")?;
        }
        writeln!(out, "struct {name} {{\n    uint{}_t state;\n}};\n", bits(parts.states()))?;
        writeln!(out, "// Begins a trace: there is no state yet.")?;
        writeln!(out, "void {name}_init(struct {name} *self);\n")?;
        writeln!(out, "// Takes the next state of the trace, and says what is certain after it.")?;
        writeln!(out, "enum {name}_verdict {};\n", self.step())?;
        writeln!(out, "// What is certain after what was seen so far.")?;
        writeln!(out, "enum {name}_verdict {name}_now(const struct {name} *self);\n")?;
        writeln!(out, "// The verdict if the trace ends here: satisfied or violated.")?;
        writeln!(out, "enum {name}_verdict {name}_end(const struct {name} *self);")
    }

    fn step(&self) -> String {
        let Self { parts, name, .. } = self;
        let letter = if parts.inputs.is_empty() { String::new() } else { format!(", struct {name}_letter letter") };
        format!("{name}_step(struct {name} *self{letter})")
    }

    fn write_tables(&self, out: &mut String) -> fmt::Result {
        let Self { parts, name, .. } = self;
        let states = parts.states();
        let verdicts = parts.verdicts.iter().map(|verdict| verdict_number(*verdict).to_string());
        writeln!(out, "static const uint8_t {name}_verdicts[{states}] = {{\n{}\n}};\n", wrapped(verdicts, "    "))?;
        match &parts.transitions {
            Transitions::Table(rows) => {
                let (bits, letters) = (bits(states), rows[0].len());
                writeln!(out, "// For each state and each letter the next state.")?;
                writeln!(out, "static const uint{bits}_t {name}_table[{states}][{letters}] = {{")?;
                for row in rows {
                    let numbers = wrapped(row.iter().map(ToString::to_string), "     ");
                    writeln!(out, "    {{{}}},", numbers.trim_start().trim_end_matches(','))?;
                }
                writeln!(out, "}};\n")
            }
            Transitions::Nodes { first, nodes } => {
                let bits = bits(states + nodes.len());
                writeln!(out, "// Targets below {states} are states, the others nodes, counted from there.")?;
                let input_bits = super::bits(parts.inputs.len());
                writeln!(
                    out,
                    "struct {name}_node {{\n    uint{input_bits}_t input;\n    uint{bits}_t low, high;\n}};\n"
                )?;
                let first = wrapped(first.iter().map(ToString::to_string), "    ");
                writeln!(out, "static const uint{bits}_t {name}_first[{states}] = {{\n{first}\n}};\n")?;
                let each = nodes.iter().map(|node| format!("{{{}, {}, {}}}", node.input, node.low, node.high));
                let (count, each) = (nodes.len(), wrapped(each, "    "));
                writeln!(out, "static const struct {name}_node {name}_nodes[{count}] = {{\n{each}\n}};\n")
            }
        }
    }

    fn write_functions(&self, out: &mut String) -> fmt::Result {
        let Self { name, upper, .. } = self;
        writeln!(out, "void {name}_init(struct {name} *self)\n{{\n    self->state = 0;\n}}\n")?;
        writeln!(out, "enum {name}_verdict {}\n{{", self.step())?;
        self.write_step(out)?;
        writeln!(out, "    return {name}_now(self);\n}}\n")?;
        writeln!(out, "enum {name}_verdict {name}_now(const struct {name} *self)\n{{")?;
        writeln!(out, "    return (enum {name}_verdict){name}_verdicts[self->state];\n}}\n")?;
        writeln!(out, "enum {name}_verdict {name}_end(const struct {name} *self)\n{{")?;
        writeln!(out, "    enum {name}_verdict verdict = {name}_now(self);")?;
        writeln!(out, "    bool holds = verdict == {upper}_SATISFIED || verdict == {upper}_HOLDING;")?;
        writeln!(out, "    return holds ? {upper}_SATISFIED : {upper}_VIOLATED;\n}}")
    }

    fn write_step(&self, out: &mut String) -> fmt::Result {
        let Self { parts, name, .. } = self;
        match &parts.transitions {
            Transitions::Table(_) => {
                writeln!(out, "    uint32_t letter_index = 0;")?;
                for (bit, input) in parts.inputs.iter().enumerate() {
                    writeln!(out, "    letter_index |= (uint32_t)letter.{} << {bit};", input.name)?;
                }
                writeln!(out, "    self->state = {name}_table[self->state][letter_index];")
            }
            Transitions::Nodes { .. } => {
                let inputs = wrapped(parts.inputs.iter().map(|input| format!("letter.{}", input.name)), "        ");
                writeln!(out, "    const bool inputs[{}] = {{\n{inputs}\n    }};", parts.inputs.len())?;
                writeln!(out, "    uint32_t target = {name}_first[self->state];")?;
                writeln!(out, "    while (target >= {}) {{", parts.states())?;
                writeln!(out, "        const struct {name}_node *node = &{name}_nodes[target - {}];", parts.states())?;
                writeln!(out, "        target = inputs[node->input] ? node->high : node->low;\n    }}")?;
                writeln!(out, "    self->state = (uint{}_t)target;", bits(parts.states()))
            }
        }
    }
}

/// The number of a verdict in the enumeration.
fn verdict_number(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Satisfied => 0,
        Verdict::Violated => 1,
        Verdict::Holding => 2,
        Verdict::Pending => 3,
    }
}
