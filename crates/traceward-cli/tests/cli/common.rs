//! Running the program as a user would.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A folder of its own for each test, gone with it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.0.join(name), bytes).expect("a writable file");
        self
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a readable file")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The program in this folder, to be run with whatever input and output.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_traceward"));
        command.args(arguments).current_dir(&self.0).env_remove("CLICOLOR_FORCE").env("NO_COLOR", "1");
        command
    }

    /// Runs the program in this folder.
    pub fn run(&self, arguments: &[&str], stdin: &[u8]) -> Output {
        run_in(&self.0, arguments, stdin)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What the program printed and how it ended.
pub struct Output {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }
}

pub fn run_in(folder: &Path, arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_traceward"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("CLICOLOR_FORCE")
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may end before it has read everything.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    let output = child.wait_with_output().expect("the program ends");
    Output {
        status: output.status.code().expect("no signal"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// A monitor whose input stays open.
pub struct Live {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
}

impl Live {
    pub fn start(arguments: &[&str]) -> Self {
        Self::spawn(Command::new(env!("CARGO_BIN_EXE_traceward")).arg("monitor").args(arguments))
    }

    /// Starts it by a script of the shell, which gets the program and its arguments.
    pub fn start_by(script: &str, arguments: &[&str]) -> Self {
        let program = env!("CARGO_BIN_EXE_traceward");
        Self::spawn(Command::new("sh").args(["-c", script, program, "monitor"]).args(arguments))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .env_remove("CLICOLOR_FORCE")
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output }
    }

    pub fn write(&mut self, text: &str) {
        let input = self.input.as_mut().expect("an open pipe");
        input.write_all(text.as_bytes()).expect("somebody reads");
    }

    /// The next line, which the test waits for.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line
    }

    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// What else it prints, and its exit status.
    pub fn rest(mut self) -> (String, Option<i32>) {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("UTF-8");
        (rest, self.child.wait().expect("an end").code())
    }
}

/// Sends a signal to a program.
pub fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
}

/// A line of the letters a and b, in no order that anybody could remember.
pub fn long_line(length: usize) -> String {
    let mut random = 1_u32;
    let mut letter = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if random >> 31 == 0 { 'a' } else { 'b' }
    };
    (0..length).map(|_| letter()).collect()
}

/// Command, status, standard output and standard error together.
pub fn transcript(arguments: &[&str], output: &Output) -> String {
    let shown: Vec<String> = arguments
        .iter()
        .map(|argument| match argument.contains([' ', '"', '(', '>', '|', '&', '*', '[']) {
            true => format!("'{argument}'"),
            false => (*argument).to_owned(),
        })
        .collect();
    let mut text = format!("$ traceward {}\n{}", shown.join(" "), output.stdout);
    if !output.stderr.is_empty() {
        text.push_str(&format!("--- standard error\n{}", output.stderr));
    }
    text.push_str(&format!("--- exit status {}\n", output.status));
    text
}
