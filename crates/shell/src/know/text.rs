//! Commands whose output matters: what they print may be run, sent or used as a path.
//!
//! Known text that goes in comes out as known text where that is simple; then whatever runs it is judged by what it
//! does. Where it is not, at least its origins are kept: network, decoded, credential.

mod decode;
mod filter;
mod format;
mod make;
mod search;
mod sed;
#[cfg(test)]
mod tests;

use super::options::{Options, Spec, only_asks};
use crate::arg::{Arg, Origins, Stuff};
use crate::doing::{Doing, Invocation, Known};

pub(crate) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "echo" | "gecho" => format::echo,
        "printf" | "gprintf" => format::printf,
        "sed" | "gsed" => sed::sed,
        "cat" | "gcat" | "less" | "more" | "most" | "pg" | "bat" | "batcat" | "zless" | "lolcat" | "ccat"
        | "vimcat" | "glow" | "mdcat" | "pygmentize" | "highlight" | "source-highlight" => cat,
        "diff" | "sdiff" | "colordiff" | "comm" | "join" | "paste" | "delta" | "difft" | "icdiff" | "wdiff"
        | "diff3" | "bcat" | "xsv" | "mlr" | "csvlook" | "strings" | "od" | "hexdump" | "hd" | "hexyl" | "nl"
        | "pr" | "fmt" | "expand" | "unexpand" | "column" | "col" | "fold" | "look" | "ptx" | "tsort" | "aspell"
        | "dump" | "multitail" | "lnav" | "ascii" | "catdoc" | "pandoc" | "iconv" | "recode" | "cmark" | "hexcurse"
        | "bvi" | "qrencode" | "jp2a" | "figlet" | "toilet" | "cowsay" | "xclip" | "pbcopy" | "xsel" | "wl-copy"
        | "clip" | "clip.exe" | "lp" | "lpr" | "enscript" | "a2ps" | "say" | "espeak" => reads,
        _ => {
            return filter::find(name)
                .or_else(|| decode::find(name))
                .or_else(|| search::find(name))
                .or_else(|| make::find(name));
        }
    })
}

/// What files hold, one after the other, or the input where there are none or `-`.
pub(super) fn gather<'a>(
    files: impl IntoIterator<Item = &'a Arg>,
    call: &Invocation<'_>,
    doing: &mut Doing<'_, '_>,
) -> Stuff {
    let mut parts = Vec::new();
    for file in files {
        let stuff = if matches!(file.text.as_str(), "-" | "/dev/stdin") { input(call) } else { doing.reads(file) };
        parts.push(stuff);
    }
    match parts.len() {
        0 => input(call),
        1 => parts.remove(0),
        _ => joined(&parts),
    }
}

/// Whether these files hold lines of the form `NAME=value`, of which the names are no secret.
pub(super) fn are_settings(files: &[Arg], doing: &Doing<'_, '_>) -> bool {
    let is_env = |file: &Arg| {
        let path = doing.locate(file).path;
        path.rsplit('/').next().is_some_and(|name| name.starts_with(".env") || name.ends_with(".env"))
    };
    !files.is_empty() && files.iter().all(is_env)
}

pub(super) fn input(call: &Invocation<'_>) -> Stuff {
    call.stdin.cloned().unwrap_or_else(Stuff::unknown)
}

fn joined(parts: &[Stuff]) -> Stuff {
    let from = parts.iter().fold(Origins::default(), |all, part| all.and(part.from));
    let texts: Option<Vec<&str>> = parts.iter().map(|part| part.text.as_deref()).collect();
    Stuff { text: texts.map(|texts| texts.concat().into()), from }
}

/// The same data in a form that is not followed.
pub(super) fn blurred(mut stuff: Stuff) -> Stuff {
    stuff.text = None;
    stuff.from.unknown = true;
    stuff
}

fn cat(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let spec = if call.name.starts_with("bat") {
        Spec::new(
            "lHrpmA",
            &["language", "line-range", "highlight-line", "style", "theme", "file-name", "paging", "color"],
        )
    } else {
        Spec::new("", &[])
    };
    let options = Options::of(call.args, &spec);
    let content = gather(options.operands.iter().filter(|arg| !arg.text.starts_with('+')), call, doing);
    let changed = call.name == "cat" && !options.given.is_empty() && !options.has(&["u"]);
    doing.prints(if changed { blurred(content) } else { content });
}

/// Reads its operands and prints something about them.
fn reads(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    // A number that is taken for a file does no harm; a file that is taken for a number would not be seen.
    let short = if matches!(call.name, "pandoc" | "iconv" | "enscript") { "oft" } else { "" };
    let options = Options::of(call.args, &Spec::new(short, &["width", "to", "from", "output"]));
    let files = options.operands.iter().filter(|arg| !arg.text.is_empty());
    let content = gather(files, call, doing);
    for target in options.values(&["output", "o"]).filter(|_| matches!(call.name, "pandoc" | "iconv" | "enscript")) {
        doing.puts(target, blurred(content.clone()), false);
    }
    doing.prints(blurred(content));
}
