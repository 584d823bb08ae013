//! The keys a trace is split by.

use crate::cell::Cell;
use crate::dictionary::{Dictionary, Kept, PlainNumber, Texts, Written};
use std::fmt;
use std::num::NonZero;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// A key that a trace is split by: a text.
///
/// Most keys are numbers, and there may be millions of them. Those are kept as numbers, since to
/// keep a text costs as much as to find out which key a state has.
///
/// ```
/// use traceward_trace::Key;
///
/// assert_eq!(Key::from("1042").to_string(), "1042");
/// assert_eq!(&*Key::from("order 7").text(), "order 7");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key(Name);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Name {
    Number(PlainNumber),
    Text(Arc<str>),
}

impl Key {
    /// The key's text.
    pub fn text(&self) -> Arc<str> {
        match &self.0 {
            Name::Number(number) => number.written().as_str().into(),
            Name::Text(text) => text.clone(),
        }
    }

    /// The key as it is written, without a text of its own.
    pub(crate) fn written(&self) -> WrittenKey<'_> {
        match &self.0 {
            Name::Number(number) => WrittenKey::Number(number.written()),
            Name::Text(text) => WrittenKey::Text(text),
        }
    }

    /// The key as a record has it.
    pub(crate) fn cell(&self) -> Cell<'_> {
        match &self.0 {
            Name::Number(number) => Cell::Int(number.int()),
            Name::Text(text) => Cell::Str(text),
        }
    }
}

/// The text of a key, wherever it is.
pub(crate) enum WrittenKey<'a> {
    Number(Written),
    Text(&'a str),
}

impl WrittenKey<'_> {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Number(number) => number.as_str(),
            Self::Text(text) => text,
        }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        match PlainNumber::of_text(text) {
            Some(number) => Self::of_number(number),
            None => Self::of_text(text),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.written().as_str())
    }
}

impl Kept for Key {
    fn of_text(text: &str) -> Self {
        Self(Name::Text(text.into()))
    }

    fn of_number(number: PlainNumber) -> Self {
        Self(Name::Number(number))
    }

    fn is(&self, text: &str) -> bool {
        self.written().as_str() == text
    }
}

/// The traces of a trace that is split by key, in order of first appearance.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keys {
    /// The key of each trace.
    keys: Vec<Key>,
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
    /// The key.
    pub key: &'a Key,
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
    dictionary: Dictionary<Key>,
    /// The trace of each state.
    traces: Vec<u32>,
    /// The last state of each trace, among as many states as have been looked at.
    last: Vec<Option<Last>>,
    looked_at: usize,
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
struct Last(NonZero<u32>);

impl Last {
    fn new(position: u32) -> Option<Self> {
        NonZero::new(!position).map(Self)
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
    /// Makes room for so many states, as far as there is memory: nobody knows whether they will
    /// come.
    pub(crate) fn expect(&mut self, states: usize) {
        let _ = self.traces.try_reserve_exact(states);
    }

    /// Adds the next state of a key; returns the position of the one before it.
    #[inline]
    pub(crate) fn push(&mut self, key: &str, position: u32) -> Option<u32> {
        let trace = self.dictionary.intern(key);
        self.push_to_trace(trace, position)
    }

    #[inline]
    fn push_to_trace(&mut self, trace: u32, position: u32) -> Option<u32> {
        self.catch_up();
        if trace as usize == self.last.len() {
            self.last.push(None);
        }
        let before = std::mem::replace(&mut self.last[trace as usize], Last::new(position));
        self.traces.push(trace);
        self.looked_at = self.traces.len();
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

    /// Looks at the states whose keys nobody has asked for the last state of.
    #[inline]
    fn catch_up(&mut self) {
        for position in self.looked_at..self.traces.len() {
            let trace = self.traces[position] as usize;
            if trace == self.last.len() {
                self.last.push(None);
            }
            self.last[trace] = Last::new(position as u32);
        }
        self.looked_at = self.traces.len();
    }

    /// Adds the states of a piece of the input, of which it is known that each follows the one
    /// before it in its key. Nothing but the keys has to be looked at: that is most of what many
    /// keys cost.
    pub(crate) fn append_in_order(&mut self, piece: &Texts) {
        self.traces.reserve(piece.len());
        let traces = &mut self.traces;
        piece.number(&mut self.dictionary, |trace| traces.push(trace));
        self.latest = None;
    }

    /// Adds the states of a piece of the input, from a position on. `take` gets the position of the
    /// state before each in its key, and whether it is in order; if one is not, nothing is added.
    pub(crate) fn append(
        &mut self,
        piece: &Texts,
        mut take: impl FnMut(Option<u32>) -> Result<(), OutOfOrder>,
    ) -> Result<(), OutOfOrder> {
        self.catch_up();
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
        self.looked_at = self.traces.len();
        self.latest = None;
        taken
    }

    /// Forgets the latest state if it is at this position: its record has turned out to be none.
    pub(crate) fn truncate(&mut self, len: u32) {
        if self.traces.len() > len as usize
            && let Some((trace, before)) = self.latest.take()
        {
            self.traces.pop();
            self.looked_at = self.traces.len();
            self.last[trace as usize] = before;
        }
    }

    /// The key of each state by its number, and the keys.
    pub(crate) fn into_codes(self) -> (Vec<u32>, Dictionary<Key>) {
        (self.traces, self.dictionary)
    }

    /// The memory that the states take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        // Once for each state, and again when they are sorted by key.
        self.traces.len() * 2 * size_of::<u32>()
    }

    /// The keys that have a state, sorted by so many threads.
    pub(crate) fn finish(self, threads: NonZero<usize>) -> Keys {
        let texts = self.dictionary.into_texts();
        // Keys are numbered as they came. One whose only record was none came last.
        let count = self.traces.iter().max().map_or(0, |&last| last as usize + 1);
        let (keys, numbers) = match &self.several {
            Some(SeveralTraces { of, .. }) => {
                let key = |&(key, _): &(u32, u32)| texts[key as usize].clone();
                (of[..count].iter().map(key).collect(), Some(of[..count].iter().map(|(_, number)| *number).collect()))
            }
            None => (texts.into_iter().take(count).collect(), None),
        };
        let (positions, starts) = by_trace(&self.traces, count, threads);
        Keys { keys, numbers, positions, starts }
    }
}

/// Positions sorted by trace, and where those of each trace begin.
///
/// Each thread takes some of the positions: it counts those of each trace, and then knows where its
/// own go. No two write to the same place, which atomic numbers let the compiler see.
fn by_trace(traces: &[u32], count: usize, threads: NonZero<usize>) -> (Vec<u32>, Vec<u32>) {
    let len = traces.len().div_ceil(threads.get()).max(LEAST_SORTED);
    let mut counts = side_by_side(traces.chunks(len).map(|chunk| move || counted(chunk, count)));
    let mut starts = vec![0_u32; count + 1];
    let mut sum = 0;
    for (trace, start) in starts.iter_mut().enumerate() {
        *start = sum;
        for count in &mut counts {
            let Some(count) = count.get_mut(trace) else { continue };
            sum += std::mem::replace(count, sum);
        }
    }
    // Zeros that nobody has touched: whoever puts a position there is the first.
    let positions: Vec<AtomicU32> = vec![0; traces.len()].into_iter().map(AtomicU32::new).collect();
    let chunks = (0..).step_by(len).zip(traces.chunks(len)).zip(counts);
    side_by_side(chunks.map(|((first, chunk), next)| {
        let positions = &positions;
        move || put(positions, first, chunk, next)
    }));
    (positions.into_iter().map(AtomicU32::into_inner).collect(), starts)
}

/// The fewest positions that are worth a thread.
const LEAST_SORTED: usize = 1 << 16;

/// The number of positions of each trace.
fn counted(traces: &[u32], count: usize) -> Vec<u32> {
    let mut counts = vec![0; count];
    traces.iter().for_each(|&trace| counts[trace as usize] += 1);
    counts
}

/// Puts positions from `first` on where those of their traces go next.
fn put(positions: &[AtomicU32], first: u32, traces: &[u32], mut next: Vec<u32>) {
    for (position, &trace) in (first..).zip(traces) {
        let place = &mut next[trace as usize];
        positions[*place as usize].store(position, Ordering::Relaxed);
        *place += 1;
    }
}

/// What jobs come to, the first done here and each other by a thread of its own.
#[expect(clippy::disallowed_methods, reason = "whoever calls has decided about threads, by `Pieces`")]
fn side_by_side<T: Send>(jobs: impl Iterator<Item = impl FnOnce() -> T + Send>) -> Vec<T> {
    let mut jobs = jobs;
    let Some(first) = jobs.next() else { return Vec::new() };
    thread::scope(|scope| {
        let others: Vec<_> = jobs.map(|job| scope.spawn(job)).collect();
        let done = std::iter::once(first());
        done.chain(others.into_iter().map(|other| other.join().expect("a thread that sorts does not panic"))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: NonZero<usize> = NonZero::<usize>::MIN;

    fn shown(keys: &Keys) -> Vec<(String, u32, &[u32])> {
        keys.groups().map(|group| (group.key.to_string(), group.number, group.positions)).collect()
    }

    /// What is expected to be shown.
    fn told<const N: usize>(keys: [(&'static str, u32, &'static [u32]); N]) -> Vec<(String, u32, &'static [u32])> {
        keys.map(|(key, number, positions)| (key.to_owned(), number, positions)).to_vec()
    }

    #[test]
    fn a_key_is_its_text() {
        for text in
            ["", "0", "7", "007", "-7", "1e3", "999999999999999", "1000000000000000", "18446744073709551616", "x"]
        {
            let key = Key::from(text);
            assert_eq!((key.to_string(), &*key.text()), (text.to_owned(), text));
            assert!(key.is(text) && !key.is("other"));
        }
        assert_eq!(size_of::<Key>(), 16);
    }

    #[test]
    fn keys_keep_their_order_and_know_their_last_state() {
        let mut keys = KeysBuilder::default();
        let previous: Vec<_> = ["b", "a", "b", "b", "a"].iter().zip(0..).map(|(key, at)| keys.push(key, at)).collect();
        assert_eq!(previous, [None, None, Some(0), Some(2), Some(1)]);
        let keys = keys.finish(ONE);
        assert_eq!(shown(&keys), told([("b", 1, &[0, 2, 3][..]), ("a", 1, &[1, 4][..])]));
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
        assert_eq!(shown(&keys.finish(ONE)), told([("a", 1, &[0, 1][..])]));
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
        assert_eq!(shown(&keys.finish(ONE)), told([("a", 1, &[0][..]), ("b", 1, &[1, 3][..]), ("a", 2, &[2][..])]));
    }

    #[test]
    fn no_states_have_no_keys() {
        let keys = KeysBuilder::default().finish(ONE);
        assert!(keys.is_empty() && keys.positions(0..0).is_empty());
        assert_eq!(keys.start(0), 0);
    }

    #[test]
    fn positions_are_sorted_alike_by_any_number_of_threads() {
        let traces: Vec<u32> = (0..300_000_u64).map(|at| (at * 2_654_435_761 % 10_007 % 977) as u32).collect();
        let (alone, starts) = by_trace(&traces, 977, ONE);
        let mut expected: Vec<u32> = (0..traces.len() as u32).collect();
        expected.sort_by_key(|&position| traces[position as usize]);
        assert_eq!(alone, expected);
        assert_eq!((starts[0], starts[977]), (0, 300_000));
        for threads in 2..6 {
            assert_eq!(by_trace(&traces, 977, NonZero::new(threads).unwrap()), (alone.clone(), starts.clone()));
        }
    }

    #[test]
    fn what_was_added_in_order_is_caught_up_with() {
        let piece = |keys: &[&str]| {
            let mut texts = Texts::default();
            keys.iter().for_each(|key| texts.push(key));
            texts
        };
        let mut keys = KeysBuilder::default();
        keys.push("a", 0);
        keys.append_in_order(&piece(&["b", "a", "c"]));
        assert_eq!((keys.push("a", 4), keys.push("c", 5)), (Some(2), Some(3)));
        keys.append_in_order(&piece(&["b", "d"]));
        let mut before = Vec::new();
        let taken = keys.append(&piece(&["d", "b", "e"]), |last| {
            before.push(last);
            if before.len() == 3 { Err(OutOfOrder) } else { Ok(()) }
        });
        assert_eq!((taken, &*before), (Err(OutOfOrder), &[Some(7), Some(6), None][..]));
        assert_eq!((keys.push("d", 8), keys.push("e", 9)), (Some(7), None));
        keys.truncate(9);
        let expected = [("a", 1, &[0, 2, 4][..]), ("b", 1, &[1, 6][..]), ("c", 1, &[3, 5][..]), ("d", 1, &[7, 8][..])];
        assert_eq!(shown(&keys.finish(ONE)), told(expected));
    }
}
