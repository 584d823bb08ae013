//! Graphs as bytes: those below come before those above, and each once.

use super::super::configuration::Configuration;
use super::{ConfigurationId, Deadline, Graph, GraphValue, Junction, Leaf, Peaks, VertexId, VertexKind};
use crate::automaton::alternating::NodeId;
use crate::automaton::metric::{self, Metric};
use crate::saved::{Reader, RestoreError, Writer};
use rustc_hash::{FxHashMap, FxHashSet};

/// Gives a number to a configuration; none where a graph has no configurations.
pub(in crate::engine) type Numbering<'a> = dyn FnMut(Configuration) -> Option<ConfigurationId> + 'a;

impl Graph {
    /// Writes what is not decided yet; `configuration` tells which has a number.
    pub(in crate::engine) fn save<'a>(
        &self,
        configuration: &dyn Fn(ConfigurationId) -> Option<&'a Configuration>,
        to: &mut Writer,
    ) {
        let Peaks { vertices, timers, configurations } = self.peaks;
        [vertices, timers, configurations].into_iter().for_each(|peak| to.size(peak));
        let order = self.in_order();
        let places: FxHashMap<VertexId, usize> = order.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        to.bit(self.root == GraphValue::Known(true));
        to.size(order.len());
        for id in order {
            match self.vertices[id.index()].kind {
                VertexKind::Leaf(leaf) => save_leaf(leaf, configuration, to),
                VertexKind::Branch(junction) => {
                    let below: Vec<usize> = self.below(id).map(|child| places[&child]).collect();
                    to.tag(if junction == Junction::And { 2 } else { 3 });
                    to.size(below.len());
                    below.into_iter().for_each(|place| to.size(place));
                }
                VertexKind::Free => unreachable!("nothing leads to a free place"),
            }
        }
    }

    /// Reads a graph over an automaton into one that is empty.
    pub(in crate::engine) fn restore(
        &mut self,
        automaton: &Metric,
        number: &mut Numbering<'_>,
        from: &mut Reader<'_>,
    ) -> Result<(), RestoreError> {
        self.peaks = Peaks { vertices: from.size()?, timers: from.size()?, configurations: from.size()? };
        let known = GraphValue::Known(from.bit()?);
        let count = from.count()?;
        let mut made: Vec<GraphValue> = Vec::new();
        for _ in 0..count {
            let value = match from.tag()? {
                tag @ (0 | 1) => GraphValue::Open(self.leaf_of(restored_leaf(tag, automaton, number, from)?)),
                2 => self.restored_branch(Junction::And, &made, from)?,
                3 => self.restored_branch(Junction::Or, &made, from)?,
                _ => return Err(RestoreError::Damaged),
            };
            made.push(value);
        }
        self.set_root(made.last().copied().unwrap_or(known));
        Ok(())
    }

    fn restored_branch(
        &mut self,
        junction: Junction,
        made: &[GraphValue],
        from: &mut Reader<'_>,
    ) -> Result<GraphValue, RestoreError> {
        let below = (0..from.count()?).map(|_| from.index(made.len()).map(|place| made[place]));
        let below = below.collect::<Result<Vec<GraphValue>, _>>()?;
        if below.is_empty() { Err(RestoreError::Damaged) } else { Ok(self.branch(junction, below)) }
    }

    /// The vertices that the root needs, those below first.
    fn in_order(&self) -> Vec<VertexId> {
        let GraphValue::Open(root) = self.root else { return Vec::new() };
        let mut met: FxHashSet<VertexId> = FxHashSet::default();
        let (mut open, mut order) = (vec![Visit::Enter(root)], Vec::new());
        while let Some(visit) = open.pop() {
            match visit {
                Visit::Leave(id) => order.push(id),
                Visit::Enter(id) => {
                    if met.insert(id) {
                        open.push(Visit::Leave(id));
                        open.extend(self.below(id).map(Visit::Enter));
                    }
                }
            }
        }
        order
    }

    fn below(&self, id: VertexId) -> impl Iterator<Item = VertexId> + '_ {
        self.edges.children(&self.vertices[id.index()].ends).map(|edge| self.edges.child(edge))
    }
}

/// A step of the walk over a graph: what is still to be done with a vertex.
enum Visit {
    Enter(VertexId),
    Leave(VertexId),
}

fn save_leaf<'a>(leaf: Leaf, configuration: &dyn Fn(ConfigurationId) -> Option<&'a Configuration>, to: &mut Writer) {
    match leaf {
        Leaf::Timer(node, Deadline(deadline)) => {
            to.tag(0);
            to.size(node.index());
            to.number((deadline >> u64::BITS) as u64);
            to.number(deadline as u64);
        }
        Leaf::Configuration(id) => {
            to.tag(1);
            configuration(id).expect("a configuration that waits").save(to);
        }
    }
}

fn restored_leaf(
    tag: u8,
    automaton: &Metric,
    number: &mut Numbering<'_>,
    from: &mut Reader<'_>,
) -> Result<Leaf, RestoreError> {
    if tag == 1 {
        let configuration = Configuration::restore(automaton, from)?;
        return number(configuration).map(Leaf::Configuration).ok_or(RestoreError::Damaged);
    }
    let node = NodeId::new(from.index(automaton.nodes().len())?);
    match automaton.node(node).kind {
        metric::Kind::Timer { .. } => {
            let [high, low] = [from.number()?, from.number()?].map(u128::from);
            Ok(Leaf::Timer(node, Deadline(high << u64::BITS | low)))
        }
        metric::Kind::Leaf(_) => Err(RestoreError::Damaged),
    }
}
