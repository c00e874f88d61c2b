//! The program around the surface: `tollgate hook <agent> [event]`.
//!
//! Everything that can go wrong here is answered, in the agent's words, and before the agent loses patience.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tollgate_core::Fault;
use tollgate_engine::Opened;
use tollgate_wire::dialect::HookAnswer;

use crate::agent::Agent;
use crate::agents::{AGENTS, find};
use crate::run::{self, broken};

/// When we answer whatever happens. Registrations give us well more than this.
pub const DEADLINE: Duration = Duration::from_secs(25);
/// How long what is left may take once the agent has its answer. A head that is published may take nearly as long.
const LAST: Duration = Duration::from_secs(12);
/// No event is this long; what is longer is refused unread.
const MAX_INPUT: u64 = 16 << 20;

/// Answers the hook of an agent: reads standard input, prints the answer, and says how to end.
///
/// `args` is what stands behind `hook` on the command line: the agent, and perhaps the event.
pub fn main(args: &[String]) -> ExitCode {
    // A panic is answered like any other failure; its message would only confuse whoever reads standard error.
    std::panic::set_hook(Box::new(|_| {}));
    let (agent, event) = match named(args) {
        Ok(named) => named,
        Err(problem) => return ExitCode::from(give(&HookAnswer::fails(&problem))),
    };
    let answered = watch(agent);
    let refuse = |problem: String| ((agent.refuse)(&broken(&problem)), None);
    let respond = || input().map_or_else(refuse, |bytes| run::respond(agent, event, &bytes));
    let (answer, used) = Fault::catch(respond).unwrap_or_else(|fault| refuse(fault.to_string()));
    if answered.swap(true, Ordering::SeqCst) {
        // Too late: the clock has answered and ends the process.
        loop {
            std::thread::park();
        }
    }
    let code = give(&answer);
    finish(used, code);
    ExitCode::from(code)
}

/// Answers for us when we hang: agents take a hook that is too slow for consent. We judge on the main thread, because
/// another one has its memory from elsewhere, which costs half a millisecond.
fn watch(agent: &'static Agent) -> Arc<AtomicBool> {
    let answered = Arc::new(AtomicBool::new(false));
    let ours = Arc::clone(&answered);
    let wait = move || {
        std::thread::sleep(deadline());
        if !ours.swap(true, Ordering::SeqCst) {
            let late = (agent.refuse)(&broken(&format!("no decision within {} seconds", deadline().as_secs())));
            let code = give(&late);
            tollgate_engine::end_hooks();
            std::process::exit(i32::from(code));
        }
    };
    // Without a thread to spare we go on: whatever hangs would be answered by the agent, as if we were not there.
    let _ = std::thread::Builder::new().stack_size(64 << 10).spawn(wait);
    answered
}

/// What is left to do once the agent has its answer: heads that are published elsewhere are on their way. Else the process
/// ends as it is; taking everything apart first would only make the agent wait.
fn finish(used: Option<Opened>, code: u8) {
    match used {
        Some(opened) if opened.anchored && ends_by(LAST, code) => drop(opened),
        used => std::mem::forget(used),
    }
}

/// Ends the process after this time, whatever it waits for: agents go by an answer only once the process has ended. Says
/// whether that is certain.
fn ends_by(limit: Duration, code: u8) -> bool {
    let limit = shortened("TOLLGATE_TEST_LAST_MS", limit);
    let end = move || {
        std::thread::sleep(limit);
        std::process::exit(i32::from(code));
    };
    std::thread::Builder::new().stack_size(64 << 10).spawn(end).is_ok()
}

fn named(args: &[String]) -> Result<(&'static Agent, Option<&str>), String> {
    let known = || AGENTS.iter().map(|agent| agent.id).collect::<Vec<_>>().join(", ");
    let name = args.first().ok_or_else(|| format!("name the agent: tollgate hook <agent>, one of {}", known()))?;
    let agent = find(name).ok_or_else(|| format!("there is no agent `{name}`; known are {}", known()))?;
    Ok((agent, args.get(1).map(String::as_str)))
}

/// When we answer.
fn deadline() -> Duration {
    shortened("TOLLGATE_TEST_DEADLINE_MS", DEADLINE)
}

/// A time, or what a test says: tests do not wait for half a minute.
fn shortened(variable: &str, time: Duration) -> Duration {
    if !cfg!(debug_assertions) {
        return time;
    }
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).map_or(time, Duration::from_millis)
}

/// Prints an answer, and says with which status to end. If that fails, the exit status refuses, which is understood by
/// most.
fn give(answer: &HookAnswer) -> u8 {
    let mut out = io::stdout().lock();
    let written = out.write_all(answer.stdout.as_bytes()).and_then(|()| out.flush());
    let told = io::stderr().lock().write_all(answer.stderr.as_bytes());
    if written.is_err() || told.is_err() {
        let _ = io::stderr().lock().write_all(broken("the answer could not be written").as_bytes());
        return 2;
    }
    answer.exit
}

/// What the agent wrote.
fn input() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    match io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes) {
        Err(error) => Err(format!("standard input: {error}")),
        Ok(_) if bytes.len() as u64 > MAX_INPUT => Err("the event is larger than 16 MiB".to_owned()),
        Ok(_) => Ok(bytes),
    }
}

/// Tests see what becomes of a bug.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "what is tested is what becomes of a panic")]
pub(crate) fn fail_as_told() {
    match std::env::var("TOLLGATE_TEST_FAIL").as_deref() {
        Ok("panic") => panic!("as told"),
        Ok("hang") => std::thread::sleep(Duration::from_secs(3600)),
        _ => {}
    }
}
