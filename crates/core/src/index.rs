//! Who is due at a point for a tool, found by a look-up and not by asking everybody.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use crate::{Match, Name, Names, Point, Registration, Role};

/// How many names matched by patterns are remembered. Names come from models, which can make up any number.
const REMEMBERED: usize = 1024;

/// Interceptors that are due, as places in the sorted list.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) edits: Vec<u32>,
    pub(crate) guards: Vec<u32>,
    pub(crate) watches: Vec<u32>,
}

impl Plan {
    pub(crate) fn all(&self) -> impl Iterator<Item = &u32> {
        self.edits.iter().chain(&self.guards).chain(&self.watches)
    }

    fn of(mut due: Vec<u32>, sorted: &[Registration]) -> Arc<Self> {
        due.sort_unstable();
        due.dedup();
        let mut plan = Self::default();
        for who in due {
            match sorted.get(who as usize).map(|entry| &entry.role) {
                Some(Role::Edit(_)) => plan.edits.push(who),
                Some(Role::Guard(_)) => plan.guards.push(who),
                Some(Role::Watch(_)) => plan.watches.push(who),
                None => {}
            }
        }
        Arc::new(plan)
    }
}

/// Everybody at one point.
#[derive(Default)]
pub(crate) struct Chain {
    /// For each tool that somebody names.
    named: HashMap<Box<str>, Arc<Plan>>,
    /// For everything else.
    rest: Arc<Plan>,
    /// Those who select by a pattern or by nothing; asked once per name.
    broad: Vec<(u32, Match)>,
    has_patterns: bool,
    remembered: RwLock<BTreeMap<Box<str>, Arc<Plan>>>,
}

impl Chain {
    pub(crate) fn at(point: Point, sorted: &[Registration], names: &Names) -> Self {
        let mut exact: BTreeMap<Box<str>, Vec<u32>> = BTreeMap::new();
        let mut chain = Self::default();
        for (who, entry) in (0..).zip(sorted).filter(|(_, entry)| entry.points.contains(&point)) {
            match entry.select.tool.normalized(names) {
                Match::Exact(name) => exact.entry(name).or_default().push(who),
                pattern => {
                    chain.has_patterns |= !matches!(pattern, Match::Any);
                    chain.broad.push((who, pattern));
                }
            }
        }
        chain.rest = chain.fitting(None, Vec::new(), sorted);
        for (name, due) in exact {
            let plan = chain.fitting(Some(&name), due, sorted);
            chain.named.insert(name, plan);
        }
        chain
    }

    /// Those who name the tool and those whose pattern fits it, in order.
    fn fitting(&self, name: Option<&str>, mut due: Vec<u32>, sorted: &[Registration]) -> Arc<Plan> {
        due.extend(self.broad.iter().filter(|(_, pattern)| pattern.fits(name)).map(|(who, _)| *who));
        Plan::of(due, sorted)
    }

    /// Those due for a name, unless there are none. Whoever is registered for any of a tool's names is.
    pub(crate) fn plan(&self, name: Option<&Name<'_>>, sorted: &[Registration]) -> Option<Arc<Plan>> {
        let mut plans = name.into_iter().flat_map(Name::all).map(|name| self.plan_of(name, sorted));
        let mut plan = plans.next().unwrap_or_else(|| Arc::clone(&self.rest));
        for other in plans.filter(|other| !Arc::ptr_eq(other, &self.rest)) {
            plan = Plan::of(plan.all().chain(other.all()).copied().collect(), sorted);
        }
        Some(plan).filter(|plan| plan.all().next().is_some())
    }

    fn plan_of(&self, name: &str, sorted: &[Registration]) -> Arc<Plan> {
        match self.named.get(name) {
            Some(plan) => Arc::clone(plan),
            None if self.has_patterns => self.by_pattern(name, sorted),
            None => Arc::clone(&self.rest),
        }
    }

    fn by_pattern(&self, name: &str, sorted: &[Registration]) -> Arc<Plan> {
        if let Some(plan) = self.remembered.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return Arc::clone(plan);
        }
        let plan = self.fitting(Some(name), Vec::new(), sorted);
        let mut remembered = self.remembered.write().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() < REMEMBERED {
            remembered.insert(name.into(), Arc::clone(&plan));
        }
        plan
    }
}
