//! What a program is told, and what it may answer.

mod claude_code;
mod plain;
mod seed;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tollgate_core::{Body, Ended, Event, Fault, FaultKind, Point, Verdict};
use tollgate_wire::lens::lens_for;

/// The words that Tollgate and a program share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Our own versioned forms.
    #[default]
    Tollgate,
    /// Those of an ancestor: `{name, arguments, callId, type}`, `{call, output}`, `{input}`.
    Seed,
    /// Those of Claude Code, so that hooks that were written for it work as they are.
    ClaudeCode,
}

impl Protocol {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tollgate => "tollgate",
            Self::Seed => "seed",
            Self::ClaudeCode => "claude-code",
        }
    }

    /// Whether it has words for what happens at a point.
    pub fn knows(self, point: Point) -> bool {
        match self {
            Self::Tollgate => true,
            Self::Seed => {
                matches!(point, Point::ToolBefore | Point::ToolAfter | Point::PromptSubmit) || !point.is_gate()
            }
            Self::ClaudeCode => claude_code::event_name(&Event::at(point)).is_some(),
        }
    }

    /// Whether a program is told of this at all. A call that was refused has no result to speak of; whoever wants to
    /// know speaks our own words.
    pub(crate) fn tells(self, event: &Event<'_>) -> bool {
        self == Self::Tollgate || event.point != Point::ToolAfter || event.ended != Some(Ended::Denied)
    }

    /// What the program reads.
    pub(crate) fn question(self, event: &Event<'_>, body: &Body) -> Result<Vec<u8>, Fault> {
        let question = match self {
            Self::Tollgate => plain::question(event, body),
            Self::Seed => seed::question(event, body),
            Self::ClaudeCode => claude_code::question(event, body),
        }?;
        Ok(question.to_string().into_bytes())
    }

    /// What a program said that ended well.
    pub(crate) fn answer(self, event: &Event<'_>, body: &mut Body, said: &str) -> Result<Verdict, Fault> {
        if said.trim().is_empty() {
            return Ok(Verdict::Pass);
        }
        match self {
            Self::Tollgate => plain::answer(event, body, object(said)?),
            Self::Seed => seed::answer(event, body, object(said)?),
            Self::ClaudeCode => claude_code::answer(event, body, said),
        }
    }
}

/// Something that makes no sense.
fn garbage(what: impl Into<String>) -> Fault {
    Fault::new(FaultKind::Garbage, what.into())
}

/// The one JSON object that a program says. One that can be read in two ways is none.
fn object(said: &str) -> Result<Map<String, Value>, Fault> {
    match tollgate_wire::read(said.trim().as_bytes()) {
        (Ok(Value::Object(members)), None) => Ok(members),
        (Ok(_), Some(why)) => Err(garbage(format!("what it said can be read in two ways ({why})"))),
        (Ok(_), None) => Err(garbage("what it said is no JSON object")),
        (Err(_), _) => Err(garbage("what it said is no JSON")),
    }
}

/// A member that is a text, if it is there.
fn text(members: &Map<String, Value>, name: &str) -> Result<Option<String>, Fault> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(garbage(format!("`{name}` must be a text"))),
    }
}

/// A document as one text: a result's or a prompt's.
fn text_of(doc: &Value) -> String {
    let own = ["text", "prompt"].iter().find_map(|key| doc.get(key)?.as_str()).map(str::to_owned);
    own.or_else(|| lens_for(doc).text(doc)).unwrap_or_else(|| doc.to_string())
}

/// Makes a text the one of a document.
fn set_text(body: &mut Body, text: &str) -> Result<(), Fault> {
    let doc = body.json()?;
    if text_of(doc) == text {
        return Ok(());
    }
    let own = ["text", "prompt"].into_iter().find(|key| doc.get(key).is_some_and(Value::is_string));
    let lens = lens_for(doc);
    let doc = body.json_mut()?;
    match own {
        Some(key) => doc[key] = text.into(),
        None => lens.set_text(doc, text),
    }
    Ok(())
}

/// Sends a call elsewhere, if that is another tool.
fn rename(event: &Event<'_>, body: &mut Body, name: String) {
    if event.tool_now(body).is_none_or(|now| now.written() != name) {
        body.rename(name);
    }
}

/// Puts a document in the place of another, if it is another: untouched bytes leave as they came.
fn set(body: &mut Body, doc: Value) {
    if body.json() != Ok(&doc) {
        body.set(doc);
    }
}
