//! Documents for other tools are what these tools expect, whatever texts are in them.

use crate::common::Folder;
use serde_json::Value as Json;

/// A trace and a spec whose texts would be markup, control a terminal, or are no characters of XML.
fn hostile(test: &str) -> Folder {
    let folder = Folder::new(test);
    let trace = "k,s\n\"<a href=\"\"x\"\">&amp;]]>\",\"\u{1b}[31m\u{1}\u{fffe}\"\nb,<!-- -->\n";
    let spec = "property `a<b>&\"` \"<&> \\\"quoted\\\" \" = G(s == \"<x>\")\nproperty fine = F(s == \"<!-- -->\")\n";
    folder.write("<t> &.csv", trace).write("s.tw", spec);
    folder
}

/// Checks that a text is well-formed XML without declarations of its own, and returns the names of
/// its elements in order.
fn elements(xml: &str) -> Vec<String> {
    let is_allowed =
        |letter: char| matches!(letter, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(is_allowed), "{xml}");
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a declaration");
    let (mut open, mut met, mut rest) = (Vec::new(), Vec::new(), body);
    while let Some((text, behind)) = rest.split_once('<') {
        references(text);
        let (tag, behind) = behind.split_once('>').expect("the end of a tag");
        rest = behind;
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name), "{xml}"),
            None => {
                let name = tag.trim_end_matches('/').split(' ').next().unwrap_or_default().to_owned();
                assert!(name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'), "{name}");
                assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
                references(tag);
                met.push(name.clone());
                if !tag.ends_with('/') {
                    open.push(name);
                }
            }
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?}, {rest}");
    met
}

/// Every ampersand begins a reference.
fn references(text: &str) {
    for behind in text.split('&').skip(1) {
        let name = behind.split_once(';').expect("the end of a reference").0;
        assert!(["amp", "lt", "gt", "quot", "#10", "#9"].contains(&name), "{name}");
    }
}

#[test]
fn junit_is_well_formed() {
    let folder = hostile("tools-junit");
    for more in [&[][..], &["--by", "k"], &["--prefix"]] {
        let arguments = [&["check", "s.tw", "<t> &.csv", "no & such", "--format", "junit"], more].concat();
        let output = folder.run(&arguments, b"");
        assert_eq!(output.status, 2);
        let met = elements(&output.stdout);
        let count = |name: &str| met.iter().filter(|one| *one == name).count();
        assert_eq!((count("testsuites"), count("testsuite"), count("testcase")), (1, 2, 3), "{}", output.stdout);
        assert_eq!(count("error"), 1);
        for (name, attribute) in [("failure", "failures"), ("error", "errors"), ("testcase", "tests")] {
            let told = "<testsuites name=\"traceward\"";
            let line = output.stdout.lines().find(|line| line.starts_with(told)).expect("the outermost element");
            assert!(line.contains(&format!(" {attribute}=\"{}\"", count(name))), "{line}: {name}");
        }
    }
}

#[test]
fn sarif_has_the_members_that_it_needs() {
    let folder = hostile("tools-sarif");
    for more in [&[][..], &["--by", "k"], &["--prefix"]] {
        let arguments = [&["check", "s.tw", "<t> &.csv", "no & such", "--format", "sarif"], more].concat();
        let document = folder.run(&arguments, b"").json();
        assert_eq!(document["version"], "2.1.0");
        let run = &document["runs"][0];
        let rules = run.pointer("/tool/driver/rules").and_then(Json::as_array).expect("rules");
        assert_eq!(run.pointer("/tool/driver/name"), Some(&Json::from("traceward")));
        assert_eq!(rules.len(), 2);
        for result in run["results"].as_array().expect("results") {
            let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(result["ruleId"], rules[rule]["id"]);
            assert!(result["message"]["text"].is_string());
            let place = &result["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uri"], "%3Ct%3E%20%26.csv");
            assert!(place["region"]["startLine"].as_u64().is_none_or(|line| line > 1), "{place}");
        }
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        assert!(invocation["toolExecutionNotifications"][0]["message"]["text"].is_string());
    }
}

/// The numbers of cases and errors that JUnit tells, and whether the run was good by SARIF.
fn judged(folder: &Folder, arguments: &[&str]) -> (usize, usize, Json) {
    let run = |format| folder.run(&[&["check", "--format", format], arguments].concat(), b"");
    let (junit, sarif) = (run("junit"), run("sarif"));
    assert_eq!((junit.status, sarif.status), (2, 2), "{arguments:?}: {}", junit.stderr);
    let met = elements(&junit.stdout);
    let count = |name: &str| met.iter().filter(|one| *one == name).count();
    let invocation = &sarif.json()["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false, "{arguments:?}");
    (count("testcase"), count("error"), invocation["toolExecutionNotifications"][0]["message"]["text"].clone())
}

/// Whatever makes the exit status 2 though there is a report.
#[test]
fn a_run_without_an_answer_is_no_good_one() {
    let folder = Folder::new("tools-unanswered");
    folder.write("late.csv", "t,x\n0,1\n100,1\n1,0\n200,1\n").write("t.csv", "a,b\n1,0\n");
    let late = judged(&folder, &["-e", "G x", "--time", "t:ms", "--lateness", "1ms", "late.csv"]);
    assert_eq!(late, (2, 1, "1 record is more than 1ms late and left out: line 4".into()));
    // That it is violated stands beside it.
    let violated = judged(&folder, &["-e", "G !x", "--time", "t:ms", "--lateness", "1ms", "late.csv"]);
    assert_eq!((violated.0, violated.1), (2, 1));
    if std::path::Path::new("/dev/full").exists() {
        let (cases, errors, why) = judged(&folder, &["-e", "F a", "t.csv", "--html", "/dev/full"]);
        assert_eq!((cases, errors, why), (2, 1, "--html /dev/full: No space left on device".into()));
    }
    let fine = folder.run(&["check", "-e", "G x", "late.csv", "--sort", "--time", "t:ms", "--format", "sarif"], b"");
    assert_eq!(fine.json()["runs"][0]["invocations"][0]["executionSuccessful"], true);
}
