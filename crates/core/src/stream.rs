use crate::pipeline::Run;
use crate::{
    Act, Body, Cause, Event, Fault, Outcome, Pipeline, Point, Role, Ruling, StreamEdit, StreamGuard, Trace, Verdict,
};

/// One stream on its way through the pipeline.
///
/// Interceptors that can work piece by piece do; the others get the assembled whole before the last piece
/// is released. Where one of them must see the whole first ([`Registration::hold_whole`]), nothing is
/// released before.
///
/// At `tool.update` each piece is a whole of its own, and everybody sees each.
///
/// [`Registration::hold_whole`]: crate::Registration::hold_whole
pub struct Stream {
    pipeline: Pipeline,
    workers: Vec<(u32, Worker)>,
    /// Who worked on the pieces, and so is not asked about the whole.
    busy: Vec<u32>,
    /// Every piece after the edits, released or not.
    pieces: Vec<Body>,
    released: usize,
    hold_whole: bool,
    index: u64,
}

enum Worker {
    Edit(Box<dyn StreamEdit>),
    Guard(Box<dyn StreamGuard>),
    /// It broke when it was opened, and that is heard at the first piece.
    Broken(Fault),
}

impl Pipeline {
    /// Opens a stream. The facts are those of the whole; `index` and `last` are filled in on the way.
    pub fn open(&self, event: &Event<'_>) -> Stream {
        let mut stream = Stream {
            pipeline: self.clone(),
            workers: Vec::new(),
            busy: Vec::new(),
            pieces: Vec::new(),
            released: 0,
            hold_whole: false,
            index: 0,
        };
        let mut run = Run::new(&self.inner, true, &[]);
        let Some(plan) = self.inner.plan(event, &Body::default()) else { return stream };
        for &who in plan.edits().iter().chain(plan.guards()) {
            let Some(entry) = run.due(event, who) else { continue };
            let opened = match &entry.role {
                Role::Edit(edit) => Fault::catch(|| edit.open(event).map(Worker::Edit)),
                Role::Guard(guard) => Fault::catch(|| guard.open(event).map(Worker::Guard)),
                Role::Watch(_) => continue,
            };
            match opened {
                Ok(None) => stream.hold_whole |= entry.hold_whole && event.point != Point::ToolUpdate,
                Ok(Some(worker)) => stream.hire(who, worker),
                Err(fault) => stream.hire(who, Worker::Broken(fault)),
            }
        }
        stream
    }
}

impl Stream {
    fn hire(&mut self, who: u32, worker: Worker) {
        self.workers.push((who, worker));
        self.busy.push(who);
    }

    /// Takes the next piece and gives back what may go out now. An error is the end of the stream: its
    /// act is `Stop`, and nothing more may be released.
    pub async fn push(&mut self, event: &Event<'_>, piece: Body) -> Result<Vec<Body>, Box<Outcome>> {
        let event = Event { index: Some(self.index), ..*event };
        self.index += 1;
        self.advance(&event, vec![piece], false).await?;
        if self.hold_whole {
            return Ok(Vec::new());
        }
        let unsure = self.workers.iter().map(|(_, worker)| worker.unsure()).max().unwrap_or(0);
        Ok(self.release(self.pieces.len().saturating_sub(unsure)))
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
        let workers = match self.advance(&event, Vec::new(), true).await {
            Ok(trace) => trace,
            Err(outcome) => return (Vec::new(), *outcome),
        };
        let mut whole = assemble(&self.pieces);
        let before = whole.to_bytes().into_owned();
        let inner = &self.pipeline.inner;
        let busy = if event.point == Point::ToolUpdate { self.everyone() } else { self.busy.clone() };
        let mut outcome = inner.run(&event, &mut whole, true, &busy).await;
        outcome.trace.adopt(workers);
        let rewritten = *whole.to_bytes() != *before;
        if !matches!(outcome.act, Act::Go) {
            return (Vec::new(), outcome);
        }
        if rewritten && self.released > 0 {
            let reason = "the end of a stream would rewrite its beginning, which is already out";
            outcome.act = Ruling::of_pipeline(Cause::Power, reason).into();
            return (Vec::new(), outcome);
        }
        let rest = if rewritten { split(whole) } else { self.release(self.pieces.len()) };
        (rest, outcome)
    }

    /// Sends pieces through the workers, one after another: what an edit passes on, the next one gets.
    async fn advance(&mut self, event: &Event<'_>, mut pieces: Vec<Body>, finish: bool) -> Result<Trace, Box<Outcome>> {
        let pipeline = self.pipeline.clone();
        let mut run = Run::new(&pipeline.inner, true, &[]);
        for (who, worker) in &mut self.workers {
            let Some(entry) = pipeline.inner.sorted.get(*who as usize) else { continue };
            let before = pieces.clone();
            let answer = Fault::catch(|| worker.work(event, &mut pieces, finish)).and_then(|answer| answer);
            if let Err(fault) = &answer {
                // A worker that broke once is not asked again; what it did to these pieces is undone.
                (pieces, *worker) = (before, Worker::Broken(fault.clone()));
            }
            run.heard(event, *who, entry, answer.map(|verdict| (verdict, Vec::new())));
        }
        let denied = run.joined.deny.take();
        let trace = std::mem::take(&mut run.trace);
        if let Some(ruling) = denied {
            let seen = pieces.pop().unwrap_or_default();
            let outcome = Outcome { act: ruling.into(), trace };
            let plan = pipeline.inner.plan(event, &seen).unwrap_or_default();
            return Err(Box::new(run.watches(event, &seen, &plan, outcome).await));
        }
        if event.point == Point::ToolUpdate {
            for piece in &mut pieces {
                let outcome = pipeline.inner.run(event, piece, true, &self.busy).await;
                if !matches!(outcome.act, Act::Go) {
                    return Err(Box::new(outcome));
                }
            }
        }
        self.pieces.append(&mut pieces);
        Ok(trace)
    }

    fn release(&mut self, up_to: usize) -> Vec<Body> {
        let ready = self.pieces.get(self.released..up_to).unwrap_or_default().to_vec();
        self.released += ready.len();
        ready
    }

    fn everyone(&self) -> Vec<u32> {
        (0..).take(self.pipeline.inner.sorted.len()).collect()
    }
}

impl Worker {
    fn work(&mut self, event: &Event<'_>, pieces: &mut Vec<Body>, finish: bool) -> Result<Verdict, Fault> {
        let mut verdict = Verdict::Pass;
        let keep = |verdict: &mut Verdict, said: Verdict| {
            if said.power().is_some() {
                *verdict = said;
            }
        };
        match self {
            Self::Edit(edit) => {
                let mut out = Vec::new();
                for piece in std::mem::take(pieces) {
                    keep(&mut verdict, edit.push(event, piece, &mut out)?);
                }
                if finish {
                    keep(&mut verdict, edit.finish(event, &mut out)?);
                }
                *pieces = out;
            }
            Self::Guard(guard) => {
                for piece in pieces.iter() {
                    keep(&mut verdict, guard.push(event, piece)?);
                }
                if finish {
                    keep(&mut verdict, guard.finish(event)?);
                }
            }
            Self::Broken(fault) => return Err(fault.clone()),
        }
        Ok(verdict)
    }

    fn unsure(&self) -> usize {
        match self {
            Self::Guard(guard) => Fault::catch(|| guard.unsure()).unwrap_or(usize::MAX),
            Self::Edit(_) | Self::Broken(_) => 0,
        }
    }
}
