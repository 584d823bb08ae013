//! `traceward automaton`

use crate::arguments::{AutomatonArguments, AutomatonFormat, AutomatonInitial, AutomatonKind, AutomatonRoute};
use crate::failure::{Failure, Outcome};
use crate::input;
use clap::ValueEnum;
use std::io::Write;
use traceward::engine::{Limit, Simplification};
use traceward::{Goal, Spec};
use traceward_export::diagram::{self, Diagram};
use traceward_export::graph::{self, Graph};
use traceward_export::sketch::{Sketch, dot, svg};
use traceward_export::{
    AutomatonSize, ExportError, InitialState, Route, RouteComparison, algebraic_automaton, alternating_automaton,
    compare_routes, deterministic_automaton, json, metric_automaton, tableau_automaton, timed_monitor,
};

/// The size up to which a picture is drawn: more would be a tangle.
const MOST_DISJUNCTS_DRAWN: usize = 64;
const MOST_NODES_DRAWN: usize = 300;
const MOST_ARROWS_DRAWN: usize = 2000;
/// Programs have more patience.
const MOST_DISJUNCTS: usize = 4096;

pub fn run(arguments: &AutomatonArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    let spec = input::spec_alone(&arguments.asked, goal(arguments), "nothing to make an automaton of")?;
    write_automaton(arguments, &spec, out)?;
    Ok(Outcome::Holds)
}

/// What a formula alone is taken for: a query, if it is for an algebraic automaton.
pub fn goal(arguments: &AutomatonArguments) -> Goal {
    if arguments.kind() == AutomatonKind::Algebraic { Goal::Query } else { Goal::Check }
}

/// Writes the automaton of a spec's property.
pub fn write_automaton(arguments: &AutomatonArguments, spec: &Spec, out: &mut impl Write) -> Result<(), Failure> {
    refuse_misplaced(arguments)?;
    match arguments.kind() {
        AutomatonKind::Alternating => alternating(arguments, spec, out),
        AutomatonKind::Metric => metric(arguments, spec, out),
        AutomatonKind::Algebraic => algebraic(arguments, spec, out),
        AutomatonKind::Tableau => tableau(arguments, spec, out),
        AutomatonKind::Deterministic => deterministic(arguments, spec, out),
    }
}

/// Refuses options that make no difference to the automaton asked for.
fn refuse_misplaced(arguments: &AutomatonArguments) -> Result<(), Failure> {
    let is_deterministic = arguments.kind() == AutomatonKind::Deterministic;
    if arguments.via.is_some() && !is_deterministic {
        return Err(Failure::new("--via is for --kind deterministic: other automata are made in one way"));
    }
    if arguments.simplify && arguments.kind() == AutomatonKind::Algebraic {
        return Err(Failure::new("--simplify is for formulas: an algebraic automaton is that of the query as written"));
    }
    let via_tableau = is_deterministic && arguments.via == Some(AutomatonRoute::Tableau);
    if arguments.initial.is_some() && arguments.kind() != AutomatonKind::Tableau && !via_tableau {
        let message = "--initial is for --kind tableau: other automata have no choice";
        return Err(Failure::new(message).help("--kind deterministic has with --via tableau"));
    }
    Ok(())
}

fn alternating(arguments: &AutomatonArguments, spec: &Spec, out: &mut impl Write) -> Result<(), Failure> {
    let form = sketch_form(arguments)?;
    let automaton =
        alternating_automaton(spec, arguments.property.as_deref(), simplification(arguments)).map_err(failure)?;
    form.write(out, || automaton.text(), |most_disjuncts| automaton.sketch(most_disjuncts), || automaton.size())
}

fn metric(arguments: &AutomatonArguments, spec: &Spec, out: &mut impl Write) -> Result<(), Failure> {
    let form = sketch_form(arguments)?;
    let automaton =
        metric_automaton(spec, arguments.property.as_deref(), simplification(arguments)).map_err(failure)?;
    form.write(out, || automaton.text(), |most_disjuncts| automaton.sketch(most_disjuncts), || automaton.size())
}

fn algebraic(arguments: &AutomatonArguments, spec: &Spec, out: &mut impl Write) -> Result<(), Failure> {
    let form = sketch_form(arguments)?;
    let automaton = algebraic_automaton(spec, arguments.property.as_deref()).map_err(failure)?;
    match form {
        SketchForm::Text => write!(out, "{}", automaton.text())?,
        SketchForm::Json => writeln!(out, "{}", json::of_diagram(&automaton.diagram()))?,
        SketchForm::Dot => write!(out, "{}", diagram::dot(&automaton.diagram()))?,
        SketchForm::Svg => write!(out, "{}", drawn_diagram(&automaton.diagram())?)?,
    }
    Ok(())
}

/// The forms of automata that are sketches.
#[derive(Clone, Copy)]
enum SketchForm {
    Text,
    Json,
    Dot,
    Svg,
}

fn sketch_form(arguments: &AutomatonArguments) -> Result<SketchForm, Failure> {
    match arguments.to {
        AutomatonFormat::Text => Ok(SketchForm::Text),
        AutomatonFormat::Json => Ok(SketchForm::Json),
        AutomatonFormat::Dot => Ok(SketchForm::Dot),
        AutomatonFormat::Svg => Ok(SketchForm::Svg),
        AutomatonFormat::Fsp => Err(no_form(arguments, "--kind tableau or --kind deterministic")),
        AutomatonFormat::Hoa | AutomatonFormat::C | AutomatonFormat::Rust => {
            Err(no_form(arguments, "--kind deterministic"))
        }
    }
}

impl SketchForm {
    fn write(
        self,
        out: &mut impl Write,
        text: impl FnOnce() -> String,
        sketch: impl FnOnce(usize) -> Result<Sketch, ExportError>,
        size: impl FnOnce() -> AutomatonSize,
    ) -> Result<(), Failure> {
        match self {
            Self::Text => write!(out, "{}", text())?,
            Self::Json => match sketch(MOST_DISJUNCTS) {
                Ok(sketch) => writeln!(out, "{}", json::of_sketch(&sketch))?,
                Err(too_many) => writeln!(out, "{}", json::of_size(&size(), &too_many.to_string()))?,
            },
            Self::Dot => write!(out, "{}", dot(&sketch(MOST_DISJUNCTS_DRAWN).map_err(failure)?))?,
            Self::Svg => write!(out, "{}", svg(&drawable(sketch(MOST_DISJUNCTS_DRAWN).map_err(failure)?)?))?,
        }
        Ok(())
    }
}

fn tableau(arguments: &AutomatonArguments, spec: &Spec, out: &mut impl Write) -> Result<(), Failure> {
    let initial = initial_state(arguments);
    let name = arguments.property.as_deref();
    let automaton =
        || tableau_automaton(spec, name, simplification(arguments), initial, arguments.limits()).map_err(failure);
    match arguments.to {
        AutomatonFormat::Text => write!(out, "{}", automaton()?.text())?,
        AutomatonFormat::Json => writeln!(out, "{}", json::of_listing(&automaton()?.listing()))?,
        AutomatonFormat::Dot => write!(out, "{}", graph::dot(&automaton()?.graph()))?,
        AutomatonFormat::Svg => write!(out, "{}", picture(&automaton()?.graph())?)?,
        AutomatonFormat::Fsp => write!(out, "{}", automaton()?.fsp())?,
        AutomatonFormat::Hoa | AutomatonFormat::C | AutomatonFormat::Rust => {
            return Err(no_form(arguments, "--kind deterministic"));
        }
    }
    Ok(())
}

fn initial_state(arguments: &AutomatonArguments) -> InitialState {
    match arguments.initial {
        None | Some(AutomatonInitial::Semantics) => InitialState::BySemantics,
        Some(AutomatonInitial::Paper) => InitialState::AsInPaper,
        Some(AutomatonInitial::Never) => InitialState::Never,
    }
}

fn deterministic(arguments: &AutomatonArguments, spec: &Spec, out: &mut impl Write) -> Result<(), Failure> {
    let route = match arguments.via {
        None | Some(AutomatonRoute::Progression) => Route::Progression,
        Some(AutomatonRoute::Tableau) => Route::Tableau(initial_state(arguments)),
        Some(AutomatonRoute::Both) => return both_routes(arguments, spec, out),
    };
    let name = arguments.property.as_deref();
    let is_program = matches!(arguments.to, AutomatonFormat::C | AutomatonFormat::Rust);
    if is_program && let Some(monitor) = timed_monitor(spec, name, simplification(arguments)).map_err(failure)? {
        let text = if arguments.to == AutomatonFormat::C { monitor.c() } else { monitor.rust() };
        write!(out, "{text}")?;
        return Ok(());
    }
    let automaton =
        deterministic_automaton(spec, name, simplification(arguments), route, arguments.limits()).map_err(failure)?;
    let text = match arguments.to {
        AutomatonFormat::Text => automaton.text(),
        AutomatonFormat::Json => format!("{}\n", json::of_listing(&automaton.listing())),
        AutomatonFormat::Dot => graph::dot(&automaton.graph().map_err(failure)?),
        AutomatonFormat::Svg => picture(&automaton.graph().map_err(failure)?)?,
        AutomatonFormat::Fsp => automaton.fsp().map_err(failure)?,
        AutomatonFormat::Hoa => automaton.hoa().map_err(failure)?,
        AutomatonFormat::C => automaton.c(),
        AutomatonFormat::Rust => automaton.rust(),
    };
    write!(out, "{text}")?;
    Ok(())
}

/// Goes both ways, and tells the sizes on them.
fn both_routes(arguments: &AutomatonArguments, spec: &Spec, out: &mut impl Write) -> Result<(), Failure> {
    let name = arguments.property.as_deref();
    let compared =
        || compare_routes(spec, name, simplification(arguments), arguments.limits()).map_err(failure).and_then(same);
    match arguments.to {
        AutomatonFormat::Text => write_routes(out, &compared()?)?,
        AutomatonFormat::Json => writeln!(out, "{}", json::of_routes(&compared()?))?,
        _ => {
            let message = "--via both tells sizes, and makes no picture or program";
            return Err(Failure::new(message).help("it has the forms text and json"));
        }
    }
    Ok(())
}

/// Both ways lead to the minimal automaton, and there is just one.
fn same(compared: RouteComparison) -> Result<RouteComparison, Failure> {
    if compared.isomorphic {
        return Ok(compared);
    }
    Err(Failure::new("the two ways lead to different automata, so one of them is wrong; please report it"))
}

fn write_routes(out: &mut impl Write, compared: &RouteComparison) -> Result<(), Failure> {
    let RouteComparison { unfolded, merged, tableau_states, tableau_edges, sets, minimal, .. } = compared;
    writeln!(out, "progression  {unfolded} states unfolded, {merged} when equivalent ones are merged")?;
    writeln!(
        out,
        "tableau      {tableau_states} states and {tableau_edges} edges, {sets} sets of states, {minimal} by Hopcroft's algorithm"
    )?;
    writeln!(out, "isomorphic: both are the same automaton")?;
    Ok(())
}

fn simplification(arguments: &AutomatonArguments) -> Simplification {
    if arguments.simplify { Simplification::On } else { Simplification::Off }
}

fn no_form(arguments: &AutomatonArguments, instead: &str) -> Failure {
    let name = |value: clap::builder::PossibleValue| value.get_name().to_owned();
    let form = arguments.to.to_possible_value().map(name).unwrap_or_default();
    let kind = arguments.kind().to_possible_value().map(name).unwrap_or_default();
    Failure::new(format!("--kind {kind} has no form {form}")).help(format!("{instead} has"))
}

/// The words for an error of the library, with the flags that help.
fn failure(error: ExportError) -> Failure {
    match help(&error) {
        Some(help) => Failure::new(error).help(help),
        None => Failure::new(error),
    }
}

fn help(error: &ExportError) -> Option<String> {
    let fixed = match error {
        ExportError::SeveralProperties { names } => {
            return Some(format!("choose one with --property: {}", names.join(", ")));
        }
        ExportError::UnknownProperty { names, .. } => return Some(format!("there are {}", names.join(", "))),
        ExportError::NoProperty | ExportError::Unsupported { .. } => return None,
        ExportError::Query { .. } => "--kind algebraic has a value in place of a verdict",
        ExportError::Bound { .. } => {
            "--kind metric has clocks for bounds; --kind tableau and --kind deterministic take those in steps too"
        }
        ExportError::BoundInTime { .. } => "--kind metric has clocks for it; or give the bound in steps",
        ExportError::Deadlines { .. } => {
            "windows from 0 on, directly below G and ->, take one deadline each; `traceward monitor` follows any"
        }
        ExportError::TooLarge { limit } => {
            let smaller = "shorter bounds and fewer propositions make it smaller";
            return Some(
                limit_option(*limit)
                    .map_or(smaller.to_owned(), |option| format!("{smaller}; {option} raises the limit")),
            );
        }
        ExportError::LabelsTooLong(_) => "--to c and --to rust write it without labels",
        ExportError::TooManyDisjuncts(_) => "--to text prints conditions as they are",
    };
    Some(fixed.to_owned())
}

/// The option that raises a limit on an automaton.
fn limit_option(limit: Limit) -> Option<&'static str> {
    match limit {
        Limit::States(_) => Some("--state-limit"),
        Limit::Memory(_) => Some("--memory-limit"),
        Limit::Work(_) | Limit::Steps(_) => Some("--work-limit"),
        _ => None,
    }
}

fn drawable(sketch: Sketch) -> Result<Sketch, Failure> {
    let (nodes, arrows) = (sketch.nodes.len(), sketch.edges());
    if nodes > MOST_NODES_DRAWN || arrows > MOST_ARROWS_DRAWN { Err(undrawable(nodes, arrows)) } else { Ok(sketch) }
}

fn picture(graph: &Graph) -> Result<String, Failure> {
    let (nodes, arrows) = (graph.nodes.len(), graph.edges.len());
    if nodes > MOST_NODES_DRAWN || arrows > MOST_ARROWS_DRAWN {
        return Err(undrawable(nodes, arrows));
    }
    graph::svg(graph).map_err(|_| undrawable(nodes, arrows))
}

fn drawn_diagram(diagram: &Diagram) -> Result<String, Failure> {
    let (nodes, arrows) = (diagram.parts.len(), diagram.edges());
    if nodes > MOST_NODES_DRAWN || arrows > MOST_ARROWS_DRAWN {
        return Err(undrawable(nodes, arrows));
    }
    diagram::svg(diagram).map_err(|_| undrawable(nodes, arrows))
}

fn undrawable(nodes: usize, arrows: usize) -> Failure {
    let message = format!("nobody could read a picture of {nodes} nodes and {arrows} arrows");
    Failure::new(message).help("--to text prints it, --to dot leaves it to Graphviz")
}
