//! All small formulas, all short traces.

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
    /// The times between one state of a trace and the next; without any, traces have no timestamps.
    pub gaps: Vec<i64>,
}

impl Shape {
    /// All operators in both directions, without bounds.
    pub fn unbounded(operators: usize) -> Self {
        Self {
            atoms: 2,
            operators,
            intervals: vec![Interval::ALL],
            directions: vec![Direction::Future, Direction::Past],
            gaps: Vec::new(),
        }
    }

    /// The shape with traces whose states are so far apart in time.
    pub fn with_gaps(mut self, gaps: impl IntoIterator<Item = i64>) -> Self {
        self.gaps.extend(gaps);
        self
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

/// All traces of a shape with from 1 to `longest` states: all traces of its variables, and with
/// timestamps those in all ways.
pub fn traces_of(shape: &Shape, longest: usize) -> Vec<Trace> {
    let untimed = traces(shape.atoms, longest);
    if shape.gaps.is_empty() {
        return untimed.collect();
    }
    untimed.flat_map(|trace| clocks(&shape.gaps, trace.len).into_iter().map(move |time| timed(&trace, time))).collect()
}

fn timed(trace: &Trace, time: Vec<i64>) -> Trace {
    let mut timed = trace.clone();
    timed.time = Some(time.into());
    timed
}

/// All timestamps of so many states, the first of which is at 0.
fn clocks(gaps: &[i64], len: usize) -> Vec<Vec<i64>> {
    let later = |clock: &Vec<i64>| {
        let last = clock.last().copied().unwrap_or_default();
        gaps.iter().map(|gap| clock.iter().copied().chain([last + gap]).collect()).collect::<Vec<Vec<i64>>>()
    };
    (1..len).fold(vec![vec![0]], |clocks, _| clocks.iter().flat_map(later).collect())
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
        assert_eq!(traces_of(&Shape::unbounded(1).with_gaps([0, 2, 5]), 3).len(), 4 + 16 * 3 + 64 * 9);
    }
}
