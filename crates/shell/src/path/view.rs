//! Paths that show something else to each process that looks: its root, its working directory, what it has open.

use super::{Surroundings, push};
use crate::arg::HOLE;

/// Descriptors from here on are those of `<(…)` and `>(…)`, whose commands are judged themselves.
const SUBSTITUTED: u32 = 63;

/// Whether following links there would show what the gate sees, not what the command does.
pub(crate) fn is_view(path: &str) -> bool {
    path.starts_with("/proc/") || path.starts_with("/dev/") && !path.starts_with("/dev/shm/")
}

/// Goes on from where a process is, once a path has come to a link that leads there: a process has the machine's root
/// for its own, and the command's working directory is known.
pub(super) fn enter(path: &mut String, cwd: Option<&str>) {
    match below_process(path) {
        Some((_, "root")) => path.truncate(1),
        Some(("self" | "thread-self", "cwd")) => {
            if let Some(cwd) = cwd.filter(|cwd| cwd.starts_with('/')) {
                path.clear();
                push(path, cwd, true, &Surroundings::default());
            }
        }
        _ => {}
    }
}

/// Goes up from a link of a process. What lies above where it leads is known of the folder of descriptors only.
pub(super) fn leave(path: &mut String) -> Option<bool> {
    if path == "/dev/fd" {
        "/proc/self".clone_into(path);
        return Some(true);
    }
    let is_link = match (descriptor(path), below_process(path)) {
        (Some((_, _, below)), _) => below.is_none(),
        (None, Some((_, name))) => name == "cwd",
        (None, None) => false,
    };
    is_link.then_some(false)
}

/// Whether a plain path leads where only somebody else knows: through a descriptor, or through the folder of another
/// process. What is changed there may be anything.
#[must_use]
pub fn is_blind(path: &str) -> bool {
    if let Some((process, number, below)) = descriptor(path) {
        let ours = matches!(process, "self" | "thread-self" | "1");
        let is_told = matches!(number, "1" | "2") || number.parse().is_ok_and(|number: u32| number >= SUBSTITUTED);
        return below.is_some() || !ours || !is_told;
    }
    let Some((process, rest)) = below_process(path) else { return false };
    let (first, deep) = rest.split_once('/').map_or((rest, false), |(first, _)| (first, true));
    let unknown = |name: &str| name.contains([HOLE, '…', '*', '?', '[']);
    matches!(first, "cwd" | "root")
        || deep && (unknown(first) || unknown(process) && !matches!(first, "attr" | "net" | "task"))
}

/// The number of an open file that a path names, if it is one of the command's own.
pub(crate) fn own_descriptor(path: &str) -> Option<u32> {
    let (process, number, below) = descriptor(path)?;
    if matches!(process, "self" | "thread-self") && below.is_none() { number.parse().ok() } else { None }
}

/// Whether a path is nothing but a descriptor.
pub(super) fn is_descriptor(path: &str) -> bool {
    descriptor(path).is_some_and(|(_, _, below)| below.is_none())
}

/// Whether a path leads through a descriptor that is a folder.
pub(super) fn is_below_descriptor(path: &str) -> bool {
    descriptor(path).is_some_and(|(_, _, below)| below.is_some())
}

/// The process of a descriptor, its number, and what follows it.
fn descriptor(path: &str) -> Option<(&str, &str, Option<&str>)> {
    let (process, rest) = match path.strip_prefix("/dev/") {
        Some(device) => {
            let (name, below) = device.split_once('/').map_or((device, None), |(name, below)| (name, Some(below)));
            match name {
                "stdin" => return Some(("self", "0", below)),
                "stdout" => return Some(("self", "1", below)),
                "stderr" => return Some(("self", "2", below)),
                "fd" => ("self", below?),
                _ => return None,
            }
        }
        None => below_process(path).and_then(|(process, rest)| Some((process, rest.strip_prefix("fd/")?)))?,
    };
    let (number, below) = rest.split_once('/').map_or((rest, None), |(number, below)| (number, Some(below)));
    Some((process, number, below))
}

/// The process that a path below `/proc` names, and what follows it or one of its threads.
fn below_process(path: &str) -> Option<(&str, &str)> {
    let (process, rest) = path.strip_prefix("/proc/")?.split_once('/')?;
    let of_thread = rest.strip_prefix("task/").and_then(|rest| rest.split_once('/'));
    Some((process, of_thread.map_or(rest, |(_, rest)| rest)))
}
