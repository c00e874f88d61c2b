//! Where process groups are not what we know.

use std::io;
use std::process::{Child, Command};

use super::Exit;

/// Kills all programs that run, with all that they started.
pub fn end_all() {}

#[derive(Debug)]
pub(super) struct Members {
    pub(super) child: Child,
}

impl Members {
    pub(super) fn start(_: &mut Command) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "programs cannot be ended as a whole on this system yet"))
    }

    pub(super) fn kill(&self) {}

    pub(super) fn exit(&self) -> Option<Exit> {
        None
    }

    pub(super) fn leave(self) -> io::Result<Exit> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
