//! The columns of a table by their names: those inside structs and lists, too.

use crate::stored::OLD_MOMENT_BYTES;
use arrow_schema::{DataType, Field, Fields, Schema};
use std::collections::HashSet;
use traceward_trace::{TraceError, TraceErrorKind};

/// The elements of a list that an inspection looks at, as it does in JSON.
const ELEMENTS_NAMED: usize = 16;

/// The most columns that an inspection looks at: lists inside lists have no end of them.
const MOST_COLUMNS: usize = 10_000;

/// How deep structs and lists may be nested for their columns to have names.
const DEEPEST: usize = 64;

/// What Arrow calls the type of a unique number.
pub(crate) const UNIQUE: &str = "arrow.uuid";

/// The mark of moments in 96 bits, which Arrow does not know.
pub(crate) const OLD_MOMENT: &str = "traceward.int96";

/// The way from a batch to a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The column of the batch.
    pub(crate) root: usize,
    /// The way inside it.
    pub(crate) steps: Vec<Step>,
}

/// A step into a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// To a member of a struct.
    Member(String),
    /// To an element of a list.
    Element(usize),
    /// From a unique number (UUID) to its text. It is the last step.
    UniqueText,
    /// To the moment that twelve bytes are. It is the last step.
    OldMoment,
}

/// The columns of a table.
#[derive(Default)]
pub(crate) struct Columns {
    pub(crate) names: Vec<String>,
    pub(crate) places: Vec<Place>,
}

/// Whether lists are columns themselves, or their elements are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lists {
    Whole,
    ByElement,
}

impl Columns {
    /// The columns that can be named, and those among them that only a wanted name tells: elements
    /// of lists, and structs, of which it is then said that they are no values.
    pub(crate) fn to_read<'a>(schema: &Schema, wanted: impl Iterator<Item = &'a str>) -> Self {
        let mut columns = Self::all(schema, Lists::Whole);
        for name in wanted {
            if !columns.names.iter().any(|known| known == name)
                && let Some(place) = find(schema, name)
            {
                columns.push(name.to_owned(), place, Lists::Whole);
            }
        }
        columns
    }

    /// The columns to look at, elements of lists among them.
    pub(crate) fn to_inspect(schema: &Schema) -> Self {
        Self::all(schema, Lists::ByElement)
    }

    fn all(schema: &Schema, lists: Lists) -> Self {
        let mut columns = Self::default();
        for (root, field) in schema.fields().iter().enumerate() {
            columns.add(field.name().clone(), field, Place { root, steps: Vec::new() }, lists);
        }
        columns
    }

    fn add(&mut self, name: String, field: &Field, place: Place, lists: Lists) {
        let below = |step| Place { root: place.root, steps: [&place.steps[..], &[step]].concat() };
        match (field.data_type(), element(field.data_type())) {
            (DataType::Struct(fields), _) if place.steps.len() < DEEPEST => {
                for field in fields {
                    let step = below(Step::Member(field.name().clone()));
                    self.add(format!("{name}.{}", field.name()), field, step, lists);
                }
            }
            (_, Some((field, most))) if lists == Lists::ByElement && place.steps.len() < DEEPEST => {
                for index in 0..most.min(ELEMENTS_NAMED) {
                    if self.names.len() == MOST_COLUMNS {
                        return;
                    }
                    self.add(format!("{name}.{index}"), field, below(Step::Element(index)), lists);
                }
            }
            _ => {
                let steps = [&place.steps[..], &last_steps(field)].concat();
                self.push(name, Place { steps, ..place }, lists);
            }
        }
    }

    fn push(&mut self, name: String, place: Place, lists: Lists) {
        if lists == Lists::ByElement && self.names.len() == MOST_COLUMNS {
            return;
        }
        self.names.push(name);
        self.places.push(place);
    }

    /// The names of elements of lists.
    pub(crate) fn elements(&self) -> HashSet<String> {
        let has_element = |place: &Place| place.steps.iter().any(|step| matches!(step, Step::Element(_)));
        self.names
            .iter()
            .zip(&self.places)
            .filter(|(_, place)| has_element(place))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// The names of the columns whose type has no meaning.
    pub(crate) fn without_meaning(&self, schema: &Schema) -> Vec<String> {
        let is_without = |place: &Place| {
            let ty = leaf(schema.field(place.root).data_type(), &place.steps);
            ty.is_some_and(|ty| !has_meaning(ty))
        };
        let columns = self.names.iter().zip(&self.places);
        columns.filter(|(_, place)| is_without(place)).map(|(name, _)| name.clone()).collect()
    }

    /// The places of some columns, none where there is no such column; refuses those whose type has
    /// no meaning.
    pub(crate) fn wanted(&self, schema: &Schema, fields: &[Option<usize>]) -> Result<Vec<Option<Place>>, TraceError> {
        let place = |field: &Option<usize>| {
            let Some(field) = *field else { return Ok(None) };
            let place = &self.places[field];
            let ty = leaf(schema.field(place.root).data_type(), &place.steps);
            match ty.filter(|ty| !has_meaning(ty)) {
                Some(ty) => {
                    let kind = TraceErrorKind::UnknownType { ty: ty.to_string() };
                    Err(TraceError::from(kind).in_column(&self.names[field]))
                }
                None => Ok(Some(place.clone())),
            }
        };
        fields.iter().map(place).collect()
    }
}

/// The type of the elements of a list, and how many it has at the most.
fn element(ty: &DataType) -> Option<(&Field, usize)> {
    match ty {
        DataType::List(field) | DataType::LargeList(field) => Some((field, usize::MAX)),
        DataType::FixedSizeList(field, size) => Some((field, usize::try_from(*size).unwrap_or(0))),
        _ => None,
    }
}

/// The type at the end of a way.
fn leaf<'a>(ty: &'a DataType, steps: &[Step]) -> Option<&'a DataType> {
    steps.iter().try_fold(ty, |ty, step| match (ty, step) {
        (DataType::Struct(fields), Step::Member(name)) => Some(fields.find(name)?.1.data_type()),
        (_, Step::Element(_)) => element(ty).map(|(field, _)| field.data_type()),
        (_, Step::UniqueText | Step::OldMoment) => Some(ty),
        _ => None,
    })
}

/// The steps from a column to its values: those of a unique number are its text, as they are in
/// other formats, and not the bytes by which it is stored.
fn last_steps(field: &Field) -> Vec<Step> {
    match (field.extension_type_name(), field.data_type()) {
        (Some(UNIQUE), DataType::FixedSizeBinary(16)) => vec![Step::UniqueText],
        (Some(OLD_MOMENT), DataType::FixedSizeBinary(OLD_MOMENT_BYTES)) => vec![Step::OldMoment],
        _ => Vec::new(),
    }
}

/// The column of a name, whatever it is.
fn find(schema: &Schema, name: &str) -> Option<Place> {
    let (root, steps) = find_member(schema.fields(), name)?;
    Some(Place { root, steps })
}

fn find_member(fields: &Fields, name: &str) -> Option<(usize, Vec<Step>)> {
    fields.iter().enumerate().find_map(|(index, field)| {
        let rest = name.strip_prefix(field.name().as_str())?;
        match rest.strip_prefix('.') {
            None if rest.is_empty() => Some((index, last_steps(field))),
            None => None,
            Some(rest) => Some((index, find_inside(field.data_type(), rest)?)),
        }
    })
}

fn find_inside(ty: &DataType, name: &str) -> Option<Vec<Step>> {
    if let DataType::Struct(fields) = ty {
        let (index, steps) = find_member(fields, name)?;
        return Some([&[Step::Member(fields[index].name().clone())], &steps[..]].concat());
    }
    let (field, most) = element(ty)?;
    let (number, rest) = name.split_once('.').map_or((name, None), |(number, rest)| (number, Some(rest)));
    let index: usize = number.parse().ok().filter(|index: &usize| index.to_string() == number && *index < most)?;
    let steps = rest.map_or_else(|| Some(last_steps(field)), |rest| find_inside(field.data_type(), rest))?;
    Some([&[Step::Element(index)], &steps[..]].concat())
}

/// Whether values of a type, or of its parts, are values here.
fn has_meaning(ty: &DataType) -> bool {
    match ty {
        DataType::Interval(_)
        | DataType::Map(..)
        | DataType::Union(..)
        | DataType::RunEndEncoded(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => false,
        DataType::Dictionary(_, values) => !values.is_nested() && has_meaning(values),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn schema() -> Schema {
        let int = || Field::new("item", DataType::Int32, true);
        let inner = DataType::Struct(
            vec![Field::new("y", DataType::Utf8, true), Field::new("z.w", DataType::Int8, true)].into(),
        );
        Schema::new(vec![
            Field::new("a", DataType::Boolean, true),
            Field::new("s", inner.clone(), true),
            Field::new("l", DataType::List(Arc::new(Field::new("item", inner, true))), true),
            Field::new("f", DataType::FixedSizeList(Arc::new(int()), 2), true),
            Field::new("m", DataType::Interval(arrow_schema::IntervalUnit::DayTime), true),
        ])
    }

    #[test]
    fn members_and_elements_have_names() {
        let columns = Columns::to_read(&schema(), ["l.3.y", "s", "f.1", "f.2", "l.03", "s.z.w", "a.b"].into_iter());
        assert_eq!(columns.names, ["a", "s.y", "s.z.w", "l", "f", "m", "l.3.y", "s", "f.1"]);
        assert_eq!(columns.places[6], Place { root: 2, steps: vec![Step::Element(3), Step::Member("y".to_owned())] });
        let shown = Columns::to_inspect(&schema());
        assert_eq!(shown.names.len(), 3 + 2 * ELEMENTS_NAMED + 2 + 1);
        assert!(shown.names.contains(&"l.15.z.w".to_owned()) && shown.names.contains(&"f.1".to_owned()));
    }

    #[test]
    fn a_type_without_meaning_is_refused_where_it_is_wanted() {
        let columns = Columns::to_read(&schema(), std::iter::empty());
        assert!(columns.wanted(&schema(), &[Some(0), None, Some(1)]).is_ok());
        let error = columns.wanted(&schema(), &[Some(0), Some(5)]).unwrap_err();
        assert_eq!(error.message(), "`m` has the type Interval(DayTime), which is no value here");
    }
}
