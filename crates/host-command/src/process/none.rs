//! Where process groups are not what we know.

use std::sync::Mutex;

use tollgate_core::{Fault, FaultKind};

use super::{Ended, Job, State};

pub(super) struct Group;

impl Group {
    pub(super) fn kill(&self) {}
}

/// Kills all programs that run, with all that they started.
pub fn end_all() {}

pub(super) fn run(_: Job, _: &Mutex<State>) -> Result<Ended, Fault> {
    Err(Fault::new(FaultKind::Missing, "programs cannot be run as hooks on this system yet"))
}
