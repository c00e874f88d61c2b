//! A text with something put in, and how to get it out again.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::json;

/// What is put in, and where in the text as it was.
#[derive(Clone, Debug)]
pub struct Insertion {
    /// Where, in bytes.
    pub at: usize,
    /// What.
    pub text: String,
}

/// A text with something put in.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The whole text.
    pub text: String,
    /// What was put in, for [`cut`].
    pub ranges: Vec<Put>,
    /// What exists only because of it, for [`json::remove`](crate::json::remove).
    pub made: Made,
}

/// A range that was put in. What it holds is ours; only its digest is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Put {
    /// Where it stands, in bytes.
    pub at: usize,
    /// How long it is, in bytes.
    pub length: usize,
    /// The digest of what it holds.
    pub digest: String,
}

/// What exists in a document only because of us.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Objects and lists, by their JSON pointers; the empty one is the document.
    pub containers: Vec<String>,
    /// Anything else.
    pub scalars: Vec<String>,
    /// The ends of lines in containers that were empty and written without.
    pub tails: Vec<(String, String)>,
}

impl Made {
    pub(crate) fn has_container(&self, pointer: &str) -> bool {
        self.containers.iter().any(|container| container == pointer)
    }

    pub(crate) fn has_scalar(&self, pointer: &str) -> bool {
        self.scalars.iter().any(|scalar| scalar == pointer)
    }
}

/// The text with all of them. Insertions are given in any order.
pub fn inserted(text: &str, mut insertions: Vec<Insertion>, made: Made) -> Edited {
    insertions.sort_by_key(|insertion| insertion.at);
    let (mut out, mut ranges, mut done) = (String::with_capacity(text.len() + 512), Vec::new(), 0);
    for Insertion { at, text: new } in insertions {
        out.push_str(&text[done..at]);
        ranges.push(Put { at: out.len(), length: new.len(), digest: digest(&new) });
        out.push_str(&new);
        done = at;
    }
    out.push_str(&text[done..]);
    Edited { text: out, ranges, made }
}

/// The text without what was put in; nothing if something else stands there.
pub fn cut(text: &str, ranges: &[Put]) -> Option<String> {
    let mut out = text.to_owned();
    for Put { at, length, digest: expected } in ranges.iter().rev() {
        let range: Range<usize> = *at..at.checked_add(*length)?;
        (digest(out.get(range.clone())?) == *expected).then(|| out.replace_range(range, ""))?;
    }
    Some(out)
}

/// The digest of a text.
pub fn digest(text: &str) -> String {
    tollgate_wire::digest(&json!(text)).to_string()
}
