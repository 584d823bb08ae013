//! Records become states: keys, timestamps, missing values.

use crate::cell::Cell;
use crate::column::{ColumnBuilder, container};
use crate::error::{TraceError, TraceErrorKind};
use crate::keys::KeysBuilder;
use crate::lines::Lines;
use crate::note::Note;
use crate::options::{Format, ReadOptions};
use crate::read::ReadTrace;
use crate::time::TimeBuilder;
use std::borrow::Cow;
use traceward_logic::diagnostic::nearest;

/// Takes the records a format finds.
pub(crate) trait RecordSink {
    /// Takes the names of a record's fields; returns the field of each cell that records are to have.
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError>;

    /// Takes a record that begins on a line.
    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), TraceError>;

    /// Takes what is wrong with a line that holds no record. Unless that ends the reading, it goes on behind the line.
    fn bad_line(&mut self, error: TraceError) -> Result<(), TraceError> {
        Err(error)
    }
}

/// The states of a trace in the making.
pub(crate) struct States<'o> {
    options: &'o ReadOptions,
    columns: Vec<ColumnBuilder<'o>>,
    time: Option<TimeBuilder<'o>>,
    keys: Option<KeysBuilder>,
    lines: Lines,
    len: u32,
    limit: u32,
    without_key: u64,
    time_seen: bool,
}

impl<'o> States<'o> {
    pub(crate) fn new(options: &'o ReadOptions) -> Self {
        Self {
            options,
            columns: options.wanted.iter().map(|wanted| ColumnBuilder::new(wanted, options)).collect(),
            time: options.time.as_ref().map(TimeBuilder::new),
            keys: options.key.as_ref().map(|_| KeysBuilder::default()),
            lines: Lines::default(),
            len: 0,
            limit: u32::MAX,
            without_key: 0,
            time_seen: false,
        }
    }

    /// The names to look for in each record; its cells are in the same order.
    pub(crate) fn names(&self) -> Vec<String> {
        let wanted = self.options.wanted.iter().map(|wanted| wanted.name.to_string());
        let time = self.options.time.iter().map(|time| time.name.clone());
        wanted.chain(time).chain(self.options.key.clone()).collect()
    }

    /// The finished trace.
    pub(crate) fn finish(
        self,
        names: Vec<String>,
        format: Format,
        mut notes: Vec<Note>,
    ) -> Result<ReadTrace, TraceError> {
        self.check_key(&names, &mut notes)?;
        let keys = self.keys.map(KeysBuilder::finish);
        let time = self.time.map(|time| time.finish(keys.as_ref(), &self.lines)).transpose()?;
        let columns = self.columns.into_iter().map(|column| column.finish(keys.as_ref(), &self.lines));
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(ReadTrace { states: self.len as usize, columns, names, time, keys, lines: self.lines, format, notes })
    }

    /// What there is to say about time and keys, whether or not the records are in order.
    pub(crate) fn summarise(self, names: &[String], mut notes: Vec<Note>) -> Result<Summary, TraceError> {
        self.check_key(names, &mut notes)?;
        let times = self.time.map(TimeBuilder::finish_unordered).transpose()?.unwrap_or_default();
        let time_span = times.iter().min().copied().zip(times.iter().max().copied());
        let keys = self.keys.map(|keys| keys.finish().groups.len());
        Ok(Summary { time_span, keys, notes })
    }

    fn check_key(&self, names: &[String], notes: &mut Vec<Note>) -> Result<(), TraceError> {
        let Some(key) = self.options.key.as_ref().filter(|_| self.without_key > 0) else { return Ok(()) };
        if self.len == 0 && !names.contains(key) {
            return Err(unknown_column("key", key, names));
        }
        notes.push(Note::WithoutKey { records: self.without_key, key: key.clone() });
        Ok(())
    }

    /// A timestamp that is missing from the start is more likely a wrong name: says so instead.
    pub(crate) fn explain(&self, error: TraceError, names: &[String]) -> TraceError {
        match (&self.options.time, error.kind()) {
            (Some(time), TraceErrorKind::MissingTime) if !self.time_seen && !names.contains(&time.name) => {
                unknown_column("time", &time.name, names)
            }
            _ => error,
        }
    }

    fn time_slot(&self) -> usize {
        self.columns.len()
    }

    fn key_slot(&self) -> usize {
        self.columns.len() + usize::from(self.time.is_some())
    }

    /// Finds the record's place among the states; none if it has no key.
    #[inline]
    fn place(&mut self, cells: &[Cell<'_>]) -> Result<Option<Place>, TraceErrorKind> {
        if self.len == self.limit {
            return Err(TraceErrorKind::TooManyStates { limit: self.limit });
        }
        let key_slot = self.key_slot();
        let previous = match &mut self.keys {
            None => self.len.checked_sub(1),
            Some(keys) => match key_text(cells[key_slot], self.options)? {
                Some(key) => keys.push(&key, self.len),
                None => return Ok(None),
            },
        };
        Ok(Some(Place { previous }))
    }
}

/// What an inspection tells about time and keys.
pub(crate) struct Summary {
    pub(crate) time_span: Option<(i64, i64)>,
    pub(crate) keys: Option<usize>,
    pub(crate) notes: Vec<Note>,
}

/// Where a state stands: the state before it in its key.
struct Place {
    previous: Option<u32>,
}

impl RecordSink for States<'_> {
    fn header(&mut self, names: &[String]) -> Result<Vec<Option<usize>>, TraceError> {
        let time = self.options.time.iter().map(|time| ("time", &time.name));
        let key = self.options.key.iter().map(|key| ("key", key));
        if let Some((role, name)) = time.chain(key).find(|(_, name)| !names.contains(name)) {
            return Err(unknown_column(role, name, names));
        }
        let fields: Vec<_> = self.names().iter().map(|name| only_field(names, name)).collect::<Result<_, _>>()?;
        for (column, field) in self.columns.iter_mut().zip(&fields) {
            match field {
                Some(_) => column.mention(),
                None => column.disregard(),
            }
        }
        Ok(fields)
    }

    #[inline]
    fn record(&mut self, line: u64, cells: &[Cell<'_>]) -> Result<(), TraceError> {
        let place = match self.place(cells) {
            Ok(Some(place)) => place,
            Ok(None) => {
                self.without_key += 1;
                return Ok(());
            }
            Err(kind) => return Err(at(kind, line, self.options.key.as_deref())),
        };
        let time_slot = self.time_slot();
        if let Some(time) = &mut self.time {
            time.push(known(cells[time_slot], &self.options.null), line)?;
            self.time_seen = true;
        }
        for (column, &cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell, place.previous, line)?;
        }
        self.lines.push(line);
        self.len += 1;
        Ok(())
    }
}

/// The cell, or nothing where its text stands for a missing value.
pub(crate) fn known<'a>(cell: Cell<'a>, null: &[String]) -> Cell<'a> {
    let stands_for_missing = |text: &[u8]| null.iter().any(|null| null.as_bytes() == text);
    if !null.is_empty() && cell.text().is_some_and(|text| stands_for_missing(&text)) { Cell::Null } else { cell }
}

/// The text of a key; none where the record has no key.
fn key_text<'a>(cell: Cell<'a>, options: &ReadOptions) -> Result<Option<Cow<'a, str>>, TraceErrorKind> {
    if let Cell::Container(source) = cell {
        return Err(container(options.key.as_deref().unwrap_or_default(), source));
    }
    match known(cell, &options.null).text() {
        Some(Cow::Borrowed(text)) if !text.is_empty() => match std::str::from_utf8(text) {
            Ok(text) => Ok(Some(Cow::Borrowed(text))),
            Err(_) => Err(TraceErrorKind::InvalidUtf8),
        },
        Some(Cow::Owned(text)) if !text.is_empty() => match String::from_utf8(text) {
            Ok(text) => Ok(Some(Cow::Owned(text))),
            Err(_) => Err(TraceErrorKind::InvalidUtf8),
        },
        _ => Ok(None),
    }
}

fn at(kind: TraceErrorKind, line: u64, column: Option<&str>) -> TraceError {
    let error = TraceError::new(kind).on_line(line);
    match column {
        Some(column) => error.in_column(column),
        None => error,
    }
}

/// The field of this name; an error if there are several.
pub(crate) fn only_field(names: &[String], name: &str) -> Result<Option<usize>, TraceError> {
    let mut fields = (0..names.len()).filter(|&field| names[field] == name);
    let first = fields.next();
    match fields.next() {
        Some(_) => Err(TraceError::new(TraceErrorKind::DuplicateName).in_column(name)),
        None => Ok(first),
    }
}

pub(crate) fn unknown_column(role: &'static str, name: &str, names: &[String]) -> TraceError {
    let nearest = nearest(name, names.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
    TraceError::new(TraceErrorKind::UnknownColumn { role, nearest }).in_column(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_states_than_positions_can_count_are_refused() {
        let options = ReadOptions::default();
        let mut states = States::new(&options);
        states.limit = 2;
        assert!(states.record(2, &[]).is_ok());
        assert!(states.record(3, &[]).is_ok());
        let error = states.record(4, &[]).unwrap_err();
        assert_eq!(error.kind(), &TraceErrorKind::TooManyStates { limit: 2 });
        assert_eq!(error.line(), Some(4));
    }
}
