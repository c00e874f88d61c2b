//! From how a program ended to a verdict.

use tollgate_core::{Body, Event, Fault, FaultKind, Point, Verdict};
use tollgate_process::Ended;

use crate::protocol::Protocol;

/// Why, where a program refuses and does not say.
pub(crate) const BLOCKED: &str = "blocked by hook";
/// The same for a person's input.
const PROMPT_BLOCKED: &str = "blocked by prompt hook";
/// How long a reason may be, in characters.
const LONGEST: usize = 4000;
/// How much of what a broken program said goes into the record.
const EXCERPT: usize = 200;

/// The verdict of a program that has ended.
pub(crate) fn verdict(protocol: Protocol, event: &Event<'_>, body: &mut Body, ended: &Ended) -> Result<Verdict, Fault> {
    let verdict = match (ended.code, ended.signal) {
        // Who still may speak for it and never does has not consented.
        (Some(0), _) if ended.held && ended.out.trim_ascii().is_empty() => {
            let what = "it ended, and what it started kept its standard output open without an answer";
            return Err(Fault::new(FaultKind::Timeout, what));
        }
        (Some(0), _) => {
            let said = std::str::from_utf8(&ended.out);
            let said = said.map_err(|_| Fault::new(FaultKind::Garbage, "what it said is not UTF-8 text"))?;
            understood(protocol, event, body, said)?
        }
        (Some(2), _) => Verdict::deny(reason(protocol, event.point, ended)),
        (code, signal) => return Err(broken(code, signal, &ended.err)),
    };
    match verdict {
        Verdict::Pass => Ok(Verdict::Pass),
        _ if !event.point.is_gate() => {
            Err(Fault::new(FaultKind::Garbage, format!("it objects, and nothing can be refused at {}", event.point)))
        }
        Verdict::Deny(reason) => Ok(Verdict::deny(clean(&reason, LONGEST))),
        Verdict::Ask(mut query) => {
            query.title = clean(&query.title, LONGEST);
            query.detail = clean(&query.detail, LONGEST);
            Ok(Verdict::Ask(query))
        }
        verdict => Ok(verdict),
    }
}

/// What a program that ended well said. What it adds for the model and the user goes where its reasons go.
fn understood(protocol: Protocol, event: &Event<'_>, body: &mut Body, said: &str) -> Result<Verdict, Fault> {
    let (notes, tells) = (body.notes.len(), body.tells.len());
    let verdict = protocol.answer(event, body, said);
    for text in body.notes.iter_mut().skip(notes).chain(body.tells.iter_mut().skip(tells)) {
        *text = clean(text, LONGEST);
    }
    verdict.map_err(|fault| Fault::new(fault.kind, clean(&fault.detail, EXCERPT)))
}

/// What it wrote to standard error, else to standard output, else words of ours.
fn reason(protocol: Protocol, point: Point, ended: &Ended) -> String {
    let said = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).trim().to_owned();
        (!text.is_empty()).then_some(text)
    };
    let aloud = said(&ended.out).filter(|_| protocol != Protocol::ClaudeCode);
    let silent = if point == Point::PromptSubmit { PROMPT_BLOCKED } else { BLOCKED };
    said(&ended.err).or(aloud).unwrap_or_else(|| silent.to_owned())
}

/// The ways to end that are no answer. Each is mended differently, so each is told apart.
fn broken(code: Option<i32>, signal: Option<i32>, err: &[u8]) -> Fault {
    let (kind, what) = match (code, signal) {
        (Some(126), _) => (FaultKind::Missing, "exit status 126: it is there and cannot be run".to_owned()),
        (Some(127), _) => (FaultKind::Missing, "exit status 127: a program was not found".to_owned()),
        (Some(code), _) => (FaultKind::Crash, format!("exit status {code}")),
        (None, signal) => (FaultKind::Crash, format!("ended by signal {}", signal.unwrap_or_default())),
    };
    let said = String::from_utf8_lossy(err);
    // The last line of a traceback says what went wrong, the first only that it did.
    let line = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    Fault::new(kind, line.map_or(what.clone(), |line| format!("{what} ({})", clean(line, EXCERPT))))
}

/// Text that goes into records and before models: no credentials, nothing a terminal obeys, not without end.
fn clean(text: &str, most: usize) -> String {
    let text = tollgate_secrets::scanner().redact(text);
    let mut kept: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).take(most).collect();
    if text.chars().count() > most {
        kept.push('…');
    }
    kept
}
