//! What interceptors did, in one line for people.

use tollgate_core::{Act, Body, Cause, Entry, Event, Outcome, Said};
use tollgate_wire::form::changes;

/// Says in one line who did what, or nothing if nobody did anything. It names places in the document,
/// never what stands there.
///
/// ```
/// use serde_json::json;
/// use tollgate::{Body, Event, Gate, Point, Verdict, block_on, describe};
///
/// let gate = Gate::new();
/// gate.before_tool("no-shell").tool("exec").guard(|_, _| Verdict::deny("no shell here"))?;
/// let pipeline = gate.pipeline();
/// let name = pipeline.name("bash");
/// let event = Event::tool(Point::ToolBefore, &name, "1");
/// let mut body = Body::from(json!({}));
/// let outcome = block_on(pipeline.run(&event, &mut body));
/// assert_eq!(describe(&event, &body, &outcome).as_deref(), Some("tool.before exec: no-shell denied: no shell here"));
/// # Ok::<(), tollgate::BadRegistration>(())
/// ```
pub fn describe(event: &Event<'_>, body: &Body, outcome: &Outcome) -> Option<String> {
    let mut parts: Vec<String> = outcome.trace.entries().flat_map(|(who, entry)| turn(&who.id, &entry)).collect();
    if let Act::Deny(ruling) = &outcome.act
        && !matches!(ruling.cause, Cause::Objection)
    {
        parts.push(format!("refused: {}", ruling.reason));
    }
    if parts.is_empty() {
        return None;
    }
    let tool = event.tool_now(body).map(|name| format!(" {}", name.normal())).unwrap_or_default();
    Some(format!("{}{tool}: {}", event.point, parts.join("; ")))
}

fn turn(id: &str, entry: &Entry) -> Vec<String> {
    let changed = entry.change.as_deref().map(|(before, after)| changes(before, after).join(", "));
    let changed = changed.map(|places| format!("{id} changed {}", if places.is_empty() { "it" } else { &places }));
    let said = match &entry.said {
        Said::Passed => None,
        Said::Denied(reason) => Some(format!("{id} denied: {reason}")),
        Said::Asked(title) => Some(format!("{id} asked: {title}")),
        Said::Routed(provider) => Some(format!("{id} sent it to {provider}")),
        Said::Answered => Some(format!("{id} answered in its place")),
        Said::Faulted(fault) => Some(format!("{id} broke ({fault})")),
        Said::Skipped => Some(format!("{id} was skipped, having caused this")),
    };
    changed.into_iter().chain(said).collect()
}
