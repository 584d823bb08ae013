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
    /// The positions of its states in the whole trace, ascending.
    pub positions: Vec<u32>,
}

/// Collects [`Keys`] state by state.
#[derive(Debug, Default)]
pub(crate) struct KeysBuilder {
    dictionary: Dictionary,
    positions: Vec<Vec<u32>>,
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
        let keys = self.dictionary.into_texts().into_iter();
        let groups = keys.zip(self.positions).map(|(key, positions)| KeyGroup { key, positions });
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
