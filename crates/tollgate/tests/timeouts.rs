//! Handlers that hang: they are dropped at their limit, and that is no consent.

mod common;

use std::future::{Future, pending};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate::{
    Abort, Call, Cause, Clock, Ended, FaultKind, Gate, OnFault, Plugin, PluginApi, PluginOptions, Point, SystemClock,
    Tool, Verdict, block_on,
};

use common::{Log, Test, blocked, echo, run, yield_once};

const SHORT: Duration = Duration::from_millis(20);

/// Tells when it is let go.
struct Dropped(Log<&'static str>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.push("dropped");
    }
}

#[test]
fn a_guard_that_hangs_is_dropped_at_its_limit_and_refuses() -> Test {
    let (gate, calls, log) = (Gate::new(), Log::new(), Log::new());
    let inside = log.clone();
    gate.before_tool("hangs").limit(SHORT).guard_async(move |_, _| {
        let held = Dropped(inside.clone());
        async move {
            pending::<()>().await;
            drop(held);
        }
    })?;
    let started = Instant::now();
    let done = run(&gate, &echo("exec", &calls), json!({}));
    assert!(started.elapsed() >= SHORT);
    let reason = "`hangs` could not judge this (timeout: no answer within 20ms), so it is refused; \
                  to mend it: fix or remove it, then try again";
    assert_eq!((done.value, done.ended), (blocked("exec", reason), Ended::Denied));
    assert_eq!(log.take(), ["dropped"], "it does not go on in secret");
    assert!(calls.take().is_empty());
    Ok(())
}

#[test]
fn a_guard_that_is_always_busy_is_dropped_too() -> Test {
    let gate = Gate::new();
    gate.before_tool("busy").limit(SHORT).guard_async(|_, _| async {
        loop {
            yield_once().await;
        }
        #[expect(unreachable_code, reason = "says what the handler returns")]
        ()
    })?;
    assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).ended, Ended::Denied);
    Ok(())
}

#[test]
fn an_edit_that_hangs_leaves_the_call_as_it_was() -> Test {
    for (on_fault, expected) in [(OnFault::Deny, None), (OnFault::Pass, Some(json!({"a": 1})))] {
        let (gate, calls) = (Gate::new(), Log::new());
        gate.before_tool("hangs").limit(SHORT).on_fault(on_fault).edit_async(|_, mut args| async move {
            args["half"] = "done".into();
            pending::<()>().await;
            args
        })?;
        run(&gate, &echo("exec", &calls), json!({"a": 1}));
        assert_eq!(calls.take().pop(), expected, "{on_fault:?}");
    }
    Ok(())
}

#[test]
fn a_result_whose_judge_hangs_is_withheld() -> Test {
    let gate = Gate::new();
    gate.after_tool("hangs").limit(SHORT).edit_async(|_, _| pending::<()>())?;
    let done = run(&gate, &echo("read", &Log::new()), json!("secret"));
    assert_eq!(done.ended, Ended::Denied);
    assert!(!done.value.to_string().contains("secret"));
    Ok(())
}

#[test]
fn those_behind_one_that_hangs_and_may_fail_still_run() -> Test {
    let (gate, ran) = (Gate::new(), Log::new());
    gate.before_tool("hangs").limit(SHORT).on_fault(OnFault::Pass).guard_async(|_, _| pending::<()>())?;
    let log = ran.clone();
    gate.before_tool("next").guard(move |_, _| log.push("next"))?;
    assert!(run(&gate, &echo("exec", &Log::new()), json!({})).is_ok());
    assert_eq!(ran.take(), ["next"]);
    Ok(())
}

#[test]
fn a_prompt_and_a_stored_message_are_held_to_the_limit_too() -> Test {
    let gate = Gate::new();
    gate.prompt_submit("hangs").limit(SHORT).guard_async(|_, _| pending::<()>())?;
    gate.message_write("hangs-too").limit(SHORT).guard_async(|_, _| pending::<()>())?;
    let session = gate.session("s");
    let refused = block_on(session.prompt("hi")).map_err(|ruling| ruling.cause);
    assert_eq!(refused, Err(Cause::Fault(FaultKind::Timeout)));
    assert_eq!(block_on(session.write_message(json!("m")))["withheld"]["by"], "hangs-too");
    Ok(())
}

#[test]
fn many_may_hang_at_once() -> Test {
    let gate = Gate::new();
    gate.before_tool("hangs").limit(SHORT).guard_async(|_, _| pending::<()>())?;
    let tool = echo("exec", &Log::new());
    thread::scope(|scope| {
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| run(&gate, &tool, json!({})).ended)).collect();
        assert!(calls.into_iter().all(|call| matches!(call.join(), Ok(Ended::Denied))));
    });
    Ok(())
}

#[test]
fn the_machines_clock_wakes_under_block_on() {
    let clock = SystemClock::default();
    let (moment, wall) = (clock.now() + SHORT, clock.wall());
    let mut alarm = None;
    block_on(std::future::poll_fn(|context| {
        if clock.now() >= moment {
            return std::task::Poll::Ready(());
        }
        assert!(alarm.replace(clock.wake_at(moment, context.waker())).is_none(), "woken too early");
        std::task::Poll::Pending
    }));
    assert!(clock.wall() > wall && wall > Duration::from_secs(1_700_000_000));
}

#[test]
fn no_alarm_outlives_the_handler_it_was_for() -> Test {
    let clock = SystemClock::default();
    let gate = Gate::with_clock(Arc::new(clock.clone()));
    let (most, inside) = (Arc::new(AtomicU64::new(0)), clock.clone());
    let seen = Arc::clone(&most);
    gate.before_tool("answers").guard_async(move |_, _| {
        let (seen, clock) = (Arc::clone(&seen), inside.clone());
        async move {
            yield_once().await;
            seen.fetch_max(clock.alarms() as u64, Ordering::SeqCst);
        }
    })?;
    let tool = echo("exec", &Log::new());
    assert!((0..100).all(|_| run(&gate, &tool, json!({})).is_ok()));
    assert_eq!((most.load(Ordering::SeqCst), clock.alarms()), (1, 0), "while one answers, and when all have");
    // Nor one whose call is dropped while it still waits.
    gate.before_tool("hangs").guard_async(|_, _| pending::<()>())?;
    let session = gate.session("s1");
    let mut call = Box::pin(session.call(&tool, Call::new("c1", json!({}))));
    let mut context = Context::from_waker(Waker::noop());
    assert!((0..3).all(|_| call.as_mut().poll(&mut context).is_pending()));
    assert_eq!(clock.alarms(), 1);
    drop(call);
    assert_eq!(clock.alarms(), 0);
    Ok(())
}

#[test]
fn a_wake_during_a_nested_block_on_is_not_lost() -> Test {
    let (done, finished) = mpsc::channel();
    // Should this ever wait for ever, the test must not wait with it.
    thread::spawn(move || {
        let abort = Abort::default();
        let inside = abort.clone();
        let ended = block_on(abort.unless(std::future::poll_fn(|_| {
            inside.abort();
            block_on(yield_once());
            std::task::Poll::<()>::Pending
        })));
        done.send(ended)
    });
    assert_eq!(finished.recv_timeout(Duration::from_secs(5))?, None);
    Ok(())
}

#[test]
fn an_async_watcher_is_awaited_and_cut_off_at_its_limit() -> Test {
    let (gate, seen, calls) = (Gate::new(), Log::new(), Log::new());
    gate.before_tool("hangs").priority(1).limit(SHORT).watch_async(|_, _, _| pending::<()>())?;
    let log = seen.clone();
    gate.before_tool("record").watch_async(move |facts, args, act| {
        let log = log.clone();
        async move {
            yield_once().await;
            log.push((facts.tool, args, matches!(act, tollgate::Act::Pass)));
        }
    })?;
    assert!(run(&gate, &echo("Bash", &calls), json!({"a": 1})).is_ok());
    assert_eq!(seen.take(), [("exec".to_owned(), json!({"a": 1}), true)]);
    Ok(())
}

/// A clock that jumps to whatever moment somebody waits for.
#[derive(Default)]
struct Jumps(AtomicU64);

impl Clock for Jumps {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst))
    }

    fn wall(&self) -> Duration {
        self.now()
    }

    fn wake_at(&self, moment: Duration, waker: &Waker) -> Box<dyn Send> {
        self.0.fetch_max(u64::try_from(moment.as_millis()).unwrap_or(u64::MAX), Ordering::SeqCst);
        waker.wake_by_ref();
        Box::new(())
    }
}

/// A gate that nobody has to wait at, and its clock.
fn jumping() -> (Gate, Arc<Jumps>) {
    let clock = Arc::new(Jumps::default());
    (Gate::with_clock(Arc::clone(&clock) as Arc<dyn Clock>), clock)
}

#[test]
fn unless_said_otherwise_the_limit_is_fifteen_seconds() -> Test {
    let (gate, clock) = jumping();
    gate.before_tool("hangs").guard_async(|_, _| pending::<()>())?;
    let done = run(&gate, &echo("exec", &Log::new()), json!({}));
    assert!(done.reason.is_some_and(|reason| reason.contains("timeout: no answer within 15s")));
    assert_eq!(clock.now(), Duration::from_secs(15));
    Ok(())
}

#[test]
fn a_handler_has_as_long_as_its_limit_says_and_for_ever_if_that_is_lifted() -> Test {
    let second = Duration::from_secs(1);
    for (limit, in_time) in
        [(Some(second * 19), false), (Some(second * 21), true), (Some(Duration::MAX), true), (None, true)]
    {
        let (gate, clock) = jumping();
        gate.before_tool("slow").limit(limit).guard_async(move |_, _| {
            let clock = Arc::clone(&clock);
            async move {
                clock.0.fetch_add(20_000, Ordering::SeqCst);
                yield_once().await;
            }
        })?;
        assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).is_ok(), in_time, "20 s of {limit:?}");
    }
    Ok(())
}

/// A plugin whose every hook hangs.
struct Hangs;

impl Plugin for Hangs {
    fn id(&self) -> &str {
        "hangs"
    }

    fn name(&self) -> &str {
        "Hangs"
    }

    fn activate(&self, api: &PluginApi) -> Result<(), tollgate::BadRegistration> {
        for hook in ["before_tool_call", "after_tool_call", "before_message_write", "llm_input"] {
            api.on(hook, |_, _| pending::<Value>(), 0)?;
        }
        Ok(())
    }
}

#[test]
fn a_plugin_that_hangs_refuses_where_it_decides_and_is_skipped_where_it_watches() -> Test {
    let (gate, _clock) = jumping();
    gate.activate(&Hangs, PluginOptions::default())?;
    let (session, calls) = (gate.session("s"), Log::new());
    assert_eq!(run(&gate, &echo("exec", &calls), json!({})).ended, Ended::Denied);
    assert!(calls.take().is_empty());
    assert_eq!(block_on(session.write_message(json!("m")))["withheld"]["by"], "hangs:before_message_write:3");
    assert!(block_on(session.admit(Point::ModelRequest, json!({}).into())).is_ok());
    Ok(())
}

#[test]
fn a_handler_that_blocks_its_thread_cannot_be_stopped_but_is_reported() -> Test {
    let (gate, clock) = jumping();
    gate.before_tool("blocks").limit(SHORT).guard(move |_, _| {
        clock.0.fetch_add(60_000, Ordering::SeqCst);
        Verdict::deny("its verdict still counts")
    })?;
    let overran = Log::new();
    let log = overran.clone();
    gate.before_tool("trace").watch(move |_, _, outcome| {
        outcome.trace.entries().for_each(|(who, turn)| log.push((who.id.to_string(), turn.overran)));
    })?;
    let done = run(&gate, &echo("exec", &Log::new()), json!({}));
    assert_eq!(done.value, blocked("exec", "its verdict still counts"));
    assert_eq!(overran.take(), [("blocks".to_owned(), true)]);
    Ok(())
}

#[test]
fn a_question_expires_by_the_clock_of_the_gate() -> Test {
    for (answered_after, runs) in [(5, true), (61, false)] {
        let (gate, clock) = jumping();
        gate.before_tool("ask").guard(|_, _| {
            let (title, timeout) = ("Really?".to_owned(), Some(Duration::from_secs(60)));
            Verdict::Ask(Box::new(tollgate::Query { title, timeout, ..Default::default() }))
        })?;
        gate.on_ask(move |question| {
            clock.0.fetch_add(answered_after * 1000, Ordering::SeqCst);
            let at = clock.wall();
            async move { Some(tollgate::Approval { digest: question.digest, granted: true, by: "ann".into(), at }) }
        });
        assert_eq!(run(&gate, &echo("exec", &Log::new()), json!({})).is_ok(), runs, "{answered_after}");
    }
    Ok(())
}

#[test]
fn nobody_waits_for_a_human_longer_than_the_question_is_open() -> Test {
    let gate = Gate::new();
    gate.before_tool("ask").guard(|_, _| {
        let (title, timeout) = ("Really?".to_owned(), Some(SHORT));
        Verdict::Ask(Box::new(tollgate::Query { title, timeout, ..Default::default() }))
    })?;
    gate.on_ask(|_| pending());
    // Should this ever wait for ever, the test must not wait with it.
    let (done, finished) = mpsc::channel();
    thread::spawn(move || done.send(run(&gate, &echo("exec", &Log::new()), json!({})).ended));
    assert_eq!(finished.recv_timeout(Duration::from_secs(5))?, Ended::Denied);
    Ok(())
}

#[test]
fn a_signal_forgets_calls_that_are_over() {
    let (abort, session) = (Abort::default(), Gate::new().session("s"));
    let tool = Tool::new("exec", |_| async { Ok(json!("done")) });
    let waker = Arc::new(Quiet);
    let watched = Arc::downgrade(&waker);
    for _ in 0..3 {
        let call = Call::new("1", json!({})).abort(&abort);
        let mut run = pin!(session.call(&tool, call));
        let waker = Waker::from(Arc::clone(&waker));
        assert!(run.as_mut().poll(&mut Context::from_waker(&waker)).is_ready());
    }
    drop(waker);
    assert_eq!(watched.strong_count(), 0, "the signal still holds a waker of a call that is over");
}

struct Quiet;

impl Wake for Quiet {
    fn wake(self: Arc<Self>) {}
}
