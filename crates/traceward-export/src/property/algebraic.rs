//! The algebraic alternating automaton of a query.

use super::chosen_among;
use crate::diagram::Diagram;
use crate::error::ExportError;
use std::sync::Arc;
use traceward::Spec;
use traceward_engine::automaton::algebraic::{Algebraic, Plain};
use traceward_logic::formula::Formulas;
use traceward_logic::lower::{Claim, NamedQuery, Property};
use traceward_logic::query::Query;

/// The algebraic alternating automaton of a query, or of a property: a formula is a query that has
/// the value `true` where it holds.
#[derive(Clone, Debug)]
pub struct AlgebraicAutomaton {
    automaton: Algebraic,
    formulas: Formulas,
    names: Vec<Arc<str>>,
    /// The query as it is written.
    title: String,
}

impl AlgebraicAutomaton {
    /// The automaton as text, a part a line.
    pub fn text(&self) -> String {
        self.automaton.display(&self.formulas, &self.names).to_string()
    }

    /// The automaton as pictures show it.
    pub fn diagram(&self) -> Diagram {
        Diagram::new(self.title.clone(), &self.automaton, &self.formulas, &self.names)
    }
}

/// The algebraic automaton of the only query or property of a spec, or of the one of that name.
/// Those of properties come first.
pub fn algebraic_automaton(spec: &Spec, name: Option<&str>) -> Result<AlgebraicAutomaton, ExportError> {
    let lowered = spec.lowered();
    let names = [spec.property_names(), spec.query_names()].concat();
    let asked: Vec<(Query, String)> = {
        let of_property = |property: &Property| (claimed(&property.claim), spec.text(property.body.span));
        let of_query = |query: &NamedQuery| (query.query.clone(), spec.text(query.span));
        lowered.properties.iter().map(of_property).chain(lowered.queries.iter().map(of_query)).collect()
    };
    let (query, title) = &asked[chosen_among(&names, name)?];
    Ok(AlgebraicAutomaton {
        automaton: Algebraic::new(&lowered.formulas, [query], Plain::Unfolded),
        formulas: lowered.formulas.clone(),
        names: lowered.variables.names(),
        title: title.clone(),
    })
}

fn claimed(claim: &Claim) -> Query {
    match claim {
        Claim::Formula(formula) => Query::Holds(*formula),
        Claim::Assert(comparison) => Query::Compare(Box::new(comparison.clone())),
    }
}
