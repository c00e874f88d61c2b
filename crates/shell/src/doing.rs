//! The one handle through which knowledge about a command reports what it does.
//!
//! A function in `know` gets an [`Invocation`] (the command as `execve` would see it) and a [`Doing`]. It says in the
//! plainest terms what happens ("deletes this argument", "writes that one", "runs these words"), and the handle turns
//! it into effects: it resolves the path, sees that a write to `~/.bashrc` is persistence and a read of `.env` a
//! secret, keeps the wrappers for the explanation, and limits the work. So a rule about places holds for every
//! command that is known, and a command that is added needs only to say which of its words are paths.

use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::effect::{Effect, Flag, Flags, Kind, Source, Way};
use crate::path::Located;
use crate::walk::Walk;

/// A simple command after expansion, unwrapped, about to run.
pub(crate) struct Invocation<'a> {
    /// The program, without its folder: `rm` for `/bin/rm`.
    pub name: &'a str,
    /// Its arguments, without its name.
    pub args: &'a [Arg],
    /// What it reads from its standard input; `None` when nothing is connected to it.
    pub stdin: Option<&'a Stuff>,
}

/// What knows a command.
pub(crate) type Known = fn(&Invocation<'_>, &mut Doing<'_, '_>);

/// Languages whose code is looked through for the obvious.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    Awk,
    PowerShell,
    /// R, Julia, Elixir, Groovy, Swift…: calls look alike in them.
    Other,
    Tcl,
    AppleScript,
}

/// The handle. `walk` makes one for each simple command and reads `output` afterwards.
pub(crate) struct Doing<'w, 'a> {
    /// The walker: effects found so far, variables, working directory, budget.
    pub(crate) walk: &'w mut Walk<'a>,
    /// What the command prints, for whoever reads its output. Unknown unless somebody says.
    pub(crate) output: Stuff,
}

/// Files.
impl Doing<'_, '_> {
    /// Takes a file or folder away.
    pub(crate) fn deletes(&mut self, path: &Arg, flags: Flags) {
        self.touches(Kind::Delete, path, flags, "deletes");
    }

    /// Replaces what a file held. Use [`Doing::puts`] where the new content is known.
    pub(crate) fn overwrites(&mut self, path: &Arg, flags: Flags) {
        self.touches(Kind::Overwrite, path, flags, "overwrites");
    }

    /// Creates a file or folder, or adds to one.
    pub(crate) fn writes(&mut self, path: &Arg, flags: Flags) {
        self.touches(Kind::Write, path, flags, "writes to");
    }

    /// Gives a path another name (the destination is a separate `overwrites`).
    pub(crate) fn moves(&mut self, path: &Arg) {
        self.touches(Kind::Move, path, Flags::NONE, "moves away");
    }

    /// Changes mode, owner or attributes.
    pub(crate) fn permits(&mut self, path: &Arg, flags: Flags) {
        self.touches(Kind::Permissions, path, flags, "changes the permissions of");
    }

    /// Looks into a file. What comes out is what was put there in this very command, else unknown; a credential when
    /// the path holds one.
    pub(crate) fn reads(&mut self, path: &Arg) -> Stuff {
        let located = self.locate(path);
        let mut stuff = self.walk.content(&located.path).unwrap_or_else(Stuff::unknown);
        self.touches(Kind::Read, path, Flags::NONE, "reads");
        stuff.from.secret |= crate::path::is_private(&located, &self.walk.around());
        stuff
    }

    /// Puts known or tainted content into a file, so that whoever runs or sends that file later in the same command
    /// is judged by it.
    pub(crate) fn puts(&mut self, path: &Arg, content: Stuff, append: bool) {
        if matches!(path.text.as_str(), "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") {
            return self.prints(content);
        }
        if append {
            self.writes(path, Flags::NONE)
        } else {
            self.overwrites(path, Flags::NONE)
        }
        let path = self.locate(path).path;
        self.walk.put(path, content, append);
    }

    /// What `work` writes is this, or what lies in it.
    pub(crate) fn putting(&mut self, source: &Arg, way: Way, work: impl FnOnce(&mut Self)) {
        // A pattern in it is part of what is told.
        let named = Arg { glob: false, ..source.clone() };
        let path = crate::path::locate_name(&named, &self.walk.around()).path.replace(HOLE, "…");
        let before = self.walk.source.replace(Source { path, way });
        work(self);
        self.walk.source = before;
    }

    /// Makes a name that leads elsewhere: what is done to it later in the same command is done there. A relative
    /// target starts where the link lies.
    pub(crate) fn links(&mut self, name: &Arg, target: &Arg) {
        let name = crate::path::locate_name(
            &Arg { text: name.text.trim_end_matches('/').to_owned(), ..name.clone() },
            &self.walk.around(),
        )
        .path;
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let target = match target.text.starts_with(['/', '~']) {
            true => self.locate(target).path,
            false => self.locate(&Arg { text: format!("{folder}/{}", target.text), ..target.clone() }).path,
        };
        if name.starts_with('/') && target.starts_with('/') {
            self.walk.link(name, target);
        }
    }

    /// Fills a folder with what came from elsewhere (a clone, an archive): to run a file of it runs what nobody saw.
    pub(crate) fn fills(&mut self, folder: &Arg, from: Origins) {
        let folder = self.locate(folder).path;
        if folder.starts_with('/') && (from.network || from.decoded) {
            self.walk.fill(folder, from);
        }
    }

    /// Where a path leads from here.
    pub(crate) fn locate(&self, path: &Arg) -> Located {
        crate::path::locate(path, &self.walk.around())
    }
}

/// Everything else.
impl Doing<'_, '_> {
    /// Something that has no path: `what` finishes the sentence "this command …".
    pub(crate) fn does(&mut self, kind: Kind, flags: Flags, what: impl Into<String>) {
        self.walk.effect(Effect { flags, ..Effect::new(kind, what) });
    }

    /// Talks to a host. A credential that goes out becomes [`Kind::SendSecret`].
    pub(crate) fn talks(&mut self, host: &Arg, flags: Flags, sent: Option<&Stuff>) {
        let host = crate::path::host(&host.text);
        let secret = sent.is_some_and(|sent| sent.from.secret);
        // Unless somebody says better, what it prints is what it was told there.
        self.output.from.network |= self.output.text.is_none();
        let (kind, what) = if secret {
            (Kind::SendSecret, format!("sends a credential to {host}"))
        } else {
            (Kind::Network, format!("talks to {host}"))
        };
        self.walk.effect(Effect { flags, host: Some(host), ..Effect::new(kind, what) });
    }

    /// What the command prints.
    pub(crate) fn prints(&mut self, output: Stuff) {
        self.output = output;
    }

    /// Runs other words as a command: what `sudo`, `env`, `xargs`, `timeout` do. Returns what that prints.
    pub(crate) fn runs(&mut self, via: &str, words: &[Arg], stdin: Option<&Stuff>) -> Stuff {
        self.walk.inside(via, |walk| walk.command(words, stdin))
    }

    /// Runs text as a shell script: what `bash -c`, `eval`, `ssh host` do. Unknown text is reported as code that
    /// cannot be seen. `args` are `$0`, `$1`….
    pub(crate) fn runs_script(&mut self, via: &str, script: &Stuff, args: &[Arg], stdin: Option<&Stuff>) -> Stuff {
        self.walk.inside(via, |walk| walk.script(script, args, stdin))
    }

    /// Runs text in another language; looked through for what is obvious. What it prints is printed.
    pub(crate) fn runs_code(&mut self, via: &str, language: Language, code: &Stuff, args: &[Arg]) {
        self.output = self.walk.inside(via, |walk| walk.code(language, code, args));
    }

    fn touches(&mut self, kind: Kind, path: &Arg, flags: Flags, verb: &str) {
        let located = match kind {
            Kind::Delete | Kind::Move => crate::path::locate_name(path, &self.walk.around()),
            Kind::Read => self.locate(path),
            _ => {
                let located = self.locate(path);
                self.behind(&located.path).unwrap_or(located)
            }
        };
        self.walk.touch(kind, located, flags.with_if(Flag::Pattern, is_many(path)), verb);
    }
}

/// Descriptors.
impl Doing<'_, '_> {
    /// The file that this command opened and now calls by its number. It can be written to that way even if it was opened
    /// for reading.
    fn behind(&self, path: &str) -> Option<Located> {
        let number = crate::path::own_descriptor(path).filter(|number| *number > 0)?;
        let open = self.walk.shell.opened(number).filter(|open| !open.path.text.is_empty())?;
        Some(self.locate(&open.path))
    }
}

/// Whether many targets are meant, or may be: `$DIR/` is `/` when nobody set `$DIR`. What is known to begin with
/// something (`${DIR:?}/*`) has its pattern below a folder, whichever that is.
fn is_many(path: &Arg) -> bool {
    let known = path.text.trim_start_matches(HOLE);
    if known.len() == path.text.len() {
        return path.glob;
    }
    known == "/"
        || known.trim_end_matches('/').ends_with("/..")
        || path.glob && (known.is_empty() || known.starts_with(['/', '*', '?', '[']))
}
