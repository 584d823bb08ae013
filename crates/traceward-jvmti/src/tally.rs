//! Verdicts counted over traces, and told at the end.

use crate::report::{Report, counted};
use crate::trace::Subject;
use traceward::{Abandoned, Monitor, PropertyId, Verdict};

/// The objects that are named at the end.
const MOST_NAMED: usize = 5;

/// What each property came to.
#[derive(Default)]
pub(crate) struct Tally {
    counts: Vec<Count>,
    /// The most violations that are told one by one, of each property.
    most_told: u64,
}

#[derive(Default)]
struct Count {
    name: String,
    formula: String,
    satisfied: u64,
    violated: u64,
    unknown: u64,
    /// The number of satisfied ones of which nothing was asked, and what was not.
    vacuous: u64,
    unmet: Option<String>,
    /// The first objects that violate it.
    first: Vec<String>,
    reason: Option<String>,
    told: u64,
}

impl Tally {
    pub(crate) fn new(monitor: &Monitor, most_told: u64) -> Self {
        let counts = monitor.properties().map(|property| Count {
            name: property.name.to_owned(),
            formula: property.formula.to_owned(),
            ..Count::default()
        });
        Self { counts: counts.collect(), most_told }
    }

    /// Whether one more violation of a property is told by itself.
    pub(crate) fn is_told(&mut self, id: PropertyId) -> bool {
        let count = &mut self.counts[id.index()];
        count.told += 1;
        count.told <= self.most_told
    }

    /// Counts the verdict on a property at the end of a trace.
    pub(crate) fn count(&mut self, monitor: &Monitor, id: PropertyId, verdict: Verdict, subject: &Subject) {
        let count = &mut self.counts[id.index()];
        let reason = match (monitor.property(id).gave_up, monitor.doubt(id)) {
            (Some(Abandoned::Limit(gave_up)), _) => Some(gave_up.to_string()),
            (Some(Abandoned::Evaluation(message)), _) => Some(message.clone()),
            (None, doubt) => doubt.map(str::to_owned),
        };
        if reason.is_some() {
            count.unknown += 1;
            count.reason = count.reason.take().or(reason);
        } else if verdict == Verdict::Violated {
            count.violated += 1;
            if count.first.len() < MOST_NAMED {
                count.first.push(subject.to_string());
            }
        } else {
            count.satisfied += 1;
            if let Some(trigger) = monitor.vacuous(id) {
                count.vacuous += 1;
                count.unmet = count.unmet.take().or_else(|| Some(trigger.to_owned()));
            }
        }
    }

    /// Tells what each property came to, and returns what could not be answered.
    pub(crate) fn tell(&self, report: &mut Report, whole: Option<&Subject>) -> Vec<String> {
        for count in &self.counts {
            let verdict = match whole {
                Some(_) => count.of_program(),
                None => count.of_objects(),
            };
            report.say(&format!("{}: {verdict}: {}", count.name, count.formula));
            if count.told > self.most_told {
                let more = counted(count.told - self.most_told, "more violation");
                report.say(&format!("{more} of {} not told one by one: violations={} does it", count.name, count.told));
            }
        }
        let reason = |count: &Count| Some(format!("{} has no verdict: {}", count.name, count.reason.as_ref()?));
        self.counts.iter().filter_map(reason).collect()
    }
}

impl Count {
    fn of_program(&self) -> String {
        match (self.unknown, self.violated, &self.unmet) {
            (1.., ..) => "unknown".to_owned(),
            (0, 1.., _) => "violated".to_owned(),
            (0, 0, Some(unmet)) => format!("satisfied, vacuously: `{unmet}` never holds"),
            (0, 0, None) => "satisfied".to_owned(),
        }
    }

    fn of_objects(&self) -> String {
        let all = self.satisfied + self.violated + self.unknown;
        let mut parts = Vec::new();
        if self.violated > 0 {
            let dots = if self.violated > self.first.len() as u64 { ", …" } else { "" };
            let first = self.first.join(", ");
            parts.push(format!("violated for {} of {} ({first}{dots})", self.violated, counted(all, "object")));
        } else if self.satisfied > 0 {
            parts.push(format!("satisfied for {}", counted(self.satisfied, "object")));
        }
        if self.unknown > 0 {
            parts.push(format!("unknown for {}", counted(self.unknown, "object")));
        }
        if let Some(unmet) = &self.unmet {
            parts.push(format!("vacuously for {}: `{unmet}` never holds", self.vacuous));
        }
        if parts.is_empty() { "unknown, there was no object".to_owned() } else { parts.join(", ") }
    }
}
