//! What the texts of a spec declare of traces, taken together: the order of the texts tells
//! nothing, so what two of them say must agree.

use super::{Goal, Settings};
use std::collections::HashMap;
use std::fmt;
use traceward_logic::ast::{Named, SpecAst, TraceDeclaration};
use traceward_logic::diagnostic::{Diagnostic, Span, did_you_mean};
use traceward_logic::lower::Declarations;
use traceward_trace::{MissingPolicy, Records, TimeColumn, TimeUnit};

/// What all texts declare together, and what is wrong with it.
pub(super) fn declared(specs: &[(SpecAst, Goal)]) -> (Settings, Declarations, Vec<Diagnostic>) {
    let mut settings = Settings::default();
    let mut declarations = Declarations::default();
    let mut errors = Vec::new();
    for (spec, _) in specs {
        let trace = &spec.trace;
        if let Some(named) = &trace.event {
            settings.event = Some(named.name.to_string());
            declarations.event = Some(named.clone());
        }
        if let Some((columns, unit)) = &trace.time {
            settings.time = time_column(columns, unit.as_ref(), &mut errors);
        }
        if let Some(named) = &trace.by {
            settings.by = Some(named.name.to_string());
        }
        settings.types.extend(trace.types.iter().map(|(named, ty)| (named.name.to_string(), *ty)));
        declarations.types.extend(trace.types.iter().cloned());
        if let Some(named) = &trace.records {
            settings.records = Some(if &*named.name == "changes" { Records::Changes } else { Records::States });
        }
        if let Some(named) = &trace.missing {
            settings.missing = Some(match &*named.name {
                "error" => MissingPolicy::Error,
                "hold" => MissingPolicy::Hold,
                _ => MissingPolicy::False,
            });
        }
    }
    (settings, declarations, errors)
}

/// The columns of timestamps; plain numbers, which have a unit, stand in one.
fn time_column(columns: &[Named], unit: Option<&Named>, errors: &mut Vec<Diagnostic>) -> Option<TimeColumn> {
    let mut names = columns.iter().map(|column| column.name.to_string());
    let first = names.next()?;
    if let (Some(unit), 2..) = (unit, columns.len()) {
        let error = Diagnostic::error(unit.span, "several columns make a date, and dates have no unit")
            .label("leave the unit out");
        errors.push(error);
    }
    let unit = unit.and_then(|unit| time_unit(unit, errors));
    Some(TimeColumn { rest: names.collect(), ..TimeColumn::new(first, unit) })
}

fn time_unit(unit: &Named, errors: &mut Vec<Diagnostic>) -> Option<TimeUnit> {
    let parsed = unit.name.parse().ok();
    if parsed.is_none() {
        let help = did_you_mean(&unit.name, ["ns", "us", "ms", "s", "min", "h", "d"]);
        let error = Diagnostic::error(unit.span, format!("there is no unit `{}`", unit.name))
            .label("unknown unit")
            .help(help.unwrap_or_else(|| "units are ns us ms s min h d".into()));
        errors.push(error);
    }
    parsed
}

/// What a declaration is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Item<'a> {
    Event,
    Time,
    By,
    Records,
    Missing,
    Type(&'a str),
}

impl Item<'_> {
    /// Whether settings tell it, which stand above what texts say.
    fn is_set(self, over: &Settings) -> bool {
        match self {
            Self::Event => over.event.is_some(),
            Self::Time => over.time.is_some(),
            Self::By => over.by.is_some(),
            Self::Records => over.records.is_some(),
            Self::Missing => over.missing.is_some(),
            Self::Type(name) => over.types.iter().any(|(other, _)| other == name),
        }
    }
}

impl fmt::Display for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event => f.write_str("`event`"),
            Self::Time => f.write_str("`time`"),
            Self::By => f.write_str("`by`"),
            Self::Records => f.write_str("what a record holds"),
            Self::Missing => f.write_str("`missing`"),
            Self::Type(name) => write!(f, "the type of `{name}`"),
        }
    }
}

/// A declaration: what it is about, the words that say it, and where.
struct Declared<'a> {
    item: Item<'a>,
    words: Vec<&'a str>,
    span: Span,
}

/// All that one text declares.
fn declarations(trace: &TraceDeclaration) -> impl Iterator<Item = Declared<'_>> {
    let TraceDeclaration { event, time, by, records, missing, types } = trace;
    let named = [(Item::Event, event), (Item::By, by), (Item::Records, records), (Item::Missing, missing)];
    let named = named.into_iter().filter_map(|(item, named)| {
        let named = named.as_ref()?;
        Some(Declared { item, words: vec![&named.name], span: named.span })
    });
    let types = types.iter().map(|(named, ty)| {
        let item = Item::Type(&named.name);
        Declared { item, words: vec![ty.name()], span: named.span }
    });
    named.chain(declared_time(time)).chain(types)
}

fn declared_time(time: &Option<(Vec<Named>, Option<Named>)>) -> Option<Declared<'_>> {
    let (columns, unit) = time.as_ref()?;
    let mut words: Vec<&str> = unit.iter().chain(columns).map(|named| &*named.name).collect();
    // A unit comes first, so that it is not taken for one more column.
    if unit.is_none() {
        words.insert(0, "");
    }
    let last = unit.as_ref().or(columns.last())?;
    Some(Declared { item: Item::Time, words, span: columns.first()?.span.to(last.span) })
}

/// What two texts say differently, unless settings say it anyway. Within one text nothing is said
/// twice.
pub(super) fn contradictions(specs: &[(SpecAst, Goal)], over: &Settings) -> Vec<Diagnostic> {
    let mut first: HashMap<Item<'_>, Declared<'_>> = HashMap::new();
    let mut errors = Vec::new();
    for declared in specs.iter().flat_map(|(spec, _)| declarations(&spec.trace)) {
        match first.get(&declared.item) {
            None => drop(first.insert(declared.item, declared)),
            Some(other) if other.words != declared.words && !declared.item.is_set(over) => {
                errors.push(contradiction(&declared, other));
            }
            Some(_) => {}
        }
    }
    errors
}

fn contradiction(declared: &Declared<'_>, other: &Declared<'_>) -> Diagnostic {
    Diagnostic::error(declared.span, format!("{} is declared in two ways", declared.item))
        .label("in another way here")
        .also(other.span, "declared here")
        .help("a trace is read in one way for all of a spec: let both say the same, or leave one of them out")
}
