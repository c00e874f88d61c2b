//! Redirections: where input comes from and output goes.

use super::Walk;
use super::state::Open;
use crate::arg::{Arg, Origins, Stuff};
use crate::doing::Doing;
use crate::effect::{Flag, Flags};
use crate::syntax::{List, Part, Redirect, RedirectKind, Word};

/// What the redirections of a command come to.
#[derive(Default)]
pub(super) struct Plan<'t> {
    pub stdin: Option<Stuff>,
    targets: Vec<Target<'t>>,
    /// Output goes somewhere else than to whoever reads it.
    pub taken: bool,
    /// Another machine is at an end of it.
    pub remote: bool,
}

enum Target<'t> {
    File { path: Arg, append: bool, output: bool },
    Host(Arg),
    Commands(&'t List),
}

impl Walk<'_> {
    /// Looks at redirections before the command runs. What is written waits for what the command prints.
    pub(super) fn plan<'t>(&mut self, redirects: &'t [Redirect]) -> Plan<'t> {
        let mut plan = Plan::default();
        for redirect in redirects {
            self.redirect(redirect, &mut plan);
        }
        plan
    }

    fn redirect<'t>(&mut self, redirect: &'t Redirect, plan: &mut Plan<'t>) {
        let fd = match &redirect.name {
            Some(name) => Some(self.descriptor(name, &redirect.kind)),
            None => redirect.fd,
        };
        match &redirect.kind {
            RedirectKind::In(word) => {
                let path = self.path(word);
                let stuff = self.input(&path, plan);
                self.connect(fd.unwrap_or(0), path, stuff, plan);
            }
            RedirectKind::InOut(word) => {
                let path = self.path(word);
                let stuff = self.input(&path, plan);
                if dialled(&path.text).is_none() && !is_harmless_device(&path.text) {
                    plan.taken |= fd == Some(1);
                    plan.targets.push(Target::File { path: path.clone(), append: true, output: fd == Some(1) });
                }
                self.connect(fd.unwrap_or(0), path, stuff, plan);
            }
            RedirectKind::Here(body) => {
                let text = body.get().map(|body| self.quoted(&body.parts)).unwrap_or_default();
                self.connect(fd.unwrap_or(0), Arg::default(), of_text(text), plan);
            }
            RedirectKind::HereString(word) => {
                let mut text = self.text(word);
                text.text.push('\n');
                self.connect(fd.unwrap_or(0), Arg::default(), of_text(text), plan);
            }
            RedirectKind::Out(word) => self.output(word, fd.unwrap_or(1), false, plan),
            RedirectKind::Append(word) => self.output(word, fd.unwrap_or(1), true, plan),
            RedirectKind::Both(word) => self.output(word, 1, false, plan),
            RedirectKind::BothAppend(word) => self.output(word, 1, true, plan),
            RedirectKind::DupIn(word) => {
                let from = self.text(word);
                self.duplicate(&from, fd.unwrap_or(0), plan);
            }
            RedirectKind::DupOut(word) => {
                // A number, or else a file that gets all output.
                let from = self.text(word);
                if fd.is_some() || from.text.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit()) {
                    self.duplicate(&from, fd.unwrap_or(1), plan);
                } else {
                    self.output(word, 1, false, plan);
                }
            }
        }
    }

    /// `{name}>file` takes a free number and tells it; `{name}>&-` uses the number that is there.
    fn descriptor(&mut self, name: &str, kind: &RedirectKind) -> u32 {
        if let RedirectKind::DupIn(word) | RedirectKind::DupOut(word) = kind
            && plain(word) == Some("-")
        {
            return self.named(name).text.parse().unwrap_or(u32::MAX);
        }
        let fd = self.free_descriptor();
        self.assign(name, Arg::known(fd.to_string()));
        fd
    }

    pub(crate) fn free_descriptor(&self) -> u32 {
        let highest = self.shell.open.iter().map(|open| open.fd).filter(|fd| *fd < 10_000).max();
        highest.map_or(10, |fd| fd.max(9) + 2)
    }

    fn path(&mut self, word: &Word) -> Arg {
        let mut args = Vec::with_capacity(1);
        self.words(word, &mut args);
        if args.is_empty() { Arg::default() } else { args.swap_remove(0) }
    }

    fn input(&mut self, path: &Arg, plan: &mut Plan<'_>) -> Stuff {
        if let Some(host) = dialled(&path.text) {
            plan.remote = true;
            let mut doing = Doing { walk: self, output: Stuff::default() };
            doing.talks(&host, Flag::Download.into(), None);
            return Stuff { text: None, from: Origins { network: true, unknown: true, ..Origins::default() } };
        }
        self.read_file(path)
    }

    /// What is in a file; an effect says that it was read.
    pub(super) fn read_file(&mut self, path: &Arg) -> Stuff {
        if is_harmless_device(&path.text) {
            return Stuff::nothing();
        }
        Doing { walk: self, output: Stuff::default() }.reads(path)
    }

    fn connect(&mut self, fd: u32, path: Arg, stuff: Stuff, plan: &mut Plan<'_>) {
        if fd == 0 {
            plan.stdin = Some(stuff);
        } else {
            self.shell.open(Open { fd, path, stuff });
        }
    }

    fn duplicate(&mut self, from: &Arg, fd: u32, plan: &mut Plan<'_>) {
        let from = from.text.trim_end_matches('-').parse().ok();
        let Some(open) = from.and_then(|from| self.shell.opened(from)) else { return };
        let open = open.clone();
        plan.remote |= dialled(&open.path.text).is_some();
        match fd {
            0 => plan.stdin = Some(open.stuff),
            1 => {
                if let Some(host) = dialled(&open.path.text) {
                    plan.targets.push(Target::Host(host));
                } else if !open.path.text.is_empty() {
                    plan.targets.push(Target::File { path: open.path, append: true, output: true });
                }
            }
            2 => {}
            fd => self.shell.open(Open { fd, ..open }),
        }
    }

    fn output<'t>(&mut self, word: &'t Word, fd: u32, append: bool, plan: &mut Plan<'t>) {
        let output = fd == 1;
        plan.taken |= output;
        if let [Part::Process(list, false)] = word.parts.as_slice() {
            if output {
                plan.targets.push(Target::Commands(list));
            } else {
                self.feed(list, Stuff::unknown());
            }
            return;
        }
        let path = self.path(word);
        if let Some(host) = dialled(&path.text) {
            plan.remote = true;
            let stuff = Stuff { text: None, from: Origins { network: true, unknown: true, ..Origins::default() } };
            if fd > 2 {
                self.shell.open(Open { fd, path, stuff });
            }
            plan.targets.push(Target::Host(host));
            return;
        }
        // To write to what is read from is to write to any file.
        if is_harmless_device(&path.text) && path.text != "/dev/stdin" || path.text.is_empty() {
            return;
        }
        if fd > 2 {
            self.shell.open(Open { fd, path: path.clone(), stuff: Stuff::unknown() });
        }
        plan.targets.push(Target::File { path, append, output });
    }

    /// After the command: its output goes where it should. Returns what is left for others to read.
    pub(super) fn carry_out(&mut self, plan: Plan<'_>, output: Stuff) -> Stuff {
        for target in plan.targets {
            match target {
                Target::File { path, append, output: true } => {
                    Doing { walk: self, output: Stuff::default() }.puts(&path, output.clone(), append);
                }
                Target::File { path, append, output: false } => {
                    let mut doing = Doing { walk: self, output: Stuff::default() };
                    if append {
                        doing.writes(&path, Flags::NONE);
                    } else {
                        doing.overwrites(&path, Flags::NONE);
                    }
                }
                Target::Host(host) => {
                    Doing { walk: self, output: Stuff::default() }.talks(&host, Flag::Upload.into(), Some(&output));
                }
                Target::Commands(list) => self.feed(list, output.clone()),
            }
        }
        if plan.taken { Stuff::nothing() } else { output }
    }
}

fn of_text(arg: Arg) -> Stuff {
    Stuff { text: Some(arg.text.into()), from: arg.from }
}

fn plain(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [Part::Bare(text) | Part::Quoted(text)] => Some(text),
        _ => None,
    }
}

/// The host of bash's own `/dev/tcp/host/port`.
fn dialled(path: &str) -> Option<Arg> {
    let rest = path.strip_prefix("/dev/tcp/").or_else(|| path.strip_prefix("/dev/udp/"))?;
    Some(Arg::known(rest.split('/').next().unwrap_or_default()))
}

fn is_harmless_device(path: &str) -> bool {
    matches!(
        path,
        "/dev/null"
            | "/dev/stdout"
            | "/dev/stderr"
            | "/dev/stdin"
            | "/dev/tty"
            | "/dev/zero"
            | "/dev/fd/1"
            | "/dev/fd/2"
    )
}
