//! What is ours in files, and what is not.

use std::path::Path;

use serde_json::Value;
use tollgate_settings::json::{self, holds};
use tollgate_settings::text::{Edited, Insertion, Made, digest, inserted};

use super::agents::{Content, File, Setup, Wanted};
use super::command::{is_mentioned, is_ours};
use super::examine::programs_in;
use super::plan::Entry;
use super::trust::{self, Trusted};

/// OpenClaw names the folder of a plugin.
pub(crate) fn is_own_plugin(agent: &str, part: &Value) -> bool {
    agent == "openclaw" && part.as_str().is_some_and(|path| path.ends_with("/plugins/tollgate"))
}

/// Whether everything is there already, and nothing of an older version.
pub(crate) fn is_current(
    agent: &str,
    current: Option<&str>,
    content: &Content,
    needed: &[Trusted],
) -> Result<bool, String> {
    let Some(text) = current else {
        return Ok(matches!(content, Content::Trust { .. }) && needed.is_empty());
    };
    Ok(match content {
        Content::Whole { text: wanted, .. } => text == wanted,
        Content::Trust { .. } => {
            let config = trust::read(text)?;
            needed.iter().all(|needed| trust::holds(&config, needed))
        }
        Content::Entries(wanted, _) => {
            let there = json::read(text).map_err(|problem| mend(&problem))?;
            holds(&there, wanted) && count(agent, &there) == count(agent, wanted)
        }
    })
}

/// How many handlers of ours there are.
fn count(agent: &str, value: &Value) -> usize {
    match value {
        Value::Array(parts) => parts.iter().map(|part| count(agent, part)).sum(),
        Value::Object(members) if !members.contains_key("hooks") && is_ours(agent, value) => 1,
        Value::Object(members) => members.values().map(|member| count(agent, member)).sum(),
        _ => 0,
    }
}

/// A file of our own. What somebody else wrote there is not written over.
pub(crate) fn whole(
    wanted: &Wanted<'_>,
    path: &Path,
    current: Option<&str>,
    known: Option<&Entry>,
    text: &str,
) -> Result<Edited, String> {
    if current.is_some_and(|current| !is_exactly_ours(wanted, path, known, current)) {
        let id = wanted.setup.id;
        return Err(format!(
            "somebody else's file is in the way, or one of ours that was changed; move it away, or call `tollgate hook {id}` from it and leave this agent out with `--agent`"
        ));
    }
    Ok(inserted("", vec![Insertion { at: 0, text: text.to_owned() }], Made::default()))
}

/// Whether nobody else wrote anything into a file of our own: it is what was noted, or to the letter what would be
/// written for the program that it names, which may lie elsewhere by now.
pub(crate) fn is_exactly_ours(wanted: &Wanted<'_>, path: &Path, known: Option<&Entry>, text: &str) -> bool {
    if known.is_some_and(|known| known.digest == digest(text)) {
        return true;
    }
    let programs = programs_in(wanted.setup, path, text).into_iter().chain([wanted.program.to_owned()]);
    programs.into_iter().any(|program| {
        let files = (wanted.setup.files)(&wanted.with(&program));
        let same = |file: File| matches!(file.content, Content::Whole { text: own, .. } if own == text);
        files.into_iter().filter(|file| file.path == path).any(same)
    })
}

/// Whether a file that is not ours starts us all the same.
pub(crate) fn calls_us(setup: &'static Setup, path: &Path, text: &str) -> bool {
    is_mentioned(text) || !programs_in(setup, path, text).is_empty()
}

/// Nothing but our entries may differ between before and after.
pub(crate) fn check_rest(agent: &str, file: &File, before: &str, after: &str, made: &Made) -> Result<(), String> {
    let Content::Entries(wanted, own) = &file.content else { return Ok(()) };
    let ours = |part: &Value| is_ours(agent, part) || is_own_plugin(agent, part);
    let rest = json::remove(after, &ours, own, made)?.unwrap_or_default();
    let same = json::read(&rest)? == json::read(before)?;
    if same && holds(&json::read(after)?, wanted) {
        return Ok(());
    }
    Err(format!("the entries do not fit in; add this by hand: {wanted}"))
}

pub(crate) fn mend(problem: &str) -> String {
    format!("{problem}; mend the file, or leave this agent out with `--agent`")
}
