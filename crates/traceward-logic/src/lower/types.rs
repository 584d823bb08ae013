//! Types of expressions and variables, and what a spec expects of its variables.
//!
//! A variable's type follows from its declaration, or from its uses, or, where these leave it open,
//! from its first value. Variables that are compared with each other form one *class* and share
//! one type.

use crate::diagnostic::Span;
use crate::trace::VariableId;
use crate::value::ValueType;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// The type of an expression or of a query's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// The type of this variable's class, which is not known yet.
    Open(VariableId),
    /// A boolean.
    Bool,
    /// A number that is 0 or 1, and may stand as a boolean.
    Bit,
    /// A number.
    Number,
    /// A string.
    Text,
    /// A pair.
    Pair(Box<Type>, Box<Type>),
    /// A list.
    List,
}

impl Type {
    /// Whether the type is a number, or not known.
    pub(super) fn may_be_number(&self) -> bool {
        matches!(self, Self::Open(_) | Self::Bit | Self::Number)
    }

    /// Whether the type is a number.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Bit | Self::Number)
    }

    /// Whether the type is a string.
    pub(super) fn is_text(&self) -> bool {
        *self == Self::Text
    }

    /// Whether the type is not known yet.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }
}

impl From<ValueType> for Type {
    fn from(ty: ValueType) -> Self {
        match ty {
            ValueType::Boolean => Self::Bool,
            ValueType::Number => Self::Number,
            ValueType::String => Self::Text,
        }
    }
}

/// Writes the type in words, with an article.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open(_) => "a value of unknown type",
            Self::Bool => "a boolean",
            Self::Bit | Self::Number => "a number",
            Self::Text => "a string",
            Self::Pair(..) => "a pair",
            Self::List => "a list",
        })
    }
}

/// The schema of a trace: what is known of it when a spec meets it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Schema {
    /// The type of each variable of the spec that the trace has; none where no value has decided
    /// it. Variables that the trace does not have are absent.
    pub types: FxHashMap<Arc<str>, Option<Type>>,
    /// All names the trace has, for suggestions.
    pub names: Vec<String>,
    /// Whether the trace has timestamps.
    pub has_time: bool,
    /// Whether a name that is absent is an error. It is not where nothing at all is known of the
    /// names, as in an empty JSON file.
    pub names_known: bool,
}

/// A set of variables that share one type because they are compared with each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClassId(pub u32);

impl ClassId {
    /// The class as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The values that a spec expects of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Values of a type.
    Type(ValueType),
    /// Numbers that are 0 or 1: the variable is used as a number and as a formula.
    Bit,
    /// Values of the type that the first value of this class decides.
    Open(ClassId),
    /// Values of the type that the first value of this class decides, which has an order: numbers
    /// or strings.
    OpenOrdered(ClassId),
    /// Values of any type: the spec only asks whether there is one.
    Presence,
}

impl Expected {
    /// The type that is known before any value has come.
    pub fn known_type(self) -> Option<ValueType> {
        match self {
            Self::Type(ty) => Some(ty),
            Self::Bit => Some(ValueType::Number),
            Self::Open(_) | Self::OpenOrdered(_) | Self::Presence => None,
        }
    }
}

/// A variable of a spec.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name of the variable.
    pub name: Arc<str>,
    /// The place where the variable was first used other than in `defined`. If there is none, the
    /// trace need not have the variable.
    pub needed_at: Option<Span>,
    /// The place where a use of the variable first tells its type.
    pub typed_at: Option<Span>,
    /// The type that it is declared to have. Then its values are converted, and it may be absent
    /// from the trace.
    pub declared: Option<ValueType>,
    /// Whether the variable stands as a formula.
    as_formula: bool,
    /// Whether a formula was made of it, in a query that could as well have been one with a value,
    /// when its type was not known.
    pub is_supposed_formula: bool,
}

/// A use of a variable, by how it bears on the variable's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// The variable stands as a formula.
    Formula,
    /// The variable is an operand of a connective in a query: a formula, unless other uses say
    /// otherwise.
    Operand,
    /// The variable is computed with, or compared with a number.
    Number,
    /// The variable is compared with a string, or matched.
    Text,
    /// The variable is compared by order.
    Order,
}

/// Two uses that no type allows.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Contradiction {
    /// The variable.
    pub(super) name: Arc<str>,
    /// What an earlier use, or the declaration, takes it for, and where.
    pub(super) before: (&'static str, Span),
}

/// The variables of a spec, in order of first mention.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    list: Vec<Variable>,
    ids: FxHashMap<Arc<str>, VariableId>,
    /// For each variable, another one of its class, or itself.
    links: Vec<VariableId>,
    /// For each variable that stands for its class, what is known of it.
    classes: Vec<Class>,
}

/// The facts that are known of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    formula: Option<Span>,
    operand: Option<Span>,
    number: Option<Span>,
    text: Option<Span>,
    order: Option<Span>,
    declared: Option<(ValueType, Span)>,
}

impl Class {
    /// Whether values of a type would suit every use. A number also suits where a formula stands:
    /// it has to be 0 or 1 there.
    fn allows(&self, ty: ValueType) -> bool {
        let declared = self.declared.is_none_or(|(declared, _)| declared == ty);
        declared
            && match ty {
                ValueType::Boolean => self.number.is_none() && self.text.is_none() && self.order.is_none(),
                ValueType::Number => self.text.is_none(),
                ValueType::String => self.number.is_none() && self.formula.is_none(),
            }
    }

    fn is_possible(&self) -> bool {
        ValueType::ALL.into_iter().any(|ty| self.allows(ty))
    }

    /// The type, if the uses decide it.
    fn decided(&self) -> Option<ValueType> {
        let stands_as_formula = self.formula.is_some() || self.operand.is_some();
        let mut allowed = ValueType::ALL.into_iter().filter(|ty| self.allows(*ty));
        let first = allowed.next();
        match (first, allowed.next()) {
            (Some(ValueType::Boolean), Some(_)) if stands_as_formula => first,
            (_, Some(_)) => None,
            (only, None) => only,
        }
    }

    fn with(mut self, asked: Use, span: Span) -> Self {
        let place = match asked {
            Use::Formula => &mut self.formula,
            Use::Operand => &mut self.operand,
            Use::Number => &mut self.number,
            Use::Text => &mut self.text,
            Use::Order => &mut self.order,
        };
        place.get_or_insert(span);
        self
    }

    fn merged(self, other: Self) -> Self {
        Self {
            formula: self.formula.or(other.formula),
            operand: self.operand.or(other.operand),
            number: self.number.or(other.number),
            text: self.text.or(other.text),
            order: self.order.or(other.order),
            declared: self.declared.or(other.declared),
        }
    }

    /// What the class is taken for, and where that is said: what an error shows beside a use that
    /// does not go with it.
    fn said(&self) -> Option<(&'static str, Span)> {
        let declared = self.declared.map(|(ty, span)| match ty {
            ValueType::Boolean => ("declared a boolean", span),
            ValueType::Number => ("declared a number", span),
            ValueType::String => ("declared a string", span),
        });
        let used = [
            (self.text, "used as a string"),
            (self.number, "used as a number"),
            (self.formula, "used as a formula"),
            (self.order, "compared by order"),
        ];
        let used = used.into_iter().find_map(|(span, what)| span.map(|span| (what, span)));
        declared.or(used)
    }
}

impl Variables {
    /// All variables, in order of their ids.
    pub fn list(&self) -> &[Variable] {
        &self.list
    }

    /// The names of all variables, in order of their ids.
    pub fn names(&self) -> Vec<Arc<str>> {
        self.list.iter().map(|variable| variable.name.clone()).collect()
    }

    /// The values that are expected of each variable, in order of their ids.
    pub fn expected(&self) -> Vec<Expected> {
        let mut numbers: FxHashMap<VariableId, ClassId> = FxHashMap::default();
        let expected = |(id, variable): (u32, &Variable)| {
            let root = self.root(VariableId(id));
            let class = &self.classes[root.index()];
            let next = ClassId(numbers.len() as u32);
            match class.decided() {
                Some(ValueType::Number) if variable.as_formula => Expected::Bit,
                Some(ty) => Expected::Type(ty),
                None if variable.needed_at.is_none() => Expected::Presence,
                None => {
                    let class_id = *numbers.entry(root).or_insert(next);
                    let constructor = if class.order.is_some() { Expected::OpenOrdered } else { Expected::Open };
                    constructor(class_id)
                }
            }
        };
        (0..).zip(&self.list).map(expected).collect()
    }

    /// The variable of a name, without a use of its value.
    pub(super) fn mention(&mut self, name: &Arc<str>) -> VariableId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = VariableId(self.list.len() as u32);
        self.list.push(Variable {
            name: name.clone(),
            needed_at: None,
            typed_at: None,
            declared: None,
            as_formula: false,
            is_supposed_formula: false,
        });
        self.links.push(id);
        self.classes.push(Class::default());
        self.ids.insert(name.clone(), id);
        id
    }

    /// Notes the type that a declaration gives a variable.
    pub(super) fn declare(&mut self, id: VariableId, ty: ValueType, span: Span) {
        self.list[id.index()].declared = Some(ty);
        let root = self.root(id);
        self.classes[root.index()].declared = Some((ty, span));
    }

    /// Notes that the value of a variable is used.
    pub(super) fn need(&mut self, id: VariableId, span: Span) {
        self.list[id.index()].needed_at.get_or_insert(span);
    }

    /// Notes that a variable stands as a formula itself, so that a number has to be 0 or 1.
    pub(super) fn stands_as_formula(&mut self, id: VariableId) {
        self.list[id.index()].as_formula = true;
    }

    /// Notes that a formula was made of a variable although it may turn out to have a value.
    pub(super) fn suppose_formula(&mut self, id: VariableId) {
        self.list[id.index()].is_supposed_formula = true;
    }

    /// Notes a use of a variable that bears on its type.
    pub(super) fn ask(&mut self, id: VariableId, asked: Use, span: Span) -> Result<(), Contradiction> {
        let root = self.root(id);
        let before = self.classes[root.index()];
        let class = before.with(asked, span);
        if asked != Use::Operand && asked != Use::Order {
            self.list[id.index()].typed_at.get_or_insert(span);
        }
        match before.said().filter(|_| !class.is_possible()) {
            Some(before) => Err(Contradiction { name: self.list[id.index()].name.clone(), before }),
            None => {
                self.classes[root.index()] = class;
                Ok(())
            }
        }
    }

    /// Two variables are compared with each other: they share one type.
    pub(super) fn join(&mut self, left: VariableId, right: VariableId, span: Span) -> Result<(), Contradiction> {
        let (into, from) = (self.root(left), self.root(right));
        if into == from {
            return Ok(());
        }
        let merged = self.classes[into.index()].merged(self.classes[from.index()]);
        for id in [left, right] {
            self.list[id.index()].typed_at.get_or_insert(span);
        }
        let declared_unlike = match (self.classes[into.index()].declared, self.classes[from.index()].declared) {
            (Some((left, _)), Some((right, _))) => left != right,
            _ => false,
        };
        if merged.is_possible() && !declared_unlike {
            self.links[from.index()] = into;
            self.classes[into.index()] = merged;
            return Ok(());
        }
        let said = self.classes[from.index()].said().or_else(|| merged.said());
        let before = said.unwrap_or(("compared", span));
        Err(Contradiction { name: self.list[right.index()].name.clone(), before })
    }

    fn root(&self, id: VariableId) -> VariableId {
        let mut id = id;
        while self.links[id.index()] != id {
            id = self.links[id.index()];
        }
        id
    }
}
