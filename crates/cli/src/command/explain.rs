//! `tollgate explain`

mod show;

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_engine::{Engine, Explained};

use super::{Done, Failure, NO};
use crate::args::{Explain, Policy};
use crate::open::{self, Around};
use crate::output::{Paint, print, print_json};
use crate::question::{Question, answer, word};

pub(super) fn run(policy: &Policy, args: &Explain, paint: Paint) -> Done {
    let around = Around::new();
    let engine = open::engine(open::plan(policy, paint)?, &around, paint)?;
    if args.batch {
        return batch(&engine, &around);
    }
    let question = question(args)?;
    let explained = question.ask(&engine, &around)?;
    if args.json.json {
        print_json(&answer(&explained))?;
    } else {
        print(&show::Shown { question: &question, explained: &explained, all: args.all, paint }.to_string())?;
    }
    Ok(status(&explained))
}

fn status(explained: &Explained) -> ExitCode {
    if word(explained) == "pass" { ExitCode::SUCCESS } else { ExitCode::from(NO) }
}

fn question(args: &Explain) -> Result<Question, String> {
    let here = || std::env::current_dir().ok().and_then(|here| here.into_os_string().into_string().ok());
    // What is relative is relative to here.
    let absolute = |cwd: &String| std::path::absolute(cwd).ok()?.into_os_string().into_string().ok();
    let cwd = args.cwd.as_ref().map(|cwd| absolute(cwd).ok_or_else(|| format!("`{cwd}` is no folder")));
    let cwd = cwd.transpose()?;
    let document: Option<Value> = match &args.tool {
        Some(_) => Some(serde_json::from_str(&args.args).map_err(|error| format!("--args is not JSON: {error}"))?),
        None => None,
    };
    Ok(Question {
        command: args.command.clone(),
        tool: args.tool.clone(),
        args: document,
        on: Some(args.on.clone()),
        written: args.tool.as_ref().map(|_| args.args.clone()),
        cwd: cwd.or_else(here),
        home: args.home.clone(),
        agent: args.agent.clone(),
        ..Question::default()
    })
}

/// One answer for each line, also for a line that is none: whoever counts lines must not lose count.
fn batch(engine: &Engine, around: &Arc<Around>) -> Done {
    let (mut lines, mut out) = (io::stdin().lock(), BufWriter::new(io::stdout().lock()));
    let mut line = Vec::new();
    let mut number = 0_u64;
    let mut wrong = 0_u64;
    while lines.read_until(b'\n', &mut line).map_err(Failure::from)? > 0 {
        number += 1;
        let given = line.trim_ascii();
        if !given.is_empty() {
            let said = one(given, engine, around).unwrap_or_else(|message| {
                wrong += 1;
                // What cannot be understood is refused.
                json!({ "act": "deny", "rule": null, "reason": format!("line {number}: {message}"), "effects": [], "error": true })
            });
            writeln!(out, "{said}").map_err(Failure::from)?;
        }
        line.clear();
    }
    out.flush().map_err(Failure::from)?;
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn one(line: &[u8], engine: &Engine, around: &Arc<Around>) -> Result<Value, String> {
    let (value, ambiguous) = tollgate_wire::read(line);
    if let Some(why) = ambiguous {
        return Err(format!("it can be read in two ways ({why})"));
    }
    let value = value.map_err(|fault| fault.detail.to_string())?;
    let question: Question = serde_json::from_value(value).map_err(|error| error.to_string())?;
    Ok(answer(&question.ask(engine, around)?))
}
