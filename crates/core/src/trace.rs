use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::{Body, Digest, Fault, Registration, Verdict};

/// How many entries a trace holds without allocating.
const FEW: usize = 16;

/// The proof of a run: who was due, who ran, who changed what, who objected or failed.
#[derive(Clone, Default)]
pub struct Trace {
    pub(crate) of: Option<Arc<Vec<Registration>>>,
    pub(crate) few: [Entry; FEW],
    pub(crate) more: Vec<Entry>,
    pub(crate) len: usize,
    /// The digest of the final call, if the act is bound to it.
    pub digest: Option<Digest>,
}

/// A body before and after an edit.
pub(crate) type Change = Option<(Body, Body)>;

/// What one interceptor did in a run.
#[derive(Clone, Default)]
pub struct Entry {
    pub(crate) who: u32,
    /// 1, or 2 when it was asked again about the final body.
    pub look: u8,
    /// Whether this was about the command of a route.
    pub routed: bool,
    /// Whether it took longer than it may and could not be stopped.
    pub overran: bool,
    /// How long it took.
    pub took: Duration,
    /// Most have nothing to tell, and then this costs nothing.
    pub(crate) told: Option<Box<(Said, Change)>>,
}

/// What an interceptor said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing.
    Passed,
    /// No, and why.
    Denied(String),
    /// That a human decide: the question's title.
    Asked(String),
    /// That it go elsewhere: to which provider.
    Diverted(String),
    /// The answer itself.
    Answered,
    /// Nothing, because it broke.
    Faulted(Fault),
    /// It was not asked, because it caused this event itself.
    Skipped,
}

impl Said {
    pub(crate) fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Passed,
            Verdict::Divert(route) => Self::Diverted(route.provider.clone()),
            Verdict::Ask(query) => Self::Asked(query.title.clone()),
            Verdict::Answer(_) => Self::Answered,
            Verdict::Deny(reason) => Self::Denied(reason.to_string()),
        }
    }
}

impl Entry {
    /// What it said.
    pub fn said(&self) -> &Said {
        self.told.as_ref().map_or(&Said::Passed, |told| &told.0)
    }

    /// The body before and after, if it changed it. Both may hold secrets: redact before you write them down.
    pub fn change(&self) -> Option<&(Body, Body)> {
        self.told.as_ref()?.1.as_ref()
    }
}

impl Trace {
    /// Every turn, in order, with whose it was.
    pub fn entries(&self) -> impl Iterator<Item = (&Registration, &Entry)> {
        let all = self.of.as_deref().map_or(&[][..], Vec::as_slice);
        self.turns().filter_map(|entry| Some((all.get(entry.who as usize)?, entry)))
    }

    pub(crate) fn turns(&self) -> impl Iterator<Item = &Entry> {
        self.few.iter().take(self.len).chain(&self.more)
    }

    pub(crate) fn push(&mut self, mut entry: Entry, said: Said, change: Change) {
        if said != Said::Passed || change.is_some() {
            entry.told = Some(Box::new((said, change)));
        }
        self.add(entry);
    }

    fn add(&mut self, entry: Entry) {
        match self.few.get_mut(self.len) {
            Some(free) => *free = entry,
            None => self.more.push(entry),
        }
        self.len += 1;
    }

    /// Takes over the turns of another run.
    pub(crate) fn append(&mut self, other: &Self) {
        other.turns().for_each(|entry| self.add(entry.clone()));
    }
}

/// Says who did what, and nothing of what the documents hold.
impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = |(who, entry): (&Registration, &Entry)| (Arc::clone(&who.id), entry.look, entry.said().clone());
        f.debug_list().entries(self.entries().map(turn)).finish()
    }
}
