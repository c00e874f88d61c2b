//! Adds what has to be waited for: the title of each page that a search found.
//!
//! An async handler owns what it gets and gives back the document to use, so nothing changes under it while
//! it waits. It may take as long as its limit says; after that it counts as broken, and a broken edit refuses.
//! Titles are a nicety, so this one says `OnFault::Pass`: without them the result goes on as it is.
//!
//! Prints:
//!
//! ```text
//! {"output":"1 hit","details":{"url":"https://a.example","meta":{"title":"Page at https://a.example"}}}
//! {"output":"no hits"}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use serde_json::{Value, json};
use tollgate::{Call, Gate, OnFault, Tool, block_on};

fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::new();
    gate.after_tool("page-titles")
        .tool_regex("^web_search$")
        .limit(Duration::from_secs(5))
        .on_fault(OnFault::Pass)
        .edit_async(|_call, mut result: Value| async move {
            let url = result.pointer("/details/url").and_then(Value::as_str).map(str::to_owned);
            if let Some(url) = url {
                result["details"]["meta"] = fetch_metadata(&url).await;
            }
            result
        })?;

    let session = gate.session("s-1");
    let search = Tool::new("web_search", |call| async move { Ok(call.params) });
    for result in [json!({"output": "1 hit", "details": {"url": "https://a.example"}}), json!({"output": "no hits"})] {
        println!("{}", block_on(session.call(&search, Call::new("call", result))).value);
    }
    Ok(())
}

/// Stands in for a request: it is not ready at once.
async fn fetch_metadata(url: &str) -> Value {
    let mut asked = false;
    poll_fn(|context| {
        if std::mem::replace(&mut asked, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    json!({"title": format!("Page at {url}")})
}
