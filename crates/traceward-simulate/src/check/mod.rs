//! Tree to program: names, types, and control as locations with transitions.

mod control;
mod declare;
mod typing;

use crate::expression::{Array, Values};
use crate::program::{Channel, Column, ColumnType, Process, Program, Source};
use crate::syntax::{Named, ProcessTree, ProgramTree, Scalar, Statement, StatementKind};
use rustc_hash::{FxHashMap, FxHashSet};
use traceward_logic::diagnostic::{Diagnostic, Span};

/// The most labels that a program may have. Each is a column of the trace, and each location writes
/// all of its process.
const MOST_LABELS: usize = 1000;

/// The number of mistakes behind which no more are looked for.
const MOST_ERRORS: usize = 50;

/// Checks a program and flattens it.
pub fn program(tree: &ProgramTree, text: &str) -> Result<Program, Vec<Diagnostic>> {
    let mut checker = Checker::new(text);
    checker.declare_all(&tree.declarations, None);
    if checker.name_processes(&tree.processes).is_none() {
        // Whatever belongs to processes of one name would be told twice.
        return checker.finish();
    }
    let labels: Vec<Labels> = tree.processes.iter().map(|process| checker.labels(process)).collect();
    checker.limit_labels(&labels);
    let shared = shared(&labels);
    for (tree, labels) in tree.processes.iter().zip(labels) {
        checker.process(tree, labels, &shared);
    }
    checker.finish()
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    Scalar { slot: usize, ty: Scalar },
    Array { array: usize, ty: Scalar },
    Channel { channel: usize },
    Process,
}

impl Meaning {
    fn words(self) -> &'static str {
        match self {
            Self::Scalar { ty, .. } => ty.words(),
            Self::Array { .. } => "an array",
            Self::Channel { .. } => "a channel",
            Self::Process => "a process",
        }
    }
}

/// Names, what they stand for and where they are declared.
type Scope = FxHashMap<String, (Meaning, Span)>;

/// The labels of a process: the places of their statements, in the order in which they are written,
/// and the number of each.
struct Labels {
    named: Vec<Named>,
    numbers: FxHashMap<String, usize>,
}

/// What is known of a program while it is checked.
struct Checker<'t> {
    text: &'t str,
    globals: Scope,
    locals: Scope,
    /// In a `where`: the name of the index, if it is about an array. There are no variables then.
    initial_of: Option<Option<String>>,
    values: Values,
    arrays: Vec<Array>,
    channels: Vec<Channel>,
    /// The types of the values in each channel's items.
    items: Vec<Vec<Scalar>>,
    processes: Vec<Process>,
    columns: Vec<Column>,
    /// The names of the columns, and where they come from.
    taken: FxHashMap<String, Span>,
    errors: Vec<Diagnostic>,
}

impl<'t> Checker<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            globals: Scope::default(),
            locals: Scope::default(),
            initial_of: None,
            values: Values { scalars: Vec::new(), elements: Vec::new() },
            arrays: Vec::new(),
            channels: Vec::new(),
            items: Vec::new(),
            processes: Vec::new(),
            columns: Vec::new(),
            taken: FxHashMap::default(),
            errors: Vec::new(),
        }
    }

    /// Notes a mistake; there is no result where there is one.
    fn fail<T>(&mut self, error: Diagnostic) -> Option<T> {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
        None
    }

    fn finish(self) -> Result<Program, Vec<Diagnostic>> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let Self { arrays, channels, processes, values, columns, .. } = self;
        Ok(Program { arrays, channels, processes, initial: values, columns })
    }

    fn column(&mut self, name: String, ty: ColumnType, source: Source, span: Span) {
        if let Some(other) = self.taken.insert(name.clone(), span) {
            let message = format!("two columns of the trace would be called `{name}`");
            let error = Diagnostic::error(span, message).label("this one").also(other, "and this one");
            self.fail::<()>(error.help("choose another name for one of the two"));
        }
        self.columns.push(Column { name, ty, source });
    }

    // ---- processes and labels ----

    fn name_processes(&mut self, processes: &[ProcessTree]) -> Option<()> {
        for ProcessTree { name, .. } in processes {
            if let Some((_, other)) = self.globals.get(&name.name) {
                let error = Diagnostic::error(name.span, format!("there is another `{}`", name.name));
                let error = error.label("this name is taken").also(*other, "here");
                return self.fail(error);
            }
            self.globals.insert(name.name.clone(), (Meaning::Process, name.span));
        }
        Some(())
    }

    fn labels(&mut self, process: &ProcessTree) -> Labels {
        let mut labels = Labels { named: Vec::new(), numbers: FxHashMap::default() };
        let mut twice = Vec::new();
        collect(&process.body, &mut labels, &mut twice);
        twice.into_iter().for_each(|error| self.fail(error).unwrap_or_default());
        labels
    }

    fn limit_labels(&mut self, labels: &[Labels]) {
        if let Some(label) = labels.iter().flat_map(|labels| &labels.named).nth(MOST_LABELS) {
            let error = Diagnostic::error(label.span, format!("a program has at most {MOST_LABELS} labels"));
            self.fail::<()>(error.label("this is one more"));
        }
    }

    fn process(&mut self, tree: &ProcessTree, labels: Labels, shared: &FxHashSet<String>) {
        let process = self.processes.len();
        self.control_columns(process, &tree.name, &labels, shared);
        self.locals.clear();
        self.declare_all(&tree.declarations, Some(&tree.name.name));
        // Locations of a program that is refused anyway would be many, and of no use.
        let locations = if self.errors.len() < MOST_ERRORS { self.locations(&tree.body, &labels) } else { Vec::new() };
        self.processes.push(Process { name: tree.name.name.clone(), locations });
    }

    /// `Sender.at`, and `at_l3` of each label.
    fn control_columns(&mut self, process: usize, name: &Named, labels: &Labels, shared: &FxHashSet<String>) {
        self.column(format!("{}.at", name.name), ColumnType::Text, Source::At { process }, name.span);
        for (number, label) in labels.named.iter().enumerate() {
            let path = if shared.contains(&label.name) { format!("{}.", name.name) } else { String::new() };
            let source = Source::InFront { process, label: number };
            self.column(format!("{path}at_{}", label.name), ColumnType::Boolean, source, label.span);
        }
    }
}

/// Numbers the labels of statements, and tells which ones come twice.
fn collect(statements: &[Statement], labels: &mut Labels, twice: &mut Vec<Diagnostic>) {
    for Statement { label, kind, .. } in statements {
        match labels.numbers.get(&label.name) {
            Some(other) => {
                let other = labels.named[*other].span;
                let error = Diagnostic::error(label.span, format!("the label `{}` comes twice", label.name));
                twice.push(error.label("the second time").also(other, "the first time"));
            }
            None => {
                labels.numbers.insert(label.name.clone(), labels.named.len());
                labels.named.push(label.clone());
            }
        }
        match kind {
            StatementKind::Action(_) | StatementKind::After { .. } => {}
            StatementKind::If { then, otherwise, .. } => {
                collect(then, labels, twice);
                collect(otherwise, labels, twice);
            }
            StatementKind::While { body, .. } | StatementKind::Loop { body } => collect(body, labels, twice),
            StatementKind::Selection(alternatives) => {
                alternatives.iter().for_each(|alternative| collect(alternative, labels, twice));
            }
        }
    }
}

/// The labels that several processes have.
fn shared(labels: &[Labels]) -> FxHashSet<String> {
    let mut seen = FxHashSet::default();
    let all = labels.iter().flat_map(|labels| &labels.named);
    all.filter(|label| !seen.insert(label.name.as_str())).map(|label| label.name.clone()).collect()
}
