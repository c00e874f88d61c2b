//! Every case in `spec/cases` through the library: by the method that a program would use, and by `Session::run`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::expect;
use serde_json::{Value, json};
use tollgate::{
    Admitted, Approval, Body, Call, Clock as _, Ended, Finished, Gate, Point, Question, Route, Ruling, Session, Tool,
    ToolError, Toolbox, block_on,
};
use tollgate_testkit::actors::Log;
use tollgate_testkit::case::{Case, Facts, Interceptor, Moment, Pattern};
use tollgate_testkit::{HastyClock, Report, Shown, report, through_surface};

/// Says a fact of a session.
type Tell = fn(Session, String) -> Session;

/// A gate with everybody of a case, and what it was asked to do.
struct Stage<'a> {
    case: &'a Case,
    clock: Arc<HastyClock>,
    gate: Gate,
    seen: Log,
    asked: Arc<Mutex<Option<Question>>>,
    routed: Arc<Mutex<Option<Route>>>,
}

impl<'a> Stage<'a> {
    fn new(case: &'a Case) -> Self {
        let (clock, seen) = (Arc::new(HastyClock::default()), Log::default());
        let gate = Gate::with_clock(clock.clone());
        case.aliases.iter().for_each(|(alias, name)| gate.alias(alias, name));
        gate.rewrite_ambiguous(case.rewrite_ambiguous);
        gate.add_all(case.build(&seen).unwrap()).unwrap();
        let (asked, routed) = <(Arc<Mutex<_>>, Arc<Mutex<_>>)>::default();
        let (question, route) = (Arc::clone(&asked), Arc::clone(&routed));
        gate.on_ask(move |asked| {
            let approval = Approval { digest: asked.digest, granted: true, by: "ann".to_owned(), at: Duration::ZERO };
            *question.lock().unwrap() = Some(asked);
            async move { Some(approval) }
        });
        gate.on_route(move |there, _| {
            *route.lock().unwrap() = Some(there);
            async { Ok(json!("there")) }
        });
        Self { case, clock, gate, seen, asked, routed }
    }

    /// A session with all that a session can know of an event.
    fn session(&self, facts: &Facts) -> Session {
        let session = self.gate.session(facts.session.clone().unwrap_or_default());
        let session = facts.chain.iter().fold(session, |session, cause| session.caused_by(cause));
        let told: [(&Option<String>, Tell); 5] = [
            (&facts.agent, Session::agent),
            (&facts.model, Session::model),
            (&facts.cwd, Session::cwd),
            (&facts.principal, Session::principal),
            (&facts.server, Session::server),
        ];
        let told = told.into_iter().filter_map(|(fact, tell)| Some((fact.clone()?, tell)));
        told.fold(session, |session, (fact, tell)| tell(session, fact))
    }

    /// Whether somebody here looks at a fact, or selects by it.
    fn looks(&self, facts: &Facts, fact: &str, select: fn(&Interceptor) -> &Pattern) -> bool {
        let here = self.case.registrations.iter().filter(|it| it.points.contains(&facts.point));
        let asks = |it: &Interceptor| it.params.get("fact") == Some(&json!(fact));
        here.into_iter().any(|it| asks(it) || !matches!(select(it), Pattern::Any))
    }

    /// Why nothing in the library can tell what counts here.
    fn unknown(&self, step: &Moment) -> Option<&'static str> {
        let facts = &step.event;
        let reasons = [
            (step.cannot_wait, "the library can wait"),
            (facts.surface.is_none() && self.looks(facts, "surface", |it| &it.surface), "it is always on a surface"),
            (facts.session.is_none() && self.looks(facts, "session", |it| &it.session), "there is always a session"),
        ];
        reasons.iter().find(|(applies, _)| *applies).map(|(_, why)| *why)
    }

    /// Why no method beside `run` can.
    fn untold(&self, step: &Moment) -> Option<&'static str> {
        let facts = &step.event;
        let own_surface = facts.surface.as_deref().is_some_and(|surface| surface != "library");
        let reasons = [
            (self.is_for_the_end_alone(step), "only `run`: the end of a call that somebody stands at the beginning of"),
            (facts.became.is_some(), "only `run`: a name that it became"),
            (facts.permission, "only `run`: a permission request"),
            (own_surface && self.looks(facts, "surface", |it| &it.surface), "only `run`: another surface"),
            (!facts.own.is_empty(), "only `run`: facts of one's own"),
            (facts.native.is_some(), "only `run`: a native name"),
            (facts.attempt.is_some(), "only `run`: an attempt"),
            (!facts.labels.is_empty(), "only `run`: labels that no earlier point left"),
        ];
        self.unknown(step).or_else(|| reasons.iter().find(|(applies, _)| *applies).map(|(_, why)| *why))
    }

    /// Whether a call has to have ended whose beginning somebody here looks at: a method plays both.
    fn is_for_the_end_alone(&self, step: &Moment) -> bool {
        let at =
            |point: Point| self.case.registrations.iter().any(|it| it.points.iter().any(|name| name == point.name()));
        step.event.point == Point::ToolAfter.name() && at(Point::ToolBefore)
    }

    /// What was decided, where the method itself does not say so.
    fn detours(&self, mut report: Report) -> Report {
        let mut tell = |key: &str, value: Value| drop(report.insert(key.to_owned(), value));
        if let Some(Route { provider, place, command }) = self.routed.lock().unwrap().take() {
            tell("act", json!("route"));
            tell("route", json!({ "provider": provider, "place": place, "command": command }));
        }
        if let Some(question) = self.asked.lock().unwrap().take() {
            tell("act", json!("ask"));
            let parts: Vec<_> = question.parts.iter().map(|(id, query)| json!([**id, query.title])).collect();
            tell("parts", json!(parts));
        }
        report
    }

    fn play(&self, step: &Moment) -> Shown {
        self.untold(step).map_or(Ok(()), Err)?;
        let (session, point) = (self.session(&step.event), step.event.point.parse().unwrap());
        let report = match point {
            Point::ToolBefore => self.call(&session, step)?,
            Point::ToolUpdate => updated(&session, step)?,
            Point::ToolAfter => returned(&session, step)?,
            Point::ToolPersist => stored(block_on(session.persist(tool(step), document(step)?))),
            Point::MessageWrite => stored(block_on(session.write_message(document(step)?))),
            Point::SessionStart => match block_on(session.start()) {
                Ok(notes) => told(json!({ "act": "pass", "notes": notes })),
                Err(ruling) => denied(&ruling),
            },
            point if point.is_gate() => admitted(block_on(session.admit(point, step.body.build()))),
            Point::ModelComplete => return Err("only `run`: the end of a model request"),
            point => match block_on(session.observe(point, document(step)?)) {
                Ok(()) => told(json!({ "act": "pass" })),
                Err(ruling) => denied(&ruling),
            },
        };
        Ok(self.detours(report))
    }

    /// A call of a tool that is in a box with those it may be renamed to.
    fn call(&self, session: &Session, step: &Moment) -> Shown {
        let ran = Arc::new(Mutex::new(None));
        let named = |name: &str| {
            let (ran, own) = (Arc::clone(&ran), name.to_owned());
            Tool::new(name, move |call| {
                *ran.lock().unwrap() = Some((own.clone(), call.params));
                async { Ok(json!("ran")) }
            })
        };
        let call = Call::new(step.event.call_id.clone().unwrap_or_default(), document(step)?);
        let finished = if step.event.fixed_name {
            block_on(session.call(&named(tool(step)), call))
        } else {
            let toolbox = Toolbox::new(session.clone());
            let asked = toolbox.add(named(tool(step))).unwrap();
            let renames = self.case.registrations.iter().filter_map(|it| it.params.get("to")?.as_str());
            renames.filter(|to| !to.trim().is_empty()).for_each(|to| drop(toolbox.add(named(to))));
            block_on(asked.execute(call))
        };
        let mut report = finished_as(&finished);
        // It ran, so it was let through, whatever became of its result.
        if let Some((name, params)) = ran.lock().unwrap().take() {
            report = told(json!({ "act": "pass", "body": params, "notes": finished.notes, "tells": finished.tells }));
            report.extend((name != tool(step)).then(|| ("name".to_owned(), json!(name))));
        }
        Ok(report)
    }
}

fn told(value: Value) -> Report {
    value.as_object().cloned().unwrap()
}

fn denied(ruling: &Ruling) -> Report {
    told(json!({ "act": "deny", "by": ruling.by.as_deref(), "reason": ruling.reason }))
}

fn finished_as(finished: &Finished) -> Report {
    let Finished { value, ended, reason, by, notes, tells, .. } = finished;
    let mut report = told(json!({ "notes": notes, "tells": tells }));
    report.extend(told(match ended {
        Ended::Denied => json!({ "act": "deny", "by": by, "reason": reason }),
        Ended::Answered => json!({ "act": "answer", "answer": value }),
        _ => json!({ "act": "pass" }),
    }));
    report
}

fn admitted(admitted: Result<Admitted, Ruling>) -> Report {
    let of = |body: &Body| {
        let headers: Vec<_> = body.headers().map(|headers| headers.iter().collect()).unwrap_or_default();
        let bytes = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        told(json!({ "act": "pass", "bytes": bytes, "headers": headers, "notes": body.notes, "tells": body.tells }))
    };
    match admitted {
        Ok(Admitted::Pass(body)) => of(&body),
        Ok(Admitted::Answer(body)) => told(json!({ "act": "answer", "answer": body.json().unwrap() })),
        Ok(Admitted::Route(body, route)) => {
            let Route { provider, place, command } = *route;
            let route = json!({ "provider": provider, "place": place, "command": command });
            let mut report = of(&body);
            report.extend(told(json!({ "act": "route", "route": route })));
            report
        }
        Err(ruling) => denied(&ruling),
    }
}

/// What was stored: the document, or a stub that names the rule.
fn stored(document: Value) -> Report {
    match document.get("withheld") {
        Some(stub) => told(json!({ "act": "deny", "by": stub["by"], "reason": stub["reason"] })),
        None => told(json!({ "act": "pass", "body": document })),
    }
}

fn tool(step: &Moment) -> &str {
    step.event.name.as_deref().unwrap()
}

/// The document as a value, which is what programs hand over.
fn document(step: &Moment) -> Result<Value, &'static str> {
    match step.body.raw {
        Some(_) => Err("only `run`: bytes"),
        None => Ok(step.body.json.clone().unwrap_or_default()),
    }
}

/// A tool that streams one partial result.
fn updated(session: &Session, step: &Moment) -> Shown {
    let (shown, partial) = (Arc::new(Mutex::new(None)), document(step)?);
    let sink = Arc::clone(&shown);
    let call = Call::new("c1", json!({})).on_update(move |partial| *sink.lock().unwrap() = Some(partial));
    let run = move |call: Call| {
        let partial = partial.clone();
        async move {
            call.update(partial).await;
            Ok(json!("ran"))
        }
    };
    block_on(session.call_with(tool(step), call, run));
    let shown = shown.lock().unwrap().take();
    Ok(told(shown.map_or(json!({ "act": "deny" }), |partial| json!({ "act": "pass", "body": partial }))))
}

/// A tool that returns, or fails.
fn returned(session: &Session, step: &Moment) -> Shown {
    let (result, ended) = (document(step)?, step.event.ended.as_deref());
    let fails = match ended {
        None | Some("ok") => false,
        Some("error") if result.is_null() => true,
        Some("error") => return Err("only `run`: the words of an error"),
        _ => return Err("only `run`: an end that was not the tool's"),
    };
    let call = Call::new(step.event.call_id.clone().unwrap_or_default(), json!({}));
    let run = move |_| {
        let result = if fails { Err(ToolError("broken".to_owned())) } else { Ok(result.clone()) };
        async move { result }
    };
    let finished = block_on(session.call_with(tool(step), call, run));
    let mut report = finished_as(&finished);
    if finished.ended == Ended::Ok {
        report.insert("body".to_owned(), finished.value);
    }
    Ok(report)
}

#[test]
fn what_programs_do_comes_out_as_the_cases_say() {
    let play = |case: &Case, core: &[Report]| {
        let stage = Stage::new(case);
        let step = |(step, core): (&Moment, &Report)| {
            let mut shown = stage.play(step)?;
            // A call is seen again after it, so only the first are those of this moment.
            let seen: Vec<_> =
                stage.seen.take().into_iter().take(core["seen"].as_array().map_or(0, Vec::len)).collect();
            shown.insert("seen".to_owned(), json!(seen));
            Ok(shown)
        };
        case.steps.iter().zip(core).map(step).collect()
    };
    let shown = through_surface(play).unwrap_or_else(|wrong| panic!("{wrong}"));
    expect![[r#"
        193 shown
        1 not: only `run`: a name that it became
        1 not: only `run`: a native name
        1 not: only `run`: a permission request
        1 not: only `run`: an attempt
        4 not: only `run`: an end that was not the tool's
        2 not: only `run`: another surface
        23 not: only `run`: bytes
        2 not: only `run`: facts of one's own
        1 not: only `run`: labels that no earlier point left
        1 not: only `run`: the end of a call that somebody stands at the beginning of
        2 not: only `run`: the end of a model request
        2 not: the library can wait
    "#]]
    .assert_eq(&shown);
}

#[test]
fn any_event_comes_out_as_the_cases_say() {
    let play = |case: &Case, _: &[Report]| {
        let stage = Stage::new(case);
        let step = |step: &Moment| {
            stage.unknown(step).map_or(Ok(()), Err)?;
            let (session, mut body) = (stage.gate.session(""), step.body.build());
            let started = stage.clock.wall();
            let mut names = tollgate_wire::names();
            case.aliases.iter().for_each(|(alias, name)| names.alias(alias, name));
            let outcome = step.event.with(&names, |event| block_on(session.run(*event, &mut body))).unwrap();
            Ok(report(&outcome, &body, stage.seen.take(), started))
        };
        case.steps.iter().map(step).collect()
    };
    let shown = through_surface(play).unwrap_or_else(|wrong| panic!("{wrong}"));
    expect![[r#"
        232 shown
        2 not: the library can wait
    "#]]
    .assert_eq(&shown);
}
