//! Where the time of one append goes: each of its steps alone, on files like its own, in turns with the whole.

use std::fs::{self, File};
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tollgate_audit::{Head, Keys, Recorder, RecorderSettings, Settings};
use tollgate_clock::SystemClock;
use tollgate_core::{Act, Body, Digest, Event, Pipeline, Point, Registry};

use super::floors::file;
use super::{ARGUMENTS, Folder, Size, draft};
use crate::cases::Trouble;
use crate::harness::{Case, Row, Sample};

const WHOLE: &str = "one append, with its draft";
const DRAFT: &str = "  draft: canonical form, commitments";
const SIGN: &str = "  sign the head";
const HASH: &str = "  hash the line";
const LOCK: &str = "  lock and unlock";
const STATS: &str = "  see that nobody else wrote";
const WRITES: &str = "  write fields, line and head";
const RECORDED: &str = "one run that is recorded";
const UNRECORDED: &str = "  the same run without a recorder";
const CANONICAL: &str = "  canonical form and digest of the call";
const SEARCH: &str = "  search the arguments for credentials";

/// How long a head is in its file.
const HEAD: usize = 512;

fn case(what: &'static str, floor: Option<&'static str>, mut run: impl FnMut() -> bool + 'static) -> Case {
    let batch = move |runs: u64| {
        let start = Instant::now();
        let good = (0..runs).all(|_| run());
        Sample { took: if good { start.elapsed() } else { std::time::Duration::MAX }, allocations: 0 }
    };
    Case { what, floor, batch: Box::new(batch) }
}

/// The whole and its steps.
pub(super) fn cases(size: &Size) -> Result<Vec<Case>, Trouble> {
    let (line, beside) = size.0;
    let folder = Folder::new("steps")?;
    let log = folder.log(Settings::default())?;
    log.append(draft(&ARGUMENTS, 0)?)?;
    let mut number = 0;
    let whole = move || {
        number += 1;
        draft(&ARGUMENTS, number).and_then(|draft| log.append(draft)).is_ok()
    };
    let keys = Keys::of([7; 32], &folder.0);
    let sign =
        move || black_box(Head::sign(&keys, [1; 16], 77, Digest([2; 32]), "2026-11-15T09:30:00.000000Z")).count == 77;
    let text = Value::from("x".repeat(line - 2));
    let locks = file(&folder, "locks")?;
    let mut all = vec![
        case(WHOLE, None, whole),
        case(DRAFT, Some(WHOLE), || black_box(draft(&ARGUMENTS, 7)).is_ok()),
        case(SIGN, Some(WHOLE), sign),
        case(HASH, Some(WHOLE), move || black_box(tollgate_wire::digest(&text)).0 != [0; 32]),
        case(LOCK, Some(WHOLE), move || locks.try_lock().is_ok() && locks.unlock().is_ok()),
        case(STATS, Some(WHOLE), stats(&folder)?),
        case(WRITES, Some(WHOLE), writes(&folder, line, beside)?),
    ];
    all.extend(runs(folder)?);
    Ok(all)
}

/// What a writer looks at before it goes on where it was: the folder, and how long both files are.
fn stats(folder: &Folder) -> Result<impl FnMut() -> bool + use<>, Trouble> {
    let [log, fields] = ["000000000001.log", "000000000001.fields"].map(|name| File::open(folder.dir().join(name)));
    let (dir, log, fields) = (folder.dir(), log?, fields?);
    Ok(move || fs::metadata(&dir).is_ok() && log.metadata().is_ok() && fields.metadata().is_ok())
}

fn writes(folder: &Folder, line: usize, beside: usize) -> Result<impl FnMut() -> bool + use<>, Trouble> {
    let (mut lines, mut fields, head) =
        (file(folder, "lines")?, file(folder, "fields")?, File::create(folder.0.join("head"))?);
    let (line, beside, text) = (vec![b'x'; line], vec![b'x'; beside], [b'x'; HEAD]);
    let write = |file: &mut File, bytes: &[u8]| std::io::Write::write_all(file, bytes).is_ok();
    Ok(move || write(&mut fields, &beside) && write(&mut lines, &line) && head.write_all_at(&text, 0).is_ok())
}

/// A pipeline of nobody, or of a recorder alone.
fn pipeline(recorder: Option<&Recorder>) -> Result<Pipeline, Trouble> {
    let mut registry = Registry::new(tollgate_wire::names(), Arc::new(SystemClock::default()), tollgate_wire::digest);
    let registrations = recorder.into_iter().flat_map(Recorder::registrations);
    registrations.into_iter().try_for_each(|registration| registry.add(registration))?;
    Ok(registry.snapshot())
}

/// What a record costs a call, with all that is found out about it.
fn runs(folder: Folder) -> Result<Vec<Case>, Trouble> {
    let other = Folder::new("steps")?;
    let recorder = Recorder::new(Arc::new(other.log(Settings::default())?), RecorderSettings::default())?;
    let (with, without) = (pipeline(Some(&recorder))?, pipeline(None)?);
    let run = |pipeline: &Pipeline| {
        let name = pipeline.name("Bash");
        let event = Event {
            session: Some("5f0c9a52"),
            cwd: Some("/home/dev/project"),
            ..Event::tool(Point::ToolBefore, &name, "c-1")
        };
        matches!(pipeline.run_now(&event, &mut Body::from(ARGUMENTS.clone())).act, Act::Pass)
    };
    Ok(vec![
        case(RECORDED, None, move || {
            let _kept = (&folder, &other);
            run(&with)
        }),
        case(UNRECORDED, Some(RECORDED), move || run(&without)),
        case(CANONICAL, Some(RECORDED), || black_box(tollgate_wire::digest(&ARGUMENTS)).0 != [0; 32]),
        case(SEARCH, Some(RECORDED), || {
            let mut copy = ARGUMENTS.clone();
            tollgate_secrets::scanner().redact_json(&mut copy);
            black_box(copy).is_object()
        }),
    ])
}

/// What is left of the whole when its steps are taken off: putting the line together, the chain, bookkeeping.
pub(super) fn rest(rows: &[Row]) -> Option<f64> {
    let whole = rows.iter().find(|row| row.what == WHOLE)?.min;
    let steps = rows.iter().filter(|row| row.floor == Some(WHOLE)).map(|row| row.min);
    Some(whole - steps.sum::<f64>())
}
