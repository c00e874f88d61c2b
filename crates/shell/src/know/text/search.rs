//! Commands that look for something in files. What they look for is data, never a command.

use super::{blurred, gather, input};
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Kind};
use crate::know::options::{Options, Spec, only_asks};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "grep" | "egrep" | "fgrep" | "ggrep" | "zgrep" | "pcregrep" | "pcre2grep" | "ugrep" | "ug" | "agrep" => grep,
        "rg" | "ripgrep" | "ag" | "ack" | "rga" | "sift" | "pt" => grep,
        "jq" | "yq" | "gojq" | "jaq" | "xq" | "tomlq" | "dasel" | "fx" | "gron" | "jless" => jq,
        _ => return None,
    })
}

const GREP: Spec = Spec::new(
    "efmABCdD",
    &[
        "regexp",
        "file",
        "max-count",
        "after-context",
        "before-context",
        "context",
        "include",
        "exclude",
        "exclude-dir",
        "exclude-from",
        "label",
        "binary-files",
        "directories",
        "devices",
        "group-separator",
    ],
)
.flags(&["recursive", "quiet", "silent", "count", "files-with-matches", "files-without-match", "invert-match"]);

const RG: Spec = Spec::new(
    "efgtTmABCjMrEdG",
    &[
        "regexp",
        "file",
        "max-count",
        "after-context",
        "before-context",
        "context",
        "glob",
        "iglob",
        "type",
        "type-not",
        "type-add",
        "threads",
        "max-columns",
        "replace",
        "encoding",
        "sort",
        "sortr",
        "color",
        "colors",
        "max-depth",
        "max-filesize",
        "pre",
        "pre-glob",
        "hostname-bin",
        "ignore-file",
        "ignore",
        "ignore-dir",
        "depth",
        "path-to-ignore",
        "file-search-regex",
        "engine",
        "field-match-separator",
        "path-separator",
        "dfa-size-limit",
        "regex-size-limit",
    ],
)
.flags(&["quiet", "count", "files-with-matches", "files-without-match", "files", "invert-match", "hidden"]);

/// Parts of the names of variables and settings that hold credentials.
const TELLING: &[&str] = &[
    "key",
    "token",
    "secret",
    "pass",
    "cred",
    "auth",
    "aws",
    "private",
    "pwd",
    "api",
    "bearer",
    "openai",
    "anthropic",
    "github",
];

/// Whether somebody who looks for this looks for credentials.
fn looks_for_secrets(pattern: &str) -> bool {
    let lower = pattern.to_ascii_lowercase();
    TELLING.iter().any(|word| lower.contains(word))
}

/// Whether a variable of this name holds a credential by custom.
pub(super) fn is_secret_variable(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let public =
        upper.contains("PUBLIC") || upper.ends_with("_PATH") || upper.ends_with("_FILE") || upper.ends_with("_SOCK");
    let words =
        ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATE_KEY"];
    !public && (words.iter().any(|word| upper.contains(word)) || upper.ends_with("_KEY") || upper.ends_with("_PAT"))
}

fn grep(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let rg = !call.name.contains("grep") || call.name == "ripgrep";
    let options = Options::of(call.args, if rg { &RG } else { &GREP });
    for program in options.values(&["pre", "hostname-bin"]) {
        doing.runs(call.name, std::slice::from_ref(program), None);
    }
    for patterns in options.values(&["f", "file"]) {
        doing.reads(patterns);
    }
    if options.has(&["files"]) || options.has(&["g"]) && call.name == "ack" {
        return;
    }
    let said = options.value(&["e", "regexp"]);
    let listed = options.has(&["f", "file"]);
    let (pattern, files) = match options.operands.split_first() {
        Some((first, files)) if said.is_none() && !listed => (Some(first), files),
        _ => (said, &options.operands[..]),
    };
    // Whether or how often it is there, or in which file: that is not to see it.
    let only_tells =
        options.has(&["q", "quiet", "silent", "c", "count", "l", "files-with-matches", "L", "files-without-match"]);
    let only_names = options.has(&["o", "only-matching"]) && pattern.is_some_and(|pattern| names_only(&pattern.text));
    if only_tells || only_names && super::are_settings(files, doing) {
        return;
    }
    for name in options.values(&["include", "glob", "g"]).filter(|name| !name.text.starts_with('!')) {
        let name = Arg { glob: true, ..name.clone() };
        if doing.locate(&name).nature.secret {
            doing.reads(&name);
        }
    }
    let content = gather(files, call, doing);
    let from_input = files.is_empty();
    let inverted = options.has(&["v", "invert-match"]);
    let plain = options.given.iter().all(|given| matches!(given.name.as_str(), "v" | "F" | "E" | "e" | "i"));
    let out = picked(content, pattern.filter(|_| plain && !options.has(&["i"])), inverted);
    let out = if from_input { narrowed(call, out, pattern, inverted, doing) } else { out };
    doing.prints(out);
}

/// A pattern that ends before the `=` of `NAME=value`: `^[A-Z_]*`, `^[^=]+`.
fn names_only(pattern: &str) -> bool {
    let class = pattern.strip_prefix("^[").and_then(|rest| rest.split_once(']'));
    class.is_some_and(|(class, rest)| {
        class.starts_with('^') == class.contains('=') && matches!(rest, "*" | "+" | "\\+" | "*=" | "+=" | "\\+=")
    })
}

/// The lines that hold a plain word, where the text is known.
fn picked(content: Stuff, pattern: Option<&Arg>, inverted: bool) -> Stuff {
    let literal =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || " _-/,:;@%=<>\"'".contains(c));
    match (&content.text, pattern.filter(|pattern| literal(&pattern.text))) {
        (Some(text), Some(pattern)) => {
            let lines = text.split_inclusive('\n').filter(|line| line.contains(&pattern.text) != inverted);
            Stuff { text: Some(lines.collect::<String>().into()), from: content.from }
        }
        _ => blurred(content),
    }
}

/// Of everything (all variables, say) only what was looked for remains: a credential if that was looked for.
fn narrowed(
    call: &Invocation<'_>,
    mut out: Stuff,
    pattern: Option<&Arg>,
    inverted: bool,
    doing: &mut Doing<'_, '_>,
) -> Stuff {
    let all = input(call);
    if !all.from.secret || inverted {
        return out;
    }
    let Some(pattern) = pattern else { return out };
    out.from.secret = looks_for_secrets(&pattern.text);
    if out.from.secret {
        doing.does(Kind::ReadSecret, Flag::Secret.into(), "picks credentials out of the environment");
    }
    out
}

fn jq(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) {
        return;
    }
    let mut words = Vec::new();
    let mut rest = call.args;
    while let Some((first, after)) = rest.split_first() {
        rest = match first.text.as_str() {
            "--arg" | "--argjson" => after.get(2..).unwrap_or_default(),
            "--slurpfile" | "--rawfile" => {
                if let Some(file) = after.get(1) {
                    doing.reads(file);
                }
                after.get(2..).unwrap_or_default()
            }
            // What follows are values, not files.
            "--args" | "--jsonargs" => &[],
            _ => {
                words.push(first.clone());
                after
            }
        };
    }
    let options =
        Options::of(&words, &Spec::new("fLI", &["from-file", "indent", "tab", "input-format", "output-format"]));
    let no_filter = options.has(&["f", "from-file"]) || matches!(call.name, "gron" | "jless");
    options.values(&["f", "from-file"]).for_each(|file| {
        doing.reads(file);
    });
    let skipped = usize::from(!no_filter) + usize::from(matches!(options.word(0), "eval" | "e" | "query" | "select"));
    let filter = if no_filter { "" } else { options.word(skipped - 1) };
    let mut content = blurred(gather(options.operands.iter().skip(skipped), call, doing));
    if options.has(&["n", "null-input"]) {
        content = Stuff::unknown();
    }
    if filter.contains("$ENV") || filter.split(|c: char| !c.is_alphanumeric()).any(|word| word == "env") {
        content.from.secret = true;
        if filter
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| word.len() > 5 && is_secret_variable(word))
        {
            doing.does(Kind::ReadSecret, Flag::Secret.into(), "reads a secret variable");
        }
    }
    if options.has(&["i", "in-place"]) && call.name != "jq" {
        options.operands.iter().skip(skipped).for_each(|file| doing.overwrites(file, crate::effect::Flags::NONE));
    }
    doing.prints(content);
}
