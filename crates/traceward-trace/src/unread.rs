//! Formats that are recognised and not read.
//!
//! They are entries of the table of formats all the same: whoever has such a file learns what it
//! is, and which program makes something of it that is read. Without them a waveform or a log would
//! be taken for CSV, and its first line for names.
//!
//! Each way out is a command that writes CSV or JSON lines to its output. `FILE` stands for the
//! input.

use crate::date;
use crate::format::FormatEntry;
use crate::opening::{Guess, LONGEST_LINE, Opening};
use crate::record::LineEnd;
use traceward_logic::diagnostic::{Help, Remedy};

/// What to do with an input that is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WayOut {
    /// A command that makes something of it that is read.
    pub command: Option<&'static str>,
    /// How sure it is that the input is no CSV.
    pub certainty: Certainty,
}

impl WayOut {
    /// The ways out, for people.
    pub(crate) fn help(self) -> Vec<Help> {
        let convert = self.command.map(|command| Help::from(Remedy::ConvertWith(command.to_owned())));
        let all_the_same = (self.certainty == Certainty::Likely).then(|| Remedy::TakeForCsv.into());
        let otherwise = self.command.is_none().then(|| "a trace is CSV or JSON lines".into());
        convert.into_iter().chain(all_the_same).chain(otherwise).collect()
    }
}

/// How sure it is what an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// Bytes of this kind are nothing else.
    Certain,
    /// It is text, and could be a CSV with odd names.
    Likely,
}

type Unread = FormatEntry<WayOut>;

/// An entry that is known by bytes that nothing else begins with.
const fn certain(name: &'static str, begins: fn(Opening<'_>) -> Guess, command: &'static str) -> Unread {
    let handling = WayOut { command: Some(command), certainty: Certainty::Certain };
    FormatEntry { name, begins, handling }
}

/// An entry that is known by the shape of its text.
const fn likely(name: &'static str, begins: fn(Opening<'_>) -> Guess, command: &'static str) -> Unread {
    let handling = WayOut { command: Some(command), certainty: Certainty::Likely };
    FormatEntry { name, begins, handling }
}

/// An entry of which nothing can be made.
const fn hopeless(name: &'static str, begins: fn(Opening<'_>) -> Guess) -> Unread {
    FormatEntry { name, begins, handling: WayOut { command: None, certainty: Certainty::Certain } }
}

/// The formats that are not read, in the order in which they are looked for: first those that are
/// known by fixed bytes, then other binary data, then texts.
pub(crate) static UNREAD: [Unread; 37] = [
    certain("an Arrow table of old (Feather 1)", |input| input.begins_with(b"FEA1"), READ_FEATHER),
    hopeless("an encrypted Parquet table", is_encrypted_table),
    certain("an FST waveform", |input| input.begins_with(b"\0\0\0\0\0\0\0\x01\x49"), READ_FST),
    certain(
        "an SQLite database",
        |input| input.begins_with(b"SQLite format 3\0"),
        "sqlite3 -header -csv FILE 'SELECT * FROM TABLE'",
    ),
    certain("a capture of packets (pcap)", |input| input.begins_with_any(&PCAP), READ_PACKETS),
    certain("a capture of packets (pcapng)", |input| input.begins_with(b"\x0A\x0D\x0D\x0A"), READ_PACKETS),
    certain("a spreadsheet (xlsx)", is_spreadsheet, "xlsx2csv FILE"),
    certain("a zip archive", |input| input.begins_with_any(&[b"PK\x03\x04", b"PK\x05\x06"]), "unzip -p FILE"),
    certain("data compressed by gzip", |input| input.begins_with(b"\x1F\x8B"), "zcat FILE"),
    certain("data compressed by zstd", |input| input.begins_with(b"\x28\xB5\x2F\xFD"), "zstd -dc FILE"),
    certain("data compressed by xz", |input| input.begins_with(b"\xFD7zXZ\0"), "xz -dc FILE"),
    certain("data compressed by bzip2", is_bzip2, "bzip2 -dc FILE"),
    certain("data compressed by lz4", |input| input.begins_with(b"\x04\x22\x4D\x18"), "lz4 -dc FILE"),
    certain("a 7z archive", |input| input.begins_with(b"7z\xBC\xAF\x27\x1C"), "7z x -so FILE"),
    certain("a tar archive", is_tar, "tar -xOf FILE"),
    certain("an event log of Windows (evtx)", |input| input.begins_with(b"ElfFile\0"), "evtx_dump -o jsonl FILE"),
    certain("a journal of systemd", |input| input.begins_with(b"LPKSHHRH"), "journalctl --file=FILE -o json"),
    hopeless("a program (ELF)", |input| input.begins_with(b"\x7FELF")),
    certain("UTF-16 text", is_utf16_little, "iconv -f UTF-16LE -t UTF-8 FILE"),
    certain("UTF-16 text", is_utf16_big, "iconv -f UTF-16BE -t UTF-8 FILE"),
    hopeless("binary data", is_binary),
    certain("a VCD waveform", is_vcd, "sigrok-cli -I vcd -i FILE -O csv"),
    certain("an event log in XML (XES)", is_xes, READ_XES),
    certain("XML", |input| input.with_line(is_xml), "yq -p xml -o json -I 0 FILE"),
    certain(
        "OTLP spans",
        |input| is_otlp(input, "resourceSpans"),
        "jq -c '.resourceSpans[].scopeSpans[].spans[]' FILE",
    ),
    certain(
        "OTLP logs",
        |input| is_otlp(input, "resourceLogs"),
        "jq -c '.resourceLogs[].scopeLogs[].logRecords[]' FILE",
    ),
    certain(
        "OTLP metrics",
        |input| is_otlp(input, "resourceMetrics"),
        "jq -c '.resourceMetrics[].scopeMetrics[].metrics[]' FILE",
    ),
    likely("a log with a level before each line", |input| input.with_line(is_level_log), READ_LINES),
    likely("a log of the kernel", |input| input.with_line(is_kernel_log), READ_LINES),
    likely("a log with a time before each line", |input| input.with_line(is_timed_log), READ_TIMED_LINES),
    certain("a JSON array", |input| input.with_line(is_json_array), "jq -c '.[]' FILE"),
    certain("JSON over several lines", |input| input.with_line(is_pretty_json), "jq -c . FILE"),
    likely("an export of the journal of systemd", |input| input.begins_with(b"__CURSOR="), "journalctl -o json"),
    likely("a syslog", |input| input.with_line(is_syslog), "jc --syslog-bsd-s < FILE"),
    likely("an access log of a web server", |input| input.with_line(is_access_log), "jc --clf-s < FILE"),
    likely("logfmt", |input| input.with_line(is_logfmt), "mlr --idkvp --ifs ' ' --ojsonl cat FILE"),
    likely("plain text", |input| input.with_line(is_prose), READ_LINES),
];

const READ_FST: &str = "fst2vcd FILE > wave.vcd && sigrok-cli -I vcd -i wave.vcd -O csv";
const READ_FEATHER: &str =
    "python3 -c \"import pandas, sys; pandas.read_feather('FILE').to_csv(sys.stdout, index=False)\"";
const READ_PACKETS: &str =
    "tshark -r FILE -T fields -E header=y -E separator=, -E quote=d -e frame.time_epoch -e ip.src -e ip.dst";
const READ_XES: &str = "python3 -c \"import pm4py, sys; pm4py.read_xes('FILE').to_csv(sys.stdout, index=False)\"";
const READ_LINES: &str = "jq -cR '{line: .}' FILE";
const READ_TIMED_LINES: &str = r#"jq -cR 'capture("^\\[?(?<time>[0-9-/]*[ T]?[0-9:.,]+\\S*) +(?<rest>.*)")' FILE"#;

/// The first bytes of captures: of either byte order, with micro- or nanoseconds.
const PCAP: [&[u8]; 4] = [b"\xA1\xB2\xC3\xD4", b"\xD4\xC3\xB2\xA1", b"\xA1\xB2\x3C\x4D", b"\x4D\x3C\xB2\xA1"];

/// Four letters that could begin a name, and the length of what is encrypted, which no text has.
fn is_encrypted_table(input: Opening<'_>) -> Guess {
    const MARK: &[u8] = b"PARE";
    match input.begins_with(MARK) {
        Guess::Yes => {
            input.with_length(MARK.len() + 4, |bytes| bytes[MARK.len()..].iter().take(4).any(|&byte| byte == 0))
        }
        other => other,
    }
}

/// A spreadsheet is a zip archive whose first member has one of a few names.
fn is_spreadsheet(input: Opening<'_>) -> Guess {
    const NAME: usize = 30;
    match input.begins_with(b"PK\x03\x04") {
        Guess::Yes => {
            let names: [&[u8]; 3] = [b"[Content_Types].xml", b"xl/", b"_rels/.rels"];
            let longest = NAME + names.iter().map(|name| name.len()).max().unwrap_or(0);
            input.with_length(longest, |bytes| {
                bytes.get(NAME..).is_some_and(|name| names.iter().any(|known| name.starts_with(known)))
            })
        }
        other => other,
    }
}

/// `BZh`, a level, and the first block or the end of an empty input.
fn is_bzip2(input: Opening<'_>) -> Guess {
    match input.begins_with(b"BZh") {
        Guess::Yes => input.with_length(5, |bytes| matches!(bytes, [_, _, _, b'1'..=b'9', b'1' | 0x17, ..])),
        other => other,
    }
}

/// An archive begins with a name and zeros behind it, and says `ustar` later on.
fn is_tar(input: Opening<'_>) -> Guess {
    const MARK: usize = 257;
    let bytes = input.bytes();
    let name = bytes.iter().position(|&byte| matches!(byte, 0 | b'\n' | b'\r'));
    match name {
        Some(end) if bytes[end] == 0 && (1..MARK).contains(&end) => {
            input.with_length(MARK + 5, |bytes| bytes.get(MARK..).is_some_and(|rest| rest.starts_with(b"ustar")))
        }
        Some(_) => Guess::No,
        None => input.with_length(MARK, |_| false),
    }
}

/// Letters with a zero before or behind each; what has a byte-order mark is known by that.
fn is_utf16_little(input: Opening<'_>) -> Guess {
    match input.bytes() {
        [first, 0, ..] if is_plain(*first) => {}
        [_, _, ..] => return Guess::No,
        _ => return input.with_length(2, |_| false),
    }
    input.with_length(4, |bytes| matches!(bytes, [_, 0, third, 0, ..] if is_plain(*third)))
}

fn is_utf16_big(input: Opening<'_>) -> Guess {
    match input.bytes() {
        [0, second, ..] if is_plain(*second) => {}
        [_, _, ..] => return Guess::No,
        _ => return input.with_length(2, |_| false),
    }
    input.with_length(4, |bytes| matches!(bytes, [0, _, 0, fourth, ..] if is_plain(*fourth)))
}

/// Whether a byte is a character that a header begins with.
fn is_plain(byte: u8) -> bool {
    byte == b'\t' || matches!(byte, b' '..=b'~')
}

/// A first line with a zero, or with many characters that no text has. The ones that may separate
/// fields are left out; a few others may stand in a name that somebody made up.
fn is_binary(input: Opening<'_>) -> Guess {
    let line = input.bytes().trim_ascii_start();
    let line = &line[..LineEnd::find(line).map_or(line.len(), |end| end.start)];
    if line.iter().take(1024).any(|&byte| byte == 0) {
        return Guess::Yes;
    }
    let is_odd = |byte: &&u8| matches!(byte, 2..=8 | 0x0E..=0x1A);
    input.with_line(|line| line.iter().filter(is_odd).count() * 10 > line.len())
}

fn is_vcd(input: Opening<'_>) -> Guess {
    let words: [&[u8]; 7] = [b"$date", b"$version", b"$timescale", b"$scope", b"$comment", b"$var", b"$enddefinitions"];
    input.with_line(|line| {
        let word = line.trim_ascii_start().split(u8::is_ascii_whitespace).next().unwrap_or_default();
        words.contains(&word)
    })
}

fn is_xml(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.starts_with(b"<?xml") || line.starts_with(b"<!--") || line.starts_with(b"<!DOCTYPE") || is_tag(line)
}

/// `<name …`, but not the `<13>` of a syslog.
fn is_tag(line: &[u8]) -> bool {
    matches!(line, [b'<', b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// XML whose first element is a log: comments and declarations may stand before it.
fn is_xes(input: Opening<'_>) -> Guess {
    match input.with_line(is_xml) {
        Guess::Yes => {}
        other => return other,
    }
    for line in input.lines().take(64) {
        let Some(line) = line else { return Guess::Later };
        if has_word(line, b"<log") || has_word(line, b"xes.") {
            return Guess::Yes;
        }
        if is_tag(line.trim_ascii_start()) {
            return Guess::No;
        }
    }
    Guess::No
}

fn has_word(line: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(line, word).is_some()
}

/// An object whose first member is one of OTLP, on the first line or the next.
fn is_otlp(input: Opening<'_>, member: &str) -> Guess {
    let mut lines = input.lines();
    let first = match lines.next() {
        Some(Some(line)) => line.trim_ascii(),
        Some(None) => return Guess::Later,
        None => return Guess::No,
    };
    let Some(inside) = first.strip_prefix(b"{") else { return Guess::No };
    let inside = inside.trim_ascii();
    if !inside.is_empty() {
        return names_member(inside, member).into();
    }
    match lines.next() {
        Some(Some(line)) => names_member(line.trim_ascii(), member).into(),
        Some(None) => Guess::Later,
        None => Guess::No,
    }
}

/// Whether `"member"` and a colon come first.
fn names_member(text: &[u8], member: &str) -> bool {
    let rest = text.strip_prefix(b"\"").and_then(|text| text.strip_prefix(member.as_bytes()));
    let rest = rest.and_then(|text| text.strip_prefix(b"\""));
    rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"))
}

/// An array of objects, on one line or over several. Arrays of other things stay bad lines.
fn is_json_array(line: &[u8]) -> bool {
    let Some(inside) = line.trim_ascii().strip_prefix(b"[") else { return false };
    inside.is_empty() || inside.trim_ascii_start().starts_with(b"{")
}

/// An object that goes on behind its first line, of which all has to be there.
fn is_pretty_json(line: &[u8]) -> bool {
    let is_whole = line.len() < LONGEST_LINE;
    let line = line.trim_ascii();
    is_whole && line.starts_with(b"{") && (line.ends_with(b"{") || line.ends_with(b"["))
}

/// The words of a line, parted by blanks.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// `Nov 16 18:38:26 host …`, `<13>Nov 16 …`, `<13>1 2026-11-16T18:38:26Z host …`.
fn is_syslog(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let without_priority = after_priority(text);
    if let Some([version, b' ', rest @ ..]) = without_priority {
        return version.is_ascii_digit() && words(rest).count() >= 3;
    }
    let mut words = words(without_priority.unwrap_or(text));
    let (Some(month), Some(day), Some(clock)) = (words.next(), words.next(), words.next()) else { return false };
    let is_day = day.len() <= 2 && day.iter().all(u8::is_ascii_digit);
    date::is_month(month) && is_day && date::parse_clock(clock).is_some() && words.next().is_some_and(begins_word)
}

/// What follows `<13>`.
fn after_priority(text: &[u8]) -> Option<&[u8]> {
    let inside = text.strip_prefix(b"<")?;
    let digits = inside.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    inside[digits..].strip_prefix(b">")
}

/// `127.0.0.1 - - [22/Oct/2014:11:15:41 +0000] "GET …`
fn is_access_log(line: &[u8]) -> bool {
    let Some(open) = memchr::memmem::find(line, b" [") else { return false };
    let inside = &line[open + 2..];
    let Some(close) = memchr::memmem::find(inside, b"] \"") else { return false };
    words(&line[..open]).count() == 3 && date::parse(&inside[..close]).is_ok()
}

/// A moment, or a time of day, and words behind it: `2026-11-16 18:38:26,123 INFO …`.
fn is_timed_log(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"[").unwrap_or(line);
    let mut words = words(line).map(|word| word.strip_suffix(b"]").unwrap_or(word)).peekable();
    let Some(first) = words.next() else { return false };
    let is_clock = |word: &[u8]| date::parse_clock(word).is_some();
    let is_date = |word: &[u8]| word.len() >= 8 && !word.contains(&b',') && date::parse(word).is_ok();
    let has_moment = match words.peek() {
        _ if is_clock(first) => true,
        _ if is_date(first) && first.contains(&b':') => true,
        Some(second) if is_date(first) && is_clock(without_zone(second)) => {
            words.next();
            true
        }
        _ => false,
    };
    has_moment && words.next().is_some_and(begins_word)
}

/// A clock without the zone that stands behind it without a blank.
fn without_zone(word: &[u8]) -> &[u8] {
    let stop = word.iter().position(|byte| matches!(byte, b'+' | b'-' | b'Z' | b'z'));
    &word[..stop.unwrap_or(word.len())]
}

/// Whether a word is none of a table, where a separator would follow.
fn begins_word(word: &[u8]) -> bool {
    !matches!(word.first(), None | Some(b',' | b';' | b'|'))
}

/// `INFO …`, `[WARN] …`, `ERROR:root:…`, `I1116 18:38:26.123456 …`.
fn is_level_log(line: &[u8]) -> bool {
    let mut words = words(line);
    let (Some(first), second) = (words.next(), words.next()) else { return false };
    let bare = first.strip_prefix(b"[").unwrap_or(first);
    let letters = bare.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let (level, behind) = bare.split_at(letters);
    let is_level = LEVELS.contains(&level);
    match behind {
        b"" | b"]" | b":" | b"]:" => is_level && second.is_some_and(begins_word) && !is_table(line),
        [b':', _, ..] => is_level && !is_table(line),
        [_, _, _, _] => {
            let is_glog = matches!(level, b"I" | b"W" | b"E" | b"F") && behind.iter().all(u8::is_ascii_digit);
            is_glog && second.is_some_and(|word| date::parse_clock(word).is_some())
        }
        _ => false,
    }
}

const LEVELS: [&[u8]; 11] =
    [b"TRACE", b"DEBUG", b"INFO", b"NOTICE", b"WARN", b"WARNING", b"ERROR", b"SEVERE", b"CRITICAL", b"FATAL", b"ALERT"];

/// Whether a line has something that would separate fields.
fn is_table(line: &[u8]) -> bool {
    line.iter().any(|byte| matches!(byte, b',' | b';' | b'\t' | b'|'))
}

/// `[    0.000000] Linux version …`
fn is_kernel_log(line: &[u8]) -> bool {
    let Some(inside) = line.strip_prefix(b"[") else { return false };
    let Some(close) = memchr::memchr(b']', inside) else { return false };
    let time = inside[..close].trim_ascii();
    let is_number = time.contains(&b'.') && time.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    is_number && inside[close + 1..].starts_with(b" ")
}

/// `level=info msg="it goes"`: at least two pairs, the first of them at the beginning.
fn is_logfmt(line: &[u8]) -> bool {
    let is_pair = |word: &[u8]| {
        let name = word.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-@".contains(byte)).count();
        name > 0 && word.get(name) == Some(&b'=')
    };
    words(line).next().is_some_and(is_pair) && words(line).filter(|word| is_pair(word)).count() >= 2
}

/// A line of many words and no separator: a sentence is no name of a column.
fn is_prose(line: &[u8]) -> bool {
    const MANY: usize = 5;
    !is_table(line) && !line.contains(&b'"') && words(line).count() >= MANY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{TraceError, TraceErrorKind};
    use crate::format::Format;
    use crate::options::ReadOptions;
    use crate::record::{End, ReadStop, RecordSink};
    use crate::stream::RecordStream;

    /// What a file is taken for: the name of a format that is read, or of one that is not.
    fn taken_for(bytes: &[u8], options: &ReadOptions) -> String {
        match Format::of(options, Opening::new(bytes, End::Last)) {
            Ok(format) => format.expect("all bytes are there").to_string(),
            Err(error) => name(&error),
        }
    }

    fn name(error: &TraceError) -> String {
        match error.kind() {
            TraceErrorKind::NotRead { what, .. } => (*what).to_owned(),
            other => panic!("{other:?}"),
        }
    }

    struct Ignore;

    impl RecordSink for Ignore {
        fn header(&mut self, _: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
            Ok(Vec::new())
        }

        fn record(&mut self, _: u64, _: &[crate::cell::Cell<'_>]) -> Result<(), ReadStop> {
            Ok(())
        }

        fn bad_line(&mut self, _: TraceError) -> Result<(), ReadStop> {
            Ok(())
        }
    }

    /// What a stream is taken for, if it comes in pieces of one byte, and in two pieces.
    fn stream_taken_for(pieces: &[&[u8]]) -> String {
        let mut stream = RecordStream::new(ReadOptions::default()).unwrap();
        let pushed = pieces.iter().try_for_each(|piece| stream.push(piece, &mut Ignore));
        match pushed.and_then(|()| stream.finish(&mut Ignore)) {
            Ok(()) => stream.format().expect("it has ended").to_string(),
            Err(ReadStop::Failed(error)) => name(&error),
            Err(ReadStop::Asked) => panic!("nobody asked"),
        }
    }

    fn expect(bytes: &[u8], expected: &str) {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]);
        assert_eq!(taken_for(bytes, &ReadOptions::default()), expected, "{shown}");
        for cut in 0..=bytes.len().min(600) {
            let (before, after) = bytes.split_at(cut);
            assert_eq!(stream_taken_for(&[before, after]), expected, "{shown}: cut at {cut}");
        }
        assert_eq!(stream_taken_for(&bytes.chunks(1).collect::<Vec<_>>()), expected, "{shown}: byte by byte");
    }

    #[test]
    fn bytes_that_nothing_else_begins_with_are_named() {
        expect(b"FEA1\0\0\0\0", "an Arrow table of old (Feather 1)");
        expect(b"\0\0\0\0\0\0\0\x01\x49\0\0", "an FST waveform");
        expect(b"SQLite format 3\0\x10\0", "an SQLite database");
        expect(b"\xd4\xc3\xb2\xa1\x02\0\x04\0", "a capture of packets (pcap)");
        expect(b"\x0a\x0d\x0d\x0a\x1c\0\0\0", "a capture of packets (pcapng)");
        expect(b"\xfd7zXZ\0\0\x04", "data compressed by xz");
        expect(b"BZh91AY&SY", "data compressed by bzip2");
        expect(b"\x04\x22\x4d\x18\x64", "data compressed by lz4");
        expect(b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z archive");
        expect(b"LPKSHHRH\0\0\0\0", "a journal of systemd");
        expect(b"PARE\x21\0\0\0\x9c", "an encrypted Parquet table");
        expect(b"ElfFile\0\0\0", "an event log of Windows (evtx)");
        expect(b"\x7fELF\x02\x01\x01\0", "a program (ELF)");
        expect(b"\x89\x00\x01\n", "binary data");
        expect(b"abc\0def\n", "binary data");
        expect(b"\x02\x03abc\x04\n", "binary data");
        expect(b"a name that rings \x07,b\n1,2\n", "csv");
    }

    #[test]
    fn archives_are_told_apart_by_what_is_in_them() {
        let member = |name: &[u8]| [&b"PK\x03\x04"[..], &[20; 26], name, &[7; 40]].concat();
        expect(&member(b"trace.csv"), "a zip archive");
        expect(&member(b"[Content_Types].xml"), "a spreadsheet (xlsx)");
        let mut tar = vec![0; 600];
        tar[..9].copy_from_slice(b"trace.csv");
        tar[257..262].copy_from_slice(b"ustar");
        expect(&tar, "a tar archive");
    }

    #[test]
    fn utf16_without_a_mark_is_known_by_its_zeros() {
        let little: Vec<u8> = "a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "a,b\n1,2\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        expect(&little, "UTF-16 text");
        expect(&big, "UTF-16 text");
        for (bytes, order) in [(&little, "UTF-16LE"), (&big, "UTF-16BE")] {
            let error = Format::of(&ReadOptions::default(), Opening::new(bytes, End::Last)).unwrap_err();
            assert!(format!("{:?}", error.help()).contains(order), "{:?}", error.help());
        }
    }

    #[test]
    fn documents_are_named() {
        expect(b"$date\n  today\n$end\n", "a VCD waveform");
        expect(b"\n $timescale 1ns $end\n", "a VCD waveform");
        expect(b"<?xml version=\"1.0\"?>\n<!-- x -->\n<log xes.version=\"1.0\">\n", "an event log in XML (XES)");
        expect(b"<?xml version=\"1.0\"?>\n<trace>\n<log/>\n", "XML");
        expect(b"<trace>\n", "XML");
        expect(b"{\"resourceSpans\":[{\"a\":1}]}\n", "OTLP spans");
        expect(b"{\n  \"resourceLogs\" : [\n", "OTLP logs");
        expect(b"{ \"resourceMetrics\": []}", "OTLP metrics");
        expect(b"[\n  {\"a\": 1},\n", "a JSON array");
        expect(b"[{\"a\": 1}, {\"a\": 2}]\n", "a JSON array");
        expect(b"{\n  \"a\": 1\n}\n", "JSON over several lines");
        expect(b"{\"a\": {\n  \"b\": 1\n}}\n", "JSON over several lines");
    }

    #[test]
    fn logs_are_named() {
        expect(b"Nov 16 18:38:26 host sshd[12]: hello\nNov 16 18:38:27 host x\n", "a syslog");
        expect(b"<34>Oct 11 22:14:15 mymachine su: failed\n", "a syslog");
        expect(b"<165>1 2003-10-11T22:14:15.003Z host evntslog - ID47\n", "a syslog");
        let access = b"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 2326\n";
        expect(access, "an access log of a web server");
        for line in [
            "2026-11-16 18:38:26,123 INFO  [main] com.example.Main - started, at last",
            "2026-11-16T18:38:26+0000 host systemd[1]: Started",
            "2026/11/16 18:38:26 listening",
            "[2026-11-16 18:38:26] local.ERROR: no",
            "18:38:26.123 [main] INFO c.e.Main -- started",
        ] {
            expect(line.as_bytes(), "a log with a time before each line");
        }
        for line in ["INFO started", "[WARN] no", "ERROR:root:no", "I1116 18:38:26.123456 12 main.cc:3] x"] {
            expect(line.as_bytes(), "a log with a level before each line");
        }
        expect(b"__CURSOR=s=7c;i=1;b=5\n__REALTIME_TIMESTAMP=1\n", "an export of the journal of systemd");
        expect(b"[    0.000000] Linux version 6.1\n", "a log of the kernel");
        expect(b"time=\"2026-11-16T18:38:26Z\" level=info msg=\"it goes, so far\"\n", "logfmt");
        expect(b"The server has come up at last\n", "plain text");
    }

    #[test]
    fn tables_stay_tables() {
        for table in [
            "temperature\n1\n2\n",
            "Room temperature in C\n20\n",
            "INFO\n1\n",
            "level,INFO\n1,2\n",
            "time stamp of arrival in the ward,b\n",
            "2026-11-16 18:38:26,5,6\n",
            "2026-11-16 18:38:26;up\n",
            "2026-11-16 18:38:26 | INFO | up\n",
            "Nov 16 18:38:26,host,up\n",
            "18:38:26,1\n",
            "a=1,b=2\n",
            "P\n1\n",
            "PAR\n1\n",
            "B\n",
            "$price,a\n",
            "<13>,b\n",
            "\u{1}a,b\n",
            "\n\n",
            "",
        ] {
            expect(table.as_bytes(), "csv");
        }
        for lines in ["{}\n", "\n {\"a\": {}}\n", "{\"a\":}\n", "[1, 2]\n", "{\"resource\": 1}\n", "{\"a\": 1,\n"] {
            expect(lines.as_bytes(), "jsonl");
        }
        let deep = format!("{{\"a\":{}{}}}\n", "[".repeat(70_000), "]".repeat(70_000));
        assert_eq!(taken_for(deep.as_bytes(), &ReadOptions::default()), "jsonl");
    }

    #[test]
    fn content_outweighs_the_name_and_an_option_outweighs_both() {
        let named = ReadOptions { likely_format: Some(Format::CSV), ..ReadOptions::default() };
        assert_eq!(taken_for(b"$date today $end\n", &named), "a VCD waveform");
        assert_eq!(taken_for(b"{\"a\": 1}\n", &named), "csv");
        let asked = ReadOptions { format: Some(Format::CSV), ..ReadOptions::default() };
        assert_eq!(taken_for(b"$date today $end\n", &asked), "csv");
    }
}
