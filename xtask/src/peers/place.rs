//! Where the coding agents of `peers/` are installed. The trials read this file, too: they run what the chore installs.

use std::fs;
use std::path::{Path, PathBuf};

/// The two files that say what is installed, to the byte.
pub(crate) const PINS: [&str; 2] = ["peers/package.json", "peers/package-lock.json"];

/// The folder for everything that is ever installed: outside of any clone, so that all clones share it.
pub(crate) fn cache(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Result<PathBuf, String> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let chosen = set("TOLLGATE_PEERS").or_else(|| Some(cache()?.join("tollgate-peers")));
    chosen.ok_or_else(|| "name a folder for the coding agents in TOLLGATE_PEERS; HOME is not set".to_owned())
}

/// The folder of exactly these versions. It is there only when all of it is.
pub(crate) fn installed(cache: &Path, root: &Path) -> Result<PathBuf, String> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for pin in PINS {
        let path = root.join(pin);
        let bytes = fs::read(&path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        // FNV-1a: whoever can choose these bytes can choose what is installed anyway.
        for byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(cache.join(format!("{hash:016x}")))
}
