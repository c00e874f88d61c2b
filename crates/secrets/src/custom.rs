//! Patterns and values that the caller adds.

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A pattern of the caller's own. It is matched against each line.
///
/// ```
/// use tollgate_secrets::{Custom, Scanner};
///
/// let badge = Custom { id: "badge".into(), pattern: r"BADGE-\d{6}".into() };
/// let scanner = Scanner::with(vec![badge], Vec::new())?;
/// assert_eq!(scanner.redact("of BADGE-123456."), "of [redacted:badge].");
/// # Ok::<(), tollgate_secrets::CustomError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Custom {
    /// What a finding is called: letters, digits, `-`, `_` and `.`.
    pub id: String,
    /// A regular expression. The secret is the first group, or the whole match where there is none.
    pub pattern: String,
}

/// Why an addition was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CustomError {
    /// The name cannot be written into a placeholder.
    Id {
        /// The name as given.
        id: String,
    },
    /// The pattern cannot be compiled, or would take too much memory.
    Pattern {
        /// The name of the pattern.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The pattern matches the empty text, and so everything.
    MatchesNothing {
        /// The name of the pattern.
        id: String,
    },
    /// A value to hide is so short that hiding it would garble the text. The value itself is not told.
    KnownTooShort {
        /// Which of the values it is, from 0.
        index: usize,
    },
    /// There are more values to hide than fit into an automaton.
    KnownTooMany,
}

impl fmt::Display for CustomError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id { id } => {
                write!(out, "the name {id:?} of a secret pattern needs letters, digits, '-', '_' or '.' only")
            }
            Self::Pattern { id, reason } => write!(out, "the secret pattern {id:?} is refused: {reason}"),
            Self::MatchesNothing { id } => write!(out, "the secret pattern {id:?} matches the empty text"),
            Self::KnownTooShort { index } => {
                write!(out, "the known secret number {index} is shorter than {LEAST_KNOWN} bytes")
            }
            Self::KnownTooMany => write!(out, "too many known secrets"),
        }
    }
}

impl std::error::Error for CustomError {}

/// The shortest value that can be hidden wherever it occurs.
const LEAST_KNOWN: usize = 8;

/// The most memory that a compiled pattern may take.
const SIZE_LIMIT: usize = 1 << 20;

/// What the caller added, ready to be searched for.
#[derive(Default)]
pub(crate) struct Additions {
    patterns: Vec<(Cow<'static, str>, Regex)>,
    known: Option<AhoCorasick>,
}

impl Additions {
    pub(crate) fn new(custom: Vec<Custom>, known: Vec<String>) -> Result<Self, CustomError> {
        let patterns = custom.into_iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { patterns, known: known_values(known)? })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty() && self.known.is_none()
    }

    /// Whether there is a pattern of this name.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.patterns.iter().any(|(id, _)| id.as_bytes() == name)
    }

    /// What is found in a line, as ranges of the text.
    pub(crate) fn find(
        &self,
        text: &[u8],
        line: Range<usize>,
        mut report: impl FnMut(Cow<'static, str>, Range<usize>),
    ) {
        let bytes = &text[line.clone()];
        let moved = |range: Range<usize>| line.start + range.start..line.start + range.end;
        for (id, regex) in &self.patterns {
            for groups in regex.captures_iter(bytes) {
                if let Some(secret) = groups.get(1).or_else(|| groups.get(0)).filter(|secret| !secret.is_empty()) {
                    report(id.clone(), moved(secret.range()));
                }
            }
        }
        for secret in self.known.iter().flat_map(|automaton| automaton.find_iter(bytes)) {
            report(Cow::Borrowed(crate::rules::id::KNOWN), moved(secret.start()..secret.end()));
        }
    }
}

fn compile(custom: Custom) -> Result<(Cow<'static, str>, Regex), CustomError> {
    let Custom { id, pattern } = custom;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if id.is_empty() || !id.bytes().all(plain) {
        return Err(CustomError::Id { id });
    }
    let regex = RegexBuilder::new(&pattern)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .nest_limit(50)
        .build()
        .map_err(|error| CustomError::Pattern { id: id.clone(), reason: error.to_string() })?;
    if regex.is_match(b"") {
        return Err(CustomError::MatchesNothing { id });
    }
    Ok((Cow::Owned(id), regex))
}

/// Values are hidden line by line, and also in the form they take inside JSON text.
fn known_values(known: Vec<String>) -> Result<Option<AhoCorasick>, CustomError> {
    if let Some(index) = known.iter().position(|value| value.trim().len() < LEAST_KNOWN) {
        return Err(CustomError::KnownTooShort { index });
    }
    let mut forms: Vec<String> = Vec::new();
    for line in known.iter().flat_map(|value| value.lines()).filter(|line| line.len() >= LEAST_KNOWN) {
        let quoted = serde_json::Value::from(line).to_string();
        forms.push(quoted[1..quoted.len() - 1].to_owned());
        forms.push(line.to_owned());
    }
    if forms.is_empty() {
        return Ok(None);
    }
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms);
    automaton.map(Some).map_err(|_| CustomError::KnownTooMany)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(id: &str, pattern: &str) -> String {
        let custom = Custom { id: id.into(), pattern: pattern.into() };
        Additions::new(vec![custom], Vec::new()).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_bad_pattern_is_an_error() {
        assert!(refusal("a", "(").contains("is refused"));
        assert!(refusal("a", r"(?:\w{1000}){1000}").contains("is refused"));
        assert!(refusal("a b", "x").contains("needs letters"));
        assert!(refusal("a", "x*").contains("matches the empty text"));
    }

    #[test]
    fn a_short_value_is_refused_without_telling_it() {
        let error = Additions::new(Vec::new(), vec!["longenough".into(), "short".into()]).err().unwrap();
        assert_eq!(error, CustomError::KnownTooShort { index: 1 });
        assert!(!error.to_string().contains("short\""));
    }
}
