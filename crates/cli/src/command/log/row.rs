//! A record in a few words.

use tollgate_audit::{Entry, Reader, Record};

use super::cells::tame;
use super::{count, length, subject};
use crate::output::Paint;

/// How a word is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    #[default]
    Plain,
    Good,
    Ask,
    Bad,
    Dim,
    Strong,
}

impl Tone {
    pub(super) fn paint(self, text: &str, paint: Paint) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Good => paint.green(text),
            Self::Ask => paint.yellow(text),
            Self::Bad => paint.red(text),
            Self::Dim => paint.dim(text),
            Self::Strong => paint.bold(text),
        }
    }
}

/// A record, and the one it belongs together with.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) entry: Entry,
    /// How the call ended that began with it.
    pub(super) ended: Option<Entry>,
    /// How the call began that ended with it, if that is not shown.
    pub(super) began: Option<Entry>,
}

/// Gathers records, newest first, and puts the ends of calls to their beginnings.
#[derive(Debug, Default)]
pub(super) struct Gather {
    items: Vec<Item>,
    /// Ends whose beginnings did not come yet.
    ends: Vec<Entry>,
}

impl Gather {
    pub(super) fn add(&mut self, entry: Entry) {
        match entry.record.point.as_deref() {
            Some("tool.after") => self.ends.push(entry),
            _ => {
                let end = self.ends.iter().position(|end| belongs(&end.record, &entry.record));
                let ended = end.map(|at| self.ends.remove(at));
                self.items.push(Item { entry, ended, began: None });
            }
        }
    }

    /// Whether this is the beginning of a call whose end is here.
    pub(super) fn awaits(&self, record: &Record) -> bool {
        self.ends.iter().any(|end| belongs(&end.record, record))
    }

    /// How many lines that makes.
    pub(super) fn len(&self) -> usize {
        self.items.len() + self.ends.len()
    }

    /// The oldest first. An end whose beginning is not among them stands for itself.
    pub(super) fn finish(self, reader: &Reader) -> Vec<Item> {
        let Self { mut items, ends } = self;
        let alone = ends.into_iter().map(|entry| {
            let began = entry.record.intent.and_then(|intent| reader.entry(intent).ok().flatten());
            Item { entry, ended: None, began }
        });
        items.extend(alone);
        items.sort_by_key(|item| item.entry.record.seq);
        items
    }
}

/// Whether a call that ended so began so. An end names its beginning, unless the call was refused and never began.
fn belongs(end: &Record, begin: &Record) -> bool {
    let same = || begin.call.is_some() && begin.call == end.call && begin.session == end.session;
    match end.intent {
        Some(intent) => intent == begin.seq,
        None => begin.point.as_deref() == Some("tool.before") && same(),
    }
}

/// A line of the table, in words that a terminal can be given.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) seq: u64,
    pub(super) date: String,
    pub(super) clock: String,
    pub(super) who: String,
    pub(super) state: (Tone, String),
    pub(super) what: String,
    pub(super) about: String,
    pub(super) tail: (Tone, String),
}

impl Row {
    pub(super) fn of(item: &Item) -> Self {
        let record = &item.entry.record;
        let (date, clock) = record.time.split_once('T').unwrap_or((&record.time, ""));
        let row = match record.kind.as_str() {
            "event" => event(item),
            "approval" => approval(&item.entry),
            _ => bookkeeping(&item.entry),
        };
        let clock = clock.chars().take(8).collect::<String>();
        Self { seq: record.seq, date: tame(date), clock: tame(&clock), who: who(record), ..row }
    }
}

/// The agent, else the beginning of the session's id.
fn who(record: &Record) -> String {
    let session = || record.session.as_ref().filter(|_| record.kind == "event").map(|id| id.chars().take(8).collect());
    tame(&record.agent.clone().or_else(session).unwrap_or_default())
}

fn event(item: &Item) -> Row {
    let record = &item.entry.record;
    let point = record.point.as_deref().unwrap_or("event");
    let what = record.tool.as_deref().filter(|_| point.starts_with("tool.")).unwrap_or(in_short(point));
    let about = match (&item.began, record.intent) {
        (Some(began), _) => format!("↳ {} {}", began.record.seq, subject::of_entry(began)),
        (None, Some(intent)) => format!("↳ {intent}"),
        (None, None) => subject::of_entry(&item.entry),
    };
    let model = record.model.as_deref().filter(|_| point.starts_with("model."));
    let about = model.map(|model| format!("{model} {about}")).unwrap_or(about);
    let ended = item.ended.as_ref().map(|ended| &ended.record);
    Row {
        state: state(record, ended),
        what: tame(what),
        about: tame(about.trim()),
        tail: tail(record, ended),
        ..Row::default()
    }
}

/// A point in one word where that will do.
fn in_short(point: &str) -> &str {
    match point {
        "session.start" => "session",
        "session.end" => "session end",
        "agent.start" => "agent",
        "agent.stop" => "agent end",
        "turn.stop" => "turn end",
        "compact.before" => "compact",
        "compact.after" => "compacted",
        "prompt.submit" => "prompt",
        "model.request" => "request",
        "model.dispatch" => "dispatch",
        "model.response" => "response",
        "model.complete" => "complete",
        "tool.list" => "tools",
        "message.write" => "message",
        other => other,
    }
}

/// What became of it, in one word.
fn state(record: &Record, ended: Option<&Record>) -> (Tone, String) {
    let last = ended.unwrap_or(record);
    // A result can be refused though its call was not.
    let act = if last.act.as_deref() == Some("deny") { Some("deny") } else { record.act.as_deref() };
    let (tone, word) = match (act, last.ended.as_deref()) {
        (Some("deny"), _) => (Tone::Bad, "deny"),
        (Some("ask"), _) => (Tone::Ask, "ask"),
        (Some("answer"), _) => (Tone::Plain, "answered"),
        (Some("route"), _) => (Tone::Plain, "routed"),
        (_, Some("ok")) => (Tone::Good, "ok"),
        (_, Some("error")) => (Tone::Strong, "error"),
        (_, Some("denied")) => (Tone::Dim, "denied"),
        (_, Some(ended)) => (Tone::Plain, ended),
        (act, None) => (Tone::Plain, act.unwrap_or("")),
    };
    (tone, tame(word))
}

/// What else is worth a word.
fn tail(record: &Record, ended: Option<&Record>) -> (Tone, String) {
    let both = [Some(record), ended];
    let both = || both.iter().copied().flatten();
    let refusal = both().find(|one| one.act.as_deref() == Some("deny"));
    if let Some(why) = refusal.map(|one| one.rule.as_ref().or(one.by.as_ref()).or(one.cause.as_ref())) {
        return (Tone::Bad, tame(why.map_or("", |why| why)));
    }
    if let (Some("ask"), Some(why)) = (record.act.as_deref(), record.rule.as_ref().or(record.by.as_ref())) {
        return (Tone::Ask, tame(why));
    }
    let mut words = Vec::new();
    words.extend(record.became.as_ref().map(|name| format!("ran as {name}")));
    words.extend(
        both().find_map(|one| one.approved).map(|yes| if yes { "approved" } else { "not approved" }.to_owned()),
    );
    words.extend(both().any(edited).then(|| "edited".to_owned()));
    words.extend(both().find_map(|one| one.stream).map(|pieces| count(pieces, "piece")));
    words.extend(both().find_map(observed).map(|rule| format!("observed: {rule}")));
    let took = both().find_map(|one| one.took_us).filter(|took| *took >= 1_000_000);
    words.extend(took.map(length));
    (Tone::Dim, tame(&words.join(", ")))
}

fn edited(record: &Record) -> bool {
    record.turns.iter().any(|turn| !turn.changed.is_empty())
}

fn observed(record: &Record) -> Option<&str> {
    record.observed.first()?.get("rule")?.as_str()
}

fn approval(entry: &Entry) -> Row {
    let (tone, word) = match entry.record.granted {
        Some(true) => (Tone::Good, "granted"),
        _ => (Tone::Bad, "refused"),
    };
    let by = entry.fields.value("by").and_then(|by| by.as_str().map(|by| format!("by {by}"))).unwrap_or_default();
    let call = entry.record.call.as_ref().map(|call| format!("call {call}")).unwrap_or_default();
    Row {
        state: (tone, word.to_owned()),
        what: "approval".to_owned(),
        about: tame(&call),
        tail: (Tone::Dim, tame(&by)),
        ..Row::default()
    }
}

/// What the log says of itself.
fn bookkeeping(entry: &Entry) -> Row {
    let tone = if is_worrying(&entry.record) { Tone::Ask } else { Tone::Dim };
    Row { what: tame(&entry.record.kind), about: String::new(), tail: (tone, tame(&said(entry))), ..Row::default() }
}

fn is_worrying(record: &Record) -> bool {
    record.kind == "anchor" || record.recovered.is_some()
}

/// What a record says that is no event, in a sentence.
pub(super) fn said(entry: &Entry) -> String {
    let record = &entry.record;
    match record.kind.as_str() {
        "checkpoint" => checkpoint(record),
        "erasure" => {
            let names = if record.names.is_empty() { "all fields".to_owned() } else { record.names.join(", ") };
            format!("{names} of {} erased", ranges(&record.seqs))
        }
        "retention" => format!("records up to {} were removed", record.through.unwrap_or_default()),
        "follows" => {
            let before = record.signed.as_ref().and_then(|head| head.get("count")?.as_u64());
            format!("a log of {}, set aside", count(before.unwrap_or_default(), "record"))
        }
        "anchor" => format!("the head of {} could not be published", count(record.count.unwrap_or_default(), "record")),
        _ => String::new(),
    }
}

fn checkpoint(record: &Record) -> String {
    let number = |name: &str| record.recovered.as_ref().and_then(|what| what.get(name)?.as_u64());
    if let (Some(from), Some(to)) = (number("lost_from"), number("lost_to")) {
        return format!("signed, and gone: {}", ranges(&[(from, to)]));
    }
    if let (Some(from), Some(to)) = (number("unsigned_from"), number("unsigned_to")) {
        return format!("found unsigned: {}", ranges(&[(from, to)]));
    }
    if let Some(cut) = number("cut") {
        return format!("an unfinished record of {} was cut off", count(cut, "byte"));
    }
    match record.seq {
        0 | 1 => "the log begins".to_owned(),
        seq => format!("signed up to {}", seq.saturating_sub(1)),
    }
}

/// `record 5`, `records 5 to 7, 9`.
pub(super) fn ranges(ranges: &[(u64, u64)]) -> String {
    let one = |(from, to): &(u64, u64)| if from == to { from.to_string() } else { format!("{from} to {to}") };
    let single = matches!(ranges, [(from, to)] if from == to);
    let list: Vec<String> = ranges.iter().map(one).collect();
    format!("{} {}", if single { "record" } else { "records" }, list.join(", "))
}
