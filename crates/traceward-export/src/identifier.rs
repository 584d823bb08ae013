//! Identifiers of other languages for texts of ours.

use std::collections::BTreeSet;

/// The length of an identifier, without the number that tells it from others.
const LONGEST: usize = 48;

/// A text as an identifier of small letters, digits and single underscores.
pub(crate) fn identifier(text: &str) -> String {
    joined(words(text, |_, _| false))
}

/// A text as an identifier with an underscore where a capital follows a small letter: `tempHigh`
/// becomes `temp_high`.
pub(crate) fn snake_case(text: &str) -> String {
    let name = joined(words(text, |before, letter| before.is_ascii_lowercase() && letter.is_ascii_uppercase()));
    name.chars().take(LONGEST).collect::<String>().trim_end_matches('_').to_owned()
}

/// Takes the wanted name, or the first one with a number behind it that is free.
pub(crate) fn free(
    wanted: &str,
    taken: &mut BTreeSet<String>,
    is_free: impl Fn(&str, &BTreeSet<String>) -> bool,
) -> String {
    let numbered = (2..).map(|number: u32| format!("{wanted}_{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    let name = names.find(|name| !taken.contains(name) && is_free(name, taken)).expect("numbers do not end");
    taken.insert(name.clone());
    name
}

fn joined(words: Vec<String>) -> String {
    let name = words.join("_");
    if name.starts_with(|first: char| first.is_ascii_lowercase()) { name } else { format!("p_{name}") }
}

fn words(text: &str, is_between: impl Fn(char, char) -> bool) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for letter in text.chars() {
        match (letter, symbol(letter)) {
            (letter, _) if letter.is_ascii_alphanumeric() => {
                if is_between(before, letter) {
                    words.push(String::new());
                }
                words.last_mut().expect("there is always a word").push(letter.to_ascii_lowercase());
            }
            (_, Some(word)) => words.extend([word.to_owned(), String::new()]),
            _ => words.push(String::new()),
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The word for a sign, so that `x < 3` and `x > 3` do not look alike.
fn symbol(letter: char) -> Option<&'static str> {
    Some(match letter {
        '<' => "lt",
        '>' => "gt",
        '=' => "eq",
        '!' => "not",
        '+' => "plus",
        '-' => "minus",
        '*' => "times",
        '/' => "over",
        '%' => "mod",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_identifiers() {
        for (text, expected) in [
            ("tempHigh", "temp_high"),
            ("x >= 3", "x_gt_eq_3"),
            ("HTTPServer.isUp", "httpserver_is_up"),
            ("_private__thing_", "private_thing"),
            ("3 < x", "p_3_lt_x"),
            ("größe", "gr_e"),
            ("été", "t"),
            ("", "p"),
        ] {
            assert_eq!(snake_case(text), expected, "{text}");
        }
        assert_eq!(identifier("tempHigh"), "temphigh");
        assert!(snake_case(&"long ".repeat(100)).len() <= LONGEST);
    }

    #[test]
    fn names_are_given_once() {
        let mut taken = BTreeSet::new();
        let names = ["a", "a", "a_2", "a"].map(|wanted| free(wanted, &mut taken, |_, _| true));
        assert_eq!(names, ["a", "a_2", "a_2_2", "a_3"]);
    }
}
