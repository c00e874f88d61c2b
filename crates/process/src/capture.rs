//! A program from its start to its end.

use std::future::Future;
use std::pin::Pin;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tollgate_core::{Fault, FaultKind};

#[cfg(not(unix))]
use crate::Exit;
#[cfg(unix)]
use crate::pipes::run;
use crate::{Group, lock};

/// How much a program may say on each stream.
pub const MOST: usize = 1 << 20;

/// What to start, and what it is given.
#[derive(Debug)]
pub struct Job {
    /// The program. Its three streams become pipes.
    pub command: Command,
    /// What it reads. It need not.
    pub stdin: Vec<u8>,
    /// How long it may take. Then it is killed, with all that it started.
    pub timeout: Duration,
}

/// How it ended, and what it said.
#[derive(Debug)]
pub struct Ended {
    /// The exit status; none where a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it said on standard output, at most [`MOST`] bytes.
    pub out: Vec<u8>,
    /// What it said on standard error, at most [`MOST`] bytes.
    pub err: Vec<u8>,
    /// Whether what it started kept its standard output open until nobody waited any longer: there may have been more
    /// to say. It was killed then.
    pub held: bool,
}

/// A program that gets a text, says something and ends: as a future, with a thread that looks after it.
///
/// It is a fault if it cannot be started, takes too long, or says more than [`MOST`] bytes on one stream. Every other
/// ending is an [`Ended`], whatever its status. Dropped, it is killed, with all that it started.
///
/// ```
/// use std::process::Command;
/// use std::time::Duration;
/// use tollgate_core::FaultKind;
/// use tollgate_process::{Job, Running};
///
/// let job = |line: &str, timeout| {
///     let mut command = Command::new("/bin/sh");
///     command.args(["-c", line]).current_dir("/").env_clear();
///     Job { command, stdin: b"some text".to_vec(), timeout }
/// };
/// let run = |job| tollgate_clock::block_on(Running::start(job));
///
/// let ended = run(job("cat; exit 3", Duration::from_secs(60))).unwrap();
/// assert_eq!((ended.code, ended.out.as_slice()), (Some(3), &b"some text"[..]));
///
/// let fault = run(job("sleep 600", Duration::from_millis(20))).unwrap_err();
/// assert_eq!(fault.kind, FaultKind::Timeout);
/// ```
#[derive(Debug)]
pub struct Running(Arc<Mutex<State>>);

#[derive(Debug, Default)]
pub(crate) struct State {
    result: Option<Result<Ended, Fault>>,
    waker: Option<Waker>,
    /// The processes, as long as they are looked after.
    pub(crate) group: Option<Group>,
    /// Nobody waits any more.
    pub(crate) dropped: bool,
}

impl Running {
    /// Starts a program, and the thread that looks after it.
    pub fn start(job: Job) -> Self {
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        let look_after = move || {
            let result = Fault::catch(|| run(job, &shared)).unwrap_or_else(Err);
            let mut state = lock(&shared);
            state.result = Some(result);
            let waker = state.waker.take();
            drop(state);
            if let Some(waker) = waker {
                waker.wake();
            }
        };
        let thread = std::thread::Builder::new().name("tollgate-run".to_owned()).stack_size(256 << 10);
        if let Err(error) = thread.spawn(look_after) {
            lock(&state).result = Some(Err(Fault::new(FaultKind::Missing, format!("no thread for it: {error}"))));
        }
        Self(state)
    }
}

/// Without groups nothing is started.
#[cfg(not(unix))]
fn run(mut job: Job, _: &Mutex<State>) -> Result<Ended, Fault> {
    let Exit { code, signal } = Group::start(&mut job.command)?.leave()?;
    Ok(Ended { code, signal, out: Vec::new(), err: Vec::new(), held: false })
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
