//! C types, as far as the files tell them.
//!
//! Headers of the system are not read, so a type may be known by its name only. The compiler knows
//! more: what depends on such a type is left to it.

use crate::source::{FileId, Source, children, fields, named_children};
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// A C type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CType {
    Bool,
    /// An integer with at most this many bits; `char` has the values of both its signs.
    Int {
        signed: bool,
        bits: u8,
    },
    Char,
    Enum,
    /// `float` and `double`: the values of the first are values of the second.
    Double,
    LongDouble,
    Pointer(Box<CType>),
    Array(Box<CType>),
    /// A struct or union, by its number in [`Types`].
    Aggregate(AggregateId),
    /// A struct or union by its tag.
    Tag(String),
    /// A type whose definition is not in the files.
    Unknown(String),
    Function,
    Void,
}

/// A struct or union with a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AggregateId(u32);

/// The members of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Aggregate {
    pub(crate) is_union: bool,
    members: Vec<Member>,
}

/// A member of a struct or union; without a name if its own members count as those of the whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Member {
    name: Option<String>,
    pub(crate) ty: CType,
    pub(crate) is_bit_field: bool,
}

/// The types that the files define.
#[derive(Default)]
pub(crate) struct Types {
    aggregates: Vec<Aggregate>,
    tags: FxHashMap<(FileId, String), AggregateId>,
    /// The tags of all files: another file may have included what defines it.
    any_tags: FxHashMap<String, AggregateId>,
    typedefs: FxHashMap<(FileId, String), CType>,
    any_typedefs: FxHashMap<String, CType>,
}

impl Types {
    /// The type that a declaration begins with, before its declarators.
    pub(crate) fn base(&mut self, source: &Source, declaration: Node<'_>) -> CType {
        match declaration.child_by_field_name("type") {
            Some(ty) => self.specified(source, ty),
            None => CType::Unknown(String::new()),
        }
    }

    /// The type that a specifier of a struct or union is, whose members are taken.
    pub(crate) fn base_of(&mut self, source: &Source, specifier: Node<'_>) -> CType {
        self.specified(source, specifier)
    }

    fn specified(&mut self, source: &Source, ty: Node<'_>) -> CType {
        let text = source.text(ty);
        match ty.kind() {
            "primitive_type" | "sized_type_specifier" => arithmetic(text),
            "type_identifier" => self.typedef(source.id, text),
            "enum_specifier" => CType::Enum,
            "struct_specifier" | "union_specifier" => self.aggregate_type(source, ty),
            _ => CType::Unknown(text.to_owned()),
        }
    }

    fn typedef(&self, file: FileId, name: &str) -> CType {
        let own = self.typedefs.get(&(file, name.to_owned())).or_else(|| self.any_typedefs.get(name));
        own.cloned().or_else(|| standard(name)).unwrap_or_else(|| CType::Unknown(name.to_owned()))
    }

    fn aggregate_type(&mut self, source: &Source, specifier: Node<'_>) -> CType {
        let tag = specifier.child_by_field_name("name").map(|name| source.text(name).to_owned());
        let Some(body) = specifier.child_by_field_name("body") else {
            return CType::Tag(tag.unwrap_or_default());
        };
        let mut members = Vec::new();
        for field in named_children(body) {
            self.members(source, field, &mut members);
        }
        let id = AggregateId(self.aggregates.len() as u32);
        self.aggregates.push(Aggregate { is_union: specifier.kind() == "union_specifier", members });
        if let Some(tag) = tag {
            self.any_tags.insert(tag.clone(), id);
            self.tags.insert((source.id, tag), id);
        }
        CType::Aggregate(id)
    }

    fn members(&mut self, source: &Source, field: Node<'_>, members: &mut Vec<Member>) {
        if field.kind() != "field_declaration" {
            // Members that depend on the preprocessor are all looked at.
            if field.kind().starts_with("preproc_") {
                named_children(field).into_iter().for_each(|child| self.members(source, child, members));
            }
            return;
        }
        let base = self.base(source, field);
        let is_bit_field = children(field).iter().any(|child| child.kind() == "bitfield_clause");
        let declarators = fields(field, "declarator");
        if declarators.is_empty() {
            members.push(Member { name: None, ty: base.clone(), is_bit_field });
        }
        for declarator in declarators {
            if let Some((name, ty)) = declared(declarator, base.clone()) {
                members.push(Member { name: Some(source.text(name).to_owned()), ty, is_bit_field });
            }
        }
    }

    /// Takes a `typedef`.
    pub(crate) fn define(&mut self, source: &Source, definition: Node<'_>) {
        let base = self.base(source, definition);
        for declarator in fields(definition, "declarator") {
            if let Some((name, ty)) = declared(declarator, base.clone()) {
                let name = source.text(name).to_owned();
                self.any_typedefs.insert(name.clone(), ty.clone());
                self.typedefs.insert((source.id, name), ty);
            }
        }
    }

    /// The struct or union that a type is, if its members are known.
    pub(crate) fn aggregate(&self, file: FileId, ty: &CType) -> Option<&Aggregate> {
        let id = match ty {
            CType::Aggregate(id) => *id,
            CType::Tag(tag) => *self.tags.get(&(file, tag.clone())).or_else(|| self.any_tags.get(tag))?,
            _ => return None,
        };
        self.aggregates.get(id.0 as usize)
    }

    /// A member of a struct or union, also of one without a name inside it.
    pub(crate) fn member(&self, file: FileId, aggregate: &Aggregate, name: &str) -> Option<Member> {
        aggregate.members.iter().find_map(|member| match &member.name {
            Some(own) => (own == name).then(|| member.clone()),
            None => self.aggregate(file, &member.ty).and_then(|inner| self.member(file, inner, name)),
        })
    }

    /// Whether a member of a union, or one without a name inside it, is meant by a name.
    pub(crate) fn shares_memory(&self, file: FileId, aggregate: &Aggregate, name: &str) -> bool {
        let inner = aggregate.members.iter().filter(|member| member.name.is_none());
        let mut inner = inner.filter_map(|member| self.aggregate(file, &member.ty));
        aggregate.is_union
            || inner.any(|one| self.member(file, one, name).is_some() && self.shares_memory(file, one, name))
    }

    /// Whether some struct has a bit-field of that name.
    pub(crate) fn has_bit_field(&self, name: &str) -> bool {
        let mut members = self.aggregates.iter().flat_map(|one| &one.members);
        members.any(|member| member.is_bit_field && member.name.as_deref() == Some(name))
    }

    /// The names of all members.
    pub(crate) fn member_names(&self, file: FileId, aggregate: &Aggregate) -> Vec<String> {
        let names = aggregate.members.iter().flat_map(|member| match &member.name {
            Some(name) => vec![name.clone()],
            None => self.aggregate(file, &member.ty).map_or_else(Vec::new, |inner| self.member_names(file, inner)),
        });
        names.collect()
    }
}

/// The name that a declarator declares, and its type.
pub(crate) fn declared<'a>(declarator: Node<'a>, base: CType) -> Option<(Node<'a>, CType)> {
    let inner = |node: Node<'a>| node.child_by_field_name("declarator");
    match declarator.kind() {
        "identifier" | "field_identifier" | "type_identifier" | "primitive_type" => Some((declarator, base)),
        "init_declarator" => declared(inner(declarator)?, base),
        "pointer_declarator" => declared(inner(declarator)?, CType::Pointer(Box::new(base))),
        "array_declarator" => declared(inner(declarator)?, CType::Array(Box::new(base))),
        "function_declarator" => declared(inner(declarator)?, CType::Function),
        "parenthesized_declarator" | "attributed_declarator" => {
            let inner = named_children(declarator).into_iter().find(|child| child.kind() != "attribute_declaration");
            declared(inner?, base)
        }
        _ => None,
    }
}

fn arithmetic(text: &str) -> CType {
    let words: Vec<&str> = text.split_whitespace().collect();
    let has = |word: &str| words.contains(&word);
    let longs = words.iter().filter(|word| **word == "long").count();
    let signed = !has("unsigned");
    match () {
        () if has("double") && longs > 0 => CType::LongDouble,
        () if has("double") || has("float") => CType::Double,
        () if has("char") && !has("signed") && signed => CType::Char,
        () if has("char") => CType::Int { signed, bits: 8 },
        () if has("short") => CType::Int { signed, bits: 16 },
        () if longs > 0 => CType::Int { signed, bits: 64 },
        () if words.iter().all(|word| ["signed", "unsigned", "int"].contains(word)) => CType::Int { signed, bits: 32 },
        () if has("void") => CType::Void,
        () if words.len() == 1 => standard(text).unwrap_or_else(|| CType::Unknown(text.to_owned())),
        () => CType::Unknown(text.to_owned()),
    }
}

/// The types of the standard's headers that everybody knows.
fn standard(name: &str) -> Option<CType> {
    let int = |signed, bits| CType::Int { signed, bits };
    Some(match name {
        "bool" | "_Bool" => CType::Bool,
        "int8_t" => int(true, 8),
        "int16_t" => int(true, 16),
        "int32_t" | "pid_t" | "wchar_t" | "sig_atomic_t" => int(true, 32),
        "int64_t" | "intmax_t" | "intptr_t" | "ssize_t" | "ptrdiff_t" | "off_t" | "time_t" => int(true, 64),
        "uint8_t" => int(false, 8),
        "uint16_t" => int(false, 16),
        "uint32_t" | "uid_t" | "gid_t" | "mode_t" => int(false, 32),
        "uint64_t" | "uintmax_t" | "uintptr_t" | "size_t" => int(false, 64),
        "atomic_bool" => CType::Bool,
        "atomic_int" => int(true, 32),
        "atomic_uint" => int(false, 32),
        "atomic_long" => int(true, 64),
        "atomic_ulong" | "atomic_size_t" => int(false, 64),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_types_are_known_by_their_words() {
        assert_eq!(arithmetic("unsigned"), CType::Int { signed: false, bits: 32 });
        assert_eq!(arithmetic("long long int"), CType::Int { signed: true, bits: 64 });
        assert_eq!(arithmetic("long unsigned"), CType::Int { signed: false, bits: 64 });
        assert_eq!(arithmetic("signed char"), CType::Int { signed: true, bits: 8 });
        assert_eq!(arithmetic("char"), CType::Char);
        assert_eq!(arithmetic("long double"), CType::LongDouble);
        assert_eq!(arithmetic("float"), CType::Double);
        assert_eq!(arithmetic("_Bool"), CType::Bool);
        assert_eq!(arithmetic("__int128"), CType::Unknown("__int128".to_owned()));
    }
}
