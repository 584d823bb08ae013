//! The map in ARCHITECTURE.md names what there is: every crate, every top-level module, and nothing
//! else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The longest description of a module, in words.
const MOST_WORDS: usize = 12;
/// The widest line, in characters.
const WIDEST: usize = 100;

/// The modules of each crate, by the name of the crate's folder.
type Map = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn document() -> String {
    read(&root().join("ARCHITECTURE.md"))
}

/// The folders of the workspace's crates.
fn folders() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).expect("the folder of the crates");
    let crates = crates.map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = crates.chain([root().join("bench")]).collect();
    folders.retain(|folder| folder.join("Cargo.toml").exists());
    folders
}

/// The modules that the root of a crate declares, in files of their own.
fn declared(folder: &Path) -> BTreeSet<String> {
    let library = folder.join("src/lib.rs");
    let file = if library.exists() { library } else { folder.join("src/main.rs") };
    let module = |line: &str| {
        let line = line.strip_prefix("pub ").or(line.strip_prefix("pub(crate) ")).unwrap_or(line);
        Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    read(&file).lines().filter_map(module).collect()
}

fn in_the_code() -> Map {
    let name = |folder: &Path| folder.file_name().expect("a folder's name").to_string_lossy().into_owned();
    folders().iter().map(|folder| (name(folder), declared(folder))).collect()
}

/// The lines of the section "Map".
fn section(document: &str) -> impl Iterator<Item = &str> {
    let lines = document.lines().skip_while(|line| *line != "## Map").skip(1);
    lines.take_while(|line| !line.starts_with("## "))
}

/// The name and the description in a line such as "- `name` – what it is for".
fn entry(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("- `")?.split_once("` – ")
}

fn on_the_map(document: &str) -> Map {
    let mut map = Map::new();
    let mut modules = None;
    for line in section(document) {
        if let Some(name) = line.strip_prefix("### `").and_then(|rest| rest.strip_suffix('`')) {
            modules = Some(map.entry(name.to_owned()).or_default());
        } else if let Some((module, _)) = entry(line) {
            modules.as_mut().expect("a crate before its modules").insert(module.to_owned());
        }
    }
    map
}

#[test]
fn the_map_names_every_crate_and_module_and_nothing_that_is_gone() {
    let (code, map) = (in_the_code(), on_the_map(&document()));
    let names = |map: &Map| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&map), names(&code), "crates on the map, and crates in the workspace");
    for (name, modules) in &code {
        assert_eq!(&map[name], modules, "modules of {name} on the map, and in its root file");
    }
}

#[test]
fn what_a_module_is_for_is_said_in_a_few_words() {
    let document = document();
    for (module, text) in section(&document).filter_map(entry) {
        let words = text.split_whitespace().count();
        assert!((1..=MOST_WORDS).contains(&words), "`{module}` is described in {words} words");
    }
}

#[test]
fn no_line_of_the_document_is_too_wide() {
    for line in document().lines() {
        assert!(line.chars().count() <= WIDEST, "wider than {WIDEST}: {line}");
    }
}

/// Crates that neither open files nor read clocks, look at the environment or print.
const CLOSED: [&str; 9] = [
    "traceward",
    "traceward-arrow",
    "traceward-engine",
    "traceward-export",
    "traceward-instrument",
    "traceward-logic",
    "traceward-simulate",
    "traceward-trace",
    "traceward-wire",
];

#[test]
fn the_same_bans_hold_in_all_crates_below_the_program() {
    let bans = |name: &str| read(&root().join("crates").join(name).join("clippy.toml"));
    let first = bans(CLOSED[0]);
    assert!(first.contains("std::fs::File::open") && first.contains("std::println"));
    for name in CLOSED {
        assert_eq!(bans(name), first, "clippy.toml of {name}");
    }
}
