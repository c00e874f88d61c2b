//! Programs that run something else: what counts is what they run.
//!
//! Most differ only in which of their options take a value and how many words precede the command; those are rows of
//! [`table`]. The others have a file each.

mod env;
mod escalate;
mod find;
mod lists;
pub(crate) mod options;
mod remote;
mod shells;
mod table;
mod terminals;
#[cfg(test)]
mod tests;
mod tools;

use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation, Known};
use options::{Parsed, joined, parse};
use table::{How, SUBCOMMANDS, WRAPPERS};

pub(crate) use shells::is_shell;

/// What knows the command of this name.
pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "env" | "genv" | "cross-env" | "cross-env-shell" => env::env,
        "sudo" | "sudo-rs" => escalate::sudo,
        "sudoedit" => escalate::sudoedit,
        "doas" | "run0" | "pkexec" | "gosu" | "su-exec" | "setpriv" | "please" | "dzdo" | "pfexec" | "calife"
        | "sux" | "gksudo" | "kdesudo" | "gksu" | "kdesu" | "beesu" => escalate::others,
        "su" | "runuser" => escalate::su,
        "sg" => escalate::sg,
        "nsenter" => escalate::nsenter,
        "xargs" | "gxargs" => lists::xargs,
        "parallel" | "sem" | "rush" | "rust-parallel" => lists::parallel,
        "find" | "gfind" | "bfs" => find::find,
        "fd" | "fdfind" => find::fd,
        "ssh" | "autossh" | "mosh" | "slogin" | "dbclient" | "et" => remote::ssh,
        "pssh" | "parallel-ssh" | "pdsh" | "clush" | "dsh" => remote::many,
        "vagrant" => remote::vagrant,
        "salt" | "salt-call" | "salt-ssh" => remote::salt,
        "man" => tools::man,
        "tmux" | "byobu" => terminals::tmux,
        "screen" => terminals::screen,
        "script" => terminals::script,
        "watch" | "viddy" | "hwatch" => terminals::watch,
        "expect" => terminals::expect,
        "zellij" => terminals::zellij,
        "xterm"
        | "uxterm"
        | "urxvt"
        | "rxvt"
        | "st"
        | "terminator"
        | "tilix"
        | "xfce4-terminal"
        | "gnome-terminal"
        | "kgx"
        | "ptyxis"
        | "konsole"
        | "alacritty"
        | "wezterm"
        | "kitty"
        | "ghostty"
        | "foot"
        | "x-terminal-emulator"
        | "lxterminal"
        | "mate-terminal" => terminals::window,
        "time" | "gtime" => tools::time,
        "flock" => tools::flock,
        "bwrap" => tools::bwrap,
        "entr" => tools::entr,
        "capsh" => tools::capsh,
        "gdb" | "cgdb" => tools::gdb,
        "hyperfine" => tools::hyperfine,
        "systemd-run" => tools::systemd_run,
        "nix-shell" | "nix" => tools::nix,
        "start-stop-daemon" => tools::start_stop_daemon,
        "execlineb" => tools::execlineb,
        "make" | "gmake" | "bmake" => tools::make,
        // Package managers by another name; what they do with code is told where code is.
        "bun" | "deno" => super::code::find(name)?,
        _ if is_shell(name) => shells::shell,
        _ if SUBCOMMANDS.iter().any(|row| row.names.contains(&name)) => subcommand,
        _ if WRAPPERS.iter().any(|row| row.names.contains(&name)) => wrapper,
        _ => return None,
    })
}

/// Stores of credentials that also run commands with them: `op run -- …`.
pub(super) fn find_store(name: &str) -> Option<Known> {
    ["op", "chamber", "teller", "envchain", "summon"].contains(&name).then_some(store as Known)
}

fn store(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let runs = it.args.first().is_some_and(|first| ["run", "exec"].contains(&first.text.as_str()));
    let known = if runs || it.name == "summon" {
        find(it.name)
    } else {
        super::system::find(it.name).or_else(|| find(it.name))
    };
    if let Some(known) = known {
        known(it, doing);
    }
}

fn wrapper(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some(row) = WRAPPERS.iter().find(|row| row.names.contains(&it.name)) else { return };
    let parsed = parse(it.args, &row.spec);
    if parsed.has(row.inert) || parsed.asks_for_help() {
        return;
    }
    run_rest(it, &parsed, row.operands, row.how, doing);
}

fn subcommand(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some(row) = SUBCOMMANDS.iter().find(|row| row.names.contains(&it.name)) else { return };
    // Options in front of the subcommand (`poetry -C dir run`) are skipped by looking for the subcommand itself.
    let Some(at) = it.args.iter().take(8).position(|word| row.subcommands.contains(&word.text.as_str())) else {
        return;
    };
    let parsed = parse(&it.args[at + 1..], &row.spec);
    let operands = if parsed.ended { 0 } else { row.operands };
    run_rest(it, &parsed, operands, row.how, doing);
}

/// Runs what follows the options and operands of a wrapper.
fn run_rest(it: &Invocation<'_>, parsed: &Parsed<'_>, operands: usize, how: How, doing: &mut Doing<'_, '_>) {
    let mut rest = parsed.rest.get(operands..).unwrap_or_default();
    // `aws-vault exec profile -- cmd`: the end of options may come after the operands.
    if let Some((first, others)) = rest.split_first()
        && first.text == "--"
    {
        rest = others;
    }
    match how {
        How::Words => run_words(it.name, rest, it.stdin, doing),
        How::Script => run_script(it.name, rest, it.stdin, doing),
    }
}

/// Runs words, and prints what they print.
fn run_words(via: &str, words: &[Arg], stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    if !words.is_empty() {
        let output = doing.runs(via, words, stdin);
        doing.prints(output);
    }
}

/// Runs words joined to a script, and prints what that prints.
fn run_script(via: &str, words: &[Arg], stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    if !words.is_empty() {
        let output = doing.runs_script(via, &joined(words), &[], stdin);
        doing.prints(output);
        meant_as_words(via, words, stdin, doing);
    }
}

/// `watch sh -c 'git clean'` runs `sh -c git clean`: the quotes are lost on the way. What was meant counts too.
fn meant_as_words(via: &str, words: &[Arg], stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    if words.len() > 1 && words.iter().any(|word| word.text.contains(char::is_whitespace)) {
        doing.runs(via, words, stdin);
    }
}
