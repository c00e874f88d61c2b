//! What happens to a program happens to all that it started.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tollgate_process::{Exit, Group, Job, MOST, Running};

const LONG: Duration = Duration::from_secs(60);

fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).current_dir("/");
    command
}

fn start(line: &str) -> Group {
    Group::start(&mut shell(line)).unwrap()
}

fn run(line: &str, stdin: &[u8], timeout: Duration) -> Result<String, String> {
    let job = Job { command: shell(line), stdin: stdin.to_vec(), timeout };
    let ended = tollgate_clock::block_on(Running::start(job)).map_err(|fault| fault.to_string())?;
    let (out, err) = (String::from_utf8(ended.out).unwrap(), String::from_utf8(ended.err).unwrap());
    let held = if ended.held { " held" } else { "" };
    Ok(format!("{:?} {:?} out {out:?} err {err:?}{held}", ended.code, ended.signal))
}

/// A number of seconds that nobody else sleeps.
fn mark(number: u32) -> String {
    format!("{}.{number}", 300_000 + std::process::id())
}

/// Whether a process with this in its command line runs.
fn runs(mark: &str) -> bool {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).contains(mark))
}

fn soon(is: impl Fn() -> bool) -> bool {
    let until = Instant::now() + LONG;
    loop {
        // Looked at once: who is in the middle of becoming another program can be missed the next time.
        match is() {
            true => return true,
            false if Instant::now() >= until => return false,
            false => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[test]
fn all_of_it_ends_however_it_is_ended() {
    type End = fn(Group);
    let ends: [(&str, &str, End); 4] = [
        ("dropped while it runs", "sleep MARK & wait", drop),
        ("dropped after its end", "sleep MARK & exit 0", |group| {
            assert_eq!(group.wait(LONG), Some(Exit { code: Some(0), signal: None }));
        }),
        ("killed while it runs", "sh -c 'sleep MARK & wait' & wait", |group| {
            assert_eq!(group.wait(Duration::ZERO), None);
            group.kill();
            assert_eq!(group.leave(), Ok(Exit { code: None, signal: Some(9) }));
        }),
        ("killed after its end", "sleep MARK & exit 7", |group| {
            assert_eq!(group.wait(LONG), Some(Exit { code: Some(7), signal: None }));
            group.kill();
            assert_eq!(group.leave(), Ok(Exit { code: Some(7), signal: None }));
        }),
    ];
    for (number, (what, line, end)) in (1..).zip(ends) {
        let mark = mark(number);
        let group = start(&line.replace("MARK", &mark));
        assert!(soon(|| runs(&mark)), "{what}");
        end(group);
        assert!(soon(|| !runs(&mark)), "{what}: something of it still runs");
    }
}

#[test]
fn what_is_left_alone_goes_on() {
    let file = |name: &str| -> PathBuf { std::env::temp_dir().join(format!("tollgate-{name}-{}", std::process::id())) };
    let (waits, done) = (file("waits"), file("done"));
    let line = r#"(while test -e "$WAITS"; do sleep 0.01; done; touch "$DONE") & exit 0"#;
    let command = |line: &str| {
        let mut command = shell(line);
        command.env("WAITS", &waits).env("DONE", &done);
        command
    };
    let left: [(&str, &dyn Fn()); 2] = [
        ("a group", &|| {
            let group = Group::start(&mut command(line)).unwrap();
            assert_eq!(group.leave(), Ok(Exit { code: Some(0), signal: None }));
        }),
        ("who holds none of the pipes", &|| {
            let command = command(&format!("exec > /dev/null 2>&1; {line}"));
            let job = Job { command, stdin: Vec::new(), timeout: LONG };
            assert_eq!(tollgate_clock::block_on(Running::start(job)).unwrap().code, Some(0));
        }),
    ];
    for (what, leave) in left {
        std::fs::write(&waits, "").unwrap();
        leave();
        std::fs::remove_file(&waits).unwrap();
        assert!(soon(|| done.exists()), "{what}");
        std::fs::remove_file(&done).unwrap();
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    for (command, expected) in [
        (
            &mut Command::new("/nowhere/program"),
            "missing: `/nowhere/program` could not be started: No such file or directory (os error 2)",
        ),
        (Command::new("/bin/sh").current_dir("/nowhere"), "missing: its folder `/nowhere` is not there"),
    ] {
        assert_eq!(Group::start(command).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_text_goes_in_and_an_ending_comes_out() {
    for (line, expected) in [
        ("cat; echo why >&2; exit 3", r#"Some(3) None out "text" err "why\n""#),
        ("kill -TERM $$", r#"None Some(15) out "" err """#),
        ("sleep 600 & exit 0", r#"Some(0) None out "" err "" held"#),
        ("sleep 600 & echo said", r#"Some(0) None out "said\n" err "" held"#),
        ("sleep 600 >&2 & exit 0", r#"Some(0) None out "" err """#),
        ("exec > /dev/null; sleep 600 2>&1 & exit 4", r#"Some(4) None out "" err """#),
    ] {
        assert_eq!(run(line, b"text", LONG).as_deref(), Ok(expected), "{line}");
    }
}

#[test]
fn time_and_output_are_bounded() {
    let exactly = format!("head -c {MOST} /dev/zero | tr '\\0' x");
    assert!(run(&exactly, b"", LONG).is_ok());
    for (line, timeout, expected) in [
        (format!("{exactly}; echo"), LONG, "flood: more than 1 MiB on standard output"),
        (format!("{exactly} >&2; echo >&2"), LONG, "flood: more than 1 MiB on standard error"),
        ("sleep 600".to_owned(), Duration::from_millis(50), "timeout: no answer within 50ms, so it was killed"),
    ] {
        assert_eq!(run(&line, b"", timeout), Err(expected.to_owned()), "{line}");
    }
}

#[test]
fn a_future_that_is_dropped_ends_its_program() {
    let mark = mark(9);
    let running =
        Running::start(Job { command: shell(&format!("sleep {mark} & wait")), stdin: Vec::new(), timeout: LONG });
    assert!(soon(|| runs(&mark)));
    drop(running);
    assert!(soon(|| !runs(&mark)));
}

#[test]
fn pipes_are_given_out_once() {
    let mut group = Group::start(shell("cat").stdin(Stdio::piped()).stdout(Stdio::piped())).unwrap();
    assert!(group.stdin().is_some() && group.stdout().is_some());
    assert!(group.stdin().is_none() && group.stdout().is_none() && group.stderr().is_none());
}
