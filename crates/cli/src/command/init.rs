//! `tollgate init`

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use tollgate_config::{FILE_NAME, TEMPLATE};

use super::Done;
use crate::output::print;

pub(super) fn run(force: bool) -> Done {
    let mut options = OpenOptions::new();
    // What a person wrote is not written over by accident, not even in a race.
    if force {
        options.write(true).create(true).truncate(true)
    } else {
        options.write(true).create_new(true)
    };
    let mut file = options.open(FILE_NAME).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("there is a {FILE_NAME} here; `--force` writes over it"),
        _ => format!("cannot write {FILE_NAME}: {error}"),
    })?;
    file.write_all(TEMPLATE.as_bytes()).and_then(|()| file.sync_all())?;
    print(&format!(
        "wrote {FILE_NAME}; everything in it is a comment, so the default packs hold\n  \
         tollgate check      what is enforced\n  \
         tollgate explain    what would happen to a command\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}
