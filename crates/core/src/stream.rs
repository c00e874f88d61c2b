use crate::pipeline::MAX_CHAIN;
use crate::run::{Due, Run};
use crate::{Act, Body, Cause, Ended, Event, Fault, Flow, OnFault, Outcome, Pipeline, Role, Ruling, Trace, Verdict};

/// One streamed document on its way through the pipeline.
///
/// Interceptors that can work piece by piece do; the others get the assembled whole before the last piece
/// is released. Where one of them must see the whole first ([`Registration::hold_whole`]), nothing is
/// released before.
///
/// Every stream is to be ended: with [`finish`](Self::finish), or with [`cancel`](Self::cancel) when its client is
/// gone. One that is dropped has no outcome, and nobody hears of it.
///
/// [`Registration::hold_whole`]: crate::Registration::hold_whole
#[must_use = "a stream that is not ended leaves no record"]
pub struct Stream {
    pipeline: Pipeline,
    workers: Vec<Worker>,
    /// Every piece after the edits, released or not.
    pieces: Vec<Body>,
    released: usize,
    /// How many of the newest pieces wait for those who judge the whole: the last, and any may be the last; or
    /// all of them.
    keep: usize,
    index: u64,
    /// Why it was stopped.
    stopped: Option<Ruling>,
}

struct Worker {
    who: u32,
    /// How many more pieces it was given than it passed on.
    owes: usize,
    /// A worker that broke stays broken.
    flow: Result<Box<dyn Flow>, Fault>,
    /// How many pieces a guard has cleared; edits hold back by not passing on.
    cleared: Option<usize>,
}

impl Pipeline {
    /// Opens a stream. The facts are those of the whole; `index` and `last` are filled in on the way.
    pub fn open(&self, event: &Event<'_>) -> Stream {
        let (mut workers, mut keep) = (Vec::new(), 0);
        let mut run = Run::new(self, true, &[]);
        for &who in self.plan(event, &Body::default()).unwrap_or_default().all() {
            let Some(Due { entry, .. }) = run.due(event, who) else { continue };
            let (opened, cleared) = match &entry.role {
                Role::Edit(edit) => (Fault::catch(|| edit.open(event)), None),
                Role::Guard(guard) => (Fault::catch(|| guard.open(event)), Some(0)),
                // Without a record there is no end.
                Role::Watch(_) if entry.on_fault == OnFault::Deny => (Ok(None), None),
                Role::Watch(_) => continue,
            };
            match opened.transpose() {
                Some(flow) => workers.push(Worker { who, owes: 0, cleared: cleared.filter(|_| flow.is_ok()), flow }),
                None => keep = keep.max(if entry.hold_whole { usize::MAX } else { 1 }),
            }
        }
        Stream { pipeline: self.clone(), workers, pieces: Vec::new(), released: 0, keep, index: 0, stopped: None }
    }
}

impl Stream {
    /// Takes the next piece and gives back what may go out now. An error is the end of the stream: its
    /// act is `Deny`, and nothing more may be released.
    pub async fn push(&mut self, event: &Event<'_>, piece: Body) -> Result<Vec<Body>, Box<Outcome>> {
        let event = Event { index: Some(self.index), ..*event };
        self.index += 1;
        self.advance(&event, Some(piece)).await?;
        let cleared = self.workers.iter().filter_map(|worker| worker.cleared).min();
        let limit = self.pieces.len().saturating_sub(self.keep);
        Ok(self.release(limit.min(cleared.unwrap_or(limit))))
    }

    /// Ends the stream. `assemble` makes the whole of the pieces and `split` the opposite; they belong to
    /// the surface, which knows the format. Gives back what is still to be released, if the act is `Pass`.
    pub async fn finish(
        mut self,
        event: &Event<'_>,
        assemble: impl FnOnce(&[Body]) -> Body,
        split: impl FnOnce(Body) -> Vec<Body>,
    ) -> (Vec<Body>, Outcome) {
        let event = Event { index: Some(self.index), last: true, ..*event };
        let workers = match self.advance(&event, None).await {
            Ok(trace) => trace,
            Err(outcome) => return (Vec::new(), *outcome),
        };
        let mut whole = assemble(&self.pieces);
        let before = whole.clone();
        // Who worked on the pieces is not asked about the whole.
        let busy: Vec<u32> = self.workers.iter().map(|worker| worker.who).collect();
        let mut run = Run::new(&self.pipeline, true, &busy);
        (run.trace, run.frozen) = (workers, self.released > 0);
        let plan = self.pipeline.plan(&event, &whole).unwrap_or_default();
        let outcome = run.all(&event, &mut whole, plan).await;
        let rewritten = whole.to_bytes() != before.to_bytes() || whole.headers() != before.headers();
        let rest = match outcome.act {
            Act::Pass if rewritten && self.released == 0 => split(whole),
            Act::Pass => self.release(usize::MAX),
            _ => Vec::new(),
        };
        (rest, outcome)
    }

    /// Ends the stream early, because whoever wanted it is gone. Nothing more is released, nobody judges the
    /// rest, and watchers see it as they see every end: once, with what was released, assembled.
    pub async fn cancel(self, event: &Event<'_>, assemble: impl FnOnce(&[Body]) -> Body) -> Outcome {
        if let Some(ruling) = self.stopped {
            return Outcome { act: Act::Deny(Box::new(ruling)), ..Outcome::default() };
        }
        let event = Event { index: Some(self.index), last: true, ended: Some(Ended::Canceled), ..*event };
        let released = assemble(self.pieces.get(..self.released).unwrap_or_default());
        let plan = self.pipeline.plan(&event, &released).unwrap_or_default();
        let mut run = Run::new(&self.pipeline, true, &[]);
        let mut outcome = Outcome { act: Act::Pass, trace: std::mem::take(&mut run.trace) };
        run.watches(&event, &released, &plan.watches, &mut outcome).await;
        outcome
    }

    /// Sends a piece, or the end, through the workers one after another: what an edit passes on, the next
    /// one gets.
    async fn advance(&mut self, event: &Event<'_>, piece: Option<Body>) -> Result<Trace, Box<Outcome>> {
        if let Some(ruling) = self.stopped.clone() {
            return Err(Box::new(Outcome { act: Act::Deny(Box::new(ruling)), ..Outcome::default() }));
        }
        let (finish, mut pieces) = (piece.is_none(), Vec::from_iter(piece));
        let mut run = Run::new(&self.pipeline, true, &[]);
        if event.chain.len() > MAX_CHAIN {
            run.joined.refuse(Cause::Depth, "interceptors caused one another too deep");
        }
        for worker in &mut self.workers {
            let Some(due) = run.due(event, worker.who).filter(|_| run.joined.deny.is_none()) else { continue };
            let answer = worker.work(event, &mut pieces, finish);
            if let Some(fault) = answer.as_ref().err().filter(|_| worker.owes > 0) {
                // What it holds is gone, and to lose that is not to pass.
                run.joined.deny(Ruling::of_fault(due.entry, fault));
            }
            run.heard(event, due, answer, None);
        }
        pieces.iter_mut().for_each(|piece| run.check_document(piece));
        if !run.joined.asks.is_empty() || run.joined.route.is_some() || run.joined.answer.is_some() {
            run.joined.refuse(Cause::Power, "a stream can be denied, but not asked about, routed or answered");
        }
        let trace = std::mem::take(&mut run.trace);
        self.stopped = run.joined.deny.take();
        let Some(ruling) = self.stopped.clone() else {
            self.pieces.append(&mut pieces);
            return Ok(trace);
        };
        let seen = pieces.pop().unwrap_or_default();
        let plan = self.pipeline.plan(event, &seen).unwrap_or_default();
        let mut outcome = Box::new(Outcome { act: Act::Deny(Box::new(ruling)), trace });
        run.watches(event, &seen, &plan.watches, &mut outcome).await;
        Err(outcome)
    }

    fn release(&mut self, limit: usize) -> Vec<Body> {
        let ready = self.pieces.get(self.released..limit.min(self.pieces.len())).unwrap_or_default().to_vec();
        self.released += ready.len();
        ready
    }
}

impl Worker {
    fn work(&mut self, event: &Event<'_>, pieces: &mut Vec<Body>, finish: bool) -> Result<Verdict, Fault> {
        let flow = self.flow.as_mut().map_err(|fault| fault.clone())?;
        let mut out = Vec::new();
        let worked = Fault::catch(|| {
            for piece in pieces.iter() {
                let verdict = flow.push(event, piece.clone(), &mut out)?;
                if verdict.power().is_some() {
                    return Ok(verdict);
                }
            }
            if finish { flow.finish(event, &mut out) } else { Ok(Verdict::Pass) }
        });
        let worked = worked.and_then(|verdict| verdict);
        let shallow = out.iter_mut().try_for_each(Body::refuse_deep);
        let worked = worked.and_then(|verdict| shallow.map(|()| verdict));
        match (&worked, &mut self.cleared) {
            (Ok(_), Some(cleared)) => *cleared = cleared.saturating_add(out.len()),
            (Ok(_), None) => {
                self.owes = (self.owes + pieces.len()).saturating_sub(out.len());
                *pieces = out;
            }
            (Err(fault), cleared) => {
                // If that may pass, it holds nothing back any more.
                *cleared = cleared.map(|_| usize::MAX);
                let broken = std::mem::replace(&mut self.flow, Err(fault.clone()));
                let _ = Fault::catch(|| drop(broken));
            }
        }
        worked
    }
}
