//! Work that takes long: without the interpreter's lock, and ended by Ctrl-C.
//!
//! Python runs handlers of signals on its main thread, and only while that has the lock. So what is
//! long is done by another thread, and the main one looks for signals meanwhile. What is short is
//! done where it is asked: to start a thread takes as long as a short trace.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use traceward::engine::Interrupt;

/// The time between two looks for signals.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// The time that work has to end once it is interrupted. It goes on behind the scenes otherwise.
const GRACE: Duration = Duration::from_secs(5);

/// The stack of a thread that works: that of a program's main thread.
const STACK: usize = 8 << 20;

/// How long work may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// As long as a short trace.
    Short,
    /// Longer than anybody likes to wait for.
    Long,
}

/// The flag that is raised by Ctrl-C. There is one for all work, since only one piece of work at a
/// time waits for it: that of the main thread.
static FLAG: Mutex<Option<&'static AtomicBool>> = Mutex::new(None);

fn flag() -> &'static AtomicBool {
    FLAG.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| Box::leak(Box::default()))
}

/// Does some work without the lock.
pub fn done<T: Send + 'static>(
    py: Python<'_>,
    length: Length,
    work: impl FnOnce(Option<Interrupt>) -> T + Send + 'static,
) -> PyResult<T> {
    if length == Length::Short || !is_main_thread(py)? {
        return Ok(py.detach(|| work(None)));
    }
    py.check_signals()?;
    let flag = flag();
    let (sender, receiver) = sync_channel(1);
    let work = move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(Some(Interrupt::new(flag)))));
        // Nobody waits any more if it took too long to end.
        let _ = sender.send(result);
    };
    thread::Builder::new().name("traceward".to_owned()).stack_size(STACK).spawn(work)?;
    // It is waited for by a thread that has the lock only when it looks for signals.
    let receiver = Mutex::new(receiver);
    let wait = |time| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time);
    loop {
        match py.detach(|| wait(BETWEEN_LOOKS)) {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Disconnected) => unreachable!("a thread sends what it has done"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(signal) = py.check_signals() {
            flag.store(true, Ordering::Relaxed);
            match py.detach(|| wait(GRACE)) {
                Ok(_) => flag.store(false, Ordering::Relaxed),
                // What goes on has to stay interrupted.
                Err(_) => *FLAG.lock().unwrap_or_else(PoisonError::into_inner) = None,
            }
            return Err(signal);
        }
    }
}

/// Whether this is the thread that runs the handlers of signals.
fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    static MAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static CURRENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let main = MAIN.import(py, "threading", "main_thread")?.call0()?;
    Ok(CURRENT.import(py, "threading", "current_thread")?.call0()?.is(&main))
}
