//! Values that only the holder of a key can read.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use serde_json::{Value, json};

use crate::{AuditError, keys};

/// How long a nonce is: long enough to be drawn at random for each value.
const NONCE: usize = 24;

/// Encrypts a value, bound to the field it stands in.
pub(crate) fn seal(key: &[u8; 32], salt: &[u8; 16], name: &str, value: &Value) -> Result<Value, AuditError> {
    let nonce: [u8; NONCE] = keys::draw()?;
    let text = value.to_string();
    let payload = Payload { msg: text.as_bytes(), aad: &bound_to(salt, name) };
    let sealed = XChaCha20Poly1305::new(key.into()).encrypt(&XNonce::from(nonce), payload);
    let sealed = sealed.map_err(|_| AuditError::new(format!("the field `{name}` is too long to be sealed")))?;
    Ok(json!({ "sealed": BASE64_STANDARD.encode([&nonce[..], &sealed].concat()) }))
}

/// Decrypts what [`seal`] made; none if the value is not sealed at all.
pub(crate) fn unseal(key: &[u8; 32], salt: &[u8; 16], name: &str, value: &Value) -> Option<Result<Value, AuditError>> {
    let text = is_sealed(value)?;
    let wrong = || AuditError::new(format!("the field `{name}` was sealed with another key"));
    let open = || {
        let bytes = BASE64_STANDARD.decode(text).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE>()?;
        let payload = Payload { msg: sealed, aad: &bound_to(salt, name) };
        let text = XChaCha20Poly1305::new(key.into()).decrypt(&XNonce::from(*nonce), payload).ok()?;
        serde_json::from_slice(&text).ok()
    };
    Some(open().ok_or_else(wrong))
}

/// The text of a sealed value.
pub(crate) fn is_sealed(value: &Value) -> Option<&str> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    members.get("sealed")?.as_str()
}

fn bound_to(salt: &[u8; 16], name: &str) -> Vec<u8> {
    [&salt[..], name.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_opens_what_was_sealed_and_only_in_its_place() {
        let (value, salt) = (json!({"command": "deploy --token x"}), [3; 16]);
        let sealed = seal(&[1; 32], &salt, "arguments", &value).unwrap();
        assert!(!sealed.to_string().contains("deploy"));
        assert_eq!(unseal(&[1; 32], &salt, "arguments", &sealed), Some(Ok(value.clone())));
        for (key, salt, name) in
            [([2; 32], salt, "arguments"), ([1; 32], [4; 16], "arguments"), ([1; 32], salt, "result")]
        {
            assert!(matches!(unseal(&key, &salt, name, &sealed), Some(Err(_))), "{name}");
        }
        assert_eq!(unseal(&[1; 32], &salt, "arguments", &value), None);
        // The same twice is not to be recognised.
        assert_ne!(seal(&[1; 32], &salt, "arguments", &value).unwrap(), sealed);
    }
}
