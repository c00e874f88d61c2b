//! What is counted while records are replayed. It does not grow with the log.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use tollgate_core::{Ended, Point};

use super::judge::Now;
use super::recorded::{Act, Recorded, Then, Unkept};

/// How many kinds of changes are told apart: a hostile agent can make up names of tools.
const MOST_GROUPS: usize = 10_000;

/// One decision that would be another.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) seq: u64,
    pub(super) from: Act,
    pub(super) to: Act,
    /// Who decides now; where nobody does, who did then.
    pub(super) rule: Option<String>,
    pub(super) point: Point,
    pub(super) tool: Option<String>,
    pub(super) summary: String,
    pub(super) redacted: bool,
}

impl Change {
    /// Which tool, or where it is not about the call of one, where.
    pub(super) fn what(&self) -> String {
        match (&self.tool, self.point) {
            (Some(tool), Point::ToolBefore) => tool.clone(),
            (Some(tool), point) => format!("{tool} at {point}"),
            (None, point) => point.to_string(),
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "seq": self.seq,
            "from": self.from.name(),
            "to": self.to.name(),
            "rule": self.rule,
            "point": self.point.name(),
            "tool": self.tool,
            "summary": self.summary,
            "redacted": self.redacted,
        })
    }
}

/// Changes that are alike.
pub(super) struct Group {
    pub(super) count: u64,
    /// How many of them were judged by redacted text.
    pub(super) redacted: u64,
    pub(super) example: Change,
}

type Kind = (Act, Act, Option<String>, Point, Option<String>);

/// How decisions differ.
#[derive(Default)]
pub(super) struct Sides {
    pub(super) all: u64,
    pub(super) same: u64,
    pub(super) more_stopped: u64,
    pub(super) fewer_stopped: u64,
    pub(super) more_asked: u64,
    pub(super) fewer_asked: u64,
    pub(super) otherwise: u64,
}

impl Sides {
    fn add(&mut self, from: Act, to: Act) {
        let count = match (from, to) {
            (from, to) if from == to => &mut self.same,
            (_, Act::Deny) => &mut self.more_stopped,
            (Act::Deny, _) => &mut self.fewer_stopped,
            (_, Act::Ask) => &mut self.more_asked,
            (Act::Ask, _) => &mut self.fewer_asked,
            _ => &mut self.otherwise,
        };
        *count += 1;
    }

    pub(super) fn changed(&self) -> u64 {
        self.more_stopped + self.fewer_stopped + self.more_asked + self.fewer_asked + self.otherwise
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "all": self.all,
            "same": self.same,
            "changed": self.changed(),
            "more_stopped": self.more_stopped,
            "fewer_stopped": self.fewer_stopped,
            "more_asked": self.more_asked,
            "fewer_asked": self.fewer_asked,
            "otherwise": self.otherwise,
        })
    }
}

/// Everything that is said at the end.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) calls: Sides,
    /// Results, prompts, requests to models: whatever is decided upon beside calls.
    pub(super) others: Sides,
    sessions: HashSet<u64>,
    /// When the first and the last were recorded.
    pub(super) span: Option<(String, String)>,
    pub(super) not_kept: u64,
    pub(super) erased: u64,
    pub(super) sealed: u64,
    pub(super) redacted: u64,
    /// Results of calls that would not have run, or only now.
    pub(super) hypothetical: u64,
    /// Refused by a human then.
    pub(super) refused: u64,
    /// Stopped then because something broke, and how many of these would not be stopped now.
    pub(super) broke: u64,
    pub(super) broke_only_then: u64,
    /// What those who only observe would have objected to.
    pub(super) observed: u64,
    /// Whether every change is shown.
    listing: bool,
    groups: HashMap<Kind, Group>,
    /// Changes in none of the groups.
    pub(super) crowded: u64,
}

impl Tally {
    pub(super) fn new(listing: bool) -> Self {
        Self { listing, ..Self::default() }
    }

    /// Whether there was nothing to compare.
    pub(super) fn is_empty(&self) -> bool {
        self.span.is_none()
    }

    /// Counts what was recorded and what is decided now, and gives back the change, if it is one.
    pub(super) fn add(&mut self, recorded: &Recorded<'_>, now: Option<Now>) -> Option<Change> {
        self.meet(recorded);
        let now = match (&recorded.document, now) {
            (_, Some(now)) => now,
            (Ok(_), None) => {
                self.hypothetical += 1;
                return None;
            }
            (Err(why), None) => {
                self.cannot_judge(recorded, *why);
                return None;
            }
        };
        self.redacted += u64::from(recorded.redacted);
        if recorded.then == Then::Broke {
            self.broke += 1;
            self.broke_only_then += u64::from(now.act != Act::Deny);
            return None;
        }
        self.refused += u64::from(recorded.then == Then::Refused);
        let (from, to) = (recorded.then.act(), now.act);
        self.sides(recorded).add(from, to);
        (from != to).then(|| self.change(recorded, to, now.rule))
    }

    fn meet(&mut self, recorded: &Recorded<'_>) {
        self.sides(recorded).all += 1;
        self.sessions.insert(recorded.session_hash());
        let time = &recorded.record.time;
        self.span.get_or_insert_with(|| (time.clone(), String::new())).1.clone_from(time);
    }

    fn sides(&mut self, recorded: &Recorded<'_>) -> &mut Sides {
        if recorded.is_call() { &mut self.calls } else { &mut self.others }
    }

    fn cannot_judge(&mut self, recorded: &Recorded<'_>, why: Unkept) {
        // What was refused came to nothing, so there is nothing to keep.
        if recorded.ended == Some(Ended::Denied) {
            return;
        }
        let count = match why {
            Unkept::Nothing => &mut self.not_kept,
            Unkept::Erased => &mut self.erased,
            Unkept::Sealed => &mut self.sealed,
        };
        *count += 1;
    }

    fn change(&mut self, recorded: &Recorded<'_>, to: Act, rule: Option<String>) -> Change {
        let record = recorded.record;
        let rule = rule.or_else(|| record.rule.clone().or_else(|| record.by.clone()));
        let (from, redacted, tool) = (recorded.then.act(), recorded.redacted, record.tool.clone());
        let kind = (from, to, rule.clone(), recorded.point, tool.clone());
        let known = self.groups.contains_key(&kind);
        // To take credentials out of something long takes its time.
        let summary = if known && !self.listing { String::new() } else { recorded.summary() };
        let change = Change { seq: record.seq, from, to, rule, point: recorded.point, tool, summary, redacted };
        if known || self.groups.len() < MOST_GROUPS {
            let new = || Group { count: 0, redacted: 0, example: change.clone() };
            let group = self.groups.entry(kind).or_insert_with(new);
            group.count += 1;
            group.redacted += u64::from(redacted);
        } else {
            self.crowded += 1;
        }
        change
    }

    pub(super) fn sessions(&self) -> u64 {
        self.sessions.len() as u64
    }

    pub(super) fn changed(&self) -> u64 {
        self.calls.changed() + self.others.changed()
    }

    pub(super) fn unjudged(&self) -> u64 {
        self.not_kept + self.erased + self.sealed
    }

    /// The most frequent first; among equals the one that was recorded first.
    pub(super) fn groups(&self) -> Vec<&Group> {
        let mut groups: Vec<&Group> = self.groups.values().collect();
        groups.sort_by_key(|group| (std::cmp::Reverse(group.count), group.example.seq));
        groups
    }
}
