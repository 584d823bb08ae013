//! `traceward monitor --listen`: programs connect, and each has a trace of its own.

use super::progress::{self, Progress};
use super::teller::{EarlyEnd, Ending, Going, Shared, Teller, TraceSource, unanswerable};
use crate::arguments::MonitorArguments;
use crate::failure::{Failure, Outcome, tell};
use crate::input;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use traceward::input::Format;
use traceward::{Event, Feed, Monitor, ReadOptions};
use traceward_server::{
    Address, CannotListen, Clients, Ended, Limits, Listener, Problem, Refusal, Rules, Session, Stop, Token, Verdicts,
    Witness,
};

/// The time in which clients are told that the observer ends. It is less than a signal grants.
const FAREWELL: Duration = Duration::from_millis(200);

/// The longest file that a token is read from.
const LONGEST_TOKEN_FILE: u64 = 64 << 10;

/// What the thread that waits is told.
enum News {
    /// A signal asks what is known so far.
    Asked,
    /// A signal asks for the end.
    Interrupted,
    /// A property is violated, and nobody wants more.
    Violated,
    /// The output cannot be written.
    Output(io::Error),
    /// No more clients can come.
    Socket(io::Error),
}

pub fn run(address: &Address, shared: &Arc<Shared>, monitor: Monitor) -> Result<Outcome, Failure> {
    let options = read_options(&shared.arguments)?;
    let token = shared.arguments.token_file.as_deref().map(|path| read_token(path, &shared.arguments)).transpose()?;
    let new_feed = move || Feed::with_options(monitor.clone(), &options);
    new_feed().map_err(|error| unanswerable(&error, &address.to_string()))?;
    let listener = Listener::bind(address, token.is_some()).map_err(|reason| cannot_listen(address, &reason))?;
    let listener = Arc::new(listener);
    let (sender, news) = channel();
    let traces = Arc::new(Traces { shared: shared.clone(), news: sender.clone(), known: Mutex::default() });
    take_signals(&traces).map_err(|error| Failure::new(format!("signals: {}", input::reason(&error))))?;
    let clients = Clients::new(Limits { clients: shared.arguments.clients.into(), ..Limits::default() });
    serve(&clients, &listener, Rules { token, ..Rules::default() }, &traces, new_feed)?;
    if !shared.arguments.quiet || listener.address() != address {
        tell(&format!("listening on {}", listener.address()));
    }
    let result = wait(&news, &clients);
    listener.withdraw();
    let ending = result?;
    traces.known().ending = Some(ending);
    if !clients.close(FAREWELL) {
        traces.end_program();
    }
    Ok(traces.outcome())
}

/// How what clients say is read: as events, whatever else is asked.
fn read_options(arguments: &MonitorArguments) -> Result<ReadOptions, Failure> {
    let options = input::read_options(Path::new(""), &arguments.trace);
    match options.format {
        Some(format) if format != Format::EVENTS => {
            Err(Failure::new(format!("clients tell events, not {format}")).help("leave --input out"))
        }
        _ => Ok(ReadOptions { format: Some(Format::EVENTS), ..options }),
    }
}

/// Reads the token of a file, and warns if others can read it too.
fn read_token(path: &Path, arguments: &MonitorArguments) -> Result<Token, Failure> {
    let name = input::name(path);
    let failure = |error: io::Error| Failure::new(format!("{name}: {}", input::reason(&error)));
    let file = std::fs::File::open(path).map_err(failure)?;
    let mode = file.metadata().map_err(failure)?.permissions().mode();
    if mode & 0o077 != 0 && !arguments.quiet {
        tell(&format!("warning: {name}: others can read the token\n  help: chmod 600 {name}"));
    }
    let mut text = String::new();
    file.take(LONGEST_TOKEN_FILE).read_to_string(&mut text).map_err(failure)?;
    Token::from_file(&text).map_err(|bad| {
        Failure::new(format!("{name}: {bad}")).help("for example: head -c 32 /dev/urandom | base64 > token")
    })
}

fn cannot_listen(address: &Address, reason: &CannotListen) -> Failure {
    let message = match reason {
        CannotListen::Io(error) => input::reason(error),
        other => other.to_string(),
    };
    let failure = Failure::new(format!("{address}: {message}"));
    match reason {
        CannotListen::Taken => failure.help("choose another address; tcp://127.0.0.1:0 takes a port that is free"),
        CannotListen::NoSocket => failure.help("choose another path, or remove the file"),
        CannotListen::NeedsToken => failure.help("--token-file FILE, or listen on 127.0.0.1"),
        CannotListen::Io(_) => failure,
    }
}

/// Takes signals: one that asks for the end is enforced a moment later.
fn take_signals(traces: &Arc<Traces>) -> io::Result<()> {
    let (asked, ended, left) = (traces.news.clone(), traces.news.clone(), traces.clone());
    let ask = move || asked.send(News::Asked).is_ok();
    let end = move || drop(ended.send(News::Interrupted));
    traces.shared.interrupt.listen(ask, end, move || left.end_program())
}

/// Takes clients, on a thread of its own.
fn serve(
    clients: &Arc<Clients<Client>>,
    listener: &Arc<Listener>,
    rules: Rules,
    traces: &Arc<Traces>,
    new_feed: impl Fn() -> Result<Feed, traceward::Error> + Send + 'static,
) -> Result<(), Failure> {
    let (clients, listener, traces, rules) = (clients.clone(), listener.clone(), traces.clone(), Arc::new(rules));
    let owner = traces.clone();
    let open = move || {
        let client = Client { traces: owner.clone(), teller: None, early: None };
        // A feed could be made before, so it can be made again.
        new_feed().ok().map(|feed| Session::new(feed, rules.clone(), client))
    };
    let news = traces.news.clone();
    thread::Builder::new()
        .name("listener".to_owned())
        .spawn(move || news.send(News::Socket(clients.serve(&listener, open))))
        .map(drop)
        .map_err(|error| Failure::new(format!("no thread for clients: {}", input::reason(&error))))
}

fn wait(news: &std::sync::mpsc::Receiver<News>, clients: &Clients<Client>) -> Result<Ending, Failure> {
    loop {
        match news.recv() {
            Ok(News::Asked) => clients.visit(FAREWELL, |session| {
                let (client, feed) = session.parts();
                client.tell_values(feed);
            }),
            Ok(News::Interrupted) | Err(_) => return Ok(Ending::Complete),
            Ok(News::Violated) => return Ok(Ending::Violated),
            Ok(News::Output(error)) => return Err(error.into()),
            Ok(News::Socket(error)) => {
                return Err(Failure::new(format!("no more clients can come: {}", input::reason(&error))));
            }
        }
    }
}

/// What has come of the traces of all clients.
struct Traces {
    shared: Arc<Shared>,
    news: Sender<News>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The number of traces that have begun.
    begun: u64,
    /// What has come of those that have ended, and of clients that were turned away.
    outcome: Option<Outcome>,
    /// What has been found out of those that have not.
    open: Vec<Arc<Progress>>,
    /// How all of them end, once that is known.
    ending: Option<Ending>,
}

impl Traces {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, progress: &Arc<Progress>) {
        let mut known = self.known();
        known.begun += 1;
        known.open.push(progress.clone());
    }

    fn end(&self, progress: &Arc<Progress>, outcome: Outcome) {
        let mut known = self.known();
        known.open.retain(|open| !Arc::ptr_eq(open, progress));
        known.outcome = known.outcome.max(Some(outcome));
    }

    /// The outcome of all traces. Where there was none, nothing was answered.
    fn outcome(&self) -> Outcome {
        let Known { begun, outcome, .. } = *self.known();
        if begun == 0 && outcome.is_none() && !self.shared.arguments.allow_empty {
            Failure::new("no client came, so there is no trace")
                .help("--allow-empty ends without an error all the same")
                .report();
            return Outcome::Unanswered;
        }
        outcome.unwrap_or(Outcome::Holds)
    }

    /// Ends the program, whatever its threads are at.
    fn end_program(&self) {
        let known = self.known();
        let (open, outcome) = (known.open.clone(), known.outcome.unwrap_or(Outcome::Holds));
        drop(known);
        progress::end(open, outcome, self.shared.out.clone());
    }

    fn send(&self, news: News) {
        // Where nobody waits any more, the program is about to end.
        let _ = self.news.send(news);
    }
}

/// Says what comes of a client's trace.
struct Client {
    traces: Arc<Traces>,
    /// Who says it, once the client has a name.
    teller: Option<Teller>,
    /// Why the trace ends before its client does.
    early: Option<EarlyEnd>,
}

impl Client {
    fn tell_values(&mut self, feed: &Feed) {
        let Some(teller) = &mut self.teller else { return };
        if let Err(error) = teller.values(feed.monitor()).and_then(|()| teller.flush()) {
            self.traces.send(News::Output(error));
        }
    }

    /// What has happened on the way, and how the trace ended.
    fn ending(&mut self, ended: Ended<'_>) -> (Outcome, Ending, Going) {
        match ended {
            Ended::Said => (Outcome::Holds, Ending::Complete, Going::Over),
            Ended::Gone => (Outcome::Holds, Ending::Complete, Going::Gone),
            Ended::Closed => (Outcome::Holds, self.traces.known().ending.unwrap_or(Ending::Complete), Going::Left),
            Ended::Failed(problem) => {
                self.report(problem);
                (Outcome::Unanswered, Ending::CutShort, Going::Left)
            }
            Ended::Stopped => match self.early {
                Some(EarlyEnd::Enough(ending)) => (Outcome::Holds, ending, Going::Left),
                Some(EarlyEnd::Told) => (Outcome::Unanswered, Ending::CutShort, Going::Left),
                _ => (Outcome::Holds, Ending::Complete, Going::Left),
            },
        }
    }

    fn report(&self, problem: &Problem) {
        let Some(teller) = &self.teller else { return };
        match problem {
            Problem::Error(error) => teller.unanswerable(error).report(),
            other => teller.failure(other).report(),
        }
    }
}

impl Witness for Client {
    fn begin(&mut self, name: &str, feed: &Feed) {
        let teller = Teller::new(&self.traces.shared, TraceSource::Client(name.to_owned()), feed.monitor());
        self.traces.begin(teller.progress());
        self.teller = Some(teller);
    }

    fn see(&mut self, monitor: &Monitor, event: Event<'_>, verdicts: &mut Verdicts) -> Result<(), Stop> {
        let Some(teller) = &mut self.teller else { return Ok(()) };
        if verdicts.are_wanted() {
            teller.keep_copies();
        }
        let seen = teller.see(monitor, event);
        teller.take_copies().iter().for_each(|document| verdicts.push(document));
        let Err(early) = seen else { return Ok(()) };
        match early {
            EarlyEnd::Enough(Ending::Violated) => {
                self.traces.send(News::Violated);
                self.early = Some(early);
            }
            EarlyEnd::Output(error) => self.traces.send(News::Output(error)),
            other => self.early = Some(other),
        }
        Err(Stop)
    }

    fn end(&mut self, feed: &Feed, ended: Ended<'_>) -> String {
        let (outcome, ending, going) = self.ending(ended);
        // Whoever asks for values from now on asks of those that go on.
        let Some(mut teller) = self.teller.take() else { return "{}".to_owned() };
        match teller.conclude(feed, outcome, ending, going) {
            Ok((outcome, document)) => {
                self.traces.end(teller.progress(), outcome);
                document.unwrap_or_else(|| "{}".to_owned())
            }
            Err(Failure::Output(error)) => {
                self.traces.send(News::Output(error));
                "{}".to_owned()
            }
            Err(failure) => {
                failure.report();
                self.traces.end(teller.progress(), Outcome::Unanswered);
                "{}".to_owned()
            }
        }
    }

    fn refuse(&mut self, refusal: &Refusal) {
        let is_loss = refusal.is_loss();
        if is_loss {
            let mut known = self.traces.known();
            known.outcome = known.outcome.max(Some(Outcome::Unanswered));
        }
        let is_quiet = self.traces.shared.arguments.quiet || matches!(refusal, Refusal::Gone | Refusal::Closed);
        if is_loss || !is_quiet {
            let severity = if is_loss { "error" } else { "warning" };
            tell(&format!("{severity}: a client was turned away: {refusal}"));
        }
    }

    fn pause(&mut self) {
        if let Some(Err(error)) = self.teller.as_mut().map(Teller::flush) {
            self.traces.send(News::Output(error));
        }
    }
}
