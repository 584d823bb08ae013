//! Texts kept once, each with a number.

use crate::swar;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// Different texts, each kept once, numbered in order of first appearance.
#[derive(Debug)]
pub(crate) struct Dictionary<T = Arc<str>> {
    texts: Vec<T>,
    table: Table<Digest>,
    /// The texts that are numbers, which nobody finds in the table. Many keys are such.
    numbers: Numbers,
}

/// A form in which a dictionary keeps texts.
pub(crate) trait Kept {
    fn of_text(text: &str) -> Self;
    fn of_number(number: PlainNumber) -> Self;
    fn is(&self, text: &str) -> bool;
}

impl Kept for Arc<str> {
    fn of_text(text: &str) -> Self {
        text.into()
    }

    fn of_number(number: PlainNumber) -> Self {
        number.written().as_str().into()
    }

    fn is(&self, text: &str) -> bool {
        **self == *text
    }
}

impl<T> Default for Dictionary<T> {
    fn default() -> Self {
        Self { texts: Vec::new(), table: Table::default(), numbers: Numbers::default() }
    }
}

impl<T: Kept> Dictionary<T> {
    /// The number of a text. There are never more texts than states, which are counted in 32 bits.
    #[inline]
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        self.intern_digest(Digest::of(text.as_bytes()), text)
    }

    /// The number of a text as most are; none, and it is not kept, if it is not like that.
    #[inline]
    pub(crate) fn intern_plain(&mut self, text: &[u8]) -> Option<u32> {
        Digest::of_plain(text).map(|digest| self.intern_digest(digest, ""))
    }

    /// The number of a text whose digest is known. Of a text that is its digest nothing else is
    /// looked at.
    #[inline]
    fn intern_digest(&mut self, digest: Digest, text: &str) -> u32 {
        if let Some(number) = digest.number() {
            return self.intern_number(number);
        }
        match self.table.find(digest, |code| self.is_text(code, digest, text)) {
            Some(code) => code,
            None => self.insert(digest, text),
        }
    }

    /// The number of a text that is one itself.
    #[inline]
    fn intern_number(&mut self, number: PlainNumber) -> u32 {
        match self.numbers.find(number) {
            Some(code) => code,
            None => {
                let code = self.texts.len() as u32;
                self.texts.push(T::of_number(number));
                self.numbers.insert(number, code);
                code
            }
        }
    }

    /// Whether the text of a number, which has the same digest, is this one.
    #[inline]
    fn is_text(&self, code: u32, digest: Digest, text: &str) -> bool {
        digest.is_whole() || self.texts[code as usize].is(text)
    }

    fn insert(&mut self, digest: Digest, text: &str) -> u32 {
        let code = self.texts.len() as u32;
        self.texts.push(match digest.whole() {
            Some(whole) => T::of_text(whole.as_str()),
            None => T::of_text(text),
        });
        self.table.insert(digest, code);
        code
    }

    /// The texts, by their numbers.
    pub(crate) fn texts(&self) -> &[T] {
        &self.texts
    }

    pub(crate) fn into_texts(self) -> Vec<T> {
        self.texts
    }
}

/// Texts that get their numbers later, many at once.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The texts as long as all of them are numbers; none otherwise.
    numbers: Vec<PlainNumber>,
    /// The texts once one of them is no number.
    digests: Vec<Digest>,
    /// The texts that are longer than a digest, one behind the other, and where each ends.
    long: String,
    ends: Vec<usize>,
}

impl Texts {
    #[inline]
    pub(crate) fn push(&mut self, text: &str) {
        let digest = Digest::of(text.as_bytes());
        if !digest.is_whole() {
            self.long.push_str(text);
            self.ends.push(self.long.len());
        }
        self.push_digest(digest);
    }

    /// Adds a text as most are; false, and nothing is added, if it is not like that.
    #[inline]
    pub(crate) fn push_plain(&mut self, text: &[u8]) -> bool {
        match Digest::of_plain(text) {
            Some(digest) => {
                self.push_digest(digest);
                true
            }
            None => false,
        }
    }

    /// Adds an integer as it is written.
    #[inline]
    pub(crate) fn push_int(&mut self, int: i64) {
        match PlainNumber::of(int) {
            Some(number) if self.digests.is_empty() => self.numbers.push(number),
            _ => self.push(Written::new_signed(int).as_str()),
        }
    }

    #[inline]
    fn push_digest(&mut self, digest: Digest) {
        if self.digests.is_empty() {
            match digest.number() {
                Some(number) => return self.numbers.push(number),
                None => self.spell_out(),
            }
        }
        self.digests.push(digest);
    }

    /// Keeps numbers as other texts are kept: one comes that is no number.
    #[cold]
    fn spell_out(&mut self) {
        let digest = |number: PlainNumber| Digest::of(number.written().as_bytes());
        self.digests = std::mem::take(&mut self.numbers).into_iter().map(digest).collect();
    }

    /// Makes room for so many texts.
    pub(crate) fn reserve(&mut self, count: usize) {
        match self.digests.is_empty() {
            true => self.numbers.reserve(count),
            false => self.digests.reserve(count),
        }
    }

    /// The number of texts.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len() + self.digests.len()
    }

    /// Drops the texts from this one on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.numbers.truncate(len);
        let kept = self.digests.iter().take(len).filter(|digest| !digest.is_whole()).count();
        self.digests.truncate(len);
        self.ends.truncate(kept);
        self.long.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Drops all texts; their room stays.
    pub(crate) fn clear(&mut self) {
        self.truncate(0);
    }

    /// Calls `take` with the number of each text, in order.
    ///
    /// A table of a million keys does not fit a cache, and every look into it is a wait. So it is
    /// looked at for several texts first, which the processor waits for together.
    pub(crate) fn number<T: Kept>(&self, dictionary: &mut Dictionary<T>, mut take: impl FnMut(u32)) {
        const TOGETHER: usize = 32;
        for numbers in self.numbers.chunks(TOGETHER) {
            dictionary.numbers.look(numbers);
            numbers.iter().for_each(|&number| take(dictionary.intern_number(number)));
        }
        let mut start = 0;
        let mut ends = self.ends.iter();
        for digests in self.digests.chunks(TOGETHER) {
            dictionary.table.look(digests);
            for &digest in digests {
                let mut text = "";
                if !digest.is_whole()
                    && let Some(&end) = ends.next()
                {
                    text = &self.long[start..end];
                    start = end;
                }
                take(dictionary.intern_digest(digest, text));
            }
        }
    }
}

/// A text that is a number as everybody would write it: digits, as few as there can be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct PlainNumber(u64);

impl PlainNumber {
    /// The first number that has too many digits.
    const END: u64 = 10_u64.pow(LONGEST_WHOLE as u32);

    /// An integer as one, if it is.
    #[inline]
    fn of(int: i64) -> Option<Self> {
        u64::try_from(int).ok().filter(|&number| number < Self::END).map(Self)
    }

    /// The number that a text is, if it is one.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        Digest::of_plain(text.as_bytes()).and_then(Digest::number)
    }

    pub(crate) fn int(self) -> i64 {
        // There are less than 10^15.
        self.0 as i64
    }

    pub(crate) fn written(self) -> Written {
        Written::new(self.0)
    }
}

/// An integer as it is written.
pub(crate) struct Written {
    /// The text at the end.
    bytes: [u8; 20],
    start: usize,
}

impl Written {
    #[inline]
    fn new(number: u64) -> Self {
        let mut bytes = [0; 20];
        let mut start = bytes.len();
        let mut rest = number;
        while rest >= 100 {
            start -= 2;
            bytes[start..start + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
            rest /= 100;
        }
        let count = if rest >= 10 { 2 } else { 1 };
        start -= count;
        bytes[start..start + count].copy_from_slice(&PAIRS[rest as usize][2 - count..]);
        Self { bytes, start }
    }

    fn new_signed(int: i64) -> Self {
        let mut written = Self::new(int.unsigned_abs());
        if int < 0 {
            // There are no more than 19 digits.
            written.start -= 1;
            written.bytes[written.start] = b'-';
        }
        written
    }

    #[inline]
    fn as_bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).expect("digits are text")
    }
}

/// The digits of all numbers of two.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

/// Codes of numbers. Those of keys are often counted up, so that most numbers between the least and
/// the largest occur: those need no table but a list.
#[derive(Debug, Default)]
struct Numbers {
    /// The codes of the numbers from `first` on, free where there is none.
    list: Vec<u32>,
    first: u64,
    /// The numbers that are not in the list.
    table: Table<PlainNumber>,
    /// The least and the largest number.
    span: Option<(u64, u64)>,
    count: usize,
}

impl Numbers {
    /// The places of a list for each number in it: as much memory as a table takes that is half
    /// full.
    const MOST_PLACES: u64 = 8;

    /// The numbers from which on a list pays: fewer are in a cache anyway.
    const FEWEST: usize = 1024;

    #[inline]
    fn find(&self, number: PlainNumber) -> Option<u32> {
        match self.list.get(self.place(number)) {
            Some(&code) => (code != FREE).then_some(code),
            None => self.table.find(number, |_| true),
        }
    }

    /// The place of a number in the list, or behind it.
    #[inline]
    fn place(&self, number: PlainNumber) -> usize {
        number.0.wrapping_sub(self.first) as usize
    }

    /// Looks at where some numbers are likely to be.
    #[inline]
    fn look(&self, numbers: &[PlainNumber]) {
        let at = |number: &PlainNumber| self.list.get(self.place(*number)).copied().unwrap_or(FREE);
        let near = numbers.iter().fold(0, |near, number| near ^ at(number));
        std::hint::black_box(near);
        if self.table.count > 0 {
            self.table.look(numbers);
        }
    }

    fn insert(&mut self, number: PlainNumber, code: u32) {
        let (least, largest) = self.span.unwrap_or((number.0, number.0));
        self.span = Some((least.min(number.0), largest.max(number.0)));
        self.count += 1;
        // Once many are in the table, so that all of this takes no longer than to put them there.
        let is_time = self.table.is_full() && self.table.count * 4 >= self.count && self.count >= Self::FEWEST;
        if is_time && self.list.get(self.place(number)).is_none() {
            self.list_all();
        }
        match self.place(number) {
            place if place < self.list.len() => self.list[place] = code,
            _ => self.table.insert(number, code),
        }
    }

    /// Puts all numbers into the list if they are near enough to each other.
    #[cold]
    fn list_all(&mut self) {
        let Some((least, largest)) = self.span else { return };
        let (places, most) = (largest - least + 1, Self::MOST_PLACES * self.count as u64);
        if places > most {
            return;
        }
        // More are likely to follow.
        let mut list = vec![FREE; (places + places / 2).min(most) as usize];
        let before = (self.first..).zip(std::mem::take(&mut self.list)).filter(|(_, code)| *code != FREE);
        let slots = std::mem::take(&mut self.table).slots.into_iter().filter(|slot| slot.code != FREE);
        for (number, code) in before.chain(slots.map(|slot| (slot.text.0, slot.code))) {
            list[(number - least) as usize] = code;
        }
        (self.list, self.first) = (list, least);
    }
}

/// What a table finds numbers by.
trait Hashed: Copy + Eq + Default {
    fn hash(self) -> usize;
}

/// A table from texts to numbers. Short texts stand in it whole, so that they need not be looked
/// for elsewhere to be compared. It is our own because no other lets several texts be looked for
/// together.
#[derive(Debug, Default)]
struct Table<T> {
    /// A power of two of them, or none; at least one in four is free.
    slots: Vec<Slot<T>>,
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot<T> {
    text: T,
    code: u32,
}

/// The number of a slot that is free. There are never as many states.
const FREE: u32 = u32::MAX;

/// The slots up to which a table grows rather than have one text stand behind another. They fit the
/// first cache.
const ROOMY: usize = 256;

impl<T: Hashed> Table<T> {
    /// The number of an entry that is the one.
    #[inline]
    fn find(&self, text: T, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut place = text.hash() & mask;
        loop {
            let slot = self.slots[place];
            if slot.code == FREE {
                return None;
            }
            if slot.text == text && is_it(slot.code) {
                return Some(slot.code);
            }
            place = (place + 1) & mask;
        }
    }

    /// Looks at where some texts are likely to be.
    #[inline]
    fn look(&self, texts: &[T]) {
        if let Some(mask) = self.slots.len().checked_sub(1) {
            let near = texts.iter().fold(0, |near, text| near ^ self.slots[text.hash() & mask].code);
            std::hint::black_box(near);
        }
    }

    /// Whether the table has to grow before another entry.
    fn is_full(&self) -> bool {
        (self.count + 1) * 4 > self.slots.len() * 3
    }

    fn insert(&mut self, text: T, code: u32) {
        if self.is_full() {
            self.grow();
        }
        // Few texts have a place each. Which of them comes next is nothing that a processor could
        // learn, so one that stands behind another is a wait each time it comes.
        while self.slots.len() < ROOMY && self.is_taken(text) {
            self.grow();
        }
        self.put(Slot { text, code });
        self.count += 1;
    }

    /// Whether something stands where a text is looked for first.
    fn is_taken(&self, text: T) -> bool {
        self.slots[text.hash() & (self.slots.len() - 1)].code != FREE
    }

    fn put(&mut self, slot: Slot<T>) {
        let mask = self.slots.len() - 1;
        let mut place = slot.text.hash() & mask;
        while self.slots[place].code != FREE {
            place = (place + 1) & mask;
        }
        self.slots[place] = slot;
    }

    fn grow(&mut self) {
        let free = Slot { text: T::default(), code: FREE };
        let larger = vec![free; (self.slots.len() * 2).max(16)];
        let slots = std::mem::replace(&mut self.slots, larger);
        slots.into_iter().filter(|slot| slot.code != FREE).for_each(|slot| self.put(slot));
    }
}

/// A short text and its length, or the hash of a longer one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Digest([u64; 2]);

/// The longest text that is its digest.
const LONGEST_WHOLE: usize = 15;

/// The byte of a digest that has the length.
const LENGTH_SHIFT: u32 = 56;

impl Digest {
    #[inline]
    fn of(text: &[u8]) -> Self {
        let length = (text.len() as u64) << LENGTH_SHIFT;
        match text.len() {
            0 => Self([0, length]),
            count @ 1..4 => {
                // The first, the middle and the last byte, some of which may be the same.
                let at = |place: usize| u64::from(text[place]) << (8 * place);
                Self([at(0) | at(count / 2) | at(count - 1), length])
            }
            count @ 4..8 => {
                // The last four bytes have the same in common with the first four as their places.
                Self([four(text) | four(&text[count - 4..]) << (8 * (count - 4)), length])
            }
            8 => Self([eight(text), length]),
            count @ 9..=LONGEST_WHOLE => {
                // The last eight bytes without those that are among the first.
                let others = eight(&text[count - 8..]) >> (8 * (16 - count));
                Self([eight(text), others | length])
            }
            _ => {
                let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
                hasher.write(text);
                Self([hasher.finish(), u64::MAX])
            }
        }
    }

    /// The digest of a text as most are: ASCII, and short enough to be its digest, but not empty.
    #[inline]
    fn of_plain(text: &[u8]) -> Option<Self> {
        const TOP: u64 = u64::from_ne_bytes([0x80; 8]);
        if !(1..=LONGEST_WHOLE).contains(&text.len()) {
            return None;
        }
        let digest = Self::of(text);
        let is_ascii = (digest.0[0] | digest.0[1]) & TOP == 0;
        is_ascii.then_some(digest)
    }

    /// Whether no other text has the same.
    #[inline]
    fn is_whole(self) -> bool {
        self.0[1] >> LENGTH_SHIFT <= LONGEST_WHOLE as u64
    }

    /// The text, if it is the digest.
    fn whole(self) -> Option<Whole> {
        self.is_whole().then(|| {
            let [first, second] = self.0.map(u64::to_le_bytes);
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&first);
            bytes[8..].copy_from_slice(&second);
            Whole { bytes, length: usize::from(second[7]) }
        })
    }

    /// The number that the text is, if it is one.
    #[inline]
    fn number(self) -> Option<PlainNumber> {
        let Self([one, other]) = self;
        let (first, length) = (one as u8, (other >> LENGTH_SHIFT) as usize);
        let begins = first.is_ascii_digit() && (first != b'0' || length == 1);
        match length {
            1..=8 if begins => swar::up_to_eight(one, length).map(PlainNumber),
            9..=LONGEST_WHOLE if begins => {
                let (high, low) = (swar::up_to_eight(one, 8)?, swar::up_to_eight(other, length - 8)?);
                Some(PlainNumber(high * POWERS[length - 8] + low))
            }
            _ => None,
        }
    }
}

impl Hashed for Digest {
    #[inline]
    fn hash(self) -> usize {
        let Self([one, other]) = self;
        mixed(one ^ 0x9E37_79B9_7F4A_7C15, other ^ 0xD6E8_FEB8_6659_FD93)
    }
}

impl Hashed for PlainNumber {
    #[inline]
    fn hash(self) -> usize {
        mixed(self.0 ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93)
    }
}

#[inline]
fn mixed(one: u64, other: u64) -> usize {
    let product = u128::from(one) * u128::from(other);
    ((product as u64) ^ ((product >> 64) as u64)) as usize
}

/// The powers of ten that digits behind the first eight are worth.
const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// A text that was a digest.
struct Whole {
    bytes: [u8; 16],
    length: usize,
}

impl Whole {
    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).expect("digests are made of texts")
    }
}

#[inline]
fn four(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)))
}

#[inline]
fn eight(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Zero bytes, common beginnings and ends, and lengths around those of words.
    fn texts() -> Vec<String> {
        let mut texts = vec![String::new(), "é".repeat(4), "é".repeat(7)];
        for length in 1..40 {
            for place in 0..length {
                for byte in ['\0', 'a', '\u{7f}'] {
                    let mut text = vec!['a'; length];
                    text[place] = byte;
                    texts.push(text.into_iter().collect());
                }
            }
        }
        texts.extend(numerals());
        texts
    }

    /// Numbers of all lengths, and what is none but looks like one.
    fn numerals() -> Vec<String> {
        let numbers = (0..19).flat_map(|power| {
            let power = 10_i64.pow(power);
            [power - 1, power, power + 7, power.saturating_mul(3)]
        });
        let written = |number: i64| {
            let plain = number.to_string();
            [
                format!("0{plain}"),
                format!("-{plain}"),
                format!("{plain} "),
                format!("{plain}/"),
                format!(":{plain}"),
                plain,
            ]
        };
        numbers.flat_map(written).collect()
    }

    #[test]
    fn texts_of_all_lengths_are_told_apart() {
        let texts = texts();
        let (mut one_by_one, mut many) = (<Dictionary>::default(), <Dictionary>::default());
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut later = Texts::default();
        let mut expected = Vec::new();
        for text in texts.iter().chain(&texts) {
            let next = known.len() as u32;
            expected.push(*known.entry(text).or_insert(next));
            assert_eq!(Some(one_by_one.intern(text)), expected.last().copied(), "{text:?}");
            later.push(text);
        }
        let mut found = Vec::new();
        later.number(&mut many, |code| found.push(code));
        assert_eq!(found, expected);
        assert_eq!(many.texts(), one_by_one.texts());
        let texts = many.into_texts();
        assert_eq!(texts.len(), known.len());
        assert!(known.iter().all(|(text, code)| *texts[*code as usize] == **text));
    }

    /// Numbers that are counted up, up and down, far apart, and first near each other and then not.
    #[test]
    fn numbers_near_each_other_are_found_as_others_are() {
        fn mixed(number: u64) -> u64 {
            (number * 2_654_435_761) % 20_011
        }
        fn far(number: u64) -> u64 {
            mixed(number) * 40_000_000_007 % PlainNumber::END
        }
        type Sequence = fn(u64) -> u64;
        let sequences: [(&str, Sequence); 7] = [
            ("up", |at| at / 3),
            ("down", |at| 1_000_000 - at),
            ("both ways", |at| if at % 2 == 0 { 500_000 + at } else { 500_000 - at }),
            ("in any order", |at| 1_000_000_000 + mixed(at)),
            ("far apart", far),
            ("first near", |at| if at < 9_000 { mixed(at) } else { far(at) }),
            ("first far", |at| if at < 3_000 { far(at) } else { mixed(at) }),
        ];
        let mut are_listed = Vec::new();
        for (name, sequence) in sequences {
            let mut numbers = Numbers::default();
            let mut known: HashMap<u64, u32> = HashMap::new();
            for number in (0..30_000).map(sequence) {
                let next = known.len() as u32;
                let expected = *known.entry(number).or_insert(next);
                numbers.look(&[PlainNumber(number), PlainNumber(number ^ 1)]);
                let found = numbers.find(PlainNumber(number));
                assert_eq!(found, (expected != next).then_some(expected), "{name}: {number}");
                if found.is_none() {
                    numbers.insert(PlainNumber(number), expected);
                }
            }
            assert!(known.iter().all(|(&number, &code)| numbers.find(PlainNumber(number)) == Some(code)), "{name}");
            assert!(numbers.find(PlainNumber(PlainNumber::END - 1)).is_none(), "{name}");
            assert!(numbers.list.len() <= 8 * known.len(), "{name}");
            are_listed.push(!numbers.list.is_empty());
        }
        assert_eq!(are_listed, [true, true, true, true, false, true, false]);
    }

    #[test]
    fn plain_texts_have_the_numbers_of_others() {
        let (mut plainly, mut otherwise) = (Texts::default(), Texts::default());
        let (mut dictionary, mut plain) = (<Dictionary>::default(), <Dictionary>::default());
        for text in texts() {
            let is_plain = plainly.push_plain(text.as_bytes());
            assert_eq!(is_plain, (1..=LONGEST_WHOLE).contains(&text.len()) && text.is_ascii(), "{text:?}");
            assert_eq!(plain.intern_plain(text.as_bytes()), is_plain.then(|| dictionary.intern(&text)), "{text:?}");
            if is_plain {
                otherwise.push(&text);
            }
        }
        assert!(!plainly.push_plain(b"\xff") && plain.intern_plain(b"\xc3\x28").is_none());
        assert_eq!((plainly.numbers, plainly.digests), (otherwise.numbers, otherwise.digests));
    }

    #[test]
    fn numbers_are_known_by_what_they_are() {
        for text in numerals() {
            let number = text.parse::<u64>().ok().filter(|number| text.len() <= 15 && number.to_string() == text);
            assert_eq!(Digest::of(text.as_bytes()).number(), number.map(PlainNumber), "{text:?}");
            if let Some(number) = number {
                assert_eq!(Written::new(number).as_str(), text);
            }
        }
    }

    /// Numbers before the first other text, behind it, and as integers, are the same texts.
    #[test]
    fn numbers_among_other_texts_keep_their_place() {
        let all = ["7", "42", "7", "a", "42", "0042", "7"];
        for len in 0..=all.len() {
            let (mut texts, mut dictionary) = (Texts::default(), <Dictionary>::default());
            assert_eq!(dictionary.intern("42"), 0);
            for text in &all[..len] {
                match text.parse() {
                    Ok(int) if !text.starts_with('0') => texts.push_int(int),
                    _ => texts.push(text),
                }
            }
            assert_eq!(texts.len(), len);
            let mut found = Vec::new();
            texts.number(&mut dictionary, |code| found.push(code));
            assert_eq!(found, [1, 0, 1, 2, 0, 3, 1][..len]);
        }
    }

    #[test]
    fn integers_are_texts_as_they_are_written() {
        let mut texts = Texts::default();
        let mut expected = Texts::default();
        let ints = (0..19).flat_map(|power| [10_i64.pow(power) - 1, 10_i64.pow(power), 7 * 10_i64.pow(power % 18)]);
        let ints: Vec<i64> = ints.flat_map(|int| [int, -int]).chain([i64::MIN, i64::MAX, 0, 5, 42, -42]).collect();
        for &int in &ints {
            texts.push_int(int);
            expected.push(&int.to_string());
        }
        let all = |texts: Texts| (texts.numbers, texts.digests, texts.long, texts.ends);
        assert_eq!(all(texts), all(expected));
    }

    #[test]
    fn texts_that_were_dropped_are_gone() {
        let all = ["1", "a", "a text that is longer", "2", "another one of many bytes", "c"];
        for len in 0..=all.len() {
            let (mut texts, mut expected) = (Texts::default(), Texts::default());
            all.iter().for_each(|text| texts.push(text));
            texts.truncate(len);
            all[..len].iter().for_each(|text| expected.push(text));
            // Those that were spelled out stay so.
            if !texts.digests.is_empty() && expected.digests.is_empty() {
                expected.spell_out();
            }
            assert_eq!((texts.digests, texts.long, texts.ends), (expected.digests, expected.long, expected.ends));
        }
    }

    #[test]
    fn only_short_texts_are_their_digests() {
        assert!(Digest::of(b"").is_whole() && Digest::of(&[0xFF; 15]).is_whole());
        assert!(!Digest::of(&[b'a'; 16]).is_whole());
    }
}
