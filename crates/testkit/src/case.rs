//! The cases in `spec/cases`: behaviours every surface must show, as data.
//!
//! The format is described in `spec/cases/README.md`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollgate_core::{Body, Clock, Ended, Event, Match, Names, OnFault, Point, Registration, Registry, Role, Selector};

use crate::Report;
use crate::actors::{Actor, Does, Log, actor};

/// One behaviour: what is registered, what happens, and what must come of it.
#[derive(Clone, Deserialize)]
#[serde(from = "CaseFile")]
pub struct Case {
    /// The file's name without `.json`.
    pub name: String,
    /// The behaviour in a sentence.
    pub about: String,
    /// The promised behaviours this shows, by their ids.
    pub covers: Vec<String>,
    /// Who is registered, in this order.
    pub registrations: Vec<Interceptor>,
    /// Names that stand for tools.
    pub aliases: BTreeMap<String, String>,
    /// Whether an ambiguous document is sent on as it was read, and not refused.
    pub rewrite_ambiguous: bool,
    /// What happens, one after another.
    pub steps: Vec<Moment>,
}

/// A case as the file has it: one moment may be written without a list around it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    about: String,
    #[serde(default)]
    covers: Vec<String>,
    registrations: Vec<Interceptor>,
    #[serde(default)]
    aliases: BTreeMap<String, String>,
    #[serde(default)]
    rewrite_ambiguous: bool,
    event: Option<Facts>,
    #[serde(default)]
    body: Document,
    #[serde(default)]
    cannot_wait: bool,
    expect: Option<Report>,
    #[serde(default)]
    steps: Vec<Moment>,
}

/// Something that happens.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The facts.
    pub event: Facts,
    /// What passes.
    #[serde(default)]
    pub body: Document,
    /// Whether the caller has no way to wait for an interceptor.
    #[serde(default)]
    pub cannot_wait: bool,
    /// What must come of it. Only the keys named here are compared.
    #[serde(default)]
    pub expect: Report,
}

/// A registration.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "they are the fields of core's `Registration` and `Selector`")]
pub struct Interceptor {
    pub id: String,
    /// Its own id, if not said.
    pub group: Option<String>,
    pub actor: String,
    #[serde(default)]
    pub params: Value,
    pub role: Option<String>,
    pub points: Vec<String>,
    #[serde(default)]
    pub tool: Pattern,
    #[serde(default)]
    pub agent: Pattern,
    #[serde(default)]
    pub session: Pattern,
    #[serde(default)]
    pub surface: Pattern,
    #[serde(default)]
    pub server: Pattern,
    #[serde(default)]
    pub model: Pattern,
    #[serde(default)]
    pub priority: i32,
    pub on_fault: Option<Failure>,
    pub second_look: Option<bool>,
    pub limit_ms: Option<u64>,
    pub mend: Option<String>,
    /// Whether it answers through a future, although it could answer at once.
    #[serde(default)]
    pub later: bool,
}

/// A condition on a name: a text for exactly this one, `{"glob": …}`, or `{"prefix": …}`, which stands for
/// every condition that is a function.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "said above")]
pub enum Pattern {
    #[default]
    Any,
    Exact(String),
    Glob {
        glob: String,
    },
    Prefix {
        prefix: String,
    },
}

/// What a failure means.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "core's `OnFault`")]
pub enum Failure {
    Deny,
    Pass,
}

/// An event's facts.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "they are the fields of core's `Event`")]
pub struct Facts {
    pub point: String,
    pub name: Option<String>,
    pub became: Option<String>,
    pub call_id: Option<String>,
    pub session: Option<String>,
    pub agent: Option<String>,
    pub surface: Option<String>,
    pub server: Option<String>,
    pub model: Option<String>,
    pub cwd: Option<String>,
    pub principal: Option<String>,
    pub native: Option<String>,
    pub own: BTreeMap<String, String>,
    pub chain: Vec<String>,
    pub labels: Vec<(String, String)>,
    pub ended: Option<String>,
    pub reason: Option<String>,
    pub took_ms: Option<u64>,
    pub attempt: Option<u32>,
    pub permission: bool,
    pub fixed_name: bool,
}

/// What passes: a value, or a text that is read when somebody looks.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Document {
    /// The document as a value. At `tool.before` it is the call's arguments.
    #[serde(alias = "arguments")]
    pub json: Option<Value>,
    /// The document as the text that came in.
    pub raw: Option<String>,
    /// The headers beside it.
    pub headers: Vec<(String, String)>,
}

impl From<CaseFile> for Case {
    fn from(file: CaseFile) -> Self {
        let CaseFile { about, covers, registrations, aliases, rewrite_ambiguous, mut steps, .. } = file;
        if let (Some(event), Some(expect)) = (file.event, file.expect) {
            steps.insert(0, Moment { event, body: file.body, cannot_wait: file.cannot_wait, expect });
        }
        Self { name: String::new(), about, covers, registrations, aliases, rewrite_ambiguous, steps }
    }
}

/// Every case in a folder, by name. An error names the file and what is wrong in it.
pub fn load_all(folder: &Path) -> Result<Vec<Case>, String> {
    let files = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths.iter().map(|path| load(path)).collect()
}

/// One case.
pub fn load(path: &Path) -> Result<Case, String> {
    let wrong = |problem: String| format!("{}: {problem}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let mut case: Case = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    case.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    case.problem().map_or(Ok(case), |problem| Err(wrong(problem)))
}

impl Case {
    /// The table of aliases.
    pub fn names(&self) -> Names {
        let mut names = Names::default();
        for (alias, name) in &self.aliases {
            names.alias(alias, name);
        }
        names
    }

    /// The registrations, ready to be added; the log is the watchers'.
    pub fn build(&self, log: &Log) -> Result<Vec<Registration>, String> {
        self.registrations.iter().map(|interceptor| interceptor.build(log)).collect()
    }

    /// A registry with all of them, to run on.
    pub fn registry(&self, clock: Arc<dyn Clock>, log: &Log) -> Result<Registry, String> {
        let mut registry = Registry::new(self.names(), clock, tollgate_wire::digest);
        registry.rewrite_ambiguous = self.rewrite_ambiguous;
        for registration in self.build(log)? {
            registry.add(registration).map_err(|problem| problem.to_string())?;
        }
        Ok(registry)
    }

    fn problem(&self) -> Option<String> {
        let known = |key: &String| EXPECTATIONS.contains(&key.as_str());
        let unknown = self.steps.iter().flat_map(|step| step.expect.keys()).find(|key| !known(key));
        match unknown {
            Some(key) => Some(format!("unknown key `{key}` in `expect`; the keys are {}", EXPECTATIONS.join(", "))),
            None if self.steps.is_empty() => Some("needs `event` and `expect`, or `steps`".to_owned()),
            None if self.steps.iter().any(|step| !step.expect.contains_key("act")) => {
                Some("every `expect` needs an `act`".to_owned())
            }
            None => self.build(&Log::default()).err(),
        }
    }
}

/// What a case may expect: the keys of a [`Report`].
pub const EXPECTATIONS: &[&str] = &[
    "act",
    "by",
    "cause",
    "reason",
    "parts",
    "deadline_ms",
    "route",
    "answer",
    "body",
    "bytes",
    "name",
    "notes",
    "tells",
    "labels",
    "headers",
    "turns",
    "skipped",
    "seen",
];

impl Interceptor {
    /// The registration this stands for.
    pub fn build(&self, log: &Log) -> Result<Registration, String> {
        let wrong = |problem: &dyn std::fmt::Display| format!("interceptor `{}`: {problem}", self.id);
        let does = Does::parse(&self.actor, &self.params).map_err(|problem| wrong(&problem))?;
        let role = actor(&self.id, does, self.role.as_deref(), self.later, log).map_err(|problem| wrong(&problem))?;
        let points: Result<Vec<Point>, _> = self.points.iter().map(|point| point.parse()).collect();
        let base = of_role(&self.id, points.map_err(|problem| wrong(&problem))?, role);
        Ok(Registration {
            group: self.group.as_deref().map(Into::into).or(base.group),
            select: self.selector().map_err(|problem| wrong(&problem))?,
            priority: self.priority,
            on_fault: self.on_fault.map_or(base.on_fault, OnFault::from),
            second_look: self.second_look.unwrap_or(base.second_look),
            limit: self.limit_ms.map(Duration::from_millis).or(base.limit),
            mend: self.mend.clone().map(Into::into),
            ..base
        })
    }

    fn selector(&self) -> Result<Selector, String> {
        Ok(Selector {
            tool: self.tool.build()?,
            agent: self.agent.build()?,
            session: self.session.build()?,
            surface: self.surface.build()?,
            server: self.server.build()?,
            model: self.model.build()?,
        })
    }
}

/// A registration with the defaults of its role.
fn of_role(id: &str, points: Vec<Point>, role: Role) -> Registration {
    let defaults = match &role {
        Role::Edit(_) => Registration::edit(id, points, Actor::idle()),
        Role::Guard(_) => Registration::guard(id, points, Actor::idle()),
        Role::Watch(_) => Registration::watch(id, points, Actor::idle()),
    };
    Registration { role, ..defaults }
}

impl Pattern {
    fn build(&self) -> Result<Match, String> {
        match self {
            Self::Any => Ok(Match::Any),
            Self::Exact(name) => Ok(Match::exact(name)),
            Self::Glob { glob } => Match::glob(glob).map_err(|problem| problem.to_string()),
            Self::Prefix { prefix } => {
                let start = prefix.clone();
                Ok(Match::with(&format!("names that begin with `{prefix}`"), move |name| name.starts_with(&start)))
            }
        }
    }
}

impl From<Failure> for OnFault {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Deny => Self::Deny,
            Failure::Pass => Self::Pass,
        }
    }
}

impl Facts {
    /// Runs something with the event these facts make.
    pub fn with<T>(&self, names: &Names, run: impl FnOnce(&Event<'_>) -> T) -> Result<T, String> {
        let point: Point = self.point.parse().map_err(|problem: tollgate_core::BadRegistration| problem.to_string())?;
        let of_server = |name| names.tool_of(name, self.server.as_deref());
        let (name, became) = (self.name.as_deref().map(of_server), self.became.as_deref().map(of_server));
        let chain: Vec<&str> = self.chain.iter().map(String::as_str).collect();
        let own: Vec<(&str, &str)> = self.own.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let event = Event { name: name.as_ref(), became: became.as_ref(), ..self.plain(point)? };
        Ok(run(&Event { own: &own, chain: &chain, ..event }))
    }

    /// The facts that can be borrowed as they are.
    fn plain(&self, point: Point) -> Result<Event<'_>, String> {
        Ok(Event {
            call_id: self.call_id.as_deref(),
            session: self.session.as_deref(),
            agent: self.agent.as_deref(),
            surface: self.surface.as_deref(),
            server: self.server.as_deref(),
            model: self.model.as_deref(),
            cwd: self.cwd.as_deref(),
            principal: self.principal.as_deref(),
            native: self.native.as_deref(),
            labels: &self.labels,
            ended: self.ended.as_deref().map(ended).transpose()?,
            reason: self.reason.as_deref(),
            took: self.took_ms.map(Duration::from_millis),
            attempt: self.attempt.unwrap_or(1),
            permission: self.permission,
            fixed_name: self.fixed_name,
            ..Event::at(point)
        })
    }
}

fn ended(word: &str) -> Result<Ended, String> {
    let all = [Ended::Ok, Ended::Error, Ended::Denied, Ended::Routed, Ended::Answered, Ended::Canceled];
    let found = all.into_iter().find(|ended| format!("{ended:?}").to_lowercase() == word);
    found.ok_or_else(|| {
        format!("a call cannot have ended `{word}`; it ends ok, error, denied, routed, answered or canceled")
    })
}

impl Document {
    /// The body to run on.
    pub fn build(&self) -> Body {
        let mut body = match (&self.raw, &self.json) {
            (Some(text), _) => crate::body(text.as_str()),
            (None, Some(value)) => Body::from(value.clone()),
            (None, None) => Body::default(),
        };
        for (name, value) in &self.headers {
            body.headers_mut().append(name, value);
        }
        body
    }
}

/// Every difference between what a case expects of a step and what came, one line each.
pub fn differences(expect: &Map<String, Value>, came: &Report) -> Vec<String> {
    let differs = |(key, expected): (&String, &Value)| {
        let got = came.get(key).cloned().unwrap_or_default();
        (got != *expected).then(|| format!("{key}: expected {expected}, came {got}"))
    };
    expect.iter().filter_map(differs).collect()
}

/// A case as its file would be, so that what a property found can be pasted into one.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |things: Vec<Value>| {
            let lines: Vec<_> = things.into_iter().map(|thing| format!("    {}", without_defaults(thing))).collect();
            lines.join(",\n")
        };
        let who = self.registrations.iter().map(|it| json!(it)).collect();
        let what = self.steps.iter().map(|it| json!(it)).collect();
        writeln!(f, "{{ \"about\": {}, \"aliases\": {},", json!(self.about), json!(self.aliases))?;
        writeln!(f, "  \"rewrite_ambiguous\": {},", self.rewrite_ambiguous)?;
        writeln!(f, "  \"registrations\": [\n{}\n  ],", lines(who))?;
        writeln!(f, "  \"steps\": [\n{}\n  ] }}", lines(what))
    }
}

/// What a file need not say is left out.
fn without_defaults(value: Value) -> Value {
    let Value::Object(map) = value else { return value };
    let said = |value: &Value| ![json!(null), json!(false), json!([]), json!({}), json!(0)].contains(value);
    let inner =
        |(key, value): (String, Value)| if key == "params" { (key, value) } else { (key, without_defaults(value)) };
    Value::Object(map.into_iter().map(inner).filter(|(_, value)| said(value)).collect())
}
