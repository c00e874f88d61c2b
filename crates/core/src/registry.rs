use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use serde_json::Value;

use crate::{Edit, Guard, Match, Names, OnFault, Pipeline, Point, Power, Role, Selector, Watch};

/// How long an interceptor that waits may take, unless its registration says otherwise.
const LIMIT: Duration = Duration::from_secs(15);

/// One interceptor, and everything about how it is run.
#[derive(Clone)]
pub struct Registration {
    /// Its name, unique in a registry.
    pub id: Arc<str>,
    /// Whose it is: its own id, unless several registrations are one interceptor. A group that caused an event
    /// is left out of it whole. `None` for one that causes nothing, and that no event can leave out.
    pub group: Option<Arc<str>>,
    /// What it is.
    pub role: Role,
    /// Where it stands.
    pub points: Vec<Point>,
    /// What it is for.
    pub select: Selector,
    /// Higher runs first within a role; equals run in order of registration.
    pub priority: i32,
    /// What its failure means.
    pub on_fault: OnFault,
    /// How long it may wait. A handler that blocks its thread cannot be stopped by anyone; the trace then
    /// says that it overran.
    pub limit: Option<Duration>,
    /// Whether an edit is asked again when a later one changed the body.
    pub second_look: bool,
    /// Whether a stream is held back whole until this interceptor has seen the whole.
    pub hold_whole: bool,
    /// The objections it may make, where that is known; one that a point does not take is refused here
    /// and not at the first call.
    pub powers: Vec<Power>,
    /// What to do when it is broken: a command, or a sentence.
    pub mend: Option<Cow<'static, str>>,
}

impl Registration {
    /// An edit. Its failure refuses the call and leaves the body as it was.
    pub fn edit(id: &str, points: impl Into<Vec<Point>>, edit: impl Edit + 'static) -> Self {
        let base = Self::new(id, points.into(), Role::Edit(Arc::new(edit)));
        // It cannot rewrite what has already gone out.
        Self { hold_whole: true, ..base }
    }

    /// A guard. Its failure refuses the call.
    pub fn guard(id: &str, points: impl Into<Vec<Point>>, guard: impl Guard + 'static) -> Self {
        Self::new(id, points.into(), Role::Guard(Arc::new(guard)))
    }

    /// A watcher. Its failure changes nothing, unless `on_fault` is set to [`OnFault::Deny`].
    pub fn watch(id: &str, points: impl Into<Vec<Point>>, watch: impl Watch + 'static) -> Self {
        let base = Self::new(id, points.into(), Role::Watch(Arc::new(watch)));
        Self { on_fault: OnFault::Pass, ..base }
    }

    fn new(id: &str, points: Vec<Point>, role: Role) -> Self {
        Self {
            id: id.into(),
            group: Some(id.into()),
            role,
            points,
            select: Selector::default(),
            priority: 0,
            on_fault: OnFault::Deny,
            limit: Some(LIMIT),
            second_look: true,
            hold_whole: false,
            powers: Vec::new(),
            mend: None,
        }
    }

    /// What can be known to be wrong now is not left to the first call.
    fn problem(&self) -> Option<String> {
        let Self { id, role, points, powers, select, .. } = self;
        if id.trim().is_empty() || points.is_empty() {
            return Some(format!("an interceptor needs an id and at least one point, and this one is `{id}`"));
        }
        points.iter().find_map(|point| {
            let why = match (role, powers.iter().find(|power| !point.takes(**power))) {
                (Role::Edit(_), _) if !point.is_gate() && *point != Point::SessionStart => {
                    "is an edit, and nothing can be changed"
                }
                (Role::Guard(_), _) if !point.is_gate() => "is a guard, and nothing can be refused",
                _ if !point.is_about_a_tool() && !matches!(select.tool, Match::Any) => {
                    "selects a tool, and there is none"
                }
                (_, Some(power)) => return Some(format!("`{id}` may say {power:?}, and {point} cannot do that")),
                _ => return None,
            };
            Some(format!("`{id}` {why} at {point}"))
        })
    }
}

/// Interceptors being gathered.
///
/// A call never runs on a registry but on a [`snapshot`](Self::snapshot) of it, start to finish: what is
/// added or removed meanwhile holds from the next call on.
#[derive(Clone)]
pub struct Registry {
    pub(crate) entries: Vec<Registration>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) digest: fn(&Value) -> Digest,
    /// The aliases in force.
    pub names: Names,
    /// What becomes of a document that two parsers may read differently: refused, or, with this set, sent
    /// on as it was read.
    pub rewrite_ambiguous: bool,
}

impl Registry {
    /// An empty registry. What core does not have comes in here: aliases, a clock, and the function that
    /// digests a document.
    pub fn new(names: Names, clock: Arc<dyn Clock>, digest: fn(&Value) -> Digest) -> Self {
        Self { entries: Vec::new(), clock, digest, names, rewrite_ambiguous: false }
    }

    /// Adds an interceptor, or says what is wrong with it.
    pub fn add(&mut self, registration: Registration) -> Result<(), BadRegistration> {
        let id = &registration.id;
        let taken = self.get(id).map(|_| format!("there is already an interceptor `{id}`; choose another id"));
        if let Some(problem) = registration.problem().or(taken) {
            return Err(BadRegistration(problem));
        }
        self.entries.push(registration);
        Ok(())
    }

    /// Removes one; says whether it was there.
    pub fn remove(&mut self, id: &str) -> bool {
        let before = self.entries.len();
        self.entries.retain(|entry| *entry.id != *id);
        self.entries.len() < before
    }

    /// The one with this id.
    pub fn get(&self, id: &str) -> Option<&Registration> {
        self.entries.iter().find(|entry| *entry.id == *id)
    }

    /// All of them, in order of registration.
    pub fn list(&self) -> &[Registration] {
        &self.entries
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// What calls run on: sorted, indexed, and never changing.
    pub fn snapshot(&self) -> Pipeline {
        Pipeline::new(self)
    }
}

/// What is wrong with a registration: a message that says what, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRegistration(pub String);

impl fmt::Display for BadRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadRegistration {}

/// Time, as the pipeline needs it. Core has no clock of its own: whoever runs it brings one.
pub trait Clock: Send + Sync {
    /// Time since some fixed moment; never goes back.
    fn now(&self) -> Duration;

    /// Time since 1970.
    fn wall(&self) -> Duration;

    /// Wakes a task at a moment of [`now`](Self::now), so that an interceptor that waits too long can be
    /// dropped. Dropping what is returned takes the alarm back: most handlers answer long before. A clock that
    /// cannot do this enforces no time limits; it returns `Box::new(())`.
    #[must_use = "dropping it takes the alarm back"]
    fn wake_at(&self, moment: Duration, waker: &Waker) -> Box<dyn Send>;
}

/// What identifies one exact call: SHA-256 over its canonical form. `{:.12}` prints its first digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }
}
