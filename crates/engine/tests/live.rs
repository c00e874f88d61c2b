//! An engine that goes on while the switch, the policy and the day change.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use common::{Folder, START, Surface as Calls};
use expect_test::{Expect, expect};
use serde_json::json;
use tollgate_audit::{Known, Reader, verify};
use tollgate_clock::SystemClock;
use tollgate_config::{Hook, Paths, Trust, kind, load};
use tollgate_core::Clock;
use tollgate_engine::{Halt, Live, Pause, Surface, Switch, open};
use tollgate_testkit::ManualClock;

const SECOND: Duration = Duration::from_secs(1);
/// No packs: what is tested is what is written here.
const BARE: &str = "[packs]\nuse = []\n";
const NO_X: &str = "[packs]\nuse = []\n[tools]\ndeny = ['x']\n";

/// Where everything lies in a folder of a test.
fn paths(folder: &Path) -> Paths {
    let home = folder.join("home");
    let env = |name: &str| (name == "HOME").then(|| home.clone().into());
    Paths { machine: None, ..Paths::find(&folder.join("project"), None, env) }
}

/// A process that goes on, and what it was told.
struct World {
    folder: Folder,
    clock: Arc<ManualClock>,
    told: Arc<Mutex<Vec<String>>>,
    live: Arc<Live>,
}

impl World {
    fn new(policy: &str) -> Self {
        Self::with(policy, |_| ())
    }

    fn with(policy: &str, prepare: impl FnOnce(&Path)) -> Self {
        let (folder, clock) = (Folder::new(), Arc::<ManualClock>::default());
        fs::create_dir_all(folder.path().join("project")).unwrap();
        write(folder.path(), policy);
        prepare(folder.path());
        let told: Arc<Mutex<Vec<String>>> = Arc::default();
        let (root, sink) = (folder.path().to_owned(), Arc::clone(&told));
        let surface = Surface { places: vec!["/run/own.sock".into()], ..Surface::new(clock.clone()) };
        let tell = move |change: &tollgate_engine::Change| sink.lock().unwrap().push(change.to_string());
        let live = Live::open(move || paths(&root), surface, tell).unwrap_or_else(|error| panic!("{error}"));
        Self { folder, clock, told, live }
    }

    fn write(&self, policy: &str) {
        write(self.folder.path(), policy);
    }

    fn switch(&self) -> Switch {
        Switch::at(paths(self.folder.path()).state().unwrap())
    }

    /// What becomes of a call of the tool `x` a second later.
    fn call(&self) -> String {
        self.clock.advance(SECOND);
        Calls::new(self.live.engine().pipeline()).call("x", json!({}))
    }

    /// What was told since, and what is told with every answer.
    fn told(&self) -> String {
        let told = std::mem::take(&mut *self.told.lock().unwrap());
        let lines = told.into_iter().chain(self.live.opened().tells().into_iter().map(|tell| format!("+ {tell}")));
        lines.collect::<Vec<_>>().join("\n").replace(self.folder.path().to_str().unwrap(), "")
    }

    fn check(&self, call: &str, told: Expect) {
        assert_eq!(self.call(), call);
        told.assert_eq(&self.told());
    }
}

fn write(folder: &Path, policy: &str) {
    let file = paths(folder).user.unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    // As editors do: somebody else may read at any moment.
    let new = file.with_extension("new");
    fs::write(&new, policy).unwrap();
    fs::rename(new, file).unwrap();
}

#[test]
fn the_switch_holds_within_a_second() {
    let world = World::new(NO_X);
    let denied = world.call();
    assert!(denied.starts_with("refused: ") && denied.contains("denied tools"), "{denied}");
    world.switch().halt(&Halt { reason: "fire".to_owned(), ..Halt::default() }).unwrap();
    let halted = "refused: all agents are halted: fire; a human runs `tollgate resume`";
    world.check(halted, expect!["all agents are halted: fire; a human runs `tollgate resume`"]);
    assert_eq!(world.live.halted().unwrap().reason, "fire");
    world.switch().resume().unwrap();
    world.check(&denied, expect!["the policy is in force again"]);
    assert_eq!(world.live.halted(), None);
    let pause = Pause::new(world.clock.wall(), Duration::from_secs(600), "a test", "ann").unwrap();
    world.switch().pause(&pause).unwrap();
    world.check(
        "ran {}",
        expect![[r#"
            Tollgate is paused until 22:23 UTC (a test): nothing is stopped
            + Tollgate is paused until 22:23 UTC (a test): nothing is stopped"#]],
    );
    world.clock.advance(Duration::from_secs(600));
    world.check(&denied, expect!["the policy is in force again"]);
    world.switch().pause(&pause).unwrap();
    world.check(&denied, expect![""]);
}

#[test]
fn nobody_looks_more_often_than_twice_a_second() {
    let world = World::new(BARE);
    world.switch().halt(&Halt::default()).unwrap();
    let mut seen = Vec::new();
    for _ in 0..6 {
        world.clock.advance(Duration::from_millis(100));
        seen.push(world.live.halted().is_some());
    }
    assert_eq!(seen, [false, false, false, false, true, true]);
}

#[test]
fn a_policy_with_mistakes_leaves_the_one_before() {
    let world = World::new(BARE);
    world.check("ran {}", expect![""]);
    let begun = Calls::new(world.live.engine().pipeline());
    world.write(NO_X);
    let denied = world.call();
    assert!(denied.starts_with("refused: "), "{denied}");
    expect!["the policy was loaded anew"].assert_eq(&world.told());
    assert_eq!(begun.call("x", json!({})), "ran {}", "a call goes on as it began");
    world.write("[tools]\nallow = 'x'\nallow = 7\n");
    world.check(&denied, expect![[r#"
        the previous policy stays in force: the policy has mistakes: /home/.config/tollgate/tollgate.toml:2:9: `allow` must be a list, and this is a text (and 1 more); `tollgate check` shows them
        + Tollgate keeps the previous policy in force: the policy has mistakes: /home/.config/tollgate/tollgate.toml:2:9: `allow` must be a list, and this is a text (and 1 more); `tollgate check` shows them"#]]);
    // Nobody is told the same twice.
    world.check(&denied, expect!["+ Tollgate keeps the previous policy in force: the policy has mistakes: /home/.config/tollgate/tollgate.toml:2:9: `allow` must be a list, and this is a text (and 1 more); `tollgate check` shows them"]);
    // A halt holds whatever the policy has become, and so does its end.
    world.switch().halt(&Halt::default()).unwrap();
    assert!(world.call().contains("halted"));
    world.told();
    world.switch().resume().unwrap();
    world.check(&denied, expect![[r#"
        the policy is in force again
        + Tollgate keeps the previous policy in force: the policy has mistakes: /home/.config/tollgate/tollgate.toml:2:9: `allow` must be a list, and this is a text (and 1 more); `tollgate check` shows them"#]]);
    world.write(BARE);
    world.check("ran {}", expect!["the policy was loaded anew"]);
}

#[test]
fn a_mended_policy_holds_even_if_it_is_the_old_one() {
    let world = World::new(NO_X);
    let denied = world.call();
    world.write("[");
    assert_eq!(world.call(), denied);
    assert!(world.live.opened().problem.is_some());
    world.told();
    world.write(NO_X);
    world.check(&denied, expect!["the policy was loaded anew"]);
}

#[test]
fn a_project_that_gets_a_policy_has_it() {
    let world = World::new(BARE);
    world.check("ran {}", expect![""]);
    fs::write(world.folder.path().join("project/tollgate.toml"), "[tools]\ndeny = ['x']\n").unwrap();
    assert!(world.call().starts_with("refused: "));
    expect!["the policy was loaded anew"].assert_eq(&world.told());
}

#[test]
fn an_exception_ends_at_midnight() {
    let rule = "[[rule]]\nid = 'no'\ntool = 'x'\ndeny = 'no'\n";
    let exception = "[[exception]]\nrule = 'no'\ntool = 'x'\nuntil = 2023-11-14\nreason = 'today'\n";
    let policy = format!("{BARE}{rule}{exception}");
    let world = World::new(&policy);
    assert_eq!(START.as_secs() % 86_400, 80_000, "it is the evening of the 14th");
    world.check("ran {}", expect![""]);
    world.clock.advance(Duration::from_secs(86_400 - 80_000 - 3));
    world.check("ran {}", expect![""]);
    world.check("refused: no: no", expect!["the policy was loaded anew"]);
    // The next day changes nothing, so there is nothing to tell.
    world.clock.advance(Duration::from_secs(86_400));
    world.check("refused: no: no", expect![""]);
    // Also while what is written cannot be in force.
    let world = World::new(&policy);
    world.write("[");
    assert_eq!(world.call(), "ran {}");
    world.clock.advance(Duration::from_secs(86_400 - 80_000));
    assert_eq!(world.call(), "refused: no: no");
    assert!(world.live.opened().problem.is_some());
}

#[test]
fn the_record_goes_on_over_changes() {
    let world = World::new(NO_X);
    let log = || world.live.opened().recorder.clone().unwrap();
    let first = log();
    world.call();
    world.write(BARE);
    assert_eq!(world.call(), "ran {}");
    world.switch().halt(&Halt::default()).unwrap();
    world.call();
    assert!(std::ptr::eq(first.log(), log().log()), "one log, whatever the policy is");
    world.switch().resume().unwrap();
    world.write(&format!("{BARE}[audit]\nkeep = 'nothing'\n"));
    world.call();
    assert!(!std::ptr::eq(first.log(), log().log()), "what is recorded changed");
    world.write(&format!("{BARE}[audit]\nenabled = false\n"));
    world.call();
    assert!(world.live.opened().recorder.is_none());
    let dir = paths(world.folder.path()).state().unwrap().join("audit");
    assert_eq!(verify(&dir, &Known::default(), &mut |_| {}).unwrap().flaw, None);
    let entries = Reader::new(&dir).entries_from(2).unwrap().map(|entry| entry.unwrap());
    let shown: Vec<String> = entries
        .map(|entry| {
            format!("{} {} {:?}", entry.record.seq, entry.record.act.unwrap(), entry.fields.value("arguments"))
        })
        .collect();
    expect![[r#"
        2 deny Some(Object {})
        3 pass None
        4 pass Some(Object {})
        5 pass None
        6 deny Some(Object {})
        7 pass None
        8 pass None
        9 pass None"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn a_record_that_could_not_be_opened_is_tried_again() {
    let block = |folder: &Path| {
        let state = paths(folder).state.unwrap();
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("audit"), "in the way").unwrap();
    };
    let world = World::with(&format!("{BARE}[audit]\non_fault = 'pass'\n"), block);
    assert_eq!(world.call(), "ran {}");
    assert!(world.told().starts_with("+ Tollgate records nothing: "));
    fs::remove_file(paths(world.folder.path()).state.unwrap().join("audit")).unwrap();
    world.check("ran {}", expect![""]);
    assert!(world.live.opened().recorder.is_some());
}

#[test]
fn counters_go_on_over_changes() {
    let limited = format!("{BARE}[[limit]]\nid = 'few'\ntool = 'x'\nmax = 2\n");
    let world = World::new(&limited);
    assert_eq!(world.call(), "ran {}");
    world.write(&format!("# another\n{limited}"));
    assert_eq!(world.call(), "ran {}");
    assert!(world.call().starts_with("refused: "));
}

#[test]
fn hooks_are_followed() {
    let script = |folder: &Path, text: &str| {
        let path = folder.join("project/guard.sh");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let trust = |folder: &Path| {
        let paths = paths(folder);
        let (plan, path) = (load(&paths).unwrap(), paths.project.clone().unwrap());
        let file = plan.files.iter().find(|file| file.path == path).unwrap();
        let manifest = Hook::manifest(file, &plan.hooks);
        Trust::at(paths.data().unwrap()).trust(kind::HOOKS, &path, manifest.as_bytes()).unwrap();
    };
    let (yes, no) = ("#!/bin/sh\n", "#!/bin/sh\nexit 2\n");
    let world = World::with(BARE, |folder| {
        script(folder, yes);
        fs::write(folder.join("project/tollgate.toml"), "[[hook]]\nid = 'guard'\ncommand = './guard.sh'\n").unwrap();
    });
    let folder = world.folder.path();
    let call = || {
        world.clock.advance(SECOND);
        let pipeline = world.live.engine().pipeline();
        let due = pipeline.order(tollgate_core::Point::ToolBefore, Some("x"));
        due.iter()
            .filter(|one| ["guard", "hooks"].contains(&&*one.id))
            .map(|one| one.id.to_string())
            .collect::<String>()
    };
    assert_eq!(call(), "hooks", "nobody trusts them");
    trust(folder);
    assert_eq!(call(), "guard");
    script(folder, no);
    assert_eq!(call(), "hooks", "a script that changed");
    trust(folder);
    assert_eq!(call(), "guard", "trusted as it is now");
    Trust::at(paths(folder).data().unwrap()).revoke(kind::HOOKS, &paths(folder).project.unwrap()).unwrap();
    assert_eq!(call(), "hooks", "trust that was taken back");
    fs::remove_file(folder.join("project/guard.sh")).unwrap();
    assert_eq!(call(), "hooks");
    assert!(world.live.opened().problem.as_ref().unwrap().contains("there is no file"));
    script(folder, no);
    trust(folder);
    assert_eq!(call(), "guard");
    assert_eq!(world.live.opened().problem, None);
}

#[test]
fn nothing_is_in_the_way_of_a_halt() {
    let world = World::new(&format!("{BARE}[[hook]]\nid = 'halt'\ncommand = 'true'\n"));
    world.switch().halt(&Halt::default()).unwrap();
    assert!(world.call().starts_with("refused: all agents are halted"));
}

#[test]
fn no_program_is_asked_about_a_call_that_is_halted() {
    let hook = format!("[[hook]]\nid = 'first'\ncommand = 'sleep 60'\npriority = {}\n", i32::MAX);
    let world = World::new(&format!("{BARE}{hook}"));
    // Nobody waits for programs here, so one that is asked is one that breaks.
    assert!(world.call().starts_with("refused: `first` could not judge this"));
    world.switch().halt(&Halt::default()).unwrap();
    assert!(world.call().starts_with("refused: all agents are halted"));
}

#[test]
fn what_is_protected_is_followed() {
    let world = World::new(BARE);
    let shell = |command: &str| {
        world.clock.advance(SECOND);
        Calls::new(world.live.engine().pipeline()).call("bash", json!({ "command": command }))
    };
    assert!(shell("rm /run/own.sock").contains("a human can do that"));
    assert!(shell("rm /srv/settings.json").starts_with("ran"));
    let data = paths(world.folder.path()).data.unwrap();
    let manifest = json!({"files": [{"path": "/srv/settings.json", "agent": "claude-code"}]});
    tollgate_engine::ours::write(&data.join("installed.json"), &manifest.to_string()).unwrap();
    assert!(shell("rm /srv/settings.json").contains("a human can do that"));
}

#[test]
fn what_a_listener_breaks_is_its_own() {
    let (folder, clock) = (Folder::new(), Arc::<ManualClock>::default());
    fs::create_dir_all(folder.path().join("project")).unwrap();
    write(folder.path(), BARE);
    let (root, broken) = (folder.path().to_owned(), Arc::new(Mutex::new(false)));
    let breaks = Arc::clone(&broken);
    let find = move || if *breaks.lock().unwrap() { panic!("lost") } else { paths(&root) };
    let live = Live::open(find, Surface::new(clock.clone()), |_| panic!("as told")).unwrap();
    write(folder.path(), NO_X);
    let call = || {
        clock.advance(SECOND);
        Calls::new(live.engine().pipeline()).call("x", json!({}))
    };
    assert!(call().starts_with("refused: "));
    *broken.lock().unwrap() = true;
    assert!(call().starts_with("refused: "));
    assert_eq!(live.opened().problem.as_deref(), Some("panic: lost"));
}

struct Count(Mutex<u32>);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        *self.0.lock().unwrap() += 1;
    }
}

#[test]
fn who_waits_for_a_halt_is_woken_by_it() {
    let world = World::new(BARE);
    let count = Arc::new(Count(Mutex::new(0)));
    let waker = Waker::from(Arc::clone(&count));
    let mut context = Context::from_waker(&waker);
    let mut halting = pin!(world.live.halting());
    // One that nobody waits for any more is not woken.
    assert!(Future::poll(pin!(world.live.halting()), &mut context).is_pending());
    assert!(halting.as_mut().poll(&mut context).is_pending());
    world.write(NO_X);
    world.call();
    assert_eq!(*count.0.lock().unwrap(), 0, "another policy is no halt");
    world.switch().halt(&Halt { reason: "fire".to_owned(), ..Halt::default() }).unwrap();
    world.call();
    assert_eq!(*count.0.lock().unwrap(), 1);
    assert!(matches!(halting.as_mut().poll(&mut context), Poll::Ready(halt) if halt.reason == "fire"));
}

#[test]
fn why_nothing_can_be_opened() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path().join("project")).unwrap();
    let surface = Surface::new(Arc::new(ManualClock::default()));
    let why = |paths: &Paths| {
        let error = open(paths, &surface).err().unwrap().to_string();
        error.replace(folder.path().to_str().unwrap(), "")
    };
    expect!["there is no place for state; set `TOLLGATE_HOME` to a folder outside of the project, with its full path"]
        .assert_eq(&why(&Paths { state: None, ..paths(folder.path()) }));
    write(folder.path(), "[tools]\ndney = []\n");
    expect!["the policy has mistakes: /home/.config/tollgate/tollgate.toml:2:1: `tools` has no key `dney`; `tollgate check` shows them"].assert_eq(&why(&paths(folder.path())));
    write(folder.path(), BARE);
    let state = paths(folder.path()).state.unwrap();
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("audit"), "in the way").unwrap();
    expect!["the record: cannot make `/home/.local/state/tollgate/audit`: File exists (os error 17)"]
        .assert_eq(&why(&paths(folder.path())));
}

/// A process that goes on: it prints what becomes of a call whenever that changes. Without a folder it is a test that has
/// nothing to do.
#[test]
fn program() {
    let Ok(folder) = std::env::var("TOLLGATE_TEST_DIR") else { return };
    let root = PathBuf::from(folder);
    let tell = |change: &tollgate_engine::Change| println!("told: {change}");
    let live = Live::open(move || paths(&root), Surface::new(Arc::new(SystemClock::default())), tell).unwrap();
    let _watching = live.watch().unwrap();
    let waiting = Arc::clone(&live);
    std::thread::spawn(move || {
        loop {
            let halt = tollgate_clock::block_on(waiting.halting());
            println!("cut: {}", halt.reason);
            while waiting.halted().is_some() {
                std::thread::yield_now();
            }
        }
    });
    let mut before = String::new();
    // Whoever started it ends it, unless what is waited for never comes.
    for _ in 0..6_000 {
        let now = Calls::new(live.engine().pipeline()).call("x", json!({}));
        if now != before {
            println!("call: {now}");
        }
        before = now;
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The program above as a process of its own.
struct Program {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Program {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "program", "--nocapture", "--test-threads=1"]).env("TOLLGATE_TEST_DIR", folder);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Reads on until a line begins like this.
    fn until(&mut self, start: &str) {
        let mut read = Vec::new();
        for line in self.lines.by_ref() {
            read.push(line.unwrap());
            if read.last().unwrap().contains(start) {
                return;
            }
        }
        panic!("no line with `{start}` in {read:#?}");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_running_process_follows() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path().join("project")).unwrap();
    write(folder.path(), BARE);
    let mut program = Program::start(folder.path());
    let switch = Switch::at(paths(folder.path()).state().unwrap());
    program.until("call: ran {}");
    switch.halt(&Halt { reason: "fire".to_owned(), ..Halt::default() }).unwrap();
    program.until("call: refused: all agents are halted: fire");
    switch.resume().unwrap();
    program.until("call: ran {}");
    write(folder.path(), NO_X);
    program.until("call: refused: ");
    let now = SystemClock::default().wall();
    switch.pause(&Pause::new(now, Duration::from_secs(600), "a test", "ann").unwrap()).unwrap();
    program.until("call: ran {}");
    switch.resume().unwrap();
    program.until("call: refused: ");
    write(folder.path(), "[");
    program.until("told: the previous policy stays in force: the policy has mistakes: ");
    switch.halt(&Halt { reason: "smoke".to_owned(), ..Halt::default() }).unwrap();
    program.until("cut: smoke");
    switch.resume().unwrap();
    write(folder.path(), BARE);
    program.until("call: ran {}");
}
