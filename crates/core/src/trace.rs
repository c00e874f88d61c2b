use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::run::Due;
use crate::{Body, Digest, Event, Fault, Registration, Verdict};

/// How many turns a trace holds without allocating.
const FEW: usize = 16;

/// The proof of a run: who was due, who ran, who changed what, who objected or failed.
#[derive(Clone, Default)]
pub struct Trace {
    pub(crate) of: Option<Arc<Vec<Registration>>>,
    /// Who just passed, and in how many nanoseconds. That is all there is to tell of most, and a trace is
    /// moved about a good deal.
    pub(crate) few: [(u32, u32); FEW],
    pub(crate) len: usize,
    /// The rest, from the first turn on that there is more to tell of.
    pub(crate) more: Vec<Entry>,
    /// The digest of the final call, if the act is bound to it.
    pub digest: Option<Digest>,
}

/// What one interceptor did in a run.
#[derive(Clone)]
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
    /// What it said.
    pub said: Said,
    /// The body before and after, if it changed it. Both may hold secrets: redact before you write them down.
    pub change: Change,
}

/// A body before and after an edit, if that changed it.
pub(crate) type Change = Option<Box<(Body, Body)>>;

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
    Routed(String),
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
            Verdict::Route(route) => Self::Routed(route.provider.clone()),
            Verdict::Ask(query) => Self::Asked(query.title.clone()),
            Verdict::Answer(_) => Self::Answered,
            Verdict::Deny(reason) => Self::Denied(reason.to_string()),
        }
    }
}

impl Trace {
    /// Every turn, in order, with whose it was.
    pub fn entries(&self) -> impl Iterator<Item = (&Registration, Entry)> {
        let few = self.few.iter().take(self.len).map(|&(who, nanos)| {
            let (took, said) = (Duration::from_nanos(nanos.into()), Said::Passed);
            Entry { who, look: 1, routed: false, overran: false, took, said, change: None }
        });
        let all = self.of.as_deref().map_or(&[][..], Vec::as_slice);
        let turns = few.chain(self.more.iter().cloned());
        turns.filter_map(|entry| Some((all.get(entry.who as usize)?, entry)))
    }

    /// Whose turns there were.
    pub(crate) fn turns(&self) -> impl Iterator<Item = u32> {
        self.few.iter().take(self.len).map(|few| few.0).chain(self.more.iter().map(|entry| entry.who))
    }

    /// Notes down a turn.
    pub(crate) fn note(&mut self, event: &Event<'_>, due: Due<'_>, took: Duration, said: Said, change: Change) {
        let Due { who, entry } = due;
        let (look, routed, overran) = (event.look, event.routed, entry.limit.is_some_and(|limit| took > limit));
        let plain = matches!(said, Said::Passed) && look == 1 && !routed && !overran && change.is_none();
        let plain = plain && took.as_secs() == 0 && self.more.is_empty();
        match self.few.get_mut(self.len).filter(|_| plain) {
            Some(free) => (*free, self.len) = ((who, took.subsec_nanos()), self.len + 1),
            None => self.more.push(Entry { who, look, routed, overran, took, said, change }),
        }
    }
}

/// Says who did what, and nothing of what the documents hold.
impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not what they said, which may quote the document.
        let turn = |(who, entry): (&Registration, Entry)| (Arc::clone(&who.id), entry.look, entry.took);
        f.debug_list().entries(self.entries().map(turn)).finish()
    }
}
