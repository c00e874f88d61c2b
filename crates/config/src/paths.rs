//! Where everything lies.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::file::Layer;
use crate::layer::resolve;

/// The name of the policy file in every layer.
pub const FILE_NAME: &str = "tollgate.toml";

/// Where a project may keep hooks beside its policy file, as JSON.
pub const HOOKS_FILE: &str = ".tollgate/workspace.json";

/// Where the policy files and the state lie.
///
/// ```
/// use std::path::Path;
/// use tollgate_config::{Layer, Paths};
///
/// let paths = Paths::find(Path::new("/nowhere"), None, |name| (name == "HOME").then(|| "/home/user".into()));
/// assert_eq!(paths.state()?, Path::new("/home/user/.local/state/tollgate"));
/// assert_eq!(paths.files()[1], (Layer::User, "/home/user/.config/tollgate/tollgate.toml".into()));
/// # Ok::<(), tollgate_config::NoHome>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// The machine's file, whether or not it exists.
    pub machine: Option<PathBuf>,
    /// The person's file, whether or not it exists.
    pub user: Option<PathBuf>,
    /// The project's file, if there is one.
    pub project: Option<PathBuf>,
    /// The project's file with hooks, if there is one.
    pub workspace: Option<PathBuf>,
    /// The one file that replaces them.
    pub instead: Option<PathBuf>,
    /// The one file with hooks that replaces the project's, named by the person who runs this.
    pub hooks: Option<PathBuf>,
    /// The folder for counters, records and pins; [`state()`](Self::state) says what to do if there is none.
    pub state: Option<PathBuf>,
    /// The folder for what can be computed again.
    pub cache: Option<PathBuf>,
    /// The folder for keys and trust.
    pub data: Option<PathBuf>,
}

impl Paths {
    /// Looks for everything, from a working directory, the `--config` option and the environment's variables.
    pub fn find(cwd: &Path, instead: Option<&Path>, env: impl Fn(&str) -> Option<OsString>) -> Self {
        // A relative path would mean something else in every folder; the XDG specification says to ignore it.
        let folder = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME");
        let root = project_root(cwd, home.as_deref());
        // Whoever wrote the project can often set variables for what runs in it, and would then trust themselves.
        let stranger = |path: &PathBuf| root.as_ref().is_some_and(|root| resolve(path).starts_with(root));
        let folder = |name: &str| folder(name).filter(|path| !stranger(path));
        let own = folder("TOLLGATE_HOME");
        let xdg = |name: &str, default: &str| {
            let base = folder(name).or_else(|| home.as_ref().map(|home| home.join(default)));
            base.map(|base| base.join("tollgate"))
        };
        let kept = |sort: &str, name: &str, default: &str| {
            own.as_ref().map(|own| own.join(sort)).or_else(|| xdg(name, default))
        };
        let machine = PathBuf::from("/etc/tollgate").join(FILE_NAME);
        let user = xdg("XDG_CONFIG_HOME", ".config").map(|folder| folder.join(FILE_NAME));
        let project = nearest_above(cwd, FILE_NAME).filter(|found| *found != machine && Some(found) != user.as_ref());
        Self {
            machine: Some(machine),
            user,
            project,
            workspace: nearest_above(cwd, HOOKS_FILE),
            instead: instead.map(|file| cwd.join(file)),
            hooks: None,
            state: kept("state", "XDG_STATE_HOME", ".local/state"),
            cache: kept("cache", "XDG_CACHE_HOME", ".cache"),
            data: kept("data", "XDG_DATA_HOME", ".local/share"),
        }
    }

    /// The same, of this process.
    pub fn of_process(instead: Option<&Path>) -> std::io::Result<Self> {
        Ok(Self::find(&std::env::current_dir()?, instead, |name| std::env::var_os(name)))
    }

    /// The files to read, whether or not they exist, in the order of their rights.
    pub fn files(&self) -> Vec<(Layer, PathBuf)> {
        if let Some(instead) = &self.instead {
            return vec![(Layer::User, instead.clone())];
        }
        let layers = [(Layer::Machine, &self.machine), (Layer::User, &self.user), (Layer::Project, &self.project)];
        layers.into_iter().filter_map(|(layer, path)| path.clone().map(|path| (layer, path))).collect()
    }

    /// The file with hooks to read, whether or not it exists.
    pub fn hooks_file(&self) -> Option<(Layer, &Path)> {
        let project = self.workspace.as_deref().filter(|_| self.instead.is_none());
        let named = self.hooks.as_deref().map(|file| (Layer::User, file));
        named.or_else(|| project.map(|file| (Layer::Project, file)))
    }

    /// The folder for counters, records and pins.
    pub fn state(&self) -> Result<&Path, NoHome> {
        self.state.as_deref().ok_or(NoHome)
    }

    /// The folder for what can be computed again.
    pub fn cache(&self) -> Result<&Path, NoHome> {
        self.cache.as_deref().ok_or(NoHome)
    }

    /// The folder for keys and trust.
    pub fn data(&self) -> Result<&Path, NoHome> {
        self.data.as_deref().ok_or(NoHome)
    }
}

/// The file in a folder, or in the nearest one above that has it. Something there that is no file counts: a policy that
/// cannot be read must be noticed.
fn nearest_above(folder: &Path, name: &str) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(name)).find(|path| path.symlink_metadata().is_ok())
}

/// The folder that belongs to whoever wrote the project; none if that would be all of a home, or of the machine.
fn project_root(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let cwd = resolve(cwd);
    let marked = |folder: &&Path| [".git", FILE_NAME].iter().any(|mark| folder.join(mark).symlink_metadata().is_ok());
    let root = cwd.ancestors().find(marked).unwrap_or(&cwd);
    let whole = root.parent().is_none() || home.is_some_and(|home| resolve(home).starts_with(root));
    (!whole).then(|| root.to_owned())
}

/// There is no place for state: neither `$TOLLGATE_HOME` nor `$HOME` is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoHome;

impl std::fmt::Display for NoHome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("there is no place for state; set `TOLLGATE_HOME` to a folder, with its full path")
    }
}

impl std::error::Error for NoHome {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_from_the_environment() {
        let shown = |folder: Result<&Path, NoHome>| folder.map_or("-".to_owned(), |path| path.display().to_string());
        let home = "/h/.local/state/tollgate /h/.cache/tollgate /h/.local/share/tollgate";
        for (env, expected) in [
            (&[][..], "- - -"),
            (&[("HOME", "/h")], home),
            (&[("HOME", "h")], "- - -"),
            (&[("HOME", "/h"), ("XDG_STATE_HOME", "relative")], home),
            (
                &[("HOME", "/h"), ("XDG_STATE_HOME", "/s"), ("XDG_CACHE_HOME", "/c"), ("XDG_DATA_HOME", "/d")],
                "/s/tollgate /c/tollgate /d/tollgate",
            ),
            (&[("HOME", "/h"), ("XDG_STATE_HOME", "/s"), ("TOLLGATE_HOME", "/t")], "/t/state /t/cache /t/data"),
        ] {
            let find = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
            let paths = Paths::find(Path::new("/nowhere"), None, find);
            let found = [paths.state(), paths.cache(), paths.data()].map(shown).join(" ");
            assert_eq!(found, expected, "{env:?}");
        }
    }

    #[test]
    fn one_file_can_stand_for_all() {
        let paths = Paths::find(Path::new("/work"), Some(Path::new("my.toml")), |_| Some("/h".into()));
        assert_eq!(paths.files(), [(Layer::User, PathBuf::from("/work/my.toml"))]);
    }
}
