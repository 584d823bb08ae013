//! Texts that read as numbers or booleans.

use crate::plain_rows::Bounds;
use crate::swar;

/// A number as written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ParsedNumber {
    Int(i64),
    Float(f64),
    /// `nan`, which is a missing value.
    Nan,
}

/// The reason why a text is no number we can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotNumber {
    Text,
    TooBig,
}

/// The number of digits that fit an i64 whatever they are.
const SAFE_DIGITS: usize = 18;

/// Reads a number: `12`, `-5`, `+5`, `.5`, `1e3`, `inf`, `nan`.
#[inline]
pub(crate) fn parse(text: &[u8]) -> Result<ParsedNumber, NotNumber> {
    match parse_short_int(text) {
        Some(int) => Ok(ParsedNumber::Int(int)),
        None => parse_any(text),
    }
}

/// The integer that a field is, if it is one of few digits.
#[inline(always)]
pub(crate) fn plain_int(bytes: &[u8], Bounds { start, stop }: Bounds) -> Option<i64> {
    let is_negative = bytes.get(start) == Some(&b'-');
    let int = swar::digits(bytes, start + usize::from(is_negative), stop)?.cast_signed();
    Some(if is_negative { -int } else { int })
}

/// The boolean that a digit is.
#[inline(always)]
pub(crate) fn digit_bool(digit: u8) -> Option<bool> {
    (digit & !1 == b'0').then_some(digit == b'1')
}

/// The boolean that a field is, if it is written plainly.
#[inline(always)]
pub(crate) fn plain_bool(bytes: &[u8], Bounds { start, stop }: Bounds) -> Option<bool> {
    let digit = bytes.get(start).copied().unwrap_or_default();
    if stop == start + 1
        && let Some(bit) = digit_bool(digit)
    {
        return Some(bit);
    }
    let text = &bytes[start..stop];
    let guess = text.len() == 4;
    is_bool(text, guess).then_some(guess)
}

/// Reads a boolean: `true`, `T`, `1` and their kin.
#[inline]
pub(crate) fn parse_bool(text: &[u8]) -> Option<bool> {
    if let &[digit @ (b'0' | b'1')] = text {
        return Some(digit & 1 == 1);
    }
    let guess = text.len() == 4;
    if is_bool(text, guess) { Some(guess) } else { parse_bool_word(text) }
}

/// Whether a text is `true`, or whether it is `false`. Which of them a value is, is what no branch
/// predictor can know: they are told without branching.
#[inline]
pub(crate) fn is_bool(text: &[u8], bit: bool) -> bool {
    const HEADS: [u32; 2] = [u32::from_le_bytes(*b"fals"), u32::from_le_bytes(*b"true")];
    let (Some(head), Some(last)) = (text.first_chunk(), text.last()) else { return false };
    let right = (u32::from_le_bytes(*head) == HEADS[usize::from(bit)]) & (*last == b'e');
    right & (text.len() == 5 - usize::from(bit))
}

/// Reads a boolean that is no number.
pub(crate) fn parse_bool_word(text: &[u8]) -> Option<bool> {
    match text {
        b"true" | b"True" | b"TRUE" | b"T" | b"t" => Some(true),
        b"false" | b"False" | b"FALSE" | b"F" | b"f" => Some(false),
        _ => None,
    }
}

/// Whether a text is a NaN as numbers are written.
pub(crate) fn is_nan(text: &[u8]) -> bool {
    matches!(text, b"nan" | b"NaN" | b"NAN" | b"-nan" | b"-NaN")
}

/// Whether a float can take this integer without rounding it.
pub(crate) fn fits_float(int: i64) -> bool {
    // The cast back saturates, so 2^63 - 1 has to be told apart by hand.
    int as f64 as i64 == int && int != i64::MAX
}

/// The shape of a column: what its values have in common, found value by value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ColumnShape {
    bools: bool,
    bool_words: bool,
    ints: bool,
    floats: bool,
    texts: bool,
    inexact: bool,
}

/// The type a column's values have together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Common {
    Nothing,
    Bool,
    Int,
    Float,
    Text,
}

impl ColumnShape {
    /// Takes one more value into account. A number with leading zeros is a text: `007` is a name,
    /// not seven.
    pub(crate) fn observe(&mut self, text: &[u8]) {
        if parse_bool_word(text).is_some() {
            self.bools = true;
            self.bool_words |= text.len() > 1;
        } else if has_leading_zeros(text) {
            self.texts = true;
        } else {
            match parse(text) {
                Ok(ParsedNumber::Int(int)) => {
                    self.ints = true;
                    self.inexact |= !fits_float(int);
                }
                Ok(ParsedNumber::Float(_)) => self.floats = true,
                Ok(ParsedNumber::Nan) => {}
                Err(_) => self.texts = true,
            }
        }
    }

    /// Takes a value into account that says it is a float, even if it is whole.
    pub(crate) fn observe_float(&mut self) {
        self.floats = true;
    }

    /// Takes a value into account that says it is a text.
    pub(crate) fn observe_text(&mut self) {
        self.texts = true;
    }

    /// The type that all values share. Integers that a float would round make a mixture with floats
    /// a text.
    pub(crate) fn common(self) -> Common {
        match (self.bools, self.ints, self.floats, self.texts) {
            (false, false, false, false) => Common::Nothing,
            // A column of letters alone is one of booleans only where that is asked: grades are
            // letters too.
            (true, false, false, false) if self.bool_words => Common::Bool,
            (false, true, false, false) => Common::Int,
            (false, _, true, false) if !self.inexact => Common::Float,
            _ => Common::Text,
        }
    }
}

pub(crate) fn has_leading_zeros(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    matches!(digits, [b'0', b'0'..=b'9', ..])
}

fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

#[inline]
fn parse_short_int(text: &[u8]) -> Option<i64> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() || digits.len() > SAFE_DIGITS {
        return None;
    }
    let mut int = 0_i64;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        int = int * 10 + i64::from(digit);
    }
    Some(if negative { -int } else { int })
}

fn parse_any(text: &[u8]) -> Result<ParsedNumber, NotNumber> {
    let text = std::str::from_utf8(text).map_err(|_| NotNumber::Text)?;
    let (_, digits) = split_sign(text.as_bytes());
    if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        return text.parse().map(ParsedNumber::Int).map_err(|_| NotNumber::TooBig);
    }
    let float: f64 = text.parse().map_err(|_| NotNumber::Text)?;
    if float.is_nan() {
        Ok(ParsedNumber::Nan)
    } else if float.is_infinite() && digits.iter().any(u8::is_ascii_digit) {
        Err(NotNumber::TooBig)
    } else {
        Ok(ParsedNumber::Float(float))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        for (text, number) in [
            ("0", ParsedNumber::Int(0)),
            ("-5", ParsedNumber::Int(-5)),
            ("+5", ParsedNumber::Int(5)),
            ("9223372036854775807", ParsedNumber::Int(i64::MAX)),
            ("-9223372036854775808", ParsedNumber::Int(i64::MIN)),
            ("1e3", ParsedNumber::Float(1000.0)),
            (".5", ParsedNumber::Float(0.5)),
            ("-1.25", ParsedNumber::Float(-1.25)),
            ("inf", ParsedNumber::Float(f64::INFINITY)),
            ("-Infinity", ParsedNumber::Float(f64::NEG_INFINITY)),
            ("nan", ParsedNumber::Nan),
            ("NaN", ParsedNumber::Nan),
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(number), "{text}");
        }
        for text in ["", "-", "+", "abc", "1_000", "0x10", "1 2", "1e", "--1", "e5"] {
            assert_eq!(parse(text.as_bytes()), Err(NotNumber::Text), "{text}");
        }
        for text in ["9223372036854775808", "-9223372036854775809", "1e999"] {
            assert_eq!(parse(text.as_bytes()), Err(NotNumber::TooBig), "{text}");
        }
    }

    #[test]
    fn floats_take_only_integers_they_do_not_round() {
        assert!(fits_float(1 << 53));
        assert!(fits_float(i64::MIN));
        assert!(!fits_float((1 << 53) + 1));
        assert!(!fits_float(i64::MAX));
    }

    #[test]
    fn a_column_has_the_type_all_its_values_share() {
        let common = |values: &[&str]| {
            let mut shape = ColumnShape::default();
            values.iter().for_each(|value| shape.observe(value.as_bytes()));
            shape.common()
        };
        assert_eq!(common(&["true", "F"]), Common::Bool);
        assert_eq!(common(&["T", "F"]), Common::Text);
        assert_eq!(common(&["0", "1"]), Common::Int);
        assert_eq!(common(&["0", "true"]), Common::Text);
        assert_eq!(common(&["0", "-5", "nan"]), Common::Int);
        assert_eq!(common(&["0", "1.5"]), Common::Float);
        assert_eq!(common(&["007", "8"]), Common::Text);
        assert_eq!(common(&["0.5", "-0"]), Common::Float);
        assert_eq!(common(&["9007199254740993", "0.5"]), Common::Text);
        assert_eq!(common(&["99999999999999999999"]), Common::Text);
        assert_eq!(common(&[]), Common::Nothing);
    }
}
