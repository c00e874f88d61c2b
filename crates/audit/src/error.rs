use std::fmt;
use std::io;
use std::path::Path;

/// Why something could not be recorded or read, in words that say what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditError(String);

impl AuditError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Something the system refused, and to which file.
    pub(crate) fn io(verb: &str, path: &Path, error: &io::Error) -> Self {
        let help = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "; make room, then try again",
            io::ErrorKind::FileTooLarge => "; make room or raise the limit (`ulimit -f`), then try again",
            io::ErrorKind::PermissionDenied => "; look at who owns it",
            io::ErrorKind::ReadOnlyFilesystem => "; choose another folder with TOLLGATE_HOME",
            _ => "",
        };
        Self(format!("cannot {verb} `{}`: {error}{help}", path.display()))
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AuditError {}
