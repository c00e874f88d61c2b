//! The words of an ancestor's hooks that are configured in files.
//!
//! It lets a call go on whatever a hook says that is no decision. Here that is so only for silence and for an object
//! without one: what cannot be read is a fault.

use serde_json::{Map, Value, json};
use tollgate_core::{Body, Event, Fault, Name, Point, Verdict};
use tollgate_wire::form::EventForm;

use super::{plain, text_of};

pub(super) fn question(event: &Event<'_>, body: &Body) -> Result<Value, Fault> {
    let call = |name: Option<&Name<'_>>, arguments: String| {
        json!({
            "name": name.map(Name::written).unwrap_or_default(),
            "arguments": arguments,
            "callId": event.call_id.unwrap_or_default(),
            "type": "function",
        })
    };
    Ok(match event.point {
        Point::ToolBefore => call(event.tool_now(body), body.json()?.to_string()),
        Point::ToolAfter => {
            let arguments = event.arguments.map_or(Ok("{}".to_owned()), |body| body.json().map(Value::to_string))?;
            json!({ "call": call(event.became.or(event.name), arguments), "output": text_of(body.json()?) })
        }
        Point::PromptSubmit => json!({ "input": text_of(body.json()?) }),
        _ => serde_json::to_value(EventForm::of(event)).unwrap_or_default(),
    })
}

pub(super) fn answer(event: &Event<'_>, body: &mut Body, said: Map<String, Value>) -> Result<Verdict, Fault> {
    plain::decide(event, body, said)
}
