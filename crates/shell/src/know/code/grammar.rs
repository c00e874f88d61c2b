//! How languages are written, as far as their lexers differ.

use crate::doing::Language;

/// What a backtick starts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Backtick {
    Nothing,
    /// Text with `${…}`.
    Template,
    /// Text for a shell.
    Command,
}

/// What stands for a value inside text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holes {
    None,
    /// `#{…}` in double quotes.
    Hash,
    /// `$name`, `${name}`, `{$name}` in double quotes.
    Dollar,
}

#[derive(Clone, Copy)]
pub(super) struct Grammar {
    pub hash_comments: bool,
    pub slash_comments: bool,
    pub dash_comments: bool,
    pub backtick: Backtick,
    pub holes: Holes,
    /// Names of variables start with `$`, `@` or `%`.
    pub sigils: bool,
    /// `\n` means something in single quotes too.
    pub single_escapes: bool,
    /// `"""…"""`.
    pub triple: bool,
    /// `/…/` may be a pattern.
    pub patterns: bool,
    /// `.` joins text; `->` and `::` lead to members.
    pub dot_joins: bool,
    /// `f x, y` is a call.
    pub bare_calls: bool,
    /// Newlines end statements.
    pub newlines: bool,
    /// A backslash before an ordinary character stays.
    pub keeps_backslash: bool,
}

const BASE: Grammar = Grammar {
    hash_comments: true,
    slash_comments: false,
    dash_comments: false,
    backtick: Backtick::Nothing,
    holes: Holes::None,
    sigils: false,
    single_escapes: true,
    triple: false,
    patterns: false,
    dot_joins: false,
    bare_calls: false,
    newlines: true,
    keeps_backslash: false,
};

/// How a language is written.
pub(super) const fn of(language: Language) -> Grammar {
    match language {
        Language::Python => Grammar { triple: true, keeps_backslash: true, ..BASE },
        Language::JavaScript => {
            Grammar { hash_comments: false, slash_comments: true, backtick: Backtick::Template, patterns: true, ..BASE }
        }
        Language::Perl => Grammar {
            backtick: Backtick::Command,
            holes: Holes::Dollar,
            sigils: true,
            single_escapes: false,
            patterns: true,
            dot_joins: true,
            bare_calls: true,
            newlines: false,
            ..BASE
        },
        Language::Ruby => Grammar {
            backtick: Backtick::Command,
            holes: Holes::Hash,
            single_escapes: false,
            patterns: true,
            bare_calls: true,
            ..BASE
        },
        Language::Php => Grammar {
            slash_comments: true,
            backtick: Backtick::Command,
            holes: Holes::Dollar,
            sigils: true,
            single_escapes: false,
            dot_joins: true,
            bare_calls: true,
            newlines: false,
            ..BASE
        },
        Language::Lua => Grammar { hash_comments: false, dash_comments: true, bare_calls: true, ..BASE },
        // Elixir, Julia, Groovy and R share these; `//` starts a comment in some of them and is rare in the others.
        _ => Grammar { slash_comments: true, holes: Holes::Hash, backtick: Backtick::Template, triple: true, ..BASE },
    }
}
