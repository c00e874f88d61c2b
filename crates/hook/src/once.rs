//! A call that is judged twice is answered alike and recorded once.
//!
//! Some agents also run hooks that were registered for others: whoever installs Tollgate for both has two processes for
//! each call. The second one goes by the decision of the first: the call would else be counted twice, and refused as a
//! duplicate. Each says it in its own words, because the two may be read differently.
//!
//! What tells the second process for a call from a second call that is the same is its registration: no registration is
//! run twice for one call.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tollgate_config::Paths;
use tollgate_core::Point;
use tollgate_wire::hex;

use crate::agent::{Agent, Decision, Said};
use crate::run::{self, Read};

/// For how long a decision counts. The two processes are started together.
const FRESH: Duration = Duration::from_secs(10);
/// How long to wait for the other one.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is known about an event before it is judged.
pub(crate) enum Earlier {
    /// Another process has decided.
    Decided(Decision),
    /// It is to be judged here, and the decision kept, if another process may ask for it.
    Nothing(Option<Undecided>),
}

/// A decision that is to be made here. Whoever asks for it waits for as long as this is held.
pub(crate) struct Undecided {
    folder: PathBuf,
    key: String,
    file: File,
    registration: String,
}

/// Looks whether another process has decided about the same event.
///
/// `registered` and `event` are what the registration names that started this process.
pub(crate) fn look_up(
    registered: &'static Agent,
    event: Option<&str>,
    read: &Read<'_>,
    paths: &Paths,
) -> Result<Earlier, String> {
    let doubled = read.agent.doubled || !std::ptr::eq(registered, read.agent);
    if !doubled {
        return Ok(Earlier::Nothing(None));
    }
    let folder = paths.state().map_err(|error| error.to_string())?.join("once");
    if !read.payload.hook.point.is_about_a_tool() {
        sweep(&folder, "");
        return Ok(Earlier::Nothing(None));
    }
    let key = key(read, None);
    sweep(&folder, &key);
    let registration = format!("{} {}", registered.id, event.unwrap_or(read.payload.hook.name));
    let earlier = claim(&folder, key, registration.clone())?;
    if let Earlier::Decided(decision) = &earlier {
        keep_rewritten(&folder, registration, read, decision);
    }
    Ok(earlier)
}

/// What was decided about an event that has a name, in the folder where decisions are kept; or else the right to decide.
fn claim(folder: &Path, key: String, registration: String) -> Result<Earlier, String> {
    let failed = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    let mut file = tollgate_config::open_own(folder, &key).map_err(failed)?;
    lock(&file)?;
    if let Some(mut earlier) = earlier(&mut file).filter(|earlier| !earlier.answered.contains(&registration)) {
        earlier.answered.push(registration);
        note(&mut file, &folder.join(&key), &earlier).map_err(failed)?;
        return Ok(Earlier::Decided(earlier.decision));
    }
    // What was decided about an earlier call goes before this one is judged, and the file is in use by its time.
    file.set_len(0).map_err(failed)?;
    Ok(Earlier::Nothing(Some(Undecided { folder: folder.to_owned(), key, file, registration })))
}

impl Undecided {
    /// Keeps what was decided here.
    pub(crate) fn keep(self, read: &Read<'_>, decision: &Decision) -> Result<(), String> {
        let (folder, registration) = (self.folder.clone(), self.registration.clone());
        self.note(decision.clone())?;
        keep_rewritten(&folder, registration, read, decision);
        Ok(())
    }

    fn note(mut self, decision: Decision) -> Result<(), String> {
        let kept = Kept { decision, answered: vec![self.registration] };
        let noted = note(&mut self.file, &self.folder.join(&self.key), &kept);
        noted.map_err(|error| format!("`{}`: {error}", self.folder.display()))
    }
}

/// Some agents give the other registration the call as it is by now. It was judged in this form. If that cannot be noted,
/// it is judged again.
fn keep_rewritten(folder: &Path, registration: String, read: &Read<'_>, decision: &Decision) {
    let (Said::Rewrite(value), Point::ToolBefore) = (&decision.said, read.payload.hook.point) else { return };
    if let Ok(Earlier::Nothing(Some(claim))) = claim(folder, key(read, Some(value)), registration) {
        let _ = claim.note(Decision { said: Said::Pass, notes: Vec::new(), tells: Vec::new() });
    }
}

/// What makes it the same event, in whichever spelling it came.
fn key(read: &Read<'_>, rewritten: Option<&Value>) -> String {
    let (hook, event) = (read.payload.hook, read.event.as_ref().ok());
    let digest = tollgate_wire::digest(&json!([
        read.agent.id,
        hook.point.name(),
        hook.permission,
        event.and_then(|event| event.session),
        event.and_then(|event| event.cwd),
        event.and_then(|event| event.call_id),
        event.and_then(run::sort),
        read.arguments(),
        rewritten.unwrap_or_else(|| read.document()),
    ]));
    hex::encode(&digest.0[..16])
}

/// A decision, and the registrations it was given to.
#[derive(Debug, PartialEq)]
struct Kept {
    decision: Decision,
    answered: Vec<String>,
}

/// The other process may be waiting for a human's program; it answers within its deadline.
fn lock(file: &File) -> Result<(), String> {
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(format!("a lock: {error}")),
            Err(TryLockError::WouldBlock) if Instant::now() > until => {
                return Err("another process judges the same call and does not end".to_owned());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// What the other process decided, if it just did.
fn earlier(file: &mut File) -> Option<Kept> {
    let age = file.metadata().ok()?.modified().ok()?.elapsed().ok()?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let kept: Value = serde_json::from_str(&text).ok().filter(|_| age < FRESH)?;
    read_back(&kept)
}

fn read_back(kept: &Value) -> Option<Kept> {
    let texts = |name: &str| -> Option<Vec<String>> {
        kept.get(name)?.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let reason = || kept.get("reason")?.as_str().map(str::to_owned);
    let value = || kept.get("value").cloned();
    let said = match kept.get("said")?.as_str()? {
        "pass" => Said::Pass,
        "rewrite" => Said::Rewrite(value()?),
        "ask" => Said::Ask(reason()?),
        "ask rewritten" => Said::AskRewritten(reason()?, value()?),
        "deny" => Said::Deny(reason()?),
        _ => return None,
    };
    let decision = Decision { said, notes: texts("notes")?, tells: texts("tells")? };
    Some(Kept { decision, answered: texts("answered")? })
}

fn written(kept: &Kept) -> Value {
    let Kept { decision: Decision { said, notes, tells }, answered } = kept;
    let (said, reason, value) = match said {
        Said::Pass => ("pass", None, None),
        Said::Rewrite(value) => ("rewrite", None, Some(value)),
        Said::Ask(reason) => ("ask", Some(reason), None),
        Said::AskRewritten(reason, value) => ("ask rewritten", Some(reason), Some(value)),
        Said::Deny(reason) => ("deny", Some(reason), None),
    };
    json!({ "said": said, "reason": reason, "value": value, "notes": notes, "tells": tells, "answered": answered })
}

/// Keeps a decision for the other process. It was judged and recorded by now, so it holds also where it cannot be kept:
/// the other one then judges for itself, as long as it does not find what was decided about an earlier call.
fn note(file: &mut File, path: &Path, kept: &Kept) -> std::io::Result<()> {
    keep(file, kept).or_else(|_| fs::remove_file(path))
}

fn keep(file: &mut File, kept: &Kept) -> std::io::Result<()> {
    use std::io::{Seek as _, SeekFrom};
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    write!(file, "{}", written(kept))
}

/// Removes what nobody will ask for again, and nobody waits for: it may hold arguments. Losing a race over that is fine.
/// The file of this event stays: the other process may just have opened it.
fn sweep(folder: &Path, own: &str) {
    let old = |time: SystemTime| time.elapsed().is_ok_and(|age| age > FRESH + PATIENCE);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name() != own && entry.metadata().and_then(|about| about.modified()).is_ok_and(old) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests;
