//! The digest of a call, computed as the pipeline does it.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tollgate_core::{Body, Digest, Ended, Event, Headers, Name, Outcome, Point};
use tollgate_wire::canonical;

/// The digest of the call that an event is about; none where there is no call, or where it cannot be read.
/// `bound` is what is known of a call that was bound to a question or a route before it ran.
pub(super) fn of(event: &Event<'_>, body: &Body, outcome: &Outcome, bound: Option<Digest>) -> Option<Digest> {
    match event.point {
        Point::ToolUpdate | Point::ToolAfter | Point::ToolPersist => bound.or_else(|| {
            // Where it went is part of the digest, and nobody says so here.
            let known = event.ended != Some(Ended::Routed);
            event.arguments.filter(|_| known).and_then(|arguments| call(Point::ToolBefore, event, arguments))
        }),
        point if point.is_gate() => outcome.trace.digest.or_else(|| call(point, event, body)),
        _ => None,
    }
}

/// The digest of a call that goes nowhere else.
fn call(point: Point, event: &Event<'_>, body: &Body) -> Option<Digest> {
    let document = body.json().ok()?;
    let headers: Option<Vec<_>> = body.headers().map(|headers: &Headers| headers.iter().collect());
    let name = event.tool_now(body).map(Name::written);
    // The canonical form of the object that the pipeline digests, written piece by piece: a document may be long, and
    // need not be copied for this.
    let mut hash = Sha256::new();
    hash.update(br#"{"body":"#);
    hash.update(canonical(document));
    for (member, value) in [
        (",\"cwd\":", Value::from(event.cwd)),
        (",\"headers\":", json!(headers)),
        (",\"name\":", Value::from(name)),
        (",\"point\":", Value::from(point.name())),
        (",\"route\":", Value::Null),
        (",\"server\":", Value::from(event.server)),
    ] {
        hash.update(member);
        hash.update(canonical(&value));
    }
    hash.update(b"}");
    Some(Digest(hash.finalize().into()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tollgate_core::{Names, Pipeline, Registry};
    use tollgate_testkit::StillClock;

    use super::*;

    fn pipeline() -> Pipeline {
        Registry::new(Names::default(), Arc::new(StillClock), tollgate_wire::digest).snapshot()
    }

    #[test]
    fn it_is_the_digest_of_the_pipeline() {
        let (pipeline, names, none) = (pipeline(), Names::default(), Outcome::default());
        let (name, other) = (names.name("Bash"), names.name("Read"));
        let mut with_headers = Body::from(json!({"b": 1.0, "a": [null, 9_007_199_254_740_993_u64, "\u{7}é"]}));
        with_headers.headers_mut().append("X-A", "1");
        with_headers.headers_mut().append("x-a", "2");
        let mut renamed = Body::from(json!([]));
        renamed.rename("other");
        let tool = Event::tool(Point::ToolBefore, &name, "c");
        for event in [
            tool,
            Event { server: Some("github"), cwd: Some("/srv/\"x\""), ..tool },
            Event { became: Some(&other), ..tool },
            Event::at(Point::PromptSubmit),
            Event { model: Some("m"), ..Event::at(Point::ModelRequest) },
        ] {
            for body in [&Body::default(), &Body::from(json!({"command": "ls"})), &with_headers, &renamed] {
                assert_eq!(of(&event, body, &none, None), pipeline.digest(&event, body, None).ok(), "{event:?}");
                if event.point == Point::ToolBefore {
                    let after = Event { point: Point::ToolAfter, arguments: Some(body), ..event };
                    let same = of(&after, &Body::from(json!("result")), &none, None);
                    assert_eq!(same, pipeline.digest(&event, body, None).ok(), "{event:?}");
                }
            }
        }
    }

    #[test]
    fn what_has_no_document_or_went_elsewhere_has_none() {
        let none = Outcome::default();
        let bad = tollgate_wire::body("{");
        let good = Body::from(json!({}));
        let at = Event::at;
        assert_eq!(of(&at(Point::ToolBefore), &bad, &none, None), None);
        assert_eq!(of(&at(Point::ToolAfter), &good, &none, None), None);
        assert_eq!(of(&at(Point::Notice), &good, &none, None), None);
        let gone = Event { arguments: Some(&good), ended: Some(Ended::Routed), ..at(Point::ToolAfter) };
        assert_eq!(of(&gone, &good, &none, None), None);
        assert_eq!(of(&gone, &good, &none, Some(Digest([7; 32]))), Some(Digest([7; 32])));
    }
}
