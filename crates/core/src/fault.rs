use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An interceptor that gave no opinion because something broke.
///
/// A fault is never taken for consent: [`OnFault`] says what becomes of the call.
///
/// ```
/// use tollgate_core::{Fault, FaultKind};
///
/// let fault = Fault::new(FaultKind::Timeout, "no answer within 15s");
/// assert_eq!(fault.to_string(), "timeout: no answer within 15s");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which way it broke.
    pub kind: FaultKind,
    /// What exactly happened, for a person.
    pub detail: Cow<'static, str>,
}

/// The ways an interceptor can break. They stay apart because each is mended differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It ran and failed: an error, an exit status, a signal.
    Crash,
    /// It panicked.
    Panic,
    /// It did not answer in time.
    Timeout,
    /// It answered something that makes no sense.
    Garbage,
    /// It could not be started at all.
    Missing,
    /// It produced more than it may.
    Flood,
    /// It would have to wait, and the caller cannot.
    Waits,
    /// The document it had to judge cannot be read.
    Unreadable,
}

/// What a fault does to the call. The one place that says fail-open or fail-closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFault {
    /// The call is refused. The default of edits and guards; a watcher with it must have seen the call, or
    /// the call does not happen ("no record, no action").
    Deny,
    /// The call goes on as if the interceptor were not there. Somebody wrote this down, and the trace shows it.
    Pass,
}

impl Fault {
    /// A fault of this kind.
    pub fn new(kind: FaultKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, detail: detail.into() }
    }

    /// An ordinary error of a handler.
    pub fn crash(error: impl fmt::Display) -> Self {
        Self::new(FaultKind::Crash, error.to_string())
    }

    /// Runs what may panic; a panic becomes a fault with the panic's message.
    pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, Self> {
        catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            // A payload may panic again when it is dropped; leaking that second one is the lesser evil.
            if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
                std::mem::forget(again);
            }
            Self::new(FaultKind::Panic, text.unwrap_or_else(|| "no message".to_owned()))
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", format!("{:?}", self.kind).to_lowercase(), self.detail)
    }
}

impl std::error::Error for Fault {}
