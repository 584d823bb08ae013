//! What engines hold, as text of several lines.

use super::{Content, HeldGraph, HeldId};
use std::fmt;

/// Writes sets and values side by side, states a line each, and graphs as trees with branches.
impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sets(sets) => write_lines(f, sets.iter().map(ToString::to_string), WIDEST),
            Self::Values(values) => {
                write_lines(f, values.iter().map(|(name, value)| format!("{name}: {value}")), WIDEST)
            }
            Self::States(states) => write_lines(f, states.iter().map(ToString::to_string), 0),
            Self::Graph(graph) => graph.fmt(f),
        }
    }
}

/// The number of letters behind which a line is full.
const WIDEST: usize = 100;

/// Writes texts in lines, as many in a line as there is room for, but at least one.
fn write_lines(f: &mut fmt::Formatter<'_>, texts: impl Iterator<Item = String>, widest: usize) -> fmt::Result {
    let mut column = 0;
    for (index, text) in texts.enumerate() {
        let width = text.chars().count();
        let is_full = column + 2 + width > widest;
        let between = match (index, is_full) {
            (0, _) => "",
            (_, true) => "\n",
            (_, false) => "  ",
        };
        write!(f, "{between}{text}")?;
        column = if is_full { width } else { column + between.len() + width };
    }
    f.write_str(if column == 0 { "none" } else { "" })
}

/// Writes a vertex a line, with branches to what is below it. A vertex that is below several is
/// written out where it is met first, with a number by which it is known again.
impl fmt::Display for HeldGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = Branches::new(self).lines();
        f.write_str(if lines.is_empty() { "nothing" } else { "" })?;
        f.write_str(&lines.join("\n"))
    }
}

/// A graph that is being written.
struct Branches<'a> {
    graph: &'a HeldGraph,
    parents: Vec<usize>,
    /// By the index of the vertex, the number of one that is shared and was written.
    numbers: Vec<Option<usize>>,
    shared: usize,
}

/// A vertex with the branches before it, and those before what is below it.
struct Twig {
    vertex: HeldId,
    before: String,
    below: String,
}

impl<'a> Branches<'a> {
    fn new(graph: &'a HeldGraph) -> Self {
        Self { graph, parents: graph.parents(), numbers: vec![None; graph.vertices.len()], shared: 0 }
    }

    fn lines(mut self) -> Vec<String> {
        let roots = self.graph.roots.iter().rev();
        let mut open: Vec<Twig> =
            roots.map(|&vertex| Twig { vertex, before: String::new(), below: String::new() }).collect();
        let mut lines = Vec::new();
        while let Some(Twig { vertex, before, below }) = open.pop() {
            let text = self.graph.vertex(vertex);
            if let Some(number) = self.numbers[vertex.index()] {
                lines.push(format!("{before}{text} ({number} again)"));
                continue;
            }
            let children = &text.children;
            let number = if children.is_empty() { String::new() } else { self.number(vertex) };
            lines.push(format!("{before}{text}{number}"));
            let last = children.last().copied();
            open.extend(children.iter().rev().map(|&child| {
                let is_last = Some(child) == last;
                let branch = if is_last { "└─ " } else { "├─ " };
                let trunk = if is_last { "   " } else { "│  " };
                Twig { vertex: child, before: format!("{below}{branch}"), below: format!("{below}{trunk}") }
            }));
        }
        lines
    }

    /// The number of a vertex that is below several others.
    fn number(&mut self, vertex: HeldId) -> String {
        if self.parents[vertex.index()] < 2 {
            return String::new();
        }
        self.shared += 1;
        self.numbers[vertex.index()] = Some(self.shared);
        format!(" ({})", self.shared)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HeldGraph, HeldVertex};

    /// A disjunction of two conjunctions that share a disjunction and a leaf.
    #[test]
    fn what_is_shared_is_written_out_once() {
        let mut graph = HeldGraph::default();
        let top = graph.add(None, HeldVertex::new("∨"));
        let left = graph.add(Some(top), HeldVertex::new("∧"));
        let right = graph.add(Some(top), HeldVertex::new("∧"));
        let shared = graph.add(Some(left), HeldVertex::new("∨"));
        let leaf = graph.add(Some(shared), HeldVertex::new("n1^2"));
        graph.add(Some(shared), HeldVertex::new("n2^0"));
        graph.hang(Some(right), shared);
        graph.hang(Some(right), leaf);
        let expected = "\
∨
├─ ∧
│  └─ ∨ (1)
│     ├─ n1^2
│     └─ n2^0
└─ ∧
   ├─ ∨ (1 again)
   └─ n1^2";
        assert_eq!(graph.to_string(), expected);
        assert_eq!(HeldGraph::default().to_string(), "nothing");
    }
}
