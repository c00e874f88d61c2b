//! What a model says, in the words of four providers.

use serde_json::{Value, json};

use super::http::Answer;

/// What is to be said.
pub(super) enum Said<'a> {
    /// Call this tool; it is the call of this number.
    Call { name: &'a str, arguments: &'a Value, number: usize },
    /// A text, and nothing more to do.
    Text(&'a str),
}

/// A provider's way to speak.
#[derive(Clone, Copy)]
pub(super) enum Protocol {
    /// Anthropic's messages.
    Messages,
    /// `OpenAI`'s chat completions.
    Chat,
    /// `OpenAI`'s responses.
    Responses,
    /// Gemini's generateContent.
    Gemini,
}

/// Whatever else a client wants to know: which models there are, how long a text is.
pub(super) fn small_talk(path: &str) -> Value {
    if path.contains("count_tokens") || path.contains("countTokens") {
        return json!({ "input_tokens": 10, "totalTokens": 10 });
    }
    json!({ "object": "list", "data": [{ "id": "scripted", "object": "model", "owned_by": "nobody" }], "models": [] })
}

/// The elements of a list, and none where there is no list.
fn each<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}

/// The tools in groups, as responses have those of MCP servers: the name of the group and that of the tool.
fn grouped(body: &Value) -> impl Iterator<Item = (&str, &str)> {
    let groups = each(body, "tools").filter(|tool| tool["type"] == "namespace");
    groups.flat_map(|group| {
        each(group, "tools").filter_map(|tool| Some((group["name"].as_str()?, tool["name"].as_str()?)))
    })
}

impl Protocol {
    /// By where the request goes.
    pub(super) fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let ends = |end| path.ends_with(end);
        Some(match path {
            _ if ends("/messages") => Self::Messages,
            _ if ends("/chat/completions") => Self::Chat,
            _ if ends("/responses") => Self::Responses,
            _ if ends(":generateContent") || ends(":streamGenerateContent") => Self::Gemini,
            _ => return None,
        })
    }

    /// The names of the tools that a request offers; that of one in a group begins with the group's.
    pub(super) fn offered(self, body: &Value) -> Vec<String> {
        let tools = each(body, "tools");
        let names: Vec<&Value> = match self {
            Self::Messages | Self::Responses => tools.map(|tool| &tool["name"]).collect(),
            Self::Chat => tools.map(|tool| &tool["function"]["name"]).collect(),
            Self::Gemini => {
                tools.flat_map(|tool| each(tool, "functionDeclarations")).map(|tool| &tool["name"]).collect()
            }
        };
        let grouped = grouped(body).map(|(group, name)| format!("{group}__{name}"));
        names.into_iter().filter_map(Value::as_str).map(str::to_owned).chain(grouped).collect()
    }

    /// How many results of tools a request brings.
    pub(super) fn results(self, body: &Value) -> usize {
        match self {
            Self::Messages => each(body, "messages")
                .flat_map(|message| each(message, "content"))
                .filter(|block| block["type"] == "tool_result")
                .count(),
            Self::Chat => each(body, "messages").filter(|message| message["role"] == "tool").count(),
            Self::Responses => {
                let output = |item: &&Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("call_output"));
                each(body, "input").filter(output).count()
            }
            Self::Gemini => each(body, "contents")
                .flat_map(|content| each(content, "parts"))
                .filter(|part| !part["functionResponse"].is_null())
                .count(),
        }
    }

    /// The whole answer, streamed if the request says so.
    pub(super) fn answer(self, path: &str, body: &Value, said: &Said<'_>) -> Answer {
        let stream = body["stream"] == true || path.contains(":stream");
        let model = &body["model"];
        match self {
            Self::Messages => messages(model, stream, said),
            Self::Chat => chat(model, stream, said),
            Self::Responses => responses(body, stream, said),
            Self::Gemini => gemini(stream, said),
        }
    }
}

fn messages(model: &Value, stream: bool, said: &Said<'_>) -> Answer {
    let (block, empty, delta, stop) = match said {
        Said::Call { name, arguments, number } => {
            let id = format!("toolu_script_{number}");
            (
                json!({ "type": "tool_use", "id": id, "name": name, "input": arguments }),
                json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
                json!({ "type": "input_json_delta", "partial_json": arguments.to_string() }),
                "tool_use",
            )
        }
        Said::Text(text) => (
            json!({ "type": "text", "text": text }),
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
    };
    let message = |content: Value, stop: Value| {
        json!({
            "id": "msg_script", "type": "message", "role": "assistant", "model": model, "content": content,
            "stop_reason": stop, "stop_sequence": null, "usage": { "input_tokens": 10, "output_tokens": 5 },
        })
    };
    if !stream {
        return Answer::json(&message(json!([block]), json!(stop)));
    }
    let events = [
        json!({ "type": "message_start", "message": message(json!([]), Value::Null) }),
        json!({ "type": "content_block_start", "index": 0, "content_block": empty }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({
            "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null },
            "usage": { "output_tokens": 5 },
        }),
        json!({ "type": "message_stop" }),
    ];
    Answer::events(&events, true, "")
}

fn chat(model: &Value, stream: bool, said: &Said<'_>) -> Answer {
    let (message, reason) = match said {
        Said::Call { name, arguments, number } => {
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            let id = format!("call_script_{number}");
            let calls = json!([{ "index": 0, "id": id, "type": "function", "function": function }]);
            (json!({ "role": "assistant", "content": null, "tool_calls": calls }), "tool_calls")
        }
        Said::Text(text) => (json!({ "role": "assistant", "content": text }), "stop"),
    };
    let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 });
    let whole = |kind: &str, choices: Value, usage: Value| {
        json!({
            "id": "chatcmpl-script", "object": kind, "created": 1, "model": model, "choices": choices, "usage": usage,
        })
    };
    if !stream {
        let choices = json!([{ "index": 0, "message": message, "finish_reason": reason, "logprobs": null }]);
        return Answer::json(&whole("chat.completion", choices, usage));
    }
    let chunk = |choices, usage| whole("chat.completion.chunk", choices, usage);
    let events = [
        chunk(json!([{ "index": 0, "delta": message, "finish_reason": null }]), Value::Null),
        chunk(json!([{ "index": 0, "delta": {}, "finish_reason": reason }]), Value::Null),
        chunk(json!([]), usage),
    ];
    Answer::events(&events, false, "data: [DONE]\n\n")
}

fn responses(body: &Value, stream: bool, said: &Said<'_>) -> Answer {
    let item = match said {
        Said::Call { name, arguments, number } => {
            let mut call = json!({
                "type": "function_call", "id": format!("fc_script_{number}"),
                "call_id": format!("call_script_{number}"), "name": name, "arguments": arguments.to_string(),
                "status": "completed",
            });
            if let Some((group, name)) = grouped(body).find(|(group, tool)| format!("{group}__{tool}") == **name) {
                (call["namespace"], call["name"]) = (json!(group), json!(name));
            }
            call
        }
        Said::Text(text) => json!({
            "type": "message", "id": "msg_script", "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
    };
    let response = |status: &str, output: Value| {
        json!({
            "id": "resp_script", "object": "response", "created_at": 1, "model": body["model"], "status": status,
            "output": output, "parallel_tool_calls": false, "tool_choice": "auto", "tools": [],
            "usage": {
                "input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
                "input_tokens_details": { "cached_tokens": 0 }, "output_tokens_details": { "reasoning_tokens": 0 },
            },
        })
    };
    let whole = response("completed", json!([item]));
    if !stream {
        return Answer::json(&whole);
    }
    let mut events = vec![
        json!({ "type": "response.created", "response": response("in_progress", json!([])) }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": whole }),
    ];
    if let Said::Text(text) = said {
        let delta = json!({
            "type": "response.output_text.delta", "item_id": "msg_script", "output_index": 0, "content_index": 0,
            "delta": text, "logprobs": [],
        });
        events.insert(2, delta);
    }
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    Answer::events(&events, true, "")
}

fn gemini(stream: bool, said: &Said<'_>) -> Answer {
    let part = match said {
        Said::Call { name, arguments, .. } => json!({ "functionCall": { "name": name, "args": arguments } }),
        Said::Text(text) => json!({ "text": text }),
    };
    let answer = json!({
        "candidates": [{ "index": 0, "content": { "role": "model", "parts": [part] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15 },
        "modelVersion": "scripted",
    });
    if stream { Answer::events(&[answer], false, "") } else { Answer::json(&answer) }
}
