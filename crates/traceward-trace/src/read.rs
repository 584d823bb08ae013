//! The front door: an input becomes a trace.

use crate::error::{TraceError, TraceErrorKind};
use crate::format::Format;
use crate::keys::Keys;
use crate::lines::Lines;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::segment::Segments;
use crate::source::Source;
use crate::sources::Sources;
use crate::spill::KeyParts;
use std::io::Read;
use traceward_logic::trace::Column;
use traceward_logic::value::ValueType;

/// A trace that was read.
#[derive(Clone, Debug)]
pub struct ReadTrace {
    /// The number of states.
    pub states: usize,
    /// One column for each variable asked for, in order; none where the input does not have the
    /// variable.
    pub columns: Vec<Option<Column>>,
    /// The type of each variable, in order; none where no value has told it.
    pub types: Vec<Option<ValueType>>,
    /// The names the input has, in order of appearance. Of JSON lines with ever new names only the
    /// first ones.
    pub names: Vec<String>,
    /// The timestamp of each state in nanoseconds since 1970, where a time column was asked for.
    pub time: Option<Vec<i64>>,
    /// The keys, where a key column was asked for.
    pub keys: Option<Keys>,
    /// Where each state came from.
    pub lines: Lines,
    /// Where in a program each state came about, as far as the input tells.
    pub sources: Sources,
    /// The place of each state among those of the input.
    pub positions: Positions,
    /// The format of the input.
    pub format: Format,
    /// What is worth telling beside.
    pub notes: Vec<Note>,
}

/// The places of states among those of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Positions {
    /// All states are here.
    All,
    /// Only some keys are: the place of each state.
    Listed(Vec<u32>),
}

impl Positions {
    /// The place of a state among those of the input.
    pub fn of(&self, state: usize) -> usize {
        match self {
            Self::All => state,
            Self::Listed(positions) => positions[state] as usize,
        }
    }
}

/// An input that was read.
pub enum ReadInput<'o> {
    /// All of it is in memory.
    Whole(Box<ReadTrace>),
    /// Its keys are to be had one after the other: together they take too much memory.
    ByKey(Box<KeyParts<'o>>),
    /// Its states are to be had segment by segment: together they take too much memory.
    InSegments(Box<Segments>),
}

impl ReadInput<'_> {
    /// The trace, if all of it is in memory.
    pub fn into_whole(self) -> Option<ReadTrace> {
        match self {
            Self::Whole(trace) => Some(*trace),
            Self::ByKey(_) | Self::InSegments(_) => None,
        }
    }
}

impl From<ReadTrace> for ReadInput<'_> {
    fn from(trace: ReadTrace) -> Self {
        Self::Whole(Box::new(trace))
    }
}

/// Why an input could not be read, and what came before the mistake.
#[derive(Clone, Debug)]
pub struct ReadFailure {
    /// What is wrong, and where.
    pub error: TraceError,
    /// The states before it, where they make a trace.
    pub before: Option<Box<ReadTrace>>,
}

impl From<TraceError> for ReadFailure {
    fn from(error: TraceError) -> Self {
        Self { error, before: None }
    }
}

/// Reads a trace. Gzip and zstd are recognised by their first bytes, the format too where no option
/// names it.
pub fn read(input: impl Read, options: &ReadOptions) -> Result<ReadTrace, TraceError> {
    read_or_before(input, options).map_err(|failure| failure.error)
}

/// Reads a trace; where that fails, what was read before the mistake comes with it.
pub fn read_or_before(input: impl Read, options: &ReadOptions) -> Result<ReadTrace, ReadFailure> {
    only(read_all(input, options)?)
}

/// Reads every trace that an input holds, into memory.
pub fn read_all(input: impl Read, options: &ReadOptions) -> Result<Vec<ReadTrace>, ReadFailure> {
    let options = ReadOptions { spill: None, ..options.clone() };
    Ok(read_inputs(input, &options)?.into_iter().filter_map(ReadInput::into_whole).collect())
}

/// Reads a trace, or has its keys or its segments read one after the other if they do not fit into
/// memory together and there is another place ([`ReadOptions::spill`]).
pub fn read_input(input: impl Read, options: &ReadOptions) -> Result<ReadInput<'_>, ReadFailure> {
    only(read_inputs(input, options)?)
}

fn read_inputs(input: impl Read, options: &ReadOptions) -> Result<Vec<ReadInput<'_>>, ReadFailure> {
    check_separator(options.separator)?;
    let source = Source::open(input)?;
    let format = source.format(options)?;
    let mut read = (format.road().read)(source, options)?;
    for one in &mut read {
        match one {
            ReadInput::Whole(trace) => trace.format = format,
            ReadInput::ByKey(parts) => parts.set_format(format),
            ReadInput::InSegments(segments) => segments.set_format(format),
        }
    }
    Ok(read)
}

/// The only trace of an input.
fn only<T>(mut traces: Vec<T>) -> Result<T, ReadFailure> {
    match (traces.pop(), traces.len()) {
        (Some(only), 0) => Ok(only),
        (_, others) => Err(TraceError::new(TraceErrorKind::SeveralTraces { count: others + 1 }).into()),
    }
}

/// Refuses separators that CSV itself needs.
pub(crate) fn check_separator(separator: Option<u8>) -> Result<(), TraceError> {
    match separator {
        Some(separator @ (b'"' | b'\n' | b'\r' | 0x80..)) => {
            Err(TraceErrorKind::BadSeparator(char::from(separator)).into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{ReadVariable, TimeUnit};
    use crate::testing::expected::*;
    use crate::testing::{fail, read_text, show, time, want};
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::{self, Write};

    const CSV: &str = "a,b\n1,x\n2,y\n";

    fn ab() -> ReadOptions {
        want(&[("a", NUMBER), ("b", TEXT)])
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd_with_checksum(text: &str) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn compression_is_recognised_by_its_bytes() {
        let expected = show(CSV, &ab());
        assert_eq!(show(gzip(CSV), &ab()), expected);
        assert_eq!(show(zstd::encode_all(CSV.as_bytes(), 1).unwrap(), &ab()), expected);
        let members = [gzip("a,b\n1,"), gzip("x\n2,y\n")].concat();
        assert_eq!(show(members, &ab()), expected);
        let frames = [zstd::encode_all(&b"a,b\n1,"[..], 1).unwrap(), zstd::encode_all(&b"x\n2,y\n"[..], 1).unwrap()];
        assert_eq!(show(frames.concat(), &ab()), expected);
    }

    #[test]
    fn damaged_compression_is_a_clean_error() {
        let long: String =
            std::iter::once("a,b\n".to_owned()).chain((0..2000).map(|row| format!("{row},x\n"))).collect();
        for (packed, method) in [(gzip(&long), "gzip"), (zstd_with_checksum(&long), "zstd")] {
            let expected = format!("-:-: the {method} data is damaged or cut short:");
            assert!(fail(&packed[..packed.len() / 2], &ab()).starts_with(&expected), "{method} cut short");
            let mut damaged = packed.clone();
            let middle = damaged.len() / 2;
            damaged[middle..middle + 20].fill(0xAA);
            assert!(fail(&damaged, &ab()).starts_with(&expected), "{method} damaged");
        }
        assert!(fail([0x1F, 0x8B], &ab()).contains("gzip"));
    }

    #[test]
    fn compressed_data_that_is_hardly_there_is_damaged() {
        for (bytes, method) in [(&b"\x1f"[..], "gzip"), (b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f", "zstd")] {
            let expected = format!("-:-: the {method} data is damaged or cut short:");
            assert!(fail(bytes, &ab()).starts_with(&expected), "{bytes:?}");
        }
        let skippable = b"\x50\x2a\x4d\x18\x02\0\0\0ab";
        let packed = [&skippable[..], &zstd_with_checksum(CSV)].concat();
        assert_eq!(show(packed, &ab()), show(CSV, &ab()));
    }

    #[test]
    fn a_window_that_is_too_large_is_named() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(28).unwrap();
        encoder.write_all(CSV.as_bytes()).unwrap();
        encoder.flush().unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(fail(packed, &ab()), "-:-: the zstd data has a window that is larger than 128 MiB");
    }

    #[test]
    fn the_format_is_told_by_the_first_byte() {
        assert_eq!(read_text("\n {\"a\":1}", &ab()).unwrap().format, Format::JSON_LINES);
        assert_eq!(read_text(CSV, &ab()).unwrap().format, Format::CSV);
        let forced = ReadOptions { format: Some(Format::CSV), ..want(&[("{a", NUMBER)]) };
        assert_eq!(show("{a,b\n1,2\n", &forced), "int 1");
        assert_eq!(fail(b"\xff\xfea\0,\0", &ab()), "-:-: the input is UTF-16 text");
    }

    #[test]
    fn failing_inputs_are_errors() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is on fire"))
            }
        }
        let error = read(Broken, &ab()).unwrap_err();
        assert_eq!(error.to_string(), "cannot be read: the disk is on fire");
        let error = read(CSV.as_bytes().chain(Broken), &ab()).unwrap_err();
        assert_eq!(error.to_string(), "cannot be read: the disk is on fire");
    }

    #[test]
    fn records_longer_than_a_chunk_are_read() {
        let long = "x".repeat(3 << 20);
        for input in [
            format!("a,b\n1,{long}\n2,y\n"),
            format!("a,b\n1,\"{long}\"\n2,y\n"),
            format!("{{\"a\":1,\"b\":\"{long}\"}}\n{{\"a\":2}}\n"),
        ] {
            let trace = read(input.as_bytes(), &ab()).unwrap();
            assert_eq!(trace.states, 2);
            assert_eq!(
                trace.columns[1].as_ref().map(|column| column.value(0)),
                Some(traceward_logic::value::Value::str(&long))
            );
        }
    }

    #[test]
    fn many_chunks_read_like_one() {
        let rows: String = (0..200_000).map(|row| format!("{row},n{}\n", row % 7)).collect();
        let trace = read(format!("a,b\n{rows}").as_bytes(), &ab()).unwrap();
        assert_eq!(trace.states, 200_000);
        let Some(traceward_logic::trace::ColumnData::Int(ints)) = trace.columns[0].as_ref().map(|column| &column.data)
        else {
            panic!("integers");
        };
        assert!(ints.iter().copied().eq(0..200_000));
        assert_eq!(trace.lines.line(199_999), 200_001);
    }

    #[test]
    fn csv_and_json_lines_answer_alike() {
        let csv = "t,k,flag,n,name\n1,a,true,1,x\n2,b,,2.5,\n3,a,0,,z\n";
        let json = r#"{"t":1,"k":"a","flag":true,"n":1,"name":"x"}
{"t":2,"k":"b","n":2.5}
{"t":3,"k":"a","flag":0,"n":null,"name":"z"}"#;
        for missing in [crate::MissingPolicy::False, crate::MissingPolicy::Hold] {
            let options = ReadOptions {
                time: time("t", Some(TimeUnit::S)),
                key: Some("k".to_owned()),
                missing,
                ..want(&[("flag", BOOL), ("n", NUMBER), ("name", TEXT), ("n", OPEN), ("t", NUMBER)])
            };
            let (csv, json) = (read_text(csv, &options).unwrap(), read_text(json, &options).unwrap());
            assert_eq!(csv.columns, json.columns);
            assert_eq!((csv.time, csv.keys), (json.time, json.keys));
        }
    }

    #[test]
    fn keys_split_a_trace() {
        let options = ReadOptions { key: Some("k".to_owned()), ..want(&[("a", NUMBER)]) };
        let trace = read_text("k,a\ny,1\nx,2\n,3\ny,4\n", &options).unwrap();
        let groups: Vec<_> =
            trace.keys.iter().flat_map(Keys::groups).map(|group| (group.key.to_string(), group.positions)).collect();
        assert_eq!(groups, [("y".to_owned(), &[0, 2][..]), ("x".to_owned(), &[1][..])]);
        assert_eq!(trace.states, 3);
        assert_eq!(trace.lines.line(2), 5);
        assert_eq!(trace.notes, [Note::WithoutKey { records: 1, key: "k".to_owned() }]);
        let json = "{\"k\":1}\n{\"k\":\"1\"}\n{\"k\":true}\n{\"k\":null}\n{}\n{\"k\":\"\"}\n";
        let trace = read_text(json, &options).unwrap();
        let keys: Vec<_> = trace.keys.iter().flat_map(Keys::groups).map(|group| group.key.to_string()).collect();
        assert_eq!(keys, ["1", "true"]);
        assert_eq!(trace.notes, [Note::WithoutKey { records: 3, key: "k".to_owned() }]);
    }

    #[test]
    fn unknown_time_and_key_columns_are_told_with_near_names() {
        let options = ReadOptions { key: Some("case id".to_owned()), ..ReadOptions::default() };
        let error = read_text("Case ID;x\nA;1\n", &options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no `case id`, which was named as the key column; did you mean `Case ID`?"
        );
        assert!(fail("{\"Case ID\":1}", &options).contains("there is no `case id`"));
        let options = ReadOptions { time: time("term", None), ..ReadOptions::default() };
        for input in ["{\"event\":{\"term\":1}}", "event.term\n1\n"] {
            let error = read_text(input, &options).unwrap_err();
            assert_eq!(error.help()[0].to_string(), "did you mean `event.term`?");
        }
        let nothing = ReadOptions { time: time("t", None), key: Some("k".to_owned()), ..ReadOptions::default() };
        assert_eq!(read_text("", &nothing).unwrap().states, 0);
    }

    #[test]
    fn a_variable_may_be_the_time_as_well() {
        let options = ReadOptions {
            time: time("t", Some(TimeUnit::Ms)),
            variables: vec![ReadVariable::new("t", NUMBER)],
            ..ReadOptions::default()
        };
        let trace = read_text("t\n1\n2.5\n", &options).unwrap();
        assert_eq!(trace.time, Some(vec![1_000_000, 2_500_000]));
        assert_eq!(show("t\n1\n2.5\n", &options), "mixed 1 2.5");
    }
}
