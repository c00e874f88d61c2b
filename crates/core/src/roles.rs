use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{Body, Event, Fault, Outcome, Verdict};

/// An answer now, or a future of one.
///
/// Most interceptors look and answer: they return [`Now`](Self::Now) and cost no allocation. One that has
/// to wait (for a program, a network, a human's script) returns [`Later`](Self::Later) and pays for one box.
pub enum Step<'a, T> {
    /// Here is the answer.
    Now(Result<T, Fault>),
    /// It will come. Dropped if it takes too long.
    Later(Later<'a, T>),
}

pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send + 'a>>;

impl Step<'_, Verdict> {
    /// No objection.
    pub const PASS: Self = Self::Now(Ok(Verdict::Pass));
}

impl<'a, T> Step<'a, T> {
    /// An answer that has to be waited for.
    pub fn later(answer: impl Future<Output = Result<T, Fault>> + Send + 'a) -> Self {
        Self::Later(Box::pin(answer))
    }
}

/// Rewrites the body. Edits run first, in order, and each sees the work of the last.
///
/// An edit may also object. If a later edit changes the body after it passed, it is asked once more about
/// the final body (`event.look == 2`): what it then denies stands, what it then writes is dropped.
///
/// If you only judge, be a [`Guard`]: you will always see the final body, and you cannot break anything.
pub trait Edit: Send + Sync {
    /// Looks at the body, changes it, objects to it.
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict>;

    /// A worker for one stream, if this edit can work piece by piece. Without one it gets the assembled
    /// whole, and nothing is released before.
    fn open(&self, _event: &Event<'_>) -> Option<Box<dyn Flow>> {
        None
    }
}

/// Judges the body as it will be used. Guards run after every edit and cannot write.
pub trait Guard: Send + Sync {
    /// Looks at the final body and objects, or not.
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict>;

    /// A worker for one stream, if this guard can judge piece by piece.
    fn open(&self, _event: &Event<'_>) -> Option<Box<dyn Flow>> {
        None
    }
}

/// Sees what was decided, always and last. It has no verdict to give.
///
/// ```
/// # use tollgate_core::{Body, Digest, Event, Outcome, Step, Watch};
/// struct Sees(std::sync::Mutex<Option<Digest>>);
/// impl Watch for Sees {
///     fn watch<'a>(&'a self, _: &'a Event<'a>, _: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
///         *self.0.lock().unwrap() = outcome.trace.digest;
///         Step::Now(Ok(()))
///     }
/// }
/// ```
///
/// Nor can it change the record of what happened, for those who look after it:
///
/// ```compile_fail
/// # use tollgate_core::{Body, Event, Outcome, Step, Watch};
/// struct Changes;
/// impl Watch for Changes {
///     fn watch<'a>(&'a self, _: &'a Event<'a>, _: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
///         outcome.trace.digest = None;
///         Step::Now(Ok(()))
///     }
/// }
/// ```
pub trait Watch: Send + Sync {
    /// Looks at what passed and what became of it.
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()>;
}

/// An interceptor's memory of one stream. It lives and dies with the stream.
pub trait Flow: Send {
    /// Takes the next piece and passes on what may go: nothing yet, the piece, or more than one. What a
    /// guard passes on is only counted: those pieces are cleared, as they are.
    fn push(&mut self, event: &Event<'_>, piece: Body, out: &mut Vec<Body>) -> Result<Verdict, Fault>;

    /// The stream is over: passes on what was held back.
    fn finish(&mut self, event: &Event<'_>, out: &mut Vec<Body>) -> Result<Verdict, Fault>;
}

/// Which of the three an interceptor is. The role decides how it is run: prefer the least powerful.
#[derive(Clone)]
pub enum Role {
    /// It rewrites, and may object.
    Edit(Arc<dyn Edit>),
    /// It judges.
    Guard(Arc<dyn Guard>),
    /// It watches.
    Watch(Arc<dyn Watch>),
}
