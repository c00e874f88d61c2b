//! Makes the log in `spec/audit/` and what is to be known of it. Salts and the id of the log are drawn, so it is made
//! once and kept.

use std::fs;
use std::path::Path;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use serde_json::{Value, json};
use tollgate_audit::{Draft, Keys, Reader, Segment};
use tollgate_core::Digest;

use super::{NONCE, SEAL_KEY, hex, home, message, record, secret, sha256, sig};
use crate::common::{Folder, copy};

fn event(point: &str, call: &str) -> Draft {
    let mut draft = Draft::new("event");
    for (name, value) in [("point", point), ("act", "pass"), ("tool", "Bash"), ("session", "s-1"), ("call", call)] {
        draft.member(name, &json!(value));
    }
    draft
}

/// Values that are easily written differently.
fn odd() -> Value {
    json!({
        "text": "tab\t newline\n quote\" backslash\\ slash/ bell\u{7} del\u{7f} \u{2028} \u{e9} e\u{301} \u{1f600}",
        "\u{1f600}": "this name comes before the next, by its UTF-16 units",
        "\u{fb33}": "and this one after it",
        "numbers": [1e21, 1e20, 0.1, -0.0, 1e-7, 123456789012345680.0, 9007199254740993_u64, 1.5, -1],
        "empty": [{}, [], "", null, true, false],
    })
}

fn sealed(salt: &[u8; 16], value: &Value) -> Value {
    let text = value.to_string();
    let payload = Payload { msg: text.as_bytes(), aad: &[&salt[..], b"arguments"].concat() };
    let cipher = XChaCha20Poly1305::new(&SEAL_KEY.into()).encrypt(&XNonce::from(NONCE), payload).unwrap();
    json!({ "sealed": BASE64_STANDARD.encode([&NONCE[..], &cipher].concat()) })
}

fn append(folder: &Folder, draft: Draft) {
    folder.clock.advance(Duration::from_micros(1_234_567));
    folder.log().append(draft).unwrap();
}

/// The records, over three segments, with a writer that died in the middle.
fn write(folder: &Folder, keys: &Keys) {
    let digest = |call: &str| json!(keys.digest(Digest(sha256(call.as_bytes()))).to_string());
    let mut before = event("tool.before", "c-1");
    before.member("digest", &digest("c-1"));
    before.field("arguments", odd()).unwrap();
    before.field("cwd", json!("/srv/caf\u{e9}")).unwrap();
    before.begins(Some("s-1"), "c-1");
    append(folder, before);
    let mut after = event("tool.after", "c-1");
    after.member("ended", &json!("ok"));
    after.member("took_us", &json!(1500));
    after.field("result", json!("\u{1f680} done")).unwrap();
    after.ends(Some("s-1"), "c-1");
    append(folder, after);
    let mut secret = event("tool.before", "c-2");
    secret.field_with("arguments", |salt| Ok(sealed(salt, &json!({"command": "deploy", "n": 0.1})))).unwrap();
    append(folder, secret);
    let mut approval = Draft::new("approval");
    approval.member("call", &json!("c-2"));
    approval.member("granted", &json!(true));
    approval.field("by", json!("ann")).unwrap();
    append(folder, approval);
    let head = fs::read(folder.dir().join("head")).unwrap();
    append(folder, event("tool.after", "c-2"));
    append(folder, event("prompt", "c-3"));
    // The last two were written and not signed, and of the second only a part.
    fs::write(folder.dir().join("head"), head).unwrap();
    let path = Segment::all(&folder.dir()).unwrap().last().unwrap().log();
    let length = fs::metadata(&path).unwrap().len();
    fs::File::options().write(true).open(path).unwrap().set_len(length - 9).unwrap();
    let mut erasure = Draft::new("erasure");
    erasure.member("seqs", &json!([[3, 3]]));
    erasure.member("names", &json!(["result"]));
    erasure.member("reason", &json!("asked for"));
    append(folder, erasure);
    crate::erase(&folder.dir(), 3);
    let mut refused = event("tool.before", "c-4");
    refused.member("act", &json!("deny"));
    refused.field("reason", json!("not on a Friday")).unwrap();
    append(folder, refused);
}

fn records(dir: &Path) -> Vec<Value> {
    let lines = Reader::new(dir).lines_from(0, 0).unwrap().map(|line| line.unwrap());
    lines
        .map(|line| {
            let seq = line.record().unwrap().seq;
            let text = String::from_utf8(line.bytes.clone()).unwrap();
            json!({"seq": seq, "line": text, "hash": hex(&sha256(&line.bytes))})
        })
        .collect()
}

fn commitments(dir: &Path) -> Vec<Value> {
    let mut all = Vec::new();
    for entry in Reader::new(dir).entries_from(1).unwrap().map(|entry| entry.unwrap()) {
        for (name, commitment) in &entry.record.fields {
            let opened = entry.fields.fields.get(name).and_then(Option::as_ref);
            let mut one = json!({"seq": entry.record.seq, "name": name, "commitment": commitment});
            if let Some((salt, value)) = opened {
                (one["salt"], one["value"]) = (json!(salt), json!(value.get()));
            }
            all.push(one);
        }
    }
    all
}

fn signed(place: String, head: &Value, domain: &str) -> Value {
    json!({"in": place, "message": message(head, domain), "sig": sig(head)})
}

fn heads(dir: &Path) -> Vec<Value> {
    let mut all = Vec::new();
    for entry in Reader::new(dir).entries_from(1).unwrap().map(|entry| entry.unwrap()) {
        let place = format!("record {}", entry.record.seq);
        let whole = record(dir, entry.record.seq);
        all.extend(entry.record.signed.map(|_| signed(place, &whole, "tollgate-audit-1 checkpoint\n")));
    }
    let newest = serde_json::from_slice(&fs::read(dir.join("head")).unwrap()).unwrap();
    all.push(signed("head".to_owned(), &newest, "tollgate-audit-1\n"));
    all
}

fn edited(what: &str, file: String, from: &str, to: &str, first_bad: Value) -> Value {
    json!({"what": what, "file": file, "from": from, "to": to, "first_bad": first_bad})
}

fn removed(what: &str, file: String, first_bad: usize) -> Value {
    json!({"what": what, "file": file, "remove": true, "first_bad": first_bad})
}

/// Small edits and what they are found by.
fn bad(dir: &Path) -> Value {
    let names: Vec<String> = Segment::all(dir).unwrap().iter().map(|one| format!("{:012}", one.first)).collect();
    let name = |at: usize, end: &str| format!("{}.{end}", names[at]);
    let line = |seq: usize| records(dir)[seq - 1]["line"].as_str().unwrap().to_owned() + "\n";
    let last = records(dir).len();
    let checkpoint = |record: &&Value| record["line"].as_str().unwrap().contains("\"kind\":\"checkpoint\"");
    let vouched = records(dir).iter().rfind(checkpoint).unwrap()["seq"].clone();
    let (older, counts) =
        (line(2).replace("2023-", "2022-"), [last, last + 1].map(|count| format!("\"count\":{count}")));
    json!([
        edited("a tool's name", name(0, "log"), "Bash", "Dash", json!(2)),
        edited("a record removed", name(0, "log"), &line(2), "", json!(2)),
        edited("a time that goes back", name(0, "log"), &line(2), &older, json!(2)),
        edited("a field", name(0, "fields"), "/srv", "/opt", json!(2)),
        edited("a number written differently", name(0, "fields"), "1e+21", "1E+21", json!(2)),
        edited("a field under another name", name(0, "fields"), "\"cwd\":", "\"cwt\":", json!(2)),
        edited("the head's count", "head".to_owned(), &counts[0], &counts[1], vouched),
        edited("the last record removed", name(names.len() - 1, "log"), &line(last), "", json!(last)),
        removed("the head removed", "head".to_owned(), last),
        removed("the first file removed", name(0, "log"), 1),
        removed("the second file removed, and the erasure of a field in record 3 with it", name(1, "log"), 3),
    ])
}

fn sealed_vector(dir: &Path) -> Value {
    let entry = Reader::new(dir).entry(4).unwrap().unwrap();
    let (salt, value) = entry.fields.fields["arguments"].as_ref().unwrap();
    json!({
        "seq": 4, "name": "arguments", "salt": salt, "key": hex(&SEAL_KEY), "nonce": hex(&NONCE),
        "value": value.get(), "plaintext": "{\"command\":\"deploy\",\"n\":0.1}",
    })
}

/// A text without what is drawn at random and what follows from it: hashes, salts, signatures, what is sealed.
fn masked(text: &str) -> String {
    let drawn = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '=');
    let mut masked = String::new();
    for word in text.split_inclusive(|letter| !drawn(letter)) {
        let (run, end) = word.split_at(word.trim_end_matches(|letter| !drawn(letter)).len());
        masked.push_str(if run.len() < 32 { run } else { "#" });
        masked.push_str(end);
    }
    masked
}

/// With `UPDATE_VECTORS` set, what is made takes the place of what is kept.
#[test]
fn what_is_kept_is_what_is_made_anew_but_for_what_is_drawn() {
    let folder = Folder::new("vectors").segments(2_000);
    fs::create_dir_all(folder.key_dir()).unwrap();
    let path = folder.key_dir().join("audit.key");
    fs::write(&path, hex(&secret())).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let keys = Keys::of(secret(), Path::new("."));
    write(&folder, &keys);
    fs::remove_file(folder.dir().join("lock")).unwrap();
    let dir = folder.dir();
    let plain = Digest(sha256(b"c-1"));
    let all = json!({
        "secret": hex(&secret()),
        "public": hex(&keys.public()),
        "records": records(&dir),
        "commitments": commitments(&dir),
        "heads": heads(&dir),
        "digest": {"key": hex(&super::mac(&secret(), b"tollgate-audit-digest")), "plain": plain.to_string(),
            "keyed": keys.digest(plain).to_string()},
        "sealed": sealed_vector(&dir),
        "unsigned": folder.verify().unsigned,
        "bad": bad(&dir),
    });
    assert_eq!(folder.flaw(), "good");
    let (text, kept) = (serde_json::to_string_pretty(&all).unwrap() + "\n", home().join("vectors.json"));
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        let _ = fs::remove_dir_all(home().join("log"));
        copy(&dir, &home().join("log"));
        fs::write(&kept, &text).unwrap();
    }
    let kept = fs::read_to_string(kept).unwrap();
    for (number, (made, kept)) in masked(&text).lines().zip(masked(&kept).lines()).enumerate() {
        assert_eq!(made, kept, "line {} of vectors.json", number + 1);
    }
    assert_eq!(text.lines().count(), kept.lines().count());
}
