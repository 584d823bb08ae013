//! Traces in tables: Parquet and Arrow.
//!
//! Columns are variables, and rows are states. What a value means is what a CSV field of the same
//! text, or a JSON value of the same type, would mean: `traceward-trace` decides it. A column
//! inside a struct is named `struct.column`, an element of a list `list.0`. A row is named by its
//! number, counted from 1, wherever an input of text would name a line.
//!
//! [`Table`] is a file, or bytes in memory; [`check_table`] asks a spec of it, [`inspect_table`]
//! tells what it holds. [`check`] takes record batches as they come, and so whatever speaks the C
//! data interface (a [`RecordBatchStreamReader`] is such a sequence): Python, Spark, DuckDB,
//! Polars.
//!
//! ```
//! use arrow_array::{BooleanArray, RecordBatch, RecordBatchIterator};
//! use std::sync::Arc;
//! use traceward::{CheckOptions, Spec, Verdict};
//!
//! let request = Arc::new(BooleanArray::from(vec![true, false]));
//! let grant = Arc::new(BooleanArray::from(vec![false, true]));
//! let batch = RecordBatch::try_from_iter([("request", request as _), ("grant", grant as _)])?;
//! let schema = batch.schema();
//! let batches = RecordBatchIterator::new([Ok(batch)], schema);
//!
//! let spec: Spec = "G(request -> F grant)".parse()?;
//! let report = traceward_arrow::check(&spec, batches, &CheckOptions::default())?;
//! assert_eq!(report.properties[0].verdict, Verdict::Satisfied);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The libraries that decode tables are heavy. So they are dependencies of this crate alone, and
//! whoever reads no tables does not compile them.

mod column;
mod columns;
mod decode;
mod drive;
mod flat;
mod input;
mod ipc;
mod pages;
mod parquet;
mod read;
mod runs;
mod skim;
mod stored;

pub use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
pub use arrow_array::{RecordBatch, RecordBatchReader};
pub use decode::is_guarded;
pub use input::{ReadAt, Table, TableProgress};
pub use read::{batches_input, check, check_table, inspect, inspect_table, read, read_table, table_input};
