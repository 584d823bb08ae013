//! Tables in Parquet: their row groups are decoded by themselves, large ones in parts.

use crate::columns::{Place, Step};
use crate::decode::{Decoder, ROWS, Take, damaged, guarded};
use crate::input::Input;
use crate::pages::{Pages, RowGroup};
use crate::stored::{readable, with_bytes};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection, RowSelector,
};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Encoding, EncodingMask};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::Length;
use parquet::schema::types::SchemaDescriptor;
use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use traceward_trace::TraceError;

pub(crate) const FORMAT: &str = "Parquet";

/// The parts that there are to be for each thread: one that is decoded, and one that is ready to
/// be.
const PARTS: usize = 2;

/// The batches that are worth a part of their own: each part decodes dictionaries anew.
const LEAST_BATCHES: usize = 2;

/// The size in the file from which on a dictionary is not looked at for each batch.
const LARGEST_DICTIONARY: i64 = 1 << 18;

/// A table whose description has been read.
pub(crate) struct ParquetTable {
    input: Arc<Pages>,
    metadata: ArrowReaderMetadata,
    schema: Schema,
    /// What the library is told to be stored, where that is not what is.
    decoded_as: Option<SchemaDescriptor>,
}

impl ParquetTable {
    pub(crate) fn open(input: Input) -> Result<Self, TraceError> {
        let load = || ArrowReaderMetadata::load(&input, ArrowReaderOptions::new()).map_err(|e| damaged(FORMAT, e));
        let metadata = guarded(FORMAT, load)?;
        let groups = metadata.metadata().row_groups();
        if groups.iter().any(|group| group.num_rows() < 0 || u32::try_from(group.num_rows()).is_err()) {
            return Err(damaged(FORMAT, "a row group claims a number of rows that none can have"));
        }
        let stored = metadata.parquet_schema();
        let schema = readable(metadata.schema(), stored);
        let decoded_as = guarded(FORMAT, || with_bytes(stored).map_err(|e| damaged(FORMAT, e)))?;
        Ok(Self { input: Arc::new(Pages(input)), metadata, schema, decoded_as })
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(crate) fn parquet_schema(&self) -> &SchemaDescriptor {
        self.metadata.parquet_schema()
    }

    pub(crate) fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
    }

    pub(crate) fn input(&self) -> &Input {
        &self.input.0
    }

    /// The number of rows that it claims to have.
    pub(crate) fn rows(&self) -> u64 {
        self.metadata.metadata().row_groups().iter().map(|group| group.num_rows() as u64).sum()
    }

    /// The number of rows that room is made for before they are there: nobody need believe that
    /// there are more rows than bytes.
    pub(crate) fn expected_rows(&self) -> u64 {
        self.rows().min(self.input.len())
    }

    /// The row groups, or parts of them where there are fewer than threads could decode at a time.
    /// None has more than so many rows, if it can be cut.
    pub(crate) fn pieces(
        &self,
        places: &[Option<Place>],
        threads: NonZero<usize>,
        most_rows: usize,
    ) -> Vec<RowGroupPart> {
        let groups = self.metadata.metadata().row_groups();
        let is_flat = self.is_flat(places);
        let for_threads = match threads.get() {
            1 => 1,
            threads => (PARTS * threads).div_ceil(groups.len().max(1)),
        };
        let parts = |(group, rows): (usize, usize)| {
            let most = if is_flat { for_threads.max(rows.div_ceil(most_rows)) } else { 1 };
            RowGroupPart::of_group(group, rows, most)
        };
        groups.iter().map(|group| group.num_rows() as usize).enumerate().flat_map(parts).collect()
    }

    /// Whether the wanted columns have no lists inside, so that each value is one of a row and rows
    /// can be passed over by counting.
    fn is_flat(&self, places: &[Option<Place>]) -> bool {
        let schema = self.metadata.parquet_schema();
        let mask = projection(self.schema(), schema, places);
        let repeats = |leaf: usize| mask.leaf_included(leaf) && schema.column(leaf).max_rep_level() > 0;
        !(0..schema.num_columns()).any(repeats)
    }

    /// The fields with strings whose texts are all named by numbers as dictionaries of texts, so
    /// that each text is decoded once.
    fn hint(&self) -> Fields {
        let schema = self.metadata.parquet_schema();
        let of_text = |(index, field): (usize, &FieldRef)| {
            let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == index);
            let is_text = matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8);
            match leaf.filter(|&leaf| is_text && self.is_coded(leaf)) {
                Some(_) => {
                    let coded = DataType::Dictionary(Box::new(DataType::Int32), Box::new(field.data_type().clone()));
                    Arc::new(field.as_ref().clone().with_data_type(coded))
                }
                None => field.clone(),
            }
        };
        self.schema().fields().iter().enumerate().map(of_text).collect()
    }

    /// Whether all pages of a column name their values by numbers of a dictionary that is small.
    fn is_coded(&self, leaf: usize) -> bool {
        self.metadata.metadata().row_groups().iter().all(|group| {
            let chunk = group.column(leaf);
            let is_coded = |mask: &EncodingMask| {
                mask.is_only(Encoding::RLE_DICTIONARY) || mask.is_only(Encoding::PLAIN_DICTIONARY)
            };
            let size = chunk.dictionary_page_offset().map(|start| chunk.data_page_offset().saturating_sub(start));
            size.is_some_and(|size| (0..LARGEST_DICTIONARY).contains(&size))
                && chunk.page_encoding_stats_mask().is_some_and(is_coded)
        })
    }

    /// A decoder of some columns and nothing else.
    pub(crate) fn decoder(&self, places: &[Option<Place>]) -> Result<RowGroupDecoder, TraceError> {
        let schema = self.decoded_as.as_ref().unwrap_or_else(|| self.metadata.parquet_schema());
        let mask = projection(self.schema(), schema, places);
        let levels = || parquet_to_arrow_field_levels(schema, mask, Some(&self.hint())).map_err(|e| damaged(FORMAT, e));
        let levels = guarded(FORMAT, levels)?;
        Ok(RowGroupDecoder { input: self.input.clone(), metadata: self.metadata.clone(), levels })
    }
}

/// Some rows of a row group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowGroupPart {
    group: usize,
    /// The first row, and where the part ends.
    rows: Range<usize>,
    place: PartPlace,
}

/// The place of a part in its row group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartPlace {
    /// It is all of it.
    Whole,
    /// Others come behind.
    Within,
    /// It is the last: whatever else the row group has belongs to it.
    Last,
}

impl RowGroupPart {
    /// A row group in so many parts at the most, cut where batches end.
    fn of_group(group: usize, rows: usize, most: usize) -> Vec<Self> {
        let batches = rows.div_ceil(ROWS);
        let parts = most.min(batches / LEAST_BATCHES).max(1);
        let end = |part: usize| (batches * part / parts * ROWS).min(rows);
        let place = |part: usize| match part + 1 == parts {
            true if parts == 1 => PartPlace::Whole,
            true => PartPlace::Last,
            false => PartPlace::Within,
        };
        (0..parts).map(|part| Self { group, rows: end(part)..end(part + 1), place: place(part) }).collect()
    }

    /// The rows that are to be decoded; none if these are all that there are.
    fn selection(&self) -> Option<RowSelection> {
        let count = match self.place {
            PartPlace::Whole => return None,
            PartPlace::Within => self.rows.len(),
            PartPlace::Last => u32::MAX as usize,
        };
        Some(vec![RowSelector::skip(self.rows.start), RowSelector::select(count)].into())
    }
}

/// Decodes row groups.
pub(crate) struct RowGroupDecoder {
    input: Arc<Pages>,
    metadata: ArrowReaderMetadata,
    levels: FieldLevels,
}

impl RowGroupDecoder {
    /// The batches of a row group, or of some of its rows.
    fn batches(
        &self,
        part: &RowGroupPart,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, TraceError>>, TraceError> {
        let metadata = self.metadata.metadata().clone();
        let group = RowGroup { input: self.input.clone(), metadata, index: part.group };
        let batches = ParquetRecordBatchReader::try_new_with_row_groups(&self.levels, &group, ROWS, part.selection());
        let batches = batches.map_err(|error| damaged(FORMAT, error))?;
        Ok(batches.map(|batch| batch.map_err(|error| damaged(FORMAT, error))))
    }

    /// Hands on the batches of a part; those of its row group before a row are passed over.
    fn hand_on(&self, part: &RowGroupPart, from: usize, take: Take<'_>) -> Result<(), TraceError> {
        let mut at = part.rows.start;
        for batch in self.batches(part)? {
            let batch = batch?;
            at += batch.num_rows();
            if at > from && take(&batch).is_break() {
                return Ok(());
            }
        }
        match at == part.rows.end {
            true => Ok(()),
            false => {
                let claimed = self.metadata.metadata().row_group(part.group).num_rows();
                Err(damaged(FORMAT, format!("a row group has {at} rows, and claims {claimed}")))
            }
        }
    }
}

impl Decoder for RowGroupDecoder {
    type Piece = RowGroupPart;

    fn rows(&self, part: &RowGroupPart) -> usize {
        part.rows.len()
    }

    fn decode(&self, part: &RowGroupPart, take: Take<'_>) -> Result<(), TraceError> {
        guarded(FORMAT, || self.hand_on(part, part.rows.start, take))
    }

    /// Parts of a row group that follow each other are one.
    fn join(&self, part: &mut RowGroupPart, next: &RowGroupPart) -> bool {
        let is_next = part.group == next.group && part.rows.end == next.rows.start;
        if is_next {
            part.rows.end = next.rows.end;
            let is_whole = part.rows.start == 0 && next.place == PartPlace::Last;
            part.place = if is_whole { PartPlace::Whole } else { next.place };
        }
        is_next
    }

    /// A part of a row group is decoded like the whole, so that what is said of a table that is
    /// damaged does not depend on where it was cut.
    fn decode_again(&self, part: &RowGroupPart, take: Take<'_>) -> Result<(), TraceError> {
        if part.place == PartPlace::Whole {
            return self.decode(part, take);
        }
        let rows = self.metadata.metadata().row_group(part.group).num_rows() as usize;
        let whole = RowGroupPart { group: part.group, rows: 0..rows, place: PartPlace::Whole };
        let mut left = if part.place == PartPlace::Last { usize::MAX } else { part.rows.len() };
        guarded(FORMAT, || {
            self.hand_on(&whole, part.rows.start, &mut |batch| {
                left = left.saturating_sub(batch.num_rows());
                let taken = take(batch);
                if left == 0 { ControlFlow::Break(()) } else { taken }
            })
        })
    }
}

/// The leaves of the schema that the wanted columns are made of.
fn projection(schema: &Schema, parquet: &SchemaDescriptor, places: &[Option<Place>]) -> ProjectionMask {
    let mut starts = vec![0];
    for field in schema.fields() {
        starts.push(starts[starts.len() - 1] + leaves(field.data_type()));
    }
    let wanted = places.iter().flatten();
    if starts.last() != Some(&parquet.num_columns()) {
        // A type that is stored in a way of its own: whole columns are right whatever it is.
        return ProjectionMask::roots(parquet, wanted.map(|place| place.root));
    }
    let inside = |place: &Place| {
        let range = leaves_at(schema.field(place.root).data_type(), &place.steps);
        range.start + starts[place.root]..range.end + starts[place.root]
    };
    ProjectionMask::leaves(parquet, wanted.flat_map(inside))
}

/// The number of leaves of a type: the columns that are stored for it.
fn leaves(ty: &DataType) -> usize {
    match ty {
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field.data_type())).sum(),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => leaves(field.data_type()),
        _ => 1,
    }
}

/// The leaves at the end of a way.
fn leaves_at(ty: &DataType, steps: &[Step]) -> Range<usize> {
    match (ty, steps) {
        (DataType::Struct(fields), [Step::Member(name), rest @ ..]) if fields.find(name).is_some() => {
            let before = fields.iter().take_while(|field| field.name() != name);
            let start: usize = before.map(|field| leaves(field.data_type())).sum();
            let inside = fields.find(name).map_or(0..0, |(_, field)| leaves_at(field.data_type(), rest));
            start + inside.start..start + inside.end
        }
        (
            DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _),
            [Step::Element(_), rest @ ..],
        ) => leaves_at(field.data_type(), rest),
        _ => 0..leaves(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::{Int64Array, StringArray};
    use bytes::Bytes;
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    #[test]
    fn row_groups_are_cut_where_batches_end() {
        for (rows, most) in [(0, 4), (1, 4), (ROWS, 4), (ROWS * 9 + 5, 4), (ROWS * 100, 3), (ROWS * 3 - 1, 8)] {
            let parts = RowGroupPart::of_group(2, rows, most);
            assert!(parts.len() <= most && parts[0].rows.start == 0);
            assert!(parts.iter().all(|part| part.group == 2 && part.rows.start % ROWS == 0));
            assert!(parts.windows(2).all(|two| two[0].rows.end == two[1].rows.start));
            assert_eq!(parts.last().map(|last| (last.rows.end, last.place == PartPlace::Within)), Some((rows, false)));
        }
        assert_eq!(RowGroupPart::of_group(0, ROWS * 100, 4).len(), 4);
    }

    /// What a part has is that of the whole, and is decoded alone: otherwise nobody would notice
    /// that it is always decoded again.
    #[test]
    fn a_part_is_decoded_without_the_others() {
        let rows = (ROWS * 5 + 77) as i64;
        let texts: StringArray = (0..rows).map(|row| Some(["a", "b", "c"][row as usize % 3])).collect();
        let numbers: Int64Array = (0..rows).map(|row| (row % 7 > 0).then_some(row)).collect();
        let columns = [("n", Arc::new(numbers) as _, true), ("s", Arc::new(texts) as _, true)];
        let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("a batch");
        for limit in [1000, 30_000, usize::MAX] {
            let mut bytes = Vec::new();
            let properties = WriterProperties::builder().set_data_page_row_count_limit(limit).build();
            let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).expect("a writer");
            writer.write(&batch).expect("rows are written");
            writer.close().expect("a table is written");
            let table = ParquetTable::open(Input::Memory(Bytes::from(bytes))).expect("a table");
            let places = [0, 1].map(|root| Some(Place { root, steps: Vec::new() }));
            let decoder = table.decoder(&places).expect("a decoder");
            assert!(matches!(table.hint()[1].data_type(), DataType::Dictionary(..)), "texts are decoded once");
            let parts = table.pieces(&places, NonZero::new(2).expect("a number"), usize::MAX);
            assert!(parts.len() > 1, "{parts:?}");
            let numbers = |piece: &RowGroupPart| {
                let mut found = Vec::new();
                let decoded = decoder.decode(piece, &mut |batch| {
                    found.extend(AsArray::as_primitive::<arrow_array::types::Int64Type>(batch.column(0)));
                    ControlFlow::Continue(())
                });
                decoded.expect("a part is decoded");
                found
            };
            let found: Vec<Option<i64>> = parts.iter().flat_map(numbers).collect();
            assert!(found.into_iter().eq((0..rows).map(|row| (row % 7 > 0).then_some(row))), "pages of {limit} rows");
        }
    }
}
