//! Bounded operators over finished rows: one walk over the positions, whatever the bound.
//!
//! Windows move with their position, so a walk from the far end meets the near ends of all windows
//! in order. It keeps the nearest position from there on at which a row is set; a window is decided
//! by whether that lies within it.

use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, Interval, Strength, Unit};

/// A trace seen in one direction: place 0 is the first position for the future, the last one for
/// the past, and what operators look at lies at higher places.
pub(super) struct View<'a> {
    len: usize,
    direction: Direction,
    time: Option<&'a [i64]>,
}

impl<'a> View<'a> {
    pub(super) fn new(len: usize, direction: Direction, time: Option<&'a [i64]>) -> Self {
        Self { len, direction, time }
    }

    #[inline]
    fn position(&self, place: usize) -> usize {
        match self.direction {
            Direction::Future => place,
            Direction::Past => self.len - 1 - place,
        }
    }

    #[inline]
    fn get(&self, row: &Bitmap, place: usize) -> bool {
        row.get(self.position(place))
    }

    /// The distance between two places. Without timestamps no time passes.
    fn distance(&self, from: usize, to: usize, unit: Unit) -> u64 {
        match (unit, self.time) {
            (Unit::Steps, _) => (to - from) as u64,
            (Unit::Time, Some(time)) => time[self.position(from)].abs_diff(time[self.position(to)]),
            (Unit::Time, None) => 0,
        }
    }

    /// Calls `decide` with each place and its window, from the last place to the first. Near ends
    /// never increase.
    #[inline]
    fn for_each_window(&self, interval: Interval, mut decide: impl FnMut(usize, WindowRange)) {
        let mut near = self.len;
        let mut end = self.len;
        for place in (0..self.len).rev() {
            let from = |other: usize| self.distance(place, other, interval.unit);
            while near > place && from(near - 1) >= interval.from {
                near -= 1;
            }
            if let Some(to) = interval.to {
                while end > place && from(end - 1) > to {
                    end -= 1;
                }
            }
            decide(place, WindowRange { near, end });
        }
    }
}

/// The places `near..end`; none if `end <= near`.
#[derive(Clone, Copy)]
struct WindowRange {
    near: usize,
    end: usize,
}

/// The least place at or behind a moving one at which a row is set.
struct Nearest<'a> {
    view: &'a View<'a>,
    row: &'a Bitmap,
    set: bool,
    moved_to: usize,
    nearest: usize,
}

impl<'a> Nearest<'a> {
    fn new(view: &'a View<'a>, row: &'a Bitmap, set: bool) -> Self {
        Self { view, row, set, moved_to: view.len, nearest: usize::MAX }
    }

    /// Moves to a place before the last one, and returns the nearest place at which the row is set;
    /// a very large one if there is none.
    #[inline(always)]
    fn at(&mut self, place: usize) -> usize {
        while self.moved_to > place {
            self.moved_to -= 1;
            if self.view.get(self.row, self.moved_to) == self.set {
                self.nearest = self.moved_to;
            }
        }
        self.nearest
    }
}

pub(super) fn eventually(view: &View<'_>, interval: Interval, f: &Bitmap) -> Bitmap {
    let mut result = Bitmap::filled(view.len, false);
    let mut found = Nearest::new(view, f, true);
    view.for_each_window(interval, |place, window| {
        result.set(view.position(place), found.at(window.near) < window.end);
    });
    result
}

pub(super) fn always(view: &View<'_>, interval: Interval, f: &Bitmap) -> Bitmap {
    let mut result = Bitmap::filled(view.len, false);
    let mut broken = Nearest::new(view, f, false);
    view.for_each_window(interval, |place, window| {
        result.set(view.position(place), broken.at(window.near) >= window.end);
    });
    result
}

pub(super) fn until(view: &View<'_>, interval: Interval, strength: Strength, f: &Bitmap, g: &Bitmap) -> Bitmap {
    let mut result = Bitmap::filled(view.len, false);
    let mut found = Nearest::new(view, g, true);
    let mut broken = Nearest::new(view, f, false);
    view.for_each_window(interval, |place, window| {
        let (found, broken) = (found.at(window.near), broken.at(window.near));
        let comes = found < window.end && broken >= found;
        let throughout = strength == Strength::Weak && broken >= window.end;
        result.set(view.position(place), comes || throughout);
    });
    result
}
