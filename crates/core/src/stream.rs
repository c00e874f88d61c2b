use crate::run::{Due, Run};
use crate::{Act, Body, Cause, Event, Fault, Flow, Outcome, Pipeline, Role, Ruling, Trace, Verdict};

/// One streamed document on its way through the pipeline.
///
/// Interceptors that can work piece by piece do; the others get the assembled whole before the last piece
/// is released. Where one of them must see the whole first ([`Registration::hold_whole`]), nothing is
/// released before.
///
/// [`Registration::hold_whole`]: crate::Registration::hold_whole
pub struct Stream {
    pipeline: Pipeline,
    workers: Vec<Worker>,
    /// Every piece after the edits, released or not.
    pieces: Vec<Body>,
    released: usize,
    hold_whole: bool,
    index: u64,
}

struct Worker {
    who: u32,
    /// A worker that broke stays broken.
    flow: Result<Box<dyn Flow>, Fault>,
    /// How many pieces a guard has cleared; edits hold back by not passing on.
    cleared: Option<usize>,
}

impl Pipeline {
    /// Opens a stream. The facts are those of the whole; `index` and `last` are filled in on the way.
    pub fn open(&self, event: &Event<'_>) -> Stream {
        let (mut workers, mut hold_whole) = (Vec::new(), false);
        let mut run = Run::new(self, true, &[]);
        for &who in self.plan(event, &Body::default()).unwrap_or_default().all() {
            let Some(Due { entry, .. }) = run.due(event, who) else { continue };
            let (opened, cleared) = match &entry.role {
                Role::Edit(edit) => (Fault::catch(|| edit.open(event)), None),
                Role::Guard(guard) => (Fault::catch(|| guard.open(event)), Some(0)),
                Role::Watch(_) => continue,
            };
            match opened.transpose() {
                Some(flow) => workers.push(Worker { who, flow, cleared }),
                None => hold_whole |= entry.hold_whole,
            }
        }
        Stream { pipeline: self.clone(), workers, pieces: Vec::new(), released: 0, hold_whole, index: 0 }
    }
}

impl Stream {
    /// Takes the next piece and gives back what may go out now. An error is the end of the stream: its
    /// act is `Stop`, and nothing more may be released.
    pub async fn push(&mut self, event: &Event<'_>, piece: Body) -> Result<Vec<Body>, Box<Outcome>> {
        let event = Event { index: Some(self.index), ..*event };
        self.index += 1;
        self.advance(&event, Some(piece)).await?;
        let cleared = self.workers.iter().filter_map(|worker| worker.cleared).min();
        Ok(self.release(if self.hold_whole { 0 } else { cleared.unwrap_or(usize::MAX) }))
    }

    /// Ends the stream. `assemble` makes the whole of the pieces and `split` the opposite; they belong to
    /// the surface, which knows the format. Gives back what is still to be released, if the act is `Go`.
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
        let mut outcome = self.pipeline.pass(&event, &mut whole, true, &busy).await;
        outcome.trace.append(&workers);
        let rewritten = whole.to_bytes() != before.to_bytes();
        if rewritten && self.released > 0 && matches!(outcome.act, Act::Go) {
            let reason = "the end of a stream would rewrite its beginning, which is already out";
            outcome.act = Ruling::of_pipeline(Cause::Power, reason).into();
        }
        let rest = match outcome.act {
            Act::Go if rewritten => split(whole),
            Act::Go => self.release(usize::MAX),
            _ => Vec::new(),
        };
        (rest, outcome)
    }

    /// Sends a piece, or the end, through the workers one after another: what an edit passes on, the next
    /// one gets.
    async fn advance(&mut self, event: &Event<'_>, piece: Option<Body>) -> Result<Trace, Box<Outcome>> {
        let (finish, mut pieces) = (piece.is_none(), Vec::from_iter(piece));
        let mut run = Run::new(&self.pipeline, true, &[]);
        for worker in &mut self.workers {
            let Some(due) = run.due(event, worker.who) else { continue };
            run.heard(event, due, worker.work(event, &mut pieces, finish), None);
        }
        pieces.iter_mut().for_each(|piece| run.check_document(piece));
        let trace = std::mem::take(&mut run.trace);
        let Some(ruling) = run.joined.deny.take() else {
            self.pieces.append(&mut pieces);
            return Ok(trace);
        };
        let seen = pieces.pop().unwrap_or_default();
        let plan = self.pipeline.plan(event, &seen).unwrap_or_default();
        let outcome = Outcome { act: ruling.into(), trace };
        Err(Box::new(run.watches(event, &seen, &plan.watches, outcome).await))
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
        match (&worked, &mut self.cleared) {
            (Ok(_), Some(cleared)) => *cleared = cleared.saturating_add(out.len()),
            (Ok(_), None) => *pieces = out,
            (Err(fault), cleared) => {
                // If that may pass, it holds nothing back any more.
                (self.flow, *cleared) = (Err(fault.clone()), cleared.map(|_| usize::MAX));
            }
        }
        worked
    }
}
