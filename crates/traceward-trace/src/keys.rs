//! The keys a trace is split by, and texts kept once.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The keys of a trace, in order of first appearance.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keys {
    /// One group a key.
    pub groups: Vec<KeyGroup>,
}

/// A key and its states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyGroup {
    /// The key's text.
    pub key: Arc<str>,
    /// The number of the trace among those of its key, counted from 1: a key has several where
    /// something marks their ends.
    pub number: u32,
    /// The positions of its states in the whole trace, ascending.
    pub positions: Vec<u32>,
}

/// Collects [`Keys`] state by state.
#[derive(Debug, Default)]
pub(crate) struct KeysBuilder {
    dictionary: Dictionary,
    positions: Vec<Vec<u32>>,
    /// The key and the number of each trace, if some key has several; else there is one for each
    /// key.
    traces: Option<Vec<(u32, u32)>>,
    /// For each key its last trace, if some key has several.
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
    pub(crate) fn push(&mut self, key: &str, position: u32) -> Option<u32> {
        let code = self.dictionary.intern(key) as usize;
        if code == self.positions.len() {
            self.positions.push(Vec::new());
        }
        let previous = self.positions[code].last().copied();
        self.positions[code].push(position);
        previous
    }

    /// Adds the next state of a key that may have several traces.
    pub(crate) fn push_to(&mut self, key: &str, position: u32, belongs: Belongs) {
        let code = self.dictionary.intern(key);
        let traces = self.traces.get_or_insert_default();
        let is_new = code as usize == self.current.len();
        if is_new {
            self.current.push(0);
        }
        if is_new || belongs == Belongs::ToNext {
            let number = if is_new { 1 } else { traces[self.current[code as usize] as usize].1 + 1 };
            self.current[code as usize] = traces.len() as u32;
            traces.push((code, number));
            self.positions.push(Vec::new());
        }
        self.positions[self.current[code as usize] as usize].push(position);
    }

    /// Forgets the states from this position on.
    pub(crate) fn truncate(&mut self, len: u32) {
        for positions in &mut self.positions {
            while positions.last().is_some_and(|&position| position >= len) {
                positions.pop();
            }
        }
    }

    /// The keys that have a state.
    pub(crate) fn finish(self) -> Keys {
        let texts = self.dictionary.into_texts();
        let key = |trace: usize| match &self.traces {
            Some(traces) => (texts[traces[trace].0 as usize].clone(), traces[trace].1),
            None => (texts[trace].clone(), 1),
        };
        let groups = self.positions.into_iter().enumerate().map(|(trace, positions)| {
            let (key, number) = key(trace);
            KeyGroup { key, number, positions }
        });
        Keys { groups: groups.filter(|group| !group.positions.is_empty()).collect() }
    }
}

/// Different texts, each kept once, numbered in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    texts: Vec<Arc<str>>,
    codes: FxHashMap<Arc<str>, u32>,
    last: u32,
}

impl Dictionary {
    /// The number of a text. There are never more texts than states, which are counted in 32 bits.
    #[inline]
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        // Logs often repeat the previous value, and comparing is cheaper than hashing.
        if self.texts.get(self.last as usize).is_some_and(|last| **last == *text) {
            return self.last;
        }
        self.last = match self.codes.get(text) {
            Some(&code) => code,
            None => self.insert(text),
        };
        self.last
    }

    pub(crate) fn into_texts(self) -> Vec<Arc<str>> {
        self.texts
    }

    fn insert(&mut self, text: &str) -> u32 {
        let code = self.texts.len() as u32;
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.codes.insert(text, code);
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_know_their_last_state() {
        let mut keys = KeysBuilder::default();
        let previous: Vec<_> = ["b", "a", "b", "b", "a"].iter().zip(0..).map(|(key, at)| keys.push(key, at)).collect();
        assert_eq!(previous, [None, None, Some(0), Some(2), Some(1)]);
        let keys = keys.finish();
        assert_eq!(&*keys.groups[0].key, "b");
        assert_eq!(keys.groups[0].positions, [0, 2, 3]);
        assert_eq!(keys.groups[1].positions, [1, 4]);
    }
}
