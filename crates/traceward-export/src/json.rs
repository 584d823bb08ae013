//! Automata as JSON, for programs.

use crate::diagram::{Diagram, DiagramKind, DiagramPart};
use crate::listing::{LeftOut, ListedEdge, ListedProposition, ListedState, Listing, ListingKind};
use crate::property::{AutomatonSize, RouteComparison};
use crate::sketch::{ClockChange, Disjuncts, Edge, Sketch, SketchKind, SketchNode};
use serde_json::{Map, Value, json};
use traceward_engine::automaton::alternating::Look;
use traceward_engine::automaton::metric::{Clock, ClockId};
use traceward_logic::formula::Unit;

/// A sketch of an alternating automaton as a JSON object.
pub fn of_sketch(sketch: &Sketch) -> String {
    format!("{:#}", document(sketch))
}

/// A diagram of an algebraic automaton as a JSON object. Nodes are the terminal and the transient
/// ones; parts are all automata that the whole is made of, and name their operands.
pub fn of_diagram(diagram: &Diagram) -> String {
    let name = |part: usize| diagram.parts[part].name.clone();
    let nodes = diagram.parts.iter().filter_map(|part| {
        let mut document = json!({ "id": part.node()?, "part": part.name, "label": part.label });
        if let DiagramKind::Transient { next, .. } = part.kind {
            document["next"] = json!(name(next));
        }
        Some(document)
    });
    let part = |part: &DiagramPart| {
        let operands: Vec<String> = part.targets().iter().map(|&target| name(target)).collect();
        let mut document = json!({ "id": part.name, "kind": part_kind(&part.kind) });
        if let Some(node) = part.node() {
            document["node"] = json!(node);
        }
        if !matches!(part.kind, DiagramKind::Terminal { .. }) {
            document["function"] = json!(part.label);
        }
        document["operands"] = json!(operands);
        document
    };
    let document = json!({
        "kind": "algebraic",
        "query": diagram.query,
        "states": diagram.nodes(),
        "edges": diagram.edges(),
        // A value takes the place of acceptance.
        "accepting": 0,
        "roots": [name(diagram.root)],
        "nodes": nodes.collect::<Vec<_>>(),
        "parts": diagram.parts.iter().map(part).collect::<Vec<_>>(),
    });
    format!("{document:#}")
}

fn part_kind(kind: &DiagramKind) -> &'static str {
    match kind {
        DiagramKind::Terminal { .. } => "terminal",
        DiagramKind::Transient { .. } => "transient",
        DiagramKind::And(_) => "and",
        DiagramKind::Or(_) => "or",
        DiagramKind::Apply(_) => "apply",
    }
}

/// A listing of an ordinary automaton as a JSON object.
pub fn of_listing(listing: &Listing) -> String {
    format!("{:#}", listed(listing))
}

/// Both ways to a deterministic automaton as a JSON object.
pub fn of_routes(compared: &RouteComparison) -> String {
    let RouteComparison { unfolded, merged, tableau_states, tableau_edges, sets, minimal, isomorphic } = compared;
    let document = json!({
        "progression": { "unfolded": unfolded, "minimal": merged },
        "tableau": { "states": tableau_states, "edges": tableau_edges, "sets": sets, "minimal": minimal },
        "isomorphic": isomorphic,
    });
    format!("{document:#}")
}

/// The object of a sketch. Conditions are lists of lists: one of the outer and all of the inner
/// have to hold. `[[]]` is ε, which asks nothing.
fn document(sketch: &Sketch) -> Value {
    match sketch.kind {
        SketchKind::Alternating => json!({
            "kind": "alternating",
            "formula": sketch.formula,
            "states": sketch.nodes.len(),
            "edges": sketch.edges(),
            "accepting": sketch.accepting(),
            "start": condition(&sketch.start, node_name),
            "nodes": sketch.nodes.iter().map(alternating_node).collect::<Vec<_>>(),
        }),
        SketchKind::Metric => json!({
            "kind": "metric",
            "formula": sketch.formula,
            "states": sketch.nodes.len(),
            "edges": sketch.edges(),
            "accepting": sketch.accepting(),
            "clocks": sketch.clocks.iter().map(clock).collect::<Vec<_>>(),
            "start": condition(&sketch.start, timed_edge),
            "nodes": sketch.nodes.iter().map(metric_node).collect::<Vec<_>>(),
        }),
    }
}

fn alternating_node(node: &SketchNode) -> Value {
    let direction = match node.look {
        Look::Here => "here",
        Look::Forward => "future",
        Look::Back => "past",
    };
    json!({
        "id": node.id.to_string(),
        "label": node.label,
        "accepting": node.accepting,
        "direction": direction,
        "next": condition(&node.next, node_name),
        "formula": node.formula,
    })
}

fn metric_node(node: &SketchNode) -> Value {
    match node.clock {
        None => json!({
            "id": node.id.to_string(),
            "kind": "leaf",
            "label": node.label,
            "accepting": node.accepting,
            "next": condition(&node.next, timed_edge),
            "formula": node.formula,
        }),
        Some(clock) => json!({
            "id": node.id.to_string(),
            "kind": "timer",
            "clock": clock.to_string(),
            "test": node.label,
            "accepting": node.accepting,
            "next": condition(&node.next, timed_edge),
            "formula": node.formula,
        }),
    }
}

fn clock(&(id, start, unit): &(ClockId, Clock, Unit)) -> Value {
    match unit {
        Unit::Steps => json!({ "name": id.to_string(), "start": clock_value(start) }),
        Unit::Time => json!({ "name": id.to_string(), "start_ns": clock_value(start) }),
    }
}

fn clock_value(clock: Clock) -> Value {
    clock.left().map_or(json!("inf"), |left| json!(left))
}

fn condition(disjuncts: &Disjuncts, edge: impl Fn(&Edge) -> Value) -> Vec<Vec<Value>> {
    disjuncts.iter().map(|edges| edges.iter().map(&edge).collect()).collect()
}

fn node_name(edge: &Edge) -> Value {
    json!(edge.to.to_string())
}

/// An arrow with the change of its node's clock on the way.
fn timed_edge(edge: &Edge) -> Value {
    let node = edge.to.to_string();
    match edge.clock {
        None => json!({ "node": node }),
        Some(ClockChange::Set(clock, start)) => {
            json!({ "node": node, "clock": clock.to_string(), "set": clock_value(start) })
        }
        Some(ClockChange::CountDown(clock)) => json!({ "node": node, "clock": clock.to_string(), "add": -1 }),
        Some(ClockChange::SetTime(clock, start)) => {
            json!({ "node": node, "clock": clock.to_string(), "set_ns": clock_value(start) })
        }
        Some(ClockChange::Elapse(clock)) => json!({ "node": node, "clock": clock.to_string(), "elapses": true }),
    }
}

/// The object of a listing. Labels are also given as products, for programs: one product has to
/// hold, with all its literals.
fn listed(listing: &Listing) -> Value {
    let kind = match listing.kind {
        ListingKind::Tableau => "tableau",
        ListingKind::Deterministic => "deterministic",
    };
    let proposition = |one: &ListedProposition| json!({ "text": one.text, "relevant": one.is_relevant });
    let mut document = json!({
        "kind": kind,
        "formula": listing.formula,
        "states": listing.states.len(),
        "edges": listing.edges.len(),
        "accepting": listing.accepting(),
        "propositions": listing.propositions.iter().map(proposition).collect::<Vec<_>>(),
        "start": listing.start,
        "nodes": listing.states.iter().map(listed_state).collect::<Vec<_>>(),
        "transitions": listing.edges.iter().map(|edge| listed_edge(edge, listing)).collect::<Vec<_>>(),
    });
    match listing.left_out {
        None => {}
        Some(LeftOut::Labels(too_long)) => document["left_out"] = json!(too_long.to_string()),
        Some(LeftOut::Edges(too_long)) => {
            document["left_out"] = json!(too_long.to_string());
            document["edges"] = Value::Null;
        }
    }
    document
}

/// The size of an alternating automaton whose conditions are too large to be written, and the
/// reason why they are left out.
pub fn of_size(size: &AutomatonSize, left_out: &str) -> String {
    let AutomatonSize { kind, formula, nodes, accepting } = size;
    let kind = match kind {
        SketchKind::Alternating => "alternating",
        SketchKind::Metric => "metric",
    };
    let document = json!({
        "kind": kind,
        "formula": formula,
        "states": nodes,
        "edges": Value::Null,
        "accepting": accepting,
        "left_out": left_out,
    });
    format!("{document:#}")
}

fn listed_state(state: &ListedState) -> Value {
    let mut document = json!({
        "id": state.name,
        "accepting": state.accepting,
        "verdict": state.verdict.map(|verdict| verdict.name()),
    });
    if !state.text.is_empty() {
        document["meaning"] = json!(state.text);
    }
    document
}

fn listed_edge(edge: &ListedEdge, listing: &Listing) -> Value {
    let product = |literals: &Vec<(usize, bool)>| {
        let literals = literals.iter().map(|&(index, holds)| (listing.propositions[index].text.clone(), json!(holds)));
        Value::Object(literals.collect::<Map<_, _>>())
    };
    if listing.left_out.is_some() {
        return json!({ "from": edge.from, "to": edge.to });
    }
    json!({
        "from": edge.from,
        "to": edge.to,
        "label": edge.label,
        "products": edge.products.iter().map(product).collect::<Vec<_>>(),
    })
}
