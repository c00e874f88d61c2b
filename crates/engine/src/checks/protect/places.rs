//! What is protected, and where it lies on this machine.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tollgate_config::{FILE_NAME, Hook, Paths};
use tollgate_rules::Ambient;

use crate::installed::Installed;

/// Our programs. Whoever replaces one beside that which was started has it started the next time, or by a human.
const PROGRAMS: [&str; 2] = ["tollgate", "tollgate-hook"];

/// What is protected.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// The folder with the manifest of what was registered: the files it names are protected, too.
    pub data: Option<PathBuf>,
    /// Files in which an agent can be told to run no hooks. They count for agents that are registered.
    pub switches: Vec<SwitchFile>,
    /// Agents that are registered, whatever the manifest says.
    pub agents: Vec<&'static str>,
}

/// A file in which an agent can be told to run no hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchFile {
    /// Whose it is, by the agent's id.
    pub agent: &'static str,
    /// Where it lies. A relative path is one in the project, wherever the agent takes that to be.
    pub path: PathBuf,
}

/// The places, looked up.
#[derive(PartialEq)]
pub(crate) struct Known {
    /// As they are named and as they really lie.
    pub(super) paths: Vec<String>,
    /// What counts in whichever folder at or above the working directory it is put.
    pub(super) here: Vec<PathBuf>,
    /// Why it is not known what is registered.
    pub(super) unread: Option<String>,
}

impl Places {
    /// The policy files and the folders that hold nothing else, the folders for state, data and cache, and this very
    /// program with those that belong to it, also under the name that it was started by.
    pub fn of(paths: &Paths, program: Option<PathBuf>) -> Self {
        let Paths { machine, user, project, instead, workspace, hooks, state, cache, data, key } = paths;
        let called = called();
        let beside = |program: &PathBuf| PROGRAMS.map(|name| Some(program.with_file_name(name)));
        let programs: Vec<_> = [&program, &called].into_iter().flatten().flat_map(beside).collect();
        let named = [machine, user, project, instead, workspace, hooks, state, cache, data, key, &program, &called];
        let above = |path: &Option<PathBuf>| path.as_deref().and_then(Path::parent).map(Path::to_owned);
        // Where everything lies in one folder of our own (`TOLLGATE_HOME`), it is that folder.
        let home = above(state).filter(|home| state != data && above(data).as_ref() == Some(home));
        let folders = [above(machine), above(user), above(key), home];
        let paths = named.into_iter().cloned().chain(folders).chain(programs).flatten().collect();
        Self { paths, data: data.clone(), ..Self::default() }
    }

    /// The same, and the programs and scripts of these hooks, whoever wrote them: whoever changes a guard is not guarded.
    #[must_use]
    pub fn with_hooks(mut self, hooks: &[Hook]) -> Self {
        for hook in hooks {
            self.paths.extend(hook.pins.iter().map(|pin| pin.path.clone()));
            self.paths.extend(hook.program.named.iter().cloned());
        }
        self
    }

    /// The same, and the files in which agents that are registered can be told to run no hooks. `callers` are, because
    /// they call.
    #[must_use]
    pub fn with_switches(mut self, switches: Vec<SwitchFile>, callers: &[&'static str]) -> Self {
        self.switches = switches;
        self.agents.extend_from_slice(callers);
        self
    }

    /// All of them.
    pub(crate) fn found(&self, ambient: &dyn Ambient) -> Known {
        let installed = self.data.as_deref().map_or_else(|| Ok(Installed::default()), Installed::read);
        let unread = installed.as_ref().err().map(ToString::to_string);
        let installed = installed.unwrap_or_default();
        let registered = installed.agents();
        let counts = |switch: &&SwitchFile| {
            self.agents.contains(&switch.agent) || registered.iter().any(|(agent, _)| *agent == switch.agent)
        };
        let switches = self.switches.iter().filter(counts).map(|switch| switch.path.clone());
        let (switches, mut here): (Vec<_>, Vec<_>) = switches.partition(|path| path.is_absolute());
        here.push(FILE_NAME.into());
        let files = installed.files.iter().map(|file| file.path.clone());
        let named = self.paths.iter().cloned().chain(files).chain(switches).filter(|path| path.is_absolute());
        let mut paths: Vec<String> =
            named.filter_map(|path| Some(path.to_str()?.trim_end_matches('/').to_owned())).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.retain(|path| !path.is_empty());
        let mut folders = HashMap::new();
        let real: Vec<String> = paths.iter().filter_map(|path| real(path, ambient, &mut folders)).collect();
        paths.extend(real);
        Known { paths, here, unread }
    }
}

/// Where a place really lies, if that is elsewhere. Many lie in the same folder, which is followed once.
fn real<'p>(path: &'p str, ambient: &dyn Ambient, folders: &mut HashMap<&'p str, Option<String>>) -> Option<String> {
    let (folder, name) = path.rsplit_once('/')?;
    if Path::new(path).is_symlink() {
        return ambient.real(path);
    }
    let real = folders.entry(folder).or_insert_with(|| ambient.real(folder)).as_deref()?;
    Some(format!("{}/{name}", real.trim_end_matches('/')))
}

impl Known {
    /// Whether what lies at this path would count in this working directory: a policy that is not there yet takes the
    /// place of the one above.
    pub(super) fn counts_in(&self, path: &str, cwd: &Path) -> bool {
        let path = Path::new(path);
        let folder = |name: &PathBuf| path.ancestors().nth(name.components().count());
        self.here.iter().any(|name| path.ends_with(name) && folder(name).is_some_and(|folder| cwd.starts_with(folder)))
    }

    /// Where such files would count that lie below this folder.
    pub(super) fn counting_below(&self, folder: &str, cwd: &Path) -> Vec<String> {
        let folders = cwd.ancestors().filter(|above| above.starts_with(folder) || Path::new(folder).starts_with(above));
        let all = folders.flat_map(|above| self.here.iter().map(move |name| above.join(name)));
        all.filter(|place| place.starts_with(folder))
            .filter_map(|place| place.into_os_string().into_string().ok())
            .collect()
    }
}

/// The name that this process was started by. Where that is a link, whoever changes the link changes what is started.
fn called() -> Option<PathBuf> {
    let name = PathBuf::from(std::env::args_os().next()?);
    if name.components().count() > 1 {
        return Some(name).filter(|name| name.is_absolute());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_absolute() && path.exists())
}
