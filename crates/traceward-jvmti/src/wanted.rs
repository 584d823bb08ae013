//! What a spec speaks of, by the names that Java has for it.

use std::sync::Arc;
use traceward::input::{Records, TimeColumn, TimeUnit};
use traceward::message::{Paint, Style};
use traceward::{Goal, Settings, Source, Spec, Value, VariableId};

/// A spec as the agent reads it.
pub(crate) struct Wanted {
    pub(crate) spec: Spec,
    pub(crate) fields: Vec<WantedField>,
    /// The variable that has the event of a state, if the spec speaks of events.
    pub(crate) event: Option<VariableId>,
    pub(crate) methods: Vec<WantedMethod>,
}

/// A variable that names a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WantedField {
    /// The name in the spec.
    pub(crate) name: Arc<str>,
    pub(crate) variable: VariableId,
    pub(crate) class: String,
    pub(crate) field: String,
}

/// A method whose events a spec speaks of.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct WantedMethod {
    pub(crate) class: String,
    pub(crate) method: String,
    pub(crate) call: Option<Value>,
    pub(crate) returned: Option<Value>,
    pub(crate) thrown: Option<Value>,
}

/// The name of the column of events, where the spec declares none.
const EVENT: &str = "event";

impl Wanted {
    pub(crate) fn read(path: &str, text: &str) -> Result<Self, String> {
        let spec = parse(path, text)?;
        let event_name = spec.settings().event.clone().unwrap_or_else(|| EVENT.to_owned());
        let (mut fields, mut event) = (Vec::new(), None);
        for (index, variable) in spec.variables().iter().enumerate() {
            let id = VariableId(index as u32);
            if *variable.name == *event_name {
                event = Some(id);
            } else {
                fields.push(WantedField::parse(&variable.name, id)?);
            }
        }
        let methods = match event {
            Some(_) => methods(&spec, &event_name)?,
            None => Vec::new(),
        };
        if fields.is_empty() && methods.is_empty() {
            return Err(format!("{path} speaks of no field and of no method: there is nothing to watch"));
        }
        Ok(Self { spec, fields, event, methods })
    }
}

/// Reads the spec. States are whole, a string alone is an event, and times are nanoseconds since
/// the program has started.
fn parse(path: &str, text: &str) -> Result<Spec, String> {
    let style = Style { paint: Paint::Plain, ..Style::default() };
    let read = |event: Option<&str>, time: Option<TimeColumn>| {
        let settings =
            Settings { records: Some(Records::States), event: event.map(str::to_owned), time, ..Settings::default() };
        Spec::parse_with(vec![Source::new(path, text, Goal::Check)], settings)
    };
    let own = read(None, None).ok().and_then(|spec| spec.settings().event.clone());
    let event = own.as_deref().unwrap_or(EVENT);
    let spec = read(Some(event), None).map_err(|error| error.render(style))?;
    if spec.settings().by.is_some() {
        return Err(format!("{path}: `by` splits a trace, and here every object is a trace of its own: leave it out"));
    }
    if spec.lowered().needs_time.is_none() {
        return Ok(spec);
    }
    let time = TimeColumn::new("@time", Some(TimeUnit::Ns));
    read(Some(event), Some(time)).map_err(|error| error.render(style))
}

impl WantedField {
    fn parse(name: &Arc<str>, variable: VariableId) -> Result<Self, String> {
        if name.contains('[') {
            return Err(format!(
                "`{name}`: elements of arrays cannot be watched, only fields; let the program keep it in a field"
            ));
        }
        match name.rsplit_once('.') {
            Some((class, field)) if !class.is_empty() && !field.is_empty() => {
                Ok(Self { name: name.clone(), variable, class: class.to_owned(), field: field.to_owned() })
            }
            _ => Err(format!("`{name}` names no field: write `pkg.Class.{name}`; local variables cannot be watched")),
        }
    }
}

/// The methods that the events of a spec name.
fn methods(spec: &Spec, event: &str) -> Result<Vec<WantedMethod>, String> {
    let texts = spec.texts_of(event).ok_or_else(|| {
        format!("`{event}` has to be compared with strings, so that one can tell which methods are meant")
    })?;
    let mut methods: Vec<WantedMethod> = Vec::new();
    for text in texts {
        let parts = text.split_once(' ').and_then(|(word, name)| Some((word, name.trim().rsplit_once('.')?)));
        let Some((word @ ("call" | "return" | "throw"), (class, method))) = parts else {
            return Err(format!(
                "\"{text}\" is no event of a program in Java: write \"call pkg.Class.method\", \
                 \"return pkg.Class.method\" or \"throw pkg.Class.method\""
            ));
        };
        let index = methods.iter().position(|one| one.class == class && one.method == method);
        let index = index.unwrap_or_else(|| {
            let (class, method) = (class.to_owned(), method.to_owned());
            methods.push(WantedMethod { class, method, call: None, returned: None, thrown: None });
            methods.len() - 1
        });
        let wanted = &mut methods[index];
        let value = Some(Value::Str(text.clone()));
        match word {
            "call" => wanted.call = value,
            "return" => wanted.returned = value,
            _ => wanted.thrown = value,
        }
    }
    Ok(methods)
}

/// Whether a class of the machine is the one that a spec names. Nested classes may be written with
/// a dot, as in programs, or with the `$` that class files have.
pub(crate) fn is_class(name: &str, wanted: &str) -> bool {
    let plain = |letter: u8| if letter == b'$' { b'.' } else { letter };
    name.len() == wanted.len() && name.bytes().map(plain).eq(wanted.bytes().map(plain))
}

/// The names that class files may have for a class: its last dots may stand for `$`.
pub(crate) fn spellings(class: &str) -> impl Iterator<Item = String> {
    let mut next = Some(class.to_owned());
    std::iter::from_fn(move || {
        let now = next.take()?;
        next = now.rsplit_once('.').map(|(outer, inner)| format!("{outer}${inner}"));
        Some(now)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_name_fields() {
        let wanted = Wanted::read("a.tw", "G(pkg.Main.x > 0 -> `pkg.Outer$In.y` == \"a\")").unwrap();
        let names: Vec<_> = wanted.fields.iter().map(|one| (&*one.class, &*one.field)).collect();
        assert_eq!(names, [("pkg.Main", "x"), ("pkg.Outer$In", "y")]);
        assert!(wanted.event.is_none() && wanted.methods.is_empty());
    }

    #[test]
    fn strings_name_events_of_methods() {
        let wanted = Wanted::read("a.tw", "G(\"call Main.go\" -> F[0,1s] \"return Main.go\" | Main.x > 0)").unwrap();
        let [method] = &wanted.methods[..] else { panic!("{:?}", wanted.methods) };
        assert_eq!((&*method.class, &*method.method), ("Main", "go"));
        assert_eq!(method.call, Some(Value::str("call Main.go")));
        assert_eq!(method.returned, Some(Value::str("return Main.go")));
        assert_eq!(method.thrown, None);
        assert!(wanted.spec.settings().time.is_some());
        let declared = "trace { event what } property p = F(what in {\"throw a.B.c\"})";
        let wanted = Wanted::read("a.tw", declared).unwrap();
        assert_eq!(wanted.methods[0].thrown, Some(Value::str("throw a.B.c")));
    }

    #[test]
    fn what_cannot_be_watched_is_refused_with_a_way_out() {
        let refused = |text: &str| Wanted::read("a.tw", text).err().unwrap();
        assert!(refused("G x > 0").contains("write `pkg.Class.x`"));
        assert!(refused("G `Main.a[0]` > 0").contains("elements of arrays cannot be watched"));
        assert!(refused("G \"enter Main.go\"").contains("is no event of a program in Java"));
        assert!(refused("G matches(event, \"go\")").contains("compared with strings"));
        assert!(refused("trace { by k } property p = G Main.x > 0").contains("leave it out"));
        assert!(refused("G true").contains("nothing to watch"));
        assert!(refused("G (").contains("a.tw"));
    }

    #[test]
    fn nested_classes_are_found_by_both_spellings() {
        assert!(is_class("pkg.Outer$Inner", "pkg.Outer.Inner") && is_class("pkg.Outer$Inner", "pkg.Outer$Inner"));
        assert!(!is_class("pkg.Outer$Inner", "pkg.Outer.Inne"));
        assert_eq!(spellings("a.B.C").collect::<Vec<_>>(), ["a.B.C", "a.B$C", "a$B$C"]);
    }
}
