//! A spec that is ready for every trace of one schema.
//!
//! To lower formulas, to simplify them and to make engines takes longer than a short trace. Nothing
//! of it depends on states, so whoever asks again (`crate::Checker`) has it from before.

use super::batch::LooksAtTime;
use super::judgement::Judges;
use super::measured::Measured;
use super::{formula_name, roots};
use crate::check::{CheckOptions, Extent};
use crate::error::Error;
use crate::spec::Spec;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use traceward_engine::select::{Evaluator, Prepared};
use traceward_engine::why::Explainer;
use traceward_logic::formula::FormulaId;
use traceward_logic::lower::{Lowered, Schema};

/// A spec that is ready for every trace of one schema, asked by the same options.
pub(crate) struct Bound {
    schema: Schema,
    pub(super) lowered: Lowered,
    pub(super) names: Vec<Arc<str>>,
    pub(super) property_names: Vec<String>,
    pub(super) query_names: Vec<String>,
    /// The formulas that were asked, without those that only tell what an answer is worth.
    pub(super) asked: Vec<FormulaId>,
    /// Every formula whose truth is needed, prepared for all engines.
    pub(super) prepared: Arc<Prepared>,
    /// For each of them its index among those that were prepared.
    pub(super) indices: FxHashMap<FormulaId, usize>,
    /// Tells where formulas hold: violations and queries are made of its rows.
    pub(super) evaluator: Evaluator,
    /// Gives the values of queries, and of both sides of asserts.
    pub(super) measured: Measured,
    /// Gives the verdicts on formulas.
    pub(super) judges: Judges,
    /// For each property who tells why it is violated, made when that is first asked.
    pub(super) explainers: Box<[OnceLock<Explainer>]>,
    /// Whether some formula looks at timestamps.
    pub(super) looks_at_time: LooksAtTime,
}

impl Bound {
    /// Makes a spec ready that was lowered for a schema.
    pub(crate) fn new(spec: &Spec, schema: Schema, lowered: Lowered, options: &CheckOptions) -> Result<Self, Error> {
        let asked = roots(&lowered, options.extent);
        let all: Vec<FormulaId> =
            asked.iter().copied().chain(beside(&lowered, options)).collect::<BTreeSet<_>>().into_iter().collect();
        let prepared = Prepared::shared(&lowered.formulas, &all, options.config.simplification);
        let indices = all.into_iter().enumerate().map(|(index, root)| (root, index)).collect();
        Ok(Self {
            names: lowered.variables.names(),
            property_names: spec.property_names(),
            query_names: spec.query_names(),
            evaluator: Evaluator::new(&prepared, &options.config),
            judges: Judges::new(&lowered, &prepared, &indices, options, &|place| formula_name(spec, &lowered, place))?,
            measured: Measured::new(&lowered, options.config.precision.unwrap_or_default()),
            explainers: lowered.properties.iter().map(|_| OnceLock::new()).collect(),
            looks_at_time: LooksAtTime::of(&prepared.formulas, &prepared.normal),
            schema,
            lowered,
            prepared,
            indices,
            asked,
        })
    }

    /// Whether it is ready for traces of a schema.
    pub(crate) fn fits(&self, schema: &Schema) -> bool {
        self.schema == *schema
    }
}

/// The formulas that tell what an answer is worth.
fn beside<'a>(lowered: &'a Lowered, options: &CheckOptions) -> impl Iterator<Item = FormulaId> + use<'a> {
    let triggers = lowered.properties.iter().flat_map(|property| &property.triggers);
    let is_whole = options.extent == Extent::Whole;
    let responses = lowered.properties.iter().flat_map(|property| &property.responses).filter(move |_| is_whole);
    let responses = responses.flat_map(|response| [response.asked, response.goal]);
    triggers.map(|trigger| trigger.formula).chain(responses)
}
