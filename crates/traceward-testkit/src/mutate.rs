//! Inputs that are nearly right: pieces of good ones, broken in the ways that inputs break.
//!
//! A run is its seed and nothing else, so a failure is repeated by naming the seed.

/// The longest input that is made, in bytes.
const LONGEST: usize = 1 << 16;

/// Pieces that break readers of any kind of text.
const HOSTILE: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\xe2\x82",
    b"\xef\xbb\xbf",
    b"\xc3\xa9",
    b"\x1b[31m",
    b"\r",
    b"\n",
    b"\r\n",
    b"\n\r\n\n",
    b"\"",
    b"\"\"",
    b"'",
    b"`",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b",",
    b";",
    b"\t",
    b" ",
    b"|",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b":",
    b"-",
    b"-0",
    b"0x10",
    b"1_000",
    b"+1",
    b".5",
    b"1e400",
    b"-1e400",
    b"1e-400",
    b"NaN",
    b"inf",
    b"null",
    b"true",
    b"False",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775808",
    b"99999999999999999999999999",
    b"2024-02-30T25:61:61Z",
    b"{\"x\":",
    b"//",
    b"#",
];

/// Pieces that are repeated to make nesting deep and lines long.
const REPEATED: &[&[u8]] = &[b"[", b"{\"x\":", b"(", b"!", b"G ", b"a", b"9", b",", b"\"", b"\n", b"\r", b"a & ", b"-"];

/// A source of numbers that its seed determines.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of a seed.
    pub fn of_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number: SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// One of several.
    pub fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// Makes inputs out of good ones.
#[derive(Clone, Debug)]
pub struct Mutator {
    good: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// A mutator of these inputs, which also inserts these words.
    pub fn new<T: AsRef<[u8]>>(good: &[T], words: &[&str]) -> Self {
        let words = words.iter().map(|word| word.as_bytes().to_vec());
        Self { good: good.iter().map(|one| one.as_ref().to_vec()).collect(), words: words.collect() }
    }

    /// An input: one of the good ones, changed a few times or not at all.
    pub fn input(&self, numbers: &mut Numbers) -> Vec<u8> {
        let mut input = numbers.one_of(&self.good).clone();
        for _ in 0..numbers.below(5) {
            self.change(&mut input, numbers);
            input.truncate(LONGEST);
        }
        input
    }

    fn change(&self, input: &mut Vec<u8>, numbers: &mut Numbers) {
        let place = numbers.below(input.len() + 1);
        let end = (place + numbers.below(40)).min(input.len());
        match numbers.below(10) {
            0 => flip(input, place, numbers),
            1 => drop(input.drain(place..end)),
            2 => repeat(input, place..end, numbers),
            3 => put(input, place..place, numbers.one_of(HOSTILE)),
            4 => put(input, place..end, numbers.one_of(HOSTILE)),
            5 => put(input, place..place, numbers.one_of(&self.words)),
            6 => self.splice(input, place, numbers),
            7 => input.truncate(place),
            8 => put(input, place..place, many(numbers)),
            _ => change_line_ends(input, numbers),
        }
    }

    /// The rest of another input takes the place of this one's.
    fn splice(&self, input: &mut Vec<u8>, place: usize, numbers: &mut Numbers) {
        let other = numbers.one_of(&self.good);
        input.truncate(place);
        input.extend_from_slice(&other[numbers.below(other.len())..]);
    }
}

fn flip(input: &mut [u8], place: usize, numbers: &mut Numbers) {
    if let Some(byte) = input.get_mut(place) {
        *byte ^= 1 << numbers.below(8);
    }
}

fn repeat(input: &mut Vec<u8>, range: std::ops::Range<usize>, numbers: &mut Numbers) {
    let again = input[range.clone()].repeat(1 + numbers.below(20));
    put(input, range, &again);
}

/// A piece so many times that something gets long or deep.
fn many(numbers: &mut Numbers) -> Vec<u8> {
    let piece = numbers.one_of(REPEATED);
    piece.repeat(*numbers.one_of(&[3, 300, 3000]))
}

fn put(input: &mut Vec<u8>, range: std::ops::Range<usize>, piece: impl AsRef<[u8]>) {
    input.splice(range, piece.as_ref().iter().copied());
}

/// Some of the line ends become others.
fn change_line_ends(input: &mut Vec<u8>, numbers: &mut Numbers) {
    let ends: [&[u8]; 4] = [b"\n", b"\r\n", b"\r", b"\n\n"];
    let mut changed = Vec::with_capacity(input.len());
    for &byte in input.iter() {
        match byte {
            b'\n' => changed.extend_from_slice(ends[numbers.below(ends.len())]),
            other => changed.push(other),
        }
    }
    *input = changed;
}
