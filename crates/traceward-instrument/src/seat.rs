//! Seats of local variables: where those are whose address is taken.
//!
//! What a pointer points at in another function cannot be named there. So the runtime is told the
//! address of such a variable when it is declared, and when its block ends. That is a declaration
//! of a pointer with the cleanup attribute, behind the variable's own. It can also stand in the
//! head of a loop. A variable whose declaration may be jumped over has no seat: clang refuses such
//! code, and nobody would have told its address.

use crate::source::{Source, children, named_children};
use tree_sitter::Node;

/// The declaration around a name, if it is one of a function's body.
pub(crate) fn declaration_around(name: Node<'_>) -> Option<Node<'_>> {
    let mut node = name;
    while node.kind() != "declaration" {
        node = node.parent()?;
    }
    Some(node)
}

/// Whether a declaration is in the head of a loop.
pub(crate) fn is_in_head(declaration: Node<'_>) -> bool {
    declaration.parent().is_some_and(|parent| parent.kind() == "for_statement")
}

/// Whether a declaration of variables can also declare a pointer to its type, which does nothing
/// but what is put into its initial value.
pub(crate) fn takes_pointer(source: &Source, declaration: Node<'_>) -> bool {
    let is_plain = |child: &Node<'_>| match child.kind() {
        "storage_class_specifier" => false,
        // Attributes that stand in front are those of all variables.
        "attribute_specifier" | "attribute_declaration" | "ms_declspec_modifier" => false,
        _ => source.text(*child) != "__auto_type",
    };
    named_children(declaration).iter().all(is_plain)
}

/// Whether the address of a variable can be told where it is declared.
pub(crate) fn has_seat(source: &Source, declaration: Node<'_>) -> bool {
    let is_register = |child: &Node<'_>| source.text(*child) == "register";
    !named_children(declaration).iter().any(is_register)
        && (!is_in_head(declaration) || takes_pointer(source, declaration))
        && !is_jumped_over(source, declaration)
}

/// Whether control can get into the scope of a declaration, and not by way of it.
fn is_jumped_over(source: &Source, declaration: Node<'_>) -> bool {
    let Some(block) = scope_of(declaration) else { return true };
    if block.parent().is_some_and(|parent| parent.kind() == "switch_statement") {
        return true;
    }
    let inside = declaration.end_byte()..block.end_byte();
    let mut labels = Vec::new();
    if collect_labels(source, block, inside.start, &mut labels) {
        return true;
    }
    let mut function = block;
    while let Some(parent) = function.parent().filter(|_| function.kind() != "function_definition") {
        function = parent;
    }
    !labels.is_empty() && jumps_from_outside(source, function, &labels, &inside)
}

/// The node whose end is that of a declaration's scope.
fn scope_of(declaration: Node<'_>) -> Option<Node<'_>> {
    let mut node = declaration.parent()?;
    while !matches!(node.kind(), "compound_statement" | "for_statement") {
        node = node.parent()?;
    }
    Some(node)
}

/// Collects the labels of a block behind a place. Whether there is one of a `switch` around the
/// block comes back.
fn collect_labels<'a>(source: &'a Source, node: Node<'_>, behind: usize, labels: &mut Vec<&'a str>) -> bool {
    match node.kind() {
        "case_statement" if node.start_byte() >= behind => return true,
        "labeled_statement" if node.start_byte() >= behind => {
            labels.extend(node.child_by_field_name("label").map(|label| source.text(label)));
        }
        // Its labels are its own; those for jumps may be inside all the same.
        "switch_statement" => {
            children(node).into_iter().for_each(|child| {
                collect_labels(source, child, behind, labels);
            });
            return false;
        }
        _ => {}
    }
    let mut is_switched = false;
    for child in children(node) {
        is_switched |= collect_labels(source, child, behind, labels);
    }
    is_switched
}

/// Whether a jump from outside of a range may lead to one of these labels.
fn jumps_from_outside(source: &Source, node: Node<'_>, labels: &[&str], range: &std::ops::Range<usize>) -> bool {
    if node.kind() == "goto_statement" && !range.contains(&node.start_byte()) {
        let label = node.child_by_field_name("label").map(|label| source.text(label));
        // A label that is computed may be any.
        return label.is_none_or(|label| labels.contains(&label));
    }
    children(node).into_iter().any(|child| jumps_from_outside(source, child, labels, range))
}
