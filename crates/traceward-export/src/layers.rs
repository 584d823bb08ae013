//! Layers from left to right (Sugiyama, Tagawa, Toda 1981): every picture is laid out in them.
//!
//! The caller gives each item a layer and joins items of neighbouring ones; a long arrow is joined
//! through an item in every layer it passes, hence it crosses no node.

/// The size of a node whose label is short.
pub const NODE: f64 = 54.0;
/// Room around the picture.
pub const MARGIN: f64 = 20.0;
/// The height of a text on an arrow.
pub const CAPTION_HEIGHT: f64 = 14.0;
const CAPTION_LETTER_WIDTH: f64 = 6.3;
const WIDEST_SQUARE: f64 = 80.0;
const LINE_HEIGHT: f64 = 15.0;
const LETTER_WIDTH: f64 = 7.0;
const LONGEST_LINE: usize = 22;
const MOST_LINES: usize = 3;
const SWEEPS: usize = 24;

/// A point of the picture; y grows downwards.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// The outline of a node, which says how round it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outline {
    /// A circle if it is small, with round corners if it is wide.
    BySize,
    /// A circle, drawn out if there is more in it than fits.
    Circle,
    /// A square with round corners.
    Square,
}

/// A box with round corners.
#[derive(Clone, Copy, Debug)]
pub struct RoundedBox {
    pub centre: Point,
    pub width: f64,
    pub height: f64,
    pub outline: Outline,
}

impl RoundedBox {
    /// The radius of the corners.
    pub fn corner(&self) -> f64 {
        match self.outline {
            Outline::BySize if self.width > NODE => 20.0,
            Outline::BySize | Outline::Circle => self.width.min(self.height) / 2.0,
            Outline::Square => 11.0,
        }
    }

    /// The width that the shape lacks on each side, at a distance from its middle; `extent` is its
    /// size in the direction of the distance.
    fn inset(&self, distance: f64, extent: f64) -> f64 {
        let corner = self.corner();
        let into_corner = (distance.abs() - (extent / 2.0 - corner)).clamp(0.0, corner);
        corner - (corner * corner - into_corner * into_corner).sqrt()
    }

    /// The side at a height, left (-1) or right (1).
    pub fn side(&self, y: f64, sign: f64) -> f64 {
        self.centre.x + sign * (self.width / 2.0 - self.inset(y - self.centre.y, self.height))
    }

    /// The upper (-1) or lower (1) edge at an x.
    pub fn edge(&self, x: f64, sign: f64) -> f64 {
        self.centre.y + sign * (self.height / 2.0 - self.inset(x - self.centre.x, self.width))
    }
}

/// An item of a layer: a node, or an arrow on its way.
#[derive(Clone, Debug)]
pub struct Item {
    pub layer: usize,
    pub width: f64,
    pub height: f64,
    pub outline: Outline,
    /// Room for self-loops above and below.
    pub above: f64,
    pub below: f64,
    pub y: f64,
    pub is_via: bool,
    pub lines: Vec<String>,
}

impl Item {
    /// An item whose height on the page has not been found yet.
    pub fn new(layer: usize, width: f64, height: f64, lines: Vec<String>) -> Self {
        let outline = Outline::BySize;
        Self { layer, width, height, outline, above: 0.0, below: 0.0, y: 0.0, is_via: false, lines }
    }

    /// A node with a label in it.
    pub fn node(layer: usize, label: &str) -> Self {
        let lines = wrapped(label);
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let width = NODE.max(longest as f64 * LETTER_WIDTH + 22.0);
        let height = NODE + (lines.len().max(1) - 1) as f64 * LINE_HEIGHT;
        Self::new(layer, width, height, lines)
    }

    /// The item with another outline, as high as it is wide unless its label is long.
    pub fn outlined(self, outline: Outline) -> Self {
        let height = if self.width <= WIDEST_SQUARE { self.width.max(self.height) } else { self.height };
        Self { height, outline, ..self }
    }

    /// A short text on an arrow that passes a layer.
    pub fn caption(layer: usize, text: &str) -> Self {
        let width = text.chars().count() as f64 * CAPTION_LETTER_WIDTH + 8.0;
        Self { is_via: true, ..Self::new(layer, width, CAPTION_HEIGHT, vec![text.to_owned()]) }
    }

    /// The item where an arrow passes a layer.
    pub fn via(layer: usize) -> Self {
        Self { is_via: true, ..Self::new(layer, 0.0, 0.0, Vec::new()) }
    }
}

/// Items in layers.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// All items.
    pub items: Vec<Item>,
    /// The items of each layer, from the top.
    pub members: Vec<Vec<usize>>,
    /// The items to the left that an item is joined with.
    pub left: Vec<Vec<usize>>,
    /// The items to the right.
    pub right: Vec<Vec<usize>>,
}

impl Layers {
    /// Makes an item a member of its layer, and joins the items of each path, one after another.
    pub fn join(&mut self, paths: impl Iterator<Item = Vec<usize>>) {
        self.members = vec![Vec::new(); self.items.iter().map(|item| item.layer + 1).max().unwrap_or(1)];
        for (id, item) in self.items.iter().enumerate() {
            self.members[item.layer].push(id);
        }
        self.left = vec![Vec::new(); self.items.len()];
        self.right = vec![Vec::new(); self.items.len()];
        for path in paths {
            for pair in path.windows(2) {
                self.right[pair[0]].push(pair[1]);
                self.left[pair[1]].push(pair[0]);
            }
        }
    }

    /// Orders each layer by the barycentre of its neighbours, to and fro, and keeps the order with
    /// the fewest crossings.
    pub fn order(&mut self) {
        let mut best = (self.crossings(), self.members.clone());
        for sweep in 0..SWEEPS {
            let count = self.members.len();
            for step in 1..count {
                match sweep % 2 {
                    0 => self.sort_layer(step, |layers, item| &layers.left[item]),
                    _ => self.sort_layer(count - 1 - step, |layers, item| &layers.right[item]),
                }
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.members.clone());
            }
        }
        self.members = best.1;
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
        let mut keyed: Vec<(f64, usize)> = self.members[layer].iter().map(|&item| (barycentre(item), item)).collect();
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        self.members[layer] = keyed.into_iter().map(|(_, item)| item).collect();
    }

    /// The rank of each item in its layer, from 0 to 1, because layers have different lengths.
    fn ranks(&self) -> Vec<f64> {
        let mut ranks = vec![0.0; self.items.len()];
        for layer in &self.members {
            for (place, &item) in layer.iter().enumerate() {
                ranks[item] = (place as f64 + 0.5) / layer.len() as f64;
            }
        }
        ranks
    }

    fn crossings(&self) -> usize {
        let mut place = vec![0; self.items.len()];
        for layer in &self.members {
            layer.iter().enumerate().for_each(|(index, &item)| place[item] = index);
        }
        let mut crossings = 0;
        for layer in &self.members {
            // The right ends of the arrows that begin further up.
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
    pub fn find_heights(&mut self) {
        for layer in 0..self.members.len() {
            self.settle(layer, |_, _| 0.0);
        }
        for sweep in 0..SWEEPS {
            for step in 0..self.members.len() {
                let layer = if sweep % 2 == 0 { step } else { self.members.len() - 1 - step };
                self.settle(layer, |layers, item| {
                    let around = layers.left[item].iter().chain(&layers.right[item]);
                    let (sum, count) = around.fold((0.0, 0), |(sum, n), &other| (sum + layers.items[other].y, n + 1));
                    if count == 0 { layers.items[item].y } else { sum / f64::from(count) }
                });
            }
        }
    }

    /// Moves the items of a layer as near as possible to where they want to be, in their order and
    /// without overlap: isotonic regression, by pooling adjacent violators.
    fn settle(&mut self, layer: usize, wanted: impl Fn(&Self, usize) -> f64) {
        let members = self.members[layer].clone();
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

    /// The height of the picture, without margins.
    pub fn height(&self) -> f64 {
        let bottom = self.items.iter().map(|item| item.y + item.height / 2.0 + item.below);
        bottom.fold(f64::NEG_INFINITY, f64::max) - self.top()
    }

    fn top(&self) -> f64 {
        self.items.iter().map(|item| item.y - item.height / 2.0 - item.above).fold(f64::INFINITY, f64::min)
    }

    /// The shapes of the items, given the left and right of each layer.
    pub fn shapes(&self, columns: &[(f64, f64)]) -> Vec<RoundedBox> {
        let top = self.top();
        let shape = |item: &Item| {
            let (left, right) = columns[item.layer];
            let centre = Point { x: (left + right) / 2.0, y: item.y - top + MARGIN };
            RoundedBox { centre, width: item.width, height: item.height, outline: item.outline }
        };
        self.items.iter().map(shape).collect()
    }
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
