//! Paths of a container that lead to the host.

use crate::arg::Arg;
use crate::know::options::{Options, part};

/// A folder of the host and where a container sees it.
#[derive(Clone, Debug)]
pub(super) struct Mount {
    pub host: Arg,
    inside: String,
    pub read_only: bool,
}

/// Nobody mounts more.
const MOST: usize = 32;

/// `-v host:inside[:ro]` and `--mount type=bind,source=…,target=…`.
pub(super) fn mounts(options: &Options) -> Vec<Mount> {
    let volumes = options.values(&["v", "volume"]).filter_map(|volume| {
        let mut parts = volume.text.splitn(3, ':');
        let (host, inside, mode) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
        // A bare name is a volume of the engine.
        let is_path = host.starts_with(['/', '.', '~', crate::arg::HOLE]);
        let read_only = mode.split(',').any(|mode| mode == "ro");
        is_path.then(|| Mount { host: part(volume, host), inside: inside.to_owned(), read_only })
    });
    let mounts = options.values(&["mount"]).filter_map(|mount| {
        let field = |names: &[&str]| {
            mount.text.split(',').find_map(|field| {
                field.split_once('=').filter(|(name, _)| names.contains(name)).map(|(_, value)| value)
            })
        };
        let bind = field(&["type"]).is_none_or(|kind| kind == "bind");
        let host = field(&["source", "src"])?;
        let inside = field(&["target", "dst", "destination"])?;
        let read_only =
            mount.text.split(',').any(|field| matches!(field, "readonly" | "ro" | "readonly=true" | "ro=true"));
        bind.then(|| Mount { host: part(mount, host), inside: inside.to_owned(), read_only })
    });
    volumes.chain(mounts).take(MOST).collect()
}

/// A word of the command inside, with paths as the host knows them.
pub(super) fn outside(word: &Arg, mounts: &[Mount]) -> Arg {
    let mut text = word.text.clone();
    for mount in mounts {
        text = replaced(&text, mount);
    }
    part(word, &text)
}

fn replaced(text: &str, mount: &Mount) -> String {
    let inside = mount.inside.trim_end_matches('/');
    if inside.is_empty() || mount.read_only {
        return text.to_owned();
    }
    let host = mount.host.text.trim_end_matches('/');
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(inside) {
        let starts = !before
            .chars()
            .next_back()
            .or(done.chars().next_back())
            .is_some_and(|c| c.is_alphanumeric() || "/._-".contains(c));
        let ends = !after.chars().next().is_some_and(|c| c.is_alphanumeric() || "._-".contains(c));
        done.push_str(before);
        if starts && ends {
            done.push_str(host);
            if host.is_empty() && !after.starts_with('/') {
                done.push('/');
            }
        } else {
            done.push_str(inside);
        }
        rest = after;
    }
    done.push_str(rest);
    done
}
