//! How far an approximate value may be off.

/// How far an approximate value may be off. What the part is one of, is said by the kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// The error, as a part of something.
    pub relative: f64,
    /// The kind of the error.
    pub kind: ToleranceKind,
}

/// The kind of an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ToleranceKind {
    /// The number is off by no more than this part of itself.
    Certain,
    /// The number is off by no more than this part of itself in 99 of 100 cases: three standard
    /// errors of a count that depends on chance.
    Likely,
    /// Numbers that are off a border by no more than this part of themselves may be counted on its
    /// other side. The outer borders and the sum of the counts are exact.
    Borders,
    /// Another value may occur more often, by no more than this part of the number of all values.
    Frequency,
}

impl Tolerance {
    /// The worse of two errors of the same value.
    pub fn or_worse(self, other: Self) -> Self {
        let is_worse = other.relative > self.relative || (other.relative == self.relative && other.kind > self.kind);
        if is_worse { other } else { self }
    }
}
