//! Takes states and has them judged: by monitors of its own, or by whoever they are sent to.

use crate::channel::{Answer, Channel, Sent};
use crate::interface::{Frame, Thread};
use crate::machine::Jvm;
use crate::options::{OnViolation, Options};
use crate::report::{Report, VIOLATED, counted, exit_now};
use crate::tally::Tally;
use crate::trace::{Run, Subject, Trace};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;
use traceward::{Monitor, PropertyId, Value, VariableId, Verdict};

/// The frames of a stack that are shown.
const MOST_FRAMES: usize = 32;
/// The states that are told to have been refused, one by one.
const MOST_REFUSED: u64 = 5;
/// The places whose texts are kept.
const MOST_PLACES: usize = 65_536;

/// Where the program is while a callback runs.
#[derive(Clone, Copy)]
pub(crate) struct Here {
    pub(crate) jvm: Jvm,
    /// None when the program has ended.
    pub(crate) thread: Option<Thread>,
    /// The innermost frame.
    pub(crate) frame: Option<Frame>,
}

/// What has made a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// The values are those before the first write.
    Initial,
    /// The constructor of the object has returned.
    Constructed,
    /// A watched field was written, which has this place in the state.
    Write(usize),
    /// A method was called or left.
    Event,
    /// The trace ends, and no state has had its last values yet.
    End,
}

pub(crate) struct Follower {
    /// The values of all fields that were found; those of an object only while its trace steps.
    pub(crate) state: Vec<(VariableId, Value)>,
    names: Vec<Arc<str>>,
    /// The places in the state that belong to the object.
    own: Vec<usize>,
    pub(crate) event: Option<usize>,
    /// The number of writes to statics so far.
    pub(crate) statics_written: u64,
    output: Output,
    pub(crate) report: Report,
    pub(crate) tally: Tally,
    on_violation: OnViolation,
    /// When the program started, if somebody wants to know the time.
    clock: Option<Instant>,
    refused: u64,
    pub(crate) states: u64,
    places: FxHashMap<Frame, (String, String)>,
}

/// Who judges.
pub(crate) enum Output {
    /// A monitor that has seen no state.
    Judge(Box<Monitor>),
    Send(Channel),
    /// Whoever judged is gone, which has been said.
    Gone,
}

impl Follower {
    pub(crate) fn new(output: Output, is_timed: bool, options: &Options, report: Report) -> Self {
        let (is_timed, tally) = match &output {
            Output::Judge(monitor) => (is_timed, Tally::new(monitor, options.violations)),
            Output::Send(_) | Output::Gone => (true, Tally::default()),
        };
        Self {
            state: Vec::new(),
            names: Vec::new(),
            own: Vec::new(),
            event: None,
            statics_written: 0,
            tally,
            output,
            report,
            on_violation: options.on_violation,
            clock: is_timed.then(Instant::now),
            refused: 0,
            states: 0,
            places: FxHashMap::default(),
        }
    }

    /// A place in the state for a variable of all traces.
    pub(crate) fn add_shared(&mut self, name: &Arc<str>, variable: VariableId) -> usize {
        self.state.push((variable, Value::Missing));
        self.names.push(name.clone());
        self.state.len() - 1
    }

    /// A place in the state for a variable of objects.
    pub(crate) fn add_own(&mut self, name: &Arc<str>, variable: VariableId) -> usize {
        let place = self.add_shared(name, variable);
        self.own.push(place);
        place
    }

    /// Sets the value of a field of an object.
    #[inline]
    pub(crate) fn set_own(&self, trace: &mut Trace, place: usize, value: Value) {
        if let Some(index) = self.own.iter().position(|own| *own == place) {
            trace.own[index] = value;
        }
    }

    pub(crate) fn name(&self, place: usize) -> &str {
        &self.names[place]
    }

    pub(crate) fn sends_to_observer(&self) -> bool {
        matches!(&self.output, Output::Send(channel) if !channel.is_file())
    }

    pub(crate) fn has_queries(&self) -> bool {
        matches!(&self.output, Output::Judge(monitor) if monitor.has_queries())
    }

    /// The trace takes a state: the values as they are now.
    #[inline]
    pub(crate) fn step(&mut self, trace: &mut Trace, cause: Cause, here: &Here) {
        self.exchange(trace);
        match &self.output {
            Output::Judge(_) => self.judge(trace, cause, here),
            Output::Send(_) => self.send(trace, here),
            Output::Gone => {}
        }
        self.exchange(trace);
        trace.statics_seen = self.statics_written;
        self.states += 1;
    }

    /// The object's values change places with those in the state.
    #[inline]
    fn exchange(&mut self, trace: &mut Trace) {
        for (&place, value) in self.own.iter().zip(&mut trace.own) {
            std::mem::swap(&mut self.state[place].1, value);
        }
    }

    fn time(&self) -> Option<i64> {
        self.clock.map(|start| i64::try_from(start.elapsed().as_nanos()).unwrap_or(i64::MAX))
    }

    #[inline]
    fn judge(&mut self, trace: &mut Trace, cause: Cause, here: &Here) {
        let time = self.time();
        if let (Output::Judge(fresh), Run::NotBegun) = (&self.output, &trace.run) {
            trace.run = Run::Judged(fresh.clone());
        }
        let Run::Judged(monitor) = &mut trace.run else { return };
        let changed: Vec<PropertyId> = match monitor.step_values(&self.state, time) {
            Ok([]) => return,
            Ok(changed) => changed.to_vec(),
            Err(error) => {
                let message = error.to_string();
                return self.refuse(&trace.subject, &message, cause, here);
            }
        };
        for id in changed {
            let property = monitor.property(id);
            if property.verdict == Verdict::Violated && property.is_final() {
                let values = property.decided_by.map(|state| state.values.clone()).unwrap_or_default();
                let (name, formula) = (property.name.to_owned(), property.formula.to_owned());
                let position = property.decided_at.unwrap_or_default();
                let head = match &trace.subject {
                    Subject::Statics => format!("{name} is violated at state {position}: {formula}"),
                    object => format!("{name} is violated for {object} at its state {position}: {formula}"),
                };
                self.violated(id, &head, &values, cause, here);
            }
        }
    }

    fn violated(&mut self, id: PropertyId, head: &str, values: &[(Arc<str>, Value)], cause: Cause, here: &Here) {
        self.report.violated();
        if self.tally.is_told(id) {
            let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let values = if values.is_empty() { String::new() } else { format!("\n{}", values.join(", ")) };
            let text = format!("{head}{values}\n{}{}", self.cause_text(cause), stack_text(here));
            self.report.say(&text);
        }
        if self.on_violation == OnViolation::Stop {
            self.report.say("stopped at the first violation");
            exit_now(VIOLATED);
        }
    }

    fn cause_text(&self, cause: Cause) -> String {
        match cause {
            Cause::Initial => "in the initial state, before the write or event".to_owned(),
            Cause::Constructed => "as the constructor has left it".to_owned(),
            Cause::Write(place) => format!("by the write to {}", self.name(place)),
            Cause::Event => {
                let event = self.event.map(|place| self.state[place].1.to_string()).unwrap_or_default();
                format!("at {event}")
            }
            Cause::End => "with the last values, which were written while a class was initialised".to_owned(),
        }
    }

    /// A state was refused: it has not happened, and there is no answer for the whole trace.
    fn refuse(&mut self, subject: &Subject, message: &str, cause: Cause, here: &Here) {
        self.refused += 1;
        if self.refused <= MOST_REFUSED {
            let (cause, stack) = (self.cause_text(cause), stack_text(here));
            self.report.problem(&format!("a state of {subject} was refused: {message}\n{cause}{stack}"));
        }
    }

    // ---- states that are sent ----

    fn send(&mut self, trace: &mut Trace, here: &Here) {
        let nanoseconds = self.time().unwrap_or_default();
        let (at, inside) = self.place(here);
        let Output::Send(channel) = &mut self.output else { return };
        let object = match &trace.subject {
            Subject::Statics => None,
            object => Some(object.to_string()),
        };
        let word = if self.states == 0 { "init" } else { "next" };
        let sent = Sent { nanoseconds, at: at.as_deref(), inside: inside.as_deref(), object: object.as_deref() };
        let last: &[Value] = if let Run::Sent(last) = &trace.run { last } else { &[] };
        let named = self.names.iter().zip(&self.state).enumerate();
        let event = self.event;
        let changed = named.filter(|(place, (_, (_, value)))| match last.get(*place) {
            // An event is that of its state alone.
            _ if event == Some(*place) => !value.is_missing(),
            Some(before) => before != value,
            None => true,
        });
        match channel.send(word, &sent, changed.map(|(_, (name, (_, value)))| (&**name, value))) {
            Ok(Answer::GoOn) => {}
            Ok(Answer::Stop(name)) => {
                let text = format!("{name} is violated, says the observer{}", stack_text(here));
                self.report.say(&text);
                self.report.say("stopped at the first violation");
                exit_now(VIOLATED);
            }
            Err(error) => {
                self.output = Output::Gone;
                self.report
                    .problem(&format!("the observer is gone: {error}; the program goes on, and nobody watches it"));
            }
        }
        trace.run = Run::Sent(self.state.iter().map(|(_, value)| value.clone()).collect());
    }

    /// The place in the source and the function, in the words of the protocol.
    fn place(&mut self, here: &Here) -> (Option<String>, Option<String>) {
        let Some(frame) = here.frame else { return (None, None) };
        if self.places.len() >= MOST_PLACES {
            self.places.clear();
        }
        let texts = || (here.jvm.place(frame), here.jvm.function(frame.method));
        let (at, inside) = self.places.entry(frame).or_insert_with(texts).clone();
        (Some(at), Some(inside))
    }

    // ---- the end ----

    /// A trace ends: its property's verdicts are counted.
    pub(crate) fn end(&mut self, trace: &Trace) {
        let Run::Judged(monitor) = &trace.run else { return };
        for (id, verdict) in monitor.property_ids().zip(monitor.end()) {
            let was_final = monitor.property(id).is_final();
            let is_unknown = monitor.property(id).gave_up.is_some() || monitor.doubt(id).is_some();
            if verdict == Verdict::Violated && !is_unknown {
                self.report.violated();
                if !was_final && self.tally.is_told(id) {
                    let property = monitor.property(id);
                    let end = match &trace.subject {
                        Subject::Statics => format!("{} is violated at the end: {}", property.name, property.formula),
                        object => format!("{} is violated at the end of {object}: {}", property.name, property.formula),
                    };
                    self.report.say(&end);
                }
            }
            self.tally.count(monitor, id, verdict, &trace.subject);
        }
    }

    /// The program has ended: what its traces came to.
    pub(crate) fn tell_verdicts(&mut self, trace: Option<&Trace>) {
        match &mut self.output {
            Output::Send(channel) => {
                if let Err(error) = channel.end() {
                    self.report.problem(&format!("the observer is gone: {error}"));
                }
                let count = counted(self.states, "state");
                return self.report.say(&format!("the program has ended, {count} sent"));
            }
            Output::Gone => return,
            Output::Judge(_) => {}
        }
        if self.refused > 0 {
            let refused = counted(self.refused, "state");
            self.report.problem(&format!("{refused} refused: what is said below is about the others"));
        }
        self.report.say(&format!("the program has ended after {}", counted(self.states, "state")));
        let unanswered = self.tally.tell(&mut self.report, trace.map(|trace| &trace.subject));
        unanswered.iter().for_each(|reason| self.report.problem(reason));
        if let Some(Trace { run: Run::Judged(monitor), .. }) = trace {
            for warning in monitor.warnings().iter().filter(|warning| warning.is_urgent) {
                self.report.say(&format!("note: {}", warning.kind));
            }
            for query in monitor.queries_at_end() {
                self.report.say(&format!("{} = {}", query.name, known_text(&query.known)));
            }
        }
    }
}

fn known_text(known: &traceward::Known) -> String {
    match known {
        traceward::Known::Value { value: Some(value), .. } => value.to_string(),
        traceward::Known::Value { value: None, .. } => "none".to_owned(),
        traceward::Known::Failed(message) => format!("unknown: {message}"),
        traceward::Known::GaveUp(gave_up) => format!("unknown: {gave_up}"),
    }
}

/// The stack of the thread, a frame a line, as Java prints it.
pub(crate) fn stack_text(here: &Here) -> String {
    let Some(thread) = here.thread else { return String::new() };
    let frames = here.jvm.stack(thread, MOST_FRAMES);
    let line = |frame: &Frame| format!("\nat {}({})", here.jvm.function(frame.method), here.jvm.place(*frame));
    let mut text: String = frames.iter().map(line).collect();
    let depth = here.jvm.frame_count(thread).max(0) as usize;
    if depth > frames.len() {
        text += &format!("\n… {} more", depth - frames.len());
    }
    text
}
