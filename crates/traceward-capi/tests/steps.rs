//! Steps from C against those of the library: values are written over those of earlier states, and
//! nothing of these may be left.
#![allow(unsafe_code, reason = "the interface is one of pointers")]

use std::ffi::{CString, c_int};
use std::ptr;
use traceward::input::Records;
use traceward::{Goal, Monitor, Settings, Source, Spec, State, Value};
use traceward_c::{
    Status, traceward_create, traceward_destroy, traceward_set_bool, traceward_set_double, traceward_set_int,
    traceward_set_missing, traceward_set_text, traceward_step, traceward_variable, traceward_verdict_of,
};

const SPEC: &str = r#"
    property number = G(x < 3 | past(x) < 3)
    property switch = G(b -> F !b)
    property measure = F(y > 2.5) & G(y < 2.9)
    property text = G(s == "one" -> X s != "one")
    property all = G(defined(x) & b -> x > 0)
"#;
const NAMES: [&str; 4] = ["x", "b", "y", "s"];
const PROPERTIES: usize = 5;
/// `TRACEWARD_CHANGES`
const CHANGES: u32 = 1;

/// A number below another one, from a sequence that looks random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A value for a variable: mostly of its type, and sometimes of another.
fn value(dice: &mut Dice, variable: usize) -> Value {
    match if dice.below(12) == 0 { dice.below(5) as usize } else { variable } {
        0 => Value::Int(dice.below(4) as i64),
        1 => Value::Bool(dice.below(2) == 1),
        2 => [Value::Float(2.6), Value::Float(-0.5), Value::float(f64::NAN)][dice.below(3) as usize].clone(),
        3 => Value::str(["one", "two", ""][dice.below(3) as usize]),
        _ => Value::Missing,
    }
}

/// Sets a variable as a program in C does.
fn set(monitor: *mut traceward_c::Monitor, variable: c_int, value: &Value) {
    // SAFETY: the monitor was created and is not destroyed, and texts end with a zero.
    let status = unsafe {
        match value {
            Value::Int(int) => traceward_set_int(monitor, variable, *int),
            Value::Bool(bit) => traceward_set_bool(monitor, variable, c_int::from(*bit)),
            Value::Float(float) => traceward_set_double(monitor, variable, *float),
            Value::Str(text) => traceward_set_text(monitor, variable, CString::new(&**text).expect("no zero").as_ptr()),
            _ => traceward_set_missing(monitor, variable),
        }
    };
    assert_eq!(status, Status::Ok);
}

fn library(options: u32) -> Monitor {
    let records = (options == CHANGES).then_some(Records::Changes);
    let settings = Settings { records, ..Settings::default() };
    let spec = Spec::parse_with(vec![Source::new("spec", SPEC, Goal::Check)], settings).expect("a spec");
    Monitor::new(&spec).expect("it can be followed")
}

/// Follows states both ways, and tells how many were taken and how many refused.
fn follow(options: u32, seed: u64) -> (u64, u64) {
    let spec = CString::new(SPEC).expect("no zero");
    // SAFETY: the spec is a text of C.
    let from_c = unsafe { traceward_create(spec.as_ptr(), options, ptr::null_mut()) };
    assert!(!from_c.is_null());
    let (mut monitor, mut dice) = (library(options), Dice(seed));
    let (mut taken, mut refused) = (0, 0);
    for step in 0..60 {
        let mut state = State::new();
        for _ in 0..dice.below(6) {
            let variable = dice.below(NAMES.len() as u64) as usize;
            let value = value(&mut dice, variable);
            let name = CString::new(NAMES[variable]).expect("no zero");
            // SAFETY: the monitor is one, and the name a text of C.
            let number = unsafe { traceward_variable(from_c, name.as_ptr()) };
            set(from_c, number, &value);
            state = state.with(NAMES[variable], value);
        }
        // SAFETY: the monitor is one, and nobody else uses it.
        let status = unsafe { traceward_step(from_c) };
        let expected = monitor.step(&state).map(<[_]>::len);
        assert_eq!(status == Status::Ok, expected.is_ok(), "seed {seed}, step {step}: {state} {expected:?}");
        if expected.is_ok() {
            taken += 1
        } else {
            refused += 1
        }
        // SAFETY: as above.
        let told = |property| unsafe { traceward_verdict_of(from_c, property) };
        let verdicts: Vec<_> = monitor.verdicts().into_iter().map(traceward_c::Verdict::from).collect();
        assert_eq!((0..PROPERTIES).map(told).collect::<Vec<_>>(), verdicts, "seed {seed}, step {step}: {state}");
    }
    // SAFETY: it is destroyed once, and not used afterwards.
    unsafe { traceward_destroy(from_c) };
    (taken, refused)
}

#[test]
fn steps_from_c_are_those_of_the_library() {
    for options in [0, CHANGES] {
        let counts = (0..200).map(|seed| follow(options, seed));
        let (taken, refused) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        assert!(taken > 2000 && refused > 500, "{taken} taken, {refused} refused");
    }
}
