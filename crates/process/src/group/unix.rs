//! Groups as the kernel knows them.

use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command};
use std::sync::Mutex;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::Exit;
use crate::lock;

/// All groups that run now.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Kills all programs that run, with all that they started. For whoever ends this process without waiting for them.
pub fn end_all() {
    for group in lock(&GROUPS).iter() {
        let _ = kill_process_group(*group, Signal::KILL);
    }
}

/// The processes of one program. Their number is theirs until the first of them is waited for.
#[derive(Debug)]
pub(super) struct Members {
    pub(super) child: Child,
    /// Nothing once the number may be somebody else's.
    group: Option<Pid>,
}

impl Members {
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let pid = Pid::from_child(&child);
        lock(&GROUPS).push(pid);
        Ok(Self { child, group: Some(pid) })
    }

    pub(super) fn kill(&self) {
        if let Some(group) = self.group {
            // That there is nobody left is fine.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// How the first of them ended, if it has; it stays there to be waited for.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.peek(WaitIdOptions::NOHANG)
    }

    /// Waits for the first of them. The number is given back only then: until it ends, `end_all` must know it.
    pub(super) fn leave(mut self) -> io::Result<Exit> {
        while self.peek(WaitIdOptions::empty()).is_none() {}
        self.reap()
    }

    fn peek(&self, options: WaitIdOptions) -> Option<Exit> {
        let group = self.group?;
        match waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | options) {
            Ok(status) => status.map(|status| Exit { code: status.exit_status(), signal: status.terminating_signal() }),
            Err(rustix::io::Errno::INTR) => None,
            // There is nothing to wait for.
            Err(_) => Some(Exit { code: None, signal: None }),
        }
    }

    fn reap(&mut self) -> io::Result<Exit> {
        if let Some(group) = self.group.take() {
            lock(&GROUPS).retain(|pid| *pid != group);
        }
        let status = self.child.wait()?;
        Ok(Exit { code: status.code(), signal: status.signal() })
    }
}

impl Drop for Members {
    fn drop(&mut self) {
        if self.group.is_some() {
            self.kill();
            let _ = self.reap();
        }
    }
}
