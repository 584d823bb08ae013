//! How long after a state a formula may still wait to know what came of it, and for which part.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval, Node, Unit};
use traceward_logic::print::duration;

/// How far a formula looks ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ahead {
    /// So many states and so much time at the most.
    Within(Distance),
    /// Without an end, because of this part.
    Endless(FormulaId),
}

/// A number of states, and of nanoseconds after those.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Distance {
    time: u64,
    steps: u64,
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let states = |steps| if steps == 1 { "1 state".to_owned() } else { format!("{steps} states") };
        match (self.steps, self.time) {
            (steps, 0) => f.write_str(&states(steps)),
            (0, time) => f.write_str(&duration(time)),
            (steps, time) => write!(f, "{} and {}", states(steps), duration(time)),
        }
    }
}

/// What a verdict on a formula in normal form may wait for while a trace goes on, in words. What is
/// asked of every position at the top, and what stands side by side there, waits by itself.
pub(super) fn delay_text(formulas: &Formulas, normal: FormulaId, names: &[Arc<str>]) -> String {
    let ahead = all_ahead(formulas, normal);
    let asked: Vec<(FormulaId, Ahead)> =
        asked_everywhere(formulas, normal).into_iter().map(|part| (part, ahead[&part])).collect();
    let text = |part: FormulaId| formulas.display(part, names).to_string();
    let endless = asked.iter().find_map(|(_, ahead)| match ahead {
        Ahead::Endless(part) => Some(*part),
        Ahead::Within(_) => None,
    });
    let longest = asked.iter().filter_map(|(part, ahead)| match ahead {
        Ahead::Within(distance) => Some((*distance, *part)),
        Ahead::Endless(_) => None,
    });
    match (endless, longest.max_by_key(|(distance, _)| *distance)) {
        (Some(part), _) => format!("no bound: `{}` may be waited for until the trace ends", text(part)),
        (None, Some((distance, part))) if distance > Distance::default() => {
            format!("at most {distance}, by `{}`", text(part))
        }
        _ => "none: what a state says is known with it".to_owned(),
    }
}

/// The parts that are asked by themselves: below conjunctions, and at every position.
fn asked_everywhere(formulas: &Formulas, normal: FormulaId) -> Vec<FormulaId> {
    let (mut asked, mut open) = (Vec::new(), vec![normal]);
    while let Some(part) = open.pop() {
        match formulas.node(part) {
            Node::And(left, right) => open.extend([right, left]),
            Node::Always(Direction::Future, interval, below) if interval == Interval::ALL => open.push(below),
            _ => asked.push(part),
        }
    }
    asked
}

/// How far each part of a formula looks ahead.
fn all_ahead(formulas: &Formulas, normal: FormulaId) -> HashMap<FormulaId, Ahead> {
    let mut known: HashMap<FormulaId, Ahead> = HashMap::new();
    for part in formulas.parts(&[normal]) {
        let node = formulas.node(part);
        let below = node.children().map(|child| known[&child]).reduce(Ahead::farther);
        let ahead = below.map_or(own(node, part), |below| own(node, part).then(below));
        known.insert(part, ahead);
    }
    known
}

impl Ahead {
    /// What is as far as either.
    fn farther(self, other: Self) -> Self {
        match (self, other) {
            (Self::Within(one), Self::Within(other)) => {
                Self::Within(Distance { time: one.time.max(other.time), steps: one.steps.max(other.steps) })
            }
            (Self::Endless(part), _) | (_, Self::Endless(part)) => Self::Endless(part),
        }
    }

    /// One behind the other.
    fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Within(one), Self::Within(next)) => Self::Within(Distance {
                time: one.time.saturating_add(next.time),
                steps: one.steps.saturating_add(next.steps),
            }),
            (Self::Endless(part), _) | (_, Self::Endless(part)) => Self::Endless(part),
        }
    }
}

/// How far an operator looks by itself.
fn own(node: Node, part: FormulaId) -> Ahead {
    let mut distance = Distance::default();
    match (node, node.interval()) {
        (Node::Next(Direction::Future, ..), _) => distance.steps = 1,
        (_, Some(interval)) if node.direction() == Some(Direction::Future) => match interval {
            Interval { to: None, .. } => return Ahead::Endless(part),
            Interval { to: Some(to), unit: Unit::Steps, .. } => distance.steps = to,
            Interval { to: Some(to), unit: Unit::Time, .. } => distance.time = to,
        },
        _ => {}
    }
    Ahead::Within(distance)
}

#[cfg(test)]
mod tests {
    use crate::plan::explain_plan;
    use crate::{Config, Spec};

    fn delay(formula: &str) -> String {
        let spec: Spec = formula.parse().unwrap();
        let plan = explain_plan(&spec, Config::default()).remove(0);
        let (_, text) = plan.stages.into_iter().find(|(stage, _)| *stage == "delay").unwrap();
        text
    }

    #[test]
    fn the_part_that_delays_is_named() {
        assert_eq!(delay("G(a -> O b)"), "none: what a state says is known with it");
        assert_eq!(delay("G(a -> F[0,9] b) & G(c -> X d)"), "at most 9 states, by `!a | F[0,9] b`");
        assert_eq!(delay("G(a -> F[2,9] (b & G[0,5] c))"), "at most 14 states, by `!a | F[2,9] (b & G[0,5] c)`");
        assert_eq!(delay("G(a -> F[0,9] b) & G(c -> F d)"), "no bound: `F d` may be waited for until the trace ends");
        assert_eq!(delay("F(a & G b)"), "no bound: `F (a & G b)` may be waited for until the trace ends");
    }
}
