use serde_json::json;
use tollgate_core::{Body, Digest, Event, Fault, Name, Outcome, Point, Said};

/// The call that an event is about, at `tool.before` or later.
pub(crate) struct Call<'a> {
    /// As it was, or would have been, before it ran.
    pub(crate) event: Event<'a>,
    /// Its arguments, as far as they are known.
    pub(crate) arguments: Option<&'a Body>,
}

impl<'a> Call<'a> {
    pub(crate) fn of(event: &Event<'a>, body: &'a Body) -> Self {
        let arguments = if event.point == Point::ToolBefore { Some(body) } else { event.arguments };
        // A rename stands in the body of the call; what ran is known by another fact.
        let became = if event.point == Point::ToolBefore { body.renamed().or(event.became) } else { event.became };
        Self { event: Event { point: Point::ToolBefore, became, ..*event }, arguments }
    }

    pub(crate) fn session(&self) -> &'a str {
        session(&self.event)
    }

    /// The tool's normalized name.
    pub(crate) fn tool(&self) -> &'a str {
        self.event.became.or(self.event.name).map_or("", Name::normal)
    }

    /// The server, where the tool's name does not say it.
    pub(crate) fn server(&self) -> Option<&'a str> {
        let named = tollgate_wire::server_tool(self.tool(), None).is_some_and(|(server, _)| !server.is_empty());
        self.event.server.filter(|_| !named)
    }

    /// What the call does: calls with the same digest are the same. The tool, its server, on whose behalf, and the
    /// arguments at all depths; the working directory too where relative paths depend on it.
    pub(crate) fn digest(&self) -> Result<Option<Digest>, Fault> {
        let Some(arguments) = self.arguments else { return Ok(None) };
        let (tool, server) = (self.tool(), self.server());
        let local = matches!(tollgate_wire::kind(tool), Some("exec" | "stdin" | "read" | "write" | "edit"));
        let cwd = self.event.cwd.filter(|_| local);
        // What one may do and see is not for another, though they share a session (or have none).
        let principal = self.event.principal;
        Ok(Some(tollgate_wire::digest(&json!([tool, server, cwd, principal, arguments.json()?]))))
    }

    /// What the call is known by at all of its points; empty where the surface does not say.
    pub(crate) fn id(&self) -> &'a str {
        self.event.call_id.unwrap_or("")
    }
}

/// Whether a guard let the call at hand pass, and so took something for it. What it took for another call, which this
/// one may look exactly like, is not to be given back.
pub(crate) fn passed(guard: &str, event: &Event<'_>, outcome: &Outcome) -> bool {
    let own = outcome.trace.entries().find(|(who, entry)| &*who.id == guard && entry.routed == event.routed);
    own.is_some_and(|(_, entry)| matches!(entry.said, Said::Passed | Said::Asked(_)))
}

/// The session an event belongs to; those without one share a nameless one.
pub(crate) fn session<'a>(event: &Event<'a>) -> &'a str {
    event.session.unwrap_or("")
}

/// A length of time as people say it.
pub(crate) fn spoken(time: std::time::Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let units = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    // Two units are exact enough.
    let from = units.iter().position(|(each, _)| seconds >= *each).unwrap_or(3);
    let mut rest = seconds;
    let mut out = String::new();
    for (each, name) in units.iter().skip(from).take(2) {
        if rest / each > 0 {
            out += &format!("{}{name}", rest / each);
        }
        rest %= each;
    }
    if out.is_empty() { "0s".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_in_words() {
        for (seconds, expected) in [
            (0.0, "0s"),
            (0.2, "1s"),
            (59.0, "59s"),
            (60.0, "1m"),
            (3661.0, "1h1m"),
            (90_000.0, "1d1h"),
            (7200.0, "2h"),
        ] {
            assert_eq!(spoken(Duration::from_secs_f64(seconds)), expected);
        }
    }

    #[test]
    fn which_calls_are_the_same() {
        let names = tollgate_wire::names();
        let digest = |tool: &str, cwd: Option<&str>, server: Option<&str>, arguments: serde_json::Value| {
            let (name, body) = (names.name(tool), Body::from(arguments));
            let event = Event { cwd, server, ..Event::tool(Point::ToolBefore, &name, "1") };
            Call::of(&event, &body).digest().unwrap().unwrap()
        };
        let base = digest("push_files", Some("/a"), None, json!({"files": [{"path": "x", "content": "1"}], "n": 1}));
        for (same, tool, cwd, server, arguments) in [
            (true, "Push_Files", "/a", None, json!({"n": 1.0, "files": [{"content": "1", "path": "x"}]})),
            (true, "push_files", "/b", None, json!({"n": 1, "files": [{"content": "1", "path": "x"}]})),
            (false, "push_files", "/a", None, json!({"n": 1, "files": [{"content": "2", "path": "x"}]})),
            (false, "push_files", "/a", None, json!({"n": "1", "files": [{"content": "1", "path": "x"}]})),
            (false, "push_files", "/a", Some("gitlab"), json!({"n": 1, "files": [{"content": "1", "path": "x"}]})),
            (false, "push_file", "/a", None, json!({"n": 1, "files": [{"content": "1", "path": "x"}]})),
        ] {
            assert_eq!(digest(tool, Some(cwd), server, arguments.clone()) == base, same, "{tool} {cwd} {arguments}");
        }
        let make = |cwd| digest("Bash", Some(cwd), None, json!({"command": "make"}));
        assert_ne!(make("/a"), make("/b"), "a command does something else elsewhere");
    }
}
