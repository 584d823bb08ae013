//! Walkthroughs as pictures: what an engine held after each state, one step below the other.
//!
//! A step has a heading with its state, and under it a row for each stage: pills for sets, values
//! and states, layers from left to right for trees and graphs.

mod pills;
mod tree;

use crate::frame::{Frame, escaped, heading_width};
use crate::layers::{MARGIN, shortened};
use std::fmt::{self, Write};
use traceward::report::{Conclusion, Content, Stage, Walkthrough, WalkthroughStep};

/// The number of nodes that a picture may have in all.
const MOST_NODES: usize = 2000;
/// The number of letters that a state has in the heading of its step.
const LONGEST_HEADING: usize = 100;
const HEADING_LETTER: f64 = 7.6;
const HEADING_HEIGHT: f64 = 26.0;
/// The room for the name of a stage.
const NAME_WIDTH: f64 = 92.0;
const BETWEEN_STAGES: f64 = 8.0;
const BETWEEN_STEPS: f64 = 16.0;
/// The width of a letter in a node.
const LETTER: f64 = 7.2;
/// The height of a node.
const NODE_HEIGHT: f64 = 24.0;

const STYLE: &str = "    .step { font-size: 13px; font-weight: bold; text-anchor: start }
    .stage { fill: #57606a; text-anchor: start }
    .held rect { fill: #ffffff; stroke: #1b1f24; stroke-width: 1.2 }
    .held .ring { fill: none; stroke-width: 1 }
    .held.true rect { fill: #d8f0dc }
    .held.false rect { fill: #f8dcd8 }
    .held.junction rect { fill: #eef3fa }
    .below { fill: none; stroke: #3d4752; stroke-width: 1.2 }
    .rule { stroke: #d0d7de; stroke-width: 1 }
";

/// The error that there is too much to be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMuchToDraw {
    /// The number of nodes in all steps.
    pub nodes: usize,
    /// The number of nodes that a picture may have.
    pub limit: usize,
}

impl fmt::Display for TooMuchToDraw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nobody could read a picture of {} nodes: the limit is {}", self.nodes, self.limit)
    }
}

impl std::error::Error for TooMuchToDraw {}

/// Something that was drawn, and how much room it takes.
struct Block {
    width: f64,
    height: f64,
    svg: String,
}

/// The steps as a picture; `formula` is that of the property, and `engine` the name of who made
/// them.
pub fn svg(formula: &str, engine: &str, walkthrough: &Walkthrough) -> Result<String, TooMuchToDraw> {
    let nodes = walkthrough.steps.iter().flat_map(|step| &step.stages).map(|stage| stage.content.size()).sum();
    if nodes > MOST_NODES {
        return Err(TooMuchToDraw { nodes, limit: MOST_NODES });
    }
    let mut text = String::new();
    write_picture(formula, engine, walkthrough, &mut text).expect("writing to a string cannot fail");
    Ok(text)
}

fn write_picture(formula: &str, engine: &str, walkthrough: &Walkthrough, out: &mut String) -> fmt::Result {
    let steps = walkthrough.steps.iter().map(step_block).collect::<Result<Vec<Block>, fmt::Error>>()?;
    let all = stacked(&steps, BETWEEN_STEPS)?;
    let heading = format!("{formula} – step by step, by {engine}");
    // As wide as the heading, so that what is below begins where the heading does.
    let width = (all.width + 2.0 * MARGIN).max(heading_width(&heading));
    let frame = Frame {
        formula: &heading,
        legend: legend(walkthrough),
        size: [width, all.height + MARGIN],
        style: STYLE,
        heads: &[],
    };
    frame.write(out, |out| placed(out, &all, MARGIN, MARGIN / 2.0))
}

/// The legend: what the signs of this picture mean.
fn legend(walkthrough: &Walkthrough) -> String {
    let mut contents = walkthrough.steps.iter().flat_map(|step| &step.stages).map(|stage| &stage.content);
    let has_rings = contents.clone().any(|content| match content {
        Content::Sets(sets) => sets.iter().any(|set| set.is_accepting),
        Content::States(states) => states.iter().any(|state| state.is_accepting),
        Content::Values(_) | Content::Graph(_) => false,
    });
    let has_values = contents.any(|content| match content {
        Content::Values(_) => true,
        Content::Graph(graph) => graph.vertices.iter().any(|vertex| vertex.value.is_some()),
        Content::Sets(_) | Content::States(_) => false,
    });
    let signs = [(has_rings, "two rings: the trace may end here"), (has_values, "green: true  ·  red: false")];
    let present: Vec<&str> = signs.into_iter().filter(|(present, _)| *present).map(|(_, sign)| sign).collect();
    present.join("  ·  ")
}

/// A step: its heading, and its stages below.
fn step_block(step: &WalkthroughStep) -> Result<Block, fmt::Error> {
    let state = step.state.as_ref().map_or_else(|| "the whole trace".to_owned(), ToString::to_string);
    let conclusion = match step.conclusion {
        Conclusion::SoFar(verdict) => verdict.to_string(),
        Conclusion::Here(true) => "holds".to_owned(),
        Conclusion::Here(false) => "does not hold".to_owned(),
    };
    let text = format!("{} – {conclusion}", shortened(&state, LONGEST_HEADING));
    let width = text.chars().count() as f64 * HEADING_LETTER;
    let mut svg = format!("    <text class=\"step\" x=\"0\" y=\"17\">{}</text>\n", escaped(&text));
    writeln!(svg, "    <line class=\"rule\" x1=\"0\" y1=\"0\" x2=\"{width:.1}\" y2=\"0\"/>")?;
    let heading = Block { width, height: HEADING_HEIGHT, svg };
    let stages = step.stages.iter().map(stage_block);
    let parts = [Ok(heading)].into_iter().chain(stages).collect::<Result<Vec<Block>, fmt::Error>>()?;
    stacked(&parts, BETWEEN_STAGES)
}

/// A stage: its name, and what was held beside it.
fn stage_block(Stage { name, content }: &Stage) -> Result<Block, fmt::Error> {
    let held = match content {
        Content::Sets(sets) => pills::flowing(sets.iter().map(pills::of_set))?,
        Content::Values(values) => pills::flowing(values.iter().map(pills::of_value))?,
        Content::States(states) => pills::one_below_the_other(states.iter().map(pills::of_state))?,
        Content::Graph(graph) => tree::block(graph)?,
    };
    let mut svg = format!("    <text class=\"stage\" x=\"0\" y=\"16\">{}</text>\n", escaped(name));
    placed(&mut svg, &held, NAME_WIDTH, 0.0)?;
    Ok(Block { width: NAME_WIDTH + held.width, height: held.height, svg })
}

/// Blocks one below the other.
fn stacked(blocks: &[Block], between: f64) -> Result<Block, fmt::Error> {
    let (mut svg, mut y) = (String::new(), 0.0);
    for (index, block) in blocks.iter().enumerate() {
        y += if index == 0 { 0.0 } else { between };
        placed(&mut svg, block, 0.0, y)?;
        y += block.height;
    }
    let width = blocks.iter().map(|block| block.width).fold(0.0, f64::max);
    Ok(Block { width, height: y, svg })
}

fn placed(out: &mut String, block: &Block, x: f64, y: f64) -> fmt::Result {
    writeln!(out, "    <g transform=\"translate({x:.1} {y:.1})\">\n{}    </g>", block.svg)
}
