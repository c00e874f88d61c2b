use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::{Digest, Fault, Registration, Verdict};

/// How many entries a trace holds without allocating.
const FEW: usize = 16;

/// The proof of a run: who was due, who ran, who changed what, who objected or failed.
///
/// It holds no values of the document, only where it changed, so it may be logged.
#[derive(Clone, Default)]
pub struct Trace {
    of: Option<Arc<Vec<Registration>>>,
    few: [Slot; FEW],
    len: usize,
    more: Vec<Slot>,
    details: Vec<Detail>,
    pub(crate) digest: OnceLock<Digest>,
}

/// One interceptor's turn, small enough to be written on every run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Slot {
    pub(crate) who: u32,
    /// 1 for the first look, 2 for the second.
    pub(crate) look: u8,
    pub(crate) routed: bool,
    pub(crate) overran: bool,
    /// One more than the place of its [`Detail`]; most have nothing to tell.
    pub(crate) detail: u32,
    pub(crate) took: Duration,
}

#[derive(Clone)]
struct Detail {
    said: Said,
    changed: Vec<String>,
}

/// What one interceptor did in a run.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    /// Who.
    pub by: &'t Registration,
    /// What it said.
    pub said: &'t Said,
    /// What it changed: JSON pointers into the document, or `name`, `headers`, `notes`, `labels`.
    pub changed: &'t [String],
    /// 1, or 2 when it was asked again about the final body.
    pub look: u8,
    /// Whether this was about the command of a route.
    pub routed: bool,
    /// How long it took.
    pub took: Duration,
    /// Whether it took longer than it may and could not be stopped.
    pub overran: bool,
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

impl Trace {
    pub(crate) fn of(registrations: &Arc<Vec<Registration>>) -> Self {
        Self { of: Some(Arc::clone(registrations)), ..Self::default() }
    }

    /// Every turn, in order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let all = self.of.as_deref().map_or(&[][..], Vec::as_slice);
        self.slots().filter_map(move |slot| {
            let detail = (slot.detail as usize).checked_sub(1).and_then(|at| self.details.get(at));
            Some(Entry {
                by: all.get(slot.who as usize)?,
                said: detail.map_or(&Said::Passed, |detail| &detail.said),
                changed: detail.map_or(&[], |detail| detail.changed.as_slice()),
                look: slot.look,
                routed: slot.routed,
                took: slot.took,
                overran: slot.overran,
            })
        })
    }

    /// Whether nobody was due.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The digest of the final call, if anybody asked for it.
    pub fn digest(&self) -> Option<Digest> {
        self.digest.get().copied()
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.few.iter().take(self.len).chain(&self.more)
    }

    pub(crate) fn push(&mut self, mut slot: Slot, said: Said, changed: Vec<String>) {
        if said != Said::Passed || !changed.is_empty() {
            self.details.push(Detail { said, changed });
            slot.detail = u32::try_from(self.details.len()).unwrap_or(0);
        }
        match self.few.get_mut(self.len) {
            Some(free) => *free = slot,
            None => self.more.push(slot),
        }
        self.len += 1;
    }

    /// Puts the turns taken on the pieces of a stream before those on the whole.
    pub(crate) fn adopt(&mut self, mut earlier: Self) {
        earlier.append(self);
        earlier.digest = std::mem::take(&mut self.digest);
        *self = earlier;
    }

    /// Takes over the turns of a run within this one.
    pub(crate) fn append(&mut self, inner: &Self) {
        for slot in inner.slots() {
            let detail = (slot.detail as usize).checked_sub(1).and_then(|at| inner.details.get(at)).cloned();
            let Detail { said, changed } = detail.unwrap_or(Detail { said: Said::Passed, changed: Vec::new() });
            self.push(Slot { detail: 0, ..*slot }, said, changed);
        }
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries()).finish()
    }
}
