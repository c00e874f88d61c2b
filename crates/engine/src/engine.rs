use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tollgate_config::{Ambiguous, Diagnostics, Plan};
use tollgate_core::{Act, Clock, Names, Pipeline, Registration, Registry, Role};
use tollgate_rules::form::Mode;
use tollgate_rules::{Ambient, Extended, Mistake};

use crate::assemble::{Assembly, Checks};
use crate::checks::{DryRun, Preview, order};
use crate::hooks;
use crate::observe::{Observed, Report, observing};
use crate::rules::Rules;
use crate::state::{Peek, State, StateError};

/// What an engine is made of beside its plan.
#[derive(Clone)]
pub struct Parts {
    /// What is remembered between calls.
    pub state: Arc<dyn State>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// What stands around calls; [`Disk`](crate::Disk) for this machine.
    pub ambient: Arc<dyn Ambient>,
    /// Takes what is only observed.
    pub report: Option<Report>,
    /// Interceptors beside those of the plan: records, plugins. They stand between the plan's checks.
    pub more: Vec<Registration>,
}

/// A plan that runs.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use tollgate_config::{File, Layer, combine};
/// use tollgate_core::{Act, Body, Event, Point};
/// use tollgate_engine::state::Memory;
/// use tollgate_engine::{Engine, Parts};
/// use tollgate_rules::{Still, form::Date};
/// # use tollgate_testkit::ManualClock as SystemClock;
///
/// let text = "[tools]\ndeny = ['create_fork']\n";
/// let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), text.into()).unwrap();
/// let plan = combine(vec![file], false, Date::of_seconds(0))?;
/// let engine = Engine::new(plan, Parts {
///     state: Arc::new(Memory::default()),
///     clock: Arc::new(SystemClock::default()),
///     ambient: Arc::new(Still::default()),
///     report: None,
///     more: Vec::new(),
/// })?;
///
/// let pipeline = engine.pipeline();
/// let name = pipeline.name("Create_Fork");
/// let event = Event::tool(Point::ToolBefore, &name, "call-1");
/// let outcome = pipeline.run_now(&event, &mut Body::from(serde_json::json!({})));
/// assert!(matches!(outcome.act, Act::Deny(ruling) if ruling.reason.contains("denied tools")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    parts: Parts,
    pub(crate) names: Names,
    pub(crate) loaded: Loaded,
}

/// Everything that follows from one plan.
pub(crate) struct Loaded {
    pub(crate) plan: Plan,
    checks: Checks,
    pub(crate) rules: Rules,
    pub(crate) ambient: Arc<dyn Ambient>,
    pipeline: Pipeline,
    /// For asking what would happen. A hook never asks.
    asking: OnceLock<Result<Asking, String>>,
}

/// The same pipeline, keeping nothing.
pub(crate) struct Asking {
    pub(crate) pipeline: Pipeline,
    /// What was only observed while asking.
    pub(crate) observed: Arc<Mutex<Vec<Observed>>>,
    pub(crate) turn: Mutex<()>,
}

impl Engine {
    /// Runs a plan that [`tollgate_config`] has compiled, or says why that cannot be.
    pub fn new(plan: Plan, parts: Parts) -> Result<Self, Diagnostics> {
        let names = tollgate_wire::names();
        let loaded = load(plan, &parts, &names)?;
        Ok(Self { parts, names, loaded })
    }

    /// What calls run on.
    pub fn pipeline(&self) -> Pipeline {
        self.loaded.pipeline.clone()
    }

    /// What is remembered between calls.
    pub fn state(&self) -> &dyn State {
        &*self.parts.state
    }

    /// Answers a question with a yes that was given to this very call before, and uses that up. Whatever else is to be
    /// done stays as it is.
    pub fn redeem(&self, act: Act) -> Result<Act, StateError> {
        let Act::Ask(question) = act else { return Ok(act) };
        Ok(match self.state().redeem(self.parts.clock.wall(), question.digest)? {
            Some(approval) => question.answer(&approval),
            None => Act::Ask(question),
        })
    }

    /// What a plan is asked on; it is made for whoever asks first.
    pub(crate) fn asking(&self) -> Result<&Asking, &str> {
        let made = self.loaded.asking.get_or_init(|| self.loaded.ask_on(&self.parts, &self.names));
        made.as_ref().map_err(String::as_str)
    }
}

impl Loaded {
    fn ask_on(&self, parts: &Parts, names: &Names) -> Result<Asking, String> {
        let observed: Arc<Mutex<Vec<Observed>>> = Arc::default();
        let sink = Arc::clone(&observed);
        let note: Report = Arc::new(move |_, one| sink.lock().unwrap_or_else(PoisonError::into_inner).push(one));
        let peek: Arc<dyn State> = Arc::new(Peek(Arc::clone(&parts.state)));
        let Self { plan, checks, rules, .. } = self;
        let made = Made { plan, checks, rules, parts, state: &peek, report: Some(&note) };
        // Programs, plugins and records are not asked what they would do: asking them may be doing it.
        let pipeline = made.pipeline(names, &hooks::untrusted(plan), &[])?;
        Ok(Asking { pipeline, observed, turn: Mutex::default() })
    }
}

fn load(plan: Plan, parts: &Parts, names: &Names) -> Result<Loaded, Diagnostics> {
    let folders = plan.workspace.iter().filter_map(|folder| Some(folder.to_str()?.to_owned())).collect();
    let lessons = plan.lessons.clone();
    let ambient: Arc<dyn Ambient> = Arc::new(Extended { inner: Arc::clone(&parts.ambient), folders, lessons });
    let (checks, rules) = compiled(&plan, &ambient)?;
    let hooks = [hooks::registrations(&plan, names), hooks::untrusted(&plan)].concat();
    let (state, report) = (&parts.state, parts.report.as_ref());
    let made = Made { plan: &plan, checks: &checks, rules: &rules, parts, state, report };
    let pipeline = made.pipeline(names, &hooks, &parts.more);
    let pipeline = pipeline.map_err(|problem| plan.diagnose(&[Mistake::new(problem)]))?;
    Ok(Loaded { plan, checks, rules, ambient, pipeline, asking: OnceLock::new() })
}

/// The checks and rules of a plan. One without them was put together by hand, and to go on would be no rules at all.
fn compiled(plan: &Plan, ambient: &Arc<dyn Ambient>) -> Result<(Checks, Rules), Diagnostics> {
    let (Some(checks), Some(set)) = (&plan.checks, &plan.compiled) else {
        return Err(plan.diagnose(&[Mistake::new("the plan is not compiled; `tollgate_config::load` does that")]));
    };
    Ok((
        Assembly { files: &plan.files, ambient }.checks(checks),
        Rules { set: set.clone(), ambient: Arc::clone(ambient) },
    ))
}

/// What a pipeline is made of.
struct Made<'a> {
    plan: &'a Plan,
    checks: &'a Checks,
    rules: &'a Rules,
    parts: &'a Parts,
    state: &'a Arc<dyn State>,
    report: Option<&'a Report>,
}

impl Made<'_> {
    fn pipeline(&self, names: &Names, hooks: &[Registration], more: &[Registration]) -> Result<Pipeline, String> {
        let mut registry = Registry::new(names.clone(), Arc::clone(&self.parts.clock), tollgate_wire::digest);
        registry.rewrite_ambiguous = self.plan.ambiguous == Ambiguous::Rewrite;
        let observe = |registration| match self.plan.mode {
            Mode::Enforce => registration,
            Mode::Observe => observing(registration, self.report),
        };
        let checks = self.stateless().into_iter().chain(self.stateful()).map(observe);
        // Rules know by themselves whether they only observe. A dry run is nobody's objection, so it holds in any case.
        let policy = self.rules.registrations(self.report).into_iter().chain(hooks.iter().cloned().map(observe));
        let others = policy.map(behind_ours).chain(more.iter().cloned()).map(between);
        for registration in checks.chain(others).chain(self.dry_run()) {
            registry.add(registration).map_err(|problem| problem.to_string())?;
        }
        Ok(registry.snapshot())
    }

    fn stateless(&self) -> Vec<Registration> {
        [self.checks.tools.registrations(), self.checks.requires.registrations()].concat()
    }

    fn stateful(&self) -> Vec<Registration> {
        let (checks, clock) = (self.checks, &self.parts.clock);
        [
            checks.loops(self.state, self.report).registrations(),
            checks.limits(self.state, clock, self.report).registrations(),
            checks.dedupes(self.state, clock).registrations(),
        ]
        .concat()
    }

    fn dry_run(&self) -> Vec<Registration> {
        if !self.plan.dry_run {
            return Vec::new();
        }
        let (checks, clock) = (self.checks, &self.parts.clock);
        let previews: Vec<Arc<dyn Preview>> = vec![
            Arc::new(self.rules.clone()),
            Arc::new(checks.loops(self.state, None)),
            Arc::new(checks.limits(self.state, clock, None)),
            Arc::new(checks.dedupes(self.state, clock)),
        ];
        DryRun { tools: Arc::clone(&checks.tools), previews }.registrations()
    }
}

/// Guards of others stand between the checks at both ends, whatever number they chose.
fn between(registration: Registration) -> Registration {
    match registration.role {
        Role::Guard(_) => {
            let priority = registration.priority.clamp(order::LOOPS + 1, order::ALLOW - 1);
            Registration { priority, ..registration }
        }
        _ => registration,
    }
}

/// Edits of a policy stand behind those of ours, whatever number they chose.
fn behind_ours(registration: Registration) -> Registration {
    match registration.role {
        Role::Edit(_) => Registration { priority: registration.priority.min(order::COUNT - 1), ..registration },
        _ => registration,
    }
}
