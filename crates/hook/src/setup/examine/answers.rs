//! Running what is registered.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::agents::{Runs, Setup};
use super::super::place::Place;
use super::registered::{Registration, is_same};
use super::{Finding, startable};
use crate::run::{self, CANARY, CANARY_REASON};

/// How long an answer may take here. Agents wait longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether a program is there, can be run, and is a Tollgate of this version.
pub(super) fn version(program: &Path, again: &str) -> Finding {
    let shown = program.display();
    if let Err(problem) = startable(program) {
        return Finding::bad(problem).mended(again);
    }
    let mut process = Process::new(program);
    let said = match ran(process.arg("--version"), "") {
        Ok(said) => said.stdout,
        Err(problem) => return Finding::bad(format!("{shown}: {problem}")).mended(again),
    };
    let ours = concat!("tollgate ", env!("CARGO_PKG_VERSION"));
    match said.trim() {
        said if said == ours => Finding::good(format!("{shown} is {ours}")),
        said if said.starts_with("tollgate ") => Finding::note(format!("{shown} is {said}, and this is {ours}")),
        _ => Finding::bad(format!("{shown} is not Tollgate")).mended(again),
    }
}

/// Whether what is registered refuses a call that must be refused, in words that the agent understands.
pub(super) fn canary(setup: &'static Setup, place: &Place, registrations: &[Registration], again: &str) -> Finding {
    let before = registrations.iter().find(|registration| is_same(setup, &registration.event, setup.before));
    let Some(registration) = before else {
        return Finding::bad(format!("nothing is asked before a tool runs ({})", setup.before)).mended(again);
    };
    if let Err(problem) = startable(&registration.command.program) {
        return Finding::bad(format!("no answer: {problem}")).mended(again);
    }
    let document = (setup.canary)(&place.project.to_string_lossy(), CANARY).to_string();
    let Some(expected) = expected(setup, registration.command.event.as_deref(), &document) else {
        return Finding::unknown("this version does not know how this agent describes a call");
    };
    let mut process = process(setup, registration);
    match ran(process.current_dir(&place.project), &document) {
        Err(problem) => Finding::bad(format!("no answer: {problem}")).mended(again),
        Ok(said) => judged(&said, expected),
    }
}

/// The exit status of the refusal that should come.
fn expected(setup: &'static Setup, event: Option<&str>, document: &str) -> Option<i32> {
    let mut doc = Value::Null;
    let event = event.or(Some(setup.before));
    let read = run::read(setup.agent()?, event, document.as_bytes(), &mut doc).ok()?;
    (read.agent.id == setup.id).then(|| i32::from(run::refuse(&read, CANARY_REASON).exit))
}

fn judged(said: &Said, expected: i32) -> Finding {
    let Said { stdout, stderr, exit } = said;
    let refused = [stdout, stderr].iter().any(|text| text.contains(CANARY_REASON));
    if refused && *exit == Some(expected) {
        return Finding::good("a call that must be refused is refused");
    }
    let words = if stdout.trim().is_empty() { stderr.trim() } else { stdout.trim() };
    let words: String = words.chars().take(800).collect();
    if let Some((_, why)) = words.split_once(run::BROKEN) {
        let why = why.split(run::MEND).next().unwrap_or(why).trim_end_matches(['`', ';', ' ']);
        return Finding::bad(format!("it refuses every call: {why}"));
    }
    let exit = exit.map_or("a signal".to_owned(), |exit| format!("status {exit}"));
    let words = if words.is_empty() { "nothing".to_owned() } else { words };
    Finding::bad(format!("a call that must be refused is not: it ended with {exit} and said {words}"))
        .mended("see whether another version of tollgate is registered: tollgate --version")
}

/// What the agent would start.
fn process(setup: &Setup, registration: &Registration) -> Process {
    let command = &registration.command;
    match setup.runs {
        Runs::Shell => {
            let mut process = Process::new("/bin/sh");
            process.arg("-c").arg(&registration.line);
            process
        }
        Runs::Script => Process::new(&registration.line),
        Runs::Plugin => {
            let mut process = Process::new(&command.program);
            process.arg("hook").arg(&command.agent);
            process.args(command.event.as_deref());
            process
        }
    }
}

struct Said {
    stdout: String,
    stderr: String,
    exit: Option<i32>,
}

/// Runs a program to its end, or ends it.
fn ran(process: &mut Process, stdin: &str) -> Result<Said, String> {
    let pipes = process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
    let mut pipe = child.stdin.take();
    let text = stdin.to_owned();
    // Whoever does not read is written to no longer.
    let _ = std::thread::spawn(move || pipe.as_mut().map(|pipe| pipe.write_all(text.as_bytes())));
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let exit = waited(&mut child)?;
    let text = |reader: std::thread::JoinHandle<String>| reader.join().unwrap_or_default();
    Ok(Said { stdout: text(stdout), stderr: text(stderr), exit })
}

fn reader(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            let _ = pipe.take(1 << 20).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn waited(child: &mut Child) -> Result<Option<i32>, String> {
    let until = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.code()),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not end within {} seconds", PATIENCE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}
