//! A hook's life: a process that starts, records one call, and ends.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use tollgate_audit::{Recorder, RecorderSettings, Settings};
use tollgate_clock::SystemClock;
use tollgate_core::{Act, Event, Point, Registry};

use super::{ARGUMENTS, Folder, draft, open};
use crate::cases::Trouble;
use crate::harness::{Case, Sample};

/// A process that only reads what it is given and prints something.
pub const ONLY_READS: &str = "a process that reads the call";
/// The same with a record.
pub const RECORDS: &str = "a process that reads and records it";
/// How many records there are before.
const BEFORE: u64 = 2000;

/// Both processes, each of which has come to its end once.
pub(super) fn cases() -> Result<Vec<Case>, Trouble> {
    let (reads, records) = (Folder::new("cold")?, Folder::new("cold")?);
    let log = records.log(Settings::default())?;
    (0..BEFORE).try_for_each(|number| log.append(draft(&ARGUMENTS, number)?).map(drop))?;
    drop(log);
    run("read", &reads.0)?;
    run("record", &records.0)?;
    Ok(vec![
        Case { what: ONLY_READS, floor: None, batch: Box::new(move |runs| batch("read", &reads, runs)) },
        Case { what: RECORDS, floor: Some(ONLY_READS), batch: Box::new(move |runs| batch("record", &records, runs)) },
    ])
}

fn batch(job: &str, folder: &Folder, runs: u64) -> Sample {
    let start = Instant::now();
    // It has run once, so that it is known to work.
    (0..runs).for_each(|_| drop(run(job, &folder.0)));
    Sample { took: start.elapsed(), allocations: 0 }
}

/// Starts this program again as such a process.
fn run(job: &str, root: &Path) -> Result<(), Trouble> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(job).arg(root).arg(ARGUMENTS.to_string()).stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("`{command:?}` failed: {status}").into()) }
}

/// What such a process does: it runs the call through a pipeline, with a recorder or with nobody.
///
/// # Errors
/// When it cannot read or record.
pub fn child(job: &str, root: &str, call: &str) -> Result<(), Trouble> {
    let clock = Arc::new(SystemClock::default());
    let mut registry = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest);
    if job == "record" {
        let log = Arc::new(open(Path::new(root), Settings::default())?);
        let recorder = Recorder::new(log, RecorderSettings::default())?;
        recorder.registrations().into_iter().try_for_each(|watch| registry.add(watch))?;
    }
    let (pipeline, id) = (registry.snapshot(), format!("toolu_01H8XGJWBWBAQ4Z3{:08}", std::process::id()));
    let name = pipeline.name("Bash");
    let event = Event {
        session: Some("5f0c9a52-6f1e-4c0b-9d0e-0a3b6c1d2e3f"),
        surface: Some("hook"),
        native: Some("PreToolUse"),
        cwd: Some("/home/dev/project"),
        principal: Some("dev"),
        ..Event::tool(Point::ToolBefore, &name, &id)
    };
    let outcome = pipeline.run_now(&event, &mut tollgate_wire::body(call));
    writeln!(std::io::stdout(), "{:?}", outcome.act)?;
    if matches!(outcome.act, Act::Pass) { Ok(()) } else { Err("the call was not recorded".into()) }
}
