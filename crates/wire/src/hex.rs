//! Bytes as lowercase hexadecimal digits.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The digits of these bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    push(&mut text, bytes);
    text
}

/// Adds the digits of bytes to a text.
pub fn push(text: &mut String, bytes: &[u8]) {
    for some in bytes.chunks(32) {
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(some) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        // Digits are UTF-8.
        text.push_str(str::from_utf8(&digits[..2 * some.len()]).unwrap_or_default());
    }
}

/// The bytes, if there are exactly that many and the digits are lowercase.
///
/// ```
/// use tollgate_wire::hex;
///
/// assert_eq!(hex::decode(&hex::encode(&[7, 255])), Some([7, 255]));
/// assert_eq!(hex::decode::<2>("07FF"), None);
/// ```
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = half(pair[0])? << 4 | half(pair[1])?;
    }
    Some(bytes)
}

fn half(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_and_back() {
        for (text, bytes) in [("", None), ("00ff", Some([0, 255])), ("00FF", None), ("00f", None), ("0g00", None)] {
            assert_eq!(super::decode(text), bytes, "{text}");
        }
        assert_eq!(super::encode(&[0, 255, 16]), "00ff10");
    }
}
