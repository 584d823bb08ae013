//! The values that the next state has been given.
//!
//! A program may take a step at each write of a variable, so that what is done for a value counts
//! in nanoseconds. A value is written where it is kept, over that of an earlier state, and is not
//! moved: a processor waits where it has to read as a whole what was just written in pieces.

use traceward::{Value, VariableId};

/// Values of variables, in the order in which they were given.
#[derive(Default)]
pub(crate) struct Given {
    /// The values, and behind them those of earlier states, in whose place others are written.
    values: Vec<(VariableId, Value)>,
    count: usize,
}

impl Given {
    /// The value of a variable that is given now, whatever an earlier state has left there.
    #[inline(always)]
    pub(crate) fn next(&mut self, variable: VariableId) -> &mut Value {
        if self.count == self.values.len() {
            self.grow();
        }
        let (id, value) = &mut self.values[self.count];
        self.count += 1;
        *id = variable;
        value
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.values.push((VariableId(0), Value::Missing));
    }

    /// The values that were given.
    #[inline(always)]
    pub(crate) fn values(&self) -> &[(VariableId, Value)] {
        &self.values[..self.count]
    }

    /// Nothing has been given yet.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_state_was_given_is_gone() {
        let mut given = Given::default();
        given.next(VariableId(3)).set_int(7);
        *given.next(VariableId(1)) = Value::str("text");
        assert_eq!(given.values(), [(VariableId(3), Value::Int(7)), (VariableId(1), Value::str("text"))]);
        given.clear();
        assert_eq!(given.values(), []);
        given.next(VariableId(2)).set_bool(true);
        assert_eq!(given.values(), [(VariableId(2), Value::Bool(true))]);
        given.next(VariableId(0)).set_float(f64::NAN);
        assert_eq!(given.values()[1..], [(VariableId(0), Value::Missing)]);
    }
}
