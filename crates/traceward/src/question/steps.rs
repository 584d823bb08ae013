//! Steps that are counted where something else is likely to be meant.

use crate::report::{Subject, Warning, WarningKind};
use crate::spec::Spec;
use traceward_logic::formula::{Direction, FormulaId, Interval, Node, Strength, Unit};
use traceward_logic::lower::{Claim, Lowered};
use traceward_trace::Records;

/// Warns once of a bound in steps where the trace has timestamps, and once of steps where records
/// hold only what has changed.
///
/// That a trace brings timestamps by itself says nothing about what anybody meant, so that only
/// those count which were named.
pub(crate) fn look(spec: &Spec, lowered: &Lowered) -> Vec<Warning> {
    let has_time = spec.settings().time.is_some();
    let counts = lowered.properties.iter().zip(spec.property_names());
    let counts = counts.filter_map(|(property, name)| match &property.claim {
        Claim::Formula(formula) => Some((*formula, name)),
        Claim::Assert(..) => None,
    });
    let counted: Vec<(Counted, String)> = counts
        .flat_map(|(root, name)| {
            let formulas = &lowered.formulas;
            let parts = formulas.parts(&[root]).into_iter();
            parts.filter_map(move |part| Counted::of(formulas.node(part))).map(move |one| (one, name.clone()))
        })
        .collect();
    let is_changes = spec.settings().records == Some(Records::Changes);
    // Who writes units elsewhere knows what a bound without one counts.
    let knows_units = counts_time(lowered);
    let beside_time = counted.iter().find(|(one, _)| has_time && !knows_units && one.bound.is_some());
    let beside_time = beside_time.map(|(one, name)| {
        let bound = one.bound.map(|bound| bound.to_string()).unwrap_or_default();
        (WarningKind::StepsBesideTime { bound }, name)
    });
    let of_changes = counted.iter().find(|_| is_changes);
    let of_changes =
        of_changes.map(|(one, name)| (WarningKind::StepsAreChanges { operator: one.operator.clone() }, name));
    let warning = |(kind, name): (WarningKind, &String)| Warning {
        kind,
        about: Some(Subject::Property(name.clone())),
        is_urgent: true,
    };
    beside_time.into_iter().chain(of_changes).map(warning).collect()
}

/// Whether some property has a bound in time.
fn counts_time(lowered: &Lowered) -> bool {
    let formulas = &lowered.formulas;
    let roots = lowered.properties.iter().filter_map(|property| match property.claim {
        Claim::Formula(formula) => Some(formula),
        Claim::Assert(..) => None,
    });
    let roots: Vec<FormulaId> = roots.collect();
    formulas.parts(&roots).into_iter().any(|part| match formulas.node(part) {
        Node::Eventually(_, interval, _) | Node::Always(_, interval, _) | Node::Binary(_, _, interval, ..) => {
            interval.unit == Unit::Time
        }
        _ => false,
    })
}

/// An operator that counts steps.
struct Counted {
    operator: String,
    bound: Option<Interval>,
}

impl Counted {
    fn of(node: Node) -> Option<Self> {
        // Lowered bounds in time that are zero are bounds in steps of this state alone.
        let in_steps =
            |interval: Interval| interval.unit == Unit::Steps && !interval.is_all() && interval.to != Some(0);
        match node {
            Node::Next(direction, strength, _) => {
                let operator = match (direction, strength) {
                    (Direction::Future, Strength::Strong) => "X",
                    (Direction::Future, Strength::Weak) => "WX",
                    (Direction::Past, Strength::Strong) => "Y",
                    (Direction::Past, Strength::Weak) => "Z",
                };
                Some(Self { operator: operator.to_owned(), bound: None })
            }
            Node::Eventually(_, interval, _) | Node::Always(_, interval, _) | Node::Binary(_, _, interval, ..)
                if in_steps(interval) =>
            {
                Some(Self { operator: interval.to_string(), bound: Some(interval) })
            }
            _ => None,
        }
    }
}
