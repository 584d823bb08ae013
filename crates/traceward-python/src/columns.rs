//! Columns given as lists or as arrays of NumPy, as a record batch.
//!
//! NumPy is never imported: an array tells its type and its bytes itself.

use crate::data::{self, Batches};
use crate::value::{Given, NOT_A_TIME, given};
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::types::{
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchOptions, make_array,
    new_null_array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema};
use arrow_select::concat::concat_batches;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PySet, PyString};
use std::sync::Arc;
use traceward::Value;
use traceward_arrow::RecordBatchReader;

/// A name and what it names.
type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The columns that are looked at.
pub enum Wanted {
    All,
    /// Those of these names, and those of which one is a member.
    Named(Vec<String>),
}

impl Wanted {
    /// Their names, if not all are looked at.
    pub fn names(&self) -> &[String] {
        match self {
            Self::All => &[],
            Self::Named(names) => names,
        }
    }

    /// Whether a column is looked at.
    pub fn has(&self, column: &str) -> bool {
        let is_of =
            |name: &String| name.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(is_of),
        }
    }
}

/// The batch of columns by their names. Of a column that nobody looks at it has the name alone:
/// that may be anything, as a column of a file may.
pub fn batch(columns: &Bound<'_, PyDict>, wanted: &Wanted) -> PyResult<RecordBatch> {
    let mut named = Vec::new();
    for (name, values) in columns.items().iter().map(|item| item.extract()).collect::<PyResult<Vec<Pair<'_>>>>()? {
        let name = name.cast::<PyString>().map_err(|_| PyTypeError::new_err("names of columns are texts"))?;
        named.push((name.to_str()?.to_owned(), values));
    }
    let read = |(name, values): &(String, _)| match wanted.has(name) {
        true => column(name, values).map(Some),
        false => Ok(None),
    };
    let arrays = named.iter().map(read).collect::<PyResult<Vec<_>>>()?;
    let rows = match (arrays.iter().flatten().next(), named.iter().find_map(|(_, values)| values.len().ok())) {
        (Some(array), _) => array.len(),
        (None, Some(rows)) => rows,
        // Nobody looks at any, and nothing else tells how many rows there are.
        (None, None) => match named.first() {
            Some((name, values)) => column(name, values)?.len(),
            None => 0,
        },
    };
    let mut fields = Vec::new();
    for ((name, values), array) in named.iter().zip(&arrays) {
        let other = array.as_ref().map_or_else(|| values.len().unwrap_or(rows), |array| array.len());
        if other != rows {
            return Err(PyValueError::new_err(format!(
                "columns differ in length: `{name}` has {other} rows, not {rows}"
            )));
        }
        let ty = array.as_ref().map_or(DataType::Null, |array| array.data_type().clone());
        fields.push(Field::new(name, ty, true));
    }
    let unread = || new_null_array(&DataType::Null, rows);
    let arrays = arrays.into_iter().map(|array| array.unwrap_or_else(unread)).collect();
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
    if let Some(array) = of_polars(name, values)? {
        return Ok(array);
    }
    let values = if is_of_pandas(values)? { of_pandas(values)? } else { values.clone() };
    match of_numpy(name, &values)? {
        Some(array) => Ok(array),
        None => of_list(name, &values),
    }
}

fn is_of_pandas(values: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(values.getattr("array").is_ok() && values.hasattr("to_numpy")?)
}

/// A series of pandas as an array of NumPy, if it is one inside, and otherwise as a list: NumPy has
/// no missing integers, and would round all of them.
fn of_pandas<'py>(values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let kind = values.getattr("dtype")?.get_type();
    let is_numpy = kind.module()?.to_str()?.starts_with("numpy");
    values.call_method0(if is_numpy { "to_numpy" } else { "tolist" })
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

/// The column that a series of Polars is, as it hands it over: what it gives to Python has
/// microseconds at the most. What it does not hand over, such as objects, is taken one by one.
fn of_polars(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Option<ArrayRef>> {
    if !data::is_of_polars(values)? || !values.hasattr("to_frame")? {
        return Ok(None);
    }
    let frame = values.call_method1("to_frame", (name,))?;
    let Ok(Some(batches)) = Batches::of(&frame, &Wanted::All) else { return Ok(None) };
    let wrong = |error| PyValueError::new_err(format!("the column `{name}`: {error}"));
    let schema = batches.schema();
    let batches = batches.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    concat_batches(&schema, &batches).map(|batch| Some(batch.column(0).clone())).map_err(wrong)
}

/// The column that an array of NumPy holds, if it is one of numbers, booleans or dates.
fn of_numpy(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Option<ArrayRef>> {
    let (Ok(dtype), Ok(shape)) = (values.getattr("dtype"), values.getattr("shape")) else { return Ok(None) };
    let Ok(code) = dtype.getattr("str").and_then(|code| code.extract::<String>()) else { return Ok(None) };
    if shape.len()? != 1 {
        return Err(PyValueError::new_err(format!("the column `{name}` has {} dimensions, not one", shape.len()?)));
    }
    // Its bytes do not tell what is masked.
    if let Some(mask) = mask(values)? {
        let array = of_numpy(name, &values.getattr("data")?)?;
        return Ok(array.map(|array| masked(&array, mask)));
    }
    if let Some(plain) = in_plain_unit(&code) {
        let converted = values.call_method1("astype", (plain,))?;
        // NumPy lets what does not fit wrap.
        let back = converted.call_method1("astype", (&dtype,))?;
        if !back.call_method0("tobytes")?.eq(values.call_method0("tobytes")?)? {
            return Err(PyValueError::new_err(format!(
                "the column `{name}` has a time that is out of range, between 1677 and 2262"
            )));
        }
        return of_numpy(name, &converted);
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
        "<m8[s]" => dates::<DurationSecondType>(bytes),
        "<m8[ms]" => dates::<DurationMillisecondType>(bytes),
        "<m8[us]" => dates::<DurationMicrosecondType>(bytes),
        "<m8[ns]" => dates::<DurationNanosecondType>(bytes),
        code if matches!(code.get(1..4), Some("M8[" | "m8[")) => {
            let (unit, kind) = (&code[1..], &code[1..4]);
            return Err(PyValueError::new_err(format!(
                "the column `{name}` is of the type {unit}, whose unit is no whole number of nanoseconds; \
                 if that may be lost: astype(\"{kind}ns]\")"
            )));
        }
        _ => return of_list(name, &values.call_method0("tolist")?).map(Some),
    }))
}

/// Which values of an array of NumPy are masked, if it can have some.
fn mask(values: &Bound<'_, PyAny>) -> PyResult<Option<Vec<bool>>> {
    let (Ok(mask), true) = (values.getattr("mask"), values.hasattr("filled")?) else { return Ok(None) };
    let len = values.len()?;
    let bytes = mask.call_method0("tobytes")?;
    let mut bytes = bytes.cast::<PyBytes>()?.as_bytes().iter().map(|byte| *byte != 0).collect::<Vec<_>>();
    // One for all of them.
    if let &[all] = bytes.as_slice() {
        bytes = vec![all; len];
    }
    Ok(Some(bytes))
}

/// The column without the values that are masked.
fn masked(array: &ArrayRef, mask: Vec<bool>) -> ArrayRef {
    let present = NullBuffer::from(mask.into_iter().map(|is_masked| !is_masked).collect::<Vec<_>>());
    let nulls = NullBuffer::union(array.nulls(), Some(&present));
    let data = array.to_data().into_builder().nulls(nulls);
    // Only which values there are has changed.
    data.build().map_or_else(|_| array.clone(), make_array)
}

/// The code of NumPy for dates and durations in a unit that is taken, if they are in another order
/// of bytes, or in a longer unit, or in several of one. Days and weeks are seconds, then.
fn in_plain_unit(code: &str) -> Option<String> {
    let (kind, unit) = (code.strip_prefix(['<', '>'])?.get(..3)?, code.get(4..)?.strip_suffix(']')?);
    if !matches!(kind, "M8[" | "m8[") {
        return None;
    }
    let unit = unit.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let plain = match (unit, kind) {
        ("s" | "ms" | "us" | "ns", _) => unit,
        ("m" | "h" | "D" | "W", _) | ("M" | "Y", "M8[") => "s",
        _ => return None,
    };
    let plain = format!("<{kind}{plain}]");
    (plain != code).then_some(plain)
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
    let several = || {
        let is_number = |cell: &Value| matches!(cell, Value::Int(_) | Value::Float(_) | Value::Missing);
        let what = match dates == 0 && cells.iter().all(is_number) {
            true => "floats beside integers that a float would round",
            false => "values of several types",
        };
        PyTypeError::new_err(format!("the column `{name}` has {what}"))
    };
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
                    Value::Int(int) if (*int as f64) as i128 == i128::from(*int) => numbers.append_value(*int as f64),
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
