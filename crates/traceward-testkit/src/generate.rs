//! Random formulas and traces that shrink; [`ast`] makes trees as written, [`expr`] state
//! expressions, [`query`] queries over their columns, [`input`] whole inputs as text, and
//! [`question`] specs to ask of them.

pub mod ast;
pub mod expr;
pub mod input;
pub mod query;
pub mod question;

use proptest::prelude::*;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::expr::Expr;
use traceward_logic::formula::{BinaryOp, Direction, FormulaId, Formulas, Interval, Node, Strength, Unit};
use traceward_logic::trace::{Trace, VariableId};

/// A formula that is not in an arena yet.
#[derive(Clone, Debug)]
pub enum Recipe {
    /// `true`, `false`
    Constant(bool),
    /// A boolean variable.
    Atom(u32),
    /// `!f`
    Not(Box<Recipe>),
    /// `f & g`
    And(Box<Recipe>, Box<Recipe>),
    /// `f | g`
    Or(Box<Recipe>, Box<Recipe>),
    /// `X`, `WX`, `Y`, `Z`
    Next(Direction, Strength, Box<Recipe>),
    /// `F`, `O`
    Eventually(Direction, Interval, Box<Recipe>),
    /// `G`, `H`
    Always(Direction, Interval, Box<Recipe>),
    /// `U W R M`, `S B T`
    Binary(BinaryOp, Direction, Interval, Box<Recipe>, Box<Recipe>),
}

impl Recipe {
    /// Puts the formula into an arena.
    pub fn build(&self, formulas: &mut Formulas) -> FormulaId {
        self.build_over(formulas, &|atom| Expr::Variable(VariableId(atom)))
    }

    /// Puts the formula into an arena, with these expressions for atoms.
    pub fn build_over(&self, formulas: &mut Formulas, atoms: &impl Fn(u32) -> Expr) -> FormulaId {
        let mut build = |f: &Self| f.build_over(formulas, atoms);
        let node = match self {
            Self::Constant(bit) => Node::Constant(*bit),
            Self::Atom(atom) => return formulas.intern_atom(atoms(*atom)),
            Self::Not(f) => Node::Not(build(f)),
            Self::And(f, g) => Node::And(build(f), build(g)),
            Self::Or(f, g) => Node::Or(build(f), build(g)),
            Self::Next(direction, strength, f) => Node::Next(*direction, *strength, build(f)),
            Self::Eventually(direction, interval, f) => Node::Eventually(*direction, *interval, build(f)),
            Self::Always(direction, interval, f) => Node::Always(*direction, *interval, build(f)),
            Self::Binary(op, direction, interval, f, g) => Node::Binary(*op, *direction, *interval, build(f), build(g)),
        };
        formulas.intern(node)
    }
}

/// The windows that generated operators get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Windows {
    /// All of the future or past.
    Unbounded,
    /// Also bounds in steps.
    Steps,
    /// Also bounds in steps and in time.
    StepsAndTime,
}

/// Formulas over this many variables.
pub fn formula(atoms: u32, windows: Windows) -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![1 => any::<bool>().prop_map(Recipe::Constant), 8 => (0..atoms).prop_map(Recipe::Atom)];
    leaf.prop_recursive(6, 24, 2, move |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (inner.clone().prop_map(Box::new), inner.prop_map(Box::new));
        prop_oneof![
            1 => one.clone().prop_map(Recipe::Not),
            1 => two.clone().prop_map(|(f, g)| Recipe::And(f, g)),
            1 => two.clone().prop_map(|(f, g)| Recipe::Or(f, g)),
            1 => (direction(), strength(), one.clone()).prop_map(|(d, s, f)| Recipe::Next(d, s, f)),
            2 => (direction(), interval(windows), one.clone()).prop_map(|(d, i, f)| Recipe::Eventually(d, i, f)),
            2 => (direction(), interval(windows), one).prop_map(|(d, i, f)| Recipe::Always(d, i, f)),
            4 => (operator(), direction(), interval(windows), two)
                .prop_map(|(op, d, i, (f, g))| Recipe::Binary(op, d, i, f, g)),
        ]
    })
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![2 => Just(Direction::Future), 1 => Just(Direction::Past)]
}

fn strength() -> impl Strategy<Value = Strength> {
    prop_oneof![Just(Strength::Strong), Just(Strength::Weak)]
}

fn operator() -> impl Strategy<Value = BinaryOp> {
    proptest::sample::select(&BinaryOp::ALL[..])
}

fn interval(windows: Windows) -> impl Strategy<Value = Interval> {
    let units = match windows {
        Windows::Unbounded => return Just(Interval::ALL).boxed(),
        Windows::Steps => Just(Unit::Steps).boxed(),
        Windows::StepsAndTime => prop_oneof![Just(Unit::Steps), Just(Unit::Time)].boxed(),
    };
    let bounded = (units, 0_u64..70, proptest::option::weighted(0.8, 0_u64..140))
        .prop_map(|(unit, from, width)| Interval { unit, from, to: width.map(|width| from + width) });
    let small = (0_u64..4, 0_u64..4).prop_map(|(from, width)| Interval::steps(from, Some(from + width)));
    prop_oneof![2 => Just(Interval::ALL), 1 => bounded, 1 => small].boxed()
}

/// Lengths around multiples of 64, where words begin and end.
pub fn length() -> impl Strategy<Value = usize> {
    prop_oneof![1_usize..12, 60_usize..70, 126_usize..131, 190_usize..194, 1_usize..260]
}

/// Traces of this many boolean variables, with timestamps, their bits in runs of random density.
pub fn trace(variables: u32) -> impl Strategy<Value = Trace> {
    trace_of(length(), variables)
}

/// The same with few states, on which the definition takes no time.
pub fn short_trace(variables: u32) -> impl Strategy<Value = Trace> {
    trace_of(1_usize..10, variables)
}

fn trace_of(length: impl Strategy<Value = usize>, variables: u32) -> impl Strategy<Value = Trace> {
    length.prop_flat_map(move |len| {
        let column = (proptest::collection::vec(any::<bool>(), len), 0_u8..4).prop_map(|(mut bits, rarer)| {
            // Thin out, so that untils have to wait.
            for round in 0..rarer {
                let shifted: Vec<bool> =
                    bits.iter().cycle().skip(usize::from(round) + 1).take(bits.len()).copied().collect();
                bits.iter_mut().zip(shifted).for_each(|(bit, other)| *bit &= other);
            }
            bits.into_iter().collect::<Bitmap>()
        });
        let columns = proptest::collection::vec(column, variables as usize);
        let steps = proptest::collection::vec(prop_oneof![Just(0_i64), 1_i64..20], len);
        (columns, steps).prop_map(move |(columns, steps)| {
            let mut trace = Trace::of_bools(len, columns);
            let clock = steps.into_iter().scan(0_i64, |now, step| {
                *now += step;
                Some(*now)
            });
            trace.time = Some(clock.collect());
            trace
        })
    })
}
