//! The automaton as text.

use super::Example;

const RESPONSE: &str = "[](a -> <>b)";

#[test]
fn automata_as_text() {
    let all = [RESPONSE, "G(a -> O b)", "G(a -> Y F b)", "F[1,2] a", "a U[1,inf] b", "G(b -> c S[0,2] a)"];
    let text: Vec<String> =
        all.iter().map(|formula| format!("# {formula}\n{}", Example::new(formula).text())).collect();
    insta::assert_snapshot!(text.join("\n"));
}
