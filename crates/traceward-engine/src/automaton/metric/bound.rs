//! The bounds that the thesis proves, evaluated: what an algorithm may need for an automaton, up to
//! a constant factor.

use super::{ClockTest, Kind, Metric, Node, Stronger, Sublogic};
use std::fmt;
use std::ops::{Add, Mul};

/// What logarithms may be off by, where digits are rounded up.
const ROUNDING: f64 = 1e-6;

/// A number that may be too large for any type of number: bounds are exponential.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Magnitude {
    log10: f64,
}

impl Magnitude {
    /// The magnitude of a number that is not 0.
    pub fn new(number: f64) -> Self {
        Self { log10: number.log10() }
    }

    /// The decimal logarithm of the number.
    pub fn log10(self) -> f64 {
        self.log10
    }

    /// The number itself; infinite if it is too large.
    pub fn number(self) -> f64 {
        10_f64.powf(self.log10)
    }

    fn power(base: f64, exponent: f64) -> Self {
        Self::new(base).to_the(exponent)
    }

    /// The power of the number with an exponent that is not negative.
    #[must_use]
    pub fn to_the(self, exponent: f64) -> Self {
        Self { log10: if exponent == 0.0 { 0.0 } else { self.log10 * exponent } }
    }
}

impl Mul for Magnitude {
    type Output = Self;

    #[expect(clippy::suspicious_arithmetic_impl, reason = "logarithms of factors add up")]
    fn mul(self, other: Self) -> Self {
        Self { log10: self.log10 + other.log10 }
    }
}

impl Add for Magnitude {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.log10.is_infinite() || other.log10.is_infinite() {
            return Self { log10: self.log10.max(other.log10) };
        }
        let (larger, smaller) = if self < other { (other, self) } else { (self, other) };
        let share = 10_f64.powf(smaller.log10 - larger.log10);
        Self { log10: larger.log10 + share.ln_1p() / std::f64::consts::LN_10 }
    }
}

/// Writes the number up to a million, and beyond, rounded up, one digit and a power of ten; where
/// not even the exponent can be read, the exponent in the same way.
impl fmt::Display for Magnitude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.log10 < 6.0 {
            format!("{:.0}", self.number())
        } else if self.log10.is_infinite() {
            "10^(10^300) and more".to_owned()
        } else if self.log10 >= 1e6 {
            format!("10^({})", Self::new(self.log10))
        } else {
            let exponent = self.log10.floor();
            match (10_f64.powf(self.log10 - exponent) - ROUNDING).ceil() {
                10.0.. => format!("1e{:.0}", exponent + 1.0),
                digit => format!("{:.0}e{exponent:.0}", digit.max(1.0)),
            }
        };
        f.pad(&text)
    }
}

/// The factor that the O of the theorems leaves open, as sizes are compared here: the tree has a
/// node for each clock that is set, and the size of the automaton does not count those. Each clock
/// has a timer, so there are at most as many again.
pub const HIDDEN_CONSTANT: f64 = 2.0;

/// The measures of an automaton that the bounds depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measures {
    /// X, see [`Metric::size`].
    pub x: usize,
    /// Y, see [`Metric::finitely_bounded_size`].
    pub y: usize,
    /// C, see [`Metric::largest_constant`].
    pub c: u64,
}

impl Metric {
    /// Whether some operator begins late: two clocks of its delay do not compare, whatever claim
    /// 3.2 says, so that one node may be in a configuration with several.
    pub fn has_delays(&self) -> bool {
        let runs_out = self.clocks_that_run_out();
        self.nodes().iter().any(|node| self.delay(node.kind, &runs_out).is_some())
    }

    /// The number of sets of nodes with clocks that can be a compact configuration.
    pub fn clock_sets(&self) -> Magnitude {
        let runs_out = self.clocks_that_run_out();
        let sets = |node: &Node| match (node.kind, self.delay(node.kind, &runs_out)) {
            (Kind::Leaf(_), _) => Magnitude::new(2.0),
            (_, Some(delay)) => Magnitude::power(2.0, delay as f64 + 1.0),
            // Absent, or with one of the clocks that it counts down.
            (Kind::Timer { clock, .. }, None) => {
                Magnitude::new(self.clock(clock).left().map_or(2.0, |steps| steps as f64 + 2.0))
            }
        };
        self.nodes().iter().map(sets).fold(Magnitude::new(1.0), Mul::mul)
    }

    /// By the index of the clock, whether some node asks for the clock 0.
    fn clocks_that_run_out(&self) -> Vec<bool> {
        let mut runs_out = vec![false; self.clocks().len()];
        for node in self.nodes() {
            if let Kind::Timer { test: ClockTest::Zero, clock, .. } = node.kind {
                runs_out[clock.index()] = true;
            }
        }
        runs_out
    }

    /// The steps of a delay's timer. That of `X` is no such: it has one clock only, and nothing
    /// waits for it to run out.
    fn delay(&self, kind: Kind, runs_out: &[bool]) -> Option<u64> {
        match kind {
            Kind::Timer { test: ClockTest::Positive, clock, stronger: Stronger::Neither, .. }
                if runs_out[clock.index()] =>
            {
                self.clock(clock).left()
            }
            _ => None,
        }
    }

    /// X, Y and C together.
    pub fn measures(&self) -> Measures {
        Measures { x: self.size(), y: self.finitely_bounded_size(), c: self.largest_constant() }
    }
}

impl Measures {
    /// Claim 3.1: the nodes of the configuration tree, Σ Xⁱ for i up to the length of the trace.
    pub fn tree(self, states: usize) -> Magnitude {
        let last = Magnitude::power(self.x(), states as f64);
        // The sum is geometric: this is more than it by less than 1.
        let factor = if self.x > 1 { self.x() / (self.x() - 1.0) } else { states as f64 + 1.0 };
        last * Magnitude::new(factor)
    }

    /// The type A leaves of the generic algorithm, Y·(C+1), as the proof of lemma 3.4 counts those
    /// of the graph.
    pub fn type_a(self) -> Magnitude {
        Magnitude::new((self.y as f64 * (self.c() + 1.0)).max(1.0))
    }

    /// Theorem 4.6: the type B leaves of the generic algorithm for LTL and SBTL, 2^(X-Y).
    pub fn type_b(self) -> Magnitude {
        Magnitude::power(2.0, self.outside())
    }

    /// The space of theorem 4.7 for BTL where operators begin late: a node may have any set of the
    /// clocks 0 to C, and not just one of them.
    pub fn generic_with_delays(self) -> Statement {
        let allows = Magnitude::new(self.x() * (self.c() + 1.0)) * self.generic_time_with_delays(1).allows;
        Statement { name: "4.7, sets of clocks", formula: "X·(C+1)·(2^(2(C+1)(X-Y)) + (C+1)·Y²)", allows }
    }

    /// The time of theorem 4.8 in the same way.
    pub fn generic_time_with_delays(self, states: usize) -> Statement {
        let sets = Magnitude::power(2.0, 2.0 * (self.c() + 1.0) * self.outside());
        let allows = Magnitude::new(states.max(1) as f64) * (sets + self.finitely_bounded_growth());
        Statement { name: "4.8, sets of clocks", formula: "|ρ|·(2^(2(C+1)(X-Y)) + (C+1)·Y²)", allows }
    }

    fn x(self) -> f64 {
        self.x as f64
    }

    fn c(self) -> f64 {
        self.c as f64
    }

    /// X - Y
    fn outside(self) -> f64 {
        (self.x - self.y) as f64
    }

    /// (C+1)·Y², which is 1 where nothing is finitely bounded.
    fn finitely_bounded_growth(self) -> Magnitude {
        Magnitude::new(((self.c() + 1.0) * (self.y * self.y) as f64).max(1.0))
    }
}

/// What the thesis states of a sublogic, and what it allows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Statement {
    /// The name of the statement in the thesis.
    pub name: &'static str,
    /// The bound, as it is printed.
    pub formula: &'static str,
    /// The bound, evaluated.
    pub allows: Magnitude,
}

impl Sublogic {
    /// The space of the configuration graph, and by the same statements its time, for a trace of so
    /// many states.
    pub fn graph(self, measures: Measures, states: usize) -> Statement {
        let (x, c) = (measures.x(), measures.c());
        let squared = Magnitude::new(x * x * (states.max(1) as f64));
        match self {
            Self::Ltl => Statement { name: "corollary 3.1", formula: "X²·|ρ|", allows: squared },
            Self::Fbtl => Statement {
                name: "lemma 3.4",
                formula: "X³·(C+1)²",
                allows: Magnitude::power(x, 3.0) * Magnitude::power(c + 1.0, 2.0),
            },
            Self::Sbtl | Self::Btl => {
                let allows = squared * Magnitude::new(c + 2.0);
                Statement { name: "theorem 3.3", formula: "X²·(C+2)·|ρ|", allows }
            }
        }
    }

    /// The space of breadth-first traversal: the number of configurations. It does not hold where
    /// operators begin two steps late or later.
    pub fn breadth_first(self, measures: Measures) -> Statement {
        let x = measures.x();
        match self {
            Self::Ltl => Statement { name: "corollary 3.2", formula: "2^X", allows: Magnitude::power(2.0, x) },
            Self::Fbtl | Self::Sbtl | Self::Btl => Statement {
                name: "theorem 3.7",
                formula: "X·(C+2)^X",
                allows: Magnitude::new(x) * Magnitude::power(measures.c() + 2.0, x),
            },
        }
    }

    /// The time of breadth-first traversal for a trace of so many states. The statement of theorem
    /// 3.7 leaves out the length of the trace, which its proof multiplies by.
    pub fn breadth_first_time(self, measures: Measures, states: usize) -> Statement {
        let (x, states) = (measures.x(), Magnitude::new(states.max(1) as f64));
        match self {
            Self::Ltl => {
                let allows = states * Magnitude::power(2.0, 2.0 * x);
                Statement { name: "corollary 3.2", formula: "|ρ|·2^(2X)", allows }
            }
            Self::Fbtl | Self::Sbtl | Self::Btl => {
                let allows = states * Magnitude::new(x) * Magnitude::power(measures.c() + 2.0, 2.0 * x);
                Statement { name: "theorem 3.7", formula: "|ρ|·X·(C+2)^(2X)", allows }
            }
        }
    }

    /// [`Sublogic::space`], evaluated.
    pub fn space_of(self, measures: Measures) -> Magnitude {
        let Measures { x, c, .. } = measures;
        match self {
            Self::Ltl | Self::Fbtl => self.time_of(measures, 1),
            Self::Sbtl => Magnitude::new(x as f64 * (c as f64 + 2.0)) * self.time_of(measures, 1),
            Self::Btl => Magnitude::new(x as f64 * (c as f64 + 1.0)) * self.time_of(measures, 1),
        }
    }

    /// [`Sublogic::time`], evaluated for a trace of so many states.
    pub fn time_of(self, measures: Measures, states: usize) -> Magnitude {
        let states = Magnitude::new(states.max(1) as f64);
        let ways = |clocks: f64| Magnitude::power(clocks, 2.0 * measures.outside());
        match self {
            Self::Ltl => states * Magnitude::power(2.0, measures.x()),
            Self::Fbtl => Magnitude::power(measures.x(), 3.0) * Magnitude::power(measures.c() + 1.0, 2.0),
            Self::Sbtl => states * (ways(2.0) + measures.finitely_bounded_growth()),
            Self::Btl => states * (ways(measures.c() + 2.0) + measures.finitely_bounded_growth()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Measures = Measures { x: 7, y: 3, c: 4 };

    #[test]
    fn bounds_are_those_of_the_theorems() {
        let close = |bound: Magnitude, expected: f64| assert!((bound.number() / expected - 1.0).abs() < 1e-9);
        close(SMALL.tree(3), (343.0 * 7.0 - 1.0) / 6.0 + 1.0 / 6.0);
        for (sublogic, expected) in [
            (Sublogic::Ltl, 49.0 * 10.0),
            (Sublogic::Fbtl, 343.0 * 25.0),
            (Sublogic::Sbtl, 49.0 * 6.0 * 10.0),
            (Sublogic::Btl, 49.0 * 6.0 * 10.0),
        ] {
            close(sublogic.graph(SMALL, 10).allows, expected);
        }
        close(Sublogic::Ltl.breadth_first(SMALL).allows, 128.0);
        close(Sublogic::Fbtl.breadth_first(SMALL).allows, 7.0 * 6_f64.powi(7));
        close(Sublogic::Ltl.breadth_first_time(SMALL, 10).allows, 10.0 * 128.0 * 128.0);
        close(Sublogic::Btl.breadth_first_time(SMALL, 10).allows, 70.0 * 6_f64.powi(14));
        close(SMALL.type_a(), 15.0);
        close(SMALL.type_b(), 16.0);
        close(Sublogic::Ltl.space_of(SMALL), 128.0);
        close(Sublogic::Fbtl.space_of(SMALL), 343.0 * 25.0);
        close(Sublogic::Sbtl.space_of(SMALL), 7.0 * 6.0 * (256.0 + 5.0 * 9.0));
        close(Sublogic::Btl.space_of(SMALL), 7.0 * 5.0 * (6_f64.powi(8) + 5.0 * 9.0));
        close(Sublogic::Sbtl.time_of(SMALL, 10), 10.0 * (256.0 + 45.0));
        close(Sublogic::Fbtl.time_of(SMALL, 10), 343.0 * 25.0);
    }

    #[test]
    fn magnitudes_are_written_short() {
        let text = |number: f64| Magnitude::new(number).to_string();
        assert_eq!([1.0, 999_999.0, 2_500_000.0].map(text), ["1", "999999", "3e6"]);
        assert_eq!(Magnitude::power(10.0, 1234.5).to_string(), "4e1234");
        assert_eq!(Magnitude::power(10.0, 4.2e19).to_string(), "10^(5e19)");
        assert_eq!(Magnitude::power(10.0, f64::INFINITY).to_string(), "10^(10^300) and more");
        assert_eq!([1e6, 2e8, 9.5e7].map(text), ["1e6", "2e8", "1e8"], "rounded up");
        assert_eq!(format!("{:>6}", Magnitude::new(42.0)), "    42");
        assert!(Magnitude::power(2.0, 5000.0).number().is_infinite());
    }
}
