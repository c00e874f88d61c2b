//! What the name of a value says about it.

use crate::keywords::Trigger;
use crate::value;

/// How much the name of a value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameStrength {
    Password,
    Strong,
    Weak,
}

/// Names that hold a telling word and yet do not name a secret.
#[rustfmt::skip]
const HARMLESS: [&str; 66] = [
    "authenticity", "csrf", "xsrf", "cache", "object_key", "objectkey", "row_key", "rowkey", "idempotency",
    "unique_key", "index_key", "dict", "lookup", "routing", "partition", "thread", "message_key", "record_key",
    "public", "pubkey", "primarykey", "primary_key", "foreign", "keyword", "keyboard", "keycode", "keystore",
    "keytab", "keyframe", "keypress", "monkey", "turkey", "hockey", "hotkey", "key_down", "keydown", "keyup",
    "key_name", "keyname", "key_vault", "keyvault", "key_length", "keyselector", "hash", "checksum", "digest",
    "fingerprint", "author", "authority", "tokeniz", "max_token", "maxtoken", "num_token", "bucket_key", "schemakey",
    "sort_key", "partition_key", "cache_key", "cachekey", "group_key", "secretname", "secret_name", "api_version",
    "apiversion", "signature", "passive",
];

/// Last words of names that name something about a secret.
#[rustfmt::skip]
const HARMLESS_ENDS: [&str; 34] = [
    "label", "hint", "text", "title", "message", "error", "regex", "pattern", "policy", "prompt", "variable",
    "identifier", "id", "ids", "name", "url", "uri", "file", "path", "length", "size", "type", "version", "event",
    "source", "results", "chars", "str", "ref", "field", "header", "host", "domain", "endpoint",
];

/// What makes a name with `key` the name of a secret.
#[rustfmt::skip]
const QUALIFIERS: [&str; 29] = [
    "api", "secret", "private", "access", "auth", "client", "encrypt", "signing", "sign", "master", "account",
    "service", "shared", "storage", "token", "license", "app", "deploy", "admin", "user", "server", "webhook",
    "session", "consumer", "write", "read", "psk", "developer", "license",
];

impl NameStrength {
    /// Judges a name by its words; `None` if it does not name a secret.
    pub(crate) fn of(name: &[u8], trigger: Trigger, word_at: usize, before: &[u8]) -> Option<Self> {
        let has = |word: &str| value::contains_ignoring_case(name, word.as_bytes());
        if HARMLESS.iter().any(|word| has(word)) || ends_harmlessly(name) || denies(name) {
            return None;
        }
        let at_start_of_word = is_word_start(name, word_at);
        match trigger {
            Trigger::Password if !at_start_of_word => None,
            Trigger::Password => Some(Self::Password),
            Trigger::Strong => Some(Self::Strong),
            Trigger::Weak if !at_start_of_word && !is_glued(name, word_at) => None,
            Trigger::Weak if QUALIFIERS.iter().any(|word| has(word)) => Some(Self::Strong),
            Trigger::Weak if name[..word_at].iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= 3 => {
                Some(Self::Strong)
            }
            Trigger::Weak if qualifies(before) => Some(Self::Strong),
            Trigger::Weak => Some(Self::Weak),
        }
    }
}

/// First words of names that say that the value is not what it looks like.
#[rustfmt::skip]
const DENIALS: [&str; 14] = [
    "non", "not", "no", "invalid", "fake", "dummy", "mock", "sample", "example", "placeholder", "bogus", "wrong", "bad",
    "incorrect",
];

/// Whether the first word of the name denies it: `invalidToken`, `not_a_secret`.
fn denies(name: &[u8]) -> bool {
    DENIALS.iter().any(|denial| {
        let end = denial.len();
        name.len() > end
            && name[..end].eq_ignore_ascii_case(denial.as_bytes())
            && (!name[end].is_ascii_alphanumeric() || is_word_start(name, end))
    })
}

/// Words before `key` that make it the key of a map, of a door or of a song.
#[rustfmt::skip]
const IDLE_WORDS: [&str; 40] = [
    "with", "that", "this", "your", "from", "same", "each", "their", "have", "into", "when", "then", "used", "cache",
    "object", "sort", "primary", "foreign", "public", "partition", "unique", "index", "hash", "string", "const",
    "final", "static", "export", "lookup", "group", "composite", "missing", "unknown", "invalid", "duplicate",
    "fingerprint", "commit", "digest", "message", "routing",
];

/// Whether the word before makes a `key` the key of something secret.
fn qualifies(before: &[u8]) -> bool {
    before.len() >= 4 && !IDLE_WORDS.iter().any(|word| before.eq_ignore_ascii_case(word.as_bytes()))
        || before.eq_ignore_ascii_case(b"api")
}

/// Whether the word is written on to another one in capitals or without a seam: `vendorKEY`, `apikey`.
fn is_glued(name: &[u8], word_at: usize) -> bool {
    word_at > 0 && name[word_at - 1].is_ascii_alphabetic()
}

/// Whether the last word of a name tells that it names something about a secret, or an identifier.
pub(crate) fn ends_harmlessly(name: &[u8]) -> bool {
    HARMLESS_ENDS.iter().any(|end| {
        let Some(at) = name.len().checked_sub(end.len()) else { return false };
        name[at..].eq_ignore_ascii_case(end.as_bytes()) && at > 0 && is_word_start(name, at)
    })
}

/// Whether a word of the name begins here: behind a separator or a digit, at a hump, or at the start.
pub(crate) fn is_word_start(name: &[u8], at: usize) -> bool {
    at == 0
        || !name[at - 1].is_ascii_alphabetic()
        || (name[at].is_ascii_uppercase() && name[at - 1].is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_names_do_not_make_secrets() {
        let strength =
            |name: &str, word: &str, trigger| NameStrength::of(name.as_bytes(), trigger, name.find(word).unwrap(), b"");
        assert_eq!(strength("public_key", "key", Trigger::Weak), None);
        assert_eq!(strength("credentialsId", "cred", Trigger::Strong), None);
        assert_eq!(strength("key", "key", Trigger::Weak), Some(NameStrength::Weak));
        assert_eq!(strength("api_key", "key", Trigger::Weak), Some(NameStrength::Strong));
        assert_eq!(strength("DB_PASSWORD", "PASS", Trigger::Password), Some(NameStrength::Password));
    }
}
