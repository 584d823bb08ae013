//! Batches that are counted while they are read, for those who wait.

use crate::data::Batches;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use std::path::Path;
use traceward_cli::binding::{Reading, RowCount};

/// Batches whose rows are counted, and whose reading may be ended.
pub struct Counted {
    batches: Batches,
    count: RowCount,
}

impl Counted {
    /// The batches of a table, read so.
    pub fn new(batches: Batches, reading: Reading) -> Self {
        Self { batches: batches.interrupted_by(reading.interrupt), count: reading.count_rows(Path::new("<table>")) }
    }
}

impl Iterator for Counted {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        if let Ok(batch) = &batch {
            self.count.add(batch.num_rows(), batch.get_array_memory_size());
        }
        Some(batch)
    }
}

impl RecordBatchReader for Counted {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }
}
