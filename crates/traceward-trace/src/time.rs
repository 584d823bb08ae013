//! Timestamps.

use crate::cell::Cell;
use crate::column::container;
use crate::date::{self, Moment, NotMoment, Yearless};
use crate::error::{TraceError, TraceErrorKind, lossy};
use crate::keys::Keys;
use crate::lines::Lines;
use crate::options::{ReadOptions, TimeColumn, TimeUnit};
use crate::plain_time;
use crate::states::known;
use crate::table::SliceValues;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Reads timestamps one by one.
#[derive(Clone, Debug)]
pub(crate) struct TimeReader {
    column: TimeColumn,
    /// The texts that stand for a missing value.
    null: Vec<String>,
    /// The year of the first date that has none.
    year: Option<i16>,
    orders: DayOrders,
    /// Whether times of day without a date have been read.
    has_clocks: bool,
}

/// The moment by which the day of a time of day is told, and the year of a date without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    /// There is none: this is the first moment.
    Nothing,
    /// The state before, after which this one comes.
    After(i64),
    /// Some other state, before or after which this one comes: the nearer way is taken.
    Near(i64),
}

/// A timestamp that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stamp {
    /// It is certain.
    Known(i64),
    /// A date such as `01/02/2014`, and no date so far has told which part is the day.
    Either { day_first: i64, month_first: i64 },
}

/// What a column of dates such as `01/02/2014` has told about the order of day and month.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct DayOrders {
    /// The first line that is only possible with the day first.
    day_first: Option<u64>,
    /// The first line that is only possible with the month first.
    month_first: Option<u64>,
}

impl TimeReader {
    /// A reader of the timestamps that options ask for.
    pub(crate) fn new(options: &ReadOptions) -> Option<Self> {
        let column = options.time.clone()?;
        let (null, year) = (options.null.clone(), options.year);
        Some(Self { column, null, year, orders: DayOrders::default(), has_clocks: false })
    }

    /// What the dates so far have told.
    pub(crate) fn orders(&self) -> DayOrders {
        self.orders
    }

    /// Puts back what dates had told.
    pub(crate) fn restore_orders(&mut self, orders: DayOrders) {
        self.orders = orders;
    }

    /// Whether a time of day has been read, which is how timestamps are then shown.
    pub(crate) fn has_clocks(&self) -> bool {
        self.has_clocks
    }

    /// Puts back whether a time of day had been read.
    pub(crate) fn restore_clocks(&mut self, has_clocks: bool) {
        self.has_clocks = has_clocks;
    }

    /// The timestamp in the cells of a record.
    #[inline]
    pub(crate) fn read(&mut self, cells: &[Cell<'_>], line: u64, anchor: Anchor) -> Result<Stamp, TraceError> {
        let stamp = match cells {
            &[cell] | &[cell @ Cell::Time(_), ..] => self.stamp(known(cell, &self.null), line, anchor),
            cells => match self.joined(cells) {
                Ok(text) => self.stamp(Cell::Field(&text), line, anchor),
                Err(kind) => Err(kind),
            },
        };
        stamp.map_err(|kind| self.error(kind, line))
    }

    /// The columns as they are written.
    pub(crate) fn label(&self) -> String {
        self.column.label()
    }

    /// The timestamp in the cells of a record, if it can be told without any other record.
    #[inline]
    pub(crate) fn read_alone(&self, cells: &[Cell<'_>]) -> Option<i64> {
        let cell = match cells {
            &[cell] | &[cell @ Cell::Time(_), ..] => known(cell, &self.null),
            _ => return None,
        };
        if let Some(time) = plain(cell, self.column.unit) {
            return Some(time);
        }
        let text = time_text(&self.column.name, cell).ok()?;
        let text = text.trim_ascii();
        match self.column.unit {
            Some(unit) => parse_number(text, unit).ok(),
            None => match date::parse(text) {
                Ok((_, Moment::Exact(time))) => Some(time),
                _ => None,
            },
        }
    }

    /// Adds the timestamps of a column of values that are all there. False, and none is added, if
    /// one of them has to be looked at by itself.
    pub(crate) fn read_all(&self, values: SliceValues<'_>, times: &mut Vec<i64>) -> bool {
        match (values, self.column.unit) {
            (SliceValues::Moments(moments), _) => times.extend_from_slice(moments),
            (SliceValues::Ints(counts), Some(unit)) => {
                let unit = unit.nanoseconds();
                let fits = |&count: &i64| count.unsigned_abs() <= i64::MAX.unsigned_abs() / unit.unsigned_abs();
                if !counts.iter().all(fits) {
                    return false;
                }
                times.extend(counts.iter().map(|&count| count * unit));
            }
            _ => return false,
        }
        true
    }

    /// The nanoseconds of the unit in which plain numbers are, where each text of one column is to
    /// be taken by its word.
    pub(crate) fn plain_unit(&self) -> Option<i64> {
        let is_plain = self.null.is_empty() && self.column.rest.is_empty();
        self.column.unit.filter(|_| is_plain).map(TimeUnit::nanoseconds)
    }

    /// The timestamp in the cells of a record, where later ones cannot be waited for.
    pub(crate) fn read_now(&mut self, cells: &[Cell<'_>], line: u64, anchor: Anchor) -> Result<i64, TraceError> {
        match self.read(cells, line, anchor)? {
            Stamp::Known(time) => Ok(time),
            Stamp::Either { .. } => Err(self.ambiguous(&self.joined(cells).unwrap_or_default(), line)),
        }
    }

    /// The texts of several columns, with a blank between. None may be missing.
    fn joined(&self, cells: &[Cell<'_>]) -> Result<Vec<u8>, TraceErrorKind> {
        let mut text = Vec::new();
        for (&cell, name) in cells.iter().zip(self.column.columns()) {
            let part = time_text(name, known(cell, &self.null))?;
            text.extend_from_slice(if text.is_empty() { b"" } else { b" " });
            text.extend_from_slice(part.trim_ascii());
        }
        Ok(text)
    }

    /// A date of which neither earlier nor later ones tell which part is the day.
    pub(crate) fn ambiguous(&self, text: &[u8], line: u64) -> TraceError {
        self.error(TraceErrorKind::AmbiguousDate(lossy(text)), line)
    }

    /// Time goes backwards from one state to another.
    pub(crate) fn decreases(&self, now: (i64, u64), before: (i64, u64), key: Option<&str>) -> TraceError {
        let kind = TraceErrorKind::TimeDecreases {
            now: self.show(now.0),
            before: self.show(before.0),
            before_line: before.1,
            key: key.map(str::to_owned),
        };
        self.error(kind, now.1)
    }

    /// The error of a state that comes after the clock has passed its time.
    pub(crate) fn behind(&self, now: (i64, u64), clock: i64) -> TraceError {
        self.error(TraceErrorKind::BehindClock { now: self.show(now.0), clock: self.show(clock) }, now.1)
    }

    fn stamp(&mut self, cell: Cell<'_>, line: u64, anchor: Anchor) -> Result<Stamp, TraceErrorKind> {
        if let Some(time) = plain(cell, self.column.unit) {
            return Ok(Stamp::Known(time));
        }
        let text = time_text(&self.column.name, cell)?;
        let text = text.trim_ascii();
        match self.column.unit {
            Some(unit) => parse_number(text, unit).map(Stamp::Known),
            None => self.date(text, line, anchor),
        }
    }

    fn date(&mut self, text: &[u8], line: u64, anchor: Anchor) -> Result<Stamp, TraceErrorKind> {
        match date::parse(text) {
            Ok((_, Moment::Exact(time))) => Ok(Stamp::Known(time)),
            Ok((_, Moment::DayFirst(time))) => self.orders.note_day_first(line, text).map(|()| Stamp::Known(time)),
            Ok((_, Moment::MonthFirst(time))) => self.orders.note_month_first(line, text).map(|()| Stamp::Known(time)),
            Ok((_, Moment::Either { day_first, month_first })) => Ok(match self.orders {
                DayOrders { day_first: Some(_), .. } => Stamp::Known(day_first),
                DayOrders { month_first: Some(_), .. } => Stamp::Known(month_first),
                _ => Stamp::Either { day_first, month_first },
            }),
            Ok((_, Moment::Clock(clock))) => {
                self.has_clocks = true;
                Ok(Stamp::Known(anchor.day_of(clock)))
            }
            Ok((_, Moment::NoYear(date))) => self.with_year(date, anchor, text),
            Err(reason) => Err(no_date(text, reason)),
        }
    }

    fn with_year(&self, date: Yearless, anchor: Anchor, text: &[u8]) -> Result<Stamp, TraceErrorKind> {
        let first = self.year.ok_or_else(|| TraceErrorKind::TimeWithoutYear(lossy(text)))?;
        let moment = anchor.year_of(date, i64::from(first));
        moment.map(Stamp::Known).ok_or_else(|| TraceErrorKind::NoSuchDay(lossy(text)))
    }

    /// A timestamp as the column would write it.
    fn show(&self, time: i64) -> String {
        if self.has_clocks { show_clock(time) } else { self.column.show(time) }
    }

    fn error(&self, kind: TraceErrorKind, line: u64) -> TraceError {
        TraceError::new(kind).on_line(line).in_column(&self.column.label())
    }
}

impl Anchor {
    /// The moment of a time of day. After a state it is the same day, unless the clock has gone
    /// back by more than half a day: then midnight has passed.
    fn day_of(self, clock: i64) -> i64 {
        let on_day_of = |base: i64| base.div_euclid(date::DAY).saturating_mul(date::DAY).saturating_add(clock);
        match self {
            Self::Nothing => clock,
            Self::After(base) => onward(base, on_day_of(base), date::DAY, date::DAY / 2),
            Self::Near(base) => {
                let same = on_day_of(base);
                let days = [same, same.saturating_sub(date::DAY), same.saturating_add(date::DAY)];
                nearest(base, days).unwrap_or(same)
            }
        }
    }

    /// The moment of a date without a year; `first` is the year where there is no other state.
    /// After a state it is the same year, unless that would be more than half a year before it.
    fn year_of(self, date: Yearless, first: i64) -> Option<i64> {
        const HALF: i64 = 365 * date::DAY / 2;
        match self {
            Self::Nothing => date.in_year(first),
            Self::After(base) => {
                let year = year_of(base);
                date.in_year(year)
                    .filter(|&moment| moment >= base.saturating_sub(HALF))
                    .or_else(|| date.in_year(year + 1))
            }
            Self::Near(base) => {
                let year = year_of(base);
                nearest(base, [year, year - 1, year + 1].into_iter().filter_map(|year| date.in_year(year)))
            }
        }
    }
}

/// A moment that comes after another: a period later if it would lie far before it.
fn onward(base: i64, moment: i64, period: i64, far: i64) -> i64 {
    if base.saturating_sub(moment) > far { moment.saturating_add(period) } else { moment }
}

fn nearest(base: i64, moments: impl IntoIterator<Item = i64>) -> Option<i64> {
    moments.into_iter().min_by_key(|moment| moment.abs_diff(base))
}

/// The year of a moment, in UTC.
fn year_of(time: i64) -> i64 {
    let moment = jiff::Timestamp::from_nanosecond(i128::from(time));
    moment.map_or(1970, |moment| i64::from(moment.to_zoned(jiff::tz::TimeZone::UTC).year()))
}

/// A time of day, and the day where it is not the first.
fn show_clock(time: i64) -> String {
    let clock = jiff::Timestamp::from_nanosecond(i128::from(time.rem_euclid(date::DAY)));
    let clock = clock.map_or_else(|_| time.to_string(), |moment| moment.to_string());
    let clock = clock.trim_start_matches("1970-01-01T").trim_end_matches('Z');
    match time.div_euclid(date::DAY) {
        0 => clock.to_owned(),
        day => format!("{clock} on day {}", day.saturating_add(1)),
    }
}

/// The timestamps of a file in the making. Dates that may be read in two ways wait for one that
/// tells which part is the day; a stream cannot wait and refuses them.
#[derive(Clone, Debug)]
pub(crate) struct TimeBuilder {
    reader: TimeReader,
    times: Vec<i64>,
    /// The number of states before the first of these.
    before: usize,
    /// States whose date could be either; they were taken to have the month first.
    undecided: Vec<Undecided>,
    /// The first of them, for the message.
    example: Option<(u64, String)>,
}

#[derive(Clone, Copy, Debug)]
struct Undecided {
    position: usize,
    day_first: i64,
}

impl TimeBuilder {
    /// The timestamps that options ask for.
    pub(crate) fn new(options: &ReadOptions) -> Option<Self> {
        let reader = TimeReader::new(options)?;
        Some(Self { reader, times: Vec::new(), before: 0, undecided: Vec::new(), example: None })
    }

    /// The anchor of the next state; `previous` is the state of its key before it.
    #[inline]
    pub(crate) fn anchor(&self, previous: Option<u32>) -> Anchor {
        match previous {
            Some(previous) => Anchor::After(self.times[previous as usize]),
            None => self.anchor_near(),
        }
    }

    /// The anchor of the next state where states come in any order.
    pub(crate) fn anchor_near(&self) -> Anchor {
        self.times.last().map_or(Anchor::Nothing, |&last| Anchor::Near(last))
    }

    /// Takes the timestamp of the next state.
    #[inline]
    pub(crate) fn push(&mut self, cells: &[Cell<'_>], line: u64, anchor: Anchor) -> Result<(), TraceError> {
        match self.reader.read(cells, line, anchor)? {
            Stamp::Known(time) => self.times.push(time),
            Stamp::Either { day_first, month_first } => {
                let text = || lossy(&self.reader.joined(cells).unwrap_or_default());
                self.example.get_or_insert_with(|| (line, text()));
                self.undecided.push(Undecided { position: self.times.len(), day_first });
                self.times.push(month_first);
            }
        }
        Ok(())
    }

    /// The reader, if timestamps so far have not depended on each other.
    pub(crate) fn reader(&self) -> Option<&TimeReader> {
        (self.undecided.is_empty() && !self.reader.has_clocks).then_some(&self.reader)
    }

    /// The timestamps so far.
    pub(crate) fn times(&self) -> &[i64] {
        &self.times
    }

    /// Makes room for so many timestamps, as far as there is memory: nobody knows whether they will
    /// come.
    pub(crate) fn expect(&mut self, count: usize) {
        let _ = self.times.try_reserve_exact(count);
    }

    /// Adds the timestamps of a piece of the input. What stays in it is of no use but for its room.
    pub(crate) fn append(&mut self, piece: &mut Vec<i64>) {
        match self.times.is_empty() && self.times.capacity() < piece.len() {
            true => std::mem::swap(&mut self.times, piece),
            false => self.times.extend_from_slice(piece),
        }
    }

    /// Hands over the timestamps so far, and goes on behind the last ones, which stay as well.
    pub(crate) fn hand_over(&mut self, staying: usize) -> Vec<i64> {
        let start = self.times.len().saturating_sub(staying);
        self.before += start;
        let rest = self.times[start..].to_vec();
        std::mem::replace(&mut self.times, rest)
    }

    /// Checks that the latest state is not earlier than the one before it in its key. While dates
    /// are undecided that has to wait.
    #[inline]
    pub(crate) fn check_latest(
        &self,
        previous: Option<u32>,
        key: Option<&str>,
        line: u64,
        lines: &Lines,
    ) -> Result<(), TraceError> {
        match (previous, self.times.last()) {
            (Some(previous), Some(&now)) if self.undecided.is_empty() && now < self.times[previous as usize] => {
                let before = (self.times[previous as usize], lines.line(self.before + previous as usize));
                Err(self.reader.decreases((now, line), before, key))
            }
            _ => Ok(()),
        }
    }

    /// Drops the timestamps from this state on: a record has turned out to be none.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.times.truncate(len);
        self.undecided.retain(|undecided| undecided.position < len);
    }

    /// The timestamps, once day and month are told apart and time is found never to decrease.
    pub(crate) fn finish(mut self, keys: Option<&Keys>, lines: &Lines) -> Result<Vec<i64>, TraceError> {
        self.settle(keys, lines)?;
        Ok(self.times)
    }

    /// Tells day and month apart where that had to wait, and finds that time never decreases.
    pub(crate) fn settle(&mut self, keys: Option<&Keys>, lines: &Lines) -> Result<(), TraceError> {
        if self.undecided.is_empty() {
            return Ok(());
        }
        self.settle_day_orders()?;
        self.undecided.clear();
        match keys {
            None => self.check_order(0..self.times.len(), None, lines),
            Some(keys) => self.check_keys(keys, lines),
        }
    }

    /// The timestamps, once day and month are told apart, in whatever order they are.
    pub(crate) fn finish_unordered(mut self) -> Result<Vec<i64>, TraceError> {
        self.settle_day_orders()?;
        Ok(self.times)
    }

    fn settle_day_orders(&mut self) -> Result<(), TraceError> {
        match (self.reader.orders, &self.example) {
            (DayOrders { day_first: Some(_), .. }, _) => {
                for undecided in &self.undecided {
                    self.times[undecided.position] = undecided.day_first;
                }
                Ok(())
            }
            (DayOrders { month_first: None, .. }, Some((line, text))) if !self.undecided.is_empty() => {
                Err(self.reader.ambiguous(text.as_bytes(), *line))
            }
            _ => Ok(()),
        }
    }

    /// Of all keys' mistakes the first in the input is the one to report.
    fn check_keys(&self, keys: &Keys, lines: &Lines) -> Result<(), TraceError> {
        let mistakes = keys.groups().filter_map(|group| {
            let positions = group.positions.iter().map(|&position| position as usize);
            self.check_order(positions, Some(group.key.written().as_str()), lines).err()
        });
        mistakes.min_by_key(TraceError::line).map_or(Ok(()), Err)
    }

    fn check_order(
        &self,
        positions: impl IntoIterator<Item = usize>,
        key: Option<&str>,
        lines: &Lines,
    ) -> Result<(), TraceError> {
        let mut positions = positions.into_iter();
        let Some(mut before) = positions.next() else { return Ok(()) };
        for now in positions {
            let at = |position: usize| (self.times[position], lines.line(self.before + position));
            if self.times[now] < self.times[before] {
                return Err(self.reader.decreases(at(now), at(before), key));
            }
            before = now;
        }
        Ok(())
    }
}

impl TimeColumn {
    /// A timestamp in the column's own terms: a plain number with its unit, or a date.
    pub fn show(&self, time: i64) -> String {
        match self.unit {
            Some(unit) => format!("{} {unit}", in_unit(time, unit)),
            None => show_date(time),
        }
    }
}

/// The text of a timestamp, with blanks around it perhaps.
/// The timestamp of a cell that is one, or a whole number of units.
#[inline]
fn plain(cell: Cell<'_>, unit: Option<TimeUnit>) -> Option<i64> {
    match (cell, unit) {
        (Cell::Time(time), _) => Some(time),
        (Cell::Int(count), Some(unit)) => count.checked_mul(unit.nanoseconds()),
        _ => None,
    }
}

fn time_text<'a>(name: &str, cell: Cell<'a>) -> Result<Cow<'a, [u8]>, TraceErrorKind> {
    match cell {
        Cell::Container(source) => Err(container(name, source)),
        cell => cell.text().filter(|text| !text.trim_ascii().is_empty()).ok_or(TraceErrorKind::MissingTime),
    }
}

/// Why a text is no date. Asks only now whether it is a number, so that a date costs nothing for
/// it.
fn no_date(text: &[u8], reason: NotMoment) -> TraceErrorKind {
    match reason {
        _ if decimal(text).is_some() => TraceErrorKind::PlainNumberTime(lossy(text)),
        NotMoment::Unreadable => TraceErrorKind::UnreadableTime(lossy(text)),
        NotMoment::OutOfRange => TraceErrorKind::TimeOutOfRange(lossy(text)),
        NotMoment::NamedZone => TraceErrorKind::NamedZone(lossy(text)),
    }
}

impl DayOrders {
    fn note_day_first(&mut self, line: u64, text: &[u8]) -> Result<(), TraceErrorKind> {
        self.day_first.get_or_insert(line);
        contradiction(self.month_first, text)
    }

    fn note_month_first(&mut self, line: u64, text: &[u8]) -> Result<(), TraceErrorKind> {
        self.month_first.get_or_insert(line);
        contradiction(self.day_first, text)
    }
}

fn contradiction(other_line: Option<u64>, text: &[u8]) -> Result<(), TraceErrorKind> {
    match other_line {
        Some(other_line) => Err(TraceErrorKind::ContradictoryDates { text: lossy(text), other_line }),
        None => Ok(()),
    }
}

/// A plain number of some unit, as nanoseconds. Exact: what is below a nanosecond is cut, nothing
/// is rounded.
#[inline]
pub(crate) fn parse_number(text: &[u8], unit: TimeUnit) -> Result<i64, TraceErrorKind> {
    match plain_time::number(text, unit.nanoseconds()) {
        Some(time) => Ok(time),
        None => parse_general(text, unit),
    }
}

/// A timestamp that is a number, however it is written.
pub(crate) fn parse_general(text: &[u8], unit: TimeUnit) -> Result<i64, TraceErrorKind> {
    let decimal = decimal(text).ok_or_else(|| TraceErrorKind::TimeNotNumber(lossy(text)))?;
    decimal.scaled(unit.nanoseconds()).ok_or_else(|| TraceErrorKind::TimeOutOfRange(lossy(text)))
}

/// A moment as RFC 3339.
pub(crate) fn show_date(time: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(time)).map_or_else(|_| format!("{time} ns"), |date| date.to_string())
}

/// `mantissa` × 10^`exponent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Decimal {
    mantissa: i128,
    exponent: i32,
}

/// Digits beyond these are far below a nanosecond; a day's worth of nanoseconds times such a
/// mantissa fits an i128.
const DIGITS: u32 = 24;

/// Reads `12`, `-1.5`, `.5`, `1e3`. Text, not a float, because a float of seconds since 1970 has no
/// nanoseconds left.
fn decimal(text: &[u8]) -> Option<Decimal> {
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut number = Decimal { mantissa: 0, exponent: 0 };
    let mut digits = 0;
    let mut seen_point = false;
    let mut seen_digit = false;
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b'0'..=b'9' => {
                seen_digit = true;
                if digits < DIGITS {
                    number.mantissa = number.mantissa * 10 + i128::from(byte - b'0');
                    number.exponent -= i32::from(seen_point);
                    digits += u32::from(number.mantissa != 0);
                } else {
                    number.exponent = number.exponent.checked_add(i32::from(!seen_point))?;
                }
            }
            b'.' if !seen_point => seen_point = true,
            b'e' | b'E' if seen_digit => {
                let exponent: i32 = std::str::from_utf8(after).ok()?.parse().ok()?;
                number.exponent = number.exponent.checked_add(exponent)?;
                break;
            }
            _ => return None,
        }
        rest = after;
    }
    if negative {
        number.mantissa = -number.mantissa;
    }
    seen_digit.then_some(number)
}

impl Decimal {
    /// The number times a factor, cut to an integer; none if it does not fit.
    fn scaled(self, factor: i64) -> Option<i64> {
        let product = self.mantissa * i128::from(factor);
        let power = 10_i128.checked_pow(self.exponent.unsigned_abs());
        let scaled = match (product, power) {
            (0, _) => 0,
            (_, Some(power)) if self.exponent < 0 => product / power,
            (_, Some(power)) => product.checked_mul(power)?,
            (_, None) if self.exponent < 0 => 0,
            (_, None) => return None,
        };
        i64::try_from(scaled).ok()
    }
}

/// A moment as a plain number of its unit, without loss.
fn in_unit(time: i64, unit: TimeUnit) -> String {
    let factor = i128::from(unit.nanoseconds());
    let (sign, time) = if time < 0 { ("-", -i128::from(time)) } else { ("", i128::from(time)) };
    let (whole, rest) = (time / factor, time % factor);
    if rest == 0 {
        return format!("{sign}{whole}");
    }
    // A minute has no finite decimals of a nanosecond; 14 digits are enough to tell two moments of
    // any unit apart.
    let decimals = rest * 10_i128.pow(14) / factor;
    format!("{sign}{whole}.{}", format!("{decimals:014}").trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str, unit: TimeUnit) -> Option<i64> {
        parse_number(text.as_bytes(), unit).ok()
    }

    #[test]
    fn plain_numbers_are_exact() {
        assert_eq!(number("1712329729.6024537", TimeUnit::S), Some(1_712_329_729_602_453_700));
        assert_eq!(number("1712329729.602453712999", TimeUnit::S), Some(1_712_329_729_602_453_712));
        assert_eq!(number("9223372036854775807", TimeUnit::Ns), Some(i64::MAX));
        assert_eq!(number("-9223372036854775808", TimeUnit::Ns), Some(i64::MIN));
        assert_eq!(number("20630667", TimeUnit::Us), Some(20_630_667_000));
        assert_eq!(number("1.5e3", TimeUnit::Ms), Some(1_500_000_000));
        assert_eq!(number("15E-1", TimeUnit::Min), Some(90_000_000_000));
        assert_eq!(number("+.5", TimeUnit::H), Some(1_800_000_000_000));
        assert_eq!(number("-0.25", TimeUnit::D), Some(-21_600_000_000_000));
        assert_eq!(number("1e-400", TimeUnit::S), Some(0));
        assert_eq!(number("0e400", TimeUnit::S), Some(0));
        assert_eq!(number("0.0000000000000000000000000000000001", TimeUnit::S), Some(0));
        assert_eq!(number("1000000000000000000000000000000e-21", TimeUnit::S), Some(1_000_000_000_000_000_000));
    }

    #[test]
    fn numbers_that_do_not_fit_are_told_from_texts() {
        let kind = |text: &str| parse_number(text.as_bytes(), TimeUnit::S).unwrap_err();
        for text in ["9223372037", "1e400", "1e30"] {
            assert_eq!(kind(text), TraceErrorKind::TimeOutOfRange(text.to_owned()));
        }
        for text in ["", "-", ".", "1.2.3", "e5", "1e", "2014-10-22", "12s", "nan"] {
            assert_eq!(kind(text), TraceErrorKind::TimeNotNumber(text.to_owned()));
        }
    }

    #[test]
    fn moments_are_shown_in_their_unit() {
        assert_eq!(in_unit(1_712_329_729_602_453_700, TimeUnit::S), "1712329729.6024537");
        assert_eq!(in_unit(-1_500_000, TimeUnit::Ms), "-1.5");
        assert_eq!(in_unit(7, TimeUnit::Ns), "7");
    }

    use crate::options::ReadOptions;
    use crate::testing::{self, read_text};

    fn options(unit: Option<TimeUnit>) -> ReadOptions {
        ReadOptions { time: testing::time("t", unit), ..ReadOptions::default() }
    }

    /// A column `t` of these timestamps.
    fn csv(times: &[&str]) -> String {
        format!("t,x\n{}", times.iter().map(|time| format!("{time},\n")).collect::<String>())
    }

    fn times(times: &[&str], unit: Option<TimeUnit>) -> Vec<i64> {
        read_text(csv(times), &options(unit)).unwrap().time.unwrap()
    }

    fn fail(times: &[&str], unit: Option<TimeUnit>) -> String {
        testing::fail(csv(times), &options(unit))
    }

    const DAY: i64 = 86_400_000_000_000;

    #[test]
    fn dates_may_change_their_layout() {
        assert_eq!(times(&["1970-01-02", "03.01.1970", "4 Jan 1970"], None), [DAY, 2 * DAY, 3 * DAY]);
    }

    #[test]
    fn json_timestamps_are_strings_or_numbers() {
        let read = |input: &str, unit| read_text(input, &options(unit)).map(|trace| trace.time.unwrap());
        assert_eq!(read("{\"t\":1712329729.6024537}", Some(TimeUnit::S)), Ok(vec![1_712_329_729_602_453_700]));
        assert_eq!(read("{\"t\":\"1.5e0\"}\n{\"t\":15e-1}", Some(TimeUnit::S)), Ok(vec![1_500_000_000; 2]));
        assert_eq!(read("{\"t\":\"1970-01-02\"}", None), Ok(vec![DAY]));
        let message = testing::fail("{\"t\":\"1970-01-02\"}\n{\"u\":1}", &options(None));
        assert_eq!(message, "2:t: the state has no timestamp: `t` is missing");
        assert!(testing::fail("{\"t\":{\"s\":1}}", &options(None)).contains("`t` is an object"));
    }

    #[test]
    fn the_whole_column_tells_day_from_month() {
        assert_eq!(times(&["01/02/1970", "13/02/1970"], None), [31 * DAY, 43 * DAY]);
        assert_eq!(times(&["01/02/1970", "01/13/1970"], None), [DAY, 12 * DAY]);
        assert_eq!(times(&["01/01/1970", "02/02/1970"], None), [0, 32 * DAY]);
        assert_eq!(
            fail(&["01/01/1970", "01/02/1970"], None),
            "3:t: `t` is ambiguous: in `01/02/1970` and every other date either part may be the day"
        );
        assert_eq!(
            fail(&["13/01/1970", "01/14/1970"], None),
            "3:t: `t` contradicts itself: `01/14/1970` and line 2 have day and month in different order"
        );
    }

    #[test]
    fn timestamps_that_cannot_be_read_say_why() {
        let plain = read_text(csv(&["12"]), &options(None)).unwrap_err();
        assert_eq!(
            plain.to_string(),
            "column `t` holds plain numbers such as 12; say their unit, e.g. `trace { time t:ms }`"
        );
        assert_eq!(fail(&["Oct 22 11:15:41"], None), "2:t: `t` names no year: `Oct 22 11:15:41`");
        assert_eq!(fail(&["soon"], None), "2:t: `t` is no date we can read: `soon`");
        assert_eq!(
            read_text(csv(&["2024-03-31T01:59:59[Europe/Berlin]"]), &options(None)).unwrap_err().to_string(),
            "`t` names a time zone without its offset: `2024-03-31T01:59:59[Europe/Berlin]`; \
             write the offset, like 2014-10-22T13:15:41+02:00"
        );
        assert_eq!(fail(&["1970-01-01", ""], None), "3:t: the state has no timestamp: `t` is missing");
        assert!(fail(&["2999-01-01"], None).contains("beyond what 64-bit nanoseconds hold"));
        assert!(fail(&["1e30"], Some(TimeUnit::D)).contains("beyond what 64-bit nanoseconds hold"));
        assert!(fail(&["1970-01-01"], Some(TimeUnit::D)).contains("is no plain number"));
        let null = ReadOptions { null: vec!["NA".to_owned()], ..options(None) };
        assert!(testing::fail(csv(&["NA"]), &null).contains("has no timestamp"));
    }

    #[test]
    fn time_never_decreases() {
        assert_eq!(times(&["1", "1", "2"], Some(TimeUnit::Ns)), [1, 1, 2]);
        assert_eq!(
            fail(&["1", "2.5", "2"], Some(TimeUnit::S)),
            "4:t: time goes backwards: `t` is 2 s, but 2.5 s on line 3 before it"
        );
        assert_eq!(
            fail(&["1970-01-02", "1970-01-01"], None),
            "3:t: time goes backwards: `t` is 1970-01-01T00:00:00Z, but 1970-01-02T00:00:00Z on line 2 before it"
        );
    }

    #[test]
    fn keys_have_a_time_of_their_own() {
        let options = ReadOptions { key: Some("k".to_owned()), ..options(Some(TimeUnit::Ns)) };
        let trace = read_text("k,t\na,5\nb,1\na,6\n", &options).unwrap();
        assert_eq!(trace.time, Some(vec![5, 1, 6]));
        assert_eq!(
            testing::fail("k,t\na,5\nb,3\nb,2\na,4\n", &options),
            "4:t: time goes backwards within key `b`: `t` is 2 ns, but 3 ns on line 3 before it"
        );
    }

    /// The timestamps of a file, in seconds.
    fn seconds(input: &str, options: &ReadOptions) -> Vec<i64> {
        let trace = read_text(input, options).unwrap_or_else(|error| panic!("{:?}: {error}", error.line()));
        trace.time.unwrap_or_default().iter().map(|time| time / 1_000_000_000).collect()
    }

    #[test]
    fn midnight_passes_when_the_clock_goes_far_back() {
        let options = ReadOptions { time: testing::time("t", None), ..ReadOptions::default() };
        let input = "t,k\n23:59:58.5,a\n00:00:01,a\n15:30,b\n11:00:00 PM,b\n";
        assert_eq!(seconds(input, &options), [86398, 86401, 86400 + 55800, 86400 + 82800]);
        assert_eq!(
            testing::fail("t\n10:00:00\n23:00:00\n01:00:00\n00:59:59.25\n", &options),
            "5:t: time goes backwards: `t` is 00:59:59.25 on day 2, but 01:00:00 on day 2 on line 4 before it"
        );
        // Just half a day back is no midnight.
        assert!(testing::fail("t\n12:00:00\n00:00:00\n", &options).contains("time goes backwards"));
    }

    #[test]
    fn every_key_has_a_midnight_of_its_own() {
        let keyed = ReadOptions { time: testing::time("t", None), key: Some("k".to_owned()), ..ReadOptions::default() };
        // In groups: the second key begins on the first day again.
        let grouped = "t,k\n23:59:58,a\n00:00:01,a\n23:59:00,b\n00:00:30,b\n";
        assert_eq!(seconds(grouped, &keyed), [86398, 86401, 86340, 86430]);
        // Side by side: a key that begins after midnight does so on the second day.
        let mixed = "t,k\n23:59:58,a\n00:00:01,b\n00:00:02,a\n";
        assert_eq!(seconds(mixed, &keyed), [86398, 86401, 86402]);
    }

    #[test]
    fn dates_without_a_year_need_one_and_go_on_to_the_next() {
        let options = ReadOptions { time: testing::time("t", None), ..ReadOptions::default() };
        let input = "t\nDec 31 23:59:59\nJan  1 00:00:01\nFeb 29 00:00:00\n";
        assert_eq!(testing::fail(input, &options), "2:t: `t` names no year: `Dec 31 23:59:59`");
        let in_2027 = ReadOptions { year: Some(2027), ..options.clone() };
        let new_year_2028 = 1_830_297_600;
        assert_eq!(seconds(input, &in_2027), [new_year_2028 - 1, new_year_2028 + 1, new_year_2028 + 59 * 86400]);
        let in_2026 = ReadOptions { year: Some(2026), ..options };
        assert_eq!(
            testing::fail("t\nFeb 29 00:00:00\n", &in_2026),
            "2:t: `t` is a day that its year does not have: `Feb 29 00:00:00`"
        );
        assert_eq!(
            testing::fail("t\nNov 16 18:38:26\nNov 16 18:38:25\n", &in_2026),
            "3:t: time goes backwards: `t` is 2026-11-16T18:38:25Z, but 2026-11-16T18:38:26Z on line 2 before it"
        );
    }

    #[test]
    fn a_timestamp_may_stand_in_two_columns() {
        let both = TimeColumn { rest: vec!["Time of day".to_owned()], ..TimeColumn::new("Date", None) };
        let options = ReadOptions { time: Some(both), key: Some("k".to_owned()), ..ReadOptions::default() };
        let input = "Time of day,k,Date\n00:00:01,a, 1970-01-02\n\" 00:00:02 \",a,1970-01-02\n";
        assert_eq!(seconds(input, &options), [86401, 86402]);
        let json = "{\"Date\":\"13/02/1970\",\"Time of day\":\"10:00\",\"k\":1}\n";
        assert_eq!(seconds(json, &options), [43 * 86400 + 36000]);
        assert_eq!(
            testing::fail("Date,Time of day,k\n1970-01-01,,a\n", &options),
            "2:Date+Time of day: the state has no timestamp: `Date+Time of day` is missing"
        );
        assert_eq!(
            testing::fail("Date,Time,k\n1970-01-01,,a\n", &options),
            "1:Time of day: there is no `Time of day`, which was named as the time column"
        );
        let lacking = "{\"Date\":\"1970-01-01\",\"k\":1}\n";
        assert_eq!(
            testing::fail(lacking, &options),
            "-:Time of day: there is no `Time of day`, which was named as the time column"
        );
    }
}
