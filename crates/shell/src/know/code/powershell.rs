//! PowerShell: cmdlets and their aliases.

use super::pure;
use super::windows;
use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};

pub(super) fn powershell(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut rest = it.args;
    while let Some((word, after)) = rest.split_first() {
        let lower = word.text.to_ascii_lowercase();
        let Some(name) = lower.strip_prefix(['-', '/']) else { break };
        rest = after;
        let is = |full: &str, least: usize| name.len() >= least && full.starts_with(name);
        if is("encodedcommand", 1) || name == "enc" || name == "ec" {
            return after.first().map_or((), |code| run_encoded(code, doing));
        }
        if is("command", 1) {
            return match after {
                [one] if one.text == "-" => from_stdin(it, doing),
                words => run(&crate::know::wrap::options::joined(words), doing),
            };
        }
        if is("file", 1) {
            return after.first().map_or((), |file| run_file(file, doing));
        }
        if name == "help" || name == "?" || is("version", 1) {
            return;
        }
        if [
            "executionpolicy",
            "ep",
            "ex",
            "exec",
            "windowstyle",
            "w",
            "inputformat",
            "outputformat",
            "workingdirectory",
            "wd",
            "configurationname",
        ]
        .contains(&name)
        {
            rest = after.get(1..).unwrap_or_default();
        }
    }
    match rest.split_first() {
        Some((file, _)) if file.text.to_ascii_lowercase().ends_with(".ps1") => run_file(file, doing),
        Some(_) => run(&crate::know::wrap::options::joined(rest), doing),
        None => from_stdin(it, doing),
    }
}

fn from_stdin(it: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if let Some(code) = it.stdin {
        run(code, doing);
    }
}

fn run(code: &Stuff, doing: &mut Doing<'_, '_>) {
    doing.runs_code("powershell", crate::doing::Language::PowerShell, code, &[]);
}

fn run_file(file: &Arg, doing: &mut Doing<'_, '_>) {
    let content = doing.reads(file);
    if content.text.is_some() || content.from.network || content.from.decoded {
        run(&content, doing);
    }
}

/// Base64 of UTF-16: disguised whatever it says.
fn run_encoded(code: &Arg, doing: &mut Doing<'_, '_>) {
    if code.text.starts_with('-') {
        return;
    }
    let bytes = code.as_known().and_then(pure::base64).unwrap_or_default();
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(HOLE)).collect();
    let from = Origins { decoded: true, ..code.from };
    let text = (!text.is_empty()).then(|| text.into());
    run(&Stuff { text, from }, doing);
}

/// Follows statements and pipelines.
pub(super) fn look_through(code: &str, doing: &mut Doing<'_, '_>) {
    let lower = code.to_ascii_lowercase();
    let evaluates =
        ["iex", "invoke-expression", "scriptblock]::create", "invoke-command"].iter().any(|word| lower.contains(word));
    if lower.contains("net.sockets.tcpclient") && (evaluates || lower.contains("getstream")) {
        doing.does(Kind::ReverseShell, Flags::NONE, "hands a shell to another machine");
    }
    let downloads = ["downloadstring", "downloaddata", "openread"].iter().any(|word| lower.contains(word));
    if downloads {
        let url = code.split(['\'', '"']).find(|part| super::files::is_url(part)).unwrap_or_default();
        doing.talks(&Arg::known(url), Flag::Download.into(), None);
    }
    let decodes = lower.contains("frombase64string") || lower.contains("gzipstream") || lower.contains("deflatestream");
    if evaluates && (downloads || decodes) {
        let from = Origins { network: downloads, decoded: decodes, ..Origins::default() };
        doing.does(Kind::RunUnseen, from.flags(), "runs code that was downloaded or decoded");
    }
    for pipeline in statements(code) {
        let mut flows = Origins::default();
        let mut before: Option<Arg> = None;
        for mut command in pipeline {
            // `gci / | ri`: what was listed is what goes.
            let removes =
                command.first().is_some_and(|head| REMOVES.contains(&head.text.to_ascii_lowercase().as_str()));
            if removes && Parts::new(&command[1..], doing).operands.is_empty() {
                command.extend(before.take());
            }
            flows = run_command(&command, flows, doing);
            before = listed(&command, doing);
        }
    }
}

const REMOVES: &[&str] = &["remove-item", "rm", "del", "erase", "rd", "ri", "rmdir"];

/// What a command that lists files passes on.
fn listed(command: &[Arg], doing: &Doing<'_, '_>) -> Option<Arg> {
    let (head, rest) = command.split_first()?;
    if !["get-childitem", "gci", "ls", "dir"].contains(&head.text.to_ascii_lowercase().as_str()) {
        return None;
    }
    let parts = Parts::new(rest, doing);
    let folder = parts.operands.first().map_or(".", |folder| folder.text.as_str());
    if folder.contains('*') {
        return parts.operands.first().cloned();
    }
    let pattern = parts.operands.get(1).map_or("*", |pattern| pattern.text.as_str());
    Some(Arg { text: format!("{}/{pattern}", folder.trim_end_matches('/')), glob: true, from: Origins::default() })
}

/// Statements of pipelines of commands of words.
fn statements(code: &str) -> Vec<Vec<Vec<Arg>>> {
    let mut all = vec![vec![Vec::new()]];
    let mut word: Option<Arg> = None;
    let mut chars = code.chars().peekable();
    let push = |all: &mut Vec<Vec<Vec<Arg>>>, word: &mut Option<Arg>| {
        if let (Some(word), Some(command)) = (word.take(), all.last_mut().and_then(|pipeline| pipeline.last_mut())) {
            command.push(word);
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                let text = &mut word.get_or_insert_default().text;
                for inner in chars.by_ref().take_while(|inner| *inner != c) {
                    text.push(inner);
                }
            }
            '`' => word.get_or_insert_default().text.extend(chars.next()),
            '#' if word.is_none() => chars.by_ref().take_while(|c| *c != '\n').for_each(drop),
            ';' | '\n' | '{' | '}' => {
                push(&mut all, &mut word);
                all.push(vec![Vec::new()]);
            }
            '&' if chars.peek() == Some(&'&') => {
                chars.next();
                push(&mut all, &mut word);
                all.push(vec![Vec::new()]);
            }
            '|' => {
                push(&mut all, &mut word);
                if let Some(pipeline) = all.last_mut() {
                    pipeline.push(Vec::new());
                }
            }
            ',' | '(' | ')' => push(&mut all, &mut word),
            c if c.is_whitespace() => push(&mut all, &mut word),
            '*' | '?' => {
                let word = word.get_or_insert_default();
                word.text.push(c);
                word.glob = true;
            }
            c => word.get_or_insert_default().text.push(c),
        }
    }
    push(&mut all, &mut word);
    all
}

/// A cmdlet's arguments: switches in lower case, and everything else.
struct Parts {
    switches: Vec<String>,
    operands: Vec<Arg>,
}

impl Parts {
    fn new(words: &[Arg], doing: &Doing<'_, '_>) -> Self {
        let home = doing.walk.around().home.unwrap_or("~").to_owned();
        let mut parts = Self { switches: Vec::new(), operands: Vec::new() };
        for word in words {
            match word.text.strip_prefix('-').filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())) {
                Some(name) => parts.switches.push(name.to_ascii_lowercase()),
                None => parts.operands.push(expanded(word, &home)),
            }
        }
        parts
    }

    fn has(&self, name: &str) -> bool {
        self.switches
            .iter()
            .any(|switch| name.starts_with(switch.split(':').next().unwrap_or_default()) && !switch.is_empty())
    }
}

/// `$HOME`, `$env:USERPROFILE` are home; other variables are not known.
fn expanded(word: &Arg, home: &str) -> Arg {
    let mut text = word.text.clone();
    for name in ["${HOME}", "$HOME", "$env:USERPROFILE", "$env:HOME", "$Env:USERPROFILE", "$Env:HOME"] {
        text = text.replace(name, home);
    }
    if let Some(at) = text.find('$') {
        text.truncate(at);
        text.push(HOLE);
    }
    Arg { text, ..word.clone() }
}

fn run_command(words: &[Arg], flows: Origins, doing: &mut Doing<'_, '_>) -> Origins {
    // `$x = command …`, `& command`.
    let skip = words.iter().take(3).position(|word| word.text == "=" || word.text == "&").map_or(0, |at| at + 1);
    let Some((head, rest)) = words[skip..].split_first() else { return flows };
    let name = head.text.to_ascii_lowercase();
    let parts = Parts::new(rest, doing);
    let force = Flags::NONE.with_if(Flag::Recursive, parts.has("recurse")).with_if(Flag::Force, parts.has("force"));
    match name.as_str() {
        name if (REMOVES.contains(&name) || name.contains("io.") && name.ends_with("]::delete"))
            && !parts.has("whatif") =>
        {
            parts.operands.iter().for_each(|path| windows::delete(path, force, doing));
        }
        "clear-content" | "clc" | "set-content" | "sc" | "out-file" | "export-csv" | "tee-object" => {
            if let Some(path) = parts.operands.first() {
                doing.puts(path, Stuff { text: None, from: flows }, false);
            }
        }
        "add-content" | "ac" => parts.operands.first().map_or((), |path| doing.writes(path, Flags::NONE)),
        "new-item" | "ni" | "mkdir" | "md" => parts.operands.first().map_or((), |path| doing.writes(path, Flags::NONE)),
        "move-item" | "mi" | "mv" | "move" | "rename-item" | "rni" | "ren" => {
            if let [from, to, ..] = parts.operands.as_slice() {
                doing.moves(from);
                doing.overwrites(to, Flags::NONE);
            }
        }
        "copy-item" | "cp" | "copy" | "cpi" => {
            if let [from, to, ..] = parts.operands.as_slice() {
                doing.reads(from);
                doing.overwrites(to, Flags::NONE);
            }
        }
        "get-content" | "gc" | "cat" | "type" => {
            return parts.operands.iter().fold(flows, |from, path| from.and(doing.reads(path).from));
        }
        "invoke-webrequest" | "iwr" | "curl" | "wget" | "invoke-restmethod" | "irm" | "start-bitstransfer" => {
            return web(&parts, flows, doing);
        }
        "invoke-expression" | "iex" => evaluate(&parts, flows, doing),
        "start-process" | "saps" | "start" => {
            if !parts.operands.is_empty() {
                doing.runs("Start-Process", &parts.operands, None);
            }
            if parts.has("verb") && parts.operands.iter().any(|word| word.text.eq_ignore_ascii_case("runas")) {
                doing.does(Kind::Escalate, Flags::NONE, "runs as administrator");
            }
        }
        _ if told_by_name(&name, &parts, doing) => {}
        _ if windows::only_windows(
            &name,
            &parts.operands.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "),
            doing,
        ) => {}
        _ if name.contains('-') || name.starts_with(['$', '[']) => {}
        _ => {
            doing.runs("powershell", &words[skip..], None);
        }
    }
    flows
}

/// Cmdlets of which the name says it all.
fn told_by_name(name: &str, parts: &Parts, doing: &mut Doing<'_, '_>) -> bool {
    if parts.has("whatif") {
        return true;
    }
    let (kind, flags, what) = match name {
        "format-volume" | "clear-disk" | "initialize-disk" | "remove-partition" | "reset-physicaldisk" => {
            (Kind::Disk, Flags::NONE, "wipes a disk")
        }
        "stop-computer" | "restart-computer" => (Kind::Kill, Flag::Force.into(), "stops the machine"),
        "set-mppreference" | "add-mppreference" | "uninstall-windowsfeature" => {
            (Kind::Weaken, Flags::NONE, "weakens the virus scanner")
        }
        "set-netfirewallprofile" | "disable-netfirewallrule" | "remove-netfirewallrule" => {
            (Kind::Weaken, Flags::NONE, "weakens the firewall")
        }
        "clear-eventlog" | "remove-eventlog" | "clear-history" => (Kind::Weaken, Flags::NONE, "clears records"),
        "register-scheduledtask" | "new-service" | "register-scheduledjob" => {
            (Kind::Persist, Flags::NONE, "makes something run later")
        }
        "new-localuser" | "add-localgroupmember" => {
            (Kind::Escalate, Flag::Force.into(), "gives somebody access to the machine")
        }
        "set-executionpolicy" if !parts.operands.iter().any(|word| word.text.eq_ignore_ascii_case("process")) => {
            (Kind::Weaken, Flags::NONE, "lets unsigned scripts run")
        }
        "new-itemproperty" | "set-itemproperty"
            if parts.operands.iter().any(|word| word.text.to_ascii_lowercase().contains("currentversion\\run")) =>
        {
            (Kind::Persist, Flags::NONE, "makes a program start by itself")
        }
        _ => return false,
    };
    doing.does(kind, flags, what);
    true
}

fn web(parts: &Parts, flows: Origins, doing: &mut Doing<'_, '_>) -> Origins {
    let host = parts
        .operands
        .iter()
        .find(|word| word.text.contains("//"))
        .or_else(|| parts.operands.iter().find(|word| word.text.contains('.')))
        .cloned()
        .unwrap_or_default();
    let uploads = parts.has("body") && parts.switches.iter().any(|name| name == "body" || name == "infile");
    let mut sent = Stuff { text: None, from: flows };
    if parts.has("infile") {
        let files: Vec<&Arg> = parts.operands.iter().filter(|word| !super::files::is_url(&word.text)).collect();
        let secret = files.iter().any(|file| doing.locate(file).nature.secret);
        sent.from.secret |= secret;
    }
    doing.talks(&host, Flags::NONE.with(Flag::Download).with_if(Flag::Upload, uploads), Some(&sent));
    let from = Origins { network: true, unknown: true, ..Origins::default() };
    if let Some(at) =
        parts.switches.iter().position(|name| name.len() > 3 && "outfile".starts_with(name.as_str()) || name == "o")
    {
        let _ = at;
        if let Some(file) = parts.operands.last().filter(|file| !super::files::is_url(&file.text)) {
            doing.puts(file, Stuff { text: None, from }, false);
        }
    }
    from
}

/// Runs what it is given, or what flows in.
fn evaluate(parts: &Parts, flows: Origins, doing: &mut Doing<'_, '_>) {
    let inner = parts.operands.iter().map(|word| word.text.to_ascii_lowercase()).collect::<Vec<_>>().join(" ");
    let fetches = ["iwr", "irm", "invoke-webrequest", "invoke-restmethod", "curl", "wget"]
        .iter()
        .any(|name| inner.split_whitespace().any(|word| word == *name));
    if flows.network || fetches {
        return doing.does(Kind::RunUnseen, Flag::FromNetwork.into(), "runs code that comes from the network");
    }
    if let Some(code) = parts.operands.first().filter(|code| code.is_known()) {
        run(&Stuff { text: Some(code.text.as_str().into()), from: flows }, doing);
    }
}
