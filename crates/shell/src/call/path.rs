//! A path that a tool is known to be given, because somebody says so.

use super::any::{Deed, deed};
use super::{Call, Tool};
use crate::effect::{Effect, Kind};
use crate::path::Surroundings;

/// What a tool does to a path that it is given: by its kind, or for one that no agent brings along by what its name says.
/// A name that says nothing reads.
///
/// ```
/// use tollgate_shell::{Kind, Surroundings, Tool, understand_path};
///
/// let around = Surroundings { cwd: Some("/home/user/app"), home: Some("/home/user"), ..Surroundings::default() };
/// let tool = Tool::Foreign { name: "acme_wipe", server: None };
/// assert_eq!(understand_path(&tool, "/data/orders", &around)[0].kind, Kind::Delete);
/// assert_eq!(understand_path(&Tool::Own("read"), "~/.ssh/id_rsa", &around)[0].kind, Kind::ReadSecret);
/// ```
#[must_use]
pub fn understand_path(tool: &Tool<'_>, path: &str, around: &Surroundings<'_>) -> Vec<Effect> {
    let (kind, by) = match *tool {
        Tool::Own(kind @ ("write" | "edit")) => (Kind::Overwrite, kind),
        Tool::Own(kind) => (Kind::Read, kind),
        Tool::Foreign { name, .. } => match deed(name) {
            Some(Deed::List) => return Vec::new(),
            Some(Deed::Delete | Deed::Remove) => (Kind::Delete, name),
            Some(Deed::Write) => (Kind::Overwrite, name),
            Some(Deed::Move) => (Kind::Move, name),
            _ => (Kind::Read, name),
        },
    };
    let mut call = Call::new(Surroundings { workspace: around.workspace.or(around.cwd), ..*around });
    call.touch(kind, path, by);
    call.effects
}
