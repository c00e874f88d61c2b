//! One thread, three pipes, one process group.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tollgate_core::{Fault, FaultKind};

use super::{Ended, Job, State, lock};

/// How much a program may say on each stream.
const MOST: usize = 1 << 20;
/// How long what a program left behind may keep its pipes open.
const GRACE: Duration = Duration::from_millis(100);
/// How long a program that ended well and has said nothing may leave it to others to speak for it (`exec > >(tee log)`).
const LATE: Duration = Duration::from_secs(2);
/// How long to sleep at most before looking whether it has ended: a process that holds the pipes open may not tell.
const TICK: Duration = Duration::from_millis(10);

/// All groups that run now.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Kills all programs that run, with all that they started. For whoever ends this process without waiting for them.
pub fn end_all() {
    for group in lock(&GROUPS).iter() {
        let _ = kill_process_group(*group, Signal::KILL);
    }
}

/// The processes of one program. It exists until the first of them is waited for: until then its number is taken.
pub(super) struct Group(Pid);

impl Group {
    fn of(child: &Child) -> Self {
        let pid = Pid::from_child(child);
        lock(&GROUPS).push(pid);
        Self(pid)
    }

    pub(super) fn kill(&self) {
        // That there is nobody left is fine.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        lock(&GROUPS).retain(|pid| *pid != self.0);
    }
}

/// Runs a program to its end, or ends it.
pub(super) fn run(job: Job, shared: &Mutex<State>) -> Result<Ended, Fault> {
    let started = Instant::now();
    let (mut child, pid) = start(&job, shared)?;
    let result = Pipes::of(&mut child, job.stdin).and_then(|mut pipes| {
        let left = attend(pid, &mut pipes, started, job.timeout)?;
        Ok((pipes, left))
    });
    // Whoever still holds a pipe is ended with it; so is everybody if something went wrong.
    if !matches!(&result, Ok((_, false)))
        && let Some(group) = &lock(shared).group
    {
        group.kill();
    }
    // Once it is waited for, its number may be somebody else's.
    lock(shared).group = None;
    let status = child.wait();
    let (pipes, _) = result?;
    let status = status.map_err(|error| Fault::new(FaultKind::Crash, format!("its end was lost: {error}")))?;
    Ok(Ended { code: status.code(), signal: status.signal(), out: pipes.out.bytes, err: pipes.err.bytes })
}

fn start(job: &Job, shared: &Mutex<State>) -> Result<(Child, Pid), Fault> {
    let missing = |error: std::io::Error| {
        let what = job.argv.first().map(String::as_str).unwrap_or_default();
        Fault::new(FaultKind::Missing, format!("`{what}` could not be started: {error}"))
    };
    let mut command =
        Command::new(job.argv.first().ok_or_else(|| Fault::new(FaultKind::Missing, "it has no program"))?);
    command.args(&job.argv[1..]).env_clear().envs(job.env.iter().map(|(name, value)| (name, value)));
    command.current_dir(&job.folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0);
    let mut state = lock(shared);
    if state.dropped {
        return Err(Fault::new(FaultKind::Timeout, "nobody waits for it"));
    }
    if fs::metadata(&job.folder).is_err() {
        let folder = job.folder.display();
        return Err(Fault::new(FaultKind::Missing, format!("its folder `{folder}` is not there")));
    }
    let child = command.spawn().map_err(missing)?;
    state.group = Some(Group::of(&child));
    let pid = Pid::from_child(&child);
    Ok((child, pid))
}

/// Moves bytes until the program has ended. Says whether somebody else still holds its pipes.
fn attend(pid: Pid, pipes: &mut Pipes, started: Instant, timeout: Duration) -> Result<bool, Fault> {
    let mut ended: Option<Exit> = None;
    let mut nap = Duration::from_micros(50);
    loop {
        // First this, then the pipes: what it wrote before it ended is then there.
        ended = ended.or_else(|| exit(pid));
        pipes.move_on()?;
        match &ended {
            Some(_) if pipes.said_all() => return Ok(false),
            Some(exit) if pipes.is_over(exit)? => return Ok(true),
            None if started.elapsed() >= timeout => {
                return Err(Fault::new(FaultKind::Timeout, format!("no answer within {timeout:?}, so it was killed")));
            }
            _ => {}
        }
        let until = timeout.saturating_sub(started.elapsed()).max(Duration::from_millis(1));
        if pipes.said_all() {
            std::thread::sleep(nap.min(until));
            nap = (nap * 2).min(TICK);
        } else {
            pipes.wait(TICK.min(until));
        }
    }
}

/// The end of a program, and when it was seen.
struct Exit {
    since: Instant,
    /// Whether silence would be consent.
    well: bool,
}

/// Whether it has ended, and how; it stays there to be waited for.
fn exit(pid: Pid) -> Option<Exit> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let ended = |well| Exit { since: Instant::now(), well };
    match waitid(WaitId::Pid(pid), options) {
        Ok(status) => status.map(|status| ended(status.exit_status() == Some(0))),
        // There is nothing to wait for.
        Err(_) => Some(ended(true)),
    }
}

/// What the program reads and what it says.
struct Pipes {
    stdin: Option<ChildStdin>,
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

trait Source: Read + AsFd + Send {}
impl<T: Read + AsFd + Send> Source for T {}

impl Pipes {
    fn of(child: &mut Child, input: Vec<u8>) -> Result<Self, Fault> {
        let stream = |from: Option<Box<dyn Source>>, name| Stream { from, bytes: Vec::new(), heard: None, name };
        let pipes = Self {
            stdin: child.stdin.take(),
            input,
            sent: 0,
            out: stream(child.stdout.take().map(|from| Box::new(from) as _), "standard output"),
            err: stream(child.stderr.take().map(|from| Box::new(from) as _), "standard error"),
        };
        for end in pipes.ends() {
            rustix::io::ioctl_fionbio(end, true)
                .map_err(|error| Fault::new(FaultKind::Crash, format!("its pipes: {error}")))?;
        }
        Ok(pipes)
    }

    fn ends(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let stdin = self.stdin.as_ref().map(AsFd::as_fd);
        let streams =
            [&self.out, &self.err].into_iter().filter_map(|stream| stream.from.as_ref().map(|from| from.as_fd()));
        stdin.into_iter().chain(streams)
    }

    fn said_all(&self) -> bool {
        self.out.from.is_none() && self.err.from.is_none()
    }

    /// Whether nobody waits any longer for those who hold the pipes of a program that has ended. Who still may speak for
    /// it and never does has not consented.
    fn is_over(&self, exit: &Exit) -> Result<bool, Fault> {
        let waited = exit.since.elapsed();
        let quiet = self.out.heard.map_or(waited, |heard| heard.elapsed().min(waited));
        if !exit.well || self.out.from.is_none() {
            return Ok(waited >= GRACE);
        }
        if self.out.bytes.trim_ascii().is_empty() && waited >= LATE {
            let what = "it ended, and what it started kept its standard output open without an answer";
            return Err(Fault::new(FaultKind::Timeout, what));
        }
        Ok(waited >= LATE || (quiet >= GRACE && !self.out.bytes.trim_ascii().is_empty()))
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
