//! The keys, and where they lie.

use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ed25519_dalek::VerifyingKey;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha512};
use tollgate_core::Digest;
use tollgate_wire::hex;

use crate::{AuditError, files};

/// The file of the secret that signs.
const SECRET: &str = "audit.key";
/// The file of the secret that seals.
const SEAL: &str = "audit-seal.key";

/// A file of a secret is hardly longer than its digits.
const LONGEST: u64 = 128;

/// The secret of a log: what signs its heads, and what its digests are keyed with.
#[derive(Clone)]
pub struct Keys {
    /// As it is used: to make it from the seed at each signature would take a hash more.
    sign: Arc<ExpandedSecretKey>,
    public: VerifyingKey,
    digest: [u8; 32],
    dir: PathBuf,
}

impl Keys {
    /// Reads the secret in a folder; none if there is no such file.
    pub fn read(dir: &Path) -> Result<Option<Self>, AuditError> {
        Ok(read_secret(&dir.join(SECRET))?.map(|secret| Self::of(secret, dir)))
    }

    /// Draws a new secret and writes it down. An error if there is one.
    pub(crate) fn make(dir: &Path) -> Result<Self, AuditError> {
        Ok(Self::of(make_secret(&dir.join(SECRET))?, dir))
    }

    /// The keys that follow from a secret. A log with a secret that is known to others proves nothing: this is for
    /// tests and for test vectors.
    pub fn of(secret: [u8; 32], dir: &Path) -> Self {
        let sign = ExpandedSecretKey::from(&mac(&secret, b"tollgate-audit-sign"));
        let public = VerifyingKey::from(&sign);
        Self { sign: Arc::new(sign), public, digest: mac(&secret, b"tollgate-audit-digest"), dir: dir.to_owned() }
    }

    /// What others check signatures with.
    pub fn public(&self) -> [u8; 32] {
        self.public.to_bytes()
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        raw_sign::<Sha512>(&self.sign, message, &self.public).to_bytes()
    }

    /// A digest that nobody without the key can compute, so that it tells nothing about what was digested.
    pub fn digest(&self, digest: Digest) -> Digest {
        Digest(mac(&self.digest, &digest.0))
    }

    /// What seals: `TOLLGATE_SEAL_KEY`, or the file beside the secret, which is made if `make` says so.
    pub fn seal(&self, make: bool) -> Result<Option<[u8; 32]>, AuditError> {
        if let Some(text) = std::env::var_os("TOLLGATE_SEAL_KEY") {
            let key = text.to_str().and_then(|text| hex::decode(text.trim()));
            return key.map(Some).ok_or_else(|| AuditError::new("`TOLLGATE_SEAL_KEY` is not 64 hexadecimal digits"));
        }
        let path = self.dir.join(SEAL);
        match read_secret(&path)? {
            None if make => match make_secret(&path) {
                Ok(key) => Ok(Some(key)),
                // Somebody else was faster.
                Err(failed) => read_secret(&path)?.map(Some).ok_or(failed),
            },
            found => Ok(found),
        }
    }
}

/// Shows which keys these are, and nothing of them.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keys").field(&hex::encode(&self.public())).finish()
    }
}

/// HMAC-SHA256.
fn mac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    // A short key is one with zeros after it.
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    let mut mac = Hmac::<Sha256>::new(&block.into());
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// Draws bytes that nobody can guess.
pub(crate) fn draw<const N: usize>() -> Result<[u8; N], AuditError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| AuditError::new(format!("the system gives no random bytes: {error}")))?;
    Ok(bytes)
}

fn read_secret(path: &Path) -> Result<Option<[u8; 32]>, AuditError> {
    let failed = |error: io::Error| AuditError::io("read", path, &error);
    let Some(file) = files::if_there(fs::File::open(path)).map_err(failed)? else { return Ok(None) };
    files::check_private(path, &file)?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(failed)?;
    let secret = hex::decode(text.trim());
    let wrong = || AuditError::new(format!("`{}` does not hold 64 hexadecimal digits; put it back", path.display()));
    secret.map(Some).ok_or_else(wrong)
}

/// Written beside its place and then linked there: nobody ever reads half of it, and none is written over.
fn make_secret(path: &Path) -> Result<[u8; 32], AuditError> {
    let secret = draw()?;
    let folder = path.parent().unwrap_or(Path::new("."));
    files::make_folder(folder)?;
    let beside = folder.join(format!(".{}", hex::encode(&draw::<8>()?)));
    let written =
        files::private(fs::OpenOptions::new().write(true).create_new(true)).open(&beside).and_then(|mut file| {
            writeln!(file, "{}", hex::encode(&secret))?;
            file.sync_all()?;
            fs::hard_link(&beside, path)
        });
    let _ = fs::remove_file(&beside);
    written.map_err(|error| AuditError::io("write", path, &error))?;
    Ok(secret)
}
