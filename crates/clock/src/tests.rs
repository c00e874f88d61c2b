use std::sync::mpsc;
use std::task::Wake;

use super::*;

const FAR: Duration = Duration::from_secs(3600);

/// Sends its name when it is woken.
struct Rings(mpsc::Sender<u8>, u8);

impl Wake for Rings {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(self.1);
    }
}

#[test]
fn an_alarm_counts_until_it_is_dropped() {
    let clock = SystemClock::default();
    assert_eq!(clock.alarms(), 0);
    let mut set: Vec<_> = (0..3).map(|_| clock.wake_at(clock.now() + FAR, Waker::noop())).collect();
    // Of equal moments, each goes alone, whichever it is.
    for left in [2, 1, 0] {
        drop(set.swap_remove(left / 2));
        assert_eq!(clock.clone().alarms(), left);
    }
}

#[test]
fn what_was_taken_back_does_not_ring_and_the_others_do() {
    let (clock, (rings, rung)) = (SystemClock::default(), mpsc::channel());
    let set = |moment, name| clock.wake_at(moment, &Waker::from(Arc::new(Rings(rings.clone(), name))));
    let soon = clock.now() + Duration::from_millis(20);
    // The first makes the timer sleep for long; the last one it must hear of.
    let alarms = [set(soon + FAR, 0), set(soon, 1), set(soon, 2), set(soon, 3)];
    let [far, first, taken_back, last] = alarms;
    drop(taken_back);
    let mut heard = [rung.recv().unwrap(), rung.recv().unwrap()];
    heard.sort_unstable();
    assert_eq!((heard, clock.alarms()), ([1, 3], 1));
    let now = clock.now();
    assert!(soon <= now && now < clock.wall(), "{now:?}");
    drop((first, last, far));
    assert_eq!((rung.try_recv().ok(), clock.alarms()), (None, 0));
}

#[test]
fn the_timer_hears_of_an_alarm_before_all_others() {
    let alarms = Alarms::default();
    std::thread::scope(|scope| {
        let waiting = alarms.waiting();
        // It gets the lock once the timer sleeps.
        scope.spawn(|| alarms.set(FAR, Waker::noop().clone()));
        let (_waiting, slept) = alarms.news.wait_timeout(waiting, Duration::from_secs(20)).unwrap();
        assert!(!slept.timed_out());
    });
}

/// A task that holds an alarm of its own, and is held by nobody but another alarm.
struct Holds(#[expect(dead_code, reason = "it is there to be dropped")] Mutex<Box<dyn Send>>);

impl Wake for Holds {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_task_that_goes_with_its_alarm_may_take_its_own_back() {
    let clock = SystemClock::default();
    let own = clock.wake_at(clock.now() + FAR, Waker::noop());
    let alarm = clock.wake_at(clock.now() + FAR, &Waker::from(Arc::new(Holds(Mutex::new(own)))));
    assert_eq!(clock.alarms(), 2);
    drop(alarm);
    assert_eq!(clock.alarms(), 0);
}
