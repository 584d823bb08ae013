//! The objects that the files declare, and which of them each name in the files means.
//!
//! Scopes are those of C: a name means the innermost declaration before it. What depends on the
//! preprocessor is all looked at, so that both branches of an `#if` are instrumented.

use crate::ctype::{CType, Types, declared};
use crate::problem::Place;
use crate::source::{FileId, Role, Source, children, fields, named_children, words};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use tree_sitter::Node;

/// An object of the program: a variable, a parameter, or a constant of an enumeration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ObjectId(u32);

impl ObjectId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The time that an object lives, and who sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    /// All files may see it.
    Global,
    /// One file sees it.
    FileStatic,
    /// One function sees it, and it stays.
    LocalStatic,
    Local,
    Parameter,
    /// A constant of an enumeration.
    Enumerator,
    /// No object, but its name hides others.
    Function,
}

/// A declared object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) file: FileId,
    pub(crate) function: Option<String>,
    pub(crate) place: Place,
    pub(crate) ty: CType,
    pub(crate) storage: Storage,
    pub(crate) is_volatile: bool,
    pub(crate) is_defined: bool,
    /// The bytes of its file in which the name means it, unless another declaration hides it.
    pub(crate) scope: Range<usize>,
    /// A static local's declaration; none if it means something in its function only.
    pub(crate) declared: Option<Declared>,
}

/// A declaration as it is written, on both sides of the name.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    before: String,
    after: String,
}

impl Declared {
    /// The declaration of another name.
    pub(crate) fn of(&self, name: &str) -> String {
        format!("{}{name}{}", self.before, self.after)
    }
}

/// A macro that the files define.
#[derive(Clone, Debug)]
pub(crate) struct Macro {
    pub(crate) name: String,
    /// The words in its text that are not its parameters', and all of its text.
    pub(crate) words: Vec<String>,
    pub(crate) body: String,
    pub(crate) place: Place,
}

/// All that the files declare.
#[derive(Default)]
pub(crate) struct Declarations {
    pub(crate) objects: Vec<Object>,
    /// What the name at a place means.
    uses: FxHashMap<(FileId, usize), ObjectId>,
    pub(crate) types: Types,
    pub(crate) macros: Vec<Macro>,
    /// The names of the functions that the files define.
    functions: FxHashSet<String>,
    /// The names of types that a function of a file defines.
    own_types: FxHashSet<(FileId, String)>,
}

impl Declarations {
    /// Takes the declarations of files, headers before those that include them.
    pub(crate) fn of(sources: &[Source]) -> Self {
        let mut all = Self::default();
        let (mut external, mut shared) = (FxHashMap::default(), FxHashMap::default());
        for source in sources {
            let mut walk = Walk {
                all: &mut all,
                source,
                external: &mut external,
                scopes: vec![shared.clone(), FxHashMap::default()],
                ends: vec![source.text.len(), source.text.len()],
                function: None,
            };
            walk.visit(source.root());
            let own = walk.scopes.swap_remove(1);
            if source.role == Role::Header {
                shared.extend(own);
            }
        }
        all
    }

    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// The object that a name means, where it means one.
    pub(crate) fn meant(&self, source: &Source, name: Node<'_>) -> Option<ObjectId> {
        self.uses.get(&(source.id, name.start_byte())).copied()
    }

    /// Whether the files define a function.
    pub(crate) fn defines_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (0..self.objects.len() as u32).map(ObjectId)
    }

    /// Whether an object can be named at a place of a file.
    pub(crate) fn is_visible(&self, id: ObjectId, file: FileId, at: usize) -> bool {
        let object = self.object(id);
        if matches!(object.storage, Storage::Global) {
            let hides = |other: &Object| other.file == file && other.name == object.name && other.scope.contains(&at);
            let is_hidden = self.ids().any(|one| one != id && hides(self.object(one)));
            return !is_hidden && self.is_declared(id, file, at);
        }
        let inner = |other: &Object| {
            other.name == object.name
                && other.file == file
                && other.scope.contains(&at)
                && other.scope.start > object.scope.start
        };
        object.file == file && object.scope.contains(&at) && !self.ids().any(|one| one != id && inner(self.object(one)))
    }

    /// Whether a file declares a global object before a place, itself or by a header.
    fn is_declared(&self, id: ObjectId, file: FileId, at: usize) -> bool {
        let object = self.object(id);
        (object.file == file && object.scope.start <= at)
            || self.uses.iter().any(|((one, place), meant)| *one == file && *meant == id && *place <= at)
    }

    /// Whether any place of a file names an object.
    pub(crate) fn is_named_in(&self, id: ObjectId, file: FileId) -> bool {
        self.uses.iter().any(|((one, _), meant)| *one == file && *meant == id)
    }
}

type Scope = FxHashMap<String, ObjectId>;

struct Walk<'a> {
    all: &'a mut Declarations,
    source: &'a Source,
    external: &'a mut Scope,
    scopes: Vec<Scope>,
    /// Where each scope ends.
    ends: Vec<usize>,
    function: Option<String>,
}

/// What a declaration says of all its declarators.
#[derive(Clone, Copy, Default)]
struct Specifiers {
    is_static: bool,
    is_extern: bool,
    is_volatile: bool,
}

impl Walk<'_> {
    fn visit(&mut self, node: Node<'_>) {
        match node.kind() {
            "function_definition" => self.function_definition(node),
            "compound_statement" | "for_statement" => self.scoped(node),
            "declaration" => self.declaration(node, None),
            "type_definition" => {
                self.all.types.define(self.source, node);
                self.take_own_types(node);
                self.enumerations(node);
            }
            "enum_specifier" => {
                self.enumeration(node);
                self.take_own_types(node);
            }
            "struct_specifier" | "union_specifier" => {
                self.take_own_types(node);
                // Its members are taken with the type; constants may be declared inside.
                self.all.types.base_of(self.source, node);
                self.visit_children(node);
            }
            "identifier" => self.name(node),
            "preproc_def" | "preproc_function_def" => self.take_macro(node),
            "parameter_list" => {}
            _ => self.visit_children(node),
        }
    }

    fn visit_children(&mut self, node: Node<'_>) {
        children(node).into_iter().for_each(|child| self.visit(child));
    }

    fn scoped(&mut self, node: Node<'_>) {
        self.scopes.push(Scope::default());
        self.ends.push(node.end_byte());
        self.visit_children(node);
        self.scopes.pop();
        self.ends.pop();
    }

    fn enumerations(&mut self, node: Node<'_>) {
        for child in named_children(node) {
            if child.kind() == "enum_specifier" {
                self.enumeration(child);
            } else {
                self.enumerations(child);
            }
        }
    }

    fn enumeration(&mut self, node: Node<'_>) {
        let Some(body) = node.child_by_field_name("body") else { return };
        for enumerator in named_children(body).into_iter().filter(|one| one.kind() == "enumerator") {
            if let Some(value) = enumerator.child_by_field_name("value") {
                self.visit(value);
            }
            if let Some(name) = enumerator.child_by_field_name("name") {
                self.declare(name, CType::Enum, Storage::Enumerator, Specifiers::default(), true);
            }
        }
    }

    fn take_macro(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let body = node.child_by_field_name("value").map_or("", |value| self.source.text(value));
        let parameters = node.child_by_field_name("parameters").map_or_else(Vec::new, named_children);
        let is_parameter = |word: &str| parameters.iter().any(|one| self.source.text(*one) == word);
        self.all.macros.push(Macro {
            name: self.source.text(name).to_owned(),
            words: words(body).filter(|word| !is_parameter(word)).map(str::to_owned).collect(),
            body: body.to_owned(),
            place: self.source.place(name),
        });
    }

    fn name(&mut self, node: Node<'_>) {
        let name = self.source.text(node);
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied();
        if let Some(id) = found.filter(|id| self.all.object(*id).storage != Storage::Function) {
            self.all.uses.insert((self.source.id, node.start_byte()), id);
        }
    }

    fn function_definition(&mut self, node: Node<'_>) {
        let base = self.all.types.base(self.source, node);
        self.enumerations_of_type(node);
        let Some(declarator) = node.child_by_field_name("declarator") else { return self.visit_children(node) };
        let Some((name, _)) = declared(declarator, base) else { return self.visit_children(node) };
        self.declare(name, CType::Function, Storage::Function, Specifiers::default(), true);
        let name = self.source.text(name).to_owned();
        self.all.functions.insert(name.clone());
        self.function = Some(name);
        self.scopes.push(Scope::default());
        self.ends.push(node.end_byte());
        if let Some(function) = function_declarator(declarator) {
            self.parameters(function);
        }
        for child in named_children(node) {
            match child.kind() {
                // Parameters of old: their declarations stand before the body.
                "declaration" => self.declaration(child, Some(Storage::Parameter)),
                "compound_statement" => self.visit_children(child),
                _ => {}
            }
        }
        self.scopes.pop();
        self.ends.pop();
        self.function = None;
    }

    fn enumerations_of_type(&mut self, node: Node<'_>) {
        if let Some(ty) = node.child_by_field_name("type") {
            self.visit(ty);
        }
    }

    fn parameters(&mut self, function: Node<'_>) {
        let Some(list) = function.child_by_field_name("parameters") else { return };
        for parameter in named_children(list).into_iter().filter(|one| one.kind() == "parameter_declaration") {
            let base = self.all.types.base(self.source, parameter);
            let Some(declarator) = parameter.child_by_field_name("declarator") else { continue };
            let Some((name, ty)) = declared(declarator, base) else { continue };
            // An array that is a parameter is a pointer.
            let ty = match ty {
                CType::Array(element) => CType::Pointer(element),
                other => other,
            };
            let specifiers = self.specifiers(parameter);
            self.declare(name, ty, Storage::Parameter, specifiers, true);
        }
    }

    fn specifiers(&self, declaration: Node<'_>) -> Specifiers {
        let mut specifiers = Specifiers::default();
        for child in named_children(declaration) {
            match (child.kind(), self.source.text(child)) {
                ("storage_class_specifier", "static") => specifiers.is_static = true,
                ("storage_class_specifier", "extern") => specifiers.is_extern = true,
                ("type_qualifier", "volatile") => specifiers.is_volatile = true,
                _ => {}
            }
        }
        specifiers
    }

    fn declaration(&mut self, node: Node<'_>, storage: Option<Storage>) {
        let specifiers = self.specifiers(node);
        if let Some(ty) = node.child_by_field_name("type") {
            self.enumerations_in(ty);
            self.take_own_types(ty);
        }
        let base = self.all.types.base(self.source, node);
        for declarator in fields(node, "declarator") {
            let Some((name, ty)) = declared(declarator, base.clone()) else { continue };
            let storage = if ty == CType::Function { Storage::Function } else { self.storage(specifiers, storage) };
            let value = declarator.child_by_field_name("value");
            let is_defined = !specifiers.is_extern || value.is_some();
            let id = self.declare(name, ty, storage, specifiers, is_defined);
            // A name is in scope in its own initial value, and in the sizes of its array.
            self.visit_children(declarator);
            if storage == Storage::LocalStatic {
                self.all.objects[id.index()].declared = self.declared(node, declarator, name);
            }
        }
    }

    /// The declaration of a static local, unless it depends on what its function alone knows.
    fn declared(&self, declaration: Node<'_>, declarator: Node<'_>, name: Node<'_>) -> Option<Declared> {
        let text = |from: usize, to: usize| &self.source.text[from..to];
        let first = declaration.child_by_field_name("declarator")?;
        let specifiers = named_children(declaration).into_iter().filter(|child| child.end_byte() <= first.start_byte());
        let is_known = |node: Node<'_>| self.is_known_outside(node, name, declaration);
        if !specifiers.into_iter().all(is_known) || !is_known(declarator) {
            return None;
        }
        let specifiers = text(declaration.start_byte(), first.start_byte());
        Some(Declared {
            before: format!("{specifiers}{}", text(declarator.start_byte(), name.start_byte())),
            after: text(name.end_byte(), declarator.end_byte()).to_owned(),
        })
    }

    /// Whether all names in a part of a declaration mean outside of the function what they mean in
    /// it. The name that is declared does not count.
    fn is_known_outside(&self, node: Node<'_>, declared: Node<'_>, declaration: Node<'_>) -> bool {
        let text = || self.source.text(node).to_owned();
        let is_known = match node.kind() {
            "identifier" if node == declared => true,
            "identifier" => self.all.meant(self.source, node).is_none_or(|id| {
                let object = self.all.object(id);
                object.function.is_none() || declaration.byte_range().contains(&object.scope.start)
            }),
            "type_identifier" => !self.all.own_types.contains(&(self.source.id, text())),
            _ => true,
        };
        let is_defined_here = node.child_by_field_name("body").and_then(|_| node.child_by_field_name("name"));
        let parts = children(node).into_iter().filter(|child| Some(*child) != is_defined_here);
        is_known && parts.into_iter().all(|child| self.is_known_outside(child, declared, declaration))
    }

    /// Takes the names of types that are defined inside of a function.
    fn take_own_types(&mut self, node: Node<'_>) {
        if self.function.is_none() {
            return;
        }
        let tag = node.child_by_field_name("body").and_then(|_| node.child_by_field_name("name"));
        let names = fields(node, "declarator").into_iter().filter(|_| node.kind() == "type_definition");
        let names = names.filter_map(|one| Some(declared(one, CType::Void)?.0)).chain(tag);
        let names: Vec<String> = names.map(|name| self.source.text(name).to_owned()).collect();
        self.all.own_types.extend(names.into_iter().map(|name| (self.source.id, name)));
        named_children(node).into_iter().for_each(|child| self.take_own_types(child));
    }

    fn enumerations_in(&mut self, ty: Node<'_>) {
        if ty.kind() == "enum_specifier" { self.enumeration(ty) } else { self.enumerations(ty) }
    }

    fn storage(&self, specifiers: Specifiers, given: Option<Storage>) -> Storage {
        match given {
            Some(storage) => storage,
            None if self.function.is_none() && specifiers.is_static => Storage::FileStatic,
            None if self.function.is_none() || specifiers.is_extern => Storage::Global,
            None if specifiers.is_static => Storage::LocalStatic,
            None => Storage::Local,
        }
    }

    fn declare(
        &mut self,
        name: Node<'_>,
        ty: CType,
        storage: Storage,
        specifiers: Specifiers,
        is_defined: bool,
    ) -> ObjectId {
        let text = self.source.text(name).to_owned();
        let known = match storage {
            Storage::Global => self.external.get(&text).copied(),
            // The same name twice in one scope is one object, as behind `#if` and `#else`.
            _ => self.scopes.last().and_then(|scope| scope.get(&text)).copied(),
        };
        let known = known.filter(|id| self.all.object(*id).storage == storage);
        let id = known.unwrap_or(ObjectId(self.all.objects.len() as u32));
        let object = Object {
            name: text.clone(),
            file: self.source.id,
            function: self.function.clone().filter(|_| storage != Storage::Global),
            place: self.source.place(name),
            ty,
            storage,
            is_volatile: specifiers.is_volatile,
            is_defined,
            scope: name.end_byte()..self.ends.last().copied().unwrap_or_default(),
            declared: None,
        };
        match known {
            None => self.all.objects.push(object),
            // Of several declarations the one that defines it counts.
            Some(id) if is_defined && !self.all.object(id).is_defined => self.all.objects[id.index()] = object,
            Some(_) => {}
        }
        if storage == Storage::Global {
            self.external.insert(text.clone(), id);
        }
        self.all.uses.insert((self.source.id, name.start_byte()), id);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(text, id);
        }
        id
    }
}

/// The part of a declarator that has the parameters of the function that is defined.
pub(crate) fn function_declarator(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut found = None;
    let mut at = Some(declarator);
    while let Some(node) = at {
        if node.kind() == "function_declarator" {
            found = Some(node);
        }
        at = match node.kind() {
            "parenthesized_declarator" => named_children(node).into_iter().next(),
            _ => node.child_by_field_name("declarator"),
        };
    }
    found
}
