//! The first bytes of an input, and what can be told from them.
//!
//! An input may arrive in pieces of any size. A recogniser therefore answers [`Guess::Later`] as
//! long as bytes that have not come yet could change its answer. So the answer never depends on
//! how the input is cut, and a stream is told what it is as early as its bytes allow.

use crate::record::{End, LineEnd};

/// The length of a first line that is looked at. Whoever has a longer one is known by its
/// beginning.
pub(crate) const LONGEST_LINE: usize = 8 << 10;

/// The first bytes of an input.
#[derive(Clone, Copy)]
pub(crate) struct Opening<'a> {
    bytes: &'a [u8],
    end: End,
}

/// Whether an input is of a certain format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Guess {
    No,
    Yes,
    /// The bytes at hand do not tell.
    Later,
}

impl From<bool> for Guess {
    fn from(is: bool) -> Self {
        if is { Self::Yes } else { Self::No }
    }
}

impl<'a> Opening<'a> {
    /// The bytes at hand, and whether more will come.
    pub(crate) fn new(bytes: &'a [u8], end: End) -> Self {
        Self { bytes, end }
    }

    /// All bytes at hand.
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Whether the input begins with certain bytes.
    pub(crate) fn begins_with(self, magic: &[u8]) -> Guess {
        self.has_at(0, magic)
    }

    /// Whether the input begins with one of several texts.
    pub(crate) fn begins_with_any(self, magics: &[&[u8]]) -> Guess {
        let guesses = magics.iter().map(|magic| self.begins_with(magic));
        guesses.fold(Guess::No, |all, one| match (all, one) {
            (Guess::Yes, _) | (_, Guess::Yes) => Guess::Yes,
            (Guess::Later, _) | (_, Guess::Later) => Guess::Later,
            _ => Guess::No,
        })
    }

    /// Whether certain bytes stand at a place, as far as the bytes before the place do not matter.
    pub(crate) fn has_at(self, place: usize, magic: &[u8]) -> Guess {
        let at_hand = self.bytes.get(place..).unwrap_or_default();
        if at_hand.len() >= magic.len() || self.end == End::Last {
            return at_hand.starts_with(magic).into();
        }
        if magic.starts_with(at_hand) { Guess::Later } else { Guess::No }
    }

    /// The answer of a recogniser that has to see a number of bytes, fewer only if there are none.
    pub(crate) fn with_length(self, least: usize, is: impl FnOnce(&[u8]) -> bool) -> Guess {
        if self.bytes.len() < least && self.end == End::More { Guess::Later } else { is(self.bytes).into() }
    }

    /// The answer of a recogniser that looks at the first line that is not blank, without its line
    /// end. Of a very long line it gets the beginning, [`LONGEST_LINE`] bytes.
    pub(crate) fn with_line(self, is: impl FnOnce(&'a [u8]) -> bool) -> Guess {
        match self.lines().next() {
            Some(Some(line)) => is(line).into(),
            Some(None) => Guess::Later,
            None => Guess::No,
        }
    }

    /// The lines that are not blank; nothing for one that has not come yet.
    pub(crate) fn lines(self) -> impl Iterator<Item = Option<&'a [u8]>> {
        let mut rest = Some(self.bytes);
        let end = self.end;
        std::iter::from_fn(move || {
            loop {
                let bytes = rest?;
                let (line, after) = match LineEnd::find(bytes) {
                    Some(found) => (&bytes[..found.start], Some(&bytes[found.stop..])),
                    None if end == End::Last || bytes.len() >= LONGEST_LINE => (bytes, None),
                    None => {
                        rest = None;
                        return Some(None);
                    }
                };
                rest = after;
                if !line.trim_ascii().is_empty() {
                    return Some(Some(&line[..line.len().min(LONGEST_LINE)]));
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_not_come_yet_is_waited_for() {
        let more = |bytes| Opening::new(bytes, End::More);
        let last = |bytes| Opening::new(bytes, End::Last);
        assert_eq!(more(b"PA").begins_with(b"PAR1"), Guess::Later);
        assert_eq!(last(b"PA").begins_with(b"PAR1"), Guess::No);
        assert_eq!(more(b"PAR12").begins_with(b"PAR1"), Guess::Yes);
        assert_eq!(more(b"PB").begins_with(b"PAR1"), Guess::No);
        let is_abc = |line: &[u8]| line == b"abc";
        assert_eq!(more(b"\n \nabc").with_line(is_abc), Guess::Later);
        assert_eq!(last(b"\n \nabc").with_line(is_abc), Guess::Yes);
        assert_eq!(more(b"\nabc\n").with_line(is_abc), Guess::Yes);
        assert_eq!(last(b"\n \n").with_line(is_abc), Guess::No);
        assert_eq!(more(&[b'a'; LONGEST_LINE]).with_line(|line| line.len() == LONGEST_LINE), Guess::Yes);
    }
}
