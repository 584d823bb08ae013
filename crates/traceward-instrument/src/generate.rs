//! The files beside the program's own: what is watched, and the predicates.

use crate::declare::Storage;
use crate::predicate::{FIRST, Predicates};
use crate::program::Program;
use crate::rewrite::Ways;
use crate::source::{FileId, Source};
use crate::states::States;
use crate::watch::{Kind, Watch};
use std::fmt::Write;

/// The name of the file with declarations, which the program's files include.
pub(crate) const WATCH_HEADER: &str = "traceward_watch.h";
/// The name of the file with definitions, which is one more file of the program.
pub(crate) const WATCH_SOURCE: &str = "traceward_watch.c";
/// The name of the runtime's file.
pub(crate) const RUNTIME_HEADER: &str = "traceward_runtime.h";
/// The runtime.
pub(crate) const RUNTIME: &str = include_str!("../runtime/traceward_runtime.h");

/// The name of the file that links a monitor in.
pub(crate) const IN_PROCESS_HEADER: &str = "traceward_in_process.h";
/// What links a monitor in.
pub(crate) const IN_PROCESS: &str = include_str!("../runtime/traceward_in_process.h");

/// All that is written down.
pub(crate) struct Generator<'a> {
    pub(crate) program: &'a Program<'a>,
    pub(crate) predicates: &'a Predicates,
    pub(crate) states: States,
    pub(crate) ways: Ways,
    /// The comment with the spec.
    pub(crate) comment: &'a str,
    /// The text of the spec, and its number.
    pub(crate) spec_text: &'a str,
    pub(crate) spec: String,
}

impl Generator<'_> {
    /// What the program's files include.
    pub(crate) fn header(&self) -> String {
        let watches = &self.program.watches;
        let mut text = format!(
            "/* What traceward watches in this program. Made for it: do not edit. */\n\
             #ifndef TRACEWARD_WATCH_H\n#define TRACEWARD_WATCH_H\n\
             #define TRACEWARD_SLOTS {}u\n#define TRACEWARD_PREDICATES {}u\n#define TRACEWARD_EVERY_WRITE {}\n\
             #define TRACEWARD_SPEC \"{}\"\n",
            watches.len(),
            self.predicates.list.len() + FIRST,
            i32::from(self.states == States::EveryWrite),
            self.spec,
        );
        if self.ways.threads {
            text += "#define TRACEWARD_THREADS\n";
        }
        text += &format!("#include \"{RUNTIME_HEADER}\"\n");
        for (slot, watch) in watches.iter().enumerate() {
            self.slot_macros(&mut text, slot, watch);
        }
        for file in self.homes() {
            append(&mut text, format_args!("void traceward_initial_{}(void);\n", file.index()));
        }
        text + "#endif\n"
    }

    fn slot_macros(&self, text: &mut String, slot: usize, watch: &Watch) {
        append(text, format_args!("/* {} */\n", safe(&watch.name)));
        for (how, cause) in [("", "TRACEWARD_WRITTEN"), ("SEE_", "TRACEWARD_SEEN")] {
            let code = call(slot, watch.kind, "value", "TRACEWARD_AT(line, function)", cause);
            append(text, format_args!("#define TRACEWARD_{how}{slot}(value, line, function) {code}\n"));
        }
        if self.is_reached_by_pointers(slot, watch) {
            let parameters = "const volatile void *place, const char *at";
            append(text, format_args!("void traceward_through_{slot}({parameters});\n"));
        }
        if self.program.seated.contains(&slot) {
            append(text, format_args!("void traceward_unsettle_{slot}(void *unused);\n"));
        }
    }

    fn is_reached_by_pointers(&self, slot: usize, watch: &Watch) -> bool {
        self.program.escapes.contains(&slot) && self.program.is_permanent(watch) && self.program.home(watch).is_some()
    }

    /// The files that have first values to tell.
    fn homes(&self) -> Vec<FileId> {
        let mut homes: Vec<FileId> = self.with_first_value().map(|(file, _)| file).collect();
        homes.sort_unstable();
        homes.dedup();
        homes
    }

    /// The slots with a value before the program runs: the file and the code that tells it. Of a
    /// static local it tells that of another one with the same declaration.
    fn with_first_value(&self) -> impl Iterator<Item = (FileId, String)> {
        self.program.slots().filter_map(|(slot, watch)| {
            let object = self.program.declarations.object(watch.object);
            let told = |value: String| format!(" TRACEWARD_SEE_{slot}({value}, 0, start);");
            let code = match object.storage {
                Storage::Global | Storage::FileStatic | Storage::Enumerator => {
                    told(watch.read(self.program.declarations))
                }
                Storage::LocalStatic => {
                    let twin = format!("traceward_twin_{slot}");
                    let declaration = object.declared.as_ref()?.of(&twin);
                    format!("\n{{ {declaration};{} }}", told(watch.part_of(&twin)))
                }
                _ => return None,
            };
            Some((self.program.home(watch)?, code))
        })
    }

    /// The beginning of one of the program's files.
    pub(crate) fn prologue(&self, source: &Source) -> String {
        let name = escaped(&source.name);
        format!(
            "{}#include \"{WATCH_HEADER}\"\n#undef TRACEWARD_FILE\n#define TRACEWARD_FILE \"{}\"\n#line 1 \"{name}\"\n",
            self.comment,
            escaped(&escaped(&source.name)),
        )
    }

    /// A copy of a header. The files that include it have said what is watched, and the name of the
    /// file is theirs again behind it.
    pub(crate) fn header_copy(&self, source: &Source, body: &str) -> String {
        let (name, quoted) = (escaped(&source.name), escaped(&escaped(&source.name)));
        let end = if body.ends_with('\n') { "" } else { "\n" };
        format!(
            "{}#pragma push_macro(\"TRACEWARD_FILE\")\n#undef TRACEWARD_FILE\n#define TRACEWARD_FILE \"{quoted}\"\n\
             #line 1 \"{name}\"\n{body}{end}#pragma pop_macro(\"TRACEWARD_FILE\")\n",
            self.comment,
        )
    }

    /// The end of one of the program's files: what others need of it.
    pub(crate) fn epilogue(&self, source: &Source) -> String {
        let mut text = String::new();
        let first = self.with_first_value().filter(|(file, _)| *file == source.id);
        let told: String = first.map(|(_, code)| code).collect();
        if !told.is_empty() {
            append(&mut text, format_args!("void traceward_initial_{}(void) {{{told} }}\n", source.id.index()));
        }
        for (slot, watch) in self.program.slots() {
            if self.program.home(watch) == Some(source.id) && self.is_reached_by_pointers(slot, watch) {
                self.through(&mut text, slot, watch);
            }
        }
        let is_ended = source.text.ends_with('\n');
        if text.is_empty() { text } else { format!("{}{text}", if is_ended { "" } else { "\n" }) }
    }

    /// What is done after a write through a pointer: it is one to this variable, or is not.
    fn through(&self, text: &mut String, slot: usize, watch: &Watch) {
        let read = watch.read(self.program.declarations);
        // A bit-field has no address, and is only looked at.
        let is_place =
            if self.program.is_bit_field(watch) { "0".to_owned() } else { format!("traceward_place == &({read})") };
        let cause = format!("{is_place} ? TRACEWARD_WRITTEN : TRACEWARD_SEEN");
        let code = call(slot, watch.kind, &read, "traceward_at", &cause);
        append(
            text,
            format_args!(
                "void traceward_through_{slot}(const volatile void *traceward_place, const char *traceward_at) \
                 {{ (void)traceward_place; {code}; }}\n"
            ),
        );
    }

    /// The file with definitions.
    pub(crate) fn definitions(&self, program_name: &str) -> String {
        let watches = &self.program.watches;
        let list = |items: Vec<String>| if items.is_empty() { "0".to_owned() } else { items.join(", ") };
        let names = list(watches.iter().map(|watch| format!("\"{}\"", escaped(&json_key(&watch.name)))).collect());
        let lengths = list(watches.iter().map(|watch| json_key(&watch.name).len().to_string()).collect());
        let by_value = (0..watches.len()).map(|slot| self.predicates.by_value.get(slot).is_some_and(|one| *one));
        let by_value = list(by_value.map(|one| i32::from(one).to_string()).collect());
        let number = |(index, predicate): (usize, &crate::predicate::Predicate)| match predicate.c {
            Some(_) => format!("\"\\\"#{}\\\":\"", index + FIRST),
            None => "0".to_owned(),
        };
        let predicates = ["0".to_owned(), "0".to_owned()].into_iter();
        let predicates = list(predicates.chain(self.predicates.list.iter().enumerate().map(number)).collect());
        format!(
            "{comment}#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include \"{WATCH_HEADER}\"\n\n\
             struct traceward_slot traceward_slots[TRACEWARD_SLOTS + 1];\n\
             struct traceward_seat traceward_seats[TRACEWARD_SLOTS + 1];\n\
             static const char *const traceward_names[] = {{ {names} }};\n\
             static const unsigned short traceward_name_lengths[] = {{ {lengths} }};\n\
             static const char traceward_program[] = \"{name}\";\n\
             static const unsigned char traceward_by_value[] = {{ {by_value} }};\n\
             static const char *const traceward_predicate_names[] = {{ {predicates} }};\n\
             static unsigned char traceward_truth[TRACEWARD_PREDICATES] = {{ 0, 1 }};\n\
             #ifdef TRACEWARD_IN_PROCESS\nstatic const char traceward_spec_text[] = \"{spec}\";\n#endif\n\
             static void traceward_look(unsigned slot);\n\
             static void traceward_globals(void);\n\n\
             #define TRACEWARD_IMPLEMENTATION\n#include \"{RUNTIME_HEADER}\"\n\n{look}\n{globals}{unsettle}",
            comment = self.comment,
            spec = literal(self.spec_text),
            name = escaped(&escaped(program_name)),
            look = self.look(),
            globals = self.globals(),
            unsettle = self.unsettle(),
        )
    }

    /// The functions that run when the blocks of local variables end. They have the slot in them: a
    /// variable could hold it only where control has come by its declaration.
    fn unsettle(&self) -> String {
        let mut slots: Vec<&usize> = self.program.seated.iter().collect();
        slots.sort_unstable();
        let body = |slot: &usize| format!("{{\n    (void)unused;\n    traceward_unsettle({slot}u);\n}}\n");
        let function = |slot: &usize| format!("\nvoid traceward_unsettle_{slot}(void *unused)\n{}", body(slot));
        slots.into_iter().map(function).collect()
    }

    /// The function that looks anew at the predicates of a slot.
    fn look(&self) -> String {
        let mut text = String::from(
            "#define HAS(slot) (traceward_slots[slot].kind != TRACEWARD_MISSING)\n\
             #define VALUE(slot) (traceward_slots[slot].value)\n\n\
             static void traceward_look(unsigned slot)\n{\n    switch (slot) {\n",
        );
        for slot in 0..self.program.watches.len() {
            let speaks = |index: &usize| {
                let predicate = &self.predicates.list[*index];
                predicate.c.is_some() && predicate.slots.contains(&slot)
            };
            let of_slot: Vec<usize> = (0..self.predicates.list.len()).filter(speaks).collect();
            if of_slot.is_empty() {
                continue;
            }
            append(&mut text, format_args!("    case {slot}:\n"));
            for index in of_slot {
                let number = index + FIRST;
                let c = self.predicates.list[index].c.as_deref().unwrap_or("0");
                append(
                    &mut text,
                    format_args!(
                        "        if (traceward_truth[{number}] != {c})\n            traceward_differs({number});\n"
                    ),
                );
            }
            text += "        break;\n";
        }
        text + "    default:\n        break;\n    }\n}\n"
    }

    fn globals(&self) -> String {
        let calls: String =
            self.homes().iter().map(|file| format!("    traceward_initial_{}();\n", file.index())).collect();
        format!("static void traceward_globals(void)\n{{\n{calls}}}\n")
    }
}

/// The code that takes a value into a slot.
fn call(slot: usize, kind: Kind, value: &str, at: &str, cause: &str) -> String {
    let (function, value) = match kind {
        Kind::Int(..) => ("traceward_int", format!("(long long)({value})")),
        Kind::Unsigned => ("traceward_unsigned", format!("(unsigned long long)({value})")),
        Kind::Double => ("traceward_double", format!("(double)({value})")),
        Kind::Bool => ("traceward_bool", format!("({value}) ? 1 : 0")),
        Kind::Pointer => ("traceward_unsigned", format!("(unsigned long long)(__UINTPTR_TYPE__)({value})")),
        Kind::TextArray => ("traceward_take_text", format!("({value}), sizeof({value})")),
        Kind::TextPointer => ("traceward_take_text", format!("({value}), 0")),
        Kind::Any => ("TRACEWARD_ANY", format!("({value})")),
    };
    format!("{function}({slot}u, {value}, {at}, {cause})")
}

fn append(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = text.write_fmt(what);
}

/// A text inside a string literal of C or of JSON.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|letter| match letter {
            '"' | '\\' => vec!['\\', letter],
            letter if letter.is_control() => vec!['?'],
            letter => vec![letter],
        })
        .collect()
}

/// A text of several lines inside a string literal of C.
fn literal(text: &str) -> String {
    text.lines().map(escaped).collect::<Vec<_>>().join("\\n\"\n    \"")
}

/// A name as the key of a JSON object.
fn json_key(name: &str) -> String {
    format!("\"{}\":", escaped(name))
}

/// A name inside a comment.
fn safe(name: &str) -> String {
    name.replace("*/", "* /").replace("/*", "/ *")
}
