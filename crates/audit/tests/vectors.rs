//! The log in `spec/audit/` is read, verified and computed again from what stands beside it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;
mod vectors {
    pub(crate) mod make;
    pub(crate) use super::{NONCE, SEAL_KEY, hex, home, mac, message, record, secret, sha256, sig};
}

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use common::{Folder, copy, shown};
use ed25519_dalek::{Signer, SigningKey};
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tollgate_audit::{Draft, Keys, Known, Reader, Segment, verify};
use tollgate_core::Digest;
use tollgate_wire::canonical;

const SEAL_KEY: [u8; 32] = [0x5e; 32];
const NONCE: [u8; 24] = [0x4e; 24];

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/audit")
}

/// 00 01 02 …
fn secret() -> [u8; 32] {
    std::array::from_fn(|at| u8::try_from(at).unwrap())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn mac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// What is signed: a head, or the whole record of a checkpoint, without the signature.
fn message(signed: &Value, domain: &str) -> String {
    let mut unsigned = signed.clone();
    let statement = if unsigned.get("signed").is_some() { &mut unsigned["signed"] } else { &mut unsigned };
    statement.as_object_mut().unwrap().remove("sig");
    domain.to_owned() + std::str::from_utf8(&canonical(&unsigned)).unwrap()
}

/// The signature in it.
fn sig(signed: &Value) -> &Value {
    signed.get("signed").unwrap_or(signed).get("sig").unwrap()
}

/// A record of a log, whole.
fn record(dir: &Path, seq: u64) -> Value {
    let mut lines = Reader::new(dir).lines_from(0, 0).unwrap().map(|line| line.unwrap());
    serde_json::from_slice(&lines.find(|line| line.record().unwrap().seq == seq).unwrap().bytes).unwrap()
}

/// Blanks the field `result` of a record.
fn erase(dir: &Path, seq: u64) {
    let path = Segment::all(dir).unwrap().iter().rfind(|segment| segment.first <= seq).unwrap().fields();
    let text = fs::read_to_string(&path).unwrap();
    let start = text.find("\"result\":").unwrap() + "\"result\":".len();
    let end = start + text[start..].find(&format!("}},\"seq\":{seq}}}")).unwrap();
    let blanked = format!("{}{:<width$}{}", &text[..start], "null", &text[end..], width = end - start);
    fs::write(path, blanked).unwrap();
}

fn vectors() -> Value {
    serde_json::from_slice(&fs::read(home().join("vectors.json")).unwrap()).unwrap()
}

fn known() -> Known {
    Known { key: Some(bytes(&vectors()["public"]).try_into().unwrap()), anchors: Vec::new() }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

#[test]
fn the_log_is_good_and_holds_what_it_should() {
    let found = verify(&home().join("log"), &known(), &mut |_| {}).unwrap();
    assert_eq!(shown(&found), "good");
    assert_eq!(json!(found.unsigned), vectors()["unsigned"]);
    assert_eq!((found.erased, found.unfinished), (1, 0));
    assert!(Segment::all(&home().join("log")).unwrap().len() >= 2);
    let recovered = Reader::new(&home().join("log")).entries_from(1).unwrap();
    assert_eq!(recovered.filter(|entry| entry.as_ref().unwrap().record.recovered.is_some()).count(), 1);
}

#[test]
fn hashes_link_the_records_and_no_two_are_the_same() {
    let vectors = vectors();
    let lines: Vec<_> = Reader::new(&home().join("log")).lines_from(0, 0).unwrap().map(|line| line.unwrap()).collect();
    let records = list(&vectors["records"]);
    assert_eq!(lines.len(), records.len());
    let mut prev = "0".repeat(64);
    let mut all = BTreeSet::new();
    for (line, known) in lines.iter().zip(records) {
        assert_eq!(line.bytes, known["line"].as_str().unwrap().as_bytes());
        let record: Value = serde_json::from_slice(&line.bytes).unwrap();
        assert_eq!(canonical(&record), line.bytes, "a record is in canonical form");
        assert_eq!((record["prev"].as_str(), &record["seq"]), (Some(prev.as_str()), &known["seq"]));
        prev = hex(&sha256(&line.bytes));
        assert_eq!(known["hash"], prev);
        assert!(prev.len() == 64 && prev.bytes().all(|digit| b"0123456789abcdef".contains(&digit)));
        assert!(all.insert(prev.clone()));
    }
}

#[test]
fn commitments_open_to_what_stands_beside() {
    let vectors = vectors();
    let reader = Reader::new(&home().join("log"));
    let mut erased = 0;
    for known in list(&vectors["commitments"]) {
        let (seq, name) = (known["seq"].as_u64().unwrap(), known["name"].as_str().unwrap());
        let entry = reader.entry(seq).unwrap().unwrap();
        assert_eq!(known["commitment"], entry.record.fields[name]);
        let Some(value) = known["value"].as_str() else {
            erased += 1;
            assert!(entry.fields.erased().any(|one| one == name));
            continue;
        };
        let text = [&bytes(&known["salt"])[..], name.as_bytes(), &[0], value.as_bytes()].concat();
        assert_eq!(known["commitment"], hex(&sha256(&text)));
        assert_eq!(entry.fields.value(name).unwrap(), serde_json::from_str::<Value>(value).unwrap());
        assert_eq!(canonical(&entry.fields.value(name).unwrap()), value.as_bytes(), "a value is in canonical form");
    }
    assert_eq!(erased, 1);
}

#[test]
fn heads_are_signed_with_the_key_that_follows_from_the_secret() {
    let vectors = vectors();
    assert_eq!(bytes(&vectors["secret"]), secret());
    let sign = SigningKey::from_bytes(&mac(&secret(), b"tollgate-audit-sign"));
    assert_eq!(vectors["public"], hex(sign.verifying_key().as_bytes()));
    assert_eq!(Keys::of(secret(), Path::new(".")).public(), sign.verifying_key().to_bytes());
    for known in list(&vectors["heads"]) {
        let (place, text) = (known["in"].as_str().unwrap(), known["message"].as_str().unwrap());
        assert_eq!(known["sig"], hex(&sign.sign(text.as_bytes()).to_bytes()), "{place}");
        let (head, domain) = match place.strip_prefix("record ") {
            Some(seq) => (record(&home().join("log"), seq.parse().unwrap()), "tollgate-audit-1 checkpoint\n"),
            None => {
                (serde_json::from_slice(&fs::read(home().join("log/head")).unwrap()).unwrap(), "tollgate-audit-1\n")
            }
        };
        assert_eq!((message(&head, domain), sig(&head)), (text.to_owned(), &known["sig"]), "{place}");
    }
}

#[test]
fn digests_are_keyed() {
    let known = &vectors()["digest"];
    let key = mac(&secret(), b"tollgate-audit-digest");
    assert_eq!(known["key"], hex(&key));
    let plain: [u8; 32] = bytes(&known["plain"]).try_into().unwrap();
    assert_eq!(known["keyed"], hex(&mac(&key, &plain)));
    assert_eq!(known["keyed"], Keys::of(secret(), Path::new(".")).digest(Digest(plain)).to_string());
}

#[test]
fn what_is_sealed_opens_with_its_key() {
    let known = &vectors()["sealed"];
    let (key, nonce): ([u8; 32], [u8; 24]) =
        (bytes(&known["key"]).try_into().unwrap(), bytes(&known["nonce"]).try_into().unwrap());
    let entry = Reader::new(&home().join("log")).entry(known["seq"].as_u64().unwrap()).unwrap().unwrap();
    let plain = known["plaintext"].as_str().unwrap();
    let opened = entry.fields.open("arguments", Some(&key)).unwrap().unwrap();
    assert_eq!(opened, serde_json::from_str::<Value>(plain).unwrap());
    let kept: Value = serde_json::from_str(known["value"].as_str().unwrap()).unwrap();
    let whole = BASE64_STANDARD.decode(kept["sealed"].as_str().unwrap()).unwrap();
    assert_eq!(whole[..24], nonce);
    let aad = [&bytes(&known["salt"])[..], known["name"].as_str().unwrap().as_bytes()].concat();
    let cipher = XChaCha20Poly1305::new(&key.into());
    let text = cipher.decrypt(&XNonce::from(nonce), Payload { msg: &whole[24..], aad: &aad }).unwrap();
    assert_eq!(text, plain.as_bytes());
}

#[test]
fn small_edits_are_found() {
    let folder = Folder::new("vectors-bad");
    fs::create_dir_all(&folder.root).unwrap();
    for edit in list(&vectors()["bad"]) {
        let what = edit["what"].as_str().unwrap();
        let _ = fs::remove_dir_all(folder.dir());
        copy(&home().join("log"), &folder.dir());
        common::small_edit(&folder.dir(), edit);
        let found = folder.verify_with(&known());
        assert_eq!(json!(found.flaw.as_ref().map(|flaw| flaw.seq)), edit["first_bad"], "{what}: {}", shown(&found));
    }
}

#[test]
fn the_order_in_which_members_are_given_does_not_matter() {
    let append = |forwards: bool| {
        let folder = Folder::new("order");
        let mut members =
            [("tool", json!("Bash")), ("observed", json!([{"b": 1, "a": [2, {"d": 3, "c": 4}]}])), ("zone", json!(1))];
        if !forwards {
            members.reverse();
            members[1].1 = serde_json::from_str(r#"[{"a":[2,{"c":4,"d":3}],"b":1}]"#).unwrap();
        }
        let mut draft = Draft::new("event");
        members.iter().for_each(|(name, value)| draft.member(name, value));
        let seq = folder.log().append(draft).unwrap();
        let lines = Reader::new(&folder.dir()).lines_from(0, 0).unwrap();
        let line = lines.map(|line| line.unwrap()).find(|line| line.record().unwrap().seq == seq).unwrap();
        let text = String::from_utf8(line.bytes.clone()).unwrap();
        text.replace(&line.record().unwrap().prev, "")
    };
    assert_eq!(append(true), append(false));
}
