//! Metric automata and the algorithms of the thesis on bounded temporal logic that run on them.

mod automaton;
mod breadth_first;
mod costs;
mod worked_examples;

use traceward_engine::engine::forward_backward::ForwardBackward;
use traceward_engine::engine::forward_backward_dag::ForwardBackwardDag;
use traceward_engine::engine::generic::Generic;
use traceward_engine::engine::{EngineConfig, Subsumption};
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::letter::Proposition;
use traceward_logic::lower::{Claim, Goal};
use traceward_testkit::lowered;

/// A formula as it is written, and the names of its propositions.
struct Example {
    prepared: Prepared,
    names: Vec<String>,
}

impl Example {
    fn new(text: &str) -> Self {
        let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("{text} is a formula") };
        let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
        let variables = lowered.variables.names();
        let name = |(_, atom): &(Proposition, _)| prepared.formulas.atom(*atom).display(&variables).to_string();
        let names = prepared.alphabet.atoms().iter().map(name).collect();
        Self { prepared, names }
    }

    /// Whether a proposition holds in the state that is written as the names of those that do.
    fn state<'a>(&'a self, true_ones: &'a str) -> impl Fn(Proposition) -> bool + 'a {
        move |proposition| true_ones.split(' ').any(|name| name == self.names[proposition.index()])
    }

    fn tree(&self) -> ForwardBackward {
        let Prepared { formulas, alphabet, normal, .. } = &self.prepared;
        let config = EngineConfig::default();
        ForwardBackward::new(formulas, alphabet, normal[0], config).expect("bounds in steps")
    }

    fn graph(&self, subsumption: Subsumption) -> ForwardBackwardDag {
        let Prepared { formulas, alphabet, normal, .. } = &self.prepared;
        let config = EngineConfig { subsumption, ..EngineConfig::default() };
        ForwardBackwardDag::new(formulas, alphabet, normal[0], config).expect("bounds in steps")
    }

    fn generic(&self, subsumption: Subsumption) -> Generic {
        let Prepared { formulas, alphabet, normal, .. } = &self.prepared;
        let config = EngineConfig { subsumption, ..EngineConfig::default() };
        Generic::new(formulas, alphabet, normal[0], config).expect("bounds in steps")
    }
}

/// A node with its clock as the thesis writes it, such as `n5^3`.
fn leaf((node, clock): &(impl std::fmt::Display, impl std::fmt::Display)) -> String {
    format!("{node}^{clock}")
}
