//! What a call does is worked out once for each unchanged body, however many look.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tollgate_config::{File, Layer, combine};
use tollgate_core::{Act, Body, Edit, Ended, Event, Pipeline, Point, Registration, Step, Verdict};
use tollgate_engine::checks::{Places, Protect};
use tollgate_engine::state::Memory;
use tollgate_engine::{Engine, Parts};
use tollgate_rules::form::Date;
use tollgate_rules::{Ambient, CallFacts, Still};
use tollgate_testkit::ManualClock;

/// A folder that nobody but the command of a test names. To understand the command, somebody has to ask where it lies.
const TARGET: &str = "/home/user/project/target-of-the-test";

/// Everything that looks at what a call does.
const POLICY: &str = "
[packs]
use = ['shell-safety', 'git-safety', 'sensitive-paths', 'secrets', 'egress', 'infra', 'database']
[[rule]]
id = 'asks'
effect = 'write'
path = 'elsewhere/**'
ask = 'really?'
[[rule]]
id = 'notes'
effect = 'delete'
log = 'something is deleted'
[[rule]]
id = 'says'
when = 'effects.exists(e, e.kind == \"disk\")'
deny = 'no'
[[rule]]
id = 'kept'
effect = 'delete'
deny = 'keep it'
[[exception]]
rule = 'kept'
path = '/home/user/project/**'
until = 1970-12-31
reason = 'one may delete here'
[[rule]]
id = 'elsewhere'
effect = 'infra'
route = { provider = 'x' }
[[rule]]
id = 'careful'
effect = 'delete'
rewrite = [{ note = 'deleted files are gone' }]
[[require]]
tool = 'Bash'
arg.command.exists = true
[[limit]]
id = 'deletions'
effect = 'delete'
max = 100
[[limit]]
id = 'more deletions'
effect = 'delete'
max = 200
[[loop]]
effect = 'delete'
[[dedupe]]
effect = 'database'
for = '1h'
";

/// Surroundings that count how often they are asked where something in that folder lies.
#[derive(Default)]
struct Counting(Still, AtomicUsize);

impl Ambient for Counting {
    fn workspace(&self, cwd: Option<&str>) -> Cow<'_, [String]> {
        self.0.workspace(cwd)
    }

    fn home<'a>(&'a self, cwd: Option<&'a str>) -> Option<Cow<'a, str>> {
        self.0.home(cwd)
    }

    fn real(&self, path: &str) -> Option<String> {
        if path.starts_with(TARGET) {
            self.1.fetch_add(1, Ordering::SeqCst);
        }
        None
    }
}

/// How often the target was asked for since the last time.
fn asked(counting: &Counting) -> usize {
    counting.1.swap(0, Ordering::SeqCst)
}

fn engine(policy: &str, counting: &Arc<Counting>, more: Vec<Registration>) -> Engine {
    let file = File::of_bytes(Layer::User, Path::new("/home/user/tollgate.toml"), policy.into()).unwrap();
    let plan = combine(vec![file], false, Date::of_seconds(0)).unwrap_or_else(|wrong| panic!("{wrong}"));
    let ambient = Arc::clone(counting) as Arc<dyn Ambient>;
    let places = Places { paths: vec!["/etc/tollgate".into()], ..Places::default() };
    let protect = Protect::registration(places, Arc::clone(&ambient));
    let parts = Parts {
        state: Arc::new(Memory::default()),
        clock: Arc::<ManualClock>::default(),
        ambient,
        report: None,
        more: more.into_iter().chain([protect]).collect(),
    };
    Engine::new(plan, parts).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// One call, before and after.
fn call(pipeline: &Pipeline, body: &mut Body) -> String {
    let name = pipeline.name("Bash");
    let before =
        Event { session: Some("s"), cwd: Some("/home/user/project"), ..Event::tool(Point::ToolBefore, &name, "call") };
    let act = pipeline.run_now(&before, body).act;
    let after = Event { point: Point::ToolAfter, arguments: Some(body), ended: Some(Ended::Ok), ..before };
    let _ = pipeline.run_now(&after, &mut Body::from(json!({"content": []})));
    match act {
        Act::Pass => "pass".to_owned(),
        other => format!("{other:?}"),
    }
}

fn deletion() -> Body {
    tollgate_wire::body(format!(r#"{{"command":"rm -r {TARGET}/files"}}"#).into_bytes())
}

/// Somebody else's edit.
struct Changes(fn(&mut Body));

impl Edit for Changes {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        if event.look == 1 {
            (self.0)(body);
        }
        Step::PASS
    }
}

/// One that looks at what the call does, and does so again when somebody behind it has written.
struct Looks(Arc<dyn Ambient>);

impl Edit for Looks {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(CallFacts::new(event, body, &self.0).effects().map(|_| Verdict::Pass))
    }
}

#[test]
fn a_call_is_understood_once_for_each_body() {
    let counting = Arc::new(Counting::default());
    let ambient = Arc::clone(&counting) as Arc<dyn Ambient>;
    let names = tollgate_wire::names();
    let (name, body) = (names.name("Bash"), deletion());
    let event = Event { cwd: Some("/home/user/project"), ..Event::tool(Point::ToolBefore, &name, "call") };
    CallFacts::new(&event, &body, &ambient).effects().unwrap();
    let once = asked(&counting);
    assert!(once > 0, "to understand the command is to ask where its path leads");

    let more_folders = format!("workspace = ['/srv/data']\n{POLICY}");
    let dry_run = format!("dry_run = true\n{POLICY}");
    let none: fn(&mut Body) = |_| ();
    let note: fn(&mut Body) = |body| body.notes.push("noted".to_owned());
    let same: fn(&mut Body) = |body| drop(body.json_mut().map(|doc| doc["command"] = doc["command"].clone()));
    let rewrite: fn(&mut Body) = |body| drop(body.json_mut().map(|doc| doc["description"] = "another".into()));
    let rename: fn(&mut Body) = |body| body.rename("exec");
    for (what, policy, change, act, times) in [
        ("nobody writes", POLICY, none, "pass", 1),
        ("the workspace has more folders", &more_folders, none, "pass", 1),
        ("a dry run looks too", &dry_run, none, "Answer", 1),
        ("a note changes no document", POLICY, note, "pass", 1),
        ("written anew and the same", POLICY, same, "pass", 1),
        ("another document", POLICY, rewrite, "pass", 2),
        ("another name for the same kind of tool", POLICY, rename, "pass", 1),
    ] {
        let more = vec![
            Registration::edit("looks", [Point::ToolBefore], Looks(Arc::clone(&ambient))),
            Registration { priority: -1, ..Registration::edit("changes", [Point::ToolBefore], Changes(change)) },
        ];
        let came = call(&engine(policy, &counting, more).pipeline(), &mut deletion());
        assert!(came.starts_with(act), "{what}: {came}");
        assert_eq!(asked(&counting), times * once, "{what}");
    }
}
