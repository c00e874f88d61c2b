//! Commands that put the content of one path into another.

use super::super::options::{Options, Spec, only_asks, part};
use super::{input, mixed, reads_all};
use crate::arg::{Arg, HOLE, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Effect, Flag, Flags, Kind, Place, Way};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "cp" | "gcp" | "copy" | "pcp" | "advcp" => cp,
        "mv" | "gmv" | "move" | "advmv" => mv,
        "install" | "ginstall" => install,
        "ln" | "gln" | "link" => ln,
        "dd" | "gdd" | "dcfldd" | "dc3dd" | "ddrescue" | "sdd" => dd,
        "tee" | "gtee" | "sponge" => tee,
        "rsync" | "grsync" | "openrsync" => rsync,
        "split" | "csplit" | "gsplit" => split,
        _ => return None,
    })
}

const CP: Spec = Spec::new("tS", &["target-directory", "suffix"]).flags(&[
    "recursive",
    "archive",
    "force",
    "no-clobber",
    "backup",
    "parents",
    "link",
    "symbolic-link",
    "no-target-directory",
    "update",
    "verbose",
    "remove-destination",
    "attributes-only",
    "preserve",
    "dereference",
    "interactive",
]);

/// Sources, where they go, and whether that is a folder.
struct Transfer<'o> {
    sources: &'o [Arg],
    target: Option<&'o Arg>,
    folder: bool,
    /// What is there already stays.
    gentle: bool,
    /// The folders that a source is named with are made there, too.
    parents: bool,
    way: Way,
}

impl<'o> Transfer<'o> {
    fn of(options: &'o Options, way: Way, doing: &Doing<'_, '_>) -> Self {
        let gentle = options.has(&["n", "no-clobber", "b", "backup"]);
        let parents = options.has(&["parents"]);
        let none = Self { sources: &[], target: None, folder: false, gentle, parents, way };
        if let Some(target) = options.value(&["t", "target-directory"]) {
            return Self { sources: &options.operands, target: Some(target), folder: true, ..none };
        }
        let Some((target, sources)) = options.operands.split_last() else { return none };
        let several = parents || sources.len() > 1 || sources.iter().any(|source| source.glob);
        let folder = !options.has(&["T", "no-target-directory"]) && (several || is_folder(target, doing));
        Self { sources, target: Some(target), folder, ..none }
    }

    /// Where a source ends up.
    fn end(&self, source: &Arg) -> Option<Arg> {
        let target = self.target?;
        let source_text = source.text.trim_end_matches('/');
        let last = || source_text.rsplit('/').next().unwrap_or_default();
        let name = if self.parents { source_text.trim_start_matches('/') } else { last() };
        if !self.folder || name.is_empty() || matches!(name, "." | "..") {
            return Some(target.clone());
        }
        let text = format!("{}/{name}", target.text.trim_end_matches('/'));
        Some(Arg { text, glob: target.glob || source.glob, from: target.from })
    }
}

/// Whether a target is known to be a folder: what goes there is put beside what is there already.
fn is_folder(target: &Arg, doing: &Doing<'_, '_>) -> bool {
    const FOLDERS: &[&str] = &[
        "/usr/local/bin",
        "/usr/local/lib",
        "/usr/local",
        "/usr/bin",
        "/usr/lib",
        "/usr/share",
        "/bin",
        "/sbin",
        "/etc",
        "/opt",
        "/var",
        "/lib",
        "/etc/systemd/system",
        "/var/www",
        "/var/www/html",
        "/srv",
        "/mnt",
        "/media",
        "/boot",
    ];
    if target.text.ends_with('/') || target.text.ends_with("/.") || matches!(target.text.as_str(), "." | ".." | "~") {
        return true;
    }
    let located = doing.locate(target);
    matches!(located.place, Place::Root | Place::Home | Place::Workspace)
        || FOLDERS.contains(&located.path.as_str())
        || located.path.ends_with(".d")
        || located.path.ends_with("/bin")
}

fn arrives(transfer: &Transfer<'_>, source: &Arg, content: Stuff, doing: &mut Doing<'_, '_>) {
    let Some(end) = transfer.end(source) else { return };
    doing.putting(source, transfer.way, |doing| lands(transfer, source, &end, content, doing));
}

fn lands(transfer: &Transfer<'_>, source: &Arg, end: &Arg, content: Stuff, doing: &mut Doing<'_, '_>) {
    let over_root = transfer.target.filter(|target| doing.locate(target).place == Place::Root);
    if let Some(root) = over_root.filter(|_| source.glob && !transfer.gentle) {
        // There is no telling what is replaced.
        doing.overwrites(root, Flag::Recursive.into());
    } else if transfer.folder || transfer.gentle {
        // The names there are only guessed: it counts as an addition, but what is read there later is this.
        let path = doing.locate(end).path;
        doing.writes(end, Flags::NONE);
        doing.walk.put(path, content, false);
    } else {
        doing.puts(end, content, false);
    }
}

fn cp(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &CP);
    let all = options.has(&["r", "R", "a", "recursive", "archive"]);
    let way = match (options.has(&["l", "link"]), all) {
        (true, _) => Way::HardLink,
        (_, true) => Way::Tree,
        _ => Way::File,
    };
    let transfer = Transfer::of(&options, way, doing);
    for source in transfer.sources {
        let content = match (options.has(&["attributes-only"]), all) {
            (true, _) => Stuff::known(""),
            (_, true) => reads_all(source, doing),
            _ => doing.reads(source),
        };
        arrives(&transfer, source, content, doing);
    }
}

fn mv(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &CP);
    let transfer = Transfer::of(&options, Way::Tree, doing);
    let target = transfer.target.map(|target| doing.locate(target));
    let nowhere = target.as_ref().is_some_and(|target| target.path.starts_with("/dev/"));
    let stays = target.as_ref().is_some_and(|target| matches!(target.place, Place::Inside | Place::Workspace));
    for source in transfer.sources {
        let from = doing.locate(source);
        if nowhere {
            doing.deletes(source, Flag::Recursive.into());
        } else if !(stays && source.glob && from.place == Place::Workspace) {
            doing.moves(source);
        }
        let content = doing.walk.content(&from.path);
        let mut content = content.unwrap_or_else(Stuff::unknown);
        if from.nature.secret && !stays && !nowhere {
            content = doing.reads(source);
        }
        content.from.secret |= from.nature.secret;
        arrives(&transfer, source, content, doing);
    }
}

const INSTALL: Spec =
    Spec::new("mogtSZ", &["mode", "owner", "group", "target-directory", "suffix", "context", "strip-program"])
        .flags(&["directory", "backup", "compare", "no-target-directory", "preserve-timestamps", "verbose"]);

fn install(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &INSTALL);
    if let Some(mode) = options.value(&["m", "mode"])
        && super::mode::sets_id(&mode.text)
    {
        doing.does(Kind::Escalate, Flag::Force.into(), "installs a program that runs with its owner's rights");
    }
    if let Some(program) = options.value(&["strip-program"]) {
        doing.runs("install", std::slice::from_ref(program), None);
    }
    if options.has(&["d", "directory"]) {
        options.operands.iter().for_each(|path| doing.writes(path, Flags::NONE));
        return;
    }
    let transfer = Transfer::of(&options, Way::File, doing);
    for source in transfer.sources {
        let content = doing.reads(source);
        arrives(&transfer, source, content, doing);
    }
}

const LN: Spec = Spec::new("tS", &["target-directory", "suffix"]).flags(&[
    "symbolic",
    "force",
    "no-dereference",
    "relative",
    "backup",
    "no-target-directory",
    "interactive",
    "logical",
    "physical",
    "verbose",
]);

fn ln(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &LN);
    let here = Arg::known(".");
    let symbolic = options.has(&["s", "symbolic"]);
    let way = if symbolic { Way::SymbolicLink } else { Way::HardLink };
    let mut transfer = Transfer::of(&options, way, doing);
    if options.operands.len() == 1 && !options.has(&["t", "target-directory"]) {
        transfer = Transfer { sources: &options.operands, target: Some(&here), folder: true, ..transfer };
    }
    let force = options.has(&["f", "force"]);
    for source in transfer.sources {
        let located = doing.locate(source);
        // Another name for a credential is a way to it.
        let content = located.nature.secret.then(|| doing.reads(source));
        if located.nature.policy {
            doing.does(Kind::Policy, Flags::NONE, "makes another way to the agent's own settings or hooks");
        }
        let content = content.or_else(|| doing.walk.content(&located.path)).unwrap_or_else(Stuff::unknown);
        let Some(end) = transfer.end(source) else { continue };
        doing.putting(source, way, |doing| {
            if force { doing.overwrites(&end, Flag::Force.into()) } else { doing.writes(&end, Flags::NONE) }
        });
        let path = doing.locate(&end).path;
        doing.walk.put(path, content, false);
        // What is written to either name later is written to that file.
        doing.links(&end, &if symbolic { source.clone() } else { Arg::known(located.path) });
    }
}

fn dd(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let value = |key: &str| call.args.iter().find_map(|arg| Some(part(arg, arg.text.strip_prefix(key)?)));
    let content = match value("if=") {
        Some(from) => doing.reads(&from),
        None => input(call),
    };
    if call.name == "ddrescue" {
        if let [.., _, to] = call.args {
            doing.overwrites(to, Flags::NONE);
        }
        return;
    }
    match value("of=") {
        Some(to) => doing.puts(&to, content, false),
        None => doing.prints(content),
    }
    if let Some(wipe) = value("wipe=") {
        doing.overwrites(&wipe, Flag::Force.into());
    }
}

fn tee(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("", &[]).flags(&["append", "ignore-interrupts", "output-error"]));
    if only_asks(call.args) {
        return;
    }
    let content = input(call);
    for path in &options.operands {
        doing.puts(path, content.clone(), options.has(&["a", "append"]));
    }
    if call.name != "sponge" || options.operands.is_empty() {
        doing.prints(content);
    }
}

fn split(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let spec = Spec::new("abClntf", &["suffix-length", "bytes", "line-bytes", "lines", "number", "filter", "prefix"]);
    let options = Options::of(call.args, &spec);
    if let Some(filter) = options.value(&["filter"]) {
        doing.runs_script("split", &Stuff { text: Some(filter.text.as_str().into()), from: filter.from }, &[], None);
    }
    if let Some(file) = options.operands.first().filter(|file| file.text != "-") {
        doing.reads(file);
    }
}

const RSYNC: Spec = Spec::new(
    "efTBM",
    &[
        "rsh",
        "rsync-path",
        "filter",
        "exclude",
        "exclude-from",
        "include",
        "include-from",
        "files-from",
        "temp-dir",
        "compare-dest",
        "copy-dest",
        "link-dest",
        "backup-dir",
        "suffix",
        "bwlimit",
        "timeout",
        "port",
        "log-file",
        "partial-dir",
        "password-file",
        "max-size",
        "min-size",
        "chmod",
        "chown",
        "out-format",
        "info",
        "debug",
        "block-size",
        "remote-option",
        "max-delete",
        "compress-choice",
        "compress-level",
        "usermap",
        "groupmap",
        "sockopts",
        "address",
        "contimeout",
        "modify-window",
        "skip-compress",
        "log-file-format",
        "protocol",
        "iconv",
    ],
)
.flags(&[
    "delete",
    "del",
    "delete-before",
    "delete-during",
    "delete-after",
    "delete-delay",
    "delete-excluded",
    "delete-missing-args",
    "remove-source-files",
    "dry-run",
    "list-only",
]);

fn rsync(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &RSYNC);
    for command in
        options.values(&["e", "rsh", "rsync-path"]).filter(|command| !command.text.trim_start().starts_with("ssh"))
    {
        let script = Stuff { text: Some(command.text.as_str().into()), from: command.from };
        doing.runs_script("rsync", &script, &[], None);
    }
    let dry = options.has(&["n", "dry-run", "list-only"]);
    if only_asks(call.args) || dry {
        return;
    }
    let Some((target, sources)) = options.operands.split_last().filter(|(_, sources)| !sources.is_empty()) else {
        return;
    };
    let deletes = options.given.iter().any(|given| given.name == "del" || given.name.starts_with("delete"));
    let mut sent = Vec::new();
    for source in sources {
        if is_remote(&source.text) {
            doing.talks(source, Flag::Download.into(), None);
            continue;
        }
        sent.push(reads_all(source, doing));
        if options.has(&["remove-source-files"]) {
            doing.deletes(source, Flag::Recursive.into());
        }
    }
    let sent = mixed(sent);
    let flags = Flags::from(Flag::Recursive).with(Flag::Force);
    if is_remote(&target.text) {
        doing.talks(target, Flag::Upload.into(), Some(&sent));
        if deletes {
            let what = format!("deletes what is only in {}", target.text);
            let host = Some(crate::path::host(&target.text));
            let path = Some(target.text.clone());
            let flags = flags.with(Flag::Remote);
            let place = Some(Place::Outside);
            doing.walk.effect(Effect { flags, host, path, place, ..Effect::new(Kind::Delete, what) });
        }
        return;
    }
    // What lies elsewhere is not known, nor is it where something arrives whose folders are made there, too.
    let unknown = Arg::known(HOLE);
    let relative = options.has(&["R", "relative", "files-from"]);
    for source in sources {
        let source = if relative || is_remote(&source.text) { &unknown } else { source };
        doing.putting(source, Way::Tree, |doing| {
            if deletes { doing.deletes(target, flags) } else { doing.writes(target, Flags::NONE) }
        });
    }
    // Of one file it is known where it ends up.
    if let [source] = sources {
        let folder = is_folder(target, doing);
        let copied = Transfer { sources, target: Some(target), folder, gentle: true, parents: false, way: Way::Tree };
        let known = doing.walk.content(&doing.locate(source).path);
        if let (Some(end), Some(content)) = (copied.end(source), known) {
            let path = doing.locate(&end).path;
            doing.walk.put(path, content, false);
        }
    }
}

/// `host:path`, `user@host::module`, `rsync://host/x`.
fn is_remote(text: &str) -> bool {
    let before = text.split('/').next().unwrap_or_default();
    before.find(':').is_some_and(|at| at > 1 || at == 1 && !before.as_bytes()[0].is_ascii_alphabetic())
}
