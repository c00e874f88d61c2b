//! The machine's clock, and the one thread that wakes whoever waited too long.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
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
    alarms: Arc<OnceLock<Alarms>>,
}

type Alarms = Arc<(Mutex<BinaryHeap<Reverse<Alarm>>>, Condvar)>;

/// A task to be woken at a moment. Only the moment counts in comparisons.
struct Alarm(Duration, Waker);

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

    fn wake_at(&self, moment: Duration, waker: &Waker) {
        let alarms = self.alarms.get_or_init(|| start(self.started));
        let mut waiting = alarms.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(Reverse(Alarm(moment, waker.clone())));
        alarms.1.notify_one();
    }
}

fn start(started: Instant) -> Alarms {
    let alarms = Alarms::default();
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
    let (waiting, news) = &**alarms;
    let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    let now = started.elapsed();
    let mut due = Vec::new();
    while waiting.peek().is_some_and(|Reverse(alarm)| alarm.0 <= now) {
        due.extend(waiting.pop().map(|Reverse(Alarm(_, waker))| waker));
    }
    if due.is_empty() {
        let next = waiting.peek().map_or(Duration::MAX, |Reverse(alarm)| alarm.0 - now);
        drop(news.wait_timeout(waiting, next.min(Duration::from_secs(1))));
        return;
    }
    drop(waiting);
    // A task that panics when it is woken must not take the clock with it.
    due.into_iter().for_each(|waker| drop(Fault::catch(|| waker.wake())));
}

impl PartialEq for Alarm {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Alarm {}

impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Alarm {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
