//! `tollgate log`.

use std::process::ExitCode;

use clap::Args as Group;

use super::Done;
use crate::args::{Json, Policy};
use crate::output::Paint;

#[derive(Debug, Group)]
pub(crate) struct Log {
    #[command(flatten)]
    json: Json,
}

impl Log {
    pub(crate) fn json(&self) -> bool {
        self.json.json
    }
}

pub(crate) fn run(_policy: &Policy, _log: &Log, _paint: Paint) -> Done {
    Ok(ExitCode::SUCCESS)
}
