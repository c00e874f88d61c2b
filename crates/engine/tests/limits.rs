//! Limits across projects, principals and sessions that end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use common::{Folder, keep_locked};
use serde_json::json;
use tollgate_config::{File, Layer, combine};
use tollgate_core::{Act, Body, Event, Point};
use tollgate_engine::state::{Files, Memory, Space, State};
use tollgate_engine::{Engine, Parts};
use tollgate_rules::{Still, form::Date};
use tollgate_testkit::ManualClock;

/// The engine of policies, each with its layer and its file.
fn engine(state: &Arc<dyn State>, policies: &[(Layer, &str, &str)]) -> Engine {
    let file = |(layer, path, text): &(Layer, &str, &str)| {
        File::of_bytes(*layer, Path::new(path), format!("packs.use = []\n{text}").into()).unwrap()
    };
    let plan = combine(policies.iter().map(file).collect(), true, Date::of_seconds(0));
    let parts = Parts {
        state: Arc::clone(state),
        clock: Arc::<ManualClock>::default(),
        ambient: Arc::new(Still::default()),
        report: None,
        more: Vec::new(),
    };
    Engine::new(plan.unwrap_or_else(|wrong| panic!("{wrong}")), parts).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Whether a call goes through, of a session and a principal.
fn passes(engine: &Engine, session: &str, principal: &str) -> bool {
    let pipeline = engine.pipeline();
    let name = pipeline.name("pay");
    let event = Event::tool(Point::ToolBefore, &name, "call");
    let event = Event { session: Some(session), principal: Some(principal), agent: Some(principal), ..event };
    !matches!(pipeline.run_now(&event, &mut Body::from(json!({}))).act, Act::Deny(_))
}

const BUDGET: &str = "[[limit]]\nid = 'pays'\ntool = 'pay'\nmax = 1\n";

#[test]
fn two_projects_limits_of_one_name_are_two_and_the_users_is_one() {
    for per in ["all", "session", "principal"] {
        let limit = format!("{BUDGET}per = '{per}'\n");
        for (layer, paths, expected) in [
            (Layer::Project, ["/one/tollgate.toml", "/two/tollgate.toml"], [true, true, false, false]),
            (Layer::Project, ["/one/tollgate.toml", "/one/tollgate.toml"], [true, false, false, false]),
            (Layer::User, ["/home/ann/tollgate.toml", "/elsewhere/tollgate.toml"], [true, false, false, false]),
            (Layer::Machine, ["/etc/tollgate.toml", "/elsewhere/tollgate.toml"], [true, false, false, false]),
        ] {
            let state: Arc<dyn State> = Arc::new(Memory::default());
            let engines = paths.map(|path| engine(&state, &[(layer, path, &limit)]));
            let came = [0, 1, 0, 1].map(|project: usize| passes(&engines[project], "s", "ann"));
            assert_eq!(came, expected, "per {per}, {layer}, {paths:?}");
        }
    }
}

#[test]
fn what_one_principal_agent_or_tool_shares_stalls_no_other() {
    for (per, ann, ben) in [
        ("principal", r#"["principal","ann"]"#, true),
        ("agent", r#"["agent","ann"]"#, true),
        // One tool is the same for both.
        ("tool", r#"["tool",["","pay"]]"#, false),
    ] {
        let folder = Folder::new();
        let files = Files::new(folder.path()).patience(Duration::from_millis(100));
        let limit = format!("{BUDGET}per = '{per}'\n[[limit]]\nid = 'all'\ntool = 'other'\nmax = 1\nper = 'all'\n");
        let engine = engine(&(Arc::new(files) as Arc<dyn State>), &[(Layer::User, "tollgate.toml", &limit)]);
        keep_locked(&folder, Space::Group(ann), || {
            let came = [passes(&engine, "one", "ann"), passes(&engine, "two", "ben")];
            assert_eq!(came, [false, ben], "per {per}: a guard that cannot count refuses, and only that");
        });
        assert!(passes(&engine, "one", "ann"));
    }
}

#[test]
fn a_budget_is_kept_until_its_session_has_ended_and_is_quiet() {
    let (end, start) = (Point::SessionEnd, Point::SessionStart);
    // A call, which is refused, is a sign of life.
    let call = Point::ToolBefore;
    for (points, forgotten) in [
        (&[][..], false),
        (&[start], false),
        (&[end], true),
        (&[end, start], false),
        (&[end, call], false),
        (&[end, start, call, end], true),
    ] {
        let folder = Folder::new();
        let files = Files::new(folder.path());
        let state = Arc::new(files.clone()) as Arc<dyn State>;
        let engine = engine(&state, &[(Layer::User, "tollgate.toml", BUDGET)]);
        assert!(passes(&engine, "s", "ann"));
        for point in points {
            if *point == call {
                assert!(!passes(&engine, "s", "ann"), "{points:?}");
                continue;
            }
            let event = Event { session: Some("s"), ..Event::at(*point) };
            engine.pipeline().run_now(&event, &mut Body::default());
        }
        assert_eq!(files.prune().unwrap(), 0, "{points:?}: it is not quiet");
        let log = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let log = log.filter(|path| path.is_file()).max().unwrap();
        let day = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
        fs::File::options().write(true).open(log).unwrap().set_modified(day).unwrap();
        assert_eq!(files.prune().unwrap(), usize::from(forgotten), "{points:?}");
        assert_eq!(passes(&engine, "s", "ann"), forgotten, "{points:?}");
    }
}
