//! Dates as people write them.
//!
//! Logs are made of ISO-like dates, so those are read by hand without a detour; the other numeric
//! and named layouts share the reading of clock and zone with them. What is left (compact ISO 8601,
//! obsolete zones of RFC 2822, asctime) goes to `jiff`.

use crate::plain_time;
use jiff::civil;
use jiff::fmt::rfc2822;
use jiff::fmt::temporal::{Pieces, TimeZoneAnnotationKind};
use jiff::tz::Offset;

/// The way a date is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DateLayout {
    YearFirst,
    DayDotMonth,
    DayMonthName,
    Numeric,
    /// A month and a day without a year.
    NoYear,
    /// A time of day without a date.
    Clock,
    Other,
}

impl DateLayout {
    /// A description of the layout for people.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::YearFirst => "yyyy-mm-dd HH:MM:SS",
            Self::DayDotMonth => "dd.mm.yyyy HH:MM:SS",
            Self::DayMonthName => "dd Mon yyyy HH:MM:SS",
            Self::Numeric => "dd/mm/yyyy or mm/dd/yyyy",
            Self::NoYear => "Mon dd HH:MM:SS, without a year",
            Self::Clock => "HH:MM:SS",
            Self::Other => "a date",
        }
    }
}

/// A moment in nanoseconds since 1970, as far as one date alone tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment {
    Exact(i64),
    /// The date is possible only with the day first.
    DayFirst(i64),
    /// The date is possible only with the month first.
    MonthFirst(i64),
    /// The date is possible either way.
    Either {
        day_first: i64,
        month_first: i64,
    },
    /// The date has no year.
    NoYear(Yearless),
    /// A time of day, in nanoseconds since midnight, and no date.
    Clock(i64),
}

/// A date without a year.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Yearless {
    month: i64,
    day: i64,
    /// Nanoseconds since midnight in UTC; a zone may put it before or behind the day.
    clock: i64,
}

impl Yearless {
    /// The moment in a year; none if the year has no such day, or is too far away.
    pub(crate) fn in_year(self, year: i64) -> Option<i64> {
        days(year, self.month, self.day)?.checked_mul(DAY)?.checked_add(self.clock)
    }
}

/// The nanoseconds of a day.
pub(crate) const DAY: i64 = 86_400_000_000_000;

/// The reason why a text is no moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotMoment {
    Unreadable,
    OutOfRange,
    /// It names a time zone, and not its offset.
    NamedZone,
}

/// Reads a date.
#[inline]
pub(crate) fn parse(text: &[u8]) -> Result<(DateLayout, Moment), NotMoment> {
    match plain_time::moment(text) {
        Some(time) => Ok((DateLayout::YearFirst, Moment::Exact(time))),
        None => parse_general(text),
    }
}

/// Reads a date of whatever layout.
pub(crate) fn parse_general(text: &[u8]) -> Result<(DateLayout, Moment), NotMoment> {
    if let Some(seconds) = year_first(text) {
        return Ok((DateLayout::YearFirst, Moment::Exact(seconds.nanoseconds()?)));
    }
    let after_weekday = strip_weekday(text);
    match after_weekday.first() {
        Some(b'0'..=b'9') => match day_or_month_first(after_weekday) {
            Some(read) => read,
            None => match parse_clock(text) {
                Some(clock) => Ok((DateLayout::Clock, Moment::Clock(clock))),
                None => other(text),
            },
        },
        _ if month_name(after_weekday).is_some() => named_month_first(text, after_weekday),
        _ => other(text),
    }
}

/// Reads a time of day alone, in nanoseconds since midnight.
pub(crate) fn parse_clock(text: &[u8]) -> Option<i64> {
    let mut cursor = Cursor(text);
    let (seconds, nanos) = cursor.clock()?;
    cursor.0.is_empty().then_some(seconds * 1_000_000_000 + nanos)
}

/// Whether a word names a month.
pub(crate) fn is_month(word: &[u8]) -> bool {
    month_name(word).is_some() && name_length(word) == word.len()
}

/// A moment in two parts, which cannot overflow yet.
#[derive(Clone, Copy)]
struct Instant {
    seconds: i64,
    nanos: i64,
}

impl Instant {
    fn nanoseconds(self) -> Result<i64, NotMoment> {
        let total = i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanos);
        i64::try_from(total).map_err(|_| NotMoment::OutOfRange)
    }
}

/// `2014-10-22`, `2014/10/22`, also with one-digit month and day, then clock and zone.
#[inline]
fn year_first(text: &[u8]) -> Option<Instant> {
    let mut cursor = Cursor(text);
    let year = cursor.digits(4, 4)?;
    let separator = cursor.next_if(|byte| matches!(byte, b'-' | b'/'))?;
    let month = cursor.digits(1, 2)?;
    cursor.next_if(|byte| byte == separator)?;
    let day = cursor.digits(1, 2)?;
    cursor.clock_and_zone(days(year, month, day)?)
}

/// `22.10.2014`, `22 Oct 2014`, `22-Oct-2014`, `22/Oct/2014:11:15:41 +0000`, `22/10/2014`,
/// `10/22/2014`.
fn day_or_month_first(text: &[u8]) -> Option<Result<(DateLayout, Moment), NotMoment>> {
    let mut cursor = Cursor(text);
    let first = cursor.digits(1, 2)?;
    let separator = cursor.next_if(|byte| matches!(byte, b'.' | b'/' | b'-' | b' '))?;
    cursor.skip_spaces();
    if let Some(month) = month_name(cursor.0) {
        cursor.0 = &cursor.0[name_length(cursor.0)..];
        cursor.next_if(|byte| matches!(byte, b'.' | b'/' | b'-' | b' '))?;
        cursor.skip_spaces();
        let year = cursor.digits(4, 4)?;
        let instant = cursor.clock_and_zone(days(year, month, first)?)?;
        return Some(exact(DateLayout::DayMonthName, instant));
    }
    if separator == b' ' {
        return None;
    }
    let second = cursor.digits(1, 2)?;
    cursor.next_if(|byte| byte == separator)?;
    let year = cursor.digits(4, 4)?;
    if separator == b'.' {
        let instant = cursor.clock_and_zone(days(year, second, first)?)?;
        return Some(exact(DateLayout::DayDotMonth, instant));
    }
    either_order(cursor, year, first, second)
}

fn exact(layout: DateLayout, instant: Instant) -> Result<(DateLayout, Moment), NotMoment> {
    instant.nanoseconds().map(|nanoseconds| (layout, Moment::Exact(nanoseconds)))
}

fn either_order(
    cursor: Cursor<'_>,
    year: i64,
    first: i64,
    second: i64,
) -> Option<Result<(DateLayout, Moment), NotMoment>> {
    let at = |days: i64| cursor.clock_and_zone(days).map(Instant::nanoseconds);
    let moment = match (days(year, second, first), days(year, first, second)) {
        (Some(day_first), Some(month_first)) => match (at(day_first)?, at(month_first)?) {
            (Ok(day_first), Ok(month_first)) if day_first == month_first => Moment::Exact(day_first),
            (Ok(day_first), Ok(month_first)) => Moment::Either { day_first, month_first },
            (Err(error), _) | (_, Err(error)) => return Some(Err(error)),
        },
        (Some(days), None) => match at(days)? {
            Ok(nanoseconds) => Moment::DayFirst(nanoseconds),
            Err(error) => return Some(Err(error)),
        },
        (None, Some(days)) => match at(days)? {
            Ok(nanoseconds) => Moment::MonthFirst(nanoseconds),
            Err(error) => return Some(Err(error)),
        },
        (None, None) => return None,
    };
    Some(Ok((DateLayout::Numeric, moment)))
}

/// `Oct 22, 2014 11:15:41`, and syslog's `Oct 22 11:15:41`, which has no year.
fn named_month_first(whole: &[u8], text: &[u8]) -> Result<(DateLayout, Moment), NotMoment> {
    let month = month_name(text).unwrap_or(0);
    let mut cursor = Cursor(&text[name_length(text)..]);
    cursor.skip_spaces();
    let Some(day) = cursor.digits(1, 2) else { return other(whole) };
    cursor.next_if(|byte| byte == b',');
    cursor.skip_spaces();
    let after_day = cursor;
    if let Some(year) = cursor.digits(4, 4) {
        let instant = days(year, month, day).and_then(|days| cursor.clock_and_zone(days));
        return instant.map_or(Err(NotMoment::Unreadable), |instant| exact(DateLayout::DayMonthName, instant));
    }
    match (after_day.clock_of_day(), days(LEAP_YEAR, month, day)) {
        (Some(clock), Some(_)) => Ok((DateLayout::NoYear, Moment::NoYear(Yearless { month, day, clock }))),
        _ => other(whole),
    }
}

/// Whatever else `jiff` reads.
fn other(text: &[u8]) -> Result<(DateLayout, Moment), NotMoment> {
    let text = std::str::from_utf8(text).map_err(|_| NotMoment::Unreadable)?;
    let (datetime, offset) = match Pieces::parse(text) {
        Ok(pieces) => of_pieces(&pieces)?,
        Err(_) => of_mail(text).unwrap_or_else(|| of_asctime(text))?,
    };
    if offset.seconds().abs() >= 86_400 {
        return Err(NotMoment::Unreadable);
    }
    let timestamp = offset.to_timestamp(datetime).map_err(|_| NotMoment::OutOfRange)?;
    let nanoseconds = i64::try_from(timestamp.as_nanosecond()).map_err(|_| NotMoment::OutOfRange)?;
    Ok((DateLayout::Other, Moment::Exact(nanoseconds)))
}

/// A date and a clock, and by how much they are ahead.
type LocalTime = Result<(civil::DateTime, Offset), NotMoment>;

/// ISO 8601. An offset outweighs the name of a zone beside it; which offset a name stands for only
/// a database of zones could tell, and there is none.
fn of_pieces(pieces: &Pieces<'_>) -> LocalTime {
    let offset = match (pieces.to_numeric_offset(), pieces.time_zone_annotation().map(|zone| zone.kind())) {
        (Some(offset), _) => offset,
        (None, None) => Offset::UTC,
        (None, Some(TimeZoneAnnotationKind::Offset(offset))) => *offset,
        (None, Some(TimeZoneAnnotationKind::Named(name))) if is_utc(name.as_str()) => Offset::UTC,
        (None, Some(_)) => return Err(NotMoment::NamedZone),
    };
    Ok((civil::DateTime::from_parts(pieces.date(), pieces.time().unwrap_or_default()), offset))
}

/// RFC 2822, which lets mails name any zone and takes those that nobody knows for UTC.
fn of_mail(text: &str) -> Option<LocalTime> {
    const KNOWN: [&str; 10] = ["UT", "GMT", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT"];
    let moment = rfc2822::parse(text).ok()?;
    let zone = text.split('(').next()?.split_ascii_whitespace().next_back()?;
    let is_name = zone.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_known = is_utc(zone) || KNOWN.iter().any(|known| zone.eq_ignore_ascii_case(known));
    Some(if is_name && !is_known { Err(NotMoment::NamedZone) } else { Ok((moment.datetime(), moment.offset())) })
}

fn of_asctime(text: &str) -> LocalTime {
    let datetime = civil::DateTime::strptime("%a %b %e %H:%M:%S %Y", text).map_err(|_| NotMoment::Unreadable)?;
    Ok((datetime, Offset::UTC))
}

fn is_utc(zone: &str) -> bool {
    ["UTC", "Etc/UTC", "GMT", "Z"].iter().any(|utc| zone.eq_ignore_ascii_case(utc))
}

/// A year that has every day there can be.
const LEAP_YEAR: i64 = 2000;

/// A text whose front is being read.
#[derive(Clone, Copy)]
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    /// A number of so many digits, and no more.
    #[inline]
    fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let mut number = 0;
        let mut count = 0;
        while let Some(byte @ b'0'..=b'9') = self.0.get(count).copied() {
            if count == most {
                return None;
            }
            number = number * 10 + i64::from(byte - b'0');
            count += 1;
        }
        self.0 = &self.0[count..];
        (count >= least).then_some(number)
    }

    #[inline]
    fn next_if(&mut self, accept: impl Fn(u8) -> bool) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        accept(byte).then(|| {
            self.0 = rest;
            byte
        })
    }

    fn skip_spaces(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    /// The rest of a date: nothing, or a clock, perhaps with a zone.
    #[inline]
    fn clock_and_zone(mut self, days: i64) -> Option<Instant> {
        let midnight = days * 86_400;
        if self.0.is_empty() {
            return Some(Instant { seconds: midnight, nanos: 0 });
        }
        self.next_if(|byte| matches!(byte, b'T' | b't' | b' ' | b':' | b'_' | b','))?;
        self.skip_spaces();
        let (seconds, nanos) = self.clock()?;
        let offset = self.zone()?;
        Some(Instant { seconds: midnight + seconds - offset, nanos })
    }

    /// The rest of a date without a year: a clock, perhaps with a zone, in nanoseconds.
    fn clock_of_day(mut self) -> Option<i64> {
        let (seconds, nanos) = self.clock()?;
        let offset = self.zone()?;
        Some((seconds - offset) * 1_000_000_000 + nanos)
    }

    /// `11:15`, `11:15:41`, `11:15:41.123456789`, with AM or PM after it: seconds since midnight,
    /// and nanoseconds.
    #[inline]
    fn clock(&mut self) -> Option<(i64, i64)> {
        let hour = self.digits(1, 2)?;
        self.next_if(|byte| byte == b':')?;
        let minute = self.digits(2, 2)?;
        let mut second = 0;
        let mut nanos = 0;
        if self.next_if(|byte| byte == b':').is_some() {
            second = self.digits(2, 2)?;
            if self.next_if(|byte| matches!(byte, b'.' | b',')).is_some() {
                nanos = self.fraction()?;
            }
        }
        let hour = self.half_day(hour)?;
        // A leap second is the last nanosecond of the second before it, so that time does not go
        // backwards.
        let (second, nanos) = if second == 60 { (59, 999_999_999) } else { (second, nanos) };
        (hour < 24 && minute < 60 && second < 60).then_some((hour * 3600 + minute * 60 + second, nanos))
    }

    /// The digits of a fraction of a second, as nanoseconds; digits beyond are cut.
    #[inline]
    fn fraction(&mut self) -> Option<i64> {
        let mut nanos = 0;
        let mut count = 0;
        while let Some(byte @ b'0'..=b'9') = self.0.get(count).copied() {
            if count < 9 {
                nanos = nanos * 10 + i64::from(byte - b'0');
            }
            count += 1;
        }
        self.0 = &self.0[count..];
        const SCALE: [i64; 10] = [0, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
        (count > 0).then(|| nanos * SCALE[count.min(9)])
    }

    /// Applies AM or PM, if one follows.
    fn half_day(&mut self, hour: i64) -> Option<i64> {
        let mut after = *self;
        after.skip_spaces();
        let afternoon = match after.0 {
            [b'A' | b'a', b'M' | b'm', ..] => 0,
            [b'P' | b'p', b'M' | b'm', ..] => 12,
            _ => return Some(hour),
        };
        self.0 = &after.0[2..];
        (1..=12).contains(&hour).then_some(hour % 12 + afternoon)
    }

    /// The zone's offset in seconds; none given is UTC.
    #[inline]
    fn zone(&mut self) -> Option<i64> {
        self.skip_spaces();
        match self.0 {
            b"" | b"Z" | b"z" | b"UTC" | b"GMT" | b"utc" => Some(0),
            [sign @ (b'+' | b'-'), offset @ ..] => {
                let seconds = parse_offset(offset)?;
                Some(if *sign == b'-' { -seconds } else { seconds })
            }
            _ => None,
        }
    }
}

/// `02`, `0200` or `02:00`.
fn parse_offset(text: &[u8]) -> Option<i64> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    let (hours, minutes) = match text {
        [a, b] => (digit(a)? * 10 + digit(b)?, 0),
        [a, b, c, d] | [a, b, b':', c, d] => (digit(a)? * 10 + digit(b)?, digit(c)? * 10 + digit(d)?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(hours * 3600 + minutes * 60)
}

/// Days since 1970 of a date that exists.
#[inline]
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that
    // the leap day is last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

fn name_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()
}

/// The month a text begins with, by its English name or the first three letters of it.
fn month_name(text: &[u8]) -> Option<i64> {
    const MONTHS: [&[u8]; 12] = [
        b"january",
        b"february",
        b"march",
        b"april",
        b"may",
        b"june",
        b"july",
        b"august",
        b"september",
        b"october",
        b"november",
        b"december",
    ];
    let name = &text[..name_length(text)];
    let matches = |month: &&[u8]| name.eq_ignore_ascii_case(month) || name.eq_ignore_ascii_case(&month[..3]);
    MONTHS.iter().position(matches).map(|index| index as i64 + 1)
}

/// Drops `Wed, ` or `Wed `.
fn strip_weekday(text: &[u8]) -> &[u8] {
    const DAYS: [&[u8]; 7] = [b"monday", b"tuesday", b"wednesday", b"thursday", b"friday", b"saturday", b"sunday"];
    let length = name_length(text);
    let name = &text[..length];
    if !DAYS.iter().any(|day| name.eq_ignore_ascii_case(day) || name.eq_ignore_ascii_case(&day[..3])) {
        return text;
    }
    let rest = &text[length..];
    rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TRIAGE: i64 = 1_413_976_541_000_000_000;

    fn exact(text: &str) -> i64 {
        match parse(text.as_bytes()) {
            Ok((_, Moment::Exact(nanoseconds))) => nanoseconds,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn one_moment_in_many_layouts() {
        for text in [
            "2014-10-22T11:15:41Z",
            "2014-10-22 11:15:41",
            "2014-10-22t11:15:41z",
            "2014-10-22T11:15:41.000000000Z",
            "2014-10-22T11:15:41,000",
            "2014-10-22T13:15:41+02",
            "2014-10-22T13:15:41+0200",
            "2014-10-22 13:15:41 +02:00",
            "2014-10-22T05:45:41-05:30",
            "2014-10-22 11:15:41 UTC",
            "2014/10/22 11:15:41.000",
            "22.10.2014 11:15:41",
            "22.10.2014 11:15:41.000",
            "22-Oct-2014 11:15:41",
            "22 Oct 2014 11:15:41",
            "22 October 2014 11:15:41",
            "Wed, 22 Oct 2014 11:15:41 +0000",
            "Wed, 22 Oct 2014 07:15:41 EDT",
            "22/Oct/2014:11:15:41 +0000",
            "22/Oct/2014:13:15:41 +0200",
            "Oct 22, 2014 11:15:41 AM",
            "Wed Oct 22 11:15:41 2014",
            "20141022T111541Z",
            "20141022T111541",
            "20141022T131541+02",
            "2014-10-22T11:15:41Z[Europe/Berlin]",
            "2014-10-22T13:15:41+02:00[Europe/Berlin]",
            "2014-10-22T13:15:41[+02:00]",
            "2014-10-22T11:15:41[UTC]",
            "2014-10-22T11:15:41[u-ca=iso8601]",
            "Wed, 22 Oct 2014 13:15:41 +0200 (CEST)",
            "Wed, 22 Oct 2014 11:15:41 ut",
        ] {
            assert_eq!(exact(text), TRIAGE, "{text}");
        }
    }

    #[test]
    fn parts_may_be_left_out() {
        assert_eq!(exact("1970-01-02"), 86_400_000_000_000);
        assert_eq!(exact("1970-01-01 00:01"), 60_000_000_000);
        assert_eq!(exact("02.01.1970"), 86_400_000_000_000);
        assert_eq!(exact("1970/1/2"), 86_400_000_000_000);
        assert_eq!(exact("1970-01-01T00:00:00.5"), 500_000_000);
        assert_eq!(exact("1970-01-01T00:00:00.1234567891"), 123_456_789);
        assert_eq!(exact("1970-01-01 12:00:00 AM"), 0);
        // Between the second before it and the one behind it, whatever its fraction.
        assert_eq!(exact("2016-12-31T23:59:60Z"), exact("2017-01-01T00:00:00Z") - 1);
        assert_eq!(exact("2016-12-31T23:59:60.2Z"), exact("2017-01-01T00:00:00Z") - 1);
    }

    #[test]
    fn numeric_dates_say_what_they_know() {
        let day = 86_400_000_000_000;
        let moment = |text: &str| parse(text.as_bytes()).map(|(_, moment)| moment);
        assert_eq!(moment("13/01/1970"), Ok(Moment::DayFirst(12 * day)));
        assert_eq!(moment("01/13/1970"), Ok(Moment::MonthFirst(12 * day)));
        assert_eq!(moment("01/02/1970"), Ok(Moment::Either { day_first: 31 * day, month_first: day }));
        assert_eq!(moment("01/01/1970"), Ok(Moment::Exact(0)));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        let refused = |text: &str| parse(text.as_bytes()).unwrap_err();
        assert_eq!(refused("Feb 30 11:15:41"), NotMoment::Unreadable);
        assert_eq!(refused("24:00:00"), NotMoment::Unreadable);
        assert_eq!(refused("2999-01-01"), NotMoment::OutOfRange);
        assert_eq!(refused("1600-01-01 00:00:00"), NotMoment::OutOfRange);
        for text in [
            "",
            "x",
            "2014-13-01",
            "2014-02-29",
            "31.04.2014",
            "2014-10-22 24:00:00",
            "2014-10-22 11:60:00",
            "2014-10-22x",
            "2014-10-22T11:15:41 Mars",
            "99/99/2014",
            "2014-10-22 13:00 PM",
            "2014-10-22T",
            "\u{e9}",
            "2014-10-22T11:15:41+24:00",
            "2014-10-22T11:15:41-25:59[Europe/Berlin]",
            "20141022T111541+2400",
            "Wed, 22 Oct 2014 11:15:41 +2400",
        ] {
            assert_eq!(refused(text), NotMoment::Unreadable, "{text}");
        }
        for text in [
            "2014-10-22T11:15:41[Europe/Berlin]",
            "2014-10-22 11:15:41[!Europe/Berlin][u-ca=iso8601]",
            "20141022T111541[CET]",
            "2014-10-22[Europe/Berlin]",
            "Wed, 22 Oct 2014 11:15:41 CET",
            "Wed, 22 Oct 2014 11:15:41 A (A)",
        ] {
            assert_eq!(refused(text), NotMoment::NamedZone, "{text}");
        }
    }

    proptest! {
        #[test]
        fn iso_dates_agree_with_jiff(nanoseconds in any::<i64>()) {
            let timestamp = jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)).unwrap();
            prop_assert_eq!(exact(&timestamp.to_string()), nanoseconds);
        }

        #[test]
        fn no_text_panics(text in "[0-9A-Za-z:/. ,+-]{0,30}") {
            let _ = parse(text.as_bytes());
        }
    }
}
