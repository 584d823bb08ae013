//! The front door: a table becomes a trace, a report or an inspection.

use crate::column::Layout;
use crate::columns::{Columns, Place};
use crate::decode::{Decoder, Take, damaged, guarded, in_parts};
use crate::drive::drive;
use crate::flat::read_flat;
use crate::input::{Table, Watch};
use crate::ipc::{IpcTable, roots};
use crate::parquet::ParquetTable;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::Schema;
use std::collections::HashSet;
use std::num::NonZero;
use std::ops::ControlFlow;
use traceward::{CheckOptions, Error, Report, Spec, check_read};
use traceward_trace::{
    Format, Inspection, Note, ReadFailure, ReadInput, ReadOptions, ReadTrace, TableInspection, TableStates, TraceError,
};

/// Answers a spec's questions about a trace in a table.
pub fn check_table(spec: &Spec, table: Table, format: Format, options: &CheckOptions) -> Result<Report, Error> {
    check_read(spec, |read_options| table_input(table, format, read_options), options)
}

/// Answers a spec's questions about a trace in record batches.
pub fn check(spec: &Spec, batches: impl RecordBatchReader + Send, options: &CheckOptions) -> Result<Report, Error> {
    check_read(spec, |read_options| batches_input(batches, read_options), options)
}

/// Reads a trace from a table in Parquet, or else in Arrow's own format, into memory.
pub fn read_table(table: Table, format: Format, options: &ReadOptions) -> Result<ReadTrace, ReadFailure> {
    table_input(table, format, &in_memory(options)).map(whole)
}

/// Reads a trace from record batches, into memory.
pub fn read(batches: impl RecordBatchReader + Send, options: &ReadOptions) -> Result<ReadTrace, ReadFailure> {
    batches_input(batches, &in_memory(options)).map(whole)
}

fn in_memory(options: &ReadOptions) -> ReadOptions {
    ReadOptions { spill: None, ..options.clone() }
}

fn whole(input: ReadInput<'_>) -> ReadTrace {
    input.into_whole().expect("states that have no other place stay in memory")
}

/// Reads a trace from a table for [`check_read`]; states that do not fit into memory are elsewhere.
pub fn table_input(table: Table, format: Format, options: &ReadOptions) -> Result<ReadInput<'_>, ReadFailure> {
    let (input, watch) = table.into_input();
    if format == Format::PARQUET {
        let table = ParquetTable::open(input)?;
        let mut states = StatesOf::new(table.schema(), options)?;
        let watch = watch.of_rows(table.rows());
        if read_flat(&table, &states.places, &mut states.states, (options.pieces.threads, &watch)) {
            return states.states.finish(Ok(()), format);
        }
        let read = states.fill_by_row_groups(&table, &watch)?;
        return states.states.finish(read, format);
    }
    let table = IpcTable::open(input)?;
    let mut states = StatesOf::new(table.schema(), options)?;
    let decoder = table.decoder(&roots(&states.places));
    let read = states.fill(table, &decoder, &watch);
    states.states.finish(read, format)
}

/// Reads a trace from record batches for [`check_read`]; states that do not fit into memory are
/// elsewhere.
pub fn batches_input(
    batches: impl RecordBatchReader + Send,
    options: &ReadOptions,
) -> Result<ReadInput<'_>, ReadFailure> {
    let schema = batches.schema();
    let mut states = StatesOf::new(&schema, options)?;
    let decoder = Whole { roots: roots(&states.places) };
    let batches = batches.map(|batch| batch.map_err(|error| damaged("Arrow", error)));
    let read = states.fill(batches, &decoder, &Watch::default());
    states.states.finish(read, Format::ARROW)
}

/// Tells what a table holds. Of the options those about time, key and missing values count.
pub fn inspect_table(table: Table, format: Format, options: &ReadOptions) -> Result<Inspection, TraceError> {
    let options = &to_inspect(options);
    let (input, watch) = table.into_input();
    if format == Format::PARQUET {
        let table = ParquetTable::open(input)?;
        let inspection = InspectionOf::new(table.schema(), options)?;
        let decoder = table.decoder(&inspection.places)?;
        let pieces = table.pieces(&inspection.places, NonZero::<usize>::MIN, usize::MAX);
        let watch = watch.of_rows(table.rows());
        return inspection.finish(pieces.into_iter().map(Ok), &decoder, (format, &watch));
    }
    let table = IpcTable::open(input)?;
    let inspection = InspectionOf::new(table.schema(), options)?;
    let decoder = table.decoder(&roots(&inspection.places));
    inspection.finish(table, &decoder, (format, &watch))
}

/// Tells what record batches hold.
pub fn inspect(batches: impl RecordBatchReader, options: &ReadOptions) -> Result<Inspection, TraceError> {
    let options = &to_inspect(options);
    let inspection = InspectionOf::new(&batches.schema(), options)?;
    let decoder = Whole { roots: roots(&inspection.places) };
    let batches = batches.map(|batch| batch.map_err(|error| damaged("Arrow", error)));
    inspection.finish(batches, &decoder, (Format::ARROW, &Watch::default()))
}

fn to_inspect(options: &ReadOptions) -> ReadOptions {
    ReadOptions { variables: Vec::new(), ..options.clone() }
}

/// Batches that somebody else has decoded.
struct Whole {
    roots: Vec<usize>,
}

impl Decoder for Whole {
    type Piece = RecordBatch;

    fn decode(&self, piece: &RecordBatch, take: Take<'_>) -> Result<(), TraceError> {
        guarded("Arrow", || {
            let _ = in_parts(&piece.project(&self.roots).map_err(|error| damaged("Arrow", error))?, take);
            Ok(())
        })
    }
}

/// States in the making, and which columns they are made of.
pub(crate) struct StatesOf<'o> {
    options: &'o ReadOptions,
    pub(crate) states: TableStates<'o>,
    pub(crate) places: Vec<Option<Place>>,
}

impl<'o> StatesOf<'o> {
    pub(crate) fn new(schema: &Schema, options: &'o ReadOptions) -> Result<Self, TraceError> {
        let variables = options.variables.iter().map(|variable| &*variable.name);
        let time = options.time.iter().flat_map(|time| time.columns()).map(String::as_str);
        let columns = Columns::to_read(schema, variables.chain(time).chain(options.key.as_deref()));
        let states = TableStates::new(options, columns.names.clone())?;
        let places = columns.wanted(schema, states.fields())?;
        Ok(Self { options, states, places })
    }

    /// Takes all row groups, as the library decodes them. What is wrong with the table as a whole
    /// is an error at once.
    pub(crate) fn fill_by_row_groups(
        &mut self,
        table: &ParquetTable,
        watch: &Watch,
    ) -> Result<Result<(), TraceError>, TraceError> {
        let decoder = table.decoder(&self.places)?;
        let most_rows = self.states.most_rows_of_block();
        let pieces = table.pieces(&self.places, self.options.pieces.threads, most_rows);
        self.states.expect(table.expected_rows());
        Ok(self.fill(pieces.into_iter().map(Ok), &decoder, watch))
    }

    fn fill<D: Decoder>(
        &mut self,
        pieces: impl Iterator<Item = Result<D::Piece, TraceError>>,
        decoder: &D,
        watch: &Watch,
    ) -> Result<(), TraceError> {
        let layout = Layout::new(self.options, self.places.clone(), &roots(&self.places));
        drive(pieces, decoder, &layout, &mut self.states, (self.options.pieces.threads, watch))
    }
}

/// An inspection in the making, and which columns it looks at.
struct InspectionOf<'o> {
    options: &'o ReadOptions,
    inspection: TableInspection<'o>,
    places: Vec<Option<Place>>,
    /// The columns that are told of only if they have a value: lists have any number of elements.
    elements: HashSet<String>,
    /// The columns of which there is nothing to tell but that they are there.
    without_meaning: Vec<String>,
}

impl<'o> InspectionOf<'o> {
    fn new(schema: &Schema, options: &'o ReadOptions) -> Result<Self, TraceError> {
        let columns = Columns::to_inspect(schema);
        let inspection = TableInspection::new(options, columns.names.clone())?;
        let places = inspection.fields().iter().map(|field| field.map(|field| columns.places[field].clone())).collect();
        let (elements, without_meaning) = (columns.elements(), columns.without_meaning(schema));
        Ok(Self { options, inspection, places, elements, without_meaning })
    }

    fn finish<D: Decoder>(
        self,
        pieces: impl Iterator<Item = Result<D::Piece, TraceError>>,
        decoder: &D,
        (format, watch): (Format, &Watch),
    ) -> Result<Inspection, TraceError> {
        let layout = Layout::new(self.options, self.places.clone(), &roots(&self.places));
        let mut inspection = self.inspection;
        let mut rows = 0;
        for piece in pieces {
            let mut pushed = Ok(());
            decoder.decode(&piece?, &mut |batch| {
                pushed = layout.with_rows(batch, |rows| inspection.push(rows));
                rows += batch.num_rows() as u64;
                watch.tell(rows);
                if pushed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            pushed?;
        }
        let mut inspection = inspection.finish(format)?;
        inspection.columns.retain(|column| {
            let is_told = !self.elements.contains(&column.name) && !self.without_meaning.contains(&column.name);
            column.present > 0 || is_told
        });
        if !self.without_meaning.is_empty() {
            inspection.notes.push(Note::NoValues { columns: self.without_meaning });
        }
        Ok(inspection)
    }
}
