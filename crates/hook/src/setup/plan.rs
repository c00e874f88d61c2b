//! What would be written, before anything is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_clock::SystemClock;
use tollgate_core::Clock as _;
use tollgate_engine::MANIFEST;
use tollgate_settings::text::{Edited, Made};
use tollgate_settings::{Change, Order, json};

use super::agents::{Content, File, Level, SETUPS, Setup, Wanted};
use super::command::is_ours;
use super::ours::{calls_us, check_rest, is_current, is_exactly_ours, is_own_plugin, mend, whole};
use super::place::Place;
use super::trust::{self, Trusted};

/// What would be written.
#[derive(Debug)]
pub struct Plan(pub(crate) tollgate_settings::Plan<Kind>);

pub(crate) type Entry = tollgate_settings::Entry<Kind>;

/// What is noted of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Entries {
        own: Vec<String>,
    },
    Whole,
    /// Older notes have no hashes, so nothing is ours for what they say alone.
    Trust {
        hooks: PathBuf,
        #[serde(default)]
        trusted: Vec<Trusted>,
    },
}

impl tollgate_settings::Kind for Kind {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Trust { hooks, .. }, Self::Trust { hooks: others, .. }) => hooks == others,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }
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
        let mut planning = Self::begin(data, Order::NoteFirst).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        for setup in setups {
            planning.install_files(&setup.wanted(place, level, program), &mut problems);
        }
        if problems.is_empty() { Ok(planning) } else { Err(problems) }
    }

    /// What takes away everything that was registered for these agents, wherever that was.
    pub fn removal(place: &Place, data: &Path, setups: &[&'static Setup], program: &Path) -> Result<Self, Vec<String>> {
        let mut planning = Self::begin(data, Order::NoteLast).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        for setup in setups {
            let wanted = [Level::User, Level::Project].map(|level| setup.wanted(place, level, program));
            for entry in planning.entries(setup, &wanted) {
                if let Err(problem) = planning.remove_file(&entry, &wanted) {
                    problems.push(format!("{}: `{}`: {problem}", setup.title(), entry.path.display()));
                }
            }
        }
        if problems.is_empty() { Ok(planning) } else { Err(problems) }
    }

    /// All that may be registered for an agent, in the order in which it comes out.
    fn entries(&self, setup: &Setup, wanted: &[Wanted<'_>]) -> Vec<Entry> {
        let noted = self.0.known().files.iter().filter(|entry| entry.agent == setup.id);
        let mut entries: Vec<Entry> = noted.cloned().collect();
        // What nobody noted is recognised by its command.
        for file in wanted.iter().flat_map(|wanted| (setup.files)(wanted)) {
            let kind = kind(&file.content);
            if self.0.known().find(&file.path, &kind).is_none() {
                entries.push(unnoted(setup.id, &file, kind));
            }
        }
        // What was put in last comes out first: then each finds the text that it left behind.
        entries.reverse();
        // The trust is found through the hooks that it is about, so it goes first.
        entries.sort_by_key(|entry| !matches!(entry.kind, Kind::Trust { .. }));
        entries
    }

    pub(crate) fn begin(data: &Path, order: Order) -> Result<Self, String> {
        tollgate_settings::Plan::begin(&data.join(MANIFEST), order).map(Self)
    }

    /// Files that change, in the order in which they are written.
    pub fn changes(&self) -> &[Change] {
        &self.0.changes
    }

    /// What stays although it was asked to go, and why.
    pub fn left(&self) -> &[(PathBuf, String)] {
        &self.0.left
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes it: all, or nothing.
    pub fn write(&self) -> Result<(), String> {
        self.0.write()
    }

    pub(crate) fn install_files(&mut self, wanted: &Wanted<'_>, problems: &mut Vec<String>) {
        let setup = wanted.setup;
        for file in (setup.files)(wanted) {
            if let Err(problem) = self.install_file(wanted, &file) {
                problems.push(format!("{}: `{}`: {problem}", setup.title(), file.path.display()));
                return;
            }
        }
    }

    fn install_file(&mut self, wanted: &Wanted<'_>, file: &File) -> Result<(), String> {
        let agent = wanted.setup.id;
        let current = self.0.now(&file.path)?;
        let needed = match &file.content {
            Content::Trust { hooks } => self.hooks(agent, hooks)?.1,
            _ => Vec::new(),
        };
        if is_current(agent, current.as_deref(), &file.content, &needed)? {
            return Ok(());
        }
        let known = self.0.manifest().find(&file.path, &kind(&file.content)).cloned();
        let entry = known.clone().unwrap_or_else(|| unnoted(agent, file, kind(&file.content)));
        let clean = self.clean(&entry, &file.content, current.as_deref(), &needed)?;
        let Edited { text: after, ranges, made } = match &file.content {
            Content::Entries(entries, _) => json::add(&clean, entries).map_err(|problem| mend(&problem))?,
            Content::Whole { text, .. } => whole(wanted, &file.path, current.as_deref(), known.as_ref(), text)?,
            Content::Trust { .. } => trust::add(&clean, &needed)?,
        };
        check_rest(agent, file, &clean, &after, &made)?;
        // A file with nothing of ours in it is no longer the one that we made.
        let is_same = current.as_ref().is_some_and(|current| *current != clean);
        let entry = Entry {
            kind: noted(&file.content, needed),
            created: current.is_none() || (entry.created && is_same),
            ranges,
            made,
            since: entry.since.or_else(|| Some(now())),
            ..unnoted(agent, file, kind(&file.content))
        };
        let executable = matches!(file.content, Content::Whole { executable: true, .. });
        self.0.put(entry, current, after, if executable { 0o755 } else { 0o644 });
        Ok(())
    }

    /// What a file holds before our text is put in.
    fn clean(
        &self,
        entry: &Entry,
        content: &Content,
        current: Option<&str>,
        needed: &[Trusted],
    ) -> Result<String, String> {
        let (Some(text), Content::Entries(..) | Content::Trust { .. }) = (current, content) else {
            return Ok(String::new());
        };
        let clean = self.without(entry, text)?.unwrap_or_default();
        // What is said of the places where our hooks stand now was said of others.
        let keys: Vec<String> = needed.iter().map(|needed| needed.key.clone()).collect();
        Ok(trust::remove(&clean, &keys))
    }

    fn remove_file(&mut self, entry: &Entry, wanted: &[Wanted<'_>]) -> Result<(), String> {
        let current = self.0.now(&entry.path)?;
        if let Some(text) = current.as_deref().filter(|text| is_foreign(entry, wanted, text)) {
            let calls = wanted.iter().any(|wanted| calls_us(wanted.setup, &entry.path, text));
            if calls || self.0.known().files.contains(entry) {
                let why = "it is not, or not only, what Tollgate wrote there; take out what calls `tollgate hook`";
                self.0.left.push((entry.path.clone(), why.to_owned()));
            }
            return Ok(());
        }
        let after = match &current {
            Some(text) => self.without(entry, text)?,
            None => None,
        };
        self.0.take(entry, current, after);
        Ok(())
    }

    /// A file without what is ours; nothing if it goes.
    fn without(&self, entry: &Entry, text: &str) -> Result<Option<String>, String> {
        if entry.kind == Kind::Whole {
            return Ok(None);
        }
        self.0.without(entry, text, || self.taken_out(entry, text))
    }

    /// A file that was changed since, without what is recognised as ours.
    fn taken_out(&self, entry: &Entry, text: &str) -> Result<String, String> {
        match &entry.kind {
            Kind::Whole => Ok(String::new()),
            Kind::Entries { own } => {
                let own: Vec<&str> = own.iter().map(String::as_str).collect();
                let ours = |part: &Value| is_ours(&entry.agent, part) || is_own_plugin(&entry.agent, part);
                let rest = json::remove(text, &ours, &own, &entry.made).map_err(|problem| mend(&problem))?;
                Ok(rest.unwrap_or_default())
            }
            Kind::Trust { hooks, trusted } => {
                let (path, mut ours) = self.hooks(&entry.agent, hooks)?;
                ours.extend(trusted.iter().cloned());
                Ok(trust::remove(text, &trust::keys(&trust::read(text)?, &path, &ours)))
            }
        }
    }

    /// A file of Codex's hooks, under the name by which Codex knows it, and the trust that ours in it need.
    fn hooks(&self, agent: &str, path: &Path) -> Result<(PathBuf, Vec<Trusted>), String> {
        let text = self.0.now(path)?.unwrap_or_default();
        let hooks = json::read(&text).map_err(|problem| mend(&problem))?;
        let path = resolved(path);
        let needed = trust::needed(&path, &hooks, &|part| is_ours(agent, part));
        Ok((path, needed))
    }
}

fn kind(content: &Content) -> Kind {
    noted(content, Vec::new())
}

fn noted(content: &Content, trusted: Vec<Trusted>) -> Kind {
    match content {
        Content::Entries(_, own) => Kind::Entries { own: own.iter().map(|&own| own.to_owned()).collect() },
        Content::Whole { .. } => Kind::Whole,
        Content::Trust { hooks } => Kind::Trust { hooks: hooks.clone(), trusted },
    }
}

/// Whether a file that would be ours as a whole holds what somebody else wrote.
fn is_foreign(entry: &Entry, wanted: &[Wanted<'_>], text: &str) -> bool {
    let is_ours = |wanted| is_exactly_ours(wanted, &entry.path, Some(entry), text);
    entry.kind == Kind::Whole && !wanted.iter().any(is_ours)
}

/// What would have been noted about a file, had anybody.
fn unnoted(agent: &str, file: &File, kind: Kind) -> Entry {
    Entry {
        agent: agent.to_owned(),
        path: file.path.clone(),
        kind,
        created: false,
        folders: Vec::new(),
        ranges: Vec::new(),
        made: Made::default(),
        digest: String::new(),
        since: None,
    }
}

fn now() -> String {
    tollgate_audit::stamp(SystemClock::default().wall())
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
