//! Where everything lies.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::file::Layer;
use crate::layer::resolve;

/// The name of the policy file in every layer.
pub const FILE_NAME: &str = "tollgate.toml";

/// Where a project may keep hooks beside its policy file, as JSON.
pub const HOOKS_FILE: &str = ".tollgate/workspace.json";

/// Where the hash of the key for automation lies in a home.
const KEY_FILE: &str = ".local/share/tollgate/automation.sha256";

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
    /// The file with the hash of the key for automation. No variable but the home's moves it: what a caller can choose
    /// proves nothing about the caller.
    pub key: Option<PathBuf>,
}

impl Paths {
    /// Looks for everything, from a working directory, the `--config` option and the environment's variables.
    ///
    /// Whoever wrote the project can often set variables for what runs in it, and would then bring their own policy and
    /// their own state. So no variable may lead into the project, and none through `/proc` or `/dev`, where a name
    /// means something else to everybody.
    pub fn find(cwd: &Path, instead: Option<&Path>, env: impl Fn(&str) -> Option<OsString>) -> Self {
        let roots = roots(cwd);
        let home = believed(absolute(env("HOME")), &roots);
        // Who has all of the home in a repository wrote it themselves.
        let real = home.as_deref().map(resolve);
        let roots: Vec<PathBuf> =
            roots.into_iter().filter(|root| !real.as_ref().is_some_and(|home| home.starts_with(root))).collect();
        let folder = |name: &str| absolute(env(name)).filter(|path| !leads_through(path, &roots));
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
            key: home.as_ref().map(|home| home.join(KEY_FILE)),
        }
    }

    /// The home in which [`find()`](Self::find) looks: the variable's, or the one of this machine's list of users if
    /// the variable leads into the project.
    ///
    /// ```
    /// use std::path::Path;
    /// use tollgate_config::Paths;
    ///
    /// let home = |cwd: &str| Paths::home(Path::new(cwd), |_| Some("/nowhere/project/home".into()));
    /// assert_eq!(home("/nowhere/else").as_deref(), Some(Path::new("/nowhere/project/home")));
    /// assert_ne!(home("/nowhere/project").as_deref(), Some(Path::new("/nowhere/project/home")));
    /// ```
    pub fn home(cwd: &Path, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        believed(absolute(env("HOME")), &roots(cwd))
    }

    /// This user's home in the machine's list of users, whatever the variable says.
    pub fn listed_home() -> Option<PathBuf> {
        listed_home()
    }

    /// Whether a path leads to a folder or to something in it, by whatever links and detours.
    ///
    /// ```
    /// use std::path::Path;
    /// use tollgate_config::Paths;
    ///
    /// assert!(Paths::is_below(Path::new("/nowhere/home/.config"), Path::new("/nowhere/home")));
    /// assert!(!Paths::is_below(Path::new("/nowhere/home/../else"), Path::new("/nowhere/home")));
    /// ```
    pub fn is_below(path: &Path, folder: &Path) -> bool {
        resolve(path).starts_with(resolve(folder))
    }

    /// The same as [`find()`](Self::find), of this process.
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

/// A relative path would mean something else in every folder; the XDG specification says to ignore it.
fn absolute(value: Option<OsString>) -> Option<PathBuf> {
    value.map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The folders that may belong to whoever wrote the project: the working directory and every marked one above it, since
/// a mark further down must not make what is above it anybody else's. All of the machine is nobody's project.
fn roots(cwd: &Path) -> Vec<PathBuf> {
    let cwd = resolve(cwd);
    let marked = |folder: &Path| [".git", FILE_NAME].iter().any(|mark| folder.join(mark).symlink_metadata().is_ok());
    let above = cwd.ancestors().filter(|folder| folder.parent().is_some());
    above.filter(|folder| *folder == cwd || marked(folder)).map(Path::to_owned).collect()
}

/// The home, unless the project could have chosen it: then it is the one that the machine knows. A home that is a
/// repository, or the working directory, is in doubt as well, and found to be right.
fn believed(home: Option<PathBuf>, roots: &[PathBuf]) -> Option<PathBuf> {
    let home = home?;
    if !leads_through(&home, roots) {
        return Some(home);
    }
    let listed = listed_home()?;
    // The spelling of the variable stays, if it is the same place and not one that moves.
    let same = !leads_through(&home, &[]) && resolve(&home) == resolve(&listed);
    Some(if same { home } else { listed })
}

/// Whether a path comes by one of these folders, or by those of processes and devices, on its way or at its end.
fn leads_through(path: &Path, folders: &[PathBuf]) -> bool {
    let in_one = |place: &Path| {
        ["/proc", "/dev"].iter().any(|folder| place.starts_with(folder))
            || folders.iter().any(|folder| place.starts_with(folder))
    };
    // A link in the project may lead anywhere tomorrow, and one from outside may end in the project.
    let mut way = PathBuf::new();
    path.components().any(|part| {
        match part {
            Component::ParentDir => drop(way.pop()),
            part => way.push(part),
        }
        let real = way.canonicalize().unwrap_or_else(|_| way.clone());
        let spelled = std::mem::replace(&mut way, real);
        in_one(&spelled) || in_one(&way)
    })
}

/// This user's home in the machine's list of users.
#[cfg(unix)]
fn listed_home() -> Option<PathBuf> {
    home_of(crate::guard::user(), &std::fs::read("/etc/passwd").ok()?)
}

#[cfg(not(unix))]
fn listed_home() -> Option<PathBuf> {
    None
}

/// The home of a user in a list as `/etc/passwd` is one. `/` is what users without a home have.
#[cfg(unix)]
fn home_of(user: u32, list: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    let user = user.to_string();
    let lines = list.split(|byte| *byte == b'\n').map(|line| line.split(|byte| *byte == b':').collect::<Vec<_>>());
    let home = lines.filter(|fields| fields.get(2) == Some(&user.as_bytes())).find_map(|fields| fields.get(5).copied());
    let home = PathBuf::from(std::ffi::OsStr::from_bytes(home?));
    (home.is_absolute() && home.parent().is_some()).then_some(home)
}

/// There is no place for state: neither `$TOLLGATE_HOME` nor `$HOME` is set to a folder outside of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoHome;

impl std::fmt::Display for NoHome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "there is no place for state; set `TOLLGATE_HOME` to a folder outside of the project, with its full path",
        )
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

    /// Folders of its own for a test.
    #[cfg(unix)]
    struct Folder(PathBuf);

    #[cfg(unix)]
    impl Folder {
        fn new(name: &str, below: &[&str]) -> Self {
            let root = std::env::temp_dir().canonicalize().unwrap();
            let root = root.join(format!("tollgate-paths-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&root);
            below.iter().for_each(|folder| std::fs::create_dir_all(root.join(folder)).unwrap());
            Self(root)
        }

        /// `~` is the home that the machine lists, `R` this folder.
        fn path(&self, short: &str) -> String {
            let listed = listed_home().map(|home| home.display().to_string()).unwrap_or_default();
            short.replace('~', &listed).replacen('R', self.0.to_str().unwrap(), 1)
        }

        fn short(&self, path: Option<&Path>) -> String {
            let listed = listed_home().map(|home| home.display().to_string()).unwrap_or_default();
            let path = path.map_or("-".to_owned(), |path| path.display().to_string());
            path.replace(self.0.to_str().unwrap(), "R").replacen(&listed, "~", 1)
        }
    }

    #[cfg(unix)]
    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_home_that_the_project_chose_is_not_the_home() {
        let folder =
            Folder::new("home", &["repo/.git", "repo/pkg/deep", "repo/.config", "home/project/.git", "plain/x"]);
        std::fs::write(folder.0.join("repo/pkg/tollgate.toml"), "").unwrap();
        for (link, to) in [("into", "repo/pkg"), ("repo/out", "home")] {
            std::os::unix::fs::symlink(folder.0.join(to), folder.0.join(link)).unwrap();
        }
        for (cwd, home, expected) in [
            // What the project could say.
            ("R/repo", "/proc/self/cwd", "~"),
            ("R/repo", "/proc/thread-self/root/home", "~"),
            ("R/repo", "/dev/fd/3", "~"),
            ("R/repo", "/usr/../proc/self/cwd", "~"),
            ("R/repo", "//proc/./self/cwd", "~"),
            ("/nowhere", "/proc/1/cwd", "~"),
            ("R/repo", "R/repo", "~"),
            ("R/repo/pkg/deep", "R/repo", "~"),
            ("R/repo/pkg", "R/repo/evil", "~"),
            ("R/repo/pkg", "R/home/../repo/not/yet", "~"),
            ("R/repo", "R/into", "~"),
            ("R/into", "R/repo/pkg", "~"),
            ("R/repo", "R/repo/out", "~"),
            ("R/plain", "R/plain", "~"),
            ("R/plain", "R/plain/x", "~"),
            // What people have.
            ("~", "~", "~"),
            ("~/project", "~", "~"),
            ("/", "~", "~"),
            ("/", "R/home", "R/home"),
            ("R/repo", "R/home", "R/home"),
            ("R/repo/pkg", "R/home", "R/home"),
            ("R/home/project", "R/home", "R/home"),
            ("R/plain/x", "R/plain", "R/plain"),
            ("/nowhere", "/gone", "/gone"),
            // What is no folder is no home.
            ("R/repo", "", "-"),
            ("R/repo", "home", "-"),
        ] {
            let env = |name: &str| (name == "HOME").then(|| OsString::from(folder.path(home)));
            let cwd = PathBuf::from(folder.path(cwd));
            assert_eq!(folder.short(Paths::home(&cwd, env).as_deref()), expected, "{home} in {}", cwd.display());
            let state = Paths::find(&cwd, None, env).state;
            let expected = if expected == "-" { "-".to_owned() } else { format!("{expected}/.local/state/tollgate") };
            assert_eq!(folder.short(state.as_deref()), expected, "{home} in {}", cwd.display());
        }
        assert_eq!(Paths::home(&folder.0, |_| None), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_the_project_chose_is_ignored() {
        let below = ["repo/.git", "repo/pkg", "repo/evil", "home/project/.git", "home/.git", "home/loose", "state"];
        let folder = Folder::new("folders", &below);
        std::fs::write(folder.0.join("repo/pkg/tollgate.toml"), "").unwrap();
        std::os::unix::fs::symlink(folder.0.join("repo"), folder.0.join("into")).unwrap();
        for (cwd, named, believed) in [
            ("R/repo/pkg", "R/repo/evil", false),
            ("R/repo/pkg", "R/repo/pkg/evil", false),
            ("R/repo/pkg", "/proc/self/cwd/evil", false),
            ("R/repo/pkg", "/dev/shm/evil", false),
            ("R/repo/pkg", "R/into/evil", false),
            ("R/repo/pkg", "R/state/../repo/evil", false),
            ("R/home/project", "R/home/project/evil", false),
            ("R/home/loose", "R/home/loose/evil", false),
            ("R/repo/pkg", "R/state", true),
            ("R/repo/pkg", "R/home/state", true),
            ("/", "R/state", true),
        ] {
            for variable in ["TOLLGATE_HOME", "XDG_STATE_HOME"] {
                let env = |name: &str| match name {
                    "HOME" => Some(OsString::from(folder.path("~"))),
                    name => (name == variable).then(|| OsString::from(folder.path(named))),
                };
                let state = Paths::find(Path::new(&folder.path(cwd)), None, env).state.unwrap();
                assert_eq!(state.starts_with(folder.path(named)), believed, "{variable}={named} in {cwd}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn homes_are_listed() {
        let list = b"root:x:0:0:root:/root:/bin/sh\nbad\n\nann:x:1000:1000:Ann,,:/home/ann:/bin/zsh\n\
            two:x:1000:1:::\nnone:x:7:7::/:/bin/false\nodd:x:8:8::relative:\nshort:x:9:9\n10:x:11:10::/home/dev:\n";
        for (user, expected) in [
            (0, Some("/root")),
            (1000, Some("/home/ann")),
            (11, Some("/home/dev")),
            (7, None),
            (8, None),
            (9, None),
            (10, None),
            (1, None),
        ] {
            assert_eq!(home_of(user, list).as_deref(), expected.map(Path::new), "{user}");
        }
    }

    #[test]
    fn one_file_can_stand_for_all() {
        let paths = Paths::find(Path::new("/work"), Some(Path::new("my.toml")), |_| Some("/h".into()));
        assert_eq!(paths.files(), [(Layer::User, PathBuf::from("/work/my.toml"))]);
    }
}
