//! The scanner: one line, the wanted values, nothing allocated.

use super::paths::{Meeting, PathEdgeId, PathNodeId, Paths};
use crate::cell::{Cell, unescape};
use crate::number;
use crate::swar;

/// Nesting the scanner follows in lines nobody has checked.
const DEEPEST: u32 = 100;

/// Nesting it follows to what is wanted; serde_json holds no more.
const DEEPEST_WANTED: u32 = 127;

/// A number longer than this may be beyond a float, which serde_json refuses.
const LONGEST_NUMBER: usize = 30;

/// So may one whose exponent has more digits than this.
const LONGEST_EXPONENT: usize = 2;

/// The trust in a line: what is known about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trust {
    /// Nothing: whatever is not plainly JSON is [`Unusual`].
    Nothing,
    /// It is JSON: all that is [`Unusual`] now is a member that it has twice, or one that is nested
    /// too deep.
    Checked,
}

/// The scanner gave up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unusual;

/// A line being scanned.
pub(super) struct Scanner<'b, 'p> {
    bytes: &'b [u8],
    at: usize,
    depth: u32,
    trust: Trust,
    paths: &'p mut Paths,
    cells: &'p mut [Cell<'b>],
}

impl<'b, 'p> Scanner<'b, 'p> {
    /// The cells are what is found, one for each wanted name.
    pub(super) fn new(bytes: &'b [u8], trust: Trust, paths: &'p mut Paths, cells: &'p mut [Cell<'b>]) -> Self {
        Self { bytes, at: 0, depth: 0, trust, paths, cells }
    }

    /// Fills the cells from the object on this line.
    pub(super) fn scan(mut self) -> Result<(), Unusual> {
        self.cells.fill(Cell::Absent);
        self.paths.begin();
        self.skip_blanks();
        if self.peek() != Some(b'{') {
            return Err(Unusual);
        }
        self.object(Some(Paths::ROOT))?;
        self.skip_blanks();
        if self.at == self.bytes.len() { Ok(()) } else { Err(Unusual) }
    }

    /// An object; without a node nothing in it is wanted.
    fn object(&mut self, node: Option<PathNodeId>) -> Result<(), Unusual> {
        self.open(node)?;
        if self.closes(b'}') {
            return Ok(());
        }
        loop {
            self.skip_blanks();
            let edge = self.name(node)?;
            self.skip_blanks();
            self.member(edge)?;
            self.skip_blanks();
            match self.next()? {
                b',' => {}
                b'}' => break,
                _ => return Err(Unusual),
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// An array, whose elements go by their index.
    fn array(&mut self, node: Option<PathNodeId>) -> Result<(), Unusual> {
        self.open(node)?;
        if self.closes(b']') {
            return Ok(());
        }
        for index in 0_u32.. {
            self.skip_blanks();
            let edge = node.and_then(|node| self.paths.find(node, index.to_string().as_bytes()));
            self.member(edge)?;
            self.skip_blanks();
            match self.next()? {
                b',' => {}
                b']' => break,
                _ => return Err(Unusual),
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn open(&mut self, node: Option<PathNodeId>) -> Result<(), Unusual> {
        self.at += 1;
        self.depth += 1;
        let deepest = if self.trust == Trust::Nothing { DEEPEST } else { DEEPEST_WANTED };
        if self.depth > deepest {
            return Err(Unusual);
        }
        if let Some(node) = node {
            self.paths.enter(node);
        }
        self.skip_blanks();
        Ok(())
    }

    fn closes(&mut self, close: u8) -> bool {
        let closes = self.peek() == Some(close);
        if closes {
            self.at += 1;
            self.depth -= 1;
        }
        closes
    }

    /// A member's name and the colon after it; where it leads, if anywhere.
    #[inline]
    fn name(&mut self, node: Option<PathNodeId>) -> Result<Option<PathEdgeId>, Unusual> {
        if let Some(node) = node
            && let Some((length, edge)) = self.paths.guess(node, &self.bytes[self.at..])
        {
            self.at += length;
            return Ok(edge);
        }
        let name = self.string()?;
        let edge = match node {
            Some(node) => self.find(node, name)?,
            None => None,
        };
        self.skip_blanks();
        self.expect(b':')?;
        Ok(edge)
    }

    fn find(&mut self, node: PathNodeId, name: Quoted<'b>) -> Result<Option<PathEdgeId>, Unusual> {
        match (name.escapes, self.trust) {
            (Escapes::None, _) => Ok(self.paths.find(node, name.inner())),
            (Escapes::Some, Trust::Nothing) => Err(Unusual),
            (Escapes::Some, Trust::Checked) => Ok(self.paths.find(node, unescape(name.source).as_bytes())),
        }
    }

    /// A value, and what it means for what is wanted. A member that leads to something wanted must
    /// not come twice, and `a.b` not be a member beside `b` within `a`: nobody can tell which of
    /// the two is meant.
    #[inline]
    fn member(&mut self, edge: Option<PathEdgeId>) -> Result<(), Unusual> {
        if edge.is_some_and(|edge| self.paths.meet(edge) == Meeting::Again) {
            return Err(Unusual);
        }
        let node = edge.and_then(|edge| self.paths.target(edge).node);
        let cell = self.value(node)?;
        let Some(edge) = edge else { return Ok(()) };
        if let Some(node) = node
            && !matches!(cell, Cell::Container(_))
        {
            self.leave(node);
        }
        for &slot in &self.paths.target(edge).slots {
            let found = &mut self.cells[slot as usize];
            if !matches!(found, Cell::Absent | Cell::Gone) {
                self.paths.repeat_name(slot);
                return Err(Unusual);
            }
            *found = cell;
        }
        Ok(())
    }

    /// What is wanted below a place is no more, unless the line tells it elsewhere.
    #[cold]
    fn leave(&mut self, node: PathNodeId) {
        for slot in self.paths.slots_below(node) {
            let cell = &mut self.cells[slot];
            if matches!(cell, Cell::Absent) {
                *cell = Cell::Gone;
            }
        }
    }

    // Into its one caller that matters, so that the cell stays in registers.
    #[inline(always)]
    fn value(&mut self, node: Option<PathNodeId>) -> Result<Cell<'b>, Unusual> {
        match self.peek().ok_or(Unusual)? {
            b'"' => self.string().map(Quoted::cell),
            first @ (b't' | b'f') => self.boolean(first == b't').map(Cell::Literal),
            b'n' => self.null().map(|()| Cell::Null),
            open @ (b'{' | b'[') => self.container(open, node).map(Cell::Container),
            _ => self.number().map(Cell::Literal),
        }
    }

    fn container(&mut self, open: u8, node: Option<PathNodeId>) -> Result<&'b [u8], Unusual> {
        let start = self.at;
        if node.is_none() && self.trust == Trust::Checked {
            self.skip_container()?
        } else if open == b'{' {
            self.object(node)?
        } else {
            self.array(node)?
        }
        Ok(&self.bytes[start..self.at])
    }

    /// Skips an object or array in which nothing is wanted, however deep it is: of what is known to
    /// be JSON only brackets need a look.
    fn skip_container(&mut self) -> Result<(), Unusual> {
        let mut open = 0_usize;
        loop {
            match self.peek().ok_or(Unusual)? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// `true` or `false`. Which of them is what no branch predictor can know.
    #[inline]
    fn boolean(&mut self, bit: bool) -> Result<&'b [u8], Unusual> {
        let end = self.at + 5 - usize::from(bit);
        let found = self.bytes.get(self.at..end).ok_or(Unusual)?;
        if number::is_bool(found, bit) {
            self.at = end;
            Ok(found)
        } else {
            Err(Unusual)
        }
    }

    fn null(&mut self) -> Result<(), Unusual> {
        if !self.bytes[self.at..].starts_with(b"null") {
            return Err(Unusual);
        }
        self.at += 4;
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<&'b [u8], Unusual> {
        let start = self.at;
        self.at = number_end(self.bytes, start, self.trust)?;
        Ok(&self.bytes[start..self.at])
    }

    #[inline]
    fn string(&mut self) -> Result<Quoted<'b>, Unusual> {
        let start = self.at;
        self.expect(b'"')?;
        self.skip_letters();
        let mut escapes = Escapes::None;
        let mut seen = 0;
        loop {
            let byte = self.next()?;
            seen |= byte;
            match byte {
                b'"' => break,
                b'\\' => {
                    escapes = Escapes::Some;
                    self.escape()?;
                }
                0..0x20 => return Err(Unusual),
                _ => {}
            }
        }
        let source = &self.bytes[start..self.at];
        if seen >= 0x80 && std::str::from_utf8(source).is_err() { Err(Unusual) } else { Ok(Quoted { source, escapes }) }
    }

    /// Skips to the first byte of a string that needs a closer look, or near the end of the line.
    #[inline]
    fn skip_letters(&mut self) {
        while let Some(word) = swar::load(self.bytes, self.at) {
            let special = swar::equal(word, b'"').or(swar::equal(word, b'\\')).or(swar::control_or_not_ascii(word));
            match special.first() {
                Some(offset) => {
                    self.at += offset;
                    return;
                }
                None => self.at += 8,
            }
        }
    }

    /// Scans what follows a backslash. `\u` may be half of a pair, which is for serde_json to
    /// judge.
    fn escape(&mut self) -> Result<(), Unusual> {
        match self.next()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(()),
            b'u' if self.trust == Trust::Checked => Ok(()),
            _ => Err(Unusual),
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn next(&mut self) -> Result<u8, Unusual> {
        let byte = self.peek().ok_or(Unusual)?;
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), Unusual> {
        if self.next()? == byte { Ok(()) } else { Err(Unusual) }
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }
}

/// Where the number ends that begins at a position.
#[inline(always)]
pub(super) fn number_end(bytes: &[u8], start: usize, trust: Trust) -> Result<usize, Unusual> {
    let first = start + usize::from(bytes.get(start) == Some(&b'-'));
    let mut at = swar::digits_end(bytes, first);
    let has_leading_zero = bytes.get(first) == Some(&b'0') && at > first + 1;
    if at == first || has_leading_zero {
        return Err(Unusual);
    }
    if let Some(b'.' | b'e' | b'E') = bytes.get(at) {
        at = fraction_end(bytes, at, trust)?;
    }
    if trust == Trust::Nothing && at - start > LONGEST_NUMBER { Err(Unusual) } else { Ok(at) }
}

/// Where the number ends whose point or exponent is at a position.
fn fraction_end(bytes: &[u8], mut at: usize, trust: Trust) -> Result<usize, Unusual> {
    let digits_end = |start: usize| Some(swar::digits_end(bytes, start)).filter(|end| *end > start).ok_or(Unusual);
    if bytes[at] == b'.' {
        at = digits_end(at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let start = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = digits_end(start)?;
        if trust == Trust::Nothing && at - start > LONGEST_EXPONENT {
            return Err(Unusual);
        }
    }
    Ok(at)
}

/// A string of the line.
#[derive(Clone, Copy)]
struct Quoted<'b> {
    /// With its quotes.
    source: &'b [u8],
    escapes: Escapes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    None,
    Some,
}

impl<'b> Quoted<'b> {
    #[inline]
    fn inner(self) -> &'b [u8] {
        &self.source[1..self.source.len() - 1]
    }

    #[inline]
    fn cell(self) -> Cell<'b> {
        match self.escapes {
            Escapes::None => Cell::Text(self.inner()),
            Escapes::Some => Cell::Escaped(self.source),
        }
    }
}
