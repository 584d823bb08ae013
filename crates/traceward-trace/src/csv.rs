//! CSV: fields separated by a character, after a header with their names.
//!
//! Only the fields somebody wants are looked at; the others are merely counted. A line without a
//! quote is split where it lies; only lines with quotes take the road of RFC 4180. `csv-core` was
//! not used because it copies every field. Where many rows are taken at once
//! ([`RecordSink::takes_rows`]), those whose delimiters are at the same places are told by their
//! shape alone, delimiters of others are found in one go, and whatever is not a row like all others
//! is left to the road of single rows.

use crate::cell::Cell;
use crate::date;
use crate::delimiters::Delimiters;
use crate::error::{TraceError, TraceErrorKind};
use crate::even_rows::EvenRows;
use crate::format::{FormatEntry, Road, live_records, read_records};
use crate::inspect::inspect_csv;
use crate::note::Note;
use crate::number;
use crate::opening::Guess;
use crate::options::{HeaderLine, ReadOptions};
use crate::plain_rows::{PlainRows, plain_cell};
use crate::record::{End, LineEnd, ReadStop, RecordReader, RecordSink, count_line_ends};
use crate::swar;
use memchr::{memchr, memchr_iter, memchr3};
use std::sync::Arc;

/// The separators a header may use, in order of preference.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The format, as the table of formats knows it.
pub(crate) static FORMAT: FormatEntry<Road> = FormatEntry {
    name: "csv",
    // Whatever nothing else claims is taken for CSV.
    begins: |_| Guess::Yes,
    handling: Road {
        endings: &["csv", "tsv"],
        read: read_records::<CsvReader>,
        live: live_records::<CsvReader>,
        inspect: inspect_csv,
    },
};

/// Reads CSV records into a sink.
pub(crate) struct CsvReader {
    separator: Option<u8>,
    header_line: HeaderLine,
    /// A name in the header that looks like a value.
    odd_name: Option<String>,
    header: Option<Arc<Header>>,
    /// The line of the next record.
    line: u64,
    blank_lines: u64,
    records: u64,
    /// The fields of a record with quotes; kept to be used again.
    fields: Vec<Field>,
    /// The delimiters of many rows; kept to be used again.
    delimiters: Delimiters,
    /// The shape of rows that are alike; kept since the next ones mostly are as well.
    even: EvenRows,
}

/// The header: what the first line tells about all others.
struct Header {
    names: Vec<String>,
    separator: u8,
    /// The fields to take from each row, in order.
    picks: Vec<Pick>,
    /// For each cell of a record its field, if there is one.
    fields: Vec<Option<usize>>,
}

/// A field that is wanted, and where it goes.
#[derive(Clone, Copy)]
struct Pick {
    field: usize,
    slot: usize,
}

/// A field of a record with quotes, without them.
#[derive(Clone, Copy)]
struct Field {
    start: usize,
    stop: usize,
    quoting: Quoting,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    Bare,
    Quoted,
    /// Quoted, with doubled quotes inside.
    Doubled,
}

/// A record with quotes.
struct QuotedRecord {
    /// Bytes up to and with its line end.
    length: usize,
    lines: u64,
}

impl CsvReader {
    pub(crate) fn new(separator: Option<u8>, header_line: HeaderLine) -> Self {
        Self {
            separator,
            header_line,
            odd_name: None,
            header: None,
            line: 1,
            blank_lines: 0,
            records: 0,
            fields: Vec::new(),
            delimiters: Delimiters::default(),
            even: EvenRows::default(),
        }
    }

    /// The separator that was given or guessed.
    pub(crate) fn separator(&self) -> Option<u8> {
        self.header.as_ref().map(|header| header.separator)
    }

    /// Takes blank lines and the header; returns the bytes they had.
    fn consume_header<S: RecordSink + ?Sized>(
        &mut self,
        bytes: &[u8],
        end: End,
        sink: &mut S,
    ) -> Result<usize, ReadStop> {
        let mut at = 0;
        while at < bytes.len() && self.header.is_none() {
            let rest = &bytes[at..];
            let line_end = match LineEnd::find(rest) {
                Some(line_end) => line_end,
                None if end == End::More => break,
                None => LineEnd { start: rest.len(), stop: rest.len() },
            };
            let line = &rest[..line_end.start];
            if line.trim_ascii().is_empty() {
                self.blank_lines += 1;
                self.line += 1;
                at += line_end.stop;
                continue;
            }
            if self.line == 1
                && let Some(separator) = declared_separator(line)
            {
                self.separator.get_or_insert(separator);
                self.line += 1;
                at += line_end.stop;
                continue;
            }
            let separator = self.separator.unwrap_or_else(|| guess_separator(line));
            match self.split_quoted(rest, separator, end)? {
                None => break,
                Some(record) => {
                    self.accept_header(rest, separator, sink)?;
                    if self.header_line == HeaderLine::Names {
                        self.line += record.lines;
                        at += record.length;
                    }
                }
            }
        }
        Ok(at)
    }

    fn accept_header<S: RecordSink + ?Sized>(
        &mut self,
        bytes: &[u8],
        separator: u8,
        sink: &mut S,
    ) -> Result<(), ReadStop> {
        let names = match self.header_line {
            HeaderLine::Names => self.names_in(bytes).map_err(|kind| TraceError::new(kind).on_line(self.line))?,
            HeaderLine::Missing => (1..=self.fields.len()).map(|number| format!("column{number}")).collect(),
        };
        if self.header_line == HeaderLine::Names {
            self.odd_name = names.iter().find(|name| looks_like_value(name)).cloned();
        }
        let fields = sink.header(&names).map_err(|error| error.on_line(self.line))?;
        let picks = fields.iter().enumerate().filter_map(|(slot, field)| Some(Pick { field: (*field)?, slot }));
        let mut picks: Vec<Pick> = picks.collect();
        picks.sort_by_key(|pick| pick.field);
        self.header = Some(Arc::new(Header { names, separator, picks, fields }));
        Ok(())
    }

    /// The fields that were split, as names.
    fn names_in(&self, bytes: &[u8]) -> Result<Vec<String>, TraceErrorKind> {
        let names = self.fields.iter().map(|&field| {
            let name = String::from_utf8(field.text(bytes)).map_err(|_| TraceErrorKind::InvalidUtf8)?;
            Ok(name.trim().to_owned())
        });
        names.collect()
    }

    /// Looks whether the first row repeats a name of the header as a value of that column.
    fn compare_first_row(&mut self, header: &Header, bytes: &[u8], end: End) {
        let compared = self.header_line == HeaderLine::Names && self.records == 0 && self.odd_name.is_none();
        if compared && let Ok(Some(_)) = self.split_quoted(bytes, header.separator, end) {
            let repeats = |(name, field): &(&String, &Field)| !name.is_empty() && field.text(bytes) == name.as_bytes();
            self.odd_name = header.names.iter().zip(&self.fields).find(repeats).map(|(name, _)| name.clone());
        }
    }

    fn consume_rows<S: RecordSink + ?Sized>(
        &mut self,
        bytes: &[u8],
        end: End,
        sink: &mut S,
    ) -> Result<usize, ReadStop> {
        let Some(header) = self.header.take() else { return Ok(0) };
        self.compare_first_row(&header, bytes, end);
        let consumed = self.consume_rows_of(&header, bytes, end, sink);
        self.header = Some(header);
        consumed
    }

    fn consume_rows_of<S: RecordSink + ?Sized>(
        &mut self,
        header: &Header,
        bytes: &[u8],
        end: End,
        sink: &mut S,
    ) -> Result<usize, ReadStop> {
        let mut cells = vec![Cell::Absent; header.fields.len()];
        let takes_rows = sink.takes_rows() && header.splits_plainly();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            if takes_rows {
                let length = self.plain_rows(header, rest, &mut cells, sink)?;
                at += length;
                if length > 0 {
                    continue;
                }
            }
            match line_end_or_quote(rest) {
                Some(stop) if rest[stop] != b'"' => {
                    self.plain_row(header, rest, stop, &mut cells, sink)?;
                    at += LineEnd::at(rest, stop).stop;
                }
                Some(_) => match self.quoted_row(header, rest, &mut cells, end, sink)? {
                    Some(length) => at += length,
                    None => break,
                },
                None if end == End::Last => {
                    self.plain_row(header, rest, rest.len(), &mut cells, sink)?;
                    at = bytes.len();
                }
                None => break,
            }
        }
        Ok(at)
    }

    /// Takes the rows without quotes that begin the bytes, as far as they are found at once;
    /// returns the number of their bytes.
    fn plain_rows<'b, S: RecordSink + ?Sized>(
        &mut self,
        header: &Header,
        bytes: &'b [u8],
        cells: &mut [Cell<'b>],
        sink: &mut S,
    ) -> Result<usize, ReadStop> {
        let count = self.even.find(bytes, header.separator, header.names.len());
        if count > 0 {
            sink.rows(self.line, &self.even.rows(bytes, count, &header.fields))?;
            self.line += count as u64;
            self.records += count as u64;
            return Ok(count * self.even.length());
        }
        let mut delimiters = std::mem::take(&mut self.delimiters);
        delimiters.find(bytes, header.separator);
        let taken = self.rows_between(header, bytes, &delimiters, cells, sink);
        self.delimiters = delimiters;
        taken
    }

    /// Takes all whole rows among delimiters: those like the header many at a time, and what is
    /// between them one by one.
    fn rows_between<'b, S: RecordSink + ?Sized>(
        &mut self,
        header: &Header,
        bytes: &'b [u8],
        delimiters: &Delimiters,
        cells: &mut [Cell<'b>],
        sink: &mut S,
    ) -> Result<usize, ReadStop> {
        let (places, width) = (delimiters.places(), header.names.len());
        let (mut first, mut line_ends) = (0, delimiters.line_ends());
        while let Some(&end) = line_ends.first() {
            let count = header.regular_rows(bytes, &places[first..], line_ends);
            if count > 0 {
                let last = first + count * width;
                sink.rows(self.line, &PlainRows::new(bytes, &places[first..=last], width, &header.fields))?;
                self.line += count as u64;
                self.records += count as u64;
                (first, line_ends) = (last, &line_ends[count..]);
                continue;
            }
            let start = places[first].wrapping_add(1) as usize;
            self.odd_plain_row(header, &bytes[start..], end as usize - start, cells, sink)?;
            let fields = places[first + 1..].iter().take_while(|&&place| place <= end).count();
            (first, line_ends) = (first + fields, &line_ends[1..]);
        }
        Ok(places[first].wrapping_add(1) as usize)
    }

    /// A row up to its LF that is blank, or has another number of fields than the header.
    fn odd_plain_row<'b, S: RecordSink + ?Sized>(
        &mut self,
        header: &Header,
        bytes: &'b [u8],
        end: usize,
        cells: &mut [Cell<'b>],
        sink: &mut S,
    ) -> Result<(), ReadStop> {
        let is_return = end > 0 && bytes[end - 1] == b'\r';
        self.plain_row(header, bytes, end - usize::from(is_return), cells, sink)
    }

    /// A row without quotes: the first `length` bytes.
    #[inline]
    fn plain_row<'b, S: RecordSink + ?Sized>(
        &mut self,
        header: &Header,
        bytes: &'b [u8],
        length: usize,
        cells: &mut [Cell<'b>],
        sink: &mut S,
    ) -> Result<(), ReadStop> {
        let row = &bytes[..length];
        if !header.split_plain(bytes, length, cells) {
            return self.odd_row(header, row, sink);
        }
        // A file of one column has blank lines that split well.
        if matches!(row.first(), None | Some(b' ')) && is_blank(row) {
            return self.odd_row(header, row, sink);
        }
        sink.record(self.line, cells)?;
        self.line += 1;
        self.records += 1;
        Ok(())
    }

    /// A row that does not have the header's number of fields: blank, or a mistake.
    #[cold]
    fn odd_row<S: RecordSink + ?Sized>(&mut self, header: &Header, row: &[u8], sink: &mut S) -> Result<(), ReadStop> {
        if is_blank(row) {
            self.blank_lines += 1;
            self.line += 1;
            return Ok(());
        }
        let found = memchr_iter(header.separator, row).count() + 1;
        let error = self.ragged(header, found);
        sink.bad_line(error)?;
        self.line += 1;
        Ok(())
    }

    /// Returns the length of the row; none if the bytes at hand do not hold all of it.
    fn quoted_row<'b, S: RecordSink + ?Sized>(
        &mut self,
        header: &Header,
        bytes: &'b [u8],
        cells: &mut [Cell<'b>],
        end: End,
        sink: &mut S,
    ) -> Result<Option<usize>, ReadStop> {
        let record = match self.split_quoted(bytes, header.separator, end) {
            Ok(Some(record)) => record,
            Ok(None) => return Ok(None),
            Err(error) => {
                let length = match LineEnd::find(bytes) {
                    Some(line_end) => line_end.stop,
                    None if end == End::More => return Ok(None),
                    None => bytes.len(),
                };
                sink.bad_line(error)?;
                self.line += 1;
                return Ok(Some(length));
            }
        };
        if self.fields.len() != header.names.len() {
            let error = self.ragged(header, self.fields.len());
            sink.bad_line(error)?;
            self.line += record.lines;
            return Ok(Some(record.length));
        }
        let doubled = header.picks.iter().any(|pick| self.fields[pick.field].quoting == Quoting::Doubled);
        if doubled {
            self.doubled_row(header, bytes, sink)?;
        } else {
            for pick in &header.picks {
                cells[pick.slot] = self.fields[pick.field].cell(bytes);
            }
            sink.record(self.line, cells)?;
        }
        self.line += record.lines;
        self.records += 1;
        Ok(Some(record.length))
    }

    /// A row with a doubled quote in a wanted field, which has to be rewritten.
    fn doubled_row<S: RecordSink + ?Sized>(
        &mut self,
        header: &Header,
        bytes: &[u8],
        sink: &mut S,
    ) -> Result<(), ReadStop> {
        let texts: Vec<Vec<u8>> = header.picks.iter().map(|pick| self.fields[pick.field].text(bytes)).collect();
        let mut cells = vec![Cell::Absent; header.fields.len()];
        for (pick, text) in header.picks.iter().zip(&texts) {
            let field = self.fields[pick.field];
            cells[pick.slot] = if field.quoting == Quoting::Doubled { Cell::Field(text) } else { field.cell(bytes) };
        }
        sink.record(self.line, &cells)
    }

    /// Splits one record by RFC 4180 into `self.fields`; none if the bytes at hand do not hold all
    /// of it.
    fn split_quoted(&mut self, bytes: &[u8], separator: u8, end: End) -> Result<Option<QuotedRecord>, TraceError> {
        self.fields.clear();
        let mut lines = 1;
        let mut at = 0;
        loop {
            let start = at + bytes[at..].iter().take_while(|&&byte| byte == b' ').count();
            let field = if bytes.get(start) == Some(&b'"') {
                match close_quote(bytes, start) {
                    Some(field) => field,
                    None if end == End::More => return Ok(None),
                    None => return Err(self.error_after(TraceErrorKind::UnterminatedQuote, lines - 1)),
                }
            } else {
                let length = memchr3(separator, b'\n', b'\r', &bytes[start..]);
                let stop = length.map_or(bytes.len(), |length| start + length);
                Field { start, stop, quoting: Quoting::Bare }
            };
            if field.quoting != Quoting::Bare {
                lines += count_line_ends(&bytes[field.start..field.stop]);
            }
            self.fields.push(field.trimmed(bytes));
            at = field.end(bytes);
            match bytes.get(at) {
                Some(&byte) if byte == separator => at += 1,
                Some(b'\n' | b'\r') => {
                    return Ok(Some(QuotedRecord { length: LineEnd::at(bytes, at).stop, lines }));
                }
                None if end == End::More => return Ok(None),
                None => return Ok(Some(QuotedRecord { length: bytes.len(), lines })),
                Some(_) => return Err(self.error_after(TraceErrorKind::TextAfterQuote, lines - 1)),
            }
        }
    }

    fn ragged(&self, header: &Header, found: usize) -> TraceError {
        let expected = header.names.len();
        TraceError::new(TraceErrorKind::RaggedRow { expected, found }).on_line(self.line)
    }

    fn error_after(&self, kind: TraceErrorKind, lines: u64) -> TraceError {
        TraceError::new(kind).on_line(self.line + lines)
    }
}

impl RecordReader for CsvReader {
    fn open(options: &ReadOptions) -> Self {
        Self::new(options.separator, options.header)
    }

    fn consume<S: RecordSink + ?Sized>(&mut self, bytes: &[u8], end: End, sink: &mut S) -> Result<usize, ReadStop> {
        let header = if self.header.is_none() { self.consume_header(bytes, end, sink)? } else { 0 };
        Ok(header + self.consume_rows(&bytes[header..], end, sink)?)
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn pass_line(&mut self) {
        self.line += 1;
    }

    fn names(&self) -> Vec<String> {
        self.header.as_ref().map(|header| header.names.clone()).unwrap_or_default()
    }

    fn has_header(&self) -> bool {
        self.header.is_some()
    }

    fn of_piece(&self) -> Option<Self> {
        // The first row is compared with the header.
        let header = self.header.clone().filter(|_| self.records > 0)?;
        let mut piece = Self::new(self.separator, self.header_line);
        (piece.header, piece.records) = (Some(header), 1);
        Some(piece)
    }

    fn join(&mut self, piece: Self) {
        self.line += piece.line - 1;
        self.blank_lines += piece.blank_lines;
        self.records += piece.records - 1;
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        match &self.header {
            None => notes.push(Note::EmptyInput),
            Some(_) if self.records == 0 => notes.push(Note::HeaderOnly),
            Some(_) => {}
        }
        if self.blank_lines > 0 && self.header.is_some() {
            notes.push(Note::BlankLines(self.blank_lines));
        }
        notes.extend(self.odd_name.clone().map(|name| Note::OddHeader { name }));
        notes
    }
}

impl Header {
    /// Whether a row is what is between two line ends, split at every separator: a blank line may
    /// be a row with blanks for separators.
    fn splits_plainly(&self) -> bool {
        self.separator != b' '
    }

    /// The number of rows that have as many fields as the header, at the beginning of some places
    /// whose line ends are these.
    fn regular_rows(&self, bytes: &[u8], places: &[u32], line_ends: &[u32]) -> usize {
        let width = self.names.len();
        let ends = places.iter().skip(width).step_by(width);
        let is_regular = |&(end, line_end): &(&u32, &u32)| end == line_end;
        let count = ends.zip(line_ends).take_while(is_regular).count();
        if width > 1 {
            return count;
        }
        // A file of one column has blank lines that split well.
        let may_be_blank = |&&place: &&u32| matches!(bytes[place.wrapping_add(1) as usize], b' ' | b'\n' | b'\r');
        places[..count].iter().take_while(|place| !may_be_blank(place)).count()
    }

    /// Splits a row without quotes, the first `length` bytes; returns whether it has as many fields
    /// as the header.
    #[inline]
    fn split_plain<'b>(&self, bytes: &'b [u8], length: usize, cells: &mut [Cell<'b>]) -> bool {
        let mut field = 0;
        let mut start = 0;
        let mut stop = self.field_end(bytes, 0, length);
        for pick in &self.picks {
            while field < pick.field {
                if stop == length {
                    return false;
                }
                start = stop + 1;
                stop = self.field_end(bytes, start, length);
                field += 1;
            }
            cells[pick.slot] = plain_cell(&bytes[start..stop]);
        }
        let more = if stop == length { 0 } else { memchr_iter(self.separator, &bytes[stop..length]).count() };
        field + more + 1 == self.names.len()
    }

    /// Where a field ends that lies in a row of this length. Looks past the row's end, so as to see
    /// eight bytes.
    #[inline]
    fn field_end(&self, bytes: &[u8], start: usize, length: usize) -> usize {
        let mut at = start;
        while let Some(word) = swar::load(bytes, at) {
            if let Some(offset) = swar::equal(word, self.separator).first() {
                return (at + offset).min(length);
            }
            at += 8;
            if at >= length {
                return length;
            }
        }
        let rest = bytes[at.min(length)..length].iter().position(|&byte| byte == self.separator);
        rest.map_or(length, |offset| at + offset)
    }
}

/// Whether a name in a header is rather a value: a number, a date, a time of day or a boolean.
fn looks_like_value(name: &str) -> bool {
    let is_boolean = matches!(name.to_ascii_lowercase().as_str(), "true" | "false");
    let has_digit = name.bytes().any(|byte| byte.is_ascii_digit());
    is_boolean || has_digit && (number::parse(name.as_bytes()).is_ok() || date::parse(name.as_bytes()).is_ok())
}

impl Field {
    /// Without spaces around it, if it has no quotes that would keep them.
    fn trimmed(mut self, bytes: &[u8]) -> Self {
        if self.quoting == Quoting::Bare {
            let text = &bytes[self.start..self.stop];
            self.stop -= text.iter().rev().take_while(|&&byte| byte == b' ').count();
        }
        self
    }

    /// The place where the separator or line end after the field is expected.
    fn end(self, bytes: &[u8]) -> usize {
        if self.quoting == Quoting::Bare {
            return self.stop;
        }
        let after_quote = self.stop + 1;
        after_quote + bytes[after_quote..].iter().take_while(|&&byte| byte == b' ').count()
    }

    fn cell(self, bytes: &[u8]) -> Cell<'_> {
        match (&bytes[self.start..self.stop], self.quoting) {
            (b"", Quoting::Bare) => Cell::Absent,
            (b"", Quoting::Quoted | Quoting::Doubled) => Cell::QuotedEmpty,
            (text, _) => Cell::Field(text),
        }
    }

    fn text(self, bytes: &[u8]) -> Vec<u8> {
        let text = &bytes[self.start..self.stop];
        let mut after_quote = false;
        let keep = |&byte: &u8| {
            after_quote = byte == b'"' && !after_quote;
            !after_quote || self.quoting != Quoting::Doubled
        };
        text.iter().copied().filter(keep).collect()
    }
}

/// The field whose quote opens at a position; none if it does not close.
fn close_quote(bytes: &[u8], open: usize) -> Option<Field> {
    let start = open + 1;
    let mut quoting = Quoting::Quoted;
    let mut at = start;
    loop {
        let quote = at + memchr(b'"', &bytes[at..])?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(Field { start, stop: quote, quoting });
        }
        quoting = Quoting::Doubled;
        at = quote + 2;
    }
}

/// The first line end or quote. Short lines are found before `memchr` would have begun.
#[inline]
fn line_end_or_quote(bytes: &[u8]) -> Option<usize> {
    const NEAR: usize = 16;
    let mut at = 0;
    while at < NEAR {
        let Some(word) = swar::load(bytes, at) else { break };
        let found = swar::equal(word, b'\n').or(swar::equal(word, b'\r')).or(swar::equal(word, b'"'));
        if let Some(offset) = found.first() {
            return Some(at + offset);
        }
        at += 8;
    }
    memchr3(b'\n', b'\r', b'"', &bytes[at..]).map(|offset| at + offset)
}

fn is_blank(row: &[u8]) -> bool {
    row.iter().all(|&byte| byte == b' ')
}

/// The separator that a first line names, as spreadsheets write and read it: `sep=;`.
fn declared_separator(line: &[u8]) -> Option<u8> {
    let bare = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    let (name, separator) = bare.split_at_checked(4)?;
    match separator {
        &[separator] if name.eq_ignore_ascii_case(b"sep=") && SEPARATORS.contains(&separator) => Some(separator),
        _ => None,
    }
}

/// The separator that occurs most often in a header, outside quotes.
fn guess_separator(header: &[u8]) -> u8 {
    let mut counts = [0; SEPARATORS.len()];
    let mut quoted = false;
    for byte in header {
        quoted ^= *byte == b'"';
        if let Some(index) = SEPARATORS.iter().position(|separator| separator == byte).filter(|_| !quoted) {
            counts[index] += 1;
        }
    }
    // The first of the most frequent ones, so that a comma wins a tie.
    let most = counts.iter().max().copied().unwrap_or(0);
    SEPARATORS.into_iter().zip(counts).find(|&(_, count)| count == most).map_or(b',', |(separator, _)| separator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::options::ReadOptions;
    use crate::testing::expected::*;
    use crate::testing::{fail, read_text, show, want};
    use proptest::prelude::*;

    fn ab() -> ReadOptions {
        want(&[("a", NUMBER), ("b", TEXT)])
    }

    #[test]
    fn without_a_header_columns_have_numbers() {
        let options = ReadOptions { header: HeaderLine::Missing, ..want(&[("column1", NUMBER), ("column3", TEXT)]) };
        let input = "\n1;\"x;y\";a\n2;;b\n";
        assert_eq!(show(input, &options), "int 1 2\ntext \"a\" \"b\"");
        let trace = read_text(input, &options).unwrap();
        assert_eq!(trace.names, ["column1", "column2", "column3"]);
        assert_eq!((trace.lines.line(0), trace.lines.line(1)), (2, 3));
        assert_eq!(trace.notes, [Note::BlankLines(1)]);
        assert_eq!(read_text("", &options).unwrap().notes, [Note::EmptyInput]);
        assert_eq!(fail("1,2,3\n4,5\n", &options), "2:-: the row has 2 fields, the header has 3");
    }

    #[test]
    fn a_first_line_may_name_the_separator() {
        for first in ["sep=;\n", "SEP=;\r\n", "\"sep=;\"\n"] {
            let input = format!("{first}a;b\n1;x,y\n");
            assert_eq!(show(&input, &ab()), "int 1\ntext \"x,y\"");
            assert_eq!(read_text(&input, &ab()).unwrap().lines.line(0), 3);
        }
        assert_eq!(show("sep=\t\na\tb\n1\tx,y\n", &ab()), "int 1\ntext \"x,y\"");
        // It is a name where it is no first line, or names nothing that separates.
        assert_eq!(read_text("sep=x,a,b\n1,2,3\n", &ab()).unwrap().names, ["sep=x", "a", "b"]);
        assert_eq!(read_text("a,b\n1,sep=;\n", &ab()).unwrap().states, 1);
        // Whoever says what separates is right.
        let options = ReadOptions { separator: Some(b','), ..ab() };
        assert_eq!(show("sep=;\na,b\n1,x;y\n", &options), "int 1\ntext \"x;y\"");
    }

    #[test]
    fn a_header_that_looks_like_a_record_is_told() {
        let odd = |input: &str| read_text(input, &want(&[])).unwrap().notes;
        let named = |name: &str| vec![Note::OddHeader { name: name.to_owned() }];
        assert_eq!(odd("a,3.5\nb,4\n"), named("3.5"));
        assert_eq!(odd("2026-11-16 18:38:26,up\n2026-11-16 18:38:27,down\n"), named("2026-11-16 18:38:26"));
        assert_eq!(odd("12:00:01,x\n12:00:02,y\n"), named("12:00:01"));
        assert_eq!(odd("up,TRUE\ndown,FALSE\n"), named("TRUE"));
        assert_eq!(odd("up,\"so\"\ndown,so\n"), named("so"));
        assert_eq!(odd("a,b,x1,nan\n1,2,3,4\n"), []);
        assert_eq!(odd("a,,\n1,,\n"), []);
    }

    #[test]
    fn fields_are_found_by_name_in_any_order() {
        assert_eq!(show("b,x,a\nu,9,1\nv,9,2\n", &ab()), "int 1 2\ntext \"u\" \"v\"");
        assert_eq!(show("a,b\n1,u", &ab()), "int 1\ntext \"u\"");
        let twice = want(&[("a", NUMBER), ("a", BOOL), ("c", BOOL)]);
        assert_eq!(show("x,a\n0,1\n0,0\n", &twice), "int 1 0\nbool true false\nunknown");
    }

    #[test]
    fn line_ends_and_byte_order_marks_do_not_matter() {
        for input in [
            "a,b\r\n1,u\r\n2,v\r\n",
            "\u{feff}a,b\n1,u\n2,v",
            "a,b\r\n1,u\r\n2,v\r",
            "a,b\n1,\"u\"\r\n2,\"v\"\r",
            "a,b\r1,u\r2,v\r",
            "a,b\r1,u\r2,v",
            "a,b\n1,u\r2,v\r\n",
            "a,\"b\"\r1,\"u\"\r2,\"v\"\r",
        ] {
            assert_eq!(show(input, &ab()), "int 1 2\ntext \"u\" \"v\"", "{input:?}");
            assert_eq!(read_text(input, &ab()).unwrap().notes, [], "{input:?}");
        }
    }

    #[test]
    fn lines_are_counted_by_whatever_ends_them() {
        let trace = read_text("a,b\r1,\"x\ry\r\nz\"\r\r2,u\r\n3,v\n", &ab()).unwrap();
        assert_eq!((0..3).map(|position| trace.lines.line(position)).collect::<Vec<_>>(), [2, 6, 7]);
        assert_eq!(trace.notes, [Note::BlankLines(1)]);
        assert_eq!(fail("a,b\r1,u\r2\r", &ab()), "3:-: the row has 1 field, the header has 2");
    }

    #[test]
    fn the_separator_is_guessed_from_the_header() {
        for (input, separator) in [
            ("a;b\n1;u,v\n", b';'),
            ("a\tb\n1\tu,v\n", b'\t'),
            ("a|b\n1|u,v\n", b'|'),
            ("\"x,y,z\";a;b\n0;1;u,v\n", b';'),
        ] {
            assert_eq!(show(input, &ab()), "int 1\ntext \"u,v\"", "{input:?}");
            let named = ReadOptions { separator: Some(separator), ..ab() };
            assert_eq!(show(input, &named), "int 1\ntext \"u,v\"", "{input:?}");
        }
        let colon = ReadOptions { separator: Some(b':'), ..ab() };
        assert_eq!(show("a:b\n1:u\n", &colon), "int 1\ntext \"u\"");
        let quote = ReadOptions { separator: Some(b'"'), ..ab() };
        assert_eq!(fail("a:b\n1:u\n", &quote), "-:-: '\"' cannot separate fields");
    }

    #[test]
    fn spaces_around_bare_fields_and_names_are_dropped() {
        assert_eq!(show(" a , b \n 1 ,  u v \n2, \" w \" \n", &ab()), "int 1 2\ntext \"u v\" \" w \"");
        assert_eq!(show("Case ID,a\nx,1\n", &want(&[("Case ID", TEXT)])), "text \"x\"");
    }

    #[test]
    fn quotes_follow_rfc_4180() {
        let input = "a,b\n1,\"x,y\"\n\"2\",\"say \"\"hi\"\"\"\n3,\"two\nlines\"\n4,5\" pipe\n";
        assert_eq!(show(input, &ab()), "int 1 2 3 4\ntext \"x,y\" \"say \\\"hi\\\"\" \"two\\nlines\" \"5\\\" pipe\"");
        let trace = read_text(input, &ab()).unwrap();
        assert_eq!((0..4).map(|position| trace.lines.line(position)).collect::<Vec<_>>(), [2, 3, 4, 6]);
        assert_eq!(show("\"a\",\"b \"\"x\"\"\"\n1,2\n", &want(&[("b \"x\"", NUMBER)])), "int 2");
    }

    #[test]
    fn broken_quotes_name_the_line_where_they_open() {
        assert_eq!(fail("a,b\n1,x\n2,\"open\n3,y\n", &ab()), "3:-: a quoted field that opens here never ends");
        assert_eq!(fail("a,b\n\"1\n1\",\"x\n", &ab()), "3:-: a quoted field that opens here never ends");
        assert_eq!(fail("a,b\n1,\"x\"y\n", &ab()), "2:-: text follows the closing quote of a field");
        assert_eq!(fail("a,\"b\n1,2\n", &ab()), "1:-: a quoted field that opens here never ends");
    }

    #[test]
    fn ragged_rows_are_refused() {
        assert_eq!(fail("a,b\n1,u\n2\n", &ab()), "3:-: the row has 1 field, the header has 2");
        assert_eq!(fail("a,b\n1,u,x\n", &ab()), "2:-: the row has 3 fields, the header has 2");
        assert_eq!(fail("a,b\n1,\"u\",x\n", &ab()), "2:-: the row has 3 fields, the header has 2");
        assert_eq!(fail("a,b,c\n1,u\n", &want(&[("c", TEXT)])), "2:-: the row has 2 fields, the header has 3");
    }

    #[test]
    fn blank_lines_are_skipped_and_counted() {
        let trace = read_text("\na,b\n\n1,u\n  \r\n2,v\n\n", &ab()).unwrap();
        assert_eq!(trace.states, 2);
        assert_eq!(trace.notes, [Note::BlankLines(4)]);
        assert_eq!((trace.lines.line(0), trace.lines.line(1)), (4, 6));
        let one_column = read_text("a\n1\n\n2\n", &want(&[("a", NUMBER)])).unwrap();
        assert_eq!((one_column.states, one_column.notes), (2, vec![Note::BlankLines(1)]));
    }

    #[test]
    fn an_input_may_have_no_states() {
        let header_only = read_text("a,b", &ab()).unwrap();
        assert_eq!((header_only.states, header_only.notes), (0, vec![Note::HeaderOnly]));
        assert_eq!(header_only.names, ["a", "b"]);
        for empty in ["", "\n", "\u{feff}"] {
            let trace = read_text(empty, &ab()).unwrap();
            assert_eq!((trace.states, trace.notes, trace.format), (0, vec![Note::EmptyInput], Format::CSV));
            assert_eq!(trace.columns, [None, None]);
        }
    }

    #[test]
    fn a_name_that_occurs_twice_matters_only_if_it_is_wanted() {
        assert_eq!(show("x,x,a\n1,2,3\n", &want(&[("a", NUMBER)])), "int 3");
        assert_eq!(fail("x,x,a\n1,2,3\n", &want(&[("x", NUMBER)])), "1:x: the header names `x` more than once");
    }

    #[test]
    fn text_has_to_be_utf8_where_it_is_wanted() {
        assert_eq!(fail(b"a,b\n1,\xff\n", &ab()), "2:b: a value of `b` is not UTF-8 text");
        assert_eq!(show(b"a,c\n1,\xff\n", &want(&[("a", NUMBER)])), "int 1");
        assert_eq!(fail(b"a,\xff\n1,2\n", &ab()), "1:-: a name in the header is not UTF-8 text");
    }

    /// The definition of splitting, one character at a time; none where the text is no CSV of two
    /// columns.
    fn split_slowly(text: &str) -> Option<Vec<[String; 2]>> {
        enum At {
            FieldStart,
            Bare,
            Quoted,
            AfterQuote,
        }
        let mut at = At::FieldStart;
        let mut rows = Vec::new();
        let mut row = vec![String::new()];
        let mut blank = true;
        for letter in text.chars().chain(['\n']) {
            at = match (at, letter) {
                (At::Quoted, '"') => At::AfterQuote,
                (At::Quoted, letter) => {
                    row.last_mut()?.push(letter);
                    At::Quoted
                }
                (At::AfterQuote, '"') => {
                    row.last_mut()?.push('"');
                    At::Quoted
                }
                // The LF behind a CR ends a blank line, which does not count.
                (_, '\n' | '\r') => {
                    let row = std::mem::replace(&mut row, vec![String::new()]);
                    if !std::mem::replace(&mut blank, true) {
                        rows.push(row.try_into().ok()?);
                    }
                    At::FieldStart
                }
                (_, ',') => {
                    row.push(String::new());
                    At::FieldStart
                }
                (At::FieldStart, '"') => At::Quoted,
                (At::AfterQuote, _) => return None,
                (At::FieldStart | At::Bare, letter) => {
                    row.last_mut()?.push(letter);
                    At::Bare
                }
            };
            blank &= matches!(letter, '\n' | '\r');
        }
        matches!(at, At::FieldStart).then_some(rows)
    }

    proptest! {
        #[test]
        fn splitting_agrees_with_its_definition(body in "([ab\",\n\r]|\"\"|\",\"|\n|\r\n){0,24}") {
            let input = format!("x,y\n{body}");
            let found = read_text(&input, &want(&[("x", TEXT), ("y", TEXT)]));
            match (split_slowly(&body), found) {
                (Some(rows), Ok(trace)) => {
                    prop_assert_eq!(trace.states, rows.len());
                    for (position, row) in rows.iter().enumerate() {
                        for (column, text) in trace.columns.iter().flatten().zip(row) {
                            let found = match column.value(position) {
                                traceward_logic::value::Value::Str(text) => text.to_string(),
                                _ => String::new(),
                            };
                            prop_assert_eq!(&found, text);
                        }
                    }
                }
                (None, Err(_)) => {}
                (expected, found) => prop_assert!(false, "{input:?}: {expected:?} but {found:?}"),
            }
        }
    }
}
