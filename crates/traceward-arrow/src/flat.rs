//! Flat columns of Parquet, decoded page by page to where their values stay.
//!
//! The library makes arrays, batch by batch, which blocks copy, which states copy again. Most
//! tables are plainer than that: a value in each row, numbers or booleans, in encodings that are a
//! few lines each. Pages of such columns are decoded by all threads at once, into places that the
//! whole table has from the start ([`WholeTable`](traceward_trace::WholeTable)). Where a page is
//! anything else, or is damaged, nothing is taken, and the table is read by the library: so there
//! is one place that knows what is wrong.

use crate::columns::Place;
use crate::decode::guarded;
use crate::input::{Input, Watch};
use crate::parquet::{FORMAT, ParquetTable};
use crate::runs::{Run, Runs, UNPACKED, are_all_there, unpack};
use crate::skim::{PageClaims, ValueClaims};
use arrow_schema::{DataType, TimeUnit};
use parquet::basic::{Compression, Type};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescriptor;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use traceward_trace::{Bits, ColumnPart, TableStates, WholeColumn, WholeKind};

/// The rows for which there may be places, for each byte of the file: there need not be a byte for
/// each of them.
const MOST_ROWS: u64 = 8;

/// The bytes that are worth a thread.
const WORTH_A_THREAD: i64 = 256 << 10;

/// The numbers of encodings in headers.
mod encoding {
    pub(super) const PLAIN: i64 = 0;
    pub(super) const PLAIN_DICTIONARY: i64 = 2;
    pub(super) const RLE: i64 = 3;
    pub(super) const BIT_PACKED: i64 = 4;
    pub(super) const RLE_DICTIONARY: i64 = 8;
}

/// The numbers of kinds of pages in headers.
mod page_kind {
    pub(super) const DATA: i64 = 0;
    pub(super) const DICTIONARY: i64 = 2;
    pub(super) const DATA_2: i64 = 3;
}

/// Reads all rows of a table whose wanted columns are flat. False, and none is read, if there is
/// more to it.
pub(crate) fn read_flat(
    table: &ParquetTable,
    places: &[Option<Place>],
    states: &mut TableStates<'_>,
    (threads, watch): (NonZero<usize>, &Watch),
) -> bool {
    let column = |place: &Option<Place>| match place {
        None => Some(None),
        Some(place) => FlatColumn::new(table, place).map(Some),
    };
    let Some(columns) = places.iter().map(column).collect::<Option<Vec<_>>>() else { return false };
    let rows = table.rows();
    if rows > table.input().len().saturating_mul(MOST_ROWS) {
        return false;
    }
    let kinds: Vec<Option<WholeKind>> = columns.iter().map(|column| Some(column.as_ref()?.kind())).collect();
    let Some(mut whole) = states.whole(&kinds, rows as usize) else { return false };
    let chunks = chunks(table.groups(), &columns);
    let size: i64 = chunks.iter().map(|chunk| chunk.metadata.compressed_size()).fold(0, i64::saturating_add);
    let walk = Walk { input: table.input(), chunks: chunks.into_iter(), open: None, columns: whole.columns() };
    let filling = Filling {
        walk: Mutex::new(walk),
        given_up: AtomicBool::new(false),
        values: AtomicU64::new(0),
        columns: columns.iter().flatten().count().max(1) as u64,
    };
    let others = (threads.get() - 1).min(usize::try_from(size / WORTH_A_THREAD).unwrap_or(0));
    // The caller has said how many threads there are to be.
    #[expect(clippy::disallowed_methods)]
    thread::scope(|scope| {
        (0..others).for_each(|_| drop(scope.spawn(|| filling.work(None))));
        filling.work(Some(watch));
    });
    let is_filled = !filling.given_up.load(Ordering::Relaxed);
    drop(filling);
    let is_read = is_filled && whole.finish().is_some_and(|block| states.append(block));
    if is_read {
        watch.tell(rows);
    }
    is_read
}

/// A column whose values are decoded here.
#[derive(Clone, Copy)]
struct FlatColumn {
    leaf: usize,
    stored: Stored,
    /// The nanoseconds of a unit, where values are moments.
    unit: Option<i64>,
    /// Whether values may be missing, so that levels tell which ones are there.
    has_levels: bool,
}

/// How values are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    Bool,
    Int32,
    Int64,
    Float32,
    Float64,
}

impl FlatColumn {
    fn new(table: &ParquetTable, place: &Place) -> Option<Self> {
        let schema = table.parquet_schema();
        let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == place.root)?;
        let column = schema.column(leaf);
        let is_flat = place.steps.is_empty() && column.max_rep_level() == 0 && column.max_def_level() <= 1;
        let (stored, unit) = stored(&column, table.schema().field(place.root).data_type())?;
        is_flat.then_some(Self { leaf, stored, unit, has_levels: column.max_def_level() == 1 })
    }

    fn kind(&self) -> WholeKind {
        match self.stored {
            Stored::Bool => WholeKind::Bools,
            Stored::Int32 | Stored::Int64 if self.unit.is_some() => WholeKind::Moments,
            Stored::Int32 | Stored::Int64 => WholeKind::Ints,
            Stored::Float32 | Stored::Float64 => WholeKind::Floats,
        }
    }

    /// Values as they are, one behind the other.
    fn plain(&self, bytes: &[u8], count: usize, part: &mut ColumnPart<'_>) -> Option<()> {
        match self.stored {
            Stored::Bool => Bits::new(bytes, 0, count).filter(|&bits| part.bools(bits)).map(drop),
            Stored::Int32 => self.plain_ints(of_size(bytes, count)?, |int| i32::from_le_bytes(int).into(), part),
            Stored::Int64 => self.plain_ints(of_size(bytes, count)?, i64::from_le_bytes, part),
            Stored::Float32 => plain_floats(of_size(bytes, count)?, |float| f32::from_le_bytes(float).into(), part),
            Stored::Float64 => plain_floats(of_size(bytes, count)?, f64::from_le_bytes, part),
        }
    }

    fn plain_ints<const N: usize>(
        &self,
        values: &[[u8; N]],
        int: impl Fn([u8; N]) -> i64,
        part: &mut ColumnPart<'_>,
    ) -> Option<()> {
        let mut ints = [0; UNPACKED];
        for values in values.chunks(UNPACKED) {
            let ints = &mut ints[..values.len()];
            ints.iter_mut().zip(values).for_each(|(to, value)| *to = int(*value));
            self.make_nanoseconds(ints)?;
            part.ints(ints).then_some(())?;
        }
        Some(())
    }

    /// Makes nanoseconds of moments. None if one does not fit.
    fn make_nanoseconds(&self, ints: &mut [i64]) -> Option<()> {
        let Some(unit) = self.unit else { return Some(()) };
        let limit = (i64::MAX / unit).unsigned_abs();
        ints.iter().all(|int| int.unsigned_abs() <= limit).then_some(())?;
        ints.iter_mut().for_each(|int| *int *= unit);
        Some(())
    }

    fn dictionary(&self, bytes: &[u8], count: usize) -> Option<Dictionary> {
        let ints = |mut ints: Vec<i64>| {
            self.make_nanoseconds(&mut ints)?;
            Some(Dictionary::Ints(ints))
        };
        match self.stored {
            Stored::Bool => None,
            Stored::Int32 => ints(of_size(bytes, count)?.iter().map(|&int| i32::from_le_bytes(int).into()).collect()),
            Stored::Int64 => ints(of_size(bytes, count)?.iter().map(|&int| i64::from_le_bytes(int)).collect()),
            Stored::Float32 => {
                let floats = of_size(bytes, count)?.iter().map(|&float| f32::from_le_bytes(float).into());
                Some(Dictionary::Floats(floats.collect()))
            }
            Stored::Float64 => {
                let floats = of_size(bytes, count)?.iter().map(|&float| f64::from_le_bytes(float));
                Some(Dictionary::Floats(floats.collect()))
            }
        }
    }
}

/// How the values of a type are stored, and the nanoseconds of a unit if they are moments.
fn stored(column: &ColumnDescriptor, ty: &DataType) -> Option<(Stored, Option<i64>)> {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    match (column.physical_type(), ty) {
        (Type::BOOLEAN, DataType::Boolean) => Some((Stored::Bool, None)),
        (Type::INT32, DataType::Int32) => Some((Stored::Int32, None)),
        (Type::INT64, DataType::Int64) => Some((Stored::Int64, None)),
        (Type::INT64, DataType::Timestamp(of, _)) => Some((Stored::Int64, Some(unit(of)))),
        (Type::FLOAT, DataType::Float32) => Some((Stored::Float32, None)),
        (Type::DOUBLE, DataType::Float64) => Some((Stored::Float64, None)),
        _ => None,
    }
}

/// So many values of a size.
fn of_size<const N: usize>(bytes: &[u8], count: usize) -> Option<&[[u8; N]]> {
    bytes.as_chunks().0.get(..count)
}

fn plain_floats<const N: usize>(
    values: &[[u8; N]],
    float: impl Fn([u8; N]) -> f64,
    part: &mut ColumnPart<'_>,
) -> Option<()> {
    let mut floats = [0.0; UNPACKED];
    for values in values.chunks(UNPACKED) {
        let floats = &mut floats[..values.len()];
        floats.iter_mut().zip(values).for_each(|(to, value)| *to = float(*value));
        part.floats(floats).then_some(())?;
    }
    Some(())
}

/// Values that pages name by their numbers.
enum Dictionary {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Dictionary {
    /// Values by their numbers, which are behind a byte that says how many bits each has.
    fn named(&self, bytes: &[u8], count: usize, part: &mut ColumnPart<'_>) -> Option<()> {
        let (&width, bytes) = bytes.split_first()?;
        let runs = Runs::new(bytes, width)?;
        if let (1, true, Some(bits)) = (width, part.takes_bits(), self.as_bits()) {
            return runs.each(count, |run| bits.named(run, part));
        }
        match self {
            Self::Ints(ints) => {
                runs.each(count, |run| each_value(run, width, ints, &mut |values| part.ints(values).then_some(())))
            }
            Self::Floats(floats) => {
                runs.each(count, |run| each_value(run, width, floats, &mut |values| part.floats(values).then_some(())))
            }
        }
    }

    /// The two values as bits, if they are some.
    fn as_bits(&self) -> Option<TwoBits> {
        match self {
            Self::Ints(ints) => match ints[..] {
                [first @ 0..=1, second @ 0..=1] => Some(TwoBits([first == 1, second == 1])),
                _ => None,
            },
            Self::Floats(_) => None,
        }
    }
}

/// Two bits that have numbers of one bit each.
struct TwoBits([bool; 2]);

impl TwoBits {
    fn named(&self, run: Run<'_>, part: &mut ColumnPart<'_>) -> Option<()> {
        let is_taken = match (run, self.0) {
            (Run::Repeated { number, count }, bits) => part.bool_again(*bits.get(number as usize)?, count),
            (Run::Packed { bytes, count }, [false, true]) => part.bools(Bits::new(bytes, 0, count)?),
            (Run::Packed { bytes, count }, [true, false]) => {
                let others: Vec<u8> = bytes.iter().map(|byte| !byte).collect();
                part.bools(Bits::new(&others, 0, count)?)
            }
            (Run::Packed { count, .. }, [bit, _]) => part.bool_again(bit, count),
        };
        is_taken.then_some(())
    }
}

/// Calls `take` with the values of a run, some at a time.
fn each_value<T: Copy + Default>(
    run: Run<'_>,
    width: u8,
    values: &[T],
    take: &mut dyn FnMut(&[T]) -> Option<()>,
) -> Option<()> {
    let mut found = [T::default(); UNPACKED];
    match run {
        Run::Repeated { number, count } => {
            found.fill(*values.get(number as usize)?);
            (0..count).step_by(UNPACKED).try_for_each(|start| take(&found[..UNPACKED.min(count - start)]))
        }
        Run::Packed { bytes, count } => unpack(bytes, width, count, |numbers| {
            let found = &mut found[..numbers.len()];
            for (to, &number) in found.iter_mut().zip(numbers) {
                *to = *values.get(number as usize)?;
            }
            take(found)
        }),
    }
}

/// The column chunks, one row group behind the other.
fn chunks<'t>(groups: &'t [RowGroupMetaData], columns: &[Option<FlatColumn>]) -> Vec<Chunk<'t>> {
    let chunk = |group: &'t RowGroupMetaData, (field, column): (usize, &Option<FlatColumn>)| {
        let column = (*column)?;
        Some(Chunk { metadata: group.column(column.leaf), rows: group.num_rows() as usize, field, column })
    };
    let of_group = |group| columns.iter().enumerate().filter_map(move |column| chunk(group, column));
    groups.iter().flat_map(of_group).collect()
}

/// A column of a row group.
struct Chunk<'t> {
    metadata: &'t ColumnChunkMetaData,
    rows: usize,
    /// The place of the column among those that are wanted.
    field: usize,
    column: FlatColumn,
}

/// A chunk whose first pages have been given away.
struct OpenChunk {
    field: usize,
    column: FlatColumn,
    codec: Codec,
    next: u64,
    end: u64,
    rows_left: usize,
    dictionary: Option<Arc<DictionaryPage>>,
}

/// How pages are compressed.
#[derive(Clone, Copy)]
enum Codec {
    Not,
    Snappy,
    Zstd,
}

impl OpenChunk {
    fn new(chunk: &Chunk<'_>) -> Option<Self> {
        let &Chunk { metadata, rows, field, column } = chunk;
        let codec = match metadata.compression() {
            Compression::UNCOMPRESSED => Codec::Not,
            Compression::SNAPPY => Codec::Snappy,
            Compression::ZSTD(_) => Codec::Zstd,
            _ => return None,
        };
        let nulls = metadata.statistics().and_then(|statistics| statistics.null_count_opt());
        let (start, len) = metadata.byte_range();
        let end = start.checked_add(len)?;
        let is_fine = nulls.is_none_or(|nulls| nulls == 0);
        is_fine.then_some(Self { field, column, codec, next: start, end, rows_left: rows, dictionary: None })
    }

    /// The next page with values, and where they are to go.
    fn next_page<'w>(&mut self, input: &Input, columns: &mut [WholeColumn<'w>]) -> Option<DataPage<'w>> {
        loop {
            let claims = PageClaims::read(input.behind(self.next)).ok().filter(|claims| claims.are_plausible())?;
            let place = self.next + claims.header;
            self.next = place.checked_add(claims.compressed as u64).filter(|&next| next <= self.end)?;
            let page = RawPage { place, claims, codec: self.codec };
            match (claims.kind, claims.data, claims.data2, claims.dictionary) {
                (page_kind::DATA, Some(values), None, None) | (page_kind::DATA_2, None, Some(values), None) => {
                    let rows = usize::try_from(values.count?).ok().filter(|&rows| rows <= self.rows_left)?;
                    self.rows_left -= rows;
                    let part = columns[self.field].part(rows)?;
                    return Some(DataPage {
                        page,
                        values,
                        column: self.column,
                        dictionary: self.dictionary.clone(),
                        part,
                    });
                }
                (page_kind::DICTIONARY, None, None, Some(values)) if self.dictionary.is_none() => {
                    let is_plain = matches!(values.encoding?, encoding::PLAIN | encoding::PLAIN_DICTIONARY);
                    let count = usize::try_from(values.count?).ok().filter(|_| is_plain)?;
                    let decoded = OnceLock::new();
                    self.dictionary = Some(Arc::new(DictionaryPage { page, count, column: self.column, decoded }));
                }
                _ => return None,
            }
        }
    }
}

/// The pages of all columns, one behind the other.
struct Walk<'w, 't> {
    input: &'t Input,
    chunks: std::vec::IntoIter<Chunk<'t>>,
    open: Option<OpenChunk>,
    columns: Vec<WholeColumn<'w>>,
}

/// Pages, or values in them, are not as plain as they have to be.
struct NotFlat;

impl<'w> Walk<'w, '_> {
    fn next_page(&mut self) -> Result<Option<DataPage<'w>>, NotFlat> {
        loop {
            if let Some(open) = &mut self.open {
                if open.rows_left > 0 {
                    return open.next_page(self.input, &mut self.columns).map(Some).ok_or(NotFlat);
                }
                if open.next != open.end {
                    return Err(NotFlat);
                }
            }
            match self.chunks.next() {
                Some(chunk) => self.open = Some(OpenChunk::new(&chunk).ok_or(NotFlat)?),
                None => return Ok(None),
            }
        }
    }
}

/// A page as it is in the file.
#[derive(Clone, Copy)]
struct RawPage {
    place: u64,
    claims: PageClaims,
    codec: Codec,
}

/// A page of values that others name, decoded by whoever needs it first.
struct DictionaryPage {
    page: RawPage,
    count: usize,
    column: FlatColumn,
    decoded: OnceLock<Option<Dictionary>>,
}

/// A page with values, and where they go.
struct DataPage<'w> {
    page: RawPage,
    values: ValueClaims,
    column: FlatColumn,
    dictionary: Option<Arc<DictionaryPage>>,
    part: ColumnPart<'w>,
}

/// Memory that a thread uses again and again.
#[derive(Default)]
struct Rooms {
    compressed: Vec<u8>,
    page: Vec<u8>,
}

impl RawPage {
    /// The bytes of the page, decompressed but for the first ones, which never are compressed.
    fn read<'r>(
        &self,
        input: &'r Input,
        first: usize,
        is_compressed: bool,
        rooms: &'r mut Rooms,
    ) -> Option<(&'r [u8], &'r [u8])> {
        let Rooms { compressed, page } = rooms;
        let bytes = input.bytes_in(self.place, self.claims.compressed as usize, compressed).ok()?;
        let (first, bytes) = bytes.split_at_checked(first)?;
        let size = (self.claims.uncompressed as usize).checked_sub(first.len())?;
        let codec = if is_compressed { self.codec } else { Codec::Not };
        Some((first, codec.decompress(bytes, size, page)?))
    }
}

impl Codec {
    /// So many bytes, decompressed.
    fn decompress<'r>(self, bytes: &'r [u8], size: usize, room: &'r mut Vec<u8>) -> Option<&'r [u8]> {
        if matches!(self, Self::Not) {
            return (bytes.len() == size).then_some(bytes);
        }
        if room.len() < size {
            room.resize(size, 0);
        }
        let page = &mut room[..size];
        let len = match self {
            Self::Not => return None,
            Self::Snappy => snap::raw::Decoder::new().decompress(bytes, page).ok()?,
            Self::Zstd => zstd::bulk::decompress_to_buffer(bytes, page).ok()?,
        };
        (len == size).then_some(page)
    }
}

impl DictionaryPage {
    fn decode(&self, input: &Input, rooms: &mut Rooms) -> Option<Dictionary> {
        let (_, bytes) = self.page.read(input, 0, true, rooms)?;
        self.column.dictionary(bytes, self.count)
    }
}

impl DataPage<'_> {
    /// Puts the values of the page where they stay.
    fn decode(mut self, input: &Input, rooms: &mut Rooms) -> Option<()> {
        let count = self.part.left();
        if let Some(page) = &self.dictionary {
            page.decoded.get_or_init(|| page.decode(input, rooms)).as_ref()?;
        }
        let (levels, values) = match self.page.claims.kind {
            page_kind::DATA_2 => self.read_second(input, rooms)?,
            _ => self.read_first(input, rooms)?,
        };
        (!self.column.has_levels || are_all_there(levels, count)).then_some(())?;
        self.put(values, count)?;
        (self.part.left() == 0).then_some(())
    }

    /// The levels and the values of a page of the first version, which are compressed together.
    fn read_first<'r>(&self, input: &'r Input, rooms: &'r mut Rooms) -> Option<(&'r [u8], &'r [u8])> {
        let [levels, lists] = self.values.level_encodings;
        let is_known = |encoding| matches!(encoding, encoding::RLE | encoding::BIT_PACKED);
        (is_known(levels?) && is_known(lists?)).then_some(())?;
        let (_, values) = self.page.read(input, 0, true, rooms)?;
        if !self.column.has_levels {
            return Some((&[], values));
        }
        (levels == Some(encoding::RLE)).then_some(())?;
        let (len, rest) = values.split_first_chunk()?;
        rest.split_at_checked(u32::from_le_bytes(*len) as usize)
    }

    /// Those of a page of the second version, whose levels are not compressed.
    fn read_second<'r>(&self, input: &'r Input, rooms: &'r mut Rooms) -> Option<(&'r [u8], &'r [u8])> {
        let [levels, lists] = self.values.level_lengths;
        let is_flat = lists? == 0 && self.values.nulls? == 0 && self.values.rows? == self.values.count?;
        let levels = usize::try_from(levels?).ok().filter(|_| is_flat)?;
        self.page.read(input, levels, self.values.is_compressed?, rooms)
    }

    fn put(&mut self, values: &[u8], count: usize) -> Option<()> {
        match self.values.encoding? {
            encoding::PLAIN => self.column.plain(values, count, &mut self.part),
            encoding::PLAIN_DICTIONARY | encoding::RLE_DICTIONARY => {
                let dictionary = self.dictionary.as_ref()?.decoded.get()?.as_ref()?;
                dictionary.named(values, count, &mut self.part)
            }
            encoding::RLE if self.column.stored == Stored::Bool => {
                let (len, rest) = values.split_first_chunk()?;
                let runs = Runs::new(rest.get(..u32::from_le_bytes(*len) as usize)?, 1)?;
                runs.each(count, |run| TwoBits([false, true]).named(run, &mut self.part))
            }
            _ => None,
        }
    }
}

/// The work of all threads.
struct Filling<'w, 't> {
    walk: Mutex<Walk<'w, 't>>,
    given_up: AtomicBool,
    /// The values that have been decoded, and the columns that they belong to.
    values: AtomicU64,
    columns: u64,
}

impl Filling<'_, '_> {
    /// Decodes pages as long as there are any, and tells how far all have come.
    fn work(&self, watch: Option<&Watch>) {
        let done = guarded(FORMAT, || {
            let mut rooms = Rooms::default();
            while !self.given_up.load(Ordering::Relaxed) {
                match self.fill_next(&mut rooms) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(NotFlat) => self.given_up.store(true, Ordering::Relaxed),
                }
                if let Some(watch) = watch {
                    watch.tell(self.values.load(Ordering::Relaxed) / self.columns);
                }
            }
            Ok(())
        });
        if done.is_err() {
            self.given_up.store(true, Ordering::Relaxed);
        }
    }

    /// Decodes the next page; false if there is none.
    fn fill_next(&self, rooms: &mut Rooms) -> Result<bool, NotFlat> {
        let (page, input) = {
            let mut walk = self.walk.lock().unwrap_or_else(PoisonError::into_inner);
            (walk.next_page()?, walk.input)
        };
        let Some(page) = page else { return Ok(false) };
        let count = page.part.left() as u64;
        page.decode(input, rooms).ok_or(NotFlat)?;
        self.values.fetch_add(count, Ordering::Relaxed);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::StatesOf;
    use arrow_array::*;
    use bytes::Bytes;
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Encoding, GzipLevel, ZstdLevel};
    use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
    use traceward_logic::lower::Expected;
    use traceward_logic::value::ValueType;
    use traceward_testkit::mutate::Numbers;
    use traceward_trace::{
        Format, Pieces, ReadFailure, ReadInput, ReadOptions, ReadVariable, TimeColumn, TimeUnit as Unit,
    };

    /// Columns of every type that is flat, with few values and with many.
    fn columns(rows: usize) -> Vec<(&'static str, ArrayRef)> {
        let numbers = move || 0..rows as i64;
        // Stretches of one value and mixtures, so that there are runs of both kinds.
        let bit = |row: i64| row % 5 == 0 || (row / 40) % 3 == 1;
        vec![
            ("b", Arc::new(numbers().map(|row| Some(bit(row))).collect::<BooleanArray>())),
            ("flag", Arc::new(Int64Array::from_iter_values(numbers().map(|row| i64::from(bit(row + 7)))))),
            ("other", Arc::new(Int32Array::from_iter_values(numbers().map(|row| i32::from(!bit(row)))))),
            ("same", Arc::new(Int64Array::from_iter_values(numbers().map(|_| 1)))),
            ("few", Arc::new(Int64Array::from_iter_values(numbers().map(|row| row * row % 11 - 5)))),
            ("many", Arc::new(Int64Array::from_iter_values(numbers().map(|row| row.wrapping_mul(0x9E37_79B9_7F4A))))),
            ("i", Arc::new(Int32Array::from_iter_values(numbers().map(|row| (row % 300) as i32 - 150)))),
            ("f", Arc::new(Float64Array::from_iter_values(numbers().map(|row| row as f64 / 8.0)))),
            ("g", Arc::new(Float32Array::from_iter_values(numbers().map(|row| (row % 9) as f32 / 4.0)))),
            ("at", Arc::new(TimestampMillisecondArray::from_iter_values(numbers().map(|row| 1_700_000_000_000 + row)))),
            ("t", Arc::new(Int64Array::from_iter_values(numbers().map(|row| 1_700_000_000 + row / 3)))),
        ]
    }

    fn options(threads: usize, time: &str, unit: Option<Unit>) -> ReadOptions {
        let (boolean, number) = (Expected::Type(ValueType::Boolean), Expected::Type(ValueType::Number));
        let wanted = [("b", boolean), ("flag", boolean), ("other", boolean), ("same", boolean), ("nothing", number)];
        let numbers = ["few", "many", "i", "f", "g", "at"].map(|name| (name, number));
        ReadOptions {
            variables: wanted.into_iter().chain(numbers).map(|(name, ty)| ReadVariable::new(name, ty)).collect(),
            time: Some(TimeColumn::new(time, unit)),
            pieces: Pieces { threads: NonZero::new(threads).expect("threads"), ..Pieces::default() },
            ..ReadOptions::default()
        }
    }

    fn written(columns: Vec<(&str, ArrayRef)>, properties: WriterPropertiesBuilder, may_be_null: bool) -> Vec<u8> {
        let columns = columns.into_iter().map(|(name, column)| (name, column, may_be_null));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("a batch");
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).expect("a writer");
        writer.write(&batch).expect("rows are written");
        writer.close().expect("a table is written");
        bytes
    }

    /// What is read here, if anything is, and what is read by the library; none where the table
    /// cannot be opened.
    fn both(bytes: &[u8], options: &ReadOptions) -> Option<(Option<String>, String)> {
        let table = ParquetTable::open(Input::Memory(Bytes::copy_from_slice(bytes))).ok()?;
        let watch = Watch::default();
        let mut flat = StatesOf::new(table.schema(), options).ok()?;
        let is_read = read_flat(&table, &flat.places, &mut flat.states, (options.pieces.threads, &watch));
        let flat = is_read.then(|| shown(flat.states.finish(Ok(()), Format::PARQUET)));
        let mut other = StatesOf::new(table.schema(), options).ok()?;
        let read = other.fill_by_row_groups(&table, &watch).ok()?;
        Some((flat, shown(other.states.finish(read, Format::PARQUET))))
    }

    fn shown(read: Result<ReadInput<'_>, ReadFailure>) -> String {
        format!("{:?}", read.map(ReadInput::into_whole))
    }

    fn forms() -> impl Iterator<Item = WriterPropertiesBuilder> {
        let codecs = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())];
        let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
        let builders = codecs.into_iter().flat_map(move |codec| {
            versions.map(|version| WriterProperties::builder().set_compression(codec).set_writer_version(version))
        });
        builders.map(|builder| {
            // The second version encodes numbers by differences, if nothing else is said.
            builder.set_encoding(Encoding::PLAIN).set_column_encoding("b".into(), Encoding::RLE)
        })
    }

    #[test]
    fn plain_tables_are_read_as_by_the_library() {
        let mut tried = 0;
        for (nth, form) in forms().enumerate() {
            for (rows, page, dictionary) in
                [(1, 100, 1 << 20), (50, 1, 1 << 20), (3000, 700, 400), (3000, 64, 0), (9001, 20_000, 9000)]
            {
                let form = form
                    .clone()
                    .set_data_page_row_count_limit(page)
                    .set_write_batch_size(page.min(50))
                    .set_dictionary_enabled(dictionary > 0)
                    .set_dictionary_page_size_limit(dictionary)
                    .set_max_row_group_row_count(Some([rows, 1000][nth % 2]));
                let bytes = written(columns(rows), form, nth % 3 > 0);
                let (time, unit) = if nth % 2 == 0 { ("t", Some(Unit::S)) } else { ("at", None) };
                for threads in [1, 2, 3] {
                    let (flat, library) = both(&bytes, &options(threads, time, unit)).expect("a table");
                    assert_eq!(flat.as_deref(), Some(&*library), "{rows} rows, form {nth}, dictionary {dictionary}");
                    tried += 1;
                }
            }
        }
        assert_eq!(tried, 6 * 5 * 3);
    }

    /// A table of two columns: one that is flat, and another one.
    fn with_column(column: ArrayRef, properties: WriterPropertiesBuilder) -> Vec<u8> {
        let t = Int64Array::from_iter_values(0..column.len() as i64);
        written(vec![("few", column), ("t", Arc::new(t))], properties, true)
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_library() {
        let plain = WriterProperties::builder;
        let numbers = || Arc::new(Int64Array::from_iter_values(0..100));
        let nulls = || Arc::new((0..100).map(|row| (row != 70).then_some(row)).collect::<Int64Array>());
        let silent = || plain().set_statistics_enabled(EnabledStatistics::None);
        let delta = || plain().set_dictionary_enabled(false).set_encoding(Encoding::DELTA_BINARY_PACKED);
        let gzip = || plain().set_compression(Compression::GZIP(GzipLevel::default()));
        let nan = Float64Array::from_iter_values((0..100).map(|row| if row == 70 { f64::NAN } else { 1.0 }));
        let texts: StringArray = (0..100).map(|_| Some("1")).collect();
        let tables: [(&str, Vec<u8>); 7] = [
            ("nulls", with_column(nulls(), plain())),
            ("nulls that nobody counted", with_column(nulls(), silent())),
            ("nulls in a dictionary", with_column(nulls(), silent().set_dictionary_enabled(true))),
            ("differences", with_column(numbers(), delta())),
            ("another codec", with_column(numbers(), gzip())),
            ("a NaN", with_column(Arc::new(nan), plain())),
            ("texts", with_column(Arc::new(texts), plain())),
        ];
        let number = Expected::Type(ValueType::Number);
        let options = |ty| ReadOptions {
            variables: vec![ReadVariable::new("few", ty)],
            time: Some(TimeColumn::new("t", Some(Unit::S))),
            ..ReadOptions::default()
        };
        for (what, bytes) in tables {
            assert_eq!(both(&bytes, &options(number)).expect("a table").0, None, "{what}");
        }
        let plain_table = with_column(numbers(), plain());
        assert!(both(&plain_table, &options(number)).expect("a table").0.is_some());
        let boolean = options(Expected::Type(ValueType::Boolean));
        assert_eq!(both(&plain_table, &boolean).expect("a table").0, None, "numbers that are no booleans");
        let keyed = ReadOptions { key: Some("few".to_owned()), ..options(number) };
        assert_eq!(both(&plain_table, &keyed).expect("a table").0, None, "keys");
        let null = ReadOptions { null: vec!["7".to_owned()], ..options(number) };
        assert_eq!(both(&plain_table, &null).expect("a table").0, None, "texts that stand for nothing");
    }

    /// Time decreases within a page, or from one page to the next.
    #[test]
    fn time_that_decreases_is_left_to_the_library() {
        for at in [1, 49, 50, 51, 99, 100, 199] {
            let times = (0..200).map(|row| if row < at { 1000 + row } else { row });
            let columns: Vec<(&str, ArrayRef)> = vec![("t", Arc::new(Int64Array::from_iter_values(times)))];
            let properties = WriterProperties::builder()
                .set_data_page_row_count_limit(50)
                .set_write_batch_size(10)
                .set_max_row_group_row_count(Some(100));
            let bytes = written(columns, properties, false);
            let time = Some(TimeColumn::new("t", Some(Unit::S)));
            let (flat, library) = both(&bytes, &ReadOptions { time, ..ReadOptions::default() }).expect("a table");
            assert_eq!(flat, None, "{at}");
            assert!(library.contains("TimeDecreases"), "{library}");
        }
    }

    /// Whatever is wrong with a table: what is taken here is what the library takes.
    #[test]
    fn what_is_read_of_broken_tables_is_what_the_library_reads() {
        // Panics of the library are caught, and would be told here all the same.
        std::panic::set_hook(Box::new(|_| ()));
        let mut numbers = Numbers::of_seed(1);
        let mut taken = 0;
        let mut wrong = Vec::new();
        for (nth, form) in forms().enumerate() {
            let form = form.set_dictionary_page_size_limit(200).set_data_page_row_count_limit(40);
            let bytes = written(columns(150), form.set_write_batch_size(20), nth % 3 > 0);
            for _ in 0..600 {
                let mut broken = bytes.clone();
                let place = numbers.below(broken.len());
                broken[place] ^= 1 << numbers.below(8);
                if let Some((Some(flat), library)) = both(&broken, &options(2, "t", Some(Unit::S))) {
                    if flat != library {
                        wrong.push(format!("byte {place} of form {nth}: {library}"));
                    }
                    taken += 1;
                }
            }
        }
        let _ = std::panic::take_hook();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert!(taken > 30, "{taken}");
    }
}
