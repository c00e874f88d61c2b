//! A whole surface: one JSON document per line comes in, one goes out. Copy it to write another.
//!
//! ```text
//! {"event": "call", "id": "1", "tool": "bash", "session": "s", "cwd": "/repo", "body": {"command": "rm -rf /"}}
//! {"act": "deny", "reason": "…"}
//! ```
//! A line without an answer is one that is denied: whoever sends them goes on only when it says so.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tollgate_clock::{SystemClock, block_on};
use tollgate_config::Paths;
use tollgate_core::{Act, Body, Cause, Ended, Event, Fault, FaultKind, Pipeline, Point, Ruling};
use tollgate_engine::{Able, Change, Engine, Live, Surface, within};

/// What can be carried out here, beside `pass` and `deny`. The rest is denied.
const ABLE: Able = Able { ask: false, answer: true, route: false, rewrite: true };

/// Which of their events is which point. Any other is a notice.
const EVENTS: &[(&str, Point)] = &[
    ("start", Point::SessionStart),
    ("prompt", Point::PromptSubmit),
    ("call", Point::ToolBefore),
    ("result", Point::ToolAfter),
    ("message", Point::MessageWrite),
    ("turn-end", Point::TurnStop),
];

/// A line. Whatever says which call it is stands here once: serde refuses a key that comes twice or is unknown. The
/// documents stay the bytes that they are; the pipeline reads them when somebody looks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    event: String,
    id: Option<String>,
    tool: Option<String>,
    session: Option<String>,
    agent: Option<String>,
    cwd: Option<String>,
    error: Option<String>, // how a call failed
    arguments: Option<Box<RawValue>>,
    body: Option<Box<RawValue>>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = std::env::current_dir()?;
    let find = move || Paths::find(&here, None, |name| std::env::var_os(name));
    let tell = |change: &Change| drop(writeln!(io::stderr(), "{change}"));
    // It follows a halt, a pause and another policy. Files of our own that no agent may change would stand in `places`.
    let live = Live::open(find, Surface::new(Arc::new(SystemClock::default())), tell)?;
    Ok(serve(&live, io::stdin().lock(), io::stdout())?)
}

/// Answers line by line. Nobody else waits for this thread, so it may judge here; a reactor has `judge::Pool` do it.
pub(crate) fn serve(live: &Live, lines: impl BufRead, mut out: impl Write) -> io::Result<()> {
    for line in lines.split(b'\n') {
        let (line, opened) = (line?, live.opened());
        let mut answer = answer(&opened.engine.pipeline(), Some(&opened.engine), &line);
        // That everything is paused, or nothing is recorded.
        if let Value::Array(tells) = &mut answer["tells"] {
            tells.extend(opened.tells().into_iter().map(Value::from));
        }
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

/// One line: decode, judge, encode. Whatever breaks on the way denies.
pub(crate) fn answer(pipeline: &Pipeline, engine: Option<&Engine>, line: &[u8]) -> Value {
    let refuse = |why: String| encode(broken(why), &Body::default(), false);
    let judged = Fault::catch(|| match serde_json::from_slice(line) {
        Ok(line) => judge(pipeline, engine, &line),
        Err(error) => refuse(format!("the line cannot be read: {error}")),
    });
    judged.unwrap_or_else(|fault| refuse(fault.to_string()))
}

fn broken(why: String) -> Act {
    Act::Deny(Box::new(Ruling::of_pipeline(Cause::Fault(FaultKind::Crash), why)))
}

/// Makes an event and a body of a line, runs the pipeline, and does of the act what can be done here.
fn judge(pipeline: &Pipeline, engine: Option<&Engine>, line: &Line) -> Value {
    let known = EVENTS.iter().find(|(name, _)| *name == line.event);
    let point = known.map_or(Point::Notice, |(_, point)| *point);
    let document = |raw: &RawValue| tollgate_wire::body(raw.get());
    let came = line.body.as_deref().map(document).unwrap_or_default();
    if point.is_about_a_tool() && (line.tool.is_none() || line.id.is_none()) {
        return encode(broken(format!("a {} needs `tool` and `id`", line.event)), &came, false);
    }
    let name = line.tool.as_ref().map(|name| pipeline.name(name));
    let arguments = line.arguments.as_deref().map(document);
    let ended = if line.error.is_some() { Ended::Error } else { Ended::Ok };
    let event = Event {
        name: name.as_ref(),
        fixed_name: true,            // the answer has no word for another name
        call_id: line.id.as_deref(), // the same before and after: the record puts the two together
        session: line.session.as_deref(),
        agent: line.agent.as_deref(),
        surface: Some("lines"),
        cwd: line.cwd.as_deref(),
        native: known.is_none().then_some(&*line.event),
        arguments: arguments.as_ref(),
        ended: (point == Point::ToolAfter).then_some(ended),
        reason: line.error.as_deref(),
        ..Event::at(point)
    };
    let mut body = came.clone();
    let act = block_on(pipeline.run(&event, &mut body)).act;
    // A human may have agreed to this very call since it was refused for want of an answer.
    let redeemed = engine.map_or(Ok(act.clone()), |engine| engine.redeem(act));
    let act = redeemed.unwrap_or_else(|error| broken(error.to_string()));
    let rewritten = came.to_bytes() != body.to_bytes();
    let act = within(act, rewritten, ABLE, "this protocol");
    let act = if point == Point::ToolBefore { end(pipeline, &event, &body, act) } else { act };
    encode(act, &body, rewritten)
}

/// A call that does not run ends here: every `tool.before` has one `tool.after`, and an answer is judged as a result is.
fn end(pipeline: &Pipeline, before: &Event<'_>, arguments: &Body, act: Act) -> Act {
    let (ended, mut result, reason) = match &act {
        Act::Deny(ruling) => (Ended::Denied, Body::from(json!({ "error": ruling.reason })), Some(&*ruling.reason)),
        Act::Answer(answer) => (Ended::Answered, (**answer).clone(), None),
        Act::Pass | Act::Ask(_) | Act::Route { .. } => return act,
    };
    let (point, ended, arguments, fixed_name) = (Point::ToolAfter, Some(ended), Some(arguments), false);
    let event = Event { point, ended, arguments, reason, fixed_name, ..*before };
    match (block_on(pipeline.run(&event, &mut result)).act, act) {
        (Act::Deny(ruling), _) => Act::Deny(ruling),
        (_, Act::Answer(_)) => Act::Answer(Box::new(result)),
        (_, act) => act,
    }
}

/// The act in the words of this protocol.
fn encode(act: Act, body: &Body, rewritten: bool) -> Value {
    let mut answer = json!({ "act": act.name(), "notes": body.notes, "tells": body.tells });
    match act {
        Act::Pass if rewritten => answer["body"] = body.json().cloned().unwrap_or_default(),
        Act::Answer(result) => answer["body"] = result.json().cloned().unwrap_or_default(),
        Act::Deny(ruling) => answer["reason"] = json!(ruling.reason),
        // `within` has made a refusal of what is not in `ABLE`.
        Act::Pass | Act::Ask(_) | Act::Route { .. } => {}
    }
    answer
}
