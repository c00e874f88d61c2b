//! More text than a screen holds.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::command::Failure;
use crate::output;

/// How many lines a screen has, unless it says so.
const SCREEN: usize = 24;

/// Prints, on a terminal through a pager if it is longer than the screen.
pub(super) fn print(text: &str, allowed: bool) -> Result<(), Failure> {
    if allowed
        && io::stdout().is_terminal()
        && text.lines().count() >= screen()
        && let Some(pager) = pager()
        && let Ok(file) = aside(text)
    {
        // In its place and not beside it: Ctrl-C is then the pager's business alone. This returns only if it failed.
        let mut command = Command::new("sh");
        command.arg("-c").arg(pager).stdin(file);
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        drop(command.exec());
    }
    output::print(text)
}

fn screen() -> usize {
    std::env::var("LINES").ok().and_then(|lines| lines.parse().ok()).unwrap_or(SCREEN)
}

/// The command of the pager; none if nobody wants one, or there is none.
fn pager() -> Option<String> {
    match std::env::var("PAGER") {
        Ok(pager) => Some(pager).filter(|pager| !pager.trim().is_empty() && pager.trim() != "cat"),
        Err(_) => {
            let folders = std::env::var_os("PATH")?;
            let found = std::env::split_paths(&folders).any(|folder| folder.join("less").is_file());
            found.then(|| "less -FRX".to_owned())
        }
    }
}

/// The text in a file without a name, which is gone when its reader is.
fn aside(text: &str) -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("tollgate-log-{}", std::process::id()));
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}
