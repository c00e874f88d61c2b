//! A call that is judged twice is answered alike and recorded once.
//!
//! Some agents also run hooks that were registered for others: whoever installs Tollgate for both has two processes for
//! each call. The second one gets the answer of the first: it would else be counted twice, and refused as a duplicate.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tollgate_config::Paths;
use tollgate_wire::dialect::HookAnswer;

use crate::agent::{Agent, Moment};
use crate::run::Read;

/// For how long an answer counts. The two processes are started together.
const FRESH: Duration = Duration::from_secs(10);
/// How long to wait for the other one.
const PATIENCE: Duration = Duration::from_secs(20);

/// The answer that another process gave to the same event, or the one that `judge` gives.
pub(crate) fn answered(
    registered: &'static Agent,
    read: &Read<'_>,
    moment: &Moment<'_>,
    paths: &Paths,
    judge: impl FnOnce() -> Result<HookAnswer, String>,
) -> Result<HookAnswer, String> {
    let doubled = read.agent.doubled || !std::ptr::eq(registered, read.agent);
    if !doubled || !read.payload.hook.point.is_about_a_tool() {
        return judge();
    }
    let state = paths.state().map_err(|error| error.to_string())?.join("once");
    let failed = |error: std::io::Error| format!("`{}`: {error}", state.display());
    let path = state.join(key(read, moment));
    let mut file = open(&state, &path).map_err(failed)?;
    lock(&file)?;
    if let Some(answer) = earlier(&mut file) {
        return Ok(answer);
    }
    let answer = judge()?;
    keep(&mut file, &answer).map_err(failed)?;
    sweep(&state);
    Ok(answer)
}

/// What makes it the same event, in whichever spelling it came.
fn key(read: &Read<'_>, moment: &Moment<'_>) -> String {
    let point = read.payload.hook.point.name();
    let arguments = moment.arguments.as_ref().unwrap_or(&moment.body).json().cloned().unwrap_or(Value::Null);
    let tool = moment.tool.map(str::to_lowercase);
    let digest = tollgate_wire::digest(&json!([read.agent.id, point, moment.session, tool, arguments]));
    digest.0[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn open(folder: &Path, path: &Path) -> std::io::Result<File> {
    let open = || private(OpenOptions::new().read(true).write(true).create(true).truncate(false)).open(path);
    open().or_else(|_| make(folder).and_then(|()| open()))
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

/// What the other process answered, if it just did.
fn earlier(file: &mut File) -> Option<HookAnswer> {
    let age = file.metadata().ok()?.modified().ok()?.elapsed().ok()?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let answer: Value = serde_json::from_str(&text).ok().filter(|_| age < FRESH)?;
    let part = |name: &str| answer.get(name)?.as_str().map(str::to_owned);
    let exit = u8::try_from(answer.get("exit")?.as_u64()?).ok()?;
    Some(HookAnswer { stdout: part("stdout")?, stderr: part("stderr")?, exit })
}

fn keep(file: &mut File, answer: &HookAnswer) -> std::io::Result<()> {
    use std::io::{Seek as _, SeekFrom};
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    let HookAnswer { stdout, stderr, exit } = answer;
    write!(file, "{}", json!({ "stdout": stdout, "stderr": stderr, "exit": exit }))
}

/// Removes what nobody will ask for again. Losing a race over that is fine.
fn sweep(folder: &Path) {
    let old = |time: SystemTime| time.elapsed().is_ok_and(|age| age > FRESH * 6);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.metadata().and_then(|about| about.modified()).is_ok_and(old) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

#[cfg(unix)]
fn make(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(not(unix))]
fn make(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}
