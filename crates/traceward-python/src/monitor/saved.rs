//! Monitors of keys as bytes, with the ends that nobody has been told of yet.
//!
//! Where there are none, the bytes are those of the library.

use super::change::{Noted, OfKey};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use traceward::{KeyedMonitor, RestoreError, Verdict};

/// The bytes before a length, the ends as JSON, and the monitor.
const MARK: &[u8] = b"ends untold\n";

/// A trace that has ended by silence, of which nobody has been told: what it made final.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Untold {
    property: usize,
    is_satisfied: bool,
    gave_up: bool,
    position: u64,
    key: String,
    trace: u32,
}

impl Untold {
    fn of(noted: &Noted) -> Option<Self> {
        let OfKey { key, number, .. } = noted.of_key.as_ref()?;
        Some(Self {
            property: noted.id.index(),
            is_satisfied: noted.verdict == Verdict::Satisfied,
            gave_up: noted.gave_up,
            position: noted.position,
            key: key.to_string(),
            trace: *number,
        })
    }

    fn noted(self, monitor: &KeyedMonitor) -> Result<Noted, RestoreError> {
        let id = monitor.property_ids().nth(self.property).ok_or(RestoreError::Damaged)?;
        let of_key = OfKey { key: Arc::from(self.key), number: self.trace, ended: Some("silence") };
        Ok(Noted {
            id,
            verdict: Verdict::at_end(self.is_satisfied),
            position: self.position,
            gave_up: self.gave_up,
            decision: None,
            of_key: Some(of_key),
        })
    }
}

/// The bytes of a monitor with what is still to be told.
pub fn joined(untold: &[Noted], monitor: Vec<u8>) -> Result<Vec<u8>, serde_json::Error> {
    if untold.is_empty() {
        return Ok(monitor);
    }
    let ends = serde_json::to_vec(&untold.iter().filter_map(Untold::of).collect::<Vec<_>>())?;
    Ok([MARK, &(ends.len() as u64).to_le_bytes(), &ends, &monitor].concat())
}

/// The bytes of a monitor, and of what is still to be told.
pub fn parted(bytes: &[u8]) -> Result<(&[u8], &[u8]), RestoreError> {
    let Some(rest) = bytes.strip_prefix(MARK) else { return Ok((bytes, &[])) };
    let (length, rest) = rest.split_first_chunk().ok_or(RestoreError::Damaged)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| RestoreError::Damaged)?;
    let (ends, monitor) = rest.split_at_checked(length).ok_or(RestoreError::Damaged)?;
    Ok((monitor, ends))
}

/// What is still to be told.
pub fn untold(ends: &[u8], monitor: &KeyedMonitor) -> Result<Vec<Noted>, RestoreError> {
    if ends.is_empty() {
        return Ok(Vec::new());
    }
    let ends: Vec<Untold> = serde_json::from_slice(ends).map_err(|_| RestoreError::Damaged)?;
    ends.into_iter().map(|end| end.noted(monitor)).collect()
}
