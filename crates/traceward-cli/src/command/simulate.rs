//! `traceward simulate`

use super::check::written_file::refuse_inputs;
use crate::arguments::{SimulateArguments, TraceForm};
use crate::failure::{Failure, Outcome, tell};
use crate::input;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use traceward::message::{Diagnostic, render};
use traceward_simulate::{Fault, Form, LONGEST_PROGRAM, Lines, Program, Simulation, Standing, Step};

/// The number of bytes that are written at once.
const PIECE: usize = 64 << 10;

pub fn run(arguments: &SimulateArguments) -> Result<Outcome, Failure> {
    let text = program_text(&arguments.program)?;
    let wrong = |errors: &[Diagnostic]| {
        Failure::Message(render(&input::name(&arguments.program), &text, errors, input::style()))
    };
    let program = Program::parse(&text).map_err(|errors| wrong(&errors))?;
    let out = destination(arguments)?;
    let mut simulation = Simulation::new(&program, arguments.seed);
    let ending = write_states(&mut simulation, arguments, &program, Trace::new(out)).map_err(Failure::Output)?;
    match ending {
        Ending::Complete | Ending::Closed => Ok(Outcome::Holds),
        Ending::Stuck if arguments.quiet => Ok(Outcome::Holds),
        Ending::Stuck => {
            tell(&stuck(&simulation));
            Ok(Outcome::Holds)
        }
        Ending::Fault(fault) => Err(wrong(&[*fault.diagnostic])),
    }
}

/// The reason why no more states are written.
enum Ending {
    /// All steps have been taken.
    Complete,
    /// No process can go on.
    Stuck,
    /// Nobody reads the trace any more.
    Closed,
    /// A step cannot be taken.
    Fault(Fault),
}

fn write_states(
    simulation: &mut Simulation<'_>,
    arguments: &SimulateArguments,
    program: &Program,
    mut trace: Trace,
) -> io::Result<Ending> {
    let form = match arguments.format {
        TraceForm::Csv => Form::Csv,
        TraceForm::Jsonl => Form::JsonLines,
    };
    let lines = Lines::new(program, form);
    lines.header(&mut trace.text);
    lines.state(simulation, &mut trace.text);
    let mut ending = Ending::Complete;
    while simulation.steps() < arguments.steps {
        match simulation.step() {
            Ok(Step::Taken | Step::Passed) => lines.state(simulation, &mut trace.text),
            Ok(Step::Stuck) => {
                ending = Ending::Stuck;
                break;
            }
            Err(fault) => {
                ending = Ending::Fault(fault);
                break;
            }
        }
        if trace.text.len() >= PIECE && trace.pass()? == Reader::Gone {
            return Ok(Ending::Closed);
        }
    }
    trace.finish()?;
    Ok(ending)
}

/// Whether somebody reads what is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    There,
    Gone,
}

/// A trace on its way out, in large pieces.
struct Trace {
    text: Vec<u8>,
    out: Box<dyn Write>,
}

impl Trace {
    fn new(out: Box<dyn Write>) -> Self {
        Self { text: Vec::with_capacity(2 * PIECE), out }
    }

    /// Passes on what there is. A reader who has seen enough is no error, but there is nobody to
    /// simulate for any more.
    fn pass(&mut self) -> io::Result<Reader> {
        let result = self.out.write_all(&self.text);
        self.text.clear();
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
            result => result.map(|()| Reader::There),
        }
    }

    fn finish(mut self) -> io::Result<()> {
        match self.pass()? {
            Reader::Gone => Ok(()),
            Reader::There => match self.out.flush() {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                result => result,
            },
        }
    }
}

fn destination(arguments: &SimulateArguments) -> Result<Box<dyn Write>, Failure> {
    let Some(path) = &arguments.output else { return Ok(Box::new(io::stdout().lock())) };
    if path.as_os_str() == "-" {
        let help = "without --output the trace goes to standard output";
        return Err(Failure::new("--output needs a file, and - is none").help(help));
    }
    refuse_inputs("--output", path, std::slice::from_ref(&arguments.program))?;
    let named = |error: io::Error| Failure::new(format!("{}: {}", input::name(path), input::reason(&error)));
    Ok(Box::new(File::create(path).map_err(named)?))
}

fn program_text(path: &Path) -> Result<String, Failure> {
    let name = input::name(path);
    let mut bytes = Vec::new();
    // One byte more than is allowed tells that there are too many.
    let most = LONGEST_PROGRAM as u64 + 1;
    let read = match path.as_os_str() == "-" {
        true => io::stdin().lock().take(most).read_to_end(&mut bytes),
        false => File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)),
    };
    read.map_err(|error| Failure::new(format!("{name}: {}", input::reason(&error))))?;
    if bytes.len() > LONGEST_PROGRAM {
        return Err(Failure::new(format!("{name}: a program of more than {} MiB is not read", LONGEST_PROGRAM >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| Failure::new(format!("{name}: not UTF-8 text")))
}

/// Why a trace ends early.
fn stuck(simulation: &Simulation<'_>) -> String {
    let steps = match simulation.steps() {
        1 => "1 step".to_owned(),
        steps => format!("{steps} steps"),
    };
    if simulation.has_ended() {
        return format!("note: all processes have ended after {steps}");
    }
    let stands = |standing: Standing<'_>| match standing.line {
        Some(line) => format!("\n  {} stands at {} (line {line})", standing.process, standing.label),
        None => format!("\n  {} has ended", standing.process),
    };
    let processes: String = simulation.standing().map(stands).collect();
    format!("note: deadlock after {steps}: no process can go on{processes}")
}
