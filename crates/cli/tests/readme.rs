//! What the README says about agents is what the hooks do.

mod common;

use std::path::Path;

use common::Sandbox;
use tollgate_core::Point;
use tollgate_hook::failing::failing;
use tollgate_hook::{AGENTS, Agent, Can, Hook};

const HEAD: &str = "\
| agent | calls | results | prompts | killed or gone |
|---|---|---|---|---|
";

/// A power of an answer, and the word for it.
type Power = (fn(&Can) -> bool, &'static str);

/// What an answer can do at a point: what all registered events there allow, and in parentheses what only some do.
fn powers(agent: &Agent, point: Point, words: &[Power]) -> String {
    let there = |hook: &&Hook| hook.point == point && hook.registered && !hook.permission;
    let hooks: Vec<&Hook> = agent.hooks.iter().filter(there).collect();
    let said = words.iter().filter_map(|(can, word)| match hooks.iter().filter(|hook| can(&hook.can)).count() {
        0 => None,
        all if all == hooks.len() => Some((*word).to_owned()),
        _ => Some(format!("({word})")),
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() { "–".to_owned() } else { said.join(", ") }
}

fn row(agent: &Agent) -> String {
    let deny: Power = (|can| can.deny, "deny");
    let calls = powers(agent, Point::ToolBefore, &[deny, (|can| can.ask, "ask"), (|can| can.rewrite, "rewrite")]);
    let results = powers(agent, Point::ToolAfter, &[deny, (|can| can.rewrite, "redact")]);
    let prompts = powers(agent, Point::PromptSubmit, &[deny]);
    let (killed, missing) = (failing(agent.id).killed.word(), failing(agent.id).missing.word());
    let fails = if killed == missing { killed.to_owned() } else { format!("{killed}, {missing}") };
    format!("| {} | {calls} | {results} | {prompts} | {fails} |\n", agent.title)
}

#[test]
fn the_table_of_agents_is_what_can_be_enforced() {
    let table: String = HEAD.to_owned() + &AGENTS.iter().map(|agent| row(agent)).collect::<String>();
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    assert!(readme.contains(&table), "the table of the README must be\n\n{table}");
}

#[test]
fn every_command_that_the_documents_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let help = Sandbox::new().run(&["-h"]).out;
    let known: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    for page in
        ["README.md", "ARCHITECTURE.md", "docs/quick-start.md", "spec/rules.md", "spec/audit.md", "spec/hook.md"]
    {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        for rest in text.split("`tollgate ").skip(1) {
            let word: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
            assert!(word.is_empty() || known.contains(&word.as_str()), "{page}: `tollgate {word}`");
        }
    }
}
