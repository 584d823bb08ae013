//! Headers with functions that write: which of the program's headers get copies, and where they
//! stand.
//!
//! A compiler looks for a header in quotes beside the file that includes it. So a copy that stands
//! beside the instrumented files, at the same path from there, takes the place of the header.
//! Whoever includes it must be such a copy, too, or it would find the original beside itself. And
//! what a copy includes must be there. Where paths lead elsewhere nothing is copied, as a program
//! with both a header and its copy may not compile.

use crate::source::{Role, Source, quoted_includes};
use std::collections::BTreeSet;

/// The headers to copy, by their index among the files, each with the path of its copy.
pub(crate) enum Copies {
    Possible(Vec<(usize, String)>),
    /// A copy would not be found.
    Impossible,
}

/// Finds the copies that take the places of headers that were changed.
pub(crate) fn copies(sources: &[Source], changed: &BTreeSet<usize>) -> Copies {
    let inclusions = inclusions(sources);
    let mut needed = changed.clone();
    loop {
        let more: Vec<usize> = inclusions
            .iter()
            .filter_map(|one| match (needed.contains(&one.from), needed.contains(&one.to)) {
                (true, false) => Some(one.to),
                (false, true) if sources[one.from].role == Role::Header => Some(one.from),
                _ => None,
            })
            .collect();
        if more.is_empty() {
            break;
        }
        needed.extend(more);
    }
    let paths: Vec<Option<String>> = sources.iter().map(|source| path_of_copy(sources, source)).collect();
    let is_found = |one: &Inclusion<'_>| match (&paths[one.from], &paths[one.to]) {
        (Some(from), Some(to)) => joined(folder(from), one.path) == *to,
        _ => false,
    };
    let mut copies: Vec<(usize, String)> = Vec::new();
    for index in needed.iter().copied() {
        let path = paths[index].clone().filter(|path| copies.iter().all(|(_, other)| other != path));
        let Some(path) = path else { return Copies::Impossible };
        copies.push((index, path));
    }
    let mut of_copies = inclusions.iter().filter(|one| needed.contains(&one.to));
    if of_copies.all(is_found) { Copies::Possible(copies) } else { Copies::Impossible }
}

/// The path at which a copy of a file would stand among the instrumented ones.
pub(crate) fn path_of_copy(sources: &[Source], source: &Source) -> Option<String> {
    if source.role == Role::Program {
        return Some(source.base_name().to_owned());
    }
    let name = joined("", &source.name);
    let programs = sources.iter().filter(|one| one.role == Role::Program);
    let folders = programs.map(|one| joined("", folder(&one.name)));
    let inside = |of: String| match of.as_str() {
        "" => Some(name.clone()),
        of => name.strip_prefix(of)?.strip_prefix('/').map(str::to_owned),
    };
    folders.filter_map(inside).filter(|path| !path.starts_with("..")).min_by_key(String::len)
}

/// A file that includes a header.
struct Inclusion<'a> {
    from: usize,
    to: usize,
    /// As it is written.
    path: &'a str,
}

fn inclusions(sources: &[Source]) -> Vec<Inclusion<'_>> {
    let names: Vec<String> = sources.iter().map(|source| joined("", &source.name)).collect();
    let mut found = Vec::new();
    for (from, source) in sources.iter().enumerate() {
        for path in quoted_includes(&source.text) {
            let name = joined(folder(&source.name), path);
            let to = names.iter().position(|one| *one == name);
            found.extend(to.map(|to| Inclusion { from, to, path }));
        }
    }
    found
}

fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..end])
}

/// A path from a folder, without `.`, and with `..` only where all paths begin.
pub(crate) fn joined(folder: &str, path: &str) -> String {
    let root = if path.starts_with('/') || folder.starts_with('/') { "/" } else { "" };
    let folder = if path.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{FileId, SourceFile};
    use crate::stand_in::Shapes;

    fn sources(files: &[(&str, &str)]) -> Vec<Source> {
        let role = |name: &str| if name.ends_with(".c") { Role::Program } else { Role::Header };
        let parsed = files.iter().enumerate().map(|(index, (name, text))| {
            let file = SourceFile { name: (*name).to_owned(), text: (*text).to_owned() };
            Source::parse(FileId(index as u32), role(name), &file, &Shapes::default()).unwrap()
        });
        parsed.collect()
    }

    fn copied(files: &[(&str, &str)], changed: usize) -> Option<Vec<String>> {
        match copies(&sources(files), &BTreeSet::from([changed])) {
            Copies::Possible(copies) => Some(copies.into_iter().map(|(_, path)| path).collect()),
            Copies::Impossible => None,
        }
    }

    #[test]
    fn paths_are_joined() {
        assert_eq!(joined("a/b", "../c.h"), "a/c.h");
        assert_eq!(joined("", "./c.h"), "c.h");
        assert_eq!(joined("/a", "b/../c.h"), "/a/c.h");
        assert_eq!(joined("../a", "../../c.h"), "../../c.h");
    }

    #[test]
    fn who_includes_a_copy_and_what_it_includes_is_copied_too() {
        let files = [
            ("src/inner/low.h", ""),
            ("src/inner/write.h", "#include \"low.h\"\n"),
            ("src/all.h", "#include \"inner/write.h\"\n"),
            ("src/other.h", ""),
            ("src/main.c", "#include \"all.h\"\n#include \"other.h\"\n"),
        ];
        assert_eq!(copied(&files, 1).unwrap(), ["inner/low.h", "inner/write.h", "all.h"]);
        assert_eq!(copied(&files, 3).unwrap(), ["other.h"]);
        let files = [("../a/write.h", ""), ("../a/a.c", "#include \"write.h\"")];
        assert_eq!(copied(&files, 0).unwrap(), ["write.h"]);
    }

    #[test]
    fn what_would_not_be_found_is_not_copied() {
        let files = [("inc/write.h", ""), ("src/main.c", "#include \"../inc/write.h\"\n")];
        assert_eq!(copied(&files, 0), None);
        let files = [("a/write.h", ""), ("b/write.h", "#include \"../a/write.h\""), ("a/a.c", ""), ("b/b.c", "")];
        assert_eq!(copied(&files, 0), None);
        let files = [("a/write.h", ""), ("a/a.c", "#include \"write.h\""), ("b/b.c", "#include \"../a/write.h\"")];
        assert_eq!(copied(&files, 0), None);
    }
}
