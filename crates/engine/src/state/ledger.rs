use std::collections::BTreeMap;
use std::ops::Bound;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::StateError;

/// What is remembered of one space: values by key, and what was changed since it was lent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    entries: BTreeMap<String, Value>,
    changes: Changes,
}

/// New values by key; none where the key goes.
pub(crate) type Changes = BTreeMap<String, Option<Value>>;

impl Ledger {
    /// The value of a key.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StateError> {
        let kept = || self.entries.get(key);
        let value = self.changes.get(key).map_or_else(kept, Option::as_ref);
        let read = |value: &Value| T::deserialize(value).map_err(|error| unreadable(key, &error));
        value.map(read).transpose()
    }

    /// Whether a key has a value.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.changes.get(key).map_or_else(|| self.entries.contains_key(key), Option::is_some)
    }

    /// Sets the value of a key.
    pub fn put(&mut self, key: &str, value: &impl Serialize) -> Result<(), StateError> {
        let value = serde_json::to_value(value).map_err(|error| unreadable(key, &error))?;
        self.changes.insert(key.to_owned(), Some(value));
        Ok(())
    }

    /// Lets a key go.
    pub fn remove(&mut self, key: &str) {
        if self.entries.contains_key(key) {
            self.changes.insert(key.to_owned(), None);
        } else {
            self.changes.remove(key);
        }
    }

    /// All keys that begin like this, sorted.
    pub fn keys(&self, prefix: &str) -> Vec<String> {
        fn from<'m, V>(map: &'m BTreeMap<String, V>, prefix: &'m str) -> impl Iterator<Item = &'m String> {
            let from = (Bound::Included(prefix), Bound::Unbounded);
            map.range::<str, _>(from).map(|(key, _)| key).take_while(move |key| key.starts_with(prefix))
        }
        let mut keys: Vec<String> = from(&self.changes, prefix).chain(from(&self.entries, prefix)).cloned().collect();
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| !matches!(self.changes.get(key), Some(None)));
        keys
    }

    /// All values whose keys begin like this, by key.
    pub fn all<T: DeserializeOwned>(&self, prefix: &str) -> Result<Vec<(String, T)>, StateError> {
        let value = |key: String| Ok(self.get(&key)?.map(|value| (key, value)));
        self.keys(prefix).into_iter().filter_map(|key| value(key).transpose()).collect()
    }

    /// Takes back what was changed.
    pub fn roll_back(&mut self) {
        self.changes.clear();
    }

    /// Makes the changes part of what is remembered, and says what they were.
    pub(crate) fn settle(&mut self) -> Changes {
        let changes = std::mem::take(&mut self.changes);
        self.apply(changes.clone());
        changes
    }

    /// Whether the changes change anything.
    pub(crate) fn drop_idle_changes(&mut self) -> bool {
        let entries = &self.entries;
        self.changes.retain(|key, value| entries.get(key) != value.as_ref());
        !self.changes.is_empty()
    }

    pub(crate) fn apply(&mut self, changes: Changes) {
        for (key, value) in changes {
            match value {
                Some(value) => drop(self.entries.insert(key, value)),
                None => drop(self.entries.remove(&key)),
            }
        }
    }

    /// The changes that make an empty ledger this one.
    pub(crate) fn snapshot(&self) -> Changes {
        self.entries.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect()
    }
}

fn unreadable(key: &str, error: &serde_json::Error) -> StateError {
    StateError::new(format!("what is remembered as `{key}` cannot be read ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_seen_and_can_be_taken_back() {
        let mut ledger = Ledger::default();
        ledger.put("a/1", &1).unwrap();
        ledger.put("a/2", &2).unwrap();
        ledger.settle();
        ledger.put("a/3", &3).unwrap();
        ledger.put("a/1", &10).unwrap();
        ledger.remove("a/2");
        ledger.remove("b");
        assert_eq!(ledger.all::<i32>("a/").unwrap(), [("a/1".to_owned(), 10), ("a/3".to_owned(), 3)]);
        ledger.roll_back();
        assert_eq!(ledger.all::<i32>("a/").unwrap(), [("a/1".to_owned(), 1), ("a/2".to_owned(), 2)]);
        ledger.put("a/1", &1).unwrap();
        assert!(!ledger.drop_idle_changes(), "the value it had");
        assert!(ledger.get::<String>("a/1").is_err(), "of another type");
    }
}
