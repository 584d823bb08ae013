//! Properties that cannot hold together, though each can alone.
//!
//! All are asked about at once. Only where no trace satisfies all of them a smallest set is looked
//! for, by QuickXplain (Junker, AAAI 2004): halves are left out as long as the rest has no trace,
//! so that a small set among many properties takes few questions.

use super::{Finding, Found, Hygiene, Lint, Oddity, replay};
use crate::question::variables_of;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use traceward_engine::automaton::timed;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Node, Strength};
use traceward_logic::semantics;
use traceward_logic::trace::{Trace, VariableId};
use traceward_logic::value::Value;

/// Looks for sets of properties that have no member in common and of which none can hold together.
/// `properties` are those that can hold alone.
pub(super) fn look(judge: &mut Hygiene, mut properties: Vec<usize>, lint: &mut Lint) {
    while properties.len() > 1 {
        match judge.hold_together(&properties) {
            Ok(true) => return,
            Ok(false) => {}
            Err(reason) => return lint.undecided.push(format!("{}: {reason}", all_of(judge, &properties))),
        }
        let mut search = Search { judge, reason: None };
        let mut set = search.smallest(&[], Added::Nothing, &properties);
        let reason = search.reason;
        set.sort_unstable();
        lint.undecided.extend(reason.map(|reason| format!("{}: {reason}", all_of(judge, &set))));
        lint.findings.extend(finding(judge, &set));
        properties.retain(|one| !set.contains(one));
    }
}

/// The question that could not be decided, whether properties can hold together.
fn all_of(judge: &Hygiene, properties: &[usize]) -> String {
    const TOLD: usize = 5;
    let names: Vec<String> = properties.iter().take(TOLD).map(|&one| format!("`{}`", judge.names[one])).collect();
    let more = match properties.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more} together", names.join(", "))
}

fn finding(judge: &Hygiene, set: &[usize]) -> Option<Finding> {
    let (first, others) = set.split_first()?;
    let others = others.iter().map(|&other| judge.names[other].clone()).collect();
    Some(Finding { oddity: Oddity::ConflictsWith, property: judge.names[*first].clone(), others, example: None })
}

impl Hygiene {
    /// Whether some trace satisfies all of these properties.
    ///
    /// An automaton of many properties is too large. But properties that share no variable have
    /// nothing in common except the length of the trace, so one length for all of them is enough;
    /// those with bounds in time have the timestamps in common.
    fn hold_together(&mut self, properties: &[usize]) -> Result<bool, String> {
        if self.all_hold_on_nothing(properties) {
            return Ok(true);
        }
        let clusters = self.clusters(properties);
        let (mut longest, mut undecided) = (1, None);
        for cluster in &clusters {
            match self.satisfying(cluster, None) {
                Ok(None) => return Ok(false),
                Ok(Some(len)) => longest = longest.max(len),
                Err(reason) => undecided = Some(reason),
            }
        }
        undecided.map_or(Ok(()), Err)?;
        for len in longest..longest + LENGTHS {
            if clusters.iter().all(|cluster| matches!(self.satisfying(cluster, Some(len)), Ok(Some(_)))) {
                return Ok(true);
            }
        }
        self.satisfying(properties, None).map(|found| found.is_some())
    }

    /// Whether all of these properties hold on a trace of one state without any value, as those do
    /// that ask for something only where something else happens.
    fn all_hold_on_nothing(&self, properties: &[usize]) -> bool {
        let trace = self.as_trace(&Found { states: vec![Vec::new()], time: Some(vec![0]) });
        properties.iter().all(|&one| semantics::satisfied(&self.formulas, self.roots[one], &trace) == Ok(true))
    }

    /// Properties in clusters that have no variable in common, and no clock.
    fn clusters(&self, properties: &[usize]) -> Vec<Vec<usize>> {
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut home: FxHashMap<VariableId, usize> = FxHashMap::default();
        for &property in properties {
            let mut variables = variables_of(&self.formulas, self.roots[property]);
            variables.extend(timed::has_time(&self.formulas, self.roots[property]).then_some(CLOCK));
            let met: BTreeSet<usize> = variables.iter().filter_map(|variable| home.get(variable).copied()).collect();
            let mut joined = Cluster { variables, members: vec![property] };
            let place = met.first().copied().unwrap_or(clusters.len());
            for other in met {
                let Cluster { variables, members } = std::mem::take(&mut clusters[other]);
                joined.variables.extend(variables);
                joined.members.extend(members);
            }
            home.extend(joined.variables.iter().map(|&variable| (variable, place)));
            match clusters.get_mut(place) {
                Some(cluster) => *cluster = joined,
                None => clusters.push(joined),
            }
        }
        clusters.into_iter().map(|cluster| cluster.members).filter(|members| !members.is_empty()).collect()
    }

    /// The length of a trace that satisfies all of these properties, of a given length if there is
    /// one.
    ///
    /// A trace is looked for that satisfies some of them, at first one. It nearly always satisfies
    /// the others as well; one that it does not is then asked for, too.
    fn satisfying(&mut self, properties: &[usize], len: Option<usize>) -> Result<Option<usize>, String> {
        let mut all = match len {
            Some(len) => self.has_length(len),
            None => self.formulas.constant(true),
        };
        if let [only] = properties {
            let root = self.formulas.and(all, self.roots[*only]);
            return Ok(self.trace(root)?.map(|found| found.states.len()));
        }
        loop {
            let Some(found) = self.trace(all)? else { return Ok(None) };
            let trace = self.as_trace(&found);
            let is_violated =
                |one: &&usize| semantics::satisfied(&self.formulas, self.roots[**one], &trace) != Ok(true);
            match properties.iter().find(is_violated) {
                None => return Ok(Some(found.states.len())),
                Some(&one) => {
                    let more = self.formulas.and(all, self.roots[one]);
                    if more == all {
                        return Err(format!("a trace that should satisfy `{}` does not", self.names[one]));
                    }
                    all = more;
                }
            }
        }
    }

    /// The formula that holds on traces of a length.
    fn has_length(&mut self, len: usize) -> FormulaId {
        let nothing = self.formulas.constant(false);
        let last = Node::Next(Direction::Future, Strength::Weak, nothing);
        let last = self.formulas.intern(last);
        let next = |formulas: &mut Formulas, formula| {
            formulas.intern(Node::Next(Direction::Future, Strength::Strong, formula))
        };
        (1..len).fold(last, |formula, _| next(&mut self.formulas, formula))
    }

    /// A trace that formulas can be evaluated on. Where no formula asked for timestamps, all states
    /// have the same.
    fn as_trace(&self, found: &Found) -> Trace {
        let id =
            |name: &Arc<str>| self.variables.iter().position(|one| one == name).map(|index| VariableId(index as u32));
        let state = |state: &Vec<(Arc<str>, Value)>| -> Vec<(VariableId, Value)> {
            state.iter().filter_map(|(name, value)| Some((id(name)?, value.clone()))).collect()
        };
        let time = found.time.clone().unwrap_or_else(|| vec![0; found.states.len()]);
        let states = found.states.iter().map(state).collect();
        replay::Tried { states, time: Some(time) }.as_trace(self.variables.len())
    }
}

/// What stands for the timestamps among variables: no spec has so many.
const CLOCK: VariableId = VariableId(u32::MAX);

/// Properties that share variables.
#[derive(Default)]
struct Cluster {
    variables: Vec<VariableId>,
    members: Vec<usize>,
}

/// The number of lengths that are tried for properties that share nothing but the length.
const LENGTHS: usize = 3;

/// Whether something was added since it was last asked whether all can hold together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Added {
    Nothing,
    Something,
}

/// A search for a smallest set.
struct Search<'a> {
    judge: &'a mut Hygiene,
    /// The reason why some question on the way could not be decided. Such a set is not left out, so
    /// what is found cannot hold together all the same, but may not be smallest.
    reason: Option<String>,
}

impl Search<'_> {
    /// The members of `open` that a smallest set needs beside `kept`, which all together have no
    /// trace.
    fn smallest(&mut self, kept: &[usize], added: Added, open: &[usize]) -> Vec<usize> {
        if added == Added::Something && self.is_conflict(kept) {
            return Vec::new();
        }
        if let [_] = open {
            return open.to_vec();
        }
        let (first, second) = open.split_at(open.len() / 2);
        let with_first = [kept, first].concat();
        let of_second = self.smallest(&with_first, Added::Something, second);
        let with_second = [kept, &of_second[..]].concat();
        let added = if of_second.is_empty() { Added::Nothing } else { Added::Something };
        let of_first = self.smallest(&with_second, added, first);
        [of_first, of_second].concat()
    }

    fn is_conflict(&mut self, properties: &[usize]) -> bool {
        match self.judge.hold_together(properties) {
            Ok(hold) => !hold,
            Err(reason) => {
                self.reason.get_or_insert(reason);
                false
            }
        }
    }
}
