//! Whether a log is what it says it is.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use tollgate_audit::{Flaw, Head, Known, Verified, verify};
use tollgate_config::Anchor;
use tollgate_core::Digest;

use super::args::Verify;
use super::place::{Origin, Place, PublicKey, shown, unreadable};
use super::row::ranges;
use super::{count, json};
use crate::args::Policy;
use crate::command::{Done, Failure, NO};
use crate::open;
use crate::output::{Paint, print, thousands, visible, wrap};
use crate::progress::Progress;

pub(super) fn run(policy: &Policy, args: &Verify, paint: Paint) -> Done {
    let place = Place::of(policy, &args.place)?;
    let key = place.public_key(args.key.as_deref())?;
    let mut notes = Vec::new();
    let anchors = anchors(policy, args, &place, &mut notes)?;
    let known = Known { key: key.map(|key| key.bytes), anchors };
    let mut progress = Progress::new("checking");
    let found = verify(&place.dir, &known, &mut |records| progress.at(records, None, " records"))?;
    drop(progress);
    if found.records == 0 && found.flaw.is_none() {
        return nothing(&place, args.json.json);
    }
    let proven = key.is_some() || args.place.dir.is_some();
    if proven {
        about_key(key, &mut notes);
    } else {
        notes.push(without_key(&place)?);
    }
    about_rest(&found, &known, &mut notes);
    if args.json.json {
        json::print(&verdict(&found, &known, key, proven, &notes))?;
    } else {
        print(&show(&found, &known, proven, &notes, paint))?;
    }
    Ok(if found.flaw.is_none() && proven { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

/// Where nothing is, nothing is proven.
fn nothing(place: &Place, json: bool) -> Done {
    let dir = shown(&place.dir);
    if json {
        let note = format!("there is no record in `{dir}`");
        json::print(&json!({ "ok": false, "records": 0, "flaw": null, "notes": [note] }))?;
    } else {
        let help = "if there were any, all of them are gone: only an anchor kept elsewhere can tell";
        print(&format!("nothing to check: there is no record in {dir}\n{}\n", wrap(help, 2, 80)))?;
    }
    Ok(ExitCode::from(NO))
}

/// Heads that were kept elsewhere: those that are named, and that of the policy.
fn anchors(policy: &Policy, args: &Verify, place: &Place, notes: &mut Vec<String>) -> Result<Vec<Head>, Failure> {
    let mut heads = Vec::new();
    for path in &args.anchor {
        heads.extend(read_heads(path)?.ok_or_else(|| format!("there is no file `{}`", shown(path)))?);
    }
    if !place.own {
        return Ok(heads);
    }
    match open::plan(policy, Paint::PLAIN).map(|plan| plan.audit.anchor) {
        Ok(Some(Anchor::File(path))) => match read_heads(&path)? {
            Some(found) => heads.extend(found),
            None => notes.push(format!("the policy's anchor `{}` is not there, so it was not compared", shown(&path))),
        },
        Ok(Some(other)) => notes.push(format!(
            "heads are anchored at {}; fetch one and compare it with `--anchor FILE`",
            visible(&other.to_string())
        )),
        Ok(None) => {}
        Err(_) => {
            notes.push("the policy has mistakes, so no anchor of it was compared; run `tollgate check`".to_owned())
        }
    }
    Ok(heads)
}

/// The heads in a file, one on each line; none if there is no file.
fn read_heads(path: &Path) -> Result<Option<Vec<Head>>, Failure> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| unreadable(path, &error))?,
    };
    if let Some(head) = Head::parse(&text) {
        return Ok(Some(vec![head]));
    }
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let heads: Option<Vec<Head>> = lines.map(Head::parse).collect();
    let heads = heads.filter(|heads| !heads.is_empty());
    heads.map(Some).ok_or_else(|| format!("`{}` is no signed head, so it proves nothing", shown(path)).into())
}

fn about_key(key: Option<PublicKey>, notes: &mut Vec<String>) {
    let note = match key.map(|key| key.from) {
        Some(Origin::Own | Origin::Given) => return,
        Some(Origin::Beside) => {
            "the key was taken from the file `key` beside the log, which proves only that the log fits together; \
             give the one you know with `--key`"
        }
        None => {
            "the key was taken from the log itself because none was given, which proves only that the log fits \
             together; `tollgate log key` prints it where the log was written"
        }
    };
    notes.push(note.to_owned());
}

/// One's own log is signed with one's own key. If that is gone, the log may be anybody's.
fn without_key(place: &Place) -> Result<String, Failure> {
    Ok(format!(
        "the key of this log is not in `{}`. Without it nothing is proven: whoever changed the log could have signed it \
         anew with a key of their own. If you know the public key, give it with `--key`",
        shown(place.keys()?)
    ))
}

fn about_rest(found: &Verified, known: &Known, notes: &mut Vec<String>) {
    if !found.unsigned.is_empty() {
        let which = ranges(&found.unsigned);
        let (was, them) = if which.starts_with("records") { ("were", "them") } else { ("was", "it") };
        notes.push(format!("{which} {was} not signed when written; somebody without the key could have added {them}"));
    }
    if let Some((first, _)) = found.range.filter(|(first, _)| *first > 1) {
        notes.push(format!(
            "{} before record {} removed, as the log says",
            were(first - 1, "record"),
            thousands(first)
        ));
        if known.anchors.iter().any(|head| head.count < first) {
            notes.push("an anchored head speaks of removed records only, so it could not be compared".to_owned());
        }
    }
    if found.erased > 0 {
        notes.push(format!("{} erased, as the log says", were(found.erased, "field")));
    }
    if found.unfinished > 0 {
        let still = if found.unfinished == 1 { "is" } else { "are" };
        let fields = count(found.unfinished, "field");
        notes.push(format!("an erasure was interrupted: {fields} should be gone and {still} still there; erase again"));
    }
}

/// `1 field was`, `2 fields were`.
fn were(number: u64, one: &str) -> String {
    format!("{} {}", count(number, one), if number == 1 { "was" } else { "were" })
}

fn show(found: &Verified, known: &Known, proven: bool, notes: &[String], paint: Paint) -> String {
    let what = format!("{}, {}", count(found.signatures, "signature"), count(found.fields, "field"));
    let range = found.range.map(|(first, last)| format!(" ({} to {})", thousands(first), thousands(last)));
    let what = format!("{}{}, {what}", count(found.records, "record"), range.unwrap_or_default());
    let mut out = match &found.flaw {
        None if proven => format!("{} {what}\n{}", paint.green("good:"), signed(found, known)),
        None => format!("{} {}\n", paint.red("not proven:"), below(&what, 12)),
        Some(Flaw { seq, what: wrong }) => {
            let wrong = format!("record {}: {}", thousands(*seq), visible(wrong));
            let read = format!("read: {what}");
            format!("{} {}\n{}\n", paint.red("bad:"), below(&wrong, 5), wrap(&read, 5, 80))
        }
    };
    for note in notes {
        out.push_str(&format!("{} {}\n", paint.yellow("note:"), below(note, 6)));
    }
    out
}

/// Text after a label of this width.
fn below(text: &str, label: usize) -> String {
    wrap(text, label, 80).trim_start().to_owned()
}

fn signed(found: &Verified, known: &Known) -> String {
    let key = found.key.map(|key| Digest(key).to_string()).unwrap_or_default();
    let anchors = known.anchors.len() as u64;
    let anchored = if anchors > 0 { format!("; fits {}", count(anchors, "anchored head")) } else { String::new() };
    format!("      signed up to {} with key {key:.12}…{anchored}\n", thousands(found.signed))
}

fn verdict(found: &Verified, known: &Known, key: Option<PublicKey>, proven: bool, notes: &[String]) -> Value {
    let from = match key.map(|key| key.from) {
        Some(Origin::Given) => "given",
        Some(Origin::Own) => "own",
        Some(Origin::Beside) => "beside",
        None => "log",
    };
    json!({
        "ok": found.flaw.is_none() && proven,
        "flaw": found.flaw.as_ref().map(|flaw| json!({ "seq": flaw.seq, "what": flaw.what })),
        "records": found.records,
        "first": found.range.map(|(first, _)| first),
        "last": found.range.map(|(_, last)| last),
        "signatures": found.signatures,
        "fields": found.fields,
        "erased": found.erased,
        "unfinished": found.unfinished,
        "signed": found.signed,
        "unsigned": found.unsigned,
        "anchors": known.anchors.len(),
        "key": found.key.map(|key| Digest(key).to_string()),
        "key_from": from,
        "notes": notes,
    })
}
