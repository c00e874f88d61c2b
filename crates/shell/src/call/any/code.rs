//! Code in whatever language: calls whose name says what they do, with what stands in quotes behind it.

use super::Seen;
use super::words::Words;
use crate::effect::{Flag, Kind};

/// Calls that remove a tree, however they are divided.
const REMOVES: &[&str] =
    &["removeall", "rmtree", "rmrf", "removedirall", "directorydelete", "deleterecursively", "removeitem", "rmdir"];
/// Calls that run a command line.
const RUNS: &[&str] = &[
    "sql",
    "checkcall",
    "bashcommand",
    "system",
    "exec",
    "popen",
    "spawn",
    "processbuilder",
    "shell",
    "execsync",
    "command",
    "execute",
];
/// Where a program keeps what it was started with.
const ENVIRONMENT: &[&str] = &["os.environ", "process.env", "System.getenv()", "ENV.to_h", "Deno.env.toObject()"];
/// What shows or sends it whole.
const SHOWS: &[&str] =
    &["print(os.environ)", "dict(os.environ", "log(process.env)", "stringify(process.env", "println(System.getenv())"];
/// What gets a credential out of its store.
const STORES: &[&str] =
    &["get_secret_value(", "keyring.get_password(", "access_secret_version(", "GetSecretValueCommand"];

impl Seen<'_> {
    pub(super) fn any_code(&mut self, code: &str) {
        for (name, text) in calls(code) {
            let is = |names: &[&str]| names.iter().any(|one| name.ends_in(one));
            if is(REMOVES) {
                self.call.touch(Kind::Delete, text, "code");
            } else if is(RUNS) && text.contains(' ') {
                self.call.script(text);
                self.statement(text);
            }
        }
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if has(&["execute(", "exec(", "Process", "bash_command", "$`", "spawn(", "Exec("]) {
            let lines = ['"', '\'', '`'].into_iter().flat_map(|quote| code.split(quote).skip(1).step_by(2).take(50));
            lines.filter(|line| line.contains(' ') && line.len() < 1000).for_each(|line| self.call.script(line));
        }
        if has(STORES) || has(ENVIRONMENT) && has(SHOWS) {
            self.say(Kind::ReadSecret, Flag::Secret.into(), "gets credentials out of their store");
        }
        let known = self.call.effects.len();
        for path in literals(code).filter(|text| super::files::is_rooted(text) && !text.contains(char::is_whitespace)) {
            self.call.touch(Kind::Read, path, "code");
        }
        // What is read is nobody's concern unless it is a credential.
        let mut at = 0;
        self.call.effects.retain(|effect| {
            at += 1;
            at <= known || effect.kind != Kind::Read
        });
    }
}

/// How many calls and texts of one piece of code are looked at.
const MOST: usize = 400;

/// Calls with a text as their first argument.
fn calls(code: &str) -> impl Iterator<Item = (Words, &str)> {
    code.match_indices('(').take(MOST).filter_map(|(at, _)| {
        let name = code[..at].trim_end();
        let start =
            name.rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | ':' | '!')).map_or(0, |at| at + 1);
        let name = name.get(start..)?.trim_end_matches('!');
        let (_, rest) = code[at..].split_once(['"', '\'', '`']).filter(|(between, _)| between.len() <= 24)?;
        let quote = code[at..].chars().find(|c| ['"', '\'', '`'].contains(c))?;
        let text = rest.split(quote).next()?;
        (!name.is_empty() && name.len() <= 80).then(|| (Words::of(name), text))
    })
}

/// What stands in quotes.
fn literals(code: &str) -> impl Iterator<Item = &str> {
    ['"', '\''].into_iter().flat_map(|quote| code.split(quote).skip(1).step_by(2).take(MOST))
}
