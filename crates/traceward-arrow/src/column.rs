//! Columns of batches as those of records: Arrow's types in the words of the reader.

use crate::columns::{Place, Step};
use crate::stored::old_moment;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, FixedSizeBinaryArray, OffsetSizeTrait, PrimitiveArray, RecordBatch,
    StringArray, UInt64Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use arrow_select::take::take;
use serde_json::json;
use std::fmt::Write;
use std::sync::Arc;
use traceward_trace::{Bits, Cell, ReadOptions, Rows, Slice, SliceValues};

/// Nanoseconds of a day.
const DAY: i64 = 86_400_000_000_000;

/// What a column is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// A variable, a key, or a column to look at.
    Value,
    /// The timestamp.
    Time,
    /// A part of the timestamp, beside others: they are put together as texts.
    TimePart,
}

/// The columns of batches that rows are to have.
pub(crate) struct Layout {
    /// The places in batches, which have only the columns that are wanted.
    columns: Vec<Option<(Place, Role)>>,
}

impl Layout {
    /// The layout for records of the options whose other cells, if there are any, come first.
    pub(crate) fn new(options: &ReadOptions, places: Vec<Option<Place>>, roots: &[usize]) -> Self {
        let times = options.time.as_ref().map_or(0, |time| 1 + time.rest.len());
        let behind = usize::from(options.key.is_some());
        let time = (places.len() - behind - times)..places.len() - behind;
        let role = |index: usize| match (time.contains(&index), times) {
            (true, 1) => Role::Time,
            (true, _) => Role::TimePart,
            (false, _) => Role::Value,
        };
        let in_batch = |place: Place| {
            let root = roots.iter().position(|&root| root == place.root);
            root.map(|root| Place { root, ..place })
        };
        let column = |(index, place): (usize, Option<Place>)| Some((place.and_then(in_batch)?, role(index)));
        Self { columns: places.into_iter().enumerate().map(column).collect() }
    }

    /// Calls `take` with the rows of a batch.
    pub(crate) fn with_rows<T>(&self, batch: &RecordBatch, take: impl FnOnce(&Rows<'_>) -> T) -> T {
        let column = |wanted: &Option<(Place, Role)>| match wanted {
            Some((place, role)) => Column::of(batch, place, *role),
            None => Column { values: Values::Nothing, nulls: None },
        };
        let columns: Vec<Column> = self.columns.iter().map(column).collect();
        let lent: Vec<Lent<'_>> = columns.iter().map(Column::lend).collect();
        let slices: Vec<Slice<'_>> = columns.iter().zip(&lent).map(|(column, lent)| column.slice(lent)).collect();
        take(&Rows { count: batch.num_rows(), columns: &slices })
    }
}

/// A column of a batch.
struct Column {
    values: Values,
    nulls: Option<NullBuffer>,
}

enum Values {
    Nothing,
    Bools(BooleanBuffer),
    Ints(ScalarBuffer<i64>),
    Floats(ScalarBuffer<f64>),
    Moments(ScalarBuffer<i64>),
    /// Moments of which some do not fit: those are numbers of nanoseconds as they would be written.
    FarMoments {
        times: Vec<Option<i64>>,
        far: Written,
    },
    /// Strings of the array by their numbers.
    Coded {
        codes: Vec<u32>,
        texts: ArrayRef,
    },
    Strings(ArrayRef),
    /// Texts that may not be UTF-8.
    Bytes(ArrayRef),
    Written(Written),
    /// Structs or lists, which are no values: what they have inside, as JSON.
    Container {
        json: Vec<u8>,
        count: usize,
    },
}

/// What a column lends to the cells of its rows.
enum Lent<'a> {
    Nothing,
    Texts { codes: Vec<u32>, texts: Vec<&'a str> },
    Cells(Vec<Cell<'a>>),
}

/// Values as they are written, one behind the other, with their ends.
struct Written {
    text: String,
    ends: Vec<usize>,
    kind: WrittenAs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WrittenAs {
    Number,
    Text,
}

impl Written {
    /// What `write` writes for each row.
    fn new(kind: WrittenAs, count: usize, mut write: impl FnMut(usize, &mut String)) -> Self {
        let mut written = Self { text: String::new(), ends: Vec::with_capacity(count), kind };
        for row in 0..count {
            write(row, &mut written.text);
            written.ends.push(written.text.len());
        }
        written
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let texts = starts.zip(&self.ends).map(|(start, &end)| &self.text[start..end]);
        match self.kind {
            WrittenAs::Number => texts.map(|text| Cell::Literal(text.as_bytes())).collect(),
            WrittenAs::Text => texts.map(Cell::Str).collect(),
        }
    }
}

impl Column {
    /// The column at a place of a batch.
    fn of(batch: &RecordBatch, place: &Place, role: Role) -> Self {
        let (array, nulls) = follow(batch.column(place.root).clone(), &place.steps);
        let is_there = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let values = match (place.steps.last(), array.as_fixed_size_binary_opt()) {
            (Some(Step::OldMoment), Some(moments)) => old_moments(moments, &is_there, role),
            _ => Values::of(&array, &is_there, role),
        };
        Self { values, nulls }
    }

    fn lend(&self) -> Lent<'_> {
        match &self.values {
            Values::Coded { codes, texts } => Lent::Texts { codes: codes.clone(), texts: strings(texts) },
            Values::Strings(array) => Lent::Texts { codes: (0..array.len() as u32).collect(), texts: strings(array) },
            Values::Bytes(array) => Lent::Cells(bytes(array).into_iter().map(Cell::Text).collect()),
            Values::Written(written) => Lent::Cells(written.cells()),
            Values::FarMoments { times, far } => {
                let cell = |(time, far): (&Option<i64>, _)| time.map_or(far, Cell::Time);
                Lent::Cells(times.iter().zip(far.cells()).map(cell).collect())
            }
            Values::Container { json, count } => Lent::Cells(vec![Cell::Container(json); *count]),
            _ => Lent::Nothing,
        }
    }

    fn slice<'a>(&'a self, lent: &'a Lent<'a>) -> Slice<'a> {
        let values = match (&self.values, lent) {
            (_, Lent::Texts { codes, texts }) => SliceValues::Texts { codes, texts },
            (_, Lent::Cells(cells)) => SliceValues::Cells(cells),
            (Values::Bools(bits), _) => bits_of(bits).map_or(SliceValues::Nothing, SliceValues::Bools),
            (Values::Ints(ints), _) => SliceValues::Ints(ints),
            (Values::Floats(floats), _) => SliceValues::Floats(floats),
            (Values::Moments(times), _) => SliceValues::Moments(times),
            _ => SliceValues::Nothing,
        };
        let nulls = self.nulls.as_ref().filter(|nulls| nulls.null_count() > 0);
        Slice { values, present: nulls.and_then(|nulls| bits_of(nulls.inner())) }
    }
}

fn bits_of(bits: &BooleanBuffer) -> Option<Bits<'_>> {
    Bits::new(bits.values(), bits.offset(), bits.len())
}

/// The array at the end of a way, and where it has no values: a null on the way is one at its end.
fn follow(array: ArrayRef, steps: &[Step]) -> (ArrayRef, Option<NullBuffer>) {
    let mut nulls = array.logical_nulls();
    let mut array = array;
    for step in steps {
        array = match step {
            Step::Member(name) => match array.as_struct_opt().and_then(|members| members.column_by_name(name)) {
                Some(member) => member.clone(),
                None => return nothing(array.len()),
            },
            Step::UniqueText => match array.as_fixed_size_binary_opt() {
                Some(numbers) => unique_texts(numbers),
                None => return nothing(array.len()),
            },
            Step::OldMoment => array,
            Step::Element(index) => {
                let Some((values, places)) = elements(&array, *index, nulls.as_ref()) else {
                    return nothing(array.len());
                };
                nulls = None;
                match take(&values, &places, None) {
                    Ok(taken) => taken,
                    Err(_) => return nothing(array.len()),
                }
            }
        };
        nulls = NullBuffer::union(nulls.as_ref(), array.logical_nulls().as_ref());
    }
    (array, nulls)
}

/// Unique numbers as they are written: `12345678-1234-5678-1234-567812345678`.
fn unique_texts(numbers: &FixedSizeBinaryArray) -> ArrayRef {
    let text = |number: &[u8]| {
        let mut text = String::with_capacity(36);
        for (place, byte) in number.iter().enumerate() {
            let hyphen = if matches!(place, 4 | 6 | 8 | 10) { "-" } else { "" };
            // Writing to a text does not fail.
            let _ = write!(text, "{hyphen}{byte:02x}");
        }
        text
    };
    Arc::new(numbers.iter().map(|number| number.map(text)).collect::<StringArray>())
}

fn nothing(len: usize) -> (ArrayRef, Option<NullBuffer>) {
    (arrow_array::new_null_array(&DataType::Null, len), Some(NullBuffer::new_null(len)))
}

/// The values of all lists, and for each list the place of an element, if it has it.
fn elements(array: &ArrayRef, index: usize, nulls: Option<&NullBuffer>) -> Option<(ArrayRef, UInt64Array)> {
    fn places<O: OffsetSizeTrait>(offsets: &[O], index: usize, nulls: Option<&NullBuffer>) -> UInt64Array {
        let place = |(row, ends): (usize, &[O])| {
            let (start, end) = (ends[0].as_usize(), ends[1].as_usize());
            let is_there = nulls.is_none_or(|nulls| nulls.is_valid(row)) && index < end - start;
            is_there.then_some((start + index) as u64)
        };
        offsets.windows(2).enumerate().map(place).collect()
    }
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            Some((list.values().clone(), places(list.value_offsets(), index, nulls)))
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            Some((list.values().clone(), places(list.value_offsets(), index, nulls)))
        }
        DataType::FixedSizeList(_, size) => {
            let (list, size) = (array.as_fixed_size_list(), usize::try_from(*size).ok()?);
            let is_there = |row: &usize| index < size && nulls.is_none_or(|nulls| nulls.is_valid(*row));
            let place = |row: usize| Some(row).filter(is_there).map(|row| (row * size + index) as u64);
            Some((list.values().clone(), (0..list.len()).map(place).collect()))
        }
        _ => None,
    }
}

impl Values {
    /// The values of an array; what stands where there is none does not matter.
    fn of(array: &ArrayRef, is_there: &dyn Fn(usize) -> bool, role: Role) -> Self {
        match array.data_type() {
            DataType::Boolean => Self::Bools(array.as_boolean().values().clone()),
            DataType::Int8 => ints::<Int8Type>(array),
            DataType::Int16 => ints::<Int16Type>(array),
            DataType::Int32 => ints::<Int32Type>(array),
            DataType::Int64 => Self::Ints(array.as_primitive::<Int64Type>().values().clone()),
            DataType::UInt8 => ints::<UInt8Type>(array),
            DataType::UInt16 => ints::<UInt16Type>(array),
            DataType::UInt32 => ints::<UInt32Type>(array),
            DataType::UInt64 => large_ints(array.as_primitive::<UInt64Type>(), is_there),
            DataType::Float16 => floats::<Float16Type>(array),
            DataType::Float32 => floats::<Float32Type>(array),
            DataType::Float64 => Self::Floats(array.as_primitive::<Float64Type>().values().clone()),
            DataType::Decimal32(..) => decimals(array.as_primitive::<Decimal32Type>(), is_there),
            DataType::Decimal64(..) => decimals(array.as_primitive::<Decimal64Type>(), is_there),
            DataType::Decimal128(..) => decimals(array.as_primitive::<Decimal128Type>(), is_there),
            DataType::Decimal256(..) => decimals(array.as_primitive::<Decimal256Type>(), is_there),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Strings(array.clone()),
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
                Self::Bytes(array.clone())
            }
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => moments(array, is_there, role),
            DataType::Time32(_) | DataType::Time64(_) => clocks(array, is_there, role),
            DataType::Duration(_) => durations(array, is_there, role),
            DataType::Dictionary(..) => coded(array, role),
            DataType::Struct(fields) => {
                let members = fields.iter().map(|field| (field.name().clone(), serde_json::Value::Null));
                Self::container(&serde_json::Value::Object(members.collect()), array.len())
            }
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
                Self::container(&json!([null]), array.len())
            }
            // Other types are refused where they are wanted, before there are rows.
            _ => Self::Nothing,
        }
    }

    fn container(members: &serde_json::Value, count: usize) -> Self {
        Self::Container { json: members.to_string().into_bytes(), count }
    }
}

fn ints<T: ArrowPrimitiveType>(array: &ArrayRef) -> Values
where
    T::Native: Into<i64>,
{
    Values::Ints(array.as_primitive::<T>().values().iter().map(|&value| value.into()).collect())
}

fn floats<T: ArrowPrimitiveType>(array: &ArrayRef) -> Values
where
    T::Native: Into<f64>,
{
    Values::Floats(array.as_primitive::<T>().values().iter().map(|&value| value.into()).collect())
}

/// Integers of which some may not fit. Those are written as they are, and refused by whoever reads
/// numbers.
fn large_ints(array: &PrimitiveArray<UInt64Type>, is_there: &dyn Fn(usize) -> bool) -> Values {
    let value = |(row, &value): (usize, &u64)| match i64::try_from(value) {
        Ok(value) => Some(value),
        Err(_) => (!is_there(row)).then_some(0),
    };
    match array.values().iter().enumerate().map(value).collect::<Option<Vec<i64>>>() {
        Some(ints) => Values::Ints(ints.into()),
        None => written(WrittenAs::Number, array.len(), is_there, |row, text| write!(text, "{}", array.value(row))),
    }
}

/// Decimals are read as they are written: without a fraction they are integers, and otherwise
/// floats.
fn decimals<T: DecimalType>(array: &PrimitiveArray<T>, is_there: &dyn Fn(usize) -> bool) -> Values {
    written(WrittenAs::Number, array.len(), is_there, |row, text| text.write_str(&array.value_as_string(row)))
}

fn written(
    kind: WrittenAs,
    count: usize,
    is_there: &dyn Fn(usize) -> bool,
    write: impl Fn(usize, &mut String) -> std::fmt::Result,
) -> Values {
    Values::Written(Written::new(kind, count, |row, text| {
        if is_there(row) {
            // Writing to a text does not fail.
            let _ = write(row, text);
        }
    }))
}

/// The numbers of an array of moments, times of day or durations, and the nanoseconds of each unit.
fn counts(array: &ArrayRef) -> (Vec<i64>, i64) {
    fn of<T: ArrowPrimitiveType>(array: &ArrayRef) -> Vec<i64>
    where
        T::Native: Into<i64>,
    {
        array.as_primitive::<T>().values().iter().map(|&value| value.into()).collect()
    }
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    const UNITS: [i64; 4] = [1_000_000_000, 1_000_000, 1_000, 1];
    match array.data_type() {
        DataType::Date32 => (of::<Date32Type>(array), DAY),
        DataType::Date64 => (of::<Date64Type>(array), UNITS[1]),
        DataType::Timestamp(Second, _) => (of::<TimestampSecondType>(array), UNITS[0]),
        DataType::Timestamp(Millisecond, _) => (of::<TimestampMillisecondType>(array), UNITS[1]),
        DataType::Timestamp(Microsecond, _) => (of::<TimestampMicrosecondType>(array), UNITS[2]),
        DataType::Timestamp(Nanosecond, _) => (of::<TimestampNanosecondType>(array), UNITS[3]),
        DataType::Time32(Second) => (of::<Time32SecondType>(array), UNITS[0]),
        DataType::Time32(_) => (of::<Time32MillisecondType>(array), UNITS[1]),
        DataType::Time64(Microsecond) => (of::<Time64MicrosecondType>(array), UNITS[2]),
        DataType::Time64(_) => (of::<Time64NanosecondType>(array), UNITS[3]),
        DataType::Duration(Second) => (of::<DurationSecondType>(array), UNITS[0]),
        DataType::Duration(Millisecond) => (of::<DurationMillisecondType>(array), UNITS[1]),
        DataType::Duration(Microsecond) => (of::<DurationMicrosecondType>(array), UNITS[2]),
        DataType::Duration(Nanosecond) => (of::<DurationNanosecondType>(array), UNITS[3]),
        _ => (vec![0; array.len()], UNITS[3]),
    }
}

/// So many of a unit in nanoseconds, if all of them fit.
fn nanoseconds(counts: &[i64], unit: i64, is_there: &dyn Fn(usize) -> bool) -> Option<ScalarBuffer<i64>> {
    let time = |(row, &count): (usize, &i64)| match count.checked_mul(unit) {
        None => (!is_there(row)).then_some(0),
        time => time,
    };
    counts.iter().enumerate().map(time).collect::<Option<Vec<i64>>>().map(Into::into)
}

/// Moments. A time without a zone is one in UTC.
fn moments(array: &ArrayRef, is_there: &dyn Fn(usize) -> bool, role: Role) -> Values {
    let (counts, unit) = counts(array);
    match (role, nanoseconds(&counts, unit, is_there)) {
        (Role::Value | Role::Time, Some(times)) => Values::Moments(times),
        _ => {
            let shown = if matches!(array.data_type(), DataType::Date32) { Shown::Date } else { Shown::Moment };
            let times = |row: usize| i128::from(counts[row]) * i128::from(unit);
            written_moments(counts.len(), times, is_there, (role, shown))
        }
    }
}

/// Moments in 96 bits.
fn old_moments(array: &FixedSizeBinaryArray, is_there: &dyn Fn(usize) -> bool, role: Role) -> Values {
    let time = |row: usize| if is_there(row) { old_moment(array, row) } else { 0 };
    let near = || (0..array.len()).map(|row| i64::try_from(time(row)).ok()).collect::<Option<Vec<i64>>>();
    match (role, near()) {
        (Role::Value | Role::Time, Some(times)) => Values::Moments(times.into()),
        _ => written_moments(array.len(), time, is_there, (role, Shown::Moment)),
    }
}

/// How a moment is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Date,
    Moment,
}

/// Moments of which some have no room in 64 bits, or that are a part of a timestamp. A value that
/// has room is the same whatever stands beside it.
fn written_moments(
    count: usize,
    nanoseconds: impl Fn(usize) -> i128,
    is_there: &dyn Fn(usize) -> bool,
    (role, shown): (Role, Shown),
) -> Values {
    let date = |row: usize, text: &mut String| match (moment(nanoseconds(row)), shown) {
        (Some(moment), Shown::Date) => write!(text, "{}", moment.strftime("%Y-%m-%d")),
        (Some(moment), Shown::Moment) => write!(text, "{moment}Z"),
        (None, _) => write!(text, "{} ns", nanoseconds(row)),
    };
    if role != Role::Value {
        return written(WrittenAs::Text, count, is_there, date);
    }
    let times = (0..count).map(|row| i64::try_from(nanoseconds(row)).ok().filter(|_| is_there(row))).collect();
    let is_far = |row: usize| is_there(row) && i64::try_from(nanoseconds(row)).is_err();
    let far = Written::new(WrittenAs::Number, count, |row, text| {
        if is_far(row) {
            // Writing to a text does not fail.
            let _ = write!(text, "{}", nanoseconds(row));
        }
    });
    Values::FarMoments { times, far }
}

/// The moment as UTC shows it. Timestamps of the library end a day before dates do, and the last
/// day of the year 9999 often stands for "never".
fn moment(nanoseconds: i128) -> Option<jiff::civil::DateTime> {
    let second = 1_000_000_000;
    let (seconds, rest) = (nanoseconds.div_euclid(second), nanoseconds.rem_euclid(second));
    let since = jiff::SignedDuration::new(i64::try_from(seconds).ok()?, rest as i32);
    jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0).checked_add(since).ok()
}

/// Times of day: numbers of nanoseconds, and as timestamps what a clock shows.
fn clocks(array: &ArrayRef, is_there: &dyn Fn(usize) -> bool, role: Role) -> Values {
    let (counts, unit) = counts(array);
    let clock = |row: usize, text: &mut String| match moment(i128::from(counts[row]) * i128::from(unit)) {
        Some(moment) => write!(text, "{}", moment.strftime("%H:%M:%S.%9f")),
        None => write!(text, "{} ns", i128::from(counts[row]) * i128::from(unit)),
    };
    match (role, nanoseconds(&counts, unit, is_there)) {
        (Role::Time | Role::TimePart, _) => written(WrittenAs::Text, array.len(), is_there, clock),
        (Role::Value, Some(times)) => Values::Ints(times),
        (Role::Value, None) => too_large(&counts, unit, is_there),
    }
}

/// Durations: numbers of nanoseconds, and as timestamps moments since 1970.
fn durations(array: &ArrayRef, is_there: &dyn Fn(usize) -> bool, role: Role) -> Values {
    let (counts, unit) = counts(array);
    match (role, nanoseconds(&counts, unit, is_there)) {
        (Role::Value, Some(times)) => Values::Ints(times),
        (Role::Time | Role::TimePart, Some(times)) => Values::Moments(times),
        (_, None) => too_large(&counts, unit, is_there),
    }
}

/// Numbers of nanoseconds that do not fit, as they would be written.
fn too_large(counts: &[i64], unit: i64, is_there: &dyn Fn(usize) -> bool) -> Values {
    let nanoseconds = |row: usize, text: &mut String| write!(text, "{}", i128::from(counts[row]) * i128::from(unit));
    written(WrittenAs::Number, counts.len(), is_there, nanoseconds)
}

/// Values that are named by their numbers.
fn coded(array: &ArrayRef, role: Role) -> Values {
    let dictionary = array.as_any_dictionary();
    let values = dictionary.values();
    // Rows without a struct may have numbers inside of it for which there is nothing.
    if values.is_empty() {
        return Values::Nothing;
    }
    let is_string = matches!(values.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    if is_string {
        let codes = dictionary.normalized_keys().into_iter().map(|code| code as u32).collect();
        return Values::Coded { codes, texts: values.clone() };
    }
    match take(values, dictionary.keys(), None) {
        Ok(taken) => Values::of(&taken, &|row| taken.is_valid(row), role),
        Err(_) => Values::Nothing,
    }
}

/// The strings of an array; where there is none, whatever stands there.
fn strings(array: &ArrayRef) -> Vec<&str> {
    let rows = 0..array.len();
    match array.data_type() {
        DataType::Utf8 => rows.map(|row| array.as_string::<i32>().value(row)).collect(),
        DataType::LargeUtf8 => rows.map(|row| array.as_string::<i64>().value(row)).collect(),
        DataType::Utf8View => rows.map(|row| array.as_string_view().value(row)).collect(),
        _ => Vec::new(),
    }
}

/// The bytes of an array.
fn bytes(array: &ArrayRef) -> Vec<&[u8]> {
    let rows = 0..array.len();
    match array.data_type() {
        DataType::Binary => rows.map(|row| array.as_binary::<i32>().value(row)).collect(),
        DataType::LargeBinary => rows.map(|row| array.as_binary::<i64>().value(row)).collect(),
        DataType::BinaryView => rows.map(|row| array.as_binary_view().value(row)).collect(),
        DataType::FixedSizeBinary(_) => rows.map(|row| array.as_fixed_size_binary().value(row)).collect(),
        _ => Vec::new(),
    }
}
