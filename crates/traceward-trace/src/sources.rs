//! Where in a program a state came about.

use crate::cell::Cell;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;
use traceward_logic::shown::Shown;

/// The place in a program at which a state came about: `mux.c:17 in enter`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SourcePlace {
    /// The place in a source, such as `mux.c:17`.
    pub at: Option<Arc<str>>,
    /// The function.
    pub function: Option<Arc<str>>,
}

impl SourcePlace {
    /// The place that is told by these texts; none if both are empty.
    fn of(at: &[u8], function: &[u8]) -> Option<Self> {
        let told = |text: &[u8]| (!text.is_empty()).then(|| String::from_utf8_lossy(text).into());
        let place = Self { at: told(at), function: told(function) };
        (place.at.is_some() || place.function.is_some()).then_some(place)
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.at, &self.function) {
            (Some(at), Some(function)) => write!(f, "at {} in {}", Shown(at), Shown(function)),
            (Some(at), None) => write!(f, "at {}", Shown(at)),
            (None, Some(function)) => write!(f, "in {}", Shown(function)),
            (None, None) => Ok(()),
        }
    }
}

/// The text of a cell that tells a place.
fn text<'a>(cells: &[Cell<'a>], index: usize) -> std::borrow::Cow<'a, [u8]> {
    cells.get(index).and_then(|cell| cell.text()).unwrap_or_default()
}

/// The place of each state of a trace. A program has few of them, so each is kept once.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    places: Vec<SourcePlace>,
    /// The number of each place by its texts, with a byte between them that is in no text.
    numbers: FxHashMap<Box<[u8]>, u32>,
    /// For each state the number of its place, counted from 1; 0 if it has none. Empty as long as
    /// no state has one.
    codes: Vec<u32>,
    /// The texts of the place at hand.
    scratch: Vec<u8>,
}

impl Sources {
    /// The place of the state at a position, if it has one.
    pub fn place(&self, position: usize) -> Option<&SourcePlace> {
        let code = *self.codes.get(position)?;
        self.places.get(code.checked_sub(1)? as usize)
    }

    /// Takes the place of the state at a position, which comes after all others.
    pub(crate) fn push(&mut self, position: u32, cells: &[Cell<'_>]) {
        let (at, function) = (text(cells, 0), text(cells, 1));
        if at.is_empty() && function.is_empty() {
            return;
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(&at);
        self.scratch.push(0xFF);
        self.scratch.extend_from_slice(&function);
        let code = match self.numbers.get(self.scratch.as_slice()) {
            Some(&code) => code,
            None => self.number(&at, &function),
        };
        self.codes.resize(position as usize, 0);
        self.codes.push(code);
    }

    fn number(&mut self, at: &[u8], function: &[u8]) -> u32 {
        self.places.extend(SourcePlace::of(at, function));
        let code = self.places.len() as u32;
        self.numbers.insert(self.scratch.as_slice().into(), code);
        code
    }
}

/// The place of one state. It is kept as bytes until somebody asks, since hardly anybody does.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastSource {
    at: Vec<u8>,
    function: Vec<u8>,
}

impl LastSource {
    /// Sets the place.
    pub(crate) fn set(&mut self, cells: &[Cell<'_>]) {
        for (index, kept) in [&mut self.at, &mut self.function].into_iter().enumerate() {
            kept.clear();
            kept.extend_from_slice(&text(cells, index));
        }
    }

    /// The place, if there is one.
    pub(crate) fn place(&self) -> Option<SourcePlace> {
        SourcePlace::of(&self.at, &self.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_place() {
        let mut sources = Sources::default();
        sources.push(0, &[Cell::Absent, Cell::Null]);
        sources.push(1, &[Cell::Text(b"m.c:1"), Cell::Text(b"f")]);
        sources.push(2, &[Cell::Absent, Cell::Absent]);
        sources.push(3, &[Cell::Text(b"m.c:1"), Cell::Text(b"f")]);
        sources.push(4, &[Cell::Escaped(b"\"m\\u001b.c\""), Cell::Absent]);
        sources.push(5, &[Cell::Absent, Cell::Text(b"g")]);
        let shown = |position| sources.place(position).map(ToString::to_string).unwrap_or_default();
        let all: Vec<String> = (0..7).map(shown).collect();
        assert_eq!(all, ["", "at m.c:1 in f", "", "at m.c:1 in f", "at m\\u{1b}.c", "in g", ""]);
        assert_eq!(sources.places.len(), 3);
    }
}
