//! Monitors with deadlines in C99. The file is its own header.

use super::{Brackets, Kind, Part, Sense, TimedMonitor, Value, Words, write_choice};
use crate::identifier::snake_case;
use crate::monitor::{Input, is_reserved, plain};
use std::fmt::{self, Write};

/// The monitor as a C file; all that it declares begins with `name`, made an identifier.
pub fn monitor(monitor: &TimedMonitor, name: &str) -> String {
    let name = snake_case(name);
    let name = if is_reserved(&name) { format!("{name}_monitor") } else { name };
    let file = File { monitor, upper: name.to_ascii_uppercase(), name };
    let mut text = String::new();
    file.write(&mut text).expect("writing to a string cannot fail");
    text
}

struct File<'a> {
    monitor: &'a TimedMonitor,
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
        self.write_functions(out)?;
        writeln!(out, "\n#endif")
    }

    fn write_head(&self, out: &mut String) -> fmt::Result {
        let Self { monitor, name, upper } = self;
        let mut lines = vec![
            "A monitor of".to_owned(),
            String::new(),
            format!("    {}", plain(&monitor.formula)),
            String::new(),
            format!(
                "made by traceward {}. It is C99, needs no library and allocates nothing.",
                env!("CARGO_PKG_VERSION")
            ),
            String::new(),
        ];
        lines.extend(monitor.description());
        let fields: Vec<String> = monitor.inputs().iter().map(|input| format!(".{} = ...", input.name)).collect();
        lines.extend([
            String::new(),
            "Compile this file once as it is; wherever else it is needed, include it with".to_owned(),
            format!("{upper}_DECLARATIONS defined. For example:"),
            String::new(),
            format!("    struct {name} monitor;"),
            format!("    {name}_init(&monitor);"),
            "    while (...) {".to_owned(),
        ]);
        let letter = if fields.is_empty() { "" } else { ", letter" };
        if !fields.is_empty() {
            lines.push(format!("        struct {name}_letter letter = {{ {} }};", fields.join(", ")));
        }
        lines.extend([
            format!("        enum {name}_verdict verdict = {name}_step(&monitor{letter}, time);"),
            format!("        if (verdict == {upper}_VIOLATED) {{ ... }}"),
            "    }".to_owned(),
            format!("    if ({name}_advance(&monitor, time) == {upper}_VIOLATED) {{ ... }}"),
            format!("    if ({name}_end(&monitor) == {upper}_SATISFIED) {{ ... }}"),
        ]);
        lines.iter().try_for_each(|line| writeln!(out, "{}", format!("// {line}").trim_end()))
    }

    fn write_declarations(&self, out: &mut String) -> fmt::Result {
        let Self { monitor, name, upper } = self;
        writeln!(out, "enum {name}_verdict {{")?;
        writeln!(out, "    {upper}_SATISFIED, // however the trace goes on")?;
        writeln!(out, "    {upper}_VIOLATED,  // however the trace goes on")?;
        writeln!(out, "    {upper}_HOLDING,   // satisfied if the trace ends here")?;
        writeln!(out, "    {upper}_PENDING    // violated if the trace ends here")?;
        writeln!(out, "}};\n")?;
        let inputs = monitor.inputs();
        if !inputs.is_empty() {
            writeln!(out, "// The propositions that hold in a state.")?;
            writeln!(out, "struct {name}_letter {{")?;
            let field = |input: &Input| format!("    bool {}; // {}", input.name, plain(input.text));
            inputs.iter().try_for_each(|input| writeln!(out, "{}", field(input)))?;
            writeln!(out, "}};\n")?;
        }
        self.write_struct(out)?;
        writeln!(out, "// Begins a trace: there is no state yet.")?;
        writeln!(out, "void {name}_init(struct {name} *self);\n")?;
        writeln!(out, "// Takes the next state of the trace, and says what is certain after it.")?;
        writeln!(out, "enum {name}_verdict {};\n", self.step())?;
        writeln!(out, "// Takes notice that no later state has a timestamp below this, and says what is certain.")?;
        writeln!(out, "enum {name}_verdict {name}_advance(struct {name} *self, int64_t time);\n")?;
        writeln!(out, "// What is certain after what was seen so far.")?;
        writeln!(out, "enum {name}_verdict {name}_now(const struct {name} *self);\n")?;
        writeln!(out, "// The verdict if the trace ends here: satisfied or violated.")?;
        writeln!(out, "enum {name}_verdict {name}_end(const struct {name} *self);")
    }

    fn write_struct(&self, out: &mut String) -> fmt::Result {
        let Self { monitor, name, .. } = self;
        writeln!(out, "struct {name} {{\n    bool started;")?;
        if !monitor.kept.is_empty() {
            writeln!(out, "    bool before[{}];", monitor.kept.len())?;
        }
        if monitor.marks > 0 {
            writeln!(out, "    bool marked[{}];\n    int64_t marks[{}];", monitor.marks, monitor.marks)?;
        }
        let parts = monitor.parts.len();
        writeln!(out, "    uint8_t outcome[{parts}]; // 0 while it is open, 1 if it holds, 2 if it does not")?;
        writeln!(out, "    bool waiting[{parts}];\n    int64_t since[{parts}];\n}};\n")
    }

    fn step(&self) -> String {
        let name = &self.name;
        let letter =
            if self.monitor.inputs().is_empty() { String::new() } else { format!(", struct {name}_letter letter") };
        format!("{name}_step(struct {name} *self{letter}, int64_t time)")
    }

    fn write_functions(&self, out: &mut String) -> fmt::Result {
        let Self { monitor, name, upper } = self;
        writeln!(out, "void {name}_init(struct {name} *self)\n{{")?;
        writeln!(out, "    const struct {name} fresh = {{ 0 }};\n    *self = fresh;\n}}\n")?;
        if monitor.has_deadlines() {
            writeln!(out, "// Whether more than a number of nanoseconds has passed since then.")?;
            writeln!(out, "static bool {name}_is_late(int64_t since, int64_t time, uint64_t within)\n{{")?;
            // A time that has passed already may be told again.
            writeln!(out, "    return time > since && (uint64_t)time - (uint64_t)since > within;\n}}\n")?;
        }
        writeln!(out, "enum {name}_verdict {}\n{{", self.step())?;
        self.write_step(out)?;
        writeln!(out, "    return {name}_now(self);\n}}\n")?;
        writeln!(out, "enum {name}_verdict {name}_advance(struct {name} *self, int64_t time)\n{{")?;
        writeln!(out, "    (void)time;")?;
        for (part, within) in monitor.expiring() {
            writeln!(out, "    if (self->outcome[{part}] == 0 && {}) {{", self.late(part, within))?;
            writeln!(out, "        self->outcome[{part}] = 2;\n    }}")?;
        }
        writeln!(out, "    return {name}_now(self);\n}}\n")?;
        self.write_now(out)?;
        writeln!(out, "enum {name}_verdict {name}_end(const struct {name} *self)\n{{")?;
        writeln!(out, "    enum {name}_verdict verdict = {name}_now(self);")?;
        writeln!(out, "    bool holds = verdict == {upper}_SATISFIED || verdict == {upper}_HOLDING;")?;
        writeln!(out, "    return holds ? {upper}_SATISFIED : {upper}_VIOLATED;\n}}")
    }

    /// The condition that a part has waited too long.
    fn late(&self, part: usize, within: u64) -> String {
        let name = &self.name;
        format!("self->waiting[{part}] && {name}_is_late(self->since[{part}], time, UINT64_C({within}))")
    }

    fn write_step(&self, out: &mut String) -> fmt::Result {
        let monitor = self.monitor;
        writeln!(out, "    (void)time;")?;
        if !monitor.inputs().is_empty() {
            writeln!(out, "    (void)letter;")?;
        }
        for (index, value) in monitor.named() {
            self.write_value(index, value, out)?;
        }
        for (kept, &value) in monitor.kept.iter().enumerate() {
            writeln!(out, "    self->before[{kept}] = {};", monitor.text_of(value))?;
        }
        for (index, part) in monitor.parts.iter().enumerate() {
            self.write_part(index, part, out)?;
        }
        writeln!(out, "    self->started = true;")
    }

    fn write_value(&self, index: usize, value: Value, out: &mut String) -> fmt::Result {
        let Self { monitor, name, .. } = self;
        let text = |value| monitor.text_of(value);
        match value {
            Value::And(one, other) => writeln!(out, "    const bool n{index} = {} && {};", text(one), text(other)),
            Value::Or(one, other) => writeln!(out, "    const bool n{index} = {} || {};", text(one), text(other)),
            Value::Before { kept, at_first } => {
                writeln!(out, "    const bool n{index} = self->started ? self->before[{kept}] : {at_first};")
            }
            Value::Lately { of, mark, within } => {
                writeln!(out, "    if ({}) {{", text(of))?;
                writeln!(out, "        self->marked[{mark}] = true;\n        self->marks[{mark}] = time;\n    }}")?;
                let late = format!("{name}_is_late(self->marks[{mark}], time, UINT64_C({within}))");
                writeln!(out, "    const bool n{index} = self->marked[{mark}] && !{late};")
            }
            Value::LongAgo { of, mark, from } => {
                writeln!(out, "    if ({} && !self->marked[{mark}]) {{", text(of))?;
                writeln!(out, "        self->marked[{mark}] = true;\n        self->marks[{mark}] = time;\n    }}")?;
                let late = format!("{name}_is_late(self->marks[{mark}], time, UINT64_C({}))", from - 1);
                writeln!(out, "    const bool n{index} = self->marked[{mark}] && {late};")
            }
            Value::Constant(_) | Value::Input(_) | Value::Not(_) => Ok(()),
        }
    }

    fn write_part(&self, index: usize, part: &Part, out: &mut String) -> fmt::Result {
        let (waiting, outcome) = (format!("self->waiting[{index}]"), format!("self->outcome[{index}]"));
        writeln!(out, "    if ({outcome} == 0) {{")?;
        let words = Words {
            is_free: format!("!{waiting}"),
            late: part.within.map(|within| self.late(index, within)),
            fails: format!("{outcome} = 2;"),
            holds: format!("{outcome} = 1;"),
            clears: format!("{waiting} = false;"),
            waits: format!("{waiting} = true;\nself->since[{index}] = time;"),
            waiting,
        };
        for choice in self.monitor.choices(part, words) {
            write_choice(out, "        ", Brackets("(", ")"), &choice)?;
        }
        writeln!(out, "    }}")
    }

    fn write_now(&self, out: &mut String) -> fmt::Result {
        let Self { monitor, name, upper } = self;
        let on_empty = if monitor.holds_on_empty { "HOLDING" } else { "PENDING" };
        writeln!(out, "enum {name}_verdict {name}_now(const struct {name} *self)\n{{")?;
        for (index, part) in monitor.parts.iter().enumerate() {
            let (holds, fails) = match part.sense {
                Sense::Asked => (1, 2),
                Sense::Negated => (2, 1),
            };
            writeln!(out, "    const bool t{index} = self->outcome[{index}] == {holds};")?;
            writeln!(out, "    const bool f{index} = self->outcome[{index}] == {fails};")?;
            let open = match (part.kind, part.sense) {
                (Kind::Response { .. }, Sense::Asked) => format!("!self->waiting[{index}]"),
                (Kind::Response { .. }, Sense::Negated) => format!("self->waiting[{index}]"),
                (Kind::Binding { .. }, sense) => (sense == Sense::Asked).to_string(),
                (Kind::Once, sense) => (sense == Sense::Negated).to_string(),
            };
            writeln!(out, "    const bool h{index} = t{index} || (!f{index} && {open});")?;
        }
        let [holds, fails, at_end] = monitor.conditions();
        writeln!(out, "    if (!self->started) {{\n        return {upper}_{on_empty};\n    }}")?;
        writeln!(out, "    if ({holds}) {{\n        return {upper}_SATISFIED;\n    }}")?;
        writeln!(out, "    if ({fails}) {{\n        return {upper}_VIOLATED;\n    }}")?;
        writeln!(out, "    return {} ? {upper}_HOLDING : {upper}_PENDING;\n}}\n", bracketed(&at_end))
    }
}

/// A condition before `?`.
fn bracketed(condition: &str) -> String {
    if condition.contains(' ') { format!("({condition})") } else { condition.to_owned() }
}
