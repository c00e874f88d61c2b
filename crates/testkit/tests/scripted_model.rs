//! The model that follows a script, asked in the words of every provider.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use tollgate_testkit::{Call, LAST_WORDS, ScriptedModel};

/// A provider: where it is asked, a request that offers a shell, and the same with so many results.
struct Provider {
    name: &'static str,
    path: &'static str,
    /// Asked here for a stream, if it is not the body that says so.
    stream: &'static str,
    ask: fn(usize) -> Value,
}

const PROVIDERS: [Provider; 4] = [
    Provider {
        name: "messages",
        path: "/v1/messages",
        stream: "/v1/messages?beta=true",
        ask: |results| {
            let result = json!({ "role": "user", "content": [{ "type": "tool_result", "content": "r" }] });
            json!({ "tools": [{ "name": "Bash" }], "messages": vec![result; results] })
        },
    },
    Provider {
        name: "chat completions",
        path: "/v1/chat/completions",
        stream: "/v1/chat/completions",
        ask: |results| {
            let tool = json!({ "type": "function", "function": { "name": "bash" } });
            json!({ "tools": [tool], "messages": vec![json!({ "role": "tool", "content": "r" }); results] })
        },
    },
    Provider {
        name: "responses",
        path: "/v1/responses",
        stream: "/v1/responses",
        ask: |results| {
            let result = json!({ "type": "function_call_output", "output": "r" });
            json!({ "tools": [{ "type": "function", "name": "exec_command" }], "input": vec![result; results] })
        },
    },
    Provider {
        name: "generateContent",
        path: "/v1beta/models/m:generateContent",
        stream: "/v1beta/models/m:streamGenerateContent?alt=sse",
        ask: |results| {
            let tools = json!([{ "functionDeclarations": [{ "name": "run_shell_command" }] }]);
            let result = json!({ "role": "user", "parts": [{ "functionResponse": { "name": "r" } }] });
            json!({ "tools": tools, "contents": vec![result; results] })
        },
    },
];

/// What comes back, head and all.
fn post(model: &ScriptedModel, path: &str, body: &Value) -> String {
    let mut stream = TcpStream::connect(model.address()).unwrap();
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn calls_come_one_after_another_and_then_the_last_words() {
    for Provider { name, path, stream, ask } in PROVIDERS {
        for streamed in [false, true] {
            let model = ScriptedModel::start(vec![Call::shell("first"), Call::shell("second")]).unwrap();
            for (results, expected) in [(0, "first"), (1, "second"), (2, LAST_WORDS)] {
                let mut body = ask(results);
                if streamed {
                    body["stream"] = json!(true);
                }
                assert!(!model.was_finished(), "{name}");
                let answer = post(&model, if streamed { stream } else { path }, &body);
                assert!(answer.contains(expected), "{name} with {results} results: {answer}");
                assert_eq!(answer.contains("text/event-stream"), streamed, "{name}: {answer}");
            }
            assert!(model.was_finished(), "{name}");
            assert_eq!(model.requests().len(), 3, "{name}");
        }
    }
}

#[test]
fn who_offers_no_tool_of_the_script_gets_words() {
    let model = ScriptedModel::start(vec![Call::tool("dig", json!({ "deep": true }))]).unwrap();
    for Provider { name, path, ask, .. } in PROVIDERS {
        assert!(post(&model, path, &ask(0)).contains("None of the tools"), "{name}");
        let mut body = ask(0);
        body["tools"] = json!([]);
        assert!(post(&model, path, &body).contains(LAST_WORDS), "{name}");
    }
    let body = json!({ "tools": [{ "name": "dig" }], "messages": [] });
    assert!(post(&model, "/v1/messages", &body).contains(r#""input":{"deep":true}"#));
    assert!(post(&model, "/v1/messages/count_tokens", &body).contains("input_tokens"));
}

#[test]
fn the_tool_of_a_server_is_called_by_the_name_that_is_offered() {
    let model = ScriptedModel::start(vec![Call::served("s", "t", &json!({}))]).unwrap();
    for (offered, called) in [
        (json!({ "name": "mcp__s__t" }), r#""name":"mcp__s__t""#),
        (json!({ "name": "mcp_s_t" }), r#""name":"mcp_s_t""#),
        (json!({ "name": "s-t" }), r#""name":"s-t""#),
        (json!({ "type": "namespace", "name": "mcp__s", "tools": [{ "name": "t" }] }), r#""namespace":"mcp__s""#),
        (json!({ "type": "namespace", "name": "mcp__s", "tools": [{ "name": "t" }] }), r#""name":"t""#),
        (json!({ "type": "namespace", "name": "mcp__s", "tools": [{ "name": "u" }] }), "None of the tools"),
    ] {
        let answer = post(&model, "/v1/responses", &json!({ "tools": [offered], "input": [] }));
        assert!(answer.contains(called), "{offered}: {answer}");
    }
}

#[test]
fn requests_in_pieces_are_understood() {
    let model = ScriptedModel::start(vec![Call::shell("first")]).unwrap();
    let mut stream = TcpStream::connect(model.address()).unwrap();
    let (one, two) = (r#"{"tools":[{"name":"#, r#""Bash"}],"messages":[]}"#);
    let head = "POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    let body = format!("{:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n", one.len(), two.len());
    stream.write_all((head.to_owned() + &body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("first"), "{answer}");
}
