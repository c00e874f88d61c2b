//! The centre of Tollgate: what happens to everything an agent wants to do.
//!
//! # A tool call, from beginning to end
//!
//! An agent wants to run `bash` with `{"command": "rm -rf build"}`. A surface (a hook, a gateway, a library)
//! turns that into an [`Event`], which holds the facts, and a [`Body`], which holds the one thing that may be
//! rewritten. It then asks a [`Pipeline`] what to do:
//!
//! ```text
//!             ┌───────────────────── Pipeline::run ──────────────────────┐
//!  Event ───► │  edits  ──►  second looks  ──►  guards  ──►  watchers    │ ───► Act
//!  Body  ───► │  &mut Body   a copy             &Body        &Outcome    │ ───► Body
//!             └──────────────────────────────────────────────────────────┘
//! ```
//!
//! 1. **Edits** rewrite the body, one after another (by priority, then in order of registration), each seeing
//!    the work of the last: a default argument is added, a path gets a prefix. An edit may also object.
//! 2. **Second looks.** An edit that had no objection, before a later one changed the body, is asked again, on a
//!    copy: what it now denies stands, what it now writes is dropped.
//! 3. **Guards** judge the body as it will be used. They come after every edit and cannot write: what was
//!    checked is what runs.
//! 4. Everybody's [`Verdict`]s are joined. There is no "allow" among them: silence is consent, a refusal
//!    beats an answer, an answer beats the rest, and nobody can lift another's objection. A question and a
//!    detour can both stand: a call may need a human *and* a sandbox.
//! 5. **Watchers** see what was decided, always and last. A record is a watcher, and where it must not be
//!    missing, its failure refuses the call.
//! 6. The surface does what the [`Act`] says: pass, route, ask (and do what follows from the
//!    [answer](Question::answer)), answer in the call's place, or deny and say why. Afterwards it runs the result through the same pipeline, at [`Point::ToolAfter`].
//!
//! # In code
//!
//! ```
//! use std::sync::Arc;
//! use serde_json::json;
//! use tollgate_core::{
//!     Act, Body, Event, Guard, Names, Point, Registration, Registry, Selector, Step, Verdict,
//! };
//! // A clock and a digest that do nothing will do here; the `tollgate` crate has real ones.
//! # use std::{task::Waker, time::Duration};
//! # struct NoClock;
//! # impl tollgate_core::Clock for NoClock {
//! #     fn now(&self) -> Duration { Duration::ZERO }
//! #     fn wall(&self) -> Duration { Duration::ZERO }
//! #     fn wake_at(&self, _: Duration, _: &Waker) -> Box<dyn Send> { Box::new(()) }
//! # }
//! # fn digest(_: &serde_json::Value) -> tollgate_core::Digest { tollgate_core::Digest([0; 32]) }
//!
//! /// Keeps `rm -rf` from running.
//! struct NoRmRf;
//!
//! impl Guard for NoRmRf {
//!     fn judge<'a>(&'a self, _event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
//!         Step::Now(body.json().map(|arguments| match arguments["command"].as_str() {
//!             Some(command) if command.contains("rm -rf") => Verdict::deny("use `trash` instead"),
//!             _ => Verdict::Pass,
//!         }))
//!     }
//! }
//!
//! let mut names = Names::default();
//! names.alias("bash", "exec");
//! let mut registry = Registry::new(names, Arc::new(NoClock), digest);
//! registry.add(Registration {
//!     select: Selector::tool("exec"),
//!     ..Registration::guard("no-rm-rf", [Point::ToolBefore], NoRmRf)
//! })?;
//!
//! let pipeline = registry.snapshot();
//! let name = pipeline.name("Bash");
//! let event = Event::tool(Point::ToolBefore, &name, "call-1");
//! let mut body = Body::from(json!({"command": "rm -rf build"}));
//! let outcome = pipeline.run_now(&event, &mut body);
//! assert!(matches!(outcome.act, Act::Deny(ruling) if ruling.reason == "use `trash` instead"));
//! # Ok::<(), tollgate_core::BadRegistration>(())
//! ```
//!
//! # The mistake this crate exists to prevent
//!
//! Most hook systems have one list of handlers, sorted by numbers that strangers chose, and let each of them
//! both check and change. Then this happens:
//!
//! ```text
//! priority 100   approve("ls")          looks fine
//! priority  10   rewrite → "rm -rf /"   runs unchecked
//! ```
//!
//! Here it cannot: a [`Guard`] has no `&mut`, and runs when all writing is over. Whoever has to do both is an
//! [`Edit`], and is asked twice.
//!
//! # When something breaks
//!
//! A handler that panics, hangs, or answers nonsense has not consented. It is a [`Fault`], and the
//! registration's [`OnFault`] says what that means: for edits and guards it is a refusal that names the
//! culprit and how to mend it, for watchers it is ignored. An edit that breaks leaves the body as it found it.
//! A document that cannot be read, or that two parsers could read differently, is refused as soon as
//! somebody has looked at it.
//!
//! # What is not here
//!
//! No clock, no hash, no parser, no regular expressions, no runtime, no IO: these come in through
//! [`Registry::new`], [`Reader`], [`Match::with`] and whoever polls the future. A caller without a runtime
//! uses [`Pipeline::run_now`]. Nothing is allocated for a run in which up to sixteen interceptors answer at once
//! and none of them writes or objects; reading a document that came as bytes is another matter.

mod body;
mod event;
mod fault;
mod headers;
mod index;
mod name;
mod outcome;
mod pipeline;
mod point;
mod registry;
mod roles;
mod run;
mod select;
mod stream;
mod trace;
mod verdict;

pub use body::{Body, Reader};
pub use event::{Ended, Event};
pub use fault::{Fault, FaultKind, OnFault};
pub use headers::Headers;
pub use name::{Name, Names};
pub use outcome::{Act, Approval, Cause, Outcome, Question, Ruling};
pub use pipeline::Pipeline;
pub use point::{Point, Power};
pub use registry::{BadRegistration, Clock, Digest, Registration, Registry};
pub use roles::{Edit, Flow, Guard, Role, Step, Watch};
pub use select::{Match, Selector};
pub use stream::Stream;
pub use trace::{Entry, Said, Trace};
pub use verdict::{Query, Route, Verdict};
