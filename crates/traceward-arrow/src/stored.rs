//! What Parquet stores otherwise than Arrow says: moments in 96 bits, and unique numbers.
//!
//! The library makes moments in 96 bits numbers of nanoseconds, or of a longer unit, and lets them
//! wrap. So it is told that they are what they are stored as, twelve bytes, and what these mean is
//! found out here. The leaves of Arrow's types are those of Parquet in the same order, wherever
//! they are: in structs and lists, too.

use crate::columns::{OLD_MOMENT, UNIQUE};
use arrow_array::FixedSizeBinaryArray;
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use parquet::basic::{LogicalType, Type as PhysicalType};
use parquet::errors::Result;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::collections::HashMap;
use std::sync::Arc;

/// The bytes of a moment in 96 bits.
pub(crate) const OLD_MOMENT_BYTES: i32 = 12;

/// The day on which 1970 begins, as astronomers count.
const FIRST_DAY: i128 = 2_440_588;

/// Nanoseconds of a day.
const DAY: i128 = 86_400_000_000_000;

/// The columns as they are to be decoded, which is told by those that are stored.
pub(crate) fn readable(schema: &Schema, stored: &SchemaDescriptor) -> Schema {
    Schema::new(Leaves { stored, next: 0 }.members(schema.fields()))
}

/// The leaves of a schema, one after the other.
struct Leaves<'a> {
    stored: &'a SchemaDescriptor,
    next: usize,
}

impl Leaves<'_> {
    fn members(&mut self, members: &Fields) -> Fields {
        members.iter().map(|member| self.field(member)).collect()
    }

    fn field(&mut self, field: &FieldRef) -> FieldRef {
        let ty = match field.data_type() {
            DataType::Struct(members) => DataType::Struct(self.members(members)),
            DataType::List(item) => DataType::List(self.field(item)),
            DataType::LargeList(item) => DataType::LargeList(self.field(item)),
            DataType::ListView(item) => DataType::ListView(self.field(item)),
            DataType::LargeListView(item) => DataType::LargeListView(self.field(item)),
            DataType::FixedSizeList(item, size) => DataType::FixedSizeList(self.field(item), *size),
            DataType::Map(entries, is_sorted) => DataType::Map(self.field(entries), *is_sorted),
            _ => return self.leaf(field),
        };
        Arc::new(field.as_ref().clone().with_data_type(ty))
    }

    /// A column without dictionaries but those of texts: the library cannot decode those of
    /// booleans and of some decimals, and others are worth nothing here. What Parquet alone knows
    /// to be a unique number is marked as Arrow marks it.
    fn leaf(&mut self, field: &FieldRef) -> FieldRef {
        let ty = match field.data_type() {
            DataType::Dictionary(_, values) if !matches!(**values, DataType::Utf8 | DataType::LargeUtf8) => values,
            other => other,
        };
        let stored = self.stored.columns().get(self.next).map(|column| column.self_type());
        self.next += 1;
        let (ty, mark) = match stored {
            Some(stored) if is_old(stored) => (&DataType::FixedSizeBinary(OLD_MOMENT_BYTES), Some(OLD_MOMENT)),
            Some(stored) if is_unique(stored) => (ty, Some(UNIQUE)),
            _ => (ty, None),
        };
        let mut field = field.as_ref().clone().with_data_type(ty.clone());
        if let Some(mark) = mark {
            let mark = (EXTENSION_TYPE_NAME_KEY.to_owned(), mark.to_owned());
            let known = field.metadata().iter().map(|(name, value)| (name.to_string(), value.to_string()));
            field.set_metadata(known.chain([mark]).collect::<HashMap<String, String>>());
        }
        Arc::new(field)
    }
}

/// Whether what is stored are moments in 96 bits. What is said to be nothing but nulls is that.
fn is_old(stored: &Type) -> bool {
    stored.is_primitive()
        && stored.get_physical_type() == PhysicalType::INT96
        && stored.get_basic_info().logical_type_ref().is_none()
}

fn is_unique(stored: &Type) -> bool {
    stored.get_basic_info().logical_type_ref() == Some(&LogicalType::Uuid)
}

/// The schema with bytes for moments in 96 bits, if there are some.
pub(crate) fn with_bytes(schema: &SchemaDescriptor) -> Result<Option<SchemaDescriptor>> {
    if !schema.columns().iter().any(|column| is_old(column.self_type())) {
        return Ok(None);
    }
    let root = in_bytes(&schema.root_schema_ptr())?;
    Ok(Some(SchemaDescriptor::new(root)))
}

fn in_bytes(ty: &TypePtr) -> Result<TypePtr> {
    let known = ty.get_basic_info();
    let id = known.has_id().then(|| known.id());
    if is_old(ty) {
        let bytes = Type::primitive_type_builder(ty.name(), PhysicalType::FIXED_LEN_BYTE_ARRAY)
            .with_repetition(known.repetition())
            .with_length(OLD_MOMENT_BYTES)
            .with_id(id);
        return Ok(Arc::new(bytes.build()?));
    }
    if ty.is_primitive() {
        return Ok(ty.clone());
    }
    let group = Type::group_type_builder(ty.name())
        .with_converted_type(known.converted_type())
        .with_logical_type(known.logical_type_ref().cloned())
        .with_fields(ty.get_fields().iter().map(in_bytes).collect::<Result<_>>()?)
        .with_id(id);
    let group = if known.has_repetition() { group.with_repetition(known.repetition()) } else { group };
    Ok(Arc::new(group.build()?))
}

/// The nanoseconds since 1970 of a moment in 96 bits: those of its day, and the day's number.
pub(crate) fn old_moment(moments: &FixedSizeBinaryArray, row: usize) -> i128 {
    let Some((nanoseconds, day)) = moments.value(row).split_first_chunk::<8>() else { return 0 };
    let day = day.first_chunk::<4>().map_or(0, |day| i32::from_le_bytes(*day));
    (i128::from(day) - FIRST_DAY) * DAY + i128::from(i64::from_le_bytes(*nanoseconds))
}
