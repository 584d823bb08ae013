//! `docs/java.md` shows what is really printed: its commands are run in order.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the tests' own, with the examples compiled and the agent beside them.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documentation");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    for entry in fs::read_dir(root().join("examples/java")).expect("the examples") {
        let path = entry.expect("a file").path();
        fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
    let test = std::env::current_exe().expect("this test is a program");
    let deps = test.parent().expect("it stands in a directory");
    let found = [deps.parent().expect("of the target"), deps].map(|dir| dir.join("libtraceward_jvmti.so"));
    let built = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified()).ok();
    let newest = found.into_iter().filter(|path| path.exists()).max_by_key(built).expect("the agent is built");
    fs::copy(newest, folder.join("libtraceward_jvmti.so")).expect("a copy of the agent");
    let compiled = Command::new("sh").args(["-c", "javac -g -d . *.java"]).current_dir(&folder).status();
    assert!(compiled.expect("a shell").success(), "no JDK, or an example is wrong: `./test` installs one");
    folder
}

/// A command with all that it prints, and its exit status as the shell has it.
fn run(command: &str, folder: &Path, status: &mut i32) -> String {
    let path = folder.join("printed");
    let printed = File::create(&path).expect("a file");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command.replace("=lib", "=./lib").replace(":lib", ":./lib").replace("$?", &status.to_string()));
    shell.current_dir(folder).stdout(printed.try_clone().expect("a file")).stderr(printed);
    *status = shell.status().expect("a shell").code().unwrap_or(-1);
    fs::read_to_string(path).expect("UTF-8")
}

#[test]
fn the_page_on_java_shows_what_is_printed() {
    let page = fs::read_to_string(root().join("docs/java.md")).expect("the page");
    let folder = folder();
    let (mut status, mut commands) = (0, 0);
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("    $ ") else { continue };
        let mut shown = String::new();
        // An empty line is one of the output if the block goes on behind it.
        let mut empty = String::new();
        while let Some(next) =
            lines.next_if(|next| next.is_empty() || (next.starts_with("    ") && !next.starts_with("    $ ")))
        {
            match next.strip_prefix("    ") {
                Some(text) => shown += &format!("{}{text}\n", std::mem::take(&mut empty)),
                None => empty.push('\n'),
            }
        }
        assert_eq!(run(command, &folder, &mut status), shown, "{command}");
        commands += 1;
    }
    assert_eq!(commands, 13, "commands of the page");
}

#[test]
fn the_page_shows_the_specs_of_the_examples() {
    let page = fs::read_to_string(root().join("docs/java.md")).expect("the page");
    for name in ["safe.tw", "account.tw"] {
        let spec = fs::read_to_string(root().join("examples/java").join(name)).expect("a spec");
        let code = spec.lines().filter(|line| !line.starts_with("//") && !line.is_empty());
        for line in code {
            assert!(page.contains(&format!("    {line}\n")), "{name}: {line}");
        }
    }
}
