//! Macros that are no expressions, and what stands in for them while a file is parsed.
//!
//! `EACH(i, 3) sum += i;` is no C before the preprocessor has run, and is read as something else
//! than what it is: as a call without a semicolon, or as a declaration. So the head of a loop, of a
//! condition or of a switch, and a statement that brings its own semicolon, are replaced by plain
//! ones of the same length where the tree is made. All places stay what they are in the user's
//! text.

use crate::source::words;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What a macro is the beginning of, or all of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Loop,
    Condition,
    Switch,
    Statement,
}

impl Shape {
    /// What stands in for it.
    fn text(self) -> &'static str {
        match self {
            Self::Loop => "for(;;)",
            Self::Condition => "if(1)",
            Self::Switch => "switch(1)",
            Self::Statement => ";",
        }
    }

    fn of_keyword(word: &str) -> Option<Self> {
        match word {
            "for" | "while" => Some(Self::Loop),
            "if" => Some(Self::Condition),
            "switch" => Some(Self::Switch),
            _ => None,
        }
    }
}

/// The shapes of macros that are no expressions.
#[derive(Default)]
pub(crate) struct Shapes {
    shapes: FxHashMap<String, (Shape, Call)>,
}

/// Whether a macro has arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Plain,
    WithArguments,
}

/// The use of a macro for which something else stands in the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct StandIn {
    pub(crate) name: String,
    pub(crate) range: Range<usize>,
    pub(crate) shape: Shape,
}

impl Shapes {
    /// Takes the macros that files define.
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let definitions: Vec<Definition> = texts.flat_map(definitions).collect();
        let mut all = Self::default();
        // A macro may be made of others.
        loop {
            let known = all.shapes.len();
            for one in &definitions {
                if let Some(shape) = all.shape(&one.body) {
                    all.shapes.insert(one.name.clone(), (shape, one.call));
                }
            }
            if all.shapes.len() == known {
                return all;
            }
        }
    }

    /// The shape of a macro's text.
    fn shape(&self, body: &str) -> Option<Shape> {
        let body = body.trim();
        let first = words(body).next().filter(|word| body.starts_with(word)).unwrap_or_default();
        let (shape, has_arguments) = match self.shapes.get(first) {
            Some((shape, call)) => (Some(*shape), *call == Call::WithArguments),
            None => (Shape::of_keyword(first), true),
        };
        let head = shape.filter(|shape| *shape != Shape::Statement);
        let behind = if has_arguments { behind_parentheses(body, first.len()) } else { Some(first.len()) };
        if let (Some(head), Some(behind)) = (head, behind) {
            let rest = body[behind..].trim();
            if rest.is_empty() {
                return Some(head);
            }
            // Of several heads it is the last that an `else` may belong to.
            let last = self.shape(rest).filter(|shape| *shape != Shape::Statement);
            if last.is_some() {
                return last;
            }
        }
        body.ends_with([';', '}']).then_some(Shape::Statement)
    }

    /// The text that is parsed, and what stands in it for macros.
    pub(crate) fn replaced(&self, text: &str) -> (String, Vec<StandIn>) {
        let uses = self.uses(text);
        let mut bytes = text.as_bytes().to_vec();
        for one in &uses {
            let new = one.shape.text().bytes().chain(std::iter::repeat(b' '));
            // Ends of lines stay, so that lines are those of the text.
            let old = bytes[one.range.clone()].iter_mut().filter(|byte| !byte.is_ascii_whitespace() || **byte == b' ');
            old.zip(new).for_each(|(old, new)| *old = new);
        }
        (String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned()), uses)
    }

    fn uses(&self, text: &str) -> Vec<StandIn> {
        let mut uses = Vec::new();
        let mut last = ' ';
        let mut word_before = "";
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            if let Some(length) = passed_over(rest, text[..at].rfind('\n').map_or(0, |end| end + 1) == at) {
                at += length;
                continue;
            }
            let word = words(rest).next().filter(|word| rest.starts_with(word)).unwrap_or_default();
            let letter = rest.chars().next().unwrap_or(' ');
            let is_statement =
                matches!(last, ' ' | '{' | '}' | ';' | ')' | ':') || ["else", "do"].contains(&word_before);
            if let Some(one) = self.used(text, at, word).filter(|_| is_statement) {
                at = one.range.end;
                (last, word_before) = (')', "");
                uses.push(one);
            } else if word.is_empty() {
                at += letter.len_utf8();
                if !letter.is_whitespace() {
                    (last, word_before) = (letter, "");
                }
            } else {
                at += word.len();
                (last, word_before) = ('x', word);
            }
        }
        uses
    }

    /// The use of a macro at a place, if something can stand in for it there.
    fn used(&self, text: &str, at: usize, word: &str) -> Option<StandIn> {
        let (shape, call) = *self.shapes.get(word)?;
        let rest = &text[at..];
        let end = match call {
            Call::Plain => word.len(),
            Call::WithArguments => behind_parentheses(rest, word.len())?,
        };
        // What ends like a statement may also be an initial value.
        let is_expression = || rest[end..].trim_start().starts_with([';', ',', ')', '.', '=', '[']);
        if shape == Shape::Statement && is_expression() {
            return None;
        }
        let line = rest[..end].split(['\n', '\t', '\r']).next().unwrap_or_default();
        let fits = line.len() >= shape.text().len() && rest[..end].is_ascii();
        fits.then(|| StandIn { name: word.to_owned(), range: at..at + end, shape })
    }
}

/// A macro as it is defined.
struct Definition {
    name: String,
    call: Call,
    body: String,
}

fn definitions(text: &str) -> Vec<Definition> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let definition = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
        let name = words(rest).next().filter(|word| rest.starts_with(word))?;
        let rest = &rest[name.len()..];
        let (call, body) = match rest.strip_prefix('(') {
            Some(parameters) => (Call::WithArguments, parameters.split_once(')')?.1),
            None => (Call::Plain, rest),
        };
        let body = body.split("//").next().unwrap_or_default();
        Some(Definition { name: name.to_owned(), call, body: body.to_owned() })
    };
    joined.lines().filter_map(definition).collect()
}

/// The place behind the parentheses that follow a place.
fn behind_parentheses(text: &str, from: usize) -> Option<usize> {
    let mut at = from + (text[from..].len() - text[from..].trim_start().len());
    if !text[at..].starts_with('(') {
        return None;
    }
    let mut depth = 0_usize;
    while at < text.len() {
        if let Some(length) = passed_over(&text[at..], false) {
            at += length;
            continue;
        }
        let letter = text[at..].chars().next()?;
        at += letter.len_utf8();
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The length of a comment, a literal or, where a line begins, a directive at the beginning of a
/// text.
fn passed_over(text: &str, is_line: bool) -> Option<usize> {
    let to = |from: usize, end: &str| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    if text.starts_with("/*") {
        return Some(to(2, "*/"));
    }
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if is_line && text.trim_start_matches([' ', '\t']).starts_with('#') {
        let mut end = to(0, "\n");
        while text[..end].ends_with("\\\n") || text[..end].ends_with("\\\r\n") {
            end = to(end, "\n");
        }
        return Some(end);
    }
    let quote = text.chars().next().filter(|letter| ['"', '\''].contains(letter))?;
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            letter if letter == quote || letter == '\n' => return Some(at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACROS: &str = "#define EACH(i, n) for ((i) = 0; (i) < (n); (i)++)\n#define FOREVER for (;;)\n\
        #define ODD(i, n) \\\n    EACH(i, n) \\\n        if ((i) % 2)\n#define RESET x = 0;\n#define WHEN(c) if (c)\n\
        #define CHECK(c) if (!(c)) errors++\n#define TWICE(v) ((v) * 2)\n#define ZERO { 0 }\n";

    fn replaced(text: &str) -> String {
        let shapes = Shapes::of(std::iter::once(MACROS));
        let (new, _) = shapes.replaced(text);
        assert_eq!(new.len(), text.len());
        new
    }

    #[test]
    fn macros_are_told_by_their_text() {
        let shapes = Shapes::of(std::iter::once(MACROS));
        let shape = |name: &str| shapes.shapes.get(name).map(|(shape, _)| *shape);
        assert_eq!(shape("EACH"), Some(Shape::Loop));
        assert_eq!(shape("FOREVER"), Some(Shape::Loop));
        assert_eq!(shape("ODD"), Some(Shape::Condition));
        assert_eq!(shape("WHEN"), Some(Shape::Condition));
        assert_eq!(shape("RESET"), Some(Shape::Statement));
        assert_eq!([shape("CHECK"), shape("TWICE")], [None, None]);
    }

    #[test]
    fn something_of_the_same_length_stands_in() {
        assert_eq!(replaced("{ EACH(i, 3) x = i; }"), "{ for(;;)    x = i; }");
        assert_eq!(replaced("{ EACH(i,\n    f(\")\")) { x; } }"), "{ for(;;)\n            { x; } }");
        assert_eq!(replaced("if (a) RESET else WHEN(b) x = 1;"), "if (a) ;     else if(1)   x = 1;");
        assert_eq!(replaced("FOREVER { RESET }"), "for(;;) { ;     }");
    }

    #[test]
    fn expressions_and_initial_values_stay() {
        for text in ["int a[] = ZERO;", "(struct s) ZERO;", "CHECK(x);", "x = TWICE(y);", "/* EACH(i, 3) */ \"RESET\";"]
        {
            assert_eq!(replaced(text), text);
        }
        assert_eq!(replaced(MACROS), MACROS);
    }
}
