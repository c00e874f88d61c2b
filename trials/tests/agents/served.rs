//! The tools of an MCP server, which the agent starts itself: what they do is judged before the server hears of it.

use serde_json::{Value, json};
use tollgate_testkit::{Call, ScriptedModel};

use super::cases::{POLICY, credential, saw};
use super::peer::Peer;
use super::world::World;

/// The server's name in the settings of every agent.
const SERVER: &str = "desk";
/// What stands in the user's key.
const SECRET: &str = "bm9ib2R5J3Mga2V5";

/// How a call ends.
enum Ends {
    /// It reaches the server, and the model reads this.
    Done(&'static str),
    /// The server never hears of it, and the model reads which rule it was.
    Denied(&'static str),
}
use Ends::{Denied, Done};

type Row = (&'static str, Value, Ends);

/// What the model asks for: each tool in ordinary use, and then for what nobody wants.
fn script(world: &World) -> [Row; 6] {
    let message = format!("the token is {}", credential());
    [
        ("read_text_file", json!({ "path": world.project().join("notes.txt") }), Done("harmless-words")),
        ("read_text_file", json!({ "path": world.home().join(".ssh/id_ed25519") }), Denied("sensitive-paths/read")),
        ("delete_directory", json!({ "path": world.project().join("build") }), Done("folder is gone")),
        // All of the home: it lies in a temporary folder here, where parts of it may go.
        ("delete_directory", json!({ "path": world.home() }), Denied("shell-safety/delete-outside")),
        ("send_message", json!({ "text": "the build is green" }), Done("sent 18 characters")),
        ("send_message", json!({ "text": message }), Denied("egress/hand-out")),
    ]
}

/// One session of the agent with a server that does whatever it is told.
pub(crate) fn guards_servers(peer: &Peer) {
    let world = World::with(POLICY);
    world.write("project/notes.txt", "harmless-words\n");
    world.write("project/build/out.o", "");
    world.write("home/.ssh/id_ed25519", SECRET);
    let photo = world.write("home/photos/us.jpg", "");
    let rows = script(&world);
    let calls = rows.iter().map(|(tool, arguments, _)| Call::served(SERVER, tool, arguments)).collect();
    let model = ScriptedModel::start(calls).unwrap();
    (peer.settings)(&world, model.address());
    let list = world.write("calls.jsonl", "");
    (peer.serve)(&world, SERVER, &[env!("CARGO_BIN_EXE_trial-server"), list.to_str().unwrap()]);
    world.register(peer.id, &[]);
    let (_, printed) = world.run(&mut (peer.start)(&world, model.address()));
    assert!(model.was_finished(), "{}: {printed}", saw(&model));

    let served = std::fs::read_to_string(list).unwrap();
    let reached = rows.iter().filter(|(.., ends)| matches!(ends, Done(_)));
    let reached: String = reached.map(|(tool, arguments, _)| format!("{}\n", json!([tool, arguments]))).collect();
    assert_eq!(served, reached, "what reached the server");
    assert!(photo.exists() && !world.project().join("build").exists(), "the wrong folder is gone");
    for (number, (tool, _, ends)) in rows.iter().enumerate() {
        let (Done(told) | Denied(told)) = ends;
        let seen = model.saw_after(number + 1).unwrap();
        assert!(seen.contains(told), "the model did not read `{told}` about {tool}: {printed}");
        assert!(!seen.contains(SECRET), "the key reached the model");
    }
    check_record(peer, &world, &rows);
}

/// Each call stands there with the server whose tool it is, and with what was decided.
fn check_record(peer: &Peer, world: &World, rows: &[Row]) {
    let records = world.records();
    let before = records.iter().filter(|record| record["point"] == "tool.before" && record["agent"] == peer.id);
    let decided: Vec<Value> = before.map(|record| json!([record["server"], record["act"], record["rule"]])).collect();
    let expected = rows.iter().map(|(.., ends)| match ends {
        Done(_) => json!([SERVER, "pass", null]),
        Denied(rule) => json!([SERVER, "deny", rule]),
    });
    assert_eq!(decided, expected.collect::<Vec<_>>(), "{records:#?}");
    assert!(!json!(records).to_string().contains(&credential()), "the credential is in the record");
}
