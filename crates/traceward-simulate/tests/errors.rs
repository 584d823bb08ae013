//! What is said about programs that are wrong, and about steps that cannot be taken.

use traceward::message::{Style, render};
use traceward_simulate::{LONGEST_PROGRAM, Program, Simulation, Step};
use traceward_testkit::mutate::{Mutator, Numbers};

/// The errors of a program as a user sees them; of one that can be read, the first fault.
fn errors(text: &str) -> String {
    match Program::parse(text) {
        Err(errors) => render("p.spl", text, &errors, Style::default()),
        Ok(program) => {
            let mut simulation = Simulation::new(&program, 1);
            loop {
                match simulation.step() {
                    Ok(Step::Stuck) => return "no error".to_owned(),
                    Ok(_) => assert!(simulation.steps() < 10_000, "no fault in {text}"),
                    Err(fault) => return render("p.spl", text, &[*fault.diagnostic], Style::default()),
                }
            }
        }
    }
}

fn all(programs: &[&str]) -> String {
    programs.iter().map(|text| errors(text)).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn syntax() {
    insta::assert_snapshot!(all(&[
        "",
        "// nothing\n",
        "local x : integer",
        "locl x : integer P :: [ l0: skip ]",
        "local x integer P :: [ l0: skip ]",
        "local x : int P :: [ l0: skip ]",
        "local while : integer P :: [ l0: skip ]",
        "local x : float P :: [ l0: skip ]",
        "P :: [ ]",
        "P : [ l0: skip ]",
        "P :: [ l0: skip",
        "P :: [ l0: skip ] Q :: [ m0: skip ]",
        "P :: [ request r ]",
        "P :: [ l0: skip x := 1 ]",
        "local r : integer P :: [ l0: requst r ]",
        "local x : integer P :: [ l0: x = 1 ]",
        "local x : integer P :: [ l0: x + 1 ]",
        "P :: [ l0: loop for ever do l1: skip ]",
        "local x : integer P :: [ l0: if x > 0 l1: skip ]",
        "local x : integer P :: [ l0: if x > 0 then skip ]",
        "P :: [ l0: [ l1: skip l2: skip ] ]",
        "P :: [ l0: skip or l1: skip ]",
        "P :: [ l0: skip [ l1: skip or l2: skip ] ]",
        "P :: [ l0: skip || l1: skip ]",
        "P :: [ l0: skip local x : integer ]",
        "P :: [ end: skip ]",
        "P :: { l0: skip }",
        "local x : integer P :: [ l0: x := 1 + ]",
        "local x : integer P :: [ l0: x := (1 + 2 ]",
        "local x : integer P :: [ l0: x := 99999999999999999999 ]",
        "local x : integer P :: [ l0: x := 1.5 ]",
        "local b : boolean P :: [ l0: b := 1 < 2 < 3 ]",
        "local b : boolean P :: [ l0: b := b or b ]",
        "local x : integer P :: [ l0: x := \"one\" ]",
    ]));
}

#[test]
fn channels_arrays_and_times() {
    insta::assert_snapshot!(all(&[
        "local c : channel of integer P :: [ l0: c <= 1 ]",
        "local c : channel [0..] of integer P :: [ l0: c <= 1 ]",
        "local c : channel [1..] of integer loses 2 P :: [ l0: c <= 1 ]",
        "local c : channel [1..] of integer loses half P :: [ l0: c <= 1 ]",
        "local c : channel [1..] integer P :: [ l0: c <= 1 ]",
        "local c : channel [1..] of (integer, boolean) P :: [ l0: c <= 1 ]",
        "local c : channel [1..] of (integer, boolean) P :: [ l0: c <= (true, 1) ]",
        "local x : integer local c : channel [1..] of boolean P :: [ l0: c => x ]",
        "local x : integer P :: [ l0: x <= 1 ]",
        "local c : channel [1..] of integer P :: [ l0: c := 1 ]",
        "local x : integer local c : channel [1..] of integer P :: [ l0: x := c ]",
        "local c : channel [1..] of integer where c = 1 P :: [ l0: skip ]",
        "local a : array [3..1] of integer P :: [ l0: skip ]",
        "local a : array 3 of integer P :: [ l0: skip ]",
        "local a : array [1..3] of integer P :: [ l0: a := 1 ]",
        "local x : integer P :: [ l0: x[1] := 1 ]",
        "local a : array [1..3] of integer where a = 1 P :: [ l0: skip ]",
        "local x : integer where x[k] = k P :: [ l0: skip ]",
        "local x : integer P :: [ l0: after 0 steps do x := 1 ]",
        "local x : integer P :: [ l0: after x steps do x := 1 ]",
        "local x : integer P :: [ l0: after 5 do x := 1 ]",
        "local x : integer P :: [ l0: after 5 steps do request x ]",
        "local c : channel [1..2] of integer P :: [ l0: after 5 steps do c <= 1 ]",
    ]));
}

#[test]
fn names_and_types() {
    insta::assert_snapshot!(all(&[
        "local request_count : integer P :: [ l0: reqest_count := 1 ]",
        "P :: [ l0: x := 1 ]",
        "local x : integer P :: [ l0: x := true ]",
        "local x : integer P :: [ l0: x := x & 1 ]",
        "local x, y : integer P :: [ l0: (x, y) := (1, true, 3) ]",
        "local x, y : integer P :: [ l0: (x, y) := (y, z) l1: x := w ]",
        "local x : integer P :: [ l0: (x, x) := (1, 2) ]",
        "local b : boolean P :: [ l0: request b ]",
        "local x : integer P :: [ l0: await x ]",
        "local b : boolean P :: [ l0: if b = 1 then l1: skip ]",
        "local x : integer P :: [ l0: x := P ]",
        "P :: [ l0: skip\n l1: skip\n l0: skip ]",
        "P :: [ l0: skip ] || P :: [ l0: skip ]",
        "local P : integer P :: [ l0: skip ]",
        "local x : integer local x : boolean P :: [ l0: skip ]",
        "local at_l0 : integer P :: [ l0: skip ]",
        "P :: [ local at : integer l0: skip ]",
        "local x : integer where y = 1 P :: [ l0: skip ]",
        "local x, y : integer where x = y P :: [ l0: skip ]",
        "local x : integer where x > 1 P :: [ l0: skip ]",
        "local x : integer where x = 1, x = 2 P :: [ l0: skip ]",
        "local x : integer where x = TRUE P :: [ l0: skip ]",
        "local x : integer where x = 1 / 0 P :: [ l0: skip ]",
        "P :: [ local x : integer l0: x := 1 ] || Q :: [ m0: x := 2 ]",
    ]));
}

#[test]
fn faults() {
    insta::assert_snapshot!(all(&[
        "local x, y : integer\nP :: [\n l0: skip\n l1: x := 1 / y ]",
        "local x : integer\nP :: [\n l0: x := 5 % x ]",
        "local x : integer where x = 1\nP :: [ l0: loop forever do l1: x := 2 * x ]",
        "local x : integer\nP :: [ l0: x := 0 - 9223372036854775807 - 1\n l1: x := -x ]",
        "local a : array [1..3] of integer\nP :: [ local i : integer\n l0: loop forever do [ l1: i := i + 1\n l2: a[i] := i ] ]",
        "local a : array [1..] of integer\nlocal x : integer\nP :: [ l0: if a[x] > 0 then l1: skip ]",
        "local a : array [1..] of integer\nlocal x : integer\nP :: [ l0: a[99999999] := 1\n l1: x := a[1] ]",
        "local a : array [1..3] of integer\nP :: [ l0: request a[4] ]",
        "local x : integer\nP :: [ l0: [ l1: await 1 / x = 1 or l2: skip ] ]",
    ]));
}

/// Programs that are nearly right are run or refused, and what is wrong with them can be shown.
#[test]
fn no_program_panics() {
    let good = [
        include_str!("../../../examples/mux-sem.spl"),
        include_str!("../../../examples/abp.spl"),
        include_str!("../../../examples/heap.spl"),
        include_str!("../../../examples/calls.spl"),
        include_str!("../../../examples/closeness.spl"),
        "local a : array [0..3] of integer where a[k] = 6 / (k + 1)  P :: [ l0: while a[1] < 9 do l1: a[1] := a[a[2]] * 7 ]",
    ];
    let words = ["loop forever do", "or", "else", "[", "]", "after 3 steps do", "where", "||", "true", "integer", "::"];
    let mutator = Mutator::new(&good, &words);
    let (mut run, mut refused) = (0, 0);
    for seed in 0..20_000 {
        let text = String::from_utf8_lossy(&mutator.input(&mut Numbers::of_seed(seed))).into_owned();
        match Program::parse(&text) {
            Err(errors) => {
                assert!(render("p.spl", &text, &errors, Style::default()).starts_with("error"), "seed {seed}");
                refused += 1;
            }
            Ok(program) => {
                let mut simulation = Simulation::new(&program, seed);
                (0..100).take_while(|_| matches!(simulation.step(), Ok(Step::Taken | Step::Passed))).count();
                assert_eq!(simulation.row().count(), program.columns().len());
                run += 1;
            }
        }
    }
    assert!(run > 1000 && refused > 1000, "{run} run, {refused} refused");
}

/// Whatever is nested deeply is refused, and overflows no stack.
#[test]
fn nesting_has_a_limit() {
    let many = 100_000;
    let deep = [
        format!("local x : integer P :: [ l0: x := {}", "(".repeat(many)),
        format!("local x : integer P :: [ l0: x := {}1{} ]", "(".repeat(many), ")".repeat(many)),
        format!("local x : integer P :: [ l0: x := {}1 ]", "- ".repeat(many)),
        format!("local b : boolean P :: [ l0: b := {}true ]", "!".repeat(many)),
        format!("local x : integer P :: [ l0: x := 1{} ]", " + 1".repeat(many)),
        format!("local b : boolean P :: [ l0: b := true{} ]", " & b".repeat(many)),
        format!("P :: [ {}", "l0: [ ".repeat(many)),
        format!("P :: [ {}", "l0: if true then ".repeat(many / 2)),
        format!("P :: [ {}", "l0: loop forever do [ ".repeat(many / 3)),
        format!("local a : array [1..] of integer P :: [ l0: a{} := 1 ]", "[a".repeat(many)),
    ];
    for text in &deep {
        let shown = Program::parse(text).expect_err("too deep");
        assert_eq!(shown[0].message, "this is nested more than 200 deep", "{}", &text[..60]);
    }
    let fine = format!("local x : integer P :: [ l0: x := {}1{} ]", "(".repeat(150), ")".repeat(150));
    assert!(Program::parse(&fine).is_ok());
}

#[test]
fn sizes_have_limits() {
    let long = " ".repeat(LONGEST_PROGRAM + 1);
    assert_eq!(Program::parse(&long).expect_err("too long")[0].message, "the program is too long");
    let labels: String = (0..1001).map(|label| format!("l{label}: skip\n")).collect();
    let errors = Program::parse(&format!("P :: [ {labels} ]")).expect_err("too many");
    assert_eq!(errors[0].message, "a program has at most 1000 labels");
    let wrong: String = (0..900).map(|label| format!("l{label}: x{label} := y\n")).collect();
    assert_eq!(Program::parse(&format!("P :: [ {wrong} ]")).expect_err("wrong").len(), 50);
}
