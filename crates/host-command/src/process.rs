//! A program from its start to its end, and everything it started with it.

#[cfg(unix)]
#[path = "process/unix.rs"]
mod system;
#[cfg(not(unix))]
#[path = "process/none.rs"]
mod system;

use std::ffi::OsString;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tollgate_core::{Fault, FaultKind};

use system::Group;
pub use system::end_all;

/// What to start.
pub(crate) struct Job {
    pub(crate) argv: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) timeout: Duration,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit status; none where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

/// A program that runs. Dropped, it is killed, with all that it started.
pub(crate) struct Running(Arc<Mutex<State>>);

#[derive(Default)]
pub(crate) struct State {
    result: Option<Result<Ended, Fault>>,
    waker: Option<Waker>,
    /// The processes, as long as the number is certainly theirs.
    group: Option<Group>,
    /// Nobody waits any more.
    dropped: bool,
}

impl Running {
    /// Starts a program, and the thread that looks after it.
    pub(crate) fn start(job: Job) -> Self {
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        let look_after = move || {
            let result = Fault::catch(|| system::run(job, &shared)).unwrap_or_else(Err);
            let mut state = lock(&shared);
            state.result = Some(result);
            let waker = state.waker.take();
            drop(state);
            if let Some(waker) = waker {
                waker.wake();
            }
        };
        let started =
            std::thread::Builder::new().name("tollgate-hook".to_owned()).stack_size(256 << 10).spawn(look_after);
        if let Err(error) = started {
            lock(&state).result = Some(Err(Fault::new(FaultKind::Missing, format!("no thread for it: {error}"))));
        }
        Self(state)
    }
}

impl Future for Running {
    type Output = Result<Ended, Fault>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = lock(&self.0);
        match state.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = lock(&self.0);
        state.dropped = true;
        // Here and not by the thread: this process may be about to end.
        if let Some(group) = &state.group {
            group.kill();
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
