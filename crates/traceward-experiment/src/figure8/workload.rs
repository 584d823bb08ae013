//! The programs and queries of the experiment, and traces of the programs as columns in memory.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use traceward_engine::automaton::algebraic::{Algebraic, Plain};
use traceward_engine::limit::Limits;
use traceward_engine::query::{ForwardError, Outcome, Queries, state_by_state};
use traceward_engine::select::{Cache, Config, Evaluator, Prepared, Simplification};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::diagnostic::SourceId;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::lower::{self, Declarations, Goal, Lowered, Schema, Type};
use traceward_logic::parse;
use traceward_logic::query::Query;
use traceward_logic::semantics;
use traceward_logic::trace::{Column, ColumnData, TextData, Trace};
use traceward_simulate::{Cell, ColumnType, Program, Simulation, Step};

/// The query of [`Workload::Nested`].
const NESTED: &str = "max(sum(count(at_l3)))";

/// A program of the paper's section 3, with the queries on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Workload {
    /// Mutual exclusion by a semaphore: section 3.1.
    MuxSem,
    /// The alternating bit protocol: section 3.2.
    Abp,
    /// Three collections of the whole trace, one inside the other, on the first program: here it
    /// shows what forward evaluation costs. The paper's intervals are short.
    Nested,
}

impl Workload {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 3] = [Self::MuxSem, Self::Abp, Self::Nested];

    /// The name that the paper gives the program, or the query.
    pub fn name(self) -> &'static str {
        match self {
            Self::MuxSem => "MUX-SEM",
            Self::Abp => "ABP",
            Self::Nested => NESTED,
        }
    }

    fn program(self) -> Program {
        let text = match self {
            Self::MuxSem | Self::Nested => include_str!("../../../../examples/mux-sem.spl"),
            Self::Abp => include_str!("../../../../examples/abp.spl"),
        };
        Program::parse(text).expect("an example that is tested")
    }

    /// The queries, and what they name by `let`. The properties beside them are no part of the
    /// experiment.
    fn spec(self) -> String {
        let text = match self {
            Self::MuxSem => include_str!("../../../../examples/mux-sem.tw"),
            Self::Abp => include_str!("../../../../examples/abp.tw"),
            Self::Nested => return NESTED.to_owned(),
        };
        let is_asked = |line: &&str| line.starts_with("let ") || line.starts_with("query ");
        text.lines().filter(is_asked).collect::<Vec<_>>().join("\n")
    }
}

/// The queries of a workload, ready to be asked in every way.
pub struct Asked {
    program: Program,
    lowered: Lowered,
    queries: Queries,
    /// Where the formulas of the queries hold, as blocks need it.
    formulas: Truths,
    unfolded: Algebraic,
    /// The automaton of each query by itself, for the recursion from the first position on.
    alone: Vec<Algebraic>,
    /// Where the assertions of unfolded automata hold.
    assertions: Truths,
}

impl Asked {
    /// Prepares the queries of a workload.
    pub fn new(workload: Workload) -> Self {
        let program = workload.program();
        let lowered = lowered(&workload.spec(), &program);
        let asked: Vec<&Query> = lowered.queries.iter().map(|one| &one.query).collect();
        let queries = Queries::new(&lowered.formulas, asked.iter().copied());
        let unfolded = Algebraic::new(&lowered.formulas, asked.iter().copied(), Plain::Unfolded);
        let alone = asked.iter().map(|query| Algebraic::new(&lowered.formulas, [*query], Plain::Unfolded));
        Self {
            alone: alone.collect(),
            formulas: Truths::new(&lowered.formulas, queries.automaton()),
            assertions: Truths::new(&lowered.formulas, &unfolded),
            program,
            queries,
            unfolded,
            lowered,
        }
    }

    /// The number of queries.
    pub fn queries(&self) -> usize {
        self.alone.len()
    }

    /// The first states of a run of the program, as columns. The same seed gives the same run.
    pub fn trace(&self, states: usize, seed: u64) -> Trace {
        let names = self.lowered.variables.names();
        let mut columns: Vec<Option<Recorded>> = self
            .program
            .columns()
            .iter()
            .map(|column| names.iter().any(|name| **name == *column.name).then(|| Recorded::new(column.ty)))
            .collect();
        let mut simulation = Simulation::new(&self.program, seed);
        for position in 0..states {
            let stepped = position == 0 || !matches!(simulation.step(), Ok(Step::Stuck) | Err(_));
            assert!(stepped, "the programs of the experiment run for ever");
            for (column, cell) in columns.iter_mut().zip(simulation.row()) {
                column.iter_mut().for_each(|column| column.push(cell));
            }
        }
        let place = |name: &Arc<str>| self.program.columns().iter().position(|column| *column.name == **name);
        let column = |name: &Arc<str>| columns[place(name)?].take().map(Recorded::column);
        let columns: Option<Vec<Column>> = names.iter().map(column).collect();
        Trace { len: states, columns: columns.expect("queries speak of variables of their program"), time: None }
    }

    /// The values by the definition, which is meant for short traces.
    pub fn defined(&self, trace: &Trace) -> Vec<Outcome> {
        let value = |query: &Query| semantics::value(&self.lowered.formulas, query, trace);
        self.lowered.queries.iter().map(|one| value(&one.query)).collect()
    }

    /// The values by backward evaluation in blocks, from columns to values.
    pub fn in_blocks(&self, trace: &Trace) -> Vec<Outcome> {
        let mut cache = Cache::default();
        let rows = self.formulas.rows(&mut cache, trace);
        self.queries.values(trace, &|formula| rows[&formula], &Limits::default()).expect("nobody interrupts it")
    }

    /// The values by backward evaluation state by state, on the paper's automaton.
    pub fn state_by_state(&self, trace: &Trace) -> Vec<Outcome> {
        let mut cache = Cache::default();
        let rows = self.assertions.rows(&mut cache, trace);
        state_by_state(&self.unfolded, trace, &|formula, position| rows[&formula].get(position))
    }

    /// The values by forward evaluation, one query after the other; none if one of them gave up.
    pub fn forward(&self, trace: &Trace, limits: &Limits) -> Option<Vec<Outcome>> {
        let mut cache = Cache::default();
        let rows = self.assertions.rows(&mut cache, trace);
        let holds = |formula: FormulaId, position: usize| rows[&formula].get(position);
        let value = |automaton: &Algebraic| match Queries::forward(automaton, trace, &holds, limits) {
            Ok(value) => Some(Ok(value)),
            Err(ForwardError::Evaluation(error)) => Some(Err(error)),
            Err(ForwardError::Limit(_)) => None,
        };
        self.alone.iter().map(value).collect()
    }
}

/// Tells where the formulas that an automaton asserts hold.
struct Truths {
    formulas: Vec<FormulaId>,
    evaluator: Evaluator,
}

impl Truths {
    fn new(arena: &Formulas, automaton: &Algebraic) -> Self {
        let formulas = automaton.assertions();
        let prepared = Prepared::shared(arena, &formulas, Simplification::On);
        Self { formulas, evaluator: Evaluator::new(&prepared, &Config::default()) }
    }

    /// The row of each formula on a trace: letters are made, and the formulas evaluated on them.
    fn rows<'c>(&self, cache: &'c mut Cache, trace: &Trace) -> FxHashMap<FormulaId, &'c Bitmap> {
        let letters = self.evaluator.prepared().letters(trace);
        let rows = self.evaluator.truth(cache, &letters).expect("reverse never gives up");
        self.formulas.iter().copied().zip(rows).collect()
    }
}

fn lowered(spec: &str, program: &Program) -> Lowered {
    let spec = parse::spec(SourceId::default(), spec).expect("an example that is tested");
    let ty = |ty: ColumnType| match ty {
        ColumnType::Boolean => Type::Bool,
        ColumnType::Integer => Type::Number,
        ColumnType::Text => Type::Text,
    };
    let schema = Schema {
        types: program.columns().iter().map(|column| (column.name.as_str().into(), Some(ty(column.ty)))).collect(),
        names: program.columns().iter().map(|column| column.name.clone()).collect(),
        has_time: false,
        names_known: true,
    };
    lower::lower(&[(spec, Goal::Query)], &Declarations::default(), Some(&schema)).expect("an example that is tested")
}

/// A column that is being filled.
enum Recorded {
    Booleans(Bitmap),
    Integers(Vec<i64>),
    Texts { codes: Vec<u32>, dictionary: Vec<Arc<str>> },
}

impl Recorded {
    fn new(ty: ColumnType) -> Self {
        match ty {
            ColumnType::Boolean => Self::Booleans(Bitmap::new()),
            ColumnType::Integer => Self::Integers(Vec::new()),
            ColumnType::Text => Self::Texts { codes: Vec::new(), dictionary: Vec::new() },
        }
    }

    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Booleans(bits), Cell::Boolean(bit)) => bits.push(bit),
            (Self::Integers(numbers), Cell::Integer(number)) => numbers.push(number),
            (Self::Texts { codes, dictionary }, Cell::Text(text)) => {
                // A process has few locations.
                let code = dictionary.iter().position(|known| **known == *text).unwrap_or_else(|| {
                    dictionary.push(text.into());
                    dictionary.len() - 1
                });
                codes.push(code as u32);
            }
            _ => unreachable!("a column has one type"),
        }
    }

    fn column(self) -> Column {
        let data = match self {
            Self::Booleans(bits) => ColumnData::Bool(bits),
            Self::Integers(numbers) => ColumnData::Int(numbers),
            Self::Texts { codes, dictionary } => ColumnData::Text(TextData { codes, dictionary: dictionary.into() }),
        };
        Column { data, present: None }
    }
}
