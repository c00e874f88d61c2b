//! What is counted of some records, such that counts of two parts can be joined.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::row::Row;

const HOUR_US: u64 = 3_600_000_000;

/// How often a tool, a rule or an agent stands in records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// In how many records.
    pub records: u64,
    /// In how many of them a call was about to be made.
    pub calls: u64,
    /// How many were stopped.
    pub denied: u64,
    /// How often a human was asked.
    pub asked: u64,
    /// How often a rule would have objected if it were enforced. Such records name no rule, so they are not in `records`.
    pub observed: u64,
}

/// What one interceptor cost, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interceptor {
    /// Its id.
    pub who: String,
    /// How often it was asked.
    pub turns: u64,
    /// How often it did not let pass: denied, asked, routed or answered.
    pub objections: u64,
    /// How often it failed.
    pub faults: u64,
    /// How long all of its turns took.
    pub total_us: u64,
    /// How long its longest turn took.
    pub max_us: u64,
}

/// Counts of some records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Summary {
    pub(super) records: u64,
    pub(super) calls: u64,
    pub(super) acts: HashMap<String, u64>,
    pub(super) granted: u64,
    pub(super) refused: u64,
    pub(super) sessions: HashSet<String>,
    pub(super) tools: HashMap<String, Counts>,
    pub(super) rules: HashMap<String, Counts>,
    pub(super) agents: HashMap<String, Counts>,
    pub(super) interceptors: HashMap<String, Interceptor>,
    /// By the hour, since 1970: calls, and how many were stopped.
    pub(super) hours: BTreeMap<u64, (u64, u64)>,
}

impl Summary {
    /// Counts one more record, of this moment.
    pub(super) fn add(&mut self, row: &Row, micros: u64) {
        let counts = Counts {
            records: 1,
            calls: row.is_call().into(),
            denied: row.did("deny").into(),
            asked: row.did("ask").into(),
            observed: 0,
        };
        self.records += 1;
        self.calls += counts.calls;
        self.granted += u64::from(row.answer() == Some(true));
        self.refused += u64::from(row.answer() == Some(false));
        if let Some(act) = &row.act {
            change(&mut self.acts, act, |count| *count += 1);
        }
        if let Some(session) = row.session.as_ref().filter(|session| !self.sessions.contains(*session)) {
            self.sessions.insert(session.clone());
        }
        for (all, name) in [(&mut self.tools, &row.tool), (&mut self.rules, &row.rule), (&mut self.agents, &row.agent)]
        {
            if let Some(name) = name {
                change(all, name, |sum| sum.join(&counts));
            }
        }
        for observed in &row.observed {
            change(&mut self.rules, &observed.rule, |sum| sum.observed += 1);
        }
        if counts.calls + counts.denied > 0 {
            let hour = self.hours.entry(micros / HOUR_US).or_default();
            *hour = (hour.0 + counts.calls, hour.1 + counts.denied);
        }
        self.add_turns(row);
    }

    fn add_turns(&mut self, row: &Row) {
        for turn in row.turns.iter().filter(|turn| turn.said != "skipped") {
            let one = Interceptor {
                who: String::new(),
                turns: 1,
                objections: matches!(&*turn.said, "denied" | "asked" | "routed" | "answered").into(),
                faults: (turn.said == "faulted" || turn.fault.is_some()).into(),
                total_us: turn.took_us,
                max_us: turn.took_us,
            };
            change(&mut self.interceptors, &turn.who, |sum| sum.join(&one));
        }
    }

    /// Counts what was counted elsewhere too.
    pub(super) fn join(&mut self, other: Self) {
        self.records += other.records;
        self.calls += other.calls;
        self.granted += other.granted;
        self.refused += other.refused;
        self.sessions.extend(other.sessions);
        for (act, count) in other.acts {
            *self.acts.entry(act).or_default() += count;
        }
        for (all, more) in
            [(&mut self.tools, other.tools), (&mut self.rules, other.rules), (&mut self.agents, other.agents)]
        {
            for (name, counts) in more {
                all.entry(name).or_default().join(&counts);
            }
        }
        for (who, more) in other.interceptors {
            self.interceptors.entry(who).or_default().join(&more);
        }
        for (hour, (calls, denied)) in other.hours {
            let sum = self.hours.entry(hour).or_default();
            *sum = (sum.0 + calls, sum.1 + denied);
        }
    }

    pub(super) fn act(&self, act: &str) -> u64 {
        self.acts.get(act).copied().unwrap_or_default()
    }
}

impl Counts {
    fn join(&mut self, other: &Self) {
        self.records += other.records;
        self.calls += other.calls;
        self.denied += other.denied;
        self.asked += other.asked;
        self.observed += other.observed;
    }
}

impl Interceptor {
    fn join(&mut self, other: &Self) {
        self.turns += other.turns;
        self.objections += other.objections;
        self.faults += other.faults;
        self.total_us = self.total_us.saturating_add(other.total_us);
        self.max_us = self.max_us.max(other.max_us);
    }
}

/// Changes what stands under a name. A name is copied only when it is new.
pub(super) fn change<T: Default>(all: &mut HashMap<String, T>, name: &str, how: impl FnOnce(&mut T)) {
    match all.get_mut(name) {
        Some(found) => how(found),
        None => how(all.entry(name.to_owned()).or_default()),
    }
}
