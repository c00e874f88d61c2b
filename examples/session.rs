//! A short session of an agent, seen from the gate: what it wants, what is decided, what it gets.
//!
//! The agent and its tools are scripted, the pipeline is real, and so is the sandbox: a shell in an empty
//! folder with an empty environment. The lines of each step come from the trace that every run leaves.
//!
//! Prints:
//!
//! ```text
//! Session demo of agent main, with 7 interceptors at the gate
//!
//!  1  prompt  Tidy up, then publish.
//!             passed      as it is
//!  2  read    notes.md
//!             passed      Remove build, look for TODOs, push.
//!  3  exec    rm -rf build
//!             denied      no-rm-rf: that cannot be undone; use `trash build`
//!  4  exec    grep -rn TODO src
//!             rewritten   no-color
//!             model gets  ran "grep -rn TODO src --color=never"
//!  5  read    .env
//!             redacted    no-keys
//!             model gets  API_KEY=sk-***
//!  6  exec    echo "$(ls | wc -l) files here, HOME is ${HOME-unset}"
//!             routed      nested-commands: to `empty-folder`
//!             model gets  0 files here, HOME is unset
//!  7  exec    git push origin main
//!             asked       publishing: may it push to `main`?
//!             approved    ada, for call a48df61cf33f and no other
//!             model gets  ran "git push origin main"
//!  8  write   LICENCES.md
//!             broken      licences
//!             refused     `licences` could not judge this (panic: index out of
//!                         bounds: the len is 0 but the index is 0), so it is
//!                         refused; to mend it: run `get-licences`
//!
//! What stands around each tool, proved by calling it with everything refused:
//!     read    covered  no-keys
//!     exec    covered  no-color, no-rm-rf, nested-commands, publishing, no-keys
//!     write   covered  licences, no-keys
//!
//! 7 calls: 4 ran, 1 ran in the sandbox, 2 were refused.
//! ```

#![allow(clippy::print_stdout, reason = "an example shows its output")]

use std::error::Error;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::{env, fs, process};

use regex::Regex;
use serde_json::{Value, json};
use tollgate::{
    BadRegistration, Body, Call, Coverage, Ended, Entry, Finished, Gate, Point, Registration, Route, Said, Tool,
    ToolError, Toolbox, Verdict, block_on, grant,
};

const PROMPT: &str = "Tidy up, then publish.";

/// What the agent wants, one after another: a tool, and its one argument.
const SCRIPT: [(&str, &str, &str); 7] = [
    ("read", "path", "notes.md"),
    ("exec", "command", "rm -rf build"),
    ("exec", "command", "grep -rn TODO src"),
    ("read", "path", ".env"),
    ("exec", "command", "echo \"$(ls | wc -l) files here, HOME is ${HOME-unset}\""),
    ("exec", "command", "git push origin main"),
    ("write", "path", "LICENCES.md"),
];

/// What happened in a step: a word, and the rest of the story.
type Notes = Arc<Mutex<Vec<(&'static str, String)>>>;

fn main() -> Result<(), Box<dyn Error>> {
    // One guard below panics on purpose. The gate answers that with a refusal; what a panic prints by itself
    // would only tear the timeline.
    std::panic::set_hook(Box::new(|_| ()));
    let (gate, notes) = (Gate::new(), Notes::default());
    rules(&gate)?;
    timeline(&gate, &notes)?;
    let session = gate.session("demo").agent("main");
    let toolbox = Toolbox::new(session.clone());
    for tool in tools() {
        toolbox.add(tool)?;
    }

    let page = Page { colours: stdout().is_terminal() && env::var_os("NO_COLOR").is_none() };
    println!("Session demo of agent main, with {} interceptors at the gate\n", gate.ids().len());
    page.step(1, "prompt", PROMPT);
    let prompt = block_on(session.prompt(PROMPT))?;
    page.notes(&notes, if prompt == PROMPT { "as it is" } else { &prompt });
    let mut ended = Vec::new();
    for (number, (name, key, value)) in (2..).zip(SCRIPT) {
        page.step(number, name, value);
        let tool = toolbox.get(name).ok_or("the script names a tool that is not there")?;
        let done = block_on(tool.execute(Call::new(format!("call-{number}"), json!({key: value}))));
        page.notes(&notes, &result(&done));
        ended.push(done.ended);
    }
    page.coverage(&block_on(toolbox.coverage()));
    page.summary(&ended);
    Ok(())
}

/// Who stands at the gate.
fn rules(gate: &Gate) -> Result<(), BadRegistration> {
    let starts = |args: &tollgate::Fields<'_>, with| args.text("command").is_some_and(|text| text.starts_with(with));
    gate.before_tool("no-rm-rf").tool("exec").guard(move |_call, args| {
        starts(&args, "rm -rf").then(|| Verdict::deny("that cannot be undone; use `trash build`"))
    })?;
    gate.before_tool("no-color").tool("exec").edit(|_call, mut args| {
        let plain = args.text("command").filter(|command| command.starts_with("grep"));
        match plain.map(|command| format!("{command} --color=never")) {
            Some(command) => args.set("command", command),
            None => Ok(()),
        }
    })?;
    gate.before_tool("nested-commands").tool("exec").guard(|_call, args| {
        let nested = args.text("command").is_some_and(|command| command.contains("$("));
        nested.then(|| Verdict::route(Route::to("empty-folder")))
    })?;
    gate.on_route(|_route, call| async move { run_in_empty_folder(&call.params) });
    gate.before_tool("publishing")
        .tool("exec")
        .guard(move |_call, args| starts(&args, "git push").then(|| Verdict::ask("may it push to `main`?")))?;
    let licences: Vec<String> = Vec::new();
    gate.before_tool("licences").tool("write").mend("run `get-licences`").guard(move |_call, args| {
        // The mistake: nobody has filled the list.
        (args.text("path") == Some(&licences[0])).then(|| Verdict::deny("that file is not for agents"))
    })?;
    let keys = Regex::new("sk-[a-zA-Z0-9]{20,}").map_err(|error| BadRegistration(error.to_string()))?;
    gate.after_tool("no-keys")
        .edit(move |_call, mut result| result.map(|text| keys.replace_all(text, "sk-***").into_owned()))?;
    Ok(())
}

/// Notes down what each interceptor did, and what the human says: yes to everything.
fn timeline(gate: &Gate, notes: &Notes) -> Result<(), BadRegistration> {
    let (seen, heard) = (Arc::clone(notes), Arc::clone(notes));
    let points = [Point::PromptSubmit, Point::ToolBefore, Point::ToolAfter];
    gate.on::<Body>(points, "timeline").watch(move |event, _body, outcome| {
        let turns = outcome.trace.entries().filter_map(|(who, turn)| note(event.point, who, &turn));
        seen.lock().unwrap_or_else(PoisonError::into_inner).extend(turns);
    })?;
    gate.on_ask(move |question| {
        let digest = question.digest.to_string();
        let note = ("approved", format!("ada, for call {} and no other", &digest[..12]));
        heard.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        let approval = grant(&question, "ada");
        async move { Some(approval) }
    });
    Ok(())
}

fn note(point: Point, who: &Registration, turn: &Entry) -> Option<(&'static str, String)> {
    let id = &who.id;
    match &turn.said {
        Said::Passed if turn.change.as_deref().is_none() => None,
        Said::Passed if point == Point::ToolAfter => Some(("redacted", format!("{id}"))),
        Said::Passed => Some(("rewritten", format!("{id}"))),
        Said::Denied(reason) => Some(("denied", format!("{id}: {reason}"))),
        Said::Asked(title) => Some(("asked", format!("{id}: {title}"))),
        Said::Routed(provider) => Some(("routed", format!("{id}: to `{provider}`"))),
        Said::Faulted(_) => Some(("broken", format!("{id}"))),
        Said::Answered | Said::Skipped => Some(("other", format!("{id}"))),
    }
}

fn tools() -> Vec<Tool> {
    let output = |text: String| Ok(json!({"output": text}));
    vec![
        Tool::new("read", move |call| async move {
            output(match call.params["path"].as_str() {
                Some(".env") => "API_KEY=sk-EXAMPLEexampleEXAMPLE0000".to_owned(),
                _ => "Remove build, look for TODOs, push.".to_owned(),
            })
        }),
        Tool::new("exec", move |call| async move { output(format!("ran {}", call.params["command"])) }),
        Tool::new("write", move |_call| async move { output("written".to_owned()) }),
    ]
}

/// The sandbox: no files but its own, no variables.
fn run_in_empty_folder(params: &Value) -> Result<Value, ToolError> {
    let command = params["command"].as_str().ok_or("there is no command")?;
    let folder: PathBuf = env::temp_dir().join(format!("tollgate-session-{}", process::id()));
    fs::create_dir(&folder)?;
    let output = Command::new("/bin/sh").args(["-c", command]).current_dir(&folder).env_clear().output();
    fs::remove_dir_all(&folder)?;
    Ok(json!({"output": String::from_utf8_lossy(&output?.stdout).trim()}))
}

/// What the model gets.
fn result(done: &Finished) -> String {
    let output = done.value["output"].as_str().map(str::to_owned);
    output.or(done.reason.clone()).unwrap_or_default()
}

/// Where the timeline is printed.
struct Page {
    colours: bool,
}

impl Page {
    const WIDTH: usize = 80;
    const INDENT: usize = 12;

    fn step(&self, number: usize, tool: &str, what: &str) {
        println!("{number:>2}  {tool:<6}  {}", self.paint("1", what));
    }

    /// What the gate did, then what came of it.
    fn notes(&self, notes: &Notes, result: &str) {
        let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
        for (word, story) in &notes {
            let colour = match *word {
                "denied" | "broken" => "31",
                "approved" => "32",
                _ => "33",
            };
            self.line(colour, word, story);
        }
        match notes.last() {
            None => self.line("32", "passed", result),
            Some(("denied", _)) => {}
            Some(("broken", _)) => self.line("31", "refused", result),
            Some(_) => self.line("2", "model gets", result),
        }
    }

    fn coverage(&self, coverage: &Coverage) {
        println!("\nWhat stands around each tool, proved by calling it with everything refused:");
        for row in &coverage.rows {
            let (colour, word) = if row.passes { ("32", "covered") } else { ("31", "NOT COVERED") };
            let who = row.before.iter().chain(&row.after).filter(|id| *id != "timeline");
            let who: Vec<&str> = who.map(String::as_str).collect();
            println!("    {:<6}  {}  {}", row.tool, self.paint(colour, word), who.join(", "));
        }
    }

    fn summary(&self, ended: &[Ended]) {
        let count = |how| ended.iter().filter(|ended| **ended == how).count();
        let (ran, there, refused) = (count(Ended::Ok), count(Ended::Routed), count(Ended::Denied));
        println!("\n{} calls: {ran} ran, {there} ran in the sandbox, {refused} were refused.", ended.len());
    }

    fn line(&self, colour: &str, word: &str, story: &str) {
        let mut first = self.paint(colour, &format!("{word:<10}"));
        for line in wrapped(story, Self::WIDTH - Self::INDENT - 12) {
            println!("{:indent$}{}  {line}", "", first, indent = Self::INDENT);
            first = " ".repeat(10);
        }
    }

    fn paint(&self, colour: &str, text: &str) -> String {
        if self.colours { format!("\u{1b}[{colour}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// At least one line, none longer than `width` unless a word is.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= width => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
