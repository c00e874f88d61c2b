use std::collections::VecDeque;
use std::fs::File;
use std::io;

use super::*;

const LONG: Duration = Duration::from_secs(20);

/// The other end of a pipe: what becomes of each attempt to move bytes, `WouldBlock` when there is nothing left.
struct Other(VecDeque<Result<&'static str, ErrorKind>>, File);

impl Other {
    fn new(attempts: &[Result<&'static str, ErrorKind>]) -> Self {
        Self(attempts.iter().copied().collect(), File::open("/dev/null").unwrap())
    }

    fn attempt(&mut self) -> io::Result<&'static str> {
        Ok(self.0.pop_front().unwrap_or(Err(ErrorKind::WouldBlock))?)
    }
}

impl AsFd for Other {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.1.as_fd()
    }
}

impl Read for Other {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.attempt()?.as_bytes().read(into)
    }
}

impl io::Write for Other {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        self.attempt().map(str::len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn stream(from: Option<Other>) -> Stream {
    Stream { from: from.map(|from| Box::new(from) as _), bytes: Vec::new(), heard: None, name: "" }
}

fn pipes(stdin: Option<Other>, input: &str, out: Option<Other>) -> Pipes {
    let stdin = stdin.map(|to| Box::new(to) as _);
    Pipes { stdin, input: input.into(), sent: 0, out: stream(out), err: stream(None) }
}

#[test]
fn an_interruption_loses_nothing_and_an_error_closes_the_pipe() {
    use ErrorKind::{BrokenPipe, Interrupted, WouldBlock};
    for (attempts, moved, open) in [
        (&[Ok("ab"), Ok("c"), Err(WouldBlock), Ok("d")][..], 3, true),
        (&[Err(Interrupted), Ok("ab"), Err(Interrupted), Ok("c")], 3, true),
        (&[Ok("ab"), Err(BrokenPipe), Ok("c")], 2, false),
        (&[Ok("ab"), Ok(""), Ok("c")], 2, false),
        (&[Ok("abcdef"), Err(WouldBlock)], 6, true),
    ] {
        let mut read = stream(Some(Other::new(attempts)));
        read.read().unwrap();
        assert_eq!((read.bytes.len(), read.from.is_some()), (moved, open), "read {attempts:?}");
        let mut written = pipes(Some(Other::new(attempts)), "abcdef", None);
        written.write();
        // What was given whole is closed, so that the program sees its end.
        assert_eq!((written.sent, written.stdin.is_some()), (moved, open && moved < 6), "write {attempts:?}");
    }
}

#[test]
fn how_long_others_may_hold_the_pipes_of_a_program_that_ended() {
    let before = |millis: u64| Instant::now().checked_sub(Duration::from_millis(millis)).unwrap();
    // The status, whether somebody holds standard output, what was said and how long ago, how long ago it ended.
    for (code, held, said, heard, ended, expected) in [
        (0, true, "", None, 500, false),
        (0, true, "", None, 2500, true),
        (0, true, "\n", Some(500), 500, false),
        (0, true, "x", Some(500), 500, true),
        (0, true, "x", Some(500), 0, false),
        (0, true, "x", Some(0), 500, false),
        (0, true, "x", Some(0), 2500, true),
        (0, false, "", None, 0, false),
        (0, false, "", None, 500, true),
        (1, true, "", None, 0, false),
        (1, true, "", None, 500, true),
        (1, true, "x", Some(0), 500, true),
    ] {
        let mut pipes = pipes(None, "", held.then(|| Other::new(&[])));
        pipes.out.bytes = said.into();
        pipes.out.heard = heard.map(before);
        let is_over = pipes.is_over(before(ended), Exit { code: Some(code), signal: None });
        assert_eq!(is_over, expected, "{code} {held} {said:?} {heard:?} {ended}");
    }
}

#[test]
fn whoever_waits_sleeps_until_something_can_be_moved() {
    // More than a pipe holds: it is full, or it can be written to, which is what wakes.
    for (line, input, said) in [
        ("echo said; exec sleep 600", 1 << 20, "said\n"),
        ("read line; exec sleep 600", 0, ""),
        ("exec cat", 5, "xxxxx"),
    ] {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::start(&mut command).unwrap();
        let mut pipes = Pipes::of(&mut group, vec![b'x'; input]).unwrap();
        let started = Instant::now();
        if !said.is_empty() {
            pipes.write();
        }
        pipes.wait(LONG);
        pipes.out.read().unwrap();
        assert_eq!(String::from_utf8_lossy(&pipes.out.bytes), said, "{line}");
        assert!(started.elapsed() < LONG, "{line}: nothing woke it");
    }
}
