//! Limits across projects.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tollgate_config::{File, Layer, combine};
use tollgate_core::{Act, Body, Event, Point};
use tollgate_engine::state::{Memory, State};
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
    !matches!(pipeline.run_now(&event, &mut Body::from(json!({}))).act, Act::Stop(_))
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
