//! The callbacks of the virtual machine, and what they share.

use crate::channel::Channel;
use crate::follower::{Follower, Here, Output};
use crate::interface::{
    Callbacks, Capability, Class, Event, FieldId, Frame, Jvalue, Machine, MethodId, Native, Object, TOOL_VERSION,
    Thread, Tool,
};
use crate::machine::Jvm;
use crate::options::{AtEnd, HELP, Options, Work};
use crate::report::{Report, UNANSWERED, exit_now};
use crate::wanted::Wanted;
use crate::watcher::{Watcher, Write};
use std::ffi::{CStr, c_char, c_void};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use traceward::message::{Paint, Style};
use traceward::{Monitor, Spec};

/// What callbacks share. The machine keeps its address for them.
struct Agent {
    watcher: Mutex<Watcher>,
    /// The tags of objects that are gone. They are told while the machine may stand still, when
    /// whoever holds the other lock may be waiting for it to go on: so this lock is never held for
    /// longer than a push.
    freed: Mutex<Vec<i64>>,
    has_freed: AtomicBool,
    /// After a defect or the end nothing is watched any more.
    is_over: AtomicBool,
    at_end: AtEnd,
    work: Work,
    writes: AtomicU64,
}

/// What the machine calls first. Whatever is wrong with the spec or the options ends it here, with
/// status 2 and before anything has run.
///
/// # Safety
/// `machine` is a virtual machine, and `options` is null or a text that ends with a zero.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the machine looks for this name")]
pub unsafe extern "system" fn Agent_OnLoad(machine: Machine, options: *const c_char, _: *mut c_void) -> i32 {
    let options = if options.is_null() {
        String::new()
    } else {
        // SAFETY: the machine's promise.
        unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned()
    };
    if options == "help" {
        let _ = std::io::stdout().write_all(HELP.as_bytes());
        exit_now(0);
    }
    // SAFETY: the machine's promise.
    let loaded = catch_unwind(|| unsafe { load(machine, &options) });
    match loaded.unwrap_or_else(|_| Err("a defect of the agent: it panicked; please report it".to_owned())) {
        Ok(()) => 0,
        Err(message) => {
            // Errors of specs say themselves what they are.
            let message = message.strip_prefix("error: ").unwrap_or(&message);
            let _ = std::io::stderr().write_all(format!("traceward: error: {message}\n").as_bytes());
            exit_now(UNANSWERED);
        }
    }
}

/// # Safety
/// `machine` is a virtual machine.
unsafe fn load(machine: Machine, options: &str) -> Result<(), String> {
    let options = Options::parse(options)?;
    let agent = Agent::new(&options)?;
    let mut tool: *mut c_void = ptr::null_mut();
    // SAFETY: the caller's promise; the place can be written.
    let error = unsafe { ((**machine).get_env)(machine, &raw mut tool, TOOL_VERSION) };
    if error != 0 || tool.is_null() {
        return Err(format!("the virtual machine has no tool interface 1.2 (error {error})"));
    }
    let tool: Tool = tool.cast();
    // SAFETY: it is the environment that the machine just gave; nothing native is called.
    let jvm = unsafe { Jvm::new(tool, ptr::null_mut()) };
    jvm.add(Capability::ALL.map(|(capability, _)| capability))?;
    let agent = Box::into_raw(Box::new(agent));
    let callbacks = callbacks();
    // SAFETY: the environment is valid, and the agent lasts as long as the machine.
    unsafe {
        let size = size_of::<Callbacks>() as i32;
        let errors = [
            (**tool).set_environment_local_storage()(tool, agent.cast()),
            (**tool).set_event_callbacks()(tool, &raw const callbacks, size),
        ];
        if errors != [0, 0] {
            return Err(format!("the virtual machine takes no callbacks (errors {errors:?})"));
        }
    }
    jvm.enable(Event::VmInit)?;
    jvm.enable(Event::VmDeath)
}

impl Agent {
    fn new(options: &Options) -> Result<Self, String> {
        let path = options.spec.display().to_string();
        let text = std::fs::read_to_string(&options.spec).map_err(|error| format!("{path}: {error}"))?;
        let wanted = Wanted::read(&path, &text)?;
        let style = Style { paint: Paint::Plain, ..Style::default() };
        let mut report = Report::open(options)?;
        wanted.spec.warnings(style).iter().for_each(|warning| report.say(warning));
        let output = match &options.to {
            Some(target) => Output::Send(Channel::open(target, options.on_violation)?),
            None => Output::Judge(Box::new(monitor(&wanted.spec, &path)?)),
        };
        let is_timed = wanted.spec.settings().time.is_some();
        let follower = Follower::new(output, is_timed, options, report);
        Ok(Self {
            watcher: Mutex::new(Watcher::new(wanted, follower, options)),
            freed: Mutex::default(),
            has_freed: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            at_end: options.at_end,
            work: options.work,
            writes: AtomicU64::new(0),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Watcher> {
        // After a panic nobody comes here any more.
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The watcher, after the objects that are gone have been taken off it.
    fn watcher(&self, here: &Here) -> MutexGuard<'_, Watcher> {
        let mut watcher = self.lock();
        if self.has_freed.load(Ordering::Relaxed) && self.has_freed.swap(false, Ordering::AcqRel) {
            let freed = std::mem::take(&mut *self.freed.lock().unwrap_or_else(PoisonError::into_inner));
            watcher.freed(&freed, here);
        }
        watcher
    }

    /// Runs a callback. A panic must not reach the machine: it ends the watching, and says so.
    fn guard(&self, callback: impl FnOnce()) {
        if self.is_over.load(Ordering::Relaxed) {
            return;
        }
        if catch_unwind(AssertUnwindSafe(callback)).is_err() {
            self.is_over.store(true, Ordering::Relaxed);
            let text = b"traceward: error: a defect of the agent: it panicked, and watches no more; please report it\n";
            let _ = std::io::stderr().write_all(text);
        }
    }
}

fn monitor(spec: &Spec, path: &str) -> Result<Monitor, String> {
    let style = Style { paint: Paint::Plain, ..Style::default() };
    let way_out = "to=file:PATH writes the states, for `traceward check`";
    Monitor::new(spec).map_err(|error| format!("{}\n{way_out}", error.render(path, style)))
}

/// The agent whose callback runs.
///
/// # Safety
/// `tool` is the environment of the machine that calls, in which `load` has stored the agent.
#[inline]
unsafe fn agent<'a>(tool: Tool) -> &'a Agent {
    let mut agent: *mut c_void = ptr::null_mut();
    // SAFETY: the caller's promise; the agent is never freed.
    unsafe {
        (**tool).get_environment_local_storage()(tool, &raw mut agent);
        &*agent.cast()
    }
}

fn callbacks() -> Callbacks {
    Callbacks {
        vm_init,
        vm_death,
        unused_52: [ptr::null(); 4],
        class_prepare,
        unused_57: [ptr::null(); 4],
        frame_pop,
        breakpoint,
        unused_63: [ptr::null(); 1],
        field_modification,
        unused_65: [ptr::null(); 18],
        object_free,
        unused_84: [ptr::null(); 3],
    }
}

/// The classes that the spec names are loaded before the program starts, so that the first state
/// has all fields. Classes of other loaders come later.
unsafe extern "system" fn vm_init(tool: Tool, native: Native, _: Thread) {
    // SAFETY: the machine calls, with its environments.
    let (agent, jvm) = unsafe { (agent(tool), Jvm::new(tool, native)) };
    agent.guard(|| {
        agent.lock().start(jvm);
        if let Err(message) = jvm.enable(Event::ClassPrepare) {
            let _ = std::io::stderr().write_all(format!("traceward: error: {message}\n").as_bytes());
            exit_now(UNANSWERED);
        }
        // Loading a class calls back, so nothing is locked meanwhile.
        let missing = agent.lock().missing_classes();
        for class in missing.iter().filter_map(|name| jvm.load(name)) {
            // One that was prepared long ago does not tell it again.
            if jvm.is_prepared(class) {
                agent.lock().prepared(jvm, class);
            }
        }
        let mut watcher = agent.lock();
        watcher.tell_locals(jvm);
        if watcher.has_problem() {
            exit_now(UNANSWERED);
        }
    });
}

unsafe extern "system" fn vm_death(tool: Tool, native: Native) {
    // SAFETY: the machine calls, with its environments.
    let (agent, jvm) = unsafe { (agent(tool), Jvm::new(tool, native)) };
    let mut status = Some(UNANSWERED);
    agent.guard(|| {
        let here = Here { jvm, thread: None, frame: None };
        if agent.work == Work::CountOnly {
            let writes = agent.writes.load(Ordering::Relaxed);
            let _ = std::io::stderr().write_all(format!("traceward: {writes} writes\n").as_bytes());
            status = None;
            return;
        }
        status = agent.watcher(&here).end(&here);
        agent.is_over.store(true, Ordering::Relaxed);
    });
    if let (AtEnd::ExitByVerdict, Some(status)) = (agent.at_end, status) {
        exit_now(status);
    }
}

unsafe extern "system" fn class_prepare(tool: Tool, native: Native, _: Thread, class: Class) {
    // SAFETY: the machine calls, with its environments.
    let (agent, jvm) = unsafe { (agent(tool), Jvm::new(tool, native)) };
    agent.guard(|| agent.lock().prepared(jvm, class));
}

#[allow(clippy::too_many_arguments, reason = "the machine calls it so")]
unsafe extern "system" fn field_modification(
    tool: Tool,
    native: Native,
    thread: Thread,
    method: MethodId,
    location: i64,
    class: Class,
    object: Object,
    field: FieldId,
    _: c_char,
    value: Jvalue,
) {
    // SAFETY: the machine calls, with its environments.
    let (agent, jvm) = unsafe { (agent(tool), Jvm::new(tool, native)) };
    if agent.work == Work::CountOnly {
        agent.writes.fetch_add(1, Ordering::Relaxed);
        return;
    }
    agent.guard(|| {
        let here = Here { jvm, thread: Some(thread), frame: Some(Frame { method, location }) };
        agent.watcher(&here).written(&here, &Write { class, object, field, value });
    });
}

unsafe extern "system" fn breakpoint(tool: Tool, native: Native, thread: Thread, method: MethodId, location: i64) {
    // SAFETY: the machine calls, with its environments.
    let (agent, jvm) = unsafe { (agent(tool), Jvm::new(tool, native)) };
    agent.guard(|| {
        let here = Here { jvm, thread: Some(thread), frame: Some(Frame { method, location }) };
        agent.watcher(&here).called(&here, thread, method);
    });
}

unsafe extern "system" fn frame_pop(tool: Tool, native: Native, thread: Thread, method: MethodId, by_exception: u8) {
    // SAFETY: the machine calls, with its environments.
    let (agent, jvm) = unsafe { (agent(tool), Jvm::new(tool, native)) };
    agent.guard(|| {
        let location = jvm.stack(thread, 1).first().map_or(0, |frame| frame.location);
        let here = Here { jvm, thread: Some(thread), frame: Some(Frame { method, location }) };
        agent.watcher(&here).popped(&here, thread, by_exception != 0);
    });
}

/// Nothing of the machine may be called here.
unsafe extern "system" fn object_free(tool: Tool, tag: i64) {
    // SAFETY: the machine calls, with its environment.
    let agent = unsafe { agent(tool) };
    if tag > 0 {
        agent.freed.lock().unwrap_or_else(PoisonError::into_inner).push(tag);
        agent.has_freed.store(true, Ordering::Release);
    }
}
