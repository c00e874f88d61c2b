//! Judging on threads of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::io::{BufRead, BufReader, Lines, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use common::Folder;
use expect_test::expect;
use serde_json::json;
use tollgate_clock::{SystemClock, block_on};
use tollgate_config::{File, Layer, combine};
use tollgate_core::{Act, Body, Event, Outcome, Pipeline, Point};
use tollgate_engine::judge::{Pool, refusal};
use tollgate_engine::state::{Files, Ledger, Space, State};
use tollgate_engine::{Engine, Parts};
use tollgate_rules::Still;
use tollgate_rules::form::Date;

/// Many calls of `x` share a counter in a file with everybody; those of `y` are only refused.
const POLICY: &str = "
[packs]
use = []
[tools]
deny = ['y']
[[limit]]
id = 'few'
tool = 'x'
max = 100
per = 'all'
";

fn pipeline(state: &Path) -> Pipeline {
    let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), POLICY.into()).unwrap();
    let plan = combine(vec![file], false, Date::of_seconds(0)).unwrap_or_else(|wrong| panic!("{wrong}"));
    let parts = Parts {
        state: Arc::new(Files::new(state).patience(Duration::from_secs(3600))),
        clock: Arc::new(SystemClock::default()),
        ambient: Arc::new(Still::default()),
        report: None,
        more: Vec::new(),
    };
    Engine::new(plan, parts).unwrap_or_else(|wrong| panic!("{wrong}")).pipeline()
}

/// The work of a call: it owns all that it needs.
fn call(tool: &'static str) -> impl FnOnce(&Pipeline) -> Outcome + Send + 'static {
    move |pipeline| {
        let (name, mut body) = (pipeline.name(tool), Body::from(json!({})));
        let event = Event { session: Some("s"), ..Event::tool(Point::ToolBefore, &name, "call") };
        block_on(pipeline.run(&event, &mut body))
    }
}

/// Work that says that it has begun and waits to be told to go on.
fn held() -> (impl FnOnce() + Send + 'static, Receiver<()>, Sender<()>) {
    let ((begins, begun), (go, wait)) = (channel(), channel());
    let work = move || {
        begins.send(()).unwrap();
        let _: Result<(), _> = wait.recv();
    };
    (work, begun, go)
}

const HOLD: &str = "TOLLGATE_TEST_HOLD";

/// Another process that holds the lock of everybody's counters until it is told to end.
struct Holder(Child, Lines<BufReader<ChildStdout>>);

impl Holder {
    fn start(state: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "holds_a_lock_for_another_test", "--nocapture"]).env(HOLD, state);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.by_ref().map_while(Result::ok).any(|line| line.ends_with(HOLD)), "it holds nothing");
        Self(child, lines)
    }

    fn end(&mut self) {
        drop(self.0.stdin.take());
        assert!(self.1.by_ref().count() > 0);
        assert!(self.0.wait().unwrap().success());
    }
}

/// What [`Holder`] runs.
#[test]
fn holds_a_lock_for_another_test() {
    let Some(path) = std::env::var_os(HOLD) else { return };
    let state: &dyn State = &Files::new(path);
    let mut hold = |_: &mut [Ledger]| {
        println!("{HOLD}");
        std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
        Ok(())
    };
    state.lend(&[Space::All], &mut hold).unwrap();
}

#[test]
fn a_lock_stalls_only_those_who_need_it() {
    let folder = Folder::new();
    let (pipeline, pool) = (pipeline(folder.path()), Pool::new(2, 10).unwrap());
    let mut holder = Holder::start(folder.path());
    let order: Arc<Mutex<Vec<&str>>> = Arc::default();
    let judge = |tool: &'static str| {
        let (order, work) = (Arc::clone(&order), call(tool));
        pool.judge(&pipeline, Point::ToolBefore, Some(tool), move |pipeline| {
            let outcome = work(pipeline);
            order.lock().unwrap().push(tool);
            outcome
        })
    };
    let stalled = judge("x");
    for _ in 0..40 {
        assert!(matches!(block_on(judge("y")).unwrap().act, Act::Deny(_)));
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(*order.lock().unwrap(), ["y"; 40]);
    holder.end();
    assert!(matches!(block_on(stalled).unwrap().act, Act::Pass));
    assert_eq!(order.lock().unwrap().last(), Some(&"x"));
}

#[test]
fn too_many_are_refused() {
    let pool = Pool::new(1, 2).unwrap();
    let (work, begun, go) = held();
    let first = pool.run(work);
    begun.recv().unwrap();
    let (second, third) = (pool.run(|| 2), pool.run(|| 3));
    let fault = block_on(pool.run(|| 4)).unwrap_err();
    let Act::Deny(ruling) = refusal(&fault).act else { panic!("{fault}") };
    expect!["this could not be judged (flood: 2 calls wait to be judged already; try again later), so it is refused"]
        .assert_eq(&ruling.reason);
    go.send(()).unwrap();
    block_on(first).unwrap();
    assert_eq!((block_on(second), block_on(third)), (Ok(2), Ok(3)));
    assert_eq!(block_on(pool.run(|| 5)), Ok(5));
}

#[test]
fn a_panic_is_a_refusal_and_no_end_of_the_pool() {
    let (folder, pool) = (Folder::new(), Pool::new(1, 10).unwrap());
    let pipeline = pipeline(folder.path());
    // On a thread, and at once where nobody is registered.
    for point in [Point::ToolBefore, Point::PromptSubmit] {
        let tool = (point == Point::ToolBefore).then_some("y");
        let work = |_: &Pipeline| -> Outcome { panic!("as told") };
        let fault = block_on(pool.judge(&pipeline, point, tool, work)).unwrap_err();
        let Act::Deny(ruling) = refusal(&fault).act else { panic!("{fault}") };
        expect!["this could not be judged (panic: as told), so it is refused"].assert_eq(&ruling.reason);
    }
    assert_eq!(block_on(pool.run(|| 1)), Ok(1));
}

#[test]
fn who_has_gone_is_judged_all_the_same() {
    let pool = Pool::new(1, 10).unwrap();
    let (work, begun, go) = held();
    let done: Arc<Mutex<Vec<&str>>> = Arc::default();
    let note = |what: &'static str| {
        let done = Arc::clone(&done);
        move || done.lock().unwrap().push(what)
    };
    let (first, second) = (note("began"), note("waited"));
    let running = pool.run(move || {
        work();
        first();
    });
    begun.recv().unwrap();
    drop(running);
    drop(pool.run(second));
    go.send(()).unwrap();
    pool.finish();
    assert_eq!(*done.lock().unwrap(), ["began", "waited"]);
}

#[test]
fn what_nobody_judges_does_not_wait() {
    let (folder, pool) = (Folder::new(), Pool::new(1, 10).unwrap());
    let pipeline = pipeline(folder.path());
    let (work, begun, go) = held();
    let busy = pool.run(work);
    begun.recv().unwrap();
    let here = thread::current().id();
    let who = |_: &Pipeline| thread::current().id();
    assert_eq!(block_on(pool.judge(&pipeline, Point::PromptSubmit, None, who)), Ok(here));
    let elsewhere = pool.judge(&pipeline, Point::ToolBefore, Some("y"), who);
    go.send(()).unwrap();
    block_on(busy).unwrap();
    assert_ne!(block_on(elsewhere), Ok(here));
}

/// Says when it is dropped.
struct Gone(Sender<()>);

impl Drop for Gone {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

thread_local! {
    /// Goes with the thread.
    static THREAD: std::cell::RefCell<Option<Gone>> = const { std::cell::RefCell::new(None) };
}

#[test]
fn a_pool_that_is_dropped_leaves_no_thread_behind() {
    let pool = Pool::new(1, 10).unwrap();
    let (gone, went) = channel();
    block_on(pool.run(move || THREAD.set(Some(Gone(gone))))).unwrap();
    assert!(went.try_recv().is_err());
    drop(pool);
    assert_eq!(went.recv_timeout(Duration::from_secs(20)), Ok(()));
}
