//! Trees and graphs, in layers from left to right: what is below a vertex is to the right of it.

use super::pills::{Pill, Ring, class_of, width, write_pill};
use super::{Block, NODE_HEIGHT};
use crate::layers::{Item, Layers, MARGIN, Outline, Point, RoundedBox};
use std::fmt::{self, Write};
use traceward::report::{HeldGraph, HeldVertex};

const BETWEEN_LAYERS: f64 = 34.0;

/// Draws a graph.
pub(super) fn block(graph: &HeldGraph) -> Result<Block, fmt::Error> {
    if graph.vertices.is_empty() {
        let svg = "    <text class=\"stage\" x=\"0\" y=\"16\">nothing</text>\n".to_owned();
        return Ok(Block { width: 0.0, height: NODE_HEIGHT, svg });
    }
    let (mut layers, paths) = layered(graph);
    layers.join(paths.iter().cloned());
    layers.order();
    layers.find_heights();
    let columns = columns(&layers, if graph.roots.len() > 1 { -BETWEEN_LAYERS } else { 0.0 });
    let shapes = layers.shapes(&columns);
    let mut svg = format!("    <g transform=\"translate(0 {:.1})\">\n", -MARGIN);
    let drawn = paths.iter().filter(|path| path[0] < graph.vertices.len());
    drawn.into_iter().try_for_each(|path| write_line(&mut svg, path, &shapes))?;
    for (vertex, shape) in graph.vertices.iter().zip(&shapes) {
        write_pill(&mut svg, &pill(vertex), shape)?;
    }
    svg.push_str("    </g>\n");
    let width = columns.last().map_or(0.0, |(_, right)| *right);
    Ok(Block { width, height: layers.height(), svg })
}

fn pill(vertex: &HeldVertex) -> Pill {
    let class = match (vertex.value, is_junction(vertex)) {
        (None, true) => "held junction",
        (value, _) => class_of(value),
    };
    Pill { text: text(vertex), class, ring: Ring::One }
}

fn is_junction(vertex: &HeldVertex) -> bool {
    matches!(vertex.label.as_str(), "∧" | "∨")
}

/// The text of a vertex. Its value is its colour.
fn text(vertex: &HeldVertex) -> String {
    HeldVertex { value: None, ..vertex.clone() }.to_string()
}

/// The vertices in layers by the longest way from the top, and a path of items for each edge. An
/// edge that passes a layer has an item in it. Several vertices at the top are held together by an
/// item to the left of them that is not drawn, and by paths from it.
fn layered(graph: &HeldGraph) -> (Layers, Vec<Vec<usize>>) {
    let is_held_together = graph.roots.len() > 1;
    let first = usize::from(is_held_together);
    let depths: Vec<usize> = depths(graph).into_iter().map(|depth| depth + first).collect();
    let mut layers = Layers::default();
    for (vertex, depth) in graph.vertices.iter().zip(&depths) {
        let outline = if is_junction(vertex) { Outline::Circle } else { Outline::Square };
        layers.items.push(Item { outline, ..Item::new(*depth, width(&text(vertex)), NODE_HEIGHT, Vec::new()) });
    }
    let mut paths = Vec::new();
    if is_held_together {
        let holder = layers.items.len();
        layers.items.push(Item::via(0));
        paths.extend(graph.roots.iter().map(|root| vec![holder, root.index()]));
    }
    for (from, vertex) in graph.vertices.iter().enumerate() {
        for child in &vertex.children {
            let first = layers.items.len();
            layers.items.extend((depths[from] + 1..depths[child.index()]).map(Item::via));
            let passed = first..layers.items.len();
            paths.push([from].into_iter().chain(passed).chain([child.index()]).collect());
        }
    }
    (layers, paths)
}

/// The length of the longest way from the top to each vertex.
fn depths(graph: &HeldGraph) -> Vec<usize> {
    let mut waiting = graph.parents();
    let mut depths = vec![0; graph.vertices.len()];
    let mut ready: Vec<usize> = (0..waiting.len()).filter(|&vertex| waiting[vertex] == 0).collect();
    while let Some(vertex) = ready.pop() {
        for child in graph.vertices[vertex].children.iter().map(|child| child.index()) {
            depths[child] = depths[child].max(depths[vertex] + 1);
            waiting[child] -= 1;
            if waiting[child] == 0 {
                ready.push(child);
            }
        }
    }
    depths
}

/// The left and the right of each layer, from the left of the first one on.
fn columns(layers: &Layers, mut left: f64) -> Vec<(f64, f64)> {
    let column = |members: &Vec<usize>| {
        let width = members.iter().map(|&item| layers.items[item].width).fold(0.0, f64::max);
        let right = left + width;
        let column = (left, right);
        left = right + BETWEEN_LAYERS;
        column
    };
    layers.members.iter().map(column).collect()
}

fn write_line(out: &mut String, path: &[usize], shapes: &[RoundedBox]) -> fmt::Result {
    let side = |shape: &RoundedBox, sign: f64| Point { x: shape.side(shape.centre.y, sign), y: shape.centre.y };
    let start = side(&shapes[path[0]], 1.0);
    write!(out, "    <path class=\"below\" d=\"M{:.1} {:.1}", start.x, start.y)?;
    for pair in path.windows(2) {
        let (from, to) = (side(&shapes[pair[0]], 1.0), side(&shapes[pair[1]], -1.0));
        let middle = (from.x + to.x) / 2.0;
        write!(out, " C{middle:.1} {:.1} {middle:.1} {:.1} {:.1} {:.1}", from.y, to.y, to.x, to.y)?;
    }
    writeln!(out, "\"/>")
}
