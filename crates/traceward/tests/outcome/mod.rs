//! What comes of asking a spec of an input, as a file and as a stream.

use traceward::input::TraceError;
use traceward::{CheckOptions, Error, Event, Feed, Monitor, ReadOptions, Report, Spec, Verdict, check_with};
use traceward_trace::TraceErrorKind;

/// What comes of asking a spec of an input.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// A verdict on each property, and the trigger that makes it vacuous.
    Verdicts(Vec<Verdict>, Vec<Option<String>>),
    /// A line holds no state that can be taken.
    Wrong { line: Option<u64>, column: Option<String>, kind: TraceErrorKind },
    /// An expression cannot be evaluated in the state of a line.
    Failed { line: u64, message: String },
    /// A variable that the spec needs is nowhere.
    Unknown,
    /// The engine does not take the formula, or takes too much.
    Declined,
}

impl Outcome {
    pub fn of_error(error: &Error) -> Self {
        match error {
            Error::Mismatch(_) => Self::Unknown,
            Error::Trace(error) | Error::Unfit { error, .. } => Self::of_trace_error(error),
            Error::Evaluation { message, line } => Self::Failed { line: *line, message: message.clone() },
            Error::GaveUp { .. } | Error::Unsupported(_) | Error::CannotFollow { .. } | Error::CannotMeasure { .. } => {
                Self::Declined
            }
            Error::Spec(_) | Error::Restore(_) | Error::Request(_) => panic!("no such error is due here: {error}"),
        }
    }

    pub fn of_trace_error(error: &TraceError) -> Self {
        let mut kind = error.kind().clone();
        // Where there is a key, the error names it.
        if let TraceErrorKind::TimeDecreases { key, .. } = &mut kind {
            *key = None;
        }
        Self::Wrong { line: error.line(), column: error.column().map(str::to_owned), kind }
    }
}

/// A file is read up to its end.
pub fn checked(spec: &Spec, input: impl AsRef<[u8]>, options: &CheckOptions) -> Result<Report, Error> {
    check_with(spec, input.as_ref(), options)
}

fn verdicts(report: &Report) -> Outcome {
    let (verdicts, vacuous) = report.properties.iter().map(|one| (one.verdict, one.vacuous.clone())).unzip();
    Outcome::Verdicts(verdicts, vacuous)
}

pub fn outcome(result: &Result<Report, Error>) -> Outcome {
    result.as_ref().map_or_else(Outcome::of_error, verdicts)
}

/// What a feed does at a line that holds no state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtBadLine {
    Stop,
    Skip,
}

/// What a feed knows when its input has ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Fed {
    /// The verdicts at the end of the trace, or why there are none.
    pub end: Outcome,
    /// The verdicts on a trace that goes on.
    pub now: Vec<Verdict>,
    /// The number of states.
    pub states: u64,
    /// The variables that were never seen.
    pub unseen: Vec<String>,
    /// The lines that were skipped.
    pub skipped: Vec<u64>,
}

/// Why a feed stops.
pub enum Stop {
    BadLine(TraceError),
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// An input arrives in pieces that end at these places.
pub fn fed(
    monitor: Monitor,
    input: impl AsRef<[u8]>,
    read: &ReadOptions,
    cuts: &[usize],
    at_bad_line: AtBadLine,
) -> Fed {
    let mut feed = Feed::with_options(monitor, read).expect("options that make sense");
    let mut skipped = Vec::new();
    let mut watch = |_: &Monitor, event: Event<'_>| match event {
        Event::BadLine(error) if at_bad_line == AtBadLine::Stop => Err(Stop::BadLine(error.clone())),
        Event::BadLine(error) => {
            skipped.extend(error.line());
            Ok(())
        }
        _ => Ok(()),
    };
    let mut pushed = pieces(input.as_ref(), cuts).into_iter().map(|piece| feed.push(piece, &mut watch));
    let pushed = pushed.find(Result::is_err).unwrap_or(Ok(()));
    let end = match pushed.and_then(|()| feed.finish(&mut watch)) {
        Ok(()) => Outcome::Verdicts(feed.monitor().end(), vacuous(feed.monitor())),
        Err(Stop::BadLine(error)) => Outcome::of_trace_error(&error),
        Err(Stop::Error(error)) => Outcome::of_error(&error),
    };
    Fed {
        end,
        now: feed.monitor().verdicts(),
        states: feed.monitor().position(),
        unseen: feed.unseen().into_iter().map(|unseen| unseen.name).collect(),
        skipped,
    }
}

fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    for &cut in cuts.iter().filter(|cut| **cut < bytes.len()) {
        pieces.push(&bytes[from..cut]);
        from = cut;
    }
    pieces.push(&bytes[from..]);
    pieces
}

/// Whether a file and a stream tell the same at their end.
pub fn ends_alike(file: &Outcome, stream: &Fed) -> bool {
    match (file, &stream.end) {
        // Nobody knows the names of an input that has none.
        (Outcome::Verdicts(..), _) if stream.states == 0 => stream.end == *file,
        (Outcome::Verdicts(..), _) => stream.end == *file && stream.unseen.is_empty(),
        // A file with an unknown variable is not evaluated; a stream cannot know that it stays so.
        (Outcome::Unknown, Outcome::Verdicts(..) | Outcome::Failed { .. }) => !stream.unseen.is_empty(),
        // A stream may yet come to the column.
        (Outcome::Wrong { kind: TraceErrorKind::UnknownColumn { .. }, column, .. }, Outcome::Wrong { kind, .. }) => {
            column.as_deref() == Some("t") && (*kind == TraceErrorKind::MissingTime || stream.end == *file)
        }
        _ => stream.end == *file,
    }
}

/// For each property that is satisfied the trigger that makes it vacuous.
fn vacuous(monitor: &Monitor) -> Vec<Option<String>> {
    monitor.property_ids().map(|id| monitor.vacuous(id).map(str::to_owned)).collect()
}
