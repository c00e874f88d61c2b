//! Moving the bytes of a program that runs: one thread, three pipes.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tollgate_core::{Fault, FaultKind};

use crate::capture::{Ended, Job, MOST, State};
use crate::group::{Naps, TICK};
use crate::{Exit, Group, lock};

/// How long what a program left behind may keep its pipes open.
const GRACE: Duration = Duration::from_millis(100);
/// How long a program that ended well and has said nothing may leave it to others to speak for it (`exec > >(tee log)`).
const LATE: Duration = Duration::from_secs(2);

/// Runs a program to its end, or ends it.
pub(crate) fn run(job: Job, shared: &Mutex<State>) -> Result<Ended, Fault> {
    let started = Instant::now();
    let result = start(job.command, job.stdin, shared)?.and_then(|mut pipes| {
        let left = attend(shared, &mut pipes, started, job.timeout)?;
        Ok((pipes, left))
    });
    let group = lock(shared).group.take().ok_or_else(|| Fault::new(FaultKind::Crash, "its end was lost"))?;
    // Whoever still holds a pipe is ended with it; so is everybody if something went wrong.
    if !matches!(&result, Ok((_, false))) {
        group.kill();
    }
    let exit = group.leave();
    let (Pipes { out, err, .. }, _) = result?;
    let Exit { code, signal } = exit?;
    Ok(Ended { code, signal, held: out.from.is_some(), out: out.bytes, err: err.bytes })
}

/// The outer error: nothing was started.
fn start(mut command: Command, stdin: Vec<u8>, shared: &Mutex<State>) -> Result<Result<Pipes, Fault>, Fault> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Whoever drops the future finds the group, or is found to have done so.
    let mut state = lock(shared);
    if state.dropped {
        return Err(Fault::new(FaultKind::Timeout, "nobody waits for it"));
    }
    let group = state.group.insert(Group::start(&mut command)?);
    Ok(Pipes::of(group, stdin))
}

/// Moves bytes until the program has ended. Says whether somebody else still holds its pipes.
fn attend(shared: &Mutex<State>, pipes: &mut Pipes, started: Instant, timeout: Duration) -> Result<bool, Fault> {
    let mut ended: Option<(Instant, Exit)> = None;
    let mut naps = Naps::default();
    let exit = || Some((Instant::now(), lock(shared).group.as_ref()?.wait(Duration::ZERO)?));
    loop {
        // First this, then the pipes: what it wrote before it ended is then there.
        ended = ended.or_else(exit);
        pipes.move_on()?;
        match ended {
            Some(_) if pipes.said_all() => return Ok(false),
            Some((since, exit)) if pipes.is_over(since, exit) => return Ok(true),
            None if started.elapsed() >= timeout => {
                return Err(Fault::new(FaultKind::Timeout, format!("no answer within {timeout:?}, so it was killed")));
            }
            _ => {}
        }
        let until = timeout.saturating_sub(started.elapsed()).max(Duration::from_millis(1));
        if pipes.said_all() {
            std::thread::sleep(naps.next().min(until));
        } else {
            pipes.wait(TICK.min(until));
        }
    }
}

/// What the program reads and what it says.
struct Pipes {
    stdin: Option<Box<dyn Sink>>,
    input: Vec<u8>,
    sent: usize,
    out: Stream,
    err: Stream,
}

struct Stream {
    from: Option<Box<dyn Source>>,
    bytes: Vec<u8>,
    /// When something was last said.
    heard: Option<Instant>,
    name: &'static str,
}

trait Sink: Write + AsFd + Send {}
impl<T: Write + AsFd + Send> Sink for T {}

trait Source: Read + AsFd + Send {}
impl<T: Read + AsFd + Send> Source for T {}

impl Pipes {
    fn of(group: &mut Group, input: Vec<u8>) -> Result<Self, Fault> {
        let stream = |from: Option<Box<dyn Source>>, name| Stream { from, bytes: Vec::new(), heard: None, name };
        let pipes = Self {
            stdin: group.stdin().map(|to| Box::new(to) as _),
            input,
            sent: 0,
            out: stream(group.stdout().map(|from| Box::new(from) as _), "standard output"),
            err: stream(group.stderr().map(|from| Box::new(from) as _), "standard error"),
        };
        for end in pipes.ends() {
            rustix::io::ioctl_fionbio(end, true)
                .map_err(|error| Fault::new(FaultKind::Crash, format!("its pipes: {error}")))?;
        }
        Ok(pipes)
    }

    fn ends(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let stdin = self.stdin.as_ref().map(|to| to.as_fd());
        let streams =
            [&self.out, &self.err].into_iter().filter_map(|stream| stream.from.as_ref().map(|from| from.as_fd()));
        stdin.into_iter().chain(streams)
    }

    fn said_all(&self) -> bool {
        self.out.from.is_none() && self.err.from.is_none()
    }

    /// Whether nobody waits any longer for those who hold the pipes of a program that has ended. Others may speak for
    /// one that ended well and has said nothing.
    fn is_over(&self, since: Instant, exit: Exit) -> bool {
        let waited = since.elapsed();
        let quiet = self.out.heard.map_or(waited, |heard| heard.elapsed().min(waited));
        if exit.code != Some(0) || self.out.from.is_none() {
            return waited >= GRACE;
        }
        waited >= LATE || (quiet >= GRACE && !self.out.bytes.trim_ascii().is_empty())
    }

    /// Writes and reads what can be written and read now.
    fn move_on(&mut self) -> Result<(), Fault> {
        self.write();
        self.out.read()?;
        self.err.read()
    }

    /// A program need not read what it is given.
    fn write(&mut self) {
        while let Some(stdin) = &mut self.stdin {
            match stdin.write(&self.input[self.sent..]) {
                Ok(0) => self.stdin = None,
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.stdin = None,
            }
            if self.sent == self.input.len() {
                self.stdin = None;
            }
        }
    }

    /// Sleeps until something can be moved, though not long.
    fn wait(&self, most: Duration) {
        let writes = self.stdin.is_some();
        let mut ends: Vec<PollFd<'_>> = self
            .ends()
            .enumerate()
            .map(|(index, end)| {
                PollFd::from_borrowed_fd(end, if writes && index == 0 { PollFlags::OUT } else { PollFlags::IN })
            })
            .collect();
        let time = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: most.subsec_nanos().into() };
        // Whatever it says, the pipes are looked at next.
        let _ = poll(&mut ends, Some(&time));
    }
}

impl Stream {
    fn read(&mut self) -> Result<(), Fault> {
        let mut piece = [0; 16 << 10];
        while let Some(from) = &mut self.from {
            match from.read(&mut piece) {
                Ok(0) => self.from = None,
                Ok(count) if self.bytes.len() + count > MOST => {
                    return Err(Fault::new(FaultKind::Flood, format!("more than 1 MiB on {}", self.name)));
                }
                Ok(count) => {
                    self.bytes.extend_from_slice(&piece[..count]);
                    self.heard = Some(Instant::now());
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.from = None,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
