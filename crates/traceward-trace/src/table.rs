//! The door for tables: typed columns that somebody else has read become a trace.
//!
//! Tables (Parquet, Arrow) are decoded by libraries that are too heavy for whoever does not need
//! them, so they are not read here. What a cell of theirs means is decided here all the same, by
//! [`typing`](crate::typing): rows are records, and take the road of records. Where the type of a
//! whole column is the one that is expected, its values are taken over without being looked at one
//! by one ([`Block::take`]).

use crate::block::Block;
use crate::cell::Cell;
use crate::error::{TraceError, TraceErrorKind};
use crate::format::{Format, FormatEntry, LiveReader, Road};
use crate::inspect::{Inspection, Profiles};
use crate::lateness::OrderBuffer;
use crate::note::Note;
use crate::opening::Guess;
use crate::options::{ReadOptions, RecordOrder};
use crate::read::{ReadFailure, ReadInput, ReadTrace};
use crate::record::{ReadStop, RecordSink};
use crate::sort::Sorter;
use crate::states::States;
use crate::whole::{WholeKind, WholeTable};

/// The parts of the memory for states, of which a block may take one.
const BLOCKS: usize = 12;

/// Parquet: its first bytes are also its last.
pub(crate) static PARQUET: FormatEntry<Road> = FormatEntry {
    name: "parquet",
    begins: |input| input.begins_with(b"PAR1"),
    handling: Road {
        endings: &["parquet", "pq"],
        read: |_, _| Err(not_read("a Parquet table").into()),
        live: |_| Box::new(NotFollowed("a Parquet table")),
        inspect: |_, _| Err(not_read("a Parquet table")),
    },
};

/// Arrow IPC: files, which are also called Feather, and streams.
pub(crate) static ARROW: FormatEntry<Road> = FormatEntry {
    name: "arrow",
    begins: |input| match input.begins_with(b"ARROW1") {
        Guess::No => input.begins_with(&[0xFF; 4]),
        other => other,
    },
    handling: Road {
        endings: &["arrow", "arrows", "feather", "ipc"],
        read: |_, _| Err(not_read("an Arrow table").into()),
        live: |_| Box::new(NotFollowed("an Arrow table")),
        inspect: |_, _| Err(not_read("an Arrow table")),
    },
};

fn not_read(what: &'static str) -> TraceError {
    TraceErrorKind::TableInBytes { what }.into()
}

/// A table that comes as a stream: its columns are there only once its rows are.
struct NotFollowed(&'static str);

impl LiveReader for NotFollowed {
    fn push(&mut self, _: &[u8], sink: &mut dyn RecordSink) -> Result<(), ReadStop> {
        self.finish(sink)
    }

    fn finish(&mut self, _: &mut dyn RecordSink) -> Result<(), ReadStop> {
        Err(TraceErrorKind::TableFollowed { what: self.0 }.into())
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn has_header(&self) -> bool {
        false
    }

    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }

    fn has_ended(&self) -> bool {
        false
    }
}

/// Bits one behind the other, the lowest of each byte first.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    bytes: &'a [u8],
    offset: usize,
    len: usize,
}

impl<'a> Bits<'a> {
    /// So many bits from the bit at `offset` on; none if there are fewer.
    pub fn new(bytes: &'a [u8], offset: usize, len: usize) -> Option<Self> {
        let is_there = offset.checked_add(len).is_some_and(|end| end.div_ceil(8) <= bytes.len());
        is_there.then_some(Self { bytes, offset, len })
    }

    /// The number of bits.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no bits.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The bit at a place.
    #[inline]
    pub(crate) fn get(self, place: usize) -> bool {
        let at = self.offset + place;
        self.bytes[at / 8] >> (at % 8) & 1 == 1
    }

    /// The bits in words, the first bit of each word the highest.
    pub(crate) fn words(self) -> impl Iterator<Item = u64> {
        (0..self.len.div_ceil(64)).map(move |word| self.word(word * 64))
    }

    /// The 64 bits from a place on, the first the highest; zeros behind the last.
    fn word(self, place: usize) -> u64 {
        let (first, shift) = ((self.offset + place) / 8, (self.offset + place) % 8);
        let mut bytes = [0; 16];
        let there = &self.bytes[first..self.bytes.len().min(first + 9)];
        bytes[..there.len()].copy_from_slice(there);
        let bits = (u128::from_le_bytes(bytes) >> shift) as u64;
        let rest = self.len - place;
        let mask = if rest < 64 { (1 << rest) - 1 } else { u64::MAX };
        (bits & mask).reverse_bits()
    }
}

/// Integers as booleans, one bit each, the lowest of each byte first; none if one of them is
/// neither 0 nor 1.
pub(crate) fn packed(ints: &[i64]) -> Option<Vec<u8>> {
    let all = ints.iter().fold(0, |all, &int| all | int as u64);
    let byte = |ints: &[i64]| ints.iter().rev().fold(0, |byte, &int| byte << 1 | int as u8);
    (all <= 1).then(|| ints.chunks(8).map(byte).collect())
}

/// The values of a column in some rows.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    /// The values. Where there is none, any filler stands.
    pub values: SliceValues<'a>,
    /// The rows that have a value; all of them if this is left out.
    pub present: Option<Bits<'a>>,
}

/// The values of a column in some rows, by their type.
#[derive(Clone, Copy, Debug)]
pub enum SliceValues<'a> {
    /// No row has a value.
    Nothing,
    /// Booleans.
    Bools(Bits<'a>),
    /// Integers.
    Ints(&'a [i64]),
    /// Floats; a NaN is a missing value.
    Floats(&'a [f64]),
    /// Moments in nanoseconds since 1970.
    Moments(&'a [i64]),
    /// Strings: of each row the place of its text.
    Texts {
        /// The places, of which none is outside where a row has a value.
        codes: &'a [u32],
        /// The texts.
        texts: &'a [&'a str],
    },
    /// Whatever each row says.
    Cells(&'a [Cell<'a>]),
}

impl<'a> Slice<'a> {
    /// What a row says of the column. A row without a value says nothing, as an empty CSV field
    /// does.
    #[inline]
    pub(crate) fn cell(&self, row: usize) -> Cell<'a> {
        if self.present.is_some_and(|present| !present.get(row)) {
            return Cell::Absent;
        }
        match self.values {
            SliceValues::Nothing => Cell::Absent,
            SliceValues::Bools(bits) => Cell::Bool(bits.get(row)),
            SliceValues::Ints(ints) => Cell::Int(ints[row]),
            SliceValues::Floats(floats) => Cell::Float(floats[row]),
            SliceValues::Moments(times) => Cell::Time(times[row]),
            SliceValues::Texts { codes, texts } => Cell::Str(texts[codes[row] as usize]),
            SliceValues::Cells(cells) => cells[row],
        }
    }
}

/// Some rows of a table: the cells of records, column by column.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The number of rows.
    pub count: usize,
    /// The columns, as the fields of [`TableStates`] or [`TableInspection`] ask for them.
    pub columns: &'a [Slice<'a>],
}

impl<'a> Rows<'a> {
    /// Hands each row to a sink; they are numbered from `first` on.
    pub(crate) fn each(&self, first: u64, sink: &mut impl RecordSink) -> Result<(), ReadStop> {
        let mut cells = vec![Cell::Absent; self.columns.len()];
        for row in 0..self.count {
            cells.iter_mut().zip(self.columns).for_each(|(cell, column)| *cell = column.cell(row));
            sink.record(first + row as u64, &cells)?;
        }
        Ok(())
    }
}

/// The states of a table in the making. Rows are its lines, counted from 1.
pub struct TableStates<'o> {
    sink: Sink<'o>,
    names: Vec<String>,
    fields: Vec<Option<usize>>,
    /// The number of rows so far.
    rows: u64,
}

/// Whoever takes rows, by the order in which they become states.
enum Sink<'o> {
    AsTheyCome(Box<States<'o>>),
    ByTime(Box<Sorter<'o>>),
    Within(Box<(OrderBuffer, States<'o>)>),
}

impl<'o> TableStates<'o> {
    /// No states yet, of a table whose columns have these names.
    pub fn new(options: &'o ReadOptions, names: Vec<String>) -> Result<Self, TraceError> {
        let mut sink = match options.order {
            RecordOrder::AsTheyCome => Sink::AsTheyCome(Box::new(States::new(options))),
            RecordOrder::ByTime => Sink::ByTime(Box::new(Sorter::new(options)?)),
            RecordOrder::Within { .. } => {
                let Some(buffer) = OrderBuffer::new(options) else { unreachable!("a lateness is asked for") };
                Sink::Within(Box::new((buffer, States::new(options))))
            }
        };
        let fields = match &mut sink {
            Sink::AsTheyCome(states) => states.header(&names)?,
            Sink::ByTime(sorter) => sorter.header(&names)?,
            Sink::Within(both) => both.1.header(&names)?,
        };
        Ok(Self { sink, names, fields, rows: 0 })
    }

    /// The columns that rows are to have, as places of names; none where the table lacks one.
    pub fn fields(&self) -> &[Option<usize>] {
        &self.fields
    }

    /// The number of rows that were read.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Makes room for so many rows, once it is known what the first of them are; for no more than
    /// may be in memory.
    pub fn expect(&mut self, rows: u64) {
        if let Sink::AsTheyCome(states) = &mut self.sink {
            states.expect(usize::try_from(rows).unwrap_or(0).min(states.most_rows()));
        }
    }

    /// The rows that a block may have, where only so many states may be in memory: several blocks
    /// wait at a time.
    pub fn most_rows_of_block(&self) -> usize {
        match &self.sink {
            Sink::AsTheyCome(states) => (states.most_rows() / BLOCKS).max(1),
            Sink::ByTime(_) | Sink::Within(_) => usize::MAX,
        }
    }

    /// Makes room in memory, if the rows so far take more than is allowed and there is another
    /// place for them.
    pub fn relieve(&mut self) -> Result<(), TraceError> {
        match &mut self.sink {
            Sink::AsTheyCome(states) => states.relieve(),
            Sink::ByTime(_) | Sink::Within(_) => Ok(()),
        }
    }

    /// A block for rows that come later, to be filled by anybody; none if their states depend on
    /// the rows before them.
    pub fn block(&mut self) -> Option<TableBlock<'o>> {
        match &mut self.sink {
            Sink::AsTheyCome(states) => states.block(0).map(|block| TableBlock { block, rows: 0 }),
            Sink::ByTime(_) | Sink::Within(_) => None,
        }
    }

    /// The columns of the whole table, if all of its rows can be taken at once: it has so many, and
    /// in all of them the fields have values, which are of these kinds.
    pub fn whole(&mut self, kinds: &[Option<WholeKind>], rows: usize) -> Option<WholeTable<'o>> {
        if self.rows > 0 || !self.is_settled() {
            return None;
        }
        let Sink::AsTheyCome(states) = &mut self.sink else { return None };
        let options = states.without_keys().filter(|_| rows <= states.most_rows())?;
        WholeTable::new(states.block(0)?, options, kinds, rows)
    }

    /// Whether every type is known, so that blocks can be filled before the rows before them.
    pub fn is_settled(&self) -> bool {
        matches!(&self.sink, Sink::AsTheyCome(states) if states.has_types())
    }

    /// Adds the rows of a block. False, and nothing is added, if they do not simply follow those so
    /// far: then they have to be pushed.
    #[must_use]
    pub fn append(&mut self, block: TableBlock<'o>) -> bool {
        let Sink::AsTheyCome(states) = &mut self.sink else { return false };
        let rows = block.rows;
        let is_added = states.append(block.block, self.rows + 1);
        self.rows += if is_added { rows } else { 0 };
        is_added
    }

    /// Takes the next rows.
    pub fn push(&mut self, rows: &Rows<'_>) -> Result<(), TraceError> {
        if let Some(mut block) = self.block()
            && block.push(rows)
            && self.append(block)
        {
            return Ok(());
        }
        let (first, limit) = (self.rows + 1, u32::MAX);
        self.rows += rows.count as u64;
        if rows.count > limit as usize {
            // There need not be a byte for each of them.
            return Err(TraceError::new(TraceErrorKind::TooManyStates { limit }).on_line(first));
        }
        let pushed = match &mut self.sink {
            Sink::AsTheyCome(states) => rows.each(first, &mut **states),
            Sink::ByTime(sorter) => rows.each(first, &mut **sorter),
            Sink::Within(both) => rows.each(first, &mut both.0.before(&mut both.1)),
        };
        as_error(pushed)
    }

    /// What was read, if that was all of the table; and otherwise what came before the mistake.
    pub fn finish(self, read: Result<(), TraceError>, format: Format) -> Result<ReadInput<'o>, ReadFailure> {
        let mut notes: Vec<Note> = (self.rows == 0).then_some(Note::NoRows).into_iter().collect();
        let (states, read) = match (self.sink, read) {
            (Sink::AsTheyCome(states), read) => (*states, read),
            (Sink::ByTime(sorter), Ok(())) => sorter.replay(),
            (Sink::ByTime(sorter), Err(error)) => (sorter.states, Err(error)),
            (Sink::Within(both), read) => {
                let (mut buffer, mut states) = *both;
                let read = read.and_then(|()| as_error(buffer.flush(&mut states)));
                notes.extend(buffer.notes());
                (states, read)
            }
        };
        let states = match states.into_parts(&self.names, &notes, read.as_ref().err()) {
            Ok(parts) => return Ok(ReadInput::ByKey(Box::new(parts.of_rows(format)))),
            Err(states) => *states,
        };
        let states = match states.into_segments(&self.names, &notes, read.as_ref().err()) {
            Ok(segments) => return Ok(ReadInput::InSegments(Box::new(segments?.of_rows(format)))),
            Err(states) => *states,
        };
        let finish = |states: States<'_>, names| {
            states.finish(names, notes).map(|trace| ReadTrace { format, lines: trace.lines.of_rows(), ..trace })
        };
        match read {
            Ok(()) => finish(states, self.names).map(ReadInput::from).map_err(|error| error.of_rows().into()),
            Err(error) => {
                let error = states.explain(error, &self.names).of_rows();
                Err(ReadFailure { error, before: finish(states, self.names).ok().map(Box::new) })
            }
        }
    }
}

fn as_error(read: Result<(), ReadStop>) -> Result<(), TraceError> {
    match read {
        Err(ReadStop::Failed(error)) => Err(error),
        Ok(()) | Err(ReadStop::Asked) => Ok(()),
    }
}

/// The states of some rows of a table, made without those before them.
pub struct TableBlock<'o> {
    block: Block<'o>,
    rows: u64,
}

impl<'o> TableBlock<'o> {
    pub(crate) fn of_rows(block: Block<'o>, rows: u64) -> Self {
        Self { block, rows }
    }

    /// Makes room for so many rows, once it is known what the first of them are.
    pub fn expect(&mut self, rows: usize) {
        self.block.expect(rows);
    }

    /// Takes the next rows. False if their states depend on other rows, or if something is wrong
    /// with them; the block is of no use then.
    #[must_use]
    pub fn push(&mut self, rows: &Rows<'_>) -> bool {
        let first = self.rows + 1;
        self.rows += rows.count as u64;
        self.block.take(first, rows).is_ok()
    }
}

/// What a table holds, found row by row.
pub struct TableInspection<'o> {
    profiles: Profiles<'o>,
    names: Vec<String>,
    fields: Vec<Option<usize>>,
    rows: u64,
}

impl<'o> TableInspection<'o> {
    /// Nothing yet, of a table whose columns have these names. No variables may be asked for.
    pub fn new(options: &'o ReadOptions, names: Vec<String>) -> Result<Self, TraceError> {
        let mut profiles = Profiles::new(options);
        let fields = profiles.header(&names)?;
        Ok(Self { profiles, names, fields, rows: 0 })
    }

    /// The columns that rows are to have, as places of names.
    pub fn fields(&self) -> &[Option<usize>] {
        &self.fields
    }

    /// Takes the next rows.
    pub fn push(&mut self, rows: &Rows<'_>) -> Result<(), TraceError> {
        let first = self.rows + 1;
        self.rows += rows.count as u64;
        as_error(rows.each(first, &mut self.profiles)).map_err(TraceError::of_rows)
    }

    /// What there is to tell.
    pub fn finish(self, format: Format) -> Result<Inspection, TraceError> {
        let notes = (self.rows == 0).then_some(Note::NoRows).into_iter().collect();
        let inspection = self.profiles.finish(&self.names, notes).map_err(TraceError::of_rows)?;
        Ok(Inspection { format, ..inspection })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{MissingPolicy, ReadVariable, TimeUnit};
    use crate::testing::expected::{BOOL, NUMBER, OPEN, TEXT};
    use crate::testing::{show_column, time, want};
    use traceward_logic::bitmap::Bitmap;

    const BYTES: &[u8] = &[0b1010_0110, 0b1111_0001, 0, 0xFF, 0xAA, 0x55, 0x13, 0x37, 0x99, 0x01];

    #[test]
    fn bits_are_read_from_any_place() {
        for offset in 0..11 {
            for len in 0..=BYTES.len() * 8 - offset {
                let bits = Bits::new(BYTES, offset, len).unwrap();
                let words = Bitmap::from_words(bits.words().collect(), len);
                assert!(words.iter().eq((0..len).map(|place| bits.get(place))), "{len} bits from {offset} on");
            }
        }
        assert!(Bits::new(BYTES, 1, 80).is_none() && Bits::new(BYTES, usize::MAX, 2).is_none());
    }

    #[test]
    fn tables_are_known_by_their_bytes_and_by_their_names() {
        let plain = ReadOptions::default();
        for (bytes, format, what) in [
            (&b"PAR1\x15\x04"[..], Format::PARQUET, "a Parquet table"),
            (b"ARROW1\0\0", Format::ARROW, "an Arrow table"),
            (b"\xff\xff\xff\xff\x10\0\0\0", Format::ARROW, "an Arrow table"),
        ] {
            assert_eq!(Format::of_table(&plain, bytes), Some(format));
            let error = crate::read::read(bytes, &plain).unwrap_err();
            assert_eq!(error.kind(), &TraceErrorKind::TableInBytes { what });
            let mut stream = crate::RecordStream::new(plain.clone()).unwrap();
            let pushed = bytes.chunks(1).try_for_each(|byte| stream.push(byte, &mut States::new(&plain)));
            let Err(ReadStop::Failed(error)) = pushed else { panic!("{what} is followed") };
            assert_eq!(error.kind(), &TraceErrorKind::TableFollowed { what });
        }
        assert_eq!(Format::of_table(&plain, b"a,b\n1,2\n"), None);
        let named = |name| ReadOptions { likely_format: Format::from_path(name), ..ReadOptions::default() };
        assert_eq!(Format::of_table(&named("x.parquet"), b""), Some(Format::PARQUET));
        assert_eq!(Format::of_table(&named("x.feather"), b""), Some(Format::ARROW));
        assert_eq!(Format::of_table(&named("x.feather"), b"FEA1\0\0\0\0"), None);
    }

    fn read(options: &ReadOptions, names: &[&str], parts: &[Rows<'_>]) -> Result<ReadTrace, ReadFailure> {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let mut states = TableStates::new(options, names)?;
        let pushed = parts.iter().try_for_each(|rows| states.push(rows));
        Ok(states.finish(pushed, Format::ARROW)?.into_whole().expect("all of it is in memory"))
    }

    fn all(values: SliceValues<'_>) -> Slice<'_> {
        Slice { values, present: None }
    }

    fn shown(trace: &ReadTrace) -> Vec<String> {
        trace.columns.iter().map(|column| show_column(column.as_ref())).collect()
    }

    #[test]
    fn typed_columns_mean_what_their_texts_mean() {
        let (ints, floats) = ([1, 0, 1], [0.5, f64::NAN, 2.0]);
        let bits = Bits::new(&[0b101], 0, 3).unwrap();
        let texts = SliceValues::Texts { codes: &[1, 0, 1], texts: &["x", "y"] };
        let columns = [
            all(SliceValues::Ints(&ints)),
            Slice { values: SliceValues::Floats(&floats), present: Some(Bits::new(&[0b011], 0, 3).unwrap()) },
            all(SliceValues::Bools(bits)),
            all(texts),
            all(SliceValues::Ints(&ints)),
            all(SliceValues::Ints(&ints)),
        ];
        let options = want(&[("i", NUMBER), ("f", NUMBER), ("b", BOOL), ("t", TEXT), ("i", BOOL), ("i", OPEN)]);
        let trace = read(&options, &["i", "f", "b", "t"], &[Rows { count: 3, columns: &columns }]).unwrap();
        assert_eq!(
            shown(&trace),
            [
                "int 1 0 1",
                "float 0.5 - -",
                "bool true false true",
                "text \"y\" \"x\" \"y\"",
                "bool true false true",
                "int 1 0 1"
            ]
        );
        let held = ReadOptions { missing: MissingPolicy::Hold, ..want(&[("f", NUMBER)]) };
        let rows = Rows { count: 3, columns: &columns[1..2] };
        assert_eq!(shown(&read(&held, &["f"], &[rows, rows]).unwrap()), ["float 0.5 0.5 0.5 0.5 0.5 0.5"]);
    }

    #[test]
    fn a_mistake_names_its_row_and_keeps_what_came_before() {
        let good = [all(SliceValues::Ints(&[1, 0]))];
        let bad = [all(SliceValues::Ints(&[1, 2]))];
        let parts = [Rows { count: 2, columns: &good }, Rows { count: 2, columns: &bad }];
        let failure = read(&want(&[("x", BOOL)]), &["x"], &parts).unwrap_err();
        assert_eq!((failure.error.line(), failure.error.column()), (Some(4), Some("x")));
        assert_eq!(failure.before.unwrap().states, 3);
    }

    #[test]
    fn time_and_keys_are_those_of_rows() {
        let keys = [Cell::Str("a"), Cell::Absent, Cell::Str("b"), Cell::Str("a")];
        let columns = [
            all(SliceValues::Ints(&[1, 2, 3, 4])),
            all(SliceValues::Ints(&[10, 11, 12, 13])),
            all(SliceValues::Cells(&keys)),
        ];
        let options = ReadOptions {
            time: time("t", Some(TimeUnit::Ms)),
            key: Some("k".to_owned()),
            variables: vec![ReadVariable::new("x", NUMBER)],
            ..ReadOptions::default()
        };
        let trace = read(&options, &["x", "t", "k"], &[Rows { count: 4, columns: &columns }]).unwrap();
        assert_eq!(trace.time, Some(vec![10_000_000, 12_000_000, 13_000_000]));
        assert_eq!((trace.lines.line(1), trace.keys.map(|keys| keys.len())), (3, Some(2)));
        assert_eq!(trace.notes, [Note::WithoutKey { records: 1, key: "k".to_owned() }]);
        let back = [columns[0], all(SliceValues::Ints(&[10, 9, 12, 13])), columns[2]];
        let unkeyed = ReadOptions { key: None, ..options };
        let failure = read(&unkeyed, &["x", "t"], &[Rows { count: 4, columns: &back[..2] }]).unwrap_err();
        assert_eq!(failure.error.message(), "time goes backwards: `t` is 9 ms, but 10 ms on row 1 before it");
    }
}
