//! Every type of Arrow, in every form of a table, means what its values say.

mod common;

use arrow_array::builder::{FixedSizeListBuilder, Int32Builder, ListBuilder, StringDictionaryBuilder};
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::i256;
use arrow_schema::{DataType, Field, Fields, Schema};
use common::{Form, all_arrow, all_parquet, parquet, read_form};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, encode_arrow_schema};
use parquet::data_type::{FixedLenByteArray, FixedLenByteArrayType, Int96, Int96Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::collections::HashMap;
use std::num::NonZero;
use std::sync::Arc;
use traceward_arrow::{Table, inspect, read_table};
use traceward_logic::lower::{ClassId, Expected};
use traceward_logic::value::{Value, ValueType};
use traceward_trace::{
    Format, Note, Pieces, ReadFailure, ReadOptions, ReadTrace, ReadVariable, TimeColumn, TimeUnit, TraceErrorKind,
};

const BOOL: Expected = Expected::Type(ValueType::Boolean);
const NUMBER: Expected = Expected::Type(ValueType::Number);
const TEXT: Expected = Expected::Type(ValueType::String);
const OPEN: Expected = Expected::Open(ClassId(0));

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("columns of the same length")
}

/// Every form of a table in one batch, and in two with an empty one between that are parts of
/// others.
fn forms(batch: &RecordBatch) -> Vec<Form> {
    let half = batch.num_rows() / 2;
    let parts = [batch.slice(0, half), batch.slice(half, 0), batch.slice(half, batch.num_rows() - half)];
    let mut forms = all_parquet(std::slice::from_ref(batch), 2);
    forms.extend(all_arrow(std::slice::from_ref(batch)));
    // A dictionary that changes is no part of a file, so streams and batches show the parts.
    forms.extend(
        all_arrow(&parts).into_iter().filter(|form| !matches!(form, Form::Bytes { name, .. } if name.contains("file"))),
    );
    forms
}

fn shown(trace: &ReadTrace, variable: usize) -> String {
    let Some(column) = &trace.columns[variable] else { return "unknown".to_owned() };
    let value = |position| match column.value(position) {
        Value::Missing => "-".to_owned(),
        Value::Float(float) => format!("{float:?}"),
        Value::Str(text) => text.to_string(),
        value => value.to_string(),
    };
    (0..trace.states).map(value).collect::<Vec<_>>().join(" ")
}

fn want(name: &str, expected: Expected) -> ReadOptions {
    ReadOptions { variables: vec![ReadVariable::new(name, expected)], ..ReadOptions::default() }
}

/// Reads a column in every form, with one thread and with two.
fn each_form(array: &ArrayRef, options: &ReadOptions, check: impl Fn(&str, Result<ReadTrace, ReadFailure>)) {
    let batch = batch(vec![("x", array.clone())]);
    for form in forms(&batch) {
        let name = match &form {
            Form::Bytes { name, .. } => name.clone(),
            Form::Batches(_) => "batches".to_owned(),
        };
        for threads in [1, 2] {
            let threads = NonZero::new(threads).expect("a thread");
            let pieces = Pieces { threads, ..Pieces::default() };
            check(&name, read_form(&form, &ReadOptions { pieces, ..options.clone() }));
        }
    }
}

/// What a column is read as, in every form.
fn expect(array: impl Array + 'static, expected: Expected, values: &str) {
    expect_with(Arc::new(array), &want("x", expected), values);
}

fn expect_with(array: ArrayRef, options: &ReadOptions, values: &str) {
    each_form(&array, options, |form, read| match read {
        Ok(trace) => assert_eq!(shown(&trace, 0), values, "{form} of {}", array.data_type()),
        Err(failure) => panic!("{form} of {}: {:?}", array.data_type(), failure.error),
    });
}

/// What is wrong with a column, in every form.
fn expect_error(array: impl Array + 'static, options: &ReadOptions, row: Option<u64>, kind: &TraceErrorKind) {
    let array: ArrayRef = Arc::new(array);
    each_form(&array, options, |form, read| {
        let Err(failure) = read else { panic!("{form} of {} is read", array.data_type()) };
        assert_eq!(failure.error.kind(), kind, "{form} of {}", array.data_type());
        assert_eq!(failure.error.line(), row, "{form} of {}", array.data_type());
        assert_eq!(failure.error.column(), Some("x"), "{form} of {}", array.data_type());
    });
}

#[test]
fn booleans_are_booleans() {
    let bits = || BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]);
    expect(bits(), BOOL, "true - false true");
    expect(bits(), OPEN, "true - false true");
    expect(Int8Array::from(vec![1, 0, 1]), BOOL, "true false true");
    expect_error(Int8Array::from(vec![1, 0, 2]), &want("x", BOOL), Some(3), &TraceErrorKind::NotBool("2".to_owned()));
    expect_error(bits(), &want("x", NUMBER), Some(1), &TraceErrorKind::NotNumber("true".to_owned()));
}

#[test]
fn integers_of_every_size_are_integers() {
    expect(Int8Array::from(vec![Some(-128), None, Some(127)]), NUMBER, "-128 - 127");
    expect(Int16Array::from(vec![Some(-32768), None, Some(32767)]), NUMBER, "-32768 - 32767");
    expect(Int32Array::from(vec![Some(i32::MIN), None, Some(i32::MAX)]), NUMBER, "-2147483648 - 2147483647");
    expect(
        Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MAX)]),
        NUMBER,
        "-9223372036854775808 - 9223372036854775807",
    );
    expect(UInt8Array::from(vec![Some(0), None, Some(255)]), NUMBER, "0 - 255");
    expect(UInt16Array::from(vec![Some(0), None, Some(65535)]), NUMBER, "0 - 65535");
    expect(UInt32Array::from(vec![Some(0), None, Some(u32::MAX)]), NUMBER, "0 - 4294967295");
    expect(UInt64Array::from(vec![Some(0), None, Some(i64::MAX as u64)]), NUMBER, "0 - 9223372036854775807");
    expect(Int64Array::from(vec![Some(7), None]), OPEN, "7 -");
}

#[test]
fn an_integer_that_does_not_fit_is_the_error_it_is_in_csv() {
    let large = UInt64Array::from(vec![Some(1), None, Some(1 << 63)]);
    let kind = TraceErrorKind::NumberTooBig("9223372036854775808".to_owned());
    expect_error(large, &want("x", NUMBER), Some(3), &kind);
    let csv = traceward_trace::read("x\n1\n\n9223372036854775808\n".as_bytes(), &want("x", NUMBER)).unwrap_err();
    assert_eq!(csv.kind(), &kind);
}

#[test]
fn floats_are_floats_and_a_nan_is_missing() {
    let half = |float: f32| half::f16::from_f32(float);
    expect(Float16Array::from(vec![Some(half(0.5)), None, Some(half(-2.0))]), NUMBER, "0.5 - -2.0");
    expect(Float32Array::from(vec![Some(0.5), None, Some(f32::NAN), Some(-2.0)]), NUMBER, "0.5 - - -2.0");
    expect(Float64Array::from(vec![Some(0.1), None, Some(f64::NAN), Some(f64::INFINITY)]), NUMBER, "0.1 - - inf");
    expect(Float64Array::from(vec![Some(f64::NAN), Some(1.0)]), OPEN, "- 1.0");
}

#[test]
fn decimals_are_read_as_they_are_written() {
    let scaled = |values: Vec<Option<i128>>, scale| {
        Decimal128Array::from(values).with_precision_and_scale(38, scale).expect("a scale")
    };
    expect(scaled(vec![Some(12345), None, Some(-5)], 2), NUMBER, "123.45 - -0.05");
    expect(scaled(vec![Some(12345), None, Some(-5)], 0), NUMBER, "12345 - -5");
    let small = Decimal32Array::from(vec![Some(15), None]).with_precision_and_scale(9, 1).expect("a scale");
    expect(small, NUMBER, "1.5 -");
    let middle = Decimal64Array::from(vec![Some(-15), None]).with_precision_and_scale(18, 1).expect("a scale");
    expect(middle, NUMBER, "-1.5 -");
    let wide = Decimal256Array::from(vec![Some(i256::from_i128(25)), None]);
    expect(wide.with_precision_and_scale(76, 1).expect("a scale"), NUMBER, "2.5 -");
    let large = 10_i128.pow(30);
    let kind = TraceErrorKind::NumberTooBig(large.to_string());
    expect_error(scaled(vec![Some(1), Some(large)], 0), &want("x", NUMBER), Some(2), &kind);
}

#[test]
fn texts_of_every_kind_are_texts() {
    let texts = || vec![Some("a"), None, Some("a somewhat longer text"), Some("")];
    let expected = "a - a somewhat longer text ";
    expect(StringArray::from(texts()), TEXT, expected);
    expect(LargeStringArray::from(texts()), TEXT, expected);
    expect(StringViewArray::from(texts()), TEXT, expected);
    let bytes = || texts().into_iter().map(|text| text.map(str::as_bytes)).collect::<Vec<_>>();
    expect(BinaryArray::from(bytes()), TEXT, expected);
    expect(LargeBinaryArray::from(bytes()), TEXT, expected);
    expect(BinaryViewArray::from(bytes()), TEXT, expected);
    let fixed = [Some(b"ab"), None, Some(b"cd")].into_iter();
    expect(FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 2).expect("bytes"), TEXT, "ab - cd");
    let damaged = BinaryArray::from(vec![&b"good"[..], b"\xff\xfe"]);
    expect_error(damaged, &want("x", TEXT), Some(2), &TraceErrorKind::InvalidUtf8);
    expect_error(
        StringArray::from(vec!["1", "2"]),
        &want("x", NUMBER),
        Some(1),
        &TraceErrorKind::NotNumber("1".into()),
    );
}

#[test]
fn a_declared_type_converts() {
    let mut options = want("x", NUMBER);
    options.variables[0].is_declared = true;
    expect_with(Arc::new(StringArray::from(vec![Some("1"), None, Some("2.5")])), &options, "1 - 2.5");
    let mut options = want("x", TEXT);
    options.variables[0].is_declared = true;
    expect_with(Arc::new(Int32Array::from(vec![Some(404), None])), &options, "404 -");
    let day = Date32Array::from(vec![Some(1), None]);
    expect_with(Arc::new(day), &options, "1970-01-02T00:00:00Z -");
}

#[test]
fn a_text_may_stand_for_a_missing_value() {
    let options = ReadOptions { null: vec!["N/A".to_owned(), "-1".to_owned()], ..want("x", TEXT) };
    expect_with(Arc::new(StringArray::from(vec!["a", "N/A", "b"])), &options, "a - b");
    let options = ReadOptions { null: options.null, ..want("x", NUMBER) };
    expect_with(Arc::new(Int64Array::from(vec![1, -1, 2])), &options, "1 - 2");
}

#[test]
fn dictionaries_are_their_values() {
    let mut builder = StringDictionaryBuilder::<Int8Type>::new();
    ["b", "a", "b"].iter().for_each(|text| drop(builder.append(text)));
    builder.append_null();
    expect(builder.finish(), TEXT, "b a b -");
    let keys = UInt16Array::from(vec![Some(1), None, Some(0), Some(1)]);
    let numbers = DictionaryArray::new(keys, Arc::new(Int64Array::from(vec![10, 20])));
    expect(numbers, NUMBER, "20 - 10 20");
    let keys = Int8Array::from(vec![Some(1), None, Some(0)]);
    let moments = DictionaryArray::new(keys, Arc::new(TimestampSecondArray::from(vec![1, 2])));
    expect(moments, NUMBER, "2000000000 - 1000000000");
}

/// As pandas and Polars write columns of few values. The library that writes tables here writes
/// them in no Parquet, so what others have written in it is taken from the description.
#[test]
fn dictionaries_of_booleans_and_decimals_are_their_values() {
    let bits: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
    let decimals = Decimal128Array::from(vec![150, 25, 150]).with_precision_and_scale(30, 2).expect("a scale");
    for (values, expected, shown_as) in
        [(bits, BOOL, "true false true"), (Arc::new(decimals) as ArrayRef, NUMBER, "1.5 0.25 1.5")]
    {
        let coded = DataType::Dictionary(Box::new(DataType::Int8), Box::new(values.data_type().clone()));
        let claimed = Schema::new(vec![Field::new("x", coded, true)]);
        let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![KeyValue::new(
            ARROW_SCHEMA_META_KEY.to_owned(),
            encode_arrow_schema(&claimed),
        )]));
        let batch = batch(vec![("x", values)]);
        let mut bytes = Vec::new();
        let options = ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
        let mut writer = ArrowWriter::try_new_with_options(&mut bytes, batch.schema(), options).expect("a writer");
        writer.write(&batch).expect("a batch is written");
        writer.close().expect("the table is written");
        let trace = read_table(Table::from_bytes(bytes), Format::PARQUET, &want("x", expected));
        assert_eq!(shown(&trace.expect("it is read"), 0), shown_as);
    }
}

/// A table in Parquet with one column, of a type that Arrow does not write.
fn stored<T: parquet::data_type::DataType>(column: &str, values: &[T::T], present: &[i16]) -> Form {
    stored_again::<T>(column, values, present, None)
}

/// The same for a column that may have several values in a row.
fn stored_again<T: parquet::data_type::DataType>(
    column: &str,
    values: &[T::T],
    present: &[i16],
    again: Option<&[i16]>,
) -> Form {
    let end = if column.ends_with('}') { "" } else { ";" };
    let schema = parse_message_type(&format!("message table {{ {column}{end} }}")).expect("a schema");
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::default()).expect("a writer of Parquet");
    let mut group = writer.next_row_group().expect("a row group");
    let mut column = group.next_column().expect("a column").expect("the only one");
    column.typed::<T>().write_batch(values, Some(present), again).expect("values are written");
    column.close().expect("a column is written");
    group.close().expect("a row group is written");
    writer.close().expect("the table is written");
    Form::Bytes { name: "Parquet".to_owned(), format: Format::PARQUET, bytes }
}

/// A moment in 96 bits: the nanoseconds of a day, and its number as astronomers count.
fn old_moment(day: u32, nanoseconds: u64) -> Int96 {
    let mut moment = Int96::new();
    moment.set_data(nanoseconds as u32, (nanoseconds >> 32) as u32, day);
    moment
}

#[test]
fn moments_in_96_bits_never_wrap() {
    const FIRST: u32 = 2_440_588;
    let never = old_moment(FIRST + 2_932_896, 0);
    let values = [old_moment(FIRST, 1), old_moment(FIRST - 1, 999), never];
    let table = |values: &[Int96], present: &[i16]| stored::<Int96Type>("optional int96 x", values, present);
    let near = read_form(&table(&values[..2], &[1, 0, 1]), &want("x", NUMBER)).expect("it is read");
    assert_eq!(shown(&near, 0), "1 - -86399999999001");
    let far = table(&values, &[1, 0, 1, 1]);
    let error = read_form(&far, &want("x", NUMBER)).unwrap_err().error;
    assert_eq!(
        (error.line(), error.kind()),
        (Some(4), &TraceErrorKind::NumberTooBig("253402214400000000000".to_owned()))
    );
    assert_eq!(shown(&read_form(&far, &want("x", Expected::Presence)).expect("it is read"), 0), "true - true true");
    let time = ReadOptions { time: Some(TimeColumn::new("x", None)), ..ReadOptions::default() };
    let error = read_form(&table(&values[2..], &[1]), &time).unwrap_err().error;
    assert_eq!(error.kind(), &TraceErrorKind::TimeOutOfRange("9999-12-31T00:00:00Z".to_owned()));
}

/// What one value of a column is does not depend on the others.
#[test]
fn moments_in_96_bits_beside_far_ones_are_dates() {
    let values = [old_moment(2_440_588, 1), old_moment(u32::MAX / 2, 0), old_moment(1 << 31, u64::MAX)];
    let far = |day: i32| (i128::from(day) - 2_440_588) * 86_400_000_000_000;
    let far = [far(i32::MAX), far(i32::MIN) - 1];
    let mut options = want("x", TEXT);
    options.variables[0].is_declared = true;
    let table = stored::<Int96Type>("optional int96 x", &values, &[1, 1, 0, 1]);
    let shown_as = format!("1970-01-01T00:00:00.000000001Z {} - {}", far[0], far[1]);
    assert_eq!(shown(&read_form(&table, &options).expect("it is read"), 0), shown_as);
    let error = read_form(&table, &want("x", NUMBER)).unwrap_err().error;
    assert_eq!((error.line(), error.kind()), (Some(2), &TraceErrorKind::NumberTooBig(far[0].to_string())));
}

#[test]
fn moments_in_96_bits_inside_of_structs_and_lists_are_exact() {
    let values = [old_moment(2_440_588, 1), old_moment(2_440_587, 999), old_moment(2_440_589, 7)];
    let of_struct = "optional group s { optional int32 n; optional int96 at; }";
    let schema = parse_message_type(&format!("message table {{ {of_struct} }}")).expect("a schema");
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::default()).expect("a writer");
    let mut group = writer.next_row_group().expect("a row group");
    let mut numbers = group.next_column().expect("a column").expect("the first");
    let written = numbers.typed::<parquet::data_type::Int32Type>().write_batch(&[7, 8], Some(&[2, 0, 1, 2]), None);
    written.expect("values are written");
    numbers.close().expect("a column is written");
    let mut moments = group.next_column().expect("a column").expect("the second");
    let written = moments.typed::<Int96Type>().write_batch(&values[..2], Some(&[2, 0, 1, 2]), None);
    written.expect("values are written");
    moments.close().expect("a column is written");
    group.close().expect("a row group is written");
    writer.close().expect("the table is written");
    let table = Form::Bytes { name: "Parquet".to_owned(), format: Format::PARQUET, bytes };
    assert_eq!(shown(&read_form(&table, &want("s.at", NUMBER)).expect("it is read"), 0), "1 - - -86399999999001");
    assert_eq!(shown(&read_form(&table, &want("s.n", NUMBER)).expect("it is read"), 0), "7 - - 8");
    let lists = [
        ("optional group l (LIST) { repeated group list { optional int96 element; } }", [3, 3, 3, 0]),
        ("optional group l (LIST) { repeated int96 element; }", [2, 2, 2, 0]),
        ("repeated int96 l", [1, 1, 1, 0]),
    ];
    for (column, present) in lists {
        let table = stored_again::<Int96Type>(column, &values, &present, Some(&[0, 1, 0, 0]));
        for (name, expected) in [("l.0", "1 86400000000007 -"), ("l.1", "-86399999999001 - -")] {
            assert_eq!(shown(&read_form(&table, &want(name, NUMBER)).expect("it is read"), 0), expected, "{column}");
        }
        // As microseconds it wraps as well.
        let late = old_moment(u32::MAX / 2, 0);
        let table = stored_again::<Int96Type>(column, &[values[0], late, late], &present, Some(&[0, 1, 0, 0]));
        let error = read_form(&table, &want("l.0", NUMBER)).unwrap_err().error;
        assert_eq!(error.line(), Some(2), "{column}: {error:?}");
    }
}

#[test]
fn a_column_whose_type_has_no_meaning_is_not_said_to_be_empty() {
    let intervals = IntervalDayTimeArray::from(vec![IntervalDayTimeType::make_value(1, 2); 2]);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("x", Arc::new(Int32Array::from(vec![1, 2]))), ("lasts", Arc::new(intervals))];
    let batch = batch(columns);
    let schema = batch.schema();
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    let inspection = inspect(batches, &ReadOptions::default()).expect("it is inspected");
    assert_eq!(inspection.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["x"]);
    let note = Note::NoValues { columns: vec!["lasts".to_owned()] };
    assert_eq!(note.to_string(), "left out, since their types are no values here: `lasts`");
    assert_eq!(inspection.notes, [note]);
}

#[test]
fn unique_numbers_are_their_texts() {
    const TEXT_OF_IT: &str = "00ff1234-5678-9abc-def0-0123456789ab";
    let number: Vec<u8> = (0..16)
        .map(|at| u8::from_str_radix(&TEXT_OF_IT.replace('-', "")[2 * at..2 * at + 2], 16))
        .collect::<Result<_, _>>()
        .expect("a number");
    let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some(&number), None].into_iter(), 16);
    let array: ArrayRef = Arc::new(array.expect("numbers of one size"));
    let marked = |name: &str| {
        let mark = HashMap::from([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]);
        Field::new(name, DataType::FixedSizeBinary(16), true).with_metadata(mark)
    };
    let inside = StructArray::new(vec![marked("id")].into(), vec![array.clone()], None);
    let schema = Schema::new(vec![marked("x"), Field::new("s", inside.data_type().clone(), true)]);
    let table = RecordBatch::try_new(Arc::new(schema), vec![array, Arc::new(inside)]).expect("a table");
    for form in forms(&table) {
        for name in ["x", "s.id"] {
            let trace = read_form(&form, &want(name, TEXT)).expect("it is read");
            assert_eq!(shown(&trace, 0), format!("{TEXT_OF_IT} -"));
        }
    }
    let stored = stored::<FixedLenByteArrayType>(
        "optional fixed_len_byte_array(16) x (UUID)",
        &[FixedLenByteArray::from(number.clone())],
        &[0, 1],
    );
    assert_eq!(shown(&read_form(&stored, &want("x", TEXT)).expect("it is read"), 0), format!("- {TEXT_OF_IT}"));
    let listed = stored_again::<FixedLenByteArrayType>(
        "optional group l (LIST) { repeated group list { optional fixed_len_byte_array(16) element (UUID); } }",
        &[FixedLenByteArray::from(number)],
        &[0, 3],
        Some(&[0, 0]),
    );
    assert_eq!(shown(&read_form(&listed, &want("l.0", TEXT)).expect("it is read"), 0), format!("- {TEXT_OF_IT}"));
}

#[test]
fn a_dictionary_may_have_no_value_for_a_number() {
    let keys = Int32Array::from(vec![Some(1), Some(0), None]);
    let texts = DictionaryArray::new(keys, Arc::new(StringArray::from(vec![Some("a"), None])));
    let batches = vec![batch(vec![("x", Arc::new(texts))])];
    let trace = read_form(&Form::Batches(batches), &want("x", TEXT)).expect("it is read");
    assert_eq!(shown(&trace, 0), "- a -");
    let none: DictionaryArray<Int32Type> = vec![None::<&str>, None].into_iter().collect();
    let trace = read_form(&Form::Batches(vec![batch(vec![("x", Arc::new(none))])]), &want("x", TEXT)).expect("read");
    assert_eq!(shown(&trace, 0), "- -");
}

#[test]
fn moments_are_nanoseconds() {
    expect(Date32Array::from(vec![Some(1), None, Some(-1)]), NUMBER, "86400000000000 - -86400000000000");
    expect(TimestampSecondArray::from(vec![Some(2), None]), NUMBER, "2000000000 -");
    expect(TimestampMillisecondArray::from(vec![Some(2), None]).with_timezone("Europe/Berlin"), NUMBER, "2000000 -");
    expect(TimestampMicrosecondArray::from(vec![Some(2), None]), NUMBER, "2000 -");
    expect(TimestampNanosecondArray::from(vec![Some(2), None]).with_timezone("+02:00"), NUMBER, "2 -");
    expect(Time32SecondArray::from(vec![Some(2), None]), NUMBER, "2000000000 -");
    expect(Time32MillisecondArray::from(vec![Some(2), None]), NUMBER, "2000000 -");
    expect(Time64MicrosecondArray::from(vec![Some(2), None]), NUMBER, "2000 -");
    expect(Time64NanosecondArray::from(vec![Some(2), None]), NUMBER, "2 -");
    expect(DurationSecondArray::from(vec![Some(-2), None]), NUMBER, "-2000000000 -");
    expect(DurationMillisecondArray::from(vec![Some(2), None]), NUMBER, "2000000 -");
    expect(DurationMicrosecondArray::from(vec![Some(2), None]), NUMBER, "2000 -");
    expect(DurationNanosecondArray::from(vec![Some(2), None]), NUMBER, "2 -");
    let late = TimestampSecondArray::from(vec![Some(1), Some(253_370_764_800)]);
    let kind = TraceErrorKind::NumberTooBig("253370764800000000000".to_owned());
    expect_error(late, &want("x", NUMBER), Some(2), &kind);
}

#[test]
fn the_second_of_a_day_that_has_milliseconds_counts() {
    let day = Date64Array::from(vec![Some(1_500), None]);
    let trace = read_form(&Form::Batches(vec![batch(vec![("x", Arc::new(day))])]), &want("x", NUMBER)).expect("read");
    assert_eq!(shown(&trace, 0), "1500000000 -");
}

fn times(array: ArrayRef, unit: Option<TimeUnit>) -> ReadOptions {
    let options = ReadOptions { time: Some(TimeColumn::new("x", unit)), ..want("x", Expected::Presence) };
    assert!(array.null_count() == 0);
    options
}

fn expect_times(array: impl Array + 'static, unit: Option<TimeUnit>, expected: &[i64]) {
    let array: ArrayRef = Arc::new(array);
    let options = times(array.clone(), unit);
    each_form(&array, &options, |form, read| {
        let trace = read.unwrap_or_else(|failure| panic!("{form}: {:?}", failure.error));
        assert_eq!(trace.time.as_deref(), Some(expected), "{form} of {}", array.data_type());
    });
}

#[test]
fn timestamps_are_those_of_every_unit_and_zone() {
    const SECOND: i64 = 1_000_000_000;
    expect_times(TimestampSecondArray::from(vec![1, 2]), None, &[SECOND, 2 * SECOND]);
    expect_times(
        TimestampMillisecondArray::from(vec![1, 2]).with_timezone("Asia/Tokyo"),
        None,
        &[1_000_000, 2_000_000],
    );
    expect_times(TimestampMicrosecondArray::from(vec![1, 2]), Some(TimeUnit::H), &[1_000, 2_000]);
    expect_times(TimestampNanosecondArray::from(vec![1, 2]), None, &[1, 2]);
    expect_times(Date32Array::from(vec![0, 1]), None, &[0, 86_400 * SECOND]);
    expect_times(DurationSecondArray::from(vec![0, 1]), None, &[0, SECOND]);
    expect_times(Int64Array::from(vec![5, 6]), Some(TimeUnit::Ms), &[5_000_000, 6_000_000]);
    expect_times(UInt16Array::from(vec![5, 6]), Some(TimeUnit::S), &[5 * SECOND, 6 * SECOND]);
    expect_times(Float64Array::from(vec![0.5, 1.25]), Some(TimeUnit::S), &[SECOND / 2, SECOND + SECOND / 4]);
    expect_times(StringArray::from(vec!["1970-01-01T00:00:01Z", "1970-01-01 00:00:02"]), None, &[SECOND, 2 * SECOND]);
    // A time of day goes on behind midnight, as it does in CSV.
    let clock = Time32SecondArray::from(vec![86_399, 1]);
    expect_times(clock, None, &[86_399 * SECOND, 86_401 * SECOND]);
}

#[test]
fn timestamps_that_are_wrong_name_their_row() {
    let back = TimestampSecondArray::from(vec![5, 6, 4]);
    let options = times(Arc::new(back.clone()), None);
    let kind = TraceErrorKind::TimeDecreases {
        now: "1970-01-01T00:00:04Z".to_owned(),
        before: "1970-01-01T00:00:06Z".to_owned(),
        before_line: 2,
        key: None,
    };
    expect_error(back, &options, Some(3), &kind);
    let numbers = Int64Array::from(vec![5, 6]);
    expect_error(numbers, &options, Some(1), &TraceErrorKind::PlainNumberTime("5".to_owned()));
    let zoned = "2024-03-31T01:59:59[Europe/Berlin]";
    let texts = StringArray::from(vec!["2024-03-31T00:00:00+01:00[Europe/Berlin]", zoned]);
    expect_error(texts, &options, Some(2), &TraceErrorKind::NamedZone(zoned.to_owned()));
    let far = TimestampSecondArray::from(vec![0, 253_370_764_800]);
    let kind = TraceErrorKind::TimeOutOfRange("9999-01-01T00:00:00Z".to_owned());
    expect_error(far, &options, Some(2), &kind);
    expect_error(Int64Array::from(vec![None, Some(1)]), &options, Some(1), &TraceErrorKind::MissingTime);
}

#[test]
fn date_and_time_may_stand_in_two_columns() {
    let (days, clocks) = (Date32Array::from(vec![0, 1]), Time64MicrosecondArray::from(vec![2_000_000, 1]));
    let batch = batch(vec![("day", Arc::new(days)), ("clock", Arc::new(clocks))]);
    let time = TimeColumn { rest: vec!["clock".to_owned()], ..TimeColumn::new("day", None) };
    for form in forms(&batch) {
        let trace = read_form(&form, &ReadOptions { time: Some(time.clone()), ..ReadOptions::default() }).unwrap();
        assert_eq!(trace.time, Some(vec![2_000_000_000, 86_400_000_001_000]));
    }
}

#[test]
fn members_and_elements_are_found() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(2), None]));
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1), Some(2)]);
    lists.append_value([None]);
    lists.append_null();
    let mut pairs = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for pair in [[1, 2], [3, 4], [5, 6]] {
        pairs.values().append_slice(&pair);
        pairs.append(true);
    }
    let (lists, pairs): (ArrayRef, ArrayRef) = (Arc::new(lists.finish()), Arc::new(pairs.finish()));
    let fields: Fields = vec![
        Field::new("n", DataType::Int64, true),
        Field::new("l", lists.data_type().clone(), true),
        Field::new("p", pairs.data_type().clone(), true),
    ]
    .into();
    let nulls = arrow_buffer::NullBuffer::from(vec![true, false, true]);
    let structs: ArrayRef = Arc::new(StructArray::new(fields, vec![numbers, lists, pairs], Some(nulls)));
    for (name, expected) in [("x.n", "1 - -"), ("x.l.0", "1 - -"), ("x.l.1", "2 - -"), ("x.p.1", "2 - 6")] {
        expect_with(structs.clone(), &want(name, NUMBER), expected);
    }
    for form in forms(&batch(vec![("x", structs)])) {
        let failure = read_form(&form, &want("x", NUMBER)).unwrap_err();
        let members = ["x.n", "x.l", "x.p"].map(str::to_owned).to_vec();
        assert_eq!(failure.error.kind(), &TraceErrorKind::Container { found: "an object", members });
        let failure = read_form(&form, &want("x.p", NUMBER)).unwrap_err();
        let members = vec!["x.p.0".to_owned()];
        assert_eq!(failure.error.kind(), &TraceErrorKind::Container { found: "an array", members });
        let trace = read_form(&form, &want("x.q", NUMBER)).unwrap();
        assert!(trace.columns[0].is_none() && trace.names == ["x.n", "x.l", "x.p"]);
    }
}

#[test]
fn nothing_is_nothing() {
    expect(NullArray::new(3), NUMBER, "- - -");
    expect(NullArray::new(3), OPEN, "- - -");
}

/// The keys of a column, each with its positions, in every form.
fn expect_keys(array: impl Array + 'static, keys: &[(&str, &[u32])]) {
    let array: ArrayRef = Arc::new(array);
    let options = ReadOptions { key: Some("x".to_owned()), ..ReadOptions::default() };
    each_form(&array, &options, |form, read| {
        let Ok(ReadTrace { keys: Some(found), .. }) = read else { panic!("{form} of {}", array.data_type()) };
        let found: Vec<(String, &[u32])> =
            found.groups().map(|group| (group.key.to_string(), group.positions)).collect();
        let keys: Vec<(String, &[u32])> = keys.iter().map(|&(key, positions)| (key.to_owned(), positions)).collect();
        assert_eq!(found, keys, "{form} of {}", array.data_type());
    });
}

#[test]
fn keys_of_every_type_are_their_texts() {
    const LEAST: &str = "-9223372036854775808";
    expect_keys(
        Int64Array::from(vec![7, -12, 7, i64::MIN, 0]),
        &[("7", &[0, 2]), ("-12", &[1]), (LEAST, &[3]), ("0", &[4])],
    );
    expect_keys(UInt8Array::from(vec![100, 99, 100]), &[("100", &[0, 2]), ("99", &[1])]);
    expect_keys(Int32Array::from(vec![Some(5), None, Some(5), Some(1)]), &[("5", &[0, 1]), ("1", &[2])]);
    expect_keys(UInt64Array::from(vec![u64::MAX, 1]), &[("18446744073709551615", &[0]), ("1", &[1])]);
    expect_keys(Float64Array::from(vec![0.5, 2.0, 0.5]), &[("0.5", &[0, 2]), ("2", &[1])]);
    expect_keys(BooleanArray::from(vec![true, false, true]), &[("true", &[0, 2]), ("false", &[1])]);
    let texts = vec![Some("a"), Some("a key that is longer"), Some(""), None, Some("é"), Some("a")];
    let expected: [(&str, &[u32]); 3] = [("a", &[0, 3]), ("a key that is longer", &[1]), ("é", &[2])];
    expect_keys(StringArray::from(texts.clone()), &expected);
    expect_keys(LargeStringArray::from(texts.clone()), &expected);
    expect_keys(StringViewArray::from(texts.clone()), &expected);
    expect_keys(texts.into_iter().collect::<DictionaryArray<Int32Type>>(), &expected);
}

#[test]
fn integers_may_be_booleans() {
    expect(
        Int64Array::from(vec![1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1]),
        BOOL,
        "true false false true true false true false false true true",
    );
    expect(Int8Array::from(vec![Some(1), None, Some(0)]), BOOL, "true - false");
    let two = TraceErrorKind::NotBool("2".to_owned());
    expect_error(Int64Array::from(vec![1, 0, 0, 2, 1]), &want("x", BOOL), Some(4), &two);
    let less = TraceErrorKind::NotBool("-1".to_owned());
    expect_error(Int32Array::from(vec![1, -1]), &want("x", BOOL), Some(2), &less);
}

/// Whoever looks at the next page of a list, to know where a row ends, has read its header.
#[test]
fn lists_may_go_on_over_several_pages() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    (0..5000).for_each(|row| lists.append_value((0..row % 4).map(|place| Some(row * 4 + place))));
    let table = [batch(vec![("x", Arc::new(lists.finish()))])];
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_data_page_row_count_limit(100)
            .set_write_batch_size(50)
            .set_dictionary_enabled(false);
        let bytes = parquet(&table, properties.build());
        for threads in [1, 2] {
            let pieces = Pieces { threads: NonZero::new(threads).expect("a thread"), ..Pieces::default() };
            let options = ReadOptions { pieces, ..want("x.1", NUMBER) };
            let read = read_table(Table::from_bytes(&*bytes), Format::PARQUET, &options);
            let trace = read.unwrap_or_else(|failure| panic!("{version:?}: {:?}", failure.error));
            let expected = |row: i32| if row % 4 > 1 { (row * 4 + 1).to_string() } else { "-".to_owned() };
            let expected: Vec<String> = (0..5000).map(expected).collect();
            assert_eq!(shown(&trace, 0), expected.join(" "), "{version:?}");
        }
    }
}

#[test]
fn types_without_a_meaning_are_refused_if_they_are_wanted() {
    let interval = || -> ArrayRef { Arc::new(IntervalYearMonthArray::from(vec![1, 2])) };
    let batches = vec![batch(vec![("x", interval()), ("y", Arc::new(Int32Array::from(vec![1, 2])))])];
    let form = Form::Batches(batches);
    let failure = read_form(&form, &want("x", NUMBER)).unwrap_err();
    assert_eq!(failure.error.message(), "`x` has the type Interval(YearMonth), which is no value here");
    assert_eq!(shown(&read_form(&form, &want("y", NUMBER)).unwrap(), 0), "1 2");
}

#[test]
fn a_table_without_rows_is_an_empty_trace() {
    let empty = batch(vec![("x", Arc::new(Int32Array::from(Vec::<i32>::new())))]);
    for form in all_parquet(std::slice::from_ref(&empty), 2).into_iter().chain(all_arrow(std::slice::from_ref(&empty)))
    {
        let trace = read_form(&form, &want("x", NUMBER)).unwrap();
        assert_eq!((trace.states, &trace.names[..]), (0, &["x".to_owned()][..]));
        assert_eq!(trace.notes, [Note::NoRows]);
    }
}

#[test]
fn rows_are_counted_where_no_column_is_wanted() {
    let batch = batch(vec![("x", Arc::new(Int32Array::from(vec![1, 2, 3])))]);
    for form in forms(&batch) {
        let trace = read_form(&form, &ReadOptions::default()).unwrap();
        assert_eq!((trace.states, trace.lines.line(2)), (3, 3));
        assert!(trace.format == Format::PARQUET || trace.format == Format::ARROW);
    }
}

#[test]
fn batches_come_through_the_c_data_interface() {
    let part = |from: i64| batch(vec![("x", Arc::new((from..from + 3).map(Some).collect::<Int64Array>()))]);
    let (first, second) = (part(0).slice(1, 2), part(3));
    let schema = first.schema();
    let batches = RecordBatchIterator::new([Ok(first), Ok(second)], schema);
    let stream = traceward_arrow::FFI_ArrowArrayStream::new(Box::new(batches));
    let reader = traceward_arrow::RecordBatchStreamReader::try_new(stream).expect("a stream");
    let trace = traceward_arrow::read(reader, &want("x", NUMBER)).expect("it is read");
    assert_eq!(shown(&trace, 0), "1 2 3 4 5");
}
