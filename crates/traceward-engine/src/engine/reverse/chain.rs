//! Words of a row, each from its neighbour: 64 positions at a time.

/// The bits of a word past the end of the trace: those to clear, and those to set.
#[derive(Clone, Copy)]
pub(super) struct EndMask {
    clear: u64,
    set: u64,
}

impl EndMask {
    /// The bits `past_end` hold `end`.
    pub(super) fn new(past_end: u64, end: bool) -> Self {
        Self { clear: past_end, set: if end { past_end } else { 0 } }
    }

    /// Whether the trace does not end in the word.
    pub(super) fn is_nothing(self) -> bool {
        self.clear == 0
    }

    pub(super) fn apply(self, word: u64) -> u64 {
        (word & !self.clear) | self.set
    }
}

/// The value at the next position: the bit below, or the top bit of the next word.
pub(super) fn shift_future(into: &mut [u64], of: &[u64], carry: &mut u64, past_end: EndMask) {
    let Some(last) = into.len().checked_sub(1) else { return };
    into[last] = shift_word(past_end.apply(of[last]), carry);
    let (into, of) = (&mut into[..last], &of[..last]);
    for index in (0..last).rev() {
        into[index] = shift_word(of[index], carry);
    }
}

#[inline]
fn shift_word(word: u64, carry: &mut u64) -> u64 {
    let shifted = (word << 1) | *carry;
    *carry = word >> 63;
    shifted
}

pub(super) fn shift_past(into: &mut [u64], of: &[u64], carry: &mut u64) {
    for (into, word) in into.iter_mut().zip(of) {
        *into = (word >> 1) | (*carry << 63);
        *carry = word & 1;
    }
}

/// `v[j] = low[j] | (high[j] & v[j+1])`.
///
/// `low` is made a part of `high`, which changes nothing. Adding both with position j+1 below
/// position j makes a carry where `low` is set and passes one on where `high` is: the carry out of
/// a position is its value. Where `high` alone is set, the sum has a 0 if a carry came in.
pub(super) fn chain_future(into: &mut [u64], low: &[u64], high: &[u64], carry: &mut u64, past_end: EndMask) {
    let Some(last) = into.len().checked_sub(1) else { return };
    let mut passed = *carry;
    into[last] = link(past_end.apply(low[last]), past_end.apply(high[last]), &mut passed);
    // By index: a zip of three slices walked backwards costs several times the work itself.
    let (into, low, high) = (&mut into[..last], &low[..last], &high[..last]);
    for index in (0..last).rev() {
        into[index] = link(low[index], high[index], &mut passed);
    }
    *carry = passed;
}

/// What comes in is added last, so that from word to word only two instructions wait for each
/// other: a carry goes out if there is one anyway, or if it comes in and every bit passes it on.
#[inline]
fn link(low: u64, high: u64, carry: &mut u64) -> u64 {
    let high = high | low;
    let (partial, overflows) = high.overflowing_add(low);
    let sum = partial.wrapping_add(*carry);
    *carry = u64::from(overflows) | (*carry & u64::from(partial == u64::MAX));
    low | (high & !sum)
}

/// The same towards the past, where position j-1 is above position j and no addition carries:
/// within a word by doubling, which takes no part of another word and so runs on several at once.
pub(super) fn chain_past(into: &mut [u64], low: &[u64], high: &[u64], carry: &mut u64) {
    let mut passed = 0_u64.wrapping_sub(*carry);
    for ((into, &low), &high) in into.iter_mut().zip(low).zip(high) {
        let (value, through) = settle_past(low, high);
        let value = value | (through & passed);
        passed = 0_u64.wrapping_sub(value & 1);
        *into = value;
    }
    *carry = passed & 1;
}

/// The values of a word if nothing comes in, and the bits that something would reach.
#[inline]
fn settle_past(low: u64, high: u64) -> (u64, u64) {
    let (mut value, mut through) = (low, high);
    let mut filled = 1;
    while filled < u64::BITS {
        value |= through & (value >> filled);
        through &= (through >> filled) | !(u64::MAX >> filled);
        filled *= 2;
    }
    (value, through)
}
