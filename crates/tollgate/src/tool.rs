use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_core::{Ended, Fault, Pipeline};

use crate::session::Session;
use crate::task::{self, Abort, BoxFuture};

/// A tool: what the model is told of it, how it is shown, and how it runs.
///
/// How it runs is private. Whoever holds a wrapped tool can call it only through its gate.
#[derive(Clone)]
pub struct Tool {
    /// The name the model uses.
    pub name: String,
    /// The name people see.
    pub label: String,
    /// What it does, for the model.
    pub description: String,
    /// A JSON Schema of its parameters.
    pub parameters: Value,
    /// How a call is shown, if not in the ordinary way.
    pub render_call: Option<Render>,
    /// How a result is shown.
    pub render_result: Option<Render>,
    execute: Execute,
}

/// Shows a call or a result.
pub type Render = Arc<dyn Fn(&Value) -> String + Send + Sync>;
/// What a host hands to tools of the second shape; each tool knows what is in it.
pub type Context = Arc<dyn Any + Send + Sync>;
pub(crate) type Execute = Arc<dyn Fn(Call) -> BoxFuture<'static, Finished> + Send + Sync>;
pub(crate) type UpdateFn = Arc<dyn Fn(Value) -> BoxFuture<'static, ()> + Send + Sync>;

/// One call of a tool.
#[derive(Clone, Default)]
pub struct Call {
    /// Which call this is.
    pub id: String,
    /// The arguments.
    pub params: Value,
    /// Tells the tool to stop.
    pub abort: Abort,
    /// What the host hands to tools that want it.
    pub context: Option<Context>,
    pub(crate) updates: Option<UpdateFn>,
    /// Set by a coverage check, which must not reach the tool.
    pub(crate) probe: Option<Pipeline>,
    /// As whose call, and under which name, it was judged as it stands. Only the gate directly below gets to
    /// read it, never a tool: that could lend it to another call.
    pub(crate) judged: Option<(Session, String)>,
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// What the model gets.
    pub value: Value,
    /// How the call ended. A refusal never looks like a success.
    pub ended: Ended,
    /// Why it was blocked, or how it failed.
    pub reason: Option<String>,
    /// The interceptor that blocked it, unless it was the pipeline itself.
    pub by: Option<String>,
    /// What edits want the model to know beside it.
    pub notes: Vec<String>,
    /// What edits want the person at the keyboard to know.
    pub tells: Vec<String>,
    /// Whether it comes from the tool itself and no gate has told it in its own words yet.
    pub(crate) is_plain: bool,
}

/// A tool's failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError(pub String);

impl<E: fmt::Display> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// What can be known of a tool from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolInfo {
    /// The name the model uses.
    pub name: String,
    /// The name people see.
    pub label: String,
    /// What it does.
    pub description: String,
    /// A JSON Schema of its parameters.
    pub parameters: Value,
    /// Whether it shows calls or results in its own way.
    pub has_custom_render: bool,
}

/// Lists tools without running them.
pub fn enumerate<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> Vec<ToolInfo> {
    tools.into_iter().map(Tool::info).collect()
}

impl Tool {
    /// A tool that needs nothing but the call.
    ///
    /// ```
    /// use serde_json::json;
    /// use tollgate::{Call, Tool, block_on};
    ///
    /// let echo = Tool::new("echo", |call| async move { Ok(call.params) });
    /// let done = block_on(echo.execute(Call::new("1", json!({"text": "hi"}))));
    /// assert_eq!(done.value, json!({"text": "hi"}));
    /// ```
    pub fn new<F>(name: &str, run: impl Fn(Call) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        let shared = Arc::new((name.to_owned(), run));
        let execute: Execute = Arc::new(move |call| {
            let (shared, call) = (Arc::clone(&shared), Call { judged: None, ..call });
            Box::pin(async move {
                let (name, run) = &*shared;
                Finished::of(name, task::catch(async { run(call).await }).await)
            })
        });
        Self::described(name, execute)
    }

    /// A tool that also needs what the host hands out.
    pub fn with_context<F>(name: &str, run: impl Fn(Call, Context) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        let run = Arc::new(run);
        let missing = format!("`{name}` needs a context, and the call has none");
        Self::new(name, move |call| {
            let (run, missing) = (Arc::clone(&run), missing.clone());
            async move {
                match call.context.clone() {
                    Some(context) => run(call, context).await,
                    None => Err(ToolError(missing)),
                }
            }
        })
    }

    /// The same tool with another name for people.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }

    /// The same tool, described to the model.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { description: description.into(), ..self }
    }

    /// The same tool with a JSON Schema of its parameters.
    #[must_use]
    pub fn parameters(self, parameters: Value) -> Self {
        Self { parameters, ..self }
    }

    /// The same tool, showing calls in its own way.
    #[must_use]
    pub fn render_call(self, render: impl Fn(&Value) -> String + Send + Sync + 'static) -> Self {
        Self { render_call: Some(Arc::new(render)), ..self }
    }

    /// The same tool, showing results in its own way.
    #[must_use]
    pub fn render_result(self, render: impl Fn(&Value) -> String + Send + Sync + 'static) -> Self {
        Self { render_result: Some(Arc::new(render)), ..self }
    }

    fn described(name: &str, execute: Execute) -> Self {
        Self {
            name: name.to_owned(),
            label: name.to_owned(),
            description: String::new(),
            parameters: json!({"type": "object"}),
            render_call: None,
            render_result: None,
            execute,
        }
    }

    /// The same tool in every respect, but run by something else.
    pub(crate) fn rerouted(&self, execute: Execute) -> Self {
        Self { execute, ..self.clone() }
    }

    /// How it runs, for the passage that judges its calls.
    pub(crate) fn executor(&self) -> Execute {
        Arc::clone(&self.execute)
    }

    /// What can be known of it from outside.
    pub fn info(&self) -> ToolInfo {
        ToolInfo {
            name: self.name.clone(),
            label: self.label.clone(),
            description: self.description.clone(),
            parameters: self.parameters.clone(),
            has_custom_render: self.render_call.is_some() || self.render_result.is_some(),
        }
    }

    /// Runs it. To stop it, use the call's [`Abort`]: dropping this future also drops what was still to happen,
    /// the after-point included.
    pub async fn execute(&self, call: Call) -> Finished {
        (self.execute)(call).await
    }
}

impl Call {
    /// A call with these arguments.
    pub fn new(id: impl Into<String>, params: Value) -> Self {
        Self { id: id.into(), params, ..Self::default() }
    }

    /// Sends partial results there while the tool runs.
    #[must_use]
    pub fn on_update(mut self, update: impl Fn(Value) + Send + Sync + 'static) -> Self {
        let update = Arc::new(update);
        self.updates = Some(Arc::new(move |value| {
            let update = Arc::clone(&update);
            Box::pin(async move { update(value) })
        }));
        self
    }

    /// Lets somebody stop the call.
    #[must_use]
    pub fn abort(mut self, abort: &Abort) -> Self {
        self.abort = abort.clone();
        self
    }

    /// Hands the tool what the host has for it.
    #[must_use]
    pub fn with_context<T: Any + Send + Sync>(mut self, context: T) -> Self {
        self.context = Some(Arc::new(context));
        self
    }

    /// Streams a partial result. It passes the gate like the final one.
    pub async fn update(&self, partial: Value) {
        if let Some(update) = &self.updates {
            update(partial).await;
        }
    }
}

impl Finished {
    fn of(tool: &str, run: Result<Result<Value, ToolError>, Fault>) -> Self {
        let error = match run {
            Ok(Ok(value)) => return Self { is_plain: true, ..Self::new(value, Ended::Ok) },
            Ok(Err(ToolError(error))) => error,
            Err(panic) => format!("`{tool}` panicked: {}", panic.detail),
        };
        let value = json!({"status": "error", "tool": tool, "error": error});
        Self { reason: Some(error), is_plain: true, ..Self::new(value, Ended::Error) }
    }

    pub(crate) fn new(value: Value, ended: Ended) -> Self {
        let (reason, by, is_plain) = (None, None, false);
        Self { value, ended, reason, by, notes: Vec::new(), tells: Vec::new(), is_plain }
    }

    /// Whether the tool ran, here or elsewhere, and succeeded, or somebody answered in its place.
    pub fn is_ok(&self) -> bool {
        !matches!(self.ended, Ended::Error | Ended::Denied | Ended::Canceled)
    }
}
