//! What can be wrong with the lines by which a program tells its states.

use crate::error::{lossy, shown};
use crate::options::TimeUnit;

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EventsMistake {
    /// The first line is no hello.
    NoHello {
        /// The line.
        found: String,
    },
    /// The hello names another version.
    OtherVersion {
        /// The version.
        version: String,
    },
    /// The options of the hello cannot be read.
    BadHello {
        /// The reason.
        detail: String,
    },
    /// The program was instrumented for another spec, and leaves out states that this one may need.
    OtherSpec,
    /// Timestamps are asked for in another way than the hello says.
    OtherTime {
        /// The unit that is asked for; none for dates.
        asked: Option<TimeUnit>,
    },
    /// A second trace begins.
    SecondHello,
    /// A change comes before the first state.
    NextBeforeInit,
    /// There is a first state already.
    SecondInit {
        /// The line of the first state.
        first: u64,
    },
    /// Text follows `end` on its line.
    TextBehindEnd,
    /// A line follows the end.
    AfterEnd {
        /// The line of the end.
        end: u64,
    },
    /// Text follows NUL bytes.
    AfterPadding,
    /// A line begins with a word that nobody knows.
    UnknownWord {
        /// The word.
        word: String,
    },
    /// What has changed is no JSON object.
    BadObject {
        /// The character in the line, 1-based.
        character: usize,
        /// The reason.
        detail: String,
    },
}

impl EventsMistake {
    pub(super) fn no_hello(line: &[u8]) -> Self {
        Self::NoHello { found: lossy(line) }
    }

    pub(super) fn other_version(version: &[u8]) -> Self {
        Self::OtherVersion { version: lossy(version) }
    }

    pub(super) fn unknown(word: &[u8]) -> Self {
        Self::UnknownWord { word: lossy(word) }
    }

    /// Whether nothing that follows can be understood.
    pub(super) fn is_fatal(&self) -> bool {
        match self {
            Self::NoHello { .. }
            | Self::OtherVersion { .. }
            | Self::BadHello { .. }
            | Self::OtherSpec
            | Self::OtherTime { .. }
            | Self::SecondHello
            | Self::AfterEnd { .. }
            | Self::AfterPadding => true,
            Self::NextBeforeInit
            | Self::SecondInit { .. }
            | Self::TextBehindEnd
            | Self::UnknownWord { .. }
            | Self::BadObject { .. } => false,
        }
    }

    /// What is wrong, for people.
    pub fn message(&self) -> String {
        match self {
            Self::NoHello { found } => {
                format!("the first line has to be `traceward 1` and options, but it is `{}`", shown(found))
            }
            Self::OtherVersion { version } => {
                format!("this is version {} of the events protocol, and version 1 is read here", shown(version))
            }
            Self::BadHello { detail } => format!("the first line is wrong: {}", shown(detail)),
            Self::OtherSpec => {
                "the program was instrumented for another spec, and leaves out states that this one may ask for"
                    .to_owned()
            }
            Self::OtherTime { asked } => {
                let asked = asked.map_or("as dates".to_owned(), |unit| format!("in {unit}"));
                format!("`@time` holds nanoseconds, as this line says, and is asked for {asked}")
            }
            Self::SecondHello => "a second trace begins, and an input of events holds one".to_owned(),
            Self::NextBeforeInit => "`next` comes before `init`".to_owned(),
            Self::SecondInit { first } => format!("a second `init`: the first is on line {first}"),
            Self::TextBehindEnd => "text follows `end`".to_owned(),
            Self::AfterEnd { end } => format!("the trace has ended on line {end}, and this follows it"),
            Self::AfterPadding => "text follows NUL bytes".to_owned(),
            Self::UnknownWord { word } => {
                format!("a line begins with `init`, `next` or `end`, and this one with `{}`", shown(word))
            }
            Self::BadObject { character, detail } => format!("no valid JSON at character {character}: {detail}"),
        }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> &'static str {
        match self {
            Self::NoHello { .. } => "write it first: `traceward 1 {\"name\": \"mux\"}`",
            Self::OtherVersion { .. } => "let the program speak version 1, or take a newer traceward",
            Self::BadHello { .. } => "for example: `traceward 1 {\"name\": \"mux\", \"time\": \"ns\"}`",
            Self::OtherSpec => "instrument it for this spec, or so that every write is a state",
            Self::OtherTime { .. } => "name no column of time: these lines say themselves which it is",
            Self::SecondHello | Self::AfterEnd { .. } => "give each trace a file of its own",
            Self::NextBeforeInit => "write the first state with `init`",
            Self::SecondInit { .. } => "write further states with `next`",
            Self::TextBehindEnd => "write the last state with `next`, and `end` alone on its line",
            Self::AfterPadding => "NUL bytes may only fill up the end of a file",
            Self::UnknownWord { .. } | Self::BadObject { .. } => "a state is written like this: `next {\"x\": 1}`",
        }
    }
}
