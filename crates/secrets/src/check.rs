//! Checks that need more than a regular expression.

use crate::{made_up, value};

/// What a match must satisfy besides its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The pattern says enough.
    None,
    /// Not blanked out with `xxxx` or dots, and not made up for a document (`…EXAMPLE…`, the alphabet).
    Filled,
    /// Filled, and with the entropy of something drawn at random (more than 3 bits for each character).
    Random,
    /// Filled, and with letters and digits mixed.
    Mixed,
    /// Filled; where the kind has a fixed length and end, with these.
    Anthropic,
    /// Filled, and not a macaroon that was cut off before its signature.
    Macaroon,
    /// The first part is base64 of a JSON object, as in a JSON Web Token.
    JsonHeader,
    /// Base64 of such a token.
    EncodedWebToken,
    /// Something a person chose: not a placeholder, not a variable, not a word that documents use.
    Chosen,
    /// Neither words nor a number.
    Unguessable,
    /// Base64 of `user:password`.
    BasicCredentials,
}

impl Check {
    /// Whether the matched secret passes.
    pub(crate) fn passes(self, secret: &[u8]) -> bool {
        match self {
            Self::None => true,
            Self::Filled => is_filled(secret),
            Self::Random => is_filled(secret) && value::entropy(secret) > 3.0,
            Self::Mixed => is_filled(secret) && is_mixed(secret),
            Self::Anthropic => is_filled(secret) && has_anthropic_end(secret),
            Self::Macaroon => is_filled(secret) && is_whole_macaroon(secret),
            Self::JsonHeader => has_json_header(secret),
            Self::EncodedWebToken => decode_base64(secret).is_some_and(|token| has_json_header(&token)),
            Self::Chosen => is_chosen(secret),
            Self::Unguessable => is_given(secret) && is_unguessable(secret),
            Self::BasicCredentials => is_basic_credentials(secret),
        }
    }
}

fn is_filled(secret: &[u8]) -> bool {
    !value::is_blanked(secret) && !made_up::is_made_up(secret) && !made_up::is_published(secret)
}

/// Keys for programs and administrators have 95 characters, the last two of them `AA`; of others nothing is known.
fn has_anthropic_end(secret: &[u8]) -> bool {
    let kind = secret.strip_prefix(b"sk-ant-").unwrap_or(secret);
    let fixed = kind.starts_with(b"api") || kind.starts_with(b"admin");
    let body = kind.iter().position(|&byte| byte == b'-').map_or(0, |hyphen| kind.len() - hyphen - 1);
    !fixed || (94..=96).contains(&body) && secret.ends_with(b"AA")
}

/// A token that begins with the number of its owner, as PyPI's do, has a signature of 32 bytes at its end.
fn is_whole_macaroon(secret: &[u8]) -> bool {
    let hyphen = secret.iter().position(|&byte| byte == b'-').map_or(0, |hyphen| hyphen + 1);
    let Some(decoded) = decode_base64(&secret[hyphen..]) else { return true };
    // Version 2, then packets of kind, length and content: the place, then the identifier (a UUID of 36 characters).
    let identifier = decoded.get(2).map(|&length| 3 + usize::from(length));
    let numbered = identifier.and_then(|at| decoded.get(at..at + 2)) == Some(&[2, 36]);
    let signed = decoded.len() >= 34 && decoded[decoded.len() - 34..].starts_with(&[6, 32]);
    !numbered || signed
}

/// Letters and digits, and not a word with a number behind it.
fn is_mixed(secret: &[u8]) -> bool {
    let digits = secret.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = secret.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let is_change = |pair: &&[u8]| {
        pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
            || pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
    };
    let changes = secret.windows(2).filter(is_change).count();
    digits > 0 && letters > 0 && value::distinct(secret) > 4 && (changes > 2 || !value::is_wordlike(secret))
}

fn has_json_header(secret: &[u8]) -> bool {
    let header = secret.split(|&byte| byte == b'.').next().unwrap_or_default();
    let Some(decoded) = decode_base64(header) else { return false };
    matches!(serde_json::from_slice(&decoded), Ok(serde_json::Value::Object(object)) if !object.is_empty())
}

/// Words that documents use where a password belongs.
const COMMON_WORDS: [&str; 19] = [
    "password",
    "pass",
    "passwd",
    "pwd",
    "secret",
    "token",
    "test",
    "guest",
    "admin",
    "root",
    "user",
    "username",
    "foo",
    "bar",
    "yyy",
    "xxx",
    "api",
    "credentials",
    "apikey",
];

fn is_chosen(secret: &[u8]) -> bool {
    let listed = COMMON_WORDS.iter().any(|word| secret.eq_ignore_ascii_case(word.as_bytes()));
    let says_password = value::contains_ignoring_case(secret, b"password") && !secret.iter().any(u8::is_ascii_digit);
    !listed && !says_password && secret.len() >= 4 && value::distinct(secret) > 2 && is_given(secret)
}

fn is_given(secret: &[u8]) -> bool {
    !value::is_placeholder(secret) && !secret.windows(3).any(|three| three == b"***")
}

fn is_unguessable(secret: &[u8]) -> bool {
    value::distinct(secret) > 5
        && !value::is_wordlike(secret)
        && !secret.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

fn is_basic_credentials(secret: &[u8]) -> bool {
    decode_base64(secret).is_some_and(|decoded| {
        decoded.contains(&b':') && decoded.iter().all(|&byte| (b' '..0x7f).contains(&byte) || byte >= 0x80)
    })
}

/// Decodes base64 of either alphabet, padded or not; `None` where a byte belongs to neither.
pub(crate) fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for &byte in text.iter().take_while(|byte| **byte != b'=') {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_with_and_without_padding() {
        assert_eq!(decode_base64(b"eyJhIjoxfQ==").as_deref(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(decode_base64(b"eyJhIjoxfQ").as_deref(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(decode_base64(b"a*b"), None);
    }

    #[test]
    fn only_a_json_header_makes_a_web_token() {
        assert!(Check::JsonHeader.passes(b"eyJhbGciOiJub25lIn0.eyJhIjoxfQ.x"));
        assert!(!Check::JsonHeader.passes(b"eyJhbGciOiJub25.eyJhIjoxfQ.x"));
    }

    #[test]
    fn basic_credentials_decode_to_a_pair() {
        assert!(Check::BasicCredentials.passes(b"dXNlcjpwdw=="));
        assert!(!Check::BasicCredentials.passes(b"AAAAAAAA"));
    }
}
