//! A record in words.

use serde_json::Value;
use tollgate_audit::{Record, Turn};

use super::super::cells::{cut, fit, lines, tame, width};
use super::super::row::{self, Tone};
use super::super::table::WIDTH;
use super::super::{count, length};
use super::{Found, change, value};
use crate::output::{Paint, wrap};

/// Where the second column begins.
const LABEL: usize = 13;
/// Fields that have a place of their own.
const PLACED: &[&str] = &["arguments", "result", "reason", "cwd", "changes", "said", "approval"];

pub(super) fn of(found: &Found, paint: Paint) -> String {
    let mut out = Text { out: String::new(), paint };
    out.title(&title(&found.entry.record));
    facts(found, &mut out);
    decision(found, &mut out);
    asked(&found.entry.record, &mut out);
    if let Some(changes) = found.fields.get("changes") {
        out.heading("changed");
        let sealed = super::super::find::is_sealed(changes);
        out.out.push_str(&if sealed { value::shown(changes, 2) } else { change::shown(changes, paint) });
    }
    documents(found, &mut out);
    call(found, &mut out);
    place(found, &mut out);
    out.out
}

/// What is written so far.
struct Text {
    out: String,
    paint: Paint,
}

impl Text {
    fn title(&mut self, text: &str) {
        self.out.push_str(&format!("{}\n", self.paint.bold(&cut(&tame(text), WIDTH))));
    }

    fn heading(&mut self, text: &str) {
        self.out.push_str(&format!("\n{}\n", self.paint.bold(text)));
    }

    /// A name and what it is, if it is anything. What others wrote is broken anywhere, so that nothing is lost.
    fn fact(&mut self, name: &str, value: Option<&str>) {
        self.toned(name, value, Tone::Plain);
    }

    fn toned(&mut self, name: &str, value: Option<&str>, tone: Tone) {
        let Some(value) = value.map(tame).filter(|value| !value.is_empty()) else { return };
        for (index, line) in lines(&value, WIDTH - LABEL).into_iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            self.out.push_str(&format!("  {name:<0$}{1}\n", LABEL - 2, tone.paint(line, self.paint)));
        }
    }

    /// A sentence, broken at blanks.
    fn sentence(&mut self, name: &str, text: &str) {
        let text = tame(text);
        if text.split(' ').any(|word| width(word) > WIDTH - LABEL) || width(&text) != text.chars().count() {
            return self.fact(name, Some(&text));
        }
        let text = wrap(&text, LABEL, WIDTH);
        self.out.push_str(&format!("  {name:<0$}{1}\n", LABEL - 2, text.trim_start()));
    }
}

fn title(record: &Record) -> String {
    let what = match (record.kind.as_str(), record.point.as_deref()) {
        ("event", Some("tool.before")) if is_intent(record) => "a call, before it ran".to_owned(),
        ("event", Some("tool.before")) if record.act.as_deref() == Some("deny") => "a call that was refused".to_owned(),
        ("event", Some("tool.before")) => "a call that did not run as it was".to_owned(),
        ("event", Some("tool.after")) => "what a call came to".to_owned(),
        ("event", Some(point)) => point.to_owned(),
        ("approval", _) => "a human's answer".to_owned(),
        ("anchor", _) => "a head that could not be published".to_owned(),
        ("checkpoint", _) => "a checkpoint: all before it is signed".to_owned(),
        (kind, _) => kind.to_owned(),
    };
    format!("record {}: {what}", record.seq)
}

fn is_intent(record: &Record) -> bool {
    let begins = matches!(record.point.as_deref(), Some("tool.before" | "model.request"));
    begins && matches!(record.act.as_deref(), Some("pass" | "route"))
}

fn facts(found: &Found, out: &mut Text) {
    let record = &found.entry.record;
    let time = record.time.replace('T', " ").replace('Z', " UTC");
    out.fact("time", Some(&time));
    let kind = record.tool_kind.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
    out.fact("tool", record.tool.as_ref().map(|tool| format!("{tool}{kind}")).as_deref());
    out.fact("ran as", record.became.as_deref());
    let facts = [
        ("point", &record.point),
        ("call", &record.call),
        ("session", &record.session),
        ("agent", &record.agent),
        ("surface", &record.surface),
        ("server", &record.server),
        ("model", &record.model),
        ("native", &record.native),
    ];
    facts.iter().for_each(|(name, value)| out.fact(name, value.as_deref()));
    out.fact("folder", found.fields.get("cwd").and_then(Value::as_str));
    out.fact("stream", record.stream.map(|pieces| count(pieces, "piece")).as_deref());
    for (name, value) in found.fields.iter().filter(|(name, _)| !PLACED.contains(&name.as_str())) {
        out.fact(name, Some(&value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    }
    let erased: Vec<&str> = found.entry.fields.erased().collect();
    out.fact("erased", Some(erased.join(", ")).filter(|names| !names.is_empty()).as_deref());
    let said = row::said(&found.entry);
    out.fact("says", Some(&said));
    out.fact("why", record.reason.as_deref());
}

fn decision(found: &Found, out: &mut Text) {
    let record = &found.entry.record;
    let Some((tone, act)) = act(record) else { return };
    out.heading("decision");
    out.toned("act", Some(&act), tone);
    out.fact("rule", record.rule.as_deref());
    out.fact("by", record.by.as_deref());
    out.fact("cause", record.cause.as_deref());
    if let Some(reason) = found.fields.get("reason").and_then(Value::as_str) {
        out.sentence("reason", reason);
    }
    out.fact("approval", approval(found).as_deref());
    for seen in &record.observed {
        let text = |name: &str| seen.get(name).and_then(Value::as_str).unwrap_or_default();
        out.fact("observed", Some(&format!("{} would {}", text("rule"), text("decision"))));
    }
    out.fact("ended", ended(record).as_deref());
    for said in found.fields.get("said").and_then(Value::as_array).into_iter().flatten() {
        let text = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default();
        out.sentence("said", &format!("{}: {}", text("who"), text("text")));
    }
}

fn act(record: &Record) -> Option<(Tone, String)> {
    if record.kind == "approval" {
        let granted = record.granted == Some(true);
        return Some(if granted { (Tone::Good, "granted".to_owned()) } else { (Tone::Bad, "refused".to_owned()) });
    }
    let act = record.act.as_deref()?;
    Some(match act {
        "pass" => (Tone::Good, "pass".to_owned()),
        "ask" => (Tone::Ask, "ask: a human had to decide".to_owned()),
        "deny" => (Tone::Bad, "deny: it was refused".to_owned()),
        "answer" => (Tone::Plain, "answer: it was answered in its place".to_owned()),
        "route" => (Tone::Plain, "route: it ran in another place".to_owned()),
        other => (Tone::Plain, other.to_owned()),
    })
}

/// Who let it happen, and when.
fn approval(found: &Found) -> Option<String> {
    let approved = found.entry.record.approved?;
    let text = |name: &str| found.fields.get("approval").and_then(|field| field.get(name)?.as_str());
    let by = text("by").map(|by| format!(" by {by}")).unwrap_or_default();
    let at = text("at").map(|at| format!(" at {at}")).unwrap_or_default();
    Some(format!("{}{by}{at}", if approved { "granted" } else { "not granted" }))
}

/// Who was asked, what they said, and how long each took.
fn asked(record: &Record, out: &mut Text) {
    if record.turns.is_empty() {
        return;
    }
    out.heading("asked");
    let widest = |cell: fn(&Turn) -> &str, title: &str, most: usize| {
        let cells = record.turns.iter().map(|turn| width(&tame(cell(turn))));
        cells.chain([title.len()]).max().unwrap_or(0).min(most)
    };
    let (who, role) = (widest(|turn| &turn.who, "who", 30), widest(|turn| &turn.role, "role", 8));
    let said = widest(|turn| &turn.said, "said", 8);
    let line = |cells: [&str; 5]| {
        let line = [fit(cells[0], who), fit(cells[1], role), fit(cells[2], said), format!("{:>8}", cells[3])];
        let line = format!("  {}  {}", line.join("  "), cells[4]);
        fit(line.trim_end(), WIDTH).trim_end().to_owned()
    };
    out.out.push_str(&format!("{}\n", out.paint.dim(&line(["who", "role", "said", "took", ""]))));
    for turn in &record.turns {
        let cells = [tame(&turn.who), tame(&turn.role), tame(&turn.said), length(turn.took_us), tame(&besides(turn))];
        let [who, role, said, took, besides] = &cells;
        out.out.push_str(&format!("{}\n", line([who, role, said, took, besides])));
    }
}

fn besides(turn: &Turn) -> String {
    let mut words = Vec::new();
    words.extend(turn.look.filter(|look| *look > 1).map(|_| "second look".to_owned()));
    words.extend(turn.routed.then(|| "on the way elsewhere".to_owned()));
    words.extend(turn.overran.then(|| "took too long".to_owned()));
    words.extend(turn.fault.as_ref().map(|fault| format!("broke: {fault}")));
    if !turn.changed.is_empty() {
        words.push(format!("changed {}", turn.changed.join(" ")));
    }
    words.join(", ")
}

fn documents(found: &Found, out: &mut Text) {
    for name in ["arguments", "result"] {
        if let Some(document) = found.fields.get(name) {
            out.heading(name);
            out.out.push_str(&value::shown(document, 2));
        }
    }
}

/// What else is recorded about the same call.
fn call(found: &Found, out: &mut Text) {
    let record = &found.entry.record;
    let ended = found.call.iter().any(|other| other.intent == Some(record.seq));
    let open = is_intent(record) && !ended;
    if found.call.is_empty() && !open {
        return;
    }
    out.heading("the same call");
    for other in &found.call {
        out.fact(&other.seq.to_string(), Some(&in_short(other)));
    }
    if open {
        out.sentence(
            "open",
            "nobody recorded how it ended: it still runs, its process died, or its surface does not say",
        );
    }
}

fn in_short(record: &Record) -> String {
    match (record.kind.as_str(), ended(record), record.act.as_deref()) {
        ("approval", ..) if record.granted == Some(true) => "a human granted it".to_owned(),
        ("approval", ..) => "a human refused it".to_owned(),
        (_, Some(ended), _) => format!("it ended: {ended}"),
        (_, None, Some("ask")) => "it was asked about".to_owned(),
        (_, None, Some("deny")) => "it was refused".to_owned(),
        (_, None, Some("pass")) if is_intent(record) => "it began".to_owned(),
        _ => record.point.clone().unwrap_or_default(),
    }
}

/// How a call ended, and how long that took.
fn ended(record: &Record) -> Option<String> {
    let took = record.took_us.filter(|took| *took > 0).map(|took| format!(" after {}", length(took)));
    Some(format!("{}{}", record.ended.as_ref()?, took.unwrap_or_default()))
}

/// Where it stands in the chain.
fn place(found: &Found, out: &mut Text) {
    out.heading("in the log");
    out.fact("hash", Some(found.hash.as_deref().unwrap_or("nothing speaks of it yet")));
    out.fact("before it", Some(&found.entry.record.prev));
    out.fact("digest", found.entry.record.digest.as_deref());
    out.fact("stands in", Some(&format!("{}, line {}", found.file, found.line)));
}
