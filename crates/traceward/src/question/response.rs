//! How long what a property asks for within a window has taken: in time, late, or never, and the
//! tightest bound that would have held.

use super::Question;
use super::part::Part;
use crate::check::Extent;
use crate::report::{NeededBound, ResponseReport};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Interval, Unit};
use traceward_logic::lower::Response;
use traceward_trace::Key;

/// The responses of a property that are looked at. While a trace goes on, who never came may still
/// come.
pub(super) fn of_property<'a>(question: &Question<'a>, property: usize) -> &'a [Response] {
    match question.options.extent {
        Extent::Whole => &question.bound.lowered.properties[property].responses,
        Extent::Prefix => &[],
    }
}

/// What is known so far of the responses of a property.
#[derive(Clone, Default)]
pub(super) struct ResponseTally {
    reports: Vec<ResponseReport>,
}

impl ResponseTally {
    pub(super) fn new(question: &Question<'_>, property: usize) -> Self {
        let report = |response: &Response| ResponseReport {
            response: question.spec.text(response.span),
            in_time: 0,
            late: 0,
            never: 0,
            largest: None,
        };
        Self { reports: of_property(question, property).iter().map(report).collect() }
    }

    /// Takes a part of the trace into account; with the key, if it is a key's.
    pub(super) fn add(&mut self, part: &Part<'_>, property: usize, key: Option<&Key>) {
        let responses = of_property(part.question, property);
        for (report, response) in self.reports.iter_mut().zip(responses) {
            add(report, part, response, key);
        }
    }

    pub(super) fn finish(self) -> Vec<ResponseReport> {
        self.reports
    }
}

fn add(report: &mut ResponseReport, part: &Part<'_>, response: &Response, key: Option<&Key>) {
    if !part.holds_somewhere(response.asked) {
        return;
    }
    let Interval { unit, to, .. } = response.interval;
    let mut answers = Answers::new(part, response);
    for position in part.row(response.asked).ones() {
        let Some(bound) = answers.needed(position) else {
            report.never += 1;
            continue;
        };
        match to.is_some_and(|to| bound > to) {
            false => report.in_time += 1,
            true => report.late += 1,
        }
        if report.largest.as_ref().is_none_or(|largest| bound > largest.bound) {
            report.largest = Some(NeededBound { bound, unit, key: key.map(Key::text), at: part.place(position) });
        }
    }
}

/// Finds the answers to positions that are asked about in order. The window of a later position
/// opens later, so one pass over the answers does for all.
struct Answers<'a> {
    part: &'a Part<'a>,
    goal: &'a Bitmap,
    interval: Interval,
    /// The first position in the window, if that is found by time.
    opening: usize,
    /// The first answer in the window; none if there is none.
    came: Option<usize>,
}

impl<'a> Answers<'a> {
    fn new(part: &'a Part<'a>, response: &Response) -> Self {
        let goal = part.row(response.goal);
        Self { part, goal, interval: response.interval, opening: 0, came: goal.first_one_from(0) }
    }

    /// The least far end of a window with an answer in it; none if there is no answer.
    fn needed(&mut self, position: usize) -> Option<u64> {
        let opening = self.opening(position);
        if self.came? < opening {
            self.came = self.goal.first_one_from(opening);
        }
        self.came.map(|came| self.distance(position, came))
    }

    fn opening(&mut self, position: usize) -> usize {
        let from = self.interval.from;
        match self.interval.unit {
            Unit::Steps => position.saturating_add(usize::try_from(from).unwrap_or(usize::MAX)),
            Unit::Time => {
                self.opening = self.opening.max(position);
                while self.opening < self.part.len() && self.distance(position, self.opening) < from {
                    self.opening += 1;
                }
                self.opening
            }
        }
    }

    fn distance(&self, position: usize, later: usize) -> u64 {
        match self.interval.unit {
            Unit::Steps => (later - position) as u64,
            // Without timestamps no time passes.
            Unit::Time => self.part.time_between(position, later).unwrap_or(0),
        }
    }
}
