//! What is read of a long table does not depend on how many threads there are, and so on whether
//! its row groups are decoded in parts: neither states nor mistakes nor what is said of damage.

mod common;

use arrow_array::*;
use common::{Form, arrow_file, parquet, read_form};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use std::num::NonZero;
use std::sync::Arc;
use traceward_arrow::{Table, read_table};
use traceward_logic::lower::Expected;
use traceward_logic::trace::{Column, ColumnData};
use traceward_logic::value::ValueType;
use traceward_trace::{
    Format, KeyGroup, MissingPolicy, Pieces, ReadFailure, ReadOptions, ReadTrace, ReadVariable, TimeColumn, TimeUnit,
};

/// More than a few batches, and not a multiple of one.
const ROWS: usize = 90_001;

/// What is unlike others in a table.
#[derive(Clone, Copy, Default)]
struct Odd {
    /// The row whose flag is no boolean.
    no_flag: Option<usize>,
    /// The row whose time is that of the first.
    back: Option<usize>,
    /// The row without a key.
    no_key: Option<usize>,
    /// Whether some values are missing.
    with_nulls: bool,
}

/// Numbers that look like chance, the same everywhere.
fn chance(row: usize) -> u64 {
    (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20
}

fn batch(odd: Odd) -> RecordBatch {
    let rows = 0..ROWS;
    let there = |row: usize| !odd.with_nulls || !chance(row).is_multiple_of(11);
    let flag = |row| if odd.no_flag == Some(row) { 2 } else { (chance(row) % 2) as i64 };
    let time = |row| if odd.back == Some(row) { 0 } else { row as i64 / 2 };
    let key = |row| (odd.no_key != Some(row)).then(|| chance(row / 3) as i64 % 1000);
    let text = |row| ["o", "p", "a somewhat longer text", "q"][chance(row) as usize % 4];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("t", Arc::new(rows.clone().map(|row| Some(time(row))).collect::<Int64Array>())),
        ("k", Arc::new(rows.clone().map(key).collect::<Int64Array>())),
        ("ks", Arc::new(rows.clone().map(|row| key(row).map(|key| format!("key {key}"))).collect::<StringArray>())),
        ("flag", Arc::new(rows.clone().map(|row| there(row).then(|| flag(row))).collect::<Int64Array>())),
        ("n", Arc::new(rows.clone().map(|row| there(row + 1).then(|| chance(row) as i64)).collect::<Int64Array>())),
        ("f", Arc::new(rows.clone().map(|row| Some(chance(row) as f64 / 8.0)).collect::<Float64Array>())),
        ("s", Arc::new(rows.clone().map(|row| there(row + 2).then(|| text(row))).collect::<StringArray>())),
        (
            "b",
            Arc::new(rows.map(|row| there(row + 3).then(|| chance(row).is_multiple_of(3))).collect::<BooleanArray>()),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("a batch")
}

/// The same table in ways that differ in what is in a page, and in how it is encoded.
fn tables(batch: &RecordBatch) -> Vec<(String, Vec<u8>)> {
    let mut tables = Vec::new();
    for (nth, (group, version)) in
        [(ROWS, WriterVersion::PARQUET_1_0), (ROWS, WriterVersion::PARQUET_2_0), (70_000, WriterVersion::PARQUET_1_0)]
            .into_iter()
            .enumerate()
    {
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(group))
            .set_data_page_row_count_limit([7_001, 20_000, usize::MAX][nth])
            // Numbers begin with a dictionary, and go on without.
            .set_dictionary_page_size_limit(1 << 16)
            .set_statistics_enabled([EnabledStatistics::None, EnabledStatistics::Page, EnabledStatistics::Chunk][nth])
            .build();
        tables.push((format!("{version:?} in groups of {group}"), parquet(std::slice::from_ref(batch), properties)));
    }
    tables
}

fn options(key: Option<&str>, threads: usize) -> ReadOptions {
    let wanted = [
        ("flag", ValueType::Boolean),
        ("n", ValueType::Number),
        ("f", ValueType::Number),
        ("s", ValueType::String),
        ("b", ValueType::Boolean),
    ];
    ReadOptions {
        time: Some(TimeColumn::new("t", Some(TimeUnit::Ms))),
        key: key.map(str::to_owned),
        variables: wanted.map(|(name, ty)| ReadVariable::new(name, Expected::Type(ty))).to_vec(),
        pieces: Pieces { threads: NonZero::new(threads).expect("a thread"), ..Pieces::default() },
        ..ReadOptions::default()
    }
}

fn mixed(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x100_0000_01B3).rotate_left(17)
}

fn hash_of(text: &str) -> u64 {
    text.bytes().fold(0, |hash, byte| mixed(hash, u64::from(byte)))
}

/// A column as a few numbers: what stands where values are missing does not count.
fn digest(column: &Column) -> String {
    let (kind, word): (&str, Box<dyn Fn(usize) -> u64 + '_>) = match &column.data {
        ColumnData::Bool(bits) => ("bool", Box::new(|at| u64::from(bits.get(at)))),
        ColumnData::Int(ints) => ("int", Box::new(|at| ints[at] as u64)),
        ColumnData::Float(floats) => ("float", Box::new(|at| floats[at].to_bits())),
        ColumnData::Mixed(_) => panic!("no column has both integers and floats"),
        ColumnData::Text(text) => {
            let hashes: Vec<u64> = text.dictionary.iter().map(|text| hash_of(text)).collect();
            ("text", Box::new(move |at| hashes[text.codes[at] as usize]))
        }
    };
    let is_there = |at: usize| column.present.as_ref().is_none_or(|present| present.get(at));
    let all = (0..column.len()).fold(0, |hash, at| mixed(hash, if is_there(at) { word(at) } else { 0x5EED }));
    format!("{kind} {} {} {all:x}", column.len(), column.missing())
}

/// All that is known of a trace, as a text that is short.
fn shown(trace: &ReadTrace) -> String {
    let columns: Vec<Option<String>> = trace.columns.iter().map(|column| column.as_ref().map(digest)).collect();
    let ReadTrace { states, types, names, time, keys, lines, notes, .. } = trace;
    let time = time.iter().flatten().fold(0, |hash, &time| mixed(hash, time as u64));
    let of_key = |hash: u64, group: KeyGroup<'_>| {
        group.positions.iter().fold(mixed(hash, hash_of(&group.key.text())), |hash, &at| mixed(hash, u64::from(at)))
    };
    let keys = keys.as_ref().map(|keys| keys.groups().fold(0, of_key));
    format!("{states} {columns:?} {types:?} {names:?} {time:x} {keys:?} {lines:?} {notes:?}")
}

fn told(read: Result<ReadTrace, ReadFailure>) -> String {
    match read {
        Ok(trace) => shown(&trace),
        Err(ReadFailure { error, before }) => format!("{error:?} before: {:?}", before.map(|before| shown(&before))),
    }
}

fn told_of(bytes: &[u8], options: &ReadOptions) -> String {
    told(read_table(Table::from_bytes(bytes), Format::PARQUET, options))
}

#[test]
fn parts_are_read_like_the_whole() {
    for with_nulls in [false, true] {
        let batch = batch(Odd { with_nulls, ..Odd::default() });
        let plain = Form::Bytes {
            name: String::new(),
            format: Format::ARROW,
            bytes: arrow_file(std::slice::from_ref(&batch), None),
        };
        for missing in [MissingPolicy::False, MissingPolicy::Hold] {
            for key in [None, Some("k"), Some("ks")] {
                let asked = |threads| ReadOptions { missing, ..options(key, threads) };
                let expected = told(read_form(&plain, &asked(1)));
                assert!(expected.starts_with("90001 "), "{expected}");
                for (name, table) in tables(&batch) {
                    for threads in [1, 2, 3] {
                        assert_eq!(told_of(&table, &asked(threads)), expected, "{name}, {threads} threads, {key:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn rows_are_counted_in_parts_where_no_column_is_wanted() {
    let batch = batch(Odd::default());
    for (name, table) in tables(&batch) {
        for threads in [1, 2, 5] {
            let asked = ReadOptions { pieces: options(None, threads).pieces, ..ReadOptions::default() };
            let read = read_table(Table::from_bytes(&*table), Format::PARQUET, &asked).expect("a trace");
            assert_eq!(read.states, ROWS, "{name}, {threads} threads");
        }
    }
}

#[test]
fn a_mistake_is_the_same_wherever_a_row_group_is_cut() {
    for row in [1, 16_384, 69_999, ROWS - 1] {
        for odd in [
            Odd { no_flag: Some(row), ..Odd::default() },
            Odd { back: Some(row.max(2)), ..Odd::default() },
            Odd { no_key: Some(row), ..Odd::default() },
        ] {
            let batch = batch(odd);
            for (name, table) in tables(&batch) {
                for key in [None, Some("k")] {
                    let expected = told_of(&table, &options(key, 1));
                    for threads in [2, 3] {
                        let found = told_of(&table, &options(key, threads));
                        assert_eq!(found, expected, "row {row} of {name}, {threads} threads, {key:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn damage_is_the_same_wherever_a_row_group_is_cut() {
    let batch = batch(Odd { with_nulls: true, ..Odd::default() });
    let (mut errors, mut tried) = (0, 0);
    for (name, table) in tables(&batch) {
        // Headers of pages are where the counts are by which rows are passed over.
        let places = (4..44).chain((0..20).map(|nth| chance(nth) as usize % table.len()));
        for place in places {
            let mut broken = table.clone();
            broken[place] ^= 1 << (place % 7);
            let expected = told_of(&broken, &options(None, 1));
            let found = told_of(&broken, &options(None, 2));
            assert_eq!(found, expected, "byte {place} of {name}");
            errors += usize::from(!expected.starts_with("90001 "));
            tried += 1;
        }
    }
    assert!(errors * 4 > tried, "{errors} of {tried} were damaged");
}
