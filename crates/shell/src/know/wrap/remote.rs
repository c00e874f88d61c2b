//! Commands on other machines. What they destroy there is destroyed all the same.

use super::options::{Spec, parse, script};
use super::run_script;
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags};

const SSH: Spec = Spec {
    short: "BbcDEeFIiJLlmOoPpQRSWwM",
    long: &["ssh", "port", "predict", "server", "client", "bind-server", "experimental-remote-ip", "family"],
};

pub(super) fn ssh(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    // For ssh itself -M and -e differ: a switch and an escape character; autossh takes a port after -M.
    const PLAIN: Spec = Spec { short: "BbcDEeFIiJLlmOoPpQRSWw", long: &[] };
    let spec = if ["autossh", "mosh", "et"].contains(&it.name) { &SSH } else { &PLAIN };
    let mut parsed = parse(it.args, spec);
    let mut options: Vec<Arg> = parsed.values(&["o"]).cloned().collect();
    let query = parsed.has(&["V", "Q", "G"]) || parsed.asks_for_help();
    let Some((host, rest)) = parsed.rest.split_first() else { return local_options(&options, doing) };
    // Options may stand behind the host as well.
    parsed = parse(rest, spec);
    options.extend(parsed.values(&["o"]).cloned());
    local_options(&options, doing);
    if query {
        return;
    }
    let command = parsed.rest;
    let flags = Flags::NONE.with_if(Flag::Upload, it.stdin.is_some());
    doing.talks(host, flags, it.stdin);
    if command.is_empty() {
        // `ssh host < script`: the login shell there reads it.
        if let Some(text) = it.stdin.filter(|text| text.text.is_some() && !has_forwards(&parsed)) {
            doing.runs_script(it.name, text, &[], None);
        }
        return;
    }
    super::run_script(it.name, command, it.stdin, doing);
}

fn has_forwards(parsed: &super::options::Parsed<'_>) -> bool {
    parsed.has(&["N", "W", "s"])
}

/// Options whose value a local shell runs.
fn local_options(options: &[Arg], doing: &mut Doing<'_, '_>) {
    for option in options {
        let Some((name, value)) = option.text.split_once(['=', ' ']) else { continue };
        let runs = ["proxycommand", "localcommand", "knownhostscommand", "match"];
        if runs.contains(&name.trim().to_ascii_lowercase().as_str()) && !value.trim().eq_ignore_ascii_case("none") {
            let command = Arg { text: value.trim().to_owned(), ..option.clone() };
            doing.runs_script("ssh -o", &script(&command), &[], None);
        }
    }
}

/// One command on many machines.
pub(super) fn many(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec =
        Spec { short: "hHlptoeOwxgGf", long: &["hosts", "host", "user", "par", "timeout", "outdir", "errdir"] };
    let parsed = parse(it.args, &SPEC);
    if parsed.asks_for_help() || parsed.rest.is_empty() {
        return;
    }
    for host in parsed.values(&["H", "host", "w", "h", "hosts"]) {
        doing.talks(host, Flags::NONE, None::<&Stuff>);
    }
    super::run_script(it.name, parsed.rest, it.stdin, doing);
}

/// `vagrant ssh -c 'script'`.
pub(super) fn vagrant(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if it.args.first().is_none_or(|first| first.text != "ssh") {
        return;
    }
    let at = it.args.iter().position(|word| word.text == "-c" || word.text == "--command");
    if let Some(script) = at.and_then(|at| it.args.get(at + 1)) {
        run_script("vagrant ssh", std::slice::from_ref(script), it.stdin, doing);
    }
}

/// `salt '*' cmd.run 'script'`.
pub(super) fn salt(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let runs = |word: &Arg| ["cmd.run", "cmd.shell", "cmd.run_all", "cmd.script"].contains(&word.text.as_str());
    if let Some(script) = it.args.iter().position(runs).and_then(|at| it.args.get(at + 1)) {
        run_script(it.name, std::slice::from_ref(script), None, doing);
    }
}
