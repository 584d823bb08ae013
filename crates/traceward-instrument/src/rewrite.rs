//! A file of the program, rewritten: code behind every write.
//!
//! Text is only put in, and never a line end, so that all that the user wrote stays on its line.
//! Where a value is wanted of an expression that writes, the code gets inside it by the comma
//! operator, or by a block that is an expression where the value cannot be read again.

use crate::declare::{ObjectId, Storage, function_declarator};
use crate::place::{Target, Touch, is_pure};
use crate::problem::Warning;
use crate::program::Program;
use crate::seat;
use crate::source::{Source, children, contains, fields, last_line, line, named_children};
use crate::stand_in::{Shape, StandIn};
use crate::watch::{Kind, Watch};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Functions that end the program without running what it has registered for its end.
const ENDING: [&str; 3] = ["_exit", "_Exit", "quick_exit"];

/// Functions behind which nothing of the program may run, though it has not ended its trace.
const LEAVING: [&str; 10] =
    ["abort", "execl", "execlp", "execle", "execv", "execvp", "execvpe", "execve", "fexecve", "execveat"];

/// When it is seen what most macros have written, and what heads of statements have.
const ONCE_RUN: &str = "once all of it has run";
const WITH_INNER: &str = "where the statement inside begins, and behind it";

/// What else is done to a program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ways {
    /// Calls and returns are told.
    pub(crate) events: bool,
    /// Writes and what is told of them stand under one lock.
    pub(crate) threads: bool,
}

/// What becomes of an expression's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Nothing, and a comma may follow.
    Nothing,
    /// Nothing, but a comma would not belong to it.
    NothingInside,
    Value,
}

/// The text to put into a file at a place.
struct Insertion {
    at: usize,
    text: String,
}

/// Rewrites a file.
pub(crate) fn rewrite(program: &Program<'_>, source: &Source, ways: Ways, warnings: &mut BTreeSet<Warning>) -> String {
    let mut walk = Walk { program, source, ways, warnings, insertions: Vec::new(), function: String::new(), values: 0 };
    walk.visit(source.root(), Wanted::Value);
    let mut insertions = walk.insertions;
    // Those of one place stay in their order: what opens outside comes first, what closes inside.
    insertions.sort_by_key(|one| one.at);
    let mut text = String::with_capacity(source.text.len() * 2);
    let mut done = 0;
    for one in insertions {
        text.push_str(&source.text[done..one.at]);
        text.push_str(&one.text);
        done = one.at;
    }
    text.push_str(&source.text[done..]);
    text
}

struct Walk<'a, 'w> {
    program: &'a Program<'a>,
    source: &'a Source,
    ways: Ways,
    warnings: &'w mut BTreeSet<Warning>,
    insertions: Vec<Insertion>,
    /// The function around this place.
    function: String,
    /// The number of values that got a name.
    values: u32,
}

impl Walk<'_, '_> {
    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.insertions.push(Insertion { at, text: text.into() });
    }

    fn warn(&mut self, node: Node<'_>, message: impl Into<String>) {
        self.warnings.insert(Warning { place: self.source.place(node), message: message.into() });
    }

    fn visit(&mut self, node: Node<'_>, wanted: Wanted) {
        // A statement with a part that is not understood may be something else than it seems, as
        // behind a macro of a header that is not read.
        if node.is_error() || node.is_missing() || (node.kind() == "expression_statement" && node.has_error()) {
            return self.warn(node, "this cannot be read as C: writes in it are not seen");
        }
        if let Some(stand_in) = self.source.macro_behind(node) {
            return self.stand_in(node, stand_in);
        }
        match node.kind() {
            "function_definition" => self.function_definition(node),
            "declaration" => self.declaration(node),
            "expression_statement" => self.expression_statement(node),
            "for_statement" => self.for_statement(node),
            "comma_expression" => self.comma(node, wanted),
            "parenthesized_expression" => {
                let inside = if wanted == Wanted::Value { Wanted::Value } else { Wanted::Nothing };
                self.visit_children(node, inside);
            }
            "conditional_expression" => self.conditional(node, wanted),
            "cast_expression" => self.cast(node),
            "assignment_expression" => self.assignment(node, wanted),
            "update_expression" => self.update(node, wanted),
            "call_expression" => self.call(node, wanted),
            "identifier" => self.macro_use(node, wanted),
            "gnu_asm_expression" => self.warn(node, "what assembler code writes is not seen"),
            "case_statement" => self.case(node),
            "sizeof_expression" | "alignof_expression" | "offsetof_expression" | "type_descriptor" => {}
            "struct_specifier" | "union_specifier" | "enum_specifier" | "type_definition" => {}
            "preproc_def" | "preproc_function_def" | "preproc_include" | "preproc_call" | "comment" => {}
            "preproc_if" | "preproc_elif" => self.conditional_code(node),
            _ => self.visit_children(node, Wanted::Value),
        }
    }

    fn visit_children(&mut self, node: Node<'_>, wanted: Wanted) {
        children(node).into_iter().filter(|child| child.is_named()).for_each(|child| self.visit(child, wanted));
    }

    fn conditional_code(&mut self, node: Node<'_>) {
        let condition = node.child_by_field_name("condition");
        let code = named_children(node).into_iter().filter(|child| Some(*child) != condition);
        code.for_each(|child| self.visit(child, Wanted::Value));
    }

    fn case(&mut self, node: Node<'_>) {
        let value = node.child_by_field_name("value");
        let statements = named_children(node).into_iter().filter(|child| Some(*child) != value);
        statements.for_each(|child| self.visit(child, Wanted::Value));
    }

    // ---- statements ----

    fn expression_statement(&mut self, node: Node<'_>) {
        let is_value = is_value_of_block(node);
        for child in named_children(node) {
            if self.statement_macro(node, child) {
                continue;
            }
            self.visit(child, if is_value { Wanted::Value } else { Wanted::Nothing });
        }
    }

    fn for_statement(&mut self, node: Node<'_>) {
        for (index, child) in children(node).into_iter().enumerate().filter(|(_, child)| child.is_named()) {
            let wanted = match node.field_name_for_child(index as u32) {
                Some("initializer" | "update") => Wanted::Nothing,
                _ => Wanted::Value,
            };
            self.visit(child, wanted);
        }
    }

    fn comma(&mut self, node: Node<'_>, wanted: Wanted) {
        let right = if wanted == Wanted::Value { Wanted::Value } else { Wanted::Nothing };
        if let Some(left) = node.child_by_field_name("left") {
            self.visit(left, Wanted::Nothing);
        }
        if let Some(last) = node.child_by_field_name("right") {
            self.visit(last, right);
        }
    }

    fn conditional(&mut self, node: Node<'_>, wanted: Wanted) {
        let arm = if wanted == Wanted::Value { Wanted::Value } else { Wanted::NothingInside };
        for (field, wanted) in [("condition", Wanted::Value), ("consequence", arm), ("alternative", arm)] {
            if let Some(child) = node.child_by_field_name(field) {
                self.visit(child, wanted);
            }
        }
    }

    fn cast(&mut self, node: Node<'_>) {
        let ty = node.child_by_field_name("type").map_or("", |ty| self.source.text(ty));
        let wanted = if ty == "void" { Wanted::NothingInside } else { Wanted::Value };
        if let Some(value) = node.child_by_field_name("value") {
            self.visit(value, wanted);
        }
    }

    // ---- functions ----

    fn function_definition(&mut self, node: Node<'_>) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let name = self.function_name(node);
        self.function = name;
        let text = self.entry(node, body);
        if !text.is_empty() {
            self.insert(body.start_byte() + 1, text);
        }
        self.visit_children(body, Wanted::Value);
        self.function = String::new();
    }

    fn function_name(&self, node: Node<'_>) -> String {
        let declarator = node.child_by_field_name("declarator").and_then(function_declarator);
        let name = declarator.and_then(|function| function.child_by_field_name("declarator"));
        name.map_or_else(|| "?".to_owned(), |name| self.source.text(name).to_owned())
    }

    /// The slots of the variables that live as long as a call of a function.
    fn activated(&self, node: Node<'_>) -> Vec<(usize, bool)> {
        let of_function = |watch: &Watch| {
            let object = self.program.declarations.object(watch.object);
            let lives = matches!(object.storage, Storage::Local | Storage::Parameter);
            (lives && object.file == self.source.id && node.byte_range().contains(&object.scope.start))
                .then_some(object.storage == Storage::Parameter)
        };
        let watches = self.program.watches.iter().enumerate();
        watches.filter_map(|(slot, watch)| Some((slot, of_function(watch)?))).collect()
    }

    /// What is done when a function begins.
    fn entry(&self, node: Node<'_>, body: Node<'_>) -> String {
        let slots = self.activated(node);
        if slots.is_empty() && !self.ways.events {
            return String::new();
        }
        let (first, last) = (self.at(line(body)), self.at(last_line(body)));
        let event = |word: &str| format!("\"{word} {}\"", self.function);
        let returned = if self.ways.events { event("return") } else { "0".to_owned() };
        let list: String = slots.iter().map(|(slot, _)| format!(", {slot}u")).collect();
        let count = slots.len();
        let mut text = format!(
            " TRACEWARD_FRAME({count}u); traceward_hold(); \
             traceward_enter(traceward_frame, {last}, {returned}, {count}u{list});"
        );
        for (slot, is_parameter) in slots {
            if is_parameter {
                let how = if slot < self.program.watched { "" } else { "SEE_" };
                text += &format!(" {};", self.hook(how, slot, line(body)));
            }
            if is_parameter && self.program.seated.contains(&slot) {
                text += &format!(" {};", self.settle(slot, "TRACEWARD_INITIAL"));
            }
        }
        if self.ways.events {
            text += &format!(" traceward_event({}, {first});", event("call"));
        }
        text + &format!(" traceward_release({first});")
    }

    // ---- declarations ----

    fn declaration(&mut self, node: Node<'_>) {
        if self.function.is_empty() {
            return;
        }
        let is_static = named_children(node).iter().any(|child| self.source.text(*child) == "static");
        let takes_pointer = seat::takes_pointer(self.source, node);
        let mut behind = Vec::new();
        for declarator in fields(node, "declarator") {
            let after = self.declarator(declarator, is_static);
            if takes_pointer {
                let text: String = after.iter().map(|one| format!(", *{}", self.pointer(one))).collect();
                self.insert(declarator.end_byte(), text);
            } else {
                behind.extend(after);
            }
        }
        if behind.is_empty() {
            return;
        }
        if seat::is_in_head(node) {
            return self
                .warn(node, "what begins in the head of this loop is seen when it is written for the second time");
        }
        let text: String = match is_static {
            true => behind.iter().map(|one| format!(" {};", one.code)).collect(),
            false => behind.iter().map(|one| format!(" void *{};", self.pointer(one))).collect(),
        };
        self.insert(node.end_byte(), text);
    }

    /// The declarator of a pointer that is declared for what is done meanwhile.
    fn pointer(&mut self, after: &After) -> String {
        let cleanup = after.seat.map_or_else(String::new, |slot| format!(", cleanup(traceward_unsettle_{slot})"));
        format!("{} __attribute__((unused{cleanup})) = ({}, (void *)0)", self.temporary(), after.code)
    }

    /// Puts code into an initial value. What is to be done behind the declarator comes back.
    fn declarator(&mut self, node: Node<'_>, is_static: bool) -> Vec<After> {
        let Some(name) = declared_name(node) else { return Vec::new() };
        let object = self.program.declarations.meant(self.source, name);
        let slots = object.map_or_else(Vec::new, |object| self.slots_of(object));
        let value = node.child_by_field_name("value").filter(|_| node.kind() == "init_declarator");
        let (birth, seen) = match value {
            _ if is_static => ("TRACEWARD_STATIC", true),
            None => {
                children(node).into_iter().for_each(|child| self.visit(child, Wanted::Value));
                ("TRACEWARD_UNWRITTEN", false)
            }
            Some(value) => ("TRACEWARD_INITIAL", !self.initial_value(node, name, value, &slots)),
        };
        let line = line(node);
        // The parts of an initial value come at once.
        let looked_at = slots.iter().filter(|_| seen).map(|slot| self.hook("SEE_", *slot, line)).collect();
        let looked_at = Some(self.joined(looked_at, line)).filter(|code| !code.is_empty());
        let seats = slots.iter().filter(|slot| self.program.seated.contains(slot));
        let seats = seats.map(|slot| After { code: self.settle(*slot, birth), seat: Some(*slot) });
        looked_at.map(|code| After { code, seat: None }).into_iter().chain(seats).collect()
    }

    /// Visits an initial value. Whether it tells itself what it is comes back: that of a whole
    /// variable does, parts of one are looked at behind it.
    fn initial_value(&mut self, node: Node<'_>, name: Node<'_>, value: Node<'_>, slots: &[usize]) -> bool {
        let is_whole = |slot: &usize| {
            let watch = &self.program.watches[*slot];
            watch.path.is_empty() && watch.kind != Kind::TextArray
        };
        if slots.is_empty() || !slots.iter().all(is_whole) || value.kind() == "initializer_list" {
            self.visit(value, Wanted::Value);
            return false;
        }
        let temporary = self.temporary();
        let name = self.source.text(name).to_owned();
        let declaration = node.parent().and_then(|declaration| declaration.child_by_field_name("type"));
        let is_deduced = declaration.is_some_and(|ty| self.source.text(ty) == "__auto_type");
        let ty = if is_deduced { "__auto_type".to_owned() } else { format!("__typeof__({name})") };
        self.insert(value.start_byte(), format!("__extension__({{ {ty} {temporary} = "));
        self.visit(value, Wanted::Value);
        let at = self.place_of(line(node));
        let told: String = slots.iter().map(|slot| format!("TRACEWARD_{slot}({temporary}, {at}); ")).collect();
        self.insert(value.end_byte(), format!("; {told}{temporary}; }})"));
        true
    }

    /// The code that tells the runtime where a local variable is.
    fn settle(&self, slot: usize, birth: &str) -> String {
        let watch = &self.program.watches[slot];
        let read = watch.read(self.program.declarations);
        let form = match watch.kind {
            Kind::Int(..) => format!("TRACEWARD_AS_INTEGER({read})"),
            Kind::Any => format!("TRACEWARD_AS_ANY({read})"),
            Kind::Unsigned | Kind::Pointer => "TRACEWARD_AS_UNSIGNED".to_owned(),
            Kind::Double => "TRACEWARD_AS_FLOAT".to_owned(),
            Kind::Bool => "TRACEWARD_AS_BOOL".to_owned(),
            Kind::TextArray => "TRACEWARD_AS_TEXT".to_owned(),
            Kind::TextPointer => "TRACEWARD_AS_POINTER_TO_TEXT".to_owned(),
        };
        format!("TRACEWARD_SETTLE({slot}u, {read}, {form}, {birth})")
    }

    /// The slots of an object and of its parts.
    fn slots_of(&self, object: ObjectId) -> Vec<usize> {
        self.program.slots().filter(|(_, watch)| watch.object == object).map(|(slot, _)| slot).collect()
    }

    // ---- expressions ----

    fn assignment(&mut self, node: Node<'_>, wanted: Wanted) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return;
        };
        let target = self.program.declarations.target(self.source, left);
        let told = self.told(&target, left, line(node));
        let has_lock = self.ways.threads && !told.is_empty();
        // Whoever waits for another thread must not hold the lock meanwhile.
        let locks_late = has_lock && contains(right, &["call_expression"]);
        let write = Write { node, again: Some(left), told: &told, locks: has_lock && !locks_late, unlocks: has_lock };
        let value = self.open(&write, wanted);
        self.visit_place(left);
        if locks_late {
            let temporary = self.temporary();
            self.insert(right.start_byte(), format!("__extension__({{ __auto_type {temporary} = "));
            self.visit(right, Wanted::Value);
            self.insert(right.end_byte(), format!("; traceward_lock(); {temporary}; }})"));
        } else {
            self.visit(right, Wanted::Value);
        }
        self.close(&write, wanted, value);
    }

    fn update(&mut self, node: Node<'_>, wanted: Wanted) {
        let Some(argument) = node.child_by_field_name("argument") else { return };
        let target = self.program.declarations.target(self.source, argument);
        let told = self.told(&target, argument, line(node));
        let is_prefix = node.child(0).is_some_and(|first| !first.is_named());
        let locks = self.ways.threads && !told.is_empty();
        let write = Write { node, again: is_prefix.then_some(argument), told: &told, locks, unlocks: locks };
        let value = self.open(&write, wanted);
        self.visit_place(argument);
        self.close(&write, wanted, value);
    }

    /// Visits the parts of an expression that is written to.
    fn visit_place(&mut self, node: Node<'_>) {
        match node.kind() {
            "identifier" => {}
            "subscript_expression" => {
                node.child_by_field_name("argument").into_iter().for_each(|child| self.visit_place(child));
                node.child_by_field_name("index").into_iter().for_each(|child| self.visit(child, Wanted::Value));
            }
            "field_expression" | "parenthesized_expression" => {
                named_children(node).into_iter().for_each(|child| self.visit_place(child));
            }
            _ => self.visit(node, Wanted::Value),
        }
    }

    /// The code that tells of a write to a target; empty if nothing is watched there.
    fn told(&mut self, target: &Target, place: Node<'_>, line: u32) -> String {
        let touched = self.program.touched(target);
        if !touched.is_empty() {
            return self.hooks(&touched, line);
        }
        let address = self.address(target, place);
        let slots = self.program.pointed_at(target).into_iter();
        let parts = slots.filter_map(|slot| self.through(slot, &address, place, line)).collect();
        self.joined(parts, line)
    }

    /// The code that looks at a slot which may lie where a pointer points at, from anywhere.
    fn through(&self, slot: usize, address: &str, place: Node<'_>, line: u32) -> Option<String> {
        let watch = &self.program.watches[slot];
        let at = self.at(line);
        if self.program.is_permanent(watch) {
            Some(format!("traceward_through_{slot}({address}, {at})"))
        } else if self.program.seated.contains(&slot) {
            Some(format!("traceward_through({slot}u, {address}, {at})"))
        } else {
            self.is_visible(watch, place).then(|| self.hook("SEE_", slot, line))
        }
    }

    /// The address of what is written to through a pointer, where it can be computed again.
    fn address(&self, target: &Target, place: Node<'_>) -> String {
        let may_be_bit_field = place.kind() == "field_expression" && !matches!(target, Target::Pointed(Some(_)));
        let is_bit_field = self.is_bit_field(place);
        let text = self.source.text(place);
        if may_be_bit_field || is_bit_field || !is_pure(place) || contains(place, &["comment"]) {
            return "0".to_owned();
        }
        format!("&({})", text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn is_bit_field(&self, place: Node<'_>) -> bool {
        if place.kind() != "field_expression" {
            return false;
        }
        // The struct is not looked up again: any bit-field of that name will do.
        let member = place.child_by_field_name("field").map_or("", |member| self.source.text(member));
        self.program.declarations.types.has_bit_field(member)
    }

    fn is_visible(&self, watch: &Watch, node: Node<'_>) -> bool {
        self.program.declarations.is_visible(watch.object, self.source.id, node.start_byte())
    }

    fn call(&mut self, node: Node<'_>, wanted: Wanted) {
        let name = node.child_by_field_name("function").map_or("", |function| self.source.text(function)).to_owned();
        if ENDING.contains(&name.as_str()) || LEAVING.contains(&name.as_str()) {
            let hook = if ENDING.contains(&name.as_str()) { "traceward_ends" } else { "traceward_flush" };
            self.insert(node.start_byte(), format!("({hook}(), "));
            self.visit_children(node, Wanted::Value);
            return self.insert(node.end_byte(), ")");
        }
        self.warn_of_call(node, &name);
        let mut slots = self.program.changed_by_call(self.source, node);
        let written = self.program.written_by_macro(self.source, &name, node.byte_range());
        self.warn_of_macro(&written, line(node), &name, ONCE_RUN);
        slots.extend(written);
        slots.retain(|slot| self.is_visible(&self.program.watches[*slot], node));
        let pointed = self.program.pointed_at_by_call(self.source, node).into_iter();
        let pointed = pointed.filter(|slot| !slots.contains(slot));
        let pointed = pointed.filter_map(|slot| self.through(slot, "0", node, line(node)));
        let visible = slots.iter().map(|slot| self.code(*slot, &Touch::Seen, line(node)));
        let told = self.joined(visible.chain(pointed).collect(), line(node));
        let write = Write { node, again: None, told: &told, locks: false, unlocks: false };
        let value = self.open(&write, wanted);
        if let Some(function) = node.child_by_field_name("function").filter(|one| one.kind() != "identifier") {
            self.visit(function, Wanted::Value);
        }
        if let Some(arguments) = node.child_by_field_name("arguments") {
            self.visit_children(arguments, Wanted::Value);
        }
        self.close(&write, wanted, value);
    }

    fn warn_of_call(&mut self, node: Node<'_>, name: &str) {
        match name {
            "pthread_create" | "thrd_create" if !self.ways.threads => {
                self.warn(
                    node,
                    "threads without a lock: the order of their writes, and of what is told, is not certain",
                );
            }
            "setjmp" | "sigsetjmp" | "longjmp" | "siglongjmp" => {
                self.warn(node, "a jump out of a function: its variables keep their last values in what is told");
            }
            "signal" | "sigaction" => {
                self.warn(node, "writes of a signal's handler that interrupts what is being told are told together");
            }
            "vfork" => {
                self.warn(node, "a process made by vfork shares its variables: what it writes is told as this one's")
            }
            _ => {}
        }
    }

    fn warn_of_macro(&mut self, slots: &[usize], line: u32, name: &str, when: &str) {
        let names: Vec<String> = slots.iter().map(|slot| format!("`{}`", self.program.watches[*slot].name)).collect();
        let found = self.program.writing_macros.iter().find(|one| one.name == name);
        // Arguments are to be seen where they are.
        if let Some(place) = found.map(|one| one.place.clone()).filter(|_| !names.is_empty()) {
            let message = format!(
                "the macro `{name}` may write {}: that is seen {when}, at {}:{line}",
                names.join(", "),
                self.source.name,
            );
            self.warnings.insert(Warning { place, message });
        }
    }

    /// A macro without arguments.
    fn macro_use(&mut self, node: Node<'_>, wanted: Wanted) {
        let name = self.source.text(node).to_owned();
        if self.program.declarations.meant(self.source, node).is_some() {
            return;
        }
        let slots = self.program.written_by_macro(self.source, &name, node.byte_range());
        if slots.is_empty() {
            return;
        }
        self.warn_of_macro(&slots, line(node), &name, ONCE_RUN);
        let hooks: Vec<(usize, Touch)> = slots.into_iter().map(|slot| (slot, Touch::Seen)).collect();
        let told = self.hooks(&hooks, line(node));
        let write = Write { node, again: None, told: &told, locks: false, unlocks: false };
        let value = self.open(&write, wanted);
        self.close(&write, wanted, value);
    }

    /// A macro that is a statement of its own, and need not be an expression. Whether it is one is
    /// told.
    fn statement_macro(&mut self, statement: Node<'_>, expression: Node<'_>) -> bool {
        let name = match expression.kind() {
            "call_expression" => expression.child_by_field_name("function"),
            "identifier" => Some(expression),
            _ => None,
        };
        let Some(name) = name.map(|name| self.source.text(name).to_owned()) else { return false };
        let written = self.program.written_by_macro(self.source, &name, expression.byte_range());
        if written.is_empty() {
            return false;
        }
        self.warn_of_macro(&written, line(expression), &name, ONCE_RUN);
        let mut slots: BTreeSet<usize> = written.into_iter().collect();
        if expression.kind() == "call_expression" {
            slots.extend(self.program.changed_by_call(self.source, expression));
        }
        let hooks: Vec<(usize, Touch)> = slots.into_iter().map(|slot| (slot, Touch::Seen)).collect();
        let told = self.hooks(&hooks, line(expression));
        let opens = if is_alone(statement) { "" } else { "{ " };
        self.insert(statement.start_byte(), opens);
        self.insert(self.source.end_of(statement), behind(opens, &told));
        true
    }

    /// A macro that begins a statement, or is one. What it writes is looked at where the inner
    /// statement begins and behind all of it.
    fn stand_in(&mut self, node: Node<'_>, stand_in: &StandIn) {
        let StandIn { name, range, shape } = stand_in;
        let slots = self.program.written_by_head(self.source, stand_in);
        let told: Vec<(usize, Touch)> = slots.iter().map(|slot| (*slot, Touch::Seen)).collect();
        let told = self.hooks(&told, line(node));
        let when = if *shape == Shape::Statement { ONCE_RUN } else { WITH_INNER };
        self.warn_of_macro(&slots, line(node), name, when);
        let opens = if told.is_empty() || is_alone(node) { "" } else { "{ " };
        self.insert(node.start_byte(), opens);
        let inner = named_children(node).into_iter().filter(|child| child.start_byte() >= range.end);
        for statement in inner {
            self.inner_statement(statement, if *shape == Shape::Switch { "" } else { &told });
        }
        if !told.is_empty() {
            self.insert(self.source.end_of(node), behind(opens, &told));
        }
    }

    /// A statement that a macro is the head of.
    fn inner_statement(&mut self, node: Node<'_>, told: &str) {
        let is_block = node.kind() == "compound_statement";
        if node.kind() == "else_clause" {
            named_children(node).into_iter().for_each(|inner| self.inner_statement(inner, told));
        } else if told.is_empty() {
            self.visit(node, Wanted::Value);
        } else if is_block {
            self.insert(node.start_byte() + 1, format!(" {told};"));
            self.visit(node, Wanted::Value);
        } else {
            self.insert(node.start_byte(), format!("{{ {told}; "));
            self.visit(node, Wanted::Value);
            self.insert(self.source.end_of(node), " }");
        }
    }

    // ---- code around a write ----

    /// Opens the code around a write. The name of the value comes back, if it got one.
    fn open(&mut self, write: &Write<'_, '_>, wanted: Wanted) -> Option<String> {
        if write.told.is_empty() {
            return None;
        }
        let at = write.node.start_byte();
        let lock = if write.locks { "traceward_lock()" } else { "" };
        let comma = if write.locks { ", " } else { "" };
        match wanted {
            Wanted::Nothing => self.insert(at, format!("{lock}{comma}")),
            Wanted::NothingInside => self.insert(at, format!("({lock}{comma}")),
            Wanted::Value if self.reads_again(write).is_some() => self.insert(at, "("),
            Wanted::Value => {
                let temporary = self.temporary();
                let lock = if write.locks { "traceward_lock(); " } else { "" };
                self.insert(at, format!("__extension__({{ {lock}__auto_type {temporary} = ("));
                return Some(temporary);
            }
        }
        None
    }

    fn close(&mut self, write: &Write<'_, '_>, wanted: Wanted, value: Option<String>) {
        if write.told.is_empty() {
            return;
        }
        let (at, told) = (write.node.end_byte(), write.told);
        let unlock = if write.unlocks { ", traceward_unlock()" } else { "" };
        let text = match (wanted, value) {
            (Wanted::Value, Some(value)) => {
                let unlock = if write.unlocks { " traceward_unlock();" } else { "" };
                format!("); {told};{unlock} {value}; }})")
            }
            (Wanted::Value, None) => format!(", {told}, {})", self.reads_again(write).unwrap_or_default()),
            (Wanted::Nothing, _) => format!(", {told}{unlock}"),
            (Wanted::NothingInside, _) => format!(", {told}{unlock})"),
        };
        self.insert(at, text);
    }

    /// The expression that reads again what was written, if that is the value and has no effects.
    fn reads_again(&self, write: &Write<'_, '_>) -> Option<String> {
        let again = write.again.filter(|place| is_pure(*place) && !contains(*place, &["comment"]))?;
        let is_volatile = match self.program.declarations.target(self.source, again) {
            Target::Object(id, _) => self.program.declarations.object(id).is_volatile,
            _ => true,
        };
        let text = self.source.text(again).split_whitespace().collect::<Vec<_>>().join(" ");
        (!is_volatile && !write.unlocks).then_some(text)
    }

    fn temporary(&mut self) -> String {
        self.values += 1;
        format!("traceward_value_{}", self.values)
    }

    fn at(&self, line: u32) -> String {
        format!("TRACEWARD_AT({})", self.place_of(line))
    }

    fn place_of(&self, line: u32) -> String {
        format!("{line}, {}", self.function)
    }

    fn hook(&self, how: &str, slot: usize, line: u32) -> String {
        let read = self.program.watches[slot].read(self.program.declarations);
        format!("TRACEWARD_{how}{slot}({read}, {})", self.place_of(line))
    }

    /// The code for several slots that one write concerns: one state.
    fn hooks(&self, touched: &[(usize, Touch)], line: u32) -> String {
        self.joined(touched.iter().map(|(slot, touch)| self.code(*slot, touch, line)).collect(), line)
    }

    /// The code for a slot that a write concerns.
    fn code(&self, slot: usize, touch: &Touch, line: u32) -> String {
        match touch {
            // It may have no value yet, which its seat tells.
            Touch::Seen if self.program.seated.contains(&slot) => {
                format!("traceward_through({slot}u, 0, {})", self.at(line))
            }
            Touch::Seen => self.hook("SEE_", slot, line),
            Touch::Written(conditions) if conditions.is_empty() => self.hook("", slot, line),
            Touch::Written(conditions) => {
                format!("({} ? {} : (void)0)", conditions.join(" && "), self.hook("", slot, line))
            }
        }
    }

    fn joined(&self, parts: Vec<String>, line: u32) -> String {
        match parts.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            several => format!("traceward_hold(), {}, traceward_release({})", several.join(", "), self.at(line)),
        }
    }
}

/// What is done behind a declarator.
struct After {
    code: String,
    /// The slot that has a seat from there on, until its block ends.
    seat: Option<usize>,
}

/// An expression that writes.
struct Write<'t, 'n> {
    node: Node<'n>,
    /// The expression that has the same value afterwards.
    again: Option<Node<'n>>,
    /// The code that tells of it; empty if there is nothing to tell.
    told: &'t str,
    locks: bool,
    unlocks: bool,
}

/// Whether another statement may follow a statement where it stands.
fn is_alone(statement: Node<'_>) -> bool {
    let parent = statement.parent().map_or("", |parent| parent.kind());
    matches!(parent, "compound_statement" | "case_statement" | "translation_unit")
}

/// Code behind a statement, in the block that was opened for both if there is one.
fn behind(opened: &str, code: &str) -> String {
    let closes = if opened.is_empty() { "" } else { " }" };
    format!(" {code};{closes}")
}

/// Whether a statement is the last of a block that is an expression, whose value it is.
fn is_value_of_block(statement: Node<'_>) -> bool {
    let Some(block) = statement.parent().filter(|parent| parent.kind() == "compound_statement") else { return false };
    let is_expression = block.parent().is_some_and(|parent| parent.kind() == "parenthesized_expression");
    is_expression && named_children(block).last() == Some(&statement)
}

/// The name that a declarator declares.
fn declared_name(declarator: Node<'_>) -> Option<Node<'_>> {
    match declarator.kind() {
        "identifier" => Some(declarator),
        "parenthesized_declarator" => named_children(declarator).into_iter().next().and_then(declared_name),
        _ => declarator.child_by_field_name("declarator").and_then(declared_name),
    }
}
