//! From what is written to what is checked.

use std::sync::Arc;

use serde_json::Value;
use tollgate_config::{Layer, Placed, Plan, Toolset, Unknown};
use tollgate_core::{Clock, Names, Query};
use tollgate_rules::form::{self, Conditions, Matcher, Mode, OneOrMany, Words};
use tollgate_rules::{Ambient, Arguments, CallFacts, Condition, Mistake, Step};

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

/// Compiles what a plan says beside its rules. All that is wrong goes to `mistakes`.
pub(crate) struct Compiler<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) names: &'a Names,
    pub(crate) ambient: &'a Arc<dyn Ambient>,
    pub(crate) mistakes: Vec<Mistake>,
}

impl Compiler<'_> {
    pub(crate) fn checks(&mut self) -> Checks {
        let plan = self.plan;
        let sets = plan.tools.iter().map(|set| self.toolset(set)).collect();
        let reads = self.list(&plan.reads, &[], "read");
        let writes = self.list(&plan.writes, &[], "write");
        Checks {
            tools: Arc::new(Tools { sets, reads, writes }),
            requires: Requires { all: self.each(&plan.requires, Self::require) },
            limits: self.each(&plan.limits, Self::limit).into(),
            loops: self.each(&plan.loops, Self::repeat).into(),
            dedupes: self.each(&plan.dedupes, Self::dedupe).into(),
        }
    }

    /// Compiles each, and puts what is wrong where it stands.
    fn each<F, T>(&mut self, all: &[Placed<F>], compile: fn(&mut Self, &F, usize) -> T) -> Vec<T> {
        let one = |(index, placed): (usize, &Placed<F>)| {
            let before = self.mistakes.len();
            let compiled = compile(self, &placed.form, index);
            let own = self.mistakes.split_off(before);
            self.mistakes.extend(own.into_iter().map(|mistake| mistake.below(&placed.path)));
            compiled
        };
        all.iter().enumerate().map(one).collect()
    }

    fn when(&mut self, conditions: &Conditions) -> When {
        let condition = Condition::compile(conditions, self.names).unwrap_or_else(|found| {
            self.mistakes.extend(found);
            Condition::default()
        });
        let ambient = Arc::clone(self.ambient);
        Arc::new(move |event, body| condition.holds(&CallFacts::new(event, body, &ambient)))
    }

    /// Tools by their names; none where the list is empty.
    fn list(&mut self, list: &[Matcher], path: &[Step], key: &str) -> Option<When> {
        if list.is_empty() {
            return None;
        }
        let before = self.mistakes.len();
        let when = self.when(&Conditions { tool: Some(Matcher::AnyOf(list.to_vec())), ..Conditions::default() });
        for mistake in self.mistakes.iter_mut().skip(before) {
            // What is compiled as the condition `tool` is written as this list.
            if mistake.path.first() == Some(&Step::from("tool")) {
                mistake.path.splice(..1, path.iter().cloned().chain([Step::from(key)]));
            }
        }
        Some(when)
    }

    fn toolset(&mut self, set: &Toolset) -> checks::Toolset {
        let never = || -> When { Arc::new(|_, _| Ok(false)) };
        let lifted: Vec<Matcher> = set.lifted.iter().filter(|matcher| is_a_name(matcher)).cloned().collect();
        let path = &set.path;
        checks::Toolset {
            known: (set.default == Unknown::Deny).then(|| self.list(&set.known, path, "known").unwrap_or_else(never)),
            admin: self.list(&set.admin, path, "admin"),
            lifted: self.list(&lifted, path, "allow"),
            allow: set.allow.as_ref().map(|allow| self.list(allow, path, "allow").unwrap_or_else(never)),
            deny: self.list(&set.deny, path, "deny"),
        }
    }

    fn require(&mut self, form: &form::Require, index: usize) -> Require {
        let (tool, server) = (Some(form.tool.clone()), form.server.clone());
        let arguments = Arguments::compile(&form.arg).unwrap_or_else(|found| {
            self.mistakes.extend(found.into_iter().map(|mistake| mistake.at("arg")));
            Arguments::default()
        });
        Require {
            id: name(form.id.as_ref(), "require", index),
            when: self.when(&Conditions { tool, server, ..Conditions::default() }),
            violation: Arc::new(move |value: &Value| arguments.violation(value)),
            reason: form.deny.clone(),
        }
    }

    fn limit(&mut self, form: &form::Limit, index: usize) -> Limit {
        let reason = form.deny.clone().unwrap_or_else(|| "this is too much".to_owned());
        let asked = form.ask.as_ref().map(|ask| self.query(ask));
        Limit {
            id: form.id.as_str().into(),
            project: self.plan.limits.get(index).and_then(|placed| self.project(&placed.origin)),
            when: self.when(&form.conditions),
            per: form.per.as_ref().map_or_else(|| vec![Per::Session], |per| per.iter().filter_map(apart).collect()),
            bucket: Bucket { max: form.max, every: form.every.as_ref().and_then(|every| self.span(every, "every")) },
            cost: form.cost.as_ref().map(|cost| path(cost)),
            over: asked.map_or(Over::Deny(reason), Over::Ask),
            observe: form.mode == Some(Mode::Observe),
        }
    }

    /// The file of the project, if that is where something comes from: one file, by whatever way it was found.
    fn project(&self, origin: &str) -> Option<Arc<str>> {
        let project = Layer::Project;
        let file = self.plan.files.iter().find(|file| file.layer == project && project.name() == origin)?;
        let path = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
        Some(path.to_string_lossy().into())
    }

    fn query(&mut self, ask: &form::Ask) -> Query {
        match ask {
            form::Ask::Title(title) => Query { title: title.clone(), ..Query::default() },
            form::Ask::Table(form::AskTable { title, detail, timeout }) => Query {
                title: title.clone(),
                detail: detail.clone().unwrap_or_default(),
                timeout: timeout.as_ref().and_then(|timeout| self.span(timeout, "ask")),
                data: Value::Null,
            },
        }
    }

    fn repeat(&mut self, form: &form::Loop, index: usize) -> Loop {
        let number = |number: Option<u32>, default| number.map_or(default, |number| number as usize);
        Loop {
            id: name(form.id.as_ref(), "loop", index),
            when: self.when(&form.conditions),
            warn: number(form.warn, 10),
            deny: number(form.deny, 20),
            window: number(form.window, 30),
            observe: form.mode == Some(Mode::Observe),
        }
    }

    fn dedupe(&mut self, form: &form::Dedupe, index: usize) -> Dedupe {
        Dedupe {
            id: name(form.id.as_ref(), "dedupe", index),
            when: self.when(&form.conditions),
            keep: self.span(&form.span, "for").unwrap_or_default(),
        }
    }

    fn span(&mut self, span: &form::Span, key: &str) -> Option<std::time::Duration> {
        span.duration().map_err(|wrong| self.mistakes.push(Mistake::new(wrong).at(key))).ok()
    }
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

/// Whether a matcher names tools one by one. What is refused by name is not let through by a pattern that happens to
/// fit it, such as `*`.
fn is_a_name(matcher: &Matcher) -> bool {
    match matcher {
        Matcher::Is(name) => !name.contains('*'),
        Matcher::Says(words) => {
            let Words { eq, one_of, .. } = &**words;
            eq.iter().chain(one_of).flat_map(OneOrMany::iter).next().is_some()
        }
        Matcher::AnyOf(all) => all.iter().all(is_a_name),
    }
}
