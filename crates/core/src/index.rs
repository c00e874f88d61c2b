//! Who is due at a point for a tool, found by a look-up and not by asking everybody.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::{Deref, Range};
use std::sync::{Arc, PoisonError, RwLock};

use crate::{Match, Names, Point, Registration, Role};

/// How many names matched by patterns are remembered. Names come from models, which can make up any number.
const REMEMBERED: usize = 1024;

/// Interceptors that are due, as places in the sorted list: edits, then guards, then watchers.
#[derive(Default)]
pub(crate) struct Plan {
    due: Box<[u32]>,
    guards_at: usize,
    watches_at: usize,
}

/// Everybody at one point.
#[derive(Default)]
pub(crate) struct Chain {
    /// For each tool that somebody names.
    named: HashMap<Box<str>, Plan, BuildHasherDefault<Fnv>>,
    /// For everything else.
    rest: Plan,
    /// Those who select by a pattern or by nothing; asked once per name.
    broad: Vec<(u32, Match)>,
    has_patterns: bool,
    remembered: RwLock<HashMap<Box<str>, Arc<Plan>>>,
}

pub(crate) enum Found<'p> {
    Here(&'p Plan),
    Made(Arc<Plan>),
}

impl Default for Found<'_> {
    fn default() -> Self {
        Self::Made(Arc::default())
    }
}

impl Deref for Found<'_> {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        match self {
            Self::Here(plan) => plan,
            Self::Made(plan) => plan,
        }
    }
}

impl Plan {
    fn new(mut due: Vec<u32>, sorted: &[Registration]) -> Self {
        due.sort_unstable();
        let before = |role: fn(&Role) -> bool| {
            due.partition_point(|who| sorted.get(*who as usize).is_some_and(|entry| role(&entry.role)))
        };
        let guards_at = before(|role| matches!(role, Role::Edit(_)));
        let watches_at = before(|role| !matches!(role, Role::Watch(_)));
        Self { due: due.into(), guards_at, watches_at }
    }

    pub(crate) fn edits(&self) -> &[u32] {
        self.part(0..self.guards_at)
    }

    pub(crate) fn guards(&self) -> &[u32] {
        self.part(self.guards_at..self.watches_at)
    }

    pub(crate) fn watches(&self) -> &[u32] {
        self.part(self.watches_at..self.due.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    fn part(&self, range: Range<usize>) -> &[u32] {
        self.due.get(range).unwrap_or_default()
    }
}

impl Chain {
    /// The chain at a point, or nothing if nobody stands there.
    pub(crate) fn at(point: Point, sorted: &[Registration], names: &Names) -> Option<Self> {
        let mut exact: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        let mut broad = Vec::new();
        for (who, entry) in (0..).zip(sorted).filter(|(_, entry)| entry.points.contains(&point)) {
            match entry.select.tool.normalized(names).into_owned() {
                Match::Exact(name) => exact.entry(name).or_default().push(who),
                pattern => broad.push((who, pattern)),
            }
        }
        if exact.is_empty() && broad.is_empty() {
            return None;
        }
        let has_patterns = broad.iter().any(|(_, pattern)| !matches!(pattern, Match::Any));
        let mut chain = Self { broad, has_patterns, ..Self::default() };
        chain.rest = Plan::new(chain.fitting(None), sorted);
        for (name, mut due) in exact {
            due.extend(chain.fitting(Some(&name)));
            chain.named.insert(name, Plan::new(due, sorted));
        }
        Some(chain)
    }

    pub(crate) fn plan(&self, name: Option<&str>, sorted: &[Registration]) -> Found<'_> {
        let Some(name) = name else { return Found::Here(&self.rest) };
        match self.named.get(name) {
            Some(plan) => Found::Here(plan),
            None if !self.has_patterns => Found::Here(&self.rest),
            None => Found::Made(self.by_pattern(name, sorted)),
        }
    }

    fn fitting(&self, name: Option<&str>) -> Vec<u32> {
        self.broad.iter().filter(|(_, pattern)| pattern.fits(name)).map(|(who, _)| *who).collect()
    }

    fn by_pattern(&self, name: &str, sorted: &[Registration]) -> Arc<Plan> {
        if let Some(plan) = self.remembered.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return Arc::clone(plan);
        }
        let plan = Arc::new(Plan::new(self.fitting(Some(name)), sorted));
        let mut remembered = self.remembered.write().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() < REMEMBERED {
            remembered.insert(name.into(), Arc::clone(&plan));
        }
        plan
    }
}

/// FNV-1a. Only names that somebody registered are ever stored under it, so nobody can aim for collisions.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
