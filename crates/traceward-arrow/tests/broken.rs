//! Tables that are broken in every way are an error, or another table: nothing panics, hangs, or
//! takes memory that the bytes do not account for.

mod common;

use arrow_array::builder::{Int32Builder, ListBuilder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_array::*;
use common::{Form, all_arrow, all_parquet};
use parquet::basic::Encoding;
use parquet::file::properties::WriterProperties;
use peak_alloc::PeakAlloc;
use std::panic;
use std::sync::Arc;
use traceward_arrow::{Table, inspect_table, read_table};
use traceward_logic::lower::{ClassId, Expected};
use traceward_logic::value::ValueType;
use traceward_testkit::mutate::{Mutator, Numbers};
use traceward_trace::{Format, ReadOptions, ReadVariable, TimeColumn};

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

/// The most memory that a table of a few thousand bytes may take while it is read.
const MOST_MIB: f32 = 256.0;

/// The number of tables that are tried.
const TRIES: u64 = 6000;

fn batch() -> RecordBatch {
    let rows = 0..50_i32;
    let mut lists = ListBuilder::new(Int32Builder::new());
    rows.clone().for_each(|row| lists.append_value((0..row % 4).map(Some)));
    let mut codes = StringDictionaryBuilder::<Int32Type>::new();
    rows.clone().for_each(|row| codes.append_value(["a", "bb", "ccc"][row as usize % 3]));
    let texts: StringArray = rows.clone().map(|row| (row % 5 > 0).then(|| format!("text {row}"))).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("b", Arc::new(rows.clone().map(|row| Some(row % 3 == 0)).collect::<BooleanArray>())),
        ("i", Arc::new(rows.clone().map(|row| (row % 7 > 0).then_some(i64::from(row))).collect::<Int64Array>())),
        ("f", Arc::new(rows.clone().map(|row| Some(f64::from(row) / 2.0)).collect::<Float64Array>())),
        ("s", Arc::new(texts)),
        ("d", Arc::new(codes.finish())),
        ("l", Arc::new(lists.finish())),
        ("t", Arc::new(rows.map(i64::from).map(Some).collect::<TimestampMillisecondArray>())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("a batch")
}

/// Good tables in every form, those with texts by their differences among them.
fn good() -> Vec<(Format, Vec<u8>)> {
    let batch = [batch()];
    let mut tables: Vec<(Format, Vec<u8>)> = all_parquet(&batch, 20)
        .into_iter()
        .chain(all_arrow(&batch))
        .filter_map(|form| match form {
            Form::Bytes { format, bytes, .. } => Some((format, bytes)),
            Form::Batches(_) => None,
        })
        .collect();
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        let properties =
            WriterProperties::builder().set_dictionary_enabled(false).set_column_encoding("s".into(), encoding);
        tables.push((Format::PARQUET, common::parquet(&batch, properties.build())));
    }
    tables
}

fn options() -> ReadOptions {
    let number = Expected::Type(ValueType::Number);
    let text = Expected::Type(ValueType::String);
    let wanted = [
        ("b", Expected::Type(ValueType::Boolean)),
        ("i", number),
        ("f", Expected::Open(ClassId(0))),
        ("s", text),
        ("d", text),
        ("l.1", number),
    ];
    ReadOptions {
        variables: wanted.into_iter().map(|(name, expected)| ReadVariable::new(name, expected)).collect(),
        time: Some(TimeColumn::new("t", None)),
        ..ReadOptions::default()
    }
}

/// The same of columns that have a value in each row, which are read in another way.
fn plain_options() -> ReadOptions {
    let wanted = [("b", ValueType::Boolean), ("f", ValueType::Number)];
    let variable = |(name, ty)| ReadVariable::new(name, Expected::Type(ty));
    ReadOptions { variables: wanted.into_iter().map(variable).collect(), ..options() }
}

/// Bytes in place of others, so that what stands behind them is where it was.
fn overwrite(table: &mut [u8], numbers: &mut Numbers) {
    for _ in 0..=numbers.below(3) {
        let place = numbers.below(table.len());
        let len = (1 + numbers.below(4)).min(table.len() - place);
        let byte = *numbers.one_of(&[0x00, 0x01, 0x7F, 0x80, 0xFF, 0xFE, 0x15]);
        match numbers.below(3) {
            0 => table[place] ^= 1 << numbers.below(8),
            _ => table[place..place + len].fill(byte),
        }
    }
}

#[test]
fn broken_tables_do_no_harm() {
    // Panics of decoders are caught, and would be told here all the same.
    panic::set_hook(Box::new(|_| ()));
    let good = good();
    let tables: Vec<&Vec<u8>> = good.iter().map(|(_, bytes)| bytes).collect();
    let mutator = Mutator::new(&tables.iter().map(|bytes| bytes.as_slice()).collect::<Vec<_>>(), &["PAR1", "ARROW1"]);
    let (all, plain) = (options(), plain_options());
    let (mut read, mut refused) = (0, 0);
    for seed in 0..TRIES {
        let mut numbers = Numbers::of_seed(seed);
        let (format, bytes) = match seed % 4 {
            0 => {
                let bytes = mutator.input(&mut numbers);
                let format = if bytes.starts_with(b"PAR1") { Format::PARQUET } else { Format::ARROW };
                (format, bytes)
            }
            1 => {
                let (format, bytes) = numbers.one_of(&good);
                (*format, bytes[..numbers.below(bytes.len())].to_vec())
            }
            _ => {
                let (format, mut bytes) = numbers.one_of(&good).clone();
                overwrite(&mut bytes, &mut numbers);
                (format, bytes)
            }
        };
        let options = if seed % 3 == 0 { &plain } else { &all };
        PEAK.reset_peak_usage();
        let before = PEAK.current_usage_as_mb();
        match read_table(Table::from_bytes(bytes.clone()), format, options) {
            Ok(_) => read += 1,
            Err(failure) => {
                assert!(!failure.error.message().is_empty());
                refused += 1;
            }
        }
        if seed % 16 == 0 {
            let _ = inspect_table(Table::from_bytes(bytes), format, &ReadOptions::default());
        }
        let taken = PEAK.peak_usage_as_mb() - before;
        if taken >= MOST_MIB {
            let _ = panic::take_hook();
            panic!("seed {seed} takes {taken} MiB");
        }
    }
    let _ = panic::take_hook();
    assert!(read > 100 && refused > 100, "{read} were read and {refused} refused: that tries too little");
}

#[test]
fn every_cut_is_an_error_with_a_reason() {
    for options in [options(), plain_options()] {
        for (format, bytes) in good() {
            for cut in (0..bytes.len()).step_by(7) {
                let read = read_table(Table::from_bytes(&bytes[..cut]), format, &options);
                assert!(read.is_err(), "{format} cut at byte {cut} is read");
            }
        }
    }
}
