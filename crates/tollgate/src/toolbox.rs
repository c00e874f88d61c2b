use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;
use tollgate_core::{BadRegistration, Ended, Match, Pipeline, Point, Registration, Step, Verdict};

use crate::passage::Passage;
use crate::session::Session;
use crate::tool::{Call, Tool, ToolInfo, enumerate};

/// The tools of a session. It takes plain tools and hands out only wrapped ones, whenever they were added.
///
/// ```
/// use serde_json::json;
/// use tollgate::{Call, Gate, Tool, Toolbox, Verdict, block_on};
///
/// let gate = Gate::new();
/// gate.before_tool("nothing-runs").guard(|_, _| Verdict::deny("not today"))?;
/// let toolbox = Toolbox::new(gate.session("s"));
/// toolbox.add(Tool::new("exec", |_| async { Ok(json!("ran")) }))?;
/// let exec = toolbox.get("bash").expect("bash is an alias of exec");
/// let done = block_on(exec.execute(Call::new("1", json!({}))));
/// assert_eq!(done.value, json!({"status": "blocked", "tool": "exec", "reason": "not today"}));
/// # Ok::<(), tollgate::BadRegistration>(())
/// ```
#[derive(Clone)]
pub struct Toolbox {
    inner: Arc<Inner>,
}

struct Inner {
    session: Session,
    /// As they were given; nobody outside gets these.
    tools: RwLock<Vec<Tool>>,
}

impl Toolbox {
    /// An empty toolbox.
    pub fn new(session: Session) -> Self {
        Self { inner: Arc::new(Inner { session, tools: RwLock::default() }) }
    }

    /// Adds a tool and gives back the wrapped one. Two tools of one name would make it a matter of chance
    /// which of them a rule is about.
    pub fn add(&self, tool: Tool) -> Result<Tool, BadRegistration> {
        let mut tools = self.inner.tools.write().unwrap_or_else(PoisonError::into_inner);
        let pipeline = self.inner.session.gate().pipeline();
        let same = |other: &&Tool| self.normal(&pipeline, &other.name) == self.normal(&pipeline, &tool.name);
        if let Some(other) = tools.iter().find(same) {
            let (new, old) = (&tool.name, &other.name);
            return Err(BadRegistration(format!(
                "`{new}` is the same tool as `{old}`, which is here; remove that first"
            )));
        }
        let wrapped = self.wrap(&tool);
        tools.push(tool);
        Ok(wrapped)
    }

    /// Removes a tool; says whether it was there.
    pub fn remove(&self, name: &str) -> bool {
        let mut tools = self.inner.tools.write().unwrap_or_else(PoisonError::into_inner);
        let pipeline = self.inner.session.gate().pipeline();
        let before = tools.len();
        tools.retain(|tool| self.normal(&pipeline, &tool.name) != self.normal(&pipeline, name));
        tools.len() < before
    }

    /// All tools, wrapped.
    pub fn tools(&self) -> Vec<Tool> {
        let tools = self.inner.tools.read().unwrap_or_else(PoisonError::into_inner);
        tools.iter().map(|tool| self.wrap(tool)).collect()
    }

    /// One tool by name or alias, wrapped.
    pub fn get(&self, name: &str) -> Option<Tool> {
        let pipeline = self.inner.session.gate().pipeline();
        self.plain(&pipeline, &self.normal(&pipeline, name)).map(|tool| self.wrap(&tool))
    }

    /// What can be known of each tool from outside.
    pub fn enumerate(&self) -> Vec<ToolInfo> {
        enumerate(&*self.inner.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn wrap(&self, tool: &Tool) -> Tool {
        let (toolbox, name, execute) = (self.clone(), tool.name.clone(), tool.executor());
        tool.rerouted(Arc::new(move |call| {
            let (toolbox, name, execute) = (toolbox.clone(), name.clone(), Arc::clone(&execute));
            Box::pin(async move {
                let find = |pipeline: &Pipeline, name: &str| toolbox.plain(pipeline, name).map(|tool| tool.executor());
                let session = &toolbox.inner.session;
                Passage { session, name: &name, execute: &execute, find: Some(&find) }.call(call).await
            })
        }))
    }

    /// The one name of a tool, in this box.
    fn normal(&self, pipeline: &Pipeline, name: &str) -> String {
        self.inner.session.name(pipeline, name).normal().to_owned()
    }

    /// The tool itself, for the passage that has already judged the call. Where an alias came later and two
    /// tools have one name by now, it is neither of them.
    fn plain(&self, pipeline: &Pipeline, normal: &str) -> Option<Tool> {
        let tools = self.inner.tools.read().unwrap_or_else(PoisonError::into_inner);
        let mut found = tools.iter().filter(|tool| self.normal(pipeline, &tool.name) == normal);
        found.next().filter(|_| found.next().is_none()).cloned()
    }

    /// Proves that every tool handed out passes the pipeline (not that the host uses no others): each handed-out tool is called against a snapshot that
    /// refuses everything, and must come back refused by exactly that refusal.
    pub async fn coverage(&self) -> Coverage {
        let mut rows = Vec::new();
        for tool in self.tools() {
            rows.push(self.cover(&tool).await);
        }
        let seen = |id: &str| rows.iter().any(|row| row.before.iter().chain(&row.after).any(|other| other == id));
        let waits = |entry: &Registration| {
            let for_tools = entry.points.iter().any(|point| [Point::ToolBefore, Point::ToolAfter].contains(point));
            for_tools && !matches!(entry.select.tool, Match::Any) && !seen(&entry.id)
        };
        let idle = self.inner.session.gate().list().into_iter().filter(waits).map(|entry| entry.id.to_string());
        Coverage { idle: idle.collect(), rows }
    }

    async fn cover(&self, tool: &Tool) -> Covered {
        const CANARY: &str = "tollgate:coverage";
        let gate = self.inner.session.gate();
        let mut registry = gate.registry().clone();
        let pipeline = registry.snapshot();
        let ids = |point| {
            pipeline
                .order(point, Some(&self.normal(&pipeline, &tool.name)))
                .iter()
                .map(|entry| entry.id.to_string())
                .collect()
        };
        let (before, after) = (ids(Point::ToolBefore), ids(Point::ToolAfter));
        registry.clear();
        let canary = Registration::guard(CANARY, [Point::ToolBefore], Canary);
        let passes = match registry.add(canary) {
            Ok(()) => {
                let probe = Some(registry.snapshot());
                let done = tool.execute(Call { probe, ..Call::new(CANARY, Value::Null) }).await;
                done.ended == Ended::Denied && done.reason.as_deref() == Some(CANARY)
            }
            Err(_) => false,
        };
        Covered { tool: tool.name.clone(), passes, before, after }
    }
}

struct Canary;

impl tollgate_core::Guard for Canary {
    fn judge<'a>(&'a self, event: &'a tollgate_core::Event<'a>, _body: &'a tollgate_core::Body) -> Step<'a, Verdict> {
        Step::Now(Ok(Verdict::deny(event.call_id.unwrap_or_default().to_owned())))
    }
}

/// Which tools pass the pipeline, and who stands around each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// One row per tool.
    pub rows: Vec<Covered>,
    /// Rules for a tool that is not in the box: a misspelt name, or a tool that comes later.
    pub idle: Vec<String>,
}

/// One tool's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The tool.
    pub tool: String,
    /// Whether a refusal really kept it from running.
    pub passes: bool,
    /// Who stands before it, in order.
    pub before: Vec<String>,
    /// Who stands after it.
    pub after: Vec<String>,
}

impl Coverage {
    /// Whether no tool gets round the pipeline. It does not mean that somebody stands there: see the rows.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row.passes)
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Covered { tool, passes, before, after } in &self.rows {
            let word = if *passes { "covered" } else { "NOT COVERED" };
            writeln!(f, "{tool}: {word}; before: [{}]; after: [{}]", before.join(", "), after.join(", "))?;
        }
        match self.idle.as_slice() {
            [] => Ok(()),
            idle => writeln!(f, "for no tool that is here: [{}]", idle.join(", ")),
        }
    }
}
