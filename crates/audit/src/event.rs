//! From one run of the pipeline to its record.

mod clean;
mod digest;
mod words;

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use tollgate_core::{Act, Body, Digest, Entry, Event, Name, Outcome, Point, Registration, Said};
use tollgate_wire::form::{EndedForm, FaultKindForm, RoleForm};
use tollgate_wire::hex;

use crate::changes::{Changes, labels};
use crate::{AuditError, Draft, Keep, Keys, keep, seal, stamp};
use clean::Clean;
use words::{Decided, micros, said, word};

/// How long a document may be, as JSON, to be sealed whole.
const MOST_SEALED: usize = 1 << 20;
/// How many values of changes share the room of their field.
const SHARES: usize = 8;

/// How much is kept, and how.
pub(crate) struct Keeping<'a> {
    pub(crate) keys: &'a Keys,
    pub(crate) keep: Keep,
    pub(crate) seal: Option<&'a [u8; 32]>,
    pub(crate) limit: usize,
}

/// One run of the pipeline.
pub(crate) struct Scene<'a> {
    pub(crate) event: &'a Event<'a>,
    pub(crate) body: &'a Body,
    pub(crate) outcome: &'a Outcome,
    /// What was only observed: rule and decision.
    pub(crate) observed: &'a [(String, String)],
    /// The digest of the call, where it was bound to a question or a route before it ran.
    pub(crate) bound: Option<Digest>,
    /// Members that there would be if the recorder had not had too much to remember.
    pub(crate) unknown: &'a [&'a str],
}

/// Whether an event needs no record: the pieces of a stream, which is recorded as a whole, and partial results that
/// nobody had anything to say about.
pub(crate) fn is_piece(event: &Event<'_>, outcome: &Outcome) -> bool {
    if !matches!(outcome.act, Act::Pass) {
        return false;
    }
    let quiet = |entry: &Entry| matches!(entry.said, Said::Passed | Said::Skipped) && entry.change.is_none();
    let streams = matches!(event.point, Point::ModelResponse | Point::ToolUpdate | Point::ToolAfter);
    let piece = streams && event.index.is_some() && !event.last;
    piece || event.point == Point::ToolUpdate && outcome.trace.entries().all(|(_, entry)| quiet(&entry))
}

/// The record of a human's answer.
pub(crate) fn approval(
    event: &Event<'_>,
    approval: &tollgate_core::Approval,
    keeping: &Keeping<'_>,
) -> Result<Draft, AuditError> {
    let clean = Clean::of([event.call_id, event.session, Some(approval.by.as_str())].into_iter().flatten());
    let mut draft = Draft::new("approval");
    for (name, fact) in [("call", event.call_id), ("session", event.session)] {
        if let Some(fact) = fact {
            draft.member(name, &Value::from(clean.fact(fact)));
        }
    }
    draft.member("digest", &Value::from(hex::encode(&keeping.keys.digest(approval.digest).0)));
    draft.member("granted", &Value::from(approval.granted));
    draft.field("by", Value::from(clean.text(&approval.by, keeping.limit)))?;
    Ok(draft)
}

/// The record of one run.
pub(crate) fn draft(scene: &Scene<'_>, keeping: &Keeping<'_>) -> Result<Draft, AuditError> {
    let Scene { event, outcome, .. } = scene;
    let entries: Vec<(&Registration, Entry)> = outcome.trace.entries().collect();
    let decided = Decided::of(&outcome.act);
    let clean = Clean::of(short_texts(scene, &decided, &entries));
    let mut writing = Writing { scene, keeping, clean, draft: Draft::new("event") };
    writing.facts(&decided);
    writing.numbers();
    let changes: Vec<Option<Changes<'_>>> = entries
        .iter()
        .map(|(_, entry)| entry.change.as_deref().map(|(before, after)| Changes::between(event, before, after)))
        .collect();
    writing.turns(&entries, &changes);
    writing.fields(&decided, &entries)?;
    writing.changes(&entries, &changes)?;
    writing.documents()?;
    writing.call();
    Ok(writing.draft)
}

/// Facts of an event that stand in its record.
fn facts<'a>(event: &Event<'a>) -> [(&'static str, Option<&'a str>); 9] {
    [
        ("tool", event.name.map(Name::written)),
        ("became", event.became.map(Name::written)),
        ("call", event.call_id),
        ("session", event.session),
        ("agent", event.agent),
        ("surface", event.surface),
        ("server", event.server),
        ("model", event.model),
        ("native", event.native),
    ]
}

/// All that may stand in a record as it is.
fn short_texts<'a>(
    scene: &'a Scene<'_>,
    decided: &'a Decided,
    entries: &'a [(&Registration, Entry)],
) -> impl Iterator<Item = &'a str> {
    let Scene { event, body, observed, .. } = scene;
    let Decided { by, rule, reason, .. } = decided;
    let said = [by, rule, reason].into_iter().filter_map(Option::as_deref);
    let others = [event.cwd, event.principal, event.reason, body.renamed().map(Name::written)];
    let facts = facts(event).into_iter().map(|(_, fact)| fact).chain(others).flatten();
    let observed = observed.iter().flat_map(|(rule, decision)| [rule.as_str(), decision.as_str()]);
    facts.chain(said).chain(observed).chain(entries.iter().map(|(who, _)| &*who.id))
}

struct Writing<'a> {
    scene: &'a Scene<'a>,
    keeping: &'a Keeping<'a>,
    clean: Clean,
    draft: Draft,
}

impl Writing<'_> {
    fn fact(&mut self, name: &'static str, fact: Option<&str>) {
        if let Some(fact) = fact {
            self.draft.member(name, &Value::from(self.clean.fact(fact)));
        }
    }

    fn facts(&mut self, decided: &Decided) {
        let Scene { event, body, .. } = self.scene;
        self.draft.member("point", &Value::from(event.point.name()));
        self.draft.member("act", &Value::from(decided.act.as_str()));
        for (name, fact) in facts(event) {
            self.fact(name, fact);
        }
        self.fact("became", body.renamed().map(Name::written));
        self.fact("by", decided.by.as_deref());
        self.fact("cause", decided.cause.as_deref());
        self.fact("rule", decided.rule.as_deref());
        self.fact("tool_kind", event.tool_now(body).and_then(|name| tollgate_wire::kind(name.normal())));
    }

    fn numbers(&mut self) {
        let Scene { event, body, outcome, bound, observed, unknown } = self.scene;
        // What was bound to a route has another digest than its arguments, so they will not do in its place.
        let digest = digest::of(event, body, outcome, *bound).filter(|_| !unknown.contains(&"digest"));
        let digest = digest.map(|digest| self.keeping.keys.digest(digest));
        let pieces = event.index.map(|index| if event.last { index } else { index + 1 });
        for (name, value) in [
            ("digest", digest.map(|digest| hex::encode(&digest.0).into())),
            ("ended", event.ended.map(|ended| word(&EndedForm::from(&ended)).into())),
            ("took_us", event.took.map(|took| micros(took).into())),
            ("approved", event.approval.map(|approval| approval.granted.into())),
            ("stream", pieces.map(Value::from)),
            ("routed", event.routed.then_some(Value::Bool(true))),
            ("permission", event.permission.then_some(Value::Bool(true))),
            ("observed", (!observed.is_empty()).then(|| self.observed(observed))),
            ("unknown", (!unknown.is_empty()).then(|| json!(unknown))),
        ] {
            if let Some(value) = value {
                self.draft.member(name, &value);
            }
        }
    }

    fn observed(&self, observed: &[(String, String)]) -> Value {
        let fact = |text: &str| self.clean.fact(text).into_owned();
        observed.iter().map(|(rule, decision)| json!({ "rule": fact(rule), "decision": fact(decision) })).collect()
    }

    fn turns(&mut self, entries: &[(&Registration, Entry)], changes: &[Option<Changes<'_>>]) {
        let turns = entries.iter().zip(changes).map(|((who, entry), changes)| self.turn(who, entry, changes.as_ref()));
        let turns: Vec<Value> = turns.collect();
        if !turns.is_empty() {
            self.draft.member("turns", &Value::Array(turns));
        }
    }

    fn turn(&self, who: &Registration, entry: &Entry, changes: Option<&Changes<'_>>) -> Value {
        let mut turn = Map::with_capacity(4);
        let mut add = |name: &str, value: Value| drop(turn.insert(name.to_owned(), value));
        add("who", self.clean.fact(&who.id).into());
        add("role", word(&RoleForm::from(&who.role)).into());
        add("said", said(&entry.said).0.into());
        add("took_us", micros(entry.took).into());
        if entry.look > 1 {
            add("look", entry.look.into());
        }
        for (name, holds) in [("routed", entry.routed), ("overran", entry.overran)] {
            if holds {
                add(name, true.into());
            }
        }
        if let Some(changes) = changes {
            add("changed", changes.paths().into());
        }
        if let Said::Faulted(fault) = &entry.said {
            add("fault", word(&FaultKindForm::from(&fault.kind)).into());
        }
        Value::Object(turn)
    }

    /// What is about a person, or long, but no document.
    fn fields(&mut self, decided: &Decided, entries: &[(&Registration, Entry)]) -> Result<(), AuditError> {
        let Scene { event, body, .. } = self.scene;
        let limit = self.keeping.limit;
        let reason = decided.reason.as_deref().or(event.reason).map(|reason| self.unquoted(reason, entries));
        for (name, text) in [("reason", reason.as_deref()), ("cwd", event.cwd), ("principal", event.principal)] {
            if let Some(text) = text {
                self.draft.field(name, self.clean.text(text, limit).into())?;
            }
        }
        let named = |(who, entry): &(&Registration, Entry)| {
            said(&entry.said).1.map(|text| json!({ "who": &*who.id, "text": text }))
        };
        let objections: Vec<Value> = entries.iter().filter_map(named).collect();
        let names: Vec<&str> =
            body.headers().into_iter().flat_map(|headers| headers.iter()).map(|(name, _)| name).collect();
        let approval = event.approval.map(|approval| json!({ "by": approval.by, "at": stamp(approval.at) }));
        let noted = !(body.notes.is_empty() && body.tells.is_empty());
        for (name, value) in [
            ("said", (!objections.is_empty()).then(|| Value::Array(objections))),
            ("labels", (!event.labels.is_empty()).then(|| labels(event.labels))),
            ("chain", (!event.chain.is_empty()).then(|| json!(event.chain))),
            ("approval", approval),
            ("notes", noted.then(|| json!({ "notes": body.notes, "tells": body.tells }))),
            ("headers", (!names.is_empty()).then(|| json!(names))),
        ] {
            if let Some(value) = value {
                self.draft.field(name, keep::document(&value, limit))?;
            }
        }
        Ok(())
    }

    /// A reason in which what an interceptor said is quoted redacted: within a sentence, the scanner may no longer know
    /// for a credential what it knows on a line of its own.
    fn unquoted<'r>(&self, reason: &'r str, entries: &[(&Registration, Entry)]) -> Cow<'r, str> {
        let mut reason = Cow::Borrowed(reason);
        for text in entries.iter().filter_map(|(_, entry)| said(&entry.said).1) {
            if !text.is_empty() && reason.len() > text.len() && reason.contains(text) {
                let kept = keep::text(text, self.keeping.limit);
                reason = Cow::Owned(reason.replace(text, &kept));
            }
        }
        reason
    }

    fn changes(
        &mut self,
        entries: &[(&Registration, Entry)],
        changes: &[Option<Changes<'_>>],
    ) -> Result<(), AuditError> {
        let room = (self.keeping.limit / SHARES).max(keep::LEAST);
        let kept = |(who, changes): (&(&Registration, Entry), &Option<Changes<'_>>)| -> Vec<Value> {
            let Some(changes) = changes else { return Vec::new() };
            if self.keeping.keep == Keep::Sealed { changes.whole(&who.0.id) } else { changes.kept(&who.0.id, room) }
        };
        if self.keeping.keep == Keep::Nothing || changes.iter().all(Option::is_none) {
            return Ok(());
        }
        let list: Vec<Value> = entries.iter().zip(changes).flat_map(kept).collect();
        self.document("changes", &Value::Array(list))
    }

    fn documents(&mut self) -> Result<(), AuditError> {
        let Scene { event, body, .. } = self.scene;
        let name = match event.point {
            Point::ToolAfter | Point::ModelResponse => "result",
            _ => "arguments",
        };
        match body.json() {
            Ok(Value::Null) => Ok(()),
            Ok(value) => self.document(name, value),
            Err(_) if self.keeping.keep == Keep::Nothing => Ok(()),
            Err(_) => self.draft.field(name, json!({ "unreadable": true, "bytes": body.to_bytes().len() })),
        }
    }

    /// Keeps a document as was settled.
    fn document(&mut self, name: &'static str, value: &Value) -> Result<(), AuditError> {
        let Keeping { keep, seal: key, limit, .. } = self.keeping;
        match keep {
            Keep::Nothing => Ok(()),
            Keep::Redacted => self.draft.field(name, keep::document(value, *limit)),
            Keep::Sealed => {
                let key = key.ok_or_else(|| AuditError::new("there is no key to seal with"))?;
                let whole = keep::size(value, MOST_SEALED) <= MOST_SEALED;
                self.draft.field_with(name, |salt| match whole {
                    true => seal::seal(key, salt, name, value),
                    false => {
                        let beginning = json!({ "too_long": true, "beginning": keep::document(value, *limit) });
                        seal::seal(key, salt, name, &beginning)
                    }
                })
            }
        }
    }

    /// Says which call begins or ends here, by what stands in the log.
    fn call(&mut self) {
        let Scene { event, outcome, .. } = self.scene;
        let Some(call) = event.call_id.map(|call| self.clean.fact(call)) else { return };
        let session = event.session.map(|session| self.clean.fact(session));
        let own = !event.routed && !event.permission;
        let may_run = matches!(outcome.act, Act::Pass | Act::Route { .. } | Act::Ask(_));
        match event.point {
            Point::ToolBefore | Point::ModelRequest if own && may_run => self.draft.begins(session.as_deref(), &call),
            Point::ToolAfter | Point::ModelComplete => self.draft.ends(session.as_deref(), &call),
            _ => {}
        }
    }
}
