//! Monitors for C: what `include/traceward.h` declares.
//!
//! Every function takes whatever it is given: a null pointer or a number that is none is told by
//! the status, a panic ends in one, and texts are copied. What only the caller can answer for is
//! that a monitor is one that was created here and not destroyed yet, that one thread uses it at a
//! time, and that texts end with a zero.
#![allow(unsafe_code, reason = "the interface is one of pointers")]

mod given;
mod handle;
mod text;

pub use handle::{Monitor, Status, Verdict, VerdictCallback, VerdictChange};

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use text::{Text, given, owned};
use traceward::Value;

/// The number of the interface that the library was built with.
#[unsafe(no_mangle)]
pub extern "C" fn traceward_interface() -> c_uint {
    1
}

/// Makes a monitor from a spec; none if the spec is wrong.
///
/// # Safety
/// `spec` is null or a text that ends with a zero; `error` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn traceward_create(
    spec: *const c_char,
    options: c_uint,
    error: *mut *mut c_char,
) -> *mut Monitor {
    // SAFETY: the caller's promise about `spec`.
    let made = match unsafe { given(spec) } {
        Text::Given(spec) => handle::guarded(|| Monitor::new(spec, options)),
        Text::Null => Err("no spec was given: the pointer is null".to_owned()),
        Text::NotUtf8 => Err("the spec is no UTF-8".to_owned()),
    };
    match made {
        Ok(monitor) => Box::into_raw(Box::new(monitor)),
        Err(message) => {
            if !error.is_null() {
                // SAFETY: the caller's promise about `error`.
                unsafe { *error = owned(&message) };
            }
            ptr::null_mut()
        }
    }
}

/// Ends the life of a monitor.
///
/// # Safety
/// `monitor` is null, or was created here and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn traceward_destroy(monitor: *mut Monitor) {
    if !monitor.is_null() {
        // SAFETY: it came from `Box::into_raw`, and the caller gives it back once.
        drop(unsafe { Box::from_raw(monitor) });
    }
}

/// Gives back a text that the caller owns.
///
/// # Safety
/// `text` is null, or a `char *` that was returned by this library and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn traceward_free_text(text: *mut c_char) {
    // SAFETY: the caller's promise.
    unsafe { text::give_back(text) };
}

/// A function that reads a monitor, and what it returns if there is none.
macro_rules! reading {
    ($(#[doc = $doc:literal])* $name:ident($monitor:ident $(, $argument:ident: $of:ty)*) -> $result:ty, $none:expr, $body:expr) => {
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// `monitor` is null, or was created here and not destroyed; texts end with a zero.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(monitor: *const Monitor $(, $argument: $of)*) -> $result {
            // SAFETY: the caller's promise: it is a monitor, and nobody else uses it now.
            match unsafe { monitor.as_ref() } {
                Some($monitor) => $body,
                None => $none,
            }
        }
    };
}

/// A function that changes a monitor, and what it returns if there is none.
macro_rules! changing {
    ($(#[doc = $doc:literal])* $name:ident($monitor:ident $(, $argument:ident: $of:ty)*) -> $result:ty, $none:expr, $body:expr) => {
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// `monitor` is null, or was created here and not destroyed; texts end with a zero.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(monitor: *mut Monitor $(, $argument: $of)*) -> $result {
            // SAFETY: the caller's promise: it is a monitor, and nobody else uses it now.
            match unsafe { monitor.as_mut() } {
                Some($monitor) => $body,
                None => $none,
            }
        }
    };
}

reading!(
    /// The number of a variable; negative if no property speaks of it.
    traceward_variable(monitor, name: *const c_char) -> c_int, -1,
    // SAFETY: the caller's promise about texts.
    match unsafe { given(name) } {
        Text::Given(name) => monitor.variable(name),
        Text::Null | Text::NotUtf8 => -1,
    }
);
reading!(
    /// The number of variables that can make a difference to a verdict.
    traceward_needed_count(monitor) -> usize, 0, monitor.needed_count()
);
changing!(
    /// The name of such a variable.
    traceward_needed_name(monitor, index: usize) -> *const c_char, ptr::null(), monitor.needed_name(index)
);

changing!(
    /// Sets a boolean of the next state.
    traceward_set_bool(monitor, variable: c_int, value: c_int) -> Status, Status::Misuse,
    monitor.set(variable, |bit| bit.set_bool(value != 0))
);
changing!(
    /// Sets an integer of the next state.
    traceward_set_int(monitor, variable: c_int, value: i64) -> Status, Status::Misuse,
    monitor.set(variable, |int| int.set_int(value))
);
changing!(
    /// Sets a float of the next state.
    traceward_set_double(monitor, variable: c_int, value: f64) -> Status, Status::Misuse,
    monitor.set(variable, |float| float.set_float(value))
);
changing!(
    /// Sets a string of the next state.
    traceward_set_text(monitor, variable: c_int, value: *const c_char) -> Status, Status::Misuse,
    // SAFETY: the caller's promise about texts.
    monitor.set_text(variable, unsafe { given(value) })
);
changing!(
    /// Says that a variable has no value in the next state.
    traceward_set_missing(monitor, variable: c_int) -> Status, Status::Misuse,
    monitor.set(variable, |value| *value = Value::Missing)
);

changing!(
    /// Sets a boolean of the next state.
    traceward_set_bool_named(monitor, name: *const c_char, value: c_int) -> Status, Status::Misuse,
    // SAFETY: the caller's promise about texts.
    monitor.named(unsafe { given(name) }, |monitor, variable| monitor.set(variable, |bit| bit.set_bool(value != 0)))
);
changing!(
    /// Sets an integer of the next state.
    traceward_set_int_named(monitor, name: *const c_char, value: i64) -> Status, Status::Misuse,
    // SAFETY: the caller's promise about texts.
    monitor.named(unsafe { given(name) }, |monitor, variable| monitor.set(variable, |int| int.set_int(value)))
);
changing!(
    /// Sets a float of the next state.
    traceward_set_double_named(monitor, name: *const c_char, value: f64) -> Status, Status::Misuse,
    // SAFETY: the caller's promise about texts.
    monitor.named(unsafe { given(name) }, |monitor, variable| monitor.set(variable, |float| float.set_float(value)))
);
changing!(
    /// Sets a string of the next state.
    traceward_set_text_named(monitor, name: *const c_char, value: *const c_char) -> Status, Status::Misuse,
    // SAFETY: the caller's promise about texts.
    monitor.named(unsafe { given(name) }, |monitor, variable| monitor.set_text(variable, unsafe { given(value) }))
);
changing!(
    /// Says that a variable has no value in the next state.
    traceward_set_missing_named(monitor, name: *const c_char) -> Status, Status::Misuse,
    // SAFETY: the caller's promise about texts.
    monitor.named(unsafe { given(name) }, |monitor, variable| monitor.set(variable, |value| *value = Value::Missing))
);

changing!(
    /// Takes the state that was set.
    traceward_step(monitor) -> Status, Status::Misuse, monitor.step(None)
);
changing!(
    /// Takes the state that was set, at so many nanoseconds.
    traceward_step_at(monitor, nanoseconds: i64) -> Status, Status::Misuse, monitor.step(Some(nanoseconds))
);
changing!(
    /// The trace ends.
    traceward_end(monitor) -> Status, Status::Misuse, monitor.end()
);
reading!(
    /// The number of states that were taken.
    traceward_states(monitor) -> u64, 0, monitor.states()
);

reading!(
    /// The number of properties.
    traceward_property_count(monitor) -> usize, 0, monitor.property_count()
);
changing!(
    /// The name of a property.
    traceward_property_name(monitor, property: usize) -> *const c_char, ptr::null(), monitor.property_name(property)
);
reading!(
    /// What can be said of a property.
    traceward_verdict_of(monitor, property: usize) -> Verdict, Verdict::Unknown, monitor.verdict(property)
);
changing!(
    /// The trigger that no state has met, if there is one.
    traceward_vacuous(monitor, property: usize) -> *const c_char, ptr::null(), monitor.vacuous(property)
);
reading!(
    /// The number of properties that are violated for good.
    traceward_violated_count(monitor) -> usize, 0, monitor.violated_count()
);
changing!(
    /// Whom to tell when a verdict changes.
    traceward_on_verdict(monitor, callback: Option<VerdictCallback>, context: *mut c_void) -> Status, Status::Misuse,
    monitor.on_verdict(callback, context)
);

reading!(
    /// The number of queries.
    traceward_query_count(monitor) -> usize, 0, monitor.query_count()
);
changing!(
    /// The name of a query.
    traceward_query_name(monitor, query: usize) -> *const c_char, ptr::null(), monitor.query_name(query)
);
changing!(
    /// The value of a query over the states so far, as JSON.
    traceward_query_json(monitor, query: usize) -> *mut c_char, ptr::null_mut(), monitor.query_json(query)
);
reading!(
    /// Why the last call that failed did.
    traceward_error(monitor) -> *const c_char, c"there is no monitor: the pointer is null".as_ptr(), monitor.error()
);
