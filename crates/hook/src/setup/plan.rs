//! What would be written, before anything is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tollgate_clock::SystemClock;
use tollgate_core::Clock as _;

use super::agents::{Content, File, Level, SETUPS, Setup};
use super::command::{is_mentioned, is_ours};
use super::json;
use super::manifest::{self, Entry, Kind, Manifest};
use super::place::Place;
use super::text::{Edited, Insertion, Made, cut, digest, inserted};
use super::trust::{self, Trusted};
use super::write::{Change, apply, missing, read};

/// What would be written.
#[derive(Debug)]
pub struct Plan {
    /// Files that change, in the order in which they are written.
    pub changes: Vec<Change>,
    /// What stays although it was asked to go, and why.
    pub left: Vec<(PathBuf, String)>,
    data: PathBuf,
    known: Manifest,
    manifest: Manifest,
}

impl Plan {
    /// What registers these agents. Nothing is written; `Err` has all that keeps it from being written.
    pub fn install(
        place: &Place,
        data: &Path,
        setups: &[&'static Setup],
        level: Level,
        program: &Path,
    ) -> Result<Self, Vec<String>> {
        let mut planning = Self::begin(data).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        for setup in setups {
            let wanted = setup.wanted(place, level, program);
            planning.install_files(setup, (setup.files)(&wanted), &mut problems);
        }
        if problems.is_empty() { Ok(planning) } else { Err(problems) }
    }

    /// What takes away everything that was registered for these agents, wherever that was.
    pub fn removal(place: &Place, data: &Path, setups: &[&'static Setup], program: &Path) -> Result<Self, Vec<String>> {
        let mut planning = Self::begin(data).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        for setup in setups {
            let mut entries: Vec<Entry> =
                planning.known.files.iter().filter(|entry| entry.agent == setup.id).cloned().collect();
            // What nobody noted is recognised by its command.
            for level in [Level::User, Level::Project] {
                for file in (setup.files)(&setup.wanted(place, level, program)) {
                    let kind = kind(&file.content);
                    if planning.known.find(&file.path, &kind).is_none() {
                        entries.push(unnoted(setup.id, &file, kind));
                    }
                }
            }
            // What was put in last comes out first: then each finds the text that it left behind.
            entries.reverse();
            // The trust is found through the hooks that it is about, so it goes first.
            entries.sort_by_key(|entry| !matches!(entry.kind, Kind::Trust { .. }));
            for entry in entries {
                if let Err(problem) = planning.remove_file(&entry) {
                    problems.push(format!("{}: {problem}", setup.title()));
                }
            }
        }
        if problems.is_empty() { Ok(planning) } else { Err(problems) }
    }

    pub(crate) fn begin(data: &Path) -> Result<Self, String> {
        let known = Manifest::read(data)?;
        let manifest = known.clone();
        Ok(Self { changes: Vec::new(), left: Vec::new(), data: data.to_owned(), known, manifest })
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.known == self.manifest
    }

    /// Writes it: all, or nothing.
    pub fn write(&self) -> Result<(), String> {
        let path = self.data.join(manifest::FILE);
        let note = Change {
            agent: String::new(),
            before: read(&path)?,
            after: self.manifest.text(),
            path,
            mode: 0o600,
            folders: Vec::new(),
        };
        // What is noted first can be taken away even if we are killed in between.
        let noted = (note.before != note.after).then_some(note);
        let all: Vec<Change> = noted.into_iter().chain(self.changes.iter().cloned()).collect();
        apply(&all)
    }

    pub(crate) fn install_files(&mut self, setup: &'static Setup, files: Vec<File>, problems: &mut Vec<String>) {
        for file in files {
            if let Err(problem) = self.install_file(setup.id, &file) {
                problems.push(format!("{}: `{}`: {problem}", setup.title(), file.path.display()));
                return;
            }
        }
    }

    fn install_file(&mut self, agent: &str, file: &File) -> Result<(), String> {
        let current = self.now(&file.path)?;
        let kind = kind(&file.content);
        let known = self.manifest.find(&file.path, &kind).cloned();
        let hooks = match &file.content {
            Content::Trust { hooks } => Some(self.hooks(hooks)?),
            _ => None,
        };
        let needed = hooks.as_ref().map(|(path, value)| trust::needed(path, value, &|part| is_ours(agent, part)));
        let needed = needed.unwrap_or_default();
        if is_current(agent, current.as_deref(), &file.content, &needed)? {
            return Ok(());
        }
        let entry = known.clone().unwrap_or_else(|| unnoted(agent, file, kind));
        let clean = match (&current, &file.content) {
            (None, _) | (_, Content::Whole { .. }) => String::new(),
            (Some(text), Content::Trust { .. }) => {
                let keys = needed.iter().map(|needed| needed.key.clone()).collect();
                let text = without(&entry, text, &[])?.unwrap_or_default();
                without_keys(&text, keys)
            }
            (Some(text), Content::Entries(..)) => without(&entry, text, &[])?.unwrap_or_default(),
        };
        let Edited { text: after, ranges, made } = match &file.content {
            Content::Entries(wanted, _) => json::add(&clean, wanted).map_err(|problem| mend(&problem))?,
            Content::Whole { text, .. } => whole(current.as_deref(), known.as_ref(), text)?,
            Content::Trust { .. } => trust::add(&clean, &needed)?,
        };
        check_rest(agent, file, &clean, &after, &made)?;
        let created = known.as_ref().map_or(current.is_none(), |known| known.created);
        let since = known.as_ref().and_then(|known| known.since.clone()).or_else(|| Some(now()));
        let folders = known.map_or_else(|| self.missing(&file.path), |known| known.folders);
        let kind = match &file.content {
            Content::Trust { hooks } => {
                Kind::Trust { hooks: hooks.clone(), keys: needed.iter().map(|needed| needed.key.clone()).collect() }
            }
            _ => entry.kind,
        };
        let executable = matches!(file.content, Content::Whole { executable: true, .. });
        let digest = digest(&after);
        self.manifest.put(Entry {
            agent: agent.to_owned(),
            path: file.path.clone(),
            kind,
            created,
            folders,
            ranges,
            made,
            digest,
            since,
        });
        self.change(agent, &file.path, current, Some(after), if executable { 0o755 } else { 0o644 }, Vec::new());
        Ok(())
    }

    fn remove_file(&mut self, entry: &Entry) -> Result<(), String> {
        let failed = |problem: String| format!("`{}`: {problem}", entry.path.display());
        let gone = |planning: &mut Self| planning.manifest.drop(entry);
        let Some(current) = self.now(&entry.path).map_err(failed)? else {
            gone(self);
            return Ok(());
        };
        let known = self.known.files.contains(entry);
        if entry.kind == Kind::Whole && digest(&current) != entry.digest {
            if known || is_mentioned(&current) {
                let why = "it was changed since it was written; remove it yourself if nothing else needs it".to_owned();
                self.left.push((entry.path.clone(), why));
            }
            return Ok(());
        }
        let keys = match &entry.kind {
            Kind::Trust { hooks, keys } => {
                let (path, value) = self.hooks(hooks).map_err(failed)?;
                let config = trust::read(&current).map_err(failed)?;
                let found = trust::keys(&config, &path, &value, &|part| is_ours(&entry.agent, part));
                found.into_iter().chain(keys.iter().cloned()).collect()
            }
            _ => Vec::new(),
        };
        let after = without(entry, &current, &keys).map_err(failed)?;
        gone(self);
        if after.as_ref() != Some(&current) {
            self.change(&entry.agent, &entry.path, Some(current), after, 0o644, entry.folders.clone());
        }
        Ok(())
    }

    /// What a file holds by now, with what is planned so far.
    fn now(&self, path: &Path) -> Result<Option<String>, String> {
        match self.changes.iter().rev().find(|change| change.path == path) {
            Some(change) => Ok(change.after.clone()),
            None => read(path).map_err(|problem| problem.replace(&format!("`{}`: ", path.display()), "")),
        }
    }

    /// A file of Codex's hooks, under the name by which Codex knows it.
    fn hooks(&self, path: &Path) -> Result<(PathBuf, Value), String> {
        let text = self.now(path)?.unwrap_or_default();
        Ok((resolved(path), json::read(&text).map_err(|problem| mend(&problem))?))
    }

    fn missing(&self, path: &Path) -> Vec<PathBuf> {
        let planned: Vec<&PathBuf> = self.manifest.files.iter().flat_map(|entry| &entry.folders).collect();
        // Whoever is removed last takes the folders along.
        let mut folders = missing(path);
        folders.extend(
            path.ancestors().skip(1).filter(|above| planned.contains(&&above.to_path_buf())).map(Path::to_owned),
        );
        folders.sort();
        folders.dedup();
        folders
    }

    fn change(
        &mut self,
        agent: &str,
        path: &Path,
        before: Option<String>,
        after: Option<String>,
        mode: u32,
        folders: Vec<PathBuf>,
    ) {
        if before == after {
            return;
        }
        if let Some(earlier) = self.changes.iter_mut().find(|change| change.path == path) {
            earlier.after = after;
            return;
        }
        self.changes.push(Change { agent: agent.to_owned(), path: path.to_owned(), before, after, mode, folders });
    }
}

fn kind(content: &Content) -> Kind {
    match content {
        Content::Entries(_, own) => Kind::Entries { own: own.iter().map(|&own| own.to_owned()).collect() },
        Content::Whole { .. } => Kind::Whole,
        Content::Trust { hooks } => Kind::Trust { hooks: hooks.clone(), keys: Vec::new() },
    }
}

/// What would have been noted about a file, had anybody.
fn unnoted(agent: &str, file: &File, kind: Kind) -> Entry {
    let own = match &file.content {
        Content::Whole { text, .. } => digest(text),
        _ => String::new(),
    };
    Entry {
        agent: agent.to_owned(),
        path: file.path.clone(),
        kind,
        created: !own.is_empty(),
        folders: Vec::new(),
        ranges: Vec::new(),
        made: Made::default(),
        digest: own,
        since: None,
    }
}

fn now() -> String {
    tollgate_audit::stamp(SystemClock::default().wall())
}

/// A file without what is ours; nothing if it goes.
fn without(entry: &Entry, text: &str, keys: &[String]) -> Result<Option<String>, String> {
    let unchanged = digest(text) == entry.digest;
    if unchanged && entry.created {
        return Ok(None);
    }
    if let Some(before) = unchanged.then(|| cut(text, &entry.ranges)).flatten() {
        return Ok(Some(before));
    }
    let after = match &entry.kind {
        Kind::Whole => None,
        Kind::Entries { own } => {
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            let ours = |part: &Value| is_ours(&entry.agent, part) || is_own_plugin(&entry.agent, part);
            json::remove(text, &ours, &own, &entry.made).map_err(|problem| mend(&problem))?
        }
        Kind::Trust { keys: noted, .. } => {
            let rest = without_keys(text, noted.iter().chain(keys).cloned().collect());
            (!rest.trim().is_empty()).then_some(rest)
        }
    };
    Ok(if after.is_none() && !entry.created { Some(String::new()) } else { after })
}

fn without_keys(text: &str, keys: Vec<String>) -> String {
    trust::remove(text, &keys)
}

/// OpenClaw names the folder of a plugin.
fn is_own_plugin(agent: &str, part: &Value) -> bool {
    agent == "openclaw" && part.as_str().is_some_and(|path| path.ends_with("/plugins/tollgate"))
}

/// Whether everything is there already, and nothing of an older version.
pub(crate) fn is_current(
    agent: &str,
    current: Option<&str>,
    content: &Content,
    needed: &[Trusted],
) -> Result<bool, String> {
    let Some(text) = current else {
        return Ok(matches!(content, Content::Trust { .. }) && needed.is_empty());
    };
    Ok(match content {
        Content::Whole { text: wanted, .. } => text == wanted,
        Content::Trust { .. } => {
            let config = trust::read(text)?;
            needed.iter().all(|needed| trust::holds(&config, needed))
        }
        Content::Entries(wanted, _) => {
            let there = json::read(text).map_err(|problem| mend(&problem))?;
            holds(&there, wanted) && count(agent, &there) == count(agent, wanted)
        }
    })
}

fn holds(there: &Value, wanted: &Value) -> bool {
    match (there, wanted) {
        (Value::Object(there), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| there.get(key).is_some_and(|there| holds(there, wanted)))
        }
        (Value::Array(there), Value::Array(wanted)) => wanted.iter().all(|wanted| there.contains(wanted)),
        (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => false,
        (Value::Bool(there), Value::Bool(wanted)) => there == wanted,
        _ => true,
    }
}

/// How many handlers of ours there are.
fn count(agent: &str, value: &Value) -> usize {
    match value {
        Value::Array(parts) => parts.iter().map(|part| count(agent, part)).sum(),
        Value::Object(members) if !members.contains_key("hooks") && is_ours(agent, value) => 1,
        Value::Object(members) => members.values().map(|member| count(agent, member)).sum(),
        _ => 0,
    }
}

/// A file of our own. What somebody else wrote there is not written over.
fn whole(current: Option<&str>, known: Option<&Entry>, text: &str) -> Result<Edited, String> {
    let is_ours =
        |current: &str| known.is_some_and(|known| known.digest == digest(current)) || current.contains("tollgate");
    match current {
        Some(current) if !is_ours(current) => {
            Err("somebody else's file is in the way; call `tollgate hook` from it, or move it away".to_owned())
        }
        _ => Ok(inserted("", vec![Insertion { at: 0, text: text.to_owned() }], Made::default())),
    }
}

/// Nothing but our entries may differ between before and after.
fn check_rest(agent: &str, file: &File, before: &str, after: &str, made: &Made) -> Result<(), String> {
    let Content::Entries(wanted, own) = &file.content else { return Ok(()) };
    let ours = |part: &Value| is_ours(agent, part) || is_own_plugin(agent, part);
    let rest = json::remove(after, &ours, own, made)?.unwrap_or_default();
    let same = json::read(&rest)? == json::read(before)?;
    if same && holds(&json::read(after)?, wanted) {
        return Ok(());
    }
    Err(format!("the entries do not fit in; add this by hand: {wanted}"))
}

fn mend(problem: &str) -> String {
    format!("{problem}; mend the file, or leave this agent out with `--agent`")
}

/// A path with the links of its folder resolved, as far as that exists.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(path);
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(folder);
    let below = path.strip_prefix(there).unwrap_or(path);
    there.canonicalize().map_or_else(|_| path.to_owned(), |there| there.join(below))
}

/// All agents that are installed on this machine and known to this version, and those that were named.
pub fn chosen(place: &Place, named: &[String]) -> Result<Vec<&'static Setup>, String> {
    let known = || SETUPS.iter().filter(|setup| setup.agent().is_some());
    if named.is_empty() {
        return Ok(known().filter(|setup| setup.found(place).is_some()).collect());
    }
    let mut found = BTreeMap::new();
    for name in named {
        let id = crate::agents::find(name).map(|agent| agent.id);
        let setup = known().enumerate().find(|(_, setup)| Some(setup.id) == id).ok_or_else(|| {
            let all: Vec<&str> = known().map(|setup| setup.id).collect();
            format!("there is no agent `{name}`; known are {}", all.join(", "))
        })?;
        found.insert(setup.0, setup.1);
    }
    Ok(found.into_values().collect())
}
