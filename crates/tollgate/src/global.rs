//! One gate for a whole process, for programs whose parts cannot be handed one.
//!
//! Prefer a [`Gate`] you pass along: a test can then have its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::gate::Gate;

static GATE: Mutex<Option<Gate>> = Mutex::new(None);

/// The process-wide gate, made now if there is none.
///
/// ```
/// let gate = tollgate::global::init();
/// gate.before_tool("seen").watch(|_, _, _| ())?;
/// assert_eq!(tollgate::global::init().ids(), ["seen"]);
/// # Ok::<(), tollgate::BadRegistration>(())
/// ```
pub fn init() -> Gate {
    gate().get_or_insert_with(Gate::new).clone()
}

/// The process-wide gate, if there is one.
pub fn get() -> Option<Gate> {
    gate().clone()
}

/// Forgets the process-wide gate. Whoever holds it keeps it; this is for tests.
pub fn reset() {
    // Dropped when the lock is open again: an interceptor may come here when it goes.
    let forgotten = gate().take();
    drop(forgotten);
}

fn gate() -> MutexGuard<'static, Option<Gate>> {
    GATE.lock().unwrap_or_else(PoisonError::into_inner)
}
