//! Follows a command: expands words, keeps variables, working directory and what files hold, and hands each simple
//! command to what knows it.
//!
//! Nothing is executed, so every branch is taken: both arms of a condition, the body of each loop for each value that
//! is known. All of it is paid for out of one budget. When that is used up, following stops and an effect says so.

mod arithmetic;
mod brace;
mod dialect;
mod expand;
mod flood;
mod links;
mod parameter;
pub(crate) mod pattern;
mod program;
mod redirect;
mod run;
pub(crate) mod state;
mod subscript;

use std::collections::HashMap;
use std::rc::Rc;

use crate::arg::{Arg, HOLE, Origins, Stuff};
use crate::doing::{Doing, Language};
use crate::effect::{Effect, Flag, Flags, Kind, Source};
use crate::path::{Located, Resolve, Surroundings};
use crate::syntax;
pub(crate) use dialect::Dialect;
use links::Links;
use state::{Shell, Value};

/// Commands that any input may follow; longer ones may follow more.
const STEPS: usize = 50_000;
/// Bytes that expansions may produce, likewise.
const BYTES: usize = 16_000_000;
/// How deep commands may run commands.
const DEEPEST: usize = 40;
/// How much longer than the whole command one of its words may become.
const LONGEST: usize = 64 << 10;
/// Effects that are kept. Nobody reads more.
const EFFECTS: usize = 5_000;

/// Variables that hold a command which some program runs.
const RUN_BY_OTHERS: &[&str] = &[
    "PROMPT_COMMAND",
    "PAGER",
    "MANPAGER",
    "GIT_PAGER",
    "EDITOR",
    "VISUAL",
    "FCEDIT",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "RSYNC_RSH",
    "CVS_RSH",
    "LESSOPEN",
    "BROWSER",
];

/// The longest command that is read, in bytes. A hook that is still reading when its agent loses patience has said
/// nothing, and in most agents that means yes.
pub const MAX_LENGTH: usize = 2 << 20;

/// What a command does.
///
/// ```
/// use tollgate_shell::{Kind, Place, Surroundings, understand};
///
/// let around = Surroundings { cwd: Some("/home/user/app"), home: Some("/home/user"), ..Surroundings::default() };
/// let effects = understand("D=/; r\\m -r\"f\" $D", &around);
/// assert_eq!(effects[0].kind, Kind::Delete);
/// assert_eq!(effects[0].path.as_deref(), Some("/"));
///
/// assert!(understand("grep 'rm -rf /' notes.txt", &around).iter().all(|effect| effect.kind != Kind::Delete));
/// ```
///
/// What is longer than [`MAX_LENGTH`] is not read: that it cannot be told is the whole answer.
#[must_use]
pub fn understand(command: &str, around: &Surroundings<'_>) -> Vec<Effect> {
    if command.len() > MAX_LENGTH {
        return vec![Effect { flags: Flag::Force.into(), ..Effect::new(Kind::Unknown, "is too long to be judged") }];
    }
    let mut walk = Walk::new(command, around);
    if command.contains(HOLE) {
        // Not a character, so nothing is lost; but it must not pass for what cannot be told.
        walk.here(&Stuff::known(command.replace(HOLE, "\u{FFFD}")));
    } else {
        walk.here(&Stuff::known(command));
    }
    walk.spring(0);
    walk.finish()
}

pub(crate) struct Walk<'a> {
    around: Surroundings<'a>,
    effects: Vec<Effect>,
    via: Vec<String>,
    by: String,
    /// What is being put somewhere.
    pub(crate) source: Option<Source>,
    files: HashMap<String, Stuff>,
    links: Links<'a>,
    pub(crate) shell: Shell,
    /// What commands read that have no input of their own.
    pub(crate) stdin: Option<Stuff>,
    steps: usize,
    bytes: usize,
    over: bool,
    depth: usize,
    /// Functions and scripts that are running, with how many processes were being spawned around each.
    calls: Vec<(Rc<str>, usize)>,
    spawning: usize,
    /// How many `<(…)` there were, and the paths of `>(…)`.
    processes: usize,
    sinks: Vec<String>,
    blanks: Rc<str>,
    /// What runs when the shell ends.
    pub(crate) traps: Vec<Stuff>,
    /// How many readers what is printed goes to instead of to whoever asked.
    captured: usize,
    dialect: Dialect,
    /// That of the shell which is being started, if it says.
    pub(crate) next_dialect: Option<Dialect>,
    /// What the other reading of the same text may cost.
    spare: (usize, usize),
    /// No word is longer: it could only be made to wear the gate out.
    longest: usize,
    cut: bool,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(command: &str, around: &Surroundings<'a>) -> Self {
        Self {
            around: Surroundings { workspace: around.workspace.or(around.cwd), ..*around },
            effects: Vec::new(),
            via: Vec::new(),
            by: String::new(),
            source: None,
            files: HashMap::new(),
            links: Links::new(around.resolve),
            shell: Shell::new(around.cwd),
            stdin: None,
            steps: STEPS + 2 * command.len(),
            bytes: BYTES + 8 * command.len(),
            over: false,
            depth: 0,
            calls: Vec::new(),
            spawning: 0,
            processes: 0,
            sinks: Vec::new(),
            blanks: " \t\n".into(),
            traps: Vec::new(),
            captured: 0,
            dialect: Dialect::Any,
            next_dialect: None,
            spare: (STEPS + 2 * command.len(), BYTES + 8 * command.len()),
            longest: LONGEST + command.len(),
            cut: false,
        }
    }

    fn finish(mut self) -> Vec<Effect> {
        if self.over || self.cut {
            // With force, so that rules can tell it from what is merely unknown: it may be meant to be.
            let effect = Effect::new(Kind::Unknown, "is too complex to follow to its end");
            self.effects.push(Effect { flags: Flag::Force.into(), ..effect });
        }
        self.effects
    }

    /// What stands around it now: the working directory moves.
    pub(crate) fn around(&self) -> Surroundings<'_> {
        let resolve = if self.links.none_made() { self.around.resolve } else { Some(&self.links as &dyn Resolve) };
        Surroundings { cwd: self.shell.cwd.as_deref(), resolve, ..self.around }
    }

    /// From here on a name leads elsewhere.
    pub(crate) fn link(&mut self, name: String, target: String) {
        self.links.make(name, target);
    }

    /// What lies in a folder came from elsewhere.
    pub(crate) fn fill(&mut self, folder: String, from: Origins) {
        self.links.fill(folder, from);
    }

    /// What this command put into a file, or into a descriptor that goes by the name of one.
    pub(crate) fn content(&self, path: &str) -> Option<Stuff> {
        if let Some(content) = self.files.get(path) {
            return Some(content.clone());
        }
        if !path.starts_with("/dev/") && !path.starts_with("/proc/") {
            return self.links.fetched(path);
        }
        let number =
            ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"].iter().find_map(|at| path.strip_prefix(at));
        match number.and_then(|number| number.parse().ok()) {
            Some(0) => self.stdin.clone(),
            Some(number) => self.shell.opened(number).map(|open| open.stuff.clone()),
            None if path == "/dev/stdin" => self.stdin.clone(),
            None => None,
        }
    }

    pub(crate) fn put(&mut self, path: String, content: Stuff, append: bool) {
        let content = if append {
            let before = self.files.remove(&path).unwrap_or_else(Stuff::unknown);
            let both = before.then(content);
            self.weigh(both.text.as_ref().map_or(0, |text| text.len()));
            both
        } else {
            // It may not come to that (`false && echo … > file`), so what is bad about the file stays.
            let before = self.files.get(&path).map(|before| before.from).unwrap_or_default();
            Stuff { from: Origins { unknown: content.from.unknown, ..content.from.and(before) }, ..content }
        };
        self.files.insert(path, content);
    }

    pub(crate) fn effect(&mut self, effect: Effect) {
        if self.effects.len() >= EFFECTS {
            self.exhausted();
            return;
        }
        let source = self.source.clone();
        let effect = Effect { by: self.by.clone(), via: self.via.clone(), source, ..effect };
        // Loops say the same again and again.
        if !self.effects.iter().rev().take(8).any(|other| *other == effect) {
            self.effects.push(effect);
        }
    }

    /// Something happens to a path: also what follows from the path's nature.
    pub(crate) fn touch(&mut self, kind: Kind, located: Located, flags: Flags, verb: &str) {
        for effect in crate::path::effects(kind, located, flags, verb) {
            self.effect(effect);
        }
    }

    /// What `work` does is wrapped in something.
    pub(crate) fn inside<T>(&mut self, via: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        self.via.push(via.to_owned());
        let by = self.by.clone();
        let done = work(self);
        self.by = by;
        self.via.pop();
        done
    }

    /// Whether this runs inside the first, and not inside one of the others within that.
    pub(crate) fn is_under(&self, outer: &[&str], but: &[&str]) -> bool {
        let first = |via: &String| via.split(' ').next().unwrap_or_default().to_owned();
        let Some(at) = self.via.iter().rposition(|via| outer.contains(&first(via).as_str())) else { return false };
        !self.via[at..].iter().any(|via| but.contains(&first(via).as_str()))
    }

    /// Text as a script of its own: `args` are `$0`, `$1`….
    pub(crate) fn script(&mut self, script: &Stuff, args: &[Arg], stdin: Option<&Stuff>) -> Stuff {
        self.subshell(|walk| {
            if let Some((zero, positional)) = args.split_first() {
                walk.shell.zero = zero.clone();
                walk.shell.positional = positional.into();
            } else {
                walk.shell.positional = Rc::from([]);
            }
            let before = std::mem::replace(&mut walk.stdin, stdin.cloned());
            let dialect = walk.dialect;
            walk.dialect = dialect.of_started(walk.next_dialect.take());
            let output = walk.here(script);
            walk.dialect = dialect;
            walk.stdin = before;
            output
        })
    }

    /// Text as commands of this shell: what `eval` and `source` do.
    pub(crate) fn here(&mut self, script: &Stuff) -> Stuff {
        let unseen = match &script.text {
            None => true,
            Some(text) => text.chars().all(|c| c == HOLE || c.is_whitespace()) && text.contains(HOLE),
        };
        let from = script.from;
        if unseen || from.network || from.decoded {
            let what = match (from.network, from.decoded) {
                (true, _) => "runs code that comes from the network",
                (_, true) => "runs code that was decoded or disguised",
                _ => "runs code that cannot be seen",
            };
            self.effect(Effect { flags: from.flags(), ..Effect::new(Kind::RunUnseen, what) });
        }
        let Some(text) = script.text.as_deref().filter(|_| !unseen) else { return Stuff::unknown() };
        self.weigh(text.len());
        self.nested(|walk| walk.read(text))
    }

    /// Text in another language; what it prints.
    pub(crate) fn code(&mut self, language: Language, code: &Stuff, args: &[Arg]) -> Stuff {
        self.nested(|walk| {
            let mut doing = Doing { walk, output: Stuff::unknown() };
            crate::know::code::look_through(language, code, args, &mut doing);
            doing.output
        })
    }

    /// Sets a variable.
    pub(crate) fn assign(&mut self, name: &str, value: Arg) {
        self.weigh(value.text.len());
        if matches!(name, "HISTFILE" | "HISTSIZE" | "HISTFILESIZE")
            && matches!(value.text.as_str(), "" | "0" | "/dev/null")
        {
            self.by = format!("{name}={}", value.text);
            self.effect(Effect::new(Kind::Weaken, "stops the shell from recording its history"));
        }
        if RUN_BY_OTHERS.contains(&name) && value.text.contains([' ', '/', ';', '|', '&']) {
            let script = Stuff { text: Some(value.text.as_str().into()), from: value.from };
            self.inside(name, |walk| walk.script(&script, &[], None));
        }
        if matches!(name, "BASH_ENV" | "ENV")
            && let Some(script) = self.content(&crate::path::locate(&value, &self.around()).path)
        {
            // Every shell that is started runs it first.
            self.inside(name, |walk| walk.script(&script, &[], None));
        }
        if matches!(name, "PS0" | "PS1" | "PS2" | "PS4") {
            // Expanded each time it is shown.
            self.inside(name, |walk| walk.prompt(&value));
        }
        let name = self.shell.meant(name);
        if self.shell.is_integer(&name) {
            self.subscripts(&value.text);
        }
        let value = self.cut(value);
        match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((array, key)) => {
                self.subscripts(&name);
                // It is copied.
                let many = matches!(self.shell.get(array), Some(Value::List(items)) if items.len() > 16);
                self.step(if many { 16 } else { 0 });
                self.shell.set_item(array, key, value);
            }
            None => self.shell.set(&name, Value::Text(value)),
        }
    }

    /// Goes to a folder; `None`: nobody knows where.
    pub(crate) fn go(&mut self, path: Option<Rc<str>>) {
        self.shell.before = std::mem::replace(&mut self.shell.cwd, path);
    }
}

/// Budget.
impl Walk<'_> {
    /// Pays for some work. False: there is nothing left.
    pub(crate) fn step(&mut self, count: usize) -> bool {
        match self.steps.checked_sub(count) {
            Some(left) => self.steps = left,
            None => self.exhausted(),
        }
        !self.over
    }

    /// Pays for text that is copied.
    pub(crate) fn weigh(&mut self, bytes: usize) -> bool {
        match self.bytes.checked_sub(bytes) {
            Some(left) => self.bytes = left,
            None => self.exhausted(),
        }
        !self.over
    }

    pub(crate) fn exhausted(&mut self) {
        self.over = true;
        self.steps = 0;
    }

    /// One level deeper, if that is still allowed.
    fn nested(&mut self, work: impl FnOnce(&mut Self) -> Stuff) -> Stuff {
        if self.depth >= DEEPEST || self.over {
            self.exhausted();
            return Stuff::unknown();
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    /// What it prints is for somebody else.
    fn capture<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.captured += 1;
        let done = work(self);
        self.captured -= 1;
        done
    }

    /// What changes in it is forgotten afterwards.
    pub(crate) fn subshell<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.shell.enter();
        let stdin = self.stdin.clone();
        let traps = self.traps.len();
        let done = work(self);
        self.spring(traps);
        self.stdin = stdin;
        self.shell.leave(scope);
        done
    }

    /// Runs the traps that were set since there were so many: at the end, when what they name is there.
    fn spring(&mut self, from: usize) {
        for action in self.traps.split_off(from.min(self.traps.len())) {
            self.inside("trap", |walk| walk.script(&action, &[], None));
        }
    }
}

/// Text for people: without what stands for the unknown.
pub(crate) fn shown(text: &str) -> String {
    if text.contains(HOLE) { text.replace(HOLE, "…") } else { text.to_owned() }
}

#[cfg(test)]
mod tests;
