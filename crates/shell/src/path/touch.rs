//! What follows when something happens to a path of a special nature.

use super::{Located, is_trail};
use crate::arg::HOLE;
use crate::effect::{Effect, Flag, Flags, Kind, Place};

/// Folders in which agents keep their settings. To take one away takes the policy away.
const AGENTS: &[&str] = &[
    ".claude",
    ".cline",
    ".clinerules",
    ".codex",
    ".copilot",
    ".cursor",
    ".factory",
    ".gemini",
    ".kiro",
    ".openclaw",
    ".opencode",
    ".qwen",
    ".tollgate",
    ".windsurf",
];

/// Folders for files that a program makes anew whenever it is asked, or that the way to add a source of packages puts
/// there: to write one of these loses nothing.
const MADE_ANEW: &[&str] = &[
    "/.config/fish/completions/",
    "/.local/share/bash-completion/completions/",
    "/.zfunc/",
    "/.zsh/completions/",
    "/etc/apt/keyrings/",
    "/etc/apt/sources.list.d/",
    "/etc/yum.repos.d/",
    "/usr/share/keyrings/",
];

/// The effects of doing `kind` to a path: the plain one, and those that follow from the path's nature.
pub(crate) fn effects(kind: Kind, located: Located, flags: Flags, verb: &str) -> impl Iterator<Item = Effect> {
    let Located { path, place, nature, symlink } = located;
    let flags = flags.with_if(Flag::Symlink, symlink).with_if(Flag::Secret, nature.secret);
    let path = if path.contains(HOLE) { path.replace(HOLE, "…") } else { path };
    let anew = kind == Kind::Overwrite && MADE_ANEW.iter().any(|folder| path.contains(folder));
    let kind = if anew { Kind::Write } else { kind };
    let reads_secret = kind == Kind::Read && nature.secret;
    let plain = if reads_secret {
        (Kind::ReadSecret, format!("reads credentials in {path}"))
    } else {
        (kind, format!("{verb} {path}"))
    };
    let changes = matches!(kind, Kind::Delete | Kind::Overwrite | Kind::Write | Kind::Move | Kind::Permissions);
    let puts = matches!(kind, Kind::Overwrite | Kind::Write);
    let takes = matches!(kind, Kind::Delete | Kind::Move | Kind::Overwrite);
    let agents = takes && place != Place::Temp && AGENTS.contains(&path.rsplit('/').next().unwrap_or_default());
    let policy = (changes && nature.policy || agents)
        .then(|| (Kind::Policy, format!("changes the agent's own settings, hooks or records in {path}")));
    let later =
        (puts && nature.runs_later).then(|| (Kind::Persist, format!("leaves something in {path} that runs later")));
    let harms = if is_trail(&path) { takes } else { changes };
    let weaken =
        (harms && nature.security).then(|| (Kind::Weaken, format!("changes {path}, which security depends on")));
    [Some(plain), policy, later, weaken].into_iter().flatten().map(move |(kind, what)| Effect {
        path: Some(path.clone()),
        place: Some(place),
        flags,
        ..Effect::new(kind, what)
    })
}
