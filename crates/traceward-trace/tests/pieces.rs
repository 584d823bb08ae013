//! What is read of a file does not depend on where it was cut, or on how many threads read it.

use proptest::prelude::*;
use std::num::NonZero;
use traceward_logic::lower::{ClassId, Expected};
use traceward_logic::value::ValueType;
use traceward_trace::{
    MissingPolicy, Pieces, ReadFailure, ReadOptions, ReadTrace, ReadVariable, Records, TimeColumn, TimeUnit,
    read_or_before,
};

/// The cells of a row, and what ends its line.
#[derive(Clone, Debug)]
struct Row {
    time: String,
    key: String,
    cells: [String; 4],
    end: &'static str,
}

const NAMES: [&str; 4] = ["flag", "n", "s", "open"];

fn cell(choices: &'static [(u32, &'static str)]) -> impl Strategy<Value = String> {
    let weighted = choices.iter().map(|(weight, text)| (*weight, Just((*text).to_owned()))).collect::<Vec<_>>();
    proptest::strategy::Union::new_weighted(weighted)
}

/// Mostly good rows. `bad` is how often, in a thousand, a cell is one that does not fit.
fn row(bad: u32) -> impl Strategy<Value = (Row, bool)> {
    let flag = cell(&[(8, "true"), (8, "0"), (4, "")]);
    let number = cell(&[(8, "1"), (4, "-25"), (3, ""), (1, "2.5"), (1, "9007199254740993")]);
    let text = cell(&[(5, "a"), (5, "a somewhat longer text"), (3, ""), (2, "Zoë"), (1, "line\nbreak, \"quoted\"")]);
    let open = cell(&[(6, ""), (6, "x"), (1, "y")]);
    let key = cell(&[(8, "7"), (8, "1234567890"), (2, "007"), (4, "k1"), (3, "a key that is longer"), (1, "")]);
    let end = prop_oneof![6 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\n\n")];
    let good = (key, flag, number, text, open, end).prop_map(|(key, flag, n, s, open, end)| Row {
        time: String::new(),
        key,
        cells: [flag, n, s, open],
        end,
    });
    (good, 0_u32..1000, 0_usize..4).prop_map(move |(mut row, chance, place)| {
        let is_bad = chance < bad;
        if is_bad {
            row.cells[place] = "7up".to_owned();
        }
        (row, chance % 50 == 49)
    })
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn csv(rows: &[(Row, bool)], ragged: bool) -> String {
    let mut text = format!("t,k,{}\n", NAMES.join(","));
    for (row, is_odd) in rows {
        let cells: Vec<String> = row.cells.iter().map(|cell| quoted(cell)).collect();
        text += &format!("{},{},{}", row.time, quoted(&row.key), cells.join(","));
        text += if ragged && *is_odd { ",more" } else { "" };
        text += row.end;
    }
    text
}

fn json(rows: &[(Row, bool)]) -> String {
    let mut text = String::new();
    for (nth, (row, is_odd)) in rows.iter().enumerate() {
        let string = |text: &str| serde_json::Value::from(text).to_string();
        let mut members = vec![format!("\"t\":{}", row.time), format!("\"k\":{}", string(&row.key))];
        let of = |place: usize, literal: bool| match &*row.cells[place] {
            "" => None,
            text if literal => Some(format!("\"{}\":{}", NAMES[place], if text == "7up" { "\"7up\"" } else { text })),
            text => Some(format!("\"{}\":{}", NAMES[place], string(text))),
        };
        members.extend([of(0, true), of(1, true), of(2, false), of(3, false)].into_iter().flatten());
        if *is_odd {
            members.push(format!("\"new{}\":{{\"deep\":1}}", nth % 7));
        }
        text += &format!("{{{}}}{}", members.join(","), row.end);
    }
    text
}

/// Times that mostly do not decrease: plain numbers, dates, or times of day.
fn with_times(mut rows: Vec<(Row, bool)>, kind: u8, back: bool) -> Vec<(Row, bool)> {
    let count = rows.len();
    for (nth, (row, _)) in rows.iter_mut().enumerate() {
        let nth = if back && nth * 3 / 2 == count { 0 } else { nth };
        row.time = match kind {
            0 => (nth / 2).to_string(),
            1 => format!("\"2026-11-18T{:02}:{:02}:{:02}Z\"", nth / 3600 % 24, nth / 60 % 60, nth % 60),
            _ => format!("\"{:02}:{:02}:00\"", nth / 60 % 24, nth % 60),
        };
    }
    rows
}

fn options(kind: u8, keyed: bool, missing: MissingPolicy, records: Records) -> ReadOptions {
    let expected = [
        Expected::Type(ValueType::Boolean),
        Expected::Type(ValueType::Number),
        Expected::Type(ValueType::String),
        Expected::Open(ClassId(0)),
    ];
    let variables = NAMES.iter().zip(expected).map(|(name, expected)| ReadVariable::new(name, expected));
    ReadOptions {
        time: Some(TimeColumn::new("t", (kind == 0).then_some(TimeUnit::Ms))),
        key: keyed.then(|| "k".to_owned()),
        missing,
        records,
        variables: variables.collect(),
        ..ReadOptions::default()
    }
}

/// All that is known of a trace, but for what stands where values are missing.
fn shown(trace: &ReadTrace) -> String {
    let column = |column: &Option<traceward_logic::trace::Column>| {
        let Some(column) = column else { return "unknown".to_owned() };
        let kind = std::mem::discriminant(&column.data);
        let values: Vec<String> = (0..column.len()).map(|at| column.value(at).to_string()).collect();
        format!("{kind:?} {}", values.join(" "))
    };
    let columns: Vec<String> = trace.columns.iter().map(column).collect();
    let ReadTrace { states, types, names, time, keys, lines, notes, .. } = trace;
    format!("{states} {columns:#?} {types:?} {names:?} {time:?} {keys:?} {lines:?} {notes:?}")
}

fn told(input: &[u8], options: &ReadOptions) -> String {
    match read_or_before(input, options) {
        Ok(trace) => shown(&trace),
        Err(ReadFailure { error, before }) => {
            format!("{error:?} before: {:?}", before.map(|before| shown(&before)))
        }
    }
}

fn agree(input: impl AsRef<[u8]>, options: &ReadOptions, sizes: &[usize]) -> Result<(), TestCaseError> {
    let input = input.as_ref();
    let at_once =
        told(input, &ReadOptions { pieces: Pieces { size: usize::MAX, ..Pieces::default() }, ..options.clone() });
    for (&size, threads) in sizes.iter().zip([1, 2, 3]) {
        let pieces = Pieces { threads: NonZero::new(threads).expect("a thread"), size };
        let side_by_side = told(input, &ReadOptions { pieces, ..options.clone() });
        prop_assert_eq!(&side_by_side, &at_once, "{} threads, pieces of {}", threads, size);
    }
    Ok(())
}

fn policy() -> impl Strategy<Value = (MissingPolicy, Records)> {
    prop_oneof![
        3 => Just((MissingPolicy::False, Records::States)),
        2 => Just((MissingPolicy::Hold, Records::States)),
        2 => Just((MissingPolicy::False, Records::Changes)),
        1 => Just((MissingPolicy::Error, Records::Changes)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn csv_in_pieces(
        rows in prop_oneof![prop::collection::vec(row(0), 1..60), prop::collection::vec(row(8), 1..60)],
        kind in 0_u8..3,
        (keyed, back, ragged, bom) in (any::<bool>(), prop::bool::weighted(0.1), prop::bool::weighted(0.1), any::<bool>()),
        (missing, records) in policy(),
        sizes in prop::collection::vec(prop_oneof![1_usize..40, 30_usize..400], 3),
    ) {
        let text = csv(&with_times(rows, kind, back), ragged);
        let text = if bom { format!("\u{feff}{text}") } else { text };
        agree(&text, &options(kind, keyed, missing, records), &sizes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn json_lines_in_pieces(
        rows in prop_oneof![prop::collection::vec(row(0), 1100..1300), prop::collection::vec(row(1), 1100..1300)],
        kind in 0_u8..3,
        (keyed, back) in (any::<bool>(), prop::bool::weighted(0.1)),
        (missing, records) in policy(),
        sizes in prop::collection::vec(prop_oneof![100_usize..400, 300_usize..9000], 3),
    ) {
        let text = json(&with_times(rows, kind, back));
        agree(&text, &options(kind, keyed, missing, records), &sizes)?;
    }
}

/// A thread that reads ahead is given what it can take: pieces that begin within a quoted field, or
/// hold no line end, are read behind the others.
#[test]
fn cuts_within_fields_do_no_harm() {
    let long = "x".repeat(100);
    let rows: String = (0..200).map(|row| format!("{row},1,1,{row},\"a\n\n{long}\n\"\"b\"\"\",\n")).collect();
    let text = format!("t,k,flag,n,s,open\n{rows}");
    let options = options(0, true, MissingPolicy::False, Records::States);
    agree(&text, &options, &[1, 50, 333]).unwrap();
    agree(&text, &options, &[7, 700, 5000]).unwrap();
}

/// Records as a program writes them, one like the other, in which some bytes are others.
fn damaged(text: &str, changes: &[(usize, u8)], from: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for &(place, byte) in changes {
        let within = bytes.len() - from;
        bytes[from + place % within] = byte;
    }
    bytes
}

/// Bytes that may mean something to a reader, and others.
fn odd_byte() -> impl Strategy<Value = u8> {
    let special = prop::sample::select(&b",\n\r\"\\{}[]: -+.0eEtfn1\0\xFF\xC3\t;"[..]);
    prop_oneof![6 => special, 1 => any::<u8>()]
}

/// A row of fields of any width that are mostly what is expected of them.
fn plain_row() -> impl Strategy<Value = [String; 6]> {
    let flag = prop_oneof![6 => "[01]", 3 => "true|false", 1 => "True|f|TRUE", 1 => " 1|0 ", 1 => Just(String::new())];
    let number = prop_oneof![6 => "-?[1-9][0-9]{0,17}", 2 => "[0-9]{1,3}", 1 => "-?[0-9]{1,9}\\.[0-9]{1,4}", 1 => Just(String::new()), 1 => Just("+7".to_owned())];
    let text = prop_oneof![4 => "[a-c]{0,3}", 1 => "[a-z ]{60,70}", 1 => Just("Zoë".to_owned())];
    let key = prop_oneof![9 => "k[1-3]", 18 => "[1-3]|1[0-9]{9}", 1 => "0[1-3]|9{14,17}", 1 => Just(String::new())];
    (key, flag, number, text, "[a-c]").prop_map(|(key, flag, n, s, open)| [String::new(), key, flag, n, s, open])
}

/// Rows of fields that are as wide in each row. A flag may be more than a digit, and of another
/// kind in some rows.
fn even_rows() -> impl Strategy<Value = Vec<[String; 6]>> {
    let flag = prop::sample::select(&["[01]", "[01]", "[01]", "[01tf ]", "true", "tru[e1]", ""][..]);
    let number = prop::sample::select(&["[1-9]", "-?[1-9]{1}[0-9]", "[0-9.]{4}", "[1-9][0-9]{8}", ""][..]);
    let text = prop::sample::select(&["", "[a-c]{2}", "[a-z]{70}", "Zoë"][..]);
    let key = prop::sample::select(&["k[1-3]", "[1-3]", "[0-9]{3}", "1[0-9]{9}"][..]);
    (key, flag, number, text, 20_usize..100).prop_flat_map(|(key, flag, n, s, count)| {
        let row = (key, flag, n, s, "[a-c]");
        let row = row.prop_map(|(key, flag, n, s, open)| [String::new(), key, flag, n, s, open]);
        prop::collection::vec(row, count)
    })
}

fn columns(rows: Vec<[String; 6]>, first: u64, step: u64) -> Vec<[String; 6]> {
    let mut time = first;
    let timed = rows.into_iter().map(|mut row| {
        time += step;
        row[0] = time.to_string();
        row
    });
    timed.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn plain_csv_in_pieces(
        rows in prop::collection::vec(plain_row(), 1..120),
        (first, step) in (prop_oneof![Just(0_u64), Just(999_999_990), Just(1_763_433_609_000), Just(99_999_999_999_999_990)], 0_u64..3),
        changes in prop_oneof![
            2 => Just(Vec::new()),
            3 => prop::collection::vec((any::<usize>(), odd_byte()), 1..4),
            1 => prop::collection::vec((any::<usize>(), prop::sample::select(&b"\n\r\""[..])), 20..60),
        ],
        (keyed, timed, returns, separator) in (any::<bool>(), any::<bool>(), prop::bool::weighted(0.3), prop::sample::select(&[",", ";", "\t"][..])),
        sizes in prop::collection::vec(prop_oneof![1_usize..40, 100_usize..3000], 3),
    ) {
        let end = if returns { "\r\n" } else { "\n" };
        let header = ["t", "k", "flag", "n", "s", "open"].join(separator) + end;
        let row = |row: &[String; 6]| row.join(separator) + end;
        let text = header.clone() + &columns(rows, first, step).iter().map(row).collect::<String>();
        let options = options(0, keyed, MissingPolicy::False, Records::States);
        let options = if timed { options } else { ReadOptions { time: None, ..options } };
        agree(damaged(&text, &changes, header.len()), &options, &sizes)?;
    }

    /// Rows with their delimiters at the same places, as machines write them, and others among
    /// them.
    #[test]
    fn even_csv_in_pieces(
        stretches in prop::collection::vec((even_rows(), prop::option::weighted(0.3, plain_row())), 1..5),
        (first, step) in (prop_oneof![Just(100_000_u64), Just(999_999_990), Just(1_763_433_609_000)], 0_u64..3),
        changes in prop_oneof![
            2 => Just(Vec::new()),
            3 => prop::collection::vec((any::<usize>(), odd_byte()), 1..4),
        ],
        (keyed, timed, returns, separator) in (any::<bool>(), any::<bool>(), prop::bool::weighted(0.3), prop::sample::select(&[",", ";", "\t"][..])),
        sizes in prop::collection::vec(prop_oneof![500_usize..2000, 2000_usize..9000], 3),
    ) {
        let end = if returns { "\r\n" } else { "\n" };
        let header = ["t", "k", "flag", "n", "s", "open"].join(separator) + end;
        let row = |row: &[String; 6]| row.join(separator) + end;
        let rows = stretches.into_iter().flat_map(|(rows, odd)| rows.into_iter().chain(odd)).collect();
        let text = header.clone() + &columns(rows, first, step).iter().map(row).collect::<String>();
        let options = options(0, keyed, MissingPolicy::False, Records::States);
        let options = if timed { options } else { ReadOptions { time: None, ..options } };
        agree(damaged(&text, &changes, header.len()), &options, &sizes)?;
    }

    #[test]
    fn one_column_in_pieces(
        fields in prop::collection::vec(prop_oneof![6 => "[01]", 1 => "true", 1 => " {0,2}", 1 => " 1"], 1..150),
        (changes, returns) in (prop::collection::vec((any::<usize>(), odd_byte()), 0..2), any::<bool>()),
        sizes in prop::collection::vec(1_usize..80, 3),
    ) {
        let end = if returns { "\r\n" } else { "\n" };
        let text: String = fields.iter().map(|field| format!("{field}{end}")).collect();
        let options = ReadOptions { variables: vec![ReadVariable::new("flag", Expected::Type(ValueType::Boolean))], ..ReadOptions::default() };
        agree(damaged(&format!("flag{end}{text}"), &changes, 4 + end.len()), &options, &sizes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn similar_json_lines_in_pieces(
        rows in prop::collection::vec(plain_row(), 60..200),
        (changes, spaced) in (prop::collection::vec((any::<usize>(), odd_byte()), 0..4), any::<bool>()),
        (keyed, timed, returns) in (any::<bool>(), any::<bool>(), prop::bool::weighted(0.3)),
        sizes in prop::collection::vec(prop_oneof![100_usize..4000, 3000_usize..20_000], 3),
    ) {
        let (end, blank) = (if returns { "\r\n" } else { "\n" }, if spaced { " " } else { "" });
        let line = |[t, k, flag, n, s, open]: &[String; 6]| {
            let flag = if ["0", "1", "true", "false"].contains(&flag.as_str()) { flag } else { "null" };
            let n = if n.is_empty() || n.starts_with('+') || n.starts_with('0') || n.starts_with("-0") { "0" } else { n };
            let (k, s, open) = (format!("\"{k}\""), format!("\"{s}\""), format!("\"{open}\""));
            let members = [("t", t.as_str()), ("k", &k), ("flag", flag), ("skipped", "1.5e3"), ("n", n), ("s", &s), ("open", &open)];
            let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{blank}{value}")).collect();
            format!("{{{}}}{end}", members.join(&format!(",{blank}")))
        };
        let first = ["0", "k1", "1", "1", "a", "a"].map(str::to_owned);
        let before = line(&first).repeat(1000);
        let text = before.clone() + &columns(rows, 0, 1).iter().map(line).collect::<String>();
        let options = options(0, keyed, MissingPolicy::False, Records::States);
        let options = if timed { options } else { ReadOptions { time: None, ..options } };
        agree(damaged(&text, &changes, before.len()), &options, &sizes)?;
    }
}
