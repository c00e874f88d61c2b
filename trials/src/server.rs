//! An MCP server over stdio, as people have them: it reads files, deletes folders and sends messages, and asks nobody.
//!
//! Each call that reaches it is written down first, as a line of JSON in the file that its only argument names. A message
//! that stands there is sent.

use std::fs::{self, File};
use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

/// The tools, each with its only argument.
const TOOLS: [(&str, &str, &str); 3] = [
    ("read_text_file", "path", "Reads a file as text."),
    ("delete_directory", "path", "Deletes a folder and whatever is in it."),
    ("send_message", "text", "Sends a message to everybody in the channel."),
];

fn main() -> io::Result<()> {
    let list = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("say where calls are written down"))?;
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        // What has no number wants no answer.
        let Some(id) = request.get("id") else { continue };
        let mut answer = json!({ "jsonrpc": "2.0", "id": id });
        match answer_to(&request, || File::options().create(true).append(true).open(&list))? {
            Some(result) => answer["result"] = result,
            None => answer["error"] = json!({ "code": -32601, "message": "there is no such method" }),
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// Nothing for what this server does not know.
fn answer_to(request: &Value, list: impl Fn() -> io::Result<File>) -> io::Result<Option<Value>> {
    let params = &request["params"];
    Ok(Some(match request["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": params["protocolVersion"], "capabilities": { "tools": {} },
            "serverInfo": { "name": "desk", "version": "1.0.0" },
        }),
        Some("ping") => json!({}),
        Some("tools/list") => json!({ "tools": TOOLS.map(described) }),
        Some("tools/call") => {
            writeln!(list()?, "{}", json!([params["name"], params["arguments"]]))?;
            let done = done(params);
            let text = done.as_ref().map_or_else(ToString::to_string, Clone::clone);
            json!({ "content": [{ "type": "text", "text": text }], "isError": done.is_err() })
        }
        _ => return Ok(None),
    }))
}

fn described((name, argument, description): (&str, &str, &str)) -> Value {
    let properties = json!({ argument: { "type": "string" } });
    let schema = json!({ "type": "object", "properties": properties, "required": [argument] });
    json!({ "name": name, "description": description, "inputSchema": schema })
}

/// Really does it.
fn done(params: &Value) -> io::Result<String> {
    let argument = |name: &str| params["arguments"][name].as_str().unwrap_or_default();
    match params["name"].as_str().unwrap_or_default() {
        "read_text_file" => fs::read_to_string(argument("path")),
        "delete_directory" => fs::remove_dir_all(argument("path")).map(|()| "the folder is gone".to_owned()),
        "send_message" => Ok(format!("sent {} characters", argument("text").chars().count())),
        other => Err(io::Error::other(format!("there is no tool `{other}`"))),
    }
}
