//! Why properties are violated, which parts of them mattered and how long they waited.

use crate::monitor::session;

/// Requests at lines 2 and 5, a grant at line 4.
const REQUESTS: &[u8] = b"request,grant\n1,0\n0,0\n0,1\n1,0\n0,0\n";

/// Two cases of a clinic: the second one is treated late, the third never.
const CLINIC: &[u8] = b"case,t,activity\n\
    1,2026-11-16T08:00:00Z,Triage\n1,2026-11-16T08:20:00Z,Antibiotics\n\
    2,2026-11-16T09:00:00Z,Triage\n2,2026-11-16T11:31:00Z,Antibiotics\n\
    3,2026-11-16T10:00:00Z,Triage\n3,2026-11-16T10:05:00Z,Discharge\n";

#[test]
fn each_state_that_is_shown_says_what_was_owed_and_what_happened() {
    let check = |formula: &'static str| ["check", "-e", formula, "t.csv"];
    let formulas = [
        "G(request -> F grant)",
        "G(request -> F[0,1] grant)",
        "G(request -> F[3,9] grant)",
        "G(request -> G[1,2] !grant)",
        "G(request -> X grant)",
        "X X X X X grant",
        "F(grant & X grant)",
        "G(grant -> O[0,1] request)",
        "G(request -> O grant)",
        "G(grant -> Y request)",
        "G(request -> !grant U (grant & request))",
        "!request W grant",
        "G !(request & !grant)",
        "G request & G grant",
        "!(F grant)",
        "!(!grant U grant)",
        "G(grant -> !request S request)",
    ];
    let commands: Vec<[&str; 4]> = formulas.into_iter().map(check).collect();
    let mut commands: Vec<(&[&str], &[u8])> = commands.iter().map(|one| (&one[..], &b""[..])).collect();
    commands.push((&["check", "-e", "G(request -> F[0,1] grant)", "t.csv", "--prefix"], b""));
    commands.push((&["check", "-e", "G(request -> F[0,1] grant)", "t.csv", "--format", "json"], b""));
    insta::assert_snapshot!(session("why", &[("t.csv", REQUESTS)], &commands));
}

#[test]
fn keys_are_explained_in_the_words_of_the_spec() {
    let by_key = ["--event", "activity", "--by", "case", "--time", "t", "c.csv"];
    let ask = |more: &[&'static str]| -> Vec<&str> { ["check"].iter().chain(more).chain(&by_key).copied().collect() };
    let commands = [
        ask(&["-e", "G(\"Triage\" -> F[0,1h] \"Antibiotics\")"]),
        ask(&["-e", "G(\"Triage\" -> F[0,1h] \"Antibiotics\")", "--waiting", "--coverage"]),
        ask(&["-e", "F \"Antibiotics\""]),
        ask(&["-e", "G(\"Antibiotics\" -> O[0,30min] \"Triage\")"]),
    ];
    let commands: Vec<(&[&str], &[u8])> = commands.iter().map(|one| (&one[..], &b""[..])).collect();
    insta::assert_snapshot!(session("why-keys", &[("c.csv", CLINIC)], &commands));
}

#[test]
fn coverage_and_waiting_are_told_wherever_they_are_asked() {
    let states = b"{\"request\": true, \"grant\": false}\n{\"request\": false, \"grant\": true}\n\
        {\"request\": true, \"grant\": false}\n{\"request\": false, \"grant\": false}\n";
    let formula = "G(request -> F[0,1] grant)";
    let both = ["--coverage", "--waiting"];
    insta::assert_snapshot!(session(
        "why-runs",
        &[("t.csv", REQUESTS)],
        &[
            (&["check", "-e", formula, "t.csv", both[0], both[1]], b""),
            (&["check", "-e", "G(request -> F grant)", "t.csv", "--prefix", both[0], both[1]], b""),
            (&["monitor", "-e", formula, both[0], both[1], "--format", "text"], states),
            (&["monitor", "-e", formula, both[0], both[1]], states),
        ]
    ));
}
