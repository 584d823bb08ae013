//! All small formulas, all short traces.

use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Node, Strength};
use traceward_logic::trace::{Trace, VariableId};

/// The shape of the formulas to make.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The number of atoms.
    pub atoms: u32,
    /// The greatest number of operators of a formula.
    pub operators: usize,
    /// The windows that temporal operators get.
    pub intervals: Vec<Interval>,
    /// The directions in which they look.
    pub directions: Vec<Direction>,
}

impl Shape {
    /// All operators in both directions, without bounds.
    pub fn unbounded(operators: usize) -> Self {
        Self {
            atoms: 2,
            operators,
            intervals: vec![Interval::ALL],
            directions: vec![Direction::Future, Direction::Past],
        }
    }

    /// The shape with these windows as well.
    pub fn with_intervals(mut self, intervals: impl IntoIterator<Item = Interval>) -> Self {
        self.intervals.extend(intervals);
        self
    }
}

/// All formulas of a shape, each once.
pub fn formulas(arena: &mut Formulas, shape: &Shape) -> Vec<FormulaId> {
    let atoms = (0..shape.atoms).map(|atom| arena.intern_atom(Expr::Variable(VariableId(atom)))).collect();
    let mut by_size: Vec<Vec<FormulaId>> = vec![atoms];
    for size in 1..=shape.operators {
        let mut made = Vec::new();
        for &f in &by_size[size - 1] {
            made.extend(unary(shape, f).into_iter().map(|node| arena.intern(node)));
        }
        for left_size in 0..size {
            for &f in &by_size[left_size] {
                for &g in &by_size[size - 1 - left_size] {
                    made.extend(binary(shape, f, g).into_iter().map(|node| arena.intern(node)));
                }
            }
        }
        by_size.push(made);
    }
    by_size.into_iter().flatten().collect()
}

fn unary(shape: &Shape, f: FormulaId) -> Vec<Node> {
    let mut nodes = vec![Node::Not(f)];
    for &direction in &shape.directions {
        nodes.extend([Strength::Strong, Strength::Weak].map(|strength| Node::Next(direction, strength, f)));
        for &interval in &shape.intervals {
            nodes.extend([Node::Eventually(direction, interval, f), Node::Always(direction, interval, f)]);
        }
    }
    nodes
}

fn binary(shape: &Shape, f: FormulaId, g: FormulaId) -> Vec<Node> {
    let mut nodes = vec![Node::And(f, g), Node::Or(f, g)];
    for &direction in &shape.directions {
        for &interval in &shape.intervals {
            nodes.extend(BinaryOp::ALL.map(|op| Node::Binary(op, direction, interval, f, g)));
        }
    }
    nodes
}

/// All traces of boolean variables with from 1 to `longest` states.
pub fn traces(variables: u32, longest: usize) -> impl Iterator<Item = Trace> {
    (1..=longest).flat_map(move |len| {
        let bits = len * variables as usize;
        (0_u64..1 << bits).map(move |number| {
            let column = |variable: usize| -> Bitmap {
                (0..len).map(|position| number >> (variable * len + position) & 1 == 1).collect()
            };
            Trace::of_bools(len, (0..variables as usize).map(column).collect())
        })
    })
}

/// The same with timestamps: each of these traces with every sequence of these distances between
/// its states, the first of which stands at 0.
pub fn timed_traces(variables: u32, longest: usize, distances: &[i64]) -> impl Iterator<Item = Trace> {
    traces(variables, longest).flat_map(move |trace| {
        let choices = distances.len().pow(trace.len as u32 - 1);
        (0..choices).map(move |choice| Trace { time: Some(times(trace.len, distances, choice)), ..trace.clone() })
    })
}

/// Timestamps whose distances are the digits of a number.
fn times(len: usize, distances: &[i64], choice: usize) -> Arc<[i64]> {
    let place = |position: usize| choice / distances.len().pow(position as u32 - 1) % distances.len();
    let distance = |position: usize| if position == 0 { 0 } else { distances[place(position)] };
    let mut time = 0;
    (0..len)
        .map(|position| {
            time += distance(position);
            time
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_as_the_shapes_say() {
        let mut arena = Formulas::new();
        // 2 atoms; 9 unary and 10 binary operators over them.
        assert_eq!(formulas(&mut arena, &Shape::unbounded(1)).len(), 2 + 9 * 2 + 10 * 4);
        assert_eq!(traces(2, 3).count(), 4 + 16 + 64);
        let different: std::collections::HashSet<String> = traces(2, 2).map(|trace| format!("{trace:?}")).collect();
        assert_eq!(different.len(), 4 + 16);
    }

    #[test]
    fn every_sequence_of_distances_is_met() {
        let times = |longest| timed_traces(1, longest, &[0, 1, 4]).map(|trace| trace.time.expect("timestamps"));
        assert_eq!(times(3).count(), 2 + 4 * 3 + 8 * 9);
        let different: std::collections::HashSet<Arc<[i64]>> = times(3).filter(|time| time.len() == 3).collect();
        assert!(different.len() == 9 && different.contains(&[0, 4, 4][..]) && different.contains(&[0, 0, 1][..]));
    }
}
