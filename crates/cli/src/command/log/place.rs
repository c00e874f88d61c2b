//! Which log is meant, and with which key it is checked.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tollgate_audit::{AuditError, Head, Index, Keys, Reader};
use tollgate_config::Paths;

use super::args::Where;
use crate::args::Policy;
use crate::command::Failure;
use crate::output::{thousands, visible};
use crate::progress::Progress;

const MEGA: u64 = 1_000_000;

/// The file of an exported log that holds its public key.
pub(super) const KEY_FILE: &str = "key";

impl From<AuditError> for Failure {
    fn from(error: AuditError) -> Self {
        // It may name a path, and whoever made that may have chosen anything.
        Self::Said(visible(&error.to_string()))
    }
}

/// A log, and the keys of whoever looks at it.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) dir: PathBuf,
    /// Whether it is this user's own.
    pub(super) own: bool,
    keys: Option<PathBuf>,
    /// Where queries about it are prepared; only of this user's own.
    index: Option<PathBuf>,
}

/// A public key, and how it came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PublicKey {
    pub(super) bytes: [u8; 32],
    pub(super) from: Origin,
}

/// How a public key came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// It was typed.
    Given,
    /// It belongs to the secret of this user.
    Own,
    /// It lay beside the log.
    Beside,
}

impl Place {
    pub(super) fn of(policy: &Policy, named: &Where) -> Result<Self, Failure> {
        let paths = Paths::of_process(policy.config.as_deref())?;
        let own = paths.state().map(|state| state.join("audit"));
        let keys = paths.data().ok().map(|data| data.join("audit"));
        let index = paths.cache().ok().map(|cache| cache.join("audit.sqlite"));
        let Some(dir) = &named.dir else {
            let dir = own.map_err(|error| error.to_string())?;
            return Ok(Self { dir, own: true, keys, index });
        };
        let there = fs::canonicalize(dir).map_err(|error| unreadable(dir, &error))?;
        if !there.is_dir() {
            return Err(format!("`{}` is no folder", shown(dir)).into());
        }
        let same = own.is_ok_and(|own| fs::canonicalize(own).is_ok_and(|own| own == there));
        Ok(Self { dir: dir.clone(), own: same, keys, index: index.filter(|_| same) })
    }

    pub(super) fn reader(&self) -> Reader {
        Reader::new(&self.dir)
    }

    /// What answers queries, up to date. A log of somebody else has none.
    pub(super) fn index(&self) -> Result<Option<Index>, AuditError> {
        let Some(file) = &self.index else { return Ok(None) };
        self.index_at(file).map(Some)
    }

    /// The same in a file that is named.
    pub(super) fn index_at(&self, file: &Path) -> Result<Index, AuditError> {
        let mut index = Index::open(file, &self.dir)?;
        let mut progress = Progress::new("indexing");
        index.catch_up(&mut |done, all| progress.at(done / MEGA, Some(all / MEGA), " MB"))?;
        Ok(index)
    }

    /// Where this user's keys lie.
    pub(super) fn keys(&self) -> Result<&Path, Failure> {
        self.keys.as_deref().ok_or_else(|| tollgate_config::NoHome.to_string().into())
    }

    /// The public key of the log, as far as it is known without asking the log's own records.
    pub(super) fn public_key(&self, given: Option<&str>) -> Result<Option<PublicKey>, Failure> {
        if let Some(text) = given {
            let wrong = || format!("`{}` is no public key: it has 64 hexadecimal digits", visible(text));
            let bytes = decode(text).ok_or_else(wrong)?;
            return Ok(Some(PublicKey { bytes, from: Origin::Given }));
        }
        if self.own {
            let keys = Keys::read(self.keys()?)?;
            return Ok(keys.map(|keys| PublicKey { bytes: keys.public(), from: Origin::Own }));
        }
        let path = self.dir.join(KEY_FILE);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| unreadable(&path, &error))?,
        };
        let wrong = || format!("`{}` holds no public key: 64 hexadecimal digits are expected", shown(&path));
        Ok(Some(PublicKey { bytes: decode(&text).ok_or_else(wrong)?, from: Origin::Beside }))
    }

    /// The newest signed head, if it can be read.
    pub(super) fn head(&self) -> Option<Head> {
        fs::read(self.dir.join("head")).ok().and_then(|text| Head::parse(&text))
    }

    /// The numbers of its first and its last record, as far as they can be read.
    pub(super) fn extent(&self) -> Option<(u64, u64)> {
        let reader = self.reader();
        let first = reader.segments().ok()?.first()?.first;
        Some((first, reader.lines_back().ok()?.next()?.ok()?.record().ok()?.seq))
    }

    /// Which records it has, for who asked for others.
    pub(super) fn what_is_there(&self) -> String {
        match self.extent() {
            Some((first, last)) => format!("the log has {} to {}", thousands(first), thousands(last)),
            None => format!("nothing is recorded in `{}`", shown(&self.dir)),
        }
    }

    /// What to say where there is no record.
    pub(super) fn nothing(&self, enabled: bool) -> String {
        let dir = shown(&self.dir);
        if !self.own {
            let below = self.dir.join("audit");
            let help = if below.join("head").exists() {
                format!("there is a log in `{}`", shown(&below))
            } else {
                "a log has files like 000000000001.log".to_owned()
            };
            return format!("there is no record in `{dir}`; {help}\n");
        }
        let fills = if enabled {
            "every call that an agent makes through Tollgate adds to it"
        } else {
            "nothing will be: the policy has `[audit] enabled = false`"
        };
        format!("nothing is recorded yet\n  {fills}\n  looked in {dir}\n")
    }
}

/// A path, as it may be shown.
pub(crate) fn shown(path: &Path) -> String {
    visible(&path.display().to_string())
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    let help = match error.kind() {
        ErrorKind::PermissionDenied => "; look at who owns it",
        _ => "",
    };
    Failure::Said(format!("cannot read `{}`: {error}{help}", shown(path)))
}

/// A key from its digits.
fn decode(text: &str) -> Option<[u8; 32]> {
    let digits = text.trim().as_bytes();
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}
