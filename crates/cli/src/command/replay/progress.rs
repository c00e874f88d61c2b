//! How far it is, for who waits at a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::show::counted;

/// Nobody wants to be told about what takes no time.
const PATIENCE: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(100);
/// How many records there are between two looks at the clock.
const STRIDE: u64 = 256;

pub(super) struct Progress {
    done: u64,
    all: u64,
    /// When to say something next; none if nobody listens.
    next: Option<Instant>,
    said: bool,
}

impl Progress {
    /// Beside a list on the same terminal it would only be in the way.
    pub(super) fn new(all: u64, listing: bool) -> Self {
        let listens = io::stderr().is_terminal() && !(listing && io::stdout().is_terminal());
        Self { done: 0, all, next: listens.then(|| Instant::now() + PATIENCE), said: false }
    }

    pub(super) fn step(&mut self) {
        self.done += 1;
        let due = self.done.is_multiple_of(STRIDE) && self.next.is_some_and(|next| Instant::now() >= next);
        if due {
            let _ = write!(io::stderr(), "\rreplaying… {} of {}", counted(self.done), counted(self.all));
            self.next = Some(Instant::now() + EVERY);
            self.said = true;
        }
    }
}

/// Leaves no trace.
impl Drop for Progress {
    fn drop(&mut self) {
        if self.said {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
