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
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tollgate_config::Paths;
use tollgate_core::{Body, Point};
use tollgate_wire::hex;

use crate::agent::{Agent, Decision, Moment, Said};
use crate::run::{self, Read};

/// For how long a decision counts. The two processes are started together.
const FRESH: Duration = Duration::from_secs(10);
/// How long to wait for the other one.
const PATIENCE: Duration = Duration::from_secs(20);

/// What another process decided about the same event, or what `judge` decides.
///
/// `registered` and `event` are what the registration names that started this process.
pub(crate) fn decided(
    registered: &'static Agent,
    event: Option<&str>,
    read: &Read<'_>,
    moment: &Moment<'_>,
    paths: &Paths,
    judge: impl FnOnce() -> Result<Decision, String>,
) -> Result<Decision, String> {
    let doubled = read.agent.doubled || !std::ptr::eq(registered, read.agent);
    if !doubled {
        return judge();
    }
    let state = paths.state().map_err(|error| error.to_string())?.join("once");
    if !read.payload.hook.point.is_about_a_tool() {
        sweep(&state, "");
        return judge();
    }
    let own = key(read, moment, None);
    sweep(&state, &own);
    let registration = format!("{} {}", registered.id, event.unwrap_or(read.payload.hook.name));
    let decision = at(&state, &own, registration.clone(), judge)?;
    if let (Said::Rewrite(value), Point::ToolBefore) = (&decision.said, read.payload.hook.point) {
        // Some agents give the other registration the call as it is by now. It was judged in this form.
        let passed = || Ok(Decision { said: Said::Pass, notes: Vec::new(), tells: Vec::new() });
        // If that cannot be noted, it is judged again.
        let _ = at(&state, &key(read, moment, Some(value)), registration, passed);
    }
    Ok(decision)
}

/// The same for an event that has a name, in the folder where decisions are kept.
fn at(
    folder: &Path,
    key: &str,
    registration: String,
    judge: impl FnOnce() -> Result<Decision, String>,
) -> Result<Decision, String> {
    let failed = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    let mut file = tollgate_config::open_own(folder, key).map_err(failed)?;
    lock(&file)?;
    let earlier = earlier(&mut file).filter(|earlier| !earlier.answered.contains(&registration));
    let kept = match earlier {
        Some(mut earlier) => {
            earlier.answered.push(registration);
            earlier
        }
        None => {
            // What was decided about an earlier call goes before this one is judged, and the file is in use by its time.
            file.set_len(0).map_err(failed)?;
            Kept { decision: judge()?, answered: vec![registration] }
        }
    };
    note(&mut file, &folder.join(key), &kept).map_err(failed)?;
    Ok(kept.decision)
}

/// What makes it the same event, in whichever spelling it came.
fn key(read: &Read<'_>, moment: &Moment<'_>, rewritten: Option<&Value>) -> String {
    let hook = read.payload.hook;
    let document = |body: &Body| body.json().cloned().unwrap_or_default();
    let digest = tollgate_wire::digest(&json!([
        read.agent.id,
        hook.point.name(),
        hook.permission,
        moment.session,
        moment.cwd,
        moment.call_id,
        moment.tool.map(run::sort),
        moment.arguments.as_ref().map(document),
        rewritten.cloned().unwrap_or_else(|| document(&moment.body)),
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
