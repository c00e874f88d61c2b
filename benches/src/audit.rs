//! What recording costs: one record by a new process, many by one process, and checking them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::{Value, json};
use tollgate_audit::{AuditError, Draft, Known, Log, Settings, verify};
use tollgate_clock::SystemClock;

use crate::cases::Trouble;
use crate::harness::{Effort, Row, measure};

mod cold;
mod floors;
mod index;
mod many;
mod show;
mod steps;

pub use cold::{ONLY_READS, RECORDS, child};
pub use show::Shown;

/// How many records are written together.
const BATCH: usize = 64;

/// How much is measured.
#[derive(Clone, Copy)]
struct Amount {
    /// Processes of either kind.
    processes: usize,
    /// In short turns, of which some find the machine idle even when others use it.
    many: Effort,
    synced: Effort,
    /// Records that are verified, and how often.
    records: u64,
    checks: usize,
}

const QUICK: Amount = Amount {
    processes: 30,
    many: Effort { rounds: 30, turn: Duration::from_millis(15) },
    synced: Effort { rounds: 3, turn: Duration::from_millis(100) },
    records: 20_000,
    checks: 2,
};
const FULL: Amount = Amount {
    processes: 2000,
    many: Effort { rounds: 300, turn: Duration::from_millis(15) },
    synced: Effort { rounds: 7, turn: Duration::from_millis(400) },
    records: 1_000_000,
    checks: 5,
};

/// Measures everything.
///
/// # Errors
/// When something could not be written, or does not come out as it should.
pub fn all(quick: bool) -> Result<Shown, Trouble> {
    let amount = if quick { QUICK } else { FULL };
    let folder = Folder::new("log")?;
    let size = size(&folder)?;
    let cold = measure(cold::cases()?, Effort { rounds: amount.processes, turn: Duration::from_nanos(1) });
    let many = measure(many::cases(&size)?, amount.many);
    let steps = measure(steps::cases(&size)?, amount.many);
    let synced = measure(many::synced(&size)?, amount.synced);
    let folder = Folder::new("long")?;
    let key = fill(&folder, amount)?;
    let indexed = index::index(&folder)?;
    Ok(Shown { size: size.0, cold, many, steps, synced, checked: checked(folder, key, amount)?, indexed })
}

/// Measures only one process that records without a pause.
///
/// # Errors
/// As [`all`].
pub fn appending() -> Result<String, Trouble> {
    let size = size(&Folder::new("log")?)?;
    let many = measure(many::cases(&size)?, FULL.many);
    let steps = measure(steps::cases(&size)?, FULL.many);
    Ok(show::appending(&many, &steps))
}

/// A record as it stands in the files: its line, and the one beside it.
struct Size((usize, usize));

fn size(folder: &Folder) -> Result<Size, Trouble> {
    let log = folder.log(Settings::default())?;
    let length = |extension: &str| {
        let path = folder.0.join("audit/000000000001").with_extension(extension);
        std::fs::metadata(path).map(|about| about.len() as usize)
    };
    log.append(draft(&ARGUMENTS, 0)?)?;
    let before = (length("log")?, length("fields")?);
    log.append(draft(&ARGUMENTS, 1)?)?;
    Ok(Size((length("log")? - before.0, length("fields")? - before.1)))
}

/// Writes a long log, and gives back its public key.
fn fill(folder: &Folder, amount: Amount) -> Result<[u8; 32], Trouble> {
    let log = folder.log(Settings::default())?;
    let mut number = 0;
    while number < amount.records {
        let drafts = (number..number + 1000).map(|number| draft(&ARGUMENTS, number));
        log.append_all(&drafts.collect::<Result<Vec<_>, _>>()?)?;
        number += 1000;
    }
    Ok(log.keys().public())
}

/// Verifying a whole log, beside only reading its files.
fn checked(folder: Folder, key: [u8; 32], amount: Amount) -> Result<Vec<Row>, Trouble> {
    let found = verify(&folder.dir(), &Known { key: Some(key), anchors: Vec::new() }, &mut |_| {})?;
    if let Some(flaw) = found.flaw {
        return Err(format!("record {} is wrong: {}", flaw.seq, flaw.what).into());
    }
    let cases = many::checking(folder, key);
    let rows = measure(cases, Effort { rounds: amount.checks, turn: Duration::from_nanos(1) });
    let each = |row: Row| Row {
        min: row.min / found.records as f64,
        median: row.median / found.records as f64,
        allocations: row.allocations / found.records as f64,
        ..row
    };
    Ok(rows.into_iter().map(each).collect())
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Self, Trouble> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tollgate-bench-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    fn dir(&self) -> PathBuf {
        self.0.join("audit")
    }

    fn log(&self, settings: Settings) -> Result<Log, AuditError> {
        open(&self.0, settings)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open(root: &Path, settings: Settings) -> Result<Log, AuditError> {
    Log::open(&root.join("audit"), &root.join("keys"), settings, Arc::new(SystemClock::default()))
}

/// What an agent asked for, as a hook gets it.
static ARGUMENTS: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "command": "cargo test -p core --all-features 2>&1 | tail -40 && git diff --stat origin/main...HEAD",
        "description": "Run the tests of the core crate and show what changed since main",
        "timeout": 120_000,
        "run_in_background": false,
    })
});

/// An ordinary record: a call before it runs.
fn draft(arguments: &Value, number: u64) -> Result<Draft, AuditError> {
    let session = format!("5f0c9a52-6f1e-4c0b-9d0e-0a3b6c{:06x}", number / 200);
    let call = format!("toolu_01H8XGJWBWBAQ4Z3{number:08}");
    let tool = ["Bash", "Read", "Edit", "Grep", "Bash", "Write", "WebFetch"][number as usize % 7];
    let act = if number.is_multiple_of(97) { "deny" } else { "pass" };
    let turn = |who: &str, role: &str| json!({ "who": who, "role": role, "said": "passed", "took_us": 12 });
    let mut draft = Draft::new("event");
    for (name, value) in [
        ("point", json!("tool.before")),
        ("act", json!(act)),
        ("tool", json!(tool)),
        ("tool_kind", json!("exec")),
        ("call", json!(call)),
        ("session", json!(session)),
        ("surface", json!("hook")),
        ("native", json!("PreToolUse")),
        ("turns", json!([turn("rules", "guard"), turn("secrets", "edit")])),
    ] {
        draft.member(name, &value);
    }
    draft.field("arguments", arguments.clone())?;
    draft.field("cwd", json!("/home/dev/project"))?;
    draft.field("principal", json!("dev"))?;
    draft.field("labels", json!({ "team": "core", "number": number }))?;
    draft.begins(Some(&session), &call);
    Ok(draft)
}
