//! A monitor inside the program that it follows: nanoseconds for a state, by the library and by its
//! interface for C.

use crate::{Row, measured};
use std::ffi::CString;
use std::ptr;
use traceward::{Monitor, Spec, Value, Verdict};
use traceward_c::{
    Status, traceward_create, traceward_destroy, traceward_end, traceward_set_int, traceward_step, traceward_variable,
    traceward_verdict_of,
};

const STATES: u64 = 10_000_000;

/// What is written to `x`, state by state: in eight states a request and an answer.
fn written(state: u64) -> i64 {
    [1, 2, 3, 4, 5, 6, 7, 0][(state % 8) as usize]
}

/// A property that holds to the end, and how often a proposition of it changes.
const CASES: [(&str, &str); 2] =
    [("G(x < 100)", "no proposition changes"), ("G(x == 3 -> F x == 6)", "four of eight change a proposition")];

pub fn steps() -> Vec<Row> {
    CASES.iter().flat_map(|(formula, what)| [by_c(formula, what).ours(), by_library(formula, what)]).collect()
}

fn by_c(formula: &str, what: &str) -> Row {
    let spec = CString::new(formula).expect("no zero");
    told(format!("`{formula}`, {what}, from C"), || {
        // SAFETY: the spec is a text of C, and the monitor is destroyed once, at the end.
        #[allow(unsafe_code)]
        unsafe {
            let monitor = traceward_create(spec.as_ptr(), 0, ptr::null_mut());
            let x = traceward_variable(monitor, c"x".as_ptr());
            for state in 0..STATES {
                traceward_set_int(monitor, x, written(state));
                traceward_step(monitor);
            }
            let ended = traceward_end(monitor);
            let satisfied = traceward_verdict_of(monitor, 0) == traceward_c::Verdict::Satisfied;
            traceward_destroy(monitor);
            (ended == Status::Ok, satisfied)
        }
    })
}

fn by_library(formula: &str, what: &str) -> Row {
    let spec: Spec = formula.parse().expect("a spec");
    told(format!("`{formula}`, {what}, `Monitor::step_values`"), || {
        let mut monitor = Monitor::new(&spec).expect("it can be followed");
        let x = monitor.variable("x").expect("a variable");
        let stepped = (0..STATES).all(|state| monitor.step_values(&[(x, Value::Int(written(state)))], None).is_ok());
        (stepped, monitor.end() == [Verdict::Satisfied])
    })
}

fn told(what: String, run: impl FnMut() -> (bool, bool)) -> Row {
    let row = measured(what, STATES, "states", &(true, true), run);
    let nanoseconds = row.seconds_each() * 1e9;
    Row { name: format!("{}: {nanoseconds:.1} ns a state", row.name), ..row }
}
