//! Fields and methods of classes, found by the names that the spec has for them.

use crate::interface::{Class, FieldId, MethodId};
use crate::machine::{Declared, Global, Jvm};
use crate::wanted::{WantedField, WantedMethod, is_class};
use traceward::Value;
use traceward_logic::diagnostic::did_you_mean;

/// Why something cannot be watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem(pub(crate) String);

/// A field that a class has, or inherits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// The class that declares it.
    pub(crate) owner: Class,
    pub(crate) field: FieldId,
    /// The first letter of its type's signature.
    pub(crate) letter: u8,
    pub(crate) is_static: bool,
    pub(crate) has_initialiser: bool,
}

/// A field that is watched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundField {
    pub(crate) owner: Global,
    pub(crate) field: FieldId,
    pub(crate) letter: u8,
    pub(crate) is_static: bool,
    /// The place of its value in the state.
    pub(crate) place: usize,
    /// Whether its class has been initialised, if it is static.
    pub(crate) is_known: bool,
    /// Whether code runs when its class is initialised.
    pub(crate) has_initialiser: bool,
}

impl FoundField {
    /// Whether it is the same field by another name.
    pub(crate) fn is_twin(&self, other: &Self) -> bool {
        self.field == other.field && self.owner == other.owner
    }
}

/// A method that is watched, with the events that the spec speaks of.
#[derive(Clone, Debug)]
pub(crate) struct FoundMethod {
    pub(crate) method: MethodId,
    pub(crate) is_static: bool,
    pub(crate) call: Option<Value>,
    pub(crate) returned: Option<Value>,
    pub(crate) thrown: Option<Value>,
}

/// Looks for a field in a class, then in what it inherits from.
pub(crate) fn find_field(jvm: Jvm, class: Class, name: &str, wanted: &WantedField) -> Result<Found, Problem> {
    let mut names = Vec::new();
    let Some((owner, field, declared)) = search(jvm, class, &wanted.field, &mut names) else {
        let help = did_you_mean(&wanted.field, names.iter().map(String::as_str));
        let help = help.unwrap_or_else(|| match names.as_slice() {
            [] => "it has none".to_owned(),
            names => format!("it has {}", names.join(", ")),
        });
        return Err(Problem(format!("class {name} has no field `{}`: {help}", wanted.field)));
    };
    let letter = declared.signature.bytes().next().unwrap_or_default();
    if letter == b'[' {
        return Err(Problem(format!(
            "`{}` is an array, and elements of arrays cannot be watched: let the program keep what matters in a field",
            wanted.name
        )));
    }
    let has_initialiser = jvm.methods(owner).into_iter().any(|method| jvm.method_name(method) == "<clinit>");
    Ok(Found { owner, field, letter, is_static: declared.is_static, has_initialiser })
}

/// The field of this name, its class and what the class says of it; `names` gets all others.
fn search(jvm: Jvm, class: Class, wanted: &str, names: &mut Vec<String>) -> Option<(Class, FieldId, Declared)> {
    for field in jvm.fields(class) {
        let Some(declared) = jvm.declared(class, field) else { continue };
        if declared.name == wanted {
            return Some((class, field, declared));
        }
        names.push(declared.name);
    }
    let above = jvm.interfaces(class).into_iter().chain(jvm.superclass(class));
    above.into_iter().find_map(|one| search(jvm, one, wanted, names))
}

/// The methods of this name that a class has itself.
pub(crate) fn find_methods(
    jvm: Jvm,
    class: Class,
    name: &str,
    wanted: &WantedMethod,
) -> Result<Vec<FoundMethod>, Problem> {
    let named: Vec<(MethodId, String)> =
        jvm.methods(class).into_iter().map(|method| (method, jvm.method_name(method))).collect();
    let found = named.iter().filter(|(_, name)| *name == wanted.method).map(|(method, _)| FoundMethod {
        method: *method,
        is_static: jvm.is_static(*method),
        call: wanted.call.clone(),
        returned: wanted.returned.clone(),
        thrown: wanted.thrown.clone(),
    });
    let found: Vec<FoundMethod> = found.collect();
    if found.is_empty() {
        let help = did_you_mean(&wanted.method, named.iter().map(|(_, name)| name.as_str()));
        let help = help.unwrap_or_else(|| "name the class that declares it".to_owned());
        return Err(Problem(format!("class {name} has no method `{}` of its own: {help}", wanted.method)));
    }
    Ok(found)
}

/// What is said of a class that was never loaded.
pub(crate) fn unfound_class(jvm: Jvm, name: &str, class: &str) -> String {
    let loaded = jvm.loaded_classes();
    let names: Vec<String> = loaded
        .into_iter()
        .map(|class| {
            let name = jvm.class_name(class);
            jvm.forget(class);
            name
        })
        .collect();
    let help = did_you_mean(class, names.iter().map(String::as_str));
    let help = help.map(|help| format!("; {help}")).unwrap_or_default();
    format!("`{name}` was never seen: no class {class} was loaded{help}")
}

/// What is said of a name that can only be that of a local variable: `Main.main.x`.
pub(crate) fn local_variable(jvm: Jvm, wanted: &WantedField) -> Option<String> {
    let (class, method) = wanted.class.rsplit_once('.')?;
    let loaded = jvm.loaded_classes();
    let found = loaded.into_iter().find(|&one| is_class(&jvm.class_name(one), class))?;
    let has_it = jvm.methods(found).into_iter().any(|one| jvm.method_name(one) == method);
    has_it.then(|| {
        format!(
            "`{}`: {method} is a method of {class}, and local variables cannot be watched, only fields; \
             let the program keep `{}` in a field",
            wanted.name, wanted.field
        )
    })
}
