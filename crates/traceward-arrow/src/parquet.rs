//! Tables in Parquet: their row groups are decoded by themselves.

use crate::columns::{Place, Step};
use crate::decode::{Decoder, ROWS, Take, damaged, guarded};
use crate::input::Input;
use crate::pages::{Pages, RowGroup};
use arrow_schema::{DataType, Schema};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::schema::types::SchemaDescriptor;
use std::ops::Range;
use std::sync::Arc;
use traceward_trace::TraceError;

const FORMAT: &str = "Parquet";

/// A table whose description has been read.
pub(crate) struct ParquetTable {
    input: Arc<Pages>,
    metadata: ArrowReaderMetadata,
}

impl ParquetTable {
    pub(crate) fn open(input: Input) -> Result<Self, TraceError> {
        let load = || ArrowReaderMetadata::load(&input, ArrowReaderOptions::new()).map_err(|e| damaged(FORMAT, e));
        let metadata = guarded(FORMAT, load)?;
        let groups = metadata.metadata().row_groups();
        if groups.iter().any(|group| group.num_rows() < 0 || u32::try_from(group.num_rows()).is_err()) {
            return Err(damaged(FORMAT, "a row group claims a number of rows that none can have"));
        }
        Ok(Self { input: Arc::new(Pages(input)), metadata })
    }

    pub(crate) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    /// The row groups.
    pub(crate) fn pieces(&self) -> Range<usize> {
        0..self.metadata.metadata().num_row_groups()
    }

    /// A decoder of some columns and nothing else.
    pub(crate) fn decoder(&self, places: &[Option<Place>]) -> Result<RowGroupDecoder, TraceError> {
        let schema = self.metadata.parquet_schema();
        let mask = projection(self.schema(), schema, places);
        let hint = Some(self.schema().fields());
        let levels = || parquet_to_arrow_field_levels(schema, mask, hint).map_err(|error| damaged(FORMAT, error));
        let levels = guarded(FORMAT, levels)?;
        Ok(RowGroupDecoder { input: self.input.clone(), metadata: self.metadata.clone(), levels })
    }
}

/// Decodes row groups.
pub(crate) struct RowGroupDecoder {
    input: Arc<Pages>,
    metadata: ArrowReaderMetadata,
    levels: FieldLevels,
}

impl Decoder for RowGroupDecoder {
    type Piece = usize;

    fn decode(&self, &index: &usize, take: Take<'_>) -> Result<(), TraceError> {
        guarded(FORMAT, || {
            let metadata = self.metadata.metadata().clone();
            let (expected, input) = (metadata.row_group(index).num_rows(), self.input.clone());
            let group = RowGroup { input, metadata, index };
            let batches = ParquetRecordBatchReader::try_new_with_row_groups(&self.levels, &group, ROWS, None);
            let mut rows = 0;
            for batch in batches.map_err(|error| damaged(FORMAT, error))? {
                let batch = batch.map_err(|error| damaged(FORMAT, error))?;
                rows += batch.num_rows() as i64;
                if take(&batch).is_break() {
                    return Ok(());
                }
            }
            match rows == expected {
                true => Ok(()),
                false => Err(damaged(FORMAT, format!("a row group has {rows} rows, and claims {expected}"))),
            }
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
