//! Where a path lies, told from where it starts.

use super::{Surroundings, view, windows};
use crate::arg::HOLE;
use crate::effect::Place;

/// Folders below `/` that the machine needs.
#[rustfmt::skip]
const SYSTEM: &[&str] = &[
    "Applications", "Library", "System", "bin", "boot", "cores", "dev", "efi", "etc", "lib", "lib32", "lib64", "libx32",
    "nix", "opt", "proc", "run", "sbin", "snap", "sys", "usr", "var",
];

/// What is below these may go at any time.
const TEMP: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/var/folders", "/usr/tmp"];

/// How names in `/dev` begin that hold no data.
#[rustfmt::skip]
const HARMLESS_DEVICES: &[&str] = &[
    "null", "zero", "full", "random", "urandom", "std", "fd", "tty", "pts", "ptmx", "console", "tcp", "udp", "log",
    "input", "snd", "dri", "video", "usb", "net", "fuse", "kvm", "hidraw", "cu.", "clipboard", "bus", "mqueue",
];

impl Place {
    /// Of a plain path.
    pub(super) fn of(path: &str, rooted: bool, around: &Surroundings<'_>) -> Self {
        if !rooted {
            return Self::Unknown;
        }
        let (path, open) = up_to_hole(path);
        let place = Self::of_known(path, around);
        // Below one of these there is a part that cannot be told.
        match place {
            Self::Workspace if open != Open::No => Self::Inside,
            Self::Root | Self::Home if open == Open::More => Self::Outside,
            place => place,
        }
    }

    fn of_known(path: &str, around: &Surroundings<'_>) -> Self {
        if path == "/" {
            return Self::Root;
        }
        if is_home(path, around.home) {
            return Self::Home;
        }
        if let Some(root) = around.workspace.or(around.cwd).filter(|root| *root != "/" && !root.is_empty()) {
            if let Some(rest) = below(path, root) {
                return inside(rest);
            }
            if below(root, path).is_some() {
                return if is_system(path) { Self::System } else { Self::Outside };
            }
        }
        let real = ["/private/var", "/private/tmp", "/private/etc"].iter().any(|real| below(path, real).is_some());
        let path = if real { &path["/private".len()..] } else { path };
        if TEMP.iter().any(|temp| below(path, temp).is_some()) {
            return Self::Temp;
        }
        if view::is_below_descriptor(path) {
            return Self::System;
        }
        if let Some(device) = path.strip_prefix("/dev/") {
            return if HARMLESS_DEVICES.iter().any(|name| device.starts_with(name)) {
                Self::Temp
            } else {
                Self::Device
            };
        }
        if let Some(place) = windows::place(path) {
            return place;
        }
        if view::is_descriptor(path) {
            return Self::Temp;
        }
        if is_system(path) { Self::System } else { Self::Outside }
    }
}

/// What follows a path that begins with `root`, if it does.
pub(super) fn below<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    let root = root.trim_end_matches('/');
    let rest = path.strip_prefix(root)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// What follows the home folder in which a path lies.
pub(super) fn in_home<'p>(path: &'p str, home: Option<&str>) -> Option<&'p str> {
    if let Some(rest) = home.filter(|home| home.len() > 1).and_then(|home| below(path, home)) {
        return Some(rest);
    }
    for home in ["~", "/root", "/var/root"] {
        if let Some(rest) = below(path, home) {
            return Some(rest);
        }
    }
    let rest =
        ["/home", "/Users", "C:/Users", "/mnt/c/Users", "/c/Users"].iter().find_map(|homes| below(path, homes))?;
    (!rest.is_empty()).then(|| rest.split_once('/').map_or("", |(_, rest)| rest))
}

fn is_home(path: &str, home: Option<&str>) -> bool {
    in_home(path, home) == Some("") || path == "/home" || path == "/Users"
}

fn is_system(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    path.starts_with('/') && (SYSTEM.contains(&first) || first.contains(['*', '?', '[']))
}

/// Of what follows the workspace's own folder.
fn inside(rest: &str) -> Place {
    if rest.is_empty() {
        return Place::Workspace;
    }
    let name = rest.rsplit('/').next().unwrap_or_default();
    let kept = |part: &str| matches!(part, ".git" | ".hg" | ".svn" | ".jj");
    // What git itself leaves behind and asks to be removed, or makes anew.
    let left_behind =
        name.ends_with(".lock") || name.ends_with(".log") || name.ends_with("_EDITMSG") || name.ends_with(".sample");
    if rest.split('/').any(kept) && !left_behind { Place::Vcs } else { Place::Inside }
}

/// Whether a path goes on with what cannot be told.
#[derive(PartialEq)]
enum Open {
    No,
    /// And ends with it.
    Last,
    /// And then with something else.
    More,
}

fn up_to_hole(path: &str) -> (&str, Open) {
    let mut start = 0;
    for part in path.split('/') {
        let end = start + part.len();
        if !part.is_empty() && part.chars().all(|c| c == HOLE) {
            let known = if start <= 1 { "/" } else { &path[..start - 1] };
            return (known, if end == path.len() { Open::Last } else { Open::More });
        }
        start = end + 1;
    }
    (path, Open::No)
}

/// Takes away trailing patterns that stand for everything in a folder; whether there were any.
pub(super) fn without_everything(path: &mut String) -> bool {
    let mut some = false;
    while let Some(at) = path.rfind('/') {
        if !is_everything(&path[at + 1..]) {
            break;
        }
        some = true;
        if at == 0 {
            path.truncate(1);
            break;
        }
        path.truncate(at);
    }
    some
}

fn is_everything(part: &str) -> bool {
    let wild = part.contains('*') || part.contains('?');
    part.starts_with("!(") || wild && part.chars().all(|c| matches!(c, '*' | '?' | '.' | '[' | ']' | '!' | '^'))
}
