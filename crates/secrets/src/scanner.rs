//! The entrance: a set of rules that texts are searched with.

use crate::custom::{Additions, Custom, CustomError};
use crate::keywords::Keywords;
use crate::kubernetes::Object;
use crate::pem::Block;
use crate::scan::{self, Found, Outcome};
use crate::stream::{MAX_LINE, Redactor};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// The rules are the same for every scanner, and what is prepared for one is prepared for all.
static KEYWORDS: LazyLock<Arc<Keywords>> = LazyLock::new(|| Arc::new(Keywords::new()));

static SHARED: LazyLock<Scanner> = LazyLock::new(Scanner::new);

/// The scanner with the rules of this crate and nothing else, built when first asked for.
///
/// ```
/// assert!(tollgate_secrets::scanner().find("plain text").is_empty());
/// ```
pub fn scanner() -> &'static Scanner {
    &SHARED
}

/// Finds secrets in text and takes them out.
pub struct Scanner {
    keywords: Arc<Keywords>,
    additions: Additions,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Scanner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Scanner").field("rules", &self.keywords.rules.len()).finish_non_exhaustive()
    }
}

impl Scanner {
    /// A scanner with the rules of this crate.
    pub fn new() -> Self {
        Self { keywords: KEYWORDS.clone(), additions: Additions::default() }
    }

    /// A scanner that also looks for patterns and values of the caller's own.
    ///
    /// Values are hidden wherever they occur, also in the form they take inside JSON text; each of their lines counts
    /// as a value if it is long enough.
    ///
    /// ```
    /// let scanner = tollgate_secrets::Scanner::with(Vec::new(), vec!["open sesame".into()])?;
    /// assert_eq!(scanner.redact("say open sesame!"), "say [redacted:known-value]!");
    /// # Ok::<(), tollgate_secrets::CustomError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a pattern cannot be compiled, takes too much memory or matches the empty text, or a value is shorter than
    /// eight bytes.
    pub fn with(custom: Vec<Custom>, known: Vec<String>) -> Result<Self, CustomError> {
        Ok(Self { keywords: KEYWORDS.clone(), additions: Additions::new(custom, known)? })
    }

    /// Finds the secrets of a text, in order. Where findings overlap, they are joined under the name of the longest.
    ///
    /// ```
    /// let text = "DB_PASSWORD='k9#mQz!2vb' make";
    /// let found = tollgate_secrets::scanner().find(text);
    /// assert_eq!(&text[found[0].range.clone()], "k9#mQz!2vb");
    /// ```
    pub fn find(&self, text: &str) -> Vec<Found> {
        self.scan(text, 0..text.len(), 0, &mut Object::default()).found
    }

    /// Replaces the secrets of a text by placeholders that say which rule found them. Clean text is given back as is.
    ///
    /// ```
    /// use std::borrow::Cow;
    ///
    /// let scanner = tollgate_secrets::scanner();
    /// assert!(matches!(scanner.redact("clean"), Cow::Borrowed("clean")));
    /// assert_eq!(scanner.redact("postgres://me:qT7xw2@db"), "postgres://me:[redacted:url-password]@db");
    /// ```
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // Lines that are too long are cut, which could change what is found in them.
        let no_cut = text.len() < MAX_LINE || text.lines().all(|line| line.len() < MAX_LINE);
        if no_cut && self.find(text).is_empty() {
            return Cow::Borrowed(text);
        }
        let mut redactor = self.stream();
        let mut out = redactor.push(text);
        out.push_str(&redactor.finish());
        if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
    }

    /// Replaces the secrets in all strings of a JSON document and says how many strings were changed. A member whose
    /// name says that it is a secret is judged by it.
    ///
    /// ```
    /// let mut document = serde_json::json!({"password": "hunter2hunter2", "note": "fine"});
    /// assert_eq!(tollgate_secrets::scanner().redact_json(&mut document), 1);
    /// assert_eq!(document, serde_json::json!({"password": "[redacted:password]", "note": "fine"}));
    /// ```
    pub fn redact_json(&self, document: &mut serde_json::Value) -> usize {
        crate::json::redact(self, document, None)
    }

    /// Redacts text that comes in chunks.
    ///
    /// ```
    /// let mut stream = tollgate_secrets::scanner().stream();
    /// let mut out = stream.push("token=f3Kd81mz");
    /// out += &stream.push("Qp0aLw7TbX2c\n");
    /// out += &stream.finish();
    /// assert_eq!(out, "token=[redacted:generic-secret]\n");
    /// ```
    pub fn stream(&self) -> Redactor<'_> {
        Redactor::new(self)
    }

    pub(crate) fn scan(&self, text: &str, stretch: Range<usize>, passed: usize, object: &mut Object) -> Outcome {
        scan::scan(&self.keywords, &self.additions, text, stretch, passed, object)
    }

    pub(crate) fn scan_block(&self, text: &str, block: &Block) -> Vec<Found> {
        scan::scan_block(&self.keywords, text, block)
    }
}
