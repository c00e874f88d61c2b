//! Archives: what goes in is read, where it comes out is written.

use super::super::options::{Options, Spec, only_asks, part};
use super::{input, mixed, reads_all};
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Place};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "tar" | "gtar" | "bsdtar" | "star" => tar,
        "zip" => zip,
        "unzip" | "unrar" | "unar" | "bsdunzip" => unzip,
        "7z" | "7za" | "7zr" | "7zz" | "rar" => seven,
        "cpio" | "pax" | "gcpio" => cpio,
        "ar" | "jar" => ar,
        "gzip" | "bzip2" | "xz" | "zstd" | "lz4" | "lzma" | "compress" | "lzip" | "lzop" | "pigz" | "pbzip2"
        | "brotli" | "gunzip" | "bunzip2" | "unxz" | "unzstd" | "unlz4" | "uncompress" | "unlzma" | "unpigz"
        | "pixz" => squeeze,
        _ => return None,
    })
}

const TAR: Spec = Spec::new(
    "fCTXIbgFKLNVH",
    &[
        "file",
        "directory",
        "files-from",
        "exclude-from",
        "exclude",
        "use-compress-program",
        "to-command",
        "checkpoint-action",
        "info-script",
        "new-volume-script",
        "rsh-command",
        "rmt-command",
        "transform",
        "owner",
        "group",
        "mode",
        "mtime",
        "strip-components",
        "listed-incremental",
        "newer",
        "label",
        "format",
        "sort",
        "add-file",
        "pax-option",
        "one-top-level",
        "suffix",
        "xform",
        "exclude-tag",
        "blocking-factor",
    ],
)
.flags(&[
    "create",
    "extract",
    "get",
    "list",
    "append",
    "update",
    "remove-files",
    "absolute-names",
    "to-stdout",
    "checkpoint",
    "gzip",
    "bzip2",
    "xz",
    "zstd",
    "verbose",
    "delete",
    "preserve-permissions",
    "overwrite",
    "keep-old-files",
]);

/// The first word of `tar xzf a.tgz` is options without a dash, whose values follow in order.
fn dashed(args: &[Arg]) -> Vec<Arg> {
    let Some((first, rest)) = args.split_first().filter(|(first, _)| {
        let letters = first.text.as_str();
        !letters.is_empty()
            && letters.bytes().all(|c| c.is_ascii_alphabetic())
            && letters.contains(['c', 'x', 't', 'r', 'u', 'A', 'd'])
    }) else {
        return args.to_vec();
    };
    let mut words = Vec::with_capacity(args.len() + 2);
    let mut values = rest.iter();
    for letter in first.text.chars() {
        words.push(Arg::known(format!("-{letter}")));
        if "fCTXIbgFKLNVH".contains(letter) {
            words.extend(values.next().cloned());
        }
    }
    words.extend(values.cloned());
    words
}

fn tar(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(&dashed(call.args), &TAR);
    let programs = [
        "I",
        "use-compress-program",
        "to-command",
        "F",
        "info-script",
        "new-volume-script",
        "rsh-command",
        "rmt-command",
    ];
    for command in options.values(&programs) {
        runs(command, doing);
    }
    for action in options.values(&["checkpoint-action"]) {
        if let Some(command) = action.text.strip_prefix("exec=") {
            runs(&part(action, command), doing);
        }
    }
    let archive = options.value(&["f", "file"]);
    if options.has(&["c", "create", "r", "append", "u", "update"]) {
        packs(call, &options, archive, doing);
    } else if options.has(&["x", "extract", "get"]) {
        let mut packed = archive.filter(|file| file.text != "-").map_or_else(|| input(call), |file| doing.reads(file));
        packed.text = None;
        packed.from.decoded = true;
        if options.has(&["O", "to-stdout"]) {
            doing.prints(packed);
        } else {
            unpacks(options.value(&["C", "directory"]), &packed, doing);
        }
    }
}

fn runs(command: &Arg, doing: &mut Doing<'_, '_>) {
    let script = Stuff { text: Some(command.text.as_str().into()), from: command.from };
    doing.runs_script("tar", &script, &[], None);
}

fn packs(call: &Invocation<'_>, options: &Options, archive: Option<&Arg>, doing: &mut Doing<'_, '_>) {
    let folder = options.value(&["C", "directory"]);
    let sources = options.operands.iter().map(|source| below(folder, source));
    let sources: Vec<Arg> = sources.chain(options.values(&["add-file"]).cloned()).collect();
    let mut read: Vec<Stuff> = sources.iter().map(|source| reads_all(source, doing)).collect();
    read.extend(options.values(&["T", "files-from"]).filter(|list| list.text != "-").map(|list| doing.reads(list)));
    let mut content = mixed(read);
    content.from.network |= call.stdin.is_some_and(|stdin| stdin.from.network);
    if options.has(&["remove-files"]) {
        sources.iter().for_each(|source| doing.deletes(source, Flag::Recursive.into()));
    }
    match archive.filter(|file| file.text != "-") {
        Some(file) if options.has(&["c", "create"]) => doing.puts(file, content, false),
        Some(file) => doing.puts(file, content, true),
        None => doing.prints(content),
    }
}

/// A path from a folder that was given apart.
fn below(folder: Option<&Arg>, path: &Arg) -> Arg {
    match folder {
        Some(folder) if !path.text.starts_with(['/', '~']) => {
            Arg { text: format!("{}/{}", folder.text, path.text), ..path.clone() }
        }
        _ => path.clone(),
    }
}

fn unpacks(folder: Option<&Arg>, archive: &Stuff, doing: &mut Doing<'_, '_>) {
    let here = Arg::known(".");
    let folder = folder.unwrap_or(&here);
    if archive.from.network {
        doing.fills(folder, archive.from);
    }
    // Over these there is no telling what is replaced.
    const NEEDED: &[&str] =
        &["/etc", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/usr", "/usr/bin", "/usr/sbin", "/usr/lib"];
    let located = doing.locate(folder);
    if located.place == Place::Root || NEEDED.contains(&located.path.trim_end_matches('/')) {
        doing.overwrites(folder, Flag::Recursive.into());
    } else {
        doing.writes(folder, Flags::NONE);
    }
}

fn zip(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let spec = Spec::new("bnPstxiO", &["unzip-command", "password", "out", "temp-path", "exclude", "include", "TT"]);
    if only_asks(call.args) || call.args.first().is_some_and(|arg| arg.text == "-h") {
        return;
    }
    let mut args = call.args.to_vec();
    while let Some(at) = args.iter().position(|arg| arg.text == "-TT") {
        if let Some(command) = args.get(at + 1) {
            runs(&command.clone(), doing);
        }
        args.drain(at..(at + 2).min(args.len()));
    }
    let options = Options::of(&args, &spec);
    options.values(&["unzip-command"]).for_each(|command| runs(command, doing));
    let Some((archive, sources)) = options.operands.split_first() else { return };
    if options.has(&["d", "delete"]) {
        doing.overwrites(archive, Flags::NONE);
        return;
    }
    let all = options.has(&["r", "recurse-paths", "R"]);
    let content = mixed(
        sources
            .iter()
            .map(|source| if all { reads_all(source, doing) } else { doing.reads(source) })
            .collect::<Vec<_>>(),
    );
    if options.has(&["m", "move"]) {
        sources.iter().for_each(|source| doing.deletes(source, Flags::NONE.with_if(Flag::Recursive, all)));
    }
    if archive.text == "-" { doing.prints(content) } else { doing.puts(archive, content, true) }
}

/// What was in an archive is another text than the archive.
fn unpacked(archive: Stuff) -> Stuff {
    let mut content = mixed([archive]);
    content.from.decoded = true;
    content
}

fn unzip(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    // `-o` is a folder for `unar`, and for the others leave to overwrite.
    let letters = if call.name == "unar" { "dPxo" } else { "dPx" };
    let options = Options::of(call.args, &Spec::new(letters, &["output-directory", "password"]));
    if options.has(&["l", "t", "v", "z", "Z", "h", "help"]) || matches!(options.word(0), "l" | "t" | "v" | "lb") {
        return;
    }
    let Some(archive) = options.operands.iter().find(|arg| !matches!(arg.text.as_str(), "x" | "e")) else { return };
    let content = doing.reads(archive);
    if options.has(&["p", "c"]) {
        doing.prints(unpacked(content));
    } else {
        unpacks(options.value(&["d", "output-directory"]), &content, doing);
    }
}

fn seven(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let (options, words): (Vec<&Arg>, Vec<&Arg>) = call.args.iter().partition(|arg| arg.text.starts_with('-'));
    let has = |start: &str| options.iter().any(|arg| arg.text.starts_with(start));
    let [verb, archive, sources @ ..] = &words[..] else { return };
    match verb.text.as_str() {
        "a" | "u" | "m" => {
            let content = mixed(sources.iter().map(|source| reads_all(source, doing)).collect::<Vec<_>>());
            if has("-sdel") || has("-df") || verb.text == "m" {
                sources.iter().for_each(|source| doing.deletes(source, Flag::Recursive.into()));
            }
            if has("-so") { doing.prints(content) } else { doing.puts(archive, content, true) }
        }
        "x" | "e" => {
            let content = doing.reads(archive);
            let folder = options.iter().find_map(|arg| Some(part(arg, arg.text.strip_prefix("-o")?)));
            if has("-so") { doing.prints(unpacked(content)) } else { unpacks(folder.as_ref(), &content, doing) }
        }
        "d" => doing.overwrites(archive, Flags::NONE),
        _ => {}
    }
}

fn cpio(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let spec = Spec::new("FIODEHCRMs", &["file", "directory", "pattern-file", "format", "owner", "rsh-command"]);
    let options = Options::of(call.args, &spec);
    options.values(&["rsh-command"]).for_each(|command| runs(command, doing));
    if options.has(&["p", "pass-through"]) || call.name == "pax" && options.has(&["r"]) && options.has(&["w"]) {
        if let Some(folder) = options.operands.last() {
            doing.writes(folder, Flags::NONE);
        }
    } else if options.has(&["i", "extract", "r"]) && !options.has(&["t", "list"]) {
        unpacks(options.value(&["D", "directory"]), &input(call), doing);
    } else if options.has(&["o", "create", "w"]) {
        // What is packed stands on its input, as names.
        let names = call.stdin.and_then(|stdin| stdin.text.clone());
        let paths = names.iter().flat_map(|names| names.lines()).take(64).map(Arg::known).collect::<Vec<_>>();
        let read = paths.iter().chain(&options.operands).map(|path| reads_all(path, doing)).collect::<Vec<_>>();
        match options.value(&["O", "F", "f", "file"]) {
            Some(file) => doing.puts(file, mixed(read), false),
            None => doing.prints(mixed(read)),
        }
    }
}

fn ar(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some((verb, rest)) = call.args.split_first() else { return };
    let verb = verb.text.trim_start_matches('-');
    let Some((archive, sources)) = rest.split_first() else { return };
    if verb.starts_with(['r', 'q', 'c', 'u']) {
        let content = mixed(sources.iter().map(|source| doing.reads(source)).collect::<Vec<_>>());
        doing.puts(archive, content, true);
    } else if verb.starts_with(['d', 'm']) {
        doing.overwrites(archive, Flags::NONE);
    } else if verb.starts_with('x') {
        unpacks(None, &Stuff::unknown(), doing);
    }
}

/// Compressors put a file in the place of another. `gzip -r /etc` leaves no file there that anybody can read.
fn squeeze(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let spec = Spec::new("STMDo", &["suffix", "threads", "memlimit", "output", "output-dir-flat", "quality"]);
    if only_asks(call.args) {
        return;
    }
    let options = Options::of(call.args, &spec);
    let opens = call.name.starts_with("un") || call.name.starts_with("gun") || call.name.starts_with("bun");
    let opens = opens || options.has(&["d", "decompress", "uncompress"]);
    let seen = |mut stuff: Stuff| {
        stuff.text = None;
        stuff.from.decoded |= opens;
        stuff
    };
    if options.has(&["l", "list", "t", "test"]) {
        return;
    }
    let files: Vec<&Arg> = options.operands.iter().filter(|file| file.text != "-").collect();
    if files.is_empty() {
        doing.prints(seen(input(call)));
        return;
    }
    let read = files.iter().map(|file| doing.reads(file)).collect::<Vec<_>>();
    let content = seen(mixed(read));
    // These keep the file that they read.
    let keeps = options.has(&["k", "keep"])
        || matches!(call.name, "zstd" | "unzstd" | "lz4" | "unlz4" | "brotli") && !options.has(&["rm"]);
    if let Some(target) = options.value(&["o", "output"]) {
        doing.puts(target, content, false);
    } else if options.has(&["c", "stdout", "to-stdout"]) {
        doing.prints(content);
    } else if !keeps {
        let flags = Flags::NONE.with_if(Flag::Recursive, options.has(&["r", "recursive"]));
        files.iter().for_each(|file| doing.overwrites(file, flags));
        for file in files {
            // What comes out of `x.gz` is called `x`.
            let name = file.text.rsplit_once('.').map_or(file.text.as_str(), |(name, _)| name);
            let path = doing.locate(&part(file, name)).path;
            doing.walk.put(path, content.clone(), false);
        }
    }
}
