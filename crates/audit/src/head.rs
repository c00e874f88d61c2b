use ed25519_dalek::{Signature, VerifyingKey};
use serde::Deserialize;
use serde_json::{Value, json};
use tollgate_core::Digest;
use tollgate_wire::hex;

use crate::Keys;

/// What every signed text begins with, so that it can be taken for nothing else.
const DOMAIN: &str = "tollgate-audit-1\n";
/// How long the text of a head is, at most.
const LENGTH: usize = 512;
/// The same for checkpoints. Otherwise somebody could cut off the log there and say that this was its end.
const CHECKPOINT: &[u8] = b"tollgate-audit-1 checkpoint\n";

/// A signed statement: this log has so many records, and this is the hash of the last.
///
/// ```
/// use std::path::Path;
/// use tollgate_audit::{Head, Keys};
/// use tollgate_core::Digest;
///
/// let keys = Keys::of([7; 32], Path::new("."));
/// let head = Head::sign(&keys, [1; 16], 3, Digest([2; 32]), "2026-11-15T09:30:00.000000Z");
/// assert!(head.is_genuine());
/// assert!(!Head { count: 2, ..head }.is_genuine());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// How many records there are.
    pub count: u64,
    /// The hash of the last.
    pub head: Digest,
    /// Which log.
    pub log: [u8; 16],
    /// When, see [`stamp`](crate::stamp()).
    pub time: String,
    /// The public key.
    pub key: [u8; 32],
    /// The signature.
    pub sig: [u8; 64],
}

/// The same as it is written. More than this would not be signed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<'a> {
    count: u64,
    head: &'a str,
    key: &'a str,
    log: &'a str,
    sig: &'a str,
    time: &'a str,
    v: u64,
}

impl Head {
    /// Signs a statement.
    pub fn sign(keys: &Keys, log: [u8; 16], count: u64, head: Digest, time: &str) -> Self {
        let unsigned = Self { count, head, log, time: time.to_owned(), key: keys.public(), sig: [0; 64] };
        Self { sig: keys.sign(&unsigned.message()), ..unsigned }
    }

    /// The statement of a checkpoint, which is signed together with all else that the record says: `line` is that
    /// record, with the statement in it that is given to it.
    pub(crate) fn checkpoint(
        keys: &Keys,
        log: [u8; 16],
        count: u64,
        head: Digest,
        time: &str,
        line: impl FnOnce(&Value) -> Vec<u8>,
    ) -> Self {
        let unsigned = Self { count, head, log, time: time.to_owned(), key: keys.public(), sig: [0; 64] };
        Self { sig: keys.sign(&[CHECKPOINT, &line(&unsigned.statement())].concat()), ..unsigned }
    }

    /// Whether the signature fits the statement and the key in it. Whose key that is, is another question.
    pub fn is_genuine(&self) -> bool {
        self.fits(&self.message())
    }

    /// The same for the statement of a checkpoint, whose line this is.
    pub(crate) fn is_genuine_checkpoint(&self, line: &[u8]) -> bool {
        let own = format!("\"sig\":\"{}\",", hex::encode(&self.sig));
        let line = std::str::from_utf8(line).map(|line| line.replacen(&own, "", 1));
        line.is_ok_and(|line| self.fits(&[CHECKPOINT, line.as_bytes()].concat()))
    }

    fn fits(&self, message: &[u8]) -> bool {
        let key = VerifyingKey::from_bytes(&self.key);
        key.is_ok_and(|key| key.verify_strict(message, &Signature::from_bytes(&self.sig)).is_ok())
    }

    /// Whether it was signed with these keys: signing the same again gives the same, and is faster than checking.
    pub(crate) fn is_by(&self, keys: &Keys) -> bool {
        Self::sign(keys, self.log, self.count, self.head, &self.time) == *self
    }

    /// Reads what [`to_json`](Self::to_json) wrote; none if it is anything else.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let written: Written<'_> = serde_json::from_slice(text.trim_ascii()).ok()?;
        (written.v == 1).then_some(())?;
        Some(Self {
            count: written.count,
            head: Digest(hex::decode(written.head)?),
            log: hex::decode(written.log)?,
            time: written.time.to_owned(),
            key: hex::decode(written.key)?,
            sig: hex::decode(written.sig)?,
        })
    }

    /// The statement and its signature, as they are published.
    pub fn to_json(&self) -> Value {
        let mut value = self.statement();
        value["sig"] = hex::encode(&self.sig).into();
        value
    }

    fn statement(&self) -> Value {
        json!({
            "count": self.count,
            "head": hex::encode(&self.head.0),
            "key": hex::encode(&self.key),
            "log": hex::encode(&self.log),
            "time": self.time,
            "v": 1,
        })
    }

    fn message(&self) -> Vec<u8> {
        let mut text = String::with_capacity(DOMAIN.len() + LENGTH);
        text.push_str(DOMAIN);
        self.write(None, &mut text);
        text.into_bytes()
    }

    /// The canonical form, with or without the signature: every append needs it twice, so it is written at once. There
    /// is nothing in it that would have to be escaped.
    pub(crate) fn text(&self, sig: Option<&[u8; 64]>) -> String {
        let mut text = String::with_capacity(LENGTH);
        self.write(sig, &mut text);
        text
    }

    fn write(&self, sig: Option<&[u8; 64]>, out: &mut String) {
        out.push_str("{\"count\":");
        out.push_str(&self.count.to_string());
        let parts = [(",\"head\":\"", &self.head.0[..]), ("\",\"key\":\"", &self.key), ("\",\"log\":\"", &self.log)];
        for (name, bytes) in parts.into_iter().chain(sig.map(|sig| ("\",\"sig\":\"", &sig[..]))) {
            out.push_str(name);
            hex::push(out, bytes);
        }
        out.push_str("\",\"time\":\"");
        out.push_str(&self.time);
        out.push_str("\",\"v\":1}");
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_text_is_the_canonical_form() {
        let keys = Keys::of([7; 32], Path::new("."));
        for count in [0, 1, 256, 1 << 53] {
            let head = Head::sign(&keys, [1; 16], count, Digest([2; 32]), "2026-11-15T09:30:00.000000Z");
            assert_eq!(head.text(None).as_bytes(), tollgate_wire::canonical(&head.statement()));
            assert_eq!(head.text(Some(&head.sig)).as_bytes(), tollgate_wire::canonical(&head.to_json()));
            assert_eq!(Head::parse(head.text(Some(&head.sig)).as_bytes()), Some(head));
        }
    }
}
