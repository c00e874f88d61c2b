//! What `tollgate init` registered, as it noted it down.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::ours;

/// The file in the folder for data that says which settings files name Tollgate.
pub const MANIFEST: &str = "installed.json";

/// What was registered. A manifest may say more; what is not known here is left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Installed {
    /// The settings files that were changed.
    pub files: Vec<InstalledFile>,
}

/// A settings file of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InstalledFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Whose it is, by the agent's id.
    pub agent: Option<String>,
    /// Since when.
    pub since: Option<String>,
}

impl Installed {
    /// What the manifest in this folder says; nothing if there is none. An error if it cannot be read or believed.
    pub fn read(data: &Path) -> std::io::Result<Self> {
        let Some(text) = ours::read(&data.join(MANIFEST))? else { return Ok(Self::default()) };
        Ok(serde_json::from_str(&text)?)
    }

    /// Each agent with a registration, with the earliest time that is known.
    pub fn agents(&self) -> Vec<(&str, Option<&str>)> {
        let mut found: Vec<(&str, Option<&str>)> = Vec::new();
        for InstalledFile { agent, since, .. } in &self.files {
            let Some(agent) = agent.as_deref() else { continue };
            match found.iter_mut().find(|(known, _)| *known == agent) {
                Some((_, first)) => *first = [*first, since.as_deref()].into_iter().flatten().min(),
                None => found.push((agent, since.as_deref())),
            }
        }
        found.sort_unstable();
        found
    }
}
