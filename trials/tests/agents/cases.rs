//! What every agent is put through.

#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::{Value, json};
use tollgate_testkit::{Call, ScriptedModel};

use super::peer::{Peer, Then};
use super::world::World;

/// A rule of the user's that rewrites commands. What is refused and what is redacted is so by default.
pub(crate) const POLICY: &str = r#"
[[rule]]
id = "politely"
kind = "exec"
text = { contains = "rudely" }
rewrite = [{ replace = { regex = "rudely", with = "politely" } }]
"#;
/// The folder is nobody's, in case that it is deleted after all.
pub(crate) const DENIED: &str = "echo ran > denied.txt; rm -rf /srv/tollgate-nobody/folder";
/// What it prints stands nowhere in the command: whoever says it has seen the result.
pub(crate) const ALLOWED: &str = "printf '%s-%s' forty two > allowed.txt; cat allowed.txt";
const REWRITTEN: &str = "echo rudely > said.txt; cat said.txt";
const LEAKING: &str = "cat notes.txt";
/// What a refusal of the first command says.
const REASON: &str = "shell-safety/delete-outside";

/// Nobody's, and in halves, so that nobody takes this file for a leak.
pub(crate) fn credential() -> String {
    format!("ghp_{}{}", "x7Kd02mQv9LpRt4sZc1W", "yB6nHj3eGf8aUo5i")
}

/// Everything that a working Tollgate does, in one session of the agent.
pub(crate) fn guards(peer: &Peer) {
    let world = World::with(POLICY);
    world.write("project/notes.txt", &format!("harmless-words, and a token: {}\n", credential()));
    let model = ScriptedModel::start([DENIED, ALLOWED, REWRITTEN, LEAKING].map(Call::shell).to_vec()).unwrap();
    (peer.settings)(&world, model.address());
    let before = world.files();
    world.register(peer.id, &[]);
    let written = world.registered();
    let (_, printed) = world.run(&mut (peer.start)(&world, model.address()));
    assert!(model.was_finished(), "{}: {printed}", saw(&model));
    let after = |results| model.saw_after(results).unwrap();
    let end =
        |results| after(results).chars().rev().take(2000).collect::<Vec<_>>().into_iter().rev().collect::<String>();

    assert_eq!(world.made("denied.txt"), None, "the refused call ran");
    assert!(after(1).contains(REASON), "the model was not told why: {}", end(1));
    assert_eq!(world.made("allowed.txt").as_deref(), Some("forty-two"));
    assert!(after(2).contains("forty-two"), "the result did not reach the model: {}", end(2));
    assert_eq!(world.made("said.txt").as_deref(), Some("politely\n"));
    assert!(after(3).contains("politely"), "{}", end(3));
    assert!(!after(4).contains(&credential()), "the credential reached the model: {}", end(4));
    let seen = after(4).contains("harmless-words") || after(4).contains("Tollgate");
    assert!(seen, "neither the redacted result nor why there is none: {}", end(4));
    check_record(peer, &world);

    world.unregister();
    let after = world.files();
    for file in before.keys().chain(&written) {
        let text = |files: &Files| files.get(file).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(text(&after), text(&before), "{} is not as it was", file.display());
    }
}

type Files = std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>;

/// What was decided about each call, in order.
fn check_record(peer: &Peer, world: &World) {
    let records = world.records();
    let before: Vec<&Value> = records.iter().filter(|record| record["point"] == "tool.before").collect();
    let acts: Vec<&str> = before.iter().filter_map(|record| record["act"].as_str()).collect();
    assert_eq!(acts, ["deny", "pass", "pass", "pass"], "{records:#?}");
    assert!(before.iter().all(|record| record["agent"] == peer.id), "{records:#?}");
    let all = json!(records).to_string();
    assert!(all.contains("politely") && all.contains(REASON), "{all}");
    assert!(!all.contains(&credential()), "the credential is in the record: {all}");
    let after: Vec<&Value> = records.iter().filter(|record| record["point"] == "tool.after").collect();
    let ended: Vec<&str> = after.iter().filter_map(|record| record["ended"].as_str()).collect();
    assert_eq!(ended, ["denied", "ok", "ok", "ok"], "{records:#?}");
    // An agent that does not number its calls shows the rewritten one as another than was asked for.
    let paired = after.iter().filter(|record| record["intent"].is_u64()).count();
    assert!(paired >= 3, "ends of calls that name no beginning: {records:#?}");
}

/// What the agent does when its hook, which is registered, breaks.
pub(crate) fn breaks(peer: &Peer, spoil: fn(&World), then: Then) {
    let world = World::with(POLICY);
    let model = ScriptedModel::start(vec![Call::shell(ALLOWED)]).unwrap();
    (peer.settings)(&world, model.address());
    world.register(peer.id, &[]);
    spoil(&world);
    world.must_fail(&["doctor", "--agent", peer.id]);
    let (_, printed) = world.run(&mut (peer.start)(&world, model.address()));
    assert!(model.was_finished() || was_kept_away(&model), "{}: {printed}", saw(&model));
    let ran = if world.made("allowed.txt").is_some() { Then::Runs } else { Then::DoesNotRun };
    assert_eq!(ran, then, "{} with a broken hook: {printed}", peer.id);
    assert_eq!(model.saw_after(1).unwrap_or_default().contains("forty-two"), then == Then::Runs);
}

/// A bug of ours: the call does not run, whatever the agent, and somebody is told what to do.
pub(crate) fn panics(peer: &Peer) {
    let world = World::with(POLICY);
    let model = ScriptedModel::start(vec![Call::shell(ALLOWED)]).unwrap();
    (peer.settings)(&world, model.address());
    world.register(peer.id, &[]);
    world.panicking();
    let (_, printed) = world.run(&mut (peer.start)(&world, model.address()));
    assert!(model.was_finished() || was_kept_away(&model), "{}: {printed}", saw(&model));
    assert_eq!(world.made("allowed.txt"), None, "{printed}");
    let told = model.saw_after(1).unwrap_or_default() + &printed;
    assert!(told.contains("tollgate doctor"), "{}: {printed}", peer.id);
}

/// Whether the agent did not even show the prompt to the model: some ask about that, too.
fn was_kept_away(model: &ScriptedModel) -> bool {
    model.saw_after(0).is_none()
}

pub(crate) fn saw(model: &ScriptedModel) -> String {
    let requests = model.requests();
    let short = |body: &Value| body.to_string().chars().take(300).collect::<String>();
    requests.iter().map(|request| format!("{} {}\n", request.path, short(&request.body))).collect()
}
