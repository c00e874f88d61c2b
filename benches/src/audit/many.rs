//! One process that writes without a pause, and one that checks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tollgate_audit::{AuditError, Known, Log, Settings, verify};

use super::floors::{database, file, insert, write};
use super::{ARGUMENTS, BATCH, Folder, Size, draft};
use crate::cases::Trouble;
use crate::harness::{Case, Sample};

pub(super) const WRITES: &str = "write(2), one for each record";
pub(super) const BATCHED: &str = "write(2), one for 64 records";
pub(super) const ROWS: &str = "SQLite, one commit for each record";
pub(super) const DRAFTS: &str = "only making the drafts";
pub(super) const ONE: &str = "append, 1 thread";
pub(super) const THREADS: &str = "append, 16 threads";
pub(super) const TOGETHER: &str = "append_all, 64 at a time";
pub(super) const SYNCED: &str = "write(2) and fdatasync";
pub(super) const SYNC: &str = "append, synced, 1 thread";
pub(super) const SYNC_THREADS: &str = "append, synced, 16 threads";
pub(super) const READ: &str = "only reading the files";
pub(super) const VERIFY: &str = "verify";
const COUNT: u64 = 16;

/// Runs that came to nothing take for ever.
fn timed(run: impl FnOnce() -> bool) -> Sample {
    let start = Instant::now();
    let took = if run() { start.elapsed() } else { Duration::MAX };
    Sample { took, allocations: 0 }
}

fn case(what: &'static str, floor: Option<&'static str>, mut run: impl FnMut(u64) -> bool + 'static) -> Case {
    Case { what, floor, batch: Box::new(move |runs| timed(|| run(runs))) }
}

/// Writing without waiting for the disk.
pub(super) fn cases(size: &Size) -> Result<Vec<Case>, Trouble> {
    let (line, beside) = size.0;
    let folder = Arc::new(Folder::new("many")?);
    let (mut each, mut batch, rows) = (file(&folder, "each")?, file(&folder, "batch")?, database(&folder)?);
    let (one, many) = (vec![b'x'; line + beside], vec![b'x'; (line + beside) * BATCH]);
    let (line, beside) = ("x".repeat(line), "x".repeat(beside));
    let [log, shared, together] = [(); 3].map(|()| logging(Settings::default()));
    let (log, shared, together) = (log?, shared?, together?);
    let kept = Arc::clone(&folder);
    Ok(vec![
        case(WRITES, None, move |runs| write(&mut each, &one, runs, false)),
        case(BATCHED, None, move |runs| {
            write(&mut batch, &many, runs / BATCH as u64, false)
                && write(&mut batch, &many[..many.len() / BATCH * (runs as usize % BATCH)], 1, false)
        }),
        case(ROWS, Some(WRITES), move |runs| {
            let _kept = &kept;
            insert(&rows, &line, &beside, runs).is_ok()
        }),
        case(DRAFTS, Some(WRITES), |runs| (0..runs).all(|number| draft(&ARGUMENTS, number).is_ok())),
        case(ONE, Some(WRITES), move |runs| log.append(runs).is_ok()),
        case(THREADS, Some(WRITES), move |runs| shared.append_from_threads(runs)),
        case(TOGETHER, Some(BATCHED), move |runs| together.append_together(runs).is_ok()),
    ])
}

/// Writing that survives a power failure.
pub(super) fn synced(size: &Size) -> Result<Vec<Case>, Trouble> {
    let folder = Folder::new("synced")?;
    let (mut each, one) = (file(&folder, "each")?, vec![b'x'; size.0.0 + size.0.1]);
    let settings = Settings { sync: true, ..Settings::default() };
    let (log, shared) = (logging(settings.clone())?, logging(settings)?);
    Ok(vec![
        case(SYNCED, None, move |runs| {
            let _kept = &folder;
            write(&mut each, &one, runs, true)
        }),
        case(SYNC, Some(SYNCED), move |runs| log.append(runs).is_ok()),
        case(SYNC_THREADS, Some(SYNCED), move |runs| shared.append_from_threads(runs)),
    ])
}

/// Reading all that was written.
pub(super) fn checking(folder: Folder, key: [u8; 32]) -> Vec<Case> {
    let folder = Arc::new(folder);
    let (known, same) = (Known { key: Some(key), anchors: Vec::new() }, Arc::clone(&folder));
    let read = move |_| {
        let files = std::fs::read_dir(same.dir()).into_iter().flatten().flatten();
        files.map(|file| std::fs::read(file.path())).all(|bytes| bytes.is_ok())
    };
    let check = move |_| verify(&folder.dir(), &known, &mut |_| {}).is_ok_and(|found| found.flaw.is_none());
    vec![case(READ, None, read), case(VERIFY, Some(READ), check)]
}

/// A log in a folder of its own.
struct Logging {
    log: Log,
    _folder: Folder,
}

fn logging(settings: Settings) -> Result<Logging, Trouble> {
    let folder = Folder::new("many")?;
    Ok(Logging { log: folder.log(settings)?, _folder: folder })
}

impl Logging {
    fn append(&self, runs: u64) -> Result<(), AuditError> {
        (0..runs).try_for_each(|number| self.log.append(draft(&ARGUMENTS, number)?).map(drop))
    }

    fn append_together(&self, runs: u64) -> Result<(), AuditError> {
        let mut number = 0;
        while number < runs {
            let some = (number..runs.min(number + BATCH as u64)).map(|number| draft(&ARGUMENTS, number));
            number += self.log.append_all(&some.collect::<Result<Vec<_>, _>>()?)?.len() as u64;
        }
        Ok(())
    }

    fn append_from_threads(&self, runs: u64) -> bool {
        let next = AtomicU64::new(0);
        let work = || {
            while next.fetch_add(1, Ordering::Relaxed) < runs {
                self.append(1)?;
            }
            Ok::<(), AuditError>(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..COUNT.min(runs)).map(|_| scope.spawn(work)).collect();
            threads.into_iter().all(|thread| thread.join().is_ok_and(|done| done.is_ok()))
        })
    }
}
