//! Answers as tables for whoever speaks Arrow.

use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use traceward_arrow::FFI_ArrowArrayStream;

/// A table that PyArrow, Polars, pandas and DuckDB take: `pyarrow.table(it)`,
/// `polars.DataFrame(it)`.
#[pyclass(frozen, module = "traceward")]
pub struct ArrowTable(RecordBatch);

impl ArrowTable {
    /// The table of columns by their names, all of one length.
    pub fn new(columns: Vec<(String, ArrayRef)>) -> PyResult<Self> {
        let columns = columns.into_iter().map(|(name, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns);
        batch.map(Self).map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
    }
}

#[pymethods]
impl ArrowTable {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        let names = self.column_names().join(", ");
        format!("<traceward.ArrowTable of {} rows: {names}>", self.num_rows())
    }

    /// Arrow's C stream interface: a capsule with the stream. The schema is always its own.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol allows to hand over another schema than was asked for.
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}
