//! Futures without a runtime: run one to its end, stop one, survive one that panics.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

pub use tollgate_clock::block_on;
use tollgate_core::{Clock, Fault};

/// A future in a box, as handlers and tools return them.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Tells a running call to stop. Clones are the same signal.
///
/// ```
/// let abort = tollgate::Abort::default();
/// let shared = abort.clone();
/// abort.abort();
/// assert!(shared.is_aborted());
/// ```
#[derive(Clone, Default)]
pub struct Abort {
    shared: Arc<Signal>,
}

#[derive(Default)]
struct Signal {
    given: AtomicBool,
    next: AtomicU64,
    /// Who waits for it, each under a number of its own.
    waiting: Mutex<Vec<(u64, Waker)>>,
}

impl Signal {
    fn waiting(&self) -> MutexGuard<'_, Vec<(u64, Waker)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Abort {
    /// Stops whoever holds the signal.
    pub fn abort(&self) {
        self.shared.given.store(true, Ordering::SeqCst);
        let waiting = std::mem::take(&mut *self.shared.waiting());
        waiting.into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// Whether it was given.
    pub fn is_aborted(&self) -> bool {
        self.shared.given.load(Ordering::SeqCst)
    }

    /// Waits for it.
    pub fn aborted(&self) -> impl Future<Output = ()> + Send + '_ {
        Aborted { signal: &self.shared, number: self.shared.next.fetch_add(1, Ordering::SeqCst) }
    }

    /// Runs a future until it ends or the signal comes; then it is dropped and there is no value.
    pub async fn unless<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let (mut future, mut aborted) = (Box::pin(future), pin!(self.aborted()));
        let ended = poll_fn(|context| {
            // The signal first: a handler that settles at the same moment must not win.
            if aborted.as_mut().poll(context).is_ready() {
                return Poll::Ready(None);
            }
            future.as_mut().poll(context).map(Some)
        })
        .await;
        let_go(future);
        ended
    }
}

/// Waits for a signal, and is forgotten by it when it is dropped: one signal may outlive many calls.
struct Aborted<'a> {
    signal: &'a Signal,
    number: u64,
}

impl Future for Aborted<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.signal.waiting();
        if self.signal.given.load(Ordering::SeqCst) {
            return Poll::Ready(());
        }
        match waiting.iter_mut().find(|(number, _)| *number == self.number) {
            Some((_, waker)) => waker.clone_from(context.waker()),
            None => waiting.push((self.number, context.waker().clone())),
        }
        Poll::Pending
    }
}

impl Drop for Aborted<'_> {
    fn drop(&mut self) {
        self.signal.waiting().retain(|(number, _)| *number != self.number);
    }
}

/// Runs a future until a moment of the clock, if there is one; then it is dropped and there is no value.
pub(crate) async fn until<T>(
    clock: &dyn Clock,
    moment: Option<Duration>,
    future: impl Future<Output = T>,
) -> Option<T> {
    let mut future = Box::pin(future);
    let mut alarm: Option<(Waker, Box<dyn Send>)> = None;
    let ended = poll_fn(|context| {
        if let Poll::Ready(value) = future.as_mut().poll(context) {
            return Poll::Ready(Some(value));
        }
        let Some(moment) = moment else { return Poll::Pending };
        if clock.now() >= moment {
            return Poll::Ready(None);
        }
        if !alarm.as_ref().is_some_and(|(waker, _)| waker.will_wake(context.waker())) {
            alarm = Some((context.waker().clone(), clock.wake_at(moment, context.waker())));
        }
        Poll::Pending
    })
    .await;
    let_go(future);
    ended
}

/// Drops what was stopped halfway. That may panic, and a call that has been stopped must still come to its end.
fn let_go<T>(future: T) {
    let _ = Fault::catch(|| drop(future));
}

/// Runs a future; a panic in it is a fault.
pub(crate) async fn catch<T>(future: impl Future<Output = T>) -> Result<T, Fault> {
    let mut future = Box::pin(future);
    let ended = poll_fn(|context| match Fault::catch(|| future.as_mut().poll(context)) {
        Ok(poll) => poll.map(Ok),
        Err(fault) => Poll::Ready(Err(fault)),
    })
    .await;
    let_go(future);
    ended
}
