//! What a surface that cannot do everything does instead.

use tollgate_core::{Act, Cause, Question, Route, Ruling};
use tollgate_wire::lens;

/// What a surface can carry out beside letting go and refusing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Able {
    /// Ask a human and wait for the answer.
    pub ask: bool,
    /// Hand out a result without running anything.
    pub answer: bool,
    /// Run something elsewhere.
    pub route: bool,
    /// Run a call that was rewritten.
    pub rewrite: bool,
}

/// The strictest thing a surface can do where it cannot do what was decided: a refusal, which says so.
///
/// `who` is the surface in words ("Codex CLI"), and `rewritten` whether the document is another than the one that came.
///
/// ```
/// use tollgate_core::{Act, Route, Digest};
/// use tollgate_engine::{Able, within};
///
/// let act = Act::Route { route: Box::new(Route::to("docker")), digest: Digest([0; 32]) };
/// let Act::Deny(ruling) = within(act, false, Able::default(), "Codex CLI") else { unreachable!() };
/// assert_eq!(ruling.reason, "this is to run in the sandbox `docker`, which Codex CLI cannot do yet, so it is refused");
/// assert!(matches!(within(Act::Pass, false, Able::default(), "Codex CLI"), Act::Pass));
/// ```
pub fn within(act: Act, rewritten: bool, able: Able, who: &str) -> Act {
    match act {
        Act::Route { route, .. } if !able.route => stop(sandbox(&route, who)),
        Act::Ask(question) if !able.ask => stop(asked(&question, who)),
        Act::Ask(question) if question.route.is_some() && !able.route => {
            stop(question.route.map(|route| sandbox(&route, who)).unwrap_or_default())
        }
        Act::Answer(body) if !able.answer => stop(answered(&body)),
        Act::Pass | Act::Ask(_) if rewritten && !able.rewrite => stop(format!(
            "the policy lets this happen in another form only, and {who} cannot take one over, so it is refused"
        )),
        act => act,
    }
}

fn stop(reason: String) -> Act {
    Act::Deny(Box::new(Ruling::of_pipeline(Cause::Power, reason)))
}

fn sandbox(route: &Route, who: &str) -> String {
    format!("this is to run in the sandbox `{}`, which {who} cannot do yet, so it is refused", route.provider)
}

fn asked(question: &Question, who: &str) -> String {
    let titles: Vec<&str> = question.parts.iter().map(|(_, query)| query.title.as_str()).collect();
    format!("a human would have to agree ({}), and {who} cannot ask here, so it is refused", titles.join("; "))
}

/// What was answered in the tool's place, as a reason why the tool did not run.
fn answered(body: &tollgate_core::Body) -> String {
    let text = body.json().map(|doc| lens::strings(doc).join("\n")).unwrap_or_default();
    format!("this was answered instead of run: {text}")
}
