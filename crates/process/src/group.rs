//! The process group of a program.

#[cfg(unix)]
#[path = "group/unix.rs"]
mod system;
#[cfg(not(unix))]
#[path = "group/none.rs"]
mod system;

use std::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tollgate_core::{Fault, FaultKind};

use system::Members;
pub use system::end_all;

/// The longest nap between two looks at whether a program has ended: one that holds its pipes open may not tell.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// How long to sleep before the next look: most programs end soon, and who waits for the others must not be busy.
pub(crate) struct Naps(Duration);

impl Default for Naps {
    fn default() -> Self {
        Self(Duration::from_micros(50))
    }
}

impl Naps {
    pub(crate) fn next(&mut self) -> Duration {
        let nap = self.0;
        self.0 = (nap * 2).min(TICK);
        nap
    }
}

/// A program that runs, and all that it starts. Dropped, all of it is killed.
///
/// What leaves the group on purpose (`setsid`) is not in it any more.
///
/// ```
/// use std::io::{Read, Write};
/// use std::process::{Command, Stdio};
/// use std::time::Duration;
/// use tollgate_process::Group;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A server over pipes, with something in the background that would outlive it.
/// let mut command = Command::new("/bin/sh");
/// command.args(["-c", "sleep 600 & read line; echo \"got $line\"; exec >&-; wait"]);
/// let mut server = Group::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
/// server.stdin().ok_or("stdin is piped")?.write_all(b"hello\n")?;
///
/// let mut said = [0; 9];
/// server.stdout().ok_or("stdout is piped")?.read_exact(&mut said)?;
/// assert_eq!(&said, b"got hello");
///
/// // It does not end by itself, so it is ended, and `sleep` with it.
/// assert_eq!(server.wait(Duration::from_millis(20)), None);
/// server.kill();
/// assert_eq!(server.wait(Duration::from_secs(60)).and_then(|exit| exit.signal), Some(9));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Group(Members);

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The exit status; none where a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Group {
    /// Starts a program in a group of its own.
    ///
    /// Its pipes, folder and environment are the command's business: one that must not see our variables says
    /// `env_clear`.
    pub fn start(command: &mut Command) -> Result<Self, Fault> {
        let missing = |what: String| Fault::new(FaultKind::Missing, what);
        if let Some(folder) = command.get_current_dir().filter(|folder| folder.metadata().is_err()) {
            return Err(missing(format!("its folder `{}` is not there", folder.display())));
        }
        let started = Members::start(command);
        started.map(Self).map_err(|error| {
            let program = command.get_program().to_string_lossy();
            missing(format!("`{program}` could not be started: {error}"))
        })
    }

    /// Where it reads, the first time this is asked, if the command said `Stdio::piped()`.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.0.child.stdin.take()
    }

    /// What it says, the first time this is asked, if the command said `Stdio::piped()`.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.0.child.stdout.take()
    }

    /// What it says on standard error, the first time this is asked, if the command said `Stdio::piped()`.
    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.0.child.stderr.take()
    }

    /// Kills the program and all that it started.
    pub fn kill(&self) {
        self.0.kill();
    }

    /// How the program ended; none if it has not within this time. What it started may still run: [`kill`](Self::kill)
    /// reaches that also afterwards.
    pub fn wait(&self, within: Duration) -> Option<Exit> {
        let started = Instant::now();
        let mut naps = Naps::default();
        loop {
            if let Some(exit) = self.0.exit() {
                return Some(exit);
            }
            let left = within.checked_sub(started.elapsed()).filter(|left| !left.is_zero())?;
            sleep(naps.next().min(left));
        }
    }

    /// Waits for the end of the program, without an end if need be, and lets what it started go on.
    pub fn leave(self) -> Result<Exit, Fault> {
        self.0.leave().map_err(|error| Fault::new(FaultKind::Crash, format!("its end was lost: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn naps_grow_until_they_are_long_enough() {
        let mut naps = Naps::default();
        let taken: Vec<u128> = (0..10).map(|_| naps.next().as_micros()).collect();
        assert_eq!(taken, [50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    }
}
