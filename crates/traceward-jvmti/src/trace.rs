//! Traces: that of the static fields, or that of an object.

use std::fmt;
use std::sync::Arc;
use traceward::{Monitor, Value};

/// A trace that is being made.
pub(crate) struct Trace {
    pub(crate) subject: Subject,
    /// The values of the object's own fields, in the order of the watched ones.
    pub(crate) own: Box<[Value]>,
    pub(crate) run: Run,
    /// The number of writes to statics that its last state has seen.
    pub(crate) statics_seen: u64,
    pub(crate) stage: Stage,
}

/// What has become of an object. Before it is what its class promises it is not judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    InConstructor,
    /// Its constructor has thrown, and nobody has written to it since.
    Failed,
    Made,
}

/// Whose trace it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Statics,
    Object { class: Arc<str>, number: u64 },
}

/// What has become of the states so far.
pub(crate) enum Run {
    /// There is none yet.
    NotBegun,
    Judged(Box<Monitor>),
    /// They were sent, the last one with these values.
    Sent(Vec<Value>),
}

impl Trace {
    pub(crate) fn new(subject: Subject, own: Box<[Value]>) -> Self {
        Self { subject, own, run: Run::NotBegun, statics_seen: 0, stage: Stage::Made }
    }

    pub(crate) fn has_begun(&self) -> bool {
        !matches!(self.run, Run::NotBegun)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Statics => f.write_str("the program"),
            Self::Object { class, number } => write!(f, "{class}#{number}"),
        }
    }
}

/// The traces of objects that live, by the tags that the machine keeps with them.
#[derive(Default)]
pub(crate) struct Objects {
    traces: Vec<Option<Trace>>,
    free: Vec<usize>,
    /// The number of objects so far.
    count: u64,
}

/// The tag of an object that is not followed.
pub(crate) const NOT_FOLLOWED: i64 = -1;

impl Objects {
    pub(crate) fn live(&self) -> usize {
        self.traces.len() - self.free.len()
    }

    /// The number of objects so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Takes an object, and returns its tag.
    pub(crate) fn add(&mut self, class: Arc<str>, own: Box<[Value]>) -> i64 {
        self.count += 1;
        let trace = Trace::new(Subject::Object { class, number: self.count }, own);
        let index = self.free.pop().unwrap_or_else(|| {
            self.traces.push(None);
            self.traces.len() - 1
        });
        self.traces[index] = Some(trace);
        index as i64 + 1
    }

    pub(crate) fn get(&mut self, tag: i64) -> Option<&mut Trace> {
        self.traces.get_mut(index(tag)?)?.as_mut()
    }

    /// Takes the trace of an object that is gone.
    pub(crate) fn remove(&mut self, tag: i64) -> Option<Trace> {
        let index = index(tag)?;
        let trace = self.traces.get_mut(index)?.take()?;
        self.free.push(index);
        Some(trace)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Trace> {
        self.traces.iter_mut().flatten()
    }

    /// All traces that are left, in the order in which their objects were met.
    pub(crate) fn take_all(&mut self) -> Vec<Trace> {
        self.free.clear();
        let mut traces: Vec<Trace> = std::mem::take(&mut self.traces).into_iter().flatten().collect();
        traces.sort_by_key(|trace| match trace.subject {
            Subject::Statics => 0,
            Subject::Object { number, .. } => number,
        });
        traces
    }
}

fn index(tag: i64) -> Option<usize> {
    usize::try_from(tag).ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_used_again_and_numbers_are_not() {
        let mut objects = Objects::default();
        let add = |objects: &mut Objects| objects.add("A".into(), Box::new([]));
        let tags: Vec<i64> = (0..3).map(|_| add(&mut objects)).collect();
        assert_eq!(tags, [1, 2, 3]);
        assert_eq!(objects.remove(2).unwrap().subject.to_string(), "A#2");
        assert!(objects.get(2).is_none() && objects.remove(2).is_none() && objects.get(NOT_FOLLOWED).is_none());
        assert_eq!(add(&mut objects), 2);
        assert_eq!((objects.live(), objects.count()), (3, 4));
        let order: Vec<String> = objects.take_all().iter().map(|trace| trace.subject.to_string()).collect();
        assert_eq!(order, ["A#1", "A#3", "A#4"]);
        assert_eq!(objects.live(), 0);
    }
}
