//! Errors of engines as bytes, for whoever saves a run that has ended in one.

use super::{GaveUp, Instead, Limit};
use crate::saved::{Reader, RestoreError, Writer};

/// What engines that follow a trace name instead of themselves. They are saved by their place here.
const ALTERNATIVES: [&[Instead]; 4] =
    [&[], &[Instead::REVERSE], &[Instead::REVERSE_AT_END], &[Instead::GRAPH, Instead::REVERSE]];

impl Writer {
    /// Writes why an engine gave up, without its name.
    pub fn gave_up(&mut self, gave_up: &GaveUp) {
        let (tag, number) = numbered(gave_up.limit);
        self.tag(tag);
        self.number(number);
        // Of others nothing is said, which is not wrong.
        self.size(ALTERNATIVES.iter().position(|one| *one == gave_up.instead).unwrap_or(0));
    }
}

impl Reader<'_> {
    /// Why the engine of a name gave up.
    pub fn gave_up(&mut self, engine: &'static str) -> Result<GaveUp, RestoreError> {
        let (tag, number) = (self.tag()?, self.number()?);
        let limit = limit(tag, number).ok_or(RestoreError::Damaged)?;
        Ok(GaveUp { engine, limit, instead: ALTERNATIVES[self.index(ALTERNATIVES.len())?] })
    }
}

fn numbered(limit: Limit) -> (u8, u64) {
    match limit {
        Limit::Work(number) => (0, number),
        Limit::Slices(number) => (1, number as u64),
        Limit::Configurations(number) => (2, number as u64),
        Limit::Nodes(number) => (3, number as u64),
        Limit::Memory(number) => (4, number as u64),
        Limit::Search(number) => (5, number as u64),
        Limit::States(number) => (6, number as u64),
        Limit::Steps(number) => (7, number),
        Limit::Claims(number) => (8, number as u64),
        Limit::Propositions(number) => (9, number as u64),
        Limit::Obligations => (10, 0),
        Limit::Position(number) => (11, number as u64),
        Limit::Interrupted => (12, 0),
    }
}

fn limit(tag: u8, number: u64) -> Option<Limit> {
    let size = usize::try_from(number).ok()?;
    Some(match tag {
        0 => Limit::Work(number),
        1 => Limit::Slices(size),
        2 => Limit::Configurations(size),
        3 => Limit::Nodes(size),
        4 => Limit::Memory(size),
        5 => Limit::Search(size),
        6 => Limit::States(size),
        7 => Limit::Steps(number),
        8 => Limit::Claims(size),
        9 => Limit::Propositions(size),
        10 => Limit::Obligations,
        11 => Limit::Position(size),
        12 => Limit::Interrupted,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::saved::{Origin, framed, unframed};

    const ORIGIN: Origin = Origin { engine: "generic", formula: 0 };

    #[test]
    fn errors_come_back() {
        for tag in 0..=12 {
            let limit = limit(tag, 7).expect("a limit of every tag");
            let gave_up = GaveUp { engine: "generic", limit, instead: ALTERNATIVES[usize::from(tag) % 4] };
            let saved = framed(ORIGIN, |to| to.gave_up(&gave_up));
            assert_eq!(unframed(ORIGIN, &saved, |from| from.gave_up("generic")), Ok(gave_up));
        }
        let unknown = framed(ORIGIN, |to| {
            to.tag(13);
            to.number(7);
            to.size(0);
        });
        assert_eq!(unframed(ORIGIN, &unknown, |from| from.gave_up("generic")), Err(RestoreError::Damaged));
    }
}
