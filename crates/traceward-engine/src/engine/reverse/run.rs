//! Rows, filled as a schedule says.

use super::super::offline::Cache;
use super::schedule::{Schedule, Stage, WindowStage};
use super::walk::Walk;
use super::{sections, window};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{Direction, Unit};
use traceward_logic::letter::{Batch, Letters};

/// Words of a register: small enough that all registers of a usual formula stay in the first-level
/// cache, large enough that deciding what to do is a small part of doing it.
const BLOCK: usize = 256;

/// Words of a trace whose rows fit into no cache: there the next block is asked for while this one
/// is computed. The processor does not guess which words come next, since each row goes on only
/// when all others have had their turn, and would first wait for words and then compute.
const LEAST_EXPECTED: usize = 1 << 20;

/// Operations on words that a thread of its own is worth, which take a quarter of a millisecond
/// where rows are in caches: with fewer, what it saves is lost when it is started, above all where
/// others are at work (`traceward-bench reverse-threads`).
const LEAST_WORK: usize = 1 << 21;

/// Delay lines are never guessed right, so that as many words of a section as they have are walked
/// over twice: so often they are to fit into it. Those that are longer than a second-level cache
/// are not copied; their passes stay on one thread.
const LEAST_RINGS: usize = 8;
const MOST_IN_RINGS: usize = 1 << 16;

/// Fills the rows of one trace.
pub(super) fn run<'c>(schedule: &Schedule, cache: &'c mut Cache, letters: &Letters) -> Vec<&'c Bitmap> {
    let cut = Cut::usual(cache);
    fill(schedule, cache, Filled { letters, batch: None }, cut)
}

/// Fills the rows of traces that stand one behind the other, by a schedule that knows of borders.
pub(super) fn run_batch<'c>(schedule: &Schedule, cache: &'c mut Cache, batch: &Batch) -> Vec<&'c Bitmap> {
    let cut = Cut::usual(cache);
    fill(schedule, cache, Filled { letters: &batch.letters, batch: Some(batch) }, cut)
}

/// The parts that the words of a pass are cut into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The words of a block: a power of two.
    pub(super) block: usize,
    /// The words of a trace from which on blocks are asked for ahead.
    pub(super) least_expected: usize,
    /// The most sections.
    pub(super) most: usize,
    /// The operations on words of a section, at the least.
    pub(super) least_work: usize,
    /// How often its delay lines fit into a section, at the least.
    pub(super) least_rings: usize,
}

impl Cut {
    fn usual(cache: &Cache) -> Self {
        Self {
            block: BLOCK,
            least_expected: LEAST_EXPECTED,
            most: cache.threads().get(),
            least_work: LEAST_WORK,
            least_rings: LEAST_RINGS,
        }
    }

    /// The number of sections of a walk.
    fn sections(self, walk: &Walk<'_>) -> usize {
        let rings = walk.ring_words();
        let by_rings =
            if rings <= MOST_IN_RINGS { walk.words().checked_div(self.least_rings * rings) } else { Some(1) };
        self.most.min(walk.work() / self.least_work).min(by_rings.unwrap_or(usize::MAX)).max(1)
    }
}

/// What rows are filled for.
#[derive(Clone, Copy)]
pub(super) struct Filled<'a> {
    pub(super) letters: &'a Letters,
    pub(super) batch: Option<&'a Batch>,
}

impl<'a> Filled<'a> {
    /// A bound in time that says the same: no two states of a trace are farther apart than the
    /// longest is long, and the next trace begins farther away.
    pub(super) fn limit(self, unit: Unit, limit: u64) -> u64 {
        match (self.batch, unit) {
            (Some(batch), Unit::Time) => limit.min(batch.longest),
            _ => limit,
        }
    }

    /// Where traces end, in a direction. One trace alone has no border that is asked about.
    pub(super) fn borders(self, direction: Direction) -> &'a [u64] {
        match (self.batch, direction) {
            (Some(batch), Direction::Future) => batch.last.words(),
            (Some(batch), Direction::Past) => batch.first.words(),
            (None, _) => &[],
        }
    }

    fn window(self, window: &WindowStage, rows: &[Bitmap], words: Vec<u64>) -> Bitmap {
        let (time, len) = (self.letters.time.as_deref(), self.letters.len);
        let Some(batch) = self.batch else { return window::fill(window, rows, time, len, words) };
        if window.opens > batch.longest {
            return window::fill(window, rows, None, len, words);
        }
        let closes = window.closes.unwrap_or(u64::MAX).min(batch.longest);
        window::fill(&WindowStage { closes: Some(closes), ..*window }, rows, time, len, words)
    }
}

pub(super) fn fill<'c>(schedule: &Schedule, cache: &'c mut Cache, filled: Filled<'_>, cut: Cut) -> Vec<&'c Bitmap> {
    let letters = filled.letters;
    let mut rows = std::mem::take(&mut cache.rows);
    rows.resize_with(rows.len().max(schedule.row_count as usize), Bitmap::new);
    for stage in &schedule.stages {
        match stage {
            Stage::Pass(pass) => {
                let taken = pass.outputs.iter().map(|(_, row)| std::mem::take(&mut rows[row.0 as usize]).into_words());
                let mut outputs: Vec<Vec<u64>> = taken.collect();
                let words = letters.len.div_ceil(Bitmap::WORD);
                outputs.iter_mut().for_each(|output| output.resize(words, 0));
                let walk = Walk::new(pass, filled, &rows, cut);
                sections::run(&walk, &mut outputs, &mut cache.scratches, cut.sections(&walk));
                for (&(_, row), words) in pass.outputs.iter().zip(outputs) {
                    rows[row.0 as usize] = Bitmap::from_words(words, letters.len);
                }
            }
            Stage::Window(window) => {
                let words = std::mem::take(&mut rows[window.output.0 as usize]).into_words();
                rows[window.output.0 as usize] = filled.window(window, &rows, words);
            }
        }
    }
    cache.rows = rows;
    schedule.roots.iter().map(|root| &cache.rows[root.0 as usize]).collect()
}
