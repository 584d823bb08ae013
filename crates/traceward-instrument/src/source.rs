//! A C file: its text, its tree, and places in it.

use crate::problem::{Place, Problem};
use crate::stand_in::{Shapes, StandIn};
use tree_sitter::{Node, Parser, Tree};

/// The deepest tree that is looked at, because that is done recursively.
const DEEPEST: usize = 1500;

/// A C file as it was handed over.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name for messages and for `#line`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A file among those that are looked at: headers first, then the files to instrument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct FileId(pub(crate) u32);

impl FileId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The part that a file has in the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A file that is instrumented.
    Program,
    /// A file that is included by others. It gets a copy if its functions write.
    Header,
}

/// A parsed C file.
pub(crate) struct Source {
    pub(crate) id: FileId,
    pub(crate) role: Role,
    pub(crate) name: String,
    pub(crate) text: String,
    /// What stands in the tree for macros that are no expressions.
    stand_ins: Vec<StandIn>,
    tree: Tree,
}

impl Source {
    pub(crate) fn parse(id: FileId, role: Role, file: &SourceFile, macros: &Shapes) -> Result<Self, Problem> {
        let unreadable = |why: &str| Problem::new(format!("{}: {why}", file.name));
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_c::LANGUAGE.into())
            .map_err(|_| unreadable("this version of the C grammar cannot be used"))?;
        let (parsed, stand_ins) = macros.replaced(&file.text);
        let tree = parser.parse(&parsed, None).ok_or_else(|| unreadable("the file cannot be parsed"))?;
        if depth(&tree) > DEEPEST {
            let problem = unreadable("expressions or statements are nested too deeply to be looked at");
            return Err(problem.help("split the deepest of them into several statements"));
        }
        Ok(Self { id, role, name: file.name.clone(), text: file.text.clone(), stand_ins, tree })
    }

    /// The end of a statement. What stands in for a macro at its end may be shorter than the macro.
    pub(crate) fn end_of(&self, statement: Node<'_>) -> usize {
        let end = statement.end_byte();
        let last = self.stand_ins.iter().find(|one| one.range.start < end && end < one.range.end);
        last.map_or(end, |one| one.range.end)
    }

    pub(crate) fn stand_ins(&self) -> &[StandIn] {
        &self.stand_ins
    }

    /// The macro for which a statement stands in the tree.
    pub(crate) fn macro_behind(&self, statement: Node<'_>) -> Option<&StandIn> {
        let is_one =
            matches!(statement.kind(), "for_statement" | "if_statement" | "switch_statement" | "expression_statement");
        self.stand_ins.iter().find(|one| is_one && one.range.start == statement.start_byte())
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The smallest node that ends at a place.
    pub(crate) fn node_before(&self, end: usize) -> Option<Node<'_>> {
        self.root().descendant_for_byte_range(end.checked_sub(1)?, end)
    }

    pub(crate) fn text(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    pub(crate) fn place(&self, node: Node<'_>) -> Place {
        Place { file: self.name.clone(), line: line(node), column: node.start_position().column as u32 + 1 }
    }

    /// The file's name without its folders.
    pub(crate) fn base_name(&self) -> &str {
        base_name(&self.name)
    }
}

/// The part of a path behind its last separator.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The line at which a node begins, from 1.
pub(crate) fn line(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// The line at which a node ends, from 1.
pub(crate) fn last_line(node: Node<'_>) -> u32 {
    node.end_position().row as u32 + 1
}

/// The children of a node with a field's name.
pub(crate) fn fields<'a>(node: Node<'a>, field: &str) -> Vec<Node<'a>> {
    node.children_by_field_name(field, &mut node.walk()).collect()
}

/// All children of a node.
pub(crate) fn children<'a>(node: Node<'a>) -> Vec<Node<'a>> {
    node.children(&mut node.walk()).collect()
}

/// The named children of a node.
pub(crate) fn named_children<'a>(node: Node<'a>) -> Vec<Node<'a>> {
    node.named_children(&mut node.walk()).filter(|child| child.kind() != "comment").collect()
}

/// Whether a node or something below it is of one of these kinds.
pub(crate) fn contains(node: Node<'_>, kinds: &[&str]) -> bool {
    kinds.contains(&node.kind()) || children(node).into_iter().any(|child| contains(child, kinds))
}

/// The words in a text of C.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

fn depth(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let (mut now, mut most) = (0, 0);
    loop {
        most = most.max(now);
        if cursor.goto_first_child() {
            now += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return most;
            }
            now -= 1;
        }
    }
}

/// The headers that a C file includes by names in quotes, as they are written there.
pub fn quoted_includes(text: &str) -> Vec<&str> {
    let name = |line: &'_ str| -> Option<(usize, usize)> {
        let directive = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let rest = directive.strip_prefix('"')?;
        let start = line.len() - rest.len();
        Some((start, start + rest.find('"')?))
    };
    text.lines().filter_map(|line| name(line).map(|(start, end)| &line[start..end])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_in_quotes_are_found() {
        let text = "#include <stdio.h>\n#include \"a.h\"\n  # include \"b/c.h\" // why\nint x; // #include \"no.h\"\n";
        assert_eq!(quoted_includes(text), ["a.h", "b/c.h"]);
    }
}
