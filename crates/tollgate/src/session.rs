use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tollgate_core::{Act, Approval, Body, Cause, Event, Name, Outcome, Pipeline, Point, Question, Route, Ruling};

use crate::dialect::Dialect;
use crate::gate::{AskFn, Gate};
use crate::passage::Passage;
use crate::task;
use crate::tool::{Call, Finished, Tool, ToolError};

/// One agent's session at a gate: who it is, and everything that passes in its name.
///
/// ```
/// use serde_json::json;
/// use tollgate::{Call, Gate, Tool, block_on};
///
/// let gate = Gate::new();
/// gate.before_tool("defaults").tool("read").edit(|_, mut args| args.default("limit", 100))?;
/// let session = gate.session("s-1").agent("main");
/// let read = Tool::new("Read", |call| async move { Ok(call.params) });
/// let done = block_on(session.call(&read, Call::new("1", json!({"path": "a.txt"}))));
/// assert_eq!(done.value, json!({"path": "a.txt", "limit": 100}));
/// # Ok::<(), tollgate::BadRegistration>(())
/// ```
#[derive(Clone)]
pub struct Session {
    gate: Gate,
    who: Arc<Who>,
    pub(crate) dialect: Dialect,
    /// What edits noted down in this turn, for its later points.
    labels: Arc<Mutex<Vec<(String, String)>>>,
}

/// The facts that every event of a session shares.
#[derive(Clone, Default, PartialEq)]
struct Who {
    session: String,
    agent: Option<String>,
    model: Option<String>,
    cwd: Option<String>,
    principal: Option<String>,
    server: Option<String>,
    chain: Vec<String>,
}

impl Gate {
    /// A session at this gate.
    pub fn session(&self, id: impl Into<String>) -> Session {
        let who = Who { session: id.into(), ..Who::default() };
        Session { gate: self.clone(), who: Arc::new(who), dialect: Dialect::default(), labels: Arc::default() }
    }
}

macro_rules! facts {
    ($($(#[$doc:meta])* $fact:ident;)+) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $fact(mut self, $fact: impl Into<String>) -> Self {
            Arc::make_mut(&mut self.who).$fact = Some($fact.into());
            self
        }
    )+};
}

impl Session {
    facts! {
        /// The agent's name.
        agent;
        /// The model it uses.
        model;
        /// Where it works.
        cwd;
        /// On whose behalf.
        principal;
        /// The MCP server whose tools are called. Its tool `t` is then `mcp__server__t` to everybody; whoever is
        /// registered for `t` is asked about it, too.
        server;
    }

    /// How refusals and failures are told to the model.
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// The same session for calls that an interceptor makes itself: it is not asked about them, and neither
    /// is anybody who caused them. Whoever holds a session can name anybody here, so hand sessions only to
    /// those you trust; the trace shows who was skipped.
    #[must_use]
    pub fn caused_by(mut self, interceptor: &str) -> Self {
        Arc::make_mut(&mut self.who).chain.push(interceptor.to_owned());
        self
    }

    /// The gate it stands at.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The name of a tool that is called in this session.
    pub(crate) fn name<'a>(&self, pipeline: &'a Pipeline, written: &'a str) -> Name<'a> {
        pipeline.names().tool_of(written, self.who.server.as_deref())
    }

    /// Whether an interceptor could not tell the two apart.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.gate.is_same(&other.gate) && self.who == other.who && self.labels() == other.labels()
    }

    /// Runs any event. The facts of the session are filled in; those of the event are the caller's.
    pub async fn run(&self, event: Event<'_>, body: &mut Body) -> Outcome {
        self.pass(&self.gate.pipeline(), event, body).await
    }

    pub(crate) async fn pass(&self, pipeline: &Pipeline, event: Event<'_>, body: &mut Body) -> Outcome {
        let who = &*self.who;
        let chain: Vec<&str> = who.chain.iter().map(String::as_str).chain(event.chain.iter().copied()).collect();
        let mut labels = self.labels();
        labels.extend_from_slice(event.labels);
        // What the event says of itself stands; the session fills in the rest.
        let event = Event {
            session: event.session.or(Some(&who.session)),
            agent: event.agent.or(who.agent.as_deref()),
            model: event.model.or(who.model.as_deref()),
            cwd: event.cwd.or(who.cwd.as_deref()),
            principal: event.principal.or(who.principal.as_deref()),
            server: event.server.or(who.server.as_deref()),
            surface: event.surface.or(Some("library")),
            chain: &chain,
            labels: &labels,
            ..event
        };
        let outcome = pipeline.run(&event, body).await;
        let mut kept = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        let new = body.labels().iter().filter(|label| !labels.contains(label));
        kept.extend(new.cloned());
        drop(kept);
        outcome
    }

    /// What edits noted down in this turn.
    pub fn labels(&self) -> Vec<(String, String)> {
        self.labels.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts a question to whoever answers them; everything else is left as it is.
    pub(crate) async fn resolve(&self, act: Act) -> (Act, Option<Approval>) {
        let Act::Ask(question) = act else { return (act, None) };
        let approval = match self.gate.asker() {
            Some(ask) => self.wait_for(ask, &question).await,
            None => None,
        };
        let act = match &approval {
            Some(approval) => question.answer(approval),
            None => Act::Deny(Box::new(unanswered(&question))),
        };
        (act, approval)
    }

    /// Waits for an answer, but no longer than the question is open.
    async fn wait_for(&self, ask: AskFn, question: &Question) -> Option<Approval> {
        let clock = &**self.gate.clock();
        let closes =
            question.deadline.map(|deadline| clock.now().saturating_add(deadline.saturating_sub(clock.wall())));
        let asked = question.clone();
        let answer = task::catch(async move { ask(asked).await });
        task::until(clock, closes, answer).await?.ok()?
    }

    /// The session begins; gives back what edits want the model to know.
    pub async fn start(&self) -> Result<Vec<String>, Ruling> {
        let mut body = Body::default();
        match self.run(Event::at(Point::SessionStart), &mut body).await.act {
            Act::Deny(ruling) => Err(*ruling),
            _ => Ok(body.notes),
        }
    }

    /// Tells watchers of something that can only be watched: the end of a session or a turn, a compaction,
    /// a sub-agent, a notice. At a point that can refuse, the refusal is the error.
    pub async fn observe(&self, point: Point, details: Value) -> Result<(), Ruling> {
        let act = self.run(Event::at(point), &mut Body::from(details)).await.act;
        if point == Point::TurnStop {
            self.labels.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        match act {
            Act::Pass => Ok(()),
            Act::Deny(ruling) => Err(*ruling),
            _ => Err(Ruling::of_pipeline(Cause::Power, format!("{point} was only to be watched"))),
        }
    }

    /// What a person submits, as it may go to the model.
    pub async fn prompt(&self, text: &str) -> Result<String, Ruling> {
        let admitted = self.admit(Point::PromptSubmit, Body::from(json!({"text": text}))).await?;
        let body = admitted.into_pass()?;
        let text = body.json().ok().and_then(|document| document.get("text")?.as_str().map(str::to_owned));
        text.ok_or_else(|| unreadable("a prompt"))
    }

    /// Any document at a point that can refuse it: a prompt, a model request, a model's answer.
    pub async fn admit(&self, point: Point, mut body: Body) -> Result<Admitted, Ruling> {
        let act = self.run(Event::at(point), &mut body).await.act;
        match self.resolve(act).await.0 {
            Act::Pass => Ok(Admitted::Pass(body)),
            Act::Answer(answer) => Ok(Admitted::Answer(*answer)),
            Act::Route { route, .. } => Ok(Admitted::Route(body, route)),
            Act::Deny(ruling) => Err(*ruling),
            Act::Ask(question) => Err(unanswered(&question)),
        }
    }

    /// The tools that may be offered to the model; none of them, if the list is refused.
    pub async fn offer(&self, tools: Vec<Value>) -> Vec<Value> {
        let mut body = Body::from(Value::from(tools));
        match (self.run(Event::at(Point::ToolList), &mut body).await.act, body.into_json()) {
            (Act::Pass, Ok(Value::Array(tools))) => tools,
            _ => Vec::new(),
        }
    }

    /// A tool result on its way into storage; a refused one leaves a stub that names the rule.
    pub async fn persist(&self, tool: &str, result: Value) -> Value {
        let pipeline = self.gate.pipeline();
        let name = self.name(&pipeline, tool);
        let mut body = Body::from(result);
        stored(self.pass(&pipeline, about(Point::ToolPersist, &name), &mut body).await.act, body)
    }

    /// A message on its way into storage; a refused one leaves a stub that names the rule.
    pub async fn write_message(&self, message: Value) -> Value {
        let mut body = Body::from(message);
        stored(self.run(Event::at(Point::MessageWrite), &mut body).await.act, body)
    }

    /// Runs one call of a tool, whole: judged, asked, run or diverted, its result judged.
    pub async fn call(&self, tool: &Tool, call: Call) -> Finished {
        Passage { session: self, name: &tool.name, execute: &tool.executor(), find: None }.call(call).await
    }

    /// The same for a tool that runs elsewhere: in a client, behind a protocol.
    pub async fn call_with<F>(
        &self,
        name: &str,
        call: Call,
        run: impl Fn(Call) -> F + Send + Sync + 'static,
    ) -> Finished
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        self.call(&Tool::new(name, run), call).await
    }
}

/// What may go on after a point that can answer or divert.
#[derive(Debug)]
pub enum Admitted {
    /// This document, on its way.
    Pass(Body),
    /// Nothing goes on: this is the answer.
    Answer(Body),
    /// This document, but there.
    Route(Body, Box<Route>),
}

impl Admitted {
    /// The document, for callers that can neither use an answer nor go elsewhere: those are then refusals.
    pub fn into_pass(self) -> Result<Body, Ruling> {
        match self {
            Self::Pass(body) => Ok(body),
            Self::Answer(_) => Err(Ruling::of_pipeline(Cause::Power, "it was answered, and no answer is wanted here")),
            Self::Route(_, route) => Err(no_sandbox(&route.provider)),
        }
    }
}

/// No answer to a question is a no.
pub(crate) fn unanswered(question: &Question) -> Ruling {
    let titles: Vec<_> = question.parts.iter().map(|(_, query)| query.title.as_str()).collect();
    Ruling::of_pipeline(Cause::Expired, format!("nobody approved it: {}", titles.join("; ")))
}

fn unreadable(what: &str) -> Ruling {
    Ruling::of_pipeline(Cause::Unreadable, format!("an edit left {what} that cannot be read"))
}

pub(crate) fn about<'a>(point: Point, name: &'a Name<'a>) -> Event<'a> {
    Event { name: Some(name), ..Event::at(point) }
}

pub(crate) fn no_sandbox(provider: &str) -> Ruling {
    let reason = format!("it must run at `{provider}`, and no sandbox provider is configured");
    Ruling::of_pipeline(Cause::Power, reason)
}

/// What is stored: the document, or a stub in its place.
fn stored(act: Act, body: Body) -> Value {
    match (act, body.into_json()) {
        (Act::Pass, Ok(document)) => document,
        (Act::Deny(ruling), _) => {
            let by = ruling.by.as_deref().unwrap_or("tollgate");
            json!({"withheld": {"by": by, "reason": ruling.reason}})
        }
        _ => json!({"withheld": {"by": "tollgate", "reason": "the document cannot be read"}}),
    }
}
