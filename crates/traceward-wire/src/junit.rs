//! Answers as JUnit XML, which continuous integration reads: a suite for each trace, a case for
//! each property.

use crate::{Answer, Property, Shortcoming, Told, Verdict, account};
use std::fmt::Write;

/// The document about some traces.
pub fn junit(answers: &[Told]) -> String {
    let suites: Vec<Suite> = answers.iter().map(Suite::of).collect();
    let all = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let (tests, failures, errors) = (all(|one| one.tests), all(|one| one.failures), all(|one| one.errors));
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    xml += &format!("<testsuites name=\"traceward\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n");
    suites.iter().for_each(|suite| xml += &suite.text());
    xml + "</testsuites>\n"
}

/// A suite: what was found out about a trace.
struct Suite {
    name: String,
    tests: usize,
    failures: usize,
    errors: usize,
    cases: String,
}

impl Suite {
    fn of(Told { answer, shortcomings }: &Told) -> Self {
        let name = attribute(account::trace(answer));
        let mut suite = Self { name, tests: 0, failures: 0, errors: 0, cases: String::new() };
        let properties: &[Property] = match answer {
            Answer::Report(report) => &report.properties,
            Answer::Failure(failure) => {
                suite.error(&failure.error);
                &[]
            }
        };
        properties.iter().for_each(|property| suite.property(shortcomings, property));
        let is_open = |one: &&Shortcoming| properties.iter().any(|property| one.leaves_open(property));
        shortcomings.iter().filter(|one| !is_open(one)).for_each(|one| suite.error(&one.text()));
        suite
    }

    /// What is wrong with the run as a whole: a case of its own, since no other has room for it.
    fn error(&mut self, reason: &str) {
        self.errors += 1;
        self.case("traceward", &element("error", reason, reason));
    }

    fn property(&mut self, shortcomings: &[Shortcoming], property: &Property) {
        let told = account::lines(property).join("\n");
        let open = shortcomings.iter().find(|one| one.leaves_open(property));
        let inside = match (open, property.verdict) {
            (Some(Shortcoming { reason, .. }), _) => {
                self.errors += 1;
                element("error", reason, reason)
            }
            (None, Verdict::Violated) => {
                self.failures += 1;
                element("failure", &format!("violated: {}", property.formula), &told)
            }
            (None, _) => told_aside(property),
        };
        self.case(&property.name, &inside);
    }

    fn case(&mut self, name: &str, inside: &str) {
        self.tests += 1;
        let (name, class) = (attribute(name), &self.name);
        // Writing to a string does not fail.
        let _ = match inside {
            "" => writeln!(self.cases, "    <testcase name=\"{name}\" classname=\"{class}\"/>"),
            inside => {
                writeln!(self.cases, "    <testcase name=\"{name}\" classname=\"{class}\">\n{inside}    </testcase>")
            }
        };
    }

    fn text(&self) -> String {
        let Self { name, tests, failures, errors, cases } = self;
        format!(
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\">\n\
             {cases}  </testsuite>\n"
        )
    }
}

/// What is worth knowing of a property that is not violated: that it holds only since nothing was
/// asked of it, or that the trace goes on.
fn told_aside(property: &Property) -> String {
    let vacuous = property.vacuous.as_ref().map(|trigger| format!("satisfied, vacuously: `{trigger}` never holds"));
    let open = match property.verdict {
        Verdict::Holding | Verdict::Pending => Some("the trace goes on, and the verdict is not final".to_owned()),
        _ => None,
    };
    let keys = property.keys.as_ref().map(|keys| match keys.vacuous {
        0 => format!("{} keys", keys.checked),
        vacuous => format!("{} keys, {vacuous} of them vacuously", keys.checked),
    });
    let told: Vec<String> = [vacuous, open, keys].into_iter().flatten().collect();
    match &told[..] {
        [] => String::new(),
        told => format!("      <system-out>{}</system-out>\n", content(&told.join("\n"))),
    }
}

fn element(name: &str, message: &str, text: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    format!("      <{name} message=\"{}\" type=\"{name}\">{}</{name}>\n", attribute(first), content(text))
}

/// A text between tags.
fn content(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            letter if is_allowed(letter) => safe.push(letter),
            letter => safe.extend(letter.escape_unicode()),
        }
    }
    safe
}

/// A text in an attribute, where line ends would become blanks.
fn attribute(text: &str) -> String {
    content(text).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

/// Whether XML 1.0 allows a character. A carriage return is allowed, and read as a line end.
fn is_allowed(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup() {
        assert_eq!(content("a < b & c > \"d\"]]>"), "a &lt; b &amp; c &gt; \"d\"]]&gt;");
        assert_eq!(attribute("\"a\"\n\tb"), "&quot;a&quot;&#10;&#9;b");
        assert_eq!(content("\u{0}\u{1b}\u{b}\u{fffe}\r✓🙂"), "\\u{0}\\u{1b}\\u{b}\\u{fffe}\\u{d}✓🙂");
    }
}
