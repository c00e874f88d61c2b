//! From what was compiled to what is checked.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tollgate_config::{self as config, Check, File, Layer, Toolset, Unknown};
use tollgate_core::{Clock, Query};
use tollgate_rules::form::{self, Mode};
use tollgate_rules::{Ambient, Arguments, CallFacts, Condition};

use crate::checks::{self, Dedupe, Dedupes, Limit, Limits, Loop, Loops, Over, Per, Require, Requires, Tools, When};
use crate::observe::Report;
use crate::state::{Bucket, State};

/// What the checks of a plan are, without where they are counted.
pub(crate) struct Checks {
    pub(crate) tools: Arc<Tools>,
    pub(crate) requires: Requires,
    pub(crate) limits: Arc<[Limit]>,
    pub(crate) loops: Arc<[Loop]>,
    pub(crate) dedupes: Arc<[Dedupe]>,
}

impl Checks {
    pub(crate) fn limits(&self, state: &Arc<dyn State>, clock: &Arc<dyn Clock>, report: Option<&Report>) -> Limits {
        let (all, state, clock) = (Arc::clone(&self.limits), Arc::clone(state), Arc::clone(clock));
        Limits { all, state, clock, report: report.cloned() }
    }

    pub(crate) fn loops(&self, state: &Arc<dyn State>, report: Option<&Report>) -> Loops {
        Loops { all: Arc::clone(&self.loops), state: Arc::clone(state), report: report.cloned() }
    }

    pub(crate) fn dedupes(&self, state: &Arc<dyn State>, clock: &Arc<dyn Clock>) -> Dedupes {
        let (all, tools) = (Arc::clone(&self.dedupes), Arc::clone(&self.tools));
        Dedupes { all, tools, state: Arc::clone(state), clock: Arc::clone(clock) }
    }
}

/// Makes checks of what a plan says beside its rules.
pub(crate) struct Assembly<'a> {
    pub(crate) files: &'a [File],
    pub(crate) ambient: &'a Arc<dyn Ambient>,
}

impl Assembly<'_> {
    pub(crate) fn checks(&self, compiled: &config::Checks) -> Checks {
        let sets = compiled.tools.iter().map(|set| self.toolset(set)).collect();
        let (reads, writes) = (self.list(&compiled.reads), self.list(&compiled.writes));
        Checks {
            tools: Arc::new(Tools { sets, reads, writes }),
            requires: Requires { all: each(&compiled.requires, |index, require| self.require(index, require)) },
            limits: compiled.limits.iter().map(|limit| self.limit(limit)).collect(),
            loops: each(&compiled.loops, |index, one| self.repeat(index, one)).into(),
            dedupes: each(&compiled.dedupes, |index, one| self.dedupe(index, one)).into(),
        }
    }

    fn when(&self, condition: &Arc<Condition>) -> When {
        let (condition, ambient) = (Arc::clone(condition), Arc::clone(self.ambient));
        Arc::new(move |event, body| condition.holds(&CallFacts::new(event, body, &ambient)))
    }

    fn list(&self, list: &config::Tools) -> Option<When> {
        list.as_ref().map(|list| self.when(list))
    }

    fn toolset(&self, set: &Toolset<config::Tools>) -> checks::Toolset {
        let never = || -> When { Arc::new(|_, _| Ok(false)) };
        let only = |list: &config::Tools| self.list(list).unwrap_or_else(never);
        checks::Toolset {
            known: (set.default == Unknown::Deny).then(|| only(&set.known)),
            admin: self.list(&set.admin),
            lifted: self.list(&set.lifted),
            allow: set.allow.as_ref().map(only),
            deny: self.list(&set.deny),
        }
    }

    fn require(&self, index: usize, (require, arguments): &(Check<form::Require>, Arc<Arguments>)) -> Require {
        let arguments = Arc::clone(arguments);
        Require {
            id: name(require.form.id.as_ref(), "require", index),
            when: self.when(&require.when),
            violation: Arc::new(move |value: &Value| arguments.violation(value)),
            reason: require.form.deny.clone(),
        }
    }

    fn limit(&self, Check { form, origin, when }: &Check<form::Limit>) -> Limit {
        let reason = form.deny.clone().unwrap_or_else(|| "this is too much".to_owned());
        Limit {
            id: form.id.as_str().into(),
            project: self.project(origin),
            when: self.when(when),
            per: form.per.as_ref().map_or_else(|| vec![Per::Session], |per| per.iter().filter_map(apart).collect()),
            bucket: Bucket { max: form.max, every: form.every.as_ref().and_then(span) },
            cost: form.cost.as_ref().map(|cost| path(cost)),
            over: form.ask.as_ref().map(query).map_or(Over::Deny(reason), Over::Ask),
            observe: form.mode == Some(Mode::Observe),
        }
    }

    /// The file of the project, if that is where something comes from: one file, by whatever way it was found.
    fn project(&self, origin: &str) -> Option<Arc<str>> {
        let project = Layer::Project;
        let file = self.files.iter().find(|file| file.layer == project && project.name() == origin)?;
        let path = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
        Some(path.to_string_lossy().into())
    }

    fn repeat(&self, index: usize, Check { form, when, .. }: &Check<form::Loop>) -> Loop {
        let number = |number: Option<u32>, default| number.map_or(default, |number| number as usize);
        Loop {
            id: name(form.id.as_ref(), "loop", index),
            when: self.when(when),
            warn: number(form.warn, 10),
            deny: number(form.deny, 20),
            window: number(form.window, 30),
            observe: form.mode == Some(Mode::Observe),
        }
    }

    fn dedupe(&self, index: usize, Check { form, when, .. }: &Check<form::Dedupe>) -> Dedupe {
        let keep = span(&form.span).unwrap_or_default();
        Dedupe { id: name(form.id.as_ref(), "dedupe", index), when: self.when(when), keep }
    }
}

fn each<F, T>(all: &[F], make: impl Fn(usize, &F) -> T) -> Vec<T> {
    all.iter().enumerate().map(|(index, one)| make(index, one)).collect()
}

fn query(ask: &form::Ask) -> Query {
    let form::AskTable { title, detail, timeout } = ask.table();
    let (detail, timeout) = (detail.unwrap_or_default(), timeout.as_ref().and_then(span));
    Query { title, detail, timeout, data: Value::Null }
}

/// A length of time. That it is one was checked with the file.
fn span(span: &form::Span) -> Option<Duration> {
    span.duration().ok()
}

/// What has no name is known by its place, which also keeps what is counted for it apart.
fn name(id: Option<&String>, kind: &str, index: usize) -> Arc<str> {
    match (id, index) {
        (Some(id), _) => id.as_str().into(),
        (None, 0) => kind.into(),
        (None, index) => format!("{kind}-{}", index + 1).into(),
    }
}

fn apart(per: &form::Per) -> Option<Per> {
    match per {
        form::Per::Session => Some(Per::Session),
        form::Per::Agent => Some(Per::Agent),
        form::Per::Tool => Some(Per::Tool),
        form::Per::Principal => Some(Per::Principal),
        form::Per::All => None,
    }
}

fn path(cost: &str) -> Vec<String> {
    cost.strip_prefix("arg.").unwrap_or(cost).split('.').map(str::to_owned).collect()
}
