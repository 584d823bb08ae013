//! Comparisons of approximate values, which may be too close to be decided.

use traceward_engine::query::{Tolerance, ToleranceKind};
use traceward_logic::value::Value;

/// A side of a comparison.
pub(crate) struct Side<'a> {
    pub(crate) value: Option<&'a Value>,
    /// How far the numbers that the value is made of may be off; none if they are exact.
    pub(crate) tolerance: Option<Tolerance>,
    /// Whether the error is one of the value itself. Of what is computed from approximate numbers
    /// it is not known.
    pub(crate) is_direct: bool,
}

impl Side<'_> {
    /// Whether the value may be another one altogether, however far from this one.
    fn may_be_another(&self) -> bool {
        self.tolerance.is_some_and(|tolerance| tolerance.kind == ToleranceKind::Frequency)
    }

    /// The number, and how far it may be off.
    fn number(&self) -> Option<(f64, f64)> {
        let number = self.value?.as_f64()?;
        let off = match (self.tolerance, self.is_direct) {
            (None, _) => 0.0,
            (Some(tolerance), true) => number.abs() * tolerance.relative,
            (Some(_), false) => f64::INFINITY,
        };
        Some((number, off))
    }
}

/// Why a comparison is not decided: a value is approximate, and the other lies within its error.
pub(crate) fn doubt(sides: [Side<'_>; 2]) -> Option<String> {
    let tolerance = sides.iter().filter_map(|side| side.tolerance).reduce(Tolerance::or_worse)?;
    if sides.iter().any(Side::may_be_another) {
        return Some("another value may be more frequent than the one that was found".to_owned());
    }
    let [left, right] = sides.map(|side| side.number());
    let ((left, left_off), (right, right_off)) = left.zip(right)?;
    ((left - right).abs() <= left_off + right_off).then(|| {
        let percent = tolerance.relative * 100.0;
        let how_sure = if tolerance.kind == ToleranceKind::Likely { " in 99 of 100 cases" } else { "" };
        format!("its value is {left} within {percent}%{how_sure}, and {right} is too close to that to compare them")
    })
}
