//! A program and all that it starts.
//!
//! A program that is killed alone leaves behind what it started: a shell its commands, a server its workers. Here every
//! program gets a process group of its own, and the group is what is ended.
//!
//! * [`Group`] — a program that is spoken with while it runs, over whatever pipes it was given.
//! * [`Running`] — a program that gets a text, says something and ends: bounded in time and output, as a future. A thread
//!   looks after it, so no async runtime is needed.
//! * [`end_all`] — for whoever ends this process without waiting for anybody.
//!
//! What a program *means* by how it ends is for whoever started it to say. A [`Fault`](tollgate_core::Fault) here only
//! says that there is no ending to speak of: it could not be started, took too long, or said too much.

mod capture;
mod group;
#[cfg(unix)]
mod pipes;

pub use capture::{Ended, Job, MOST, Running};
pub use group::{Exit, Group, end_all};

use std::sync::{Mutex, MutexGuard, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
