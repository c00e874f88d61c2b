//! The typed way to register: `gate.before_tool("id").tool("exec").guard(|call, args| …)`.

use std::any::Any;
use std::fmt::Display;
use std::marker::PhantomData;
use std::time::Duration;

use serde_json::Value;
use tollgate_core::{
    Act, BadRegistration, Body, Edit, Event, Fault, Guard, Match, OnFault, Outcome, Point, Registration, Selector,
    Step, Verdict, Watch,
};

use crate::facts::Facts;
use crate::gate::{Gate, Handle};
use crate::view::{Fields, Text, View};

/// A registration being written down. It ends with what the handler is: [`guard`](Self::guard),
/// [`edit`](Self::edit) or [`watch`](Self::watch), or one of their `_async` kin.
///
/// ```
/// use std::time::Duration;
/// use tollgate::{Fault, Gate, OnFault, Query, Verdict};
///
/// let gate = Gate::new();
///
/// // A guard judges. It may refuse, ask, answer or divert; returning nothing is no objection.
/// gate.before_tool("no-force").tool("exec").priority(10).guard(|_call, args| {
///     let command = args.text("command").unwrap_or_default();
///     command.contains("--force").then(|| Verdict::deny("push without --force"))
/// })?;
///
/// // A question that closes after a minute.
/// gate.before_tool("publish").tool_regex("^(publish|release)").guard(|call, args| {
///     let title = format!("run {}?", call.tool_name(&args));
///     let timeout = Some(Duration::from_secs(60));
///     Verdict::Ask(Box::new(Query { title, timeout, ..Query::default() }))
/// })?;
///
/// // An edit rewrites. With `?` inside, the last line says what kind of error there may be.
/// gate.before_tool("defaults").tool("read").edit(|_call, mut args| {
///     args.default("limit", 100)?;
///     args.set("follow_links", false)?;
///     Ok::<_, Fault>(())
/// })?;
///
/// // An async guard that takes too long is dropped, and refuses.
/// gate.before_tool("owners").limit(Duration::from_secs(2)).guard_async(|facts, _args| async move {
///     (facts.agent.as_deref() == Some("intern")).then(|| Verdict::deny("ask your mentor"))
/// })?;
///
/// // No record, no action.
/// gate.after_tool("record").on_fault(OnFault::Deny).watch(|call, result, _outcome| {
///     println!("{:?} ended {:?}", call.call_id, call.ended);
///     if result.text().len() < 1_000_000 { Ok(()) } else { Err("the record is full") }
/// })?;
/// # Ok::<(), tollgate::BadRegistration>(())
/// ```
#[must_use = "nothing is registered until a handler is given"]
pub struct On<V> {
    gate: Gate,
    id: String,
    points: Vec<Point>,
    select: Result<Selector, BadRegistration>,
    settings: Vec<Setting>,
    view: PhantomData<V>,
}

type Setting = Box<dyn FnOnce(&mut Registration)>;

macro_rules! builders {
    ($($(#[$doc:meta])* $name:ident: $point:ident as $view:ty;)+) => {
        impl Gate {
            $($(#[$doc])*
            pub fn $name(&self, id: &str) -> On<$view> {
                self.on([Point::$point], id)
            })+
        }
    };
}

builders! {
    /// Tool calls before they run: the handler gets the call and its arguments.
    before_tool: ToolBefore as Fields<'static>;
    /// What tool calls came to, refused ones included: the handler gets the call and its result. Partial results
    /// pass [`tool_update`](Self::tool_update), and stored ones [`tool_persist`](Self::tool_persist).
    after_tool: ToolAfter as Text<'static>;
    /// Partial results while a tool runs.
    tool_update: ToolUpdate as Text<'static>;
    /// Tool results on their way into storage.
    tool_persist: ToolPersist as Text<'static>;
    /// Messages on their way into storage.
    message_write: MessageWrite as Text<'static>;
    /// What a person submits.
    prompt_submit: PromptSubmit as Text<'static>;
    /// Requests to a model.
    model_request: ModelRequest as Fields<'static>;
    /// Requests to a model, once per attempt and with the credential chosen.
    model_dispatch: ModelDispatch as Fields<'static>;
    /// What a model answered.
    model_response: ModelResponse as Fields<'static>;
    /// The tools offered to a model.
    tool_list: ToolList as Body;
}

impl Gate {
    /// Any points, with the body as it is.
    pub fn on<V: View>(&self, points: impl Into<Vec<Point>>, id: &str) -> On<V> {
        let (gate, id, points) = (self.clone(), id.to_owned(), points.into());
        On { gate, id, points, select: Ok(Selector::default()), settings: Vec::new(), view: PhantomData }
    }
}

impl<V: View> On<V> {
    /// Only for this tool, by its whole name. Case and aliases do not matter: `Bash` is `exec`. `fork` is also the tool of
    /// any MCP server that is called so there; `mcp__github__fork` is that of one.
    pub fn tool(self, name: &str) -> Self {
        let found = match name.trim() {
            "" => Err(BadRegistration("the name of a tool is blank".to_owned())),
            name => Ok(Match::exact(name)),
        };
        self.select_tool(found)
    }

    /// Only for tools whose whole name fits, where `*` is any text. It is the *normalized* name that must fit:
    /// `bas*` never meets `Bash`, which is called `exec` by then.
    pub fn tool_glob(self, pattern: &str) -> Self {
        self.select_tool(Match::glob(pattern))
    }

    /// Only for tools in whose *normalized* name (lower case, aliases resolved) the expression is found; write
    /// `^…$` for the whole name.
    pub fn tool_regex(self, pattern: &str) -> Self {
        self.select_tool(regex(pattern))
    }

    /// Only for this agent.
    pub fn agent(self, name: &str) -> Self {
        let name = Match::exact(name);
        self.select(|select| select.agent = name)
    }

    /// Only in this session.
    pub fn session(self, id: &str) -> Self {
        let id = Match::exact(id);
        self.select(|select| select.session = id)
    }

    /// Only for what this changes in the selector: server, surface, model, patterns of any kind.
    pub fn select(mut self, change: impl FnOnce(&mut Selector)) -> Self {
        if let Ok(select) = &mut self.select {
            change(select);
        }
        self
    }

    /// A second tool would silently take the place of the first.
    fn select_tool(mut self, found: Result<Match, BadRegistration>) -> Self {
        let id = &self.id;
        self.select = self.select.and_then(|mut select| {
            if !matches!(select.tool, Match::Any) {
                let problem = format!("`{id}` already selects a tool; use one pattern for both, or two rules");
                return Err(BadRegistration(problem));
            }
            select.tool = found.map_err(|BadRegistration(problem)| BadRegistration(format!("`{id}`: {problem}")))?;
            Ok(select)
        });
        self
    }

    /// Higher runs first within a role.
    pub fn priority(self, priority: i32) -> Self {
        self.setting(move |entry| entry.priority = priority)
    }

    /// What the handler's failure means.
    pub fn on_fault(self, on_fault: OnFault) -> Self {
        self.setting(move |entry| entry.on_fault = on_fault)
    }

    /// How long an async handler may take, 15 seconds unless said; `None` is for ever. A handler that is not
    /// async cannot be stopped: the trace then says that it overran.
    pub fn limit(self, limit: impl Into<Option<Duration>>) -> Self {
        let limit = limit.into();
        self.setting(move |entry| entry.limit = limit)
    }

    /// Whether an edit is asked again when a later one changed the body.
    pub fn second_look(self, second_look: bool) -> Self {
        self.setting(move |entry| entry.second_look = second_look)
    }

    /// What to do when the handler is broken: a command, or a sentence.
    pub fn mend(self, mend: &str) -> Self {
        let mend = mend.to_owned();
        self.setting(move |entry| entry.mend = Some(mend.into()))
    }

    /// Any other setting of the registration.
    pub fn setting(mut self, set: impl FnOnce(&mut Registration) + 'static) -> Self {
        self.settings.push(Box::new(set));
        self
    }

    /// Judges: sees the final body, and may object.
    pub fn guard<R: IntoVerdict>(
        self,
        judge: impl for<'a> Fn(&'a Event<'a>, V::Look<'a>) -> R + Send + Sync + 'static,
    ) -> Result<Handle, BadRegistration> {
        let guard = Judge(move |event: &Event<'_>, body: &Body| judge(event, V::look(body)?).into_verdict());
        let registration = Registration::guard(&self.id, self.points.clone(), guard);
        self.finish(registration)
    }

    /// Judges, and may wait. The handler owns what it gets: nothing changes under it.
    pub fn guard_async<F, R>(
        self,
        judge: impl Fn(Facts, Value) -> F + Send + Sync + 'static,
    ) -> Result<Handle, BadRegistration>
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoVerdict,
    {
        let guard = JudgeLater(move |facts, document| {
            let answer = judge(facts, document);
            async move { answer.await.into_verdict() }
        });
        let registration = Registration::guard(&self.id, self.points.clone(), guard);
        self.finish(registration)
    }

    /// Rewrites, and may object.
    pub fn edit<R: IntoVerdict>(
        self,
        edit: impl for<'a> Fn(&'a Event<'a>, V::Write<'a>) -> R + Send + Sync + 'static,
    ) -> Result<Handle, BadRegistration> {
        let edit = Rewrite(move |event: &Event<'_>, body: &mut Body| edit(event, V::write(body)?).into_verdict());
        let registration = Registration::edit(&self.id, self.points.clone(), edit);
        self.finish(registration)
    }

    /// Rewrites, and may wait. The handler gets the document and gives back the one to use, or a verdict.
    pub fn edit_async<F, R>(
        self,
        edit: impl Fn(Facts, Value) -> F + Send + Sync + 'static,
    ) -> Result<Handle, BadRegistration>
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoRewrite,
    {
        let edit = RewriteLater(move |facts, document| {
            let answer = edit(facts, document);
            async move { answer.await.into_rewrite() }
        });
        let registration = Registration::edit(&self.id, self.points.clone(), edit);
        self.finish(registration)
    }

    /// Watches: sees the final body and what was decided. With `on_fault(OnFault::Deny)` a watcher that
    /// returns an error keeps the call from happening: no record, no action. Where a human is asked, what was
    /// decided is the question; who answered it is a fact at `tool.after` (`event.approval`).
    pub fn watch<R: IntoSeen>(
        self,
        watch: impl for<'a> Fn(&'a Event<'a>, V::Look<'a>, &'a Outcome) -> R + Send + Sync + 'static,
    ) -> Result<Handle, BadRegistration> {
        let watch = See(move |event: &Event<'_>, body: &Body, outcome: &Outcome| {
            watch(event, V::see(body), outcome).into_seen()
        });
        let registration = Registration::watch(&self.id, self.points.clone(), watch);
        self.finish(registration)
    }

    /// Watches, and may wait. The handler owns what it gets.
    pub fn watch_async<F, R>(
        self,
        watch: impl Fn(Facts, Value, Act) -> F + Send + Sync + 'static,
    ) -> Result<Handle, BadRegistration>
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoSeen,
    {
        let watch = SeeLater(move |facts, document, act| {
            let seen = watch(facts, document, act);
            async move { seen.await.into_seen() }
        });
        let registration = Registration::watch(&self.id, self.points.clone(), watch);
        self.finish(registration)
    }

    fn finish(self, mut registration: Registration) -> Result<Handle, BadRegistration> {
        registration.select = self.select?;
        self.settings.into_iter().for_each(|set| set(&mut registration));
        self.gate.add(registration)
    }
}

/// A condition by regular expression, searched anywhere in the name, in linear time.
///
/// ```
/// let web = tollgate::regex("^web")?;
/// assert!(web.fits(Some("web_search")));
/// # Ok::<(), tollgate::BadRegistration>(())
/// ```
pub fn regex(pattern: &str) -> Result<Match, BadRegistration> {
    match regex::Regex::new(pattern) {
        Ok(regex) => Ok(Match::with(&format!("regex `{pattern}`"), move |name| regex.is_match(name))),
        Err(error) => Err(BadRegistration(format!("the pattern `{pattern}` does not work: {error}"))),
    }
}

/// A handler's error as a fault. A fault that was handed on stays what it was.
pub(crate) fn fault_of<E: Display + 'static>(error: E) -> Fault {
    let fault = (&error as &dyn Any).downcast_ref::<Fault>().cloned();
    fault.unwrap_or_else(|| Fault::crash(error))
}

/// What a handler may return: nothing, a verdict, or a result of either.
#[diagnostic::on_unimplemented(
    message = "a handler cannot return `{Self}`",
    note = "return a `Verdict`, `()`, or a `Result` or `Option` of these; for an async handler use `guard_async` or `edit_async`"
)]
pub trait IntoVerdict {
    /// The verdict, or the fault.
    fn into_verdict(self) -> Result<Verdict, Fault>;
}

impl IntoVerdict for () {
    fn into_verdict(self) -> Result<Verdict, Fault> {
        Ok(Verdict::Pass)
    }
}

impl IntoVerdict for Verdict {
    fn into_verdict(self) -> Result<Verdict, Fault> {
        Ok(self)
    }
}

impl<T: IntoVerdict> IntoVerdict for Option<T> {
    fn into_verdict(self) -> Result<Verdict, Fault> {
        self.map_or(Ok(Verdict::Pass), T::into_verdict)
    }
}

impl<T: IntoVerdict, E: Display + 'static> IntoVerdict for Result<T, E> {
    fn into_verdict(self) -> Result<Verdict, Fault> {
        self.map_err(fault_of).and_then(T::into_verdict)
    }
}

/// What a watcher may return: nothing, or a result of it.
pub trait IntoSeen {
    /// Whether it could do its work.
    fn into_seen(self) -> Result<(), Fault>;
}

impl IntoSeen for () {
    fn into_seen(self) -> Result<(), Fault> {
        Ok(())
    }
}

impl<E: Display + 'static> IntoSeen for Result<(), E> {
    fn into_seen(self) -> Result<(), Fault> {
        self.map_err(fault_of)
    }
}

/// What an async edit may return: a document, a verdict, nothing, or a result of these.
pub trait IntoRewrite {
    /// The new document, if there is one, and the verdict.
    fn into_rewrite(self) -> Result<(Option<Value>, Verdict), Fault>;
}

impl IntoRewrite for Value {
    fn into_rewrite(self) -> Result<(Option<Value>, Verdict), Fault> {
        Ok((Some(self), Verdict::Pass))
    }
}

impl IntoRewrite for (Option<Value>, Verdict) {
    fn into_rewrite(self) -> Result<Self, Fault> {
        Ok(self)
    }
}

impl IntoRewrite for Verdict {
    fn into_rewrite(self) -> Result<(Option<Value>, Verdict), Fault> {
        Ok((None, self))
    }
}

impl IntoRewrite for () {
    fn into_rewrite(self) -> Result<(Option<Value>, Verdict), Fault> {
        Ok((None, Verdict::Pass))
    }
}

impl<T: IntoRewrite, E: Display + 'static> IntoRewrite for Result<T, E> {
    fn into_rewrite(self) -> Result<(Option<Value>, Verdict), Fault> {
        self.map_err(fault_of).and_then(T::into_rewrite)
    }
}

/// Closures as interceptors.
struct Judge<F>(F);
struct JudgeLater<F>(F);
struct Rewrite<F>(F);
struct RewriteLater<F>(F);
struct See<F>(F);
struct SeeLater<F>(F);

impl<F> Guard for Judge<F>
where
    F: Fn(&Event<'_>, &Body) -> Result<Verdict, Fault> + Send + Sync,
{
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.0(event, body))
    }
}

impl<F> Edit for Rewrite<F>
where
    F: Fn(&Event<'_>, &mut Body) -> Result<Verdict, Fault> + Send + Sync,
{
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.0(event, body))
    }
}

impl<F> Watch for See<F>
where
    F: Fn(&Event<'_>, &Body, &Outcome) -> Result<(), Fault> + Send + Sync,
{
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
        Step::Now(self.0(event, body, outcome))
    }
}

impl<F, A> Watch for SeeLater<F>
where
    F: Fn(Facts, Value, Act) -> A + Send + Sync,
    A: Future<Output = Result<(), Fault>> + Send + 'static,
{
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
        // What cannot be read is seen too, as nothing: the refusal of it must not go unrecorded.
        let document = body.json().cloned().unwrap_or_default();
        Step::later(self.0(Facts::of(event, body), document, outcome.act.clone()))
    }
}

impl<F, A> Guard for JudgeLater<F>
where
    F: Fn(Facts, Value) -> A + Send + Sync,
    A: Future<Output = Result<Verdict, Fault>> + Send + 'static,
{
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        match body.json() {
            Ok(document) => Step::later(self.0(Facts::of(event, body), document.clone())),
            Err(fault) => Step::Now(Err(fault)),
        }
    }
}

impl<F, A> Edit for RewriteLater<F>
where
    F: Fn(Facts, Value) -> A + Send + Sync,
    A: Future<Output = Result<(Option<Value>, Verdict), Fault>> + Send + 'static,
{
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        let document = match body.json() {
            Ok(document) => document.clone(),
            Err(fault) => return Step::Now(Err(fault)),
        };
        let answer = self.0(Facts::of(event, body), document);
        Step::later(async move {
            let (document, verdict) = answer.await?;
            if let Some(document) = document {
                body.set(document);
            }
            Ok(verdict)
        })
    }
}
