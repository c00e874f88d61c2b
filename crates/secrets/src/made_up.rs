//! Values that were made up for a document: they count, say that they are an example, or were published as one.

/// The shortest row of successive letters or digits that nobody draws at random.
const SHORTEST_ROW: usize = 7;

/// Whether a value was made up: it says `EXAMPLE`, most of it is the alphabet or counts, or a part comes three times.
pub(crate) fn is_made_up(value: &[u8]) -> bool {
    value.windows(7).any(|seven| seven == b"EXAMPLE")
        || counts(value)
        || repeats_a_number(value)
        || is_impossible_uuid(value)
}

/// Whether four of five letters and digits stand in rows such as `abcdefghij` and `1234567890`. Letters and digits are
/// looked at apart, so that `a1b2c3d4…` counts as well.
fn counts(value: &[u8]) -> bool {
    let all = value.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let letters = in_rows(value.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase));
    let digits = in_rows(value.iter().filter(|byte| byte.is_ascii_digit()).copied());
    (letters + digits) * 5 >= all * 4 && all > 0
}

/// How many of the characters stand in long rows, each the next of the one before.
fn in_rows(characters: impl Iterator<Item = u8>) -> usize {
    let (mut total, mut row, mut last) = (0, 0, 0);
    for character in characters {
        let next = character == last + 1 || matches!((last, character), (b'9', b'0') | (b'z', b'a'));
        if !next {
            row = 0;
        }
        row += 1;
        total += match row {
            SHORTEST_ROW => SHORTEST_ROW,
            longer if longer > SHORTEST_ROW => 1,
            _ => 0,
        };
        last = character;
    }
    total
}

/// Whether three numbers in a row between hyphens are the same: `1234-1234-1234`. In UUIDs that may be a version.
fn repeats_a_number(value: &[u8]) -> bool {
    let (mut last, mut times): (&[u8], u8) = (&[], 0);
    for part in value.split(|&byte| byte == b'-') {
        let number = part.len() >= 3 && part.iter().all(u8::is_ascii_digit);
        times = if number && part == last { times + 1 } else { u8::from(number) };
        last = part;
        if times == 3 {
            return !has_uuid_groups(value);
        }
    }
    false
}

/// Whether the value ends in the groups of a UUID.
fn has_uuid_groups(value: &[u8]) -> bool {
    let groups: [usize; 5] = [12, 4, 4, 4, 8];
    let mut parts = value.rsplit(|&byte| byte == b'-').map(<[u8]>::len);
    groups.iter().all(|&length| parts.next() == Some(length))
}

/// Whether the value has the groups of a UUID and most digits in them are letters that no UUID has.
fn is_impossible_uuid(value: &[u8]) -> bool {
    let uuid = &value[value.len().saturating_sub(36)..];
    let foreign = uuid.iter().filter(|byte| matches!(byte, b'g'..=b'z')).count();
    let upper = uuid.iter().any(u8::is_ascii_uppercase);
    has_uuid_groups(value) && foreign >= 4 && !upper
}

/// Fingerprints of values that vendors print in their documents without saying that they are examples:
/// Kubernetes (the first secret of the page on secrets) and NuGet (credentials of package sources).
const PUBLISHED: [u64; 4] =
    [0x0f70_8dfb_e781_01e3, 0x770c_4492_0778_89f2, 0x4155_0317_7a5c_10e1, 0x1a3e_1c90_ee66_98a0];

/// Whether the value was published by a vendor for everybody to read.
pub(crate) fn is_published(value: &[u8]) -> bool {
    PUBLISHED.contains(&fingerprint(value))
}

/// FNV-1a: the list shall not hold the values themselves, which other scanners would take for leaks.
fn fingerprint(value: &[u8]) -> u64 {
    value.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
