//! Questions for a human: only a yes, in time, to this very call lets it pass.

mod common;

use std::time::Duration;

use serde_json::{Value, json};
use tollgate::{Approval, Call, Cause, Ended, Gate, Query, Route, Verdict, block_on, grant, refuse};

use common::{Log, Test, blocked, echo, log_after, run};

/// A gate where every call needs a human.
fn asking(detail: &'static str, timeout: Option<Duration>) -> Result<Gate, tollgate::BadRegistration> {
    let gate = Gate::new();
    gate.before_tool("ask").guard(move |_, _| {
        let (title, detail) = ("Really?".to_owned(), detail.to_owned());
        Verdict::Ask(Box::new(Query { title, detail, timeout, data: Value::Null }))
    })?;
    Ok(gate)
}

/// How a human can answer: what it is called, the answer, and what the caller is told if it is a refusal.
type Human = (&'static str, fn(&tollgate::Question) -> Option<Approval>, Option<&'static str>);

const HUMANS: [Human; 6] = [
    ("yes", |question| Some(grant(question, "ann")), None),
    ("no", |question| Some(refuse(question, "ann")), Some("denied by ann")),
    ("silence", |_| None, Some("nobody approved it: Really?")),
    ("a crash", |_| std::panic::resume_unwind(Box::new("no terminal")), Some("nobody approved it: Really?")),
    (
        "too late",
        |question| Some(Approval { at: Duration::MAX, ..grant(question, "ann") }),
        Some("the approval came too late; ask again"),
    ),
    (
        "yes to another call",
        |question| Some(Approval { digest: tollgate::Digest([0; 32]), ..grant(question, "ann") }),
        Some("the approval is for another call"),
    ),
];

#[test]
fn only_a_yes_in_time_to_this_very_call_lets_it_pass() -> Test {
    for (name, answer, refused) in HUMANS {
        let (gate, calls) = (asking("about this", Some(Duration::from_secs(60)))?, Log::new());
        gate.on_ask(move |question| async move { answer(&question) });
        let done = run(&gate, &echo("exec", &calls), json!({"command": "ls"}));
        let expected = refused.map_or(json!({"command": "ls"}), |reason| blocked("exec", reason));
        assert_eq!(done.value, expected, "{name}");
        assert_eq!(calls.take().len(), usize::from(refused.is_none()), "{name}");
    }
    Ok(())
}

#[test]
fn what_comes_after_a_call_knows_who_let_it_happen() -> Test {
    for granted in [true, false] {
        let (gate, after) = (asking("", None)?, Log::new());
        log_after(&gate, &after)?;
        gate.on_ask(move |question| async move {
            Some(if granted { grant(&question, "ann") } else { refuse(&question, "ann") })
        });
        run(&gate, &echo("exec", &Log::new()), json!({}));
        let approvals: Vec<_> = after.take().into_iter().filter_map(|facts| facts.approval).collect();
        let answers: Vec<_> = approvals.iter().map(|approval| (&*approval.by, approval.granted)).collect();
        assert_eq!(answers, [("ann", granted)]);
    }
    Ok(())
}

#[test]
fn without_anybody_to_ask_a_question_is_a_refusal() -> Test {
    let (gate, calls) = (asking("", None)?, Log::new());
    let done = run(&gate, &echo("exec", &calls), json!({}));
    assert_eq!(done.value, blocked("exec", "nobody approved it: Really?"));
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_question_that_stays_open_for_ever_has_no_deadline() -> Test {
    for timeout in [None, Some(Duration::MAX)] {
        let (gate, asked) = (asking("", timeout)?, Log::new());
        let log = asked.clone();
        gate.on_ask(move |question| {
            log.push(question.deadline);
            async move { Some(grant(&question, "ann")) }
        });
        assert!(run(&gate, &echo("exec", &Log::new()), json!({})).is_ok(), "{timeout:?}");
        let open = asked.take().pop().flatten().is_none_or(|deadline| deadline > Duration::from_secs(1 << 40));
        assert!(open, "{timeout:?}");
    }
    Ok(())
}

#[test]
fn an_approval_never_lets_another_call_through() -> Test {
    let nested = |value: Value, levels: usize| (0..levels).fold(value, |inner, _| json!({"a": [0, inner]}));
    let mut pairs = vec![
        (json!({"n": 9_007_199_254_740_992_u64}), json!({"n": 9_007_199_254_740_993_u64})),
        (json!({"n": 1}), json!({"n": "1"})),
        (json!({"n": 1}), json!({"n": true})),
        (json!({"n": null}), json!({})),
        (json!([]), json!({})),
        (json!(["a", "b"]), json!(["b", "a"])),
        (json!(["ab"]), json!(["a", "b"])),
        (json!({"a": "é"}), json!({"a": "e\u{301}"})),
        (json!({"a": 0.1}), json!({"a": 0.100_000_000_000_000_02})),
    ];
    pairs.extend((0..60).map(|levels| (nested(json!("ls"), levels), nested(json!("rm"), levels))));
    for (approved, other) in pairs {
        let (gate, calls, given) = (asking("", None)?, Log::new(), Log::new());
        let log = given.clone();
        gate.on_ask(move |question| {
            log.push(grant(&question, "ann"));
            async move { Some(grant(&question, "ann")) }
        });
        let tool = echo("exec", &calls);
        assert!(run(&gate, &tool, approved.clone()).is_ok(), "{approved}");
        let approval = given.take().pop();
        gate.on_ask(move |_| std::future::ready(approval.clone()));
        let done = run(&gate, &tool, other.clone());
        assert_eq!(done.value, blocked("exec", "the approval is for another call"), "{approved} {other}");
        assert_eq!(calls.take(), [approved]);
    }
    Ok(())
}

#[test]
fn an_approval_is_for_one_tool_at_one_place() -> Test {
    let (gate, digests) = (asking("", None)?, Log::new());
    let log = digests.clone();
    gate.on_ask(move |question| {
        log.push(question.digest);
        async { None }
    });
    let session = gate.session("s");
    let sessions = [session.clone(), session.clone().cwd("a"), session.clone().cwd("b"), session.server("srv")];
    for session in sessions {
        for tool in ["exec", "read"] {
            block_on(session.call(&echo(tool, &Log::new()), Call::new("1", json!({}))));
        }
    }
    let digests = digests.take();
    for (at, digest) in digests.iter().enumerate() {
        assert!(!digests[..at].contains(digest), "{at}");
    }
    assert_eq!(digests.len(), 8);
    Ok(())
}

#[test]
fn a_question_is_about_the_call_as_edits_left_it() -> Test {
    let (gate, digests) = (asking("", None)?, Log::new());
    let log = digests.clone();
    gate.on_ask(move |question| {
        log.push(question.digest);
        async { None }
    });
    let exec = echo("exec", &Log::new());
    run(&gate, &exec, json!({"command": "ls", "limit": 1}));
    gate.before_tool("limit").priority(-1).edit(|_, mut args| args.set("limit", 1))?;
    run(&gate, &exec, json!({"command": "ls"}));
    let digests = digests.take();
    assert_eq!(digests[0], digests[1]);
    Ok(())
}

#[test]
fn several_questions_are_granted_or_refused_as_one() -> Test {
    for (granted, ended) in [(true, Ended::Ok), (false, Ended::Denied)] {
        let (gate, asked, calls) = (asking("", None)?, Log::new(), Log::new());
        gate.before_tool("ask-too").guard(|_, _| Verdict::ask("And this?"))?;
        let log = asked.clone();
        gate.on_ask(move |question| {
            log.push(question.parts.iter().map(|(by, query)| format!("{by}: {}", query.title)).collect::<Vec<_>>());
            async move { Some(if granted { grant(&question, "ann") } else { refuse(&question, "ann") }) }
        });
        assert_eq!(run(&gate, &echo("exec", &calls), json!({})).ended, ended);
        assert_eq!(asked.take(), [["ask: Really?", "ask-too: And this?"]]);
        assert_eq!(calls.take().len(), usize::from(granted));
    }
    Ok(())
}

#[test]
fn a_refusal_saves_the_human_the_question() -> Test {
    let (gate, asked) = (asking("", None)?, Log::new());
    gate.before_tool("no").priority(-1).guard(|_, _| Verdict::deny("no"))?;
    let log = asked.clone();
    gate.on_ask(move |_| {
        log.push(());
        async { None }
    });
    assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).value, blocked("exec", "no"));
    assert!(asked.take().is_empty());
    Ok(())
}

#[test]
fn a_call_may_need_a_human_and_a_sandbox() -> Test {
    for (granted, ended) in [(true, Ended::Routed), (false, Ended::Denied)] {
        let (gate, calls) = (asking("", None)?, Log::new());
        gate.before_tool("box").guard(|_, _| Verdict::route(Route::to("box")))?;
        gate.on_route(|_, _| async { Ok(json!("there")) });
        gate.on_ask(move |question| async move {
            assert_eq!(question.route.as_ref().map(|route| &*route.provider), Some("box"));
            Some(if granted { grant(&question, "ann") } else { refuse(&question, "ann") })
        });
        assert_eq!(run(&gate, &echo("exec", &calls), json!({})).ended, ended);
        assert!(calls.take().is_empty());
    }
    Ok(())
}

#[test]
fn a_prompt_may_need_a_human_too() -> Test {
    let gate = Gate::new();
    gate.prompt_submit("ask").guard(|_, _| Verdict::ask("Send it?"))?;
    let session = gate.session("s");
    assert_eq!(block_on(session.prompt("hi")).map_err(|ruling| ruling.cause), Err(Cause::Expired));
    gate.on_ask(|question| async move { Some(grant(&question, "ann")) });
    assert_eq!(block_on(session.prompt("hi")).as_deref(), Ok("hi"));
    Ok(())
}
