//! Whether what is registered does what it is for.

mod answers;
mod registered;

use std::path::{Path, PathBuf};

use tollgate_core::Point;
use tollgate_settings::{json, read};

pub(crate) use self::registered::programs_in;
use self::registered::{Registered, Registration};
use super::agents::{Content, File, Level, Runs, Setup};
use super::command::is_ours;
use super::ours::is_current;
use super::place::{Place, is_executable};
use super::plan::resolved;
use super::{switches, trust};
use crate::failing::failing;

/// What was found out about one agent.
#[derive(Debug)]
pub struct Report {
    /// The agent.
    pub setup: &'static Setup,
    /// The files with registrations.
    pub files: Vec<String>,
    /// The events that are registered.
    pub events: Vec<String>,
    /// The programs that are registered.
    pub programs: Vec<PathBuf>,
    /// One thing each.
    pub findings: Vec<Finding>,
}

/// How much a finding counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It is as it should be.
    Good,
    /// It cannot be otherwise, and somebody should know.
    Note,
    /// It could not be found out.
    Unknown,
    /// Something is not enforced.
    Bad,
}

/// One thing that was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How much it counts.
    pub weight: Weight,
    /// What it is, as a sentence without its end.
    pub text: String,
    /// What mends it.
    pub mend: Option<String>,
}

impl Finding {
    fn new(weight: Weight, text: String) -> Self {
        Self { weight, text, mend: None }
    }

    pub(crate) fn good(text: impl Into<String>) -> Self {
        Self::new(Weight::Good, text.into())
    }

    pub(crate) fn note(text: impl Into<String>) -> Self {
        Self::new(Weight::Note, text.into())
    }

    pub(crate) fn unknown(text: impl Into<String>) -> Self {
        Self::new(Weight::Unknown, text.into())
    }

    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self::new(Weight::Bad, text.into())
    }

    pub(crate) fn mended(self, mend: &str) -> Self {
        Self { mend: Some(mend.to_owned()), ..self }
    }
}

impl Report {
    /// The heaviest of all findings.
    pub fn weight(&self) -> Weight {
        self.findings.iter().map(|finding| finding.weight).max().unwrap_or(Weight::Unknown)
    }
}

/// Finds out whether an agent's calls are really judged: what is registered is run as the agent would run it.
pub fn examine(setup: &'static Setup, place: &Place, program: &Path) -> Report {
    let (files, events, programs, findings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut report = Report { setup, files, events, programs, findings };
    let again = format!("tollgate init --agent {}", setup.id);
    let mut levels = Vec::new();
    for level in [Level::User, Level::Project] {
        let Registered { registrations, problems } = registered::find(setup, place, level, program);
        let problem = |problem| Finding::unknown(problem).mended("mend the file");
        report.findings.extend(problems.into_iter().map(problem));
        if registrations.is_empty() {
            continue;
        }
        levels.push(level);
        for Registration { event, file, command, .. } in &registrations {
            push(&mut report.events, event.clone());
            push(&mut report.files, file.display().to_string());
            push(&mut report.programs, command.program.clone());
        }
        if setup.id == "codex" {
            report.findings.extend(untrusted(place, &registrations));
        }
        report.findings.extend(unread(setup, &registrations));
        report.findings.extend(altered(setup, place, level, &registrations, &again));
        report.findings.extend(versions(&registrations, &again));
        report.findings.push(answers::canary(setup, place, &registrations, &again));
    }
    if levels.is_empty() && !report.findings.is_empty() {
        // What cannot be read may hold a registration, and the agent may read it better than we do.
        return report;
    }
    if levels.is_empty() {
        let text = "it is not registered: nothing that this agent does is judged";
        report.findings.push(Finding::bad(text).mended(&again));
        return report;
    }
    report.findings.insert(0, covered(setup, &report.events, &again));
    report.findings.extend(switches::findings(setup.id, place, &levels));
    report.findings.extend(limits(setup));
    report
}

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Whether every event is registered that should be.
fn covered(setup: &'static Setup, events: &[String], again: &str) -> Finding {
    let hooks = setup.agent().map_or(&[][..], |agent| agent.hooks);
    let wanted = hooks.iter().filter(|hook| hook.registered);
    let has =
        |name: &str| setup.runs == Runs::Plugin || events.iter().any(|event| registered::is_same(setup, event, name));
    let missing: Vec<&str> = wanted.filter(|hook| !has(hook.name)).map(|hook| hook.name).collect();
    if missing.is_empty() {
        return Finding::good(format!("registered for {}", events.join(", ")));
    }
    Finding::bad(format!("not registered for {}; what happens there is not judged", missing.join(", "))).mended(again)
}

/// Agents that were seen to ignore a whole file with a comment in it: they read plain JSON. Others like comments.
const PLAIN: &[&str] = &["claude-code", "codex"];

/// Files that we can read and the agent cannot.
fn unread(setup: &Setup, registrations: &[Registration]) -> Vec<Finding> {
    if !PLAIN.contains(&setup.id) {
        return Vec::new();
    }
    let mut files: Vec<&Path> = registrations.iter().map(|registration| registration.file.as_path()).collect();
    files.dedup();
    let plain = |file: &Path| read(file).ok().flatten().map(|text| serde_json::from_str::<serde_json::Value>(&text));
    let bad = |file: &Path, problem: serde_json::Error| {
        let shown = file.display();
        let text = format!("{} ignores all of {shown}, which is no plain JSON: {problem}", setup.title());
        Finding::bad(text).mended("take comments and commas at the end of lists out of the file")
    };
    files.into_iter().filter_map(|file| Some(bad(file, plain(file)?.err()?))).collect()
}

/// What stands around our command decides whether the agent runs it at all, and for which tools: a matcher, a switch, the
/// name of a list. So all of it must be as we write it. A script is run as the agent runs it, and proves itself.
fn altered(
    setup: &'static Setup,
    place: &Place,
    level: Level,
    registrations: &[Registration],
    again: &str,
) -> Vec<Finding> {
    let Some(first) = registrations.first().filter(|_| setup.runs != Runs::Script) else { return Vec::new() };
    let files = (setup.files)(&setup.wanted(place, level, &first.command.program));
    let is_as_written = |file: &File| {
        let text = read(&file.path).ok().flatten();
        matches!(file.content, Content::Trust { .. })
            || is_current(setup.id, text.as_deref(), &file.content, &[]).unwrap_or(false)
    };
    let differs = |file: File| {
        let shown = file.path.display();
        let text = format!("{shown} is not as `tollgate init` writes it, so calls may pass by us");
        Finding::bad(text).mended(again)
    };
    files.into_iter().filter(|file| !is_as_written(file)).map(differs).collect()
}

/// Codex skips hooks without a word that nobody trusted.
fn untrusted(place: &Place, registrations: &[Registration]) -> Vec<Finding> {
    let config = place.folder("CODEX_HOME", ".codex").join("config.toml");
    let mut files: Vec<&Path> = registrations.iter().map(|registration| registration.file.as_path()).collect();
    files.dedup();
    let mut found = Vec::new();
    for file in files {
        let needed = read(file)
            .ok()
            .flatten()
            .and_then(|text| json::read(&text).ok())
            .map(|hooks| trust::needed(&resolved(file), &hooks, &|part| is_ours("codex", part)));
        let stated = read(&config).and_then(|text| trust::read(&text.unwrap_or_default()));
        let (Some(needed), Ok(stated)) = (needed, stated) else {
            found.push(
                Finding::unknown(format!(
                    "whether Codex trusts the hooks is not known: {} cannot be read",
                    config.display()
                ))
                .mended("mend the file"),
            );
            continue;
        };
        let missing: Vec<&str> = needed
            .iter()
            .filter(|needed| !trust::holds(&stated, needed))
            .filter_map(|needed| needed.key.rsplit(':').nth(2))
            .collect();
        found.push(if missing.is_empty() {
            Finding::good("Codex trusts the hooks")
        } else {
            let text = format!(
                "NOT ENFORCED: Codex skips hooks without a word that are not trusted, and runs the tool: {}",
                missing.join(", ")
            );
            Finding::bad(text).mended("tollgate init --agent codex (or trust them with `/hooks` in Codex)")
        });
    }
    found
}

/// Whether what is registered can be run, and is this program.
fn versions(registrations: &[Registration], again: &str) -> Vec<Finding> {
    let mut programs: Vec<&Path> =
        registrations.iter().map(|registration| registration.command.program.as_path()).collect();
    programs.sort();
    programs.dedup();
    programs.into_iter().map(|program| answers::version(program, again)).collect()
}

/// What cannot be helped.
fn limits(setup: &'static Setup) -> Vec<Finding> {
    let Some(agent) = setup.agent() else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(when) = failing(agent.id).open() {
        let text = format!("if tollgate is {when}, {} runs the tool; it has no switch against that", agent.title);
        found.push(Finding::note(text));
    }
    if agent.hooks.iter().any(|hook| hook.registered && hook.point == Point::ToolBefore && !hook.can.ask) {
        found.push(Finding::note("it cannot ask you on our behalf: what a rule wants to ask about is refused"));
    }
    if agent.hooks.iter().any(|hook| hook.registered && hook.point == Point::ToolBefore && !hook.can.rewrite) {
        found.push(Finding::note("it cannot change a call on our behalf: what a rule wants to rewrite is refused"));
    }
    found.extend(agent.unseen.iter().map(|unseen| Finding::note(format!("no hook sees {unseen}"))));
    found
}

/// Whether a program can be started at all.
fn startable(program: &Path) -> Result<(), String> {
    let shown = program.display();
    if is_executable(program) {
        return Ok(());
    }
    let what = if program.exists() { "cannot be run" } else { "is gone" };
    Err(format!("the program that is registered {what}: {shown}"))
}
