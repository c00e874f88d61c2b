//! `tollgate test`
//!
//! The examples of all rules, and case files:
//!
//! ```toml
//! [[case]]
//! name = "production is read-only"
//! command = "psql prod -c 'drop table x'"
//! expect = "deny"
//! rule = "no-prod"
//! ```

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tollgate_config::{Placed, Plan};
use tollgate_engine::Engine;
use tollgate_rules::form::Rule;
use tollgate_rules::{Setting, Source};

use super::{Done, NO};
use crate::args::{Policy, Test};
use crate::open::{self, Around};
use crate::output::{Paint, print, print_json, short, visible, wrap};
use crate::question::{Question, word};

const FOLDER: &str = "tests";
const ACTS: [&str; 5] = ["pass", "deny", "ask", "route", "answer"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    #[serde(default)]
    case: Vec<toml::Spanned<Case>>,
}

/// A call, and what must become of it.
#[derive(Debug, Deserialize)]
struct Case {
    name: Option<String>,
    expect: String,
    /// Who must have decided.
    rule: Option<String>,
    /// Effects that must be among those found.
    #[serde(default)]
    effects: Vec<String>,
    #[serde(flatten)]
    call: toml::Table,
}

/// What became of a case.
struct Ran {
    place: String,
    name: String,
    wrong: Option<String>,
}

pub(super) fn run(policy: &Policy, args: &Test, paint: Paint) -> Done {
    let plan = open::plan(policy, paint)?;
    let examples = examples(&plan)?;
    let around = Around::new();
    let folder = plan
        .files
        .iter()
        .rfind(|file| file.path.extension().is_none_or(|end| end != "json"))
        .map(|file| file.folder().join(FOLDER));
    let engine = open::engine(plan, &around, paint)?;
    let mut ran = Vec::new();
    for file in files(&args.paths, folder.as_deref())? {
        ran.extend(run_file(&file, &engine, &around)?);
    }
    let failed = ran.iter().filter(|case| case.wrong.is_some()).count();
    if args.json.json {
        print_json(&report(examples, &ran))?
    } else {
        print(&show(examples, &ran, paint))?
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

/// Runs the examples of every rule, also of the packs, which are not run at every start; says how many there are.
fn examples(plan: &Plan) -> Result<usize, String> {
    let source = |placed: &Placed<Rule>| {
        let Placed { form, origin, path } = placed.clone();
        Source { form, origin, path }
    };
    let setting = Setting::on(tollgate_config::today());
    tollgate_rules::compile(plan.rules.iter().map(source).collect(), &setting)
        .map_err(|mistakes| format!("examples do not hold\n\n{}", plan.diagnose(&mistakes)))?;
    let given = plan.rules.iter().filter_map(|placed| placed.form.examples.as_ref());
    Ok(given.map(|examples| examples.matches.len() + examples.pass.len()).sum())
}

/// What was named, or the case files beside the policy if there are any.
fn files(named: &[PathBuf], folder: Option<&Path>) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() { files.extend(in_folder(path)?) } else { files.push(path.clone()) }
    }
    if named.is_empty() {
        let folder = folder.unwrap_or(Path::new(FOLDER));
        if folder.is_dir() {
            files.extend(in_folder(folder)?);
        }
    }
    Ok(files)
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = folder.read_dir().map_err(|error| format!("cannot read `{}`: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    Ok(files)
}

fn run_file(file: &Path, engine: &Engine, around: &Arc<Around>) -> Result<Vec<Ran>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
    let cases: Cases =
        toml::from_str(&text).map_err(|error| format!("`{}` is no case file\n{error}", file.display()))?;
    let run = |case: &toml::Spanned<Case>| {
        let line = text[..case.span().start].matches('\n').count() + 1;
        let place = format!("{}:{line}", file.display());
        let call =
            Value::deserialize(toml::Value::Table(case.as_ref().call.clone())).map_err(|error| error.to_string());
        let question =
            call.and_then(|call| serde_json::from_value::<Question>(call).map_err(|error| error.to_string()));
        let wrong = question.and_then(|question| check(case.as_ref(), &question, engine, around)).err();
        Ran { place, name: name(case.as_ref()), wrong }
    };
    Ok(cases.case.iter().map(run).collect())
}

fn name(case: &Case) -> String {
    let command = case.call.get("command").or_else(|| case.call.get("tool")).and_then(toml::Value::as_str);
    case.name.clone().unwrap_or_else(|| short(command.unwrap_or("a call"), 50))
}

/// Nothing, or in what way it came out otherwise.
fn check(case: &Case, question: &Question, engine: &Engine, around: &Arc<Around>) -> Result<(), String> {
    if !ACTS.contains(&case.expect.as_str()) {
        return Err(format!("`expect = \"{}\"` is not understood; write one of {}", case.expect, ACTS.join(", ")));
    }
    let explained = question.ask(engine, around)?;
    let act = word(&explained);
    if act != case.expect {
        let by = explained.reason.map_or(String::new(), |reason| format!(" ({reason})"));
        return Err(format!("expected {}, got {act}{by}", case.expect));
    }
    if let Some(rule) = &case.rule
        && explained.rule.as_ref() != Some(rule)
    {
        return Err(format!("expected the rule {rule}, got {}", explained.rule.unwrap_or_else(|| "none".to_owned())));
    }
    let found: Vec<&str> = explained.effects.iter().map(|effect| effect.kind).collect();
    match case.effects.iter().find(|wanted| !found.contains(&wanted.as_str())) {
        Some(missing) => Err(format!(
            "expected the effect {missing}, found {}",
            if found.is_empty() { "none".to_owned() } else { found.join(", ") }
        )),
        None => Ok(()),
    }
}

fn show(examples: usize, ran: &[Ran], paint: Paint) -> String {
    let mut out = String::new();
    for case in ran {
        if let Some(wrong) = &case.wrong {
            out += &format!(
                "{} {}\n  {}\n{}\n",
                paint.red("failed:"),
                visible(&case.name),
                visible(&case.place),
                wrap(&visible(wrong), 2, 80)
            );
        }
    }
    let failed = ran.iter().filter(|case| case.wrong.is_some()).count();
    let cases = format!("{} cases, {failed} failed", ran.len());
    out + &format!(
        "{examples} examples of rules hold; {}\n",
        if failed == 0 { paint.green(&cases) } else { paint.red(&cases) }
    )
}

fn report(examples: usize, ran: &[Ran]) -> Value {
    let cases: Vec<Value> = ran
        .iter()
        .map(|case| json!({ "place": case.place, "name": case.name, "ok": case.wrong.is_none(), "wrong": case.wrong }))
        .collect();
    json!({ "examples": examples, "failed": ran.iter().filter(|case| case.wrong.is_some()).count(), "cases": cases })
}
