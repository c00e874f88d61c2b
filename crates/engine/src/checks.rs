//! The checks that know more than one call: classes of tools, required arguments, limits, loops, duplicates, dry run.
//!
//! Each is plain data with a `registrations` method. They stand at the two ends of the order, so that whatever else is
//! registered lies between them: `unknown, admin, require, deny, allow`, then rules and everybody else, then `loops,
//! limits, dedupe, dry run`. The first that objects ends the run, so what comes late is counted only for calls that
//! nobody before objected to; whoever objects after that is seen by a watcher, which gives back what was taken.

use std::sync::Arc;

use tollgate_core::{Body, Event, Fault, Name};

mod call;
mod dedupe;
mod dry_run;
mod limit;
mod protect;
mod repeat;
mod require;
mod tools;

pub use dedupe::{Dedupe, Dedupes};
pub use dry_run::DryRun;
pub use limit::{Limit, Limits, Over, Per};
pub(crate) use protect::Known;
pub use protect::{Places, Protect, SwitchFile};
pub use repeat::{Loop, Loops};
pub use require::{Require, Requires, Violation};
pub use tools::{Class, Tools, Toolset};

/// Whether a check is for a call.
pub type When = Arc<dyn Fn(&Event<'_>, &Body) -> Result<bool, Fault> + Send + Sync>;

/// Where ours stand among edits and among guards. Higher runs first.
pub(crate) mod order {
    /// The first edit: nobody's program runs for a call that cannot happen.
    pub(crate) const HALT: i32 = i32::MAX;
    /// The next one sees results as they came.
    pub(crate) const COUNT: i32 = i32::MAX - 1;

    pub(crate) const UNKNOWN: i32 = i32::MAX;
    pub(crate) const ADMIN: i32 = i32::MAX - 1;
    pub(crate) const REQUIRE: i32 = i32::MAX - 2;
    pub(crate) const DENY: i32 = i32::MAX - 3;
    pub(crate) const ALLOW: i32 = i32::MAX - 4;
    pub(crate) const LOOPS: i32 = i32::MIN + 3;
    pub(crate) const LIMITS: i32 = i32::MIN + 2;
    pub(crate) const DEDUPE: i32 = i32::MIN + 1;
    pub(crate) const DRY_RUN: i32 = i32::MIN;
}

/// What a check would say about a call in a dry run.
pub trait Preview: Send + Sync {
    /// A line for each thing worth knowing.
    fn preview(&self, event: &Event<'_>, body: &Body) -> Vec<String>;
}

/// A check for every call.
pub fn always() -> When {
    Arc::new(|_, _| Ok(true))
}

/// A check for tools with these names; `*` is any text.
///
/// ```
/// use tollgate_core::{Body, Event, Point};
///
/// let when = tollgate_engine::checks::tools(["create_*", "push_files"])?;
/// let names = tollgate_wire::names();
/// for (name, expected) in [("create_issue", true), ("Push_Files", true), ("get_issue", false)] {
///     let name = names.name(name);
///     let fits = when(&Event::tool(Point::ToolBefore, &name, "1"), &Body::default());
///     assert_eq!(fits, Ok(expected), "{name:?}");
/// }
/// # Ok::<(), tollgate_core::BadRegistration>(())
/// ```
pub fn tools<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<When, tollgate_core::BadRegistration> {
    let names = tollgate_wire::names();
    let normal = |pattern: &str| names.name(pattern).normal().to_owned();
    let globs = patterns.into_iter().map(|pattern| tollgate_core::Match::glob(&normal(pattern)));
    let globs: Vec<_> = globs.collect::<Result<_, _>>()?;
    Ok(Arc::new(move |event, body| {
        let mut names = event.tool_now(body).into_iter().flat_map(Name::all);
        Ok(names.any(|name| globs.iter().any(|glob| glob.fits(Some(name)))))
    }))
}
