//! Publishing signed heads where the agent's user cannot reach them.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::log::CHECKPOINT;
use crate::{AuditError, Draft, Head, Log, files};

/// How long a program or a server may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a program that has ended may keep us waiting for its last words: what it left behind may hold the pipe.
const GRACE: Duration = Duration::from_millis(500);
/// How much of these words is kept, in bytes.
const EXCERPT: usize = 500;

/// Where heads are published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Appended to this file, a line each: one on another machine, or one that can only be appended to.
    File(PathBuf),
    /// Given to this program, as a line on its standard input; it says by its status whether it took it.
    Command(Vec<String>),
    /// Posted to this address as JSON; needs the feature `url`.
    Url(String),
}

impl Anchor {
    /// Publishes a head.
    pub fn publish(&self, head: &Head) -> Result<(), AuditError> {
        let line = format!("{}\n", head.to_json());
        match self {
            Self::File(path) => append(path, &line),
            Self::Command(command) => run(command, &line),
            Self::Url(url) => post(url, &line),
        }
    }

    /// The heads that were published to a file, oldest first.
    pub fn heads(path: &Path) -> Result<Vec<Head>, AuditError> {
        let text = std::fs::read(path).map_err(|error| AuditError::io("read", path, &error))?;
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let wrong = || AuditError::new(format!("`{}` holds something that is no signed head", path.display()));
        lines.map(|line| Head::parse(line).ok_or_else(wrong)).collect()
    }
}

fn append(path: &Path, line: &str) -> Result<(), AuditError> {
    let file = files::private(OpenOptions::new().append(true).create(true)).open(path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()).and_then(|()| file.sync_data()));
    written.map_err(|error| AuditError::io("write to", path, &error))
}

fn run(command: &[String], line: &str) -> Result<(), AuditError> {
    let Some((program, arguments)) = command.split_first() else { return Err(AuditError::new("no program is named")) };
    let failed = |what: String| AuditError::new(format!("`{program}` did not take the head: {what}"));
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    // A line fits into the pipe, whether or not anybody reads it: what counts is the status.
    let _ = child.stdin.take().map(|mut input| input.write_all(line.as_bytes()));
    let status = wait(&mut child).map_err(&failed)?;
    if status.success() {
        return Ok(());
    }
    let said = child.stderr.take().map(last_words).unwrap_or_default();
    let said = tollgate_secrets::scanner().redact(said.trim()).into_owned();
    Err(failed(format!("{status} {said}").trim_end().to_owned()))
}

/// What a program said that has ended, as far as it comes soon.
fn last_words(mut from: ChildStderr) -> String {
    let (sender, pieces) = mpsc::channel();
    let read = move || {
        let mut piece = [0; EXCERPT];
        while let Ok(count @ 1..) = from.read(&mut piece) {
            if sender.send(piece[..count].to_vec()).is_err() {
                break;
            }
        }
    };
    let _ = std::thread::Builder::new().spawn(read);
    let (until, mut said) = (Instant::now() + GRACE, Vec::new());
    while said.len() < EXCERPT
        && let Ok(piece) = pieces.recv_timeout(until.saturating_duration_since(Instant::now()))
    {
        said.extend(piece);
    }
    said.truncate(EXCERPT);
    String::from_utf8_lossy(&said).into_owned()
}

/// Waits for a program, and ends it when it takes too long.
fn wait(child: &mut Child) -> Result<std::process::ExitStatus, String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                let _ = child.kill().and_then(|()| child.wait());
                return Err(format!("it took longer than {PATIENCE:?}"));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

#[cfg(feature = "url")]
fn post(url: &str, line: &str) -> Result<(), AuditError> {
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).build().into();
    let sent = agent.post(url).header("content-type", "application/json").send(line);
    sent.map(|_| ()).map_err(|error| {
        // An address may hold credentials.
        let host = url.split('/').nth(2).unwrap_or_default().rsplit('@').next().unwrap_or_default();
        AuditError::new(format!("`{host}` did not take the head: {error}"))
    })
}

#[cfg(not(feature = "url"))]
fn post(_: &str, _: &str) -> Result<(), AuditError> {
    Err(AuditError::new("this program was built without the feature that publishes heads to a URL"))
}

/// Publishes a head whenever a checkpoint was written, without keeping the call waiting.
///
/// A head that could not be published is recorded. When a publisher goes, it waits for what is still on its way, so that
/// a short-lived process does not end before.
pub struct Publisher {
    anchor: Anchor,
    log: Arc<Log>,
    busy: Mutex<Vec<JoinHandle<()>>>,
}

impl Publisher {
    /// Publishes the heads of a log.
    pub fn new(anchor: Anchor, log: Arc<Log>) -> Self {
        Self { anchor, log, busy: Mutex::default() }
    }

    /// To be told of every record. Publishes the newest head if this record follows a checkpoint: whichever process
    /// wrote it, exactly one record does.
    pub fn recorded(&self, seq: u64) {
        if seq % CHECKPOINT != 2 {
            return;
        }
        let (anchor, log) = (self.anchor.clone(), Arc::clone(&self.log));
        let work = std::thread::Builder::new().spawn(move || drop(publish_newest(&anchor, &log)));
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        busy.retain(|work| !work.is_finished());
        busy.extend(work);
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        let busy = std::mem::take(&mut *self.busy.lock().unwrap_or_else(PoisonError::into_inner));
        busy.into_iter().for_each(|work| drop(work.join()));
    }
}

/// Publishes the newest head of a log and gives it back; none if nothing was ever recorded. If that fails, the log says
/// so.
pub fn publish_newest(anchor: &Anchor, log: &Log) -> Result<Option<Head>, AuditError> {
    let Some(head) = log.head()? else { return Ok(None) };
    match anchor.publish(&head) {
        Ok(()) => Ok(Some(head)),
        Err(error) => {
            let mut draft = Draft::new("anchor");
            draft.member("count", &Value::from(head.count));
            draft.field("error", Value::from(error.to_string()))?;
            log.append(draft)?;
            Err(error)
        }
    }
}
