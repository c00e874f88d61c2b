//! A model that follows a script: what stands in for a provider when a real agent is tried.
//!
//! It speaks four protocols (Anthropic's messages, `OpenAI`'s chat completions and responses, Gemini's generateContent),
//! streamed or not, on a port of its own on the loopback. An agent that offers tools is asked for the scripted calls, one
//! after another; when the results of all are in, it gets a last text. Every request is kept, so that a test sees what
//! the model saw.
//!
//! ```
//! use std::io::{Read, Write};
//! use tollgate_testkit::{Call, ScriptedModel};
//!
//! let model = ScriptedModel::start(vec![Call::shell("ls")]).unwrap();
//! let mut stream = std::net::TcpStream::connect(model.address()).unwrap();
//! let question = r#"{"tools":[{"name":"Bash"}],"messages":[]}"#;
//! write!(stream, "POST /v1/messages HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{question}", question.len())
//!     .unwrap();
//! let mut answer = String::new();
//! stream.read_to_string(&mut answer).unwrap();
//! assert!(answer.contains(r#""command":"ls""#), "{answer}");
//! assert_eq!(model.requests().len(), 1);
//! ```

mod http;
mod say;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// What the last answer says when all calls of the script have their results.
pub const LAST_WORDS: &str = "That is all.";

/// A tool call that the model asks for.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tools that will do, each with its arguments. The first that the agent offers is called.
    tools: Vec<(String, Value)>,
}

impl Call {
    /// A command, through whatever the agent calls its shell.
    pub fn shell(command: &str) -> Self {
        let why = "as the script says";
        let tools = [
            ("Bash", json!({ "command": command, "description": why })),
            ("exec_command", json!({ "cmd": command })),
            ("shell_command", json!({ "command": command })),
            ("run_shell_command", json!({ "command": command, "description": why, "is_background": false })),
            ("bash", json!({ "command": command, "description": why })),
            ("run_commands", json!({ "commands": [command] })),
            ("Execute", json!({ "command": command, "summary": why, "riskLevel": "low", "riskLevelReason": why })),
        ];
        Self { tools: tools.map(|(name, arguments)| (name.to_owned(), arguments)).to_vec() }
    }

    /// A tool by its name.
    pub fn tool(name: &str, arguments: Value) -> Self {
        Self { tools: vec![(name.to_owned(), arguments)] }
    }

    /// A tool of an MCP server, however the agent spells it.
    pub fn served(server: &str, tool: &str, arguments: &Value) -> Self {
        let name = |way: &tollgate_wire::Spelling| format!("{}{server}{}{tool}", way.prefix, way.between);
        Self { tools: tollgate_wire::SPELLINGS.iter().map(|way| (name(way), arguments.clone())).collect() }
    }

    fn offered(&self, names: &[String]) -> Option<&(String, Value)> {
        self.tools.iter().find(|(name, _)| names.contains(name))
    }
}

/// A request that reached the model.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where it went, with the query.
    pub path: String,
    /// What it said; null if that was no JSON.
    pub body: Value,
    /// How many results of tools were in it.
    pub results: usize,
    /// Whether it could be answered with a tool call.
    pub offers_tools: bool,
}

/// The server. It ends when it is dropped.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    script: Vec<Call>,
    requests: Mutex<Vec<Request>>,
    ended: AtomicBool,
}

impl ScriptedModel {
    /// Starts to listen on a free port of the loopback.
    pub fn start(script: Vec<Call>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { script, requests: Mutex::default(), ended: AtomicBool::new(false) });
        let ours = Arc::clone(&shared);
        std::thread::Builder::new().spawn(move || {
            for stream in listener.incoming().flatten() {
                if ours.ended.load(Ordering::SeqCst) {
                    return;
                }
                let ours = Arc::clone(&ours);
                // A client that goes away in the middle of a sentence is no failure of the model.
                std::thread::spawn(move || http::serve(&stream, |request| ours.answer(request)).ok());
            }
        })?;
        Ok(Self { address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests().clone()
    }

    /// What the model saw when this many calls had their results, as text; nothing if it never did.
    pub fn saw_after(&self, results: usize) -> Option<String> {
        let requests = self.shared.requests();
        let mut after = requests.iter().filter(|request| request.offers_tools && request.results == results);
        after.next_back().map(|request| request.body.to_string())
    }

    /// Whether the agent brought all results and got the last words.
    pub fn was_finished(&self) -> bool {
        self.saw_after(self.shared.script.len()).is_some()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        // The listener sleeps until somebody comes.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn requests(&self) -> std::sync::MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &http::Asked) -> http::Answer {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let protocol = say::Protocol::of(&request.path);
        let (names, results) = protocol.map(|protocol| (protocol.offered(&body), protocol.results(&body))).unzip();
        let (names, results) = (names.unwrap_or_default(), results.unwrap_or_default());
        let kept = Request { path: request.path.clone(), results, offers_tools: !names.is_empty(), body: body.clone() };
        self.requests().push(kept);
        let Some(protocol) = protocol else { return http::Answer::json(&say::small_talk(&request.path)) };
        let call = if names.is_empty() { None } else { self.script.get(results) };
        let said = match call.map(|call| call.offered(&names)) {
            Some(Some((name, arguments))) => say::Said::Call { name, arguments, number: results },
            Some(None) => say::Said::Text("None of the tools of the script is offered."),
            None => say::Said::Text(LAST_WORDS),
        };
        protocol.answer(&request.path, &body, &said)
    }
}
