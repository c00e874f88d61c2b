//! Runs a program: finds out which one it is, and hands it to what knows it.

use super::run::render;
use super::{Walk, pattern};
use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::{Doing, Invocation, Language};
use crate::effect::{Effect, Flag, Kind};

/// Where programs are.
const FOLDERS: &[&str] = &["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin"];

/// Programs that somebody may want to hide behind a pattern; the worst first.
const WANTED: &[&str] = &[
    "rm",
    "dd",
    "mkfs",
    "mkfs.ext4",
    "shred",
    "bash",
    "sh",
    "dash",
    "zsh",
    "python3",
    "python",
    "perl",
    "ruby",
    "node",
    "php",
    "nc",
    "ncat",
    "netcat",
    "curl",
    "wget",
    "cat",
    "base64",
    "chmod",
    "chown",
    "sudo",
    "su",
    "mv",
    "cp",
    "tee",
    "find",
    "xargs",
    "kill",
    "reboot",
    "shutdown",
    "halt",
    "poweroff",
    "crontab",
    "env",
    "ssh",
    "scp",
    "rsync",
    "tar",
    "head",
    "tail",
    "less",
    "more",
    "od",
    "xxd",
    "strings",
    "truncate",
    "wipefs",
    "fdisk",
    "iptables",
    "systemctl",
    "useradd",
    "usermod",
    "passwd",
    "git",
    "socat",
    "telnet",
    "openssl",
    "unlink",
    "rmdir",
    "ln",
    "sed",
    "awk",
];

/// Programs that print their input in some form that can be read back.
const SHOWS: &[&str] =
    &["cat", "tee", "base64", "base32", "xxd", "od", "hexdump", "rev", "fold", "nl", "tac", "less", "more"];

enum Program<'t> {
    Named(&'t str),
    /// Behind a pattern or a part that is not known.
    Guessed(&'static str),
    /// Cannot be told; whether that is disguise.
    Unknown(bool),
}

impl Walk<'_> {
    /// Runs words as a command, the first being its name.
    pub(crate) fn command(&mut self, words: &[Arg], stdin: Option<&Stuff>) -> Stuff {
        self.nested(|walk| walk.program(words, stdin))
    }

    fn program(&mut self, words: &[Arg], stdin: Option<&Stuff>) -> Stuff {
        if !self.step(1) {
            return Stuff::unknown();
        }
        let Some((head, args)) = words.split_first() else { return Stuff::nothing() };
        self.by = render(words);
        if head.text.contains('/')
            && let Some(output) = self.written(head, words, stdin)
        {
            return output;
        }
        self.also(head, args, stdin);
        let mut stripped = String::new();
        let name = match which(head, &mut stripped) {
            Program::Named(name) => name,
            Program::Guessed(name) => name,
            Program::Unknown(disguised) => return self.unknown_program(head, args, disguised, stdin),
        };
        if name == "printf" && args.first().is_some_and(|arg| arg.text == "-v") {
            return self.printf_into(args, stdin);
        }
        // Whatever it makes of its input, that is where its output comes from.
        let from = stdin.map(|stdin| stdin.from).unwrap_or_default();
        let mut output = Stuff { text: None, from: Origins { unknown: true, ..from } };
        let Some(known) = crate::know::find(name) else {
            // Nobody knows what it is, but it was given an address: what it prints may well be from there.
            output.from.network |= args.iter().any(|arg| is_address(&arg.text));
            return output;
        };
        let mut doing = Doing { walk: self, output };
        known(&Invocation { name, args, stdin }, &mut doing);
        let output = doing.output;
        let shows = |arg: &Arg| arg.from.secret;
        if self.captured == 0
            && (matches!(name, "echo" | "printf") && args.iter().any(shows) || SHOWS.contains(&name) && from.secret)
        {
            let effect = Effect::new(Kind::ReadSecret, "prints a credential");
            self.effect(Effect { flags: Flag::Secret.into(), ..effect });
        }
        output
    }

    /// Another program that the name may stand for: `hash -p /bin/rm ls; ls`, and in zsh `=rm`.
    fn also(&mut self, head: &Arg, args: &[Arg], stdin: Option<&Stuff>) {
        let other = match head.text.strip_prefix('=') {
            Some(name) if name.starts_with(|c: char| c.is_ascii_alphabetic()) => name.to_owned(),
            _ if self.shell.hashed.is_empty() => return,
            _ => match self.shell.hashed.get(&head.text) {
                Some(path) => path.to_string(),
                None => return,
            },
        };
        let mut words = vec![Arg { text: other, ..head.clone() }];
        words.extend_from_slice(args);
        self.command(&words, stdin);
        self.by = render(&[std::slice::from_ref(head), args].concat());
    }

    /// The name of the program is not known.
    fn unknown_program(&mut self, head: &Arg, args: &[Arg], disguised: bool, stdin: Option<&Stuff>) -> Stuff {
        let from = head.from;
        if from.network || from.decoded || disguised {
            let flags = if from.network || from.decoded { from.flags() } else { Flag::Decoded.into() };
            let effect = Effect::new(Kind::RunUnseen, "hides which program it runs");
            self.effect(Effect { flags, ..effect });
        } else if !head.text.is_empty() {
            self.effect(Effect::new(Kind::Unknown, "runs a command whose name cannot be told"));
        }
        // `$SUDO rm …`: a variable that nobody set is nothing, and the next word is the command.
        let set = args.iter().position(|arg| !arg.is_opaque()).unwrap_or(args.len());
        match args.get(set..) {
            Some(rest @ [next, ..]) if head.is_opaque() && !next.text.starts_with('-') => self.command(rest, stdin),
            _ => Stuff::unknown(),
        }
    }

    /// `printf -v name …`
    fn printf_into(&mut self, args: &[Arg], stdin: Option<&Stuff>) -> Stuff {
        let (Some(name), Some(rest)) = (args.get(1), args.get(2..)) else { return Stuff::nothing() };
        let mut words = vec![Arg::known("printf")];
        words.extend_from_slice(rest);
        let printed = self.command(&words, stdin);
        let value = match printed.text {
            Some(text) => Arg { text: text.to_string(), glob: false, from: printed.from },
            None => super::parameter::hole(printed.from),
        };
        self.assign(&name.text, value);
        Stuff::nothing()
    }

    /// A program that this very command wrote.
    fn written(&mut self, head: &Arg, words: &[Arg], stdin: Option<&Stuff>) -> Option<Stuff> {
        if self.files.is_empty() && self.links.nothing_fetched() {
            return None;
        }
        let path = crate::path::locate(head, &self.around()).path;
        let content = self.content(&path)?;
        let name = path.into();
        Some(self.call(&name, words, |walk| walk.inside(&head.text, |walk| walk.file(&content, words, stdin))))
    }

    /// Runs the content of a file by its first line.
    fn file(&mut self, content: &Stuff, words: &[Arg], stdin: Option<&Stuff>) -> Stuff {
        let first = content.text.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
        match first.strip_prefix("#!").and_then(language_of) {
            Some(language) => {
                self.code(language, content, words.get(1..).unwrap_or_default());
                Stuff::unknown()
            }
            None => self.script(content, words, stdin),
        }
    }
}

/// The language of a shebang, if it is not a shell's.
fn language_of(shebang: &str) -> Option<Language> {
    let mut words = shebang.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or_default());
    let name = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match name {
        "python" | "pypy" => Language::Python,
        "node" | "deno" | "bun" | "nodejs" => Language::JavaScript,
        "perl" => Language::Perl,
        "ruby" => Language::Ruby,
        "php" => Language::Php,
        "lua" | "luajit" => Language::Lua,
        "awk" | "gawk" | "mawk" => Language::Awk,
        "pwsh" => Language::PowerShell,
        _ => return None,
    })
}

fn which<'t>(head: &'t Arg, stripped: &'t mut String) -> Program<'t> {
    let name = base(&head.text);
    if head.glob && pattern::is_pattern(&head.text) {
        return behind_pattern(&head.text, name);
    }
    if !name.contains(HOLE) {
        return if name.is_empty() { Program::Unknown(false) } else { Program::Named(name) };
    }
    // `r${nothing}m`: a part that nobody set is most likely nothing.
    *stripped = name.replace(HOLE, "");
    if stripped.is_empty() || crate::know::find(stripped).is_none() {
        Program::Unknown(false)
    } else {
        Program::Named(stripped)
    }
}

fn is_address(text: &str) -> bool {
    ["http://", "https://", "ftp://"].iter().any(|scheme| text.starts_with(scheme))
}

fn base(text: &str) -> &str {
    text.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

fn behind_pattern<'t>(path: &'t str, name: &'t str) -> Program<'t> {
    for wanted in WANTED {
        for folder in FOLDERS {
            if fits_in(path, folder, wanted) {
                return Program::Guessed(wanted);
            }
        }
    }
    if !pattern::is_pattern(name) && !name.contains(HOLE) {
        return Program::Named(name);
    }
    let first = path.strip_prefix('/').and_then(|rest| rest.split('/').next());
    let system = first.is_some_and(|first| ["bin", "usr", "sbin"].iter().any(|folder| pattern::fits(first, folder)));
    Program::Unknown(system)
}

/// Whether a pattern may stand for this program: patterns do not cross slashes.
fn fits_in(path: &str, folder: &str, name: &str) -> bool {
    let (Some((above, last)), true) = (path.rsplit_once('/'), path.starts_with('/')) else { return false };
    pattern::fits(last, name)
        && above.split('/').count() == folder.split('/').count()
        && above.split('/').zip(folder.split('/')).all(|(pattern, part)| pattern::fits(pattern, part))
}
