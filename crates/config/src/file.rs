//! Reading a policy file.

use std::fmt;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tollgate_wire::hex;

use crate::diagnostic::{Diagnostic, Text};

/// No policy is this long; a file that is was not written by a person, and every start would read it.
const MAX_SIZE: u64 = 1 << 20;

/// Who wrote a file, in the order of rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// Whoever administers the machine.
    Machine,
    /// The person.
    User,
    /// Whoever wrote the repository.
    Project,
}

impl Layer {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A policy file that was read.
#[derive(Clone, Debug)]
pub struct File {
    /// Whose it is.
    pub layer: Layer,
    /// Where it lies.
    pub path: PathBuf,
    /// What it says.
    pub text: Arc<Text>,
    /// SHA-256 of its bytes, in hexadecimal.
    pub hash: String,
}

impl File {
    /// Reads a file. One that does not exist is no mistake; one that exists and cannot be read is.
    pub fn read(layer: Layer, path: &Path) -> Result<Option<Self>, Diagnostic> {
        let wrong = |message: String| Diagnostic::file(path.display().to_string(), message);
        let Some(bytes) = bytes(path).map_err(|(message, help)| wrong(message).help(help))? else { return Ok(None) };
        Self::of_bytes(layer, path, bytes).map(Some)
    }

    /// A file with these bytes.
    pub fn of_bytes(layer: Layer, path: &Path, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let name = path.display().to_string();
        let hash = hash(&bytes);
        let text = String::from_utf8(bytes).map_err(|error| no_text(&name, &error))?;
        Ok(Self { layer, path: path.to_owned(), text: Text::new(name, text), hash })
    }

    /// The folder it lies in.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }
}

/// SHA-256, in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes))
}

/// Shows the line with the first byte that is no text; what cannot be shown is replaced.
fn no_text(name: &str, error: &std::string::FromUtf8Error) -> Diagnostic {
    let valid = error.utf8_error().valid_up_to();
    let text = Text::new(name, String::from_utf8_lossy(error.as_bytes()));
    Diagnostic::error(&text, valid..valid + 1, "this is not UTF-8 text")
        .help("save the file as UTF-8, without binary data")
}

/// What a file holds, or what is wrong with it and what to do.
fn bytes(path: &Path) -> Result<Option<Vec<u8>>, (String, String)> {
    let fail = |error: std::io::Error| {
        let help = match error.kind() {
            ErrorKind::PermissionDenied => "let this user read it, or remove it",
            _ => "make it readable, or remove it",
        };
        (format!("this policy file cannot be read: {error}"), help.to_owned())
    };
    // Opening a pipe would wait for somebody to write into it, so look first.
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return match path.symlink_metadata() {
                Ok(_) => Err((
                    "this policy file is a link that leads nowhere".to_owned(),
                    "mend or remove the link".to_owned(),
                )),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(fail(error)),
    };
    if !about.is_file() {
        let what = if about.is_dir() { "a folder" } else { "no file" };
        return Err((format!("this is {what}, and a policy file is expected here"), "move it away".to_owned()));
    }
    let mut bytes = Vec::new();
    fs::File::open(path).and_then(|file| file.take(MAX_SIZE + 1).read_to_end(&mut bytes)).map_err(fail)?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err((
            "this policy file is larger than 1 MiB".to_owned(),
            "no policy needs that; is it the right file?".to_owned(),
        ));
    }
    Ok(Some(bytes))
}
