//! The keys a trace is split by.

use crate::dictionary::{Dictionary, Texts};
use std::ops::Range;
use std::sync::Arc;

/// The traces of a trace that is split by key, in order of first appearance.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keys {
    /// The key of each trace.
    keys: Vec<Arc<str>>,
    /// The number of each trace among those of its key, if some key has several.
    numbers: Option<Vec<u32>>,
    /// The positions of all states, trace by trace.
    positions: Vec<u32>,
    /// Where the positions of each trace begin, and where the last ones end.
    starts: Vec<u32>,
}

/// A key and its states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyGroup<'a> {
    /// The key's text.
    pub key: &'a Arc<str>,
    /// The number of the trace among those of its key, counted from 1: a key has several where
    /// something marks their ends.
    pub number: u32,
    /// The positions of its states in the whole trace, ascending; there is one.
    pub positions: &'a [u32],
}

impl Keys {
    /// The number of traces.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no trace.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// A trace by its place.
    pub fn group(&self, index: usize) -> KeyGroup<'_> {
        let number = self.numbers.as_ref().map_or(1, |numbers| numbers[index]);
        KeyGroup { key: &self.keys[index], number, positions: self.positions(index..index + 1) }
    }

    /// All traces.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = KeyGroup<'_>> {
        (0..self.len()).map(|index| self.group(index))
    }

    /// The positions of the states of some traces, trace by trace.
    pub fn positions(&self, traces: Range<usize>) -> &[u32] {
        &self.positions[self.start(traces.start)..self.start(traces.end)]
    }

    /// The number of states in all traces before one.
    pub fn start(&self, trace: usize) -> usize {
        self.starts.get(trace).map_or(0, |start| *start as usize)
    }
}

/// Collects [`Keys`] state by state.
#[derive(Debug, Default)]
pub(crate) struct KeysBuilder {
    dictionary: Dictionary,
    /// The trace of each state.
    traces: Vec<u32>,
    /// The last state of each trace.
    last: Vec<Option<Last>>,
    /// Which traces a key has, if some key has several; else there is one for each key.
    several: Option<SeveralTraces>,
    /// The trace of the latest state, and its last state before that.
    latest: Option<(u32, Option<Last>)>,
}

/// A state comes before another that it should follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OutOfOrder;

/// A position, in as much memory as the number takes: there are never as many states as positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Last(std::num::NonZero<u32>);

impl Last {
    fn new(position: u32) -> Option<Self> {
        std::num::NonZero::new(!position).map(Self)
    }

    fn position(self) -> u32 {
        !self.0.get()
    }
}

/// The traces of keys that have several.
#[derive(Debug, Default)]
struct SeveralTraces {
    /// The key and the number of each trace.
    of: Vec<(u32, u32)>,
    /// For each key its last trace.
    current: Vec<u32>,
}

/// The trace of a key that a state belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Belongs {
    /// The key's last one, if it has one.
    ToLast,
    /// One that begins with it.
    ToNext,
}

impl KeysBuilder {
    /// Adds the next state of a key; returns the position of the one before it.
    #[inline]
    pub(crate) fn push(&mut self, key: &str, position: u32) -> Option<u32> {
        let trace = self.dictionary.intern(key);
        self.push_to_trace(trace, position)
    }

    #[inline]
    fn push_to_trace(&mut self, trace: u32, position: u32) -> Option<u32> {
        if trace as usize == self.last.len() {
            self.last.push(None);
        }
        let before = std::mem::replace(&mut self.last[trace as usize], Last::new(position));
        self.traces.push(trace);
        self.latest = Some((trace, before));
        before.map(Last::position)
    }

    /// Adds the next state of a key that may have several traces.
    pub(crate) fn push_to(&mut self, key: &str, position: u32, belongs: Belongs) {
        let code = self.dictionary.intern(key);
        let SeveralTraces { of, current } = self.several.get_or_insert_default();
        let is_new = code as usize == current.len();
        if is_new {
            current.push(0);
        }
        if is_new || belongs == Belongs::ToNext {
            let number = if is_new { 1 } else { of[current[code as usize] as usize].1 + 1 };
            current[code as usize] = of.len() as u32;
            of.push((code, number));
        }
        let trace = current[code as usize];
        self.push_to_trace(trace, position);
    }

    /// Adds the states of a piece of the input, from a position on. `take` gets the position of the
    /// state before each in its key, and whether it is in order; if one is not, nothing is added.
    pub(crate) fn append(
        &mut self,
        piece: &Texts,
        mut take: impl FnMut(Option<u32>) -> Result<(), OutOfOrder>,
    ) -> Result<(), OutOfOrder> {
        let (len, keys) = (self.traces.len(), self.last.len());
        let traces = &mut self.traces;
        piece.number(&mut self.dictionary, |trace| traces.push(trace));
        let mut before: Vec<Option<Last>> = Vec::with_capacity(self.traces.len() - len);
        let mut taken = Ok(());
        for position in len..self.traces.len() {
            let trace = self.traces[position] as usize;
            if trace == self.last.len() {
                self.last.push(None);
            }
            let last = std::mem::replace(&mut self.last[trace], Last::new(position as u32));
            before.push(last);
            taken = take(last.map(Last::position));
            if taken.is_err() {
                break;
            }
        }
        if taken.is_err() {
            for (position, last) in (len..).zip(before).collect::<Vec<_>>().into_iter().rev() {
                self.last[self.traces[position] as usize] = last;
            }
            self.traces.truncate(len);
            self.last.truncate(keys);
        }
        self.latest = None;
        taken
    }

    /// Forgets the latest state if it is at this position: its record has turned out to be none.
    pub(crate) fn truncate(&mut self, len: u32) {
        if self.traces.len() > len as usize
            && let Some((trace, before)) = self.latest.take()
        {
            self.traces.pop();
            self.last[trace as usize] = before;
        }
    }

    /// The key of each state by its number, and the keys.
    pub(crate) fn into_codes(self) -> (Vec<u32>, Dictionary) {
        (self.traces, self.dictionary)
    }

    /// The memory that the states take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        // Once for each state, and again when they are sorted by key.
        self.traces.len() * 2 * size_of::<u32>()
    }

    /// The keys that have a state.
    pub(crate) fn finish(mut self) -> Keys {
        // A key whose only record was none is the last one that came.
        while self.last.last() == Some(&None) {
            self.last.pop();
        }
        let texts = self.dictionary.into_texts();
        let count = self.last.len();
        let (keys, numbers) = match &self.several {
            Some(SeveralTraces { of, .. }) => {
                let key = |&(key, _): &(u32, u32)| texts[key as usize].clone();
                (of[..count].iter().map(key).collect(), Some(of[..count].iter().map(|(_, number)| *number).collect()))
            }
            None => (texts.into_iter().take(count).collect(), None),
        };
        let (positions, starts) = by_trace(&self.traces, count);
        Keys { keys, numbers, positions, starts }
    }
}

/// Positions sorted by trace, and where those of each trace begin.
fn by_trace(traces: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; count + 1];
    traces.iter().for_each(|&trace| starts[trace as usize + 1] += 1);
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let mut positions = vec![0; traces.len()];
    for (position, &trace) in (0..).zip(traces) {
        let place = &mut next[trace as usize];
        positions[*place as usize] = position;
        *place += 1;
    }
    (positions, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(keys: &Keys) -> Vec<(&str, u32, &[u32])> {
        keys.groups().map(|group| (&**group.key, group.number, group.positions)).collect()
    }

    #[test]
    fn keys_keep_their_order_and_know_their_last_state() {
        let mut keys = KeysBuilder::default();
        let previous: Vec<_> = ["b", "a", "b", "b", "a"].iter().zip(0..).map(|(key, at)| keys.push(key, at)).collect();
        assert_eq!(previous, [None, None, Some(0), Some(2), Some(1)]);
        let keys = keys.finish();
        assert_eq!(shown(&keys), [("b", 1, &[0, 2, 3][..]), ("a", 1, &[1, 4][..])]);
        assert_eq!(keys.positions(0..2), [0, 2, 3, 1, 4]);
    }

    #[test]
    fn a_state_that_was_none_is_forgotten() {
        let mut keys = KeysBuilder::default();
        keys.push("a", 0);
        keys.push("a", 1);
        keys.truncate(1);
        assert_eq!(keys.push("a", 1), Some(0));
        keys.push("b", 2);
        keys.truncate(2);
        assert_eq!(shown(&keys.finish()), [("a", 1, &[0, 1][..])]);
    }

    #[test]
    fn a_key_has_several_traces() {
        let mut keys = KeysBuilder::default();
        for (at, (key, belongs)) in
            [("a", Belongs::ToLast), ("b", Belongs::ToLast), ("a", Belongs::ToNext), ("b", Belongs::ToLast)]
                .into_iter()
                .enumerate()
        {
            keys.push_to(key, at as u32, belongs);
        }
        assert_eq!(shown(&keys.finish()), [("a", 1, &[0][..]), ("b", 1, &[1, 3][..]), ("a", 2, &[2][..])]);
    }

    #[test]
    fn no_states_have_no_keys() {
        let keys = KeysBuilder::default().finish();
        assert!(keys.is_empty() && keys.positions(0..0).is_empty());
        assert_eq!(keys.start(0), 0);
    }
}
