//! The functions that expressions have beside those of the language.

use std::sync::Arc;

use cel::common::types::CelString;
use cel::extractors::This;
use cel::objects::Opaque;
use cel::{Context, ExecutionError, FunctionContext, Value};
use regex::bytes::Regex;
use tollgate_shell::Surroundings;

use super::values::of_effects;
use super::{map, text};
use crate::facts::CallFacts;
use crate::matcher;
use crate::mistake::Mistake;

/// Their names.
pub(super) const NAMES: &[&str] = &["shell", "paths", "secrets", "url", "matches"];

type Answer = Result<Value, ExecutionError>;

pub(super) fn add(root: &mut Context<'static, 'static>) {
    // None of them can be there already: the library declares `matches` only with its own expressions built in.
    let _ = root.add_function("shell", shell);
    let _ = root.add_function("paths", paths);
    let _ = root.add_function("secrets", secrets);
    let _ = root.add_function("url", url);
    let _ = root.add_function("matches", matches);
}

/// A regular expression that was compiled when the rule was.
#[derive(Debug)]
pub(crate) struct Pattern {
    regex: Regex,
    written: String,
}

impl Pattern {
    pub(super) fn new(written: &str) -> Result<Self, Mistake> {
        Ok(Self { regex: matcher::regex(written, false)?, written: written.to_owned() })
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Pattern {}

impl Opaque for Pattern {
    fn runtime_type_name(&self) -> &str {
        "tollgate.Pattern"
    }
}

/// `text.matches(pattern)`.
fn matches(ftx: &FunctionContext<'_, '_>, This(subject): This<Arc<String>>, pattern: Value) -> Answer {
    let fits = match &pattern {
        Value::Opaque(pattern) => {
            let pattern = pattern.downcast_ref::<Pattern>().ok_or_else(|| ftx.error("no pattern"))?;
            pattern.regex.is_match(subject.as_bytes())
        }
        Value::String(pattern) => {
            let regex = matcher::regex(pattern, false).map_err(|_| ftx.error("no regular expression"))?;
            regex.is_match(subject.as_bytes())
        }
        _ => return Err(ftx.error("no regular expression")),
    };
    Ok(Value::Bool(fits))
}

/// What stands around, under names that no expression can write.
pub(super) fn surroundings(facts: &CallFacts<'_>) -> [(&'static str, Value); 3] {
    [
        ("@cwd", text(facts.event.cwd.unwrap_or_default())),
        ("@home", text(facts.home().unwrap_or_default())),
        ("@workspace", text(facts.workspace().first().map_or("", String::as_str))),
    ]
}

fn understand(ftx: &FunctionContext<'_, '_>, command: &str) -> Vec<tollgate_shell::Effect> {
    let hidden = |name: &str| {
        let value = ftx.ptx.get_variable(name)?;
        let string = value.downcast_ref::<CelString<'_>>()?.inner().to_owned();
        (!string.is_empty()).then_some(string)
    };
    let (cwd, home, workspace) = (hidden("@cwd"), hidden("@home"), hidden("@workspace"));
    let around = Surroundings {
        cwd: cwd.as_deref(),
        home: home.as_deref(),
        workspace: workspace.as_deref(),
        ..Surroundings::default()
    };
    tollgate_shell::understand(command, &around)
}

/// `shell(command)`: what it does, as a list of maps.
fn shell(ftx: &FunctionContext<'_, '_>, This(command): This<Arc<String>>) -> Answer {
    Ok(of_effects(&understand(ftx, &command)))
}

/// `paths(text or list)`: each as a map of `path` (absolute and normalized) and `place`.
fn paths(ftx: &FunctionContext<'_, '_>, This(paths): This<Value>) -> Answer {
    let all = match paths {
        Value::List(all) => all,
        one => Arc::new(vec![one]),
    };
    let mut found = Vec::new();
    for path in all.iter() {
        let Value::String(path) = path else { return Err(ftx.error("a path is a text")) };
        // Reading a file is the effect that says where a path leads and nothing else.
        let quoted = path.replace('\'', r"'\''");
        let effects = understand(ftx, &format!("cat -- '{quoted}'"));
        let located = effects.into_iter().find_map(|effect| Some((effect.path?, effect.place)));
        let (path, place) = located.unwrap_or_else(|| (path.to_string(), None));
        found.push(map([("path", text(path)), ("place", text(place.map_or("unknown", |place| place.name())))]));
    }
    Ok(Value::List(Arc::new(found)))
}

/// `secrets(text)`: the kinds of credentials that are in it.
fn secrets(This(subject): This<Arc<String>>) -> Value {
    let found = tollgate_secrets::scanner().find(&subject);
    Value::List(Arc::new(found.iter().map(|found| text(found.rule.to_string())).collect()))
}

/// `url(text)`: a map of `scheme`, `host`, `port` and `path`.
fn url(This(subject): This<Arc<String>>) -> Value {
    let (scheme, rest) = subject.trim().split_once("://").unwrap_or(("", subject.trim()));
    // Some readers take a backslash for a slash; who ends the host later would see another host.
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let address = authority.rsplit_once('@').map_or(authority, |(_, address)| address);
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
        _ => (address, None),
    };
    let scheme = scheme.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ssh" | "sftp" => 22,
        "ftp" => 21,
        _ => 0,
    };
    let path = path.split(['?', '#']).next().filter(|path| !path.is_empty()).unwrap_or("/");
    map([
        ("scheme", text(scheme)),
        ("host", text(host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase())),
        ("port", Value::Int(port.unwrap_or(usual))),
        ("path", text(path)),
    ])
}
