use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tollgate_core::Clock;

/// What the wall clock shows when a test begins, so that nothing passes by counting from zero.
const START: Duration = Duration::from_secs(1_700_000_000);

/// A clock that moves only when told, so that no test waits and none depends on how fast the machine is.
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::Clock;
/// use tollgate_testkit::ManualClock;
///
/// let clock = ManualClock::default();
/// clock.advance(Duration::from_secs(5));
/// assert_eq!(clock.now(), Duration::from_secs(5));
/// ```
#[derive(Default)]
pub struct ManualClock {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    now: Duration,
    alarms: Vec<(Duration, u64, Waker)>,
    set: u64,
}

impl ManualClock {
    /// Moves time on and wakes everybody whose moment has come.
    pub fn advance(&self, by: Duration) {
        let mut state = self.state();
        state.now += by;
        let now = state.now;
        let due: Vec<_> = state.alarms.extract_if(.., |(moment, ..)| *moment <= now).collect();
        drop(state);
        due.into_iter().for_each(|(.., waker)| waker.wake());
    }

    /// How long until the next alarm, if somebody set one.
    pub fn next_alarm(&self) -> Option<Duration> {
        let state = self.state();
        state.alarms.iter().map(|(moment, ..)| moment.saturating_sub(state.now)).min()
    }

    /// Runs a future to its end. Whenever it waits for nothing but time, time jumps to the next alarm.
    ///
    /// # Panics
    ///
    /// If it waits for something that can never come.
    #[expect(clippy::expect_used, reason = "a test that would hang for ever fails instead")]
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let flag = Arc::new(Flag::default());
        let waker = Waker::from(Arc::clone(&flag));
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return value;
            }
            if !flag.0.swap(false, Ordering::Relaxed) {
                self.advance(self.next_alarm().expect("nothing can wake this future any more"));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An alarm that was set, and is taken back when this is dropped.
struct Alarm(Arc<Mutex<State>>, u64);

impl Drop for Alarm {
    fn drop(&mut self) {
        let own: Vec<_> = lock(&self.0).alarms.extract_if(.., |(_, number, _)| *number == self.1).collect();
        // Without the lock: it may be the last hold on a task that has alarms of its own.
        drop(own);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        self.state().now
    }

    fn wall(&self) -> Duration {
        START + self.now()
    }

    fn wake_at(&self, moment: Duration, waker: &Waker) -> Box<dyn Send> {
        let mut state = self.state();
        state.set += 1;
        let number = state.set;
        state.alarms.push((moment, number, waker.clone()));
        Box::new(Alarm(Arc::clone(&self.state), number))
    }
}

/// A clock that stands still and costs nothing, for counting allocations and for benches.
#[derive(Clone, Copy, Default)]
pub struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn wall(&self) -> Duration {
        START
    }

    fn wake_at(&self, _: Duration, _: &Waker) -> Box<dyn Send> {
        Box::new(())
    }
}

/// A clock on which every wait is over at once, for surfaces that wait by themselves.
#[derive(Default)]
pub struct HastyClock(Mutex<Duration>);

impl Clock for HastyClock {
    fn now(&self) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wall(&self) -> Duration {
        START + self.now()
    }

    fn wake_at(&self, moment: Duration, waker: &Waker) -> Box<dyn Send> {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = (*now).max(moment);
        drop(now);
        waker.wake_by_ref();
        Box::new(())
    }
}

/// Remembers that it was woken.
#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wakes_on_time() {
        for (advance, woken) in [(9, false), (10, true), (11, true)] {
            let (clock, flag) = (ManualClock::default(), Arc::new(Flag::default()));
            let alarm = clock.wake_at(Duration::from_secs(10), &Waker::from(Arc::clone(&flag)));
            clock.advance(Duration::from_secs(advance));
            assert_eq!(flag.0.load(Ordering::Relaxed), woken, "after {advance} s");
            assert_eq!(clock.next_alarm().is_none(), woken, "after {advance} s");
            drop(alarm);
            assert_eq!(clock.next_alarm(), None, "taken back");
        }
    }
}
