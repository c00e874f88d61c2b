//! From a plan to a running pipeline.
//!
//! `tollgate-config` reads files, says what they mean together and compiles that (a `Plan`). This crate makes it run: it
//! registers what the plan holds, adds the checks that know more than one call, and gives them a memory.
//!
//! ```text
//!  Plan ──► Registry ──► Pipeline        engine.pipeline()   what surfaces run calls on
//!                           │
//!                           └─ the same on a copy of the state, keeping nothing
//!                                        engine.explain()    what `tollgate explain` prints
//! ```
//!
//! * [`Engine`] — a plan that runs.
//! * [`open()`] — everything a surface needs, opened for one answer; [`Live`] — the same for a process that goes on: another
//!   engine takes this one's place when the switch, the policy or the day changes.
//! * [`judge`] — how a surface that must not wait has calls judged: judging may block.
//! * [`checks`] — classes of tools, required arguments, loops, limits, duplicates, dry run.
//! * [`state`] — what is remembered: one port, a store in memory and one in files that all processes share.
//! * [`record`] — the record that a plan asks for.
//! * [`Disk`] — what stands around calls on this machine: workspace, home, links.
//! * [`Switch`] — what a person can do to all agents at once: let everything through for a while, or stop everything.
//! * [`within`] — what a surface does that cannot do what was decided: it refuses, and says so.
//! * [`Observed`] — what would have happened, where something is only observed.
//!
//! # Order
//!
//! Edits come first: a halt, then what counts loops, then those of rules and programs (`[[hook]]`), by priority and among
//! equals rules before programs. Then the guards: unknown, admin, require, deny, allow; rules and whatever else is
//! registered; loops, limits, dedupe, dry run. The first that denies is named, and whoever comes after it is not asked, so
//! nothing is counted for a call that is denied before it is counted.
//!
//! # Observing
//!
//! With `mode = "observe"` every check runs, counts and judges as it would, and what it would have said is reported
//! instead of done. That is one policy watched by itself; there is no second policy beside the first whose verdicts
//! could win, so a mode in which only the stricter of two holds is not needed: everything that is registered can only
//! restrict.

pub mod checks;
pub mod judge;
pub mod ours;
pub mod record;
pub mod state;

mod ambient;
mod assemble;
mod engine;
mod explain;
mod hooks;
mod installed;
mod live;
mod observe;
mod open;
mod rules;
mod switch;
mod within;

pub use ambient::Disk;
pub use engine::{Engine, Parts};
pub use explain::{EffectForm, Explained, decider};
pub use hooks::HookForm;
pub use installed::{Installed, InstalledFile, MANIFEST};
pub use live::{Change, Halting, Live, Watching};
pub use observe::{Observed, Report, Would};
pub use open::{OpenError, Opened, Surface, open};
pub use rules::FindingForm;
pub use switch::{Halt, LONGEST_PAUSE, Pause, Resumed, Stand, Switch};
pub use tollgate_host_command::end_all as end_hooks;
pub use within::{Able, within};
