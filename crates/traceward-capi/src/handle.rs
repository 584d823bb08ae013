//! A monitor as C holds it: the library's, the state that is being set, the last error.

use crate::given::Given;
use crate::text::{Text, for_c, owned};
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use traceward::input::{Records, TimeColumn, TimeUnit};
use traceward::message::{Paint, Style};
use traceward::{Goal, Known, PropertyId, Settings, Source, Spec, Value, VariableId};

/// What a call came to, as `traceward_status` has it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It did what it says.
    Ok = 0,
    /// The state was refused.
    Refused = 1,
    /// The call makes no sense.
    Misuse = 2,
    /// The library has a defect.
    Defect = 3,
    /// The trace has ended, and a variable that the spec needs was never set.
    NeverSet = 4,
}

/// What can be said of a property, as `traceward_verdict` has it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It would be violated if the trace ended here.
    Pending = 0,
    /// It would be satisfied if the trace ended here.
    Holding = 1,
    /// It is satisfied, whatever comes.
    Satisfied = 2,
    /// It is violated, whatever comes.
    Violated = 3,
    /// It was given up.
    Unknown = 4,
}

impl From<traceward::Verdict> for Verdict {
    fn from(verdict: traceward::Verdict) -> Self {
        match verdict {
            traceward::Verdict::Pending => Self::Pending,
            traceward::Verdict::Holding => Self::Holding,
            traceward::Verdict::Satisfied => Self::Satisfied,
            traceward::Verdict::Violated => Self::Violated,
        }
    }
}

/// A verdict that has just changed, as `traceward_change` has it.
#[repr(C)]
#[derive(Debug)]
pub struct VerdictChange {
    /// The property's index.
    pub property: usize,
    /// The property's name.
    pub name: *const c_char,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether no later state can change it.
    pub is_final: c_int,
    /// The position of the state that brought it.
    pub position: u64,
}

/// Whom to tell when a verdict changes.
pub type VerdictCallback = unsafe extern "C" fn(*mut c_void, *const VerdictChange);

/// `TRACEWARD_CHANGES`
const CHANGES: u32 = 1;
/// `TRACEWARD_TIMED`
const TIMED: u32 = 2;

/// A monitor as C holds it.
pub struct Monitor {
    monitor: traceward::Monitor,
    given: Given,
    /// The time of the state that is being taken.
    time: Option<i64>,
    variables: usize,
    needed: Vec<CString>,
    properties: Vec<CString>,
    queries: Vec<CString>,
    /// The verdicts that were told last.
    verdicts: Vec<Verdict>,
    callback: Option<(VerdictCallback, *mut c_void)>,
    error: CString,
    vacuous: CString,
    life: Life,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Running,
    Ended,
    /// After a panic nothing is certain any more.
    Broken,
}

/// What came of offering a state.
enum Stepped {
    /// No verdict is another than before.
    AsBefore,
    Changed,
    /// The state was refused, and the last error tells why.
    Refused,
}

/// The result of a call that may panic, with a message.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let called = catch_unwind(AssertUnwindSafe(call));
    called.unwrap_or_else(|_| Err("a defect of the library: it panicked; please report it".to_owned()))
}

impl Monitor {
    pub(crate) fn new(spec: &str, options: u32) -> Result<Self, String> {
        if options & !(CHANGES | TIMED) != 0 {
            return Err(format!(
                "there is no option {options:#x}: this library knows TRACEWARD_CHANGES and TRACEWARD_TIMED"
            ));
        }
        let settings = Settings {
            records: (options & CHANGES != 0).then_some(Records::Changes),
            time: (options & TIMED != 0).then(|| TimeColumn::new("time", Some(TimeUnit::Ns))),
            ..Settings::default()
        };
        let style = Style { paint: Paint::Plain, ..Style::default() };
        let spec = Spec::parse_with(vec![Source::new("spec", spec, Goal::Check)], settings)
            .map_err(|error| error.render(style))?;
        let monitor = traceward::Monitor::new(&spec).map_err(|error| error.render("the trace", style))?;
        Ok(Self {
            given: Given::default(),
            time: None,
            variables: spec.variables().len(),
            needed: monitor.variables().map(for_c).collect(),
            properties: monitor.properties().map(|property| for_c(property.name)).collect(),
            queries: monitor.queries().map(|query| for_c(query.name)).collect(),
            verdicts: monitor.verdicts().into_iter().map(Verdict::from).collect(),
            callback: None,
            error: CString::default(),
            vacuous: CString::default(),
            life: Life::Running,
            monitor,
        })
    }

    pub(crate) fn variable(&self, name: &str) -> c_int {
        self.monitor.variable(name).map_or(-1, |variable| variable.index() as c_int)
    }

    pub(crate) fn needed_count(&self) -> usize {
        self.needed.len()
    }

    pub(crate) fn needed_name(&self, index: usize) -> *const c_char {
        name_at(&self.needed, index)
    }

    /// Sets a variable: `write` gets its value. Part of its callers, so that a value is made where
    /// it is kept.
    #[inline(always)]
    pub(crate) fn set(&mut self, variable: c_int, write: impl FnOnce(&mut Value)) -> Status {
        let Ok(index) = usize::try_from(variable) else { return Status::Ok };
        if index >= self.variables {
            return self.no_variable(variable);
        }
        write(self.given.next(VariableId(index as u32)));
        Status::Ok
    }

    #[cold]
    fn no_variable(&mut self, variable: c_int) -> Status {
        self.misuse(&format!("there is no variable {variable}: the last is {}", self.variables as i64 - 1))
    }

    pub(crate) fn set_text(&mut self, variable: c_int, value: Text<'_>) -> Status {
        match value {
            Text::Given(text) => self.set(variable, |value| *value = Value::str(text)),
            Text::Null => self.set(variable, |value| *value = Value::Missing),
            Text::NotUtf8 => self.misuse("the text is no UTF-8"),
        }
    }

    pub(crate) fn named(&mut self, name: Text<'_>, set: impl FnOnce(&mut Self, c_int) -> Status) -> Status {
        match name {
            Text::Given(name) => {
                let variable = self.variable(name);
                set(self, variable)
            }
            Text::Null => self.misuse("no name was given: the pointer is null"),
            Text::NotUtf8 => self.misuse("the name is no UTF-8"),
        }
    }

    #[inline(always)]
    pub(crate) fn step(&mut self, time: Option<i64>) -> Status {
        if let Some(status) = self.is_over() {
            return status;
        }
        let position = self.monitor.position();
        // What is called takes one pointer and returns one byte: what was just written in pieces
        // and is then copied whole makes the processor wait.
        self.time = time;
        let stepped = catch_unwind(AssertUnwindSafe(|| self.take_state()));
        self.given.clear();
        match stepped {
            Ok(Stepped::AsBefore) => Status::Ok,
            Ok(Stepped::Changed) => {
                self.tell_changes(position);
                Status::Ok
            }
            Ok(Stepped::Refused) => Status::Refused,
            Err(_) => self.broken(),
        }
    }

    /// Takes the state that was given.
    fn take_state(&mut self) -> Stepped {
        match self.monitor.step_values(self.given.values(), self.time) {
            Ok([]) => Stepped::AsBefore,
            Ok(_) => Stepped::Changed,
            Err(error) => {
                self.error = for_c(&error.to_string());
                Stepped::Refused
            }
        }
    }

    pub(crate) fn end(&mut self) -> Status {
        if let Some(status) = self.is_over() {
            return status;
        }
        self.life = Life::Ended;
        self.given.clear();
        self.tell_changes(self.monitor.position());
        let unseen = self.monitor.unseen().next().map(str::to_owned);
        match unseen {
            Some(name) => self.failed(Status::NeverSet, &format!("no state has set `{name}`, which the spec needs")),
            None => Status::Ok,
        }
    }

    /// Tells the verdicts that are others than before.
    fn tell_changes(&mut self, position: u64) {
        for id in self.monitor.property_ids().collect::<Vec<_>>() {
            let verdict = self.verdict_now(id);
            let index = id.index();
            if std::mem::replace(&mut self.verdicts[index], verdict) != verdict
                && let Some((callback, context)) = self.callback
            {
                let is_final = matches!(verdict, Verdict::Satisfied | Verdict::Violated);
                let name = self.properties[index].as_ptr();
                let change =
                    VerdictChange { property: index, name, verdict, is_final: c_int::from(is_final), position };
                // SAFETY: whoever gave the callback and its context answers for them.
                unsafe { callback(context, &raw const change) };
            }
        }
    }

    fn verdict_now(&self, id: PropertyId) -> Verdict {
        let followed = self.monitor.property(id);
        match (followed.gave_up, followed.verdict, self.life) {
            (Some(_), ..) => Verdict::Unknown,
            // A value within its error of the bound decides nothing.
            (None, _, Life::Ended) if self.monitor.doubt(id).is_some() => Verdict::Unknown,
            (None, traceward::Verdict::Pending, Life::Ended) => Verdict::Violated,
            (None, traceward::Verdict::Holding, Life::Ended) => Verdict::Satisfied,
            (None, verdict, _) => verdict.into(),
        }
    }

    pub(crate) fn states(&self) -> u64 {
        self.monitor.position()
    }

    pub(crate) fn property_count(&self) -> usize {
        self.properties.len()
    }

    pub(crate) fn property_name(&self, property: usize) -> *const c_char {
        name_at(&self.properties, property)
    }

    pub(crate) fn verdict(&self, property: usize) -> Verdict {
        self.verdicts.get(property).copied().unwrap_or(Verdict::Unknown)
    }

    pub(crate) fn violated_count(&self) -> usize {
        self.verdicts.iter().filter(|verdict| **verdict == Verdict::Violated).count()
    }

    pub(crate) fn vacuous(&mut self, property: usize) -> *const c_char {
        let id = self.monitor.property_ids().nth(property);
        match id.and_then(|id| self.monitor.vacuous(id)) {
            Some(trigger) => {
                self.vacuous = for_c(trigger);
                self.vacuous.as_ptr()
            }
            None => ptr::null(),
        }
    }

    pub(crate) fn on_verdict(&mut self, callback: Option<VerdictCallback>, context: *mut c_void) -> Status {
        self.callback = callback.map(|callback| (callback, context));
        Status::Ok
    }

    pub(crate) fn query_count(&self) -> usize {
        self.queries.len()
    }

    pub(crate) fn query_name(&self, query: usize) -> *const c_char {
        name_at(&self.queries, query)
    }

    pub(crate) fn query_json(&mut self, query: usize) -> *mut c_char {
        let ended = self.life == Life::Ended;
        let monitor = &self.monitor;
        let json = guarded(|| {
            let known = if ended {
                monitor.queries_at_end().nth(query).map(|query| query.known)
            } else {
                monitor.queries().nth(query).map(|query| query.known)
            };
            match known {
                None => Err(format!("there is no query {query}")),
                Some(Known::Value { value, .. }) => {
                    let value = traceward_wire::Value::from(value.as_ref());
                    serde_json::to_string(&value).map_err(|error| error.to_string())
                }
                Some(Known::Failed(message)) => Err(message),
                Some(Known::GaveUp(gave_up)) => Err(gave_up.to_string()),
            }
        });
        match json {
            Ok(json) => owned(&json),
            Err(message) => {
                self.failed(Status::Misuse, &message);
                ptr::null_mut()
            }
        }
    }

    pub(crate) fn error(&self) -> *const c_char {
        self.error.as_ptr()
    }

    /// The status of a call that comes too late.
    #[inline]
    fn is_over(&mut self) -> Option<Status> {
        match self.life {
            Life::Running => None,
            Life::Ended => Some(self.misuse("the trace has ended")),
            Life::Broken => Some(Status::Defect),
        }
    }

    fn misuse(&mut self, message: &str) -> Status {
        self.failed(Status::Misuse, message)
    }

    fn failed(&mut self, status: Status, message: &str) -> Status {
        self.error = for_c(message);
        status
    }

    fn broken(&mut self) -> Status {
        self.life = Life::Broken;
        self.failed(Status::Defect, "a defect of the library: it panicked; please report it")
    }
}

fn name_at(names: &[CString], index: usize) -> *const c_char {
    names.get(index).map_or(ptr::null(), |name| name.as_ptr())
}
