//! `traceward automaton`

use crate::arguments::{AutomatonArguments, AutomatonFormat};
use crate::failure::{Failure, Outcome};
use crate::input;
use serde_json::{Value, json};
use std::io::Write;
use traceward::automaton::{Diagram, DiagramNode, Disjuncts, Look, PropertyAutomaton, dot, svg};
use traceward::{Error, Goal, Settings, Simplification, alternating_automaton};

/// More would be a tangle.
const MOST_DISJUNCTS_DRAWN: usize = 64;
const MOST_NODES_DRAWN: usize = 300;
const MOST_ARROWS_DRAWN: usize = 2000;
/// Programs have more patience.
const MOST_DISJUNCTS: usize = 4096;

pub fn run(arguments: &AutomatonArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    if arguments.spec.expressions.is_empty() && arguments.paths.is_empty() {
        return Err(Failure::new("nothing to make an automaton of\n  help: give a formula with -e, or a spec file"));
    }
    let settings = Settings { event: arguments.event.clone(), ..Settings::default() };
    let (spec, traces) = input::spec_and_traces(&arguments.spec, &arguments.paths, settings, Goal::Check)?;
    if let Some(path) = traces.first() {
        return Err(Failure::new(format!("{}: an automaton is made without a trace", path.display())));
    }
    let simplification = if arguments.simplify { Simplification::On } else { Simplification::Off };
    let automaton = alternating_automaton(&spec, arguments.property.as_deref(), simplification).map_err(failure)?;
    match arguments.to {
        AutomatonFormat::Text => write!(out, "{}", automaton.text().map_err(failure)?)?,
        AutomatonFormat::Json => writeln!(out, "{:#}", document(&diagram(&automaton, MOST_DISJUNCTS)?))?,
        AutomatonFormat::Dot => write!(out, "{}", dot(&diagram(&automaton, MOST_DISJUNCTS_DRAWN)?))?,
        AutomatonFormat::Svg => write!(out, "{}", svg(&drawable(diagram(&automaton, MOST_DISJUNCTS_DRAWN)?)?))?,
    }
    Ok(Outcome::Holds)
}

fn failure(error: Error) -> Failure {
    Failure::Message(error.to_string())
}

fn diagram(automaton: &PropertyAutomaton, most_disjuncts: usize) -> Result<Diagram, Failure> {
    automaton
        .diagram(most_disjuncts)
        .map_err(|error| Failure::new(format!("{error}\n  help: --to text prints conditions as they are")))
}

fn drawable(diagram: Diagram) -> Result<Diagram, Failure> {
    let (nodes, arrows) = (diagram.nodes.len(), diagram.edges());
    if nodes > MOST_NODES_DRAWN || arrows > MOST_ARROWS_DRAWN {
        let message = format!("nobody could read a picture of {nodes} nodes and {arrows} arrows");
        return Err(Failure::new(format!("{message}\n  help: --to text prints it, --to dot leaves it to Graphviz")));
    }
    Ok(diagram)
}

/// Conditions are lists of lists: one of the outer, all of the inner; `[[]]` is ε, which asks nothing.
fn document(diagram: &Diagram) -> Value {
    json!({
        "kind": "alternating",
        "formula": diagram.formula,
        "states": diagram.nodes.len(),
        "edges": diagram.edges(),
        "accepting": diagram.accepting(),
        "start": condition(&diagram.start),
        "nodes": diagram.nodes.iter().map(node).collect::<Vec<_>>(),
    })
}

fn node(node: &DiagramNode) -> Value {
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
        "next": condition(&node.next),
        "formula": node.formula,
    })
}

fn condition(disjuncts: &Disjuncts) -> Vec<Vec<String>> {
    disjuncts.iter().map(|nodes| nodes.iter().map(ToString::to_string).collect()).collect()
}
