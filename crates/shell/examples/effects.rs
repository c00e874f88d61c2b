//! Reads JSON lines `{"command", "cwd", "home"}` and prints for each what the command does, as one JSON line.
//!
//!     echo '{"command": "sudo rm -rf /", "cwd": "/work"}' | cargo run -p tollgate-shell --example effects

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};
use tollgate_shell::{Effect, Surroundings, understand};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| row.get(key).and_then(Value::as_str);
        let around = Surroundings { cwd: text("cwd"), workspace: text("cwd"), home: text("home"), resolve: None };
        let effects = understand(text("command").unwrap_or_default(), &around);
        writeln!(out, "{}", json!({ "effects": effects.iter().map(show).collect::<Vec<_>>() }))?;
    }
    out.flush()
}

fn show(effect: &Effect) -> Value {
    json!({
        "kind": effect.kind.name(),
        "path": effect.path,
        "place": effect.place.map(|place| place.name()),
        "host": effect.host,
        "flags": effect.flags.iter().map(|flag| flag.name()).collect::<Vec<_>>(),
        "what": effect.what,
        "by": effect.by,
        "via": effect.via,
    })
}
