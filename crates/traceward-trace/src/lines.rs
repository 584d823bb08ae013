//! Which line of the input a state came from.

use std::fmt;

/// The source line of each state, 1-based.
///
/// Kept as runs of consecutive lines, so that a regular input costs nothing and a blank line costs
/// one entry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    runs: Vec<LineRun>,
    len: u32,
    next_line: u64,
    unit: LineUnit,
}

/// What an input is counted in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LineUnit {
    /// Lines of text.
    #[default]
    Line,
    /// Rows of a table, which has no lines.
    Row,
}

impl fmt::Display for LineUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "line",
            Self::Row => "row",
        })
    }
}

/// States from `position` on lie on lines from `line` on, one each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LineRun {
    position: u32,
    line: u64,
}

impl Lines {
    /// The line the state at a position begins on; 0 where there is no such state.
    pub fn line(&self, position: usize) -> u64 {
        let index = self.runs.partition_point(|run| run.position as usize <= position);
        match self.runs[..index].last() {
            Some(run) if position < self.len as usize => run.line + (position as u64 - u64::from(run.position)),
            _ => 0,
        }
    }

    /// Adds the states of a piece of the input that begins on a line; its own were counted from 1.
    pub(crate) fn append(&mut self, piece: &Self, first_line: u64) {
        for (index, run) in piece.runs.iter().enumerate() {
            let end = piece.runs.get(index + 1).map_or(piece.len, |next| next.position);
            self.push(first_line + run.line - 1);
            let others = end - run.position - 1;
            self.len += others;
            self.next_line += u64::from(others);
        }
    }

    /// The same, with lines that are rows of a table.
    pub(crate) fn of_rows(self) -> Self {
        Self { unit: LineUnit::Row, ..self }
    }

    /// What its lines are.
    pub fn unit(&self) -> LineUnit {
        self.unit
    }

    /// Adds the next states, each on a line of its own, from a line on.
    pub(crate) fn push_many(&mut self, line: u64, count: u32) {
        if let Some(others) = count.checked_sub(1) {
            self.push(line);
            self.len += others;
            self.next_line += u64::from(others);
        }
    }

    /// Adds the next state.
    #[inline]
    pub fn push(&mut self, line: u64) {
        if line != self.next_line {
            self.runs.push(LineRun { position: self.len, line });
        }
        self.next_line = line + 1;
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_together() {
        let mut lines = Lines::default();
        lines.push(2);
        let mut piece = Lines::default();
        [1, 2, 5, 6].iter().for_each(|&line| piece.push(line));
        lines.append(&piece, 3);
        lines.append(&Lines::default(), 9);
        lines.append(&piece, 9);
        let mut expected = Lines::default();
        [2, 3, 4, 7, 8, 9, 10, 13, 14].iter().for_each(|&line| expected.push(line));
        assert_eq!(lines, expected);
    }

    #[test]
    fn every_line_is_found_again() {
        let source = [2, 3, 4, 7, 8, 20, 22];
        let mut lines = Lines::default();
        source.iter().for_each(|&line| lines.push(line));
        let found: Vec<u64> = (0..source.len()).map(|position| lines.line(position)).collect();
        assert_eq!(found, source);
        assert_eq!(lines.runs.len(), 4);
        assert_eq!(lines.line(source.len()), 0);
    }
}
