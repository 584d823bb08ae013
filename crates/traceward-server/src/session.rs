//! One client's conversation with its observer, without a socket.
//!
//! A client says its token where one is needed, then hello, then its states, then `end`. What it
//! says is read by a [`Feed`], as a file of events would be. What comes of it goes to a
//! [`Witness`], and what the client is told is written to memory. So a session can be tried with
//! any bytes, cut anywhere.

use crate::names::Names;
use crate::token::Token;
use memchr::memchr;
use std::fmt;
use std::sync::Arc;
use traceward::input::{Answer, EventsMistake, Format, Hello};
use traceward::message::Shown;
use traceward::{Error, Event, Feed, Monitor, PropertyId, ReadOptions, Verdict};

/// The longest line of a client, in bytes. It is all of a client that is kept in memory beside the
/// last state.
pub const LONGEST_LINE: usize = 4 << 20;

/// The longest line before a client is known, in bytes.
const LONGEST_GREETING: usize = 64 << 10;

/// The longest name of a client, in characters.
const LONGEST_NAME: usize = 100;

/// The name of a client that gives itself none.
const NAMELESS: &str = "client";

/// The rules that all sessions of an observer share.
#[derive(Debug, Default)]
pub struct Rules {
    /// The token that clients have to say.
    pub token: Option<Token>,
    /// The names that clients have had.
    pub names: Names,
}

/// A feed for a session.
pub fn feed(monitor: Monitor) -> Result<Feed, Error> {
    let options = ReadOptions { format: Some(Format::EVENTS), ..ReadOptions::default() };
    Feed::with_options(monitor, &options)
}

/// Takes what comes of a session: prints it, for instance.
pub trait Witness {
    /// A trace begins, under a name that no other has.
    fn begin(&mut self, _name: &str, _feed: &Feed) {}

    /// Something happened. Documents for a client that wants verdicts go to `verdicts`.
    fn see(&mut self, monitor: &Monitor, event: Event<'_>, verdicts: &mut Verdicts) -> Result<(), Stop>;

    /// The trace has ended. Returns a document about it, on one line.
    fn end(&mut self, feed: &Feed, ended: Ended<'_>) -> String;

    /// A client was turned away before it had a trace.
    fn refuse(&mut self, _refusal: &Refusal) {}

    /// Nothing more will happen until the client says more.
    fn pause(&mut self) {}
}

/// A witness wants no more of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop;

/// Documents for a client that wants verdicts.
#[derive(Debug)]
pub struct Verdicts {
    are_wanted: bool,
    lines: Vec<u8>,
}

impl Verdicts {
    /// Whether the client wants verdicts.
    pub fn are_wanted(&self) -> bool {
        self.are_wanted
    }

    /// Tells the client a document, which stands on one line.
    pub fn push(&mut self, document: &str) {
        if self.are_wanted {
            tell(&mut self.lines, "verdict", document);
        }
    }
}

/// The way in which a trace came to its end.
#[derive(Clone, Copy, Debug)]
pub enum Ended<'a> {
    /// The client said so.
    Said,
    /// The client went away.
    Gone,
    /// Something is wrong: the trace would have gone on.
    Failed(&'a Problem),
    /// The witness wanted no more.
    Stopped,
    /// Somebody ended all sessions.
    Closed,
}

/// What is wrong with a trace, so that it cannot be followed.
#[derive(Debug)]
pub enum Problem {
    /// The question cannot be answered any more.
    Error(Error),
    /// A line is longer than the limit.
    LongLine,
    /// The client does not read what it asked for.
    Deaf,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(Error::Trace(error) | Error::Unfit { error, .. }) => match error.line() {
                Some(line) => write!(f, "line {line}: {}", error.message()),
                None => f.write_str(&error.message()),
            },
            Self::Error(Error::Evaluation { message, line }) => write!(f, "line {line}: {}", Shown(message)),
            Self::Error(other) => {
                let text = other.to_string();
                let first = text.lines().next().unwrap_or_default();
                f.write_str(first.strip_prefix("error: ").unwrap_or(first))
            }
            Self::LongLine => write!(f, "a line is longer than {} MiB", LONGEST_LINE >> 20),
            Self::Deaf => f.write_str("the client does not read what it has asked for"),
        }
    }
}

/// The reason why a client was turned away before it had a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It did not say the token.
    Token,
    /// Its hello is wrong.
    Hello(EventsMistake),
    /// Its first lines are too long.
    LongGreeting,
    /// Its name is too long.
    LongName,
    /// It did not say hello in time.
    Late,
    /// It went away before it had said hello.
    Gone,
    /// Somebody ended all sessions.
    Closed,
    /// There are as many clients as there may be.
    Full {
        /// The most there may be.
        limit: usize,
    },
}

impl Refusal {
    /// Whether this was a client that has lost its trace, and not somebody who knocked at the door.
    pub fn is_loss(&self) -> bool {
        match self {
            Self::Hello(EventsMistake::OtherVersion { .. } | EventsMistake::BadHello { .. })
            | Self::LongName
            | Self::Full { .. } => true,
            Self::Hello(_) | Self::Token | Self::LongGreeting | Self::Late | Self::Gone | Self::Closed => false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token => f.write_str("the first line has to be `token` and the observer's token"),
            Self::Hello(mistake) => f.write_str(&mistake.message()),
            Self::LongGreeting => write!(f, "the first line is longer than {} KiB", LONGEST_GREETING >> 10),
            Self::LongName => write!(f, "the name has more than {LONGEST_NAME} characters"),
            Self::Late => f.write_str("no hello came in time"),
            Self::Gone => f.write_str("the client went away before it had said hello"),
            Self::Closed => f.write_str("the observer ends"),
            Self::Full { limit } => write!(f, "there are {limit} clients, and no more are taken"),
        }
    }
}

/// Whether a conversation goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The client may say more.
    Open,
    /// Nothing more is listened to.
    Closed,
}

/// One client's conversation.
pub struct Session<W> {
    stage: Stage,
    rules: Arc<Rules>,
    feed: Feed,
    witness: W,
    /// The beginning of a line of the greeting.
    greeting: Vec<u8>,
    /// The number of bytes of the line at hand that have come.
    line_length: usize,
    answer: Option<Answer>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The token may come, or has to.
    Token,
    /// The hello has to come.
    Hello,
    /// States come.
    Trace,
    Closed,
}

/// The reason why a feed stops.
enum Halt {
    Error(Error),
    Stopped,
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl<W: Witness> Session<W> {
    /// A conversation in which nothing has been said. The feed is one of [`feed`].
    pub fn new(feed: Feed, rules: Arc<Rules>, witness: W) -> Self {
        let stage = Stage::Token;
        Self { stage, rules, feed, witness, greeting: Vec::new(), line_length: 0, answer: None }
    }

    /// Whether the client has not said hello yet.
    pub fn is_greeting(&self) -> bool {
        matches!(self.stage, Stage::Token | Stage::Hello)
    }

    /// Who is told what comes of it.
    pub fn witness(&mut self) -> &mut W {
        &mut self.witness
    }

    /// Who is told, and what has been read.
    pub fn parts(&mut self) -> (&mut W, &Feed) {
        (&mut self.witness, &self.feed)
    }

    /// Takes what the client says; what it is told is written to `replies`.
    pub fn push(&mut self, bytes: &[u8], replies: &mut Vec<u8>) -> Flow {
        let mut rest = bytes;
        while self.is_greeting() && !rest.is_empty() {
            rest = self.greet(rest, replies);
        }
        if self.stage == Stage::Trace && !rest.is_empty() {
            self.follow(rest, replies);
        }
        self.pause()
    }

    /// The client has gone, or says no more.
    pub fn gone(&mut self, replies: &mut Vec<u8>) -> Flow {
        match self.stage {
            Stage::Token | Stage::Hello => self.refuse(&Refusal::Gone, replies),
            Stage::Trace => {
                let result = self.read(replies, |feed, mut watch| feed.finish(&mut watch));
                if self.heed(result, replies) {
                    self.end(Ended::Gone, replies);
                }
            }
            Stage::Closed => {}
        }
        self.pause()
    }

    /// The client does not read its answers.
    pub fn deaf(&mut self) {
        if self.stage == Stage::Trace {
            self.end(Ended::Failed(&Problem::Deaf), &mut Vec::new());
        }
        self.pause();
    }

    /// The client has not said hello in time.
    pub fn late(&mut self, replies: &mut Vec<u8>) {
        if self.is_greeting() {
            self.refuse(&Refusal::Late, replies);
        }
        self.pause();
    }

    /// The client is turned away for a reason that has nothing to do with what it says.
    pub(crate) fn turn_away(&mut self, refusal: &Refusal, replies: &mut Vec<u8>) {
        self.refuse(refusal, replies);
        self.pause();
    }

    /// All sessions end.
    pub fn close(&mut self, replies: &mut Vec<u8>) {
        match self.stage {
            Stage::Token | Stage::Hello => self.refuse(&Refusal::Closed, replies),
            Stage::Trace => self.end(Ended::Closed, replies),
            Stage::Closed => {}
        }
        self.pause();
    }

    fn pause(&mut self) -> Flow {
        self.witness.pause();
        if self.stage == Stage::Closed { Flow::Closed } else { Flow::Open }
    }

    /// Takes a line of the greeting, or a part of one; returns what comes behind it.
    fn greet<'b>(&mut self, bytes: &'b [u8], replies: &mut Vec<u8>) -> &'b [u8] {
        let (line, rest) = match memchr(b'\n', bytes) {
            Some(end) => (&bytes[..end], Some(&bytes[end + 1..])),
            None => (bytes, None),
        };
        if self.greeting.len() + line.len() > LONGEST_GREETING {
            self.refuse(&Refusal::LongGreeting, replies);
            return &[];
        }
        self.greeting.extend_from_slice(line);
        let Some(rest) = rest else { return &[] };
        let line = std::mem::take(&mut self.greeting);
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        match (self.stage, line.strip_prefix(b"token ")) {
            (Stage::Token, said) => match (&self.rules.token, said) {
                (Some(token), Some(said)) if token.matches(said.trim_ascii()) => self.stage = Stage::Hello,
                (Some(_), _) => self.refuse(&Refusal::Token, replies),
                // Who is not asked for a token may say one all the same.
                (None, Some(_)) => self.stage = Stage::Hello,
                (None, None) => self.hello(line, replies),
            },
            _ => self.hello(line, replies),
        }
        rest
    }

    fn hello(&mut self, line: &[u8], replies: &mut Vec<u8>) {
        let hello = match Hello::parse(line) {
            Ok(hello) => hello,
            Err(mistake) => return self.refuse(&Refusal::Hello(mistake), replies),
        };
        let name = hello.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(NAMELESS);
        if name.chars().count() > LONGEST_NAME {
            return self.refuse(&Refusal::LongName, replies);
        }
        self.stage = Stage::Trace;
        self.answer = hello.answer;
        self.witness.begin(&self.rules.names.unique(name), &self.feed);
        let result = self.read(replies, |feed, mut watch| feed.push(&[line, b"\n"].concat(), &mut watch));
        if self.heed(result, replies) {
            let needs: Vec<&str> = self.feed.monitor().variables().collect();
            tell(replies, "needs", &serde_json::to_string(&needs).unwrap_or_default());
        }
    }

    /// Takes states.
    fn follow(&mut self, bytes: &[u8], replies: &mut Vec<u8>) {
        let (bytes, is_long) = self.measure(bytes);
        let result = self.read(replies, |feed, mut watch| feed.push(bytes, &mut watch));
        // What comes behind the end may not have come yet, so it is not listened to.
        if self.feed.has_ended() {
            return self.end(Ended::Said, replies);
        }
        if self.heed(result, replies) && is_long {
            self.fail(&Problem::LongLine, replies);
        }
    }

    /// The bytes before the first line that is too long, and whether there is one.
    fn measure<'b>(&mut self, bytes: &'b [u8]) -> (&'b [u8], bool) {
        let mut at = 0;
        loop {
            let end = memchr(b'\n', &bytes[at..]);
            if self.line_length + end.unwrap_or(bytes.len() - at) > LONGEST_LINE {
                return (&bytes[..at], true);
            }
            match end {
                Some(end) => {
                    self.line_length = 0;
                    at += end + 1;
                }
                None => {
                    self.line_length += bytes.len() - at;
                    return (bytes, false);
                }
            }
        }
    }

    /// Lets the feed read, and tells the witness and the client what comes of it.
    fn read(
        &mut self,
        replies: &mut Vec<u8>,
        read: impl FnOnce(&mut Feed, &mut dyn FnMut(&Monitor, Event<'_>) -> Result<(), Halt>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let Self { feed, witness, answer, .. } = self;
        let are_wanted = *answer == Some(Answer::Verdicts);
        let mut verdicts = Verdicts { are_wanted, lines: std::mem::take(replies) };
        let result = read(feed, &mut |monitor, event| {
            let seen = witness.see(monitor, event, &mut verdicts);
            reply(&mut verdicts.lines, *answer, monitor, event);
            seen.map_err(|Stop| Halt::Stopped)
        });
        *replies = verdicts.lines;
        result
    }

    /// Ends the trace if a feed has stopped; returns whether it goes on.
    fn heed(&mut self, result: Result<(), Halt>, replies: &mut Vec<u8>) -> bool {
        match result {
            Ok(()) => return true,
            Err(Halt::Stopped) => self.end(Ended::Stopped, replies),
            Err(Halt::Error(error)) => self.fail(&Problem::Error(error), replies),
        }
        false
    }

    fn fail(&mut self, problem: &Problem, replies: &mut Vec<u8>) {
        tell(replies, "error", &Shown(&problem.to_string()).to_string());
        self.stage = Stage::Closed;
        self.witness.end(&self.feed, Ended::Failed(problem));
    }

    fn end(&mut self, ended: Ended<'_>, replies: &mut Vec<u8>) {
        self.stage = Stage::Closed;
        let document = self.witness.end(&self.feed, ended);
        if self.answer.is_some() {
            replies.extend_from_slice(b"done\n");
            tell(replies, "end", &document);
        }
    }

    fn refuse(&mut self, refusal: &Refusal, replies: &mut Vec<u8>) {
        self.stage = Stage::Closed;
        tell(replies, "error", &refusal.to_string());
        self.witness.refuse(refusal);
    }
}

/// Tells a client a word and a text, which stands on one line.
fn tell(replies: &mut Vec<u8>, word: &str, text: &str) {
    for part in [word.as_bytes(), b" ", text.as_bytes(), b"\n"] {
        replies.extend_from_slice(part);
    }
}

/// Tells a client what came of its line, if it wants to know.
fn reply(replies: &mut Vec<u8>, answer: Option<Answer>, monitor: &Monitor, event: Event<'_>) {
    match (event, answer) {
        (Event::BadLine(error), Some(_)) => {
            let line = error.line().unwrap_or(0);
            tell(replies, "warning", &format!("line {line} is skipped: {}", Shown(&error.message())));
        }
        (Event::State { changed }, Some(Answer::Each)) => {
            let is_violated = |id: &&PropertyId| {
                let property = monitor.property(**id);
                property.gave_up.is_none() && property.verdict == Verdict::Violated
            };
            match changed.iter().find(is_violated) {
                Some(id) => tell(replies, "stop", &Shown(monitor.property(*id).name).to_string()),
                None => replies.extend_from_slice(b"ok\n"),
            }
        }
        _ => {}
    }
}
