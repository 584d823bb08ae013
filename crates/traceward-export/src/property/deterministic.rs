//! The deterministic automaton of a property.

use super::{ChosenProperty, InitialState};
use crate::error::ExportError;
use crate::graph::Graph;
use crate::labelled::Labelled;
use crate::listing::Listing;
use crate::literals::LiteralTexts;
use crate::{fsp, hoa, monitor};
use std::sync::Arc;
use traceward::Spec;
use traceward_engine::automaton::deterministic::{Deterministic, Room};
use traceward_engine::automaton::subset::{SubsetLimits, Table, determinise};
use traceward_engine::automaton::tableau::Automaton;
use traceward_engine::limit::{BuildError, Limits};
use traceward_engine::select::{Prepared, Simplification};

/// The deterministic automaton of a property: complete and minimal.
#[derive(Clone, Debug)]
pub struct DeterministicAutomaton {
    labelled: Labelled,
    name: Option<Arc<str>>,
    title: String,
    literals: LiteralTexts,
}

impl DeterministicAutomaton {
    /// The automaton as text, a state with its edges at a time.
    pub fn text(&self) -> String {
        self.labelled.text()
    }

    /// The automaton in the Hanoi format.
    pub fn hoa(&self) -> Result<String, ExportError> {
        hoa::hoa(&self.labelled).map_err(Into::into)
    }

    /// The automaton as a process for LTSA.
    pub fn fsp(&self) -> Result<String, ExportError> {
        fsp::of_deterministic(&self.labelled).map_err(Into::into)
    }

    /// The automaton as pictures show it.
    pub fn graph(&self) -> Result<Graph, ExportError> {
        let graph = Graph::of_deterministic(&self.labelled, &self.literals)?;
        Ok(Graph { formula: self.title.clone(), ..graph })
    }

    /// The automaton as data, for programs.
    pub fn listing(&self) -> Listing {
        Listing::of_deterministic(&self.labelled)
    }

    /// The automaton as a monitor in C99; what it declares is named after the property, or
    /// `monitor`.
    pub fn c(&self) -> String {
        monitor::c::monitor(&self.labelled, self.name.as_deref().unwrap_or("monitor"))
    }

    /// The automaton as a monitor in Rust.
    pub fn rust(&self) -> String {
        monitor::rust::monitor(&self.labelled)
    }
}

/// The way to a deterministic automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Route {
    /// The states are unfolded by progression of the formula, and merged.
    #[default]
    Progression,
    /// The sets of states of a tableau automaton are the states, which Hopcroft's algorithm merges:
    /// the way of Giannakopoulou and Havelund.
    Tableau(InitialState),
}

/// The deterministic automaton of the only property of a spec, or of the one of that name.
pub fn deterministic_automaton(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
    route: Route,
    limits: Limits,
) -> Result<DeterministicAutomaton, ExportError> {
    let chosen = ChosenProperty::new(spec, name, simplification)?;
    let automaton = match route {
        Route::Progression => chosen.by_progression(limits)?.1,
        Route::Tableau(initial) => Deterministic::of_table(&chosen.by_tableau(initial, limits)?.minimal),
    };
    let Prepared { formulas, alphabet, .. } = &chosen.prepared;
    let labelled = Labelled::new(automaton, &chosen.text, formulas, alphabet, &chosen.names);
    let literals = chosen.literals();
    Ok(DeterministicAutomaton { labelled, name: chosen.name, title: chosen.title, literals })
}

/// Both ways to the deterministic automaton of a property, side by side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouteComparison {
    /// The number of states that progression unfolds.
    pub unfolded: usize,
    /// The number of those that are left when equivalent ones are merged.
    pub merged: usize,
    /// The number of states of the tableau automaton.
    pub tableau_states: usize,
    /// The number of its edges.
    pub tableau_edges: usize,
    /// The number of sets of its states that are reached.
    pub sets: usize,
    /// The number of those that are left by Hopcroft's algorithm.
    pub minimal: usize,
    /// Whether the two automata are the same but for the names of their states.
    pub isomorphic: bool,
}

/// Goes both ways to the deterministic automaton of the only property of a spec, or of the one of
/// that name.
pub fn compare_routes(
    spec: &Spec,
    name: Option<&str>,
    simplification: Simplification,
    limits: Limits,
) -> Result<RouteComparison, ExportError> {
    let chosen = ChosenProperty::new(spec, name, simplification)?;
    let TableauStages { tableau, sets, minimal } = chosen.by_tableau(InitialState::BySemantics, limits)?;
    let (unfolded, merged) = chosen.by_progression(limits)?;
    Ok(RouteComparison {
        unfolded,
        merged: merged.states().len(),
        tableau_states: tableau.states().len(),
        tableau_edges: tableau.edges().len(),
        sets,
        minimal: minimal.states(),
        isomorphic: merged.table().as_ref() == Some(&minimal),
    })
}

/// The automata on the way from a tableau to a deterministic automaton.
struct TableauStages {
    tableau: Automaton,
    /// The number of sets of states.
    sets: usize,
    minimal: Table,
}

impl ChosenProperty {
    /// The number of states that progression unfolds, and the automaton that they are merged into.
    fn by_progression(&self, limits: Limits) -> Result<(usize, Deterministic), ExportError> {
        self.refuse_time()?;
        let Prepared { formulas, alphabet, simplified, .. } = &self.prepared;
        let Limits { automaton_states: states, memory, work, interrupt, .. } = limits;
        let room = Room { states, memory, work, interrupt };
        Ok(Deterministic::in_stages(formulas, alphabet, simplified[0], self.on_empty, room)?)
    }

    fn by_tableau(&self, initial: InitialState, limits: Limits) -> Result<TableauStages, ExportError> {
        let tableau = self.tableau(initial, limits)?;
        let of_sets =
            SubsetLimits { state_limit: limits.automaton_states, work_limit: limits.work, ..SubsetLimits::default() };
        let table = determinise(&tableau, of_sets).map_err(BuildError::from)?;
        Ok(TableauStages { tableau, sets: table.states(), minimal: table.minimal() })
    }
}
