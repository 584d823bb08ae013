//! Runs as bytes.

use super::join::JoinRun;
use super::lagging::LaggingRun;
use super::plan::Kind;
use super::scan::ScanRun;
use super::times::Times;
use super::watch::WatchRun;
use super::{PartRun, Run, Streaming};
use crate::engine::follow::Follow;
use crate::saved::{Reader, RestoreError, Writer};

pub(super) fn save(engine: &Streaming, run: &Run, to: &mut Writer) {
    to.number(run.states);
    to.number(run.clock.cast_unsigned());
    to.tag(match run.decided {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    });
    to.size(run.peak);
    run.past.save(to);
    run.ended.iter().for_each(|ended| to.bit(*ended));
    run.times.save(to);
    let watches = engine.watches.iter().zip(&run.watches);
    watches.for_each(|(watch, watching)| watching.save(watch, run.states, to));
    for part in &run.parts {
        match part {
            PartRun::Scan(part) => part.save(run.states, to),
            PartRun::Join(run) => run.save(to),
            PartRun::Lagging(run) => run.save(to),
        }
    }
}

pub(super) fn restore(engine: &Streaming, from: &mut Reader<'_>) -> Result<Run, RestoreError> {
    let mut run = engine.start().map_err(|_| RestoreError::Damaged)?;
    run.states = from.number()?;
    run.clock = from.number()?.cast_signed();
    run.decided = match from.tag()? {
        0 => None,
        1 => Some(false),
        2 => Some(true),
        _ => return Err(RestoreError::Damaged),
    };
    run.peak = from.number()? as usize;
    run.past = engine.past.restore(from)?;
    if run.past.position() != run.states {
        return Err(RestoreError::Damaged);
    }
    for ended in &mut run.ended {
        *ended = from.bit()?;
    }
    run.times = Times::restore(from, run.states)?;
    for (watch, watching) in engine.watches.iter().zip(&mut run.watches) {
        *watching = WatchRun::restore(watch, from, run.states)?;
    }
    for (part, compiled) in run.parts.iter_mut().zip(&engine.parts) {
        *part = match &compiled.kind {
            Kind::Scan(_) => PartRun::Scan(ScanRun::restore(from, run.states)?),
            Kind::Join(join) => PartRun::Join(JoinRun::restore(join, from, run.states)?),
            Kind::Lagging(lagging) => PartRun::Lagging(LaggingRun::restore(lagging, from, run.states)?),
        };
    }
    Ok(run)
}
