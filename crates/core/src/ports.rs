use std::fmt;
use std::task::Waker;
use std::time::Duration;

/// Time, as the pipeline needs it. Core has no clock of its own: whoever runs it brings one.
pub trait Clock: Send + Sync {
    /// Time since some fixed moment; never goes back.
    fn now(&self) -> Duration;

    /// Time since 1970.
    fn wall(&self) -> Duration;

    /// Wakes a task at a moment of [`now`](Self::now), so that an interceptor that waits too long can be
    /// dropped. A clock that cannot do this enforces no time limits.
    fn wake_at(&self, moment: Duration, waker: &Waker);
}

/// What identifies one exact call: SHA-256 over its canonical form.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
