//! Windows that open later in time, over finished rows.
//!
//! Such a window is decided at its opening, the nearest position that is far enough away: an until
//! holds if it holds there without a bound, and what settles it comes before the window closes. Where
//! windows open moves with the timestamps, not by a number of steps. So the openings of the first and
//! the last position of a word are searched for, and settle most words as a whole: one witness that
//! lies in all of its windows, or none that lies in any. In other words, each witness is seen from a
//! stretch of positions, whose ends are searched for; and so is each change of what holds at openings.
//! Only where witnesses are many, positions are decided one by one, from a table of the openings that
//! come into question, without branches on bits and times: those cannot be predicted.

use super::chain::{EndMask, chain_future, chain_past};
use super::schedule::{RowId, WindowKind, WindowStage};
use super::within::chosen;
use traceward_logic::bitmap::Bitmap;
use traceward_logic::formula::{BinaryOp, Direction, Expansion, Strength};

/// No place: there is nothing of a kind.
const NOWHERE: usize = usize::MAX;

/// The openings of a word that fit into a table; of more, half a word is decided at a time. An index
/// is a byte, which needs no check.
const TABLE: usize = 1 << u8::BITS;

/// The most witnesses that are looked at one by one.
const FEW: u32 = 12;

/// Places whose openings are found at the same time, since each waits for the one before.
const LANES: usize = 4;

/// The entries of a table that are looked at beyond one.
const AHEAD: usize = 4;

/// The distance at which a search for an opening starts: neighbouring words open about a word apart.
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

/// The offsets of the set positions of a word.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let offset = word.leading_zeros() as usize;
        word &= !(1_u64 << (Bitmap::WORD - 1)).checked_shr(offset as u32)?;
        Some(offset)
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
    /// Whether times and bounds can be added, and `i64::MAX` is no time and can stand for never.
    has_plain_times: bool,
}

impl<'a, S: Side> Windows<'a, S> {
    fn new(side: S, opens: u64, closes: Option<u64>, low: &'a [u64], gate: Option<&'a [u64]>) -> Self {
        let (start, end) = side.places();
        let (first, last) = (side.time(start), side.time(end - 1));
        let closes = closes.map(|closes| closes.min(last.abs_diff(first)));
        let has_plain_times = last < i64::MAX
            && last.checked_add_unsigned(opens).is_some()
            && first.checked_sub_unsigned(closes.unwrap_or(0)).is_some();
        Self { side, opens, closes, low, gate, end, has_plain_times }
    }

    fn fill(&self, words: &mut [u64]) {
        let start = self.side.places().0;
        let mut table = Table { times: [i64::MAX; TABLE + AHEAD], since: [i64::MAX; TABLE], count: 0 };
        let mut witness = Witness { from: self.end, place: NOWHERE };
        for index in (0..words.len()).rev() {
            let first = (index * Bitmap::WORD).max(start);
            let last = (index * Bitmap::WORD + Bitmap::WORD).min(self.end) - 1;
            let last_opening = self.opening(last, witness.from);
            let openings = Ends { first: self.opening(first, last_opening), last: last_opening };
            witness = self.witness(openings.last, witness);
            let decided = self.decide(Ends { first, last }, openings, witness, &mut table);
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
    fn decide(&self, places: Ends, openings: Ends, witness: Witness, table: &mut Table) -> u64 {
        let all = (u64::MAX >> (places.first % Bitmap::WORD)) & !(u64::MAX >> 1 >> (places.last % Bitmap::WORD));
        let are_all_timely = self.is_timely(places.first, witness.place);
        if are_all_timely && (self.gate.is_none() || openings.first == openings.last) {
            return all * self.passes(openings.last);
        }
        if !are_all_timely && !self.is_timely(places.last, self.witness(openings.first, witness).place) {
            return 0;
        }
        let times = self.times(places);
        if are_all_timely {
            self.gate_bits(&times, openings) & all
        } else if self.witness_count(openings) <= FEW {
            self.timely_bits(&times, openings, witness) & self.gate_bits(&times, openings) & all
        } else if self.has_plain_times && openings.last - openings.first < TABLE {
            self.lay_out(table, openings, witness);
            self.decide_by_table(table, &times) & all
        } else {
            self.decide_by_halves(places, openings, witness, table)
        }
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

    /// The positions that see one of some witnesses before their windows close.
    fn timely_bits(&self, times: &[i64; Bitmap::WORD], openings: Ends, witness: Witness) -> u64 {
        let mut bits = self.seen(times, witness.place);
        for index in openings.first / Bitmap::WORD..=(openings.last / Bitmap::WORD).min(self.low.len() - 1) {
            for place in ones(self.word(index) & openings.mask(index)) {
                bits |= self.seen(times, index * Bitmap::WORD + place);
            }
        }
        bits
    }

    fn witness_count(&self, openings: Ends) -> u32 {
        let indices = openings.first / Bitmap::WORD..=(openings.last / Bitmap::WORD).min(self.low.len() - 1);
        indices.map(|index| (self.word(index) & openings.mask(index)).count_ones()).sum()
    }

    /// The positions from which a witness is in the window.
    fn seen(&self, times: &[i64; Bitmap::WORD], witness: usize) -> u64 {
        if witness == NOWHERE {
            return 0;
        }
        let time = self.side.time(witness);
        let first = time.saturating_sub_unsigned(self.closes.unwrap_or(u64::MAX));
        let last = self.opening_at(time);
        from(times.partition_point(|&time| time < first)) & !from(times.partition_point(|&time| time <= last))
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

    /// Places that do not open together are more than one.
    fn decide_by_halves(&self, places: Ends, openings: Ends, witness: Witness, table: &mut Table) -> u64 {
        let middle = places.first + (places.last - places.first) / 2;
        let later = self.opening(middle + 1, openings.last);
        let later_half = Ends { first: middle + 1, last: places.last };
        let bits = self.decide(later_half, Ends { first: later, last: openings.last }, witness, table);
        let earlier = self.opening(middle, later);
        let witness = self.witness(earlier, witness);
        let earlier_half = Ends { first: places.first, last: middle };
        bits | self.decide(earlier_half, Ends { first: openings.first, last: earlier }, witness, table)
    }

    /// What is to be known of some openings.
    fn lay_out(&self, table: &mut Table, openings: Ends, witness: Witness) {
        let closes = self.closes.unwrap_or(0) as i64;
        let count = openings.last - openings.first;
        table.count = count;
        self.side.copy_times(openings.first, &mut table.times[..count]);
        table.times[count..count + AHEAD].fill(i64::MAX);
        let mut nearest = match self.closes {
            None => i64::MIN,
            Some(_) if witness.place == NOWHERE => i64::MAX,
            Some(_) => self.side.time(witness.place).wrapping_sub(closes),
        };
        table.since[count] = chosen(self.passes(openings.last), nearest, i64::MAX);
        let mut end = openings.last;
        while end > openings.first {
            let index = (end - 1) / Bitmap::WORD;
            let start = (index * Bitmap::WORD).max(openings.first);
            let unused = Bitmap::WORD - 1 - (end - 1) % Bitmap::WORD;
            let mut low = if self.closes.is_none() { 0 } else { self.word(index) >> unused };
            let mut gate = self.gate.map_or(u64::MAX, |gate| self.side.turned(gate[self.side.index(index)]) >> unused);
            let entries = start - openings.first..end - openings.first;
            let times = table.times[entries.clone()].iter().rev();
            for (since, time) in table.since[entries].iter_mut().rev().zip(times) {
                nearest = chosen(low & 1, time.wrapping_sub(closes), nearest);
                *since = chosen(gate & 1, nearest, i64::MAX);
                (low, gate) = (low >> 1, gate >> 1);
            }
            end = start;
        }
    }

    /// The word is cut into lanes, each of which goes through the table on its own.
    fn decide_by_table(&self, table: &Table, times: &[i64; Bitmap::WORD]) -> u64 {
        const LANE: usize = Bitmap::WORD / LANES;
        let opens = self.opens as i64;
        let mut entries: [u8; LANES] = std::array::from_fn(|lane| table.search(times[lane * LANE].wrapping_add(opens)));
        let mut bits = [0; LANES];
        for nth in 0..LANE {
            for lane in 0..LANES {
                let now = times[lane * LANE + nth];
                entries[lane] = table.advance(entries[lane], now.wrapping_add(opens));
                let holds = now >= table.since[usize::from(entries[lane])];
                bits[lane] = (bits[lane] << 1) | u64::from(holds);
            }
        }
        bits.into_iter().fold(0, |word, lane| (word << LANE) | lane)
    }
}

/// Openings, and what is to be known of each.
struct Table {
    /// The time of each but the last, at which all windows are open; then never.
    times: [i64; TABLE + AHEAD],
    /// The time from which on a place that opens there sees a witness before its window closes.
    since: [i64; TABLE],
    /// The number of entries that have a time.
    count: usize,
}

impl Table {
    /// The first entry that does not come before a time.
    fn search(&self, opens: i64) -> u8 {
        self.times[..self.count].partition_point(|&time| time < opens) as u8
    }

    /// The same from an entry on. Few are more than three away, so that the loop is seldom entered.
    #[inline]
    fn advance(&self, entry: u8, opens: i64) -> u8 {
        let entry = usize::from(entry);
        let entry = entry + 2 * usize::from(self.times[entry + 1] < opens);
        let mut entry = entry + usize::from(self.times[entry] < opens);
        while self.times[entry] < opens {
            entry += 1;
        }
        entry as u8
    }
}
