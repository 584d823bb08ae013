//! What programs do, step by step.

use std::collections::BTreeMap;
use traceward_simulate::{Cell, Form, Lines, Program, Simulation, Step};

const MUX_SEM: &str = include_str!("../../../examples/mux-sem.spl");
const ABP: &str = include_str!("../../../examples/abp.spl");

fn program(text: &str) -> Program {
    Program::parse(text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// A state by the names of its columns.
struct State<'p>(BTreeMap<String, Cell<'p>>);

impl State<'_> {
    fn integer(&self, name: &str) -> i64 {
        match self.0[name] {
            Cell::Integer(value) => value,
            other => panic!("{name} is {other:?}"),
        }
    }

    fn boolean(&self, name: &str) -> bool {
        match self.0[name] {
            Cell::Boolean(value) => value,
            other => panic!("{name} is {other:?}"),
        }
    }

    fn text(&self, name: &str) -> &str {
        match self.0[name] {
            Cell::Text(value) => value,
            other => panic!("{name} is {other:?}"),
        }
    }
}

fn state<'p>(program: &'p Program, simulation: &Simulation<'p>) -> State<'p> {
    State(program.columns().iter().map(|column| column.name.clone()).zip(simulation.row()).collect())
}

/// The states of a run, as far as it goes.
fn states(program: &Program, seed: u64, steps: usize) -> Vec<State<'_>> {
    let mut simulation = Simulation::new(program, seed);
    let mut states = vec![state(program, &simulation)];
    while states.len() <= steps && simulation.step().expect("no fault") != Step::Stuck {
        states.push(state(program, &simulation));
    }
    states
}

/// A run as text.
fn text(program: &Program, seed: u64, steps: usize, form: Form) -> String {
    let lines = Lines::new(program, form);
    let mut simulation = Simulation::new(program, seed);
    let mut text = Vec::new();
    lines.header(&mut text);
    lines.state(&simulation, &mut text);
    for _ in 0..steps {
        simulation.step().expect("no fault");
        lines.state(&simulation, &mut text);
    }
    String::from_utf8(text).expect("UTF-8")
}

// ---- the figures ----

#[test]
fn mutual_exclusion_is_never_broken() {
    let program = program(MUX_SEM);
    for seed in 0..100 {
        for state in states(&program, seed, 1000) {
            let holding = ["at_l3", "at_l4", "at_m3", "at_m4"].iter().filter(|at| state.boolean(at)).count();
            assert_eq!(state.integer("r") + holding as i64, 1, "seed {seed}");
        }
    }
}

#[test]
fn both_processes_get_their_turns() {
    let program = program(MUX_SEM);
    let all = states(&program, 9, 40_000);
    let visits = |label: &str| all.windows(2).filter(|pair| !pair[0].boolean(label) && pair[1].boolean(label)).count();
    let (first, second) = (visits("at_l3"), visits("at_m3"));
    assert!(first > 4000 && second > 4000 && first.abs_diff(second) < 300, "{first} and {second}");
}

/// What the receiver takes for an item is what the sender sent, in its order, and none is missing
/// or comes twice, however much the channels lose.
#[test]
fn the_alternating_bit_delivers_in_order() {
    for (loss, least) in [("0", 200), ("0.2", 100), ("0.7", 10)] {
        let watched = ABP
            .replace("loses 0.2", &format!("loses {loss}"))
            .replace("local recvd", "local last : integer local recvd")
            .replace("(j, ack) := (j + 1, !ack)", "(j, ack, last) := (j + 1, !ack, recvd[j])");
        let program = program(&watched);
        for seed in 0..20 {
            let all = states(&program, seed, 5000);
            for pair in all.windows(2) {
                let (before, after) = (pair[0].integer("Receiver.j"), pair[1].integer("Receiver.j"));
                assert!(after == before || after == before + 1);
                assert_eq!(pair[1].integer("Receiver.last"), 10 * (after - 1), "loss {loss}, seed {seed}");
            }
            let received = all.last().expect("a state").integer("Receiver.j") - 1;
            assert!(received >= least, "loss {loss}, seed {seed}: {received}");
        }
    }
}

#[test]
fn a_channel_that_loses_everything_delivers_nothing() {
    let program = program(&ABP.replace("loses 0.2", "loses 1"));
    assert!(states(&program, 3, 5000).iter().all(|state| {
        state.integer("dchan.length") == 0 && state.integer("Sender.i") == 1 && state.integer("Receiver.j") == 1
    }));
}

#[test]
fn a_channel_that_loses_nothing_delivers_everything() {
    let text = "local c : channel [1..] of integer
        P :: [ local i : integer  l0: while i < 50 do [ l1: c <= i  l2: i := i + 1 ] ]
        || Q :: [ local x, n : integer  m0: loop forever do [ m1: c => x  m2: n := n + 1 ] ]";
    let program = program(text);
    let all = states(&program, 5, 1000);
    let last = all.last().expect("a state");
    assert_eq!((last.integer("Q.n"), last.integer("Q.x"), last.integer("c.length")), (50, 49, 0));
    let arrived: Vec<i64> = all
        .windows(2)
        .filter(|pair| pair[0].text("Q.at") == "m1" && pair[1].text("Q.at") == "m2")
        .map(|pair| pair[1].integer("Q.x"))
        .collect();
    assert_eq!(arrived, (0..50).collect::<Vec<_>>());
}

#[test]
fn about_as_many_items_are_lost_as_the_program_says() {
    let text = "local c : channel [1..] of integer loses 0.3
        P :: [ local i : integer  l0: loop forever do [ l1: c <= i  l2: i := i + 1 ] ]";
    let program = program(text);
    let all = states(&program, 5, 20_001);
    let last = all.last().expect("a state");
    let (sent, kept) = (last.integer("P.i"), last.integer("c.length"));
    assert!(sent == 10_000 && (6_850..7_150).contains(&kept), "{kept} of {sent}");
}

// ---- chance ----

#[test]
fn a_seed_says_it_all() {
    for source in [MUX_SEM, ABP] {
        let program = program(source);
        assert_eq!(text(&program, 4, 500, Form::Csv), text(&program, 4, 500, Form::Csv));
        assert_ne!(text(&program, 4, 500, Form::Csv), text(&program, 5, 500, Form::Csv));
    }
}

#[test]
fn alternatives_are_taken_about_as_often() {
    let text = "local x, y, z : integer
        P :: [ l0: loop forever do [ l1: [ l2: x := x + 1 or l3: y := y + 1 or l4: await false or l5: z := z + 1 ] ] ]";
    let program = program(text);
    let all = states(&program, 1, 30_001);
    let counts = ["x", "y", "z"].map(|name| all[30_001].integer(name));
    assert!(counts.iter().sum::<i64>() == 30_000 && counts.iter().all(|count| (9_700..10_300).contains(count)));
}

// ---- control ----

#[test]
fn the_label_of_a_loop_is_visited_once() {
    for state in states(&program(MUX_SEM), 2, 300).iter().skip_while(|state| state.boolean("at_l0")) {
        assert!(!state.boolean("at_l0") && state.text("P1.at") != "l0");
    }
}

#[test]
fn a_process_at_a_selection_is_in_front_of_its_alternatives() {
    let program = program(ABP);
    for state in states(&program, 2, 500) {
        let at_selection = state.text("Sender.at") == "l2";
        assert!(["at_l2", "at_l3", "at_l4"].iter().all(|at| state.boolean(at) == at_selection));
        let standing = (0..8).map(|label| format!("l{label}")).find(|label| state.boolean(&format!("at_{label}")));
        assert_eq!(standing.as_deref(), Some(state.text("Sender.at")));
    }
}

#[test]
fn conditions_loops_and_ends() {
    let text = "local x, y : integer
        P :: [ l0: while x < 3 do l1: x := x + 1
               l2: if x = 3 then [ l3: y := 1; l4: skip ] else l5: y := 2;
               l6: if x != 3 then l7: y := 9 else l8: y := 10 * y + 3
               l9: if false then l10: y := 0 ]";
    let program = program(text);
    let all = states(&program, 1, 100);
    let path: Vec<&str> = all.iter().map(|state| state.text("P.at")).collect();
    let expected = "l0 l1 l0 l1 l0 l1 l0 l2 l3 l4 l6 l8 l9 end";
    assert_eq!(path.join(" "), expected);
    assert_eq!(all[all.len() - 1].integer("y"), 13);
}

#[test]
fn a_timeout_is_taken_when_its_time_has_come() {
    let text = "local c : channel [1..] of integer  local x : integer
        P :: [ l0: skip  l1: [ l2: c => x or l3: after 5 steps do x := 7 ]  l4: skip ]
        || Q :: [ m0: loop forever do m1: skip ]";
    let program = program(text);
    for seed in 0..50 {
        let all = states(&program, seed, 100);
        let came = all.iter().position(|state| state.boolean("at_l1")).expect("it comes there");
        let left = all.iter().position(|state| state.boolean("at_l4")).expect("it leaves");
        assert_eq!((left - came, all[left].integer("x")), (6, 7), "seed {seed}");
    }
}

#[test]
fn time_passes_where_nobody_can_go_on() {
    let program = program("local x : integer  P :: [ l0: after 3 steps do x := 1 ] || Q :: [ m0: await x = 1 ]");
    let mut simulation = Simulation::new(&program, 1);
    let steps: Vec<Step> = (0..6).map(|_| simulation.step().expect("no fault")).collect();
    assert_eq!(steps, [Step::Passed, Step::Passed, Step::Passed, Step::Taken, Step::Taken, Step::Stuck]);
    assert!(simulation.has_ended() && simulation.steps() == 5);
}

#[test]
fn a_deadlock_tells_where_everybody_stands() {
    let text = "local r, s : integer where r = 1, s = 1
        P :: [ l0: request r
               l1: request s ]
        || Q :: [ m0: request s
                  m1: request r ]";
    let program = program(text);
    let mut simulation = Simulation::new(&program, 0);
    let both_wait = (0..100).find(|seed| {
        simulation = Simulation::new(&program, *seed);
        while simulation.step().expect("no fault") != Step::Stuck {}
        simulation.steps() == 2
    });
    assert!(both_wait.is_some() && !simulation.has_ended());
    let standing: Vec<_> = simulation.standing().map(|at| (at.process, at.label, at.line)).collect();
    assert_eq!(standing, [("P", "l1", Some(3)), ("Q", "m1", Some(5))]);
}

#[test]
fn semaphores_of_an_array_keep_philosophers_apart() {
    let philosopher = |name: &str, left: usize, right: usize| {
        format!(
            "{name} :: [ l0: loop forever do [ l1: noncritical  l2: request forks[{left}]  l3: request forks[{right}]
            l4: critical  l5: release forks[{left}]  l6: release forks[{right}] ] ]"
        )
    };
    let text = format!(
        "local forks : array [1..3] of integer where forks[k] = 1  {} || {} || {}",
        philosopher("A", 1, 2),
        philosopher("B", 2, 3),
        philosopher("C", 1, 3)
    );
    let program = program(&text);
    let all = states(&program, 6, 5000);
    assert_eq!(all.len(), 5001, "ordered forks never deadlock");
    for state in &all {
        let eating = ["A", "B", "C"].iter().filter(|name| state.boolean(&format!("{name}.at_l4"))).count();
        assert!(eating <= 1);
        assert!(["forks.1", "forks.2", "forks.3"].iter().all(|fork| (0..=1).contains(&state.integer(fork))));
    }
}

// ---- values ----

#[test]
fn assignments_are_simultaneous() {
    let program = program(
        "local x, y : integer where x = 1, y = 2  local a : array [0..2] of integer where a[k] = k * k
         P :: [ l0: (x, y) := (y, x)  l1: (a[x], x) := (x + 40, 0) ]",
    );
    let all = states(&program, 1, 9);
    assert_eq!((all[1].integer("x"), all[1].integer("y")), (2, 1));
    let last = all.last().expect("a state");
    assert_eq!(["x", "a.0", "a.1", "a.2"].map(|name| last.integer(name)), [0, 0, 1, 42]);
}

#[test]
fn arithmetic_is_that_of_whole_numbers() {
    for (expression, value) in [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7 mod 4 + 2 * 3", 9),
        ("1 - 2 - 3", -4),
        ("7 div (1 + 1)", 3),
        ("2 * (3 + 4)", 14),
    ] {
        let program = program(&format!("local x : integer  P :: [ l0: x := {expression} ]"));
        assert_eq!(states(&program, 1, 1)[1].integer("x"), value, "{expression}");
    }
    for (expression, value) in [
        ("1 < 2 & !(2 <= 1)", true),
        ("true = false | 3 != 4", true),
        ("x > 0 && 1 / x > 0", false),
        ("x = 0 || 1 / x > 0", true),
        ("not true and false", false),
        ("¬FALSE ∧ 3 ≥ 3 ∨ FALSE", true),
    ] {
        let program = program(&format!("local x : integer  local b : boolean  P :: [ l0: b := {expression} ]"));
        assert_eq!(states(&program, 1, 1)[1].boolean("b"), value, "{expression}");
    }
}

#[test]
fn a_full_channel_makes_senders_wait() {
    let program = program("local c : channel [1..3] of boolean  P :: [ l0: loop forever do l1: c <= true ]");
    let all = states(&program, 1, 100);
    assert_eq!((all.len(), all[all.len() - 1].integer("c.length")), (5, 3));
}

#[test]
fn arrays_without_an_end_grow() {
    let text = "local a : array [1..] of integer where a[k] = 100 + k  local x : integer
        P :: [ l0: a[5] := 7  l1: x := a[5]  l2: x := a[4]  l3: x := a[1000000]  l4: x := a[9223372036854775807 - 107] ]";
    let program = program(text);
    let seen: Vec<i64> = states(&program, 1, 9).iter().map(|state| state.integer("x")).collect();
    assert_eq!(seen, [0, 0, 7, 104, 1_000_100, i64::MAX - 7]);
}

/// Nothing is kept of what nobody reads: this would be 80 GB.
#[test]
fn arrays_that_nobody_reads_are_not_kept() {
    let text = "local a : array [1..] of integer  P :: [ l0: a[10000000000] := 1 ]";
    assert_eq!(states(&program(text), 1, 9).len(), 2);
}

#[test]
fn a_local_name_hides_a_global_one() {
    let program = program("local x : integer  P :: [ local x : boolean  l0: x := true ] || Q :: [ m0: x := 3 ]");
    let all = states(&program, 1, 9);
    let last = all.last().expect("a state");
    assert!(last.boolean("P.x") && last.integer("x") == 3);
}

// ---- lines ----

#[test]
fn lines_say_what_cells_say() {
    let program = program(ABP);
    let csv = text(&program, 8, 300, Form::Csv);
    let json = text(&program, 8, 300, Form::JsonLines);
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    assert_eq!(names, program.columns().iter().map(|column| column.name.as_str()).collect::<Vec<_>>());
    let mut simulation = Simulation::new(&program, 8);
    for (line, object) in lines.zip(json.lines()) {
        let shown = |cell: Cell<'_>| match cell {
            Cell::Boolean(value) => value.to_string(),
            Cell::Integer(value) => value.to_string(),
            Cell::Text(value) => value.to_owned(),
        };
        let cells: Vec<String> = simulation.row().map(shown).collect();
        assert_eq!(line, cells.join(","));
        let quoted = |cell: &str| if cell.starts_with(['l', 'm']) { format!("\"{cell}\"") } else { cell.to_owned() };
        let members: Vec<String> =
            names.iter().zip(&cells).map(|(name, cell)| format!("\"{name}\":{}", quoted(cell))).collect();
        assert_eq!(object, format!("{{{}}}", members.join(",")));
        simulation.step().expect("no fault");
    }
}
