//! Breadth-first traversal of metric automata, section 3.4 of the thesis on bounded temporal logic.

use std::collections::BTreeSet;
use std::sync::Arc;
use traceward_engine::engine::breadth_first::{BreadthFirst, Run};
use traceward_engine::engine::configuration::Entry;
use traceward_engine::engine::follow::{Follow, Step};
use traceward_engine::engine::{EngineConfig, Subsumption};
use traceward_engine::limit::Limits;
use traceward_engine::limit::Unsupported;
use traceward_engine::select::{Prepared, Simplification};
use traceward_logic::formula::{Direction, FormulaId, Formulas, Interval};
use traceward_logic::letter::{self, Letters, Proposition};
use traceward_logic::lower::Claim;
use traceward_logic::semantics;
use traceward_logic::trace::Trace;
use traceward_logic::verdict::Verdict;
use traceward_testkit::corpus;
use traceward_testkit::enumerate::{self, Shape};

struct Compiled {
    prepared: Prepared,
    engine: BreadthFirst,
}

impl Compiled {
    fn new(formulas: &Formulas, formula: FormulaId, config: EngineConfig) -> Result<Self, Unsupported> {
        let prepared = Prepared::new(formulas, &[formula], Simplification::Off);
        let engine = BreadthFirst::new(&prepared.formulas, &prepared.alphabet, prepared.normal[0], config)?;
        Ok(Self { prepared, engine })
    }

    fn letters(&self, trace: &Trace) -> Letters {
        letter::letters(&self.prepared.formulas, &self.prepared.alphabet, trace)
    }
}

fn with(subsumption: Subsumption) -> EngineConfig {
    EngineConfig { subsumption, ..EngineConfig::default() }
}

/// A formula as text on a trace given as columns of bits.
struct Example {
    compiled: Compiled,
    letters: Letters,
    satisfied: bool,
    names: Vec<Arc<str>>,
}

impl Example {
    fn new(formula: &str, columns: &[(&str, &str)], config: EngineConfig) -> Self {
        let bits = columns.iter().map(|(name, bits)| ((*name).to_owned(), (*bits).to_owned())).collect();
        let (lowered, claim, trace) = corpus::prepare(formula, &bits, None, columns[0].1.len());
        let Claim::Formula(root) = claim else { panic!("{formula} is a formula") };
        let compiled = Compiled::new(&lowered.formulas, root, config).unwrap_or_else(|error| panic!("{error}"));
        let letters = compiled.letters(&trace);
        let satisfied = semantics::satisfied(&lowered.formulas, root, &trace).expect("booleans do not fail");
        Self { compiled, letters, satisfied, names: lowered.variables.names() }
    }

    fn engine(&self) -> &BreadthFirst {
        &self.compiled.engine
    }

    fn is_named(&self, proposition: Proposition, name: &str) -> bool {
        let Prepared { formulas, alphabet, .. } = &self.compiled.prepared;
        formulas.atom(alphabet.atoms()[proposition.index()].1).display(&self.names).to_string() == name
    }

    fn holds(&self, position: usize) -> impl Fn(Proposition) -> bool {
        move |proposition| self.letters.bitmap(proposition).get(position)
    }

    /// Goes through the trace; `look` is shown the run before a state and after it.
    fn walk(&self, mut look: impl FnMut(&Run, &Run, Verdict)) {
        let mut run = self.engine().start().expect("few slices");
        for position in 0..self.letters.len {
            let before = run.clone();
            let verdict = self.engine().step(&mut run, Step::new(&self.holds(position), position)).expect("few slices");
            look(&before, &run, verdict);
        }
    }
}

/// A configuration as the thesis writes it: `1^∞ 3^1 5^3`.
fn text(configuration: &[Entry]) -> String {
    let one = |entry: &Entry| format!("{}^{}", entry.node.index(), entry.clock);
    configuration.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn texts(configurations: &[Vec<Entry>]) -> BTreeSet<String> {
    configurations.iter().map(|one| text(one)).collect()
}

fn set<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    texts.into_iter().map(str::to_owned).collect()
}

/// The candidates before each state, what is kept of them, and the verdict.
fn steps(example: &Example) -> Vec<(BTreeSet<String>, BTreeSet<String>, Verdict)> {
    let mut steps = Vec::new();
    example.walk(|before, after, verdict| {
        let candidates = example.engine().candidates_of(before).expect("few slices");
        steps.push((texts(&candidates), texts(&example.engine().slices_of(after)), verdict));
    });
    steps
}

/// Section 3.4.1 on figure 3.1: n0 ♦, n1 a, n2 q, n3 the inner ♦, n4 p, n5 until.
fn section_3_4_1(subsumption: Subsumption) -> Example {
    let columns = [("a", "100"), ("p", "010"), ("q", "001")];
    Example::new("F(a & ((F[0,1] p) U[0,3] q))", &columns, with(subsumption))
}

/// The thesis' S1, S2 and S3 are the candidates where configurations are compact and all of them
/// are kept. Without compactness they are as many, but n3 and n4 come with two clocks; if
/// configurations are dropped as well there are fewer.
#[test]
fn section_3_4_1_goes_through_these_configurations() {
    let example = section_3_4_1(Subsumption::Within);
    let again = ["0^∞", "1^∞ 2^3", "1^∞ 3^1 5^3", "1^∞ 4^1 5^3"];
    let s1 = set(again);
    let s2 = ["2^2 3^0", "2^2 4^0", "3^0 5^2", "4^0 5^2", "3^0 4^1 5^2", "3^1 4^0 5^2"];
    let s2 = set(again.into_iter().chain(s2));
    let s3 = ["2^1 3^0", "2^1 4^0", "3^0 5^1", "4^0 5^1", "3^0 4^1 5^1", "3^1 4^0 5^1", "2^1", "3^1 5^1", "4^1 5^1"];
    let s3 = set(again.into_iter().chain(s3));
    assert_eq!([s1.len(), s2.len(), s3.len()], [4, 10, 13]);
    let found = steps(&example);
    assert_eq!(found.iter().map(|step| &step.0).collect::<Vec<_>>(), [&s1, &s2, &s3]);
    // State-satisfied; the clocks of leaves are of no use any more. The thesis prints {n1} for {n0}
    // at the first state.
    let kept: Vec<BTreeSet<String>> = found.iter().map(|step| step.1.clone()).collect();
    assert_eq!(kept[0], set(["0^∞", "1^0 3^1 5^3"]));
    assert_eq!(kept[1], set(["0^∞", "4^0 5^2", "3^1 4^0 5^2"]));
    // {n2} is accepting; the two others wait.
    assert_eq!(kept[2], set(["0^∞", "2^0", "3^1 5^1"]));
    let verdicts: Vec<Verdict> = found.iter().map(|step| step.2).collect();
    assert_eq!(verdicts, [Verdict::Pending, Verdict::Pending, Verdict::Satisfied]);
    assert!(example.satisfied);
}

#[test]
fn section_3_4_1_in_the_other_settings() {
    let sizes = |subsumption| steps(&section_3_4_1(subsumption)).iter().map(|step| step.0.len()).collect::<Vec<_>>();
    assert_eq!(sizes(Subsumption::Off), [4, 10, 13]);
    assert!(steps(&section_3_4_1(Subsumption::Off))[1].0.contains("3^0 3^1 5^2"));
    // {n3, n4, n5} goes for {n4, n5}.
    assert_eq!(sizes(Subsumption::On), [4, 10, 7]);
}

/// The verdict after each state.
fn verdicts(formula: &str, bits: &str) -> String {
    let example = Example::new(formula, &[("p", bits)], EngineConfig::default());
    let mut said = String::new();
    example.walk(|_, _, verdict| {
        said.push(match verdict {
            Verdict::Satisfied => 'S',
            Verdict::Violated => 'V',
            Verdict::Holding => 'h',
            Verdict::Pending => 'p',
        });
    });
    let decision = example.engine().verdict_at_end(&example.letters).expect("few slices").decision();
    assert_eq!(decision.holds, example.satisfied, "{formula}");
    assert_eq!(decision.decided_at, said.find(['S', 'V']), "{formula}");
    said
}

#[test]
fn verdicts_come_when_a_window_closes() {
    assert_eq!(verdicts("F[0,2] p", "0001"), "ppVV");
    assert_eq!(verdicts("F[0,2] p", "0011"), "ppSS");
    assert_eq!(verdicts("G[0,2] p", "1110"), "hhSS");
    assert_eq!(verdicts("G[1,2] p", "0110"), "hhSS");
    assert_eq!(verdicts("G[1,2] p", "0100"), "hhVV");
    assert_eq!(verdicts("F[2,3] p", "1101"), "pppS");
    assert_eq!(verdicts("F[2,] p", "11001"), "ppppS");
    assert_eq!(verdicts("G[2,] p", "00110"), "hhhhV");
    assert_eq!(verdicts("p U[1,2] !p", "111"), "ppV");
    assert_eq!(verdicts("p W[0,2] !p", "1111"), "hhSS");
    assert_eq!(verdicts("false R[0,1] p", "110"), "hSS");
    assert_eq!(verdicts("G(p -> F[1,2] !p)", "10110111"), "phpphppV");
    assert_eq!(verdicts("G(p -> O[1,2] !p)", "01101110"), "hhhhhhVV");
}

mod claim_3_2 {
    //! Of two clocks on one node, one subsumes the other: not on the timers of delays.

    use super::*;
    use traceward_engine::automaton::alternating::ConditionId;
    use traceward_engine::automaton::metric::{Clock, ClockTest, Condition, Kind, Label, Metric};

    type Configuration = BTreeSet<Entry>;
    type Configurations = BTreeSet<Configuration>;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Union {
        /// Definition 3.12: a set.
        Plain,
        /// ⊎ with claim 3.2 as printed.
        AsPrinted,
    }

    /// The procedure of section 3.4, its misprints in definitions 3.13 to 3.16 mended.
    struct Procedure<'a> {
        compiled: &'a Compiled,
        letters: &'a Letters,
        union: Union,
    }

    impl Procedure<'_> {
        fn automaton(&self) -> &Metric {
            self.compiled.engine.automaton()
        }

        fn unite(&self, one: &Configuration, other: &Configuration) -> Configuration {
            let all = one | other;
            let stays = |entry: &&Entry| {
                let clocks = all.iter().filter(|other| other.node == entry.node).map(|other| other.clock);
                self.union == Union::Plain || entry.clock == self.subsuming(**entry, clocks.collect())
            };
            all.iter().filter(stays).copied().collect()
        }

        /// Which of the clocks on a node stays: cases 1 to 4 of the proof.
        fn subsuming(&self, entry: Entry, clocks: BTreeSet<Clock>) -> Clock {
            let node = self.automaton().node(entry.node);
            let (least, most) = (*clocks.first().expect("its own"), *clocks.last().expect("its own"));
            match node.test() {
                None => least,
                Some(ClockTest::Positive) if least == Clock::ZERO || !node.accepting => least,
                Some(_) => most,
            }
        }

        fn product(&self, left: &Configurations, right: &Configurations) -> Configurations {
            left.iter().flat_map(|one| right.iter().map(move |other| self.unite(one, other))).collect()
        }

        fn init(&self, condition: ConditionId, clock: Clock) -> Configurations {
            match self.automaton().condition(condition) {
                Condition::Empty => [Configuration::new()].into(),
                Condition::Node(node) => [[Entry { node, clock }].into()].into(),
                Condition::Metric(set, inner) => self.init(inner, self.automaton().clock(set)),
                Condition::Or(left, right) => &self.init(left, clock) | &self.init(right, clock),
                Condition::And(left, right) => self.product(&self.init(left, clock), &self.init(right, clock)),
            }
        }

        fn successor(&self, configuration: &Configuration) -> Configurations {
            let mut all: Configurations = [Configuration::new()].into();
            for entry in configuration {
                if let Kind::Timer { test: ClockTest::Positive, next, .. } = self.automaton().node(entry.node).kind {
                    all = self.product(&all, &self.init(next, entry.clock.later()));
                }
            }
            all
        }

        fn is_satisfied(&self, configuration: &Configuration, position: usize) -> bool {
            let holds = |atom| {
                let proposition = self.compiled.prepared.alphabet.proposition(atom);
                self.letters.bitmap(proposition.expect("an atom of the alphabet")).get(position)
            };
            configuration.iter().all(|entry| match self.automaton().node(entry.node).kind {
                Kind::Timer { test, .. } => test.holds(entry.clock),
                Kind::Leaf(Label::Constant(bit)) => bit,
                Kind::Leaf(Label::Atom(atom)) => holds(atom),
                Kind::Leaf(Label::NotAtom(atom)) => !holds(atom),
                Kind::Leaf(Label::Past(_)) => panic!("no past here"),
            })
        }

        fn accepts(&self) -> bool {
            let mut all = self.init(self.automaton().root(), Clock::INFINITE);
            for position in 0..self.letters.len {
                if position > 0 {
                    all = all.iter().flat_map(|one| self.successor(one)).collect();
                }
                all.retain(|one| self.is_satisfied(one, position));
            }
            let is_final = |one: &Configuration| one.iter().all(|entry| self.automaton().node(entry.node).accepting);
            all.iter().any(is_final)
        }
    }

    fn accepts(compiled: &Compiled, letters: &Letters, union: Union) -> bool {
        Procedure { compiled, letters, union }.accepts()
    }

    fn example(formula: &str, bits: &str) -> Example {
        Example::new(formula, &[("p", bits)], EngineConfig::default())
    }

    /// Of two delays the one that opens later is dropped, or the one that opens sooner, and with it
    /// its window.
    #[test]
    fn delays_do_not_subsume_each_other() {
        for (formula, bits) in [
            ("G G[2,2] p", "000"),
            ("G G[2,2] p", "1101"),
            ("G G[2,3] p", "1110"),
            ("G(p -> G[2,2] p)", "1110"),
            ("F[2,2] !p & X F[2,2] !p", "1101"),
        ] {
            let example = example(formula, bits);
            let accepts = |union| accepts(&example.compiled, &example.letters, union);
            assert!(!example.satisfied && !accepts(Union::Plain), "{formula}");
            assert!(accepts(Union::AsPrinted), "{formula}");
            let decision = example.engine().verdict_at_end(&example.letters).expect("few slices").decision();
            assert!(!decision.holds, "{formula}");
        }
        assert_eq!(verdicts("G G[2,2] p", "000"), "hhV");
        assert_eq!(verdicts("G G[2,2] p", "110"), "hhV");
        assert_eq!(verdicts("G G[2,2] p", "001"), "hhh");
        assert_eq!(verdicts("G G[1,1] p", "000"), "hVV");
    }

    /// n0 always, n1 the delay: after two states one window opens in one step and another in two.
    #[test]
    fn delays_stay_with_all_their_clocks() {
        let example = example("G G[2,2] p", "00");
        let kept = steps(&example).remove(1).1;
        assert_eq!(kept, set(["0^∞ 1^1 1^2"]));
    }

    /// A delay of one step is over when the next one begins, so there the claim is right.
    #[test]
    fn windows_subsume_each_other() {
        let steps = Interval::steps;
        let bounds = [steps(0, Some(1)), steps(1, Some(2)), steps(0, Some(3)), steps(1, None)];
        let shape =
            Shape { atoms: 1, directions: vec![Direction::Future], ..Shape::unbounded(2).with_intervals(bounds) };
        let mut arena = Formulas::new();
        let formulas = enumerate::formulas(&mut arena, &shape);
        let compiled = |formula: &FormulaId| Compiled::new(&arena, *formula, EngineConfig::default()).expect("no past");
        let compiled: Vec<Compiled> = formulas.iter().map(compiled).collect();
        for trace in enumerate::traces(1, 4) {
            let rows = semantics::truths(&arena, &formulas, &trace).expect("booleans do not fail");
            for (formula, one) in formulas.iter().zip(&compiled) {
                let found = accepts(one, &one.letters(&trace), Union::AsPrinted);
                assert_eq!(found, rows[formula][0], "{}", arena.display(*formula, &["p".into()]));
            }
        }
    }
}

/// Random states through a cache that forgets all the time, beside one that does not.
fn agrees_while_it_forgets(formula: &str, len: usize) {
    let [small, large] = [2, 10_000].map(|cache_limit| {
        let config =
            EngineConfig { limits: Limits { remembered: cache_limit, ..Limits::default() }, ..EngineConfig::default() };
        Example::new(formula, &[("a", "0"), ("b", "0")], config)
    });
    let [mut forgetful, mut run] = [&small, &large].map(|one| one.engine().start().expect("few slices"));
    let mut seen = BTreeSet::new();
    let mut random = 12345_u64;
    for position in 0..len {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Rarely a, so that it comes to an end with what was asked before.
        let [a, b] = [random >> 40 & 31 == 0, random >> 50 & 1 == 0];
        let holds = |proposition: Proposition| if small.is_named(proposition, "a") { a } else { b };
        let verdict = small.engine().step(&mut forgetful, Step::new(&holds, position)).expect("few slices");
        assert_eq!(
            verdict,
            large.engine().step(&mut run, Step::new(&holds, position)).expect("few slices"),
            "at {position}"
        );
        assert_eq!(small.engine().slices_of(&forgetful), large.engine().slices_of(&run), "at {position}");
        seen.insert(verdict.to_string());
    }
    assert_eq!(forgetful.peak_configurations(), run.peak_configurations());
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[test]
fn it_agrees_while_it_forgets() {
    agrees_while_it_forgets("G(a -> F[3,400] (b & X b))", 20_000);
    agrees_while_it_forgets("G(a -> F[20,300](b & O[3,9] !b) & G[5,50] F[0,100](b & Y b))", 5_000);
}

/// Every state brings a clock that has not been there: all that is remembered is of no use, and has
/// to be forgotten.
#[test]
fn memory_stays_flat_whatever_the_bounds() {
    const STATES: usize = 100_000;
    let formula = "G(a -> F[0,1000000] b) & G(b -> F[0,999999] a) & F[100,1000000] G[50,200] !b";
    let config = EngineConfig { limits: Limits { remembered: 500, ..Limits::default() }, ..EngineConfig::default() };
    let example = Example::new(formula, &[("a", "0"), ("b", "0")], config);
    let mut run = example.engine().start().expect("few slices");
    let mut most = [0; 2];
    for position in 0..STATES {
        let late = |proposition| if example.is_named(proposition, "a") { 13 } else { 26 };
        let holds = |proposition: Proposition| position % 7000 == late(proposition);
        example.engine().step(&mut run, Step::new(&holds, position)).expect("few slices");
        let most = &mut most[usize::from(position > STATES / 2)];
        *most = run.bytes().max(*most);
    }
    assert!(most[0] > 100_000 && most[1] <= most[0] + most[0] / 8, "{most:?} bytes");
    assert!(most[0] < 500 * 9000, "{most:?} bytes");
}

#[test]
fn the_peak_is_the_most_slices_at_one_position() {
    let peak = |subsumption| {
        let mut peak = 0;
        section_3_4_1(subsumption).walk(|_, run, _| peak = run.peak_configurations());
        peak
    };
    assert_eq!([Subsumption::Off, Subsumption::Within, Subsumption::On].map(peak), [3, 3, 2]);
}
