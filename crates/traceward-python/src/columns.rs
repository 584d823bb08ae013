//! Columns given as lists or as arrays of NumPy, as a record batch.
//!
//! NumPy is never imported: an array tells its type and its bytes itself.

use crate::data;
use crate::value::{Given, given};
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PySet, PyString};
use std::sync::Arc;
use traceward::Value;

/// A date of NumPy that is none.
const NOT_A_TIME: i64 = i64::MIN;

/// The batch of columns by their names.
pub fn batch(columns: &Bound<'_, PyDict>) -> PyResult<RecordBatch> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (name, values) in columns {
        let name = name.cast::<PyString>().map_err(|_| PyTypeError::new_err("names of columns are texts"))?;
        let name = name.to_str()?;
        let array = column(name, &values)?;
        if let Some(first) = arrays.first()
            && first.len() != array.len()
        {
            let (one, other) = (first.len(), array.len());
            return Err(PyValueError::new_err(format!(
                "columns differ in length: `{name}` has {other} rows, not {one}"
            )));
        }
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let rows = arrays.first().map_or(0, |array| array.len());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

fn column(name: &str, values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    if values.is_instance_of::<PyString>() || values.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!("the column `{name}` is a single text; a list of values is needed")));
    }
    if values.is_instance_of::<PyDict>() || values.is_instance_of::<PySet>() || values.is_instance_of::<PyFrozenSet>() {
        let kind = values.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "the column `{name}` is a {kind}, which has no order; a list of values is needed"
        )));
    }
    if let Some(array) = of_arrow(name, values)? {
        return Ok(array);
    }
    // A series of pandas has arrays of NumPy, or of objects.
    let of_pandas = values.getattr("array").is_ok() && values.hasattr("to_numpy")?;
    let values = if of_pandas { values.call_method0("to_numpy")? } else { values.clone() };
    match of_numpy(name, &values)? {
        Some(array) => Ok(array),
        None => of_list(name, &values),
    }
}

/// The column that an array of PyArrow is, chunked or not.
fn of_arrow(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Option<ArrayRef>> {
    let whole = match values.hasattr("combine_chunks")? {
        true => values.call_method0("combine_chunks")?,
        false => values.clone(),
    };
    let Ok(array) = whole.getattr("__arrow_c_array__") else { return Ok(None) };
    let wrong = |error: &dyn std::fmt::Display| PyValueError::new_err(format!("the column `{name}`: {error}"));
    data::array_of(&array.call0()?).map(Some).map_err(|error| wrong(&error))
}

/// The column that an array of NumPy holds, if it is one of numbers, booleans or dates.
fn of_numpy(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Option<ArrayRef>> {
    let (Ok(dtype), Ok(shape)) = (values.getattr("dtype"), values.getattr("shape")) else { return Ok(None) };
    let Ok(code) = dtype.getattr("str").and_then(|code| code.extract::<String>()) else { return Ok(None) };
    if shape.len()? != 1 {
        return Err(PyValueError::new_err(format!("the column `{name}` has {} dimensions, not one", shape.len()?)));
    }
    let bytes = values.call_method0("tobytes")?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    Ok(Some(match code.as_str() {
        "|b1" => Arc::new(bytes.iter().map(|byte| Some(*byte != 0)).collect::<BooleanArray>()),
        "|i1" => numbers::<Int8Type, 1>(bytes, i8::from_le_bytes),
        "|u1" => numbers::<UInt8Type, 1>(bytes, u8::from_le_bytes),
        "<i2" => numbers::<Int16Type, 2>(bytes, i16::from_le_bytes),
        "<u2" => numbers::<UInt16Type, 2>(bytes, u16::from_le_bytes),
        "<i4" => numbers::<Int32Type, 4>(bytes, i32::from_le_bytes),
        "<u4" => numbers::<UInt32Type, 4>(bytes, u32::from_le_bytes),
        "<i8" => numbers::<Int64Type, 8>(bytes, i64::from_le_bytes),
        "<u8" => numbers::<UInt64Type, 8>(bytes, u64::from_le_bytes),
        "<f4" => numbers::<Float32Type, 4>(bytes, f32::from_le_bytes),
        "<f8" => numbers::<Float64Type, 8>(bytes, f64::from_le_bytes),
        "<M8[s]" => dates::<TimestampSecondType>(bytes),
        "<M8[ms]" => dates::<TimestampMillisecondType>(bytes),
        "<M8[us]" => dates::<TimestampMicrosecondType>(bytes),
        "<M8[ns]" => dates::<TimestampNanosecondType>(bytes),
        _ => return of_list(name, &values.call_method0("tolist")?).map(Some),
    }))
}

fn numbers<T: ArrowPrimitiveType, const SIZE: usize>(bytes: &[u8], read: fn([u8; SIZE]) -> T::Native) -> ArrayRef {
    let (words, _) = bytes.as_chunks::<SIZE>();
    Arc::new(PrimitiveArray::<T>::from_iter_values(words.iter().map(|word| read(*word))))
}

fn dates<T: ArrowPrimitiveType<Native = i64>>(bytes: &[u8]) -> ArrayRef {
    let (words, _) = bytes.as_chunks::<8>();
    let moments = words.iter().map(|word| Some(i64::from_le_bytes(*word)).filter(|moment| *moment != NOT_A_TIME));
    Arc::new(moments.collect::<PrimitiveArray<T>>())
}

/// The column that a list holds: its values are of one type, or missing.
fn of_list(name: &str, values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let rows = values.try_iter().map_err(|_| {
        let kind = values.get_type().name().map(|kind| kind.to_string()).unwrap_or_default();
        PyTypeError::new_err(format!("the column `{name}` is a list or an array of NumPy, not {kind}"))
    })?;
    let mut cells = Vec::new();
    let mut dates = 0;
    for value in rows {
        match given(&value?).map_err(|reason| PyValueError::new_err(format!("the column `{name}`: {reason}")))? {
            Given::Value(value) => cells.push(value),
            Given::Moment(moment) => {
                dates += 1;
                cells.push(Value::Int(moment));
            }
            Given::Members(_) => {
                return Err(PyTypeError::new_err(format!("the column `{name}` has dicts or lists in it")));
            }
        }
    }
    let several = || PyTypeError::new_err(format!("the column `{name}` has values of several types"));
    if dates > 0 {
        if dates < cells.iter().filter(|cell| !cell.is_missing()).count() {
            return Err(several());
        }
        let moment = |cell: &Value| if let Value::Int(moment) = cell { Some(*moment) } else { None };
        return Ok(Arc::new(cells.iter().map(moment).collect::<PrimitiveArray<TimestampNanosecondType>>()));
    }
    built(&cells).ok_or_else(several)
}

/// An array of values of one type; integers and floats together are floats where that is exact.
fn built(cells: &[Value]) -> Option<ArrayRef> {
    let first = cells.iter().find(|cell| !cell.is_missing());
    let has_floats = cells.iter().any(|cell| matches!(cell, Value::Float(_)));
    match first {
        None => {
            let mut missing = BooleanBuilder::new();
            cells.iter().for_each(|_| missing.append_null());
            Some(Arc::new(missing.finish()))
        }
        Some(Value::Bool(_)) => {
            let mut bits = BooleanBuilder::with_capacity(cells.len());
            for cell in cells {
                match cell {
                    Value::Bool(bit) => bits.append_value(*bit),
                    Value::Missing => bits.append_null(),
                    _ => return None,
                }
            }
            Some(Arc::new(bits.finish()))
        }
        Some(Value::Str(_)) => {
            let mut texts = StringBuilder::new();
            for cell in cells {
                match cell {
                    Value::Str(text) => texts.append_value(text),
                    Value::Missing => texts.append_null(),
                    _ => return None,
                }
            }
            Some(Arc::new(texts.finish()))
        }
        Some(_) if has_floats => {
            let mut numbers = Float64Builder::with_capacity(cells.len());
            for cell in cells {
                match cell {
                    Value::Float(float) => numbers.append_value(*float),
                    Value::Int(int) if (*int as f64) as i64 == *int => numbers.append_value(*int as f64),
                    Value::Missing => numbers.append_null(),
                    _ => return None,
                }
            }
            Some(Arc::new(numbers.finish()))
        }
        Some(_) => {
            let mut numbers = Int64Builder::with_capacity(cells.len());
            for cell in cells {
                match cell {
                    Value::Int(int) => numbers.append_value(*int),
                    Value::Missing => numbers.append_null(),
                    _ => return None,
                }
            }
            Some(Arc::new(numbers.finish()))
        }
    }
}
