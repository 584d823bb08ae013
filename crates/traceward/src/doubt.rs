//! Comparisons of approximate values, which may be too close to be decided.

use traceward_logic::value::Value;

/// A side of a comparison.
pub(crate) struct Side<'a> {
    pub(crate) value: Option<&'a Value>,
    /// The relative error of the numbers that the value is made of; none if they are exact.
    pub(crate) error: Option<f64>,
    /// Whether the error is one of the value itself. Of what is computed from approximate numbers it
    /// is not known.
    pub(crate) is_direct: bool,
}

impl Side<'_> {
    /// The number, and how far it may be off.
    fn number(&self) -> Option<(f64, f64)> {
        let number = self.value?.as_f64()?;
        let off = match (self.error, self.is_direct) {
            (None, _) => 0.0,
            (Some(error), true) => number.abs() * error,
            (Some(_), false) => f64::INFINITY,
        };
        Some((number, off))
    }
}

/// Why a comparison is not decided: a value is approximate, and the other lies within its error.
pub(crate) fn doubt(sides: [Side<'_>; 2]) -> Option<String> {
    let error = sides.iter().filter_map(|side| side.error).reduce(f64::max)?;
    let [left, right] = sides.map(|side| side.number());
    let ((left, left_off), (right, right_off)) = left.zip(right)?;
    ((left - right).abs() <= left_off + right_off).then(|| {
        let percent = error * 100.0;
        format!("its value is {left} within {percent}%, and {right} is too close to that to compare them")
    })
}
