//! What is known of a program and a spec together, before anything is rewritten.

use crate::ctype::CType;
use crate::declare::{Declarations, Storage};
use crate::place::{Target, TargetStep, Touch, bare, operator};
use crate::problem::{Place, Warning};
use crate::seat;
use crate::source::{FileId, Role, Source, children, named_children, words};
use crate::stand_in::StandIn;
use crate::watch::{Kind, Step, Watch};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::Range;
use tree_sitter::Node;

/// Functions of the standard library that write to the text that they are given.
const WRITE_TEXT: [&str; 17] = [
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "memcpy",
    "memmove",
    "memset",
    "fgets",
    "fread",
    "read",
    "recv",
    "sscanf",
    "strtok",
];

/// Functions of the standard library that only read what their arguments point at.
const READ_ONLY: [&str; 22] = [
    "printf", "fprintf", "puts", "fputs", "fwrite", "write", "send", "perror", "strlen", "strcmp", "strncmp", "memcmp",
    "strchr", "strrchr", "strstr", "atoi", "atol", "atof", "strdup", "free", "assert", "realloc",
];

/// A program and what is watched in it.
pub(crate) struct Program<'a> {
    pub(crate) sources: &'a [Source],
    pub(crate) declarations: &'a Declarations,
    /// What is in each slot: the variables of the spec, then the arguments that calls tell.
    pub(crate) watches: Vec<Watch>,
    /// The number of slots that are variables of the spec.
    pub(crate) watched: usize,
    /// The slots whose address is taken somewhere.
    pub(crate) escapes: FxHashSet<usize>,
    /// Those of them that are local variables whose address the runtime is told.
    pub(crate) seated: FxHashSet<usize>,
    /// The macros by which something may be written, each with the slots that its text names.
    pub(crate) writing_macros: Vec<WritingMacro>,
}

/// A macro by which something may be written.
pub(crate) struct WritingMacro {
    pub(crate) name: String,
    /// The words in its text, and in those of the macros that it uses.
    words: Vec<String>,
    pub(crate) place: Place,
}

impl<'a> Program<'a> {
    pub(crate) fn new(sources: &'a [Source], declarations: &'a Declarations, watches: Vec<Watch>) -> Self {
        let watched = watches.len();
        let (escapes, seated) = (FxHashSet::default(), FxHashSet::default());
        let mut program = Self { sources, declarations, watches, watched, escapes, seated, writing_macros: Vec::new() };
        program.take_macros();
        program
    }

    /// The slots of the spec's variables.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (usize, &Watch)> {
        self.watches[..self.watched].iter().enumerate()
    }

    /// The slots that a write to a target concerns.
    pub(crate) fn touched(&self, target: &Target) -> Vec<(usize, Touch)> {
        let Target::Object(id, path) = target else { return Vec::new() };
        self.slots().filter_map(|(slot, watch)| Some((slot, self.declarations.touch(*id, path, watch)?))).collect()
    }

    /// The slots that may lie where a pointer points at.
    pub(crate) fn pointed_at(&self, target: &Target) -> Vec<usize> {
        let Target::Pointed(ty) = target else { return Vec::new() };
        let fits = |watch: &Watch| match (ty, &watch.ty) {
            (None | Some(CType::Char | CType::Aggregate(_) | CType::Tag(_) | CType::Unknown(_)), _) => true,
            // Any object may be written byte by byte, and a union by any of its members.
            (Some(CType::Int { bits: 8, .. }), _) => true,
            _ if self.declarations.is_in_union(watch) => true,
            (_, CType::Unknown(_)) => true,
            (Some(CType::Double), other) => *other == CType::Double,
            (Some(CType::Int { bits: a, .. }), CType::Int { bits: b, .. }) => a == b,
            (Some(CType::Int { .. }), CType::Enum | CType::Bool | CType::Char) => true,
            (Some(CType::Int { .. }), _) => false,
            (Some(CType::Pointer(_)), other) => matches!(other, CType::Pointer(_)),
            _ => true,
        };
        self.slots().filter(|(slot, watch)| self.escapes.contains(slot) && fits(watch)).map(|(slot, _)| slot).collect()
    }

    /// The slots whose address, or whose text's address, an expression hands over.
    pub(crate) fn handed_over(&self, source: &Source, node: Node<'_>) -> BTreeSet<usize> {
        let mut slots = BTreeSet::new();
        self.collect_addresses(source, node, &mut slots);
        slots
    }

    fn collect_addresses(&self, source: &Source, node: Node<'_>, slots: &mut BTreeSet<usize>) {
        match node.kind() {
            // What is inside is looked at with the inner call.
            "sizeof_expression" | "call_expression" | "alignof_expression" => return,
            "pointer_expression" if operator(source, node) == "&" => {
                if let Some(object) = node.child_by_field_name("argument") {
                    let target = self.declarations.target(source, object);
                    slots.extend(self.touched(&target).into_iter().map(|(slot, _)| slot));
                }
            }
            "identifier" | "field_expression" | "subscript_expression" => {
                let target = self.declarations.target(source, node);
                if let Target::Object(id, path) = &target {
                    let ty = self.declarations.part_type(*id, path);
                    if matches!(ty, Some(CType::Array(_))) {
                        slots.extend(self.elements(*id, path));
                    }
                    if node.kind() != "identifier" {
                        // `a[i]` is an element, not the array.
                        return;
                    }
                }
            }
            _ => {}
        }
        children(node).into_iter().for_each(|child| self.collect_addresses(source, child, slots));
    }

    /// The slots in an array, whatever the index.
    fn elements(&self, id: crate::declare::ObjectId, path: &[TargetStep]) -> Vec<usize> {
        let touched = self.slots().filter(|(_, watch)| self.declarations.touch(id, path, watch).is_some());
        touched.map(|(slot, _)| slot).collect()
    }

    /// The slots that a call may change, because it is handed their address.
    pub(crate) fn changed_by_call(&self, source: &Source, call: Node<'_>) -> BTreeSet<usize> {
        let mut slots = BTreeSet::new();
        let Some(arguments) = call.child_by_field_name("arguments") else { return slots };
        let name = call.child_by_field_name("function").map_or("", |function| source.text(function));
        for argument in named_children(arguments) {
            slots.extend(self.handed_over(source, argument));
            let writes_text = WRITE_TEXT.contains(&name);
            if let Target::Object(id, path) = self.declarations.target(source, bare(argument)) {
                let is_text = |watch: &Watch| {
                    watch.kind == Kind::TextPointer && self.declarations.touch(id, &path, watch).is_some()
                };
                slots.extend(self.slots().filter(|(_, watch)| writes_text && is_text(watch)).map(|(slot, _)| slot));
            }
        }
        slots
    }

    /// The slots that a call of a function outside of these files may change, because it is handed
    /// a pointer that may point at them.
    pub(crate) fn pointed_at_by_call(&self, source: &Source, call: Node<'_>) -> BTreeSet<usize> {
        let mut slots = BTreeSet::new();
        let name = call.child_by_field_name("function").map_or("", |function| source.text(function));
        let arguments = call.child_by_field_name("arguments");
        if self.declarations.defines_function(name) || READ_ONLY.contains(&name) {
            return slots;
        }
        for argument in arguments.map_or_else(Vec::new, named_children) {
            let Some(ty) = self.declarations.pointed_type(source, argument) else { continue };
            let is_text = |slot: &usize| match &self.watches[*slot].ty {
                CType::Array(element) => **element == CType::Char,
                ty => matches!(ty, CType::Char | CType::Int { bits: 8, .. }),
            };
            let pointed = self.pointed_at(&Target::Pointed(Some(ty.clone())));
            slots.extend(pointed.into_iter().filter(|slot| ty != CType::Char || is_text(slot)));
        }
        slots
    }

    /// Finds the slots whose address is taken, and warns where it is kept.
    pub(crate) fn find_escapes(&mut self, warnings: &mut BTreeSet<Warning>) {
        let mut found = FxHashSet::default();
        for source in self.sources {
            self.escapes_in(source, source.root(), &mut found, warnings);
            for head in source.stand_ins().iter().filter(|head| source.text[head.range.clone()].contains('&')) {
                found.extend(self.written_by_head(source, head));
            }
        }
        self.seated = found.iter().copied().filter(|slot| self.has_seat(&self.watches[*slot])).collect();
        for watch in found.iter().filter(|slot| !self.seated.contains(slot)).map(|slot| &self.watches[*slot]) {
            let object = self.declarations.object(watch.object);
            if matches!(object.storage, Storage::Local | Storage::LocalStatic | Storage::Parameter) {
                let message = format!(
                    "what other functions write to `{}` by its address is seen when they return: it is a bit-field, or \
                     its declaration can be jumped over",
                    watch.name
                );
                warnings.insert(Warning { place: object.place.clone(), message });
            }
        }
        self.escapes = found;
    }

    /// Whether the runtime is told where a variable is.
    fn has_seat(&self, watch: &Watch) -> bool {
        let object = self.declarations.object(watch.object);
        let source = &self.sources[object.file.index()];
        let declaration = || seat::declaration_around(source.node_before(object.scope.start)?);
        let can_be_told = match object.storage {
            Storage::Parameter => true,
            Storage::Local | Storage::LocalStatic => declaration().is_some_and(|node| seat::has_seat(source, node)),
            _ => false,
        };
        can_be_told && !self.is_bit_field(watch)
    }

    /// Whether a variable may be a bit-field, which has no address.
    pub(crate) fn is_bit_field(&self, watch: &Watch) -> bool {
        matches!(watch.path.last(), Some(Step::Member(name)) if self.declarations.types.has_bit_field(name))
    }

    fn escapes_in(
        &self,
        source: &Source,
        node: Node<'_>,
        found: &mut FxHashSet<usize>,
        warnings: &mut BTreeSet<Warning>,
    ) {
        found.extend(self.taken_address(source, node));
        let kept = match node.kind() {
            "call_expression" => {
                found.extend(self.changed_by_call(source, node));
                BTreeSet::new()
            }
            "assignment_expression" => self.kept(source, node.child_by_field_name("right")),
            "init_declarator" => self.kept(source, node.child_by_field_name("value")),
            "return_statement" => self.kept(source, named_children(node).into_iter().next()),
            _ => BTreeSet::new(),
        };
        if !kept.is_empty() {
            let names = self.names(kept.iter().copied());
            let message = format!(
                "the address of {names} is kept: what code outside of these files writes through it is not seen"
            );
            warnings.insert(Warning { place: source.place(node), message });
        }
        found.extend(kept);
        children(node).into_iter().for_each(|child| self.escapes_in(source, child, found, warnings));
    }

    /// The names of slots, for a message. Of many parts of an object the first will do.
    pub(crate) fn names(&self, slots: impl ExactSizeIterator<Item = usize>) -> String {
        const MOST: usize = 4;
        let rest = slots.len().saturating_sub(MOST);
        let names: Vec<String> = slots.take(MOST).map(|slot| format!("`{}`", self.watches[slot].name)).collect();
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        names.join(", ") + &rest
    }

    /// The slots whose address an expression is, or is made of: that of a variable, or an array
    /// that is not indexed at once.
    fn taken_address(&self, source: &Source, node: Node<'_>) -> Vec<usize> {
        let is_address = node.kind() == "pointer_expression" && operator(source, node) == "&";
        let is_name = matches!(node.kind(), "identifier" | "field_expression" | "subscript_expression");
        let parent = node.parent().map_or("", |parent| parent.kind());
        if is_address {
            let object = node.child_by_field_name("argument");
            let target = object.map_or(Target::Other, |object| self.declarations.target(source, object));
            return self.touched(&target).into_iter().map(|(slot, _)| slot).collect();
        }
        if !is_name || ["subscript_expression", "sizeof_expression"].contains(&parent) || parent.ends_with("declarator")
        {
            return Vec::new();
        }
        match self.declarations.target(source, node) {
            Target::Object(id, path) => match self.declarations.part_type(id, &path) {
                Some(CType::Array(_)) => self.elements(id, &path),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn kept(&self, source: &Source, value: Option<Node<'_>>) -> BTreeSet<usize> {
        value.map_or_else(BTreeSet::new, |value| self.handed_over(source, value))
    }

    fn take_macros(&mut self) {
        for one in &self.declarations.macros {
            if writes(&one.body) {
                let (name, words, place) = (one.name.clone(), one.words.clone(), one.place.clone());
                self.writing_macros.push(WritingMacro { name, words, place });
            }
        }
        // A macro that uses another that writes, writes too.
        loop {
            let is_known = |name: &str| self.writing_macros.iter().any(|one| one.name == name);
            let uses = |words: &[String]| self.writing_macros.iter().find(|one| words.contains(&one.name));
            let more: Vec<WritingMacro> = self
                .declarations
                .macros
                .iter()
                .filter(|one| !is_known(&one.name))
                .filter_map(|one| {
                    let used = uses(&one.words)?;
                    // What it gives to the other is among its words, too.
                    let words = one.words.iter().chain(&used.words).cloned().collect();
                    Some(WritingMacro { name: one.name.clone(), words, place: one.place.clone() })
                })
                .collect();
            if more.is_empty() {
                return;
            }
            self.writing_macros.extend(more);
        }
    }

    /// The slots that a macro may write to where it is used with the arguments in a range.
    pub(crate) fn written_by_macro(&self, source: &Source, name: &str, range: Range<usize>) -> Vec<usize> {
        let Some(one) = self.writing_macros.iter().find(|one| one.name == name) else { return Vec::new() };
        let text = &source.text[range.clone()];
        self.named(source, range.start, one.words.iter().map(String::as_str).chain(words(text)))
    }

    /// The slots that the head of a statement may write to, or its arguments, which are not in the
    /// tree.
    pub(crate) fn written_by_head(&self, source: &Source, head: &StandIn) -> Vec<usize> {
        let text = &source.text[head.range.clone()];
        let mut slots = self.written_by_macro(source, &head.name, head.range.clone());
        let has_macro = || words(text).any(|word| self.writing_macros.iter().any(|one| one.name == word));
        if writes(text) || has_macro() {
            slots.extend(self.named(source, head.range.start, words(text)));
            slots.sort_unstable();
            slots.dedup();
        }
        slots
    }

    /// The slots of objects that words name at a place.
    fn named<'w>(&self, source: &Source, at: usize, words: impl Iterator<Item = &'w str>) -> Vec<usize> {
        let words: FxHashSet<&str> = words.collect();
        let is_named = |watch: &Watch| words.contains(self.declarations.object(watch.object).name.as_str());
        let visible = |watch: &Watch| self.declarations.is_visible(watch.object, source.id, at);
        self.slots().filter(|(_, watch)| is_named(watch) && visible(watch)).map(|(slot, _)| slot).collect()
    }

    /// The file that can name an object outside of functions: the one that defines it, or one that
    /// uses it.
    pub(crate) fn home(&self, watch: &Watch) -> Option<FileId> {
        let object = self.declarations.object(watch.object);
        let is_program = |id: FileId| self.sources[id.index()].role == Role::Program;
        let mut programs = self.sources.iter().filter(|source| source.role == Role::Program).map(|source| source.id);
        match object.storage {
            _ if is_program(object.file) => Some(object.file),
            _ => programs.find(|file| self.declarations.is_named_in(watch.object, *file)),
        }
    }

    /// Whether an object lives as long as the program does.
    pub(crate) fn is_permanent(&self, watch: &Watch) -> bool {
        matches!(
            self.declarations.object(watch.object).storage,
            Storage::Global | Storage::FileStatic | Storage::Enumerator
        )
    }
}

/// Whether a macro's text has an assignment in it, or takes an address.
fn writes(body: &str) -> bool {
    let bytes = body.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or(b' ');
    let assigns = |index: usize| {
        at(index) == b'='
            && at(index + 1) != b'='
            && (index == 0
                || !matches!(at(index - 1), b'=' | b'!' | b'<' | b'>')
                || matches!(at(index.wrapping_sub(2)), b'<' | b'>'))
    };
    let is_address = |index: usize| at(index) == b'&' && at(index + 1) != b'&' && (index == 0 || at(index - 1) != b'&');
    body.contains("++") || body.contains("--") || (0..bytes.len()).any(|index| assigns(index) || is_address(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_that_write_are_told_from_those_that_compare() {
        for text in ["x = 1", "((v)++)", "x += y", "x <<= 2", "f(&x)", "do { x=y; } while (0)"] {
            assert!(writes(text), "{text}");
        }
        for text in ["x == 1", "a <= b", "a && b", "!=", "x >= 3", "(v) * 2"] {
            assert!(!writes(text), "{text}");
        }
    }
}
