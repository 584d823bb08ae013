//! `traceward query`

use super::check;
use crate::arguments::CheckArguments;
use crate::failure::{Failure, Outcome};
use std::io::Write;
use traceward::Goal;

pub fn run(arguments: &CheckArguments, out: &mut impl Write) -> Result<Outcome, Failure> {
    check::answer(arguments, Goal::Query, out)
}
