//! Installing the coding agents that the trials run: once for each version, shared by all clones.

mod place;

use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::Result;

/// How npm is called in the new folder: exactly what the lock says, and nothing that a package brings is run.
const INSTALL: [&str; 5] = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress"];

/// Installs what is not there yet, and prints where it is.
pub(crate) fn run() -> Result {
    let root = env::current_dir().map_err(|error| format!("cannot tell where this is: {error}"))?;
    let cache = place::cache(|name| env::var_os(name))?;
    let folder = place::installed(&cache, &root)?;
    if !folder.is_dir() {
        install(&root, &cache, &folder)?;
    }
    println!("{}", folder.display());
    Ok(())
}

/// Works in a folder beside the final one and renames it when all is done: nobody ever sees half an installation.
fn install(root: &Path, cache: &Path, folder: &Path) -> Result {
    let failed = |what: &Path, error| format!("cannot install coding agents: `{}`: {error}", what.display());
    fs::create_dir_all(cache).map_err(|error| failed(cache, error))?;
    // Two that install at once would only fetch everything twice, so the second one waits and finds it there.
    let lock = cache.join("install.lock");
    let guard =
        File::create(&lock).and_then(|file| file.lock().map(|()| file)).map_err(|error| failed(&lock, error))?;
    if folder.is_dir() {
        return Ok(());
    }
    println!("fetching the coding agents of peers/package.json, more than a gigabyte");
    let draft = folder.with_extension("draft");
    // What an installation that was ended left behind.
    let _ = fs::remove_dir_all(&draft);
    fs::create_dir_all(&draft).map_err(|error| failed(&draft, error))?;
    for pin in place::PINS {
        let name = Path::new(pin).file_name().unwrap_or_default();
        fs::copy(root.join(pin), draft.join(name)).map_err(|error| failed(&draft, error))?;
    }
    npm(&draft)?;
    fs::rename(&draft, folder).map_err(|error| failed(folder, error))?;
    drop(guard);
    Ok(())
}

fn npm(folder: &Path) -> Result {
    let line = INSTALL.join(" ");
    let status = Command::new("npm").args(INSTALL).current_dir(folder).status();
    let status = status.map_err(|error| format!("cannot start npm: {error}; install Node.js, which brings it"))?;
    if status.success() { Ok(()) } else { Err(format!("`npm {line}` failed in `{}`", folder.display())) }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use super::*;

    fn cache(set: &[(&str, &str)]) -> Result<PathBuf> {
        let found = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        place::cache(found)
    }

    #[test]
    fn the_environment_says_where() {
        for (set, expected) in [
            (&[("HOME", "/h")][..], "/h/.cache/tollgate-peers"),
            (&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")], "/c/tollgate-peers"),
            (&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c"), ("TOLLGATE_PEERS", "/p")], "/p"),
            (&[("HOME", "/h"), ("XDG_CACHE_HOME", "")], "/h/.cache/tollgate-peers"),
        ] {
            assert_eq!(cache(set), Ok(PathBuf::from(expected)), "{set:?}");
        }
        assert!(cache(&[]).is_err_and(|problem| problem.contains("TOLLGATE_PEERS")));
    }

    #[test]
    fn other_pins_have_another_folder() {
        let root = env::temp_dir().join(format!("tollgate-peers-{}", std::process::id()));
        fs::create_dir_all(root.join("peers")).unwrap();
        let folder = |manifest: &str, lock: &str| {
            fs::write(root.join(place::PINS[0]), manifest).unwrap();
            fs::write(root.join(place::PINS[1]), lock).unwrap();
            place::installed(Path::new("/c"), &root).unwrap()
        };
        let (first, other) = (folder("a", "b"), folder("a", "c"));
        assert_ne!(first, other);
        assert_eq!(first, folder("a", "b"));
        assert_eq!(first.parent(), Some(Path::new("/c")));
        fs::remove_dir_all(&root).unwrap();
        assert!(place::installed(Path::new("/c"), &root).is_err());
    }
}
