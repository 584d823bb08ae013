//! The layout of a graph: where its states and arrows go.
//!
//! States are in layers; an arrow that leads back to an earlier one is laid out as if it led
//! forward, and drawn the other way round. Between two layers of states is one of labels, each with
//! a place of its own, so that no label lies on another. A [`Plan`] may be of anything that has
//! nodes and arrows, so that there is one layout for all that has cycles.

use super::label::ShownLabels;
use super::{Graph, PictureTooLarge};
use crate::layers::{Item, Layers, MARGIN, NODE, Outline, Point, RoundedBox};

/// Room left of the initial state, for the arrow into it.
pub(crate) const ENTRY: f64 = 30.0;
/// The distance from line to line of a label.
pub(crate) const LINE: f64 = 14.0;
/// The height of a self-loop, without its label.
const LOOP: f64 = 26.0;
const LETTER: f64 = 6.6;
const BETWEEN_LAYERS: f64 = 26.0;
const BETWEEN_PORTS: f64 = 13.0;
/// What a node has above and below its arrows, together; and one that is lower than others.
const RIM: f64 = 31.0;
const LOW_RIM: f64 = 14.0;
/// The number of items that a picture may have, labels and bends among them.
const MOST_ITEMS: usize = 5_000;

/// What is to be laid out: nodes that know their layers, and arrows between them.
pub(crate) struct Plan {
    /// The nodes. Every second layer is for labels and bends, so theirs are even.
    pub(crate) nodes: Vec<Item>,
    /// The arrows.
    pub(crate) arrows: Vec<PlannedArrow>,
}

/// An arrow of a [`Plan`].
pub(crate) struct PlannedArrow {
    /// The index of the node that the arrow leaves.
    pub(crate) from: usize,
    /// The index of the node that the arrow leads to.
    pub(crate) to: usize,
    /// The lines of the label; none if there is no label.
    pub(crate) lines: Vec<String>,
}

/// A label, with the shape that it fills.
pub(crate) struct ArrowLabel {
    pub(crate) shape: RoundedBox,
    pub(crate) lines: Vec<String>,
}

/// An arrow: a point, then curves, each with two control points and an end.
pub(crate) struct GraphArrow {
    pub(crate) from: Point,
    pub(crate) curves: Vec<[Point; 3]>,
    pub(crate) label: Option<ArrowLabel>,
}

/// A picture without its paint.
pub(crate) struct Arrangement {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The shapes of the nodes, by index, with the lines of their labels.
    pub(crate) nodes: Vec<(RoundedBox, Vec<String>)>,
    /// The arrows, by index.
    pub(crate) arrows: Vec<GraphArrow>,
}

/// A picture of a graph without its paint.
pub(super) struct GraphLayout {
    pub arrangement: Arrangement,
    /// Whether labels have numbers because they would look the same else.
    pub has_numbers: bool,
}

/// The items that an arrow passes, from left to right.
struct Path {
    items: Vec<usize>,
    /// The index of the label among the items.
    label: Option<usize>,
    /// Whether the arrow is drawn from right to left.
    back: bool,
}

pub(super) fn layout(graph: &Graph) -> Result<GraphLayout, PictureTooLarge> {
    if graph.nodes.len() + graph.edges.len() > MOST_ITEMS {
        return Err(PictureTooLarge { states: graph.nodes.len(), edges: graph.edges.len() });
    }
    let labels = ShownLabels::new(graph.edges.iter().map(|edge| edge.label.as_str()));
    let arrows = graph.edges.iter().zip(labels.lines);
    let nodes = graph.nodes.iter().zip(depths(graph)).map(|(node, depth)| Item::node(2 * depth, &node.label));
    let plan = Plan {
        nodes: nodes.collect(),
        arrows: arrows.map(|(edge, lines)| PlannedArrow { from: edge.from, to: edge.to, lines }).collect(),
    };
    Ok(GraphLayout { arrangement: arrange(plan)?, has_numbers: labels.has_numbers })
}

/// Gives the nodes and arrows of a plan their places.
pub(crate) fn arrange(plan: Plan) -> Result<Arrangement, PictureTooLarge> {
    let mut draft = GraphDraft::new(plan)?;
    draft.layers.order();
    draft.make_room();
    draft.layers.find_heights();
    Ok(draft.draw())
}

struct GraphDraft {
    /// The number of nodes.
    nodes: usize,
    arrows: Vec<PlannedArrow>,
    /// The nodes, then labels and bends.
    layers: Layers,
    /// The paths, by the index of the arrow; none for a self-loop.
    paths: Vec<Option<Path>>,
    /// The lines on the self-loop of each node, by index.
    loops: Vec<Option<Vec<String>>>,
}

impl GraphDraft {
    fn new(Plan { nodes, arrows }: Plan) -> Result<Self, PictureTooLarge> {
        let too_large = PictureTooLarge { states: nodes.len(), edges: arrows.len() };
        if nodes.len() + arrows.len() > MOST_ITEMS {
            return Err(too_large);
        }
        let count = nodes.len();
        let layers = Layers { items: nodes, ..Layers::default() };
        let mut draft = Self { nodes: count, arrows: Vec::new(), layers, paths: Vec::new(), loops: vec![None; count] };
        for arrow in arrows {
            let path = match arrow.from == arrow.to {
                true => {
                    draft.loops[arrow.from] = Some(arrow.lines.clone());
                    None
                }
                false => Some(draft.path(&arrow)),
            };
            draft.paths.push(path);
            draft.arrows.push(arrow);
            if draft.layers.items.len() > MOST_ITEMS {
                return Err(too_large);
            }
        }
        let Self { layers, paths, .. } = &mut draft;
        layers.join(paths.iter().flatten().map(|path| path.items.clone()));
        Ok(draft)
    }

    /// A label stands in the first layer behind the state that its arrow begins in.
    fn path(&mut self, &PlannedArrow { from, to, ref lines }: &PlannedArrow) -> Path {
        let layer = |node: usize| self.layers.items[node].layer;
        let back = layer(from) > layer(to);
        let (left, right) = if back { (to, from) } else { (from, to) };
        let first = if back { layer(right) - 1 } else { layer(left) + 1 };
        let mut path = Path { items: vec![left], label: None, back };
        for passed in layer(left) + 1..layer(right) {
            let labelled = passed == first && !lines.is_empty();
            if labelled {
                path.label = Some(path.items.len());
            }
            let via = if labelled { label_item(passed, lines) } else { Item::via(passed) };
            path.items.push(self.layers.items.len());
            self.layers.items.push(via);
        }
        path.items.push(right);
        path
    }

    /// States are as high as their arrows need, and have their self-loops above.
    fn make_room(&mut self) {
        for node in 0..self.nodes {
            let ports = self.layers.left[node].len().max(self.layers.right[node].len());
            let item = &mut self.layers.items[node];
            let rim = if item.height < NODE { LOW_RIM } else { RIM };
            item.height = item.height.max(ports.saturating_sub(1) as f64 * BETWEEN_PORTS + rim);
            if let Some(lines) = &self.loops[node] {
                item.above = LOOP + lines.len() as f64 * LINE + 2.0;
            }
        }
    }

    fn draw(&self) -> Arrangement {
        let columns = self.columns();
        let shapes = self.layers.shapes(&columns);
        let ports = Ports::new(self, &shapes);
        let arrow = |arrow: usize| match &self.paths[arrow] {
            Some(path) => self.arrow(path, arrow, &columns, &shapes, &ports),
            None => self.self_loop(self.arrows[arrow].from, &shapes),
        };
        let nodes = shapes.iter().zip(&self.layers.items).take(self.nodes);
        Arrangement {
            width: columns.last().map_or(0.0, |last| last.1) + MARGIN,
            height: self.layers.height() + 2.0 * MARGIN,
            nodes: nodes.map(|(shape, item)| (*shape, item.lines.clone())).collect(),
            arrows: (0..self.arrows.len()).map(arrow).collect(),
        }
    }

    /// The left and right of each layer. Steep arrows need more room.
    fn columns(&self) -> Vec<(f64, f64)> {
        let mut columns = Vec::new();
        let mut x = MARGIN + ENTRY;
        for layer in &self.layers.members {
            let width = layer.iter().map(|&item| self.width(item)).fold(0.0, f64::max);
            columns.push((x, x + width));
            let rises = layer.iter().flat_map(|&item| {
                let items = &self.layers.items;
                self.layers.right[item].iter().map(move |&other| (items[item].y - items[other].y).abs())
            });
            x += width + BETWEEN_LAYERS + (rises.fold(0.0, f64::max) * 0.2).min(70.0);
        }
        columns
    }

    fn width(&self, item: usize) -> f64 {
        let on_loop = self.loops.get(item).and_then(Option::as_ref).map_or(0.0, |lines| text_width(lines));
        self.layers.items[item].width.max(on_loop)
    }

    fn arrow(
        &self,
        path: &Path,
        edge: usize,
        columns: &[(f64, f64)],
        shapes: &[RoundedBox],
        ports: &Ports,
    ) -> GraphArrow {
        let (leaves, arrives) = ports.of_edge[edge];
        let mut points = vec![leaves];
        for &via in &path.items[1..path.items.len() - 1] {
            let (left, right) = columns[self.layers.items[via].layer];
            let y = shapes[via].centre.y;
            // A layer without any label is not in the way, and a bend in it would only be a wave.
            if left < right {
                points.extend([Point { x: left, y }, Point { x: right, y }]);
            }
        }
        points.push(arrives);
        if path.back {
            points.reverse();
        }
        let label = path.label.map(|label| {
            let item = path.items[label];
            ArrowLabel { shape: shapes[item], lines: self.layers.items[item].lines.clone() }
        });
        GraphArrow { from: points[0], curves: points.windows(2).map(|pair| curve(pair[0], pair[1])).collect(), label }
    }

    fn self_loop(&self, node: usize, shapes: &[RoundedBox]) -> GraphArrow {
        let shape = shapes[node];
        let lines = self.loops[node].clone().unwrap_or_default();
        let side = |sign: f64| {
            let x = shape.centre.x + sign * 11.0;
            Point { x, y: shape.edge(x, -1.0) }
        };
        let top = shape.centre.y - shape.height / 2.0;
        let control = |sign: f64| Point { x: shape.centre.x + sign * 26.0, y: top - LOOP * 1.15 };
        let height = lines.len() as f64 * LINE;
        let centre = Point { x: shape.centre.x, y: top - LOOP + 2.0 - height / 2.0 };
        let label = ArrowLabel {
            shape: RoundedBox { centre, width: text_width(&lines), height, outline: Outline::BySize },
            lines,
        };
        let label = Some(label).filter(|label| !label.lines.is_empty());
        GraphArrow { from: side(-1.0), curves: vec![[control(-1.0), control(1.0), side(1.0)]], label }
    }
}

/// The points where arrows touch their states: spread over the side, in the order in which the
/// arrows come from above.
struct Ports {
    /// The left and the right end of each edge, by index.
    of_edge: Vec<(Point, Point)>,
}

impl Ports {
    fn new(draft: &GraphDraft, shapes: &[RoundedBox]) -> Self {
        let nowhere = Point { x: 0.0, y: 0.0 };
        let mut ports = Self { of_edge: vec![(nowhere, nowhere); draft.paths.len()] };
        for node in 0..draft.nodes {
            let rightward = |path: &Path| (path.items[0] == node).then(|| path.items[1]);
            let leftward = |path: &Path| {
                let last = path.items.len() - 1;
                (path.items[last] == node).then(|| path.items[last - 1])
            };
            for (edge, point) in spread(draft, shapes, shapes[node], 1.0, rightward) {
                ports.of_edge[edge].0 = point;
            }
            for (edge, point) in spread(draft, shapes, shapes[node], -1.0, leftward) {
                ports.of_edge[edge].1 = point;
            }
        }
        ports
    }
}

fn spread(
    draft: &GraphDraft,
    shapes: &[RoundedBox],
    node: RoundedBox,
    sign: f64,
    neighbour: impl Fn(&Path) -> Option<usize>,
) -> Vec<(usize, Point)> {
    let touching = draft.paths.iter().enumerate().filter_map(|(edge, path)| {
        let beyond = neighbour(path.as_ref()?)?;
        Some((shapes[beyond].centre.y, edge))
    });
    let mut touching: Vec<(f64, usize)> = touching.collect();
    touching.sort_by(|one, other| one.0.total_cmp(&other.0));
    let middle = (touching.len() as f64 - 1.0) / 2.0;
    let place = |(index, (_, edge)): (usize, (f64, usize))| {
        let y = node.centre.y + (index as f64 - middle) * BETWEEN_PORTS;
        (edge, Point { x: node.side(y, sign), y })
    };
    touching.into_iter().enumerate().map(place).collect()
}

/// A curve that leaves and arrives horizontally.
fn curve(from: Point, to: Point) -> [Point; 3] {
    let dx = (to.x - from.x) * 0.45;
    [Point { x: from.x + dx, y: from.y }, Point { x: to.x - dx, y: to.y }, to]
}

/// The depth of each state: the length of the longest path to it, if every arrow led from the state
/// that a breadth-first search meets first to the one that it meets later.
fn depths(graph: &Graph) -> Vec<usize> {
    let order = search_order(graph);
    let mut rank = vec![0; graph.nodes.len()];
    order.iter().enumerate().for_each(|(place, &node)| rank[node] = place);
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for edge in graph.edges.iter().filter(|edge| edge.from != edge.to) {
        let (first, later) = if rank[edge.from] < rank[edge.to] { (edge.from, edge.to) } else { (edge.to, edge.from) };
        before[later].push(first);
    }
    let mut depth = vec![0; graph.nodes.len()];
    for node in order {
        depth[node] = before[node].iter().map(|&first| depth[first] + 1).max().unwrap_or(0);
    }
    depth
}

/// The states as they are met from the initial one, then those that are not.
fn search_order(graph: &Graph) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    graph.edges.iter().for_each(|edge| next[edge.from].push(edge.to));
    let mut met = vec![false; graph.nodes.len()];
    let mut order: Vec<usize> = Vec::new();
    for root in std::iter::once(graph.start).chain(0..graph.nodes.len()) {
        if !std::mem::replace(&mut met[root], true) {
            order.push(root);
        }
        let mut place = order.len() - 1;
        while let Some(&node) = order.get(place) {
            for &target in &next[node] {
                if !std::mem::replace(&mut met[target], true) {
                    order.push(target);
                }
            }
            place += 1;
        }
    }
    order
}

fn label_item(layer: usize, lines: &[String]) -> Item {
    let (width, height) = (text_width(lines), lines.len() as f64 * LINE);
    Item { is_via: true, ..Item::new(layer, width, height, lines.to_vec()) }
}

fn text_width(lines: &[String]) -> f64 {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as f64 * LETTER + 8.0
}
