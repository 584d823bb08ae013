//! Properties to begin with: what seems to hold in an input, and how far it does.
//!
//! Which columns name events and cases is only known when all of the input has been seen, and it
//! may not be read twice. So the values of each column are kept as numbers, of at most
//! [`MOST_CELLS`] cells: 16 MiB, and 32 MiB more where all of them are dates. Of a longer input the
//! first records are kept, and shares are of those.

use super::{ColumnKind, Profile, TimeGuess, words};
use crate::options::{ReadOptions, TimeColumn};
use rustc_hash::{FxHashMap, FxHashSet};
use traceward_logic::value::Value;

/// The number of cells that are kept of all columns together.
pub(super) const MOST_CELLS: usize = 4 << 20;

/// The number of suggestions.
const MOST_SUGGESTIONS: usize = 3;

/// The number of different events that are looked at in pairs.
const MOST_EVENTS: usize = 100;

/// The number of columns of booleans that are looked at in pairs.
const MOST_BOOLEANS: usize = 16;

/// The code of a cell without a value.
const MISSING: u32 = u32::MAX;

/// A property that makes sense for an input.
#[derive(Clone, PartialEq, Debug)]
pub struct Suggestion {
    /// What it says.
    pub claim: Claim,
    /// The column that splits the trace, if it is to be split.
    pub key: Option<String>,
    /// The column of timestamps, if there is one that can be used as it is.
    pub time: Option<TimeColumn>,
    /// What the numbers count.
    pub counted: Counted,
    /// The number of keys or states of which the claim says something.
    pub asked: u64,
    /// The number of those for which it holds.
    pub holds: u64,
    /// The number of states that were looked at, if it is not all of them.
    pub looked_at: Option<u64>,
}

/// What a suggested property says.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    /// An event is followed by another.
    Follows {
        /// The column that names events.
        column: String,
        /// The event.
        first: String,
        /// The event that follows.
        then: String,
    },
    /// Where one boolean is true, another is true then or later.
    Answered {
        /// The column of the one.
        first: String,
        /// The column of the other.
        then: String,
    },
    /// A boolean that is true becomes false again.
    Ends {
        /// Its column.
        column: String,
    },
    /// A number never decreases.
    NeverDecreases {
        /// Its column.
        column: String,
    },
    /// A number is never below a value.
    AtLeast {
        /// Its column.
        column: String,
        /// The value.
        least: Value,
    },
}

/// What the numbers of a suggestion count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Keys in which the claim says something: in how many of them it holds.
    Keys,
    /// States of which the claim says something: at how many of them it holds.
    States,
}

/// The values of a column in the records that are kept, as numbers.
#[derive(Default)]
pub(super) struct Codes(Vec<u32>);

impl Codes {
    /// Keeps the value of a record; records in between have none.
    pub(super) fn keep(&mut self, record: usize, code: u32) {
        self.0.resize(record, MISSING);
        self.0.push(code);
    }

    fn get(&self, record: usize) -> Option<u32> {
        self.0.get(record).copied().filter(|&code| code != MISSING)
    }
}

/// An input that has been seen.
pub(super) struct Seen<'a> {
    columns: &'a [Profile],
    rows: u64,
    /// The number of records that are kept.
    kept: usize,
    options: &'a ReadOptions,
    /// Names that no option can use: those that two columns have, and those of objects.
    unclear: FxHashSet<&'a str>,
}

impl<'a> Seen<'a> {
    /// An input with these columns and so many records, of which the first ones are kept.
    pub(super) fn new(columns: &'a [Profile], rows: u64, kept: usize, options: &'a ReadOptions) -> Self {
        let mut names = FxHashSet::default();
        let mut unclear = FxHashSet::default();
        for column in columns {
            let name = column.name.as_str();
            unclear.extend(name.match_indices('.').map(|(dot, _)| &name[..dot]));
            unclear.extend((!names.insert(name)).then_some(name));
        }
        Self { columns, rows, kept, options, unclear }
    }

    /// The properties that make sense.
    pub(super) fn suggest(&self) -> Vec<Suggestion> {
        let found = self.about_events();
        let found = if found.is_empty() { self.about_booleans() } else { found };
        if found.is_empty() { self.about_numbers().into_iter().collect() } else { found }
    }

    /// Pairs of events, the one after the other.
    fn about_events(&self) -> Vec<Suggestion> {
        let Some(column) = self.event_column() else { return Vec::new() };
        let texts = column.texts();
        let pairs = self.pairs(texts.len(), |record, happens| {
            column.codes.get(record).into_iter().for_each(|code| happens(code as usize));
        });
        self.follow_ups(pairs, |first, then| Claim::Follows {
            column: column.name.clone(),
            first: texts[first].clone(),
            then: texts[then].clone(),
        })
    }

    /// Pairs of booleans, or one that comes to an end.
    fn about_booleans(&self) -> Vec<Suggestion> {
        let booleans: Vec<&Profile> = self.columns.iter().filter(|column| self.is_boolean(column)).collect();
        let booleans = &booleans[..booleans.len().min(MOST_BOOLEANS)];
        if let [only] = booleans {
            let pairs = self.pairs(2, |record, happens| {
                only.bit(record).into_iter().for_each(|bit| happens(usize::from(!bit)));
            });
            let claim = |first, _| (first == 0).then(|| Claim::Ends { column: only.name.clone() });
            return self.all_follow_ups(pairs, claim);
        }
        let pairs = self.pairs(booleans.len(), |record, happens| {
            let holding = (0..booleans.len()).filter(|&index| booleans[index].bit(record) == Some(true));
            holding.for_each(happens);
        });
        self.follow_ups(pairs, |first, then| Claim::Answered {
            first: booleans[first].name.clone(),
            then: booleans[then].name.clone(),
        })
    }

    /// A number that goes only up, or one that has a least value.
    fn about_numbers(&self) -> Option<Suggestion> {
        let numbers = self.columns.iter().filter(|column| self.is_number(column));
        let (up, others): (Vec<&Profile>, Vec<&Profile>) = numbers.partition(|column| column.ascending);
        let claim = match (up.first(), others.first()) {
            (Some(column), _) => Claim::NeverDecreases { column: column.name.clone() },
            (None, Some(column)) => {
                let (least, _) = column.range(column.kind())?;
                Claim::AtLeast { column: column.name.clone(), least }
            }
            (None, None) => return None,
        };
        let (asked, holds) = (self.rows, self.rows);
        Some(Suggestion { claim, key: None, time: None, counted: Counted::States, asked, holds, looked_at: None })
    }

    fn follow_ups(&self, pairs: Pairs, claim: impl Fn(usize, usize) -> Claim) -> Vec<Suggestion> {
        self.all_follow_ups(pairs, |first, then| Some(claim(first, then)))
    }

    /// Suggestions made of pairs; of each event only its best follower.
    fn all_follow_ups(&self, pairs: Pairs, claim: impl Fn(usize, usize) -> Option<Claim>) -> Vec<Suggestion> {
        let key = self.key_column();
        let time = self.time_column(key);
        let looked_at = ((self.kept as u64) < self.rows).then_some(self.kept as u64);
        let mut firsts: Vec<usize> = Vec::new();
        let mut found = Vec::new();
        for pair in pairs.frequent() {
            let Some(claim) = claim(pair.first, pair.then).filter(|_| !firsts.contains(&pair.first)) else { continue };
            firsts.push(pair.first);
            found.push(Suggestion {
                claim,
                key: key.map(|key| key.name.clone()),
                time: time.clone(),
                counted: pair.counted,
                asked: pair.asked,
                holds: pair.holds,
                looked_at,
            });
        }
        found.truncate(MOST_SUGGESTIONS);
        found
    }

    /// Counts what comes after what, in the records that are kept.
    fn pairs(&self, kinds: usize, events: impl Fn(usize, &mut dyn FnMut(usize))) -> Pairs {
        let key = self.key_column();
        let mut pairs = Pairs::new(kinds, key.is_some());
        for record in 0..self.kept {
            let case = match key {
                None => Some(0),
                Some(key) => key.codes.get(record),
            };
            if let Some(case) = case {
                let mut happening = Vec::new();
                events(record, &mut |kind| happening.push(kind));
                pairs.take(case, record as u32, happening);
            }
        }
        pairs
    }

    /// The column that splits the trace: the one that was named, or one that looks like it.
    fn key_column(&self) -> Option<&'a Profile> {
        let usable = self.columns.iter().filter(|column| self.is_usable(column) && column.is_kept);
        let mut fitting = usable.filter(|column| match &self.options.key {
            Some(key) => column.name == *key,
            None => column.looks_like_key(column.kind(), self.rows),
        });
        fitting.next()
    }

    /// The column that names events: texts, not many of them, and best with a name that says so.
    fn event_column(&self) -> Option<&'a Profile> {
        let key = self.key_column().map(|key| &key.name);
        let fitting = self.columns.iter().filter(|column| {
            let few = (2..=MOST_EVENTS).contains(&column.distinct.len());
            let is_text = column.kind() == ColumnKind::Text && column.is_always_string;
            let is_other =
                column.dates.holds() || Some(&column.name) == key || column.looks_like_key(ColumnKind::Text, self.rows);
            few && is_text && !is_other && column.present * 2 >= self.rows && self.is_usable(column)
        });
        // Of several that fit as well the first is taken.
        fitting.rev().max_by_key(|column| {
            let complete = if column.present == self.rows { 3 } else { 0 };
            sounds_like_event(&column.name) + complete
        })
    }

    /// The column of timestamps, if it can be used as it is: in order, and nowhere missing.
    fn time_column(&self, key: Option<&Profile>) -> Option<TimeColumn> {
        let usable = self.columns.iter().filter(|column| self.is_usable(column) && column.present == self.rows);
        usable.filter_map(|column| self.as_time(column, key)).next()
    }

    fn as_time(&self, column: &Profile, key: Option<&Profile>) -> Option<TimeColumn> {
        let unit = match column.guess_time(column.kind(), self.rows)? {
            TimeGuess::Numbers(Some(unit)) => Some(unit),
            TimeGuess::Numbers(None) => return None,
            TimeGuess::Dates(_) => {
                let ordered = column.dates.ascending || key.is_some_and(|key| self.ascends_within(column, key));
                if column.dates.is_unclear || !ordered {
                    return None;
                }
                None
            }
        };
        Some(TimeColumn::new(column.name.clone(), unit))
    }

    /// Whether dates are in order within each key.
    fn ascends_within(&self, column: &Profile, key: &Profile) -> bool {
        let moments = &column.dates.moments;
        if self.kept as u64 != self.rows || moments.len() != self.kept {
            return false;
        }
        let mut latest: FxHashMap<u32, i64> = FxHashMap::default();
        (0..self.kept).filter_map(|record| Some((key.codes.get(record)?, moments[record]))).all(|(key, moment)| {
            let before = latest.insert(key, moment);
            before.is_none_or(|before| before <= moment)
        })
    }

    fn is_boolean(&self, column: &Profile) -> bool {
        let bits = Some((Value::Int(0), Value::Int(1)));
        let kind = column.kind();
        let is_boolean = kind == ColumnKind::Bool || (kind == ColumnKind::Int && column.range(kind) == bits);
        is_boolean && column.present == self.rows && column.distinct.len() > 1 && self.can_be_written(column)
    }

    fn is_number(&self, column: &Profile) -> bool {
        let kind = column.kind();
        let is_number = matches!(kind, ColumnKind::Int | ColumnKind::Float) && column.is_never_string;
        let is_other = column.guess_time(kind, self.rows).is_some() || column.looks_like_key(kind, self.rows);
        let varies = column.distinct.len() > 1 && column.present == self.rows;
        is_number && !is_other && varies && self.can_be_written(column)
    }

    /// Whether a formula can name the column.
    fn can_be_written(&self, column: &Profile) -> bool {
        self.is_usable(column) && !column.name.contains('`')
    }

    /// Whether an option can name the column: no other has its name, and it is never an object.
    fn is_usable(&self, column: &Profile) -> bool {
        !column.name.is_empty() && column.is_utf8 && !self.unclear.contains(column.name.as_str())
    }
}

impl Profile {
    /// The different values, in order of their codes.
    fn texts(&self) -> Vec<String> {
        let mut texts: Vec<(u32, String)> =
            self.distinct.iter().map(|(text, code)| (*code, String::from_utf8_lossy(text).into_owned())).collect();
        texts.sort_unstable();
        texts.into_iter().map(|(_, text)| text).collect()
    }

    /// The boolean in a record.
    fn bit(&self, record: usize) -> Option<bool> {
        let code = self.codes.get(record)?;
        self.bits.get(code as usize).copied().flatten()
    }
}

/// How much a name sounds like that of a column of events; the last word counts most.
fn sounds_like_event(name: &str) -> u32 {
    let weight = |word: &String| match word.as_str() {
        "activity" | "event" | "action" => 3,
        "state" | "status" | "operation" | "op" | "command" => 2,
        "name" | "type" | "kind" => 1,
        _ => 0,
    };
    let weights: Vec<u32> = words(name).iter().map(weight).collect();
    let all: u32 = weights.iter().sum();
    if weights.last() == Some(&0) { all / 2 } else { all }
}

/// Events of one case, or of a trace that is not split.
#[derive(Default)]
struct Case {
    /// The events that have happened, each with its record.
    events: Vec<(usize, u32)>,
    /// The events of the record before.
    before: Vec<usize>,
}

impl Case {
    /// The events of the case, each with its last record.
    fn last(&self, kinds: usize) -> Vec<(usize, u32)> {
        let mut last = vec![None; kinds];
        self.events.iter().for_each(|&(kind, record)| last[kind] = Some(record));
        last.into_iter().enumerate().filter_map(|(kind, record)| Some((kind, record?))).collect()
    }
}

/// What comes after what.
struct Pairs {
    kinds: usize,
    is_split: bool,
    cases: FxHashMap<u32, Case>,
    /// For each pair, how often the second is in the record after the first.
    at_once: Vec<u64>,
}

/// How many keys or states speak of each event, and in how many of them another follows it.
struct Tally {
    asked: Vec<u64>,
    holds: Vec<u64>,
}

/// A pair of events, and how far the second follows the first.
struct Pair {
    first: usize,
    then: usize,
    counted: Counted,
    asked: u64,
    holds: u64,
    at_once: u64,
}

impl Pairs {
    fn new(kinds: usize, is_split: bool) -> Self {
        Self { kinds, is_split, cases: FxHashMap::default(), at_once: vec![0; kinds * kinds] }
    }

    /// Takes the events of the next record of a case.
    fn take(&mut self, case: u32, record: u32, happening: Vec<usize>) {
        let case = self.cases.entry(case).or_default();
        for &kind in &happening {
            for &before in case.before.iter().filter(|&&before| before != kind) {
                self.at_once[before * self.kinds + kind] += 1;
            }
            case.events.push((kind, record));
        }
        case.before = happening;
    }

    /// The pairs in which the second mostly follows the first, and often at once; the most frequent
    /// first.
    fn frequent(&self) -> Vec<Pair> {
        let (keys, states) = (self.by_key(), self.by_state());
        let pairs = (0..self.kinds * self.kinds).filter(|pair| pair / self.kinds != pair % self.kinds);
        let pairs = pairs.map(|pair| self.pair(pair, &keys, &states));
        let is_frequent = |pair: &Pair| {
            let often = pair.asked >= 2 && keys.asked[pair.first] * 10 >= self.cases.len() as u64;
            often && pair.holds * 5 >= pair.asked * 3 && pair.at_once * 4 >= states.asked[pair.first]
        };
        let mut pairs: Vec<Pair> = pairs.filter(is_frequent).collect();
        pairs.sort_by_key(|pair| (std::cmp::Reverse(pair.at_once), pair.first, pair.then));
        pairs
    }

    /// A pair, counted by keys; or by states where there are no keys, or where the event comes
    /// again and again in each of them.
    fn pair(&self, pair: usize, keys: &Tally, states: &Tally) -> Pair {
        let (first, then) = (pair / self.kinds, pair % self.kinds);
        let by_states = !self.is_split || states.asked[first] >= 5 * keys.asked[first];
        let (counted, tally) = if by_states { (Counted::States, states) } else { (Counted::Keys, keys) };
        Pair { first, then, counted, asked: tally.asked[first], holds: tally.holds[pair], at_once: self.at_once[pair] }
    }

    /// Counts keys: whether the second comes behind the last of the first.
    fn by_key(&self) -> Tally {
        self.tally(|_, last| last.to_vec())
    }

    /// Counts states: whether the second comes behind it, or with it.
    fn by_state(&self) -> Tally {
        self.tally(|case, _| case.events.clone())
    }

    fn tally(&self, asking: impl Fn(&Case, &[(usize, u32)]) -> Vec<(usize, u32)>) -> Tally {
        let mut tally = Tally { asked: vec![0; self.kinds], holds: vec![0; self.kinds * self.kinds] };
        for case in self.cases.values() {
            let last = case.last(self.kinds);
            tally.add(&asking(case, &last), &last, self.kinds);
        }
        tally
    }
}

impl Tally {
    /// Counts events that ask, and the last events that answer.
    fn add(&mut self, asking: &[(usize, u32)], last: &[(usize, u32)], kinds: usize) {
        for &(first, record) in asking {
            self.asked[first] += 1;
            for &(then, _) in last.iter().filter(|(_, later)| *later >= record) {
                self.holds[first * kinds + then] += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CsvReader, Profiles};
    use super::*;
    use crate::record::{Pump, RecordReader};
    use crate::source::Source;

    /// What is suggested, if so many cells are kept.
    fn suggestions(input: &str, cells: usize) -> Vec<Suggestion> {
        let options = ReadOptions::default();
        let mut pump = Pump::new(CsvReader::open(&options));
        let mut profiles = Profiles { cells_left: cells, ..Profiles::new(&options) };
        Source::open(input.as_bytes()).unwrap().drive(&mut pump, &mut profiles).unwrap();
        profiles.finish(&pump.reader.names(), Vec::new()).unwrap().suggestions
    }

    const LOG: &str = "case,when,event\n1,2026-01-02,a\n2,2026-01-01,a\n1,2026-01-03,b\n2,2026-01-04,c\n\
                       1,2026-01-05,c\n3,2026-01-01,a\n3,2026-01-01,b\n";

    #[test]
    fn shares_are_counted_by_key() {
        let found = suggestions(LOG, MOST_CELLS);
        let [first] = &found[..] else { panic!("{found:?}") };
        let follows = Claim::Follows { column: "event".to_owned(), first: "a".to_owned(), then: "b".to_owned() };
        assert_eq!((&first.claim, first.counted, first.asked, first.holds), (&follows, Counted::Keys, 3, 2));
        // The dates are in order within each key, if not in the file.
        assert_eq!((first.key.as_deref(), &first.time), (Some("case"), &Some(TimeColumn::new("when", None))));
        assert_eq!(first.looked_at, None);
    }

    #[test]
    fn of_long_inputs_the_first_records_are_looked_at() {
        let found = suggestions(LOG, 3 * 5 + 2);
        let [first] = &found[..] else { panic!("{found:?}") };
        // Among these, `c` follows in both keys.
        assert_eq!((first.asked, first.holds, first.looked_at), (2, 2, Some(5)));
    }

    #[test]
    fn an_event_that_comes_again_is_counted_by_states() {
        let log = format!("event\n{}a\n", "a\nb\n".repeat(9));
        let found = suggestions(&log, MOST_CELLS);
        let counts: Vec<_> = found.iter().map(|one| (one.counted, one.asked, one.holds)).collect();
        assert_eq!(counts, [(Counted::States, 10, 9), (Counted::States, 9, 9)]);
    }

    #[test]
    fn dates_that_are_out_of_order_are_not_named() {
        let found = suggestions(
            "case,when,event\n1,2026-01-02,a\n1,2026-01-01,b\n2,2026-01-01,a\n2,2026-01-02,b\n",
            MOST_CELLS,
        );
        assert_eq!(found.first().map(|one| (one.holds, one.time.clone())), Some((2, None)));
    }
}
