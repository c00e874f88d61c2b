//! What really stands around a call: folders, homes and links of this machine.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tollgate_rules::Ambient;
use tollgate_shell::{is_blind, plainly};

/// What makes a folder a project's.
const MARKS: [&str; 2] = [".git", tollgate_config::FILE_NAME];
/// Where homes are, also those of others.
const FOLDERS_OF_HOMES: [&str; 2] = ["/home", "/Users"];
/// How many working directories are remembered.
const MAX_KNOWN: usize = 256;
/// How long a path may be.
const MAX_PATH: usize = 4096;
/// How many links may lead to one another.
const MAX_LINKS: usize = 40;

/// The file system of this machine.
///
/// The workspace is the nearest folder at or above the working directory that has a `.git` or a `tollgate.toml`, else
/// the working directory. The root, home folders and the folders of homes are never a workspace: in them, nothing is
/// ordinary. What was found for a working directory stays, so that an agent cannot make its workspace larger by leaving
/// a mark further up.
#[derive(Debug, Default)]
pub struct Disk {
    /// The home folder where a working directory says nothing about it.
    home: Option<String>,
    known: Mutex<HashMap<String, Vec<String>>>,
}

impl Disk {
    /// With this home folder, for working directories outside of all homes.
    pub fn new(home: Option<String>) -> Self {
        Self { home, known: Mutex::default() }
    }

    fn find(&self, cwd: &str) -> Vec<String> {
        // By a link or a detour, a home is still a home.
        let real = follow_views;
        let Some(cwd) = real(cwd) else { return vec![String::new()] };
        let homes = [self.home(cwd.to_str()), self.home.as_deref().map(Cow::Borrowed)];
        let homes: Vec<PathBuf> =
            homes.iter().flatten().map(|home| real(home).unwrap_or_else(|| PathBuf::from(&**home))).collect();
        let holds_homes = |folder: &Path| {
            FOLDERS_OF_HOMES.iter().any(|homes| folder == Path::new(homes))
                || homes.iter().any(|home| home.starts_with(folder))
        };
        let ordinary = |folder: &&Path| folder.parent().is_some() && !holds_homes(folder);
        let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
        let cwd = cwd.as_path();
        let found = cwd.ancestors().take_while(ordinary).find(marked).or(Some(cwd).filter(ordinary));
        // A nameless folder holds nothing.
        vec![found.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default()]
    }
}

impl Ambient for Disk {
    fn workspace(&self, cwd: Option<&str>) -> Cow<'_, [String]> {
        let Some(cwd) = cwd.filter(|cwd| cwd.starts_with('/')) else { return Cow::default() };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(cwd) {
            return Cow::Owned(found.clone());
        }
        let found = self.find(cwd);
        if known.len() < MAX_KNOWN {
            known.insert(cwd.to_owned(), found.clone());
        }
        Cow::Owned(found)
    }

    /// The home that the working directory is in, because an agent may run as somebody else than its user.
    fn home<'a>(&'a self, cwd: Option<&'a str>) -> Option<Cow<'a, str>> {
        let cwd = cwd.unwrap_or_default();
        let mut names = cwd.split('/');
        let home = match (names.next(), names.next(), names.next()) {
            (Some(""), Some(homes @ ("home" | "Users")), Some(name)) if !name.is_empty() => {
                Some(&cwd[..homes.len() + name.len() + 2])
            }
            (Some(""), Some("root"), _) => Some("/root"),
            _ => self.home.as_deref(),
        };
        home.map(Cow::Borrowed)
    }

    fn real(&self, path: &str) -> Option<String> {
        let real = follow(Path::new(path), MAX_LINKS)?.to_str()?.to_owned();
        (real != path.trim_end_matches('/')).then_some(real)
    }
}

/// Where a path leads, as far as it exists. A link to nowhere leads there too: writing to it makes the file. What is
/// below `/proc` is something else to each process that looks, so who asks has to see where that leads.
fn follow(path: &Path, mut links: usize) -> Option<PathBuf> {
    // The system opens nothing that is longer, and an agent could make us look for ever.
    let fits = |path: &Path| path.as_os_str().len() <= MAX_PATH;
    if !path.is_absolute() || !fits(path) {
        return None;
    }
    let mut real = PathBuf::from("/");
    // What is left to walk, the next name last.
    let mut left: Vec<OsString> = names(path).rev().map(OsStr::to_owned).collect();
    while let Some(name) = left.pop() {
        if name == ".." {
            real.pop();
            continue;
        }
        real.push(name);
        match if real.starts_with("/proc") { Err(ErrorKind::NotFound.into()) } else { real.read_link() } {
            Ok(target) => {
                links = links.checked_sub(1).filter(|_| fits(&target))?;
                if target.is_absolute() {
                    real = PathBuf::from("/");
                } else {
                    real.pop();
                }
                left.extend(names(&target).rev().map(OsStr::to_owned));
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => break,
            Err(_) => {}
        }
    }
    // What is above something that is not there, nobody knows.
    let told = !left.iter().any(|name| name == "..");
    Some(left.into_iter().rev().fold(real, |folder, name| folder.join(name))).filter(|real| told && fits(real))
}

/// The same for a folder that is somebody's whatever it is called: `/proc/self/root/home/ann` is a home.
fn follow_views(path: &str) -> Option<PathBuf> {
    let real = follow(Path::new(path), MAX_LINKS)?;
    if !real.starts_with("/proc") {
        return Some(real);
    }
    let plain = plainly(real.to_str()?);
    follow(Path::new(&plain), MAX_LINKS).filter(|_| !is_blind(&plain))
}

/// The names in a path, `..` among them.
fn names(path: &Path) -> impl DoubleEndedIterator<Item = &OsStr> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        Component::ParentDir => Some(OsStr::new("..")),
        _ => None,
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder of its own for a test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().canonicalize().unwrap().join(format!("tollgate-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn path(&self, below: &str) -> String {
            self.0.join(below).to_str().unwrap().trim_end_matches('/').to_owned()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_workspace_is_the_nearest_project() {
        let folder = Folder::new("workspace");
        for below in ["a/.git", "a/b/c", "d/e", "home/x", "home/.git"] {
            fs::create_dir_all(folder.path(below)).unwrap();
        }
        fs::write(folder.path("d/tollgate.toml"), "").unwrap();
        let disk = Disk::new(Some(folder.path("home")));
        for (cwd, expected) in [
            ("a/b/c", "a"),
            ("a", "a"),
            ("d/e", "d"),
            ("a/b/not-yet", "a"),
            // The home is one only for what is marked itself.
            ("home/x", "home/x"),
        ] {
            assert_eq!(*disk.workspace(Some(&folder.path(cwd))), [folder.path(expected)], "{cwd}");
        }
        // Who is above homes would have all of them.
        let by_proc = format!("/proc/self/root{}", folder.path("home"));
        for cwd in ["/", &folder.path("home"), &folder.path(""), "/home", "/home/", "/Users", "/tmp/../home", &by_proc]
        {
            assert_eq!(*disk.workspace(Some(cwd)), [""], "{cwd}");
        }
        assert_eq!(*disk.workspace(None), [""; 0]);
        assert_eq!(*disk.workspace(Some("relative")), [""; 0]);
        // A mark that comes later changes nothing for who was there before.
        fs::create_dir(folder.path(".git")).unwrap();
        assert_eq!(*disk.workspace(Some(&folder.path("d/e"))), [folder.path("d")]);
    }

    #[test]
    fn homes() {
        let disk = Disk::new(Some("/var/lib/agent".to_owned()));
        for (cwd, expected) in [
            (Some("/home/ann/app"), "/home/ann"),
            (Some("/home/ann"), "/home/ann"),
            (Some("/Users/ann/app"), "/Users/ann"),
            (Some("/root/app"), "/root"),
            (Some("/rooted"), "/var/lib/agent"),
            (Some("/home/"), "/var/lib/agent"),
            (Some("/srv"), "/var/lib/agent"),
            (None, "/var/lib/agent"),
        ] {
            assert_eq!(disk.home(cwd).as_deref(), Some(expected), "{cwd:?}");
        }
    }

    #[test]
    fn links_are_followed_as_far_as_they_exist() {
        let folder = Folder::new("links");
        fs::create_dir_all(folder.path("real/deep")).unwrap();
        symlink(folder.path("real"), folder.path("link")).unwrap();
        symlink("../outside/new", folder.path("real/dangling")).unwrap();
        symlink("loop", folder.path("loop")).unwrap();
        symlink("link/../real", folder.path("around")).unwrap();
        symlink("/proc/self/cwd", folder.path("here")).unwrap();
        let disk = Disk::default();
        for (path, expected) in [
            ("real/deep", None),
            ("real/not/yet", None),
            ("link", Some("real")),
            ("link/deep", Some("real/deep")),
            ("link/not/yet", Some("real/not/yet")),
            ("real/dangling", Some("outside/new")),
            ("link/dangling", Some("outside/new")),
            ("loop", None),
            ("around/deep", Some("real/deep")),
        ] {
            let expected = expected.map(|path| folder.path(path));
            assert_eq!(disk.real(&folder.path(path)), expected, "{path}");
        }
        // Where that is depends on who looks.
        assert_eq!(disk.real(&folder.path("here/x")).as_deref(), Some("/proc/self/cwd/x"));
    }

    #[test]
    fn a_path_without_end_is_no_way_to_end_this_process() {
        let (disk, long) = (Disk::default(), format!("/tmp/{}", "a/".repeat(200_000)));
        assert_eq!(disk.real(&long), None);
        assert_eq!(disk.real(&format!("/nowhere/{}", "a/".repeat(2_000))), None);
    }
}
