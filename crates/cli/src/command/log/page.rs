//! More text than a screen holds.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
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
        Ok(pager) => {
            let wanted = !pager.trim().is_empty() && pager.trim() != "cat";
            Some(pager).filter(|pager| wanted && can_start(pager))
        }
        Err(_) => is_there("less").then(|| "less -FRX".to_owned()),
    }
}

/// Whether the program of a command is there. The shell would only say that it is not, and the text would be lost.
fn can_start(command: &str) -> bool {
    let is_variable = |word: &&str| word.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    let Some(program) = command.split_whitespace().find(|word| !is_variable(word)) else { return false };
    // What a shell has to read first, it may understand.
    program.contains(|c: char| "\"'\\$`~*?(){}[];&|<>!".contains(c)) || is_there(program)
}

/// Whether there is a program of this name, or in this place.
fn is_there(program: &str) -> bool {
    let runs = |path: &Path| path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
    if program.contains('/') {
        return runs(Path::new(program));
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| runs(&folder.join(program)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_that_is_not_there_is_not_called() {
        for (command, expected) in [
            ("sh", true),
            ("sh -c 'cat'", true),
            ("/bin/sh -c cat", true),
            ("LESS=R sh", true),
            ("\"$HOME/my pager\"", true),
            ("no-such-pager", false),
            ("/nowhere/less -R", false),
            ("LESS=R no-such-pager -x", false),
            ("LESS=R", false),
            ("/etc/passwd", false),
        ] {
            assert_eq!(can_start(command), expected, "{command}");
        }
    }
}
