use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tollgate_core::{Act, Approval, Body, Cause, Ended, Event, Fault, Name, Pipeline, Point, Ruling};
use tollgate_wire::dialect as say;
use tollgate_wire::lens::lens_for;

use crate::dialect::{Dialect, Failure, Refusal};
use crate::session::{Session, about, no_sandbox, unanswered};
use crate::task;
use crate::tool::{Call, Execute, Finished, ToolError, UpdateFn};

/// Finds a tool by its normalized name, as the snapshot that judged the call normalizes it.
pub(crate) type Find<'a> = dyn Fn(&Pipeline, &str) -> Option<Execute> + Send + Sync + 'a;

/// One call's way: before, the tool, after. Exactly one after for every before, and one of each through however many
/// layers of one gate.
pub(crate) struct Passage<'a> {
    pub(crate) session: &'a Session,
    pub(crate) name: &'a str,
    pub(crate) execute: &'a Execute,
    /// Finds the tool a call was renamed to; without it a call cannot be renamed.
    pub(crate) find: Option<&'a Find<'a>>,
}

impl Passage<'_> {
    pub(crate) async fn call(&self, mut call: Call) -> Finished {
        if call.judged.as_ref().is_some_and(|(session, name)| session.is_same(self.session) && name == self.name) {
            return (self.execute)(call).await;
        }
        call.judged = None;
        let pipeline = call.probe.take().unwrap_or_else(|| self.session.gate().pipeline());
        let asked = self.session.name(&pipeline, self.name);
        let mut arguments = Body::from(std::mem::take(&mut call.params));
        let (id, abort) = (call.id.clone(), call.abort.clone());
        let (started, as_asked) = (Instant::now(), arguments.clone());
        let decided = abort.unless(self.decide(&pipeline, &asked, &id, &mut arguments)).await;
        if decided.is_none() {
            // Whoever was at work on them has been dropped halfway.
            arguments = as_asked;
        }
        let became = arguments.renamed().cloned();
        let ran_as = became.as_ref().unwrap_or(&asked);
        let (decided, approval) = decided.map_or((None, None), |(act, approval)| (Some(act), approval));
        let finished = match decided {
            // Asked once more: a handler may have aborted the call and let it pass in one breath.
            Some(act) if !abort.is_aborted() => self.carry_out(act, &pipeline, call, &asked, &arguments).await,
            _ => Finished::failed(&self.session.dialect, ran_as.normal(), &id, "aborted".to_owned()),
        };
        let took = if finished.ended == Ended::Denied { Duration::ZERO } else { started.elapsed() };
        let (original, ended) = (Body::from(finished.value), finished.ended);
        let mut result = original.clone();
        let event = Event {
            call_id: Some(&id),
            became: became.as_ref(),
            arguments: Some(&arguments),
            ended: Some(ended),
            approval: approval.as_ref(),
            reason: finished.reason.as_deref(),
            took: Some(took),
            ..about(Point::ToolAfter, &asked)
        };
        let after = self.session.pass(&pipeline, event, &mut result).await;
        let notes = [finished.notes, arguments.notes.clone(), std::mem::take(&mut result.notes)].concat();
        let tells = [finished.tells, arguments.tells.clone(), std::mem::take(&mut result.tells)].concat();
        let ruling = match (after.act, result.into_json()) {
            (Act::Pass, Ok(value)) => {
                let rewritten = ended == Ended::Error && original.json() != Ok(&value);
                // Where an edit changed the text of an error, that is now how it failed.
                let reason = if rewritten { text_of(&value) } else { finished.reason };
                return Finished { value, ended, reason, by: finished.by, notes, tells, is_plain: false };
            }
            (Act::Deny(ruling), _) => *ruling,
            _ => Ruling::of_pipeline(Cause::Unreadable, "the result cannot be read"),
        };
        let tool = ran_as.normal().to_owned();
        let ran = !matches!(ended, Ended::Denied | Ended::Answered);
        let refusal = Refusal { tool, call_id: id.clone(), ruling, ran };
        Finished { notes, tells, ..Finished::blocked(&self.session.dialect, &refusal) }
    }

    async fn decide(
        &self,
        pipeline: &Pipeline,
        name: &Name<'_>,
        id: &str,
        arguments: &mut Body,
    ) -> (Act, Option<Approval>) {
        let fixed_name = self.find.is_none();
        let event = Event { call_id: Some(id), fixed_name, ..about(Point::ToolBefore, name) };
        let outcome = self.session.pass(pipeline, event, arguments).await;
        self.session.resolve(outcome.act).await
    }

    async fn carry_out(
        &self,
        act: Act,
        pipeline: &Pipeline,
        mut call: Call,
        asked: &Name<'_>,
        arguments: &Body,
    ) -> Finished {
        let name = arguments.renamed().unwrap_or(asked);
        let over = Arc::new(AtomicBool::new(false));
        call.updates = self.intercepted(call.updates.take(), pipeline, &call.id, asked, arguments, &over);
        let id = call.id.clone();
        let stop = |ruling: Ruling| {
            let (tool, call_id) = (name.normal().to_owned(), id.clone());
            Finished::blocked(&self.session.dialect, &Refusal { tool, call_id, ruling, ran: false })
        };
        let params = match (act, arguments.json()) {
            (Act::Deny(ruling), _) => return stop(*ruling),
            (Act::Ask(question), _) => return stop(unanswered(&question)),
            (Act::Answer(answer), _) => return Finished::answered(*answer),
            (_, Err(fault)) => return stop(Ruling::of_pipeline(Cause::Unreadable, fault.detail)),
            (Act::Route { route, .. }, Ok(params)) => {
                let Some(elsewhere) = self.session.gate().elsewhere() else { return stop(no_sandbox(&route.provider)) };
                // What was judged is what the provider gets to run.
                call.params = route.command.clone().map_or_else(|| params.clone(), Value::Object);
                let run = task::catch(async move { elsewhere(*route, call).await }).await;
                return Finished::diverted(&self.session.dialect, name.normal(), &id, run);
            }
            (Act::Pass, Ok(params)) => params.clone(),
        };
        let renamed = arguments.renamed().filter(|name| name.written() != asked.written());
        let renamed = renamed.map(|name| self.find.and_then(|find| find(pipeline, name.normal())));
        let execute = match renamed {
            None => Arc::clone(self.execute),
            Some(Some(found)) => found,
            Some(None) => {
                let reason = format!("it was renamed to `{}`, and there is no such tool", name.written());
                return stop(Ruling::of_pipeline(Cause::Renames, reason));
            }
        };
        (call.params, call.judged) = (params, Some((self.session.clone(), name.written().to_owned())));
        let finished = execute(call).await;
        over.store(true, Ordering::SeqCst);
        match finished.reason {
            // Told in this session's words, under the name that rules know. An inner gate has found its own.
            Some(error) if finished.ended == Ended::Error && finished.is_plain => {
                Finished::failed(&self.session.dialect, name.normal(), &id, error)
            }
            reason => Finished { reason, ..finished },
        }
    }

    /// Partial results pass the gate too; a refused one is not shown.
    fn intercepted(
        &self,
        updates: Option<UpdateFn>,
        pipeline: &Pipeline,
        id: &str,
        asked: &Name<'_>,
        arguments: &Body,
        over: &Arc<AtomicBool>,
    ) -> Option<UpdateFn> {
        let (forward, over) = (updates?, Arc::clone(over));
        let (session, pipeline) = (self.session.clone(), pipeline.clone());
        let (id, written, arguments) = (id.to_owned(), asked.written().to_owned(), arguments.clone());
        let own = Arc::new((session, pipeline, id, written, arguments, AtomicU64::new(0)));
        Some(Arc::new(move |partial| {
            let (own, forward, over) = (Arc::clone(&own), Arc::clone(&forward), Arc::clone(&over));
            Box::pin(async move {
                let (session, pipeline, id, written, arguments, next) = &*own;
                let name = session.name(pipeline, written);
                let mut body = Body::from(partial);
                let index = Some(next.fetch_add(1, Ordering::SeqCst));
                let about = about(Point::ToolUpdate, &name);
                let became = arguments.renamed();
                let event = Event { call_id: Some(id), became, arguments: Some(arguments), index, ..about };
                let outcome = session.pass(pipeline, event, &mut body).await;
                // After the result has been judged nothing more may go out.
                let open = !over.load(Ordering::SeqCst);
                if let (Act::Pass, Ok(partial), true) = (outcome.act, body.into_json(), open) {
                    forward(partial).await;
                }
            })
        }))
    }
}

impl Finished {
    pub(crate) fn blocked(dialect: &Dialect, refusal: &Refusal) -> Self {
        let reason = Some(refusal.ruling.reason.to_string());
        let by = refusal.ruling.by.as_deref().map(str::to_owned);
        let plainly = |_| say::status_blocked(&refusal.ruling, &refusal.tool);
        let value = Fault::catch(|| (dialect.blocked)(refusal)).unwrap_or_else(plainly);
        Self { reason, by, ..Self::new(value, Ended::Denied) }
    }

    fn failed(dialect: &Dialect, tool: &str, call_id: &str, error: String) -> Self {
        let failure = Failure { tool, call_id, error: &error };
        let value = Fault::catch(|| (dialect.failed)(&failure)).unwrap_or_else(|_| (Dialect::STATUS.failed)(&failure));
        Self { reason: Some(error), ..Self::new(value, Ended::Error) }
    }

    fn answered(answer: Body) -> Self {
        let (value, ended, reason) = match answer.into_json() {
            Ok(value) => (value, Ended::Answered, None),
            Err(fault) => (Value::Null, Ended::Error, Some(fault.to_string())),
        };
        Self { reason, ..Self::new(value, ended) }
    }

    fn diverted(dialect: &Dialect, tool: &str, call_id: &str, run: Result<Result<Value, ToolError>, Fault>) -> Self {
        match run {
            Ok(Ok(value)) => Self::new(value, Ended::Routed),
            Ok(Err(ToolError(error))) => Self::failed(dialect, tool, call_id, error),
            Err(panic) => Self::failed(dialect, tool, call_id, format!("the sandbox panicked: {}", panic.detail)),
        }
    }
}

/// What an error says, in whatever words it is told.
fn text_of(value: &Value) -> Option<String> {
    let said = ["error", "reason"].iter().find_map(|key| value.get(key)?.as_str().map(str::to_owned));
    said.or_else(|| lens_for(value).text(value))
}
