//! What is known of the timestamps of some positions: bounds on their differences.
//!
//! A matrix of such bounds is known well from timed automata (Dill, CAV 1989; Bengtsson and Yi,
//! LNCS 3098). Here a clock is the distance from a position that is kept in mind, so there are no
//! resets: a position is kept, or forgotten.

/// The set of moments that timestamps may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grain {
    /// Whole nanoseconds, which timestamps are.
    Whole,
    /// Any moment. With whole ones, a difference could grow by one nanosecond again and again up to
    /// a bound of seconds, and no search would see the end of that.
    Dense,
}

impl Grain {
    /// The bounds up to which whole nanoseconds are told apart.
    const LONGEST_WHOLE: i64 = 200;

    /// The grain that suits bounds up to a longest one.
    pub(super) fn for_bounds(longest: i64) -> Self {
        if longest <= Self::LONGEST_WHOLE { Self::Whole } else { Self::Dense }
    }

    /// The bound of what is at most a whole number. With any moment allowed, what is less than the
    /// next number is the same for whole ones: the rounder of the two is the end that people meant,
    /// so that `[0,1s]` and `(1s,2s]` leave no gap.
    pub(super) fn at_most(self, number: i64) -> Bound {
        match self {
            Self::Dense if zeros(number + 1) > zeros(number) => Bound::below(number + 1),
            _ => Bound::at_most(number),
        }
    }

    /// The bound on the negative of what is at least a whole number: all that is not at most the
    /// number before it.
    pub(super) fn at_least(self, number: i64) -> Bound {
        match self {
            Self::Dense if zeros(number - 1) >= zeros(number) => Bound::below(1 - number),
            _ => Bound::at_most(-number),
        }
    }
}

/// The number of zeros that a number ends in.
fn zeros(number: i64) -> u32 {
    match number {
        0 => u32::MAX,
        _ if number % 10 == 0 => 1 + zeros(number / 10),
        _ => 0,
    }
}

/// The roundest number that is as good an end of a window as this one.
pub(super) fn rounded(number: i64) -> i64 {
    [number - 1, number + 1, number].into_iter().filter(|one| *one != 0).max_by_key(|one| zeros(*one)).unwrap_or(number)
}

/// An upper bound on a difference of timestamps: `2c + 1` stands for "at most c", `2c` for "less
/// than c".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Bound(i64);

impl Bound {
    const NONE: Self = Self(i64::MAX);

    /// The bound of what is at most a number.
    pub(super) fn at_most(number: i64) -> Self {
        Self(2 * number + 1)
    }

    fn below(number: i64) -> Self {
        Self(2 * number)
    }

    /// The largest whole number within the bound.
    pub(super) fn largest(self) -> i64 {
        (self.0 - 1) >> 1
    }

    fn plus(self, other: Self) -> Self {
        if self == Self::NONE || other == Self::NONE {
            return Self::NONE;
        }
        let number = (self.0 >> 1).saturating_add(other.0 >> 1);
        Self(2 * number + (self.0 & other.0 & 1))
    }
}

/// The timestamps that some positions may have, the one that is read last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Zone {
    positions: usize,
    /// For positions x and y the bound on the timestamp of x minus that of y, as tight as the
    /// others imply.
    bounds: Vec<Bound>,
}

impl Zone {
    /// The zone of a first position.
    pub(super) fn first() -> Self {
        Self { positions: 1, bounds: vec![Bound::at_most(0)] }
    }

    /// The number of the position that is read.
    pub(super) fn now(&self) -> usize {
        self.positions - 1
    }

    /// The bytes that the zone takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.bounds.len() * size_of::<Bound>()
    }

    /// The bound on the timestamp of x minus that of y.
    pub(super) fn bound(&self, x: usize, y: usize) -> Bound {
        self.bounds[x * self.positions + y]
    }

    /// The zone with one more position, which is no earlier than the last.
    pub(super) fn advanced(&self) -> Self {
        let (last, positions) = (self.now(), self.positions + 1);
        let mut bounds = vec![Bound::NONE; positions * positions];
        for x in 0..self.positions {
            bounds[x * positions..][..self.positions].copy_from_slice(&self.bounds[x * self.positions..][..=last]);
            bounds[x * positions + last + 1] = self.bound(x, last);
        }
        bounds[positions * positions - 1] = Bound::at_most(0);
        Self { positions, bounds }
    }

    /// Whether the timestamp of x minus that of y is within a bound in all of the zone.
    pub(super) fn entails(&self, x: usize, y: usize, bound: Bound) -> bool {
        self.bound(x, y) <= bound
    }

    /// Leaves only what is within a bound, and tells whether that is anything.
    pub(super) fn require(&mut self, x: usize, y: usize, bound: Bound) -> bool {
        if self.entails(x, y, bound) {
            return true;
        }
        if bound.plus(self.bound(y, x)) < Bound::at_most(0) {
            return false;
        }
        for from in 0..self.positions {
            let to_x = self.bound(from, x).plus(bound);
            for to in 0..self.positions {
                let through = to_x.plus(self.bound(y, to));
                let place = from * self.positions + to;
                self.bounds[place] = self.bounds[place].min(through);
            }
        }
        true
    }

    /// The zone of some of the positions.
    pub(super) fn of(&self, kept: &[usize]) -> Self {
        let bounds = kept.iter().flat_map(|&x| kept.iter().map(move |&y| self.bound(x, y))).collect();
        Self { positions: kept.len(), bounds }
    }

    /// Forgets what no comparison with numbers below a longest one can tell: so there are finitely
    /// many zones. Whatever is forgotten only adds moments.
    pub(super) fn widen(&mut self, longest: i64) {
        let (most, least) = (Bound::at_most(longest), Bound::below(-longest));
        for bound in &mut self.bounds {
            *bound = if *bound > most { Bound::NONE } else { (*bound).max(least) };
        }
        self.tighten();
    }

    fn tighten(&mut self) {
        for via in 0..self.positions {
            for x in 0..self.positions {
                for y in 0..self.positions {
                    let through = self.bound(x, via).plus(self.bound(via, y));
                    let place = x * self.positions + y;
                    self.bounds[place] = self.bounds[place].min(through);
                }
            }
        }
    }

    /// Whether all that is within a bound on the timestamp of x minus that of y is in the zone.
    pub(super) fn allows(&self, x: usize, y: usize, bound: Bound) -> bool {
        bound <= self.bound(x, y)
    }
}
