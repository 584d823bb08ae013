//! Monitors with deadlines in Rust, without `std`. The file is a module, or a crate of its own.

use super::{Brackets, Kind, Part, Sense, TimedMonitor, Value, Words, write_choice};
use crate::monitor::rust::{VERDICT, fenced};
use crate::monitor::{Input, plain};
use std::fmt::{self, Write};

/// The monitor as a Rust file.
pub fn monitor(monitor: &TimedMonitor) -> String {
    let mut text = String::new();
    File { monitor }.write(&mut text).expect("writing to a string cannot fail");
    text
}

struct File<'a> {
    monitor: &'a TimedMonitor,
}

const ENDING: &str = "
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

const IS_LATE: &str = "
/// Whether more than a number of nanoseconds has passed since then.
fn is_late(since: i64, time: i64, within: u64) -> bool {
    time > since && time.wrapping_sub(since) as u64 > within
}
";

impl File<'_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        self.write_head(out)?;
        out.push_str(VERDICT);
        let inputs = self.monitor.inputs();
        if !inputs.is_empty() {
            writeln!(out, "\n/// The propositions that hold in a state.")?;
            writeln!(out, "#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]\npub struct Letter {{")?;
            for Input { name, text, .. } in &inputs {
                writeln!(out, "    /// `{}`\n    pub {name}: bool,", plain(text))?;
            }
            writeln!(out, "}}")?;
        }
        self.write_struct(out)?;
        self.write_step(out)?;
        self.write_advance(out)?;
        self.write_now(out)?;
        out.push_str(ENDING);
        if self.monitor.has_deadlines() {
            out.push_str(IS_LATE);
        }
        Ok(())
    }

    fn write_head(&self, out: &mut String) -> fmt::Result {
        let version = env!("CARGO_PKG_VERSION");
        let mut lines = vec![
            "A monitor of".to_owned(),
            String::new(),
            "```text".to_owned(),
            plain(&self.monitor.formula),
            "```".to_owned(),
            String::new(),
            format!("made by traceward {version}. It needs no crate, not even `std`, and allocates nothing."),
            String::new(),
        ];
        lines.extend(fenced(&self.monitor.description()));
        let fields: Vec<String> = self.monitor.inputs().iter().map(|input| format!("{}: …", input.name)).collect();
        let letter = if fields.is_empty() { String::new() } else { format!("Letter {{ {} }}, ", fields.join(", ")) };
        lines.extend([
            String::new(),
            "For example:".to_owned(),
            String::new(),
            "```text".to_owned(),
            "let mut monitor = Monitor::new();".to_owned(),
            "for … {".to_owned(),
            format!("    let verdict = monitor.step({letter}time);"),
            "    if verdict == Verdict::Violated { … }".to_owned(),
            "}".to_owned(),
            "if monitor.advance(time) == Verdict::Violated { … }".to_owned(),
            "if monitor.end() == Verdict::Satisfied { … }".to_owned(),
            "```".to_owned(),
        ]);
        lines.iter().try_for_each(|line| writeln!(out, "{}", format!("//! {line}").trim_end()))
    }

    fn write_struct(&self, out: &mut String) -> fmt::Result {
        let TimedMonitor { kept, marks, parts, .. } = self.monitor;
        let fields = [
            ("before", "bool", "false", kept.len()),
            ("marks", "Option<i64>", "None", *marks),
            ("outcome", "Option<bool>", "None", parts.len()),
            ("since", "Option<i64>", "None", parts.len()),
        ];
        let fields: Vec<_> = fields.into_iter().filter(|(_, _, _, count)| *count > 0).collect();
        writeln!(out, "\n/// Follows a trace.\n#[derive(Clone, Copy, PartialEq, Eq, Debug)]")?;
        writeln!(out, "pub struct Monitor {{\n    started: bool,")?;
        fields.iter().try_for_each(|(name, of, _, count)| writeln!(out, "    {name}: [{of}; {count}],"))?;
        writeln!(out, "}}\n\nimpl Monitor {{\n    /// Begins a trace: there is no state yet.")?;
        writeln!(out, "    pub const fn new() -> Self {{\n        Self {{\n            started: false,")?;
        fields
            .iter()
            .try_for_each(|(name, _, value, count)| writeln!(out, "            {name}: [{value}; {count}],"))?;
        writeln!(out, "        }}\n    }}\n")
    }

    fn write_step(&self, out: &mut String) -> fmt::Result {
        let monitor = self.monitor;
        let has_letter = !monitor.inputs().is_empty();
        writeln!(
            out,
            "    /// Takes the next state of the trace and its timestamp, and says what is certain after it."
        )?;
        let letter = if has_letter { ", letter: Letter" } else { "" };
        writeln!(out, "    pub fn step(&mut self{letter}, time: i64) -> Verdict {{")?;
        // What is always true or false may leave no use for them.
        writeln!(out, "        let _ = {};", if has_letter { "(letter, time)" } else { "time" })?;
        for (index, value) in monitor.named() {
            self.write_value(index, value, out)?;
        }
        for (kept, &value) in monitor.kept.iter().enumerate() {
            writeln!(out, "        self.before[{kept}] = {};", monitor.text_of(value))?;
        }
        for (index, part) in monitor.parts.iter().enumerate() {
            self.write_part(index, part, out)?;
        }
        writeln!(out, "        self.started = true;\n        self.now()\n    }}\n")
    }

    fn write_value(&self, index: usize, value: Value, out: &mut String) -> fmt::Result {
        let text = |value| self.monitor.text_of(value);
        match value {
            Value::And(one, other) => writeln!(out, "        let n{index} = {} && {};", text(one), text(other)),
            Value::Or(one, other) => writeln!(out, "        let n{index} = {} || {};", text(one), text(other)),
            Value::Before { kept, at_first } => {
                let before = format!("self.before[{kept}]");
                writeln!(out, "        let n{index} = if self.started {{ {before} }} else {{ {at_first} }};")
            }
            Value::Lately { of, mark, within } => {
                writeln!(out, "        if {} {{\n            self.marks[{mark}] = Some(time);\n        }}", text(of))?;
                let found = format!("self.marks[{mark}].is_some_and(|since| !is_late(since, time, {within}))");
                writeln!(out, "        let n{index} = {found};")
            }
            Value::LongAgo { of, mark, from } => {
                writeln!(out, "        if {} && self.marks[{mark}].is_none() {{", text(of))?;
                writeln!(out, "            self.marks[{mark}] = Some(time);\n        }}")?;
                let found = format!("self.marks[{mark}].is_some_and(|since| is_late(since, time, {}))", from - 1);
                writeln!(out, "        let n{index} = {found};")
            }
            Value::Constant(_) | Value::Input(_) | Value::Not(_) => Ok(()),
        }
    }

    fn write_part(&self, index: usize, part: &Part, out: &mut String) -> fmt::Result {
        let (since, outcome) = (format!("self.since[{index}]"), format!("self.outcome[{index}]"));
        writeln!(out, "        if {outcome}.is_none() {{")?;
        let words = Words {
            waiting: format!("{since}.is_some()"),
            is_free: format!("{since}.is_none()"),
            late: part.within.map(|within| late(index, within)),
            fails: format!("{outcome} = Some(false);"),
            holds: format!("{outcome} = Some(true);"),
            clears: format!("{since} = None;"),
            waits: format!("{since} = Some(time);"),
        };
        for choice in self.monitor.choices(part, words) {
            write_choice(out, "            ", Brackets("", ""), &choice)?;
        }
        writeln!(out, "        }}")
    }

    fn write_advance(&self, out: &mut String) -> fmt::Result {
        writeln!(
            out,
            "    /// Takes notice that no later state has a timestamp below this, and says what is certain."
        )?;
        writeln!(out, "    pub fn advance(&mut self, time: i64) -> Verdict {{\n        let _ = time;")?;
        for (part, within) in self.monitor.expiring() {
            writeln!(out, "        if self.outcome[{part}].is_none() && {} {{", late(part, within))?;
            writeln!(out, "            self.outcome[{part}] = Some(false);\n        }}")?;
        }
        writeln!(out, "        self.now()\n    }}\n")
    }

    fn write_now(&self, out: &mut String) -> fmt::Result {
        let on_empty = if self.monitor.holds_on_empty { "Holding" } else { "Pending" };
        writeln!(out, "    /// What is certain after what was seen so far.\n    pub fn now(&self) -> Verdict {{")?;
        for (index, part) in self.monitor.parts.iter().enumerate() {
            let is_asked = part.sense == Sense::Asked;
            writeln!(out, "        let t{index} = self.outcome[{index}] == Some({is_asked});")?;
            writeln!(out, "        let f{index} = self.outcome[{index}] == Some({});", !is_asked)?;
            let open = match part.kind {
                Kind::Response { .. } if is_asked => format!("self.since[{index}].is_none()"),
                Kind::Response { .. } => format!("self.since[{index}].is_some()"),
                Kind::Binding { .. } => is_asked.to_string(),
                Kind::Once => (!is_asked).to_string(),
            };
            writeln!(out, "        let h{index} = t{index} || (!f{index} && {open});")?;
        }
        let [holds, fails, at_end] = self.monitor.conditions();
        writeln!(out, "        if !self.started {{\n            Verdict::{on_empty}")?;
        writeln!(out, "        }} else if {holds} {{\n            Verdict::Satisfied")?;
        writeln!(out, "        }} else if {fails} {{\n            Verdict::Violated")?;
        writeln!(out, "        }} else if {at_end} {{\n            Verdict::Holding")?;
        writeln!(out, "        }} else {{\n            Verdict::Pending\n        }}\n    }}")
    }
}

/// The condition that a part has waited too long.
fn late(part: usize, within: u64) -> String {
    format!("self.since[{part}].is_some_and(|since| is_late(since, time, {within}))")
}
