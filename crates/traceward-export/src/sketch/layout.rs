//! The layout of a sketch: where the nodes and arrows of its picture go.
//!
//! Alternating automata of formulas are very weak: apart from self-loops they have no cycles, so
//! that the longest path from the start makes a layer of every node and all arrows point to the
//! right. An arrow that passes a layer gets a place of its own in it, hence it crosses no node.
//! Where arrows have texts, every second layer is for these, so that they lie on their arrow and on
//! nothing else.

use super::{Disjuncts, Edge, Sketch, SketchKind, SketchNode};
use crate::layers::{CAPTION_HEIGHT, Item, Layers, MARGIN, NODE, Outline, Point, RoundedBox};
use traceward_engine::automaton::alternating::{Look, NodeId};

const START: f64 = 9.0;
const BETWEEN_PORTS: f64 = 26.0;
const BETWEEN_HEADS: f64 = 7.0;
/// The distance of a conjunction's arc from its source; where there are many arcs, the smaller one.
const ARC_RADIUS: f64 = 17.0;
const SMALL_ARC_RADIUS: f64 = 12.0;
/// The place of a loop's text on the way to the summit, so that the way down into the node can be
/// seen. The text is as high as the summit, because loops are no further apart than texts are high.
const BEFORE_SUMMIT: f64 = 0.85;

/// The distances between the things in a picture.
#[derive(Clone, Copy)]
struct Spacing {
    /// The number of layers from a node to its successors.
    stride: usize,
    between_layers: f64,
    /// Room for each unit of height between the ends of the steepest arrow, and the most of it.
    steepness: (f64, f64),
    between_loops: f64,
    /// Room above the highest loop.
    over_loops: f64,
}

const PLAIN: Spacing =
    Spacing { stride: 1, between_layers: 86.0, steepness: (0.25, 110.0), between_loops: 10.0, over_loops: 4.0 };
const CAPTIONED: Spacing =
    Spacing { stride: 2, between_layers: 46.0, steepness: (0.2, 70.0), between_loops: 17.0, over_loops: 8.0 };

/// An arrow: a straight stem, then cubic curves, each with two control points and an end.
#[derive(Clone, Debug)]
pub struct SketchArrow {
    pub from: Point,
    pub fan: Point,
    pub curves: Vec<[Point; 3]>,
    pub caption: Option<Caption>,
}

/// The text on an arrow.
#[derive(Clone, Debug)]
pub struct Caption {
    pub text: String,
    pub shape: RoundedBox,
}

/// The arc that joins the arrows of a conjunction.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    pub from: Point,
    pub to: Point,
    pub radius: f64,
}

/// The arrows of one disjunct.
#[derive(Clone, Debug)]
pub struct DrawnBundle {
    /// The bundle in words: `n0 → n0 ∧ n1`.
    pub title: String,
    pub arrows: Vec<SketchArrow>,
    pub arc: Option<Arc>,
    pub back: bool,
}

/// A picture without its paint.
#[derive(Clone, Debug)]
pub struct SketchLayout {
    pub width: f64,
    pub height: f64,
    pub start: RoundedBox,
    /// The shapes of the nodes, by index, with the lines of their labels.
    pub nodes: Vec<(RoundedBox, Vec<String>)>,
    pub bundles: Vec<DrawnBundle>,
}

/// Lays out a sketch.
pub fn layout(sketch: &Sketch) -> SketchLayout {
    let mut draft = SketchDraft::new(sketch);
    draft.layers.order();
    draft.make_room_for_loops();
    draft.layers.find_heights();
    draft.draw(sketch)
}

/// An arrow to another node; a self-loop has no item in the layers.
struct Link {
    bundle: usize,
    edge: Edge,
    target: usize,
    vias: Vec<usize>,
}

/// The arrows of one disjunct.
struct Bundle {
    source: usize,
    links: Vec<usize>,
    own_loop: Option<Edge>,
    back: bool,
}

impl Bundle {
    fn size(&self) -> usize {
        self.links.len() + usize::from(self.own_loop.is_some())
    }
}

struct SketchDraft {
    spacing: Spacing,
    /// The start, the nodes (by their index and one), then arrows on their way.
    layers: Layers,
    bundles: Vec<Bundle>,
    links: Vec<Link>,
}

impl SketchDraft {
    fn new(sketch: &Sketch) -> Self {
        let spacing = if sketch.has_captions() { CAPTIONED } else { PLAIN };
        let depth = depths(sketch);
        let start = Item::new(depth[0] * spacing.stride, START, START, Vec::new());
        let layer = |node: &SketchNode| depth[node.id.index() + 1] * spacing.stride;
        let nodes = sketch.nodes.iter().map(|node| node_item(layer(node), node, sketch.kind));
        let items = std::iter::once(start).chain(nodes).collect();
        let layers = Layers { items, ..Layers::default() };
        let mut draft = Self { spacing, layers, bundles: Vec::new(), links: Vec::new() };
        draft.add_bundles(0, &sketch.start, false);
        for node in &sketch.nodes {
            draft.add_bundles(node.id.index() + 1, &node.next, node.look == Look::Back);
        }
        draft.make_room_for_arrow_heads();
        let Self { layers, bundles, links, .. } = &mut draft;
        let path = |link: &Link| {
            let ends = [bundles[link.bundle].source, link.target];
            [&ends[..1], &link.vias, &ends[1..]].concat()
        };
        layers.join(links.iter().map(path));
        draft
    }

    fn add_bundles(&mut self, source: usize, disjuncts: &Disjuncts, back: bool) {
        let disjuncts: Vec<_> = disjuncts.iter().filter(|disjunct| !disjunct.is_empty()).collect();
        let ports = disjuncts.len();
        for disjunct in &disjuncts {
            let bundle = self.bundles.len();
            let mut links = Vec::new();
            for &edge in disjunct.iter().filter(|edge| item_of(edge.to) != source) {
                links.push(self.links.len());
                self.add_link(bundle, source, edge);
            }
            let own_loop = disjunct.iter().copied().find(|edge| item_of(edge.to) == source);
            self.bundles.push(Bundle { source, links, own_loop, back });
        }
        let item = &mut self.layers.items[source];
        item.height = item.height.max(ports.saturating_sub(1) as f64 * BETWEEN_PORTS + item.height.min(26.0));
    }

    /// A text is in the last layer that its arrow passes: what becomes of a clock matters to the
    /// target.
    fn add_link(&mut self, bundle: usize, source: usize, edge: Edge) {
        let target = item_of(edge.to);
        let passed = self.layers.items[source].layer + 1..self.layers.items[target].layer;
        let last = passed.end - 1;
        let vias = passed.map(|layer| {
            let caption = edge.caption().filter(|_| layer == last);
            self.layers.items.push(caption.map_or(Item::via(layer), |text| Item::caption(layer, &text)));
            self.layers.items.len() - 1
        });
        let vias = vias.collect();
        self.links.push(Link { bundle, edge, target, vias });
    }

    fn make_room_for_arrow_heads(&mut self) {
        let mut arriving = vec![0_u32; self.layers.items.len()];
        self.links.iter().for_each(|link| arriving[link.target] += 1);
        for (item, count) in self.layers.items.iter_mut().zip(arriving).filter(|(_, count)| *count > 0) {
            item.height = item.height.max(f64::from(count) * BETWEEN_HEADS + 16.0 - BETWEEN_HEADS);
        }
    }

    /// Makes room for as many loops as either half may have: the upper ports are not known yet.
    fn make_room_for_loops(&mut self) {
        for source in 0..self.layers.items.len() {
            if self.layers.items[source].is_via {
                continue;
            }
            let bundles = self.bundles_of(source);
            let loops = bundles.iter().filter(|&&bundle| self.bundles[bundle].own_loop.is_some()).count();
            let upper = (0..bundles.len()).filter(|&port| is_upper(port, bundles.len())).count();
            let room = |count: usize| match count {
                0 => 0.0,
                count => self.spacing.loop_rise(count - 1) + self.spacing.over_loops,
            };
            self.layers.items[source].above = room(loops.min(upper));
            self.layers.items[source].below = room(loops.min(bundles.len() - upper));
        }
    }

    fn bundles_of(&self, source: usize) -> Vec<usize> {
        (0..self.bundles.len()).filter(|&bundle| self.bundles[bundle].source == source).collect()
    }

    fn draw(&self, sketch: &Sketch) -> SketchLayout {
        let columns = self.columns();
        let shapes = self.layers.shapes(&columns);
        let mut layout = SketchLayout {
            width: columns.last().map_or(0.0, |last| last.1) + MARGIN,
            height: 0.0,
            start: shapes[0],
            nodes: Vec::new(),
            bundles: Vec::new(),
        };
        let lines = self.layers.items[1..].iter().map(|item| item.lines.clone());
        layout.nodes = shapes[1..=sketch.nodes.len()].iter().copied().zip(lines).collect();
        Router { draft: self, sketch, columns: &columns, shapes: &shapes, layout: &mut layout }.route();
        layout.height = self.layers.height() + 2.0 * MARGIN;
        layout
    }

    /// The left and right of each layer.
    fn columns(&self) -> Vec<(f64, f64)> {
        let mut columns = Vec::new();
        let mut x = MARGIN;
        for layer in &self.layers.members {
            let width = layer.iter().map(|&item| self.layers.items[item].width).fold(0.0, f64::max);
            columns.push((x, x + width));
            x += width + self.gap_after(layer);
        }
        columns
    }

    /// The room behind a layer. Steep arrows and many loops need more of it.
    fn gap_after(&self, layer: &[usize]) -> f64 {
        let rises = layer.iter().flat_map(|&item| {
            self.layers.right[item]
                .iter()
                .map(move |&other| (self.layers.items[item].y - self.layers.items[other].y).abs())
        });
        let steepest = rises.fold(0.0, f64::max);
        let loops = layer
            .iter()
            .map(|&item| self.layers.items[item].above.max(self.layers.items[item].below))
            .fold(0.0, f64::max);
        let sources = layer.iter().filter(|&&item| !self.layers.items[item].is_via);
        let ports = sources.map(|&item| self.bundles_of(item).len()).max().unwrap_or(0);
        let Spacing { between_layers, steepness: (each, most), .. } = self.spacing;
        between_layers + (steepest * each).min(most) + loops * 0.6 + (ports as f64 * 4.0).min(160.0)
    }
}

/// The router, which draws curves between shapes.
struct Router<'a> {
    draft: &'a SketchDraft,
    sketch: &'a Sketch,
    columns: &'a [(f64, f64)],
    shapes: &'a [RoundedBox],
    layout: &'a mut SketchLayout,
}

impl Router<'_> {
    fn route(&mut self) {
        let fans = self.fans();
        let entries = self.entries(&fans);
        for source in 0..=self.layout.nodes.len() {
            self.route_source(source, &fans, &entries);
        }
    }

    /// The points where the arrows of each bundle part. They are on a line down the right of the
    /// layer, further up if the arrows lead further up.
    fn fans(&self) -> Vec<(Point, Point)> {
        let mut fans = vec![(Point { x: 0.0, y: 0.0 }, Point { x: 0.0, y: 0.0 }); self.draft.bundles.len()];
        for source in 0..=self.layout.nodes.len() {
            let shape = self.shapes[source];
            let ordered = self.ordered_bundles(source);
            for (port, &bundle) in ordered.iter().enumerate() {
                let y = shape.centre.y + (port as f64 - (ordered.len() as f64 - 1.0) / 2.0) * BETWEEN_PORTS;
                let from = Point { x: shape.side(y, 1.0), y };
                let right = self.columns[self.draft.layers.items[source].layer].1;
                let only_loops = self.draft.bundles[bundle].links.is_empty();
                let is_narrow = shape.centre.x + shape.width / 2.0 + 8.0 < right;
                let x = if is_narrow && !only_loops { right } else { from.x };
                fans[bundle] = (from, Point { x, y });
            }
        }
        fans
    }

    /// The bundles of a source from the top, ordered by where their arrows lead.
    fn ordered_bundles(&self, source: usize) -> Vec<usize> {
        let mut bundles = self.draft.bundles_of(source);
        let heading = |bundle: usize| {
            let links = &self.draft.bundles[bundle].links;
            let ys = links.iter().map(|&link| self.first_stop(link).y);
            if links.is_empty() { f64::NEG_INFINITY } else { ys.sum::<f64>() / links.len() as f64 }
        };
        bundles.sort_by(|&one, &other| heading(one).total_cmp(&heading(other)));
        bundles
    }

    fn first_stop(&self, link: usize) -> Point {
        let link = &self.draft.links[link];
        self.shapes[*link.vias.first().unwrap_or(&link.target)].centre
    }

    /// The points where arrows meet their targets.
    fn entries(&self, fans: &[(Point, Point)]) -> Vec<Point> {
        let links = &self.draft.links;
        let mut entries = vec![Point { x: 0.0, y: 0.0 }; links.len()];
        for target in 1..=self.layout.nodes.len() {
            let shape = self.shapes[target];
            let came_from = |link: usize| match links[link].vias.last() {
                Some(&via) => self.shapes[via].centre.y,
                None => fans[links[link].bundle].1.y,
            };
            let mut arriving: Vec<usize> = (0..links.len()).filter(|&link| links[link].target == target).collect();
            arriving.sort_by(|&one, &other| came_from(one).total_cmp(&came_from(other)));
            let middle = (arriving.len() as f64 - 1.0) / 2.0;
            let spacing = ((shape.height - 16.0) / (2.0 * middle).max(1.0)).min(10.0);
            for (place, &link) in arriving.iter().enumerate() {
                let y = shape.centre.y + (place as f64 - middle) * spacing;
                entries[link] = Point { x: shape.side(y, -1.0), y };
            }
        }
        entries
    }

    fn route_source(&mut self, source: usize, fans: &[(Point, Point)], entries: &[Point]) {
        let ordered = self.ordered_bundles(source);
        let radius = if ordered.len() > 3 { SMALL_ARC_RADIUS } else { ARC_RADIUS };
        for (port, &id) in ordered.iter().enumerate() {
            let bundle = &self.draft.bundles[id];
            let (from, fan) = fans[id];
            let mut arrows: Vec<SketchArrow> = bundle
                .links
                .iter()
                .map(|&link| {
                    let curves = self.curves(link, fan, entries[link]);
                    SketchArrow { from, fan, curves, caption: self.caption(link) }
                })
                .collect();
            if let Some(edge) = bundle.own_loop {
                let curves = self.loop_curves(source, fan, port, &ordered);
                let centre = Point { y: curves[0][2].y, ..point_on(fan, curves[0], BEFORE_SUMMIT) };
                let caption = loop_caption(edge, centre);
                arrows.push(SketchArrow { from, fan, curves, caption });
            }
            let (title, arc) = (self.title(bundle), joining_arc(&arrows, radius));
            self.layout.bundles.push(DrawnBundle { title, arrows, arc, back: bundle.back });
        }
    }

    fn title(&self, bundle: &Bundle) -> String {
        let mut edges: Vec<Edge> =
            bundle.links.iter().map(|&link| self.draft.links[link].edge).chain(bundle.own_loop).collect();
        edges.sort_unstable();
        let source =
            bundle.source.checked_sub(1).map_or("start".to_owned(), |node| self.sketch.nodes[node].id.to_string());
        let arrow = if bundle.back { "←" } else { "→" };
        let target = |edge: Edge| match edge.caption() {
            Some(caption) => format!("{} ({caption})", edge.to),
            None => edge.to.to_string(),
        };
        format!("{source} {arrow} {}", edges.into_iter().map(target).collect::<Vec<_>>().join(" ∧ "))
    }

    fn caption(&self, link: usize) -> Option<Caption> {
        let link = &self.draft.links[link];
        let text = link.edge.caption()?;
        link.vias.last().map(|&via| Caption { text, shape: self.shapes[via] })
    }

    fn curves(&self, link: usize, fan: Point, entry: Point) -> Vec<[Point; 3]> {
        let link = &self.draft.links[link];
        let parting = self.draft.bundles[link.bundle].size() > 1;
        let mut curves = Vec::new();
        let mut last = fan;
        for &via in &link.vias {
            let (left, right) = self.columns[self.draft.layers.items[via].layer];
            let y = self.shapes[via].centre.y;
            curves.push(curve(last, Point { x: left, y }, parting && last.x == fan.x));
            curves.push(curve(Point { x: left, y }, Point { x: right, y }, false));
            last = Point { x: right, y };
        }
        // The arrow goes straight through the margin of a layer that is wider than the node.
        let left = self.columns[self.draft.layers.items[link.target].layer].0;
        if left + 8.0 < entry.x {
            let margin = Point { x: left, y: entry.y };
            curves.push(curve(last, margin, parting && last.x == fan.x));
            curves.push(curve(margin, entry, false));
        } else {
            curves.push(curve(last, entry, parting && last.x == fan.x));
        }
        curves
    }

    /// The curves of a loop: round the upper or lower right corner and back into the node. Loops
    /// from the middle are outside.
    fn loop_curves(&self, source: usize, fan: Point, port: usize, ordered: &[usize]) -> Vec<[Point; 3]> {
        let shape = self.shapes[source];
        let upper = is_upper(port, ordered.len());
        let sign = if upper { -1.0 } else { 1.0 };
        let is_inside = |other: usize| {
            let further_out = if upper { other < port } else { other > port };
            further_out
                && is_upper(other, ordered.len()) == upper
                && self.draft.bundles[ordered[other]].own_loop.is_some()
        };
        let inside = (0..ordered.len()).filter(|&other| is_inside(other)).count();
        let peak = shape.centre.y + sign * (shape.height / 2.0 + self.draft.spacing.loop_rise(inside));
        let right = fan.x + 30.0 + 9.0 * inside as f64;
        let reach = shape.width.min(NODE) / 2.0 - 10.0;
        let end_x = shape.centre.x + (10.0 - 9.0 * inside as f64).max(-reach);
        let end = Point { x: end_x, y: shape.edge(end_x, sign) };
        let summit = Point { x: (fan.x + end_x) / 2.0, y: peak };
        let towards_summit = [Point { x: right, y: fan.y + sign * 10.0 }, Point { x: right, y: peak }, summit];
        let into_node = [Point { x: end_x, y: peak }, Point { x: end_x, y: peak - sign * 6.0 }, end];
        vec![towards_summit, into_node]
    }
}

/// Whether a port's loop goes round the top.
fn is_upper(port: usize, ports: usize) -> bool {
    2 * port < ports
}

impl Spacing {
    /// The height over its node of a loop with this many others inside it.
    fn loop_rise(self, inside: usize) -> f64 {
        20.0 + self.between_loops * inside as f64
    }
}

/// The index of a node among the items, of which the start is the first.
fn item_of(node: NodeId) -> usize {
    node.index() + 1
}

fn node_item(layer: usize, node: &SketchNode, kind: SketchKind) -> Item {
    let item = Item::node(layer, &node.label);
    match (kind, node.accepting) {
        (SketchKind::Alternating, _) => item,
        (SketchKind::Metric, true) => item.outlined(Outline::Square),
        (SketchKind::Metric, false) => item.outlined(Outline::Circle),
    }
}

/// The text of a loop.
fn loop_caption(edge: Edge, centre: Point) -> Option<Caption> {
    let text = edge.caption()?;
    let width = Item::caption(0, &text).width;
    let shape = RoundedBox { centre, width, height: CAPTION_HEIGHT, outline: Outline::BySize };
    Some(Caption { text, shape })
}

/// A curve that arrives horizontally. Where arrows part, it leaves towards its end, so that their
/// arc can be seen.
fn curve(from: Point, to: Point, parting: bool) -> [Point; 3] {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let lean = if parting { 0.3 } else { 0.0 };
    let leave = Point { x: from.x + dx * 0.4, y: from.y + dy * lean };
    [leave, Point { x: to.x - dx * 0.45, y: to.y }, to]
}

/// The arc across the arrows of a bundle, if they are more than one.
fn joining_arc(arrows: &[SketchArrow], radius: f64) -> Option<Arc> {
    let angles = arrows.iter().map(|arrow| leaving_angle(arrow, radius));
    let low = angles.clone().fold(f64::INFINITY, f64::min) - 0.12;
    let high = angles.fold(f64::NEG_INFINITY, f64::max) + 0.12;
    let fan = arrows.first()?.fan;
    let at = |angle: f64| Point { x: fan.x + radius * angle.cos(), y: fan.y + radius * angle.sin() };
    (arrows.len() > 1).then(|| Arc { from: at(low), to: at(high), radius })
}

/// The direction in which an arrow crosses the circle that its arc is part of.
fn leaving_angle(arrow: &SketchArrow, radius: f64) -> f64 {
    let at = |t: f64| {
        let Point { x, y } = point_on(arrow.fan, arrow.curves[0], t);
        (x - arrow.fan.x, y - arrow.fan.y)
    };
    let (x, y) =
        (1..=200).map(|step| at(f64::from(step) / 200.0)).find(|(x, y)| x.hypot(*y) >= radius).unwrap_or(at(1.0));
    y.atan2(x)
}

/// The point of a cubic curve at a parameter between 0 and 1.
fn point_on(from: Point, [one, two, end]: [Point; 3], t: f64) -> Point {
    let (a, b, c, d) = ((1.0 - t).powi(3), 3.0 * t * (1.0 - t).powi(2), 3.0 * t * t * (1.0 - t), t.powi(3));
    let along = |from: f64, one: f64, two: f64, end: f64| a * from + b * one + c * two + d * end;
    Point { x: along(from.x, one.x, two.x, end.x), y: along(from.y, one.y, two.y, end.y) }
}

/// The longest path from the start to each item.
fn depths(sketch: &Sketch) -> Vec<usize> {
    let count = sketch.nodes.len() + 1;
    let next = |item: usize| {
        let disjuncts = if item == 0 { &sketch.start } else { &sketch.nodes[item - 1].next };
        disjuncts.iter().flatten().map(|edge| item_of(edge.to)).filter(move |target| *target != item)
    };
    let mut waiting = vec![0_usize; count];
    (0..count).flat_map(next).for_each(|target| waiting[target] += 1);
    let mut depth = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|&item| waiting[item] == 0).collect();
    while let Some(item) = ready.pop() {
        for target in next(item) {
            depth[target] = depth[target].max(depth[item] + 1);
            waiting[target] -= 1;
            if waiting[target] == 0 {
                ready.push(target);
            }
        }
    }
    depth
}
