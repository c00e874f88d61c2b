//! What a person can do to all agents at once: let everything through for a while, or stop everything.
//!
//! Both are files in the folder for state, so they hold for every agent and every process from the next call on, and
//! survive all of them. Anybody may stop everything (`touch halt` will do); only a person may let everything through,
//! and only for a day.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tollgate_audit::{moment, stamp};
use tollgate_core::{Body, Edit, Ended, Event, Point, Power, Registration, Step, Verdict};

use crate::checks::order;
use crate::ours;

/// The longest that nothing may be enforced.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);
/// How much of somebody's reason is shown.
const SHOWN: usize = 200;
/// How far clocks may be apart.
const SLACK: Duration = Duration::from_secs(60);

/// The switch of one person: two files in a folder.
///
/// ```
/// use std::time::Duration;
/// use tollgate_engine::{Pause, Switch};
///
/// let folder = std::env::temp_dir().join(format!("tollgate-doc-switch-{}", std::process::id()));
/// let (switch, now) = (Switch::at(&folder), Duration::from_secs(1_794_735_000));
/// assert!(switch.read(now).is_off());
///
/// switch.pause(&Pause::new(now, Duration::from_secs(600), "a broken rule", "ann")?)?;
/// let stand = switch.read(now + Duration::from_secs(60));
/// assert_eq!(stand.tells(), ["Tollgate is paused until 09:40 UTC (a broken rule): nothing is stopped"]);
/// assert!(switch.read(now + Duration::from_secs(600)).is_off());
///
/// std::fs::write(folder.join("halt"), "")?;
/// assert!(switch.read(now).halted.is_some());
/// switch.resume()?;
/// assert!(switch.read(now).is_off());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Switch {
    folder: PathBuf,
}

/// How the switch stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stand {
    /// Everything is refused. This beats a pause.
    pub halted: Option<Halt>,
    /// Nothing is.
    pub paused: Option<Pause>,
    /// A pause that is not believed, and why.
    pub doubted: Option<String>,
}

/// Nothing is enforced for a while.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Pause {
    /// Until when.
    pub until: String,
    /// Why.
    pub reason: String,
    /// Who said so.
    pub by: String,
    /// Since when.
    pub since: String,
}

/// Everything is refused until somebody ends it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Halt {
    /// Why.
    pub reason: String,
    /// Who said so.
    pub by: String,
    /// Since when.
    pub since: String,
}

impl Pause {
    /// From now on, for so long. An error if that is too long, or no time at all.
    pub fn new(now: Duration, long: Duration, reason: &str, by: &str) -> io::Result<Self> {
        if long.is_zero() || long > LONGEST_PAUSE {
            return Err(io::Error::other("a pause is longer than nothing, and at most 24 hours"));
        }
        let (until, since) = (stamp(now + long), stamp(now));
        Ok(Self { until, reason: reason.to_owned(), by: by.to_owned(), since })
    }

    /// Whether it holds now; an error if it is not to be believed.
    fn holds(&self, now: Duration) -> Result<bool, String> {
        let time = |text: &str| moment(text).ok_or_else(|| format!("`{}` is no time", brief(text)));
        let (since, until) = (time(&self.since)?, time(&self.until)?);
        if since > now + SLACK {
            return Err("it begins in the future".to_owned());
        }
        if until.saturating_sub(since) > LONGEST_PAUSE {
            return Err("it is longer than 24 hours".to_owned());
        }
        Ok(now < until)
    }

    fn told(&self) -> String {
        // A pause ends within a day, so the time of day says enough.
        let until = self.until.get(11..16).unwrap_or(&self.until);
        format!("Tollgate is paused until {until} UTC ({}): nothing is stopped", brief(&self.reason))
    }
}

impl Halt {
    /// Why everything is refused, and who can change that.
    pub fn refusal(&self) -> String {
        let reason = if self.reason.trim().is_empty() { "no reason was given".to_owned() } else { brief(&self.reason) };
        format!("all agents are halted: {reason}; a human runs `tollgate resume`")
    }
}

impl Stand {
    /// Whether everything is as the policy says.
    pub fn is_off(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the policy only observes: paused, and not halted.
    pub fn observes(&self) -> bool {
        self.paused.is_some() && self.halted.is_none()
    }

    /// What the user is told with every answer.
    pub fn tells(&self) -> Vec<String> {
        let paused = self.paused.as_ref().filter(|_| self.halted.is_none()).map(Pause::told);
        let doubted = self.doubted.as_ref().map(|why| format!("Tollgate is not paused: {why}"));
        paused.into_iter().chain(doubted).collect()
    }

    /// What refuses everything, where everything is to be refused.
    ///
    /// It stands before all others, so that no program of anybody's is run for a call that cannot happen, and its
    /// refusal is recorded like any other.
    pub fn registration(&self) -> Option<Registration> {
        let halted = Halted(self.halted.as_ref()?.refusal());
        let gates: Vec<Point> = Point::ALL.iter().copied().filter(|point| point.is_gate()).collect();
        let edit = Registration::edit("halt", gates, halted);
        Some(Registration { group: None, priority: order::HALT, powers: vec![Power::Deny], second_look: false, ..edit })
    }
}

/// It only objects; it stands among the edits because these come first.
struct Halted(String);

impl Edit for Halted {
    fn edit<'a>(&'a self, event: &'a Event<'a>, _: &'a mut Body) -> Step<'a, Verdict> {
        // The end of a call that was refused is told as it is.
        let over = event.point == Point::ToolAfter && event.ended == Some(Ended::Denied);
        Step::Now(Ok(if over { Verdict::Pass } else { Verdict::deny(self.0.clone()) }))
    }
}

impl Switch {
    /// The switch in a folder ([`Paths::state`](tollgate_config::Paths::state)).
    pub fn at(state: &Path) -> Self {
        Self { folder: state.to_owned() }
    }

    /// How it stands. Two files are looked for; unless they are there, that is all.
    pub fn read(&self, now: Duration) -> Stand {
        let (paused, doubted) = match self.paused(now) {
            Ok(paused) => (paused, None),
            Err(why) => (None, Some(format!("`{}`: {why}; `tollgate resume` removes it", self.pause_file().display()))),
        };
        Stand { halted: self.halted(), paused, doubted }
    }

    /// Lets everything through for a while.
    pub fn pause(&self, pause: &Pause) -> io::Result<()> {
        ours::write(&self.pause_file(), &format!("{:#}\n", serde_json::to_value(pause)?))
    }

    /// Refuses everything. If everything is refused already, the first reason stays.
    pub fn halt(&self, halt: &Halt) -> io::Result<()> {
        if self.halted().is_some() {
            return Ok(());
        }
        ours::write(&self.halt_file(), &format!("{:#}\n", serde_json::to_value(halt)?))
    }

    /// Ends both; says which of them there was.
    pub fn resume(&self) -> io::Result<Resumed> {
        Ok(Resumed { halt: ours::remove(&self.halt_file())?, pause: ours::remove(&self.pause_file())? })
    }

    fn pause_file(&self) -> PathBuf {
        self.folder.join("pause.json")
    }

    fn halt_file(&self) -> PathBuf {
        self.folder.join("halt")
    }

    fn paused(&self, now: Duration) -> Result<Option<Pause>, String> {
        let path = self.pause_file();
        if fs::symlink_metadata(&path).is_err_and(|error| ours::is_absent(&error)) {
            return Ok(None);
        }
        let Some(text) = ours::read(&path).map_err(|error| error.to_string())? else { return Ok(None) };
        let pause: Pause = serde_json::from_str(&text).map_err(|error| format!("it is damaged ({error})"))?;
        Ok(pause.holds(now)?.then_some(pause))
    }

    /// Whatever has this name counts, and what cannot be looked at, too: to stop is the safe side.
    fn halted(&self) -> Option<Halt> {
        let path = self.halt_file();
        match fs::symlink_metadata(&path) {
            Err(error) if ours::is_absent(&error) => None,
            Err(error) => {
                let reason = format!("`{}` cannot be looked at: {error}", path.display());
                Some(Halt { reason, ..Halt::default() })
            }
            Ok(about) => Some(if is_plain(&about) { written(&path) } else { Halt::default() }),
        }
    }
}

/// What was ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Everything was refused.
    pub halt: bool,
    /// Nothing was.
    pub pause: bool,
}

/// What a person or `tollgate halt` wrote there.
fn written(path: &Path) -> Halt {
    let text = ours::read(path).ok().flatten().unwrap_or_default();
    serde_json::from_str(&text)
        .unwrap_or_else(|_| Halt { reason: text.lines().next().unwrap_or_default().to_owned(), ..Halt::default() })
}

/// Whether it is a file of its own. Another name of some other file would be read out to the model.
#[cfg(unix)]
fn is_plain(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    about.is_file() && about.nlink() == 1
}

#[cfg(not(unix))]
fn is_plain(about: &fs::Metadata) -> bool {
    about.is_file()
}

/// Somebody's words, on one line and not too many.
fn brief(text: &str) -> String {
    let line = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = line.take(SHOWN + 1).collect();
    if line.chars().count() > SHOWN {
        line.pop();
        line.push('…');
    }
    line
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
