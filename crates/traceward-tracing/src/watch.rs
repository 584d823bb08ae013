//! The end that knows the verdicts.

use crate::layer::Layer;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use traceward::{Config, Error, Goal, Monitor, PropertyId, Settings, Source, Spec, State, StepError, Verdict};

/// A violation that was noticed while the program ran.
#[derive(Clone, PartialEq, Debug)]
pub struct Noticed {
    /// The name of the property.
    pub property: String,
    /// The verdict, which no later state can change.
    pub verdict: Verdict,
    /// The position of the state that brought it, in its trace.
    pub position: u64,
    /// The number of the trace, counted from 1, if each span is one.
    pub trace: Option<u64>,
    /// The state that brought it.
    pub state: State,
}

impl fmt::Display for Noticed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { property, verdict, position, trace, state } = self;
        write!(f, "property {property} is {verdict} at state {position}")?;
        if let Some(trace) = trace {
            write!(f, " of span {trace}")?;
        }
        write!(f, ": {state}")
    }
}

/// What came of a property.
#[derive(Clone, PartialEq, Debug)]
pub struct PropertyOutcome {
    /// The name of the property.
    pub name: String,
    /// The verdict; none if it could not be found out. Of many traces, the worst.
    pub verdict: Option<Verdict>,
    /// The number of traces in which it is violated.
    pub violated: u64,
    /// The trigger that no state has met, if the property is satisfied only because of that in all
    /// traces.
    pub vacuous: Option<String>,
}

/// What came of everything.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The properties, in the spec's order.
    pub properties: Vec<PropertyOutcome>,
    /// The number of traces.
    pub traces: u64,
    /// The number of spans that were still open: nothing is said of their traces.
    pub open: u64,
    /// The number of states.
    pub states: u64,
    /// The number of states that were refused, and why the first one was.
    pub refused: Option<(u64, StepError)>,
    /// Variables that the spec needs and no state has spoken of: verdicts without them mean little.
    pub unseen: Vec<String>,
}

impl Outcome {
    /// Whether everything that was asked could be answered, and holds.
    pub fn is_satisfied(&self) -> bool {
        let satisfied = |property: &PropertyOutcome| property.verdict == Some(Verdict::Satisfied);
        self.properties.iter().all(satisfied)
            && self.refused.is_none()
            && self.unseen.is_empty()
            && self.states > 0
            && self.open == 0
    }
}

type OnNotice = Box<dyn Fn(&Noticed) + Send + Sync>;

/// What a layer and its watch are made of.
pub struct Builder {
    spec: Spec,
    config: Config,
    each_span: Option<String>,
    on_notice: OnNotice,
}

impl Builder {
    /// The layer and the watch of a spec.
    pub fn new(spec: &str) -> Result<Self, Error> {
        let settings = Settings { event: Some("event".to_owned()), ..Settings::default() };
        let sources = vec![Source::new("spec", spec, Goal::Check)];
        let spec = Spec::parse_with(sources, settings).map_err(Error::Spec)?;
        Ok(Self { spec, config: Config::default(), each_span: None, on_notice: Box::new(to_stderr) })
    }

    /// Makes each span of this name a trace of its own, from its opening to its close. What is
    /// logged outside of such spans is no state.
    #[must_use]
    pub fn each_span(mut self, name: &str) -> Self {
        self.each_span = Some(name.to_owned());
        self
    }

    /// Follows properties with a certain engine and certain limits.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Tells violations to somebody else than standard error. Nothing is locked meanwhile: whoever
    /// is told may log.
    #[must_use]
    pub fn on_notice(mut self, tell: impl Fn(&Noticed) + Send + Sync + 'static) -> Self {
        self.on_notice = Box::new(tell);
        self
    }

    /// The layer, and its watch.
    pub fn build(self) -> Result<(Layer, Watch), Error> {
        let fresh = Monitor::with_config(&self.spec, self.config)?;
        let tally = Tally::new(&fresh, self.each_span.is_none());
        let shared = Arc::new(Shared {
            is_timed: self.spec.settings().time.is_some(),
            whole: Trace { number: None, monitor: Mutex::new(fresh.clone()) },
            fresh,
            each_span: self.each_span,
            on_notice: self.on_notice,
            began: Instant::now(),
            tally: Mutex::new(tally),
        });
        Ok((Layer { shared: shared.clone() }, Watch { shared }))
    }
}

#[allow(clippy::print_stderr, reason = "whoever does not want it has `Builder::on_notice`")]
fn to_stderr(noticed: &Noticed) {
    eprintln!("traceward: {noticed}");
}

/// What layer and watch share.
pub(crate) struct Shared {
    /// A monitor that has seen no state.
    fresh: Monitor,
    /// The trace of all states, if spans have none of their own.
    whole: Trace,
    each_span: Option<String>,
    on_notice: OnNotice,
    is_timed: bool,
    began: Instant,
    tally: Mutex<Tally>,
}

/// The trace of a span.
pub(crate) type SpanTrace = Arc<Trace>;

pub(crate) struct Trace {
    number: Option<u64>,
    monitor: Mutex<Monitor>,
}

/// What is known of all traces together.
struct Tally {
    traces: u64,
    ended: u64,
    states: u64,
    refused: Option<(u64, StepError)>,
    /// For each variable that is needed whether a state has spoken of it.
    unseen: Vec<String>,
    properties: Vec<PropertyTally>,
}

struct PropertyTally {
    name: String,
    violated: u64,
    satisfied: u64,
    unknown: u64,
    /// Whether the trigger was met in some trace, and what it is.
    was_met: bool,
    trigger: Option<String>,
}

impl Tally {
    fn new(monitor: &Monitor, is_one: bool) -> Self {
        let property = |name: &str| PropertyTally {
            name: name.to_owned(),
            violated: 0,
            satisfied: 0,
            unknown: 0,
            was_met: false,
            trigger: None,
        };
        Self {
            traces: u64::from(is_one),
            ended: 0,
            states: 0,
            refused: None,
            unseen: monitor.unseen().map(str::to_owned).collect(),
            properties: monitor.properties().map(|one| property(one.name)).collect(),
        }
    }

    /// Adds what came of a trace that has ended.
    fn add(&mut self, monitor: &Monitor) {
        self.ended += 1;
        let unseen: Vec<&str> = monitor.unseen().collect();
        self.unseen.retain(|name| unseen.contains(&name.as_str()));
        let ended = monitor.end();
        for ((id, verdict), tally) in monitor.property_ids().zip(ended).zip(&mut self.properties) {
            let is_unknown = monitor.property(id).gave_up.is_some() || monitor.doubt(id).is_some();
            match verdict {
                _ if is_unknown => tally.unknown += 1,
                Verdict::Satisfied | Verdict::Holding => tally.satisfied += 1,
                Verdict::Violated | Verdict::Pending => tally.violated += 1,
            }
            match monitor.vacuous(id) {
                Some(trigger) => tally.trigger = Some(trigger.to_owned()),
                None => tally.was_met = true,
            }
        }
    }
}

impl PropertyTally {
    fn outcome(&self) -> PropertyOutcome {
        let verdict = match (self.violated, self.unknown) {
            (1.., _) => Some(Verdict::Violated),
            (0, 1..) => None,
            (0, 0) => Some(Verdict::Satisfied),
        };
        let vacuous = self.trigger.clone().filter(|_| !self.was_met && verdict == Some(Verdict::Satisfied));
        PropertyOutcome { name: self.name.clone(), verdict, violated: self.violated, vacuous }
    }
}

/// What somebody who panicked has left is still what it was: states are taken whole or not at all.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn is_by_span(&self) -> bool {
        self.each_span.is_some()
    }

    /// The trace of a span that opens, if it has one of its own.
    pub(crate) fn begun(&self, span: &str) -> Option<SpanTrace> {
        if self.each_span.as_deref() != Some(span) {
            return None;
        }
        let mut tally = locked(&self.tally);
        tally.traces += 1;
        Some(Arc::new(Trace { number: Some(tally.traces), monitor: Mutex::new(self.fresh.clone()) }))
    }

    /// The trace of a span has ended.
    pub(crate) fn ended(&self, trace: SpanTrace) {
        let noticed = {
            let monitor = locked(&trace.monitor);
            locked(&self.tally).add(&monitor);
            self.violated_at_end(&monitor, trace.number)
        };
        noticed.iter().for_each(|noticed| (self.on_notice)(noticed));
    }

    fn violated_at_end(&self, monitor: &Monitor, trace: Option<u64>) -> Vec<Noticed> {
        let is_owed = |id: &PropertyId| {
            let followed = monitor.property(*id);
            followed.verdict == Verdict::Pending && followed.gave_up.is_none()
        };
        let noticed = |id| Noticed {
            property: monitor.property(id).name.to_owned(),
            verdict: Verdict::Violated,
            position: monitor.position(),
            trace,
            state: State::new().with("event", "end of the trace"),
        };
        monitor.property_ids().filter(is_owed).map(noticed).collect()
    }

    /// Takes the next state of a trace; without one, of the trace of all states.
    pub(crate) fn step(&self, trace: Option<&Trace>, state: State) {
        let trace = trace.unwrap_or(&self.whole);
        let mut noticed = Vec::new();
        {
            let mut monitor = locked(&trace.monitor);
            // The time is taken under the lock, so that it does not go back from state to state.
            let nanoseconds = i64::try_from(self.began.elapsed().as_nanos()).unwrap_or(i64::MAX);
            let state = if self.is_timed { state.at(nanoseconds) } else { state };
            let position = monitor.position();
            let changed = monitor.step(&state).map(<[PropertyId]>::to_vec);
            let mut tally = locked(&self.tally);
            match changed {
                Ok(changed) => {
                    tally.states += 1;
                    let followed = changed.into_iter().map(|id| monitor.property(id)).filter(|one| one.is_final());
                    noticed.extend(followed.map(|one| Noticed {
                        property: one.name.to_owned(),
                        verdict: one.verdict,
                        position,
                        trace: trace.number,
                        state: state.clone(),
                    }));
                }
                Err(error) => match &mut tally.refused {
                    Some((count, _)) => *count += 1,
                    None => tally.refused = Some((1, error)),
                },
            }
        }
        // Nothing is locked any more.
        noticed.iter().filter(|one| one.verdict == Verdict::Violated).for_each(|one| (self.on_notice)(one));
    }
}

/// Knows the verdicts on what a layer has seen.
pub struct Watch {
    shared: Arc<Shared>,
}

impl Watch {
    /// Takes a state that the program tells itself, in the trace of all states.
    pub fn step(&self, state: State) {
        self.shared.step(None, state);
    }

    /// The verdicts on the trace of all states, the trace being about to go on.
    pub fn verdicts(&self) -> Vec<Verdict> {
        locked(&self.shared.whole.monitor).verdicts()
    }

    /// Ends the trace of all states, and tells what came of everything.
    pub fn end(self) -> Outcome {
        let shared = &self.shared;
        if !shared.is_by_span() {
            locked(&shared.tally).add(&locked(&shared.whole.monitor));
        }
        let tally = locked(&shared.tally);
        Outcome {
            properties: tally.properties.iter().map(PropertyTally::outcome).collect(),
            traces: tally.traces,
            open: tally.traces - tally.ended,
            states: tally.states,
            refused: tally.refused.clone(),
            unseen: tally.unseen.clone(),
        }
    }
}
