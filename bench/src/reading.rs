//! Reading and checking together, from bytes in memory, truth at every position counted.

use crate::{Random, Row, measured};
use traceward::engine::Simplification;
use traceward::input::Format;
use traceward::{CheckOptions, Config, Goal, ReadOptions, Source, Spec, Truth, check_with};

const FORMULA: &str = "(a -> F b) & (c -> O d)";

/// Rows of four booleans, and at how many of them the formula holds.
struct Rows {
    bits: Vec<[bool; 4]>,
    holds: usize,
}

fn rows(count: usize) -> Rows {
    let mut random = Random(2);
    let bits: Vec<[bool; 4]> = (0..count)
        .map(|_| {
            let draw = random.bits();
            [0, 1, 2, 3].map(|column| draw >> (column * 8) & 0xFF < 40)
        })
        .collect();
    let mut later = vec![false; count];
    let mut b_comes = false;
    for (position, row) in bits.iter().enumerate().rev() {
        b_comes |= row[1];
        later[position] = b_comes;
    }
    let mut d_was = false;
    let holds = bits
        .iter()
        .zip(&later)
        .filter(|(row, later)| {
            d_was |= row[3];
            (!row[0] || **later) && (!row[2] || d_was)
        })
        .count();
    Rows { bits, holds }
}

fn csv_text(rows: &Rows, words: [&str; 2]) -> String {
    let mut text = String::from("a,b,c,d\n");
    for row in &rows.bits {
        let fields = row.map(|bit| words[usize::from(bit)]);
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

fn ours(name: &str, text: &str, rows: &Rows, format: Format) -> Row {
    let spec = Spec::parse(vec![Source::new("bench", FORMULA, Goal::Check)]).expect("a formula");
    let options = CheckOptions::default()
        .truth(Truth::AtEveryPosition)
        .config(Config { simplification: Simplification::Off, ..Config::default() })
        .read(ReadOptions { format: Some(format), ..ReadOptions::default() });
    measured(name, rows.bits.len() as u64, "rows", &rows.holds, || {
        let report = check_with(&spec, text.as_bytes(), &options).expect("a readable trace");
        report.properties[0].truth.as_ref().expect("truth was asked for").count_ones()
    })
}

/// The `csv` crate, reading every field and doing nothing with it.
fn csv_crate(text: &str, rows: &Rows) -> Row {
    let fields = rows.bits.len() * 4;
    measured("the csv crate, fields only", rows.bits.len() as u64, "rows", &fields, || {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let mut record = csv::ByteRecord::new();
        let mut fields = 0;
        while reader.read_byte_record(&mut record).expect("well-formed") {
            fields += record.len();
        }
        fields
    })
}

pub fn csv_of_booleans() -> Vec<Row> {
    let rows = rows(10_000_000);
    let text = csv_text(&rows, ["0", "1"]);
    vec![ours("four columns of 0 and 1", &text, &rows, Format::CSV), csv_crate(&text, &rows)]
}

pub fn csv_of_words() -> Vec<Row> {
    let rows = rows(10_000_000);
    let text = csv_text(&rows, ["false", "true"]);
    vec![ours("four columns of true and false", &text, &rows, Format::CSV), csv_crate(&text, &rows)]
}

pub fn json_lines() -> Vec<Row> {
    let rows = rows(3_000_000);
    let mut text = String::new();
    for row in &rows.bits {
        let [a, b, c, d] = row;
        text.push_str(&format!("{{\"a\":{a},\"b\":{b},\"c\":{c},\"d\":{d}}}\n"));
    }
    let members = rows.bits.len() * 4;
    let peer = measured("serde_json values, members only", rows.bits.len() as u64, "rows", &members, || {
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("well-formed"));
        lines.map(|line| line.as_object().map_or(0, serde_json::Map::len)).sum::<usize>()
    });
    vec![ours("four members", &text, &rows, Format::JSON_LINES), peer]
}
