//! Words after expansion, and what is known about data that flows.

use std::rc::Rc;

use crate::effect::Flags;

/// Stands in text for a part that cannot be told. No command line can hold it: it is not a character of text.
pub(crate) const HOLE: char = '\u{FFFF}';

/// One argument, as the program would get it.
///
/// `text` may hold [`HOLE`]s where an expansion is unknown. Glob characters that the shell would expand are known by
/// `glob`; a quoted `*` is just text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arg {
    pub text: String,
    /// The shell would expand a pattern in it.
    pub glob: bool,
    /// Where its parts came from.
    pub from: Origins,
}

impl Arg {
    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Whether all of it is known.
    pub(crate) fn is_known(&self) -> bool {
        !self.text.contains(HOLE)
    }

    /// The text, if all of it is known.
    pub(crate) fn as_known(&self) -> Option<&str> {
        self.is_known().then_some(self.text.as_str())
    }

    /// Nothing of it is known.
    pub(crate) fn is_opaque(&self) -> bool {
        self.text.chars().all(|c| c == HOLE) && !self.text.is_empty()
    }
}

/// Where data came from. A set: what is concatenated has the origins of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origins {
    /// From a host.
    pub network: bool,
    /// Decoded, decompressed, decrypted or otherwise disguised.
    pub decoded: bool,
    /// A credential.
    pub secret: bool,
    /// Printed by a shell that reads its commands from elsewhere: whoever reads this may steer it.
    pub shell: bool,
    /// Cannot be told: a file, a variable, another program's output.
    pub unknown: bool,
}

impl Origins {
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            network: self.network || other.network,
            decoded: self.decoded || other.decoded,
            secret: self.secret || other.secret,
            shell: self.shell || other.shell,
            unknown: self.unknown || other.unknown,
        }
    }

    /// As flags of the effect "runs code it cannot see".
    pub(crate) fn flags(self) -> Flags {
        use crate::effect::Flag;
        Flags::NONE.with_if(Flag::FromNetwork, self.network).with_if(Flag::Decoded, self.decoded)
    }
}

/// Data that flows: a command's input or output, a here-document, the value of a substitution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stuff {
    /// What it is, where that is known (it may hold [`HOLE`]s). `None`: not at all.
    pub text: Option<Rc<str>>,
    pub from: Origins,
}

impl Stuff {
    pub(crate) fn known(text: impl Into<Rc<str>>) -> Self {
        Self { text: Some(text.into()), from: Origins::default() }
    }

    pub(crate) fn unknown() -> Self {
        Self { text: None, from: Origins { unknown: true, ..Origins::default() } }
    }

    /// Nothing at all: what a silent command prints.
    pub(crate) fn nothing() -> Self {
        Self::known("")
    }

    /// One after the other. What is not known becomes a line of its own, so that text next to it can still be read.
    pub(crate) fn then(self, next: Self) -> Self {
        let mut both = Printed::default();
        both.push(self);
        both.push(next);
        both.done()
    }

    /// As the value of a substitution: without line ends behind it.
    pub(crate) fn substituted(&self) -> Arg {
        let text = match &self.text {
            Some(text) => text.trim_end_matches('\n').replace('\0', ""),
            None => HOLE.to_string(),
        };
        Arg { text, glob: false, from: self.from }
    }
}

/// Collects what commands print one after the other, without copying it again and again.
#[derive(Default)]
pub(crate) struct Printed {
    first: Option<Stuff>,
    /// Everything, as soon as there is more than one.
    text: String,
    from: Origins,
}

impl Printed {
    pub(crate) fn push(&mut self, next: Stuff) {
        self.from = self.from.and(next.from);
        if next.text.as_deref() == Some("") {
            return;
        }
        match self.first.take() {
            None if self.text.is_empty() => self.first = Some(next),
            None => self.append(&next),
            Some(first) => {
                self.append(&first);
                self.append(&next);
            }
        }
    }

    fn append(&mut self, stuff: &Stuff) {
        match &stuff.text {
            Some(text) => self.text.push_str(text),
            None if self.text.ends_with("\u{FFFF}\n") => {}
            None => self.text.extend([HOLE, '\n']),
        }
    }

    pub(crate) fn done(self) -> Stuff {
        let text = match self.first {
            Some(first) => first.text,
            None => Some(self.text.into()),
        };
        Stuff { text, from: self.from }
    }
}
