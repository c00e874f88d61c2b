//! Editors that are driven from the command line, and tools that change files in place.

use super::super::options::{Options, Spec, only_asks};
use super::input;
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation, Known, Language};
use crate::effect::Flags;

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "vim" | "vi" | "nvim" | "ex" | "view" | "vimdiff" | "gvim" | "rvim" | "vim.basic" | "vim.tiny" => vim,
        "ed" | "red" => ed,
        "emacs" | "emacsclient" => emacs,
        "patch" | "gpatch" => patch,
        "dos2unix" | "unix2dos" | "mac2unix" | "exiftran" | "jpegoptim" | "optipng" => in_place,
        _ => return None,
    })
}

fn vim(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("cSuUiTtwW", &["cmd", "startuptime", "servername", "listen"]));
    let plus = options.operands.iter().filter_map(|arg| arg.text.strip_prefix('+'));
    let said = options.values(&["c", "cmd"]).map(|arg| arg.text.as_str());
    let mut commands: Vec<String> = plus.chain(said).map(str::to_owned).collect();
    if call.name == "ex" || options.has(&["e", "E"]) {
        let typed = call.stdin.and_then(|stdin| stdin.text.clone());
        commands.extend(typed.iter().flat_map(|typed| typed.lines().take(256)).map(str::to_owned));
    }
    let files: Vec<&Arg> = options.operands.iter().filter(|arg| !arg.text.starts_with('+')).collect();
    for command in &commands {
        ex_command(command, &files, doing);
    }
    if call.name != "vimdiff" {
        for file in files {
            if doing.locate(file).nature.secret {
                doing.reads(file);
            }
        }
    }
}

/// One command line of vi: `:%!sort`, `:r !date`, `:call system("x")`, `:w`.
fn ex_command(command: &str, files: &[&Arg], doing: &mut Doing<'_, '_>) {
    for one in command.split('|') {
        let one = one.trim_start_matches(|c: char| c.is_whitespace() || ":%$.,'<>0123456789".contains(c));
        let one =
            ["silent! ", "silent ", "sil ", "sil! "].iter().find_map(|word| one.strip_prefix(word)).unwrap_or(one);
        let one = one.trim_start_matches([':', ' ']);
        let after = ["r", "read", "w", "write", "e", "edit", "term", "terminal"]
            .iter()
            .find_map(|word| one.strip_prefix(word).map(str::trim_start))
            .filter(|rest| rest.starts_with('!') && !one.contains("!sudo tee"));
        if let Some(script) = one.strip_prefix('!').or_else(|| after.and_then(|rest| rest.strip_prefix('!'))) {
            doing.runs_script("vim", &Stuff::known(script), &[], None);
        } else if let Some((language, code)) = script_in(one) {
            doing.runs_code("vim", language, &Stuff::known(code), &[]);
        } else if let Some(path) = one.strip_prefix("call delete(").and_then(|rest| rest.split(['"', '\'']).nth(1)) {
            doing.deletes(&Arg::known(path), crate::effect::Flag::Recursive.into());
        } else if let Some(at) = one.find("system(") {
            let text = one[at + 7..].trim_start_matches(['"', '\'', '[']);
            let text = text.rsplit_once(['"', '\'']).map_or(text, |(text, _)| text);
            doing.runs_script("vim", &Stuff::known(text), &[], None);
        } else if matches!(one.trim(), "w" | "wq" | "x" | "w!" | "wq!" | "x!" | "update" | "wa" | "wqa" | "xa" | "up") {
            files.iter().for_each(|file| doing.overwrites(file, Flags::NONE));
        } else if let Some(path) = ["w ", "w! ", "write ", "saveas "].iter().find_map(|word| one.strip_prefix(word)) {
            doing.overwrites(&Arg::known(path.trim()), Flags::NONE);
        } else if let Some(path) = ["r ", "read "].iter().find_map(|word| one.strip_prefix(word)) {
            doing.reads(&Arg::known(path.trim()));
        }
    }
}

/// `:lua …`, `:py3 …`: code of another language.
fn script_in(command: &str) -> Option<(Language, &str)> {
    let (name, code) = command.split_once(' ')?;
    let language = match name {
        "lua" => Language::Lua,
        "py" | "py3" | "python" | "python3" | "pythonx" | "pyx" => Language::Python,
        "perl" => Language::Perl,
        "ruby" | "rub" => Language::Ruby,
        _ => return None,
    };
    Some((language, code))
}

fn ed(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("p", &["prompt"]));
    let Some(script) = input(call).text else { return };
    let files: Vec<&Arg> = options.operands.iter().collect();
    let mut typing = false;
    for line in script.lines().take(4096) {
        if typing {
            typing = line != ".";
        } else if matches!(line.trim_start_matches(|c: char| "0123456789$.,".contains(c)), "a" | "i" | "c") {
            typing = true;
        } else {
            ex_command(line, &files, doing);
        }
    }
}

/// Lisp is not read; what it hands to a shell is.
fn emacs(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("le", &["eval", "execute", "load"]));
    for code in options.values(&["eval", "execute", "e"]) {
        for function in ["shell-command-to-string", "shell-command", "async-shell-command"] {
            let Some(at) = code.text.find(&format!("({function} ")) else { continue };
            let text = code.text[at + function.len() + 2..].trim_start().trim_start_matches('"');
            let end = text.find('"').unwrap_or(text.len());
            doing.runs_script("emacs", &Stuff::known(&text[..end]), &[], None);
            break;
        }
        for function in ["call-process", "start-process", "make-process"] {
            let Some(at) = code.text.find(&format!("({function} ")) else { continue };
            let form = &code.text[at..code.text[at..].find(')').map_or(code.text.len(), |end| at + end)];
            // Its name and buffer come first for a process that is not waited for.
            let skip = if function == "call-process" { 0 } else { 2 };
            let words: Vec<Arg> = form.split('"').skip(1).step_by(2).skip(skip).map(Arg::known).collect();
            doing.runs("emacs", &words, None);
        }
        for function in ["delete-directory", "delete-file"] {
            let Some(at) = code.text.find(&format!("({function} ")) else { continue };
            let text = code.text[at + function.len() + 2..].trim_start().trim_start_matches('"');
            let end = text.find('"').unwrap_or(text.len());
            doing.deletes(&Arg::known(&text[..end]), crate::effect::Flag::Recursive.into());
        }
    }
}

fn patch(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const SPEC: Spec = Spec::new(
        "piodrBzFDVYg",
        &["strip", "input", "output", "directory", "reject-file", "prefix", "suffix", "fuzz"],
    )
    .flags(&["dry-run", "reverse", "forward", "batch", "force"]);
    let options = Options::of(call.args, &SPEC);
    if only_asks(call.args) || options.has(&["dry-run"]) {
        return;
    }
    let diff = options.value(&["i", "input"]).or(options.operands.get(1));
    let diff = diff.map_or_else(|| input(call), |file| doing.reads(file));
    if let Some(output) = options.value(&["o", "output"]) {
        doing.overwrites(output, Flags::NONE);
    } else if let Some(file) = options.operands.first() {
        doing.overwrites(file, Flags::NONE);
    } else if let Some(text) = diff.text {
        let strip = options.value(&["p", "strip"]).and_then(|value| value.text.parse().ok()).unwrap_or(0);
        let folder = options.value(&["d", "directory"]).map(|folder| folder.text.clone());
        for path in crate::call::patched(&text, strip).into_iter().take(256) {
            let path = folder.as_ref().map_or_else(|| path.clone(), |folder| format!("{folder}/{path}"));
            doing.writes(&Arg::known(path), Flags::NONE);
        }
    }
}

fn in_place(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("dcm", &["dest"]));
    if only_asks(call.args) || options.has(&["n", "newfile", "i", "info"]) {
        return;
    }
    options.operands.iter().for_each(|file| doing.overwrites(file, Flags::NONE));
}
