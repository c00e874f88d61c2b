//! Where things lie on this machine.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A person's home, a project and the environment: what decides where agents keep their settings.
#[derive(Clone, Debug)]
pub struct Place {
    /// The home.
    pub home: PathBuf,
    /// The project.
    pub project: PathBuf,
    /// The environment's variables.
    pub env: BTreeMap<OsString, OsString>,
}

impl Place {
    /// This process's.
    pub fn of_process() -> Result<Self, String> {
        let env: BTreeMap<_, _> = std::env::vars_os().collect();
        let home = env.get(&OsString::from("HOME")).map(PathBuf::from).filter(|home| home.is_absolute());
        let home = home.ok_or("agents keep their settings in your home; set `HOME` to it, with its full path")?;
        let cwd = std::env::current_dir().map_err(|error| format!("the working directory: {error}"))?;
        let project = cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
        let project = project.filter(|project| *project != home).unwrap_or(&cwd).to_owned();
        Ok(Self { home, project, env })
    }

    /// The folder that a variable names, or one in the home. A relative one would mean another folder everywhere.
    pub(crate) fn folder(&self, variable: &str, default: &str) -> PathBuf {
        let named = self.env.get(&OsString::from(variable)).map(PathBuf::from).filter(|path| path.is_absolute());
        named.unwrap_or_else(|| self.home.join(default))
    }

    /// Where a program is found.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        let path = self.env.get(&OsString::from("PATH"))?;
        std::env::split_paths(path).map(|folder| folder.join(name)).find(|program| is_executable(program))
    }

    /// The path under which agents should start this program: the one that was typed or found, because it stays the same
    /// when a new version is installed behind a link.
    pub fn this_program(&self) -> Result<PathBuf, String> {
        let exe = std::env::current_exe().map_err(|error| format!("where is this program? {error}"))?;
        let typed = std::env::args_os().next().map(PathBuf::from);
        let found = typed.and_then(|typed| match typed.components().count() {
            0 | 1 => self.program(typed.to_str()?),
            _ => std::path::absolute(typed).ok(),
        });
        let same = |path: &PathBuf| path.canonicalize().ok() == exe.canonicalize().ok();
        let program = found.filter(same).unwrap_or(exe);
        // The one that only answers hooks starts faster; a program under another name is somebody's own arrangement.
        let smaller = program.with_file_name(SMALL);
        let plain = program.file_name().is_some_and(|name| name == "tollgate");
        Ok(if plain && is_executable(&smaller) { smaller } else { program })
    }
}

/// The program that only answers hooks.
const SMALL: &str = "tollgate-hook";

/// Whether a program only answers hooks: it cannot speak to servers, for one.
pub fn is_small(program: &Path) -> bool {
    program.file_name().is_some_and(|name| name == SMALL)
}

/// Whether there is a file that may be run.
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}
