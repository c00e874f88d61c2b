//! Files that only their owner can write.

use std::io::{self, ErrorKind};

pub(crate) fn refused(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(unix)]
mod unix {
    use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
    use std::path::Path;

    use super::refused;

    pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
        options.mode(0o600)
    }

    pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    /// Whether nobody else could have written it.
    pub(crate) fn only_ours(path: &Path) -> io::Result<()> {
        judge(&fs::metadata(path)?, path)
    }

    /// The same of a file that is open: what was judged is what is read.
    pub(crate) fn only_ours_open(file: &File, path: &Path) -> io::Result<()> {
        judge(&file.metadata()?, path)
    }

    fn judge(about: &Metadata, path: &Path) -> io::Result<()> {
        if about.mode() & 0o022 != 0 {
            let path = path.display();
            return Err(refused(format!("others may write to `{path}`, so it is not believed; `chmod go-w {path}`")));
        }
        match user() {
            Some(user) if about.uid() != user && about.uid() != 0 => {
                Err(refused(format!("`{}` belongs to somebody else, so it is not believed", path.display())))
            }
            _ => Ok(()),
        }
    }

    /// Who this process is, as the file system sees it.
    fn user() -> Option<u32> {
        fs::metadata("/proc/self").map(|about| about.uid()).ok()
    }
}

#[cfg(not(unix))]
pub(crate) use others::*;

#[cfg(not(unix))]
mod others {
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::path::Path;

    pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)
    }

    pub(crate) fn only_ours(_: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn only_ours_open(_: &File, _: &Path) -> io::Result<()> {
        Ok(())
    }
}
