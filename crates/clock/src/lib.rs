//! The machine's clock, and the one thread that wakes whoever waited too long.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime};

use tollgate_core::{Clock, Fault};

mod wait;

pub use wait::block_on;

/// The machine's clock. Clones share one timer thread, which starts when it is first needed.
///
/// It needs no async runtime: a handler that hangs is dropped under any of them, and without one.
///
/// ```
/// use tollgate_clock::SystemClock;
/// use tollgate_core::Clock;
///
/// let clock = SystemClock::default();
/// assert!(clock.now() <= clock.now());
/// assert!(clock.wall() > clock.now());
/// ```
#[derive(Clone)]
pub struct SystemClock {
    started: Instant,
    alarms: Arc<OnceLock<Arc<Alarms>>>,
}

impl SystemClock {
    /// How many alarms are set: one for each handler that somebody waits for, and none for those that answered.
    pub fn alarms(&self) -> usize {
        self.alarms.get().map_or(0, |alarms| alarms.waiting().wakers.len())
    }
}

#[derive(Default)]
struct Alarms {
    waiting: Mutex<Waiting>,
    news: Condvar,
}

#[derive(Default)]
struct Waiting {
    /// The tasks to be woken, in the order of their moments.
    wakers: BTreeMap<Key, Waker>,
    set: u64,
}

/// An alarm's moment, and its number among all that were ever set.
type Key = (Duration, u64);

impl Alarms {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, moment: Duration, waker: Waker) -> Key {
        let mut waiting = self.waiting();
        waiting.set += 1;
        let key = (moment, waiting.set);
        waiting.wakers.insert(key, waker);
        // Whoever sleeps until an earlier one need not hear of this one.
        if waiting.wakers.first_key_value().is_some_and(|(first, _)| *first == key) {
            self.news.notify_one();
        }
        key
    }
}

/// An alarm that was set, and is taken back when this is dropped.
struct Alarm {
    of: Arc<Alarms>,
    key: Key,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let waker = self.of.waiting().wakers.remove(&self.key);
        // Only now, without the lock: it may be the last hold on a task that has alarms of its own.
        drop(waker);
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { started: Instant::now(), alarms: Arc::default() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn wall(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    fn wake_at(&self, moment: Duration, waker: &Waker) -> Box<dyn Send> {
        let alarms = self.alarms.get_or_init(|| start(self.started));
        let key = alarms.set(moment, waker.clone());
        Box::new(Alarm { of: Arc::clone(alarms), key })
    }
}

fn start(started: Instant) -> Arc<Alarms> {
    let alarms = Arc::<Alarms>::default();
    let shared = Arc::downgrade(&alarms);
    let ring = move || {
        while let Some(alarms) = shared.upgrade() {
            ring_once(&alarms, started);
        }
    };
    // Without the thread there are no time limits, but every guard still works: nothing to fail for.
    let _ = std::thread::Builder::new().name("tollgate-timer".to_owned()).spawn(ring);
    alarms
}

/// Wakes everybody whose moment has come, then sleeps until the next one, though never long: the clock may
/// have been dropped meanwhile.
fn ring_once(alarms: &Alarms, started: Instant) {
    let mut waiting = alarms.waiting();
    let now = started.elapsed();
    let mut due = Vec::new();
    while let Some(alarm) = waiting.wakers.first_entry().filter(|alarm| alarm.key().0 <= now) {
        due.push(alarm.remove());
    }
    if due.is_empty() {
        let next = waiting.wakers.first_key_value().map_or(Duration::MAX, |((moment, _), _)| *moment - now);
        drop(alarms.news.wait_timeout(waiting, next.min(Duration::from_secs(1))));
        return;
    }
    drop(waiting);
    // A task that panics when it is woken must not take the clock with it.
    due.into_iter().for_each(|waker| drop(Fault::catch(|| waker.wake())));
}

#[cfg(test)]
mod tests;
