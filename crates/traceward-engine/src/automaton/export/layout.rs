//! Where the nodes and arrows of a picture go: layers from left to right (Sugiyama, Tagawa, Toda 1981).
//!
//! Alternating automata of formulas are very weak: apart from self-loops they have no cycles, so that the longest path
//! from the start makes a layer of every node and all arrows point to the right. An arrow that passes a layer gets a
//! place of its own in it, hence it crosses no node.

use super::{Diagram, Disjuncts};
use crate::automaton::alternating::{Look, NodeId};

const NODE: f64 = 54.0;
const START: f64 = 9.0;
const MARGIN: f64 = 20.0;
const BETWEEN_LAYERS: f64 = 86.0;
const BETWEEN_PORTS: f64 = 26.0;
const BETWEEN_HEADS: f64 = 7.0;
const LINE_HEIGHT: f64 = 15.0;
const LETTER_WIDTH: f64 = 7.0;
const LONGEST_LINE: usize = 22;
const MOST_LINES: usize = 3;
/// How far from its source a conjunction's arc is; nearer where there are many.
const ARC_RADIUS: f64 = 17.0;
const SMALL_ARC_RADIUS: f64 = 12.0;
const SWEEPS: usize = 24;

/// A point of the picture; y grows downwards.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// A box with round corners.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub centre: Point,
    pub width: f64,
    pub height: f64,
}

impl Shape {
    /// The radius of the corners: a small node is a circle.
    pub fn corner(&self) -> f64 {
        if self.width > NODE { 20.0 } else { self.width.min(self.height) / 2.0 }
    }

    /// How much narrower the shape is at a distance from its middle, on each side; `extent` is its size in the
    /// direction of the distance.
    fn inset(&self, distance: f64, extent: f64) -> f64 {
        let corner = self.corner();
        let into_corner = (distance.abs() - (extent / 2.0 - corner)).clamp(0.0, corner);
        corner - (corner * corner - into_corner * into_corner).sqrt()
    }

    /// The side at a height, left (-1) or right (1).
    fn side(&self, y: f64, sign: f64) -> f64 {
        self.centre.x + sign * (self.width / 2.0 - self.inset(y - self.centre.y, self.height))
    }

    /// The upper (-1) or lower (1) edge at an x.
    fn edge(&self, x: f64, sign: f64) -> f64 {
        self.centre.y + sign * (self.height / 2.0 - self.inset(x - self.centre.x, self.width))
    }
}

/// An arrow: a straight stem, then cubic curves, each with two control points and an end.
#[derive(Clone, Debug)]
pub struct Arrow {
    pub from: Point,
    pub fan: Point,
    pub curves: Vec<[Point; 3]>,
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
    /// In words: `n0 → n0 ∧ n1`.
    pub title: String,
    pub arrows: Vec<Arrow>,
    pub arc: Option<Arc>,
    pub back: bool,
}

/// A picture without its paint.
#[derive(Clone, Debug)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    pub start: Shape,
    /// By the index of the node, with the lines of its label.
    pub nodes: Vec<(Shape, Vec<String>)>,
    pub bundles: Vec<DrawnBundle>,
}

/// Places everything.
pub fn layout(diagram: &Diagram) -> Layout {
    let mut plan = Plan::new(diagram);
    plan.order();
    plan.place();
    plan.draw(diagram)
}

/// What takes a place in a layer: the start, a node (its index and one), or an arrow on its way.
struct Item {
    layer: usize,
    width: f64,
    height: f64,
    /// Room for self-loops above and below.
    above: f64,
    below: f64,
    y: f64,
    is_via: bool,
    lines: Vec<String>,
}

/// An arrow to another node; a self-loop has no place in the layers.
struct Link {
    bundle: usize,
    target: usize,
    vias: Vec<usize>,
}

/// The arrows of one disjunct.
struct Bundle {
    source: usize,
    links: Vec<usize>,
    has_loop: bool,
    back: bool,
}

impl Bundle {
    fn size(&self) -> usize {
        self.links.len() + usize::from(self.has_loop)
    }
}

struct Plan {
    items: Vec<Item>,
    bundles: Vec<Bundle>,
    links: Vec<Link>,
    /// The items of each layer, from the top.
    layers: Vec<Vec<usize>>,
    /// The items to the left and right that an item is joined with.
    left: Vec<Vec<usize>>,
    right: Vec<Vec<usize>>,
}

impl Plan {
    fn new(diagram: &Diagram) -> Self {
        let depth = depths(diagram);
        let start = Item::new(depth[0], START, START, Vec::new());
        let nodes = diagram.nodes.iter().map(|node| {
            let lines = wrapped(&node.label);
            let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            let width = NODE.max(longest as f64 * LETTER_WIDTH + 22.0);
            let height = NODE + (lines.len().max(1) - 1) as f64 * LINE_HEIGHT;
            Item::new(depth[node.id.index() + 1], width, height, lines)
        });
        let items = std::iter::once(start).chain(nodes).collect();
        let mut plan = Self {
            items,
            bundles: Vec::new(),
            links: Vec::new(),
            layers: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
        };
        plan.add_bundles(0, &diagram.start, false);
        for node in &diagram.nodes {
            plan.add_bundles(node.id.index() + 1, &node.next, node.look == Look::Back);
        }
        plan.make_room_for_arrow_heads();
        plan.layers = vec![Vec::new(); plan.items.iter().map(|item| item.layer + 1).max().unwrap_or(1)];
        for (id, item) in plan.items.iter().enumerate() {
            plan.layers[item.layer].push(id);
        }
        plan.join();
        plan
    }

    fn add_bundles(&mut self, source: usize, disjuncts: &Disjuncts, back: bool) {
        let disjuncts: Vec<_> = disjuncts.iter().filter(|disjunct| !disjunct.is_empty()).collect();
        let ports = disjuncts.len();
        for disjunct in &disjuncts {
            let bundle = self.bundles.len();
            let mut links = Vec::new();
            for target in disjunct.iter().map(|node| node.index() + 1).filter(|target| *target != source) {
                links.push(self.links.len());
                self.add_link(bundle, source, target);
            }
            let has_loop = links.len() < disjunct.len();
            self.bundles.push(Bundle { source, links, has_loop, back });
        }
        let item = &mut self.items[source];
        item.height = item.height.max(ports.saturating_sub(1) as f64 * BETWEEN_PORTS + item.height.min(26.0));
    }

    fn add_link(&mut self, bundle: usize, source: usize, target: usize) {
        let passed = self.items[source].layer + 1..self.items[target].layer;
        let vias = passed.map(|layer| {
            self.items.push(Item { is_via: true, ..Item::new(layer, 0.0, 0.0, Vec::new()) });
            self.items.len() - 1
        });
        let vias = vias.collect();
        self.links.push(Link { bundle, target, vias });
    }

    fn make_room_for_arrow_heads(&mut self) {
        let mut arriving = vec![0_u32; self.items.len()];
        self.links.iter().for_each(|link| arriving[link.target] += 1);
        for (item, count) in self.items.iter_mut().zip(arriving).filter(|(_, count)| *count > 0) {
            item.height = item.height.max(f64::from(count) * BETWEEN_HEADS + 16.0 - BETWEEN_HEADS);
        }
    }

    fn join(&mut self) {
        self.left = vec![Vec::new(); self.items.len()];
        self.right = vec![Vec::new(); self.items.len()];
        for link in &self.links {
            let mut last = self.bundles[link.bundle].source;
            for &next in link.vias.iter().chain([&link.target]) {
                self.right[last].push(next);
                self.left[next].push(last);
                last = next;
            }
        }
    }

    /// Orders each layer by the barycentre of its neighbours, to and fro, and keeps the order with the fewest crossings.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for sweep in 0..SWEEPS {
            let count = self.layers.len();
            for step in 1..count {
                match sweep % 2 {
                    0 => self.sort_layer(step, |plan, item| &plan.left[item]),
                    _ => self.sort_layer(count - 1 - step, |plan, item| &plan.right[item]),
                }
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    fn sort_layer(&mut self, layer: usize, neighbours: impl Fn(&Self, usize) -> &Vec<usize>) {
        let ranks = self.ranks();
        let barycentre = |item: usize| {
            let around = neighbours(self, item);
            match around.len() {
                0 => ranks[item],
                count => around.iter().map(|&other| ranks[other]).sum::<f64>() / count as f64,
            }
        };
        let mut keyed: Vec<(f64, usize)> = self.layers[layer].iter().map(|&item| (barycentre(item), item)).collect();
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        self.layers[layer] = keyed.into_iter().map(|(_, item)| item).collect();
    }

    /// Where each item is in its layer, from 0 to 1: layers have different lengths.
    fn ranks(&self) -> Vec<f64> {
        let mut ranks = vec![0.0; self.items.len()];
        for layer in &self.layers {
            for (place, &item) in layer.iter().enumerate() {
                ranks[item] = (place as f64 + 0.5) / layer.len() as f64;
            }
        }
        ranks
    }

    fn crossings(&self) -> usize {
        let mut place = vec![0; self.items.len()];
        for layer in &self.layers {
            layer.iter().enumerate().for_each(|(index, &item)| place[item] = index);
        }
        let mut crossings = 0;
        for layer in &self.layers {
            // The right ends of what begins further up.
            let mut above: Vec<usize> = Vec::new();
            for &item in layer {
                let mut ends: Vec<usize> = self.right[item].iter().map(|&other| place[other]).collect();
                ends.sort_unstable();
                crossings += ends.iter().map(|end| above.len() - above.partition_point(|a| a <= end)).sum::<usize>();
                above.extend(ends);
                above.sort_unstable();
            }
        }
        crossings
    }

    /// Gives every item its height on the page.
    fn place(&mut self) {
        self.make_room_for_loops();
        for layer in 0..self.layers.len() {
            self.settle(layer, |_, _| 0.0);
        }
        for sweep in 0..SWEEPS {
            for step in 0..self.layers.len() {
                let layer = if sweep % 2 == 0 { step } else { self.layers.len() - 1 - step };
                self.settle(layer, |plan, item| {
                    let around = plan.left[item].iter().chain(&plan.right[item]);
                    let (sum, count) = around.fold((0.0, 0), |(sum, n), &other| (sum + plan.items[other].y, n + 1));
                    if count == 0 { plan.items[item].y } else { sum / f64::from(count) }
                });
            }
        }
    }

    /// Which ports are the upper ones is not known yet: room for as many loops as either half may have.
    fn make_room_for_loops(&mut self) {
        for source in 0..self.items.len() {
            if self.items[source].is_via {
                continue;
            }
            let bundles = self.bundles_of(source);
            let loops = bundles.iter().filter(|&&bundle| self.bundles[bundle].has_loop).count();
            let upper = (0..bundles.len()).filter(|&port| is_upper(port, bundles.len())).count();
            let room = |count: usize| if count == 0 { 0.0 } else { loop_rise(count - 1) + 4.0 };
            self.items[source].above = room(loops.min(upper));
            self.items[source].below = room(loops.min(bundles.len() - upper));
        }
    }

    /// Moves the items of a layer as near as possible to where they want to be, in their order and without overlap:
    /// isotonic regression, by pooling adjacent violators.
    fn settle(&mut self, layer: usize, wanted: impl Fn(&Self, usize) -> f64) {
        let members = self.layers[layer].clone();
        let mut offsets: Vec<f64> = vec![0.0];
        for pair in members.windows(2) {
            offsets.push(offsets[offsets.len() - 1] + self.distance(pair[0], pair[1]));
        }
        let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
        for (&item, offset) in members.iter().zip(&offsets) {
            let weight = if self.items[item].is_via { 2.0 } else { 1.0 };
            let mut block = (wanted(self, item) - offset, weight, 1);
            while let Some(&last) = blocks.last()
                && last.0 > block.0
            {
                let weight = last.1 + block.1;
                block = ((last.0 * last.1 + block.0 * block.1) / weight, weight, last.2 + block.2);
                blocks.pop();
            }
            blocks.push(block);
        }
        let settled = blocks.iter().flat_map(|block| std::iter::repeat_n(block.0, block.2));
        for ((&item, offset), y) in members.iter().zip(&offsets).zip(settled) {
            self.items[item].y = y + offset;
        }
    }

    fn distance(&self, upper: usize, lower: usize) -> f64 {
        let (upper, lower) = (&self.items[upper], &self.items[lower]);
        let gap = match (upper.is_via, lower.is_via) {
            (true, true) => 12.0,
            (false, false) => 26.0,
            _ => 18.0,
        };
        upper.height / 2.0 + upper.below + gap + lower.height / 2.0 + lower.above
    }

    fn bundles_of(&self, source: usize) -> Vec<usize> {
        (0..self.bundles.len()).filter(|&bundle| self.bundles[bundle].source == source).collect()
    }

    fn draw(&self, diagram: &Diagram) -> Layout {
        let columns = self.columns();
        let shapes = self.shapes(&columns);
        let mut layout = Layout {
            width: columns.last().map_or(0.0, |last| last.1) + MARGIN,
            height: 0.0,
            start: shapes[0],
            nodes: Vec::new(),
            bundles: Vec::new(),
        };
        let lines = self.items[1..].iter().map(|item| item.lines.clone());
        layout.nodes = shapes[1..=diagram.nodes.len()].iter().copied().zip(lines).collect();
        Router { plan: self, columns: &columns, shapes: &shapes, layout: &mut layout }.route();
        let bottom = self.items.iter().map(|item| item.y + item.height / 2.0 + item.below);
        layout.height = bottom.fold(f64::NEG_INFINITY, f64::max) - self.top() + 2.0 * MARGIN;
        layout
    }

    fn top(&self) -> f64 {
        self.items.iter().map(|item| item.y - item.height / 2.0 - item.above).fold(f64::INFINITY, f64::min)
    }

    /// The left and right of each layer.
    fn columns(&self) -> Vec<(f64, f64)> {
        let mut columns = Vec::new();
        let mut x = MARGIN;
        for layer in &self.layers {
            let width = layer.iter().map(|&item| self.items[item].width).fold(0.0, f64::max);
            columns.push((x, x + width));
            x += width + self.gap_after(layer);
        }
        columns
    }

    /// Steep arrows and many loops need more room.
    fn gap_after(&self, layer: &[usize]) -> f64 {
        let rises = layer.iter().flat_map(|&item| {
            self.right[item].iter().map(move |&other| (self.items[item].y - self.items[other].y).abs())
        });
        let steepest = rises.fold(0.0, f64::max);
        let loops = layer.iter().map(|&item| self.items[item].above.max(self.items[item].below)).fold(0.0, f64::max);
        let sources = layer.iter().filter(|&&item| !self.items[item].is_via);
        let ports = sources.map(|&item| self.bundles_of(item).len()).max().unwrap_or(0);
        BETWEEN_LAYERS + (steepest * 0.25).min(110.0) + loops * 0.6 + (ports as f64 * 4.0).min(160.0)
    }

    fn shapes(&self, columns: &[(f64, f64)]) -> Vec<Shape> {
        let top = self.top();
        let shape = |item: &Item| {
            let (left, right) = columns[item.layer];
            let centre = Point { x: (left + right) / 2.0, y: item.y - top + MARGIN };
            Shape { centre, width: item.width, height: item.height }
        };
        self.items.iter().map(shape).collect()
    }
}

impl Item {
    fn new(layer: usize, width: f64, height: f64, lines: Vec<String>) -> Self {
        Self { layer, width, height, above: 0.0, below: 0.0, y: 0.0, is_via: false, lines }
    }
}

/// Turns places into curves.
struct Router<'a> {
    plan: &'a Plan,
    columns: &'a [(f64, f64)],
    shapes: &'a [Shape],
    layout: &'a mut Layout,
}

impl Router<'_> {
    fn route(&mut self) {
        let fans = self.fans();
        let entries = self.entries(&fans);
        for source in 0..=self.layout.nodes.len() {
            self.route_source(source, &fans, &entries);
        }
    }

    /// Where the arrows of each bundle part: on a line down the right of the layer, further up if they lead further up.
    fn fans(&self) -> Vec<(Point, Point)> {
        let mut fans = vec![(Point { x: 0.0, y: 0.0 }, Point { x: 0.0, y: 0.0 }); self.plan.bundles.len()];
        for source in 0..=self.layout.nodes.len() {
            let shape = self.shapes[source];
            let ordered = self.ordered_bundles(source);
            for (port, &bundle) in ordered.iter().enumerate() {
                let y = shape.centre.y + (port as f64 - (ordered.len() as f64 - 1.0) / 2.0) * BETWEEN_PORTS;
                let from = Point { x: shape.side(y, 1.0), y };
                let right = self.columns[self.plan.items[source].layer].1;
                let only_loops = self.plan.bundles[bundle].links.is_empty();
                let is_narrow = shape.centre.x + shape.width / 2.0 + 8.0 < right;
                let x = if is_narrow && !only_loops { right } else { from.x };
                fans[bundle] = (from, Point { x, y });
            }
        }
        fans
    }

    /// The bundles of a source from the top: by where their arrows lead.
    fn ordered_bundles(&self, source: usize) -> Vec<usize> {
        let mut bundles = self.plan.bundles_of(source);
        let heading = |bundle: usize| {
            let links = &self.plan.bundles[bundle].links;
            let ys = links.iter().map(|&link| self.first_stop(link).y);
            if links.is_empty() { f64::NEG_INFINITY } else { ys.sum::<f64>() / links.len() as f64 }
        };
        bundles.sort_by(|&one, &other| heading(one).total_cmp(&heading(other)));
        bundles
    }

    fn first_stop(&self, link: usize) -> Point {
        let link = &self.plan.links[link];
        self.shapes[*link.vias.first().unwrap_or(&link.target)].centre
    }

    /// Where each arrow meets its target.
    fn entries(&self, fans: &[(Point, Point)]) -> Vec<Point> {
        let links = &self.plan.links;
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
            let bundle = &self.plan.bundles[id];
            let (from, fan) = fans[id];
            let mut arrows: Vec<Arrow> = bundle
                .links
                .iter()
                .map(|&link| Arrow { from, fan, curves: self.curves(link, fan, entries[link]) })
                .collect();
            if bundle.has_loop {
                let curves = self.loop_curves(source, fan, port, &ordered);
                arrows.push(Arrow { from, fan, curves })
            }
            let (title, arc) = (self.title(bundle), joining_arc(&arrows, radius));
            self.layout.bundles.push(DrawnBundle { title, arrows, arc, back: bundle.back });
        }
    }

    fn title(&self, bundle: &Bundle) -> String {
        let name = |item: usize| match item.checked_sub(1) {
            Some(node) => NodeId::new(node).to_string(),
            None => "start".to_owned(),
        };
        let own = bundle.has_loop.then_some(bundle.source);
        let mut targets: Vec<usize> =
            bundle.links.iter().map(|&link| self.plan.links[link].target).chain(own).collect();
        targets.sort_unstable();
        let arrow = if bundle.back { "←" } else { "→" };
        format!("{} {arrow} {}", name(bundle.source), targets.into_iter().map(name).collect::<Vec<_>>().join(" ∧ "))
    }

    fn curves(&self, link: usize, fan: Point, entry: Point) -> Vec<[Point; 3]> {
        let link = &self.plan.links[link];
        let parting = self.plan.bundles[link.bundle].size() > 1;
        let mut curves = Vec::new();
        let mut last = fan;
        for &via in &link.vias {
            let (left, right) = self.columns[self.plan.items[via].layer];
            let y = self.shapes[via].centre.y;
            curves.push(curve(last, Point { x: left, y }, parting && last.x == fan.x));
            curves.push(curve(Point { x: left, y }, Point { x: right, y }, false));
            last = Point { x: right, y };
        }
        // Straight through the margin of a layer that is wider than the node.
        let left = self.columns[self.plan.items[link.target].layer].0;
        if left + 8.0 < entry.x {
            let margin = Point { x: left, y: entry.y };
            curves.push(curve(last, margin, parting && last.x == fan.x));
            curves.push(curve(margin, entry, false));
        } else {
            curves.push(curve(last, entry, parting && last.x == fan.x));
        }
        curves
    }

    /// Round the upper or lower right corner and back into the node; loops from the middle are outside.
    fn loop_curves(&self, source: usize, fan: Point, port: usize, ordered: &[usize]) -> Vec<[Point; 3]> {
        let shape = self.shapes[source];
        let upper = is_upper(port, ordered.len());
        let sign = if upper { -1.0 } else { 1.0 };
        let is_inside = |other: usize| {
            let further_out = if upper { other < port } else { other > port };
            further_out && is_upper(other, ordered.len()) == upper && self.plan.bundles[ordered[other]].has_loop
        };
        let inside = (0..ordered.len()).filter(|&other| is_inside(other)).count();
        let peak = shape.centre.y + sign * (shape.height / 2.0 + loop_rise(inside));
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

/// How far a loop with this many others inside it rises over its node.
fn loop_rise(inside: usize) -> f64 {
    20.0 + 10.0 * inside as f64
}

/// A curve that arrives horizontally. Where arrows part, it leaves towards its end, so that their arc can be seen.
fn curve(from: Point, to: Point, parting: bool) -> [Point; 3] {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let lean = if parting { 0.3 } else { 0.0 };
    let leave = Point { x: from.x + dx * 0.4, y: from.y + dy * lean };
    [leave, Point { x: to.x - dx * 0.45, y: to.y }, to]
}

/// The arc across the arrows of a bundle, if they are more than one.
fn joining_arc(arrows: &[Arrow], radius: f64) -> Option<Arc> {
    let angles = arrows.iter().map(|arrow| leaving_angle(arrow, radius));
    let low = angles.clone().fold(f64::INFINITY, f64::min) - 0.12;
    let high = angles.fold(f64::NEG_INFINITY, f64::max) + 0.12;
    let fan = arrows.first()?.fan;
    let at = |angle: f64| Point { x: fan.x + radius * angle.cos(), y: fan.y + radius * angle.sin() };
    (arrows.len() > 1).then(|| Arc { from: at(low), to: at(high), radius })
}

/// The direction in which an arrow crosses the circle that its arc is part of.
fn leaving_angle(arrow: &Arrow, radius: f64) -> f64 {
    let (fan, [one, two, end]) = (arrow.fan, arrow.curves[0]);
    let at = |t: f64| {
        let (a, b, c, d) = ((1.0 - t).powi(3), 3.0 * t * (1.0 - t).powi(2), 3.0 * t * t * (1.0 - t), t.powi(3));
        let along = |from: f64, one: f64, two: f64, end: f64| a * from + b * one + c * two + d * end - from;
        (along(fan.x, one.x, two.x, end.x), along(fan.y, one.y, two.y, end.y))
    };
    let (x, y) =
        (1..=200).map(|step| at(f64::from(step) / 200.0)).find(|(x, y)| x.hypot(*y) >= radius).unwrap_or(at(1.0));
    y.atan2(x)
}

/// The longest path from the start to each item.
fn depths(diagram: &Diagram) -> Vec<usize> {
    let count = diagram.nodes.len() + 1;
    let next = |item: usize| {
        let disjuncts = if item == 0 { &diagram.start } else { &diagram.nodes[item - 1].next };
        disjuncts.iter().flatten().map(|node| node.index() + 1).filter(move |target| *target != item)
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

/// A label in a few short lines; what does not fit is left out, and `…` says so.
fn wrapped(label: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in label.split_whitespace() {
        let last = lines.last_mut().expect("there is always a line");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= LONGEST_LINE {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    let left_out = lines.len() > MOST_LINES;
    lines.truncate(MOST_LINES);
    if left_out {
        lines.last_mut().expect("there is always a line").push_str(" …");
    }
    lines.iter().map(|line| shortened(line, LONGEST_LINE + 4)).collect()
}

/// The beginning of a text, with `…` if that is not all of it.
pub fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}
