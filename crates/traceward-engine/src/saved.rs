//! Runs as bytes, so that a run can outlive its process.
//!
//! A saved run says who has saved it, which engine as a rule, and of which formula it is; it ends
//! with a checksum. What is
//! written is what a run has come to, and not what it remembers to be fast: that is found out
//! again. Numbers are little-endian.

use std::fmt;
use traceward_logic::verdict::Verdict;

/// The bytes that every saved run begins with.
const MARK: [u8; 4] = *b"TWRN";

/// The version of the format. A run of another version is refused, because what a number means may
/// have changed.
const VERSION: u16 = 8;

/// The reason why bytes are no run of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RestoreError {
    /// The bytes do not begin as saved runs do.
    NotARun,
    /// The bytes were written in another version of the format.
    Version(u16),
    /// The bytes are a run of another engine.
    OtherEngine(String),
    /// The bytes are a run of another formula.
    OtherFormula,
    /// The bytes were cut short, or changed.
    Damaged,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARun => f.write_str("this is no saved run"),
            Self::Version(version) => write!(f, "the run was saved in version {version}, and this is {VERSION}"),
            Self::OtherEngine(engine) => write!(f, "the run was saved by the engine {engine}"),
            Self::OtherFormula => f.write_str("the run is one of another formula"),
            Self::Damaged => f.write_str("the saved run is damaged"),
        }
    }
}

impl std::error::Error for RestoreError {}

/// What a saved run is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The engine's name.
    pub engine: &'static str,
    /// A number that two different formulas hardly share.
    pub formula: u64,
}

/// Puts a head before what was written of a run, and a checksum behind it.
pub fn framed(origin: Origin, write: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer { bytes: MARK.to_vec() };
    writer.bytes.extend(VERSION.to_le_bytes());
    writer.bytes(origin.engine.as_bytes());
    writer.number(origin.formula);
    write(&mut writer);
    let sum = checksum(&writer.bytes);
    writer.number(sum);
    writer.bytes
}

/// Reads a run that [`framed`] wrote; `read` is given what is between head and checksum, and has to
/// read all of it.
pub fn unframed<R>(
    origin: Origin,
    bytes: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<R, RestoreError>,
) -> Result<R, RestoreError> {
    let body = bytes.strip_prefix(&MARK).ok_or(RestoreError::NotARun)?;
    let (version, body) = body.split_first_chunk().ok_or(RestoreError::Damaged)?;
    match u16::from_le_bytes(*version) {
        VERSION => {}
        other => return Err(RestoreError::Version(other)),
    }
    let (body, sum) = body.split_last_chunk().ok_or(RestoreError::Damaged)?;
    if u64::from_le_bytes(*sum) != checksum(&bytes[..bytes.len() - sum.len()]) {
        return Err(RestoreError::Damaged);
    }
    let mut reader = Reader { rest: body };
    let engine = reader.bytes()?;
    if engine != origin.engine.as_bytes() {
        return Err(RestoreError::OtherEngine(String::from_utf8_lossy(engine).into_owned()));
    }
    if reader.number()? != origin.formula {
        return Err(RestoreError::OtherFormula);
    }
    let run = read(&mut reader)?;
    if reader.rest.is_empty() { Ok(run) } else { Err(RestoreError::Damaged) }
}

/// FNV-1a: every bit of what is summed up changes the sum.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

/// The bytes that a run is written to.
#[derive(Debug)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Writes a number.
    pub fn number(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    /// Writes a length or an index.
    pub fn size(&mut self, size: usize) {
        self.number(size as u64);
    }

    /// Writes a truth value.
    pub fn bit(&mut self, bit: bool) {
        self.bytes.push(u8::from(bit));
    }

    /// Writes a byte that says what follows.
    pub fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    /// Writes a number or that there is none.
    pub fn optional(&mut self, number: Option<u64>) {
        self.bit(number.is_some());
        if let Some(number) = number {
            self.number(number);
        }
    }

    /// Writes bytes with their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        self.bytes.extend(bytes);
    }
}

/// The bytes that a run is read from. Nothing that is read is trusted.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A number.
    pub fn number(&mut self) -> Result<u64, RestoreError> {
        let (number, rest) = self.rest.split_first_chunk().ok_or(RestoreError::Damaged)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*number))
    }

    /// The number of things that follow. Each takes a byte at the least, so a number that cannot be
    /// a length is refused before anything is made of it.
    pub fn count(&mut self) -> Result<usize, RestoreError> {
        let count = self.size()?;
        if count <= self.rest.len() { Ok(count) } else { Err(RestoreError::Damaged) }
    }

    /// A length or an index.
    pub fn size(&mut self) -> Result<usize, RestoreError> {
        usize::try_from(self.number()?).map_err(|_| RestoreError::Damaged)
    }

    /// A number that is an index into something of this length.
    pub fn index(&mut self, len: usize) -> Result<usize, RestoreError> {
        self.size().and_then(|index| if index < len { Ok(index) } else { Err(RestoreError::Damaged) })
    }

    /// A number of 32 bits.
    pub fn small(&mut self) -> Result<u32, RestoreError> {
        u32::try_from(self.number()?).map_err(|_| RestoreError::Damaged)
    }

    /// A truth value.
    pub fn bit(&mut self) -> Result<bool, RestoreError> {
        match self.tag()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(RestoreError::Damaged),
        }
    }

    /// A byte that says what follows.
    pub fn tag(&mut self) -> Result<u8, RestoreError> {
        let (tag, rest) = self.rest.split_first().ok_or(RestoreError::Damaged)?;
        self.rest = rest;
        Ok(*tag)
    }

    /// A number, if there is one.
    pub fn optional(&mut self) -> Result<Option<u64>, RestoreError> {
        if self.bit()? { self.number().map(Some) } else { Ok(None) }
    }

    /// Bytes with their length.
    pub fn bytes(&mut self) -> Result<&'a [u8], RestoreError> {
        let count = self.count()?;
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or(RestoreError::Damaged)?;
        self.rest = rest;
        Ok(bytes)
    }
}

/// Verdicts as bytes.
impl Writer {
    /// Writes a verdict.
    pub fn verdict(&mut self, verdict: Verdict) {
        self.tag(match verdict {
            Verdict::Satisfied => 0,
            Verdict::Violated => 1,
            Verdict::Holding => 2,
            Verdict::Pending => 3,
        });
    }
}

impl Reader<'_> {
    /// A verdict.
    pub fn verdict(&mut self) -> Result<Verdict, RestoreError> {
        match self.tag()? {
            0 => Ok(Verdict::Satisfied),
            1 => Ok(Verdict::Violated),
            2 => Ok(Verdict::Holding),
            3 => Ok(Verdict::Pending),
            _ => Err(RestoreError::Damaged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: Origin = Origin { engine: "generic", formula: 7 };

    fn read(bytes: &[u8]) -> Result<u64, RestoreError> {
        unframed(ORIGIN, bytes, |from| from.number())
    }

    #[test]
    fn what_was_saved_comes_back_and_nothing_else_does() {
        let saved = framed(ORIGIN, |to| to.number(42));
        assert_eq!(read(&saved), Ok(42));
        for cut in 0..saved.len() {
            assert!(read(&saved[..cut]).is_err(), "cut at {cut}");
            for bit in 0..8 {
                let mut changed = saved.clone();
                changed[cut] ^= 1 << bit;
                assert!(read(&changed).is_err(), "bit {bit} of byte {cut}");
            }
        }
        assert_eq!(read(b"a,b\n1,2\n"), Err(RestoreError::NotARun));
        let of = |origin| framed(origin, |to| to.number(42));
        let other = RestoreError::OtherEngine("tableau".into());
        assert_eq!(read(&of(Origin { engine: "tableau", ..ORIGIN })), Err(other));
        assert_eq!(read(&of(Origin { formula: 8, ..ORIGIN })), Err(RestoreError::OtherFormula));
        assert_eq!(
            read(&framed(ORIGIN, |to| [1, 2].into_iter().for_each(|one| to.number(one)))),
            Err(RestoreError::Damaged)
        );
        let mut later = saved;
        later[4] = 9;
        assert_eq!(read(&later), Err(RestoreError::Version(9)));
    }
}
