//! Judging away from the threads that must not wait.
//!
//! Judging may block: the record waits for its lock, is written and signed, the state waits for its own, protected places
//! and workspaces are looked up on the disk, and a `[[hook]]` has its scripts read. Where one thread serves many
//! connections, a lock that another process holds for seconds would stall them all. So an async surface never runs a
//! pipeline on its reactor. It gives each run, with all that it owns, to a [`Pool`] and awaits what comes back:
//!
//! ```text
//!  reactor   ──► pool.judge(…) ──────────────► await ──► act
//!                    │ nothing registered        ▲
//!                    │ there: at once            │
//!  threads           └──► run, record ───────────┘
//! ```

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::{Builder, JoinHandle};

use tollgate_core::{Act, Cause, Fault, FaultKind, Outcome, Pipeline, Point, Ruling};

/// A fixed number of threads that judge, for surfaces that must not wait.
///
/// It needs no runtime: what it returns are plain futures.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use tollgate_clock::{SystemClock, block_on};
/// use tollgate_core::{Act, Body, Event, Names, Point, Registry};
/// use tollgate_engine::judge::{Pool, refusal};
///
/// # let pipeline = Registry::new(Names::default(), Arc::new(SystemClock::default()), tollgate_wire::digest).snapshot();
/// let pool = Pool::new(4, 1000)?;
/// // What is judged is owned by the work, so it can go on without whoever asked.
/// let (tool, mut body) = ("Bash".to_owned(), Body::from(json!({"command": "ls"})));
/// let judging = pool.judge(&pipeline, Point::ToolBefore, Some("Bash"), move |pipeline| {
///     let name = pipeline.name(&tool);
///     let outcome = block_on(pipeline.run(&Event::tool(Point::ToolBefore, &name, "call-1"), &mut body));
///     (outcome, body)
/// });
/// // On the reactor this is `judging.await`.
/// let outcome = match block_on(judging) {
///     Ok((outcome, _body)) => outcome,
///     Err(fault) => refusal(&fault),
/// };
/// assert!(matches!(outcome.act, Act::Pass));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// A call whose future is dropped, because its client has gone, is judged and recorded all the same. When the pool is
/// dropped, what waits is still judged; [`finish`](Self::finish) waits for that.
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

type Job = Box<dyn FnOnce() + Send>;

struct Shared {
    queue: Mutex<Queue>,
    news: Condvar,
    /// How many may wait.
    most: usize,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    /// Nothing more will come.
    closed: bool,
}

impl Pool {
    /// So many threads, and so many calls that may wait for one. Calls that wait for the same lock each keep a thread, so
    /// there should be more of them than processors.
    pub fn new(threads: usize, waiting: usize) -> io::Result<Self> {
        let shared = Arc::new(Shared { queue: Mutex::default(), news: Condvar::new(), most: waiting });
        let mut pool = Self { shared, threads: Vec::new() };
        for _ in 0..threads.max(1) {
            let shared = Arc::clone(&pool.shared);
            let thread = Builder::new().name("tollgate-judge".to_owned()).spawn(move || shared.work())?;
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    /// Does work that runs a pipeline at a point, for one tool or without any: at once if nobody is registered there, else
    /// on a thread of the pool.
    ///
    /// The work does nothing else that could block. It panics, or too many wait: that is a fault, and
    /// [`refusal`] says what follows from it.
    pub fn judge<T: Send + 'static>(
        &self,
        pipeline: &Pipeline,
        point: Point,
        tool: Option<&str>,
        work: impl FnOnce(&Pipeline) -> T + Send + 'static,
    ) -> Judging<T> {
        if pipeline.order(point, tool).is_empty() {
            return Judging(Stage::Done(Some(Fault::catch(|| work(pipeline)))));
        }
        let pipeline = pipeline.clone();
        self.run(move || work(&pipeline))
    }

    /// Does other work that may block, such as [`Engine::redeem`](crate::Engine::redeem), on a thread of the pool.
    pub fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Judging<T> {
        let slot = Arc::new(Slot::new());
        let filled = Arc::clone(&slot);
        match self.shared.add(Box::new(move || filled.fill(Fault::catch(work)))) {
            Ok(()) => Judging(Stage::Waiting(slot)),
            Err(fault) => Judging(Stage::Done(Some(Err(fault)))),
        }
    }

    /// Waits until everything is judged that was asked for.
    pub fn finish(mut self) {
        self.shared.close();
        for thread in self.threads.drain(..) {
            // It has caught every panic already.
            let _ = thread.join();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// What follows for a call that could not be judged: a guard that cannot speak denies.
pub fn refusal(fault: &Fault) -> Outcome {
    let reason = format!("this could not be judged ({fault}), so it is refused");
    let ruling = Ruling::of_pipeline(Cause::Fault(fault.kind), reason);
    Outcome { act: Act::Deny(Box::new(ruling)), ..Outcome::default() }
}

impl Shared {
    fn add(&self, job: Job) -> Result<(), Fault> {
        let mut queue = self.queue();
        if queue.waiting.len() >= self.most {
            let detail = format!("{} calls wait to be judged already; try again later", self.most);
            return Err(Fault::new(FaultKind::Flood, detail));
        }
        queue.waiting.push_back(job);
        self.news.notify_one();
        Ok(())
    }

    fn close(&self) {
        self.queue().closed = true;
        self.news.notify_all();
    }

    /// What a thread does all its life.
    fn work(&self) {
        while let Some(job) = self.next() {
            job();
        }
    }

    fn next(&self) -> Option<Job> {
        let mut queue = self.queue();
        loop {
            match queue.waiting.pop_front() {
                Some(job) => return Some(job),
                None if queue.closed => return None,
                None => queue = self.news.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a thread leaves what came of its work, for whoever waits.
struct Slot<T>(Mutex<Left<T>>);

struct Left<T> {
    result: Option<Result<T, Fault>>,
    waker: Option<Waker>,
}

impl<T> Slot<T> {
    fn new() -> Self {
        Self(Mutex::new(Left { result: None, waker: None }))
    }

    fn fill(&self, result: Result<T, Fault>) {
        let mut left = self.left();
        left.result = Some(result);
        let waker = left.waker.take();
        drop(left);
        // A task that panics when it is woken must not take the thread with it.
        let _ = Fault::catch(|| waker.map(Waker::wake));
    }

    /// What was left, or who is to be woken when something is.
    fn take(&self, waker: &Waker) -> Option<Result<T, Fault>> {
        let mut left = self.left();
        left.waker = Some(waker.clone());
        left.result.take()
    }

    fn left(&self) -> MutexGuard<'_, Left<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What will come of a judgement. Dropping it does not end the work.
#[must_use = "the work is done, but nobody learns what came of it"]
pub struct Judging<T>(Stage<T>);

enum Stage<T> {
    Done(Option<Result<T, Fault>>),
    Waiting(Arc<Slot<T>>),
}

impl<T> Unpin for Judging<T> {}

impl<T> Future for Judging<T> {
    type Output = Result<T, Fault>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let result = match &mut self.0 {
            Stage::Done(result) => result.take(),
            Stage::Waiting(slot) => slot.take(context.waker()),
        };
        match result {
            Some(result) => {
                self.0 = Stage::Done(None);
                Poll::Ready(result)
            }
            None => Poll::Pending,
        }
    }
}
