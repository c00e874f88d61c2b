//! `tollgate replay`.

use std::process::ExitCode;

use clap::Args as Group;

use super::Done;
use crate::args::{Json, Policy};
use crate::output::Paint;

#[derive(Debug, Group)]
pub(crate) struct Replay {
    #[command(flatten)]
    pub json: Json,
}

pub(crate) fn run(_policy: &Policy, _replay: &Replay, _paint: Paint) -> Done {
    Ok(ExitCode::SUCCESS)
}
