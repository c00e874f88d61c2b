//! A program as an interceptor.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tollgate_core::{Body, Edit, Event, Fault, FaultKind, Outcome, Step, Verdict, Watch};
use tollgate_process::{Job, Running};

use crate::answer::verdict;
use crate::find::{PROJECT, Program};
use crate::protocol::Protocol;

/// How long a program may take, unless somebody says otherwise.
pub const LIMIT: Duration = Duration::from_secs(10);

/// The variables that every program gets. Whatever else stands in our environment is nobody's business.
const PASSED: &[&str] = &["PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR", "TZ"];

/// A program that judges, rewrites or watches.
///
/// As an [`Edit`] it may rewrite and object; as a [`Watch`] it is told, and how it ends is only noted.
///
/// ```
/// use std::path::Path;
/// use serde_json::json;
/// use tollgate_core::{Body, Edit, Event, Names, Point, Step, Verdict};
/// use tollgate_host_command::{Given, Hook, LIMIT, Protocol, find};
///
/// let command = "grep -q 'rm -rf' && { echo 'not like this' >&2; exit 2; } || exit 0";
/// let program = find(Given::Line(command), Path::new("/tmp"), Some("/usr/bin:/bin".as_ref())).unwrap();
/// let hook = Hook { program, protocol: Protocol::Tollgate, timeout: LIMIT, env: Vec::new() };
///
/// let names = Names::default();
/// let name = names.name("bash");
/// let event = Event::tool(Point::ToolBefore, &name, "call-1");
/// let mut body = Body::from(json!({"command": "rm -rf build"}));
/// let Step::Later(later) = hook.edit(&event, &mut body) else { unreachable!() };
/// let said = tollgate_clock::block_on(later);
/// assert!(matches!(said, Ok(Verdict::Deny(reason)) if reason == "not like this"));
/// ```
#[derive(Clone, Debug)]
pub struct Hook {
    /// What is started.
    pub program: Program,
    /// In which words it speaks.
    pub protocol: Protocol,
    /// How long it may take. Then it is killed, with all that it started.
    pub timeout: Duration,
    /// Variables of our environment that it gets beside the usual few.
    pub env: Vec<String>,
}

impl Hook {
    async fn ask(&self, event: &Event<'_>, body: &mut Body) -> Result<Verdict, Fault> {
        if !self.protocol.tells(event) {
            return Ok(Verdict::Pass);
        }
        let stdin = self.protocol.question(event, body)?;
        let ended = Running::start(Job { command: self.command(event)?, stdin, timeout: self.timeout }).await?;
        verdict(self.protocol, event, body, &ended)
    }

    fn command(&self, event: &Event<'_>) -> Result<Command, Fault> {
        let (program, arguments) =
            self.program.argv.split_first().ok_or_else(|| Fault::new(FaultKind::Missing, "it has no program"))?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(self.environment(event)).current_dir(self.folder(event));
        Ok(command)
    }

    /// Where it runs: where the event happens, unless it names files of its own folder. From elsewhere these names would
    /// mean other files, which somebody else may have put there.
    fn folder(&self, event: &Event<'_>) -> PathBuf {
        let there = event.cwd.map(Path::new).filter(|cwd| cwd.is_absolute() && cwd.is_dir());
        there.filter(|_| !self.program.stays).unwrap_or(&self.program.folder).to_owned()
    }

    fn environment(&self, event: &Event<'_>) -> Vec<(OsString, OsString)> {
        let wanted = |name: &OsStr| {
            let Some(name) = name.to_str() else { return false };
            PASSED.contains(&name) || name.starts_with("LC_") || self.env.iter().any(|wanted| wanted == name)
        };
        let mut env: Vec<(OsString, OsString)> = std::env::vars_os()
            .filter(|(name, _)| wanted(name))
            .map(|(name, value)| if name == "PATH" { (name, absolute(&value)) } else { (name, value) })
            .collect();
        let mut add = |name: &str, value: Option<&OsStr>| {
            env.extend(value.map(|value| (OsString::from(name), value.to_owned())));
        };
        add("TOLLGATE_POINT", Some(event.point.name().as_ref()));
        add("TOLLGATE_SESSION", event.session.map(OsStr::new));
        if self.protocol == Protocol::ClaudeCode {
            let project = self.program.project.as_deref().map(Path::as_os_str);
            add(PROJECT, project.or(event.cwd.map(OsStr::new)));
        }
        // From where it runs, or from beside its script, modules would be loaded that nobody has looked at.
        if self.program.project.is_some() || !self.program.stays {
            add("PYTHONSAFEPATH", Some("1".as_ref()));
        }
        // A value that no process can have would keep it from being started at all.
        env.retain(|(_, value)| !value.as_encoded_bytes().contains(&0));
        env
    }
}

/// The folders of a path that mean the same everywhere.
fn absolute(path: &OsStr) -> OsString {
    let kept: Vec<PathBuf> = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    std::env::join_paths(kept).unwrap_or_default()
}

impl Edit for Hook {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::later(self.ask(event, body))
    }
}

impl Watch for Hook {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, _: &'a Outcome) -> Step<'a, ()> {
        Step::later(async move {
            let mut copy = body.clone();
            match self.ask(event, &mut copy).await? {
                Verdict::Pass => Ok(()),
                _ => Err(Fault::new(FaultKind::Garbage, "it objects, and it may only watch")),
            }
        })
    }
}
