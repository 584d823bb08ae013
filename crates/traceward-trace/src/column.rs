//! Columns, built value by value.

use crate::cell::Cell;
use crate::error::{TraceError, TraceErrorKind, lossy};
use crate::keys::{Dictionary, Keys};
use crate::lines::Lines;
use crate::number::{self, Common, NotNumber, Number, Shape};
use crate::options::{MissingPolicy, ReadOptions, Records, Wanted};
use std::sync::Arc;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::trace::{Ask, Column, ColumnData, TextData};

/// How many members of an object an error names.
const MEMBERS_NAMED: usize = 3;

/// A column in the making.
#[derive(Debug)]
pub(crate) struct ColumnBuilder<'o> {
    name: Arc<str>,
    values: Values,
    present: Option<Bitmap>,
    len: usize,
    mentioned: bool,
    disregarded: bool,
    missing_is_error: bool,
    options: &'o ReadOptions,
}

#[derive(Debug)]
enum Values {
    Bool(Bitmap),
    Int(Vec<i64>),
    Float(Vec<f64>),
    Text(Texts),
    /// Texts whose type is decided when all of them are known.
    Anything(Texts),
}

#[derive(Debug, Default)]
struct Texts {
    codes: Vec<u32>,
    dictionary: Dictionary,
    /// Whether a value said that it is a string, as JSON's quotes do.
    marked: bool,
    /// The code of CSV's `""`, which is nothing unless the column turns out to hold strings.
    quoted_empty: Option<u32>,
}

/// What became of a cell.
enum Taken {
    Value,
    Missing(Silence),
}

/// How a record left out a value: in a record of changes only silence means "as before".
#[derive(Clone, Copy, PartialEq, Eq)]
enum Silence {
    Silent,
    Explicit,
}

impl<'o> ColumnBuilder<'o> {
    pub(crate) fn new(wanted: &Wanted, options: &'o ReadOptions) -> Self {
        let values = match wanted.ask {
            Ask::Bool => Values::Bool(Bitmap::new()),
            Ask::Number => Values::Int(Vec::new()),
            Ask::Text => Values::Text(Texts::default()),
            Ask::Anything => Values::Anything(Texts::default()),
        };
        Self {
            name: wanted.name.clone(),
            values,
            present: None,
            len: 0,
            mentioned: false,
            disregarded: false,
            missing_is_error: options.missing == MissingPolicy::Error && !wanted.may_be_missing,
            options,
        }
    }

    /// The input has this variable, even if no state gives it a value.
    pub(crate) fn mention(&mut self) {
        self.mentioned = true;
    }

    /// The input cannot have this variable: nothing about it is missing, it is unknown.
    pub(crate) fn disregard(&mut self) {
        self.disregarded = true;
    }

    /// Takes the value of the next state; `previous` is the state whose value may be carried on.
    #[inline]
    pub(crate) fn push(&mut self, cell: Cell<'_>, previous: Option<u32>, line: u64) -> Result<(), TraceError> {
        match self.take(cell) {
            Ok(Taken::Value) => {
                if let Some(present) = &mut self.present {
                    present.push(true);
                }
                self.len += 1;
                Ok(())
            }
            Ok(Taken::Missing(_)) if self.disregarded => Ok(()),
            Ok(Taken::Missing(silence)) => self.push_missing(silence, previous, line),
            Err(kind) => Err(TraceError::new(kind).on_line(line).in_column(&self.name)),
        }
    }

    /// The finished column; none if the input does not have the variable.
    pub(crate) fn finish(self, keys: Option<&Keys>, lines: &Lines) -> Result<Option<Column>, TraceError> {
        if !self.mentioned {
            return Ok(None);
        }
        let column = match self.values {
            Values::Bool(bits) => Column { data: ColumnData::Bool(bits), present: self.present },
            Values::Int(ints) => Column { data: ColumnData::Int(ints), present: self.present },
            Values::Float(floats) => Column { data: ColumnData::Float(floats), present: self.present },
            Values::Text(texts) => Column { data: ColumnData::Text(texts.into_data()), present: self.present },
            Values::Anything(_) => return self.decide(keys, lines).map(Some),
        };
        Ok(Some(column))
    }

    #[inline]
    fn take(&mut self, cell: Cell<'_>) -> Result<Taken, TraceErrorKind> {
        match cell {
            Cell::Plain(text) => {
                self.mentioned = true;
                if self.stands_for_missing(text) {
                    return Ok(Taken::Missing(Silence::Explicit));
                }
                self.values.push_plain(text)
            }
            Cell::Absent => Ok(Taken::Missing(Silence::Silent)),
            other => self.take_marked(other),
        }
    }

    /// What only quotes, or JSON, can say.
    fn take_marked(&mut self, cell: Cell<'_>) -> Result<Taken, TraceErrorKind> {
        self.mentioned = true;
        match cell {
            Cell::Absent | Cell::Null => Ok(Taken::Missing(Silence::Explicit)),
            Cell::QuotedEmpty if self.stands_for_missing(b"") => Ok(Taken::Missing(Silence::Explicit)),
            Cell::QuotedEmpty => Ok(self.values.push_quoted_empty()),
            Cell::Container(source) => Err(container(&self.name, source)),
            Cell::Plain(_) | Cell::Text(_) | Cell::Escaped(_) => {
                let text = cell.text().unwrap_or_default();
                if self.stands_for_missing(&text) {
                    return Ok(Taken::Missing(Silence::Explicit));
                }
                self.values.push_text(&text)
            }
        }
    }

    #[inline]
    fn stands_for_missing(&self, text: &[u8]) -> bool {
        !self.options.null.is_empty() && self.options.null.iter().any(|null| null.as_bytes() == text)
    }

    fn push_missing(&mut self, silence: Silence, previous: Option<u32>, line: u64) -> Result<(), TraceError> {
        let carried = self.carries(silence).then_some(previous).flatten().map(|previous| previous as usize);
        match carried.filter(|&previous| self.present.as_ref().is_none_or(|present| present.get(previous))) {
            Some(previous) => {
                self.values.push_copy(previous);
                self.push_presence(true);
            }
            None if self.missing_is_error => {
                return Err(TraceError::new(TraceErrorKind::Missing).on_line(line).in_column(&self.name));
            }
            None => {
                self.values.push_filler();
                self.push_presence(false);
            }
        }
        Ok(())
    }

    fn carries(&self, silence: Silence) -> bool {
        self.options.missing == MissingPolicy::Hold
            || (self.options.records == Records::Changes && silence == Silence::Silent)
    }

    fn push_presence(&mut self, present: bool) {
        if !present && self.present.is_none() {
            self.present = Some(Bitmap::filled(self.len, true));
        }
        if let Some(bits) = &mut self.present {
            bits.push(present);
        }
        self.len += 1;
    }

    /// Gives texts the type they all share.
    fn decide(mut self, keys: Option<&Keys>, lines: &Lines) -> Result<Column, TraceError> {
        let Values::Anything(texts) = std::mem::replace(&mut self.values, Values::Bool(Bitmap::new())) else {
            return Ok(Column::all_missing(self.len));
        };
        let common = texts.common();
        if common == Common::Text {
            return Ok(Column { data: ColumnData::Text(texts.into_data()), present: self.present });
        }
        let mut texts = texts;
        if let Some(empty) = texts.quoted_empty {
            self.drop_quoted_empty(&mut texts.codes, empty, keys, lines)?;
        }
        Ok(Column { data: texts.typed(common), present: self.present })
    }

    /// In a column that turned out not to hold strings `""` is a missing value after all: what would have been done
    /// about it at once is done now.
    fn drop_quoted_empty(
        &mut self,
        codes: &mut [u32],
        empty: u32,
        keys: Option<&Keys>,
        lines: &Lines,
    ) -> Result<(), TraceError> {
        let mut present = self.present.take().unwrap_or_else(|| Bitmap::filled(self.len, true));
        let carries = self.carries(Silence::Silent);
        let mut previous_of = previous_positions(self.len, keys);
        for position in 0..self.len {
            let previous = previous_of(position);
            if !present.get(position) || codes[position] != empty {
                continue;
            }
            match previous.filter(|&previous| carries && present.get(previous)) {
                Some(previous) => codes[position] = codes[previous],
                None if self.missing_is_error => {
                    let error = TraceError::new(TraceErrorKind::Missing).in_column(&self.name);
                    return Err(error.on_line(lines.line(position)));
                }
                None => present.set(position, false),
            }
        }
        self.present = Some(present);
        Ok(())
    }
}

impl Values {
    /// A value that may be of any type.
    #[inline]
    fn push_plain(&mut self, text: &[u8]) -> Result<Taken, TraceErrorKind> {
        match self {
            Self::Bool(bits) => match number::parse_bool(text) {
                Some(bit) => {
                    bits.push(bit);
                    Ok(Taken::Value)
                }
                None => Err(TraceErrorKind::NotBool(lossy(text))),
            },
            Self::Int(_) | Self::Float(_) => self.push_number(text),
            Self::Text(texts) => texts.push(text),
            Self::Anything(texts) => {
                // A NaN is missing from the start: it says nothing about the column's type.
                if number::is_nan(text) {
                    return Ok(Taken::Missing(Silence::Explicit));
                }
                texts.push(text)
            }
        }
    }

    /// A value that says it is a string; in columns of other types it is read like any other text.
    fn push_text(&mut self, text: &[u8]) -> Result<Taken, TraceErrorKind> {
        match self {
            Self::Bool(_) | Self::Int(_) | Self::Float(_) if text.is_empty() => Ok(Taken::Missing(Silence::Explicit)),
            Self::Bool(_) | Self::Int(_) | Self::Float(_) => self.push_plain(text.trim_ascii()),
            Self::Text(texts) | Self::Anything(texts) => {
                texts.marked = true;
                texts.push(text)
            }
        }
    }

    fn push_quoted_empty(&mut self) -> Taken {
        match self {
            Self::Bool(_) | Self::Int(_) | Self::Float(_) => Taken::Missing(Silence::Silent),
            Self::Text(texts) | Self::Anything(texts) => {
                let code = texts.dictionary.intern("");
                texts.quoted_empty = Some(code);
                texts.codes.push(code);
                Taken::Value
            }
        }
    }

    #[inline]
    fn push_number(&mut self, text: &[u8]) -> Result<Taken, TraceErrorKind> {
        match number::parse(text) {
            Ok(Number::Int(int)) => self.push_int(int)?,
            Ok(Number::Float(float)) => self.push_float(float)?,
            Ok(Number::Nan) => return Ok(Taken::Missing(Silence::Explicit)),
            Err(NotNumber::Text) => return Err(TraceErrorKind::NotNumber(lossy(text))),
            Err(NotNumber::TooBig) => return Err(TraceErrorKind::NumberTooBig(lossy(text))),
        }
        Ok(Taken::Value)
    }

    #[inline]
    fn push_int(&mut self, int: i64) -> Result<(), TraceErrorKind> {
        match self {
            Self::Int(ints) => ints.push(int),
            Self::Float(floats) => floats.push(exact_float(int)?),
            Self::Bool(_) | Self::Text(_) | Self::Anything(_) => {}
        }
        Ok(())
    }

    #[inline]
    fn push_float(&mut self, float: f64) -> Result<(), TraceErrorKind> {
        if let Self::Int(ints) = self {
            // Positions without a value hold 0, which every float can take.
            *self = Self::Float(ints.iter().copied().map(exact_float).collect::<Result<_, _>>()?);
        }
        if let Self::Float(floats) = self {
            floats.push(float);
        }
        Ok(())
    }

    fn push_copy(&mut self, position: usize) {
        match self {
            Self::Bool(bits) => bits.push(bits.get(position)),
            Self::Int(ints) => ints.push(ints[position]),
            Self::Float(floats) => floats.push(floats[position]),
            Self::Text(texts) | Self::Anything(texts) => texts.codes.push(texts.codes[position]),
        }
    }

    fn push_filler(&mut self) {
        match self {
            Self::Bool(bits) => bits.push(false),
            Self::Int(ints) => ints.push(0),
            Self::Float(floats) => floats.push(0.0),
            Self::Text(texts) | Self::Anything(texts) => texts.codes.push(0),
        }
    }
}

impl Texts {
    #[inline]
    fn push(&mut self, text: &[u8]) -> Result<Taken, TraceErrorKind> {
        let text = std::str::from_utf8(text).map_err(|_| TraceErrorKind::InvalidUtf8)?;
        let code = self.dictionary.intern(text);
        self.codes.push(code);
        Ok(Taken::Value)
    }

    /// The type of the values; CSV's `""` does not count.
    fn common(&self) -> Common {
        let mut shape = Shape::default();
        for (code, text) in self.dictionary.texts().iter().enumerate() {
            if self.quoted_empty != Some(code as u32) {
                shape.observe(text.as_bytes());
            }
        }
        let only_quoted_empty = self.quoted_empty.is_some() && self.dictionary.texts().len() == 1;
        if self.marked || only_quoted_empty { Common::Text } else { shape.common() }
    }

    fn into_data(self) -> TextData {
        TextData { codes: self.codes, dictionary: self.dictionary.into_texts().into() }
    }

    /// The values in a type that each of them has; where one is missing, what stands there is arbitrary.
    fn typed(&self, common: Common) -> ColumnData {
        match common {
            Common::Int => ColumnData::Int(self.decode(|text| match number::parse(text) {
                Ok(Number::Int(int)) => int,
                _ => 0,
            })),
            Common::Float => ColumnData::Float(self.decode(|text| match number::parse(text) {
                Ok(Number::Int(int)) => int as f64,
                Ok(Number::Float(float)) => float,
                _ => 0.0,
            })),
            Common::Nothing | Common::Bool | Common::Text => {
                let bits = self.decode(|text| number::parse_bool_word(text).unwrap_or(false));
                ColumnData::Bool(bits.into_iter().collect())
            }
        }
    }

    /// Each text is read once, however often it occurs.
    fn decode<T: Copy + Default>(&self, read: impl Fn(&[u8]) -> T) -> Vec<T> {
        let values: Vec<T> = self.dictionary.texts().iter().map(|text| read(text.as_bytes())).collect();
        self.codes.iter().map(|&code| values.get(code as usize).copied().unwrap_or_default()).collect()
    }
}

fn exact_float(int: i64) -> Result<f64, TraceErrorKind> {
    if number::fits_float(int) { Ok(int as f64) } else { Err(TraceErrorKind::InexactInteger(int)) }
}

/// For positions in ascending order, the position before each within its key.
fn previous_positions(len: usize, keys: Option<&Keys>) -> impl FnMut(usize) -> Option<usize> {
    let previous = keys.map(|keys| {
        let mut previous = vec![None; len];
        for pair in keys.groups.iter().flat_map(|group| group.positions.windows(2)) {
            previous[pair[1] as usize] = Some(pair[0] as usize);
        }
        previous
    });
    move |position| match &previous {
        Some(previous) => previous[position],
        None => position.checked_sub(1),
    }
}

/// A JSON object or array where a value is wanted.
pub(crate) fn container(name: &str, source: &[u8]) -> TraceErrorKind {
    let found = if source.first() == Some(&b'[') { "an array" } else { "an object" };
    let value = serde_json::from_slice(source).unwrap_or_default();
    let mut members = Vec::new();
    crate::json::flatten(&value, &mut |path, _| {
        if members.len() < MEMBERS_NAMED {
            members.push(format!("{name}.{path}"));
        }
    });
    TraceErrorKind::Container { found, members }
}

#[cfg(test)]
mod tests {
    use crate::options::{MissingPolicy, ReadOptions, Records};
    use crate::testing::{fail, read_text, show, want};
    use traceward_logic::trace::Ask::{self, Anything, Bool, Number, Text};

    /// One column `x` of these CSV fields.
    fn csv(ask: Ask, fields: &[&str]) -> (String, ReadOptions) {
        let rows: String = fields.iter().map(|field| format!("{field},\n")).collect();
        (format!("x,rest\n{rows}"), want(&[("x", ask)]))
    }

    fn csv_shows(ask: Ask, fields: &[&str]) -> String {
        let (input, options) = csv(ask, fields);
        show(input, &options)
    }

    fn csv_fails(ask: Ask, fields: &[&str]) -> String {
        let (input, options) = csv(ask, fields);
        fail(input, &options)
    }

    /// One member `x` with these JSON values; an empty one is absent.
    fn json(values: &[&str]) -> String {
        let line = |value: &&str| if value.is_empty() { "{}\n".to_owned() } else { format!("{{\"x\":{value}}}\n") };
        values.iter().map(line).collect()
    }

    fn json_shows(ask: Ask, values: &[&str]) -> String {
        show(json(values), &want(&[("x", ask)]))
    }

    #[test]
    fn booleans_have_many_spellings() {
        let words = ["true", "True", "TRUE", "T", "t", "1", "false", "False", "FALSE", "F", "f", "0"];
        let expected = format!("bool{}{}", " true".repeat(6), " false".repeat(6));
        assert_eq!(csv_shows(Bool, &words), expected);
        assert_eq!(json_shows(Bool, &words.map(|word| format!("\"{word}\"")).each_ref().map(String::as_str)), expected);
        assert_eq!(json_shows(Bool, &["true", "1", "false", "0"]), "bool true true false false");
        assert_eq!(csv_fails(Bool, &["1", "yes"]), "3:x: `x` is used as a boolean, but here it is `yes`");
        assert_eq!(
            fail(json(&["true", "2"]), &want(&[("x", Bool)])),
            "2:x: `x` is used as a boolean, but here it is `2`"
        );
    }

    #[test]
    fn numbers_are_integers_until_a_fraction_comes() {
        assert_eq!(csv_shows(Number, &["1", "-2", "+3"]), "int 1 -2 3");
        assert_eq!(csv_shows(Number, &["1", "", "2.5", "1e3"]), "float 1.0 - 2.5 1000.0");
        assert_eq!(csv_shows(Number, &["nan", "5", "NaN"]), "int - 5 -");
        assert_eq!(csv_shows(Number, &["inf", "-Infinity"]), "float inf -inf");
        assert_eq!(json_shows(Number, &["1", "\"2\"", "\" 3 \"", "\"\"", "null", ""]), "int 1 2 3 - - -");
        assert_eq!(json_shows(Number, &["1.50", "2E1"]), "float 1.5 20.0");
    }

    #[test]
    fn numbers_that_would_be_wrong_are_refused() {
        assert_eq!(
            csv_fails(Number, &["9223372036854775808"]),
            "2:x: `x` is 9223372036854775808, which does not fit 64 bits"
        );
        assert_eq!(csv_fails(Number, &["1", "n/a"]), "3:x: `x` is used as a number, but here it is `n/a`");
        let rounded = "`x` has fractions, and its integer 9007199254740993 beyond 2^53 would lose digits among them";
        assert_eq!(csv_fails(Number, &["9007199254740993", "0.5"]), format!("3:x: {rounded}"));
        assert_eq!(csv_fails(Number, &["0.5", "9007199254740993"]), format!("3:x: {rounded}"));
        assert_eq!(csv_shows(Number, &["9007199254740993", "2"]), "int 9007199254740993 2");
        assert_eq!(
            fail(json(&["99999999999999999999"]), &want(&[("x", Number)])),
            "1:x: `x` is 99999999999999999999, which does not fit 64 bits"
        );
    }

    #[test]
    fn texts_know_whether_they_are_numbers() {
        assert_eq!(csv_shows(Text, &["1", "2.5", "", "1"]), "text \"1\" \"2.5\" - \"1\"");
        assert_eq!(csv_shows(Text, &["1", "x"]), "text \"1\" \"x\"");
        assert_eq!(csv_shows(Text, &["007"]), "text \"007\"");
        assert_eq!(csv_shows(Text, &["", ""]), "text - -");
        assert_eq!(json_shows(Text, &["1", "2.50"]), "text \"1\" \"2.50\"");
        assert_eq!(json_shows(Text, &["1", "\"2\""]), "text \"1\" \"2\"");
        assert_eq!(json_shows(Text, &["true", "1e3", r#""a\n\u00e9""#]), "text \"true\" \"1e3\" \"a\\né\"");
    }

    #[test]
    fn the_type_is_inferred_where_nothing_is_asked() {
        assert_eq!(csv_shows(Anything, &["true", "F", ""]), "bool true false -");
        assert_eq!(csv_shows(Anything, &["0", "1", "-5"]), "int 0 1 -5");
        assert_eq!(csv_shows(Anything, &["0", "1.5", "nan"]), "float 0.0 1.5 -");
        assert_eq!(csv_shows(Anything, &["007", "8"]), "text \"007\" \"8\"");
        assert_eq!(csv_shows(Anything, &["true", "1"]), "text \"true\" \"1\"");
        assert_eq!(csv_shows(Anything, &["", ""]), "bool - -");
        assert_eq!(json_shows(Anything, &["true", "null", "false"]), "bool true - false");
        assert_eq!(json_shows(Anything, &["1", "2.5"]), "float 1.0 2.5");
        assert_eq!(json_shows(Anything, &["\"1\"", "2"]), "text \"1\" \"2\"");
        assert_eq!(json_shows(Anything, &["\"true\""]), "text \"true\"");
    }

    #[test]
    fn a_quoted_empty_field_is_a_string_only_among_strings() {
        assert_eq!(csv_shows(Text, &["\"\"", "", "a"]), "text \"\" - \"a\"");
        assert_eq!(csv_shows(Number, &["\"\"", "5"]), "int - 5");
        assert_eq!(csv_shows(Bool, &["\"\"", "1"]), "bool - true");
        assert_eq!(csv_shows(Anything, &["\"\"", "a"]), "text \"\" \"a\"");
        assert_eq!(csv_shows(Anything, &["\"\"", "5", "\"\""]), "int - 5 -");
        let (input, options) = csv(Anything, &["\"\"", "5", "\"\""]);
        let held = ReadOptions { missing: MissingPolicy::Hold, ..options.clone() };
        assert_eq!(show(&input, &held), "int - 5 5");
        let strict = ReadOptions { missing: MissingPolicy::Error, ..options };
        assert_eq!(fail(&input, &strict), "2:x: `x` has no value");
        assert_eq!(json_shows(Text, &["\"\"", "null"]), "text \"\" -");
    }

    #[test]
    fn texts_may_stand_for_missing_values() {
        let null = |options: ReadOptions| ReadOptions { null: vec!["NA".to_owned(), "-".to_owned()], ..options };
        for ask in [Number, Anything] {
            let (input, options) = csv(ask, &["1", "NA", "\"-\"", "2"]);
            assert_eq!(show(input, &null(options)), "int 1 - - 2");
        }
        assert_eq!(show(json(&["1", "\"NA\"", "2"]), &null(want(&[("x", Number)]))), "int 1 - 2");
        assert_eq!(show(json(&["\"a\"", "\"NA\""]), &null(want(&[("x", Text)]))), "text \"a\" -");
    }

    #[test]
    fn a_missing_value_may_be_an_error() {
        let strict = |options: ReadOptions| ReadOptions { missing: MissingPolicy::Error, ..options };
        let (input, options) = csv(Number, &["1", ""]);
        assert_eq!(fail(input, &strict(options)), "3:x: `x` has no value");
        for missing in ["", "null", "\"\"", "\"nan\""] {
            assert_eq!(fail(json(&["1", missing]), &strict(want(&[("x", Number)]))), "2:x: `x` has no value");
        }
        // Unknown is not missing: the caller knows better what to say.
        assert_eq!(show("a,b\n1,2\n", &strict(want(&[("x", Number)]))), "unknown");
    }

    #[test]
    fn a_missing_value_may_be_held() {
        let held = |options: ReadOptions| ReadOptions { missing: MissingPolicy::Hold, ..options };
        let (input, options) = csv(Number, &["", "1", "nan", "", "2"]);
        assert_eq!(show(input, &held(options)), "int - 1 1 1 2");
        assert_eq!(
            show(json(&["true", "null", "", "false"]), &held(want(&[("x", Bool)]))),
            "bool true true true false"
        );
        let keyed = ReadOptions { key: Some("k".to_owned()), ..held(want(&[("x", Text)])) };
        assert_eq!(show("k,x\na,1\nb,\na,\nb,2\nb,\n", &keyed), "text \"1\" - \"1\" \"2\" \"2\"");
    }

    #[test]
    fn changes_carry_on_what_they_do_not_mention() {
        let changes = |options: ReadOptions| ReadOptions { records: Records::Changes, ..options };
        let values = ["", "1", "", "null", "", "2"];
        assert_eq!(show(json(&values), &changes(want(&[("x", Number)]))), "int - 1 1 - - 2");
        let (input, options) = csv(Text, &["a", "", "\"\"", ""]);
        assert_eq!(show(input, &changes(options)), "text \"a\" \"a\" \"\" \"\"");
        let keyed = ReadOptions { key: Some("k".to_owned()), ..changes(want(&[("x", Bool)])) };
        assert_eq!(
            show("{\"k\":1,\"x\":true}\n{\"k\":2}\n{\"k\":1}\n{\"k\":2,\"x\":false}\n{\"k\":2}\n", &keyed),
            "bool true - true false false"
        );
    }

    #[test]
    fn a_container_is_no_value() {
        let input = r#"{"event":{"name":"x","state":{"term":1,"vote":2,"log":3}}}"#;
        let error = read_text(input, &want(&[("event.state", Number)])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`event.state` is an object, not a single value; \
             name one of its members: `event.state.term`, `event.state.vote` or `event.state.log`"
        );
        assert_eq!((error.line(), error.column()), (Some(1), Some("event.state")));
        let key = ReadOptions { key: Some("event".to_owned()), ..ReadOptions::default() };
        assert_eq!(fail(input, &key), "1:event: `event` is an object, not a single value");
    }

    #[test]
    fn a_variable_nobody_has_is_unknown() {
        assert_eq!(json_shows(Number, &["", ""]), "unknown");
        assert_eq!(json_shows(Number, &["null", ""]), "int - -");
        assert_eq!(csv_shows(Number, &["", ""]), "int - -");
    }
}
