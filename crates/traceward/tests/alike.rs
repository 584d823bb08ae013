//! A file and a stream never differ: whoever reads an input, and by whatever engine it is judged,
//! the verdicts are the same, or the same thing is wrong on the same line.

mod outcome;

use outcome::{AtBadLine, Fed, Outcome, checked, ends_alike, fed, outcome};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use traceward::engine::Simplification;
use traceward::{
    CheckOptions, Config, EngineName, Extent, Goal, Monitor, ReadOptions, Settings, Source, Spec, Verdict,
};
use traceward_testkit::generate::input::{self, Case, Formats, Lines, Written};
use traceward_trace::TraceErrorKind;

/// How many random cases are tried: about 20 seconds of them.
const CASES: u32 = 800;

/// How long a failing case is made smaller: enough to read it, in seconds.
const SHRINKS: u32 = 400;

/// An engine that gets formulas as they were written.
fn as_written(engine: EngineName) -> Config {
    Config { engine, simplification: Simplification::Off, ..Config::default() }
}

/// The outcome without lines, to be compared with that of another format.
fn without_lines(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Wrong { column, kind, .. } => Outcome::Wrong { line: None, column, kind: without_other_line(kind) },
        Outcome::Failed { message, .. } => Outcome::Failed { line: 0, message },
        other => other,
    }
}

/// What is wrong, without the other line that has a part in it.
fn without_other_line(mut kind: TraceErrorKind) -> TraceErrorKind {
    match &mut kind {
        TraceErrorKind::TimeDecreases { before_line: line, .. }
        | TraceErrorKind::ContradictoryDates { other_line: line, .. } => *line = 0,
        _ => {}
    }
    kind
}

/// How many cases came to what, so that it is known that something was compared.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    refused: u32,
    answered: u32,
    wrong: u32,
    failed: u32,
    unknown: u32,
    declined: u32,
    engines: u32,
    both_formats: u32,
    skipped: u32,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        *match outcome {
            Outcome::Verdicts(..) => &mut self.answered,
            Outcome::Wrong { .. } => &mut self.wrong,
            Outcome::Failed { .. } => &mut self.failed,
            Outcome::Unknown => &mut self.unknown,
            Outcome::Declined => &mut self.declined,
        } += 1;
    }

    /// A test in which everything is an error checks nothing.
    fn expect_enough(self) {
        let asked = self.answered + self.wrong + self.failed + self.unknown;
        let at_least = |count: u32, percent: u32| count * 100 >= asked * percent;
        let enough = at_least(self.answered, 40)
            && at_least(self.wrong, 8)
            && self.failed >= 5
            && self.unknown >= 5
            && at_least(self.both_formats, 10)
            && at_least(self.skipped, 4)
            && self.engines > 4 * asked
            && self.refused * 10 < asked
            && self.declined * 100 < asked;
        assert!(enough, "too little was compared: {self:?}");
    }
}

/// A spec, asked of one input in all ways.
struct Asked<'a> {
    text: &'a str,
    spec: Spec,
    /// A monitor that has seen no state; none if the formulas cannot be followed.
    monitor: Option<Monitor>,
    read: ReadOptions,
    written: &'a Written,
    cuts: &'a [usize],
}

impl<'a> Asked<'a> {
    fn new(case: &'a Case, written: &'a Written) -> Option<Self> {
        let read = ReadOptions { null: case.null.clone(), year: Some(2026), ..ReadOptions::default() };
        let spec: Spec = case.question.text.parse().ok()?;
        let monitor = Monitor::new(&spec).ok();
        Some(Self { text: &case.question.text, spec, monitor, read, written, cuts: &case.cuts })
    }

    fn options(&self, config: Config, extent: Extent) -> CheckOptions {
        let options = CheckOptions::default().config(config).read(self.read.clone());
        if extent == Extent::Prefix { options.prefix() } else { options }
    }

    fn check(&self, config: Config, extent: Extent) -> Outcome {
        outcome(&checked(&self.spec, &self.written.text, &self.options(config, extent)))
    }

    fn feed(&self, cuts: &[usize], at_bad_line: AtBadLine) -> Option<Fed> {
        let monitor = self.monitor.clone()?;
        Some(fed(monitor, &self.written.text, &self.read, cuts, at_bad_line))
    }

    /// Every engine that takes the formulas says the same, also of formulas that are not
    /// simplified; returns how many do.
    fn engines_agree(&self, whole: &Outcome) -> Result<u32, TestCaseError> {
        let mut agreed = 0;
        for &engine in EngineName::ALL {
            match self.check(as_written(engine), Extent::Whole) {
                Outcome::Declined => {}
                other => {
                    prop_assert_eq!(&other, whole, "the engine {} and auto", engine);
                    agreed += 1;
                }
            }
        }
        Ok(agreed)
    }

    /// A trace of one key is judged like the whole.
    fn one_key_agrees(&self, whole: &Outcome) -> Result<(), TestCaseError> {
        let settings = Settings { by: Some(input::KEY.to_owned()), ..Settings::default() };
        let source = Source::new("spec", self.text, Goal::Check);
        let spec = Spec::parse_with(vec![source], settings).expect("a spec that was read before");
        let options = self.options(as_written(EngineName::Auto), Extent::Whole);
        let by_key = match checked(&spec, &self.written.text, &options) {
            Ok(report) if report.trace.states == 0 => return Ok(()),
            Ok(report) => {
                let vacuous = report.properties.iter().map(|property| property.vacuous.clone()).collect();
                let keys = report.properties.into_iter().filter_map(|property| property.keys);
                Outcome::Verdicts(keys.flat_map(|keys| keys.verdicts).collect(), vacuous)
            }
            Err(error) => Outcome::of_error(&error),
        };
        prop_assert_eq!(&by_key, whole, "one key and the whole");
        Ok(())
    }

    /// A stream tells what the file tells, however it is cut.
    fn streams_agree(&self, whole: &Outcome) -> Result<(), TestCaseError> {
        let Some(once) = self.feed(&[], AtBadLine::Stop) else { return Ok(()) };
        let bytes: Vec<usize> = (1..self.written.text.len()).collect();
        for cuts in [self.cuts, &bytes] {
            prop_assert_eq!(self.feed(cuts, AtBadLine::Stop), Some(once.clone()), "cut at {:?} and whole", cuts);
        }
        prop_assert!(ends_alike(whole, &once), "the file: {:?}\nthe stream: {:?}", whole, once);
        match self.check(Config::default(), Extent::Prefix) {
            Outcome::Verdicts(prefix, _) if once.states == 0 => {
                let ended = |verdict: &Verdict| matches!(verdict, Verdict::Satisfied | Verdict::Holding);
                let (file, stream) = (prefix.iter().map(ended), once.now.iter().map(ended));
                prop_assert!(file.eq(stream), "no state yet: the file {:?}, the stream {:?}", prefix, once.now);
            }
            Outcome::Verdicts(prefix, _) => prop_assert_eq!(prefix, once.now, "the file as a prefix and the stream"),
            Outcome::Declined => {}
            other => prop_assert_eq!(&other, whole, "the file as a prefix and as a whole"),
        }
        Ok(())
    }

    /// A feed that skips bad lines tells what the file tells without them; returns whether there
    /// were any.
    fn skipped_lines_leave_nothing(&self) -> Result<bool, TestCaseError> {
        let Some(skipping) = self.feed(self.cuts, AtBadLine::Skip) else { return Ok(false) };
        if self.written.lines == Lines::Joined || skipping.skipped.is_empty() {
            return Ok(false);
        }
        let kept = blanked(&self.written.text, &skipping.skipped);
        let options = self.options(as_written(EngineName::Auto), Extent::Whole);
        let whole = outcome(&checked(&self.spec, &kept, &options));
        let lines = &skipping.skipped;
        prop_assert!(
            ends_alike(&whole, &skipping),
            "without the lines {lines:?} the file: {whole:?}\nthe stream: {skipping:?}"
        );
        Ok(true)
    }
}

/// A text with these lines empty.
fn blanked(text: &str, lines: &[u64]) -> String {
    let line = |(place, line): (usize, &'_ str)| {
        if lines.contains(&(place as u64 + 1)) { String::new() } else { line.to_owned() }
    };
    text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Both formats give the same verdicts where every cell means the same in both; returns whether
/// that was so.
fn formats_agree(case: &Case, csv: &Outcome, json: &Outcome) -> Result<bool, TestCaseError> {
    // A header names columns that have no value; without one, such a variable is unknown.
    let nameless = [csv, json].into_iter().any(|outcome| match outcome {
        Outcome::Wrong { kind, .. } => matches!(kind, TraceErrorKind::UnknownColumn { .. }),
        other => *other == Outcome::Unknown,
    });
    if nameless || case.formats == Formats::Apart {
        return Ok(false);
    }
    prop_assert_eq!(without_lines(csv.clone()), without_lines(json.clone()), "CSV and JSON lines");
    Ok(true)
}

fn asked_in_all_ways(case: &Case, tally: &RefCell<Tally>) -> Result<(), TestCaseError> {
    let mut outcomes = Vec::new();
    for written in [&case.csv, &case.json] {
        let Some(asked) = Asked::new(case, written) else {
            tally.borrow_mut().refused += 1;
            return Ok(());
        };
        let whole = asked.check(Config::default(), Extent::Whole);
        let engines = asked.engines_agree(&whole)?;
        asked.one_key_agrees(&whole)?;
        asked.streams_agree(&whole)?;
        let skipped = asked.skipped_lines_leave_nothing()?;
        let mut tally = tally.borrow_mut();
        tally.count(&whole);
        tally.engines += engines;
        tally.skipped += u32::from(skipped);
        outcomes.push(whole);
    }
    let both = formats_agree(case, &outcomes[0], &outcomes[1])?;
    tally.borrow_mut().both_formats += u32::from(both);
    Ok(())
}

/// Values that are next to a constant, where floats would make one of both.
#[test]
fn large_constants_are_told_from_their_neighbours() {
    for (formula, value) in [
        ("x == 9007199254740993", "9007199254740993"),
        ("x > 9007199254740992 & x < 9007199254740994", "9007199254740993"),
        ("x < 9223372036854775807 & x > 9223372036854775805", "9223372036854775806"),
        ("x > 9223372036854775807", "9223372036854775808.0"),
        ("x > 1e308", "inf"),
        ("x < -1e308", "-inf"),
        ("x > -1e308 & x < 1e308", "0"),
    ] {
        let spec: Spec = formula.parse().expect("a formula");
        let input = format!("x\n{value}\n");
        for &engine in EngineName::ALL {
            let options = CheckOptions::default().config(as_written(engine));
            let judged = outcome(&checked(&spec, &input, &options));
            assert_eq!(
                judged,
                Outcome::Verdicts(vec![Verdict::Satisfied], vec![None]),
                "{formula} of {value} by {engine}"
            );
        }
        let monitor = Monitor::new(&spec).expect("a formula that can be followed");
        let fed = fed(monitor, &input, &ReadOptions::default(), &[], AtBadLine::Stop);
        assert_eq!(fed.now, [Verdict::Satisfied], "{formula} of {value} as a stream");
    }
}

#[test]
fn files_and_streams_never_differ() {
    let config =
        ProptestConfig { source_file: Some(file!()), max_shrink_iters: SHRINKS, ..ProptestConfig::with_cases(CASES) };
    let tally = RefCell::new(Tally::default());
    let run = TestRunner::new(config).run(&input::case(), |case| asked_in_all_ways(&case, &tally));
    run.unwrap_or_else(|failure| panic!("{failure}"));
    tally.into_inner().expect_enough();
}

/// Where an engine gives the verdict, violations come from rows that another one filled: they have
/// to tell the same.
#[test]
fn verdicts_and_violations_tell_the_same() {
    let mut compared = 0;
    for case in traceward_testkit::corpus::cases().into_iter().filter(|case| case.time.is_none()) {
        let spec: Spec = format!("property p = G({})", case.formula).parse().expect("a formula");
        let names: Vec<&str> = case.trace.keys().map(String::as_str).collect();
        let row = |position: usize| {
            let bits = case.trace.values().map(|bits| bits[position..=position].to_owned());
            bits.collect::<Vec<String>>().join(",")
        };
        let rows: Vec<String> = (0..case.truth.len()).map(row).collect();
        let input = format!("{}\n{}\n", names.join(","), rows.join("\n"));
        for &engine in EngineName::ALL {
            let Ok(report) = checked(&spec, &input, &CheckOptions::default().engine(engine)) else { continue };
            let property = &report.properties[0];
            let violations = property.evidence.violations.as_ref().expect("it is an always");
            let expected = case.truth.bytes().filter(|bit| *bit == b'0').count();
            assert_eq!(violations.count, expected, "{} by {engine}", case.formula);
            assert_eq!(property.verdict == Verdict::Violated, expected > 0, "{} by {engine}", case.formula);
            compared += 1;
        }
    }
    assert!(compared >= 200, "only {compared}");
}
