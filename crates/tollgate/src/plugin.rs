//! Plugins that register hooks by name and speak JSON.
//!
//! Differences from the systems this API comes from: each handler sees what the one before made of the
//! call; a refusal stands, whatever a later handler says; a handler that decides and fails refuses, unless
//! its plugin was activated with [`PluginOptions::catch_errors`]; async handlers are waited for at every hook.

use std::fmt::Display;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tollgate_core::{
    BadRegistration, Body, Edit, Ended, Event, Fault, FaultKind, OnFault, Outcome, Point, Query, Registration, Step,
    Verdict, Watch,
};

use crate::gate::{Gate, Handle};
use crate::on::fault_of;
use crate::task::BoxFuture;

/// A plugin: who it is, and what it registers.
pub trait Plugin {
    /// Its id, unique at a gate.
    fn id(&self) -> &str;

    /// Its name for people.
    fn name(&self) -> &str;

    /// What it is for.
    fn description(&self) -> &str {
        ""
    }

    /// Registers its hooks.
    fn activate(&self, api: &PluginApi) -> Result<(), BadRegistration>;
}

/// How a plugin is activated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PluginOptions {
    /// Lets calls pass when a handler of this plugin fails. Off: a handler that decides and fails refuses. Those
    /// that only watch never hold anything up.
    pub catch_errors: bool,
}

/// What a handler is told besides the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginContext {
    /// The agent.
    pub agent_id: Option<String>,
    /// The session.
    pub session_key: Option<String>,
    /// The tool as the agent wrote it, in lower case; empty where there is none.
    pub tool_name: String,
}

type Handler = Arc<dyn Fn(Value, PluginContext) -> BoxFuture<'static, Result<Value, Fault>> + Send + Sync>;

/// What a plugin registers with.
pub struct PluginApi {
    gate: Gate,
    plugin: String,
    options: PluginOptions,
    next: AtomicUsize,
    /// What it has registered so far, to be taken back if the rest fails.
    handles: Mutex<Vec<Handle>>,
}

/// The hooks a plugin can register, and where they stand.
const HOOKS: [(&str, Point, Hook); 8] = [
    ("before_tool_call", Point::ToolBefore, Hook::BeforeToolCall),
    ("after_tool_call", Point::ToolAfter, Hook::AfterToolCall),
    ("tool_result_persist", Point::ToolPersist, Hook::Store),
    ("before_message_write", Point::MessageWrite, Hook::Store),
    ("llm_input", Point::ModelRequest, Hook::Watch("request")),
    ("llm_output", Point::ModelResponse, Hook::Watch("response")),
    ("session_start", Point::SessionStart, Hook::Watch("session")),
    ("session_end", Point::SessionEnd, Hook::Watch("session")),
];

#[derive(Clone, Copy)]
enum Hook {
    BeforeToolCall,
    AfterToolCall,
    /// May replace or withhold what is stored.
    Store,
    /// Only watches; the word is the key the document stands under.
    Watch(&'static str),
}

impl Gate {
    /// Lets a plugin register its hooks; all of them or, on an error, none.
    pub fn activate(&self, plugin: &dyn Plugin, options: PluginOptions) -> Result<(), BadRegistration> {
        let (gate, id) = (self.clone(), plugin.id().to_owned());
        let api = PluginApi { gate, plugin: id, options, next: AtomicUsize::new(1), handles: Mutex::default() };
        let activated = plugin.activate(&api);
        if activated.is_err() {
            let handles = std::mem::take(&mut *api.handles.lock().unwrap_or_else(PoisonError::into_inner));
            handles.into_iter().for_each(|handle| _ = handle.remove());
        }
        activated
    }
}

impl PluginApi {
    /// Registers a handler for a hook. Higher priorities run first.
    pub fn on<F, R>(
        &self,
        hook: &str,
        handler: impl Fn(Value, PluginContext) -> F + Send + Sync + 'static,
        priority: i32,
    ) -> Result<(), BadRegistration>
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoAnswer,
    {
        let Some((name, point, hook)) = HOOKS.into_iter().find(|(name, ..)| *name == hook) else {
            let known: Vec<_> = HOOKS.iter().map(|(name, ..)| *name).collect();
            let problem = format!("there is no hook `{hook}`; the hooks are {}", known.join(", "));
            return Err(BadRegistration(problem));
        };
        let id = format!("{}:{name}:{}", self.plugin, self.next.fetch_add(1, Ordering::SeqCst));
        let handler: Handler = Arc::new(move |event, context| {
            let answer = handler(event, context);
            Box::pin(async move { answer.await.into_answer() })
        });
        let adapter = Adapter { hook, handler, plugin: self.plugin.clone() };
        let mut registration = match hook {
            Hook::BeforeToolCall | Hook::Store => Registration::edit(&id, [point], adapter),
            Hook::AfterToolCall | Hook::Watch(_) => Registration::watch(&id, [point], adapter),
        };
        registration.priority = priority;
        registration.group = Some(self.plugin.as_str().into());
        if self.options.catch_errors {
            registration.on_fault = OnFault::Pass;
        }
        let handle = self.gate.add(registration)?;
        self.handles.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
        Ok(())
    }
}

/// What a handler may return: nothing, a JSON answer, or a result of these.
pub trait IntoAnswer {
    /// The answer; `null` is no opinion.
    fn into_answer(self) -> Result<Value, Fault>;
}

impl IntoAnswer for () {
    fn into_answer(self) -> Result<Value, Fault> {
        Ok(Value::Null)
    }
}

impl IntoAnswer for Value {
    fn into_answer(self) -> Result<Value, Fault> {
        Ok(self)
    }
}

impl<T: IntoAnswer> IntoAnswer for Option<T> {
    fn into_answer(self) -> Result<Value, Fault> {
        self.map_or(Ok(Value::Null), T::into_answer)
    }
}

impl<T: IntoAnswer, E: Display + 'static> IntoAnswer for Result<T, E> {
    fn into_answer(self) -> Result<Value, Fault> {
        self.map_err(fault_of).and_then(T::into_answer)
    }
}

struct Adapter {
    hook: Hook,
    handler: Handler,
    plugin: String,
}

impl Edit for Adapter {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        let context = PluginContext::of(event, body);
        let document = match body.json() {
            Ok(document) => document.clone(),
            Err(fault) => return Step::Now(Err(fault)),
        };
        let told = match self.hook {
            Hook::BeforeToolCall => json!({"toolName": context.tool_name, "params": null_is_empty(document)}),
            _ => json!({"toolName": context.tool_name, "message": document}),
        };
        let answer = (self.handler)(told, context);
        // Through a body, which refuses what nests too deep to be handled at all.
        Step::later(async move { self.apply(Body::from(answer.await?).into_json()?, body) })
    }
}

impl Adapter {
    /// Carries out an answer. `block: false` and `{}` are no opinion, and cancel nothing; what is null is not
    /// there; anything else that is not understood is no consent.
    fn apply(&self, answer: Value, body: &mut Body) -> Result<Verdict, Fault> {
        let mut answer = match answer {
            Value::Null => return Ok(Verdict::Pass),
            Value::Object(answer) => answer,
            other => return Err(garbage(format!("it answered {} and not an object", kind_of(&other)))),
        };
        answer.retain(|_, value| !value.is_null());
        match answer.get("block") {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => return Ok(self.block(&answer)),
            Some(other) => {
                return Err(garbage(format!("its `block` is {} and neither true nor false", kind_of(other))));
            }
        }
        match (self.hook, answer.remove("params"), answer.remove("message")) {
            (Hook::BeforeToolCall, Some(Value::Object(params)), _) => merge(body, params)?,
            (Hook::BeforeToolCall, Some(_), _) => return Err(garbage("its `params` are no object".to_owned())),
            (Hook::Store, _, Some(message)) => body.set(message),
            _ => {}
        }
        match answer.remove("requireApproval") {
            Some(request) if matches!(self.hook, Hook::BeforeToolCall) => Ok(self.question(request)),
            _ => Ok(Verdict::Pass),
        }
    }

    fn block(&self, answer: &Map<String, Value>) -> Verdict {
        let reason = answer.get("blockReason").and_then(Value::as_str).map(str::to_owned);
        Verdict::deny(reason.unwrap_or_else(|| match self.hook {
            Hook::BeforeToolCall => "Tool call blocked by plugin hook".to_owned(),
            _ => format!("withheld by plugin `{}`", self.plugin),
        }))
    }

    /// A request for approval, stamped with who really asks.
    fn question(&self, mut request: Value) -> Verdict {
        let text = |request: &Value, key: &str| request.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let timeout = request.get("timeoutMs").and_then(Value::as_u64).map(Duration::from_millis);
        let (title, detail) = (text(&request, "title"), text(&request, "description"));
        if let Some(request) = request.as_object_mut() {
            request.insert("pluginId".to_owned(), self.plugin.as_str().into());
        }
        Verdict::Ask(Box::new(Query { title, detail, timeout, data: request }))
    }
}

impl Watch for Adapter {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, _outcome: &'a Outcome) -> Step<'a, ()> {
        let context = PluginContext::of(event, body);
        let document = body.json().cloned().unwrap_or_default();
        let told = match self.hook {
            Hook::Watch(key) => json!({"model": event.model, key: document}),
            _ => after_tool_call(event, &context.tool_name, document),
        };
        let seen = (self.handler)(told, context);
        Step::later(async move {
            let answer = Body::from(seen.await?).into_json()?;
            let decides = ["block", "params", "message", "requireApproval"].iter().any(|key| !answer[*key].is_null());
            if decides { Err(garbage("it wants to decide, and this hook only watches".to_owned())) } else { Ok(()) }
        })
    }
}

/// What came of a call: its result or its error, never both.
fn after_tool_call(event: &Event<'_>, tool: &str, result: Value) -> Value {
    let params = event.arguments.and_then(|body| body.json().ok()).cloned().unwrap_or_default();
    let millis = event.took.unwrap_or_default().as_millis();
    let mut told = json!({"toolName": tool, "params": null_is_empty(params), "durationMs": u64::try_from(millis).unwrap_or(u64::MAX)});
    match event.ended {
        Some(Ended::Denied) => {
            told["blocked"] = true.into();
            told["blockReason"] = event.reason.into();
            told["error"] = event.reason.into();
        }
        Some(Ended::Error | Ended::Canceled) => told["error"] = event.reason.into(),
        _ => told["result"] = result,
    }
    told
}

/// No arguments are an empty object. Others that are none are handed over as they are: a handler that judged
/// an empty object in their place would have judged something else.
fn null_is_empty(value: Value) -> Value {
    if value.is_null() { Value::Object(Map::new()) } else { value }
}

/// What kind of JSON this is; its value may be a secret.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Lays a plugin's params over the current ones. No params at all leave even odd arguments as they are.
fn merge(body: &mut Body, params: Map<String, Value>) -> Result<(), Fault> {
    if params.is_empty() {
        return Ok(());
    }
    let document = body.json_mut()?;
    match document.as_object_mut() {
        Some(current) => current.extend(params),
        None => *document = Value::Object(params),
    }
    Ok(())
}

fn garbage(detail: String) -> Fault {
    Fault::new(FaultKind::Garbage, detail)
}

impl PluginContext {
    fn of(event: &Event<'_>, body: &Body) -> Self {
        let own = |fact: Option<&str>| fact.map(str::to_owned);
        let tool_name = event.tool_now(body).map_or_else(String::new, |name| name.written().trim().to_lowercase());
        Self { agent_id: own(event.agent), session_key: own(event.session), tool_name }
    }
}
