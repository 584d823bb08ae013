//! The command line, as data.

use crate::output::Content;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use traceward::engine::{Interrupt, Limit, Limits, Precision, Simplification, Subsumption};
use traceward::input::{Format, MissingPolicy, Note, TimeColumn, TimeUnit};
use traceward::message::{Remedy, TIME_UNITS};
use traceward::{Config, Dialect, EngineName, KeyOptions, ValueType};
use traceward_server::Address;

/// Checks, monitors and measures what running systems actually did
#[derive(Parser, Debug)]
#[command(name = "traceward", version, disable_help_subcommand = true, max_term_width = 100)]
#[command(after_help = "Examples:
  traceward check -e 'G(request -> F grant)' trace.csv
  traceward inspect trace.csv
  tail -f events.jsonl | traceward monitor -e 'G(request -> F grant)'
  traceward help operators

Exit status: 0 everything asked holds, 1 a property is violated, 2 the question could not be answered.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

// A command's options are made only when it is named: those of all take as long as a short trace.
// They are made behind the command's own text, so comments on groups of options are none for the
// documentation: they would take its place.
#[derive(Subcommand, Debug)]
#[command(defer = true)]
pub enum Command {
    /// Check properties of traces
    #[command(after_help = "Examples:
  traceward check -e 'G(request -> F[0,100] grant)' trace.csv
  traceward check -e 'G(\"Triage\" -> F[0,1h] \"Antibiotics\")' --event Activity --time Timestamp --by 'Case ID' log.csv
  traceward check properties.tw run1.jsonl run2.jsonl.gz --format json
  traceward check properties.tw --time ts --by host table.parquet
  traceward check properties.tw run1.jsonl --format junit > report.xml
  traceward check properties.tw trace.csv --html report.html
  traceward check -e 'G(request -> F[0,100] grant)' so-far.csv --prefix
  traceward check -e 'G(!a -> !b U c)' --steps --engine breadth-first short.csv
  zcat trace.csv.gz | traceward check -e 'G !(a & b)' -")]
    Check(CheckArguments),
    /// Measure queries over a trace
    #[command(after_help = "Examples:
  traceward query -e 'max(x)' -e 'count(p) ?? 0' trace.csv
  traceward query -e 'latency(request -> grant)' --time t:ms trace.csv
  traceward query -e 'latency(request -> grant)' --by client log.csv --svg latency.svg
  traceward query -e 'histogram(x)' trace.csv
  traceward query -e 'quantile(0.99, latency(request -> grant))' --time t:ms trace.csv")]
    Query(CheckArguments),
    /// Judge properties while the trace goes on, from standard input or from programs that connect
    #[command(after_help = "Examples:
  tail -f events.jsonl | traceward monitor -e 'G(request -> F grant)' -e 'G !error'
  ./server | traceward monitor properties.tw --changes --format text
  ./server | traceward monitor -e 'F ready' --stop-when-decided
  printf '{\"on\": true}\\n{\"on\": false}\\n' | traceward monitor -e 'G on'
  traceward monitor properties.tw --listen tcp://127.0.0.1:7007

It reads JSON lines, CSV with a header, or events, and prints a line each time a verdict changes:
  {\"position\": 1, \"property\": \"p1\", \"verdict\": \"violated\", \"final\": true}

A verdict is satisfied or violated once no continuation can change it; before that it is holding
or pending, by what it would be if the trace ended now (as text that is printed with
--every-change only). At the end of the input, or at a
signal (INT, TERM, HUP), each property is satisfied or violated.")]
    Monitor(MonitorArguments),
    /// Tell what a trace holds: columns, types, ranges, what to write the first property about
    #[command(after_help = "Examples:
  traceward inspect trace.csv
  traceward inspect log.jsonl.gz --time ts:s --by node
  traceward inspect table.parquet --time ts")]
    Inspect(InspectArguments),
    /// Show what becomes of a formula or a query: tree, core, normal form, sublogic, automaton,
    /// engine, and what every engine would need at the most
    #[command(after_help = "Examples:
  traceward explain-plan -e 'G(!a -> !b U c)'
  traceward explain-plan -e 'quantile(0.99, latency(request -> grant))'")]
    ExplainPlan(PlanArguments),
    /// Make a C program tell a monitor what a spec needs to know
    #[command(after_help = "Examples:
  traceward instrument properties.tw mux.c -o told
  cc told/mux.c told/traceward_watch.c -o mux
  TRACEWARD_OUT=file:mux.events ./mux
  traceward check told/mux.c mux.events

Behind every write to a variable of the spec stands code that looks whether a predicate differs, and
then sends a state. A variable is x, s.member or `a[3]`; where several have the name, it is
`file.c:variable` or `file.c:function:variable`. What cannot be seen is told as warnings.

The program's environment says where events go: TRACEWARD_OUT=file:PATH, unix:PATH, tcp:HOST:PORT
or fd:N. Without it, it runs as it always did. The files carry the spec.

Exit status: 0 the program tells, 2 it could not be made to.")]
    Instrument(InstrumentArguments),
    /// Run a program under its monitor: one that was instrumented, or C files that are instrumented
    /// and compiled first
    #[command(after_help = "Examples:
  traceward run properties.tw mux.c
  traceward run properties.tw mux.c other.c -- --rounds 3
  traceward run properties.tw --threads --stop-on-violation mux.c
  traceward run told/mux.c -- ./mux --rounds 3

Verdicts are printed on standard error the moment they are final, with the place in the program and
the values there; what the program reads and prints passes through, and so do signals. CC and CFLAGS
name the compiler and its options.

A process that the program forks is a trace of its own, which is judged when it has ended.

Exit status: that of the program, unless a property is violated (1) or the question could not be
answered (2). A program that dies of a signal takes this one with it.")]
    Run(RunArguments),
    /// Run a program of Manna and Pnueli's Simple Programming Language, and print its trace
    #[command(after_help = "Examples:
  traceward simulate program.spl > trace.csv
  traceward simulate program.spl --steps 100000 --seed 7 -o trace.csv
  traceward simulate program.spl --seed 7 | traceward check -e 'G !(at_l3 & at_m3)' -
  traceward simulate program.spl --format jsonl | traceward monitor -e 'G !(at_l3 & at_m3)'

Each step is one of a random process that can go on. The same program and seed give the same
trace, on every machine. A program in which no process can go on ends the trace early: standard
error tells where each one stands. `traceward help programs` explains the language.

Exit status: 0 there is a trace, 2 the program is wrong, or does what cannot be done.")]
    Simulate(SimulateArguments),
    /// Repeat the experiments of the papers, and measure what their theorems say
    #[command(after_help = "Examples:
  traceward bench figure10
  traceward bench figure10 --longest 1000000 --svg figure10.svg
  traceward bench figure8 --longest 10000000 --svg figure8.svg
  traceward bench bounded --svg bounded.svg")]
    Bench(BenchArguments),
    /// Show the automaton of a formula or query: as text, as a picture, for other tools, or as a
    /// monitor in C or Rust
    #[command(after_help = "Examples:
  traceward automaton -e 'G(!a -> !b U c)'
  traceward automaton -e 'G(p -> O r)' --to svg > automaton.svg
  traceward automaton -e 'G F a' --to dot | dot -Tpng > automaton.png
  traceward automaton properties.tw --property mutex --to json
  traceward automaton -e 'G(a -> F[0,100] b)' --kind metric --to svg > metric.svg
  traceward automaton -e 'max(count(p & X !p) while q)' --kind algebraic --to svg > query.svg
  traceward automaton -e 'G(a -> F b)' --kind tableau --initial paper --to fsp
  traceward automaton -e 'G(a -> F[0,3] b)' --kind deterministic --to hoa
  traceward automaton -e 'a U true' --kind deterministic --via tableau --initial paper
  traceward automaton -e 'G(a -> F b)' --kind deterministic --via both
  traceward automaton properties.tw --property mutex --to c > mutex.c
  traceward automaton -e 'G(a -> F[0,250ms] b)' --to rust > answered.rs

All kinds have the forms text, dot, json and svg; tableau and deterministic also fsp.
Only deterministic has hoa, c and rust. Bounds in steps are for all but alternating; metric has
past operators as labels. Bounds in time are for metric, whose clocks count them, for algebraic,
which has past and bounded formulas as labels, and for c and rust where a fixed number of deadlines
is enough. Queries have only algebraic.")]
    Automaton(AutomatonArguments),
    /// Tell which properties can never hold, can never fail, follow from others, or cannot hold
    /// together
    #[command(after_help = "Examples:
  traceward lint properties.tw
  traceward lint -e 'G p' -e 'F p'
  traceward lint -e 'F[0,1s] p & G[0,2s] !p'

Exit status: 0 nothing is odd, 1 something is, 2 it could not be found out.")]
    Lint(LintArguments),
    /// Tell whether two formulas mean the same, and if not, on which trace they differ
    #[command(after_help = "Examples:
  traceward compare -e 'G(p -> F q)' -e 'G F q'
  traceward compare -e '!(a U b)' -e '!a R !b' --format json
  traceward compare -e 'G(p -> F[0,1s] q)' -e 'G(p -> F[0,2s] q)'

Exit status: 0 they are equal, 1 they are not, 2 it could not be found out.")]
    Compare(HygieneArguments),
    /// Explain the language (`help operators`, `functions`, `queries`, `specs`), that of programs
    /// (`help programs`) or a command (`help check`)
    Help(HelpArguments),
    /// Print completions for a shell
    #[command(after_help = "Example:
  traceward completions bash > ~/.local/share/bash-completion/completions/traceward")]
    Completions(CompletionsArguments),
    /// Print a manual page
    #[command(after_help = "Example:
  traceward man | man -l -")]
    Man(ManArguments),
}

impl Command {
    /// What its answer is made of.
    pub fn content(&self) -> Content {
        match self {
            Self::Check(arguments) | Self::Query(arguments) => arguments.output.format.content(),
            Self::Monitor(arguments) => arguments.content(),
            Self::Inspect(arguments) => arguments.output.format.content(),
            Self::ExplainPlan(arguments) if arguments.output.format == OutputFormat::Json => Content::Json,
            Self::Bench(arguments) => arguments.output.format.content(),
            Self::Lint(arguments) => arguments.format.content(),
            Self::Compare(arguments) => arguments.output.format.content(),
            // Names of a program have nothing in them that a terminal obeys, and lines are many.
            Self::Simulate(_) => Content::Escaped,
            Self::Automaton(arguments) if arguments.to == AutomatonFormat::Json => Content::Json,
            Self::Help(arguments) if arguments.topic.as_deref() == Some("json-schema") => Content::Json,
            Self::Help(_) => Content::Coloured,
            Self::Instrument(_) | Self::Run(_) => Content::Plain,
            Self::ExplainPlan(_) | Self::Automaton(_) | Self::Completions(_) | Self::Man(_) => Content::Plain,
        }
    }
}

impl MonitorArguments {
    /// What its answer is made of: its lines are worded once, and many.
    pub fn content(&self) -> Content {
        match self.format {
            OutputFormat::Json => Content::Escaped,
            OutputFormat::Text => Content::Coloured,
        }
    }
}

// What to ask.
#[derive(Args, Debug)]
pub struct SpecArguments {
    /// A formula or query; may be given several times
    #[arg(short = 'e', long = "expression", value_name = "TEXT", allow_hyphen_values = true)]
    pub expressions: Vec<String>,
    /// The dialect of formulas: mtl reads bounds as MTL does, opra binds as the OPrA tool does
    #[arg(long, value_name = "mtl|opra|traceward")]
    pub dialect: Option<Dialect>,
}

#[derive(Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub spec: SpecArguments,
    /// A spec file (.tw), unless -e is given; then the traces: paths, or - for standard input
    #[arg(value_name = "SPEC | TRACE", required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub trace: TraceArguments,
    #[command(flatten)]
    pub keys: KeyArguments,
    #[command(flatten)]
    pub output: ReportOutputArguments,
    #[command(flatten)]
    pub precision: PrecisionArguments,
    #[command(flatten)]
    pub engine: EngineArguments,
    /// Report truth at every position
    #[arg(long)]
    pub positions: bool,
    /// Take the trace for the beginning of a longer one: say what is certain, and what is still
    /// owed
    #[arg(long)]
    pub prefix: bool,
    /// Print the value of every node of the alternating automaton at every position, and of every
    /// part of the algebraic automaton of a query
    #[arg(long)]
    pub trace_table: bool,
    /// Tell what the engine holds after each state of a short trace, as the papers' examples do:
    /// slices, configurations with clocks, graphs, states of automata, or runs. Names are those of
    /// `traceward automaton --simplify`. With --coverage, breadth-first counts visits, too
    #[arg(long)]
    pub steps: bool,
    /// Draw into this file how the values of queries are distributed, and how they went over time;
    /// with --steps the steps of one property
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Tell which parts of each property never mattered, so that it held vacuously
    #[arg(long)]
    pub coverage: bool,
    /// Tell how long each eventuality had to wait
    #[arg(long)]
    pub waiting: bool,
    /// Tell what answering has cost at its most: configurations, nodes of the graph, timers that
    /// wait, bytes
    #[arg(long, help_heading = "Engine")]
    pub engine_statistics: bool,
    /// How many threads read a file, and evaluate formulas if it is long; as many as there are
    /// processors unless told. What is answered does not depend on it
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// How much memory the states of a trace may take, in MiB. Beyond it they go to a temporary
    /// file: by key until the key's turn comes, and otherwise, if there are properties alone, until
    /// something is told of them. What is answered does not depend on it
    #[arg(long, visible_alias = "key-memory", value_name = "MIB", help_heading = "Limits", default_value_t = 1024)]
    pub trace_memory: usize,
    /// How many violations to report one by one, and how many of the keys with the largest values
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub max_violations: usize,
    /// Judge a trace without a state, too; otherwise it is an error
    #[arg(long)]
    pub allow_empty: bool,
    /// Write the verdicts and values for each key to this file
    #[arg(long, value_name = "FILE.csv")]
    pub keys_to: Option<PathBuf>,
    /// Write the answer to this file as well, as a page to look at: verdicts, timelines of
    /// violations, a table of keys, and what was measured as bars. It needs nothing else, and is
    /// written once all traces are answered for; a trace that could not be has its reason there
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct MonitorArguments {
    #[command(flatten)]
    pub spec: SpecArguments,
    /// Spec files (.tw)
    #[arg(value_name = "SPEC")]
    pub paths: Vec<PathBuf>,
    /// Follow programs that connect to this address, each its own trace: tcp://HOST:PORT, where
    /// port 0 is one that is free, or unix:PATH. Without it standard input is followed
    #[arg(long, value_name = "ADDRESS", help_heading = "Clients")]
    pub listen: Option<Address>,
    /// The token that clients have to say first is in this file. Only with it may other computers
    /// connect
    #[arg(long, value_name = "FILE", requires = "listen", help_heading = "Clients")]
    pub token_file: Option<PathBuf>,
    /// The most clients at a time
    #[arg(long, value_name = "N", requires = "listen", help_heading = "Clients", default_value_t = 100)]
    pub clients: u16,
    /// Print every verdict after every state
    #[arg(long, conflicts_with_all = ["every_change", "only_final"])]
    pub every_step: bool,
    /// Print a line each time a verdict changes, as JSON lines do unless told otherwise
    #[arg(long, conflicts_with = "only_final")]
    pub every_change: bool,
    /// Print final verdicts only, satisfied and violated, as text does unless told otherwise
    #[arg(long)]
    pub only_final: bool,
    /// Print the values of queries so far after so many states, or at the first state after so much
    /// time: `1000`, `10s`. They are also printed on the signal USR1, and at the end
    #[arg(long, value_name = "N|DURATION")]
    pub every: Option<Every>,
    #[command(flatten)]
    pub precision: PrecisionArguments,
    /// Stop as soon as every verdict is final; otherwise all of the input is read, as its errors
    /// and counts are part of the answer
    #[arg(long)]
    pub stop_when_decided: bool,
    /// Stop as soon as a property is violated
    #[arg(long)]
    pub stop_on_violation: bool,
    /// Tell at the end which parts of each property never mattered; a bit is kept for each
    /// proposition and state
    #[arg(long)]
    pub coverage: bool,
    /// Tell at the end how long each eventuality had to wait; a bit is kept for each proposition
    /// and state
    #[arg(long)]
    pub waiting: bool,
    /// Judge a trace without a state, too; otherwise it is an error
    #[arg(long)]
    pub allow_empty: bool,
    /// What a line does that cannot be read: it is skipped, as if it were not there, or the monitor
    /// stops. Unless this is given, lines are skipped, and the exit status is 2 at the end
    #[arg(long, value_enum, value_name = "skip|stop", hide_possible_values = true)]
    pub on_bad_input: Option<BadInput>,
    #[command(flatten)]
    pub trace: TraceArguments,
    #[command(flatten)]
    pub keys: KeyArguments,
    /// What tells how late it is, so that a deadline is known to be missed without another record:
    /// the records themselves, or the clock on the wall, minus --lateness. Where no column has
    /// timestamps, the wall also gives records the time of their arrival
    #[arg(long, value_enum, value_name = "events|wall", default_value_t = ClockSource::Events, hide_default_value = true, hide_possible_values = true, help_heading = "Trace")]
    pub clock: ClockSource,
    /// A record that has this field is no state: it tells how late it is, by its timestamp, or by
    /// the field itself
    #[arg(long, value_name = "FIELD", help_heading = "Trace")]
    pub heartbeat: Option<String>,
    /// With --by: a key that is silent for longer than this ends its trace, by timestamps where
    /// there are any, and otherwise by when records arrive: `10min`, `500ms`
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Trace")]
    pub idle: Option<u64>,
    /// With --by: the most keys at a time (1000000 if not given). One more is an error, since to
    /// end another for it would make its verdict wrong
    #[arg(long, value_name = "N", help_heading = "Trace")]
    pub max_keys: Option<usize>,
    #[command(flatten)]
    pub engine: EngineArguments,
    /// Tell at the end what following has cost at its most: configurations, nodes of the graph,
    /// timers that wait, bytes
    #[arg(long, help_heading = "Engine")]
    pub engine_statistics: bool,
    /// For programs, a JSON object a line, or for people
    #[arg(long, value_enum, default_value_t = OutputFormat::Json, help_heading = "Output")]
    pub format: OutputFormat,
    /// Print nothing but results
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

/// How often a monitor prints the values of queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Every {
    /// After so many states.
    States(u64),
    /// After so much time.
    Time(Duration),
}

impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000)];
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let number: Option<u64> = number.parse().ok().filter(|&number| number > 0);
        let milliseconds = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, size)| *size);
        match (number, unit, milliseconds) {
            (Some(number), "", _) => Ok(Self::States(number)),
            (Some(number), _, Some(size)) => Ok(Self::Time(Duration::from_millis(number.saturating_mul(size)))),
            _ => Err("it is a number of states such as 1000, or a time such as 500ms, 10s, 5min or 1h".to_owned()),
        }
    }
}

/// The verdicts that a monitor prints on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// Every verdict after every state.
    EveryStep,
    /// Verdicts that have changed.
    Changes,
    /// Verdicts that no continuation can change.
    Final,
}

impl MonitorArguments {
    /// The verdicts to print on the way.
    pub fn told(&self) -> Told {
        match self.format {
            _ if self.every_step => Told::EveryStep,
            _ if self.every_change => Told::Changes,
            _ if self.only_final => Told::Final,
            OutputFormat::Json => Told::Changes,
            OutputFormat::Text => Told::Final,
        }
    }

    /// The ends of the traces of keys, and how many there may be.
    pub fn key_options(&self) -> KeyOptions {
        let mut keys = KeyOptions::default();
        keys.idle = self.idle;
        keys.max_keys = self.max_keys.unwrap_or(keys.max_keys);
        keys
    }
}

/// What becomes of a line that cannot be read.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadInput {
    /// It is told and left out
    Skip,
    /// It ends the monitor
    Stop,
}

#[derive(Args, Debug)]
pub struct InspectArguments {
    /// A trace: a path, or - for standard input
    #[arg(value_name = "TRACE")]
    pub path: PathBuf,
    #[command(flatten)]
    pub trace: TraceArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

// What to ask, without a trace.
#[derive(Args, Debug)]
pub struct AskedArguments {
    #[command(flatten)]
    pub spec: SpecArguments,
    /// Spec files (.tw)
    #[arg(value_name = "SPEC")]
    pub paths: Vec<PathBuf>,
    /// The column that strings alone are compared with
    #[arg(long, value_name = "COLUMN")]
    pub event: Option<String>,
}

#[derive(Args, Debug)]
pub struct PlanArguments {
    #[command(flatten)]
    pub asked: AskedArguments,
    #[command(flatten)]
    pub engine: EngineArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args, Debug)]
pub struct LintArguments {
    #[command(flatten)]
    pub asked: AskedArguments,
    /// For people, for programs, or for tools that show findings
    #[arg(long, value_enum, default_value_t = LintFormat::Text, help_heading = "Output")]
    pub format: LintFormat,
    /// Print nothing but results
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LintFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// SARIF 2.1.0: a rule a kind of finding, a result a finding
    Sarif,
}

impl LintFormat {
    fn content(self) -> Content {
        match self {
            Self::Text => Content::Coloured,
            Self::Json | Self::Sarif => Content::Json,
        }
    }
}

#[derive(Args, Debug)]
pub struct HygieneArguments {
    #[command(flatten)]
    pub asked: AskedArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

// How to find out.
#[derive(Args, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EngineArguments {
    #[arg(long, value_name = "NAME", default_value = "auto", help = engines())]
    pub engine: EngineName,
    /// Evaluate formulas as they are written, without simplifying them first
    #[arg(long)]
    pub no_simplify: bool,
    /// After how many steps of work for a trace depth-first traversal gives up, and others for a
    /// state of it
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Limits::default().work)]
    pub work_limit: u64,
    /// With how many slices at one position breadth-first traversal gives up, and generic
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Limits::default().slices)]
    pub slice_limit: usize,
    /// With how many nodes of their tree or graph forward-backward, forward-backward-dag and
    /// generic give up
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Limits::default().nodes)]
    pub node_limit: usize,
    /// Drop only what the papers drop: entries of a configuration that another entry of it implies,
    /// in breadth-first and generic; no configuration, and nothing in forward-backward-dag
    #[arg(long)]
    pub no_subsumption: bool,
    /// How much memory an engine may take for a property, in MiB
    #[arg(long, value_name = "MIB", help_heading = "Limits", default_value_t = Limits::default().memory >> 20)]
    pub memory_limit: usize,
    /// How many states an observer may look at to find out what is certain
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Limits::default().search)]
    pub search_limit: usize,
}

// How exact summaries are that need all values.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct PrecisionArguments {
    /// Take quantiles, modes, distinct and histograms of numbers from sketches, in memory that does
    /// not grow with the number of values. Without it they are exact in files, and in streams up to
    /// 100,000 values
    #[arg(long, help_heading = "Measuring")]
    pub approximate: bool,
    /// The relative error of what sketches tell: of quantiles for certain, of distinct in 99 of 100
    /// cases
    #[arg(long, value_name = "PART", value_parser = accuracy, help_heading = "Measuring")]
    pub accuracy: Option<f64>,
}

impl PrecisionArguments {
    /// The precision that was asked for; `beyond` is the number of values up to which summaries are
    /// exact, unless all are to be approximate.
    pub fn precision(self, beyond: Option<usize>) -> Option<Precision> {
        let accuracy = self.accuracy.unwrap_or(Precision::ACCURACY);
        let beyond = if self.approximate { Some(0) } else { beyond };
        beyond.map(|beyond| Precision::Sketched { beyond, accuracy })
    }
}

fn accuracy(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0001..=0.5).contains(number));
    number.ok_or_else(|| "it is a number between 0.0001 and 0.5, such as 0.01 for one percent".to_owned())
}

impl EngineArguments {
    pub fn config(&self) -> Config {
        Config {
            engine: self.engine,
            simplification: if self.no_simplify { Simplification::Off } else { Simplification::On },
            subsumption: if self.no_subsumption { Subsumption::Within } else { Subsumption::On },
            limits: Limits {
                work: self.work_limit,
                slices: self.slice_limit,
                nodes: self.node_limit,
                memory: self.memory_limit.saturating_mul(1 << 20),
                search: self.search_limit,
                ..Limits::default()
            },
            ..Config::default()
        }
    }
}

/// What there is to choose from.
fn engines() -> String {
    let names: Vec<&str> = EngineName::ALL.iter().map(|engine| engine.name()).collect();
    let (last, others) = names.split_last().expect("there are engines");
    format!("Which engine answers, all give the same verdict: {} or {last}", others.join(", "))
}

/// The option that raises a limit, if there is one.
pub fn option_of(limit: Limit) -> Option<&'static str> {
    match limit {
        Limit::Work(_) => Some("--work-limit"),
        Limit::Slices(_) | Limit::Configurations(_) => Some("--slice-limit"),
        Limit::Nodes(_) => Some("--node-limit"),
        Limit::Memory(_) => Some("--memory-limit"),
        Limit::Search(_) => Some("--search-limit"),
        Limit::States(_)
        | Limit::Steps(_)
        | Limit::Claims(_)
        | Limit::Propositions(_)
        | Limit::Obligations
        | Limit::Position(_)
        | Limit::Interrupted => None,
    }
}

#[derive(Args, Debug)]
pub struct AutomatonArguments {
    #[command(flatten)]
    pub asked: AskedArguments,
    /// Which property of a spec that has several; those without a name are p1, p2, …
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
    /// Which automaton: alternating unless told otherwise, or deterministic for forms that only it
    /// has, and fsp
    #[arg(long, value_enum)]
    pub kind: Option<AutomatonKind>,
    /// In which form
    #[arg(long, value_enum, default_value_t = AutomatonFormat::Text)]
    pub to: AutomatonFormat,
    /// The flag by which somebody else ends the making.
    #[arg(skip)]
    pub interrupt: Option<Interrupt>,
    /// By which way a deterministic automaton is made; both compares them
    #[arg(long, value_enum)]
    pub via: Option<AutomatonRoute>,
    /// When the initial state of a tableau automaton accepts, and of one made via it
    #[arg(long, value_enum)]
    pub initial: Option<AutomatonInitial>,
    /// Simplify the formula first; otherwise the automaton is that of the formula as written
    #[arg(long)]
    pub simplify: bool,
    /// With how many states making a tableau or deterministic automaton is given up
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Limits::default().automaton_states)]
    pub state_limit: usize,
    /// After how many steps of work it is given up
    #[arg(long, value_name = "N", help_heading = "Limits", default_value_t = Limits::default().work)]
    pub work_limit: u64,
    /// How much memory it may take, in MiB
    #[arg(long, value_name = "MIB", help_heading = "Limits", default_value_t = Limits::default().memory >> 20)]
    pub memory_limit: usize,
}

impl AutomatonArguments {
    /// The kind that is asked for, or else one that has the form.
    pub fn kind(&self) -> AutomatonKind {
        use AutomatonFormat::{C, Dot, Fsp, Hoa, Json, Rust, Svg, Text};
        self.kind.unwrap_or(match self.to {
            Text | Dot | Json | Svg => AutomatonKind::Alternating,
            Fsp | Hoa | C | Rust => AutomatonKind::Deterministic,
        })
    }

    /// The limits on the making of an automaton.
    pub fn limits(&self) -> Limits {
        Limits {
            automaton_states: self.state_limit,
            // A step of a tableau is as much work as ten others.
            automaton_steps: self.work_limit / 10,
            work: self.work_limit,
            memory: self.memory_limit.saturating_mul(1 << 20),
            interrupt: self.interrupt,
            ..Limits::default()
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutomatonKind {
    /// Linear in the formula; a state may ask that all of some next states go on
    Alternating,
    /// The same with clocks that count the steps of bounds, whatever their size
    Metric,
    /// Of a query: it has a value in place of a verdict; linear in the query
    Algebraic,
    /// Non-deterministic; a state is what the formula still owes
    Tableau,
    /// Complete, and as small as possible
    Deterministic,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutomatonInitial {
    /// If the trace without a state satisfies the formula
    Semantics,
    /// If the formula has no until in it, or an accepting state is reached whatever the first state
    /// is
    Paper,
    /// Never
    Never,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutomatonRoute {
    /// The formula is unfolded letter by letter, and equivalent states are merged; unless another
    /// way is asked for
    Progression,
    /// Tableau, subset construction, Hopcroft's algorithm
    Tableau,
    /// Tells the sizes on both ways, and that they lead to the same
    Both,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutomatonFormat {
    /// For people: alternating and metric, a node a line; otherwise a state with its edges at a
    /// time
    Text,
    /// A graph for Graphviz
    Dot,
    /// For programs
    Json,
    /// A picture
    Svg,
    /// The Hanoi Omega-Automata format, version 1
    Hoa,
    /// A finite state process for LTSA
    Fsp,
    /// A monitor in C99: one file that needs no library and allocates nothing
    C,
    /// A monitor in Rust: one file that needs no crate, not even std, and allocates nothing
    Rust,
}

// What the trace looks like.
#[derive(Args, Debug)]
#[command(next_help_heading = "Trace")]
pub struct TraceArguments {
    /// The form of the trace, where its name and its first bytes do not tell: csv, jsonl, parquet,
    /// arrow, or events, which is what programs tell of themselves
    #[arg(long, value_name = "FORM")]
    pub input: Option<Format>,
    /// What separates the fields of a CSV; guessed from its header otherwise
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub separator: Option<u8>,
    /// The first line of a CSV is no header: its columns are column1, column2, …
    #[arg(long)]
    pub no_header: bool,
    /// The column of timestamps; plain numbers need a unit: ns us ms s min h d. Date+Time for two
    /// columns, with \+ for a plus in a name. Times of day alone go on to the next day where they
    /// go back by more than half a day
    #[arg(long, value_name = "COLUMN[+COLUMN][:UNIT]", value_parser = time_column)]
    pub time: Option<TimeColumn>,
    /// The year of the first timestamp, for dates without one; after December comes the next year
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(i16).range(1700..=2261))]
    pub year: Option<i16>,
    /// Sort the records by time; those of the same moment stay as they are. All are kept in memory
    #[arg(long)]
    pub sort: bool,
    /// Put records in order that are late by no more than this, such as 2s: each waits until none
    /// that is earlier can follow. What is later still is left out, counted and told, and the exit
    /// status is 2
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "sort")]
    pub lateness: Option<u64>,
    /// What becomes of records that are later than --lateness allows: with drop they only count
    #[arg(long, value_enum, value_name = "drop", hide_possible_values = true, requires = "lateness")]
    pub late: Option<LateRecords>,
    /// Split the trace by this column: each of its values is a trace of its own
    #[arg(long, value_name = "COLUMN")]
    pub by: Option<String>,
    /// The column that strings alone are compared with: "Triage" means COLUMN == "Triage"
    #[arg(long, value_name = "COLUMN")]
    pub event: Option<String>,
    /// Records hold only what changed
    #[arg(long)]
    pub changes: bool,
    /// What a missing value does: comparisons are false, it is an error, or the last value holds on
    #[arg(long, value_name = "false|error|hold", value_parser = missing_policy)]
    pub missing: Option<MissingPolicy>,
    /// A text that stands for a missing value, beside the empty one; may be given several times
    // Many of them are numbers below zero.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub null: Vec<String>,
    /// The type of a column: boolean, number or string; may be given several times
    #[arg(long = "type", value_name = "COLUMN:TYPE", value_parser = column_type)]
    pub types: Vec<(String, ValueType)>,
}

impl TraceArguments {
    /// Whether a note tells what keeps the verdicts from being an answer.
    pub fn leaves_unanswered(&self, note: &Note) -> bool {
        matches!(note, Note::Late { .. }) && self.late.is_none()
    }
}

/// What tells how late it is.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockSource {
    /// The timestamps of records
    Events,
    /// The clock on the wall
    Wall,
}

/// What becomes of records that are too late.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LateRecords {
    /// They are told and left out
    Drop,
}

/// A stretch of time, in nanoseconds.
fn duration(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let size = TIME_UNITS.into_iter().chain([(1, "ns")]).find(|(_, name)| *name == unit).map(|(size, _)| size);
    let nanoseconds = match (number.parse::<u64>(), number.parse::<f64>(), size) {
        (Ok(0), _, None) if unit.is_empty() => Some(0),
        (Ok(whole), _, Some(size)) => whole.checked_mul(size),
        (_, Ok(part), Some(size)) => Some((part * size as f64).round()).filter(|all| *all < 9e18).map(|all| all as u64),
        _ => None,
    };
    nanoseconds.ok_or_else(|| "it is a time such as 500ms, 2s, 5min or 1h".to_owned())
}

// Where the traces of keys end.
#[derive(Args, Debug)]
#[command(next_help_heading = "Trace")]
pub struct KeyArguments {
    /// With --by: a state in which this holds is the last of its key's trace. A later record of the
    /// key begins another trace, which is numbered
    #[arg(long, value_name = "EXPRESSION")]
    pub end_when: Option<String>,
}

// How to answer about traces.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct ReportOutputArguments {
    /// For people, for programs, or for continuous integration
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Print nothing but results
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// JUnit XML: a suite a trace, a case a property
    Junit,
    /// SARIF 2.1.0: a rule a property, a result a violation
    Sarif,
}

impl ReportFormat {
    fn content(self) -> Content {
        match self {
            Self::Text => Content::Coloured,
            Self::Junit => Content::Plain,
            Self::Json | Self::Sarif => Content::Json,
        }
    }
}

// How to answer.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub format: OutputFormat,
    /// Print nothing but results
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputFormat {
    Text,
    Json,
}

impl OutputFormat {
    fn content(self) -> Content {
        match self {
            Self::Text => Content::Coloured,
            Self::Json => Content::Json,
        }
    }
}

#[derive(Args, Debug)]
pub struct SimulateArguments {
    /// The program, or - for standard input
    #[arg(value_name = "PROGRAM.spl")]
    pub program: PathBuf,
    /// The number of steps; the trace has one state more, the beginning
    #[arg(long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true, value_parser = whole_number)]
    pub steps: u64,
    /// The seed of all that happens by chance
    #[arg(long, value_name = "S", default_value_t = 1, allow_negative_numbers = true, value_parser = whole_number)]
    pub seed: u64,
    /// The form of the trace
    #[arg(long, value_enum, default_value = "csv")]
    pub format: TraceForm,
    /// Write the trace to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Do not tell why a trace ends early
    #[arg(long)]
    pub quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceForm {
    /// A header, and a line a state
    Csv,
    /// An object a line
    Jsonl,
}

#[derive(Args, Debug)]
pub struct InstrumentArguments {
    #[command(flatten)]
    pub spec: SpecArguments,
    /// A spec file (.tw), unless -e is given; then the program's C files
    #[arg(value_name = "SPEC | FILE.c", required = true)]
    pub paths: Vec<PathBuf>,
    /// The folder for the files that are made
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    #[command(flatten)]
    pub instrumenting: InstrumentingArguments,
    /// Print no warnings
    #[arg(long, short)]
    pub quiet: bool,
}

// How a C program is instrumented.
#[derive(Args, Debug)]
pub struct InstrumentingArguments {
    /// Take every write to a watched variable for a state, as is done where the spec looks at the
    /// next or an earlier state, counts, or measures time
    #[arg(long, conflicts_with = "only_changes")]
    pub every_write: bool,
    /// Take a write for a state only if a predicate differs after it
    #[arg(long)]
    pub only_changes: bool,
    /// Make calls and returns of functions states, too: the variable `event` is `call f` or
    /// `return f`, and `f:n` the argument n
    #[arg(long)]
    pub events: bool,
    /// Put each write, and what is told of it, under one lock: for programs with threads
    #[arg(long)]
    pub threads: bool,
}

#[derive(Args, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    pub spec: SpecArguments,
    /// A spec file (.tw, or a C file that carries one), unless -e is given; then C files, which are
    /// instrumented and compiled, and arguments of the program
    #[arg(value_name = "SPEC | FILE.c")]
    pub paths: Vec<PathBuf>,
    /// The command, or, behind C files, arguments of the program
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// Stop the program at the write that violates a property: it waits after each state for the
    /// verdict
    #[arg(long)]
    pub stop_on_violation: bool,
    /// Run the program in gdb, and break into it at the write that violates a property
    #[arg(long)]
    pub debugger: bool,
    /// Keep the events in this file
    #[arg(long, value_name = "FILE.events", conflicts_with_all = ["stop_on_violation", "debugger"])]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub instrumenting: InstrumentingArguments,
    #[command(flatten)]
    pub engine: EngineArguments,
    /// For people, or for programs a JSON object a line
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, help_heading = "Output")]
    pub format: OutputFormat,
    /// Print violations only, and no warnings
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Args, Debug)]
pub struct BenchArguments {
    /// Which experiment
    #[arg(value_enum)]
    pub experiment: Experiment,
    /// The length of the longest trace: 100000 unless given, 1000000 for figure8, 2048 for bounded,
    /// where constants and formulas grow with it
    #[arg(long, value_name = "STATES")]
    pub longest: Option<usize>,
    /// Draw what was measured into this file
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Experiment {
    /// Three formulas, growing traces, every traversal of the alternating automaton: breadth-first
    /// also to the letter of figure 5, with and without its cache
    Figure10,
    /// The queries of the paper on statistics, growing traces of its two programs: backwards in
    /// blocks and state by state, and forwards
    Figure8,
    /// What the four algorithms for bounds in steps need as trace, constant and formula grow, as
    /// printed and with subsumption, next to what theorems, corollaries and lemmas allow
    Bounded,
}

#[derive(Args, Debug)]
pub struct HelpArguments {
    /// `operators`, `functions`, `queries`, `specs`, `programs`, `json-schema` (of what --format
    /// json prints), or the name of a command
    pub topic: Option<String>,
}

#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// Which shell
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub struct ManArguments {
    /// A command; the program itself otherwise
    pub command: Option<String>,
}

fn whole_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a whole number from 0 to {} is needed", u64::MAX))
}

fn separator(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" | "\t" => Ok(b'\t'),
        _ if text.len() == 1 && text.is_ascii() => Ok(text.as_bytes()[0]),
        _ => Err("a separator is one character, or `tab`".into()),
    }
}

/// `COLUMN:UNIT` if what follows the last colon is a unit; a column's name may have colons of its
/// own. `COLUMN+COLUMN` are two columns.
fn time_column(text: &str) -> Result<TimeColumn, String> {
    let (columns, unit) = time_unit(text)?;
    let mut names = split_at_plus(columns).into_iter();
    let column = TimeColumn { name: names.next().unwrap_or_default(), rest: names.collect(), unit };
    match column.columns().count() {
        1 => Ok(column),
        _ if unit.is_some() => Err("several columns make a date, and dates have no unit".into()),
        _ if column.columns().any(String::is_empty) => {
            Err("a name is missing beside +; a plus in a name is \\+".into())
        }
        _ => Ok(column),
    }
}

/// What stands before the unit, and the unit if there is one.
fn time_unit(text: &str) -> Result<(&str, Option<TimeUnit>), String> {
    let Some((name, unit)) = text.rsplit_once(':') else { return Ok((text, None)) };
    if let Ok(unit) = unit.parse::<TimeUnit>() {
        return Ok((name, Some(unit)));
    }
    let looks_like_unit = !unit.is_empty() && unit.len() <= 4 && unit.chars().all(char::is_alphabetic);
    if looks_like_unit {
        return Err(format!("there is no unit `{unit}`; units are ns us ms s min h d"));
    }
    Ok((text, None))
}

/// The value of an option that names the columns of timestamps; none if it would be read as
/// something else, because of what stands behind a colon in the name.
pub fn time_argument(column: &TimeColumn) -> Option<String> {
    let names: Vec<String> = column.columns().map(|name| escape_plus(name)).collect();
    let unit = column.unit.map(|unit| format!(":{unit}")).unwrap_or_default();
    let argument = names.join("+") + &unit;
    (time_column(&argument).as_ref() == Ok(column)).then_some(argument)
}

/// A name as it stands between pluses.
pub fn escape_plus(name: &str) -> String {
    if name.contains('+') { name.replace('\\', r"\\").replace('+', r"\+") } else { name.to_owned() }
}

/// The names between pluses. `\+` is a plus of a name, and `\\` a backslash.
fn split_at_plus(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let escaped = if letter == '\\' { letters.next_if(|next| matches!(next, '+' | '\\')) } else { None };
        match (letter, escaped) {
            ('+', _) => names.push(String::new()),
            (letter, escaped) => names.last_mut().into_iter().for_each(|name| name.push(escaped.unwrap_or(letter))),
        }
    }
    names.iter().map(|name| name.trim().to_owned()).collect()
}

/// `COLUMN:TYPE`; a column's name may have colons of its own.
fn column_type(text: &str) -> Result<(String, ValueType), String> {
    let Some((name, ty)) = text.rsplit_once(':') else {
        return Err("say which type the column has: COLUMN:boolean, COLUMN:number or COLUMN:string".into());
    };
    Ok((name.to_owned(), ty.parse::<ValueType>().map_err(|error| error.to_string())?))
}

/// A setting that would help, by the option that makes it.
pub fn remedy(remedy: &Remedy) -> String {
    match remedy {
        Remedy::NullText(text) => format!("if `{text}` stands for a missing value, say --null '{text}'"),
        Remedy::DeclareType { variable, ty } => format!("declare its type: --type {}:{ty}", shell_word(variable)),
        Remedy::Inspect => "`traceward inspect` lists the names there are".to_owned(),
        Remedy::TolerateMissing => "say --missing false or --missing hold".to_owned(),
        Remedy::NameTimeColumn => {
            "say which column holds them: `--time COLUMN` for dates, `--time COLUMN:ms` for plain numbers".to_owned()
        }
        Remedy::TimeInUnit(column) => format!("say the unit of plain numbers, e.g. --time {}:ms", shell_word(column)),
        Remedy::TimeInDates(column) => format!("for dates, leave the unit out: --time {}", shell_word(column)),
        Remedy::MoreMemory => "allow more memory: --trace-memory MIB, or another place: TMPDIR=FOLDER".to_owned(),
        Remedy::SplitByKey => "if they belong to different runs, split them with --by COLUMN".to_owned(),
        Remedy::SortByTime => "sort the records by time: --sort".to_owned(),
        Remedy::GiveYear => "say the year of the first one, e.g. --year 2026".to_owned(),
        Remedy::NoHeader => "if the first line is a record, say --no-header".to_owned(),
        Remedy::ConvertWith(command) => format!("convert it, for example: {command} | traceward … -"),
        Remedy::TakeForCsv => "if it is CSV all the same: --input csv".to_owned(),
        Remedy::NameEventColumn => {
            "or name the column that strings stand for: `--event COLUMN`, or `trace { event COLUMN }` in the spec"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// The same for a trace that is still going on, whose records cannot be sorted.
pub fn live_remedy(asked: &Remedy) -> String {
    match asked {
        Remedy::SortByTime => "put records in order that are a little late: --lateness 2s".to_owned(),
        Remedy::NameTimeColumn => {
            let by_column = remedy(&Remedy::NameTimeColumn);
            format!("{by_column}; or take the time at which they arrive: `--clock wall`")
        }
        other => remedy(other),
    }
}

/// A text as a POSIX shell takes it for one word, whatever is in it.
pub fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/+:,@%=".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn missing_policy(text: &str) -> Result<MissingPolicy, String> {
    match text {
        "false" => Ok(MissingPolicy::False),
        "error" => Ok(MissingPolicy::Error),
        "hold" => Ok(MissingPolicy::Hold),
        _ => Err("it is false, error or hold".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_may_stand_in_two_columns() {
        let parts =
            |text: &str| time_column(text).map(|column| (column.columns().cloned().collect::<Vec<_>>(), column.unit));
        let named = |names: &[&str], unit| Ok((names.iter().map(|name| (*name).to_owned()).collect(), unit));
        assert_eq!(parts("t:ms"), named(&["t"], Some(TimeUnit::Ms)));
        assert_eq!(parts("time:timestamp"), named(&["time:timestamp"], None));
        assert_eq!(parts("Date+Time of day"), named(&["Date", "Time of day"], None));
        assert_eq!(parts(" Date + Time"), named(&["Date", "Time"], None));
        assert_eq!(parts(r"a\+b"), named(&["a+b"], None));
        assert_eq!(parts(r"a\b\\+c"), named(&[r"a\b\", "c"], None));
        for name in ["a+b", r"a\b", r"\+", "a:b c", "t"] {
            let column = TimeColumn::new(name, None);
            assert_eq!(time_column(&time_argument(&column).unwrap()), Ok(column));
        }
        assert_eq!(time_argument(&TimeColumn::new("t:ms", None)), None);
        assert!(parts("Date+").is_err() && parts("a+b:ms").is_err() && parts("a:sec").is_err());
    }

    #[test]
    fn a_word_of_the_shell_holds_any_text() {
        assert_eq!(shell_word("a-b.csv"), "a-b.csv");
        assert_eq!(shell_word("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("é"), "'é'");
    }
}
