//! `tollgate replay`
//!
//! "Before I turn this rule on, what would it have blocked last week?" Recorded events are judged again, one after the
//! other, each at the time it was recorded, and what is decided is compared with what was decided then.

mod judge;
mod recorded;
mod show;
mod tally;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args as Group;
use tollgate_audit::{AuditError, Entry, Keys, Query, Reader};
use tollgate_clock::SystemClock;
use tollgate_config::Paths;
use tollgate_core::Clock;

use self::judge::Judge;
use self::recorded::Recorded;
use self::show::{Printer, Shape};
use self::tally::Tally;
use super::log::{session, shown};
use super::{Done, Failure, NO};
use crate::args::{Json, Policy};
use crate::open;
use crate::output::Paint;
use crate::progress::Progress;
use crate::when::moment;

const ABOUT: &str = "\
Calls are judged as they were recorded: their arguments as they were after the
edits of then, without what was redacted unless they are sealed and the key is
there. Limits, loops and duplicates count from the first record on, by the
times recorded, as if the policy had been put in place at that moment. Files
and folders are those of now. A call that somebody was asked about counts as
asked about, whatever the answer was; whether a call is rewritten is not
compared.

The exit status is 0 when nothing changes, 1 when something does, 2 when that
cannot be told.

Examples:
  tollgate replay --since 7d                    with the policy as it is now
  tollgate replay --rules new.toml --since 7d   with another one
  tollgate replay --rules new.toml --all        every record that changes";

#[derive(Debug, Group)]
#[command(after_help = ABOUT)]
pub(crate) struct Replay {
    /// The policy to try, used alone; unless told, the one that holds here now.
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// From then on: how long ago (7d, 2h), a day (2026-11-01), or a time in UTC (2026-11-01T09:30).
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Before then.
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Compare only what belongs to this session; the beginning of its id will do.
    #[arg(long)]
    session: Option<String>,
    /// Compare only calls of this tool.
    #[arg(long)]
    tool: Option<String>,
    /// The folder of the log, if it is another.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// How many kinds of changes to show.
    #[arg(short = 'n', value_name = "N", default_value_t = 20)]
    most: usize,
    /// List every record that changes, with its number (see `tollgate log show`).
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    pub json: Json,
}

pub(crate) fn run(policy: &Policy, replay: &Replay, paint: Paint) -> Done {
    let mut window = Window::of(replay)?;
    let (policy, name) = other(policy, replay)?;
    let plan = open::plan(&policy, paint)?;
    let ignored = plan.ignored.clone();
    let mut judge = Judge::new(plan, paint)?;
    let tape = Tape::open(replay, &window)?;
    if let Some(given) = &replay.session {
        window.compared.session = Some(session(given, &tape.reader)?);
    }
    let shape = Shape { json: replay.json.json, all: replay.all, most: replay.most, paint, policy: name, ignored };
    let mut printer = Printer::new(shape);
    match tape.play(&window, &mut judge, &mut printer) {
        Ok(tally) if tally.is_empty() && window.compared != Query::default() => {
            printer.fail("no recorded call fits; look at `--session` and `--tool`".to_owned().into())
        }
        Ok(tally) => {
            match printer.finish(&tally) {
                // The status still says what came out.
                Ok(()) | Err(Failure::ClosedPipe) => {}
                Err(failure) => return Err(failure),
            }
            Ok(if tally.changed() == 0 { ExitCode::SUCCESS } else { ExitCode::from(NO) })
        }
        Err(failure) => printer.fail(failure),
    }
}

/// The policy to try, and what to call it.
fn other(policy: &Policy, replay: &Replay) -> Result<(Policy, String), Failure> {
    let named = |path: &Path| path.display().to_string();
    match (&replay.rules, &policy.config) {
        (Some(_), Some(_)) => Err("`--rules` and `--config` both name the policy to try; give one of them".to_owned())?,
        (Some(_), None) if policy.defaults => Err("`--defaults` uses no file; give it or `--rules`".to_owned())?,
        (Some(file), None) if file.try_exists().is_ok_and(|there| !there) => {
            Err(format!("there is no file `{}`; look at what follows `--rules`", shown(file)))?
        }
        (Some(file), None) => Ok((Policy { config: Some(file.clone()), ..Policy::default() }, named(file))),
        (None, Some(file)) => Ok((policy.clone(), named(file))),
        (None, None) if policy.defaults => Ok((policy.clone(), "the default packs".to_owned())),
        (None, None) => Ok((policy.clone(), "the policy as it is now".to_owned())),
    }
}

/// What is looked at, and what of it is compared.
struct Window {
    /// Times as they stand in records, which sort as they are.
    since: Option<String>,
    until: Option<String>,
    compared: Query,
}

impl Window {
    fn of(replay: &Replay) -> Result<Self, Failure> {
        let now = SystemClock::default().wall();
        let time = |option: &str, text: &Option<String>| -> Result<Option<String>, Failure> {
            let found = text.as_deref().map(|text| moment(text, now)).transpose();
            Ok(found.map_err(|wrong| format!("{option}: {wrong}"))?.map(tollgate_audit::stamp))
        };
        let (since, until) = (time("--since", &replay.since)?, time("--until", &replay.until)?);
        if let (Some(since), Some(until)) = (&since, &until)
            && since >= until
        {
            return Err(format!("--since ({since}) is not before --until ({until}), so nothing is between").into());
        }
        // The session is looked up in the log.
        Ok(Self { since, until, compared: Query { tool: replay.tool.clone(), ..Query::default() } })
    }

    fn is_before(&self, entry: &Entry) -> bool {
        self.since.as_ref().is_some_and(|since| entry.record.time < *since)
    }

    fn is_after(&self, entry: &Entry) -> bool {
        self.until.as_ref().is_some_and(|until| entry.record.time >= *until)
    }
}

/// The records.
struct Tape {
    reader: Reader,
    /// What opens sealed values.
    key: Option<[u8; 32]>,
    first: u64,
    /// What is recorded while we read is not looked at: an agent that is at work would keep us busy for ever.
    last: u64,
}

impl Tape {
    fn open(replay: &Replay, window: &Window) -> Result<Self, Failure> {
        let paths = Paths::of_process(None)?;
        let dir = match &replay.dir {
            Some(dir) => dir.clone(),
            None => paths.state().map_err(|error| error.to_string())?.join("audit"),
        };
        let reader = Reader::new(&dir);
        let newest = reader.lines_back().and_then(|mut lines| lines.next().transpose());
        let Some(newest) = newest.map_err(said)? else {
            return Err(format!("there is no log in `{}`; nothing was recorded there", shown(&dir)).into());
        };
        let last = newest.record().map_err(said)?.seq;
        let keys = paths.data().map_err(|error| error.to_string())?.join("audit");
        Ok(Self { key: seal_key(&keys).map_err(said)?, first: begin(&reader, window).map_err(said)?, last, reader })
    }

    fn play(&self, window: &Window, judge: &mut Judge, printer: &mut Printer) -> Result<Tally, Failure> {
        let mut tally = Tally::new(printer.is_listing());
        let all = self.last.saturating_sub(self.first).saturating_add(1);
        let verb = "replaying";
        let mut progress = if printer.is_listing() { Progress::beside_list(verb) } else { Progress::new(verb) };
        for (entry, expected) in self.reader.entries_from(self.first).map_err(said)?.zip(self.first..=self.last) {
            let entry = entry.map_err(said)?;
            if entry.record.seq != expected {
                return Err(format!("record {expected} is missing; run `tollgate log verify`").into());
            }
            let done = (expected - self.first).saturating_add(1);
            if done.is_multiple_of(256) {
                progress.at(done, Some(all), " records");
            }
            if window.is_after(&entry) {
                break;
            }
            if window.is_before(&entry) {
                continue;
            }
            let Some(recorded) = Recorded::of(&entry, self.key.as_ref())? else { continue };
            let compared = window.compared.fits(&entry.record);
            // What is not compared may still have been counted by a limit.
            if compared || judge.remembers {
                let now = judge.judge(&recorded);
                if compared {
                    tally.observed += u64::from(judge.observed());
                    tally.add(&recorded, now).map_or(Ok(()), |change| printer.change(&change))?;
                }
            }
        }
        Ok(tally)
    }
}

/// The first record of the last segment that begins before the window does.
fn begin(reader: &Reader, window: &Window) -> Result<u64, AuditError> {
    let segments = reader.segments()?;
    let mut first = segments.first().map_or(1, |segment| segment.first);
    let Some(since) = &window.since else { return Ok(first) };
    for segment in segments.iter().skip(1) {
        let line = reader.lines_from(segment.first, 0)?.next().transpose()?;
        match line.map(|line| line.record()).transpose()? {
            Some(record) if record.time < *since => first = segment.first,
            _ => break,
        }
    }
    Ok(first)
}

/// What opens sealed values. The key that signs has no part in it: whoever looks at a copy of a log may not have that.
fn seal_key(dir: &Path) -> Result<Option<[u8; 32]>, AuditError> {
    let keys = Keys::read(dir)?.unwrap_or_else(|| Keys::of([0; 32], dir));
    keys.seal(false)
}

fn said(error: AuditError) -> Failure {
    error.into()
}
