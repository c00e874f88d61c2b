//! `tollgate log`: what agents did, read from the record (`spec/audit.md`).
//!
//! ```text
//!  place    which log, with which key            find     which records are wanted
//!  list     the newest, as a table or JSON       follow   the same, going on
//!  row      a record in a few words              table    rows in eighty columns
//!  show     one record, in full                  verify   whether it is what it says it is
//!  export   records for other programs           key      what others check it with
//!  erase    what is about somebody               anchor   the newest head, published
//!  renew    a new log after an old one           own      this user's log, to be added to
//!  stats    how much of what                     progress how far it is
//! ```

mod anchor;
mod args;
mod cells;
mod erase;
mod export;
mod find;
mod follow;
mod json;
mod key;
mod list;
mod own;
mod page;
mod place;
mod renew;
mod row;
mod show;
mod stats;
mod subject;
mod table;
mod verify;

use std::path::Path;

use tollgate_config::Paths;

use super::Done;
use crate::args::Policy;
use crate::output::{Paint, thousands};

pub(crate) use args::Log;
use args::What;
pub(super) use find::session;
pub(super) use place::shown;

pub(crate) fn run(policy: &Policy, log: &Log, paint: Paint) -> Done {
    if is_home_ignored(policy) {
        eprintln!("note: TOLLGATE_HOME is ignored: it leads into the project (or is not absolute)");
    }
    match &log.what {
        None => list::run(policy, &log.list, paint),
        Some(What::Show(show)) => show::run(policy, show, paint),
        Some(What::Verify(verify)) => verify::run(policy, verify, paint),
        Some(What::Export(export)) => export::run(policy, export),
        Some(What::Key(key)) => key::run(policy, key),
        Some(What::Stats(args)) => stats::run(policy, args, paint),
        Some(What::Erase(args)) => erase::run(policy, args, paint),
        Some(What::Anchor(args)) => anchor::run(policy, args, paint),
        Some(What::New(args)) => renew::run(policy, args, paint),
    }
}

/// Whether somebody chose a folder for the log that is not used: they would look for the log in the wrong place.
fn is_home_ignored(policy: &Policy) -> bool {
    let Some(home) = std::env::var_os("TOLLGATE_HOME").filter(|home| !home.is_empty()) else { return false };
    let paths = Paths::of_process(policy.config.as_deref());
    paths.is_ok_and(|paths| paths.state != Some(Path::new(&home).join("state")))
}

/// How many there are of something, with thousands set apart.
fn count(number: u64, one: &str) -> String {
    let plural = match one.strip_suffix('y') {
        _ if number == 1 => one.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{one}s"),
    };
    format!("{} {plural}", thousands(number))
}

/// A length of time, as far as anybody cares.
fn length(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => tenths(micros / 100, "ms"),
        1_000_000..60_000_000 => tenths(micros / 100_000, "s"),
        _ => format!("{} min {} s", thousands(micros / 60_000_000), micros / 1_000_000 % 60),
    }
}

/// A number of tenths; nobody needs them beyond ten.
fn tenths(tenths: u64, unit: &str) -> String {
    if tenths < 100 && !tenths.is_multiple_of(10) {
        return format!("{}.{} {unit}", tenths / 10, tenths % 10);
    }
    format!("{} {unit}", tenths / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_for_people() {
        for (number, one, expected) in [
            (0, "record", "0 records"),
            (1, "record", "1 record"),
            (999, "record", "999 records"),
            (1_234, "record", "1,234 records"),
            (1_234_567, "key", "1,234,567 keys"),
            (2, "entry", "2 entries"),
        ] {
            assert_eq!(count(number, one), expected);
        }
    }

    #[test]
    fn lengths_are_as_exact_as_anybody_needs() {
        for (micros, expected) in [
            (0, "0 µs"),
            (999, "999 µs"),
            (1_000, "1 ms"),
            (1_250, "1.2 ms"),
            (12_300, "12 ms"),
            (3_200_000, "3.2 s"),
            (59_999_999, "59 s"),
            (61_000_000, "1 min 1 s"),
            (7_200_000_000, "120 min 0 s"),
        ] {
            assert_eq!(length(micros), expected, "{micros}");
        }
    }
}
