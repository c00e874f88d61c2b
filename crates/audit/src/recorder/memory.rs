//! What has to be remembered until an event is recorded, or until a call ends.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tollgate_core::{Event, Point};

/// How many events are remembered, as many as calls whose ends the log can tell. Over it the oldest are let go: a
/// surface that never reports ends must not keep the others from being remembered.
const MOST: usize = 10_000;
/// Of how many that were let go it is still known that there was something to remember.
const MOST_GONE: usize = 100_000;

/// Something about events that are under way, by point, session and call.
pub(super) struct Memory<T>(Mutex<Events<T>>);

/// What is remembered of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Recall<T> {
    /// There was nothing to remember.
    Nothing,
    /// This was.
    Known(T),
    /// There was something, and it was let go.
    Gone,
}

impl<T> Recall<T> {
    /// What is remembered.
    pub(super) fn known(self) -> Option<T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Nothing | Self::Gone => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    point: Point,
    session: Option<String>,
    call: Option<String>,
}

struct Events<T> {
    known: HashMap<Key, (u64, T)>,
    /// The same by age.
    ages: BTreeMap<u64, Key>,
    next: u64,
    /// Hashes of what was let go, oldest first. Two with the same hash are taken for each other, which makes one of
    /// them unknown and never wrong.
    gone: VecDeque<u64>,
    is_gone: HashSet<u64>,
    hasher: RandomState,
}

impl Key {
    fn of(point: Point, event: &Event<'_>) -> Self {
        Self { point, session: event.session.map(str::to_owned), call: event.call_id.map(str::to_owned) }
    }
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        let (known, ages, next, gone, is_gone, hasher) = Default::default();
        Self(Mutex::new(Events { known, ages, next, gone, is_gone, hasher }))
    }
}

impl<T: Clone + Default + PartialEq> Memory<T> {
    /// Changes what is known about an event.
    pub(super) fn change(&self, point: Point, event: &Event<'_>, change: impl FnOnce(&mut T)) {
        self.events().change(Key::of(point, event), change);
    }

    /// What is known about an event.
    pub(super) fn get(&self, point: Point, event: &Event<'_>) -> Recall<T> {
        let events = self.events();
        if events.known.is_empty() && events.gone.is_empty() {
            return Recall::Nothing;
        }
        let key = Key::of(point, event);
        match events.known.get(&key) {
            Some((_, value)) => Recall::Known(value.clone()),
            None if events.is_gone.contains(&events.hasher.hash_one(&key)) => Recall::Gone,
            None => Recall::Nothing,
        }
    }

    /// The same, which is then forgotten.
    pub(super) fn take(&self, point: Point, event: &Event<'_>) -> Recall<T> {
        let found = self.get(point, event);
        if found != Recall::Nothing {
            self.events().forget(&Key::of(point, event));
        }
        found
    }

    fn events(&self) -> MutexGuard<'_, Events<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Default> Events<T> {
    /// What was let go stays so: half of it would be wrong.
    fn change(&mut self, key: Key, change: impl FnOnce(&mut T)) {
        if !self.is_gone.is_empty() && self.is_gone.contains(&self.hasher.hash_one(&key)) {
            return;
        }
        match self.known.entry(key) {
            Entry::Occupied(mut found) => change(&mut found.get_mut().1),
            Entry::Vacant(place) => {
                self.ages.insert(self.next, place.key().clone());
                change(&mut place.insert((self.next, T::default())).1);
                self.next += 1;
            }
        }
        if self.known.len() > MOST
            && let Some((_, oldest)) = self.ages.pop_first()
        {
            self.let_go(&oldest);
        }
    }

    fn let_go(&mut self, key: &Key) {
        self.known.remove(key);
        let hash = self.hasher.hash_one(key);
        self.gone.push_back(hash);
        self.is_gone.insert(hash);
        if self.gone.len() > MOST_GONE
            && let Some(oldest) = self.gone.pop_front()
        {
            self.is_gone.remove(&oldest);
        }
    }

    fn forget(&mut self, key: &Key) {
        match self.known.remove(key) {
            Some((age, _)) => drop(self.ages.remove(&age)),
            None => drop(self.is_gone.remove(&self.hasher.hash_one(key))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event<'a>(session: &'a str, call: &'a str) -> Event<'a> {
        Event { session: Some(session), call_id: Some(call), ..Event::at(Point::ToolBefore) }
    }

    #[test]
    fn each_event_has_its_own() {
        let memory = Memory::<Vec<usize>>::default();
        let keys =
            [(Point::ToolBefore, "s-1", "c"), (Point::ToolBefore, "s-2", "c"), (Point::ModelRequest, "s-1", "c")];
        for (number, (point, session, call)) in keys.into_iter().cycle().take(6).enumerate() {
            memory.change(point, &event(session, call), |list| list.push(number));
        }
        assert_eq!(memory.get(Point::ToolBefore, &event("s-1", "d")), Recall::Nothing);
        for (number, (point, session, call)) in keys.into_iter().enumerate() {
            let expected = Recall::Known(vec![number, number + 3]);
            assert_eq!(memory.get(point, &event(session, call)), expected);
            assert_eq!(memory.take(point, &event(session, call)), expected);
            assert_eq!(memory.take(point, &event(session, call)), Recall::Nothing);
        }
        assert!(memory.events().ages.is_empty());
    }

    #[test]
    fn the_oldest_are_let_go_and_that_is_known() {
        let memory = Memory::<Vec<usize>>::default();
        let names: Vec<String> = (0..MOST + 3).map(|number| number.to_string()).collect();
        for (number, name) in names.iter().enumerate() {
            memory.change(Point::ToolBefore, &event("s", name), |list| list.push(number));
        }
        let get = |call: &str| memory.get(Point::ToolBefore, &event("s", call));
        assert_eq!((get("2"), get("3"), get("never")), (Recall::Gone, Recall::Known(vec![3]), Recall::Nothing));
        // What comes later about one that was let go is not taken for all there was.
        memory.change(Point::ToolBefore, &event("s", "2"), |list| list.push(0));
        assert_eq!(memory.take(Point::ToolBefore, &event("s", "2")), Recall::Gone);
        assert_eq!(get("2"), Recall::Nothing);
        let events = memory.events();
        assert_eq!((events.known.len(), events.ages.len()), (MOST, MOST));
    }

    #[test]
    fn what_was_let_go_is_bounded_too() {
        let memory = Memory::<u8>::default();
        for number in 0..MOST + MOST_GONE + 2 {
            memory.change(Point::ToolBefore, &event("s", &number.to_string()), |_| {});
        }
        assert_eq!(memory.get(Point::ToolBefore, &event("s", "1")), Recall::Nothing);
        assert_eq!(memory.get(Point::ToolBefore, &event("s", "2")), Recall::Gone);
        let events = memory.events();
        assert_eq!((events.gone.len(), events.is_gone.len()), (MOST_GONE, MOST_GONE));
    }
}
