//! What is kept: tool results and messages pass the gate again on their way into storage.
//!
//! What a model may see for a moment need not be on the disk for ever. Refused is not forgotten: a stub says
//! who withheld it.
//!
//! Prints:
//!
//! ```text
//! llm_input: m
//! result:  {"output":"[12 bytes, not kept]"}
//! message: {"role":"user","content":"Hello"}
//! message: {"withheld":{"by":"keeper:before_message_write:2","reason":"private"}}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;

use serde_json::{Value, json};
use tollgate::{BadRegistration, Body, Gate, Plugin, PluginApi, PluginOptions, Point, Session, block_on};

struct Keeper;

impl Plugin for Keeper {
    fn id(&self) -> &str {
        "keeper"
    }

    fn name(&self) -> &str {
        "Keeper"
    }

    fn activate(&self, api: &PluginApi) -> Result<(), BadRegistration> {
        api.on("tool_result_persist", |event, _context| async move { shortened(&event["message"]) }, 0)?;
        api.on("before_message_write", |event, _context| async move { private(&event["message"]) }, 0)?;
        let tell = |event: Value| println!("llm_input: {}", event["model"].as_str().unwrap_or("?"));
        api.on("llm_input", move |event, _context| async move { tell(event) }, 0)
    }
}

fn shortened(result: &Value) -> Option<Value> {
    let length = result["output"].as_str()?.len();
    Some(json!({"message": {"output": format!("[{length} bytes, not kept]")}}))
}

fn private(message: &Value) -> Option<Value> {
    let private = message["content"].as_str()?.contains("#private");
    private.then(|| json!({"block": true, "blockReason": "private"}))
}

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.activate(&Keeper, PluginOptions::default())?;
    block_on(store(&gate.session("s-1").model("m")))
}

async fn store(session: &Session) -> Result<(), Box<dyn Error>> {
    let request = Body::from(json!({"messages": []}));
    session.admit(Point::ModelRequest, request).await?;
    println!("result:  {}", session.persist("read", json!({"output": "Hello, disk!"})).await);
    for content in ["Hello", "My diary #private"] {
        println!("message: {}", session.write_message(json!({"role": "user", "content": content})).await);
    }
    Ok(())
}
