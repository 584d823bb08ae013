//! What engines held, step by step.

use super::{BOLD, DIM};
use std::io::{self, Write};
use traceward::message::Shown;
use traceward::report::{Conclusion, Stage, Walkthrough, WalkthroughStep};

/// The room for the name of a stage.
const NAME: usize = 11;

pub(super) fn write_walkthrough(out: &mut impl Write, engine: &str, walkthrough: &Walkthrough) -> io::Result<()> {
    let Walkthrough { automaton, steps } = walkthrough;
    writeln!(out, "    {BOLD}step by step{BOLD:#}, by {engine}")?;
    let automaton = automaton.iter().flat_map(|text| text.trim_end().lines());
    automaton.into_iter().try_for_each(|line| writeln!(out, "      {DIM}{}{DIM:#}", Shown(line)))?;
    steps.iter().try_for_each(|step| write_step(out, step))
}

fn write_step(out: &mut impl Write, step: &WalkthroughStep) -> io::Result<()> {
    let WalkthroughStep { state, stages, conclusion } = step;
    let state = state.as_ref().map_or_else(|| "the whole trace".to_owned(), ToString::to_string);
    writeln!(out, "    {BOLD}{}{BOLD:#}  {}", Shown(&state), conclusion_text(*conclusion))?;
    stages.iter().try_for_each(|stage| write_stage(out, stage))
}

fn conclusion_text(conclusion: Conclusion) -> String {
    match conclusion {
        Conclusion::SoFar(verdict) => verdict.to_string(),
        Conclusion::Here(true) => "holds".to_owned(),
        Conclusion::Here(false) => "does not hold".to_owned(),
    }
}

fn write_stage(out: &mut impl Write, Stage { name, content }: &Stage) -> io::Result<()> {
    let content = content.to_string();
    for (index, line) in content.lines().enumerate() {
        let head = if index == 0 { name } else { "" };
        writeln!(out, "      {head:<NAME$} {}", Shown(line))?;
    }
    Ok(())
}
