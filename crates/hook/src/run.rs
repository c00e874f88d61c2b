//! The surface: one document in, one answer out. `respond` is the whole way: [`read`] what the agent wrote, `decide_once`
//! (open the policy and [`decide`], unless another process has), [`say`] it in the agent's words.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tollgate_clock::{SystemClock, block_on};
use tollgate_config::Paths;
use tollgate_core::{Act, Body, Cause, Ended, Event, Fault, FaultKind, Names, Pipeline, Point, Question, Ruling};
use tollgate_engine::{Able, Engine, OpenError, Opened, Surface, within};
use tollgate_wire::dialect::{self, HookAnswer};
use tollgate_wire::hex;
use tollgate_wire::lens::lens_for;
use tollgate_wire::name_of;

use crate::agent::{Agent, Can, Decision, DecodedEvent, Hook, Payload, Said, no_object, worded};
use crate::agents::caller;
use crate::once::{self, Earlier};
use crate::switch_files;

/// The name of this surface in events.
pub const SURFACE: &str = "hook";

/// What mends most things, said in every refusal that is nobody's decision.
pub const MEND: &str = "`tollgate doctor` says what is wrong and how to mend it";

/// How such a refusal begins.
pub const BROKEN: &str = "Tollgate could not judge this, so it is refused: ";

/// A shell command that is refused whatever the policy says, so that one can see that refusals arrive. It does nothing.
pub const CANARY: &str = ": tollgate-canary";

/// The reason of that refusal; in words that no agent's answer has to escape.
pub const CANARY_REASON: &str = "tollgate canary: this call is always refused, to show that refusals arrive";

/// From what an agent wrote to what is printed, and what has judged it: that is let go only once the agent has its answer.
///
/// `registered` is the agent whose hook this is, and `event` the event that its registration names, if it does.
pub(crate) fn respond(registered: &'static Agent, event: Option<&str>, bytes: &[u8]) -> (HookAnswer, Option<Opened>) {
    let mut doc = Value::Null;
    let read = match read(registered, event, bytes, &mut doc) {
        Ok(read) => read,
        Err(refused) => return (refused, None),
    };
    // It outlives what breaks while it judges.
    let mut used = None;
    // What breaks from here on is refused in the words of this event, which every agent shows to its model.
    let answer = Fault::catch(|| {
        #[cfg(debug_assertions)]
        crate::process::fail_as_told();
        decide_once(registered, event, &read, &mut used).map(|decision| say(&read, decision))
    });
    let answer = answer.unwrap_or_else(|fault| Err(fault.to_string()));
    (answer.unwrap_or_else(|problem| refuse(&read, &broken(&problem))), used)
}

/// What was decided about an event by the process that another registration started for it, or what is decided here.
fn decide_once(
    registered: &'static Agent,
    event: Option<&str>,
    read: &Read<'_>,
    used: &mut Option<Opened>,
) -> Result<Decision, String> {
    let cwd = folder_of(read)?;
    let paths = Paths::find(&cwd, None, |name| std::env::var_os(name));
    let claim = match once::look_up(registered, event, read, &paths)? {
        Earlier::Decided(decision) => return Ok(decision),
        Earlier::Nothing(claim) => claim,
    };
    let opened = open(&paths, &cwd, &[registered.id, read.agent.id]).map_err(|error| error.to_string())?;
    let (tells, engine) = (opened.tells(), &used.insert(opened).engine);
    let here = Some(cwd.to_str().ok_or("the working directory has a name that is no text")?);
    let gate = Gate { pipeline: engine.pipeline(), engine: Some(engine), here, tells };
    let decision = decide(&gate, read);
    if let Some(claim) = claim {
        claim.keep(read, &decision)?;
    }
    Ok(decision)
}

/// The policy that holds there, ready to judge and to record.
fn open(paths: &Paths, cwd: &Path, callers: &[&'static str]) -> Result<Opened, OpenError> {
    let env = |name: &str| std::env::var_os(name);
    let home = Paths::home(cwd, env);
    let switches = switch_files::all(home.as_deref(), &env);
    let callers = callers.to_vec();
    let surface = Surface { home, switches, callers, ..Surface::new(Arc::new(SystemClock::default())) };
    tollgate_engine::open(paths, &surface)
}

/// The agent's working directory. The hook may have been started anywhere.
fn folder_of(read: &Read<'_>) -> Result<PathBuf, String> {
    let told = read.event.as_ref().ok().and_then(|event| event.cwd).map(PathBuf::from);
    match told.filter(|cwd| cwd.is_absolute()) {
        Some(cwd) => Ok(cwd),
        None => std::env::current_dir().map_err(|error| format!("the working directory: {error}")),
    }
}

/// A document that was read: who wrote it, about which event, and what it means.
pub struct Read<'a> {
    /// Who really wrote it.
    pub agent: &'static Agent,
    /// What they wrote.
    pub payload: Payload<'a>,
    /// What that means; or why that cannot be told.
    pub event: Result<DecodedEvent<'a>, String>,
    /// Why another reader might take it for something else.
    ambiguity: Option<&'static str>,
    body: Glimpse,
    arguments: Glimpse,
}

/// What a body says, read beside it: who judges has not looked at it by that, and what nobody looked at leaves as it came.
#[derive(Default)]
struct Glimpse(OnceCell<(Result<Value, Fault>, Option<&'static str>)>);

impl Glimpse {
    fn of(&self, body: &Body) -> &(Result<Value, Fault>, Option<&'static str>) {
        self.0.get_or_init(|| tollgate_wire::read(&body.to_bytes()))
    }
}

impl Read<'_> {
    /// What the body says; nothing if it says nothing.
    pub(crate) fn document(&self) -> &Value {
        self.event.as_ref().ok().and_then(|event| self.body.of(&event.body).0.as_ref().ok()).unwrap_or(&Value::Null)
    }

    /// The same for the arguments of a call that has run, where they are told.
    pub(crate) fn arguments(&self) -> Option<&Value> {
        let arguments = self.event.as_ref().ok()?.arguments.as_ref()?;
        Some(self.arguments.of(arguments).0.as_ref().unwrap_or(&Value::Null))
    }
}

/// Reads what an agent wrote, or refuses it in that agent's words.
///
/// `registered` is the agent whose hook this is, and `event` the event that its registration names, if it does.
pub fn read<'a>(
    registered: &'static Agent,
    event: Option<&str>,
    bytes: &'a [u8],
    doc: &'a mut Value,
) -> Result<Read<'a>, HookAnswer> {
    let (value, ambiguity) = tollgate_wire::read(bytes);
    *doc = value.map_err(|fault| (registered.refuse)(&broken(&format!("what {} sent: {fault}", registered.title))))?;
    let doc: &'a Value = doc;
    let agent = caller(registered, doc);
    let refused = |problem: &str| (agent.refuse)(&broken(problem));
    let hook = hook(registered, agent, event, doc).map_err(|problem| refused(&problem))?;
    if let Some(why) = ambiguity.filter(|_| !hook.point.is_gate() && has_a_key_twice(bytes, doc)) {
        // Then nobody knows which event it is, and another reader may take it for one that can be refused.
        return Err(refused(&format!("what {} sent can be read in two ways ({why})", agent.title)));
    }
    let payload = Payload { hook, bytes, doc };
    let event = Fault::catch(|| (agent.decode)(&payload)).unwrap_or_else(|fault| Err(fault.to_string()));
    Ok(Read { agent, payload, event, ambiguity, body: Glimpse::default(), arguments: Glimpse::default() })
}

/// Which event a document is about. The document knows better than the registration, unless that stands at a gate: what
/// is asked there is answered there, or not at all.
fn hook(
    registered: &'static Agent,
    agent: &'static Agent,
    named: Option<&str>,
    doc: &Value,
) -> Result<&'static Hook, String> {
    let of = |agent: &'static Agent, name: &str| agent.hooks.iter().find(|hook| hook.name == name);
    let told = (agent.event)(doc);
    let known = |name: &str| {
        of(agent, name).ok_or_else(|| format!("the event `{name}` of {} is not known to this version", agent.title))
    };
    let own = named.and_then(|named| of(agent, named));
    let gate = own.or_else(|| named.and_then(|named| of(registered, named))).filter(|hook| hook.point.is_gate());
    match (told, gate) {
        // Some do not name their event. What was inferred from the rest of the document is less than what is registered.
        (Some(told), Some(gate)) => match (known(told)?, own) {
            (hook, _) if hook.point == gate.point => Ok(hook),
            (_, Some(own)) if !says(doc, told) => Ok(own),
            _ => Err(format!("the registration names {}, and the document is about {told}", gate.name)),
        },
        _ => known(told.or(named).ok_or_else(|| format!("{} sent an event without a name", agent.title))?),
    }
}

/// Whether a document says this itself.
fn says(doc: &Value, name: &str) -> bool {
    doc.as_object().is_some_and(|members| members.values().any(|value| value.as_str() == Some(name)))
}

/// Whether the document itself, and not something in it, has a key twice: more was written than was kept.
fn has_a_key_twice(bytes: &[u8], doc: &Value) -> bool {
    let (mut depth, mut keys, mut text, mut escaped) = (0_usize, 0_usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if text => escaped = true,
            b'"' => text = !text,
            _ if text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 1 => keys += 1,
            _ => {}
        }
    }
    doc.as_object().is_some_and(|members| members.len() != keys)
}

/// What judges.
pub struct Gate<'a> {
    /// The policy.
    pub pipeline: Pipeline,
    /// What knows which questions were answered before.
    pub engine: Option<&'a Engine>,
    /// Where an event happens that does not say it, as an absolute path.
    pub here: Option<&'a str>,
    /// What the user is told with every answer: that Tollgate is paused, that nothing is recorded.
    pub tells: Vec<String>,
}

/// Judges what an agent wrote, and answers in its words.
pub fn answer(gate: &Gate<'_>, read: &Read<'_>) -> HookAnswer {
    say(read, decide(gate, read))
}

/// Judges what an agent wrote.
pub fn decide(gate: &Gate<'_>, read: &Read<'_>) -> Decision {
    let mut decision = match &read.event {
        Ok(decoded) => judge(gate, read, decoded),
        Err(problem) => Decision::deny(broken(&format!("what {} sent: {problem}", read.agent.title))),
    };
    decision.tells.extend(gate.tells.iter().cloned());
    decision
}

fn judge(gate: &Gate<'_>, read: &Read<'_>, decoded: &DecodedEvent<'_>) -> Decision {
    let Read { agent, payload, .. } = read;
    let hook = payload.hook;
    let mut body = decoded.body.clone();
    if let Some(why) = outside(read, &body) {
        return Decision::deny(broken(&format!("what {} sent can be read in two ways ({why})", agent.title)));
    }
    if hook.point == Point::ToolBefore && is_canary(read, &body) {
        return Decision::deny(CANARY_REASON);
    }
    let name = decoded.tool.map(|tool| name_of(gate.pipeline.names(), tool, &decoded.readings));
    let call = call_id(decoded, read);
    let event = Event {
        name: name.as_ref(),
        call_id: name.is_some().then_some(&*call),
        session: decoded.session,
        agent: Some(agent.id),
        surface: Some(SURFACE),
        server: decoded.server,
        model: decoded.model,
        // A relative one is relative to something nobody knows.
        cwd: decoded.cwd.filter(|cwd| Path::new(cwd).is_absolute()).or(gate.here),
        native: (hook.point == Point::Notice).then_some(hook.name),
        arguments: decoded.arguments.as_ref(),
        ended: decoded.ended,
        reason: decoded.reason,
        took: decoded.took.map(Duration::from_millis),
        permission: hook.permission,
        fixed_name: true,
        ..Event::at(hook.point)
    };
    let outcome = block_on(gate.pipeline.run(&event, &mut body));
    let redeemed = match gate.engine {
        Some(engine) => engine.redeem(outcome.act),
        None => Ok(outcome.act),
    };
    let act = redeemed.unwrap_or_else(|error| {
        Act::Deny(Box::new(Ruling::of_pipeline(Cause::Fault(FaultKind::Crash), broken(&error.to_string()))))
    });
    let rewritten = differs(&decoded.body, &body);
    let (notes, tells) = (std::mem::take(&mut body.notes), std::mem::take(&mut body.tells));
    let said = match possible(read, act, rewritten.then_some(&body)) {
        Ok(said) => said,
        // A call that goes on all the same has not ended here.
        Err(ruling) if hook.point == Point::ToolBefore && hook.can.deny => {
            Said::Deny(ended(gate, &event, &body, &ruling))
        }
        Err(ruling) => Said::Deny(worded(ruling.reason.trim()).to_owned()),
    };
    Decision { said, notes, tells }
}

/// What was decided, as far as the agent can carry it out; else it is refused. `rewritten` is the new document, if it is
/// another.
fn possible(read: &Read<'_>, act: Act, rewritten: Option<&Body>) -> Result<Said, Ruling> {
    let Read { agent, payload, .. } = read;
    let Can { ask, rewrite, deny, .. } = payload.hook.can;
    let refused = |reason: String| Ruling::of_pipeline(Cause::Power, reason);
    let objection = matches!(act, Act::Deny(_));
    let act = within(act, rewritten.is_some(), Able { ask, rewrite, ..Able::default() }, agent.title);
    if let Act::Deny(ruling) = act {
        // Nothing is refused where nothing can be: it only would have been.
        let only_words = !deny && !objection;
        return Err(if only_words { refused(unchanged(payload.hook.point, agent.title)) } else { *ruling });
    }
    let value = rewritten.map(|body| body.clone().into_json()).transpose();
    let said = match (act, value.map_err(|fault| refused(broken(&fault.to_string())))?) {
        (Act::Ask(question), Some(value)) => Said::AskRewritten(titles(&question), value),
        (Act::Ask(question), None) => Said::Ask(titles(&question)),
        (Act::Pass, Some(value)) => Said::Rewrite(value),
        (Act::Pass, None) => Said::Pass,
        // What cannot be done here has been refused by now.
        (Act::Deny(_) | Act::Route { .. } | Act::Answer(_), _) => {
            return Err(refused(broken("this version cannot carry it out")));
        }
    };
    if let Said::Rewrite(value) | Said::AskRewritten(_, value) = &said
        && payload.hook.point == Point::ToolBefore
        && !value.is_object()
    {
        return Err(refused(no_object(agent.title)));
    }
    agent.fits.map_or(Ok(()), |fits| fits(payload, &said)).map_err(refused)?;
    Ok(said)
}

/// What is told where something should have been otherwise and cannot be.
fn unchanged(point: Point, who: &str) -> String {
    match point {
        Point::ToolAfter | Point::ToolPersist => {
            format!("the policy would have changed this result, and {who} cannot change results here")
        }
        _ => format!("the policy would have had this otherwise, and {who} cannot change it here"),
    }
}

/// Whether a call is the one that is always refused: it has that command, under whichever name, alone or in a list.
fn is_canary(read: &Read<'_>, body: &Body) -> bool {
    if !body.to_bytes().windows(CANARY.len()).any(|part| part == CANARY.as_bytes()) {
        return false;
    }
    let is = |value: &Value| value.as_str() == Some(CANARY);
    read.document().as_object().is_some_and(|members| {
        members.values().any(|value| is(value) || value.as_array().is_some_and(|all| all.iter().any(is)))
    })
}

/// Why the document around the body may be read in two ways: then nobody knows which tool is meant. What is ambiguous
/// within the body is the pipeline's business.
fn outside(read: &Read<'_>, body: &Body) -> Option<&'static str> {
    let why = read.ambiguity.filter(|_| read.payload.hook.point.is_gate())?;
    let (value, own) = read.body.of(body);
    (value.is_err() || own.is_none()).then_some(why)
}

/// Which call this is. Some agents do not say; before and after, the same call then has the same made-up name.
fn call_id<'a>(decoded: &DecodedEvent<'a>, read: &Read<'_>) -> Cow<'a, str> {
    if let Some(id) = decoded.call_id {
        return Cow::Borrowed(id);
    }
    let arguments = read.arguments().unwrap_or_else(|| read.document());
    let digest = tollgate_wire::digest(&json!([decoded.session, sort(decoded), arguments]));
    debug_assert!(read.payload.hook.point.is_about_a_tool() || decoded.tool.is_none());
    Cow::Owned(format!("call-{}", hex::encode(&digest.0[..8])))
}

/// What sort of tool it is: one call may come under several names (`create` and `Write`), which never differ in this. Of a
/// server's tool that is its name, in whichever spelling: the sort of all of them is the same.
pub(crate) fn sort(decoded: &DecodedEvent<'_>) -> Option<String> {
    let names = Names::default();
    let name = name_of(&names, decoded.tool?, &decoded.readings);
    let kind = tollgate_wire::kind(name.normal()).filter(|_| !name.is_of_server());
    Some(kind.unwrap_or_else(|| name.normal()).to_owned())
}

/// Ends a call that does not happen: whoever stands at `tool.after` sees that it was refused, because its agent will not
/// tell. Gives the words of the refusal, which an edit there may have changed.
fn ended(gate: &Gate<'_>, event: &Event<'_>, arguments: &Body, ruling: &Ruling) -> String {
    let reason = worded(ruling.reason.trim()).to_owned();
    let document = dialect::content_blocked(&Ruling { reason: reason.clone().into(), ..ruling.clone() });
    let mut body = Body::from(document);
    let event = Event {
        point: Point::ToolAfter,
        arguments: Some(arguments),
        ended: Some(Ended::Denied),
        reason: Some(&reason),
        took: Some(Duration::ZERO),
        permission: false,
        fixed_name: false,
        ..*event
    };
    let before = body.clone();
    let outcome = block_on(gate.pipeline.run(&event, &mut body));
    match outcome.act {
        Act::Deny(again) => worded(again.reason.trim()).to_owned(),
        _ if differs(&before, &body) => {
            let doc = body.json().cloned().unwrap_or_default();
            let texts = lens_for(&doc).texts(&doc).join("\n");
            if texts.trim().is_empty() { reason } else { texts }
        }
        _ => reason,
    }
}

fn titles(question: &Question) -> String {
    let titles: Vec<&str> = question.parts.iter().map(|(_, query)| query.title.as_str()).collect();
    titles.join("; ")
}

/// Whether a document is another than it was.
fn differs(before: &Body, after: &Body) -> bool {
    match (before.json(), after.json()) {
        // One that can be read in two ways is another as soon as it is written anew.
        (Ok(value), Ok(other)) => {
            value != other || (before.ambiguity().is_some() && before.to_bytes() != after.to_bytes())
        }
        (before, after) => before.is_ok() != after.is_ok(),
    }
}

/// Says a decision in an agent's words, as far as the event has words for it.
pub fn say(read: &Read<'_>, decision: Decision) -> HookAnswer {
    let Read { agent, payload, .. } = read;
    let Can { deny, note, tell, .. } = payload.hook.can;
    let Decision { mut said, mut notes, mut tells } = decision;
    if let Said::Deny(reason) = &said
        && !deny
    {
        // It cannot be held up here. It is recorded, and whoever can be told is.
        tells.push(reason.clone());
        said = Said::Pass;
    }
    if !note {
        notes.clear();
    }
    if !tell {
        tells.clear();
    }
    let decision = Decision { said, notes, tells };
    if decision.is_silent() {
        return HookAnswer { stdout: payload.hook.neutral.to_owned(), ..HookAnswer::SILENT };
    }
    (agent.encode)(payload, &decision)
}

/// Refuses what an agent wrote, whatever it is.
pub fn refuse(read: &Read<'_>, reason: &str) -> HookAnswer {
    say(read, Decision::deny(reason))
}

/// What something of ours that broke is called in a refusal.
pub fn broken(what: &str) -> String {
    format!("{BROKEN}{what}; {MEND}")
}

#[cfg(test)]
mod tests;
