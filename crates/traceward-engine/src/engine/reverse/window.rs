//! Windows that open later in time, over finished rows.
//!
//! Such a window is decided at its opening, the nearest position that is far enough away: an until
//! holds if it holds there without a bound, and what settles it comes before the window closes.
//! Where windows open moves with the timestamps, not by a number of steps. So the openings of the
//! first and the last position of a word are searched for, and settle most words as a whole: one
//! witness that lies in all of its windows, or none that lies in any. In other words it is searched
//! for what changes: for the positions that open between two witnesses and close before the later
//! one, if these are farther apart than a window is wide, and for those that open where the gate
//! changes.

use super::chain::{EndMask, chain_future, chain_past};
use super::schedule::{RowId, WindowKind, WindowStage};
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{BinaryOp, Direction, Expansion, Strength};

/// No place: there is nothing of a kind.
const NOWHERE: usize = usize::MAX;

/// The distance at which a search for an opening starts: neighbouring words open about a word
/// apart.
const FIRST_STEP: usize = 32;

/// The positions at which an operator holds. `words` is memory for them.
pub(super) fn fill(
    stage: &WindowStage,
    rows: &[Bitmap],
    time: Option<&[i64]>,
    len: usize,
    mut words: Vec<u64>,
) -> Bitmap {
    let operator = Strong::new(stage.kind, rows);
    // Without timestamps no time passes, and no window ever opens.
    let Some(time) = time.filter(|time| !time.is_empty()) else {
        return Bitmap::filled(len, operator.is_complement);
    };
    words.resize(len.div_ceil(Bitmap::WORD), 0);
    let low = operator.low(len);
    let gate = operator.needs_gate(stage.closes).then(|| operator.gate(low.words(), len, stage.direction));
    let (low, gate) = (low.words(), gate.as_deref());
    let (opens, closes) = (stage.opens, stage.closes);
    match stage.direction {
        Direction::Future => Windows::new(Ahead { time }, opens, closes, low, gate).fill(&mut words),
        Direction::Past => Windows::new(Behind { time }, opens, closes, low, gate).fill(&mut words),
    }
    let filled = Bitmap::from_words(words, len);
    if operator.is_complement { filled.complement() } else { filled }
}

/// An operator as `v[j] = low[j] | (high[j] & v[j±1])`, false beyond the end; a weak one as the
/// complement of its dual.
struct Strong<'a> {
    kind: WindowKind,
    is_complement: bool,
    f: &'a [u64],
    g: &'a [u64],
}

impl<'a> Strong<'a> {
    fn new(kind: WindowKind, rows: &'a [Bitmap]) -> Self {
        let row = |id: RowId| rows[id.0 as usize].words();
        let (f, g, strength) = match kind {
            WindowKind::Eventually(f) => (f, f, Strength::Strong),
            WindowKind::Always(f) => (f, f, Strength::Weak),
            WindowKind::Binary(op, f, g) => (f, g, op.strength()),
        };
        Self { kind, is_complement: strength.holds(), f: row(f), g: row(g) }
    }

    /// Whether more is asked than that `low` holds somewhere before the window closes.
    fn needs_gate(&self, closes: Option<u64>) -> bool {
        closes.is_none() || matches!(self.kind, WindowKind::Binary(..))
    }

    /// The words of `low` and `high` at an index.
    #[inline]
    fn at(&self, index: usize) -> (u64, u64) {
        let (f, g) = (self.f[index], self.g[index]);
        let (low, high) = match self.kind {
            WindowKind::Eventually(_) => (f, u64::MAX),
            WindowKind::Always(_) => (0, f),
            WindowKind::Binary(op, ..) => expanded(op, f, g),
        };
        if self.is_complement { (!high, !low) } else { (low, high) }
    }

    fn low(&self, len: usize) -> Bitmap {
        Bitmap::from_words((0..self.f.len()).map(|index| self.at(index).0).collect(), len)
    }

    /// The operator without bounds.
    fn gate(&self, low: &[u64], len: usize, direction: Direction) -> Vec<u64> {
        let high: Vec<u64> = (0..self.f.len()).map(|index| self.at(index).1).collect();
        let mut gate = vec![0; low.len()];
        match direction {
            Direction::Future => {
                let past_end = u64::MAX.checked_shr((len % Bitmap::WORD) as u32).filter(|mask| *mask != u64::MAX);
                let past_end = EndMask::new(past_end.unwrap_or(0), false);
                chain_future(&mut gate, low, &high, &mut 0, past_end);
            }
            Direction::Past => chain_past(&mut gate, low, &high, &mut 0),
        }
        gate
    }
}

fn expanded(op: BinaryOp, f: u64, g: u64) -> (u64, u64) {
    match op.expansion() {
        Expansion::Until => (g, f | g),
        Expansion::Release => (f & g, g),
    }
}

/// A trace seen in one direction: what operators look at lies at higher places, and later. A word
/// holds the same positions either way.
trait Side: Copy {
    /// The first place, and the one behind the last.
    fn places(self) -> (usize, usize);

    /// The time at a place: never less than at the places before.
    fn time(self, place: usize) -> i64;

    /// The times from a place on.
    fn copy_times(self, from: usize, into: &mut [i64]);

    /// The index in memory of a word.
    fn index(self, index: usize) -> usize;

    /// The bits of a word in the order of places, and back.
    fn turned(self, word: u64) -> u64;

    /// The bit of a place: 0 or 1.
    fn bit(self, words: &[u64], place: usize) -> u64;
}

#[derive(Clone, Copy)]
struct Ahead<'a> {
    time: &'a [i64],
}

impl Side for Ahead<'_> {
    fn places(self) -> (usize, usize) {
        (0, self.time.len())
    }

    #[inline]
    fn time(self, place: usize) -> i64 {
        self.time[place]
    }

    #[inline]
    fn copy_times(self, from: usize, into: &mut [i64]) {
        into.copy_from_slice(&self.time[from..from + into.len()]);
    }

    #[inline]
    fn index(self, index: usize) -> usize {
        index
    }

    #[inline]
    fn turned(self, word: u64) -> u64 {
        word
    }

    #[inline]
    fn bit(self, words: &[u64], place: usize) -> u64 {
        bit(words, place)
    }
}

/// The last position of the last word is at place 0, so that words stay whole.
#[derive(Clone, Copy)]
struct Behind<'a> {
    time: &'a [i64],
}

impl Behind<'_> {
    #[inline]
    fn position(self, place: usize) -> usize {
        self.time.len().next_multiple_of(Bitmap::WORD) - 1 - place
    }
}

impl Side for Behind<'_> {
    fn places(self) -> (usize, usize) {
        let end = self.time.len().next_multiple_of(Bitmap::WORD);
        (end - self.time.len(), end)
    }

    /// The complement turns the order round and keeps distances.
    #[inline]
    fn time(self, place: usize) -> i64 {
        !self.time[self.position(place)]
    }

    #[inline]
    fn copy_times(self, from: usize, into: &mut [i64]) {
        let end = self.position(from) + 1;
        let times = self.time[end - into.len()..end].iter().rev();
        into.iter_mut().zip(times).for_each(|(into, time)| *into = !time);
    }

    #[inline]
    fn index(self, index: usize) -> usize {
        self.time.len().div_ceil(Bitmap::WORD) - 1 - index
    }

    #[inline]
    fn turned(self, word: u64) -> u64 {
        word.reverse_bits()
    }

    #[inline]
    fn bit(self, words: &[u64], place: usize) -> u64 {
        bit(words, self.position(place))
    }
}

#[inline]
fn bit(words: &[u64], position: usize) -> u64 {
    (words[position / Bitmap::WORD] >> (Bitmap::WORD - 1 - position % Bitmap::WORD)) & 1
}

/// Some neighbouring places, by the first and the last one.
#[derive(Clone, Copy)]
struct Ends {
    first: usize,
    last: usize,
}

impl Ends {
    /// The places of a word that are among these.
    fn mask(self, index: usize) -> u64 {
        let start = index * Bitmap::WORD;
        let first = from(self.first.saturating_sub(start));
        let behind = from((self.last + 1).saturating_sub(start));
        first & !behind
    }
}

/// The positions of a word from an offset on.
#[inline]
fn from(offset: usize) -> u64 {
    if offset < Bitmap::WORD { u64::MAX >> offset } else { 0 }
}

/// The offsets of the set positions of a word, the last one first: to count zeros from the other
/// end takes an instruction that waits for what its register held before, so that searches which
/// have nothing to do with each other would come one after another.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (Bitmap::WORD - 1).checked_sub(bit)
    })
}

/// The nearest place from `from` on at which `low` holds.
#[derive(Clone, Copy)]
struct Witness {
    from: usize,
    place: usize,
}

struct Windows<'a, S> {
    side: S,
    opens: u64,
    closes: Option<u64>,
    low: &'a [u64],
    /// The openings at which the operator holds without bounds, if that has to be asked.
    gate: Option<&'a [u64]>,
    end: usize,
}

impl<'a, S: Side> Windows<'a, S> {
    fn new(side: S, opens: u64, closes: Option<u64>, low: &'a [u64], gate: Option<&'a [u64]>) -> Self {
        Self { side, opens, closes, low, gate, end: side.places().1 }
    }

    fn fill(&self, words: &mut [u64]) {
        let start = self.side.places().0;
        let mut witness = Witness { from: self.end, place: NOWHERE };
        for index in (0..words.len()).rev() {
            let first = (index * Bitmap::WORD).max(start);
            let last = (index * Bitmap::WORD + Bitmap::WORD).min(self.end) - 1;
            let last_opening = self.opening(last, witness.from);
            let openings = Ends { first: self.opening(first, last_opening), last: last_opening };
            witness = self.witness(openings.last, witness);
            let decided = self.decide(Ends { first, last }, openings, witness);
            words[self.side.index(index)] = self.side.turned(decided);
            witness = self.witness(openings.first, witness);
        }
    }

    /// The place at which the window of a place opens, which is at most a known one.
    fn opening(&self, place: usize, at_most: usize) -> usize {
        let now = self.side.time(place);
        let is_open = |other: usize| self.side.time(other).abs_diff(now) >= self.opens;
        let (mut open, mut step) = (at_most, FIRST_STEP);
        let mut closed = loop {
            let before = open.saturating_sub(step).max(place);
            if !is_open(before) {
                break before;
            }
            (open, step) = (before, step * 2);
        };
        while open - closed > 1 {
            let middle = closed + (open - closed) / 2;
            if is_open(middle) { open = middle } else { closed = middle }
        }
        open
    }

    /// The witness from a place on, given the one from a later place on.
    fn witness(&self, from: usize, later: Witness) -> Witness {
        let place = if from == later.from { later.place } else { self.search(from, later) };
        Witness { from, place }
    }

    fn search(&self, from: usize, later: Witness) -> usize {
        let mut index = from / Bitmap::WORD;
        let last = (later.from / Bitmap::WORD).min(self.low.len() - 1);
        let mut word = self.word(index) & (u64::MAX >> (from % Bitmap::WORD));
        while word == 0 && index < last {
            index += 1;
            word = self.word(index);
        }
        if word == 0 { later.place } else { index * Bitmap::WORD + word.leading_zeros() as usize }
    }

    #[inline]
    fn word(&self, index: usize) -> u64 {
        self.side.turned(self.low[self.side.index(index)])
    }

    /// The bits of these places; their openings are known, and the witness from the last one on.
    fn decide(&self, places: Ends, openings: Ends, witness: Witness) -> u64 {
        let all = (u64::MAX >> (places.first % Bitmap::WORD)) & !(u64::MAX >> 1 >> (places.last % Bitmap::WORD));
        let are_all_timely = self.is_timely(places.first, witness.place);
        if are_all_timely && (self.gate.is_none() || openings.first == openings.last) {
            return all * self.passes(openings.last);
        }
        if !are_all_timely && !self.is_timely(places.last, self.witness(openings.first, witness).place) {
            return 0;
        }
        let times = self.times(places);
        let timely = if are_all_timely { all } else { all & !self.late_bits(&times, openings, witness) };
        timely & self.gate_bits(&times, openings)
    }

    /// The times of all positions of a word. Those that are not asked for have the time of a
    /// neighbour.
    fn times(&self, places: Ends) -> [i64; Bitmap::WORD] {
        let offsets = places.first % Bitmap::WORD..places.last % Bitmap::WORD + 1;
        let mut times = [0; Bitmap::WORD];
        self.side.copy_times(places.first, &mut times[offsets.clone()]);
        let (first, last) = (times[offsets.start], times[offsets.end - 1]);
        times[..offsets.start].fill(first);
        times[offsets.end..].fill(last);
        times
    }

    /// The positions at whose openings the operator holds without bounds: from each change on, all
    /// are turned round.
    fn gate_bits(&self, times: &[i64; Bitmap::WORD], openings: Ends) -> u64 {
        let Some(gate) = self.gate else { return u64::MAX };
        let mut bits = 0_u64.wrapping_sub(self.passes(openings.first));
        let changed = Ends { first: openings.first + 1, last: openings.last };
        let word = |index: usize| if index < gate.len() { self.side.turned(gate[self.side.index(index)]) } else { 0 };
        for index in changed.first / Bitmap::WORD..=changed.last / Bitmap::WORD {
            let word_before = if index == 0 { 0 } else { word(index - 1) };
            let before = (word(index) >> 1) | (word_before << (Bitmap::WORD - 1));
            for place in ones((word(index) ^ before) & changed.mask(index)) {
                let last_before = self.side.time(index * Bitmap::WORD + place - 1);
                bits ^= from(times.partition_point(|&time| time <= self.opening_at(last_before)));
            }
        }
        bits
    }

    /// The positions whose windows close before they have seen a witness. They open behind one, and
    /// close before the next.
    fn late_bits(&self, times: &[i64; Bitmap::WORD], openings: Ends, witness: Witness) -> u64 {
        let closes = self.closes.unwrap_or(u64::MAX);
        let width = closes.saturating_sub(self.opens);
        let close_before = |next: Option<i64>| {
            let time = |next: i64| next.saturating_sub_unsigned(closes);
            !next.map_or(0, |next| from(times.partition_point(|&now| now < time(next))))
        };
        let mut next = (witness.place != NOWHERE).then(|| self.side.time(witness.place));
        let mut late = 0;
        let last_index = (openings.last / Bitmap::WORD).min(self.low.len() - 1);
        for index in (openings.first / Bitmap::WORD..=last_index).rev() {
            for offset in ones(self.word(index) & openings.mask(index)) {
                let time = self.side.time(index * Bitmap::WORD + offset);
                if next.is_none_or(|next| next.abs_diff(time) > width) {
                    let open_behind = from(times.partition_point(|&now| now <= self.opening_at(time)));
                    late |= open_behind & close_before(next);
                }
                next = Some(time);
            }
        }
        late | close_before(next)
    }

    /// The last time at which a window opens by a given one, which is that of an opening.
    #[inline]
    fn opening_at(&self, time: i64) -> i64 {
        time.wrapping_sub(self.opens as i64)
    }

    /// Whether the window of a place is still open at a witness. Without a far end, what passes the
    /// gate has one.
    #[inline]
    fn is_timely(&self, place: usize, witness: usize) -> bool {
        match self.closes {
            None => true,
            Some(_) if witness == NOWHERE => false,
            Some(closes) => self.side.time(witness).saturating_sub_unsigned(closes) <= self.side.time(place),
        }
    }

    #[inline]
    fn passes(&self, opening: usize) -> u64 {
        match self.gate {
            _ if opening == self.end => 0,
            None => 1,
            Some(gate) => self.side.bit(gate, opening),
        }
    }
}
