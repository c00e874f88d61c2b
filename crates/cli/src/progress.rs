//! How far it is, for who waits at a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::output::thousands;

/// Nobody wants to be told about what takes no time.
const PATIENCE: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(100);

/// Says on standard error how far something is, if that is a terminal and it takes long. It leaves no trace there.
pub(crate) struct Progress {
    verb: &'static str,
    /// When to say something next; none if nobody listens.
    next: Option<Instant>,
    said: bool,
}

impl Progress {
    /// Something is being done: "replaying".
    pub(crate) fn new(verb: &'static str) -> Self {
        let listens = io::stderr().is_terminal();
        Self { verb, next: listens.then(|| Instant::now() + PATIENCE), said: false }
    }

    /// The same beside a list, which it would only be in the way of on one terminal.
    pub(crate) fn beside_list(verb: &'static str) -> Self {
        let mut progress = Self::new(verb);
        progress.next = progress.next.filter(|_| !io::stdout().is_terminal());
        progress
    }

    /// This much is done, of so much in all where that is known. `unit` says of what.
    pub(crate) fn at(&mut self, done: u64, all: Option<u64>, unit: &str) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        let all = all.map_or(String::new(), |all| format!(" of {}", thousands(all)));
        let _ = write!(io::stderr(), "\r\x1b[K{}… {}{all}{unit}", self.verb, thousands(done));
        (self.next, self.said) = (Some(now + EVERY), true);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.said {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
