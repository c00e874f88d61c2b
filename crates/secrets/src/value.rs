//! Whether a value looks like a secret, judged by nothing but its characters.

use crate::assign::LONGEST_VALUE;
use crate::check::decode_base64;
use crate::made_up;

/// What the text around a value says about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Circumstances {
    /// The name says password: people choose these, so randomness cannot be asked for.
    pub(crate) password: bool,
    /// The name says secret, token, credential or a qualified key, not just `key` or `access`.
    pub(crate) strong_name: bool,
    /// A vendor whose keys look like this value is named nearby.
    pub(crate) vendor_shape: bool,
    /// The value stands in quotes.
    pub(crate) quoted: bool,
    /// Nothing but blanks (or a hyphen) stands between name and value.
    pub(crate) spaced: bool,
}

/// Words that mark a value as made up for a document.
const PLACEHOLDER_WORDS: [&str; 27] = [
    "example",
    "your",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "redacted",
    "insert",
    "replace",
    "dummy",
    "xxxx",
    "****",
    "....",
    "{{",
    "<%",
    "%s",
    "todo",
    "fixme",
    "not_a_real",
    "notareal",
    "sample",
    "fake",
    "not-set",
    "notset",
    "undefined",
    "0123456789abcdefghijklmnopqrstuvwxyz",
    "process.env",
];

/// Whether the value stands for a secret that somebody is to fill in.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let open = value.first().copied().unwrap_or(b' ');
    if matches!(open, b'$' | b'<' | b'{' | b'%' | b'*' | b'[') || value.ends_with(b"..") || is_template(value) {
        return true;
    }
    PLACEHOLDER_WORDS.iter().any(|word| contains_ignoring_case(value, word.as_bytes()))
}

/// Whether an expression stands in the value: `${…}`, `$(…)`, `#{…}`, `%(…)`.
fn is_template(value: &[u8]) -> bool {
    let opening = value.windows(2).position(|pair| matches!(pair, b"${" | b"$(" | b"#{" | b"%(" | b"%{"));
    opening.is_some_and(|at| {
        let closing = if value[at + 1] == b'{' { b'}' } else { b')' };
        let name = &value[at + 2..];
        name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') && name.contains(&closing)
    })
}

/// Whether a token of a known shape was blanked out: mostly `x`, `*`, or hardly any different characters.
pub(crate) fn is_blanked(token: &[u8]) -> bool {
    let crossed = token.iter().filter(|byte| matches!(byte, b'x' | b'X' | b'*')).count();
    crossed * 2 > token.len()
        || contains_ignoring_case(token, b"xxxxxx")
        || token.windows(3).any(|three| three == b"...")
}

/// Whether `needle` (lower case) occurs in `text` in whatever case.
pub(crate) fn contains_ignoring_case(text: &[u8], needle: &[u8]) -> bool {
    let Some(last) = text.len().checked_sub(needle.len()) else { return false };
    (0..=last).any(|at| {
        // Most places are ruled out by their first byte.
        text[at].eq_ignore_ascii_case(&needle[0]) && text[at..at + needle.len()].eq_ignore_ascii_case(needle)
    })
}

/// Shannon entropy in bits for each byte.
pub(crate) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in value {
        counts[usize::from(byte)] += 1;
    }
    let total = value.len() as f64;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = f64::from(count) / total;
            -share * share.log2()
        })
        .sum()
}

/// How many different bytes the value holds.
pub(crate) fn distinct(value: &[u8]) -> usize {
    let mut seen = [false; 256];
    value.iter().filter(|&&byte| !std::mem::replace(&mut seen[usize::from(byte)], true)).count()
}

/// Whether a value can be told to be no secret at a glance: too short or too long, or a short row of letters.
pub(crate) fn is_hopeless(value: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.');
    value.len() < 6 || value.len() > LONGEST_VALUE || value.len() < 16 && value.iter().all(plain)
}

/// Whether a named value is a secret.
pub(crate) fn is_secret(value: &[u8], circumstances: Circumstances) -> bool {
    if is_hopeless(value) && !circumstances.vendor_shape || is_placeholder(value) || is_reference(value) {
        return false;
    }
    if made_up::is_made_up(value) || made_up::is_published(value) {
        return false;
    }
    if circumstances.password && is_password(value, circumstances) {
        return true;
    }
    if circumstances.vendor_shape {
        return distinct(value) >= 4 && !is_wordlike(value);
    }
    let least = if circumstances.strong_name && !circumstances.spaced { 10 } else { 16 };
    value.len() >= least && !is_version(value) && !is_encoded_text(value) && is_random(value, circumstances)
}

/// Whether the value could be a password that a person chose: letters and something else, no blanks.
fn is_password(value: &[u8], circumstances: Circumstances) -> bool {
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let symbols =
        value.iter().filter(|byte| byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'-' | b'.')).count();
    let enough = value.len() >= if circumstances.quoted { 7 } else { 8 };
    if circumstances.spaced && !circumstances.quoted && (digits == 0 || is_reference(value) || is_version(value)) {
        return false;
    }
    let code = !circumstances.quoted && value.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'|'));
    enough
        && !code
        && value.iter().all(|&byte| byte > b' ')
        && letters > 0
        && (digits > 0 || (symbols > 0 && !value.ends_with(b"@")) || (value.len() >= 16 && !is_wordlike(value)))
        && (digits + symbols > 0 || !is_identifier(value))
}

/// Whether the characters look drawn at random from an alphabet that keys use.
fn is_random(value: &[u8], circumstances: Circumstances) -> bool {
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let odd = value.iter().filter(|byte| !is_key_byte(**byte)).count();
    if letters == 0 || odd > if circumstances.quoted && circumstances.strong_name { value.len() / 3 } else { 0 } {
        return false;
    }
    let uppers = value.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let no_digit_is_fine = value.len() >= 16 && (uppers == 0 || uppers == letters || value.len() >= 20);
    let separated = value.iter().any(|byte| matches!(byte, b'/' | b'.' | b'_' | b'-' | b':'));
    if digits == 0 && (separated || !(no_digit_is_fine && circumstances.strong_name)) {
        return false;
    }
    if !circumstances.strong_name && is_digest(value) {
        return false;
    }
    entropy(value) >= 2.8 && !is_wordlike(value)
}

/// Bytes of which keys are made.
fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~' | b':' | b'|' | b'!' | b'%')
}

/// Whether the value is a hexadecimal digest or a UUID: secret only where the name says so.
pub(crate) fn is_digest(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
}

/// Whether the value is base64 of words.
fn is_encoded_text(value: &[u8]) -> bool {
    let Some(text) = decode_base64(value).filter(|text| text.len() >= 12) else { return false };
    text.iter().all(|byte| matches!(byte, b' '..0x7f | b'\n')) && is_wordlike(&text)
}

/// Whether the value points somewhere instead of being something: a path, an address, a variable, a call.
fn is_reference(value: &[u8]) -> bool {
    let has = |needle: &[u8]| value.windows(needle.len()).any(|window| window == needle);
    let opens =
        |prefix: &str| value.len() >= prefix.len() && value[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes());
    has(b"://")
        || has(b"()")
        || has(b"->")
        || has(b"::")
        || [
            ".", "/", "~/", "@", "\\", "arn:", "file:", "http", "sha1:", "sha256:", "sha512-", "sha256-", "sha384-",
            "md5:", "enc[",
        ]
        .iter()
        .any(|prefix| opens(prefix))
        || is_mail_address(value)
        || is_host(value)
        || is_selector(value)
        || is_path(value)
}

/// Whether the value is a path to a file with an extension.
fn is_path(value: &[u8]) -> bool {
    let Some(dot) = value.iter().rposition(|&byte| byte == b'.') else { return false };
    let extension = &value[dot + 1..];
    value.contains(&b'/') && (1..=5).contains(&extension.len()) && extension.iter().all(u8::is_ascii_lowercase)
}

/// Whether the value is a selector of a style sheet: `#login-form`.
fn is_selector(value: &[u8]) -> bool {
    value.first() == Some(&b'#') && is_identifier(&value[1..])
}

fn is_mail_address(value: &[u8]) -> bool {
    let mut parts = value.split(|&byte| byte == b'@');
    let (Some(user), Some(host), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    !user.is_empty() && is_host(host)
}

/// Whether the value reads like a host name (or file name): dotted labels, the last one a short word.
fn is_host(value: &[u8]) -> bool {
    let name = value.split(|&byte| byte == b':' || byte == b'/').next().unwrap_or_default();
    let Some(dot) = name.iter().rposition(|&byte| byte == b'.') else { return false };
    let last = &name[dot + 1..];
    (2..=6).contains(&last.len())
        && last.iter().all(u8::is_ascii_lowercase)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
        && name.split(|&byte| byte == b'.').all(|label| !label.is_empty() && label.len() < 20)
}

/// Whether the value is a version or a date: numbers and dots with a few letters.
fn is_version(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let dots = value.iter().filter(|byte| **byte == b'.').count();
    let rest = value.len() - digits - dots;
    dots >= 2 && digits >= 3 && value.len() < 40 && rest * 2 < value.len()
        || value.len() < 30
            && digits >= 8
            && value.iter().all(|byte| byte.is_ascii_digit() || b"-:.TZ+/".contains(byte))
}

/// Whether the value is one identifier of a programming language without digits.
fn is_identifier(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.'))
}

/// Whether most letters stand in pieces that could be words: what separators, digits and humps cut out of the value.
pub(crate) fn is_wordlike(value: &[u8]) -> bool {
    let (mut total, mut words, mut start) = (0, 0, 0);
    for at in 0..=value.len() {
        let ends = at == value.len() || !value[at].is_ascii_alphabetic() || is_hump(value, at, start);
        if !ends {
            continue;
        }
        let piece = &value[start..at];
        total += piece.len();
        if is_word(piece) {
            words += piece.len();
        }
        start = if at < value.len() && value[at].is_ascii_alphabetic() { at } else { at + 1 };
    }
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    // Names in snake case have numbers among their words.
    let snake = value.contains(&b'_') && !value.iter().any(|byte| byte.is_ascii_uppercase() || is_sign(*byte));
    total > 0 && words * 20 >= (total + digits) * if snake { 9 } else { 13 }
}

fn is_sign(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && byte != b'_'
}

/// Whether a new word of a camel-case name begins here.
fn is_hump(value: &[u8], at: usize, start: usize) -> bool {
    at > start && value[at].is_ascii_uppercase() && value[at - 1].is_ascii_lowercase()
}

/// Whether letters could be a word: some vowels, not too many, no long row of consonants, one case after the first.
fn is_word(piece: &[u8]) -> bool {
    if piece.len() < 3 || piece.len() > 12 {
        return false;
    }
    let uniform = piece.iter().all(u8::is_ascii_uppercase) || piece[1..].iter().all(u8::is_ascii_lowercase);
    let is_vowel = |byte: &u8| b"aeiouy".contains(&byte.to_ascii_lowercase());
    let vowels = piece.iter().filter(|byte| is_vowel(byte)).count();
    let row = piece.split(|byte| is_vowel(byte)).map(<[u8]>::len).max().unwrap_or(0);
    uniform && vowels * 5 >= piece.len() && vowels * 10 <= piece.len() * 7 && row <= if piece.len() < 8 { 3 } else { 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_random() {
        for value in ["fastbuffer-arm64", "QuarterReport-3.1", "of-Camellia512-77-With-BlockPadding", "ourhousekey123"]
        {
            assert!(is_wordlike(value.as_bytes()), "{value}");
        }
        for value in ["wq7zt31nm92kx5p", "ozrutbaveqhypsid7", "Ab3xK9q2LmZ7"] {
            assert!(!is_wordlike(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn entropy_is_measured_in_bits() {
        assert_eq!(entropy(b"aaaa"), 0.0);
        assert_eq!(entropy(b"abcd"), 2.0);
    }

    #[test]
    fn references_are_not_secrets() {
        let named = Circumstances { strong_name: true, quoted: true, ..Circumstances::default() };
        for value in
            ["https://host.acme.net/a1b2c3d4", "mx4711.lan.fabrikam.net", "./keys/a1b2c3d4e5", "1.2.3.20230412"]
        {
            assert!(!is_secret(value.as_bytes(), named), "{value}");
        }
        assert!(is_secret(b"k3J9dLq0Zx81", named));
    }

    const BARE: Circumstances =
        Circumstances { password: false, strong_name: false, vendor_shape: false, quoted: false, spaced: false };
    const QUOTED: Circumstances = Circumstances { quoted: true, ..BARE };
    const SPACED: Circumstances = Circumstances { spaced: true, ..BARE };
    const STRONG: Circumstances = Circumstances { strong_name: true, ..BARE };
    const QUOTED_STRONG: Circumstances = Circumstances { quoted: true, ..STRONG };

    #[test]
    fn what_people_choose_as_passwords() {
        for (value, around, expected) in [
            ("k9#mQz!2", BARE, true),
            ("k9#mQz!", BARE, false),
            ("k9#mQz!", QUOTED, true),
            ("k9#mQz", QUOTED, false),
            ("abcdefg!", BARE, true),
            ("abcdefg!", SPACED, false),
            ("k9#mQz!2", SPACED, true),
            ("abcdefg@", BARE, false),
            ("abcdef@g", BARE, true),
            ("abcdefg@1", BARE, true),
            ("abcdefgh", BARE, false),
            ("abcd_efg", BARE, false),
            ("abcd(123", BARE, false),
            ("abcd(123", QUOTED, true),
            ("abcd 1234", QUOTED, false),
            ("12345678!", BARE, false),
            ("wqztnmkxpbvrtgsd", BARE, false),
            ("wqztnmkxpbvrt\u{e9}sd", BARE, true),
            ("wqztnmkxpbvrt\u{e9}s", BARE, true),
            ("wqztnmkxpbvr\u{e9}s", BARE, false),
            ("v1.2.3.20230412", BARE, true),
            ("v1.2.3.20230412", SPACED, false),
        ] {
            assert_eq!(is_password(value.as_bytes(), around), expected, "{value} {around:?}");
        }
    }

    #[test]
    fn what_looks_drawn_at_random() {
        for (value, around, expected) in [
            ("k3J9dLq0Zx81", BARE, true),
            ("k3J9dLq0Zx81#", STRONG, false),
            ("k3J9dLq0Zx81#", QUOTED, false),
            ("k3J9dLq0Z@#$", QUOTED_STRONG, true),
            ("k3J9dLq0@#$&", QUOTED_STRONG, true),
            ("k3J9dLq@#$&*", QUOTED_STRONG, false),
            ("8391740265918", STRONG, false),
            ("wqztnmkxpbvrtgsd", STRONG, true),
            ("wqztnmkxpbvrtgsd", BARE, false),
            ("wqztnmkxpbvrtgs", STRONG, false),
            ("WQZTNMKXPBVRTGSD", STRONG, true),
            ("wQzTnMkXpBvRtGsDhJl", STRONG, false),
            ("wQzTnMkXpBvRtGsDhJlC", STRONG, true),
            ("wqztnmkx_pbvrtgsd", STRONG, false),
            ("wqztnmkx_pbvr1tgsd", STRONG, true),
            ("3f9a0c17d2b84e65", BARE, false),
            ("3f9a0c17d2b84e65", STRONG, true),
            ("a1b1a1b1a1b1a1b1", STRONG, false),
            ("ourhousekey123", STRONG, false),
        ] {
            assert_eq!(is_random(value.as_bytes(), around), expected, "{value} {around:?}");
        }
    }

    #[test]
    fn what_a_value_is_instead_of_a_secret() {
        type Kind = fn(&[u8]) -> bool;
        let kinds: [(&str, Kind, &[&str], &[&str]); 8] = [
            (
                "placeholder",
                is_placeholder,
                &["$KEY", "<key>", "abc..", "a${key}", "a$(key)", "a#{_key}", "MY_EXAMPLE_KEY", "xXxX"],
                &["abc.", "a${key", "a$(1)", "a#{key)", "a$", "exampl", "k3J9dLq0Zx81", ""],
            ),
            ("blanked", is_blanked, &["xxXa*", "abcdefghxXxXxX", "abc...def"], &["xxab", "abcdefghxxxxx", "abc..def"]),
            (
                "hopeless",
                is_hopeless,
                &["a1b2c", "abcdefghijklmno", "ab-cd_ef.gh"],
                &["a1b2c3", "abcdefghijklmnop", "ab-cd_ef.g4"],
            ),
            ("path", is_path, &["a/b.rs", "a/b.abcde"], &["a/b", "a/b.", "ab.rs", "a/b.abcdef", "a/b.Rs", "a/b.r5"]),
            ("selector", is_selector, &["#login-form"], &["login-form", "#login-form1"]),
            ("mail address", is_mail_address, &["me@acme.net"], &["@acme.net", "me@acme", "me@a@acme.net", "acme.net"]),
            (
                "host",
                is_host,
                &["acme.net", "a1.b-c_d.museum", "acme.net:80", "acme.net/a#"],
                &["acme", "acme.n", "acme.museums", "acme.Net", "ac#me.net", "acme..net", "abcdefghijklmnopqrst.net"],
            ),
            (
                "version",
                is_version,
                &["1.2.3", "1.2.34-ab", "2023-04-12T10:00:00Z", "20230412"],
                &["1.23", "1.2.a", "1.2.3-abcde", "2023041", "2023-04-12 10:00", "20230412201304122023041220230412"],
            ),
        ];
        for (name, is, those, others) in kinds {
            let found = |values: &[&'static str]| -> Vec<&str> {
                values.iter().copied().filter(|value| is(value.as_bytes())).collect()
            };
            assert_eq!((found(those), found(others)), (those.to_vec(), Vec::new()), "{name}");
        }
    }

    #[test]
    fn what_could_be_a_word() {
        for (piece, expected) in [
            ("key", true),
            ("ke", false),
            ("keeperofkeys", true),
            ("keeperofkeyss", false),
            ("Key", true),
            ("KEY", true),
            ("kEy", false),
            ("bcda", true),
            ("bcdfa", false),
            ("abcdfeha", true),
            ("abcdfgea", false),
            ("bcdabcdabc", true),
            ("bcdabcdabcd", false),
            ("aeiouyabcd", true),
            ("aeioub", false),
        ] {
            assert_eq!(is_word(piece.as_bytes()), expected, "{piece}");
        }
    }
}
