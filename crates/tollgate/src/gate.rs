use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use tollgate_clock::SystemClock;
use tollgate_core::{Approval, BadRegistration, Clock, Pipeline, Point, Question, Registration, Registry, Route};
use tollgate_wire as wire;

use crate::task::BoxFuture;
use crate::tool::{Call, ToolError};

/// The interceptors of a program, and what it does when one of them asks or diverts.
///
/// Clones are the same gate. Registering never disturbs a call under way: each runs on the snapshot it
/// started with, and what a handler adds or removes holds from the next call on.
///
/// ```
/// use tollgate::{Gate, Verdict};
///
/// let gate = Gate::new();
/// gate.before_tool("no-rm-rf").tool("exec").guard(|_call, args| {
///     match args.text("command") {
///         Some(command) if command.contains("rm -rf") => Verdict::deny("rm -rf is not allowed"),
///         _ => Verdict::Pass,
///     }
/// })?;
/// assert_eq!(gate.ids(), ["no-rm-rf"]);
/// # Ok::<(), tollgate::BadRegistration>(())
/// ```
#[derive(Clone)]
pub struct Gate {
    shared: Arc<Shared>,
}

struct Shared {
    numbers: AtomicUsize,
    clock: Arc<dyn Clock>,
    registry: Mutex<Registry>,
    /// What calls run on; made anew at each change.
    pipeline: RwLock<Pipeline>,
    ask: RwLock<Option<AskFn>>,
    elsewhere: RwLock<Option<ElsewhereFn>>,
}

pub(crate) type AskFn = Arc<dyn Fn(Question) -> BoxFuture<'static, Option<Approval>> + Send + Sync>;
pub(crate) type ElsewhereFn =
    Arc<dyn Fn(Route, Call) -> BoxFuture<'static, Result<serde_json::Value, ToolError>> + Send + Sync>;

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate {
    /// A gate that lets everything pass, until somebody is registered.
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock::default()))
    }

    /// A gate that goes by another clock.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        let registry = Registry::new(wire::names(), Arc::clone(&clock), wire::digest);
        let pipeline = RwLock::new(registry.snapshot());
        let registry = Mutex::new(registry);
        let (ask, elsewhere) = (RwLock::default(), RwLock::default());
        let numbers = AtomicUsize::new(1);
        Self { shared: Arc::new(Shared { numbers, clock, registry, pipeline, ask, elsewhere }) }
    }

    /// Adds an interceptor. The typed builders ([`before_tool`](Self::before_tool) and its neighbours) end here.
    pub fn add(&self, registration: Registration) -> Result<Handle, BadRegistration> {
        let id = Arc::clone(&registration.id);
        self.change(|registry| registry.add(registration))?;
        Ok(Handle { gate: Arc::downgrade(&self.shared), id, remove_on_drop: false })
    }

    /// Adds several interceptors at once: all of them or, on an error, none.
    pub fn add_all(&self, registrations: Vec<Registration>) -> Result<(), BadRegistration> {
        self.change(|registry| {
            let mut more = registry.clone();
            registrations.into_iter().try_for_each(|registration| more.add(registration))?;
            *registry = more;
            Ok(())
        })
    }

    /// A number that nobody else at this gate gets.
    pub(crate) fn next_number(&self) -> usize {
        self.shared.numbers.fetch_add(1, Ordering::SeqCst)
    }

    /// Removes the very registration this id was given to, and not a later one of the same name.
    fn take_back(&self, id: &Arc<str>) -> bool {
        let is_ours = |registry: &Registry| registry.get(id).is_some_and(|entry| Arc::ptr_eq(&entry.id, id));
        self.change(|registry| is_ours(registry) && registry.remove(id))
    }

    /// Removes one; says whether it was there.
    pub fn remove(&self, id: &str) -> bool {
        self.change(|registry| registry.remove(id))
    }

    /// Removes all.
    pub fn clear(&self) {
        self.change(Registry::clear);
    }

    /// Lets `alias` stand for `name` in calls and selectors. Two are in force from the start: `bash` is `exec`, and
    /// `apply-patch` is `apply_patch`. A shell tool of another name is another tool until you say so here.
    pub fn alias(&self, alias: &str, name: &str) {
        self.change(|registry| registry.names.alias(alias, name));
    }

    /// Sends a document that two parsers may read differently on as it was read, instead of refusing it.
    pub fn rewrite_ambiguous(&self, rewrite: bool) {
        self.change(|registry| registry.rewrite_ambiguous = rewrite);
    }

    /// The one with this id.
    pub fn get(&self, id: &str) -> Option<Registration> {
        self.registry().get(id).cloned()
    }

    /// All of them, in order of registration.
    pub fn list(&self) -> Vec<Registration> {
        self.registry().list().to_vec()
    }

    /// All ids, in order of registration.
    pub fn ids(&self) -> Vec<String> {
        self.registry().list().iter().map(|entry| entry.id.to_string()).collect()
    }

    /// Those at a point, for one tool or for any, in the order they run in.
    pub fn at(&self, point: Point, tool: Option<&str>) -> Vec<Registration> {
        self.pipeline().order(point, tool).into_iter().cloned().collect()
    }

    /// What calls run on now.
    pub fn pipeline(&self) -> Pipeline {
        self.shared.pipeline.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Who answers questions. Without this, and when it gives no answer, a question is a refusal.
    pub fn on_ask<F>(&self, ask: impl Fn(Question) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Option<Approval>> + Send + 'static,
    {
        let ask: AskFn = Arc::new(move |question| Box::pin(ask(question)));
        *self.shared.ask.write().unwrap_or_else(PoisonError::into_inner) = Some(ask);
    }

    /// Who runs diverted calls. Without this a diversion is a refusal. The call's parameters are what is to
    /// run: the tool's own, or those of the command that came with the route.
    pub fn on_route<F>(&self, run: impl Fn(Route, Call) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<serde_json::Value, ToolError>> + Send + 'static,
    {
        let run: ElsewhereFn = Arc::new(move |route, call| Box::pin(run(route, call)));
        *self.shared.elsewhere.write().unwrap_or_else(PoisonError::into_inner) = Some(run);
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.shared.clock
    }

    pub(crate) fn asker(&self) -> Option<AskFn> {
        self.shared.ask.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn elsewhere(&self) -> Option<ElsewhereFn> {
        self.shared.elsewhere.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn registry(&self) -> MutexGuard<'_, Registry> {
        self.shared.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Registry) -> T) -> T {
        let mut registry = self.registry();
        // What is removed is dropped when the locks are open again: a handler may own handles of this gate.
        let before = registry.clone();
        let changed = change(&mut registry);
        let pipeline = registry.snapshot();
        // Under the registry's lock, so that the newest snapshot is the one that stays.
        let mut current = self.shared.pipeline.write().unwrap_or_else(PoisonError::into_inner);
        let replaced = std::mem::replace(&mut *current, pipeline);
        drop((current, registry));
        drop((replaced, before));
        changed
    }
}

/// A registration that can be taken back.
pub struct Handle {
    gate: Weak<Shared>,
    id: Arc<str>,
    remove_on_drop: bool,
}

impl Handle {
    /// The interceptor's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Removes the interceptor; says whether it was still there.
    pub fn remove(self) -> bool {
        self.gate.upgrade().is_some_and(|shared| Gate { shared }.take_back(&self.id))
    }

    /// Ties the interceptor to this handle: it is removed when the handle is dropped.
    pub fn remove_on_drop(mut self) -> Self {
        self.remove_on_drop = true;
        self
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some(shared) = self.gate.upgrade().filter(|_| self.remove_on_drop) {
            Gate { shared }.take_back(&self.id);
        }
    }
}
