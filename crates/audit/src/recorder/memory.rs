//! What has to be remembered until an event is recorded, or until a call ends.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tollgate_core::{Event, Point};

/// How many events are remembered. The oldest are forgotten: they never ended.
const MOST: usize = 256;

/// Something about events that are under way.
pub(super) struct Memory<T>(Mutex<VecDeque<(Key, T)>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    point: Point,
    session: Option<String>,
    call: Option<String>,
}

impl Key {
    fn is(&self, point: Point, event: &Event<'_>) -> bool {
        let Self { point: here, session, call } = self;
        *here == point && call.as_deref() == event.call_id && session.as_deref() == event.session
    }
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Default> Memory<T> {
    /// Changes what is known about an event.
    pub(super) fn change(&self, point: Point, event: &Event<'_>, change: impl FnOnce(&mut T)) {
        let mut all = self.all();
        let found = all.iter().position(|(key, _)| key.is(point, event));
        let at = found.unwrap_or_else(|| {
            if all.len() >= MOST {
                all.pop_front();
            }
            let key = Key { point, session: event.session.map(str::to_owned), call: event.call_id.map(str::to_owned) };
            all.push_back((key, T::default()));
            all.len() - 1
        });
        if let Some((_, value)) = all.get_mut(at) {
            change(value);
        }
    }

    /// What is known about an event.
    pub(super) fn get(&self, point: Point, event: &Event<'_>) -> Option<T> {
        self.all().iter().find(|(key, _)| key.is(point, event)).map(|(_, value)| value.clone())
    }

    /// The same, which is then forgotten.
    pub(super) fn take(&self, point: Point, event: &Event<'_>) -> Option<T> {
        let mut all = self.all();
        let at = all.iter().position(|(key, _)| key.is(point, event))?;
        all.remove(at).map(|(_, value)| value)
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<(Key, T)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten() {
        let memory = Memory::<Vec<usize>>::default();
        let names: Vec<String> = (0..MOST + 3).map(|number| number.to_string()).collect();
        let event = |name| Event { call_id: Some(name), ..Event::at(Point::ToolBefore) };
        for (number, name) in names.iter().enumerate() {
            memory.change(Point::ToolBefore, &event(name), |list| list.push(number));
        }
        assert_eq!(memory.all().len(), MOST);
        assert_eq!(memory.get(Point::ToolBefore, &event("2")), None);
        memory.change(Point::ToolBefore, &event("3"), |list| list.push(0));
        assert_eq!(memory.get(Point::ToolAfter, &event("3")), None);
        assert_eq!(memory.take(Point::ToolBefore, &event("3")), Some(vec![3, 0]));
        assert_eq!(memory.take(Point::ToolBefore, &event("3")), None);
    }
}
