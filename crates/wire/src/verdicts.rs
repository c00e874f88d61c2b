//! The words for what can become of a call, and what other tools call the same.

/// The verdicts, from the mildest to the strictest.
pub const VERDICTS: &[&str] = &["pass", "rewrite", "redact", "route", "ask", "answer", "deny"];

/// Other tools' words, and ours.
const OTHERS: &[(&str, &[&str])] = &[
    ("pass", &["accept", "allow", "allowed", "approve", "go", "ok", "passed", "permit"]),
    ("rewrite", &["edit", "edited", "modify", "mutate", "replace", "rewritten", "transform"]),
    ("redact", &["anonymize", "hide", "mask", "redacted", "scrub"]),
    ("route", &["divert", "diverted", "elsewhere", "isolate", "routed", "sandbox"]),
    ("ask", &["approval", "asked", "confirm", "escalate", "prompt"]),
    ("answer", &["answered", "mock", "reply", "respond"]),
    ("deny", &["block", "blocked", "denied", "forbid", "refuse", "refused", "reject", "rejected", "stop", "stopped"]),
];

/// Our word for a verdict, whichever tool's word is given.
///
/// ```
/// use tollgate_wire::verdict;
///
/// assert_eq!(verdict("deny"), Some("deny"));
/// assert_eq!(verdict("Block"), Some("deny"));
/// assert_eq!(verdict("allow"), Some("pass"));
/// assert_eq!(verdict("dance"), None);
/// ```
pub fn verdict(word: &str) -> Option<&'static str> {
    let is = |known: &str| known.eq_ignore_ascii_case(word);
    let own = VERDICTS.iter().copied().find(|known| is(known));
    own.or_else(|| OTHERS.iter().find(|(_, others)| others.iter().any(|other| is(other))).map(|(ours, _)| *ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_means_two_verdicts() {
        let others: Vec<&str> = OTHERS.iter().flat_map(|(_, words)| words.iter().copied()).collect();
        for (at, word) in others.iter().enumerate() {
            assert!(!VERDICTS.contains(word) && !others[..at].contains(word), "{word}");
        }
        assert!(OTHERS.iter().all(|(ours, _)| VERDICTS.contains(ours)));
    }
}
