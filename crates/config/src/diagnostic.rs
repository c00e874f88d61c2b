//! Mistakes, as people see them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::paint::{Line, clip, wrap};

/// How wide what is printed may be.
const WIDTH: usize = 80;

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is loaded.
    Error,
    /// It is loaded, and probably not what was meant.
    Warning,
}

/// A text and what it is called in messages.
#[derive(Debug, PartialEq, Eq)]
pub struct Text {
    /// Its name: a path, or `pack git-safety`.
    pub name: String,
    /// What it says.
    pub text: String,
}

impl Text {
    /// A named text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into() })
    }

    /// Line and column of an offset, both from 1, the column in characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.floor(offset)];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }

    /// The nearest character boundary at or before an offset, inside the text.
    fn floor(&self, offset: usize) -> usize {
        (0..=offset.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
    }

    /// The same range, inside the text and between characters.
    fn clamp(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.floor(span.start);
        let end = (span.end.min(self.text.len())..=self.text.len()).find(|at| self.text.is_char_boundary(*at));
        start..end.unwrap_or(start).max(start)
    }
}

/// One mistake: what is wrong, where, and what to do.
///
/// ```
/// use tollgate_config::{Diagnostic, Text};
///
/// let text = Text::new("tollgate.toml", "mode = \"enforce\"\ndenny = 1\n");
/// let mistake = Diagnostic::error(&text, 17..21, "there is no key `denny`").help("did you mean `deny`?");
/// assert_eq!(mistake.place(), "tollgate.toml:2:1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// The text it is in.
    pub text: Arc<Text>,
    /// Where in the text, in bytes; a mistake about a whole file has none.
    pub span: Option<Range<usize>>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place of a text.
    pub fn error(text: &Arc<Text>, span: Range<usize>, message: impl Into<String>) -> Self {
        Self::about(text, Severity::Error, Some(text.clamp(&span)), message.into())
    }

    /// A warning at a place of a text.
    pub fn warning(text: &Arc<Text>, span: Range<usize>, message: impl Into<String>) -> Self {
        Self::about(text, Severity::Warning, Some(text.clamp(&span)), message.into())
    }

    /// An error about a whole file, which often could not be read at all.
    pub fn file(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::about(&Text::new(name, ""), Severity::Error, None, message.into())
    }

    fn about(text: &Arc<Text>, severity: Severity, span: Option<Range<usize>>, message: String) -> Self {
        Self { severity, text: Arc::clone(text), span, message, help: None }
    }

    /// The same with advice.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Line and column, both from 1.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.span.as_ref().map(|span| self.text.position(span.start))
    }

    /// `file:line:column`.
    pub fn place(&self) -> String {
        let name = &self.text.name;
        self.position().map_or_else(|| name.clone(), |(line, column)| format!("{name}:{line}:{column}"))
    }

    fn write(&self, f: &mut impl fmt::Write, colours: Colours) -> fmt::Result {
        let (word, colour) = match self.severity {
            Severity::Error => ("error", colours.error),
            Severity::Warning => ("warning", colours.warning),
        };
        let Colours { end, edge, bold, .. } = colours;
        let lead = word.len() + 2;
        let message = wrap(&self.message, WIDTH - lead, lead);
        writeln!(f, "{colour}{word}{end}{bold}: {message}{end}")?;
        let position = self.position();
        let gutter = position.map_or(1, |(line, _)| line.to_string().len());
        writeln!(f, "{:gutter$}{edge}-->{end} {}", "", Line::plain(&self.place()))?;
        if let (Some((line, _)), Some(span)) = (position, &self.span) {
            let shown = Line::of(&self.text.text, span).fit(WIDTH - gutter - 3);
            writeln!(f, "{:gutter$} {edge}|{end}", "")?;
            writeln!(f, "{edge}{line} |{end} {}", shown.text.trim_end())?;
            writeln!(
                f,
                "{:gutter$} {edge}|{end} {:indent$}{colour}{}{end}",
                "",
                "",
                "^".repeat(shown.marked),
                indent = shown.indent
            )?;
        }
        if let Some(help) = &self.help {
            let lead = gutter + 9;
            writeln!(f, "{:gutter$} {edge}= help:{end} {}", "", wrap(help, WIDTH - lead, lead))?;
        }
        Ok(())
    }

    fn form(&self) -> Form<'_> {
        let (line, column) = self.position().unzip();
        let (start, end) = self.span.as_ref().map(|span| (span.start, span.end)).unzip();
        let Self { severity, text, message, help, .. } = self;
        Form { severity: *severity, file: &text.name, line, column, start, end, message, help: help.as_deref() }
    }
}

/// A diagnostic as JSON; the fields appear in this order.
#[derive(Serialize)]
struct Form<'a> {
    severity: Severity,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<usize>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

impl Serialize for Diagnostic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.form().serialize(serializer)
    }
}

#[derive(Clone, Copy, Default)]
struct Colours {
    error: &'static str,
    warning: &'static str,
    edge: &'static str,
    bold: &'static str,
    end: &'static str,
}

const COLOURS: Colours = Colours {
    error: "\u{1b}[1;31m",
    warning: "\u{1b}[1;33m",
    edge: "\u{1b}[1;34m",
    bold: "\u{1b}[1m",
    end: "\u{1b}[0m",
};

/// Everything that is wrong, at once.
///
/// Printing it shows each mistake with its line, in 80 columns; [`coloured`](Self::coloured) does so for a
/// terminal, and it serializes to a JSON list for programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

/// More mistakes than this are not shown; nobody reads them.
const MOST: usize = 50;

impl Diagnostics {
    /// Notes one more.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// All of them, in the order in which they are printed.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether there is one that keeps the files from being loaded.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|one| one.severity == Severity::Error)
    }

    /// How it looks on a terminal with colours.
    pub fn coloured(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text, COLOURS);
        text
    }

    /// One line that says what is wrong, for a refusal.
    ///
    /// ```
    /// use tollgate_config::{Diagnostic, Diagnostics, Text};
    ///
    /// let text = Text::new("tollgate.toml", "denny = 1\nask = 1");
    /// let mut found = Diagnostics::default();
    /// found.push(Diagnostic::error(&text, 0..4, "there is no key `denny`"));
    /// assert_eq!(found.brief(), "tollgate.toml:1:1: there is no key `denny`");
    /// ```
    pub fn brief(&self) -> String {
        let Some(first) = self.list.iter().min_by_key(|one| one.severity) else { return String::new() };
        let place = Line::plain(&first.place());
        let more = match self.list.len() {
            1 => String::new(),
            more => format!(" (and {} more)", more - 1),
        };
        format!("{place}: {}{more}", clip(&first.message, 300))
    }

    /// By file, then by place; the same said twice of one place is said once.
    pub(crate) fn sort(&mut self) {
        let mut names: Vec<String> = Vec::new();
        for one in &self.list {
            if !names.contains(&one.text.name) {
                names.push(one.text.name.clone());
            }
        }
        let file = |one: &Diagnostic| names.iter().position(|name| *name == one.text.name);
        self.list.sort_by_key(|one| (file(one), one.span.as_ref().map(|span| (span.start, span.end)), one.severity));
        self.list.dedup();
    }

    pub(crate) fn extend(&mut self, more: impl IntoIterator<Item = Diagnostic>) {
        self.list.extend(more);
    }

    fn write(&self, f: &mut impl fmt::Write, colours: Colours) -> fmt::Result {
        for (index, one) in self.list.iter().take(MOST).enumerate() {
            if index > 0 {
                f.write_char('\n')?;
            }
            one.write(f, colours)?;
        }
        if self.list.len() < 2 {
            return Ok(());
        }
        let errors = self.list.iter().filter(|one| one.severity == Severity::Error).count();
        let counted =
            [(errors, "error"), (self.list.len() - errors, "warning")].into_iter().filter(|(count, _)| *count > 0);
        let counted = counted.map(|(count, word)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }));
        write!(f, "\n{}", counted.collect::<Vec<_>>().join(", "))?;
        match self.list.len().saturating_sub(MOST) {
            0 => writeln!(f),
            more => writeln!(f, "; {more} are not shown"),
        }
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(list: I) -> Self {
        Self { list: list.into_iter().collect() }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, Colours::default())
    }
}

impl std::error::Error for Diagnostics {}
