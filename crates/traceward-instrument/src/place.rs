//! The places that expressions of C mean: an object and a path, or whatever a pointer points at.

use crate::ctype::CType;
use crate::declare::{Declarations, ObjectId};
use crate::source::{Source, contains, named_children};
use crate::watch::{Step, Watch};
use tree_sitter::Node;

/// What an expression on the left of an assignment means.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// An object or a part of it.
    Object(ObjectId, Vec<TargetStep>),
    /// What a pointer points at, and its type if that is known.
    Pointed(Option<CType>),
    /// Nothing that can be watched.
    Other,
}

/// A step to a part of an object.
#[derive(Clone, Debug)]
pub(crate) enum TargetStep {
    Member(String),
    Index(u64),
    /// An index that is computed: its text, if computing it again changes nothing.
    Computed(Option<String>),
}

/// The way in which a write to a target concerns a watched variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Touch {
    /// It is written, if these conditions hold.
    Written(Vec<String>),
    /// It may have become another.
    Seen,
}

/// Expressions that have effects.
const EFFECTS: [&str; 4] = ["assignment_expression", "update_expression", "call_expression", "compound_statement"];

/// Whether an expression can be evaluated again.
pub(crate) fn is_pure(node: Node<'_>) -> bool {
    !contains(node, &EFFECTS)
}

/// Expressions, parentheses and casts taken off.
pub(crate) fn bare(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "parenthesized_expression" => named_children(node).into_iter().next().map_or(node, bare),
        "cast_expression" => node.child_by_field_name("value").map_or(node, bare),
        _ => node,
    }
}

/// The operator of an expression.
pub(crate) fn operator<'a>(source: &'a Source, node: Node<'_>) -> &'a str {
    node.child_by_field_name("operator").map_or("", |operator| source.text(operator))
}

impl Declarations {
    /// The place that an expression means.
    pub(crate) fn target(&self, source: &Source, node: Node<'_>) -> Target {
        let argument = |field: &str| node.child_by_field_name(field);
        match node.kind() {
            "parenthesized_expression" => match named_children(node).as_slice() {
                [inner] => self.target(source, *inner),
                _ => Target::Other,
            },
            "identifier" => self.meant(source, node).map_or(Target::Other, |id| Target::Object(id, Vec::new())),
            "field_expression" => match (argument("argument"), argument("field")) {
                (Some(whole), Some(member)) => self.member(source, node, whole, source.text(member)),
                _ => Target::Other,
            },
            "subscript_expression" => match (argument("argument"), argument("index")) {
                (Some(whole), Some(index)) => self.element(source, whole, computed(source, index)),
                _ => Target::Other,
            },
            "pointer_expression" if operator(source, node) == "*" => {
                argument("argument").map_or(Target::Other, |pointer| self.pointed(source, pointer))
            }
            _ => Target::Other,
        }
    }

    fn member(&self, source: &Source, node: Node<'_>, whole: Node<'_>, member: &str) -> Target {
        let whole = match operator(source, node) {
            "->" => self.pointed(source, whole),
            _ => self.target(source, whole),
        };
        match whole {
            Target::Object(id, mut path) => {
                path.push(TargetStep::Member(member.to_owned()));
                Target::Object(id, path)
            }
            Target::Pointed(ty) => {
                let aggregate = ty.and_then(|ty| self.types.aggregate(source.id, &ty).cloned());
                let member = aggregate.and_then(|one| self.types.member(source.id, &one, member));
                Target::Pointed(member.map(|member| member.ty))
            }
            Target::Other => Target::Other,
        }
    }

    /// What a pointer points at: `&x` at x, and an array at its first element.
    fn pointed(&self, source: &Source, pointer: Node<'_>) -> Target {
        let inner = match pointer.kind() {
            "parenthesized_expression" => named_children(pointer).into_iter().next().unwrap_or(pointer),
            _ => pointer,
        };
        if inner.kind() == "pointer_expression" && operator(source, inner) == "&" {
            return inner.child_by_field_name("argument").map_or(Target::Other, |object| self.target(source, object));
        }
        self.element(source, inner, TargetStep::Index(0))
    }

    fn element(&self, source: &Source, whole: Node<'_>, index: TargetStep) -> Target {
        match self.target(source, whole) {
            Target::Object(id, mut path) => match self.part_type(id, &path) {
                Some(CType::Array(_)) => {
                    path.push(index);
                    Target::Object(id, path)
                }
                Some(CType::Pointer(element)) => Target::Pointed(Some(*element)),
                _ => Target::Pointed(None),
            },
            Target::Pointed(Some(CType::Pointer(element) | CType::Array(element))) => Target::Pointed(Some(*element)),
            Target::Pointed(_) | Target::Other => Target::Pointed(None),
        }
    }

    /// The type of what an argument points at, if it is a pointer that came from elsewhere. Of an
    /// opaque type no part is watched.
    pub(crate) fn pointed_type(&self, source: &Source, argument: Node<'_>) -> Option<CType> {
        let argument = bare(argument);
        let part = |field: &str| self.pointed_type(source, argument.child_by_field_name(field)?);
        let ty = match argument.kind() {
            "binary_expression" if ["+", "-"].contains(&operator(source, argument)) => {
                part("left").or_else(|| part("right"))
            }
            "conditional_expression" => part("consequence").or_else(|| part("alternative")),
            "pointer_expression" if operator(source, argument) == "&" => {
                match self.target(source, argument.child_by_field_name("argument")?) {
                    Target::Pointed(ty) => ty,
                    _ => None,
                }
            }
            _ => {
                let ty = match self.target(source, argument) {
                    Target::Object(id, path) => self.part_type(id, &path).filter(|ty| matches!(ty, CType::Pointer(_))),
                    Target::Pointed(ty) => ty,
                    Target::Other => None,
                };
                match ty? {
                    CType::Pointer(element) | CType::Array(element) => Some(*element),
                    _ => None,
                }
            }
        };
        ty.filter(|ty| !matches!(ty, CType::Unknown(_) | CType::Function))
    }

    /// The type of a part of an object, where it is known.
    pub(crate) fn part_type(&self, id: ObjectId, path: &[TargetStep]) -> Option<CType> {
        let object = self.object(id);
        path.iter().try_fold(object.ty.clone(), |ty, step| match (step, ty) {
            (TargetStep::Member(name), ty) => {
                let aggregate = self.types.aggregate(object.file, &ty)?;
                self.types.member(object.file, aggregate, name).map(|member| member.ty)
            }
            (_, CType::Array(element) | CType::Pointer(element)) => Some(*element),
            _ => None,
        })
    }

    /// How a write to a part of an object concerns a watched variable.
    pub(crate) fn touch(&self, id: ObjectId, path: &[TargetStep], watch: &Watch) -> Option<Touch> {
        if watch.object != id {
            return None;
        }
        let mut conditions = Vec::new();
        for (at, (written, watched)) in path.iter().zip(&watch.path).enumerate() {
            match (written, watched) {
                (TargetStep::Member(a), Step::Member(b)) if a == b => {}
                (TargetStep::Member(a), Step::Member(_)) => return self.shared(id, &path[..at], a),
                (TargetStep::Index(a), Step::Index(b)) if a == b => {}
                (TargetStep::Index(_), Step::Index(_)) => return None,
                (TargetStep::Computed(Some(text)), Step::Index(b)) => conditions.push(format!("({text}) == {b}")),
                _ => return Some(Touch::Seen),
            }
        }
        Some(Touch::Written(conditions))
    }

    /// Whether a watched variable shares its memory with other members of a union.
    pub(crate) fn is_in_union(&self, watch: &Watch) -> bool {
        let file = self.object(watch.object).file;
        let mut ty = self.object(watch.object).ty.clone();
        for step in &watch.path {
            ty = match (step, ty) {
                (Step::Member(name), ty) => {
                    let Some(aggregate) = self.types.aggregate(file, &ty) else { return false };
                    if self.types.shares_memory(file, aggregate, name) {
                        return true;
                    }
                    let Some(member) = self.types.member(file, aggregate, name) else { return false };
                    member.ty
                }
                (Step::Index(_), CType::Array(element)) => *element,
                _ => return false,
            };
        }
        false
    }

    /// A write to another member: it concerns those that share its memory.
    fn shared(&self, id: ObjectId, whole: &[TargetStep], member: &str) -> Option<Touch> {
        let file = self.object(id).file;
        let Some(ty) = self.part_type(id, whole) else { return Some(Touch::Seen) };
        let aggregate = self.types.aggregate(file, &ty);
        let shares = aggregate.is_none_or(|one| self.types.shares_memory(file, one, member));
        shares.then_some(Touch::Seen)
    }
}

fn computed(source: &Source, index: Node<'_>) -> TargetStep {
    let text = source.text(index);
    match text.trim().parse() {
        Ok(number) if index.kind() == "number_literal" => TargetStep::Index(number),
        _ => TargetStep::Computed(
            (is_pure(index) && !contains(index, &["comment"]))
                .then(|| text.split_whitespace().collect::<Vec<_>>().join(" ")),
        ),
    }
}
