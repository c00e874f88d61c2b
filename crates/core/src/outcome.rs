use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::{Body, Digest, Fault, FaultKind, Point, Query, Registration, Route, Trace, Verdict};

/// What a run of the pipeline came to. By default nobody took part, and it goes.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What the caller must do now.
    pub act: Act,
    /// Who was due, who ran, and what each of them said.
    pub trace: Trace,
}

/// What the surface must now do. Matched exhaustively, so that no surface can forget a question or a
/// sandbox.
///
/// ```
/// use tollgate_core::Act;
///
/// fn carry_out(act: Act) -> &'static str {
///     match act {
///         Act::Pass => "run it as it now is",
///         Act::Route { .. } => "run it there",
///         Act::Ask(_) => "ask, and match again on what follows from the answer",
///         Act::Answer(_) => "hand this out as its result",
///         Act::Deny(_) => "say why not",
///     }
/// }
/// # assert_eq!(carry_out(Act::Pass), "run it as it now is");
/// ```
#[derive(Clone, Debug, Default)]
pub enum Act {
    /// Do it, with the body as it now is.
    #[default]
    Pass,
    /// Do it there instead.
    Route {
        /// The place.
        route: Box<Route>,
        /// Which call this is for; a call with another digest may not use the route.
        digest: Digest,
    },
    /// Ask a human; [`Question::answer`] yields the act that follows. No answer is a refusal.
    Ask(Box<Question>),
    /// Do not do it: this is the result. It passes the after-point like any other.
    Answer(Box<Body>),
    /// Do not do it, and say why.
    Deny(Box<Ruling>),
}

/// A refusal: who made it and why. The one type for it; dialects turn it into each protocol's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The interceptor that refused, unless it was the pipeline itself.
    pub by: Option<Arc<str>>,
    /// What kind of refusal this is.
    pub cause: Cause,
    /// Why, in words the model and its user can act on.
    pub reason: Cow<'static, str>,
}

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An interceptor objected.
    Objection,
    /// An interceptor broke, and its registration says that means no.
    Fault(FaultKind),
    /// Two parsers may read the document differently.
    Ambiguous,
    /// A gate had to look and the document cannot be read.
    Unreadable,
    /// Two interceptors want the call at different places.
    Conflict,
    /// A verdict, an edit or a rename that cannot be carried out here.
    Power,
    /// The call was renamed too often.
    Renames,
    /// Interceptors caused one another too deep.
    Depth,
    /// A human said no.
    Refused,
    /// Nobody answered in time.
    Expired,
    /// The approval is for another call.
    Mismatch,
}

/// Everything that must be granted before the call may happen: the questions of all who asked, as one.
///
/// An answer counts for the call that was asked about and for no other:
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::{Act, Approval, Cause, Digest, Question};
///
/// let question = Question { parts: Vec::new(), digest: Digest([1; 32]), deadline: None, route: None };
/// let yes = |digest| Approval { digest, granted: true, by: "ann".into(), at: Duration::ZERO };
/// assert!(matches!(question.clone().answer(&yes(Digest([1; 32]))), Act::Pass));
/// let other = question.answer(&yes(Digest([2; 32])));
/// assert!(matches!(other, Act::Deny(ruling) if ruling.cause == Cause::Mismatch));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Who asks what, in order.
    pub parts: Vec<(Arc<str>, Query)>,
    /// The call that is asked about.
    pub digest: Digest,
    /// When an answer comes too late, as time since 1970; the earliest of the askers' limits.
    pub deadline: Option<Duration>,
    /// Where the call goes once it is granted.
    pub route: Option<Box<Route>>,
}

/// A human's answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The call that was shown to them.
    pub digest: Digest,
    /// Yes or no, to all of it.
    pub granted: bool,
    /// Who answered.
    pub by: String,
    /// When, as time since 1970.
    pub at: Duration,
}

impl Outcome {
    /// A refusal before anybody was asked.
    pub(crate) fn deny(cause: Cause, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { act: Act::Deny(Box::new(Ruling::of_pipeline(cause, reason))), ..Self::default() }
    }
}

impl Act {
    /// The word for it in files, records and messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Route { .. } => "route",
            Self::Ask(_) => "ask",
            Self::Answer(_) => "answer",
            Self::Deny(_) => "deny",
        }
    }
}

impl Question {
    /// The act that follows from an answer: `Pass` or `Route` if this very call was granted in time,
    /// else `Deny`.
    pub fn answer(self, approval: &Approval) -> Act {
        let refuse = |cause, reason: String| Act::Deny(Box::new(Ruling::of_pipeline(cause, reason)));
        match (self.route, approval) {
            _ if approval.digest != self.digest => {
                refuse(Cause::Mismatch, "the approval is for another call".to_owned())
            }
            (_, Approval { granted: false, by, .. }) => refuse(Cause::Refused, format!("denied by {by}")),
            _ if self.deadline.is_some_and(|deadline| approval.at > deadline) => {
                refuse(Cause::Expired, "the approval came too late; ask again".to_owned())
            }
            (Some(route), _) => Act::Route { route, digest: self.digest },
            (None, _) => Act::Pass,
        }
    }
}

impl Ruling {
    /// A refusal by the pipeline itself.
    pub fn of_pipeline(cause: Cause, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { by: None, cause, reason: reason.into() }
    }

    /// A refusal because an interceptor broke. It names the interceptor and what mends it, so that a
    /// broken gate does not lock its owner out.
    pub(crate) fn of_fault(who: &Registration, fault: &Fault) -> Self {
        let id = &who.id;
        let mend = who.mend.as_deref().unwrap_or("fix or remove it, then try again");
        let reason = format!("`{id}` could not judge this ({fault}), so it is refused; to mend it: {mend}");
        Self { by: Some(Arc::clone(id)), cause: Cause::Fault(fault.kind), reason: reason.into() }
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Ruling {}

/// All opinions so far. Deny beats answer beats the rest; ask and route are independent, because a call
/// can need a human *and* a sandbox. Nothing here can be taken back, so adding an interceptor never
/// weakens an outcome.
#[derive(Default)]
pub(crate) struct Joined {
    pub(crate) deny: Option<Ruling>,
    pub(crate) answer: Option<Box<Body>>,
    pub(crate) asks: Vec<(Arc<str>, Query)>,
    /// Where to, and who says so.
    pub(crate) route: Option<(Vec<Arc<str>>, Box<Route>)>,
}

impl Joined {
    pub(crate) fn join(&mut self, by: &Arc<str>, point: Point, verdict: Verdict) {
        let taken = verdict.power().is_none_or(|power| point.takes(power));
        match verdict {
            Verdict::Deny(reason) => self.deny(Ruling { by: Some(Arc::clone(by)), cause: Cause::Objection, reason }),
            _ if !taken => self.refuse(Cause::Power, format!("`{by}` gave a verdict that {point} does not take")),
            Verdict::Pass => {}
            Verdict::Answer(body) => drop(self.answer.get_or_insert(body)),
            Verdict::Ask(query) => self.ask((Arc::clone(by), *query)),
            Verdict::Route(route) => self.route(by, route),
        }
    }

    /// The first refusal stands.
    pub(crate) fn deny(&mut self, ruling: Ruling) {
        self.deny.get_or_insert(ruling);
    }

    /// A refusal by the pipeline itself.
    pub(crate) fn refuse(&mut self, cause: Cause, reason: impl Into<Cow<'static, str>>) {
        self.deny(Ruling::of_pipeline(cause, reason));
    }

    /// The same question twice is one.
    pub(crate) fn ask(&mut self, part: (Arc<str>, Query)) {
        if !self.asks.contains(&part) {
            self.asks.push(part);
        }
    }

    /// Equal routes join; a call cannot be at two places.
    pub(crate) fn route(&mut self, by: &Arc<str>, route: Box<Route>) {
        let (first, there) = self.route.get_or_insert_with(|| (Vec::new(), route.clone()));
        if *there == route && !first.contains(by) {
            first.push(Arc::clone(by));
        } else if *there != route {
            let first = first.join("`, `");
            let (at, to) = (&there.provider, &route.provider);
            let reason = format!("`{first}` sends it to `{at}` and `{by}` to `{to}`, and not in the same way");
            self.refuse(Cause::Conflict, reason);
        }
    }
}
