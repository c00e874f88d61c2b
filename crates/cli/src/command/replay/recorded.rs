//! What a record says about an event, made ready to be judged again.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use serde_json::Value;
use tollgate_audit::{Entry, Record};
use tollgate_core::{Body, Ended, Point};
use tollgate_wire::form::EndedForm;

use crate::output::short;

/// What a kept document has in the place of what was taken out or cut off.
const MARKS: [&str; 4] = ["[redacted:", " bytes left out]", " items left out]", " members left out]"];

/// How much of what a call was about is kept to be shown.
const SUMMARY: usize = 200;

/// What had to be done, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Act {
    Pass,
    Route,
    Ask,
    Answer,
    Deny,
}

impl Act {
    pub(super) const ALL: [Self; 5] = [Self::Pass, Self::Route, Self::Ask, Self::Answer, Self::Deny];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Route => "route",
            Self::Ask => "ask",
            Self::Answer => "answer",
            Self::Deny => "deny",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|act| act.name() == name)
    }

    pub(super) fn of(act: &tollgate_core::Act) -> Self {
        use tollgate_core::Act;
        match act {
            Act::Pass => Self::Pass,
            Act::Route { .. } => Self::Route,
            Act::Ask(_) => Self::Ask,
            Act::Answer(_) => Self::Answer,
            Act::Deny(_) => Self::Deny,
        }
    }
}

/// What the policy of then decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    Decided(Act),
    /// It asked, and a human said no, or nobody said anything: that is not the policy's doing.
    Refused,
    /// It was stopped because something broke, or because of how its bytes were written, which no record keeps.
    Broke,
}

impl Then {
    fn of(record: &Record) -> Option<Self> {
        let act = Act::named(record.act.as_deref()?)?;
        Some(match (act, record.cause.as_deref()) {
            (Act::Deny, Some("refused" | "expired" | "mismatch")) => Self::Refused,
            (Act::Deny, Some("fault" | "ambiguous" | "unreadable")) => Self::Broke,
            // A human let it go, because the policy asked.
            (Act::Pass | Act::Route, _) if asked(record) => Self::Decided(Act::Ask),
            (act, _) => Self::Decided(act),
        })
    }

    /// What is compared.
    pub(super) fn act(self) -> Act {
        match self {
            Self::Decided(act) => act,
            Self::Refused => Act::Ask,
            Self::Broke => Act::Deny,
        }
    }
}

/// Whether a record before a call says that a human was asked. After a call everything says so.
fn asked(record: &Record) -> bool {
    record.point.as_deref() == Some(Point::ToolBefore.name()) && record.approved.is_some()
}

/// Why there is no document to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unkept {
    /// It was not kept.
    Nothing,
    /// It was erased later.
    Erased,
    /// It is sealed, and there is no key for it.
    Sealed,
}

/// An event as it was recorded.
pub(super) struct Recorded<'e> {
    pub(super) record: &'e Record,
    pub(super) point: Point,
    pub(super) then: Then,
    pub(super) time: Duration,
    /// What was judged.
    pub(super) document: Result<Body, Unkept>,
    /// Whether the document is not what it was.
    pub(super) redacted: bool,
    /// The arguments, where the document is what came of them.
    pub(super) arguments: Option<Body>,
    pub(super) ended: Option<Ended>,
    pub(super) cwd: Option<String>,
    pub(super) principal: Option<String>,
    pub(super) chain: Vec<String>,
    pub(super) labels: Vec<(String, String)>,
}

impl<'e> Recorded<'e> {
    /// None where nothing is decided: records of other kinds, and points that are no gates; and none of the command of a
    /// route, which is judged with the call that was routed.
    pub(super) fn of(entry: &'e Entry, key: Option<&[u8; 32]>) -> Result<Option<Self>, String> {
        let record = &entry.record;
        if record.kind != "event" || record.routed {
            return Ok(None);
        }
        let point = record.point.as_deref().and_then(|name| name.parse::<Point>().ok());
        let Some(point) = point.filter(|point| point.is_gate()) else { return Ok(None) };
        let Some(then) = Then::of(record) else { return Ok(None) };
        let damaged = |what: &str| format!("record {} {what}; run `tollgate log verify`", record.seq);
        let time = tollgate_audit::moment(&record.time).ok_or_else(|| damaged("has no time"))?;
        let after = matches!(point, Point::ToolAfter | Point::ModelResponse);
        let name = if after { "result" } else { "arguments" };
        let (document, whole) = document(entry, name, key).map_err(|lost| damaged(&lost))?;
        let text = |name: &str| entry.fields.value(name).and_then(|value| value.as_str().map(str::to_owned));
        Ok(Some(Self {
            record,
            point,
            then,
            time,
            redacted: document.is_ok() && (!whole || is_redacted(entry, name)),
            document,
            arguments: after.then(|| entry.fields.open("arguments", key)?.ok().map(Body::from)).flatten(),
            ended: record.ended.as_deref().and_then(ended),
            cwd: text("cwd"),
            principal: text("principal"),
            chain: list(entry.fields.value("chain"), |value| value.as_str().map(str::to_owned)),
            labels: labels(entry.fields.value("labels")),
        }))
    }

    pub(super) fn is_call(&self) -> bool {
        self.point == Point::ToolBefore
    }

    /// Something to tell its session from others by, which takes little room.
    pub(super) fn session_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.record.session.hash(&mut hasher);
        hasher.finish()
    }

    /// What it was about, as one short text without credentials. It may hold anything else.
    pub(super) fn summary(&self) -> String {
        const TELLING: [&str; 8] = ["command", "cmd", "file_path", "path", "url", "query", "pattern", "text"];
        let Some(Ok(mut document)) = self.document.clone().ok().map(Body::into_json) else { return String::new() };
        tollgate_secrets::scanner().redact_json(&mut document);
        let telling = TELLING.iter().find_map(|name| document.get(name)?.as_str());
        let text = telling.or(document.as_str()).map_or_else(|| document.to_string(), str::to_owned);
        short(&text, SUMMARY)
    }
}

/// The document, or why there is none, and whether it was kept to its end; an error if the record promises one that is
/// not there.
fn document(entry: &Entry, name: &str, key: Option<&[u8; 32]>) -> Result<(Result<Body, Unkept>, bool), String> {
    match (entry.fields.open(name, key), entry.fields.fields.get(name)) {
        (Some(Ok(opened)), _) => {
            let is_sealed = entry.fields.value(name).is_some_and(|kept| kept.get("sealed").is_some());
            let (document, whole) = if is_sealed { unpacked(opened) } else { (opened, true) };
            Ok((Ok(Body::from(document)), whole))
        }
        (Some(Err(_)), _) => Ok((Err(Unkept::Sealed), true)),
        (None, Some(None)) => Ok((Err(Unkept::Erased), true)),
        (None, None) if entry.record.fields.contains_key(name) => Err(format!("has lost its `{name}`")),
        (None, _) => Ok((Err(Unkept::Nothing), true)),
    }
}

/// Of what was too long to be sealed whole, only the beginning is there.
fn unpacked(mut opened: Value) -> (Value, bool) {
    if opened.get("too_long") != Some(&Value::Bool(true)) {
        return (opened, true);
    }
    match opened.get_mut("beginning").map(Value::take) {
        Some(beginning) => (beginning, false),
        None => (opened, true),
    }
}

/// Whether something was taken out of it or cut off. What is sealed is kept as it was, whatever it says.
fn is_redacted(entry: &Entry, name: &str) -> bool {
    let kept = entry.fields.fields.get(name).and_then(Option::as_ref);
    kept.is_some_and(|(_, value)| MARKS.iter().any(|mark| value.get().contains(mark)))
}

fn ended(name: &str) -> Option<Ended> {
    EndedForm::ALL.iter().find(|ended| ended.name() == name).map(|ended| (*ended).into())
}

fn list<T>(value: Option<Value>, read: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    value.as_ref().and_then(Value::as_array).into_iter().flatten().filter_map(read).collect()
}

/// Pairs, or an object.
fn labels(value: Option<Value>) -> Vec<(String, String)> {
    let own = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Some(Value::Object(members)) => {
            members.iter().filter_map(|(name, value)| Some((name.clone(), own(value)?))).collect()
        }
        value => list(value, |pair| Some((own(pair.get(0)?)?, own(pair.get(1)?)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_policy_of_then_decided() {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        for (point, act, cause, approved, expected) in [
            ("tool.before", "pass", "", None, Some(Then::Decided(Act::Pass))),
            ("tool.before", "pass", "", Some(true), Some(Then::Decided(Act::Ask))),
            ("tool.after", "pass", "", Some(true), Some(Then::Decided(Act::Pass))),
            ("tool.before", "ask", "", None, Some(Then::Decided(Act::Ask))),
            ("tool.before", "deny", "objection", None, Some(Then::Decided(Act::Deny))),
            ("tool.before", "deny", "refused", Some(false), Some(Then::Refused)),
            ("tool.before", "deny", "expired", None, Some(Then::Refused)),
            ("tool.before", "deny", "fault", None, Some(Then::Broke)),
            ("tool.before", "deny", "ambiguous", None, Some(Then::Broke)),
            ("tool.before", "dance", "", None, None),
            ("tool.before", "", "", None, None),
        ] {
            let record =
                Record { point: text(point), act: text(act), cause: text(cause), approved, ..Record::default() };
            assert_eq!(Then::of(&record), expected, "{point} {act} {cause}");
        }
    }
}
