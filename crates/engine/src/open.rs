//! From what a surface says of itself to an engine that judges and records.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tollgate_audit::{AuditError, Recorder};
use tollgate_config::{Diagnostics, NoHome, Paths, Plan, load_cached_on, observed};
use tollgate_core::{Clock, Registration};
use tollgate_rules::Ambient;
use tollgate_rules::form::Date;

use crate::ambient::Disk;
use crate::checks::{Places, Protect, SwitchFile};
use crate::engine::{Engine, Parts};
use crate::observe::Report;
use crate::record;
use crate::state::{Files, State};
use crate::switch::{Stand, Switch};

/// What a surface says of itself, for everything to be opened.
#[derive(Clone)]
pub struct Surface {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The home folder, where a working directory says nothing about it.
    pub home: Option<PathBuf>,
    /// The program that runs. No agent may change it.
    pub program: Option<PathBuf>,
    /// Files in which agents can be told to run no hooks, for a surface that is one.
    pub switches: Vec<SwitchFile>,
    /// Agents that are registered, because they call.
    pub callers: Vec<&'static str>,
    /// Files and folders of the surface's own that no agent may change: sockets, keys, credentials.
    pub places: Vec<PathBuf>,
    /// Interceptors of the surface's own.
    pub more: Vec<Registration>,
    /// Takes what is only observed, beside the record.
    pub report: Option<Report>,
}

impl Surface {
    /// A surface of this program that needs nothing more than time.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            home: None,
            program: std::env::current_exe().ok(),
            switches: Vec::new(),
            callers: Vec::new(),
            places: Vec::new(),
            more: Vec::new(),
            report: None,
        }
    }

    /// What no agent may change.
    pub(crate) fn places(&self, paths: &Paths, plan: &Plan) -> Places {
        let mut places = Places::of(paths, self.program.clone()).with_hooks(&plan.hooks);
        places.paths.extend(self.places.iter().cloned());
        places.with_switches(self.switches.clone(), &self.callers)
    }
}

/// An engine that is ready, and what to show beside its answers.
#[derive(Clone)]
#[must_use]
pub struct Opened {
    /// What judges.
    pub engine: Arc<Engine>,
    /// What records, for what no run of the pipeline tells: a human's answer.
    pub recorder: Option<Recorder>,
    /// How the switch stands.
    pub stand: Stand,
    /// Whether heads of the record are published: then they may be on their way when the process wants to end.
    pub anchored: bool,
    /// Why nothing is recorded although it should be, and calls go on.
    pub unrecorded: Option<String>,
    /// Why a policy that was written since is not in force. Only a [`Live`](crate::Live) engine has an older one.
    pub problem: Option<String>,
}

impl Opened {
    /// What the user is told with every answer.
    pub fn tells(&self) -> Vec<String> {
        let mut tells = self.stand.tells();
        tells.extend(self.unrecorded.as_ref().map(|why| format!("Tollgate records nothing: {why}")));
        tells.extend(self.problem.as_ref().map(|why| format!("Tollgate keeps the previous policy in force: {why}")));
        tells
    }
}

/// Why nothing can be judged. Whoever gets this refuses, and shows it.
#[derive(Debug)]
pub enum OpenError {
    /// There is no folder for the state.
    Home(NoHome),
    /// The policy has mistakes.
    Policy(Diagnostics),
    /// There is no record, and so no action.
    Record(AuditError),
}

impl fmt::Display for OpenError {
    /// One line: the first mistake, and how many there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Home(error) => error.fmt(f),
            Self::Policy(wrong) => {
                write!(f, "the policy has mistakes: {}; `tollgate check` shows them", wrong.brief())
            }
            Self::Record(error) => write!(f, "the record: {error}"),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<NoHome> for OpenError {
    fn from(error: NoHome) -> Self {
        Self::Home(error)
    }
}

impl From<Diagnostics> for OpenError {
    fn from(wrong: Diagnostics) -> Self {
        Self::Policy(wrong)
    }
}

impl From<AuditError> for OpenError {
    fn from(error: AuditError) -> Self {
        Self::Record(error)
    }
}

/// Opens everything as it is at this moment: switch, policy, protected places, state and record.
///
/// For a process that answers once. One that goes on needs a [`Live`](crate::Live) engine: this one will never see a
/// halt, the end of a pause, another policy, or another day.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use serde_json::json;
/// use tollgate_clock::SystemClock;
/// use tollgate_config::Paths;
/// use tollgate_core::{Act, Body, Event, Point};
/// use tollgate_engine::{Surface, open};
///
/// # let home = std::env::temp_dir().join(format!("tollgate-doc-open-{}", std::process::id()));
/// let paths = Paths::find(Path::new("/nowhere"), None, |name| (name == "TOLLGATE_HOME").then(|| home.clone().into()));
/// let surface = Surface { places: vec!["/run/mine.sock".into()], ..Surface::new(Arc::new(SystemClock::default())) };
/// let opened = open(&paths, &surface)?;
///
/// let pipeline = opened.engine.pipeline();
/// let name = pipeline.name("Bash");
/// let event = Event { cwd: Some("/nowhere"), ..Event::tool(Point::ToolBefore, &name, "call-1") };
/// let outcome = pipeline.run_now(&event, &mut Body::from(json!({"command": "rm /run/mine.sock"})));
/// assert!(matches!(outcome.act, Act::Deny(_)));
/// # std::fs::remove_dir_all(home)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(paths: &Paths, surface: &Surface) -> Result<Opened, OpenError> {
    let kept = Kept::new(paths, surface)?;
    let now = surface.clock.wall();
    let stand = Switch::at(paths.state()?).read(now);
    let plan = load_cached_on(paths, day(now))?;
    let record = Record::open(&plan, paths, &surface.clock)?;
    kept.engine(plan, paths, surface, stand, &record)
}

/// The day at a moment, in UTC.
pub(crate) fn day(now: Duration) -> Date {
    Date::of_seconds(now.as_secs())
}

/// What stays while policies come and go.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) state: Arc<dyn State>,
    pub(crate) ambient: Arc<dyn Ambient>,
}

/// The record, as far as there is one.
#[derive(Clone)]
pub(crate) struct Record {
    recorder: Option<Recorder>,
    pub(crate) unrecorded: Option<String>,
}

impl Record {
    pub(crate) fn open(plan: &Plan, paths: &Paths, clock: &Arc<dyn Clock>) -> Result<Self, OpenError> {
        let (recorder, unrecorded) = match record::open(plan, paths.state()?, paths.data()?, clock)? {
            record::Opened::Recording(recorder) => (Some(recorder), None),
            record::Opened::Off => (None, None),
            record::Opened::Without(error) => (None, Some(error.to_string())),
        };
        Ok(Self { recorder, unrecorded })
    }
}

impl Kept {
    pub(crate) fn new(paths: &Paths, surface: &Surface) -> Result<Self, OpenError> {
        let home = surface.home.clone().and_then(|home| home.into_os_string().into_string().ok());
        Ok(Self { state: Arc::new(Files::new(paths.state()?)), ambient: Arc::new(Disk::new(home)) })
    }

    /// An engine for a plan as it is written, with the switch as it stands.
    pub(crate) fn engine(
        &self,
        plan: Plan,
        paths: &Paths,
        surface: &Surface,
        stand: Stand,
        record: &Record,
    ) -> Result<Opened, OpenError> {
        let plan = if stand.observes() { observed(plan, day(surface.clock.wall()))? } else { plan };
        let protect = Protect::registration(surface.places(paths, &plan), Arc::clone(&self.ambient));
        let more = stand.registration().into_iter().chain([protect]).chain(surface.more.iter().cloned());
        let parts = Parts {
            state: Arc::clone(&self.state),
            clock: Arc::clone(&surface.clock),
            ambient: Arc::clone(&self.ambient),
            report: surface.report.clone(),
            more: more.collect(),
        };
        let parts = record.recorder.iter().fold(parts, Parts::recorded);
        let anchored = plan.audit.anchor.is_some();
        Ok(Opened {
            engine: Arc::new(Engine::new(plan, parts)?),
            recorder: record.recorder.clone(),
            stand,
            anchored,
            unrecorded: record.unrecorded.clone(),
            problem: None,
        })
    }
}
