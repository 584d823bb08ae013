//! Timestamps.

use crate::cell::Cell;
use crate::column::container;
use crate::date::{self, Moment, NotMoment};
use crate::error::{TraceError, TraceErrorKind, lossy};
use crate::keys::Keys;
use crate::lines::Lines;
use crate::options::{TimeColumn, TimeUnit};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Reads timestamps one by one.
#[derive(Clone, Debug)]
pub(crate) struct TimeReader {
    column: TimeColumn,
    orders: DayOrders,
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
    pub(crate) fn new(column: TimeColumn) -> Self {
        Self { column, orders: DayOrders::default() }
    }

    /// What the dates so far have told.
    pub(crate) fn orders(&self) -> DayOrders {
        self.orders
    }

    /// Puts back what dates had told.
    pub(crate) fn restore_orders(&mut self, orders: DayOrders) {
        self.orders = orders;
    }

    /// The timestamp in a cell.
    pub(crate) fn read(&mut self, cell: Cell<'_>, line: u64) -> Result<Stamp, TraceError> {
        self.stamp(cell, line).map_err(|kind| self.error(kind, line))
    }

    /// The timestamp in a cell, where later ones cannot be waited for.
    pub(crate) fn read_now(&mut self, cell: Cell<'_>, line: u64) -> Result<i64, TraceError> {
        match self.read(cell, line)? {
            Stamp::Known(time) => Ok(time),
            Stamp::Either { .. } => Err(self.ambiguous(&cell.text().unwrap_or_default(), line)),
        }
    }

    /// A date of which neither earlier nor later ones tell which part is the day.
    pub(crate) fn ambiguous(&self, text: &[u8], line: u64) -> TraceError {
        self.error(TraceErrorKind::AmbiguousDate(lossy(text)), line)
    }

    /// Time goes backwards from one state to another.
    pub(crate) fn decreases(&self, now: (i64, u64), before: (i64, u64), key: Option<&str>) -> TraceError {
        let kind = TraceErrorKind::TimeDecreases {
            now: self.column.show(now.0),
            before: self.column.show(before.0),
            before_line: before.1,
            key: key.map(str::to_owned),
        };
        self.error(kind, now.1)
    }

    fn stamp(&mut self, cell: Cell<'_>, line: u64) -> Result<Stamp, TraceErrorKind> {
        if let (Cell::Time(time), _) | (Cell::Int(time), Some(TimeUnit::Ns)) = (cell, self.column.unit) {
            return Ok(Stamp::Known(time));
        }
        let text = time_text(&self.column.name, cell)?;
        let text = text.trim_ascii();
        match self.column.unit {
            Some(unit) => parse_number(text, unit).map(Stamp::Known),
            None => self.date(text, line),
        }
    }

    fn date(&mut self, text: &[u8], line: u64) -> Result<Stamp, TraceErrorKind> {
        match date::parse(text) {
            Ok((_, Moment::Exact(time))) => Ok(Stamp::Known(time)),
            Ok((_, Moment::DayFirst(time))) => self.orders.note_day_first(line, text).map(|()| Stamp::Known(time)),
            Ok((_, Moment::MonthFirst(time))) => self.orders.note_month_first(line, text).map(|()| Stamp::Known(time)),
            Ok((_, Moment::Either { day_first, month_first })) => Ok(match self.orders {
                DayOrders { day_first: Some(_), .. } => Stamp::Known(day_first),
                DayOrders { month_first: Some(_), .. } => Stamp::Known(month_first),
                _ => Stamp::Either { day_first, month_first },
            }),
            Err(reason) => Err(no_date(text, reason)),
        }
    }

    fn error(&self, kind: TraceErrorKind, line: u64) -> TraceError {
        TraceError::new(kind).on_line(line).in_column(&self.column.name)
    }
}

/// The timestamps of a file in the making. Dates that may be read in two ways wait for one that
/// tells which part is the day; a stream cannot wait and refuses them.
#[derive(Clone, Debug)]
pub(crate) struct TimeBuilder {
    reader: TimeReader,
    times: Vec<i64>,
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
    pub(crate) fn new(column: &TimeColumn) -> Self {
        Self { reader: TimeReader::new(column.clone()), times: Vec::new(), undecided: Vec::new(), example: None }
    }

    /// Takes the timestamp of the next state; `previous` is the state of its key before it, with
    /// its line. Time must not decrease.
    #[inline]
    pub(crate) fn push(&mut self, cell: Cell<'_>, line: u64) -> Result<(), TraceError> {
        match self.reader.read(cell, line)? {
            Stamp::Known(time) => self.times.push(time),
            Stamp::Either { day_first, month_first } => {
                let text = || lossy(&cell.text().unwrap_or_default());
                self.example.get_or_insert_with(|| (line, text()));
                self.undecided.push(Undecided { position: self.times.len(), day_first });
                self.times.push(month_first);
            }
        }
        Ok(())
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
                let before = (self.times[previous as usize], lines.line(previous as usize));
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
        if self.undecided.is_empty() {
            return Ok(self.times);
        }
        self.settle_day_orders()?;
        match keys {
            None => self.check_order(0..self.times.len(), None, lines)?,
            Some(keys) => self.check_keys(keys, lines)?,
        }
        Ok(self.times)
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
        let mistakes = keys.groups.iter().filter_map(|group| {
            let positions = group.positions.iter().map(|&position| position as usize);
            self.check_order(positions, Some(&group.key), lines).err()
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
            let at = |position: usize| (self.times[position], lines.line(position));
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
        NotMoment::NoYear => TraceErrorKind::TimeWithoutYear(lossy(text)),
        NotMoment::OutOfRange => TraceErrorKind::TimeOutOfRange(lossy(text)),
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
pub(crate) fn parse_number(text: &[u8], unit: TimeUnit) -> Result<i64, TraceErrorKind> {
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
}
