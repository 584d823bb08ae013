//! Makes C programs tell a monitor what a spec needs to know.
//!
//! [`instrument`] finds every place where a variable that the spec mentions can change, and puts
//! code behind it that keeps an image of the watched values and sends a state when a predicate
//! differs. A small runtime in one header carries the events to a file, a socket or a pipe. It is
//! what OPrA does (the thesis' appendix), with scopes, pointers, structs and more than one file.

mod ctype;
mod declare;
mod embed;
mod generate;
mod header;
mod place;
mod predicate;
mod problem;
mod program;
mod rewrite;
mod seat;
mod source;
mod stand_in;
mod states;
mod watch;

pub use embed::embedded;
pub use problem::{Place, Problem, Warning};
pub use source::{SourceFile, quoted_includes};
pub use states::States;
pub use watch::CALLS_ARE_EVENTS;

use ctype::CType;
use declare::{Declarations, Storage};
use generate::{Generator, IN_PROCESS, IN_PROCESS_HEADER, RUNTIME, RUNTIME_HEADER, WATCH_HEADER, WATCH_SOURCE};
use predicate::Predicates;
use program::Program;
use rewrite::{Ways, rewrite};
use source::{FileId, Role, Source, base_name, contains};
use stand_in::Shapes;
use std::collections::BTreeSet;
use traceward::Spec;
use traceward_logic::expr::Expr;
use traceward_logic::formula::Node;
use traceward_logic::lower::Expected;
use watch::{Kind, Watch};

/// What is to be instrumented, and how.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The spec.
    pub spec: &'a Spec,
    /// Its text, which the files carry.
    pub spec_text: &'a str,
    /// The program's files.
    pub files: &'a [SourceFile],
    /// The headers of its own that they include. Those whose functions write get copies.
    pub headers: &'a [SourceFile],
    /// What counts as a state; none for what the spec needs.
    pub states: Option<States>,
    /// Whether calls and returns of functions are states, too.
    pub events: bool,
    /// Whether several threads write, so that each write and what is told of it stand under a lock.
    pub threads: bool,
}

/// A program that tells.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The files to write, by their names. Those that end in `.c` are compiled together.
    pub files: Vec<SourceFile>,
    /// Headers to write, by their paths from there: they take the places of the program's own.
    pub headers: Vec<SourceFile>,
    /// Paths at which there must be no header: the program's own is meant.
    pub no_headers: Vec<String>,
    /// What the program will not tell, or not at once.
    pub warnings: Vec<Warning>,
    /// What counts as a state.
    pub states: States,
    /// The predicates, numbered from 2.
    pub predicates: Vec<String>,
}

/// Makes a program tell what a spec needs to know.
pub fn instrument(order: &Order<'_>) -> Result<Instrumented, Vec<Problem>> {
    let sources = parse(order)?;
    let declarations = Declarations::of(&sources);
    let (slots, watches) = watched(order, &sources, &declarations)?;
    let predicates = Predicates::of(order.spec, &slots, &watches);
    let mut warnings = BTreeSet::new();
    let mut program = Program::new(&sources, &declarations, watches);
    program.find_escapes(&mut warnings);
    if order.events {
        take_arguments(&mut program);
    }
    warn_of_objects(order, &program, &mut warnings);
    let states = order.states.unwrap_or_else(|| States::needed_by(order.spec));
    let ways = Ways { events: order.events, threads: order.threads };
    let comment = embed::comment(order.spec_text, &predicates.list);
    let generator = Generator {
        program: &program,
        predicates: &predicates,
        states,
        ways,
        comment: &comment,
        spec_text: order.spec_text,
        spec: order.spec.fingerprint(),
    };
    let mut files = Vec::new();
    for source in sources.iter().filter(|source| source.role == Role::Program) {
        let body = rewrite(&program, source, ways, &mut warnings);
        let text = generator.prologue(source) + &body + &generator.epilogue(source);
        files.push(SourceFile { name: source.base_name().to_owned(), text });
    }
    let (headers, no_headers) = headers(&generator, &mut warnings);
    let name = order.files.first().map_or("program", |file| base_name(&file.name).trim_end_matches(".c"));
    let more = [
        (WATCH_SOURCE, generator.definitions(name)),
        (WATCH_HEADER, generator.header()),
        (RUNTIME_HEADER, RUNTIME.to_owned()),
        (IN_PROCESS_HEADER, IN_PROCESS.to_owned()),
    ];
    files.extend(more.map(|(name, text)| SourceFile { name: name.to_owned(), text }));
    Ok(Instrumented {
        files,
        headers,
        no_headers,
        warnings: warnings.into_iter().collect(),
        states,
        predicates: predicates.list.into_iter().map(|one| one.text).collect(),
    })
}

/// The copies of headers, and the paths of those that have none.
fn headers(generator: &Generator<'_>, warnings: &mut BTreeSet<Warning>) -> (Vec<SourceFile>, Vec<String>) {
    let sources = generator.program.sources;
    let of_headers = sources.iter().enumerate().filter(|(_, source)| source.role == Role::Header);
    let mut rewritten = |source: &Source| match contains(source.root(), &["function_definition"]) {
        true => rewrite(generator.program, source, generator.ways, warnings),
        false => source.text.clone(),
    };
    let bodies: Vec<(usize, String)> = of_headers.map(|(index, source)| (index, rewritten(source))).collect();
    let changed = bodies.iter().filter(|(index, body)| *body != sources[*index].text).map(|(index, _)| *index);
    let changed: BTreeSet<usize> = changed.collect();
    let copies = match header::copies(sources, &changed) {
        header::Copies::Possible(copies) => copies,
        header::Copies::Impossible => {
            let message = "what functions of this header write is not seen: it is not below the folder of a C file, \
                           or is included by a path that leads elsewhere";
            let place = |index: usize| Place { file: sources[index].name.clone(), line: 1, column: 1 };
            let warning = |index: usize| Warning { place: place(index), message: message.to_owned() };
            warnings.extend(changed.into_iter().map(warning));
            Vec::new()
        }
    };
    let path_of = |index: &usize| header::path_of_copy(sources, &sources[*index]);
    let is_copied = |index: usize| copies.iter().any(|(one, _)| *one == index);
    let others = bodies.iter().map(|(index, _)| index).filter(|index| !is_copied(**index)).filter_map(path_of);
    let others = others.filter(|path| copies.iter().all(|(_, copy)| copy != path)).collect();
    let copy = |(index, name): &(usize, String)| {
        let body = bodies.iter().find(|(one, _)| one == index).map_or("", |(_, body)| body);
        SourceFile { name: name.clone(), text: generator.header_copy(&sources[*index], body) }
    };
    (copies.iter().map(copy).collect(), others)
}

fn parse(order: &Order<'_>) -> Result<Vec<Source>, Vec<Problem>> {
    // A header may have been found by several paths.
    let mut known = BTreeSet::new();
    let is_new = |file: &&SourceFile| known.insert(header::joined("", &file.name));
    let files = order.headers.iter().filter(is_new).map(|file| (Role::Header, file));
    let files: Vec<(Role, &SourceFile)> = files.chain(order.files.iter().map(|file| (Role::Program, file))).collect();
    let macros = Shapes::of(files.iter().map(|(_, file)| file.text.as_str()));
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    for (index, (role, file)) in files.into_iter().enumerate() {
        match Source::parse(FileId(index as u32), role, file, &macros) {
            Ok(source) => sources.push(source),
            Err(problem) => problems.push(problem),
        }
    }
    let mut names = BTreeSet::from([WATCH_SOURCE, WATCH_HEADER, RUNTIME_HEADER, IN_PROCESS_HEADER]);
    for file in order.files {
        if !names.insert(base_name(&file.name)) {
            let problem = Problem::new(format!("{}: there would be two files of that name", file.name));
            problems.push(problem.help("instrumented files stand in one folder: give one of them another name"));
        }
    }
    if problems.is_empty() { Ok(sources) } else { Err(problems) }
}

/// The slot of each variable of the spec, if it has one.
type Slots = Vec<Option<usize>>;

/// The slot of each variable of the spec, and what is in the slots. The column of events has none.
fn watched(
    order: &Order<'_>,
    sources: &[Source],
    declarations: &Declarations,
) -> Result<(Slots, Vec<Watch>), Vec<Problem>> {
    let lowered = order.spec.lowered();
    let (mut slots, mut watches, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for (variable, expected) in lowered.variables.list().iter().zip(lowered.variables.expected()) {
        if order.events && &*variable.name == "event" {
            slots.push(None);
            continue;
        }
        match watch::resolve(sources, declarations, &variable.name, expected) {
            Ok(watch) => {
                slots.push(Some(watches.len()));
                watches.push(watch);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if watches.is_empty() && problems.is_empty() && !order.events {
        problems.push(Problem::new("the spec speaks of no variable of the program: there is nothing to tell"));
    }
    if problems.is_empty() { Ok((slots, watches)) } else { Err(problems) }
}

/// Takes the parameters of all functions, which calls tell, as further slots.
fn take_arguments(program: &mut Program<'_>) {
    for id in program.declarations.ids() {
        let object = program.declarations.object(id);
        let is_known = program.watches.iter().any(|watch| watch.object == id && watch.path.is_empty());
        let is_number =
            matches!(object.ty, CType::Bool | CType::Int { .. } | CType::Char | CType::Enum | CType::Double);
        if object.storage != Storage::Parameter || is_known || !is_number {
            continue;
        }
        let Ok(kind) = watch::kind(&object.ty, Expected::Presence) else { continue };
        let name = format!("{}:{}", object.function.as_deref().unwrap_or_default(), object.name);
        program.watches.push(Watch { name, object: id, path: Vec::new(), kind, ty: object.ty.clone() });
    }
}

/// Warns of objects that others than these files may write, or that are not always there.
fn warn_of_objects(order: &Order<'_>, program: &Program<'_>, warnings: &mut BTreeSet<Warning>) {
    for (_, watch) in program.slots() {
        let object = program.declarations.object(watch.object);
        let name = &watch.name;
        let mut warn = |message: String| warnings.insert(Warning { place: object.place.clone(), message });
        if object.is_volatile {
            warn(format!("`{name}` is volatile: what hardware or another program writes to it is not seen"));
        }
        if !object.is_defined && object.storage == Storage::Global {
            warn(format!("`{name}` is defined in none of these files: what others write to it is not seen"));
        }
        if watch.ty == CType::LongDouble {
            warn(format!("`{name}` is a long double: it is told as a double, which may round it"));
        }
        if watch.kind == Kind::Unsigned {
            warn(format!("`{name}` is unsigned and has 64 bits: above 9223372036854775807 it is told as a float"));
        }
        if watch.kind == Kind::TextPointer {
            warn(format!(
                "`{name}` points at a text: it is read when the pointer or, by its name, the text is written"
            ));
        }
        if let (Kind::Any, CType::Unknown(ty)) = (watch.kind, &watch.ty) {
            warn(format!("`{name}` has the type `{ty}`, which these files do not define: it is taken for a number"));
        }
        if object.storage == Storage::LocalStatic && object.declared.is_none() {
            let function = object.function.as_deref().unwrap_or("its function");
            warn(format!(
                "`{name}` has no value until {function} comes to its declaration, which cannot be read elsewhere"
            ));
        }
        let comes_and_goes = matches!(object.storage, Storage::Local | Storage::Parameter);
        if comes_and_goes && !asks_whether_defined(order.spec, name) {
            let function = object.function.as_deref().unwrap_or("its function");
            warn(format!(
                "`{name}` has a value only while {function} runs, and what is asked of it is false elsewhere; \
                 defined(…) -> … leaves these states out"
            ));
        }
        if comes_and_goes && order.threads {
            warn(format!("`{name}` is local: the calls of several threads are not told apart"));
        }
    }
}

/// Whether a spec asks whether a variable has a value.
fn asks_whether_defined(spec: &Spec, name: &str) -> bool {
    let lowered = spec.lowered();
    let names = lowered.variables.names();
    fn asks(expr: &Expr, names: &[std::sync::Arc<str>], name: &str) -> bool {
        let is_it = |one: &Expr| one.as_variable().is_some_and(|id| &*names[id.index()] == name);
        matches!(expr, Expr::Defined(inner) if is_it(inner)) || expr.parts().iter().any(|part| asks(part, names, name))
    }
    lowered.formulas.parts(&predicate::roots(spec)).into_iter().any(|id| match lowered.formulas.node(id) {
        Node::Atom(atom) => asks(lowered.formulas.atom(atom), &names, name),
        _ => false,
    })
}
