//! States as lines of text.
//!
//! What control says of a location is the same every time: it is written once, and copied. So are
//! names and booleans; only integers are written anew.

use crate::program::{Column, ColumnType, Program, Source};
use crate::run::Simulation;

/// The form of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// CSV: a header and then a line a state.
    Csv,
    /// JSON lines: an object a state.
    JsonLines,
}

/// Writes states of one program as lines.
///
/// ```
/// use traceward_simulate::{Form, Lines, Program, Simulation};
///
/// let program = Program::parse("local x : integer  P :: [ l0: x := 2 ]").expect("a program");
/// let mut text = Vec::new();
/// let lines = Lines::new(&program, Form::Csv);
/// lines.header(&mut text);
/// lines.state(&Simulation::new(&program, 1), &mut text);
/// assert_eq!(text, b"x,P.at,at_l0\n0,l0,true\n");
/// ```
#[derive(Clone, Debug)]
pub struct Lines {
    header: Vec<u8>,
    parts: Vec<Part>,
    end: &'static [u8],
}

/// A part of a line, one or more columns long.
#[derive(Clone, Debug)]
enum Part {
    /// The columns on the control of a process: a text for each location.
    Control {
        process: usize,
        texts: Vec<Vec<u8>>,
    },
    Integer {
        before: Vec<u8>,
        source: Source,
    },
    Boolean {
        source: Source,
        texts: [Vec<u8>; 2],
    },
}

impl Lines {
    /// Prepares to write states of a program.
    pub fn new(program: &Program, form: Form) -> Self {
        let columns = &program.columns;
        let header = match form {
            Form::Csv => {
                let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
                format!("{}\n", names.join(",")).into_bytes()
            }
            Form::JsonLines => Vec::new(),
        };
        let mut parts = Vec::new();
        let mut number = 0;
        while number < columns.len() {
            let length = control_length(&columns[number..]);
            parts.push(part(program, form, number, length));
            number += length.max(1);
        }
        let end: &[u8] = match form {
            Form::Csv => b"\n",
            Form::JsonLines => b"}\n",
        };
        Self { header, parts, end }
    }

    /// Adds what comes before the first state.
    pub fn header(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(&self.header);
    }

    /// Adds the line of a state.
    pub fn state(&self, simulation: &Simulation<'_>, text: &mut Vec<u8>) {
        for part in &self.parts {
            match part {
                Part::Control { process, texts } => {
                    text.extend_from_slice(&texts[simulation.location_number(*process)]);
                }
                Part::Integer { before, source } => {
                    text.extend_from_slice(before);
                    text.extend_from_slice(itoa::Buffer::new().format(simulation.number(*source)).as_bytes());
                }
                Part::Boolean { source, texts } => {
                    text.extend_from_slice(&texts[usize::from(simulation.number(*source) != 0)]);
                }
            }
        }
        text.extend_from_slice(self.end);
    }
}

/// The number of columns on the control of one process that these begin with.
fn control_length(columns: &[Column]) -> usize {
    let Some(Column { source: Source::At { process: first }, .. }) = columns.first() else { return 0 };
    let is_same = |column: &&Column| matches!(column.source, Source::InFront { process, .. } if process == *first);
    1 + columns[1..].iter().take_while(is_same).count()
}

fn part(program: &Program, form: Form, number: usize, length: usize) -> Part {
    let column = &program.columns[number];
    let before = |number: usize| before(form, number, &program.columns[number].name);
    match (column.source, column.ty) {
        (Source::At { process }, _) => {
            let locations = program.processes[process].locations.iter();
            let texts = locations.map(|location| {
                let mut text = before(number);
                text.extend_from_slice(quoted(form, &location.label).as_bytes());
                for (label, number) in (number + 1..number + length).enumerate() {
                    text.extend(before(number));
                    text.extend_from_slice(location.in_front.contains(&label).to_string().as_bytes());
                }
                text
            });
            Part::Control { process, texts: texts.collect() }
        }
        (source, ColumnType::Boolean) => {
            let text = |bit: bool| [before(number), bit.to_string().into_bytes()].concat();
            Part::Boolean { source, texts: [text(false), text(true)] }
        }
        (source, _) => Part::Integer { before: before(number), source },
    }
}

/// What stands before a value: what separates it from others, and in JSON its name. Names are
/// words, and need no escapes.
fn before(form: Form, number: usize, name: &str) -> Vec<u8> {
    match (form, number) {
        (Form::Csv, 0) => String::new(),
        (Form::Csv, _) => ",".to_owned(),
        (Form::JsonLines, 0) => format!("{{\"{name}\":"),
        (Form::JsonLines, _) => format!(",\"{name}\":"),
    }
    .into_bytes()
}

fn quoted(form: Form, label: &str) -> String {
    match form {
        Form::Csv => label.to_owned(),
        Form::JsonLines => format!("\"{label}\""),
    }
}
