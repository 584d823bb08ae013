//! Running the program as a user would.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
