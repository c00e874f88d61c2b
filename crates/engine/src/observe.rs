//! What would have happened.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use tollgate_core::{Body, Edit, Event, Fault, Guard, OnFault, Registration, Role, Step, Verdict};

/// Something that a rule or check would have done if it were enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Observed {
    /// The rule or check.
    pub by: String,
    /// What it would have done.
    pub would: Would,
    /// Why it did not, where that is because of an exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excepted: Option<String>,
}

/// What something would have done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Would {
    /// Refused it, for this reason.
    Deny(String),
    /// Asked a human: the question's title.
    Ask(String),
    /// Sent it to this provider.
    Route(String),
    /// Answered in its place.
    Answer,
    /// Rewritten it.
    Rewrite,
    /// Noted this down, as it is meant to.
    Log(String),
    /// Broken, and thereby refused it.
    Fault(String),
}

/// Takes what is only observed.
pub type Report = Arc<dyn Fn(&Event<'_>, Observed) + Send + Sync>;

impl Would {
    /// What a verdict would have done; none for a pass.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        Some(match verdict {
            Verdict::Pass => return None,
            Verdict::Deny(reason) => Self::Deny(reason.to_string()),
            Verdict::Ask(query) => Self::Ask(query.title.clone()),
            Verdict::Route(route) => Self::Route(route.provider.clone()),
            Verdict::Answer(_) => Self::Answer,
        })
    }
}

impl fmt::Display for Would {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deny(reason) => write!(f, "would be refused: {reason}"),
            Self::Ask(title) => write!(f, "would be asked about: {title}"),
            Self::Route(provider) => write!(f, "would run at `{provider}`"),
            Self::Answer => f.write_str("would be answered"),
            Self::Rewrite => f.write_str("would be rewritten"),
            Self::Log(message) => write!(f, "is noted: {message}"),
            Self::Fault(what) => write!(f, "would be refused, because it broke: {what}"),
        }
    }
}

/// Reports what a check would have said.
pub(crate) fn observe(report: Option<&Report>, event: &Event<'_>, by: &str, verdict: &Verdict) {
    if let (Some(report), Some(would)) = (report, Would::of(verdict)) {
        report(event, Observed { by: by.to_owned(), would, excepted: None });
    }
}

/// The same interceptor without a say: it sees everything, counts what it counts, and what it would have done is
/// reported. A watcher has no say anyway.
pub(crate) fn observing(registration: Registration, report: Option<&Report>) -> Registration {
    let observer = |inner| Observer { id: Arc::clone(&registration.id), inner, report: report.cloned() };
    let role = match &registration.role {
        Role::Edit(edit) => Role::Edit(Arc::new(observer(Inner::Edit(Arc::clone(edit))))),
        Role::Guard(guard) => Role::Guard(Arc::new(observer(Inner::Guard(Arc::clone(guard))))),
        Role::Watch(_) => return registration,
    };
    // It changes nothing, so no stream need wait for it, and what breaks in it breaks nothing.
    Registration { role, hold_whole: false, on_fault: OnFault::Pass, second_look: false, ..registration }
}

struct Observer {
    id: Arc<str>,
    inner: Inner,
    report: Option<Report>,
}

enum Inner {
    Edit(Arc<dyn Edit>),
    Guard(Arc<dyn Guard>),
}

impl Observer {
    fn heard(&self, event: &Event<'_>, answer: Result<Verdict, Fault>, rewrote: bool) -> Result<Verdict, Fault> {
        let would = match &answer {
            Ok(verdict) => Would::of(verdict).or(rewrote.then_some(Would::Rewrite)),
            Err(fault) => Some(Would::Fault(fault.to_string())),
        };
        if let (Some(report), Some(would)) = (&self.report, would) {
            report(event, Observed { by: self.id.to_string(), would, excepted: None });
        }
        answer.map(|_| Verdict::Pass)
    }

    fn step<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        match &self.inner {
            Inner::Guard(guard) => match guard.judge(event, body) {
                Step::Now(answer) => Step::Now(self.heard(event, answer, false)),
                Step::Later(later) => Step::later(async move { self.heard(event, later.await, false) }),
            },
            Inner::Edit(edit) => Step::later(async move {
                let mut copy = body.clone();
                let answer = match edit.edit(event, &mut copy) {
                    Step::Now(answer) => answer,
                    Step::Later(later) => later.await,
                };
                let rewrote = copy.json() != body.json() || copy.headers() != body.headers();
                let renamed = copy.renamed() != body.renamed();
                self.heard(event, answer, rewrote || renamed || copy.notes != body.notes)
            }),
        }
    }
}

impl Guard for Observer {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        self.step(event, body)
    }
}

impl Edit for Observer {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        self.step(event, body)
    }
}
