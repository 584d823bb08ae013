//! Timestamps as machines write them, eight bytes at a time: RFC 3339, and plain numbers.
//!
//! What is not of these layouts to the letter is left to the general readers (`date`, `time`),
//! which read these layouts, too, and say the same of them.

use crate::date;
use crate::swar;

/// The bytes of `yyyy-mm-` and of `ddThh:mm` with zeros for digits; the `T` may be a blank.
const YEAR_AND_MONTH: u64 = u64::from_le_bytes(*b"0000-00-");
const DAY_AND_MINUTE: u64 = u64::from_le_bytes(*b"00T00:00");

/// For each byte what makes it exceed 127 if it is more than a digit may be, or than a separator
/// may differ from itself.
const OF_YEAR_AND_MONTH: u64 = u64::from_le_bytes([118, 118, 118, 118, 127, 118, 118, 127]);
const OF_DAY_AND_MINUTE: u64 = u64::from_le_bytes([118, 118, 127, 118, 118, 127, 118, 118]);

/// The digits of eight bytes that are of a pattern.
#[inline]
fn digits(word: u64, pattern: u64, excess: u64) -> Option<[u8; 8]> {
    const TOP: u64 = (u64::MAX / 255) << 7;
    let digits = word ^ pattern;
    // Bytes of at most 127 do not carry into the next.
    let fits = (digits | ((digits & !TOP) + excess)) & TOP == 0;
    fits.then(|| digits.to_le_bytes())
}

#[inline]
fn two(tens: u8, ones: u8) -> i64 {
    i64::from(tens) * 10 + i64::from(ones)
}

/// The nanoseconds since 1970 of `2026-11-18T02:40:09.123Z`: a blank may stand for the T, and the
/// fraction and the zone may be missing; the zone may be `+01:00`.
#[inline]
pub(crate) fn moment(text: &[u8]) -> Option<i64> {
    let [a, b, c, d, _, m, n, _] = digits(swar::load(text, 0)?, YEAR_AND_MONTH, OF_YEAR_AND_MONTH)?;
    let word = swar::load(text, 8)?;
    let is_blank = text[10] == b' ';
    let word = if is_blank { word ^ (u64::from(b' ' ^ b'T') << 16) } else { word };
    let [e, f, _, g, h, _, i, j] = digits(word, DAY_AND_MINUTE, OF_DAY_AND_MINUTE)?;
    let [b':', tens @ b'0'..=b'5', ones @ b'0'..=b'9', rest @ ..] = &text[16..] else { return None };
    let (hour, minute, second) = (two(g, h), two(i, j), two(tens - b'0', ones - b'0'));
    if hour > 23 || minute > 59 {
        return None;
    }
    let days = date::days(two(a, b) * 100 + two(c, d), two(m, n), two(e, f))?;
    let (nanos, zone) = fraction(rest)?;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset(zone)?;
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos)
}

/// The nanoseconds of a fraction of up to nine digits, if there is one, and what comes behind.
#[inline]
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    const SCALE: [i64; 10] = [0, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
    let [b'.', rest @ ..] = text else { return Some((0, text)) };
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let scale = SCALE.get(count).filter(|_| count > 0)?;
    let nanos = rest[..count].iter().fold(0, |nanos, byte| nanos * 10 + i64::from(byte - b'0'));
    Some((nanos * scale, &rest[count..]))
}

/// The seconds by which a zone is ahead.
#[inline]
fn offset(zone: &[u8]) -> Option<i64> {
    match zone {
        b"" | b"Z" => Some(0),
        [sign @ (b'+' | b'-'), a @ b'0'..=b'2', b @ b'0'..=b'9', b':', c @ b'0'..=b'5', d @ b'0'..=b'9'] => {
            let (hours, minutes) = (two(a - b'0', b - b'0'), two(c - b'0', d - b'0'));
            let seconds = hours * 3600 + minutes * 60;
            (hours < 24).then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

/// A plain number of units, such as 1763433609 or 1763433609.25, in nanoseconds; none if it has
/// more digits than are sure to fit, or a fraction that is no whole number of nanoseconds.
#[inline]
pub(crate) fn number(text: &[u8], unit: i64) -> Option<i64> {
    let whole = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = |digits: &[u8]| digits.iter().fold(0, |value, byte| value * 10 + i64::from(byte - b'0'));
    match (whole, &text[whole..]) {
        (1..=18, []) => value(text).checked_mul(unit),
        (1..=18, [b'.', rest @ ..]) if (1..=9).contains(&rest.len()) && rest.iter().all(u8::is_ascii_digit) => {
            let scale = 10_i64.pow(rest.len() as u32);
            let parts = (unit % scale == 0).then(|| value(rest) * (unit / scale))?;
            value(&text[..whole]).checked_mul(unit)?.checked_add(parts)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TimeUnit;
    use proptest::prelude::*;

    /// What the general reader says.
    fn general(text: &[u8]) -> Option<i64> {
        match date::parse_general(text) {
            Ok((_, date::Moment::Exact(time))) => Some(time),
            _ => None,
        }
    }

    #[test]
    fn all_its_layouts_are_read() {
        for text in [
            "2026-11-18T02:40:09Z",
            "2026-11-18 02:40:09",
            "2026-11-18T02:40:09",
            "2026-11-18T02:40:09.1Z",
            "2026-11-18T02:40:09.123456789+01:00",
            "2026-11-18 02:40:09.000001-23:59",
            "2000-02-29T23:59:59Z",
            "1970-01-01T00:00:00Z",
            "1700-01-01T00:00:00Z",
        ] {
            assert_eq!(moment(text.as_bytes()), general(text.as_bytes()), "{text}");
            assert!(moment(text.as_bytes()).is_some(), "{text}");
        }
        assert_eq!(moment(b"1970-01-02T00:00:01.5Z"), Some(86_401_500_000_000));
        assert_eq!(number(b"1763433609", 1_000_000_000), Some(1_763_433_609_000_000_000));
        assert_eq!(number(b"1763433609.25", 1_000_000_000), Some(1_763_433_609_250_000_000));
        assert_eq!(number(b"7.5", 1), None);
    }

    #[test]
    fn other_layouts_are_left_to_others() {
        for text in [
            "",
            "2026-11-18",
            "2026-11-18T02:40",
            "2026-11-18T24:00:00Z",
            "2026-11-18T02:60:09Z",
            "2026-11-18T02:40:60Z",
            "2026-02-29T02:40:09Z",
            "2026-13-01T02:40:09Z",
            "2026-00-01T02:40:09Z",
            "2026-11-18T02:40:09.Z",
            "2026-11-18T02:40:09.1234567890Z",
            "2026/11/18T02:40:09Z",
            "2026-11-18T02:40:09+1:00",
            "9999-11-18T02:40:09Z",
        ] {
            assert_eq!(moment(text.as_bytes()), None, "{text}");
        }
    }

    /// A text of the layout, of which some bytes may be others.
    fn nearly() -> impl Strategy<Value = Vec<u8>> {
        let good = "[12][0-9]{3}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,10})?(Z|[+-][0-2][0-9]:[0-5][0-9])?";
        let changed = prop::collection::vec((0_usize..40, any::<u8>()), 0..3);
        (good, changed).prop_map(|(good, changed)| {
            let mut bytes = good.into_bytes();
            for (place, byte) in changed {
                if let Some(old) = bytes.get_mut(place) {
                    *old = byte;
                }
            }
            bytes
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn moments_are_those_of_the_general_reader(text in nearly()) {
            if let Some(time) = moment(&text) {
                prop_assert_eq!(general(&text), Some(time), "{:?}", String::from_utf8_lossy(&text));
            }
        }

        #[test]
        fn numbers_are_those_of_the_general_reader(text in "[0-9]{1,20}(\\.[0-9]{0,12})?|[-+0-9.e ]{1,6}") {
            for unit in [TimeUnit::Ns, TimeUnit::Us, TimeUnit::Ms, TimeUnit::S, TimeUnit::Min, TimeUnit::H, TimeUnit::D] {
                if let Some(time) = number(text.as_bytes(), unit.nanoseconds()) {
                    prop_assert_eq!(crate::time::parse_general(text.as_bytes(), unit).ok(), Some(time), "{}", text);
                }
            }
        }
    }
}
