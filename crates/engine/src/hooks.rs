//! Programs of a plan, as interceptors.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tollgate_config::{Hook, Plan};
use tollgate_core::{
    Body, Edit, Event, Fault, FaultKind, Guard, Match, Name, Names, OnFault, Outcome, Point, Registration, Selector,
    Step, Verdict, Watch,
};
use tollgate_host_command as host;
use tollgate_wire::{TOOLS, Tool, normal_spellings};

/// A program keeps its own time; this is for when it cannot.
const PATIENCE: Duration = Duration::from_secs(5);

/// What stands where hooks are that nobody has trusted.
const UNTRUSTED: &str = "hooks";

/// A hook, to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HookForm {
    /// Its name.
    pub id: String,
    /// Who wrote it.
    pub origin: String,
    /// Its command, as it is written.
    pub command: String,
    /// Whether it may run.
    pub trusted: bool,
}

impl HookForm {
    /// The hooks that would be asked about an event as it comes in.
    pub(crate) fn due(plan: &Plan, names: &Names, event: &Event<'_>) -> Vec<Self> {
        let due = |hook: &&Hook| {
            let mut tools = event.name.into_iter().flat_map(Name::all);
            let fits = hook.tools.is_empty()
                || !event.point.is_about_a_tool()
                || tools.any(|tool| selector(hook, names).tool.fits(Some(tool)));
            hook.points().contains(&event.point) && fits
        };
        plan.hooks.iter().filter(due).map(Self::of).collect()
    }

    /// The form of a hook, without credentials: it is printed and kept.
    pub fn of(hook: &Hook) -> Self {
        Self {
            id: hook.id.clone(),
            origin: hook.origin.clone(),
            command: tollgate_secrets::scanner().redact(&hook.line()).into_owned(),
            trusted: hook.trusted,
        }
    }
}

/// The hooks that may run.
pub(crate) fn registrations(plan: &Plan, names: &Names) -> Vec<Registration> {
    plan.hooks.iter().filter(|hook| hook.trusted).flat_map(|hook| of(hook, names)).collect()
}

/// Refuses what hooks would have judged that may not run. Those that only watch are simply not told.
pub(crate) fn untrusted(plan: &Plan) -> Vec<Registration> {
    let strange = plan.hooks.iter().filter(|hook| !hook.trusted).flat_map(Hook::points);
    let mut points: Vec<Point> = strange.filter(|point| point.is_gate()).collect();
    points.sort();
    points.dedup();
    if points.is_empty() {
        return Vec::new();
    }
    let guard = Registration::guard(UNTRUSTED, points, Untrusted);
    vec![Registration { group: None, powers: vec![tollgate_core::Power::Deny], ..guard }]
}

/// A guard that cannot be asked has not agreed.
struct Untrusted;

impl Guard for Untrusted {
    fn judge<'a>(&'a self, _: &'a Event<'a>, _: &'a Body) -> Step<'a, Verdict> {
        Step::Now(Ok(Verdict::deny(
            "the hooks of this project are not trusted as they are now, so they cannot be asked; the user can look at them and run `tollgate trust`",
        )))
    }
}

/// The registrations of one hook: it can be an edit at some of its points and a watcher at others.
fn of(hook: &Hook, names: &Names) -> Vec<Registration> {
    let points = hook.points();
    let at = |wanted: fn(&Point) -> bool| points.iter().copied().filter(wanted).collect::<Vec<_>>();
    let tools = at(|point| point.is_gate() && point.is_about_a_tool());
    let gates = at(|point| point.is_gate() && !point.is_about_a_tool());
    let start = at(|point| *point == Point::SessionStart);
    let watched = at(|point| !point.is_gate() && *point != Point::SessionStart);
    let program = Arc::new(Checked {
        host: host::Hook {
            program: hook.program.clone(),
            protocol: hook.protocol,
            timeout: hook.timeout,
            env: hook.env.clone(),
        },
        hook: hook.clone(),
    });
    let on_fault = OnFault::from(hook.on_fault);
    let edit = |points: Vec<Point>| Registration::edit(&hook.id, points, Shared(Arc::clone(&program)));
    let made = [
        Registration { on_fault, select: selector(hook, names), ..edit(tools) },
        Registration { on_fault, ..edit(gates) },
        // Nothing can be refused there, so nothing is.
        Registration { on_fault: OnFault::Pass, ..edit(start) },
        Registration::watch(&hook.id, watched, Shared(program)),
    ];
    let made = made.into_iter().filter(|one| !one.points.is_empty()).enumerate();
    let named = made.map(|(number, one)| Registration {
        // Each needs a name of its own.
        id: if number == 0 { one.id } else { format!("{}@{}", hook.id, one.points[0]).into() },
        // And yet it is one program: none of them is asked about what it causes itself.
        group: Some(hook.id.as_str().into()),
        priority: hook.priority,
        limit: Some(hook.timeout.saturating_add(PATIENCE)),
        mend: Some(format!("look at this hook in {}, and run it by hand", hook.file.display()).into()),
        ..one
    });
    named.collect()
}

/// The tools it is asked about. Names in a list are normalized here, because only whole matches are elsewhere.
fn selector(hook: &Hook, names: &Names) -> Selector {
    let one = |tool: &str| match tool.contains('*') {
        true => glob(&tool.trim().to_lowercase()),
        false => Match::exact(names.name(tool).normal()),
    };
    let spelled: Vec<String> = hook.tools.iter().flat_map(|tool| normal_spellings(tool, false)).collect();
    let all: Vec<Match> = hook.tools.iter().chain(&spelled).map(|tool| one(tool)).collect();
    let tool = match all.len() {
        0 => Match::Any,
        1 => all.into_iter().next().unwrap_or_default(),
        _ => Match::with(&hook.tools.join(", "), move |name| all.iter().any(|one| one.fits(Some(name)))),
    };
    Selector { tool, ..Selector::default() }
}

/// The tools that fit a pattern by one of their names: calls come under the one name that all of them stand for.
fn glob(pattern: &str) -> Match {
    let Ok(glob) = Match::glob(pattern) else { return Match::Any };
    let by_alias =
        |tool: &&Tool| !glob.fits(Some(tool.name)) && tool.aliases.iter().any(|alias| glob.fits(Some(alias)));
    let also: Vec<&str> = TOOLS.iter().filter(by_alias).map(|tool| tool.name).collect();
    match also.is_empty() {
        true => glob,
        false => Match::with(pattern, move |name| glob.fits(Some(name)) || also.contains(&name)),
    }
}

/// A program that runs only while its files are those that were trusted.
struct Checked {
    host: host::Hook,
    hook: Hook,
}

#[derive(Clone)]
struct Shared(Arc<Checked>);

impl Checked {
    /// The scripts may have changed since the policy was loaded, and then nobody has looked at them.
    fn check(&self) -> Result<(), Fault> {
        match self.hook.changed() {
            None => Ok(()),
            Some(path) => {
                let path = path.display();
                let detail = format!("`{path}` is no longer what was trusted; look at it, then run `tollgate trust`");
                Err(Fault::new(FaultKind::Missing, detail))
            }
        }
    }
}

impl Edit for Shared {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        match self.0.check() {
            Ok(()) => Edit::edit(&self.0.host, event, body),
            // It is not the program that fails, so what its failure would mean does not count.
            Err(fault) if event.point.is_gate() => Step::Now(Ok(Verdict::deny(fault.detail))),
            Err(fault) => Step::Now(Err(fault)),
        }
    }
}

impl Watch for Shared {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
        match self.0.check() {
            Ok(()) => Watch::watch(&self.0.host, event, body, outcome),
            Err(fault) => Step::Now(Err(fault)),
        }
    }
}
