//! Random specs over the columns of random inputs, as text.

use super::input::{Clock, Kind};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

/// A spec, and what has to be known of it to judge its answers.
#[derive(Clone, Debug)]
pub struct Question {
    /// The spec as text.
    pub text: String,
    /// What the spec says of the time column.
    pub clock: Clock,
    /// Whether atoms compare columns of one kind only. Where kinds meet, the first value decides
    /// what both are, and what a value looks like depends on the format.
    pub kinds: Kinds,
}

/// What kinds of columns meet in the atoms of a spec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kinds {
    /// Columns are compared with columns of the same kind.
    Apart,
    /// A column is compared with a column of another kind.
    Mixed,
}

/// Atoms of columns that are used by their kind.
const ATOMS: [&str; 58] = [
    "b",
    "c",
    "b == c",
    "b != c",
    "defined(b)",
    "n > 3",
    "n <= 0",
    "n == event.m",
    "n < event.m",
    "event.m >= n",
    "n + event.m > 2",
    "n * event.m < 100",
    "n - 1 != event.m",
    "10 / n > 1",
    "n % 3 == 0",
    "min(n, event.m) >= 0",
    "abs(event.m) == 1",
    "n in {0, 1, 5}",
    "event.m == 9007199254740993",
    "n > 9007199254740992 & n < 9007199254740994",
    "event.m >= 9223372036854775807",
    "n <= -9223372036854775808",
    "n > 1e307 | n < 5e-324 & n > -5e-324",
    "defined(n)",
    "defined(event.m)",
    "s == \"a\"",
    "s in {\"a\", \"b\", \"404\"}",
    "s != \"é\"",
    "matches(s, \"^[0-9]\")",
    "matches(`a b`, \"a\")",
    "s == `a b`",
    "s < `a b`",
    "s != `a b`",
    "`a b` <= s",
    "len(s) > 1",
    "len(`a b`) == 0",
    "`a b` == \"007\"",
    "defined(s)",
    "pos > 2",
    "true",
    "past(b)",
    "past(n) < n",
    "past(n, 2) == event.m",
    "past(n) > 3",
    "!past(b & past(c))",
    "delta(n) > 1",
    "10 / past(n) > 1",
    "n != 0 & past(n % event.m, 2) == 0",
    "changed(s)",
    "stable(`a b`)",
    "past(s) != `a b`",
    "matches(past(s, 3), \"^[0-9]\")",
    "rose(b)",
    "fell(n > 3)",
    "changed(b)",
    "defined(past(n))",
    "past(pos) == pos - 1",
    "past(n, 9) <= past(event.m, 11)",
];

/// Atoms in which columns are used otherwise.
const ODD_ATOMS: [&str; 12] = [
    "n",
    "event.m",
    "n == s",
    "s == n",
    "b == n",
    "n < `a b`",
    "event.m == c",
    "x",
    "x > 1",
    "past(n)",
    "rose(event.m)",
    "past(n) == s",
];

/// Settings of a trace block, each of which may be left out.
const MISSING: [&str; 3] = ["missing hold", "missing error", "missing false"];
const TYPES: [&str; 6] = ["b: boolean", "n: number", "event.m: number", "s: string", "\"a b\": string", "x: number"];

/// Specs of one formula and a few probes.
pub fn question() -> impl Strategy<Value = Question> {
    let settings = (weighted(0.3, Just("changes")), weighted(0.5, select(MISSING.to_vec())), types());
    let formulas = (formula(), vec(probe(), 0..3));
    (atoms(), formulas, settings, clock()).prop_map(|((atoms, kinds), (formula, probes), settings, clock)| {
        let formulas = [vec![formula], probes].concat();
        let text = format!("{}{}{}", trace_block(settings, clock), definitions(&atoms), properties(&formulas));
        Question { text, clock, kinds }
    })
}

fn types() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![3 => Just(Vec::new()), 2 => proptest::sample::subsequence(TYPES.to_vec(), 1..3)]
}

fn clock() -> impl Strategy<Value = Clock> {
    prop_oneof![
        6 => Just(Clock::None),
        2 => Just(Clock::Millis),
        2 => Just(Clock::Dates),
        1 => Just(Clock::OfDay),
        1 => Just(Clock::NoYear)
    ]
}

fn atoms() -> impl Strategy<Value = (Vec<&'static str>, Kinds)> {
    let plain = || select(ATOMS.to_vec());
    let odd = (select(ODD_ATOMS.to_vec()), vec(plain(), PLACES - 1));
    prop_oneof![
        5 => vec(plain(), PLACES).prop_map(|atoms| (atoms, Kinds::Apart)),
        1 => odd.prop_map(|(odd, atoms)| ([vec![odd], atoms].concat(), Kinds::Mixed)),
    ]
}

type Settings = (Option<&'static str>, Option<&'static str>, Vec<&'static str>);

fn trace_block((changes, missing, types): Settings, clock: Clock) -> String {
    let time = match clock {
        Clock::None => None,
        Clock::Millis => Some("time t:ms"),
        Clock::Dates | Clock::OfDay | Clock::NoYear => Some("time t"),
    };
    let items: Vec<&str> = [changes, missing, time].into_iter().flatten().chain(types).collect();
    if items.is_empty() { String::new() } else { format!("trace {{ {} }}\n", items.join("  ")) }
}

/// How many atoms formulas have to choose from; they are named `p0`, `p1`, ….
const PLACES: usize = 3;

fn definitions(atoms: &[&str]) -> String {
    atoms.iter().enumerate().map(|(place, atom)| format!("let p{place} = {atom}\n")).collect()
}

fn properties(formulas: &[String]) -> String {
    formulas.iter().enumerate().map(|(place, formula)| format!("property f{place} = {formula}\n")).collect()
}

/// Formulas over the named atoms, with bounds in steps, future and past.
fn formula() -> impl Strategy<Value = String> {
    let leaf = (0..PLACES).prop_map(|place| format!("p{place}"));
    leaf.prop_recursive(4, 10, 2, |inner| {
        let unary = select(vec!["!", "X ", "WX ", "Y ", "Z "]);
        let window = (select(vec!["F", "G", "O", "H"]), bound());
        let connective = select(vec!["&", "|", "->", "<->", "M"]);
        let until = (select(vec!["U", "W", "R", "S", "B", "T"]), bound());
        prop_oneof![
            2 => (unary, inner.clone()).prop_map(|(op, f)| format!("{op}({f})")),
            4 => (window, inner.clone()).prop_map(|((op, bound), f)| format!("{op}{bound}({f})")),
            2 => (connective, inner.clone(), inner.clone()).prop_map(|(op, f, g)| format!("(({f}) {op} ({g}))")),
            3 => (until, inner.clone(), inner)
                .prop_map(|((op, bound), f, g)| format!("(({f}) {op}{bound} ({g}))")),
        ]
    })
}

/// The question whether an atom holds at a position: most formulas do not depend on every value.
fn probe() -> impl Strategy<Value = String> {
    let position = (0..PLACES, 0_u32..8).prop_map(|(place, position)| format!("F[{position},{position}](p{place})"));
    // Properties that rest on triggers, of which few are met.
    let triggers = [
        "G({p} -> F {q})",
        "{p} -> {q}",
        "G[1,2]({p} -> ({q} -> true)) & G({q} -> WX {q})",
        "G({p} -> G({q} -> O {p}))",
    ];
    let triggered = (select(triggers.to_vec()), 0..PLACES, 0..PLACES)
        .prop_map(|(text, p, q)| text.replace("{p}", &format!("p{p}")).replace("{q}", &format!("p{q}")));
    prop_oneof![2 => position, 1 => triggered]
}

fn bound() -> impl Strategy<Value = String> {
    let closed = (0_u32..3, 0_u32..4).prop_map(|(from, width)| format!("[{from},{}]", from + width));
    let open = (0_u32..3).prop_map(|from| format!("[{from},inf]"));
    prop_oneof![3 => Just(String::new()), 2 => closed, 1 => open]
}

impl Kinds {
    /// The kind of each column that specs speak of, by its name.
    pub const COLUMNS: [(&'static str, Kind); 7] = [
        ("b", Kind::Bool),
        ("c", Kind::Bool),
        ("n", Kind::Number),
        ("event.m", Kind::Number),
        ("s", Kind::Text),
        ("a b", Kind::Text),
        ("x", Kind::Nowhere),
    ];
}
