//! Monitors of properties with bounds in time that keep a fixed number of deadlines.
//!
//! One deadline is enough for a part that looks ahead where all that wait for it wait for the same:
//! of those that wait for something to come the oldest, of those that ask for something to stay the
//! newest. So it is for `G(now -> F[0,b] now)`, for `U`, `W`, `R` and `M` in the place of `F`, for
//! what is asked of the first state, for the negations of these, and for all that `&` and `|` make
//! of them; `now` looks at the present and the past. Bounds in time on past operators take one
//! timestamp each. A window that opens later than it is asked for, and windows inside others, take
//! any number of deadlines, and are refused.
//!
//! Verdicts are sound, as those of the engine `streaming`: each part is followed alone.

pub mod c;
pub mod rust;

mod make;

use super::{Input, described, inputs};
use crate::labelled::PropositionText;
use make::Making;
use std::fmt::{self, Write};
use std::sync::Arc;
use traceward_logic::formula::{FormulaId, Formulas};
use traceward_logic::letter::Alphabet;

/// A monitor of a property with bounds in time.
#[derive(Clone, Debug)]
pub struct TimedMonitor {
    formula: String,
    propositions: Vec<PropositionText>,
    /// What is computed in each state, operands before operators.
    values: Vec<Value>,
    /// The values that are kept for the next state.
    kept: Vec<ValueId>,
    /// The number of timestamps that past operators keep.
    marks: usize,
    parts: Vec<Part>,
    goal: Goal,
    holds_on_empty: bool,
}

/// A value by its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ValueId(usize);

/// A value that a state has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Value {
    Constant(bool),
    Input(usize),
    Not(ValueId),
    And(ValueId, ValueId),
    Or(ValueId, ValueId),
    /// A kept value of the state before, and what it is in the first state.
    Before {
        kept: usize,
        at_first: bool,
    },
    /// Whether something was the case within a number of nanoseconds; the mark is when it last was.
    Lately {
        of: ValueId,
        mark: usize,
        within: u64,
    },
    /// Whether something was the case so many nanoseconds ago or earlier; the mark is when it first
    /// was.
    LongAgo {
        of: ValueId,
        mark: usize,
        from: u64,
    },
}

/// A part that looks ahead, or is asked of the first state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    kind: Kind,
    /// What has to hold while the part waits, or releases it from what it binds to.
    hold: ValueId,
    /// What the part waits for, or binds to.
    goal: ValueId,
    /// The nanoseconds that it has.
    within: Option<u64>,
    sense: Sense,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// `G(unless | (hold U goal))`
    Response { unless: ValueId },
    /// `G(unless | (hold R goal))`
    Binding { unless: ValueId },
    /// `hold U goal`, asked of the first state.
    Once,
}

/// Whether a part is asked for, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sense {
    Asked,
    Negated,
}

/// What is asked of the parts.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Goal {
    Part(usize),
    All(Vec<Goal>),
    Any(Vec<Goal>),
}

/// The reason why a fixed number of deadlines is not enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unbounded {
    /// The window of a part opens later than it is asked for.
    OpensLater,
    /// A part looks ahead from within another one, or beside one, or by single steps.
    LooksAhead,
    /// A bound counts steps.
    CountsSteps,
}

impl fmt::Display for Unbounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpensLater => {
                "opens its window later than it is asked for, so that any number of windows may be to come"
            }
            Self::LooksAhead => "looks ahead where one deadline for each part is not enough",
            Self::CountsSteps => "counts steps beside bounds in time",
        })
    }
}

/// The part of a formula that takes more than a fixed number of deadlines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The part.
    pub part: FormulaId,
    /// The reason.
    pub reason: Unbounded,
}

impl TimedMonitor {
    /// The monitor of a formula with split atoms; parts that are refused are of the same arena.
    /// `holds_on_empty` tells whether the trace without a state satisfies it, and `text` is the
    /// formula as it is written.
    pub fn new(
        formulas: &mut Formulas,
        alphabet: &Alphabet,
        root: FormulaId,
        holds_on_empty: bool,
        text: &str,
        names: &[Arc<str>],
    ) -> Result<Self, Refused> {
        let propositions = alphabet.atoms().iter().map(|&(_, atom)| PropositionText::of(formulas.atom(atom), names));
        let propositions = propositions.collect();
        let mut making = Making::new(formulas, alphabet);
        let goal = making.goal(root)?;
        let Making { values, kept, marks, parts, .. } = making;
        Ok(Self {
            formula: text.split_whitespace().collect::<Vec<_>>().join(" "),
            propositions,
            values,
            kept,
            marks,
            parts,
            goal,
            holds_on_empty,
        })
    }

    fn inputs(&self) -> Vec<Input<'_>> {
        inputs(self.propositions.iter())
    }

    /// The lines about propositions and time at the head of a file.
    fn description(&self) -> Vec<String> {
        let mut lines = described(&self.inputs(), &[]);
        lines.extend(
            [
                "",
                "Timestamps are nanoseconds and never decrease. Where no state comes, the time can be told all",
                "the same: what was not met in time is known as soon as the time has passed.",
            ]
            .map(str::to_owned),
        );
        lines
    }

    /// Whether anything is compared with a deadline.
    fn has_deadlines(&self) -> bool {
        self.marks > 0 || self.parts.iter().any(|part| part.within.is_some())
    }

    /// The parts whose deadlines go by without a state, with their bounds.
    fn expiring(&self) -> impl Iterator<Item = (usize, u64)> {
        let can_fail = |part: &Part| !matches!(part.kind, Kind::Binding { .. });
        let parts = self.parts.iter().enumerate().filter(move |(_, part)| can_fail(part));
        parts.filter_map(|(index, part)| Some((index, part.within?)))
    }

    /// The text of a value, which stands for itself in any expression.
    fn text_of(&self, value: ValueId) -> String {
        match self.values[value.0] {
            Value::Constant(bit) => bit.to_string(),
            Value::Input(input) => format!("letter.{}", self.inputs()[input].name),
            Value::Not(of) => format!("!{}", self.text_of(of)),
            _ => format!("n{}", value.0),
        }
    }

    /// The text of the negation of a value.
    fn negation_of(&self, value: ValueId) -> String {
        match self.values[value.0] {
            Value::Constant(bit) => (!bit).to_string(),
            Value::Not(of) => self.text_of(of),
            _ => format!("!{}", self.text_of(value)),
        }
    }

    /// The choices by which a state changes a part that is open: of each, the first that applies is
    /// made.
    fn choices(&self, part: &Part, words: Words) -> Vec<Choice> {
        let Words { waiting, is_free, late, fails, holds, clears, waits } = words;
        let [hold, goal] = [part.hold, part.goal].map(|value| self.text_of(value));
        let [not_hold, not_goal] = [part.hold, part.goal].map(|value| self.negation_of(value));
        let in_time = |late: Option<String>| late.map(|late| (late, fails.clone()));
        match part.kind {
            Kind::Once => {
                let asked = in_time(late).into_iter().chain([(goal, holds), (not_hold, fails.clone())]);
                vec![vec![(is_free, waits)], asked.collect()]
            }
            Kind::Response { unless } => {
                let claim = self.negation_of(unless);
                // Nobody waits where nothing lets him.
                let lost = if hold == "false" { claim.clone() } else { both(&either(&waiting, &claim), &not_hold) };
                let begins = if hold == "false" { "false".to_owned() } else { both(&is_free, &claim) };
                let met = [(goal, clears), (lost, fails.clone()), (begins, waits)];
                vec![in_time(late).into_iter().chain(met).collect()]
            }
            Kind::Binding { unless } => {
                let over = late.map(|late| (late, clears.clone()));
                let claimed = vec![(self.negation_of(unless), waits)];
                vec![over.into_iter().collect(), claimed, vec![(both(&waiting, &not_goal), fails), (hold, clears)]]
            }
        }
    }

    /// The values that have a name of their own, as far as something depends on them.
    fn named(&self) -> impl Iterator<Item = (usize, Value)> {
        let used = self.used();
        let is_named = |value: &Value| !matches!(value, Value::Constant(_) | Value::Input(_) | Value::Not(_));
        self.values.iter().copied().enumerate().filter(move |(index, value)| used[*index] && is_named(value))
    }

    /// For each value whether something depends on it.
    fn used(&self) -> Vec<bool> {
        let is_always = |value: ValueId| self.values[value.0] == Value::Constant(true);
        let of_part = |part: &Part| {
            // What comes at once is waited for by nobody: nothing else of the part is looked at.
            if is_always(part.goal) && !matches!(part.kind, Kind::Binding { .. }) {
                return [Some(part.goal), None, None];
            }
            let unless = match part.kind {
                Kind::Response { unless } | Kind::Binding { unless } => Some(unless),
                Kind::Once => None,
            };
            [Some(part.hold), Some(part.goal), unless]
        };
        let mut open: Vec<ValueId> = self.parts.iter().flat_map(of_part).flatten().chain(self.kept.clone()).collect();
        let mut used = vec![false; self.values.len()];
        while let Some(value) = open.pop() {
            if std::mem::replace(&mut used[value.0], true) {
                continue;
            }
            match self.values[value.0] {
                Value::Constant(_) | Value::Input(_) | Value::Before { .. } => {}
                Value::Not(of) | Value::Lately { of, .. } | Value::LongAgo { of, .. } => open.push(of),
                Value::And(one, other) | Value::Or(one, other) => open.extend([one, other]),
            }
        }
        used
    }

    /// The condition that the goal asks, with these texts for parts.
    fn condition(&self, goal: &Goal, operators: Operators, part: &dyn Fn(usize) -> String) -> String {
        let joined = |goals: &[Goal], operator: &str| {
            let each: Vec<String> = goals.iter().map(|goal| self.condition(goal, operators, part)).collect();
            format!("({})", each.join(operator))
        };
        match goal {
            Goal::Part(index) => part(*index),
            Goal::All(goals) => joined(goals, operators.all),
            Goal::Any(goals) => joined(goals, operators.any),
        }
    }

    /// The conditions that the goal is met for good, missed for good, and met if the trace ends
    /// here: of parts they are named `t`, `f` and `h`.
    fn conditions(&self) -> [String; 3] {
        let (as_asked, turned) = (Operators { all: " && ", any: " || " }, Operators { all: " || ", any: " && " });
        [("t", as_asked), ("f", turned), ("h", as_asked)].map(|(name, operators)| {
            let text = self.condition(&self.goal, operators, &|part| format!("{name}{part}"));
            // Brackets around the whole are nothing that a compiler likes.
            match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
                Some(inner) => inner.to_owned(),
                None => text,
            }
        })
    }
}

/// The operators of a condition.
#[derive(Clone, Copy)]
struct Operators {
    all: &'static str,
    any: &'static str,
}

/// What is said of a part, and done to it, in some language.
struct Words {
    /// The condition that somebody waits, or is bound.
    waiting: String,
    /// The condition that nobody does.
    is_free: String,
    /// The condition that the deadline has passed, if there is one.
    late: Option<String>,
    fails: String,
    holds: String,
    clears: String,
    waits: String,
}

/// Conditions with what is done if one is the first that holds.
type Choice = Vec<(String, String)>;

fn both(one: &str, other: &str) -> String {
    match (one, other) {
        ("false", _) | (_, "false") => "false".to_owned(),
        ("true", only) | (only, "true") => only.to_owned(),
        _ if one.contains("||") => format!("({one}) && {other}"),
        _ => format!("{one} && {other}"),
    }
}

fn either(one: &str, other: &str) -> String {
    match (one, other) {
        ("true", _) | (_, "true") => "true".to_owned(),
        ("false", only) | (only, "false") => only.to_owned(),
        _ => format!("{one} || {other}"),
    }
}

/// The brackets around conditions.
#[derive(Clone, Copy)]
struct Brackets(&'static str, &'static str);

/// Writes a choice as a statement; what never applies is left out.
fn write_choice(out: &mut String, indentation: &str, brackets: Brackets, choice: &Choice) -> fmt::Result {
    let Brackets(open, close) = brackets;
    let mut first = true;
    for (condition, action) in choice.iter().filter(|(condition, _)| condition != "false") {
        let action = action.replace('\n', &format!("\n{indentation}    "));
        let is_certain = condition == "true";
        let head = match (first, is_certain) {
            (true, true) => "{".to_owned(),
            (true, false) => format!("if {open}{condition}{close} {{"),
            (false, true) => " else {".to_owned(),
            (false, false) => format!(" else if {open}{condition}{close} {{"),
        };
        let indent = if first { indentation } else { "" };
        write!(out, "{indent}{head}\n{indentation}    {action}\n{indentation}}}")?;
        first = false;
        if is_certain {
            break;
        }
    }
    if first { Ok(()) } else { writeln!(out) }
}
