//! The program that is run, and the folder for what it needs.

use crate::failure::Failure;
use crate::input;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;

/// A folder of our own, which goes when we do.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Result<Self, Failure> {
        use std::os::unix::fs::DirBuilderExt;
        let folder = std::env::temp_dir().join(format!("traceward-run-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        // Nobody else has to read along.
        let made = std::fs::DirBuilder::new().mode(0o700).create(&folder);
        made.map_err(|error| Failure::new(format!("{}: {}", input::name(&folder), input::reason(&error))))?;
        Ok(Self(folder))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // There is nothing to be done where it cannot be removed.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A program that runs.
pub struct Running {
    child: Child,
}

impl Running {
    /// Starts a program, and passes signals on to it from now on.
    pub fn start(command: &[OsString], environment: &[(&str, OsString)]) -> Result<Self, Failure> {
        let [name, arguments @ ..] = command else { return Err(Failure::new("there is no program to run")) };
        // What is not said here must not come from outside.
        let unset = ["TRACEWARD_OUT", "TRACEWARD_ANSWER", "TRACEWARD_STOP", "TRACEWARD_GONE", "TRACEWARD_TOKEN"];
        let mut program = Command::new(name);
        for name in unset {
            program.env_remove(name);
        }
        program.args(arguments).envs(environment.iter().map(|(name, value)| (name, value)));
        let signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2])?;
        let child = program.spawn().map_err(|error| cannot_start(Path::new(name), &error))?;
        pass_on(signals, &child)?;
        Ok(Self { child })
    }

    /// The status of the program, if it has ended.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, Failure> {
        Ok(self.child.try_wait()?)
    }
}

/// Passes signals on. Those of the keyboard reach the program by themselves.
fn pass_on(mut signals: Signals, child: &Child) -> Result<(), Failure> {
    let Some(child) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return Ok(()) };
    let has_keyboard = std::io::stdin().is_terminal();
    thread::Builder::new().spawn(move || {
        for number in signals.forever() {
            let is_of_keyboard = [SIGINT, SIGQUIT].contains(&number);
            if let Some(signal) = Signal::from_named_raw(number).filter(|_| !(is_of_keyboard && has_keyboard)) {
                // A program that has ended needs no signal.
                let _ = kill_process(child, signal);
            }
        }
    })?;
    Ok(())
}

/// Why a program does not start. A file that is there and is no program is mostly a source.
fn cannot_start(program: &Path, error: &std::io::Error) -> Failure {
    let name = input::name(program);
    if !program.is_file() {
        return Failure::new(format!("{name}: {}", input::reason(error)));
    }
    let failure = Failure::new(format!("{name} is no program that can be run, and no C file (.c)"));
    failure.help("C files are instrumented and compiled; a program that is here is named by ./ and its name")
}
