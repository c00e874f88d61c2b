//! Text that shells read in different ways is followed in each of them.

use std::collections::HashSet;

use super::{Walk, syntax};
use crate::arg::Stuff;
use crate::effect::{Effect, Flags, Kind};
use crate::syntax::Trouble;

/// Which shell reads the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// One that reads like bash.
    Bash,
    /// It may be either: agents run commands with `sh`, too, and that is bash on some machines.
    Any,
    /// One that knows only what POSIX asks for. The other reading is followed elsewhere.
    Posix,
}

impl Dialect {
    /// How a shell reads that is started from here. Where `sh` knows only POSIX, it does so each time.
    pub(super) fn of_started(self, named: Option<Self>) -> Self {
        match (self, named) {
            (_, Some(Self::Bash)) => Self::Bash,
            (Self::Posix, _) => Self::Posix,
            _ => Self::Any,
        }
    }
}

impl Walk<'_> {
    /// Commands of this shell, read as it may read them.
    pub(super) fn read(&mut self, text: &str) -> Stuff {
        if self.dialect == Dialect::Posix {
            return self.posix(text);
        }
        if self.dialect == Dialect::Bash || !syntax::is_ambiguous(text) {
            return self.bash(text);
        }
        let others = self.aside(text);
        let from = self.effects.len();
        let output = self.bash(text);
        self.add(others, from);
        output
    }

    fn bash(&mut self, text: &str) -> Stuff {
        let script = syntax::read(text);
        match script.trouble {
            Some(Trouble::Syntax) => self.effect(Effect::new(Kind::Unknown, "is not a complete bash command")),
            Some(Trouble::Depth) => self.exhausted(),
            None => {}
        }
        self.list(&script.list)
    }

    fn posix(&mut self, text: &str) -> Stuff {
        let script = syntax::read_posix(text);
        if script.trouble == Some(Trouble::Depth) {
            self.exhausted();
        }
        self.list(&script.list)
    }

    /// What the text does to a shell that knows only POSIX. Nothing of it stays: the other reading starts anew. It has
    /// a budget of its own, so that text which can be followed once is not too complex for being read twice.
    fn aside(&mut self, text: &str) -> Vec<Effect> {
        let from = self.effects.len();
        let (files, links) = (self.files.clone(), self.links.clone());
        let (names, stack, before) = (self.shell.names(), self.shell.stack.clone(), self.shell.before.clone());
        let dialect = std::mem::replace(&mut self.dialect, Dialect::Posix);
        std::mem::swap(&mut self.steps, &mut self.spare.0);
        std::mem::swap(&mut self.bytes, &mut self.spare.1);
        self.step((files.len() + names.0.len() + names.1.len() + names.2.len() + names.3.len()) / 16);
        self.weigh(text.len());
        self.subshell(|walk| walk.posix(text));
        std::mem::swap(&mut self.steps, &mut self.spare.0);
        std::mem::swap(&mut self.bytes, &mut self.spare.1);
        self.dialect = dialect;
        self.shell.rename(names);
        (self.shell.stack, self.shell.before) = (stack, before);
        (self.files, self.links) = (files, links);
        self.effects.split_off(from)
    }

    /// Adds what the reading that came after has not found. What is in the background only when read the other way is
    /// no flood: those who write `&>` in a loop mean bash.
    fn add(&mut self, others: Vec<Effect>, from: usize) {
        type Key = (Kind, Flags, Option<String>, Option<String>, String);
        fn key(effect: &Effect) -> Key {
            (effect.kind, effect.flags, effect.path.clone(), effect.host.clone(), effect.what.clone())
        }
        let mut found: HashSet<Key> = HashSet::new();
        for effect in others.into_iter().filter(|effect| effect.kind != Kind::Exhaust) {
            if found.is_empty() {
                found.extend(self.effects[from..].iter().map(key));
            }
            if found.insert(key(&effect)) {
                self.effects.push(effect);
            }
        }
    }
}
