//! The variables of a spec as objects of the program.
//!
//! A spec names an object by its name and the path to a part of it (`x`, `s.f`, `` `a[3]` ``).
//! Where several objects have the name, the file and the function tell which one is meant: ``
//! `file.c:function:variable` ``, `` `file.c:variable` `` for what stands outside of functions,
//! and the line of the declaration behind it, and the column, where even that is not enough.

use crate::ctype::{CType, Types};
use crate::declare::{Declarations, Object, ObjectId, Storage};
use crate::problem::{Place, Problem};
use crate::source::{FileId, Source, base_name};
use traceward_logic::diagnostic::did_you_mean;
use traceward_logic::lower::Expected;
use traceward_logic::value::ValueType;

/// The way out for a spec that speaks of calls where none are told.
pub const CALLS_ARE_EVENTS: &str = "calls and returns are sent as `event` if they are asked for";

/// A variable of the spec, as the program has it.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// The name in the spec.
    pub(crate) name: String,
    pub(crate) object: ObjectId,
    pub(crate) path: Vec<Step>,
    pub(crate) kind: Kind,
    /// The type of the part that is watched.
    pub(crate) ty: CType,
}

/// A step from an object to a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Member(String),
    Index(u64),
}

/// The way in which a value is read and sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An integer that a `long long` holds, between two bounds.
    Int(i128, i128),
    /// An integer that only an `unsigned long long` holds.
    Unsigned,
    Double,
    /// `true` or `false`
    Bool,
    /// An address, as a number.
    Pointer,
    /// The text in an array of characters.
    TextArray,
    /// The text that a pointer points at.
    TextPointer,
    /// A number of a type that only the compiler knows.
    Any,
}

impl Watch {
    /// The expression that reads the value, where the object can be named.
    pub(crate) fn read(&self, objects: &Declarations) -> String {
        self.part_of(&objects.object(self.object).name)
    }

    /// The expression for the watched part of an object of the same type.
    pub(crate) fn part_of(&self, object: &str) -> String {
        let step = |step: &Step| match step {
            Step::Member(name) => format!(".{name}"),
            Step::Index(index) => format!("[{index}]"),
        };
        object.to_owned() + &self.path.iter().map(step).collect::<String>()
    }
}

/// Finds the object that a name of the spec means.
pub(crate) fn resolve(
    sources: &[Source],
    declarations: &Declarations,
    name: &str,
    expected: Expected,
) -> Result<Watch, Problem> {
    let qualified = Qualified::parse(name).map_err(|problem| problem_of(name, problem))?;
    let candidates = candidates(sources, declarations, &qualified);
    let object = match candidates.as_slice() {
        [one] => *one,
        [] => return Err(unknown(sources, declarations, name, &qualified)),
        several => return Err(ambiguous(sources, declarations, name, &qualified, several)),
    };
    let (ty, path) = part(declarations, object, &qualified.path, name)?;
    let kind = kind(&ty, expected).map_err(|why| Problem::new(format!("`{name}`: {why}")))?;
    Ok(Watch { name: name.to_owned(), object, path, kind, ty })
}

fn problem_of(name: &str, why: &str) -> Problem {
    let help = "a name is x, s.member, `a[3]`, `file.c:variable` or `file.c:function:variable`";
    Problem::new(format!("`{name}` names no variable of a C program: {why}")).help(help)
}

/// A name of the spec, taken apart.
struct Qualified<'a> {
    file: Option<&'a str>,
    function: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    base: &'a str,
    path: Vec<Step>,
}

impl<'a> Qualified<'a> {
    fn parse(name: &'a str) -> Result<Self, &'static str> {
        let mut parts: Vec<&str> = name.split(':').map(str::trim).collect();
        let mut numbers: Vec<u32> = Vec::new();
        while parts.len() > 1
            && let Some(number) = parts.last().and_then(|last| last.parse().ok())
        {
            parts.pop();
            numbers.insert(0, number);
        }
        let (line, column) = (numbers.first().copied(), numbers.get(1).copied());
        let (base, path) = steps(parts.pop().unwrap_or_default())?;
        let (file, function) = match parts.as_slice() {
            [] => (None, None),
            [one] if one.contains('.') => (Some(*one), None),
            [one] => (None, Some(*one)),
            [file, function] => (Some(*file), Some(*function)),
            _ => return Err("it has too many parts"),
        };
        Ok(Self { file, function, line, column, base, path })
    }
}

/// The name of an object and the steps to a part of it.
fn steps(text: &str) -> Result<(&str, Vec<Step>), &'static str> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let end = |text: &str| text.find(|letter| !is_word(letter)).unwrap_or(text.len());
    let (base, mut rest) = text.split_at(end(text));
    if base.is_empty() || base.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Err("it does not begin with an identifier");
    }
    let mut path = Vec::new();
    while !rest.is_empty() {
        if rest.starts_with("->") {
            return Err("what a pointer points at changes with it, so it is not watched; name the object itself");
        }
        if let Some(member) = rest.strip_prefix('.') {
            let (member, after) = member.split_at(end(member));
            path.push(Step::Member(member.to_owned()));
            rest = after;
        } else {
            let (index, after) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).ok_or("")?;
            let index = index.trim().parse().map_err(|_| "an index of an array is a number here")?;
            path.push(Step::Index(index));
            rest = after;
        }
    }
    Ok((base, path))
}

fn candidates(sources: &[Source], declarations: &Declarations, wanted: &Qualified<'_>) -> Vec<ObjectId> {
    let fits = |object: &Object| {
        let file = &sources[object.file.index()].name;
        let is_outside = wanted.file.is_some() && wanted.function.is_none();
        object.name == wanted.base
            && object.storage != Storage::Function
            && wanted.file.is_none_or(|one| one == file || one == base_name(file))
            && wanted.function.is_none_or(|one| object.function.as_deref() == Some(one))
            && (!is_outside || object.function.is_none())
            && wanted.line.is_none_or(|line| line == object.place.line)
            && wanted.column.is_none_or(|column| column == object.place.column)
    };
    declarations.ids().filter(|id| fits(declarations.object(*id))).collect()
}

/// The name by which a spec tells an object from others.
fn label(sources: &[Source], object: &Object) -> String {
    let file = sources[object.file.index()].base_name();
    match &object.function {
        Some(function) => format!("{file}:{function}:{}", object.name),
        None => format!("{file}:{}", object.name),
    }
}

fn ambiguous(
    sources: &[Source],
    declarations: &Declarations,
    name: &str,
    wanted: &Qualified<'_>,
    several: &[ObjectId],
) -> Problem {
    let labels: Vec<String> = several.iter().map(|id| label(sources, declarations.object(*id))).collect();
    let path = name.find(wanted.base).map_or("", |at| &name[at + wanted.base.len()..]);
    let path = if wanted.path.is_empty() { "" } else { path };
    let told = |(id, label): (&ObjectId, &String)| {
        let object = declarations.object(*id);
        let alike = several.iter().zip(&labels).filter(|(_, one)| *one == label);
        let alike: Vec<&Place> = alike.map(|(id, _)| &declarations.object(*id).place).collect();
        let Place { line, column, .. } = object.place;
        let place = match alike.iter().filter(|place| place.line == line).count() {
            _ if alike.len() == 1 => String::new(),
            1 => format!(":{line}"),
            _ => format!(":{line}:{column}"),
        };
        format!("`{label}{path}{place}` ({})", object.place)
    };
    let listed: Vec<String> = several.iter().zip(&labels).map(told).collect();
    Problem::new(format!("`{name}` may mean {} variables of the program", several.len()))
        .help(format!("say which, in backquotes: {}", listed.join(", ")))
}

fn unknown(sources: &[Source], declarations: &Declarations, name: &str, wanted: &Qualified<'_>) -> Problem {
    let mut names: Vec<&str> = declarations
        .objects
        .iter()
        .filter(|object| object.storage != Storage::Function)
        .map(|object| object.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let problem = Problem::new(format!("the program has no variable `{name}`"));
    let of_that_name = declarations.objects.iter().filter(|object| object.name == wanted.base);
    let others: Vec<String> =
        of_that_name.map(|object| format!("`{}` ({})", label(sources, object), object.place)).collect();
    if !others.is_empty() {
        return problem.help(format!("of that name there is {}", others.join(", ")));
    }
    if wanted.base == "event" {
        return problem.help(CALLS_ARE_EVENTS);
    }
    let near = did_you_mean(wanted.base, names.iter().copied());
    let all = (names.len() <= 12 && !names.is_empty()).then(|| {
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        format!("it has {}", quoted.join(", "))
    });
    problem.maybe_help(near.or(all))
}

/// The type of a part of an object.
fn part(declarations: &Declarations, id: ObjectId, path: &[Step], name: &str) -> Result<(CType, Vec<Step>), Problem> {
    let object = declarations.object(id);
    let mut ty = object.ty.clone();
    for step in path {
        ty = match step {
            Step::Member(member) => member_type(&declarations.types, object.file, &ty, member, name)?,
            Step::Index(_) => match ty {
                CType::Array(element) => *element,
                CType::Unknown(_) => CType::Unknown("?".to_owned()),
                _ => return Err(Problem::new(format!("`{name}`: there is no array with that index"))),
            },
        };
    }
    Ok((ty, path.to_vec()))
}

fn member_type(types: &Types, file: FileId, ty: &CType, member: &str, name: &str) -> Result<CType, Problem> {
    let Some(aggregate) = types.aggregate(file, ty) else {
        return match ty {
            CType::Unknown(_) | CType::Tag(_) => Ok(CType::Unknown("?".to_owned())),
            CType::Pointer(_) => Err(Problem::new(format!("`{name}`: that is a pointer, which is not followed"))
                .help("name the object that it points at")),
            _ => Err(Problem::new(format!("`{name}`: what stands before `.{member}` has no members"))),
        };
    };
    types.member(file, aggregate, member).map(|member| member.ty).ok_or_else(|| {
        let names = types.member_names(file, aggregate);
        let near = did_you_mean(member, names.iter().map(String::as_str));
        let all = || format!("it has {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
        Problem::new(format!("`{name}`: there is no member `{member}`")).help(near.unwrap_or_else(all))
    })
}

/// The way to read a value of a type of which the spec expects something.
pub(crate) fn kind(ty: &CType, expected: Expected) -> Result<Kind, String> {
    let wanted = expected.known_type();
    let is_text = |element: &CType| *element == CType::Char && wanted.is_none_or(|ty| ty == ValueType::String);
    let kind = match ty {
        CType::Bool if matches!(wanted, Some(ValueType::Number)) => Kind::Int(0, 1),
        CType::Bool => Kind::Bool,
        CType::Int { signed: false, bits: 64 } => Kind::Unsigned,
        CType::Int { signed: true, bits } => Kind::Int(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        CType::Int { signed: false, bits } => Kind::Int(0, (1 << bits) - 1),
        CType::Char => Kind::Int(-128, 255),
        CType::Enum => Kind::Int(-(1 << 31), (1 << 32) - 1),
        CType::Double | CType::LongDouble => Kind::Double,
        CType::Pointer(element) if is_text(element) => Kind::TextPointer,
        CType::Array(element) if is_text(element) => Kind::TextArray,
        CType::Pointer(_) => Kind::Pointer,
        CType::Array(_) => return Err("an array is no value: name one of its elements".to_owned()),
        CType::Aggregate(_) | CType::Tag(_) => {
            return Err("a struct or union is no value: name one of its members".to_owned());
        }
        CType::Unknown(_) => Kind::Any,
        CType::Function | CType::Void => return Err("it has no value".to_owned()),
    };
    let is_text = matches!(kind, Kind::TextArray | Kind::TextPointer);
    match wanted {
        Some(ValueType::String) if !is_text => Err(wrong("a text", kind)),
        Some(ValueType::Number) if is_text => Err(wrong("a number", kind)),
        Some(ValueType::Boolean) if is_text || matches!(kind, Kind::Double | Kind::Pointer) => {
            Err(wrong("true or false", kind))
        }
        _ => Ok(kind),
    }
}

fn wrong(expected: &str, kind: Kind) -> String {
    let is = match kind {
        Kind::Int(..) | Kind::Unsigned | Kind::Any => "an integer",
        Kind::Double => "a float",
        Kind::Bool => "true or false",
        Kind::Pointer => "a pointer",
        Kind::TextArray | Kind::TextPointer => "a text",
    };
    format!("the spec takes it for {expected}, and in the program it is {is}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let (base, path) = steps("s.in[3].f").unwrap();
        let member = |name: &str| Step::Member(name.to_owned());
        assert_eq!((base, path), ("s", vec![member("in"), Step::Index(3), member("f")]));
        let named = Qualified::parse("mux.c:main:x:17").unwrap();
        assert_eq!((named.file, named.function, named.base, named.line), (Some("mux.c"), Some("main"), "x", Some(17)));
        let named = Qualified::parse("main:x").unwrap();
        assert_eq!((named.file, named.function, named.base), (None, Some("main"), "x"));
        assert!(steps("p->f").is_err() && steps("a[i]").is_err() && steps("3x").is_err());
    }

    #[test]
    fn what_the_spec_expects_and_the_program_has_must_agree() {
        let int = CType::Int { signed: true, bits: 32 };
        assert_eq!(kind(&int, Expected::Type(ValueType::Number)), Ok(Kind::Int(-2_147_483_648, 2_147_483_647)));
        assert_eq!(kind(&int, Expected::Type(ValueType::Boolean)), Ok(Kind::Int(-2_147_483_648, 2_147_483_647)));
        assert!(kind(&int, Expected::Type(ValueType::String)).is_err());
        assert_eq!(kind(&CType::Bool, Expected::Bit), Ok(Kind::Int(0, 1)));
        let text = CType::Pointer(Box::new(CType::Char));
        assert_eq!(kind(&text, Expected::Presence), Ok(Kind::TextPointer));
        assert_eq!(kind(&text, Expected::Type(ValueType::Number)), Ok(Kind::Pointer));
    }
}
