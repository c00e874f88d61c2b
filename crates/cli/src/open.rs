//! From what was typed to an engine that can be asked.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tollgate_clock::SystemClock;
use tollgate_config::{Diagnostics, Paths, Plan};
use tollgate_engine::state::Memory;
use tollgate_engine::{Disk, Engine, Parts};
use tollgate_rules::Ambient;

use crate::args::Policy;
use crate::command::Failure;
use crate::output::Paint;

/// The policy that holds here.
pub(crate) fn plan(policy: &Policy, paint: Paint) -> Result<Plan, Failure> {
    let plan = if policy.defaults {
        tollgate_config::combine(Vec::new(), false, tollgate_config::today())
    } else {
        let paths = Paths::of_process(policy.config.as_deref())?;
        let hooks = policy.hooks.as_ref().map(std::path::absolute).transpose()?;
        tollgate_config::load(&Paths { hooks, ..paths })
    };
    plan.map_err(|wrong| mistakes(&wrong, paint))
}

/// An engine for questions. It remembers nothing: a question is not a call.
pub(crate) fn engine(plan: Plan, around: &Arc<Around>, paint: Paint) -> Result<Engine, Failure> {
    let parts = Parts {
        state: Arc::new(Memory::default()),
        clock: Arc::new(SystemClock::default()),
        ambient: Arc::clone(around) as Arc<dyn Ambient>,
        report: None,
        more: Vec::new(),
    };
    Engine::new(plan, parts).map_err(|wrong| mistakes(&wrong, paint))
}

/// All that is wrong with the policy, below one line that says what follows from it.
pub(crate) fn mistakes(wrong: &Diagnostics, paint: Paint) -> Failure {
    let shown = if paint.on() { wrong.coloured() } else { wrong.to_string() };
    Failure::Said(format!("the policy has mistakes, so nothing is let through\n\n{}", shown.trim_end()))
}

/// This machine, with a home that can be named for each question.
#[derive(Default)]
pub(crate) struct Around {
    disk: Disk,
    home: Mutex<Option<String>>,
}

impl Around {
    pub(crate) fn new() -> Arc<Self> {
        let home = std::env::var("HOME").ok().filter(|home| Path::new(home).is_absolute());
        Arc::new(Self { disk: Disk::new(home), home: Mutex::default() })
    }

    /// From now on this is the home, wherever the working directory is.
    pub(crate) fn at_home(&self, home: Option<String>) {
        *self.home.lock().unwrap_or_else(PoisonError::into_inner) = home;
    }
}

impl Ambient for Around {
    fn workspace(&self, cwd: Option<&str>) -> Cow<'_, [String]> {
        self.disk.workspace(cwd)
    }

    fn home<'a>(&'a self, cwd: Option<&'a str>) -> Option<Cow<'a, str>> {
        let named = self.home.lock().unwrap_or_else(PoisonError::into_inner).clone();
        named.map(Cow::Owned).or_else(|| self.disk.home(cwd))
    }

    fn real(&self, path: &str) -> Option<String> {
        self.disk.real(path)
    }
}
