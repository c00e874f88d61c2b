//! The grammar of bash: from text to a tree, without judging anything.
//!
//! A guard reads what an adversary may have written, so this reader has properties that a shell's own parser need not
//! have: it never fails (what is not grammar is skipped and remembered as [`Script::trouble`]), it needs time linear
//! in its input, its recursion is bounded, and it reads each word once, so that substitutions need no second pass.

mod command;
mod compound;
mod here;
mod param;
mod posix;
mod word;

use std::cell::OnceCell;
use std::rc::Rc;

pub(crate) use word::{ansi, is_name};

/// How deep commands, substitutions and quotes may nest.
const DEEPEST: usize = 60;

/// A parsed script.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub list: List,
    pub trouble: Option<Trouble>,
}

/// Why a script is not what bash would accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trouble {
    /// Not the grammar of bash. What could be read was.
    Syntax,
    /// Nested too deeply. The rest was not read.
    Depth,
}

/// Commands one after another.
pub(crate) type List = Vec<Step>;

/// One pipeline of a list. Whether `;`, `&&` or `||` is before it makes no difference: any of them may run.
#[derive(Debug)]
pub(crate) struct Step {
    pub pipeline: Vec<Command>,
    pub background: bool,
}

#[derive(Debug)]
pub(crate) enum Command {
    Simple(Simple),
    Compound(Compound, Vec<Redirect>),
    Function(Rc<str>, Rc<Command>),
}

#[derive(Debug, Default)]
pub(crate) struct Simple {
    pub assigns: Vec<Assign>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
    /// To bash it is part of a test or an expression: only where it is known to be a command is it one.
    pub perhaps: bool,
}

impl Simple {
    fn is_nothing(&self) -> bool {
        self.assigns.is_empty() && self.words.is_empty() && self.redirects.is_empty()
    }
}

#[derive(Debug)]
pub(crate) enum Compound {
    Group(List),
    Subshell(List),
    /// Conditions with what they lead to; the last one may have an empty condition (`else`).
    If(Vec<(List, List)>),
    Loop {
        condition: List,
        body: List,
    },
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: List,
    },
    ArithmeticFor {
        header: Word,
        body: List,
    },
    Case {
        word: Word,
        arms: Vec<Arm>,
    },
    Arithmetic(Word),
    Test(Vec<Word>),
    Coprocess(Option<String>, Box<Command>),
}

/// One arm of a `case`.
#[derive(Debug)]
pub(crate) struct Arm {
    pub patterns: Vec<Word>,
    pub body: List,
    /// Ends in `;&` or `;;&`.
    pub falls_through: bool,
}

#[derive(Debug)]
pub(crate) struct Assign {
    pub name: String,
    pub index: Option<Word>,
    pub value: AssignValue,
    pub append: bool,
}

#[derive(Debug)]
pub(crate) enum AssignValue {
    Text(Word),
    Array(Vec<(Option<Word>, Word)>),
}

#[derive(Debug)]
pub(crate) struct Redirect {
    pub fd: Option<u32>,
    /// `{name}>`: the variable that gets the number.
    pub name: Option<String>,
    pub kind: RedirectKind,
}

#[derive(Debug)]
pub(crate) enum RedirectKind {
    /// `<`
    In(Word),
    /// `>`, `>|`
    Out(Word),
    /// `>>`
    Append(Word),
    /// `<>`
    InOut(Word),
    /// `<&`
    DupIn(Word),
    /// `>&`
    DupOut(Word),
    /// `&>`
    Both(Word),
    /// `&>>`
    BothAppend(Word),
    /// `<<`, `<<-`: the body comes later in the text than the operator.
    Here(Rc<OnceCell<Word>>),
    /// `<<<`
    HereString(Word),
}

/// A word before expansion.
#[derive(Debug, Default)]
pub(crate) struct Word {
    pub parts: Vec<Part>,
}

#[derive(Debug)]
pub(crate) enum Part {
    /// Unquoted: tildes, braces and patterns in it mean something.
    Bare(String),
    /// Quoted: stands for itself.
    Quoted(String),
    /// Between double quotes.
    Double(Vec<Part>),
    Parameter(Box<Parameter>),
    /// `$(…)` and `` `…` ``
    Command(List),
    /// `<(…)`: true, `>(…)`: false
    Process(List, bool),
    /// `$((…))`, `$[…]`
    Arithmetic(Vec<Part>),
}

/// `${…}` or `$x`.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub name: String,
    pub index: Option<Word>,
    /// `${!x}`
    pub indirect: bool,
    pub op: Op,
    /// What is left before the brace and not understood. Substitutions in it run all the same.
    pub rest: Word,
}

#[derive(Debug)]
pub(crate) enum Op {
    None,
    /// `${#x}`
    Length,
    /// `-`, `=`, `+`, `?` and whether a colon is before it
    Default(u8, bool, Word),
    /// `#`, `##`, `%`, `%%`: whether at the end, whether the longest
    Trim(bool, bool, Word),
    /// `/`, `//`, `/#`, `/%`: the last operator, pattern, replacement
    Replace(u8, Word, Word),
    /// `^`, `^^`, `,`, `,,`: whether upper, whether all; the pattern is in the rest
    Case(bool, bool),
    /// `:offset:length`
    Slice(Word, Option<Word>),
    /// `@Q`, `@U`…
    Transform(u8),
    /// `${!prefix@}` or anything that is not known.
    Other,
}

/// Reads a script.
pub(crate) fn read(text: &str) -> Script {
    let mut reader = Reader::new(text, 0);
    let list = reader.everything();
    Script { list, trouble: reader.trouble }
}

/// Whether a shell that knows only what POSIX asks for may read this text in another way than bash.
pub(crate) fn is_ambiguous(text: &str) -> bool {
    ["((", "[[", "&>"].iter().any(|mark| text.contains(mark)) || text.contains("$'") && text.contains("\\'")
}

/// Reads a script the way of such a shell, which refuses a line that is not its grammar and all that follows.
pub(crate) fn read_posix(text: &str) -> Script {
    let mut reader = Reader { posix: true, ..Reader::new(text, 0) };
    let mut list = reader.everything();
    if reader.trouble == Some(Trouble::Syntax) {
        list.truncate(reader.sound);
    }
    Script { list, trouble: reader.trouble }
}

/// Reads text that a shell expands although it is no command: the index of an array, a prompt.
pub(crate) fn read_expanded(text: &str) -> (Vec<Part>, Option<Trouble>) {
    let mut reader = Reader::new(text, 0);
    let parts = reader.here_parts();
    (parts, reader.trouble)
}

/// Where the reading is.
pub(crate) struct Reader<'s> {
    text: &'s str,
    at: usize,
    depth: usize,
    trouble: Option<Trouble>,
    /// Here-documents whose bodies come after the next line end.
    pending: Vec<here::Pending>,
    /// How often a quote without an end may still be taken as text.
    rewinds: u8,
    /// Only what POSIX asks for is grammar.
    posix: bool,
    /// How many steps of a script are on lines that are complete and without trouble.
    sound: usize,
    /// Up to where bash sees an expression or a test, in which `>` compares.
    expression_until: usize,
    test_until: usize,
    /// Up to where no test ends.
    no_test_until: usize,
}

impl<'s> Reader<'s> {
    fn new(text: &'s str, depth: usize) -> Self {
        let (at, trouble, pending, rewinds) = (0, None, Vec::new(), 4);
        let (posix, sound, expression_until, test_until, no_test_until) = (false, 0, 0, 0, 0);
        Self { text, at, depth, trouble, pending, rewinds, posix, sound, expression_until, test_until, no_test_until }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'s str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn looking_at(&self, text: &str) -> bool {
        self.text.as_bytes()[self.at.min(self.text.len())..].starts_with(text.as_bytes())
    }

    /// Goes past this text if it is here.
    fn eat(&mut self, text: &str) -> bool {
        let here = self.looking_at(text);
        if here {
            self.at += text.len();
        }
        here
    }

    fn troubled(&mut self, trouble: Trouble) {
        self.trouble = self.trouble.max(Some(trouble));
    }

    /// One level deeper, or nothing more is read at all.
    fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEEPEST {
            self.troubled(Trouble::Depth);
            self.at = self.text.len();
            return T::default();
        }
        self.depth += 1;
        let got = read(self);
        self.depth -= 1;
        got
    }

    /// Reads other text as a part of this one.
    fn within<T>(&mut self, text: &str, read: impl FnOnce(&mut Reader<'_>) -> T) -> T {
        let mut reader = Reader { posix: self.posix, ..Reader::new(text, self.depth) };
        let got = read(&mut reader);
        self.trouble = self.trouble.max(reader.trouble);
        got
    }

    /// Blanks and continued lines.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.looking_at("\\\n") => self.at += 2,
                Some(b'\\') if self.looking_at("\\\r\n") => self.at += 3,
                _ => return,
            }
        }
    }

    /// A comment, if one begins here.
    fn skip_comment(&mut self) {
        if self.peek() == Some(b'#') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// Blanks, comments and line ends; bodies of here-documents are read where they begin.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            self.skip_comment();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.line_end();
        }
    }

    fn line_end(&mut self) {
        self.at += 1;
        if !self.pending.is_empty() {
            self.here_documents();
        }
    }
}

#[cfg(test)]
mod tests;
