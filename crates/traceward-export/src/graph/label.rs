//! Labels of arrows, short enough to be drawn, and never two different ones that look the same.

use std::collections::{BTreeMap, BTreeSet};

/// The number of characters of a line that are drawn.
const LONGEST_LINE: usize = 36;
/// The number of those that are the line's beginning, where it is cut.
const BEGINNING: usize = 20;
const MOST_LINES: usize = 8;

/// The labels of a picture, as they are drawn.
pub(super) struct ShownLabels {
    /// The lines of each label, in order.
    pub(super) lines: Vec<Vec<String>>,
    /// Whether some of them have numbers because they would look the same else.
    pub(super) has_numbers: bool,
}

impl ShownLabels {
    /// Labels whose lines are alternatives. Long lines are cut in their middle, and of many
    /// alternatives the last are counted only.
    pub(super) fn new<'a>(labels: impl Iterator<Item = &'a str> + Clone) -> Self {
        let lines = Distinct::new(labels.clone().flat_map(str::lines), cut);
        let whole = Distinct::new(labels.clone(), |label| beginning(label, &lines).join("\n"));
        let has_numbers = lines.has_numbers || whole.has_numbers;
        let of_label = |label: &str| whole.shown[label].lines().map(str::to_owned).collect();
        Self { lines: labels.map(of_label).collect(), has_numbers }
    }
}

/// The lines of a label that are drawn.
fn beginning(label: &str, lines: &Distinct<'_>) -> Vec<String> {
    let all: Vec<&str> = label.lines().collect();
    let shown = if all.len() > MOST_LINES { MOST_LINES - 1 } else { all.len() };
    let mut drawn: Vec<String> = all[..shown].iter().map(|line| lines.shown[line].clone()).collect();
    if shown < all.len() {
        drawn.push(format!("… {} more", all.len() - shown));
    }
    drawn
}

/// A line without its middle, if it is long.
fn cut(line: &str) -> String {
    let letters: Vec<char> = line.chars().collect();
    if letters.len() <= LONGEST_LINE {
        return line.to_owned();
    }
    let end = &letters[letters.len() - (LONGEST_LINE - BEGINNING - 1)..];
    letters[..BEGINNING].iter().chain(&['…']).chain(end).collect()
}

/// Texts, each with a shorter one that no other has.
struct Distinct<'a> {
    shown: BTreeMap<&'a str, String>,
    has_numbers: bool,
}

impl<'a> Distinct<'a> {
    fn new(texts: impl Iterator<Item = &'a str>, shorter: impl Fn(&str) -> String) -> Self {
        let texts: BTreeSet<&str> = texts.collect();
        let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        texts.into_iter().for_each(|text| alike.entry(shorter(text)).or_default().push(text));
        let has_numbers = alike.values().any(|texts| texts.len() > 1);
        let numbered = |(shorter, texts): (String, Vec<&'a str>)| {
            let is_one = texts.len() == 1;
            let one = move |(index, text)| {
                let number = if is_one { String::new() } else { format!(" ⟨{}⟩", index + 1) };
                (text, format!("{shorter}{number}"))
            };
            texts.into_iter().enumerate().map(one).collect::<Vec<_>>()
        };
        Self { shown: alike.into_iter().flat_map(numbered).collect(), has_numbers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(labels: &[&str]) -> Vec<String> {
        ShownLabels::new(labels.iter().copied()).lines.iter().map(|lines| lines.join("/")).collect()
    }

    #[test]
    fn labels_are_cut_in_the_middle() {
        let long = "\"Release of the patient without treatment A\"";
        let other = "\"Release of the patient without treatment B\"";
        let expected = ["\"Release of the pati…ut treatment A\"", "\"Release of the pati…ut treatment B\"", "a & b"];
        assert_eq!(shown(&[long, other, "a & b"]), expected);
    }

    #[test]
    fn labels_that_are_cut_to_the_same_text_have_numbers() {
        let one = format!("{}b{}", "a".repeat(30), "c".repeat(30));
        let other = format!("{}d{}", "a".repeat(30), "c".repeat(30));
        let cut = format!("{}…{}", "a".repeat(20), "c".repeat(15));
        assert_eq!(shown(&[&other, &one, &other]), [2, 1, 2].map(|number| format!("{cut} ⟨{number}⟩")));
    }

    #[test]
    fn labels_that_differ_in_what_is_only_counted_have_numbers() {
        let lines = |last: &str| ["1", "2", "3", "4", "5", "6", "7", "8", last].join("\n");
        let expected = [1, 2].map(|number| format!("1/2/3/4/5/6/7/… 2 more ⟨{number}⟩"));
        assert_eq!(shown(&[&lines("x"), &lines("y")]), expected);
    }
}
