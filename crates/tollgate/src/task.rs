//! Futures without a runtime: run one to its end, stop one, survive one that panics.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use tollgate_core::{Clock, Fault};

/// A future in a box, as handlers and tools return them.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs a future on this thread to its end, for callers without an async runtime.
///
/// ```
/// assert_eq!(tollgate::block_on(async { 6 * 7 }), 42);
/// ```
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let wake = Arc::new(Unpark { thread: std::thread::current(), woken: AtomicBool::new(false) });
    let waker = Waker::from(Arc::clone(&wake));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        while !wake.woken.swap(false, Ordering::SeqCst) {
            std::thread::park();
        }
    }
}

/// Wakes a thread. The flag is what counts: a `block_on` inside another uses up the outer one's unparking.
struct Unpark {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

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
    shared: Arc<(AtomicBool, Mutex<Vec<Waker>>)>,
}

impl Abort {
    /// Stops whoever holds the signal.
    pub fn abort(&self) {
        self.shared.0.store(true, Ordering::SeqCst);
        let wakers = std::mem::take(&mut *self.shared.1.lock().unwrap_or_else(PoisonError::into_inner));
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Whether it was given.
    pub fn is_aborted(&self) -> bool {
        self.shared.0.load(Ordering::SeqCst)
    }

    /// Waits for it.
    pub async fn aborted(&self) {
        poll_fn(|context| {
            let mut wakers = self.shared.1.lock().unwrap_or_else(PoisonError::into_inner);
            if self.is_aborted() {
                return Poll::Ready(());
            }
            if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                wakers.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }

    /// Runs a future until it ends or the signal comes; then it is dropped and there is no value.
    pub async fn unless<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let (mut future, mut aborted) = (pin!(future), pin!(self.aborted()));
        poll_fn(|context| {
            // The signal first: a handler that settles at the same moment must not win.
            if aborted.as_mut().poll(context).is_ready() {
                return Poll::Ready(None);
            }
            future.as_mut().poll(context).map(Some)
        })
        .await
    }
}

/// Runs a future until a moment of the clock; then it is dropped and there is no value.
pub(crate) async fn until<T>(clock: &dyn Clock, moment: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending if clock.now() >= moment => Poll::Ready(None),
        Poll::Pending => {
            clock.wake_at(moment, context.waker());
            Poll::Pending
        }
    })
    .await
}

/// Runs a future; a panic in it is a fault.
pub(crate) async fn catch<T>(future: impl Future<Output = T>) -> Result<T, Fault> {
    let mut future = pin!(future);
    poll_fn(|context| match Fault::catch(|| future.as_mut().poll(context)) {
        Ok(poll) => poll.map(Ok),
        Err(fault) => Poll::Ready(Err(fault)),
    })
    .await
}
