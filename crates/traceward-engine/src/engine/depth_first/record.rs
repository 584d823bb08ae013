//! The search as a tree: which nodes were looked at, at which positions, and what was found.
//!
//! A run of the paper is the part of that tree that made the search succeed: of what was found to
//! hold, that below something that was found to hold itself.

use crate::automaton::alternating::Condition;
use crate::engine::walkthrough::{
    Conclusion, Content, Guide, HeldGraph, HeldId, HeldVertex, Stage, WalkthroughError, WalkthroughStep,
};
use crate::limit::GaveUp;

/// Somebody who watches a search.
pub(super) trait Watch {
    /// The reason why the search cannot go on.
    type Error: From<GaveUp>;

    /// A condition is looked at, at a position.
    fn looked(&mut self, condition: Condition, position: u32, patience: Patience) -> Result<(), Self::Error>;

    /// The value of what was looked at last is found.
    fn found(&mut self, value: bool);

    /// The value decides what has waited for it.
    fn decided(&mut self, value: bool);

    /// The value does not decide what has waited for it: another part of that is looked at.
    fn goes_on(&mut self, patience: Patience);
}

/// The behaviour of something that is looked at, towards the values found below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Patience {
    /// It waits for the values, and is decided by some of them: a connective, or a window.
    Waits,
    /// It has the value that is found next.
    Passes,
}

/// Nobody.
pub(super) struct Unwatched;

impl Watch for Unwatched {
    type Error = GaveUp;

    #[inline(always)]
    fn looked(&mut self, _: Condition, _: u32, _: Patience) -> Result<(), GaveUp> {
        Ok(())
    }

    #[inline(always)]
    fn found(&mut self, _: bool) {}

    #[inline(always)]
    fn decided(&mut self, _: bool) {}

    #[inline(always)]
    fn goes_on(&mut self, _: Patience) {}
}

/// A search that is written down.
pub(super) struct Record<'a> {
    guide: &'a Guide<'a>,
    attempts: HeldGraph,
    /// For each vertex whether it is a node. Others are connectives.
    is_node: Vec<bool>,
    /// The vertices from the top down to the one that is looked at.
    path: Vec<(HeldId, Patience)>,
}

impl Watch for Record<'_> {
    type Error = WalkthroughError;

    fn looked(&mut self, condition: Condition, position: u32, patience: Patience) -> Result<(), WalkthroughError> {
        let vertex = match condition {
            // It holds, and whatever led to it does.
            Condition::Empty => return Ok(()),
            Condition::Node(node) => {
                HeldVertex { position: Some(position as usize), ..HeldVertex::new(node.to_string()) }
            }
            Condition::And(..) => HeldVertex::new("∧"),
            Condition::Or(..) => HeldVertex::new("∨"),
        };
        self.guide.allow(self.attempts.vertices.len() + 1)?;
        self.is_node.push(vertex.position.is_some());
        let parent = self.path.last().map(|(id, _)| *id);
        let id = self.attempts.add(parent, vertex);
        self.path.push((id, patience));
        Ok(())
    }

    fn found(&mut self, value: bool) {
        while let Some((id, Patience::Passes)) = self.path.last() {
            self.attempts.vertices[id.index()].value = Some(value);
            self.path.pop();
        }
    }

    fn decided(&mut self, value: bool) {
        if let Some((id, _)) = self.path.pop() {
            self.attempts.vertices[id.index()].value = Some(value);
        }
    }

    fn goes_on(&mut self, patience: Patience) {
        if let Some(waiting) = self.path.last_mut() {
            waiting.1 = patience;
        }
    }
}

impl<'a> Record<'a> {
    pub(super) fn new(guide: &'a Guide<'a>) -> Self {
        Self { guide, attempts: HeldGraph::default(), is_node: Vec::new(), path: Vec::new() }
    }

    /// The search as a step: all attempts, and the run if one was found.
    pub(super) fn step(self, holds: bool) -> WalkthroughStep {
        let run = holds.then(|| Stage::new("run", Content::Graph(self.run())));
        let mut stages = vec![Stage::new("attempts", Content::Graph(self.attempts))];
        stages.extend(run);
        WalkthroughStep { state: None, stages, conclusion: Conclusion::Here(holds) }
    }

    /// The nodes that hold below nodes that hold, without the connectives between them.
    fn run(&self) -> HeldGraph {
        let mut run = HeldGraph::default();
        let mut open: Vec<(HeldId, Option<HeldId>)> = self.attempts.roots.iter().rev().map(|id| (*id, None)).collect();
        while let Some((id, parent)) = open.pop() {
            let vertex = self.attempts.vertex(id);
            if vertex.value != Some(true) {
                continue;
            }
            let below = match self.is_node[id.index()] {
                true => {
                    let node = HeldVertex { value: None, children: Vec::new(), ..vertex.clone() };
                    Some(run.add(parent, node))
                }
                false => parent,
            };
            open.extend(vertex.children.iter().rev().map(|child| (*child, below)));
        }
        run
    }
}
