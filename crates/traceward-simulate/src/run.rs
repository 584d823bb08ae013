//! Programs as they run.

use crate::expression::{Array, Expression, MOST_ELEMENTS, Trouble, Values};
use crate::program::{Channel, ColumnType, Effect, Guard, Location, Place, Program, Source, Target, Transition};
use crate::random::Random;
use std::collections::VecDeque;
use std::fmt;
use traceward_logic::diagnostic::Diagnostic;

/// The number of items that a channel without an end may hold.
const MOST_ITEMS: usize = 1 << 20;

/// A run of a program: a state, and whatever it takes to make the next one.
#[derive(Clone, Debug)]
pub struct Simulation<'p> {
    program: &'p Program,
    random: Random,
    values: Values,
    queues: Vec<VecDeque<i64>>,
    /// The location of each process, and the step with which it came there.
    at: Vec<usize>,
    since: Vec<u64>,
    /// The number of steps that have been taken.
    now: u64,
    /// Kept from step to step, so that a step allocates nothing.
    choices: Choices,
    pending: Vec<i64>,
}

/// The steps that can be taken.
#[derive(Clone, Debug, Default)]
struct Choices {
    /// Process and transition, by process.
    ready: Vec<(usize, usize)>,
    /// Where the transitions of each process that can go on begin and end.
    groups: Vec<(usize, usize)>,
    /// Those whose time has come.
    due: Vec<(usize, usize)>,
    /// Whether somebody waits for a time that has not come.
    waits: bool,
}

/// The outcome of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A process took a step.
    Taken,
    /// No process could go on, but one waits for a time: the state stays, and time passes.
    Passed,
    /// No process can go on, now or ever. There is no new state.
    Stuck,
}

/// The value of a column in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell<'p> {
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A label.
    Text(&'p str),
}

/// A process and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing<'p> {
    /// The name of the process.
    pub process: &'p str,
    /// The label at which it stands; `end` behind its last statement.
    pub label: &'p str,
    /// The line of that statement in the program; none at the end.
    pub line: Option<usize>,
}

/// A step that cannot be taken, such as one that divides by zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The message, at its statement.
    pub diagnostic: Box<Diagnostic>,
    /// The number of steps before it.
    pub steps: u64,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Fault {}

impl<'p> Simulation<'p> {
    /// A run at its beginning. The same seed gives the same run, on every machine.
    pub fn new(program: &'p Program, seed: u64) -> Self {
        Self {
            program,
            random: Random::new(seed),
            values: program.initial.clone(),
            queues: vec![VecDeque::new(); program.channels.len()],
            // The first statement of a process has the number 0.
            at: vec![0; program.processes.len()],
            since: vec![0; program.processes.len()],
            now: 0,
            choices: Choices::default(),
            pending: Vec::new(),
        }
    }

    /// Goes on to the next state.
    pub fn step(&mut self) -> Result<Step, Fault> {
        self.choose()?;
        let Choices { ready, groups, due, waits } = &self.choices;
        let (process, transition) = if !due.is_empty() {
            due[self.random.below(due.len())]
        } else if !groups.is_empty() {
            let (start, end) = groups[self.random.below(groups.len())];
            ready[start + self.random.below(end - start)]
        } else if *waits {
            self.now += 1;
            return Ok(Step::Passed);
        } else {
            return Ok(Step::Stuck);
        };
        self.take(process, transition)?;
        Ok(Step::Taken)
    }

    /// The number of steps that have been taken, and the position of the state.
    pub fn steps(&self) -> u64 {
        self.now
    }

    /// Whether all processes are behind their last statement.
    pub fn has_ended(&self) -> bool {
        (0..self.at.len()).all(|process| self.location(process).transitions.is_empty())
    }

    /// Where each process stands.
    pub fn standing(&self) -> impl Iterator<Item = Standing<'p>> {
        let processes = self.program.processes.iter().zip(&self.at);
        processes.map(|(process, at)| {
            let Location { label, line, .. } = &process.locations[*at];
            Standing { process: &process.name, label, line: (*line > 0).then_some(*line) }
        })
    }

    /// The values of all columns of [`Program::columns`] in this state.
    pub fn row(&self) -> impl Iterator<Item = Cell<'p>> {
        self.program.columns.iter().map(|column| match column.source {
            Source::At { process } => Cell::Text(&self.location(process).label),
            Source::InFront { process, label } => Cell::Boolean(self.location(process).in_front.contains(&label)),
            source => match (column.ty, self.number(source)) {
                (ColumnType::Boolean, value) => Cell::Boolean(value != 0),
                (_, value) => Cell::Integer(value),
            },
        })
    }

    /// The number of a process' location.
    pub(crate) fn location_number(&self, process: usize) -> usize {
        self.at[process]
    }

    /// The value of a column that is not about control.
    pub(crate) fn number(&self, source: Source) -> i64 {
        match source {
            Source::Scalar(slot) => self.values.scalars[slot],
            Source::Element { array, offset } => self.values.elements[array][offset],
            Source::Length { channel } => (self.queues[channel].len() / self.program.channels[channel].width) as i64,
            Source::At { process } | Source::InFront { process, .. } => self.at[process] as i64,
        }
    }

    fn location(&self, process: usize) -> &'p Location {
        &self.program.processes[process].locations[self.at[process]]
    }

    // ---- what can be done ----

    /// Finds the steps that can be taken.
    fn choose(&mut self) -> Result<(), Fault> {
        let Choices { ready, groups, due, waits } = &mut self.choices;
        ready.clear();
        groups.clear();
        due.clear();
        *waits = false;
        for process in 0..self.at.len() {
            let start = self.choices.ready.len();
            for (number, transition) in self.location(process).transitions.iter().enumerate() {
                if !self.is_enabled(&transition.guard).map_err(|trouble| self.fault(process, transition, trouble))? {
                    continue;
                }
                match transition.delay {
                    None => self.choices.ready.push((process, number)),
                    Some(delay) if self.now - self.since[process] >= delay => self.choices.due.push((process, number)),
                    Some(_) => self.choices.waits = true,
                }
            }
            let end = self.choices.ready.len();
            if end > start {
                self.choices.groups.push((start, end));
            }
        }
        Ok(())
    }

    fn is_enabled(&self, guard: &Guard) -> Result<bool, Trouble> {
        Ok(match guard {
            Guard::Always => true,
            Guard::Holds(condition) => condition.value(&self.program.arrays, &self.values)? != 0,
            Guard::NotEmpty { channel } => !self.queues[*channel].is_empty(),
            Guard::NotFull { channel, capacity } => {
                let width = self.program.channels[*channel].width;
                ((self.queues[*channel].len() / width) as u64) < *capacity
            }
        })
    }

    // ---- what is done ----

    fn take(&mut self, process: usize, number: usize) -> Result<(), Fault> {
        let transition = &self.location(process).transitions[number];
        let target = self
            .apply(&transition.effect)
            .and_then(|()| self.target(&transition.target))
            .map_err(|trouble| self.fault(process, transition, trouble))?;
        self.now += 1;
        self.at[process] = target;
        self.since[process] = self.now;
        Ok(())
    }

    fn target(&self, target: &Target) -> Result<usize, Trouble> {
        match target {
            Target::Location(location) => Ok(*location),
            Target::Either { condition, then, otherwise } => {
                let holds = condition.value(&self.program.arrays, &self.values)? != 0;
                Ok(if holds { *then } else { *otherwise })
            }
        }
    }

    fn apply(&mut self, effect: &Effect) -> Result<(), Trouble> {
        match effect {
            Effect::Nothing => Ok(()),
            Effect::Assign(place, value) => {
                let value = value.value(&self.program.arrays, &self.values)?;
                let index = self.index(place)?;
                self.store(place, index, value)
            }
            Effect::AssignAll(pairs) => {
                self.pending.clear();
                for (place, value) in pairs {
                    let value = value.value(&self.program.arrays, &self.values)?;
                    let index = self.index(place)?;
                    self.pending.extend([index, value]);
                }
                self.store_all(pairs.iter().map(|(place, _)| place))
            }
            Effect::Send { channel, item } => self.send(*channel, item),
            Effect::Receive { channel, places } => {
                self.pending.clear();
                for place in places {
                    let index = self.index(place)?;
                    // A receiving step is enabled only if there is a whole item.
                    let value = self.queues[*channel].pop_front().unwrap_or_default();
                    self.pending.extend([index, value]);
                }
                self.store_all(places.iter())
            }
        }
    }

    fn send(&mut self, channel: usize, item: &[Expression]) -> Result<(), Trouble> {
        self.pending.clear();
        for value in item {
            let value = value.value(&self.program.arrays, &self.values)?;
            self.pending.push(value);
        }
        let Channel { loss, width, .. } = &self.program.channels[channel];
        if self.random.happens(*loss) {
            return Ok(());
        }
        if self.queues[channel].len() / width >= MOST_ITEMS {
            return Err(Trouble::Flooded { channel });
        }
        self.queues[channel].extend(&self.pending);
        Ok(())
    }

    /// The index of a place; 0 for a variable.
    fn index(&self, place: &Place) -> Result<i64, Trouble> {
        match place {
            Place::Scalar(_) => Ok(0),
            Place::Element(_, index) => index.value(&self.program.arrays, &self.values),
        }
    }

    fn store(&mut self, place: &Place, index: i64, value: i64) -> Result<(), Trouble> {
        match place {
            Place::Scalar(slot) => {
                self.values.scalars[*slot] = value;
                Ok(())
            }
            Place::Element(array, _) => self.values.set_element(&self.program.arrays, *array, index, value),
        }
    }

    /// Assigns the pending indices and values.
    fn store_all<'a>(&mut self, places: impl Iterator<Item = &'a Place>) -> Result<(), Trouble> {
        for (number, place) in places.enumerate() {
            self.store(place, self.pending[2 * number], self.pending[2 * number + 1])?;
        }
        Ok(())
    }

    fn fault(&self, process: usize, transition: &Transition, trouble: Trouble) -> Fault {
        let words = trouble.words(&self.program.arrays, &self.program.channels);
        let (label, name, steps) = (&transition.label, &self.program.processes[process].name, self.now);
        let diagnostic =
            Diagnostic::error(transition.span, format!("{words}, in step {} at `{label}` of {name}", steps + 1));
        Fault { diagnostic: Box::new(diagnostic.label(trouble.label())), steps }
    }
}

impl Trouble {
    /// What happened.
    pub(crate) fn words(&self, arrays: &[Array], channels: &[Channel]) -> String {
        match self {
            Self::Overflow => "a number does not fit 64 bits".to_owned(),
            Self::DivisionByZero => "division by zero".to_owned(),
            Self::OutOfRange { array, index } => {
                let Array { name, first, last, .. } = &arrays[*array];
                let last = last.map(|last| last.to_string()).unwrap_or_default();
                format!("`{name}[{index}]` is outside of the array, which is [{first}..{last}]")
            }
            Self::TooFar { array, index } => {
                let name = &arrays[*array].name;
                format!("`{name}[{index}]` is too far out: {} elements are kept", MOST_ELEMENTS)
            }
            Self::Flooded { channel } => {
                let name = &channels[*channel].name;
                format!("`{name}` is flooded: {MOST_ITEMS} items are waiting in it")
            }
        }
    }

    fn label(&self) -> &'static str {
        match self {
            Self::Overflow => "too large",
            Self::DivisionByZero => "divides by zero",
            Self::OutOfRange { .. } => "no such element",
            Self::TooFar { .. } => "too far out",
            Self::Flooded { .. } => "one item too many",
        }
    }
}
