//! Whatever breaks, for whatever agent: the answer is that agent's refusal, in a form that it honours, and says what
//! mends it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test")]

mod common;
#[path = "faults/native.rs"]
mod native;

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::Sandbox;
use native::{Answer, NATIVES, Native};
use tollgate_config::Paths;
use tollgate_hook::AGENTS;

/// Something that breaks.
struct Fault {
    name: &'static str,
    /// What a machine lacks that cannot have it; then it is left out, and the test says so.
    lacks: fn() -> Option<&'static str>,
    /// Makes it so; false if that failed.
    arrange: fn(&Sandbox) -> bool,
    /// What the agent's document becomes on its way.
    input: fn(&Native, String) -> Vec<u8>,
    /// What is set or, if nothing, taken out of the environment.
    env: &'static [(&'static str, Option<&'static str>)],
    /// What starts the program: a shell's line that ends with `exec "$@"`.
    through: Option<&'static str>,
    /// The event, instead of the one that the registration names.
    event: Option<&'static str>,
    /// What the refusal says: one of these.
    says: &'static [&'static str],
}

/// Nothing is broken.
const NONE: Fault = Fault {
    name: "nothing",
    lacks: || None,
    arrange: |_| true,
    input: |_, text| text.into_bytes(),
    env: &[],
    through: None,
    event: None,
    says: DOCTOR,
};

const DOCTOR: &[&str] = &["`tollgate doctor`"];
/// Who has no room on the disk knows how to mend it.
const ROOM: &[&str] = &["make room", DOCTOR[0]];
/// No answer may take longer than this, and the one that is late on purpose not longer than that.
const DEADLINE: Duration = tollgate_hook::process::DEADLINE;
const SOON: Duration = Duration::from_secs(15);

/// What comes in is nothing that an agent would write.
const INPUTS: &[Fault] = &[
    Fault { name: "no input", input: |_, _| Vec::new(), ..NONE },
    Fault { name: "closed input", input: |_, _| Vec::new(), through: Some("exec \"$@\" <&-"), ..NONE },
    Fault { name: "half a document", input: |_, text| text.as_bytes()[..text.len() / 2].to_vec(), ..NONE },
    Fault { name: "no document", input: |_, _| b"hello\n".to_vec(), ..NONE },
    Fault { name: "a list", input: |_, _| b"[]".to_vec(), ..NONE },
    Fault { name: "an empty object", input: |_, _| b"{}".to_vec(), event: Some(""), ..NONE },
    Fault { name: "bytes that are no text", input: |_, text| [text.as_bytes(), b"\xff\xfe"].concat(), ..NONE },
    Fault {
        name: "bytes in a text that are none",
        input: |native, text| {
            let (before, after) = text.split_once("hello").unwrap_or_else(|| panic!("{}: {text}", native.agent));
            [before.as_bytes(), b"\xff", after.as_bytes()].concat()
        },
        ..NONE
    },
    Fault { name: "17 MiB", input: |_, text| [text.as_bytes(), " ".repeat(17 << 20).as_bytes()].concat(), ..NONE },
    Fault {
        name: "a key that is there twice",
        input: |native, text| {
            let key = format!("\"{}\":", native.key);
            let twice = text.replacen(&key, &format!("{key} \"other\", {key}"), 1);
            assert_ne!(twice, text, "{}: no {key}", native.agent);
            twice.into_bytes()
        },
        ..NONE
    },
    Fault {
        name: "an event of tomorrow",
        input: |native, text| {
            // A document that does not name its event is known by what is in it.
            let named = text.contains(&format!("\"{}\"", native.event));
            let known = if named { native.event } else { native.key };
            text.replace(&format!("\"{known}\""), "\"SomethingNew\"").into_bytes()
        },
        event: Some("SomethingNew"),
        ..NONE
    },
];

/// The policy cannot be had.
const POLICIES: &[Fault] = &[
    Fault { name: "no home", env: &[("HOME", None), ("TOLLGATE_HOME", None)], ..NONE },
    Fault {
        name: "a mistake in the user's policy",
        arrange: |sandbox| policy(sandbox, "mode = \"enforec\"\n"),
        ..NONE
    },
    Fault { name: "a policy that is no TOML", arrange: |sandbox| policy(sandbox, "[[rule\n"), ..NONE },
    Fault {
        name: "a mistake in the project's policy",
        arrange: |sandbox| sandbox.write("tollgate.toml", "rules = 1\n").exists(),
        ..NONE
    },
    Fault {
        name: "a policy that is a folder",
        arrange: |sandbox| fs::create_dir_all(sandbox.root().join("home/.config/tollgate/tollgate.toml")).is_ok(),
        ..NONE
    },
    Fault {
        name: "a policy that is no text",
        arrange: |sandbox| {
            policy(sandbox, "");
            fs::write(sandbox.root().join("home/.config/tollgate/tollgate.toml"), b"# \xff\n").is_ok()
        },
        ..NONE
    },
];

/// The record cannot be kept. On a disk that is full it is also the state that cannot be.
const STORES: &[Fault] = &[
    Fault { name: "a record that is no folder", arrange: |sandbox| in_the_way(sandbox, "audit"), ..NONE },
    Fault { name: "keys that are no folder", arrange: |sandbox| in_the_way(sandbox, "keys"), ..NONE },
    Fault { name: "keys that are garbage", arrange: |sandbox| used(sandbox) && spoil(&keys(sandbox)), ..NONE },
    Fault {
        name: "keys that are gone",
        arrange: |sandbox| used(sandbox) && fs::remove_dir_all(keys(sandbox)).is_ok(),
        ..NONE
    },
    Fault {
        name: "a state that is a file",
        arrange: |sandbox| {
            let state = sandbox.root().join("home/state");
            fs::remove_dir_all(&state).is_ok() && fs::write(state, "").is_ok()
        },
        ..NONE
    },
    Fault {
        name: "files that cannot grow",
        through: Some("trap '' XFSZ && ulimit -f 0 && exec \"$@\""),
        says: ROOM,
        ..NONE
    },
    Fault {
        name: "a full disk",
        lacks: || {
            (!can(&["unshare", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "none", "/tmp"]))
                .then_some("user namespaces")
        },
        arrange: |sandbox| {
            let mut tried = Command::new("bash");
            tried.args(["-c", FULL, "bash", "true"]).env("TOLLGATE_HOME", sandbox.root().join("home/state"));
            tried.stderr(Stdio::null()).status().is_ok_and(|ended| ended.success())
        },
        through: Some(FULL),
        says: ROOM,
        ..NONE
    },
];

/// A disk of one page, for whoever may have one; files that cannot grow are the same for everybody else.
const FULL: &str = "exec unshare --mount --map-root-user bash -c 'mount -t tmpfs -o size=4k,nr_inodes=30 none \"$TOLLGATE_HOME\" && exec \"$@\"' bash \"$@\"";

/// Bugs of ours, which only a build for tests has on demand.
#[cfg(debug_assertions)]
const BUGS: &[Fault] = &[
    Fault { name: "a panic", env: &[("TOLLGATE_TEST_FAIL", Some("panic"))], ..NONE },
    Fault {
        name: "a process that hangs",
        env: &[("TOLLGATE_TEST_FAIL", Some("hang")), ("TOLLGATE_TEST_DEADLINE_MS", Some("300"))],
        ..NONE
    },
];

/// A program of the user's own that judges, and fails at it.
const HOOKS: &[Fault] = &[
    Fault {
        // The policy is not even loaded.
        name: "a hook that is missing",
        arrange: |sandbox| fragile(sandbox, "[\"/nowhere/fragile\"]"),
        says: &["there is no file `/nowhere/fragile`"],
        ..NONE
    },
    Fault {
        name: "a hook that finds no program",
        arrange: |sandbox| fragile(sandbox, "\"exec /nowhere/fragile\""),
        says: &["`fragile` could not judge this (missing: "],
        ..NONE
    },
    Fault {
        name: "a hook that is slow",
        arrange: |sandbox| fragile(sandbox, "\"sleep 60\"\ntimeout = \"300ms\""),
        says: &["`fragile` could not judge this (timeout: "],
        ..NONE
    },
    Fault {
        name: "a hook that says garbage",
        arrange: |sandbox| fragile(sandbox, "\"echo garbage\""),
        says: &["`fragile` could not judge this (garbage: "],
        ..NONE
    },
    Fault {
        name: "a hook that never stops talking",
        arrange: |sandbox| fragile(sandbox, "\"yes\""),
        says: &["`fragile` could not judge this (flood: "],
        ..NONE
    },
    Fault {
        name: "a hook that fails",
        arrange: |sandbox| fragile(sandbox, "\"exit 1\""),
        says: &["`fragile` could not judge this (crash: exit status 1"],
        ..NONE
    },
    Fault {
        name: "a hook that is killed",
        arrange: |sandbox| fragile(sandbox, "\"kill -9 $$\""),
        says: &["`fragile` could not judge this (crash: ended by signal 9"],
        ..NONE
    },
];

/// This command is asked about every call.
fn fragile(sandbox: &Sandbox, command: &str) -> bool {
    policy(sandbox, &format!("[[hook]]\nid = \"fragile\"\ncommand = {command}\n"))
}

/// What was worked out before is spoiled. The policy holds nevertheless, so it is the policy that refuses.
const CACHES: &[Fault] = &[
    Fault {
        name: "a cache of garbage",
        arrange: |sandbox| cached(sandbox, |_, _| b"garbage".to_vec()),
        says: RULE,
        ..NONE
    },
    Fault { name: "an empty cache", arrange: |sandbox| cached(sandbox, |_, _| Vec::new()), says: RULE, ..NONE },
    Fault {
        name: "half a cache",
        arrange: |sandbox| cached(sandbox, |strict, _| strict[..strict.len() / 2].to_vec()),
        says: RULE,
        ..NONE
    },
    Fault {
        name: "a stale cache",
        arrange: |sandbox| cached(sandbox, |strict, lax| [&strict[..64], &lax[64..]].concat()),
        says: RULE,
        ..NONE
    },
    Fault {
        name: "a cache that anybody could have written",
        arrange: |sandbox| {
            let done = cached(sandbox, |_, lax| lax.to_vec());
            cache_files(sandbox)
                .iter()
                .for_each(|file| fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap());
            done
        },
        says: RULE,
        ..NONE
    },
    Fault {
        name: "a cache in a folder of everybody",
        arrange: |sandbox| {
            let done = cached(sandbox, |_, lax| lax.to_vec());
            done && fs::set_permissions(cache(sandbox), fs::Permissions::from_mode(0o777)).is_ok()
        },
        says: RULE,
        ..NONE
    },
    Fault {
        name: "a cache of somebody else",
        // Only root can give files away.
        lacks: || (!can(&["sh", "-c", "test $(id -u) = 0"])).then_some("root"),
        arrange: |sandbox| {
            let done = cached(sandbox, |_, lax| lax.to_vec());
            done && cache_files(sandbox).iter().all(|file| chown(file, Some(65534), Some(65534)).is_ok())
        },
        says: RULE,
        ..NONE
    },
    Fault {
        name: "a cache that is a file",
        arrange: |sandbox| policy(sandbox, STRICT) && in_the_way(sandbox, "cache"),
        says: RULE,
        ..NONE
    },
];

/// A policy that refuses the calls, and the name of its rule.
const STRICT: &str =
    "[[rule]]\nid = \"no-hello\"\ntool = \"*\"\ntext = { contains = \"hello\" }\ndeny = \"no greetings\"\n";
const RULE: &[&str] = &["no-hello: no greetings"];

fn policy(sandbox: &Sandbox, text: &str) -> bool {
    sandbox.user_policy(text);
    true
}

/// A file where a folder of the state should be.
fn in_the_way(sandbox: &Sandbox, folder: &str) -> bool {
    let path = match folder {
        "audit" => record(sandbox),
        "keys" => keys(sandbox),
        _ => cache(sandbox),
    };
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "").is_ok()
}

/// Lets a call be recorded, so that everything is there.
fn used(sandbox: &Sandbox) -> bool {
    let native = NATIVES.iter().find(|native| native.agent == "claude-code").unwrap();
    let answer = ask(sandbox, native, &NONE, native.text(&sandbox.project()).as_bytes()).0;
    assert!((native.judge)(&answer).is_err(), "{answer:?}");
    true
}

/// Writes over every file in a folder. False if there is none.
fn spoil(folder: &Path) -> bool {
    let files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.iter().for_each(|file| fs::write(file, "garbage").unwrap());
    assert!(!files.is_empty(), "nothing to spoil in {}", folder.display());
    true
}

fn paths(sandbox: &Sandbox) -> Paths {
    let command = sandbox.command(&[]);
    let set = |name: &str| command.get_envs().find(|(key, _)| *key == name)?.1.map(ToOwned::to_owned);
    Paths::find(&sandbox.project(), None, set)
}

fn record(sandbox: &Sandbox) -> PathBuf {
    paths(sandbox).state().unwrap().join("audit")
}

fn keys(sandbox: &Sandbox) -> PathBuf {
    paths(sandbox).data().unwrap().join("audit")
}

fn cache(sandbox: &Sandbox) -> PathBuf {
    paths(sandbox).cache().unwrap().to_owned()
}

fn cache_files(sandbox: &Sandbox) -> Vec<PathBuf> {
    fs::read_dir(cache(sandbox)).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Has the plan of a strict policy cached, and that of one which lets everything pass; then writes over the first.
fn cached(sandbox: &Sandbox, spoil: fn(&[u8], &[u8]) -> Vec<u8>) -> bool {
    policy(sandbox, "");
    tollgate_config::load_cached(&paths(sandbox)).unwrap();
    let before = cache_files(sandbox);
    let lax = fs::read(&before[0]).unwrap();
    policy(sandbox, STRICT);
    tollgate_config::load_cached(&paths(sandbox)).unwrap();
    let strict = cache_files(sandbox).into_iter().find(|file| !before.contains(file)).unwrap();
    let text = spoil(&fs::read(&strict).unwrap(), &lax);
    fs::write(strict, text).is_ok()
}

/// Asks the hook, and says how long it took.
fn ask(sandbox: &Sandbox, native: &Native, fault: &Fault, input: &[u8]) -> (Answer, Duration) {
    let plain = sandbox.command(&["hook", native.agent]);
    let mut command = match fault.through {
        None => sandbox.command(&["hook", native.agent]),
        Some(line) => {
            let mut command = Command::new("bash");
            command.args(["-c", line, "bash"]).arg(plain.get_program()).args(plain.get_args());
            command.current_dir(sandbox.project()).env_clear();
            command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command
        }
    };
    command.args(native.named.map(|named| fault.event.unwrap_or(named)).filter(|event| !event.is_empty()));
    for (name, value) in fault.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let began = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A program that reads no further is no failure.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    let took = began.elapsed();
    writer.join().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let answer = Answer { stdout: text(output.stdout), stderr: text(output.stderr), exit: output.status.code() };
    (answer, took)
}

/// What is wrong with the answer to one agent when this breaks.
fn wrong(native: &Native, fault: &Fault) -> Option<String> {
    let sandbox = Sandbox::new();
    assert!((fault.arrange)(&sandbox), "{}: it could not be arranged", fault.name);
    let input = (fault.input)(native, native.text(&sandbox.project()));
    let (answer, took) = ask(&sandbox, native, fault, &input);
    let limit = if fault.name.contains("hangs") { SOON } else { DEADLINE };
    let problem = match (native.judge)(&answer) {
        Err(runs) => format!("the call runs: {runs}"),
        Ok(reason) if reason.trim().lines().count() != 1 => format!("the reason is not one line: {reason}"),
        Ok(reason) if !fault.says.iter().any(|words| reason.contains(words)) => {
            format!("the reason says nothing of {:?}: {reason}", fault.says)
        }
        Ok(_) if took > limit => format!("it took {took:?}"),
        Ok(_) => return None,
    };
    Some(format!("{} ({}), {}: {problem}\n    {answer:?}\n", native.agent, native.event, fault.name))
}

/// Every agent that there is, in every way to write a call that it has.
fn natives() -> impl Iterator<Item = &'static Native> {
    for agent in AGENTS {
        let id = agent.id;
        assert!(NATIVES.iter().any(|native| native.agent == id), "`{id}` has no judge; write one in faults/native.rs");
    }
    NATIVES.iter().filter(|native| AGENTS.iter().any(|agent| agent.id == native.agent))
}

/// Whether a command succeeds on this machine.
fn can(command: &[&str]) -> bool {
    let mut tried = Command::new(command[0]);
    tried.args(&command[1..]).stderr(Stdio::null()).status().is_ok_and(|ended| ended.success())
}

#[track_caller]
fn check(faults: &[Fault]) {
    let possible = |fault: &&Fault| match (fault.lacks)() {
        Some(what) => {
            eprintln!("left out, because there is no {what} here: {}", fault.name);
            false
        }
        None => true,
    };
    let faults: Vec<&Fault> = faults.iter().filter(possible).collect();
    let wrong: Vec<String> =
        natives().flat_map(|native| faults.iter().filter_map(|fault| wrong(native, fault))).collect();
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.concat());
}

/// Else everything below would prove nothing.
#[test]
fn when_nothing_is_broken_the_calls_run() {
    for native in natives() {
        let sandbox = Sandbox::new();
        let (answer, _) = ask(&sandbox, native, &NONE, native.text(&sandbox.project()).as_bytes());
        assert!((native.judge)(&answer).is_err() && answer.exit == Some(0), "{}: {answer:?}", native.agent);
    }
}

#[test]
fn input_that_nobody_would_write_is_refused() {
    check(INPUTS);
}

#[test]
fn without_a_policy_calls_are_refused() {
    check(POLICIES);
}

#[test]
fn without_a_record_calls_are_refused() {
    check(STORES);
}

#[cfg(debug_assertions)]
#[test]
fn bugs_of_ours_refuse_calls() {
    check(BUGS);
}

#[test]
fn hooks_that_fail_refuse_calls() {
    check(HOOKS);
}

#[test]
fn a_spoiled_cache_changes_nothing() {
    check(CACHES);
    // It is looked at: what nobody but its owner can have put there is believed, as the owner's policy is.
    let own = Fault { arrange: |sandbox| cached(sandbox, |_, lax| lax.to_vec()), says: RULE, ..NONE };
    assert!(natives().all(|native| wrong(native, &own).is_some_and(|wrong| wrong.contains("the call runs"))));
}
